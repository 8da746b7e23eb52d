/* SPDX-License-Identifier: MIT */
/* The pieces of a line are gathered into a byte by one multiplication, its attacks looked up in 512
 * bytes, and spread over the line by another. */
#ifndef PM_KERNELS_SLIDERS_FIRST_RANK_H
#define PM_KERNELS_SLIDERS_FIRST_RANK_H

#include "kernels/sliders/first_rank_bytes.h"
#include "kernels/sliders/line_masks.h"

#define TECHNIQUE "first-rank look-ups, lines gathered and spread by multiplication"
#define REFERENCE "Gerd Isenberg, CCC, 2006 (\"rotated bitboards obsolete?\")"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(first_rank_bytes))

static inline void build_technique(void)
{
    build_line_masks();
    build_first_rank_bytes();
}

/* Every file holds at most one square of a diagonal, so all may fall into the top rank. */
PM_ALWAYS_INLINE uint64_t diagonal_attacks(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t mask = line_masks[square][line];
    const uint64_t index = (occupied & mask) * FILE_A >> 57 & 63;
    return first_rank_bytes[square & 7][index] * FILE_A & mask;
}

PM_ALWAYS_INLINE uint64_t file_attacks(unsigned square, uint64_t occupied)
{
    /* Bit 7k, k = 8 - rank, brings the piece on that rank of the a-file to bit 56 + rank. */
    const uint64_t gather = UINT64_C(0x0002040810204000);
    const unsigned file = square & 7;
    const uint64_t index = (occupied >> file & FILE_A) * gather >> 57 & 63;
    /* Onto the long diagonal, whose pieces move to the h-file along their ranks. */
    const uint64_t diagonal = first_rank_bytes[square >> 3][index] * FILE_A & A1_H8;
    return (diagonal * RANK_1 & FILE_H) >> (7 - file);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return file_attacks(square, occupied) | rank_attacks(square, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return diagonal_attacks(square, DIAGONAL, occupied) |
           diagonal_attacks(square, ANTIDIAGONAL, occupied);
}

#include "kernels/sliders/queen.h"

#endif
