/* SPDX-License-Identifier: MIT */
/* What the rules say of one position: over or not, why castling is possible or not, how a check may
 * be answered. */
#ifndef PM_RULES_VERDICT_H
#define PM_RULES_VERDICT_H

#include "rules/view.h"

enum pm_verdict {
    PM_VERDICT_OPEN, /* play goes on */
    PM_VERDICT_CHECKMATE,
    PM_VERDICT_STALEMATE,
    PM_VERDICT_INSUFFICIENT_MATERIAL, /* neither side can mate with these pieces (rules/material.h)
                                       */
    PM_VERDICT_DEAD_POSITION,         /* no series of legal moves mates (rules/dead.h) */
    PM_VERDICT_COUNT
};

/* "open", "checkmate", "stalemate", "insufficient material", "dead position". Never NULL. */
const char *pm_verdict_text(enum pm_verdict verdict);

/* FIDE Laws 5.1.1, 5.2.1, 5.2.2. Dead positions are recognized where that is certain: what is not
 * proved dead counts as open. `thorough` looks for dead positions too, which takes
 * microseconds, and up to some 20 ms where the pieces have few moves. */
enum pm_verdict pm_verdict_of(struct pm_view *view, bool thorough);

/* The reason in a sentence without a full stop: "the king on h8 is attacked by the queen on g7 and
 * no move answers the check". */
#define PM_VERDICT_REASON_SIZE 256
char *pm_verdict_reason(struct pm_view *view, enum pm_verdict verdict,
                        char text[PM_VERDICT_REASON_SIZE]);

/* The conditions of castling (FIDE Laws 3.8.2), each a bit; 0: castling is legal.
 * PM_CASTLING_NO_RIGHT stands alone: the others are not asked then. */
enum pm_castling_obstacle {
    PM_CASTLING_NO_RIGHT = 1 << 0, /* the king or that rook has moved, or was taken */
    PM_CASTLING_OCCUPIED = 1 << 1, /* something stands where king or rook have to pass or end */
    PM_CASTLING_IN_CHECK = 1 << 2, /* the king's square is attacked */
    PM_CASTLING_THROUGH = 1 << 3,  /* a square that the king crosses is attacked */
    PM_CASTLING_INTO = 1 << 4,     /* the square on which the king ends is attacked */
    PM_CASTLING_NOT_TURN = 1 << 5  /* the other side is to move; the others are told as well */
};

/* Obstacles of one castling, for either color. Attacks on Chess960 squares are judged with the
 * rook already gone from its square. */
unsigned pm_castling_obstacles(const struct pm_position *position, enum pm_color color,
                               enum pm_castling_side side);

/* One bit's text: "the king is in check". Never NULL. */
const char *pm_castling_obstacle_text(enum pm_castling_obstacle obstacle);

/* How a legal move answers a check. */
enum pm_evasion { PM_EVASION_NONE, PM_EVASION_KING, PM_EVASION_BLOCK, PM_EVASION_CAPTURE };

/* PM_EVASION_NONE when there is no check. A king that takes its checker is PM_EVASION_CAPTURE; so
 * is an en passant capture of the checking pawn. */
enum pm_evasion pm_evasion_of(const struct pm_view *view, const struct pm_move *move);

#endif
