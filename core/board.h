/* SPDX-License-Identifier: MIT */
/* The neutral board: the shapes in which positions and moves pass between the harness and the
 * kernels. Data only; nothing here knows how a piece moves. */
#ifndef PM_CORE_BOARD_H
#define PM_CORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum pm_color { PM_WHITE, PM_BLACK, PM_COLOR_COUNT };

enum pm_piece_type {
    PM_NO_PIECE_TYPE, /* also "no promotion" in a move */
    PM_PAWN,
    PM_KNIGHT,
    PM_BISHOP,
    PM_ROOK,
    PM_QUEEN,
    PM_KING,
    PM_PIECE_TYPE_COUNT
};

/* A piece on a square: its type in bits 0 to 2, its color in bit 3; 0 is an empty square. */
typedef uint8_t pm_piece;
#define PM_EMPTY ((pm_piece)0)

static inline pm_piece pm_make_piece(enum pm_color color, enum pm_piece_type type)
{
    return (pm_piece)((unsigned)type | (unsigned)color << 3);
}
static inline enum pm_piece_type pm_type_of(pm_piece piece)
{
    return (enum pm_piece_type)(piece & 7);
}
static inline enum pm_color pm_color_of(pm_piece piece) /* meaningless for PM_EMPTY */
{
    return (enum pm_color)(piece >> 3 & 1);
}

/* Squares run from a1 = 0, b1 = 1 … h1 = 7, a2 = 8 … to h8 = 63. */
typedef uint8_t pm_square;
#define PM_SQUARE_COUNT 64
#define PM_NO_SQUARE ((pm_square)64)

static inline unsigned pm_file_of(pm_square square)
{
    return square & 7U;
} /* 0 = a-file */
static inline unsigned pm_rank_of(pm_square square)
{
    return square >> 3;
} /* 0 = first rank */
static inline pm_square pm_make_square(unsigned file, unsigned rank)
{
    return (pm_square)(rank << 3 | file);
}

/* The two castlings, named after the side on which the king ends: files g and c, in Chess960 too.
 */
enum pm_castling_side { PM_KINGSIDE, PM_QUEENSIDE, PM_CASTLING_SIDE_COUNT };

/* Everything that decides which moves are legal, and both clocks. No padding bytes are read:
 * compare with pm_position_equal() (core/position.h). */
struct pm_position {
    pm_piece board[PM_SQUARE_COUNT];
    uint8_t side_to_move; /* enum pm_color */
    /* The square that a pawn passed over in the double push just played, or PM_NO_SQUARE. It may be
     * given even if no legal capture exists; whether it counts is decided by the rules alone. */
    pm_square en_passant;
    /* For each right that is left, the square of the castling rook; PM_NO_SQUARE if it is lost. */
    pm_square castling_rook[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    uint16_t halfmove_clock;  /* plies since the last capture or pawn move */
    uint16_t fullmove_number; /* 1 at the start, one more after each move of Black */
};

/* A clock one higher. It stays at its largest value, which FEN can give, instead of starting again
 * at 0: all kernels count so, and halfmove_clock and fullmove_number alike. */
static inline uint16_t pm_clock_next(uint16_t clock)
{
    return clock < UINT16_MAX ? (uint16_t)(clock + 1) : clock;
}

enum pm_move_kind {
    PM_MOVE_QUIET,       /* neither of those below */
    PM_MOVE_DOUBLE_PUSH, /* a pawn's two-square advance */
    PM_MOVE_CAPTURE,     /* also with a promotion */
    PM_MOVE_EN_PASSANT,
    PM_MOVE_CASTLING, /* `to` is the square of the castling ROOK, in standard chess too */
    PM_MOVE_KIND_COUNT
};

struct pm_move {
    pm_square from;
    pm_square to;      /* see PM_MOVE_CASTLING */
    uint8_t promotion; /* enum pm_piece_type: KNIGHT to QUEEN, or PM_NO_PIECE_TYPE */
    uint8_t kind;      /* enum pm_move_kind */
};

static inline bool pm_move_equal(const struct pm_move *a, const struct pm_move *b)
{
    return a->from == b->from && a->to == b->to && a->promotion == b->promotion &&
           a->kind == b->kind;
}

/* Where a move stands in a list: its index, or `count` if it is not there. A kernel's play() may so
 * look for its argument among the legal moves. */
static inline unsigned pm_move_index(const struct pm_move moves[], unsigned count,
                                     const struct pm_move *move)
{
    unsigned i = 0;
    while (i < count && !pm_move_equal(&moves[i], move))
        i++;
    return i;
}

/* Enough for every position with one king a side, however many pieces stand on the board: sliders
 * reach at most 340 (from, to) pairs in all, knights 168, the king 10, pawns 256. Real games stay
 * at or below 218. */
#define PM_MAX_MOVES 1024

#endif
