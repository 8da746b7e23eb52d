/* SPDX-License-Identifier: MIT */
/* `plymark verify`: proves kernels against known counts and against the reference. */
#include "cli/subjects.h"

#include "cli/explain.h"
#include "cli/suites.h"
#include "cli/verify_levels.h"
#include "cli/verify_print.h"
#include "core/clock.h"
#include "core/fen.h"
#include "core/file.h"
#include "core/nearest.h"
#include "core/quote.h"
#include "core/random.h"
#include "kernels/registry.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    KEY_EXPECT_FAIL,
    KEY_REQUIRE_ALL,
    KEY_LIST,
    KEY_SEED,
    KEY_RANDOM,
    KEY_RANDOM_DEPTH,
    KEY_REPEAT,
    KEY_ALL_ISA
};
enum { MAX_WORDS = 256, MAX_RANDOM = 100000000, MAX_REPEATS = 1000000 };

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
    bool all_isa, reachable, fail_fast, list, quiet;
    bool requires_all;
    bool has_begun;                              /* there are reports of the run */
    bool is_default;                             /* no suite was named */
    const char *filter;                          /* NULL: all positions */
    const char *reports[PM_VERIFY_FORMAT_COUNT]; /* files; "-": standard output; NULL: not asked */
    const char *expected;                        /* list of known failures; NULL: none */
    char *command;                               /* as it was typed */
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
    char best[32] = "", question[64] = "";
    unsigned distance = UINT_MAX;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        pm_nearest(text, levels[i].name, &distance, best, sizeof best);
    if (best[0] != '\0')
        snprintf(question, sizeof question, "; did you mean %s?", best);
    cli_usage(state,
              "--level is \"%s\": counts, moves, attacks, mirror, roundtrip, key, expander, random "
              "or all is needed%s",
              text, question);
    return 0;
}

static bool ends_with(const char *word, const char *suffix)
{
    const size_t length = strlen(word), end = strlen(suffix);
    return length > end && strcmp(word + length - end, suffix) == 0;
}

/* A program or a report is named where a suite is expected. */
static void refuse_others(const struct argp_state *state, const char *word)
{
    static const char *const prefixes[] = {"uci:", "cmd:", "so:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(word, prefixes[i], strlen(prefixes[i])) == 0)
            cli_usage(state, "\"%s\" stands where suites do: what is verified comes after -k",
                      word);
    if (ends_with(word, ".json") || ends_with(word, ".tap"))
        cli_usage(state, "\"%s\" stands where suites do: a report is named as in --json=FILE",
                  word);
}

static void set_report(struct verify_options *options, const struct argp_state *state,
                       enum pm_verify_format format, const char *path)
{
    options->reports[format] = path != NULL ? path : "-";
    for (int i = 0; i < PM_VERIFY_FORMAT_COUNT; i++)
        if (i != (int)format && options->reports[i] != NULL &&
            strcmp(options->reports[i], "-") == 0 && strcmp(options->reports[format], "-") == 0)
            cli_usage(state, "two reports for standard output: one of --json, --tap, --junit can "
                             "have it; the others need a file, as in --json=FILE");
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
    case ARGP_KEY_ARG: /* as after -s */
        refuse_others(state, argument);
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
        set_report(options, state, PM_VERIFY_TAP, argument);
        return 0;
    case KEY_JSON:
        set_report(options, state, PM_VERIFY_JSON, argument);
        return 0;
    case KEY_JUNIT:
        set_report(options, state, PM_VERIFY_JUNIT, argument);
        return 0;
    case KEY_REQUIRE_ALL:
        options->requires_all = true;
        return 0;
    case KEY_EXPECT_FAIL:
        options->expected = argument;
        return 0;
    case 'q':
        options->quiet = true;
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
         "Set (smoke, quick, standard, full), suite that comes with the program (standard.epd is "
         "the "
         "suite, standard the set), or EPD file; several with commas or as further arguments "
         "(default: smoke)",
         0},
        {"level", KEY_LEVEL, "LEVEL", 0,
         "counts: the count of each row, in each mode; moves: a walk that compares moves and "
         "positions with the reference; attacks: checkers, pinned pieces, attacked squares; "
         "mirror: "
         "counts with colors exchanged; roundtrip: FEN and positions in and out; key: hash "
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
        {"require-all", KEY_REQUIRE_ALL, NULL, 0,
         "Exit code 3 if a kernel or program could not take a position that it was given", 0},
        {"expect-fail", KEY_EXPECT_FAIL, "FILE", 0,
         "Tests that are known to fail, by their ids in the reports (SUITE/CHECK/POSITION), one a "
         "line: they are not counted as wrong, and it is told which did not fail",
         0},
        {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
         "Write one JSON document, to standard output in place of the summary if no FILE is given",
         0},
        {"reachable", KEY_REACHABLE, NULL, 0,
         "Leave out positions of the suites that no game reaches, which some engines refuse or "
         "miscount",
         0},
        {"tap", KEY_TAP, "FILE", OPTION_ARG_OPTIONAL, "The same as TAP 14", 0},
        {"filter", KEY_FILTER, "TEXT", 0,
         "Only positions with this text in the suite's name, their id or a comment on them", 0},
        {"junit", KEY_JUNIT, "FILE", 0, "Write JUnit XML; \"-\" is standard output", 0},
        {"quiet", 'q', NULL, 0, "Print failures alone", 0},
        {"list", KEY_LIST, NULL, 0, "List the suites and what they hold, run nothing", 0},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_subjects_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "[SET|NAME|FILE...]",
        .doc =
            "Prove move generators right: known counts, and walks beside the reference.\v"
            "Rows are cut by their node count, never by depth; the summary says how many were "
            "left out. Files appear whole. A run that did not end is no pass in any report: exit "
            "code 130.",
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

static void say_reading(const struct pm_verify_suite *suite, unsigned first, size_t count,
                        const char *what)
{
    char quoted[PM_QUOTE_SIZE];
    if (count == 0)
        return;
    pm_quote(suite->word, strlen(suite->word), quoted);
    fprintf(stderr, "plymark verify: warning: %s, line %u", quoted, first);
    if (count > 1)
        fprintf(stderr, " and %zu more", count - 1);
    fprintf(stderr, ": %s\n", what);
}

/* How the lines of a foreign file were read, where the writer may have meant something else. */
static void say_readings(const struct pm_verify_suite *suite)
{
    static const unsigned dropped[] = {PM_FEN_WARN_CASTLING, PM_FEN_WARN_EN_PASSANT};
    const struct pm_suite *read = &suite->suite;
    size_t chess960 = 0, counts[2] = {0};
    unsigned first = 0, firsts[2] = {0};
    for (size_t i = read->entry_count; i-- > 0;) {
        const struct pm_suite_entry *entry = &read->entries[i];
        chess960 += entry->chess960;
        first = entry->chess960 ? entry->line : first;
        for (int k = 0; k < 2; k++)
            if ((entry->warnings & dropped[k]) != 0) {
                counts[k]++;
                firsts[k] = entry->line;
            }
    }
    say_reading(suite, first, chess960, "read as Chess960, for the castling rights need it");
    for (int k = 0; k < 2; k++)
        say_reading(suite, firsts[k], counts[k], pm_fen_warning_text(dropped[k]));
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
        char quoted[PM_QUOTE_SIZE];
        fprintf(stderr, "plymark verify: --filter is %s: no position mentions that\n",
                pm_quote(options->filter, strlen(options->filter), quoted));
        return CLI_EXIT_USAGE;
    }
    if (options->reachable && pm_verify_plan_keep_reachable(plan) != PM_OK) {
        fputs("plymark verify: out of memory\n", stderr);
        return CLI_EXIT_ENVIRONMENT;
    }
    choose_random(options, plan);
    for (size_t i = 0; i < plan->suite_count; i++)
        if (plan->suites[i].foreign)
            say_readings(&plan->suites[i]);
    return CLI_EXIT_OK;
}

static void list_sets(void)
{
    printf("\nWithout \".epd\" a name is that of a set, if there is one.\n\n%-10s %s\n", "set",
           "what it is");
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        printf("%-10s %s\n", set->name, set->summary);
}

static void list_suite(const struct pm_verify_suite *listed)
{
    const struct pm_suite *suite = &listed->suite;
    char *word = pm_verify_printable(listed->word), *source = pm_verify_printable(suite->source);
    char text[PM_COUNT_TEXT_SIZE];
    pm_count nodes = 0;
    size_t rows = 0;
    for (size_t i = 0; i < suite->entry_count; i++)
        for (unsigned j = 0; j < suite->entries[i].count_count; j++, rows++)
            nodes += suite->entries[i].counts[j].nodes;
    if (word != NULL && source != NULL)
        printf("%-19s %9zu %6zu %33s  %s\n", word, suite->entry_count, rows,
               pm_count_to_grouped_text(nodes, text), source);
    free(word);
    free(source);
}

static void list_suites(const struct pm_verify_plan *plan)
{
    printf("%-19s %9s %6s %33s  %s\n", "suite", "positions", "rows", "nodes", "source");
    for (size_t i = 0; i < plan->suite_count; i++)
        list_suite(&plan->suites[i]);
    list_sets();
}

/* ---- Reports ---- */

/* Whether stdout gets the summary for people. */
static bool is_summary(const struct verify_options *options)
{
    for (int i = 0; i < PM_VERIFY_FORMAT_COUNT; i++)
        if (options->reports[i] != NULL && strcmp(options->reports[i], "-") == 0)
            return false;
    return true;
}

/* Writes all reports that are files, or all that are standard output. */
static int write_reports(const struct verify_options *options,
                         const struct pm_verify_report *report, bool files)
{
    struct pm_error error;
    for (int i = 0; i < PM_VERIFY_FORMAT_COUNT; i++)
        if (options->reports[i] != NULL && (strcmp(options->reports[i], "-") != 0) == files &&
            pm_verify_write(report, (enum pm_verify_format)i, options->reports[i], &error) != PM_OK)
            return cli_fail("verify", &error);
    return CLI_EXIT_OK;
}

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Before the run each file gets a report that says that nothing has run yet: what can't be written
 * is found now, and whatever kills the program leaves no old result behind. What is no regular file
 * gets only the last report. */
static int write_first_reports(const struct verify_options *options,
                               const struct pm_verify_report *report)
{
    struct verify_options regular = *options;
    struct pm_error error;
    for (int i = 0; i < PM_VERIFY_FORMAT_COUNT; i++) {
        const char *path = options->reports[i];
        if (path == NULL || strcmp(path, "-") == 0)
            continue;
        if (pm_file_check_writable(path, &error) != PM_OK)
            return cli_fail("verify", &error);
        if (is_special(path))
            regular.reports[i] = NULL;
    }
    return write_reports(&regular, report, true);
}

/* A run that could not even begin leaves no old report behind that could be taken for its own. */
static void write_no_run(const struct verify_options *options)
{
    const struct pm_verify_report report = {
        .end = PM_VERIFY_BROKE_OFF, .error = "the run could not begin; standard error says why"};
    write_reports(options, &report, true);
    write_reports(options, &report, false);
}

static int tell(const struct verify_options *options, const struct pm_verify_report *report)
{
    const int code = write_reports(options, report, true);
    if (!is_summary(options))
        return code != CLI_EXIT_OK ? code : write_reports(options, report, false);
    cli_verify_print_failures(report);
    if (!options->quiet)
        cli_verify_print_summary(report, options->command, options->is_default);
    return code;
}

/* ---- The run ---- */

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
    if (options->requires_all && cli_verify_count_unsupported(report) > 0) {
        fprintf(stderr, "plymark verify: --require-all: %" PRIu64 " rows were refused\n",
                cli_verify_count_unsupported(report));
        return CLI_EXIT_ENVIRONMENT;
    }
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

static int run_prepared(struct verify_options *options, const struct pm_verify_plan *plan,
                        const struct pm_verify_config *config, struct pm_verify_report *report)
{
    struct pm_error error = {0};
    options->has_begun = true;
    int code = write_first_reports(options, report);
    if (code != CLI_EXIT_OK)
        return code;
    const enum pm_status status = pm_verify_run(plan, config, report, &error);
    cli_verify_clear_progress();
    if (status != PM_OK)
        code = cli_fail("verify", &error);
    else if (report->wrong > 0)
        cli_explain(plan, config, &options->subjects, report);
    const int told = tell(options, report);
    return exit_code(options, report, code != CLI_EXIT_OK ? code : told);
}

static int run(struct verify_options *options, struct pm_verify_plan *plan,
               struct pm_verify_known *known)
{
    struct pm_error error = {0};
    struct pm_verify_report report = {0};
    struct cli_verify_progress progress = {.report = &report, .start = pm_clock_ns()};
    const struct pm_verify_config config = {
        .kernels = options->subjects.kernels,
        .kernel_count = options->subjects.kernel_count,
        .outside = options->subjects.outside,
        .outside_count = options->subjects.outside_count,
        .reference = pm_kernels_reference(),
        .checks = options->checks,
        .threads = choose_threads(options, plan),
        .fail_fast = options->fail_fast,
        .known = options->expected != NULL ? known : NULL,
        .stop = cli_catch_interrupt(),
        .progress = isatty(STDERR_FILENO) ? cli_verify_progress : NULL,
        .context = &progress,
    };

    if (config.reference == NULL) {
        fputs("plymark verify: no reference kernel runs here\n", stderr);
        return CLI_EXIT_ENVIRONMENT;
    }
    const int code = pm_verify_prepare(plan, &config, &report, &error) == PM_OK
                         ? run_prepared(options, plan, &config, &report)
                         : cli_fail("verify", &error);
    pm_verify_report_free(&report);
    return code;
}

/* Small enough to be typed again. */
static uint64_t new_seed(void)
{
    struct pm_random random = {.state = pm_clock_ns() ^ (uint64_t)getpid() << 32};
    return pm_random_next(&random) >> 32;
}

/* The command line, to be typed again. */
static char *join(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    fputs("plymark verify", file);
    for (int i = 1; i < argc; i++) {
        fputc(' ', file);
        pm_shell_word(argv[i], file);
    }
    return fclose(file) == 0 ? text : NULL;
}

static int open_and_run(struct verify_options *options, struct pm_verify_plan *plan)
{
    struct pm_verify_known known = {0};
    struct pm_error error;
    int code = CLI_EXIT_OK;
    if (options->expected != NULL &&
        pm_verify_known_read(options->expected, &known, &error) != PM_OK)
        code = cli_fail("verify", &error);
    /* From here on an interruption ends in a report; before, it just ends the program. */
    options->subjects.options.stop = cli_catch_interrupt();
    if (code == CLI_EXIT_OK)
        code = cli_subjects_open(&options->subjects, choose_threads(options, plan), "verify");
    if (code == CLI_EXIT_OK)
        code = run(options, plan, &known);
    cli_subjects_close(&options->subjects);
    pm_verify_known_free(&known);
    return code;
}

int cli_verify(int argc, char **argv)
{
    char folder[PATH_MAX];
    struct verify_options options = {.checks = PM_CHECK_BIT(PM_CHECK_COUNT) - 1,
                                     .random = -1,
                                     .seed = new_seed(),
                                     .command = join(argc, argv)};
    struct pm_verify_plan plan = {.folder = cli_suite_folder(folder)};

    options.subjects.options = (struct pm_subject_options){.mode = PM_MODE_BULK};
    parse(argc, argv, &options);
    options.is_default = options.word_count == 0;
    if (options.is_default)
        options.words[options.word_count++] = options.list ? "full" : "smoke";
    int code = options.command != NULL ? read_suites(&options, &plan) : CLI_EXIT_ENVIRONMENT;
    if (code == CLI_EXIT_OK && options.list)
        list_suites(&plan);
    else if (code == CLI_EXIT_OK)
        code = open_and_run(&options, &plan);
    if (options.all_isa && !options.list && code == CLI_EXIT_OK)
        code = cli_verify_levels(is_summary(&options) ? stdout : stderr);
    if (!options.has_begun && !options.list)
        write_no_run(&options);
    pm_verify_plan_free(&plan);
    free(options.command);
    return code;
}
