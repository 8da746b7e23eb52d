/* SPDX-License-Identifier: MIT */
/* Which kernel counts, and in which mode: chosen here alone, before anything is opened, from the
 * defaults of kernels/registry.h. */
#ifndef PM_PERFT_CHOOSE_H
#define PM_PERFT_CHOOSE_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>

/* ---- Kernels: none of these is initialized ---- */

/* The default for just counting: that of lookahead, if a kernel here offers it and is not slow,
 * else of bulk. */
const struct pm_kernel *pm_choose_counting_kernel(void);

/* The default for items of long counts, by distinct positions if one here can count them. */
const struct pm_kernel *pm_choose_item_kernel(void);

/* Which one audits what `counted` counted: of another lineage, if there is one, and able to count
 * distinct positions if that is how (`unique`). Alone a kernel audits itself, with other keys. */
const struct pm_kernel *pm_choose_auditor(const struct pm_kernel *counted, bool unique);

/* ---- Modes ---- */

/* The fastest way to count below an item: distinct positions where they pay and the kernel has an
 * expander; else lookahead, bulk or make. */
enum pm_mode pm_choose_item_mode(const struct pm_kernel *kernel, int depth);

/* ---- Both ---- */

#define PM_MODE_AUTO PM_MODE_COUNT /* the fastest of bulk, lookahead and unique */

struct pm_wish {
    const struct pm_kernel *kernel; /* NULL: the default of the mode */
    int mode;                       /* enum pm_mode, or PM_MODE_AUTO */
    const struct pm_position *position;
    int depth;
    int threads; /* that will count, at least 1 */
    bool divide; /* root moves apart, which unique can count, but not faster */
};

struct pm_choice {
    const struct pm_kernel *kernel; /* init() was called */
    enum pm_mode mode;
    char reason[160]; /* why auto chose it; "" without auto */
};

/* Auto estimates the tree where distinct positions may pay: some 0.01 s a ply. What
 * pm_kernel_ready() says of a kernel that can't run. Not whether the kernel offers a mode that was
 * named. */
enum pm_status pm_choose(const struct pm_wish *wish, struct pm_choice *choice,
                         struct pm_error *error);

#endif
