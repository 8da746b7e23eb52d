/* SPDX-License-Identifier: MIT */
/* Positions as they lie in lists and tables. A packed board has four planes: Black's pieces, and
 * three bits that tell what a piece is:
 *
 *     pawn 001, bishop 010, king 011, rook 100, knight 101, queen 110, rook that may castle 111
 *
 * The en passant square is set in Black's plane, where no piece is. A record holds a packed board
 * and its multiplicity: 32 bytes while at most 32 pieces are left, as the planes then shrink to the
 * occupied squares and the pawn that may be captured en passant gets the free code 000; else 40. */
#ifndef PM_PERFT_RECORD_H
#define PM_PERFT_RECORD_H

#include "core/after_move.h"
#include "core/bitboards.h"
#include "core/bits.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

struct pm_packed {
    uint64_t black, bit0, bit1, bit2;
};

struct pm_list_record {
    uint64_t occupied;
    uint32_t black, bit0, bit1, bit2;
    uint64_t multiplicity;
};

struct pm_wide_record {
    struct pm_packed packed;
    uint64_t multiplicity;
};

PM_ALWAYS_INLINE struct pm_packed pm_pack(const struct pm_bitboards *board)
{
    const uint64_t castling_rooks = board->rights & PM_BACK_RANKS;
    return (struct pm_packed){
        .black = board->pieces[PM_BLACK] | pm_en_passant_set(board),
        .bit0 = board->pawns | board->kings | board->knights | castling_rooks,
        .bit1 = board->diagonals | board->kings | castling_rooks,
        .bit2 = board->straights | board->knights,
    };
}

PM_ALWAYS_INLINE void pm_unpack(const struct pm_packed *packed, struct pm_bitboards *board)
{
    const uint64_t bit0 = packed->bit0, bit1 = packed->bit1, bit2 = packed->bit2;
    const uint64_t occupied = bit0 | bit1 | bit2, castling_rooks = bit0 & bit1 & bit2;
    board->pieces[PM_BLACK] = packed->black & occupied;
    board->pieces[PM_WHITE] = occupied & ~packed->black;
    board->pawns = bit0 & ~bit1 & ~bit2;
    board->knights = bit0 & ~bit1 & bit2;
    board->kings = bit0 & bit1 & ~bit2;
    board->diagonals = bit1 & ~bit0;
    board->straights = (bit2 & ~bit0) | castling_rooks;
    board->rights = castling_rooks | (packed->black & ~occupied);
}

PM_ALWAYS_INLINE bool pm_packed_equal(const struct pm_packed *a, const struct pm_packed *b)
{
    return ((a->black ^ b->black) | (a->bit0 ^ b->bit0) | (a->bit1 ^ b->bit1) |
            (a->bit2 ^ b->bit2)) == 0;
}

/* The bits of `set` on the squares of `squares`, moved together; and back. */
PM_ALWAYS_INLINE uint32_t pm_shrink(uint64_t set, uint64_t squares)
{
#ifdef __BMI2__
    return (uint32_t)_pext_u64(set, squares);
#else
    uint32_t bits = 0, bit = 1;
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest), bit <<= 1)
        bits |= set & rest & -rest ? bit : 0;
    return bits;
#endif
}
PM_ALWAYS_INLINE uint64_t pm_spread(uint32_t bits, uint64_t squares)
{
#ifdef __BMI2__
    return _pdep_u64(bits, squares);
#else
    uint64_t set = 0;
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest), bits >>= 1)
        set |= bits & 1 ? rest & -rest : 0;
    return set;
#endif
}

/* The pawn before an en passant square: it came from the side where that rank is the third. */
PM_ALWAYS_INLINE uint64_t pm_en_passant_pawn(uint64_t square)
{
    return square & 0xff0000ULL ? square << 8 : square >> 8;
}
PM_ALWAYS_INLINE uint64_t pm_square_behind(uint64_t pawn)
{
    return pawn & 0xff000000ULL ? pawn >> 8 : pawn << 8;
}

PM_ALWAYS_INLINE void pm_list_record_write(struct pm_list_record *record,
                                           const struct pm_packed *packed, uint64_t multiplicity)
{
    const uint64_t occupied = packed->bit0 | packed->bit1 | packed->bit2;
    const uint64_t en_passant = packed->black & ~occupied;
    const uint64_t pawn = en_passant ? pm_en_passant_pawn(en_passant) : 0;
    *record = (struct pm_list_record){
        .occupied = occupied,
        .black = pm_shrink(packed->black, occupied),
        .bit0 = pm_shrink(packed->bit0 ^ pawn, occupied),
        .bit1 = pm_shrink(packed->bit1, occupied),
        .bit2 = pm_shrink(packed->bit2, occupied),
        .multiplicity = multiplicity,
    };
}

PM_ALWAYS_INLINE struct pm_packed pm_list_record_read(const struct pm_list_record *record)
{
    const uint64_t occupied = record->occupied;
    struct pm_packed packed = {
        .black = pm_spread(record->black, occupied),
        .bit0 = pm_spread(record->bit0, occupied),
        .bit1 = pm_spread(record->bit1, occupied),
        .bit2 = pm_spread(record->bit2, occupied),
    };
    const uint64_t pawn = occupied & ~(packed.bit0 | packed.bit1 | packed.bit2);
    if (pawn) {
        packed.bit0 |= pawn;
        packed.black |= pm_square_behind(pawn);
    }
    return packed;
}

#endif
