/* SPDX-License-Identifier: MIT */
#include "jobs/items.h"

#include "core/fen.h"
#include "core/grow.h"
#include "core/state.h"
#include "rules/position_set.h"

#include <stdlib.h>
#include <string.h>

struct level {
    struct pm_position_set *set;
    uint64_t *multiplicities;
    size_t capacity;
};

struct pm_items {
    const struct pm_kernel *kernel;
    int ply;
    struct level levels[PM_PLAN_MAX_PLY + 1];
};

/* ---- Expanding ---- */

/* What it takes to look at one position's moves after another. */
struct expander {
    const struct pm_kernel *kernel;
    unsigned char *state, *child;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    struct pm_error *error;
};

static enum pm_status kernel_failed(const struct expander *expander, const char *what,
                                    const struct pm_position *position, enum pm_status status)
{
    char fen[PM_FEN_SIZE];
    return pm_fail(expander->error, status, "kernel %s: %s failed (%s) at %s",
                   expander->kernel->name, what, pm_status_text(status),
                   pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen));
}

static enum pm_status open_expander(struct expander *expander, const struct pm_kernel *kernel,
                                    struct pm_error *error)
{
    expander->kernel = kernel;
    expander->error = error;
    expander->count = 0;
    expander->state = pm_new_state(kernel);
    expander->child = pm_new_state(kernel);
    return expander->state != NULL && expander->child != NULL
               ? PM_OK
               : pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
}

static void close_expander(struct expander *expander)
{
    free(expander->state);
    free(expander->child);
}

/* Finds the moves, in an order of their own. */
static enum pm_status expand(struct expander *expander, const struct pm_position *position)
{
    const struct pm_kernel *kernel = expander->kernel;
    enum pm_status status = kernel->set_position(expander->state, position);
    if (status != PM_OK)
        return kernel_failed(expander, "set_position", position, status);
    status = kernel->legal_moves(expander->state, expander->moves, &expander->count);
    if (status != PM_OK)
        return kernel_failed(expander, "legal_moves", position, status);
    qsort(expander->moves, expander->count, sizeof expander->moves[0], pm_move_compare);
    return PM_OK;
}

static enum pm_status play(struct expander *expander, unsigned index,
                           const struct pm_position *position, struct pm_position *child)
{
    const struct pm_kernel *kernel = expander->kernel;
    memcpy(expander->child, expander->state, kernel->state_size);
    enum pm_status status = kernel->play(expander->child, &expander->moves[index]);
    if (status == PM_OK)
        status = kernel->get_position(expander->child, child);
    return status == PM_OK ? PM_OK : kernel_failed(expander, "play", position, status);
}

/* ---- The positions of each ply ---- */

static enum pm_status add(struct level *level, const struct pm_position *position,
                          uint64_t multiplicity, struct pm_error *error)
{
    bool is_new;
    const size_t number = pm_position_set_add(level->set, position, &is_new);
    uint64_t *multiplicities =
        number != PM_NOT_IN_SET
            ? pm_grown(level->multiplicities, &level->capacity, number + 1, sizeof *multiplicities)
            : NULL;
    if (multiplicities == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
    level->multiplicities = multiplicities;
    if (is_new)
        multiplicities[number] = 0;
    multiplicities[number] += multiplicity; /* at most PM_MAX_MOVES^5, so 2^50 */
    return PM_OK;
}

static enum pm_status expand_into(struct expander *expander, const struct pm_position *position,
                                  uint64_t multiplicity, struct level *next)
{
    enum pm_status status = expand(expander, position);
    for (unsigned i = 0; i < expander->count && status == PM_OK; i++) {
        struct pm_position child;
        status = play(expander, i, position, &child);
        if (status == PM_OK)
            status = add(next, &child, multiplicity, expander->error);
    }
    return status;
}

static enum pm_status make_ply(struct expander *expander, const struct level *from,
                               const atomic_bool *stop, struct level *next)
{
    const size_t count = pm_position_set_count(from->set);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return pm_fail(expander->error, PM_ERROR_INTERRUPTED, "stopped while making items");
        status =
            expand_into(expander, pm_position_set_at(from->set, i), from->multiplicities[i], next);
    }
    return status;
}

static enum pm_status make_levels(struct pm_items *items, const struct pm_plan *plan,
                                  const atomic_bool *stop, struct pm_error *error)
{
    struct expander expander = {0};
    enum pm_status status = open_expander(&expander, items->kernel, error);
    for (int ply = 0; ply <= items->ply && status == PM_OK; ply++) {
        struct level *level = &items->levels[ply];
        level->set = pm_position_set_create();
        if (level->set == NULL)
            status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
        else if (ply == 0)
            status = add(level, &plan->position, 1, error);
        else
            status = make_ply(&expander, &items->levels[ply - 1], stop, level);
    }
    close_expander(&expander);
    return status;
}

enum pm_status pm_items_create(struct pm_plan *plan, const struct pm_kernel *kernel,
                               const atomic_bool *stop, struct pm_items **result,
                               struct pm_error *error)
{
    struct pm_items *items = calloc(1, sizeof *items);
    if (items == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
    items->kernel = kernel;
    items->ply = plan->ply;
    const enum pm_status status = make_levels(items, plan, stop, error);
    if (status != PM_OK) {
        pm_items_destroy(items);
        return status;
    }
    plan->items = (uint32_t)pm_items_distinct(items, plan->ply);
    *result = items;
    return PM_OK;
}

void pm_items_destroy(struct pm_items *items)
{
    if (items == NULL)
        return;
    for (int ply = 0; ply <= PM_PLAN_MAX_PLY; ply++) {
        pm_position_set_destroy(items->levels[ply].set);
        free(items->levels[ply].multiplicities);
    }
    free(items);
}

uint64_t pm_items_distinct(const struct pm_items *items, int ply)
{
    return pm_position_set_count(items->levels[ply].set);
}

const struct pm_position *pm_items_position(const struct pm_items *items, uint32_t item)
{
    return pm_position_set_at(items->levels[items->ply].set, item);
}

uint64_t pm_items_multiplicity(const struct pm_items *items, uint32_t item)
{
    return items->levels[items->ply].multiplicities[item];
}

/* ---- Divide ---- */

struct divide {
    const struct pm_items *items;
    pm_count *counts[PM_PLAN_MAX_PLY + 1]; /* below each position of each ply */
    struct expander expander;
    struct pm_move moves[PM_PLAN_MAX_PLY];
    int level;
    pm_items_line line;
    void *context;
    struct pm_error *error;
};

static enum pm_status find_child(struct divide *divide, int ply, unsigned index,
                                 const struct pm_position *position, size_t *number)
{
    struct pm_position child;
    const enum pm_status status = play(&divide->expander, index, position, &child);
    if (status != PM_OK)
        return status;
    *number = pm_position_set_find(divide->items->levels[ply + 1].set, &child);
    return *number != PM_NOT_IN_SET
               ? PM_OK
               : kernel_failed(&divide->expander, "play", position, PM_ERROR_MISMATCH);
}

/* The counts of one ply from those of the next. */
static enum pm_status sum_ply(struct divide *divide, int ply)
{
    const struct pm_position_set *set = divide->items->levels[ply].set;
    const size_t count = pm_position_set_count(set);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const struct pm_position *position = pm_position_set_at(set, i);
        status = expand(&divide->expander, position);
        for (unsigned move = 0; move < divide->expander.count && status == PM_OK; move++) {
            size_t child;
            status = find_child(divide, ply, move, position, &child);
            if (status == PM_OK &&
                pm_count_add(&divide->counts[ply][i], divide->counts[ply + 1][child]) != PM_OK)
                status =
                    pm_fail(divide->error, PM_ERROR_OVERFLOW, "the total does not fit 128 bits");
        }
    }
    return status;
}

/* Tells the sequences of moves that begin with the first `ply` of divide->moves. */
static enum pm_status tell(struct divide *divide, int ply, size_t number)
{
    const struct pm_position *position = pm_position_set_at(divide->items->levels[ply].set, number);
    unsigned count = 0;
    size_t *children = NULL;
    struct pm_move *moves = NULL;
    if (ply == divide->level) {
        divide->line(divide->context, divide->moves, ply, divide->counts[ply][number]);
        return PM_OK;
    }
    enum pm_status status = expand(&divide->expander, position);
    if (status == PM_OK) {
        count = divide->expander.count;
        moves = malloc((count + 1) * sizeof *moves);
        children = malloc((count + 1) * sizeof *children);
        if (moves == NULL || children == NULL)
            status = pm_fail(divide->error, PM_ERROR_MEMORY, "out of memory for a divide");
    }
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        moves[i] = divide->expander.moves[i];
        status = find_child(divide, ply, i, position, &children[i]);
    }
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        divide->moves[ply] = moves[i];
        status = tell(divide, ply + 1, children[i]);
    }
    free(moves);
    free(children);
    return status;
}

static enum pm_status allocate_counts(struct divide *divide, const pm_count counts[])
{
    const struct pm_items *items = divide->items;
    for (int ply = 0; ply <= items->ply; ply++) {
        const size_t count = pm_items_distinct(items, ply);
        divide->counts[ply] = calloc(count + 1, sizeof(pm_count));
        if (divide->counts[ply] == NULL)
            return pm_fail(divide->error, PM_ERROR_MEMORY, "out of memory for a divide");
        if (ply == items->ply)
            memcpy(divide->counts[ply], counts, count * sizeof(pm_count));
    }
    return PM_OK;
}

enum pm_status pm_items_divide(const struct pm_items *items, const pm_count counts[], int level,
                               pm_items_line line, void *context, struct pm_error *error)
{
    struct divide divide = {
        .items = items, .level = level, .line = line, .context = context, .error = error};
    if (level < 1 || level > items->ply)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "divide at level %d: 1 to %d, the ply of the items, is possible", level,
                       items->ply);
    enum pm_status status = open_expander(&divide.expander, items->kernel, error);
    if (status == PM_OK)
        status = allocate_counts(&divide, counts);
    for (int ply = items->ply - 1; ply >= 0 && status == PM_OK; ply--)
        status = sum_ply(&divide, ply);
    if (status == PM_OK)
        status = tell(&divide, 0, 0);
    for (int ply = 0; ply <= items->ply; ply++)
        free(divide.counts[ply]);
    close_expander(&divide.expander);
    return status;
}
