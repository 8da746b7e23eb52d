/* SPDX-License-Identifier: MIT */
/* The clock rate at which a core really runs, told by work whose length in cycles is known: nominal
 * rates leave out turbo, throttling and what a hypervisor hides. */
#ifndef PM_CORE_CLOCK_RATE_H
#define PM_CORE_CLOCK_RATE_H

/* MHz of the core that the calling thread runs on, now: 50 ms of additions that wait for each other
 * and so take a cycle each. 0 where it is not known how to do that. */
double pm_clock_rate_mhz(void);

#endif
