/* SPDX-License-Identifier: MIT */
/* The 10x12 board, its lists, and geometry on it. Indices of the board:
 *
 *   110 111 … 119      guards, two rows because a knight jumps two
 *   100 101 … 109
 *    90  91 …  98  99  91 = a8, 98 = h8; one guard column each side: the rows are joined
 *     …
 *    20  21 …  28  29  21 = a1, 28 = h1
 *    10  11 …  19
 *     0   1 …   9
 */
#ifndef PM_KERNELS_MAILBOX_STATE_H
#define PM_KERNELS_MAILBOX_STATE_H

#include "core/bits.h"
#include "core/board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOARD_SIZE = 120, ROW = 10, NOWHERE = 0, MAX_RAYS = 8, MAX_CHECKERS = 16 };

/* What stands on a square: a kind and a color bit, GUARD, or EMPTY. Sliders carry a bit a line, so
 * that one test finds them with the queens. A color bit without a kind is a piece whose moves have
 * been dealt with already: a pinned one, while moves are generated. */
enum {
    EMPTY = 0,
    PAWN = 1,
    KNIGHT = 2,
    KING = 3,
    DIAGONAL = 4,
    STRAIGHT = 8,
    BISHOP = DIAGONAL,
    ROOK = STRAIGHT,
    QUEEN = DIAGONAL | STRAIGHT,
    KIND = 15,
    GUARD = 128
};

static const uint8_t kind_of_type[PM_PIECE_TYPE_COUNT] = {
    [PM_PAWN] = PAWN, [PM_KNIGHT] = KNIGHT, [PM_BISHOP] = BISHOP,
    [PM_ROOK] = ROOK, [PM_QUEEN] = QUEEN,   [PM_KING] = KING,
};
static const uint8_t type_of_kind[KIND + 1] = {
    [PAWN] = PM_PAWN, [KNIGHT] = PM_KNIGHT, [BISHOP] = PM_BISHOP,
    [ROOK] = PM_ROOK, [QUEEN] = PM_QUEEN,   [KING] = PM_KING,
};

static const int straight_steps[4] = {-10, -1, 1, 10};
static const int diagonal_steps[4] = {-11, -9, 9, 11};
static const int king_steps[8] = {-11, -10, -9, -1, 1, 9, 10, 11};
static const int knight_jumps[8] = {-21, -19, -12, -8, 8, 12, 19, 21};

/* The squares of a side's pieces, the king's first. A captured piece leaves NOWHERE in its slot.
 * The last slot belongs to every empty square: writing it is cheaper than asking whether a move
 * captures. */
enum { KING_SLOT = 0, EMPTY_SLOT = 63, SLOT_COUNT = 64 };

struct state {
    uint8_t board[BOARD_SIZE];
    uint8_t slot[BOARD_SIZE]; /* of the piece on that square in pieces[color] */
    uint8_t keep[BOARD_SIZE]; /* castling rights left after a move from or to that square */
    uint8_t pieces[PM_COLOR_COUNT][SLOT_COUNT];
    uint8_t pieces_end[PM_COLOR_COUNT]; /* slots in use, with those of captured pieces */
    /* Meaningless without the right. */
    uint8_t castling_rook[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    uint8_t rights;     /* right_bit() bits */
    uint8_t en_passant; /* NOWHERE unless an enemy pawn stands ready to capture */
    uint8_t side;
    uint16_t halfmove_clock;
    uint16_t fullmove_number;
};

enum kind { NORMAL, DOUBLE_PUSH, PROMOTION, EN_PASSANT, CASTLING };

/* From, to (castling: the rook's square), kind and the promoted piece's kind: a byte each from the
 * lowest, written and read as one word. */
struct move {
    uint32_t word;
};

PM_ALWAYS_INLINE struct move pack(ptrdiff_t from, ptrdiff_t to, enum kind kind, int promotion)
{
    return (struct move){(uint32_t)from | (uint32_t)to << 8 | (uint32_t)kind << 16 |
                         (uint32_t)promotion << 24};
}
PM_ALWAYS_INLINE int from_of(struct move move)
{
    return (int)(move.word & 255);
}
PM_ALWAYS_INLINE int to_of(struct move move)
{
    return (int)(move.word >> 8 & 255);
}
PM_ALWAYS_INLINE enum kind kind_of(struct move move)
{
    return (enum kind)(move.word >> 16 & 255);
}
PM_ALWAYS_INLINE int promotion_of(struct move move)
{
    return (int)(move.word >> 24);
}

PM_ALWAYS_INLINE int to_mailbox(pm_square square)
{
    return 21 + (int)pm_file_of(square) + ROW * (int)pm_rank_of(square);
}

PM_ALWAYS_INLINE pm_square from_mailbox(int square)
{
    return pm_make_square((unsigned)(square % ROW - 1), (unsigned)(square / ROW - 2));
}

PM_ALWAYS_INLINE int bit_of(enum pm_color color)
{
    return 16 << color;
}
PM_ALWAYS_INLINE enum pm_color other(enum pm_color color)
{
    return (enum pm_color)(1 - color);
}
PM_ALWAYS_INLINE int up_of(enum pm_color color)
{
    return color == PM_WHITE ? ROW : -ROW;
}

PM_ALWAYS_INLINE int right_bit(enum pm_color color, enum pm_castling_side side)
{
    return 1 << (2 * (int)color + (int)side);
}

PM_ALWAYS_INLINE bool on_second_rank(ptrdiff_t square, enum pm_color us)
{
    return us == PM_WHITE ? square < 40 : square > 80;
}
PM_ALWAYS_INLINE bool on_seventh_rank(ptrdiff_t square, enum pm_color us)
{
    return on_second_rank(square, other(us));
}

/* A difference of two squares on the board stands for a king's step in no more than one way, since
 * the guards make the rows longer than any horizontal distance. */
PM_ALWAYS_INLINE bool is_king_step(ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t distance = a > b ? a - b : b - a;
    return distance == 1 || (distance >= 9 && distance <= 11);
}

/* The first square from `from` on (not included) that is not empty: a piece's or a guard's.
 * Squares are ptrdiff_t where constants are added to them, which gcc then does within the load, and
 * int where a walk changes them, which clang needs: see README.md. */
PM_ALWAYS_INLINE int walk(const uint8_t board[], ptrdiff_t from, int step)
{
    int square = (int)from + step;
    while (board[square] == EMPTY)
        square += step;
    return square;
}

PM_ALWAYS_INLINE bool has_all(int value, int bits)
{
    return (value & bits) == bits;
}

struct castling {
    int king_to;
    int rook_to;
};

PM_ALWAYS_INLINE struct castling castling_squares(enum pm_color us, enum pm_castling_side side)
{
    const int corner = us == PM_WHITE ? 21 : 91;
    return side == PM_KINGSIDE ? (struct castling){.king_to = corner + 6, .rook_to = corner + 5}
                               : (struct castling){.king_to = corner + 2, .rook_to = corner + 3};
}

PM_ALWAYS_INLINE bool pawn_beside(const struct state *state, int square, enum pm_color color)
{
    const int pawn = bit_of(color) | PAWN;
    return state->board[square - 1] == pawn || state->board[square + 1] == pawn;
}

PM_ALWAYS_INLINE void put(struct state *state, enum pm_color color, int square, int piece, int slot)
{
    state->board[square] = (uint8_t)piece;
    state->slot[square] = (uint8_t)slot;
    state->pieces[color][slot] = (uint8_t)square;
}

PM_ALWAYS_INLINE void clear(struct state *state, int square)
{
    state->board[square] = EMPTY;
    state->slot[square] = EMPTY_SLOT;
}

#endif
