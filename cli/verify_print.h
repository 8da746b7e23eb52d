/* SPDX-License-Identifier: MIT */
/* What `plymark verify` shows to people: progress on stderr, failures and the summary on stdout. */
#ifndef PM_CLI_VERIFY_PRINT_H
#define PM_CLI_VERIFY_PRINT_H

#include "verify/verify.h"

struct cli_verify_progress {
    const struct pm_verify_report *report;
    uint64_t start; /* pm_clock_ns() */
    uint64_t shown; /* when it was last */
};

/* Shows how much of all is done, at most ten times a second. Fits struct pm_verify_config. */
void cli_verify_progress(void *context, const struct pm_verify_case *current, size_t done,
                         size_t total);
void cli_verify_clear_progress(void);

/* Failures with their causes, the first of each cause with its board, and what they have in common.
 */
void cli_verify_print_failures(const struct pm_verify_report *report);

/* A screen: a line for each suite and kernel, or if these are many for each kernel; what was left
 * out; the next command to type; the verdict. `command` is the one that was typed, `is_default`
 * says that it named no suite. */
void cli_verify_print_summary(const struct pm_verify_report *report, const char *command,
                              bool is_default);

/* The rows that a kernel or program could not take. */
uint64_t cli_verify_count_unsupported(const struct pm_verify_report *report);

#endif
