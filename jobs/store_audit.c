/* SPDX-License-Identifier: MIT */
/* Audits of finished items, and what a database holds in all. */
#include "jobs/store.h"
#include "jobs/store_state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Audits ---- */

static enum pm_status insert_audit(struct pm_store *store, const struct pm_store_audit *audit,
                                   struct pm_error *error)
{
    char text[PM_COUNT_TEXT_SIZE], now[32];
    sqlite3_stmt *statement = NULL;
    enum pm_status status =
        pm_sql_prepare(store,
                       "INSERT INTO audit (item, nodes, kernel, mode, seed, run, "
                       "finished) VALUES (?, ?, ?, ?, ?, ?, ?)",
                       &statement, error);
    if (status != PM_OK)
        return status;
    sqlite3_bind_int64(statement, 1, audit->item);
    pm_sql_bind_text(statement, 2, pm_count_to_text(audit->nodes, text));
    pm_sql_bind_text(statement, 3, audit->kernel);
    pm_sql_bind_text(statement, 4, audit->mode);
    pm_sql_bind_seed(statement, 5, audit->seed);
    if (store->run != 0)
        sqlite3_bind_int64(statement, 6, store->run);
    pm_sql_bind_text(statement, 7, pm_sql_now(now));
    return pm_sql_finish(store, statement, error);
}

enum pm_status pm_store_add_audit(struct pm_store *store, const struct pm_store_audit *audit,
                                  struct pm_error *error)
{
    pm_count counted = 0;
    char text[PM_COUNT_TEXT_SIZE], audit_text[PM_COUNT_TEXT_SIZE];
    pthread_mutex_lock(&store->mutex);
    enum pm_status status = pm_store_check_item(store, audit->item, error);
    if (status == PM_OK)
        status = pm_store_select_result(store, audit->item, &counted, error);
    if (status == PM_OK)
        status = pm_store_begin(store, error);
    if (status == PM_OK)
        status = insert_audit(store, audit, error);
    if (status == PM_OK)
        status = pm_store_commit_locked(store, error);
    pthread_mutex_unlock(&store->mutex);
    if (status != PM_OK || counted == audit->nodes)
        return status;
    return pm_fail(error, PM_ERROR_MISMATCH, "item %u was counted as %s, but its audit gives %s",
                   audit->item, pm_count_to_text(counted, text),
                   pm_count_to_text(audit->nodes, audit_text));
}

enum pm_status pm_store_is_audited(struct pm_store *store, uint32_t item, bool *is_audited,
                                   struct pm_error *error)
{
    char sql[192];
    int64_t agrees = 0;
    snprintf(sql, sizeof sql,
             "SELECT coalesce((SELECT nodes FROM audit WHERE item = %u ORDER BY id DESC LIMIT 1) = "
             "(SELECT nodes FROM result WHERE item = %u), 0)",
             item, item);
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = pm_sql_number(store, sql, &agrees, error);
    pthread_mutex_unlock(&store->mutex);
    *is_audited = agrees != 0;
    return status;
}

static enum pm_status check_audits(struct pm_store *store, uint32_t *item, struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(
        store,
        "SELECT item, counted, counted_by, nodes, kernel, mode, seed FROM last_audit "
        "WHERE verdict <> 'agrees' ORDER BY item LIMIT 1",
        &statement, error);
    const int step = status == PM_OK ? sqlite3_step(statement) : SQLITE_DONE;
    if (step == SQLITE_ROW) {
        const char *counter = pm_sql_text(statement, 2);
        *item = (uint32_t)sqlite3_column_int64(statement, 0);
        status =
            pm_fail(error, PM_ERROR_MISMATCH,
                    "item %u was counted as %s by %s, but its audit gives %s (%s, %s, seed %s)",
                    *item, pm_sql_text(statement, 1), *counter != '\0' ? counter : "an import",
                    pm_sql_text(statement, 3), pm_sql_text(statement, 4), pm_sql_text(statement, 5),
                    pm_sql_text(statement, 6));
    } else if (step != SQLITE_DONE) {
        status = pm_sql_fail(store, "read", error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum pm_status pm_store_check_audits(struct pm_store *store, uint32_t *item, struct pm_error *error)
{
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = check_audits(store, item, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

/* ---- Summary ---- */

/* Elementwise the most: a run that found items known saw only a part of the last list. */
static void take_distinct(struct pm_store_summary *summary, const char *text)
{
    int ply = 0;
    char *end;
    for (; *text != '\0' && ply < PM_UNIQUE_MAX_DEPTH; ply++, text = end) {
        const uint64_t count = strtoull(text, &end, 10);
        if (end == text)
            break;
        if (count > summary->distinct[ply])
            summary->distinct[ply] = count;
    }
    if (ply > summary->distinct_count)
        summary->distinct_count = ply;
}

static enum pm_status summarize_runs(struct pm_store *store, struct pm_store_summary *summary,
                                     struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(
        store, "SELECT coalesce(seconds, 0), distinct_positions, last_commit FROM run", &statement,
        error);
    while (pm_sql_next(store, statement, &status, error)) {
        summary->runs++;
        summary->seconds += sqlite3_column_double(statement, 0);
        take_distinct(summary, pm_sql_text(statement, 1));
        snprintf(summary->last_commit, sizeof summary->last_commit, "%s",
                 pm_sql_text(statement, 2));
    }
    sqlite3_finalize(statement);
    return status;
}

/* Runs with one seed meet the same collisions, so that any of them tells what the whole count risks
 * with that seed: its own probability, scaled up from the items that it counted. Seeds are added
 * up. */
static const char probability_of_runs[] =
    "WITH part AS (SELECT run, count(*) AS items FROM result GROUP BY run),"
    " seed AS (SELECT min(CASE WHEN exact THEN 0.0"
    "   ELSE error_probability * (SELECT items FROM plan) / part.items END) AS p"
    "  FROM part JOIN run ON run.id = part.run"
    "  GROUP BY CASE source WHEN '' THEN seed ELSE source || id END)"
    "SELECT CASE WHEN count(p) = count(*) THEN min(total(p), 1.0) ELSE -1.0 END FROM seed";

static const char probability_of_items[] =
    "SELECT CASE WHEN count(error_probability) = count(*) THEN min(total(error_probability), 1.0)"
    "  ELSE -1.0 END FROM result";

static enum pm_status query_probability(struct pm_store *store, double *probability,
                                        struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    const bool is_unique = store->plan.split == PM_SPLIT_UNIQUE;
    const enum pm_status status = pm_sql_query(
        store, is_unique ? probability_of_runs : probability_of_items, &statement, error);
    if (status == PM_OK)
        *probability = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static const char summary_sql[] =
    "SELECT (SELECT count(*) FROM last_audit WHERE verdict = 'agrees'),"
    " (SELECT created FROM plan),"
    " (SELECT group_concat(kernel, ', ') FROM (SELECT DISTINCT kernel FROM run WHERE kernel <> ''"
    "   AND id IN (SELECT run FROM result) ORDER BY id))";

static enum pm_status query_pairs(struct pm_store *store, struct pm_store_summary *summary,
                                  struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(
        store,
        "SELECT counted_by, kernel, count(*) FROM last_audit WHERE verdict = 'agrees' "
        "GROUP BY counted_by, kernel ORDER BY counted_by, kernel",
        &statement, error);
    int step = status == PM_OK ? sqlite3_step(statement) : SQLITE_DONE;
    for (; step == SQLITE_ROW && summary->pair_count < PM_STORE_MAX_PAIRS;
         step = sqlite3_step(statement)) {
        struct pm_store_pair *pair = &summary->pairs[summary->pair_count++];
        snprintf(pair->counted_by, sizeof pair->counted_by, "%s", pm_sql_text(statement, 0));
        snprintf(pair->auditor, sizeof pair->auditor, "%s", pm_sql_text(statement, 1));
        pair->items = (uint32_t)sqlite3_column_int64(statement, 2);
    }
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        status = pm_sql_fail(store, "read", error);
    sqlite3_finalize(statement);
    return status;
}

static enum pm_status summarize(struct pm_store *store, struct pm_store_summary *summary,
                                struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_query(store, summary_sql, &statement, error);
    if (status == PM_OK) {
        summary->known = store->known_count;
        summary->audited = (uint32_t)sqlite3_column_int64(statement, 0);
        snprintf(summary->created, sizeof summary->created, "%s", pm_sql_text(statement, 1));
        snprintf(summary->kernels, sizeof summary->kernels, "%s", pm_sql_text(statement, 2));
    }
    sqlite3_finalize(statement);
    if (status == PM_OK)
        status = query_probability(store, &summary->error_probability, error);
    if (status == PM_OK)
        status = query_pairs(store, summary, error);
    return status == PM_OK ? summarize_runs(store, summary, error) : status;
}

enum pm_status pm_store_summarize(struct pm_store *store, struct pm_store_summary *summary,
                                  struct pm_error *error)
{
    *summary = (struct pm_store_summary){0};
    pthread_mutex_lock(&store->mutex);
    const enum pm_status status = summarize(store, summary, error);
    pthread_mutex_unlock(&store->mutex);
    return status;
}
