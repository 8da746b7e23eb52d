/* SPDX-License-Identifier: MIT */
/* The rays from each square on an empty board. */
#ifndef PM_KERNELS_SLIDERS_RAY_TABLE_H
#define PM_KERNELS_SLIDERS_RAY_TABLE_H

#include "kernels/sliders/rays.h"

static uint64_t rays[64][DIRECTION_COUNT];

static inline void build_rays(void)
{
    for (unsigned square = 0; square < 64; square++)
        for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++)
            rays[square][direction] = walk_ray(square, (enum direction)direction, 0);
}

#endif
