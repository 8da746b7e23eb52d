/* SPDX-License-Identifier: MIT */
/* Moves looked at from their target, and checks from the king: what reading a game asks, one move
 * at a time, where listing all of them would be waste. */
#ifndef PM_PEXT_ORIGINS_H
#define PM_PEXT_ORIGINS_H

#include "core/bitboards.h"
#include "kernels/pext/board.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"

#include <stdint.h>

/* Our pawns that may step, capture, or capture en passant there if the king allows it. */
PM_ALWAYS_INLINE uint64_t pawn_origins(const struct board *board, enum pm_color us,
                                       uint64_t occupied, unsigned to)
{
    const uint64_t target = pm_bit(to), pawns = board->pawns & board->pieces[us];
    if (target & (occupied | en_passant_target(board, us)))
        return tables.pawn[opponent(us)][to] & pawns;
    const uint64_t one = forward(opponent(us), target);
    if (one & occupied)
        return one & pawns;
    return target & rank_of_side(us, 4) ? forward(opponent(us), one) & pawns : 0;
}

/* Our pieces that reach a square on which none of ours stands. */
PM_ALWAYS_INLINE uint64_t pieces_that_reach(const struct board *board, enum pm_color us,
                                            enum pm_piece_type type, uint64_t occupied, unsigned to)
{
    switch (type) {
    case PM_PAWN:
        return pawn_origins(board, us, occupied, to);
    case PM_KNIGHT:
        return tables.knight[to] & board->knights;
    case PM_BISHOP:
        return bishop_attacks(to, occupied) & board->diagonals & ~board->straights;
    case PM_ROOK:
        return rook_attacks(to, occupied) & board->straights & ~board->diagonals;
    case PM_QUEEN:
        return (bishop_attacks(to, occupied) | rook_attacks(to, occupied)) & board->diagonals &
               board->straights;
    case PM_KING:
        return tables.king[to] & board->kings;
    default:
        return NO_SET;
    }
}

/* The pieces of `enemy` that attack the king of `us` on that square. */
PM_ALWAYS_INLINE uint64_t king_attackers(const struct board *board, enum pm_color us, unsigned king,
                                         uint64_t enemy, uint64_t occupied)
{
    return ((tables.pawn[us][king] & board->pawns) | (tables.knight[king] & board->knights) |
            (bishop_attacks(king, occupied) & board->diagonals) |
            (rook_attacks(king, occupied) & board->straights) |
            (tables.king[king] & board->kings)) &
           enemy;
}

/* Whether our king is safe once the piece on `from` stands on `to`: asked of the board as it would
 * be, so checks, pins and en passant need no thought of their own. */
PM_ALWAYS_INLINE int leaves_king_safe(const struct board *board, enum pm_color us, uint64_t from,
                                      unsigned to)
{
    const uint64_t target = pm_bit(to), occupied = board->pieces[us] | board->pieces[opponent(us)];
    uint64_t captured = target;
    if (from & board->kings)
        return !king_attackers(board, us, to, board->pieces[opponent(us)] & ~target,
                               occupied ^ from);
    if (from & board->pawns && target & en_passant_target(board, us))
        captured = forward(opponent(us), target);
    return !king_attackers(board, us, pm_lsb(board->kings & board->pieces[us]),
                           board->pieces[opponent(us)] & ~captured,
                           ((occupied ^ from) & ~captured) | target);
}

PM_ALWAYS_INLINE uint64_t origins_of(const struct board *board, enum pm_color us,
                                     enum pm_piece_type type, unsigned to)
{
    const uint64_t occupied = board->pieces[us] | board->pieces[opponent(us)];
    if (board->pieces[us] & pm_bit(to))
        return NO_SET;
    uint64_t origins = pieces_that_reach(board, us, type, occupied, to) & board->pieces[us];
    for (uint64_t rest = origins; rest; rest = pm_without_lsb(rest))
        if (!leaves_king_safe(board, us, rest & -rest, to))
            origins ^= rest & -rest;
    return origins;
}

PM_ALWAYS_INLINE struct pm_check_squares check_squares_of(const struct board *board,
                                                          enum pm_color us)
{
    const uint64_t occupied = board->pieces[PM_WHITE] | board->pieces[PM_BLACK];
    const unsigned king = pm_lsb(board->kings & board->pieces[opponent(us)]);
    struct pm_check_squares squares = {
        .pawns = tables.pawn[opponent(us)][king],
        .knights = tables.knight[king],
        .diagonals = bishop_attacks(king, occupied),
        .straights = rook_attacks(king, occupied),
    };
    const struct lines *lines = &tables.lines[king];
    uint64_t sliders = ((lines->straight & board->straights & ~squares.straights) |
                        (lines->diagonal & board->diagonals & ~squares.diagonals)) &
                       board->pieces[us];
    for (; sliders; sliders = pm_without_lsb(sliders)) {
        const uint64_t between = tables.between[king][pm_lsb(sliders)] & occupied;
        squares.screens |= pm_has_several(between) ? NO_SET : between;
    }
    return squares;
}

#endif
