/* SPDX-License-Identifier: MIT */
/* o ^ (o - r) upward on all lines, then the same on the board turned by 180 degrees. Both turns are
 * made once for a whole look-up, and no line needs a table of its own. */
#ifndef PM_KERNELS_SLIDERS_HYPERBOLA_REVERSAL_H
#define PM_KERNELS_SLIDERS_HYPERBOLA_REVERSAL_H

#include "kernels/sliders/line_masks.h"

#define TECHNIQUE "hyperbola quintessence, bits reversed by swaps"
#define REFERENCE "Ryan Mack (reverse bitboards), 2000; Aleks Peshkov and Gerd Isenberg, 2007"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES sizeof(line_masks)

static inline void build_technique(void)
{
    build_line_masks();
}

PM_ALWAYS_INLINE uint64_t reversed(uint64_t set)
{
    const uint64_t ones = UINT64_C(0x5555555555555555), twos = UINT64_C(0x3333333333333333),
                   fours = UINT64_C(0x0F0F0F0F0F0F0F0F);
    set = (set >> 1 & ones) | (set & ones) << 1;
    set = (set >> 2 & twos) | (set & twos) << 2;
    set = (set >> 4 & fours) | (set & fours) << 4;
    return __builtin_bswap64(set);
}

PM_ALWAYS_INLINE uint64_t upward(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t mask = line_mask(square, line), pieces = occupied & mask;
    return (pieces ^ (pieces - pm_bit(square))) & mask;
}

PM_ALWAYS_INLINE uint64_t both_ways(unsigned square, enum line line, enum line line2,
                                    uint64_t occupied)
{
    const uint64_t turned = reversed(occupied);
    const uint64_t up = upward(square, line, occupied) | upward(square, line2, occupied);
    const uint64_t down = upward(square ^ 63, line, turned) | upward(square ^ 63, line2, turned);
    return up | reversed(down);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return both_ways(square, FILE_LINE, RANK_LINE, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return both_ways(square, DIAGONAL, ANTIDIAGONAL, occupied);
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t turned = reversed(occupied);
    uint64_t up = 0, down = 0;
    for (unsigned line = 0; line < LINE_COUNT; line++) {
        up |= upward(square, (enum line)line, occupied);
        down |= upward(square ^ 63, (enum line)line, turned);
    }
    return up | reversed(down);
}

#endif
