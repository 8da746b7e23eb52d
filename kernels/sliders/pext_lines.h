/* SPDX-License-Identifier: MIT */
/* Every line by itself: PEXT gathers its pieces, 512 bytes give the attacks on a line of any
 * length, PDEP spreads them; shifts do for ranks. Everything stays in the first-level cache. */
#ifndef PM_KERNELS_SLIDERS_PEXT_LINES_H
#define PM_KERNELS_SLIDERS_PEXT_LINES_H

#include "kernels/sliders/first_rank_bytes.h"

#include <immintrin.h>

#define TECHNIQUE "PEXT and PDEP line by line around one table of 512 bytes"
#define REFERENCE "ours, 2026; split PEXT: TalkChess, 2022; first-rank attacks: Gerd Isenberg, 2006"
#define CPU_REQUIRED PM_CPU_BMI2
#define CPU_SLOW PM_CPU_QUIRK_SLOW_PEXT
#define TABLE_BYTES (sizeof(lines) - 64 * sizeof(lines[0][RANK_LINE]) + sizeof(first_rank_bytes))

static struct {
    uint64_t inner, whole;  /* with the square itself, which may be an end */
    const uint8_t *attacks; /* of its place on the line */
} lines[64][LINE_COUNT];

static inline void build_technique(void)
{
    build_first_rank_bytes();
    for (unsigned square = 0; square < 64; square++)
        for (unsigned line = 0; line < LINE_COUNT; line++) {
            const uint64_t set = pm_bit(square);
            const uint64_t whole = walk_line(square, (enum line)line, 0) | set;
            const uint64_t last = UINT64_C(1) << (63 - __builtin_clzll(whole));
            lines[square][line].whole = whole;
            lines[square][line].inner = pm_without_lsb(whole) & ~last;
            lines[square][line].attacks = first_rank_bytes[pm_popcount(whole & (set - 1))];
        }
}

PM_ALWAYS_INLINE uint64_t line_attacks(unsigned square, enum line line, uint64_t occupied)
{
    const uint64_t index = _pext_u64(occupied, lines[square][line].inner);
    return _pdep_u64(lines[square][line].attacks[index], lines[square][line].whole);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, FILE_LINE, occupied) | rank_attacks(square, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return line_attacks(square, DIAGONAL, occupied) | line_attacks(square, ANTIDIAGONAL, occupied);
}

#include "kernels/sliders/queen.h"

#endif
