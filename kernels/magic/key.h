/* SPDX-License-Identifier: MIT */
/* The magic kernel's hash key (A. L. Zobrist, 1970): the exclusive or of a random number for each
 * piece on its square, for each right to castle, for Black to move, and for the file of a pawn that
 * may be captured en passant. What a move changes is known before it is made, but for the last
 * part. */
#ifndef PM_KERNELS_MAGIC_KEY_H
#define PM_KERNELS_MAGIC_KEY_H

#include "core/bits.h"
#include "core/board.h"
#include "core/random.h"
#include "kernels/magic/generate.h"
#include "kernels/magic/state.h"

#include <stdint.h>

static struct {
    uint64_t piece[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT]
                  [PM_SQUARE_COUNT];    /* type 0: no piece, no number */
    uint64_t castling[PM_SQUARE_COUNT]; /* by the rook's square */
    uint64_t en_passant[8];             /* by file */
    uint64_t black_to_move;
} zobrist;

static void build_zobrist(void)
{
    struct pm_random random = {.state = 0x6D61676963}; /* any number will do */
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int type = PM_PAWN; type <= PM_KING; type++)
            for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
                zobrist.piece[color][type][square] = pm_random_next(&random);
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        zobrist.castling[square] = pm_random_next(&random);
    for (unsigned file = 0; file < 8; file++)
        zobrist.en_passant[file] = pm_random_next(&random);
    zobrist.black_to_move = pm_random_next(&random);
}

PM_ALWAYS_INLINE uint64_t key_of_rights(uint64_t rooks)
{
    uint64_t key = 0;
    while (rooks != 0)
        key ^= zobrist.castling[pm_pop_lsb(&rooks)];
    return key;
}

/* The part of the en passant square, if `us` may capture on it. */
PM_ALWAYS_INLINE uint64_t key_of_en_passant(const struct state *state, enum pm_color us)
{
    if (state->en_passant == 0 || !can_capture_en_passant(state, us))
        return 0;
    return zobrist.en_passant[pm_lsb(state->en_passant) & 7];
}

/* All parts but that of the en passant square, as a move of `us` changes them. */
PM_ALWAYS_INLINE uint64_t key_of_move(const struct state *state, enum pm_color us, packed_move move)
{
    const unsigned from = move_from(move), to = move_to(move), kind = move_kind(move);
    uint64_t(*const own)[PM_SQUARE_COUNT] = zobrist.piece[us];
    uint64_t(*const their)[PM_SQUARE_COUNT] = zobrist.piece[!us];
    uint64_t key = zobrist.black_to_move, lost = pm_bit(from) | pm_bit(to);

    if (kind == KIND_CASTLING) {
        key ^= own[PM_KING][from] ^ own[PM_KING][castled_king(from, to)];
        key ^= own[PM_ROOK][to] ^ own[PM_ROOK][castled_rook(from, to)];
        lost = home_rank(us);
    } else if (kind <= PM_KING) {
        key ^= own[kind][from] ^ own[kind][to] ^ their[state->type[to]][to];
        if (kind == PM_KING)
            lost |= home_rank(us);
    } else if (kind >= KIND_PROMOTION) {
        key ^= own[PM_PAWN][from] ^ own[promoted_type(kind)][to] ^ their[state->type[to]][to];
    } else {
        key ^= own[PM_PAWN][from] ^ own[PM_PAWN][to];
        if (kind == KIND_EN_PASSANT)
            key ^= their[PM_PAWN][behind_square(to, us)];
    }
    return key ^ key_of_rights(state->castling & lost);
}

/* From scratch. */
static inline uint64_t key_of(const struct state *state)
{
    uint64_t key = state->side_to_move == PM_BLACK ? zobrist.black_to_move : 0;
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (uint64_t pieces = state->pieces[color][0]; pieces != 0;) {
            const unsigned square = pm_pop_lsb(&pieces);
            key ^= zobrist.piece[color][state->type[square]][square];
        }
    return key ^ key_of_rights(state->castling) ^
           key_of_en_passant(state, (enum pm_color)state->side_to_move);
}

#endif
