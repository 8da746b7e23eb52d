/* SPDX-License-Identifier: MIT */
/* Legal moves counted without being made. Sets do the work: the only loops are over our knights and
 * sliders and, where the king can step somewhere, over the enemy's. */
#ifndef PM_PEXT_COUNT_H
#define PM_PEXT_COUNT_H

#include "kernels/pext/board.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/special.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"

#include <stdint.h>

/* Pieces of one kind: their squares and what they attack, and the number of their moves. Where only
 * the moves are wanted, the compiler leaves the rest out. */
struct mobility {
    uint64_t squares;
    unsigned moves;
};

PM_ALWAYS_INLINE void add_mobility(struct mobility *mobility, uint64_t attacks, uint64_t targets)
{
    mobility->squares |= attacks;
    mobility->moves += pm_popcount(attacks & targets);
}

/* A pinned knight has no move. */
PM_ALWAYS_INLINE struct mobility knight_mobility(const struct board *board, const struct view *view)
{
    const uint64_t targets = view->check_mask & ~view->own;
    const uint64_t knights = board->knights & view->own & ~view->pinned;
    struct mobility mobility = {.squares = knights};
    for (uint64_t rest = knights; rest; rest = pm_without_lsb(rest))
        add_mobility(&mobility, tables.knight[pm_lsb(rest)], targets);
    return mobility;
}

/* Bishops and the like moves of queens. */
PM_ALWAYS_INLINE struct mobility diagonal_mobility(const struct board *board,
                                                   const struct view *view)
{
    const uint64_t targets = view->check_mask & ~view->own;
    const uint64_t pieces = board->diagonals & view->own;
    struct mobility mobility = {.squares = pieces};
    for (uint64_t rest = pieces & ~view->pinned; rest; rest = pm_without_lsb(rest))
        add_mobility(&mobility, bishop_attacks(pm_lsb(rest), view->occupied), targets);
    for (uint64_t rest = pieces & view->diagonal_pins; rest; rest = pm_without_lsb(rest))
        add_mobility(&mobility, bishop_attacks(pm_lsb(rest), view->occupied),
                     targets & view->diagonal_pins);
    return mobility;
}

PM_ALWAYS_INLINE struct mobility straight_mobility(const struct board *board,
                                                   const struct view *view)
{
    const uint64_t targets = view->check_mask & ~view->own;
    const uint64_t pieces = board->straights & view->own;
    struct mobility mobility = {.squares = pieces};
    for (uint64_t rest = pieces & ~view->pinned; rest; rest = pm_without_lsb(rest))
        add_mobility(&mobility, rook_attacks(pm_lsb(rest), view->occupied), targets);
    for (uint64_t rest = pieces & view->straight_pins; rest; rest = pm_without_lsb(rest))
        add_mobility(&mobility, rook_attacks(pm_lsb(rest), view->occupied),
                     targets & view->straight_pins);
    return mobility;
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

/* Whether there may be a king move at all, so that attacked squares have to be known. Whichever way
 * a king castles, the square beside it is empty or holds the castling rook. */
PM_ALWAYS_INLINE int king_has_an_exit(const struct board *board, enum pm_color us,
                                      const struct view *view)
{
    return (tables.king[view->king_square] & ~(view->own ^ castling_rooks(board, us))) != 0;
}

PM_ALWAYS_INLINE unsigned count_king_moves(const struct board *board, enum pm_color us,
                                           const struct view *view,
                                           const struct castling_rules *rules, uint64_t danger)
{
    unsigned count = pm_popcount(tables.king[view->king_square] & ~view->own & ~danger);
    if (castling_rooks(board, us) && !view->checkers)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            count +=
                (unsigned)castling_is_legal(board, us, view, danger, &rules->castling[us][side]);
    return count;
}

/* All legal moves. */
PM_ALWAYS_INLINE unsigned count_moves(const struct board *board, enum pm_color us,
                                      const struct castling_rules *rules)
{
    const struct view view = view_of(board, us);
    unsigned count = 0;
    if (king_has_an_exit(board, us, &view))
        count += count_king_moves(board, us, &view, rules, dangerous_squares(board, us, &view));
    if (!view.check_mask)
        return count;
    return count + count_pawn_moves(board, us, &view) + knight_mobility(board, &view).moves +
           diagonal_mobility(board, &view).moves + straight_mobility(board, &view).moves;
}

static __attribute__((noinline)) unsigned count_white_moves(const struct board *board,
                                                            const struct castling_rules *rules)
{
    return count_moves(board, PM_WHITE, rules);
}
static __attribute__((noinline)) unsigned count_black_moves(const struct board *board,
                                                            const struct castling_rules *rules)
{
    return count_moves(board, PM_BLACK, rules);
}

#endif
