/* SPDX-License-Identifier: MIT */
/* Attacks put together from ray_attacks(square, direction, occupied) of a technique. */
#ifndef PM_KERNELS_SLIDERS_BY_RAYS_H
#define PM_KERNELS_SLIDERS_BY_RAYS_H

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return ray_attacks(square, NORTH, occupied) | ray_attacks(square, EAST, occupied) |
           ray_attacks(square, SOUTH, occupied) | ray_attacks(square, WEST, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return ray_attacks(square, NORTH_EAST, occupied) | ray_attacks(square, NORTH_WEST, occupied) |
           ray_attacks(square, SOUTH_EAST, occupied) | ray_attacks(square, SOUTH_WEST, occupied);
}

#include "kernels/sliders/queen.h"

#endif
