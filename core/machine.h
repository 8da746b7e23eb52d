/* SPDX-License-Identifier: MIT */
/* What tells one machine from another of the same name, read from /proc and /sys (Linux). */
#ifndef PM_CORE_MACHINE_H
#define PM_CORE_MACHINE_H

#include "core/fields.h"

#include <stdint.h>

/* What can't be found out is -1, 0, or "unknown". */
struct pm_machine {
    int cpu_family, cpu_model_number, cpu_stepping; /* x86: as CPUID has them, in decimal */
    char cpu_microcode[24];
    uint64_t memory_bytes;
    char huge_pages[16];   /* transparent ones: "always", "madvise" or "never" */
    char mitigations[512]; /* those that are on, as "spectre_v2,tsa"; "none" */
    double cpu_quota;      /* CPUs' worth of time that the cgroups leave; 0: no limit */
};

/* Reads the files under `root`: "" on a real machine. Nothing fails. */
void pm_machine_read(const char *root, struct pm_machine *machine);

/* Describes all members, each optional. */
extern const struct pm_field pm_machine_fields[];

#endif
