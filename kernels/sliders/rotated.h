/* SPDX-License-Identifier: MIT */
/* Rotated boards: on a turned copy of the board a file or a diagonal lies in one rank, whose byte
 * is the index. Programs of that time kept the copies up to date move by move; here each look-up
 * turns the board by parallel swaps. */
#ifndef PM_KERNELS_SLIDERS_ROTATED_H
#define PM_KERNELS_SLIDERS_ROTATED_H

#include "kernels/sliders/rays.h"

#define TECHNIQUE "rotated bitboards, turned at each look-up"
#define REFERENCE "Robert Hyatt (Crafty), 1990s; Ernst A. Heinz, ICCA Journal, 1997"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES sizeof(rank_sets)

static uint64_t rank_sets[LINE_COUNT][64][256]; /* by the byte of the turned board */

PM_ALWAYS_INLINE uint64_t rotated_right(uint64_t set, unsigned shift)
{
    return set >> shift | set << (64 - shift);
}

/* Exchanges two groups of squares that are `shift` squares apart; `lower` is the lower group. */
PM_ALWAYS_INLINE uint64_t swapped(uint64_t set, uint64_t lower, unsigned shift)
{
    const uint64_t change = (set ^ set >> shift) & lower;
    return set ^ change ^ change << shift;
}

/* a2 and b1 exchanged, and so on: files become ranks. */
PM_ALWAYS_INLINE uint64_t flipped(uint64_t set)
{
    set = swapped(set, UINT64_C(0x00000000F0F0F0F0), 28);
    set = swapped(set, UINT64_C(0x0000CCCC0000CCCC), 14);
    return swapped(set, UINT64_C(0x00AA00AA00AA00AA), 7);
}

/* Each file turned downwards by its number: a diagonal becomes part of a rank. `odd` has the files
 * whose number has bit 0, `twos` bit 1, `fours` bit 2. */
PM_ALWAYS_INLINE uint64_t sheared(uint64_t set, uint64_t odd, uint64_t twos, uint64_t fours)
{
    set ^= odd & (set ^ rotated_right(set, 8));
    set ^= twos & (set ^ rotated_right(set, 16));
    return set ^ (fours & (set ^ rotated_right(set, 32)));
}

PM_ALWAYS_INLINE uint64_t turned(uint64_t set, enum line line)
{
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA), twos = UINT64_C(0xCCCCCCCCCCCCCCCC),
                   fours = UINT64_C(0xF0F0F0F0F0F0F0F0);
    switch (line) {
    case FILE_LINE:
        return flipped(set);
    case DIAGONAL:
        return sheared(set, odd, twos, fours);
    case ANTIDIAGONAL:
        return sheared(set, ~odd, ~twos, ~fours);
    default:
        return set;
    }
}

/* The shift of the byte in which the square's line lies. */
PM_ALWAYS_INLINE unsigned byte_shift(unsigned square, enum line line)
{
    const unsigned file = square & 7, rank = square >> 3;
    switch (line) {
    case FILE_LINE:
        return 8 * file;
    case DIAGONAL:
        return 8 * ((rank - file) & 7);
    case ANTIDIAGONAL:
        return 8 * ((rank + file - 7) & 7);
    default:
        return 8 * rank;
    }
}

static inline void build_line_sets(unsigned square, enum line line)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t occupied = 0;
        for (unsigned piece = 0; piece < 64; piece++)
            if (turned(pm_bit(piece), line) >> byte_shift(square, line) & byte)
                occupied |= pm_bit(piece);
        rank_sets[line][square][byte] = walk_line(square, line, occupied);
    }
}

static inline void build_technique(void)
{
    for (unsigned line = 0; line < LINE_COUNT; line++)
        for (unsigned square = 0; square < 64; square++)
            build_line_sets(square, (enum line)line);
}

PM_ALWAYS_INLINE uint64_t line_attacks(unsigned square, enum line line, uint64_t occupied)
{
    return rank_sets[line][square][turned(occupied, line) >> byte_shift(square, line) & 255];
}

#include "kernels/sliders/by_lines.h"

#endif
