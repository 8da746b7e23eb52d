/* SPDX-License-Identifier: MIT */
#include "verify/outside.h"

#include "core/clock.h"
#include "verify/internal.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pm_outside {
    char *word;
    struct pm_subject_options options;
    int threads;
    struct pm_subject *subjects[]; /* one a thread; NULL until it is needed */
};

enum pm_status pm_outside_open(const char *word, const struct pm_subject_options *options,
                               int threads, struct pm_outside **outside, struct pm_error *error)
{
    const size_t size = sizeof **outside + (size_t)threads * sizeof(struct pm_subject *);
    struct pm_outside *opened = calloc(1, size);
    if (opened == NULL || (opened->word = strdup(word)) == NULL) {
        free(opened);
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    opened->options = *options;
    opened->threads = threads;
    const enum pm_status status = pm_subject_open(word, options, &opened->subjects[0], error);
    if (status == PM_OK)
        *outside = opened;
    else
        pm_outside_close(opened);
    return status;
}

void pm_outside_close(struct pm_outside *outside)
{
    if (outside == NULL)
        return;
    for (int i = 0; i < outside->threads; i++)
        pm_subject_close(outside->subjects[i]);
    free(outside->word);
    free(outside);
}

const char *pm_outside_name(const struct pm_outside *outside)
{
    return outside->word;
}

struct row {
    const struct pm_suite_entry *entry;
    const struct pm_suite_count *count;
    bool is_asked;
    enum pm_subject_failure failure;
    pm_count counted;
    struct pm_error error; /* what it failed by */
};

/* The rows of a position follow each other, and are asked in turn. */
struct position {
    size_t first, end;
    double seconds; /* that its answers took */
};

struct job {
    struct pm_outside *outside;
    struct row *rows;
    struct position *positions;
    size_t position_count;
    atomic_int failures;  /* positions without an answer, in a row */
    atomic_int time_outs; /* likewise, but answers that did not come in time */
};

static bool is_failure_to_answer(enum pm_subject_failure failure)
{
    return failure != PM_SUBJECT_FINE && failure != PM_SUBJECT_LIED &&
           failure != PM_SUBJECT_WRONG && failure != PM_SUBJECT_REFUSED;
}

static bool is_right(const struct row *row)
{
    return row->failure == PM_SUBJECT_FINE && row->counted == row->count->nodes;
}

static enum pm_status ask(struct pm_subject *subject, struct row *row)
{
    const struct pm_line line = {.position = &row->entry->position,
                                 .chess960 = row->entry->chess960};
    struct pm_divide *divide = calloc(1, sizeof *divide);
    if (divide == NULL)
        return PM_ERROR_MEMORY;
    const enum pm_status status = (subject->count != NULL ? subject->count : subject->divide)(
        subject, &line, row->count->depth, divide, &row->failure, &row->error);
    row->is_asked = row->failure != PM_SUBJECT_FINE || status == PM_OK;
    row->counted = divide->total;
    free(divide);
    return row->is_asked ? PM_OK : status; /* a failure of ours ends the check */
}

/* The last one that it is given says that it was. */
static void note_time_out(struct job *job, struct row *row)
{
    if (row->failure != PM_SUBJECT_HUNG) {
        atomic_store(&job->time_outs, 0);
        return;
    }
    const size_t length = strlen(row->error.text);
    if (atomic_fetch_add(&job->time_outs, 1) + 1 == PM_OUTSIDE_TIME_OUTS)
        snprintf(row->error.text + length, sizeof row->error.text - length,
                 "; for the second time in a row: it is asked no more");
}

/* Until it fails to answer: a deeper question would hardly fare better. */
static enum pm_status ask_rows(struct job *job, struct pm_subject *subject,
                               const struct position *position)
{
    enum pm_status verdict = PM_OK;
    for (size_t i = position->first; i < position->end; i++) {
        struct row *row = &job->rows[i];
        const enum pm_status status = ask(subject, row);
        if (status != PM_OK)
            return status;
        if (row->failure != PM_SUBJECT_REFUSED && !is_right(row))
            verdict = PM_ERROR_MISMATCH;
        if (is_failure_to_answer(row->failure)) {
            atomic_fetch_add(&job->failures, i == position->first ? 1 : 0);
            note_time_out(job, row);
            return verdict;
        }
        atomic_store(&job->failures, 0);
        atomic_store(&job->time_outs, 0);
    }
    return verdict;
}

static enum pm_status run_position(void *context, size_t index)
{
    struct job *job = context;
    struct pm_subject **subject = &job->outside->subjects[omp_get_thread_num()];
    enum pm_status status = PM_OK;
    if (atomic_load(&job->failures) >= PM_OUTSIDE_PATIENCE ||
        atomic_load(&job->time_outs) >= PM_OUTSIDE_TIME_OUTS)
        return PM_OK;
    if (*subject == NULL)
        status = pm_subject_open(job->outside->word, &job->outside->options, subject, NULL);
    if (status != PM_OK)
        return status;
    const uint64_t start = pm_clock_ns();
    status = ask_rows(job, *subject, &job->positions[index]);
    job->positions[index].seconds = pm_clock_seconds_since(start);
    return status;
}

static void describe(const struct row *row, char text[PM_VERIFY_TEXT_SIZE])
{
    char counted[PM_COUNT_TEXT_SIZE];
    char expected[PM_COUNT_TEXT_SIZE];
    char off[PM_COUNT_TEXT_SIZE];
    const pm_count right = row->count->nodes;
    const bool over = row->counted > right;
    if (row->failure != PM_SUBJECT_FINE) {
        pm_verify_say(text, "depth %d: %s: %s", row->count->depth,
                      pm_subject_failure_text(row->failure), row->error.text);
        return;
    }
    pm_verify_say(text, "depth %d: %s nodes, right is %s (%s too %s)", row->count->depth,
                  pm_count_to_grouped_text(row->counted, counted),
                  pm_count_to_grouped_text(right, expected),
                  pm_count_to_grouped_text(over ? row->counted - right : right - row->counted, off),
                  over ? "many" : "few");
}

/* Notes a row with the test of its position, if the case has tests. */
static void note_test(const struct row *row, struct pm_verify_case *result)
{
    struct pm_verify_position *test = pm_verify_find_test(result, row->entry->line);
    if (test == NULL)
        return;
    if (!row->is_asked)
        return; /* as it was planned: stopped */
    test->stopped--;
    test->unsupported += row->failure == PM_SUBJECT_REFUSED;
    test->right += is_right(row);
    test->wrong += row->failure != PM_SUBJECT_REFUSED && !is_right(row);
}

static enum pm_status note_row(const struct row *row, struct pm_verify_case *result)
{
    char text[PM_VERIFY_TEXT_SIZE];
    note_test(row, result);
    if (!row->is_asked) {
        result->rows_stopped++;
        return PM_OK;
    }
    if (row->failure == PM_SUBJECT_REFUSED) {
        result->rows_unsupported++;
        return PM_OK;
    }
    const bool is_answer = row->failure == PM_SUBJECT_FINE;
    result->rows++;
    if (is_answer && pm_count_add(&result->nodes, row->count->nodes) != PM_OK)
        return PM_ERROR_OVERFLOW;
    if (is_right(row))
        return PM_OK;
    describe(row, text);
    const struct pm_verify_fault fault = {
        .entry = row->entry,
        .depth = row->count->depth,
        .text = text,
        .has_counts = is_answer,
        .expected = row->count->nodes,
        .counted = row->counted,
        .no_answer = is_answer ? NULL : pm_subject_failure_text(row->failure)};
    return pm_verify_add_failure(result, &fault);
}

static enum pm_status note_rows(const struct row *rows, size_t count, struct pm_verify_case *result)
{
    const struct pm_suite_entry *last = NULL;
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const uint64_t before = result->rows;
        status = note_row(&rows[i], result);
        if (result->rows != before && rows[i].entry != last) {
            result->positions++;
            last = rows[i].entry;
        }
    }
    return status;
}

static void note_times(const struct job *job, struct pm_verify_case *result)
{
    for (size_t i = 0; i < job->position_count; i++) {
        const struct position *position = &job->positions[i];
        struct pm_verify_position *test =
            pm_verify_find_test(result, job->rows[position->first].entry->line);
        if (test != NULL)
            test->seconds = position->seconds;
    }
}

/* Rows within the limit, and the positions that have any. */
static size_t choose_rows(const struct pm_suite *suite, struct pm_verify_case *result,
                          struct job *job)
{
    size_t count = 0;
    for (size_t i = 0; i < suite->entry_count; i++) {
        const struct pm_suite_entry *entry = &suite->entries[i];
        const size_t first = count;
        for (unsigned j = 0; j < entry->count_count; j++) {
            if (entry->counts[j].nodes > result->limit)
                result->rows_over_limit++;
            else
                job->rows[count++] = (struct row){.entry = entry, .count = &entry->counts[j]};
        }
        if (count > first)
            job->positions[job->position_count++] = (struct position){.first = first, .end = count};
    }
    return count;
}

enum pm_status pm_verify_outside(struct pm_outside *outside, const struct pm_suite *suite,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_case *result)
{
    const uint64_t start = pm_clock_ns();
    struct job job = {.outside = outside};
    enum pm_status ran = PM_ERROR_MEMORY;
    enum pm_status status = PM_OK;

    result->positions_total = suite->entry_count;
    for (size_t i = 0; i < suite->entry_count; i++)
        result->rows_total += suite->entries[i].count_count;
    job.rows = calloc(result->rows_total + 1, sizeof *job.rows);
    job.positions = calloc(suite->entry_count + 1, sizeof *job.positions);
    if (job.rows != NULL && job.positions != NULL) {
        const size_t count = choose_rows(suite, result, &job);
        ran = pm_verify_each(config, result, job.position_count, run_position, &job);
        status = note_rows(job.rows, count, result);
        note_times(&job, result);
    }
    free(job.rows);
    free(job.positions);
    result->seconds = pm_clock_seconds_since(start);
    return ran != PM_OK ? ran : status;
}
