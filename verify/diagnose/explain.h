/* SPDX-License-Identifier: MIT */
/* What a verification's failures come from: a diff for the simplest failure of each cause, and what
 * the failures have in common. */
#ifndef PM_VERIFY_DIAGNOSE_EXPLAIN_H
#define PM_VERIFY_DIAGNOSE_EXPLAIN_H

#include "verify/diagnose/causes.h"
#include "verify/diagnose/diff.h"
#include "verify/verify.h"

#define PM_EXPLAIN_MAX_CAUSES 6

/* Zero-initialize; free in any state. */
struct pm_explanations {
    const char *kernel; /* the report's name of it */

    /* Where each failed position goes wrong, as far as it was looked into; owned. */
    struct pm_diff **diffs;
    size_t diff_count;

    const struct pm_diff *causes[PM_EXPLAIN_MAX_CAUSES]; /* the first diff of each cause */
    unsigned cause_count;

    /* What failures have in common, over all that answered and a sample of the positions that
     * passed: none twice, those that most failures have first. */
    struct pm_cause features[PM_EXPLAIN_MAX_CAUSES + 1];
    unsigned feature_count;

    unsigned failed;     /* positions that failed with an answer */
    unsigned unanswered; /* positions without one, and the first of these in words */
    char no_answer[256];
    unsigned no_moves; /* of the failed, tried by a diff that found counts and moves right: the
                          failure's own text says what is wrong */
    unsigned left;     /* neither explained by a cause nor tried */
};

struct pm_explain_config {
    const struct pm_verify_plan *plan;
    struct pm_verify_report *report;
    const char *kernel;         /* whose failures: the cases' name */
    const char *word;           /* what opens it */
    const char *options;        /* of a command that opens it: " --sandbox"; "" if none */
    struct pm_subject *subject; /* the same to be asked */
    struct pm_subject *oracle;  /* made of the reference */
    const struct pm_kernel *reference;
    double seconds;          /* after these only the first causes are looked for */
    const atomic_bool *stop; /* may be NULL */
};

/* Does nothing if the kernel has no failures. The report's failures get their causes, which live as
 * long as the explanations. */
enum pm_status pm_explain(const struct pm_explain_config *config,
                          struct pm_explanations *explanations, struct pm_error *error);
void pm_explanations_free(struct pm_explanations *explanations);

/* Lines for a reader, one for each thing that failures have in common. */
void pm_explanations_write_text(const struct pm_explanations *explanations, FILE *file);

#endif
