/* SPDX-License-Identifier: MIT */
/* `plymark verify`: proves kernels against known counts and against the reference. */
#include "cli/subjects.h"

#include "cli/explain.h"
#include "cli/suites.h"
#include "cli/verify_levels.h"
#include "core/clock.h"
#include "core/random.h"
#include "kernels/registry.h"
#include "verify/verify.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_LEVEL = 256,
    KEY_FILTER,
    KEY_REACHABLE,
    KEY_TAP,
    KEY_JSON,
    KEY_JUNIT,
    KEY_MAX_NODES,
    KEY_FAIL_FAST,
    KEY_LIST,
    KEY_SEED,
    KEY_RANDOM,
    KEY_RANDOM_DEPTH,
    KEY_REPEAT,
    KEY_ALL_ISA
};
enum { MAX_WORDS = 256, MAX_PRINTED_FAILURES = 5, MAX_RANDOM = 100000000, MAX_REPEATS = 1000000 };

struct verify_options {
    struct cli_subjects subjects;
    const char *words[MAX_WORDS]; /* after -s */
    int word_count;
    unsigned checks;
    int threads;        /* 0: the set's own default; -1: all processors */
    uint64_t max_nodes; /* 0: the set's own limits */
    uint64_t seed;
    long random;      /* generated positions; -1: as many as the set says */
    int random_depth; /* 0: as the set says */
    unsigned repeats;
    bool all_isa, json, tap, reachable, fail_fast, list;
    const char *filter; /* NULL: all positions */
    const char *junit;
};

/* ---- Options ---- */

static const struct {
    const char *name;
    unsigned checks;
} levels[] = {
    {"counts", PM_CHECK_BIT(PM_CHECK_MAKE) | PM_CHECK_BIT(PM_CHECK_BULK) |
                   PM_CHECK_BIT(PM_CHECK_LOOKAHEAD) | PM_CHECK_BIT(PM_CHECK_DISTINCT) |
                   PM_CHECK_BIT(PM_CHECK_OUTSIDE)},
    {"moves", PM_CHECK_BIT(PM_CHECK_MOVES)},
    {"attacks", PM_CHECK_BIT(PM_CHECK_ATTACKS)},
    {"mirror", PM_CHECK_BIT(PM_CHECK_MIRROR)},
    {"roundtrip", PM_CHECK_BIT(PM_CHECK_ROUND_TRIP)},
    {"key", PM_CHECK_BIT(PM_CHECK_KEY)},
    {"expander", PM_CHECK_BIT(PM_CHECK_EXPANDER)},
    {"random", PM_CHECK_BIT(PM_CHECK_RANDOM)},
    {"all", PM_CHECK_BIT(PM_CHECK_COUNT) - 1},
};

static unsigned read_level(const struct argp_state *state, const char *text)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(text, levels[i].name) == 0)
            return levels[i].checks;
    cli_usage(
        state,
        "--level is \"%s\": counts, moves, attacks, mirror, roundtrip, key, expander, random or "
        "all is needed",
        text);
    return 0;
}

static void add_words(struct verify_options *options, const struct argp_state *state, char *text)
{
    for (char *word = strsep(&text, ","); word != NULL; word = strsep(&text, ",")) {
        if (options->word_count == MAX_WORDS)
            cli_usage(state, "--suite: more than %d words", MAX_WORDS);
        options->words[options->word_count++] = word;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct verify_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->subjects;
        return 0;
    case 's':
        add_words(options, state, argument);
        return 0;
    case ARGP_KEY_ARG: /* more files after -s FILE */
        if (options->word_count == 0)
            cli_usage(state, "unexpected \"%s\": suites are named with -s", argument);
        add_words(options, state, argument);
        return 0;
    case KEY_LEVEL:
        options->checks = read_level(state, argument);
        return 0;
    case 't':
        options->threads = strcmp(argument, "all") == 0
                               ? -1
                               : (int)cli_number(state, "--threads", argument, 1, 4096);
        return 0;
    case KEY_MAX_NODES:
        options->max_nodes = (uint64_t)cli_number(state, "--max-nodes", argument, 1, LONG_MAX);
        return 0;
    case KEY_SEED:
        options->seed = (uint64_t)cli_number(state, "--seed", argument, 0, LONG_MAX);
        return 0;
    case KEY_RANDOM:
        options->random = cli_number(state, "--random", argument, 0, MAX_RANDOM);
        return 0;
    case KEY_RANDOM_DEPTH:
        options->random_depth =
            (int)cli_number(state, "--random-depth", argument, 1, PM_KERNEL_MAX_DEPTH);
        return 0;
    case KEY_REPEAT:
        options->repeats = (unsigned)cli_number(state, "--repeat", argument, 1, MAX_REPEATS);
        return 0;
    case KEY_ALL_ISA:
        options->all_isa = options->subjects.every_kernel = true;
        return 0;
    case KEY_FILTER:
        options->filter = argument;
        return 0;
    case KEY_REACHABLE:
        options->reachable = true;
        return 0;
    case KEY_TAP:
        options->tap = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_JUNIT:
        options->junit = argument;
        return 0;
    case KEY_FAIL_FAST:
        options->fail_fast = true;
        return 0;
    case KEY_LIST:
        options->list = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct verify_options *options)
{
    static const struct argp_option own_options[] = {
        {"suite", 's', "SET|NAME|FILE", 0,
         "Set (smoke, quick, standard, full), suite that comes with the program, or EPD file; "
         "several "
         "with commas or as further arguments (default: smoke)",
         0},
        {"level", KEY_LEVEL, "LEVEL", 0,
         "counts: the count of each row, in each mode; moves: a walk that compares moves and "
         "positions with the reference; attacks: checkers, pinned men, attacked squares; mirror: "
         "counts with colours exchanged; roundtrip: FEN and positions in and out; key: hash "
         "keys carried along against keys from scratch; random: "
         "generated "
         "positions; all (default)",
         0},
        {"max-nodes", KEY_MAX_NODES, "N", 0,
         "Run rows of up to N nodes, and walks to as many positions, whatever the set says", 0},
        {"random", KEY_RANDOM, "N", 0, "Compare N generated positions, whatever the set says", 0},
        {"random-depth", KEY_RANDOM_DEPTH, "D", 0, "Compare them D plies deep", 0},
        {"repeat", KEY_REPEAT, "N", 0, "Generate them N times, from seeds S, S+1, ...", 0},
        {"all-isa", KEY_ALL_ISA, NULL, 0,
         "Climb through what this CPU has: every kernel, families too, from the one that needs the "
         "fewest instruction sets, then each level of mode unique; what needs more is said",
         0},
        {"seed", KEY_SEED, "S", 0, "Generate the positions of this seed (default: a new one)", 0},
        {"threads", 't', "N|all", 0,
         "Threads (default: 1 for quick and for single suites, all for standard and full)", 0},
        {"fail-fast", KEY_FAIL_FAST, NULL, 0, "Stop at the first wrong row", 0},
        {"json", KEY_JSON, NULL, 0, "Print one JSON document instead of the summary", 0},
        {"reachable", KEY_REACHABLE, NULL, 0,
         "Leave out positions of the suites that no game reaches, which some engines refuse or "
         "miscount",
         0},
        {"tap", KEY_TAP, NULL, 0, "Print TAP 14 instead of the summary", 0},
        {"filter", KEY_FILTER, "TEXT", 0,
         "Only positions with this text in the suite's name, their id or a comment operation", 0},
        {"junit", KEY_JUNIT, "FILE", 0, "Write JUnit XML too", 0},
        {"list", KEY_LIST, NULL, 0, "List the suites and what they hold, run nothing", 0},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_subjects_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "[FILE...]",
        .doc = "Prove move generators right: known counts, and walks beside the reference.\v"
               "Rows are cut by their node count, never by depth; the summary says how many were "
               "left out.",
        .children = children,
    };
    cli_parse(&argp, argc, argv, options);
}

/* ---- The plan ---- */

/* Generated positions: the set's, those asked for, or those of "quick" if nothing else is. */
static void choose_random(const struct verify_options *options, struct pm_verify_plan *plan)
{
    const struct pm_verify_random *usual = &pm_verify_set_find("quick")->random;
    const bool alone = options->checks == PM_CHECK_BIT(PM_CHECK_RANDOM);
    if (plan->random.positions == 0 && (alone || options->random >= 0 || options->repeats > 0))
        plan->random = *usual;
    if (options->random >= 0)
        plan->random.positions = (uint64_t)options->random;
    if (options->random_depth > 0)
        plan->random.depth = options->random_depth;
    if (options->max_nodes > 0)
        plan->random.limit = options->max_nodes;
    plan->random.seed = options->seed;
    plan->random.repeats = options->repeats;
}

static int read_suites(const struct verify_options *options, struct pm_verify_plan *plan)
{
    struct pm_error error = {0};
    for (int i = 0; i < options->word_count; i++)
        if (pm_verify_plan_add(plan, options->words[i], &error) != PM_OK) {
            if (access(plan->folder, R_OK) != 0)
                pm_fail(&error, PM_ERROR_IO,
                        "%s: no such folder of suites (PLYMARK_SUITES names another)",
                        plan->folder);
            return cli_fail("verify", &error);
        }
    for (size_t i = 0; i < plan->suite_count && options->max_nodes > 0; i++)
        plan->suites[i].limits = (struct pm_verify_limits){options->max_nodes, options->max_nodes,
                                                           options->max_nodes, options->max_nodes};
    if (options->filter != NULL && pm_verify_plan_filter(plan, options->filter) == 0) {
        fprintf(stderr, "plymark verify: --filter is \"%s\": no position mentions that\n",
                options->filter);
        return CLI_EXIT_USAGE;
    }
    if (options->reachable)
        pm_verify_plan_keep_reachable(plan);
    choose_random(options, plan);
    return CLI_EXIT_OK;
}

static void list_sets(void)
{
    printf("\n%-10s %s\n", "set", "what it is");
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        printf("%-10s %s\n", set->name, set->summary);
}

static void list_suites(const struct pm_verify_plan *plan)
{
    printf("%-16s %9s %6s %33s  %s\n", "suite", "positions", "rows", "nodes", "source");
    for (size_t i = 0; i < plan->suite_count; i++) {
        const struct pm_suite *suite = &plan->suites[i].suite;
        char text[PM_COUNT_TEXT_SIZE];
        pm_count nodes = 0;
        size_t rows = 0;
        for (size_t j = 0; j < suite->entry_count; j++)
            for (unsigned k = 0; k < suite->entries[j].count_count; k++, rows++)
                nodes += suite->entries[j].counts[k].nodes;
        printf("%-16s %9zu %6zu %33s  %s\n", suite->name, suite->entry_count, rows,
               pm_count_to_grouped_text(nodes, text), suite->source);
    }
    list_sets();
}

/* ---- Printing ---- */

static void print_failure(enum pm_check check, const struct pm_verify_failure *failure)
{
    if (failure->fen[0] != '\0')
        printf("    %s %u%s%s: %s\n", check == PM_CHECK_RANDOM ? "position" : "line", failure->line,
               failure->id[0] != '\0' ? ", " : "", failure->id, failure->fen);
    if (failure->path[0] != '\0')
        printf("      path %s\n      node %s\n", failure->path, failure->node);
    printf("      %s\n", failure->text);
}

static void print_failures(const struct pm_verify_case *result)
{
    const size_t shown =
        result->failure_count < MAX_PRINTED_FAILURES ? result->failure_count : MAX_PRINTED_FAILURES;
    for (size_t i = 0; i < shown; i++)
        print_failure(result->check, &result->failures[i]);
    if (result->wrong > shown)
        printf("    and %llu more\n", (unsigned long long)(result->wrong - shown));
}

/* What the checks of one suite and kernel came to: a line of the summary. */
struct summary_line {
    const char *suite, *kernel;
    char checks[64]; /* their names */
    uint64_t positions, positions_total, rows, rows_total, over_limit, unsupported, stopped, wrong;
    pm_count nodes;
    double seconds;
    const char *skipped;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_case(struct summary_line *line, const struct pm_verify_case *result)
{
    const size_t length = strlen(line->checks);
    snprintf(line->checks + length, sizeof line->checks - length, "%s%s", length > 0 ? ", " : "",
             pm_check_text(result->check));
    line->suite = result->suite;
    line->kernel = result->kernel;
    line->positions = larger(line->positions, result->positions);
    line->positions_total = result->positions_total;
    line->rows += result->rows;
    line->rows_total += result->rows_total;
    line->over_limit += result->rows_over_limit;
    line->unsupported += result->rows_unsupported;
    line->stopped += result->rows_stopped;
    line->wrong += result->wrong;
    line->nodes += result->nodes;
    line->seconds += result->seconds;
    line->skipped = result->skipped;
}

/* So wide that the longest of the names fits. */
static int kernel_width(const struct verify_options *options)
{
    size_t width = 10;
    for (int i = 0; i < options->subjects.kernel_count; i++)
        width = larger(width, strlen(options->subjects.kernels[i]->name));
    for (int i = 0; i < options->subjects.outside_count; i++)
        width = larger(width, strlen(pm_outside_name(options->subjects.outside[i])));
    return (int)width;
}

static void print_head(const struct verify_options *options)
{
    printf("%-16s %-*s %12s %14s %16s  %s\n", "suite", kernel_width(options), "kernel", "positions",
           "rows", "nodes", "result");
}

static void print_left_out(const char *what, uint64_t rows)
{
    if (rows > 0)
        printf(", %llu %s", (unsigned long long)rows, what);
}

static const char *verdict(const struct summary_line *line)
{
    if (line->wrong > 0)
        return "WRONG";
    return line->rows > 0 ? "right" : "nothing ran";
}

static void print_line(const struct summary_line *line, int width)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    if (line->skipped != NULL) {
        printf("%-16s %-*s skipped: %s\n", line->suite, width, line->kernel, line->skipped);
        return;
    }
    printf("%-16s %-*s %4llu of %4llu %5llu of %5llu %16s  %s: %s; %.2f s", line->suite, width,
           line->kernel, (unsigned long long)line->positions,
           (unsigned long long)line->positions_total, (unsigned long long)line->rows,
           (unsigned long long)line->rows_total, pm_count_to_grouped_text(line->nodes, nodes),
           verdict(line), line->checks, line->seconds);
    print_left_out("over the node limit", line->over_limit);
    print_left_out("unsupported", line->unsupported);
    print_left_out("not reached", line->stopped);
    putchar('\n');
}

/* The deepest sum over all positions of a suite that is known and ran whole. */
static void print_total(const struct pm_verify_case *result)
{
    char text[PM_COUNT_TEXT_SIZE];
    if (result->total_count == 0)
        return;
    const struct pm_verify_total *total = &result->totals[result->total_count - 1];
    if (total->counted == total->expected)
        printf("    %s: sum of depth %d over all positions: %s, as it must be\n",
               pm_check_text(result->check), total->depth,
               pm_count_to_grouped_text(total->counted, text));
}

/* Prints the cases of one suite and kernel, which follow each other. */
static void print_cases(const struct pm_verify_case *cases, size_t count, int width)
{
    struct summary_line line = {0};
    for (size_t i = 0; i < count; i++)
        add_case(&line, &cases[i]);
    print_line(&line, width);
    for (size_t i = 0; i < count; i++) {
        print_total(&cases[i]);
        print_failures(&cases[i]);
    }
    fflush(stdout);
}

static const char *summary_verdict(const struct pm_verify_report *report, uint64_t stopped)
{
    if (report->wrong > 0)
        return "WRONG";
    if (report->rows == 0)
        return "Nothing ran";
    return stopped > 0 ? "Right so far" : "All right";
}

/* Kernels of one lineage agree for little. */
static void print_witnesses(const struct pm_verify_report *report)
{
    const char *lineages[PM_VERIFY_MAX_LINEAGES];
    const size_t count = pm_verify_lineages(report, lineages);
    if (count == 0)
        return;
    printf("Witnesses: %zu lineage%s: ", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i > 0 ? ", " : "", lineages[i]);
    puts(".");
}

static void print_summary(const struct pm_verify_report *report)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    uint64_t over_limit = 0;
    uint64_t unsupported = 0;
    uint64_t stopped = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        over_limit += report->cases[i].rows_over_limit;
        unsupported += report->cases[i].rows_unsupported;
        stopped += report->cases[i].rows_stopped;
    }
    printf("\n%s: %llu rows and %s nodes checked, %llu wrong, in %.1f s on %d thread%s.\n",
           summary_verdict(report, stopped), (unsigned long long)report->rows,
           pm_count_to_grouped_text(report->nodes, nodes), (unsigned long long)report->wrong,
           report->seconds, report->threads, report->threads == 1 ? "" : "s");
    printf("Left out: %llu rows over the node limits, %llu unsupported, %llu not reached.\n",
           (unsigned long long)over_limit, (unsigned long long)unsupported,
           (unsigned long long)stopped);
    print_witnesses(report);
}

/* ---- Progress on stderr ---- */

static void show_progress(void *context, const struct pm_verify_case *current, size_t done,
                          size_t total)
{
    (void)context;
    if (done % 64 == 0 || total < 64)
        fprintf(stderr, "\r%s, %s, %s: %zu of %zu\033[K", current->suite, current->kernel,
                pm_check_text(current->check), done, total);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Whether stdout gets the summary for people. */
static bool is_summary(const struct verify_options *options)
{
    return !options->json && !options->tap;
}

static void show_cases(void *context, const struct pm_verify_case *cases, size_t count)
{
    const struct verify_options *options = context;
    clear_progress();
    if (is_summary(options))
        print_cases(cases, count, kernel_width(options));
}

/* ---- The run ---- */

static int write_report(const struct verify_options *options, const struct pm_verify_report *report)
{
    struct pm_error error = {0};
    if (options->json)
        pm_verify_write_json(report, stdout, &error);
    else if (options->tap)
        pm_verify_write_tap(report, stdout, &error);
    else
        print_summary(report);
    if (options->junit != NULL && error.status == PM_OK)
        pm_verify_write_junit(report, options->junit, &error);
    return error.status == PM_OK ? CLI_EXIT_OK : cli_fail("verify", &error);
}

static bool has_skipped(const struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].skipped != NULL)
            return true;
    return false;
}

/* A mismatch beats all else. `code` is what went wrong on the way. */
static int exit_code(const struct verify_options *options, const struct pm_verify_report *report,
                     int code)
{
    if (report->wrong > 0)
        return CLI_EXIT_MISMATCH;
    if (code != CLI_EXIT_OK)
        return code;
    if (report->rows == 0)
        return CLI_EXIT_NOTHING;
    return options->subjects.word_count > 0 && has_skipped(report) ? CLI_EXIT_ENVIRONMENT
                                                                   : CLI_EXIT_OK;
}

static int count_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static int choose_threads(const struct verify_options *options, const struct pm_verify_plan *plan)
{
    if (options->threads > 0)
        return options->threads;
    return options->threads < 0 || plan->all_threads ? count_processors() : 1;
}

static int run(struct verify_options *options, const struct pm_verify_plan *plan)
{
    struct pm_error error = {0};
    struct pm_verify_report report = {0};
    const struct pm_verify_config config = {
        .kernels = options->subjects.kernels,
        .kernel_count = options->subjects.kernel_count,
        .outside = options->subjects.outside,
        .outside_count = options->subjects.outside_count,
        .reference = pm_kernels_reference(),
        .checks = options->checks,
        .threads = choose_threads(options, plan),
        .fail_fast = options->fail_fast,
        .stop = cli_catch_interrupt(),
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .finished = show_cases,
        .context = options,
    };
    int code = CLI_EXIT_OK;

    if (config.reference == NULL) {
        fputs("plymark verify: no reference kernel runs here\n", stderr);
        return CLI_EXIT_ENVIRONMENT;
    }
    if (is_summary(options))
        print_head(options);
    if (pm_verify_run(plan, &config, &report, &error) != PM_OK)
        code = cli_fail("verify", &error);
    const int written = write_report(options, &report);
    if (is_summary(options) && code == CLI_EXIT_OK)
        cli_explain(plan, &config, &options->subjects, &report);
    code = exit_code(options, &report, code != CLI_EXIT_OK ? code : written);
    pm_verify_report_free(&report);
    return code;
}

/* Small enough to be typed again. */
static uint64_t new_seed(void)
{
    struct pm_random random = {.state = pm_clock_ns() ^ (uint64_t)getpid() << 32};
    return pm_random_next(&random) >> 32;
}

int cli_verify(int argc, char **argv)
{
    struct verify_options options = {
        .checks = PM_CHECK_BIT(PM_CHECK_COUNT) - 1, .random = -1, .seed = new_seed()};
    char folder[PATH_MAX];
    struct pm_verify_plan plan = {.folder = cli_suite_folder(folder)};

    options.subjects.options =
        (struct pm_subject_options){.mode = PM_MODE_BULK, .stop = cli_catch_interrupt()};
    parse(argc, argv, &options);
    if (options.word_count == 0)
        options.words[options.word_count++] = options.list ? "full" : "smoke";
    int code = read_suites(&options, &plan);
    if (code == CLI_EXIT_OK && options.list)
        list_suites(&plan);
    else if (code == CLI_EXIT_OK)
        code = cli_subjects_open(&options.subjects, choose_threads(&options, &plan), "verify");
    if (code == CLI_EXIT_OK && !options.list)
        code = run(&options, &plan);
    if (options.all_isa && !options.list && code == CLI_EXIT_OK)
        code = cli_verify_levels(is_summary(&options) ? stdout : stderr);
    cli_subjects_close(&options.subjects);
    pm_verify_plan_free(&plan);
    return code;
}
