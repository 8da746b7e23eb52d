/* SPDX-License-Identifier: MIT */
/* Legal moves: counted without being made (count_moves) or visited one by one (visit_moves). Both ask
 * first what the enemy forbids, so that no move has to be taken back. `us` is a constant wherever these
 * functions are called: the compiler makes one copy for each colour. */
#ifndef PM_PEXT_GENERATE_H
#define PM_PEXT_GENERATE_H

#include "kernels/pext/board.h"
#include "kernels/pext/tables.h"

#include <stdint.h>

/* The position as the side to move sees it. */
struct view {
    uint64_t own, enemy, occupied;
    uint64_t king; /* our king as a set, and its square */
    unsigned king_square;
    uint64_t checkers;
    /* Where a move other than the king's must end: everywhere without a check, else on the checker or
     * between it and the king; nowhere in double check. */
    uint64_t check_mask;
    /* The lines from our king to each pinning slider, that slider included: a pinned man may move on
     * its own line only. Lines of one kind have no square in common, so one set holds them all. */
    uint64_t straight_pins, diagonal_pins;
    uint64_t pinned; /* our men on those lines */
};

/* Squares that a side attacks, its own men's squares included. */
static inline uint64_t attacked_squares(const struct board *board, enum pm_color by,
                                        uint64_t occupied, uint64_t near, uint64_t diagonal_near, uint64_t straight_near)
{
    const uint64_t men = board->men[by];
    uint64_t attacked = pawn_attacks(by, board->pawns & men);
    attacked |= tables.king[pm_lsb(board->kings & men)];
    for (uint64_t rest = board->knights & men & near; rest; rest = pm_without_lsb(rest))
        attacked |= tables.knight[pm_lsb(rest)];
    for (uint64_t rest = board->diagonals & men & diagonal_near; rest; rest = pm_without_lsb(rest))
        attacked |= bishop_attacks(pm_lsb(rest), occupied);
    for (uint64_t rest = board->straights & men & straight_near; rest; rest = pm_without_lsb(rest))
        attacked |= rook_attacks(pm_lsb(rest), occupied);
    return attacked;
}

/* Where our king may not go. It does not shield the squares behind it. */
PM_ALWAYS_INLINE uint64_t dangerous_squares(const struct board *board, enum pm_color us,
                                            const struct view *view)
{
    return attacked_squares(board, opponent(us), view->occupied ^ view->king, ~0ull, ~0ull, ~0ull);
}

/* Checks and pins by looking from the king: what it would attack as a knight or pawn checks it, the
 * first men on its lines are sliders that check it or men that may be pinned, and a slider that comes
 * into sight when those men are lifted pins one. */
PM_ALWAYS_INLINE void find_checks_and_pins(const struct board *board, enum pm_color us,
                                           struct view *view)
{
    const unsigned king = view->king_square;
    const uint64_t straights = board->straights & view->enemy;
    const uint64_t diagonals = board->diagonals & view->enemy;
    const uint64_t on_straights = rook_attacks(king, view->occupied);
    const uint64_t on_diagonals = bishop_attacks(king, view->occupied);

    view->checkers = (tables.knight[king] & board->knights & view->enemy) |
                     (tables.pawn[us][king] & board->pawns & view->enemy) |
                     (on_straights & straights) | (on_diagonals & diagonals);
    view->check_mask = ALL_SQUARES;
    if (view->checkers)
        view->check_mask = pm_has_several(view->checkers)
                               ? NO_SET
                               : view->checkers | tables.between[king][pm_lsb(view->checkers)];

    view->straight_pins = view->diagonal_pins = NO_SET;
    const uint64_t beyond_straights = rook_attacks(king, view->occupied ^ (on_straights & view->own));
    const uint64_t beyond_diagonals = bishop_attacks(king, view->occupied ^ (on_diagonals & view->own));
    for (uint64_t rest = beyond_straights & ~on_straights & straights; rest;
         rest = pm_without_lsb(rest))
        view->straight_pins |= tables.between[king][pm_lsb(rest)] | (rest & -rest);
    for (uint64_t rest = beyond_diagonals & ~on_diagonals & diagonals; rest;
         rest = pm_without_lsb(rest))
        view->diagonal_pins |= tables.between[king][pm_lsb(rest)] | (rest & -rest);
    view->pinned = (view->straight_pins | view->diagonal_pins) & view->own;
}

PM_ALWAYS_INLINE struct view view_of(const struct board *board, enum pm_color us)
{
    struct view view = {.own = board->men[us], .enemy = board->men[opponent(us)]};
    view.occupied = view.own | view.enemy;
    view.king = board->kings & view.own;
    view.king_square = pm_lsb(view.king);
    find_checks_and_pins(board, us, &view);
    return view;
}

/* Where all our pawns can go, told apart by the kind of step. */
struct pawn_targets {
    uint64_t push, double_push, left, right;
};

PM_ALWAYS_INLINE struct pawn_targets legal_pawn_targets(const struct board *board,
                                                        enum pm_color us, const struct view *view)
{
    const uint64_t pawns = board->pawns & view->own;
    uint64_t push = forward(us, pawns);
    uint64_t left = forward_left(us, pawns);
    uint64_t right = forward_right(us, pawns);
    if (view->pinned & pawns) {
        const uint64_t free = pawns & ~view->pinned;
        const uint64_t on_straight = pawns & view->straight_pins;
        const uint64_t on_diagonal = pawns & view->diagonal_pins;
        push = forward(us, free) | (forward(us, on_straight) & view->straight_pins);
        left = forward_left(us, free) | (forward_left(us, on_diagonal) & view->diagonal_pins);
        right = forward_right(us, free) | (forward_right(us, on_diagonal) & view->diagonal_pins);
    }
    push &= ~view->occupied;
    const uint64_t capturable = view->enemy & view->check_mask;
    return (struct pawn_targets){
        .push = push & view->check_mask,
        .double_push =
            forward(us, push & rank_of_side(us, 3)) & ~view->occupied & view->check_mask,
        .left = left & capturable,
        .right = right & capturable,
    };
}

/* Two men leave the board's lines at once, so ask the board as it would be:
 *
 *   . . . . . . . .    Black to move could not capture on d3: with both pawns gone from the rank,
 *   k . . p P . . R    the rook attacks the king. No pin shows that, as two men stand between.
 *   . . . . . . . . */
PM_ALWAYS_INLINE int en_passant_is_legal(const struct board *board, enum pm_color us,
                                         const struct view *view, uint64_t from, uint64_t to)
{
    const uint64_t victim = forward(opponent(us), to);
    const uint64_t occupied = (view->occupied ^ from ^ victim) | to;
    const uint64_t enemy = view->enemy ^ victim;
    const unsigned king = view->king_square;
    return !((rook_attacks(king, occupied) & board->straights & enemy) |
             (bishop_attacks(king, occupied) & board->diagonals & enemy) |
             (view->checkers & ~victim & (board->knights | board->pawns)));
}

PM_ALWAYS_INLINE uint64_t en_passant_captors(const struct board *board, enum pm_color us,
                                             const struct view *view, uint64_t target)
{
    uint64_t captors = pawn_attacks(opponent(us), target) & board->pawns & view->own;
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest))
        if (!en_passant_is_legal(board, us, view, rest & -rest, target))
            captors ^= rest & -rest;
    return captors;
}

/* Castling with one rook: the squares that must be empty, and those that the enemy must not attack. */
PM_ALWAYS_INLINE const struct castling_path *castling_path(enum pm_color us,
                                                           const struct view *view, uint64_t rook)
{
    return &tables.castling[us][view->king_square & 7][pm_lsb(rook) & 7];
}

/* The castling rooks with nothing in the way; for a king that is not in check. */
PM_ALWAYS_INLINE uint64_t unobstructed_castlings(const struct board *board, enum pm_color us,
                                                 const struct view *view)
{
    const uint64_t rooks = castling_rooks(board, us);
    if (!rooks || view->checkers)
        return NO_SET;
    const uint64_t kingside = rooks & -view->king, queenside = rooks & ~-view->king;
    uint64_t unobstructed = NO_SET;
    if (kingside && !(castling_path(us, view, kingside)->empty & view->occupied))
        unobstructed |= kingside;
    if (queenside && !(castling_path(us, view, queenside)->empty & view->occupied))
        unobstructed |= queenside;
    return unobstructed;
}

/* Whether an unobstructed castling is legal. In Chess960 the rook may have shielded the king's target
 * from a slider on the first rank: that is the one attack that `danger` can't know. */
PM_ALWAYS_INLINE int castling_is_safe(const struct board *board, enum pm_color us,
                                      const struct view *view, uint64_t danger, uint64_t rook)
{
    if (castling_path(us, view, rook)->safe & danger)
        return 0;
    if (rook & (FILE_A | FILE_H))
        return 1;
    const uint64_t occupied =
        (view->occupied & ~(view->king | rook)) | castled_rook(us, view->king, rook);
    const unsigned king_to = pm_lsb(castled_king(us, view->king, rook));
    return !(rook_attacks(king_to, occupied) & board->straights & view->enemy);
}

PM_ALWAYS_INLINE uint64_t safe_castlings(const struct board *board, enum pm_color us,
                                         const struct view *view, uint64_t danger, uint64_t rooks)
{
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest))
        if (!castling_is_safe(board, us, view, danger, rest & -rest))
            rooks ^= rest & -rest;
    return rooks;
}

/* ---- Counting ---- */

PM_ALWAYS_INLINE unsigned count_slider_targets(const struct board *board, const struct view *view,
                                               uint64_t diagonals, uint64_t straights,
                                               uint64_t diagonal_targets, uint64_t straight_targets)
{
    unsigned count = 0;
    for (uint64_t rest = board->diagonals & diagonals; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(bishop_attacks(pm_lsb(rest), view->occupied) & diagonal_targets);
    for (uint64_t rest = board->straights & straights; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(rook_attacks(pm_lsb(rest), view->occupied) & straight_targets);
    return count;
}

PM_ALWAYS_INLINE unsigned count_pawn_moves(const struct board *board, enum pm_color us,
                                           const struct view *view)
{
    const struct pawn_targets targets = legal_pawn_targets(board, us, view);
    unsigned count = pm_popcount(targets.push) + pm_popcount(targets.double_push) +
                     pm_popcount(targets.left) + pm_popcount(targets.right);
    if (board->pawns & view->own & rank_of_side(us, 7)) {
        const uint64_t last = rank_of_side(us, 8);
        count += 3 * (pm_popcount(targets.push & last) + pm_popcount(targets.left & last) +
                      pm_popcount(targets.right & last));
    }
    const uint64_t target = en_passant_target(board, us);
    if (target)
        count += pm_popcount(en_passant_captors(board, us, view, target));
    return count;
}

PM_ALWAYS_INLINE unsigned count_king_moves(const struct board *board, enum pm_color us,
                                           const struct view *view)
{
    const uint64_t steps = tables.king[view->king_square] & ~view->own;
    const uint64_t rooks = unobstructed_castlings(board, us, view);
    if (!(steps | rooks))
        return 0;
    const unsigned k = view->king_square;
    const uint64_t danger = attacked_squares(board, opponent(us), view->occupied ^ view->king,
        rooks ? ~0ull : tables.near[k].knight, rooks ? ~0ull : tables.near[k].diagonal, rooks ? ~0ull : tables.near[k].straight);
    unsigned count = pm_popcount(steps & ~danger);
    if (rooks)
        count += pm_popcount(safe_castlings(board, us, view, danger, rooks));
    return count;
}

/* All legal moves. Sets do the work: the only loops are over our knights and sliders and, where the
 * king could step somewhere, over the enemy's. */
PM_ALWAYS_INLINE unsigned count_moves(const struct board *board, enum pm_color us)
{
    const struct view view = view_of(board, us);
    unsigned count = count_king_moves(board, us, &view);
    if (!view.check_mask)
        return count;
    const uint64_t targets = view.check_mask & ~view.own;
    const uint64_t free = view.own & ~view.pinned;
    for (uint64_t rest = board->knights & free; rest; rest = pm_without_lsb(rest))
        count += pm_popcount(tables.knight[pm_lsb(rest)] & targets);
    count += count_slider_targets(board, &view, free, free, targets, targets);
    if (view.pinned)
        count += count_slider_targets(board, &view, view.diagonal_pins & view.own,
                                      view.straight_pins & view.own, targets & view.diagonal_pins,
                                      targets & view.straight_pins);
    return count + count_pawn_moves(board, us, &view);
}

static __attribute__((noinline)) unsigned count_white_moves(const struct board *board)
{
    return count_moves(board, PM_WHITE);
}
static __attribute__((noinline)) unsigned count_black_moves(const struct board *board)
{
    return count_moves(board, PM_BLACK);
}

/* ---- Visiting ---- */

/* What to do with the position after each move. */
enum visit {
    VISIT_MAKE,          /* make it, count 1 */
    VISIT_COUNT_REPLIES, /* count the replies */
    VISIT_RECUR_MAKE,    /* count the leaves further down */
    VISIT_RECUR_BULK,
    VISIT_LIST, /* append the move to a list */
    VISIT_PLAY  /* keep the position if the move is the wanted one, and count that */
};

struct visitor {
    enum visit visit; /* a constant in all code that is to be fast */
    int depth;        /* VISIT_RECUR_*: plies below the position after the move */
    struct pm_move *list;
    struct pm_move wanted;
    struct board *played;
};

static uint64_t perft_white(const struct board *board, int depth, enum pm_mode mode);
static uint64_t perft_black(const struct board *board, int depth, enum pm_mode mode);

PM_ALWAYS_INLINE unsigned replies(const struct board *child, enum pm_color us)
{
    return us == PM_WHITE ? count_black_moves(child) : count_white_moves(child);
}

PM_ALWAYS_INLINE uint64_t perft_of(const struct board *child, enum pm_color us, int depth,
                                   enum pm_mode mode)
{
    return us == PM_WHITE ? perft_black(child, depth, mode) : perft_white(child, depth, mode);
}

static int same_move(const struct pm_move *a, const struct pm_move *b)
{
    return a->from == b->from && a->to == b->to && a->promotion == b->promotion &&
           a->kind == b->kind;
}

/* One legal move of `us` led to `child`. Returns what it adds to the count. */
PM_ALWAYS_INLINE uint64_t visit(struct visitor *visitor, enum pm_color us,
                                const struct board *child, struct pm_move move)
{
    switch (visitor->visit) {
    case VISIT_MAKE:
        __asm__ volatile("" : : "m"(*child)); /* keeps the compiler from leaving the move out */
        return 1;
    case VISIT_COUNT_REPLIES:
        return replies(child, us);
    case VISIT_RECUR_MAKE:
        return perft_of(child, us, visitor->depth, PM_MODE_MAKE);
    case VISIT_RECUR_BULK:
        return perft_of(child, us, visitor->depth, PM_MODE_BULK);
    case VISIT_LIST:
        *visitor->list++ = move;
        return 1;
    case VISIT_PLAY:
        if (!same_move(&move, &visitor->wanted))
            return 0;
        *visitor->played = *child;
        return 1;
    }
    return 0;
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
                                     uint64_t to)
{
    struct board child;
    after_move(&child, board, us, type, from, to);
    const enum pm_move_kind kind = board->men[opponent(us)] & to ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
    return visit(visitor, us, &child, move_of(from, to, PM_NO_PIECE_TYPE, kind));
}

PM_ALWAYS_INLINE uint64_t visit_targets(struct visitor *visitor, const struct board *board,
                                        enum pm_color us, enum pm_piece_type type, uint64_t from,
                                        uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest))
        count += visit_move(visitor, board, us, type, from, rest & -rest);
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_knights(struct visitor *visitor, const struct board *board,
                                        enum pm_color us, const struct view *view,
                                        uint64_t targets)
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
                                        enum pm_piece_type type, uint64_t sliders,
                                        uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = sliders & view->own; rest; rest = pm_without_lsb(rest))
        count += visit_targets(visitor, board, us, type, rest & -rest,
                               free_attacks(type, pm_lsb(rest), view) & targets);
    return count;
}

/* Pawns that step by `shift` squares (towards h8 if positive) onto targets. */
PM_ALWAYS_INLINE uint64_t visit_pawn_steps(struct visitor *visitor, const struct board *board,
                                           enum pm_color us, int shift, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        count += visit_move(visitor, board, us, PM_PAWN, shift > 0 ? to >> shift : to << -shift, to);
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_double_pushes(struct visitor *visitor, const struct board *board,
                                              enum pm_color us, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        const uint64_t from = us == PM_WHITE ? to >> 16 : to << 16;
        struct board child;
        after_double_push(&child, board, us, from, to);
        count += visit(visitor, us, &child,
                       move_of(from, to, PM_NO_PIECE_TYPE, PM_MOVE_DOUBLE_PUSH));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_promotions(struct visitor *visitor, const struct board *board,
                                           enum pm_color us, int shift, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        const uint64_t from = shift > 0 ? to >> shift : to << -shift;
        const enum pm_move_kind kind =
            board->men[opponent(us)] & to ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
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
    count += visit_double_pushes(visitor, board, us, targets.double_push);
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
        count += visit(visitor, us, &child,
                       move_of(from, target, PM_NO_PIECE_TYPE, PM_MOVE_EN_PASSANT));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_castlings(struct visitor *visitor, const struct board *board,
                                          enum pm_color us, const struct view *view,
                                          uint64_t danger)
{
    uint64_t rooks = unobstructed_castlings(board, us, view);
    if (!rooks)
        return 0;
    uint64_t count = 0;
    rooks = safe_castlings(board, us, view, danger, rooks);
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const uint64_t rook = rest & -rest;
        struct board child;
        after_castling(&child, board, us, view->king, rook);
        count += visit(visitor, us, &child,
                       move_of(view->king, rook, PM_NO_PIECE_TYPE, PM_MOVE_CASTLING));
    }
    return count;
}

PM_ALWAYS_INLINE uint64_t visit_moves(struct visitor *visitor, const struct board *board,
                                      enum pm_color us)
{
    const struct view view = view_of(board, us);
    const uint64_t danger = dangerous_squares(board, us, &view);
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

#endif
