/* SPDX-License-Identifier: MIT */
/* All checks of a plan, and their sum. */
#include "core/clock.h"
#include "core/cpu.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

static bool offers(const struct pm_kernel *kernel, enum pm_check check)
{
    switch (check) {
    case PM_CHECK_MAKE:
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_MAKE)) != 0;
    case PM_CHECK_BULK:
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)) != 0;
    case PM_CHECK_MOVES:
    case PM_CHECK_DISTINCT:
        return true;
    case PM_CHECK_COUNT:
        break;
    }
    return false;
}

static uint64_t limit_of(const struct pm_kernel *kernel, enum pm_check check,
                         const struct pm_verify_limits *limits)
{
    const bool is_reference = (kernel->capabilities & PM_IS_REFERENCE) != 0;
    if (check == PM_CHECK_MOVES)
        return is_reference ? 1 : limits->walk;
    if (is_reference)
        return limits->reference;
    return check == PM_CHECK_BULK ? limits->bulk : limits->make;
}

static struct pm_verify_case *add_case(struct pm_verify_report *report, const char *suite,
                                       const struct pm_kernel *kernel, enum pm_check check)
{
    struct pm_verify_case *cases =
        realloc(report->cases, (report->case_count + 1) * sizeof *report->cases);
    if (cases == NULL)
        return NULL;
    report->cases = cases;
    struct pm_verify_case *added = &cases[report->case_count];
    *added =
        (struct pm_verify_case){.suite = strdup(suite), .kernel = kernel->name, .check = check};
    if (added->suite == NULL)
        return NULL;
    report->case_count++;
    if ((kernel->cpu_required & ~pm_cpu_features()) != 0)
        added->skipped = "the machine lacks CPU features that this kernel needs";
    return added;
}

static enum pm_status add_to_sum(const struct pm_verify_case *result,
                                 struct pm_verify_report *report)
{
    report->rows += result->rows;
    report->wrong += result->wrong;
    return pm_count_add(&report->nodes, result->nodes);
}

/* suite is NULL for PM_CHECK_DISTINCT. */
static enum pm_status run_case(const struct pm_verify_plan *plan,
                               const struct pm_verify_suite *suite, const struct pm_kernel *kernel,
                               enum pm_check check, const struct pm_verify_config *config,
                               struct pm_verify_report *report)
{
    struct pm_verify_case *result =
        add_case(report, suite != NULL ? suite->suite.name : "startpos", kernel, check);
    enum pm_status status;

    if (result == NULL)
        return PM_ERROR_MEMORY;
    if (result->skipped != NULL)
        return PM_OK;
    if (suite != NULL)
        result->limit = limit_of(kernel, check, &suite->limits);
    if (suite == NULL)
        status = pm_verify_distinct(kernel, plan->distinct_depth, config, result);
    else if (check == PM_CHECK_MOVES)
        status = pm_verify_moves(kernel, &suite->suite, config, result);
    else
        status = pm_verify_counts(kernel, &suite->suite, config, result);
    const enum pm_status summed = add_to_sum(result, report);
    return status != PM_OK ? status : summed;
}

static bool is_chosen(const struct pm_verify_config *config, const struct pm_kernel *kernel,
                      enum pm_check check)
{
    return (config->checks & PM_CHECK_BIT(check)) != 0 && offers(kernel, check);
}

static bool is_over(const struct pm_verify_config *config, const struct pm_verify_report *report)
{
    return config->fail_fast && report->wrong > 0;
}

/* All checks of one kernel in one suite, or without a suite. */
static enum pm_status run_kernel(const struct pm_verify_plan *plan,
                                 const struct pm_verify_suite *suite,
                                 const struct pm_kernel *kernel,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_report *report)
{
    const size_t first = report->case_count;
    enum pm_status status = PM_OK;
    for (int check = 0; check < PM_CHECK_COUNT; check++)
        if (status == PM_OK && !is_over(config, report) &&
            (check == PM_CHECK_DISTINCT) == (suite == NULL) &&
            is_chosen(config, kernel, (enum pm_check)check))
            status = run_case(plan, suite, kernel, (enum pm_check)check, config, report);
    if (config->finished != NULL && report->case_count > first)
        config->finished(config->context, &report->cases[first], report->case_count - first);
    return status;
}

static enum pm_status run_all(const struct pm_verify_plan *plan,
                              const struct pm_verify_config *config,
                              struct pm_verify_report *report)
{
    enum pm_status status = PM_OK;
    for (size_t s = 0; s < plan->suite_count; s++)
        for (int k = 0; k < config->kernel_count && status == PM_OK; k++)
            status = run_kernel(plan, &plan->suites[s], config->kernels[k], config, report);
    for (int k = 0; k < config->kernel_count && plan->distinct_depth > 0 && status == PM_OK; k++)
        status = run_kernel(plan, NULL, config->kernels[k], config, report);
    return status;
}

enum pm_status pm_verify_run(const struct pm_verify_plan *plan,
                             const struct pm_verify_config *config, struct pm_verify_report *report,
                             struct pm_error *error)
{
    const uint64_t start = pm_clock_ns();
    *report = (struct pm_verify_report){.threads = config->threads};
    const enum pm_status status = run_all(plan, config, report);
    report->seconds = pm_clock_seconds_since(start);
    if (status != PM_OK)
        return pm_fail(error, status, "verification ended early: %s", pm_status_text(status));
    return PM_OK;
}
