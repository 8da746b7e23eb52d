/* SPDX-License-Identifier: MIT */
/* Finished items as text, for other databases: the lines of a plan between "plymark deep items 1"
 * and "end of plan", then one line an item: its number, its count, and with PM_SPLIT_POSITIONS its
 * position (FEN). */
#ifndef PM_JOBS_ITEM_TEXT_H
#define PM_JOBS_ITEM_TEXT_H

#include "core/status.h"
#include "jobs/items.h"
#include "jobs/plan.h"
#include "jobs/store.h"

#include <stdint.h>
#include <stdio.h>

enum pm_status pm_items_export(FILE *out, struct pm_store *store, struct pm_error *error);

/* Reads the head of a text up to its "end of plan". Errors begin with file and line. */
struct pm_items_text;
enum pm_status pm_items_text_open(const char *path, struct pm_items_text **text,
                                  struct pm_error *error);
void pm_items_text_close(struct pm_items_text *text); /* NULL is fine */
const struct pm_plan *pm_items_text_plan(const struct pm_items_text *text);
const char *pm_items_text_name(const struct pm_items_text *text);

/* Records the items that follow the head as a run's: all or, after an error, none. Those that the
 * store knows with the same count are passed over. The plans were compared. `items` is NULL with
 * PM_SPLIT_UNIQUE. */
struct pm_items_imported {
    uint32_t added, known;
};
enum pm_status pm_items_import(struct pm_items_text *text, const struct pm_store_run *run,
                               struct pm_store *store, const struct pm_items *items,
                               struct pm_items_imported *imported, struct pm_error *error);

#endif
