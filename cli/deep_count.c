/* SPDX-License-Identifier: MIT */
/* Counting and auditing items, by positions or by lists of distinct ones. */
#include "cli/deep.h"
#include "core/mode.h"
#include "core/random.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Kernels ---- */

static bool serves(const struct pm_kernel *kernel, enum pm_split split)
{
    return split != PM_SPLIT_UNIQUE || pm_kernel_offers(kernel, PM_MODE_UNIQUE);
}

bool deep_offers_unique(const struct deep_options *options)
{
    return serves(options->kernels.count > 0 ? options->kernels.kernels[0]
                                             : pm_kernel_default(PM_MODE_UNIQUE),
                  PM_SPLIT_UNIQUE);
}

/* Another lineage, if there is one; alone a kernel audits itself, with other keys. */
static const struct pm_kernel *auditor_of(const struct pm_kernel *counts, enum pm_split split)
{
    const struct pm_kernel *found = pm_kernel_witness(counts, PM_MODE_UNIQUE);
    if (split != PM_SPLIT_UNIQUE && (found == NULL || pm_kernel_is_related(found, counts)))
        found = pm_kernel_witness(counts, PM_MODE_BULK);
    return found != NULL ? found : counts;
}

int deep_choose_kernels(struct deep_options *options, enum pm_split split)
{
    struct cli_kernels *kernels = &options->kernels;
    if (kernels->count == 0 && split == PM_SPLIT_UNIQUE && !deep_offers_unique(options)) {
        fputs("plymark deep: no kernel here can split by unique: --split positions\n", stderr);
        return CLI_EXIT_NOTHING;
    }
    if (kernels->count == 0)
        kernels->kernels[kernels->count++] =
            pm_kernel_default(deep_offers_unique(options) ? PM_MODE_UNIQUE : PM_MODE_BULK);
    if (kernels->count == 1)
        kernels->kernels[kernels->count++] = auditor_of(kernels->kernels[0], split);
    kernels->count = 2;
    for (int i = 0; i < 2; i++)
        if (!serves(kernels->kernels[i], split)) {
            fprintf(stderr, "plymark deep: --kernel: %s can't split by unique: --split positions\n",
                    kernels->kernels[i]->name);
            return CLI_EXIT_USAGE;
        }
    return cli_kernels_ready(kernels);
}

/* ---- Which items ---- */

/* Of so many equal parts of the items, each has one that is audited: the same at each start. */
static bool is_chosen(const struct deep_work *work, uint32_t item)
{
    const uint64_t items = pm_store_plan(work->store)->items;
    uint64_t parts = (uint64_t)((double)items * work->options->audit / 100);
    if (work->options->audit <= 0)
        return false;
    parts = parts > 0 ? parts : 1;
    const uint64_t part = ((item + 1) * parts - 1) / items;
    const uint64_t begin = part * items / parts, end = (part + 1) * items / parts;
    struct pm_random random = {.state = work->options->seed ^ (part + 1) << 32};
    return item == begin + pm_random_below(&random, end - begin);
}

static enum pm_status is_due(const struct deep_work *work, uint32_t item, bool *due,
                             struct pm_error *error)
{
    bool is_audited = false;
    enum pm_status status = PM_OK;
    *due =
        (is_chosen(work, item) || item == work->disputed) && pm_store_is_known(work->store, item);
    if (*due)
        status = pm_store_is_audited(work->store, item, &is_audited, error);
    *due = *due && !is_audited;
    return status;
}

static void note_done(struct deep_work *work, pm_count nodes)
{
    pthread_mutex_lock(&work->mutex);
    work->progress.done++;
    work->progress.nodes += nodes;
    pthread_mutex_unlock(&work->mutex);
}

/* ---- Split by positions ---- */

/* With many items each thread counts its own; with few, or for the rest of the machine, all threads
 * share one after the other. */
#define ITEMS_PER_THREAD 16

struct lanes {
    struct deep_work *work;
    struct pm_driver *driver; /* that counts an item */
    int count;
    enum pm_status status; /* the first failure, described in *error */
    struct pm_error *error;
};

static void show_item(void *context, double fraction, uint64_t memory)
{
    struct deep_work *work = context;
    pm_store_commit_due(work->store, NULL); /* what fails, fails again at the next item */
    pthread_mutex_lock(&work->mutex);
    if (work->progress.to_do > 0)
        work->progress.fraction = (work->progress.done + fraction) / work->progress.to_do;
    work->progress.memory = memory;
    deep_show_progress(&work->progress);
    pthread_mutex_unlock(&work->mutex);
}

static enum pm_status run_item(const struct lanes *lanes, const struct pm_kernel *kernel,
                               uint64_t seed, uint32_t item, int lane,
                               struct pm_item_result *result, struct pm_error *error)
{
    struct deep_work *work = lanes->work;
    const struct pm_plan *plan = pm_store_plan(work->store);
    const struct pm_item_job job = {
        .driver = lanes->driver,
        .kernel = kernel,
        .position = pm_items_position(work->items, item),
        .depth = plan->depth - plan->ply,
        .seed = seed,
        .memory = work->options->memory / (unsigned)lanes->count,
        .exact = work->options->exact,
        .stop = work->stop,
        .progress = lane == 0 ? show_item : NULL,
        .context = work,
    };
    return pm_item_count(&job, result, error);
}

static enum pm_status count_position(const struct lanes *lanes, uint32_t item, int lane,
                                     struct pm_error *error)
{
    struct deep_work *work = lanes->work;
    struct pm_item_result result;
    const enum pm_status status =
        run_item(lanes, work->kernel, work->options->seed, item, lane, &result, error);
    if (status != PM_OK)
        return status;
    note_done(work, result.nodes);
    const struct pm_store_count count = {.item = item,
                                         .nodes = result.nodes,
                                         .seconds = result.seconds,
                                         .error_probability = result.error_probability};
    return pm_store_record(work->store, &count, error);
}

static enum pm_status audit_position(const struct lanes *lanes, uint32_t item, int lane,
                                     struct pm_error *error)
{
    struct deep_work *work = lanes->work;
    const struct pm_plan *plan = pm_store_plan(work->store);
    const uint64_t seed = work->options->seed + 1;
    struct pm_item_result result;
    const enum pm_status status = run_item(lanes, work->auditor, seed, item, lane, &result, error);
    if (status != PM_OK)
        return status;
    const struct pm_store_audit audit = {
        .item = item,
        .nodes = result.nodes,
        .kernel = work->auditor->name,
        .mode = pm_mode_text(pm_item_mode(work->auditor, plan->depth - plan->ply)),
        .seed = seed,
    };
    return pm_store_add_audit(work->store, &audit, error);
}

/* An item is audited as soon as it is counted; one that was known before, in its turn. */
static enum pm_status see_to(const struct lanes *lanes, uint32_t item, int lane,
                             struct pm_error *error)
{
    const struct deep_work *work = lanes->work;
    bool due = false;
    enum pm_status status = PM_OK;
    if (atomic_load_explicit(work->stop, memory_order_relaxed))
        return pm_fail(error, PM_ERROR_INTERRUPTED, "stopped");
    if (!pm_store_is_known(work->store, item))
        status = count_position(lanes, item, lane, error);
    if (status == PM_OK)
        status = is_due(work, item, &due, error);
    return status == PM_OK && due ? audit_position(lanes, item, lane, error) : status;
}

static bool run_lane(void *context, size_t index, int lane)
{
    struct lanes *lanes = context;
    struct pm_error error;
    const enum pm_status status =
        see_to(lanes, lanes->work->options->first + (uint32_t)index, lane, &error);
    if (status == PM_OK)
        return true;
    pthread_mutex_lock(&lanes->work->mutex);
    if (lanes->status == PM_OK)
        lanes->status = pm_fail(lanes->error, status, "%s", error.text);
    pthread_mutex_unlock(&lanes->work->mutex);
    return false;
}

static enum pm_status count_positions(struct deep_work *work, uint32_t open, struct pm_error *error)
{
    const struct pm_driver_config one = {.pin = {.policy = PM_PIN_NONE}, .threads = 1};
    const int threads = pm_driver_threads(work->driver);
    struct lanes lanes = {.work = work, .driver = work->driver, .count = 1, .error = error};
    const size_t items = pm_store_plan(work->store)->items > 0
                             ? (size_t)work->options->last - work->options->first + 1
                             : 0;
    if (open < ITEMS_PER_THREAD * (uint32_t)threads) {
        for (size_t i = 0; i < items && run_lane(&lanes, i, 0); i++)
            ;
        return lanes.status;
    }
    lanes.count = threads;
    enum pm_status status = pm_driver_open(&one, &lanes.driver, error);
    if (status != PM_OK)
        return status;
    status = pm_driver_share(work->driver, items, run_lane, &lanes, NULL, error);
    pm_driver_close(lanes.driver);
    return status != PM_OK ? status : lanes.status;
}

/* ---- Split by unique ---- */

static void show_unique(void *context, const struct pm_unique_progress *progress)
{
    struct deep_work *work = context;
    pm_store_commit_due(work->store, NULL); /* what fails, fails again at the next item */
    pthread_mutex_lock(&work->mutex);
    work->progress.fraction = progress->fraction;
    work->progress.memory = progress->memory;
    work->progress.ply = progress->ply;
    deep_show_progress(&work->progress);
    pthread_mutex_unlock(&work->mutex);
}

static enum pm_status run_unique(struct deep_work *work, struct pm_unique_job *job,
                                 struct pm_unique_result *result, struct pm_error *error)
{
    const struct pm_plan *plan = pm_store_plan(work->store);
    job->driver = work->driver;
    job->position = &plan->position;
    job->depth = plan->depth;
    job->plan.items = plan->items;
    job->exact = work->options->exact;
    job->memory = work->options->memory;
    job->stop = work->stop;
    job->progress = show_unique;
    job->context = work;
    return pm_unique_run(job, result, error);
}

static bool is_not_to_count(void *context, unsigned item)
{
    const struct deep_work *work = context;
    return item < work->options->first || item > work->options->last ||
           pm_store_is_known(work->store, item);
}

static enum pm_status record_item(void *context, unsigned item, pm_count nodes,
                                  struct pm_error *error)
{
    struct deep_work *work = context;
    note_done(work, nodes);
    const struct pm_store_count count = {
        .item = item, .nodes = nodes, .seconds = -1, .error_probability = -1};
    return pm_store_record(work->store, &count, error);
}

static enum pm_status count_lists(struct deep_work *work, struct pm_error *error)
{
    struct pm_unique_result result;
    struct pm_unique_job job = {.kernel = work->kernel,
                                .seed = work->options->seed,
                                .is_known = is_not_to_count,
                                .finished = record_item};
    const enum pm_status status = run_unique(work, &job, &result, error);
    if (status != PM_OK && status != PM_ERROR_INTERRUPTED)
        return status;
    work->error_probability = result.error_probability;
    work->distinct_count = result.distinct_count;
    for (int ply = 0; ply < result.distinct_count; ply++)
        work->distinct[ply] = result.distinct[ply];
    return status;
}

static bool is_not_to_audit(void *context, unsigned item)
{
    const struct deep_work *work = context;
    return !work->due[item];
}

static enum pm_status audit_item(void *context, unsigned item, pm_count nodes,
                                 struct pm_error *error)
{
    struct deep_work *work = context;
    const struct pm_store_audit audit = {.item = item,
                                         .nodes = nodes,
                                         .kernel = work->auditor->name,
                                         .mode = pm_mode_text(PM_MODE_UNIQUE),
                                         .seed = work->options->seed + 1};
    note_done(work, 0);
    return pm_store_add_audit(work->store, &audit, error);
}

static enum pm_status find_due(struct deep_work *work, uint32_t *count, struct pm_error *error)
{
    const uint32_t items = pm_store_plan(work->store)->items;
    enum pm_status status = PM_OK;
    *count = 0;
    work->due = calloc(items, sizeof *work->due);
    if (work->due == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (uint32_t item = 0; item < items && status == PM_OK; item++) {
        status = is_due(work, item, &work->due[item], error);
        *count += work->due[item];
    }
    return status;
}

/* The lists are made once more for it, by another kernel with other keys. */
static enum pm_status audit_lists(struct deep_work *work, struct pm_error *error)
{
    struct pm_unique_result result;
    struct pm_unique_job job = {.kernel = work->auditor,
                                .seed = work->options->seed + 1,
                                .is_known = is_not_to_audit,
                                .finished = audit_item};
    uint32_t count = 0;
    enum pm_status status = find_due(work, &count, error);
    if (status == PM_OK && count > 0) {
        deep_begin_progress(&work->progress, "auditing", count);
        status = work->team != NULL ? work->team(work, true, error)
                                    : run_unique(work, &job, &result, error);
    }
    free(work->due);
    work->due = NULL;
    return status;
}

/* ---- Both ---- */

static uint32_t count_open(const struct deep_work *work)
{
    uint32_t open = 0;
    for (uint64_t i = work->options->first; i <= work->options->last; i++)
        open += !pm_store_is_known(work->store, (uint32_t)i);
    return open;
}

/* A dispute ends it, unless audits are to look at it again. */
static enum pm_status check_disputes(struct deep_work *work, struct pm_error *error)
{
    const enum pm_status status = deep_check_audits(work->store, &work->disputed, error);
    return status == PM_ERROR_MISMATCH && work->options->audit > 0 ? PM_OK : status;
}

enum pm_status deep_count(struct deep_work *work, struct pm_error *error)
{
    const bool is_unique = pm_store_plan(work->store)->split == PM_SPLIT_UNIQUE;
    const uint32_t open = count_open(work);
    work->disputed = UINT32_MAX;
    pthread_mutex_init(&work->mutex, NULL);
    enum pm_status status = check_disputes(work, error);
    if (status == PM_OK && (!is_unique || open > 0)) {
        deep_begin_progress(&work->progress, "counting", open);
        if (work->team != NULL)
            status = open > 0 ? work->team(work, false, error) : PM_OK;
        else
            status = is_unique ? count_lists(work, error) : count_positions(work, open, error);
    }
    if (status == PM_OK && (is_unique || work->team != NULL))
        status = audit_lists(work, error);
    deep_end_progress(&work->progress);
    pthread_mutex_destroy(&work->mutex);
    return status;
}
