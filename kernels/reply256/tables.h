/* SPDX-License-Identifier: MIT */
/* Tables of what depends on squares alone. A slider's attacks are found by PEXT: the bits of the
 * pieces on its lines, gathered into a small number, are the index into its part of `attacks`. */
#ifndef PM_REPLY256_TABLES_H
#define PM_REPLY256_TABLES_H

#include "core/bits.h"
#include "core/board.h"

#include <immintrin.h>
#include <stdint.h>

#define SLIDER_ENTRIES 107648 /* 102400 of rooks, 5248 of bishops */
#define DIRECTION_COUNT 8     /* the first four are a rook's */

#define NO_DIRECTION 0x80 /* such a byte is none in a byte shuffle */

struct slider_lookup {
    uint64_t mask;
    const uint64_t *attacks;
};

static struct {
    struct slider_lookup rook[PM_SQUARE_COUNT], bishop[PM_SQUARE_COUNT];
    uint64_t king[PM_SQUARE_COUNT], knight[PM_SQUARE_COUNT];
    uint64_t ray[PM_SQUARE_COUNT][DIRECTION_COUNT]; /* all of these three: of an empty board */
    uint64_t rook_lines[PM_SQUARE_COUNT], bishop_lines[PM_SQUARE_COUNT];
    uint64_t between[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* strictly; empty if not on one line */
    uint64_t beyond[PM_SQUARE_COUNT][PM_SQUARE_COUNT];  /* behind the second, seen from the first */
    uint8_t distance[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* in king steps; 0 if not on one line */
    uint8_t direction[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* from first to second, or NO_DIRECTION */
    uint64_t distance_digit[PM_SQUARE_COUNT][3]; /* squares at distances that hold 1, 2, 4 */
    uint64_t attacks[SLIDER_ENTRIES];
} tables __attribute__((aligned(64)));

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return tables.rook[square].attacks[_pext_u64(occupied, tables.rook[square].mask)];
}
PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return tables.bishop[square].attacks[_pext_u64(occupied, tables.bishop[square].mask)];
}

/* The squares of a line that one piece sees through another: from the first to the rim. */
PM_ALWAYS_INLINE uint64_t ray_through(unsigned from, unsigned through)
{
    return tables.between[from][through] | pm_bit(through) | tables.beyond[from][through];
}
PM_ALWAYS_INLINE uint64_t line_through(unsigned one, unsigned other)
{
    return ray_through(one, other) | ray_through(other, one);
}

static const int file_step[DIRECTION_COUNT] = {0, 1, 0, -1, 1, 1, -1, -1};
static const int rank_step[DIRECTION_COUNT] = {1, 0, -1, 0, 1, -1, -1, 1};

/* The square some steps away as a set; empty beyond the rim. */
static uint64_t stepped(unsigned square, int files, int ranks)
{
    const int file = (int)(square & 7) + files, rank = (int)(square >> 3) + ranks;
    return ((file | rank) & ~7) != 0 ? 0 : pm_bit((unsigned)(rank * 8 + file));
}

/* The ray from a square up to and including the first piece on it. */
static uint64_t traced_ray(unsigned square, unsigned direction, uint64_t occupied)
{
    uint64_t ray = 0, next = pm_bit(square);
    do {
        next = stepped(pm_lsb(next), file_step[direction], rank_step[direction]);
        ray |= next;
    } while (next & ~occupied);
    return ray;
}

static uint64_t traced_rays(unsigned square, unsigned first, uint64_t occupied)
{
    uint64_t rays = 0;
    for (unsigned direction = first; direction < first + 4; direction++)
        rays |= traced_ray(square, direction, occupied);
    return rays;
}

static void fill_lines(unsigned square)
{
    for (unsigned other = 0; other < PM_SQUARE_COUNT; other++)
        tables.direction[square][other] = NO_DIRECTION;
    for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++) {
        uint64_t passed = 0, rest = traced_ray(square, direction, 0);
        tables.ray[square][direction] = rest;
        while (rest) {
            const uint64_t next = traced_ray(square, direction, ~passed) & ~passed;
            const unsigned other = pm_lsb(next);
            rest ^= next;
            tables.between[square][other] = passed;
            tables.beyond[square][other] = rest;
            passed |= next;
            const unsigned distance = pm_popcount(passed);
            tables.distance[square][other] = (uint8_t)distance;
            tables.direction[square][other] = (uint8_t)direction;
            for (unsigned bit = 0; bit < 3; bit++)
                tables.distance_digit[square][bit] |= distance >> bit & 1 ? next : 0;
        }
    }
    tables.rook_lines[square] = traced_rays(square, 0, 0);
    tables.bishop_lines[square] = traced_rays(square, 4, 0);
}

static void fill_leapers(unsigned square)
{
    tables.king[square] = tables.knight[square] = 0;
    for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++) {
        const int files = file_step[direction], ranks = rank_step[direction];
        tables.king[square] |= stepped(square, files, ranks);
        if (files && ranks)
            tables.knight[square] |=
                stepped(square, 2 * files, ranks) | stepped(square, files, 2 * ranks);
    }
}

/* Fills a slider's attacks for every set of pieces that can shorten a ray (a ray's last square
 * can't); returns where the next slider's begin. */
static uint64_t *fill_slider(struct slider_lookup *lookup, unsigned square, unsigned first,
                             uint64_t *attacks)
{
    uint64_t mask = 0;
    for (unsigned direction = first; direction < first + 4; direction++) {
        const uint64_t ray = traced_ray(square, direction, 0);
        for (uint64_t rest = ray; rest; rest = pm_without_lsb(rest))
            if (traced_ray(square, direction, rest & -rest) != ray)
                mask |= rest & -rest;
    }
    const uint64_t count = pm_bit(pm_popcount(mask));
    for (uint64_t index = 0; index < count; index++)
        attacks[index] = traced_rays(square, first, _pdep_u64(index, mask));
    *lookup = (struct slider_lookup){mask, attacks};
    return attacks + count;
}

static void fill_tables(void)
{
    uint64_t *attacks = tables.attacks;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        fill_lines(square);
        fill_leapers(square);
        attacks = fill_slider(&tables.rook[square], square, 0, attacks);
        attacks = fill_slider(&tables.bishop[square], square, 4, attacks);
    }
}

#endif
