/* SPDX-License-Identifier: MIT */
/* What the vector can't know: it describes landings on a board where our man still stands on its
 * origin. If men of theirs see that man, its leaving changes their moves; the vector is changed
 * accordingly for this man's targets. */
#ifndef PM_REPLY512_CORRECTIONS_H
#define PM_REPLY512_CORRECTIONS_H

#include "kernels/reply512/relations.h"

#include <stdint.h>

/* A slider of theirs sees `from` and, once that is empty, further.
 *
 *      S a b F c d x     its ray has 3 squares (a, b, capture on F), then `after`: 5 or 6
 *
 * Landing on a or b cuts the ray as the vector says. Elsewhere the ray grows, but landing on c, d
 * or x makes it as long as the distance. Capturing the slider itself takes all of its moves: no
 * change. */
PM_ALWAYS_INLINE __m512i with_longer_ray(__m512i replies, unsigned slider, unsigned from,
                                         uint64_t attacks_after, uint64_t enemy)
{
    const uint64_t before_from = tables.between[slider][from];
    const uint64_t ray = attacks_after & ray_through(slider, from);
    const unsigned before = tables.distance[slider][from], after = pm_popcount(ray & ~enemy);
    replies = add_on(replies, ~(before_from | pm_bit(slider)), bytes(after - before));
    return add_on(replies, ray & ~(before_from | pm_bit(from)),
                  _mm512_sub_epi8(load(tables.distance[slider]), bytes(after)));
}

/* Out of line: its copies at each use would cost more in the instruction cache. */
NOINLINE __m512i with_longer_rays(__m512i replies, const struct parent *parent, uint64_t from)
{
    const struct board *board = parent->board;
    const unsigned square = pm_lsb(from);
    const uint64_t occupied = parent->occupied, free = parent->enemy & ~parent->their_pinned;
    for (uint64_t rest = bishop_attacks(square, occupied) & board->diagonals & free; rest;
         rest = pm_without_lsb(rest))
        replies = with_longer_ray(replies, pm_lsb(rest), square,
                                  bishop_attacks(pm_lsb(rest), occupied ^ from), parent->enemy);
    for (uint64_t rest = rook_attacks(square, occupied) & board->straights & free; rest;
         rest = pm_without_lsb(rest))
        replies = with_longer_ray(replies, pm_lsb(rest), square,
                                  rook_attacks(pm_lsb(rest), occupied ^ from), parent->enemy);
    return replies;
}

/* Pawns of theirs lose the capture of our man, or are no longer stopped by it; but not if it
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

/* The vector without our man on `from`, as far as it goes for their men that are not pinned. */
PM_ALWAYS_INLINE __m512i after_departure(__m512i replies, const struct parent *parent,
                                         enum pm_color us, uint64_t from)
{
    if (from & parent->mobility.seen_by_sliders)
        replies = with_longer_rays(replies, parent, from);
    if (from & parent->touched_by_pawns)
        replies = with_pawn_changes(replies, parent, us, from);
    return replies;
}

#endif
