/* SPDX-License-Identifier: MIT */
#include "verify/verify.h"

#include <jansson.h>

static json_t *count_json(pm_count count)
{
    char text[PM_COUNT_TEXT_SIZE];
    if (count <= INT64_MAX)
        return json_integer((json_int_t)count);
    return json_string(pm_count_to_text(count, text));
}

static json_t *total_json(const struct pm_verify_total *total)
{
    return json_pack("{s:i, s:o, s:o}", "depth", total->depth, "expected",
                     count_json(total->expected), "counted", count_json(total->counted));
}

static json_t *failure_json(const struct pm_verify_failure *failure)
{
    return json_pack("{s:i, s:i, s:s, s:s, s:s, s:s, s:s}", "line", (int)failure->line, "depth",
                     failure->depth, "id", failure->id, "fen", failure->fen, "path", failure->path,
                     "node", failure->node, "text", failure->text);
}

static json_t *totals_json(const struct pm_verify_case *result)
{
    json_t *totals = json_array();
    for (unsigned i = 0; i < result->total_count; i++)
        json_array_append_new(totals, total_json(&result->totals[i]));
    return totals;
}

static json_t *failures_json(const struct pm_verify_case *result)
{
    json_t *failures = json_array();
    for (size_t i = 0; i < result->failure_count; i++)
        json_array_append_new(failures, failure_json(&result->failures[i]));
    return failures;
}

static const char *case_result(const struct pm_verify_case *result)
{
    if (result->wrong > 0)
        return "fail";
    return result->rows > 0 ? "pass" : "skipped";
}

static json_t *case_json(const struct pm_verify_case *result)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:f, s:o, s:o}",
        "suite", result->suite, "kernel", result->kernel, "check", pm_check_text(result->check),
        "result", case_result(result), "limit_nodes", (json_int_t)result->limit, "positions",
        (json_int_t)result->positions, "positions_total", (json_int_t)result->positions_total,
        "rows", (json_int_t)result->rows, "rows_total", (json_int_t)result->rows_total,
        "rows_over_limit", (json_int_t)result->rows_over_limit, "rows_unsupported",
        (json_int_t)result->rows_unsupported, "rows_stopped", (json_int_t)result->rows_stopped,
        "nodes", count_json(result->nodes), "wrong", (json_int_t)result->wrong, "seconds",
        result->seconds, "totals", totals_json(result), "failures", failures_json(result));
    json_object_set_new(object, "lineage", json_string(result->lineage));
    if (result->skipped != NULL)
        json_object_set_new(object, "skipped", json_string(result->skipped));
    return object;
}

static json_t *report_json(const struct pm_verify_report *report)
{
    json_t *cases = json_array(), *lineages = json_array();
    const char *names[PM_VERIFY_MAX_LINEAGES];
    const size_t count = pm_verify_lineages(report, names);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(lineages, json_string(names[i]));
    const char *result = report->wrong > 0 ? "fail" : report->rows > 0 ? "pass" : "nothing";
    for (size_t i = 0; i < report->case_count; i++)
        json_array_append_new(cases, case_json(&report->cases[i]));
    return json_pack("{s:s, s:i, s:f, s:I, s:o, s:I, s:o, s:o}", "result", result, "threads",
                     report->threads, "seconds", report->seconds, "rows", (json_int_t)report->rows,
                     "nodes", count_json(report->nodes), "wrong", (json_int_t)report->wrong,
                     "lineages", lineages, "cases", cases);
}

enum pm_status pm_verify_write_json(const struct pm_verify_report *report, FILE *file,
                                    struct pm_error *error)
{
    json_t *json = report_json(report);
    if (json == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no JSON could be made of the report");
    const bool written = json_dumpf(json, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF &&
                         fflush(file) == 0;
    json_decref(json);
    return written ? PM_OK : pm_fail(error, PM_ERROR_IO, "the JSON report could not be written");
}
