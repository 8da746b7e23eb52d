/* SPDX-License-Identifier: MIT */
/* Their king's moves, for all landing squares of ours at once.
 *
 * Each square that the king might step to is a lane: the set of squares t such that the step is
 * legal once a piece of ours has landed on t. A lane depends on the lander's type only through the
 * squares from which that type would attack the lane's square. Eight lanes are eight words of one
 * vector, and counting, for each t, the lanes that hold t, is turning an 8 x 64 bit matrix and
 * counting bits. */
#ifndef PM_REPLY512_LANES_H
#define PM_REPLY512_LANES_H

#include "kernels/reply512/board.h"
#include "kernels/reply512/tables.h"

#include <immintrin.h>
#include <stdint.h>

/* A castling king has five neighbors, so lanes 5 and 6 are free for the two castlings. */
#define CASTLING_LANE 5

struct king_lanes {
    /* Landing squares after which another piece of ours still attacks the lane's square: all of
     * them in an unused lane; none if nothing attacks it; else those that do not block every
     * slider. */
    __m512i attacked;
    /* Squares from which a piece of that type would attack it; a queen's are a rook's and a
     * bishop's.
     */
    __m512i by[PM_PIECE_TYPE_COUNT];
    uint32_t steps;   /* the lanes that stand for steps, not castlings */
    uint32_t used;    /* those and castling lanes */
    uint64_t keepers; /* our sliders, and pieces before them, that the lanes depend on */
};

/* What the lanes are built from: the board, or the board with one of our pieces lifted. */
struct lane_view {
    uint64_t occupied;
    uint64_t straights, diagonals; /* our sliders */
    uint64_t steps;                /* squares that no piece of theirs stands on */
    uint64_t forbidden;            /* squares that our pawns, knights and king attack */
    uint64_t castlings;            /* rooks that their king may castle with but for attacks */
    uint64_t own;                  /* our pieces */
};

PM_ALWAYS_INLINE __m512i load(const void *lanes)
{
    return _mm512_load_si512(lanes);
}

/* What our sliders do to a square that their king may step on or cross. */
struct slider_hold {
    uint64_t attacked; /* landing squares not in the way of every attacker: it stays attacked */
    uint64_t keepers; /* the attackers, and pieces of ours that alone stand before another slider */
};

PM_ALWAYS_INLINE struct slider_hold slider_hold_on(const struct lane_view *view, unsigned square)
{
    const uint64_t aligned = (tables.rook_lines[square] & view->straights) |
                             (tables.bishop_lines[square] & view->diagonals);
    uint64_t blocking = ~0ULL, keepers = 0;
    for (uint64_t rest = aligned; rest; rest = pm_without_lsb(rest)) {
        const uint64_t way = tables.between[square][pm_lsb(rest)], pieces = way & view->occupied;
        const uint64_t alone = pm_without_lsb(pieces) ? 0 : pieces & view->own;
        blocking &= pieces ? ~0ULL : way;
        keepers |= pieces ? alone : rest & -rest;
    }
    return (struct slider_hold){~blocking, keepers};
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

/* ---- The lanes of castlings ---- */

/* One lane for both squares that a castling king crosses; it is also closed by landing in its way
 * or on its rook. */
PM_ALWAYS_INLINE void add_castling_lane(struct king_lanes *lanes, const struct lane_view *view,
                                        enum pm_color them, unsigned their_king, int queenside)
{
    const unsigned passed = queenside ? their_king - 1 : their_king + 1;
    const unsigned reached = queenside ? their_king - 2 : their_king + 2;
    const unsigned lane = CASTLING_LANE + (queenside ? 1U : 0U);
    /* The king's neighbors on its rank come before the three of the next rank, or after them. */
    const unsigned step = (queenside ? 0U : 1U) + (them == PM_WHITE ? 0U : 3U);
    if (!(lanes->used >> step & 1) || (view->forbidden >> reached & 1))
        return;
    const uint64_t rook_view = rook_attacks(reached, view->occupied);
    const uint64_t bishop_view = bishop_attacks(reached, view->occupied);
    const struct slider_hold hold = slider_hold_on(view, reached);
    const uint64_t attacked = lane_of(&lanes->attacked, step) | castling_way(them, queenside) |
                              (rank_of(them, 1) & (queenside ? FILE_A : FILE_H)) | hold.attacked;
    lanes->keepers |= hold.keepers;
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

NOINLINE void add_castling_lanes(struct king_lanes *lanes, const struct lane_view *view,
                                 enum pm_color them, unsigned their_king)
{
    if (view->castlings & FILE_H)
        add_castling_lane(lanes, view, them, their_king, 0);
    if (view->castlings & FILE_A)
        add_castling_lane(lanes, view, them, their_king, 1);
}

/* ---- The lanes of steps ---- */

/* The board turned over, so that what was above a square on its line is below it: a rank's squares
 * are mirrored, those of other lines change their ranks. */
PM_ALWAYS_INLINE __m512i turned(__m512i squares, enum line line)
{
    const __m512i mirror = _mm512_set1_epi64((long long)0x8040201008040201ULL);
    const __m512i swap = _mm512_set4_epi64(0x08090a0b0c0d0e0f, 0x0001020304050607,
                                           0x08090a0b0c0d0e0f, 0x0001020304050607);
    return line == LINE_RANK ? _mm512_gf2p8affine_epi64_epi8(squares, mirror, 0)
                             : _mm512_shuffle_epi8(squares, swap);
}

/* What all neighbors see along one of their lines at once: hyperbola quintessence. */
PM_ALWAYS_INLINE __m512i seen_along(const struct neighborhood *hood, enum line line,
                                    __m512i occupied)
{
    const __m512i square = load(hood->set), squares = load(hood->line[line]);
    const __m512i pieces = _mm512_and_si512(occupied, squares);
    const __m512i up = _mm512_sub_epi64(pieces, square);
    const __m512i down = turned(_mm512_sub_epi64(turned(pieces, line), turned(square, line)), line);
    return _mm512_ternarylogic_epi64(up, down, squares, 0x28); /* (up ^ down) & squares */
}

/* Those straight and diagonal squares of each lane that our sliders of that kind stand on. */
PM_ALWAYS_INLINE __m512i sliders_on(const struct lane_view *view, __m512i straight,
                                    __m512i diagonal)
{
    const __m512i straights = _mm512_set1_epi64((long long)view->straights);
    const __m512i diagonals = _mm512_set1_epi64((long long)view->diagonals);
    return _mm512_ternarylogic_epi64(_mm512_and_si512(straight, straights), diagonal, diagonals,
                                     0xf8); /* a | (b & c) */
}

/* The squares between each neighbor and its attacker, if it has only one. */
PM_ALWAYS_INLINE __m512i ways_of(__m512i attackers, const struct neighborhood *hood,
                                 const __m512i seen[LINE_COUNT])
{
    const __m512i square = load(hood->set);
    const __m512i low = _mm512_min_epu64(attackers, square);
    const __m512i high = _mm512_max_epu64(attackers, square);
    const __m512i range = _mm512_sub_epi64(high, _mm512_add_epi64(low, low));
    __m512i line = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (unsigned i = 0; i < LINE_COUNT; i++)
        line =
            _mm512_mask_or_epi64(line, _mm512_test_epi64_mask(seen[i], attackers), line, seen[i]);
    return _mm512_and_si512(range, line);
}

/* Pieces of ours that alone stand between a neighbor and one of our sliders. Where pieces stand on
 * both sides of a neighbor, and a slider behind one of them, both are taken: one too many does no
 * harm.
 */
PM_ALWAYS_INLINE __m512i pieces_before_sliders(const struct lane_view *view,
                                               const struct neighborhood *hood,
                                               const __m512i seen[LINE_COUNT], __m512i pieces)
{
    const __m512i through = _mm512_xor_si512(_mm512_set1_epi64((long long)view->occupied), pieces);
    __m512i found = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (unsigned i = 0; i < LINE_COUNT; i++) {
        const __m512i behind =
            _mm512_andnot_si512(seen[i], seen_along(hood, (enum line)i, through));
        const uint64_t sliders = i <= LINE_RANK ? view->straights : view->diagonals;
        found = _mm512_mask_ternarylogic_epi64(
            found, _mm512_test_epi64_mask(behind, _mm512_set1_epi64((long long)sliders)), seen[i],
            pieces, 0xf8); /* found | (seen & pieces) */
    }
    return found;
}

/* The lanes that our sliders may attack. */
struct slider_lanes {
    __m512i attacked, by_rook, by_bishop;
    uint64_t keepers;
};

/* All steps at once. No square stands in the way of two attackers. */
PM_ALWAYS_INLINE struct slider_lanes slider_lanes_of_several(const struct lane_view *view,
                                                             const struct neighborhood *hood,
                                                             __mmask8 steps, int with_keepers)
{
    const __m512i occupied = _mm512_set1_epi64((long long)view->occupied);
    struct slider_lanes lanes = {.keepers = 0};
    __m512i seen[LINE_COUNT];
#pragma GCC unroll 4
    for (unsigned i = 0; i < LINE_COUNT; i++)
        seen[i] = seen_along(hood, (enum line)i, occupied);
    lanes.by_rook = _mm512_or_si512(seen[LINE_FILE], seen[LINE_RANK]);
    lanes.by_bishop = _mm512_or_si512(seen[LINE_DIAGONAL], seen[LINE_ANTIDIAGONAL]);

    const __m512i attackers = sliders_on(view, lanes.by_rook, lanes.by_bishop);
    const __mmask8 any = _mm512_test_epi64_mask(attackers, attackers);
    const __mmask8 two =
        _mm512_test_epi64_mask(attackers, _mm512_sub_epi64(attackers, _mm512_set1_epi64(1)));
    const __m512i ways = ways_of(attackers, hood, seen);
    lanes.attacked = _mm512_maskz_set1_epi64((__mmask8)(two | ~steps), -1);
    lanes.attacked = _mm512_mask_ternarylogic_epi64(lanes.attacked, any & ~two & steps, ways, ways,
                                                    0x33); /* ~ways */
    if (!with_keepers)
        return lanes;

    __m512i keepers = attackers;
    const __m512i aligned = sliders_on(
        view, _mm512_or_si512(load(hood->line[LINE_FILE]), load(hood->line[LINE_RANK])),
        _mm512_or_si512(load(hood->line[LINE_DIAGONAL]), load(hood->line[LINE_ANTIDIAGONAL])));
    const __m512i pieces = _mm512_and_si512(_mm512_or_si512(lanes.by_rook, lanes.by_bishop),
                                            _mm512_set1_epi64((long long)view->own));
    const __mmask8 hidden = _mm512_mask_cmpneq_epi64_mask(steps, aligned, attackers);
    if (_mm512_mask_test_epi64_mask(hidden, pieces, pieces))
        keepers = _mm512_or_si512(keepers, pieces_before_sliders(view, hood, seen, pieces));
    lanes.keepers = (uint64_t)_mm512_mask_reduce_or_epi64(steps, keepers);
    return lanes;
}

/* One step, or none: sooner done square by square, and sooner known. */
PM_ALWAYS_INLINE struct slider_lanes
slider_lanes_of_one(const struct lane_view *view, const struct neighborhood *hood, uint32_t steps)
{
    struct slider_lanes lanes = {_mm512_set1_epi64(-1), _mm512_setzero_si512(),
                                 _mm512_setzero_si512(), 0};
    if (steps) {
        const unsigned lane = (unsigned)__builtin_ctz(steps), square = pm_lsb(hood->set[lane]);
        const struct slider_hold hold = slider_hold_on(view, square);
        lanes.attacked = with_lane(lanes.attacked, lane, hold.attacked);
        lanes.by_rook = with_lane(lanes.by_rook, lane, rook_attacks(square, view->occupied));
        lanes.by_bishop = with_lane(lanes.by_bishop, lane, bishop_attacks(square, view->occupied));
        lanes.keepers = hold.keepers;
    }
    return lanes;
}

PM_ALWAYS_INLINE void build_lanes(struct king_lanes *lanes, const struct lane_view *view,
                                  enum pm_color us, unsigned their_king, int with_keepers)
{
    const struct neighborhood *hood = &tables.neighborhood[their_king];
    const uint32_t steps =
        (uint32_t)_pext_u64(view->steps & ~view->forbidden, tables.king[their_king]);
    const struct slider_lanes sliders =
        pm_has_several(steps) ? slider_lanes_of_several(view, hood, (__mmask8)steps, with_keepers)
                              : slider_lanes_of_one(view, hood, steps);
    lanes->used = lanes->steps = steps;
    lanes->attacked = sliders.attacked;
    lanes->keepers = sliders.keepers;
    lanes->by[PM_ROOK] = sliders.by_rook;
    lanes->by[PM_BISHOP] = sliders.by_bishop;
    lanes->by[PM_KNIGHT] = load(hood->by_knight);
    lanes->by[PM_KING] = load(hood->by_king);
    lanes->by[PM_PAWN] = load(hood->by_pawn[us]);
    if (view->castlings)
        add_castling_lanes(lanes, view, opponent(us), their_king);
}

/* Squares from which a piece of this type would attack each lane's square. */
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

/* Their legal king moves for each square that a piece of this type may land on. */
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

/* The lanes that are not safe after a piece of this type has landed on `to`. */
PM_ALWAYS_INLINE uint32_t lanes_hit_from(const struct king_lanes *lanes, enum pm_piece_type type,
                                         uint64_t to)
{
    const __m512i unsafe = _mm512_or_si512(lanes->attacked, lanes_hit_by(lanes, type));
    return _mm512_test_epi64_mask(unsafe, _mm512_set1_epi64((long long)to));
}

#endif
