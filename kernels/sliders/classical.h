/* SPDX-License-Identifier: MIT */
/* Rays with bit scans: the ray from the first piece met is taken off the ray from the square. */
#ifndef PM_KERNELS_SLIDERS_CLASSICAL_H
#define PM_KERNELS_SLIDERS_CLASSICAL_H

#include "kernels/sliders/ray_table.h"

#define TECHNIQUE "rays and bit scans, a branch for a free ray"
#define REFERENCE "the first bitboard programs, 1970s (Chess Programming Wiki: Classical Approach)"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES sizeof(rays)

static inline void build_technique(void)
{
    build_rays();
}

PM_ALWAYS_INLINE uint64_t ray_attacks(unsigned square, enum direction direction, uint64_t occupied)
{
    const uint64_t ray = rays[square][direction], pieces = ray & occupied;
    if (!pieces)
        return ray;
    const unsigned first =
        direction < SOUTH ? pm_lsb(pieces) : 63 ^ (unsigned)__builtin_clzll(pieces);
    return ray ^ rays[first][direction];
}

#include "kernels/sliders/by_rays.h"

#endif
