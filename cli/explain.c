/* SPDX-License-Identifier: MIT */
#include "cli/explain.h"

#include "verify/diagnose/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Looking for the place of each failure ends after so many seconds a kernel. */
static const double max_seconds = 10;

/* What opens a subject: the report's name of it is for print. */
static const char *word_of(const struct pm_verify_config *config, int subject)
{
    return subject < config->kernel_count
               ? config->kernels[subject]->name
               : pm_outside_name(config->outside[subject - config->kernel_count]);
}

static void explain(struct pm_explain_config *config, const struct cli_subjects *subjects,
                    bool has_answers)
{
    struct pm_verify_report *report = config->report;
    struct pm_error error = {0};
    enum pm_status status = PM_OK;
    if (has_answers) /* else there is nothing to be asked */
        status = pm_subject_open(config->word, &subjects->options, &config->subject, &error);
    if (status == PM_OK)
        status = pm_explain(config, &report->explanations[report->explanation_count++], &error);
    if (status != PM_OK && status != PM_ERROR_INTERRUPTED)
        fprintf(stderr, "plymark verify: %s: no explanation: %s\n", config->kernel, error.text);
    pm_subject_close(config->subject);
    config->subject = NULL;
}

/* Counts a subject's failures, and those of them that were answers. */
static size_t count_failures(const struct pm_verify_report *report, int subject, size_t *answers)
{
    size_t count = 0;
    *answers = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        for (size_t j = 0; j < result->failure_count && result->subject == subject; j++, count++)
            *answers += result->failures[j].no_answer == NULL;
    }
    return count;
}

static void set_options(const struct cli_subjects *subjects, char *text, size_t size)
{
    const struct pm_subject_options *options = &subjects->options;
    snprintf(text, size, "%s", options->sandbox ? " --sandbox" : "");
    if (options->time_limit > 0)
        snprintf(text + strlen(text), size - strlen(text), " --time-limit %.0f",
                 options->time_limit);
}

void cli_explain(const struct pm_verify_plan *plan, const struct pm_verify_config *config,
                 const struct cli_subjects *subjects, struct pm_verify_report *report)
{
    struct pm_subject *oracle = NULL;
    struct pm_error error = {0};
    char options[64];
    report->explanations = calloc((size_t)report->name_count + 1, sizeof *report->explanations);
    if (report->explanations == NULL ||
        pm_subject_open(config->reference->name, NULL, &oracle, &error) != PM_OK)
        return;
    set_options(subjects, options, sizeof options);
    struct pm_explain_config explain_config = {.plan = plan,
                                               .report = report,
                                               .options = options,
                                               .oracle = oracle,
                                               .reference = config->reference,
                                               .seconds = max_seconds,
                                               .stop = config->stop};
    for (int i = 0; i < report->name_count; i++) {
        size_t answers;
        explain_config.kernel = report->names[i];
        explain_config.word = word_of(config, i);
        if (count_failures(report, i, &answers) > 0)
            explain(&explain_config, subjects, answers > 0);
    }
    pm_subject_close(oracle);
}
