/* SPDX-License-Identifier: MIT */
/* Squares of the 0x88 board and the attack-difference table.
 *
 * A square is 16 * rank + file: a1 = 0x00, h1 = 0x07, a8 = 0x70, h8 = 0x77. Both coordinates of two
 * squares can be read from their difference, which is unique to their relative place: one table
 * indexed by it answers "could a piece of this kind on s attack t?" for all pairs of squares. */
#ifndef PM_KERNELS_X88_ATTACK_H
#define PM_KERNELS_X88_ATTACK_H

#include "core/bits.h"
#include "core/board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A square, one off the board, or a difference of two: as wide as an address, so that a constant
 * step costs no instruction. */
typedef ptrdiff_t x88_square;

enum {
    NORTH = 16,
    EAST = 1,
    SQUARE_END = 0x78,       /* one past h8 */
    DIFFERENCE_ZERO = 0x77,  /* where difference 0 stands in a table */
    DIFFERENCE_COUNT = 0xEF, /* 0x77 to either side */
    KING_STEPS = 8,
    ZONE_SIZE = 11
};

/* The zone of a king: the squares of its steps, its own, and the two where castling takes it from
 * the e-file. Sets of them are bit masks. */
static const int8_t zone_step[ZONE_SIZE] = {-17, -16, -15, -1, 1, 15, 16, 17, 0, -2, 2};
enum {
    ALL_STEPS = (1 << KING_STEPS) - 1,
    WEST_STEP = 1 << 3,
    EAST_STEP = 1 << 4,
    ON_KING = 1 << 8,
    FAR_WEST = 1 << 9,
    FAR_EAST = 1 << 10
};

/* Kinds of attackers: the types of board.h, where black pawns take the unused 0. */
enum { KIND_BLACK_PAWN = 0, KIND_WHITE_PAWN = PM_PAWN, KIND_COUNT = PM_PIECE_TYPE_COUNT };

/* Which squares of the zone of a king on `target` a piece on s attacks on an otherwise empty board,
 * by kind and s - target. For leapers and pawns that is final; for sliders the squares between must
 * be looked at. Bit ON_KING alone is the classic attack table, for any target. */
static uint16_t zone_table[KIND_COUNT][DIFFERENCE_COUNT];

/* The step from the target towards s, if a queen on s could attack it; otherwise 0. */
static int8_t step_table[DIFFERENCE_COUNT];

static inline bool on_board(x88_square square)
{
    return (square & 0x88) == 0;
}

PM_ALWAYS_INLINE unsigned kind_of(bool black, enum pm_piece_type type)
{
    return type == PM_PAWN && black ? KIND_BLACK_PAWN : (unsigned)type;
}

PM_ALWAYS_INLINE unsigned zone(unsigned kind, x88_square s, x88_square target)
{
    return zone_table[kind][s - target + DIFFERENCE_ZERO];
}

PM_ALWAYS_INLINE x88_square step_towards(x88_square s, x88_square target)
{
    return step_table[s - target + DIFFERENCE_ZERO];
}

/* The step from a square to one that lies east and north of it on a line; otherwise 0. */
static inline int line_step(int east, int north)
{
    if ((east == 0 && north == 0) || (east != 0 && north != 0 && abs(east) != abs(north)))
        return 0;
    return ((east > 0) - (east < 0)) * EAST + ((north > 0) - (north < 0)) * NORTH;
}

/* Whether a piece on an empty board attacks the square that lies east and north of it. */
static inline bool kind_attacks(unsigned kind, int east, int north)
{
    const int wide = abs(east), high = abs(north);
    const bool diagonal = wide == high && wide != 0, straight = (wide == 0) != (high == 0);
    switch (kind) {
    case KIND_BLACK_PAWN:
        return wide == 1 && north == -1;
    case KIND_WHITE_PAWN:
        return wide == 1 && north == 1;
    case PM_KNIGHT:
        return wide * high == 2;
    case PM_BISHOP:
        return diagonal;
    case PM_ROOK:
        return straight;
    case PM_QUEEN:
        return diagonal || straight;
    default:
        return wide <= 1 && high <= 1 && (wide | high) != 0;
    }
}

/* Fills the entries of one relative place: the piece stands east and north of the target. */
static inline void build_difference(int east, int north)
{
    const int d = north * NORTH + east + DIFFERENCE_ZERO;
    step_table[d] = (int8_t)line_step(east, north);
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        unsigned bits = 0;
        for (unsigned i = 0; i < ZONE_SIZE; i++) {
            const int up = (zone_step[i] + 2 * NORTH + NORTH / 2) / NORTH - 2;
            const int right = zone_step[i] - up * NORTH;
            bits |= (unsigned)kind_attacks(kind, right - east, up - north) << i;
        }
        zone_table[kind][d] = (uint16_t)bits;
    }
}

static inline void build_tables(void)
{
    for (int north = -7; north <= 7; north++)
        for (int east = -7; east <= 7; east++)
            build_difference(east, north);
}

#endif
