/* SPDX-License-Identifier: MIT */
/* What a deep count is about, and how it is cut into items. A count of an item means nothing
 * without the plan; kernels, threads, memory and seeds are no part of it: they change no count. */
#ifndef PM_JOBS_PLAN_H
#define PM_JOBS_PLAN_H

#include "core/board.h"
#include "core/status.h"
#include "perft/unique.h"

#include <stdint.h>
#include <stdio.h>

enum pm_split {
    PM_SPLIT_POSITIONS, /* an item is a distinct position some plies below the root */
    PM_SPLIT_UNIQUE, /* an item is a part of the last list of distinct positions: perft/unique.h */
    PM_SPLIT_COUNT
};

/* The deepest ply whose positions may be items: start position, ply 5: 822,518 of them. */
#define PM_PLAN_MAX_PLY 5

struct pm_plan {
    struct pm_position position; /* canonical, clocks 0 and 1 */
    int depth;
    enum pm_split split;
    int ply; /* of the positions that are items; 0 with PM_SPLIT_UNIQUE */
    uint32_t items;
};

/* Names of the splits: "positions", "unique". -1: no such name. */
const char *pm_split_text(enum pm_split split);
int pm_split_from_text(const char *text);

/* The position as plans keep it. */
void pm_plan_set_position(struct pm_plan *plan, const struct pm_position *position);

/* Whether its numbers are in their ranges and fit each other. Bad ones are called `what`'s. */
enum pm_status pm_plan_check(const struct pm_plan *plan, const char *what, struct pm_error *error);

/* PM_ERROR_ARGUMENT at the first difference, with both values: the error says that `what` has the
 * one and asked for is the other. asked->items counts only if it is not 0. */
enum pm_status pm_plan_compare(const struct pm_plan *plan, const char *what,
                               const struct pm_plan *asked, struct pm_error *error);

/* As lines of text, "depth 9": they stand at the head of exported items. */
void pm_plan_print(FILE *out, const struct pm_plan *plan);

/* Reads one such line into a plan. PM_ERROR_PARSE if it is none; the error does not say where. */
enum pm_status pm_plan_read_line(struct pm_plan *plan, const char *line, struct pm_error *error);

#endif
