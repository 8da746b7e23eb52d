/* SPDX-License-Identifier: MIT */
/* Attacks put together from line_attacks(square, line, occupied) of a technique. */
#ifndef PM_KERNELS_SLIDERS_BY_LINES_H
#define PM_KERNELS_SLIDERS_BY_LINES_H

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, FILE_LINE, occupied) | line_attacks(square, RANK_LINE, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, DIAGONAL, occupied) | line_attacks(square, ANTIDIAGONAL, occupied);
}

#include "kernels/sliders/queen.h"

#endif
