/* SPDX-License-Identifier: MIT */
/* The kernel contract (core/kernel.h) for the generator in visit.h and count.h. */
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/pext/board.h"
#include "kernels/pext/castling.h"
#include "kernels/pext/count.h"
#include "kernels/pext/expand.h"
#include "kernels/pext/tables.h"
#include "kernels/pext/view.h"
#include "kernels/pext/visit.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct state {
    struct board board;
    uint16_t halfmove_clock, fullmove_number;
    uint8_t side_to_move;
};

/* Lists moves or plays one: the same code as counts them, but not made for speed. */
static __attribute__((noinline)) uint64_t visit_state(struct visitor *visitor,
                                                      const struct state *state)
{
    const struct castling_rules rules = castling_rules_of(&state->board);
    visitor->rules = &rules;
    return state->side_to_move == PM_WHITE ? visit_moves(visitor, &state->board, PM_WHITE)
                                           : visit_moves(visitor, &state->board, PM_BLACK);
}

static enum pm_status pext_init(void)
{
    fill_tables();
    return PM_OK;
}

static void put_piece(struct board *board, unsigned square, pm_piece piece)
{
    const uint64_t set = pm_bit(square);
    const enum pm_piece_type type = pm_type_of(piece);
    board->pieces[pm_color_of(piece)] |= set;
    if (type == PM_PAWN)
        board->pawns |= set;
    if (type == PM_KNIGHT)
        board->knights |= set;
    if (type == PM_BISHOP || type == PM_QUEEN)
        board->diagonals |= set;
    if (type == PM_ROOK || type == PM_QUEEN)
        board->straights |= set;
    if (type == PM_KING)
        board->kings |= set;
}

static enum pm_status pext_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    state->halfmove_clock = position->halfmove_clock;
    state->fullmove_number = position->fullmove_number;
    state->side_to_move = position->side_to_move;

    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        if (position->board[square] != PM_EMPTY)
            put_piece(&state->board, square, position->board[square]);
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                state->board.rights |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        state->board.rights |= pm_bit(position->en_passant);
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

static enum pm_status pext_get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    const struct board *board = &state->board;
    *position = (struct pm_position){
        .side_to_move = state->side_to_move,
        .en_passant = PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number,
    };
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        for (uint64_t rest = board->pieces[color]; rest; rest = pm_without_lsb(rest))
            position->board[pm_lsb(rest)] =
                pm_make_piece((enum pm_color)color, type_on(board, rest & -rest));
        const uint64_t king = board->kings & board->pieces[color];
        for (uint64_t rest = castling_rooks(board, (enum pm_color)color); rest;
             rest = pm_without_lsb(rest))
            position->castling_rook[color][(rest & -rest) > king ? PM_KINGSIDE : PM_QUEENSIDE] =
                (pm_square)pm_lsb(rest);
    }
    if (board->rights & ~CASTLING_RANKS)
        position->en_passant = (pm_square)pm_lsb(board->rights & ~CASTLING_RANKS);
    return PM_OK;
}

static enum pm_status pext_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                       unsigned *count)
{
    struct visitor visitor = {.visit = VISIT_LIST, .list = moves};
    *count = (unsigned)visit_state(&visitor, memory);
    return PM_OK;
}

/* What such a move is, apart from its legality; castling is not looked at. */
static enum pm_move_kind kind_of(const struct board *board, enum pm_color us,
                                 enum pm_piece_type type, const struct pm_move *move)
{
    const uint64_t to = pm_bit(move->to);
    if (board->pieces[opponent(us)] & to)
        return PM_MOVE_CAPTURE;
    if (type == PM_PAWN && (to & en_passant_target(board, us)))
        return PM_MOVE_EN_PASSANT;
    return type == PM_PAWN && (move->from ^ move->to) == 16 ? PM_MOVE_DOUBLE_PUSH : PM_MOVE_QUIET;
}

static bool promotes_rightly(enum pm_piece_type type, const struct pm_move *move)
{
    if (type == PM_PAWN && (CASTLING_RANKS & pm_bit(move->to)))
        return move->promotion >= PM_KNIGHT && move->promotion <= PM_QUEEN;
    return move->promotion == PM_NO_PIECE_TYPE;
}

/* Plays a legal move that is no castling; false if it is not legal. */
static bool play_by_origin(const struct board *board, enum pm_color us, const struct pm_move *move,
                           struct board *played)
{
    if (move->from >= PM_SQUARE_COUNT || move->to >= PM_SQUARE_COUNT)
        return false;
    const uint64_t from = pm_bit(move->from), to = pm_bit(move->to);
    const enum pm_piece_type type = type_on(board, from);
    if (!(board->pieces[us] & from) || !promotes_rightly(type, move) ||
        move->kind != kind_of(board, us, type, move) ||
        !(origins_of(board, us, type, move->to) & from))
        return false;
    if (move->promotion != PM_NO_PIECE_TYPE)
        after_promotion(played, board, us, (enum pm_piece_type)move->promotion, from, to);
    else if (move->kind == PM_MOVE_DOUBLE_PUSH)
        after_double_push(played, board, us, from, to);
    else if (move->kind == PM_MOVE_EN_PASSANT)
        after_en_passant(played, board, us, from, to);
    else
        after_move(played, board, us, type, from, to);
    return true;
}

static enum pm_status pext_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct board played;
    struct visitor visitor = {.visit = VISIT_PLAY, .wanted = *move, .played = &played};
    const bool is_legal =
        move->kind == PM_MOVE_CASTLING
            ? visit_state(&visitor, state) != 0
            : play_by_origin(&state->board, (enum pm_color)state->side_to_move, move, &played);
    if (!is_legal)
        return PM_ERROR_ILLEGAL;

    const int resets_clock =
        move->kind == PM_MOVE_CAPTURE || (state->board.pawns & pm_bit(move->from)) != 0;
    state->halfmove_clock = resets_clock ? 0 : pm_clock_next(state->halfmove_clock);
    if (state->side_to_move == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side_to_move ^= 1;
    state->board = played;
    return PM_OK;
}

static enum pm_status pext_perft(const void *memory, int depth, enum pm_mode mode, uint64_t *nodes)
{
    const struct state *state = memory;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    const struct castling_rules rules = castling_rules_of(&state->board);
    *nodes = state->side_to_move == PM_WHITE ? perft_white(&state->board, &rules, depth, mode)
                                             : perft_black(&state->board, &rules, depth, mode);
    return PM_OK;
}

static enum pm_status pext_attacks(const void *memory, struct pm_attacks *attacks)
{
    const struct state *state = memory;
    const enum pm_color us = (enum pm_color)state->side_to_move;
    const struct view view = view_of(&state->board, us);
    *attacks = (struct pm_attacks){
        .checkers = view.checkers,
        .pinned = view.pinned,
        .attacked = attacked_squares(&state->board, opponent(us), view.occupied),
    };
    return PM_OK;
}

const struct pm_kernel pm_kernel_pext = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "pext",
    .lineage = "pext",
    .technique = "bitboards, BMI2 PEXT look-ups, legal-only, copy-make",
    .summary = "Counts and visits legal moves only, found by pin and check masks, with sliding "
               "attacks indexed by the PEXT instruction.",
    .reference = "PEXT bitboards, "
                 "https://www.chessprogramming.org/BMI2#PEXTBitboards",
    .revision = PM_KERNEL_REVISION,
    .cpu_required = PM_CPU_POPCNT | PM_CPU_BMI1 | PM_CPU_BMI2,
    .cpu_slow = PM_CPU_QUIRK_SLOW_PEXT,
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = pext_init,
    .set_position = pext_set_position,
    .get_position = pext_get_position,
    .legal_moves = pext_legal_moves,
    .play = pext_play,
    .perft = pext_perft,
    .attacks = pext_attacks,
    .expander = &pext_expander,
};
