/* SPDX-License-Identifier: MIT */
/* Perft by distinct positions: breadth first, each ply a list of distinct positions with their
 * multiplicities (in how many ways each is reached), the last two plies counted by a kernel's
 * lookahead.
 *
 * The last list, of the positions three plies above the leaves, is made and counted in slices, so
 * that it need not fit into memory as a whole; each slice is counted in groups. A group is an item:
 * the sum of all items is the perft, and items may be counted in any order, on any machine, by any
 * kernel, with the same result. How a depth is cut into items is its plan. */
#ifndef PM_DEEP_UNIQUE_H
#define PM_DEEP_UNIQUE_H

#include "bench/driver.h"
#include "core/board.h"
#include "core/count.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_UNIQUE_MIN_DEPTH 3
#define PM_UNIQUE_MAX_DEPTH PM_JOB_MAX_DEPTH

/* Both are part of what an item means: a count belongs to (position, depth, slices, groups, item).
 */
struct pm_unique_plan {
    unsigned slices; /* a power of two, 1 to 4096 */
    unsigned groups; /* of each slice: a power of two, 1 to 4096 */
};

/* Item number i is group i % groups of slice i / groups. */
static inline unsigned pm_unique_item_count(const struct pm_unique_plan *plan)
{
    return plan->slices * plan->groups;
}

struct pm_unique_progress {
    double seconds;  /* since the start */
    double fraction; /* of the work, estimated: 0 to 1 */
    unsigned items, items_done;
    int ply;         /* of the list that is being made; that of the last list when it is counted */
    uint64_t memory; /* bytes taken for lists and tables */
};

struct pm_unique_job {
    struct pm_driver *driver;       /* its threads */
    const struct pm_kernel *kernel; /* runs here, init() was called, has an expander */
    const struct pm_position *position;
    int depth; /* PM_UNIQUE_MIN_DEPTH to PM_UNIQUE_MAX_DEPTH */
    struct pm_unique_plan plan;
    uint64_t seed;           /* of the hash keys: no count depends on it, unless keys collide */
    bool exact;              /* compare whole positions everywhere: no collision can be missed */
    uint64_t memory;         /* the most bytes to take for lists and tables */
    const atomic_bool *stop; /* may be NULL */

    /* May be NULL: whether an item's count is known already, and is not to be counted again. */
    bool (*is_known)(void *context, unsigned item);
    /* May be NULL. Called once an item with its count, by one thread at a time. An error ends the
     * job, with that description. */
    enum pm_status (*finished)(void *context, unsigned item, pm_count nodes,
                               struct pm_error *error);
    /* May be NULL. Called now and then from the caller's thread. */
    void (*progress)(void *context, const struct pm_unique_progress *progress);
    void *context;
};

struct pm_unique_result {
    pm_count nodes; /* of the items that this job counted: all of them if none was known */
    double seconds, idle_seconds; /* wall time; the threads' waiting for each other, added up */
    uint64_t memory;              /* bytes, the most that was taken at once */
    /* Distinct positions at each ply that has a list: 0 to depth - 3. With several slices the last
     * list is whole only if no item was known: else its number is 0. */
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
    uint64_t counted; /* calls of the two-ply count: at least the distinct positions at depth - 2 */
    double
        error_probability; /* that some hash collision made the count wrong, at most; 0 if exact */
};

/* A plan for that memory and these threads. The lists up to the last but one are counted for it,
 * which takes a part of the time of the job. */
enum pm_status pm_unique_make_plan(const struct pm_unique_job *job, struct pm_unique_plan *plan,
                                   struct pm_error *error);

/* PM_ERROR_INTERRUPTED when stopped: items that were reported are finished. PM_ERROR_MEMORY if
 * job->memory is too little; the description says how much may be enough. PM_ERROR_OVERFLOW if a
 * multiplicity does not fit 64 bits or the total 128. */
enum pm_status pm_unique_run(const struct pm_unique_job *job, struct pm_unique_result *result,
                             struct pm_error *error);

#endif
