/* SPDX-License-Identifier: MIT */
/* The search for magic numbers, made by init() each time: sparse random numbers are tried until no
 * two occupancies with different attacks share an index. */
#ifndef PM_KERNELS_SLIDERS_MAGICS_H
#define PM_KERNELS_SLIDERS_MAGICS_H

#include "core/random.h"
#include "kernels/sliders/rays.h"

#include <stdbool.h>

#define MAX_OCCUPANCIES 4096

/* A rook or bishop on a square, and all that can stand in its way. */
struct problem {
    uint64_t mask;  /* squares whose pieces matter */
    unsigned count; /* of their occupancies */
    uint64_t occupancies[MAX_OCCUPANCIES], attacks[MAX_OCCUPANCIES];
};

static inline void state_problem(struct problem *problem, unsigned square, uint64_t mask,
                                 uint64_t (*walk)(unsigned, uint64_t))
{
    uint64_t occupied = 0;
    problem->mask = mask;
    problem->count = 0;
    do {
        problem->occupancies[problem->count] = occupied;
        problem->attacks[problem->count++] = walk(square, occupied);
        occupied = (occupied - mask) & mask;
    } while (occupied);
}

/* Whether the number tells all occupancies apart that must be. `sets` gets the attacks by index; an
 * index that is not used stays 0, which no attack set is. */
static inline bool is_magic(const struct problem *problem, uint64_t factor, unsigned shift,
                            uint64_t sets[])
{
    for (unsigned i = 0; i < 1U << (64 - shift); i++)
        sets[i] = 0;
    for (unsigned i = 0; i < problem->count; i++) {
        uint64_t *const set = &sets[problem->occupancies[i] * factor >> shift];
        if (*set != 0 && *set != problem->attacks[i])
            return false;
        *set = problem->attacks[i];
    }
    return true;
}

/* Numbers that bring few of the mask's bits to the top are not worth trying. */
static inline uint64_t find_magic(const struct problem *problem, unsigned shift,
                                  struct pm_random *random, uint64_t sets[])
{
    uint64_t factor;
    do
        factor = pm_random_next(random) & pm_random_next(random) & pm_random_next(random);
    while (pm_popcount(problem->mask * factor >> 56) < 6 ||
           !is_magic(problem, factor, shift, sets));
    return factor;
}

#endif
