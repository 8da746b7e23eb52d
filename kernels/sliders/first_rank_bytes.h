/* SPDX-License-Identifier: MIT */
/* Attacks along one line of up to eight squares, in bytes: 512 bytes that serve every line once its
 * pieces are gathered into a byte. */
#ifndef PM_KERNELS_SLIDERS_FIRST_RANK_BYTES_H
#define PM_KERNELS_SLIDERS_FIRST_RANK_BYTES_H

#ifdef SLIDERS_BATCH
#include "kernels/sliders/shifted_masks.h"

static inline void build_first_rank_bytes(void) {}

/* A compiler can't look up bytes for several squares at once: the nearest pieces to both sides and
 * the squares between, by a subtraction. */
PM_ALWAYS_INLINE uint64_t rank_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t upper = occupied & shifted_ray(square, EAST);
    const uint64_t lower = occupied & shifted_ray(square, WEST);
    const uint64_t below = pm_bit(63) >> __builtin_clzll(lower | 1);
    return (upper ^ (upper - below)) & shifted_line(square, RANK_LINE);
}
#else
#include "kernels/sliders/rays.h"

static uint8_t first_rank_bytes[8][64]; /* by place on the line and its six inner squares */

static inline void build_first_rank_bytes(void)
{
    for (unsigned place = 0; place < 8; place++)
        for (unsigned inner = 0; inner < 64; inner++)
            first_rank_bytes[place][inner] =
                (uint8_t)walk_line(place, RANK_LINE, (uint64_t)inner << 1);
}

/* The attacks along the square's rank, whose pieces need no gathering. */
PM_ALWAYS_INLINE uint64_t rank_attacks(unsigned square, uint64_t occupied)
{
    const unsigned shift = square & 56;
    return (uint64_t)first_rank_bytes[square & 7][occupied >> (shift + 1) & 63] << shift;
}
#endif

#endif
