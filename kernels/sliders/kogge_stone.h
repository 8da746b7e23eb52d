/* SPDX-License-Identifier: MIT */
/* Parallel prefix: the filled set and the open squares double their reach in each of three steps.
 */
#ifndef PM_KERNELS_SLIDERS_KOGGE_STONE_H
#define PM_KERNELS_SLIDERS_KOGGE_STONE_H

#include "kernels/sliders/fill.h"

#define TECHNIQUE "Kogge-Stone parallel prefix fills"
#define REFERENCE "Steffan Westcott, CCC, by 2003 (P. Kogge and H. Stone's adder, 1973)"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES 0

static inline void build_technique(void) {}

PM_ALWAYS_INLINE uint64_t ray_attacks(unsigned square, enum direction direction, uint64_t occupied)
{
    uint64_t open = ~occupied & arrivals(direction), reached = pm_bit(square);
    reached |= open & stepped(reached, direction, 1);
    open &= stepped(open, direction, 1);
    reached |= open & stepped(reached, direction, 2);
    open &= stepped(open, direction, 2);
    reached |= open & stepped(reached, direction, 4);
    return stepped(reached, direction, 1) & arrivals(direction);
}

#include "kernels/sliders/by_rays.h"

#endif
