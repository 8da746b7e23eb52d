/* SPDX-License-Identifier: MIT */
/* `plymark estimate`: perft of depths that nobody could count, within limits, and what counting
 * would take. */
#include "cli/cli.h"
#include "core/mode.h"
#include "perft/choose.h"
#include "perft/estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_SEED = 256, KEY_SAMPLES, KEY_WIDTH, KEY_SECONDS };

enum { DEFAULT_SAMPLES = 32, DEFAULT_WIDTH = 1000 };

struct estimate_options {
    struct cli_kernels kernels;
    struct cli_position position;
    struct cli_threads threads;
    int depth;        /* -1 until given */
    unsigned samples; /* 0 until given */
    unsigned width;
    uint64_t seed;
    double seconds; /* 0: no limit */
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct estimate_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        state->child_inputs[1] = &options->position;
        state->child_inputs[2] = &options->threads;
        return 0;
    case 'd':
        options->depth = (int)cli_number(state, "--depth", argument, 0, PM_ESTIMATE_MAX_DEPTH);
        return 0;
    case KEY_SEED:
        options->seed = (uint64_t)cli_number(state, "--seed", argument, 0, INT64_MAX);
        return 0;
    case KEY_SAMPLES:
        options->samples = (unsigned)cli_number(state, "--samples", argument,
                                                PM_ESTIMATE_MIN_SAMPLES, PM_ESTIMATE_MAX_SAMPLES);
        return 0;
    case KEY_WIDTH:
        options->width = (unsigned)cli_number(state, "--width", argument, 1, PM_ESTIMATE_MAX_WIDTH);
        return 0;
    case KEY_SECONDS:
        options->seconds = (double)cli_number(state, "--seconds", argument, 1, 10000000);
        return 0;
    case ARGP_KEY_END:
        if (options->depth < 0)
            cli_usage(state, "the depth is missing: -d N");
        if (options->kernels.count > 1)
            cli_usage(state, "--kernel names %d kernels: one is needed", options->kernels.count);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct estimate_options *options)
{
    static const struct argp_option own_options[] = {
        {"depth", 'd', "N", 0, "Plies of the tree", 0},
        {"samples", KEY_SAMPLES, "N", 0,
         "Independent samples (default: 32, or what --seconds has room for)", 0},
        {"width", KEY_WIDTH, "N", 0,
         "Positions of each ply that a sample keeps (default: 1000); the error falls with the root "
         "of samples times width",
         0},
        {"seconds", KEY_SECONDS, "S", 0, "Begin no sample after so long, once there are 8", 0},
        {"seed", KEY_SEED, "N", 0,
         "The same seed, samples and width give the same estimate (default: 1)", 0},
        {0},
    };
    const struct argp_child children[] = {{&cli_kernels_argp, 0, NULL, 0},
                                          {&cli_position_argp, 0, NULL, 0},
                                          {&cli_threads_argp, 0, NULL, 0},
                                          {&cli_common_argp, 0, NULL, 0},
                                          {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .children = children,
        .doc = "Estimate the leaves of the move tree N plies deep from random samples of it."
               "\vThe interval holds the true number in at least 95 of 100 runs with different "
               "seeds; trees "
               "that fit into the width, and depths up to 3, are counted exactly. Threads are not "
               "pinned. The times to expect of exact counts are just that: of the whole tree, from "
               "the kernel's speed at the samples; of distinct positions, roughly, as if positions "
               "recurred as often as below the start position."};
    cli_parse(&argp, argc, argv, options);
    if (options->samples == 0)
        options->samples = options->seconds > 0 ? PM_ESTIMATE_MAX_SAMPLES : DEFAULT_SAMPLES;
}

/* The kernel that was given, or the fastest here. */
static int choose_kernel(struct cli_kernels *kernels)
{
    if (kernels->count == 0)
        kernels->kernels[kernels->count++] = pm_choose_counting_kernel();
    return cli_kernels_ready(kernels);
}

/* ---- Text ---- */

enum { NUMBER_SIZE = 40 };

/* 6.2855e16: with so many digits behind the point, and no more of an exponent than it has. */
static const char *number_text(double value, int digits, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, "%.*e", digits, value);
    char *exponent = strchr(text, 'e');
    if (exponent == NULL) /* infinite */
        return text;
    char *first = exponent + 1 + strspn(exponent + 1, "+0");
    memmove(exponent + 1, first, strlen(first) + 1);
    if (exponent[1] == '\0')
        *exponent = '\0';
    return text;
}

/* Two digits of the error are shown. */
static int digits_for(double relative_error)
{
    const double digits = 1 - floor(log10(relative_error));
    return !(digits > 2) ? 2 : digits > 15 ? 15 : (int)digits;
}

static const char *duration_text(double seconds, char text[NUMBER_SIZE])
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{365.25 * 86400, "years"},
                 {86400, "days"},
                 {3600, "hours"},
                 {60, "minutes"},
                 {1, "seconds"}};
    enum { UNIT_COUNT = sizeof units / sizeof units[0] };
    size_t unit = 0;
    while (unit < UNIT_COUNT - 1 && seconds < 1.5 * units[unit].seconds)
        unit++;
    const double value = seconds / units[unit].seconds;
    snprintf(text, NUMBER_SIZE, value < 10 || value >= 10000 ? "%.2g %s" : "%.0f %s", value,
             units[unit].name);
    return text;
}

static void print_result(const struct estimate_options *options, const struct pm_estimate *estimate)
{
    char nodes[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    const double error = pm_estimate_relative_error(estimate);
    const int digits = digits_for(error);
    if (estimate->exact)
        printf("perft(%d) = %.0f, counted exactly\n", options->depth, estimate->nodes);
    else
        printf("perft(%d) = %s +- %.2g %% (95 %%: %s to %s)\n", options->depth,
               number_text(estimate->nodes, digits, nodes), 100 * error,
               number_text(estimate->low, digits, low), number_text(estimate->high, digits, high));
}

static void print_times(double tree, double unique, int threads)
{
    char tree_text[NUMBER_SIZE], unique_text[NUMBER_SIZE];
    printf("An exact count here, on %d thread%s, can be expected to take\n"
           "  the whole tree: about %s\n  distinct positions: very roughly %s\n\n",
           threads, threads == 1 ? "" : "s", duration_text(tree, tree_text),
           duration_text(unique, unique_text));
}

static void print(const struct estimate_options *options, const struct pm_estimate *estimate,
                  int threads)
{
    const struct pm_kernel *kernel = options->kernels.kernels[0];
    const double tree = pm_estimate_tree_seconds(estimate, threads);
    const double unique = pm_estimate_unique_seconds(estimate, options->depth, threads);
    print_result(options, estimate);
    if (!estimate->exact)
        print_times(tree, unique, threads);
    printf("depth: %d\nnodes: %.17g\nlow: %.17g\nhigh: %.17g\nexact: %s\n", options->depth,
           estimate->nodes, estimate->low, estimate->high, estimate->exact ? "yes" : "no");
    printf("seed: %" PRIu64 "\nsamples: %u\nwidth: %u\nkernel: %s\nmode: %s\nthreads: %d\n",
           options->seed, estimate->samples, options->width, kernel->name,
           pm_mode_text(pm_mode_fastest(kernel)), threads);
    printf("tree_seconds: %.3g\nunique_seconds: %.3g\ntwo_ply_ns: %.3g\n", tree, unique,
           estimate->two_ply_seconds * 1e9);
    fprintf(stderr, "%s: %u sample%s in %.3f s\n", kernel->name, estimate->samples,
            estimate->samples == 1 ? "" : "s", estimate->seconds);
}

int cli_estimate(int argc, char **argv)
{
    struct estimate_options options = {.depth = -1, .width = DEFAULT_WIDTH, .seed = 1};
    struct pm_estimate estimate;
    struct pm_error error = {0};
    parse(argc, argv, &options);
    int code = choose_kernel(&options.kernels);
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(&options.position);
    if (code != CLI_EXIT_OK)
        return code;

    const atomic_bool *stop = cli_catch_interrupt();
    struct pm_estimate_job job = {.kernel = options.kernels.kernels[0],
                                  .position = &options.position.position,
                                  .depth = options.depth,
                                  .width = options.width,
                                  .samples = options.samples,
                                  .seed = options.seed,
                                  .seconds = options.seconds,
                                  .stop = stop};
    if (cli_thread_count(&options.threads, &job.threads, &error) != PM_OK ||
        pm_estimate_run(&job, &estimate, &error) != PM_OK)
        return cli_fail("estimate", &error);
    print(&options, &estimate, job.threads);
    return atomic_load(stop) ? CLI_EXIT_INTERRUPTED : CLI_EXIT_OK;
}
