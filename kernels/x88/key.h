/* SPDX-License-Identifier: MIT */
/* The 0x88 kernel's hash key (A. L. Zobrist, 1970). Its parts: pieces on squares, the four rights
 * to castle, the side to move, the en passant square if a capture on it is legal. */
#ifndef PM_KERNELS_X88_KEY_H
#define PM_KERNELS_X88_KEY_H

#include "core/random.h"
#include "kernels/x88/generate.h"
#include "kernels/x88/position.h"

static struct {
    uint64_t piece[16][128]; /* by list_id() and square */
    uint64_t right[16];      /* by the set of rights that are left */
    uint64_t en_passant[8];  /* by file */
    uint64_t side;           /* Black is to move */
} key_table;

static void build_key_table(void)
{
    struct pm_random random = {.state = 0x783838}; /* any number will do */
    for (unsigned id = 0; id < 16; id++)
        for (unsigned s = 0; s < 128; s++)
            key_table.piece[id][s] = pm_random_next(&random);
    for (unsigned rights = 0; rights < 16; rights++)
        key_table.right[rights] = pm_random_next(&random);
    for (unsigned file = 0; file < 8; file++)
        key_table.en_passant[file] = pm_random_next(&random);
    key_table.side = pm_random_next(&random);
}

static inline uint64_t piece_key(unsigned piece, x88_square s)
{
    return key_table.piece[list_id(piece)][s];
}

/* What does not belong to a piece: rights, and the en passant square if the side to move may use
 * it.
 */
static uint64_t rest_key(struct x88 *x, bool black)
{
    struct sink sink = {.moves = NULL};
    if (x->en_passant != NO_SQUARE)
        en_passant(x, black, &sink);
    return key_table.right[x->rights] ^
           (sink.count > 0 ? key_table.en_passant[x->en_passant & 7] : 0);
}

static uint64_t key_from_scratch(struct x88 *x)
{
    const bool black = x->side_to_move == PM_BLACK;
    uint64_t key = (black ? key_table.side : 0) ^ rest_key(x, black);
    for (x88_square s = 0; s < SQUARE_END; s++)
        if (on_board(s) && piece_at(x, s) != EMPTY)
            key ^= piece_key(piece_at(x, s), s);
    return key;
}

/* What a legal move changes, seen from the position before it, without rest_key(). */
static uint64_t move_key(const struct x88 *x, x88_move move, bool black)
{
    const x88_square from = move & 0x7F, to = move >> 8 & 0x7F;
    const unsigned kind = move >> 16, piece = piece_at(x, from), taken = piece_at(x, to);
    uint64_t key = key_table.side ^ piece_key(piece, from);

    if (kind == CASTLING) {
        const enum pm_castling_side side = to > from ? PM_KINGSIDE : PM_QUEENSIDE;
        return key ^ piece_key(piece, castled_king(black, side)) ^ piece_key(taken, to) ^
               piece_key(taken, castled_rook(black, side));
    }
    if (taken != EMPTY)
        key ^= piece_key(taken, to);
    if (kind == EN_PASSANT)
        key ^= piece_key(piece_of(!black, PM_PAWN), to - (black ? -NORTH : NORTH));
    if (kind >= PROMOTION_FIRST && kind <= PM_QUEEN)
        return key ^ piece_key(piece_of(black, (enum pm_piece_type)kind), to);
    return key ^ piece_key(piece, to);
}

#endif
