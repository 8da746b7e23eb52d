/* SPDX-License-Identifier: MIT */
#include "core/json.h"
#include "verify/diagnose/diff_json.h"
#include "verify/diagnose/explain.h"
#include "verify/writers.h"

#include <stdlib.h>

static void set(json_t **object, const char *key, json_t *value)
{
    *object = pm_json_set(*object, key, value);
}

static void set_text(json_t **object, const char *key, const char *text)
{
    set(object, key, json_string(text));
}

static void set_number(json_t **object, const char *key, uint64_t number)
{
    set(object, key, json_integer((json_int_t)number));
}

static json_t *total_json(const struct pm_verify_total *total)
{
    return json_pack("{s:i, s:o, s:o}", "depth", total->depth, "expected",
                     pm_count_json(total->expected), "counted", pm_count_json(total->counted));
}

static json_t *totals_json(const struct pm_verify_case *result)
{
    json_t *totals = json_array();
    for (unsigned i = 0; i < result->total_count; i++)
        totals = pm_json_append(totals, total_json(&result->totals[i]));
    return totals;
}

/* ---- Failures ---- */

static char *test_id(const struct pm_verify_case *result, const char *name)
{
    char *id = NULL;
    return asprintf(&id, "%s/%s/%s", result->suite, pm_check_text(result->check), name) < 0 ? NULL
                                                                                            : id;
}

static void set_test_id(json_t **object, const struct pm_verify_case *result, const char *name)
{
    char *id = test_id(result, name);
    set_text(object, "test", id != NULL ? id : name);
    free(id);
}

static void set_command(json_t **object, const struct pm_verify_case *result,
                        const struct pm_verify_failure *failure)
{
    char *command = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&command, &size);
    if (file == NULL)
        return;
    pm_verify_write_command(result, failure, file);
    if (fclose(file) == 0)
        set_text(object, "command", command);
    free(command);
}

static json_t *failure_json(const struct pm_verify_case *result,
                            const struct pm_verify_failure *failure)
{
    json_t *object = json_object();
    set_test_id(&object, result, failure->name);
    set_number(&object, "line", failure->line);
    set_number(&object, "depth", (uint64_t)failure->depth);
    set_text(&object, "id", failure->id);
    set_text(&object, "fen", failure->fen);
    set_text(&object, "path", failure->path);
    set_text(&object, "node", failure->node);
    set_text(&object, "text", failure->text);
    if (failure->has_counts) {
        set(&object, "expected", pm_count_json(failure->expected));
        set(&object, "counted", pm_count_json(failure->counted));
    }
    if (failure->no_answer != NULL)
        set_text(&object, "no_answer", failure->no_answer);
    set(&object, "unreachable", json_boolean(failure->unreachable));
    set(&object, "known", json_boolean(failure->known));
    set_command(&object, result, failure);
    if (failure->cause != NULL)
        set(&object, "cause", pm_diff_json(failure->cause));
    return object;
}

static json_t *failures_json(const struct pm_verify_case *result)
{
    json_t *failures = json_array();
    for (size_t i = 0; i < result->failure_count; i++)
        failures = pm_json_append(failures, failure_json(result, &result->failures[i]));
    return failures;
}

/* ---- Cases ---- */

static json_t *position_json(const struct pm_verify_report *report,
                             const struct pm_verify_case *result,
                             const struct pm_verify_position *position)
{
    char reason[PM_VERIFY_REASON_SIZE];
    json_t *object = json_object();
    set_test_id(&object, result, position->name);
    set_number(&object, "line", position->line);
    set_text(&object, "result",
             pm_verify_verdict_text(pm_verify_position_verdict(report, result, position, reason)));
    if (reason[0] != '\0')
        set_text(&object, "reason", reason);
    set(&object, "seconds", json_real(position->seconds));
    return object;
}

static json_t *tests_json(const struct pm_verify_report *report,
                          const struct pm_verify_case *result)
{
    json_t *tests = json_array();
    for (size_t i = 0; i < result->test_count; i++)
        tests = pm_json_append(tests, position_json(report, result, &result->tests[i]));
    return tests;
}

static json_t *case_json(const struct pm_verify_report *report, const struct pm_verify_case *result)
{
    char reason[PM_VERIFY_REASON_SIZE];
    json_t *object = json_object();
    set_text(&object, "suite", result->suite);
    set_text(&object, "kernel", result->kernel);
    set_text(&object, "lineage", result->lineage != NULL ? result->lineage : "");
    set_text(&object, "check", pm_check_text(result->check));
    set_text(&object, "result",
             pm_verify_verdict_text(pm_verify_case_verdict(report, result, reason)));
    if (reason[0] != '\0')
        set_text(&object, "reason", reason);
    set_number(&object, "limit_nodes", result->limit);
    set_number(&object, "positions", result->positions);
    set_number(&object, "positions_total", result->positions_total);
    set_number(&object, "rows", result->rows);
    set_number(&object, "rows_total", result->rows_total);
    set_number(&object, "rows_over_limit", result->rows_over_limit);
    set_number(&object, "rows_unsupported", result->rows_unsupported);
    set_number(&object, "rows_unreachable", result->rows_unreachable);
    set_number(&object, "rows_stopped", result->rows_stopped);
    set(&object, "nodes", pm_count_json(result->nodes));
    set_number(&object, "wrong", result->wrong);
    set_number(&object, "known", result->known);
    set(&object, "seconds", json_real(result->seconds));
    set(&object, "totals", totals_json(result));
    set(&object, "failures", failures_json(result));
    if (result->tests != NULL)
        set(&object, "tests", tests_json(report, result));
    if (result->skipped != NULL)
        set_text(&object, "skipped", result->skipped);
    return object;
}

/* ---- What failures have in common ---- */

static json_t *feature_json(const struct pm_cause *feature)
{
    char text[PM_CAUSE_TEXT_SIZE];
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:s}", "contain",
                     pm_feature_phrase(feature->feature), "failed_with", (int)feature->failed_with,
                     "failed", (int)feature->failed, "passed_with", (int)feature->passed_with,
                     "passed", (int)feature->passed, "text", pm_cause_to_text(feature, text));
}

static json_t *explanations_json(const struct pm_explanations *explanations)
{
    json_t *object = json_object();
    json_t *features = json_array(), *causes = json_array();
    set_text(&object, "kernel", explanations->kernel);
    for (unsigned i = 0; i < explanations->feature_count; i++)
        features = pm_json_append(features, feature_json(&explanations->features[i]));
    for (unsigned i = 0; i < explanations->cause_count; i++)
        causes = pm_json_append(causes, pm_diff_json(explanations->causes[i]));
    set(&object, "common", features);
    set(&object, "causes", causes);
    set_number(&object, "failed_positions", explanations->failed);
    set_number(&object, "without_answer", explanations->unanswered);
    set_number(&object, "without_difference", explanations->no_moves);
    set_number(&object, "not_looked_into", explanations->left);
    return object;
}

static json_t *known_json(const struct pm_verify_known *known)
{
    json_t *tests = json_array();
    for (size_t i = 0; i < known->count; i++)
        tests = pm_json_append(tests, json_pack("{s:s, s:i, s:s}", "test", known->tests[i].id,
                                                "line", (int)known->tests[i].line, "state",
                                                pm_verify_known_text(&known->tests[i])));
    return tests;
}

static json_t *report_json(const struct pm_verify_report *report)
{
    json_t *object = json_object();
    json_t *cases = json_array(), *explanations = json_array(), *lineages = json_array();
    const char *names[PM_VERIFY_MAX_LINEAGES];
    const size_t count = pm_verify_lineages(report, names);
    for (size_t i = 0; i < count; i++)
        lineages = pm_json_append(lineages, json_string(names[i]));
    set_text(&object, "result", pm_verify_result_text(report));
    set_text(&object, "end", pm_verify_end_text(report->end));
    if (report->end == PM_VERIFY_BROKE_OFF)
        set_text(&object, "error", report->error);
    set(&object, "threads", json_integer(report->threads));
    set(&object, "seconds", json_real(report->seconds));
    set_number(&object, "rows", report->rows);
    set(&object, "nodes", pm_count_json(report->nodes));
    set_number(&object, "wrong", report->wrong);
    for (size_t i = 0; i < report->case_count; i++)
        cases = pm_json_append(cases, case_json(report, &report->cases[i]));
    for (size_t i = 0; i < report->explanation_count; i++)
        explanations = pm_json_append(explanations, explanations_json(&report->explanations[i]));
    set(&object, "lineages", lineages);
    set(&object, "cases", cases);
    set(&object, "explanations", explanations);
    if (report->known != NULL)
        set(&object, "known_failures", known_json(report->known));
    return object;
}

bool pm_verify_write_json(const struct pm_verify_report *report, FILE *file)
{
    json_t *json = report_json(report);
    const bool written =
        json != NULL && json_dumpf(json, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    json_decref(json);
    return written;
}
