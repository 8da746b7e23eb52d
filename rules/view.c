/* SPDX-License-Identifier: MIT */
#include "rules/view.h"

#include "core/after_move.h"
#include "core/position.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

enum pm_status pm_view_open(struct pm_view *view, const struct pm_kernel *kernel,
                            struct pm_error *error)
{
    if (kernel->attacks == NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "kernel %s does not tell attacks",
                       kernel->name);
    view->kernel = kernel;
    view->state = pm_new_state(kernel);
    view->child = pm_new_state(kernel);
    view->board = aligned_alloc(_Alignof(struct pm_bitboards), sizeof *view->board);
    if (view->state != NULL && view->child != NULL && view->board != NULL)
        return PM_OK;
    pm_view_close(view);
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}

void pm_view_close(struct pm_view *view)
{
    free(view->state);
    free(view->child);
    free(view->board);
    view->state = view->child = NULL;
    view->board = NULL;
}

static void set_board(struct pm_view *view)
{
    *view->board = pm_bitboards_of(&view->position);
    if (view->position.en_passant != PM_NO_SQUARE &&
        !pm_position_en_passant_is_legal(&view->position))
        view->board->rights &= PM_BACK_RANKS;
}

/* Asks the kernel about view->state, which stands for view->position. */
static enum pm_status look(struct pm_view *view, struct pm_error *error)
{
    enum pm_status status = view->kernel->legal_moves(view->state, view->moves, &view->move_count);
    if (status == PM_OK)
        status = view->kernel->attacks(view->state, &view->attacks);
    view->is_looked = status == PM_OK;
    return status == PM_OK ? PM_OK
                           : pm_fail(error, status, "kernel %s: %s", view->kernel->name,
                                     pm_status_text(status));
}

enum pm_status pm_view_set(struct pm_view *view, const struct pm_position *position,
                           struct pm_error *error)
{
    const enum pm_status status = view->kernel->set_position(view->child, position);
    if (status != PM_OK)
        return pm_fail(error, status, "kernel %s can't take this position: %s", view->kernel->name,
                       pm_status_text(status));
    void *set = view->child;
    view->child = view->state;
    view->state = set;
    view->position = *position;
    set_board(view);
    return look(view, error);
}

static bool tells_all_by_sets(const struct pm_kernel *kernel)
{
    return kernel->expander != NULL && kernel->expander->origins != NULL &&
           kernel->expander->find_check_squares != NULL;
}

enum pm_status pm_view_place(struct pm_view *view, const struct pm_position *position,
                             struct pm_error *error)
{
    if (!tells_all_by_sets(view->kernel))
        return pm_view_set(view, position, error);
    view->position = *position;
    set_board(view);
    view->is_looked = false;
    return PM_OK;
}

enum pm_status pm_view_look(struct pm_view *view, struct pm_error *error)
{
    if (view->is_looked)
        return PM_OK;
    const enum pm_status status = view->kernel->set_position(view->state, &view->position);
    return status == PM_OK ? look(view, error)
                           : pm_fail(error, status, "kernel %s: %s", view->kernel->name,
                                     pm_status_text(status));
}

bool pm_view_resets_clock(const struct pm_position *position, const struct pm_move *move)
{
    return move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT ||
           pm_type_of(position->board[move->from]) == PM_PAWN;
}

/* The clocks after a move, by the rules: not every kernel keeps them. `after` may be `before`. */
static void advance_clocks(const struct pm_position *before, const struct pm_move *move,
                           struct pm_position *after)
{
    after->halfmove_clock =
        pm_view_resets_clock(before, move) ? 0 : pm_clock_next(before->halfmove_clock);
    after->fullmove_number = before->side_to_move == PM_BLACK
                                 ? pm_clock_next(before->fullmove_number)
                                 : before->fullmove_number;
}

enum pm_status pm_view_play(struct pm_view *view, struct pm_move move, struct pm_error *error)
{
    struct pm_position after;
    enum pm_status status = pm_view_look(view, error);
    if (status != PM_OK)
        return status;
    memcpy(view->child, view->state, view->kernel->state_size);
    status = view->kernel->play(view->child, &move);
    if (status == PM_OK)
        status = view->kernel->get_position(view->child, &after);
    if (status != PM_OK)
        return pm_fail(error, status, "kernel %s: %s", view->kernel->name, pm_status_text(status));
    advance_clocks(&view->position, &move, &after);
    void *played = view->child;
    view->child = view->state;
    view->state = played;
    view->position = after;
    set_board(view);
    return look(view, error);
}

/* ---- Following ---- */

/* A right goes with its rook, moved or captured, or with its king. */
static void drop_rights(struct pm_position *position, uint64_t lost)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            pm_square *const rook = &position->castling_rook[color][side];
            if (*rook != PM_NO_SQUARE && (lost & pm_bit(*rook)))
                *rook = PM_NO_SQUARE;
        }
}

static void castle(struct pm_position *position, enum pm_color us, const struct pm_move *move)
{
    const unsigned rank = pm_rank_of(move->from);
    const bool is_kingside = move->to > move->from;
    position->board[move->from] = position->board[move->to] = PM_EMPTY;
    position->board[pm_make_square(is_kingside ? 6 : 2, rank)] = pm_make_piece(us, PM_KING);
    position->board[pm_make_square(is_kingside ? 5 : 3, rank)] = pm_make_piece(us, PM_ROOK);
}

static void move_piece(struct pm_position *position, enum pm_color us, const struct pm_move *move)
{
    position->board[move->to] = move->promotion == PM_NO_PIECE_TYPE
                                    ? position->board[move->from]
                                    : pm_make_piece(us, (enum pm_piece_type)move->promotion);
    position->board[move->from] = PM_EMPTY;
    if (move->kind == PM_MOVE_EN_PASSANT)
        position->board[pm_make_square(pm_file_of(move->to), pm_rank_of(move->from))] = PM_EMPTY;
}

/* The board after a move; an en passant square is there if an enemy pawn stands ready. */
static void move_on_board(struct pm_bitboards *child, const struct pm_bitboards *board,
                          enum pm_color us, enum pm_piece_type type, const struct pm_move *move)
{
    const uint64_t from = pm_bit(move->from), to = pm_bit(move->to);
    if (move->promotion != PM_NO_PIECE_TYPE)
        pm_after_promotion(child, board, us, (enum pm_piece_type)move->promotion, from, to);
    else if (move->kind == PM_MOVE_DOUBLE_PUSH)
        pm_after_double_push(child, board, us, from, to);
    else if (move->kind == PM_MOVE_EN_PASSANT)
        pm_after_en_passant(child, board, us, from, to);
    else if (move->kind == PM_MOVE_CASTLING)
        pm_after_castling(child, board, us, to);
    else
        pm_after_move(child, board, us, type, from, to);
}

static void keep_en_passant_if_legal(struct pm_view *view)
{
    const uint64_t passed = pm_en_passant_set(view->board);
    view->position.en_passant = PM_NO_SQUARE;
    if (passed == 0)
        return;
    const pm_square to = (pm_square)pm_lsb(passed);
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    if (view->kernel->expander->origins(view->board, us, PM_PAWN, to) != 0)
        view->position.en_passant = to;
    else
        view->board->rights &= PM_BACK_RANKS;
}

enum pm_status pm_view_follow(struct pm_view *view, struct pm_move move, struct pm_error *error)
{
    struct pm_position *const position = &view->position;
    if (!tells_all_by_sets(view->kernel))
        return pm_view_play(view, move, error);
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct pm_bitboards before = *view->board;
    const enum pm_piece_type type = pm_type_of(position->board[move.from]);
    advance_clocks(position, &move, position);
    move_on_board(view->board, &before, us, type, &move);
    if (move.kind == PM_MOVE_CASTLING)
        castle(position, us, &move);
    else
        move_piece(position, us, &move);
    const uint64_t lost = before.rights & ~view->board->rights & PM_BACK_RANKS;
    if (lost != 0)
        drop_rights(position, lost);
    position->side_to_move ^= 1;
    keep_en_passant_if_legal(view);
    view->is_looked = false;
    return PM_OK;
}

/* In mode bulk, if there is one, moves are counted faster than listed. */
static bool has_moves(const struct pm_kernel *kernel, const void *state)
{
    struct pm_move moves[PM_MAX_MOVES];
    uint64_t nodes = 0;
    unsigned count = 0;
    if (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK))
        return kernel->perft(state, 1, PM_MODE_BULK, &nodes) == PM_OK && nodes > 0;
    return kernel->legal_moves(state, moves, &count) == PM_OK && count > 0;
}

struct pm_view_effect pm_view_effect_of(struct pm_view *view, const struct pm_move *move)
{
    struct pm_attacks attacks = {0};
    memcpy(view->child, view->state, view->kernel->state_size);
    if (view->kernel->play(view->child, move) != PM_OK ||
        view->kernel->attacks(view->child, &attacks) != PM_OK)
        return (struct pm_view_effect){0};
    const bool check = attacks.checkers != 0, stuck = !has_moves(view->kernel, view->child);
    return (struct pm_view_effect){
        .check = check, .checkmate = check && stuck, .stalemate = !check && stuck};
}
