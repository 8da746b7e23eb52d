/* SPDX-License-Identifier: MIT */
#include "engines/engine_file.h"

#include "core/quote.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pm_dialect dialect_xboard = {
    .start = "xboard\nprotover 2\nforce",
    .ready = "ping 1",
    .is_ready = "pong 1",
    .start_position = "setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    .position = "setboard {fen}",
    .perft = "perft {depth}",
    .quit = "quit\n",
};

/* A file being read. */
struct reading {
    struct pm_engine_file *file;
    json_t *root;
    const char *path;
    struct pm_error *error;
    size_t line_count;
};

__attribute__((format(printf, 3, 4))) static enum pm_status
fail(const struct reading *reading, const char *key, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pm_fail(reading->error, PM_ERROR_PARSE, "%s: \"%s\" %s", reading->path, key, text);
}

/* ---- Values ---- */

static bool is_line(const char *text)
{
    return text[strcspn(text, "\r\n")] == '\0';
}

/* Copies a string of one line; leaves *text as it is where the key is not there. */
static enum pm_status read_string(const struct reading *reading, const char *key, char **text)
{
    const json_t *value = json_object_get(reading->root, key);
    if (value == NULL)
        return PM_OK;
    if (!json_is_string(value) || !is_line(json_string_value(value)))
        return fail(reading, key, "is not a string of one line");
    *text = strdup(json_string_value(value));
    return *text != NULL ? PM_OK : pm_fail(reading->error, PM_ERROR_MEMORY, "out of memory");
}

/* The same for a line with a place to be filled in. */
static enum pm_status read_template(const struct reading *reading, const char *key,
                                    const char *place, char **text, const char **line)
{
    const enum pm_status status = read_string(reading, key, text);
    if (status != PM_OK || *text == NULL)
        return status;
    if (place != NULL && strstr(*text, place) == NULL)
        return fail(reading, key, "lacks %s", place);
    *line = *text;
    return PM_OK;
}

static enum pm_status read_pattern(const struct reading *reading, const char *key, size_t groups,
                                   regex_t *pattern, bool *has)
{
    const json_t *value = json_object_get(reading->root, key);
    char cause[128];
    if (value == NULL)
        return PM_OK;
    if (!json_is_string(value))
        return fail(reading, key, "is not a string");
    const int failed = regcomp(pattern, json_string_value(value), REG_EXTENDED);
    if (failed != 0) {
        regerror(failed, pattern, cause, sizeof cause);
        return fail(reading, key, "is no regular expression: %s", cause);
    }
    *has = true;
    if (pattern->re_nsub != groups)
        return fail(reading, key, "has %zu groups in (): %zu are needed", pattern->re_nsub, groups);
    return PM_OK;
}

/* Takes over the line. */
static enum pm_status add_line(struct reading *reading, const char *key, char *line)
{
    if (line == NULL)
        return pm_fail(reading->error, PM_ERROR_MEMORY, "out of memory");
    if (reading->line_count == PM_ENGINE_FILE_MAX_LINES || !is_line(line)) {
        free(line);
        return fail(reading, key, "has more than %d lines, or a line end in one",
                    PM_ENGINE_FILE_MAX_LINES);
    }
    reading->file->lines[reading->line_count++] = line;
    return PM_OK;
}

static enum pm_status read_setup(struct reading *reading)
{
    const json_t *list = json_object_get(reading->root, "setup");
    enum pm_status status = PM_OK;
    size_t index;
    json_t *value;
    if (list != NULL && !json_is_array(list))
        return fail(reading, "setup", "is not a list");
    json_array_foreach(list, index, value)
    {
        if (!json_is_string(value))
            return fail(reading, "setup", "has an item that is not a string");
        status = add_line(reading, "setup", strdup(json_string_value(value)));
        if (status != PM_OK)
            return status;
    }
    return status;
}

static enum pm_status read_options(struct reading *reading)
{
    json_t *object = json_object_get(reading->root, "options");
    const bool is_xboard = reading->file->protocol == PM_ENGINE_XBOARD;
    const char *key;
    json_t *value;
    if (object != NULL && (!json_is_object(object) || reading->file->protocol == PM_ENGINE_CMD))
        return fail(reading, "options", "is not an object, or the protocol has none");
    json_object_foreach(object, key, value)
    {
        char *text = json_is_string(value) ? strdup(json_string_value(value))
                                           : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        char *line = NULL;
        const char *format = is_xboard ? "option %s=%s" : "setoption name %s value %s";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (text != NULL && asprintf(&line, format, key, text) < 0)
            line = NULL;
#pragma GCC diagnostic pop
        free(text);
        const enum pm_status status = add_line(reading, "options", line);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static enum pm_status read_protocol(struct reading *reading)
{
    static const char *const names[] = {"uci", "xboard", "cmd"};
    const json_t *value = json_object_get(reading->root, "protocol");
    reading->file->dialect = pm_dialect_uci;
    if (value == NULL)
        return PM_OK;
    for (int i = 0; i < 3; i++)
        if (json_is_string(value) && strcmp(json_string_value(value), names[i]) == 0) {
            reading->file->protocol = (enum pm_engine_protocol)i;
            if (i == PM_ENGINE_XBOARD)
                reading->file->dialect = dialect_xboard;
            return PM_OK;
        }
    return fail(reading, "protocol", "is not \"uci\", \"xboard\" or \"cmd\"");
}

static enum pm_status read_variants(struct reading *reading)
{
    const json_t *list = json_object_get(reading->root, "variants");
    bool chess960 = false;
    size_t index;
    json_t *value;
    if (list == NULL) {
        reading->file->no_chess960 = reading->file->protocol == PM_ENGINE_XBOARD;
        return PM_OK;
    }
    if (!json_is_array(list))
        return fail(reading, "variants", "is not a list");
    json_array_foreach(list, index, value)
    {
        const char *name = json_is_string(value) ? json_string_value(value) : "";
        chess960 = chess960 || strcmp(name, "chess960") == 0;
        if (strcmp(name, "chess960") != 0 && strcmp(name, "standard") != 0)
            return fail(reading, "variants", "has an item other than \"standard\", \"chess960\"");
    }
    reading->file->no_chess960 = !chess960;
    reading->file->dialect.chess960 = chess960 && reading->file->protocol == PM_ENGINE_XBOARD;
    return PM_OK;
}

static enum pm_status read_numbers(struct reading *reading)
{
    const json_t *ready = json_object_get(reading->root, "ready");
    const json_t *limit = json_object_get(reading->root, "time_limit");
    if (ready != NULL && !json_is_boolean(ready))
        return fail(reading, "ready", "is not true or false");
    if (json_is_false(ready))
        reading->file->dialect.ready = reading->file->dialect.is_ready = NULL;
    if (limit != NULL && (!json_is_number(limit) || json_number_value(limit) < 0.1 ||
                          json_number_value(limit) > 1e6))
        return fail(reading, "time_limit", "is not a number of seconds from 0.1 to 1,000,000");
    reading->file->time_limit = json_number_value(limit);
    return PM_OK;
}

/* ---- The file ---- */

static enum pm_status check_keys(struct reading *reading)
{
    static const char *const keys[] = {"name",    "about", "command",  "protocol",   "setup",
                                       "options", "ready", "position", "start",      "perft",
                                       "part",    "total", "variants", "time_limit", NULL};
    const char *key;
    json_t *value;
    char quoted[PM_QUOTE_SIZE];
    if (!json_is_object(reading->root))
        return pm_fail(reading->error, PM_ERROR_PARSE, "%s: it is not a JSON object",
                       reading->path);
    json_object_foreach(reading->root, key, value)
    {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i] == NULL)
            return pm_fail(reading->error, PM_ERROR_PARSE, "%s: unknown key %s", reading->path,
                           pm_quote(key, strlen(key), quoted));
    }
    return PM_OK;
}

static enum pm_status read_lines(struct reading *reading)
{
    struct pm_engine_file *file = reading->file;
    struct pm_dialect *dialect = &file->dialect;
    enum pm_status status = read_string(reading, "command", &file->command);
    if (status == PM_OK && file->command == NULL)
        status = fail(reading, "command", "is missing");
    if (status == PM_OK)
        status = read_template(reading, "position", "{fen}", &file->position, &dialect->position);
    if (status == PM_OK)
        status =
            read_template(reading, "start", NULL, &file->start_position, &dialect->start_position);
    if (status == PM_OK)
        status = read_template(reading, "perft", "{depth}", &file->perft, &dialect->perft);
    if (file->position != NULL)
        dialect->has_moves = false;
    return status;
}

static enum pm_status read_patterns(struct reading *reading)
{
    struct pm_divide_patterns *patterns = &reading->file->patterns;
    enum pm_status status = read_pattern(reading, "part", 2, &patterns->part, &patterns->has_part);
    if (status == PM_OK)
        status = read_pattern(reading, "total", 1, &patterns->total, &patterns->has_total);
    if (patterns->has_part || patterns->has_total)
        reading->file->dialect.patterns = patterns;
    return status;
}

static enum pm_status read_root(struct reading *reading)
{
    enum pm_status (*const steps[])(struct reading *) = {check_keys,    read_protocol, read_lines,
                                                         read_patterns, read_setup,    read_options,
                                                         read_variants, read_numbers};
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == PM_OK; i++)
        status = steps[i](reading);
    if (reading->line_count > 0)
        reading->file->dialect.setup = reading->file->lines;
    return status;
}

/* Up to the size that is allowed. */
static enum pm_status load(const char *path, json_t **root, struct pm_error *error)
{
    json_error_t cause;
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "can't read the engine file %s: %s", path,
                       strerror(errno));
    char *text = malloc(PM_ENGINE_FILE_MAX_SIZE + 1);
    const size_t size = text != NULL ? fread(text, 1, PM_ENGINE_FILE_MAX_SIZE + 1, stream) : 0;
    const bool failed = ferror(stream) != 0;
    fclose(stream);
    enum pm_status status = PM_OK;
    *root = NULL;
    if (text == NULL)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    else if (failed)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "can't read the engine file %s", path);
    else if (size > PM_ENGINE_FILE_MAX_SIZE)
        status =
            pm_fail(error, PM_ERROR_PARSE, "%s: more than %d bytes", path, PM_ENGINE_FILE_MAX_SIZE);
    else if ((*root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &cause)) == NULL)
        status = pm_fail(error, PM_ERROR_PARSE, "%s:%d: %s", path, cause.line, cause.text);
    free(text);
    return status;
}

enum pm_status pm_engine_file_read(const char *word, const char *folder,
                                   struct pm_engine_file **file, struct pm_error *error)
{
    char path[PATH_MAX];
    const size_t length = strlen(word);
    const bool is_path =
        strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".json") == 0);
    struct reading reading = {.path = path, .error = error};
    if (is_path)
        snprintf(path, sizeof path, "%s", word);
    else
        snprintf(path, sizeof path, "%s/%s.json", folder != NULL ? folder : ".", word);
    enum pm_status status = load(path, &reading.root, error);
    if (status != PM_OK)
        return status;
    reading.file = calloc(1, sizeof *reading.file);
    status = reading.file != NULL ? read_root(&reading)
                                  : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    json_decref(reading.root);
    if (status == PM_OK)
        *file = reading.file;
    else
        pm_engine_file_free(reading.file);
    return status;
}

void pm_engine_file_free(struct pm_engine_file *file)
{
    if (file == NULL)
        return;
    if (file->patterns.has_part)
        regfree(&file->patterns.part);
    if (file->patterns.has_total)
        regfree(&file->patterns.total);
    for (char **line = file->lines; *line != NULL; line++)
        free(*line);
    free(file->start_position);
    free(file->position);
    free(file->perft);
    free(file->command);
    free(file);
}
