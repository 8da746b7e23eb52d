/* SPDX-License-Identifier: MIT */
#include "perft/breakdown.h"

#include "core/bits.h"
#include "core/clock.h"
#include "core/grow.h"
#include "core/parallel.h"
#include "core/state.h"
#include "perft/breakdown_sets.h"

#include <stdlib.h>
#include <string.h>

/* A node of the tree, entered by its last move. */
struct node {
    void *state;
    struct pm_move move;
};

/* One thread's way through the tree: room for a node and its moves at each ply. */
struct walker {
    const struct pm_breakdown_config *config;
    struct pm_breakdown breakdown;
    struct node nodes[PM_BREAKDOWN_MAX_DEPTH + 1];
    struct pm_move moves[PM_BREAKDOWN_MAX_DEPTH + 1][PM_MAX_MOVES];
};

/* All nodes of one ply. */
struct level {
    struct node *nodes;
    size_t count, room;
};

struct count {
    const struct pm_breakdown_config *config;
    struct level level; /* what the threads begin with */
    int ply;
    struct pm_breakdown *sum;
    size_t done;        /* nodes of the level */
    atomic_int failure; /* of a thread: enum pm_status */
};

enum { ENOUGH_NODES = 512 }; /* to share out evenly */

/* ---- One node ---- */

/* Where the pieces stand that the move has moved, apart from a castling king, who can't give check.
 */
static uint64_t moved_pieces(const struct pm_move *move)
{
    if (move->kind != PM_MOVE_CASTLING)
        return pm_bit(move->to);
    return pm_bit(pm_make_square(move->to > move->from ? 5 : 3, pm_rank_of(move->from)));
}

static enum pm_checkers checkers_after(const struct pm_move *move, uint64_t checkers)
{
    if ((checkers & moved_pieces(move)) == 0)
        return pm_has_several(checkers) ? PM_CHECKERS_DOUBLE_DISCOVERED : PM_CHECKERS_DISCOVERED;
    return pm_has_several(checkers) ? PM_CHECKERS_DIRECT_AND_DISCOVERED : PM_CHECKERS_DIRECT;
}

static void tally(const struct pm_move *move, uint64_t checkers, bool has_reply,
                  struct pm_breakdown_row *row)
{
    row->nodes++;
    row->captures += move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT;
    row->en_passant += move->kind == PM_MOVE_EN_PASSANT;
    row->castles += move->kind == PM_MOVE_CASTLING;
    row->promotions += move->promotion != PM_NO_PIECE_TYPE;
    row->stalemates += !has_reply && checkers == 0;
    if (checkers == 0)
        return;
    const enum pm_checkers kind = checkers_after(move, checkers);
    row->checks[kind]++;
    row->mates[kind] += !has_reply;
}

static enum pm_status tally_node(const struct pm_kernel *kernel, const struct node *node,
                                 bool has_reply, struct pm_breakdown_row *row)
{
    struct pm_attacks attacks;
    const enum pm_status status = kernel->attacks(node->state, &attacks);
    if (status == PM_OK)
        tally(&node->move, attacks.checkers, has_reply, row);
    return status;
}

static bool is_stopped(const struct pm_breakdown_config *config)
{
    return config->stop != NULL && atomic_load_explicit(config->stop, memory_order_relaxed);
}

/* ---- The tree ---- */

static enum pm_status play_into(const struct pm_kernel *kernel, const void *state,
                                const struct pm_move *move, struct node *child)
{
    memcpy(child->state, state, kernel->state_size);
    child->move = *move;
    return kernel->play(child->state, move);
}

static enum pm_status visit_leaf(struct walker *walker, int ply)
{
    const struct pm_kernel *kernel = walker->config->kernel;
    const struct node *node = &walker->nodes[ply];
    uint64_t replies = 0;
    const enum pm_status status = kernel->perft(node->state, 1, PM_MODE_BULK, &replies);
    return status != PM_OK
               ? status
               : tally_node(kernel, node, replies > 0, &walker->breakdown.rows[ply - 1]);
}

static enum pm_status visit(struct walker *walker, int ply)
{
    const struct pm_kernel *kernel = walker->config->kernel;
    const struct node *node = &walker->nodes[ply];
    unsigned count = 0;
    if (ply == walker->breakdown.depth)
        return visit_leaf(walker, ply);
    if (is_stopped(walker->config))
        return PM_ERROR_INTERRUPTED;
    enum pm_status status = kernel->legal_moves(node->state, walker->moves[ply], &count);
    if (status == PM_OK && ply > 0)
        status = tally_node(kernel, node, count > 0, &walker->breakdown.rows[ply - 1]);
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        status = play_into(kernel, node->state, &walker->moves[ply][i], &walker->nodes[ply + 1]);
        if (status == PM_OK)
            status = visit(walker, ply + 1);
    }
    return status;
}

static void free_walker(struct walker *walker)
{
    for (int i = 0; walker != NULL && i <= PM_BREAKDOWN_MAX_DEPTH; i++)
        free(walker->nodes[i].state);
    free(walker);
}

static struct walker *new_walker(const struct pm_breakdown_config *config, int depth)
{
    struct walker *walker = calloc(1, sizeof *walker);
    bool complete = walker != NULL;
    for (int i = 0; complete && i <= depth; i++) {
        walker->nodes[i].state = pm_new_state(config->kernel);
        complete = walker->nodes[i].state != NULL;
    }
    if (!complete) {
        free_walker(walker);
        return NULL;
    }
    walker->config = config;
    walker->breakdown.depth = depth;
    return walker;
}

static enum pm_status count_below(struct count *count, const struct node *node)
{
    struct walker *walker = new_walker(count->config, count->sum->depth);
    if (walker == NULL)
        return PM_ERROR_MEMORY;
    memcpy(walker->nodes[count->ply].state, node->state, count->config->kernel->state_size);
    walker->nodes[count->ply].move = node->move;
    const enum pm_status status = visit(walker, count->ply);
#pragma omp critical(pm_breakdown_sum)
    {
        for (int i = 0; i < count->sum->depth; i++)
            pm_breakdown_add_row(&walker->breakdown.rows[i], &count->sum->rows[i]);
        count->done++;
        if (count->config->progress != NULL)
            count->config->progress(count->config->context, count->sum, count->done,
                                    count->level.count);
    }
    free_walker(walker);
    return status;
}

static bool run_node(void *context, size_t index, int thread)
{
    struct count *count = context;
    (void)thread;
    const enum pm_status status = count_below(count, &count->level.nodes[index]);
    if (status != PM_OK)
        atomic_store(&count->failure, (int)status);
    return status == PM_OK;
}

/* ---- The first plies, until there is enough to share out ---- */

static void free_level(struct level *level)
{
    for (size_t i = 0; i < level->count; i++)
        free(level->nodes[i].state);
    free(level->nodes);
    *level = (struct level){0};
}

static struct node *add_node(const struct pm_kernel *kernel, struct level *level)
{
    struct node *nodes = pm_grown(level->nodes, &level->room, level->count + 1, sizeof *nodes);
    if (nodes == NULL)
        return NULL;
    level->nodes = nodes;
    struct node *node = &level->nodes[level->count];
    *node = (struct node){.state = pm_new_state(kernel)};
    if (node->state == NULL)
        return NULL;
    level->count++;
    return node;
}

static enum pm_status expand_node(const struct count *count, const struct node *node,
                                  struct level *next)
{
    const struct pm_kernel *kernel = count->config->kernel;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned move_count = 0;
    enum pm_status status = kernel->legal_moves(node->state, moves, &move_count);
    if (status == PM_OK && count->ply > 0)
        status = tally_node(kernel, node, move_count > 0, &count->sum->rows[count->ply - 1]);
    for (unsigned i = 0; i < move_count && status == PM_OK; i++) {
        struct node *child = add_node(kernel, next);
        status = child != NULL ? play_into(kernel, node->state, &moves[i], child) : PM_ERROR_MEMORY;
    }
    return status;
}

static enum pm_status expand(struct count *count)
{
    struct level next = {0};
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count->level.count && status == PM_OK; i++)
        status = expand_node(count, &count->level.nodes[i], &next);
    free_level(&count->level);
    count->level = next;
    count->ply++;
    return status;
}

static enum pm_status start(struct count *count, const struct pm_position *position)
{
    struct node *root = add_node(count->config->kernel, &count->level);
    return root != NULL ? count->config->kernel->set_position(root->state, position)
                        : PM_ERROR_MEMORY;
}

static enum pm_status run(struct count *count, const struct pm_position *position)
{
    enum pm_status status = start(count, position);
    while (status == PM_OK && count->ply < count->sum->depth && count->level.count > 0 &&
           count->level.count < ENOUGH_NODES)
        status = expand(count);
    if (status != PM_OK)
        return status;
    pm_parallel_for(count->level.count, count->config->threads, run_node, count);
    return (enum pm_status)atomic_load(&count->failure);
}

enum pm_status pm_breakdown_count(const struct pm_breakdown_config *config,
                                  const struct pm_position *position, int depth,
                                  struct pm_breakdown *breakdown, struct pm_error *error)
{
    const uint64_t begin = pm_clock_ns();
    const struct pm_kernel *kernel = config->kernel;
    struct count count = {.config = config, .sum = breakdown};
    *breakdown = (struct pm_breakdown){.depth = depth};
    if (depth < 1 || depth > PM_BREAKDOWN_MAX_DEPTH)
        return pm_fail(error, PM_ERROR_ARGUMENT, "breakdown: depth %d is not in 1 ... %d", depth,
                       PM_BREAKDOWN_MAX_DEPTH);
    if (kernel->attacks == NULL || (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)) == 0)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "breakdown: kernel %s lacks attacks() or mode bulk", kernel->name);
    const enum pm_status status = pm_breakdown_has_sets(kernel)
                                      ? pm_breakdown_by_sets(config, position, breakdown)
                                      : run(&count, position);
    free_level(&count.level);
    breakdown->seconds = pm_clock_seconds_since(begin);
    if (status == PM_ERROR_INTERRUPTED)
        return pm_fail(error, status, "breakdown: interrupted");
    return status == PM_OK ? PM_OK
                           : pm_fail(error, status, "breakdown: %s answers \"%s\"", kernel->name,
                                     pm_status_text(status));
}
