/* SPDX-License-Identifier: MIT */
/* A fast kernel in the reference's clothes: pm_generate() picks a move by its place in the list, so
 * positions are the same only if the lists are in the same order. */
#ifndef PM_VERIFY_ORDERED_MOVER_H
#define PM_VERIFY_ORDERED_MOVER_H

#include "core/kernel.h"

/* A kernel like `fast`, which gives its moves in the order of the reference kernel: for a struct
 * pm_generator. There is one such kernel at a time; not thread-safe itself, its functions are.
 * Moves of a kernel that is wrong are wrong here too. */
const struct pm_kernel *pm_ordered_mover(const struct pm_kernel *fast);

#endif
