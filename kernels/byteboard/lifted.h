/* SPDX-License-Identifier: MIT */
/* Our move, half played: a piece of ours is off its square, and what it kept from their pieces is
 * theirs. */
#ifndef PM_BYTEBOARD_LIFTED_H
#define PM_BYTEBOARD_LIFTED_H

#include "kernels/byteboard/parent.h"

/* The parent with our mover in the air. The pointers show what the parent holds for all its moves,
 * or, where this mover made a difference, its own copy. */
struct lifted {
    bytes pieces;
    uint64_t ours;
    const uint8_t *directions;
    const int8_t *pawn_change;
    unsigned mobility, pawn_moves;
    uint64_t occupied, attackers;
    bytes occupied_watched, attackers_watched;
    unsigned piece; /* what lands … */
    uint64_t lanes; /* … and attacks the center in these lanes */
    uint8_t own_directions[64] __attribute__((aligned(64)));
    int8_t own_pawn_change[64] __attribute__((aligned(64)));
};

/* All lanes of the rays whose bits are set. */
PM_ALWAYS_INLINE uint64_t lanes_of_rays(unsigned rays)
{
    return _pdep_u64(rays, NEAREST_LANES) * 0x7f;
}

/* One word a watched square: the lane of this square there. */
PM_ALWAYS_INLINE bytes lanes_watched(const struct parent *parent, unsigned square)
{
    const uint8_t *lanes = tables.watched_lanes[parent->their_king][square];
    return _mm512_sllv_epi64(_mm512_set1_epi64(1),
                             _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)lanes)));
}

/* Their sliders that see this square see what is behind it too, or no more: by whether a piece goes
 * or comes. */
PM_ALWAYS_INLINE void toggle_rays(struct lifted *lifted, enum pm_color us, unsigned square,
                                  int opens)
{
    const bytes around = look_from(square, lifted->pieces);
    const uint64_t behind = in_sight(pieces_on(around)) &
                            lanes_of_rays(lifted->directions[square]) & tables.on_board[square];
    const unsigned moves = pm_popcount(behind & ~pieces_of(around, opponent(us)));
    const bytes marks = _mm512_maskz_mov_epi8(behind, load_bytes(tables.ray_bit));
    _mm512_store_si512(lifted->own_directions,
                       _mm512_xor_si512(load_bytes(lifted->directions), to_squares(square, marks)));
    lifted->directions = lifted->own_directions;
    lifted->mobility += opens ? moves : -moves;
}

PM_ALWAYS_INLINE void renew_pawns(struct lifted *lifted, const struct parent *parent,
                                  enum pm_color us)
{
    lifted->pawn_moves = survey_pawns(lifted->own_pawn_change, opponent(us), parent->their_pawns,
                                      lifted->ours | parent->theirs, lifted->ours);
    lifted->pawn_change = lifted->own_pawn_change;
}

PM_ALWAYS_INLINE void start(struct lifted *lifted, const struct parent *parent)
{
    lifted->pieces = load_bytes(parent->board->piece);
    lifted->ours = parent->ours;
    lifted->directions = parent->directions;
    lifted->pawn_change = parent->pawn_change;
    lifted->mobility = parent->mobility;
    lifted->pawn_moves = parent->pawn_moves;
    lifted->occupied = parent->occupied;
    lifted->attackers = parent->attackers;
    lifted->occupied_watched = _mm512_load_si512(parent->occupied_watched);
    lifted->attackers_watched = _mm512_load_si512(parent->attackers_watched);
}

PM_ALWAYS_INLINE void lift(struct lifted *lifted, const struct parent *parent, enum pm_color us,
                           unsigned square)
{
    const uint64_t lane = tables.lane_bit[parent->their_king][square];
    const bytes lanes = lanes_watched(parent, square);
    const bytes knights = _mm512_set1_epi64((long long)KNIGHT_LANES);
    lifted->pieces = without(lifted->pieces, pm_bit(square));
    lifted->ours &= ~pm_bit(square);
    lifted->occupied = (lifted->occupied & ~lane) | KNIGHT_LANES;
    lifted->attackers &= ~lane;
    lifted->occupied_watched =
        _mm512_or_si512(_mm512_andnot_si512(lanes, lifted->occupied_watched), knights);
    lifted->attackers_watched = _mm512_andnot_si512(lanes, lifted->attackers_watched);
    if (lifted->directions[square])
        toggle_rays(lifted, us, square, 1);
    if (parent->pawn_fronts & pm_bit(square))
        renew_pawns(lifted, parent, us);
    else
        lifted->pawn_moves -= (unsigned)lifted->pawn_change[square];
}

PM_ALWAYS_INLINE void land_as(struct lifted *lifted, enum pm_color us, unsigned piece)
{
    lifted->piece = piece;
    lifted->lanes = piece & PAWN ? pawn_lanes(us) : reach(piece);
}

/* A piece comes down before another of ours does: the king in castling. */
PM_ALWAYS_INLINE void put_down(struct lifted *lifted, const struct parent *parent, enum pm_color us,
                               unsigned square)
{
    const uint64_t lane = tables.lane_bit[parent->their_king][square];
    const bytes lanes = lanes_watched(parent, square);
    const bytes attacks = _mm512_set1_epi64((long long)lifted->lanes);
    toggle_rays(lifted, us, square, 0);
    lifted->pieces = with(lifted->pieces, pm_bit(square), lifted->piece);
    lifted->ours |= pm_bit(square);
    lifted->occupied |= lane;
    lifted->attackers |= lane & lifted->lanes;
    lifted->occupied_watched = _mm512_or_si512(lifted->occupied_watched, lanes);
    lifted->attackers_watched =
        _mm512_or_si512(lifted->attackers_watched, _mm512_and_si512(lanes, attacks));
    renew_pawns(lifted, parent, us);
}

#endif
