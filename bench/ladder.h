/* SPDX-License-Identifier: MIT */
/* Kernels ranked by the founding rule of rules/rating/rating.h. Within a group (one mode, one
 * number of threads: others are never mixed in) each two kernels play a game on each position that
 * both have a speed for: the faster one wins if their medians lie further apart than their two
 * median absolute deviations together, else it is a draw. Reference kernels do not play.
 *
 * The order of games matters to the rule, but must not favour a kernel: the games of one position
 * are rated at the same time, each by the points before them all, and the positions follow one
 * another as in the result. So the order of the kernels plays no part. */
#ifndef PM_BENCH_LADDER_H
#define PM_BENCH_LADDER_H

#include "bench/result.h"
#include "core/status.h"
#include "rules/rating/rating.h"

#include <stdio.h>

#define PM_LADDER_INITIAL "1000"

/* The kernels that play as players under their names, all games rated; the caller's to free. NULL
 * when memory is out. */
struct pm_ratings *pm_ladder_rate(const struct pm_result *result,
                                  const struct pm_result_group *group);

/* A Markdown table for each group in which at least two kernels play, and how it was made.
 * PM_ERROR_MEMORY, and nothing written, when memory is out. */
enum pm_status pm_ladder_print(FILE *out, const struct pm_result *result);

#endif
