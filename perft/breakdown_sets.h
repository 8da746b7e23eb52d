/* SPDX-License-Identifier: MIT */
/* The breakdown of leaves (perft/breakdown.h) from sets at the leaves' parents: no leaf is visited
 * unless it is a check, a promotion, castling or en passant. */
#ifndef PM_PERFT_BREAKDOWN_SETS_H
#define PM_PERFT_BREAKDOWN_SETS_H

#include "perft/breakdown.h"

#include <stdbool.h>

/* Whether the kernel has an expander that tells check squares. */
bool pm_breakdown_has_sets(const struct pm_kernel *kernel);

/* Adds to breakdown->rows, up to breakdown->depth. PM_ERROR_INTERRUPTED, PM_ERROR_MEMORY. */
enum pm_status pm_breakdown_by_sets(const struct pm_breakdown_config *config,
                                    const struct pm_position *position,
                                    struct pm_breakdown *breakdown);

#endif
