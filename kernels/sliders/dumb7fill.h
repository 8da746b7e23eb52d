/* SPDX-License-Identifier: MIT */
/* Seven steps: a set grows by one square a step in each direction, as long as squares are empty. */
#ifndef PM_KERNELS_SLIDERS_DUMB7FILL_H
#define PM_KERNELS_SLIDERS_DUMB7FILL_H

#include "kernels/sliders/fill.h"

#define TECHNIQUE "Dumb7Fill: one square a step"
#define REFERENCE "Gunnar Andersson, 1990s (Chess Programming Wiki: Dumb7Fill)"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES 0

static inline void build_technique(void) {}

PM_ALWAYS_INLINE uint64_t ray_attacks(unsigned square, enum direction direction, uint64_t occupied)
{
    const uint64_t open = ~occupied & arrivals(direction);
    uint64_t front = pm_bit(square), reached = front;
    for (int step = 0; step < 6; step++) {
        front = stepped(front, direction, 1) & open;
        reached |= front;
    }
    return stepped(reached, direction, 1) & arrivals(direction);
}

#include "kernels/sliders/by_rays.h"

#endif
