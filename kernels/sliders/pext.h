/* SPDX-License-Identifier: MIT */
/* PEXT gathers the pieces that matter into an index, one table stretch a square. */
#ifndef PM_KERNELS_SLIDERS_PEXT_H
#define PM_KERNELS_SLIDERS_PEXT_H

#include "kernels/sliders/rays.h"

#include <immintrin.h>

#define TECHNIQUE "PEXT index into whole attack sets"
#define REFERENCE "Zach Wegner, 2011 (Haswell bit permutations)"
#define CPU_REQUIRED PM_CPU_BMI2
#define CPU_SLOW PM_CPU_QUIRK_SLOW_PEXT
#define TABLE_BYTES (sizeof(rook_stretches) + sizeof(bishop_stretches) + sizeof(attack_sets))

struct stretch {
    uint64_t mask; /* squares whose pieces matter */
    const uint64_t *sets;
};

static struct stretch rook_stretches[64], bishop_stretches[64];
static uint64_t attack_sets[102400 + 5248]; /* rooks, then bishops */

static inline uint64_t *build_stretch(struct stretch *stretch, unsigned square, uint64_t mask,
                                      uint64_t (*walk)(unsigned, uint64_t), uint64_t *sets)
{
    *stretch = (struct stretch){.mask = mask, .sets = sets};
    const unsigned count = 1U << pm_popcount(mask);
    for (unsigned index = 0; index < count; index++)
        sets[index] = walk(square, _pdep_u64(index, mask));
    return sets + count;
}

static inline void build_technique(void)
{
    uint64_t *sets = attack_sets;
    for (unsigned square = 0; square < 64; square++)
        sets = build_stretch(&rook_stretches[square], square, inner_rook_lines(square), walk_rook,
                             sets);
    for (unsigned square = 0; square < 64; square++)
        sets = build_stretch(&bishop_stretches[square], square, inner_bishop_lines(square),
                             walk_bishop, sets);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return rook_stretches[square].sets[_pext_u64(occupied, rook_stretches[square].mask)];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return bishop_stretches[square].sets[_pext_u64(occupied, bishop_stretches[square].mask)];
}

#include "kernels/sliders/queen.h"

#endif
