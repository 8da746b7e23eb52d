/* SPDX-License-Identifier: MIT */
/* The machine's topology by hwloc: packages, NUMA nodes, L3 groups, cores, processing units (PUs),
 * CPU kinds (performance and efficiency cores), and which PUs a pinning policy gives to how many
 * threads. Only what this process may use (cgroup, taskset) is seen. */
#ifndef PM_CORE_TOPOLOGY_H
#define PM_CORE_TOPOLOGY_H

#include "core/status.h"

#include <stddef.h>

struct pm_topology; /* opaque */

/* One processing unit. Indices are logical, from 0; os_index is the system's CPU number. -1: none.
 */
struct pm_topology_pu {
    int os_index;
    int core, package, numa, l3;
    int smt;  /* 0 for the first PU of its core, 1 for its sibling … */
    int kind; /* CPU kind by rising efficiency class: the highest is the fastest; 0 if all are alike
               */
};

struct pm_topology_summary {
    int packages, numa_nodes, l3_groups, cores, pus, kinds;
    size_t l1d_bytes, l2_bytes, l3_bytes; /* of one cache each; 0 unknown */
};

enum pm_pin_policy {
    PM_PIN_CORE,   /* one thread a core, fastest kind first, before SMT siblings */
    PM_PIN_THREAD, /* fill each core's SMT siblings before the next core */
    PM_PIN_NONE,   /* the system chooses */
    PM_PIN_LIST    /* the PUs given, in that order */
};

struct pm_pin {
    enum pm_pin_policy policy;
    int cpus[1024]; /* PM_PIN_LIST: system CPU numbers */
    int cpu_count;
};

enum pm_status pm_topology_open(struct pm_topology **topology, struct pm_error *error);
void pm_topology_close(struct pm_topology *topology); /* NULL is fine */

void pm_topology_summarize(const struct pm_topology *topology, struct pm_topology_summary *summary);

/* All PUs in logical order; *count gets their number. */
const struct pm_topology_pu *pm_topology_pus(const struct pm_topology *topology, int *count);

/* Reads "core", "thread", "none" or a CPU list "0,2,4-7". */
enum pm_status pm_pin_read(const char *text, struct pm_pin *pin, struct pm_error *error);

/* The number of threads used when the user gives none: cores for PM_PIN_CORE and PM_PIN_NONE, PUs
 * for PM_PIN_THREAD, the list's length for PM_PIN_LIST. */
int pm_pin_default_threads(const struct pm_topology *topology, const struct pm_pin *pin);

/* Fills cpus[0 … threads-1] with the system CPU number for each thread, -1 each for PM_PIN_NONE.
 * PM_ERROR_ARGUMENT when there are more threads than the policy has PUs, or a listed CPU is not
 * there. */
enum pm_status pm_pin_assign(const struct pm_topology *topology, const struct pm_pin *pin,
                             int threads, int cpus[], struct pm_error *error);

/* Binds the calling thread, and its new memory to that CPU's NUMA node; cpu -1 does nothing. */
enum pm_status pm_pin_this_thread(const struct pm_topology *topology, int cpu,
                                  struct pm_error *error);

/* Gives the calling thread back all PUs of the topology. */
void pm_unpin_this_thread(const struct pm_topology *topology);

#endif
