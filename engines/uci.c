/* SPDX-License-Identifier: MIT */
/* An engine that is told positions and asked for counts, over UCI or in words of its own. Nothing
 * it says is believed without need: see the checks in check_first(). */
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
    struct pm_dialect dialect;
    struct pm_subject_options options;
    struct pm_process *process; /* NULL: not running, to be started */
    bool tells_totals;          /* seen in its answer about the start position */
    bool tells_parts;           /* likewise */
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
    char complaint[PM_QUOTE_SIZE]; /* a line that sounds as if it was not understood, or "" */
    bool is_refusal;               /* and it is one: see pm_subject_open() */
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
    static const char refusal[] = "info string refused";
    static const char *const signs[] = {refusal,   "error",       "invalid", "illegal",
                                        "unknown", "unsupported", "refuse",  "bad fen"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs && question->complaint[0] == '\0'; i++)
        if (contains(line, length, signs[i])) {
            pm_quote(line, length, question->complaint);
            question->is_refusal = i == 0 && length >= sizeof refusal - 1 &&
                                   memcmp(line, refusal, sizeof refusal - 1) == 0;
        }
}

/* Says `text` and passes each line to note() until `answer` comes; at once if that is NULL. */
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
    if (status != PM_OK || answer == NULL)
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

/* Only what the protocol calls a refusal is one. */
static enum pm_status fail_by_complaint(struct question *question)
{
    return pm_subject_fail(question->is_refusal ? PM_SUBJECT_REFUSED : PM_SUBJECT_GARBAGE,
                           question->failure, question->error, "it answers %s",
                           question->complaint);
}

enum waiting { FOR_TOTAL, FOR_READY_ONLY, FOR_EITHER };

/* What came of an answer so far. */
struct answer {
    struct pm_divide_reader reader;
    bool is_ready;  /* readyok was seen */
    bool is_search; /* bestmove was seen */
};

/* "readyok" at the end of a line that lacked its own end; cuts it off. */
static bool cut_ready(const char *line, size_t *length, const char *ready)
{
    size_t end = *length;
    while (end > 0 && isspace((unsigned char)line[end - 1]))
        end--;
    const size_t word = ready != NULL ? strlen(ready) : 0;
    if (word == 0 || end < word || memcmp(line + end - word, ready, word) != 0)
        return false;
    *length = end - word;
    return true;
}

static enum pm_status take_line(struct question *question, struct answer *answer, const char *line,
                                size_t length, const char *doing)
{
    struct pm_error cause;
    if (memchr(line, '\0', length) != NULL)
        return give_up(question, PM_SUBJECT_GARBAGE, "binary output", doing);
    if (cut_ready(line, &length, question->engine->dialect.is_ready))
        answer->is_ready = true;
    if (pm_divide_read_line(&answer->reader, line, length, NULL, &cause) != PM_OK)
        return give_up(question, PM_SUBJECT_GARBAGE, cause.text, doing);
    note_complaint(question, line, length);
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
            return may_refuse ? fail_by_complaint(question) : PM_OK;
        if (result != PM_PROCESS_FINE)
            return give_up_by(question, result, doing);
        const enum pm_status status = take_line(question, answer, line, length, doing);
        if (status != PM_OK)
            return status;
    }
}

/* What a line of the dialect becomes: {fen} or {depth} replaced. Free it; NULL: no memory. */
static char *fill_in(const char *line, const char *place, const char *value)
{
    const char *found = strstr(line, place);
    char *text;
    if (found == NULL)
        return strdup(line);
    return asprintf(&text, "%.*s%s%s", (int)(found - line), line, value, found + strlen(place)) < 0
               ? NULL
               : text;
}

/* Says the line, and asks whether it is ready if it can be asked. Frees the line; NULL: no memory.
 */
static enum pm_status say_line(struct question *question, char *line, const char *doing, bool waits)
{
    const struct pm_dialect *dialect = &question->engine->dialect;
    char *text = NULL;
    enum pm_status status = PM_ERROR_MEMORY;
    if (line != NULL &&
        asprintf(&text, "%s\n%s%s", line, dialect->ready != NULL ? dialect->ready : "",
                 dialect->ready != NULL ? "\n" : "") < 0)
        text = NULL;
    if (text != NULL && waits)
        status = say_and_wait(question, text, dialect->is_ready, note_complaint, doing);
    else if (text != NULL)
        status =
            say(question, text, pm_subject_deadline(question->engine->options.time_limit), doing);
    free(line);
    free(text);
    return status;
}

/* Parts and total are in answer->reader and *divide. */
static enum pm_status hear_perft(struct question *question, int depth, enum waiting waiting,
                                 struct answer *answer, struct pm_divide *divide, const char *doing)
{
    struct engine *engine = question->engine;
    char number[16];
    snprintf(number, sizeof number, "%d", depth);
    *answer = (struct answer){.is_ready = engine->dialect.ready == NULL};
    pm_divide_read_begin(&answer->reader, divide);
    answer->reader.patterns = engine->dialect.patterns;
    pm_process_allow_output(engine->process);
    const enum pm_status status =
        say_line(question, fill_in(engine->dialect.perft, "{depth}", number), doing, false);
    return status == PM_OK ? read_answer(question, answer, waiting, doing) : status;
}

static enum pm_status ask_perft(struct question *question, int depth, enum waiting waiting,
                                struct pm_divide *divide)
{
    struct engine *engine = question->engine;
    struct answer answer;
    struct pm_error cause;
    char doing[128];

    snprintf(doing, sizeof doing, "go perft %d%s", depth,
             waiting == FOR_EITHER ? " of the start position" : "");
    enum pm_status status = hear_perft(question, depth, waiting, &answer, divide, doing);
    if (status != PM_OK)
        return status;
    status = pm_divide_read_end(&answer.reader, &cause);
    if (waiting == FOR_EITHER) {
        engine->tells_totals = answer.reader.has_total;
        engine->tells_parts = divide->count > 0;
    }
    /* No parts and no total: of a mate, with an engine that tells none. */
    if (status == PM_OK ||
        (status == PM_ERROR_PARSE && waiting == FOR_READY_ONLY && engine->end.count == 0))
        return PM_OK;
    return pm_subject_fail(status == PM_ERROR_MISMATCH ? PM_SUBJECT_LIED : PM_SUBJECT_GARBAGE,
                           question->failure, question->error, "%s at \"%s\"", cause.text, doing);
}

/* ---- Starting ---- */

/* The start position shows whether it counts, and whether it tells totals and parts. */
static enum pm_status try_perft(struct question *question)
{
    struct engine *engine = question->engine;
    enum pm_status status =
        say_line(question, strdup(engine->dialect.start_position), "position startpos", true);
    if (status == PM_OK)
        status = ask_perft(question, 1, FOR_EITHER, &engine->first);
    if (*question->failure == PM_SUBJECT_REFUSED)
        *question->failure = PM_SUBJECT_GARBAGE; /* that one is for everybody */
    question->complaint[0] = '\0';
    question->is_refusal = false;
    return status;
}

static enum pm_status set_up(struct question *question)
{
    const struct pm_dialect *dialect = &question->engine->dialect;
    enum pm_status status = PM_OK;
    if (dialect->start != NULL) {
        char text[64];
        snprintf(text, sizeof text, "%s\n", dialect->start);
        status = say_and_wait(question, text, dialect->started, note_option, dialect->start);
    }
    for (char *const *line = dialect->setup; line != NULL && *line != NULL && status == PM_OK;
         line++)
        status = say_line(question, strdup(*line), *line, true);
    if (status == PM_OK && dialect->ready != NULL)
        status = say_line(question, strdup(""), dialect->ready, true);
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
    enum pm_status status = set_up(question);
    if (status == PM_OK)
        status = try_perft(question);
    if (status == PM_OK)
        question->subject->chess960 = engine->has_chess960 || engine->dialect.chess960;
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
    const bool can = engine->has_chess960 && !engine->options.no_chess960;
    const bool wanted = question->line->chess960 && can;
    if (engine->dialect.chess960 && !engine->options.no_chess960) {
        engine->chess960 = question->line->chess960;
        return PM_OK;
    }
    if (question->line->chess960 && !wanted && !pm_position_is_standard(question->line->position))
        return refuse(question, engine->options.no_chess960 ? "it is not asked about Chess960"
                                                            : "it has no option UCI_Chess960");
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
    const struct pm_line *line = question->line;
    const struct pm_line there = {.position = &engine->end.position, .chess960 = line->chess960};
    char *fen = pm_line_to_fen(engine->dialect.has_moves ? line : &there, engine->chess960);
    char *text = fen != NULL ? fill_in(engine->dialect.position, "{fen}", fen) : NULL;
    const enum pm_status status = say_line(question, text, "position", true);
    free(fen);
    return status == PM_OK && question->is_refusal ? fail_by_complaint(question) : status;
}

/* How the end of an answer is known. */
static enum waiting waiting_of(const struct engine *engine)
{
    return engine->tells_totals ? FOR_TOTAL : FOR_READY_ONLY;
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
        status = ask_perft(question, 1, waiting_of(engine), &engine->first);
    if (status == PM_OK)
        pm_divide_normalize(&engine->first, engine->end.moves, engine->end.count,
                            question->line->chess960);
    return status;
}

/* Asks once more, after the start position was told. Else an engine that, say, overlooks castling
 * rights would seem to keep a position that differs in them alone. */
static enum pm_status check_kept(struct question *question, const struct pm_line *start_line)
{
    enum pm_status status = say_line(question, strdup(question->engine->dialect.start_position),
                                     "position startpos", true);
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
        return fail_by_complaint(question);
    pm_fen_read_named("startpos", 0, &start_position, NULL, NULL);
    if (line->move_count > 0 && answers_for(question, &root))
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error,
                               "it did not play the moves, but stayed at their start");
    if (answers_for(question, &start_line))
        return pm_subject_fail(PM_SUBJECT_LIED, question->failure, question->error,
                               "it kept another position, the start position");
    return answers_for(question, &kept) ? check_kept(question, &start_line) : PM_OK;
}

/* The count alone, of an engine that names no moves. */
static enum pm_status ask_total(struct question *question, int depth, pm_count *total)
{
    struct engine *engine = question->engine;
    enum pm_status status = tell_position(question);
    if (status == PM_OK)
        status = ask_perft(question, depth, waiting_of(engine), &engine->first);
    question->complaint[0] = '\0';
    *total = engine->first.total;
    return status;
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
    status = ask_perft(question, depth, waiting_of(engine), divide);
    pm_divide_normalize(divide, engine->end.moves, engine->end.count, question->line->chess960);
    return status;
}

/* Gets it running, and ready for this line. */
static enum pm_status begin(struct question *question)
{
    struct engine *engine = question->engine;
    *question->failure = PM_SUBJECT_FINE;
    enum pm_status status = pm_line_end_find(question->line, &engine->end, question->error);
    if (status == PM_OK && engine->process == NULL)
        status = start(question);
    return status == PM_OK ? set_chess960(question) : status;
}

static enum pm_status divide_by_engine(struct pm_subject *subject, const struct pm_line *line,
                                       int depth, struct pm_divide *divide,
                                       enum pm_subject_failure *failure, struct pm_error *error)
{
    struct engine *engine = subject->context;
    struct question question = {
        .subject = subject, .engine = engine, .line = line, .failure = failure, .error = error};
    const enum pm_status status = begin(&question);
    if (status != PM_OK)
        return status;
    return engine->tells_parts ? ask(&question, depth, divide)
                               : pm_divide_by_counts(subject, line, depth, divide, failure, error);
}

static enum pm_status count_by_engine(struct pm_subject *subject, const struct pm_line *line,
                                      int depth, struct pm_divide *divide,
                                      enum pm_subject_failure *failure, struct pm_error *error)
{
    struct engine *engine = subject->context;
    struct question question = {
        .subject = subject, .engine = engine, .line = line, .failure = failure, .error = error};
    const enum pm_status status = begin(&question);
    if (status != PM_OK)
        return status;
    return engine->tells_parts ? ask(&question, depth, divide)
                               : ask_total(&question, depth, &divide->total);
}

/* ---- Open and close ---- */

static void close_engine(struct pm_subject *subject)
{
    struct engine *engine = subject->context;
    if (engine->process != NULL) {
        pm_process_write(engine->process, engine->dialect.quit, pm_clock_ns());
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

const struct pm_dialect pm_dialect_uci = {
    .start = "uci",
    .started = "uciok",
    .ready = "isready",
    .is_ready = "readyok",
    .start_position = "position startpos",
    .position = "position fen {fen}",
    .has_moves = true,
    .perft = "go perft {depth}",
    .quit = "quit\n",
};

enum pm_status pm_subject_use_uci(const char *command, const char *const extra[],
                                  const struct pm_dialect *dialect,
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
    engine->dialect = *dialect;
    subject->external = true;
    subject->chess960 = true; /* until it has told its options */
    subject->divide = divide_by_engine;
    subject->count = count_by_engine;
    subject->close = close_engine;
    subject->context = engine;
    if (copy_words(engine, command, extra))
        return PM_OK;
    close_engine(subject);
    subject->context = NULL;
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}
