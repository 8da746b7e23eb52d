/* SPDX-License-Identifier: MIT */
/* A kernel of the slider family: compiled once for each technique, whose header is
 * SLIDERS_HEADER. The kernel is named sliders_TECHNIQUE. */
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/sliders/names.h"
#include SLIDERS_HEADER
#include "kernels/sliders/generate.h"

#include <stdbool.h>
#include <stddef.h>

struct state {
    struct board board;
    uint16_t halfmove_clock, fullmove_number;
    uint8_t side_to_move;
};

static unsigned list_moves(const struct state *state, struct move moves[PM_MAX_MOVES])
{
    return state->side_to_move == PM_WHITE ? generate(&state->board, PM_WHITE, moves)
                                           : generate(&state->board, PM_BLACK, moves);
}

static struct pm_move neutral_move(const struct board *board, struct move move)
{
    static const uint8_t kinds[] = {[KIND_DOUBLE_PUSH] = PM_MOVE_DOUBLE_PUSH,
                                    [KIND_EN_PASSANT] = PM_MOVE_EN_PASSANT,
                                    [KIND_CASTLING] = PM_MOVE_CASTLING};
    struct pm_move neutral = {.from = move.from, .to = move.to};
    if (move.kind == KIND_PROMOTION)
        neutral.promotion = move.type;
    if (move.kind != KIND_PLAIN && move.kind != KIND_PROMOTION)
        neutral.kind = kinds[move.kind];
    else if ((board->pieces[PM_WHITE] | board->pieces[PM_BLACK]) & pm_bit(move.to))
        neutral.kind = PM_MOVE_CAPTURE;
    return neutral;
}

static uint64_t perft_black(const struct board *board, int depth, bool bulk);

/* The leaf of a compile-time color; never at depth 1 of a bulk count. */
PM_ALWAYS_INLINE uint64_t perft_moves(const struct board *board, enum pm_color us, int depth,
                                      bool bulk, uint64_t (*reply)(const struct board *, int, bool))
{
    struct move moves[PM_MAX_MOVES];
    const unsigned count = generate(board, us, moves);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct board child = *board;
        make(&child, us, moves[i]);
        if (depth > 1) {
            nodes += reply(&child, depth - 1, bulk);
        } else {
            /* Keeps the compiler from leaving out the making of a leaf. */
            __asm__ volatile("" : : "r"(&child) : "memory");
            nodes++;
        }
    }
    return nodes;
}

static uint64_t perft_white(const struct board *board, int depth, bool bulk)
{
    return depth == 1 && bulk ? generate(board, PM_WHITE, NULL)
                              : perft_moves(board, PM_WHITE, depth, bulk, perft_black);
}

static uint64_t perft_black(const struct board *board, int depth, bool bulk)
{
    return depth == 1 && bulk ? generate(board, PM_BLACK, NULL)
                              : perft_moves(board, PM_BLACK, depth, bulk, perft_white);
}

static enum pm_status sliders_init(void)
{
    static bool is_ready;
    if (!is_ready) {
        build_common();
        build_technique();
    }
    is_ready = true;
    return PM_OK;
}

static enum pm_status sliders_set_position(void *opaque, const struct pm_position *position)
{
    struct state *const state = opaque;
    *state = (struct state){.halfmove_clock = position->halfmove_clock,
                            .fullmove_number = position->fullmove_number,
                            .side_to_move = position->side_to_move};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece == PM_EMPTY)
            continue;
        toggle(&state->board, pm_type_of(piece), pm_bit(square));
        state->board.pieces[pm_color_of(piece)] |= pm_bit(square);
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                state->board.rights |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        state->board.rights |= pm_bit(position->en_passant);
    return PM_OK;
}

static enum pm_status sliders_get_position(const void *opaque, struct pm_position *position)
{
    const struct state *const state = opaque;
    const struct board *const board = &state->board;
    const uint64_t en_passant = board->rights & ~HOME_RANKS;
    *position = (struct pm_position){
        .side_to_move = state->side_to_move,
        .en_passant = en_passant ? (pm_square)pm_lsb(en_passant) : PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number};
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (uint64_t rest = board->pieces[color]; rest;) {
            const unsigned square = pm_pop_lsb(&rest);
            position->board[square] = pm_make_piece((enum pm_color)color, type_on(board, square));
        }
    for (uint64_t rest = board->rights & HOME_RANKS; rest;) {
        const unsigned rook = pm_pop_lsb(&rest);
        const enum pm_color color = rook < 8 ? PM_WHITE : PM_BLACK;
        const bool kingside = rook > pm_lsb(board->kings & board->pieces[color]);
        position->castling_rook[color][kingside ? PM_KINGSIDE : PM_QUEENSIDE] = (pm_square)rook;
    }
    return PM_OK;
}

static enum pm_status sliders_legal_moves(const void *opaque, struct pm_move neutral[PM_MAX_MOVES],
                                          unsigned *count)
{
    const struct state *const state = opaque;
    struct move moves[PM_MAX_MOVES];
    *count = list_moves(state, moves);
    for (unsigned i = 0; i < *count; i++)
        neutral[i] = neutral_move(&state->board, moves[i]);
    return PM_OK;
}

static void play_legal(struct state *state, struct move move, bool resets_clock)
{
    if (state->side_to_move == PM_WHITE)
        make(&state->board, PM_WHITE, move);
    else
        make(&state->board, PM_BLACK, move);
    state->halfmove_clock = resets_clock ? 0 : pm_clock_next(state->halfmove_clock);
    if (state->side_to_move == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side_to_move ^= 1;
}

static enum pm_status sliders_play(void *opaque, const struct pm_move *move)
{
    struct state *const state = opaque;
    struct move moves[PM_MAX_MOVES];
    const unsigned count = list_moves(state, moves);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = neutral_move(&state->board, moves[i]);
        if (!pm_move_equal(&legal, move))
            continue;
        play_legal(state, moves[i],
                   legal.kind == PM_MOVE_CAPTURE || type_on(&state->board, move->from) == PM_PAWN);
        return PM_OK;
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status sliders_perft(const void *opaque, int depth, enum pm_mode mode,
                                    uint64_t *nodes)
{
    const struct state *const state = opaque;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    const bool bulk = mode == PM_MODE_BULK;
    *nodes = state->side_to_move == PM_WHITE ? perft_white(&state->board, depth, bulk)
                                             : perft_black(&state->board, depth, bulk);
    return PM_OK;
}

static enum pm_status sliders_attacks(const void *opaque, struct pm_attacks *attacks)
{
    const struct state *const state = opaque;
    const enum pm_color us = (enum pm_color)state->side_to_move;
    const struct view view = view_of(&state->board, us);
    *attacks =
        (struct pm_attacks){.checkers = view.checkers,
                            .pinned = view.pinned,
                            .attacked = attacked_by(&state->board, other(us), view.occupied)};
    return PM_OK;
}

const struct pm_kernel JOIN(pm_kernel_sliders_, SLIDERS_TECHNIQUE) = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "sliders_" TEXT_OF(SLIDERS_TECHNIQUE),
    .family = "sliders",
    .lineage = "sliders",
    .technique = TECHNIQUE,
    .summary = "The slider family's bitboard generator with sliding attacks by " TECHNIQUE ".",
    .reference = REFERENCE,
    .revision = PM_KERNEL_REVISION,
    .cpu_required = COMMON_CPU_REQUIRED | CPU_REQUIRED,
    .cpu_slow = CPU_SLOW,
    .capabilities = PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 |
                    PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = sliders_init,
    .set_position = sliders_set_position,
    .get_position = sliders_get_position,
    .legal_moves = sliders_legal_moves,
    .play = sliders_play,
    .perft = sliders_perft,
    .attacks = sliders_attacks,
};
