/* SPDX-License-Identifier: MIT */
/* The nearest piece on each side of the slider on a line: subtracting the lower from the upper one
 * leaves, after an exclusive or, all squares from one to the other. */
#ifndef PM_KERNELS_SLIDERS_OBSTRUCTION_DIFFERENCE_H
#define PM_KERNELS_SLIDERS_OBSTRUCTION_DIFFERENCE_H

#include "kernels/sliders/line_masks.h"
#include "kernels/sliders/ray_table.h"

#define TECHNIQUE "obstruction difference"
#define REFERENCE "Michael Hoffmann, TalkChess, 2009"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(rays))

static inline void build_technique(void)
{
    build_line_masks();
    build_rays();
}

PM_ALWAYS_INLINE uint64_t line_attacks(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t upper = occupied & free_ray(square, line);
    const uint64_t lower = occupied & free_ray(square, line + LINE_COUNT);
    const uint64_t below = pm_bit(63) >> __builtin_clzll(lower | 1);
    return (upper ^ (upper - below)) & line_mask(square, line);
}

#include "kernels/sliders/by_lines.h"

#endif
