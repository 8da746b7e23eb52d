/* SPDX-License-Identifier: MIT */
/* Attack tables of the magic kernel. Those of rooks and bishops are indexed by magic
 * multiplication: the pieces on the lines of a square, times a number found by search, leave in the
 * product's top bits an index into the square's own stretch of one table ("fancy" magics: as many
 * bits as the square needs). Written by build_tables() only. */
#ifndef PM_KERNELS_MAGIC_ATTACKS_H
#define PM_KERNELS_MAGIC_ATTACKS_H

#include "core/bits.h"
#include "core/board.h"
#include "core/random.h"

#include <stdbool.h>
#include <stdint.h>

#define FILE_A 0x0101010101010101U
#define FILE_H (FILE_A << 7)
#define RANK_1 0xFFU

struct magic {
    uint64_t mask;   /* squares whose pieces matter: the lines without their last squares */
    uint64_t factor; /* the magic number */
    const uint64_t *attacks;
    unsigned shift; /* 64 less the bits in mask */
};

#define BISHOP_SLOTS 5248 /* the sum of 2^bits over all squares */
#define ROOK_SLOTS 102400
#define MAX_SUBSETS 4096 /* of one square: a rook in a corner has 12 bits */

static struct {
    struct magic bishop[PM_SQUARE_COUNT];
    struct magic rook[PM_SQUARE_COUNT];
    uint64_t knight[PM_SQUARE_COUNT];
    uint64_t king[PM_SQUARE_COUNT];
    uint64_t pawn[PM_COLOR_COUNT][PM_SQUARE_COUNT]; /* squares that a pawn there attacks */
    uint64_t bishop_lines[PM_SQUARE_COUNT];         /* attacks on an empty board */
    uint64_t rook_lines[PM_SQUARE_COUNT];
    uint64_t bishop_near[PM_SQUARE_COUNT]; /* where sliders can attack a neighbor of the square */
    uint64_t rook_near[PM_SQUARE_COUNT];
    uint64_t between[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* strictly; empty if not on one line */
    uint64_t bishop_slots[BISHOP_SLOTS];
    uint64_t rook_slots[ROOK_SLOTS];
} tables;

PM_ALWAYS_INLINE uint64_t magic_lookup(const struct magic *magic, uint64_t occupied)
{
    return magic->attacks[(occupied & magic->mask) * magic->factor >> magic->shift];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return magic_lookup(&tables.bishop[square], occupied);
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return magic_lookup(&tables.rook[square], occupied);
}

struct step {
    int file, rank;
};

static const struct step bishop_steps[4] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
static const struct step rook_steps[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/* The set of the square one step away, empty beyond the edge. */
static inline uint64_t stepped(unsigned square, struct step step)
{
    const int file = (int)(square & 7) + step.file, rank = (int)(square >> 3) + step.rank;
    return (file | rank) & ~7 ? 0 : pm_bit((unsigned)(rank << 3 | file));
}

/* All squares along one direction, up to and with the first piece met. */
static inline uint64_t walk(unsigned square, struct step step, uint64_t occupied)
{
    uint64_t reached = 0;
    for (uint64_t next = stepped(square, step); next != 0; next = stepped(pm_lsb(next), step)) {
        reached |= next;
        if (next & occupied)
            break;
    }
    return reached;
}

static inline uint64_t walk_all(unsigned square, const struct step steps[4], uint64_t occupied)
{
    uint64_t reached = 0;
    for (int i = 0; i < 4; i++)
        reached |= walk(square, steps[i], occupied);
    return reached;
}

static inline uint64_t relevant_mask(unsigned square, const struct step steps[4])
{
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++)
        for (uint64_t next = stepped(square, steps[i]); next != 0;) {
            const uint64_t beyond = stepped(pm_lsb(next), steps[i]);
            if (beyond != 0)
                mask |= next;
            next = beyond;
        }
    return mask;
}

/* Every subset of a mask, in the order of the carry-rippler. Returns how many. */
static inline unsigned list_subsets(uint64_t mask, uint64_t subsets[MAX_SUBSETS])
{
    unsigned count = 0;
    uint64_t subset = 0;
    do {
        subsets[count++] = subset;
        subset = (subset - mask) & mask;
    } while (subset != 0);
    return count;
}

/* Fills the slots of one square with a candidate number; false when two subsets of different
 * attacks fall into one slot. Slots stamped with an older attempt count as free. */
static inline bool try_factor(const struct magic *magic, const uint64_t subsets[],
                              const uint64_t attacks[], unsigned count, uint64_t slots[],
                              uint32_t stamps[], uint32_t attempt)
{
    for (unsigned i = 0; i < count; i++) {
        const uint64_t slot = subsets[i] * magic->factor >> magic->shift;
        if (stamps[slot] != attempt) {
            stamps[slot] = attempt;
            slots[slot] = attacks[i];
        } else if (slots[slot] != attacks[i]) {
            return false;
        }
    }
    return true;
}

/* Searches the square's number among sparse random numbers and leaves its slots filled. Returns the
 * number of slots. */
static inline unsigned find_magic(struct magic *magic, unsigned square, const struct step steps[4],
                                  uint64_t slots[], uint64_t seed)
{
    uint64_t subsets[MAX_SUBSETS], attacks[MAX_SUBSETS];
    uint32_t stamps[MAX_SUBSETS] = {0};
    struct pm_random random = {.state = seed};

    magic->mask = relevant_mask(square, steps);
    magic->shift = 64 - pm_popcount(magic->mask);
    magic->attacks = slots;
    const unsigned count = list_subsets(magic->mask, subsets);
    for (unsigned i = 0; i < count; i++)
        attacks[i] = walk_all(square, steps, subsets[i]);

    uint32_t attempt = 0;
    do {
        magic->factor = pm_random_next(&random) & pm_random_next(&random) & pm_random_next(&random);
        attempt++;
    } while (pm_popcount(magic->mask * magic->factor >> 56) < 6 ||
             !try_factor(magic, subsets, attacks, count, slots, stamps, attempt));
    return count;
}

/* The search starts afresh at every square with the seed of its rank. Any seeds do; these were
 * chosen for a short search (README.md says how). */
static const uint16_t bishop_seeds[8] = {638, 92, 743, 807, 345, 639, 908, 849};
static const uint16_t rook_seeds[8] = {968, 537, 624, 3, 276, 192, 785, 155};

static inline void build_sliders(void)
{
    uint64_t *bishop_slots = tables.bishop_slots, *rook_slots = tables.rook_slots;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        bishop_slots += find_magic(&tables.bishop[square], square, bishop_steps, bishop_slots,
                                   bishop_seeds[square >> 3]);
        rook_slots += find_magic(&tables.rook[square], square, rook_steps, rook_slots,
                                 rook_seeds[square >> 3]);
        tables.bishop_lines[square] = bishop_attacks(square, 0);
        tables.rook_lines[square] = rook_attacks(square, 0);
    }
}

static inline void build_steppers(void)
{
    static const struct step knight_steps[8] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                                {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        for (int i = 0; i < 8; i++)
            tables.knight[square] |= stepped(square, knight_steps[i]);
        for (int i = 0; i < 4; i++)
            tables.king[square] |=
                stepped(square, bishop_steps[i]) | stepped(square, rook_steps[i]);
        tables.pawn[PM_WHITE][square] =
            stepped(square, bishop_steps[0]) | stepped(square, bishop_steps[1]);
        tables.pawn[PM_BLACK][square] =
            stepped(square, bishop_steps[2]) | stepped(square, bishop_steps[3]);
    }
}

static inline void build_between(const struct step steps[4])
{
    for (unsigned from = 0; from < PM_SQUARE_COUNT; from++)
        for (int i = 0; i < 4; i++)
            for (uint64_t line = walk(from, steps[i], 0); line != 0;) {
                const unsigned to = pm_pop_lsb(&line);
                tables.between[from][to] = walk(from, steps[i], pm_bit(to)) & ~pm_bit(to);
            }
}

static inline void build_near(void)
{
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        for (uint64_t neighbors = tables.king[square]; neighbors != 0;) {
            const unsigned neighbor = pm_pop_lsb(&neighbors);
            tables.bishop_near[square] |= tables.bishop_lines[neighbor];
            tables.rook_near[square] |= tables.rook_lines[neighbor];
        }
}

static inline void build_tables(void)
{
    build_sliders();
    build_steppers();
    build_between(bishop_steps);
    build_between(rook_steps);
    build_near();
}

#endif
