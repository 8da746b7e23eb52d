/* SPDX-License-Identifier: MIT */
/* One multiplication makes the index, in a table of the same size for each square. */
#ifndef PM_KERNELS_SLIDERS_MAGIC_PLAIN_H
#define PM_KERNELS_SLIDERS_MAGIC_PLAIN_H

#include "kernels/sliders/magics.h"

#define TECHNIQUE "plain magic: 4096 and 512 sets a square"
#define REFERENCE "Lasse Hansen, Winboard Forum, 2006"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES                                                                                \
    (sizeof(rook_magics) + sizeof(bishop_magics) + sizeof(rook_sets) + sizeof(bishop_sets))

enum { ROOK_BITS = 12, BISHOP_BITS = 9 };

struct magic {
    uint64_t mask, factor;
};

static struct magic rook_magics[64], bishop_magics[64];
static uint64_t rook_sets[64][1 << ROOK_BITS], bishop_sets[64][1 << BISHOP_BITS];

static inline void build_technique(void)
{
    struct pm_random random = {.state = 1};
    struct problem problem;
    for (unsigned square = 0; square < 64; square++) {
        state_problem(&problem, square, inner_rook_lines(square), walk_rook);
        rook_magics[square].mask = problem.mask;
        rook_magics[square].factor =
            find_magic(&problem, 64 - ROOK_BITS, &random, rook_sets[square]);
        state_problem(&problem, square, inner_bishop_lines(square), walk_bishop);
        bishop_magics[square].mask = problem.mask;
        bishop_magics[square].factor =
            find_magic(&problem, 64 - BISHOP_BITS, &random, bishop_sets[square]);
    }
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const struct magic *const magic = &rook_magics[square];
    return rook_sets[square][(occupied & magic->mask) * magic->factor >> (64 - ROOK_BITS)];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const struct magic *const magic = &bishop_magics[square];
    return bishop_sets[square][(occupied & magic->mask) * magic->factor >> (64 - BISHOP_BITS)];
}

#include "kernels/sliders/queen.h"

#endif
