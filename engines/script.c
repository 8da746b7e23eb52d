/* SPDX-License-Identifier: MIT */
/* cmd:PROGRAM, the contract of the perft debugger perftree: `PROGRAM DEPTH FEN [MOVES]` prints the
 * divide and the total, or the total alone; exit status 77 is a refusal. A new process for each
 * question. */
#include "engines/internal.h"

#include "core/position.h"
#include "core/quote.h"
#include "engines/divide.h"
#include "engines/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSAL = 77 }; /* as in Automake's tests, where it means "skipped" */

struct script {
    struct pm_subject_options options;
    const struct pm_divide_patterns *patterns; /* may be NULL */
    char command[];
};

/* The question that is being asked. */
struct question {
    const struct script *script;
    const struct pm_line *line;
    struct pm_process *process;
    enum pm_subject_failure *failure;
    struct pm_error *error;
};

static enum pm_status start(struct question *question, int depth)
{
    const struct pm_line *line = question->line;
    const struct pm_line root = {.position = line->position};
    char depth_text[16];
    const bool chess960 = line->chess960 && !question->script->options.no_chess960;
    char *fen = pm_line_to_fen(&root, chess960);
    char *moves = pm_line_moves_to_text(line, chess960);
    const char *const extra[] = {depth_text, fen, line->move_count > 0 ? moves : NULL, NULL};
    enum pm_status status = PM_ERROR_MEMORY;

    snprintf(depth_text, sizeof depth_text, "%d", depth);
    if (fen != NULL && moves != NULL)
        status = pm_process_open(question->script->command, extra, question->script->options.stop,
                                 &question->process, question->error);
    if (status == PM_OK)
        pm_process_end_input(question->process);
    else
        *question->failure = PM_SUBJECT_CRASHED;
    free(fen);
    free(moves);
    return status;
}

static enum pm_status fail(struct question *question, enum pm_subject_failure kind,
                           const char *what)
{
    char quoted[PM_QUOTE_SIZE];
    const char *words = pm_process_last_words(question->process);
    const bool has_words = words[0] != '\0';
    return pm_subject_fail(kind, question->failure, question->error, "%s%s%s", what,
                           has_words ? "; it said " : "",
                           has_words ? pm_quote(words, strlen(words), quoted) : "");
}

static enum pm_status fail_by_exit(struct question *question, int exit_status)
{
    char text[PM_PROCESS_END_SIZE];
    if (exit_status == REFUSAL)
        return fail(question, PM_SUBJECT_REFUSED, "exited with status 77");
    return fail(question,
                exit_status == PM_PROCESS_WAS_KILLED ? PM_SUBJECT_HUNG : PM_SUBJECT_CRASHED,
                pm_process_end_to_text(exit_status, text));
}

static enum pm_status read_all(struct question *question, struct pm_divide_reader *reader)
{
    const uint64_t deadline = pm_subject_deadline(question->script->options.time_limit);
    char what[80];
    enum pm_process_result result = PM_PROCESS_FINE;
    struct pm_error cause;
    const char *line;
    size_t length;

    pm_process_allow_output(question->process);
    while (result == PM_PROCESS_FINE) {
        result = pm_process_read_line(question->process, deadline, &line, &length);
        if (result == PM_PROCESS_FINE && memchr(line, '\0', length) != NULL)
            return fail(question, PM_SUBJECT_GARBAGE, "binary output");
        if (result == PM_PROCESS_FINE &&
            pm_divide_read_line(reader, line, length, NULL, &cause) != PM_OK)
            return fail(question, PM_SUBJECT_GARBAGE, cause.text);
    }
    if (result == PM_PROCESS_ENDED)
        return PM_OK;
    if (result == PM_PROCESS_STOPPED)
        return pm_fail(question->error, PM_ERROR_INTERRUPTED, "interrupted");
    if (result == PM_PROCESS_TOO_MUCH)
        return fail(question, PM_SUBJECT_GARBAGE, "too much output");
    snprintf(what, sizeof what, "no end of its output within %g s",
             question->script->options.time_limit);
    return fail(question, PM_SUBJECT_HUNG, what);
}

static enum pm_status ask(struct question *question, int depth, struct pm_divide *divide)
{
    struct pm_divide_reader reader;
    struct pm_error cause;
    pm_divide_read_begin(&reader, divide);
    reader.patterns = question->script->patterns;
    if (question->script->options.no_chess960 && question->line->chess960 &&
        !pm_position_is_standard(question->line->position))
        return pm_subject_fail(PM_SUBJECT_REFUSED, question->failure, question->error,
                               "it is not asked about Chess960");
    enum pm_status status = start(question, depth);
    if (status != PM_OK)
        return status;
    status = read_all(question, &reader);
    if (status != PM_OK)
        return status;
    const int exit_status = pm_process_wait(question->process);
    if (exit_status != 0)
        return fail_by_exit(question, exit_status);
    status = pm_divide_read_end(&reader, &cause);
    if (status == PM_OK)
        return PM_OK;
    return fail(question, status == PM_ERROR_MISMATCH ? PM_SUBJECT_LIED : PM_SUBJECT_GARBAGE,
                cause.text);
}

/* The total, and parts if it tells any. */
static enum pm_status count_by_script(struct pm_subject *subject, const struct pm_line *line,
                                      int depth, struct pm_divide *divide,
                                      enum pm_subject_failure *failure, struct pm_error *error)
{
    struct question question = {
        .script = subject->context, .line = line, .failure = failure, .error = error};
    struct pm_line_end *end = malloc(sizeof *end);
    *failure = PM_SUBJECT_FINE;
    if (end == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_line_end_find(line, end, error);
    if (status == PM_OK)
        status = ask(&question, depth, divide);
    if (status == PM_OK)
        pm_divide_normalize(divide, end->moves, end->count, line->chess960);
    pm_process_close(question.process);
    free(end);
    return status;
}

static enum pm_status divide_by_script(struct pm_subject *subject, const struct pm_line *line,
                                       int depth, struct pm_divide *divide,
                                       enum pm_subject_failure *failure, struct pm_error *error)
{
    const enum pm_status status = count_by_script(subject, line, depth, divide, failure, error);
    if (status != PM_OK || divide->count > 0 || divide->total == 0)
        return status;
    return pm_divide_by_counts(subject, line, depth, divide, failure, error);
}

static void close_script(struct pm_subject *subject)
{
    free(subject->context);
}

enum pm_status pm_subject_use_script(const char *command, const struct pm_divide_patterns *patterns,
                                     const struct pm_subject_options *options,
                                     struct pm_subject *subject, struct pm_error *error)
{
    const size_t size = strlen(command) + 1;
    const enum pm_status status = pm_process_check(command, error);
    if (status != PM_OK)
        return status;
    struct script *script = malloc(sizeof *script + size);
    if (script == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    script->options = *options;
    script->patterns = patterns;
    memcpy(script->command, command, size);
    subject->external = true;
    subject->chess960 = !options->no_chess960;
    subject->divide = divide_by_script;
    subject->count = count_by_script;
    subject->close = close_script;
    subject->context = script;
    return PM_OK;
}
