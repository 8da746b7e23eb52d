/* SPDX-License-Identifier: MIT */
/* The board that is copied at every move, and how moves change it. */
#ifndef PM_PEXT_BOARD_H
#define PM_PEXT_BOARD_H

#include "core/bits.h"
#include "core/board.h"

#include <stdint.h>

/* One cache line. Queens are in `diagonals` and in `straights`. `rights` holds what is not a piece:
 * the rooks that may still castle, on the first and last ranks, and the square on which an enemy
 * pawn may be captured en passant, on the third or sixth. So a right is lost by clearing the
 * squares that a move leaves and reaches, and any castling of Chess960 costs as much as one of
 * standard chess. */
struct board {
    uint64_t pieces[PM_COLOR_COUNT];
    uint64_t pawns, knights, diagonals, straights, kings;
    uint64_t rights;
} __attribute__((aligned(64)));

#define FILE_A 0x0101010101010101ULL
#define FILE_H 0x8080808080808080ULL
#define RANK(number) (0xffULL << 8 * ((number)-1))
#define CASTLING_RANKS (RANK(1) | RANK(8))
#define NO_SET 0ULL
#define ALL_SQUARES (~0ULL)

PM_ALWAYS_INLINE enum pm_color opponent(enum pm_color us)
{
    return us == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* Ranks as a side sees them: its own first rank is rank 1. */
PM_ALWAYS_INLINE uint64_t rank_of_side(enum pm_color us, unsigned number)
{
    return us == PM_WHITE ? RANK(number) : RANK(9 - number);
}

/* Sets of pawns moved one step. Left is towards the a-file for both sides. */
PM_ALWAYS_INLINE uint64_t forward(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set << 8 : set >> 8;
}
PM_ALWAYS_INLINE uint64_t forward_left(enum pm_color us, uint64_t set)
{
    set &= ~FILE_A;
    return us == PM_WHITE ? set << 7 : set >> 9;
}
PM_ALWAYS_INLINE uint64_t forward_right(enum pm_color us, uint64_t set)
{
    set &= ~FILE_H;
    return us == PM_WHITE ? set << 9 : set >> 7;
}
PM_ALWAYS_INLINE uint64_t pawn_attacks(enum pm_color us, uint64_t pawns)
{
    return forward_left(us, pawns) | forward_right(us, pawns);
}

PM_ALWAYS_INLINE uint64_t castling_rooks(const struct board *board, enum pm_color us)
{
    return board->rights & rank_of_side(us, 1);
}
PM_ALWAYS_INLINE uint64_t en_passant_target(const struct board *board, enum pm_color us)
{
    return board->rights & rank_of_side(us, 6);
}

/* Moves a piece from one square to another and removes what stood there. `from` and `to` are sets
 * of one square. A right goes with its rook, whether that moves or is captured, or with its king.
 */
PM_ALWAYS_INLINE void after_move(struct board *child, const struct board *board, enum pm_color us,
                                 enum pm_piece_type type, uint64_t from, uint64_t to)
{
    const uint64_t both = from | to;
    child->pieces[us] = board->pieces[us] ^ both;
    child->pieces[opponent(us)] = board->pieces[opponent(us)] & ~to;
    child->pawns = board->pawns & ~to;
    child->knights = board->knights & ~to;
    child->diagonals = board->diagonals & ~to;
    child->straights = board->straights & ~to;
    child->kings = board->kings;
    child->rights = board->rights & CASTLING_RANKS & ~both;
    if (type == PM_PAWN)
        child->pawns ^= both;
    if (type == PM_KNIGHT)
        child->knights ^= both;
    if (type == PM_BISHOP || type == PM_QUEEN)
        child->diagonals ^= both;
    if (type == PM_ROOK || type == PM_QUEEN)
        child->straights ^= both;
    if (type == PM_KING) {
        child->kings ^= both;
        child->rights &= ~rank_of_side(us, 1);
    }
}

/* The passed square is marked only where an enemy pawn stands ready to capture. */
PM_ALWAYS_INLINE void after_double_push(struct board *child, const struct board *board,
                                        enum pm_color us, uint64_t from, uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    const uint64_t beside = (to & ~FILE_A) >> 1 | (to & ~FILE_H) << 1;
    if (beside & board->pawns & board->pieces[opponent(us)])
        child->rights |= forward(us, from);
}

PM_ALWAYS_INLINE void after_promotion(struct board *child, const struct board *board,
                                      enum pm_color us, enum pm_piece_type promotion, uint64_t from,
                                      uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    child->pawns ^= to;
    if (promotion == PM_KNIGHT)
        child->knights |= to;
    if (promotion == PM_BISHOP || promotion == PM_QUEEN)
        child->diagonals |= to;
    if (promotion == PM_ROOK || promotion == PM_QUEEN)
        child->straights |= to;
}

PM_ALWAYS_INLINE void after_en_passant(struct board *child, const struct board *board,
                                       enum pm_color us, uint64_t from, uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    const uint64_t victim = forward(opponent(us), to);
    child->pieces[opponent(us)] ^= victim;
    child->pawns ^= victim;
}

/* Where king and rook end: g1 and f1 if the rook stands towards the h-file, else c1 and d1. */
PM_ALWAYS_INLINE uint64_t castled_king(enum pm_color us, uint64_t king, uint64_t rook)
{
    return (rook > king ? pm_bit(6) : pm_bit(2)) << (us == PM_WHITE ? 0 : 56);
}
PM_ALWAYS_INLINE uint64_t castled_rook(enum pm_color us, uint64_t king, uint64_t rook)
{
    return (rook > king ? pm_bit(5) : pm_bit(3)) << (us == PM_WHITE ? 0 : 56);
}

/* King and rook may exchange their squares, or one of them may stay. */
PM_ALWAYS_INLINE void after_castling(struct board *child, const struct board *board,
                                     enum pm_color us, uint64_t king, uint64_t rook)
{
    const uint64_t king_to = castled_king(us, king, rook), rook_to = castled_rook(us, king, rook);
    *child = *board;
    child->pieces[us] = (board->pieces[us] & ~(king | rook)) | king_to | rook_to;
    child->kings ^= king ^ king_to;
    child->straights ^= rook ^ rook_to;
    child->rights &= CASTLING_RANKS & ~rank_of_side(us, 1);
}

#endif
