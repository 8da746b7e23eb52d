/* SPDX-License-Identifier: MIT */
#include "analyze/field.h"

#include "core/bits.h"
#include "core/escape.h"
#include "core/quote.h"
#include "core/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values that are no plain member of the facts ---- */

static struct pm_value number(int64_t value)
{
    return (struct pm_value){.number = value};
}

static struct pm_value text(const char *value)
{
    return (struct pm_value){.text = value, .length = strlen(value)};
}

static struct pm_value file_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return text(record->file);
}

static struct pm_value line_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number((int64_t)record->line);
}

static struct pm_value game_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number((int64_t)record->game);
}

static struct pm_value ply_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number((int64_t)record->ply);
}

static struct pm_value id_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return text(record->id);
}

static struct pm_value warnings_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(pm_popcount(record->warnings));
}

static struct pm_value fen_value(const struct pm_record *record, struct pm_value_room *room)
{
    return text(
        pm_fen_write(&record->view->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, room->text));
}

static const char *side_choice(unsigned index)
{
    static const char *const sides[] = {[PM_WHITE] = "w", [PM_BLACK] = "b", NULL};
    return sides[index];
}

static struct pm_value side_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return text(side_choice(record->view->position.side_to_move));
}

static struct pm_value halfmove_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->view->position.halfmove_clock);
}

static struct pm_value fullmove_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->view->position.fullmove_number);
}

static struct pm_value check_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->facts->checkers > 0);
}

static struct pm_value mate_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->facts->legal == 0 && record->facts->checkers > 0);
}

static struct pm_value stalemate_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->facts->legal == 0 && record->facts->checkers == 0);
}

static const char *full_verdict_choice(unsigned index)
{
    return index < PM_VERDICT_COUNT ? pm_verdict_text((enum pm_verdict)index) : NULL;
}

static struct pm_value full_verdict_value(const struct pm_record *record,
                                          struct pm_value_room *room)
{
    (void)room;
    return text(pm_verdict_text(record->facts->verdict));
}

static const char *verdict_choice(unsigned index)
{
    return index < PM_VERDICT_DEAD_POSITION ? pm_verdict_text((enum pm_verdict)index) : NULL;
}

/* The same whether or not another field asked for dead positions. */
static struct pm_value verdict_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    const enum pm_verdict verdict = record->facts->verdict;
    return text(pm_verdict_text(verdict == PM_VERDICT_DEAD_POSITION ? PM_VERDICT_OPEN : verdict));
}

static struct pm_value material_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->facts->value[PM_WHITE] - record->facts->value[PM_BLACK]);
}

static struct pm_value pieces_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    unsigned pieces = 0;
    for (unsigned type = PM_PAWN; type < PM_PIECE_TYPE_COUNT; type++)
        pieces += record->facts->pieces[PM_WHITE][type] + record->facts->pieces[PM_BLACK][type];
    return number(pieces);
}

static struct pm_value mobility_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(record->facts->mobility[record->view->position.side_to_move]);
}

static struct pm_value hanging_value(const struct pm_record *record, struct pm_value_room *room)
{
    (void)room;
    return number(pm_popcount(record->facts->hanging[PM_WHITE] | record->facts->hanging[PM_BLACK]));
}

#define MEMBER(member) PM_RECORD_NUMBER, offsetof(struct pm_facts, member), NULL, false, NULL
#define SET(member) PM_RECORD_SET, offsetof(struct pm_facts, member), NULL, false, NULL
#define NUMBER(function) PM_RECORD_OTHER, 0, function, false, NULL
#define TEXT(function, choice) PM_RECORD_OTHER, 0, function, true, choice

const struct pm_record_field pm_record_fields[] = {
    {"file", "name of the file", 0, TEXT(file_value, NULL)},
    {"line", "line in the file, of a game the move's", 0, NUMBER(line_value)},
    {"game", "number of the game in its file, 0 for a line", 0, NUMBER(game_value)},
    {"ply", "half-moves since the game's first position", 0, NUMBER(ply_value)},
    {"id", "EPD opcode id", 0, TEXT(id_value, NULL)},
    {"fen", "the position, en passant square only if a capture is legal", 0, TEXT(fen_value, NULL)},
    {"warnings", "doubtful things about the FEN", 0, NUMBER(warnings_value)},
    {"side", "side to move: w or b", 0, TEXT(side_value, side_choice)},
    {"halfmove", "half-moves since the last capture or pawn move", 0, NUMBER(halfmove_value)},
    {"fullmove", "number of the full move", 0, NUMBER(fullmove_value)},

    {"legal", "legal moves", PM_FACTS_MOVES, MEMBER(legal)},
    {"captures", "legal captures", PM_FACTS_MOVES, MEMBER(captures)},
    {"promotions", "legal promotions, four a pawn and target", PM_FACTS_MOVES, MEMBER(promotions)},
    {"castlings", "legal castlings", PM_FACTS_MOVES, MEMBER(castlings)},
    {"en_passant", "legal en passant captures", PM_FACTS_MOVES, MEMBER(en_passant)},
    {"check", "1 if the side to move is in check", PM_FACTS_MOVES, NUMBER(check_value)},
    {"checkers", "pieces that give check", PM_FACTS_MOVES, MEMBER(checkers)},
    {"pinned", "pieces of the side to move that are pinned to their king", PM_FACTS_MOVES,
     MEMBER(pinned)},
    {"mate", "1 if the side to move is checkmated", PM_FACTS_MOVES, NUMBER(mate_value)},
    {"stalemate", "1 if it is stalemate", PM_FACTS_MOVES, NUMBER(stalemate_value)},
    {"verdict", "open, checkmate, stalemate or insufficient material", PM_FACTS_VERDICT,
     TEXT(verdict_value, verdict_choice)},
    {"full_verdict", "the same, dead positions too: slower", PM_FACTS_DEAD,
     TEXT(full_verdict_value, full_verdict_choice)},

    {"checks", "legal moves that give check", PM_FACTS_CHECKS, MEMBER(checks)},
    {"mates", "legal moves that mate", PM_FACTS_CHECKS, MEMBER(mates)},
    {"stalemates", "legal moves that give stalemate", PM_FACTS_CHECKS, MEMBER(stalemates)},

    {"material", "White's pieces less Black's, in pawns: 1, 3, 3, 5, 9", PM_FACTS_MATERIAL,
     NUMBER(material_value)},
    {"material_white", "White's pieces in pawns", PM_FACTS_MATERIAL, MEMBER(value[PM_WHITE])},
    {"material_black", "Black's pieces in pawns", PM_FACTS_MATERIAL, MEMBER(value[PM_BLACK])},
    {"phase", "24 with all pieces on the board, 0 with kings and pawns only", PM_FACTS_MATERIAL,
     MEMBER(phase)},
    {"pieces", "pieces on the board, kings too", PM_FACTS_MATERIAL, NUMBER(pieces_value)},
    {"P", "white pawns", PM_FACTS_MATERIAL, MEMBER(pieces[PM_WHITE][PM_PAWN])},
    {"N", "white knights", PM_FACTS_MATERIAL, MEMBER(pieces[PM_WHITE][PM_KNIGHT])},
    {"B", "white bishops", PM_FACTS_MATERIAL, MEMBER(pieces[PM_WHITE][PM_BISHOP])},
    {"R", "white rooks", PM_FACTS_MATERIAL, MEMBER(pieces[PM_WHITE][PM_ROOK])},
    {"Q", "white queens", PM_FACTS_MATERIAL, MEMBER(pieces[PM_WHITE][PM_QUEEN])},
    {"p", "black pawns", PM_FACTS_MATERIAL, MEMBER(pieces[PM_BLACK][PM_PAWN])},
    {"n", "black knights", PM_FACTS_MATERIAL, MEMBER(pieces[PM_BLACK][PM_KNIGHT])},
    {"b", "black bishops", PM_FACTS_MATERIAL, MEMBER(pieces[PM_BLACK][PM_BISHOP])},
    {"r", "black rooks", PM_FACTS_MATERIAL, MEMBER(pieces[PM_BLACK][PM_ROOK])},
    {"q", "black queens", PM_FACTS_MATERIAL, MEMBER(pieces[PM_BLACK][PM_QUEEN])},

    {"mobility", "squares that the pieces of the side to move reach", PM_FACTS_MOBILITY,
     NUMBER(mobility_value)},
    {"mobility_white", "squares that White's pieces reach", PM_FACTS_MOBILITY,
     MEMBER(mobility[PM_WHITE])},
    {"mobility_black", "squares that Black's pieces reach", PM_FACTS_MOBILITY,
     MEMBER(mobility[PM_BLACK])},
    {"attacked_white", "squares that White attacks", PM_FACTS_MOBILITY, SET(attacked[PM_WHITE])},
    {"attacked_black", "squares that Black attacks", PM_FACTS_MOBILITY, SET(attacked[PM_BLACK])},

    {"hanging", "pieces of both sides that can be taken with profit", PM_FACTS_EXCHANGE,
     NUMBER(hanging_value)},
    {"hanging_white", "White's pieces that Black could take with profit", PM_FACTS_EXCHANGE,
     SET(hanging[PM_WHITE])},
    {"hanging_black", "Black's pieces that White could take with profit", PM_FACTS_EXCHANGE,
     SET(hanging[PM_BLACK])},
    {"exchange", "profit of the best capture by exchange, in hundredths of a pawn",
     PM_FACTS_EXCHANGE, MEMBER(best_exchange)},
    {NULL, NULL, 0, MEMBER(legal)},
};

const char pm_field_default_names[] = "line,legal,captures,checkers,pinned,verdict,material,phase";
const char pm_field_default_game_names[] =
    "game,ply,legal,captures,checkers,pinned,verdict,material,phase";

struct pm_value pm_field_value(const struct pm_record_field *field, const struct pm_record *record,
                               struct pm_value_room *room)
{
    const char *const member = (const char *)record->facts + field->offset;
    int32_t count;
    uint64_t set;
    switch (field->source) {
    case PM_RECORD_NUMBER:
        memcpy(&count, member, sizeof count);
        return number(count);
    case PM_RECORD_SET:
        memcpy(&set, member, sizeof set);
        return number(pm_popcount(set));
    case PM_RECORD_OTHER:
        break;
    }
    return field->value(record, room);
}

/* ---- Names ---- */

const struct pm_record_field *pm_field_find(const char *name, size_t length)
{
    for (const struct pm_record_field *field = pm_record_fields; field->name != NULL; field++) {
        if (strlen(field->name) == length && memcmp(field->name, name, length) == 0)
            return field;
    }
    return NULL;
}

#define NAME_MAX_LENGTH 32

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to be put in, left out or changed to make b of a (V. I. Levenshtein, 1966). */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned row[NAME_MAX_LENGTH + 1];
    for (unsigned j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 0; i < a_length; i++) {
        unsigned diagonal = row[0]++;
        for (size_t j = 0; j < b_length; j++) {
            const unsigned changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(changed, least(row[j], row[j + 1]) + 1);
        }
    }
    return row[b_length];
}

const struct pm_record_field *pm_field_nearest(const char *name, size_t length)
{
    const struct pm_record_field *nearest = NULL;
    if (length > NAME_MAX_LENGTH)
        return NULL;
    unsigned best = (unsigned)length < 9 ? (unsigned)length / 3 + 1 : 4;
    for (const struct pm_record_field *field = pm_record_fields; field->name != NULL; field++) {
        const unsigned own = distance(name, length, field->name, strlen(field->name));
        if (own < best) {
            best = own;
            nearest = field;
        }
    }
    return nearest;
}

static enum pm_status refuse_name(const char *names, const char *name, size_t length,
                                  struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    const struct pm_record_field *const nearest = pm_field_nearest(name, length);
    return pm_fail(error, PM_ERROR_ARGUMENT, "column %zu: %s: no field has this name%s%s%s",
                   (size_t)(name - names) + 1, pm_quote(name, length, quoted),
                   nearest != NULL ? "; is \"" : "", nearest != NULL ? nearest->name : "",
                   nearest != NULL ? "\" meant?" : "; --fields list shows them all");
}

enum pm_status pm_field_list_read(const char *names, struct pm_field_list *list,
                                  struct pm_error *error)
{
    *list = (struct pm_field_list){0};
    for (const char *name = names;;) {
        const size_t length = strcspn(name, ",");
        const struct pm_record_field *const field = pm_field_find(name, length);
        if (length == 0)
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "column %zu: a field's name is missing: names stand with one comma "
                           "between them",
                           (size_t)(name - names) + 1);
        if (field == NULL)
            return refuse_name(names, name, length, error);
        if (list->count == PM_FIELD_LIST_MAX)
            return pm_fail(error, PM_ERROR_ARGUMENT, "column %zu: more than %d fields",
                           (size_t)(name - names) + 1, PM_FIELD_LIST_MAX);
        for (unsigned i = 0; i < list->count; i++) {
            if (list->fields[i] == field)
                return pm_fail(error, PM_ERROR_ARGUMENT, "column %zu: \"%s\" is there already",
                               (size_t)(name - names) + 1, field->name);
        }
        list->fields[list->count++] = field;
        list->parts |= field->parts;
        if (name[length] == '\0')
            return PM_OK;
        name += length + 1;
    }
}

/* ---- Writing ---- */

enum pm_status pm_buffer_reserve(struct pm_buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->length >= more)
        return PM_OK;
    const size_t capacity = 2 * buffer->capacity + more;
    char *const larger = realloc(buffer->text, capacity);
    if (larger == NULL)
        return PM_ERROR_MEMORY;
    buffer->text = larger;
    buffer->capacity = capacity;
    return PM_OK;
}

/* Below, `out` has room for the longest that can come, and the end of what was written is returned.
 */

#define NUMBER_SIZE 20 /* -9223372036854775808 */

static char *write_number(char *out, int64_t value)
{
    if (value >= 0 && value < 10) { /* as most are */
        *out++ = (char)('0' + value);
        return out;
    }
    char digits[NUMBER_SIZE];
    char *at = digits + sizeof digits;
    uint64_t rest = (uint64_t)value;
    if (value < 0) {
        *out++ = '-';
        rest = -rest;
    }
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    const size_t length = (size_t)(digits + sizeof digits - at);
    memcpy(out, at, length);
    return out + length;
}

static char *write_escape(char *out, char letter)
{
    *out++ = '\\';
    *out++ = letter;
    return out;
}

/* The letter that stands for a byte behind a backslash, or 0. */
static char escape_letter(char byte)
{
    switch (byte) {
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    default:
        return 0;
    }
}

/* As pm_escape_tsv() does: other control characters become \xNN. */
static char *write_tsv(char *out, const char *value, size_t length)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < length;) {
        const char letter = escape_letter(value[i]);
        size_t size = 1;
        const bool is_plain = value[i] >= ' ' && value[i] < 0x7F;
        const bool is_foreign = !is_plain && pm_is_unprintable(value + i, length - i, &size);
        if (letter != 0)
            out = write_escape(out, letter);
        for (size_t k = 0; letter == 0 && k < size; k++) {
            const unsigned char byte = (unsigned char)value[i + k];
            if (is_foreign) {
                out = write_escape(out, 'x');
                *out++ = digits[byte >> 4];
                *out++ = digits[byte & 15];
            } else {
                *out++ = value[i + k];
            }
        }
        i += size;
    }
    return out;
}

static char *write_csv(char *out, const char *value, size_t length)
{
    bool quote = false;
    for (size_t i = 0; i < length; i++)
        quote = quote || value[i] == ',' || value[i] == '"' || value[i] == '\n' || value[i] == '\r';
    if (!quote)
        return (char *)memcpy(out, value, length) + length;
    *out++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '"')
            *out++ = '"';
        *out++ = value[i];
    }
    *out++ = '"';
    return out;
}

static char *write_code_point(char *out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    out = write_escape(out, 'u');
    *out++ = '0';
    *out++ = '0';
    *out++ = digits[byte >> 4];
    *out++ = digits[byte & 15];
    return out;
}

static char *write_json(char *out, const char *value, size_t length)
{
    *out++ = '"';
    for (size_t i = 0; i < length;) {
        const unsigned char byte = (unsigned char)value[i];
        uint32_t code = 0;
        const size_t sequence = pm_utf8_read(value + i, length - i, &code);
        size_t size;
        if (byte == '"' || escape_letter(value[i]) != 0) {
            out = write_escape(out, byte == '"' ? '"' : escape_letter(value[i]));
            i++;
        } else if (byte < ' ' || byte == 0x7F || sequence == 0) {
            out = write_code_point(out, byte);
            i++;
        } else if (sequence > 1 && pm_is_unprintable(value + i, length - i, &size)) {
            out += sprintf(out, "\\u%04x", (unsigned)code);
            i += size;
        } else {
            memcpy(out, &value[i], sequence);
            out += sequence;
            i += sequence;
        }
    }
    *out++ = '"';
    return out;
}

/* No byte of a text becomes more than six, "\u00e9". */
static size_t value_size(const struct pm_value *value)
{
    return value->text == NULL ? NUMBER_SIZE : 2 + 6 * value->length;
}

static char *write_value(char *out, const struct pm_value *value, enum pm_format format)
{
    if (value->text == NULL)
        return write_number(out, value->number);
    if (format == PM_FORMAT_JSON)
        return write_json(out, value->text, value->length);
    return format == PM_FORMAT_CSV ? write_csv(out, value->text, value->length)
                                   : write_tsv(out, value->text, value->length);
}

static char *write_text(char *out, const char *value)
{
    const size_t length = strlen(value);
    return (char *)memcpy(out, value, length) + length;
}

/* What stands before a value: the separator and, in JSON, its name. */
static char *write_lead(char *out, const struct pm_record_field *field, bool is_first,
                        enum pm_format format)
{
    if (format != PM_FORMAT_JSON) {
        if (!is_first)
            *out++ = format == PM_FORMAT_CSV ? ',' : '\t';
        return out;
    }
    out = write_text(out, is_first ? "{\"" : ",\"");
    out = write_text(out, field->name);
    return write_text(out, "\":");
}

/* Of separators, braces, line end and, in JSON, the name. */
#define LEAD_SIZE (NAME_MAX_LENGTH + 8)

enum pm_status pm_field_write_names(const struct pm_field_list *list, enum pm_format format,
                                    struct pm_buffer *out)
{
    if (format == PM_FORMAT_JSON)
        return PM_OK;
    if (pm_buffer_reserve(out, list->count * LEAD_SIZE) != PM_OK)
        return PM_ERROR_MEMORY;
    char *at = out->text + out->length;
    for (unsigned i = 0; i < list->count; i++) {
        at = write_lead(at, list->fields[i], i == 0, format);
        at = write_text(at, list->fields[i]->name);
    }
    *at++ = '\n';
    out->length = (size_t)(at - out->text);
    return PM_OK;
}

/* Mixes a word in: the finalizer of MurmurHash3 (A. Appleby, 2011), whose every step is reversible.
 */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDU;
    hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53U;
    return hash ^ hash >> 33;
}

static uint64_t mix_value(uint64_t hash, const struct pm_value *value)
{
    if (value->text == NULL)
        return mix(hash, (uint64_t)value->number);
    for (size_t i = 0; i < value->length; i += sizeof hash) {
        const size_t left = value->length - i;
        uint64_t word = 0; /* the first byte is the lowest: core/bitboards.c needs that too */
        memcpy(&word, &value->text[i], left < sizeof hash ? left : sizeof hash);
        hash = mix(hash, word);
    }
    return mix(hash, value->length);
}

#define HASH_START 1

uint64_t pm_field_hash(const struct pm_field_list *list, const struct pm_record *record)
{
    struct pm_value_room room;
    uint64_t hash = HASH_START;
    for (unsigned i = 0; i < list->count; i++) {
        const struct pm_value value = pm_field_value(list->fields[i], record, &room);
        hash = mix_value(hash, &value);
    }
    return hash;
}

enum pm_status pm_field_write(const struct pm_field_list *list, const struct pm_record *record,
                              enum pm_format format, struct pm_buffer *out, uint64_t *hash)
{
    struct pm_value_room room;
    const size_t start = out->length;
    *hash = HASH_START;
    for (unsigned i = 0; i < list->count; i++) {
        const struct pm_value value = pm_field_value(list->fields[i], record, &room);
        if (pm_buffer_reserve(out, LEAD_SIZE + value_size(&value)) != PM_OK) {
            out->length = start;
            return PM_ERROR_MEMORY;
        }
        char *at = write_lead(out->text + out->length, list->fields[i], i == 0, format);
        at = write_value(at, &value, format);
        out->length = (size_t)(at - out->text);
        *hash = mix_value(*hash, &value);
    }
    if (format == PM_FORMAT_JSON)
        out->text[out->length++] = '}';
    out->text[out->length++] = '\n';
    return PM_OK;
}
