/* SPDX-License-Identifier: MIT */
/* TAP 14: one test point for each suite, kernel and check; what is wrong stands in its YAML block.
 */
#include "verify/diagnose/diff.h"
#include "verify/diagnose/explain.h"
#include "verify/writers.h"

#include <stdlib.h>
#include <string.h>

/* In a description and after a directive '#' and '\' have a meaning. */
static void put_escaped(const char *text, FILE *file)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '#' || *c == '\\')
            fputc('\\', file);
        fputc(*c, file);
    }
}

/* A YAML string on one line. */
static void put_quoted(const char *text, FILE *file)
{
    fputc('"', file);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', file);
        fputc(*c == '\n' ? ' ' : *c, file);
    }
    fputs("\"\n", file);
}

static void put_field(const char *key, const char *text, FILE *file)
{
    if (text[0] == '\0')
        return;
    fprintf(file, "      %s: ", key);
    put_quoted(text, file);
}

static void put_count(const char *key, pm_count count, FILE *file)
{
    char text[PM_COUNT_TEXT_SIZE];
    fprintf(file, "      %s: %s\n", key, pm_count_to_text(count, text));
}

static void put_moves(const struct pm_diff *cause, FILE *file)
{
    bool has_head = false;
    for (unsigned i = 0; i < cause->move_count; i++) {
        const struct pm_diff_move *move = &cause->moves[i];
        const char *fault = pm_diff_fault_text(move, PM_DIFF_A);
        if (fault == NULL)
            continue;
        if (!has_head)
            fputs("      moves:\n", file);
        has_head = true;
        fprintf(file, "        - move: \"%s\"\n          fault: %s\n          rule: ", move->text,
                fault);
        put_quoted(pm_rule_text(move->finding.rule), file);
        fputs("          reason: ", file);
        put_quoted(move->finding.sentence, file);
    }
}

static void put_cause(const struct pm_diff *cause, FILE *file)
{
    char fen[PM_DIFF_FEN_SIZE], path[PM_DIFF_PATH_SIZE];
    put_field("cause", pm_diff_result_text(cause->result), file);
    put_field("cause_path", pm_diff_path_to_text(cause, path), file);
    put_field("cause_node", pm_diff_node_to_text(cause, fen), file);
    put_moves(cause, file);
}

static void put_failure(const struct pm_verify_case *result,
                        const struct pm_verify_failure *failure, FILE *file)
{
    char *command = NULL;
    size_t size = 0;
    fprintf(file, "    - test: ");
    FILE *memory = open_memstream(&command, &size);
    if (memory != NULL) {
        fprintf(memory, "%s/%s/%s", result->suite, pm_check_text(result->check), failure->name);
        fclose(memory);
        put_quoted(command, file);
        free(command);
    }
    fprintf(file, "      line: %u\n      depth: %d\n", failure->line, failure->depth);
    put_field("fen", failure->fen, file);
    put_field("path", failure->path, file);
    put_field("node", failure->node, file);
    put_field("difference", failure->text, file);
    if (failure->has_counts) {
        put_count("expected", failure->expected, file);
        put_count("counted", failure->counted, file);
    }
    if (failure->no_answer != NULL)
        put_field("no_answer", failure->no_answer, file);
    if (failure->cause != NULL)
        put_cause(failure->cause, file);
    memory = open_memstream(&command, &size);
    if (memory != NULL) {
        pm_verify_write_command(result, failure, memory);
        fclose(memory);
        put_field("command", command, file);
        free(command);
    }
}

static void put_block(const struct pm_verify_case *result,
                      const struct pm_verify_position *position, FILE *file)
{
    if (result->failure_count == 0)
        return;
    fprintf(file, "  ---\n  message: \"%llu of %llu rows wrong\"\n  failures:\n",
            position != NULL ? (unsigned long long)position->wrong
                             : (unsigned long long)(result->wrong + result->known),
            position != NULL ? (unsigned long long)position->wrong + position->right
                             : (unsigned long long)result->rows);
    for (size_t i = 0; i < result->failure_count; i++)
        if (position == NULL || pm_verify_is_failure_of(&result->failures[i], position))
            put_failure(result, &result->failures[i], file);
    fputs("  ...\n", file);
}

static void put_directive(enum pm_verify_verdict verdict, const char *reason, FILE *file)
{
    if (verdict == PM_VERIFY_SKIPPED)
        fputs(" # SKIP ", file);
    if (verdict == PM_VERIFY_KNOWN)
        fputs(" # TODO ", file);
    put_escaped(reason, file);
    fputc('\n', file);
}

static bool is_not_ok(enum pm_verify_verdict verdict)
{
    return verdict == PM_VERIFY_FAILED || verdict == PM_VERIFY_KNOWN;
}

static void put_point(enum pm_verify_verdict verdict, size_t number,
                      const struct pm_verify_case *result, FILE *file)
{
    fprintf(file, "%s %zu - ", is_not_ok(verdict) ? "not ok" : "ok", number);
    put_escaped(result->suite, file);
    fputc(' ', file);
    put_escaped(result->kernel, file);
    fprintf(file, " %s", pm_check_text(result->check));
}

static void put_case(const struct pm_verify_report *report, const struct pm_verify_case *result,
                     size_t number, FILE *file)
{
    char reason[PM_VERIFY_REASON_SIZE], nodes[PM_COUNT_TEXT_SIZE];
    const enum pm_verify_verdict verdict = pm_verify_case_verdict(report, result, reason);
    put_point(verdict, number, result, file);
    fprintf(file, ": %llu of %llu rows, %s nodes", (unsigned long long)result->rows,
            (unsigned long long)result->rows_total, pm_count_to_text(result->nodes, nodes));
    put_directive(verdict, reason, file);
    if (is_not_ok(verdict))
        put_block(result, NULL, file);
}

static void put_position(const struct pm_verify_report *report, const struct pm_verify_case *result,
                         const struct pm_verify_position *position, size_t number, FILE *file)
{
    char reason[PM_VERIFY_REASON_SIZE];
    const enum pm_verify_verdict verdict =
        pm_verify_position_verdict(report, result, position, reason);
    put_point(verdict, number, result, file);
    fputs(": ", file);
    put_escaped(position->name, file);
    put_directive(verdict, reason, file);
    if (is_not_ok(verdict))
        put_block(result, position, file);
}

static size_t count_points(const struct pm_verify_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->case_count; i++)
        count += report->cases[i].tests != NULL ? report->cases[i].test_count : 1;
    return count;
}

static void put_comments(const struct pm_verify_report *report, FILE *file)
{
    char text[PM_CAUSE_TEXT_SIZE];
    for (size_t i = 0; i < report->explanation_count; i++)
        for (unsigned j = 0; j < report->explanations[i].feature_count; j++)
            fprintf(file, "# %s: %s\n", report->explanations[i].kernel,
                    pm_cause_to_text(&report->explanations[i].features[j], text));
    for (size_t i = 0; report->known != NULL && i < report->known->count; i++)
        if (!report->known->tests[i].failed)
            fprintf(file, "# expected to fail, but %s: %s\n",
                    pm_verify_known_text(&report->known->tests[i]), report->known->tests[i].id);
}

static bool ended_early(const struct pm_verify_report *report)
{
    return report->end != PM_VERIFY_FINISHED;
}

bool pm_verify_write_tap(const struct pm_verify_report *report, FILE *file)
{
    size_t number = 0;
    fprintf(file, "TAP version 14\n1..%zu\n", count_points(report));
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        if (result->tests == NULL)
            put_case(report, result, ++number, file);
        for (size_t j = 0; j < result->test_count; j++)
            put_position(report, result, &result->tests[j], ++number, file);
    }
    put_comments(report, file);
    if (ended_early(report))
        fprintf(file, "Bail out! %s\n",
                report->end == PM_VERIFY_BROKE_OFF ? report->error
                                                   : pm_verify_end_text(report->end));
    return !ferror(file);
}
