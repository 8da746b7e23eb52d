/* SPDX-License-Identifier: MIT */
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

static void free_failure(struct pm_verify_failure *failure)
{
    free(failure->id);
    free(failure->fen);
    free(failure->path);
    free(failure->node);
    free(failure->text);
}

/* A copy in which bytes that JSON or XML might refuse are '?'. */
static char *printable(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return copy;
}

static struct pm_verify_failure *new_failure(struct pm_verify_case *result)
{
    if (result->failures == NULL)
        result->failures = calloc(PM_VERIFY_MAX_FAILURES, sizeof *result->failures);
    if (result->failures == NULL || result->failure_count == PM_VERIFY_MAX_FAILURES)
        return NULL;
    return &result->failures[result->failure_count++];
}

enum pm_status pm_verify_add_failure(struct pm_verify_case *result,
                                     const struct pm_suite_entry *entry, int depth,
                                     const char *path, const char *node, const char *text)
{
    const char *id = entry != NULL ? pm_suite_entry_opcode(entry, "id") : NULL;
    struct pm_verify_failure given = {
        .line = entry != NULL ? entry->line : 0,
        .depth = depth,
        .id = printable(id != NULL ? id : ""),
        .fen = printable(entry != NULL ? entry->fen : ""),
        .path = strdup(path),
        .node = strdup(node),
        .text = printable(text),
    };
    const bool complete = given.id != NULL && given.fen != NULL && given.path != NULL &&
                          given.node != NULL && given.text != NULL;
    struct pm_verify_failure *failure = complete ? new_failure(result) : NULL;

    result->wrong++;
    if (failure != NULL)
        *failure = given;
    else
        free_failure(&given);
    return complete && result->failures != NULL ? PM_OK : PM_ERROR_MEMORY;
}

void pm_verify_case_free(struct pm_verify_case *result)
{
    for (size_t i = 0; i < result->failure_count; i++)
        free_failure(&result->failures[i]);
    free(result->failures);
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

void pm_verify_report_free(struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        pm_verify_case_free(&report->cases[i]);
    free(report->cases);
    *report = (struct pm_verify_report){0};
}
