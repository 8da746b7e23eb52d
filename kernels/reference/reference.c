/* SPDX-License-Identifier: MIT */
/* The oracle: pseudo-legal moves, each made on a copy of the board and dropped if the king could
 * then be captured. Written to be seen to be right; never optimized. */
#include "core/kernel.h"

#include <string.h>

/* A step on the board: files to the right, ranks up. */
struct step {
    int file, rank;
};

static const struct step knight_steps[] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                           {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
/* Rook directions first, then bishop directions; queen and king use all eight. */
static const struct step line_steps[] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                         {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

struct move_list {
    struct pm_move *moves;
    unsigned count;
};

/* The square one step away, or PM_NO_SQUARE beyond the edge. */
static pm_square step_from(pm_square square, struct step step)
{
    const int file = (int)pm_file_of(square) + step.file;
    const int rank = (int)pm_rank_of(square) + step.rank;
    if (file < 0 || file > 7 || rank < 0 || rank > 7)
        return PM_NO_SQUARE;
    return pm_make_square((unsigned)file, (unsigned)rank);
}

static bool is_color(const struct pm_position *position, pm_square square, enum pm_color color)
{
    return position->board[square] != PM_EMPTY && pm_color_of(position->board[square]) == color;
}

/* Whether it is a square of the board with nothing on it. */
static bool is_empty(const struct pm_position *position, pm_square square)
{
    return square != PM_NO_SQUARE && position->board[square] == PM_EMPTY;
}

static enum pm_color opponent_of(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* The way pawns of a color go. */
static int forward_of(enum pm_color color)
{
    return color == PM_WHITE ? 1 : -1;
}

static pm_square find_king(const struct pm_position *position, enum pm_color color)
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        if (position->board[square] == pm_make_piece(color, PM_KING))
            return square;
    return PM_NO_SQUARE;
}

/* The directions and the reach in which a piece other than a pawn moves. */
struct movement {
    const struct step *steps;
    int step_count;
    bool slides;
};

static struct movement movement_of(enum pm_piece_type type)
{
    switch (type) {
    case PM_KNIGHT:
        return (struct movement){knight_steps, 8, false};
    case PM_BISHOP:
        return (struct movement){line_steps + 4, 4, true};
    case PM_ROOK:
        return (struct movement){line_steps, 4, true};
    case PM_QUEEN:
        return (struct movement){line_steps, 8, true};
    case PM_KING:
        return (struct movement){line_steps, 8, false};
    default:
        return (struct movement){line_steps, 0, false};
    }
}

static bool pawn_attacks(enum pm_color color, pm_square from, pm_square to)
{
    return step_from(from, (struct step){-1, forward_of(color)}) == to ||
           step_from(from, (struct step){1, forward_of(color)}) == to;
}

/* Whether the piece on `from` attacks `to`, whatever stands there. */
static bool attacks_square(const struct pm_position *position, pm_square from, pm_square to)
{
    const pm_piece piece = position->board[from];
    if (pm_type_of(piece) == PM_PAWN)
        return pawn_attacks(pm_color_of(piece), from, to);

    const struct movement movement = movement_of(pm_type_of(piece));
    for (int i = 0; i < movement.step_count; i++) {
        pm_square square = from;
        do {
            square = step_from(square, movement.steps[i]);
            if (square == to)
                return true;
        } while (movement.slides && is_empty(position, square));
    }
    return false;
}

static bool is_attacked_by(const struct pm_position *position, pm_square square, enum pm_color by)
{
    for (pm_square from = 0; from < PM_SQUARE_COUNT; from++)
        if (is_color(position, from, by) && attacks_square(position, from, square))
            return true;
    return false;
}

static void add_move(struct move_list *list, pm_square from, pm_square to,
                     enum pm_piece_type promotion, enum pm_move_kind kind)
{
    list->moves[list->count++] = (struct pm_move){from, to, (uint8_t)promotion, (uint8_t)kind};
}

static void add_pawn_move(struct move_list *list, pm_square from, pm_square to,
                          enum pm_move_kind kind)
{
    if (pm_rank_of(to) != 0 && pm_rank_of(to) != 7) {
        add_move(list, from, to, PM_NO_PIECE_TYPE, kind);
        return;
    }
    for (enum pm_piece_type promotion = PM_KNIGHT; promotion <= PM_QUEEN; promotion++)
        add_move(list, from, to, promotion, kind);
}

static void add_pawn_moves(const struct pm_position *position, pm_square from,
                           struct move_list *list)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const int forward = forward_of(us);

    const pm_square push = step_from(from, (struct step){0, forward});
    if (is_empty(position, push)) {
        add_pawn_move(list, from, push, PM_MOVE_QUIET);
        const pm_square double_push = step_from(push, (struct step){0, forward});
        if (pm_rank_of(from) == (us == PM_WHITE ? 1U : 6U) && is_empty(position, double_push))
            add_pawn_move(list, from, double_push, PM_MOVE_DOUBLE_PUSH);
    }
    for (int side = -1; side <= 1; side += 2) {
        const pm_square to = step_from(from, (struct step){side, forward});
        if (to == PM_NO_SQUARE)
            continue;
        if (is_color(position, to, opponent_of(us)))
            add_pawn_move(list, from, to, PM_MOVE_CAPTURE);
        else if (to == position->en_passant)
            add_pawn_move(list, from, to, PM_MOVE_EN_PASSANT);
    }
}

static void add_piece_moves(const struct pm_position *position, pm_square from,
                            struct move_list *list)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct movement movement = movement_of(pm_type_of(position->board[from]));
    for (int i = 0; i < movement.step_count; i++) {
        pm_square to = from;
        do {
            to = step_from(to, movement.steps[i]);
            if (to == PM_NO_SQUARE || is_color(position, to, us))
                break;
            add_move(list, from, to, PM_NO_PIECE_TYPE,
                     position->board[to] == PM_EMPTY ? PM_MOVE_QUIET : PM_MOVE_CAPTURE);
        } while (movement.slides && is_empty(position, to));
    }
}

/* Where king and rook end: g- and f-file, or c- and d-file. */
static pm_square castling_king_target(pm_square king, enum pm_castling_side side)
{
    return pm_make_square(side == PM_KINGSIDE ? 6 : 2, pm_rank_of(king));
}

static pm_square castling_rook_target(pm_square king, enum pm_castling_side side)
{
    return pm_make_square(side == PM_KINGSIDE ? 5 : 3, pm_rank_of(king));
}

/* Whether every square from a to b, both included, is empty but for king and rook. */
static bool is_clear_for_castling(const struct pm_position *position, pm_square a, pm_square b,
                                  pm_square king, pm_square rook)
{
    for (int square = a < b ? a : b; square <= (a < b ? b : a); square++)
        if (square != king && square != rook && position->board[square] != PM_EMPTY)
            return false;
    return true;
}

/* Whether the king could be captured on some square from where it stands to where it goes. */
static bool is_attacked_on_way(const struct pm_position *position, pm_square king, pm_square target)
{
    const enum pm_color us = pm_color_of(position->board[king]);
    for (int square = king < target ? king : target; square <= (king < target ? target : king);
         square++)
        if (is_attacked_by(position, (pm_square)square, opponent_of(us)))
            return true;
    return false;
}

static void add_castlings(const struct pm_position *position, struct move_list *list)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const pm_square king = find_king(position, us);
    for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square rook = position->castling_rook[us][side];
        if (rook == PM_NO_SQUARE)
            continue;
        const pm_square king_target = castling_king_target(king, (enum pm_castling_side)side);
        const pm_square rook_target = castling_rook_target(king, (enum pm_castling_side)side);
        if (is_clear_for_castling(position, king, king_target, king, rook) &&
            is_clear_for_castling(position, rook, rook_target, king, rook) &&
            !is_attacked_on_way(position, king, king_target))
            add_move(list, king, rook, PM_NO_PIECE_TYPE, PM_MOVE_CASTLING);
    }
}

/* All moves by the way the pieces move, whether or not they leave the king to be captured. */
static void add_pseudo_legal_moves(const struct pm_position *position, struct move_list *list)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    for (pm_square from = 0; from < PM_SQUARE_COUNT; from++) {
        if (!is_color(position, from, us))
            continue;
        if (pm_type_of(position->board[from]) == PM_PAWN)
            add_pawn_moves(position, from, list);
        else
            add_piece_moves(position, from, list);
    }
    add_castlings(position, list);
}

/* Rights of both sides that end when something leaves or enters the square. */
static void lose_castling_rights(struct pm_position *position, pm_square square)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] == square ||
                position->board[square] == pm_make_piece((enum pm_color)color, PM_KING))
                position->castling_rook[color][side] = PM_NO_SQUARE;
}

static void move_castling_pieces(struct pm_position *position, const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const enum pm_castling_side side = move->to > move->from ? PM_KINGSIDE : PM_QUEENSIDE;
    position->board[move->from] = PM_EMPTY;
    position->board[move->to] = PM_EMPTY;
    position->board[castling_king_target(move->from, side)] = pm_make_piece(us, PM_KING);
    position->board[castling_rook_target(move->from, side)] = pm_make_piece(us, PM_ROOK);
}

static void make_move(struct pm_position *position, const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const pm_piece piece = position->board[move->from];
    const struct step back = {0, -forward_of(us)};

    position->halfmove_clock = pm_clock_next(position->halfmove_clock);
    if (pm_type_of(piece) == PM_PAWN || move->kind == PM_MOVE_CAPTURE)
        position->halfmove_clock = 0;
    if (us == PM_BLACK)
        position->fullmove_number = pm_clock_next(position->fullmove_number);
    position->en_passant =
        move->kind == PM_MOVE_DOUBLE_PUSH ? step_from(move->to, back) : PM_NO_SQUARE;
    lose_castling_rights(position, move->from);
    lose_castling_rights(position, move->to);

    if (move->kind == PM_MOVE_CASTLING) {
        move_castling_pieces(position, move);
    } else {
        position->board[move->from] = PM_EMPTY;
        position->board[move->to] = move->promotion == PM_NO_PIECE_TYPE
                                        ? piece
                                        : pm_make_piece(us, (enum pm_piece_type)move->promotion);
        if (move->kind == PM_MOVE_EN_PASSANT)
            position->board[step_from(move->to, back)] = PM_EMPTY;
    }
    position->side_to_move = (uint8_t)opponent_of(us);
}

/* Whether the side that has just moved left its king to be captured. */
static bool king_can_be_captured(const struct pm_position *position)
{
    const enum pm_color mover = opponent_of((enum pm_color)position->side_to_move);
    return is_attacked_by(position, find_king(position, mover),
                          (enum pm_color)position->side_to_move);
}

static unsigned generate_legal(const struct pm_position *position, struct pm_move *moves)
{
    struct move_list list = {moves, 0};
    add_pseudo_legal_moves(position, &list);

    unsigned legal = 0;
    for (unsigned i = 0; i < list.count; i++) {
        struct pm_position after = *position;
        make_move(&after, &moves[i]);
        if (!king_can_be_captured(&after))
            moves[legal++] = moves[i];
    }
    return legal;
}

static uint64_t count_leaves(const struct pm_position *position, int depth, enum pm_mode mode)
{
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned count = generate_legal(position, moves);
    if (depth == 1 && mode == PM_MODE_BULK)
        return count;

    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct pm_position after = *position;
        make_move(&after, &moves[i]);
        nodes += depth == 1 ? 1 : count_leaves(&after, depth - 1, mode);
    }
    return nodes;
}

/* The contract: the state is the neutral position itself. */

static enum pm_status init(void)
{
    return PM_OK;
}

static enum pm_status set_position(void *state, const struct pm_position *position)
{
    memcpy(state, position, sizeof *position);
    return PM_OK;
}

static enum pm_status get_position(const void *state, struct pm_position *position)
{
    memcpy(position, state, sizeof *position);
    return PM_OK;
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    *count = generate_legal(state, moves);
    return PM_OK;
}

static enum pm_status play(void *state, const struct pm_move *move)
{
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned count = generate_legal(state, moves);
    if (pm_move_index(moves, count, move) == count)
        return PM_ERROR_ILLEGAL;
    make_move(state, move);
    return PM_OK;
}

static enum pm_status perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    *nodes = count_leaves(state, depth, mode);
    return PM_OK;
}

/* The pieces of the side not to move that attack the king of the side to move. */
static uint64_t find_checkers(const struct pm_position *position)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const pm_square king = find_king(position, us);
    uint64_t checkers = 0;
    for (pm_square from = 0; from < PM_SQUARE_COUNT; from++)
        if (is_color(position, from, opponent_of(us)) && attacks_square(position, from, king))
            checkers |= 1ULL << from;
    return checkers;
}

/* The pieces whose removal lets a further enemy attack their king. */
static uint64_t find_pinned(const struct pm_position *position, uint64_t checkers)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    uint64_t pinned = 0;
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        if (!is_color(position, square, us) || pm_type_of(position->board[square]) == PM_KING)
            continue;
        struct pm_position without = *position;
        without.board[square] = PM_EMPTY;
        if (find_checkers(&without) & ~checkers)
            pinned |= 1ULL << square;
    }
    return pinned;
}

static enum pm_status attacks(const void *state, struct pm_attacks *result)
{
    const struct pm_position *position = state;
    const enum pm_color us = (enum pm_color)position->side_to_move;
    result->checkers = find_checkers(position);
    result->pinned = find_pinned(position, result->checkers);
    result->attacked = 0;
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        if (is_attacked_by(position, square, opponent_of(us)))
            result->attacked |= 1ULL << square;
    return PM_OK;
}

extern const struct pm_kernel pm_kernel_reference;
const struct pm_kernel pm_kernel_reference = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "reference",
    .lineage = "reference",
    .technique = "8x8 board, every move made and the king's capture tried",
    .summary = "The oracle: slow and obvious, for proving the other kernels.",
    .reference = "the rules of chess (FIDE Laws of Chess, articles 3.1 to 3.9 and appendix II)",
    .revision = PM_KERNEL_REVISION,
    .capabilities = PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 |
                    PM_CAN_CLOCKS | PM_IS_REFERENCE,
    .state_size = sizeof(struct pm_position),
    .state_align = _Alignof(struct pm_position),
    .init = init,
    .set_position = set_position,
    .get_position = get_position,
    .legal_moves = legal_moves,
    .play = play,
    .perft = perft,
    .attacks = attacks,
};
