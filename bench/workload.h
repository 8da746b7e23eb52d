/* SPDX-License-Identifier: MIT */
/* The workload "analyze": how many positions a second are answered with a kernel's moves and
 * attacks, without reading and writing text. Its figures are positions, not nodes: they have tables
 * and files of their own and are never ranked with perft figures.
 *
 * The positions are those a few plies below pm_bench_positions, so that their number is a known
 * perft count; the sum of the hashes of all answers is fixed here, and no kernel that gives another
 * one gets a speed. */
#ifndef PM_BENCH_WORKLOAD_H
#define PM_BENCH_WORKLOAD_H

#include "bench/measure.h"
#include "core/environment.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdint.h>
#include <stdio.h>

/* The answers, as names of analyze/field.h. */
extern const char pm_workload_fields[];
#define PM_WORKLOAD_POSITIONS 26785
#define PM_WORKLOAD_CHECKSUM UINT64_C(0x28746adf5beb16ca)

struct pm_workload_cell {
    uint64_t checksum; /* of one pass over the set, found before anything is timed */
    bool is_right;
    int passes;      /* over the set in one repeat */
    double *seconds; /* one for each repeat; NULL unless it is right */
};

struct pm_workload {
    const struct pm_measure_config *config; /* kernels, threads, repeats */
    struct pm_position *positions;
    struct pm_workload_cell *cells; /* [thread count][kernel] */
};

/* Measures config's kernels with each of its numbers of threads, taking turns; modes and positions
 * play no part. `maker` generates the positions; its init() was called. *workload is to be freed in
 * any case. PM_ERROR_MISMATCH if the maker's positions are not as many as they should be, or a
 * kernel gives other answers while it is timed than before. */
enum pm_status pm_workload_measure(const struct pm_measure_config *config,
                                   const struct pm_kernel *maker, struct pm_workload *workload,
                                   struct pm_error *error);
void pm_workload_free(struct pm_workload *workload);

/* About how many seconds it will take at most. */
double pm_workload_estimate(const struct pm_measure_config *config);

bool pm_workload_has_wrong_answers(const struct pm_workload *workload);

/* A Markdown table for each number of threads, by falling median; reference kernels last and
 * unranked. PM_ERROR_MEMORY, and nothing written, when memory is out. */
enum pm_status pm_workload_print(FILE *out, const struct pm_workload *workload,
                                 const struct pm_environment *environment, const char *pin);

/* Writes JSON so that `path` holds either its old content or all of the new. */
enum pm_status pm_workload_write(const struct pm_workload *workload,
                                 const struct pm_environment *environment, const char *pin,
                                 const char *path, struct pm_error *error);

#endif
