/* SPDX-License-Identifier: MIT */
/* Who could still give mate with the pieces on the board, whatever the moves. */
#ifndef PM_RULES_MATERIAL_H
#define PM_RULES_MATERIAL_H

#include "core/board.h"

#include <stdbool.h>

/* Whether `color` has no series of legal moves to mate, judged by the pieces alone (as python-chess
 * and others do): bare king; king and knight against king and queens only; bishops of one square
 * color against no knight, pawn or bishop of the other. Decides what loss on time means (FIDE
 * Laws 6.9). */
bool pm_material_cannot_mate(const struct pm_position *position, enum pm_color color);

/* Neither side can: the game is drawn at once (FIDE Laws 5.2.2). */
bool pm_material_is_insufficient(const struct pm_position *position);

#endif
