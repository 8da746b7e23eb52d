/* SPDX-License-Identifier: MIT */
#include "bench/noise.h"

#include "core/clock.h"
#include "core/clock_rate.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NOISE_NUMBER(member) PM_FIELD(struct pm_noise, member, PM_FIELD_NUMBER, 0, 1e12)

const struct pm_field pm_noise_fields[] = {
    NOISE_NUMBER(seconds),
    NOISE_NUMBER(cpu_seconds),
    NOISE_NUMBER(others_seconds),
    NOISE_NUMBER(steal_seconds),
    PM_FIELD(struct pm_noise, switches, PM_FIELD_COUNT, 0, PM_FIELD_COUNT_MAX),
    NOISE_NUMBER(mhz_before),
    NOISE_NUMBER(mhz_after),
    PM_FIELD(struct pm_noise, repeats, PM_FIELD_INT, 0, INT_MAX),
    PM_FIELD(struct pm_noise, disturbed, PM_FIELD_INT, 0, INT_MAX),
    {.key = NULL},
};

double pm_noise_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The machine's busy and stolen seconds so far, from the first line of /proc/stat; 0 if it can't be
 * read. */
static void read_machine(double *busy, double *stolen)
{
    double user = 0, nice = 0, system = 0, idle, waiting, interrupts = 0, soft = 0, steal = 0;
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "r");
    *busy = *stolen = 0;
    if (file == NULL)
        return;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &waiting,
               &interrupts, &soft, &steal) == 8) {
        *busy = (user + nice + system + interrupts + soft) / ticks;
        *stolen = steal / ticks;
    }
    fclose(file);
}

static uint64_t count_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void pm_noise_begin(struct pm_noise *noise)
{
    *noise = (struct pm_noise){.mhz_before = pm_clock_rate_mhz()};
    read_machine(&noise->others_seconds, &noise->steal_seconds);
    noise->switches = count_switches();
    noise->cpu_seconds = pm_noise_cpu_seconds();
    noise->seconds = 1e-9 * (double)pm_clock_ns();
}

void pm_noise_end(const struct pm_noise *begin, struct pm_noise *noise)
{
    double busy, stolen;
    noise->seconds = 1e-9 * (double)pm_clock_ns() - begin->seconds;
    noise->cpu_seconds = pm_noise_cpu_seconds() - begin->cpu_seconds;
    noise->switches = count_switches() - begin->switches;
    read_machine(&busy, &stolen);
    noise->others_seconds = fmax(0, busy - begin->others_seconds - noise->cpu_seconds);
    noise->steal_seconds = fmax(0, stolen - begin->steal_seconds);
    noise->mhz_before = begin->mhz_before;
    noise->mhz_after = pm_clock_rate_mhz();
}
