/* SPDX-License-Identifier: MIT */
#include "cli/explain.h"

#include "verify/diagnose/explain.h"

#include <stdio.h>
#include <string.h>

static void explain_subject(const struct pm_explain_config *config)
{
    struct pm_explanations explanations = {0};
    struct pm_error error = {0};
    const enum pm_status status = pm_explain(config, &explanations, &error);
    if (status == PM_OK)
        pm_explanations_write_text(&explanations, config->kernel, stdout);
    else if (status != PM_ERROR_INTERRUPTED)
        fprintf(stderr, "plymark verify: %s: no explanation: %s\n", config->kernel, error.text);
    pm_explanations_free(&explanations);
}

static void explain_name(const struct pm_explain_config *given, const struct cli_subjects *subjects,
                         const char *name)
{
    struct pm_explain_config config = *given;
    struct pm_error error = {0};
    config.kernel = name; /* which is the word that opens it, too */
    if (pm_subject_open(name, &subjects->options, &config.subject, &error) == PM_OK)
        explain_subject(&config);
    else
        fprintf(stderr, "plymark verify: %s: no explanation: %s\n", name, error.text);
    pm_subject_close(config.subject);
}

/* Whether no earlier case tells of a failure of the same kernel. */
static bool is_first_failure(const struct pm_verify_report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (report->cases[i].wrong > 0 &&
            strcmp(report->cases[i].kernel, report->cases[index].kernel) == 0)
            return false;
    return report->cases[index].wrong > 0;
}

void cli_explain(const struct pm_verify_plan *plan, const struct pm_verify_config *config,
                 const struct cli_subjects *subjects, const struct pm_verify_report *report)
{
    struct pm_subject *oracle = NULL;
    struct pm_error error = {0};
    if (report->wrong == 0 ||
        pm_subject_open(config->reference->name, NULL, &oracle, &error) != PM_OK)
        return;
    const struct pm_explain_config explain_config = {.plan = plan,
                                                     .report = report,
                                                     .oracle = oracle,
                                                     .reference = config->reference,
                                                     .stop = config->stop};
    for (size_t i = 0; i < report->case_count; i++)
        if (is_first_failure(report, i))
            explain_name(&explain_config, subjects, report->cases[i].kernel);
    pm_subject_close(oracle);
}
