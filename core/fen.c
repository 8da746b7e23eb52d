/* SPDX-License-Identifier: MIT */
#include "core/fen.h"

#include "core/move.h"
#include "core/position.h"
#include "core/quote.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum field { PLACEMENT, SIDE, CASTLING, EN_PASSANT, HALFMOVE, FULLMOVE, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {
    [PLACEMENT] = "placement",   [SIDE] = "side to move",       [CASTLING] = "castling",
    [EN_PASSANT] = "en passant", [HALFMOVE] = "halfmove clock", [FULLMOVE] = "fullmove number"};

static const char piece_letters[] = " PNBRQK  pnbrqk";

struct span {
    const char *start;
    size_t length;
};

struct reader {
    const char *text;
    unsigned options;
    unsigned warnings;
    struct pm_error *error;
    struct span fields[FIELD_COUNT];
    unsigned field_count;
    struct span rest; /* what follows the sixth field */
    struct pm_position position;
};

const char *pm_fen_warning_text(unsigned warning)
{
    switch (warning) {
    case PM_FEN_WARN_FIELDS:
        return "missing fields got their defaults";
    case PM_FEN_WARN_BLANKS:
        return "superfluous blanks";
    case PM_FEN_WARN_CLOCK_TEXT:
        return "\"-\" was read as a clock's default";
    case PM_FEN_WARN_FULLMOVE:
        return "fullmove number 0 was read as 1";
    case PM_FEN_WARN_DIGITS:
        return "adjacent digits in a rank";
    case PM_FEN_WARN_CASTLING:
        return "a castling right whose king or rook is not there was dropped";
    case PM_FEN_WARN_EN_PASSANT:
        return "an en passant square without its pawn was dropped";
    case PM_FEN_WARN_ORDER:
        return "castling letters out of order or doubled";
    default:
        return pm_position_warning_text((enum pm_position_warning)warning);
    }
}

static bool is_lenient(const struct reader *reader)
{
    return (reader->options & PM_FEN_LENIENT) != 0;
}

/* Fails with the field, the column, the value seen and the words that follow it. */
__attribute__((format(printf, 5, 6))) static enum pm_status
refuse(const struct reader *reader, enum pm_status status, enum field field, struct span value,
       const char *format, ...)
{
    char detail[200];
    char quoted[PM_QUOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return pm_fail(reader->error, status, "FEN field %u (%s), column %zu: %s: %s",
                   (unsigned)field + 1, field_names[field],
                   (size_t)(value.start - reader->text) + 1,
                   pm_quote(value.start, value.length, quoted), detail);
}

/* Notes what only lenient reading accepts. False, and nothing noted, when reading strictly. */
static bool tolerates(struct reader *reader, enum pm_fen_warning warning)
{
    if (is_lenient(reader))
        reader->warnings |= warning;
    return is_lenient(reader);
}

static bool is_blank(const struct reader *reader, char c)
{
    return c == ' ' || (c < ' ' && (c == '\t' || c == '\n' || c == '\r') && is_lenient(reader));
}

/* The fields' number: strict 4 to 6, lenient 2 to 6. */
static enum pm_status check_field_count(struct reader *reader, const char *end)
{
    char quoted[PM_QUOTE_SIZE];
    if (reader->field_count >= 4)
        return PM_OK;
    if (reader->field_count >= 2 && tolerates(reader, PM_FEN_WARN_FIELDS))
        return PM_OK;
    return pm_fail(reader->error, PM_ERROR_PARSE,
                   "FEN field %u (%s), column %zu: missing: %s has %u of the %s fields",
                   reader->field_count + 1, field_names[reader->field_count],
                   (size_t)(end - reader->text) + 1,
                   pm_quote(reader->text, (size_t)(end - reader->text), quoted),
                   reader->field_count, is_lenient(reader) ? "2 to 6" : "4 to 6");
}

/* Between two fields stands one blank, before the first none; after the last any. */
static enum pm_status skip_blanks(struct reader *reader, const char **at)
{
    const char *const gap = *at;
    char quoted[PM_QUOTE_SIZE];
    while (is_blank(reader, **at))
        (*at)++;
    if ((*at)[strspn(*at, " \t\r\n")] == '\0') {
        *at += strlen(*at);
        return PM_OK;
    }
    const size_t allowed = gap != reader->text ? 1 : 0;
    if ((size_t)(*at - gap) <= allowed || tolerates(reader, PM_FEN_WARN_BLANKS))
        return PM_OK;
    return pm_fail(reader->error, PM_ERROR_PARSE,
                   "FEN column %zu: %s: one blank stands between two fields, none before the first",
                   (size_t)(gap - reader->text) + 1, pm_quote(gap, (size_t)(*at - gap), quoted));
}

static enum pm_status split(struct reader *reader)
{
    const char *at = reader->text;
    for (;;) {
        const enum pm_status status = skip_blanks(reader, &at);
        if (status != PM_OK)
            return status;
        if (*at == '\0')
            return check_field_count(reader, at);
        if (reader->field_count == FIELD_COUNT) {
            reader->rest = (struct span){at, strlen(at)};
            return PM_OK;
        }
        struct span *const field = &reader->fields[reader->field_count++];
        field->start = at;
        while (*at > ' ' || (*at != '\0' && !is_blank(reader, *at)))
            at++;
        field->length = (size_t)(at - field->start);
    }
}

/* Asked last: a word too many among the fields shows as a fault of the field whose place it has. */
static enum pm_status check_rest(struct reader *reader)
{
    char quoted[PM_QUOTE_SIZE];
    if (reader->rest.length == 0)
        return PM_OK;
    return pm_fail(reader->error, PM_ERROR_PARSE, "FEN column %zu: %s: text after the sixth field",
                   (size_t)(reader->rest.start - reader->text) + 1,
                   pm_quote(reader->rest.start, reader->rest.length, quoted));
}

static bool field_is(const struct span field, char c)
{
    return field.length == 1 && field.start[0] == c;
}

static pm_piece piece_from_letter(char letter)
{
    static const pm_piece pieces[UCHAR_MAX + 1] = {
        ['P'] = PM_PAWN,       ['N'] = PM_KNIGHT,   ['B'] = PM_BISHOP,    ['R'] = PM_ROOK,
        ['Q'] = PM_QUEEN,      ['K'] = PM_KING,     ['p'] = 8 | PM_PAWN,  ['n'] = 8 | PM_KNIGHT,
        ['b'] = 8 | PM_BISHOP, ['r'] = 8 | PM_ROOK, ['q'] = 8 | PM_QUEEN, ['k'] = 8 | PM_KING,
    };
    return pieces[(unsigned char)letter];
}

/* Reads from *at to the rank's end, a '/' or the field's; *at gets it. */
static enum pm_status read_rank(struct reader *reader, const char **at, unsigned rank)
{
    const char *const start = *at;
    const char *const end = reader->fields[PLACEMENT].start + reader->fields[PLACEMENT].length;
    const char *letter = start;
    size_t file = 0;
    for (; letter < end && *letter != '/'; letter++) {
        const pm_piece piece = piece_from_letter(*letter);
        if (piece != PM_EMPTY) {
            if (file < 8)
                reader->position.board[pm_make_square((unsigned)file, rank)] = piece;
            file++;
            continue;
        }
        if (*letter < '1' || *letter > '8')
            return refuse(reader, PM_ERROR_PARSE, PLACEMENT, (struct span){letter, 1},
                          "in rank %u: a rank is made of PNBRQK, pnbrqk and the digits 1 to 8",
                          rank + 1);
        const bool after_digit = letter > start && letter[-1] >= '1' && letter[-1] <= '8';
        if (after_digit && !tolerates(reader, PM_FEN_WARN_DIGITS))
            return refuse(reader, PM_ERROR_PARSE, PLACEMENT, (struct span){letter - 1, 2},
                          "adjacent digits in rank %u: write their sum", rank + 1);
        file += (size_t)(*letter - '0');
    }
    *at = letter;
    if (file != 8)
        return refuse(reader, PM_ERROR_PARSE, PLACEMENT,
                      (struct span){start, (size_t)(letter - start)},
                      "rank %u has %zu squares; a rank has 8", rank + 1, file);
    return PM_OK;
}

static enum pm_status read_placement(struct reader *reader)
{
    const struct span field = reader->fields[PLACEMENT];
    const char *const end = field.start + field.length;
    const char *at = field.start;
    if (memchr(field.start, '/', field.length) == NULL)
        return refuse(reader, PM_ERROR_PARSE, PLACEMENT, field,
                      "no board: eight ranks stand there, with '/' between them");
    for (unsigned rank = 8; rank-- > 0;) {
        const enum pm_status status = read_rank(reader, &at, rank);
        if (status != PM_OK)
            return status;
        if (at == end && rank > 0)
            return refuse(reader, PM_ERROR_PARSE, PLACEMENT, field, "%u ranks; a board has 8",
                          8 - rank);
        if (rank > 0)
            at++;
    }
    if (at == end)
        return PM_OK;
    at++;
    return refuse(reader, PM_ERROR_PARSE, PLACEMENT, (struct span){at, (size_t)(end - at)},
                  "more text after the eighth rank; a board has 8");
}

/* The letter that put a piece on a square, in a placement that was read. */
static struct span letter_of(const struct reader *reader, pm_square wanted)
{
    const char *at = reader->fields[PLACEMENT].start;
    for (unsigned rank = 7, file = 0;; at++) {
        if (*at == '/') {
            rank--;
            file = 0;
        } else if (piece_from_letter(*at) == PM_EMPTY) {
            file += (unsigned)(*at - '0');
        } else if (pm_make_square(file++, rank) == wanted) {
            return (struct span){at, 1};
        }
    }
}

static enum pm_status read_side(struct reader *reader)
{
    const struct span field = reader->fields[SIDE];
    if (!field_is(field, 'w') && !field_is(field, 'b'))
        return refuse(reader, PM_ERROR_PARSE, SIDE, field, "must be \"w\" or \"b\"");
    reader->position.side_to_move = field.start[0] == 'w' ? PM_WHITE : PM_BLACK;
    return PM_OK;
}

static unsigned home_rank(enum pm_color color)
{
    return color == PM_WHITE ? 0 : 7;
}

/* The king on its first rank, or PM_NO_SQUARE. */
static pm_square king_at_home(const struct pm_position *position, enum pm_color color)
{
    for (unsigned file = 0; file < 8; file++) {
        const pm_square square = pm_make_square(file, home_rank(color));
        if (position->board[square] == pm_make_piece(color, PM_KING))
            return square;
    }
    return PM_NO_SQUARE;
}

/* The own rook that stands farthest from the king on one of its sides, or PM_NO_SQUARE. */
static pm_square outermost_rook(const struct pm_position *position, enum pm_color color,
                                enum pm_castling_side side)
{
    const pm_square king = king_at_home(position, color);
    if (king == PM_NO_SQUARE)
        return PM_NO_SQUARE;
    const int step = side == PM_KINGSIDE ? -1 : 1;
    pm_square square = pm_make_square(side == PM_KINGSIDE ? 7 : 0, home_rank(color));
    for (; square != king; square = (pm_square)(square + step)) {
        if (position->board[square] == pm_make_piece(color, PM_ROOK))
            return square;
    }
    return PM_NO_SQUARE;
}

/* The rook that a castling letter means, or PM_NO_SQUARE if it or its king is not there. */
static pm_square castling_rook(const struct pm_position *position, enum pm_color color, char upper)
{
    if (upper == 'K' || upper == 'Q')
        return outermost_rook(position, color, upper == 'K' ? PM_KINGSIDE : PM_QUEENSIDE);
    const pm_square square = pm_make_square((unsigned)(upper - 'A'), home_rank(color));
    const bool sound = king_at_home(position, color) != PM_NO_SQUARE &&
                       position->board[square] == pm_make_piece(color, PM_ROOK);
    return sound ? square : PM_NO_SQUARE;
}

/* In standard chess the king is on the e-file, the rook on the a- or h-file. */
static bool is_allowed(const struct reader *reader, enum pm_color color, pm_square rook)
{
    const unsigned file = pm_file_of(rook);
    return (reader->options & PM_FEN_CHESS960) != 0 ||
           (pm_file_of(king_at_home(&reader->position, color)) == 4 && (file == 0 || file == 7));
}

static enum pm_status add_right(struct reader *reader, struct span letter, enum pm_color color,
                                pm_square rook)
{
    struct pm_position *const position = &reader->position;
    const enum pm_castling_side side =
        rook > king_at_home(position, color) ? PM_KINGSIDE : PM_QUEENSIDE;
    pm_square *const right = &position->castling_rook[color][side];
    char square[3];
    if (*right != PM_NO_SQUARE && *right != rook)
        return refuse(reader, PM_ERROR_PARSE, CASTLING, letter,
                      "a second rook for a right that the rook on %s has",
                      pm_square_to_text(*right, square));
    if (*right == rook && !tolerates(reader, PM_FEN_WARN_ORDER))
        return refuse(reader, PM_ERROR_PARSE, CASTLING, letter, "the same right twice");
    *right = rook;
    if (!is_allowed(reader, color, rook))
        return refuse(reader, PM_ERROR_POSITION, CASTLING, letter,
                      "castling with the rook on %s needs Chess960; in standard chess the king is "
                      "on %s, the rook on the a- or h-file",
                      pm_square_to_text(rook, square), color == PM_WHITE ? "e1" : "e8");
    return PM_OK;
}

static enum pm_status read_castling_letter(struct reader *reader, struct span letter, int *last)
{
    const char c = *letter.start;
    const enum pm_color color = c >= 'a' ? PM_BLACK : PM_WHITE;
    const char upper = (char)(color == PM_BLACK ? c - ('a' - 'A') : c);
    if (!(upper >= 'A' && upper <= 'H') && upper != 'K' && upper != 'Q')
        return refuse(reader, PM_ERROR_PARSE, CASTLING, letter,
                      "castling is \"-\", or letters of KQkq, A to H, a to h");
    const pm_square rook = castling_rook(&reader->position, color, upper);
    const bool names_file = upper != 'K' && upper != 'Q'; /* which is meant as Chess960 */
    if (rook != PM_NO_SQUARE && !is_allowed(reader, color, rook) && !names_file &&
        tolerates(reader, PM_FEN_WARN_CASTLING))
        return PM_OK;
    if (rook == PM_NO_SQUARE && tolerates(reader, PM_FEN_WARN_CASTLING))
        return PM_OK;
    if (rook == PM_NO_SQUARE)
        return refuse(reader, PM_ERROR_POSITION, CASTLING, letter,
                      "no such castling: %s lacks the king or that rook on its first rank",
                      pm_color_text((enum pm_color)color));
    const int order = (int)color * 2 + (rook < king_at_home(&reader->position, color));
    if (order < *last)
        reader->warnings |= PM_FEN_WARN_ORDER;
    *last = order;
    return add_right(reader, letter, color, rook);
}

static enum pm_status read_castling(struct reader *reader)
{
    const struct span field = reader->fields[CASTLING];
    int last = -1;
    if (field.length == 0 || field_is(field, '-'))
        return PM_OK;
    for (size_t i = 0; i < field.length; i++) {
        const enum pm_status status =
            read_castling_letter(reader, (struct span){&field.start[i], 1}, &last);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static enum pm_status read_en_passant(struct reader *reader)
{
    const struct span field = reader->fields[EN_PASSANT];
    const char rank = reader->position.side_to_move == PM_WHITE ? '6' : '3';
    if (field.length == 0 || field_is(field, '-'))
        return PM_OK;
    if (field.length != 2 || field.start[0] < 'a' || field.start[0] > 'h' || field.start[1] != rank)
        return refuse(reader, PM_ERROR_PARSE, EN_PASSANT, field,
                      "must be \"-\" or, with %s to move, a square of rank %c",
                      pm_color_text((enum pm_color)reader->position.side_to_move), rank);
    reader->position.en_passant =
        pm_make_square((unsigned)(field.start[0] - 'a'), (unsigned)(rank - '1'));
    return PM_OK;
}

/* Leaves the clock as it is if the field is missing or, read leniently, "-". */
static enum pm_status read_clock(struct reader *reader, enum field index, uint16_t *clock)
{
    const struct span field = reader->fields[index];
    unsigned value = 0;
    if (field.length == 0)
        return PM_OK;
    if (field_is(field, '-') && tolerates(reader, PM_FEN_WARN_CLOCK_TEXT))
        return PM_OK;
    for (size_t i = 0; i < field.length; i++) {
        const char c = field.start[i];
        if (c < '0' || c > '9')
            return refuse(reader, PM_ERROR_PARSE, index, field, "must be a whole number");
        value = value * 10 + (unsigned)(c - '0');
        if (value > UINT16_MAX)
            return refuse(reader, PM_ERROR_PARSE, index, field, "too large: at most %d",
                          UINT16_MAX);
    }
    *clock = (uint16_t)value;
    return PM_OK;
}

static enum pm_status read_clocks(struct reader *reader)
{
    struct pm_position *const position = &reader->position;
    enum pm_status status = read_clock(reader, HALFMOVE, &position->halfmove_clock);
    if (status == PM_OK)
        status = read_clock(reader, FULLMOVE, &position->fullmove_number);
    if (status == PM_OK && position->fullmove_number == 0) {
        position->fullmove_number = 1;
        reader->warnings |= PM_FEN_WARN_FULLMOVE;
    }
    return status;
}

static enum pm_status refuse_king_count(const struct reader *reader)
{
    unsigned counts[PM_COLOR_COUNT] = {0};
    struct span value = reader->fields[PLACEMENT];
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = reader->position.board[square];
        if (pm_type_of(piece) == PM_KING && ++counts[pm_color_of(piece)] == 2)
            value = letter_of(reader, (pm_square)square);
    }
    return refuse(reader, PM_ERROR_POSITION, PLACEMENT, value,
                  "king count: White has %u, Black has %u; each side has one", counts[PM_WHITE],
                  counts[PM_BLACK]);
}

static enum pm_status refuse_pawn_rank(const struct reader *reader)
{
    pm_square square = 0;
    char text[3];
    while (pm_type_of(reader->position.board[square]) != PM_PAWN ||
           (pm_rank_of(square) != 0 && pm_rank_of(square) != 7))
        square++;
    return refuse(reader, PM_ERROR_POSITION, PLACEMENT, letter_of(reader, square),
                  "pawn rank: a pawn on %s; pawns stand on ranks 2 to 7",
                  pm_square_to_text(square, text));
}

static enum pm_status refuse_fault(const struct reader *reader, enum pm_position_fault fault)
{
    const unsigned side = reader->position.side_to_move;
    switch (fault) {
    case PM_FAULT_KING_COUNT:
        return refuse_king_count(reader);
    case PM_FAULT_PAWN_RANK:
        return refuse_pawn_rank(reader);
    case PM_FAULT_OPPONENT_IN_CHECK:
        return refuse(reader, PM_ERROR_POSITION, SIDE, reader->fields[SIDE],
                      "opponent in check: %s's king is attacked, so %s can't be to move",
                      pm_color_text((enum pm_color)(1 - side)), pm_color_text((enum pm_color)side));
    case PM_FAULT_EN_PASSANT:
        return refuse(reader, PM_ERROR_POSITION, EN_PASSANT, reader->fields[EN_PASSANT],
                      "no double push ended here: %s's pawn must stand in front of the square, "
                      "nothing on or behind it",
                      pm_color_text((enum pm_color)(1 - side)));
    default: /* the fields' readers let no other fault pass */
        return refuse(reader, PM_ERROR_POSITION, PLACEMENT, reader->fields[PLACEMENT], "%s",
                      pm_position_fault_text(fault));
    }
}

static enum pm_status check(struct reader *reader)
{
    unsigned warnings = 0;
    enum pm_position_fault fault = pm_position_check(&reader->position, &warnings);
    if (fault == PM_FAULT_EN_PASSANT && is_lenient(reader)) {
        reader->warnings |= PM_FEN_WARN_EN_PASSANT;
        reader->position.en_passant = PM_NO_SQUARE;
        fault = pm_position_check(&reader->position, &warnings);
    }
    if (fault != PM_FAULT_NONE)
        return refuse_fault(reader, fault);
    if ((warnings & PM_WARN_MATERIAL) != 0 && !is_lenient(reader))
        return refuse(reader, PM_ERROR_POSITION, PLACEMENT, reader->fields[PLACEMENT],
                      "more pieces than a game allows: at most 8 pawns a side, less one for each "
                      "promoted piece; lenient reading accepts it");
    reader->warnings |= warnings;
    return PM_OK;
}

enum pm_status pm_fen_read_board(const char *text, pm_piece board[PM_SQUARE_COUNT],
                                 struct pm_error *error)
{
    struct reader reader = {.text = text, .error = error};
    reader.fields[PLACEMENT] = (struct span){text, strcspn(text, " ")};
    const enum pm_status status = read_placement(&reader);
    if (status == PM_OK)
        memcpy(board, reader.position.board, sizeof reader.position.board);
    return status;
}

enum pm_status pm_fen_read(const char *text, unsigned options, struct pm_position *position,
                           unsigned *warnings, struct pm_error *error)
{
    static enum pm_status (*const steps[])(struct reader *) = {
        split,           read_placement, read_side,  read_castling,
        read_en_passant, read_clocks,    check_rest, check};
    struct reader reader = {
        .text = text,
        .options = options,
        .error = error,
        .position = {.en_passant = PM_NO_SQUARE,
                     .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
                     .fullmove_number = 1}};
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const enum pm_status status = steps[i](&reader);
        if (status != PM_OK)
            return status;
    }
    *position = reader.position;
    if (warnings != NULL)
        *warnings = reader.warnings;
    return PM_OK;
}

/* Whether one Chess960 set-up has all the rights: White's pieces stand opposite to Black's. */
static bool is_one_set_up(const struct pm_position *position)
{
    pm_square kings[PM_COLOR_COUNT];
    for (enum pm_color color = PM_WHITE; color <= PM_BLACK; color++) {
        const pm_square *rooks = position->castling_rook[color];
        const bool has_right =
            rooks[PM_KINGSIDE] != PM_NO_SQUARE || rooks[PM_QUEENSIDE] != PM_NO_SQUARE;
        kings[color] = has_right ? king_at_home(position, color) : PM_NO_SQUARE;
    }
    if (kings[PM_WHITE] == PM_NO_SQUARE || kings[PM_BLACK] == PM_NO_SQUARE)
        return true;
    for (enum pm_castling_side side = PM_KINGSIDE; side <= PM_QUEENSIDE; side++) {
        const pm_square white = position->castling_rook[PM_WHITE][side];
        const pm_square black = position->castling_rook[PM_BLACK][side];
        if (white != PM_NO_SQUARE && black != PM_NO_SQUARE &&
            pm_file_of(white) != pm_file_of(black))
            return false;
    }
    return pm_file_of(kings[PM_WHITE]) == pm_file_of(kings[PM_BLACK]);
}

enum pm_status pm_fen_read_either(const char *text, struct pm_position *position, bool *chess960,
                                  unsigned *warnings, struct pm_error *error)
{
    struct pm_position other;
    unsigned standard_warnings = 0, other_warnings = 0;
    const bool is_standard =
        pm_fen_read(text, PM_FEN_LENIENT, position, &standard_warnings, NULL) == PM_OK;
    *chess960 = false;
    *warnings = standard_warnings;
    if (is_standard && (standard_warnings & PM_FEN_WARN_CASTLING) == 0)
        return PM_OK;
    const enum pm_status status =
        pm_fen_read(text, PM_FEN_LENIENT | PM_FEN_CHESS960, &other, &other_warnings, error);
    /* Rights that no set-up has were not meant: they are dropped. */
    if (is_standard &&
        (status != PM_OK || (other_warnings & PM_FEN_WARN_CASTLING) != 0 || !is_one_set_up(&other)))
        return PM_OK;
    if (status != PM_OK)
        return status;
    *position = other;
    *warnings = other_warnings;
    *chess960 = true;
    return PM_OK;
}

static char *write_placement(const struct pm_position *position, char *out)
{
    for (unsigned rank = 8; rank-- > 0;) {
        unsigned empty = 0;
        for (unsigned file = 0; file < 8; file++) {
            const pm_piece piece = position->board[pm_make_square(file, rank)];
            if (piece == PM_EMPTY) {
                empty++;
                continue;
            }
            if (empty > 0)
                *out++ = (char)('0' + empty);
            empty = 0;
            *out++ = piece_letters[piece];
        }
        if (empty > 0)
            *out++ = (char)('0' + empty);
        *out++ = rank > 0 ? '/' : ' ';
    }
    return out;
}

/* K and Q are only written where pm_fen_read_either() takes them as they are meant. */
static char *write_castling(const struct pm_position *position, enum pm_fen_style style, char *out)
{
    const char *const start = out;
    const bool may_name = style == PM_FEN_XFEN && is_one_set_up(position);
    for (enum pm_color color = PM_WHITE; color <= PM_BLACK; color++) {
        for (enum pm_castling_side side = PM_KINGSIDE; side <= PM_QUEENSIDE; side++) {
            const pm_square rook = position->castling_rook[color][side];
            if (rook == PM_NO_SQUARE)
                continue;
            const bool named = may_name && outermost_rook(position, color, side) == rook;
            const int letter =
                named ? (side == PM_KINGSIDE ? 'K' : 'Q') : 'A' + (int)pm_file_of(rook);
            *out++ = (char)(color == PM_WHITE ? letter : letter + ('a' - 'A'));
        }
    }
    if (out == start)
        *out++ = '-';
    return out;
}

char *pm_fen_write(const struct pm_position *position, enum pm_fen_style style,
                   enum pm_fen_en_passant en_passant, char text[PM_FEN_SIZE])
{
    const bool counts =
        en_passant == PM_FEN_EN_PASSANT_AS_GIVEN || pm_position_en_passant_is_legal(position);
    char square[3];
    char *out = write_placement(position, text);
    *out++ = position->side_to_move == PM_WHITE ? 'w' : 'b';
    *out++ = ' ';
    out = write_castling(position, style, out);
    snprintf(out, (size_t)(text + PM_FEN_SIZE - out), " %s %u %u",
             pm_square_to_text(counts ? position->en_passant : PM_NO_SQUARE, square),
             position->halfmove_clock, position->fullmove_number);
    return text;
}

const struct pm_named_position pm_named_positions[] = {
    {"startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "start position"},
    {"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
     "every kind of move, all castlings"},
    {"cpw3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "endgame, en passant pins"},
    {"cpw4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
     "promotions, White in check"},
    {"cpw5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
     "promotion by capture, castling into attacks"},
    {"cpw6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
     "quiet middlegame, many moves"},
    {NULL, NULL, NULL},
};

enum pm_status pm_fen_read_named(const char *text, unsigned options, struct pm_position *position,
                                 unsigned *warnings, struct pm_error *error)
{
    for (const struct pm_named_position *named = pm_named_positions; named->name != NULL; named++) {
        if (strcmp(named->name, text) == 0)
            return pm_fen_read(named->fen, options, position, warnings, error);
    }
    return pm_fen_read(text, options, position, warnings, error);
}
