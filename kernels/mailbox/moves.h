/* SPDX-License-Identifier: MIT */
/* Attacks, pins and legal moves. */
#ifndef PM_KERNELS_MAILBOX_MOVES_H
#define PM_KERNELS_MAILBOX_MOVES_H

#include "kernels/mailbox/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Attacks -------------------------------------------------------------------------------- */

/* Whether pieces of `them` other than the king attack a square. */
PM_ALWAYS_INLINE bool is_attacked(const uint8_t board[], ptrdiff_t square, enum pm_color them)
{
    const int enemy = bit_of(them);
    const int toward = up_of(other(them));
    bool found = board[square + toward - 1] == (enemy | PAWN);
    found |= board[square + toward + 1] == (enemy | PAWN);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        found |= board[square + knight_jumps[i]] == (enemy | KNIGHT);
    if (found)
        return true;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (has_all(board[walk(board, square, straight_steps[i])], enemy | STRAIGHT))
            return true;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (has_all(board[walk(board, square, diagonal_steps[i])], enemy | DIAGONAL))
            return true;
    return false;
}

struct pin {
    int square;
    int piece;
    int step; /* from the king to the pinned piece */
    int pinner;
};

/* What the king sees. */
struct sight {
    int checker[MAX_CHECKERS];
    int checker_step[MAX_CHECKERS]; /* from the king to the checker, a knight's whole jump */
    int checker_count;
    struct pin pin[MAX_RAYS];
    int pin_count;
};

PM_ALWAYS_INLINE void see_checker(struct sight *sight, int square, int step)
{
    sight->checker[sight->checker_count] = square;
    sight->checker_step[sight->checker_count] = step;
    sight->checker_count++;
}

PM_ALWAYS_INLINE void look_along(const uint8_t board[], int king, int step, int line,
                                 enum pm_color us, struct sight *sight)
{
    const int enemy = bit_of(other(us));
    const int first = walk(board, king, step);
    if ((board[first] & bit_of(us)) != 0) {
        const int second = walk(board, first, step);
        if (has_all(board[second], enemy | line))
            sight->pin[sight->pin_count++] = (struct pin){
                .square = first, .piece = board[first], .step = step, .pinner = second};
    } else if (has_all(board[first], enemy | line)) {
        see_checker(sight, first, step);
    }
}

PM_ALWAYS_INLINE void look_around(const uint8_t board[], int king, enum pm_color us,
                                  struct sight *sight)
{
    const int enemy = bit_of(other(us));
    sight->checker_count = 0;
    sight->pin_count = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        look_along(board, king, straight_steps[i], STRAIGHT, us, sight);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        look_along(board, king, diagonal_steps[i], DIAGONAL, us, sight);
    for (int side = -1; side <= 1; side += 2)
        if (board[king + up_of(us) + side] == (enemy | PAWN))
            see_checker(sight, king + up_of(us) + side, up_of(us) + side);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        if (board[king + knight_jumps[i]] == (enemy | KNIGHT))
            see_checker(sight, king + knight_jumps[i], knight_jumps[i]);
}

/* ---- Legal moves ----------------------------------------------------------------------------
 * Every function below adds moves to `list` behind the `count` that it holds and returns the new
 * count. With list NULL, a constant in each use, they only count. */

PM_ALWAYS_INLINE unsigned add_if(bool legal, struct move *list, unsigned count, ptrdiff_t from,
                                 ptrdiff_t to, enum kind kind, int promotion)
{
    if (list != NULL)
        list[count] = pack(from, to, kind, promotion);
    return count + legal;
}

PM_ALWAYS_INLINE unsigned add(struct move *list, unsigned count, ptrdiff_t from, ptrdiff_t to)
{
    return add_if(true, list, count, from, to, NORMAL, 0);
}

PM_ALWAYS_INLINE unsigned add_promotions(struct move *list, unsigned count, ptrdiff_t from,
                                         ptrdiff_t to)
{
    count = add_if(true, list, count, from, to, PROMOTION, QUEEN);
    count = add_if(true, list, count, from, to, PROMOTION, ROOK);
    count = add_if(true, list, count, from, to, PROMOTION, BISHOP);
    return add_if(true, list, count, from, to, PROMOTION, KNIGHT);
}

PM_ALWAYS_INLINE unsigned pawn_captures(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                        struct move *list, unsigned count)
{
    const int enemy = bit_of(other(us));
    for (int side = -1; side <= 1; side += 2) {
        const ptrdiff_t to = from + up_of(us) + side;
        if (!on_seventh_rank(from, us))
            count = add_if((board[to] & enemy) != 0, list, count, from, to, NORMAL, 0);
        else if ((board[to] & enemy) != 0)
            count = add_promotions(list, count, from, to);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned pawn_pushes(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                      struct move *list, unsigned count)
{
    const ptrdiff_t to = from + up_of(us);
    const bool single = board[to] == EMPTY;
    if (on_seventh_rank(from, us))
        return single ? add_promotions(list, count, from, to) : count;
    const bool twice = single && on_second_rank(from, us) && board[to + up_of(us)] == EMPTY;
    count = add_if(single, list, count, from, to, NORMAL, 0);
    return add_if(twice, list, count, from, to + up_of(us), DOUBLE_PUSH, 0);
}

PM_ALWAYS_INLINE unsigned knight_moves(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                       struct move *list, unsigned count)
{
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const ptrdiff_t to = from + knight_jumps[i];
        count = add_if((board[to] & (bit_of(us) | GUARD)) == 0, list, count, from, to, NORMAL, 0);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned slides(const uint8_t board[], ptrdiff_t from, const int steps[4],
                                 enum pm_color us, struct move *list, unsigned count)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        ptrdiff_t to = from + steps[i];
        for (; board[to] == EMPTY; to += steps[i])
            count = add(list, count, from, to);
        count = add_if((board[to] & bit_of(other(us))) != 0, list, count, from, to, NORMAL, 0);
    }
    return count;
}

/* The pieces that are neither kings nor pinned. */
PM_ALWAYS_INLINE unsigned free_pieces_moves(const struct state *state, enum pm_color us,
                                            struct move *list, unsigned count)
{
    const uint8_t *board = state->board;
    for (int i = KING_SLOT + 1; i < state->pieces_end[us]; i++) {
        const int from = state->pieces[us][i];
        switch (board[from] & KIND) {
        case PAWN:
            count = pawn_pushes(board, from, us, list, count);
            count = pawn_captures(board, from, us, list, count);
            break;
        case KNIGHT:
            count = knight_moves(board, from, us, list, count);
            break;
        case BISHOP:
            count = slides(board, from, diagonal_steps, us, list, count);
            break;
        case QUEEN:
            count = slides(board, from, diagonal_steps, us, list, count);
            count = slides(board, from, straight_steps, us, list, count);
            break;
        case ROOK:
            count = slides(board, from, straight_steps, us, list, count);
            break;
        default: /* captured, or pinned */
            break;
        }
    }
    return count;
}

/* A pinned piece moves between its king and the pinner, or takes the pinner. */
PM_ALWAYS_INLINE unsigned pinned_moves(const uint8_t board[], int king, const struct pin *pin,
                                       enum pm_color us, struct move *list, unsigned count)
{
    const int from = pin->square;
    const int ahead = pin->step * up_of(us) > 0 ? pin->step : -pin->step; /* the line, forwards */
    const int line = abs(pin->step) == 1 || abs(pin->step) == ROW ? STRAIGHT : DIAGONAL;
    if ((pin->piece & line) != 0) {
        for (int to = king + pin->step; to != pin->pinner; to += pin->step)
            if (to != from)
                count = add(list, count, from, to);
        return add(list, count, from, pin->pinner);
    }
    if ((pin->piece & KIND) != PAWN)
        return count;
    if (ahead == up_of(us))
        return pawn_pushes(board, from, us, list, count);
    if (line == DIAGONAL && from + ahead == pin->pinner)
        return on_seventh_rank(from, us) ? add_promotions(list, count, from, pin->pinner)
                                         : add(list, count, from, pin->pinner);
    return count;
}

/* Unpinned pieces's moves to one square: found by walking from it. */
PM_ALWAYS_INLINE unsigned moves_to(const uint8_t board[], int to, enum pm_color us,
                                   struct move *list, unsigned count)
{
    const int own = bit_of(us);
    const int down = -up_of(us);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const int from = walk(board, to, king_steps[i]);
        const int line = abs(king_steps[i]) == 1 || abs(king_steps[i]) == ROW ? STRAIGHT : DIAGONAL;
        count = add_if(has_all(board[from], own | line), list, count, from, to, NORMAL, 0);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const int from = to + knight_jumps[i];
        count = add_if(board[from] == (own | KNIGHT), list, count, from, to, NORMAL, 0);
    }
    const bool capture = board[to] != EMPTY;
    for (int side = -1; side <= 1; side++) {
        const int from = to + down + side;
        if (capture == (side != 0) && board[from] == (own | PAWN))
            count = on_seventh_rank(from, us) ? add_promotions(list, count, from, to)
                                              : add(list, count, from, to);
    }
    const int start = to + 2 * down;
    const bool twice = !capture && board[to + down] == EMPTY && on_second_rank(start, us) &&
                       board[start] == (own | PAWN);
    return add_if(twice, list, count, start, to, DOUBLE_PUSH, 0);
}

PM_ALWAYS_INLINE bool is_en_passant_legal(const struct state *state, int from, enum pm_color us)
{
    uint8_t after[BOARD_SIZE];
    memcpy(after, state->board, sizeof after);
    after[from] = EMPTY;
    after[state->en_passant - up_of(us)] = EMPTY;
    after[state->en_passant] = (uint8_t)(bit_of(us) | PAWN);
    return !is_attacked(after, state->pieces[us][KING_SLOT], other(us));
}

static inline unsigned en_passant_moves(const struct state *state, enum pm_color us,
                                        struct move *list)
{
    unsigned count = 0;
    const int to = state->en_passant;
    for (int side = -1; side <= 1; side += 2) {
        const int from = to - up_of(us) + side;
        if (state->board[from] == (bit_of(us) | PAWN) && is_en_passant_legal(state, from, us))
            count = add_if(true, list, count, from, to, EN_PASSANT, 0);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned king_moves(struct state *state, enum pm_color us, struct move *list,
                                     unsigned count)
{
    uint8_t *board = state->board;
    const ptrdiff_t king = state->pieces[us][KING_SLOT];
    const ptrdiff_t enemy_king = state->pieces[other(us)][KING_SLOT];
    board[king] = EMPTY; /* it gives no shelter to the squares behind it */
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const ptrdiff_t to = king + king_steps[i];
        if ((board[to] & (bit_of(us) | GUARD)) == 0 && !is_king_step(to, enemy_king) &&
            !is_attacked(board, to, other(us)))
            count = add(list, count, king, to);
    }
    board[king] = (uint8_t)(bit_of(us) | KING);
    return count;
}

PM_ALWAYS_INLINE bool all_empty(const uint8_t board[], ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t last = a < b ? b : a;
    for (ptrdiff_t square = a < b ? a : b; square <= last; square++)
        if (board[square] != EMPTY)
            return false;
    return true;
}

/* King and rook are lifted for the test. An enemy slider behind the lifted rook sees no square that
 * it would not see after the castling as well: all between them must be empty. */
PM_ALWAYS_INLINE bool can_castle(struct state *state, enum pm_color us, enum pm_castling_side side)
{
    uint8_t *board = state->board;
    const ptrdiff_t king = state->pieces[us][KING_SLOT];
    const ptrdiff_t enemy_king = state->pieces[other(us)][KING_SLOT];
    const ptrdiff_t rook = state->castling_rook[us][side];
    const struct castling end = castling_squares(us, side);
    const int step = (king > end.king_to) - (king < end.king_to);
    const uint8_t lifted_rook = board[rook]; /* it may be marked as pinned */

    board[king] = EMPTY;
    board[rook] = EMPTY;
    bool legal = all_empty(board, king, end.king_to) && all_empty(board, rook, end.rook_to);
    ptrdiff_t square = end.king_to;
    if (legal)
        do {
            legal = !is_king_step(square, enemy_king) && !is_attacked(board, square, other(us));
            square += step;
        } while (legal && square != king && step != 0);
    board[king] = (uint8_t)(bit_of(us) | KING);
    board[rook] = lifted_rook;
    return legal;
}

PM_ALWAYS_INLINE unsigned castling_moves(struct state *state, enum pm_color us, struct move *list,
                                         unsigned count)
{
    for (int i = 0; i < PM_CASTLING_SIDE_COUNT; i++) {
        const enum pm_castling_side side = (enum pm_castling_side)i;
        if ((state->rights & right_bit(us, side)) != 0 && can_castle(state, us, side))
            count = add_if(true, list, count, state->pieces[us][KING_SLOT],
                           state->castling_rook[us][side], CASTLING, 0);
    }
    return count;
}

/* All legal moves. The board is changed on the way, and as it was at the end. */
PM_ALWAYS_INLINE unsigned generate(struct state *state, enum pm_color us, struct move *list)
{
    uint8_t *board = state->board;
    const int king = state->pieces[us][KING_SLOT];
    struct sight sight;
    unsigned count = 0;

    look_around(board, king, us, &sight);
    if (state->en_passant != NOWHERE)
        count = en_passant_moves(state, us, list);
    count = king_moves(state, us, list, count);
    if (sight.checker_count > 1)
        return count;

    for (int i = 0; i < sight.pin_count; i++)
        board[sight.pin[i].square] = (uint8_t)bit_of(us);
    if (sight.checker_count == 1) {
        for (int to = sight.checker[0]; to != king; to -= sight.checker_step[0])
            count = moves_to(board, to, us, list, count);
    } else {
        for (int i = 0; i < sight.pin_count; i++)
            count = pinned_moves(board, king, &sight.pin[i], us, list, count);
        count = free_pieces_moves(state, us, list, count);
        if ((state->rights & (right_bit(us, PM_KINGSIDE) | right_bit(us, PM_QUEENSIDE))) != 0)
            count = castling_moves(state, us, list, count);
    }
    for (int i = 0; i < sight.pin_count; i++)
        board[sight.pin[i].square] = (uint8_t)sight.pin[i].piece;
    return count;
}

#endif
