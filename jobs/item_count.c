/* SPDX-License-Identifier: MIT */
#include "jobs/item_count.h"

#include "perft/choose.h"
#include "perft/unique.h"

#include <stdlib.h>

static void pass_unique_on(void *context, const struct pm_unique_progress *progress)
{
    const struct pm_item_job *job = context;
    job->progress(job->context, progress->fraction, progress->memory);
}

static enum pm_status count_unique(const struct pm_item_job *job, struct pm_item_result *result,
                                   struct pm_error *error)
{
    struct pm_item_job copy = *job; /* for the callback's context, which is not const */
    struct pm_unique_result counted;
    const struct pm_unique_job unique = {
        .driver = job->driver,
        .kernel = job->kernel,
        .position = job->position,
        .depth = job->depth,
        .plan = {.items = 1},
        .seed = job->seed,
        .exact = job->exact,
        .memory = job->memory,
        .stop = job->stop,
        .progress = job->progress != NULL ? pass_unique_on : NULL,
        .context = &copy,
    };
    const enum pm_status status = pm_unique_run(&unique, &counted, error);
    *result = (struct pm_item_result){.nodes = counted.nodes,
                                      .seconds = counted.seconds,
                                      .error_probability = counted.error_probability};
    return status;
}

static void pass_driver_on(void *context, const struct pm_progress *progress)
{
    const struct pm_item_job *job = context;
    job->progress(job->context, progress->fraction, 0);
}

static enum pm_status count_by_driver(const struct pm_item_job *job, struct pm_item_result *result,
                                      struct pm_error *error)
{
    struct pm_item_job copy = *job;
    struct pm_job_result *counted = malloc(sizeof *counted); /* large */
    const struct pm_job driver_job = {
        .kernel = job->kernel,
        .position = job->position,
        .depth = job->depth,
        .mode = pm_choose_item_mode(job->kernel, job->depth),
        .stop = job->stop,
        .progress = job->progress != NULL ? pass_driver_on : NULL,
        .context = &copy,
    };
    if (counted == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const enum pm_status status = pm_driver_run(job->driver, &driver_job, counted, error);
    if (status == PM_OK)
        *result = (struct pm_item_result){.nodes = counted->nodes, .seconds = counted->seconds};
    free(counted);
    return status;
}

enum pm_status pm_item_count(const struct pm_item_job *job, struct pm_item_result *result,
                             struct pm_error *error)
{
    return pm_choose_item_mode(job->kernel, job->depth) == PM_MODE_UNIQUE
               ? count_unique(job, result, error)
               : count_by_driver(job, result, error);
}
