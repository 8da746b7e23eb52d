/* SPDX-License-Identifier: MIT */
/* The results of `plymark bench` in memory and as JSON. results/README.md documents the JSON. */
#ifndef PM_BENCH_RESULT_H
#define PM_BENCH_RESULT_H

#include "bench/noise.h"
#include "bench/stats.h"
#include "core/environment.h"
#include "core/fen.h"
#include "core/kernel.h"
#include "core/status.h"
#include "perft/counters.h"

#include <stdbool.h>
#include <stdint.h>

/* Changes whenever a member of the JSON changes its name, its place or its meaning. */
#define PM_RESULT_SCHEMA 2

#define PM_RESULT_MAX_RUNS 256
#define PM_RESULT_MAX_REPEATS 1024
#define PM_RESULT_MAX_KERNELS 64
#define PM_RESULT_MAX_POSITIONS 64
#define PM_RESULT_MAX_GROUPS 64
#define PM_RESULT_MAX_THREADS 4096
#define PM_RESULT_MAX_WARNINGS 32

struct pm_result_kernel {
    char name[64];
    char technique[128];
    char revision[80];
    char cpu_required[256]; /* feature names, or "none" */
    bool is_reference;      /* ranked apart */
};

struct pm_result_position {
    char name[32];
    char fen[PM_FEN_SIZE];
};

/* One kernel on one position. Without times if its count was wrong: then there is no speed. */
struct pm_measurement {
    int kernel, position; /* indices into those of the result */
    int depth;
    int calls; /* counts of the whole tree in one repeat, one after another */
    uint64_t nodes_expected, nodes_counted; /* of one call */
    struct pm_counters counters;            /* of all timed repeats, calls and threads together */
    int timed;                              /* repeats, of all runs */
    int runs;                               /* how many there are of: */
    double *seconds; /* of each run's shortest repeat, all its calls; NULL if the count is wrong */
};

/* What was measured alternately, and may be ranked: one mode, one number of threads. */
struct pm_result_group {
    int mode; /* enum pm_mode */
    int threads;
    int *cpus; /* the system's CPU number for each thread, -1 if not pinned */
    struct pm_measurement *measurements; /* at most one for each kernel and position */
    int measurement_count;
};

struct pm_result {
    struct pm_environment environment;
    char pin[64];        /* as after --pin */
    int runs, repeats;   /* processes, and repeats in each of them */
    bool is_one_process; /* an old file, whose runs are repeats in one process */
    bool is_partial;     /* interrupted: fewer runs than were asked for */
    struct pm_noise noise[PM_RESULT_MAX_RUNS]; /* of each run */
    bool counters; /* asked for; whether there are any, each measurement tells */
    struct pm_result_kernel kernels[PM_RESULT_MAX_KERNELS];
    int kernel_count;
    struct pm_result_position positions[PM_RESULT_MAX_POSITIONS];
    int position_count;
    struct pm_result_group groups[PM_RESULT_MAX_GROUPS];
    int group_count;
    char warnings[PM_RESULT_MAX_WARNINGS][160];
    int warning_count;
};

/* An empty result, or NULL when memory is out. */
struct pm_result *pm_result_new(void);
void pm_result_free(struct pm_result *result); /* NULL is fine */

/* A new group with room for all kernels on all positions, which must have been entered before. NULL
 * when memory is out or there are PM_RESULT_MAX_GROUPS. */
struct pm_result_group *pm_result_add_group(struct pm_result *result, enum pm_mode mode,
                                            int threads);

/* A new measurement with room for the times of facts->runs runs, or NULL when memory is out. */
struct pm_measurement *pm_result_add_measurement(struct pm_result_group *group,
                                                 const struct pm_measurement *facts);

/* Adds a line to the warnings, printf-style, unless it is there already. Returns it, or NULL. */
__attribute__((format(printf, 2, 3))) const char *pm_result_warn(struct pm_result *result,
                                                                 const char *format, ...);

/* The measurement of that kernel and position, or NULL. */
const struct pm_measurement *pm_result_find(const struct pm_result_group *group, int kernel,
                                            int position);

const struct pm_measurement *pm_result_find_named(const struct pm_result *result,
                                                  const struct pm_result_group *group,
                                                  const char *kernel, const char *position);

/* Adds the runs of another result, which may lack kernels, to those that it has too.
 * PM_ERROR_MISMATCH if both do not count the same trees. */
enum pm_status pm_result_add_runs(struct pm_result *result, const struct pm_result *others,
                                  struct pm_error *error);

/* Whether some kernel counted wrong. */
bool pm_result_has_wrong_counts(const struct pm_result *result);

/* Nodes per second in one run; NAN without times. */
double pm_measurement_speed(const struct pm_measurement *measurement, int run);

struct pm_speed {
    double median;               /* nodes per second; NAN if there is none */
    double spread;               /* relative MAD */
    struct pm_interval interval; /* of the median, 95 %; NAN with too few runs */
};
struct pm_speed pm_measurement_summary(const struct pm_measurement *measurement);

/* Events of that counter for each node; NAN if they were not counted. */
double pm_measurement_events(const struct pm_measurement *measurement, enum pm_counter counter);

/* Nodes for each cycle of a core: by the cycles counted, else, with one thread, by the median speed
 * and the clock rate that was measured before; NAN if neither is known. */
double pm_result_nodes_per_cycle(const struct pm_result *result,
                                 const struct pm_result_group *group, int kernel, int position);

/* The geometric mean over all positions in one run, nodes per second; NAN if one has no speed. */
double pm_result_total_of_run(const struct pm_result *result, const struct pm_result_group *group,
                              int kernel, int run);

/* The geometric mean over all positions in each run, and of these the median; the spread is the
 * largest of a position. NAN when a position has no speed. */
struct pm_speed pm_result_total(const struct pm_result *result, const struct pm_result_group *group,
                                int kernel);

/* How many times faster kernel a was than kernel b: the median, over the runs, of the ratio of
 * their geometric means in one run. */
struct pm_estimate {
    double value;
    struct pm_interval interval; /* NAN with too few runs */
};
struct pm_estimate pm_result_ratio(const struct pm_result *result,
                                   const struct pm_result_group *group, int a, int b,
                                   double confidence);

/* Writes JSON so that `path` holds either its old content or all of the new. */
enum pm_status pm_result_write(const struct pm_result *result, const char *path,
                               struct pm_error *error);

/* Reads and checks JSON. *result is the caller's to free. The error is one line that names file,
 * place, the value seen and what would be right. */
enum pm_status pm_result_read(const char *path, struct pm_result **result, struct pm_error *error);

#endif
