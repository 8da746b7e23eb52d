/* SPDX-License-Identifier: MIT */
/* The magic kernel's state: sets of pieces by color and type, beside them a board of types that
 * tells what stands on a square. Moves are made and unmade in place. */
#ifndef PM_KERNELS_MAGIC_STATE_H
#define PM_KERNELS_MAGIC_STATE_H

#include "core/bits.h"
#include "core/board.h"
#include "kernels/magic/attacks.h"

#include <stdint.h>

struct state {
    uint64_t pieces[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT]; /* type 0: all pieces of the color */
    uint64_t castling;                                    /* rooks that may still castle */
    uint64_t en_passant;           /* the square passed over by the last double push, or empty */
    uint8_t type[PM_SQUARE_COUNT]; /* enum pm_piece_type; 0 on empty squares */
    uint16_t halfmove_clock, fullmove_number; /* kept by play() only */
    uint8_t side_to_move;                     /* kept by play() only */
    uint64_t key;                             /* kept by play() only; see key.h */
};

/* A move: from in bits 0 to 5, to in bits 6 to 11, above them its kind. Kinds 1 to 6 are plain
 * moves, capturing or not, of the piece of that type. */
typedef uint16_t packed_move;
enum {
    KIND_DOUBLE_PUSH = PM_PIECE_TYPE_COUNT,
    KIND_EN_PASSANT,
    KIND_CASTLING,  /* to: the rook's square */
    KIND_PROMOTION, /* to a knight; the next three to a bishop, a rook and a queen */
};

PM_ALWAYS_INLINE packed_move pack_move(unsigned from, unsigned to, unsigned kind)
{
    return (packed_move)(from | to << 6 | kind << 12);
}
PM_ALWAYS_INLINE unsigned move_from(packed_move move)
{
    return move & 63U;
}
PM_ALWAYS_INLINE unsigned move_to(packed_move move)
{
    return move >> 6 & 63U;
}
PM_ALWAYS_INLINE unsigned move_kind(packed_move move)
{
    return move >> 12;
}

PM_ALWAYS_INLINE enum pm_piece_type promoted_type(unsigned kind)
{
    return (enum pm_piece_type)(kind - KIND_PROMOTION + PM_KNIGHT);
}

PM_ALWAYS_INLINE uint64_t home_rank(enum pm_color color)
{
    return color == PM_WHITE ? (uint64_t)RANK_1 : (uint64_t)RANK_1 << 56;
}

/* The square one rank ahead of a piece of that color, by sets and by number. */
PM_ALWAYS_INLINE uint64_t ahead(uint64_t set, enum pm_color color)
{
    return color == PM_WHITE ? set << 8 : set >> 8;
}
PM_ALWAYS_INLINE unsigned behind_square(unsigned square, enum pm_color color)
{
    return color == PM_WHITE ? square - 8 : square + 8;
}

/* Where king and rook end: on the g- and f-file when the rook stands right of the king, else on the
 * c- and d-file. */
PM_ALWAYS_INLINE unsigned castled_king(unsigned king, unsigned rook)
{
    return (king & 56U) | (rook > king ? 6 : 2);
}
PM_ALWAYS_INLINE unsigned castled_rook(unsigned king, unsigned rook)
{
    return (king & 56U) | (rook > king ? 5 : 3);
}

/* What a move destroys. */
struct undo {
    uint64_t castling, en_passant;
    uint64_t victims, enemies; /* the sets that lose the piece on `to`, as they were */
    uint8_t captured;          /* its type; 0, and both sets are all enemies, when there is none */
};

/* Takes the piece of `us` off `from` as type `left` and puts it on `to` as type `placed`,
 * capturing.
 */
PM_ALWAYS_INLINE void move_piece(struct state *state, enum pm_color us, packed_move move,
                                 unsigned left, unsigned placed, struct undo *undo)
{
    const unsigned from = move_from(move), to = move_to(move);
    uint64_t *const own = state->pieces[us], *const their = state->pieces[!us];

    undo->captured = state->type[to];
    undo->victims = their[undo->captured];
    undo->enemies = their[0];
    their[undo->captured] &= ~pm_bit(to); /* without a victim this is their[0] */
    their[0] &= ~pm_bit(to);
    own[left] ^= pm_bit(from);
    own[placed] ^= pm_bit(to);
    own[0] ^= pm_bit(from) | pm_bit(to);
    state->type[from] = PM_NO_PIECE_TYPE;
    state->type[to] = (uint8_t)placed;
    state->castling &= ~(pm_bit(from) | pm_bit(to));
}

PM_ALWAYS_INLINE void unmove_piece(struct state *state, enum pm_color us, packed_move move,
                                   unsigned left, unsigned placed, const struct undo *undo)
{
    const unsigned from = move_from(move), to = move_to(move);
    uint64_t *const own = state->pieces[us], *const their = state->pieces[!us];

    their[undo->captured] = undo->victims;
    their[0] = undo->enemies;
    own[left] ^= pm_bit(from);
    own[placed] ^= pm_bit(to);
    own[0] ^= pm_bit(from) | pm_bit(to);
    state->type[from] = (uint8_t)left;
    state->type[to] = undo->captured;
}

/* The pawn captured en passant goes, or comes back when `type` is PM_PAWN: then before
 * unmove_piece(), which restores the set of all enemies as it was at first. */
PM_ALWAYS_INLINE void toggle_passed_pawn(struct state *state, enum pm_color us, packed_move move,
                                         enum pm_piece_type type)
{
    const unsigned square = behind_square(move_to(move), us);
    state->pieces[!us][PM_PAWN] ^= pm_bit(square);
    state->pieces[!us][0] ^= pm_bit(square);
    state->type[square] = (uint8_t)type;
}

/* In Chess960 the four squares may coincide in any way but king and rook: all are cleared first. */
PM_ALWAYS_INLINE void castle(struct state *state, enum pm_color us, unsigned king_from,
                             unsigned rook_from, unsigned king_to, unsigned rook_to)
{
    const uint64_t king = pm_bit(king_from) ^ pm_bit(king_to);
    const uint64_t rook = pm_bit(rook_from) ^ pm_bit(rook_to);
    state->pieces[us][PM_KING] ^= king;
    state->pieces[us][PM_ROOK] ^= rook;
    state->pieces[us][0] ^= king ^ rook;
    state->type[king_from] = state->type[rook_from] = PM_NO_PIECE_TYPE;
    state->type[king_to] = PM_KING;
    state->type[rook_to] = PM_ROOK;
}

/* Makes a legal move of `us`. The kinds that are not plain moves are the rarer ones. */
PM_ALWAYS_INLINE void make(struct state *state, enum pm_color us, packed_move move,
                           struct undo *undo)
{
    const unsigned from = move_from(move), to = move_to(move), kind = move_kind(move);

    *undo = (struct undo){.castling = state->castling, .en_passant = state->en_passant};
    state->en_passant = 0;
    if (kind <= PM_KING) {
        move_piece(state, us, move, kind, kind, undo);
        state->castling &= ~(kind == PM_KING ? home_rank(us) : 0);
    } else if (kind == KIND_CASTLING) {
        castle(state, us, from, to, castled_king(from, to), castled_rook(from, to));
        state->castling &= ~home_rank(us);
    } else if (kind >= KIND_PROMOTION) {
        move_piece(state, us, move, PM_PAWN, promoted_type(kind), undo);
    } else {
        move_piece(state, us, move, PM_PAWN, PM_PAWN, undo);
        if (kind == KIND_DOUBLE_PUSH)
            state->en_passant = ahead(pm_bit(from), us);
        else
            toggle_passed_pawn(state, us, move, PM_NO_PIECE_TYPE);
    }
}

/* Unmakes the move of `us` that was made last. */
PM_ALWAYS_INLINE void unmake(struct state *state, enum pm_color us, packed_move move,
                             const struct undo *undo)
{
    const unsigned from = move_from(move), to = move_to(move), kind = move_kind(move);

    state->castling = undo->castling;
    state->en_passant = undo->en_passant;
    if (kind <= PM_KING) {
        unmove_piece(state, us, move, kind, kind, undo);
    } else if (kind == KIND_CASTLING) {
        castle(state, us, castled_king(from, to), castled_rook(from, to), from, to);
    } else if (kind >= KIND_PROMOTION) {
        unmove_piece(state, us, move, PM_PAWN, promoted_type(kind), undo);
    } else {
        if (kind == KIND_EN_PASSANT)
            toggle_passed_pawn(state, us, move, PM_PAWN);
        unmove_piece(state, us, move, PM_PAWN, PM_PAWN, undo);
    }
}

#endif
