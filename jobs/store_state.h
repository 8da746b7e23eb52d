/* SPDX-License-Identifier: MIT */
/* What holds of a store at any moment: rows that fit their checksums, the items that are known, the
 * transaction that is open. What is done with them stands above: store.c, store_audit.c,
 * store_open.c. The mutex is held, as for store_sql.h. */
#ifndef PM_JOBS_STORE_STATE_H
#define PM_JOBS_STORE_STATE_H

#include "core/count.h"
#include "jobs/store_sql.h"

/* ---- Checksums ---- */

enum pm_status pm_store_set_plan_checksum(struct pm_store *store, struct pm_error *error);
int64_t pm_store_checksum(const struct pm_store *store, uint32_t item, const char *text,
                          uint64_t number);

/* A row that does not fit its checksum. */
enum pm_status pm_store_damaged(const struct pm_store *store, uint32_t item, const char *table,
                                const char *text, struct pm_error *error);

/* ---- Results ---- */

/* From a row of item, nodes, checksum. */
enum pm_status pm_store_read_result(struct pm_store *store, sqlite3_stmt *statement, uint32_t *item,
                                    pm_count *nodes, struct pm_error *error);

/* Finds out which items are finished. */
enum pm_status pm_store_read_known(struct pm_store *store, struct pm_error *error);

/* Whether there is such an item. */
enum pm_status pm_store_check_item(const struct pm_store *store, uint32_t item,
                                   struct pm_error *error);
enum pm_status pm_store_select_result(struct pm_store *store, uint32_t item, pm_count *nodes,
                                      struct pm_error *error);

/* ---- Transactions ---- */

enum pm_status pm_store_begin(struct pm_store *store, struct pm_error *error);
enum pm_status pm_store_commit_locked(struct pm_store *store, struct pm_error *error);
void pm_store_roll_back(struct pm_store *store);

/* After a write that failed: nothing is known any more but what was committed, nothing more can be
 * written. */
enum pm_status pm_store_give_up(struct pm_store *store, const struct pm_error *why,
                                struct pm_error *error);

#endif
