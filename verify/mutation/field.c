/* SPDX-License-Identifier: MIT */
/* The suites that mutants are tried on. */
#include "verify/mutation/mutants.h"

#include <stdlib.h>

/* Rows up to so many nodes. The 960 starts are alike: three plies of them do. */
static const struct {
    const char *suite;
    uint64_t limit;
} plan[] = {
    {.suite = "standard", .limit = 200000}, {.suite = "tricky", .limit = 200000},
    {.suite = "bugs", .limit = 200000},     {.suite = "unreachable", .limit = 200000},
    {.suite = "chess960", .limit = 50000},  {.suite = "chess960_starts", .limit = 20000},
    {.suite = "generated", .limit = 50000}, {.suite = "generated960", .limit = 50000},
    {.suite = "aimed", .limit = 200000},
};

static int by_nodes(const void *left, const void *right)
{
    const struct unit *a = left, *b = right;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return a->entry->line < b->entry->line ? -1 : a->entry->line > b->entry->line;
}

static enum pm_status list_units(struct field_suite *field_suite, uint64_t limit,
                                 struct pm_error *error)
{
    const struct pm_suite *suite = &field_suite->suite;
    size_t room = 1;
    for (size_t i = 0; i < suite->entry_count; i++)
        room += suite->entries[i].count_count;
    field_suite->units = calloc(room, sizeof *field_suite->units);
    if (field_suite->units == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for the rows of %s", suite->name);

    for (size_t i = 0; i < suite->entry_count; i++) {
        const struct pm_suite_entry *entry = &suite->entries[i];
        for (unsigned j = 0; j < entry->count_count; j++)
            if (entry->counts[j].nodes <= limit && entry->counts[j].depth <= PM_KERNEL_MAX_DEPTH)
                field_suite->units[field_suite->unit_count++] =
                    (struct unit){.entry = entry,
                                  .depth = entry->counts[j].depth,
                                  .nodes = (uint64_t)entry->counts[j].nodes};
    }
    qsort(field_suite->units, field_suite->unit_count, sizeof *field_suite->units, by_nodes);
    return PM_OK;
}

static enum pm_status add_suite(const char *path, uint64_t limit, struct field *field,
                                struct pm_error *error)
{
    struct field_suite *added = &field->suites[field->suite_count++];
    char *text = read_whole_file(path, error);
    if (text == NULL)
        return PM_ERROR_IO;
    added->hash = hash_text(HASH_START + limit, text);
    field->hash = (field->hash ^ added->hash) * 31;
    free(text);
    enum pm_status status = pm_suite_read_file(path, &added->suite, error);
    if (status == PM_OK)
        status = list_units(added, limit, error);
    added->first_unit = field->unit_count;
    added->first_entry = field->entry_count;
    field->unit_count += added->unit_count;
    field->entry_count += added->suite.entry_count;
    return status;
}

enum pm_status field_read(const char *folder, struct field *field, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    field->hash = HASH_START;
    for (size_t i = 0; i < sizeof plan / sizeof *plan && status == PM_OK; i++) {
        char path[WORK_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s.epd", folder, plan[i].suite);
        status = add_suite(path, plan[i].limit, field, error);
    }
    return status;
}

void field_free(struct field *field)
{
    for (size_t i = 0; i < field->suite_count; i++) {
        pm_suite_free(&field->suites[i].suite);
        free(field->suites[i].units);
    }
    *field = (struct field){0};
}

const struct field_suite *suite_of_unit(const struct field *field, size_t unit)
{
    size_t i = field->suite_count - 1;
    while (field->suites[i].first_unit > unit)
        i--;
    return &field->suites[i];
}

const struct field_suite *suite_of_entry(const struct field *field, size_t entry)
{
    size_t i = field->suite_count - 1;
    while (field->suites[i].first_entry > entry)
        i--;
    return &field->suites[i];
}
