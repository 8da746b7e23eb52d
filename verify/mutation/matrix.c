/* SPDX-License-Identifier: MIT */
/* All mutants on all rows, and what is published of it. */
#include "verify/mutation/mutants.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Filling ---- */

static void cache_path(const struct workshop *workshop, const struct mutant *mutant,
                       char path[WORK_PATH_SIZE])
{
    snprintf(path, WORK_PATH_SIZE, "%s/%s.%s.verdicts", workshop->work, mutant->kernel,
             mutant->name);
}

/* A line of the cache: the hash of what the verdicts depend on, and the verdicts. */
static bool read_line(const char *cache, uint64_t hash, char verdicts[], size_t count)
{
    char start[32];
    const int length = snprintf(start, sizeof start, "%016" PRIx64 " ", hash);
    const char *line = strstr(cache, start);
    if (line == NULL || strcspn(line, "\n") != (size_t)length + count)
        return false;
    memcpy(verdicts, line + length, count);
    return true;
}

static void write_line(FILE *file, uint64_t hash, const char verdicts[], size_t count)
{
    fprintf(file, "%016" PRIx64 " %.*s\n", hash, (int)count, verdicts);
}

/* Takes the verdicts of each suite that has not changed, for a kernel of that hash. Returns whether
 * nothing is left unknown. */
static bool read_cache(const char *path, uint64_t kernel, const struct field *field,
                       struct verdicts *verdicts)
{
    char *text = read_whole_file(path, NULL);
    const char *cache = text == NULL ? "" : text;
    bool complete = true;
    for (size_t i = 0; i < field->suite_count; i++) {
        const struct field_suite *suite = &field->suites[i];
        complete &= read_line(cache, kernel ^ suite->hash, verdicts->units + suite->first_unit,
                              suite->unit_count);
    }
    complete &= read_line(cache, kernel ^ field->hash, verdicts->walks, field->entry_count);
    free(text);
    return complete;
}

static enum pm_status write_cache(const char *path, uint64_t kernel, const struct field *field,
                                  const struct verdicts *verdicts, struct pm_error *error)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < field->suite_count; i++) {
        const struct field_suite *suite = &field->suites[i];
        write_line(file, kernel ^ suite->hash, verdicts->units + suite->first_unit,
                   suite->unit_count);
    }
    write_line(file, kernel ^ field->hash, verdicts->walks, field->entry_count);
    return fclose(file) == 0 ? PM_OK : pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
}

/* Room for verdicts, all unknown. */
static enum pm_status new_verdicts(const struct field *field, struct verdicts *verdicts,
                                   struct pm_error *error)
{
    verdicts->units = calloc(field->unit_count + 1, 1);
    verdicts->walks = calloc(field->entry_count + 1, 1);
    if (verdicts->units == NULL || verdicts->walks == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for verdicts");
    memset(verdicts->units, VERDICT_UNKNOWN, field->unit_count);
    memset(verdicts->walks, VERDICT_UNKNOWN, field->entry_count);
    return PM_OK;
}

static enum pm_status try_mutant(const struct workshop *workshop, const struct mutant *mutant,
                                 const struct field *field, struct verdicts *verdicts,
                                 struct pm_error *error)
{
    char path[WORK_PATH_SIZE], object[WORK_PATH_SIZE];
    uint64_t hash;

    enum pm_status status = plant(workshop, mutant, &hash, error);
    if (status == PM_OK)
        status = new_verdicts(field, verdicts, error);
    if (status != PM_OK)
        return status;
    cache_path(workshop, mutant, path);
    if (read_cache(path, hash, field, verdicts))
        return PM_OK;
    status = build_planted(workshop, mutant, object, error);
    if (status == PM_OK)
        status = try_object(object, mutant->kernel, field, verdicts, error);
    if (status == PM_OK)
        status = write_cache(path, hash, field, verdicts, error);
    return status;
}

static enum pm_status try_unchanged(const struct workshop *workshop, const char *kernel,
                                    const struct field *field, struct pm_error *error)
{
    const struct mutant unchanged = mutant_unchanged(kernel);
    struct verdicts verdicts = {0};
    enum pm_status status = try_mutant(workshop, &unchanged, field, &verdicts, error);

    if (status == PM_OK && (strspn(verdicts.units, ".") != field->unit_count ||
                            strspn(verdicts.walks, ".") != field->entry_count))
        status =
            pm_fail(error, PM_ERROR_MISMATCH, "kernel %s is wrong without any bug planted", kernel);
    free(verdicts.units);
    free(verdicts.walks);
    return status;
}

static void say_progress(const struct matrix *matrix, size_t done)
{
    const struct verdicts *verdicts = &matrix->verdicts[done];
    size_t kills = 0;
    char title[MUTANT_TITLE_SIZE];
    for (const char *unit = verdicts->units; *unit != '\0'; unit++)
        kills += is_kill(*unit);
    fprintf(stderr, "%3zu/%zu  %-48s %zu rows%s\n", done + 1, matrix->table->count,
            mutant_title(&matrix->table->mutants[done], title), kills,
            any_kill(verdicts->walks, matrix->field->entry_count) ? ", moves only" : "");
}

enum pm_status matrix_fill(const struct workshop *workshop, struct matrix *matrix,
                           struct pm_error *error)
{
    const struct mutant_table *table = matrix->table;
    enum pm_status status = PM_OK;

    matrix->verdicts = calloc(table->count, sizeof *matrix->verdicts);
    if (matrix->verdicts == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for the matrix");
    for (size_t i = 0; i < table->count && status == PM_OK; i++) {
        const struct mutant *mutant = &table->mutants[i];
        if (i == 0 || mutant->kernel != table->mutants[i - 1].kernel)
            status = try_unchanged(workshop, mutant->kernel, matrix->field, error);
        if (status == PM_OK)
            status = try_mutant(workshop, mutant, matrix->field, &matrix->verdicts[i], error);
        if (status == PM_OK)
            say_progress(matrix, i);
    }
    return status;
}

static bool is_killed(const struct matrix *matrix, size_t mutant)
{
    const struct verdicts *verdicts = &matrix->verdicts[mutant];
    return any_kill(verdicts->units, matrix->field->unit_count) ||
           any_kill(verdicts->walks, matrix->field->entry_count);
}

enum pm_status matrix_check(const struct matrix *matrix, struct pm_error *error)
{
    for (size_t i = 0; i < matrix->table->count; i++) {
        const struct mutant *mutant = &matrix->table->mutants[i];
        char title[MUTANT_TITLE_SIZE];
        if (is_counted(mutant) != is_killed(matrix, i))
            return pm_fail(error, PM_ERROR_MISMATCH, "%s: %s", mutant_title(mutant, title),
                           is_counted(mutant) ? "no row kills it"
                                              : "a row kills it, so it is not equivalent");
    }
    return PM_OK;
}

void matrix_free(struct matrix *matrix)
{
    for (size_t i = 0; matrix->verdicts != NULL && i < matrix->table->count; i++) {
        free(matrix->verdicts[i].units);
        free(matrix->verdicts[i].walks);
    }
    free(matrix->verdicts);
    matrix->verdicts = NULL;
}

/* ---- kill_matrix.tsv ---- */

/* One mutant on one suite. */
struct cell {
    size_t kills;             /* rows that show it */
    const struct unit *first; /* of those, the one with the fewest nodes; NULL: none */
    char verdict;             /* what the first says */
    uint64_t nodes;           /* of all rows up to and with the first */
    size_t walks;             /* entries whose walk shows it */
};

static struct cell cell_of(const struct matrix *matrix, size_t mutant,
                           const struct field_suite *suite)
{
    const struct verdicts *verdicts = &matrix->verdicts[mutant];
    struct cell cell = {0};
    for (size_t i = 0; i < suite->unit_count; i++) {
        const char verdict = verdicts->units[suite->first_unit + i];
        if (cell.first == NULL)
            cell.nodes += suite->units[i].nodes;
        if (is_kill(verdict) && cell.kills++ == 0) {
            cell.first = &suite->units[i];
            cell.verdict = verdict;
        }
    }
    for (size_t i = 0; i < suite->suite.entry_count; i++)
        cell.walks += is_kill(verdicts->walks[suite->first_entry + i]);
    return cell;
}

static const char *verdict_text(char verdict)
{
    static const char *const counts[] = {
        "make",           "bulk",           "make+bulk",           "lookahead",
        "make+lookahead", "bulk+lookahead", "make+bulk+lookahead",
    };
    switch ((enum verdict)verdict) {
    case VERDICT_CRASH:
        return "crash";
    case VERDICT_TIMEOUT:
        return "timeout";
    case VERDICT_REFUSED:
        return "refused";
    default:
        return counts[verdict - VERDICT_COUNTS - 1];
    }
}

static void write_cell(FILE *file, const struct matrix *matrix, size_t index,
                       const struct field_suite *suite)
{
    const struct mutant *mutant = &matrix->table->mutants[index];
    const struct cell cell = cell_of(matrix, index, suite);
    fprintf(file, "%s\t%s\t%s\t%s\t%zu\t%zu\t", mutant->kernel, mutant->name, mutant->group,
            suite->suite.name, suite->unit_count, cell.kills);
    if (cell.first != NULL)
        fprintf(file, "%u\t%d\t%s\t%" PRIu64 "\t", cell.first->entry->line, cell.first->depth,
                verdict_text(cell.verdict), cell.nodes);
    else
        fprintf(file, "\t\t\t\t");
    fprintf(file, "%zu\n", cell.walks);
}

static void write_tsv(FILE *file, const struct matrix *matrix)
{
    fprintf(file, "# The kill matrix, made by plymark_mutants. rows: tried, those with the fewest "
                  "nodes first; killed: rows that are wrong.\n"
                  "# line, depth, how: the first of those; nodes: of all rows up to and with it; "
                  "walks: entries where only level moves differs.\n"
                  "kernel\tmutant\tgroup\tsuite\trows\tkilled\tline\tdepth\thow\tnodes\twalks\n");
    for (size_t i = 0; i < matrix->table->count; i++)
        for (size_t j = 0; j < matrix->field->suite_count; j++)
            write_cell(file, matrix, i, &matrix->field->suites[j]);
}

/* ---- summary.md ---- */

/* Counted mutants of one group (NULL: of all) that a suite kills, by counts or also by walks. */
static size_t count_killed(const struct matrix *matrix, const char *group,
                           const struct field_suite *suite, bool walks)
{
    size_t count = 0;
    for (size_t i = 0; i < matrix->table->count; i++) {
        const struct mutant *mutant = &matrix->table->mutants[i];
        const struct cell cell = cell_of(matrix, i, suite);
        count += is_counted(mutant) && (group == NULL || strcmp(mutant->group, group) == 0) &&
                 (cell.kills != 0 || (walks && cell.walks != 0));
    }
    return count;
}

static uint64_t nodes_of(const struct field_suite *suite)
{
    uint64_t nodes = 0;
    for (size_t i = 0; i < suite->unit_count; i++)
        nodes += suite->units[i].nodes;
    return nodes;
}

static void write_suite_rates(FILE *file, const struct matrix *matrix)
{
    const size_t all = mutant_count(matrix->table, NULL, NULL);
    fprintf(file,
            "%zu mutants, and %zu equivalent ones that are not counted.\n\n"
            "| suite | rows tried | their nodes | killed by counts | with level moves | rate |\n"
            "|---|---:|---:|---:|---:|---:|\n",
            all, matrix->table->count - all);
    for (size_t i = 0; i < matrix->field->suite_count; i++) {
        const struct field_suite *suite = &matrix->field->suites[i];
        const size_t killed = count_killed(matrix, NULL, suite, true);
        fprintf(file, "| %s | %zu | %" PRIu64 " | %zu | %zu | %.1f %% |\n", suite->suite.name,
                suite->unit_count, nodes_of(suite), count_killed(matrix, NULL, suite, false),
                killed, 100.0 * (double)killed / (double)(all == 0 ? 1 : all));
    }
}

static void write_group_rates(FILE *file, const struct matrix *matrix)
{
    fprintf(file, "| group | mutants |");
    for (size_t i = 0; i < matrix->field->suite_count; i++)
        fprintf(file, " %s |", matrix->field->suites[i].suite.name);
    fprintf(file, "\n|---|---:|");
    for (size_t i = 0; i < matrix->field->suite_count; i++)
        fprintf(file, "---:|");
    for (size_t i = 0; i < matrix->table->count; i++) {
        const char *group = matrix->table->mutants[i].group;
        if (!mutant_opens_group(matrix->table, i))
            continue;
        fprintf(file, "\n| %s | %zu |", group, mutant_count(matrix->table, group, NULL));
        for (size_t j = 0; j < matrix->field->suite_count; j++)
            fprintf(file, " %zu |", count_killed(matrix, group, &matrix->field->suites[j], true));
    }
    fprintf(file, "\n");
}

static void write_survivors(FILE *file, const struct matrix *matrix)
{
    fprintf(file, "\n## Killed by no suite\n\n");
    size_t count = 0;
    char title[MUTANT_TITLE_SIZE];
    for (size_t i = 0; i < matrix->table->count; i++) {
        const struct mutant *mutant = &matrix->table->mutants[i];
        if (is_counted(mutant) && !is_killed(matrix, i)) {
            fprintf(file, "* %s: %s\n", mutant_title(mutant, title), mutant->clause);
            count++;
        }
    }
    if (count == 0)
        fprintf(file, "None.\n");
}

static void write_markdown(FILE *file, const struct matrix *matrix)
{
    fprintf(file,
            "# Which suite kills which mutant\n\n"
            "Made by `plymark_mutants matrix`; verify/mutation/README.md explains. Each row is "
            "run in every mode that\nthe kernel offers (make, bulk, lookahead); level moves is "
            "asked only where no count tells.\n\n");
    write_suite_rates(file, matrix);
    fprintf(file, "\n## By part of the rules\n\n");
    write_group_rates(file, matrix);
    write_survivors(file, matrix);
}

static enum pm_status write_with(const struct matrix *matrix, const char *folder, const char *name,
                                 void (*write)(FILE *file, const struct matrix *matrix),
                                 struct pm_error *error)
{
    char path[WORK_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    write(file, matrix);
    return fclose(file) == 0 ? PM_OK : pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
}

enum pm_status matrix_write(const struct matrix *matrix, const char *work, const char *results,
                            struct pm_error *error)
{
    mkdir(results, 0777);
    const enum pm_status status = write_with(matrix, work, "kill_matrix.tsv", write_tsv, error);
    return status != PM_OK ? status
                           : write_with(matrix, results, "summary.md", write_markdown, error);
}
