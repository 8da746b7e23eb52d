/* SPDX-License-Identifier: MIT */
#include "jobs/plan.h"

#include "core/count.h"
#include "core/fen.h"
#include "core/position.h"
#include "core/quote.h"

#include <stddef.h>
#include <string.h>

static const char *const split_texts[PM_SPLIT_COUNT] = {
    [PM_SPLIT_POSITIONS] = "positions",
    [PM_SPLIT_UNIQUE] = "unique",
};

const char *pm_split_text(enum pm_split split)
{
    return (unsigned)split < PM_SPLIT_COUNT ? split_texts[split] : "unknown";
}

int pm_split_from_text(const char *text)
{
    for (int split = 0; split < PM_SPLIT_COUNT; split++)
        if (strcmp(text, split_texts[split]) == 0)
            return split;
    return -1;
}

void pm_plan_set_position(struct pm_plan *plan, const struct pm_position *position)
{
    plan->position = *position;
    pm_position_canonicalize(&plan->position);
    plan->position.halfmove_clock = 0;
    plan->position.fullmove_number = 1;
}

static char *position_text(const struct pm_plan *plan, char text[PM_FEN_SIZE])
{
    return pm_fen_write(&plan->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, text);
}

/* The numbers of a plan, all of them named, so that texts are made at one place. */
enum { DEPTH, PLY, ITEMS, NUMBER_COUNT };

static const char *const number_names[NUMBER_COUNT] = {
    [DEPTH] = "depth", [PLY] = "ply", [ITEMS] = "items"};

static void get_numbers(const struct pm_plan *plan, uint32_t numbers[NUMBER_COUNT])
{
    numbers[DEPTH] = (uint32_t)plan->depth;
    numbers[PLY] = (uint32_t)plan->ply;
    numbers[ITEMS] = plan->items;
}

static void set_number(struct pm_plan *plan, int index, uint32_t value)
{
    switch (index) {
    case DEPTH:
        plan->depth = (int)value;
        break;
    case PLY:
        plan->ply = (int)value;
        break;
    case ITEMS:
        plan->items = value;
        break;
    default:
        break;
    }
}

enum pm_status pm_plan_check(const struct pm_plan *plan, const char *what, struct pm_error *error)
{
    const int min_depth = plan->split == PM_SPLIT_UNIQUE ? PM_UNIQUE_MIN_DEPTH : 1;
    const int max_ply = plan->depth < PM_PLAN_MAX_PLY ? plan->depth : PM_PLAN_MAX_PLY;
    if (plan->depth < min_depth || plan->depth > PM_JOB_MAX_DEPTH)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: depth %d: %d to %d is needed to split by %s",
                       what, plan->depth, min_depth, PM_JOB_MAX_DEPTH, pm_split_text(plan->split));
    if (plan->split == PM_SPLIT_POSITIONS) {
        if (plan->ply < 1 || plan->ply > max_ply)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: ply %d: 1 to %d is needed for depth %d",
                           what, plan->ply, max_ply, plan->depth);
        return PM_OK;
    }
    if (plan->ply != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: ply %d: split by unique has none", what,
                       plan->ply);
    if (plan->items == 0 || plan->items > PM_UNIQUE_MAX_ITEMS ||
        (plan->items & (plan->items - 1)) != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: %u items: a power of two from 1 to %u is needed", what, plan->items,
                       PM_UNIQUE_MAX_ITEMS);
    return PM_OK;
}

enum pm_status pm_plan_compare(const struct pm_plan *plan, const char *what,
                               const struct pm_plan *asked, struct pm_error *error)
{
    char fen[PM_FEN_SIZE], asked_fen[PM_FEN_SIZE];
    uint32_t numbers[NUMBER_COUNT], asked_numbers[NUMBER_COUNT];
    if (!pm_position_equal(&plan->position, &asked->position))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s has position \"%s\", asked for is \"%s\"",
                       what, position_text(plan, fen), position_text(asked, asked_fen));
    if (plan->split != asked->split)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s has split %s, asked for is %s", what,
                       pm_split_text(plan->split), pm_split_text(asked->split));
    get_numbers(plan, numbers);
    get_numbers(asked, asked_numbers);
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (numbers[i] != asked_numbers[i] && (i != ITEMS || asked_numbers[i] != 0))
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s has %s %u, asked for is %u", what,
                           number_names[i], numbers[i], asked_numbers[i]);
    return PM_OK;
}

void pm_plan_print(FILE *out, const struct pm_plan *plan)
{
    char fen[PM_FEN_SIZE];
    uint32_t numbers[NUMBER_COUNT];
    fprintf(out, "position %s\nsplit %s\n", position_text(plan, fen), pm_split_text(plan->split));
    get_numbers(plan, numbers);
    for (int i = 0; i < NUMBER_COUNT; i++)
        fprintf(out, "%s %u\n", number_names[i], numbers[i]);
}

static enum pm_status read_position(struct pm_plan *plan, const char *text, struct pm_error *error)
{
    struct pm_position position;
    const enum pm_status status =
        pm_fen_read(text, PM_FEN_CHESS960 | PM_FEN_LENIENT, &position, NULL, error);
    if (status == PM_OK)
        pm_plan_set_position(plan, &position);
    return status;
}

static enum pm_status read_number(struct pm_plan *plan, int index, const char *text,
                                  struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    pm_count value;
    if (!pm_count_from_text(text, (unsigned)strlen(text), &value) || value > INT32_MAX)
        return pm_fail(error, PM_ERROR_PARSE, "%s is %s: a whole number is needed",
                       number_names[index], pm_quote(text, strlen(text), quoted));
    set_number(plan, index, (uint32_t)value);
    return PM_OK;
}

enum pm_status pm_plan_read_line(struct pm_plan *plan, const char *line, struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    const char *const blank = strchrnul(line, ' ');
    const size_t length = (size_t)(blank - line);
    const char *const value = *blank == ' ' ? blank + 1 : blank;
    if (strncmp(line, "position ", length + 1) == 0)
        return read_position(plan, value, error);
    if (strncmp(line, "split ", length + 1) == 0) {
        const int split = pm_split_from_text(value);
        if (split < 0)
            return pm_fail(error, PM_ERROR_PARSE, "split is %s: positions or unique is needed",
                           pm_quote(value, strlen(value), quoted));
        plan->split = (enum pm_split)split;
        return PM_OK;
    }
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (strlen(number_names[i]) == length && strncmp(line, number_names[i], length) == 0)
            return read_number(plan, i, value, error);
    return pm_fail(error, PM_ERROR_PARSE,
                   "%s: position, split, depth, ply or items with its value is needed",
                   pm_quote(line, strlen(line), quoted));
}
