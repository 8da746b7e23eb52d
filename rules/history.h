/* SPDX-License-Identifier: MIT */
/* A game's positions in order: repetitions, move counts, checks without end. */
#ifndef PM_RULES_HISTORY_H
#define PM_RULES_HISTORY_H

#include "rules/view.h"

#include <stdbool.h>
#include <stddef.h>

/* Two positions are the same if pieces, side to move, castling rights and the possible moves agree:
 * an en passant square counts only if the capture is legal (FIDE Laws 9.2.3). They are compared
 * whole, not by key alone. */
struct pm_history;

enum pm_status pm_history_create(struct pm_history **history, struct pm_error *error);
void pm_history_destroy(struct pm_history *history); /* NULL is allowed */

/* Forgets all; the memory is kept for the next game. */
void pm_history_clear(struct pm_history *history);

/* Adds the view's position as the next of the game: the first one, then the one after each move,
 * played or followed. Looks at the view only where a draw may hold. PM_ERROR_MEMORY: it was not
 * added. */
enum pm_status pm_history_add(struct pm_history *history, struct pm_view *view);

/* Draws that hold in the last position added, bits. None in a position without legal moves: the
 * game is over by mate, which goes first, or by stalemate.
 *
 * PM_DRAW_PERPETUAL_WHITE claims: the last position has occurred before (twice is enough); every
 * move that White made since it occurred first was a check; and at each of Black's turns since then
 * White could go on checking without end whatever Black replied, as pm_perpetual_of() proves. So
 * nothing is claimed of checks that another reply would have ended, nor where the proof is beyond
 * its limits. */
enum pm_draw {
    PM_DRAW_THREEFOLD = 1 << 0,       /* may be claimed (9.2) */
    PM_DRAW_FIVEFOLD = 1 << 1,        /* automatic (9.6.1) */
    PM_DRAW_FIFTY_MOVES = 1 << 2,     /* may be claimed (9.3) */
    PM_DRAW_SEVENTY_FIVE = 1 << 3,    /* automatic (9.6.2), unless the last move mated */
    PM_DRAW_PERPETUAL_WHITE = 1 << 4, /* White checks without end: a draw by the founding rules */
    PM_DRAW_PERPETUAL_BLACK = 1 << 5
};
unsigned pm_history_draws(const struct pm_history *history);

/* How often the last position has occurred, itself included; and the ply (0 is the first position)
 * at which it occurred first. */
unsigned pm_history_occurrences(const struct pm_history *history);
size_t pm_history_first_ply(const struct pm_history *history);

/* Whether a claim is possible before moving: some legal move of the view (which is the last
 * position) would make a threefold repetition or fifty moves (9.2.1, 9.3.1). Bits of enum pm_draw;
 * *move gets the first such move, one that repeats before one that only counts. */
unsigned pm_history_claims_by_move(const struct pm_history *history, struct pm_view *view,
                                   struct pm_move *move);

/* ---- Looking back ---- */

/* Positions added; the last one's ply is one less. */
size_t pm_history_length(const struct pm_history *history);

/* The position of a ply, clocks 0 and 1. Valid until the next call. */
const struct pm_position *pm_history_position(const struct pm_history *history, size_t ply);

/* The ply at which the same position occurred the time before, or PM_NO_PLY. */
#define PM_NO_PLY SIZE_MAX
size_t pm_history_previous_ply(const struct pm_history *history, size_t ply);

/* The ply at which it occurred last, and how often it has occurred up to `ply`. */
size_t pm_history_last_ply(const struct pm_history *history, size_t ply);
unsigned pm_history_occurrences_at(const struct pm_history *history, size_t ply);

#endif
