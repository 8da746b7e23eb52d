/* SPDX-License-Identifier: MIT */
#include "core/parallel.h"

#include <omp.h>
#include <stdatomic.h>

void pm_parallel_for(size_t count, int threads, pm_parallel_task task, void *context)
{
    atomic_bool ended = false;
    atomic_size_t next = 0;

    /* Not a parallel for: its dynamic schedule ties the compiler to its own OpenMP run time, and
     * distributions mix them. */
#pragma omp parallel num_threads(threads)
    while (!atomic_load(&ended)) {
        const size_t i = atomic_fetch_add(&next, 1);
        if (i >= count)
            break;
        if (!task(context, i, omp_get_thread_num()))
            atomic_store(&ended, true);
    }
}
