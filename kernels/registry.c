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

const struct pm_kernel *pm_kernels_reference(void)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (((*kernel)->capabilities & PM_IS_REFERENCE) != 0 && pm_kernel_missing(*kernel) == 0)
            return *kernel;
    return NULL;
}

bool pm_kernel_has_family(const struct pm_kernel *kernel)
{
    return kernel->family != NULL;
}

static int find_members(const char *family, bool with_missing, const struct pm_kernel *found[])
{
    int count = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if ((*kernel)->family != NULL && strcmp((*kernel)->family, family) == 0 &&
            count < PM_KERNELS_MAX && (with_missing || pm_kernel_missing(*kernel) == 0))
            found[count++] = *kernel;
    return count;
}

int pm_kernels_named(const char *name, const struct pm_kernel *found[PM_KERNELS_MAX])
{
    found[0] = pm_kernel_find(name);
    if (found[0] != NULL)
        return 1;
    const int count = find_members(name, false, found);
    return count > 0 ? count : find_members(name, true, found);
}

uint64_t pm_kernel_missing(const struct pm_kernel *kernel)
{
    return kernel->cpu_required & ~pm_cpu_features();
}
