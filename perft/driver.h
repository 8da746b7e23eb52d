/* SPDX-License-Identifier: MIT */
/* The parallel perft driver. A tree is split into work items well below the root, so that positions
 * with few root moves balance too; OpenMP threads pinned by hwloc take items from one queue, the
 * largest estimated first. Totals are 128-bit and equal the serial ones exactly. */
#ifndef PM_PERFT_DRIVER_H
#define PM_PERFT_DRIVER_H

#include "core/board.h"
#include "core/count.h"
#include "core/kernel.h"
#include "core/parallel.h"
#include "core/status.h"
#include "core/topology.h"
#include "perft/counters.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pm_driver; /* threads, their CPUs and states; opaque */

struct pm_driver_config {
    const struct pm_topology *topology; /* outlives the driver; may be NULL with PM_PIN_NONE */
    struct pm_pin pin;
    int threads; /* 0: pm_pin_default_threads() */
};

struct pm_progress {
    double seconds;  /* since the start */
    double fraction; /* of the work, estimated: 0 to 1 */
    uint64_t items, items_done;
    pm_count nodes; /* so far */
};

/* Counts in place of kernel->perft(). */
struct pm_subtree_counter {
    /* Called on any thread, 0 to the driver's number of threads less 1, with what perft() gets. A
     * call may be long, and then looks at the job's `stop` itself. PM_ERROR_INTERRUPTED ends the
     * job like `stop`. */
    enum pm_status (*count)(void *context, int thread, const void *state, int depth,
                            uint64_t *nodes);
    void *context;
};

struct pm_job {
    const struct pm_kernel *kernel; /* runs here: pm_kernel_missing() is 0, init() was called */
    const struct pm_position *position;
    int depth;               /* 0 (one leaf) to PM_JOB_MAX_DEPTH */
    enum pm_mode mode;       /* any that the kernel offers, apart from PM_MODE_UNIQUE */
    const atomic_bool *stop; /* may be NULL; once true the job ends within 0.2 s */
    /* May be NULL. Called now and then, always from the caller's thread, with what is done. */
    void (*progress)(void *context, const struct pm_progress *progress);
    void *context;
    const struct pm_counter_source *counters; /* may be NULL: events are not counted */
    /* May be NULL: kernel->perft() counts. Else `mode` is not looked at. */
    const struct pm_subtree_counter *subtrees;
};

#define PM_JOB_MAX_DEPTH 64

struct pm_root_count {
    struct pm_move move;
    pm_count nodes;
    bool complete; /* false: the job was stopped before this move was counted to the end */
};

struct pm_job_result {
    pm_count nodes;
    double seconds;              /* wall time of counting, without the driver's set-up */
    struct pm_counters counters; /* of all threads during that time; else none is known */
    unsigned root_count;
    bool complete;              /* false: stopped or failed; nodes counts what was done */
    uint64_t items, items_done; /* as in struct pm_progress */
    struct pm_root_count roots[PM_MAX_MOVES]; /* one a legal root move when depth >= 1 */
};

enum pm_status pm_driver_open(const struct pm_driver_config *config, struct pm_driver **driver,
                              struct pm_error *error);
void pm_driver_close(struct pm_driver *driver); /* NULL is fine */

int pm_driver_threads(const struct pm_driver *driver);
const int *pm_driver_cpus(const struct pm_driver *driver); /* one a thread, -1 if not pinned */

/* Runs one job on the driver's threads, each pinned for its duration: afterwards the calling thread
 * may use every CPU again. PM_ERROR_INTERRUPTED when stopped: then *result says how far it came.
 * PM_ERROR_UNSUPPORTED if the kernel lacks the mode or can't take the position. An error of the
 * kernel ends all threads; the description names the function and the FEN. */
enum pm_status pm_driver_run(struct pm_driver *driver, const struct pm_job *job,
                             struct pm_job_result *result, struct pm_error *error);

/* Shares tasks among the driver's threads as pm_parallel_for() does (core/parallel.h), each thread
 * pinned meanwhile; a single task is run by the caller, as it is. *idle_seconds (if not NULL) gets
 * the time that threads waited for the last of them, added up. */
enum pm_status pm_driver_parallel_for(struct pm_driver *driver, size_t count, pm_parallel_task task,
                                      void *context, double *idle_seconds, struct pm_error *error);

#endif
