/* SPDX-License-Identifier: MIT */
/* Runs and finished items. */
#include "jobs/store.h"

#include "core/clock.h"
#include "jobs/store_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Runs ---- */

static enum pm_status insert_run(struct pm_store *store, const struct pm_store_run *run,
                                 struct pm_error *error)
{
    char now[32];
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(
        store,
        "INSERT INTO run (started, version, kernel, revision, mode, threads, seed, exact, "
        "source, environment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &statement, error);
    if (status != PM_OK)
        return status;
    pm_sql_bind_text(statement, 1, pm_sql_now(now));
    pm_sql_bind_text(statement, 2, run->version);
    pm_sql_bind_text(statement, 3, run->kernel);
    pm_sql_bind_text(statement, 4, run->revision);
    pm_sql_bind_text(statement, 5, run->mode);
    sqlite3_bind_int(statement, 6, run->threads);
    pm_sql_bind_seed(statement, 7, run->seed);
    sqlite3_bind_int(statement, 8, run->exact);
    pm_sql_bind_text(statement, 9, run->source);
    pm_sql_bind_text(statement, 10, run->environment);
    return pm_sql_finish(store, statement, error);
}

enum pm_status pm_store_begin_run(struct pm_store *store, const struct pm_store_run *run,
                                  struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    enum pm_status status = pm_store_begin(store, error);
    if (status == PM_OK)
        status = insert_run(store, run, error);
    if (status == PM_OK) {
        store->run = sqlite3_last_insert_rowid(store->database);
        store->run_start_ns = pm_clock_ns();
        if (!store->in_batch)
            status = pm_store_commit_locked(store, error);
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static void distinct_to_text(const struct pm_store_ending *ending, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int ply = 0; ply < ending->distinct_count && length < size; ply++)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64, ply > 0 ? " " : "",
                                   ending->distinct[ply]);
}

static enum pm_status update_run(struct pm_store *store, const struct pm_store_ending *ending,
                                 struct pm_error *error)
{
    char distinct[PM_UNIQUE_MAX_DEPTH * 21];
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(store,
                                           "UPDATE run SET ended = 1, error_probability = ?, "
                                           "distinct_positions = ? WHERE id = ?",
                                           &statement, error);
    if (status != PM_OK)
        return status;
    pm_sql_bind_known(statement, 1, ending->error_probability);
    distinct_to_text(ending, distinct, sizeof distinct);
    pm_sql_bind_text(statement, 2, distinct);
    sqlite3_bind_int64(statement, 3, store->run);
    return pm_sql_finish(store, statement, error);
}

enum pm_status pm_store_end_run(struct pm_store *store, const struct pm_store_ending *ending,
                                struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    enum pm_status status = pm_store_begin(store, error);
    if (status == PM_OK)
        status = update_run(store, ending, error);
    if (status == PM_OK)
        status = pm_store_commit_locked(store, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

/* ---- Items ---- */

static enum pm_status commit_if_due(struct pm_store *store, struct pm_error *error)
{
    if (store->in_batch || pm_clock_seconds_since(store->commit_ns) < PM_STORE_BATCH_SECONDS)
        return PM_OK;
    return pm_store_commit_locked(store, error);
}

uint32_t pm_store_known_count(struct pm_store *store)
{
    pthread_mutex_lock(&store->mutex);
    const uint32_t count = store->known_count;
    pthread_mutex_unlock(&store->mutex);
    return count;
}

bool pm_store_is_known(struct pm_store *store, uint32_t item)
{
    pthread_mutex_lock(&store->mutex);
    const bool is_known = item < store->plan.items && store->known[item];
    pthread_mutex_unlock(&store->mutex);
    return is_known;
}

static enum pm_status insert_result(struct pm_store *store, const struct pm_store_count *count,
                                    struct pm_error *error)
{
    char text[PM_COUNT_TEXT_SIZE], now[32];
    enum pm_status status = PM_OK;
    if (store->insert_result == NULL)
        status = pm_sql_prepare(store, "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?)",
                                &store->insert_result, error);
    if (status != PM_OK)
        return status;
    sqlite3_bind_int64(store->insert_result, 1, count->item);
    pm_sql_bind_text(store->insert_result, 2, pm_count_to_text(count->nodes, text));
    sqlite3_bind_int64(store->insert_result, 3, store->run);
    pm_sql_bind_known(store->insert_result, 4, count->seconds);
    pm_sql_bind_known(store->insert_result, 5, count->error_probability);
    pm_sql_bind_text(store->insert_result, 6, pm_sql_now(now));
    sqlite3_bind_int64(store->insert_result, 7, pm_store_checksum(store, count->item, text, 0));
    return pm_sql_run(store, store->insert_result, error);
}

static enum pm_status refuse_second_count(struct pm_store *store, uint32_t item, pm_count nodes,
                                          struct pm_error *error)
{
    pm_count known = 0;
    char text[PM_COUNT_TEXT_SIZE], known_text[PM_COUNT_TEXT_SIZE];
    const enum pm_status status = pm_store_select_result(store, item, &known, error);
    if (status != PM_OK)
        return status;
    if (known == nodes)
        return pm_fail(error, PM_ERROR_ARGUMENT, "item %u is counted already", item);
    return pm_fail(error, PM_ERROR_MISMATCH, "item %u is %s, but '%s' has %s", item,
                   pm_count_to_text(nodes, text), store->path, pm_count_to_text(known, known_text));
}

static enum pm_status record(struct pm_store *store, const struct pm_store_count *count,
                             struct pm_error *error)
{
    struct pm_error why;
    enum pm_status status = pm_store_check_item(store, count->item, error);
    if (status == PM_OK && store->known[count->item])
        status = refuse_second_count(store, count->item, count->nodes, error);
    if (status == PM_OK)
        status = pm_store_begin(store, error);
    if (status != PM_OK)
        return status;
    if (insert_result(store, count, &why) != PM_OK)
        return pm_store_give_up(store, &why, error);
    store->known[count->item] = true;
    store->known_count++;
    return commit_if_due(store, error);
}

enum pm_status pm_store_record(struct pm_store *store, const struct pm_store_count *count,
                               struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = record(store, count, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

enum pm_status pm_store_commit_due(struct pm_store *store, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = commit_if_due(store, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

enum pm_status pm_store_commit(struct pm_store *store, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = pm_store_commit_locked(store, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

enum pm_status pm_store_begin_batch(struct pm_store *store, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = pm_store_commit_locked(store, error);
    store->in_batch = true;
    pthread_mutex_unlock(&store->mutex);
    return status;
}

enum pm_status pm_store_drop_batch(struct pm_store *store, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    pm_store_roll_back(store);
    store->in_batch = false;
    store->run = 0;
    const enum pm_status status = pm_store_read_known(store, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

enum pm_status pm_store_count_of(struct pm_store *store, uint32_t item, pm_count *nodes,
                                 struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    enum pm_status status = pm_store_check_item(store, item, error);
    if (status == PM_OK)
        status = pm_store_select_result(store, item, nodes, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static enum pm_status forget(struct pm_store *store, uint32_t item, struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    pm_count nodes;
    enum pm_status status = pm_store_check_item(store, item, error);
    if (status == PM_OK)
        status = pm_store_select_result(store, item, &nodes, error);
    if (status == PM_OK)
        status = pm_store_begin(store, error);
    if (status == PM_OK)
        status = pm_sql_prepare(store, "DELETE FROM result WHERE item = ?", &statement, error);
    if (status == PM_OK) {
        sqlite3_bind_int64(statement, 1, item);
        status = pm_sql_run(store, statement, error);
    }
    sqlite3_finalize(statement);
    if (status != PM_OK)
        return status;
    store->known[item] = false;
    store->known_count--;
    return pm_store_commit_locked(store, error);
}

enum pm_status pm_store_forget(struct pm_store *store, uint32_t item, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = forget(store, item, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static enum pm_status read_item(struct pm_store *store, sqlite3_stmt *statement,
                                struct pm_store_item *item, struct pm_error *error)
{
    const enum pm_status status =
        pm_store_read_result(store, statement, &item->item, &item->nodes, error);
    item->position = pm_sql_text(statement, 3);
    item->multiplicity = 1;
    if (status != PM_OK || store->plan.split != PM_SPLIT_POSITIONS)
        return status;
    item->multiplicity = (uint64_t)sqlite3_column_int64(statement, 4);
    if (sqlite3_column_int64(statement, 5) !=
        pm_store_checksum(store, item->item, item->position, item->multiplicity))
        return pm_store_damaged(store, item->item, "position", item->position, error);
    return PM_OK;
}

static enum pm_status each(struct pm_store *store, pm_store_take take, void *context,
                           struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status =
        pm_sql_prepare(store,
                       "SELECT result.item, result.nodes, result.checksum, position.position, "
                       "position.multiplicity, position.checksum "
                       "FROM result LEFT JOIN position ON position.item = result.item "
                       "ORDER BY result.item",
                       &statement, error);
    while (pm_sql_next(store, statement, &status, error)) {
        struct pm_store_item item;
        status = read_item(store, statement, &item, error);
        if (status == PM_OK)
            status = take(context, &item, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum pm_status pm_store_each(struct pm_store *store, pm_store_take take, void *context,
                             struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = each(store, take, context, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static enum pm_status add_to_total(void *context, const struct pm_store_item *item,
                                   struct pm_error *error)
{
    pm_count *total = context, product;
    if (__builtin_mul_overflow(item->nodes, (pm_count)item->multiplicity, &product) ||
        pm_count_add(total, product) != PM_OK)
        return pm_fail(error, PM_ERROR_OVERFLOW, "the total does not fit 128 bits");
    return PM_OK;
}

enum pm_status pm_store_total(struct pm_store *store, pm_count *total, struct pm_error *error)
{
    *total = 0;
    return pm_store_each(store, add_to_total, total, error);
}
