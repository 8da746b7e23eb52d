/* SPDX-License-Identifier: MIT */
#include "rules/san.h"

#include "core/bits.h"
#include "core/move.h"
#include "core/quote.h"
#include "rules/verdict.h"

#include <stdio.h>
#include <string.h>

static const char piece_letters[] = " PNBRQK";

static enum pm_piece_type type_moved(const struct pm_view *view, const struct pm_move *move)
{
    return pm_type_of(view->position.board[move->from]);
}

static bool is_capture(const struct pm_move *move)
{
    return move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT;
}

static enum pm_castling_side side_of(const struct pm_move *castling)
{
    return castling->to > castling->from ? PM_KINGSIDE : PM_QUEENSIDE;
}

/* ---- Writing ---- */

/* Writes the file, rank or both that tell the piece from others of its kind; returns the end. */
static char *write_origin(const struct pm_view *view, const struct pm_move *move, char *out)
{
    bool others = false, same_file = false, same_rank = false;
    for (unsigned i = 0; i < view->move_count; i++) {
        const struct pm_move *const other = &view->moves[i];
        if (other->to != move->to || other->from == move->from ||
            view->position.board[other->from] != view->position.board[move->from])
            continue;
        others = true;
        same_file |= pm_file_of(other->from) == pm_file_of(move->from);
        same_rank |= pm_rank_of(other->from) == pm_rank_of(move->from);
    }
    if (others && (!same_file || same_rank))
        *out++ = (char)('a' + pm_file_of(move->from));
    if (same_file)
        *out++ = (char)('1' + pm_rank_of(move->from));
    return out;
}

/* The move without '+' and '#'. */
static char *write_body(const struct pm_view *view, const struct pm_move *move,
                        char text[PM_SAN_SIZE])
{
    const enum pm_piece_type type = type_moved(view, move);
    char *out = text;
    if (move->kind == PM_MOVE_CASTLING)
        return strcpy(text, side_of(move) == PM_KINGSIDE ? "O-O" : "O-O-O");
    if (type != PM_PAWN) {
        *out++ = piece_letters[type];
        out = write_origin(view, move, out);
    } else if (is_capture(move)) {
        *out++ = (char)('a' + pm_file_of(move->from));
    }
    if (is_capture(move))
        *out++ = 'x';
    pm_square_to_text(move->to, out);
    out += 2;
    if (move->promotion != PM_NO_PIECE_TYPE) {
        *out++ = '=';
        *out++ = piece_letters[move->promotion];
    }
    *out = '\0';
    return text;
}

char *pm_san_write(struct pm_view *view, const struct pm_move *move, char text[PM_SAN_SIZE])
{
    const struct pm_view_effect effect = pm_view_effect_of(view, move);
    write_body(view, move, text);
    if (effect.check)
        strcat(text, effect.checkmate ? "#" : "+");
    return text;
}

/* ---- Reading ---- */

enum { ANY = 8 }; /* no file, rank or piece type is that */

/* What a text says of a move. */
struct words {
    bool castling;
    enum pm_castling_side side;
    enum pm_piece_type type;       /* PM_NO_PIECE_TYPE: any piece, as in UCI */
    unsigned from_file, from_rank; /* ANY if not said */
    pm_square to;
    unsigned promotion; /* enum pm_piece_type, or ANY */
};

static enum pm_piece_type type_of_letter(char letter)
{
    switch (letter) {
    case 'P':
        return PM_PAWN;
    case 'N':
        return PM_KNIGHT;
    case 'B':
        return PM_BISHOP;
    case 'R':
        return PM_ROOK;
    case 'Q':
        return PM_QUEEN;
    case 'K':
        return PM_KING;
    default:
        return PM_NO_PIECE_TYPE;
    }
}

static bool is_file(char c)
{
    return c >= 'a' && c <= 'h';
}

static bool is_rank(char c)
{
    return c >= '1' && c <= '8';
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

static bool ends_in_rank(const char *text, size_t length)
{
    return length > 0 && is_rank(text[length - 1]);
}

/* The length without check marks, annotations, evaluations and "e.p.". */
static size_t without_suffixes(const char *text, size_t length)
{
    static const char *const suffixes[] = {"+/-", "-/+", "+/=", "=/+",  "+-", "-+", "+",
                                           "#",   "!",   "?",   "e.p.", "ep", "=",  " "};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !ends_in_rank(text, length);) {
        if (ends_with(text, length, suffixes[i])) {
            length -= strlen(suffixes[i]);
            i = 0;
        } else {
            i++;
        }
    }
    return length;
}

static bool read_castling(const char *text, size_t length, struct words *words)
{
    if ((length != 3 && length != 5) || text[0] == '\0' || strchr("O0o", text[0]) == NULL)
        return false;
    for (size_t i = 1; i < length; i++) {
        if (text[i] != (i % 2 == 1 ? '-' : text[0]))
            return false;
    }
    words->castling = true;
    words->side = length == 3 ? PM_KINGSIDE : PM_QUEENSIDE;
    return true;
}

/* Takes "=Q" or "Q" (either case) from the end of a text that goes on before it. */
static size_t read_promotion(const char *text, size_t length, struct words *words)
{
    if (length < 3 || is_rank(text[length - 1]))
        return length;
    const char last = text[length - 1];
    const enum pm_piece_type type =
        type_of_letter((char)(last >= 'a' && last <= 'z' ? last - ('a' - 'A') : last));
    if (type < PM_KNIGHT || type > PM_QUEEN)
        return length;
    words->promotion = type;
    length--;
    return text[length - 1] == '=' ? length - 1 : length;
}

/* What stands between the piece letter and the target: file, rank, 'x' or '-'. */
static bool read_origin(const char *text, size_t length, struct words *words)
{
    size_t at = 0;
    if (at < length && is_file(text[at]))
        words->from_file = (unsigned)(text[at++] - 'a');
    if (at < length && is_rank(text[at]))
        words->from_rank = (unsigned)(text[at++] - '1');
    if (at < length && (text[at] == 'x' || text[at] == '-'))
        at++;
    return at == length;
}

static bool read_words(const char *text, size_t length, struct words *words)
{
    *words = (struct words){.from_file = ANY, .from_rank = ANY};
    length = without_suffixes(text, length);
    if (read_castling(text, length, words))
        return true;
    length = read_promotion(text, length, words);
    if (length < 2 || !is_file(text[length - 2]) || !is_rank(text[length - 1]))
        return false;
    words->to =
        pm_make_square((unsigned)(text[length - 2] - 'a'), (unsigned)(text[length - 1] - '1'));
    length -= 2;
    if (length > 0)
        words->type = type_of_letter(text[0]);
    const size_t letter = words->type != PM_NO_PIECE_TYPE;
    if (!read_origin(text + letter, length - letter, words))
        return false;
    /* Without a letter it is a pawn, unless both squares are named as in UCI. */
    if (words->type == PM_NO_PIECE_TYPE && (words->from_file == ANY || words->from_rank == ANY))
        words->type = PM_PAWN;
    /* A pawn that takes is told by its file. */
    if (words->type == PM_PAWN && words->from_file == ANY)
        words->from_file = pm_file_of(words->to);
    return true;
}

static bool origin_fits(const struct words *words, const struct pm_move *move)
{
    return (words->from_file == ANY || words->from_file == pm_file_of(move->from)) &&
           (words->from_rank == ANY || words->from_rank == pm_rank_of(move->from));
}

static bool fits(const struct pm_view *view, const struct words *words, const struct pm_move *move)
{
    if (words->castling)
        return move->kind == PM_MOVE_CASTLING && side_of(move) == words->side;
    if (move->to != words->to || !origin_fits(words, move) ||
        (words->promotion != ANY && words->promotion != move->promotion))
        return false;
    if (words->type == PM_NO_PIECE_TYPE)
        return true;
    return words->type == type_moved(view, move) && move->kind != PM_MOVE_CASTLING;
}

/* UCI's castling by the king's target square, if the text is no other move. */
static bool fits_king_target(const struct words *words, const struct pm_move *move)
{
    return words->type == PM_NO_PIECE_TYPE && move->kind == PM_MOVE_CASTLING &&
           origin_fits(words, move) && words->promotion == PM_NO_PIECE_TYPE &&
           words->to ==
               pm_make_square(side_of(move) == PM_KINGSIDE ? 6 : 2, pm_rank_of(move->from));
}

/* The number of moves that fit; *move gets the first. */
static unsigned find(const struct pm_view *view, const struct words *words, struct pm_move *move)
{
    unsigned count = 0;
    for (unsigned i = 0; i < view->move_count; i++) {
        if (fits(view, words, &view->moves[i]) && count++ == 0)
            *move = view->moves[i];
    }
    for (unsigned i = 0; i < view->move_count && count == 0; i++) {
        if (fits_king_target(words, &view->moves[i])) {
            *move = view->moves[i];
            count = 1;
        }
    }
    return count;
}

/* ---- Finding without a list ---- */

/* The move of a piece of that type, seen from the board alone. */
static struct pm_move move_of(const struct pm_view *view, enum pm_piece_type type, pm_square from,
                              const struct words *words)
{
    struct pm_move move = {.from = from, .to = words->to, .promotion = (uint8_t)words->promotion};
    if (view->position.board[words->to] != PM_EMPTY)
        move.kind = PM_MOVE_CAPTURE;
    else if (type == PM_PAWN && pm_file_of(from) != pm_file_of(words->to))
        move.kind = PM_MOVE_EN_PASSANT;
    else if (type == PM_PAWN && (from ^ words->to) == 16)
        move.kind = PM_MOVE_DOUBLE_PUSH;
    return move;
}

static uint64_t squares_named(const struct words *words)
{
    const uint64_t file =
        words->from_file == ANY ? ~0ULL : 0x0101010101010101ULL << words->from_file;
    return words->from_rank == ANY ? file : file & 0xffULL << 8 * words->from_rank;
}

static bool find_castling_by_sets(const struct pm_view *view, const struct words *words,
                                  struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    const pm_square rook = view->position.castling_rook[us][words->side];
    struct pm_expansion expansion;
    if (rook == PM_NO_SQUARE)
        return false;
    view->kernel->expander->expand(view->board, us, &expansion);
    *move =
        (struct pm_move){.from = (pm_square)pm_lsb(view->board->kings & view->board->pieces[us]),
                         .to = rook,
                         .kind = PM_MOVE_CASTLING};
    return (expansion.castling_rooks & pm_bit(rook)) != 0;
}

/* Asks the kernel which pieces of the type named may go to the target. True: exactly one move fits,
 * and *move is it. False: none or several do, or the text is of a rarer kind. */
static bool find_by_sets(const struct pm_view *view, const struct words *words,
                         struct pm_move *move)
{
    const struct pm_expander *const expander = view->kernel->expander;
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    enum pm_piece_type type = words->type;
    if (expander == NULL || expander->origins == NULL)
        return false;
    if (words->castling)
        return find_castling_by_sets(view, words, move);
    const uint64_t named = squares_named(words);
    if (type == PM_NO_PIECE_TYPE) /* both squares are named */
        type = pm_type_of(view->position.board[pm_lsb(named)]);
    const bool promotes = type == PM_PAWN && (PM_BACK_RANKS & pm_bit(words->to)) != 0;
    if (promotes != (words->promotion != PM_NO_PIECE_TYPE))
        return false;
    const uint64_t origins = expander->origins(view->board, us, type, words->to) & named;
    if (origins == 0 || pm_has_several(origins))
        return false;
    *move = move_of(view, type, (pm_square)pm_lsb(origins), words);
    return true;
}

/* ---- Explaining ---- */

#define LIST_SIZE 160

/* "Nbd2 or Nfd2": the legal moves that fit, as far as there is room; "" if none does. */
static char *list_moves(struct pm_view *view, const struct words *words, char list[LIST_SIZE])
{
    char text[PM_SAN_SIZE], last[PM_SAN_SIZE] = "";
    size_t used = 0;
    list[0] = '\0';
    for (unsigned i = 0; i < view->move_count; i++) {
        if (!fits(view, words, &view->moves[i]))
            continue;
        if (used + 2 * sizeof text > LIST_SIZE)
            break;
        if (last[0] != '\0')
            used += (size_t)sprintf(list + used, "%s%s", used == 0 ? "" : ", ", last);
        strcpy(last, pm_san_write(view, &view->moves[i], text));
    }
    if (last[0] != '\0')
        sprintf(list + used, "%s%s", used == 0 ? "" : " or ", last);
    return list;
}

/* Forgets what a text says too much, or wrongly, step by step, until something fits. */
static char *list_nearest(struct pm_view *view, const struct words *words, char list[LIST_SIZE])
{
    struct words loose = *words;
    loose.promotion = ANY;
    if (*list_moves(view, &loose, list) != '\0')
        return list;
    loose.from_file = loose.from_rank = ANY;
    if (*list_moves(view, &loose, list) != '\0')
        return list;
    loose.type = PM_NO_PIECE_TYPE;
    return list_moves(view, &loose, list);
}

static enum pm_status explain_castling(const struct pm_view *view, const struct words *words,
                                       const char *quoted, struct pm_error *error)
{
    const enum pm_color color = (enum pm_color)view->position.side_to_move;
    const unsigned obstacles = pm_castling_obstacles(&view->position, color, words->side);
    return pm_fail(error, PM_ERROR_ILLEGAL, "%s is not legal: %s", quoted,
                   pm_castling_obstacle_text((enum pm_castling_obstacle)(obstacles & -obstacles)));
}

/* A text with both squares, and nothing of the mover's on the first. */
static bool names_no_piece(const struct pm_view *view, const struct words *words)
{
    if (words->from_file == ANY || words->from_rank == ANY)
        return false;
    const pm_piece piece = view->position.board[pm_make_square(words->from_file, words->from_rank)];
    return piece == PM_EMPTY || pm_color_of(piece) != view->position.side_to_move;
}

static enum pm_status explain_illegal(struct pm_view *view, const struct words *words,
                                      const char *quoted, struct pm_error *error)
{
    const char *const color = pm_color_text((enum pm_color)view->position.side_to_move);
    char list[LIST_SIZE], square[3], from[3];
    if (view->move_count == 0)
        return pm_fail(error, PM_ERROR_ILLEGAL, "%s is not legal: %s is %s", quoted, color,
                       view->attacks.checkers != 0 ? "checkmated" : "stalemated");
    if (words->castling)
        return explain_castling(view, words, quoted, error);
    if (names_no_piece(view, words))
        return pm_fail(error, PM_ERROR_ILLEGAL, "%s is not legal: %s, to move, has no piece on %s",
                       quoted, color,
                       pm_square_to_text(pm_make_square(words->from_file, words->from_rank), from));
    if (*list_nearest(view, words, list) == '\0')
        return pm_fail(error, PM_ERROR_ILLEGAL, "%s is not legal: no move of %s goes to %s", quoted,
                       color, pm_square_to_text(words->to, square));
    const bool must_promote =
        words->type <= PM_PAWN && words->promotion == PM_NO_PIECE_TYPE && strchr(list, '=') != NULL;
    return pm_fail(error, PM_ERROR_ILLEGAL, "%s is not legal: %s%s", quoted,
                   must_promote ? "the pawn must promote: " : "to that square there is ", list);
}

/* As other programs write that a side passed its turn. */
static bool is_null_move(const char *text, size_t length)
{
    static const char *const words[] = {"--", "Z0", "0000"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(text, words[i], length) == 0)
            return true;
    return false;
}

enum pm_san_fault pm_san_read(struct pm_view *view, const char *text, size_t length,
                              struct pm_move *move, struct pm_error *error)
{
    struct words words;
    const bool is_move = read_words(text, length, &words);
    if (is_move && find_by_sets(view, &words, move))
        return PM_SAN_OK;
    if (pm_view_look(view, error) != PM_OK)
        return PM_SAN_ILLEGAL;
    const unsigned count = is_move ? find(view, &words, move) : 0;
    if (count == 1)
        return PM_SAN_OK;
    const enum pm_san_fault fault = !is_move     ? PM_SAN_NO_MOVE
                                    : count == 0 ? PM_SAN_ILLEGAL
                                                 : PM_SAN_AMBIGUOUS;
    if (error == NULL)
        return fault;
    char quoted[PM_QUOTE_SIZE], list[LIST_SIZE];
    pm_quote(text, length, quoted);
    if (is_null_move(text, length))
        pm_fail(error, PM_ERROR_PARSE, "%s is a null move: the rules let no side pass its turn",
                quoted);
    else if (fault == PM_SAN_NO_MOVE)
        pm_fail(error, PM_ERROR_PARSE,
                "%s is no move: SAN such as Nf3, exd5, e8=Q, O-O or UCI such as g1f3 is needed",
                quoted);
    else if (fault == PM_SAN_ILLEGAL)
        explain_illegal(view, &words, quoted, error);
    else
        pm_fail(error, PM_ERROR_ILLEGAL, "%s is ambiguous: %s", quoted,
                list_moves(view, &words, list));
    return fault;
}
