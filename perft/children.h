/* SPDX-License-Identifier: MIT */
/* The positions after all legal moves, one by one. Inlined, so that the visitor is too. */
#ifndef PM_PERFT_CHILDREN_H
#define PM_PERFT_CHILDREN_H

#include "core/after_move.h"
#include "core/bitboards.h"
#include "core/bits.h"

#include <stdint.h>

/* Is given a child with its en passant square only if a capture on it is legal, and the square of
 * the piece that was captured (0 if none). */
typedef void pm_child_visitor(void *context, const struct pm_bitboards *child, uint64_t captured);

/* Drops an en passant square on which `us`, to move, has no legal capture. */
PM_ALWAYS_INLINE void pm_drop_idle_en_passant(const struct pm_expander *expander,
                                              struct pm_bitboards *board, enum pm_color us)
{
    struct pm_expansion replies;
    if (!pm_en_passant_set(board))
        return;
    expander->expand(board, us, &replies);
    if (!replies.en_passant_captors)
        board->rights &= PM_BACK_RANKS;
}

/* How a step of a side's pawns shifts their set: to the target from its origin. */
enum pm_pawn_step { PM_STEP_PUSH, PM_STEP_LEFT, PM_STEP_RIGHT };

PM_ALWAYS_INLINE uint64_t pm_pawn_origin(enum pm_color us, enum pm_pawn_step step, uint64_t to)
{
    const unsigned distance =
        step == PM_STEP_PUSH ? 8 : ((step == PM_STEP_LEFT) == (us == PM_WHITE) ? 7 : 9);
    return us == PM_WHITE ? to >> distance : to << distance;
}

PM_ALWAYS_INLINE void pm_visit_pawn_steps(const struct pm_bitboards *board, enum pm_color us,
                                          enum pm_pawn_step step, uint64_t targets,
                                          pm_child_visitor *visit, void *context)
{
    struct pm_bitboards child;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest, from = pm_pawn_origin(us, step, to);
        const uint64_t captured = step == PM_STEP_PUSH ? 0 : to;
        if (to & PM_BACK_RANKS) {
            for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
                pm_after_promotion(&child, board, us, (enum pm_piece_type)type, from, to);
                visit(context, &child, captured);
            }
        } else {
            pm_after_move(&child, board, us, PM_PAWN, from, to);
            visit(context, &child, captured);
        }
    }
}

PM_ALWAYS_INLINE void pm_visit_double_pushes(const struct pm_expander *expander,
                                             const struct pm_bitboards *board, enum pm_color us,
                                             uint64_t targets, pm_child_visitor *visit,
                                             void *context)
{
    struct pm_bitboards child;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        const uint64_t from = us == PM_WHITE ? to >> 16 : to << 16;
        pm_after_double_push(&child, board, us, from, to);
        pm_drop_idle_en_passant(expander, &child, pm_opponent(us));
        visit(context, &child, 0);
    }
}

PM_ALWAYS_INLINE void pm_visit_en_passant(const struct pm_bitboards *board, enum pm_color us,
                                          uint64_t captors, pm_child_visitor *visit, void *context)
{
    struct pm_bitboards child;
    const uint64_t to = pm_en_passant_set(board);
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest)) {
        pm_after_en_passant(&child, board, us, rest & -rest, to);
        visit(context, &child, pm_forward(pm_opponent(us), to));
    }
}

PM_ALWAYS_INLINE void pm_visit_castlings(const struct pm_bitboards *board, enum pm_color us,
                                         uint64_t rooks, pm_child_visitor *visit, void *context)
{
    struct pm_bitboards child;
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        pm_after_castling(&child, board, us, rest & -rest);
        visit(context, &child, 0);
    }
}

PM_ALWAYS_INLINE void pm_visit_pieces(const struct pm_bitboards *board, enum pm_color us,
                                      const struct pm_piece_moves *moves, pm_child_visitor *visit,
                                      void *context)
{
    struct pm_bitboards child;
    for (uint64_t rest = moves->targets; rest; rest = pm_without_lsb(rest)) {
        pm_after_move(&child, board, us, (enum pm_piece_type)moves->type, pm_bit(moves->from),
                      rest & -rest);
        visit(context, &child, rest & -rest & board->pieces[pm_opponent(us)]);
    }
}

/* All these moves; `moves` may be a part of what the expander gave. */
PM_ALWAYS_INLINE void pm_visit_moves(const struct pm_expander *expander,
                                     const struct pm_bitboards *board, enum pm_color us,
                                     const struct pm_expansion *moves, pm_child_visitor *visit,
                                     void *context)
{
    for (unsigned i = 0; i < moves->piece_count; i++)
        pm_visit_pieces(board, us, &moves->pieces[i], visit, context);
    pm_visit_pawn_steps(board, us, PM_STEP_PUSH, moves->pushes, visit, context);
    pm_visit_pawn_steps(board, us, PM_STEP_LEFT, moves->left_captures, visit, context);
    pm_visit_pawn_steps(board, us, PM_STEP_RIGHT, moves->right_captures, visit, context);
    pm_visit_double_pushes(expander, board, us, moves->double_pushes, visit, context);
    pm_visit_en_passant(board, us, moves->en_passant_captors, visit, context);
    pm_visit_castlings(board, us, moves->castling_rooks, visit, context);
}

PM_ALWAYS_INLINE void pm_visit_children(const struct pm_expander *expander,
                                        const struct pm_bitboards *board, enum pm_color us,
                                        pm_child_visitor *visit, void *context)
{
    struct pm_expansion moves;
    expander->expand(board, us, &moves);
    pm_visit_moves(expander, board, us, &moves, visit, context);
}

#endif
