/* SPDX-License-Identifier: MIT */
/* Counting below a position that is an item, in the mode of pm_choose_item_mode(). */
#ifndef PM_JOBS_ITEM_COUNT_H
#define PM_JOBS_ITEM_COUNT_H

#include "core/board.h"
#include "core/count.h"
#include "core/kernel.h"
#include "core/status.h"
#include "perft/driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pm_item_job {
    struct pm_driver *driver;
    const struct pm_kernel *kernel; /* runs here, init() was called */
    const struct pm_position *position;
    int depth;
    uint64_t seed, memory; /* for PM_MODE_UNIQUE: perft/unique.h */
    bool exact;
    const atomic_bool *stop; /* may be NULL */
    /* May be NULL. Called now and then from the caller's thread; memory is 0 if it is not known. */
    void (*progress)(void *context, double fraction, uint64_t memory);
    void *context;
};

struct pm_item_result {
    pm_count nodes;
    double seconds;
    double error_probability; /* that colliding keys made it wrong, at most */
};

/* PM_ERROR_INTERRUPTED when stopped: then there is no count. */
enum pm_status pm_item_count(const struct pm_item_job *job, struct pm_item_result *result,
                             struct pm_error *error);

#endif
