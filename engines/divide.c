/* SPDX-License-Identifier: MIT */
#include "engines/divide.h"

#include "core/move.h"
#include "core/quote.h"
#include "core/state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum pm_castling_text pm_divide_castling(bool chess960)
{
    return chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET;
}

static int compare_entries(const void *a, const void *b)
{
    const struct pm_divide_entry *x = a;
    const struct pm_divide_entry *y = b;
    return strcmp(x->text, y->text);
}

static void sort(struct pm_divide *divide)
{
    qsort(divide->entries, divide->count, sizeof divide->entries[0], compare_entries);
}

/* ---- By a kernel ---- */

enum pm_mode pm_divide_mode(const struct pm_kernel *kernel, enum pm_mode mode)
{
    if (kernel->capabilities & PM_CAN_MODE(mode))
        return mode;
    for (int first = 0; first < PM_MODE_COUNT; first++)
        if (kernel->capabilities & PM_CAN_MODE(first))
            return (enum pm_mode)first;
    return mode;
}

/* What a count needs at every ply. */
struct counter {
    const struct pm_kernel *kernel;
    enum pm_mode mode;
    int limit;
};

static enum pm_status count(const struct counter *counter, const void *state, int depth,
                            pm_count *nodes);

/* Memory for a ply that is walked: a move list and a child. */
struct ply {
    struct pm_move *moves;
    void *child;
    unsigned count;
};

static void close_ply(struct ply *ply)
{
    free(ply->moves);
    free(ply->child);
}

static enum pm_status open_ply(const struct pm_kernel *kernel, const void *state, struct ply *ply)
{
    *ply = (struct ply){.moves = malloc(PM_MAX_MOVES * sizeof *ply->moves),
                        .child = pm_new_state(kernel)};
    enum pm_status status = ply->moves != NULL && ply->child != NULL ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK)
        status = kernel->legal_moves(state, ply->moves, &ply->count);
    if (status == PM_OK && ply->count > PM_MAX_MOVES)
        status = PM_ERROR_MISMATCH;
    if (status != PM_OK)
        close_ply(ply);
    return status;
}

/* What follows the move, at depth plies including it. */
static enum pm_status count_move(const struct counter *counter, const void *state, struct ply *ply,
                                 unsigned index, int depth, pm_count *nodes)
{
    memcpy(ply->child, state, counter->kernel->state_size);
    if (counter->kernel->play(ply->child, &ply->moves[index]) != PM_OK)
        return PM_ERROR_MISMATCH;
    *nodes = 1;
    return depth > 1 ? count(counter, ply->child, depth - 1, nodes) : PM_OK;
}

static enum pm_status walk(const struct counter *counter, const void *state, int depth,
                           pm_count *nodes)
{
    struct ply ply;
    enum pm_status status = open_ply(counter->kernel, state, &ply);
    if (status != PM_OK)
        return status;
    *nodes = 0;
    for (unsigned i = 0; i < ply.count && status == PM_OK; i++) {
        pm_count part = 0;
        status = count_move(counter, state, &ply, i, depth, &part);
        if (status == PM_OK)
            status = pm_count_add(nodes, part);
    }
    close_ply(&ply);
    return status;
}

static enum pm_status count(const struct counter *counter, const void *state, int depth,
                            pm_count *nodes)
{
    uint64_t counted = 0;
    if (depth > counter->limit)
        return walk(counter, state, depth, nodes);
    const enum pm_status status = counter->kernel->perft(state, depth, counter->mode, &counted);
    *nodes = counted;
    return status;
}

static void name_entry(struct pm_divide_entry *entry, const struct pm_move *move, bool chess960)
{
    char text[PM_MOVE_DESCRIPTION_SIZE];
    pm_move_describe(move, chess960, text);
    text[sizeof entry->text - 1] = '\0';
    strcpy(entry->text, text);
}

static enum pm_status divide_ply(const struct counter *counter, const void *state, struct ply *ply,
                                 int depth, bool chess960, struct pm_divide *divide,
                                 struct pm_error *error)
{
    for (unsigned i = 0; i < ply->count; i++) {
        struct pm_divide_entry *entry = &divide->entries[divide->count];
        name_entry(entry, &ply->moves[i], chess960);
        enum pm_status status = count_move(counter, state, ply, i, depth, &entry->nodes);
        if (status == PM_OK)
            status = pm_count_add(&divide->total, entry->nodes);
        if (status != PM_OK)
            return pm_fail(error, status, "%s at its own move %s: %s", counter->kernel->name,
                           entry->text, pm_status_text(status));
        divide->count++;
    }
    sort(divide);
    return PM_OK;
}

enum pm_status pm_divide_make(const struct pm_kernel *kernel, enum pm_mode mode, const void *state,
                              int depth, int limit, bool chess960, struct pm_divide *divide,
                              struct pm_error *error)
{
    const struct counter counter = {kernel, mode, limit};
    struct ply ply;
    divide->count = 0;
    divide->total = 0;
    enum pm_status status = open_ply(kernel, state, &ply);
    if (status != PM_OK)
        return pm_fail(error, status, "%s gives no moves: %s", kernel->name,
                       pm_status_text(status));
    status = divide_ply(&counter, state, &ply, depth, chess960, divide, error);
    close_ply(&ply);
    return status;
}

/* ---- From text ---- */

/* A line being read. */
struct text {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip(struct text *text, const char *characters)
{
    while (text->at < text->end && *text->at != '\0' && strchr(characters, *text->at) != NULL)
        text->at++;
}

static char peek(const struct text *text, size_t offset)
{
    return (size_t)(text->end - text->at) > offset ? text->at[offset] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A comma or underscore before just three digits. */
static bool is_group(const struct text *text)
{
    const char mark = peek(text, 0);
    return (mark == ',' || mark == '_') && is_digit(peek(text, 1)) && is_digit(peek(text, 2)) &&
           is_digit(peek(text, 3)) && !is_digit(peek(text, 4));
}

enum number { NO_NUMBER, NUMBER, TOO_LARGE };

/* Digits, perhaps grouped, with no letter or fraction after them. */
static enum number read_number(struct text *text, pm_count *number)
{
    char digits[64];
    unsigned length = 0;
    while (is_digit(peek(text, 0)) || (length > 0 && is_group(text))) {
        if (*text->at != ',' && *text->at != '_') {
            if (length == sizeof digits)
                return TOO_LARGE;
            digits[length++] = *text->at;
        }
        text->at++;
    }
    const char next = peek(text, 0);
    if (length == 0 || isalpha((unsigned char)next) || next == '_' ||
        (next == '.' && is_digit(peek(text, 1))))
        return NO_NUMBER;
    return pm_count_from_text(digits, length, number) ? NUMBER : TOO_LARGE;
}

static bool is_square(const struct text *text, size_t offset)
{
    const char file = (char)tolower((unsigned char)peek(text, offset));
    const char rank = peek(text, offset + 1);
    return file >= 'a' && file <= 'h' && rank >= '1' && rank <= '8';
}

static bool is_promotion(char c)
{
    return c != '\0' && strchr("nbrqNBRQ", c) != NULL;
}

/* e2e4, e7e8q, E7E8Q, e7e8=Q; nothing of it is taken if there is none. */
static bool read_move(struct text *text, char move[8])
{
    size_t length = 4;
    if (!is_square(text, 0) || !is_square(text, 2))
        return false;
    memcpy(move, text->at, 4);
    if (peek(text, length) == '=' && is_promotion(peek(text, length + 1)))
        length++;
    move[4] = is_promotion(peek(text, length)) ? peek(text, length++) : '\0';
    move[5] = '\0';
    if (isalnum((unsigned char)peek(text, length)))
        return false;
    for (char *c = move; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    text->at += length;
    return true;
}

static enum number read_part(struct text text, struct pm_divide_entry *entry)
{
    skip(&text, " \t");
    if (!read_move(&text, entry->text)) {
        skip(&text, "0123456789[](){}.:#"); /* 1. e2e4: 20 */
        skip(&text, " \t");
        if (!read_move(&text, entry->text))
            return NO_NUMBER;
    }
    skip(&text, " \t:=-|>,");
    return read_number(&text, &entry->nodes);
}

static bool is_one_of(const char *word, const char *const words[])
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Takes a word of letters, in lower case; a long one is cut. */
static void read_word(struct text *text, char word[16])
{
    size_t length = 0;
    for (; isalpha((unsigned char)peek(text, 0)); text->at++)
        if (length < 15)
            word[length++] = (char)tolower((unsigned char)*text->at);
    word[length] = '\0';
}

/* perft 2 = 400, Perft(2): 400; a depth without a sum is none. */
static enum number read_perft(struct text text, pm_count *total)
{
    pm_count depth;
    skip(&text, " \t(:");
    if (read_number(&text, &depth) != NUMBER)
        return NO_NUMBER;
    skip(&text, " \t)");
    if (peek(&text, 0) != '=' && peek(&text, 0) != ':')
        return NO_NUMBER;
    skip(&text, " \t=:");
    return read_number(&text, total);
}

/* A number that is named as the sum: after "nodes" or the like, with nothing between them that says
 * otherwise (nodes/second, total time). */
static enum number read_total(struct text text, pm_count *total)
{
    static const char *const names[] = {"nodes", "total", "leaves", "leafs", "result", NULL};
    static const char *const fillers[] = {"searched", "visited", "count", "counted",
                                          "number",   "of",      "leaf",  NULL};
    bool named = false;
    skip(&text, " \t");
    struct text whole = text;
    if (read_number(&whole, total) == NUMBER && whole.at == whole.end)
        return NUMBER;
    while (text.at < text.end) {
        char word[16];
        if (isalpha((unsigned char)*text.at)) {
            read_word(&text, word);
            if (strcmp(word, "perft") == 0 && read_perft(text, total) == NUMBER)
                return NUMBER;
            named = is_one_of(word, names) || (named && is_one_of(word, fillers));
        } else if (is_digit(*text.at)) {
            const enum number number = read_number(&text, total);
            if (named && number != NO_NUMBER)
                return number;
            named = false;
        } else {
            named = named && strchr(" \t:=->()", *text.at) != NULL;
            text.at++;
        }
    }
    return NO_NUMBER;
}

static bool is_of_uci(const struct text *text)
{
    static const char *const words[] = {"info",    "option", "id", "bestmove",
                                        "readyok", "uciok",  NULL};
    struct text rest = *text;
    char word[16];
    read_word(&rest, word);
    return is_one_of(word, words) && (rest.at == rest.end || is_blank(*rest.at));
}

void pm_divide_read_begin(struct pm_divide_reader *reader, struct pm_divide *divide)
{
    *reader = (struct pm_divide_reader){.divide = divide};
    divide->count = 0;
    divide->total = 0;
}

static enum pm_status add_part(struct pm_divide *divide, const struct pm_divide_entry *entry,
                               struct pm_error *error)
{
    if (divide->count == PM_MAX_MOVES)
        return pm_fail(error, PM_ERROR_PARSE, "more than %d moves", PM_MAX_MOVES);
    divide->entries[divide->count++] = *entry;
    return PM_OK;
}

enum pm_status pm_divide_read_line(struct pm_divide_reader *reader, const char *line, size_t length,
                                   enum pm_divide_line *kind, struct pm_error *error)
{
    struct text text = {line, line + length};
    struct pm_divide_entry entry = {0};
    char quoted[PM_QUOTE_SIZE];
    pm_count total;
    enum pm_divide_line found = PM_DIVIDE_OTHER;
    enum pm_status status = PM_OK;

    while (text.end > text.at && is_blank(text.end[-1]))
        text.end--;
    if (!is_of_uci(&text)) {
        enum number number = read_part(text, &entry);
        found = number != NO_NUMBER ? PM_DIVIDE_PART : PM_DIVIDE_OTHER;
        if (number == NO_NUMBER) {
            number = read_total(text, &total);
            found = number != NO_NUMBER ? PM_DIVIDE_TOTAL : PM_DIVIDE_OTHER;
        }
        if (number == TOO_LARGE)
            status = pm_fail(error, PM_ERROR_PARSE, "a count of over 128 bits: %s",
                             pm_quote(line, length, quoted));
    }
    if (status == PM_OK && found == PM_DIVIDE_PART)
        status = add_part(reader->divide, &entry, error);
    if (status == PM_OK && found == PM_DIVIDE_TOTAL) {
        reader->divide->total = total;
        reader->has_total = true;
    }
    if (kind != NULL)
        *kind = found;
    return status;
}

enum pm_status pm_divide_read_end(struct pm_divide_reader *reader, struct pm_error *error)
{
    struct pm_divide *divide = reader->divide;
    char told[PM_COUNT_TEXT_SIZE];
    char added[PM_COUNT_TEXT_SIZE];
    pm_count sum = 0;

    sort(divide);
    if (divide->count == 0 && !reader->has_total)
        return pm_fail(error, PM_ERROR_PARSE, "no divide");
    for (unsigned i = 0; i < divide->count; i++)
        if (pm_count_add(&sum, divide->entries[i].nodes) != PM_OK)
            return pm_fail(error, PM_ERROR_PARSE, "the sum of the parts is over 128 bits");
    if (!reader->has_total)
        divide->total = sum;
    if (divide->total == sum)
        return PM_OK;
    return pm_fail(error, PM_ERROR_MISMATCH, "its %u parts add up to %s, its total is %s",
                   divide->count, pm_count_to_grouped_text(sum, added),
                   pm_count_to_grouped_text(divide->total, told));
}

enum pm_status pm_divide_read_text(const char *text, size_t size, struct pm_divide *divide,
                                   struct pm_error *error)
{
    struct pm_divide_reader reader;
    enum pm_status status = PM_OK;
    pm_divide_read_begin(&reader, divide);
    for (const char *end = text + size; text < end && status == PM_OK;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline != NULL ? newline : end;
        status = pm_divide_read_line(&reader, text, (size_t)(next - text), NULL, error);
        text = newline != NULL ? newline + 1 : end;
    }
    return status == PM_OK ? pm_divide_read_end(&reader, error) : status;
}

/* ---- Names of moves ---- */

void pm_divide_normalize(struct pm_divide *divide, const struct pm_move moves[], unsigned count,
                         bool chess960)
{
    for (unsigned i = 0; i < divide->count; i++) {
        char *text = divide->entries[i].text;
        const int index = pm_move_find(moves, count, text);
        if (index >= 0)
            pm_move_to_text(&moves[index], pm_divide_castling(chess960), text);
    }
    sort(divide);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool pm_divide_has_moves(const struct pm_divide *divide, const struct pm_move moves[],
                         unsigned count, bool chess960)
{
    char texts[PM_MAX_MOVES][PM_MOVE_TEXT_SIZE];
    if (divide->count != count)
        return false;
    for (unsigned i = 0; i < count; i++)
        pm_move_to_text(&moves[i], pm_divide_castling(chess960), texts[i]);
    qsort(texts, count, sizeof texts[0], compare_texts);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(texts[i], divide->entries[i].text) != 0)
            return false;
    return true;
}
