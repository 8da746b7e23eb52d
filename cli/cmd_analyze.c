/* SPDX-License-Identifier: MIT */
/* `plymark analyze`: one position in full; files of positions are in cli/analyze_many.c. */
#include "analyze/position_report.h"
#include "analyze/svg.h"
#include "cli/analyze_many.h"
#include "cli/cli.h"
#include "core/fen.h"
#include "core/file.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "rules/pgn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SVG = 1024, KEY_FLIP };

struct analyze_options {
    struct cli_position position;
    struct cli_kernels kernels;
    struct analyze_many_options many;
    const char *moves; /* NULL: none */
    const char *svg;   /* NULL: none is drawn */
    bool flip;
};

/* One position is asked for, not files. */
static bool is_one(const struct analyze_options *options)
{
    return options->position.text != NULL || options->moves != NULL || options->svg != NULL;
}

static void check_one(const struct analyze_options *options, const struct argp_state *state)
{
    const struct analyze_many_options *many = &options->many;
    if (many->file_count != 0)
        cli_usage(state,
                  "unexpected \"%s\": -p, --moves and --svg are about one position, not "
                  "about files",
                  many->files[0]);
    if (many->fields != NULL || many->where != NULL || many->start != 0 || many->skip_bad ||
        many->no_header || many->input != PM_STREAM_BY_CONTENT)
        cli_usage(state,
                  "--fields, --where, --start, --input, --on-error and --no-header are about "
                  "files, not about one position");
    if (many->format == PM_FORMAT_CSV)
        cli_usage(state, "--format is csv: one position is told as text (the default) or json");
}

static void check_many(const struct analyze_options *options, const struct argp_state *state)
{
    if (options->position.options != 0)
        cli_usage(state, "--lenient and --chess960 go with -p: files are read so anyway");
    if (options->flip)
        cli_usage(state, "--flip goes with --svg FILE");
    if (options->many.file_count == 0 && options->many.fields == NULL && isatty(STDIN_FILENO))
        cli_usage(state, "what is to be analyzed: -p FEN, or files of positions");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct analyze_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->position;
        state->child_inputs[1] = &options->many;
        state->child_inputs[2] = &options->kernels;
        state->child_inputs[3] = &options->many.threads;
        return 0;
    case 'm':
        options->moves = argument;
        return 0;
    case KEY_SVG:
        options->svg = argument;
        return 0;
    case KEY_FLIP:
        options->flip = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->many.files = state->argv + state->next;
        options->many.file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (options->kernels.count > 1)
            cli_usage(state, "--kernel: one kernel answers, not several");
        if (is_one(options))
            check_one(options, state);
        else
            check_many(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct analyze_options *options)
{
    static const struct argp_option own_options[] = {
        {"moves", 'm', "MOVES", 0,
         "Play these from the position first: \"e4 e5\", \"e2e4 e7e5\", or move text of a PGN", 20},
        {"svg", KEY_SVG, "FILE", 0, "Draw the position too, last move and check marked", 20},
        {"flip", KEY_FLIP, NULL, 0, "Draw it with Black's side below", 20},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_position_argp, 0, NULL, 0}, {&analyze_many_argp, 0, NULL, 0},
        {&cli_kernels_argp, 0, NULL, 0},  {&cli_threads_argp, 0, NULL, 0},
        {&cli_common_argp, 0, NULL, 0},   {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "-p FEN|NAME\n[FILE...]",
        .doc = "Say what the rules say of one position, or of every position of files.\vFiles (or "
               "standard input) hold EPD or FEN lines or PGN games, and may be compressed with "
               "gzip or zstd. Values of exchanges are what the side that takes wins, in pawns, if "
               "both sides go on taking on that square as long as it pays.",
        .children = children,
    };
    cli_parse(&argp, argc, argv, options);
}

/* ---- One position ---- */

struct one {
    struct pm_view view;
    struct pm_position_report report;
};

static enum pm_status read_position(struct analyze_options *options, struct one *one,
                                    struct pm_error *error)
{
    struct cli_position *position = &options->position;
    const char *text = position->text == NULL ? "startpos" : position->text;
    enum pm_status status = pm_fen_read_named(text, position->options, &position->position,
                                              &one->report.warnings, error);
    if (status == PM_OK)
        status = pm_view_set(&one->view, &position->position, error);
    one->report.view = &one->view;
    one->report.chess960 = position->chess960 || !pm_position_is_standard(&position->position);
    return status;
}

static enum pm_status play(struct one *one, const struct pm_pgn_move *word, struct pm_error *error)
{
    struct pm_reported_move *last = &one->report.last_move;
    if (pm_san_read(&one->view, word->text, word->length, &last->move, error) != PM_SAN_OK)
        return PM_ERROR_ILLEGAL;
    pm_san_write(&one->view, &last->move, last->san);
    one->report.has_last_move = true;
    return pm_view_play(&one->view, last->move, error);
}

/* Commas may part moves too. */
static enum pm_status read_moves(const char *text, struct pm_pgn_game **game,
                                 struct pm_error *error)
{
    char *const words = strdup(text);
    if (words == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (char *at = words; (at = strchr(at, ',')) != NULL;)
        *at++ = ' ';
    const enum pm_status status = pm_pgn_read_moves("--moves", words, game, error);
    free(words);
    return status;
}

static enum pm_status play_moves(struct one *one, const char *text, struct pm_error *error)
{
    struct pm_pgn_game *game = NULL;
    enum pm_status status = read_moves(text, &game, error);
    for (size_t i = 0; status == PM_OK && i < game->move_count; i++) {
        struct pm_error why = {0};
        status = play(one, &game->moves[i], &why);
        if (status != PM_OK)
            pm_fail(error, status, "--moves, move %zu: %s", i + 1, why.text);
    }
    free(game);
    return status;
}

static enum pm_status draw(const struct analyze_options *options, const struct one *one,
                           struct pm_error *error)
{
    size_t size = 0;
    const struct pm_svg svg = {
        .position = &one->view.position,
        .attacks = &one->view.attacks,
        .last_move = one->report.has_last_move ? &one->report.last_move.move : NULL,
        .flip = options->flip,
    };
    char *text = pm_svg_write(&svg, &size);
    if (text == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const enum pm_status status = pm_file_write(options->svg, text, size, error);
    free(text);
    return status;
}

static enum pm_status report_one(struct analyze_options *options, struct one *one,
                                 struct pm_error *error)
{
    enum pm_status status = pm_view_open(&one->view, options->many.kernel, error);
    if (status == PM_OK)
        status = read_position(options, one, error);
    if (status == PM_OK && options->moves != NULL)
        status = play_moves(one, options->moves, error);
    if (status == PM_OK && options->svg != NULL)
        status = draw(options, one, error);
    if (status != PM_OK)
        return status;
    pm_position_report_make(&one->report);
    if (options->many.format == PM_FORMAT_JSON)
        return pm_position_report_write_json(&one->report, stdout, error);
    pm_position_report_write_text(&one->report, stdout);
    return PM_OK;
}

static int analyze_one(struct analyze_options *options)
{
    struct pm_error error = {0};
    struct one *one = calloc(1, sizeof *one);
    const enum pm_status status = one != NULL ? report_one(options, one, &error)
                                              : pm_fail(&error, PM_ERROR_MEMORY, "out of memory");
    if (one != NULL)
        pm_view_close(&one->view);
    free(one);
    return status == PM_OK ? CLI_EXIT_OK : cli_fail("analyze", &error);
}

int cli_analyze(int argc, char **argv)
{
    struct analyze_options options = {0};
    parse(argc, argv, &options);
    if (options.kernels.count == 0)
        options.kernels.kernels[options.kernels.count++] = pm_kernel_for_analysis();
    const int code = cli_kernels_ready(&options.kernels);
    if (code != CLI_EXIT_OK)
        return code;
    options.many.kernel = options.kernels.kernels[0];
    return is_one(&options) ? analyze_one(&options) : analyze_many(&options.many);
}
