/* SPDX-License-Identifier: MIT */
#include "jobs/counting.h"

#include "core/clock.h"
#include "core/mode.h"
#include "core/random.h"
#include "jobs/item_count.h"
#include "perft/choose.h"

#include <stdlib.h>

/* ---- Which items ---- */

static const struct pm_plan *plan_of(const struct pm_counting *counting)
{
    return pm_store_plan(counting->config.store);
}

enum pm_mode pm_counting_mode(const struct pm_plan *plan, const struct pm_kernel *kernel)
{
    return plan->split == PM_SPLIT_UNIQUE ? PM_MODE_UNIQUE
                                          : pm_choose_item_mode(kernel, plan->depth - plan->ply);
}

bool pm_counting_is_to_do(const struct pm_counting *counting, uint32_t item)
{
    const struct pm_counting_config *config = &counting->config;
    if (counting->due != NULL)
        return counting->due[item];
    return item >= config->first && item <= config->last && !pm_store_is_known(config->store, item);
}

/* Of so many equal parts of the items, each has one that is audited: the same at each start. */
static bool is_chosen(const struct pm_counting *counting, uint32_t item)
{
    const uint64_t items = plan_of(counting)->items;
    const double percent = counting->config.audit;
    uint64_t parts = (uint64_t)((double)items * percent / 100);
    if (percent <= 0)
        return false;
    parts = parts > 0 ? parts : 1;
    const uint64_t part = ((item + 1) * parts - 1) / items;
    const uint64_t begin = part * items / parts, end = (part + 1) * items / parts;
    struct pm_random random = {.state = counting->config.seed ^ (part + 1) << 32};
    return item == begin + pm_random_below(&random, end - begin);
}

static enum pm_status is_due(const struct pm_counting *counting, uint32_t item, bool *due,
                             struct pm_error *error)
{
    struct pm_store *store = counting->config.store;
    bool is_audited = false;
    enum pm_status status = PM_OK;
    *due =
        (is_chosen(counting, item) || item == counting->disputed) && pm_store_is_known(store, item);
    if (*due)
        status = pm_store_is_audited(store, item, &is_audited, error);
    *due = *due && !is_audited;
    return status;
}

/* ---- Results and progress ---- */

static const struct pm_kernel *kernel_for(const struct pm_counting *counting, bool is_audit)
{
    return is_audit ? counting->config.auditor : counting->config.kernel;
}

static uint64_t seed_for(const struct pm_counting *counting, bool is_audit)
{
    return counting->config.seed + (is_audit ? 1 : 0);
}

enum pm_status pm_counting_record(struct pm_counting *counting, bool is_audit,
                                  const struct pm_store_count *count, struct pm_error *error)
{
    const struct pm_kernel *kernel = kernel_for(counting, is_audit);
    const struct pm_store_audit audit = {
        .item = count->item,
        .nodes = count->nodes,
        .kernel = kernel->name,
        .mode = pm_mode_text(pm_counting_mode(plan_of(counting), kernel)),
        .seed = seed_for(counting, is_audit),
    };
    return is_audit ? pm_store_add_audit(counting->config.store, &audit, error)
                    : pm_store_record(counting->config.store, count, error);
}

static void begin_phase(struct pm_counting *counting, bool is_audit, uint32_t to_do)
{
    counting->progress = (struct pm_counting_progress){
        .is_audit = is_audit, .start_ns = pm_clock_ns(), .to_do = to_do};
}

static void note_done(struct pm_counting *counting, pm_count nodes)
{
    pthread_mutex_lock(&counting->mutex);
    counting->progress.done++;
    counting->progress.nodes += nodes;
    pthread_mutex_unlock(&counting->mutex);
}

/* ---- Split by positions ---- */

/* With many items each thread counts its own; with few, or for the rest of the machine, all threads
 * share one after the other. */
#define ITEMS_PER_THREAD 16

struct lanes {
    struct pm_counting *counting;
    struct pm_driver *driver; /* that counts an item */
    int count;
    enum pm_status status; /* the first failure, described in *error */
    struct pm_error *error;
};

static void show_item(void *context, double fraction, uint64_t memory)
{
    struct pm_counting *counting = context;
    const struct pm_counting_config *config = &counting->config;
    struct pm_counting_progress *progress = &counting->progress;
    pm_store_commit_due(config->store, NULL); /* what fails, fails again at the next item */
    pthread_mutex_lock(&counting->mutex);
    if (progress->to_do > 0)
        progress->fraction = (progress->done + fraction) / progress->to_do;
    progress->memory = memory;
    if (config->progress != NULL)
        config->progress(config->context, progress);
    pthread_mutex_unlock(&counting->mutex);
}

static enum pm_status count_position(const struct lanes *lanes, bool is_audit, uint32_t item,
                                     int lane, struct pm_error *error)
{
    struct pm_counting *counting = lanes->counting;
    const struct pm_counting_config *config = &counting->config;
    const struct pm_plan *plan = plan_of(counting);
    struct pm_item_result result;
    const struct pm_item_job job = {
        .driver = lanes->driver,
        .kernel = kernel_for(counting, is_audit),
        .position = pm_items_position(config->items, item),
        .depth = plan->depth - plan->ply,
        .seed = seed_for(counting, is_audit),
        .memory = config->memory / (unsigned)lanes->count,
        .exact = config->exact,
        .stop = config->stop,
        .progress = lane == 0 ? show_item : NULL,
        .context = counting,
    };
    const enum pm_status status = pm_item_count(&job, &result, error);
    if (status != PM_OK)
        return status;
    if (!is_audit)
        note_done(counting, result.nodes);
    const struct pm_store_count count = {.item = item,
                                         .nodes = result.nodes,
                                         .seconds = result.seconds,
                                         .error_probability = result.error_probability};
    return pm_counting_record(counting, is_audit, &count, error);
}

/* An item is audited as soon as it is counted; one that was known before, in its turn. */
static enum pm_status see_to(const struct lanes *lanes, uint32_t item, int lane,
                             struct pm_error *error)
{
    const struct pm_counting *counting = lanes->counting;
    bool due = false;
    enum pm_status status = PM_OK;
    if (atomic_load_explicit(counting->config.stop, memory_order_relaxed))
        return pm_fail(error, PM_ERROR_INTERRUPTED, "stopped");
    if (!pm_store_is_known(counting->config.store, item))
        status = count_position(lanes, false, item, lane, error);
    if (status == PM_OK)
        status = is_due(counting, item, &due, error);
    return status == PM_OK && due ? count_position(lanes, true, item, lane, error) : status;
}

static bool run_lane(void *context, size_t index, int lane)
{
    struct lanes *lanes = context;
    struct pm_counting *counting = lanes->counting;
    struct pm_error error;
    const enum pm_status status =
        see_to(lanes, counting->config.first + (uint32_t)index, lane, &error);
    if (status == PM_OK)
        return true;
    pthread_mutex_lock(&counting->mutex);
    if (lanes->status == PM_OK)
        lanes->status = pm_fail(lanes->error, status, "%s", error.text);
    pthread_mutex_unlock(&counting->mutex);
    return false;
}

static enum pm_status count_positions(struct pm_counting *counting, struct pm_error *error)
{
    const struct pm_counting_config *config = &counting->config;
    const struct pm_driver_config one = {.pin = {.policy = PM_PIN_NONE}, .threads = 1};
    const int threads = pm_driver_threads(config->driver);
    struct lanes lanes = {
        .counting = counting, .driver = config->driver, .count = 1, .error = error};
    const size_t items =
        plan_of(counting)->items > 0 ? (size_t)config->last - config->first + 1 : 0;
    if (counting->progress.to_do < ITEMS_PER_THREAD * (uint32_t)threads) {
        for (size_t i = 0; i < items && run_lane(&lanes, i, 0); i++)
            ;
        return lanes.status;
    }
    lanes.count = threads;
    enum pm_status status = pm_driver_open(&one, &lanes.driver, error);
    if (status != PM_OK)
        return status;
    status = pm_driver_parallel_for(config->driver, items, run_lane, &lanes, NULL, error);
    pm_driver_close(lanes.driver);
    return status != PM_OK ? status : lanes.status;
}

/* ---- Split by unique ---- */

static void show_lists(void *context, const struct pm_unique_progress *unique)
{
    struct pm_counting *counting = context;
    const struct pm_counting_config *config = &counting->config;
    pm_store_commit_due(config->store, NULL); /* what fails, fails again at the next item */
    pthread_mutex_lock(&counting->mutex);
    counting->progress.fraction = unique->fraction;
    counting->progress.memory = unique->memory;
    counting->progress.ply = unique->ply;
    if (config->progress != NULL)
        config->progress(config->context, &counting->progress);
    pthread_mutex_unlock(&counting->mutex);
}

static bool is_not_to_do(void *context, unsigned item)
{
    return !pm_counting_is_to_do(context, item);
}

static enum pm_status record_item(void *context, unsigned item, pm_count nodes,
                                  struct pm_error *error)
{
    struct pm_counting *counting = context;
    const bool is_audit = counting->progress.is_audit;
    const struct pm_store_count count = {
        .item = item, .nodes = nodes, .seconds = -1, .error_probability = -1};
    note_done(counting, is_audit ? 0 : nodes);
    return pm_counting_record(counting, is_audit, &count, error);
}

static enum pm_status run_lists(struct pm_counting *counting, struct pm_unique_result *result,
                                struct pm_error *error)
{
    const struct pm_counting_config *config = &counting->config;
    const struct pm_plan *plan = plan_of(counting);
    const bool is_audit = counting->progress.is_audit;
    const struct pm_unique_job job = {
        .driver = config->driver,
        .kernel = kernel_for(counting, is_audit),
        .position = &plan->position,
        .depth = plan->depth,
        .plan = {.items = plan->items},
        .seed = seed_for(counting, is_audit),
        .exact = config->exact,
        .memory = config->memory,
        .stop = config->stop,
        .is_known = is_not_to_do,
        .finished = record_item,
        .progress = show_lists,
        .context = counting,
    };
    return pm_unique_run(&job, result, error);
}

static enum pm_status count_lists(struct pm_counting *counting, struct pm_error *error)
{
    struct pm_unique_result result;
    const enum pm_status status = run_lists(counting, &result, error);
    if (status != PM_OK && status != PM_ERROR_INTERRUPTED)
        return status;
    counting->error_probability = result.error_probability;
    counting->distinct_count = result.distinct_count;
    for (int ply = 0; ply < result.distinct_count; ply++)
        counting->distinct[ply] = result.distinct[ply];
    return status;
}

/* ---- Both ---- */

static enum pm_status count_open(struct pm_counting *counting, struct pm_error *error)
{
    const struct pm_counting_config *config = &counting->config;
    const bool is_unique = plan_of(counting)->split == PM_SPLIT_UNIQUE;
    uint32_t open = 0;
    for (uint64_t item = config->first; item <= config->last; item++)
        open += !pm_store_is_known(config->store, (uint32_t)item);
    begin_phase(counting, false, open);
    if (open == 0 && (is_unique || config->team != NULL))
        return PM_OK;
    if (config->team != NULL)
        return config->team->run(config->team->context, counting, error);
    return is_unique ? count_lists(counting, error) : count_positions(counting, error);
}

static enum pm_status find_due(struct pm_counting *counting, uint32_t *count,
                               struct pm_error *error)
{
    const uint32_t items = plan_of(counting)->items;
    enum pm_status status = PM_OK;
    *count = 0;
    counting->due = calloc((size_t)items + 1, sizeof *counting->due);
    if (counting->due == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (uint32_t item = 0; item < items && status == PM_OK; item++) {
        status = is_due(counting, item, &counting->due[item], error);
        *count += counting->due[item];
    }
    return status;
}

/* By lists, or by a team. Lists are made once more for it, by another kernel with other keys. */
static enum pm_status audit_due(struct pm_counting *counting, struct pm_error *error)
{
    const struct pm_counting_team *team = counting->config.team;
    struct pm_unique_result result;
    uint32_t count = 0;
    enum pm_status status = find_due(counting, &count, error);
    if (status == PM_OK && count > 0) {
        begin_phase(counting, true, count);
        status = team != NULL ? team->run(team->context, counting, error)
                              : run_lists(counting, &result, error);
    }
    free(counting->due);
    counting->due = NULL;
    return status;
}

/* A dispute ends it, unless audits are to look at it again. */
static enum pm_status check_disputes(struct pm_counting *counting, struct pm_error *error)
{
    const enum pm_status status =
        pm_store_check_audits(counting->config.store, &counting->disputed, error);
    return status == PM_ERROR_MISMATCH && counting->config.audit > 0 ? PM_OK : status;
}

enum pm_status pm_counting_run(struct pm_counting *counting, struct pm_error *error)
{
    const bool audits_apart =
        plan_of(counting)->split == PM_SPLIT_UNIQUE || counting->config.team != NULL;
    counting->disputed = UINT32_MAX;
    counting->error_probability = -1;
    pthread_mutex_init(&counting->mutex, NULL);
    enum pm_status status = check_disputes(counting, error);
    if (status == PM_OK)
        status = count_open(counting, error);
    if (status == PM_OK && audits_apart)
        status = audit_due(counting, error);
    pthread_mutex_destroy(&counting->mutex);
    return status;
}
