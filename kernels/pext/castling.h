/* SPDX-License-Identifier: MIT */
/* What castling asks for in the game at hand. Kings and castling rooks start on the same squares as
 * long as a right is left, so this is found once before counting: Chess960 costs nothing more. */
#ifndef PM_PEXT_CASTLING_H
#define PM_PEXT_CASTLING_H

#include "kernels/pext/board.h"
#include "kernels/pext/tables.h"

#include <stdint.h>

struct castling {
    uint64_t rook;    /* where it stands; empty without the right */
    uint64_t passage; /* the squares that the king leaves, passes and reaches */
    uint64_t
        empty; /* the squares that either piece passes or reaches, the two pieces's own left out */
    uint64_t shielded; /* a1 or a8 if the rook leaves b1 or b8 to d1 or d8: a slider there attacks
                          c1 or c8 only after the move. No other rook shields its king's target:
                          from h1 a slider attacks the rook's square g1 beforehand, too. */
};

struct castling_rules {
    struct castling castling[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    struct lines passage_lines[PM_COLOR_COUNT]; /* the lines of all squares in a side's passages */
};

/* The squares of one rank from one square to another, both included. */
static uint64_t span(unsigned from, unsigned to)
{
    return tables.between[from][to] | pm_bit(from) | pm_bit(to);
}

static struct castling castling_with(enum pm_color us, uint64_t king, uint64_t rook)
{
    const uint64_t king_to = castled_king(us, king, rook), rook_to = castled_rook(us, king, rook);
    const uint64_t passage = span(pm_lsb(king), pm_lsb(king_to));
    const uint64_t b_file = FILE_A << 1;
    return (struct castling){
        .rook = rook,
        .passage = passage,
        .empty = (passage | span(pm_lsb(rook), pm_lsb(rook_to))) & ~(king | rook),
        .shielded = rook < king && rook & b_file ? rook >> 1 : 0,
    };
}

static struct castling_rules castling_rules_of(const struct board *board)
{
    struct castling_rules rules = {0};
    for (enum pm_color us = PM_WHITE; us <= PM_BLACK; us++) {
        const uint64_t king = board->kings & board->pieces[us];
        uint64_t passages = 0;
        for (uint64_t rest = castling_rooks(board, us); rest; rest = pm_without_lsb(rest)) {
            const uint64_t rook = rest & -rest;
            struct castling *castling =
                &rules.castling[us][rook > king ? PM_KINGSIDE : PM_QUEENSIDE];
            *castling = castling_with(us, king, rook);
            passages |= castling->passage;
        }
        rules.passage_lines[us] = lines_of(passages);
    }
    return rules;
}

#endif
