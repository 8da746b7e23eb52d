/* SPDX-License-Identifier: MIT */
/* Dead positions beyond insufficient material (FIDE Laws 5.2.2): proofs that no sequence of legal
 * moves mates. What is not proved is not dead. */
#ifndef PM_RULES_DEAD_H
#define PM_RULES_DEAD_H

#include "rules/view.h"

enum pm_dead {
    PM_DEAD_NOT_PROVED,
    PM_DEAD_WALL, /* the pawns block each other for ever, and nothing else can change or mate */
    PM_DEAD_LINES /* every line of play ends, within a few moves, where nobody can mate any more */
};

/* For a position with legal moves. */
enum pm_dead pm_dead_proof(const struct pm_view *view);

#endif
