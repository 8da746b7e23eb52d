/* SPDX-License-Identifier: MIT */
/* Writes the smoke suite and the table of what each of its rows catches. */
#include "verify/mutation/mutants.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each mutant is to be killed by so many rows, where so many can. */
enum { TIMES = 2 };

/* One entry of the suite. */
struct pick {
    const struct field_suite *suite;
    const struct pm_suite_entry *entry;
    size_t number; /* of the entry, numbered through */
};

/* What is published of a cover. */
struct smoke {
    const struct matrix *matrix;
    struct cover cover;
    struct pick *picks;
    size_t pick_count;
};

/* ---- Picking the entries ---- */

static bool is_unit_picked(const struct smoke *smoke, const struct pick *pick, size_t unit)
{
    return smoke->cover.units[pick->suite->first_unit + unit] &&
           pick->suite->units[unit].entry == pick->entry;
}

static size_t count_units(const struct smoke *smoke, const struct pick *pick)
{
    size_t count = 0;
    for (size_t i = 0; i < pick->suite->unit_count; i++)
        count += is_unit_picked(smoke, pick, i);
    return count;
}

static struct pick pick_of(const struct field *field, size_t number)
{
    const struct field_suite *suite = suite_of_entry(field, number);
    return (struct pick){
        .suite = suite,
        .entry = &suite->suite.entries[number - suite->first_entry],
        .number = number,
    };
}

/* Finds the cover and lists its entries. `without`: see cover_find(). */
static enum pm_status smoke_find(struct smoke *smoke, const char *without, struct pm_error *error)
{
    const struct field *field = smoke->matrix->field;
    const enum pm_status status = cover_find(smoke->matrix, without, TIMES, &smoke->cover, error);
    if (status != PM_OK)
        return status;
    smoke->picks = calloc(field->entry_count + 1, sizeof *smoke->picks);
    if (smoke->picks == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for a suite");
    for (size_t i = 0; i < field->entry_count; i++) {
        const struct pick pick = pick_of(field, i);
        if (smoke->cover.walks[i] || count_units(smoke, &pick) > 0)
            smoke->picks[smoke->pick_count++] = pick;
    }
    return PM_OK;
}

static void smoke_free(struct smoke *smoke)
{
    cover_free(&smoke->cover);
    free(smoke->picks);
    *smoke = (struct smoke){0};
}

static bool pick_kills(const struct smoke *smoke, const struct pick *pick, size_t mutant)
{
    const struct verdicts *verdicts = &smoke->matrix->verdicts[mutant];
    if (is_kill(verdicts->walks[pick->number]))
        return true; /* every entry is walked */
    for (size_t i = 0; i < pick->suite->unit_count; i++)
        if (is_unit_picked(smoke, pick, i) && is_kill(verdicts->units[pick->suite->first_unit + i]))
            return true;
    return false;
}

/* ---- Texts ---- */

static void write_title(FILE *file, const struct pick *pick)
{
    const char *id = pm_suite_entry_opcode(pick->entry, "id");
    if (id != NULL && *id != '\0')
        fputs(id, file);
    else
        fprintf(file, "%s-%u", pick->suite->suite.name, pick->entry->line);
}

static size_t kills_in_group(const struct smoke *smoke, const struct pick *pick, const char *group)
{
    const struct mutant_table *table = smoke->matrix->table;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += is_counted(&table->mutants[i]) &&
                 (group == NULL || strcmp(table->mutants[i].group, group) == 0) &&
                 pick_kills(smoke, pick, i);
    return count;
}

/* "castling 3, pin 12" */
static void write_groups(FILE *file, const struct smoke *smoke, const struct pick *pick)
{
    const struct mutant_table *table = smoke->matrix->table;
    const char *separator = "";
    for (size_t i = 0; i < table->count; i++) {
        const char *group = table->mutants[i].group;
        const size_t kills = mutant_opens_group(table, i) ? kills_in_group(smoke, pick, group) : 0;
        if (kills > 0) {
            fprintf(file, "%s%s %zu", separator, group, kills);
            separator = ", ";
        }
    }
}

/* The chosen rows, or for an entry that is there for its walk alone the first one. Returns the
 * nodes. */
static uint64_t write_counts(FILE *file, const struct smoke *smoke, const struct pick *pick)
{
    const bool none = count_units(smoke, pick) == 0;
    uint64_t nodes = 0;
    for (size_t i = 0; i < pick->suite->unit_count; i++) {
        const struct unit *unit = &pick->suite->units[i];
        if (none ? unit->entry == pick->entry && nodes == 0 : is_unit_picked(smoke, pick, i)) {
            fprintf(file, " ;D%d %" PRIu64, unit->depth, unit->nodes);
            nodes += unit->nodes;
        }
    }
    return nodes;
}

static void write_suite(FILE *file, const struct smoke *smoke)
{
    fprintf(file,
            "# source: chosen by plymark_mutants from the other suites: kills all %zu planted "
            "bugs of verify/mutation, each twice where two rows can; c0 counts what a row "
            "kills, c1 is its origin\n"
            "# licence: positions and counts are facts; origins as for the suites that c1 "
            "names\n",
            mutant_count(smoke->matrix->table, NULL, NULL));
    for (size_t i = 0; i < smoke->pick_count; i++) {
        const struct pick *pick = &smoke->picks[i];
        fputs(pick->entry->fen, file);
        write_counts(file, smoke, pick);
        fprintf(file, " ;id \"");
        write_title(file, pick);
        fprintf(file, "\" ;c0 \"");
        write_groups(file, smoke, pick);
        fprintf(file, "\" ;c1 \"%s line %u\"\n", pick->suite->suite.name, pick->entry->line);
    }
}

/* ---- smoke.md ---- */

static bool is_killed(const struct smoke *smoke, size_t mutant)
{
    for (size_t i = 0; i < smoke->pick_count; i++)
        if (pick_kills(smoke, &smoke->picks[i], mutant))
            return true;
    return false;
}

/* Of one kernel's mutants (NULL: of all). */
static size_t count_killed(const struct smoke *smoke, const char *kernel)
{
    const struct mutant_table *table = smoke->matrix->table;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += is_counted(&table->mutants[i]) &&
                 (kernel == NULL || strcmp(table->mutants[i].kernel, kernel) == 0) &&
                 is_killed(smoke, i);
    return count;
}

static void write_table(FILE *file, const struct smoke *smoke)
{
    uint64_t nodes = 0;
    fprintf(file, "# What each row of smoke catches\n\nMade by `plymark_mutants smoke`; "
                  "verify/mutation/README.md explains.\n\n"
                  "| position | from | rows | kills | of these groups |\n|---|---|---|---:|---|\n");
    for (size_t i = 0; i < smoke->pick_count; i++) {
        const struct pick *pick = &smoke->picks[i];
        fprintf(file, "| `%s` ", pick->entry->fen);
        write_title(file, pick);
        fprintf(file, " | %s |", pick->suite->suite.name);
        nodes += write_counts(file, smoke, pick);
        fprintf(file, " | %zu | ", kills_in_group(smoke, pick, NULL));
        write_groups(file, smoke, pick);
        fprintf(file, " |\n");
    }
    fprintf(file, "\n%zu positions, %" PRIu64 " nodes; %zu of %zu mutants killed.\n",
            smoke->pick_count, nodes, count_killed(smoke, NULL),
            mutant_count(smoke->matrix->table, NULL, NULL));
}

/* How well a suite made without knowing a kernel's mutants kills them. */
static enum pm_status write_unseen(FILE *file, const struct matrix *matrix, struct pm_error *error)
{
    const struct mutant_table *table = matrix->table;
    enum pm_status status = PM_OK;
    fprintf(file, "\n## Bugs that the choice did not know\n\nThe same choice made without the "
                  "mutants of one kernel, and how many of those it kills all the same.\n\n"
                  "| left out | mutants | killed | |\n|---|---:|---:|---:|\n");
    for (size_t i = 0; i < table->count && status == PM_OK; i++) {
        const char *kernel = table->mutants[i].kernel;
        if (i > 0 && kernel == table->mutants[i - 1].kernel)
            continue;
        struct smoke smoke = {.matrix = matrix};
        status = smoke_find(&smoke, kernel, error);
        if (status == PM_OK) {
            const size_t all = mutant_count(table, NULL, kernel);
            const size_t killed = count_killed(&smoke, kernel);
            fprintf(file, "| %s | %zu | %zu | %.1f %% |\n", kernel, all, killed,
                    100.0 * (double)killed / (double)(all == 0 ? 1 : all));
        }
        smoke_free(&smoke);
    }
    return status;
}

static FILE *open_in(const char *folder, const char *name, struct pm_error *error)
{
    char path[WORK_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    return file;
}

static enum pm_status close_all(FILE *file, const char *name, struct pm_error *error)
{
    return fclose(file) == 0 ? PM_OK : pm_fail(error, PM_ERROR_IO, "%s: %s", name, strerror(errno));
}

static enum pm_status write_results(const struct smoke *smoke, const char *results,
                                    struct pm_error *error)
{
    FILE *file = open_in(results, "smoke.md", error);
    if (file == NULL)
        return PM_ERROR_IO;
    write_table(file, smoke);
    const enum pm_status status = write_unseen(file, smoke->matrix, error);
    const enum pm_status closed = close_all(file, "smoke.md", error);
    return status != PM_OK ? status : closed;
}

enum pm_status smoke_write(const struct matrix *matrix, const char *suites, const char *results,
                           struct pm_error *error)
{
    struct smoke smoke = {.matrix = matrix};
    enum pm_status status = smoke_find(&smoke, NULL, error);
    if (status != PM_OK)
        goto end;
    FILE *file = open_in(suites, "smoke.epd", error);
    if (file == NULL) {
        status = PM_ERROR_IO;
        goto end;
    }
    write_suite(file, &smoke);
    status = close_all(file, "smoke.epd", error);
    if (status == PM_OK)
        status = write_results(&smoke, results, error);
end:
    smoke_free(&smoke);
    return status;
}
