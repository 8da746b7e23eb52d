/* SPDX-License-Identifier: MIT */
/* Counting by distinct positions what a job of the driver says, in the form of other modes. */
#ifndef PM_PERFT_UNIQUE_JOB_H
#define PM_PERFT_UNIQUE_JOB_H

#include "core/status.h"
#include "perft/driver.h"
#include "perft/unique.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_unique_options {
    uint64_t memory;   /* bytes, the most to take; 0: a half of what the machine has to give */
    bool exact;        /* compare whole positions */
    bool double_check; /* count again with another seed, and compare */
    bool divide;       /* root moves apart: positions are merged below each alone */
};

/* Counts what the job says: kernel, position, depth, stop, progress. *counts gets what
 * pm_driver_run() would give; *result is of the whole, or with `divide` of all root moves together,
 * without distinct positions. PM_ERROR_MISMATCH if the second count is another. Depths below
 * PM_UNIQUE_MIN_DEPTH are counted by the tree. */
enum pm_status pm_unique_job_run(struct pm_driver *driver, const struct pm_job *job,
                                 const struct pm_unique_options *unique,
                                 struct pm_job_result *counts, struct pm_unique_result *result,
                                 struct pm_error *error);

#endif
