/* SPDX-License-Identifier: MIT */
#include "jobs/items.h"

#include "core/fen.h"
#include "core/input.h"
#include "core/quote.h"
#include "core/state.h"
#include "jobs/store.h"
#include "rules/position_set.h"

#include <stdlib.h>
#include <string.h>

struct level {
    struct pm_position_set *set;
    uint64_t *multiplicities;
    size_t capacity;
};

struct pm_items {
    const struct pm_kernel *kernel;
    int ply;
    struct level levels[PM_PLAN_MAX_PLY + 1];
};

/* ---- Expanding ---- */

/* What it takes to look at one position's moves after another. */
struct expander {
    const struct pm_kernel *kernel;
    unsigned char *state, *child;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    struct pm_error *error;
};

static enum pm_status kernel_failed(const struct expander *expander, const char *what,
                                    const struct pm_position *position, enum pm_status status)
{
    char fen[PM_FEN_SIZE];
    return pm_fail(expander->error, status, "kernel %s: %s failed (%s) at %s",
                   expander->kernel->name, what, pm_status_text(status),
                   pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen));
}

static enum pm_status open_expander(struct expander *expander, const struct pm_kernel *kernel,
                                    struct pm_error *error)
{
    expander->kernel = kernel;
    expander->error = error;
    expander->count = 0;
    expander->state = pm_new_state(kernel);
    expander->child = pm_new_state(kernel);
    return expander->state != NULL && expander->child != NULL
               ? PM_OK
               : pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
}

static void close_expander(struct expander *expander)
{
    free(expander->state);
    free(expander->child);
}

/* Finds the moves, in an order of their own. */
static enum pm_status expand(struct expander *expander, const struct pm_position *position)
{
    const struct pm_kernel *kernel = expander->kernel;
    enum pm_status status = kernel->set_position(expander->state, position);
    if (status != PM_OK)
        return kernel_failed(expander, "set_position", position, status);
    status = kernel->legal_moves(expander->state, expander->moves, &expander->count);
    if (status != PM_OK)
        return kernel_failed(expander, "legal_moves", position, status);
    qsort(expander->moves, expander->count, sizeof expander->moves[0], pm_move_compare);
    return PM_OK;
}

static enum pm_status play(struct expander *expander, unsigned index,
                           const struct pm_position *position, struct pm_position *child)
{
    const struct pm_kernel *kernel = expander->kernel;
    memcpy(expander->child, expander->state, kernel->state_size);
    enum pm_status status = kernel->play(expander->child, &expander->moves[index]);
    if (status == PM_OK)
        status = kernel->get_position(expander->child, child);
    return status == PM_OK ? PM_OK : kernel_failed(expander, "play", position, status);
}

/* ---- The positions of each ply ---- */

static enum pm_status add(struct level *level, const struct pm_position *position,
                          uint64_t multiplicity, struct pm_error *error)
{
    bool is_new;
    const size_t number = pm_position_set_add(level->set, position, &is_new);
    if (number != PM_NOT_IN_SET && number >= level->capacity) {
        const size_t capacity = level->capacity > 0 ? 2 * level->capacity : 64;
        uint64_t *larger = realloc(level->multiplicities, capacity * sizeof *larger);
        if (larger != NULL) {
            memset(larger + level->capacity, 0, (capacity - level->capacity) * sizeof *larger);
            level->multiplicities = larger;
            level->capacity = capacity;
        }
    }
    if (number == PM_NOT_IN_SET || number >= level->capacity)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
    level->multiplicities[number] += multiplicity; /* at most PM_MAX_MOVES^5, so 2^50 */
    return PM_OK;
}

static enum pm_status expand_into(struct expander *expander, const struct pm_position *position,
                                  uint64_t multiplicity, struct level *next)
{
    enum pm_status status = expand(expander, position);
    for (unsigned i = 0; i < expander->count && status == PM_OK; i++) {
        struct pm_position child;
        status = play(expander, i, position, &child);
        if (status == PM_OK)
            status = add(next, &child, multiplicity, expander->error);
    }
    return status;
}

static enum pm_status make_level(struct expander *expander, const struct level *from,
                                 const atomic_bool *stop, struct level *next)
{
    const size_t count = pm_position_set_count(from->set);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return pm_fail(expander->error, PM_ERROR_INTERRUPTED, "stopped while making items");
        status =
            expand_into(expander, pm_position_set_at(from->set, i), from->multiplicities[i], next);
    }
    return status;
}

static enum pm_status make_levels(struct pm_items *items, const struct pm_plan *plan,
                                  const atomic_bool *stop, struct pm_error *error)
{
    struct expander expander = {0};
    enum pm_status status = open_expander(&expander, items->kernel, error);
    for (int ply = 0; ply <= items->ply && status == PM_OK; ply++) {
        struct level *level = &items->levels[ply];
        level->set = pm_position_set_create();
        if (level->set == NULL)
            status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
        else if (ply == 0)
            status = add(level, &plan->position, 1, error);
        else
            status = make_level(&expander, &items->levels[ply - 1], stop, level);
    }
    close_expander(&expander);
    return status;
}

enum pm_status pm_items_create(struct pm_plan *plan, const struct pm_kernel *kernel,
                               const atomic_bool *stop, struct pm_items **result,
                               struct pm_error *error)
{
    struct pm_items *items = calloc(1, sizeof *items);
    if (items == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for items");
    items->kernel = kernel;
    items->ply = plan->ply;
    const enum pm_status status = make_levels(items, plan, stop, error);
    if (status != PM_OK) {
        pm_items_destroy(items);
        return status;
    }
    plan->items = (uint32_t)pm_items_distinct(items, plan->ply);
    *result = items;
    return PM_OK;
}

void pm_items_destroy(struct pm_items *items)
{
    if (items == NULL)
        return;
    for (int ply = 0; ply <= PM_PLAN_MAX_PLY; ply++) {
        pm_position_set_destroy(items->levels[ply].set);
        free(items->levels[ply].multiplicities);
    }
    free(items);
}

uint64_t pm_items_distinct(const struct pm_items *items, int ply)
{
    return pm_position_set_count(items->levels[ply].set);
}

const struct pm_position *pm_items_position(const struct pm_items *items, uint32_t item)
{
    return pm_position_set_at(items->levels[items->ply].set, item);
}

uint64_t pm_items_multiplicity(const struct pm_items *items, uint32_t item)
{
    return items->levels[items->ply].multiplicities[item];
}

/* ---- Divide ---- */

struct divide {
    const struct pm_items *items;
    pm_count *counts[PM_PLAN_MAX_PLY + 1]; /* below each position of each ply */
    struct expander expander;
    struct pm_move moves[PM_PLAN_MAX_PLY];
    int level;
    pm_items_line line;
    void *context;
    struct pm_error *error;
};

static enum pm_status find_child(struct divide *divide, int ply, unsigned index,
                                 const struct pm_position *position, size_t *number)
{
    struct pm_position child;
    const enum pm_status status = play(&divide->expander, index, position, &child);
    if (status != PM_OK)
        return status;
    *number = pm_position_set_find(divide->items->levels[ply + 1].set, &child);
    return *number != PM_NOT_IN_SET
               ? PM_OK
               : kernel_failed(&divide->expander, "play", position, PM_ERROR_MISMATCH);
}

/* The counts of one ply from those of the next. */
static enum pm_status sum_ply(struct divide *divide, int ply)
{
    const struct pm_position_set *set = divide->items->levels[ply].set;
    const size_t count = pm_position_set_count(set);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const struct pm_position *position = pm_position_set_at(set, i);
        status = expand(&divide->expander, position);
        for (unsigned move = 0; move < divide->expander.count && status == PM_OK; move++) {
            size_t child;
            status = find_child(divide, ply, move, position, &child);
            if (status == PM_OK &&
                pm_count_add(&divide->counts[ply][i], divide->counts[ply + 1][child]) != PM_OK)
                status =
                    pm_fail(divide->error, PM_ERROR_OVERFLOW, "the total does not fit 128 bits");
        }
    }
    return status;
}

/* Tells the sequences of moves that begin with the first `ply` of divide->moves. */
static enum pm_status tell(struct divide *divide, int ply, size_t number)
{
    const struct pm_position *position = pm_position_set_at(divide->items->levels[ply].set, number);
    unsigned count = 0;
    size_t *children = NULL;
    struct pm_move *moves = NULL;
    if (ply == divide->level) {
        divide->line(divide->context, divide->moves, ply, divide->counts[ply][number]);
        return PM_OK;
    }
    enum pm_status status = expand(&divide->expander, position);
    if (status == PM_OK) {
        count = divide->expander.count;
        moves = malloc((count + 1) * sizeof *moves);
        children = malloc((count + 1) * sizeof *children);
        if (moves == NULL || children == NULL)
            status = pm_fail(divide->error, PM_ERROR_MEMORY, "out of memory for a divide");
    }
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        moves[i] = divide->expander.moves[i];
        status = find_child(divide, ply, i, position, &children[i]);
    }
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        divide->moves[ply] = moves[i];
        status = tell(divide, ply + 1, children[i]);
    }
    free(moves);
    free(children);
    return status;
}

static enum pm_status allocate_counts(struct divide *divide, const pm_count counts[])
{
    const struct pm_items *items = divide->items;
    for (int ply = 0; ply <= items->ply; ply++) {
        const size_t count = pm_items_distinct(items, ply);
        divide->counts[ply] = calloc(count + 1, sizeof(pm_count));
        if (divide->counts[ply] == NULL)
            return pm_fail(divide->error, PM_ERROR_MEMORY, "out of memory for a divide");
        if (ply == items->ply)
            memcpy(divide->counts[ply], counts, count * sizeof(pm_count));
    }
    return PM_OK;
}

enum pm_status pm_items_divide(const struct pm_items *items, const pm_count counts[], int level,
                               pm_items_line line, void *context, struct pm_error *error)
{
    struct divide divide = {
        .items = items, .level = level, .line = line, .context = context, .error = error};
    if (level < 1 || level > items->ply)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "divide at level %d: 1 to %d, the ply of the items, is possible", level,
                       items->ply);
    enum pm_status status = open_expander(&divide.expander, items->kernel, error);
    if (status == PM_OK)
        status = allocate_counts(&divide, counts);
    for (int ply = items->ply - 1; ply >= 0 && status == PM_OK; ply--)
        status = sum_ply(&divide, ply);
    if (status == PM_OK)
        status = tell(&divide, 0, 0);
    for (int ply = 0; ply <= items->ply; ply++)
        free(divide.counts[ply]);
    close_expander(&divide.expander);
    return status;
}

/* ---- Text ---- */

static const char first_line[] = "plymark deep items 1";
static const char last_head_line[] = "end of plan";

static enum pm_status print_item(void *context, const struct pm_store_item *item,
                                 struct pm_error *error)
{
    char text[PM_COUNT_TEXT_SIZE];
    FILE *out = context;
    fprintf(out, "%u %s%s%s\n", item->item, pm_count_to_text(item->nodes, text),
            item->position[0] != '\0' ? " " : "", item->position);
    return ferror(out) ? pm_fail(error, PM_ERROR_IO, "the items could not be written") : PM_OK;
}

enum pm_status pm_items_export(FILE *out, struct pm_store *store, struct pm_error *error)
{
    fprintf(out, "%s\n", first_line);
    pm_plan_print(out, pm_store_plan(store));
    fprintf(out, "%s\n", last_head_line);
    return pm_store_each(store, print_item, out, error);
}

struct pm_items_text {
    struct pm_input *input;
    FILE *file; /* of the input: for getline() */
    struct pm_error read_error;
    char *line;
    size_t line_size;
    unsigned long number; /* of the line */
    struct pm_plan plan;
};

static ssize_t read_input(void *cookie, char *buffer, size_t size)
{
    struct pm_items_text *text = cookie;
    size_t got = 0;
    if (pm_input_read(text->input, buffer, size, &got, &text->read_error) != PM_OK)
        return -1;
    return (ssize_t)got;
}

/* Begins an error with file and line. */
static enum pm_status fail_at_line(const struct pm_items_text *text, const struct pm_error *why,
                                   struct pm_error *error)
{
    return pm_fail(error, why->status, "%s:%lu: %s", pm_input_name(text->input), text->number,
                   why->text);
}

/* The next line without its end. *got is false at the end of the text. */
static enum pm_status next_line(struct pm_items_text *text, bool *got, struct pm_error *error)
{
    const ssize_t length = getline(&text->line, &text->line_size, text->file);
    *got = length >= 0;
    if (length < 0 && text->read_error.status != PM_OK) {
        *error = text->read_error;
        return error->status;
    }
    if (length < 0)
        return ferror(text->file) ? pm_fail(error, PM_ERROR_MEMORY, "out of memory for %s",
                                            pm_input_name(text->input))
                                  : PM_OK;
    text->number++;
    if (memchr(text->line, '\0', (size_t)length) != NULL || text->line[length - 1] != '\n') {
        const struct pm_error why = {PM_ERROR_PARSE, "the line is cut off"};
        return fail_at_line(text, &why, error);
    }
    text->line[length - 1] = '\0';
    return PM_OK;
}

static enum pm_status read_head_line(struct pm_items_text *text, bool *is_last,
                                     struct pm_error *error)
{
    bool got = false;
    struct pm_error why;
    char quoted[PM_QUOTE_SIZE];
    enum pm_status status = next_line(text, &got, error);
    if (status != PM_OK)
        return status;
    *is_last = got && strcmp(text->line, last_head_line) == 0;
    if (*is_last)
        return PM_OK;
    if (!got)
        status = pm_fail(&why, PM_ERROR_PARSE, "the text ends before \"%s\"", last_head_line);
    else if (text->number > 1)
        status = pm_plan_read_line(&text->plan, text->line, &why);
    else if (strcmp(text->line, first_line) != 0)
        status = pm_fail(&why, PM_ERROR_PARSE, "%s: the first line of items must be \"%s\"",
                         pm_quote(text->line, strlen(text->line), quoted), first_line);
    return status == PM_OK ? PM_OK : fail_at_line(text, &why, error);
}

static enum pm_status read_head(struct pm_items_text *text, struct pm_error *error)
{
    bool is_last = false;
    struct pm_error why;
    while (!is_last) {
        const enum pm_status status = read_head_line(text, &is_last, error);
        if (status != PM_OK)
            return status;
    }
    if (text->plan.position.fullmove_number == 0) {
        pm_fail(&why, PM_ERROR_PARSE, "the plan has no position");
        return fail_at_line(text, &why, error);
    }
    return pm_plan_check(&text->plan, "the plan", &why) == PM_OK ? PM_OK
                                                                 : fail_at_line(text, &why, error);
}

enum pm_status pm_items_text_open(const char *path, struct pm_items_text **result,
                                  struct pm_error *error)
{
    static const cookie_io_functions_t functions = {.read = read_input};
    struct pm_items_text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    enum pm_status status = pm_input_open(path, &text->input, error);
    if (status == PM_OK) {
        text->file = fopencookie(text, "r", functions);
        status = text->file != NULL ? read_head(text, error)
                                    : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    if (status != PM_OK) {
        pm_items_text_close(text);
        return status;
    }
    *result = text;
    return PM_OK;
}

void pm_items_text_close(struct pm_items_text *text)
{
    if (text == NULL)
        return;
    if (text->file != NULL)
        fclose(text->file);
    pm_input_close(text->input);
    free(text->line);
    free(text);
}

const struct pm_plan *pm_items_text_plan(const struct pm_items_text *text)
{
    return &text->plan;
}

const char *pm_items_text_name(const struct pm_items_text *text)
{
    return pm_input_name(text->input);
}

struct text_item {
    uint32_t item;
    pm_count nodes;
    const char *position;
};

/* Digits up to a blank or the end; *rest is what follows the blank. */
static bool read_count(const char *text, pm_count *count, const char **rest)
{
    const char *end = strchrnul(text, ' ');
    *rest = *end == ' ' ? end + 1 : end;
    return pm_count_from_text(text, (unsigned)(end - text), count);
}

static enum pm_status read_item(const char *line, const struct pm_plan *plan,
                                struct text_item *item, struct pm_error *why)
{
    const char *rest;
    char quoted[PM_QUOTE_SIZE];
    pm_count number;
    if (!read_count(line, &number, &rest) || !read_count(rest, &item->nodes, &item->position))
        return pm_fail(why, PM_ERROR_PARSE, "%s: an item and its count are needed",
                       pm_quote(line, strlen(line), quoted));
    if (number >= plan->items)
        return pm_fail(why, PM_ERROR_PARSE, "%s: there is no such item: the plan has %u, from 0",
                       pm_quote(line, strlen(line), quoted), plan->items);
    item->item = (uint32_t)number;
    return PM_OK;
}

static enum pm_status check_position(const struct text_item *item, const struct pm_items *items,
                                     struct pm_error *why)
{
    char fen[PM_FEN_SIZE] = "", quoted[PM_QUOTE_SIZE];
    if (items != NULL)
        pm_fen_write(pm_items_position(items, item->item), PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN,
                     fen);
    if (strcmp(item->position, fen) == 0)
        return PM_OK;
    return pm_fail(why, PM_ERROR_PARSE, "%s: item %u has the position \"%s\"",
                   pm_quote(item->position, strlen(item->position), quoted), item->item, fen);
}

static enum pm_status import_line(struct pm_items_text *text, struct pm_store *store,
                                  const struct pm_items *items, struct pm_items_imported *imported,
                                  struct pm_error *why)
{
    struct text_item item;
    struct pm_store_count count = {.seconds = -1, .error_probability = -1};
    enum pm_status status = read_item(text->line, pm_store_plan(store), &item, why);
    if (status == PM_OK)
        status = check_position(&item, items, why);
    if (status != PM_OK)
        return status;
    count.item = item.item;
    count.nodes = item.nodes;
    status = pm_store_record(store, &count, why);
    if (status == PM_ERROR_ARGUMENT) {
        imported->known++;
        return PM_OK;
    }
    imported->added += status == PM_OK;
    return status;
}

static enum pm_status import_lines(struct pm_items_text *text, struct pm_store *store,
                                   const struct pm_items *items, struct pm_items_imported *imported,
                                   struct pm_error *error)
{
    for (;;) {
        bool got = false;
        struct pm_error why;
        const enum pm_status status = next_line(text, &got, error);
        if (status != PM_OK || !got)
            return status;
        if (import_line(text, store, items, imported, &why) != PM_OK)
            return fail_at_line(text, &why, error);
    }
}

enum pm_status pm_items_import(struct pm_items_text *text, const struct pm_store_run *run,
                               struct pm_store *store, const struct pm_items *items,
                               struct pm_items_imported *imported, struct pm_error *error)
{
    *imported = (struct pm_items_imported){0};
    enum pm_status status = pm_store_begin_batch(store, error);
    if (status == PM_OK)
        status = pm_store_begin_run(store, run, error);
    if (status == PM_OK)
        status = import_lines(text, store, items, imported, error);
    if (status == PM_OK && imported->added > 0)
        return pm_store_commit(store, error);
    const enum pm_status dropped = pm_store_drop_batch(store, status == PM_OK ? error : NULL);
    return status != PM_OK ? status : dropped;
}
