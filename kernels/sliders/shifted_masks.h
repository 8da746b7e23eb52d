/* SPDX-License-Identifier: MIT */
/* Rays and lines on an empty board without a table, each shifted into place from a corner: what a
 * compiler can do for several squares at once. The square itself is left out. */
#ifndef PM_KERNELS_SLIDERS_SHIFTED_MASKS_H
#define PM_KERNELS_SLIDERS_SHIFTED_MASKS_H

#include "kernels/sliders/rays.h"

/* In every byte, the bits up to and with the square's file: (1 << (file + 1)) - 1. */
PM_ALWAYS_INLINE uint64_t files_up_to(unsigned square)
{
    return (FILE_A << (square & 7) << 1) - FILE_A;
}

PM_ALWAYS_INLINE uint64_t shifted_ray(unsigned square, enum direction direction)
{
    const uint64_t rank = RANK_1 << (square & 56), to_east = ~files_up_to(square);
    const uint64_t to_west = ~to_east ^ FILE_A << (square & 7);
    switch (direction) {
    case NORTH:
        return FILE_A << 8 << square;
    case EAST:
        return ALL_SQUARES << 1 << square & rank;
    case NORTH_EAST:
        return (A1_H8 & ~pm_bit(0)) << square & to_east;
    case NORTH_WEST:
        return H1_A8 << square & to_west;
    case SOUTH:
        return FILE_H >> 8 >> (square ^ 63);
    case WEST:
        return ALL_SQUARES >> 1 >> (square ^ 63) & rank;
    case SOUTH_WEST:
        return (A1_H8 & ~pm_bit(63)) >> (square ^ 63) & to_west;
    default:
        return H1_A8 >> (square ^ 63) & to_east;
    }
}

PM_ALWAYS_INLINE uint64_t shifted_line(unsigned square, enum line line)
{
    switch (line) {
    case FILE_LINE:
        return FILE_A << (square & 7) ^ pm_bit(square);
    case RANK_LINE:
        return RANK_1 << (square & 56) ^ pm_bit(square);
    default:
        return shifted_ray(square, (enum direction)line) |
               shifted_ray(square, (enum direction)(line + LINE_COUNT));
    }
}

#endif
