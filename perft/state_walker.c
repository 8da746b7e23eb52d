/* SPDX-License-Identifier: MIT */
/* All children are played when they are listed, as only then their keys are known, and kept until
 * the next list of their ply. */
#include "core/after_move.h"
#include "core/mode.h"
#include "core/position.h"
#include "core/state.h"
#include "perft/walker.h"
#include "perft/zobrist.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64U

struct state_walker {
    struct pm_walker base;
    struct pm_zobrist zobrist;
    bool own_keys; /* the kernel's */
    size_t state_size;
    const unsigned char *nodes[PM_WALKER_PLIES];
    struct pm_move moves[PM_MAX_MOVES];
    _Alignas(ALIGNMENT) unsigned char states[]; /* of the children, by ply */
};

static struct state_walker *state_walker(struct pm_walker *walker)
{
    return (struct state_walker *)walker;
}

static unsigned char *child_state(struct state_walker *walker, int ply, unsigned child)
{
    return walker->states + ((size_t)ply * PM_MAX_MOVES + child) * walker->state_size;
}

static enum pm_status key_of(const struct state_walker *walker, const void *state, uint64_t *key)
{
    const struct pm_kernel *kernel = walker->base.kernel;
    struct pm_position position;
    if (walker->own_keys)
        return kernel->key(state, key);
    const enum pm_status status = kernel->get_position(state, &position);
    if (status != PM_OK)
        return status;
    pm_position_canonicalize(&position);
    const struct pm_bitboards board = pm_bitboards_of(&position);
    *key = pm_zobrist_key(&walker->zobrist, &board);
    return PM_OK;
}

static enum pm_status set_root(struct pm_walker *base, const void *state)
{
    state_walker(base)->nodes[0] = state;
    return key_of(state_walker(base), state, &base->root_key);
}

static enum pm_status list_children(struct pm_walker *base, int ply)
{
    struct state_walker *walker = state_walker(base);
    struct pm_walker_children *children = &base->children[ply];
    enum pm_status status =
        base->kernel->legal_moves(walker->nodes[ply], walker->moves, &children->count);
    for (unsigned i = 0; i < children->count && status == PM_OK; i++) {
        unsigned char *child = child_state(walker, ply, i);
        memcpy(child, walker->nodes[ply], base->kernel->state_size);
        status = base->kernel->play(child, &walker->moves[i]);
        if (status == PM_OK)
            status = key_of(walker, child, &children->keys[i]);
    }
    return status;
}

static enum pm_status descend(struct pm_walker *base, int ply, unsigned child)
{
    struct state_walker *walker = state_walker(base);
    walker->nodes[ply + 1] = child_state(walker, ply, child);
    return PM_OK;
}

static enum pm_status count_two_plies(struct pm_walker *base, int ply, uint64_t *nodes)
{
    return base->kernel->perft(state_walker(base)->nodes[ply], 2, pm_mode_fastest(base->kernel),
                               nodes);
}

static const struct pm_walker_kind state_walker_kind = {
    .set_root = set_root,
    .list = list_children,
    .descend = descend,
    .count_two_plies = count_two_plies,
};

struct pm_walker *pm_state_walker_create(const struct pm_kernel *kernel, uint64_t seed)
{
    const size_t state_size = pm_state_stride(kernel);
    const size_t states = (size_t)PM_WALKER_PLIES * PM_MAX_MOVES * state_size;
    struct state_walker *walker = aligned_alloc(ALIGNMENT, sizeof *walker + states);
    if (walker == NULL)
        return NULL;
    walker->base.kind = &state_walker_kind;
    walker->base.kernel = kernel;
    walker->own_keys = seed == 0;
    walker->state_size = state_size;
    if (!walker->own_keys)
        pm_zobrist_fill(&walker->zobrist, seed);
    return &walker->base;
}
