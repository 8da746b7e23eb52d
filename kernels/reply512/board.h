/* SPDX-License-Identifier: MIT */
/* The board that is copied at every move, its geometry from one side's view, and what moves do to
 * it. */
#ifndef PM_REPLY512_BOARD_H
#define PM_REPLY512_BOARD_H

#include "core/bits.h"
#include "core/board.h"

#include <stdint.h>

#define NOINLINE static __attribute__((noinline))

/* One cache line. A queen is in `diagonals` and in `straights`. `rights` holds the rooks that may
 * still castle (on the first and last ranks) and the square on which a pawn may be captured en
 * passant (on the third or sixth). */
struct board {
    uint64_t pieces[PM_COLOR_COUNT];
    uint64_t pawns, knights, diagonals, straights, kings;
    uint64_t rights;
} __attribute__((aligned(64)));

#define FILE_A 0x0101010101010101ULL
#define FILE_H 0x8080808080808080ULL
#define BACK_RANKS 0xff000000000000ffULL

PM_ALWAYS_INLINE enum pm_color opponent(enum pm_color us)
{
    return us == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* Rank 1 is the side's own first rank. */
PM_ALWAYS_INLINE uint64_t rank_of(enum pm_color us, unsigned number)
{
    return 0xffULL << 8 * (us == PM_WHITE ? number - 1 : 8 - number);
}

/* Sets moved one step in a pawn's way; `left` is towards the a-file for both sides. Those that go
 * back undo a step that was possible. */
PM_ALWAYS_INLINE uint64_t forward(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set << 8 : set >> 8;
}
PM_ALWAYS_INLINE uint64_t back(enum pm_color us, uint64_t set)
{
    return forward(opponent(us), set);
}
PM_ALWAYS_INLINE uint64_t forward_left(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? (set & ~FILE_A) << 7 : (set & ~FILE_A) >> 9;
}
PM_ALWAYS_INLINE uint64_t forward_right(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? (set & ~FILE_H) << 9 : (set & ~FILE_H) >> 7;
}
PM_ALWAYS_INLINE uint64_t back_from_left(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set >> 7 : set << 9;
}
PM_ALWAYS_INLINE uint64_t back_from_right(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set >> 9 : set << 7;
}
PM_ALWAYS_INLINE uint64_t pawn_attacks(enum pm_color us, uint64_t pawns)
{
    return forward_left(us, pawns) | forward_right(us, pawns);
}
PM_ALWAYS_INLINE uint64_t beside(uint64_t set)
{
    return (set & ~FILE_A) >> 1 | (set & ~FILE_H) << 1;
}

PM_ALWAYS_INLINE uint64_t castling_rooks(const struct board *board, enum pm_color us)
{
    return board->rights & rank_of(us, 1);
}
PM_ALWAYS_INLINE uint64_t en_passant_target(const struct board *board, enum pm_color us)
{
    return board->rights & rank_of(us, 6);
}

/* Moves a piece and removes what stood on its target; sets of one square. A castling right goes
 * with its rook, moved or captured, or with its king. */
PM_ALWAYS_INLINE void after_move(struct board *child, const struct board *board, enum pm_color us,
                                 enum pm_piece_type type, uint64_t from, uint64_t to)
{
    const uint64_t both = from | to;
    child->pieces[us] = board->pieces[us] ^ both;
    child->pieces[opponent(us)] = board->pieces[opponent(us)] & ~to;
    child->pawns = (board->pawns & ~to) ^ (type == PM_PAWN ? both : 0);
    child->knights = (board->knights & ~to) ^ (type == PM_KNIGHT ? both : 0);
    child->diagonals =
        (board->diagonals & ~to) ^ (type == PM_BISHOP || type == PM_QUEEN ? both : 0);
    child->straights = (board->straights & ~to) ^ (type == PM_ROOK || type == PM_QUEEN ? both : 0);
    child->kings = board->kings ^ (type == PM_KING ? both : 0);
    child->rights = board->rights & BACK_RANKS & ~both & ~(type == PM_KING ? rank_of(us, 1) : 0);
}

PM_ALWAYS_INLINE void after_double_push(struct board *child, const struct board *board,
                                        enum pm_color us, uint64_t from, uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    if (beside(to) & board->pawns & board->pieces[opponent(us)])
        child->rights |= forward(us, from);
}

PM_ALWAYS_INLINE void after_promotion(struct board *child, const struct board *board,
                                      enum pm_color us, enum pm_piece_type promotion, uint64_t from,
                                      uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    child->pawns ^= to;
    child->knights |= promotion == PM_KNIGHT ? to : 0;
    child->diagonals |= promotion == PM_BISHOP || promotion == PM_QUEEN ? to : 0;
    child->straights |= promotion == PM_ROOK || promotion == PM_QUEEN ? to : 0;
}

PM_ALWAYS_INLINE void after_en_passant(struct board *child, const struct board *board,
                                       enum pm_color us, uint64_t from, uint64_t to)
{
    after_move(child, board, us, PM_PAWN, from, to);
    child->pieces[opponent(us)] ^= back(us, to);
    child->pawns ^= back(us, to);
}

/* The king ends on the c- or g-file, the rook beside it, whatever their origins. */
PM_ALWAYS_INLINE uint64_t castled_king(enum pm_color us, uint64_t king, uint64_t rook)
{
    return rank_of(us, 1) & FILE_A << (rook > king ? 6 : 2);
}
PM_ALWAYS_INLINE uint64_t castled_rook(enum pm_color us, uint64_t king, uint64_t rook)
{
    return rank_of(us, 1) & FILE_A << (rook > king ? 5 : 3);
}
PM_ALWAYS_INLINE void after_castling(struct board *child, const struct board *board,
                                     enum pm_color us, uint64_t king, uint64_t rook)
{
    const uint64_t king_to = castled_king(us, king, rook), rook_to = castled_rook(us, king, rook);
    *child = *board;
    child->pieces[us] = (board->pieces[us] & ~(king | rook)) | king_to | rook_to;
    child->kings ^= king ^ king_to;
    child->straights ^= rook ^ rook_to;
    child->rights &= BACK_RANKS & ~rank_of(us, 1);
}

#endif
