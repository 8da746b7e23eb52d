/* SPDX-License-Identifier: MIT */
#include "rules/history.h"

#include "core/after_move.h"
#include "core/bits.h"
#include "rules/perpetual.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum check { CHECK_UNKNOWN, NO_CHECK, CHECK };

/* One ply of the game. A position is known by the ply at which it occurred first. */
struct entry {
    uint64_t hash;
    uint32_t next; /* of a first ply: the one before in the same chain, or NONE */
    uint32_t first, previous;
    uint32_t last;        /* of a first ply: that of the position's last occurrence */
    unsigned occurrences; /* up to here */
    unsigned draws;
    uint8_t check;           /* enum check: whether the side to move is in check */
    bool is_perpetual_known; /* of a first ply */
    uint8_t perpetual;       /* enum pm_perpetual */
};

struct pm_history {
    const struct pm_kernel *kernel;
    struct entry *entries;
    struct pm_bitboards *boards; /* of each ply */
    uint32_t
        *heads; /* of the chains: twice `capacity`, a power of two. Never cleared: see link() */
    size_t count, capacity;
    enum pm_color first_side;              /* to move */
    size_t checks_known;                   /* plies of which `checking_since` knows */
    size_t checking_since[PM_COLOR_COUNT]; /* all moves of that side after this ply were checks */
    size_t repeated[PM_COLOR_COUNT]; /* last ply with that side to move that was a repetition */
    size_t irreversible;             /* last ply reached by a pawn move or a capture */
    struct pm_position *told;        /* by pm_history_position() */
};

static void reset(struct pm_history *history)
{
    history->count = 0;
    history->irreversible = 0;
    history->checks_known = 0;
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        history->checking_since[color] = 0;
        history->repeated[color] = PM_NO_PLY;
    }
}

/* ---- Positions by hash ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * 0x9E3779B97F4A7C15U;
}

/* Two chains side by side, for speed. */
static uint64_t hash_of(const struct pm_bitboards *board, enum pm_color us)
{
    uint64_t a = mix(board->pieces[PM_WHITE], board->pawns << 1 | us);
    uint64_t b = mix(board->pieces[PM_BLACK], board->knights);
    a = mix(a ^ a >> 29, board->diagonals);
    b = mix(b ^ b >> 31, board->straights);
    a = mix(a ^ a >> 29, board->rights);
    b = mix(b ^ b >> 31, board->kings);
    return a ^ b ^ b >> 32;
}

static bool is_same(const struct pm_bitboards *a, const struct pm_bitboards *b)
{
    return ((a->pieces[PM_WHITE] ^ b->pieces[PM_WHITE]) |
            (a->pieces[PM_BLACK] ^ b->pieces[PM_BLACK]) | (a->pawns ^ b->pawns) |
            (a->knights ^ b->knights) | (a->diagonals ^ b->diagonals) |
            (a->straights ^ b->straights) | (a->kings ^ b->kings) | (a->rights ^ b->rights)) == 0;
}

static uint32_t *head_of(const struct pm_history *history, uint64_t hash)
{
    return &history->heads[hash >> 32 & (2 * history->capacity - 1)];
}

/* What an earlier game left in `heads` is told from this game's own: the ply has not come yet, or
 * its position belongs to another chain. Had one of this chain come, it would be the head. */
static uint32_t first_in_chain(const struct pm_history *history, uint64_t hash)
{
    const uint32_t *const head = head_of(history, hash);
    return *head < history->count && head_of(history, history->entries[*head].hash) == head ? *head
                                                                                            : NONE;
}

/* `ply` is that behind the last: a head can't be it. */
static void link_in(struct pm_history *history, size_t ply)
{
    struct entry *const entry = &history->entries[ply];
    entry->next = first_in_chain(history, entry->hash);
    *head_of(history, entry->hash) = (uint32_t)ply;
}

static enum pm_color side_at(const struct pm_history *history, size_t ply)
{
    return (enum pm_color)((unsigned)history->first_side ^ (ply & 1));
}

/* The first ply of a position, or NONE. */
static uint32_t find(const struct pm_history *history, const struct pm_bitboards *board,
                     enum pm_color us, uint64_t hash)
{
    uint32_t ply = first_in_chain(history, hash);
    while (ply != NONE && (history->entries[ply].hash != hash || side_at(history, ply) != us ||
                           !is_same(&history->boards[ply], board)))
        ply = history->entries[ply].next;
    return ply;
}

/* ---- Memory ---- */

static bool grow(struct pm_history *history)
{
    const size_t capacity = history->capacity == 0 ? 256 : 2 * history->capacity;
    const size_t kept = history->count;
    if (capacity > (size_t)NONE / 2)
        return false;
    struct entry *entries = realloc(history->entries, capacity * sizeof *entries);
    if (entries != NULL)
        history->entries = entries;
    struct pm_bitboards *boards = aligned_alloc(sizeof *boards, capacity * sizeof *boards);
    uint32_t *heads = calloc(2 * capacity, sizeof *heads);
    if (entries == NULL || boards == NULL || heads == NULL) {
        free(boards);
        free(heads);
        return false;
    }
    if (kept > 0)
        memcpy(boards, history->boards, kept * sizeof *boards);
    free(history->boards);
    free(history->heads);
    history->boards = boards;
    history->heads = heads;
    history->capacity = capacity;
    /* As they came: a link looks at those before it alone. */
    for (history->count = 0; history->count < kept; history->count++)
        if (entries[history->count].first == history->count)
            link_in(history, history->count);
    return true;
}

enum pm_status pm_history_create(struct pm_history **history, struct pm_error *error)
{
    struct pm_history *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->told = malloc(sizeof *made->told);
    if (made == NULL || made->told == NULL || !grow(made)) {
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
    free(history->told);
    free(history->boards);
    free(history->heads);
    free(history->entries);
    free(history);
}

void pm_history_clear(struct pm_history *history)
{
    reset(history);
}

static enum pm_color opponent(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

/* ---- Checks without end ---- */

static bool is_check(const struct pm_history *history, size_t ply)
{
    const struct pm_bitboards *const board = &history->boards[ply];
    const enum pm_color by = opponent(side_at(history, ply));
    struct pm_check_squares squares;
    if (history->entries[ply].check != CHECK_UNKNOWN)
        return history->entries[ply].check == CHECK;
    history->kernel->expander->find_check_squares(board, by, &squares);
    return pm_checkers_of(board, by, &squares) != 0;
}

/* Brings `checking_since` up to the last ply. It is asked of repeated positions alone. */
static void note_checks(struct pm_history *history)
{
    for (; history->checks_known < history->count; history->checks_known++) {
        const size_t ply = history->checks_known;
        if (!is_check(history, ply))
            history->checking_since[opponent(side_at(history, ply))] = ply;
    }
}

static bool cannot_leave(struct pm_history *history, size_t ply)
{
    struct entry *const entry = &history->entries[history->entries[ply].first];
    if (!entry->is_perpetual_known) {
        const struct pm_position position =
            pm_bitboards_position(&history->boards[ply], side_at(history, ply));
        entry->is_perpetual_known = true;
        entry->perpetual = (uint8_t)pm_perpetual_of(history->kernel, &position);
    }
    return entry->perpetual == PM_PERPETUAL_PROVED;
}

/* Asked from the end backwards; a ply whose own claim reaches as far back answers for the rest. */
static bool checks_without_end(struct pm_history *history, enum pm_color by)
{
    const unsigned claim = by == PM_WHITE ? PM_DRAW_PERPETUAL_WHITE : PM_DRAW_PERPETUAL_BLACK;
    const size_t last = history->count - 1;
    const size_t first = history->entries[last].first;
    if (history->checking_since[by] > first)
        return false;
    for (size_t ply = last; ply > first; ply--) {
        const struct entry *entry = &history->entries[ply];
        if (ply < last && (entry->draws & claim) != 0 && entry->first <= first)
            return true;
        if (side_at(history, ply) == opponent(by) && !cannot_leave(history, ply))
            return false;
    }
    return true;
}

/* ---- Adding ---- */

/* What of the last position may hold. */
static unsigned possible_draws(struct pm_history *history, const struct pm_view *view)
{
    const unsigned occurrences = history->entries[history->count - 1].occurrences;
    const unsigned clock = view->position.halfmove_clock;
    unsigned draws = 0;
    if (occurrences >= 3)
        draws |= PM_DRAW_THREEFOLD;
    if (occurrences >= 5)
        draws |= PM_DRAW_FIVEFOLD;
    if (clock >= 100)
        draws |= PM_DRAW_FIFTY_MOVES;
    if (clock >= 150)
        draws |= PM_DRAW_SEVENTY_FIVE;
    if (occurrences == 1)
        return draws;
    note_checks(history);
    if (checks_without_end(history, PM_WHITE))
        draws |= PM_DRAW_PERPETUAL_WHITE;
    if (checks_without_end(history, PM_BLACK))
        draws |= PM_DRAW_PERPETUAL_BLACK;
    return draws;
}

/* Legal moves are asked for only where the answer matters. */
static enum pm_status find_draws(struct pm_history *history, struct pm_view *view, unsigned *draws)
{
    *draws = possible_draws(history, view);
    if (*draws == 0)
        return PM_OK;
    const enum pm_status status = pm_view_look(view, NULL);
    if (view->move_count == 0)
        *draws = 0;
    return status;
}

static void note(struct pm_history *history, const struct pm_view *view)
{
    const size_t ply = history->count - 1;
    if (view->position.halfmove_clock == 0)
        history->irreversible = ply;
    if (history->entries[ply].occurrences > 1)
        history->repeated[side_at(history, ply)] = ply;
}

static void enter(struct pm_history *history, const struct pm_view *view)
{
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    const uint64_t hash = hash_of(view->board, us);
    const size_t ply = history->count;
    struct entry *const entry = &history->entries[ply];
    if (ply == 0) {
        history->kernel = view->kernel;
        history->first_side = us;
    }
    *entry = (struct entry){.hash = hash,
                            .first = find(history, view->board, us, hash),
                            .previous = NONE,
                            .last = (uint32_t)ply,
                            .occurrences = 1};
    if (view->is_looked)
        entry->check = view->attacks.checkers != 0 ? CHECK : NO_CHECK;
    history->boards[ply] = *view->board;
    if (entry->first == NONE) {
        entry->first = (uint32_t)ply;
        link_in(history, ply);
    } else {
        struct entry *const first = &history->entries[entry->first];
        entry->previous = first->last;
        entry->occurrences = history->entries[first->last].occurrences + 1;
        first->last = (uint32_t)ply;
    }
    history->count++;
}

enum pm_status pm_history_add(struct pm_history *history, struct pm_view *view)
{
    if (history->count == history->capacity && !grow(history))
        return PM_ERROR_MEMORY;
    enter(history, view);
    note(history, view);
    return find_draws(history, view, &history->entries[history->count - 1].draws);
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

/* Only a move that is no pawn's and takes no piece leads to a position that can have been there.
 * One that loses a castling right is found nowhere: no position has the right with king or rook
 * gone.
 */
static bool repeats_twice_seen(const struct pm_history *history, const struct pm_view *view,
                               const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    const enum pm_piece_type type = pm_type_of(view->position.board[move->from]);
    struct pm_bitboards after;
    if (move->kind != PM_MOVE_QUIET || type == PM_PAWN)
        return false;
    pm_after_move(&after, view->board, us, type, pm_bit(move->from), pm_bit(move->to));
    const uint32_t first = find(history, &after, opponent(us), hash_of(&after, opponent(us)));
    return first != NONE && history->entries[history->entries[first].last].occurrences >= 2;
}

static bool can_repeat(const struct pm_history *history, const struct pm_position *position)
{
    const size_t repeated = history->repeated[opponent((enum pm_color)position->side_to_move)];
    return repeated != PM_NO_PLY && repeated >= history->irreversible;
}

unsigned pm_history_claims_by_move(const struct pm_history *history, struct pm_view *view,
                                   struct pm_move *move)
{
    const bool repeatable = can_repeat(history, &view->position);
    const bool countable = view->position.halfmove_clock >= 99;
    unsigned claims = 0;
    if ((!repeatable && !countable) || pm_view_look(view, NULL) != PM_OK)
        return 0;
    for (unsigned i = view->move_count; i-- > 0;) {
        const struct pm_move *candidate = &view->moves[i];
        if (countable && !pm_view_resets_clock(&view->position, candidate)) {
            if (!(claims & PM_DRAW_THREEFOLD))
                *move = *candidate;
            claims |= PM_DRAW_FIFTY_MOVES;
        }
        if (repeatable && repeats_twice_seen(history, view, candidate)) {
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
    *history->told = pm_bitboards_position(&history->boards[ply], side_at(history, ply));
    return history->told;
}

static size_t ply_or_none(uint32_t ply)
{
    return ply == NONE ? PM_NO_PLY : ply;
}

size_t pm_history_previous_ply(const struct pm_history *history, size_t ply)
{
    return ply_or_none(history->entries[ply].previous);
}

size_t pm_history_last_ply(const struct pm_history *history, size_t ply)
{
    return history->entries[history->entries[ply].first].last;
}

unsigned pm_history_occurrences_at(const struct pm_history *history, size_t ply)
{
    return history->entries[ply].occurrences;
}
