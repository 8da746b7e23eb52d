/* SPDX-License-Identifier: MIT */
/* Verifies what is outside of this process: engines over UCI, scripts, kernels in a sandbox. All
 * they can do is divide, so there is one check: the count of each row. */
#ifndef PM_VERIFY_OUTSIDE_H
#define PM_VERIFY_OUTSIDE_H

#include "engines/subject.h"
#include "verify/verify.h"

/* A program, once a thread. */
struct pm_outside;

/* Opens one for up to so many threads; errors are those of pm_subject_open(). */
enum pm_status pm_outside_open(const char *word, const struct pm_subject_options *options,
                               int threads, struct pm_outside **outside, struct pm_error *error);
void pm_outside_close(struct pm_outside *outside); /* NULL is fine */

/* The word it was opened by: pm_subject_open() takes it again. */
const char *pm_outside_name(const struct pm_outside *outside);

/* Asks for the divide of each row within result->limit, on config->threads threads. A wrong sum is
 * a wrong row, and so is a failure to answer, which the description names; a refusal counts as
 * unsupported. After a failure to answer the position's deeper rows are not reached; after
 * PM_OUTSIDE_PATIENCE positions in a row without any answer the rest is not, nor after
 * PM_OUTSIDE_TIME_OUTS answers in a row that did not come in time. */
#define PM_OUTSIDE_PATIENCE 5
#define PM_OUTSIDE_TIME_OUTS 2
enum pm_status pm_verify_outside(struct pm_outside *outside, const struct pm_suite *suite,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_case *result);

#endif
