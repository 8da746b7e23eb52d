/* SPDX-License-Identifier: MIT */
/* Results as Markdown. */
#ifndef PM_BENCH_REPORT_H
#define PM_BENCH_REPORT_H

#include "bench/result.h"
#include "core/status.h"

#include <stdio.h>

/* One table for each mode and number of threads: kernels by falling geometric mean, reference
 * kernels last and unranked; under each the sentence that compares the kernels, at the end the
 * machine, the build and the warnings. PM_ERROR_MEMORY, and nothing written, when memory is out. */
enum pm_status pm_report_print(FILE *out, const struct pm_result *result);

#define PM_REPORT_BEGIN "<!-- plymark:table -->"
#define PM_REPORT_END "<!-- /plymark:table -->"

/* Replaces what stands between the line PM_REPORT_BEGIN and the line PM_REPORT_END of a text; each
 * must be there once, alone on its line. *replaced is the caller's to free. `name` stands for the
 * text in messages. */
enum pm_status pm_report_replace(const char *name, const char *text, const char *block,
                                 char **replaced, struct pm_error *error);

#endif
