/* SPDX-License-Identifier: MIT */
/* What disturbed a run, seen while it lasted: time that others took, or the hypervisor, switches
 * that were not ours, and the clock before and after. */
#ifndef PM_BENCH_NOISE_H
#define PM_BENCH_NOISE_H

#include "core/fields.h"

#include <stdint.h>

struct pm_noise {
    double seconds;               /* wall time */
    double cpu_seconds;           /* of ours, all threads */
    double others_seconds;        /* that other processes were on the machine's CPUs */
    double steal_seconds;         /* that the hypervisor kept our CPUs from running */
    uint64_t switches;            /* involuntary context switches of ours */
    double mhz_before, mhz_after; /* of one core; 0: not known */
    int repeats, disturbed; /* timed, taken again ones too; of these, those whose threads waited */
};

/* CPU time of this process so far, all threads, in seconds. */
double pm_noise_cpu_seconds(void);

void pm_noise_begin(struct pm_noise *noise);

/* What came since; `repeats` and `disturbed` of *noise stay as they are: who times counts them. */
void pm_noise_end(const struct pm_noise *begin, struct pm_noise *noise);

/* Describes all members. */
extern const struct pm_field pm_noise_fields[];

#endif
