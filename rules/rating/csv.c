/* SPDX-License-Identifier: MIT */
#include "rules/rating/csv.h"

#include <csv.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct place {
    uint64_t line, column;
};

struct pm_csv_reader {
    struct pm_input *input;
    struct csv_parser parser;
    bool is_at_end, failed;
    size_t column_count; /* 0 before the first row */

    char bytes[65536];
    size_t used, filled;
    struct place here;  /* of the next byte */
    struct place start; /* of the field being read */
    bool has_start, after_cr;

    char *text; /* the row's fields one after another */
    size_t text_size, text_room;
    struct pm_csv_field fields[PM_CSV_MAX_FIELDS];
    size_t offsets[PM_CSV_MAX_FIELDS];
    size_t field_count;
    bool has_row, out_of_memory;
    struct pm_csv_row row;
};

__attribute__((format(printf, 4, 5))) static enum pm_status fail_at(struct pm_csv_reader *reader,
                                                                    struct place place,
                                                                    struct pm_error *error,
                                                                    const char *format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    reader->failed = true;
    return pm_fail(error, PM_ERROR_PARSE, "%.150s:%llu:%llu: %s", pm_input_name(reader->input),
                   (unsigned long long)place.line, (unsigned long long)place.column, words);
}

static enum pm_status fail_memory(struct pm_csv_reader *reader, struct pm_error *error)
{
    reader->failed = true;
    return pm_fail(error, PM_ERROR_MEMORY, "%.150s: out of memory", pm_input_name(reader->input));
}

enum pm_status pm_csv_open(struct pm_input *input, struct pm_csv_reader **reader,
                           struct pm_error *error)
{
    *reader = calloc(1, sizeof **reader);
    if (*reader == NULL ||
        csv_init(&(*reader)->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) {
        free(*reader);
        *reader = NULL;
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    csv_set_blk_size(&(*reader)->parser, 65536); /* by which it grows, and no faster */
    (*reader)->input = input;
    (*reader)->here = (struct place){1, 1};
    return PM_OK;
}

void pm_csv_close(struct pm_csv_reader *reader)
{
    if (reader == NULL)
        return;
    csv_free(&reader->parser);
    free(reader->text);
    free(reader);
}

/* libcsv's two callbacks: a field is over, a row is over. */

static bool make_room(struct pm_csv_reader *reader, size_t size)
{
    if (size <= reader->text_room)
        return true;
    const size_t room = size > 2 * reader->text_room ? size : 2 * reader->text_room;
    char *text = realloc(reader->text, room);
    if (text == NULL)
        return false;
    reader->text = text;
    reader->text_room = room;
    return true;
}

static void end_field(void *text, size_t length, void *context)
{
    struct pm_csv_reader *reader = context;
    const size_t index = reader->field_count++;
    reader->has_start = false;
    if (index >= PM_CSV_MAX_FIELDS)
        return;
    if (!make_room(reader, reader->text_size + length + 1)) {
        reader->out_of_memory = true;
        return;
    }
    memcpy(reader->text + reader->text_size, text, length);
    reader->text[reader->text_size + length] = '\0';
    reader->offsets[index] = reader->text_size;
    reader->text_size += length + 1;
    reader->fields[index] =
        (struct pm_csv_field){.line = reader->start.line, .column = reader->start.column};
}

static void end_row(int terminator, void *context)
{
    struct pm_csv_reader *reader = context;
    (void)terminator;
    reader->has_row = true;
}

/* Bytes and where they stand */

static enum pm_status fill(struct pm_csv_reader *reader, struct pm_error *error)
{
    const bool is_first = reader->filled == 0;
    size_t got;
    reader->used = reader->filled = 0;
    do { /* until a byte order mark would be there in full */
        const enum pm_status status =
            pm_input_read(reader->input, reader->bytes + reader->filled,
                          sizeof reader->bytes - reader->filled, &got, error);
        reader->failed = status != PM_OK;
        if (status != PM_OK)
            return status;
        reader->filled += got;
    } while (is_first && got > 0 && reader->filled < 3);
    reader->is_at_end = reader->filled == 0;
    if (is_first && reader->filled >= 3 && memcmp(reader->bytes, "\xEF\xBB\xBF", 3) == 0)
        reader->used = 3;
    return PM_OK;
}

static void note_start(struct pm_csv_reader *reader, char byte)
{
    if (reader->has_start || byte == ' ' || byte == '\t')
        return;
    reader->start = reader->here;
    reader->has_start = byte != '\r' && byte != '\n';
}

static void move_on(struct pm_csv_reader *reader, char byte)
{
    const bool ends_line = byte == '\r' || (byte == '\n' && !reader->after_cr);
    if (ends_line)
        reader->here.line++;
    if (ends_line || byte == '\n')
        reader->here.column = 1;
    else
        reader->here.column++;
    reader->after_cr = byte == '\r';
}

static enum pm_status take_byte(struct pm_csv_reader *reader, char byte, struct pm_error *error)
{
    const struct place here = reader->here;
    if (byte == '\0')
        return fail_at(reader, here, error, "a byte 0: text is needed");
    note_start(reader, byte);
    if (csv_parse(&reader->parser, &byte, 1, end_field, end_row, reader) != 1) {
        if (csv_error(&reader->parser) != CSV_EPARSE)
            return fail_memory(reader, error);
        return fail_at(reader, here, error,
                       "%s: a field with quotation marks stands in quotation marks as a whole, "
                       "each one inside written twice",
                       byte == '"' ? "a quotation mark inside a field"
                                   : "text after the closing quotation mark");
    }
    move_on(reader, byte);
    return PM_OK;
}

static enum pm_status take_end(struct pm_csv_reader *reader, struct pm_error *error)
{
    if (csv_fini(&reader->parser, end_field, end_row, reader) == 0)
        return PM_OK;
    if (csv_error(&reader->parser) != CSV_EPARSE)
        return fail_memory(reader, error);
    return fail_at(reader, reader->start, error,
                   "the quotation mark that opens this field is never closed");
}

/* Goes on until a row or the file is over. */
static enum pm_status read_row(struct pm_csv_reader *reader, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    size_t row_bytes = 0;
    while (status == PM_OK && !reader->has_row && !reader->is_at_end) {
        if (reader->used == reader->filled)
            status = fill(reader, error);
        else if (++row_bytes > PM_CSV_MAX_ROW)
            status =
                fail_at(reader, reader->start, error,
                        "a line of over %u bytes: is a quotation mark missing?", PM_CSV_MAX_ROW);
        else
            status = take_byte(reader, reader->bytes[reader->used++], error);
        if (status == PM_OK && reader->is_at_end)
            status = take_end(reader, error);
    }
    return status;
}

static struct place place_of(const struct pm_csv_field *field)
{
    return (struct place){field->line, field->column};
}

static enum pm_status check_row(struct pm_csv_reader *reader, struct pm_error *error)
{
    const size_t needed = reader->column_count;
    if (reader->field_count > PM_CSV_MAX_FIELDS)
        return fail_at(reader, place_of(&reader->fields[0]), error,
                       "%zu fields: at most %d are allowed", reader->field_count,
                       PM_CSV_MAX_FIELDS);
    if (needed == 0)
        reader->column_count = reader->field_count;
    else if (reader->field_count < needed)
        return fail_at(reader, place_of(&reader->fields[reader->field_count - 1]), error,
                       "the line ends after %zu field%s: the first line names %zu",
                       reader->field_count, reader->field_count == 1 ? "" : "s", needed);
    else if (reader->field_count > needed)
        return fail_at(reader, place_of(&reader->fields[needed]), error,
                       "%zu fields: the first line names %zu", reader->field_count, needed);
    return PM_OK;
}

enum pm_status pm_csv_next(struct pm_csv_reader *reader, const struct pm_csv_row **row,
                           struct pm_error *error)
{
    *row = NULL;
    if (reader->failed)
        return pm_fail(error, PM_ERROR_PARSE, "%.150s: not read further",
                       pm_input_name(reader->input));
    reader->field_count = reader->text_size = 0;
    reader->has_row = false;
    enum pm_status status = read_row(reader, error);
    if (status == PM_OK && reader->out_of_memory)
        status = fail_memory(reader, error);
    if (status == PM_OK && reader->has_row) {
        status = check_row(reader, error);
        reader->failed = false; /* the row is whole, only not as long as it should be */
    }
    if (status != PM_OK || !reader->has_row)
        return status;
    for (size_t i = 0; i < reader->field_count; i++)
        reader->fields[i].text = reader->text + reader->offsets[i];
    reader->row = (struct pm_csv_row){reader->fields, reader->field_count};
    *row = &reader->row;
    return PM_OK;
}

bool pm_csv_goes_on(const struct pm_csv_reader *reader)
{
    return !reader->failed;
}

/* The column of that name, -1 if there is none, -2 - its second index if there are two. */
static int find_column(const struct pm_csv_row *row, const char *name)
{
    int found = -1;
    for (size_t i = 0; i < row->count; i++) {
        if (strcasecmp(row->fields[i].text, name) != 0)
            continue;
        if (found >= 0)
            return -2 - (int)i;
        found = (int)i;
    }
    return found;
}

static void list_columns(const char *const columns[], size_t count, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s",
                                   i == 0           ? ""
                                   : i + 1 == count ? " and "
                                                    : ", ",
                                   columns[i]);
}

/* What parts the columns of a first line in place of commas, or NULL. */
static const char *other_separator(const struct pm_csv_row *row)
{
    const char *const text = row->fields[0].text;
    if (row->count > 1)
        return NULL;
    return strchr(text, ';') != NULL ? "semicolons" : strchr(text, '\t') != NULL ? "tabs" : NULL;
}

enum pm_status pm_csv_columns(struct pm_csv_reader *reader, const char *const columns[],
                              size_t count, size_t required, int places[], struct pm_error *error)
{
    const struct pm_csv_row *row;
    char needed[128];
    list_columns(columns, required, needed, sizeof needed);
    const enum pm_status status = pm_csv_next(reader, &row, error);
    if (status != PM_OK)
        return status;
    if (row == NULL)
        return fail_at(reader, reader->here, error,
                       "the file is empty: a first line that names the columns %s is needed",
                       needed);
    const char *const separator = other_separator(row);
    if (separator != NULL)
        return fail_at(reader, place_of(&row->fields[0]), error,
                       "%s part the columns here: commas are needed, as in %s", separator, needed);
    for (size_t i = 0; i < count; i++) {
        places[i] = find_column(row, columns[i]);
        if (places[i] < -1)
            return fail_at(reader, place_of(&row->fields[-2 - places[i]]), error,
                           "a second column is named %s: one is needed", columns[i]);
        if (places[i] < 0 && i < required)
            return fail_at(reader, place_of(&row->fields[0]), error,
                           "no column is named %s: the first line must name the columns %s",
                           columns[i], needed);
    }
    return PM_OK;
}

void pm_csv_write(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL && strspn(text, " \t") == 0 &&
        (text[0] == '\0' || strchr(" \t", text[strlen(text) - 1]) == NULL))
        fputs(text, out);
    else
        csv_fwrite(out, text, strlen(text));
}
