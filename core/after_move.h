/* SPDX-License-Identifier: MIT */
/* What moves make of bitboards (core/bitboards.h). Which moves are legal a
 * kernel tells; nothing here checks. Sets named `from`, `to`, `rook`, `king` hold one square. */
#ifndef PM_CORE_AFTER_MOVE_H
#define PM_CORE_AFTER_MOVE_H

#include "core/bitboards.h"
#include "core/bits.h"
#include "core/board.h"

#include <stdint.h>

PM_ALWAYS_INLINE enum pm_color pm_opponent(enum pm_color us)
{
    return us == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* Rank 1 is the side's own first rank. */
PM_ALWAYS_INLINE uint64_t pm_rank_set(enum pm_color us, unsigned number)
{
    return 0xffULL << 8 * (us == PM_WHITE ? number - 1 : 8 - number);
}

/* The set one step on, as a side's pawns go. */
PM_ALWAYS_INLINE uint64_t pm_forward(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set << 8 : set >> 8;
}

/* The squares to the left and to the right. */
PM_ALWAYS_INLINE uint64_t pm_beside(uint64_t set)
{
    return (set & ~0x0101010101010101ULL) >> 1 | (set & ~0x8080808080808080ULL) << 1;
}

/* A piece moves and removes what stood on its target. A castling right goes with its rook, moved or
 * captured, or with its king. */
PM_ALWAYS_INLINE void pm_after_move(struct pm_bitboards *child, const struct pm_bitboards *board,
                                    enum pm_color us, enum pm_piece_type type, uint64_t from,
                                    uint64_t to)
{
    const uint64_t both = from | to;
    child->pieces[us] = board->pieces[us] ^ both;
    child->pieces[pm_opponent(us)] = board->pieces[pm_opponent(us)] & ~to;
    child->pawns = (board->pawns & ~to) ^ (type == PM_PAWN ? both : 0);
    child->knights = (board->knights & ~to) ^ (type == PM_KNIGHT ? both : 0);
    child->diagonals =
        (board->diagonals & ~to) ^ (type == PM_BISHOP || type == PM_QUEEN ? both : 0);
    child->straights = (board->straights & ~to) ^ (type == PM_ROOK || type == PM_QUEEN ? both : 0);
    child->kings = board->kings ^ (type == PM_KING ? both : 0);
    child->rights =
        board->rights & PM_BACK_RANKS & ~both & ~(type == PM_KING ? pm_rank_set(us, 1) : 0);
}

/* The passed square is noted if an enemy pawn stands beside the target. Whether it may capture is
 * for the caller to find out: a square without a legal capture must be dropped. */
PM_ALWAYS_INLINE void pm_after_double_push(struct pm_bitboards *child,
                                           const struct pm_bitboards *board, enum pm_color us,
                                           uint64_t from, uint64_t to)
{
    pm_after_move(child, board, us, PM_PAWN, from, to);
    if (pm_beside(to) & board->pawns & board->pieces[pm_opponent(us)])
        child->rights |= pm_forward(us, from);
}

PM_ALWAYS_INLINE void pm_after_promotion(struct pm_bitboards *child,
                                         const struct pm_bitboards *board, enum pm_color us,
                                         enum pm_piece_type promotion, uint64_t from, uint64_t to)
{
    pm_after_move(child, board, us, PM_PAWN, from, to);
    child->pawns ^= to;
    child->knights |= promotion == PM_KNIGHT ? to : 0;
    child->diagonals |= promotion == PM_BISHOP || promotion == PM_QUEEN ? to : 0;
    child->straights |= promotion == PM_ROOK || promotion == PM_QUEEN ? to : 0;
}

/* The captured pawn stands one step behind the target. */
PM_ALWAYS_INLINE void pm_after_en_passant(struct pm_bitboards *child,
                                          const struct pm_bitboards *board, enum pm_color us,
                                          uint64_t from, uint64_t to)
{
    const uint64_t captured = pm_forward(pm_opponent(us), to);
    pm_after_move(child, board, us, PM_PAWN, from, to);
    child->pieces[pm_opponent(us)] ^= captured;
    child->pawns ^= captured;
}

/* The king ends on the g- or c-file, the rook beside it, whatever their origins. */
PM_ALWAYS_INLINE void pm_after_castling(struct pm_bitboards *child,
                                        const struct pm_bitboards *board, enum pm_color us,
                                        uint64_t rook)
{
    const uint64_t king = board->kings & board->pieces[us], rank = pm_rank_set(us, 1);
    const uint64_t king_to = rank & 0x0101010101010101ULL << (rook > king ? 6 : 2);
    const uint64_t rook_to = rank & 0x0101010101010101ULL << (rook > king ? 5 : 3);
    *child = *board;
    child->pieces[us] = (board->pieces[us] & ~(king | rook)) | king_to | rook_to;
    child->kings ^= king ^ king_to;
    child->straights ^= rook ^ rook_to;
    child->rights &= PM_BACK_RANKS & ~rank;
}

#endif
