/* SPDX-License-Identifier: MIT */
/* The rays from each square on an empty board. */
#ifndef PM_KERNELS_SLIDERS_RAY_TABLE_H
#define PM_KERNELS_SLIDERS_RAY_TABLE_H

#ifdef SLIDERS_BATCH
#include "kernels/sliders/shifted_masks.h"

static inline void build_rays(void) {}

PM_ALWAYS_INLINE uint64_t free_ray(unsigned square, unsigned direction)
{
    return shifted_ray(square, (enum direction)direction);
}
#else
#include "kernels/sliders/rays.h"

static _Alignas(64) uint64_t rays[64][DIRECTION_COUNT];

static inline void build_rays(void)
{
    for (unsigned square = 0; square < 64; square++)
        for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++)
            rays[square][direction] = walk_ray(square, (enum direction)direction, 0);
}

PM_ALWAYS_INLINE uint64_t free_ray(unsigned square, unsigned direction)
{
    return rays[square][direction];
}
#endif

#endif
