/* SPDX-License-Identifier: MIT */
/* Sliding attacks square by square. What every table of the family is built from; too slow for
 * anything else. */
#ifndef PM_KERNELS_SLIDERS_RAYS_H
#define PM_KERNELS_SLIDERS_RAYS_H

#include "core/bits.h"

#include <stdint.h>

#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_H UINT64_C(0x8080808080808080)
#define RANK_1 UINT64_C(0x00000000000000FF)
#define RANK_8 UINT64_C(0xFF00000000000000)
#define A1_H8 UINT64_C(0x8040201008040201)
#define H1_A8 UINT64_C(0x0102040810204080)
#define ALL_SQUARES (~UINT64_C(0))

/* The eight directions. Those of the first half lead to higher squares, and each has its opposite
 * four places later: one line of the board is a direction and its opposite. */
enum direction {
    NORTH,
    EAST,
    NORTH_EAST,
    NORTH_WEST,
    SOUTH,
    WEST,
    SOUTH_WEST,
    SOUTH_EAST,
    DIRECTION_COUNT
};

/* The lines through a square, named after their first direction. */
enum line { FILE_LINE, RANK_LINE, DIAGONAL, ANTIDIAGONAL, LINE_COUNT };

/* All squares in one direction, up to and with the first piece met. */
static inline uint64_t walk_ray(unsigned square, enum direction direction, uint64_t occupied)
{
    static const int8_t file_steps[DIRECTION_COUNT] = {0, 1, 1, -1, 0, -1, -1, 1};
    static const int8_t rank_steps[DIRECTION_COUNT] = {1, 0, 1, 1, -1, 0, -1, -1};
    uint64_t reached = 0;
    int file = (int)(square & 7), rank = (int)(square >> 3);
    for (;;) {
        file += file_steps[direction];
        rank += rank_steps[direction];
        if ((file | rank) & ~7)
            return reached;
        const uint64_t next = pm_bit((unsigned)(rank << 3 | file));
        reached |= next;
        if (next & occupied)
            return reached;
    }
}

static inline uint64_t walk_line(unsigned square, enum line line, uint64_t occupied)
{
    return walk_ray(square, (enum direction)line, occupied) |
           walk_ray(square, (enum direction)(line + LINE_COUNT), occupied);
}

static inline uint64_t walk_rook(unsigned square, uint64_t occupied)
{
    return walk_line(square, FILE_LINE, occupied) | walk_line(square, RANK_LINE, occupied);
}

static inline uint64_t walk_bishop(unsigned square, uint64_t occupied)
{
    return walk_line(square, DIAGONAL, occupied) | walk_line(square, ANTIDIAGONAL, occupied);
}

/* The line without its two last squares: whether a piece stands there changes no attack. */
static inline uint64_t inner_line(unsigned square, enum line line)
{
    uint64_t up = walk_ray(square, (enum direction)line, 0);
    uint64_t down = walk_ray(square, (enum direction)(line + LINE_COUNT), 0);
    if (up)
        up ^= UINT64_C(1) << (63 - __builtin_clzll(up));
    return up | pm_without_lsb(down);
}

static inline uint64_t inner_rook_lines(unsigned square)
{
    return inner_line(square, FILE_LINE) | inner_line(square, RANK_LINE);
}

static inline uint64_t inner_bishop_lines(unsigned square)
{
    return inner_line(square, DIAGONAL) | inner_line(square, ANTIDIAGONAL);
}

#endif
