/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include "core/quote.h"
#include "core/utf8.h"
#include "rules/plain.h"
#include "rules/score.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BUFFER_SIZE = 1 << 17,
    LOOKAHEAD = 1024, /* bytes that lie in the buffer where a step begins, if the file has them */
    COMMENT_LOOKAHEAD = 1 << 16,
    WORD_MAX = 255,
    JUNK_MAX = 16,
    TAG_MAX = 1000,
    NOTE_MAX = 8,
    COPIED = 16,         /* short words are copied as so many bytes */
    STORE_MAX = 64 << 20 /* bytes of a game's text, and of its moves, and of its tags */
};

/* What a byte means where a token may begin. Those that words are made of come first. */
enum kind {
    WORD,
    DIGIT,
    DOT,
    ESCAPE, /* of a line, in the first column; part of a word elsewhere */
    QUOTE,
    BACKSLASH,
    BLANK,
    LINE_END,
    NUL,
    HIGH, /* a character beyond ASCII: rules/plain.h tells what it stands for */
    TAG,
    COMMENT,
    COMMENT_END,
    LINE_COMMENT,
    VARIATION,
    VARIATION_END,
    GLYPH,
    MARK,
    STAR,
    RESERVED, /* '<': PGN keeps it for later, web pages put HTML there */
    STRAY
};

#define FOUR(kind, byte)                                                                           \
    [byte] = (kind), [(byte) + 1] = (kind), [(byte) + 2] = (kind), [(byte) + 3] = (kind)
#define SIXTEEN(kind, byte)                                                                        \
    FOUR(kind, byte), FOUR(kind, (byte) + 4), FOUR(kind, (byte) + 8), FOUR(kind, (byte) + 12)

/* Control characters are blanks: they can't be seen either. */
static const uint8_t kinds[256] = {
    ['\0'] = NUL,        [1] = BLANK,           [2] = BLANK,          [3] = BLANK,
    FOUR(BLANK, 4),      ['\b'] = BLANK,        ['\t'] = BLANK,       ['\n'] = LINE_END,
    ['\v'] = BLANK,      ['\f'] = BLANK,        ['\r'] = LINE_END,    [14] = BLANK,
    [15] = BLANK,        SIXTEEN(BLANK, 16),    [' '] = BLANK,        [0x7F] = BLANK,
    FOUR(DIGIT, '0'),    FOUR(DIGIT, '4'),      ['8'] = DIGIT,        ['9'] = DIGIT,
    ['.'] = DOT,         ['%'] = ESCAPE,        ['"'] = QUOTE,        ['\\'] = BACKSLASH,
    ['['] = TAG,         [']'] = STRAY,         ['{'] = COMMENT,      ['}'] = COMMENT_END,
    ['('] = VARIATION,   [')'] = VARIATION_END, [';'] = LINE_COMMENT, ['*'] = STAR,
    ['<'] = RESERVED,    ['$'] = GLYPH,         ['!'] = MARK,         ['?'] = MARK,
    SIXTEEN(HIGH, 0x80), SIXTEEN(HIGH, 0x90),   SIXTEEN(HIGH, 0xA0),  SIXTEEN(HIGH, 0xB0),
    SIXTEEN(HIGH, 0xC0), SIXTEEN(HIGH, 0xD0),   SIXTEEN(HIGH, 0xE0),  SIXTEEN(HIGH, 0xF0),
};

/* Sets of kinds. */
enum {
    IN_WORD = 1 << WORD | 1 << DIGIT | 1 << DOT | 1 << ESCAPE | 1 << QUOTE | 1 << BACKSLASH,
    COMMENT_STOPS = 1 << LINE_END | 1 << NUL | 1 << COMMENT_END,
    LINE_STOPS = 1 << LINE_END | 1 << NUL | 1 << TAG,
    VALUE_STOPS = 1 << LINE_END | 1 << NUL | 1 << QUOTE | 1 << BACKSLASH,
    AFTER_RESULT = 1 << LINE_END | 1 << NUL | 1 << TAG | 1 << COMMENT | 1 << LINE_COMMENT
};

static inline bool is_in_word(unsigned char byte)
{
    return kinds[byte] <= BACKSLASH;
}

static inline bool is_in(unsigned set, unsigned char byte)
{
    return (set >> kinds[byte] & 1) != 0;
}

struct place {
    uint64_t line;
    unsigned column;
};

struct pm_pgn_reader {
    struct pm_input *input;
    const unsigned char *at, *end; /* what of the buffer is not yet used; *end is a NUL */
    uint64_t line;                 /* where the token at `at` stands */
    int64_t line_at;               /* where its line begins, from the buffer's begin */
    bool is_drained;               /* the input has no more */
    struct pm_error failure;       /* why no more will come, if its status is not PM_OK */
    struct pm_error fault;         /* the first of this game */
    struct pm_pgn_fault fault_place;
    struct pm_error no_game; /* the first line of a file that looks like no game */
    struct place no_game_place;
    struct pm_pgn_game game;
    size_t tag_capacity, move_capacity, text_capacity;
    char *text; /* what tags and moves point into: name and value of each tag, each with its NUL,
                   then the moves without any */
    uint64_t names;           /* of the tags, a bit each by a hash */
    bool has_event, has_text; /* such a tag was seen; move text has begun */
    bool is_over;             /* the main line's result was read */
    bool in_passant;          /* "passant" comes after "en" */
    unsigned line_ends;       /* since the last token */
    unsigned number;          /* the last move number of the main line */
    uint64_t depth;           /* of variations */
    struct place variation;   /* the outermost open one */
    unsigned note_count;
    size_t notes_size;
    char notes[(NOTE_MAX + 1) * sizeof((struct pm_error *)0)->text];
    unsigned char buffer[BUFFER_SIZE + 1 + COPIED];
};

/* ---- Bytes ---- */

/* Reads on, moving what is not yet used to the buffer's begin if room is short. False: there is no
 * more. */
static bool fill(struct pm_pgn_reader *reader)
{
    size_t kept = (size_t)(reader->end - reader->buffer), got = 0;
    if (reader->is_drained)
        return false;
    if (BUFFER_SIZE - kept < BUFFER_SIZE / 4 || reader->at == reader->end) {
        const size_t used = (size_t)(reader->at - reader->buffer);
        kept -= used;
        memmove(reader->buffer, reader->at, kept);
        reader->line_at -= (int64_t)used;
        reader->at = reader->buffer;
    }
    const enum pm_status status = pm_input_read(reader->input, reader->buffer + kept,
                                                BUFFER_SIZE - kept, &got, &reader->failure);
    if (status != PM_OK)
        got = 0;
    if (status == PM_ERROR_PARSE) /* a damaged archive: unlike a game's fault, it ends the file */
        reader->failure.status = PM_ERROR_IO;
    reader->is_drained = got == 0;
    reader->end = reader->buffer + kept + got;
    reader->buffer[kept + got] = '\0';
    return got > 0;
}

/* Every step begins with this. Whether there is a byte; LOOKAHEAD bytes lie in the buffer then, or
 * all that the file still has, so that no step depends on where a read has ended. */
static inline bool ready(struct pm_pgn_reader *reader)
{
    while (__builtin_expect(reader->end - reader->at < LOOKAHEAD, 0) && fill(reader))
        continue;
    return reader->at < reader->end;
}

/* What a step may look at ends here. */
static inline const unsigned char *limit_of(const struct pm_pgn_reader *reader)
{
    return reader->end - reader->at < LOOKAHEAD ? reader->end : reader->at + LOOKAHEAD;
}

static inline struct place place_of(const struct pm_pgn_reader *reader)
{
    return (struct place){reader->line,
                          (unsigned)(reader->at - reader->buffer - reader->line_at) + 1};
}

static bool is_line_begin(const struct pm_pgn_reader *reader)
{
    return reader->at - reader->buffer == reader->line_at;
}

/* Steps over LF, CR or CR LF. */
static inline void end_line(struct pm_pgn_reader *reader)
{
    reader->at += *reader->at == '\r' && reader->at[1] == '\n' ? 2 : 1;
    reader->line++;
    reader->line_at = reader->at - reader->buffer;
}

static void skip_line(struct pm_pgn_reader *reader)
{
    while (ready(reader) && kinds[*reader->at] != LINE_END)
        for (reader->at++; !is_in(1 << LINE_END | 1 << NUL, *reader->at);)
            reader->at++;
}

static void skip_kind(struct pm_pgn_reader *reader, enum kind kind)
{
    while (ready(reader) && kinds[*reader->at] == kind)
        reader->at++;
}

/* Steps to a place within the lookahead, counting lines. */
static void go_to(struct pm_pgn_reader *reader, const unsigned char *place)
{
    while (reader->at < place) {
        if (kinds[*reader->at] == LINE_END)
            end_line(reader);
        else
            reader->at++;
    }
}

static const unsigned char *blanks_end(const unsigned char *at, const unsigned char *limit)
{
    while (at < limit) {
        if (kinds[*at] == BLANK) {
            at++;
            continue;
        }
        if (kinds[*at] != HIGH)
            break;
        const struct pm_plain plain = pm_plain_read(at, (size_t)(limit - at));
        if (plain.kind != PM_PLAIN_BLANK)
            break;
        at += plain.length;
    }
    return at;
}

/* The same with line ends. */
static const unsigned char *space_end(const unsigned char *at, const unsigned char *limit)
{
    while (at < limit && (at = blanks_end(at, limit)) < limit && kinds[*at] == LINE_END)
        at++;
    return at;
}

/* A blank beyond ASCII. After a byte order mark columns count from 1. */
static bool skip_high_blank(struct pm_pgn_reader *reader)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    const struct pm_plain plain =
        pm_plain_read(reader->at, (size_t)(limit_of(reader) - reader->at));
    if (plain.kind != PM_PLAIN_BLANK)
        return false;
    if (is_line_begin(reader) && memcmp(reader->at, byte_order_mark, plain.length) == 0)
        reader->line_at += (int64_t)plain.length;
    reader->at += plain.length;
    return true;
}

/* ---- Faults and notes ---- */

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
    if (reader->fault.status != PM_OK)
        return;
    describe(reader, place, seen, length, what, &reader->fault);
    reader->fault_place.line = place.line;
    reader->fault_place.column = place.column;
}

/* What does not keep the game from being read. */
static void note_at(struct pm_pgn_reader *reader, struct place place, const void *seen,
                    size_t length, const char *what)
{
    struct pm_error note;
    if (reader->fault.status != PM_OK || reader->note_count > NOTE_MAX)
        return;
    describe(reader, place, seen, length, what, &note);
    if (reader->note_count++ == NOTE_MAX)
        pm_fail(&note, PM_ERROR_PARSE, "%s:%" PRIu64 ":%u: more of the same follows, not told",
                pm_input_name(reader->input), place.line, place.column);
    const size_t size = strlen(note.text);
    if (reader->notes_size > 0)
        reader->notes[reader->notes_size++] = '\n';
    memcpy(reader->notes + reader->notes_size, note.text, size + 1);
    reader->notes_size += size;
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

static void note_here(struct pm_pgn_reader *reader, const char *what)
{
    note_at(reader, place_of(reader), reader->at, rest_of_line(reader), what);
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

/* Lets tags and moves point into a text that has moved. */
static void rebase(struct pm_pgn_game *game, const char *text)
{
    const uintptr_t old = (uintptr_t)game->text;
    for (size_t i = 0; i < game->tag_count; i++) {
        struct pm_pgn_tag *const tag = &game->tags[i];
        tag->name = text + ((uintptr_t)tag->name - old);
        tag->value = text + ((uintptr_t)tag->value - old);
    }
    for (size_t i = 0; i < game->move_count; i++)
        game->moves[i].text = text + ((uintptr_t)game->moves[i].text - old);
    game->text = text;
}

/* Nothing is kept of a game that will not be given out. */
static bool has_text_room(struct pm_pgn_reader *reader, size_t size)
{
    void *text = reader->text;
    if (__builtin_expect(reader->fault.status != PM_OK, 0))
        return false;
    if (__builtin_expect(reader->game.text_size + size <= reader->text_capacity, 1))
        return true;
    if (!grow(reader, &text, &reader->text_capacity, reader->game.text_size + size, 1))
        return false;
    reader->text = text;
    rebase(&reader->game, text);
    return true;
}

static void put(struct pm_pgn_reader *reader, const void *bytes, size_t size)
{
    if (!has_text_room(reader, size))
        return;
    memcpy(reader->text + reader->game.text_size, bytes, size);
    reader->game.text_size += size;
}

/* The tag's name and value begin at these offsets of the text. */
static void add_tag(struct pm_pgn_reader *reader, struct place place, size_t name, size_t value)
{
    struct pm_pgn_game *const game = &reader->game;
    void *tags = game->tags;
    if (reader->fault.status != PM_OK)
        return;
    if (game->tag_count == TAG_MAX) {
        fault_at(reader, place, reader->text + name, strlen(reader->text + name),
                 "with this tag the game has over 1000, more than any game needs");
        return;
    }
    if (game->tag_count == reader->tag_capacity &&
        !grow(reader, &tags, &reader->tag_capacity, game->tag_count + 1, sizeof *game->tags))
        return;
    game->tags = tags;
    game->tags[game->tag_count++] = (struct pm_pgn_tag){.name = reader->text + name,
                                                        .value = reader->text + value,
                                                        .line = place.line,
                                                        .column = place.column};
}

/* `text` may be read for COPIED bytes. */
static inline void add_move(struct pm_pgn_reader *reader, const void *text, size_t length)
{
    struct pm_pgn_game *const game = &reader->game;
    const struct place place = place_of(reader);
    void *moves = game->moves;
    if (!has_text_room(reader, length < COPIED ? COPIED : length))
        return;
    if (__builtin_expect(game->move_count == reader->move_capacity, 0) &&
        !grow(reader, &moves, &reader->move_capacity, game->move_count + 1, sizeof *game->moves))
        return;
    char *const copied = reader->text + reader->game.text_size;
    memcpy(copied, text, COPIED);
    if (length > COPIED)
        memcpy(copied, text, length);
    reader->game.text_size += length;
    game->moves = moves;
    game->moves[game->move_count++] = (struct pm_pgn_move){
        .text = copied,
        .length = (unsigned)length,
        .number = reader->number,
        .line = place.line,
        .column = place.column,
    };
}

static void clear_game(struct pm_pgn_reader *reader)
{
    struct pm_pgn_game *const game = &reader->game;
    *game = (struct pm_pgn_game){.index = game->index,
                                 .tags = game->tags,
                                 .moves = game->moves,
                                 .text = reader->text,
                                 .result = ""};
    reader->fault.status = PM_OK;
    reader->names = 0;
    reader->has_event = reader->has_text = reader->is_over = reader->in_passant = false;
    reader->line_ends = 0;
    reader->number = 0;
    reader->depth = 0;
}

/* ---- Text encodings ---- */

static bool is_utf8(const char *text, size_t size)
{
    uint32_t code;
    for (size_t i = 0; i < size;) {
        const size_t length = pm_utf8_read(text + i, size - i, &code);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

/* Makes UTF-8 of the stored text from `begin` on, if it is none and there is any. */
static void to_utf8(struct pm_pgn_reader *reader, size_t begin)
{
    const size_t end = reader->game.text_size;
    if (begin >= end || is_utf8(reader->text + begin, end - begin))
        return;
    for (size_t i = begin; i < end; i++) {
        unsigned char utf8[3] = {(unsigned char)reader->text[i]};
        const uint32_t code = pm_windows_1252(utf8[0]);
        put(reader, utf8, code < 0x80 ? 1 : pm_utf8_write(code, utf8));
    }
    reader->game.text_size -= end - begin;
    memmove(reader->text + begin, reader->text + end, reader->game.text_size - begin);
}

/* ---- Words ---- */

static const unsigned char *digits_end(const unsigned char *at)
{
    while (kinds[*at] == DIGIT)
        at++;
    return at;
}

/* The word that begins at `at`, in ASCII where a character stands for it; `text` has room for
 * WORD_MAX + COPIED bytes. Returns its length, over WORD_MAX if it is too long, and where it ends
 * in *end: *end is `at` if an ellipsis or a sign of evaluation stands there. */
static size_t plain_word(const unsigned char *at, const unsigned char *limit, char *text,
                         const unsigned char **end)
{
    size_t length = 0;
    while (at < limit && length <= WORD_MAX) {
        struct pm_plain plain = {PM_PLAIN_OTHER, 1, NULL};
        if (kinds[*at] == HIGH)
            plain = pm_plain_read(at, (size_t)(limit - at));
        else if (!is_in(IN_WORD, *at))
            break;
        if (plain.kind > PM_PLAIN_TEXT)
            break;
        const bool is_text = plain.kind == PM_PLAIN_TEXT;
        const size_t size = is_text ? strlen(plain.text) : plain.length;
        memcpy(text + length, is_text ? (const void *)plain.text : at, size);
        length += size;
        at += plain.length;
    }
    *end = at;
    return length;
}

/* The result that a word means, or NULL: "0-0" is castling. */
static const char *result_of(const void *word, size_t length)
{
    const enum pm_score score = pm_score_read_part(word, length);
    return score >= PM_SCORE_OPEN && score <= PM_SCORE_DRAW ? pm_score_text(score) : NULL;
}

/* ---- Tags ---- */

static bool is_tag_name(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("_+#=:-", byte) != NULL);
}

/* What an opening bracket begins. */
struct tag_look {
    enum { NO_TAG, BROKEN_TAG, TAG_PAIR } kind;
    const unsigned char *name, *name_end;
    const unsigned char *value; /* its opening quotation mark, or what stands in its place */
};

/* A name in capitals without a value in quotation marks is a broken tag; else it is text in
 * brackets. */
static struct tag_look look_at_tag(const unsigned char *at, const unsigned char *limit)
{
    struct tag_look look = {.name = space_end(at + 1, limit)};
    look.name_end = look.name;
    while (look.name_end < limit && is_tag_name(*look.name_end))
        look.name_end++;
    look.value = space_end(look.name_end, limit);
    const bool has_value = look.value < limit && *look.value == '"';
    if (look.name_end > look.name && has_value && look.name_end - look.name <= WORD_MAX)
        look.kind = TAG_PAIR;
    else if (look.name_end > look.name && (has_value || isupper(*look.name)))
        look.kind = BROKEN_TAG;
    return look;
}

static bool is_name(const struct tag_look *look, const char *name)
{
    const size_t length = (size_t)(look->name_end - look->name);
    return strlen(name) == length && strncasecmp((const char *)look->name, name, length) == 0;
}

static uint64_t name_bit(const struct tag_look *look)
{
    const unsigned first = look->name[0] | 0x20, last = look->name_end[-1] | 0x20;
    return (uint64_t)1 << ((first * 7 + last * 3 + (unsigned)(look->name_end - look->name)) & 63);
}

/* Whether the game has a tag of that name already. */
static bool has_tag(const struct pm_pgn_reader *reader, const struct tag_look *look)
{
    if ((reader->names & name_bit(look)) == 0)
        return false;
    for (size_t i = 0; i < reader->game.tag_count; i++)
        if (is_name(look, reader->game.tags[i].name))
            return true;
    return false;
}

/* A tag without which the moves mean something else. */
static bool is_vital(const struct tag_look *look)
{
    return is_name(look, "FEN") || is_name(look, "SetUp") || is_name(look, "Variant");
}

/* To the closing bracket of this line and past it, or to the line's end. */
static void skip_bracket(struct pm_pgn_reader *reader)
{
    bool is_quoted = false;
    while (ready(reader) && kinds[*reader->at] != LINE_END) {
        const unsigned char byte = *reader->at++;
        is_quoted ^= byte == '"';
        if (byte == ']' && !is_quoted)
            return;
    }
}

/* A tag that can't be read is left out, with a note, unless it is vital. */
static void skip_broken_tag(struct pm_pgn_reader *reader, const struct tag_look *look)
{
    (is_vital(look) ? fault_at : note_at)(
        reader, place_of(reader), reader->at, rest_of_line(reader),
        "a tag is [Name \"value\"], with a name of at most 255 letters and its value in quotation "
        "marks");
    skip_bracket(reader);
}

/* After a quotation mark within a value: it is the last one if bracket or line end follow. Else it
 * is part of the value: not every program escapes them. */
static bool is_value_end(const unsigned char *at, const unsigned char *limit)
{
    at = blanks_end(at, limit);
    return at == limit || *at == ']' || *at == '[' || kinds[*at] == LINE_END;
}

/* At a line end within a value: whether one of the next lines closes it, before an empty line or
 * one that begins with a bracket. */
static bool goes_on(const unsigned char *at, const unsigned char *limit)
{
    while (at < limit) {
        at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
        const unsigned char *const begin = blanks_end(at, limit);
        if (begin >= limit || *begin == '[' || kinds[*begin] == LINE_END)
            return false;
        for (at = begin; at < limit && kinds[*at] != LINE_END; at++) {
            if (*at != '"' || at[-1] == '\\')
                continue;
            const unsigned char *const next = blanks_end(at + 1, limit);
            if (next < limit && *next == ']')
                return true;
        }
    }
    return false;
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

/* After the opening quotation mark; ends at the closing one. A line end in a value is a blank.
 * False: it has no end. */
static bool read_value(struct pm_pgn_reader *reader)
{
    while (ready(reader)) {
        const unsigned char *end = reader->at;
        const enum kind stop = kinds[*end];
        if (stop == QUOTE && is_value_end(end + 1, limit_of(reader)))
            return true;
        if (stop == LINE_END) {
            if (!goes_on(end, limit_of(reader)))
                return false;
            put(reader, " ", 1);
            end_line(reader);
        } else if (stop == BACKSLASH) {
            read_escape(reader);
        } else if (stop == NUL) {
            fault_nul(reader);
        } else {
            for (end++; !is_in(VALUE_STOPS, *end);)
                end++;
            put(reader, reader->at, (size_t)(end - reader->at));
            reader->at = end;
        }
    }
    return false;
}

/* To where the tag ends, on this line or a later one. */
static void close_tag(struct pm_pgn_reader *reader)
{
    reader->at++;
    if (!ready(reader))
        return;
    const unsigned char *const limit = limit_of(reader);
    const unsigned char *const bracket = space_end(reader->at, limit);
    if (bracket < limit && *bracket == ']')
        go_to(reader, bracket + 1);
}

static void read_tag(struct pm_pgn_reader *reader, const struct tag_look *look)
{
    void (*const blame)(struct pm_pgn_reader *, struct place, const void *, size_t, const char *) =
        is_vital(look) ? fault_at : note_at;
    const struct place place = place_of(reader);
    const bool is_second = has_tag(reader, look);
    const size_t name = reader->game.text_size;
    const size_t value = name + (size_t)(look->name_end - look->name) + 1;
    reader->has_event |= is_name(look, "Event");
    reader->names |= name_bit(look);
    put(reader, look->name, value - name - 1);
    put(reader, "", 1);
    go_to(reader, look->value);
    const struct place value_place = place_of(reader);
    reader->at++;
    const bool is_whole = read_value(reader);
    if (is_whole)
        close_tag(reader);
    to_utf8(reader, value);
    put(reader, "", 1);
    if (reader->fault.status != PM_OK)
        return;
    if (!is_whole)
        blame(reader, value_place, reader->text + value, reader->game.text_size - value - 1,
              "this tag's value has no closing quotation mark: it ends with \"] on its line");
    else if (is_second)
        note_at(reader, place, reader->text + name, value - name - 1,
                "this tag stands twice in the game: the first counts");
    else
        add_tag(reader, place, name, value);
    if (!is_whole || is_second)
        reader->game.text_size = name;
}

/* ---- Move text ---- */

/* Within a comment, at the begin of a line: whether an Event tag stands there. */
static bool begins_event(const struct pm_pgn_reader *reader)
{
    if (reader->at >= reader->end || *reader->at != '[')
        return false;
    const struct tag_look look = look_at_tag(reader->at, limit_of(reader));
    return look.kind == TAG_PAIR && is_name(&look, "Event");
}

/* Whether the comment's end comes before another comment begins. */
static bool comment_closes(struct pm_pgn_reader *reader)
{
    while (reader->end - reader->at < COMMENT_LOOKAHEAD && fill(reader))
        continue;
    const size_t left = (size_t)(reader->end - reader->at);
    const size_t size = left < COMMENT_LOOKAHEAD ? left : COMMENT_LOOKAHEAD;
    const unsigned char *const close = memchr(reader->at, '}', size);
    return close != NULL && memchr(reader->at, '{', (size_t)(close - reader->at)) == NULL;
}

static void read_comment(struct pm_pgn_reader *reader)
{
    const struct place place = place_of(reader);
    bool closes = false; /* that is known */
    reader->game.comments++;
    reader->at++;
    while (ready(reader)) {
        if (kinds[*reader->at] == COMMENT_END) {
            reader->at++;
            return;
        }
        if (kinds[*reader->at] == LINE_END) {
            end_line(reader);
            if (!closes && ready(reader) && begins_event(reader) &&
                !(closes = comment_closes(reader)))
                break;
            continue;
        }
        for (reader->at++; !is_in(COMMENT_STOPS, *reader->at);)
            reader->at++;
    }
    fault_at(reader, place, "{", 1, "this comment has no end: a '}' is missing");
    reader->has_text = true; /* the tag that comes is the next game's */
}

/* Passes over what is no part of a game's text, as kind `kind` begins it. */
static inline bool skip_aside(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind == COMMENT) {
        read_comment(reader);
    } else if (kind == LINE_COMMENT || (kind == ESCAPE && is_line_begin(reader))) {
        reader->game.comments += kind == LINE_COMMENT;
        skip_line(reader);
    } else {
        return false;
    }
    return true;
}

/* A result ends the game, but the rest of its line may comment on it. */
static void read_result(struct pm_pgn_reader *reader, const char *result, size_t length)
{
    if (reader->depth == 0) {
        if (!reader->is_over)
            reader->game.result = result;
        else if (strcmp(reader->game.result, result) != 0)
            note_at(reader, place_of(reader), reader->at, length,
                    "the game has another result before this one: the first counts");
        reader->is_over = true;
    }
    reader->at += length;
}

/* Whether a word that begins so comes next: "passant" after "en". */
static bool is_next(const struct pm_pgn_reader *reader, size_t length, const char *word)
{
    const unsigned char *const limit = limit_of(reader);
    const unsigned char *const next = space_end(reader->at + length, limit);
    return next > reader->at + length && (size_t)(limit - next) >= strlen(word) &&
           memcmp(next, word, strlen(word)) == 0;
}

/* "e.p.", "ep", "e. p.", "en passant", "en pt": en passant, in one word or two. */
static bool is_en_passant(struct pm_pgn_reader *reader, const char *word, size_t length)
{
    if (reader->in_passant) {
        reader->in_passant = false;
        return true;
    }
    if (word[0] != 'e' || length < 2)
        return false;
    if (length == 2)
        reader->in_passant = (word[1] == 'n' && (is_next(reader, length, "passant") ||
                                                 is_next(reader, length, "pt"))) ||
                             (word[1] == '.' && is_next(reader, length, "p"));
    return reader->in_passant || (length == 2 && word[1] == 'p') ||
           (length > 2 && memcmp(word, "e.p", 3) == 0);
}

/* Signs beside the moves: "+-", "=". */
static bool is_sign(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("+-=/#~", word[i]) == NULL)
            return false;
    return length != 2 || memcmp(word, "--", 2) != 0; /* a null move */
}

/* These functions return false where the next game begins, before using anything of it. */

/* A word that stands for `word` and takes `size` bytes in the text. */
static inline bool take_word(struct pm_pgn_reader *reader, const void *word, size_t length,
                             size_t size)
{
    const char first = *(const char *)word;
    const char *const result = first < 'A' ? result_of(word, length) : NULL;
    if (result != NULL) {
        read_result(reader, result, size);
        return true;
    }
    if (__builtin_expect(first == 'e' || reader->in_passant, 0) &&
        is_en_passant(reader, word, length)) {
        /* no more than a remark */
    } else if ((first < '0' || first == '=' || first == '~') && is_sign(word, length)) {
        reader->game.glyphs++;
    } else if (reader->depth == 0) {
        if (reader->is_over)
            return false;
        add_move(reader, word, length);
    }
    reader->at += size;
    return true;
}

static bool skip_long_word(struct pm_pgn_reader *reader)
{
    fault_here(reader, "a word of over 255 bytes is no move");
    while (ready(reader) && is_in(IN_WORD | 1 << HIGH, *reader->at))
        reader->at++;
    return true;
}

/* A word with characters beyond ASCII, or what may stand in its place. */
static bool read_high_word(struct pm_pgn_reader *reader)
{
    char word[WORD_MAX + COPIED];
    const unsigned char *end, *const limit = limit_of(reader);
    const size_t length = plain_word(reader->at, limit, word, &end);
    const size_t size = (size_t)(end - reader->at);
    if (length > WORD_MAX)
        return skip_long_word(reader);
    if (length > 0)
        return take_word(reader, word, length, size);
    if (size > 0) { /* stands for nothing */
        reader->at = end;
        return true;
    }
    const struct pm_plain plain = pm_plain_read(reader->at, (size_t)(limit - reader->at));
    reader->game.glyphs += plain.kind == PM_PLAIN_GLYPH;
    reader->at += plain.length;
    return true;
}

static inline bool read_word(struct pm_pgn_reader *reader)
{
    const unsigned char *const word = reader->at, *end = word;
    while (is_in_word(*end))
        end++;
    if (__builtin_expect(kinds[*end] == HIGH, 0) && end - word <= WORD_MAX)
        return read_high_word(reader);
    if (__builtin_expect(end - word > WORD_MAX, 0))
        return skip_long_word(reader);
    return take_word(reader, word, (size_t)(end - word), (size_t)(end - word));
}

/* Whether "1." at the begin of a line, after an empty one, starts again from the first move. */
static bool is_restart(const struct pm_pgn_reader *reader, const unsigned char *end)
{
    return reader->line_ends > 1 && reader->game.move_count > 0 && end - reader->at == 1 &&
           reader->at[0] == '1' && end[0] == '.' && end[1] != '.';
}

/* Whether digits that end there are a word's: of a result, of castling with zeros, of the null move
 * 0000. */
static bool is_word_of_digits(const struct pm_pgn_reader *reader, const unsigned char *end)
{
    const unsigned char *const at = reader->at;
    if (at[0] == '0' && ((end - at == 4 && memcmp(at, "0000", 4) == 0) ||
                         (end - at == 1 && memcmp(at, "0.5", 3) == 0)))
        return true;
    if (kinds[*end] == HIGH) {
        const struct pm_plain plain = pm_plain_read(end, (size_t)(limit_of(reader) - end));
        return plain.kind == PM_PLAIN_TEXT && (plain.text[0] == '-' || plain.text[0] == '/');
    }
    return *end != '.' && is_in(IN_WORD, *end) && !isalpha(*end);
}

/* A move number, with or without dots, or a word that begins with a digit. */
static inline bool read_number(struct pm_pgn_reader *reader)
{
    const unsigned char *end = reader->at;
    uint64_t number = 0;
    for (; kinds[*end] == DIGIT && number <= UINT_MAX; end++)
        number = number * 10 + (uint64_t)(*end - '0');
    if (__builtin_expect(number > UINT_MAX, 0))
        end = digits_end(end);
    const bool is_short = end - reader->at <= WORD_MAX;
    if (is_short && (*end != '.' || reader->at[0] == '0') && is_word_of_digits(reader, end))
        return read_word(reader);
    if (reader->depth == 0) {
        if (reader->is_over || is_restart(reader, end))
            return false;
        reader->number = number <= UINT_MAX ? (unsigned)number : UINT_MAX;
    }
    reader->at = end + (is_short && *end == '.'); /* more dots are a token of their own */
    if (!is_short)
        skip_kind(reader, DIGIT);
    return true;
}

/* A tag that belongs to the next game though this one has no move text yet. */
static bool begins_anew(const struct pm_pgn_reader *reader, const struct tag_look *look)
{
    if (reader->has_event && is_name(look, "Event"))
        return true;
    return look->kind == TAG_PAIR && reader->line_ends > 1 && has_tag(reader, look);
}

static bool read_bracket(struct pm_pgn_reader *reader)
{
    const struct tag_look look = look_at_tag(reader->at, limit_of(reader));
    const bool is_outside = reader->has_text && !reader->is_over && look.kind == BROKEN_TAG;
    if (look.kind == NO_TAG || is_outside) {
        note_here(reader, "brackets are for tags, [Name \"value\"]: this one is passed over");
        skip_bracket(reader);
        return true;
    }
    if (reader->has_text || begins_anew(reader, &look))
        return false;
    if (look.kind == TAG_PAIR) {
        read_tag(reader, &look);
    } else {
        reader->has_event |= is_name(&look, "Event");
        skip_broken_tag(reader, &look);
    }
    return true;
}

static void read_glyph(struct pm_pgn_reader *reader)
{
    const unsigned char *const end = digits_end(reader->at + 1);
    reader->game.glyphs++;
    if (end > reader->at + 1) {
        reader->at = end;
        skip_kind(reader, DIGIT);
        return;
    }
    note_here(reader, "a '$' is followed by a number: $1");
    for (reader->at++; ready(reader) && is_in(IN_WORD, *reader->at);)
        reader->at++;
}

static void open_variation(struct pm_pgn_reader *reader)
{
    if (reader->depth++ == 0)
        reader->variation = place_of(reader);
    reader->game.variations++;
    reader->at++;
}

/* Brackets that close what none has opened. */
static bool skip_stray(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind != STRAY && kind != COMMENT_END && (kind != VARIATION_END || reader->depth > 0))
        return false;
    note_here(reader, kind == VARIATION_END
                          ? "this ')' closes no variation: a '(' before it is missing"
                          : "this bracket closes nothing: its opening one is missing");
    reader->at++;
    return true;
}

/* "<br>" and the like, on one line. */
static bool skip_reserved(struct pm_pgn_reader *reader, enum kind kind)
{
    const unsigned char *end = reader->at, *const limit = limit_of(reader);
    if (kind != RESERVED)
        return false;
    note_here(reader, "PGN keeps '<' and '>' for later: this is passed over");
    while (end < limit && *end != '>' && kinds[*end] != LINE_END)
        end++;
    reader->at = end < limit && *end == '>' ? end + 1 : reader->at + 1;
    return true;
}

/* A tag behind a few signs, such as the '>' of a quoted letter; or NULL. */
static const unsigned char *tag_behind_signs(const unsigned char *at, const unsigned char *limit)
{
    const unsigned char *const last = limit - at > JUNK_MAX ? at + JUNK_MAX : limit;
    while (at < last && *at != '[' && !isalnum(*at) && !is_in(1 << LINE_END | 1 << NUL, *at))
        at++;
    return at < last && *at == '[' && look_at_tag(at, limit).kind == TAG_PAIR ? at : NULL;
}

static bool skip_signs(struct pm_pgn_reader *reader)
{
    const unsigned char *const tag = tag_behind_signs(reader->at, limit_of(reader));
    if (tag == NULL)
        return false;
    note_at(reader, place_of(reader), reader->at, (size_t)(tag - reader->at),
            "this stands before a tag, which is read all the same");
    reader->at = tag;
    return true;
}

/* Tokens that are no move text for sure. */
static bool read_other(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind == NUL) {
        fault_nul(reader);
        return true;
    }
    return skip_aside(reader, kind) || skip_stray(reader, kind) || skip_reserved(reader, kind) ||
           (!reader->has_text && skip_signs(reader));
}

static inline bool read_token(struct pm_pgn_reader *reader, enum kind kind)
{
    if (kind == TAG)
        return read_bracket(reader);
    if ((kind >= NUL || kind == ESCAPE || !reader->has_text) && read_other(reader, kind))
        return true;
    reader->has_text = true;
    switch (kind) {
    case DIGIT:
        return read_number(reader);
    case HIGH:
        return read_high_word(reader);
    case DOT:
        skip_kind(reader, DOT);
        return true;
    case VARIATION:
        open_variation(reader);
        return true;
    case VARIATION_END:
        reader->depth--;
        reader->at++;
        return true;
    case GLYPH:
        read_glyph(reader);
        return true;
    case MARK:
        skip_kind(reader, MARK);
        reader->game.glyphs++;
        return true;
    case STAR:
        read_result(reader, "*", 1);
        return true;
    default:
        return read_word(reader);
    }
}

/* Where the Result tag says that both have lost, a last "0-0" says it too. */
static void find_double_loss(struct pm_pgn_reader *reader)
{
    struct pm_pgn_game *const game = &reader->game;
    const struct pm_pgn_move *const last =
        game->move_count > 0 ? &game->moves[game->move_count - 1] : NULL;
    if (last == NULL || reader->is_over || last->length != 3 || memcmp(last->text, "0-0", 3) != 0 ||
        pm_score_read(pm_pgn_tag(game, "Result")) != PM_SCORE_BOTH_LOSE)
        return;
    note_at(reader, (struct place){last->line, last->column}, "0-0", 3,
            "this may be castling, but the Result tag says that both lose: it is read as the "
            "result");
    game->move_count--;
    game->result = pm_score_text(PM_SCORE_BOTH_LOSE);
}

static void read_game(struct pm_pgn_reader *reader)
{
    while (ready(reader)) {
        const enum kind kind = kinds[*reader->at];
        if (kind == BLANK) {
            reader->at++;
        } else if (kind == LINE_END) {
            if (reader->is_over)
                break;
            end_line(reader);
            reader->line_ends++;
        } else if (kind != HIGH || !skip_high_blank(reader)) {
            if (!read_token(reader, kind))
                break;
            reader->line_ends = 0;
            reader->at += *reader->at == ' '; /* mostly one follows */
        }
    }
    if (reader->depth > 0)
        fault_at(reader, reader->variation, "(", 1, "this variation has no end: a ')' is missing");
    if (reader->fault.status == PM_OK)
        find_double_loss(reader);
}

/* ---- Between games ---- */

static bool looks_like_move(const char *word, size_t length)
{
    bool has_square = false;
    for (size_t i = 0; i < length; i++) {
        if (memchr("KQRBNPOabcdefghqrno012345678xX-+#=:", word[i], 35) == NULL)
            return false;
        has_square = has_square ||
                     (i + 1 < length && word[i] >= 'a' && word[i] <= 'h' && word[i + 1] >= '1' &&
                      word[i + 1] <= '8') ||
                     (i + 2 < length && strchr("Oo0", word[i]) != NULL && word[i + 1] == '-' &&
                      word[i + 2] == word[i]);
    }
    return has_square;
}

/* Whether a move, a result or a move number begins there, or text that is none of a game's. Games
 * of nothing but a result have their line for themselves: "* * *" is none. */
static bool begins_moves(const unsigned char *at, const unsigned char *limit)
{
    char word[WORD_MAX + COPIED];
    const unsigned char *end = at + 1;
    size_t length = 1;
    word[0] = '*';
    if (kinds[*at] != STAR)
        length = plain_word(at, limit, word, &end);
    if (length <= WORD_MAX && result_of(word, length) != NULL) {
        end = blanks_end(end, limit);
        return end == limit || is_in(AFTER_RESULT, *end);
    }
    if (length <= WORD_MAX && looks_like_move(word, length))
        return true;
    if (kinds[*at] != DIGIT)
        return false;
    at = digits_end(at);
    at = at < limit ? blanks_end(at, limit) : limit;
    if (at == limit)
        return false;
    if (*at == '.' ||
        (kinds[*at] == HIGH && pm_plain_read(at, (size_t)(limit - at)).kind == PM_PLAIN_DOTS))
        return true;
    length = plain_word(at, limit, word, &end);
    return length <= WORD_MAX && looks_like_move(word, length);
}

static bool begins_game(struct pm_pgn_reader *reader)
{
    const unsigned char *const limit = limit_of(reader);
    if (*reader->at == '[')
        return look_at_tag(reader->at, limit).kind != NO_TAG;
    return begins_moves(reader->at, limit) || skip_signs(reader);
}

/* Passes over the rest of a line that is no game's, but not over a tag in silence. */
static void skip_prose(struct pm_pgn_reader *reader)
{
    for (bool is_told = false; ready(reader) && kinds[*reader->at] != LINE_END;) {
        if (!is_told && *reader->at == '[' &&
            look_at_tag(reader->at, limit_of(reader)).kind == TAG_PAIR) {
            note_here(reader, "this tag is not read: other text stands before it on its line");
            is_told = true;
        }
        for (reader->at++; !is_in(LINE_STOPS, *reader->at);)
            reader->at++;
    }
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
        } else if (!skip_aside(reader, kind) && (kind != HIGH || !skip_high_blank(reader))) {
            if (begins_game(reader))
                return true;
            if (reader->game.index == 0 && reader->no_game.status == PM_OK) {
                reader->no_game_place = place_of(reader);
                describe(reader, reader->no_game_place, reader->at, rest_of_line(reader),
                         "no game is in this file: a tag or a move was expected here",
                         &reader->no_game);
            }
            skip_prose(reader);
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

const char *pm_pgn_notes(const struct pm_pgn_reader *reader)
{
    return reader->notes_size > 0 ? reader->notes : NULL;
}

struct pm_pgn_fault pm_pgn_last_fault(const struct pm_pgn_reader *reader)
{
    return reader->fault_place;
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

/* Reads to the end of the next game. False: there is none. A broken tag alone is none either. */
static bool read_next(struct pm_pgn_reader *reader)
{
    const struct pm_pgn_game *const game = &reader->game;
    bool is_found;
    do {
        clear_game(reader);
        is_found = find_game(reader);
        reader->game.line = reader->line;
        if (is_found)
            read_game(reader);
    } while (is_found && reader->fault.status == PM_OK && game->tag_count == 0 &&
             game->move_count == 0 && !reader->is_over && game->variations == 0);
    return is_found || reader->fault.status != PM_OK;
}

enum pm_status pm_pgn_next(struct pm_pgn_reader *reader, const struct pm_pgn_game **game,
                           struct pm_error *error)
{
    *game = NULL;
    reader->note_count = 0;
    reader->notes_size = 0;
    const bool is_found = read_next(reader);
    reader->game.index += is_found;
    if (reader->failure.status != PM_OK) {
        reader->at = reader->end;
        reader->is_drained = true;
        return tell(&reader->failure, error);
    }
    reader->fault_place.index = reader->game.index;
    reader->fault_place.game_line = is_found ? reader->game.line : 0;
    if (reader->fault.status != PM_OK)
        return tell(&reader->fault, error);
    if (is_found) {
        *game = &reader->game;
    } else if (reader->game.index == 0 && reader->no_game.status != PM_OK) {
        reader->fault_place.line = reader->no_game_place.line;
        reader->fault_place.column = reader->no_game_place.column;
        return tell(&reader->no_game, error);
    }
    return PM_OK;
}

/* The text as one game, without looking for its begin. */
static enum pm_status read_whole(struct pm_pgn_reader *reader, struct pm_error *error)
{
    clear_game(reader);
    reader->has_text = true;
    read_game(reader);
    if (reader->fault.status == PM_OK && reader->notes_size > 0)
        pm_fail(&reader->fault, PM_ERROR_PARSE, "%.*s", (int)strcspn(reader->notes, "\n"),
                reader->notes);
    go_to(reader, space_end(reader->at, limit_of(reader)));
    if (reader->at < reader->end)
        fault_here(reader, "the game has ended before this");
    if (reader->failure.status != PM_OK)
        return tell(&reader->failure, error);
    return tell(&reader->fault, error);
}

enum pm_status pm_pgn_read_moves(const char *name, const char *text, struct pm_pgn_game **game,
                                 struct pm_error *error)
{
    const struct pm_input_text bytes = {.name = name, .bytes = text, .size = strlen(text)};
    struct pm_input *input = NULL;
    struct pm_pgn_reader *reader = NULL;
    *game = NULL;
    enum pm_status status = pm_input_open_text(&bytes, &input, error);
    if (status == PM_OK)
        status = pm_pgn_open(input, &reader, error);
    if (status == PM_OK)
        status = read_whole(reader, error);
    if (status == PM_OK && (*game = pm_pgn_copy(&reader->game)) == NULL)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for the moves");
    pm_pgn_close(reader);
    pm_input_close(input);
    return status;
}

struct pm_pgn_game *pm_pgn_copy(const struct pm_pgn_game *game)
{
    const size_t tags = game->tag_count * sizeof *game->tags;
    const size_t moves = game->move_count * sizeof *game->moves;
    struct pm_pgn_game *const copy = malloc(sizeof *copy + tags + moves + game->text_size);
    if (copy == NULL)
        return NULL;
    *copy = *game;
    copy->tags = (struct pm_pgn_tag *)(copy + 1);
    copy->moves = (struct pm_pgn_move *)(copy->tags + game->tag_count);
    char *const text = (char *)(copy->moves + game->move_count);
    if (tags > 0)
        memcpy(copy->tags, game->tags, tags);
    if (moves > 0)
        memcpy(copy->moves, game->moves, moves);
    if (game->text_size > 0)
        memcpy(text, game->text, game->text_size);
    rebase(copy, text);
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
