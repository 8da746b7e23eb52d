/* SPDX-License-Identifier: MIT */
/* Bit helpers. A set of squares is a uint64_t: bit 0 = a1 … bit 63 = h8. */
#ifndef PM_CORE_BITS_H
#define PM_CORE_BITS_H

#include <stdint.h>

#define PM_ALWAYS_INLINE static inline __attribute__((always_inline))

PM_ALWAYS_INLINE uint64_t pm_bit(unsigned square)
{
    return 1ULL << square;
}

PM_ALWAYS_INLINE unsigned pm_popcount(uint64_t set)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    /* In place of a call to the compiler's library: the sums of 2, 4 and 8 bits side by side. */
    set -= set >> 1 & 0x5555555555555555ULL;
    set = (set & 0x3333333333333333ULL) + (set >> 2 & 0x3333333333333333ULL);
    return (unsigned)(((set + (set >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
#else
    return (unsigned)__builtin_popcountll(set);
#endif
}

/* The lowest square of a set; the set must not be empty. */
PM_ALWAYS_INLINE unsigned pm_lsb(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

PM_ALWAYS_INLINE uint64_t pm_without_lsb(uint64_t set)
{
    return set & (set - 1);
}

PM_ALWAYS_INLINE int pm_has_several(uint64_t set)
{
    return pm_without_lsb(set) != 0;
}

/* Removes the lowest square from a non-empty set and returns it. */
PM_ALWAYS_INLINE unsigned pm_pop_lsb(uint64_t *set)
{
    const unsigned square = pm_lsb(*set);
    *set = pm_without_lsb(*set);
    return square;
}

#endif
