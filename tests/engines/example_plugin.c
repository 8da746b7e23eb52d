/* SPDX-License-Identifier: MIT */
/* The entry that makes a kernel a plug-in (so:FILE): linked with kernels/example/example.c. */
#include "core/kernel.h"

extern const struct pm_kernel pm_kernel_example;
const struct pm_kernel *pm_plugin_kernel(void)
{
    return &pm_kernel_example;
}
