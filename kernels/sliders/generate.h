/* SPDX-License-Identifier: MIT */
/* Legal moves. One body lists and counts: without a list, sets of targets are counted whole.
 * All sliding attacks come from rook_attacks(), bishop_attacks() and queen_attacks() of the
 * technique that was included before. */
#ifndef PM_KERNELS_SLIDERS_GENERATE_H
#define PM_KERNELS_SLIDERS_GENERATE_H

#include "core/bits.h"
#include "core/board.h"
#include "kernels/sliders/board.h"
#include "kernels/sliders/rays.h"

#include <stdint.h>

static struct {
    uint64_t knight[PM_SQUARE_COUNT];
    uint64_t king[PM_SQUARE_COUNT];
    uint64_t lines[PM_SQUARE_COUNT][LINE_COUNT];        /* without the square itself */
    uint64_t between[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* strictly; empty if not on one line */
    uint64_t through[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* the whole line of two squares */
} common;

static inline void build_steppers(unsigned square)
{
    const uint64_t set = pm_bit(square);
    const uint64_t one = (set << 1 & ~FILE_A) | (set >> 1 & ~FILE_H);
    const uint64_t two =
        (set << 2 & ~(FILE_A | FILE_A << 1)) | (set >> 2 & ~(FILE_H | FILE_H >> 1));
    common.knight[square] = one << 16 | one >> 16 | two << 8 | two >> 8;
    common.king[square] = one | (one | set) << 8 | (one | set) >> 8;
}

static inline void build_lines(unsigned from)
{
    for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++) {
        const enum line line = (enum line)(direction % LINE_COUNT);
        common.lines[from][line] = walk_line(from, line, 0);
        for (uint64_t ray = walk_ray(from, (enum direction)direction, 0); ray;) {
            const unsigned to = pm_pop_lsb(&ray);
            common.through[from][to] = common.lines[from][line] | pm_bit(from);
            common.between[from][to] =
                walk_ray(from, (enum direction)direction, pm_bit(to)) & ~pm_bit(to);
        }
    }
}

static inline void build_common(void)
{
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        build_steppers(square);
        build_lines(square);
    }
}

PM_ALWAYS_INLINE uint64_t pawn_attacks(uint64_t pawns, enum pm_color color)
{
    return color == PM_WHITE ? (pawns << 7 & ~FILE_H) | (pawns << 9 & ~FILE_A)
                             : (pawns >> 9 & ~FILE_H) | (pawns >> 7 & ~FILE_A);
}

/* Squares that a side attacks, its own pieces's squares among them. */
PM_ALWAYS_INLINE uint64_t attacked_by(const struct board *board, enum pm_color by,
                                      uint64_t occupied)
{
    const uint64_t pieces = board->pieces[by];
    const uint64_t diagonals = board->diagonals & pieces, straights = board->straights & pieces;
    uint64_t attacked = pawn_attacks(board->pawns & pieces, by);
    attacked |= common.king[pm_lsb(board->kings & pieces)];
    for (uint64_t rest = board->knights & pieces; rest;)
        attacked |= common.knight[pm_pop_lsb(&rest)];
    for (uint64_t rest = diagonals & ~straights; rest;)
        attacked |= bishop_attacks(pm_pop_lsb(&rest), occupied);
    for (uint64_t rest = straights & ~diagonals; rest;)
        attacked |= rook_attacks(pm_pop_lsb(&rest), occupied);
    for (uint64_t rest = diagonals & straights; rest;)
        attacked |= queen_attacks(pm_pop_lsb(&rest), occupied);
    return attacked;
}

/* What the side to move must heed. */
struct view {
    unsigned king;
    uint64_t own, enemy, occupied;
    uint64_t checkers;
    uint64_t pinned; /* own pieces that stand alone between king and slider */
};

PM_ALWAYS_INLINE struct view view_of(const struct board *board, enum pm_color us)
{
    struct view view = {.own = board->pieces[us], .enemy = board->pieces[other(us)]};
    const uint64_t king = board->kings & view.own;
    view.king = pm_lsb(king);
    view.occupied = view.own | view.enemy;
    view.checkers =
        ((common.knight[view.king] & board->knights) | (pawn_attacks(king, us) & board->pawns)) &
        view.enemy;
    /* Sliders that see the king when our own pieces are lifted: one piece between is pinned. */
    uint64_t snipers = ((rook_attacks(view.king, view.enemy) & board->straights) |
                        (bishop_attacks(view.king, view.enemy) & board->diagonals)) &
                       view.enemy;
    while (snipers) {
        const unsigned sniper = pm_pop_lsb(&snipers);
        const uint64_t between = common.between[view.king][sniper] & view.own;
        if (!between)
            view.checkers |= pm_bit(sniper);
        else if (!pm_has_several(between))
            view.pinned |= between;
    }
    return view;
}

/* Moves are collected in `moves`, or only counted if that is NULL (a constant to the compiler). */
struct list {
    struct move *moves;
    unsigned count;
};

PM_ALWAYS_INLINE void add_move(struct list *list, unsigned from, unsigned to,
                               enum pm_piece_type type, enum kind kind)
{
    if (list->moves)
        list->moves[list->count] = (struct move){
            .from = (uint8_t)from, .to = (uint8_t)to, .type = (uint8_t)type, .kind = (uint8_t)kind};
    list->count++;
}

PM_ALWAYS_INLINE void add_targets(struct list *list, unsigned from, uint64_t targets,
                                  enum pm_piece_type type)
{
    if (!list->moves)
        list->count += pm_popcount(targets);
    else
        while (targets)
            add_move(list, from, pm_pop_lsb(&targets), type, KIND_PLAIN);
}

PM_ALWAYS_INLINE void add_pawns(struct list *list, uint64_t targets, int step, enum kind kind)
{
    const unsigned each = kind == KIND_PROMOTION ? 4 : 1;
    if (!list->moves) {
        list->count += each * pm_popcount(targets);
        return;
    }
    while (targets) {
        const unsigned to = pm_pop_lsb(&targets);
        const unsigned from = (unsigned)((int)to - step);
        if (kind == KIND_PROMOTION)
            for (enum pm_piece_type type = PM_KNIGHT; type <= PM_QUEEN; type++)
                add_move(list, from, to, type, kind);
        else
            add_move(list, from, to, PM_PAWN, kind);
    }
}

/* The king's steps and castlings. */
PM_ALWAYS_INLINE void add_king_moves(struct list *list, const struct board *board, enum pm_color us,
                                     const struct view *view)
{
    const uint64_t king = pm_bit(view->king);
    const uint64_t danger = attacked_by(board, other(us), view->occupied ^ king);
    add_targets(list, view->king, common.king[view->king] & ~view->own & ~danger, PM_KING);
    if (view->checkers)
        return;
    for (uint64_t rooks = board->rights & own_rank(us, 1); rooks;) {
        const unsigned rook = pm_pop_lsb(&rooks);
        const unsigned king_to = castled_king(view->king, rook);
        const unsigned rook_to = castled_rook(view->king, rook);
        const uint64_t others = view->occupied ^ king ^ pm_bit(rook);
        const uint64_t king_path = common.between[view->king][king_to] | pm_bit(king_to);
        const uint64_t rook_path = common.between[rook][rook_to] | pm_bit(rook_to);
        if (others & (king_path | rook_path) || danger & king_path)
            continue;
        /* In Chess960 the rook may have hidden a slider of the first rank from the king. */
        const uint64_t revealed = rook_attacks(king_to, others | pm_bit(rook_to)) & own_rank(us, 1);
        if (!(revealed & board->straights & view->enemy))
            add_move(list, view->king, rook, PM_KING, KIND_CASTLING);
    }
}

PM_ALWAYS_INLINE void add_pawn_moves(struct list *list, const struct board *board, enum pm_color us,
                                     const struct view *view, uint64_t check_mask)
{
    const int push = us == PM_WHITE ? 8 : -8, left = push - 1, right = push + 1;
    const enum line left_line = us == PM_WHITE ? ANTIDIAGONAL : DIAGONAL;
    const enum line right_line = us == PM_WHITE ? DIAGONAL : ANTIDIAGONAL;
    const uint64_t *const king_lines = common.lines[view->king];
    const uint64_t pawns = board->pawns & view->own, last = own_rank(us, 8);
    /* A pinned pawn keeps to the line that it shares with the king. */
    const uint64_t pushers = pawns & (~view->pinned | king_lines[FILE_LINE]);
    const uint64_t left_takers = pawns & (~view->pinned | king_lines[left_line]) & ~FILE_A;
    const uint64_t right_takers = pawns & (~view->pinned | king_lines[right_line]) & ~FILE_H;

    const uint64_t free = ~view->occupied;
    const uint64_t ahead = moved(pushers, push) & free;
    const uint64_t two_ahead = moved(ahead & own_rank(us, 3), push) & free & check_mask;
    const uint64_t pushed = ahead & check_mask;
    const uint64_t left_takes = moved(left_takers, left) & view->enemy & check_mask;
    const uint64_t right_takes = moved(right_takers, right) & view->enemy & check_mask;

    add_pawns(list, pushed & ~last, push, KIND_PLAIN);
    add_pawns(list, two_ahead, 2 * push, KIND_DOUBLE_PUSH);
    add_pawns(list, left_takes & ~last, left, KIND_PLAIN);
    add_pawns(list, right_takes & ~last, right, KIND_PLAIN);
    if ((pushed | left_takes | right_takes) & last) {
        add_pawns(list, pushed & last, push, KIND_PROMOTION);
        add_pawns(list, left_takes & last, left, KIND_PROMOTION);
        add_pawns(list, right_takes & last, right, KIND_PROMOTION);
    }
}

/* Two pieces leave their lines at once, so the king is looked at afresh. */
PM_ALWAYS_INLINE void add_en_passant(struct list *list, const struct board *board, enum pm_color us,
                                     const struct view *view)
{
    const uint64_t target = board->rights & own_rank(us, 6);
    if (!target)
        return;
    const uint64_t captured = us == PM_WHITE ? target >> 8 : target << 8;
    if (view->checkers & ~captured & (board->knights | board->pawns))
        return;
    for (uint64_t rest = pawn_attacks(target, other(us)) & board->pawns & view->own; rest;) {
        const unsigned from = pm_pop_lsb(&rest);
        const uint64_t occupied = view->occupied ^ pm_bit(from) ^ target ^ captured;
        const uint64_t attackers = (rook_attacks(view->king, occupied) & board->straights) |
                                   (bishop_attacks(view->king, occupied) & board->diagonals);
        if (!(attackers & view->enemy))
            add_move(list, from, pm_lsb(target), PM_PAWN, KIND_EN_PASSANT);
    }
}

PM_ALWAYS_INLINE uint64_t kept_to_pin(const struct view *view, unsigned from)
{
    return pm_bit(from) & view->pinned ? common.through[view->king][from] : ALL_SQUARES;
}

PM_ALWAYS_INLINE void add_pieces(struct list *list, const struct board *board,
                                 const struct view *view, uint64_t targets)
{
    const uint64_t diagonals = board->diagonals & view->own;
    const uint64_t straights = board->straights & view->own;
    for (uint64_t rest = board->knights & view->own & ~view->pinned; rest;) {
        const unsigned from = pm_pop_lsb(&rest);
        add_targets(list, from, common.knight[from] & targets, PM_KNIGHT);
    }
    for (uint64_t rest = diagonals & ~straights; rest;) {
        const unsigned from = pm_pop_lsb(&rest);
        const uint64_t attacks = bishop_attacks(from, view->occupied);
        add_targets(list, from, attacks & targets & kept_to_pin(view, from), PM_BISHOP);
    }
    for (uint64_t rest = straights & ~diagonals; rest;) {
        const unsigned from = pm_pop_lsb(&rest);
        const uint64_t attacks = rook_attacks(from, view->occupied);
        add_targets(list, from, attacks & targets & kept_to_pin(view, from), PM_ROOK);
    }
    for (uint64_t rest = diagonals & straights; rest;) {
        const unsigned from = pm_pop_lsb(&rest);
        const uint64_t attacks = queen_attacks(from, view->occupied);
        add_targets(list, from, attacks & targets & kept_to_pin(view, from), PM_QUEEN);
    }
}

PM_ALWAYS_INLINE unsigned generate(const struct board *board, enum pm_color us, struct move *moves)
{
    struct list list = {.moves = moves};
    const struct view view = view_of(board, us);
    add_king_moves(&list, board, us, &view);
    if (pm_has_several(view.checkers))
        return list.count;
    uint64_t check_mask = ALL_SQUARES;
    if (view.checkers)
        check_mask = common.between[view.king][pm_lsb(view.checkers)] | view.checkers;
    add_pieces(&list, board, &view, check_mask & ~view.own);
    add_pawn_moves(&list, board, us, &view, check_mask);
    add_en_passant(&list, board, us, &view);
    return list.count;
}

#endif
