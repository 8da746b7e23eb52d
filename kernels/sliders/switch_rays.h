/* SPDX-License-Identifier: MIT */
/* One piece of code for each square, chosen by a switch: all masks are constants of the program,
 * and rays that do not exist are not looked at. */
#ifndef PM_KERNELS_SLIDERS_SWITCH_RAYS_H
#define PM_KERNELS_SLIDERS_SWITCH_RAYS_H

#include "kernels/sliders/rays.h"

#define TECHNIQUE "a switch over the squares, code for each with constant rays"
#define REFERENCE "Daniel Infuehr, TalkChess, 2021"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES 0

static inline void build_technique(void) {}

/* A ray on an empty board by arithmetic that the compiler does. */
PM_ALWAYS_INLINE uint64_t empty_ray(unsigned square, unsigned direction)
{
    const uint64_t bit = pm_bit(square), above = ~bit & -bit, below = bit - 1;
    const uint64_t files_to = (FILE_A << (square & 7) << 1) - FILE_A;
    const uint64_t right = ~files_to, left = files_to ^ FILE_A << (square & 7);
    uint64_t ray = 0;
    static const uint8_t shifts[LINE_COUNT] = {8, 1, 9, 7};
    for (unsigned step = 1; step < 8; step++) {
        const unsigned shift = shifts[direction % LINE_COUNT] * step;
        if (shift < 64)
            ray |= direction < SOUTH ? bit << shift : bit >> shift;
    }
    switch (direction) {
    case NORTH:
        return ray & above;
    case SOUTH:
        return ray & below;
    case EAST:
    case WEST:
        return ray & RANK_1 << (square & 56);
    case NORTH_EAST:
    case SOUTH_EAST:
        return ray & right;
    default:
        return ray & left;
    }
}

PM_ALWAYS_INLINE uint64_t constant_ray(unsigned square, enum direction direction, uint64_t occupied)
{
    const uint64_t ray = empty_ray(square, direction), pieces = ray & occupied;
    if (ray == 0)
        return 0;
    if (direction < SOUTH)
        return ray & (pieces ^ (pieces - 1));
    return ray & ALL_SQUARES << (63 ^ (unsigned)__builtin_clzll(pieces | 1));
}

PM_ALWAYS_INLINE uint64_t rook_from(unsigned square, uint64_t occupied)
{
    return constant_ray(square, NORTH, occupied) | constant_ray(square, EAST, occupied) |
           constant_ray(square, SOUTH, occupied) | constant_ray(square, WEST, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_from(unsigned square, uint64_t occupied)
{
    return constant_ray(square, NORTH_EAST, occupied) | constant_ray(square, NORTH_WEST, occupied) |
           constant_ray(square, SOUTH_EAST, occupied) | constant_ray(square, SOUTH_WEST, occupied);
}

PM_ALWAYS_INLINE uint64_t queen_from(unsigned square, uint64_t occupied)
{
    return rook_from(square, occupied) | bishop_from(square, occupied);
}

#define CASES_2(from, n)                                                                           \
    case (n):                                                                                      \
        return from((n), occupied);                                                                \
    case (n) + 1:                                                                                  \
        return from((n) + 1, occupied);
#define CASES_8(from, n)                                                                           \
    CASES_2(from, n) CASES_2(from, (n) + 2) CASES_2(from, (n) + 4) CASES_2(from, (n) + 6)
#define CASES_32(from, n)                                                                          \
    CASES_8(from, n) CASES_8(from, (n) + 8) CASES_8(from, (n) + 16) CASES_8(from, (n) + 24)
#define CASES_64(from) CASES_32(from, 0) CASES_32(from, 32)

static __attribute__((noinline)) uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    switch (square) {
        CASES_64(rook_from)
    default:
        return 0;
    }
}

static __attribute__((noinline)) uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    switch (square) {
        CASES_64(bishop_from)
    default:
        return 0;
    }
}

static __attribute__((noinline)) uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    switch (square) {
        CASES_64(queen_from)
    default:
        return 0;
    }
}

#endif
