/* SPDX-License-Identifier: MIT */
/* Monotonic time. */
#ifndef PM_CORE_CLOCK_H
#define PM_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since an arbitrary start; never goes back. */
static inline uint64_t pm_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline double pm_clock_seconds_since(uint64_t start_ns)
{
    return (double)(pm_clock_ns() - start_ns) * 1e-9;
}

#endif
