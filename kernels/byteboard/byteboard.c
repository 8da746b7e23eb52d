/* SPDX-License-Identifier: MIT */
/* Perft and the kernel contract (core/kernel.h). */
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/byteboard/board.h"
#include "kernels/byteboard/legal.h"
#include "kernels/byteboard/rays.h"
#include "kernels/byteboard/replies.h"

#include <stdint.h>
#include <string.h>

struct state {
    struct board board;
    uint16_t halfmove_clock, fullmove_number;
    uint8_t side_to_move;
};

/* ---- Perft ---- */

static uint64_t make_white(const struct board *board, int depth);
static uint64_t make_black(const struct board *board, int depth);
static uint64_t bulk_white(const struct board *board, int depth);
static uint64_t bulk_black(const struct board *board, int depth);

PM_ALWAYS_INLINE void make_leaf(const struct board *board, enum pm_color us, struct move move)
{
    struct board child;
    make(&child, board, us, move);
    __asm__ volatile("" : : "r"(&child) : "memory"); /* really made */
}

/* Pieces other than pawns need no list: what their moves have in common is found once a piece. */
PM_ALWAYS_INLINE uint64_t make_leaves(const struct board *board, enum pm_color us)
{
    struct legal legal;
    struct move moves[PM_MAX_MOVES], *end = moves;
    find_legal_moves(board, us, &legal);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < legal.movers; i++) {
        const struct mover mover = legal.mover[i];
        if (mover.piece & PAWN) {
            end = list_mover(end, us, &mover);
            continue;
        }
        nodes += pm_popcount(mover.targets);
        for (uint64_t rest = mover.targets; rest; rest = pm_without_lsb(rest))
            make_leaf(board, us,
                      (struct move){mover.from, (uint8_t)pm_lsb(rest), mover.piece, ORDINARY});
    }
    end = list_special_moves(end, board, us, &legal);
    for (const struct move *move = moves; move != end; move++)
        make_leaf(board, us, *move);
    return nodes + (uint64_t)(end - moves);
}

PM_ALWAYS_INLINE uint64_t make_all(const struct board *board, enum pm_color us, int depth)
{
    if (depth == 1)
        return make_leaves(board, us);
    struct move moves[PM_MAX_MOVES];
    const unsigned count = list_moves(board, us, moves);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct board child;
        make(&child, board, us, moves[i]);
        nodes += us == PM_WHITE ? make_black(&child, depth - 1) : make_white(&child, depth - 1);
    }
    return nodes;
}

PM_ALWAYS_INLINE uint64_t bulk(const struct board *board, enum pm_color us, int depth)
{
    if (depth == 2)
        return us == PM_WHITE ? count_two_plies_white(board) : count_two_plies_black(board);
    struct move moves[PM_MAX_MOVES];
    const unsigned count = list_moves(board, us, moves);
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct board child;
        make(&child, board, us, moves[i]);
        nodes += us == PM_WHITE ? bulk_black(&child, depth - 1) : bulk_white(&child, depth - 1);
    }
    return nodes;
}

static uint64_t make_white(const struct board *board, int depth)
{
    return make_all(board, PM_WHITE, depth);
}
static uint64_t make_black(const struct board *board, int depth)
{
    return make_all(board, PM_BLACK, depth);
}
static uint64_t bulk_white(const struct board *board, int depth)
{
    return bulk(board, PM_WHITE, depth);
}
static uint64_t bulk_black(const struct board *board, int depth)
{
    return bulk(board, PM_BLACK, depth);
}

/* ---- The contract ---- */

static const uint8_t byte_of[PM_PIECE_TYPE_COUNT] = {
    [PM_PAWN] = PAWN,
    [PM_KNIGHT] = KNIGHT,
    [PM_BISHOP] = DIAGONAL,
    [PM_ROOK] = STRAIGHT,
    [PM_QUEEN] = DIAGONAL | STRAIGHT,
    [PM_KING] = KING,
};

static enum pm_piece_type type_of(unsigned piece)
{
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        if (byte_of[type] == (piece & 31))
            return (enum pm_piece_type)type;
    return PM_NO_PIECE_TYPE;
}

static enum pm_status init(void)
{
    build_tables();
    return PM_OK;
}

static enum pm_status set_position(void *state, const struct pm_position *position)
{
    struct state *s = state;
    memset(s, 0, sizeof *s);
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece != PM_EMPTY)
            s->board.piece[square] =
                (uint8_t)(byte_of[pm_type_of(piece)] | color_bit(pm_color_of(piece)));
    }
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                s->board.castling |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        s->board.en_passant = pm_bit(position->en_passant);
    s->side_to_move = position->side_to_move;
    s->halfmove_clock = position->halfmove_clock;
    s->fullmove_number = position->fullmove_number;
    return PM_OK;
}

static void get_castling(const struct board *board, enum pm_color color,
                         struct pm_position *position)
{
    const bytes pieces = load_bytes(board->piece);
    const unsigned king = pm_lsb(bytes_with(pieces, KING) & pieces_of(pieces, color));
    pm_square *rooks = position->castling_rook[color];
    rooks[PM_KINGSIDE] = rooks[PM_QUEENSIDE] = PM_NO_SQUARE;
    for (uint64_t rest = board->castling & rank_of(color, 1); rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        rooks[rook > king ? PM_KINGSIDE : PM_QUEENSIDE] = (pm_square)rook;
    }
}

static enum pm_status get_position(const void *state, struct pm_position *position)
{
    const struct state *s = state;
    memset(position, 0, sizeof *position);
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const unsigned piece = s->board.piece[square];
        if (piece)
            position->board[square] =
                pm_make_piece(piece & WHITE ? PM_WHITE : PM_BLACK, type_of(piece));
    }
    get_castling(&s->board, PM_WHITE, position);
    get_castling(&s->board, PM_BLACK, position);
    position->en_passant =
        s->board.en_passant ? (pm_square)pm_lsb(s->board.en_passant) : PM_NO_SQUARE;
    position->side_to_move = s->side_to_move;
    position->halfmove_clock = s->halfmove_clock;
    position->fullmove_number = s->fullmove_number;
    return PM_OK;
}

static unsigned list(const struct state *s, struct move moves[PM_MAX_MOVES])
{
    return s->side_to_move == PM_WHITE ? list_moves(&s->board, PM_WHITE, moves)
                                       : list_moves(&s->board, PM_BLACK, moves);
}

static struct pm_move to_neutral(const struct board *board, struct move move)
{
    struct pm_move neutral = {.from = move.from, .to = move.to, .kind = PM_MOVE_QUIET};
    if (board->piece[move.to])
        neutral.kind = PM_MOVE_CAPTURE;
    if (board->piece[move.from] != move.piece)
        neutral.promotion = (uint8_t)type_of(move.piece);
    if (move.kind == DOUBLE_PUSH)
        neutral.kind = PM_MOVE_DOUBLE_PUSH;
    if (move.kind == EN_PASSANT)
        neutral.kind = PM_MOVE_EN_PASSANT;
    if (move.kind == CASTLING)
        neutral.kind = PM_MOVE_CASTLING;
    return neutral;
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    const struct state *s = state;
    struct move own[PM_MAX_MOVES];
    *count = list(s, own);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = to_neutral(&s->board, own[i]);
    return PM_OK;
}

static void play_legal(struct state *s, struct move move)
{
    const struct board before = s->board;
    const int irreversible =
        before.piece[move.from] & PAWN || (before.piece[move.to] && move.kind != CASTLING);
    if (s->side_to_move == PM_WHITE)
        make(&s->board, &before, PM_WHITE, move);
    else
        make(&s->board, &before, PM_BLACK, move);
    s->halfmove_clock = irreversible ? 0 : pm_clock_next(s->halfmove_clock);
    if (s->side_to_move == PM_BLACK)
        s->fullmove_number = pm_clock_next(s->fullmove_number);
    s->side_to_move = s->side_to_move == PM_WHITE ? PM_BLACK : PM_WHITE;
}

static enum pm_status play(void *state, const struct pm_move *move)
{
    struct state *s = state;
    struct move own[PM_MAX_MOVES];
    const unsigned count = list(s, own);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = to_neutral(&s->board, own[i]);
        if (pm_move_equal(&legal, move)) {
            play_legal(s, own[i]);
            return PM_OK;
        }
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    const struct state *s = state;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    const int white = s->side_to_move == PM_WHITE;
    if (mode == PM_MODE_MAKE)
        *nodes = white ? make_white(&s->board, depth) : make_black(&s->board, depth);
    else if (mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    else if (depth == 1)
        *nodes = count_moves(&s->board, (enum pm_color)s->side_to_move);
    else
        *nodes = white ? bulk_white(&s->board, depth) : bulk_black(&s->board, depth);
    return PM_OK;
}

static enum pm_status attacks(const void *state, struct pm_attacks *attacks)
{
    const struct state *s = state;
    const enum pm_color us = (enum pm_color)s->side_to_move;
    const bytes pieces = load_bytes(s->board.piece);
    const unsigned king = pm_lsb(bytes_with(pieces, KING) & pieces_of(pieces, us));
    const struct king_view view = view_from_king(pieces, king, us);
    *attacks = (struct pm_attacks){.checkers = squares_of(king, view.checkers)};
    for (uint64_t rest = view.pinners; rest; rest = pm_without_lsb(rest))
        attacks->pinned |= pm_bit(tables.square_of[king][pinned_lane(&view, pm_lsb(rest) / 8)]);
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        if (is_attacked(pieces, square, opponent(us)))
            attacks->attacked |= pm_bit(square);
    return PM_OK;
}

const struct pm_kernel pm_kernel_byteboard = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "byteboard",
    .lineage = "byteboard",
    .technique = "64-byte board in an AVX-512 register, vector ray permutations",
    .summary = "The mailbox's descendant: one byte permutation shows the board along all rays of a "
               "square, one subtraction finds the first piece on each; legal moves only.",
    .reference = "87flowers, Rose (2025) and Byteboard attack tables, parts 1 to 3, 87flowers.com",
    .revision = PM_KERNEL_REVISION,
    .cpu_required = PM_CPU_AVX512F | PM_CPU_AVX512BW | PM_CPU_AVX512VBMI | PM_CPU_AVX512VBMI2 |
                    PM_CPU_BMI1 | PM_CPU_BMI2 | PM_CPU_POPCNT,
    .cpu_slow = PM_CPU_QUIRK_SLOW_PEXT,
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = init,
    .set_position = set_position,
    .get_position = get_position,
    .legal_moves = legal_moves,
    .play = play,
    .perft = perft,
    .attacks = attacks,
};
