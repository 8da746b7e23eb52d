/* SPDX-License-Identifier: MIT */
/* A growing set of positions that the rules tell apart. */
#ifndef PM_RULES_POSITION_SET_H
#define PM_RULES_POSITION_SET_H

#include "core/board.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two positions are one if pieces, side to move, castling rights and possible en passant captures
 * agree; clocks do not count. A hash finds candidates, the whole positions decide. */
struct pm_position_set;

#define PM_NOT_IN_SET SIZE_MAX

/* NULL: no memory. */
struct pm_position_set *pm_position_set_create(void);
void pm_position_set_destroy(struct pm_position_set *set); /* NULL is allowed */

/* Forgets the positions and keeps the memory; takes time by their number. */
void pm_position_set_clear(struct pm_position_set *set);

size_t pm_position_set_count(const struct pm_position_set *set);

/* The number of a position, from 0 in the order of adding; *is_new tells whether it came just now.
 * PM_NOT_IN_SET: no memory, or 2^32 - 1 positions are there; the set is as it was. */
size_t pm_position_set_add(struct pm_position_set *set, const struct pm_position *position,
                           bool *is_new);

/* PM_NOT_IN_SET if it is not there. */
size_t pm_position_set_find(const struct pm_position_set *set, const struct pm_position *position);

/* The position of that number: en passant square only where a capture is legal, clocks 0 and 1.
 * Valid until the next position is added. */
const struct pm_position *pm_position_set_at(const struct pm_position_set *set, size_t number);

#endif
