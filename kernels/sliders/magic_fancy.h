/* SPDX-License-Identifier: MIT */
/* One multiplication makes the index, of as many bits as the square needs. */
#ifndef PM_KERNELS_SLIDERS_MAGIC_FANCY_H
#define PM_KERNELS_SLIDERS_MAGIC_FANCY_H

#include "kernels/sliders/magics.h"

#define TECHNIQUE "fancy magic: a table of its own size for each square"
#define REFERENCE "Pradu Kannan, 2007, after Lasse Hansen, 2006"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(rook_magics) + sizeof(bishop_magics) + sizeof(attack_sets))

struct magic {
    uint64_t mask, factor;
    const uint64_t *sets;
    unsigned shift;
};

static struct magic rook_magics[64], bishop_magics[64];
static uint64_t attack_sets[102400 + 5248]; /* rooks, then bishops */

static inline uint64_t *build_magic(struct magic *magic, unsigned square, uint64_t mask,
                                    uint64_t (*walk)(unsigned, uint64_t), struct pm_random *random,
                                    uint64_t *sets)
{
    struct problem problem;
    state_problem(&problem, square, mask, walk);
    const unsigned shift = 64 - pm_popcount(mask);
    *magic = (struct magic){.mask = mask,
                            .factor = find_magic(&problem, shift, random, sets),
                            .sets = sets,
                            .shift = shift};
    return sets + problem.count;
}

static inline void build_technique(void)
{
    struct pm_random random = {.state = 1};
    uint64_t *sets = attack_sets;
    for (unsigned square = 0; square < 64; square++)
        sets = build_magic(&rook_magics[square], square, inner_rook_lines(square), walk_rook,
                           &random, sets);
    for (unsigned square = 0; square < 64; square++)
        sets = build_magic(&bishop_magics[square], square, inner_bishop_lines(square), walk_bishop,
                           &random, sets);
}

PM_ALWAYS_INLINE uint64_t look_up(const struct magic *magic, uint64_t occupied)
{
    return magic->sets[(occupied & magic->mask) * magic->factor >> magic->shift];
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return look_up(&rook_magics[square], occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return look_up(&bishop_magics[square], occupied);
}

#include "kernels/sliders/queen.h"

#endif
