/* SPDX-License-Identifier: MIT */
/* o ^ (o - 2r): subtracting the slider from the pieces above it borrows up to the first of them.
 * The other half of the line goes the same way on the board upside down. Ranks, which turning does
 * not reverse, are looked up. */
#ifndef PM_KERNELS_SLIDERS_HYPERBOLA_H
#define PM_KERNELS_SLIDERS_HYPERBOLA_H

#include "kernels/sliders/first_rank_bytes.h"
#include "kernels/sliders/line_masks.h"

#define TECHNIQUE "hyperbola quintessence, byte swap"
#define REFERENCE "Aleks Peshkov and Gerd Isenberg, 2007, after Ryan Mack, 2000"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(first_rank_bytes))

static inline void build_technique(void)
{
    build_line_masks();
    build_first_rank_bytes();
}

PM_ALWAYS_INLINE uint64_t line_attacks(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t mask = line_mask(square, line), pieces = occupied & mask;
    const uint64_t up = pieces - pm_bit(square);
    const uint64_t down = __builtin_bswap64(pieces) - pm_bit(square ^ 56);
    return (up ^ __builtin_bswap64(down)) & mask;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, FILE_LINE, occupied) | rank_attacks(square, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, DIAGONAL, occupied) | line_attacks(square, ANTIDIAGONAL, occupied);
}

#include "kernels/sliders/queen.h"

#endif
