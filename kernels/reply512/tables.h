/* SPDX-License-Identifier: MIT */
/* Tables of what depends on squares alone. Sliding attacks are indexed by PEXT: the bits of the
 * occupied squares on a slider's lines, gathered into a small number. */
#ifndef PM_REPLY512_TABLES_H
#define PM_REPLY512_TABLES_H

#include "core/bits.h"
#include "core/board.h"

#include <immintrin.h>
#include <stdint.h>

#define SLIDER_ENTRIES 107648 /* 102400 of rooks, 5248 of bishops */
#define DIRECTION_COUNT 8     /* 0 to 3 straight, 4 to 7 diagonal; d ^ 1 is the opposite of d */
#define FIRST_DIAGONAL 4
#define MAX_NEIGHBORS 8

enum line { LINE_FILE, LINE_RANK, LINE_DIAGONAL, LINE_ANTIDIAGONAL, LINE_COUNT };

struct slider_lookup {
    const uint64_t *attacks;
    uint64_t mask;
};

/* Castling of a king and a rook given by their files: what must be empty but for the two, and what
 * the king passes or reaches. */
struct castling_path {
    uint64_t empty, safe;
};

/* The neighbors of a king's square in the order of their bits, and for each of them the squares
 * from which a piece would attack it. Unused places are empty. */
struct neighborhood {
    uint64_t by_knight[MAX_NEIGHBORS];
    uint64_t by_king[MAX_NEIGHBORS];
    uint64_t by_pawn[PM_COLOR_COUNT][MAX_NEIGHBORS]; /* of that color */
    uint64_t set[MAX_NEIGHBORS];                     /* the neighbor */
    uint64_t line[LINE_COUNT][MAX_NEIGHBORS];        /* through it, without it */
} __attribute__((aligned(64)));

static struct {
    uint64_t ray[PM_SQUARE_COUNT][DIRECTION_COUNT];      /* of an empty board */
    uint8_t distance[PM_SQUARE_COUNT][PM_SQUARE_COUNT];  /* in king steps; 0 if not on one line */
    uint8_t direction[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* from first to second, times 8 */
    struct neighborhood neighborhood[PM_SQUARE_COUNT];
    struct slider_lookup rook[PM_SQUARE_COUNT], bishop[PM_SQUARE_COUNT];
    uint64_t rook_lines[PM_SQUARE_COUNT], bishop_lines[PM_SQUARE_COUNT]; /* of an empty board */
    uint64_t king[PM_SQUARE_COUNT], knight[PM_SQUARE_COUNT];
    uint64_t pawn[PM_COLOR_COUNT][PM_SQUARE_COUNT];     /* what a pawn of that color attacks */
    uint64_t between[PM_SQUARE_COUNT][PM_SQUARE_COUNT]; /* strictly; empty if not on one line */
    uint64_t line[PM_SQUARE_COUNT][PM_SQUARE_COUNT];    /* from rim to rim through both; or empty */
    struct castling_path castling[PM_COLOR_COUNT][8][8];
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

/* The ray from one square through another on the same line, to the rim. */
PM_ALWAYS_INLINE uint64_t ray_through(unsigned from, unsigned through)
{
    return tables.ray[from][tables.direction[from][through] / 8];
}
PM_ALWAYS_INLINE uint64_t ray_away_from(unsigned from, unsigned away_from)
{
    return tables.ray[from][(tables.direction[from][away_from] / 8) ^ 1];
}

static const int file_step[DIRECTION_COUNT] = {0, 0, 1, -1, 1, -1, 1, -1};
static const int rank_step[DIRECTION_COUNT] = {1, -1, 0, 0, 1, -1, -1, 1};

/* The square some steps away as a set; empty beyond the rim. */
static uint64_t shifted(unsigned square, int files, int ranks)
{
    const int file = (int)(square & 7) + files, rank = (int)(square >> 3) + ranks;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? 0 : pm_bit((unsigned)(rank * 8 + file));
}

static uint64_t next_on_ray(unsigned square, unsigned direction)
{
    return shifted(square, file_step[direction], rank_step[direction]);
}

/* The squares of a ray up to and including the first occupied one. */
static uint64_t walk_ray(unsigned square, unsigned direction, uint64_t occupied)
{
    uint64_t ray = 0;
    for (uint64_t next = next_on_ray(square, direction); next;
         next = next & occupied ? 0 : next_on_ray(pm_lsb(next), direction))
        ray |= next;
    return ray;
}

/* Four rays from `first` on. */
static uint64_t walk_rays(unsigned square, unsigned first, uint64_t occupied)
{
    uint64_t rays = 0;
    for (unsigned direction = first; direction < first + 4; direction++)
        rays |= walk_ray(square, direction, occupied);
    return rays;
}

static void fill_rays(unsigned square)
{
    for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++) {
        tables.ray[square][direction] = walk_ray(square, direction, 0);
        uint64_t passed = 0;
        uint8_t distance = 1;
        for (uint64_t next = next_on_ray(square, direction); next; distance++) {
            const unsigned other = pm_lsb(next);
            tables.distance[square][other] = distance;
            tables.direction[square][other] = (uint8_t)(8 * direction);
            tables.between[square][other] = passed;
            tables.line[square][other] = walk_ray(square, direction, 0) | pm_bit(square) |
                                         walk_ray(square, direction ^ 1, 0);
            passed |= next;
            next = next_on_ray(other, direction);
        }
    }
    tables.rook_lines[square] = walk_rays(square, 0, 0);
    tables.bishop_lines[square] = walk_rays(square, FIRST_DIAGONAL, 0);
}

static void fill_leapers(unsigned square)
{
    tables.king[square] = tables.knight[square] = 0;
    for (int files = -2; files <= 2; files++)
        for (int ranks = -2; ranks <= 2; ranks++) {
            const int distance = files * files + ranks * ranks;
            if (distance == 1 || distance == 2)
                tables.king[square] |= shifted(square, files, ranks);
            if (distance == 5)
                tables.knight[square] |= shifted(square, files, ranks);
        }
    tables.pawn[PM_WHITE][square] = shifted(square, -1, 1) | shifted(square, 1, 1);
    tables.pawn[PM_BLACK][square] = shifted(square, -1, -1) | shifted(square, 1, -1);
}

/* Needs the leapers of all squares. */
static void fill_neighborhood(unsigned square)
{
    struct neighborhood *hood = &tables.neighborhood[square];
    unsigned i = 0;
    for (uint64_t rest = tables.king[square]; rest; i++) {
        const unsigned neighbor = pm_pop_lsb(&rest);
        hood->set[i] = pm_bit(neighbor);
        for (unsigned line = 0; line < LINE_COUNT; line++)
            hood->line[line][i] =
                tables.ray[neighbor][2 * line] | tables.ray[neighbor][2 * line + 1];
        hood->by_knight[i] = tables.knight[neighbor];
        hood->by_king[i] = tables.king[neighbor];
        hood->by_pawn[PM_WHITE][i] = tables.pawn[PM_BLACK][neighbor];
        hood->by_pawn[PM_BLACK][i] = tables.pawn[PM_WHITE][neighbor];
    }
}

/* Fills the attacks of one slider for every set of pieces on its lines (the last square of a ray
 * needs no piece to end it); returns where the next slider's begin. */
static uint64_t *fill_slider(struct slider_lookup *lookup, unsigned square, unsigned first,
                             uint64_t *attacks)
{
    uint64_t mask = 0;
    for (unsigned direction = first; direction < first + 4; direction++)
        for (uint64_t rest = walk_ray(square, direction, 0); rest;) {
            const unsigned other = pm_pop_lsb(&rest);
            if (next_on_ray(other, direction))
                mask |= pm_bit(other);
        }
    *lookup = (struct slider_lookup){attacks, mask};
    const uint64_t count = pm_bit(pm_popcount(mask));
    for (uint64_t index = 0; index < count; index++)
        attacks[index] = walk_rays(square, first, _pdep_u64(index, mask));
    return attacks + count;
}

/* The squares of the first rank from one file to another, both included. */
static uint64_t first_rank_span(unsigned from, unsigned to)
{
    const unsigned low = from < to ? from : to, high = from < to ? to : from;
    return (2ULL << high) - (1ULL << low);
}

static void fill_castling(unsigned king, unsigned rook)
{
    const uint64_t safe = first_rank_span(king, rook > king ? 6 : 2);
    const uint64_t passed = safe | first_rank_span(rook, rook > king ? 5 : 3);
    const uint64_t empty = passed & ~(pm_bit(king) | pm_bit(rook));
    tables.castling[PM_WHITE][king][rook] = (struct castling_path){empty, safe};
    tables.castling[PM_BLACK][king][rook] = (struct castling_path){empty << 56, safe << 56};
}

static void fill_tables(void)
{
    uint64_t *attacks = tables.attacks;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        fill_rays(square);
        fill_leapers(square);
        fill_castling(square >> 3, square & 7);
        attacks = fill_slider(&tables.rook[square], square, 0, attacks);
        attacks = fill_slider(&tables.bishop[square], square, FIRST_DIAGONAL, attacks);
    }
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        fill_neighborhood(square);
}

#endif
