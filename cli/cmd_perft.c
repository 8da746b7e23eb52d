/* SPDX-License-Identifier: MIT */
/* `plymark perft` and `plymark divide`. */
#include "bench/driver.h"
#include "cli/cli.h"
#include "core/mode.h"
#include "core/move.h"
#include "core/position.h"
#include "verify/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_STATS = 256 };

/* Beside the modes themselves. */
enum { MODE_NOT_GIVEN = -1, MODE_AUTO = PM_MODE_COUNT };

/* The driver counts below each root move apart, so that two plies are left from here on. */
#define LOOKAHEAD_MIN_DEPTH 3

struct perft_options {
    struct cli_kernels kernels;
    struct cli_position position;
    struct cli_threads threads;
    int depth; /* -1 until given */
    int given_mode;
    enum pm_mode mode;
    char reason[64]; /* why auto chose it; "" if it did not */
    bool stats;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct perft_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        state->child_inputs[1] = &options->position;
        state->child_inputs[2] = &options->threads;
        return 0;
    case 'd':
        options->depth = (int)cli_number(state, "--depth", argument, 0, PM_JOB_MAX_DEPTH);
        return 0;
    case 'm':
        options->given_mode =
            strcmp(argument, "auto") == 0 ? MODE_AUTO : pm_mode_from_text(argument);
        if (options->given_mode < 0 ||
            (options->given_mode > PM_MODE_LOOKAHEAD && options->given_mode != MODE_AUTO))
            cli_usage(state, "--mode is \"%s\": auto, make, bulk or lookahead is needed", argument);
        return 0;
    case KEY_STATS:
        options->stats = true;
        return 0;
    case ARGP_KEY_END:
        if (options->depth < 0)
            cli_usage(state, "the depth is missing: -d N");
        if (options->stats && (options->depth < 1 || options->depth > PM_STATISTICS_MAX_DEPTH))
            cli_usage(state, "--depth is %d: --stats needs 1 to %d", options->depth,
                      PM_STATISTICS_MAX_DEPTH);
        if (options->kernels.count > 1)
            cli_usage(state, "--kernel names %d kernels: one is needed; `plymark bench` compares",
                      options->kernels.count);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool offers(const struct pm_kernel *kernel, enum pm_mode mode)
{
    return (kernel->capabilities & PM_CAN_MODE(mode)) != 0;
}

/* The kernel that was given, or the default of the mode. */
static const struct pm_kernel *kernel_for(const struct perft_options *options, enum pm_mode mode)
{
    return options->kernels.count > 0 ? options->kernels.kernels[0] : cli_default_kernel(mode);
}

/* The fastest way of just counting: the last two plies together, else the last one. */
static void choose_fastest(struct perft_options *options)
{
    const bool is_deep = options->depth >= LOOKAHEAD_MIN_DEPTH;
    options->mode = is_deep ? PM_MODE_LOOKAHEAD : PM_MODE_BULK;
    while (options->mode > PM_MODE_MAKE &&
           !offers(kernel_for(options, options->mode), options->mode))
        options->mode--;
    if (!is_deep)
        snprintf(options->reason, sizeof options->reason, "lookahead begins at depth %d",
                 LOOKAHEAD_MIN_DEPTH);
    else if (options->mode == PM_MODE_LOOKAHEAD)
        snprintf(options->reason, sizeof options->reason,
                 "the last two plies are counted together");
    else if (options->kernels.count > 0)
        snprintf(options->reason, sizeof options->reason, "%s offers no lookahead",
                 options->kernels.kernels[0]->name);
    else
        snprintf(options->reason, sizeof options->reason, "no kernel here offers lookahead");
}

static void choose_mode(struct perft_options *options)
{
    const bool is_free = options->given_mode == MODE_NOT_GIVEN && options->kernels.count == 0;
    if (options->given_mode == MODE_AUTO || (is_free && !options->stats))
        choose_fastest(options);
    else if (options->given_mode != MODE_NOT_GIVEN)
        options->mode = (enum pm_mode)options->given_mode;
    options->kernels.kernels[0] = kernel_for(options, options->mode);
    options->kernels.count = 1;
}

static void parse(const char *doc, bool divide, int argc, char **argv,
                  struct perft_options *options)
{
    static const struct argp_option own_options[] = {
        /* the first is perft's alone */
        {"stats", KEY_STATS, NULL, 0,
         "Tell what kinds of moves lead to the leaves of each depth up to N; threads are not "
         "pinned",
         0},
        {"depth", 'd', "N", 0, "Plies to count", 0},
        {"mode", 'm', "MODE", 0,
         "make: every leaf is made; bulk: moves are counted at depth 1; lookahead: the last two "
         "plies are counted together; auto: the fastest of these (default: auto; with -k: bulk)",
         0},
        {0},
    };
    const struct argp_child children[] = {{&cli_kernels_argp, 0, NULL, 0},
                                          {&cli_position_argp, 0, NULL, 0},
                                          {&cli_threads_argp, 0, NULL, 0},
                                          {&cli_common_argp, 0, NULL, 0},
                                          {0}};
    const struct argp argp = {.options = divide ? own_options + 1 : own_options,
                              .parser = parse_option,
                              .doc = doc,
                              .children = children};
    cli_parse(&argp, argc, argv, options);
    choose_mode(options);
}

static enum pm_castling_text castling_text(const struct perft_options *options)
{
    return options->position.chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET;
}

/* The progress line, on stderr when it is a terminal, for runs of over 2 s. */

static void show_progress(void *context, const struct pm_progress *progress)
{
    double *shown = context;
    if (progress->seconds < 2 || progress->seconds - *shown < 0.2)
        return;
    *shown = progress->seconds;

    char nodes[PM_COUNT_TEXT_SIZE];
    const double left = progress->fraction > 0
                            ? progress->seconds * (1 - progress->fraction) / progress->fraction
                            : INFINITY;
    fprintf(stderr, "\r%5.1f %%  %s nodes  %.0f s", 100 * progress->fraction,
            pm_count_to_grouped_text(progress->nodes, nodes), progress->seconds);
    if (isfinite(left))
        fprintf(stderr, ", about %.0f s left", left);
    fputs("\033[K", stderr);
}

static void clear_progress(double shown)
{
    if (shown > 0)
        fputs("\r\033[K", stderr);
}

static int compare_roots(const void *a, const void *b)
{
    const struct pm_root_count *left = a, *right = b;
    return pm_move_compare(&left->move, &right->move);
}

static void say_unfinished(const struct perft_options *options, const struct pm_job_result *result)
{
    char text[PM_MOVE_TEXT_SIZE];
    fprintf(stderr, "plymark: interrupted, root moves not finished:");
    for (unsigned i = 0; i < result->root_count; i++)
        if (!result->roots[i].complete)
            fprintf(stderr, " %s",
                    pm_move_to_text(&result->roots[i].move, castling_text(options), text));
    fputc('\n', stderr);
}

/* Everything from the topology to the result; returns an exit code after any message. */
static int count(const char *command, struct perft_options *options, struct pm_job_result *result)
{
    struct pm_error error = {0};
    struct pm_topology *topology = NULL;
    struct pm_driver *driver = NULL;
    double shown = 0;
    int code = cli_kernels_ready(&options->kernels);
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(&options->position);
    if (code != CLI_EXIT_OK)
        return code;

    if (pm_topology_open(&topology, &error) == PM_OK) {
        const struct pm_driver_config config = {
            .topology = topology, .pin = options->threads.pin, .threads = options->threads.threads};
        if (pm_driver_open(&config, &driver, &error) == PM_OK) {
            const struct pm_job job = {
                .kernel = options->kernels.kernels[0],
                .position = &options->position.position,
                .depth = options->depth,
                .mode = options->mode,
                .stop = cli_catch_interrupt(),
                .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                .context = &shown,
            };
            pm_driver_run(driver, &job, result, &error);
            qsort(result->roots, result->root_count, sizeof result->roots[0], compare_roots);
            clear_progress(shown);
        }
    }
    if (error.status == PM_ERROR_INTERRUPTED) {
        say_unfinished(options, result);
        code = CLI_EXIT_INTERRUPTED;
    } else if (error.status != PM_OK) {
        code = cli_fail(command, &error);
    }
    pm_driver_close(driver);
    pm_topology_close(topology);
    return code;
}

static void print_speed(const struct perft_options *options, const struct pm_job_result *result)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    fprintf(stderr, "%s, %s", options->kernels.kernels[0]->name, pm_mode_text(options->mode));
    if (options->reason[0] != '\0')
        fprintf(stderr, " (auto: %s)", options->reason);
    fprintf(stderr, ": %s nodes in %.3f s\n", pm_count_to_grouped_text(result->nodes, nodes),
            result->seconds);
}

static void print_roots(const struct perft_options *options, const struct pm_job_result *result)
{
    char text[PM_MOVE_TEXT_SIZE], nodes[PM_COUNT_TEXT_SIZE];
    for (unsigned i = 0; i < result->root_count; i++)
        printf("%s: %s\n", pm_move_to_text(&result->roots[i].move, castling_text(options), text),
               pm_count_to_text(result->roots[i].nodes, nodes));
    putchar('\n');
}

static int run_count(const char *command, bool divide, struct perft_options *options)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    struct pm_job_result *result = calloc(1, sizeof *result);
    if (result == NULL) {
        const struct pm_error error = {PM_ERROR_MEMORY, "out of memory"};
        return cli_fail(command, &error);
    }
    const int code = count(command, options, result);
    if (code == CLI_EXIT_OK) {
        if (divide)
            print_roots(options, result);
        printf("Nodes searched: %s\n", pm_count_to_text(result->nodes, nodes));
        print_speed(options, result);
    }
    free(result);
    return code;
}

/* ---- --stats ---- */

enum { STATS_COLUMNS = 11 };

static void print_stats_row(int depth, const struct pm_statistics_row *row,
                            const int widths[STATS_COLUMNS])
{
    const uint64_t counts[STATS_COLUMNS] = {
        (uint64_t)depth,
        row->nodes,
        row->captures,
        row->en_passant,
        row->castles,
        row->promotions,
        pm_statistics_checks(row),
        row->checks[PM_CHECKERS_DISCOVERED],
        pm_statistics_double_checks(row),
        pm_statistics_mates(row),
        row->stalemates,
    };
    char text[PM_COUNT_TEXT_SIZE];
    for (int i = 0; i < STATS_COLUMNS; i++)
        printf("%*s%s", widths[i], pm_count_to_grouped_text(counts[i], text),
               i + 1 < STATS_COLUMNS ? "  " : "\n");
}

static void print_stats(const struct pm_statistics *statistics)
{
    static const char *const names[STATS_COLUMNS] = {
        "depth",  "nodes",     "captures", "e.p.",       "castles",   "promotions",
        "checks", "discovery", "double",   "checkmates", "stalemates"};
    const struct pm_statistics_row *last = &statistics->rows[statistics->depth - 1];
    char text[PM_COUNT_TEXT_SIZE];
    const int wide = (int)strlen(pm_count_to_grouped_text(last->nodes, text));
    int widths[STATS_COLUMNS];
    for (int i = 0; i < STATS_COLUMNS; i++) {
        widths[i] = (int)strlen(names[i]);
        if (i > 0 && widths[i] < wide)
            widths[i] = wide;
        printf("%*s%s", widths[i], names[i], i + 1 < STATS_COLUMNS ? "  " : "\n");
    }
    for (int depth = 1; depth <= statistics->depth; depth++)
        print_stats_row(depth, &statistics->rows[depth - 1], widths);
    puts(
        "\nOnly the last move counts. Captures include en passant and promotions with capture; "
        "each "
        "of the\nfour promotions is one. Checks, discovery and double checks include checkmates. "
        "Discovery: one\nchecker, not the man that moved. Double: two checkers. Other tables leave "
        "mates out of the last two.");
}

static int run_stats(const char *command, struct perft_options *options)
{
    struct pm_statistics statistics;
    struct pm_error error = {0};
    struct pm_statistics_config config = {.kernel = options->kernels.kernels[0],
                                          .stop = cli_catch_interrupt()};
    int code = cli_kernels_ready(&options->kernels);
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(&options->position);
    if (code != CLI_EXIT_OK)
        return code;
    if (cli_thread_count(&options->threads, &config.threads, &error) != PM_OK ||
        pm_statistics_count(&config, &options->position.position, options->depth, &statistics,
                            &error) != PM_OK)
        return cli_fail(command, &error);
    print_stats(&statistics);
    fprintf(stderr, "%s: %.3f s on %d thread%s\n", config.kernel->name, statistics.seconds,
            config.threads, config.threads == 1 ? "" : "s");
    return CLI_EXIT_OK;
}

static int run(const char *command, const char *doc, bool divide, int argc, char **argv)
{
    struct perft_options options = {
        .depth = -1, .given_mode = MODE_NOT_GIVEN, .mode = PM_MODE_BULK};
    parse(doc, divide, argc, argv, &options);
    return options.stats ? run_stats(command, &options) : run_count(command, divide, &options);
}

int cli_perft(int argc, char **argv)
{
    return run("perft", "Count the leaves of the move tree N plies deep.", false, argc, argv);
}

int cli_divide(int argc, char **argv)
{
    return run("divide", "Count the leaves below each root move, sorted, as engines print it.",
               true, argc, argv);
}
