/* SPDX-License-Identifier: MIT */
/* plymark_mutants: plants bugs in copies of the kernels and asks the suites. */
#include "kernels/registry.h"
#include "verify/mutation/mutants.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { EXIT_SURVIVOR = 1, EXIT_USAGE = 2, EXIT_CANNOT = 3 };

struct options {
    struct workshop workshop;
    const char *command;
    const char *only;
    bool fast;
};

enum { KEY_FAST = 256 };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 's':
        options->workshop.source = argument;
        return 0;
    case 'b':
        options->workshop.build = argument;
        return 0;
    case 'w':
        options->workshop.work = argument;
        return 0;
    case 'o':
        options->only = argument;
        return 0;
    case KEY_FAST:
        options->fast = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->command != NULL)
            return ARGP_ERR_UNKNOWN;
        options->command = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a command is needed: plant, matrix, smoke or check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_options[] = {
    {"source", 's', "FOLDER", 0, "the project (here)", 0},
    {"build", 'b', "FOLDER", 0, "a build tree of it, whose commands compile the kernels (build)",
     0},
    {"work", 'w', "FOLDER", 0, "for copies, objects and verdicts (build/mutants)", 0},
    {"only", 'o', "TEXT", 0,
     "mutants whose KERNEL/NAME contains it; matrix and smoke write nothing", 0},
    {"fast", KEY_FAST, NULL, 0, "check: one mutant a group", 0},
    {0},
};

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "plant|matrix|smoke|check",
    .doc = "Plants small bugs in copies of the kernels, one at a time.\v"
           "plant only looks whether all tables still fit the sources; matrix tries all mutants on "
           "all suites and writes results/mutants/summary.md; smoke "
           "also chooses the suite smoke.epd; check asks whether the harness, given that suite, "
           "rejects them. Exit code 1: a mutant survives, or an unchanged kernel does not.",
};

/* ---- matrix and smoke ---- */

/* Keeps the mutants whose title contains `only`. */
static void keep_only(struct mutant_table *table, const char *only)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        char title[MUTANT_TITLE_SIZE];
        if (strstr(mutant_title(&table->mutants[i], title), only) != NULL)
            table->mutants[kept++] = table->mutants[i];
    }
    table->count = kept;
}

static enum pm_status write_all(const struct options *options, const struct matrix *matrix,
                                struct pm_error *error)
{
    char results[WORK_PATH_SIZE], suites[WORK_PATH_SIZE];
    snprintf(results, sizeof results, "%s/results/mutants", options->workshop.source);
    snprintf(suites, sizeof suites, "%s/verify/suites", options->workshop.source);
    enum pm_status status = matrix_write(matrix, options->workshop.work, results, error);
    if (status == PM_OK && strcmp(options->command, "smoke") == 0)
        status = smoke_write(matrix, suites, results, error);
    return status;
}

static enum pm_status run_matrix(const struct options *options, const struct mutant_table *table,
                                 struct pm_error *error)
{
    char suites[WORK_PATH_SIZE];
    struct field field = {0};
    struct matrix matrix = {.table = table, .field = &field};

    snprintf(suites, sizeof suites, "%s/verify/suites", options->workshop.source);
    enum pm_status status = field_read(suites, &field, error);
    if (status == PM_OK)
        status = matrix_fill(&options->workshop, &matrix, error);
    if (status == PM_OK && options->only == NULL)
        status = write_all(options, &matrix, error);
    if (status == PM_OK)
        status = matrix_check(&matrix, error);
    matrix_free(&matrix);
    field_free(&field);
    return status;
}

/* ---- check ---- */

/* Whether every mutant can be planted, without building it: says which kernels' sources have
 * changed under the tables. */
static enum pm_status plant_all(const struct options *options, const struct mutant_table *table,
                                struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < table->count && status == PM_OK; i++) {
        uint64_t hash;
        status = plant(&options->workshop, &table->mutants[i], &hash, error);
    }
    if (status == PM_OK)
        printf("%zu mutants can be planted\n", table->count);
    return status;
}

static size_t count_with(const struct mutant *mutants, size_t count, const struct mutant *like,
                         bool kernel)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += kernel ? strcmp(mutants[i].kernel, like->kernel) == 0
                        : strcmp(mutants[i].group, like->group) == 0;
    return found;
}

/* Drops the mutants of kernels that this build does not have or this machine can't run. */
static void keep_runnable(struct mutant_table *table)
{
    const char *skipped = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct mutant mutant = table->mutants[i];
        const struct pm_kernel *kernel = pm_kernel_find(mutant.kernel);
        if (kernel != NULL && pm_kernel_missing(kernel) == 0) {
            table->mutants[kept++] = mutant;
        } else if (mutant.kernel != skipped) {
            printf("skip   %s: it can't run here\n", mutant.kernel);
            skipped = mutant.kernel;
        }
    }
    table->count = kept;
}

/* Moves one mutant a group to the front, of the kernel that was chosen least so far, and drops the
 * others. */
static void keep_fast(struct mutant_table *table)
{
    struct mutant *const mutants = table->mutants;
    size_t kept = 0;
    for (;;) {
        size_t best = table->count;
        for (size_t i = kept; i < table->count; i++) {
            if (!is_counted(&mutants[i]) || count_with(mutants, kept, &mutants[i], false) > 0)
                continue;
            if (best == table->count || (strcmp(mutants[i].group, mutants[best].group) == 0 &&
                                         count_with(mutants, kept, &mutants[i], true) <
                                             count_with(mutants, kept, &mutants[best], true)))
                best = i;
        }
        if (best == table->count)
            break;
        const struct mutant chosen = mutants[best];
        mutants[best] = mutants[kept];
        mutants[kept++] = chosen;
    }
    table->count = kept;
}

static enum pm_status reject(const struct options *options, const struct mutant *mutant,
                             bool *rejected, struct pm_error *error)
{
    char object[WORK_PATH_SIZE], suites[WORK_PATH_SIZE];
    uint64_t hash;
    snprintf(suites, sizeof suites, "%s/verify/suites", options->workshop.source);
    enum pm_status status = plant(&options->workshop, mutant, &hash, error);
    if (status == PM_OK)
        status = build_planted(&options->workshop, mutant, object, error);
    if (status == PM_OK)
        status = verify_object(object, mutant->kernel, suites, "smoke", rejected, error);
    return status;
}

/* Prints what became of a mutant; returns whether it is as it should be. */
static bool is_as_expected(const struct mutant *mutant, bool rejected)
{
    char title[MUTANT_TITLE_SIZE];
    const bool expected = is_counted(mutant) == rejected;
    printf("%s %s: %s\n", expected ? "ok    " : "NOT OK", mutant_title(mutant, title),
           rejected ? "rejected" : "accepted");
    return expected;
}

static enum pm_status check_one(const struct options *options, const struct mutant *mutant,
                                size_t *wrong, struct pm_error *error)
{
    bool rejected = false;
    const enum pm_status status = reject(options, mutant, &rejected, error);
    if (status == PM_OK)
        *wrong += !is_as_expected(mutant, rejected);
    return status;
}

/* Whether a mutant of that kernel stands before the one at index. */
static bool is_known_kernel(const struct mutant_table *table, size_t index)
{
    return count_with(table->mutants, index, &table->mutants[index], true) > 0;
}

static enum pm_status run_check(const struct options *options, struct mutant_table *table,
                                struct pm_error *error)
{
    size_t wrong = 0;
    enum pm_status status = plant_all(options, table, error);
    keep_runnable(table);
    if (options->fast)
        keep_fast(table);
    for (size_t i = 0; i < table->count && status == PM_OK; i++) {
        const struct mutant unchanged = mutant_unchanged(table->mutants[i].kernel);
        if (!is_known_kernel(table, i))
            status = check_one(options, &unchanged, &wrong, error);
        if (status == PM_OK)
            status = check_one(options, &table->mutants[i], &wrong, error);
    }
    if (status == PM_OK && wrong > 0)
        status = pm_fail(error, PM_ERROR_MISMATCH, "%zu of %zu are not as they should be", wrong,
                         table->count);
    return status;
}

/* ---- main ---- */

/* Two runs in one work folder would compile each other's mutants. The lock lasts as long as the
 * process. */
static enum pm_status lock_work_folder(const char *work, struct pm_error *error)
{
    char path[WORK_PATH_SIZE];
    mkdir(work, 0777);
    snprintf(path, sizeof path, "%s/lock", work);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
        return pm_fail(error, PM_ERROR_IO, "%s: another run uses this folder", work);
    return PM_OK;
}

static enum pm_status run_command(const struct options *options, struct mutant_table *table,
                                  struct pm_error *error)
{
    char tables[WORK_PATH_SIZE];
    snprintf(tables, sizeof tables, "%s/verify/mutation", options->workshop.source);
    enum pm_status status = lock_work_folder(options->workshop.work, error);
    if (status == PM_OK)
        status = mutant_table_read(tables, table, error);
    if (status != PM_OK)
        return status;
    if (options->only != NULL)
        keep_only(table, options->only);
    if (strcmp(options->command, "plant") == 0)
        return plant_all(options, table, error);
    if (strcmp(options->command, "check") == 0)
        return run_check(options, table, error);
    if (strcmp(options->command, "matrix") == 0 || strcmp(options->command, "smoke") == 0)
        return run_matrix(options, table, error);
    return pm_fail(error, PM_ERROR_ARGUMENT, "\"%s\" is none of plant, matrix, smoke, check",
                   options->command);
}

static int exit_code(enum pm_status status)
{
    switch (status) {
    case PM_OK:
        return EXIT_SUCCESS;
    case PM_ERROR_MISMATCH:
        return EXIT_SURVIVOR;
    case PM_ERROR_ARGUMENT:
    case PM_ERROR_PARSE:
        return EXIT_USAGE;
    default:
        return EXIT_CANNOT;
    }
}

int main(int argc, char *argv[])
{
    struct options options = {
        .workshop = {.source = ".", .build = "build", .work = "build/mutants"}};
    struct mutant_table table = {0};
    struct pm_error error;

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_USAGE;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const enum pm_status status = run_command(&options, &table, &error);
    if (status != PM_OK)
        fprintf(stderr, "plymark_mutants: %s\n", error.text);
    mutant_table_free(&table);
    return exit_code(status);
}
