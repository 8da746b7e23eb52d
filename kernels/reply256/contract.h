/* SPDX-License-Identifier: MIT */
/* The functions of the kernel contract (core/kernel.h). */
#ifndef PM_REPLY256_CONTRACT_H
#define PM_REPLY256_CONTRACT_H

#include "core/kernel.h"
#include "kernels/reply256/board.h"
#include "kernels/reply256/generate.h"
#include "kernels/reply256/lookahead.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>
#include <string.h>

struct state {
    struct board board; /* as the side to move sees it */
    uint16_t halfmove_clock, fullmove_number;
    uint8_t side_to_move;
};

/* ---- Perft ---- */

/* How leaves are counted: the mode, and whether its lookahead must look out for castlings that it
 * does not know. */
enum counting { COUNT_MADE, COUNT_BULK, COUNT_LOOKAHEAD, COUNT_LOOKAHEAD_CHESS960 };

struct subtree {
    int depth;
    enum counting counting;
};

static uint64_t perft(const struct board *board, int depth, enum counting counting);

static uint64_t visit_subtree(void *context, const struct board *after, struct pm_move move)
{
    (void)move;
    const struct subtree *subtree = context;
    const struct board child = turned(after);
    return perft(&child, subtree->depth, subtree->counting);
}

static uint64_t visit_leaf(void *context, const struct board *after, struct pm_move move)
{
    (void)context;
    (void)move;
    const struct board child = turned(after);
    __asm__ volatile("" : : "m"(child)); /* keeps the compiler from leaving the move out */
    return 1;
}

NOINLINE uint64_t perft(const struct board *board, int depth, enum counting counting)
{
    if (depth == 2 && counting >= COUNT_LOOKAHEAD &&
        !(counting == COUNT_LOOKAHEAD_CHESS960 && castles_as_in_chess960(board)))
        return count_two_plies(board);
    if (depth == 2 && counting != COUNT_MADE)
        return count_two_plies_plainly(board);
    if (depth == 1 && counting != COUNT_MADE)
        return count_moves(board);
    if (depth == 1)
        return visit_moves((struct visitor){visit_leaf, NULL}, board);
    struct subtree subtree = {depth - 1, counting};
    return visit_moves((struct visitor){visit_subtree, &subtree}, board);
}

static enum counting counting_of(const struct board *board, enum pm_mode mode)
{
    if (mode == PM_MODE_MAKE)
        return COUNT_MADE;
    if (mode == PM_MODE_BULK)
        return COUNT_BULK;
    return castles_as_in_chess960(board) ? COUNT_LOOKAHEAD_CHESS960 : COUNT_LOOKAHEAD;
}

/* gcc does so itself where a function that uses them ends, but not on every way out of
 * count_two_plies(); tests/unit/test_calls.c looks. */
PM_ALWAYS_INLINE void clean_upper_halves(void)
{
#ifdef __AVX__
    _mm256_zeroupper();
#endif
}

static enum pm_status reply_perft(const void *memory, int depth, enum pm_mode mode, uint64_t *nodes)
{
    const struct state *state = memory;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK && mode != PM_MODE_LOOKAHEAD)
        return PM_ERROR_UNSUPPORTED;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    *nodes = perft(&state->board, depth, counting_of(&state->board, mode));
    clean_upper_halves();
    return PM_OK;
}

/* ---- Positions and moves ---- */

static enum pm_status reply_init(void)
{
    fill_tables();
    return PM_OK;
}

/* A square as the side to move sees it, or back. */
static pm_square seen_by(unsigned side_to_move, unsigned square)
{
    return (pm_square)(side_to_move == PM_WHITE ? square : square ^ 56);
}

static enum pm_status reply_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    struct board *board = &state->board;
    const unsigned side = position->side_to_move;
    memset(state, 0, sizeof *state);
    state->halfmove_clock = position->halfmove_clock;
    state->fullmove_number = position->fullmove_number;
    state->side_to_move = position->side_to_move;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        const enum pm_piece_type type = pm_type_of(piece);
        const uint64_t set = pm_bit(seen_by(side, square));
        if (piece == PM_EMPTY)
            continue;
        *(pm_color_of(piece) == side ? &board->own : &board->enemy) |= set;
        board->pawns |= type == PM_PAWN ? set : 0;
        board->knights |= type == PM_KNIGHT ? set : 0;
        board->diagonals |= type == PM_BISHOP || type == PM_QUEEN ? set : 0;
        board->straights |= type == PM_ROOK || type == PM_QUEEN ? set : 0;
        board->kings |= type == PM_KING ? set : 0;
    }
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned castling = 0; castling < PM_CASTLING_SIDE_COUNT; castling++)
            if (position->castling_rook[color][castling] != PM_NO_SQUARE)
                board->rights |= pm_bit(seen_by(side, position->castling_rook[color][castling]));
    if (position->en_passant != PM_NO_SQUARE)
        board->rights |= pm_bit(seen_by(side, position->en_passant));
    return PM_OK;
}

static enum pm_piece_type type_on(const struct board *board, uint64_t set)
{
    if (board->pawns & set)
        return PM_PAWN;
    if (board->knights & set)
        return PM_KNIGHT;
    if (board->kings & set)
        return PM_KING;
    if (board->diagonals & board->straights & set)
        return PM_QUEEN;
    return board->diagonals & set ? PM_BISHOP : PM_ROOK;
}

static enum pm_status reply_get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    const struct board *board = &state->board;
    const unsigned side = state->side_to_move;
    *position = (struct pm_position){
        .side_to_move = state->side_to_move,
        .en_passant = PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number,
    };
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        const uint64_t pieces = color == side ? board->own : board->enemy;
        for (uint64_t rest = pieces; rest; rest = pm_without_lsb(rest))
            position->board[seen_by(side, pm_lsb(rest))] =
                pm_make_piece((enum pm_color)color, type_on(board, lowest(rest)));
        for (uint64_t rest = pieces & board->rights; rest; rest = pm_without_lsb(rest))
            position->castling_rook[color][lowest(rest) > (board->kings & pieces) ? PM_KINGSIDE
                                                                                  : PM_QUEENSIDE] =
                seen_by(side, pm_lsb(rest));
    }
    if (en_passant_target(board))
        position->en_passant = seen_by(side, pm_lsb(en_passant_target(board)));
    return PM_OK;
}

struct list {
    unsigned side_to_move;
    struct pm_move *next;
};

static uint64_t visit_to_list(void *context, const struct board *after, struct pm_move move)
{
    struct list *list = context;
    (void)after;
    move.from = seen_by(list->side_to_move, move.from);
    move.to = seen_by(list->side_to_move, move.to);
    *list->next++ = move;
    return 1;
}

static enum pm_status reply_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                        unsigned *count)
{
    const struct state *state = memory;
    struct list list = {state->side_to_move, moves};
    *count = (unsigned)visit_moves((struct visitor){visit_to_list, &list}, &state->board);
    return PM_OK;
}

struct wanted {
    struct pm_move move;
    struct board played;
};

static uint64_t visit_to_play(void *context, const struct board *after, struct pm_move move)
{
    struct wanted *wanted = context;
    if (!pm_move_equal(&move, &wanted->move))
        return 0;
    wanted->played = turned(after);
    return 1;
}

static enum pm_status reply_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct wanted wanted = {.move = *move};
    if (move->from >= PM_SQUARE_COUNT || move->to >= PM_SQUARE_COUNT)
        return PM_ERROR_ILLEGAL;
    wanted.move.from = seen_by(state->side_to_move, move->from);
    wanted.move.to = seen_by(state->side_to_move, move->to);
    const int resets_clock =
        move->kind == PM_MOVE_CAPTURE || (state->board.pawns & pm_bit(wanted.move.from)) != 0;
    if (!visit_moves((struct visitor){visit_to_play, &wanted}, &state->board))
        return PM_ERROR_ILLEGAL;
    state->halfmove_clock = resets_clock ? 0 : pm_clock_next(state->halfmove_clock);
    if (state->side_to_move == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side_to_move ^= 1;
    state->board = wanted.played;
    return PM_OK;
}

static enum pm_status reply_attacks(const void *memory, struct pm_attacks *attacks)
{
    const struct state *state = memory;
    const struct view view = view_of(&state->board);
    const int turn = state->side_to_move == PM_BLACK;
    const uint64_t attacked = attacked_by_enemy(&state->board, view.occupied);
    *attacks = (struct pm_attacks){
        .checkers = turn ? __builtin_bswap64(view.checkers) : view.checkers,
        .pinned = turn ? __builtin_bswap64(view.pinned) : view.pinned,
        .attacked = turn ? __builtin_bswap64(attacked) : attacked,
    };
    return PM_OK;
}

#endif
