/* SPDX-License-Identifier: MIT */
/* Items of a deep count: the distinct positions some plies below the root. */
#ifndef PM_JOBS_ITEMS_H
#define PM_JOBS_ITEMS_H

#include "core/count.h"
#include "core/kernel.h"
#include "core/move.h"
#include "core/status.h"
#include "jobs/plan.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The distinct positions at each ply from 0 (the root) to plan->ply, numbered in an order that does
 * not depend on the kernel. Those at the last ply are the items. */
struct pm_items;

/* The kernel's init() was called. Fills plan->items. PM_ERROR_INTERRUPTED once *stop is true; stop
 * may be NULL. */
enum pm_status pm_items_create(struct pm_plan *plan, const struct pm_kernel *kernel,
                               const atomic_bool *stop, struct pm_items **items,
                               struct pm_error *error);
void pm_items_destroy(struct pm_items *items); /* NULL is fine */

uint64_t pm_items_distinct(const struct pm_items *items, int ply);

/* In plan->items order. The multiplicity: in how many ways the position is reached. */
const struct pm_position *pm_items_position(const struct pm_items *items, uint32_t item);
uint64_t pm_items_multiplicity(const struct pm_items *items, uint32_t item);

/* The counts below each sequence of `level` moves from the root, in the order of moves; `counts`
 * has one for each item. Calls `line` for each. */
typedef void (*pm_items_line)(void *context, const struct pm_move moves[], int level,
                              pm_count nodes);
enum pm_status pm_items_divide(const struct pm_items *items, const pm_count counts[], int level,
                               pm_items_line line, void *context, struct pm_error *error);

#endif
