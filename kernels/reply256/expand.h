/* SPDX-License-Identifier: MIT */
/* The expander (core/bitboards.h): all legal moves as sets, and the two-ply count apart from any
 * state. Black's boards come in, and Black's moves go out, turned upside down. */
#ifndef PM_REPLY256_EXPAND_H
#define PM_REPLY256_EXPAND_H

#include "core/bitboards.h"
#include "kernels/reply256/board.h"
#include "kernels/reply256/generate.h"
#include "kernels/reply256/lookahead.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>

PM_ALWAYS_INLINE struct board board_of(const struct pm_bitboards *bitboards, enum pm_color us)
{
    const struct board as_white = {
        .own = bitboards->pieces[PM_WHITE],
        .enemy = bitboards->pieces[PM_BLACK],
        .pawns = bitboards->pawns,
        .knights = bitboards->knights,
        .diagonals = bitboards->diagonals,
        .straights = bitboards->straights,
        .kings = bitboards->kings,
        .rights = bitboards->rights,
    };
    return us == PM_WHITE ? as_white : turned(&as_white);
}

PM_ALWAYS_INLINE void expand_king(struct pm_expansion *expansion, const struct board *board,
                                  const struct view *view)
{
    const uint64_t steps = tables.king[view->king] & ~board->own;
    const uint64_t castlings = view->checkers ? 0 : own_castling_rooks(board);
    if (!(steps | castlings))
        return;
    const uint64_t danger = danger_to_king(board, view);
    pm_expansion_add(expansion, PM_KING, view->king, steps & ~danger);
    if (castlings)
        expansion->castling_rooks = legal_castlings(board, view, danger);
}

PM_ALWAYS_INLINE void expand_sliders(struct pm_expansion *expansion, const struct board *board,
                                     const struct view *view, enum pm_piece_type type,
                                     uint64_t sliders)
{
    for (uint64_t rest = sliders & board->own; rest; rest = pm_without_lsb(rest)) {
        uint64_t targets = slider_attacks(board, pm_lsb(rest), view->occupied) & view->targets;
        if (view->pinned & lowest(rest))
            targets &= line_through(view->king, pm_lsb(rest));
        pm_expansion_add(expansion, type, pm_lsb(rest), targets);
    }
}

PM_ALWAYS_INLINE void expand_pawns(struct pm_expansion *expansion, const struct board *board,
                                   const struct view *view)
{
    const uint64_t pawns = board->pawns & board->own;
    struct pawn_targets targets = restricted(
        pawn_targets(pawns & ~view->pinned, view->occupied, board->enemy), view->targets);
    for (uint64_t rest = pawns & view->pinned; rest; rest = pm_without_lsb(rest)) {
        const struct pawn_targets pinned =
            restricted(pawn_targets(lowest(rest), view->occupied, board->enemy),
                       view->targets & line_through(view->king, pm_lsb(rest)));
        targets.push |= pinned.push;
        targets.double_push |= pinned.double_push;
        targets.left |= pinned.left;
        targets.right |= pinned.right;
    }
    expansion->pushes = targets.push;
    expansion->double_pushes = targets.double_push;
    expansion->left_captures = targets.left;
    expansion->right_captures = targets.right;
    const uint64_t to = en_passant_target(board);
    if (to)
        expansion->en_passant_captors = en_passant_captors(board, view, to);
}

NOINLINE void expand_board(struct pm_expansion *expansion, const struct board *board)
{
    const struct view view = view_of(board);
    pm_expansion_clear(expansion);
    expand_king(expansion, board, &view);
    if (!view.targets)
        return;
    expand_pawns(expansion, board, &view);
    for (uint64_t rest = board->knights & board->own & ~view.pinned; rest;
         rest = pm_without_lsb(rest))
        pm_expansion_add(expansion, PM_KNIGHT, pm_lsb(rest),
                         tables.knight[pm_lsb(rest)] & view.targets);
    const uint64_t diagonals = board->diagonals, straights = board->straights;
    expand_sliders(expansion, board, &view, PM_BISHOP, diagonals & ~straights);
    expand_sliders(expansion, board, &view, PM_ROOK, straights & ~diagonals);
    expand_sliders(expansion, board, &view, PM_QUEEN, straights & diagonals);
}

static void reply_expand(const struct pm_bitboards *bitboards, enum pm_color us,
                         struct pm_expansion *expansion)
{
    const struct board board = board_of(bitboards, us);
    expand_board(expansion, &board);
    if (us == PM_WHITE)
        return;
    expansion->pushes = __builtin_bswap64(expansion->pushes);
    expansion->double_pushes = __builtin_bswap64(expansion->double_pushes);
    expansion->left_captures = __builtin_bswap64(expansion->left_captures);
    expansion->right_captures = __builtin_bswap64(expansion->right_captures);
    expansion->en_passant_captors = __builtin_bswap64(expansion->en_passant_captors);
    expansion->castling_rooks = __builtin_bswap64(expansion->castling_rooks);
    for (unsigned i = 0; i < expansion->piece_count; i++) {
        expansion->pieces[i].from ^= 56;
        expansion->pieces[i].targets = __builtin_bswap64(expansion->pieces[i].targets);
    }
}

static uint64_t reply_count_two_plies(const struct pm_bitboards *bitboards, enum pm_color us)
{
    const struct board board = board_of(bitboards, us);
    const uint64_t count =
        castles_as_in_chess960(&board) ? count_two_plies_plainly(&board) : count_two_plies(&board);
    clean_upper_halves();
    return count;
}

static const struct pm_expander reply_expander = {
    .expand = reply_expand,
    .count_two_plies = reply_count_two_plies,
};

#endif
