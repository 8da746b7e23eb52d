/* SPDX-License-Identifier: MIT */
/* Where the failures of `plymark verify` come from. */
#ifndef PM_CLI_EXPLAIN_H
#define PM_CLI_EXPLAIN_H

#include "cli/subjects.h"
#include "verify/verify.h"

/* Adds explanations to the report: for each kernel or program that failed the first wrong move of
 * its failures, and what these have in common. Whatever keeps it from that is said on stderr; the
 * verdict stays the report's. */
void cli_explain(const struct pm_verify_plan *plan, const struct pm_verify_config *config,
                 const struct cli_subjects *subjects, struct pm_verify_report *report);

#endif
