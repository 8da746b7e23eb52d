/* SPDX-License-Identifier: MIT */
/* `plymark bench`: measures kernels side by side. */
#include "bench/ladder.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "bench/runs.h"
#include "cli/bench_workload.h"
#include "cli/cli.h"
#include "core/clock.h"
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
    KEY_COUNTERS,
    KEY_RUNS,
    KEY_DEPTH,
    KEY_LIKE,
    KEY_ONE_RUN,
    KEY_AGAINST,
    KEY_TARGET_ERROR,
    KEY_FAIL_IF_SLOWER
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
    int runs;
    double target, slower; /* parts of 1; 0: not asked for */
    const char *like, *against;
    bool one_run;     /* in this process; says nothing but what fails */
    char **arguments; /* all that this command was given */
    uint64_t start_ns;
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

/* "3%" or "3": a part of 1. */
static double read_percent(const struct argp_state *state, const char *what, const char *text)
{
    char *end;
    const double percent = strtod(text, &end);
    if (end == text || (*end != '\0' && strcmp(end, "%") != 0) || !(percent > 0 && percent < 100))
        cli_usage(state, "%s is \"%s\": a percentage over 0 and below 100 is needed", what, text);
    return percent / 100;
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

static void check_against(const struct bench_options *options, const struct argp_state *state)
{
    if (options->against == NULL && (options->target > 0 || options->slower > 0) &&
        !options->one_run)
        cli_usage(state, "--target-error and --fail-if-slower need --against PROGRAM");
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
            (int)cli_number(state, "--repeats", argument, 1, PM_RESULT_MAX_REPEATS);
        return 0;
    case KEY_RUNS:
        options->runs = (int)cli_number(state, "--runs", argument, 1, PM_RESULT_MAX_RUNS);
        return 0;
    case KEY_DEPTH:
        options->config.depth = (int)cli_number(state, "--depth", argument, 1, PM_BENCH_MAX_DEPTH);
        return 0;
    case KEY_LIKE:
        options->like = argument;
        return 0;
    case KEY_ONE_RUN:
        options->one_run = true;
        return 0;
    case KEY_AGAINST:
        options->against = argument;
        return 0;
    case KEY_TARGET_ERROR:
        options->target = read_percent(state, "--target-error", argument);
        return 0;
    case KEY_FAIL_IF_SLOWER:
        options->slower = read_percent(state, "--fail-if-slower", argument);
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
        check_against(options, state);
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
        {"runs", KEY_RUNS, "N", 0,
         "Runs, each a process of its own; intervals need 6 (default: 10)", 0},
        {"repeats", KEY_REPEATS, "N", 0,
         "Timed repeats of each measurement in a run, of which the shortest counts (default: 2)",
         0},
        {"time", KEY_TIME, "SECONDS", 0,
         "Begin no further run after so long (default: no limit; of a workload: 100)", 0},
        {"depth", KEY_DEPTH, "N", 0,
         "Plies to count (default: a standard depth for each mode and position)", 0},
        {"like", KEY_LIKE, "FILE", 0, "Count the same trees as the results there, as often", 0},
        {"against", KEY_AGAINST, "PROGRAM", 0,
         "Another build of plymark: both take turns, run by run, and are compared", 1},
        {"target-error", KEY_TARGET_ERROR, "PERCENT", 0,
         "With --against: end as soon as each interval is that narrow on either side", 1},
        {"fail-if-slower", KEY_FAIL_IF_SLOWER, "PERCENT", 0,
         "With --against: exit code 1 if this program is shown to be slower, and by that much", 1},
        {"one-run", KEY_ONE_RUN, NULL, OPTION_HIDDEN, NULL, 0},
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
    const double seconds = pm_clock_seconds_since(options->start_ns);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\rrun %d of %d, %.0f s", done + 1, all, seconds);
    if (done > 0)
        fprintf(stderr, ", about %.0f s left", seconds / done * (all - done));
    fputs("\033[K", stderr);
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

/* In this process, for another that started it. */
static enum pm_status measure_run(struct bench_options *options, struct pm_result **result,
                                  struct pm_error *error)
{
    struct pm_result *like = NULL;
    enum pm_status status = PM_OK;
    if (options->like != NULL)
        status = pm_result_read(options->like, &like, error);
    *result = pm_result_new();
    if (status == PM_OK && *result == NULL)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    if (status == PM_OK) {
        gather_environment(options, *result);
        choose_counters(options, *result);
        options->config.like = like;
        status = pm_measure(&options->config, *result, error);
    }
    pm_result_free(like);
    return status;
}

static void warn_of_noise(struct pm_result *result)
{
    struct pm_noise sum = {0};
    for (int i = 0; i < result->runs; i++) {
        sum.seconds += result->noise[i].seconds;
        sum.others_seconds += result->noise[i].others_seconds;
        sum.steal_seconds += result->noise[i].steal_seconds;
        sum.repeats += result->noise[i].repeats;
        sum.disturbed += result->noise[i].disturbed;
    }
    if (sum.others_seconds > 0.05 * sum.seconds)
        pm_result_warn(result, "other processes took the time of %.2f CPUs while it was measured",
                       sum.others_seconds / sum.seconds);
    if (sum.steal_seconds > 0.01 * sum.seconds)
        pm_result_warn(result, "the hypervisor took the time of %.2f CPUs while it was measured",
                       sum.steal_seconds / sum.seconds);
    if (sum.disturbed > 0)
        pm_result_warn(result, "%d of %d repeats had to wait for a CPU and were taken again",
                       sum.disturbed, sum.repeats);
}

/* Runs in processes of their own. */
static enum pm_status measure_runs(struct bench_options *options,
                                   struct pm_result *results[PM_RUNS_MAX_PROGRAMS],
                                   struct pm_error *error)
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return pm_fail(error, PM_ERROR_IO, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    const struct pm_runs_config config = {
        .programs = {self, options->against},
        .arguments = options->arguments,
        .runs = options->runs,
        .budget = options->config.budget,
        .target = options->target,
        .stop = options->config.stop,
        .progress = show_progress,
        .context = options,
    };
    options->start_ns = pm_clock_ns();
    const enum pm_status status = pm_runs_measure(&config, results, error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    for (int i = 0; i < PM_RUNS_MAX_PROGRAMS && status == PM_OK && results[i] != NULL; i++)
        warn_of_noise(results[i]);
    if (status == PM_OK)
        print_warnings(results[0], 0);
    return status;
}

static enum pm_status measure_workload(struct bench_options *options, struct pm_error *error)
{
    struct pm_result *about = pm_result_new();
    if (about == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    gather_environment(options, about);
    print_warnings(about, 0);
    const enum pm_status status =
        bench_workload(&options->config, &about->environment, options->pin, options->json, error);
    pm_result_free(about);
    return status;
}

static enum pm_status print_all(const struct bench_options *options,
                                struct pm_result *const results[PM_RUNS_MAX_PROGRAMS])
{
    enum pm_status status = PM_OK;
    if (options->against != NULL)
        pm_runs_print(stdout, results, options->against);
    else
        status = pm_report_print(stdout, results[0]);
    return status == PM_OK && options->ladder ? pm_ladder_print(stdout, results[0]) : status;
}

static enum pm_status measure_and_write(struct bench_options *options,
                                        struct pm_result *results[PM_RUNS_MAX_PROGRAMS],
                                        struct pm_error *error)
{
    enum pm_status status = options->one_run ? measure_run(options, &results[0], error)
                                             : measure_runs(options, results, error);
    if (status == PM_OK && options->json != NULL)
        status = pm_result_write(results[0], options->json, error);
    if (status == PM_OK && !options->one_run && print_all(options, results) != PM_OK)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    return status;
}

static int conclude(const struct bench_options *options,
                    struct pm_result *const results[PM_RUNS_MAX_PROGRAMS])
{
    if (pm_result_has_wrong_counts(results[0])) {
        if (!options->one_run)
            fputs("plymark bench: wrong counts: see the results; those kernels have no speed\n",
                  stderr);
        return CLI_EXIT_MISMATCH;
    }
    if (options->slower > 0 && !options->one_run && pm_runs_is_slower(results, options->slower)) {
        fprintf(stderr, "plymark bench: slower by %.1f %% or more: see the verdicts\n",
                options->slower * 100);
        return CLI_EXIT_MISMATCH;
    }
    return results[0]->is_partial && atomic_load(options->config.stop) ? CLI_EXIT_INTERRUPTED
                                                                       : CLI_EXIT_OK;
}

static int run(struct bench_options *options)
{
    struct pm_result *results[PM_RUNS_MAX_PROGRAMS] = {NULL, NULL};
    struct pm_topology *topology = NULL;
    struct pm_error error = {0};
    enum pm_status status = pm_topology_open(&topology, &error);
    options->config.topology = topology;
    if (status == PM_OK)
        resolve_threads(&options->config);
    if (status == PM_OK)
        status = options->analyze ? measure_workload(options, &error)
                                  : measure_and_write(options, results, &error);
    const int code = status != PM_OK    ? cli_fail("bench", &error)
                     : options->analyze ? CLI_EXIT_OK
                                        : conclude(options, results);
    for (int i = 0; i < PM_RUNS_MAX_PROGRAMS; i++)
        pm_result_free(results[i]);
    pm_topology_close(topology);
    return code;
}

int cli_bench(int argc, char **argv)
{
    struct bench_options options = {.pin = "core", .runs = 10};
    struct pm_error error;
    char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
    if (arguments == NULL)
        return CLI_EXIT_ENVIRONMENT;
    for (int i = 1; i < argc; i++) /* argp reorders, and lists are cut up */
        arguments[i - 1] = strdup(argv[i]);
    options.arguments = arguments;
    parse(argc, argv, &options);
    if (options.config.repeats == 0)
        options.config.repeats = options.analyze ? 5 : 2;
    if (options.analyze && options.config.budget == 0)
        options.config.budget = 100;
    int code = CLI_EXIT_OK;
    if (options.json != NULL && pm_file_check_writable(options.json, &error) != PM_OK)
        code = cli_fail("bench", &error);
    if (code == CLI_EXIT_OK)
        code = cli_kernels_ready(&options.kernels);
    options.config.kernels = options.kernels.kernels;
    options.config.kernel_count = options.kernels.count;
    if (options.config.mode_count == 0)
        add_offered_modes(&options.config);
    options.config.stop = cli_catch_interrupt();
    if (code == CLI_EXIT_OK)
        code = run(&options);
    for (int i = 0; i < argc; i++)
        free(arguments[i]);
    free(arguments);
    return code;
}
