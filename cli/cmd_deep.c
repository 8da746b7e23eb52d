/* SPDX-License-Identifier: MIT */
/* `plymark deep`: counts that take hours, in items, each kept in a database as soon as it is known.
 */
#include "cli/deep.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/mode.h"
#include "core/position.h"
#include "jobs/item_text.h"
#include "perft/choose.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* From here on distinct positions pay. */
#define UNIQUE_MIN_DEPTH 6
#define MAX_SECONDS 1e9

enum {
    KEY_DB = 256,
    KEY_SPLIT,
    KEY_PLY,
    KEY_ITEMS,
    KEY_ONLY,
    KEY_SEED,
    KEY_MEMORY,
    KEY_EXACT,
    KEY_AUDIT,
    KEY_TIME_LIMIT,
    KEY_PROGRESS,
    KEY_DROP,
    KEY_DIVIDE,
    KEY_STATUS,
    KEY_IMPORT,
    KEY_EXPORT,
    KEY_JSON
};

/* ---- Options ---- */

static double read_real(const struct argp_state *state, const char *what, const char *text,
                        double max)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0) || value > max)
        cli_usage(state, "%s is \"%s\": a number from 0 to %g is needed", what, text, max);
    return value;
}

static double read_percent(const struct argp_state *state, char *text)
{
    char *sign = strchr(text, '%');
    if (sign != NULL && sign[1] == '\0')
        *sign = '\0';
    return read_real(state, "--audit", text, 100);
}

static uint64_t read_seed(const struct argp_state *state, const char *text)
{
    pm_count seed;
    if (!pm_count_from_text(text, (unsigned)strlen(text), &seed) || seed > UINT64_MAX)
        cli_usage(state, "--seed is \"%s\": a whole number below 2^64 is needed", text);
    return (uint64_t)seed;
}

/* "7", or "0-1999". */
static void read_range(struct deep_options *options, const struct argp_state *state, char *text)
{
    char *rest = text;
    const char *first = strsep(&rest, "-");
    options->first = (uint32_t)cli_number(state, "--only", first, 0, INT32_MAX);
    options->last = rest == NULL
                        ? options->first
                        : (uint32_t)cli_number(state, "--only", rest, options->first, INT32_MAX);
}

/* Whether a database is only looked at. */
static bool looks(const struct deep_options *options)
{
    return options->status || options->export_path != NULL || options->divide > 0;
}

static void check_options(const struct deep_options *options, const struct argp_state *state)
{
    const bool goes_without_depth =
        looks(options) || options->import_path != NULL || options->drop >= 0;
    if (options->kernels.count > 2)
        cli_usage(state, "--kernel names %d kernels: one to count and one to audit are possible",
                  options->kernels.count);
    if (options->ply > 0 && options->items > 0)
        cli_usage(state, "--ply is for --split positions, --items for --split unique");
    if (options->database == NULL && goes_without_depth)
        cli_usage(state, "the database is missing: --db FILE");
    if (options->depth == 0 && !goes_without_depth)
        cli_usage(state, "the depth is missing: -d N");
    if (options->depth == 0 && (options->audit > 0 || options->json != NULL))
        cli_usage(state, "--audit and --json need the depth: -d N");
}

static error_t parse_file_option(int key, char *argument, struct argp_state *state)
{
    struct deep_options *options = state->input;
    switch (key) {
    case KEY_DB:
        options->database = argument;
        return 0;
    case KEY_STATUS:
        options->status = true;
        return 0;
    case KEY_IMPORT:
        options->import_path = argument;
        return 0;
    case KEY_EXPORT:
        options->export_path = argument;
        return 0;
    case KEY_JSON:
        options->json = argument;
        return 0;
    case KEY_DIVIDE:
        options->divide = (int)cli_number(state, "--divide", argument, 1, PM_PLAN_MAX_PLY);
        return 0;
    case KEY_DROP:
        options->drop = cli_number(state, "--drop", argument, 0, INT32_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_plan_option(int key, char *argument, struct argp_state *state)
{
    struct deep_options *options = state->input;
    switch (key) {
    case 'd':
        options->depth = (int)cli_number(state, "--depth", argument, 1, PM_JOB_MAX_DEPTH);
        return 0;
    case KEY_SPLIT:
        options->split = pm_split_from_text(argument);
        if (options->split < 0)
            cli_usage(state, "--split is \"%s\": unique or positions is needed", argument);
        return 0;
    case KEY_PLY:
        options->ply = (int)cli_number(state, "--ply", argument, 1, PM_PLAN_MAX_PLY);
        return 0;
    case KEY_ITEMS:
        options->items = (uint32_t)cli_number(state, "--items", argument, 1, PM_UNIQUE_MAX_ITEMS);
        return 0;
    default:
        return parse_file_option(key, argument, state);
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct deep_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        state->child_inputs[1] = &options->position;
        state->child_inputs[2] = &options->threads;
        return 0;
    case KEY_ONLY:
        read_range(options, state, argument);
        return 0;
    case KEY_SEED:
        options->seed = read_seed(state, argument);
        return 0;
    case KEY_MEMORY:
        if (!pm_memory_from_text(argument, &options->memory) || options->memory == 0)
            cli_usage(state, "--memory is \"%s\": a size such as 500M or 16G is needed", argument);
        return 0;
    case KEY_EXACT:
        options->exact = true;
        return 0;
    case KEY_AUDIT:
        options->audit = read_percent(state, argument);
        return 0;
    case KEY_TIME_LIMIT:
        options->time_limit = read_real(state, "--time-limit", argument, MAX_SECONDS);
        return 0;
    case KEY_PROGRESS:
        options->progress_seconds = read_real(state, "--progress-seconds", argument, MAX_SECONDS);
        return 0;
    case ARGP_KEY_END:
        check_options(options, state);
        return 0;
    default:
        return parse_plan_option(key, argument, state);
    }
}

static void parse(int argc, char **argv, struct deep_options *options)
{
    static const struct argp_option own_options[] = {
        {"depth", 'd', "N", 0, "Plies to count", 0},
        {"db", KEY_DB, "FILE", 0,
         "Keep the plan and every finished item there; the same command goes on after any end "
         "(default: in memory alone)",
         0},
        {"split", KEY_SPLIT, "HOW", 0,
         "unique: parts of the last list of distinct positions; positions: the distinct positions "
         "some plies below the root (default: unique from depth 6 on)",
         0},
        {"ply", KEY_PLY, "P", 0,
         "How many plies below the root the positions are, 1 to 5 (default: 1 to 3, by depth)", 0},
        {"items", KEY_ITEMS, "N", 0,
         "Into how many parts to split by unique, a power of two (default: by depth)", 0},
        {"only", KEY_ONLY, "A-B", 0, "Count these items alone", 0},
        {"memory", KEY_MEMORY, "SIZE", 0,
         "The most to take for lists and tables: 500M, 16G (default: 3/4 of what is free)", 0},
        {"seed", KEY_SEED, "S", 0, "Of hash keys and of what is audited (default: 1)", 0},
        {"exact", KEY_EXACT, NULL, 0, "Compare whole positions, not keys of them", 0},
        {"audit", KEY_AUDIT, "PERCENT", 0,
         "Count so many items, chosen at random, again: by another kernel and other keys; the "
         "first that differs ends it",
         1},
        {"drop", KEY_DROP, "ITEM", 0, "Take an item's count away: it will be counted again", 1},
        {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0, "Stop then as at Ctrl-C", 1},
        {"progress-seconds", KEY_PROGRESS, "SECONDS", 0,
         "Without a terminal, tell how far it is so often on stderr; 0: never (default: 60)", 1},
        {"status", KEY_STATUS, NULL, 0, "Tell what the database holds; a count may go on beside",
         2},
        {"divide", KEY_DIVIDE, "LEVEL", 0,
         "Counts below each sequence of so many moves, from finished split positions", 2},
        {"export", KEY_EXPORT, "FILE", 0, "Write finished items as text (-: stdout)", 2},
        {"import", KEY_IMPORT, "FILE", 0,
         "Take over finished items; makes the database if there is none (-: stdin)", 2},
        {"json", KEY_JSON, "FILE", 0, "Write a summary there when all items are finished", 2},
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
        .doc = "Count so deep that it takes hours: in items, each kept in a database as soon as it "
               "is known.\v-k A,B: A counts, B audits.",
        .children = children};
    cli_parse(&argp, argc, argv, options);
}

/* ---- Kernels ---- */

static bool offers_unique(const struct deep_options *options)
{
    return pm_kernel_offers(options->kernels.count > 0 ? options->kernels.kernels[0]
                                                       : pm_choose_item_kernel(),
                            PM_MODE_UNIQUE);
}

/* Finds which kernels count and audit, and makes them ready. Returns an exit code, after a line on
 * stderr unless all is right. */
static int choose_kernels(struct deep_options *options, enum pm_split split)
{
    struct cli_kernels *kernels = &options->kernels;
    const bool unique = split == PM_SPLIT_UNIQUE;
    if (kernels->count == 0 && unique && !offers_unique(options)) {
        fputs("plymark deep: no kernel here can split by unique: --split positions\n", stderr);
        return CLI_EXIT_NOTHING;
    }
    if (kernels->count == 0)
        kernels->kernels[kernels->count++] = pm_choose_item_kernel();
    if (kernels->count == 1)
        kernels->kernels[kernels->count++] = pm_choose_auditor(kernels->kernels[0], unique);
    for (int i = 0; i < 2; i++)
        if (unique && !pm_kernel_offers(kernels->kernels[i], PM_MODE_UNIQUE)) {
            fprintf(stderr, "plymark deep: --kernel: %s can't split by unique: --split positions\n",
                    kernels->kernels[i]->name);
            return CLI_EXIT_USAGE;
        }
    return cli_kernels_ready(kernels);
}

/* ---- Plans ---- */

static enum pm_split split_of(const struct deep_options *options)
{
    if (options->split >= 0)
        return (enum pm_split)options->split;
    if (options->ply > 0)
        return PM_SPLIT_POSITIONS;
    if (options->items > 0)
        return PM_SPLIT_UNIQUE;
    return options->depth >= UNIQUE_MIN_DEPTH && offers_unique(options) ? PM_SPLIT_UNIQUE
                                                                        : PM_SPLIT_POSITIONS;
}

/* So that an item still is some work. */
static int default_ply(int depth)
{
    const int ply = depth - 4;
    return ply < 1 ? 1 : ply > 3 ? 3 : ply;
}

static enum pm_status make_plan(const struct deep_options *options, struct pm_plan *plan,
                                struct pm_error *error)
{
    *plan = (struct pm_plan){.depth = options->depth, .split = split_of(options)};
    pm_plan_set_position(plan, &options->position.position);
    if (plan->split == PM_SPLIT_POSITIONS) {
        plan->ply = options->ply > 0 ? options->ply : default_ply(plan->depth);
    } else {
        plan->ply = options->ply; /* pm_plan_check() refuses it */
        plan->items =
            options->items > 0 ? options->items : pm_unique_default_plan(plan->depth).items;
    }
    return pm_plan_check(plan, "asked for", error);
}

/* What is not given is taken from the plan of the database. */
static enum pm_status compare_plan(const struct deep_options *options, const struct pm_plan *plan,
                                   struct pm_error *error)
{
    char what[256];
    struct pm_plan asked = *plan;
    if (options->depth == 0)
        return PM_OK;
    asked.depth = options->depth;
    pm_plan_set_position(&asked, &options->position.position);
    if (options->split >= 0 || options->ply > 0 || options->items > 0)
        asked.split = split_of(options);
    if (options->ply > 0)
        asked.ply = options->ply;
    if (options->items > 0)
        asked.items = options->items;
    snprintf(what, sizeof what, "'%s'", options->database);
    return pm_plan_compare(plan, what, &asked, error);
}

/* ---- One command ---- */

struct deep_command {
    struct deep_options options;
    const struct pm_counting_team *team;
    struct pm_topology *topology;
    struct pm_driver *driver;
    struct pm_store *store;
    struct pm_items *items;
    struct pm_items_text *import;
    char *environment;
    const atomic_bool *stop;
    int code; /* what went wrong, if it was said already */
};

static enum pm_status make_kernels_ready(struct deep_command *command, enum pm_split split)
{
    command->code = choose_kernels(&command->options, split);
    return command->code == CLI_EXIT_OK ? PM_OK : PM_ERROR_UNSUPPORTED;
}

static enum pm_status make_items(struct deep_command *command, struct pm_plan *plan,
                                 struct pm_error *error)
{
    if (plan->split != PM_SPLIT_POSITIONS)
        return PM_OK;
    return pm_items_create(plan, command->options.kernels.kernels[0], command->stop,
                           &command->items, error);
}

/* What is imported, if anything, must be of this plan. */
static enum pm_status compare_import(const struct deep_command *command, const struct pm_plan *plan,
                                     struct pm_error *error)
{
    if (command->import == NULL)
        return PM_OK;
    return pm_plan_compare(pm_items_text_plan(command->import), pm_items_text_name(command->import),
                           plan, error);
}

static enum pm_status create_store(struct deep_command *command, struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    struct pm_plan plan;
    enum pm_status status;
    if (command->import != NULL) {
        plan = *pm_items_text_plan(command->import);
        status = compare_plan(options, &plan, error);
    } else {
        status = make_plan(options, &plan, error);
    }
    if (status == PM_OK)
        status = make_kernels_ready(command, plan.split);
    if (status == PM_OK)
        status = make_items(command, &plan, error);
    if (status == PM_OK)
        status = compare_import(command, &plan, error);
    if (status != PM_OK)
        return status;
    if (options->database == NULL && isatty(STDERR_FILENO))
        fputs("plymark deep: nothing is kept: --db FILE would\n", stderr);
    return pm_store_create(options->database != NULL ? options->database : ":memory:", &plan,
                           command->items, &command->store, error);
}

static enum pm_status open_store(struct deep_command *command, enum pm_store_access access,
                                 struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    enum pm_status status = pm_store_open(options->database, access, &command->store, error);
    if (status != PM_OK)
        return status;
    const struct pm_plan plan = *pm_store_plan(command->store);
    status = compare_plan(options, &plan, error);
    if (status == PM_OK)
        status = compare_import(command, &plan, error);
    const bool needs_kernels = access == PM_STORE_WRITE || options->divide > 0;
    return status == PM_OK && needs_kernels ? make_kernels_ready(command, plan.split) : status;
}

/* The positions again, as they were found when the database was made. */
static enum pm_status find_items(struct deep_command *command, struct pm_error *error)
{
    struct pm_plan plan = *pm_store_plan(command->store);
    if (command->items != NULL || plan.split != PM_SPLIT_POSITIONS)
        return PM_OK;
    const enum pm_status status = make_items(command, &plan, error);
    return status == PM_OK ? pm_store_check_items(command->store, command->items, error) : status;
}

static struct pm_store_run describe_run(const struct deep_command *command)
{
    const struct deep_options *options = &command->options;
    const struct pm_kernel *kernel = options->kernels.kernels[0];
    return (struct pm_store_run){
        .kernel = kernel->name,
        .revision = kernel->revision,
        .mode = pm_mode_text(pm_counting_mode(pm_store_plan(command->store), kernel)),
        .version = PM_VERSION,
        .environment = command->environment,
        .source = "",
        .threads = pm_driver_threads(command->driver),
        .seed = options->seed,
        .exact = options->exact,
    };
}

static enum pm_status import_items(struct deep_command *command, struct pm_error *error)
{
    const struct pm_store_run run = {.kernel = "",
                                     .revision = "",
                                     .mode = "",
                                     .version = PM_VERSION,
                                     .environment = "",
                                     .source = pm_items_text_name(command->import)};
    struct pm_items_imported imported;
    const enum pm_status status =
        pm_items_import(command->import, &run, command->store, command->items, &imported, error);
    if (status == PM_OK)
        fprintf(stderr, "plymark deep: %u items taken over, %u were known\n", imported.added,
                imported.known);
    return status;
}

/* The timer's signal stops as a user's does. */
static enum pm_status start_timer(double seconds, struct pm_error *error)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    const struct itimerspec when = {.it_value.tv_sec = (time_t)seconds,
                                    .it_value.tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    if (seconds <= 0)
        return PM_OK;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        return pm_fail(error, PM_ERROR_IO, "--time-limit: %s", strerror(errno));
    return PM_OK;
}

static enum pm_status open_driver(struct deep_command *command, struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    enum pm_status status = pm_topology_open(&command->topology, error);
    if (status != PM_OK)
        return status;
    const struct pm_driver_config config = {.topology = command->topology,
                                            .pin = options->threads.pin,
                                            .threads = options->threads.threads};
    status = pm_driver_open(&config, &command->driver, error);
    if (status != PM_OK)
        return status;
    command->environment = deep_environment(command->topology);
    return command->environment != NULL ? PM_OK : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
}

static enum pm_status end_run(struct pm_counting *counting, struct pm_error *error)
{
    const struct pm_counting_config *config = &counting->config;
    if (config->items != NULL)
        for (int ply = 0; ply <= pm_store_plan(config->store)->ply; ply++)
            counting->distinct[counting->distinct_count++] = pm_items_distinct(config->items, ply);
    const struct pm_store_ending ending = {.error_probability = counting->error_probability,
                                           .distinct = counting->distinct,
                                           .distinct_count = counting->distinct_count};
    return pm_store_end_run(config->store, &ending, error);
}

static enum pm_status run_counting(const struct deep_command *command,
                                   struct deep_progress *progress, struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    struct pm_counting counting = {.config = {
                                       .store = command->store,
                                       .items = command->items,
                                       .kernel = options->kernels.kernels[0],
                                       .auditor = options->kernels.kernels[1],
                                       .first = options->first,
                                       .last = options->last,
                                       .audit = options->audit,
                                       .seed = options->seed,
                                       .memory = options->memory,
                                       .exact = options->exact,
                                       .stop = command->stop,
                                       .driver = command->driver,
                                       .team = command->team,
                                       .pin = options->threads.pin,
                                       .threads = options->threads.threads,
                                       .progress = deep_show_progress,
                                       .note = deep_show_note,
                                       .context = progress,
                                   }};
    const struct pm_store_run run = describe_run(command);
    enum pm_status status = pm_store_begin_run(command->store, &run, error);
    if (status == PM_OK)
        status = pm_counting_run(&counting, error);
    deep_end_progress(progress);
    const enum pm_status ended = end_run(&counting, status == PM_OK ? error : NULL);
    return status == PM_OK ? ended : status;
}

static enum pm_status count_open_items(struct deep_command *command, struct pm_error *error)
{
    struct deep_options *options = &command->options;
    const struct pm_plan *plan = pm_store_plan(command->store);
    struct deep_progress progress = {.interval = options->progress_seconds,
                                     .items = plan->items,
                                     .known_before = pm_store_known_count(command->store)};
    uint32_t disputed;
    if (options->first > 0 && options->first >= plan->items)
        return pm_fail(error, PM_ERROR_ARGUMENT, "--only %u: there are %u items, from 0",
                       options->first, plan->items);
    if (options->last >= plan->items)
        options->last = plan->items > 0 ? plan->items - 1 : 0;
    if (progress.known_before == plan->items && options->audit <= 0)
        return PM_OK;
    const enum pm_status status =
        options->audit > 0 ? PM_OK : deep_check_audits(command->store, &disputed, error);
    return status == PM_OK ? run_counting(command, &progress, error) : status;
}

static enum pm_status count(struct deep_command *command, struct pm_error *error)
{
    enum pm_status status = start_timer(command->options.time_limit, error);
    if (status == PM_OK)
        status = open_driver(command, error);
    if (status == PM_OK)
        status = count_open_items(command, error);
    if (status == PM_OK && command->options.json != NULL)
        status =
            deep_write_json(command->store, command->environment, command->options.json, error);
    if (status == PM_OK)
        status = deep_print_total(command->store, error);
    return status;
}

static enum pm_status work(struct deep_command *command, struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    const bool is_there = options->database != NULL && pm_store_exists(options->database);
    enum pm_status status = PM_OK;
    if (options->import_path != NULL)
        status = pm_items_text_open(options->import_path, &command->import, error);
    if (status == PM_OK && !is_there && options->import_path == NULL && options->depth == 0)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "there is no '%s'", options->database);
    if (status == PM_OK)
        status =
            is_there ? open_store(command, PM_STORE_WRITE, error) : create_store(command, error);
    if (status == PM_OK)
        status = find_items(command, error);
    if (status == PM_OK && options->drop >= 0)
        status = pm_store_forget(command->store, (uint32_t)options->drop, error);
    if (status == PM_OK && command->import != NULL)
        status = import_items(command, error);
    if (status == PM_OK && options->depth > 0)
        status = count(command, error);
    return status;
}

/* ---- Looking at a database ---- */

static enum pm_status export_items(struct deep_command *command, struct pm_error *error)
{
    const char *path = command->options.export_path;
    char *text = NULL;
    size_t size;
    if (strcmp(path, "-") == 0)
        return pm_items_export(stdout, command->store, error);
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_items_export(memory, command->store, error);
    if (fclose(memory) != 0 && status == PM_OK)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    if (status == PM_OK)
        status = pm_file_write(path, text, size, error);
    free(text);
    return status;
}

static enum pm_status divide(struct deep_command *command, struct pm_error *error)
{
    const struct pm_plan *plan = pm_store_plan(command->store);
    if (plan->split != PM_SPLIT_POSITIONS)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "--divide: '%s' is split by unique: its items are parts of a list that the "
                       "root moves share; --split positions has a divide",
                       command->options.database);
    if (pm_store_known_count(command->store) < plan->items)
        return pm_fail(
            error, PM_ERROR_ARGUMENT, "--divide: '%s' has %u of %u items: all are needed",
            command->options.database, pm_store_known_count(command->store), plan->items);
    const enum pm_status status = find_items(command, error);
    return status == PM_OK
               ? deep_print_divide(command->store, command->items, command->options.divide,
                                   command->options.position.chess960 ||
                                       !pm_position_is_standard(&plan->position),
                                   error)
               : status;
}

static enum pm_status look(struct deep_command *command, struct pm_error *error)
{
    const struct deep_options *options = &command->options;
    enum pm_status status = open_store(command, PM_STORE_READ, error);
    if (status == PM_OK && options->export_path != NULL)
        status = export_items(command, error);
    if (status == PM_OK && options->divide > 0)
        status = divide(command, error);
    if (status == PM_OK && options->status)
        status = deep_print_status(command->store, options->database, error);
    return status;
}

static int get_ready(struct deep_command *command)
{
    struct deep_options *options = &command->options;
    struct pm_error error;
    const int code = cli_position_ready(&options->position);
    if (code != CLI_EXIT_OK)
        return code;
    if (options->json != NULL && pm_file_check_writable(options->json, &error) != PM_OK)
        return cli_fail("deep", &error);
    if (options->memory == 0)
        options->memory = pm_memory_available() / 4 * 3;
    command->stop = cli_catch_interrupt();
    return CLI_EXIT_OK;
}

static int conclude(struct deep_command *command, enum pm_status status, struct pm_error *error)
{
    const uint32_t items = command->store != NULL ? pm_store_plan(command->store)->items : 0;
    struct pm_error closing;
    uint32_t known = 0;
    if (command->store != NULL)
        known = pm_store_known_count(command->store);
    const enum pm_status closed = pm_store_close(command->store, &closing);
    if (status == PM_OK && closed != PM_OK)
        *error = closing;
    if (status == PM_ERROR_INTERRUPTED && command->store != NULL)
        fprintf(stderr,
                command->options.database != NULL
                    ? "plymark deep: stopped: %u of %u items are finished; the same command goes "
                      "on\n"
                    : "plymark deep: stopped: %u of %u items were finished; nothing is kept "
                      "without --db\n",
                known, items);
    pm_items_text_close(command->import);
    pm_items_destroy(command->items);
    pm_driver_close(command->driver);
    pm_topology_close(command->topology);
    free(command->environment);
    if (command->code != CLI_EXIT_OK)
        return command->code;
    if (status == PM_ERROR_INTERRUPTED)
        return CLI_EXIT_INTERRUPTED;
    return status != PM_OK || closed != PM_OK ? cli_fail("deep", error) : CLI_EXIT_OK;
}

int deep_run(int argc, char **argv, const struct pm_counting_team *team)
{
    struct deep_command command = {
        .team = team,
        .options = {
            .split = -1, .last = UINT32_MAX, .seed = 1, .drop = -1, .progress_seconds = 60}};
    struct deep_options *options = &command.options;
    struct pm_error error = {0};
    parse(argc, argv, options);
    const int code = get_ready(&command);
    if (code != CLI_EXIT_OK)
        return code;
    const enum pm_status status = looks(options) ? look(&command, &error) : work(&command, &error);
    return conclude(&command, status, &error);
}

int cli_deep(int argc, char **argv)
{
    return deep_run(argc, argv, NULL);
}
