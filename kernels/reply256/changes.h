/* SPDX-License-Identifier: MIT */
/* What our landings cost or bring their pieces. A piece's moves change where a landing blocks or
 * ends a ray, stops a pawn, can be captured, or captures the piece; each is a sum over the arrivals
 * on few squares. */
#ifndef PM_REPLY256_CHANGES_H
#define PM_REPLY256_CHANGES_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/generate.h"
#include "kernels/reply256/parent.h"
#ifdef PM_REPLY64
#include "kernels/reply256/rays_scalar.h"
#else
#include "kernels/reply256/rays_avx2.h"
#endif

#include <stdint.h>

/* ---- Arrivals ---- */

/* A landing on a piece that a knight defends can be captured by it. */
PM_ALWAYS_INLINE uint64_t changes_of_knights(const struct parent *parent,
                                             const struct arrivals *arrivals)
{
    const struct board *board = parent->board;
    uint64_t change = 0;
    for (uint64_t rest = board->knights & board->enemy & ~parent->their_pinned; rest;
         rest = pm_without_lsb(rest))
        change += arrivals_on(arrivals, tables.knight[pm_lsb(rest)] & board->enemy);
    return change;
}

/* All pawns that are not pinned. A landing on a square that they attack gives a capture; in front
 * of one it takes its pushes, two squares in front the double push; on one, all its moves. */
PM_ALWAYS_INLINE uint64_t changes_of_pawns(const struct parent *parent,
                                           const struct arrivals *arrivals)
{
    const struct board *board = parent->board;
    const struct pawn_reach *reach = &parent->pawns;
    const uint64_t push = reach->front & ~parent->occupied;
    const uint64_t double_push = reach->second & ~parent->occupied;
    uint64_t change = arrivals_on(arrivals, reach->left) + arrivals_on(arrivals, reach->right) -
                      arrivals_on(arrivals, push) -
                      arrivals_on(arrivals, double_push | up(double_push));
    if ((reach->left | reach->right | reach->front) & RANK(1))
        change += 3 * (arrivals_on(arrivals, reach->left & RANK(1)) +
                       arrivals_on(arrivals, reach->right & RANK(1)) -
                       arrivals_on(arrivals, push & RANK(1)));
    const uint64_t captured =
        landed_on(arrivals) & board->pawns & board->enemy & ~parent->their_pinned;
    for (uint64_t rest = captured; rest; rest = pm_without_lsb(rest)) {
        const uint64_t pawn = lowest(rest);
        const uint64_t weight = pawn & RANK(2) ? 4 : 1;
        const uint64_t moves =
            weight * pm_popcount((both_down(pawn) & board->own) | (down(pawn) & push)) +
            pm_popcount(down(down(pawn)) & double_push);
        change -= moves * arrivals_on(arrivals, pawn);
    }
    return change;
}

/* The captured can't move. */
PM_ALWAYS_INLINE uint64_t losses_by_capture(const struct parent *parent,
                                            const struct arrivals *arrivals)
{
    const struct board *board = parent->board;
    uint64_t losses = 0;
    for (uint64_t rest =
             landed_on(arrivals) & board->enemy & (~board->pawns | parent->their_pinned);
         rest; rest = pm_without_lsb(rest))
        losses += parent->moves[pm_lsb(rest)] * arrivals_on(arrivals, lowest(rest));
    return losses;
}

/* Landings that free a pinned piece. */
NOINLINE uint64_t changes_of_pinned(const struct parent *parent, const struct arrivals *arrivals)
{
    const struct board *board = parent->board;
    uint64_t change = 0;
    for (unsigned i = 0; i < parent->pin_count; i++) {
        const struct pin *pin = &parent->pin[i];
        const uint64_t planes[3] = {arrivals->ones, arrivals->twos, arrivals->fours};
        for (unsigned bit = 0; bit < 3; bit++) {
            const uint64_t freeing = planes[bit] & pin->freed_on;
            if (freeing)
                change += (count_free_moves(board, pin->pieces.theirs, board->own, parent->occupied,
                                            freeing) -
                           pin->moves * (uint64_t)pm_popcount(freeing))
                          << bit;
        }
    }
    return change;
}

/* ---- Departures: our piece's leaving changes the moves of those that saw it ---- */

/* A slider sees `from` and, once that is empty, further.
 *
 *      S a b F c d x     its ray has 3 squares (a, b, capture on F), then 5 or 6
 *
 * Landing on a or b cuts the ray anyway. Elsewhere the ray grows by those beyond F; landing on one
 * of them (c, d, x) lets it grow by our move's own distance. Capturing the slider itself takes all
 * of its moves. */
PM_ALWAYS_INLINE uint64_t growth_of_ray(unsigned slider, uint64_t through, uint64_t enemy,
                                        unsigned from, uint64_t landings)
{
    const uint64_t gained = through & tables.beyond[slider][from];
    const uint64_t indifferent = tables.between[slider][from] | pm_bit(slider);
    uint64_t growth =
        (uint64_t)pm_popcount(gained & ~enemy) * pm_popcount(landings & ~(indifferent | gained));
    for (uint64_t rest = landings & gained; rest; rest = pm_without_lsb(rest))
        growth += tables.distance[from][pm_lsb(rest)];
    return growth;
}

/* Pawns lose the capture of our piece, or are no longer stopped by it; but not if it captures that
 * pawn. */
PM_ALWAYS_INLINE uint64_t changes_of_pawns_without(const struct parent *parent, uint64_t from,
                                                   uint64_t landings)
{
    const struct pawn_reach *reach = &parent->pawns;
    const uint64_t weight = from & RANK(1) ? 4 : 1;
    uint64_t change = 0;
    if (from & reach->left)
        change -= weight * pm_popcount(landings & ~up_right(from));
    if (from & reach->right)
        change -= weight * pm_popcount(landings & ~up_left(from));
    if (from & reach->front) {
        const uint64_t second = down(from & RANK(6)) & ~parent->occupied;
        change += (weight + (second != 0)) * pm_popcount(landings & ~up(from)) -
                  pm_popcount(landings & second);
    }
    if (from & reach->second)
        change += pm_popcount(landings & ~(up(from) | up(up(from))));
    return change;
}

/* The whole of this for one piece of ours that is not in parent->landed. */
NOINLINE void add_departure(struct parent *parent, uint64_t from, uint64_t landings)
{
    const struct board *board = parent->board;
    const unsigned square = pm_lsb(from);
    const uint64_t free = board->enemy & ~parent->their_pinned;
    const uint64_t sliders = (rook_attacks(square, parent->occupied) & board->straights & free) |
                             (bishop_attacks(square, parent->occupied) & board->diagonals & free);
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest))
        parent->total += growth_of_ray(pm_lsb(rest),
                                       slider_attacks(board, pm_lsb(rest), parent->occupied ^ from),
                                       board->enemy, square, landings);
    parent->total += changes_of_pawns_without(parent, from, landings);
}

PM_ALWAYS_INLINE uint64_t origins(struct pawn_targets targets)
{
    return down(targets.push) | down(down(targets.double_push)) | down_right(targets.left) |
           down_left(targets.right);
}

PM_ALWAYS_INLINE uint64_t landings_of(const struct parent *parent, struct pawn_targets pawns,
                                      uint64_t from)
{
    if (parent->landed & from)
        return parent->landings[pm_lsb(from)];
    return (up(from) & pawns.push) | (up(up(from)) & pawns.double_push) |
           (up_left(from) & pawns.left) | (up_right(from) & pawns.right);
}

PM_ALWAYS_INLINE uint64_t growth_of_rays(const struct parent *parent, struct pawn_targets pawns,
                                         uint64_t moving, const struct slider *slider, int straight,
                                         int diagonal)
{
    const uint64_t seen = slider->attacks & moving;
    if (!seen)
        return 0;
    const uint64_t occupied = parent->occupied ^ seen;
    const uint64_t through = (straight ? rook_attacks(slider->square, occupied) : 0) |
                             (diagonal ? bishop_attacks(slider->square, occupied) : 0);
    uint64_t growth = 0;
    for (uint64_t rest = seen; rest; rest = pm_without_lsb(rest))
        growth += growth_of_ray(slider->square, through, parent->board->enemy, pm_lsb(rest),
                                landings_of(parent, pawns, lowest(rest)));
    return growth;
}

/* For all pieces of ours that do have landings. */
PM_ALWAYS_INLINE uint64_t changes_by_departures(const struct parent *parent,
                                                struct pawn_targets pawns)
{
    const uint64_t moving = parent->landed | origins(pawns);
    uint64_t change = 0;
    for (unsigned i = 0; i < parent->sliders; i++)
        change += growth_of_rays(parent, pawns, moving, &parent->slider[i], i >= parent->bishops,
                                 i < parent->bishops || i >= parent->rooks);
    const struct pawn_reach *reach = &parent->pawns;
    for (uint64_t rest = moving & (reach->left | reach->right | reach->front | reach->second); rest;
         rest = pm_without_lsb(rest))
        change += changes_of_pawns_without(parent, lowest(rest),
                                           landings_of(parent, pawns, lowest(rest)));
    return change;
}

/* ---- All ---- */

/* Their pieces's replies to all landings: as many as now, and the changes. */
PM_ALWAYS_INLINE uint64_t count_replies_of_pieces(const struct parent *parent,
                                                  const struct arrivals *arrivals,
                                                  struct pawn_targets pawns)
{
    return parent->now * arrivals_on(arrivals, ~0ULL) +
           arrivals_on(arrivals, parent->recapturable) + changes_of_knights(parent, arrivals) +
           changes_of_sliders(parent, arrivals) + changes_of_pawns(parent, arrivals) +
           (parent->pin_count ? changes_of_pinned(parent, arrivals) : 0) -
           losses_by_capture(parent, arrivals) + changes_by_departures(parent, pawns);
}

#endif
