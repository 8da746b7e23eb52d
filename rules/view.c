/* SPDX-License-Identifier: MIT */
#include "rules/view.h"

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
    if (view->state != NULL && view->child != NULL)
        return PM_OK;
    pm_view_close(view);
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}

void pm_view_close(struct pm_view *view)
{
    free(view->state);
    free(view->child);
    view->state = view->child = NULL;
}

/* Asks the kernel about view->state, which stands for view->position. */
static enum pm_status look(struct pm_view *view, struct pm_error *error)
{
    enum pm_status status = view->kernel->legal_moves(view->state, view->moves, &view->move_count);
    if (status == PM_OK)
        status = view->kernel->attacks(view->state, &view->attacks);
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
    return look(view, error);
}

bool pm_view_resets_clock(const struct pm_position *position, const struct pm_move *move)
{
    return move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT ||
           pm_type_of(position->board[move->from]) == PM_PAWN;
}

/* The clocks after a move, by the rules: not every kernel keeps them. */
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
    memcpy(view->child, view->state, view->kernel->state_size);
    enum pm_status status = view->kernel->play(view->child, &move);
    if (status == PM_OK)
        status = view->kernel->get_position(view->child, &after);
    if (status != PM_OK)
        return pm_fail(error, status, "kernel %s: %s", view->kernel->name, pm_status_text(status));
    advance_clocks(&view->position, &move, &after);
    void *played = view->child;
    view->child = view->state;
    view->state = played;
    view->position = after;
    return look(view, error);
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
