/* SPDX-License-Identifier: MIT */
/* Reads the tables of planted bugs. */
#include "verify/mutation/mutants.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_COUNT = 8 };

static int is_table(const struct dirent *file)
{
    const size_t length = strlen(file->d_name);
    return length > 4 && strcmp(file->d_name + length - 4, ".tsv") == 0;
}

/* Cuts the next piece off *rest at the separator; NULL after the last one. */
static char *next_piece(char **rest, char separator)
{
    char *piece = *rest;
    if (piece == NULL)
        return NULL;
    char *end = strchr(piece, separator);
    if (end != NULL)
        *end++ = '\0';
    *rest = end;
    return piece;
}

static bool is_known(const struct mutant_table *table, const struct mutant *mutant)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->mutants[i].kernel, mutant->kernel) == 0 &&
            strcmp(table->mutants[i].name, mutant->name) == 0)
            return true;
    return false;
}

static enum pm_status read_row(char *text, const char *kernel, unsigned line,
                               struct mutant_table *table, struct pm_error *error)
{
    const char *column[COLUMN_COUNT];
    size_t count = 0;
    for (char *piece; (piece = next_piece(&text, '\t')) != NULL; count++)
        if (count < COLUMN_COUNT)
            column[count] = piece;
    if (count != COLUMN_COUNT)
        return pm_fail(error, PM_ERROR_PARSE, "%s.tsv line %u: %zu columns, %d are needed", kernel,
                       line, count, COLUMN_COUNT);

    const struct mutant mutant = {
        .kernel = kernel,
        .name = column[0],
        .group = column[1],
        .clause = column[2],
        .file = column[3],
        .function = column[4],
        .find = column[5],
        .replace = column[6],
        .equivalent = column[7],
    };
    if (is_known(table, &mutant))
        return pm_fail(error, PM_ERROR_PARSE, "%s.tsv line %u: a second mutant named \"%s\"",
                       kernel, line, mutant.name);
    struct mutant *more = realloc(table->mutants, (table->count + 1) * sizeof *table->mutants);
    if (more == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for the mutants");
    table->mutants = more;
    table->mutants[table->count++] = mutant;
    return PM_OK;
}

/* Keeps a text for as long as the table. */
static enum pm_status keep(struct mutant_table *table, char *text, struct pm_error *error)
{
    char **more = realloc(table->texts, (table->text_count + 1) * sizeof *table->texts);
    if (more == NULL) {
        free(text);
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for the mutants");
    }
    table->texts = more;
    table->texts[table->text_count++] = text;
    return PM_OK;
}

static enum pm_status read_table(const char *folder, const char *file, struct mutant_table *table,
                                 struct pm_error *error)
{
    char path[WORK_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    char *text = read_whole_file(path, error);
    if (text == NULL)
        return PM_ERROR_IO;
    if (keep(table, text, error) != PM_OK)
        return PM_ERROR_MEMORY;
    char *kernel = strndup(file, strlen(file) - 4);
    if (kernel == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for the mutants");
    enum pm_status status = keep(table, kernel, error);

    unsigned line = 0;
    for (char *row; status == PM_OK && (row = next_piece(&text, '\n')) != NULL;) {
        line++;
        if (*row != '\0' && *row != '#')
            status = read_row(row, kernel, line, table, error);
    }
    return status;
}

enum pm_status mutant_table_read(const char *folder, struct mutant_table *table,
                                 struct pm_error *error)
{
    struct dirent **files = NULL;
    const int count = scandir(folder, &files, is_table, alphasort);
    enum pm_status status = PM_OK;

    if (count < 0)
        return pm_fail(error, PM_ERROR_IO, "%s: no such folder", folder);
    for (int i = 0; i < count; i++) {
        if (status == PM_OK)
            status = read_table(folder, files[i]->d_name, table, error);
        free(files[i]);
    }
    free(files);
    if (status == PM_OK && table->count == 0)
        status = pm_fail(error, PM_ERROR_PARSE, "%s: no mutant in any *.tsv", folder);
    return status;
}

void mutant_table_free(struct mutant_table *table)
{
    for (size_t i = 0; i < table->text_count; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->mutants);
    *table = (struct mutant_table){0};
}

char *mutant_title(const struct mutant *mutant, char text[MUTANT_TITLE_SIZE])
{
    snprintf(text, MUTANT_TITLE_SIZE, "%s/%s", mutant->kernel, mutant->name);
    return text;
}

bool is_counted(const struct mutant *mutant)
{
    return *mutant->equivalent == '\0';
}

bool mutant_opens_group(const struct mutant_table *table, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(table->mutants[i].group, table->mutants[index].group) == 0)
            return false;
    return true;
}

size_t mutant_count(const struct mutant_table *table, const char *group, const char *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct mutant *mutant = &table->mutants[i];
        count += is_counted(mutant) && (group == NULL || strcmp(mutant->group, group) == 0) &&
                 (kernel == NULL || strcmp(mutant->kernel, kernel) == 0);
    }
    return count;
}

struct mutant mutant_unchanged(const char *kernel)
{
    return (struct mutant){
        .kernel = kernel,
        .name = "unchanged",
        .group = "",
        .clause = "",
        .file = "",
        .function = "",
        .find = "",
        .replace = "",
        .equivalent = "it is the kernel itself",
    };
}
