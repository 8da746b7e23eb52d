/* SPDX-License-Identifier: MIT */
/* The bottom of the store: the struct, and SQL that fails with a description. All of it is called
 * with the mutex held, or before anybody else knows the store. */
#ifndef PM_JOBS_STORE_SQL_H
#define PM_JOBS_STORE_SQL_H

#include "core/status.h"
#include "jobs/plan.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct pm_store {
    char *path;
    sqlite3 *database;
    int lock; /* a descriptor, or -1 */
    struct pm_plan plan;
    uint64_t plan_checksum;

    pthread_mutex_t mutex; /* guards what follows, and the database */
    bool *known;           /* one an item */
    uint32_t known_count;
    int64_t run;
    uint64_t run_start_ns, commit_ns;
    bool in_transaction, in_batch;
    struct pm_error failure; /* of the first write that failed: there are no more after it */
    sqlite3_stmt *insert_result, *select_result;
};

/* ---- Errors: `doing` is "read", "write", "open" ---- */

/* An SQLite code; text says more of it. */
enum pm_status pm_sql_fail_code(const char *path, int code, const char *text, const char *doing,
                                struct pm_error *error);

/* SQLite's last failure. */
enum pm_status pm_sql_fail(const struct pm_store *store, const char *doing, struct pm_error *error);

/* ---- SQL ---- */

enum pm_status pm_sql_execute(struct pm_store *store, const char *sql, const char *doing,
                              struct pm_error *error);
enum pm_status pm_sql_prepare(struct pm_store *store, const char *sql, sqlite3_stmt **statement,
                              struct pm_error *error);

/* Runs a statement that gives no rows, and makes it ready for the next time. */
enum pm_status pm_sql_run(struct pm_store *store, sqlite3_stmt *statement, struct pm_error *error);

/* Runs one for the last time. */
enum pm_status pm_sql_finish(struct pm_store *store, sqlite3_stmt *statement,
                             struct pm_error *error);

/* Goes to the next row of a query. False after the last one, after a failure, which *status tells
 * then, and if *status tells of one already. */
bool pm_sql_next(struct pm_store *store, sqlite3_stmt *statement, enum pm_status *status,
                 struct pm_error *error);

/* Prepares a query that gives one row, and goes to it. */
enum pm_status pm_sql_query(struct pm_store *store, const char *sql, sqlite3_stmt **statement,
                            struct pm_error *error);

/* Of a query that gives one row with one number. */
enum pm_status pm_sql_number(struct pm_store *store, const char *sql, int64_t *number,
                             struct pm_error *error);

void pm_sql_bind_text(sqlite3_stmt *statement, int column, const char *text);
void pm_sql_bind_seed(sqlite3_stmt *statement, int column, uint64_t seed);
void pm_sql_bind_known(sqlite3_stmt *statement, int column, double value); /* negative: NULL */

/* Never NULL. */
const char *pm_sql_text(sqlite3_stmt *statement, int column);

/* ISO 8601, UTC. Returns text. */
char *pm_sql_now(char text[32]);

#endif
