/* SPDX-License-Identifier: MIT */
/* A position and its legal moves as sets of squares (bitboards): the shapes in which deep counting
 * passes positions by the million between its tables and a kernel. */
#ifndef PM_CORE_BITBOARDS_H
#define PM_CORE_BITBOARDS_H

#include "core/board.h"

#include <stdint.h>

#define PM_BACK_RANKS 0xff000000000000ffULL

/* One cache line; bit 0 = a1 … bit 63 = h8. The side to move and the clocks are not part of it. A
 * queen is in `diagonals` and in `straights`. `rights` holds what is not a piece: the rooks that
 * may still castle, on the first and last ranks, and the square on which a pawn may be captured en
 * passant, on the third or sixth. */
struct pm_bitboards {
    uint64_t pieces[PM_COLOR_COUNT];
    uint64_t pawns, knights, diagonals, straights, kings;
    uint64_t rights;
} __attribute__((aligned(64)));

/* Where one piece may move. */
struct pm_piece_moves {
    uint64_t targets; /* never empty */
    uint8_t from;     /* pm_square */
    uint8_t type;     /* enum pm_piece_type, not PM_PAWN */
};

/* All legal moves of one side. A target on an enemy piece captures it. */
struct pm_expansion {
    /* Pawns, by the step that leads to the target; a target on the last rank stands for four
     * promotions. Left is towards the a-file for both sides. */
    uint64_t pushes, double_pushes, left_captures, right_captures;
    uint64_t en_passant_captors; /* the pawns that may capture on the en passant square */
    uint64_t castling_rooks;     /* the rooks with which the king may castle */
    unsigned piece_count;        /* of pieces[] */
    struct pm_piece_moves pieces[PM_SQUARE_COUNT];
};

/* Is given one position after a move, with the other side to move. */
typedef void pm_child_function(void *context, const struct pm_bitboards *child);

/* How one side attacks the other's king, with the board as it is. Whoever is to move, the side's
 * checkers are its pawns in `pawns`, its knights in `knights` and so on, and a move that ends there
 * gives check (but see pm_expander). */
struct pm_check_squares {
    uint64_t pawns, knights, diagonals,
        straights;    /* from where pieces of that kind attack the king */
    uint64_t screens; /* pieces of either side that stand alone between the king and a slider of
                         this side that would attack it: of this side they uncover a check when they
                         leave the line, of the other they are pinned */
};

/* What deep counting, replaying and analysis ask of a kernel: no function keeps or changes anything
 * else, and any number of threads may call them after the kernel's init(). */
struct pm_expander {
    void (*expand)(const struct pm_bitboards *board, enum pm_color us,
                   struct pm_expansion *expansion);
    /* The leaves two plies below, by the kernel's fastest way. */
    uint64_t (*count_two_plies)(const struct pm_bitboards *board, enum pm_color us);
    /* Optional, may be NULL: makes each legal move and calls `visit` with the position after it, in
     * which the en passant square is set only if a capture on it is legal. With it a count by
     * distinct positions rests on the kernel's rules alone; without it perft/children.h makes the
     * moves that expand() gives, faster, by code of lineage "pext". */
    void (*visit_children)(const struct pm_bitboards *board, enum pm_color us,
                           pm_child_function *visit, void *context);
    /* Optional, may be NULL: the pieces of one type with which `us`, to move, may legally go to a
     * square; en passant captures count, castling does not. */
    uint64_t (*origins)(const struct pm_bitboards *board, enum pm_color us, enum pm_piece_type type,
                        pm_square to);
    /* Optional, may be NULL: how `us` attacks the enemy king. A promoted piece may attack through
     * the square that its pawn left, and castling and en passant change two squares: for these ask
     * the board after the move.
     */
    void (*find_check_squares)(const struct pm_bitboards *board, enum pm_color us,
                               struct pm_check_squares *squares);
};

/* The square of `rights` that is no castling rook's; 0 if there is none. */
static inline uint64_t pm_en_passant_set(const struct pm_bitboards *board)
{
    return board->rights & ~PM_BACK_RANKS;
}

/* The type of the piece on a square, a set of one. */
static inline enum pm_piece_type pm_bitboards_type(const struct pm_bitboards *board,
                                                   uint64_t square)
{
    if (board->pawns & square)
        return PM_PAWN;
    if (board->knights & square)
        return PM_KNIGHT;
    if (board->kings & square)
        return PM_KING;
    if (board->diagonals & board->straights & square)
        return PM_QUEEN;
    return board->diagonals & square ? PM_BISHOP : PM_ROOK;
}

/* The pieces of `us` that give check. */
static inline uint64_t pm_checkers_of(const struct pm_bitboards *board, enum pm_color us,
                                      const struct pm_check_squares *squares)
{
    return board->pieces[us] &
           ((squares->pawns & board->pawns) | (squares->knights & board->knights) |
            (squares->diagonals & board->diagonals) | (squares->straights & board->straights));
}

/* No moves. */
static inline void pm_expansion_clear(struct pm_expansion *expansion)
{
    expansion->pushes = expansion->double_pushes = 0;
    expansion->left_captures = expansion->right_captures = 0;
    expansion->en_passant_captors = expansion->castling_rooks = 0;
    expansion->piece_count = 0;
}

/* Adds one piece's moves; `targets` may be empty. Written in any case, counted if there are any: no
 * branch. */
static inline void pm_expansion_add(struct pm_expansion *expansion, enum pm_piece_type type,
                                    unsigned from, uint64_t targets)
{
    expansion->pieces[expansion->piece_count] =
        (struct pm_piece_moves){.targets = targets, .from = (uint8_t)from, .type = (uint8_t)type};
    expansion->piece_count += targets != 0;
}

struct pm_bitboards pm_bitboards_of(const struct pm_position *position);

/* The position that they stand for, with clocks at 0 and 1. */
struct pm_position pm_bitboards_position(const struct pm_bitboards *board, enum pm_color us);

/* The moves of an expansion one by one, in no special order. Returns their number. */
unsigned pm_expansion_to_moves(const struct pm_expansion *expansion,
                               const struct pm_bitboards *board, enum pm_color us,
                               struct pm_move moves[PM_MAX_MOVES]);

#endif
