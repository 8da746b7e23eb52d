/* SPDX-License-Identifier: MIT */
/* Google Benchmark for C. A benchmark is a C function with a context of its own; it does its work
 * in a loop that the library ends when the time is measured well enough:
 *
 *     static void count_moves(struct pm_gbench_state *state, void *context)
 *     {
 *         double moves = 0;
 *         while (pm_gbench_keep_running(state))
 *             moves += work(context);
 *         pm_gbench_set_rate(state, "moves", moves);
 *     }
 *
 * No C++ exception leaves these functions, and the functions given must not throw one. The library
 * has one list of benchmarks for the whole process: register, run, clear, all on one thread. */
#ifndef PM_BENCH_GBENCH_SHIM_H
#define PM_BENCH_GBENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "core/status.h" /* plain C, hence in here */

struct pm_gbench_state; /* one run of one benchmark; opaque */

typedef void (*pm_gbench_function)(struct pm_gbench_state *state, void *context);

/* Adds a benchmark. name is copied; context must live until the run is over. */
enum pm_status pm_gbench_register(const char *name, pm_gbench_function function, void *context,
                                  struct pm_error *error);

/* Forgets all benchmarks. */
void pm_gbench_clear(void);

/* Adds a line to the "context" of the output, for good: the library can't take it back. */
enum pm_status pm_gbench_add_context(const char *key, const char *value, struct pm_error *error);

/* True while one more round is wanted. Time counts from the first call to the one that gives false.
 */
bool pm_gbench_keep_running(struct pm_gbench_state *state);

/* The same for a body that does `rounds` rounds at once, for work that lasts only nanoseconds. */
bool pm_gbench_keep_running_batch(struct pm_gbench_state *state, uint64_t rounds);

/* After the loop: the counter NAME becomes `total`, of all rounds, for each second of CPU time. */
void pm_gbench_set_rate(struct pm_gbench_state *state, const char *name, double total);

/* Ends the run as failed; the function should return, for the next pm_gbench_keep_running() gives
 * false. No time is printed. */
void pm_gbench_skip(struct pm_gbench_state *state, const char *reason);

struct pm_gbench_options {
    const char *filter; /* a regular expression that names must match in part; NULL or "": all */
    double min_seconds; /* for each benchmark; 0: the library's default, 0.5 s */
    FILE *out;          /* gets the table line by line; NULL: no table */
};

struct pm_gbench_outcome {
    size_t run;    /* benchmarks that ran */
    size_t failed; /* of these, those that were skipped with a reason */
    char *json;    /* the library's JSON, the caller's to free() */
};

/* Runs all that the filter lets through. PM_ERROR_ARGUMENT for a filter that is no regular
 * expression or matches nothing. *outcome is filled only on PM_OK. */
enum pm_status pm_gbench_run(const struct pm_gbench_options *options,
                             struct pm_gbench_outcome *outcome, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
