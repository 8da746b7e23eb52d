/* SPDX-License-Identifier: MIT */
/* What the positions after one move have in common. Most moves are calm: they give no check and
 * touch no line between the enemy king and a slider of ours.
 *
 *   . . . . k . . .    White to move. Calm is every move but those that reach e5, e6 or e7,
 *   . . . . n . . .    those of pieces on that line, and those that give check. After each of them
 *   . . . . . . . .    the knight is pinned and Black is not in check: found once for all.
 *   . . . . . . . .
 *   . B . . R . . .    A black slider has as many moves as before if the move leaves and reaches
 *   . . . . . . . .    no square that it attacks. What white sliders attack around the king stays
 *   . . . . . . . .    the same, too, unless the move leaves or reaches such a square.
 *   . . . K . . . . */
#ifndef PM_PEXT_CALM_H
#define PM_PEXT_CALM_H

#include "kernels/pext/board.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/count.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"

#include <stdint.h>

/* Found for the side to move (we) before its move, for the enemy's replies. */
struct calm {
    uint64_t lines;          /* from the enemy king to our aligned sliders, those included */
    struct lines king_lines; /* of the enemy king, whatever stands there */
    uint64_t knight_checks, pawn_checks;   /* whence our knights and pawns give check */
    uint64_t straight_pins, diagonal_pins; /* of the enemy */

    struct lines entry;    /* whence sliders can attack the squares that the enemy king may pass */
    uint64_t king_dangers; /* what our sliders that stand there attack */
    uint64_t entering;     /* the same and those sliders' own squares */

    struct mobility knights, diagonals, straights; /* the enemy's */
};

PM_ALWAYS_INLINE struct lines king_entry(const struct board *board, enum pm_color us,
                                         const struct view *view,
                                         const struct castling_rules *rules)
{
    struct lines entry = tables.neighbor_lines[view->king_square];
    if (castling_rooks(board, us)) {
        entry.straight |= rules->passage_lines[us].straight;
        entry.diagonal |= rules->passage_lines[us].diagonal;
    }
    return entry;
}

/* What the enemy's sliders attack, exact on those squares that our king may pass. */
PM_ALWAYS_INLINE uint64_t entering_attacks(const struct board *board, enum pm_color us,
                                           const struct lines *entry)
{
    const uint64_t own = board->pieces[us], enemy = board->pieces[opponent(us)];
    return slider_attacks(board->diagonals & enemy & entry->diagonal,
                          board->straights & enemy & entry->straight,
                          (own | enemy) & ~(board->kings & own));
}
static __attribute__((noinline)) uint64_t attacks_entering_white(const struct board *board,
                                                                 const struct lines *entry)
{
    return entering_attacks(board, PM_WHITE, entry);
}
static __attribute__((noinline)) uint64_t attacks_entering_black(const struct board *board,
                                                                 const struct lines *entry)
{
    return entering_attacks(board, PM_BLACK, entry);
}

PM_ALWAYS_INLINE struct calm calm_of(const struct board *board, enum pm_color us,
                                     const struct castling_rules *rules)
{
    const enum pm_color them = opponent(us);
    struct view view = view_without_checks(board, them);
    find_slider_checks_and_pins(board, &view);
    struct calm calm = {
        .king_lines = tables.lines[view.king_square],
        .knight_checks = tables.knight[view.king_square],
        .pawn_checks = tables.pawn[them][view.king_square],
        .straight_pins = view.straight_pins,
        .diagonal_pins = view.diagonal_pins,
        .entry = king_entry(board, them, &view, rules),
        .knights = knight_mobility(board, &view),
        .diagonals = diagonal_mobility(board, &view),
        .straights = straight_mobility(board, &view),
    };
    for (uint64_t rest = aligned_sliders(board, &view); rest; rest = pm_without_lsb(rest))
        calm.lines |= tables.between[view.king_square][pm_lsb(rest)] | (rest & -rest);
    calm.king_dangers = entering_attacks(board, them, &calm.entry);
    calm.entering = calm.king_dangers | (board->diagonals & view.enemy & calm.entry.diagonal) |
                    (board->straights & view.enemy & calm.entry.straight);
    return calm;
}

/* The squares that no calm move of such a piece reaches. */
PM_ALWAYS_INLINE uint64_t restless_targets(const struct calm *calm, enum pm_piece_type type)
{
    uint64_t targets = calm->lines;
    if (type == PM_PAWN)
        targets |= calm->pawn_checks;
    if (type == PM_KNIGHT)
        targets |= calm->knight_checks;
    if (type == PM_BISHOP || type == PM_QUEEN)
        targets |= calm->king_lines.diagonal;
    if (type == PM_ROOK || type == PM_QUEEN)
        targets |= calm->king_lines.straight;
    return targets;
}

/* What our sliders attack after a calm move, exact on the squares that the enemy king may pass. */
PM_ALWAYS_INLINE uint64_t king_dangers_after(const struct board *child, enum pm_color us,
                                             const struct calm *calm, enum pm_piece_type type,
                                             uint64_t from, uint64_t to, uint64_t captured)
{
    if ((from & calm->entering) | (to & calm->king_dangers & ~captured))
        return us == PM_WHITE ? attacks_entering_black(child, &calm->entry)
                              : attacks_entering_white(child, &calm->entry);
    const uint64_t enemy = child->pieces[opponent(us)];
    const uint64_t occupied = child->pieces[us] | (enemy & ~child->kings);
    return calm->king_dangers | slider_attacks(type == PM_BISHOP || type == PM_QUEEN ? to : NO_SET,
                                               type == PM_ROOK || type == PM_QUEEN ? to : NO_SET,
                                               occupied);
}

/* All legal moves after a calm move of the enemy. A knight's moves change only if a knight is
 * captured, or a piece that it protects; a slider's also if the move opens or bars its way. */
PM_ALWAYS_INLINE unsigned count_calm_moves(const struct board *board, enum pm_color us,
                                           const struct castling_rules *rules,
                                           const struct calm *calm, uint64_t king_dangers,
                                           uint64_t touched, uint64_t captured)
{
    struct view view = view_without_checks(board, us);
    view.straight_pins = calm->straight_pins;
    view.diagonal_pins = calm->diagonal_pins;
    view.pinned = (view.straight_pins | view.diagonal_pins) & view.own;

    unsigned count = count_pawn_moves(board, us, &view);
    if (king_has_an_exit(board, us, &view))
        count += count_king_moves(board, us, &view, rules,
                                  king_dangers | leaper_attacks(board, opponent(us)));
    count += captured & calm->knights.squares ? knight_mobility(board, &view).moves
                                              : calm->knights.moves;
    count += touched & calm->diagonals.squares ? diagonal_mobility(board, &view).moves
                                               : calm->diagonals.moves;
    count += touched & calm->straights.squares ? straight_mobility(board, &view).moves
                                               : calm->straights.moves;
    return count;
}

static __attribute__((noinline)) unsigned
count_white_calm_moves(const struct board *board, const struct castling_rules *rules,
                       const struct calm *calm, uint64_t king_dangers, uint64_t touched,
                       uint64_t captured)
{
    return count_calm_moves(board, PM_WHITE, rules, calm, king_dangers, touched, captured);
}
static __attribute__((noinline)) unsigned
count_black_calm_moves(const struct board *board, const struct castling_rules *rules,
                       const struct calm *calm, uint64_t king_dangers, uint64_t touched,
                       uint64_t captured)
{
    return count_calm_moves(board, PM_BLACK, rules, calm, king_dangers, touched, captured);
}

#endif
