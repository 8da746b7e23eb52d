/* SPDX-License-Identifier: MIT */
/* CRC32 as index. The checksum is linear over GF(2): each of its bits is the parity of some
 * squares. A run of its 32 bits tells all occupancies apart if its bits are independent on the
 * squares that matter; a loop over the runs finds one at once. No number is searched, and but for
 * the rook on b3, where no run of 10 bits will do, no index is lost. */
#ifndef PM_KERNELS_SLIDERS_CRC_H
#define PM_KERNELS_SLIDERS_CRC_H

#include "kernels/sliders/rays.h"

#include <nmmintrin.h>
#include <stdbool.h>

#define TECHNIQUE "CRC32 checksum as index into whole attack sets"
#define REFERENCE "ours, 2026 (perfect hashing by magic numbers: Lasse Hansen, 2006)"
#define CPU_REQUIRED PM_CPU_SSE42
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(rook_stretches) + sizeof(bishop_stretches) + sizeof(attack_sets))

struct stretch {
    uint64_t mask; /* squares whose pieces matter */
    const uint64_t *sets;
    uint32_t run; /* as BEXTR takes it: the first bit, and from bit 8 on the number of bits */
};

static struct stretch rook_stretches[64], bishop_stretches[64];
static uint64_t attack_sets[102400 + 1024 + 5248]; /* rooks (b3 has 11 bits), then bishops */

PM_ALWAYS_INLINE unsigned index_of(const struct stretch *stretch, uint64_t occupied)
{
    return __builtin_ia32_bextr_u32((unsigned)_mm_crc32_u64(0, occupied & stretch->mask),
                                    stretch->run);
}

/* Fills the sets; false if two occupancies share an index. */
static inline bool fill(const struct stretch *stretch, unsigned square,
                        uint64_t (*walk)(unsigned, uint64_t), uint64_t *sets, unsigned size)
{
    uint64_t occupied = 0;
    for (unsigned i = 0; i < size; i++)
        sets[i] = 0;
    do {
        uint64_t *const set = &sets[index_of(stretch, occupied)];
        if (*set != 0)
            return false;
        *set = walk(square, occupied);
        occupied = (occupied - stretch->mask) & stretch->mask;
    } while (occupied);
    return true;
}

static inline uint64_t *build_stretch(struct stretch *stretch, unsigned square, uint64_t mask,
                                      uint64_t (*walk)(unsigned, uint64_t), uint64_t *sets)
{
    for (unsigned bits = pm_popcount(mask);; bits++)
        for (unsigned first = 0; first + bits <= 32; first++) {
            *stretch = (struct stretch){.mask = mask, .sets = sets, .run = bits << 8 | first};
            if (fill(stretch, square, walk, sets, 1U << bits))
                return sets + (UINT64_C(1) << bits);
        }
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
    const struct stretch *const stretch = &rook_stretches[square];
    return stretch->sets[index_of(stretch, occupied)];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const struct stretch *const stretch = &bishop_stretches[square];
    return stretch->sets[index_of(stretch, occupied)];
}

#include "kernels/sliders/queen.h"

#endif
