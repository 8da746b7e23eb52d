/* SPDX-License-Identifier: MIT */
/* Kogge-Stone in all directions at once: the lanes of one vector shift up, those of another down.
 */
#ifndef PM_KERNELS_SLIDERS_KOGGE_STONE_AVX2_H
#define PM_KERNELS_SLIDERS_KOGGE_STONE_AVX2_H

#include "kernels/sliders/lanes.h"
#include "kernels/sliders/rays.h"

#define TECHNIQUE "Kogge-Stone fills, all directions at once in AVX2"
#define REFERENCE "Gerd Isenberg, Chess Programming Wiki (AVX2), 2010s; D. Infuehr, 2022"
#define CPU_REQUIRED PM_CPU_AVX2
#define CPU_SLOW 0
#define TABLE_BYTES 0

typedef uint64_t pair __attribute__((vector_size(16)));
typedef uint64_t quad __attribute__((vector_size(32)));

static inline void build_technique(void) {}

/* Lanes of directions: a rook has the first two of each kind, a bishop the last two. */
static const quad shifts = {8, 1, 9, 7};
static const quad arrivals_up = {ALL_SQUARES, ~FILE_A, ~FILE_A, ~FILE_H};
static const quad arrivals_down = {ALL_SQUARES, ~FILE_H, ~FILE_H, ~FILE_A};

PM_ALWAYS_INLINE pair fill_pairs(unsigned square, uint64_t occupied, pair shift, pair to_up,
                                 pair to_down)
{
    const pair empty = (pair){0} + ~occupied;
    pair up = (pair){0} + pm_bit(square), open_up = empty & to_up;
    pair down = up, open_down = empty & to_down;
    up |= open_up & up << shift;
    down |= open_down & down >> shift;
    open_up &= open_up << shift;
    open_down &= open_down >> shift;
    up |= open_up & up << 2 * shift;
    down |= open_down & down >> 2 * shift;
    open_up &= open_up << 2 * shift;
    open_down &= open_down >> 2 * shift;
    up |= open_up & up << 4 * shift;
    down |= open_down & down >> 4 * shift;
    return (up << shift & to_up) | (down >> shift & to_down);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const pair attacks = fill_pairs(square, occupied, (pair){shifts[0], shifts[1]},
                                    (pair){arrivals_up[0], arrivals_up[1]},
                                    (pair){arrivals_down[0], arrivals_down[1]});
    return any_of_2((__m128i)attacks);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const pair attacks = fill_pairs(square, occupied, (pair){shifts[2], shifts[3]},
                                    (pair){arrivals_up[2], arrivals_up[3]},
                                    (pair){arrivals_down[2], arrivals_down[3]});
    return any_of_2((__m128i)attacks);
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const quad empty = (quad){0} + ~occupied;
    quad up = (quad){0} + pm_bit(square), open_up = empty & arrivals_up;
    quad down = up, open_down = empty & arrivals_down;
    up |= open_up & up << shifts;
    down |= open_down & down >> shifts;
    open_up &= open_up << shifts;
    open_down &= open_down >> shifts;
    up |= open_up & up << 2 * shifts;
    down |= open_down & down >> 2 * shifts;
    open_up &= open_up << 2 * shifts;
    open_down &= open_down >> 2 * shifts;
    up |= open_up & up << 4 * shifts;
    down |= open_down & down >> 4 * shifts;
    return any_of_4((__m256i)((up << shifts & arrivals_up) | (down >> shifts & arrivals_down)));
}

#endif
