/* SPDX-License-Identifier: MIT */
/* Memory for a kernel's state. */
#ifndef PM_CORE_STATE_H
#define PM_CORE_STATE_H

#include "core/kernel.h"

#include <stddef.h>
#include <stdlib.h>

/* Bytes from one state to the next in an array. The contract has no alignment above 64. */
static inline size_t pm_state_stride(const struct pm_kernel *kernel)
{
    return (kernel->state_size + 63U) / 64 * 64;
}

/* To be freed with free(); NULL if there is no memory. */
static inline void *pm_new_states(const struct pm_kernel *kernel, size_t count)
{
    return aligned_alloc(64, count * pm_state_stride(kernel));
}

static inline void *pm_new_state(const struct pm_kernel *kernel)
{
    return pm_new_states(kernel, 1);
}

#endif
