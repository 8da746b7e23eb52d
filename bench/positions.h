/* SPDX-License-Identifier: MIT */
/* The six standard positions that are timed: the start position, Kiwipete and positions 3 to 6 of
 * the Chess Programming Wiki's page "Perft Results", with the known counts that no speed is given
 * without. The names are those of pm_named_positions (core/fen.h), which has the FENs. */
#ifndef PM_BENCH_POSITIONS_H
#define PM_BENCH_POSITIONS_H

#include "core/kernel.h"

#include <stdint.h>

#define PM_BENCH_POSITION_COUNT 6
#define PM_BENCH_MAX_DEPTH 8

struct pm_bench_position {
    const char *name;
    int standard_depth[PM_MODE_LOOKAHEAD + 1]; /* by mode: some 10 to 200 ms */
    int depth_count;                           /* counts are known for depths 1 … depth_count */
    uint64_t nodes[PM_BENCH_MAX_DEPTH + 1];    /* by depth */
};

extern const struct pm_bench_position pm_bench_positions[PM_BENCH_POSITION_COUNT];

/* The index of the position with that name, or -1. */
int pm_bench_position_find(const char *name);

/* The known count of a position at a depth; 0 if there is none. */
uint64_t pm_bench_known_nodes(const char *name, int depth);

#endif
