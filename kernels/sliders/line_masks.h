/* SPDX-License-Identifier: MIT */
/* The four lines through each square, the square itself left out. */
#ifndef PM_KERNELS_SLIDERS_LINE_MASKS_H
#define PM_KERNELS_SLIDERS_LINE_MASKS_H

#ifdef SLIDERS_BATCH
#include "kernels/sliders/shifted_masks.h"

static inline void build_line_masks(void) {}

PM_ALWAYS_INLINE uint64_t line_mask(unsigned square, enum line line)
{
    return shifted_line(square, line);
}
#else
#include "kernels/sliders/rays.h"

static _Alignas(64) uint64_t line_masks[64][LINE_COUNT];

static inline void build_line_masks(void)
{
    for (unsigned square = 0; square < 64; square++)
        for (unsigned line = 0; line < LINE_COUNT; line++)
            line_masks[square][line] = walk_line(square, (enum line)line, 0);
}

PM_ALWAYS_INLINE uint64_t line_mask(unsigned square, enum line line)
{
    return line_masks[square][line];
}
#endif

#endif
