/* SPDX-License-Identifier: MIT */
/* Rays and bit scans without tables: the rays of a corner square are shifted into place, and again
 * to where the first man stands. Files beyond the edge are cut off by arithmetic. */
#ifndef PM_KERNELS_SLIDERS_SHIFTED_RAYS_H
#define PM_KERNELS_SLIDERS_SHIFTED_RAYS_H

#include "kernels/sliders/rays.h"

#define TECHNIQUE "rays and bit scans, rays made by shifts"
#define REFERENCE "Fabio Gobbato (QBBEngine, shifted masks), TalkChess, 2022"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES 0

#define A1_H8 UINT64_C(0x8040201008040201)
#define H1_A8 UINT64_C(0x0102040810204080)

static inline void build_technique(void) {}

/* The squares of `ray`, which begins beside a1, moved to begin beside `square`, up to the first
 * man.
 */
PM_ALWAYS_INLINE uint64_t upward(unsigned square, uint64_t ray, uint64_t files, uint64_t occupied)
{
    const uint64_t moved_ray = ray << square & files;
    const unsigned first = pm_lsb((moved_ray & occupied) | pm_bit(63));
    return moved_ray & ~(ray << first);
}

/* The same for a ray that begins beside h8. */
PM_ALWAYS_INLINE uint64_t downward(unsigned square, uint64_t ray, uint64_t files, uint64_t occupied)
{
    const uint64_t moved_ray = ray >> (square ^ 63) & files;
    const unsigned first = (unsigned)__builtin_clzll((moved_ray & occupied) | pm_bit(0));
    return moved_ray & ~(ray >> first);
}

/* In every byte, the bits below the square's file and the bit itself: (1 << (file + 1)) - 1. */
PM_ALWAYS_INLINE uint64_t files_up_to(unsigned square)
{
    return (FILE_A << (square & 7) << 1) - FILE_A;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t rank = RANK_1 << (square & 56);
    return upward(square, FILE_A << 8, ALL_SQUARES, occupied) |
           downward(square, FILE_H >> 8, ALL_SQUARES, occupied) |
           upward(square, ALL_SQUARES << 1, rank, occupied) |
           downward(square, ALL_SQUARES >> 1, rank, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t left = files_up_to(square);
    const uint64_t right = ~left, below = left ^ FILE_A << (square & 7);
    return upward(square, A1_H8 & ~pm_bit(0), right, occupied) |
           downward(square, A1_H8 & ~pm_bit(63), below, occupied) |
           upward(square, H1_A8, below, occupied) | downward(square, H1_A8, right, occupied);
}

#include "kernels/sliders/queen.h"

#endif
