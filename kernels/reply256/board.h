/* SPDX-License-Identifier: MIT */
/* The board as the side to move sees it: its pieces are `own`, its pawns go up, its first rank is
 * rank
 * 1. After each move the board is turned upside down, so that all code is written once, for one
 * side. */
#ifndef PM_REPLY256_BOARD_H
#define PM_REPLY256_BOARD_H

#include "core/bits.h"
#include "core/board.h"

#include <stdint.h>

#define NOINLINE static __attribute__((noinline))

/* One cache line. A queen is in `diagonals` and in `straights`. `rights` holds the rooks that may
 * still castle (ranks 1 and 8) and the square on which the side to move may capture en passant
 * (rank 6). */
struct board {
    uint64_t own, enemy;
    uint64_t pawns, knights, diagonals, straights, kings;
    uint64_t rights;
} __attribute__((aligned(64)));

#define FILE_A 0x0101010101010101ULL
#define FILE_H 0x8080808080808080ULL
#define RANK(number) (0xffULL << 8 * ((number)-1))

PM_ALWAYS_INLINE uint64_t up(uint64_t set)
{
    return set << 8;
}
PM_ALWAYS_INLINE uint64_t down(uint64_t set)
{
    return set >> 8;
}
PM_ALWAYS_INLINE uint64_t up_left(uint64_t set)
{
    return (set & ~FILE_A) << 7;
}
PM_ALWAYS_INLINE uint64_t up_right(uint64_t set)
{
    return (set & ~FILE_H) << 9;
}
PM_ALWAYS_INLINE uint64_t down_left(uint64_t set)
{
    return (set & ~FILE_A) >> 9;
}
PM_ALWAYS_INLINE uint64_t down_right(uint64_t set)
{
    return (set & ~FILE_H) >> 7;
}
PM_ALWAYS_INLINE uint64_t both_up(uint64_t set)
{
    return up_left(set) | up_right(set);
}
PM_ALWAYS_INLINE uint64_t both_down(uint64_t set)
{
    return down_left(set) | down_right(set);
}
PM_ALWAYS_INLINE uint64_t beside(uint64_t set)
{
    return (set & ~FILE_A) >> 1 | (set & ~FILE_H) << 1;
}
PM_ALWAYS_INLINE uint64_t lowest(uint64_t set)
{
    return set & -set;
}

PM_ALWAYS_INLINE uint64_t en_passant_target(const struct board *board)
{
    return board->rights & RANK(6);
}
PM_ALWAYS_INLINE uint64_t own_castling_rooks(const struct board *board)
{
    return board->rights & RANK(1);
}

PM_ALWAYS_INLINE struct board turned(const struct board *board)
{
    return (struct board){
        .own = __builtin_bswap64(board->enemy),
        .enemy = __builtin_bswap64(board->own),
        .pawns = __builtin_bswap64(board->pawns),
        .knights = __builtin_bswap64(board->knights),
        .diagonals = __builtin_bswap64(board->diagonals),
        .straights = __builtin_bswap64(board->straights),
        .kings = __builtin_bswap64(board->kings),
        .rights = __builtin_bswap64(board->rights),
    };
}

/* The set after whatever stood on `from` has gone to `to`, and what stood there is no more. */
PM_ALWAYS_INLINE uint64_t moved(uint64_t set, uint64_t from, uint64_t to)
{
    return (set & ~(from | to)) | (set & from ? to : 0);
}

/* The board after a move of one piece, not yet turned. A castling right goes with its rook, moved
 * or captured, or with its king. */
PM_ALWAYS_INLINE struct board after_move(const struct board *board, uint64_t from, uint64_t to)
{
    const uint64_t lost = from | to | (board->kings & from ? RANK(1) : 0);
    return (struct board){
        .own = board->own ^ (from | to),
        .enemy = board->enemy & ~to,
        .pawns = moved(board->pawns, from, to),
        .knights = moved(board->knights, from, to),
        .diagonals = moved(board->diagonals, from, to),
        .straights = moved(board->straights, from, to),
        .kings = moved(board->kings, from, to),
        .rights = board->rights & (RANK(1) | RANK(8)) & ~lost,
    };
}
PM_ALWAYS_INLINE struct board after_double_push(const struct board *board, uint64_t from,
                                                uint64_t to)
{
    struct board after = after_move(board, from, to);
    after.rights |= beside(to) & board->pawns & board->enemy ? up(from) : 0;
    return after;
}
PM_ALWAYS_INLINE struct board after_promotion(const struct board *board, uint64_t from, uint64_t to,
                                              enum pm_piece_type promotion)
{
    struct board after = after_move(board, from, to);
    after.pawns ^= to;
    after.knights |= promotion == PM_KNIGHT ? to : 0;
    after.diagonals |= promotion == PM_BISHOP || promotion == PM_QUEEN ? to : 0;
    after.straights |= promotion == PM_ROOK || promotion == PM_QUEEN ? to : 0;
    return after;
}
PM_ALWAYS_INLINE struct board after_en_passant(const struct board *board, uint64_t from,
                                               uint64_t to)
{
    struct board after = after_move(board, from, to);
    after.enemy ^= down(to);
    after.pawns ^= down(to);
    return after;
}

/* The king ends on the c- or g-file, the rook beside it, whatever their origins. */
PM_ALWAYS_INLINE uint64_t castled_king(uint64_t king, uint64_t rook)
{
    return rook > king ? 1ULL << 6 : 1ULL << 2;
}
PM_ALWAYS_INLINE uint64_t castled_rook(uint64_t king, uint64_t rook)
{
    return rook > king ? 1ULL << 5 : 1ULL << 3;
}
PM_ALWAYS_INLINE struct board after_castling(const struct board *board, uint64_t king,
                                             uint64_t rook)
{
    const uint64_t king_to = castled_king(king, rook), rook_to = castled_rook(king, rook);
    struct board after = *board;
    after.own = (board->own & ~(king | rook)) | king_to | rook_to;
    after.kings ^= king ^ king_to;
    after.straights ^= rook ^ rook_to;
    after.rights &= RANK(8);
    return after;
}

#endif
