/* SPDX-License-Identifier: MIT */
/* From a position on which something goes wrong to a small one on which it still does. */
#ifndef PM_VERIFY_DIAGNOSE_MINIMIZE_H
#define PM_VERIFY_DIAGNOSE_MINIMIZE_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>

/* Whether it goes wrong there, at that depth. Only asked of positions that pass
 * pm_position_check(). */
struct pm_difference {
    bool (*holds)(void *context, const struct pm_position *position, int depth);
    void *context;
};

/* Makes both smaller as long as the difference holds, as it must at first: fewer plies, a position
 * further down the tree, fewer pieces, weaker pieces, fewer rights, clocks at their start. No
 * single one of these steps is left in the end. The mover plays the moves: the reference. */
enum pm_status pm_minimize(const struct pm_kernel *mover, const struct pm_difference *difference,
                           struct pm_position *position, int *depth);

#endif
