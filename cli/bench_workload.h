/* SPDX-License-Identifier: MIT */
/* `plymark bench --workload analyze`. */
#ifndef PM_CLI_BENCH_WORKLOAD_H
#define PM_CLI_BENCH_WORKLOAD_H

#include "bench/measure.h"
#include "core/environment.h"

/* Measures, writes JSON (unless json is NULL) and prints the tables on stdout. Kernels that do not
 * tell attacks are left out. PM_ERROR_MISMATCH if a kernel's answers are wrong: the tables say so
 * too. */
enum pm_status bench_workload(const struct pm_measure_config *config,
                              const struct pm_environment *environment, const char *pin,
                              const char *json, struct pm_error *error);

#endif
