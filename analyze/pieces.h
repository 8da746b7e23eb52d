/* SPDX-License-Identifier: MIT */
/* The pieces of a position as sets of squares, and the squares they attack. For analysis only:
 * kernels have attack code of their own, and this one is checked against theirs. */
#ifndef PM_ANALYZE_PIECES_H
#define PM_ANALYZE_PIECES_H

#include "core/bits.h"
#include "core/board.h"

#include <string.h>

struct pm_pieces {
    const pm_piece *board;
    uint64_t of[PM_COLOR_COUNT]
               [8]; /* by enum pm_piece_type; [color][PM_NO_PIECE_TYPE]: all of it */
    uint64_t occupied;
};

#define PM_FILE_A 0x0101010101010101ULL
#define PM_FILE_H 0x8080808080808080ULL

/* A bit for each byte of eight that is not 0; a byte is at most 0x7F. */
static inline uint64_t pm_pieces_on_rank(const pm_piece *rank)
{
    uint64_t bytes;
    memcpy(&bytes, rank, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return ((bytes + 0x7F * PM_FILE_A) >> 7 & PM_FILE_A) * 0x0102040810204080ULL >> 56;
}

static inline struct pm_pieces pm_pieces_of(const struct pm_position *position)
{
    struct pm_pieces pieces = {.board = position->board};
    for (unsigned rank = 0; rank < 8; rank++)
        pieces.occupied |= pm_pieces_on_rank(position->board + 8 * rank) << 8 * rank;
    for (uint64_t rest = pieces.occupied; rest != 0; rest = pm_without_lsb(rest)) {
        const pm_piece piece = position->board[pm_lsb(rest)];
        pieces.of[pm_color_of(piece)][pm_type_of(piece)] |= rest & -rest;
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int type = PM_PAWN; type <= PM_KING; type++)
            pieces.of[color][PM_NO_PIECE_TYPE] |= pieces.of[color][type];
    return pieces;
}

/* What pawns of a color attack; turned round, where pawns of the other color attack from. */
static inline uint64_t pm_pawn_attacks(uint64_t pawns, enum pm_color color)
{
    const uint64_t west = pawns & ~PM_FILE_A;
    const uint64_t east = pawns & ~PM_FILE_H;
    return color == PM_WHITE ? west << 7 | east << 9 : west >> 9 | east >> 7;
}

static inline uint64_t pm_knight_attacks(uint64_t knights)
{
    const uint64_t one = (knights & ~PM_FILE_A) >> 1 | (knights & ~PM_FILE_H) << 1;
    const uint64_t two = (knights & ~(PM_FILE_A | PM_FILE_A << 1)) >> 2 |
                         (knights & ~(PM_FILE_H | PM_FILE_H >> 1)) << 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static inline uint64_t pm_king_attacks(uint64_t king)
{
    const uint64_t row = king | (king & ~PM_FILE_A) >> 1 | (king & ~PM_FILE_H) << 1;
    return (row | row << 8 | row >> 8) & ~king;
}

/* Both ways along a line up to and with the first pieces: the difference between the nearest above
 * and the nearest below is all ones between them ("obstruction difference", M. Hoffmann, 2007). */
static inline uint64_t pm_line_attacks(uint64_t line, uint64_t occupied, unsigned square)
{
    const uint64_t below = line & occupied & (pm_bit(square) - 1);
    const uint64_t above = line & occupied & ~(pm_bit(square) - 1) & ~pm_bit(square);
    const uint64_t nearest_below = 1ULL << (63 - __builtin_clzll(below | 1));
    const uint64_t nearest_above = above & -above;
    return line & (2 * nearest_above - nearest_below) & ~pm_bit(square);
}

static inline uint64_t pm_shifted_ranks(uint64_t set, int ranks)
{
    return ranks >= 0 ? set << 8 * ranks : set >> -8 * ranks;
}

static inline uint64_t pm_bishop_attacks(uint64_t occupied, unsigned square)
{
    const int file = (int)(square & 7), rank = (int)(square >> 3);
    const uint64_t rising = pm_shifted_ranks(0x8040201008040201ULL, rank - file);
    const uint64_t falling = pm_shifted_ranks(0x0102040810204080ULL, rank + file - 7);
    return pm_line_attacks(rising, occupied, square) | pm_line_attacks(falling, occupied, square);
}

static inline uint64_t pm_rook_attacks(uint64_t occupied, unsigned square)
{
    return pm_line_attacks(PM_FILE_A << (square & 7), occupied, square) |
           pm_line_attacks(0xFFULL << (square & 56), occupied, square);
}

/* What one piece attacks, not a pawn. */
static inline uint64_t pm_piece_attacks(enum pm_piece_type type, uint64_t occupied, unsigned square)
{
    switch (type) {
    case PM_KNIGHT:
        return pm_knight_attacks(pm_bit(square));
    case PM_BISHOP:
        return pm_bishop_attacks(occupied, square);
    case PM_ROOK:
        return pm_rook_attacks(occupied, square);
    case PM_QUEEN:
        return pm_bishop_attacks(occupied, square) | pm_rook_attacks(occupied, square);
    default:
        return pm_king_attacks(pm_bit(square));
    }
}

/* Sliders of both sides that see a square over the pieces that are left; taken ones too. */
static inline uint64_t pm_sliders_on(const struct pm_pieces *pieces, uint64_t occupied,
                                     unsigned square)
{
    const uint64_t *white = pieces->of[PM_WHITE], *black = pieces->of[PM_BLACK];
    const uint64_t queens = white[PM_QUEEN] | black[PM_QUEEN];
    return (pm_bishop_attacks(occupied, square) & (queens | white[PM_BISHOP] | black[PM_BISHOP])) |
           (pm_rook_attacks(occupied, square) & (queens | white[PM_ROOK] | black[PM_ROOK]));
}

/* Pawns, knights and kings of both sides that attack a square. */
static inline uint64_t pm_leapers_on(const struct pm_pieces *pieces, unsigned square)
{
    const uint64_t *white = pieces->of[PM_WHITE], *black = pieces->of[PM_BLACK];
    const uint64_t target = pm_bit(square);
    return (pm_pawn_attacks(target, PM_BLACK) & white[PM_PAWN]) |
           (pm_pawn_attacks(target, PM_WHITE) & black[PM_PAWN]) |
           (pm_knight_attacks(target) & (white[PM_KNIGHT] | black[PM_KNIGHT])) |
           (pm_king_attacks(target) & (white[PM_KING] | black[PM_KING]));
}

#endif
