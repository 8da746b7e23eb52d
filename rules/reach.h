/* SPDX-License-Identifier: MIT */
/* Which squares each piece can ever stand on, and what follows for mates: a proof that one side can
 * never mate, made without playing a move.
 *
 * For each piece a set of squares is grown, from the square it stands on, until nothing can be
 * added: a step is added if no rule below forbids it for ever. A piece is FIXED while its set holds
 * its own square alone and no enemy piece's set holds that square.
 *   - Nobody enters or passes the square of a fixed piece of its own side or of a fixed king.
 *   - A pawn advances onto squares without a fixed piece only, and captures only where some enemy
 *     piece that is no king may ever stand; one that may be captured en passant counts as standing
 *     on the passed square too.
 *   - A king enters no square that a fixed enemy piece attacks whatever the others do: a slider's
 *     attack ends with the first square that any piece may ever stand on.
 *   - A pawn that can only go straight on does not pass an enemy pawn that faces it on its file, if
 *     that one can only go straight on too, is never captured and never promotes.
 *   - A pawn on the last rank is a piece that moves like queen and knight together.
 * Suppose a game left these sets: take its first move that does. Before it every piece stood inside
 * its set, so each fixed piece was on its square, and the move's step is one that was added: a
 * contradiction. Pins, checks, whose turn it is and who stands in the way are not looked at, which
 * only makes the sets larger.
 *
 * A mate needs, with the loser's king on some square of its set and the winner's on some square not
 * beside it, a piece that checks from a square of its set, and every square around the loser's king
 * be attacked or be blocked by a piece of the loser, each piece blocking one square. All pairs of
 * king squares and all checkers are tried; attacks of the other pieces count from anywhere in their
 * sets. If none fits, no series of legal moves mates.
 *
 * Own design; that unreachable squares prove a position dead is the idea of the semi-static part of
 * Ambrona's Chess Unwinnability Analyzer (2022). */
#ifndef PM_RULES_REACH_H
#define PM_RULES_REACH_H

#include "core/board.h"

#include <stdbool.h>

/* True: a proof that `color` has no series of legal moves to mate from here. It holds whoever is to
 * move, and with the kings on any squares of `kings`, which is filled, the other pieces standing as
 * they stand. False: nothing is proved. Takes microseconds. */
bool pm_reach_cannot_mate(const struct pm_position *position, enum pm_color color,
                          uint64_t kings[PM_COLOR_COUNT]);

#endif
