/* SPDX-License-Identifier: MIT */
/* What the vector can't know: it describes landings on a board where our man still stands on its
 * origin. If men of theirs see that man, its leaving changes their moves; the change is the same for
 * almost all targets, so it is a product and a few single squares. */
#ifndef PM_REPLY512_CORRECTIONS_H
#define PM_REPLY512_CORRECTIONS_H

#include "kernels/reply512/relations.h"

#include <stdint.h>

/* A slider of theirs sees `from` and, once that is empty, further.
 *
 *      S a b F c d x     its ray has 3 squares (a, b, capture on F), then `after`: 5 or 6
 *
 * Landing on a or b cuts the ray as the vector says. Elsewhere the ray grows, and landing on c, d or x
 * makes it as long as the distance. Capturing the slider itself takes all of its moves: no change. */
PM_ALWAYS_INLINE int64_t longer_ray(unsigned slider, unsigned from, uint64_t attacks_after,
                                    uint64_t enemy, uint64_t targets)
{
    const uint64_t before_from = tables.between[slider][from];
    const uint64_t ray = attacks_after & ray_through(slider, from);
    const int before = (int)pm_popcount(before_from) + 1;
    const int after = (int)pm_popcount(ray & ~enemy);
    int64_t change =
        (after - before) * (int)pm_popcount(targets & ~(before_from | pm_bit(slider)));
    for (uint64_t rest = targets & ray & ~(before_from | pm_bit(from)); rest;
         rest = pm_without_lsb(rest))
        change += tables.distance[slider][pm_lsb(rest)] - after;
    return change;
}

PM_ALWAYS_INLINE int64_t longer_rays(const struct parent *parent, uint64_t from, uint64_t ignored,
                                     uint64_t targets)
{
    const struct board *board = parent->board;
    const unsigned square = pm_lsb(from);
    const uint64_t occupied = parent->occupied, enemy = parent->enemy & ~ignored;
    int64_t change = 0;
    for (uint64_t rest = bishop_attacks(square, occupied) & board->diagonals & enemy; rest;
         rest = pm_without_lsb(rest))
        change += longer_ray(pm_lsb(rest), square, bishop_attacks(pm_lsb(rest), occupied ^ from),
                             parent->enemy, targets);
    for (uint64_t rest = rook_attacks(square, occupied) & board->straights & enemy; rest;
         rest = pm_without_lsb(rest))
        change += longer_ray(pm_lsb(rest), square, rook_attacks(pm_lsb(rest), occupied ^ from),
                             parent->enemy, targets);
    return change;
}

/* Pawns of theirs lose the capture of our man, or are no longer stopped by it. */
PM_ALWAYS_INLINE int64_t pawn_changes(const struct parent *parent, enum pm_color us, uint64_t from,
                                      uint64_t targets)
{
    const enum pm_color them = opponent(us);
    const struct pawn_reach *pawns = &parent->mobility.pawns;
    const int weight = from & rank_of(them, 8) ? 4 : 1;
    int change = 0;
    if (from & pawns->left)
        change -= weight * (int)pm_popcount(targets & ~back_from_left(them, from));
    if (from & pawns->right)
        change -= weight * (int)pm_popcount(targets & ~back_from_right(them, from));
    if (from & pawns->front) {
        const uint64_t second = forward(them, from & rank_of(them, 3)) & ~parent->occupied;
        change += (weight + (second != 0)) * (int)pm_popcount(targets & ~back(them, from));
        change -= (targets & second) != 0;
    }
    if (from & pawns->second) {
        const uint64_t passed = back(them, from);
        change += (int)pm_popcount(targets & ~(passed | back(them, passed)));
    }
    return change;
}

/* What leaving `from` for each of the targets adds to their replies, in all. */
PM_ALWAYS_INLINE int64_t departure_changes(const struct parent *parent, enum pm_color us,
                                           uint64_t from, uint64_t ignored, uint64_t targets)
{
    int64_t change = 0;
    if (from & parent->mobility.seen_by_sliders)
        change += longer_rays(parent, from, ignored, targets);
    if (from & parent->touched_by_pawns)
        change += pawn_changes(parent, us, from, targets);
    return change;
}

#endif
