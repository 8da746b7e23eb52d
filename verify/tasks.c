/* SPDX-License-Identifier: MIT */
#include "verify/internal.h"

#include <stdlib.h>

bool pm_verify_stopped(const struct pm_verify_config *config)
{
    return config->stop != NULL && atomic_load(config->stop);
}

enum pm_status pm_verify_each(const struct pm_verify_config *config,
                              const struct pm_verify_case *current, size_t count,
                              pm_verify_task task, void *context)
{
    atomic_bool ended = false;
    atomic_int failure = PM_OK;
    atomic_size_t next = 0;
    size_t done = 0;

    /* Not a parallel for: its dynamic schedule ties the compiler to its own OpenMP run time, and
     * distributions mix them. */
#pragma omp parallel num_threads(config->threads)
    while (!atomic_load(&ended) && !pm_verify_stopped(config)) {
        const size_t i = atomic_fetch_add(&next, 1);
        if (i >= count)
            break;
        const enum pm_status status = task(context, i);
        if (status != PM_OK && (status != PM_ERROR_MISMATCH || config->fail_fast))
            atomic_store(&ended, true);
        if (status != PM_OK && status != PM_ERROR_MISMATCH)
            atomic_store(&failure, (int)status);
        if (config->progress != NULL)
#pragma omp critical(pm_verify_progress)
            config->progress(config->context, current, ++done, count);
    }
    if (atomic_load(&failure) != PM_OK)
        return (enum pm_status)atomic_load(&failure);
    return pm_verify_stopped(config) ? PM_ERROR_INTERRUPTED : PM_OK;
}

void *pm_verify_new_state(const struct pm_kernel *kernel)
{
    const size_t align = 64;
    return aligned_alloc(align, (kernel->state_size + align - 1) / align * align);
}

bool pm_verify_supports(const struct pm_kernel *kernel, const struct pm_suite_entry *entry)
{
    return !entry->chess960 || (kernel->capabilities & PM_CAN_CHESS960) != 0;
}
