/* SPDX-License-Identifier: MIT */
/* Perft by distinct positions: breadth first, each ply a list of distinct positions with their
 * multiplicities (in how many ways each is reached), the last two plies counted by a kernel's
 * lookahead.
 *
 * The last list, of the positions three plies above the leaves, is cut into items by a hash of the
 * pieces of the side that moved last. The sum of all items is the perft; items may be counted in
 * any order, on any machine, by any kernel, with the same result. If the last list does not fit
 * into memory as a whole, it is made and counted in several passes. */
#ifndef PM_PERFT_UNIQUE_H
#define PM_PERFT_UNIQUE_H

#include "core/board.h"
#include "core/count.h"
#include "core/kernel.h"
#include "core/status.h"
#include "perft/driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_UNIQUE_MIN_DEPTH 3
#define PM_UNIQUE_MAX_DEPTH PM_JOB_MAX_DEPTH

/* Part of what an item means: its count belongs to (position, depth, items, number of the item). */
struct pm_unique_plan {
    unsigned items; /* a power of two, 1 to PM_UNIQUE_MAX_ITEMS */
};

#define PM_UNIQUE_MAX_ITEMS 65536U

/* As many items as serve a depth: each takes seconds at most. */
struct pm_unique_plan pm_unique_default_plan(int depth);

struct pm_unique_progress {
    double seconds;  /* since the start */
    double fraction; /* of the work, estimated: 0 to 1 */
    unsigned items, items_done;
    int ply;         /* of the list that is being made; that of the last list when it is counted */
    uint64_t memory; /* bytes taken for lists and tables */
};

/* A level of instruction sets that the inner loops are compiled for. */
struct pm_ply_code; /* perft/ply.h */
struct pm_unique_level {
    const char *name;
    uint64_t cpu_required; /* PM_CPU_* bits without which it must not run */
    uint64_t cpu_slow;     /* PM_CPU_* quirk bits with which a lower one is faster */
    const struct pm_ply_code *code;
};
extern const struct pm_unique_level pm_unique_levels[]; /* upwards; ends with a NULL name */

struct pm_unique_job {
    struct pm_driver *driver;       /* its threads */
    const struct pm_kernel *kernel; /* runs here, init() was called, has an expander */
    const struct pm_position *position;
    int depth; /* PM_UNIQUE_MIN_DEPTH to PM_UNIQUE_MAX_DEPTH */
    struct pm_unique_plan plan;
    uint64_t seed;           /* of the hash keys: no count depends on it, unless keys collide */
    bool exact;              /* compare whole positions everywhere: no collision can be missed */
    bool lists_only;         /* make the lists and count them: no leaves, no items */
    uint64_t memory;         /* the most bytes to take for lists and tables */
    const atomic_bool *stop; /* may be NULL */
    const struct pm_unique_level
        *level; /* NULL: the highest that this CPU runs and is not slow at */

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
    /* Distinct positions at each ply that has a list: 0 to depth - 3. The last list is whole only
     * if no item was known: else it is left out. */
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
    uint64_t counted; /* calls of the two-ply count: at least the distinct positions at depth - 2 */
    double
        error_probability; /* that some hash collision made the count wrong, at most; 0 if exact */
};

/* PM_ERROR_INTERRUPTED when stopped: items that were reported are finished. PM_ERROR_MEMORY if
 * job->memory is too little; the description says how much may be enough. PM_ERROR_OVERFLOW if a
 * multiplicity does not fit 64 bits or the total 128. */
enum pm_status pm_unique_run(const struct pm_unique_job *job, struct pm_unique_result *result,
                             struct pm_error *error);

#endif
