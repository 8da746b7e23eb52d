/* SPDX-License-Identifier: MIT */
/* PEXT as index, and sets of 16 bits: what a rook or bishop attacks lies on its lines, at most 14
 * squares, and PDEP spreads it there. A quarter of the table. */
#ifndef PM_KERNELS_SLIDERS_PEXT_PDEP_H
#define PM_KERNELS_SLIDERS_PEXT_PDEP_H

#include "kernels/sliders/rays.h"

#include <immintrin.h>

#define TECHNIQUE "PEXT index into 16-bit sets, spread by PDEP"
#define REFERENCE "Chess Programming Wiki (BMI2), 2010s, after Zach Wegner, 2011"
#define CPU_REQUIRED PM_CPU_BMI2
#define CPU_SLOW PM_CPU_QUIRK_SLOW_PEXT
#define TABLE_BYTES (sizeof(rook_stretches) + sizeof(bishop_stretches) + sizeof(packed_sets))

struct stretch {
    uint64_t inner; /* squares whose pieces matter */
    uint64_t lines;
    const uint16_t *sets;
};

static struct stretch rook_stretches[64], bishop_stretches[64];
static uint16_t packed_sets[102400 + 5248]; /* rooks, then bishops */

static inline uint16_t *build_stretch(struct stretch *stretch, unsigned square, uint64_t inner,
                                      uint64_t (*walk)(unsigned, uint64_t), uint16_t *sets)
{
    *stretch = (struct stretch){.inner = inner, .lines = walk(square, 0), .sets = sets};
    const unsigned count = 1U << pm_popcount(inner);
    for (unsigned index = 0; index < count; index++)
        sets[index] = (uint16_t)_pext_u64(walk(square, _pdep_u64(index, inner)), stretch->lines);
    return sets + count;
}

static inline void build_technique(void)
{
    uint16_t *sets = packed_sets;
    for (unsigned square = 0; square < 64; square++)
        sets = build_stretch(&rook_stretches[square], square, inner_rook_lines(square), walk_rook,
                             sets);
    for (unsigned square = 0; square < 64; square++)
        sets = build_stretch(&bishop_stretches[square], square, inner_bishop_lines(square),
                             walk_bishop, sets);
}

PM_ALWAYS_INLINE uint64_t look_up(const struct stretch *stretch, uint64_t occupied)
{
    return _pdep_u64(stretch->sets[_pext_u64(occupied, stretch->inner)], stretch->lines);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return look_up(&rook_stretches[square], occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return look_up(&bishop_stretches[square], occupied);
}

#include "kernels/sliders/queen.h"

#endif
