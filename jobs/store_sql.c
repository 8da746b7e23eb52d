/* SPDX-License-Identifier: MIT */
#include "jobs/store_sql.h"

#include "core/quote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Errors ---- */

enum pm_status pm_sql_fail_code(const char *path, int code, const char *text, const char *doing,
                                struct pm_error *error)
{
    switch (code) {
    case SQLITE_NOMEM:
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory to %s '%s'", doing, path);
    case SQLITE_FULL:
        return pm_fail(error, PM_ERROR_IO,
                       "cannot %s '%s': the disk is full; what was committed is safe, and the "
                       "same command goes on when there is room",
                       doing, path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "cannot %s '%s': another program has locked it",
                       doing, path);
    case SQLITE_NOTADB:
        return pm_fail(error, PM_ERROR_PARSE, "'%s' is no database of a deep count: %s", path,
                       text);
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: /* tables that are not as we made them */
    case SQLITE_MISMATCH:
        return pm_fail(error, PM_ERROR_PARSE,
                       "'%s' is damaged (%s); nothing was changed: go on with a copy, or salvage "
                       "it with the sqlite3 program",
                       path, text);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return pm_fail(error, PM_ERROR_IO,
                       "cannot %s '%s': %s; the file and its folder must be writable", doing, path,
                       text);
    default:
        return pm_fail(error, PM_ERROR_IO, "cannot %s '%s': %s", doing, path, text);
    }
}

enum pm_status pm_sql_fail(const struct pm_store *store, const char *doing, struct pm_error *error)
{
    const int code = sqlite3_extended_errcode(store->database) & 0xff;
    const int number = sqlite3_system_errno(store->database);
    if (number != 0 && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN))
        return pm_sql_fail_code(store->path, number == ENOSPC ? SQLITE_FULL : code,
                                strerror(number), doing, error);
    return pm_sql_fail_code(store->path, code, sqlite3_errmsg(store->database), doing, error);
}

/* ---- SQL ---- */

enum pm_status pm_sql_execute(struct pm_store *store, const char *sql, const char *doing,
                              struct pm_error *error)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? PM_OK
               : pm_sql_fail(store, doing, error);
}

enum pm_status pm_sql_prepare(struct pm_store *store, const char *sql, sqlite3_stmt **statement,
                              struct pm_error *error)
{
    return sqlite3_prepare_v2(store->database, sql, -1, statement, NULL) == SQLITE_OK
               ? PM_OK
               : pm_sql_fail(store, "read", error);
}

enum pm_status pm_sql_run(struct pm_store *store, sqlite3_stmt *statement, struct pm_error *error)
{
    const bool is_done = sqlite3_step(statement) == SQLITE_DONE;
    const enum pm_status status = is_done ? PM_OK : pm_sql_fail(store, "write", error);
    sqlite3_reset(statement);
    return status;
}

enum pm_status pm_sql_finish(struct pm_store *store, sqlite3_stmt *statement,
                             struct pm_error *error)
{
    const enum pm_status status = pm_sql_run(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

bool pm_sql_next(struct pm_store *store, sqlite3_stmt *statement, enum pm_status *status,
                 struct pm_error *error)
{
    if (*status != PM_OK)
        return false;
    const int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        *status = pm_sql_fail(store, "read", error);
    return step == SQLITE_ROW;
}

enum pm_status pm_sql_query(struct pm_store *store, const char *sql, sqlite3_stmt **statement,
                            struct pm_error *error)
{
    const enum pm_status status = pm_sql_prepare(store, sql, statement, error);
    return status == PM_OK && sqlite3_step(*statement) != SQLITE_ROW
               ? pm_sql_fail(store, "read", error)
               : status;
}

enum pm_status pm_sql_number(struct pm_store *store, const char *sql, int64_t *number,
                             struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    const enum pm_status status = pm_sql_query(store, sql, &statement, error);
    if (status == PM_OK)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

void pm_sql_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

void pm_sql_bind_known(sqlite3_stmt *statement, int column, double value)
{
    if (value >= 0)
        sqlite3_bind_double(statement, column, value);
    else
        sqlite3_bind_null(statement, column);
}

void pm_sql_bind_seed(sqlite3_stmt *statement, int column, uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    pm_sql_bind_text(statement, column, text);
}

const char *pm_sql_text(sqlite3_stmt *statement, int column)
{
    const void *text = sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

char *pm_sql_now(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return text;
}
