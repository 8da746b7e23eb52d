/* SPDX-License-Identifier: MIT */
/* The position as the side to move sees it: checks, pins, and what the enemy attacks. `us` is a
 * constant wherever these functions are called, here and in the files that build on this one: the
 * compiler makes one copy for each color. */
#ifndef PM_PEXT_VIEW_H
#define PM_PEXT_VIEW_H

#include "kernels/pext/board.h"
#include "kernels/pext/tables.h"

#include <stdint.h>

struct view {
    uint64_t own, enemy, occupied;
    uint64_t king; /* our king as a set, and its square */
    unsigned king_square;
    uint64_t checkers;
    /* Where a move other than the king's must end: everywhere without a check, else on the checker
     * or between it and the king; nowhere in double check. */
    uint64_t check_mask;
    /* The lines from our king to each pinning slider, that slider included: a pinned piece may move
     * on its own line only. It can't reach another line of the same kind, so one set holds them
     * all. */
    uint64_t straight_pins, diagonal_pins;
    uint64_t pinned; /* our pieces on those lines */
};

PM_ALWAYS_INLINE struct view view_without_checks(const struct board *board, enum pm_color us)
{
    struct view view = {
        .own = board->pieces[us],
        .enemy = board->pieces[opponent(us)],
        .check_mask = ALL_SQUARES,
    };
    view.occupied = view.own | view.enemy;
    view.king = board->kings & view.own;
    view.king_square = pm_lsb(view.king);
    return view;
}

/* The enemy sliders that would attack our king on an empty board. */
PM_ALWAYS_INLINE uint64_t aligned_sliders(const struct board *board, const struct view *view)
{
    const struct lines *lines = &tables.lines[view->king_square];
    return ((lines->straight & board->straights) | (lines->diagonal & board->diagonals)) &
           view->enemy;
}

/* An aligned slider with nothing between gives check, one with a single piece of ours between pins
 * it. */
PM_ALWAYS_INLINE void find_slider_checks_and_pins(const struct board *board, struct view *view)
{
    for (uint64_t rest = aligned_sliders(board, view); rest; rest = pm_without_lsb(rest)) {
        const uint64_t slider = rest & -rest;
        const uint64_t line = tables.between[view->king_square][pm_lsb(rest)];
        const uint64_t pieces = line & view->occupied;
        if (!pieces)
            view->checkers |= slider;
        else if (pm_has_several(pieces) || !(pieces & view->own))
            continue;
        else if (slider & tables.lines[view->king_square].straight)
            view->straight_pins |= line | slider;
        else
            view->diagonal_pins |= line | slider;
    }
    view->pinned = (view->straight_pins | view->diagonal_pins) & view->own;
}

PM_ALWAYS_INLINE struct view view_of(const struct board *board, enum pm_color us)
{
    struct view view = view_without_checks(board, us);
    const unsigned king = view.king_square;
    view.checkers =
        ((tables.knight[king] & board->knights) | (tables.pawn[us][king] & board->pawns)) &
        view.enemy;
    find_slider_checks_and_pins(board, &view);
    if (pm_has_several(view.checkers))
        view.check_mask = NO_SET;
    else if (view.checkers)
        view.check_mask = view.checkers | tables.between[king][pm_lsb(view.checkers)];
    return view;
}

/* What pawns, knights and king of a side attack, its own pieces's squares included. */
PM_ALWAYS_INLINE uint64_t leaper_attacks(const struct board *board, enum pm_color by)
{
    const uint64_t pieces = board->pieces[by];
    uint64_t attacked = pawn_attacks(by, board->pawns & pieces);
    attacked |= tables.king[pm_lsb(board->kings & pieces)];
    for (uint64_t rest = board->knights & pieces; rest; rest = pm_without_lsb(rest))
        attacked |= tables.knight[pm_lsb(rest)];
    return attacked;
}

PM_ALWAYS_INLINE uint64_t slider_attacks(uint64_t diagonals, uint64_t straights, uint64_t occupied)
{
    uint64_t attacked = 0;
    for (uint64_t rest = diagonals; rest; rest = pm_without_lsb(rest))
        attacked |= bishop_attacks(pm_lsb(rest), occupied);
    for (uint64_t rest = straights; rest; rest = pm_without_lsb(rest))
        attacked |= rook_attacks(pm_lsb(rest), occupied);
    return attacked;
}

PM_ALWAYS_INLINE uint64_t attacked_squares(const struct board *board, enum pm_color by,
                                           uint64_t occupied)
{
    const uint64_t pieces = board->pieces[by];
    return leaper_attacks(board, by) |
           slider_attacks(board->diagonals & pieces, board->straights & pieces, occupied);
}

/* Where our king may not go. It does not shield the squares behind it. */
PM_ALWAYS_INLINE uint64_t dangerous_squares(const struct board *board, enum pm_color us,
                                            const struct view *view)
{
    return attacked_squares(board, opponent(us), view->occupied ^ view->king);
}

#endif
