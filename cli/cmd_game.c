/* SPDX-License-Identifier: MIT */
/* `plymark game`: games of PGN files replayed. Games are read one after another, replayed by
 * several threads a batch at a time, and told in the order in which they were read. */
#include "cli/cli.h"
#include "cli/game_print.h"
#include "cli/game_suite.h"
#include "core/clock.h"
#include "core/input.h"
#include "core/parallel.h"
#include "kernels/registry.h"
#include "rules/game.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const format_names[GAME_FORMAT_COUNT] = {"text", "json", "tsv"};

struct game_options {
    struct cli_kernels kernels;
    struct cli_threads threads;
    char *const *files;
    int file_count;
    enum game_format format;
    bool summary, stop_on_error;
    int suite_depth; /* 0: no suite */
};

/* ---- Options ---- */

enum { KEY_FORMAT = 256, KEY_SUMMARY, KEY_ON_ERROR, KEY_SUITE };

static void parse_format(const char *argument, struct game_options *options,
                         const struct argp_state *state)
{
    for (int i = 0; i < GAME_FORMAT_COUNT; i++) {
        if (strcmp(argument, format_names[i]) == 0) {
            options->format = (enum game_format)i;
            return;
        }
    }
    cli_usage(state, "--format is \"%s\": text, json or tsv is needed", argument);
}

static void check_options(const struct game_options *options, const struct argp_state *state)
{
    if (options->kernels.count > (options->suite_depth > 0 ? 2 : 1))
        cli_usage(state,
                  "--kernel names %d kernels: one is needed; with --perft-suite, a second one "
                  "counts again",
                  options->kernels.count);
    if (options->suite_depth > 0 && (options->summary || options->format != GAME_TEXT))
        cli_usage(state, "--perft-suite writes a suite in place of reports: it takes neither "
                         "--summary nor --format");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct game_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        state->child_inputs[1] = &options->threads;
        return 0;
    case KEY_FORMAT:
        parse_format(argument, options, state);
        return 0;
    case KEY_SUMMARY:
        options->summary = true;
        return 0;
    case KEY_ON_ERROR:
        if (strcmp(argument, "skip") != 0 && strcmp(argument, "stop") != 0)
            cli_usage(state, "--on-error is \"%s\": skip or stop is needed", argument);
        options->stop_on_error = strcmp(argument, "stop") == 0;
        return 0;
    case KEY_SUITE:
        options->suite_depth =
            (int)cli_number(state, "--perft-suite", argument, 1, PM_KERNEL_MAX_DEPTH);
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check_options(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct game_options *options)
{
    static const struct argp_option own_options[] = {
        {"format", KEY_FORMAT, "FORMAT", 0,
         "text; json: one object a line; tsv: one row a game (default: text)", 0},
        {"summary", KEY_SUMMARY, NULL, 0, "Only totals over all games", 0},
        {"on-error", KEY_ON_ERROR, "skip|stop", 0,
         "Pass over games that can't be read or have an illegal move, or stop at the first "
         "(default: skip)",
         0},
        {"perft-suite", KEY_SUITE, "N", 0,
         "Write no report but an EPD suite: each distinct position of the games with its counts "
         "D1 to DN, checked by a second kernel of -k, or to D2 by the reference",
         0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_kernels_argp, 0, NULL, 0},
                                                 {&cli_threads_argp, 0, NULL, 0},
                                                 {&cli_common_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "[FILE...]",
        .doc =
            "Replay the games of PGN files (.gz and .zst too; standard input without FILE or "
            "for -): name illegal and ambiguous moves, the verdict, whether the Result tag "
            "agrees, repetitions, claims that were possible, checks without end.\v"
            "Exit code 1: a game has an illegal move, a result that its tags or its last position "
            "contradict, or text that was passed over or may mean something else; 2 or 3: a game "
            "or a file could not be read.",
        .children = children};
    cli_parse(&argp, argc, argv, options);
    if (options->kernels.count == 0)
        options->kernels.kernels[options->kernels.count++] = pm_kernel_for_analysis();
}

/* ---- Games of many files ---- */

struct source {
    char *const *files;
    int file_count, next_file;
    struct pm_input *input;
    struct pm_pgn_reader *reader;
    char *notes; /* what is to be told before the next game, a line each; NULL: nothing */
};

static void close_file(struct source *source)
{
    pm_pgn_close(source->reader);
    pm_input_close(source->input);
    source->reader = NULL;
    source->input = NULL;
}

static enum pm_status open_next(struct source *source, struct pm_error *error)
{
    const enum pm_status status =
        pm_input_open(source->files[source->next_file++], &source->input, error);
    return status == PM_OK ? pm_pgn_open(source->input, &source->reader, error) : status;
}

/* Adds what the reader has to tell. */
static enum pm_status keep_notes(struct source *source, enum pm_status status,
                                 struct pm_error *error)
{
    const char *const notes = pm_pgn_notes(source->reader);
    char *joined = NULL;
    if (notes == NULL)
        return status;
    const char *const before = source->notes != NULL ? source->notes : "";
    if (asprintf(&joined, "%s%s\n", before, notes) < 0)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    free(source->notes);
    source->notes = joined;
    return status;
}

/* The next game of all; NULL at the end. PM_ERROR_PARSE: this game is bad. Any other error ends the
 * file. */
static enum pm_status next_game(struct source *source, const struct pm_pgn_game **game,
                                struct pm_error *error)
{
    enum pm_status status = PM_OK;
    *game = NULL;
    while (status == PM_OK && *game == NULL) {
        if (source->reader == NULL && source->next_file == source->file_count)
            return PM_OK;
        if (source->reader == NULL)
            status = open_next(source, error);
        if (status == PM_OK)
            status = keep_notes(source, pm_pgn_next(source->reader, game, error), error);
        if ((status == PM_OK && *game == NULL) || (status != PM_OK && status != PM_ERROR_PARSE))
            close_file(source);
    }
    return status;
}

/* ---- Batches ---- */

enum { BATCH_GAMES = 512, BATCH_MOVES = 100000 };

/* A game on its way through a thread. */
struct job {
    struct pm_pgn_game *game; /* NULL: it could not be read; `error` says why */
    char *file;
    char *notes; /* as in struct source */
    struct pm_error error;
    struct pm_pgn_fault fault_place; /* of a game that can't be read */
    char *report, *fault;            /* what is to be printed, or NULL */
    struct game_totals totals;
};

struct run {
    const struct game_options *options;
    struct source source;
    struct pm_game_player **players; /* one a thread */
    int threads;
    struct job jobs[BATCH_GAMES];
    struct game_totals totals;
    const atomic_bool *stop;
    int code;
};

static void free_job(struct job *job)
{
    free(job->game);
    free(job->file);
    free(job->notes);
    free(job->report);
    free(job->fault);
    *job = (struct job){0};
}

static void raise_code(struct run *run, int code)
{
    if (code > run->code)
        run->code = code;
}

static void out_of_memory(struct pm_error *error)
{
    pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}

/* Reads games for one batch; returns how many jobs there are, bad ones among them. */
static int read_batch(struct run *run)
{
    int count = 0;
    for (size_t moves = 0; count < BATCH_GAMES && moves < BATCH_MOVES && !*run->stop; count++) {
        struct job *job = &run->jobs[count];
        const struct pm_pgn_game *game;
        const enum pm_status status = next_game(&run->source, &game, &job->error);
        job->notes = run->source.notes;
        run->source.notes = NULL;
        if (status == PM_OK && game == NULL)
            return count + (job->notes != NULL);
        if (status != PM_OK && status != PM_ERROR_PARSE)
            continue;
        if (game != NULL)
            job->game = pm_pgn_copy(game);
        else
            job->fault_place = pm_pgn_last_fault(run->source.reader);
        job->file = strdup(pm_input_name(run->source.input));
        if ((game != NULL && job->game == NULL) || job->file == NULL)
            out_of_memory(&job->error);
        moves += game != NULL ? game->move_count : 0;
    }
    return count;
}

static char *describe_fault(const char *file, const struct pm_game_report *report)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s:", file);
    game_print_fault(out, report);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static char *describe(const struct run *run, const char *file, const struct pm_game_report *report,
                      const struct pm_history *history, struct pm_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        out_of_memory(error);
        return NULL;
    }
    if (game_print(out, run->options->format, file, report, history) != PM_OK)
        out_of_memory(error);
    if (fclose(out) != 0)
        out_of_memory(error);
    return text;
}

static void replay(const struct run *run, struct pm_game_player *player, struct job *job)
{
    struct pm_game_report report;
    if (job->error.status != PM_OK || job->game == NULL ||
        pm_game_replay(player, job->game, &report, &job->error) != PM_OK)
        return;
    game_totals_add(&job->totals, &report);
    if (report.fault != PM_GAME_FINE)
        job->fault = describe_fault(job->file, &report);
    if (report.fault != PM_GAME_FINE && job->fault == NULL)
        out_of_memory(&job->error);
    if (!run->options->summary)
        job->report = describe(run, job->file, &report, pm_game_history(player), &job->error);
}

static void add_totals(struct game_totals *sum, const struct game_totals *part)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)part;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

/* A game or a file that can't be read does not keep the others from being told. */
static bool is_passed_over(const struct run *run, enum pm_status status)
{
    return !run->options->stop_on_error &&
           (status == PM_ERROR_PARSE || status == PM_ERROR_IO || status == PM_ERROR_ARGUMENT);
}

static void tell_notes(struct run *run, const char *notes)
{
    while (notes != NULL && *notes != '\0') {
        const int length = (int)strcspn(notes, "\n");
        fprintf(stderr, "plymark game: %.*s\n", length, notes);
        notes += length + 1;
        raise_code(run, CLI_EXIT_MISMATCH);
    }
}

/* A game or a file that can't be read. */
static bool tell_error(struct run *run, const struct job *job)
{
    const enum pm_status status = job->error.status;
    run->totals.unreadable += status == PM_ERROR_PARSE;
    if (status == PM_ERROR_PARSE && job->fault_place.index > 0 && !run->options->summary &&
        game_print_unreadable(stdout, run->options->format, job->file, &job->fault_place,
                              job->error.text) != PM_OK)
        raise_code(run, CLI_EXIT_ENVIRONMENT);
    raise_code(run, cli_fail("game", &job->error));
    return is_passed_over(run, status);
}

/* Prints one job; false if the run is to end. */
static bool tell(struct run *run, struct job *job)
{
    tell_notes(run, job->notes);
    if (job->error.status != PM_OK)
        return tell_error(run, job);
    if (job->report != NULL)
        fputs(job->report, stdout);
    add_totals(&run->totals, &job->totals);
    if (job->totals.contradictory != 0)
        raise_code(run, CLI_EXIT_MISMATCH);
    if (job->fault == NULL)
        return true;
    fprintf(stderr, "plymark game: %s\n", job->fault);
    raise_code(run, CLI_EXIT_MISMATCH);
    return !run->options->stop_on_error;
}

static bool replay_one(void *context, size_t index, int thread)
{
    struct run *run = context;
    replay(run, run->players[thread], &run->jobs[index]);
    return true;
}

static void report_all(struct run *run)
{
    bool goes_on = true;
    if (!run->options->summary)
        game_print_header(stdout, run->options->format);
    while (goes_on && !*run->stop) {
        const int count = read_batch(run);
        pm_parallel_for((size_t)count, run->threads, replay_one, run);
        goes_on = count > 0;
        for (int i = 0; i < count; i++) {
            goes_on = goes_on && tell(run, &run->jobs[i]);
            free_job(&run->jobs[i]);
        }
    }
    if (run->options->summary &&
        game_totals_print(stdout, run->options->format, &run->totals) != PM_OK)
        raise_code(run, CLI_EXIT_ENVIRONMENT);
}

/* ---- Suites ---- */

/* One game into the suite; false if the run is to end. */
static bool feed(struct run *run, struct game_suite *suite, const struct pm_pgn_game *game)
{
    struct pm_error error;
    struct pm_game_report report;
    const char *file = pm_input_name(run->source.input);
    if (pm_game_replay(run->players[0], game, &report, &error) != PM_OK) {
        raise_code(run, cli_fail("game", &error));
        return false;
    }
    game_totals_add(&run->totals, &report);
    if (report.fault != PM_GAME_FINE) {
        fprintf(stderr, "plymark game: %s:", file);
        game_print_fault(stderr, &report);
        fputc('\n', stderr);
        raise_code(run, CLI_EXIT_MISMATCH);
        if (run->options->stop_on_error)
            return false;
    }
    if (report.fault != PM_GAME_FINE && report.fault_move == NULL)
        return true;
    if (game_suite_add(suite, pm_game_history(run->players[0]), stdout, &error) == PM_OK)
        return true;
    raise_code(run, cli_fail("game", &error));
    return false;
}

static bool feed_all(struct run *run, struct game_suite *suite)
{
    while (!*run->stop) {
        const struct pm_pgn_game *game;
        struct pm_error error;
        const enum pm_status status = next_game(&run->source, &game, &error);
        tell_notes(run, run->source.notes);
        free(run->source.notes);
        run->source.notes = NULL;
        if (status != PM_OK) {
            run->totals.unreadable += status == PM_ERROR_PARSE;
            raise_code(run, cli_fail("game", &error));
            if (!is_passed_over(run, status))
                return false;
        } else if (game == NULL) {
            return true;
        } else if (!feed(run, suite, game)) {
            return false;
        }
    }
    return false;
}

static void write_suite(struct run *run)
{
    struct pm_error error;
    const struct pm_kernel *const *kernels = run->options->kernels.kernels;
    const struct game_suite_config config = {
        .kernel = kernels[0],
        .witness = run->options->kernels.count > 1 ? kernels[1] : NULL,
        .reference = pm_kernels_reference(),
        .depth = run->options->suite_depth,
        .threads = run->threads,
    };
    struct game_suite *suite = config.reference != NULL ? game_suite_create(&config) : NULL;
    if (suite == NULL) {
        out_of_memory(&error);
        raise_code(run, cli_fail("game", &error));
        return;
    }
    printf("# source: positions of games, counted by %s, checked by %s\n", config.kernel->name,
           config.witness != NULL ? config.witness->name : "the reference to depth 2");
    if (feed_all(run, suite) && game_suite_finish(suite, stdout, &error) != PM_OK)
        raise_code(run, cli_fail("game", &error));
    fprintf(stderr, "%zu distinct positions\n", game_suite_positions(suite));
    game_suite_destroy(suite);
}

/* ---- The run ---- */

static enum pm_status open_players(struct run *run, struct pm_error *error)
{
    enum pm_status status = cli_thread_count(&run->options->threads, &run->threads, error);
    if (status != PM_OK)
        return status;
    run->players = calloc((size_t)run->threads, sizeof(struct pm_game_player *));
    if (run->players == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < run->threads && status == PM_OK; i++)
        status = pm_game_player_create(run->options->kernels.kernels[0], &run->players[i], error);
    return status;
}

static void close_players(struct run *run)
{
    for (int i = 0; run->players != NULL && i < run->threads; i++)
        pm_game_player_destroy(run->players[i]);
    free(run->players);
}

static void say_speed(const struct run *run, double seconds)
{
    fprintf(stderr,
            "%s: %" PRIu64 " games, %" PRIu64 " plies in %.3f s, %.0f games/s on %d thread%s\n",
            run->options->kernels.kernels[0]->name, run->totals.games, run->totals.plies, seconds,
            seconds > 0 ? (double)run->totals.games / seconds : 0, run->threads,
            run->threads == 1 ? "" : "s");
}

static void work(struct run *run)
{
    struct pm_error error;
    const uint64_t start = pm_clock_ns();
    if (open_players(run, &error) != PM_OK) {
        raise_code(run, cli_fail("game", &error));
        return;
    }
    if (run->options->suite_depth > 0)
        write_suite(run);
    else
        report_all(run);
    if (*run->stop)
        run->code = CLI_EXIT_INTERRUPTED;
    say_speed(run, pm_clock_seconds_since(start));
}

int cli_game(int argc, char **argv)
{
    static char standard_input[] = "-";
    static char *const no_files[] = {standard_input};
    struct game_options options = {.threads = {.threads = 1}};
    parse(argc, argv, &options);
    if (options.file_count == 0) {
        options.files = no_files;
        options.file_count = 1;
    }
    const int ready = cli_kernels_ready(&options.kernels);
    struct run *run = calloc(1, sizeof *run);
    if (ready != CLI_EXIT_OK || run == NULL) {
        free(run);
        return ready != CLI_EXIT_OK ? ready : CLI_EXIT_ENVIRONMENT;
    }
    run->options = &options;
    run->source.files = options.files;
    run->source.file_count = options.file_count;
    run->stop = cli_catch_interrupt();
    work(run);
    close_file(&run->source);
    free(run->source.notes);
    close_players(run);
    const int code = run->code;
    free(run);
    return code;
}
