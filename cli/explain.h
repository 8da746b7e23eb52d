/* SPDX-License-Identifier: MIT */
/* What `plymark verify` says of its failures at the end. */
#ifndef PM_CLI_EXPLAIN_H
#define PM_CLI_EXPLAIN_H

#include "cli/subjects.h"
#include "verify/verify.h"

/* For each kernel or program of the report that failed: a diff for the simplest failure of each
 * cause, and what the failures have in common, on stdout. Whatever keeps it from that is said on
 * stderr; the verdict stays the report's. */
void cli_explain(const struct pm_verify_plan *plan, const struct pm_verify_config *config,
                 const struct cli_subjects *subjects, const struct pm_verify_report *report);

#endif
