/* SPDX-License-Identifier: MIT */
/* The kernel contract (core/kernel.h) for the plain generator and the lookahead. */
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/reply512/board.h"
#include "kernels/reply512/expand.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/lookahead.h"
#include "kernels/reply512/tables.h"

#include <stdint.h>
#include <string.h>

struct state {
    struct board board;
    uint16_t halfmove_clock, fullmove_number;
    uint8_t side_to_move;
};

/* ---- Perft ---- */

/* How leaves are counted: the mode, and whether its lookahead must look out for castlings that it
 * does not know. */
enum counting { COUNT_MADE, COUNT_BULK, COUNT_LOOKAHEAD, COUNT_LOOKAHEAD_CHESS960 };

struct subtree {
    enum pm_color us; /* who moves at its root */
    int depth;
    enum counting counting;
};

static uint64_t perft_white(const struct board *board, int depth, enum counting counting);
static uint64_t perft_black(const struct board *board, int depth, enum counting counting);

static uint64_t visit_subtree(void *context, const struct board *child, struct pm_move move)
{
    (void)move;
    const struct subtree *subtree = context;
    return subtree->us == PM_WHITE ? perft_white(child, subtree->depth, subtree->counting)
                                   : perft_black(child, subtree->depth, subtree->counting);
}

static uint64_t visit_leaf(void *context, const struct board *child, struct pm_move move)
{
    (void)context;
    (void)move;
    __asm__ volatile("" : : "m"(*child)); /* keeps the compiler from leaving the move out */
    return 1;
}

PM_ALWAYS_INLINE uint64_t perft_of(const struct board *board, enum pm_color us, int depth,
                                   enum counting counting)
{
    if (depth == 2 && counting >= COUNT_LOOKAHEAD &&
        !(counting == COUNT_LOOKAHEAD_CHESS960 && castles_as_in_chess960(board)))
        return us == PM_WHITE ? count_two_plies_white(board) : count_two_plies_black(board);
    if (depth == 2 && counting != COUNT_MADE)
        return count_two_plies_plainly(board, us);
    if (depth == 1 && counting != COUNT_MADE)
        return us == PM_WHITE ? count_white_moves(board) : count_black_moves(board);
    if (depth == 1)
        return visit_moves((struct visitor){visit_leaf, NULL}, board, us);
    if (depth == 3 && counting == COUNT_LOOKAHEAD)
        return count_three_plies(board, us);
    struct subtree subtree = {opponent(us), depth - 1, counting};
    return visit_moves((struct visitor){visit_subtree, &subtree}, board, us);
}

NOINLINE uint64_t perft_white(const struct board *board, int depth, enum counting counting)
{
    return perft_of(board, PM_WHITE, depth, counting);
}
NOINLINE uint64_t perft_black(const struct board *board, int depth, enum counting counting)
{
    return perft_of(board, PM_BLACK, depth, counting);
}

static enum counting counting_of(const struct board *board, enum pm_mode mode)
{
    if (mode == PM_MODE_MAKE)
        return COUNT_MADE;
    if (mode == PM_MODE_BULK || !fits_reply_board(board))
        return COUNT_BULK;
    return castles_as_in_chess960(board) ? COUNT_LOOKAHEAD_CHESS960 : COUNT_LOOKAHEAD;
}

static enum pm_status reply512_perft(const void *memory, int depth, enum pm_mode mode,
                                     uint64_t *nodes)
{
    const struct state *state = memory;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK && mode != PM_MODE_LOOKAHEAD)
        return PM_ERROR_UNSUPPORTED;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    const enum counting counting = counting_of(&state->board, mode);
    *nodes = state->side_to_move == PM_WHITE ? perft_white(&state->board, depth, counting)
                                             : perft_black(&state->board, depth, counting);
    return PM_OK;
}

/* ---- Positions and moves ---- */

static enum pm_status reply512_init(void)
{
    fill_tables();
    return PM_OK;
}

static enum pm_status reply512_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    struct board *board = &state->board;
    memset(state, 0, sizeof *state);
    state->halfmove_clock = position->halfmove_clock;
    state->fullmove_number = position->fullmove_number;
    state->side_to_move = position->side_to_move;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        const enum pm_piece_type type = pm_type_of(piece);
        const uint64_t set = pm_bit(square);
        if (piece == PM_EMPTY)
            continue;
        board->pieces[pm_color_of(piece)] |= set;
        board->pawns |= type == PM_PAWN ? set : 0;
        board->knights |= type == PM_KNIGHT ? set : 0;
        board->diagonals |= type == PM_BISHOP || type == PM_QUEEN ? set : 0;
        board->straights |= type == PM_ROOK || type == PM_QUEEN ? set : 0;
        board->kings |= type == PM_KING ? set : 0;
    }
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                board->rights |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        board->rights |= pm_bit(position->en_passant);
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

static enum pm_status reply512_get_position(const void *memory, struct pm_position *position)
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
        const enum pm_color us = (enum pm_color)color;
        const uint64_t king = board->kings & board->pieces[us];
        for (uint64_t rest = board->pieces[us]; rest; rest = pm_without_lsb(rest))
            position->board[pm_lsb(rest)] = pm_make_piece(us, type_on(board, rest & -rest));
        for (uint64_t rest = castling_rooks(board, us); rest; rest = pm_without_lsb(rest))
            position->castling_rook[us][(rest & -rest) > king ? PM_KINGSIDE : PM_QUEENSIDE] =
                (pm_square)pm_lsb(rest);
    }
    if (board->rights & ~BACK_RANKS)
        position->en_passant = (pm_square)pm_lsb(board->rights & ~BACK_RANKS);
    return PM_OK;
}

NOINLINE uint64_t visit_state(struct visitor visitor, const struct state *state)
{
    return state->side_to_move == PM_WHITE ? visit_moves(visitor, &state->board, PM_WHITE)
                                           : visit_moves(visitor, &state->board, PM_BLACK);
}

static uint64_t visit_to_list(void *context, const struct board *child, struct pm_move move)
{
    struct pm_move **next = context;
    (void)child;
    *(*next)++ = move;
    return 1;
}

static enum pm_status reply512_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                           unsigned *count)
{
    struct pm_move *next = moves;
    *count = (unsigned)visit_state((struct visitor){visit_to_list, &next}, memory);
    return PM_OK;
}

struct wanted {
    const struct pm_move *move;
    struct board played;
};

static uint64_t visit_to_play(void *context, const struct board *child, struct pm_move move)
{
    struct wanted *wanted = context;
    if (!pm_move_equal(&move, wanted->move))
        return 0;
    wanted->played = *child;
    return 1;
}

static enum pm_status reply512_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct wanted wanted = {.move = move};
    if (!visit_state((struct visitor){visit_to_play, &wanted}, state))
        return PM_ERROR_ILLEGAL;
    const int resets_clock =
        move->kind == PM_MOVE_CAPTURE || (state->board.pawns & pm_bit(move->from)) != 0;
    state->halfmove_clock = resets_clock ? 0 : pm_clock_next(state->halfmove_clock);
    if (state->side_to_move == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side_to_move ^= 1;
    state->board = wanted.played;
    return PM_OK;
}

static enum pm_status reply512_attacks(const void *memory, struct pm_attacks *attacks)
{
    const struct state *state = memory;
    const enum pm_color us = (enum pm_color)state->side_to_move;
    const struct view view = view_of(&state->board, us);
    *attacks = (struct pm_attacks){
        .checkers = view.checkers,
        .pinned = view.pinned,
        .attacked = attacked_by(&state->board, opponent(us), view.occupied),
    };
    return PM_OK;
}

const struct pm_kernel pm_kernel_reply512 = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "reply512",
    .lineage = "pext",
    .technique = "two plies at once on a 64-byte reply board, AVX-512",
    .summary = "Counts the replies to all landing squares in one vector of bytes, and the last two "
               "plies as sums over it: most children are never visited.",
    .reference = "this project; counting replies without making the moves that can't matter: "
                 "null-move counting in Richard Delorme's MPerft",
    .revision = PM_KERNEL_REVISION,
    .cpu_required = PM_CPU_POPCNT | PM_CPU_BMI1 | PM_CPU_BMI2 | PM_CPU_LZCNT | PM_CPU_AVX512F |
                    PM_CPU_AVX512BW | PM_CPU_AVX512VL | PM_CPU_AVX512VBMI | PM_CPU_AVX512VBMI2 |
                    PM_CPU_AVX512BITALG | PM_CPU_AVX512VPOPCNTDQ | PM_CPU_GFNI,
    .cpu_slow = PM_CPU_QUIRK_SLOW_PEXT,
    .capabilities = PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) |
                    PM_CAN_MODE(PM_MODE_LOOKAHEAD) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = reply512_init,
    .set_position = reply512_set_position,
    .get_position = reply512_get_position,
    .legal_moves = reply512_legal_moves,
    .play = reply512_play,
    .perft = reply512_perft,
    .attacks = reply512_attacks,
    .expander = &reply512_expander,
};
