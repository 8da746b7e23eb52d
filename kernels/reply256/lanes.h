/* SPDX-License-Identifier: MIT */
/* Their king's moves. Each step that is open to it is a lane: the set of squares t such that the
 * step is legal once a piece of ours has landed on t. A lane depends on the piece that lands only
 * through the squares from which that piece's type would attack the lane's square. */
#ifndef PM_REPLY256_LANES_H
#define PM_REPLY256_LANES_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/board.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>

#define MAX_LANES 10 /* eight steps or, for a king that may castle, five and two castlings */

struct lane {
    uint64_t square; /* of a step; empty for a castling */
    uint64_t open;   /* landings after which none of our other pieces attacks it: all if none does
                        now,   else those that block every slider that does */
    uint64_t hit_by[PM_PIECE_TYPE_COUNT]; /* squares from which a piece of that type attacks it */
};

struct lanes {
    unsigned count;
    struct lane lane[MAX_LANES];
};

/* What the lanes are built from: the board, or the board with one of our pieces lifted. */
struct siege {
    uint64_t occupied;
    uint64_t straights, diagonals; /* our sliders */
    uint64_t steps;                /* squares beside their king without a piece of theirs, and not
                                      attacked by our pawns, knights and king */
    uint64_t forbidden;            /* all squares that those attack */
    uint64_t castlings;            /* rooks that their king may castle with but for attacks */
};

/* Their castlings with an empty way. Standard ones only: the king on e8, the rook in its corner. */
#define KINGSIDE_WAY 0x6000000000000000ULL
#define QUEENSIDE_WAY 0x0e00000000000000ULL

PM_ALWAYS_INLINE uint64_t their_castlings(const struct board *board, uint64_t occupied)
{
    uint64_t rooks = board->rights & RANK(8);
    rooks &= occupied & KINGSIDE_WAY ? ~FILE_H : ~0ULL;
    rooks &= occupied & QUEENSIDE_WAY ? ~FILE_A : ~0ULL;
    return rooks;
}

/* Landings that leave a square unattacked by our sliders, given its views along lines. */
PM_ALWAYS_INLINE uint64_t open_landings(const struct siege *siege, unsigned square,
                                        uint64_t rook_view, uint64_t bishop_view)
{
    uint64_t open = ~0ULL;
    for (uint64_t rest = (rook_view & siege->straights) | (bishop_view & siege->diagonals); rest;
         rest = pm_without_lsb(rest))
        open &= tables.between[square][pm_lsb(rest)];
    return open;
}

/* Pieces of ours on whom the view from a square depends: sliders that attack it, and pieces that
 * stand before one that else would. */
PM_ALWAYS_INLINE uint64_t keepers_of(const struct siege *siege, unsigned square, uint64_t own,
                                     uint64_t rook_view, uint64_t bishop_view)
{
    const uint64_t straights = siege->straights, diagonals = siege->diagonals;
    uint64_t keepers = (rook_view & straights) | (bishop_view & diagonals);
    uint64_t behind = 0;
    if ((rook_view & own) && (tables.rook_lines[square] & straights))
        behind |= rook_attacks(square, siege->occupied ^ (rook_view & own)) & straights;
    if ((bishop_view & own) && (tables.bishop_lines[square] & diagonals))
        behind |= bishop_attacks(square, siege->occupied ^ (bishop_view & own)) & diagonals;
    for (uint64_t rest = behind & ~keepers; rest; rest = pm_without_lsb(rest))
        keepers |= tables.between[square][pm_lsb(rest)] & own;
    return keepers;
}

/* A lane for one square; returns its keepers among `own`. */
PM_ALWAYS_INLINE uint64_t add_step(struct lanes *lanes, const struct siege *siege, unsigned square,
                                   uint64_t own)
{
    const uint64_t rook_view = rook_attacks(square, siege->occupied);
    const uint64_t bishop_view = bishop_attacks(square, siege->occupied);
    struct lane *lane = &lanes->lane[lanes->count++];
    lane->square = pm_bit(square);
    lane->open = open_landings(siege, square, rook_view, bishop_view);
    lane->hit_by[PM_PAWN] = both_down(pm_bit(square));
    lane->hit_by[PM_KNIGHT] = tables.knight[square];
    lane->hit_by[PM_BISHOP] = bishop_view;
    lane->hit_by[PM_ROOK] = rook_view;
    lane->hit_by[PM_QUEEN] = rook_view | bishop_view;
    lane->hit_by[PM_KING] = tables.king[square];
    return own ? keepers_of(siege, square, own, rook_view, bishop_view) : 0;
}

/* One lane for both squares that a castling king crosses, of which `passed` is a step's; it is also
 * closed by landing in its way or on its rook. */
PM_ALWAYS_INLINE uint64_t add_castling(struct lanes *lanes, const struct siege *siege,
                                       const struct lane *passed, unsigned reached, uint64_t closed,
                                       uint64_t own)
{
    struct lane *lane = &lanes->lane[lanes->count];
    const uint64_t keepers = add_step(lanes, siege, reached, own);
    lane->square = 0;
    lane->open &= passed->open & ~closed;
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        lane->hit_by[type] |= passed->hit_by[type];
    return keepers;
}

/* Returns the pieces of `own` whose leaving changes a lane. */
PM_ALWAYS_INLINE uint64_t build_lanes(struct lanes *lanes, const struct siege *siege, uint64_t own)
{
    uint64_t keepers = 0;
    lanes->count = 0;
    for (uint64_t rest = siege->steps; rest; rest = pm_without_lsb(rest))
        keepers |= add_step(lanes, siege, pm_lsb(rest), own);
    if (!siege->castlings || lanes->count == 0)
        return keepers;
    /* The squares that are passed, d8 and f8, are the last among the king's steps. */
    const struct lane *last = &lanes->lane[lanes->count - 1];
    const uint64_t steps = siege->steps, reached = ~siege->forbidden;
    if ((siege->castlings & FILE_H) && (steps & 1ULL << 61) && (reached & 1ULL << 62))
        keepers |= add_castling(lanes, siege, last, 62, KINGSIDE_WAY | (RANK(8) & FILE_H), own);
    if ((siege->castlings & FILE_A) && (steps & 1ULL << 59) && (reached & 1ULL << 58))
        keepers |= add_castling(lanes, siege, steps & 1ULL << 61 ? last - 1 : last, 58,
                                QUEENSIDE_WAY | (RANK(8) & FILE_A), own);
    return keepers;
}

/* Their king's moves, summed over landings of one piece. */
PM_ALWAYS_INLINE uint64_t count_king_replies(const struct lanes *lanes, enum pm_piece_type type,
                                             uint64_t landings)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < lanes->count; i++)
        count += pm_popcount(landings & lanes->lane[i].open & ~lanes->lane[i].hit_by[type]);
    return count;
}

/* The same for all types of pieces. */
PM_ALWAYS_INLINE uint64_t count_all_king_replies(const struct lanes *lanes,
                                                 const struct landings by_type[])
{
    uint64_t ones = 0, twos = 0;
    for (unsigned i = 0; i < lanes->count; i++) {
        const struct lane *lane = &lanes->lane[i];
#pragma GCC unroll 6
        for (unsigned type = PM_PAWN; type <= PM_KING; type++) {
            const uint64_t safe = lane->open & ~lane->hit_by[type];
            ones += pm_popcount(by_type[type].ones & safe);
            twos += pm_popcount(by_type[type].twos & safe);
        }
    }
    return ones + 2 * twos;
}

/* Their king's moves if nothing landed: as if on its own square, which is in no lane's way. */
PM_ALWAYS_INLINE unsigned count_king_replies_now(const struct lanes *lanes, uint64_t their_king)
{
    unsigned count = 0;
    for (unsigned i = 0; i < lanes->count; i++)
        count += (lanes->lane[i].open & their_king) != 0;
    return count;
}

/* Their steps out of check, but to squares of theirs, after a piece of this type has landed on
 * `to`; `shadow` are squares behind the king as our sliders see it. */
PM_ALWAYS_INLINE unsigned count_king_escapes(const struct lanes *lanes, enum pm_piece_type type,
                                             uint64_t to, uint64_t shadow)
{
    unsigned count = 0;
    for (unsigned i = 0; i < lanes->count; i++) {
        const struct lane *lane = &lanes->lane[i];
        count += (lane->square & ~shadow) != 0 && (lane->open & ~lane->hit_by[type] & to) != 0;
    }
    return count;
}

/* Whether a slider of ours would look at some lane's square through this one. */
PM_ALWAYS_INLINE int in_sight_of_lanes(const struct lanes *lanes, uint64_t square)
{
    uint64_t sight = 0;
    for (unsigned i = 0; i < lanes->count; i++)
        sight |= lanes->lane[i].hit_by[PM_QUEEN];
    return (sight & square) != 0;
}

#endif
