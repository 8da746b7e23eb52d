/* SPDX-License-Identifier: MIT */
#include "cli/analyze_many.h"

#include "core/clock.h"
#include "core/fen.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEY_FORMAT = 2048, KEY_INPUT, KEY_ON_ERROR, KEY_START, KEY_NO_HEADER };

/* The index of a text in a list that ends with NULL, or a usage error that names all of them. */
static int choose(const struct argp_state *state, const char *what, const char *text,
                  const char *const choices[], const char *all)
{
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], text) == 0)
            return i;
    }
    cli_usage(state, "%s is \"%s\": %s is needed", what, text, all);
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    static const char *const formats[] = {
        [PM_FORMAT_TSV] = "tsv", [PM_FORMAT_JSON] = "json", [PM_FORMAT_CSV] = "csv", NULL};
    static const char *const inputs[] = {[PM_STREAM_BY_CONTENT] = "auto",
                                         [PM_STREAM_EPD] = "epd",
                                         [PM_STREAM_FEN] = "fen",
                                         [PM_STREAM_PGN] = "pgn",
                                         NULL};
    static const char *const reactions[] = {"stop", "skip", NULL};
    struct analyze_many_options *options = state->input;
    switch (key) {
    case 'f':
        options->fields = argument;
        return 0;
    case 'w':
        options->where = argument;
        return 0;
    case KEY_FORMAT:
        options->format =
            (enum pm_format)choose(state, "--format", argument, formats, "tsv, json or csv");
        return 0;
    case KEY_INPUT:
        options->input = (enum pm_stream_input)choose(state, "--input", argument, inputs,
                                                      "auto, epd, fen or pgn");
        return 0;
    case KEY_ON_ERROR:
        options->skip_bad = choose(state, "--on-error", argument, reactions, "stop or skip") == 1;
        return 0;
    case KEY_START:
        options->start = (uint64_t)cli_number(state, "--start", argument, 1, LONG_MAX);
        return 0;
    case KEY_NO_HEADER:
        options->no_header = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_group[] = {
    {"fields", 'f', "NAMES", 0,
     "What is told of each position, with commas between; \"list\" explains them all (default: "
     "line, or game and ply; legal, captures, checkers, pinned, verdict, material, phase)",
     40},
    {"where", 'w', "EXPRESSION", 0,
     "Only positions for which it holds: fields, numbers, texts in quotes, + - * / %, == != < <= "
     "> >=, && || ! and parentheses, as in 'check && legal < 3' or 'verdict == \"stalemate\"'. "
     "Division by zero gives no number, and no comparison with it holds",
     40},
    {"format", KEY_FORMAT, "FORMAT", 0, "tsv, json (one object a line) or csv (default: tsv)", 40},
    {"input", KEY_INPUT, "KIND", 0,
     "auto (by content), epd, fen (nothing else on a line) or pgn (every position of each game's "
     "main line)",
     40},
    {"on-error", KEY_ON_ERROR, "REACTION", 0,
     "At a line or game that can't be read: stop, or skip it with a message (default: stop)", 40},
    {"start", KEY_START, "N", 0,
     "Begin at line N of the first file (PGN: game N), without the line of names", 40},
    {"no-header", KEY_NO_HEADER, NULL, 0, "Leave out the line of names", 40},
    {0},
};
const struct argp analyze_many_argp = {.options = option_group, .parser = parse_option};

/* ---- What fields there are ---- */

static int list_fields(void)
{
    for (const struct pm_record_field *field = pm_record_fields; field->name != NULL; field++)
        printf("%-15s %-7s %s\n", field->name, field->is_text ? "text" : "number", field->meaning);
    printf("\nDefault: %s\nof PGN:  %s\n", pm_field_default_names, pm_field_default_game_names);
    return fflush(stdout) == 0 ? CLI_EXIT_OK : CLI_EXIT_ENVIRONMENT;
}

/* ---- What the stream calls ---- */

struct output {
    bool is_shown; /* a line of progress stands on the terminal */
    uint64_t shown_ns;
};

#define PROGRESS_NS 250000000U

static void clear_progress(struct output *output)
{
    if (output->is_shown)
        fputs("\r\033[K", stderr);
    output->is_shown = false;
}

static enum pm_status write_rows(void *context, const char *text, size_t size,
                                 struct pm_error *error)
{
    (void)context;
    while (size > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, size);
        if (written < 0 && errno != EINTR)
            return pm_fail(error, PM_ERROR_IO, "can't write to standard output: %s",
                           strerror(errno));
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return PM_OK;
}

static void say_bad_line(void *context, const char *line)
{
    clear_progress(context);
    fprintf(stderr, "%s\n", line);
}

static void show_progress(void *context, const struct pm_stream_totals *so_far)
{
    struct output *output = context;
    const uint64_t now = pm_clock_ns();
    if (now - output->shown_ns < PROGRESS_NS || so_far->seconds <= 0)
        return;
    output->shown_ns = now;
    output->is_shown = true;
    fprintf(stderr, "\r%" PRIu64 " positions, %.0f/s", so_far->positions,
            (double)so_far->positions / so_far->seconds);
    if (so_far->bytes > 0 && so_far->bytes <= so_far->bytes_all)
        fprintf(stderr, ", %.0f %%, %.0f s left",
                100.0 * (double)so_far->bytes / (double)so_far->bytes_all,
                so_far->seconds * (double)(so_far->bytes_all - so_far->bytes) /
                    (double)so_far->bytes);
    fputs("\033[K", stderr);
}

/* ---- The end ---- */

static void say_warnings(const struct pm_stream_totals *totals)
{
    const char *separator = ": ";
    if (totals->warned == 0)
        return;
    fprintf(stderr, "plymark analyze: %" PRIu64 " positions are doubtful", totals->warned);
    for (unsigned bit = 1; bit != 0; bit <<= 1) {
        if ((totals->warnings & bit) == 0)
            continue;
        fprintf(stderr, "%s%s", separator, pm_fen_warning_text(bit));
        separator = "; ";
    }
    fputc('\n', stderr);
}

static void say_totals(const struct analyze_many_options *options,
                       const struct pm_stream_totals *totals)
{
    fprintf(stderr, "plymark analyze: %" PRIu64 " positions", totals->positions);
    if (options->where != NULL)
        fprintf(stderr, ", %" PRIu64 " passed", totals->passed);
    fprintf(stderr, ", %" PRIu64 " bad, %.3f s", totals->bad, totals->seconds);
    if (totals->seconds > 0)
        fprintf(stderr, ", %.0f positions/s", (double)totals->positions / totals->seconds);
    fprintf(stderr, ", %s, checksum %016" PRIx64 "\n", options->kernel->name, totals->checksum);
}

/* What is to be typed to have the rest. */
static void say_how_to_go_on(const struct pm_stream_config *config,
                             const struct pm_stream_totals *totals)
{
    fprintf(stderr, "plymark analyze: the rows before are whole; to go on: --start %" PRIu64,
            totals->next);
    for (int i = totals->file; i < config->file_count; i++)
        fprintf(stderr, " %s", config->files[i]);
    fputc('\n', stderr);
}

static int finish(const struct analyze_many_options *options, const struct pm_stream_config *config,
                  const struct pm_stream_totals *totals, enum pm_status status,
                  const struct pm_error *error)
{
    const int code = status == PM_OK ? CLI_EXIT_OK : cli_fail("analyze", error);
    if (status != PM_OK && totals->next > config->start)
        say_how_to_go_on(config, totals);
    say_warnings(totals);
    if (status == PM_OK || totals->positions > 0)
        say_totals(options, totals);
    return code;
}

static int run(const struct analyze_many_options *options, struct pm_stream_config *config)
{
    static char dash[] = "-";
    static char *const standard_input[] = {dash};
    struct output output = {0};
    struct pm_stream_totals totals;
    struct pm_error error = {0};
    config->kernel = options->kernel;
    config->files = options->file_count > 0 ? options->files : standard_input;
    config->file_count = options->file_count > 0 ? options->file_count : 1;
    config->input = options->input;
    config->start = options->start > 0 ? options->start : 1;
    config->format = options->format;
    config->names = !options->no_header && config->start == 1;
    config->skip_bad = options->skip_bad;
    config->pin = options->threads.pin;
    config->threads = options->threads.threads;
    config->stop = cli_catch_interrupt();
    config->write = write_rows;
    config->complain = say_bad_line;
    config->progress = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) ? show_progress : NULL;
    config->context = &output;
    const enum pm_status status = pm_stream_run(config, &totals, &error);
    clear_progress(&output);
    return finish(options, config, &totals, status, &error);
}

/* An error in an option's text: it names the column there. */
static int fail_option(const char *option, const struct pm_error *error)
{
    struct pm_error named;
    pm_fail(&named, error->status, "%s, %s", option, error->text);
    return cli_fail("analyze", &named);
}

int analyze_many(const struct analyze_many_options *options)
{
    struct pm_field_list fields;
    struct pm_where *where = NULL;
    struct pm_topology *topology = NULL;
    struct pm_error error;
    const char *const names = options->fields;
    if (names != NULL && (strcmp(names, "list") == 0 || strcmp(names, "help") == 0))
        return list_fields();
    if (names != NULL && pm_field_list_read(names, &fields, &error) != PM_OK)
        return fail_option("--fields", &error);
    if (options->where != NULL && pm_where_compile(options->where, &where, &error) != PM_OK)
        return fail_option("--where", &error);
    struct pm_stream_config config = {.fields = names != NULL ? &fields : NULL, .where = where};
    int code;
    if (pm_topology_open(&topology, &error) == PM_OK) {
        config.topology = topology;
        code = run(options, &config);
    } else {
        code = cli_fail("analyze", &error);
    }
    pm_topology_close(topology);
    pm_where_free(where);
    return code;
}
