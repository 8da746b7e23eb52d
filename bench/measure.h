/* SPDX-License-Identifier: MIT */
/* One run: measures kernels side by side in this process. All count the same trees: a standard
 * depth for each mode and position. First every count that will be timed is checked, then the
 * kernels take turns on each position (A B C A B C …), so that a change of the machine's mood hits
 * them all. Several runs, each a process of its own, are bench/runs.h's. */
#ifndef PM_BENCH_MEASURE_H
#define PM_BENCH_MEASURE_H

#include "bench/positions.h"
#include "bench/result.h"
#include "core/kernel.h"
#include "core/status.h"
#include "core/topology.h"

#include <stdatomic.h>

#define PM_MEASURE_MAX_THREAD_COUNTS 8

struct pm_measure_config {
    const struct pm_topology *topology;
    struct pm_pin pin;
    const struct pm_kernel *const *kernels; /* run here, init() was called */
    int kernel_count;
    enum pm_mode modes[PM_MODE_COUNT]; /* a kernel without the mode is left out there */
    int mode_count;
    int threads[PM_MEASURE_MAX_THREAD_COUNTS];
    int thread_count;
    int positions[PM_BENCH_POSITION_COUNT]; /* indices into pm_bench_positions */
    int position_count;
    int depth;   /* on each position; 0: the standard one of mode and position */
    int repeats; /* of a run, 1 to PM_STATS_MAX; the shortest stands for the run */
    /* May be NULL: depths and calls are taken from it, and what it has no times for is left out, as
     * are reference kernels. */
    const struct pm_result *like;
    const struct pm_counter_source *counters; /* may be NULL: events are not counted */
    double budget;           /* seconds for the whole: of workloads (bench/workload.h) alone */
    const atomic_bool *stop; /* may be NULL */
    /* May be NULL: called before each step with the steps done and all steps. */
    void (*progress)(void *context, int done, int all);
    void *context;
};

/* Fills an empty result with one run; the caller has filled its environment, its pin and its wish
 * for counters before. A kernel with a wrong count gets one measurement without times and is not
 * timed at all. PM_ERROR_MISMATCH when a count that was right before is wrong while it is timed,
 * PM_ERROR_INTERRUPTED when stopped: then *result is of no use. */
enum pm_status pm_measure(const struct pm_measure_config *config, struct pm_result *result,
                          struct pm_error *error);

#endif
