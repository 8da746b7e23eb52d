/* SPDX-License-Identifier: MIT */
/* The board as one square sees it. A permutation puts the squares of its eight rays and its eight
 * knight's jumps into the 64 bytes of a register, its lanes:
 *
 *   lane 8 * ray + 0 … 6   the square at distance 1 … 7 on that ray (north, then clockwise)
 *   lane 8 * ray + 7       a knight's jump
 *
 * A set of lanes is a uint64_t with one byte a ray, nearest square first, so that one subtraction
 * in all bytes finds the first piece of each ray. */
#ifndef PM_BYTEBOARD_RAYS_H
#define PM_BYTEBOARD_RAYS_H

#include "kernels/byteboard/board.h"

#define NEAREST_LANES 0x0101010101010101ULL /* where a king steps */
#define KNIGHT_LANES 0x8080808080808080ULL
#define STRAIGHT_LANES 0x007f007f007f007fULL
#define DIAGONAL_LANES 0x7f007f007f007f00ULL
#define RAY_LANES (STRAIGHT_LANES | DIAGONAL_LANES)
#define NO_LANE 71 /* beyond 63; as an index of a permutation, which looks at six bits, lane 7 */

/* What a castling asks for. */
struct castling_path {
    uint64_t empty;   /* squares without pieces, king and rook aside */
    uint64_t safe;    /* squares that must not be attacked, king and rook lifted */
    uint64_t watched; /* those of them among the king's watched squares: bits of their numbers … */
    uint64_t unwatched; /* … and the others */
};

static struct {
    uint8_t square_of[64][64]
        __attribute__((aligned(64))); /* [center][lane]; over the edge: center */
    uint8_t lane_of[64][64] __attribute__((aligned(64))); /* [center][square], or NO_LANE */
    /* [king][ray]: the squares to watch, those beside the king. Over the edge there is nothing to
     * watch, so a king on e1 or e8 has his castlings' targets there. */
    uint8_t watched[64][8];
    /* [king][square][ray]: the lane of that square around the watched one */
    uint8_t watched_lanes[64][64][8] __attribute__((aligned(64)));
    uint64_t lane_bit[64][64]; /* [center][square]: 0 for a square without a lane */
    uint64_t on_board[64];     /* lanes that are not over the edge */
    uint64_t seen[64];         /* squares that have a lane */
    uint64_t ray[64][8];       /* squares */
    uint8_t square[64] __attribute__((aligned(64)));  /* each byte its number */
    uint8_t ray_bit[64] __attribute__((aligned(64))); /* [lane]: 1 << ray; 0 for knights' lanes */
    uint8_t attacker[2][64]
        __attribute__((aligned(64)));                 /* [color][lane]: who attacks the center */
    uint8_t officer[64] __attribute__((aligned(64))); /* the same without pawns and kings */
    struct castling_path castling[2][8][8];           /* [color][king's file][rook's file] */
} tables;

/* Lanes in which a piece of that byte can move on an empty board; for a pawn none. */
PM_ALWAYS_INLINE uint64_t reach(unsigned piece)
{
    static const uint64_t lanes[32] = {
        [KNIGHT] = KNIGHT_LANES,           [DIAGONAL] = DIAGONAL_LANES, [STRAIGHT] = STRAIGHT_LANES,
        [DIAGONAL | STRAIGHT] = RAY_LANES, [KING] = NEAREST_LANES,
    };
    return lanes[piece & 31];
}

/* Lanes from which a pawn attacks the center: white pawns stand south of it. */
PM_ALWAYS_INLINE uint64_t pawn_lanes(enum pm_color us)
{
    return us == PM_WHITE ? 1ULL << 3 * 8 | 1ULL << 5 * 8 : 1ULL << 1 * 8 | 1ULL << 7 * 8;
}

PM_ALWAYS_INLINE bytes look_from(unsigned center, bytes board)
{
    return _mm512_permutexvar_epi8(load_bytes(tables.square_of[center]), board);
}

/* Of bytes a lane, the same a square; squares without a lane get what lane 7 holds. */
PM_ALWAYS_INLINE bytes to_squares(unsigned center, bytes lanes)
{
    return _mm512_permutexvar_epi8(load_bytes(tables.lane_of[center]), lanes);
}

/* Lanes on the board as a set of squares. */
PM_ALWAYS_INLINE uint64_t squares_of(unsigned center, uint64_t lanes)
{
    return _mm512_movepi8_mask(to_squares(center, _mm512_movm_epi8(lanes))) & tables.seen[center];
}

/* Each ray up to and with its first piece; the knight's lanes of rays without one. */
PM_ALWAYS_INLINE uint64_t in_sight(uint64_t occupied)
{
    const uint64_t stops = occupied | KNIGHT_LANES;
    return stops ^ (stops - NEAREST_LANES);
}

/* Pieces of `by` in lanes from which they attack the center if nothing stands between. */
PM_ALWAYS_INLINE uint64_t could_attack(unsigned center, bytes around, enum pm_color by)
{
    const uint64_t capable = _mm512_test_epi8_mask(around, load_bytes(tables.attacker[by]));
    return pieces_of(around, by) & capable & tables.on_board[center];
}

PM_ALWAYS_INLINE int is_attacked(bytes board, unsigned square, enum pm_color by)
{
    const bytes around = look_from(square, board);
    return ((in_sight(pieces_on(around)) | KNIGHT_LANES) & could_attack(square, around, by)) != 0;
}

/* ---- Filling the tables ---- */

static int step(int square, int east, int north)
{
    const int file = (square & 7) + east, rank = (square >> 3) + north;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : rank * 8 + file;
}

static void set_lane(unsigned center, unsigned lane, int square)
{
    tables.square_of[center][lane] = (uint8_t)(square < 0 ? (int)center : square);
    if (square < 0)
        return;
    tables.lane_of[center][square] = (uint8_t)lane;
    tables.lane_bit[center][square] = pm_bit(lane);
    tables.on_board[center] |= pm_bit(lane);
    tables.seen[center] |= pm_bit((unsigned)square);
    if (lane % 8 != 7)
        tables.ray[center][lane / 8] |= pm_bit((unsigned)square);
}

static void build_lanes(unsigned center)
{
    static const int8_t ways[8][2] = {{0, 1},  {1, 1},   {1, 0},  {1, -1},
                                      {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}};
    static const int8_t jumps[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                       {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    for (unsigned square = 0; square < 64; square++)
        tables.lane_of[center][square] = NO_LANE;
    for (unsigned ray = 0; ray < 8; ray++) {
        for (int distance = 1; distance <= 7; distance++)
            set_lane(center, 8 * ray + (unsigned)distance - 1,
                     step((int)center, ways[ray][0] * distance, ways[ray][1] * distance));
        set_lane(center, 8 * ray + 7, step((int)center, jumps[ray][0], jumps[ray][1]));
    }
}

static void build_watched(unsigned king)
{
    uint8_t *watched = tables.watched[king];
    for (unsigned ray = 0; ray < 8; ray++)
        watched[ray] = tables.square_of[king][8 * ray];
    if (king == 4) {
        watched[3] = 6;
        watched[5] = 2;
    } else if (king == 60) {
        watched[1] = 62;
        watched[7] = 58;
    }
    for (unsigned ray = 0; ray < 8; ray++)
        for (unsigned square = 0; square < 64; square++)
            tables.watched_lanes[king][square][ray] = tables.lane_of[watched[ray]][square];
}

static void build_attackers(void)
{
    for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned straight = lane / 8 % 2 == 0;
        tables.square[lane] = (uint8_t)lane;
        const unsigned officer = lane % 8 == 7 ? KNIGHT : straight ? STRAIGHT : DIAGONAL;
        tables.ray_bit[lane] = (uint8_t)(lane % 8 == 7 ? 0 : 1U << lane / 8);
        tables.officer[lane] = (uint8_t)officer;
        for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
            unsigned pieces = officer;
            if (lane % 8 == 0)
                pieces |= KING;
            if (pawn_lanes((enum pm_color)color) & pm_bit(lane))
                pieces |= PAWN;
            tables.attacker[color][lane] = (uint8_t)pieces;
        }
    }
}

/* The squares from one to the other, both included, on one rank. */
static uint64_t stretch(unsigned a, unsigned b)
{
    const unsigned low = a < b ? a : b, high = a < b ? b : a;
    return (pm_bit(high) << 1) - pm_bit(low);
}

/* A rook in the corner has nobody behind it, so attacks on the squares watched around the king may
 * be looked up with the rook in its place. */
static void build_castling(unsigned color, unsigned king_file, unsigned rook_file)
{
    const unsigned rank = color == PM_WHITE ? 0 : 56, king = rank + king_file,
                   rook = rank + rook_file, king_to = castled_king(king, rook);
    struct castling_path *path = &tables.castling[color][king_file][rook_file];
    path->empty = (stretch(king, king_to) | stretch(rook, castled_rook(king, rook))) &
                  ~(pm_bit(king) | pm_bit(rook));
    path->safe = path->unwatched = stretch(king, king_to);
    if (rook_file != 0 && rook_file != 7)
        return;
    path->unwatched &= ~pm_bit(king);
    for (unsigned ray = 0; ray < 8; ray++) {
        const uint64_t watched = pm_bit(tables.watched[king][ray]) & ~pm_bit(king);
        if (path->unwatched & watched)
            path->watched |= pm_bit(ray);
        path->unwatched &= ~watched;
    }
}

static void build_tables(void)
{
    for (unsigned square = 0; square < 64; square++)
        build_lanes(square);
    for (unsigned square = 0; square < 64; square++)
        build_watched(square);
    build_attackers();
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned king = 0; king < 8; king++)
            for (unsigned rook = 0; rook < 8; rook++)
                build_castling(color, king, rook);
}

#endif
