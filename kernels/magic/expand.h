/* SPDX-License-Identifier: MIT */
/* The expander (core/bitboards.h): legal moves as sets, the positions after them, and the two-ply
 * count, all by this kernel's own generator and make(). */
#ifndef PM_KERNELS_MAGIC_EXPAND_H
#define PM_KERNELS_MAGIC_EXPAND_H

#include "core/bitboards.h"
#include "core/bits.h"
#include "kernels/magic/generate.h"
#include "kernels/magic/state.h"

#include <stdint.h>

PM_ALWAYS_INLINE void put_pieces(struct state *state, enum pm_color color, enum pm_piece_type type,
                                 uint64_t pieces)
{
    state->pieces[color][type] = pieces;
    while (pieces != 0)
        state->type[pm_pop_lsb(&pieces)] = (uint8_t)type;
}

PM_ALWAYS_INLINE void put_side(struct state *state, const struct pm_bitboards *board,
                               enum pm_color color)
{
    const uint64_t pieces = board->pieces[color];
    state->pieces[color][0] = pieces;
    put_pieces(state, color, PM_PAWN, pieces & board->pawns);
    put_pieces(state, color, PM_KNIGHT, pieces & board->knights);
    put_pieces(state, color, PM_BISHOP, pieces & board->diagonals & ~board->straights);
    put_pieces(state, color, PM_ROOK, pieces & board->straights & ~board->diagonals);
    put_pieces(state, color, PM_QUEEN, pieces & board->diagonals & board->straights);
    put_pieces(state, color, PM_KING, pieces & board->kings);
}

/* What perft needs of a state: key, clocks and side to move stay 0. */
PM_ALWAYS_INLINE void read_board(struct state *state, const struct pm_bitboards *board)
{
    *state = (struct state){
        .castling = board->rights & PM_BACK_RANKS,
        .en_passant = pm_en_passant_set(board),
    };
    put_side(state, board, PM_WHITE);
    put_side(state, board, PM_BLACK);
}

/* `us` is to move: an en passant square on which it can't capture is left out. */
PM_ALWAYS_INLINE void write_board(const struct state *state, enum pm_color us,
                                  struct pm_bitboards *board)
{
    const uint64_t *const white = state->pieces[PM_WHITE], *const black = state->pieces[PM_BLACK];
    const uint64_t queens = white[PM_QUEEN] | black[PM_QUEEN];
    *board = (struct pm_bitboards){
        .pieces = {white[0], black[0]},
        .pawns = white[PM_PAWN] | black[PM_PAWN],
        .knights = white[PM_KNIGHT] | black[PM_KNIGHT],
        .diagonals = white[PM_BISHOP] | black[PM_BISHOP] | queens,
        .straights = white[PM_ROOK] | black[PM_ROOK] | queens,
        .kings = white[PM_KING] | black[PM_KING],
        .rights = state->castling,
    };
    if (state->en_passant != 0 && can_capture_en_passant(state, us))
        board->rights |= state->en_passant;
}

PM_ALWAYS_INLINE void expand_of(const struct pm_bitboards *board, enum pm_color us,
                                struct pm_expansion *expansion)
{
    struct state state;
    read_board(&state, board);
    pm_expansion_clear(expansion);
    generate(&state, us, (struct sink){.expansion = expansion});
}

PM_ALWAYS_INLINE void visit_children_of(const struct pm_bitboards *board, enum pm_color us,
                                        pm_child_function *visit, void *context)
{
    struct state state;
    packed_move list[PM_MAX_MOVES];
    read_board(&state, board);
    const unsigned count = generate(&state, us, (struct sink){.list = list});
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        struct pm_bitboards child;
        make(&state, us, list[i], &undo);
        write_board(&state, !us, &child);
        visit(context, &child);
        unmake(&state, us, list[i], &undo);
    }
}

static void expand_white(const struct pm_bitboards *board, struct pm_expansion *expansion)
{
    expand_of(board, PM_WHITE, expansion);
}
static void expand_black(const struct pm_bitboards *board, struct pm_expansion *expansion)
{
    expand_of(board, PM_BLACK, expansion);
}
static void magic_expand(const struct pm_bitboards *board, enum pm_color us,
                         struct pm_expansion *expansion)
{
    if (us == PM_WHITE)
        expand_white(board, expansion);
    else
        expand_black(board, expansion);
}

static void visit_children_white(const struct pm_bitboards *board, pm_child_function *visit,
                                 void *context)
{
    visit_children_of(board, PM_WHITE, visit, context);
}
static void visit_children_black(const struct pm_bitboards *board, pm_child_function *visit,
                                 void *context)
{
    visit_children_of(board, PM_BLACK, visit, context);
}
static void magic_visit_children(const struct pm_bitboards *board, enum pm_color us,
                                 pm_child_function *visit, void *context)
{
    if (us == PM_WHITE)
        visit_children_white(board, visit, context);
    else
        visit_children_black(board, visit, context);
}

#endif
