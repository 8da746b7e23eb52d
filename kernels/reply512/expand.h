/* SPDX-License-Identifier: MIT */
/* The expander (core/bitboards.h): all legal moves as sets, and the two-ply count apart from any
 * state. Its bitboards are this kernel's board under another name. */
#ifndef PM_REPLY512_EXPAND_H
#define PM_REPLY512_EXPAND_H

#include "core/bitboards.h"
#include "kernels/reply512/board.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/lookahead.h"
#include "kernels/reply512/tables.h"

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
    const uint64_t steps = tables.king[view->king_square] & ~view->own;
    const uint64_t castlings = view->checkers ? 0 : castling_rooks(board, us);
    if (!(steps | castlings))
        return;
    const uint64_t danger = dangerous(board, us, view);
    pm_expansion_add(expansion, PM_KING, view->king_square, steps & ~danger);
    if (castlings)
        expansion->castling_rooks = legal_castlings(board, us, view, danger);
}

PM_ALWAYS_INLINE void expand_sliders(struct pm_expansion *expansion, const struct view *view,
                                     enum pm_piece_type type, uint64_t sliders)
{
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        uint64_t targets = slider_attacks_as(type, square, view->occupied) & view->targets;
        if (view->pinned & rest & -rest)
            targets &= tables.line[view->king_square][square];
        pm_expansion_add(expansion, type, square, targets);
    }
}

PM_ALWAYS_INLINE void expand_pawns(struct pm_expansion *expansion, const struct board *board,
                                   enum pm_color us, const struct view *view)
{
    const uint64_t pawns = board->pawns & view->own;
    struct pawn_targets targets = pawn_targets(us, view, pawns & ~view->pinned, view->targets);
    for (uint64_t rest = pawns & view->pinned; rest; rest = pm_without_lsb(rest)) {
        const struct pawn_targets pinned = pawn_targets(
            us, view, rest & -rest, view->targets & tables.line[view->king_square][pm_lsb(rest)]);
        targets.push |= pinned.push;
        targets.double_push |= pinned.double_push;
        targets.left |= pinned.left;
        targets.right |= pinned.right;
    }
    expansion->pushes = targets.push;
    expansion->double_pushes = targets.double_push;
    expansion->left_captures = targets.left;
    expansion->right_captures = targets.right;
    const uint64_t to = en_passant_target(board, us);
    if (to)
        expansion->en_passant_captors = en_passant_captors(board, us, view, to);
}

PM_ALWAYS_INLINE void expand_of(struct pm_expansion *expansion, const struct board *board,
                                enum pm_color us)
{
    const struct view view = view_of(board, us);
    pm_expansion_clear(expansion);
    expand_king(expansion, board, us, &view);
    if (!view.targets)
        return;
    expand_pawns(expansion, board, us, &view);
    for (uint64_t rest = board->knights & view.own & ~view.pinned; rest;
         rest = pm_without_lsb(rest))
        pm_expansion_add(expansion, PM_KNIGHT, pm_lsb(rest),
                         tables.knight[pm_lsb(rest)] & view.targets);
    const uint64_t diagonals = board->diagonals & view.own;
    const uint64_t straights = board->straights & view.own;
    expand_sliders(expansion, &view, PM_BISHOP, diagonals & ~straights);
    expand_sliders(expansion, &view, PM_ROOK, straights & ~diagonals);
    expand_sliders(expansion, &view, PM_QUEEN, straights & diagonals);
}

NOINLINE void expand_white(struct pm_expansion *expansion, const struct board *board)
{
    expand_of(expansion, board, PM_WHITE);
}
NOINLINE void expand_black(struct pm_expansion *expansion, const struct board *board)
{
    expand_of(expansion, board, PM_BLACK);
}

static void reply512_expand(const struct pm_bitboards *bitboards, enum pm_color us,
                            struct pm_expansion *expansion)
{
    const struct board board = board_of(bitboards);
    if (us == PM_WHITE)
        expand_white(expansion, &board);
    else
        expand_black(expansion, &board);
}

static uint64_t reply512_count_two_plies(const struct pm_bitboards *bitboards, enum pm_color us)
{
    const struct board board = board_of(bitboards);
    const int fits = most_moves(&board, opponent(us)) < 256 || fits_reply_board(&board);
    if (!fits || castles_as_in_chess960(&board))
        return count_two_plies_plainly(&board, us);
    return us == PM_WHITE ? count_two_plies_white(&board) : count_two_plies_black(&board);
}

static const struct pm_expander reply512_expander = {
    .expand = reply512_expand,
    .count_two_plies = reply512_count_two_plies,
};

#endif
