/* SPDX-License-Identifier: MIT */
/* Zobrist keys of bitboards: the exclusive or of one random number for each piece on its square,
 * each castling right and a legal en passant square (A. L. Zobrist, "A new hashing method with
 * application for game playing", 1970). The side to move is not in them, nor the clocks: tables
 * hold positions of one ply.
 *
 * The part of one side's pieces alone is its placement key. */
#ifndef PM_PERFT_ZOBRIST_H
#define PM_PERFT_ZOBRIST_H

#include "core/bitboards.h"
#include "core/bits.h"
#include "core/board.h"

#include <stdint.h>

struct pm_zobrist {
    uint64_t piece[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT][PM_SQUARE_COUNT];
    uint64_t rights[PM_SQUARE_COUNT]; /* castling rooks, and en passant squares */
    /* What a pawn's push changes, by its target: single and double. */
    uint64_t push[PM_COLOR_COUNT][PM_SQUARE_COUNT], double_push[PM_COLOR_COUNT][PM_SQUARE_COUNT];
};

/* Different seeds give independent keys. */
void pm_zobrist_fill(struct pm_zobrist *zobrist, uint64_t seed);

PM_ALWAYS_INLINE uint64_t pm_zobrist_of_pieces(const struct pm_zobrist *zobrist,
                                               enum pm_color color, enum pm_piece_type type,
                                               uint64_t pieces)
{
    uint64_t key = 0;
    for (uint64_t rest = pieces; rest; rest = pm_without_lsb(rest))
        key ^= zobrist->piece[color][type][pm_lsb(rest)];
    return key;
}

PM_ALWAYS_INLINE uint64_t pm_zobrist_of_setup(const struct pm_zobrist *zobrist,
                                              const struct pm_bitboards *board, enum pm_color color)
{
    const uint64_t pieces = board->pieces[color];
    const uint64_t diagonals = board->diagonals & pieces, straights = board->straights & pieces;
    return pm_zobrist_of_pieces(zobrist, color, PM_PAWN, board->pawns & pieces) ^
           pm_zobrist_of_pieces(zobrist, color, PM_KNIGHT, board->knights & pieces) ^
           pm_zobrist_of_pieces(zobrist, color, PM_BISHOP, diagonals & ~straights) ^
           pm_zobrist_of_pieces(zobrist, color, PM_ROOK, straights & ~diagonals) ^
           pm_zobrist_of_pieces(zobrist, color, PM_QUEEN, diagonals & straights) ^
           pm_zobrist_of_pieces(zobrist, color, PM_KING, board->kings & pieces);
}

PM_ALWAYS_INLINE uint64_t pm_zobrist_of_rights(const struct pm_zobrist *zobrist, uint64_t rights)
{
    uint64_t key = 0;
    for (uint64_t rest = rights; rest; rest = pm_without_lsb(rest))
        key ^= zobrist->rights[pm_lsb(rest)];
    return key;
}

PM_ALWAYS_INLINE uint64_t pm_zobrist_key(const struct pm_zobrist *zobrist,
                                         const struct pm_bitboards *board)
{
    return pm_zobrist_of_setup(zobrist, board, PM_WHITE) ^
           pm_zobrist_of_setup(zobrist, board, PM_BLACK) ^
           pm_zobrist_of_rights(zobrist, board->rights);
}

/* What differs of one side's pieces between two boards of one ply and the next. */
PM_ALWAYS_INLINE uint64_t pm_zobrist_of_change(const struct pm_zobrist *zobrist,
                                               const struct pm_bitboards *before,
                                               const struct pm_bitboards *after,
                                               enum pm_color color)
{
    const uint64_t old = before->pieces[color], new = after->pieces[color];
    const uint64_t old_queens = old & before->diagonals & before->straights;
    const uint64_t new_queens = new & after->diagonals & after->straights;
    const uint64_t pawns = (old & before->pawns) ^ (new & after->pawns);
    const uint64_t knights = (old & before->knights) ^ (new & after->knights);
    const uint64_t bishops = (old & before->diagonals) ^ (new & after->diagonals) ^ old_queens;
    const uint64_t rooks = (old & before->straights) ^ (new & after->straights) ^ old_queens;
    return pm_zobrist_of_pieces(zobrist, color, PM_PAWN, pawns) ^
           pm_zobrist_of_pieces(zobrist, color, PM_KNIGHT, knights) ^
           pm_zobrist_of_pieces(zobrist, color, PM_BISHOP, bishops ^ new_queens) ^
           pm_zobrist_of_pieces(zobrist, color, PM_ROOK, rooks ^ new_queens) ^
           pm_zobrist_of_pieces(zobrist, color, PM_QUEEN, old_queens ^ new_queens) ^
           pm_zobrist_of_pieces(zobrist, color, PM_KING,
                                (old & before->kings) ^ (new & after->kings));
}

/* The key of a board, by the squares on which it differs from another and that one's key. */
PM_ALWAYS_INLINE uint64_t pm_zobrist_after(const struct pm_zobrist *zobrist,
                                           const struct pm_bitboards *before, uint64_t key,
                                           const struct pm_bitboards *after)
{
    return key ^ pm_zobrist_of_change(zobrist, before, after, PM_WHITE) ^
           pm_zobrist_of_change(zobrist, before, after, PM_BLACK) ^
           pm_zobrist_of_rights(zobrist, before->rights ^ after->rights);
}

#endif
