/* SPDX-License-Identifier: MIT */
/* Greedy set cover: again and again the row that kills the most for its cost. */
#include "verify/mutation/mutants.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

/* A row costs its nodes, and as much as this many more for being one. */
enum { ROW_COST = 2000 };

/* A problem of choosing: items (rows, or walks) and what they kill. */
struct choice {
    const struct matrix *matrix;
    size_t item_count;
    const char *(*verdicts)(const struct verdicts *verdicts);
    uint64_t *cost;  /* of an item; 0 if it may not be chosen */
    unsigned *needs; /* of a mutant: kills still to come; 0 if it is not wanted */
    bool *chosen;
};

static const char *unit_verdicts(const struct verdicts *verdicts)
{
    return verdicts->units;
}
static const char *walk_verdicts(const struct verdicts *verdicts)
{
    return verdicts->walks;
}

static bool item_kills(const struct choice *choice, size_t item, size_t mutant)
{
    return is_kill(choice->verdicts(&choice->matrix->verdicts[mutant])[item]);
}

static unsigned gain_of(const struct choice *choice, size_t item)
{
    unsigned gain = 0;
    for (size_t i = 0; i < choice->matrix->table->count; i++)
        gain += choice->needs[i] > 0 && item_kills(choice, item, i);
    return gain;
}

/* The item with the best gain for its cost; item_count if none gains anything. */
static size_t best_item(const struct choice *choice)
{
    size_t best = choice->item_count;
    double best_value = 0;
    for (size_t i = 0; i < choice->item_count; i++) {
        const double value = choice->chosen[i] || choice->cost[i] == 0
                                 ? 0
                                 : (double)gain_of(choice, i) / (double)choice->cost[i];
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return best;
}

static void choose_greedily(struct choice *choice)
{
    for (size_t item; (item = best_item(choice)) < choice->item_count;) {
        choice->chosen[item] = true;
        for (size_t i = 0; i < choice->matrix->table->count; i++)
            choice->needs[i] -= choice->needs[i] > 0 && item_kills(choice, item, i);
    }
}

/* How many chosen items kill a mutant. */
static unsigned kills_of_chosen(const struct choice *choice, size_t mutant)
{
    unsigned kills = 0;
    for (size_t i = 0; i < choice->item_count; i++)
        kills += choice->chosen[i] && item_kills(choice, i, mutant);
    return kills;
}

/* Whether no wanted mutant would fall below `times` without the item. */
static bool is_spare(const struct choice *choice, size_t item, const bool wanted[], unsigned times)
{
    for (size_t i = 0; i < choice->matrix->table->count; i++)
        if (wanted[i] && item_kills(choice, item, i) && kills_of_chosen(choice, i) <= times)
            return false;
    return true;
}

/* Drops what later choices have made needless, the dearest first. */
static void prune(struct choice *choice, const bool wanted[], unsigned times)
{
    for (;;) {
        size_t dearest = choice->item_count;
        for (size_t i = 0; i < choice->item_count; i++)
            if (choice->chosen[i] && is_spare(choice, i, wanted, times) &&
                (dearest == choice->item_count || choice->cost[i] > choice->cost[dearest]))
                dearest = i;
        if (dearest == choice->item_count)
            return;
        choice->chosen[dearest] = false;
    }
}

static uint64_t nodes_of_unit(const struct field *field, size_t unit)
{
    const struct field_suite *suite = suite_of_unit(field, unit);
    return suite->units[unit - suite->first_unit].nodes;
}

static enum pm_status choose(const struct matrix *matrix, bool walks, const bool wanted[],
                             unsigned times, bool *chosen, struct pm_error *error)
{
    const struct field *field = matrix->field;
    const uint64_t limit = pm_verify_set_find("smoke")->aimed.make; /* else the set skips the row */
    struct choice choice = {
        .matrix = matrix,
        .item_count = walks ? field->entry_count : field->unit_count,
        .verdicts = walks ? walk_verdicts : unit_verdicts,
        .chosen = chosen,
    };
    enum pm_status status = PM_OK;

    choice.cost = calloc(choice.item_count + 1, sizeof *choice.cost);
    choice.needs = calloc(matrix->table->count, sizeof *choice.needs);
    if (choice.cost == NULL || choice.needs == NULL) {
        status = pm_fail(error, PM_ERROR_MEMORY, "no memory for a cover");
        goto end;
    }
    for (size_t i = 0; i < choice.item_count; i++) {
        const uint64_t nodes = walks ? 0 : nodes_of_unit(field, i);
        choice.cost[i] = nodes <= limit ? ROW_COST + nodes : 0;
    }
    for (size_t i = 0; i < matrix->table->count; i++)
        choice.needs[i] = wanted[i] ? times : 0;
    choose_greedily(&choice);
    prune(&choice, wanted, times);
end:
    free(choice.cost);
    free(choice.needs);
    return status;
}

enum pm_status cover_find(const struct matrix *matrix, const char *without, unsigned times,
                          struct cover *cover, struct pm_error *error)
{
    const struct mutant_table *table = matrix->table;
    bool *wanted = calloc(table->count, sizeof *wanted);
    enum pm_status status = PM_OK;

    cover->units = calloc(matrix->field->unit_count + 1, sizeof *cover->units);
    cover->walks = calloc(matrix->field->entry_count + 1, sizeof *cover->walks);
    if (wanted == NULL || cover->units == NULL || cover->walks == NULL) {
        status = pm_fail(error, PM_ERROR_MEMORY, "no memory for a cover");
        goto end;
    }
    for (size_t i = 0; i < table->count; i++)
        wanted[i] = is_counted(&table->mutants[i]) &&
                    (without == NULL || strcmp(table->mutants[i].kernel, without) != 0);
    status = choose(matrix, false, wanted, times, cover->units, error);
    if (status == PM_OK)
        status = choose(matrix, true, wanted, times, cover->walks, error);
end:
    free(wanted);
    return status;
}

void cover_free(struct cover *cover)
{
    free(cover->units);
    free(cover->walks);
    *cover = (struct cover){0};
}
