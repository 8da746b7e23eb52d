/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include "core/quote.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BUFFER_SIZE = 1 << 17,
    LOOKAHEAD = 512, /* bytes in the buffer where a token begins, if the file has them */
    WORD_MAX = 255,
    STORE_MAX = 64 << 20 /* bytes of a game's text, and of its moves, and of its tags */
};

/* What a byte means where a token may begin. */
enum kind {
    WORD,
    DIGIT,
    DOT,
    ESCAPE, /* of a line, in the first column; part of a word elsewhere */
    BLANK,
    LINE_END,
    NUL,
    TAG,
    COMMENT,
    LINE_COMMENT,
    VARIATION,
    VARIATION_END,
    GLYPH,
    MARK,
    STAR,
    STRAY
};

static const uint8_t kinds[256] = {
    ['\0'] = NUL,   ['\n'] = LINE_END, ['\r'] = LINE_END,     [' '] = BLANK,        ['\t'] = BLANK,
    ['\v'] = BLANK, ['\f'] = BLANK,    ['\x1A'] = BLANK, /* DOS file end */
    ['0'] = DIGIT,  ['1'] = DIGIT,     ['2'] = DIGIT,         ['3'] = DIGIT,        ['4'] = DIGIT,
    ['5'] = DIGIT,  ['6'] = DIGIT,     ['7'] = DIGIT,         ['8'] = DIGIT,        ['9'] = DIGIT,
    ['.'] = DOT,    ['%'] = ESCAPE,    ['['] = TAG,           [']'] = STRAY,        ['{'] = COMMENT,
    ['}'] = STRAY,  ['('] = VARIATION, [')'] = VARIATION_END, [';'] = LINE_COMMENT, ['*'] = STAR,
    ['$'] = GLYPH,  ['!'] = MARK,      ['?'] = MARK,
};

/* Sets of kinds. */
enum {
    IN_WORD = 1 << WORD | 1 << DIGIT | 1 << DOT | 1 << ESCAPE,
    COMMENT_STOPS = 1 << LINE_END | 1 << NUL | 1 << STRAY,
    AFTER_RESULT = 1 << LINE_END | 1 << NUL | 1 << TAG | 1 << COMMENT | 1 << LINE_COMMENT
};

static inline bool is_in(unsigned set, unsigned char byte)
{
    return (set >> kinds[byte] & 1) != 0;
}

static const struct {
    const char *text, *result;
} results[] = {
    {"1-0", "1-0"},           {"0-1", "0-1"}, {"1/2-1/2", "1/2-1/2"},
    {"1/2", "1/2-1/2"},       {"*", "*"},     {"\xC2\xBD-\xC2\xBD", "1/2-1/2"},
    {"\xBD-\xBD", "1/2-1/2"}, /* the same in Windows-1252 */
};

struct place {
    uint64_t line;
    unsigned column;
};

struct pm_pgn_reader {
    struct pm_input *input;
    const unsigned char *at, *end; /* what of the buffer is not yet used; *end is a NUL */
    uint64_t offset;               /* of the buffer's begin in the file */
    uint64_t line, line_offset;    /* where the token at `at` stands */
    bool is_drained;               /* the input has no more */
    struct pm_error failure;       /* why no more will come, if its status is not PM_OK */
    struct pm_error fault;         /* the first of this game */
    struct pm_error no_game;       /* the first line of a file that looks like no game */
    struct pm_pgn_game game;
    size_t tag_capacity, move_capacity, text_capacity, text_size;
    char *text;               /* what tags and moves point into */
    bool has_event, has_text; /* such a tag was seen; move text has begun */
    unsigned line_ends;       /* since the last token */
    unsigned number;          /* the last move number of the main line */
    uint64_t depth;           /* of variations */
    struct place variation;   /* the outermost open one */
    unsigned char buffer[BUFFER_SIZE + 1];
};

/* ---- Bytes ---- */

/* Moves what is not yet used to the buffer's begin and reads on. False: there is no more. */
static bool fill(struct pm_pgn_reader *reader)
{
    const size_t kept = (size_t)(reader->end - reader->at);
    size_t got = 0;
    if (reader->is_drained)
        return false;
    reader->offset += (uint64_t)(reader->at - reader->buffer);
    memmove(reader->buffer, reader->at, kept);
    const enum pm_status status = pm_input_read(reader->input, reader->buffer + kept,
                                                BUFFER_SIZE - kept, &got, &reader->failure);
    if (status != PM_OK)
        got = 0;
    if (status == PM_ERROR_PARSE) /* a damaged archive: unlike a game's fault, it ends the file */
        reader->failure.status = PM_ERROR_IO;
    reader->is_drained = got == 0;
    reader->at = reader->buffer;
    reader->end = reader->buffer + kept + got;
    reader->buffer[kept + got] = '\0';
    return got > 0;
}

/* Whether there is a byte; the rest of the token lies in the buffer then. */
static inline bool ready(struct pm_pgn_reader *reader)
{
    while (reader->end - reader->at < LOOKAHEAD && fill(reader))
        continue;
    return reader->at < reader->end;
}

static uint64_t offset_of(const struct pm_pgn_reader *reader)
{
    return reader->offset + (uint64_t)(reader->at - reader->buffer);
}

static struct place place_of(const struct pm_pgn_reader *reader)
{
    return (struct place){reader->line, (unsigned)(offset_of(reader) - reader->line_offset) + 1};
}

static bool is_line_begin(const struct pm_pgn_reader *reader)
{
    return offset_of(reader) == reader->line_offset;
}

/* Steps over LF, CR or CR LF. */
static void end_line(struct pm_pgn_reader *reader)
{
    const bool is_cr = *reader->at == '\r';
    reader->at++;
    if (is_cr && ready(reader) && *reader->at == '\n')
        reader->at++;
    reader->line++;
    reader->line_offset = offset_of(reader);
}

static void skip_line(struct pm_pgn_reader *reader)
{
    while (ready(reader) && kinds[*reader->at] != LINE_END)
        reader->at++;
}

static void skip_blanks(struct pm_pgn_reader *reader)
{
    while (ready(reader) && kinds[*reader->at] == BLANK)
        reader->at++;
}

static const unsigned char *word_end(const unsigned char *at)
{
    const unsigned char *const limit = at + WORD_MAX + 1; /* within the lookahead */
    while (at < limit && is_in(IN_WORD, *at))
        at++;
    return at;
}

/* ---- Faults ---- */

/* "file:line:column: "seen": what is wrong and would be right". */
static void describe(const struct pm_pgn_reader *reader, struct place place, const void *seen,
                     size_t length, const char *what, struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    pm_fail(error, PM_ERROR_PARSE, "%s:%" PRIu64 ":%u: %s: %s", pm_input_name(reader->input),
            place.line, place.column, pm_quote(seen, length, quoted), what);
}

/* Only a game's first fault is told. */
static void fault_at(struct pm_pgn_reader *reader, struct place place, const void *seen,
                     size_t length, const char *what)
{
    if (reader->fault.status == PM_OK)
        describe(reader, place, seen, length, what, &reader->fault);
}

/* How much of the line that goes on at the reader's place a message shows. */
static size_t rest_of_line(const struct pm_pgn_reader *reader)
{
    const unsigned char *end = reader->at;
    while (end < reader->end && end - reader->at <= PM_QUOTE_MAX && kinds[*end] != LINE_END)
        end++;
    return (size_t)(end - reader->at);
}

static void fault_here(struct pm_pgn_reader *reader, const char *what)
{
    fault_at(reader, place_of(reader), reader->at, rest_of_line(reader), what);
}

static void fault_nul(struct pm_pgn_reader *reader)
{
    fault_at(reader, place_of(reader), reader->at, 1,
             "a NUL byte is no text of a game; PGN is UTF-8 or Windows-1252, not UTF-16");
    reader->at++;
}

/* ---- A game's store ---- */

/* Makes room for `needed` elements. False: it would grow beyond STORE_MAX, or there is no memory.
 */
static bool grow(struct pm_pgn_reader *reader, void **array, size_t *capacity, size_t needed,
                 size_t element)
{
    if (needed <= *capacity)
        return true;
    size_t wanted = *capacity > 0 ? *capacity : 256;
    while (wanted < needed)
        wanted *= 2;
    if (wanted * element > STORE_MAX) {
        fault_here(reader, "here the game exceeds 64 MB, more than any game needs");
        return false;
    }
    void *const grown = reallocarray(*array, wanted, element);
    if (grown == NULL) {
        pm_fail(&reader->failure, PM_ERROR_MEMORY, "out of memory for a game of '%s'",
                pm_input_name(reader->input));
        reader->fault = reader->failure;
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

static void put(struct pm_pgn_reader *reader, const void *bytes, size_t size)
{
    void *text = reader->text;
    /* Nothing is kept of a game that will not be given out. */
    if (reader->fault.status != PM_OK ||
        !grow(reader, &text, &reader->text_capacity, reader->text_size + size, 1))
        return;
    reader->text = text;
    memcpy(reader->text + reader->text_size, bytes, size);
    reader->text_size += size;
}

static void add_tag(struct pm_pgn_reader *reader, struct place place)
{
    struct pm_pgn_game *const game = &reader->game;
    void *tags = game->tags;
    if (reader->fault.status != PM_OK ||
        !grow(reader, &tags, &reader->tag_capacity, game->tag_count + 1, sizeof *game->tags))
        return;
    game->tags = tags;
    game->tags[game->tag_count++] = (struct pm_pgn_tag){.line = place.line, .column = place.column};
}

static void add_move(struct pm_pgn_reader *reader, size_t length)
{
    struct pm_pgn_game *const game = &reader->game;
    const struct place place = place_of(reader);
    void *moves = game->moves;
    put(reader, reader->at, length);
    if (reader->fault.status != PM_OK ||
        !grow(reader, &moves, &reader->move_capacity, game->move_count + 1, sizeof *game->moves))
        return;
    game->moves = moves;
    game->moves[game->move_count++] = (struct pm_pgn_move){
        .length = (unsigned)length,
        .number = reader->number,
        .line = place.line,
        .column = place.column,
    };
}

/* The text holds name and value of each tag, each with its NUL, then the moves without any. */
static void point_into(struct pm_pgn_game *game, const char *text)
{
    for (size_t i = 0; i < game->tag_count; i++) {
        game->tags[i].name = text;
        text += strlen(text) + 1;
        game->tags[i].value = text;
        text += strlen(text) + 1;
    }
    for (size_t i = 0; i < game->move_count; i++) {
        game->moves[i].text = text;
        text += game->moves[i].length;
    }
}

static void clear_game(struct pm_pgn_reader *reader)
{
    struct pm_pgn_game *const game = &reader->game;
    *game = (struct pm_pgn_game){
        .index = game->index, .tags = game->tags, .moves = game->moves, .result = ""};
    reader->fault.status = PM_OK;
    reader->text_size = 0;
    reader->has_event = reader->has_text = false;
    reader->line_ends = 0;
    reader->number = 0;
    reader->depth = 0;
}

/* ---- Text encodings ---- */

/* The length of the UTF-8 character that begins there, 0 if there is none. */
static size_t utf8_length(const unsigned char *at, size_t size)
{
    const unsigned char first = at[0];
    if (first < 0x80)
        return 1;
    const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (at[i] >> 6 != 2)
            return 0;
    const bool is_overlong = (first == 0xE0 && at[1] < 0xA0) || (first == 0xF0 && at[1] < 0x90);
    const bool is_beyond = (first == 0xED && at[1] > 0x9F) || (first == 0xF4 && at[1] > 0x8F);
    return is_overlong || is_beyond ? 0 : length;
}

static bool is_utf8(const unsigned char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_length(text + i, size - i);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

/* Windows-1252 from 0x80 to 0x9F; what it leaves open stays a control character. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

static size_t utf8_of_windows_1252(unsigned char byte, unsigned char utf8[3])
{
    const unsigned code = byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80] : byte;
    size_t length = 0;
    if (code < 0x80) {
        utf8[length++] = (unsigned char)code;
        return length;
    }
    if (code < 0x800) {
        utf8[length++] = (unsigned char)(0xC0 | code >> 6);
    } else {
        utf8[length++] = (unsigned char)(0xE0 | code >> 12);
        utf8[length++] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
    }
    utf8[length++] = (unsigned char)(0x80 | (code & 0x3F));
    return length;
}

/* Makes UTF-8 of the stored text from `begin` on. */
static void to_utf8(struct pm_pgn_reader *reader, size_t begin)
{
    const size_t end = reader->text_size;
    if (begin == end || is_utf8((const unsigned char *)reader->text + begin, end - begin))
        return;
    for (size_t i = begin; i < end; i++) {
        unsigned char utf8[3];
        put(reader, utf8, utf8_of_windows_1252((unsigned char)reader->text[i], utf8));
    }
    reader->text_size -= end - begin;
    memmove(reader->text + begin, reader->text + end, reader->text_size - begin);
}

/* ---- Tags ---- */

static const unsigned char *blanks_end(const unsigned char *at)
{
    while (kinds[*at] == BLANK)
        at++;
    return at;
}

static bool is_tag_name(unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || (byte != '\0' && strchr("_+#=:-", byte) != NULL);
}

static bool begins_tag(const unsigned char *at)
{
    return *at == '[' && is_tag_name(*blanks_end(at + 1));
}

/* The first tag of every game that has tags at all, or nearly. */
static bool begins_event_tag(const unsigned char *at)
{
    static const char name[] = "Event";
    if (*at != '[')
        return false;
    at = blanks_end(at + 1);
    return strncasecmp((const char *)at, name, sizeof name - 1) == 0 &&
           *blanks_end(at + sizeof name - 1) == '"';
}

/* At a quotation mark within a value: it is the last one if bracket or line end follow. Else it is
 * part of the value: not every program escapes them. */
static bool is_value_end(struct pm_pgn_reader *reader)
{
    const size_t size = reader->text_size;
    do {
        put(reader, reader->at, 1);
        reader->at++;
    } while (ready(reader) && kinds[*reader->at] == BLANK);
    if (ready(reader) && *reader->at != ']' && *reader->at != '[' && kinds[*reader->at] != LINE_END)
        return false;
    reader->text_size = size;
    return true;
}

/* \" and \\ stand for their second character; any other backslash for itself. */
static void read_escape(struct pm_pgn_reader *reader)
{
    const unsigned char next = reader->at[1];
    if (next == '"' || next == '\\')
        reader->at++;
    put(reader, reader->at, 1);
    reader->at++;
}

/* After the opening quotation mark. False: the line ends first. */
static bool read_value(struct pm_pgn_reader *reader)
{
    while (ready(reader) && kinds[*reader->at] != LINE_END) {
        const unsigned char *end = reader->at;
        while (*end != '"' && *end != '\\' && !is_in(1 << LINE_END | 1 << NUL, *end))
            end++;
        put(reader, reader->at, (size_t)(end - reader->at));
        reader->at = end;
        if (!ready(reader)) /* what follows an escape may not have been read; `end` is void now */
            break;
        const unsigned char stop = *reader->at;
        if (stop == '\\')
            read_escape(reader);
        else if (stop == '"' && is_value_end(reader))
            return true;
        else if (stop == '\0')
            fault_nul(reader);
    }
    return false;
}

static void read_tag(struct pm_pgn_reader *reader)
{
    const struct place place = place_of(reader);
    const unsigned char *end;
    reader->has_event = reader->has_event || begins_event_tag(reader->at);
    reader->at = blanks_end(reader->at + 1);
    for (end = reader->at; end - reader->at <= WORD_MAX && is_tag_name(*end);)
        end++;
    add_tag(reader, place);
    put(reader, reader->at, (size_t)(end - reader->at));
    put(reader, "", 1);
    reader->at = end;
    skip_blanks(reader);
    if (!ready(reader) || *reader->at != '"') {
        fault_here(reader, "a tag is [Name \"value\"], with its value in quotation marks");
        skip_line(reader);
        return;
    }
    const struct place value_place = place_of(reader);
    const size_t value = reader->text_size;
    reader->at++;
    if (!read_value(reader))
        fault_at(reader, value_place, reader->text + value, reader->text_size - value,
                 "this tag's value has no closing quotation mark: it ends with \"] on its line");
    to_utf8(reader, value);
    put(reader, "", 1);
    if (ready(reader) && *reader->at == ']')
        reader->at++;
}

/* ---- Move text ---- */

/* A comment is not closed if the next game begins inside it. */
static void read_comment(struct pm_pgn_reader *reader)
{
    static const char fault[] = "this comment has no end: a '}' is missing";
    const struct place place = place_of(reader);
    reader->game.comments++;
    reader->at++;
    while (ready(reader)) {
        while (!is_in(COMMENT_STOPS, *reader->at))
            reader->at++;
        if (kinds[*reader->at] == LINE_END) {
            end_line(reader);
            if (ready(reader) && begins_event_tag(reader->at))
                break;
        } else if (reader->at < reader->end && *reader->at++ == '}') {
            return;
        }
    }
    fault_at(reader, place, "{", 1, fault);
}

/* Passes over what is no part of a game's text, as kind `kind` begins it. */
static bool skip_aside(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind == COMMENT) {
        read_comment(reader);
    } else if (kind == LINE_COMMENT || (kind == ESCAPE && is_line_begin(reader))) {
        reader->game.comments += kind == LINE_COMMENT;
        skip_line(reader);
    } else if (kind == WORD && strncmp((const char *)reader->at, "\xEF\xBB\xBF", 3) == 0) {
        const bool is_at_begin = is_line_begin(reader);
        reader->at += 3; /* a byte order mark, also where files were joined */
        if (is_at_begin)
            reader->line_offset = offset_of(reader);
    } else {
        return false;
    }
    return true;
}

/* The result that a word means, or NULL. */
static const char *result_of(const unsigned char *word, size_t length)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strlen(results[i].text) == length && memcmp(results[i].text, word, length) == 0)
            return results[i].result;
    return NULL;
}

/* A result ends the game, but the rest of its line may comment on it. */
static bool is_over(const struct pm_pgn_reader *reader)
{
    return reader->depth == 0 && reader->game.result[0] != '\0';
}

static void read_result(struct pm_pgn_reader *reader, const char *result, size_t length)
{
    if (reader->depth == 0) {
        if (is_over(reader) && strcmp(reader->game.result, result) != 0)
            fault_at(reader, place_of(reader), reader->at, length,
                     "the game has another result before this one: only one is possible");
        reader->game.result = result;
    }
    reader->at += length;
}

/* Words beside the moves: "e.p.", "+-", "=". */
static bool is_remark(const unsigned char *word, size_t length)
{
    if (word[0] == 'e')
        return (length == 2 && word[1] == 'p') || (length > 2 && memcmp(word, "e.p", 3) == 0);
    for (size_t i = 0; i < length; i++)
        if (strchr("+-=/#~", word[i]) == NULL)
            return false;
    return length != 2 || memcmp(word, "--", 2) != 0; /* a null move */
}

/* These functions return false where the next game begins, before using anything of it. */

static bool read_word(struct pm_pgn_reader *reader)
{
    const unsigned char *const word = reader->at;
    const size_t length = (size_t)(word_end(word) - word);
    const bool may_be_result = word[0] < 'A' || word[0] >= 0x80;
    const char *const result = may_be_result ? result_of(word, length) : NULL;
    if (result != NULL) {
        read_result(reader, result, length);
        return true;
    }
    if (length > WORD_MAX) {
        fault_here(reader, "a word of over 255 bytes is no move");
    } else if ((word[0] < '0' || word[0] == 'e' || word[0] == '=' || word[0] == '~') &&
               is_remark(word, length)) {
        reader->game.glyphs += word[0] != 'e';
    } else if (reader->depth == 0) {
        if (is_over(reader))
            return false;
        add_move(reader, length);
    }
    reader->at += length;
    return true;
}

static const unsigned char *digits_end(const unsigned char *at)
{
    while (kinds[*at] == DIGIT)
        at++;
    return at;
}

/* Whether "1." at the begin of a line, after an empty one, starts again from the first move. */
static bool is_restart(const struct pm_pgn_reader *reader, const unsigned char *end)
{
    return reader->line_ends > 1 && reader->game.move_count > 0 && end - reader->at == 1 &&
           reader->at[0] == '1' && end[0] == '.' && end[1] != '.';
}

/* A move number, with or without dots, or a word that begins with a digit: a result, castling with
 * zeros, the null move 0000. */
static bool read_number(struct pm_pgn_reader *reader)
{
    const unsigned char *const end = digits_end(reader->at);
    const bool is_letter = (*end | 0x20) >= 'a' && (*end | 0x20) <= 'z';
    if ((is_in(IN_WORD, *end) && *end != '.' && !is_letter) ||
        (end - reader->at == 4 && memcmp(reader->at, "0000", 4) == 0))
        return read_word(reader);
    if (reader->depth == 0) {
        if (is_over(reader) || is_restart(reader, end))
            return false;
        uint64_t number = 0;
        for (const unsigned char *at = reader->at; at < end && number <= UINT_MAX; at++)
            number = number * 10 + (uint64_t)(*at - '0');
        reader->number = number <= UINT_MAX ? (unsigned)number : UINT_MAX;
    }
    reader->at = end;
    return true;
}

static bool read_bracket(struct pm_pgn_reader *reader)
{
    if (!begins_tag(reader->at)) {
        fault_here(reader, "a tag is [Name \"value\"], and this one has no name");
        reader->at++;
        return true;
    }
    if (reader->has_text || (reader->has_event && begins_event_tag(reader->at)))
        return false;
    read_tag(reader);
    return true;
}

static void read_glyph(struct pm_pgn_reader *reader)
{
    const unsigned char *const end = digits_end(reader->at + 1);
    if (end == reader->at + 1)
        fault_here(reader, "a '$' is followed by a number: $1");
    reader->game.glyphs++;
    reader->at = end;
}

static void open_variation(struct pm_pgn_reader *reader)
{
    if (reader->depth++ == 0)
        reader->variation = place_of(reader);
    reader->game.variations++;
    reader->at++;
}

static void close_variation(struct pm_pgn_reader *reader)
{
    if (reader->depth == 0)
        fault_here(reader, "this ')' closes no variation: a '(' before it is missing");
    else
        reader->depth--;
    reader->at++;
}

static bool read_token(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind == TAG)
        return read_bracket(reader);
    if (skip_aside(reader, kind))
        return true;
    reader->has_text = true;
    switch (kind) {
    case DIGIT:
        return read_number(reader);
    case NUL:
        fault_nul(reader);
        return true;
    case DOT:
        while (*reader->at == '.')
            reader->at++;
        return true;
    case VARIATION:
        open_variation(reader);
        return true;
    case VARIATION_END:
        close_variation(reader);
        return true;
    case GLYPH:
        read_glyph(reader);
        return true;
    case MARK:
        while (kinds[*reader->at] == MARK)
            reader->at++;
        reader->game.glyphs++;
        return true;
    case STAR:
        read_result(reader, "*", 1);
        return true;
    case STRAY:
        fault_here(reader, "this bracket closes nothing: its opening one is missing");
        reader->at++;
        return true;
    default:
        return read_word(reader);
    }
}

static void read_game(struct pm_pgn_reader *reader)
{
    while (ready(reader)) {
        const enum kind kind = kinds[*reader->at];
        if (kind == BLANK) {
            reader->at++;
        } else if (kind == LINE_END) {
            if (is_over(reader))
                break;
            end_line(reader);
            reader->line_ends++;
        } else {
            if (!read_token(reader, kind))
                break;
            reader->line_ends = 0;
        }
    }
    if (reader->depth > 0)
        fault_at(reader, reader->variation, "(", 1, "this variation has no end: a ')' is missing");
    if (reader->fault.status == PM_OK)
        point_into(&reader->game, reader->text);
}

/* ---- Between games ---- */

static bool looks_like_move(const unsigned char *word)
{
    const unsigned char *const end = word_end(word);
    bool has_square = false;
    for (const unsigned char *at = word; at < end; at++) {
        if (strchr("KQRBNPOabcdefghqrn012345678xX-+#=:", *at) == NULL)
            return false;
        has_square = has_square || (at[0] >= 'a' && at[0] <= 'h' && at[1] >= '1' && at[1] <= '8') ||
                     ((at[0] == 'O' || at[0] == '0') && at[1] == '-' && at[2] == at[0]);
    }
    return has_square;
}

/* Whether a game begins there, or text that is none of a game's. Games of nothing but a result have
 * their line for themselves: "* * *" is none. */
static bool begins_game(const unsigned char *at)
{
    const enum kind kind = kinds[*at];
    const size_t length = kind == STAR ? 1 : (size_t)(word_end(at) - at);
    if (kind == TAG)
        return begins_tag(at);
    if (result_of(at, length) != NULL)
        return is_in(AFTER_RESULT, *blanks_end(at + length));
    if (kind == DIGIT) {
        const unsigned char *const next = blanks_end(digits_end(at));
        if (*next == '.' || looks_like_move(next))
            return true;
    }
    return looks_like_move(at);
}

/* Goes to the next game's begin, past comments and lines that are no game. False: none comes. */
static bool find_game(struct pm_pgn_reader *reader)
{
    while (reader->fault.status == PM_OK && ready(reader)) {
        const enum kind kind = kinds[*reader->at];
        if (kind == BLANK) {
            reader->at++;
        } else if (kind == LINE_END) {
            end_line(reader);
        } else if (!skip_aside(reader, kind)) {
            if (begins_game(reader->at))
                return true;
            if (reader->game.index == 0 && reader->no_game.status == PM_OK)
                describe(reader, place_of(reader), reader->at, rest_of_line(reader),
                         "no game is in this file: a tag or a move was expected here",
                         &reader->no_game);
            skip_line(reader);
        }
    }
    return false;
}

/* ---- The interface ---- */

enum pm_status pm_pgn_open(struct pm_input *input, struct pm_pgn_reader **reader,
                           struct pm_error *error)
{
    struct pm_pgn_reader *const opened = calloc(1, sizeof *opened);
    *reader = opened;
    if (opened == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", pm_input_name(input));
    opened->input = input;
    opened->at = opened->end = opened->buffer;
    opened->line = 1;
    return PM_OK;
}

void pm_pgn_close(struct pm_pgn_reader *reader)
{
    if (reader == NULL)
        return;
    free(reader->game.tags);
    free(reader->game.moves);
    free(reader->text);
    free(reader);
}

/* Tells an error once: what comes after is the next game, or the end. */
static enum pm_status tell(struct pm_error *told, struct pm_error *error)
{
    const enum pm_status status = told->status;
    if (error != NULL)
        *error = *told;
    told->status = PM_OK;
    return status;
}

enum pm_status pm_pgn_next(struct pm_pgn_reader *reader, const struct pm_pgn_game **game,
                           struct pm_error *error)
{
    *game = NULL;
    clear_game(reader);
    const bool is_found = find_game(reader);
    if (is_found) {
        reader->game.index++;
        reader->game.line = reader->line;
        read_game(reader);
    }
    if (reader->failure.status != PM_OK) {
        reader->at = reader->end;
        reader->is_drained = true;
        return tell(&reader->failure, error);
    }
    if (reader->fault.status != PM_OK)
        return tell(&reader->fault, error);
    if (is_found)
        *game = &reader->game;
    else if (reader->game.index == 0 && reader->no_game.status != PM_OK)
        return tell(&reader->no_game, error);
    return PM_OK;
}

struct pm_pgn_game *pm_pgn_copy(const struct pm_pgn_game *game)
{
    const size_t tags = game->tag_count * sizeof *game->tags;
    const size_t moves = game->move_count * sizeof *game->moves;
    const char *const text = game->tag_count > 0 ? game->tags[0].name
                             : moves > 0         ? game->moves[0].text
                                                 : "";
    size_t text_size = 0;
    for (size_t i = 0; i < game->tag_count; i++)
        text_size += strlen(game->tags[i].name) + strlen(game->tags[i].value) + 2;
    for (size_t i = 0; i < game->move_count; i++)
        text_size += game->moves[i].length;
    struct pm_pgn_game *const copy = malloc(sizeof *copy + tags + moves + text_size);
    if (copy == NULL)
        return NULL;
    *copy = *game;
    copy->tags = (struct pm_pgn_tag *)(copy + 1);
    copy->moves = (struct pm_pgn_move *)(copy->tags + game->tag_count);
    char *const copied = (char *)(copy->moves + game->move_count);
    if (tags > 0)
        memcpy(copy->tags, game->tags, tags);
    if (moves > 0)
        memcpy(copy->moves, game->moves, moves);
    memcpy(copied, text, text_size);
    point_into(copy, copied);
    return copy;
}

const struct pm_pgn_tag *pm_pgn_find_tag(const struct pm_pgn_game *game, const char *name)
{
    for (size_t i = 0; i < game->tag_count; i++)
        if (strcasecmp(game->tags[i].name, name) == 0)
            return &game->tags[i];
    return NULL;
}

const char *pm_pgn_tag(const struct pm_pgn_game *game, const char *name)
{
    const struct pm_pgn_tag *tag = pm_pgn_find_tag(game, name);
    return tag != NULL ? tag->value : NULL;
}
