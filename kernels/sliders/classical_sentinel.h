/* SPDX-License-Identifier: MIT */
/* Rays with bit scans and no branch: a piece on h8 or a1, where the rays end anyway, is always
 * found.
 */
#ifndef PM_KERNELS_SLIDERS_CLASSICAL_SENTINEL_H
#define PM_KERNELS_SLIDERS_CLASSICAL_SENTINEL_H

#include "kernels/sliders/ray_table.h"

#define TECHNIQUE "rays and bit scans, a sentinel in the corner"
#define REFERENCE "Gerd Isenberg, Chess Programming Wiki (Classical Approach), about 2008"
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
    const unsigned first = direction < SOUTH ? pm_lsb(pieces | pm_bit(63))
                                             : 63 ^ (unsigned)__builtin_clzll(pieces | pm_bit(0));
    return ray ^ rays[first][direction];
}

#include "kernels/sliders/by_rays.h"

#endif
