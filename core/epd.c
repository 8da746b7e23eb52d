/* SPDX-License-Identifier: MIT */
#include "core/epd.h"

#include "core/fen.h"
#include "core/quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 999

/* Input without end shall not fill the memory. */
#define MAX_LINE (1U << 20)
#define MAX_SIZE ((size_t)1 << 30)

struct span {
    const char *start;
    const char *end;
};

struct reader {
    const char *file;
    struct pm_suite *suite;
    struct pm_error *error;
    unsigned line_number;
    struct span line;
};

/* Fails with file, line, column, the value seen and the words that follow it. */
__attribute__((format(printf, 3, 4))) static enum pm_status
refuse(const struct reader *reader, struct span value, const char *format, ...)
{
    char detail[160];
    char quoted[PM_QUOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return pm_fail(reader->error, PM_ERROR_PARSE, "%.80s:%u: column %zu: %s: %s", reader->file,
                   reader->line_number, (size_t)(value.start - reader->line.start) + 1,
                   pm_quote(value.start, (size_t)(value.end - value.start), quoted), detail);
}

static enum pm_status out_of_memory(const struct reader *reader)
{
    return pm_fail(reader->error, PM_ERROR_MEMORY, "%.80s: out of memory", reader->file);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct span trim(struct span span)
{
    while (span.start < span.end && is_blank(*span.start))
        span.start++;
    while (span.end > span.start && is_blank(span.end[-1]))
        span.end--;
    return span;
}

static bool is_empty(struct span span)
{
    return span.start == span.end;
}

static size_t length_of(struct span span)
{
    return (size_t)(span.end - span.start);
}

/* Cuts the next word off the front of a span. */
static struct span take_word(struct span *rest)
{
    *rest = trim(*rest);
    struct span word = {rest->start, rest->start};
    while (word.end < rest->end && !is_blank(*word.end))
        word.end++;
    rest->start = word.end;
    return word;
}

/* Copies a span into a new string; NULL if out of memory. */
static char *copy(struct span span)
{
    return strndup(span.start, length_of(span));
}

/* Makes room for one more item in an array that grows by doubling: at 0, 1, 2, 4 … items. */
static void *grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return reallocarray(items, count == 0 ? 1 : count * 2, size);
}

static bool is_number(struct span span)
{
    const char *at = span.start;
    while (at < span.end && isdigit((unsigned char)*at))
        at++;
    return at == span.end && !is_empty(span);
}

/* D1, d2 …: a letter and digits, or what was meant to be that. */
static bool is_depth(struct span word)
{
    return length_of(word) >= 2 && (word.start[0] == 'D' || word.start[0] == 'd') &&
           isdigit((unsigned char)word.start[1]);
}

static bool read_count(struct span text, pm_count *count)
{
    return length_of(text) <= 64 &&
           pm_count_from_text(text.start, (unsigned)length_of(text), count);
}

static enum pm_status add_count(const struct reader *reader, struct pm_suite_entry *entry,
                                struct span word, struct span operand)
{
    const int last = entry->count_count > 0 ? entry->counts[entry->count_count - 1].depth : 0;
    pm_count depth, nodes;
    if (!read_count((struct span){word.start + 1, word.end}, &depth) || depth < 1 ||
        depth > MAX_DEPTH)
        return refuse(reader, word, "a depth is a whole number from 1 to %d", MAX_DEPTH);
    if ((int)depth <= last)
        return refuse(reader, word, "depths ascend, and D%d stands before it", last);
    if (!read_count(operand, &nodes))
        return refuse(reader, operand, "a count is a whole number below 2^128");
    void *const counts = grow(entry->counts, entry->count_count, sizeof *entry->counts);
    if (counts == NULL)
        return out_of_memory(reader);
    entry->counts = counts;
    entry->counts[entry->count_count++] =
        (struct pm_suite_count){.depth = (int)depth, .nodes = nodes};
    return PM_OK;
}

static struct span without_quotes(struct span span)
{
    const bool quoted = length_of(span) >= 2 && *span.start == '"' &&
                        memchr(span.start + 1, '"', length_of(span) - 1) == span.end - 1;
    return quoted ? (struct span){span.start + 1, span.end - 1} : span;
}

static enum pm_status add_opcode(const struct reader *reader, struct pm_suite_entry *entry,
                                 struct span word, struct span operand)
{
    if (!isalpha((unsigned char)*word.start))
        return refuse(reader, word, "expected ';', D and a depth, or an opcode");
    void *const opcodes = grow(entry->opcodes, entry->opcode_count, sizeof *entry->opcodes);
    if (opcodes == NULL)
        return out_of_memory(reader);
    entry->opcodes = opcodes;
    struct pm_suite_opcode *const opcode = &entry->opcodes[entry->opcode_count++];
    *opcode =
        (struct pm_suite_opcode){.name = copy(word), .operand = copy(without_quotes(operand))};
    return opcode->name != NULL && opcode->operand != NULL ? PM_OK : out_of_memory(reader);
}

/* Where the operation at the front of a span ends: at a ';' outside quotes, or with the line. */
static enum pm_status find_end(const struct reader *reader, struct span rest, const char **end)
{
    const char *quote = NULL;
    const char *at = rest.start;
    for (; at < rest.end && (*at != ';' || quote != NULL); at++) {
        if (*at == '"')
            quote = quote == NULL ? at : NULL;
    }
    *end = at;
    return quote == NULL ? PM_OK
                         : refuse(reader, (struct span){quote, rest.end}, "no closing quote");
}

static enum pm_status read_operations(const struct reader *reader, struct pm_suite_entry *entry,
                                      struct span rest)
{
    while (rest.start < rest.end) {
        struct span operation = {rest.start, NULL};
        enum pm_status status = find_end(reader, rest, &operation.end);
        if (status != PM_OK)
            return status;
        rest.start = operation.end + (operation.end < rest.end); /* past the ';' */
        const struct span word = take_word(&operation);
        const struct span operand = trim(operation);
        if (is_empty(word))
            continue;
        status = is_depth(word) ? add_count(reader, entry, word, operand)
                                : add_opcode(reader, entry, word, operand);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* The FEN at the front of a line: four fields, and the clocks where they follow. Less if a ';'
 * comes first. */
static struct span find_fen(struct span line)
{
    const char *const semicolon = memchr(line.start, ';', length_of(line));
    struct span rest = {line.start, semicolon != NULL ? semicolon : line.end};
    struct span fen = {line.start, line.start};
    for (unsigned field = 0; field < 6; field++) {
        const struct span word = take_word(&rest);
        const bool clock = is_number(word) || (length_of(word) == 1 && *word.start == '-');
        if (is_empty(word) || (field >= 4 && !clock))
            break;
        fen.end = word.end;
    }
    return fen;
}

static enum pm_status read_position(const struct reader *reader, struct pm_suite_entry *entry)
{
    struct pm_error error;
    const enum pm_status status = pm_fen_read_either(entry->fen, &entry->position, &entry->chess960,
                                                     &entry->warnings, &error);
    if (status == PM_OK)
        return PM_OK;
    return pm_fail(reader->error, status, "%.80s:%u: %s", reader->file, reader->line_number,
                   error.text);
}

static enum pm_status read_entry(struct reader *reader)
{
    struct pm_suite *const suite = reader->suite;
    const struct span fen = find_fen(reader->line);
    void *const entries = grow(suite->entries, suite->entry_count, sizeof *suite->entries);
    if (entries == NULL)
        return out_of_memory(reader);
    suite->entries = entries;
    struct pm_suite_entry *const entry = &suite->entries[suite->entry_count++];
    *entry = (struct pm_suite_entry){.line = reader->line_number, .fen = copy(fen)};
    if (entry->fen == NULL)
        return out_of_memory(reader);
    const enum pm_status status = read_position(reader, entry);
    return status != PM_OK
               ? status
               : read_operations(reader, entry, (struct span){fen.end, reader->line.end});
}

/* Keeps `# source: text`; every other comment is passed over. */
static enum pm_status read_comment(const struct reader *reader)
{
    static const char key[] = "source:";
    const struct span comment = trim((struct span){reader->line.start + 1, reader->line.end});
    if (length_of(comment) < sizeof key - 1 || memcmp(comment.start, key, sizeof key - 1) != 0)
        return PM_OK;
    char *const source = copy(trim((struct span){comment.start + sizeof key - 1, comment.end}));
    if (source == NULL)
        return out_of_memory(reader);
    free(reader->suite->source);
    reader->suite->source = source;
    return PM_OK;
}

static enum pm_status read_line(struct reader *reader)
{
    const struct span line = reader->line;
    const char *const nul = memchr(line.start, '\0', length_of(line));
    if (nul != NULL)
        return refuse(reader, (struct span){nul, nul + 1}, "a NUL byte: this is no text file");
    if (is_empty(trim(line)))
        return PM_OK;
    return *line.start == '#' ? read_comment(reader) : read_entry(reader);
}

static enum pm_status read_lines(struct reader *reader, struct span text)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (length_of(text) >= 3 && memcmp(text.start, byte_order_mark, 3) == 0)
        text.start += 3;
    while (text.start < text.end) {
        const char *const newline = memchr(text.start, '\n', length_of(text));
        reader->line = (struct span){text.start, newline != NULL ? newline : text.end};
        reader->line_number++;
        text.start = newline != NULL ? newline + 1 : text.end;
        if (!is_empty(reader->line) && reader->line.end[-1] == '\r')
            reader->line.end--;
        if (length_of(reader->line) > MAX_LINE)
            return refuse(reader, (struct span){reader->line.start, reader->line.start + 24},
                          "a line of %zu bytes; %u are the most", length_of(reader->line),
                          MAX_LINE);
        const enum pm_status status = read_line(reader);
        if (status != PM_OK)
            return status;
    }
    if (reader->suite->entry_count == 0)
        return pm_fail(reader->error, PM_ERROR_PARSE,
                       "%.80s:%u: no position in the file; a suite has at least one", reader->file,
                       reader->line_number);
    return PM_OK;
}

/* The file's name without folder and ".epd". */
static char *suite_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const base = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(base);
    const bool has_suffix = length > 4 && strcmp(&base[length - 4], ".epd") == 0;
    return strndup(base, has_suffix ? length - 4 : length);
}

enum pm_status pm_suite_read_text(const char *name, const char *text, size_t size,
                                  struct pm_suite *suite, struct pm_error *error)
{
    struct reader reader = {.file = name, .suite = suite, .error = error};
    *suite = (struct pm_suite){.name = suite_name(name), .source = strdup("")};
    const enum pm_status status = suite->name != NULL && suite->source != NULL
                                      ? read_lines(&reader, (struct span){text, text + size})
                                      : out_of_memory(&reader);
    if (status != PM_OK)
        pm_suite_free(suite);
    return status;
}

/* Reads to the end of a stream; the caller frees *text. */
static enum pm_status read_stream(FILE *stream, char **text, size_t *size)
{
    size_t capacity = 0;
    do {
        if (*size >= MAX_SIZE)
            return PM_ERROR_OVERFLOW;
        if (*size == capacity) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            char *const larger = realloc(*text, capacity);
            if (larger == NULL)
                return PM_ERROR_MEMORY;
            *text = larger;
        }
        *size += fread(*text + *size, 1, capacity - *size, stream);
    } while (!feof(stream) && !ferror(stream));
    return ferror(stream) ? PM_ERROR_IO : PM_OK;
}

enum pm_status pm_suite_read_file(const char *path, struct pm_suite *suite, struct pm_error *error)
{
    char *text = NULL;
    size_t size = 0;
    *suite = (struct pm_suite){0};
    FILE *const stream = fopen(path, "rb");
    if (stream == NULL)
        return pm_fail(error, PM_ERROR_IO, "%.200s: %s", path, strerror(errno));
    enum pm_status status = read_stream(stream, &text, &size);
    if (status == PM_ERROR_OVERFLOW)
        status = pm_fail(error, PM_ERROR_PARSE, "%.200s: more than %zu bytes: no suite is so long",
                         path, MAX_SIZE);
    else if (status != PM_OK)
        pm_fail(error, status, "%.200s: %s", path, strerror(errno));
    else
        status = pm_suite_read_text(path, text, size, suite, error);
    fclose(stream);
    free(text);
    return status;
}

const char *pm_suite_entry_opcode(const struct pm_suite_entry *entry, const char *name)
{
    for (unsigned i = 0; i < entry->opcode_count; i++) {
        if (strcmp(entry->opcodes[i].name, name) == 0)
            return entry->opcodes[i].operand;
    }
    return NULL;
}

static void free_entry(struct pm_suite_entry *entry)
{
    for (unsigned i = 0; i < entry->opcode_count; i++) {
        free(entry->opcodes[i].name);
        free(entry->opcodes[i].operand);
    }
    free(entry->opcodes);
    free(entry->counts);
    free(entry->fen);
}

void pm_suite_filter(struct pm_suite *suite,
                     bool (*keep)(const struct pm_suite_entry *entry, const void *context),
                     const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < suite->entry_count; i++) {
        if (keep(&suite->entries[i], context))
            suite->entries[kept++] = suite->entries[i];
        else
            free_entry(&suite->entries[i]);
    }
    suite->entry_count = kept;
}

void pm_suite_free(struct pm_suite *suite)
{
    for (size_t i = 0; i < suite->entry_count; i++)
        free_entry(&suite->entries[i]);
    free(suite->entries);
    free(suite->source);
    free(suite->name);
    *suite = (struct pm_suite){0};
}
