/* SPDX-License-Identifier: MIT */
/* What the vector can't know: it describes landings on a board where our piece still stands on its
 * origin. If pieces of theirs see that piece, its leaving changes their moves; the vector is
 * changed accordingly for this piece's targets. */
#ifndef PM_REPLY512_CORRECTIONS_H
#define PM_REPLY512_CORRECTIONS_H

#include "kernels/reply512/relations.h"

#include <stdint.h>

/* Pawns of theirs lose the capture of our piece, or are no longer stopped by it; but not if it
 * captures that pawn. */
PM_ALWAYS_INLINE __m512i with_pawn_changes(__m512i replies, const struct parent *parent,
                                           enum pm_color us, uint64_t from)
{
    const enum pm_color them = opponent(us);
    const struct pawn_reach *pawns = &parent->mobility.pawns;
    const unsigned weight = from & rank_of(them, 8) ? 4 : 1;
    if (from & pawns->left)
        replies = subtract_on(replies, ~back_from_left(them, from), bytes(weight));
    if (from & pawns->right)
        replies = subtract_on(replies, ~back_from_right(them, from), bytes(weight));
    if (from & pawns->front) {
        const uint64_t second = forward(them, from & rank_of(them, 3)) & ~parent->occupied;
        replies = add_on(replies, ~back(them, from), bytes(weight + (second != 0)));
        replies = subtract_on(replies, second, bytes(1));
    }
    if (from & pawns->second) {
        const uint64_t passed = back(them, from);
        replies = add_on(replies, ~(passed | back(them, passed)), bytes(1));
    }
    return replies;
}

/* The vector without our piece on `from`, as far as it goes for their pieces that are not pinned.
 */
PM_ALWAYS_INLINE __m512i after_departure(__m512i replies, const struct parent *parent,
                                         enum pm_color us, uint64_t from)
{
    if (from & parent->mobility.seen_by_sliders)
        replies = _mm512_add_epi8(replies, parent->longer_rays[pm_lsb(from)]);
    if (from & parent->touched_by_pawns)
        replies = with_pawn_changes(replies, parent, us, from);
    return replies;
}

#endif
