/* SPDX-License-Identifier: MIT */
/* Their moves other than the king's, for all landing squares of ours at once: a vector of 64 bytes,
 * one a square t, holds how many such replies they have once a piece of ours has landed on t. It is
 * a common sum (the replies if nothing landed) and for each of their pieces the few squares where a
 * landing changes that piece's moves. All sums are taken modulo 256; what is used in the end is a
 * true count and below 256. */
#ifndef PM_REPLY512_MOBILITY_H
#define PM_REPLY512_MOBILITY_H

#include "kernels/reply512/board.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/lanes.h"
#include "kernels/reply512/tables.h"

#include <immintrin.h>
#include <stdint.h>

PM_ALWAYS_INLINE __m512i bytes(unsigned value)
{
    return _mm512_set1_epi8((char)value);
}
PM_ALWAYS_INLINE __m512i add_on(__m512i board, uint64_t squares, __m512i values)
{
    return _mm512_mask_add_epi8(board, squares, board, values);
}
PM_ALWAYS_INLINE __m512i subtract_on(__m512i board, uint64_t squares, __m512i values)
{
    return _mm512_mask_sub_epi8(board, squares, board, values);
}

/* What landing on a square of its rays does to a slider: the ray then ends there, as long as the
 * distance, instead of having its `free` squares. This is right for an empty square, which cuts the
 * ray, and for the first piece if it is their own, which then can be captured.
 *
 *      R 1 2 3 x        R on a1 with d1 its own piece: free b1, c1: 2 squares
 *      1 2 3            the distances: landing on b1 leaves 1 of 2, on d1 gives 3
 *
 * The eight rays' lengths are counted in the eight words of one vector, and each square then takes
 * that of its own direction. */
PM_ALWAYS_INLINE __m512i slider_changes(unsigned square, uint64_t free)
{
    const __m512i lengths = _mm512_popcnt_epi64(
        _mm512_and_si512(_mm512_set1_epi64((long long)free), load(tables.ray[square])));
    return _mm512_sub_epi8(load(tables.distance[square]),
                           _mm512_permutexvar_epi8(load(tables.direction[square]), lengths));
}

/* Moves per target: a pawn's move to the last rank is four moves. */
PM_ALWAYS_INLINE __m512i pawn_move_weights(uint64_t fourfold)
{
    return _mm512_mask_mov_epi8(bytes(1), fourfold, bytes(4));
}

/* How a single piece's moves, if it is not pinned, depend on the landing square: what it adds to
 * the whole vector. It can't move once it is captured. */
NOINLINE __m512i moves_of_piece(const struct board *board, enum pm_color them, unsigned square,
                                uint64_t own, uint64_t occupied)
{
    const uint64_t set = pm_bit(square), enemy = occupied & ~own;
    __m512i changes = _mm512_setzero_si512();
    unsigned moves;
    if (board->knights & set) {
        moves = pm_popcount(tables.knight[square] & ~enemy);
        changes = add_on(changes, tables.knight[square] & enemy, bytes(1));
    } else if (board->pawns & set) {
        const unsigned weight = set & rank_of(them, 7) ? 4 : 1;
        const uint64_t push = forward(them, set) & ~occupied;
        const uint64_t double_push = forward(them, push & rank_of(them, 3)) & ~occupied;
        const uint64_t captures = tables.pawn[them][square];
        moves =
            weight * (pm_popcount(captures & own) + pm_popcount(push)) + pm_popcount(double_push);
        changes = add_on(changes, captures, bytes(weight));
        changes = subtract_on(changes, push, bytes(weight));
        changes = subtract_on(changes, double_push | back(them, double_push), bytes(1));
    } else {
        const uint64_t attacks = slider_attacks(board, square, occupied);
        moves = pm_popcount(attacks & ~enemy);
        changes = add_on(changes, attacks, slider_changes(square, attacks & ~enemy));
    }
    changes = subtract_on(changes, set, bytes(moves));
    return _mm512_add_epi8(changes, bytes(moves));
}

/* The moves of a pinned piece: along the line of its pin. */
NOINLINE unsigned pinned_moves_of_piece(const struct board *board, enum pm_color them,
                                        unsigned square, uint64_t line, uint64_t own,
                                        uint64_t occupied)
{
    const uint64_t set = pm_bit(square);
    if (board->knights & set)
        return 0;
    if (board->pawns & set) {
        const unsigned weight = set & rank_of(them, 7) ? 4 : 1;
        if (!(forward(them, set) & line)) /* one capture at most */
            return tables.pawn[them][square] & line & own ? weight : 0;
        const uint64_t push = forward(them, set) & ~occupied;
        const uint64_t double_push = forward(them, push & rank_of(them, 3)) & ~occupied;
        return (push ? weight : 0) + (double_push != 0);
    }
    return pm_popcount(slider_attacks(board, square, occupied) & line & (own | ~occupied));
}

/* Where their pawns that are not pinned attack and step, occupied or not. */
struct pawn_reach {
    uint64_t left, right, front, second; /* second: the far square of an open double push */
};

/* All that is known of their pieces's moves. */
struct mobility {
    __m512i landing; /* the vector */
    unsigned now;    /* the common sum */
    uint64_t attacked;
    uint64_t seen_by_sliders; /* our pieces that a slider sees which is not pinned */
    struct pawn_reach pawns;
};

PM_ALWAYS_INLINE void add_knights(struct mobility *mobility, uint64_t knights, uint64_t enemy,
                                  uint64_t pinned)
{
    for (uint64_t rest = knights; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t attacks = tables.knight[square];
        mobility->attacked |= attacks;
        if (pinned & rest & -rest)
            continue;
        const unsigned moves = pm_popcount(attacks & ~enemy);
        mobility->now += moves;
        mobility->landing = subtract_on(mobility->landing, rest & -rest, bytes(moves));
        mobility->landing = add_on(mobility->landing, attacks & enemy, bytes(1));
    }
}

/* A slider of theirs sees our piece on `from` and, once that has gone, `beyond`. What this changes
 * for the piece's own landings:
 *
 *      S a b F c d x     its ray has 3 squares (a, b, capture on F), then `after`: 5 or 6
 *
 * Landing on a or b cuts the ray as the vector says. Elsewhere the ray grows, but landing on c, d
 * or x makes it as long as the distance. Capturing the slider itself takes all of its moves: no
 * change. */
PM_ALWAYS_INLINE __m512i longer_ray(unsigned slider, unsigned from, uint64_t beyond, uint64_t enemy)
{
    const uint64_t before_from = tables.between[slider][from];
    const uint64_t ray = beyond & ray_through(slider, from);
    const unsigned before = tables.distance[slider][from], after = pm_popcount(ray & ~enemy);
    const __m512i growth =
        _mm512_maskz_set1_epi8(~(before_from | pm_bit(slider)), (char)(after - before));
    return add_on(growth, ray & ~(before_from | pm_bit(from)),
                  _mm512_sub_epi8(load(tables.distance[slider]), bytes(after)));
}

PM_ALWAYS_INLINE void add_slider(struct mobility *mobility, __m512i *longer_rays, unsigned square,
                                 enum pm_piece_type type, uint64_t occupied, uint64_t enemy,
                                 uint64_t pinned)
{
    const uint64_t attacks = slider_attacks_as(type, square, occupied);
    mobility->attacked |= attacks;
    if (pinned & pm_bit(square))
        return;
    const uint64_t free = attacks & ~enemy, seen = free & occupied;
    const unsigned moves = pm_popcount(free);
    mobility->now += moves;
    mobility->landing = subtract_on(mobility->landing, pm_bit(square), bytes(moves));
    mobility->landing = add_on(mobility->landing, attacks, slider_changes(square, free));
    if (!seen)
        return;
    const uint64_t beyond = slider_attacks_as(type, square, occupied ^ seen);
    for (uint64_t rest = seen; rest; rest = pm_without_lsb(rest)) {
        const unsigned from = pm_lsb(rest);
        __m512i change = longer_ray(square, from, beyond, enemy);
        if (mobility->seen_by_sliders & rest & -rest)
            change = _mm512_add_epi8(change, longer_rays[from]);
        longer_rays[from] = change;
    }
    mobility->seen_by_sliders |= seen;
}

/* All pawns at once. A landing on a square that they attack gives a capture; in front of one it
 * takes its pushes, two squares in front the double push; on one, all its moves. */
PM_ALWAYS_INLINE void add_pawns(struct mobility *mobility, enum pm_color them, uint64_t pawns,
                                uint64_t own, uint64_t occupied, uint64_t we_attack)
{
    struct pawn_reach *reach = &mobility->pawns;
    reach->left = forward_left(them, pawns);
    reach->right = forward_right(them, pawns);
    reach->front = forward(them, pawns);
    const struct pawn_targets targets = {
        .push = reach->front & ~occupied,
        .double_push = forward(them, reach->front & ~occupied & rank_of(them, 3)) & ~occupied,
        .left = reach->left & own,
        .right = reach->right & own,
    };
    reach->second = forward(them, reach->front & ~occupied & rank_of(them, 3));
    mobility->now += count_pawn_targets(them, targets);

    const __m512i by_target = pawn_move_weights(rank_of(them, 8)), one = bytes(1);
    __m512i landing = mobility->landing;
    landing = add_on(landing, reach->left, by_target);
    landing = add_on(landing, reach->right, by_target);
    landing = subtract_on(landing, targets.push, by_target);
    landing = subtract_on(landing, targets.double_push | back(them, targets.double_push), one);
    if (we_attack & pawns) {
        const __m512i by_origin = pawn_move_weights(rank_of(them, 7));
        landing = subtract_on(landing, back(them, targets.push), by_origin);
        landing = subtract_on(landing, back(them, back(them, targets.double_push)), one);
        landing = subtract_on(landing, back_from_left(them, targets.left), by_origin);
        landing = subtract_on(landing, back_from_right(them, targets.right), by_origin);
    }
    mobility->landing = landing;
}

/* Their pieces that are not pinned, and what all of them attack. `we_attack`: only there can a
 * landing capture. */
PM_ALWAYS_INLINE void add_free_pieces(struct mobility *mobility, const struct board *board,
                                      enum pm_color them, uint64_t own, uint64_t pinned,
                                      uint64_t we_attack, __m512i *longer_rays)
{
    const uint64_t enemy = board->pieces[them], occupied = own | enemy;
    const uint64_t diagonals = board->diagonals & enemy, straights = board->straights & enemy;
    *mobility = (struct mobility){.landing = _mm512_setzero_si512()};

    add_knights(mobility, board->knights & enemy, enemy, pinned);
    for (uint64_t rest = diagonals & ~straights; rest; rest = pm_without_lsb(rest))
        add_slider(mobility, longer_rays, pm_lsb(rest), PM_BISHOP, occupied, enemy, pinned);
    for (uint64_t rest = straights & ~diagonals; rest; rest = pm_without_lsb(rest))
        add_slider(mobility, longer_rays, pm_lsb(rest), PM_ROOK, occupied, enemy, pinned);
    for (uint64_t rest = straights & diagonals; rest; rest = pm_without_lsb(rest))
        add_slider(mobility, longer_rays, pm_lsb(rest), PM_QUEEN, occupied, enemy, pinned);

    const uint64_t pawns = board->pawns & enemy;
    mobility->attacked |= pawn_attacks(them, pawns) | tables.king[pm_lsb(board->kings & enemy)];
    add_pawns(mobility, them, pawns & ~pinned, own, occupied, we_attack);
}

#endif
