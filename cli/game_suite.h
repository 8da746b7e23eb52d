/* SPDX-License-Identifier: MIT */
/* The positions of games as a perft suite. */
#ifndef PM_CLI_GAME_SUITE_H
#define PM_CLI_GAME_SUITE_H

#include "core/kernel.h"
#include "rules/history.h"

#include <stdio.h>

struct game_suite_config {
    const struct pm_kernel *kernel;    /* counts */
    const struct pm_kernel *witness;   /* counts again; NULL: the reference does, to depth 2 */
    const struct pm_kernel *reference; /* needed without a witness; all init()s were called */
    int depth;                         /* 1 to PM_KERNEL_MAX_DEPTH */
    int threads;
};

/* Counts and writes each distinct position once; memory grows with their number. */
struct game_suite;

struct game_suite *game_suite_create(const struct game_suite_config *config); /* NULL: no memory */
void game_suite_destroy(struct game_suite *suite);                            /* NULL is allowed */

/* Adds a game's positions, and writes lines of the suite from time to time. PM_ERROR_MISMATCH: the
 * two kernels count differently; the line is not written, the error names position and counts. */
enum pm_status game_suite_add(struct game_suite *suite, const struct pm_history *history, FILE *out,
                              struct pm_error *error);

/* Writes what is left. */
enum pm_status game_suite_finish(struct game_suite *suite, FILE *out, struct pm_error *error);

size_t game_suite_positions(const struct game_suite *suite);

#endif
