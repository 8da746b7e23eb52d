/* SPDX-License-Identifier: MIT */
/* The four lines through each square, the square itself left out. */
#ifndef PM_KERNELS_SLIDERS_LINE_MASKS_H
#define PM_KERNELS_SLIDERS_LINE_MASKS_H

#include "kernels/sliders/rays.h"

static uint64_t line_masks[64][LINE_COUNT];

static inline void build_line_masks(void)
{
    for (unsigned square = 0; square < 64; square++)
        for (unsigned line = 0; line < LINE_COUNT; line++)
            line_masks[square][line] = walk_line(square, (enum line)line, 0);
}

#endif
