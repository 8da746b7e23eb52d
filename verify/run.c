/* SPDX-License-Identifier: MIT */
/* All checks of a plan, and their sum. */
#include "core/clock.h"
#include "core/cpu.h"
#include "verify/internal.h"
#include "verify/outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool offers(const struct pm_verify_config *config, const struct pm_kernel *kernel,
                   enum pm_check check)
{
    switch (check) {
    case PM_CHECK_MAKE:
    case PM_CHECK_BULK:
    case PM_CHECK_LOOKAHEAD:
        return (kernel->capabilities & PM_CAN_MODE(pm_check_mode(check))) != 0;
    case PM_CHECK_MIRROR:
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)) != 0;
    case PM_CHECK_ATTACKS:
        return kernel->attacks != NULL && config->reference->attacks != NULL &&
               kernel != config->reference;
    case PM_CHECK_KEY:
        return kernel->key != NULL;
    case PM_CHECK_EXPANDER:
        return kernel->expander != NULL;
    case PM_CHECK_RANDOM:
        return kernel != config->reference;
    case PM_CHECK_MOVES:
    case PM_CHECK_ROUND_TRIP:
    case PM_CHECK_DISTINCT:
        return true;
    case PM_CHECK_OUTSIDE:
    case PM_CHECK_COUNT:
        break;
    }
    return false;
}

static uint64_t limit_of(const struct pm_kernel *kernel, enum pm_check check,
                         const struct pm_verify_limits *limits)
{
    const bool is_reference = (kernel->capabilities & PM_IS_REFERENCE) != 0;
    if (check == PM_CHECK_ATTACKS || check == PM_CHECK_ROUND_TRIP || check == PM_CHECK_KEY ||
        check == PM_CHECK_EXPANDER)
        return 0;
    if (check == PM_CHECK_MOVES)
        return is_reference ? 1 : limits->walk;
    if (is_reference)
        return limits->reference;
    return check == PM_CHECK_BULK || check == PM_CHECK_LOOKAHEAD ? limits->bulk : limits->make;
}

static struct pm_verify_case *add_named_case(struct pm_verify_report *report, const char *suite,
                                             const char *kernel, const char *lineage,
                                             enum pm_check check)
{
    struct pm_verify_case *cases =
        realloc(report->cases, (report->case_count + 1) * sizeof *report->cases);
    if (cases == NULL)
        return NULL;
    report->cases = cases;
    struct pm_verify_case *added = &cases[report->case_count];
    *added = (struct pm_verify_case){
        .suite = strdup(suite), .kernel = kernel, .lineage = lineage, .check = check};
    if (added->suite == NULL)
        return NULL;
    report->case_count++;
    return added;
}

static struct pm_verify_case *add_case(struct pm_verify_report *report, const char *suite,
                                       const struct pm_kernel *kernel, enum pm_check check)
{
    struct pm_verify_case *added =
        add_named_case(report, suite, kernel->name, kernel->lineage, check);
    if (added != NULL && (kernel->cpu_required & ~pm_cpu_features()) != 0)
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

static enum pm_status run_check(const struct pm_verify_suite *suite, const struct pm_kernel *kernel,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result)
{
    switch (result->check) {
    case PM_CHECK_MOVES:
        return pm_verify_moves(kernel, &suite->suite, config, result);
    case PM_CHECK_ATTACKS:
        return pm_verify_attacks(kernel, &suite->suite, config, result);
    case PM_CHECK_MIRROR:
        return pm_verify_mirror(kernel, &suite->suite, config, result);
    case PM_CHECK_ROUND_TRIP:
        return pm_verify_round_trip(kernel, &suite->suite, config, result);
    case PM_CHECK_KEY:
        return pm_verify_key(kernel, &suite->suite, config, result);
    case PM_CHECK_EXPANDER:
        return pm_verify_expander(kernel, &suite->suite, config, result);
    default:
        return pm_verify_counts(kernel, &suite->suite, config, result);
    }
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
    else
        status = run_check(suite, kernel, config, result);
    const enum pm_status summed = add_to_sum(result, report);
    return status != PM_OK ? status : summed;
}

static bool is_chosen(const struct pm_verify_config *config, const struct pm_kernel *kernel,
                      enum pm_check check)
{
    return (config->checks & PM_CHECK_BIT(check)) != 0 && offers(config, kernel, check);
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
    for (int check = 0; check < PM_CHECK_RANDOM; check++)
        if (status == PM_OK && !is_over(config, report) &&
            (check == PM_CHECK_DISTINCT) == (suite == NULL) &&
            is_chosen(config, kernel, (enum pm_check)check))
            status = run_case(plan, suite, kernel, (enum pm_check)check, config, report);
    if (config->finished != NULL && report->case_count > first)
        config->finished(config->context, &report->cases[first], report->case_count - first);
    return status;
}

static enum pm_status run_outside(const struct pm_verify_suite *suite, struct pm_outside *outside,
                                  const struct pm_verify_config *config,
                                  struct pm_verify_report *report)
{
    if (!(config->checks & PM_CHECK_BIT(PM_CHECK_OUTSIDE)) || is_over(config, report))
        return PM_OK;
    const char *name = pm_outside_name(outside);
    struct pm_verify_case *result =
        add_named_case(report, suite->suite.name, name, name, PM_CHECK_OUTSIDE);
    if (result == NULL)
        return PM_ERROR_MEMORY;
    result->limit = suite->limits.make;
    const enum pm_status status = pm_verify_outside(outside, &suite->suite, config, result);
    const enum pm_status summed = add_to_sum(result, report);
    if (config->finished != NULL)
        config->finished(config->context, result, 1);
    return status != PM_OK ? status : summed;
}

/* Generated positions go to all kernels together: the cases follow each other. */
static enum pm_status run_random(const struct pm_verify_random *random,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_report *report)
{
    const size_t first = report->case_count;
    struct pm_verify_case **results =
        calloc((size_t)config->kernel_count + 1, sizeof(struct pm_verify_case *));
    char suite[32];
    enum pm_status status = results != NULL ? PM_OK : PM_ERROR_MEMORY;
    snprintf(suite, sizeof suite, "random_%" PRIu64, random->seed);
    for (int k = 0; k < config->kernel_count && status == PM_OK; k++)
        if (is_chosen(config, config->kernels[k], PM_CHECK_RANDOM) &&
            add_case(report, suite, config->kernels[k], PM_CHECK_RANDOM) == NULL)
            status = PM_ERROR_MEMORY;
    size_t next = first;
    for (int k = 0; k < config->kernel_count && status == PM_OK; k++) {
        if (!is_chosen(config, config->kernels[k], PM_CHECK_RANDOM))
            continue;
        struct pm_verify_case *result = &report->cases[next++];
        result->limit = random->limit;
        results[k] = result->skipped == NULL ? result : NULL;
    }
    if (status == PM_OK)
        status = pm_verify_random(random, config, results);
    free(results);
    for (size_t i = first; i < report->case_count && (status == PM_OK || i < next); i++) {
        if (add_to_sum(&report->cases[i], report) != PM_OK && status == PM_OK)
            status = PM_ERROR_OVERFLOW;
        if (config->finished != NULL)
            config->finished(config->context, &report->cases[i], 1);
    }
    return status;
}

static enum pm_status run_all(const struct pm_verify_plan *plan,
                              const struct pm_verify_config *config,
                              struct pm_verify_report *report)
{
    enum pm_status status = PM_OK;
    for (size_t s = 0; s < plan->suite_count; s++) {
        for (int k = 0; k < config->kernel_count && status == PM_OK; k++)
            status = run_kernel(plan, &plan->suites[s], config->kernels[k], config, report);
        for (int k = 0; k < config->outside_count && status == PM_OK; k++)
            status = run_outside(&plan->suites[s], config->outside[k], config, report);
    }
    for (int k = 0; k < config->kernel_count && plan->distinct_depth > 0 && status == PM_OK; k++)
        status = run_kernel(plan, NULL, config->kernels[k], config, report);
    struct pm_verify_random random = plan->random;
    for (unsigned i = 0; i == 0 || i < plan->random.repeats; i++, random.seed++)
        if (random.positions > 0 && status == PM_OK && !is_over(config, report))
            status = run_random(&random, config, report);
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
