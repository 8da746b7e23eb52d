/* SPDX-License-Identifier: MIT */
/* Whether one side can still mate by some series of legal moves, both sides helping: the question
 * behind dead positions (FIDE Laws 5.2.2) and loss on time (6.9).
 *
 * IMPOSSIBLE is proved by the material (rules/material.h), by what the pieces can ever reach
 * (rules/reach.h), or by looking at every position that legal moves lead to, where those two proofs
 * end a line. POSSIBLE comes with the moves to a mate. Which moves are legal and what is a mate the
 * view's kernel says; only what a legal move makes of the board is done here, on 40 bytes a
 * position, since handing positions back and forth would take most of the time.
 *
 * Three guides take turns to choose the position to go on from: one hunts the loser's king (few
 * free squares, pieces and kings near), one opens the board (pawns far on, enemy pawns taken), one
 * takes the oldest. So none can starve the search, and a mate in a few moves is found by the third
 * in any case. */
#ifndef PM_RULES_HELPMATE_H
#define PM_RULES_HELPMATE_H

#include "rules/view.h"

enum pm_mate_chance { PM_MATE_NOT_PROVED, PM_MATE_POSSIBLE, PM_MATE_IMPOSSIBLE, PM_MATE_CHANCES };

/* "not proved", "can mate", "can't mate". Never NULL. */
const char *pm_mate_chance_text(enum pm_mate_chance chance);

enum pm_mate_proof {
    PM_PROOF_NONE,
    PM_PROOF_MATERIAL,
    PM_PROOF_REACH,
    PM_PROOF_SEARCH /* of IMPOSSIBLE, and always of POSSIBLE */
};

/* How many positions may be kept. A proof of rules/reach.h on the way counts as several, by its
 * time. */
struct pm_helpmate_limits {
    uint32_t open; /* the search ends here if on average both sides have more than six moves … */
    uint32_t cramped; /* … else here */
};

/* Some 0.1 and 8 ms on one core: more finds little more. */
#define PM_HELPMATE_LIMITS ((struct pm_helpmate_limits){.open = 300, .cramped = 24000})

#define PM_HELPMATE_PLIES 512

struct pm_helpmate {
    enum pm_mate_chance chance;
    enum pm_mate_proof proof;
    uint32_t positions;                     /* kept */
    unsigned plies;                         /* of the line; 0: no line, or the mate is there */
    struct pm_move line[PM_HELPMATE_PLIES]; /* POSSIBLE: legal moves that end in mate */
};

/* For any position of the view, over or not; `color` is the side that shall mate. What memory
 * doesn't suffice for is not proved. */
void pm_helpmate_find(const struct pm_view *view, enum pm_color color,
                      struct pm_helpmate_limits limits, struct pm_helpmate *helpmate);

#endif
