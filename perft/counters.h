/* SPDX-License-Identifier: MIT */
/* The processor's own event counters, by perf_event_open(2): of one thread, in user mode only. They
 * are absent in most virtual machines and may be forbidden. */
#ifndef PM_PERFT_COUNTERS_H
#define PM_PERFT_COUNTERS_H

#include "core/status.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

enum pm_counter {
    PM_COUNTER_CYCLES,
    PM_COUNTER_INSTRUCTIONS,
    PM_COUNTER_BRANCH_MISSES,
    PM_COUNTER_CACHE_MISSES, /* of the last level, as the kernel defines it for the processor */
    PM_COUNTER_COUNT
};

/* "cycles", "instructions", "branch_misses", "cache_misses". */
const char *pm_counter_text(enum pm_counter counter);

struct pm_counters {
    unsigned known; /* bits 1 << enum pm_counter: the others were not counted */
    uint64_t events[PM_COUNTER_COUNT];
};

#define PM_COUNTERS_ALL ((1U << PM_COUNTER_COUNT) - 1)

/* The sum, of what both know. A sum begins with all known and no events. */
void pm_counters_add(struct pm_counters *sum, const struct pm_counters *counters);

/* The four system calls; tests have others. They return -1 and set errno as those do. */
struct pm_counter_source {
    int (*open)(const struct perf_event_attr *event); /* a file for the calling thread */
    int (*control)(int file, unsigned long request);  /* PERF_EVENT_IOC_ENABLE or _DISABLE */
    ssize_t (*read)(int file, void *buffer, size_t size);
    int (*close)(int file);
};
extern const struct pm_counter_source pm_counter_source_system;

/* PM_OK if the source counts cycles for the calling thread; else PM_ERROR_UNSUPPORTED and a line
 * that says why not. */
enum pm_status pm_counters_check(const struct pm_counter_source *source, struct pm_error *error);

/* The counters of one thread. */
struct pm_counter_set {
    const struct pm_counter_source *source;
    int files[PM_COUNTER_COUNT]; /* -1: can't be counted here */
};

/* Opens the calling thread's counters, stopped; those that can't be opened stay unknown, with NULL
 * all of them. */
void pm_counter_set_open(struct pm_counter_set *set, const struct pm_counter_source *source);
void pm_counter_set_start(const struct pm_counter_set *set);
void pm_counter_set_stop(const struct pm_counter_set *set);

/* What was counted between start and stop. A counter that shared its register with others for part
 * of the time is scaled up to the whole time; one that never ran is unknown. */
struct pm_counters pm_counter_set_read(const struct pm_counter_set *set);
void pm_counter_set_close(struct pm_counter_set *set);

#endif
