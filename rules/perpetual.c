/* SPDX-License-Identifier: MIT */
/* A greatest fixed point, found lazily: every position met is held good until it turns out to have
 * no check that keeps the other side within good ones. Passes are repeated until one has nothing to
 * take back: then the positions met in it answer for each other. */
#include "rules/perpetual.h"

#include "core/bits.h"
#include "core/state.h"
#include "rules/position_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In rising order for the checking side. */
enum answer { BAD, UNKNOWN, GOOD };

struct search {
    const struct pm_kernel *kernel;
    char *states; /* two a check: the checked side's at even places, the other's behind them */
    size_t state_size;
    struct pm_position_set *met; /* the checking side is to move */
    struct {
        enum answer answer;
        unsigned pass;               /* in which it was last held good */
    } notes[PM_PERPETUAL_LIMIT + 1]; /* by number in `met` */
    unsigned pass, looked, depth_limit;
    bool took_back;
};

struct check {
    struct pm_move move;
    unsigned replies;
};

static void *state_at(const struct search *search, unsigned place)
{
    return search->states + place * search->state_size;
}

/* Plays a move of the state at `place` and leaves the next one behind it. */
static bool play(const struct search *search, unsigned place, const struct pm_move *move)
{
    void *next = state_at(search, place + 1);
    memcpy(next, state_at(search, place), search->kernel->state_size);
    return search->kernel->play(next, move) == PM_OK;
}

static int fewest_replies_first(const void *a, const void *b)
{
    const struct check *left = a, *right = b;
    return (left->replies > right->replies) - (left->replies < right->replies);
}

/* Where moves of the side to move may give check; false if the kernel does not tell. */
static bool look_for_checks(const struct search *search, unsigned place, struct pm_position *before,
                            struct pm_check_squares *squares)
{
    const struct pm_kernel *const kernel = search->kernel;
    if (kernel->expander == NULL || kernel->expander->find_check_squares == NULL ||
        kernel->get_position(state_at(search, place), before) != PM_OK)
        return false;
    const struct pm_bitboards board = pm_bitboards_of(before);
    kernel->expander->find_check_squares(&board, (enum pm_color)before->side_to_move, squares);
    return true;
}

/* Never false of a move that gives check. */
static bool may_check(const struct pm_position *before, const struct pm_check_squares *squares,
                      const struct pm_move *move)
{
    static const bool is_straight[] = {[PM_ROOK] = true, [PM_QUEEN] = true};
    const enum pm_piece_type type = pm_type_of(before->board[move->from]);
    uint64_t from_there = 0;
    if ((squares->screens & pm_bit(move->from)) != 0 || move->promotion != PM_NO_PIECE_TYPE ||
        move->kind == PM_MOVE_EN_PASSANT || move->kind == PM_MOVE_CASTLING)
        return true;
    if (type == PM_PAWN)
        from_there = squares->pawns;
    else if (type == PM_KNIGHT)
        from_there = squares->knights;
    else if (type != PM_KING)
        from_there = (is_straight[type] ? squares->straights : 0) |
                     (type != PM_ROOK ? squares->diagonals : 0);
    return (from_there & pm_bit(move->to)) != 0;
}

/* In mode bulk, if there is one, moves are counted faster than listed. */
static bool count_replies(const struct pm_kernel *kernel, const void *state, unsigned *replies)
{
    struct pm_move moves[PM_MAX_MOVES];
    uint64_t nodes = 0;
    if (!(kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)))
        return kernel->legal_moves(state, moves, replies) == PM_OK;
    const bool is_counted = kernel->perft(state, 1, PM_MODE_BULK, &nodes) == PM_OK;
    *replies = (unsigned)nodes;
    return is_counted;
}

static unsigned find_checks(const struct search *search, unsigned place, struct check checks[])
{
    const struct pm_kernel *kernel = search->kernel;
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_position before;
    struct pm_check_squares squares;
    unsigned move_count = 0, count = 0;
    if (kernel->legal_moves(state_at(search, place), moves, &move_count) != PM_OK)
        return 0;
    const bool is_told = look_for_checks(search, place, &before, &squares);
    for (unsigned i = 0; i < move_count; i++) {
        if (is_told && !may_check(&before, &squares, &moves[i]))
            continue;
        const void *after = state_at(search, place + 1);
        struct pm_attacks attacks;
        struct check *check = &checks[count];
        if (play(search, place, &moves[i]) && kernel->attacks(after, &attacks) == PM_OK &&
            attacks.checkers != 0 && count_replies(kernel, after, &check->replies)) {
            check->move = moves[i];
            count++;
        }
    }
    qsort(checks, count, sizeof *checks, fewest_replies_first);
    return count;
}

static enum answer answer_at(struct search *search, unsigned place);

/* The worst that a reply of the checked side, at `place`, can reach. */
static enum answer worst_reply(struct search *search, unsigned place)
{
    struct pm_move moves[PM_MAX_MOVES];
    enum answer worst = GOOD;
    unsigned count = 0;
    if (search->kernel->legal_moves(state_at(search, place), moves, &count) != PM_OK)
        return UNKNOWN;
    for (unsigned i = 0; i < count && worst != BAD; i++) {
        const enum answer answer =
            play(search, place, &moves[i]) ? answer_at(search, place + 1) : UNKNOWN;
        worst = answer < worst ? answer : worst;
    }
    return worst;
}

static enum answer best_check(struct search *search, unsigned place)
{
    struct check checks[PM_MAX_MOVES];
    const unsigned count = find_checks(search, place, checks);
    enum answer best = BAD;
    for (unsigned i = 0; i < count && best != GOOD; i++) {
        const enum answer answer =
            play(search, place, &checks[i].move) ? worst_reply(search, place + 1) : UNKNOWN;
        best = answer > best ? answer : best;
    }
    return best;
}

/* Of a position in which the checking side is to move. */
static enum answer answer_at(struct search *search, unsigned place)
{
    struct pm_position position;
    bool is_new;
    if (search->looked == PM_PERPETUAL_LIMIT || place / 2 >= search->depth_limit ||
        search->kernel->get_position(state_at(search, place), &position) != PM_OK)
        return UNKNOWN;
    const size_t number = pm_position_set_add(search->met, &position, &is_new);
    if (number == PM_NOT_IN_SET)
        return UNKNOWN;
    if (!is_new &&
        (search->notes[number].answer != GOOD || search->notes[number].pass == search->pass))
        return search->notes[number].answer;
    search->looked++;
    search->notes[number].answer = GOOD;
    search->notes[number].pass = search->pass;
    const enum answer answer = best_check(search, place);
    search->notes[number].answer = answer;
    if (answer != GOOD)
        search->took_back = true;
    return answer;
}

static enum answer search_to(struct search *search, unsigned depth_limit)
{
    enum answer answer;
    pm_position_set_clear(search->met);
    search->pass = 0;
    search->looked = 0;
    search->depth_limit = depth_limit;
    do {
        search->pass++;
        search->took_back = false;
        answer = worst_reply(search, 0);
    } while (answer == GOOD && search->took_back);
    return answer;
}

/* Shallow first: a perpetual check mostly needs few positions, but a check that only looks good can
 * lead far away. */
static enum pm_perpetual deepen(struct search *search)
{
    enum answer answer = UNKNOWN;
    for (unsigned depth = 2; depth <= PM_PERPETUAL_DEPTH && answer == UNKNOWN; depth *= 2)
        answer = search_to(search, depth);
    return answer == GOOD  ? PM_PERPETUAL_PROVED
           : answer == BAD ? PM_PERPETUAL_REFUTED
                           : PM_PERPETUAL_UNPROVED;
}

enum pm_perpetual pm_perpetual_of(const struct pm_kernel *kernel,
                                  const struct pm_position *position)
{
    enum pm_perpetual answer = PM_PERPETUAL_UNPROVED;
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return answer;
    search->kernel = kernel;
    search->state_size = pm_state_stride(kernel);
    search->states = pm_new_states(kernel, 2 * PM_PERPETUAL_DEPTH + 3);
    search->met = pm_position_set_create();
    if (search->states != NULL && search->met != NULL &&
        kernel->set_position(search->states, position) == PM_OK)
        answer = deepen(search);
    pm_position_set_destroy(search->met);
    free(search->states);
    free(search);
    return answer;
}
