/* SPDX-License-Identifier: MIT */
/* Legal moves visited one by one: each is made on a copy of the board, and a constant says what to
 * do with the copy. So no list of moves is written, and counting, listing and playing share one
 * generator. */
#ifndef PM_PEXT_VISIT_H
#define PM_PEXT_VISIT_H

#include "core/kernel.h"
#include "kernels/pext/board.h"
#include "kernels/pext/calm.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/count.h"
#include "kernels/pext/special.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"

#include <stdbool.h>
#include <stdint.h>

/* What to do with the position after each move. */
enum visit {
    VISIT_MAKE,          /* make it, count 1 */
    VISIT_COUNT_REPLIES, /* count the replies */
    VISIT_RECUR,         /* count the leaves further down */
    VISIT_LIST,          /* append the move to a list */
    VISIT_PLAY           /* keep the position if the move is the wanted one, and count that */
};

struct visitor {
    enum visit visit; /* a constant in all code that is to be fast */
    const struct castling_rules *rules;
    int depth; /* VISIT_RECUR: plies below the position after the move */
    enum pm_mode mode;
    struct calm calm; /* VISIT_COUNT_REPLIES */
    struct pm_move *list;
    struct pm_move wanted;
    struct board *played;
};

static uint64_t perft_white(const struct board *board, const struct castling_rules *rules,
                            int depth, enum pm_mode mode);
static uint64_t perft_black(const struct board *board, const struct castling_rules *rules,
                            int depth, enum pm_mode mode);

/* One legal move of `us` led to `child`. Returns what it adds to the count. */
PM_ALWAYS_INLINE uint64_t visit(struct visitor *visitor, enum pm_color us,
                                const struct board *child, struct pm_move move)
{
    switch (visitor->visit) {
    case VISIT_MAKE:
        __asm__ volatile("" : : "m"(*child)); /* keeps the compiler from leaving the move out */
        return 1;
    case VISIT_COUNT_REPLIES:
        return us == PM_WHITE ? count_black_moves(child, visitor->rules)
                              : count_white_moves(child, visitor->rules);
    case VISIT_RECUR:
        return us == PM_WHITE ? perft_black(child, visitor->rules, visitor->depth, visitor->mode)
                              : perft_white(child, visitor->rules, visitor->depth, visitor->mode);
    case VISIT_LIST:
        *visitor->list++ = move;
        return 1;
    case VISIT_PLAY:
        if (!pm_move_equal(&move, &visitor->wanted))
            return 0;
        *visitor->played = *child;
        return 1;
    }
    return 0;
}

/* The same after a calm move, which is only looked for with VISIT_COUNT_REPLIES. */
PM_ALWAYS_INLINE uint64_t visit_calmly(struct visitor *visitor, enum pm_color us,
                                       const struct board *child, enum pm_piece_type type,
                                       uint64_t from, uint64_t to, uint64_t captured)
{
    const struct calm *calm = &visitor->calm;
    const uint64_t dangers = king_dangers_after(child, us, calm, type, from, to, captured);
    return us == PM_WHITE
               ? count_black_calm_moves(child, visitor->rules, calm, dangers, from | to, captured)
               : count_white_calm_moves(child, visitor->rules, calm, dangers, from | to, captured);
}

PM_ALWAYS_INLINE struct pm_move move_of(uint64_t from, uint64_t to, enum pm_piece_type promotion,
                                        enum pm_move_kind kind)
{
    return (struct pm_move){.from = (pm_square)pm_lsb(from),
                            .to = (pm_square)pm_lsb(to),
                            .promotion = (uint8_t)promotion,
                            .kind = (uint8_t)kind};
}

PM_ALWAYS_INLINE uint64_t visit_move(struct visitor *visitor, const struct board *board,
                                     enum pm_color us, enum pm_piece_type type, uint64_t from,
                                     uint64_t to, bool calm)
{
    const uint64_t captured = board->pieces[opponent(us)] & to;
    struct board child;
    after_move(&child, board, us, type, from, to);
    if (calm)
        return visit_calmly(visitor, us, &child, type, from, to, captured);
    return visit(visitor, us, &child,
                 move_of(from, to, PM_NO_PIECE_TYPE, captured ? PM_MOVE_CAPTURE : PM_MOVE_QUIET));
}

PM_ALWAYS_INLINE uint64_t visit_targets(struct visitor *visitor, const struct board *board,
                                        enum pm_color us, enum pm_piece_type type, uint64_t from,
                                        uint64_t targets)
{
    uint64_t count = 0, calm = NO_SET;
    if (visitor->visit == VISIT_COUNT_REPLIES && !(from & visitor->calm.lines))
        calm = targets & ~restless_targets(&visitor->calm, type);
    for (uint64_t rest = calm; rest; rest = pm_without_lsb(rest))
        count += visit_move(visitor, board, us, type, from, rest & -rest, true);
    for (uint64_t rest = targets ^ calm; rest; rest = pm_without_lsb(rest))
        count += visit_move(visitor, board, us, type, from, rest & -rest, false);
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_knights(struct visitor *visitor, const struct board *board,
                                        enum pm_color us, const struct view *view, uint64_t targets)
{
    uint64_t count = 0;
    const uint64_t knights = board->knights & view->own & ~view->pinned;
    for (uint64_t rest = knights; rest; rest = pm_without_lsb(rest))
        count += visit_targets(visitor, board, us, PM_KNIGHT, rest & -rest,
                               tables.knight[pm_lsb(rest)] & targets);
    return count;
}

/* What a slider attacks along the lines that a pin leaves it. */
PM_ALWAYS_INLINE uint64_t free_attacks(enum pm_piece_type type, unsigned square,
                                       const struct view *view)
{
    const uint64_t set = pm_bit(square);
    uint64_t attacks = 0;
    if (type != PM_ROOK && !(set & view->straight_pins))
        attacks |= bishop_attacks(square, view->occupied) &
                   (set & view->diagonal_pins ? view->diagonal_pins : ALL_SQUARES);
    if (type != PM_BISHOP && !(set & view->diagonal_pins))
        attacks |= rook_attacks(square, view->occupied) &
                   (set & view->straight_pins ? view->straight_pins : ALL_SQUARES);
    return attacks;
}

PM_ALWAYS_INLINE uint64_t visit_sliders(struct visitor *visitor, const struct board *board,
                                        enum pm_color us, const struct view *view,
                                        enum pm_piece_type type, uint64_t sliders, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = sliders & view->own; rest; rest = pm_without_lsb(rest))
        count += visit_targets(visitor, board, us, type, rest & -rest,
                               free_attacks(type, pm_lsb(rest), view) & targets);
    return count;
}

/* A set moved by `shift` squares, towards h8 if positive. */
PM_ALWAYS_INLINE uint64_t shifted(uint64_t set, int shift)
{
    return shift > 0 ? set << shift : set >> -shift;
}

PM_ALWAYS_INLINE uint64_t visit_double_push(struct visitor *visitor, const struct board *board,
                                            enum pm_color us, uint64_t from, uint64_t to, bool calm)
{
    struct board child;
    after_double_push(&child, board, us, from, to);
    if (calm)
        return visit_calmly(visitor, us, &child, PM_PAWN, from, to, NO_SET);
    return visit(visitor, us, &child, move_of(from, to, PM_NO_PIECE_TYPE, PM_MOVE_DOUBLE_PUSH));
}

PM_ALWAYS_INLINE uint64_t visit_pawn_step(struct visitor *visitor, const struct board *board,
                                          enum pm_color us, int shift, uint64_t to, bool calm)
{
    const uint64_t from = shifted(to, -shift);
    return shift == 16 || shift == -16 ? visit_double_push(visitor, board, us, from, to, calm)
                                       : visit_move(visitor, board, us, PM_PAWN, from, to, calm);
}

/* Pawn moves that are no promotions, by `shift` squares onto targets. */
PM_ALWAYS_INLINE uint64_t visit_pawn_steps(struct visitor *visitor, const struct board *board,
                                           enum pm_color us, int shift, uint64_t targets)
{
    uint64_t count = 0, calm = NO_SET;
    if (visitor->visit == VISIT_COUNT_REPLIES)
        calm = targets & ~restless_targets(&visitor->calm, PM_PAWN) &
               ~shifted(visitor->calm.lines, shift);
    for (uint64_t rest = calm; rest; rest = pm_without_lsb(rest))
        count += visit_pawn_step(visitor, board, us, shift, rest & -rest, true);
    for (uint64_t rest = targets ^ calm; rest; rest = pm_without_lsb(rest))
        count += visit_pawn_step(visitor, board, us, shift, rest & -rest, false);
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_promotions(struct visitor *visitor, const struct board *board,
                                           enum pm_color us, int shift, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        const uint64_t from = shifted(to, -shift);
        const enum pm_move_kind kind =
            board->pieces[opponent(us)] & to ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
        for (enum pm_piece_type type = PM_KNIGHT; type <= PM_QUEEN; type++) {
            struct board child;
            after_promotion(&child, board, us, type, from, to);
            count += visit(visitor, us, &child, move_of(from, to, type, kind));
        }
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_pawns(struct visitor *visitor, const struct board *board,
                                      enum pm_color us, const struct view *view)
{
    const int push = us == PM_WHITE ? 8 : -8, left = push - 1, right = push + 1;
    const uint64_t last = rank_of_side(us, 8);
    const struct pawn_targets targets = legal_pawn_targets(board, us, view);
    uint64_t count = visit_pawn_steps(visitor, board, us, push, targets.push & ~last);
    count += visit_pawn_steps(visitor, board, us, 2 * push, targets.double_push);
    count += visit_pawn_steps(visitor, board, us, left, targets.left & ~last);
    count += visit_pawn_steps(visitor, board, us, right, targets.right & ~last);
    if (board->pawns & view->own & rank_of_side(us, 7)) {
        count += visit_promotions(visitor, board, us, push, targets.push & last);
        count += visit_promotions(visitor, board, us, left, targets.left & last);
        count += visit_promotions(visitor, board, us, right, targets.right & last);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_en_passant(struct visitor *visitor, const struct board *board,
                                           enum pm_color us, const struct view *view)
{
    const uint64_t target = en_passant_target(board, us);
    if (!target)
        return 0;
    uint64_t count = 0;
    for (uint64_t rest = en_passant_captors(board, us, view, target); rest;
         rest = pm_without_lsb(rest)) {
        const uint64_t from = rest & -rest;
        struct board child;
        after_en_passant(&child, board, us, from, target);
        count +=
            visit(visitor, us, &child, move_of(from, target, PM_NO_PIECE_TYPE, PM_MOVE_EN_PASSANT));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_castlings(struct visitor *visitor, const struct board *board,
                                          enum pm_color us, const struct view *view,
                                          uint64_t danger)
{
    if (!castling_rooks(board, us) || view->checkers)
        return 0;
    uint64_t count = 0;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const struct castling *castling = &visitor->rules->castling[us][side];
        if (!castling_is_legal(board, us, view, danger, castling))
            continue;
        struct board child;
        after_castling(&child, board, us, view->king, castling->rook);
        count += visit(visitor, us, &child,
                       move_of(view->king, castling->rook, PM_NO_PIECE_TYPE, PM_MOVE_CASTLING));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_moves(struct visitor *visitor, const struct board *board,
                                      enum pm_color us)
{
    const struct view view = view_of(board, us);
    const uint64_t danger = dangerous_squares(board, us, &view);
    if (visitor->visit == VISIT_COUNT_REPLIES)
        visitor->calm = calm_of(board, us, visitor->rules);
    uint64_t count = visit_targets(visitor, board, us, PM_KING, view.king,
                                   tables.king[view.king_square] & ~view.own & ~danger);
    if (!view.check_mask)
        return count;
    const uint64_t targets = view.check_mask & ~view.own;
    const uint64_t diagonals = board->diagonals, straights = board->straights;
    count += visit_castlings(visitor, board, us, &view, danger);
    count += visit_knights(visitor, board, us, &view, targets);
    count += visit_sliders(visitor, board, us, &view, PM_BISHOP, diagonals & ~straights, targets);
    count += visit_sliders(visitor, board, us, &view, PM_ROOK, straights & ~diagonals, targets);
    count += visit_sliders(visitor, board, us, &view, PM_QUEEN, diagonals & straights, targets);
    count += visit_pawns(visitor, board, us, &view);
    count += visit_en_passant(visitor, board, us, &view);
    return count;
}

/* One copy of the generator for each color and each thing to do with a move: in one function
 * together they are slower. */
#define GENERATOR static __attribute__((noinline)) uint64_t

GENERATOR make_white(const struct board *board, const struct castling_rules *rules)
{
    return visit_moves(&(struct visitor){.visit = VISIT_MAKE, .rules = rules}, board, PM_WHITE);
}
GENERATOR make_black(const struct board *board, const struct castling_rules *rules)
{
    return visit_moves(&(struct visitor){.visit = VISIT_MAKE, .rules = rules}, board, PM_BLACK);
}

GENERATOR count_replies_to_white(const struct board *board, const struct castling_rules *rules)
{
    struct visitor visitor = {.visit = VISIT_COUNT_REPLIES, .rules = rules};
    return visit_moves(&visitor, board, PM_WHITE);
}
GENERATOR count_replies_to_black(const struct board *board, const struct castling_rules *rules)
{
    struct visitor visitor = {.visit = VISIT_COUNT_REPLIES, .rules = rules};
    return visit_moves(&visitor, board, PM_BLACK);
}

GENERATOR recur_white(const struct board *board, const struct castling_rules *rules, int depth,
                      enum pm_mode mode)
{
    struct visitor visitor = {
        .visit = VISIT_RECUR, .rules = rules, .depth = depth - 1, .mode = mode};
    return visit_moves(&visitor, board, PM_WHITE);
}
GENERATOR recur_black(const struct board *board, const struct castling_rules *rules, int depth,
                      enum pm_mode mode)
{
    struct visitor visitor = {
        .visit = VISIT_RECUR, .rules = rules, .depth = depth - 1, .mode = mode};
    return visit_moves(&visitor, board, PM_BLACK);
}

static uint64_t perft_white(const struct board *board, const struct castling_rules *rules,
                            int depth, enum pm_mode mode)
{
    if (depth == 1)
        return mode == PM_MODE_MAKE ? make_white(board, rules) : count_white_moves(board, rules);
    if (depth == 2 && mode == PM_MODE_BULK)
        return count_replies_to_white(board, rules);
    return recur_white(board, rules, depth, mode);
}
static uint64_t perft_black(const struct board *board, const struct castling_rules *rules,
                            int depth, enum pm_mode mode)
{
    if (depth == 1)
        return mode == PM_MODE_MAKE ? make_black(board, rules) : count_black_moves(board, rules);
    if (depth == 2 && mode == PM_MODE_BULK)
        return count_replies_to_black(board, rules);
    return recur_black(board, rules, depth, mode);
}

#endif
