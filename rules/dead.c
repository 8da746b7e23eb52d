/* SPDX-License-Identifier: MIT */
#include "rules/dead.h"

#include "core/bits.h"
#include "core/position.h"
#include "core/state.h"
#include "rules/material.h"

#include <stdlib.h>
#include <string.h>

/* ---- Walls ----
 *
 * Kings, pawns and bishops only. The pawns never move if each has a pawn before it and none attacks
 * an enemy pawn; then, by induction over the moves, all that the others can ever reach is found by
 * filling the board around the pawns, with every other man thought away. If what is found holds no
 * capture of a pawn or by a pawn, the pawns do stand for ever; if no bishop can mate then, nobody
 * can: such pawns never give a check, since a king never steps before them. */

struct wall {
    uint64_t pawns[PM_COLOR_COUNT], bishops[PM_COLOR_COUNT], kings[PM_COLOR_COUNT];
    uint64_t pawn_attacks[PM_COLOR_COUNT];
    uint64_t king_reach[PM_COLOR_COUNT];   /* squares on which the king may ever stand */
    uint64_t bishop_reach[PM_COLOR_COUNT]; /* squares on which a bishop may ever stand, and what it
                                              attacks from there */
};

static const uint64_t file_a = 0x0101010101010101U, file_h = 0x8080808080808080U;

static uint64_t step_left(uint64_t set)
{
    return set >> 1 & ~file_h;
}

static uint64_t step_right(uint64_t set)
{
    return set << 1 & ~file_a;
}

static uint64_t step_forward(uint64_t set, enum pm_color color)
{
    return color == PM_WHITE ? set << 8 : set >> 8;
}

static uint64_t king_attacks(uint64_t set)
{
    const uint64_t row = set | step_left(set) | step_right(set);
    return (row | row << 8 | row >> 8) & ~set;
}

static uint64_t diagonal_steps(uint64_t set)
{
    const uint64_t beside = step_left(set) | step_right(set);
    return beside << 8 | beside >> 8;
}

/* False if other men than kings, pawns and bishops stand on the board. */
static bool read_wall(const struct pm_position *position, struct wall *wall)
{
    *wall = (struct wall){0};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece == PM_EMPTY)
            continue;
        const enum pm_color color = pm_color_of(piece);
        switch (pm_type_of(piece)) {
        case PM_PAWN:
            wall->pawns[color] |= pm_bit(square);
            break;
        case PM_BISHOP:
            wall->bishops[color] |= pm_bit(square);
            break;
        case PM_KING:
            wall->kings[color] |= pm_bit(square);
            break;
        default:
            return false;
        }
    }
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        const uint64_t front = step_forward(wall->pawns[color], (enum pm_color)color);
        wall->pawn_attacks[color] = step_left(front) | step_right(front);
    }
    return true;
}

/* That no white pawn attacks a black one says the same of the black ones. */
static bool pawns_are_blocked(const struct wall *wall)
{
    const uint64_t pawns = wall->pawns[PM_WHITE] | wall->pawns[PM_BLACK];
    return (step_forward(wall->pawns[PM_WHITE], PM_WHITE) & ~pawns) == 0 &&
           (step_forward(wall->pawns[PM_BLACK], PM_BLACK) & ~pawns) == 0 &&
           (wall->pawn_attacks[PM_WHITE] & wall->pawns[PM_BLACK]) == 0;
}

static void fill_kings(struct wall *wall)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        const uint64_t barred = wall->pawns[color] | wall->pawn_attacks[1 - color];
        uint64_t reach = wall->kings[color], before;
        do {
            before = reach;
            reach |= king_attacks(reach) & ~barred;
        } while (reach != before);
        wall->king_reach[color] = reach;
    }
}

static void fill_bishops(struct wall *wall)
{
    const uint64_t pawns = wall->pawns[PM_WHITE] | wall->pawns[PM_BLACK];
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        uint64_t reach = wall->bishops[color], before;
        do {
            before = reach;
            reach |= diagonal_steps(reach & ~pawns);
        } while (reach != before);
        wall->bishop_reach[color] = reach;
    }
}

/* No king or bishop ever takes a pawn; nor a pawn a bishop, which would attack that pawn. */
static bool pawns_are_safe(const struct wall *wall)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        if (((wall->king_reach[color] | wall->bishop_reach[color]) & wall->pawns[1 - color]) != 0)
            return false;
    }
    return true;
}

/* Whether the king of `color`, in check by a bishop on `king`, has a free square in any case, the
 * enemy's king standing anywhere. */
static bool always_escapes(const struct wall *wall, enum pm_color color, unsigned king)
{
    const enum pm_color enemy = (enum pm_color)(1 - color);
    const uint64_t near = king_attacks(pm_bit(king));
    const uint64_t free =
        near & ~(wall->pawns[color] | wall->pawns[enemy] | wall->pawn_attacks[enemy] |
                 wall->bishop_reach[color] | wall->bishop_reach[enemy]);
    uint64_t enemy_kings = wall->king_reach[enemy] & ~near & ~pm_bit(king);
    while (enemy_kings != 0) {
        if ((free & ~king_attacks(pm_bit(pm_pop_lsb(&enemy_kings)))) == 0)
            return false;
    }
    return true;
}

static bool bishops_never_mate(const struct wall *wall)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        uint64_t checked = wall->king_reach[color] & wall->bishop_reach[1 - color];
        while (checked != 0) {
            if (!always_escapes(wall, (enum pm_color)color, pm_pop_lsb(&checked)))
                return false;
        }
    }
    return true;
}

static bool is_wall(const struct pm_position *position)
{
    struct wall wall;
    if (!read_wall(position, &wall) || !pawns_are_blocked(&wall) ||
        pm_position_en_passant_is_legal(position))
        return false;
    fill_kings(&wall);
    fill_bishops(&wall);
    return pawns_are_safe(&wall) && bishops_never_mate(&wall);
}

/* ---- Lines ---- */

enum { LINES_DEPTH = 6, LINES_NODES = 400 };

struct lines {
    const struct pm_kernel *kernel;
    char *states; /* one a ply */
    size_t state_size;
    unsigned nodes; /* that may still be looked at */
};

/* Whether every line from the state at `ply` ends dead within the limits. */
static bool all_end(struct lines *lines, unsigned ply)
{
    const void *const state = lines->states + ply * lines->state_size;
    void *const child = lines->states + (ply + 1) * lines->state_size;
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_position position;
    struct pm_attacks attacks;
    unsigned count = 0;
    if (lines->nodes == 0 || lines->kernel->get_position(state, &position) != PM_OK ||
        lines->kernel->legal_moves(state, moves, &count) != PM_OK)
        return false;
    lines->nodes--;
    if (count == 0)
        return lines->kernel->attacks(state, &attacks) == PM_OK && attacks.checkers == 0;
    /* Of the position itself both have been asked. */
    if (ply > 0 && (pm_material_is_insufficient(&position) || is_wall(&position)))
        return true;
    if (ply == LINES_DEPTH)
        return false;
    for (unsigned i = 0; i < count; i++) {
        memcpy(child, state, lines->state_size);
        if (lines->kernel->play(child, &moves[i]) != PM_OK || !all_end(lines, ply + 1))
            return false;
    }
    return true;
}

static bool lines_end(const struct pm_view *view)
{
    struct lines lines = {.kernel = view->kernel,
                          .states = pm_new_states(view->kernel, LINES_DEPTH + 2),
                          .state_size = pm_state_stride(view->kernel),
                          .nodes = LINES_NODES};
    if (lines.states == NULL)
        return false;
    memcpy(lines.states, view->state, view->kernel->state_size);
    const bool end = all_end(&lines, 0);
    free(lines.states);
    return end;
}

enum pm_dead pm_dead_proof(const struct pm_view *view)
{
    if (is_wall(&view->position))
        return PM_DEAD_WALL;
    return lines_end(view) ? PM_DEAD_LINES : PM_DEAD_NOT_PROVED;
}
