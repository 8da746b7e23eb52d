/* SPDX-License-Identifier: MIT */
/* Seeded random numbers: splitmix64 (G. L. Steele, D. Lea, C. H. Flood, 2014). The same seed gives
 * the same numbers on every machine. Not for secrets. */
#ifndef PM_CORE_RANDOM_H
#define PM_CORE_RANDOM_H

#include <stdint.h>

struct pm_random {
    uint64_t state; /* the seed, before the first number */
};

static inline uint64_t pm_random_next(struct pm_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* Uniform in 0 … bound - 1 up to a bias below 2^-32; bound from 1 to 2^32. */
static inline uint32_t pm_random_below(struct pm_random *random, uint64_t bound)
{
    return (uint32_t)((pm_random_next(random) >> 32) * bound >> 32);
}

#endif
