/* SPDX-License-Identifier: MIT */
/* Attack tables. A slider's attack set depends only on the pieces on its lines. PEXT gathers those
 * pieces's bits into a small number, which indexes the table of that square: no multiplication, no
 * hole.
 *
 *   pieces on the board    mask of a rook on d4
 *   . . . x . . . .     . . . . . . . .
 *   . . . . . . . .     . . . 1 . . . .
 *   . . . x . . x .     . . . 1 . . . .      squares of the mask, lowest first, and whether
 *   . . . . . . . .     . . . 1 . . . .      a piece stands there:
 *   . x . R . . . .     . 1 1 . 1 1 1 .        d2 d3 b4 c4 e4 f4 g4 d5 d6 d7
 *   . . . . . . . .     . . . 1 . . . .        0  0  1  0  0  0  0  0  1  0
 *   . . . . . . . .     . . . 1 . . . .      PEXT packs these bits: index 2^2 + 2^8 = 260
 *   . . . . . . . .     . . . . . . . .
 *
 * The board's rim is not in a mask: a piece there ends no ray that would not end anyway. */
#ifndef PM_PEXT_TABLES_H
#define PM_PEXT_TABLES_H

#include "core/bits.h"
#include "core/board.h"

#include <immintrin.h>
#include <stdint.h>

/* The sum of 2^(squares in the mask) over all squares. */
#define ROOK_ENTRIES 102400
#define BISHOP_ENTRIES 5248

struct slider_lookup {
    uint64_t rook_mask, bishop_mask;
    const uint64_t *rook_attacks, *bishop_attacks; /* 2^(squares in the mask) sets each */
};

static struct {
    struct slider_lookup sliders[PM_SQUARE_COUNT];
    uint64_t king[PM_SQUARE_COUNT];
    /* The lines of a square, and all lines of its neighbors: on an empty board a rook or queen
     * gives check from the former, and takes a square next to a king only from the latter. */
    struct lines {
        uint64_t straight, diagonal;
    } lines[PM_SQUARE_COUNT], neighbor_lines[PM_SQUARE_COUNT];
    uint64_t knight[PM_SQUARE_COUNT];
    uint64_t pawn[PM_COLOR_COUNT][PM_SQUARE_COUNT];     /* what a pawn of that color attacks */
    uint64_t between[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* strictly; empty if not on one line */
    uint64_t rook_attacks[ROOK_ENTRIES];
    uint64_t bishop_attacks[BISHOP_ENTRIES];
} tables __attribute__((aligned(64)));

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const struct slider_lookup *lookup = &tables.sliders[square];
    return lookup->rook_attacks[_pext_u64(occupied, lookup->rook_mask)];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const struct slider_lookup *lookup = &tables.sliders[square];
    return lookup->bishop_attacks[_pext_u64(occupied, lookup->bishop_mask)];
}

struct step {
    int file, rank;
};
static const struct step rook_steps[4] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
static const struct step bishop_steps[4] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

/* The square one step away as a set; empty beyond the rim. */
static uint64_t stepped(unsigned square, int file_step, int rank_step)
{
    const int file = (int)(square & 7) + file_step, rank = (int)(square >> 3) + rank_step;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? 0 : pm_bit((unsigned)(rank << 3 | file));
}

/* The squares of one ray up to and including the first occupied one. */
static uint64_t ray(unsigned square, struct step step, uint64_t occupied)
{
    uint64_t squares = 0, next = stepped(square, step.file, step.rank);
    while (next) {
        squares |= next;
        next = next & occupied ? 0 : stepped(pm_lsb(next), step.file, step.rank);
    }
    return squares;
}

static uint64_t rays(unsigned square, const struct step steps[4], uint64_t occupied)
{
    uint64_t squares = 0;
    for (unsigned i = 0; i < 4; i++)
        squares |= ray(square, steps[i], occupied);
    return squares;
}

/* The squares whose pieces can shorten a ray: each ray without its last square. */
static uint64_t blocker_mask(unsigned square, const struct step steps[4])
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t squares = ray(square, steps[i], 0);
        for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest))
            if (stepped(pm_lsb(rest), steps[i].file, steps[i].rank))
                mask |= rest & -rest;
    }
    return mask;
}

/* Fills the table of one square for every set of pieces on its mask; returns where the next begins.
 */
static uint64_t *fill_slider(uint64_t *attacks, unsigned square, const struct step steps[4],
                             uint64_t mask)
{
    const uint64_t count = pm_bit(pm_popcount(mask));
    for (uint64_t index = 0; index < count; index++)
        attacks[index] = rays(square, steps, _pdep_u64(index, mask));
    return attacks + count;
}

static void fill_sliders(void)
{
    uint64_t *rook = tables.rook_attacks, *bishop = tables.bishop_attacks;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        struct slider_lookup *lookup = &tables.sliders[square];
        *lookup = (struct slider_lookup){
            .rook_mask = blocker_mask(square, rook_steps),
            .bishop_mask = blocker_mask(square, bishop_steps),
            .rook_attacks = rook,
            .bishop_attacks = bishop,
        };
        rook = fill_slider(rook, square, rook_steps, lookup->rook_mask);
        bishop = fill_slider(bishop, square, bishop_steps, lookup->bishop_mask);
    }
}

static void fill_leapers(unsigned square)
{
    tables.king[square] = tables.knight[square] = 0;
    for (int file = -2; file <= 2; file++)
        for (int rank = -2; rank <= 2; rank++) {
            const int distance = file * file + rank * rank;
            if (distance == 1 || distance == 2)
                tables.king[square] |= stepped(square, file, rank);
            if (distance == 5)
                tables.knight[square] |= stepped(square, file, rank);
        }
    tables.pawn[PM_WHITE][square] = stepped(square, -1, 1) | stepped(square, 1, 1);
    tables.pawn[PM_BLACK][square] = stepped(square, -1, -1) | stepped(square, 1, -1);
}

static void fill_between(unsigned square, const struct step steps[4])
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t passed = 0;
        uint64_t next = stepped(square, steps[i].file, steps[i].rank);
        while (next) {
            tables.between[square][pm_lsb(next)] = passed;
            passed |= next;
            next = stepped(pm_lsb(next), steps[i].file, steps[i].rank);
        }
    }
}

static struct lines lines_of(uint64_t squares)
{
    struct lines lines = {0, 0};
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest)) {
        lines.straight |= rays(pm_lsb(rest), rook_steps, 0);
        lines.diagonal |= rays(pm_lsb(rest), bishop_steps, 0);
    }
    return lines;
}

static void fill_tables(void)
{
    fill_sliders();
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        fill_leapers(square);
        tables.lines[square] = lines_of(pm_bit(square));
        tables.neighbor_lines[square] = lines_of(tables.king[square]);
        fill_between(square, rook_steps);
        fill_between(square, bishop_steps);
    }
}

#endif
