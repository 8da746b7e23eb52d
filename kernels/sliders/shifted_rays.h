/* SPDX-License-Identifier: MIT */
/* Rays and bit scans without tables. A line through a corner square, shifted, is the ray from the
 * slider, on which the first piece is found; the edge of the board counts as pieces, so that a ray
 * which wraps around it is never followed. Shifted again, it is the ray back from that piece: the
 * rays back from both pieces of a line meet in what is between them. */
#ifndef PM_KERNELS_SLIDERS_SHIFTED_RAYS_H
#define PM_KERNELS_SLIDERS_SHIFTED_RAYS_H

#include "kernels/sliders/rays.h"

#define TECHNIQUE "rays and bit scans, rays made by shifts"
#define REFERENCE "Fabio Gobbato (QBBEngine, shifted masks), TalkChess, 2022"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES 0

#define BY_SEVENS (H1_A8 | pm_bit(0) | pm_bit(63)) /* every step of 7 */

static inline void build_technique(void) {}

/* The squares between the first pieces above and below, with these and the slider's own. `from_a1`
 * and `to_h8` are the line through these corners, `top` and `bottom` the edges where it ends. */
PM_ALWAYS_INLINE uint64_t span(unsigned square, uint64_t from_a1, uint64_t to_h8, uint64_t top,
                               uint64_t bottom, uint64_t others)
{
    const unsigned above = pm_lsb(from_a1 << square & (others | top));
    const unsigned below =
        63 ^ (unsigned)__builtin_clzll(to_h8 >> (square ^ 63) & (others | bottom));
    return to_h8 >> (above ^ 63) & from_a1 << below;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t others = occupied & ~pm_bit(square);
    return (span(square, FILE_A, FILE_H, RANK_8, RANK_1, others) |
            span(square, RANK_1, RANK_8, FILE_H, FILE_A, others)) ^
           pm_bit(square);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t others = occupied & ~pm_bit(square);
    return (span(square, A1_H8, A1_H8, FILE_H | RANK_8, FILE_A | RANK_1, others) |
            span(square, BY_SEVENS, BY_SEVENS, FILE_A | RANK_8, FILE_H | RANK_1, others)) ^
           pm_bit(square);
}

#include "kernels/sliders/queen.h"

#endif
