/* SPDX-License-Identifier: MIT */
/* A line is cut twice: at its first piece above the slider by x ^ (x - 1), and below it by a shift.
 */
#ifndef PM_KERNELS_SLIDERS_SLIDE_ARITHMETIC_H
#define PM_KERNELS_SLIDERS_SLIDE_ARITHMETIC_H

#include "kernels/sliders/line_masks.h"
#include "kernels/sliders/ray_table.h"

#define TECHNIQUE "slide arithmetic: x ^ (x - 1) above, a shift below"
#define REFERENCE "Jakob Progsch and Daniel Infuehr, TalkChess, 2021"
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
    const unsigned below = 63 ^ (unsigned)__builtin_clzll(lower | 1);
    return (upper ^ (upper - 1)) & ALL_SQUARES << below & line_mask(square, line);
}

#include "kernels/sliders/by_lines.h"

#endif
