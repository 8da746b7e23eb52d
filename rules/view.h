/* SPDX-License-Identifier: MIT */
/* A position as a kernel sees it: its legal moves and its attacks. The rules of chess that need
 * moves are answered from a view, so any kernel may answer them. */
#ifndef PM_RULES_VIEW_H
#define PM_RULES_VIEW_H

#include "core/bitboards.h"
#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

struct pm_view {
    const struct pm_kernel *kernel; /* its init() was called */
    struct pm_position position;    /* with both clocks, whether or not the kernel keeps them */
    struct pm_bitboards *board;     /* the same, en passant square only if a capture is legal */
    bool is_looked;                 /* whether what follows is there: see pm_view_follow() */
    void *state;                    /* of the kernel, for `position` */
    void *child;                    /* a second one, of the kernel too, to play a move on */
    struct pm_attacks attacks;
    unsigned move_count;
    struct pm_move moves[PM_MAX_MOVES]; /* the legal ones, in the kernel's order */
};

/* Zero-initialized memory becomes a view without a position. PM_ERROR_UNSUPPORTED if the kernel
 * does not tell attacks, PM_ERROR_MEMORY. */
enum pm_status pm_view_open(struct pm_view *view, const struct pm_kernel *kernel,
                            struct pm_error *error);
void pm_view_close(struct pm_view *view); /* in any state */

/* The position must pass pm_position_check(). PM_ERROR_UNSUPPORTED if the kernel can't represent
 * it; then the view is as it was. */
enum pm_status pm_view_set(struct pm_view *view, const struct pm_position *position,
                           struct pm_error *error);

/* The same, but asks the kernel nothing if its expander tells all that pm_facts_of() counts; see
 * pm_view_look(). */
enum pm_status pm_view_place(struct pm_view *view, const struct pm_position *position,
                             struct pm_error *error);

/* Plays one of view->moves. */
enum pm_status pm_view_play(struct pm_view *view, struct pm_move move, struct pm_error *error);

/* Plays a legal move, and asks the kernel nothing about the position that comes, if it has an
 * expander that tells origins: then `position` and `board` alone are kept up. A game is replayed so
 * in a tenth of the time. */
enum pm_status pm_view_follow(struct pm_view *view, struct pm_move move, struct pm_error *error);

/* Asks what pm_view_place() and pm_view_follow() left out; quick if nothing is missing. */
enum pm_status pm_view_look(struct pm_view *view, struct pm_error *error);

/* Whether a move of the position is a capture or a pawn's: it sets the halfmove clock to 0. */
bool pm_view_resets_clock(const struct pm_position *position, const struct pm_move *move);

/* What a move does to the opponent: found by playing it on view->child. */
struct pm_view_effect {
    bool check;
    bool checkmate;
    bool stalemate;
};
struct pm_view_effect pm_view_effect_of(struct pm_view *view, const struct pm_move *move);

#endif
