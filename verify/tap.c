/* SPDX-License-Identifier: MIT */
/* TAP 14: one test point for each suite, kernel and check; what is wrong stands in its YAML block.
 */
#include "verify/verify.h"

static void write_failure(const struct pm_verify_failure *failure, FILE *file)
{
    fprintf(file, "    - line: %u\n", failure->line);
    fprintf(file, "      fen: \"%s\"\n", failure->fen);
    if (failure->path[0] != '\0')
        fprintf(file, "      path: \"%s\"\n      node: \"%s\"\n", failure->path, failure->node);
    fprintf(file, "      difference: |\n        ");
    for (const char *c = failure->text; *c != '\0'; c++) {
        fputc(*c, file);
        if (*c == '\n')
            fputs("        ", file);
    }
    fputc('\n', file);
}

static void write_failures(const struct pm_verify_case *result, FILE *file)
{
    fprintf(file, "  ---\n  message: \"%llu of %llu rows wrong\"\n  failures:\n",
            (unsigned long long)result->wrong, (unsigned long long)result->rows);
    for (size_t i = 0; i < result->failure_count; i++)
        write_failure(&result->failures[i], file);
    fputs("  ...\n", file);
}

static void write_case(const struct pm_verify_case *result, size_t number, FILE *file)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    fprintf(file, "%s %zu - %s %s %s: %llu of %llu rows, %s nodes",
            result->wrong > 0 ? "not ok" : "ok", number, result->suite, result->kernel,
            pm_check_text(result->check), (unsigned long long)result->rows,
            (unsigned long long)result->rows_total, pm_count_to_text(result->nodes, nodes));
    if (result->rows == 0 && result->wrong == 0)
        fprintf(file, " # SKIP %s", result->skipped != NULL ? result->skipped : "no row could run");
    fputc('\n', file);
    if (result->wrong > 0)
        write_failures(result, file);
}

enum pm_status pm_verify_write_tap(const struct pm_verify_report *report, FILE *file,
                                   struct pm_error *error)
{
    fprintf(file, "TAP version 14\n1..%zu\n", report->case_count);
    for (size_t i = 0; i < report->case_count; i++)
        write_case(&report->cases[i], i + 1, file);
    return ferror(file) ? pm_fail(error, PM_ERROR_IO, "TAP could not be written") : PM_OK;
}
