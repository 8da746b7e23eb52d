/* SPDX-License-Identifier: MIT */
/* The family's board: sets of pieces, copied for each move. */
#ifndef PM_KERNELS_SLIDERS_BOARD_H
#define PM_KERNELS_SLIDERS_BOARD_H

#include "core/bits.h"
#include "core/board.h"
#include "kernels/sliders/rays.h"

#include <stdint.h>

struct board {
    uint64_t pieces[PM_COLOR_COUNT];
    uint64_t pawns, knights, diagonals, straights, kings; /* of both; queens are in two sets */
    uint64_t rights; /* on the first and last rank rooks that may castle; the en passant square */
};

#define HOME_RANKS (RANK_1 | RANK_8)

enum kind { KIND_PLAIN, KIND_DOUBLE_PUSH, KIND_PROMOTION, KIND_EN_PASSANT, KIND_CASTLING };

struct move {
    uint8_t from, to; /* castling: king and rook */
    uint8_t type;     /* enum pm_piece_type of the piece that moves; what a pawn becomes */
    uint8_t kind;     /* enum kind */
};

PM_ALWAYS_INLINE enum pm_color other(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* A rank counted from the side's own first rank. */
PM_ALWAYS_INLINE uint64_t own_rank(enum pm_color us, unsigned number)
{
    return RANK_1 << 8 * (us == PM_WHITE ? number - 1 : 8 - number);
}

/* A set moved by `step` squares, towards h8 if positive. */
PM_ALWAYS_INLINE uint64_t moved(uint64_t set, int step)
{
    return step > 0 ? set << step : set >> -step;
}

PM_ALWAYS_INLINE unsigned castled_king(unsigned king, unsigned rook)
{
    return (king & 56) | (rook > king ? 6 : 2);
}

PM_ALWAYS_INLINE unsigned castled_rook(unsigned king, unsigned rook)
{
    return (king & 56) | (rook > king ? 5 : 3);
}

PM_ALWAYS_INLINE uint64_t set_if(int condition, uint64_t set)
{
    return condition ? set : 0;
}

/* Exchanges what stands on the squares of `change` with emptiness. */
PM_ALWAYS_INLINE void toggle(struct board *board, enum pm_piece_type type, uint64_t change)
{
    board->pawns ^= set_if(type == PM_PAWN, change);
    board->knights ^= set_if(type == PM_KNIGHT, change);
    board->diagonals ^= set_if(type == PM_BISHOP || type == PM_QUEEN, change);
    board->straights ^= set_if(type == PM_ROOK || type == PM_QUEEN, change);
    board->kings ^= set_if(type == PM_KING, change);
}

PM_ALWAYS_INLINE void castle(struct board *board, enum pm_color us, unsigned king, unsigned rook)
{
    const uint64_t king_change = pm_bit(king) ^ pm_bit(castled_king(king, rook));
    const uint64_t rook_change = pm_bit(rook) ^ pm_bit(castled_rook(king, rook));
    board->kings ^= king_change;
    board->straights ^= rook_change;
    board->pieces[us] ^= king_change ^ rook_change;
    board->rights &= HOME_RANKS & ~own_rank(us, 1);
}

/* Plays a legal move of `us`. */
PM_ALWAYS_INLINE void make(struct board *board, enum pm_color us, struct move move)
{
    const uint64_t from = pm_bit(move.from), to = pm_bit(move.to);
    if (move.kind == KIND_CASTLING) {
        castle(board, us, move.from, move.to);
        return;
    }
    uint64_t captured = to;
    if (move.kind == KIND_EN_PASSANT)
        captured = us == PM_WHITE ? to >> 8 : to << 8;
    board->pieces[other(us)] &= ~captured;
    board->pawns &= ~captured;
    board->knights &= ~captured;
    board->diagonals &= ~captured;
    board->straights &= ~captured;

    board->pieces[us] ^= from | to;
    if (move.kind == KIND_PROMOTION) {
        board->pawns ^= from;
        toggle(board, (enum pm_piece_type)move.type, to);
    } else {
        toggle(board, (enum pm_piece_type)move.type, from | to);
    }
    board->rights &= HOME_RANKS & ~(from | to);
    board->rights &= ~set_if(move.type == PM_KING, own_rank(us, 1));
    board->rights |= set_if(move.kind == KIND_DOUBLE_PUSH, us == PM_WHITE ? from << 8 : from >> 8);
}

static inline enum pm_piece_type type_on(const struct board *board, unsigned square)
{
    const uint64_t set = pm_bit(square);
    if (board->pawns & set)
        return PM_PAWN;
    if (board->knights & set)
        return PM_KNIGHT;
    if (board->kings & set)
        return PM_KING;
    if (board->diagonals & board->straights & set)
        return PM_QUEEN;
    if (board->diagonals & set)
        return PM_BISHOP;
    return board->straights & set ? PM_ROOK : PM_NO_PIECE_TYPE;
}

#endif
