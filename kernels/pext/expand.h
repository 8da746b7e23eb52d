/* SPDX-License-Identifier: MIT */
/* The expander (core/bitboards.h): all legal moves as sets, and the last two plies in bulk. Its
 * bitboards are this kernel's board under another name. */
#ifndef PM_PEXT_EXPAND_H
#define PM_PEXT_EXPAND_H

#include "core/bitboards.h"
#include "kernels/pext/board.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/origins.h"
#include "kernels/pext/special.h"
#include "kernels/pext/view.h"
#include "kernels/pext/visit.h"

#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(struct board) == sizeof(struct pm_bitboards), "one layout, two names");

PM_ALWAYS_INLINE struct board board_of(const struct pm_bitboards *bitboards)
{
    struct board board;
    memcpy(&board, bitboards, sizeof board);
    return board;
}

PM_ALWAYS_INLINE void expand_king(struct pm_expansion *expansion, const struct board *board,
                                  enum pm_color us, const struct view *view)
{
    const uint64_t danger = dangerous_squares(board, us, view);
    pm_expansion_add(expansion, PM_KING, view->king_square,
                     tables.king[view->king_square] & ~view->own & ~danger);
    if (!castling_rooks(board, us) || view->checkers)
        return;
    const struct castling_rules rules = castling_rules_of(board);
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
        if (castling_is_legal(board, us, view, danger, &rules.castling[us][side]))
            expansion->castling_rooks |= rules.castling[us][side].rook;
}

PM_ALWAYS_INLINE void expand_sliders(struct pm_expansion *expansion, const struct view *view,
                                     enum pm_piece_type type, uint64_t sliders, uint64_t targets)
{
    for (uint64_t rest = sliders & view->own; rest; rest = pm_without_lsb(rest))
        pm_expansion_add(expansion, type, pm_lsb(rest),
                         free_attacks(type, pm_lsb(rest), view) & targets);
}

PM_ALWAYS_INLINE void expand_of(struct pm_expansion *expansion, const struct board *board,
                                enum pm_color us)
{
    const struct view view = view_of(board, us);
    pm_expansion_clear(expansion);
    if (king_has_an_exit(board, us, &view))
        expand_king(expansion, board, us, &view);
    if (!view.check_mask)
        return;

    const uint64_t targets = view.check_mask & ~view.own;
    const uint64_t diagonals = board->diagonals, straights = board->straights;
    for (uint64_t rest = board->knights & view.own & ~view.pinned; rest;
         rest = pm_without_lsb(rest))
        pm_expansion_add(expansion, PM_KNIGHT, pm_lsb(rest), tables.knight[pm_lsb(rest)] & targets);
    expand_sliders(expansion, &view, PM_BISHOP, diagonals & ~straights, targets);
    expand_sliders(expansion, &view, PM_ROOK, straights & ~diagonals, targets);
    expand_sliders(expansion, &view, PM_QUEEN, diagonals & straights, targets);

    const struct pawn_targets pawns = legal_pawn_targets(board, us, &view);
    expansion->pushes = pawns.push;
    expansion->double_pushes = pawns.double_push;
    expansion->left_captures = pawns.left;
    expansion->right_captures = pawns.right;
    const uint64_t target = en_passant_target(board, us);
    if (target)
        expansion->en_passant_captors = en_passant_captors(board, us, &view, target);
}

static void pext_expand(const struct pm_bitboards *bitboards, enum pm_color us,
                        struct pm_expansion *expansion)
{
    const struct board board = board_of(bitboards);
    if (us == PM_WHITE)
        expand_of(expansion, &board, PM_WHITE);
    else
        expand_of(expansion, &board, PM_BLACK);
}

static uint64_t pext_count_two_plies(const struct pm_bitboards *bitboards, enum pm_color us)
{
    const struct board board = board_of(bitboards);
    const struct castling_rules rules = castling_rules_of(&board);
    return us == PM_WHITE ? perft_white(&board, &rules, 2, PM_MODE_BULK)
                          : perft_black(&board, &rules, 2, PM_MODE_BULK);
}

static uint64_t pext_origins(const struct pm_bitboards *bitboards, enum pm_color us,
                             enum pm_piece_type type, pm_square to)
{
    const struct board board = board_of(bitboards);
    return us == PM_WHITE ? origins_of(&board, PM_WHITE, type, to)
                          : origins_of(&board, PM_BLACK, type, to);
}

static void pext_find_check_squares(const struct pm_bitboards *bitboards, enum pm_color us,
                                    struct pm_check_squares *squares)
{
    const struct board board = board_of(bitboards);
    *squares = check_squares_of(&board, us);
}

static const struct pm_expander pext_expander = {
    .expand = pext_expand,
    .count_two_plies = pext_count_two_plies,
    .origins = pext_origins,
    .find_check_squares = pext_find_check_squares,
};

#endif
