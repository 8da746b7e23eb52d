/* SPDX-License-Identifier: MIT */
/* 10x12 mailbox: make, unmake, perft and the contract. README.md explains the technique. */
#include "core/kernel.h"
#include "kernels/mailbox/moves.h"
#include "kernels/mailbox/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Make and unmake ------------------------------------------------------------------------ */

/* What a move overwrites on the board and in the lists. */
struct undo {
    uint8_t piece; /* that moved, before a promotion */
    uint8_t slot;
    uint8_t captured; /* on `to`; EMPTY in en passant */
    uint8_t captured_slot;
};

PM_ALWAYS_INLINE enum pm_castling_side side_of_castling(struct move move)
{
    return to_of(move) > from_of(move) ? PM_KINGSIDE : PM_QUEENSIDE;
}

/* King and rook may change places: both leave before either arrives. */
PM_ALWAYS_INLINE void make_castling(struct state *state, struct move move, enum pm_color us)
{
    const struct castling end = castling_squares(us, side_of_castling(move));
    const int rook_slot = state->slot[to_of(move)];
    clear(state, from_of(move));
    clear(state, to_of(move));
    put(state, us, end.king_to, bit_of(us) | KING, KING_SLOT);
    put(state, us, end.rook_to, bit_of(us) | ROOK, rook_slot);
}

PM_ALWAYS_INLINE void unmake_castling(struct state *state, struct move move, enum pm_color us)
{
    const struct castling end = castling_squares(us, side_of_castling(move));
    const int rook_slot = state->slot[end.rook_to];
    clear(state, end.king_to);
    clear(state, end.rook_to);
    put(state, us, from_of(move), bit_of(us) | KING, KING_SLOT);
    put(state, us, to_of(move), bit_of(us) | ROOK, rook_slot);
}

PM_ALWAYS_INLINE void make(struct state *state, struct move move, enum pm_color us,
                           struct undo *undo)
{
    const enum pm_color them = other(us);
    const int from = from_of(move);
    const int to = to_of(move);
    *undo = (struct undo){.piece = state->board[from],
                          .slot = state->slot[from],
                          .captured = state->board[to],
                          .captured_slot = state->slot[to]};
    state->rights = (uint8_t)(state->rights & state->keep[from] & state->keep[to]);
    state->en_passant = NOWHERE;
    if (kind_of(move) == CASTLING) {
        make_castling(state, move, us);
        return;
    }
    state->pieces[them][undo->captured_slot] = NOWHERE;
    put(state, us, to, undo->piece, undo->slot);
    clear(state, from);
    if (kind_of(move) == PROMOTION) {
        state->board[to] = (uint8_t)(bit_of(us) | promotion_of(move));
    } else if (kind_of(move) == DOUBLE_PUSH) {
        if (pawn_beside(state, to, them))
            state->en_passant = (uint8_t)(to - up_of(us));
    } else if (kind_of(move) == EN_PASSANT) {
        const int victim = to - up_of(us);
        undo->captured_slot = state->slot[victim];
        state->pieces[them][undo->captured_slot] = NOWHERE;
        clear(state, victim);
    }
}

/* Rights and en passant square are the same after every move of a node: the caller puts them back.
 */
PM_ALWAYS_INLINE void unmake(struct state *state, struct move move, enum pm_color us,
                             const struct undo *undo)
{
    const enum pm_color them = other(us);
    if (kind_of(move) == CASTLING) {
        unmake_castling(state, move, us);
        return;
    }
    put(state, us, from_of(move), undo->piece, undo->slot);
    if (kind_of(move) == EN_PASSANT) {
        clear(state, to_of(move));
        put(state, them, to_of(move) - up_of(us), bit_of(them) | PAWN, undo->captured_slot);
    } else {
        put(state, them, to_of(move), undo->captured, undo->captured_slot);
    }
}

/* ---- Perft ---------------------------------------------------------------------------------- */

static unsigned list_white(struct state *state, struct move *list)
{
    return generate(state, PM_WHITE, list);
}
static unsigned list_black(struct state *state, struct move *list)
{
    return generate(state, PM_BLACK, list);
}
static unsigned count_white(struct state *state)
{
    return generate(state, PM_WHITE, NULL);
}
static unsigned count_black(struct state *state)
{
    return generate(state, PM_BLACK, NULL);
}

PM_ALWAYS_INLINE unsigned list_moves(struct state *state, enum pm_color us, struct move *list)
{
    return us == PM_WHITE ? list_white(state, list) : list_black(state, list);
}

PM_ALWAYS_INLINE unsigned count_moves(struct state *state, enum pm_color us)
{
    return us == PM_WHITE ? count_white(state) : count_black(state);
}

static uint64_t perft_make_white(struct state *state, int depth);
static uint64_t perft_make_black(struct state *state, int depth);
static uint64_t perft_bulk_white(struct state *state, int depth);
static uint64_t perft_bulk_black(struct state *state, int depth);

PM_ALWAYS_INLINE uint64_t perft_make(struct state *state, enum pm_color us, int depth)
{
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, us, list);
    const uint8_t rights = state->rights;
    const uint8_t en_passant = state->en_passant;
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        make(state, list[i], us, &undo);
        if (depth > 1)
            nodes += us == PM_WHITE ? perft_make_black(state, depth - 1)
                                    : perft_make_white(state, depth - 1);
        else
            nodes++;
        __asm__ volatile("" ::: "memory"); /* the leaf is there: no merging of make and unmake */
        unmake(state, list[i], us, &undo);
        state->rights = rights;
        state->en_passant = en_passant;
    }
    return nodes;
}

PM_ALWAYS_INLINE uint64_t perft_bulk(struct state *state, enum pm_color us, int depth)
{
    if (depth == 1)
        return count_moves(state, us);
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, us, list);
    const uint8_t rights = state->rights;
    const uint8_t en_passant = state->en_passant;
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        make(state, list[i], us, &undo);
        if (depth > 2)
            nodes += us == PM_WHITE ? perft_bulk_black(state, depth - 1)
                                    : perft_bulk_white(state, depth - 1);
        else
            nodes += count_moves(state, other(us));
        unmake(state, list[i], us, &undo);
        state->rights = rights;
        state->en_passant = en_passant;
    }
    return nodes;
}

static uint64_t perft_make_white(struct state *state, int depth)
{
    return perft_make(state, PM_WHITE, depth);
}
static uint64_t perft_make_black(struct state *state, int depth)
{
    return perft_make(state, PM_BLACK, depth);
}
static uint64_t perft_bulk_white(struct state *state, int depth)
{
    return perft_bulk(state, PM_WHITE, depth);
}
static uint64_t perft_bulk_black(struct state *state, int depth)
{
    return perft_bulk(state, PM_BLACK, depth);
}

/* ---- The contract --------------------------------------------------------------------------- */

static enum pm_status mailbox_init(void)
{
    return PM_OK;
}

static void set_piece(struct state *state, enum pm_color color, pm_square square, int kind)
{
    put(state, color, to_mailbox(square), bit_of(color) | kind, state->pieces_end[color]++);
}

/* Fills the lists kind by kind: the switch over kinds is foreseen better. */
static void set_pieces(struct state *state, const pm_piece board[PM_SQUARE_COUNT])
{
    static const uint8_t order[] = {PM_KING, PM_QUEEN, PM_ROOK, PM_BISHOP, PM_KNIGHT, PM_PAWN};
    for (size_t i = 0; i < sizeof order; i++)
        for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
            if (pm_type_of(board[square]) == order[i])
                set_piece(state, pm_color_of(board[square]), square, kind_of_type[order[i]]);
}

static void set_right(struct state *state, enum pm_color color, enum pm_castling_side side,
                      pm_square rook_square)
{
    const int bit = right_bit(color, side);
    const int rook = to_mailbox(rook_square);
    const int king = state->pieces[color][KING_SLOT];
    state->rights = (uint8_t)(state->rights | bit);
    state->castling_rook[color][side] = (uint8_t)rook;
    state->keep[rook] = (uint8_t)(state->keep[rook] & ~bit);
    state->keep[king] = (uint8_t)(state->keep[king] & ~bit);
}

static enum pm_status mailbox_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    const enum pm_color us = (enum pm_color)position->side_to_move;
    *state = (struct state){.side = position->side_to_move,
                            .halfmove_clock = position->halfmove_clock,
                            .fullmove_number = position->fullmove_number};
    memset(state->board, GUARD, sizeof state->board);
    memset(state->slot, EMPTY_SLOT, sizeof state->slot);
    memset(state->keep, 15, sizeof state->keep);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        state->board[to_mailbox(square)] = EMPTY;
    set_pieces(state, position->board);
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                set_right(state, (enum pm_color)color, (enum pm_castling_side)side,
                          position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE) {
        const int square = to_mailbox(position->en_passant);
        if (pawn_beside(state, square - up_of(us), us))
            state->en_passant = (uint8_t)square;
    }
    return PM_OK;
}

static enum pm_status mailbox_get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    *position = (struct pm_position){
        .side_to_move = state->side,
        .en_passant = state->en_passant == NOWHERE ? PM_NO_SQUARE : from_mailbox(state->en_passant),
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number,
    };
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const int piece = state->board[to_mailbox(square)];
        if (piece != EMPTY)
            position->board[square] =
                pm_make_piece((piece & bit_of(PM_BLACK)) != 0 ? PM_BLACK : PM_WHITE,
                              (enum pm_piece_type)type_of_kind[piece & KIND]);
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const int bit = right_bit((enum pm_color)color, (enum pm_castling_side)side);
            position->castling_rook[color][side] =
                (state->rights & bit) != 0 ? from_mailbox(state->castling_rook[color][side])
                                           : PM_NO_SQUARE;
        }
    return PM_OK;
}

static struct pm_move to_neutral(const struct state *state, struct move move)
{
    static const uint8_t neutral_kind[] = {
        [NORMAL] = PM_MOVE_QUIET,      [DOUBLE_PUSH] = PM_MOVE_DOUBLE_PUSH,
        [PROMOTION] = PM_MOVE_QUIET,   [EN_PASSANT] = PM_MOVE_EN_PASSANT,
        [CASTLING] = PM_MOVE_CASTLING,
    };
    const bool capture = kind_of(move) != CASTLING && state->board[to_of(move)] != EMPTY;
    return (struct pm_move){
        .from = from_mailbox(from_of(move)),
        .to = from_mailbox(to_of(move)),
        .promotion = type_of_kind[promotion_of(move)],
        .kind = capture ? PM_MOVE_CAPTURE : neutral_kind[kind_of(move)],
    };
}

static enum pm_status mailbox_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                          unsigned *count)
{
    struct state state = *(const struct state *)memory;
    struct move list[PM_MAX_MOVES];
    *count = list_moves(&state, (enum pm_color)state.side, list);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = to_neutral(&state, list[i]);
    return PM_OK;
}

static void play_legal(struct state *state, struct move move)
{
    const enum pm_color us = (enum pm_color)state->side;
    struct undo undo;
    make(state, move, us, &undo);
    const bool resets =
        (undo.piece & KIND) == PAWN || (kind_of(move) != CASTLING && undo.captured != EMPTY);
    state->halfmove_clock = resets ? 0 : pm_clock_next(state->halfmove_clock);
    if (us == PM_BLACK)
        state->fullmove_number = pm_clock_next(state->fullmove_number);
    state->side = (uint8_t)other(us);
}

static enum pm_status mailbox_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, (enum pm_color)state->side, list);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = to_neutral(state, list[i]);
        if (pm_move_equal(&legal, move)) {
            play_legal(state, list[i]);
            return PM_OK;
        }
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status mailbox_perft(const void *memory, int depth, enum pm_mode mode,
                                    uint64_t *nodes)
{
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    struct state state = *(const struct state *)memory;
    if (mode == PM_MODE_MAKE)
        *nodes = state.side == PM_WHITE ? perft_make_white(&state, depth)
                                        : perft_make_black(&state, depth);
    else
        *nodes = state.side == PM_WHITE ? perft_bulk_white(&state, depth)
                                        : perft_bulk_black(&state, depth);
    return PM_OK;
}

static enum pm_status mailbox_attacks(const void *memory, struct pm_attacks *attacks)
{
    const struct state *state = memory;
    const enum pm_color us = (enum pm_color)state->side;
    struct sight sight;
    *attacks = (struct pm_attacks){0};
    look_around(state->board, state->pieces[us][KING_SLOT], us, &sight);
    for (int i = 0; i < sight.checker_count; i++)
        attacks->checkers |= pm_bit(from_mailbox(sight.checker[i]));
    for (int i = 0; i < sight.pin_count; i++)
        attacks->pinned |= pm_bit(from_mailbox(sight.pin[i].square));
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const int target = to_mailbox(square);
        if (is_attacked(state->board, target, other(us)) ||
            is_king_step(target, state->pieces[other(us)][KING_SLOT]))
            attacks->attacked |= pm_bit(square);
    }
    return PM_OK;
}

const struct pm_kernel pm_kernel_mailbox = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "mailbox",
    .lineage = "mailbox",
    .technique = "10x12 mailbox, offset tables",
    .summary = "Walks over a board of 120 squares whose guards stop every ray; legal moves only.",
    .reference =
        "E. W. Kozdrowicki, D. W. Cooper: COKO III, Communications of the ACM 16 (7), 1973",
    .revision = PM_KERNEL_REVISION,
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = mailbox_init,
    .set_position = mailbox_set_position,
    .get_position = mailbox_get_position,
    .legal_moves = mailbox_legal_moves,
    .play = mailbox_play,
    .perft = mailbox_perft,
    .attacks = mailbox_attacks,
};
