/* SPDX-License-Identifier: MIT */
#include "perft/unique_job.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

#define SEED 1
#define SECOND_SEED 2
#define MEMORY_MAX ((uint64_t)1 << 40)

struct counting {
    struct pm_driver *driver;
    const struct pm_job *job;
    const struct pm_unique_options *unique;
    uint64_t memory;
    uint64_t start_ns;
    double done, share; /* of the whole: before this part; of this part */
};

static void pass_progress_on(void *context, const struct pm_unique_progress *progress)
{
    const struct counting *counting = context;
    const struct pm_progress whole = {
        .seconds = pm_clock_seconds_since(counting->start_ns),
        .fraction = counting->done + counting->share * progress->fraction,
        .items = progress->items,
        .items_done = progress->items_done,
    };
    counting->job->progress(counting->job->context, &whole);
}

static enum pm_status count_with_seed(struct counting *counting, const struct pm_position *position,
                                      int depth, uint64_t seed, struct pm_unique_result *result,
                                      struct pm_error *error)
{
    const struct pm_unique_job job = {
        .driver = counting->driver,
        .kernel = counting->job->kernel,
        .position = position,
        .depth = depth,
        .plan = pm_unique_default_plan(depth),
        .seed = seed,
        .exact = counting->unique->exact,
        .memory = counting->memory,
        .stop = counting->job->stop,
        .progress = counting->job->progress != NULL ? pass_progress_on : NULL,
        .context = counting,
    };
    return pm_unique_run(&job, result, error);
}

static enum pm_status count_position(struct counting *counting, const struct pm_position *position,
                                     int depth, struct pm_unique_result *result,
                                     struct pm_error *error)
{
    struct pm_unique_result again;
    char first[PM_COUNT_TEXT_SIZE], second[PM_COUNT_TEXT_SIZE];
    enum pm_status status = count_with_seed(counting, position, depth, SEED, result, error);
    if (status != PM_OK || !counting->unique->double_check)
        return status;
    status = count_with_seed(counting, position, depth, SECOND_SEED, &again, error);
    if (status != PM_OK)
        return status;
    result->error_probability *= again.error_probability;
    if (again.nodes != result->nodes)
        return pm_fail(error, PM_ERROR_MISMATCH,
                       "counted twice with other hash keys: %s and %s: neither can be trusted",
                       pm_count_to_text(result->nodes, first),
                       pm_count_to_text(again.nodes, second));
    return PM_OK;
}

/* A subtree too flat for lists. */
static enum pm_status count_by_tree(struct counting *counting, const struct pm_position *position,
                                    int depth, pm_count *nodes, struct pm_error *error)
{
    struct pm_job_result *result = malloc(sizeof *result);
    const struct pm_job job = {.kernel = counting->job->kernel,
                               .position = position,
                               .depth = depth,
                               .mode = PM_MODE_BULK};
    if (result == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const enum pm_status status = pm_driver_run(counting->driver, &job, result, error);
    *nodes = result->nodes;
    free(result);
    return status;
}

static enum pm_status count_root(struct counting *counting, const struct pm_position *position,
                                 struct pm_root_count *root, struct pm_unique_result *sum,
                                 struct pm_error *error)
{
    const int depth = counting->job->depth - 1;
    struct pm_unique_result result = {0};
    const enum pm_status status =
        depth < PM_UNIQUE_MIN_DEPTH ? count_by_tree(counting, position, depth, &result.nodes, error)
                                    : count_position(counting, position, depth, &result, error);
    if (status != PM_OK)
        return status;
    *root = (struct pm_root_count){.move = root->move, .nodes = result.nodes, .complete = true};
    sum->idle_seconds += result.idle_seconds;
    sum->counted += result.counted;
    sum->error_probability += result.error_probability;
    sum->memory = result.memory > sum->memory ? result.memory : sum->memory;
    return pm_count_add(&sum->nodes, result.nodes) == PM_OK
               ? PM_OK
               : pm_fail(error, PM_ERROR_OVERFLOW, "the count needs more than 128 bits");
}

static enum pm_status count_roots(struct counting *counting, struct pm_job_result *counts,
                                  struct pm_unique_result *sum, struct pm_error *error)
{
    const struct pm_kernel *kernel = counting->job->kernel;
    struct pm_move moves[PM_MAX_MOVES];
    void *root = pm_new_state(kernel), *child = pm_new_state(kernel);
    enum pm_status status = root != NULL && child != NULL ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK)
        status = kernel->set_position(root, counting->job->position);
    if (status == PM_OK)
        status = kernel->legal_moves(root, moves, &counts->root_count);
    if (status != PM_OK)
        pm_fail(error, status, "kernel %s: the root moves can't be had: %s", kernel->name,
                pm_status_text(status));
    for (unsigned i = 0; status == PM_OK && i < counts->root_count; i++)
        counts->roots[i] = (struct pm_root_count){.move = moves[i]};
    for (unsigned i = 0; status == PM_OK && i < counts->root_count; i++) {
        struct pm_position position;
        memcpy(child, root, kernel->state_size);
        counting->share = 1.0 / counts->root_count;
        counting->done = i * counting->share;
        status = kernel->play(child, &moves[i]);
        if (status == PM_OK)
            status = kernel->get_position(child, &position);
        status =
            status == PM_OK
                ? count_root(counting, &position, &counts->roots[i], sum, error)
                : pm_fail(error, status, "kernel %s does not play a move of its own", kernel->name);
    }
    free(root);
    free(child);
    return status;
}

enum pm_status pm_unique_job_run(struct pm_driver *driver, const struct pm_job *job,
                                 const struct pm_unique_options *unique,
                                 struct pm_job_result *counts, struct pm_unique_result *result,
                                 struct pm_error *error)
{
    const uint64_t available = pm_memory_available();
    struct counting counting = {
        .driver = driver,
        .job = job,
        .unique = unique,
        .memory = unique->memory,
        .start_ns = pm_clock_ns(),
        .share = 1,
    };
    if (counting.memory == 0)
        counting.memory = available / 2 < MEMORY_MAX ? available / 2 : MEMORY_MAX;
    *result = (struct pm_unique_result){0};
    *counts = (struct pm_job_result){0};
    if (job->depth < PM_UNIQUE_MIN_DEPTH) {
        struct pm_job tree = *job;
        tree.mode = PM_MODE_BULK;
        return pm_driver_run(driver, &tree, counts, error);
    }
    const enum pm_status status =
        unique->divide ? count_roots(&counting, counts, result, error)
                       : count_position(&counting, job->position, job->depth, result, error);
    result->seconds = pm_clock_seconds_since(counting.start_ns);
    counts->nodes = result->nodes;
    counts->seconds = result->seconds;
    counts->complete = status == PM_OK;
    return status;
}
