/* SPDX-License-Identifier: MIT */
/* `plymark bench`: measures kernels side by side. */
#include "bench/ladder.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "cli/bench_workload.h"
#include "cli/cli.h"
#include "core/file.h"
#include "core/mode.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_MODE = 256,
    KEY_PIN,
    KEY_REPEATS,
    KEY_TIME,
    KEY_JSON,
    KEY_POSITIONS,
    KEY_HOST_NAME,
    KEY_LADDER,
    KEY_WORKLOAD,
    KEY_COUNTERS
};

struct bench_options {
    struct cli_kernels kernels;
    struct pm_measure_config config;
    char *threads; /* as given; counts are made of it when --pin is known */
    const char *pin;
    const char *json;
    bool with_host_name;
    bool ladder;
    bool counters;
    bool analyze; /* the workload: positions in place of perft */
};

static void add_mode(struct bench_options *options, const char *text,
                     const struct argp_state *state)
{
    const int mode = pm_mode_from_text(text);
    if (mode < 0 || mode > PM_MODE_LOOKAHEAD)
        cli_usage(state, "--mode is \"%s\": make, bulk or lookahead is needed", text);
    for (int i = 0; i < options->config.mode_count; i++)
        if (options->config.modes[i] == (enum pm_mode)mode)
            return;
    options->config.modes[options->config.mode_count++] = (enum pm_mode)mode;
}

/* The default: every mode that some kernel offers. */
static void add_offered_modes(struct pm_measure_config *config)
{
    uint32_t offered = 0;
    for (int i = 0; i < config->kernel_count; i++)
        offered |= config->kernels[i]->capabilities;
    for (int mode = PM_MODE_MAKE; mode <= PM_MODE_LOOKAHEAD; mode++)
        if (offered & PM_CAN_MODE(mode))
            config->modes[config->mode_count++] = (enum pm_mode)mode;
}

static void add_position(struct bench_options *options, const char *name,
                         const struct argp_state *state)
{
    const int index = pm_bench_position_find(name);
    if (index < 0)
        cli_usage(state,
                  "--positions has \"%s\": startpos, kiwipete, cpw3, cpw4, cpw5 or cpw6 is needed",
                  name);
    for (int i = 0; i < options->config.position_count; i++)
        if (options->config.positions[i] == index)
            return;
    options->config.positions[options->config.position_count++] = index;
}

static void add_positions(struct bench_options *options, char *list, const struct argp_state *state)
{
    char *rest = list;
    for (char *name = strsep(&rest, ","); name != NULL; name = strsep(&rest, ","))
        add_position(options, name, state);
}

static double read_seconds(const struct argp_state *state, const char *text)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds > 0) || !(seconds <= 1e6))
        cli_usage(state, "--time is \"%s\": seconds over 0 up to 1000000 are needed", text);
    return seconds;
}

/* 0 stands for all that --pin gives; the same count is kept once. */
static void add_threads(struct bench_options *options, const char *text,
                        const struct argp_state *state)
{
    struct pm_measure_config *config = &options->config;
    const int count = strcmp(text, "all") == 0
                          ? 0
                          : (int)cli_number(state, "--threads", text, 1, PM_RESULT_MAX_THREADS);
    if (config->thread_count == PM_MEASURE_MAX_THREAD_COUNTS)
        cli_usage(state, "--threads has more than %d counts", PM_MEASURE_MAX_THREAD_COUNTS);
    config->threads[config->thread_count++] = count;
}

static void finish_options(struct bench_options *options, const struct argp_state *state)
{
    struct pm_measure_config *config = &options->config;
    char default_threads[] = "1,all";
    struct pm_error error;
    char *rest = options->threads != NULL ? options->threads : default_threads;
    for (char *text = strsep(&rest, ","); text != NULL; text = strsep(&rest, ","))
        add_threads(options, text, state);
    if (pm_pin_read(options->pin, &config->pin, &error) != PM_OK)
        cli_usage(state, "--pin: %s", error.text);
    if (config->position_count == 0)
        while (config->position_count < PM_BENCH_POSITION_COUNT) {
            config->positions[config->position_count] = config->position_count;
            config->position_count++;
        }
}

static void choose_workload(struct bench_options *options, const char *text,
                            const struct argp_state *state)
{
    if (strcmp(text, "analyze") != 0 && strcmp(text, "perft") != 0)
        cli_usage(state, "--workload is \"%s\": perft or analyze is needed", text);
    options->analyze = strcmp(text, "analyze") == 0;
}

static void check_workload(const struct bench_options *options, const struct argp_state *state)
{
    const struct pm_measure_config *config = &options->config;
    if (options->analyze && (config->mode_count > 0 || config->position_count > 0 ||
                             options->ladder || options->counters))
        cli_usage(state, "--mode, --positions, --ladder and --counters are about perft, not "
                         "--workload analyze");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct bench_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        return 0;
    case KEY_MODE:
        add_mode(options, argument, state);
        return 0;
    case 't':
        options->threads = argument;
        return 0;
    case KEY_PIN:
        options->pin = argument;
        return 0;
    case KEY_REPEATS:
        options->config.repeats =
            (int)cli_number(state, "--repeats", argument, PM_RESULT_MIN_REPEATS, PM_STATS_MAX);
        return 0;
    case KEY_TIME:
        options->config.budget = read_seconds(state, argument);
        return 0;
    case KEY_JSON:
        options->json = argument;
        return 0;
    case KEY_POSITIONS:
        add_positions(options, argument, state);
        return 0;
    case KEY_HOST_NAME:
        options->with_host_name = true;
        return 0;
    case KEY_LADDER:
        options->ladder = true;
        return 0;
    case KEY_COUNTERS:
        options->counters = true;
        return 0;
    case KEY_WORKLOAD:
        choose_workload(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_workload(options, state);
        finish_options(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct bench_options *options)
{
    static const struct argp_option own_options[] = {
        {"mode", KEY_MODE, "MODE", 0,
         "make, bulk or lookahead; may be repeated (default: those that the kernels offer)", 0},
        {"threads", 't', "LIST", 0,
         "Numbers of threads, each measured (all: as many as --pin has places; default: 1,all)", 0},
        {"pin", KEY_PIN, "POLICY", 0,
         "core, thread, none, or a CPU list such as 0,2,4-7 (default: core)", 0},
        {"repeats", KEY_REPEATS, "N", 0, "Timed repeats of each measurement (default: 5)", 0},
        {"time", KEY_TIME, "SECONDS", 0,
         "Time for the whole; depths and calls are chosen to fit it (default: 100)", 0},
        {"positions", KEY_POSITIONS, "LIST", 0,
         "Of startpos, kiwipete, cpw3, cpw4, cpw5, cpw6 (default: all)", 0},
        {"json", KEY_JSON, "FILE", 0, "Write the results there, for `plymark report`", 0},
        {"ladder", KEY_LADDER, NULL, 0,
         "Rank the kernels by the rating rule too: each two play a game on each position", 0},
        {"counters", KEY_COUNTERS, NULL, 0,
         "Cycles, instructions, branch and cache misses for each node too, where the system counts "
         "them, and nodes for each cycle",
         0},
        {"workload", KEY_WORKLOAD, "NAME", 0,
         "perft; or analyze: positions per second, over a fixed set (default: perft)", 0},
        {"host-name", KEY_HOST_NAME, NULL, 0, "Put the host's name into the results", 0},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_kernels_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .doc = "Measure nodes per second, kernels side by side; wrong counts get no speed.",
        .children = children};
    cli_parse(&argp, argc, argv, options);
}

static void show_progress(void *context, int done, int all)
{
    const struct bench_options *options = context;
    if (done == 0)
        fprintf(stderr, "plymark bench: this will take about %.0f s at most\n",
                pm_measure_estimate(&options->config));
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%3d %%  %s\033[K", 100 * done / all,
            done * 4 < all ? "checking and choosing depths" : "measuring");
}

/* Replaces "all" by its number and drops what is there twice. */
static void resolve_threads(struct pm_measure_config *config)
{
    int kept = 0;
    for (int i = 0; i < config->thread_count; i++) {
        const int count = config->threads[i] != 0
                              ? config->threads[i]
                              : pm_pin_default_threads(config->topology, &config->pin);
        bool is_new = true;
        for (int j = 0; j < kept; j++)
            is_new = is_new && config->threads[j] != count;
        if (is_new)
            config->threads[kept++] = count;
    }
    config->thread_count = kept;
}

static void gather_environment(const struct bench_options *options, struct pm_result *result)
{
    char warnings[PM_ENVIRONMENT_MAX_WARNINGS][160];
    int most_threads = 0;
    for (int i = 0; i < options->config.thread_count; i++)
        if (options->config.threads[i] > most_threads)
            most_threads = options->config.threads[i];
    pm_environment_gather(&result->environment, options->config.topology, options->with_host_name);
    const int count = pm_environment_warnings(&result->environment, most_threads, warnings);
    for (int i = 0; i < count; i++)
        pm_result_warn(result, "%s", warnings[i]);
    snprintf(result->pin, sizeof result->pin, "%s", options->pin);
}

/* Without counters the measuring goes on, and the result says why there are none. */
static void choose_counters(struct bench_options *options, struct pm_result *result)
{
    struct pm_error error;
    result->counters = options->counters;
    if (!options->counters)
        return;
    if (pm_counters_check(&pm_counter_source_system, &error) == PM_OK)
        options->config.counters = &pm_counter_source_system;
    else
        pm_result_warn(result, "--counters: %s", error.text);
}

/* Prints the warnings from number `first` on. */
static void print_warnings(const struct pm_result *result, int first)
{
    for (int i = first; i < result->warning_count; i++)
        fprintf(stderr, "plymark bench: warning: %s\n", result->warnings[i]);
}

static enum pm_status measure(struct bench_options *options, struct pm_result *result,
                              struct pm_error *error)
{
    struct pm_measure_config *config = &options->config;
    resolve_threads(config);
    gather_environment(options, result);
    choose_counters(options, result);
    const int early_warnings = result->warning_count;
    print_warnings(result, 0);
    config->progress = show_progress;
    config->context = options;
    const enum pm_status status = pm_measure(config, result, error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (status == PM_OK)
        print_warnings(result, early_warnings);
    return status;
}

static enum pm_status measure_workload(struct bench_options *options, struct pm_result *result,
                                       struct pm_error *error)
{
    resolve_threads(&options->config);
    gather_environment(options, result);
    print_warnings(result, 0);
    return bench_workload(&options->config, &result->environment, options->pin, options->json,
                          error);
}

static enum pm_status measure_and_write(struct bench_options *options, struct pm_result *result,
                                        struct pm_error *error)
{
    if (options->analyze)
        return measure_workload(options, result, error);
    enum pm_status status = measure(options, result, error);
    if (status == PM_OK && options->json != NULL)
        status = pm_result_write(result, options->json, error);
    if (status == PM_OK && (pm_report_print(stdout, result) != PM_OK ||
                            (options->ladder && pm_ladder_print(stdout, result) != PM_OK)))
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    return status;
}

int cli_bench(int argc, char **argv)
{
    struct bench_options options = {.pin = "core", .config = {.repeats = 5, .budget = 100}};
    struct pm_error error = {0};
    struct pm_topology *topology = NULL;
    struct pm_result *result = NULL;
    parse(argc, argv, &options);
    if (options.json != NULL && pm_file_check_writable(options.json, &error) != PM_OK)
        return cli_fail("bench", &error);
    int code = cli_kernels_ready(&options.kernels);
    if (code != CLI_EXIT_OK)
        return code;

    options.config.kernels = options.kernels.kernels;
    options.config.kernel_count = options.kernels.count;
    if (options.config.mode_count == 0)
        add_offered_modes(&options.config);
    options.config.stop = cli_catch_interrupt();
    enum pm_status status = pm_topology_open(&topology, &error);
    options.config.topology = topology;
    result = pm_result_new();
    if (status == PM_OK && result == NULL)
        status = pm_fail(&error, PM_ERROR_MEMORY, "out of memory");
    if (status == PM_OK)
        status = measure_and_write(&options, result, &error);
    if (status != PM_OK) {
        code = cli_fail("bench", &error);
    } else if (pm_result_has_wrong_counts(result)) {
        fputs("plymark bench: wrong counts: see the results; those kernels have no speed\n",
              stderr);
        code = CLI_EXIT_MISMATCH;
    }
    pm_result_free(result);
    pm_topology_close(topology);
    return code;
}
