/* SPDX-License-Identifier: MIT */
#include "jobs/item_text.h"

#include "core/fen.h"
#include "core/input.h"
#include "core/quote.h"

#include <stdlib.h>
#include <string.h>

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
