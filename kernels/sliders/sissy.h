/* SPDX-License-Identifier: MIT */
/* Split index: each of the eight bytes of the occupancy gives a set that holds all attacks which
 * the pieces of that byte leave open; what all eight allow is attacked. */
#ifndef PM_KERNELS_SLIDERS_SISSY_H
#define PM_KERNELS_SLIDERS_SISSY_H

#include "kernels/sliders/rays.h"

#define TECHNIQUE "SISSY: one look-up for each rank of pieces, intersected"
#define REFERENCE "Michael Sherwin, TalkChess, 2020"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(left_open) + sizeof(rook_lines))

static uint64_t left_open[64][8][256]; /* to a queen */
static uint64_t rook_lines[64];

static inline void build_technique(void)
{
    for (unsigned square = 0; square < 64; square++) {
        rook_lines[square] = walk_rook(square, 0);
        for (unsigned rank = 0; rank < 8; rank++)
            for (unsigned byte = 0; byte < 256; byte++) {
                const uint64_t pieces = (uint64_t)byte << 8 * rank;
                left_open[square][rank][byte] =
                    walk_rook(square, pieces) | walk_bishop(square, pieces);
            }
    }
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    uint64_t attacks = ALL_SQUARES;
    for (unsigned rank = 0; rank < 8; rank++)
        attacks &= left_open[square][rank][occupied >> 8 * rank & 255];
    return attacks;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return queen_attacks(square, occupied) & rook_lines[square];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return queen_attacks(square, occupied) & ~rook_lines[square];
}

#endif
