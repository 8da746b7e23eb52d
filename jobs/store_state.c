/* SPDX-License-Identifier: MIT */
#include "jobs/store_state.h"

#include "core/clock.h"
#include "core/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checksums (FNV-1a) ---- */

static uint64_t add_to_checksum(uint64_t sum, const char *text)
{
    do /* the NUL too */
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3U;
    while (*text++ != '\0');
    return sum;
}

int64_t pm_store_checksum(const struct pm_store *store, uint32_t item, const char *text,
                          uint64_t number)
{
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%u %" PRIu64, item, number);
    return (int64_t)add_to_checksum(add_to_checksum(store->plan_checksum, numbers), text);
}

enum pm_status pm_store_set_plan_checksum(struct pm_store *store, struct pm_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory != NULL)
        pm_plan_print(memory, &store->plan);
    if (memory == NULL || fclose(memory) != 0)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", store->path);
    store->plan_checksum = add_to_checksum(0xcbf29ce484222325U, text);
    free(text);
    return PM_OK;
}

enum pm_status pm_store_damaged(const struct pm_store *store, uint32_t item, const char *table,
                                const char *text, struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    return pm_fail(error, PM_ERROR_PARSE,
                   "'%s' is damaged: table %s, item %u: %s does not fit its checksum; nothing was "
                   "changed: go on with a copy",
                   store->path, table, item, pm_quote(text, strlen(text), quoted));
}

/* ---- Results ---- */

enum pm_status pm_store_read_result(struct pm_store *store, sqlite3_stmt *statement, uint32_t *item,
                                    pm_count *nodes, struct pm_error *error)
{
    const int64_t number = sqlite3_column_int64(statement, 0);
    const char *text = pm_sql_text(statement, 1);
    *item = (uint32_t)number;
    if (number < 0 || number >= store->plan.items ||
        sqlite3_column_int64(statement, 2) != pm_store_checksum(store, *item, text, 0) ||
        !pm_count_from_text(text, (unsigned)strlen(text), nodes))
        return pm_store_damaged(store, *item, "result", text, error);
    return PM_OK;
}

enum pm_status pm_store_read_known(struct pm_store *store, struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    memset(store->known, 0, store->plan.items * sizeof *store->known);
    store->known_count = 0;
    enum pm_status status =
        pm_sql_prepare(store, "SELECT item, nodes, checksum FROM result", &statement, error);
    while (pm_sql_next(store, statement, &status, error)) {
        uint32_t item;
        pm_count nodes;
        status = pm_store_read_result(store, statement, &item, &nodes, error);
        if (status == PM_OK && !store->known[item]) {
            store->known[item] = true;
            store->known_count++;
        }
    }
    sqlite3_finalize(statement);
    return status;
}

enum pm_status pm_store_check_item(const struct pm_store *store, uint32_t item,
                                   struct pm_error *error)
{
    if (item < store->plan.items)
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT, "there is no item %u: '%s' has %u, from 0", item,
                   store->path, store->plan.items);
}

enum pm_status pm_store_select_result(struct pm_store *store, uint32_t item, pm_count *nodes,
                                      struct pm_error *error)
{
    uint32_t same;
    enum pm_status status = PM_OK;
    if (store->select_result == NULL)
        status = pm_sql_prepare(store, "SELECT item, nodes, checksum FROM result WHERE item = ?",
                                &store->select_result, error);
    if (status != PM_OK)
        return status;
    sqlite3_bind_int64(store->select_result, 1, item);
    const int step = sqlite3_step(store->select_result);
    if (step == SQLITE_ROW)
        status = pm_store_read_result(store, store->select_result, &same, nodes, error);
    else if (step == SQLITE_DONE)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "item %u has no count yet", item);
    else
        status = pm_sql_fail(store, "read", error);
    sqlite3_reset(store->select_result);
    return status;
}

/* ---- Transactions ---- */

void pm_store_roll_back(struct pm_store *store)
{
    if (!sqlite3_get_autocommit(store->database))
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
}

enum pm_status pm_store_give_up(struct pm_store *store, const struct pm_error *why,
                                struct pm_error *error)
{
    pm_store_roll_back(store);
    store->failure = *why;
    pm_store_read_known(store, NULL);
    return pm_fail(error, why->status, "%s", why->text);
}

enum pm_status pm_store_begin(struct pm_store *store, struct pm_error *error)
{
    if (store->failure.status != PM_OK)
        return pm_fail(error, store->failure.status, "%s", store->failure.text);
    if (store->in_transaction)
        return PM_OK;
    const enum pm_status status = pm_sql_execute(store, "BEGIN IMMEDIATE", "write", error);
    store->in_transaction = status == PM_OK;
    return status;
}

static enum pm_status note_time(struct pm_store *store, struct pm_error *error)
{
    char now[32];
    sqlite3_stmt *statement = NULL;
    if (store->run == 0)
        return PM_OK;
    enum pm_status status = pm_sql_prepare(
        store, "UPDATE run SET seconds = ?, last_commit = ? WHERE id = ?", &statement, error);
    if (status != PM_OK)
        return status;
    sqlite3_bind_double(statement, 1, pm_clock_seconds_since(store->run_start_ns));
    pm_sql_bind_text(statement, 2, pm_sql_now(now));
    sqlite3_bind_int64(statement, 3, store->run);
    return pm_sql_finish(store, statement, error);
}

enum pm_status pm_store_commit_locked(struct pm_store *store, struct pm_error *error)
{
    struct pm_error why;
    if (store->failure.status != PM_OK)
        return pm_fail(error, store->failure.status, "%s", store->failure.text);
    if (!store->in_transaction)
        return PM_OK;
    enum pm_status status = note_time(store, &why);
    if (status == PM_OK)
        status = pm_sql_execute(store, "COMMIT", "write", &why);
    store->in_batch = false;
    store->commit_ns = pm_clock_ns();
    if (status != PM_OK)
        return pm_store_give_up(store, &why, error);
    store->in_transaction = false;
    return PM_OK;
}
