/* SPDX-License-Identifier: MIT */
/* Tests that are expected to fail. */
#include "core/file.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

const char *pm_verify_known_text(const struct pm_verify_known_test *test)
{
    if (test->failed)
        return "failed";
    if (test->passed)
        return "passed";
    return test->planned ? "not run" : "not planned";
}

void pm_verify_known_free(struct pm_verify_known *known)
{
    for (size_t i = 0; i < known->count; i++)
        free(known->tests[i].id);
    free(known->tests);
    *known = (struct pm_verify_known){0};
}

static bool add_line(struct pm_verify_known *known, char *text, unsigned line)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
        text[--length] = '\0';
    text += strspn(text, " \t");
    if (*text == '\0' || *text == '#')
        return true;
    void *grown = realloc(known->tests, (known->count + 1) * sizeof *known->tests);
    if (grown == NULL)
        return false;
    known->tests = grown;
    known->tests[known->count] =
        (struct pm_verify_known_test){.id = pm_verify_printable(text), .line = line};
    return known->tests[known->count++].id != NULL;
}

enum pm_status pm_verify_known_read(const char *path, struct pm_verify_known *known,
                                    struct pm_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const enum pm_status status = pm_file_read(path, &text, &size, error);
    char *rest = text;
    unsigned line = 0;
    bool has_room = true;
    if (status != PM_OK)
        return status;
    for (char *next = strsep(&rest, "\n"); next != NULL && has_room; next = strsep(&rest, "\n"))
        has_room = add_line(known, next, ++line);
    free(text);
    return has_room ? PM_OK
                    : pm_fail(error, PM_ERROR_MEMORY, "out of memory for the list '%s'", path);
}

/* ---- What they come to ---- */

/* The rest of an id after "SUITE/CHECK/", if it is of that case; or NULL. */
static const char *name_in(const struct pm_verify_case *result, const char *id)
{
    const char *const parts[] = {result->suite, pm_check_text(result->check)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t length = strlen(parts[i]);
        if (strncmp(id, parts[i], length) != 0 || id[length] != '/')
            return NULL;
        id += length + 1;
    }
    return id;
}

static bool is_known(const struct pm_verify_known *known, const struct pm_verify_case *result,
                     const char *name)
{
    for (size_t i = 0; i < known->count; i++) {
        const char *rest = name_in(result, known->tests[i].id);
        if (rest != NULL && strcmp(rest, name) == 0)
            return true;
    }
    return false;
}

static bool has_failed(const struct pm_verify_case *result, const char *name)
{
    for (size_t i = 0; i < result->failure_count; i++)
        if (strcmp(result->failures[i].name, name) == 0)
            return true;
    return false;
}

/* The line of the position of that name in the case's suite; 0 if there is none. */
static unsigned line_of(const struct pm_verify_plan *plan, const struct pm_verify_case *result,
                        const char *name)
{
    if (result->suite_index < 0)
        return 0;
    const struct pm_verify_suite *suite = &plan->suites[result->suite_index];
    for (size_t i = 0; i < suite->name_count; i++)
        if (strcmp(suite->names[i].text, name) == 0)
            return suite->names[i].line;
    return 0;
}

/* Whether the position ran to its last row. */
static bool ran(const struct pm_verify_plan *plan, struct pm_verify_case *result, unsigned line)
{
    const struct pm_verify_position *test = pm_verify_find_test(result, line);
    if (test != NULL)
        return test->right > 0 && test->stopped == 0;
    const struct pm_suite *suite = &plan->suites[result->suite_index].suite;
    for (size_t i = 0; i < suite->entry_count; i++) {
        const struct pm_suite_entry *entry = &suite->entries[i];
        if (entry->line == line)
            return result->rows > 0 && result->rows_stopped == 0 &&
                   (!pm_verify_counts_rows(result->check) ||
                    (entry->count_count > 0 && entry->counts[0].nodes <= result->limit));
    }
    return false;
}

static void note_test(const struct pm_verify_plan *plan, struct pm_verify_case *result,
                      struct pm_verify_known_test *test)
{
    const char *name = name_in(result, test->id);
    if (name == NULL)
        return;
    const unsigned line = line_of(plan, result, name);
    const bool failed = has_failed(result, name);
    test->failed = test->failed || failed;
    test->planned = test->planned || failed || line > 0;
    test->passed = test->passed || (!failed && line > 0 && ran(plan, result, line));
}

void pm_verify_apply_known(const struct pm_verify_plan *plan, struct pm_verify_known *known,
                           struct pm_verify_case *result)
{
    for (size_t i = 0; i < result->failure_count; i++) {
        struct pm_verify_failure *failure = &result->failures[i];
        failure->known = is_known(known, result, failure->name);
        if (!failure->known)
            continue;
        struct pm_verify_position *test = pm_verify_find_test(result, failure->line);
        result->wrong--;
        result->known++;
        if (test != NULL)
            test->known = true;
    }
    for (size_t i = 0; i < known->count; i++)
        note_test(plan, result, &known->tests[i]);
}
