/* SPDX-License-Identifier: MIT */
/* Whether checks can go on without end, whatever the checked side does. */
#ifndef PM_RULES_PERPETUAL_H
#define PM_RULES_PERPETUAL_H

#include "core/board.h"
#include "core/kernel.h"

enum pm_perpetual {
    PM_PERPETUAL_UNPROVED, /* the search met its limits, or there is no memory: nothing is claimed
                            */
    PM_PERPETUAL_REFUTED,  /* the checked side has a way out of the checks */
    PM_PERPETUAL_PROVED    /* it has none */
};

/* The side to move stands in check. PROVED: the other side has a check to answer each legal reply,
 * a further one to answer each reply to that, and so on without end (or until it mates): its checks
 * lead round in a finite set of positions that no reply leaves. It may have to vary its checks for
 * that; clocks and repetitions end nothing. Looks up to PM_PERPETUAL_DEPTH checks deep and at
 * PM_PERPETUAL_LIMIT positions at each depth that it tries. The kernel must tell attacks. */
#define PM_PERPETUAL_LIMIT 500
#define PM_PERPETUAL_DEPTH 32
enum pm_perpetual pm_perpetual_of(const struct pm_kernel *kernel,
                                  const struct pm_position *position);

#endif
