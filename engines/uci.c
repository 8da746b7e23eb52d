/* SPDX-License-Identifier: MIT */
/* uci:PROGRAM: an engine over UCI that answers `go perft N`. Nothing it says is believed without
 * need: see the checks in divide_by_engine(). */
#include "engines/internal.h"

#include "core/clock.h"
#include "core/fen.h"
#include "core/position.h"
#include "core/quote.h"
#include "engines/divide.h"
#include "engines/process.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_EXTRA = 8 };

struct engine {
    char *command;
    char *extra[MAX_EXTRA + 1]; /* further arguments, ends with NULL */
    struct pm_subject_options options;
    struct pm_process *process; /* NULL: not running, to be started */
    bool tells_totals;          /* seen in its answer about the start position */
    bool has_chess960;          /* the option UCI_Chess960 */
    bool chess960;              /* its value now */
    struct pm_position told;    /* the position it was asked about last */
    struct pm_line_end end;     /* of the present line */
    struct pm_line_end other;   /* of another one */
    struct pm_divide first;     /* its moves at the present line */
};

/* The question that is being asked. */
struct question {
    struct pm_subject *subject;
    struct engine *engine;
    const struct pm_line *line;
    enum pm_subject_failure *failure;
    struct pm_error *error;
    char complaint[PM_QUOTE_SIZE]; /* a line that sounds like a refusal of the position, or "" */
};

/* ---- Talking ---- */

static void stop(struct engine *engine)
{
    pm_process_close(engine->process);
    engine->process = NULL;
}

/* Ends the engine: after such a failure nobody knows what it would say next. */
static enum pm_status give_up(struct question *question, enum pm_subject_failure kind,
                              const char *what, const char *doing)
{
    struct engine *engine = question->engine;
    char quoted[PM_QUOTE_SIZE];
    const char *words = pm_process_last_words(engine->process);
    const bool has_words = words[0] != '\0';
    const enum pm_status status = pm_subject_fail(
        kind, question->failure, question->error, "%s at \"%s\"%s%s", what, doing,
        has_words ? "; it said " : "", has_words ? pm_quote(words, strlen(words), quoted) : "");
    stop(engine);
    return status;
}

static enum pm_status give_up_by(struct question *question, enum pm_process_result result,
                                 const char *doing)
{
    char what[PM_PROCESS_END_SIZE];
    switch (result) {
    case PM_PROCESS_STOPPED:
        stop(question->engine);
        return pm_fail(question->error, PM_ERROR_INTERRUPTED, "interrupted");
    case PM_PROCESS_LATE:
        snprintf(what, sizeof what, "no answer within %g s", question->engine->options.time_limit);
        return give_up(question, PM_SUBJECT_HUNG, what, doing);
    case PM_PROCESS_TOO_MUCH:
        return give_up(question, PM_SUBJECT_GARBAGE, "too much output and no answer", doing);
    case PM_PROCESS_ENDED:
    case PM_PROCESS_FINE:
        break;
    }
    return give_up(question, PM_SUBJECT_CRASHED,
                   pm_process_end_to_text(pm_process_wait(question->engine->process), what), doing);
}

static enum pm_status say(struct question *question, const char *text, uint64_t deadline,
                          const char *doing)
{
    const enum pm_process_result result =
        pm_process_write(question->engine->process, text, deadline);
    return result == PM_PROCESS_FINE ? PM_OK : give_up_by(question, result, doing);
}

static bool is_word(const char *line, size_t length, const char *word)
{
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    return length == strlen(word) && memcmp(line, word, length) == 0;
}

static bool contains(const char *line, size_t length, const char *part)
{
    const size_t wanted = strlen(part);
    for (size_t i = 0; i + wanted <= length; i++)
        if (strncasecmp(line + i, part, wanted) == 0)
            return true;
    return false;
}

static void note_option(struct question *question, const char *line, size_t length)
{
    if (length > 6 && memcmp(line, "option", 6) == 0 && contains(line, length, "UCI_Chess960 "))
        question->engine->has_chess960 = true;
}

static void note_complaint(struct question *question, const char *line, size_t length)
{
    static const char *const signs[] = {"error",       "invalid", "illegal", "unknown",
                                        "unsupported", "refuse",  "bad fen"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (question->complaint[0] == '\0' && contains(line, length, signs[i]))
            pm_quote(line, length, question->complaint);
}

/* Says `text` and passes each line to note() until `answer` comes. */
static enum pm_status say_and_wait(struct question *question, const char *text, const char *answer,
                                   void (*note)(struct question *question, const char *line,
                                                size_t length),
                                   const char *doing)
{
    struct engine *engine = question->engine;
    const uint64_t deadline = pm_subject_deadline(engine->options.time_limit);
    const char *line;
    size_t length;

    pm_process_allow_output(engine->process);
    const enum pm_status status = say(question, text, deadline, doing);
    if (status != PM_OK)
        return status;
    for (;;) {
        const enum pm_process_result result =
            pm_process_read_line(engine->process, deadline, &line, &length);
        if (result != PM_PROCESS_FINE)
            return give_up_by(question, result, doing);
        if (is_word(line, length, answer))
            return PM_OK;
        note(question, line, length);
    }
}

/* ---- Perft ---- */

static enum pm_status refuse(struct question *question, const char *what)
{
    return pm_subject_fail(PM_SUBJECT_REFUSED, question->failure, question->error, "%s", what);
}

static enum pm_status refuse_by_complaint(struct question *question)
{
    return pm_subject_fail(PM_SUBJECT_REFUSED, question->failure, question->error, "it answers %s",
                           question->complaint);
}

enum waiting { FOR_TOTAL, FOR_READY_ONLY, FOR_EITHER };

/* What came of an answer so far. */
struct answer {
    struct pm_divide_reader reader;
    bool is_ready;  /* readyok was seen */
    bool is_search; /* bestmove was seen */
};

static enum pm_status take_line(struct question *question, struct answer *answer, const char *line,
                                size_t length, const char *doing)
{
    struct pm_error cause;
    if (memchr(line, '\0', length) != NULL)
        return give_up(question, PM_SUBJECT_GARBAGE, "binary output", doing);
    if (pm_divide_read_line(&answer->reader, line, length, NULL, &cause) != PM_OK)
        return give_up(question, PM_SUBJECT_GARBAGE, cause.text, doing);
    note_complaint(question, line, length);
    answer->is_ready = answer->is_ready || is_word(line, length, "readyok");
    answer->is_search = answer->is_search || (length > 8 && memcmp(line, "bestmove", 8) == 0);
    return PM_OK;
}

/* `go perft` and `isready` were said. Engines that count in a thread of their own are ready before
 * the divide, others after it. So the end is: both readyok and a total, or, with an engine that is
 * known to tell none, readyok. Half a second of silence ends it after readyok, if parts came and it
 * is not known whether the engine tells totals (the first question), or if a complaint came alone.
 */
static enum pm_status read_answer(struct question *question, struct answer *answer,
                                  enum waiting waiting, const char *doing)
{
    struct engine *engine = question->engine;
    const uint64_t deadline = pm_subject_deadline(engine->options.time_limit);
    for (;;) {
        const struct pm_divide_reader *reader = &answer->reader;
        const char *line;
        size_t length;
        if (answer->is_ready && (reader->has_total || waiting == FOR_READY_ONLY))
            return PM_OK;
        if (answer->is_search && reader->divide->count == 0)
            return give_up(question, PM_SUBJECT_GARBAGE, "it searched instead of counting", doing);
        const bool may_refuse = question->complaint[0] != '\0' && reader->divide->count == 0;
        const bool may_end = answer->is_ready &&
                             (may_refuse || (waiting == FOR_EITHER && reader->divide->count > 0));
        const uint64_t soon = pm_subject_deadline(0.5);
        const enum pm_process_result result = pm_process_read_line(
            engine->process, may_end && soon < deadline ? soon : deadline, &line, &length);
        if (may_end && result == PM_PROCESS_LATE)
            return may_refuse ? refuse_by_complaint(question) : PM_OK;
        if (result != PM_PROCESS_FINE)
            return give_up_by(question, result, doing);
        const enum pm_status status = take_line(question, answer, line, length, doing);
        if (status != PM_OK)
            return status;
    }
}

static enum pm_status ask_perft(struct question *question, int depth, enum waiting waiting,
                                struct pm_divide *divide)
{
    struct engine *engine = question->engine;
    struct answer answer = {.is_ready = false};
    struct pm_error cause;
    char text[48];
    char doing[64];

    snprintf(text, sizeof text, "go perft %d\nisready\n", depth);
    snprintf(doing, sizeof doing, "go perft %d%s", depth,
             waiting == FOR_EITHER ? " of the start position" : "");
    pm_divide_read_begin(&answer.reader, divide);
    pm_process_allow_output(engine->process);
    enum pm_status status =
        say(question, text, pm_subject_deadline(engine->options.time_limit), doing);
    if (status == PM_OK)
        status = read_answer(question, &answer, waiting, doing);
    if (status != PM_OK)
        return status;
    if (waiting == FOR_EITHER)
        engine->tells_totals = answer.reader.has_total;
    status = pm_divide_read_end(&answer.reader, &cause);
    if (status == PM_ERROR_MISMATCH)
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error, "%s at \"%s\"",
                               cause.text, doing);
    return PM_OK; /* no parts and no total: of a mate, with an engine that tells none */
}

/* ---- Starting ---- */

/* The start position shows whether it answers `go perft` and whether it tells totals. */
static enum pm_status try_perft(struct question *question)
{
    struct engine *engine = question->engine;
    enum pm_status status = say_and_wait(question, "position startpos\nisready\n", "readyok",
                                         note_complaint, "position startpos");
    if (status == PM_OK)
        status = ask_perft(question, 1, FOR_EITHER, &engine->first);
    if (status == PM_OK && engine->first.count == 0)
        return give_up(question, PM_SUBJECT_GARBAGE, "no divide", "go perft 1");
    question->complaint[0] = '\0';
    return status;
}

static enum pm_status start(struct question *question)
{
    struct engine *engine = question->engine;
    const enum pm_status opened =
        pm_process_open(engine->command, (const char *const *)engine->extra, engine->options.stop,
                        &engine->process, question->error);
    if (opened != PM_OK) {
        *question->failure = PM_SUBJECT_CRASHED;
        return opened;
    }
    engine->has_chess960 = engine->chess960 = false;
    pm_fen_read_named("startpos", 0, &engine->told, NULL, NULL);
    enum pm_status status = say_and_wait(question, "uci\n", "uciok", note_option, "uci");
    if (status == PM_OK)
        status = say_and_wait(question, "isready\n", "readyok", note_option, "isready");
    if (status == PM_OK)
        status = try_perft(question);
    if (status == PM_OK)
        question->subject->chess960 = engine->has_chess960;
    else
        stop(engine);
    return status;
}

/* ---- A line ---- */

/* Switches the option as the line needs it. */
static enum pm_status set_chess960(struct question *question)
{
    struct engine *engine = question->engine;
    char text[64];
    const bool wanted = question->line->chess960 && engine->has_chess960;
    if (question->line->chess960 && !wanted && !pm_position_is_standard(question->line->position))
        return refuse(question, "it has no option UCI_Chess960");
    if (wanted == engine->chess960)
        return PM_OK;
    engine->chess960 = wanted;
    snprintf(text, sizeof text, "setoption name UCI_Chess960 value %s\n",
             wanted ? "true" : "false");
    return say(question, text, pm_subject_deadline(engine->options.time_limit), "setoption");
}

static enum pm_status tell_position(struct question *question)
{
    struct engine *engine = question->engine;
    char *fen = pm_line_to_fen(question->line, engine->chess960);
    char *text = NULL;
    enum pm_status status = PM_ERROR_MEMORY;
    if (fen != NULL && asprintf(&text, "position fen %s\nisready\n", fen) < 0)
        text = NULL;
    if (text != NULL)
        status = say_and_wait(question, text, "readyok", note_complaint, "position");
    free(text);
    free(fen);
    return status;
}

/* Whether the engine's moves are those of another line. */
static bool answers_for(struct question *question, const struct pm_line *line)
{
    struct engine *engine = question->engine;
    return pm_line_end_find(line, &engine->other, NULL) == PM_OK &&
           pm_divide_has_moves(&engine->first, engine->other.moves, engine->other.count,
                               line->chess960);
}

static enum pm_status ask_first(struct question *question)
{
    struct engine *engine = question->engine;
    enum pm_status status = tell_position(question);
    if (status == PM_OK)
        status = ask_perft(question, 1, engine->tells_totals ? FOR_TOTAL : FOR_READY_ONLY,
                           &engine->first);
    if (status == PM_OK)
        pm_divide_normalize(&engine->first, engine->end.moves, engine->end.count,
                            question->line->chess960);
    return status;
}

/* Asks once more, after the start position was told. Else an engine that, say, overlooks castling
 * rights would seem to keep a position that differs in them alone. */
static enum pm_status check_kept(struct question *question, const struct pm_line *start_line)
{
    enum pm_status status = say_and_wait(question, "position startpos\nisready\n", "readyok",
                                         note_complaint, "position startpos");
    if (status == PM_OK)
        status = ask_first(question);
    if (status == PM_OK && answers_for(question, start_line))
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error,
                               "it kept another position, the one before");
    return status;
}

/* Wrong moves are a result, but those of another position are none of this one. */
static enum pm_status check_first(struct question *question, const struct pm_position *before)
{
    struct engine *engine = question->engine;
    const struct pm_line *line = question->line;
    const struct pm_line root = {.position = line->position, .chess960 = line->chess960};
    const struct pm_line kept = {.position = before, .chess960 = line->chess960};
    struct pm_position start_position;
    const struct pm_line start_line = {.position = &start_position, .chess960 = line->chess960};

    if (pm_divide_has_moves(&engine->first, engine->end.moves, engine->end.count, line->chess960))
        return PM_OK;
    if (question->complaint[0] != '\0')
        return refuse_by_complaint(question);
    pm_fen_read_named("startpos", 0, &start_position, NULL, NULL);
    if (line->move_count > 0 && answers_for(question, &root))
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error,
                               "it did not play the moves, but stayed at their start");
    if (answers_for(question, &start_line))
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error,
                               "it kept another position, the start position");
    return answers_for(question, &kept) ? check_kept(question, &start_line) : PM_OK;
}

static enum pm_status ask(struct question *question, int depth, struct pm_divide *divide)
{
    struct engine *engine = question->engine;
    const struct pm_position before = engine->told;
    engine->told = engine->end.position;
    enum pm_status status = ask_first(question);
    if (status == PM_OK)
        status = check_first(question, &before);
    if (status != PM_OK)
        return status;
    question->complaint[0] = '\0'; /* it was no refusal */
    *divide = engine->first;
    if (depth == 1)
        return PM_OK;
    status = ask_perft(question, depth, engine->tells_totals ? FOR_TOTAL : FOR_READY_ONLY, divide);
    pm_divide_normalize(divide, engine->end.moves, engine->end.count, question->line->chess960);
    return status;
}

static enum pm_status divide_by_engine(struct pm_subject *subject, const struct pm_line *line,
                                       int depth, struct pm_divide *divide,
                                       enum pm_subject_failure *failure, struct pm_error *error)
{
    struct engine *engine = subject->context;
    struct question question = {
        .subject = subject, .engine = engine, .line = line, .failure = failure, .error = error};
    *failure = PM_SUBJECT_FINE;
    enum pm_status status = pm_line_end_find(line, &engine->end, error);
    if (status == PM_OK && engine->process == NULL)
        status = start(&question);
    if (status == PM_OK)
        status = set_chess960(&question);
    if (status == PM_OK)
        status = ask(&question, depth, divide);
    return status;
}

/* ---- Open and close ---- */

static void close_engine(struct pm_subject *subject)
{
    struct engine *engine = subject->context;
    if (engine->process != NULL) {
        pm_process_write(engine->process, "quit\n", pm_clock_ns());
        pm_process_close(engine->process);
    }
    for (int i = 0; i < MAX_EXTRA; i++)
        free(engine->extra[i]);
    free(engine->command);
    free(engine);
}

static bool copy_words(struct engine *engine, const char *command, const char *const extra[])
{
    bool copied = (engine->command = strdup(command)) != NULL;
    for (int i = 0; extra != NULL && i < MAX_EXTRA && extra[i] != NULL; i++)
        copied = copied && (engine->extra[i] = strdup(extra[i])) != NULL;
    return copied;
}

enum pm_status pm_subject_use_uci(const char *command, const char *const extra[],
                                  const struct pm_subject_options *options,
                                  struct pm_subject *subject, struct pm_error *error)
{
    const enum pm_status status = pm_process_check(command, error);
    if (status != PM_OK)
        return status;
    struct engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    engine->options = *options;
    subject->external = true;
    subject->chess960 = true; /* until it has told its options */
    subject->divide = divide_by_engine;
    subject->close = close_engine;
    subject->context = engine;
    if (copy_words(engine, command, extra))
        return PM_OK;
    close_engine(subject);
    subject->context = NULL;
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}
