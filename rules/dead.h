/* SPDX-License-Identifier: MIT */
/* Dead positions beyond insufficient material (FIDE Laws 5.2.2), and one side's half of the
 * question, as verdicts on games and streams of positions ask it: within limits, and not at all
 * where the pawns are so free that a proof is out of the question. */
#ifndef PM_RULES_DEAD_H
#define PM_RULES_DEAD_H

#include "rules/helpmate.h"

enum pm_dead {
    PM_DEAD_NOT_PROVED,
    PM_DEAD_WALL, /* what the pieces can ever reach leaves no mate to anyone (rules/reach.h) */
    PM_DEAD_LINES /* every line of play ends where nobody can mate any more */
};

/* For a position with legal moves. */
enum pm_dead pm_dead_proof(const struct pm_view *view);

/* For a position with legal moves: a proof that `color` can't mate by any series of them. */
bool pm_cannot_mate_proof(const struct pm_view *view, enum pm_color color);

#endif
