/* SPDX-License-Identifier: MIT */
/* What hashed counting walks on: a node, the keys of all its children, and then single children.
 * Nodes lie on plies: the root on ply 0, a child one ply below its parent, until the next
 * child of that parent takes its place. Two kinds: on bitboards by a kernel's expander, and on any
 * kernel's states. One thread's. */
#ifndef PM_PERFT_WALKER_H
#define PM_PERFT_WALKER_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdint.h>

#define PM_WALKER_PLIES (PM_KERNEL_MAX_DEPTH + 1)

struct pm_walker;

/* Each may fail as a kernel does. */
struct pm_walker_kind {
    /* Makes what a state of the kernel stands for the root, and fills root_key. */
    enum pm_status (*set_root)(struct pm_walker *walker, const void *state);
    /* Fills the ply's `children`. A key has no part for the side to move, as positions of one
     * depth have the same, and one for an en passant square only if a capture on it is legal. */
    enum pm_status (*list)(struct pm_walker *walker, int ply);
    /* After list(): makes one of the children the node of the next ply. */
    enum pm_status (*descend)(struct pm_walker *walker, int ply, unsigned child);
    /* The leaves two plies below the ply's node. */
    enum pm_status (*count_two_plies)(struct pm_walker *walker, int ply, uint64_t *nodes);
};

struct pm_walker_children {
    unsigned count;
    uint64_t keys[PM_MAX_MOVES];
};

/* The beginning of what either kind allocates. */
struct pm_walker {
    const struct pm_walker_kind *kind;
    const struct pm_kernel *kernel;
    uint64_t root_key;
    struct pm_walker_children children[PM_WALKER_PLIES];
};

/* Either is NULL when out of memory; free() ends it. The kernel has an expander. */
struct pm_walker *pm_board_walker_create(const struct pm_kernel *kernel, uint64_t seed);

/* With the kernel's own keys, which it must have, if the seed is 0; else with keys made from what
 * get_position() tells. */
struct pm_walker *pm_state_walker_create(const struct pm_kernel *kernel, uint64_t seed);

#endif
