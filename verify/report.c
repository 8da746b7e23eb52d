/* SPDX-License-Identifier: MIT */
/* The records: how they are made, found and freed. */
#include "verify/report.h"

#include "core/position.h"
#include "verify/diagnose/explain.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

const char *pm_check_text(enum pm_check check)
{
    static const char *const texts[PM_CHECK_COUNT] = {
        [PM_CHECK_MAKE] = "make",
        [PM_CHECK_BULK] = "bulk",
        [PM_CHECK_LOOKAHEAD] = "lookahead",
        [PM_CHECK_MOVES] = "moves",
        [PM_CHECK_ATTACKS] = "attacks",
        [PM_CHECK_MIRROR] = "mirror",
        [PM_CHECK_ROUND_TRIP] = "roundtrip",
        [PM_CHECK_KEY] = "key",
        [PM_CHECK_EXPANDER] = "expander",
        [PM_CHECK_DISTINCT] = "distinct",
        [PM_CHECK_RANDOM] = "random",
        [PM_CHECK_OUTSIDE] = "count",
    };
    return (unsigned)check < PM_CHECK_COUNT ? texts[check] : "unknown check";
}

int pm_check_mode(enum pm_check check)
{
    switch (check) {
    case PM_CHECK_MAKE:
        return PM_MODE_MAKE;
    case PM_CHECK_BULK:
        return PM_MODE_BULK;
    case PM_CHECK_LOOKAHEAD:
        return PM_MODE_LOOKAHEAD;
    default:
        return -1;
    }
}

char *pm_verify_printable(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return copy;
}

/* ---- Failures ---- */

static void free_failure(struct pm_verify_failure *failure)
{
    free(failure->name);
    free(failure->id);
    free(failure->fen);
    free(failure->path);
    free(failure->node);
    free(failure->text);
}

/* Makes room for one more, which is zeroed; NULL if there is no memory. */
static struct pm_verify_failure *new_failure(struct pm_verify_case *result)
{
    const size_t count = result->failure_count;
    if ((count & (count - 1)) == 0) {
        const size_t room = count == 0 ? 1 : 2 * count;
        void *grown = realloc(result->failures, room * sizeof *result->failures);
        if (grown == NULL)
            return NULL;
        result->failures = grown;
    }
    struct pm_verify_failure *added = &result->failures[result->failure_count++];
    *added = (struct pm_verify_failure){0};
    return added;
}

enum pm_status pm_verify_add_failure(struct pm_verify_case *result,
                                     const struct pm_verify_fault *fault)
{
    const struct pm_suite_entry *entry = fault->entry;
    const char *id = entry != NULL ? pm_suite_entry_opcode(entry, "id") : NULL;
    result->wrong++;
    if (result->failure_count == PM_VERIFY_MAX_FAILURES)
        return PM_OK;
    struct pm_verify_failure *failure = new_failure(result);
    if (failure == NULL)
        return PM_ERROR_MEMORY;
    *failure = (struct pm_verify_failure){
        .line = entry != NULL ? entry->line : 0,
        .depth = fault->depth,
        .name = strdup(""),
        .id = pm_verify_printable(id != NULL ? id : ""),
        .fen = pm_verify_printable(entry != NULL ? entry->fen : ""),
        .path = strdup(fault->path != NULL ? fault->path : ""),
        .node = strdup(fault->node != NULL ? fault->node : ""),
        .text = pm_verify_printable(fault->text),
        .has_counts = fault->has_counts,
        .expected = fault->expected,
        .counted = fault->counted,
        .no_answer = fault->no_answer,
        .unreachable = entry != NULL && !pm_verify_is_reachable(entry),
    };
    return failure->name != NULL && failure->id != NULL && failure->fen != NULL &&
                   failure->path != NULL && failure->node != NULL && failure->text != NULL
               ? PM_OK
               : PM_ERROR_MEMORY;
}

struct pm_verify_position *pm_verify_find_test(struct pm_verify_case *result, unsigned line)
{
    size_t first = 0, end = result->test_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (result->tests[middle].line < line)
            first = middle + 1;
        else
            end = middle;
    }
    return first < result->test_count && result->tests[first].line == line ? &result->tests[first]
                                                                           : NULL;
}

void pm_verify_case_free(struct pm_verify_case *result)
{
    for (size_t i = 0; i < result->failure_count; i++)
        free_failure(&result->failures[i]);
    free(result->failures);
    free(result->tests);
    free(result->suite);
    *result = (struct pm_verify_case){0};
}

size_t pm_verify_lineages(const struct pm_verify_report *report,
                          const char *lineages[PM_VERIFY_MAX_LINEAGES])
{
    size_t count = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        size_t known = 0;
        if (report->cases[i].rows == 0)
            continue;
        while (known < count && strcmp(lineages[known], report->cases[i].lineage) != 0)
            known++;
        if (known == count && count < PM_VERIFY_MAX_LINEAGES)
            lineages[count++] = report->cases[i].lineage;
    }
    return count;
}

void pm_explanations_free(struct pm_explanations *explanations)
{
    for (size_t i = 0; i < explanations->diff_count; i++) {
        pm_diff_free(explanations->diffs[i]);
        free(explanations->diffs[i]);
    }
    free(explanations->diffs);
    *explanations = (struct pm_explanations){0};
}

void pm_verify_report_free(struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        pm_verify_case_free(&report->cases[i]);
    for (int i = 0; i < report->name_count; i++)
        free(report->names[i]);
    for (size_t i = 0; i < report->explanation_count; i++)
        pm_explanations_free(&report->explanations[i]);
    free(report->explanations);
    free(report->names);
    free(report->cases);
    *report = (struct pm_verify_report){0};
}
