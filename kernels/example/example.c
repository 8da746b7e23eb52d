/* SPDX-License-Identifier: MIT */
/* The worked example of kernels/README.md: set-wise bitboards without any table. Every attack is a
 * set shifted step by step; a move is legal if the king is not attacked after it. Standard chess
 * only. */
#include "core/bits.h"
#include "core/kernel.h"

#include <string.h>

/* 1. The state: plain bytes, no pointers, small enough to copy for every move. */
struct state {
    uint64_t pieces[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT]; /* by color and type; [0] is unused */
    uint8_t side_to_move;
    pm_square en_passant;
    pm_square castling_rook[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
};

/* 2. How pieces move: shifts of a whole set. `keep` cuts what went round the edge of the board. */
struct shift {
    int by;
    uint64_t keep;
};
#define NOT_A 0xFEFEFEFEFEFEFEFEU
#define NOT_H 0x7F7F7F7F7F7F7F7FU
#define NOT_AB 0xFCFCFCFCFCFCFCFCU
#define NOT_GH 0x3F3F3F3F3F3F3F3FU
#define ALL 0xFFFFFFFFFFFFFFFFU

static const struct shift lines[] = {{8, ALL},   {-8, ALL},   {1, NOT_A}, {-1, NOT_H},
                                     {9, NOT_A}, {-9, NOT_H}, {7, NOT_H}, {-7, NOT_A}};
static const struct shift jumps[] = {{17, NOT_A},  {-17, NOT_H},  {15, NOT_H}, {-15, NOT_A},
                                     {10, NOT_AB}, {-10, NOT_GH}, {6, NOT_GH}, {-6, NOT_AB}};

static uint64_t shifted(uint64_t set, struct shift shift)
{
    return (shift.by > 0 ? set << shift.by : set >> -shift.by) & shift.keep;
}

/* All squares that pieces of one kind on the squares of `set` attack. */
static uint64_t attacks_of(enum pm_piece_type type, enum pm_color color, uint64_t set,
                           uint64_t occupied)
{
    uint64_t attacked = 0;
    if (type == PM_PAWN)
        return color == PM_WHITE ? shifted(set, lines[4]) | shifted(set, lines[6])
                                 : shifted(set, lines[5]) | shifted(set, lines[7]);
    const int first = type == PM_BISHOP ? 4 : 0;
    const int end = type == PM_ROOK ? 4 : 8;
    for (int i = first; i < end; i++) {
        if (type == PM_KNIGHT || type == PM_KING) {
            attacked |= shifted(set, type == PM_KNIGHT ? jumps[i] : lines[i]);
            continue;
        }
        for (uint64_t reached = shifted(set, lines[i]); reached != 0;
             reached = shifted(reached & ~occupied, lines[i]))
            attacked |= reached;
    }
    return attacked;
}

static uint64_t pieces_of(const struct state *state, unsigned color)
{
    uint64_t pieces = 0;
    for (int type = PM_PAWN; type < PM_PIECE_TYPE_COUNT; type++)
        pieces |= state->pieces[color][type];
    return pieces;
}

static uint64_t attacked_by(const struct state *state, unsigned color)
{
    const uint64_t occupied = pieces_of(state, PM_WHITE) | pieces_of(state, PM_BLACK);
    uint64_t attacked = 0;
    for (int type = PM_PAWN; type < PM_PIECE_TYPE_COUNT; type++)
        attacked |= attacks_of((enum pm_piece_type)type, (enum pm_color)color,
                               state->pieces[color][type], occupied);
    return attacked;
}

static unsigned type_on(const struct state *state, unsigned color, unsigned square)
{
    unsigned type = PM_PAWN;
    while (type < PM_PIECE_TYPE_COUNT && !(state->pieces[color][type] & pm_bit(square)))
        type++;
    return type % PM_PIECE_TYPE_COUNT; /* PM_NO_PIECE_TYPE if there is none */
}

/* 3. Making a move, on the caller's copy. */
static void lose_rights(struct state *state, unsigned square)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (state->castling_rook[color][side] == square ||
                (state->pieces[color][PM_KING] & pm_bit(square)))
                state->castling_rook[color][side] = PM_NO_SQUARE;
}

static void make(struct state *state, const struct pm_move *move)
{
    const unsigned us = state->side_to_move, them = us ^ 1;
    const unsigned type = type_on(state, us, move->from);
    lose_rights(state, move->from);
    lose_rights(state, move->to);
    state->en_passant = PM_NO_SQUARE;
    state->side_to_move = (uint8_t)them;
    if (move->kind == PM_MOVE_CASTLING) {
        const bool kingside = move->to > move->from;
        state->pieces[us][PM_KING] = pm_bit(move->from + (kingside ? 2U : -2U));
        state->pieces[us][PM_ROOK] ^= pm_bit(move->to) | pm_bit(move->from + (kingside ? 1U : -1U));
        return;
    }
    for (int captured = PM_PAWN; captured < PM_PIECE_TYPE_COUNT; captured++)
        state->pieces[them][captured] &= ~pm_bit(move->to);
    if (move->kind == PM_MOVE_EN_PASSANT)
        state->pieces[them][PM_PAWN] &= ~pm_bit(move->to ^ 8U);
    if (move->kind == PM_MOVE_DOUBLE_PUSH)
        state->en_passant = move->to ^ 8U;
    state->pieces[us][type] &= ~pm_bit(move->from);
    state->pieces[us][move->promotion != PM_NO_PIECE_TYPE ? move->promotion : type] |=
        pm_bit(move->to);
}

/* 4. Legal moves: every pseudo-legal one is made on a copy, and kept if the king is safe there. */
struct list {
    const struct state *state;
    struct pm_move *moves;
    unsigned count;
};

static void add_if_legal(struct list *list, unsigned from, unsigned to, unsigned promotion,
                         unsigned kind)
{
    const struct pm_move move = {(pm_square)from, (pm_square)to, (uint8_t)promotion, (uint8_t)kind};
    struct state after = *list->state;
    make(&after, &move);
    if (!(attacked_by(&after, after.side_to_move) &
          after.pieces[list->state->side_to_move][PM_KING]))
        list->moves[list->count++] = move;
}

static void add_pawn_moves(struct list *list, unsigned from, unsigned to, unsigned kind)
{
    if (to >= 8 && to < 56) {
        add_if_legal(list, from, to, PM_NO_PIECE_TYPE, kind);
        return;
    }
    for (unsigned promotion = PM_KNIGHT; promotion <= PM_QUEEN; promotion++)
        add_if_legal(list, from, to, promotion, kind);
}

static void add_pushes(struct list *list, unsigned from, uint64_t occupied)
{
    const int forward = list->state->side_to_move == PM_WHITE ? 8 : -8;
    const unsigned to = from + (unsigned)forward, beyond = to + (unsigned)forward;
    if (occupied & pm_bit(to))
        return;
    add_pawn_moves(list, from, to, PM_MOVE_QUIET);
    if (from >> 3 == (forward > 0 ? 1U : 6U) && !(occupied & pm_bit(beyond)))
        add_if_legal(list, from, beyond, PM_NO_PIECE_TYPE, PM_MOVE_DOUBLE_PUSH);
}

static void add_castlings(struct list *list, uint64_t occupied)
{
    const unsigned us = list->state->side_to_move, king = us == PM_WHITE ? 4 : 60;
    const uint64_t attacked = attacked_by(list->state, us ^ 1);
    for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const unsigned rook = list->state->castling_rook[us][side];
        const uint64_t between = (side == PM_KINGSIDE ? 0x60ULL : 0x0EULL) << (king - 4);
        const uint64_t crossed = (side == PM_KINGSIDE ? 0x70ULL : 0x1CULL) << (king - 4);
        if (rook != PM_NO_SQUARE && !(between & occupied) && !(crossed & attacked))
            add_if_legal(list, king, rook, PM_NO_PIECE_TYPE, PM_MOVE_CASTLING);
    }
}

static unsigned generate(const struct state *state, struct pm_move *moves)
{
    struct list list = {state, moves, 0};
    const unsigned us = state->side_to_move;
    const uint64_t own = pieces_of(state, us), enemy = pieces_of(state, us ^ 1),
                   occupied = own | enemy;
    for (uint64_t rest = own; rest != 0;) {
        const unsigned from = pm_pop_lsb(&rest), type = type_on(state, us, from);
        uint64_t targets =
            attacks_of((enum pm_piece_type)type, (enum pm_color)us, pm_bit(from), occupied) & ~own;
        if (type == PM_PAWN) {
            add_pushes(&list, from, occupied);
            if (state->en_passant != PM_NO_SQUARE && (targets & pm_bit(state->en_passant)))
                add_if_legal(&list, from, state->en_passant, PM_NO_PIECE_TYPE, PM_MOVE_EN_PASSANT);
            targets &= enemy;
        }
        while (targets != 0) {
            const unsigned to = pm_pop_lsb(&targets);
            const unsigned kind = enemy & pm_bit(to) ? PM_MOVE_CAPTURE : PM_MOVE_QUIET;
            if (type == PM_PAWN)
                add_pawn_moves(&list, from, to, kind);
            else
                add_if_legal(&list, from, to, PM_NO_PIECE_TYPE, kind);
        }
    }
    add_castlings(&list, occupied);
    return list.count;
}

static uint64_t count(const struct state *state, int depth, enum pm_mode mode)
{
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned move_count = generate(state, moves);
    if (depth == 1 && mode == PM_MODE_BULK)
        return move_count;
    uint64_t nodes = 0;
    for (unsigned i = 0; i < move_count; i++) {
        struct state after = *state;
        make(&after, &moves[i]);
        nodes += depth == 1 ? 1 : count(&after, depth - 1, mode);
    }
    return nodes;
}

/* 5. The contract. */
static enum pm_status init(void)
{
    return PM_OK;
}

static enum pm_status set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        const pm_square home = color == PM_WHITE ? 0 : 56;
        const pm_square kingside = position->castling_rook[color][PM_KINGSIDE];
        const pm_square queenside = position->castling_rook[color][PM_QUEENSIDE];
        const bool has_rights = kingside != PM_NO_SQUARE || queenside != PM_NO_SQUARE;
        if ((kingside != PM_NO_SQUARE && kingside != home + 7) ||
            (queenside != PM_NO_SQUARE && queenside != home) ||
            (has_rights && pm_type_of(position->board[home + 4]) != PM_KING))
            return PM_ERROR_UNSUPPORTED; /* castling rights of Chess960 */
    }
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece != PM_EMPTY)
            state->pieces[pm_color_of(piece)][pm_type_of(piece)] |= pm_bit(square);
    }
    state->side_to_move = position->side_to_move;
    state->en_passant = position->en_passant;
    memcpy(state->castling_rook, position->castling_rook, sizeof state->castling_rook);
    return PM_OK;
}

static enum pm_status get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    *position = (struct pm_position){
        .side_to_move = state->side_to_move, .en_passant = state->en_passant, .fullmove_number = 1};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
            const unsigned type = type_on(state, color, square);
            if (type != PM_NO_PIECE_TYPE)
                position->board[square] =
                    pm_make_piece((enum pm_color)color, (enum pm_piece_type)type);
        }
    }
    memcpy(position->castling_rook, state->castling_rook, sizeof position->castling_rook);
    return PM_OK;
}

static enum pm_status legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *move_count)
{
    *move_count = generate(memory, moves);
    return PM_OK;
}

static enum pm_status play(void *memory, const struct pm_move *move)
{
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned move_count = generate(memory, moves);
    if (pm_move_index(moves, move_count, move) == move_count)
        return PM_ERROR_ILLEGAL;
    make(memory, move);
    return PM_OK;
}

static enum pm_status perft(const void *memory, int depth, enum pm_mode mode, uint64_t *nodes)
{
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    *nodes = count(memory, depth, mode);
    return PM_OK;
}

extern const struct pm_kernel pm_kernel_example;
const struct pm_kernel pm_kernel_example = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "example",
    .lineage = "example",
    .technique = "set-wise bitboards by shifts, no tables",
    .summary = "The worked example of kernels/README.md.",
    .reference = "Dumb7Fill, described in the Chess Programming Wiki",
    .revision = PM_KERNEL_REVISION,
    .capabilities = PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK),
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = init,
    .set_position = set_position,
    .get_position = get_position,
    .legal_moves = legal_moves,
    .play = play,
    .perft = perft,
};
