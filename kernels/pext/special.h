/* SPDX-License-Identifier: MIT */
/* The moves for which checks and pins alone are not enough: pawns as sets, en passant, castling. */
#ifndef PM_PEXT_SPECIAL_H
#define PM_PEXT_SPECIAL_H

#include "kernels/pext/board.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"

#include <stdint.h>

/* Where all our pawns can go, told apart by the kind of step. */
struct pawn_targets {
    uint64_t push, double_push, left, right;
};

PM_ALWAYS_INLINE struct pawn_targets legal_pawn_targets(const struct board *board, enum pm_color us,
                                                        const struct view *view)
{
    const uint64_t pawns = board->pawns & view->own;
    uint64_t push = forward(us, pawns);
    uint64_t left = forward_left(us, pawns);
    uint64_t right = forward_right(us, pawns);
    if (view->pinned & pawns) {
        const uint64_t free = pawns & ~view->pinned;
        const uint64_t on_straight = pawns & view->straight_pins;
        const uint64_t on_diagonal = pawns & view->diagonal_pins;
        push = forward(us, free) | (forward(us, on_straight) & view->straight_pins);
        left = forward_left(us, free) | (forward_left(us, on_diagonal) & view->diagonal_pins);
        right = forward_right(us, free) | (forward_right(us, on_diagonal) & view->diagonal_pins);
    }
    push &= ~view->occupied;
    const uint64_t capturable = view->enemy & view->check_mask;
    return (struct pawn_targets){
        .push = push & view->check_mask,
        .double_push = forward(us, push & rank_of_side(us, 3)) & ~view->occupied & view->check_mask,
        .left = left & capturable,
        .right = right & capturable,
    };
}

/* Two pieces leave the board's lines at once, so ask the board as it would be:
 *
 *   . . . . . . . .    Black to move could not capture on e3: with both pawns gone from the rank,
 *   k . . p P . . R    the rook attacks the king. No pin shows that, as two pieces stand between.
 *   . . . . . . . . */
PM_ALWAYS_INLINE int en_passant_is_legal(const struct board *board, enum pm_color us,
                                         const struct view *view, uint64_t from, uint64_t to)
{
    const uint64_t victim = forward(opponent(us), to);
    const uint64_t occupied = (view->occupied ^ from ^ victim) | to;
    const uint64_t enemy = view->enemy ^ victim;
    const unsigned king = view->king_square;
    return !((rook_attacks(king, occupied) & board->straights & enemy) |
             (bishop_attacks(king, occupied) & board->diagonals & enemy) |
             (view->checkers & ~victim & (board->knights | board->pawns)));
}

PM_ALWAYS_INLINE uint64_t en_passant_captors(const struct board *board, enum pm_color us,
                                             const struct view *view, uint64_t target)
{
    uint64_t captors = pawn_attacks(opponent(us), target) & board->pawns & view->own;
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest))
        if (!en_passant_is_legal(board, us, view, rest & -rest, target))
            captors ^= rest & -rest;
    return captors;
}

/* Whether the king, which is not in check, may castle this way. */
PM_ALWAYS_INLINE int castling_is_legal(const struct board *board, enum pm_color us,
                                       const struct view *view, uint64_t danger,
                                       const struct castling *castling)
{
    return (castling->rook & castling_rooks(board, us)) &&
           !((castling->empty & view->occupied) | (castling->passage & danger) |
             (castling->shielded & board->straights & view->enemy));
}

#endif
