/* SPDX-License-Identifier: MIT */
/* One multiplication gathers the pieces of a line into an index; the attacks, repeated on every
 * rank, are looked up and cut to the line. */
#ifndef PM_KERNELS_SLIDERS_KINDERGARTEN_H
#define PM_KERNELS_SLIDERS_KINDERGARTEN_H

#include "kernels/sliders/line_masks.h"

#define TECHNIQUE "kindergarten bitboards: multiplication, 64 sets a place"
#define REFERENCE "Gerd Isenberg, Winboard Forum, 2006, with ideas of Urban Koistinen"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(on_every_rank) + sizeof(on_file_a))

static uint64_t on_every_rank[8][64]; /* attacks along a rank, by file and inner pieces */
static uint64_t on_file_a[8][64];     /* attacks along the a-file, by rank and inner pieces */

static inline void build_technique(void)
{
    build_line_masks();
    for (unsigned place = 0; place < 8; place++)
        for (unsigned inner = 0; inner < 64; inner++) {
            uint64_t pieces = 0;
            for (unsigned i = 0; i < 6; i++)
                pieces |= (uint64_t)(inner >> i & 1) << 8 * (i + 1);
            on_every_rank[place][inner] =
                (walk_line(place, RANK_LINE, (uint64_t)inner << 1) & RANK_1) * FILE_A;
            on_file_a[place][inner] = walk_line(8 * place, FILE_LINE, pieces);
        }
}

/* For lines that have at most one square on each file. */
PM_ALWAYS_INLINE uint64_t slanted_attacks(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t mask = line_masks[square][line];
    const uint64_t index = (occupied & mask) * (FILE_A << 1) >> 58;
    return on_every_rank[square & 7][index] & mask;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    /* Bit 7k + 1, k = 8 - rank, brings the piece on that rank of the a-file to bit 57 + rank. */
    const uint64_t gather = UINT64_C(0x0004081020408000);
    const uint64_t file_index = (occupied >> (square & 7) & FILE_A) * gather >> 58;
    const uint64_t rank_index = occupied >> ((square & 56) + 1) & 63;
    return on_file_a[square >> 3][file_index] << (square & 7) |
           (on_every_rank[square & 7][rank_index] & line_masks[square][RANK_LINE]);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return slanted_attacks(square, DIAGONAL, occupied) |
           slanted_attacks(square, ANTIDIAGONAL, occupied);
}

#include "kernels/sliders/queen.h"

#endif
