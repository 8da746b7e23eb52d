/* SPDX-License-Identifier: MIT */
/* `plymark micro`: times single kernel functions with Google Benchmark. Each is checked first; what
 * is wrong gets no time. */
#include "bench/gbench_shim.h"
#include "bench/positions.h"
#include "cli/cli.h"
#include "cli/micro_sliders.h"
#include "core/fen.h"
#include "core/file.h"
#include "core/position.h"
#include "core/state.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERFT_DEPTH = 3, MAX_FILTER = 1000 };

enum operation { LEGAL_MOVES, PLAY, SET_POSITION, PERFT_MAKE, PERFT_BULK, OPERATION_COUNT };

static const char *const operation_names[OPERATION_COUNT] = {[LEGAL_MOVES] = "legal_moves",
                                                             [PLAY] = "play",
                                                             [SET_POSITION] = "set_position",
                                                             [PERFT_MAKE] = "perft3_make",
                                                             [PERFT_BULK] = "perft3_bulk"};

static const char *const position_names[] = {"startpos", "kiwipete", "cpw3"};
enum { POSITION_COUNT = sizeof position_names / sizeof position_names[0] };

struct micro_options {
    struct cli_kernels kernels;
    const char *filter;
    const char *json;
    double min_seconds;
    bool with_host_name;
    bool sliders; /* sliding-attack techniques instead of kernels */
};

/* One kernel on one position: what the benchmarks get as context. */
struct subject {
    const struct pm_kernel *kernel;
    const struct pm_bench_position *known;
    struct pm_position position;
    void *state;   /* at the position */
    void *scratch; /* another state */
    struct pm_move moves[PM_MAX_MOVES];
    unsigned move_count;
};

/* The benchmarks. */

static void time_legal_moves(struct pm_gbench_state *state, void *context)
{
    const struct subject *subject = context;
    struct pm_move moves[PM_MAX_MOVES];
    double total = 0;
    while (pm_gbench_keep_running(state)) {
        unsigned count = 0;
        subject->kernel->legal_moves(subject->state, moves, &count);
        total += count;
    }
    pm_gbench_set_rate(state, "moves", total);
}

/* With the copy of the state, as a caller without undo needs it. */
static void time_play(struct pm_gbench_state *state, void *context)
{
    const struct subject *subject = context;
    double total = 0;
    while (pm_gbench_keep_running_batch(state, subject->move_count)) {
        for (unsigned i = 0; i < subject->move_count; i++) {
            memcpy(subject->scratch, subject->state, subject->kernel->state_size);
            subject->kernel->play(subject->scratch, &subject->moves[i]);
        }
        total += subject->move_count;
    }
    pm_gbench_set_rate(state, "moves", total);
}

static void time_set_position(struct pm_gbench_state *state, void *context)
{
    const struct subject *subject = context;
    double total = 0;
    while (pm_gbench_keep_running(state)) {
        subject->kernel->set_position(subject->scratch, &subject->position);
        total++;
    }
    pm_gbench_set_rate(state, "positions", total);
}

static void time_perft(struct pm_gbench_state *state, const struct subject *subject,
                       enum pm_mode mode)
{
    double total = 0;
    while (pm_gbench_keep_running(state)) {
        uint64_t nodes = 0;
        subject->kernel->perft(subject->state, PERFT_DEPTH, mode, &nodes);
        total += (double)nodes;
    }
    pm_gbench_set_rate(state, "nodes", total);
}

static void time_perft_make(struct pm_gbench_state *state, void *context)
{
    time_perft(state, context, PM_MODE_MAKE);
}

static void time_perft_bulk(struct pm_gbench_state *state, void *context)
{
    time_perft(state, context, PM_MODE_BULK);
}

static const pm_gbench_function operation_functions[OPERATION_COUNT] = {
    [LEGAL_MOVES] = time_legal_moves,   [PLAY] = time_play,
    [SET_POSITION] = time_set_position, [PERFT_MAKE] = time_perft_make,
    [PERFT_BULK] = time_perft_bulk,
};

/* The checks. */

static bool check_legal_moves(const struct subject *subject)
{
    return subject->move_count == subject->known->nodes[1];
}

/* The positions after all moves have as many moves as perft(2) says. */
static bool check_play(const struct subject *subject)
{
    struct pm_move moves[PM_MAX_MOVES];
    uint64_t nodes = 0;
    for (unsigned i = 0; i < subject->move_count; i++) {
        unsigned count;
        memcpy(subject->scratch, subject->state, subject->kernel->state_size);
        if (subject->kernel->play(subject->scratch, &subject->moves[i]) != PM_OK ||
            subject->kernel->legal_moves(subject->scratch, moves, &count) != PM_OK)
            return false;
        nodes += count;
    }
    return nodes == subject->known->nodes[2];
}

static bool check_set_position(const struct subject *subject)
{
    struct pm_position seen;
    struct pm_position expected = subject->position;
    if (subject->kernel->get_position(subject->state, &seen) != PM_OK)
        return false;
    if (!(subject->kernel->capabilities & PM_CAN_CLOCKS)) {
        expected.halfmove_clock = 0;
        expected.fullmove_number = 1;
    }
    pm_position_canonicalize(&seen);
    pm_position_canonicalize(&expected);
    return pm_position_equal(&seen, &expected);
}

static bool check_perft(const struct subject *subject, enum pm_mode mode)
{
    uint64_t nodes;
    return subject->kernel->perft(subject->state, PERFT_DEPTH, mode, &nodes) == PM_OK &&
           nodes == subject->known->nodes[PERFT_DEPTH];
}

static bool check(const struct subject *subject, enum operation operation)
{
    switch (operation) {
    case LEGAL_MOVES:
        return check_legal_moves(subject);
    case PLAY:
        return check_play(subject);
    case SET_POSITION:
        return check_set_position(subject);
    case PERFT_MAKE:
        return check_perft(subject, PM_MODE_MAKE);
    default:
        return check_perft(subject, PM_MODE_BULK);
    }
}

static bool is_offered(const struct pm_kernel *kernel, enum operation operation)
{
    if (operation == PERFT_MAKE)
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_MAKE)) != 0;
    if (operation == PERFT_BULK)
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)) != 0;
    return true;
}

static enum pm_status prepare(struct subject *subject, const struct pm_kernel *kernel,
                              const char *position_name, struct pm_error *error)
{
    subject->kernel = kernel;
    subject->known = &pm_bench_positions[pm_bench_position_find(position_name)];
    subject->state = pm_new_state(kernel);
    subject->scratch = pm_new_state(kernel);
    if (subject->state == NULL || subject->scratch == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const enum pm_status status =
        pm_fen_read_named(position_name, 0, &subject->position, NULL, error);
    if (status != PM_OK)
        return status;
    if (kernel->set_position(subject->state, &subject->position) != PM_OK ||
        kernel->legal_moves(subject->state, subject->moves, &subject->move_count) != PM_OK)
        return pm_fail(error, PM_ERROR_MISMATCH, "%s refuses %s", kernel->name, position_name);
    return PM_OK;
}

/* Registers an operation that is right; *is_right becomes false, and a line is printed, if it is
 * not. */
static enum pm_status check_and_register(struct subject *subject, enum operation operation,
                                         bool *is_right, struct pm_error *error)
{
    char name[96];
    if (!is_offered(subject->kernel, operation))
        return PM_OK;
    snprintf(name, sizeof name, "%s/%s/%s", operation_names[operation], subject->kernel->name,
             subject->known->name);
    if (check(subject, operation))
        return pm_gbench_register(name, operation_functions[operation], subject, error);
    fprintf(stderr, "plymark micro: %s is wrong and not timed\n", name);
    *is_right = false;
    return PM_OK;
}

static const char build_type[] = "library_build_type";
#ifdef NDEBUG
static const char own_build_type[] = "release";
#else
static const char own_build_type[] = "debug";
#endif

static enum pm_status write_json(const struct micro_options *options, const char *text,
                                 struct pm_error *error)
{
    json_t *root = json_loads(text, 0, NULL);
    json_t *context = json_object_get(root, "context");
    /* As in results of `plymark bench` it is this program's build; the other is the library's. */
    json_object_set(context, "benchmark_build_type", json_object_get(context, build_type));
    json_object_set_new(context, build_type, json_string(own_build_type));
    if (!options->with_host_name)
        json_object_del(context, "host_name");
    char *json = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    if (json == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", options->json);
    const size_t length = strlen(json);
    json[length] = '\n';
    const enum pm_status status = pm_file_write(options->json, json, length + 1, error);
    free(json);
    return status;
}

static enum pm_status run_benchmarks(const struct micro_options *options, struct pm_error *error)
{
    const struct pm_gbench_options run_options = {
        .filter = options->filter, .min_seconds = options->min_seconds, .out = stdout};
    struct pm_gbench_outcome outcome;
    enum pm_status status = pm_gbench_run(&run_options, &outcome, error);
    if (status != PM_OK)
        return status;
    if (options->json != NULL)
        status = write_json(options, outcome.json, error);
    free(outcome.json);
    return status;
}

static enum pm_status add_revisions(const struct cli_kernels *kernels, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < kernels->count && status == PM_OK; i++) {
        char key[96];
        snprintf(key, sizeof key, "revision of %s", kernels->kernels[i]->name);
        status = pm_gbench_add_context(key, kernels->kernels[i]->revision, error);
    }
    return status;
}

static enum pm_status prepare_all(const struct cli_kernels *kernels, struct subject *subjects,
                                  struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < kernels->count * POSITION_COUNT && status == PM_OK; i++)
        status = prepare(&subjects[i], kernels->kernels[i % kernels->count],
                         position_names[i / kernels->count], error);
    return status;
}

/* *is_right becomes false when something was wrong, and was left out. */
static enum pm_status run(const struct micro_options *options, struct subject *subjects,
                          bool *is_right, struct pm_error *error)
{
    const int count = options->kernels.count * POSITION_COUNT;
    enum pm_status status = add_revisions(&options->kernels, error);
    if (status == PM_OK)
        status = prepare_all(&options->kernels, subjects, error);
    for (int i = 0; i < OPERATION_COUNT * count && status == PM_OK; i++)
        status =
            check_and_register(&subjects[i % count], (enum operation)(i / count), is_right, error);
    if (status == PM_OK)
        status = run_benchmarks(options, error);
    pm_gbench_clear();
    for (int i = 0; i < count; i++) {
        free(subjects[i].state);
        free(subjects[i].scratch);
    }
    return status;
}

static enum pm_status run_sliders(const struct micro_options *options, bool *is_right,
                                  struct pm_error *error)
{
    enum pm_status status = cli_micro_add_sliders(is_right, error);
    if (status == PM_OK)
        status = run_benchmarks(options, error);
    pm_gbench_clear();
    return status;
}

static enum pm_status run_kernels(const struct micro_options *options, bool *is_right,
                                  struct pm_error *error)
{
    struct subject *subjects =
        calloc((size_t)options->kernels.count * POSITION_COUNT, sizeof *subjects);
    if (subjects == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const enum pm_status status = run(options, subjects, is_right, error);
    free(subjects);
    return status;
}

/* Options. */

enum { KEY_FILTER = 256, KEY_JSON, KEY_MIN_TIME, KEY_HOST_NAME, KEY_SLIDERS };

static double read_seconds(const struct argp_state *state, const char *text)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds > 0) || !(seconds <= 3600))
        cli_usage(state, "--min-time is \"%s\": seconds over 0 up to 3600 are needed", text);
    return seconds;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct micro_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        return 0;
    case KEY_FILTER: /* the matcher calls itself for each letter */
        if (strlen(argument) > MAX_FILTER)
            cli_usage(state, "--filter has %zu letters: %d are the most", strlen(argument),
                      MAX_FILTER);
        options->filter = argument;
        return 0;
    case KEY_JSON:
        options->json = argument;
        return 0;
    case KEY_MIN_TIME:
        options->min_seconds = read_seconds(state, argument);
        return 0;
    case KEY_HOST_NAME:
        options->with_host_name = true;
        return 0;
    case KEY_SLIDERS:
        options->sliders = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct micro_options *options)
{
    static const struct argp_option own_options[] = {
        {"filter", KEY_FILTER, "REGEX", 0, "Only names that match, such as ^play/pext", 0},
        {"min-time", KEY_MIN_TIME, "SECONDS", 0, "For each measurement (default: 0.1)", 0},
        {"json", KEY_JSON, "FILE", 0, "Write Google Benchmark's JSON there", 0},
        {"host-name", KEY_HOST_NAME, NULL, 0, "Put the host's name into the JSON", 0},
        {"sliders", KEY_SLIDERS, NULL, 0,
         "Time queen look-ups of each sliding-attack technique instead of kernels", 0},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_kernels_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = own_options,
                              .parser = parse_option,
                              .doc = "Time legal_moves, play, set_position and perft(3) of each "
                                     "kernel on one thread, with rates per second.",
                              .children = children};
    cli_parse(&argp, argc, argv, options);
}

int cli_micro(int argc, char **argv)
{
    struct micro_options options = {.min_seconds = 0.1};
    struct pm_error error = {0};
    bool is_right = true;
    parse(argc, argv, &options);
    if (options.json != NULL && pm_file_check_writable(options.json, &error) != PM_OK)
        return cli_fail("micro", &error);
    if (!options.sliders) {
        const int code = cli_kernels_ready(&options.kernels);
        if (code != CLI_EXIT_OK)
            return code;
    }
    const enum pm_status status = options.sliders ? run_sliders(&options, &is_right, &error)
                                                  : run_kernels(&options, &is_right, &error);
    if (status != PM_OK)
        return cli_fail("micro", &error);
    return is_right ? CLI_EXIT_OK : CLI_EXIT_MISMATCH;
}
