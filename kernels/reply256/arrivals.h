/* SPDX-License-Identifier: MIT */
/* How many of our moves land on each square: a number a square, kept as bit planes. Whatever a
 * landing on some squares costs or brings them is then a few population counts. */
#ifndef PM_REPLY256_ARRIVALS_H
#define PM_REPLY256_ARRIVALS_H

#include "core/bits.h"

#include <stdint.h>

/* Of one type of pieces: an odd number of them lands on `ones`, two or three on `twos`. */
struct landings {
    uint64_t ones, twos;
};

struct arrivals {
    uint64_t ones, twos, fours;
    uint64_t overflow; /* squares where the number grew beyond 7 */
};

/* Adds plane by plane, as numbers are added by hand. */
PM_ALWAYS_INLINE void add_arrivals(struct arrivals *arrivals, struct landings landings)
{
    const uint64_t carry = arrivals->ones & landings.ones;
    const uint64_t carry_of_twos =
        (arrivals->twos & (landings.twos | carry)) | (landings.twos & carry);
    arrivals->ones ^= landings.ones;
    arrivals->twos ^= landings.twos ^ carry;
    arrivals->overflow |= arrivals->fours & carry_of_twos;
    arrivals->fours ^= carry_of_twos;
}

/* How many of our moves land on these squares. */
PM_ALWAYS_INLINE uint64_t arrivals_on(const struct arrivals *arrivals, uint64_t squares)
{
    return pm_popcount(arrivals->ones & squares) + 2 * pm_popcount(arrivals->twos & squares) +
           4 * (uint64_t)pm_popcount(arrivals->fours & squares);
}

PM_ALWAYS_INLINE uint64_t landed_on(const struct arrivals *arrivals)
{
    return arrivals->ones | arrivals->twos | arrivals->fours;
}

#endif
