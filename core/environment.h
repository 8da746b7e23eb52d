/* SPDX-License-Identifier: MIT */
/* Where and how something was measured: the machine, its load, the build. The names of the first
 * members are those of Google Benchmark's "context". */
#ifndef PM_CORE_ENVIRONMENT_H
#define PM_CORE_ENVIRONMENT_H

#include "core/fields.h"
#include "core/machine.h"
#include "core/topology.h"

#include <stdbool.h>
#include <stddef.h>

#define PM_MAX_CACHES 8

struct pm_cache {
    char type[16]; /* Data, Instruction, Unified */
    int level;
    int size;        /* bytes */
    int num_sharing; /* PUs that share it */
};

struct pm_environment {
    char date[32];       /* ISO 8601, UTC */
    char host_name[256]; /* "" unless asked for */
    int num_cpus;        /* that this process may use */
    double mhz_per_cpu;  /* the highest that is known, 0 if none is */
    double mhz_measured; /* of one core at that moment: core/clock_rate.h; 0 if it is not known */
    bool cpu_scaling_enabled;
    double load_avg[3]; /* over 1, 5 and 15 minutes */
    struct pm_cache caches[PM_MAX_CACHES];
    int cache_count;
    char library_build_type[16]; /* "release" or "debug": of this program */

    char plymark_version[32];
    char commit[64]; /* of the source, "+changes" behind it if it was changed; or "unknown" */
    char cpu_model[128];
    char cpu_features[256]; /* that kernels may use: detected, less what is masked */
    char cpu_masked[256];
    char governor[32];        /* "performance", "mixed" … or "unknown" */
    char virtual_machine[64]; /* the hypervisor's name, "unknown hypervisor", or "none" */
    char os[128];
    int packages, numa_nodes, l3_groups, cores, pus;
    int smt; /* PUs of a core */
    struct pm_machine machine;

    char compiler[128];
    char build_type[32];
    char c_flags[512];
    bool lto, native;
    char pgo[16];        /* "none", "generate" or "use" */
    char sanitizers[64]; /* "none", or a list */
    char libraries[256];
};

/* Describes all members but arrays and `machine`; caches by pm_cache_fields. */
extern const struct pm_field pm_environment_fields[];
extern const struct pm_field pm_cache_fields[];

/* Looks around. What can't be found out is 0, "unknown" or "none"; nothing fails. */
void pm_environment_gather(struct pm_environment *environment, const struct pm_topology *topology,
                           bool with_host_name);

/* A new JSON object, or NULL when memory is out; the host's name only if it was asked for. */
json_t *pm_environment_to_json(const struct pm_environment *environment);

#define PM_ENVIRONMENT_MAX_WARNINGS 5

/* What of this makes timings doubtful when `threads` of them run at once, as lines of text. Returns
 * their number. */
int pm_environment_warnings(const struct pm_environment *environment, int threads,
                            char warnings[PM_ENVIRONMENT_MAX_WARNINGS][160]);

#endif
