/* SPDX-License-Identifier: MIT */
/* Several runs, each a process of its own: what varies from one start of a program to the next
 * (where its pages lie, what the machine is at) shows only so. One program, or two that take turns,
 * run by run; which goes first changes each time. */
#ifndef PM_BENCH_RUNS_H
#define PM_BENCH_RUNS_H

#include "bench/result.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define PM_RUNS_MAX_PROGRAMS 2

struct pm_runs_config {
    const char *programs[PM_RUNS_MAX_PROGRAMS]; /* paths of plymark; [1] may be NULL */
    char *const *arguments; /* of `plymark bench`, without its name; ends with NULL */
    int runs;               /* 1 to PM_RESULT_MAX_RUNS, of each program */
    double budget;          /* seconds after which no further run begins; 0: none */
    double target; /* stop once the interval of every ratio of two programs is narrower than
                      this part of it on either side; 0: never */
    const atomic_bool *stop; /* may be NULL */
    /* May be NULL: called before each run of a program with those done and all. */
    void (*progress)(void *context, int done, int all);
    void *context;
};

/* Fills results[0], and [1] if there are two programs; the caller's to free in any case. Stopped
 * after a run, or by the budget, the runs that there are are kept, and is_partial is set.
 * PM_ERROR_INTERRUPTED if there is none. What a program says on stderr when it fails is left to be
 * seen; its exit code is in the error. */
enum pm_status pm_runs_measure(const struct pm_runs_config *config,
                               struct pm_result *results[PM_RUNS_MAX_PROGRAMS],
                               struct pm_error *error);

/* How two programs compare at one kernel, mode and number of threads: over all positions, by the
 * ratios of runs that stood side by side. */
enum pm_comparison { PM_NO_DIFFERENCE, PM_FASTER, PM_SLOWER };
struct pm_compared {
    struct pm_estimate ratio; /* of the first program's speed to the second's; 99 % */
    enum pm_comparison verdict;
    int runs;
};

/* A difference is shown if the interval of 99 % leaves 1 out. With kernel = -1: of all kernels that
 * both have times of, in all groups, by their geometric mean. */
struct pm_compared pm_runs_compare(struct pm_result *const results[PM_RUNS_MAX_PROGRAMS], int group,
                                   int kernel);

/* A table for each mode and number of threads, kernel by kernel, and a last line over all. */
void pm_runs_print(FILE *out, struct pm_result *const results[PM_RUNS_MAX_PROGRAMS],
                   const char *other);

/* Whether the first program is shown to be slower, of some kernel or over all, and by that part. */
bool pm_runs_is_slower(struct pm_result *const results[PM_RUNS_MAX_PROGRAMS], double part);

#endif
