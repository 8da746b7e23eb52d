/* SPDX-License-Identifier: MIT */
/* Magics of one shift for all squares, whose stretches of the table overlap: an entry serves two
 * squares if both have the same attacks there, or if one leaves it free. The numbers and places
 * were found by find_black.c. */
#ifndef PM_KERNELS_SLIDERS_MAGIC_BLACK_H
#define PM_KERNELS_SLIDERS_MAGIC_BLACK_H

#include "kernels/sliders/black_numbers.h"
#include "kernels/sliders/rays.h"

#define TECHNIQUE "black magic: fixed shift, overlapping tables"
#define REFERENCE "Volker Annuss and Onno Garms (Chess Programming Wiki: fixed shift, black magic)"
#define CPU_REQUIRED 0
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(rook_magics) + sizeof(bishop_magics) + sizeof(attack_sets))

enum { ROOK_BITS = 12, BISHOP_BITS = 9 };

struct magic {
    uint64_t outside; /* all squares but those whose pieces matter */
    uint64_t factor;
    const uint64_t *sets;
};

static struct magic rook_magics[64], bishop_magics[64];
static uint64_t attack_sets[BLACK_SETS];

static inline void build_magic(struct magic *magic, unsigned square, unsigned bits, uint64_t mask,
                               uint64_t (*walk)(unsigned, uint64_t),
                               const struct black_number *number)
{
    uint64_t *const sets = &attack_sets[number->offset];
    uint64_t occupied = 0;
    *magic = (struct magic){.outside = ~mask, .factor = number->factor, .sets = sets};
    do {
        sets[(occupied | ~mask) * number->factor >> (64 - bits)] = walk(square, occupied);
        occupied = (occupied - mask) & mask;
    } while (occupied);
}

static inline void build_technique(void)
{
    for (unsigned square = 0; square < 64; square++) {
        build_magic(&rook_magics[square], square, ROOK_BITS, inner_rook_lines(square), walk_rook,
                    &black_rooks[square]);
        build_magic(&bishop_magics[square], square, BISHOP_BITS, inner_bishop_lines(square),
                    walk_bishop, &black_bishops[square]);
    }
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    const struct magic *const magic = &rook_magics[square];
    return magic->sets[(occupied | magic->outside) * magic->factor >> (64 - ROOK_BITS)];
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const struct magic *const magic = &bishop_magics[square];
    return magic->sets[(occupied | magic->outside) * magic->factor >> (64 - BISHOP_BITS)];
}

#include "kernels/sliders/queen.h"

#endif
