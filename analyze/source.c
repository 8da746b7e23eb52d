/* SPDX-License-Identifier: MIT */
#include "analyze/source.h"

#include "core/input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A block of games ends after so many moves. */
#define BLOCK_MOVES 1000

struct pm_source {
    const struct pm_stream_config *config;
    int file; /* index of the present one */
    struct pm_input *input;
    struct pm_pgn_reader *reader; /* NULL: lines */
    uint64_t next;                /* line or game */
    uint64_t start;               /* the first one wanted of this file */
    size_t carry_length;
    char carry[PM_BLOCK_SIZE]; /* what was read behind the last whole line */
};

void pm_block_clear(struct pm_block *block)
{
    for (unsigned i = 0; i < block->game_count; i++) {
        free(block->games[i].game);
        free(block->games[i].fault);
        free(block->games[i].notes);
    }
    block->game_count = 0;
    block->from = block->to = 0;
    block->next = 0;
}

void pm_block_free(struct pm_block *block)
{
    pm_block_clear(block);
    free(block->text);
    block->text = NULL;
}

static const char byte_order_mark[3] = "\xEF\xBB\xBF";

static bool has_byte_order_mark(const char *text, size_t length)
{
    return length >= sizeof byte_order_mark &&
           memcmp(text, byte_order_mark, sizeof byte_order_mark) == 0;
}

/* ---- Telling PGN from lines ---- */

/* A tag, a comment, or a move number: no FEN begins like that. */
static bool begins_game(const char *line, const char *end)
{
    const char *at = line;
    while (at < end && isdigit((unsigned char)*at))
        at++;
    return *line == '[' || *line == '{' || (at > line && at < end && *at == '.');
}

static bool looks_like_pgn(const char *text, size_t length)
{
    const char *const end = text + length;
    const char *at = has_byte_order_mark(text, length) ? text + sizeof byte_order_mark : text;
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (*at != '#' && *at != '%' && *at != ';') /* comment lines of both kinds */
            return begins_game(at, end);
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    return false;
}

/* Reads until there is enough to tell, or the file ends. */
static enum pm_status peek(struct pm_source *source, struct pm_error *error)
{
    size_t got = 1;
    source->carry_length = 0;
    while (got > 0 && memchr(source->carry, '\n', source->carry_length) == NULL &&
           source->carry_length < sizeof source->carry) {
        const enum pm_status status =
            pm_input_read(source->input, source->carry + source->carry_length,
                          sizeof source->carry - source->carry_length, &got, error);
        if (status != PM_OK)
            return status;
        source->carry_length += got;
    }
    return PM_OK;
}

/* Begins an input anew, which only a file that stays can do. */
static enum pm_status reopen(struct pm_source *source, off_t start, struct pm_error *error)
{
    const char *const path = source->config->files[source->file];
    if (start < 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%.200s looks like PGN and can't be read twice: say --input pgn",
                       pm_input_name(source->input));
    pm_input_close(source->input);
    source->input = NULL;
    source->carry_length = 0;
    if (strcmp(path, "-") == 0)
        lseek(STDIN_FILENO, start, SEEK_SET);
    return pm_input_open(path, &source->input, error);
}

/* Where a file begins: 0, or where standard input stands; -1: it can't be read twice. */
static off_t start_of(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        return lseek(STDIN_FILENO, 0, SEEK_CUR);
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? 0 : -1;
}

static enum pm_status open_by_content(struct pm_source *source, bool *is_pgn,
                                      struct pm_error *error)
{
    const char *const path = source->config->files[source->file];
    const off_t start = start_of(path);
    enum pm_status status = pm_input_open(path, &source->input, error);
    if (status == PM_OK)
        status = peek(source, error);
    *is_pgn = status == PM_OK && looks_like_pgn(source->carry, source->carry_length);
    return *is_pgn ? reopen(source, start, error) : status;
}

static enum pm_status open_file(struct pm_source *source, struct pm_error *error)
{
    const enum pm_stream_input input = source->config->input;
    bool is_pgn = input == PM_STREAM_PGN;
    source->next = 1;
    source->carry_length = 0;
    enum pm_status status =
        input == PM_STREAM_BY_CONTENT
            ? open_by_content(source, &is_pgn, error)
            : pm_input_open(source->config->files[source->file], &source->input, error);
    if (status == PM_OK && is_pgn)
        status = pm_pgn_open(source->input, &source->reader, error);
    return status;
}

static void close_file(struct pm_source *source)
{
    pm_pgn_close(source->reader);
    source->reader = NULL;
    pm_input_close(source->input);
    source->input = NULL;
}

/* So that a name mistyped ends nothing after an hour. */
static enum pm_status check_files(const struct pm_stream_config *config, struct pm_error *error)
{
    for (int i = 0; i < config->file_count; i++) {
        const char *const path = config->files[i];
        if (strcmp(path, "-") != 0 && access(path, R_OK) != 0)
            return pm_fail(error, PM_ERROR_ARGUMENT, "cannot open '%s': %s", path, strerror(errno));
    }
    return PM_OK;
}

enum pm_status pm_source_open(const struct pm_stream_config *config, struct pm_source **source,
                              struct pm_error *error)
{
    struct pm_source *const opened = malloc(sizeof *opened);
    *source = NULL;
    if (opened == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    opened->config = config;
    opened->file = 0;
    opened->input = NULL;
    opened->reader = NULL;
    opened->start = config->start;
    enum pm_status status = check_files(config, error);
    if (status == PM_OK)
        status = open_file(opened, error);
    if (status == PM_OK)
        *source = opened;
    else
        pm_source_close(opened);
    return status;
}

void pm_source_close(struct pm_source *source)
{
    if (source != NULL)
        close_file(source);
    free(source);
}

bool pm_source_is_pgn(const struct pm_source *source)
{
    return source->reader != NULL;
}

/* The size of a plain file, or 0: a packed one begins with bytes that no text has. Nothing but a
 * regular file is opened: it may be a pipe that another file of the list reads later. */
static uint64_t plain_size(const char *path)
{
    struct stat info;
    char begin[4] = {0};
    const int descriptor =
        stat(path, &info) == 0 && S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return 0;
    bool is_text = read(descriptor, begin, sizeof begin) == (ssize_t)sizeof begin;
    close(descriptor);
    for (unsigned i = 0; i < sizeof begin && !has_byte_order_mark(begin, sizeof begin); i++)
        is_text = is_text && (isprint((unsigned char)begin[i]) || isspace((unsigned char)begin[i]));
    return is_text ? (uint64_t)info.st_size : 0;
}

uint64_t pm_source_size(const struct pm_source *source)
{
    uint64_t size = 0;
    for (int i = 0; i < source->config->file_count; i++) {
        const char *const path = source->config->files[i];
        const uint64_t own = plain_size(strcmp(path, "-") == 0 ? "/dev/stdin" : path);
        if (own == 0)
            return 0;
        size += own;
    }
    return size;
}

/* ---- Lines ---- */

static enum pm_status line_too_long(const struct pm_source *source, struct pm_error *error)
{
    return pm_fail(error, PM_ERROR_PARSE,
                   "%.200s:%llu:1: a line of over %d bytes: positions have one line each",
                   pm_input_name(source->input), (unsigned long long)source->next, PM_BLOCK_SIZE);
}

/* Reads at least one line, and no part of one: what is left over is kept for the next time. */
static enum pm_status read_text(struct pm_source *source, struct pm_block *block,
                                struct pm_error *error)
{
    size_t length = source->carry_length;
    const char *newline = memrchr(source->carry, '\n', length);
    memcpy(block->text, source->carry, length);
    size_t end = newline != NULL ? (size_t)(newline - source->carry) + 1 : 0;
    while (end == 0 && length < PM_BLOCK_SIZE) {
        size_t got;
        const enum pm_status status =
            pm_input_read(source->input, block->text + length, PM_BLOCK_SIZE - length, &got, error);
        if (status != PM_OK)
            return status;
        if (got == 0) {
            if (length > 0)
                block->text[length++] = '\n'; /* the last line may lack it */
            end = length;
            break;
        }
        newline = memrchr(block->text + length, '\n', got);
        end = newline != NULL ? (size_t)(newline - block->text) + 1 : 0;
        length += got;
    }
    if (end == 0 && length == PM_BLOCK_SIZE)
        return line_too_long(source, error);
    source->carry_length = length - end;
    memcpy(source->carry, block->text + end, source->carry_length);
    block->to = end;
    block->bytes += end;
    return PM_OK;
}

/* Counts the lines, and leaves those before the first wanted one out. */
static void number_lines(struct pm_source *source, struct pm_block *block)
{
    const char *const end = block->text + block->to;
    for (const char *at = block->text; at < end;) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        source->next++;
        if (source->next <= source->start) {
            block->from = (size_t)(at - block->text);
            block->first = source->next;
        }
    }
    block->next = source->next;
}

static enum pm_status read_lines(struct pm_source *source, struct pm_block *block,
                                 struct pm_error *error)
{
    do {
        const bool is_first = source->next == 1;
        block->from = 0;
        block->first = source->next;
        const enum pm_status status = read_text(source, block, error);
        if (status != PM_OK || block->to == 0)
            return status;
        number_lines(source, block);
        if (is_first && block->from == 0 && has_byte_order_mark(block->text, block->to))
            block->from = sizeof byte_order_mark;
    } while (block->from == block->to);
    return PM_OK;
}

/* ---- Games ---- */

static enum pm_status add_game(struct pm_source *source, struct pm_block *block,
                               const struct pm_pgn_game *game, const struct pm_error *fault,
                               struct pm_error *error)
{
    struct pm_block_game *const added = &block->games[block->game_count++];
    const char *const notes = pm_pgn_notes(source->reader);
    const bool is_end = game == NULL && fault == NULL;
    *added = (struct pm_block_game){0};
    source->next += !is_end;
    block->next = source->next;
    if (game != NULL)
        added->game = pm_pgn_copy(game);
    else if (fault != NULL)
        added->fault = strdup(fault->text);
    if (notes != NULL)
        added->notes = strdup(notes);
    if ((is_end || added->game != NULL || added->fault != NULL) &&
        (notes == NULL || added->notes != NULL))
        return PM_OK;
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory for a game");
}

static enum pm_status read_games(struct pm_source *source, struct pm_block *block,
                                 struct pm_error *error)
{
    size_t moves = 0;
    block->first = block->next = source->next;
    while (block->game_count < PM_BLOCK_GAMES && moves < BLOCK_MOVES) {
        const struct pm_pgn_game *game;
        struct pm_error fault = {0};
        enum pm_status status = pm_pgn_next(source->reader, &game, &fault);
        if (status != PM_OK && status != PM_ERROR_PARSE)
            return pm_fail(error, status, "%s", fault.text);
        if (status == PM_OK && game == NULL)
            return pm_pgn_notes(source->reader) == NULL
                       ? PM_OK
                       : add_game(source, block, NULL, NULL, error);
        if (source->next < source->start) {
            block->first = block->next = ++source->next;
            continue;
        }
        moves += game != NULL ? game->move_count : 0;
        status = add_game(source, block, game, status == PM_OK ? NULL : &fault, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static enum pm_status check_start(const struct pm_source *source, struct pm_error *error)
{
    if (source->start <= source->next)
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT, "%.200s has %llu %s: there is no %llu to start with",
                   pm_input_name(source->input), (unsigned long long)source->next - 1,
                   source->reader != NULL ? "games" : "lines", (unsigned long long)source->start);
}

enum pm_status pm_source_read(struct pm_source *source, struct pm_block *block, bool *got,
                              struct pm_error *error)
{
    *got = false;
    if (block->text == NULL && (block->text = malloc(PM_BLOCK_SIZE + 1)) == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    while (source->input != NULL) {
        const char *const path = source->config->files[source->file];
        block->file = source->file;
        block->name = strcmp(path, "-") == 0 ? "standard input" : path;
        block->bytes = 0;
        enum pm_status status = source->reader != NULL ? read_games(source, block, error)
                                                       : read_lines(source, block, error);
        *got = status == PM_OK && (block->to > 0 || block->game_count > 0);
        if (status != PM_OK || *got)
            return status;
        status = check_start(source, error);
        close_file(source);
        source->start = 1;
        if (status == PM_OK && ++source->file < source->config->file_count)
            status = open_file(source, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}
