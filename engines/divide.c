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
    bool is_marked; /* a ':' or '=' stands before the number that comes */
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

/* A mark before just three digits: 1,234, 1_234, 1'234. */
static bool is_group(const struct text *text)
{
    const char mark = peek(text, 0);
    return (mark == ',' || mark == '_' || mark == '\'') && is_digit(peek(text, 1)) &&
           is_digit(peek(text, 2)) && is_digit(peek(text, 3)) && !is_digit(peek(text, 4));
}

/* Blanks before three digits each, to the end of the line: "Nodes: 1 234 567", but "e2e4 20 400"
 * may as well be two columns. */
static bool is_blank_group(const struct text *text)
{
    struct text rest = *text;
    if (!text->is_marked)
        return false;
    while (peek(&rest, 0) == ' ' && is_digit(peek(&rest, 1)) && is_digit(peek(&rest, 2)) &&
           is_digit(peek(&rest, 3)))
        rest.at += 4;
    return rest.at > text->at && rest.at == rest.end;
}

/* What stands where a count should be. */
enum number { NO_NUMBER, NUMBER, TOO_LARGE, NEGATIVE, FOREIGN };

/* Digits, perhaps grouped, with no letter or fraction after them. */
static enum number read_number(struct text *text, pm_count *number)
{
    char digits[64];
    unsigned length = 0;
    for (; is_digit(peek(text, 0)) || (length > 0 && (is_group(text) || is_blank_group(text)));
         text->at++) {
        if (!is_digit(*text->at))
            continue;
        if (length == sizeof digits)
            return TOO_LARGE;
        digits[length++] = *text->at;
    }
    const char next = peek(text, 0);
    if (length == 0 || isalpha((unsigned char)next) || (next & 0x80) != 0 ||
        (next != '\0' && strchr("_,.'", next) != NULL && is_digit(peek(text, 1))))
        return NO_NUMBER;
    return pm_count_from_text(digits, length, number) ? NUMBER : TOO_LARGE;
}

/* A minus that belongs to the digits after it: "e2e4: -5", and not "e2e4 - 5" or "e2e4-5". */
static bool is_negative(const struct text *text, const char *begin)
{
    return text->at - begin >= 2 && text->at[-1] == '-' && strchr(" \t:=", text->at[-2]) != NULL &&
           is_digit(peek(text, 0));
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

/* e2e4, e2-e4, e7e8q, E7E8Q, e7e8=Q; nothing of it is taken if there is none. */
static bool read_move(struct text *text, char move[8])
{
    const char mark = peek(text, 2);
    const size_t to = mark == '-' || mark == 'x' ? 3 : 2;
    size_t length = to + 2;
    if (!is_square(text, 0) || !is_square(text, to))
        return false;
    memcpy(move, text->at, 2);
    memcpy(move + 2, text->at + to, 2);
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

/* Takes what may stand before a move: a number ("1.", "[12]"), a quote, a word. */
static bool pass_before_move(struct text *text)
{
    static const char *const refused[] = {"best", "bestmove", "ponder", "pv", "played", NULL};
    struct text rest = *text;
    char word[16];
    skip(&rest, "0123456789[](){}.:#/\"'*|>");
    if (rest.at == text->at) {
        read_word(&rest, word);
        if (is_one_of(word, refused) ||
            (peek(&rest, 0) != '\0' && strchr(" \t:=", peek(&rest, 0)) == NULL))
            return false;
    }
    skip(&rest, " \t:=");
    const bool moved = rest.at > text->at;
    *text = rest;
    return moved && text->at < text->end;
}

/* A move in another notation, or none that can be: Nf3, exd5, e8=Q+, O-O, z9z9, e2e4x. */
static bool is_foreign_move(const char *word, size_t length)
{
    bool has_digit = false;
    bool is_san = strchr("KQRBNabcdefghO0", word[0]) != NULL;
    const bool is_shaped = length >= 4 && length <= 6 && isalpha((unsigned char)word[0]) &&
                           is_digit(word[1]) && isalpha((unsigned char)word[2]) &&
                           is_digit(word[3]);
    for (size_t i = 0; i < length; i++) {
        has_digit = has_digit || is_digit(word[i]);
        is_san = is_san && strchr("KQRBNabcdefgh12345678x=+#-O0", word[i]) != NULL;
    }
    const bool castles =
        length >= 3 && (memcmp(word, "O-O", 3) == 0 || memcmp(word, "0-0", 3) == 0);
    return is_shaped || castles || (is_san && has_digit && isalpha((unsigned char)word[0]));
}

/* Such a move with a count. */
static enum number read_foreign_part(struct text text)
{
    pm_count nodes;
    const char *begin = text.at;
    while (text.at < text.end && strchr(" \t:", *text.at) == NULL)
        text.at++;
    const size_t length = (size_t)(text.at - begin);
    if (length < 2 || length > 8 || !is_foreign_move(begin, length))
        return NO_NUMBER;
    skip(&text, " \t:=-|>,");
    return read_number(&text, &nodes) != NO_NUMBER ? FOREIGN : NO_NUMBER;
}

static enum number read_part(struct text text, struct pm_divide_entry *entry)
{
    static const char *const fillers[] = {"nodes", "node", "leaves", "count", "moves", NULL};
    char word[16];
    skip(&text, " \t");
    struct text first = text;
    for (int words = 0; !read_move(&text, entry->text); words++) {
        if (words == 4 || !pass_before_move(&text))
            return read_foreign_part(first);
        if (words == 0 && is_digit(*first.at))
            first = text;
    }
    const char *begin = text.at;
    skip(&text, " \t:=-|>,\"");
    text.is_marked = memchr(begin, ':', (size_t)(text.at - begin)) != NULL ||
                     memchr(begin, '=', (size_t)(text.at - begin)) != NULL;
    struct text filler = text;
    read_word(&filler, word);
    if (is_one_of(word, fillers)) {
        skip(&filler, " \t:=-|>,");
        text = filler;
    }
    if (is_negative(&text, begin))
        return NEGATIVE;
    const bool is_number = is_digit(peek(&text, 0));
    const enum number number = read_number(&text, &entry->nodes);
    return number == NO_NUMBER && (is_number || text.is_marked) ? FOREIGN : number;
}

/* perft 2 = 400, Perft(2): 400, perft 2 400; a depth without a sum is none. */
static enum number read_perft(struct text text, pm_count *total)
{
    pm_count depth;
    skip(&text, " \t(:");
    if (read_number(&text, &depth) != NUMBER)
        return NO_NUMBER;
    skip(&text, " \t)");
    const bool is_marked = peek(&text, 0) == '=' || peek(&text, 0) == ':';
    skip(&text, " \t=:->");
    const enum number number = read_number(&text, total);
    return is_marked || text.at == text.end ? number : NO_NUMBER;
}

/* A number that is named as the sum: after "nodes" or the like, with nothing between them that says
 * otherwise (nodes/second, total time), or before it. */
static enum number read_total(struct text text, pm_count *total)
{
    static const char *const names[] = {"nodes",     "total",      "leaves", "leafs",
                                        "result",    "totalnodes", "sum",    "nodecount",
                                        "leafnodes", "node",       NULL};
    static const char *const fillers[] = {"searched", "visited", "count", "counted", "number",
                                          "of",       "leaf",    "is",    NULL};
    static const char *const after[] = {"nodes", "leaves", "leafs", "leaf", NULL};
    bool named = false;
    bool is_rate = false; /* "time per node" */
    char word[16];
    skip(&text, " \t");
    const char *begin = text.at;
    struct text whole = text;
    if (read_number(&whole, total) == NUMBER) {
        const bool is_alone = whole.at == whole.end;
        skip(&whole, " \t");
        read_word(&whole, word);
        if (is_alone || (is_one_of(word, after) && peek(&whole, 0) != '/' &&
                         memmem(whole.at, (size_t)(whole.end - whole.at), "per", 3) == NULL))
            return NUMBER;
    }
    while (text.at < text.end) {
        if (isalpha((unsigned char)*text.at)) {
            read_word(&text, word);
            if (strcmp(word, "perft") == 0 && read_perft(text, total) == NUMBER)
                return NUMBER;
            is_rate = is_rate || strcmp(word, "per") == 0;
            named = !is_rate && (is_one_of(word, names) || (named && is_one_of(word, fillers)));
            text.is_marked = false;
        } else if (is_digit(*text.at)) {
            const bool is_below = named && is_negative(&text, begin);
            const enum number number = read_number(&text, total);
            if (named && number != NO_NUMBER)
                return is_below ? NEGATIVE : number;
            named = false;
        } else {
            named = named && strchr(" \t:=->()\"_*", *text.at) != NULL;
            text.is_marked = text.is_marked || *text.at == ':' || *text.at == '=';
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

/* "info string" before an answer. */
static void pass_info_string(struct text *text)
{
    static const char prefix[] = "info string ";
    const size_t length = sizeof prefix - 1;
    skip(text, " \t");
    if ((size_t)(text->end - text->at) > length && memcmp(text->at, prefix, length) == 0)
        text->at += length;
}

/* ---- Lines ---- */

void pm_divide_read_begin(struct pm_divide_reader *reader, struct pm_divide *divide)
{
    *reader = (struct pm_divide_reader){.divide = divide};
    divide->count = 0;
    divide->total = 0;
}

/* A move that is told twice stays there twice: a generator that lists it twice is found so. */
static enum pm_status add_part(struct pm_divide *divide, const struct pm_divide_entry *entry,
                               struct pm_error *error)
{
    if (divide->count == PM_MAX_MOVES)
        return pm_fail(error, PM_ERROR_PARSE, "more than %d moves", PM_MAX_MOVES);
    divide->entries[divide->count++] = *entry;
    return PM_OK;
}

/* A group of a match as a count. */
static enum number read_group(const char *line, const regmatch_t *group, pm_count *number)
{
    if (group->rm_so < 0)
        return FOREIGN;
    struct text text = {.at = line + group->rm_so, .end = line + group->rm_eo};
    const enum number read = read_number(&text, number);
    return read == NUMBER && text.at != text.end ? FOREIGN : read == NO_NUMBER ? FOREIGN : read;
}

/* By the engine's own expressions. */
static enum number match(const struct pm_divide_patterns *patterns, const char *line,
                         struct pm_divide_entry *entry, pm_count *total, enum pm_divide_line *kind)
{
    regmatch_t groups[3];
    *kind = PM_DIVIDE_OTHER;
    if (patterns->has_part && regexec(&patterns->part, line, 3, groups, 0) == 0) {
        struct text move = {.at = line + groups[1].rm_so, .end = line + groups[1].rm_eo};
        *kind = PM_DIVIDE_PART;
        if (groups[1].rm_so < 0 || !read_move(&move, entry->text))
            return FOREIGN;
        return read_group(line, &groups[2], &entry->nodes);
    }
    if (patterns->has_total && regexec(&patterns->total, line, 2, groups, 0) == 0) {
        *kind = PM_DIVIDE_TOTAL;
        return read_group(line, &groups[1], total);
    }
    return NO_NUMBER;
}

static enum number understand(const struct text *line, struct pm_divide_entry *entry,
                              pm_count *total, enum pm_divide_line *kind)
{
    struct text text = *line;
    *kind = PM_DIVIDE_OTHER;
    pass_info_string(&text);
    if (is_of_uci(&text))
        return NO_NUMBER;
    enum number number = read_part(text, entry);
    if (number != NO_NUMBER) {
        *kind = PM_DIVIDE_PART;
        return number;
    }
    number = read_total(text, total);
    if (number != NO_NUMBER)
        *kind = PM_DIVIDE_TOTAL;
    return number;
}

static enum pm_status take_line(struct pm_divide_reader *reader, const struct text *line,
                                enum pm_divide_line *kind, struct pm_error *error)
{
    static const char *const faults[] = {
        [TOO_LARGE] = "a count of over 128 bits",
        [NEGATIVE] = "a negative count",
        [FOREIGN] = "not a move in UCI notation with a whole number",
    };
    struct pm_divide_entry entry = {0};
    pm_count total = 0;
    char quoted[PM_QUOTE_SIZE];
    const size_t length = (size_t)(line->end - line->at);
    const enum number number = reader->patterns != NULL
                                   ? match(reader->patterns, line->at, &entry, &total, kind)
                                   : understand(line, &entry, &total, kind);
    if (number == NO_NUMBER && length > 0 && reader->first[0] == '\0' && !is_of_uci(line))
        pm_quote(line->at, length, reader->first);
    if (number != NO_NUMBER && number != NUMBER)
        return pm_fail(error, PM_ERROR_PARSE, "%s: %s", faults[number],
                       pm_quote(line->at, length, quoted));
    if (*kind == PM_DIVIDE_PART)
        return add_part(reader->divide, &entry, error);
    if (*kind == PM_DIVIDE_TOTAL) {
        reader->divide->total = total;
        reader->has_total = true;
    }
    return PM_OK;
}

/* Copies a line without escape sequences of a terminal (ECMA-48: CSI, OSC and two-byte ones).
 * Returns the length; there is a NUL after it. */
static size_t copy_plain(const char *line, size_t length, char *plain)
{
    const char *end = line + length;
    size_t copied = 0;
    while (line < end) {
        if (*line != '\033') {
            plain[copied++] = *line++;
            continue;
        }
        line++;
        const char kind = line < end ? *line++ : '\0';
        if (kind == '[')
            while (line < end && (unsigned char)*line++ < '@')
                ;
        else if (kind == ']')
            while (line < end && *line != '\a' && *line != '\033')
                line++;
        if (kind == ']' && line < end)
            line += *line == '\a' || line + 1 == end ? 1 : 2;
    }
    plain[copied] = '\0';
    return copied;
}

enum pm_status pm_divide_read_line(struct pm_divide_reader *reader, const char *line, size_t length,
                                   enum pm_divide_line *kind, struct pm_error *error)
{
    enum pm_divide_line found = PM_DIVIDE_OTHER;
    char *plain = malloc(length + 1);
    if (plain == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    struct text text = {.at = plain, .end = plain + copy_plain(line, length, plain)};
    while (text.end > text.at && is_blank(text.end[-1]))
        text.end--;
    plain[text.end - plain] = '\0';
    const enum pm_status status = take_line(reader, &text, &found, error);
    free(plain);
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
    if (divide->count == 0 && reader->has_total)
        return PM_OK;
    if (divide->count == 0 && reader->first[0] == '\0')
        return pm_fail(error, PM_ERROR_PARSE, "no divide: it printed nothing");
    if (divide->count == 0)
        return pm_fail(error, PM_ERROR_PARSE,
                       "no divide line was understood; the first line was %s", reader->first);
    for (unsigned i = 0; i < divide->count; i++)
        if (pm_count_add(&sum, divide->entries[i].nodes) != PM_OK)
            return pm_fail(error, PM_ERROR_OVERFLOW, "the sum of the parts is over 128 bits");
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
