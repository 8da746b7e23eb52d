/* SPDX-License-Identifier: MIT */
#include "cli/verify_print.h"

#include "core/clock.h"
#include "verify/diagnose/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COLUMNS = 80,
    MAX_SHOWN_A_CASE = 3,
    MAX_SHOWN_A_KERNEL = 10,
    MAX_LINES = 12, /* of the table by suites */
    MAX_KERNEL_LINES = 16,
    SUITE_WIDTH = 15,
    KERNEL_WIDTH = 22
};

/* ---- Progress ---- */

/* Of the whole, from 0 to 1. */
static double share_done(const struct pm_verify_report *report,
                         const struct pm_verify_case *current, double part)
{
    double done = 0, all = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        if (result->skipped != NULL)
            continue;
        all += result->weight;
        /* Generated positions go to all kernels at once. */
        const bool runs = result == current ||
                          (current->check == PM_CHECK_RANDOM && result->check == PM_CHECK_RANDOM &&
                           result->seed == current->seed);
        done += result->has_run ? result->weight : runs ? part * result->weight : 0;
    }
    return all > 0 ? done / all : 0;
}

static void write_time(double seconds, char *text, size_t size)
{
    const unsigned whole = (unsigned)(seconds + 0.5);
    if (whole < 120)
        snprintf(text, size, "%u s", whole);
    else if (whole < 7200)
        snprintf(text, size, "%u min", (whole + 30) / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void cli_verify_progress(void *context, const struct pm_verify_case *current, size_t done,
                         size_t total)
{
    struct cli_verify_progress *progress = context;
    const uint64_t now = pm_clock_ns();
    char line[COLUMNS], past[16], left[16] = "";
    if (now - progress->shown < 100000000 && done < total)
        return;
    progress->shown = now;
    const double share =
        share_done(progress->report, current, total > 0 ? (double)done / (double)total : 1);
    const double seconds = (double)(now - progress->start) * 1e-9;
    write_time(seconds, past, sizeof past);
    if (share > 0.02 && seconds > 1)
        write_time(seconds / share - seconds, left, sizeof left);
    snprintf(line, sizeof line, "%3.0f %%, %s%s%s%s: %s, %s, %s: %zu of %zu", 100 * share, past,
             left[0] != '\0' ? ", about " : "", left, left[0] != '\0' ? " left" : "",
             current->suite, current->kernel, pm_check_text(current->check), done, total);
    fprintf(stderr, "\r%s\033[K", line);
}

void cli_verify_clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- Text in columns ---- */

/* Breaks lines between words; those after the first begin with so many blanks. */
static void put_wrapped(const char *text, int indentation)
{
    int column = 0;
    while (*text != '\0') {
        const int length = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + length > COLUMNS) {
            printf("\n%*s", indentation, "");
            column = indentation;
        } else if (column > 0) {
            putchar(' ');
            column++;
        }
        column += printf("%.*s", length, text);
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    if (column > 0)
        putchar('\n');
}

/* Where the word that begins at text ends; quotation marks keep blanks together. */
static size_t word_length(const char *text)
{
    bool is_quoted = false;
    size_t length = 0;
    for (; text[length] != '\0' && (is_quoted || text[length] != ' '); length++)
        if (text[length] == '\'')
            is_quoted = !is_quoted;
    return length;
}

/* A command that can be copied whole: lines end in a backslash. */
static void put_command(const char *command)
{
    int column = printf("Next: ");
    for (bool is_first = true; *command != '\0'; is_first = false) {
        const size_t length = word_length(command);
        if (!is_first && column + 1 + (int)length > COLUMNS - 2) {
            printf(" \\\n     ");
            column = 5;
        }
        column += printf("%s%.*s", is_first ? "" : " ", (int)length, command);
        command += length + (command[length] == ' ');
    }
    putchar('\n');
}

/* ---- Failures ---- */

static bool is_first_of_cause(const struct pm_verify_report *report,
                              const struct pm_verify_failure *failure)
{
    for (size_t i = 0; i < report->explanation_count; i++)
        for (unsigned j = 0; j < report->explanations[i].cause_count; j++)
            if (report->explanations[i].causes[j] == failure->cause)
                return true;
    return false;
}

/* Those that show a cause are shown in full, whatever their number is. */
static void print_kernel(const struct pm_verify_report *report, int subject)
{
    const struct pm_diff *last = NULL;
    uint64_t shown = 0, all = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        unsigned of_case = 0;
        if (result->subject != subject)
            continue;
        all += result->wrong;
        for (size_t j = 0; j < result->failure_count; j++) {
            const struct pm_verify_failure *failure = &result->failures[j];
            const bool shows_cause = failure->cause != NULL && failure->cause != last &&
                                     is_first_of_cause(report, failure);
            const unsigned room = failure->no_answer != NULL ? 1 : MAX_SHOWN_A_CASE;
            const bool has_room = of_case < room && shown < MAX_SHOWN_A_KERNEL;
            if (failure->known || (!has_room && !shows_cause))
                continue;
            printf(shown == 0 ? "\n%s:\n" : "\n", result->kernel);
            pm_verify_write_failure(result, failure, 2, shows_cause, stdout);
            last = shows_cause ? failure->cause : last;
            shown++;
            of_case++;
        }
    }
    if (all > shown)
        printf("\n%s: and %" PRIu64 " more; --json and --junit name them all\n",
               report->names[subject], all - shown);
}

void cli_verify_print_failures(const struct pm_verify_report *report)
{
    if (report->wrong > 0)
        for (int i = 0; i < report->name_count; i++)
            print_kernel(report, i);
    for (size_t i = 0; i < report->explanation_count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (file == NULL)
            continue;
        pm_explanations_write_text(&report->explanations[i], file);
        fclose(file);
        if (size > 0)
            putchar('\n');
        put_wrapped(text, 2);
        free(text);
    }
}

/* ---- The table ---- */

struct line {
    const char *suite; /* NULL: all of them */
    const char *kernel, *skipped;
    uint64_t rows, rows_total, stopped, wrong, known;
    pm_count nodes;
    bool has_run;
};

static void add_case(struct line *line, const struct pm_verify_case *result)
{
    line->kernel = result->kernel;
    line->rows += result->rows;
    line->rows_total += result->rows_total;
    line->stopped += result->rows_stopped;
    line->wrong += result->wrong;
    line->known += result->known;
    line->nodes += result->nodes;
    line->has_run = line->has_run || result->has_run;
    line->skipped = result->skipped;
}

static void print_line(const struct line *line)
{
    char nodes[PM_COUNT_TEXT_SIZE], rows[48], result[32] = "right";
    const size_t length = strlen(line->kernel);
    const char *dots = length > KERNEL_WIDTH ? ".." : ""; /* a program's path ends in its name */
    const char *name = line->kernel + (length > KERNEL_WIDTH ? length - KERNEL_WIDTH + 2 : 0);
    if (line->wrong > 0)
        snprintf(result, sizeof result, "WRONG: %" PRIu64, line->wrong);
    else if (line->skipped != NULL)
        snprintf(result, sizeof result, "skipped");
    else if (line->stopped > 0)
        snprintf(result, sizeof result, line->has_run ? "unfinished" : "not run");
    else if (line->known > 0)
        snprintf(result, sizeof result, "known: %" PRIu64, line->known);
    else if (line->rows == 0)
        snprintf(result, sizeof result, "nothing");
    snprintf(rows, sizeof rows, "%" PRIu64 " of %" PRIu64, line->rows, line->rows_total);
    printf("%-*.*s %s%-*s %13s %15s  %s\n", SUITE_WIDTH, SUITE_WIDTH,
           line->suite != NULL ? line->suite : "all suites", dots, KERNEL_WIDTH - (int)strlen(dots),
           name, rows, pm_count_to_grouped_text(line->nodes, nodes), result);
}

static bool begins_line(const struct pm_verify_report *report, size_t index)
{
    const struct pm_verify_case *result = &report->cases[index];
    return index == 0 || strcmp(result->suite, result[-1].suite) != 0 ||
           result->subject != result[-1].subject;
}

static size_t count_lines(const struct pm_verify_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->case_count; i++)
        count += begins_line(report, i);
    return count;
}

static void print_suites(const struct pm_verify_report *report)
{
    struct line line = {0};
    for (size_t i = 0; i < report->case_count; i++) {
        add_case(&line, &report->cases[i]);
        line.suite = report->cases[i].suite;
        if (i + 1 < report->case_count && !begins_line(report, i + 1))
            continue;
        print_line(&line);
        line = (struct line){0};
    }
}

static struct line sum_of(const struct pm_verify_report *report, int subject)
{
    struct line line = {0};
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].subject == subject)
            add_case(&line, &report->cases[i]);
    return line;
}

/* The wrong ones first, if not all have room. */
static void print_kernels(const struct pm_verify_report *report)
{
    int shown = 0;
    for (int is_right = 0; is_right <= 1; is_right++)
        for (int i = 0; i < report->name_count; i++) {
            const struct line line = sum_of(report, i);
            if (line.kernel == NULL || (line.wrong == 0) != (is_right == 1))
                continue;
            if (shown++ < MAX_KERNEL_LINES)
                print_line(&line);
        }
    if (shown > MAX_KERNEL_LINES)
        printf("and %d more\n", shown - MAX_KERNEL_LINES);
}

static void print_skipped(const struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].skipped != NULL &&
            (i == 0 || report->cases[i].subject != report->cases[i - 1].subject)) {
            printf("%s: skipped: %s\n", report->cases[i].kernel, report->cases[i].skipped);
            return;
        }
}

static void print_table(const struct pm_verify_report *report)
{
    printf("\n%-*s %-*s %13s %15s  %s\n", SUITE_WIDTH, "suite", KERNEL_WIDTH, "kernel", "rows",
           "nodes", "result");
    if (count_lines(report) <= MAX_LINES)
        print_suites(report);
    else
        print_kernels(report);
    print_skipped(report);
}

/* ---- After the table ---- */

/* The deepest sum over all positions of a suite that is known and ran whole. */
static void print_totals(const struct pm_verify_report *report)
{
    const struct pm_verify_total *deepest = NULL;
    char text[PM_COUNT_TEXT_SIZE];
    for (size_t i = 0; i < report->case_count; i++)
        for (unsigned j = 0; j < report->cases[i].total_count; j++)
            if (deepest == NULL || report->cases[i].totals[j].depth > deepest->depth)
                deepest = &report->cases[i].totals[j];
    if (deepest != NULL && deepest->counted == deepest->expected)
        printf("Sum of depth %d over the 960 positions: %s, as it must be.\n", deepest->depth,
               pm_count_to_grouped_text(deepest->counted, text));
}

static void print_left_out(const struct pm_verify_report *report)
{
    uint64_t over_limit = 0, unsupported = 0, unreachable = 0, stopped = 0;
    const char *separator = "Left out: ";
    for (size_t i = 0; i < report->case_count; i++) {
        over_limit += report->cases[i].rows_over_limit;
        unsupported += report->cases[i].rows_unsupported;
        unreachable += report->cases[i].rows_unreachable;
        stopped += report->cases[i].skipped == NULL ? report->cases[i].rows_stopped : 0;
    }
    const struct {
        uint64_t rows;
        const char *text;
    } parts[] = {{over_limit, "over the node limits"},
                 {unsupported, "unsupported"},
                 {unreachable, "unreachable"},
                 {stopped, "not reached"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].rows > 0) {
            printf("%s%" PRIu64 " rows %s", separator, parts[i].rows, parts[i].text);
            separator = ", ";
        }
    if (separator[0] == ',')
        puts(".");
}

/* Kernels of one lineage agree for little. */
static void print_witnesses(const struct pm_verify_report *report)
{
    const char *lineages[PM_VERIFY_MAX_LINEAGES];
    const size_t count = pm_verify_lineages(report, lineages);
    char *text = NULL;
    size_t size = 0;
    FILE *file = count > 0 ? open_memstream(&text, &size) : NULL;
    if (file == NULL)
        return;
    fprintf(file, "Witnesses: %zu lineage%s: ", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", i > 0 ? ", " : "", lineages[i]);
    fputc('.', file);
    fclose(file);
    put_wrapped(text, 2);
    free(text);
}

static void print_known(const struct pm_verify_report *report)
{
    unsigned shown = 0, failed = 0;
    if (report->known == NULL)
        return;
    for (size_t i = 0; i < report->known->count; i++) {
        const struct pm_verify_known_test *test = &report->known->tests[i];
        failed += test->failed;
        if (!test->failed && shown++ < 5)
            printf("Expected to fail, but %s: %s (line %u of the list)\n",
                   pm_verify_known_text(test), test->id, test->line);
    }
    if (shown > 5)
        printf("and %u more that did not fail\n", shown - 5);
    printf("%u of %zu expected failures failed.\n", failed, report->known->count);
}

/* The first failure that is no known one, if possible one whose cause is found; the result in which
 * it stands. */
static const struct pm_verify_failure *first_failure(const struct pm_verify_report *report,
                                                     const struct pm_verify_case **result)
{
    const struct pm_verify_failure *first = NULL;
    for (size_t i = 0; i < report->case_count; i++)
        for (size_t j = 0; j < report->cases[i].failure_count; j++) {
            const struct pm_verify_failure *failure = &report->cases[i].failures[j];
            if (failure->known || (first != NULL && failure->cause == NULL))
                continue;
            first = failure;
            *result = &report->cases[i];
            if (failure->cause != NULL)
                return first;
        }
    return first;
}

/* Whether no game leads to any of the positions that failed. */
static bool all_unreachable(const struct pm_verify_report *report)
{
    bool any = false;
    for (size_t i = 0; i < report->case_count; i++)
        for (size_t j = 0; j < report->cases[i].failure_count; j++) {
            const struct pm_verify_failure *failure = &report->cases[i].failures[j];
            if (!failure->known && !failure->unreachable)
                return false;
            any = any || !failure->known;
        }
    return any;
}

static void print_next(const struct pm_verify_report *report, const char *command, bool is_default)
{
    const struct pm_verify_case *result = NULL;
    const struct pm_verify_failure *failure = first_failure(report, &result);
    char *next = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&next, &size);
    if (file == NULL)
        return;
    if (failure != NULL && all_unreachable(report)) {
        put_wrapped("All positions that failed are unreachable: no game leads there, and engines "
                    "may refuse or miscount them. --reachable leaves them out.",
                    0);
        fprintf(file, "%s --reachable", command);
    } else if (failure != NULL) {
        pm_verify_write_command(result, failure, file);
    } else if (is_default && strcmp(pm_verify_result_text(report), "pass") == 0) {
        fprintf(file, "%s -s quick", command);
    }
    fclose(file);
    if (size > 0)
        put_command(next);
    free(next);
}

uint64_t cli_verify_count_unsupported(const struct pm_verify_report *report)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < report->case_count; i++)
        rows += report->cases[i].rows_unsupported;
    return rows;
}

static void print_verdict(const struct pm_verify_report *report)
{
    const char *result = pm_verify_result_text(report);
    const uint64_t unsupported = cli_verify_count_unsupported(report);
    char nodes[PM_COUNT_TEXT_SIZE];
    pm_count_to_grouped_text(report->nodes, nodes);
    if (strcmp(result, "fail") == 0)
        printf("WRONG: %" PRIu64 " of %" PRIu64 " rows; ", report->wrong, report->rows);
    else if (strcmp(result, "pass") == 0)
        printf("All right: %" PRIu64 " rows, ", report->rows);
    else if (strcmp(result, "nothing") == 0)
        printf("Nothing ran: no row, ");
    else
        printf("%s: no verdict; %" PRIu64 " rows right so far, ",
               report->end == PM_VERIFY_BROKE_OFF ? "Broke off" : "Interrupted", report->rows);
    printf("%s nodes, %.1f s, %d thread%s", nodes, report->seconds, report->threads,
           report->threads == 1 ? "" : "s");
    if (report->wrong > 0 && report->end != PM_VERIFY_FINISHED)
        printf("; %s", report->end == PM_VERIFY_FAIL_FAST ? "--fail-fast ended it"
                                                          : pm_verify_end_text(report->end));
    if (unsupported * 10 > report->rows)
        printf("; but %" PRIu64 " were refused", unsupported);
    puts(".");
}

void cli_verify_print_summary(const struct pm_verify_report *report, const char *command,
                              bool is_default)
{
    print_table(report);
    print_totals(report);
    print_left_out(report);
    print_witnesses(report);
    print_known(report);
    print_next(report, command, is_default);
    print_verdict(report);
}
