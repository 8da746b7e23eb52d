/* SPDX-License-Identifier: MIT */
/* Perft with a transposition table: depth first, shared by all threads, each position's children
 * looked up before any of them is visited. */
#ifndef PM_PERFT_HASHED_H
#define PM_PERFT_HASHED_H

#include "core/kernel.h"
#include "core/status.h"
#include "perft/driver.h"
#include "perft/table.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_hashed_job {
    struct pm_driver *driver; /* its threads */
    /* Kernel, position, depth, stop, progress and counters; the rest is not looked at. */
    const struct pm_job *job;
    uint64_t hash_bytes; /* 0: pm_hashed_auto_bytes() */
    unsigned check_bits; /* PM_TABLE_CHECK_BITS, or fewer to provoke errors */
    /* Count again with independent keys, and compare: with an expander another seed, else keys made
     * from get_position() in place of the kernel's own. */
    bool double_check;
};

struct pm_hashed_result {
    uint64_t hash_bytes;
    double touch_seconds; /* that the system took for the table's memory; not in the job's time */
    double load;          /* the part of the table in use at the end */
    struct pm_table_use use;  /* of all threads, in the first count */
    double error_probability; /* of a wrong total, at most; with double_check, of two alike */
};

/* About half of the positions expected two plies above the leaves, by a sampled estimate, and a
 * quarter of the free memory at most. */
enum pm_status pm_hashed_auto_bytes(const struct pm_job *job, uint64_t *bytes,
                                    struct pm_error *error);

/* `counts` as from pm_driver_run(), of the first count. PM_ERROR_UNSUPPORTED unless
 * pm_kernel_offers(); PM_ERROR_MISMATCH if the second count is another; PM_ERROR_MEMORY if the
 * table can't be had. */
enum pm_status pm_hashed_run(const struct pm_hashed_job *hashed, struct pm_job_result *counts,
                             struct pm_hashed_result *result, struct pm_error *error);

#endif
