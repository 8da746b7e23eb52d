/* SPDX-License-Identifier: MIT */
#include "core/parallel.h"
#include "verify/internal.h"

#include <stdlib.h>

bool pm_verify_stopped(const struct pm_verify_config *config)
{
    return config->stop != NULL && atomic_load(config->stop);
}

struct each {
    const struct pm_verify_config *config;
    const struct pm_verify_case *current;
    pm_verify_task task;
    void *context;
    size_t count, done;
    atomic_int failure;
};

static bool run_one(void *context, size_t index, int thread)
{
    struct each *each = context;
    const struct pm_verify_config *config = each->config;
    (void)thread;
    const enum pm_status status = each->task(each->context, index);
    if (status != PM_OK && status != PM_ERROR_MISMATCH)
        atomic_store(&each->failure, (int)status);
    if (config->progress != NULL)
#pragma omp critical(pm_verify_progress)
        config->progress(config->context, each->current, ++each->done, each->count);
    const bool goes_on = status == PM_OK || (status == PM_ERROR_MISMATCH && !config->fail_fast);
    return goes_on && !pm_verify_stopped(config);
}

enum pm_status pm_verify_each(const struct pm_verify_config *config,
                              const struct pm_verify_case *current, size_t count,
                              pm_verify_task task, void *context)
{
    struct each each = {
        .config = config, .current = current, .task = task, .context = context, .count = count};
    if (!pm_verify_stopped(config))
        pm_parallel_for(count, config->threads, run_one, &each);
    if (atomic_load(&each.failure) != PM_OK)
        return (enum pm_status)atomic_load(&each.failure);
    return pm_verify_stopped(config) ? PM_ERROR_INTERRUPTED : PM_OK;
}

bool pm_verify_supports(const struct pm_kernel *kernel, const struct pm_suite_entry *entry)
{
    return !entry->chess960 || (kernel->capabilities & PM_CAN_CHESS960) != 0;
}
