/* SPDX-License-Identifier: MIT */
/* What a verification's failures come from: a diff for the simplest failure of each cause, and what
 * the failures have in common. */
#ifndef PM_VERIFY_DIAGNOSE_EXPLAIN_H
#define PM_VERIFY_DIAGNOSE_EXPLAIN_H

#include "verify/diagnose/causes.h"
#include "verify/diagnose/diff.h"
#include "verify/verify.h"

#define PM_EXPLAIN_MAX_CAUSES 6

struct pm_explanation {
    struct pm_diff diff;
    struct pm_cause cause; /* over all failed positions, and a sample of those that passed */
    bool has_cause;
};

/* Zero-initialise; free in any state. */
struct pm_explanations {
    struct pm_explanation causes[PM_EXPLAIN_MAX_CAUSES];
    unsigned count;
    struct pm_cause common; /* what failures of several causes all have */
    bool has_common;
    unsigned failed;   /* positions that failed */
    unsigned no_moves; /* of them tried by a diff that found counts and moves right: the failure's
                          own text says what is wrong */
    unsigned left;     /* neither explained by a cause nor tried */
};

struct pm_explain_config {
    const struct pm_verify_plan *plan;
    const struct pm_verify_report *report;
    const char *kernel;         /* whose failures: the cases' name */
    struct pm_subject *subject; /* the same to be asked */
    struct pm_subject *oracle;  /* made of the reference */
    const struct pm_kernel *reference;
    const atomic_bool *stop; /* may be NULL */
};

/* Does nothing if the kernel has no failures. */
enum pm_status pm_explain(const struct pm_explain_config *config,
                          struct pm_explanations *explanations, struct pm_error *error);
void pm_explanations_free(struct pm_explanations *explanations);

/* Lines for a reader. */
void pm_explanations_write_text(const struct pm_explanations *explanations, const char *kernel,
                                FILE *file);

#endif
