/* SPDX-License-Identifier: MIT */
/* Runs what was prepared. */
#include "core/clock.h"
#include "verify/internal.h"
#include "verify/outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct pm_verify_plan *plan;
    const struct pm_verify_config *config; /* the caller's, but for fail_fast */
    struct pm_verify_report *report;
};

/* A case about to run has nothing behind it: what the check comes to is counted anew. */
static void begin(struct pm_verify_case *result)
{
    result->positions_total = 0;
    result->rows_total = result->rows_over_limit = result->rows_stopped = 0;
}

static enum pm_status run_check(const struct run *run, struct pm_verify_case *result)
{
    const struct pm_verify_config *config = run->config;
    const int outside = result->subject - config->kernel_count;
    if (result->check == PM_CHECK_DISTINCT)
        return pm_verify_distinct(config->kernels[result->subject], run->plan->distinct_depth,
                                  config, result);
    const struct pm_suite *suite = &run->plan->suites[result->suite_index].suite;
    if (outside >= 0)
        return pm_verify_outside(config->outside[outside], suite, config, result);
    const struct pm_kernel *kernel = config->kernels[result->subject];
    switch (result->check) {
    case PM_CHECK_MOVES:
        return pm_verify_moves(kernel, suite, config, result);
    case PM_CHECK_ATTACKS:
        return pm_verify_attacks(kernel, suite, config, result);
    case PM_CHECK_MIRROR:
        return pm_verify_mirror(kernel, suite, config, result);
    case PM_CHECK_ROUND_TRIP:
        return pm_verify_round_trip(kernel, suite, config, result);
    case PM_CHECK_KEY:
        return pm_verify_key(kernel, suite, config, result);
    case PM_CHECK_EXPANDER:
        return pm_verify_expander(kernel, suite, config, result);
    default:
        return pm_verify_counts(kernel, suite, config, result);
    }
}

/* ---- After a case ---- */

static enum pm_status name_failure(const struct pm_verify_suite *suite,
                                   const struct pm_verify_case *result,
                                   struct pm_verify_failure *failure)
{
    char own[32];
    const char *name = suite != NULL ? pm_verify_name(suite, failure->line) : NULL;
    snprintf(own, sizeof own, result->check == PM_CHECK_DISTINCT ? "ply %d" : "sum of depth %d",
             failure->depth);
    if (name == NULL)
        name = failure->fen[0] != '\0' ? failure->fen : own;
    free(failure->name);
    failure->name = strdup(name);
    return failure->name != NULL ? PM_OK : PM_ERROR_MEMORY;
}

static enum pm_status finish(const struct run *run, struct pm_verify_case *result)
{
    const struct pm_verify_suite *suite =
        result->suite_index >= 0 ? &run->plan->suites[result->suite_index] : NULL;
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < result->failure_count && status == PM_OK; i++)
        status = name_failure(suite, result, &result->failures[i]);
    if (suite != NULL) {
        result->rows_total += result->rows_unreachable;
        result->positions_total += suite->left_out.entry_count;
    }
    result->has_run = true;
    if (run->config->known != NULL)
        pm_verify_apply_known(run->plan, run->config->known, result);
    run->report->rows += result->rows;
    run->report->wrong += result->wrong;
    if (status == PM_OK)
        status = pm_count_add(&run->report->nodes, result->nodes);
    if (run->config->finished != NULL)
        run->config->finished(run->config->context, result);
    return status;
}

/* ---- All cases ---- */

static enum pm_status run_case(const struct run *run, struct pm_verify_case *result)
{
    if (result->skipped != NULL)
        return PM_OK;
    begin(result);
    const enum pm_status status = run_check(run, result);
    const enum pm_status finished = finish(run, result);
    return status != PM_OK ? status : finished;
}

/* Generated positions of one seed go to all kernels together. */
static enum pm_status run_random(const struct run *run, size_t first, size_t end)
{
    const struct pm_verify_config *config = run->config;
    struct pm_verify_report *report = run->report;
    struct pm_verify_random random = run->plan->random;
    struct pm_verify_case **results =
        calloc((size_t)config->kernel_count + 1, sizeof(struct pm_verify_case *));
    if (results == NULL)
        return PM_ERROR_MEMORY;
    random.seed = report->cases[first].seed;
    for (size_t i = first; i < end; i++)
        if (report->cases[i].skipped == NULL) {
            begin(&report->cases[i]);
            results[report->cases[i].subject] = &report->cases[i];
        }
    enum pm_status status = pm_verify_random(&random, config, results);
    free(results);
    for (size_t i = first; i < end; i++) {
        const enum pm_status finished =
            report->cases[i].skipped == NULL ? finish(run, &report->cases[i]) : PM_OK;
        status = status != PM_OK ? status : finished;
    }
    return status;
}

static bool is_over(const struct run *run, bool fail_fast)
{
    return fail_fast && run->report->wrong > 0;
}

/* What is run at once: a case, or those of one seed. */
static size_t end_of_group(const struct pm_verify_report *report, size_t first)
{
    size_t end = first + 1;
    while (report->cases[first].check == PM_CHECK_RANDOM && end < report->case_count &&
           report->cases[end].seed == report->cases[first].seed)
        end++;
    return end;
}

static enum pm_status run_all(const struct run *run, bool fail_fast)
{
    const struct pm_verify_report *report = run->report;
    enum pm_status status = PM_OK;
    for (size_t i = 0, end; i < report->case_count && status == PM_OK && !is_over(run, fail_fast);
         i = end) {
        if (pm_verify_stopped(run->config))
            return PM_ERROR_INTERRUPTED;
        end = end_of_group(report, i);
        status = report->cases[i].check == PM_CHECK_RANDOM ? run_random(run, i, end)
                                                           : run_case(run, &report->cases[i]);
    }
    return status;
}

static bool has_left_some(const struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].skipped == NULL && report->cases[i].rows_stopped > 0)
            return true;
    return false;
}

static enum pm_verify_end how_it_ended(const struct pm_verify_report *report, enum pm_status status,
                                       bool fail_fast)
{
    if (status == PM_ERROR_INTERRUPTED)
        return PM_VERIFY_INTERRUPTED;
    if (status != PM_OK)
        return PM_VERIFY_BROKE_OFF;
    return fail_fast && report->wrong > 0 && has_left_some(report) ? PM_VERIFY_FAIL_FAST
                                                                   : PM_VERIFY_FINISHED;
}

enum pm_status pm_verify_run(const struct pm_verify_plan *plan,
                             const struct pm_verify_config *config, struct pm_verify_report *report,
                             struct pm_error *error)
{
    const uint64_t start = pm_clock_ns();
    struct pm_verify_config used = *config;
    const struct run run = {.plan = plan, .config = &used, .report = report};
    /* A row that is expected to be wrong ends nothing: the case goes on to its end. */
    used.fail_fast = config->fail_fast && config->known == NULL;
    const enum pm_status status = run_all(&run, config->fail_fast);
    report->seconds = pm_clock_seconds_since(start);
    report->end = how_it_ended(report, status, config->fail_fast);
    if (status == PM_OK)
        return PM_OK;
    snprintf(report->error, sizeof report->error, "%s", pm_status_text(status));
    return pm_fail(error, status, "verification ended early: %s", pm_status_text(status));
}
