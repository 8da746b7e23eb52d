/* SPDX-License-Identifier: MIT */
/* The 0x88 position: board, piece lists, make and unmake. */
#ifndef PM_KERNELS_X88_POSITION_H
#define PM_KERNELS_X88_POSITION_H

#include "core/bits.h"
#include "core/board.h"
#include "kernels/x88/attack.h"

#include <stdbool.h>
#include <stdint.h>

/* A piece is its type and two bits, each of which answers one question of the generator: whom it
 * stops, and who may take it. A guard stops everybody and can't be taken: with one on each index
 * that is off the board, rays and leaps need no test of their own against the edge. */
enum {
    EMPTY = 0,
    STOPS_BLACK = 0x08,
    STOPS_WHITE = 0x10,
    FOOD_FOR_BLACK = 0x20,
    FOOD_FOR_WHITE = 0x40,
    WHITE_PIECE = STOPS_WHITE | FOOD_FOR_BLACK,
    BLACK_PIECE = STOPS_BLACK | FOOD_FOR_WHITE,
    GUARD = STOPS_WHITE | STOPS_BLACK
};

enum { BOARD_PAD = 64, LIST_SIZE = 64, OFF_LIST = 0xFF, NO_SQUARE = 0x88 };

/* What a castling right needs while it lasts: the squares never change. */
struct castling {
    uint8_t king, rook;
    uint8_t low, high; /* from here to there only king and rook may stand */
    uint16_t path; /* the squares the king passes or reaches, if the zone has them all; else 0 */
};

struct x88 {
    _Alignas(64) uint8_t cell[BOARD_PAD + 128 + BOARD_PAD]; /* square s is cell[BOARD_PAD + s] */
    uint8_t list[16][LIST_SIZE]; /* squares of the pieces of a color and type; see list_id() */
    uint8_t place[128];          /* where the piece of a square stands in its list */
    uint8_t length[16];          /* of the lists */
    uint8_t keeps[128];          /* castling rights that survive a move from or to a square */
    struct castling castling[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    uint8_t rights; /* see castling_right() */
    uint8_t en_passant;
    uint8_t side_to_move;
    uint16_t halfmove_clock, fullmove_number;
    uint64_t key; /* kept by play() only; see key.h */
};

/* from | to << 8 | kind << 16. Promotions have the new type as kind: KNIGHT to QUEEN. */
typedef uint32_t x88_move;
enum { ORDINARY = 0, PROMOTION_FIRST = PM_KNIGHT, DOUBLE_PUSH = 8, EN_PASSANT, CASTLING };

struct undo {
    uint8_t captured, rights, en_passant;
};

PM_ALWAYS_INLINE uint8_t piece_at(const struct x88 *x, x88_square s)
{
    return x->cell[BOARD_PAD + s];
}

PM_ALWAYS_INLINE void set_cell(struct x88 *x, x88_square s, unsigned piece)
{
    x->cell[BOARD_PAD + s] = (uint8_t)piece;
}

PM_ALWAYS_INLINE unsigned piece_of(bool black, enum pm_piece_type type)
{
    return (unsigned)type | (unsigned)(black ? BLACK_PIECE : WHITE_PIECE);
}

/* White's lists are 1 to 6, Black's 9 to 14: the code of board.h. */
PM_ALWAYS_INLINE unsigned list_id(unsigned piece)
{
    return piece & 15;
}

PM_ALWAYS_INLINE bool is_enemy(unsigned piece, bool black)
{
    return (piece & (black ? FOOD_FOR_BLACK : FOOD_FOR_WHITE)) != 0;
}

PM_ALWAYS_INLINE bool is_own_or_guard(unsigned piece, bool black)
{
    return (piece & (black ? STOPS_BLACK : STOPS_WHITE)) != 0;
}

PM_ALWAYS_INLINE x88_square king_square(const struct x88 *x, bool black)
{
    return x->list[list_id(piece_of(black, PM_KING))][0];
}

PM_ALWAYS_INLINE unsigned castling_right(bool black, enum pm_castling_side side)
{
    return 1U << ((unsigned)black * 2 + (unsigned)side);
}

PM_ALWAYS_INLINE x88_square home_rank(bool black)
{
    return black ? 0x70 : 0x00;
}

PM_ALWAYS_INLINE x88_square castled_king(bool black, enum pm_castling_side side)
{
    return home_rank(black) + (side == PM_KINGSIDE ? 6 : 2);
}

PM_ALWAYS_INLINE x88_square castled_rook(bool black, enum pm_castling_side side)
{
    return home_rank(black) + (side == PM_KINGSIDE ? 5 : 3);
}

PM_ALWAYS_INLINE void enlist(struct x88 *x, unsigned piece, x88_square s)
{
    const unsigned id = list_id(piece), end = x->length[id]++;
    x->list[id][end] = (uint8_t)s;
    x->place[s] = (uint8_t)end;
}

/* The list's last piece takes the place that becomes free. */
PM_ALWAYS_INLINE void delist(struct x88 *x, unsigned piece, x88_square s)
{
    const unsigned id = list_id(piece), place = x->place[s];
    const uint8_t last = x->list[id][--x->length[id]];
    x->list[id][place] = last;
    x->place[last] = (uint8_t)place;
}

PM_ALWAYS_INLINE void move_piece(struct x88 *x, x88_square from, x88_square to)
{
    const unsigned piece = piece_at(x, from), place = x->place[from];
    set_cell(x, from, EMPTY);
    set_cell(x, to, piece);
    x->list[list_id(piece)][place] = (uint8_t)to;
    x->place[to] = (uint8_t)place;
}

/* King and rook go from their squares to others; any of the four squares may coincide. */
static inline void move_king_and_rook(struct x88 *x, bool black, x88_square king, x88_square rook,
                                      x88_square king_to, x88_square rook_to)
{
    const unsigned king_piece = piece_of(black, PM_KING), rook_piece = piece_of(black, PM_ROOK);
    const uint8_t place = x->place[rook];
    set_cell(x, king, EMPTY);
    set_cell(x, rook, EMPTY);
    set_cell(x, king_to, king_piece);
    set_cell(x, rook_to, rook_piece);
    x->list[list_id(rook_piece)][place] = (uint8_t)rook_to;
    x->place[rook_to] = place;
    x->list[list_id(king_piece)][0] = (uint8_t)king_to;
    x->place[king_to] = 0;
}

PM_ALWAYS_INLINE void make_special(struct x88 *x, unsigned kind, x88_square to, bool black)
{
    const x88_square forward = black ? -NORTH : NORTH;
    const unsigned pawn = piece_of(black, PM_PAWN), enemy_pawn = piece_of(!black, PM_PAWN);
    if (kind == DOUBLE_PUSH) {
        if (piece_at(x, to - EAST) == enemy_pawn || piece_at(x, to + EAST) == enemy_pawn)
            x->en_passant = (uint8_t)(to - forward);
    } else if (kind == EN_PASSANT) {
        delist(x, enemy_pawn, to - forward);
        set_cell(x, to - forward, EMPTY);
    } else {
        const unsigned promoted = piece_of(black, (enum pm_piece_type)kind);
        delist(x, pawn, to);
        enlist(x, promoted, to);
        set_cell(x, to, promoted);
    }
}

/* Makes a legal move of the side `black`; neither side_to_move nor the clocks are touched. */
PM_ALWAYS_INLINE struct undo make(struct x88 *x, x88_move move, bool black)
{
    const x88_square from = move & 0x7F, to = move >> 8 & 0x7F;
    const unsigned kind = move >> 16;
    struct undo undo = {.rights = x->rights, .en_passant = x->en_passant};

    x->en_passant = NO_SQUARE;
    x->rights &= x->keeps[from] & x->keeps[to];
    if (kind == CASTLING) {
        const enum pm_castling_side side = to > from ? PM_KINGSIDE : PM_QUEENSIDE;
        move_king_and_rook(x, black, from, to, castled_king(black, side),
                           castled_rook(black, side));
        return undo;
    }
    undo.captured = piece_at(x, to);
    if (undo.captured != EMPTY)
        delist(x, undo.captured, to);
    move_piece(x, from, to);
    if (kind != ORDINARY)
        make_special(x, kind, to, black);
    return undo;
}

PM_ALWAYS_INLINE void unmake_special(struct x88 *x, unsigned kind, x88_square to, bool black)
{
    const x88_square forward = black ? -NORTH : NORTH;
    if (kind == EN_PASSANT) {
        enlist(x, piece_of(!black, PM_PAWN), to - forward);
        set_cell(x, to - forward, piece_of(!black, PM_PAWN));
    } else if (kind != DOUBLE_PUSH) {
        delist(x, piece_of(black, (enum pm_piece_type)kind), to);
        enlist(x, piece_of(black, PM_PAWN), to);
        set_cell(x, to, piece_of(black, PM_PAWN));
    }
}

PM_ALWAYS_INLINE void unmake(struct x88 *x, x88_move move, struct undo undo, bool black)
{
    const x88_square from = move & 0x7F, to = move >> 8 & 0x7F;
    const unsigned kind = move >> 16;

    x->rights = undo.rights;
    x->en_passant = undo.en_passant;
    if (kind == CASTLING) {
        const enum pm_castling_side side = to > from ? PM_KINGSIDE : PM_QUEENSIDE;
        move_king_and_rook(x, black, castled_king(black, side), castled_rook(black, side), from,
                           to);
        return;
    }
    if (kind != ORDINARY)
        unmake_special(x, kind, to, black);
    move_piece(x, to, from);
    set_cell(x, to, undo.captured);
    if (undo.captured != EMPTY)
        enlist(x, undo.captured, to);
}

#endif
