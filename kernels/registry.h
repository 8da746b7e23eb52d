/* SPDX-License-Identifier: MIT */
/* All kernels that were built in. The list is made by kernels/CMakeLists.txt, one line a kernel. */
#ifndef PM_KERNELS_REGISTRY_H
#define PM_KERNELS_REGISTRY_H

#include "core/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#define PM_KERNELS_MAX 64

extern const struct pm_kernel *const pm_kernels[]; /* ends with NULL; reference kernels come last */

/* The kernel of that name, or NULL. */
const struct pm_kernel *pm_kernel_find(const char *name);

/* The reference kernel, if it runs here; else NULL. */
const struct pm_kernel *pm_kernels_reference(void);

/* A family is several kernels that differ in one technique alone (pm_kernel.family). They run only
 * when asked for, by their own name or by the family's. */
bool pm_kernel_has_family(const struct pm_kernel *kernel);

/* What a name stands for: the one kernel of that name, or the members of that family that run here
 * (all of them if none does). Writes up to PM_KERNELS_MAX, returns how many: 0 for an unknown name.
 */
int pm_kernels_named(const char *name, const struct pm_kernel *found[PM_KERNELS_MAX]);

/* The features in kernel->cpu_required that this machine lacks (or that are masked): 0 if it runs.
 */
uint64_t pm_kernel_missing(const struct pm_kernel *kernel);

#endif
