/* SPDX-License-Identifier: MIT */
/* Steps of whole sets, for the techniques that fill. */
#ifndef PM_KERNELS_SLIDERS_FILL_H
#define PM_KERNELS_SLIDERS_FILL_H

#include "kernels/sliders/rays.h"

/* Where a step in this direction may arrive: squares on which it would wrap around the edge are
 * left out. */
PM_ALWAYS_INLINE uint64_t arrivals(enum direction direction)
{
    switch (direction) {
    case EAST:
    case NORTH_EAST:
    case SOUTH_EAST:
        return ~FILE_A;
    case WEST:
    case NORTH_WEST:
    case SOUTH_WEST:
        return ~FILE_H;
    default:
        return ALL_SQUARES;
    }
}

PM_ALWAYS_INLINE uint64_t stepped(uint64_t set, enum direction direction, unsigned steps)
{
    static const uint8_t shifts[LINE_COUNT] = {8, 1, 9, 7};
    const unsigned shift = shifts[(unsigned)direction % LINE_COUNT] * steps;
    return direction < SOUTH ? set << shift : set >> shift;
}

#endif
