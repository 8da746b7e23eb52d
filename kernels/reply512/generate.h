/* SPDX-License-Identifier: MIT */
/* The plain generator: all legal moves, counted or visited one by one. It serves the inner nodes,
 * the moves that the reply board leaves to it, and the bulk mode that the lookahead is tested
 * against. `us` is a constant wherever these functions are called: one copy of the code for each
 * color. */
#ifndef PM_REPLY512_GENERATE_H
#define PM_REPLY512_GENERATE_H

#include "kernels/reply512/board.h"
#include "kernels/reply512/tables.h"

#include <stdint.h>

/* The position as the side to move sees it. */
struct view {
    uint64_t own, enemy, occupied, king;
    unsigned king_square;
    uint64_t checkers;
    uint64_t targets; /* where a piece other than the king may land: not on own pieces, and in check
                         only on the checker or in its way */
    uint64_t pinned;  /* own pieces that may only move on their line with the king */
};

/* Checks and pins, seen from the king: the first pieces on its lines are checkers or may be pinned,
 * and the sliders that come into sight when our first pieces are lifted pin them. */
PM_ALWAYS_INLINE struct view view_of(const struct board *board, enum pm_color us)
{
    struct view view = {.own = board->pieces[us], .enemy = board->pieces[opponent(us)]};
    view.occupied = view.own | view.enemy;
    view.king = board->kings & view.own;
    const unsigned king = view.king_square = pm_lsb(view.king);

    const uint64_t straights = board->straights & view.enemy;
    const uint64_t diagonals = board->diagonals & view.enemy;
    const uint64_t on_straights = rook_attacks(king, view.occupied);
    const uint64_t on_diagonals = bishop_attacks(king, view.occupied);
    view.checkers = (tables.knight[king] & board->knights & view.enemy) |
                    (tables.pawn[us][king] & board->pawns & view.enemy) |
                    (on_straights & straights) | (on_diagonals & diagonals);
    view.targets = ~view.own;
    if (view.checkers)
        view.targets &= pm_has_several(view.checkers)
                            ? 0
                            : view.checkers | tables.between[king][pm_lsb(view.checkers)];

    const uint64_t behind = (rook_attacks(king, view.occupied ^ (on_straights & view.own)) &
                             ~on_straights & straights) |
                            (bishop_attacks(king, view.occupied ^ (on_diagonals & view.own)) &
                             ~on_diagonals & diagonals);
    for (uint64_t rest = behind; rest; rest = pm_without_lsb(rest))
        view.pinned |= tables.between[king][pm_lsb(rest)] & view.own;
    return view;
}

PM_ALWAYS_INLINE uint64_t attacked_by(const struct board *board, enum pm_color us,
                                      uint64_t occupied)
{
    const uint64_t pieces = board->pieces[us];
    uint64_t attacked = pawn_attacks(us, board->pawns & pieces);
    attacked |= tables.king[pm_lsb(board->kings & pieces)];
    for (uint64_t rest = board->knights & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= tables.knight[pm_lsb(rest)];
    for (uint64_t rest = board->diagonals & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= bishop_attacks(pm_lsb(rest), occupied);
    for (uint64_t rest = board->straights & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= rook_attacks(pm_lsb(rest), occupied);
    return attacked;
}

/* Where our king may not go. It gives no shelter to the squares behind it. */
PM_ALWAYS_INLINE uint64_t dangerous(const struct board *board, enum pm_color us,
                                    const struct view *view)
{
    return attacked_by(board, opponent(us), view->occupied ^ view->king);
}

PM_ALWAYS_INLINE uint64_t slider_attacks_as(enum pm_piece_type type, unsigned square,
                                            uint64_t occupied)
{
    return (type == PM_BISHOP ? 0 : rook_attacks(square, occupied)) |
           (type == PM_ROOK ? 0 : bishop_attacks(square, occupied));
}

/* The same for a slider whose type the board knows. */
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

PM_ALWAYS_INLINE struct pawn_targets pawn_targets(enum pm_color us, const struct view *view,
                                                  uint64_t pawns, uint64_t targets)
{
    const uint64_t push = forward(us, pawns) & ~view->occupied;
    return (struct pawn_targets){
        .push = push & targets,
        .double_push = forward(us, push & rank_of(us, 3)) & ~view->occupied & targets,
        .left = forward_left(us, pawns) & view->enemy & targets,
        .right = forward_right(us, pawns) & view->enemy & targets,
    };
}

/* Both pawns leave the rank at once, which no pin foresees: look at the board after the capture. */
PM_ALWAYS_INLINE int en_passant_is_legal(const struct board *board, enum pm_color us,
                                         const struct view *view, uint64_t from, uint64_t to)
{
    const uint64_t victim = back(us, to);
    const uint64_t occupied = (view->occupied ^ from ^ victim) | to;
    return !((rook_attacks(view->king_square, occupied) & board->straights & view->enemy) |
             (bishop_attacks(view->king_square, occupied) & board->diagonals & view->enemy) |
             (view->checkers & ~victim & (board->knights | board->pawns)));
}

/* The pawns that may capture en passant. */
PM_ALWAYS_INLINE uint64_t en_passant_captors(const struct board *board, enum pm_color us,
                                             const struct view *view, uint64_t target)
{
    uint64_t captors = pawn_attacks(opponent(us), target) & board->pawns & view->own;
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest))
        if (!en_passant_is_legal(board, us, view, rest & -rest, target))
            captors ^= rest & -rest;
    return captors;
}

/* In Chess960 the rook may have kept a slider of the first rank from the king's target: the one
 * attack that `danger` does not know. */
PM_ALWAYS_INLINE int castling_is_legal(const struct board *board, enum pm_color us,
                                       const struct view *view, uint64_t danger, uint64_t rook)
{
    const struct castling_path *path =
        &tables.castling[us][view->king_square & 7][pm_lsb(rook) & 7];
    if ((path->empty & view->occupied) || (path->safe & danger))
        return 0;
    if (rook & (FILE_A | FILE_H))
        return 1;
    const uint64_t occupied =
        (view->occupied & ~(view->king | rook)) | castled_rook(us, view->king, rook);
    return !(rook_attacks(pm_lsb(castled_king(us, view->king, rook)), occupied) & board->straights &
             view->enemy);
}

/* The rooks with which we may castle; for a king that is not in check. */
PM_ALWAYS_INLINE uint64_t legal_castlings(const struct board *board, enum pm_color us,
                                          const struct view *view, uint64_t danger)
{
    uint64_t rooks = castling_rooks(board, us);
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest))
        if (!castling_is_legal(board, us, view, danger, rest & -rest))
            rooks ^= rest & -rest;
    return rooks;
}

/* ---- Counting ---- */

PM_ALWAYS_INLINE unsigned count_pawn_targets(enum pm_color us, struct pawn_targets targets)
{
    const uint64_t last = rank_of(us, 8);
    unsigned count = pm_popcount(targets.push) + pm_popcount(targets.double_push) +
                     pm_popcount(targets.left) + pm_popcount(targets.right);
    if ((targets.push | targets.left | targets.right) & last)
        count += 3 * (pm_popcount(targets.push & last) + pm_popcount(targets.left & last) +
                      pm_popcount(targets.right & last));
    return count;
}

/* A pinned knight never moves. */
PM_ALWAYS_INLINE unsigned count_pinned_moves(const struct board *board, enum pm_color us,
                                             const struct view *view)
{
    unsigned count = 0;
    for (uint64_t rest = view->pinned; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t targets = view->targets & tables.line[view->king_square][square];
        if (board->pawns & rest & -rest)
            count += count_pawn_targets(us, pawn_targets(us, view, rest & -rest, targets));
        else
            count += pm_popcount(slider_attacks(board, square, view->occupied) & targets);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned count_king_moves(const struct board *board, enum pm_color us,
                                           const struct view *view)
{
    const uint64_t steps = tables.king[view->king_square] & ~view->own;
    if (!(steps | castling_rooks(board, us)))
        return 0;
    const uint64_t danger = dangerous(board, us, view);
    unsigned count = pm_popcount(steps & ~danger);
    if (castling_rooks(board, us) && !view->checkers)
        count += pm_popcount(legal_castlings(board, us, view, danger));
    return count;
}

PM_ALWAYS_INLINE unsigned count_moves(const struct board *board, enum pm_color us)
{
    const struct view view = view_of(board, us);
    unsigned count = count_king_moves(board, us, &view);
    if (!view.targets)
        return count;
    const uint64_t free = view.own & ~view.pinned, targets = view.targets;
    for (uint64_t rest = board->knights & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(tables.knight[pm_lsb(rest)] & targets);
    for (uint64_t rest = board->diagonals & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(bishop_attacks(pm_lsb(rest), view.occupied) & targets);
    for (uint64_t rest = board->straights & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(rook_attacks(pm_lsb(rest), view.occupied) & targets);
    count += count_pawn_targets(us, pawn_targets(us, &view, board->pawns & free, targets));
    if (view.pinned)
        count += count_pinned_moves(board, us, &view);
    const uint64_t target = en_passant_target(board, us);
    if (target)
        count += pm_popcount(en_passant_captors(board, us, &view, target));
    return count;
}

static __attribute__((noinline)) unsigned count_white_moves(const struct board *board)
{
    return count_moves(board, PM_WHITE);
}
static __attribute__((noinline)) unsigned count_black_moves(const struct board *board)
{
    return count_moves(board, PM_BLACK);
}
PM_ALWAYS_INLINE unsigned count_replies(const struct board *child, enum pm_color us)
{
    return us == PM_WHITE ? count_black_moves(child) : count_white_moves(child);
}

/* ---- Visiting ---- */

/* Is given the position after a legal move of ours; what it returns is added up. */
typedef uint64_t visit_function(void *context, const struct board *child, struct pm_move move);

struct visitor {
    visit_function *visit; /* a constant, so that it is inlined */
    void *context;
};

PM_ALWAYS_INLINE uint64_t visit_child(struct visitor visitor, const struct board *child,
                                      uint64_t from, uint64_t to, enum pm_piece_type promotion,
                                      enum pm_move_kind kind)
{
    return visitor.visit(visitor.context, child,
                         (struct pm_move){.from = (pm_square)pm_lsb(from),
                                          .to = (pm_square)pm_lsb(to),
                                          .promotion = (uint8_t)promotion,
                                          .kind = (uint8_t)kind});
}

PM_ALWAYS_INLINE enum pm_move_kind kind_of(const struct board *board, enum pm_color us, uint64_t to)
{
    return board->pieces[opponent(us)] & to ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
}

PM_ALWAYS_INLINE uint64_t visit_targets(struct visitor visitor, const struct board *board,
                                        enum pm_color us, enum pm_piece_type type, uint64_t from,
                                        uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        struct board child;
        after_move(&child, board, us, type, from, rest & -rest);
        count += visit_child(visitor, &child, from, rest & -rest, PM_NO_PIECE_TYPE,
                             kind_of(board, us, rest & -rest));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_promotions(struct visitor visitor, const struct board *board,
                                           enum pm_color us, uint64_t from, uint64_t to)
{
    uint64_t count = 0;
    for (unsigned promotion = PM_KNIGHT; promotion <= PM_QUEEN; promotion++) {
        struct board child;
        after_promotion(&child, board, us, (enum pm_piece_type)promotion, from, to);
        count += visit_child(visitor, &child, from, to, (enum pm_piece_type)promotion,
                             kind_of(board, us, to));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_pawn_move(struct visitor visitor, const struct board *board,
                                          enum pm_color us, uint64_t from, uint64_t to)
{
    return to & BACK_RANKS ? visit_promotions(visitor, board, us, from, to)
                           : visit_targets(visitor, board, us, PM_PAWN, from, to);
}

PM_ALWAYS_INLINE uint64_t visit_pawn_targets(struct visitor visitor, const struct board *board,
                                             enum pm_color us, struct pawn_targets targets)
{
    uint64_t count = 0, to;
    for (uint64_t rest = targets.push; (to = rest & -rest); rest ^= to)
        count += visit_pawn_move(visitor, board, us, back(us, to), to);
    for (uint64_t rest = targets.left; (to = rest & -rest); rest ^= to)
        count += visit_pawn_move(visitor, board, us, back_from_left(us, to), to);
    for (uint64_t rest = targets.right; (to = rest & -rest); rest ^= to)
        count += visit_pawn_move(visitor, board, us, back_from_right(us, to), to);
    for (uint64_t rest = targets.double_push; (to = rest & -rest); rest ^= to) {
        const uint64_t from = back(us, back(us, to));
        struct board child;
        after_double_push(&child, board, us, from, to);
        count += visit_child(visitor, &child, from, to, PM_NO_PIECE_TYPE, PM_MOVE_DOUBLE_PUSH);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_pawns(struct visitor visitor, const struct board *board,
                                      enum pm_color us, const struct view *view)
{
    const uint64_t pawns = board->pawns & view->own;
    uint64_t count = visit_pawn_targets(
        visitor, board, us, pawn_targets(us, view, pawns & ~view->pinned, view->targets));
    for (uint64_t rest = pawns & view->pinned; rest; rest = pm_without_lsb(rest))
        count += visit_pawn_targets(
            visitor, board, us,
            pawn_targets(us, view, rest & -rest,
                         view->targets & tables.line[view->king_square][pm_lsb(rest)]));

    const uint64_t to = en_passant_target(board, us);
    if (to)
        for (uint64_t rest = en_passant_captors(board, us, view, to); rest;
             rest = pm_without_lsb(rest)) {
            struct board child;
            after_en_passant(&child, board, us, rest & -rest, to);
            count += visit_child(visitor, &child, rest & -rest, to, PM_NO_PIECE_TYPE,
                                 PM_MOVE_EN_PASSANT);
        }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_sliders(struct visitor visitor, const struct board *board,
                                        enum pm_color us, const struct view *view,
                                        enum pm_piece_type type, uint64_t sliders)
{
    uint64_t count = 0;
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        uint64_t targets = view->targets;
        if (view->pinned & rest & -rest)
            targets &= tables.line[view->king_square][square];
        targets &= slider_attacks_as(type, square, view->occupied);
        count += visit_targets(visitor, board, us, type, rest & -rest, targets);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_king(struct visitor visitor, const struct board *board,
                                     enum pm_color us, const struct view *view)
{
    const uint64_t danger = dangerous(board, us, view);
    uint64_t count = visit_targets(visitor, board, us, PM_KING, view->king,
                                   tables.king[view->king_square] & ~view->own & ~danger);
    if (castling_rooks(board, us) && !view->checkers)
        for (uint64_t rest = legal_castlings(board, us, view, danger); rest;
             rest = pm_without_lsb(rest)) {
            struct board child;
            after_castling(&child, board, us, view->king, rest & -rest);
            count += visit_child(visitor, &child, view->king, rest & -rest, PM_NO_PIECE_TYPE,
                                 PM_MOVE_CASTLING);
        }
    return count;
}

/* Every legal move once. */
PM_ALWAYS_INLINE uint64_t visit_moves(struct visitor visitor, const struct board *board,
                                      enum pm_color us)
{
    const struct view view = view_of(board, us);
    uint64_t count = visit_king(visitor, board, us, &view);
    if (!view.targets)
        return count;
    count += visit_pawns(visitor, board, us, &view);
    for (uint64_t rest = board->knights & view.own & ~view.pinned; rest;
         rest = pm_without_lsb(rest))
        count += visit_targets(visitor, board, us, PM_KNIGHT, rest & -rest,
                               tables.knight[pm_lsb(rest)] & view.targets);
    const uint64_t diagonals = board->diagonals & view.own;
    const uint64_t straights = board->straights & view.own;
    count += visit_sliders(visitor, board, us, &view, PM_BISHOP, diagonals & ~straights);
    count += visit_sliders(visitor, board, us, &view, PM_ROOK, straights & ~diagonals);
    return count + visit_sliders(visitor, board, us, &view, PM_QUEEN, straights & diagonals);
}

#endif
