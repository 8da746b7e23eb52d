/* SPDX-License-Identifier: MIT */
/* What can be said of one position in numbers. */
#ifndef PM_ANALYZE_FACTS_H
#define PM_ANALYZE_FACTS_H

#include "rules/verdict.h"
#include "rules/view.h"

#include <stdint.h>

/* What to compute, bits: what is not asked for costs nothing and stays 0. */
enum pm_facts_part {
    PM_FACTS_MOVES = 1 << 0,    /* kinds of legal moves; check; pins: from the view */
    PM_FACTS_VERDICT = 1 << 1,  /* with insufficient material; not thorough */
    PM_FACTS_DEAD = 1 << 2,     /* verdict thorough: dead positions too */
    PM_FACTS_MATERIAL = 1 << 3, /* pieces, values, phase */
    PM_FACTS_MOBILITY = 1 << 4, /* attacked squares and mobility of both sides */
    PM_FACTS_EXCHANGE = 1 << 5, /* hanging pieces, static exchange of each capture */
    PM_FACTS_CHECKS = 1 << 6    /* which legal moves check, mate or stalemate: each is played */
};

struct pm_facts {
    /* MOVES: of the side to move. A promotion that captures counts in both; the four promotions are
     * four moves. */
    unsigned legal, captures, promotions, castlings, en_passant;
    unsigned checkers, pinned; /* pieces */
    /* CHECKS */
    unsigned checks, mates, stalemates;
    /* VERDICT, DEAD */
    enum pm_verdict verdict;
    /* MATERIAL; [PM_WHITE], [PM_BLACK] */
    unsigned pieces[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT];
    int value[PM_COLOR_COUNT]; /* in pawns: 1, 3, 3, 5, 9 (the classical values); kings 0 */
    unsigned phase; /* 24 = all pieces, 0 = only kings and pawns: knight and bishop 1, rook 2, queen
                       4; at most 24 */
    /* MOBILITY */
    uint64_t attacked[PM_COLOR_COUNT]; /* squares that the side attacks, as struct pm_attacks counts
                                          them */
    unsigned mobility[PM_COLOR_COUNT]; /* pairs of a piece (not a pawn, not the king) and a square
                                          it attacks where no piece of its own side stands */
    /* EXCHANGE: of a capture, what the side to move wins by it if both sides then take on that
     * square as long as it pays, in hundredths of a pawn (100, 300, 300, 500, 900; king counts as
     * above all). Pins are not looked at. */
    uint64_t hanging[PM_COLOR_COUNT]; /* pieces that the enemy could win something on, were it to
                                         move; a pawn that may be taken en passant too */
    int best_exchange; /* the best of all legal captures; 0 if there is none that wins */
};

/* Fills *facts for the view's position. parts: enum pm_facts_part bits. */
void pm_facts_of(struct pm_view *view, unsigned parts, struct pm_facts *facts);

#endif
