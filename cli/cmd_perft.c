/* SPDX-License-Identifier: MIT */
/* `plymark perft` and `plymark divide`. */
#include "cli/cli.h"
#include "cli/perft_stats.h"
#include "core/memory.h"
#include "core/mode.h"
#include "core/move.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "perft/breakdown.h"
#include "perft/choose.h"
#include "perft/driver.h"
#include "perft/hashed.h"
#include "perft/unique_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_STATS = 256, KEY_HASH, KEY_KEY_BITS, KEY_DOUBLE_CHECK, KEY_MEMORY, KEY_EXACT };

#define MIN_KEY_BITS 4

#define MODE_NOT_GIVEN (-1)

struct perft_options {
    struct cli_kernels kernels;
    struct cli_position position;
    struct cli_threads threads;
    int depth;      /* -1 until given */
    int given_mode; /* enum pm_mode, PM_MODE_AUTO, or MODE_NOT_GIVEN */
    struct pm_choice choice;
    bool stats, divide;
    const char *hash_option; /* the first option given that needs mode hashed, or NULL */
    uint64_t hash_bytes;     /* 0: auto */
    unsigned key_bits;
    const char *unique_option; /* the same of mode unique */
    struct pm_unique_options unique;
    bool double_check;
};

static bool is_mode(int mode)
{
    return (mode >= PM_MODE_MAKE && mode < PM_MODE_COUNT) || mode == PM_MODE_AUTO;
}

static void parse_mode(struct perft_options *options, const char *argument,
                       const struct argp_state *state)
{
    options->given_mode =
        strcmp(argument, "auto") == 0 ? PM_MODE_AUTO : pm_mode_from_text(argument);
    if (!is_mode(options->given_mode))
        cli_usage(state,
                  "--mode is \"%s\": auto, make, bulk, lookahead, hashed or unique is needed",
                  argument);
}

static uint64_t read_size(const struct argp_state *state, const char *option, const char *argument)
{
    uint64_t bytes = 0;
    if (strcmp(argument, "auto") != 0 && (!pm_memory_from_text(argument, &bytes) || bytes == 0))
        cli_usage(state, "%s is \"%s\": auto, or a size such as 256M or 2G is needed", option,
                  argument);
    return bytes;
}

static error_t parse_mode_option(struct perft_options *options, int key, const char *argument,
                                 const struct argp_state *state)
{
    switch (key) {
    case KEY_HASH:
        options->hash_option = "--hash";
        options->hash_bytes = read_size(state, "--hash", argument);
        return 0;
    case KEY_KEY_BITS:
        options->hash_option = "--key-bits";
        options->key_bits =
            (unsigned)cli_number(state, "--key-bits", argument, MIN_KEY_BITS, PM_TABLE_CHECK_BITS);
        return 0;
    case KEY_MEMORY:
        options->unique_option = "--memory";
        options->unique.memory = read_size(state, "--memory", argument);
        return 0;
    case KEY_EXACT:
        options->unique_option = "--exact";
        options->unique.exact = true;
        return 0;
    case KEY_DOUBLE_CHECK:
        options->double_check = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check_options(const struct perft_options *options, struct argp_state *state)
{
    if (options->depth < 0)
        cli_usage(state, "the depth is missing: -d N");
    if (options->stats && (options->depth < 1 || options->depth > PM_BREAKDOWN_MAX_DEPTH))
        cli_usage(state, "--depth is %d: --stats needs 1 to %d", options->depth,
                  PM_BREAKDOWN_MAX_DEPTH);
    if (options->kernels.count > 1)
        cli_usage(state, "--kernel names %d kernels: one is needed; `plymark bench` compares",
                  options->kernels.count);
    if (options->hash_option != NULL && options->given_mode != PM_MODE_HASHED)
        cli_usage(state, "%s is for --mode hashed", options->hash_option);
    if (options->unique_option != NULL && options->given_mode != PM_MODE_UNIQUE)
        cli_usage(state, "%s is for --mode unique", options->unique_option);
    const bool has_keys =
        options->given_mode == PM_MODE_HASHED || options->given_mode == PM_MODE_UNIQUE;
    if (options->double_check && !has_keys)
        cli_usage(state, "--double-check is for --mode hashed and unique");
    if (options->stats && has_keys)
        cli_usage(state, "--stats looks at every move: --mode %s does not",
                  pm_mode_text((enum pm_mode)options->given_mode));
}

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
        parse_mode(options, argument, state);
        return 0;
    case KEY_STATS:
        options->stats = true;
        return 0;
    case ARGP_KEY_END:
        check_options(options, state);
        return 0;
    default:
        return parse_mode_option(options, key, argument, state);
    }
}

static void parse(const char *doc, int argc, char **argv, struct perft_options *options)
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
         "plies are counted together; hashed: positions that several lines lead to are counted "
         "once, with a transposition table; unique: the same by lists of distinct positions, ply "
         "for ply; auto: the fastest of bulk, lookahead and unique (default: auto; with -k: bulk)",
         0},
        {"hash", KEY_HASH, "SIZE|auto", 0,
         "Mode hashed: the size of the table, such as 256M or 2G (default: auto, by the number of "
         "positions expected)",
         0},
        {"memory", KEY_MEMORY, "SIZE|auto", 0,
         "Mode unique: the most to take, such as 500M or 4G (default: auto, a half of what is "
         "free)",
         0},
        {"exact", KEY_EXACT, NULL, 0,
         "Mode unique: compare whole positions, not hash keys of them: no doubt remains", 0},
        {"double-check", KEY_DOUBLE_CHECK, NULL, 0,
         "Modes hashed and unique: count again with independent hash keys, and compare", 0},
        {"key-bits", KEY_KEY_BITS, "N", 0,
         "Mode hashed: compare only so many bits of a key, to see errors", 0},
        {0},
    };
    const struct argp_child children[] = {{&cli_kernels_argp, 0, NULL, 0},
                                          {&cli_position_argp, 0, NULL, 0},
                                          {&cli_threads_argp, 0, NULL, 0},
                                          {&cli_common_argp, 0, NULL, 0},
                                          {0}};
    const struct argp argp = {.options = options->divide ? own_options + 1 : own_options,
                              .parser = parse_option,
                              .doc = doc,
                              .children = children};
    cli_parse(&argp, argc, argv, options);
}

static enum pm_castling_text castling_text(const struct perft_options *options)
{
    return options->position.chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET;
}

struct counted {
    struct pm_job_result job;
    struct pm_hashed_result hashed; /* of mode hashed */
    struct pm_unique_result unique; /* of mode unique */
};

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
    if (result->root_count == 0) { /* counted together */
        fputs("plymark: interrupted\n", stderr);
        return;
    }
    fprintf(stderr, "plymark: interrupted, root moves not finished:");
    for (unsigned i = 0; i < result->root_count; i++)
        if (!result->roots[i].complete)
            fprintf(stderr, " %s",
                    pm_move_to_text(&result->roots[i].move, castling_text(options), text));
    fputc('\n', stderr);
}

/* Auto is the default, but with a kernel that was named. */
static int mode_to_choose(const struct perft_options *options)
{
    if (options->given_mode != MODE_NOT_GIVEN)
        return options->given_mode;
    return options->kernels.count == 0 ? PM_MODE_AUTO : PM_MODE_BULK;
}

static enum pm_status choose(struct perft_options *options, int threads, struct pm_error *error)
{
    const struct pm_wish wish = {
        .kernel = options->kernels.count > 0 ? options->kernels.kernels[0] : NULL,
        .mode = mode_to_choose(options),
        .position = &options->position.position,
        .depth = options->depth,
        .threads = threads,
        .divide = options->divide,
    };
    return pm_choose(&wish, &options->choice, error);
}

static enum pm_status run_job(struct perft_options *options, struct pm_driver *driver,
                              struct pm_job *job, struct counted *counted, struct pm_error *error)
{
    const struct pm_hashed_job hashed = {
        .driver = driver,
        .job = job,
        .hash_bytes = options->hash_bytes,
        .check_bits = options->key_bits,
        .double_check = options->double_check,
    };
    options->unique.divide = options->divide;
    options->unique.double_check = options->double_check;
    job->kernel = options->choice.kernel;
    job->mode = options->choice.mode;
    if (options->choice.mode == PM_MODE_HASHED)
        return pm_hashed_run(&hashed, &counted->job, &counted->hashed, error);
    if (options->choice.mode == PM_MODE_UNIQUE)
        return pm_unique_job_run(driver, job, &options->unique, &counted->job, &counted->unique,
                                 error);
    return pm_driver_run(driver, job, &counted->job, error);
}

/* Everything from the topology to the count. */
static enum pm_status count_here(struct perft_options *options, struct counted *counted,
                                 struct pm_error *error)
{
    struct pm_topology *topology = NULL;
    struct pm_driver *driver = NULL;
    double shown = 0;
    enum pm_status status = pm_topology_open(&topology, error);
    const struct pm_driver_config config = {
        .topology = topology, .pin = options->threads.pin, .threads = options->threads.threads};
    struct pm_job job = {
        .position = &options->position.position,
        .depth = options->depth,
        .stop = cli_catch_interrupt(),
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .context = &shown,
    };
    if (status == PM_OK)
        status = choose(options, cli_threads_on(&options->threads, topology), error);
    if (status == PM_OK)
        status = pm_driver_open(&config, &driver, error);
    if (status == PM_OK)
        status = run_job(options, driver, &job, counted, error);
    clear_progress(shown);
    pm_driver_close(driver);
    pm_topology_close(topology);
    return status;
}

/* Returns an exit code after any message. */
static int count(const char *command, struct perft_options *options, struct counted *counted)
{
    struct pm_job_result *result = &counted->job;
    struct pm_error error = {0};
    int code = options->kernels.count > 0 ? cli_kernels_ready(&options->kernels) : CLI_EXIT_OK;
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(&options->position);
    if (code != CLI_EXIT_OK)
        return code;
    const enum pm_status status = count_here(options, counted, &error);
    qsort(result->roots, result->root_count, sizeof result->roots[0], compare_roots);
    if (status == PM_OK)
        return CLI_EXIT_OK;
    if (status != PM_ERROR_INTERRUPTED)
        return cli_fail(command, &error);
    say_unfinished(options, result);
    return CLI_EXIT_INTERRUPTED;
}

static void print_speed(const struct perft_options *options, const struct pm_job_result *result)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    fprintf(stderr, "%s, %s", options->choice.kernel->name, pm_mode_text(options->choice.mode));
    if (options->choice.reason[0] != '\0')
        fprintf(stderr, " (auto: %s)", options->choice.reason);
    fprintf(stderr, ": %s nodes in %.3f s\n", pm_count_to_grouped_text(result->nodes, nodes),
            result->seconds);
}

static void print_hash(const struct perft_options *options, const struct pm_hashed_result *hashed)
{
    const struct pm_table_use *use = &hashed->use;
    char size[PM_MEMORY_TEXT_SIZE], probes[PM_COUNT_TEXT_SIZE];
    fprintf(
        stderr,
        "hash table: %s, ready after %.2f s, %.1f %% full at the end; %s probes, %.1f %% hits\n",
        pm_memory_to_text(hashed->hash_bytes, size), hashed->touch_seconds, 100 * hashed->load,
        pm_count_to_grouped_text(use->probes, probes),
        use->probes > 0 ? 100 * (double)use->hits / (double)use->probes : 0.0);
    if (options->double_check)
        fputs("counted twice with independent keys: both counts agree\n", stderr);
    fprintf(stderr, "probability of a wrong count by colliding keys: at most %.1e\n",
            hashed->error_probability);
}

static void print_unique(const struct perft_options *options, const struct pm_unique_result *unique)
{
    char text[PM_COUNT_TEXT_SIZE], size[PM_MEMORY_TEXT_SIZE];
    if (unique->distinct_count > 0)
        fputs("distinct positions:", stderr);
    for (int ply = 0; ply < unique->distinct_count; ply++)
        fprintf(stderr, "%s %s", ply > 0 ? "," : "",
                pm_count_to_grouped_text(unique->distinct[ply], text));
    if (unique->distinct_count > 0)
        fprintf(stderr, " at plies 0 to %d\n", unique->distinct_count - 1);
    fprintf(stderr, "%s counts of two plies, %s of memory, threads idle for %.2f s\n",
            pm_count_to_grouped_text(unique->counted, text),
            pm_memory_to_text(unique->memory >> 20 << 20, size), unique->idle_seconds);
    if (options->double_check)
        fputs("counted twice with independent keys: both counts agree\n", stderr);
    if (options->unique.exact)
        fputs("whole positions were compared: no error by colliding keys is possible\n", stderr);
    else
        fprintf(stderr, "probability of a wrong count by colliding keys: at most %.1e\n",
                unique->error_probability);
}

static void print_roots(const struct perft_options *options, const struct pm_job_result *result)
{
    char text[PM_MOVE_TEXT_SIZE], nodes[PM_COUNT_TEXT_SIZE];
    for (unsigned i = 0; i < result->root_count; i++)
        printf("%s: %s\n", pm_move_to_text(&result->roots[i].move, castling_text(options), text),
               pm_count_to_text(result->roots[i].nodes, nodes));
    putchar('\n');
}

static int run_count(const char *command, struct perft_options *options)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    struct counted *counted = calloc(1, sizeof *counted);
    if (counted == NULL) {
        const struct pm_error error = {PM_ERROR_MEMORY, "out of memory"};
        return cli_fail(command, &error);
    }
    const int code = count(command, options, counted);
    if (code == CLI_EXIT_OK) {
        if (options->divide)
            print_roots(options, &counted->job);
        printf("Nodes searched: %s\n", pm_count_to_text(counted->job.nodes, nodes));
        print_speed(options, &counted->job);
        if (options->choice.mode == PM_MODE_HASHED)
            print_hash(options, &counted->hashed);
        if (options->choice.mode == PM_MODE_UNIQUE && options->depth >= PM_UNIQUE_MIN_DEPTH)
            print_unique(options, &counted->unique);
    }
    free(counted);
    return code;
}

static int run(const char *command, const char *doc, bool divide, int argc, char **argv)
{
    struct perft_options options = {.depth = -1,
                                    .given_mode = MODE_NOT_GIVEN,
                                    .divide = divide,
                                    .key_bits = PM_TABLE_CHECK_BITS};
    parse(doc, argc, argv, &options);
    if (options.stats && options.kernels.count == 0)
        options.kernels.kernels[options.kernels.count++] = pm_kernel_for_analysis();
    if (options.stats)
        return perft_stats(command, &options.kernels, &options.position, &options.threads,
                           options.depth);
    return run_count(command, &options);
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
