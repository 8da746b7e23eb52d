/* SPDX-License-Identifier: MIT */
#include "cli/micro_sliders.h"

#include "bench/gbench_shim.h"
#include "cli/cli.h"
#include "core/cpu.h"
#include "core/fen.h"
#include "core/random.h"
#include "core/state.h"
#include "kernels/registry.h"
#include "kernels/sliders/rays.h"
#include "kernels/sliders/sliders.h"

#include <stdio.h>
#include <stdlib.h>

/* Too many for branch predictors to learn by heart, and few enough to leave the caches to tables.
 */
enum { QUERIES = 8192, GAME_PLIES = 100, SEED = 1 };

struct query_set {
    const char *name;
    struct pm_slider_query queries[QUERIES];
    uint64_t sum; /* of all attacks */
};

static struct query_set random_set = {.name = "random"}, games_set = {.name = "games"};

/* What a benchmark gets as context. */
struct task {
    const struct pm_slider *slider;
    const struct query_set *set;
};

static struct task tasks[2][PM_KERNELS_MAX];

static void time_independent(struct pm_gbench_state *state, void *context)
{
    const struct task *task = context;
    double total = 0;
    while (pm_gbench_keep_running_batch(state, QUERIES)) {
        task->slider->queen_sum(task->set->queries, QUERIES);
        total += (double)QUERIES;
    }
    pm_gbench_set_rate(state, "lookups", total);
}

static void time_chain(struct pm_gbench_state *state, void *context)
{
    const struct task *task = context;
    double total = 0;
    while (pm_gbench_keep_running_batch(state, QUERIES)) {
        task->slider->queen_chain(task->set->queries, QUERIES);
        total += (double)QUERIES;
    }
    pm_gbench_set_rate(state, "lookups", total);
}

static void finish_set(struct query_set *set)
{
    set->sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        const struct pm_slider_query *const query = &set->queries[i];
        set->sum +=
            walk_rook(query->square, query->occupied) | walk_bishop(query->square, query->occupied);
    }
}

/* Half of the boards have a piece on every second square, half on every fourth. */
static void fill_random(struct query_set *set)
{
    struct pm_random random = {.state = SEED};
    for (int i = 0; i < QUERIES; i++) {
        uint64_t occupied = pm_random_next(&random);
        if (i % 2)
            occupied &= pm_random_next(&random);
        set->queries[i] =
            (struct pm_slider_query){.occupied = occupied, .square = pm_random_below(&random, 64)};
    }
    finish_set(set);
}

/* Adds the sliders of a position; returns the new number of queries. */
static int add_sliders(struct query_set *set, int count, const struct pm_position *position)
{
    uint64_t occupied = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        if (position->board[square] != PM_EMPTY)
            occupied |= pm_bit(square);
    for (uint64_t rest = occupied; rest != 0 && count < QUERIES;) {
        const unsigned square = pm_pop_lsb(&rest);
        const enum pm_piece_type type = pm_type_of(position->board[square]);
        if (type >= PM_BISHOP && type <= PM_QUEEN)
            set->queries[count++] = (struct pm_slider_query){occupied, square};
    }
    return count;
}

/* Plays random legal moves from each named position in turn until there are queries enough. */
static enum pm_status fill_games(struct query_set *set, const struct pm_kernel *kernel, void *state,
                                 struct pm_error *error)
{
    static struct pm_move moves[PM_MAX_MOVES];
    struct pm_random random = {.state = SEED};
    const struct pm_named_position *start = pm_named_positions;
    for (int count = 0; count < QUERIES; start++) {
        struct pm_position position;
        if (start->name == NULL)
            start = pm_named_positions;
        const enum pm_status status = pm_fen_read(start->fen, 0, &position, NULL, error);
        if (status != PM_OK)
            return status;
        kernel->set_position(state, &position);
        for (int ply = 0; ply < GAME_PLIES; ply++) {
            unsigned move_count = 0;
            kernel->legal_moves(state, moves, &move_count);
            if (move_count == 0)
                break;
            kernel->play(state, &moves[pm_random_below(&random, move_count)]);
            kernel->get_position(state, &position);
            count = add_sliders(set, count, &position);
        }
    }
    finish_set(set);
    return PM_OK;
}

static enum pm_status prepare_sets(struct pm_error *error)
{
    const struct pm_kernel *const kernel = pm_kernel_default(PM_MODE_BULK);
    enum pm_status status = pm_kernel_ready(kernel, error);
    if (status != PM_OK)
        return status;
    void *const state = pm_new_state(kernel);
    if (state == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    fill_random(&random_set);
    status = fill_games(&games_set, kernel, state, error);
    free(state);
    return status;
}

static bool is_technique_right(const struct pm_slider *slider, const struct query_set *set)
{
    return slider->queen_sum(set->queries, QUERIES) == set->sum &&
           (slider->queen_chain == NULL || slider->queen_chain(set->queries, QUERIES) == set->sum);
}

static enum pm_status add_task(struct task *task, struct pm_error *error)
{
    char name[96];
    snprintf(name, sizeof name, "sliders_%s/%s", task->set->name, task->slider->name);
    const enum pm_status status = pm_gbench_register(name, time_independent, task, error);
    if (status != PM_OK || task->slider->queen_chain == NULL)
        return status;
    snprintf(name, sizeof name, "sliders_%s_chain/%s", task->set->name, task->slider->name);
    return pm_gbench_register(name, time_chain, task, error);
}

enum pm_status cli_micro_add_sliders(bool *is_right, struct pm_error *error)
{
    const struct query_set *const sets[2] = {&random_set, &games_set};
    enum pm_status status = prepare_sets(error);
    for (int i = 0; pm_sliders[i] != NULL && i < PM_KERNELS_MAX && status == PM_OK; i++) {
        const struct pm_slider *const slider = pm_sliders[i];
        if (slider->cpu_required & ~pm_cpu_features())
            continue;
        slider->init();
        for (int j = 0; j < 2 && status == PM_OK; j++) {
            tasks[j][i] = (struct task){.slider = slider, .set = sets[j]};
            if (is_technique_right(slider, sets[j])) {
                status = add_task(&tasks[j][i], error);
            } else {
                fprintf(stderr, "plymark micro: sliders_%s/%s is wrong and not timed\n",
                        sets[j]->name, slider->name);
                *is_right = false;
            }
        }
    }
    return status;
}
