/* SPDX-License-Identifier: MIT */
/* All kernels that were built in. The list is made by kernels/CMakeLists.txt, one line a kernel. */
#ifndef PM_KERNELS_REGISTRY_H
#define PM_KERNELS_REGISTRY_H

#include "core/kernel.h"

#include <stdint.h>

extern const struct pm_kernel *const pm_kernels[]; /* ends with NULL; reference kernels come last */

/* The kernel of that name, or NULL. */
const struct pm_kernel *pm_kernel_find(const char *name);

/* The features in kernel->cpu_required that this machine lacks (or that are masked): 0 if it runs.
 */
uint64_t pm_kernel_missing(const struct pm_kernel *kernel);

#endif
