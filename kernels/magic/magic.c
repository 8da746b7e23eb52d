/* SPDX-License-Identifier: MIT */
/* Kernel `magic`: the contract's functions around state.h and generate.h. README.md explains. */
#include "core/bits.h"
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/magic/attacks.h"
#include "kernels/magic/expand.h"
#include "kernels/magic/generate.h"
#include "kernels/magic/key.h"
#include "kernels/magic/state.h"

#include <stdbool.h>
#include <string.h>

static unsigned list_white(const struct state *state, packed_move list[PM_MAX_MOVES])
{
    return generate(state, PM_WHITE, (struct sink){.list = list});
}
static unsigned list_black(const struct state *state, packed_move list[PM_MAX_MOVES])
{
    return generate(state, PM_BLACK, (struct sink){.list = list});
}
static unsigned list_moves(const struct state *state, packed_move list[PM_MAX_MOVES])
{
    return state->side_to_move == PM_WHITE ? list_white(state, list) : list_black(state, list);
}

static uint64_t bulk_white(struct state *state, int depth);
static uint64_t bulk_black(struct state *state, int depth);
static uint64_t make_white(struct state *state, int depth);
static uint64_t make_black(struct state *state, int depth);

/* The leaves below a position whose side to move is `us`. */
PM_ALWAYS_INLINE uint64_t descend(struct state *state, enum pm_color us, int depth, bool bulk)
{
    if (bulk)
        return us == PM_WHITE ? bulk_white(state, depth) : bulk_black(state, depth);
    return us == PM_WHITE ? make_white(state, depth) : make_black(state, depth);
}

PM_ALWAYS_INLINE uint64_t perft_body(struct state *state, enum pm_color us, int depth, bool bulk)
{
    if (bulk && depth == 1)
        return generate(state, us, (struct sink){0});

    packed_move list[PM_MAX_MOVES];
    const unsigned count = us == PM_WHITE ? list_white(state, list) : list_black(state, list);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        make(state, us, list[i], &undo);
        if (depth > 1) {
            nodes += descend(state, !us, depth - 1, bulk);
        } else {
            nodes++;
            /* The leaf is really made: no compiler may see that it is unmade at once. */
            __asm__ volatile("" ::: "memory");
        }
        unmake(state, us, list[i], &undo);
    }
    return nodes;
}

static uint64_t bulk_white(struct state *state, int depth)
{
    return perft_body(state, PM_WHITE, depth, true);
}
static uint64_t bulk_black(struct state *state, int depth)
{
    return perft_body(state, PM_BLACK, depth, true);
}
static uint64_t make_white(struct state *state, int depth)
{
    return perft_body(state, PM_WHITE, depth, false);
}
static uint64_t make_black(struct state *state, int depth)
{
    return perft_body(state, PM_BLACK, depth, false);
}

static struct pm_move neutral_move(const struct state *state, packed_move move)
{
    const unsigned kind = move_kind(move);
    struct pm_move neutral = {.from = (pm_square)move_from(move), .to = (pm_square)move_to(move)};

    if (kind == KIND_DOUBLE_PUSH)
        neutral.kind = PM_MOVE_DOUBLE_PUSH;
    else if (kind == KIND_EN_PASSANT)
        neutral.kind = PM_MOVE_EN_PASSANT;
    else if (kind == KIND_CASTLING)
        neutral.kind = PM_MOVE_CASTLING;
    else
        neutral.kind = state->type[neutral.to] ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
    if (kind >= KIND_PROMOTION)
        neutral.promotion = (uint8_t)promoted_type(kind);
    return neutral;
}

static enum pm_status magic_init(void)
{
    static bool ready;
    if (!ready) {
        build_tables();
        build_zobrist();
    }
    ready = true;
    return PM_OK;
}

static enum pm_status magic_set_position(void *opaque, const struct pm_position *position)
{
    struct state *const state = opaque;
    *state = (struct state){
        .halfmove_clock = position->halfmove_clock,
        .fullmove_number = position->fullmove_number,
        .side_to_move = position->side_to_move,
    };
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece == PM_EMPTY)
            continue;
        state->pieces[pm_color_of(piece)][pm_type_of(piece)] |= pm_bit(square);
        state->pieces[pm_color_of(piece)][0] |= pm_bit(square);
        state->type[square] = (uint8_t)pm_type_of(piece);
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                state->castling |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        state->en_passant = pm_bit(position->en_passant);
    state->key = key_of(state);
    return PM_OK;
}

static enum pm_status magic_get_position(const void *opaque, struct pm_position *position)
{
    const struct state *const state = opaque;
    *position = (struct pm_position){
        .side_to_move = state->side_to_move,
        .en_passant = state->en_passant ? (pm_square)pm_lsb(state->en_passant) : PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number,
    };
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        if (state->type[square]) {
            const bool black = state->pieces[PM_BLACK][0] >> square & 1;
            position->board[square] =
                pm_make_piece(black ? PM_BLACK : PM_WHITE, (enum pm_piece_type)state->type[square]);
        }
    for (uint64_t rooks = state->castling; rooks != 0;) {
        const unsigned rook = pm_pop_lsb(&rooks);
        const enum pm_color color = rook < 8 ? PM_WHITE : PM_BLACK;
        const bool kingside = rook > pm_lsb(state->pieces[color][PM_KING]);
        position->castling_rook[color][kingside ? PM_KINGSIDE : PM_QUEENSIDE] = (pm_square)rook;
    }
    return PM_OK;
}

static enum pm_status magic_legal_moves(const void *opaque, struct pm_move moves[PM_MAX_MOVES],
                                        unsigned *count)
{
    const struct state *const state = opaque;
    packed_move list[PM_MAX_MOVES];
    *count = list_moves(state, list);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = neutral_move(state, list[i]);
    return PM_OK;
}

PM_ALWAYS_INLINE void make_with_key(struct state *state, enum pm_color us, packed_move move)
{
    struct undo undo;
    state->key ^= key_of_en_passant(state, us) ^ key_of_move(state, us, move);
    make(state, us, move, &undo);
    state->key ^= key_of_en_passant(state, !us);
}

static void play_packed(struct state *state, packed_move move)
{
    const bool pawn = state->type[move_from(move)] == PM_PAWN;
    const bool capture = neutral_move(state, move).kind == PM_MOVE_CAPTURE;

    if (state->side_to_move == PM_WHITE)
        make_with_key(state, PM_WHITE, move);
    else
        make_with_key(state, PM_BLACK, move);
    state->halfmove_clock = pawn || capture ? 0 : pm_clock_next(state->halfmove_clock);
    if (state->side_to_move == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side_to_move ^= 1;
}

static enum pm_status magic_play(void *opaque, const struct pm_move *move)
{
    struct state *const state = opaque;
    packed_move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, list);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = neutral_move(state, list[i]);
        if (pm_move_equal(&legal, move)) {
            play_packed(state, list[i]);
            return PM_OK;
        }
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status magic_perft(const void *opaque, int depth, enum pm_mode mode, uint64_t *nodes)
{
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;

    struct state state;
    memcpy(&state, opaque, sizeof state);
    *nodes = descend(&state, (enum pm_color)state.side_to_move, depth, mode == PM_MODE_BULK);
    return PM_OK;
}

static enum pm_status magic_attacks(const void *opaque, struct pm_attacks *attacks)
{
    const struct state *const state = opaque;
    const enum pm_color us = (enum pm_color)state->side_to_move;
    const uint64_t occupied = state->pieces[PM_WHITE][0] | state->pieces[PM_BLACK][0];
    struct threats threats;

    find_threats(state, us, &threats);
    *attacks = (struct pm_attacks){
        .checkers = threats.checkers,
        .pinned = threats.pinned,
        .attacked = attacked_by(state, !us, diagonal_sliders(state, !us),
                                straight_sliders(state, !us), occupied),
    };
    return PM_OK;
}

static enum pm_status magic_key(const void *opaque, uint64_t *key)
{
    *key = ((const struct state *)opaque)->key;
    return PM_OK;
}

static uint64_t magic_count_two_plies(const struct pm_bitboards *board, enum pm_color us)
{
    struct state state;
    read_board(&state, board);
    return descend(&state, us, 2, true);
}

static const struct pm_expander magic_expander = {
    .expand = magic_expand,
    .count_two_plies = magic_count_two_plies,
    .visit_children = magic_visit_children,
};

const struct pm_kernel pm_kernel_magic = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "magic",
    .lineage = "magic",
    .technique = "bitboards, fancy magic multiplication, make/unmake",
    .summary = "Legal-only bitboard generator whose sliders look up magic-indexed tables.",
    .reference = "Lasse Hansen (magic multiplication) and Pradu Kannan (magics of variable size), "
                 "Winboard Forum and CCC, 2006-2007",
    .revision = PM_KERNEL_REVISION,
#ifdef __x86_64__
    .cpu_required = PM_CPU_POPCNT,
#endif
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = magic_init,
    .set_position = magic_set_position,
    .get_position = magic_get_position,
    .legal_moves = magic_legal_moves,
    .play = magic_play,
    .perft = magic_perft,
    .attacks = magic_attacks,
    .key = magic_key,
    .expander = &magic_expander,
};
