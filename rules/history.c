/* SPDX-License-Identifier: MIT */
#include "rules/history.h"

#include "core/grow.h"
#include "rules/perpetual.h"
#include "rules/position_set.h"

#include <stdlib.h>
#include <string.h>

/* One ply of the game. */
struct entry {
    size_t position; /* in the set */
    size_t first, previous;
    unsigned occurrences; /* up to here */
    unsigned draws;
};

/* What is known of each position of the set. */
struct record {
    size_t last; /* ply of its last occurrence */
    enum pm_perpetual perpetual;
    bool is_perpetual_known;
};

struct pm_history {
    struct pm_position_set *positions;
    struct entry *entries;
    size_t count, capacity;
    struct record *records;
    size_t record_capacity;
    size_t checking_since[PM_COLOR_COUNT]; /* all moves of that side after this ply were checks */
    size_t repeated[PM_COLOR_COUNT]; /* last ply with that side to move that was a repetition */
    size_t irreversible;             /* last ply reached by a pawn move or a capture */
};

static void reset(struct pm_history *history)
{
    history->count = 0;
    history->irreversible = 0;
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        history->checking_since[color] = 0;
        history->repeated[color] = PM_NO_PLY;
    }
}

enum pm_status pm_history_create(struct pm_history **history, struct pm_error *error)
{
    struct pm_history *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->positions = pm_position_set_create();
    if (made == NULL || made->positions == NULL) {
        pm_history_destroy(made);
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    reset(made);
    *history = made;
    return PM_OK;
}

void pm_history_destroy(struct pm_history *history)
{
    if (history == NULL)
        return;
    pm_position_set_destroy(history->positions);
    free(history->entries);
    free(history->records);
    free(history);
}

void pm_history_clear(struct pm_history *history)
{
    pm_position_set_clear(history->positions);
    reset(history);
}

static enum pm_color opponent(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* ---- Checks without end ---- */

static bool cannot_leave(struct pm_history *history, const struct pm_kernel *kernel, size_t ply)
{
    const size_t number = history->entries[ply].position;
    struct record *record = &history->records[number];
    if (!record->is_perpetual_known) {
        record->is_perpetual_known = true;
        record->perpetual = pm_perpetual_of(kernel, pm_position_set_at(history->positions, number));
    }
    return record->perpetual == PM_PERPETUAL_PROVED;
}

static bool has_side_to_move(const struct pm_history *history, size_t ply, enum pm_color color)
{
    return pm_history_position(history, ply)->side_to_move == color;
}

/* Asked from the end backwards; a ply whose own claim reaches as far back answers for the rest. */
static bool checks_without_end(struct pm_history *history, const struct pm_view *view,
                               enum pm_color by)
{
    const unsigned claim = by == PM_WHITE ? PM_DRAW_PERPETUAL_WHITE : PM_DRAW_PERPETUAL_BLACK;
    const size_t last = history->count - 1;
    const size_t first = history->entries[last].first;
    if (first == last || history->checking_since[by] > first)
        return false;
    for (size_t ply = last; ply > first; ply--) {
        const struct entry *entry = &history->entries[ply];
        if (ply < last && (entry->draws & claim) != 0 && entry->first <= first)
            return true;
        if (has_side_to_move(history, ply, opponent(by)) &&
            !cannot_leave(history, view->kernel, ply))
            return false;
    }
    return true;
}

/* ---- Adding ---- */

static unsigned draws_of(struct pm_history *history, const struct pm_view *view)
{
    const unsigned occurrences = history->entries[history->count - 1].occurrences;
    const unsigned clock = view->position.halfmove_clock;
    unsigned draws = 0;
    if (view->move_count == 0)
        return 0;
    if (occurrences >= 3)
        draws |= PM_DRAW_THREEFOLD;
    if (occurrences >= 5)
        draws |= PM_DRAW_FIVEFOLD;
    if (clock >= 100)
        draws |= PM_DRAW_FIFTY_MOVES;
    if (clock >= 150)
        draws |= PM_DRAW_SEVENTY_FIVE;
    if (checks_without_end(history, view, PM_WHITE))
        draws |= PM_DRAW_PERPETUAL_WHITE;
    if (checks_without_end(history, view, PM_BLACK))
        draws |= PM_DRAW_PERPETUAL_BLACK;
    return draws;
}

static void note(struct pm_history *history, const struct pm_view *view)
{
    const enum pm_color turn = (enum pm_color)view->position.side_to_move;
    const size_t ply = history->count - 1;
    if (view->position.halfmove_clock == 0)
        history->irreversible = ply;
    if (view->attacks.checkers == 0)
        history->checking_since[opponent(turn)] = ply;
    if (history->entries[ply].occurrences > 1)
        history->repeated[turn] = ply;
}

enum pm_status pm_history_add(struct pm_history *history, const struct pm_view *view)
{
    const size_t distinct = pm_position_set_count(history->positions);
    struct entry *entries =
        pm_grown(history->entries, &history->capacity, history->count + 1, sizeof *entries);
    if (entries == NULL)
        return PM_ERROR_MEMORY;
    history->entries = entries;
    struct record *records =
        pm_grown(history->records, &history->record_capacity, distinct + 1, sizeof *records);
    if (records == NULL)
        return PM_ERROR_MEMORY;
    history->records = records;

    bool is_new;
    const size_t number = pm_position_set_add(history->positions, &view->position, &is_new);
    if (number == PM_NOT_IN_SET)
        return PM_ERROR_MEMORY;
    const size_t ply = history->count++;
    struct entry *entry = &history->entries[ply];
    struct record *record = &history->records[number];
    if (is_new) {
        *entry = (struct entry){number, ply, PM_NO_PLY, 1, 0};
        *record = (struct record){0};
    } else {
        const struct entry *before = &history->entries[record->last];
        *entry = (struct entry){number, before->first, record->last, before->occurrences + 1, 0};
    }
    record->last = ply;
    note(history, view);
    entry->draws = draws_of(history, view);
    return PM_OK;
}

unsigned pm_history_draws(const struct pm_history *history)
{
    return history->count == 0 ? 0 : history->entries[history->count - 1].draws;
}

unsigned pm_history_occurrences(const struct pm_history *history)
{
    return history->count == 0 ? 0 : history->entries[history->count - 1].occurrences;
}

size_t pm_history_first_ply(const struct pm_history *history)
{
    return history->count == 0 ? 0 : history->entries[history->count - 1].first;
}

/* ---- Claims before moving ---- */

/* Only a move that is no pawn's and takes no man leads to a position that can have been there. One
 * that loses a castling right is found nowhere: no position has the right with king or rook gone.
 */
static bool repeats_twice_seen(const struct pm_history *history, const struct pm_position *before,
                               const struct pm_move *move)
{
    if (move->kind != PM_MOVE_QUIET || pm_type_of(before->board[move->from]) == PM_PAWN)
        return false;
    struct pm_position after = *before;
    after.board[move->to] = after.board[move->from];
    after.board[move->from] = PM_EMPTY;
    after.side_to_move ^= 1;
    after.en_passant = PM_NO_SQUARE;
    const size_t number = pm_position_set_find(history->positions, &after);
    return number != PM_NOT_IN_SET &&
           history->entries[history->records[number].last].occurrences >= 2;
}

static bool can_repeat(const struct pm_history *history, const struct pm_position *position)
{
    const size_t repeated = history->repeated[opponent((enum pm_color)position->side_to_move)];
    return repeated != PM_NO_PLY && repeated >= history->irreversible;
}

unsigned pm_history_claims_by_move(const struct pm_history *history, const struct pm_view *view,
                                   struct pm_move *move)
{
    const bool repeatable = can_repeat(history, &view->position);
    const bool countable = view->position.halfmove_clock >= 99;
    unsigned claims = 0;
    if (!repeatable && !countable)
        return 0;
    for (unsigned i = view->move_count; i-- > 0;) {
        const struct pm_move *candidate = &view->moves[i];
        if (countable && !pm_view_resets_clock(&view->position, candidate)) {
            if (!(claims & PM_DRAW_THREEFOLD))
                *move = *candidate;
            claims |= PM_DRAW_FIFTY_MOVES;
        }
        if (repeatable && repeats_twice_seen(history, &view->position, candidate)) {
            *move = *candidate;
            claims |= PM_DRAW_THREEFOLD;
        }
    }
    return claims;
}

/* ---- Looking back ---- */

size_t pm_history_length(const struct pm_history *history)
{
    return history->count;
}

const struct pm_position *pm_history_position(const struct pm_history *history, size_t ply)
{
    return pm_position_set_at(history->positions, history->entries[ply].position);
}

size_t pm_history_previous_ply(const struct pm_history *history, size_t ply)
{
    return history->entries[ply].previous;
}

size_t pm_history_last_ply(const struct pm_history *history, size_t ply)
{
    return history->records[history->entries[ply].position].last;
}

unsigned pm_history_occurrences_at(const struct pm_history *history, size_t ply)
{
    return history->entries[ply].occurrences;
}
