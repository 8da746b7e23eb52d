/* SPDX-License-Identifier: MIT */
/* Work shared among threads (OpenMP). */
#ifndef PM_CORE_PARALLEL_H
#define PM_CORE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* One piece of work, run on thread 0 … threads - 1. False: no further piece is begun. */
typedef bool (*pm_parallel_task)(void *context, size_t index, int thread);

/* Runs tasks 0 … count - 1, dealt out in that order, each as soon as a thread is free; returns when
 * all have ended. */
void pm_parallel_for(size_t count, int threads, pm_parallel_task task, void *context);

#endif
