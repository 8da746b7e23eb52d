/* SPDX-License-Identifier: MIT */
#include "core/clock_rate.h"

#include "core/clock.h"

#include <math.h>
#include <stdint.h>

#define CHAIN_LENGTH 1024U /* cycles; about 3 KiB of code */
#define CHAINS_PER_SAMPLE 512U
#define SECONDS 0.05

#if defined(__x86_64__)
#define CHAIN ".rept 1024\n\tadd %1, %0\n\t.endr"
#elif defined(__aarch64__)
#define CHAIN ".rept 1024\n\tadd %0, %0, %1\n\t.endr"
#endif

#if defined(CHAIN)
/* Each addition needs the sum of the one before. The addend is a register, since some cores carry
 * out additions of constants without taking a cycle; assembly, so that no build changes it. */
static void run_chains(unsigned count)
{
    uint64_t sum = 0;
    const uint64_t addend = count;
    for (unsigned i = 0; i < count; i++)
        __asm__ volatile(CHAIN : "+r"(sum) : "r"(addend) : "cc");
}

/* The fastest of many short samples: a core never does more than one such addition a cycle, and
 * whatever disturbs a sample, from interrupts to a clock that is still rising, makes it slower. */
double pm_clock_rate_mhz(void)
{
    const uint64_t start = pm_clock_ns();
    double shortest = INFINITY;
    do {
        const uint64_t sample = pm_clock_ns();
        run_chains(CHAINS_PER_SAMPLE);
        shortest = fmin(shortest, pm_clock_seconds_since(sample));
    } while (pm_clock_seconds_since(start) < SECONDS);
    return CHAIN_LENGTH * CHAINS_PER_SAMPLE / shortest * 1e-6;
}
#else
double pm_clock_rate_mhz(void)
{
    return 0;
}
#endif
