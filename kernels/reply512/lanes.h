/* SPDX-License-Identifier: MIT */
/* Their king's moves, for all landing squares of ours at once.
 *
 * Each square that the king might step to is a lane: the set of squares t such that the step is
 * legal once a man of ours has landed on t. A lane depends on the lander's type only through the
 * squares from which that type would attack the lane's square. Eight lanes are eight words of one
 * vector, and counting, for each t, the lanes that hold t, is turning an 8 x 64 bit matrix and
 * counting bits. */
#ifndef PM_REPLY512_LANES_H
#define PM_REPLY512_LANES_H

#include "kernels/reply512/board.h"
#include "kernels/reply512/tables.h"

#include <immintrin.h>
#include <stdint.h>

/* A castling king has five neighbours, so lanes 5 and 6 are free for the two castlings. */
#define CASTLING_LANE 5

struct king_lanes {
    /* Landing squares after which another man of ours still attacks the lane's square: all of them
     * in an unused lane; none if nothing attacks it; else those that do not block every slider. */
    __m512i attacked;
    /* Squares from which a man of that type would attack it; a queen's are a rook's and a bishop's.
     */
    __m512i by[PM_PIECE_TYPE_COUNT];
    uint32_t steps; /* the lanes that stand for steps, not castlings */
    uint32_t used;  /* those and castling lanes */
};

/* What the lanes are built from: the board, or the board with one of our men lifted. */
struct lane_view {
    uint64_t occupied;
    uint64_t straights, diagonals; /* our sliders */
    uint64_t steps;                /* squares that no man of theirs stands on */
    uint64_t forbidden;            /* squares that our pawns, knights and king attack */
    uint64_t castlings;            /* rooks that their king may castle with but for attacks */
};

PM_ALWAYS_INLINE __m512i load(const void *lanes)
{
    return _mm512_load_si512(lanes);
}

/* Landing squares that leave `square` attacked by one of our sliders: those that do not stand in
 * the way of every attacker. */
PM_ALWAYS_INLINE uint64_t still_attacked(const struct lane_view *view, unsigned square,
                                         uint64_t rook_view, uint64_t bishop_view)
{
    const uint64_t attackers = (rook_view & view->straights) | (bishop_view & view->diagonals);
    if (!attackers)
        return 0;
    uint64_t blocking = ~0ULL;
    for (uint64_t rest = attackers; rest; rest = pm_without_lsb(rest))
        blocking &= tables.between[square][pm_lsb(rest)];
    return ~blocking;
}

/* Standard castlings only: the corner rooks of a side's castlings with an empty way. */
PM_ALWAYS_INLINE uint64_t castling_way(enum pm_color us, int queenside)
{
    return (queenside ? 0x0eULL : 0x60ULL) << (us == PM_WHITE ? 0 : 56);
}
PM_ALWAYS_INLINE uint64_t castlings_with_free_way(const struct board *board, enum pm_color us,
                                                  uint64_t occupied)
{
    uint64_t rooks = castling_rooks(board, us);
    if (!rooks)
        return 0;
    rooks &= occupied & castling_way(us, 0) ? FILE_A : ~0ULL;
    rooks &= occupied & castling_way(us, 1) ? FILE_H : ~0ULL;
    return rooks;
}

/* Vectors are filled in registers: the machine can't forward eight small stores to one wide load.
 */
PM_ALWAYS_INLINE __m512i with_lane(__m512i lanes, unsigned lane, uint64_t squares)
{
    return _mm512_mask_set1_epi64(lanes, (__mmask8)(1U << lane), (long long)squares);
}
PM_ALWAYS_INLINE uint64_t lane_of(const __m512i *lanes, unsigned lane)
{
    return ((const uint64_t *)lanes)[lane];
}

/* One lane for both squares that a castling king crosses; it is also closed by landing in its way
 * or on its rook. */
PM_ALWAYS_INLINE void add_castling_lane(struct king_lanes *lanes, const struct lane_view *view,
                                        enum pm_color them, unsigned their_king, int queenside)
{
    const unsigned passed = queenside ? their_king - 1 : their_king + 1;
    const unsigned reached = queenside ? their_king - 2 : their_king + 2;
    const unsigned lane = CASTLING_LANE + (queenside ? 1U : 0U);
    /* The king's neighbours on its rank come before the three of the next rank, or after them. */
    const unsigned step = (queenside ? 0U : 1U) + (them == PM_WHITE ? 0U : 3U);
    if (!(lanes->used >> step & 1) || (view->forbidden >> reached & 1))
        return;
    const uint64_t rook_view = rook_attacks(reached, view->occupied);
    const uint64_t bishop_view = bishop_attacks(reached, view->occupied);
    const uint64_t attacked = lane_of(&lanes->attacked, step) | castling_way(them, queenside) |
                              (rank_of(them, 1) & (queenside ? FILE_A : FILE_H)) |
                              still_attacked(view, reached, rook_view, bishop_view);
    __m512i *by = lanes->by;
    lanes->attacked = with_lane(lanes->attacked, lane, attacked);
    by[PM_ROOK] = with_lane(by[PM_ROOK], lane, lane_of(&by[PM_ROOK], step) | rook_view);
    by[PM_BISHOP] = with_lane(by[PM_BISHOP], lane, lane_of(&by[PM_BISHOP], step) | bishop_view);
    by[PM_KNIGHT] = with_lane(by[PM_KNIGHT], lane, tables.knight[passed] | tables.knight[reached]);
    by[PM_KING] = with_lane(by[PM_KING], lane, tables.king[passed] | tables.king[reached]);
    by[PM_PAWN] =
        with_lane(by[PM_PAWN], lane, tables.pawn[them][passed] | tables.pawn[them][reached]);
    lanes->used |= 1U << lane;
}

PM_ALWAYS_INLINE void build_lanes(struct king_lanes *lanes, const struct lane_view *view,
                                  enum pm_color us, unsigned their_king)
{
    const struct neighbourhood *hood = &tables.neighbourhood[their_king];
    __m512i attacked = _mm512_set1_epi64(-1);
    __m512i by_rook = _mm512_setzero_si512(), by_bishop = by_rook;
    lanes->used = lanes->steps =
        (uint32_t)_pext_u64(view->steps & ~view->forbidden, tables.king[their_king]);
    for (uint32_t rest = lanes->steps; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest), square = hood->square[lane];
        const uint64_t rook_view = rook_attacks(square, view->occupied);
        const uint64_t bishop_view = bishop_attacks(square, view->occupied);
        by_rook = with_lane(by_rook, lane, rook_view);
        by_bishop = with_lane(by_bishop, lane, bishop_view);
        attacked = with_lane(attacked, lane, still_attacked(view, square, rook_view, bishop_view));
    }
    lanes->attacked = attacked;
    lanes->by[PM_ROOK] = by_rook;
    lanes->by[PM_BISHOP] = by_bishop;
    lanes->by[PM_KNIGHT] = load(hood->by_knight);
    lanes->by[PM_KING] = load(hood->by_king);
    lanes->by[PM_PAWN] = load(hood->by_pawn[us]);
    if (view->castlings & FILE_H)
        add_castling_lane(lanes, view, opponent(us), their_king, 0);
    if (view->castlings & FILE_A)
        add_castling_lane(lanes, view, opponent(us), their_king, 1);
}

/* Squares from which a man of this type would attack each lane's square. */
PM_ALWAYS_INLINE __m512i lanes_hit_by(const struct king_lanes *lanes, enum pm_piece_type type)
{
    const __m512i bishop = lanes->by[PM_BISHOP], rook = lanes->by[PM_ROOK];
    return type == PM_QUEEN ? _mm512_or_si512(bishop, rook) : lanes->by[type];
}

/* For each square the number of lanes that hold it: gather the lanes' bytes of the same rank into
 * one word, turn each word as an 8 x 8 bit matrix (an affine transformation of the identity),
 * count. */
PM_ALWAYS_INLINE __m512i count_lanes(__m512i lanes)
{
    /* Byte 8 i + j comes from byte 8 j + i. */
    const __m512i same_rank = _mm512_set_epi64(
        0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
        0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
    const __m512i identity = _mm512_set1_epi64((long long)0x8040201008040201ULL);
    return _mm512_popcnt_epi8(
        _mm512_gf2p8affine_epi64_epi8(identity, _mm512_permutexvar_epi8(same_rank, lanes), 0));
}

/* Their legal king moves for each square that a man of this type may land on. */
PM_ALWAYS_INLINE __m512i count_king_replies(const struct king_lanes *lanes, enum pm_piece_type type)
{
    const __m512i attacked = lanes->attacked, hit = lanes_hit_by(lanes, type);
    return count_lanes(_mm512_ternarylogic_epi64(attacked, hit, hit, 0x03)); /* neither */
}

/* Their legal king moves if nothing landed anywhere: as if on the king's own square, which is in no
 * lane's way. */
PM_ALWAYS_INLINE unsigned count_king_replies_now(const struct king_lanes *lanes,
                                                 uint64_t their_king)
{
    return pm_popcount(
        _mm512_testn_epi64_mask(lanes->attacked, _mm512_set1_epi64((long long)their_king)));
}

/* Whether a slider of ours would look at some lane's square through this one. */
PM_ALWAYS_INLINE int in_sight_of_lanes(const struct king_lanes *lanes, uint64_t square)
{
    const __m512i sight = _mm512_or_si512(lanes->by[PM_ROOK], lanes->by[PM_BISHOP]);
    return (_mm512_test_epi64_mask(sight, _mm512_set1_epi64((long long)square)) & lanes->used) != 0;
}

/* The lanes that are not safe after a man of this type has landed on `to`. */
PM_ALWAYS_INLINE uint32_t lanes_hit_from(const struct king_lanes *lanes, enum pm_piece_type type,
                                         uint64_t to)
{
    const __m512i unsafe = _mm512_or_si512(lanes->attacked, lanes_hit_by(lanes, type));
    return _mm512_test_epi64_mask(unsafe, _mm512_set1_epi64((long long)to));
}

#endif
