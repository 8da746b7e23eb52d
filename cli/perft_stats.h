/* SPDX-License-Identifier: MIT */
/* `plymark perft --stats`: what kinds of moves lead to the leaves of each depth. */
#ifndef PM_CLI_PERFT_STATS_H
#define PM_CLI_PERFT_STATS_H

#include "cli/cli.h"

/* Counts with the first kernel and prints the table. Returns an exit code. */
int perft_stats(const char *command, struct cli_kernels *kernels, struct cli_position *position,
                const struct cli_threads *threads, int depth);

#endif
