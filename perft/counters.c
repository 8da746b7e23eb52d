/* SPDX-License-Identifier: MIT */
#include "perft/counters.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *text;
    uint64_t config;
} events[PM_COUNTER_COUNT] = {
    [PM_COUNTER_CYCLES] = {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    [PM_COUNTER_INSTRUCTIONS] = {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    [PM_COUNTER_BRANCH_MISSES] = {"branch_misses", PERF_COUNT_HW_BRANCH_MISSES},
    [PM_COUNTER_CACHE_MISSES] = {"cache_misses", PERF_COUNT_HW_CACHE_MISSES},
};

const char *pm_counter_text(enum pm_counter counter)
{
    return events[counter].text;
}

void pm_counters_add(struct pm_counters *sum, const struct pm_counters *counters)
{
    sum->known &= counters->known;
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        sum->events[i] += counters->events[i];
}

/* The system's calls. */

static int system_open(const struct perf_event_attr *event)
{
    const pid_t this_thread = 0;
    const int any_cpu = -1, no_group = -1;
    return (int)syscall(SYS_perf_event_open, event, this_thread, any_cpu, no_group,
                        PERF_FLAG_FD_CLOEXEC);
}

static int system_control(int file, unsigned long request)
{
    return ioctl(file, request, 0);
}

const struct pm_counter_source pm_counter_source_system = {
    .open = system_open, .control = system_control, .read = read, .close = close};

/* One thread's counters. */

static int open_counter(const struct pm_counter_source *source, enum pm_counter counter)
{
    const struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof event,
        .config = events[counter].config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return source->open(&event);
}

enum pm_status pm_counters_check(const struct pm_counter_source *source, struct pm_error *error)
{
    const int file = open_counter(source, PM_COUNTER_CYCLES);
    const int code = errno;
    const char *reason = "";
    if (file >= 0) {
        source->close(file);
        return PM_OK;
    }
    if (code == ENOENT || code == ENODEV || code == EOPNOTSUPP)
        reason = ": the processor shows no event counters here, as in most virtual machines";
    else if (code == EACCES || code == EPERM)
        reason = ": it needs perf_event_paranoid 2 or less, and a container that allows it";
    else if (code == ENOSYS)
        reason = ": the operating system was built without it";
    return pm_fail(error, PM_ERROR_UNSUPPORTED,
                   "nothing was counted: perf_event_open failed (%s)%s", strerror(code), reason);
}

void pm_counter_set_open(struct pm_counter_set *set, const struct pm_counter_source *source)
{
    set->source = source;
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        set->files[i] = source != NULL ? open_counter(source, (enum pm_counter)i) : -1;
}

static void control(const struct pm_counter_set *set, unsigned long request)
{
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        if (set->files[i] >= 0)
            set->source->control(set->files[i], request);
}

void pm_counter_set_start(const struct pm_counter_set *set)
{
    control(set, PERF_EVENT_IOC_ENABLE);
}

void pm_counter_set_stop(const struct pm_counter_set *set)
{
    control(set, PERF_EVENT_IOC_DISABLE);
}

struct pm_counters pm_counter_set_read(const struct pm_counter_set *set)
{
    struct pm_counters counters = {0};
    for (int i = 0; i < PM_COUNTER_COUNT; i++) {
        struct {
            uint64_t events, enabled_ns, running_ns;
        } seen;
        if (set->files[i] < 0 ||
            set->source->read(set->files[i], &seen, sizeof seen) != (ssize_t)sizeof seen ||
            seen.running_ns == 0)
            continue;
        counters.known |= 1U << i;
        counters.events[i] = seen.events;
        if (seen.running_ns < seen.enabled_ns)
            counters.events[i] =
                (uint64_t)((double)seen.events * (double)seen.enabled_ns / (double)seen.running_ns);
    }
    return counters;
}

void pm_counter_set_close(struct pm_counter_set *set)
{
    for (int i = 0; i < PM_COUNTER_COUNT; i++) {
        if (set->files[i] >= 0)
            set->source->close(set->files[i]);
        set->files[i] = -1;
    }
}
