/* SPDX-License-Identifier: MIT */
/* Kernel x88: 0x88 board, piece lists, attack-difference tables. */
#include "core/kernel.h"
#include "kernels/x88/attack.h"
#include "kernels/x88/generate.h"
#include "kernels/x88/key.h"
#include "kernels/x88/position.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LIST_ROOM = PM_MAX_MOVES + 1 }; /* emit_if() writes before it knows */

/* ---- colors as constants: the bodies above, once a color ---- */

static __attribute__((noinline)) unsigned list_white(struct x88 *x, x88_move moves[])
{
    struct sink sink = {.moves = moves};
    generate(x, false, &sink);
    return sink.count;
}

static __attribute__((noinline)) unsigned list_black(struct x88 *x, x88_move moves[])
{
    struct sink sink = {.moves = moves};
    generate(x, true, &sink);
    return sink.count;
}

static __attribute__((noinline)) unsigned count_white(struct x88 *x)
{
    struct sink sink = {.moves = NULL};
    generate(x, false, &sink);
    return sink.count;
}

static __attribute__((noinline)) unsigned count_black(struct x88 *x)
{
    struct sink sink = {.moves = NULL};
    generate(x, true, &sink);
    return sink.count;
}

static uint64_t bulk_white(struct x88 *x, int depth);
static uint64_t bulk_black(struct x88 *x, int depth);
static uint64_t make_white(struct x88 *x, int depth);
static uint64_t make_black(struct x88 *x, int depth);

PM_ALWAYS_INLINE uint64_t bulk(struct x88 *x, bool black, int depth)
{
    if (depth == 1)
        return black ? count_black(x) : count_white(x);
    x88_move moves[LIST_ROOM];
    const unsigned count = black ? list_black(x, moves) : list_white(x, moves);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct undo undo = make(x, moves[i], black);
        if (depth == 2)
            nodes += black ? count_white(x) : count_black(x);
        else
            nodes += black ? bulk_white(x, depth - 1) : bulk_black(x, depth - 1);
        unmake(x, moves[i], undo, black);
    }
    return nodes;
}

PM_ALWAYS_INLINE uint64_t make_leaves(struct x88 *x, bool black, int depth)
{
    x88_move moves[LIST_ROOM];
    const unsigned count = black ? list_black(x, moves) : list_white(x, moves);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct undo undo = make(x, moves[i], black);
        if (depth == 1)
            nodes++;
        else
            nodes += black ? make_white(x, depth - 1) : make_black(x, depth - 1);
        unmake(x, moves[i], undo, black);
    }
    return nodes;
}

static uint64_t bulk_white(struct x88 *x, int depth)
{
    return bulk(x, false, depth);
}
static uint64_t bulk_black(struct x88 *x, int depth)
{
    return bulk(x, true, depth);
}
static uint64_t make_white(struct x88 *x, int depth)
{
    return make_leaves(x, false, depth);
}
static uint64_t make_black(struct x88 *x, int depth)
{
    return make_leaves(x, true, depth);
}

/* ---- the contract ---- */

static pm_square to_neutral(unsigned square)
{
    return (pm_square)((square + (square & 7)) >> 1);
}

static uint8_t from_neutral(pm_square square)
{
    return square == PM_NO_SQUARE ? NO_SQUARE : (uint8_t)(square + (square & ~7U));
}

static enum pm_status init(void)
{
    build_tables();
    build_key_table();
    return PM_OK;
}

static void set_pieces(struct x88 *x, const struct pm_position *position)
{
    memset(x->cell, GUARD, sizeof x->cell);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece given = position->board[square];
        const x88_square s = from_neutral(square);
        if (given == PM_EMPTY) {
            set_cell(x, s, EMPTY);
        } else {
            const unsigned piece = piece_of(pm_color_of(given) == PM_BLACK, pm_type_of(given));
            set_cell(x, s, piece);
            enlist(x, piece, s);
        }
    }
}

static uint8_t lower(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}
static uint8_t higher(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static struct castling make_castling(bool black, enum pm_castling_side side, uint8_t king,
                                     uint8_t rook)
{
    const uint8_t king_to = (uint8_t)castled_king(black, side);
    const uint8_t rook_to = (uint8_t)castled_rook(black, side);
    struct castling castling = {
        .king = king,
        .rook = rook,
        .low = lower(lower(king, rook), lower(king_to, rook_to)),
        .high = higher(higher(king, rook), higher(king_to, rook_to)),
    };
    /* A step onto the rook's square is none, so the zone does not watch it. */
    if (king_to == king + 2 && rook != king + EAST)
        castling.path = EAST_STEP | FAR_EAST;
    else if (king_to == king - 2 && rook != king - EAST)
        castling.path = WEST_STEP | FAR_WEST;
    return castling;
}

static void set_castling(struct x88 *x, const struct pm_position *position)
{
    memset(x->keeps, 0xFF, sizeof x->keeps);
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        for (enum pm_castling_side side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const uint8_t rook = from_neutral(position->castling_rook[color][side]);
            const uint8_t king = (uint8_t)king_square(x, color);
            const unsigned right = castling_right(color, side);
            if (rook == NO_SQUARE)
                continue;
            x->castling[color][side] = make_castling(color, side, king, rook);
            x->rights |= (uint8_t)right;
            x->keeps[rook] &= (uint8_t)~right;
            x->keeps[king] &= (uint8_t)~right;
        }
    }
}

static enum pm_status set_position(void *state, const struct pm_position *position)
{
    struct x88 *x = state;
    memset(x, 0, sizeof *x);
    set_pieces(x, position);
    set_castling(x, position);
    x->en_passant = from_neutral(position->en_passant);
    x->side_to_move = position->side_to_move;
    x->halfmove_clock = position->halfmove_clock;
    x->fullmove_number = position->fullmove_number;
    x->key = key_from_scratch(x);
    return PM_OK;
}

static enum pm_status get_position(const void *state, struct pm_position *position)
{
    const struct x88 *x = state;
    memset(position, 0, sizeof *position);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        position->board[square] = piece_at(x, from_neutral(square)) & 15;
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (enum pm_castling_side side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            position->castling_rook[color][side] = x->rights & castling_right(color, side)
                                                       ? to_neutral(x->castling[color][side].rook)
                                                       : PM_NO_SQUARE;
    position->en_passant = x->en_passant == NO_SQUARE ? PM_NO_SQUARE : to_neutral(x->en_passant);
    position->side_to_move = x->side_to_move;
    position->halfmove_clock = x->halfmove_clock;
    position->fullmove_number = x->fullmove_number;
    return PM_OK;
}

/* A legal move in the neutral form; the position is the one before it. */
static struct pm_move to_neutral_move(const struct x88 *x, x88_move move)
{
    const unsigned from = move & 0x7F, to = move >> 8 & 0x7F, kind = move >> 16;
    struct pm_move neutral = {
        .from = to_neutral(from),
        .to = to_neutral(to),
        .kind = piece_at(x, (int)to) == EMPTY ? PM_MOVE_QUIET : PM_MOVE_CAPTURE,
    };
    if (kind == DOUBLE_PUSH)
        neutral.kind = PM_MOVE_DOUBLE_PUSH;
    else if (kind == EN_PASSANT)
        neutral.kind = PM_MOVE_EN_PASSANT;
    else if (kind == CASTLING)
        neutral.kind = PM_MOVE_CASTLING;
    else
        neutral.promotion = (uint8_t)kind;
    return neutral;
}

static unsigned list_moves(const struct x88 *x, x88_move moves[LIST_ROOM])
{
    struct x88 scratch = *x; /* generating changes the order of the lists */
    return x->side_to_move == PM_BLACK ? list_black(&scratch, moves) : list_white(&scratch, moves);
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    const struct x88 *x = state;
    x88_move list[LIST_ROOM];
    *count = list_moves(x, list);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = to_neutral_move(x, list[i]);
    return PM_OK;
}

static void play_legal(struct x88 *x, x88_move move)
{
    const bool black = x->side_to_move == PM_BLACK;
    const bool pawn = (piece_at(x, move & 0x7F) & 7) == PM_PAWN;
    x->key ^= rest_key(x, black) ^ move_key(x, move, black);
    const struct undo undo = black ? make(x, move, true) : make(x, move, false);
    x->key ^= rest_key(x, !black);
    x->halfmove_clock = pawn || undo.captured ? 0 : pm_clock_next(x->halfmove_clock);
    if (black)
        x->fullmove_number = pm_clock_next(x->fullmove_number);
    x->side_to_move = black ? PM_WHITE : PM_BLACK;
}

static enum pm_status play(void *state, const struct pm_move *move)
{
    struct x88 *x = state;
    x88_move list[LIST_ROOM];
    const unsigned count = list_moves(x, list);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = to_neutral_move(x, list[i]);
        if (pm_move_equal(&legal, move)) {
            play_legal(x, list[i]);
            return PM_OK;
        }
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    struct x88 x = *(const struct x88 *)state;
    if (mode == PM_MODE_BULK)
        *nodes = x.side_to_move == PM_BLACK ? bulk_black(&x, depth) : bulk_white(&x, depth);
    else
        *nodes = x.side_to_move == PM_BLACK ? make_black(&x, depth) : make_white(&x, depth);
    return PM_OK;
}

/* One piece of the side not to move: the squares it attacks, the king it checks, the piece it pins.
 */
static void add_attacks(struct x88 *x, x88_square s, struct pm_attacks *attacks)
{
    const unsigned piece = piece_at(x, s), type = piece & 7;
    const unsigned kind = kind_of((piece & STOPS_BLACK) != 0, (enum pm_piece_type)type);
    const bool slider = type == PM_BISHOP || type == PM_ROOK || type == PM_QUEEN;
    const x88_square king = king_square(x, x->side_to_move == PM_BLACK);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const x88_square target = from_neutral(square);
        if (zone(kind, s, target) & ON_KING && (!slider || reaches(x, s, target)))
            attacks->attacked |= pm_bit(square);
    }
    if (!(zone(kind, s, king) & ON_KING))
        return;
    const x88_square step = slider ? step_towards(s, king) : s - king,
                     first = first_piece(x, king, step);
    if (first == s)
        attacks->checkers |= pm_bit(to_neutral((unsigned)s));
    else if (is_own_or_guard(piece_at(x, first), x->side_to_move == PM_BLACK) &&
             first_piece(x, first, step) == s)
        attacks->pinned |= pm_bit(to_neutral((unsigned)first));
}

static enum pm_status attacks(const void *state, struct pm_attacks *attacks)
{
    struct x88 x = *(const struct x88 *)state;
    *attacks = (struct pm_attacks){0};
    for (x88_square s = 0; s < SQUARE_END; s++)
        if (on_board(s) && is_enemy(piece_at(&x, s), x.side_to_move == PM_BLACK))
            add_attacks(&x, s, attacks);
    return PM_OK;
}

static enum pm_status key(const void *state, uint64_t *key)
{
    *key = ((const struct x88 *)state)->key;
    return PM_OK;
}

const struct pm_kernel pm_kernel_x88 = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "x88",
    .lineage = "x88",
    .technique = "0x88 board, piece lists, attack-difference tables",
    .summary =
        "Legal moves only, from piece lists on a 0x88 board: checks, pins and king steps are "
        "looked up by the difference of two squares.",
    .reference =
        "Origin unknown, in use by 1981 (D. Kittinger); named and explained by B. Moreland "
        "after 1995: brucemo.com, 0x88 Move Generation",
    .revision = PM_KERNEL_REVISION,
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct x88),
    .state_align = _Alignof(struct x88),
    .init = init,
    .set_position = set_position,
    .get_position = get_position,
    .legal_moves = legal_moves,
    .play = play,
    .perft = perft,
    .attacks = attacks,
    .key = key,
};
