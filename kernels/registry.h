/* SPDX-License-Identifier: MIT */
/* All kernels that were built in. The list is made by kernels/CMakeLists.txt, one line a kernel. */
#ifndef PM_KERNELS_REGISTRY_H
#define PM_KERNELS_REGISTRY_H

#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

#define PM_KERNELS_MAX 64

extern const struct pm_kernel *const pm_kernels[]; /* ends with NULL; reference kernels come last */

/* The kernel of that name, or NULL. */
const struct pm_kernel *pm_kernel_find(const char *name);

/* The reference kernel, ready, if it runs here; else NULL. */
const struct pm_kernel *pm_kernels_reference(void);

/* A family is several kernels that differ in one technique alone (pm_kernel.family). They run only
 * when asked for, by their own name or by the family's. */
bool pm_kernel_has_family(const struct pm_kernel *kernel);

/* What a name stands for: the one kernel of that name, or the members of that family that run here
 * (all of them if none does). Writes up to PM_KERNELS_MAX, returns how many: 0 for an unknown name.
 */
int pm_kernels_named(const char *name, const struct pm_kernel *found[PM_KERNELS_MAX]);

/* The default of commands that need one kernel: of those that offer the mode and run here the first
 * in registry.c's table of what measured fastest; one that this CPU makes slow only if there is no
 * other. If none offers the mode, the first that runs. */
const struct pm_kernel *pm_kernel_default(enum pm_mode mode);

/* The default of commands that look at games and positions one by one: best a kernel whose expander
 * tells origins and check squares (core/bitboards.h). */
const struct pm_kernel *pm_kernel_for_analysis(void);

/* The default of what counts again what `counted` counted: as pm_kernel_default(), of another
 * lineage. If there is none, another kernel of its lineage; NULL if there is no other at all. */
const struct pm_kernel *pm_kernel_witness(const struct pm_kernel *counted, enum pm_mode mode);

/* Whether two kernels are one witness. */
bool pm_kernel_is_related(const struct pm_kernel *a, const struct pm_kernel *b);

/* Whether it runs here, but slowly (pm_kernel.cpu_slow). */
bool pm_kernel_is_slow(const struct pm_kernel *kernel);

/* The features in kernel->cpu_required that this machine lacks (or that are masked): 0 if it runs.
 */
uint64_t pm_kernel_missing(const struct pm_kernel *kernel);

/* PM_ERROR_UNSUPPORTED names the features that this machine lacks. error may be NULL. */
enum pm_status pm_kernel_check(const struct pm_kernel *kernel, struct pm_error *error);

/* The same, and calls init(): from then on the kernel counts. */
enum pm_status pm_kernel_ready(const struct pm_kernel *kernel, struct pm_error *error);

#endif
