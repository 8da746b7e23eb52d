/* SPDX-License-Identifier: MIT */
/* The position before the last ply but one, looked over once for all its moves: what *we* find of
 * *their* pieces before we move. */
#ifndef PM_BYTEBOARD_PARENT_H
#define PM_BYTEBOARD_PARENT_H

#include "kernels/byteboard/legal.h"

/* The position before our move, with what its children have in common. */
struct parent {
    const struct board *board;
    uint64_t ours, theirs, their_pawns;
    unsigned their_king;
    uint64_t castling; /* their castling rooks, those aside that their own pieces block */

    /* Their knights and sliders as if it were their move and no piece were pinned. */
    uint8_t directions[64] __attribute__((aligned(64))); /* [square]: a bit for each ray on which a
                                                            slider of theirs came there */
    unsigned mobility;                                   /* moves, captures among them */

    /* Their pawns, in the same way. */
    uint64_t pawn_fronts; /* squares before them: who leaves one may free a push */
    int8_t pawn_change[64] __attribute__((aligned(64))); /* [square]: what a landing of ours adds */
    unsigned pawn_moves;

    /* In lanes around their king. */
    uint64_t occupied, own, attackers;
    uint64_t nearest;  /* nearest lanes on the board */
    uint64_t steps;    /* rays on which the nearest square is not theirs */
    int king_may_move; /* a step or a castling, attacks aside */

    /* One word for each square watched around their king, which is lifted: lanes around it. */
    uint64_t occupied_watched[8] __attribute__((aligned(64)));
    uint64_t attackers_watched[8] __attribute__((aligned(64)));
};

/* Their pieces's moves as sets of lanes; what sliders reach is marked a square. */
PM_ALWAYS_INLINE void survey_their_pieces(struct parent *parent, bytes pieces, enum pm_color them)
{
    const bytes ray_bit = load_bytes(tables.ray_bit);
    bytes directions = _mm512_setzero_si512();
    unsigned mobility = 0;
    for (uint64_t rest = bytes_with(pieces, KNIGHT | DIAGONAL | STRAIGHT) & parent->theirs; rest;
         rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const bytes around = look_from(square, pieces);
        const uint64_t sight = (in_sight(pieces_on(around)) | KNIGHT_LANES) &
                               reach(parent->board->piece[square]) & tables.on_board[square];
        mobility += pm_popcount(sight & ~pieces_of(around, them));
        directions =
            _mm512_or_si512(directions, to_squares(square, _mm512_maskz_mov_epi8(sight, ray_bit)));
    }
    _mm512_store_si512(parent->directions, directions);
    parent->mobility = mobility;
}

/* A landing stops pushes, double pushes also from the square that they pass, and can be captured;
 * each move to the last rank is four. Returns the moves as things stand. */
PM_ALWAYS_INLINE unsigned survey_pawns(int8_t change[64], enum pm_color them, uint64_t pawns,
                                       uint64_t occupied, uint64_t ours)
{
    const struct pawn_targets targets = pawn_targets(them, pawns, occupied, ~0ULL, ~0ULL);
    const bytes one = _mm512_set1_epi8(1);
    bytes sum = _mm512_maskz_mov_epi8(targets.west, one);
    sum = _mm512_mask_add_epi8(sum, targets.east, sum, one);
    sum = _mm512_mask_sub_epi8(sum, targets.push, sum, one);
    sum = _mm512_mask_sub_epi8(
        sum, targets.double_push | forward(opponent(them), targets.double_push), sum, one);
    if (pawns & rank_of(them, 7)) {
        const bytes twice = _mm512_mask_add_epi8(sum, BACK_RANKS, sum, sum);
        sum = _mm512_mask_add_epi8(twice, BACK_RANKS, twice, twice);
    }
    _mm512_store_si512(change, sum);
    return count_pawn_targets((struct pawn_targets){.push = targets.push,
                                                    .double_push = targets.double_push,
                                                    .west = targets.west & ours,
                                                    .east = targets.east & ours});
}

PM_ALWAYS_INLINE void survey_their_king(struct parent *parent, bytes pieces, enum pm_color us)
{
    const unsigned king = parent->their_king;
    const bytes around = look_from(king, pieces);
    parent->occupied = pieces_on(around) | KNIGHT_LANES;
    parent->own = pieces_of(around, opponent(us)) & RAY_LANES;
    parent->attackers = could_attack(king, around, us);
    parent->nearest = NEAREST_LANES & tables.on_board[king];
    parent->steps = _pext_u64(parent->nearest & ~parent->own, NEAREST_LANES);

    const bytes lifted = without(pieces, pm_bit(king));
    for (unsigned ray = 0; ray < 8; ray++) {
        const unsigned square = tables.watched[king][ray];
        const bytes view = look_from(square, lifted);
        parent->occupied_watched[ray] = pieces_on(view) | KNIGHT_LANES;
        parent->attackers_watched[ray] = could_attack(square, view, us);
    }
}

/* A piece of theirs in a castling's path is there to stay, or our piece in its place. */
PM_ALWAYS_INLINE uint64_t unblocked_rooks(const struct parent *parent, enum pm_color them)
{
    uint64_t rooks = parent->board->castling & rank_of(them, 1);
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        if (castling_path(them, parent->their_king, rook)->empty & parent->theirs)
            rooks &= ~pm_bit(rook);
    }
    return rooks;
}

PM_ALWAYS_INLINE void survey(struct parent *parent, const struct board *board, enum pm_color us)
{
    const enum pm_color them = opponent(us);
    const bytes pieces = load_bytes(board->piece);
    parent->board = board;
    parent->ours = pieces_of(pieces, us);
    parent->theirs = pieces_of(pieces, them);
    parent->their_pawns = bytes_with(pieces, PAWN) & parent->theirs;
    parent->their_king = pm_lsb(bytes_with(pieces, KING) & parent->theirs);
    parent->castling = unblocked_rooks(parent, them);
    survey_their_pieces(parent, pieces, them);

    const uint64_t fronts = forward(them, parent->their_pawns);
    parent->pawn_fronts = fronts | forward(them, fronts & rank_of(them, 3));
    parent->pawn_moves = survey_pawns(parent->pawn_change, them, parent->their_pawns,
                                      parent->ours | parent->theirs, parent->ours);
    survey_their_king(parent, pieces, us);
    parent->king_may_move = parent->steps || parent->castling;
}

#endif
