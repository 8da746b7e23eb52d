/* SPDX-License-Identifier: MIT */
/* The board: 64 bytes, a1 first, which fit one AVX-512 register; and what moves do to it. */
#ifndef PM_BYTEBOARD_BOARD_H
#define PM_BYTEBOARD_BOARD_H

#include "core/bits.h"
#include "core/board.h"

#include <immintrin.h>
#include <stdint.h>

/* A square's byte: one bit for each way of moving, one for the color; 0 is an empty square. A
 * queen has two ways of moving. One test against a mask asks all 64 squares whether they hold such
 * pieces. */
#define PAWN 0x01U
#define KNIGHT 0x02U
#define DIAGONAL 0x04U
#define STRAIGHT 0x08U
#define KING 0x10U
#define BLACK 0x40U
#define WHITE 0x80U

typedef __m512i bytes; /* one byte a square, or one a lane (rays.h) */

struct board {
    uint8_t piece[PM_SQUARE_COUNT] __attribute__((aligned(64)));
    uint64_t castling;   /* the rooks that may still castle */
    uint64_t en_passant; /* the square that a pawn just passed, if an enemy pawn attacks it */
};

enum move_kind { ORDINARY, DOUBLE_PUSH, EN_PASSANT, CASTLING };

struct move {
    uint8_t from, to; /* castling: the squares of king and rook */
    uint8_t piece;    /* what stands on `to` afterwards: a promoted piece, not the pawn */
    uint8_t kind;
};

#define FILE_A 0x0101010101010101ULL
#define FILE_H 0x8080808080808080ULL
#define BACK_RANKS 0xff000000000000ffULL

PM_ALWAYS_INLINE enum pm_color opponent(enum pm_color us)
{
    return us == PM_WHITE ? PM_BLACK : PM_WHITE;
}
PM_ALWAYS_INLINE unsigned color_bit(enum pm_color us)
{
    return us == PM_WHITE ? WHITE : BLACK;
}

PM_ALWAYS_INLINE bytes load_bytes(const uint8_t *from)
{
    return _mm512_load_si512(from);
}
PM_ALWAYS_INLINE bytes all_bytes(unsigned value)
{
    return _mm512_set1_epi8((char)value);
}
/* The bytes that have one of these bits. */
PM_ALWAYS_INLINE uint64_t bytes_with(bytes board, unsigned bits)
{
    return _mm512_test_epi8_mask(board, all_bytes(bits));
}
PM_ALWAYS_INLINE uint64_t pieces_of(bytes board, enum pm_color us)
{
    return us == PM_WHITE ? _mm512_movepi8_mask(board) : bytes_with(board, BLACK);
}
PM_ALWAYS_INLINE uint64_t pieces_on(bytes board)
{
    return _mm512_test_epi8_mask(board, board);
}
PM_ALWAYS_INLINE bytes without(bytes board, uint64_t squares)
{
    return _mm512_maskz_mov_epi8(~squares, board);
}
PM_ALWAYS_INLINE bytes with(bytes board, uint64_t squares, unsigned piece)
{
    return _mm512_mask_mov_epi8(board, squares, all_bytes(piece));
}

/* Rank 1 is the side's own first rank. */
PM_ALWAYS_INLINE uint64_t rank_of(enum pm_color us, unsigned number)
{
    return 0xffULL << 8 * (us == PM_WHITE ? number - 1 : 8 - number);
}
PM_ALWAYS_INLINE uint64_t forward(enum pm_color us, uint64_t set)
{
    return us == PM_WHITE ? set << 8 : set >> 8;
}
PM_ALWAYS_INLINE uint64_t pawn_attacks_west(enum pm_color us, uint64_t pawns)
{
    return forward(us, (pawns & ~FILE_A) >> 1);
}
PM_ALWAYS_INLINE uint64_t pawn_attacks_east(enum pm_color us, uint64_t pawns)
{
    return forward(us, (pawns & ~FILE_H) << 1);
}

/* The king ends on the c- or g-file, the rook beside it, whatever their origins. */
PM_ALWAYS_INLINE unsigned castled_king(unsigned king, unsigned rook)
{
    return (king & 56) + (rook > king ? 6 : 2);
}
PM_ALWAYS_INLINE unsigned castled_rook(unsigned king, unsigned rook)
{
    return (king & 56) + (rook > king ? 5 : 3);
}

PM_ALWAYS_INLINE bytes after_castling(bytes board, enum pm_color us, unsigned king, unsigned rook)
{
    board = without(board, pm_bit(king) | pm_bit(rook));
    board = with(board, pm_bit(castled_king(king, rook)), color_bit(us) | KING);
    return with(board, pm_bit(castled_rook(king, rook)), color_bit(us) | STRAIGHT);
}

/* Plays a legal move. A castling right goes with its rook, moved or captured, or with its king. */
PM_ALWAYS_INLINE void make(struct board *child, const struct board *board, enum pm_color us,
                           struct move move)
{
    const uint64_t from = pm_bit(move.from), to = pm_bit(move.to);
    bytes pieces = load_bytes(board->piece);
    child->castling = board->castling & ~(from | to);
    child->en_passant = 0;
    if (move.piece & KING)
        child->castling &= ~rank_of(us, 1);
    if (move.kind == CASTLING) {
        pieces = after_castling(pieces, us, move.from, move.to);
    } else {
        pieces = with(without(pieces, from), to, move.piece);
        if (move.kind == EN_PASSANT)
            pieces = without(pieces, forward(opponent(us), to));
        if (move.kind == DOUBLE_PUSH) {
            const uint64_t passed = forward(us, from);
            const uint64_t pawns = bytes_with(pieces, PAWN) & pieces_of(pieces, opponent(us));
            const uint64_t attacked =
                pawn_attacks_west(opponent(us), pawns) | pawn_attacks_east(opponent(us), pawns);
            child->en_passant = passed & attacked;
        }
    }
    _mm512_store_si512(child->piece, pieces);
}

#endif
