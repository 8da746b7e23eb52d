/* SPDX-License-Identifier: MIT */
#include "kernels/registry.h"

#include "core/cpu.h"

#include <stddef.h>
#include <string.h>

const struct pm_kernel *pm_kernel_find(const char *name)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (strcmp((*kernel)->name, name) == 0)
            return *kernel;
    return NULL;
}

uint64_t pm_kernel_missing(const struct pm_kernel *kernel)
{
    return kernel->cpu_required & ~pm_cpu_features();
}
