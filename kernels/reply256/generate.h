/* SPDX-License-Identifier: MIT */
/* The plain generator: all legal moves, counted or visited one by one. It serves the inner nodes,
 * the moves that the lookahead leaves to it, and the bulk mode that the lookahead is tested
 * against.
 */
#ifndef PM_REPLY256_GENERATE_H
#define PM_REPLY256_GENERATE_H

#include "kernels/reply256/board.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>

/* What our king has to fear. */
struct view {
    uint64_t occupied;
    unsigned king;
    uint64_t checkers;
    uint64_t targets; /* where a piece other than the king may land: not on own pieces, and in check
                         only on the checker or in its way */
    uint64_t pinned;  /* own pieces that may only move on their line with the king */
};

PM_ALWAYS_INLINE struct view view_of(const struct board *board)
{
    struct view view = {.occupied = board->own | board->enemy};
    const unsigned king = view.king = pm_lsb(board->kings & board->own);
    view.checkers = ((tables.knight[king] & board->knights) |
                     (both_up(board->kings & board->own) & board->pawns)) &
                    board->enemy;
    const uint64_t sliders = ((tables.rook_lines[king] & board->straights) |
                              (tables.bishop_lines[king] & board->diagonals)) &
                             board->enemy;
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest)) {
        const uint64_t pieces = tables.between[king][pm_lsb(rest)] & view.occupied;
        if (!pieces)
            view.checkers |= lowest(rest);
        else if (!pm_has_several(pieces))
            view.pinned |= pieces & board->own;
    }
    view.targets = ~board->own;
    if (pm_has_several(view.checkers))
        view.targets = 0;
    else if (view.checkers)
        view.targets = view.checkers | tables.between[king][pm_lsb(view.checkers)];
    return view;
}

/* What the enemy attacks on a board with these pieces on it. */
PM_ALWAYS_INLINE uint64_t attacked_by_enemy(const struct board *board, uint64_t occupied)
{
    const uint64_t pieces = board->enemy;
    uint64_t attacked =
        both_down(board->pawns & pieces) | tables.king[pm_lsb(board->kings & pieces)];
    for (uint64_t rest = board->knights & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= tables.knight[pm_lsb(rest)];
    for (uint64_t rest = board->diagonals & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= bishop_attacks(pm_lsb(rest), occupied);
    for (uint64_t rest = board->straights & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= rook_attacks(pm_lsb(rest), occupied);
    return attacked;
}

/* Where our king may not go. It gives no shelter to the squares behind it. */
PM_ALWAYS_INLINE uint64_t danger_to_king(const struct board *board, const struct view *view)
{
    return attacked_by_enemy(board, view->occupied ^ pm_bit(view->king));
}

/* The attacks of the slider that stands on a square. */
PM_ALWAYS_INLINE uint64_t slider_attacks(const struct board *board, unsigned square,
                                         uint64_t occupied)
{
    return (board->straights & pm_bit(square) ? rook_attacks(square, occupied) : 0) |
           (board->diagonals & pm_bit(square) ? bishop_attacks(square, occupied) : 0);
}

/* Targets of a set of pawns, told apart by the step that leads there. */
struct pawn_targets {
    uint64_t push, double_push, left, right;
};

PM_ALWAYS_INLINE struct pawn_targets pawn_targets(uint64_t pawns, uint64_t occupied, uint64_t enemy)
{
    const uint64_t push = up(pawns) & ~occupied;
    return (struct pawn_targets){
        .push = push,
        .double_push = up(push & RANK(3)) & ~occupied,
        .left = up_left(pawns) & enemy,
        .right = up_right(pawns) & enemy,
    };
}

PM_ALWAYS_INLINE struct pawn_targets restricted(struct pawn_targets targets, uint64_t to)
{
    return (struct pawn_targets){targets.push & to, targets.double_push & to, targets.left & to,
                                 targets.right & to};
}

/* Two pieces leave a line at once, which no pin foresees: look at the board after the capture. */
PM_ALWAYS_INLINE int en_passant_is_legal(const struct board *board, const struct view *view,
                                         uint64_t from, uint64_t to)
{
    const uint64_t victim = down(to), occupied = (view->occupied ^ from ^ victim) | to;
    return !(board->enemy & ((rook_attacks(view->king, occupied) & board->straights) |
                             (bishop_attacks(view->king, occupied) & board->diagonals) |
                             (view->checkers & ~victim & (board->knights | board->pawns))));
}

PM_ALWAYS_INLINE uint64_t en_passant_captors(const struct board *board, const struct view *view,
                                             uint64_t target)
{
    uint64_t captors = both_down(target) & board->pawns & board->own;
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest))
        if (!en_passant_is_legal(board, view, lowest(rest), target))
            captors ^= lowest(rest);
    return captors;
}

/* All squares of the first rank from one piece to another, both included; sets of one square. */
PM_ALWAYS_INLINE uint64_t span(uint64_t one, uint64_t other)
{
    return one < other ? 2 * other - one : 2 * one - other;
}

/* For a king not in check. The rook may have kept a slider of the first rank from the king's
 * target, which `danger` does not know (Chess960). */
PM_ALWAYS_INLINE int castling_is_legal(const struct board *board, const struct view *view,
                                       uint64_t danger, uint64_t rook)
{
    const uint64_t king = pm_bit(view->king);
    const uint64_t king_to = castled_king(king, rook), rook_to = castled_rook(king, rook);
    const uint64_t others = view->occupied & ~(king | rook), way = span(king, king_to);
    if ((others & (way | span(rook, rook_to))) || (danger & way))
        return 0;
    return !(rook_attacks(pm_lsb(king_to), others | rook_to) & RANK(1) & board->straights &
             board->enemy);
}

/* The rooks with which we may castle; for a king that is not in check. */
PM_ALWAYS_INLINE uint64_t legal_castlings(const struct board *board, const struct view *view,
                                          uint64_t danger)
{
    uint64_t rooks = own_castling_rooks(board);
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest))
        if (!castling_is_legal(board, view, danger, lowest(rest)))
            rooks ^= lowest(rest);
    return rooks;
}

/* ---- Counting ---- */

PM_ALWAYS_INLINE unsigned count_pawn_targets(struct pawn_targets targets)
{
    unsigned count = pm_popcount(targets.push) + pm_popcount(targets.double_push) +
                     pm_popcount(targets.left) + pm_popcount(targets.right);
    if ((targets.push | targets.left | targets.right) & RANK(8))
        count += 3 * (pm_popcount(targets.push & RANK(8)) + pm_popcount(targets.left & RANK(8)) +
                      pm_popcount(targets.right & RANK(8)));
    return count;
}

/* A pinned knight never moves. */
PM_ALWAYS_INLINE unsigned count_pinned_moves(const struct board *board, const struct view *view)
{
    unsigned count = 0;
    for (uint64_t rest = view->pinned; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t targets = view->targets & line_through(view->king, square);
        if (board->pawns & lowest(rest))
            count += count_pawn_targets(
                restricted(pawn_targets(lowest(rest), view->occupied, board->enemy), targets));
        else
            count += pm_popcount(slider_attacks(board, square, view->occupied) & targets);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned count_king_moves(const struct board *board, const struct view *view)
{
    const uint64_t steps = tables.king[view->king] & ~board->own;
    const uint64_t castlings = view->checkers ? 0 : own_castling_rooks(board);
    if (!(steps | castlings))
        return 0;
    const uint64_t danger = danger_to_king(board, view);
    unsigned count = pm_popcount(steps & ~danger);
    if (castlings)
        count += pm_popcount(legal_castlings(board, view, danger));
    return count;
}

NOINLINE unsigned count_moves(const struct board *board)
{
    const struct view view = view_of(board);
    unsigned count = count_king_moves(board, &view);
    if (!view.targets)
        return count;
    const uint64_t free = board->own & ~view.pinned;
    for (uint64_t rest = board->knights & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(tables.knight[pm_lsb(rest)] & view.targets);
    for (uint64_t rest = board->diagonals & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(bishop_attacks(pm_lsb(rest), view.occupied) & view.targets);
    for (uint64_t rest = board->straights & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(rook_attacks(pm_lsb(rest), view.occupied) & view.targets);
    count += count_pawn_targets(
        restricted(pawn_targets(board->pawns & free, view.occupied, board->enemy), view.targets));
    if (view.pinned)
        count += count_pinned_moves(board, &view);
    const uint64_t target = en_passant_target(board);
    if (target)
        count += pm_popcount(en_passant_captors(board, &view, target));
    return count;
}

/* The moves of the side that moves after us. */
PM_ALWAYS_INLINE unsigned count_replies(const struct board *after)
{
    const struct board child = turned(after);
    return count_moves(&child);
}

/* ---- Visiting ---- */

/* Is given the board after a legal move, not yet turned, and the move as its side sees it; what it
 * returns is added up. */
typedef uint64_t visit_function(void *context, const struct board *after, struct pm_move move);

struct visitor {
    visit_function *visit; /* a constant, so that it is inlined */
    void *context;
};

PM_ALWAYS_INLINE uint64_t visit(struct visitor visitor, const struct board *after, uint64_t from,
                                uint64_t to, enum pm_piece_type promotion, enum pm_move_kind kind)
{
    return visitor.visit(visitor.context, after,
                         (struct pm_move){.from = (pm_square)pm_lsb(from),
                                          .to = (pm_square)pm_lsb(to),
                                          .promotion = (uint8_t)promotion,
                                          .kind = (uint8_t)kind});
}

PM_ALWAYS_INLINE uint64_t visit_targets(struct visitor visitor, const struct board *board,
                                        uint64_t from, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const struct board after = after_move(board, from, lowest(rest));
        count += visit(visitor, &after, from, lowest(rest), PM_NO_PIECE_TYPE,
                       board->enemy & lowest(rest) ? PM_MOVE_CAPTURE : PM_MOVE_QUIET);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_promotions(struct visitor visitor, const struct board *board,
                                           uint64_t from, uint64_t to)
{
    uint64_t count = 0;
    for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
        const struct board after = after_promotion(board, from, to, (enum pm_piece_type)type);
        count += visit(visitor, &after, from, to, (enum pm_piece_type)type,
                       board->enemy & to ? PM_MOVE_CAPTURE : PM_MOVE_QUIET);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_pawn(struct visitor visitor, const struct board *board,
                                     const struct view *view, uint64_t from)
{
    uint64_t allowed = view->targets;
    if (view->pinned & from)
        allowed &= line_through(view->king, pm_lsb(from));
    const struct pawn_targets targets =
        restricted(pawn_targets(from, view->occupied, board->enemy), allowed);
    const uint64_t single = targets.push | targets.left | targets.right;
    uint64_t count = visit_targets(visitor, board, from, single & ~RANK(8));
    for (uint64_t rest = single & RANK(8); rest; rest = pm_without_lsb(rest))
        count += visit_promotions(visitor, board, from, lowest(rest));
    if (targets.double_push) {
        const struct board after = after_double_push(board, from, targets.double_push);
        count += visit(visitor, &after, from, targets.double_push, PM_NO_PIECE_TYPE,
                       PM_MOVE_DOUBLE_PUSH);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_king(struct visitor visitor, const struct board *board,
                                     const struct view *view)
{
    const uint64_t king = pm_bit(view->king), danger = danger_to_king(board, view);
    uint64_t count =
        visit_targets(visitor, board, king, tables.king[view->king] & ~board->own & ~danger);
    if (own_castling_rooks(board) && !view->checkers)
        for (uint64_t rest = legal_castlings(board, view, danger); rest;
             rest = pm_without_lsb(rest)) {
            const struct board after = after_castling(board, king, lowest(rest));
            count += visit(visitor, &after, king, lowest(rest), PM_NO_PIECE_TYPE, PM_MOVE_CASTLING);
        }
    return count;
}

/* Every legal move once. */
PM_ALWAYS_INLINE uint64_t visit_moves(struct visitor visitor, const struct board *board)
{
    const struct view view = view_of(board);
    uint64_t count = visit_king(visitor, board, &view);
    if (!view.targets)
        return count;
    for (uint64_t rest = board->pawns & board->own; rest; rest = pm_without_lsb(rest))
        count += visit_pawn(visitor, board, &view, lowest(rest));
    for (uint64_t rest = board->knights & board->own & ~view.pinned; rest;
         rest = pm_without_lsb(rest))
        count +=
            visit_targets(visitor, board, lowest(rest), tables.knight[pm_lsb(rest)] & view.targets);
    for (uint64_t rest = (board->diagonals | board->straights) & board->own; rest;
         rest = pm_without_lsb(rest)) {
        uint64_t targets = slider_attacks(board, pm_lsb(rest), view.occupied) & view.targets;
        if (view.pinned & lowest(rest))
            targets &= line_through(view.king, pm_lsb(rest));
        count += visit_targets(visitor, board, lowest(rest), targets);
    }
    const uint64_t to = en_passant_target(board);
    if (to)
        for (uint64_t rest = en_passant_captors(board, &view, to); rest;
             rest = pm_without_lsb(rest)) {
            const struct board after = after_en_passant(board, lowest(rest), to);
            count += visit(visitor, &after, lowest(rest), to, PM_NO_PIECE_TYPE, PM_MOVE_EN_PASSANT);
        }
    return count;
}

#endif
