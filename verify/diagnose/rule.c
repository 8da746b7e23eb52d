/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/rule.h"

#include "core/bits.h"
#include "core/move.h"
#include "core/position.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *phrase;
} names[PM_RULE_COUNT] = {
    [PM_RULE_UNKNOWN] = {"not known", "a move that no rule here explains"},
    [PM_RULE_NO_MOVE] = {"not a move", "text that is no move"},
    [PM_RULE_DOUBLED] = {"move listed twice", "a move that is listed twice"},
    [PM_RULE_NO_PIECE] = {"no piece there", "a move of a piece that is not there"},
    [PM_RULE_OWN_PIECE] = {"own piece captured", "a capture of an own piece"},
    [PM_RULE_BOARD_WRAP] = {"board wrap", "a move around the edge of the board"},
    [PM_RULE_JUMP] = {"jump over a piece", "a line piece's move over a piece"},
    [PM_RULE_MOVEMENT] = {"movement of the piece", "a move that the piece can't make"},
    [PM_RULE_PUSH_BLOCKED] = {"blocked pawn", "a pawn push onto or over a piece"},
    [PM_RULE_DOUBLE_PUSH_RANK] = {"double push from a wrong rank",
                                  "a double push from a wrong rank"},
    [PM_RULE_PAWN_TAKES_NOTHING] = {"pawn capture", "a pawn capture where there is nothing"},
    [PM_RULE_PROMOTION_PIECE] = {"promotion", "a wrong promotion"},
    [PM_RULE_EN_PASSANT_SQUARE] = {"en passant: no double push just before",
                                   "an en passant capture without a double push just before"},
    [PM_RULE_EN_PASSANT_RANK] = {"en passant: pinned on the rank",
                                 "an illegal en passant capture, both pawns leaving the rank of "
                                 "the king"},
    [PM_RULE_EN_PASSANT_PIN_FILE] = {"en passant: pinned on the file",
                                     "an illegal en passant capture by a pawn pinned on a file"},
    [PM_RULE_EN_PASSANT_PIN_DIAGONAL] = {"en passant: pinned on the diagonal",
                                         "an illegal en passant capture by a pawn pinned on a "
                                         "diagonal"},
    [PM_RULE_EN_PASSANT_DISCOVERS] = {"en passant: discovers a check through the captured pawn",
                                      "an illegal en passant capture that discovers a check "
                                      "through the captured pawn"},
    [PM_RULE_EN_PASSANT_NO_EVASION] = {"en passant: does not evade the check",
                                       "an illegal en passant capture that does not evade a check"},
    [PM_RULE_PIN_RANK] = {"pin on the rank", "a piece pinned on a rank"},
    [PM_RULE_PIN_FILE] = {"pin on the file", "a piece pinned on a file"},
    [PM_RULE_PIN_DIAGONAL] = {"pin on the diagonal", "a piece pinned on a diagonal"},
    [PM_RULE_NO_EVASION] = {"check evasion: the check stays",
                            "a check that some moves do not evade"},
    [PM_RULE_DOUBLE_CHECK_NO_KING] = {"double check: only the king may move",
                                      "a double check that other pieces than the king can't evade"},
    [PM_RULE_KING_INTO_CHECK] = {"king into check", "a king beside an attacked square"},
    [PM_RULE_KING_TAKES_DEFENDED] = {"king into check: the captured piece is defended",
                                     "a defended piece beside the king"},
    [PM_RULE_KING_NEXT_TO_KING] = {"king into check: beside the other king",
                                   "kings that keep each other from a square"},
    [PM_RULE_KING_ALONG_RAY] = {"king into check: along the ray of the checker",
                                "a king in check that can't step back along the ray"},
    [PM_RULE_CASTLING_RIGHT] = {"castling: no right",
                                "king and rook at home without the right to castle"},
    [PM_RULE_CASTLING_KING_MOVED] = {"castling: the king has moved",
                                     "a castling right lost by a king's move"},
    [PM_RULE_CASTLING_ROOK_MOVED] = {"castling: the rook has moved",
                                     "a castling right lost by a rook's move"},
    [PM_RULE_CASTLING_ROOK_CAPTURED] = {"castling: the rook was captured",
                                        "a castling right lost by the capture of the rook"},
    [PM_RULE_CASTLING_BETWEEN] = {"castling: a piece between",
                                  "castling forbidden by a piece between"},
    [PM_RULE_CASTLING_IN_CHECK] = {"castling: the king is in check",
                                   "castling forbidden by a check"},
    [PM_RULE_CASTLING_THROUGH] = {"castling: the king passes an attacked square",
                                  "castling forbidden by an attack on a square that the king "
                                  "passes"},
    [PM_RULE_CASTLING_INTO] = {"castling: the king reaches an attacked square",
                               "castling forbidden by an attack on the square that the king "
                               "reaches"},
    [PM_RULE_CASTLING_SHIELD] = {"castling: the rook shields the king",
                                 "castling forbidden as the rook shields the king"},
    [PM_RULE_EN_PASSANT] = {"en passant", "a legal en passant capture"},
    [PM_RULE_EN_PASSANT_CHECKS] = {"en passant: discovers a check to the other king",
                                   "a legal en passant capture that discovers a check"},
    [PM_RULE_EN_PASSANT_ALONG_PIN] = {"en passant: along the pin",
                                      "a legal en passant capture by a pinned pawn"},
    [PM_RULE_EN_PASSANT_TAKES_CHECKER] = {"en passant: evades by capturing the checker",
                                          "a legal en passant capture of a checking pawn"},
    [PM_RULE_EN_PASSANT_INTERPOSES] = {"en passant: evades by interposing",
                                       "a legal en passant capture that interposes"},
    [PM_RULE_CASTLING] = {"castling", "legal castling"},
    [PM_RULE_CASTLING_ROOK_ATTACKED] =
        {"castling: an attack on the rook or its path is no hindrance",
         "legal castling with the rook or its path attacked"},
    [PM_RULE_PROMOTION] = {"promotion", "a promotion"},
    [PM_RULE_PIN_LINE] = {"pin: the piece moves along its line",
                          "a pinned piece's legal move along its line"},
    [PM_RULE_EVASION_CAPTURE] = {"check evasion: capture of the checker",
                                 "a capture of the checker"},
    [PM_RULE_EVASION_INTERPOSES] = {"check evasion: interposition", "an interposition"},
    [PM_RULE_EVASION_KING_CAPTURE] = {"check evasion: capture by the king",
                                      "a capture by the king in check"},
    [PM_RULE_EVASION_KING_STEP] = {"check evasion: step of the king", "a king's step out of check"},
    [PM_RULE_DOUBLE_CHECK_KING] = {"double check: step of the king",
                                   "a king's step out of a double check"},
    [PM_RULE_KING_CAPTURE] = {"capture by the king", "a capture by the king"},
    [PM_RULE_KING_STEP] = {"step of the king", "a king's step"},
    [PM_RULE_DOUBLE_PUSH] = {"double push", "a double push"},
    [PM_RULE_PAWN_PUSH] = {"pawn push", "a pawn push"},
    [PM_RULE_PAWN_CAPTURE] = {"pawn capture", "a pawn's capture"},
    [PM_RULE_CAPTURE] = {"capture", "a capture"},
    [PM_RULE_QUIET] = {"quiet move", "a quiet move"},
};

const char *pm_rule_text(enum pm_rule rule)
{
    return names[(unsigned)rule < PM_RULE_COUNT ? rule : PM_RULE_UNKNOWN].text;
}

const char *pm_rule_phrase(enum pm_rule rule)
{
    return names[(unsigned)rule < PM_RULE_COUNT ? rule : PM_RULE_UNKNOWN].phrase;
}

/* A move that may be no move of chess at all, and the position it is for. */
struct trial {
    const struct pm_rule_query *query;
    const struct pm_position *position;
    const pm_piece *board;
    enum pm_color us, them;
    pm_square king, from, to;
    pm_piece piece;
    char promotion; /* '\0': none */
    bool castles, takes_en_passant;
    pm_square rook;    /* of a castling; PM_NO_SQUARE if there is none */
    uint64_t checkers; /* before the move */
    struct pm_rule_finding *finding;
};

/* Notes what was found; returns true, so that tests can be chained by ||. */
__attribute__((format(printf, 3, 4))) static bool say(const struct trial *trial, enum pm_rule rule,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->finding->sentence, sizeof trial->finding->sentence, format, arguments);
    va_end(arguments);
    trial->finding->rule = rule;
    return true;
}

struct name {
    char text[3];
};

static struct name square(pm_square at)
{
    struct name name;
    pm_square_to_text(at, name.text);
    return name;
}

static const char *type_text(pm_piece piece)
{
    static const char *const texts[PM_PIECE_TYPE_COUNT] = {"nothing", "pawn",  "knight", "bishop",
                                                           "rook",    "queen", "king"};
    return texts[pm_type_of(piece) < PM_PIECE_TYPE_COUNT ? pm_type_of(piece) : 0];
}

static const char *color_text(enum pm_color color)
{
    return color == PM_WHITE ? "White" : "Black";
}

/* ---- Geometry ---- */

static int file_distance(pm_square a, pm_square b)
{
    return abs((int)pm_file_of(a) - (int)pm_file_of(b));
}

static int rank_distance(pm_square a, pm_square b)
{
    return abs((int)pm_rank_of(a) - (int)pm_rank_of(b));
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* On one rank, file or diagonal. */
static bool aligned(pm_square a, pm_square b)
{
    const int files = file_distance(a, b), ranks = rank_distance(a, b);
    return a != b && (files == 0 || ranks == 0 || files == ranks);
}

/* Steps from one aligned square towards another. */
static int step_towards(pm_square from, pm_square to)
{
    return sign((int)pm_rank_of(to) - (int)pm_rank_of(from)) * 8 +
           sign((int)pm_file_of(to) - (int)pm_file_of(from));
}

/* The squares strictly between two; empty if they are not aligned. */
static uint64_t between(pm_square a, pm_square b)
{
    uint64_t squares = 0;
    if (!aligned(a, b))
        return 0;
    const int step = step_towards(a, b);
    for (int at = a + step; at != b; at += step)
        squares |= pm_bit((unsigned)at);
    return squares;
}

static uint64_t occupied(const pm_piece board[])
{
    uint64_t squares = 0;
    for (unsigned at = 0; at < PM_SQUARE_COUNT; at++)
        squares |= board[at] != PM_EMPTY ? pm_bit(at) : 0;
    return squares;
}

static bool line_piece_fits(enum pm_piece_type type, pm_square from, pm_square to)
{
    const bool straight = file_distance(from, to) == 0 || rank_distance(from, to) == 0;
    return aligned(from, to) &&
           (type == PM_QUEEN || (type == PM_ROOK && straight) || (type == PM_BISHOP && !straight));
}

static bool leaper_fits(enum pm_piece_type type, pm_square from, pm_square to)
{
    const int files = file_distance(from, to), ranks = rank_distance(from, to);
    if (type == PM_KNIGHT)
        return files * ranks == 2;
    return type == PM_KING && from != to && files <= 1 && ranks <= 1;
}

static bool pawn_hits(enum pm_color color, pm_square from, pm_square to)
{
    return file_distance(from, to) == 1 &&
           (int)pm_rank_of(to) - (int)pm_rank_of(from) == (color == PM_WHITE ? 1 : -1);
}

static bool hits(const pm_piece board[], uint64_t pieces, pm_square from, pm_square to)
{
    const enum pm_piece_type type = pm_type_of(board[from]);
    if (type == PM_PAWN)
        return pawn_hits(pm_color_of(board[from]), from, to);
    return leaper_fits(type, from, to) ||
           (line_piece_fits(type, from, to) && (between(from, to) & pieces) == 0);
}

uint64_t pm_rule_attackers(const pm_piece board[PM_SQUARE_COUNT], pm_square at, enum pm_color by)
{
    const uint64_t pieces = occupied(board);
    uint64_t attackers = 0;
    if (at >= PM_SQUARE_COUNT)
        return 0;
    for (uint64_t left = pieces; left != 0;) {
        const pm_square from = (pm_square)pm_pop_lsb(&left);
        if (pm_color_of(board[from]) == by && hits(board, pieces, from, at))
            attackers |= pm_bit(from);
    }
    return attackers;
}

static pm_square find_king(const pm_piece board[], enum pm_color color)
{
    pm_square at = 0;
    while (at < PM_SQUARE_COUNT && board[at] != pm_make_piece(color, PM_KING))
        at++;
    return at;
}

/* ---- Reading the text ---- */

static bool read_square(const char *text, pm_square *at)
{
    if (text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
        return false;
    *at = pm_make_square((unsigned)(text[0] - 'a'), (unsigned)(text[1] - '1'));
    return true;
}

static bool read_move(const char *text, struct trial *trial)
{
    const size_t length = strlen(text);
    if ((length != 4 && length != 5) || !read_square(text, &trial->from) ||
        !read_square(text + 2, &trial->to))
        return false;
    trial->promotion = text[4];
    return true;
}

/* The rook that a castling in that direction is about: the right's, or else the outermost one. */
static pm_square find_rook(const struct trial *trial, enum pm_castling_side side)
{
    const pm_square right = trial->position->castling_rook[trial->us][side];
    const unsigned rank = pm_rank_of(trial->king);
    if (right != PM_NO_SQUARE)
        return right;
    for (unsigned i = 0; i < 8; i++) {
        const pm_square at = pm_make_square(side == PM_KINGSIDE ? 7 - i : i, rank);
        if (at == trial->king)
            break;
        if (trial->board[at] == pm_make_piece(trial->us, PM_ROOK))
            return at;
    }
    return PM_NO_SQUARE;
}

/* Castling is a king that moves two files and more, or in Chess960 "captures" its own rook. */
static void recognize_castling(struct trial *trial)
{
    const enum pm_castling_side side = trial->to > trial->from ? PM_KINGSIDE : PM_QUEENSIDE;
    trial->rook = PM_NO_SQUARE;
    if (trial->from != trial->king || pm_rank_of(trial->from) != pm_rank_of(trial->to) ||
        trial->to == trial->from)
        return;
    if (trial->query->chess960 && trial->board[trial->to] == pm_make_piece(trial->us, PM_ROOK)) {
        trial->castles = true;
        trial->rook = trial->to;
    } else if (file_distance(trial->from, trial->to) > 1) {
        trial->castles = true;
        trial->rook = find_rook(trial, side);
    }
}

static bool is_en_passant(const struct trial *trial)
{
    return pm_type_of(trial->piece) == PM_PAWN && pawn_hits(trial->us, trial->from, trial->to) &&
           trial->to == trial->position->en_passant && trial->board[trial->to] == PM_EMPTY;
}

static void set_up(const struct pm_rule_query *query, struct pm_rule_finding *finding,
                   struct trial *trial)
{
    const struct pm_position *position = &query->positions[query->position_count - 1];
    *trial = (struct trial){.query = query,
                            .position = position,
                            .board = position->board,
                            .us = (enum pm_color)position->side_to_move,
                            .them = position->side_to_move == PM_WHITE ? PM_BLACK : PM_WHITE,
                            .rook = PM_NO_SQUARE,
                            .finding = finding};
    trial->king = find_king(trial->board, trial->us);
    trial->checkers = pm_rule_attackers(trial->board, trial->king, trial->them);
}

/* ---- Illegal: the piece can't move like that ---- */

static bool wraps(const struct trial *trial)
{
    static const int leaps[8] = {6, 10, 15, 17, -6, -10, -15, -17};
    static const int steps[8] = {1, 8, -1, -8, 7, 9, -7, -9}; /* straight ones first */
    const enum pm_piece_type type = pm_type_of(trial->piece);
    const int offset = trial->to - trial->from;
    const int first = type == PM_BISHOP ? 4 : 0;
    const int last = type == PM_ROOK ? 4 : 8;

    if (type == PM_PAWN)
        return file_distance(trial->from, trial->to) > 5 &&
               (offset == (trial->us == PM_WHITE ? 7 : -7) ||
                offset == (trial->us == PM_WHITE ? 9 : -9));
    for (int i = 0; type == PM_KNIGHT && i < 8; i++)
        if (offset == leaps[i])
            return true;
    for (int i = first; type != PM_KNIGHT && i < last; i++)
        for (int length = 1; length <= (type == PM_KING ? 1 : 7); length++)
            if (offset == steps[i] * length)
                return true;
    return false;
}

static bool says_bad_movement(const struct trial *trial)
{
    if (wraps(trial))
        return say(trial, PM_RULE_BOARD_WRAP, "the %s on %s would leave the board at its edge",
                   type_text(trial->piece), square(trial->from).text);
    return say(trial, PM_RULE_MOVEMENT, "a %s does not move from %s to %s", type_text(trial->piece),
               square(trial->from).text, square(trial->to).text);
}

static bool says_bad_push(const struct trial *trial)
{
    const int ranks = ((int)pm_rank_of(trial->to) - (int)pm_rank_of(trial->from)) *
                      (trial->us == PM_WHITE ? 1 : -1);
    const uint64_t way = between(trial->from, trial->to) | pm_bit(trial->to);
    const uint64_t pieces = occupied(trial->board) & way;

    if (ranks != 1 && ranks != 2)
        return says_bad_movement(trial);
    if (ranks == 2 && pm_rank_of(trial->from) != (trial->us == PM_WHITE ? 1 : 6))
        return say(trial, PM_RULE_DOUBLE_PUSH_RANK, "a pawn on %s may no longer move two squares",
                   square(trial->from).text);
    if (pieces == 0)
        return false;
    return say(trial, PM_RULE_PUSH_BLOCKED, "the pawn on %s can't move %s %s, where a piece stands",
               square(trial->from).text, (pieces & pm_bit(trial->to)) != 0 ? "to" : "over",
               square((pm_square)pm_lsb(pieces)).text);
}

static bool says_bad_pawn_capture(const struct trial *trial)
{
    const pm_square beside = pm_make_square(pm_file_of(trial->to), pm_rank_of(trial->from));
    if (!pawn_hits(trial->us, trial->from, trial->to))
        return says_bad_movement(trial);
    if (trial->board[trial->to] != PM_EMPTY || trial->takes_en_passant)
        return false;
    if (trial->board[beside] == pm_make_piece(trial->them, PM_PAWN) &&
        pm_rank_of(trial->to) == (trial->us == PM_WHITE ? 5 : 2))
        return say(trial, PM_RULE_EN_PASSANT_SQUARE,
                   "the pawn on %s has not just moved two squares", square(beside).text);
    return say(trial, PM_RULE_PAWN_TAKES_NOTHING, "there is nothing to capture on %s",
               square(trial->to).text);
}

static bool says_bad_promotion(const struct trial *trial)
{
    const bool promotes = pm_type_of(trial->piece) == PM_PAWN &&
                          (pm_rank_of(trial->to) == 0 || pm_rank_of(trial->to) == 7);
    if (!promotes && trial->promotion == '\0')
        return false;
    if (!promotes)
        return say(trial, PM_RULE_PROMOTION_PIECE, "there is no promotion on %s",
                   square(trial->to).text);
    if (trial->promotion == '\0')
        return say(trial, PM_RULE_PROMOTION_PIECE, "a pawn that reaches %s must promote",
                   square(trial->to).text);
    if (strchr("nbrq", trial->promotion) != NULL)
        return false;
    return say(trial, PM_RULE_PROMOTION_PIECE, "a pawn does not promote to '%c'", trial->promotion);
}

static bool says_bad_line(const struct trial *trial)
{
    const uint64_t pieces = between(trial->from, trial->to) & occupied(trial->board);
    if (pieces == 0)
        return false;
    const pm_square over = (pm_square)pm_lsb(pieces);
    return say(trial, PM_RULE_JUMP, "the %s on %s would jump over the %s on %s",
               type_text(trial->piece), square(trial->from).text, type_text(trial->board[over]),
               square(over).text);
}

static bool says_bad_shape(const struct trial *trial)
{
    const enum pm_piece_type type = pm_type_of(trial->piece);
    if (trial->piece == PM_EMPTY || pm_color_of(trial->piece) != trial->us)
        return say(trial, PM_RULE_NO_PIECE, "%s has no piece on %s", color_text(trial->us),
                   square(trial->from).text);
    if (type == PM_PAWN &&
        (file_distance(trial->from, trial->to) == 0 ? says_bad_push(trial)
                                                    : says_bad_pawn_capture(trial)))
        return true;
    if (type != PM_PAWN && !leaper_fits(type, trial->from, trial->to) &&
        !line_piece_fits(type, trial->from, trial->to))
        return says_bad_movement(trial);
    if (trial->board[trial->to] != PM_EMPTY && pm_color_of(trial->board[trial->to]) == trial->us)
        return say(trial, PM_RULE_OWN_PIECE, "the %s on %s is %s's own",
                   type_text(trial->board[trial->to]), square(trial->to).text,
                   color_text(trial->us));
    return (type != PM_KNIGHT && says_bad_line(trial)) || says_bad_promotion(trial);
}

/* ---- Illegal: castling ---- */

struct castling {
    pm_square king_to, rook_to;
    uint64_t king_way, rook_way; /* squares passed, the last one among them */
};

static uint64_t way_to(pm_square from, pm_square to)
{
    return from == to ? 0 : between(from, to) | pm_bit(to);
}

static struct castling plan_castling(const struct trial *trial)
{
    const unsigned rank = pm_rank_of(trial->king);
    const bool kingside = trial->rook > trial->king;
    struct castling castling = {.king_to = pm_make_square(kingside ? 6 : 2, rank),
                                .rook_to = pm_make_square(kingside ? 5 : 3, rank)};
    castling.king_way = way_to(trial->king, castling.king_to);
    castling.rook_way = way_to(trial->rook, castling.rook_to);
    return castling;
}

static bool says_how_right_was_lost(const struct trial *trial, const struct pm_position *before,
                                    const struct pm_position *after)
{
    const pm_square king = find_king(before->board, trial->us);
    if (before->side_to_move != trial->us)
        return say(trial, PM_RULE_CASTLING_ROOK_CAPTURED,
                   "the right is lost: the rook on %s was captured", square(trial->rook).text);
    if (find_king(after->board, trial->us) != king)
        return say(trial, PM_RULE_CASTLING_KING_MOVED, "the right is lost: the king left %s",
                   square(king).text);
    return say(trial, PM_RULE_CASTLING_ROOK_MOVED, "the right is lost: the rook left %s",
               square(trial->rook).text);
}

/* The last ply after which a right for that rook was gone tells how it was lost. */
static bool says_lost_right(struct trial *trial, enum pm_castling_side side)
{
    const struct pm_position *positions = trial->query->positions;
    for (unsigned i = trial->query->position_count - 1; i > 0; i--) {
        const pm_square rook = positions[i - 1].castling_rook[trial->us][side];
        if (rook != PM_NO_SQUARE) {
            trial->rook = rook;
            return says_how_right_was_lost(trial, &positions[i - 1], &positions[i]);
        }
    }
    if (trial->rook == PM_NO_SQUARE)
        return say(trial, PM_RULE_CASTLING_RIGHT, "there is no rook to castle with");
    return say(trial, PM_RULE_CASTLING_RIGHT,
               "the position gives no right to castle with the rook on %s",
               square(trial->rook).text);
}

static bool says_attack(const struct trial *trial, enum pm_rule rule, pm_square at,
                        const char *what, uint64_t attackers)
{
    const pm_square by = (pm_square)pm_lsb(attackers);
    return say(trial, rule, "the king %s %s, attacked by the %s on %s", what, square(at).text,
               type_text(trial->board[by]), square(by).text);
}

static bool says_attacked_way(const struct trial *trial, const struct castling *castling)
{
    pm_piece board[PM_SQUARE_COUNT];
    memcpy(board, trial->board, sizeof board);
    board[trial->king] = PM_EMPTY;
    for (uint64_t way = castling->king_way & ~pm_bit(castling->king_to); way != 0;) {
        const pm_square at = (pm_square)pm_pop_lsb(&way);
        const uint64_t attackers = pm_rule_attackers(board, at, trial->them);
        if (attackers != 0)
            return says_attack(trial, PM_RULE_CASTLING_THROUGH, at, "passes", attackers);
    }
    const uint64_t attackers = pm_rule_attackers(board, castling->king_to, trial->them);
    if (attackers != 0)
        return says_attack(trial, PM_RULE_CASTLING_INTO, castling->king_to, "reaches", attackers);
    board[trial->rook] = PM_EMPTY;
    board[castling->rook_to] = pm_make_piece(trial->us, PM_ROOK);
    board[castling->king_to] = pm_make_piece(trial->us, PM_KING);
    const uint64_t discovered = pm_rule_attackers(board, castling->king_to, trial->them);
    if (discovered == 0)
        return false;
    const pm_square by = (pm_square)pm_lsb(discovered);
    return say(trial, PM_RULE_CASTLING_SHIELD, "the rook on %s shields the king from the %s on %s",
               square(trial->rook).text, type_text(board[by]), square(by).text);
}

static bool says_bad_castling(struct trial *trial)
{
    const enum pm_castling_side side = trial->to > trial->from ? PM_KINGSIDE : PM_QUEENSIDE;
    const pm_square right = trial->position->castling_rook[trial->us][side];
    if (trial->rook == PM_NO_SQUARE || right != trial->rook)
        return says_lost_right(trial, side);

    const struct castling castling = plan_castling(trial);
    const uint64_t in_the_way =
        (castling.king_way | castling.rook_way | between(trial->king, trial->rook)) &
        occupied(trial->board) & ~(pm_bit(trial->king) | pm_bit(trial->rook));
    if (in_the_way != 0) {
        const pm_square at = (pm_square)pm_lsb(in_the_way);
        return say(trial, PM_RULE_CASTLING_BETWEEN, "the %s on %s stands in the way",
                   type_text(trial->board[at]), square(at).text);
    }
    if (trial->checkers != 0) {
        const pm_square by = (pm_square)pm_lsb(trial->checkers);
        return say(trial, PM_RULE_CASTLING_IN_CHECK, "the king is in check from the %s on %s",
                   type_text(trial->board[by]), square(by).text);
    }
    return says_attacked_way(trial, &castling);
}

/* ---- Illegal: the king would be in check ---- */

static void make(const struct trial *trial, pm_piece board[PM_SQUARE_COUNT])
{
    memcpy(board, trial->board, PM_SQUARE_COUNT * sizeof *board);
    board[trial->from] = PM_EMPTY;
    board[trial->to] = trial->piece;
    if (trial->takes_en_passant)
        board[pm_make_square(pm_file_of(trial->to), pm_rank_of(trial->from))] = PM_EMPTY;
}

static const char *line_text(pm_square a, pm_square b)
{
    if (pm_rank_of(a) == pm_rank_of(b))
        return "rank";
    return pm_file_of(a) == pm_file_of(b) ? "file" : "diagonal";
}

static bool says_bad_king_step(const struct trial *trial)
{
    const pm_piece there = trial->board[trial->to];
    pm_piece board[PM_SQUARE_COUNT];
    make(trial, board);
    const uint64_t attackers = pm_rule_attackers(board, trial->to, trial->them);
    if (attackers == 0)
        return false;
    const pm_square by = (pm_square)pm_lsb(attackers);
    const char *type = type_text(trial->board[by]);
    /* With the king in its place the square is not attacked: it stands in the ray itself. */
    const bool along = !pm_rule_attackers(trial->board, trial->to, trial->them);

    if (along)
        return say(trial, PM_RULE_KING_ALONG_RAY,
                   "the king stays on the %s of the %s on %s, which attacks %s through its old "
                   "square",
                   line_text(by, trial->to), type, square(by).text, square(trial->to).text);
    if (there != PM_EMPTY)
        return say(trial, PM_RULE_KING_TAKES_DEFENDED, "the %s on %s is defended by the %s on %s",
                   type_text(there), square(trial->to).text, type, square(by).text);
    if (!pm_has_several(attackers) && pm_type_of(trial->board[by]) == PM_KING)
        return say(trial, PM_RULE_KING_NEXT_TO_KING, "the other king stands on %s, beside %s",
                   square(by).text, square(trial->to).text);
    return say(trial, PM_RULE_KING_INTO_CHECK, "the %s on %s attacks %s", type, square(by).text,
               square(trial->to).text);
}

/* En passant that uncovers the king to a piece who did not give check before. */
static bool says_uncovered_by_en_passant(const struct trial *trial, pm_square by)
{
    const pm_square captured = pm_make_square(pm_file_of(trial->to), pm_rank_of(trial->from));
    const uint64_t line = between(trial->king, by);
    const bool capturer_between = (line & pm_bit(trial->from)) != 0;
    const char *type = type_text(trial->board[by]);

    if (capturer_between && (line & pm_bit(captured)) != 0)
        return say(trial, PM_RULE_EN_PASSANT_RANK,
                   "both pawns leave the rank between the king on %s and the %s on %s",
                   square(trial->king).text, type, square(by).text);
    if (!capturer_between)
        return say(trial, PM_RULE_EN_PASSANT_DISCOVERS,
                   "the captured pawn on %s shields the king on %s from the %s on %s",
                   square(captured).text, square(trial->king).text, type, square(by).text);
    return say(trial,
               pm_file_of(by) == pm_file_of(trial->king) ? PM_RULE_EN_PASSANT_PIN_FILE
                                                         : PM_RULE_EN_PASSANT_PIN_DIAGONAL,
               "the pawn on %s is pinned on the %s by the %s on %s", square(trial->from).text,
               line_text(by, trial->king), type, square(by).text);
}

static bool says_uncovered(const struct trial *trial, pm_square by)
{
    enum pm_rule rule = PM_RULE_PIN_DIAGONAL;
    if (pm_rank_of(by) == pm_rank_of(trial->king))
        rule = PM_RULE_PIN_RANK;
    else if (pm_file_of(by) == pm_file_of(trial->king))
        rule = PM_RULE_PIN_FILE;
    return say(trial, rule, "the %s on %s is pinned on the %s by the %s on %s",
               type_text(trial->piece), square(trial->from).text, line_text(by, trial->king),
               type_text(trial->board[by]), square(by).text);
}

static bool says_check_stays(const struct trial *trial, uint64_t staying)
{
    const pm_square by = (pm_square)pm_lsb(staying);
    if (!trial->takes_en_passant && pm_has_several(trial->checkers))
        return say(trial, PM_RULE_DOUBLE_CHECK_NO_KING,
                   "in double check only the king may move, not the %s on %s",
                   type_text(trial->piece), square(trial->from).text);
    return say(trial, trial->takes_en_passant ? PM_RULE_EN_PASSANT_NO_EVASION : PM_RULE_NO_EVASION,
               "the %s on %s still gives check", type_text(trial->board[by]), square(by).text);
}

static bool says_king_in_check(const struct trial *trial)
{
    pm_piece board[PM_SQUARE_COUNT];
    if (trial->from == trial->king)
        return says_bad_king_step(trial);
    make(trial, board);
    const uint64_t attackers = pm_rule_attackers(board, trial->king, trial->them);
    if (attackers == 0)
        return false;
    if ((attackers & trial->checkers) != 0)
        return says_check_stays(trial, attackers & trial->checkers);
    const pm_square by = (pm_square)pm_lsb(attackers);
    return trial->takes_en_passant ? says_uncovered_by_en_passant(trial, by)
                                   : says_uncovered(trial, by);
}

static void explain_illegal(struct trial *trial)
{
    if (trial->castles ? says_bad_castling(trial)
                       : says_bad_shape(trial) || says_king_in_check(trial))
        return;
    say(trial, PM_RULE_UNKNOWN, "no rule here forbids it");
}

/* ---- Legal ---- */

static bool explains_castling(const struct trial *trial)
{
    const struct castling castling = plan_castling(trial);
    const char *side = trial->rook > trial->king ? "kingside" : "queenside";
    const uint64_t king_way = castling.king_way | pm_bit(trial->king);
    uint64_t rook_way = (castling.rook_way | pm_bit(trial->rook)) & ~king_way;
    while (rook_way != 0) {
        const pm_square at = (pm_square)pm_pop_lsb(&rook_way);
        if (pm_rule_attackers(trial->board, at, trial->them) != 0)
            return say(trial, PM_RULE_CASTLING_ROOK_ATTACKED,
                       "%s castling is legal: %s is attacked, but only the rook is or passes there",
                       side, square(at).text);
    }
    return say(trial, PM_RULE_CASTLING, "%s castling with the rook on %s meets all its conditions",
               side, square(trial->rook).text);
}

/* The piece alone between the king and an enemy line piece, of which the square is returned. */
static pm_square find_pinner(const struct trial *trial)
{
    pm_piece board[PM_SQUARE_COUNT];
    memcpy(board, trial->board, sizeof board);
    board[trial->from] = PM_EMPTY;
    const uint64_t pinners = pm_rule_attackers(board, trial->king, trial->them) & ~trial->checkers;
    return trial->from != trial->king && pinners != 0 ? (pm_square)pm_lsb(pinners) : PM_NO_SQUARE;
}

static bool discovers_check(const struct trial *trial)
{
    const pm_square king = find_king(trial->board, trial->them);
    pm_piece board[PM_SQUARE_COUNT];
    make(trial, board);
    return (pm_rule_attackers(board, king, trial->us) & ~pm_bit(trial->to)) != 0;
}

static bool explains_en_passant(const struct trial *trial)
{
    const pm_square captured = pm_make_square(pm_file_of(trial->to), pm_rank_of(trial->from));
    const pm_square pinner = find_pinner(trial);
    const struct name from = square(trial->from);

    if ((trial->checkers & pm_bit(captured)) != 0)
        return say(trial, PM_RULE_EN_PASSANT_TAKES_CHECKER,
                   "%s captures the pawn on %s, which gives check", from.text,
                   square(captured).text);
    if (trial->checkers != 0)
        return say(trial, PM_RULE_EN_PASSANT_INTERPOSES, "the pawn on %s interposes on %s",
                   from.text, square(trial->to).text);
    if (pinner != PM_NO_SQUARE)
        return say(trial, PM_RULE_EN_PASSANT_ALONG_PIN,
                   "the pawn on %s is pinned by the %s on %s, but stays on the line", from.text,
                   type_text(trial->board[pinner]), square(pinner).text);
    if (discovers_check(trial))
        return say(trial, PM_RULE_EN_PASSANT_CHECKS,
                   "%s captures the pawn on %s en passant, discovering a check", from.text,
                   square(captured).text);
    return say(trial, PM_RULE_EN_PASSANT, "%s captures the pawn on %s en passant", from.text,
               square(captured).text);
}

static const char *promotion_text(char letter)
{
    switch (letter) {
    case 'n':
        return "knight";
    case 'b':
        return "bishop";
    case 'r':
        return "rook";
    default:
        return "queen";
    }
}

static bool explains_evasion(const struct trial *trial)
{
    const pm_piece there = trial->board[trial->to];
    const pm_square by = (pm_square)pm_lsb(trial->checkers);
    if (pm_has_several(trial->checkers))
        return say(trial, PM_RULE_DOUBLE_CHECK_KING,
                   "the king evades a double check by going to %s", square(trial->to).text);
    if (trial->from == trial->king)
        return say(trial,
                   there != PM_EMPTY ? PM_RULE_EVASION_KING_CAPTURE : PM_RULE_EVASION_KING_STEP,
                   "the king evades the check of the %s on %s by going to %s, which is not "
                   "attacked",
                   type_text(trial->board[by]), square(by).text, square(trial->to).text);
    if (trial->to == by)
        return say(trial, PM_RULE_EVASION_CAPTURE, "the %s on %s captures the checking %s on %s",
                   type_text(trial->piece), square(trial->from).text, type_text(there),
                   square(by).text);
    return say(trial, PM_RULE_EVASION_INTERPOSES,
               "the %s from %s interposes on %s against the %s on %s", type_text(trial->piece),
               square(trial->from).text, square(trial->to).text, type_text(trial->board[by]),
               square(by).text);
}

static bool explains_pinned(const struct trial *trial)
{
    const pm_square pinner = find_pinner(trial);
    if (pinner == PM_NO_SQUARE)
        return false;
    return say(trial, PM_RULE_PIN_LINE, "the %s on %s is pinned by the %s on %s, but %s",
               type_text(trial->piece), square(trial->from).text, type_text(trial->board[pinner]),
               square(pinner).text, trial->to == pinner ? "captures it" : "stays on the line");
}

static bool explains_plain(const struct trial *trial)
{
    const bool captures = trial->board[trial->to] != PM_EMPTY;
    enum pm_rule rule = captures ? PM_RULE_CAPTURE : PM_RULE_QUIET;
    if (pm_type_of(trial->piece) == PM_KING)
        rule = captures ? PM_RULE_KING_CAPTURE : PM_RULE_KING_STEP;
    else if (pm_type_of(trial->piece) == PM_PAWN && captures)
        rule = PM_RULE_PAWN_CAPTURE;
    else if (pm_type_of(trial->piece) == PM_PAWN)
        rule = rank_distance(trial->from, trial->to) == 2 ? PM_RULE_DOUBLE_PUSH : PM_RULE_PAWN_PUSH;
    if (captures)
        return say(trial, rule, "the %s on %s captures the %s on %s", type_text(trial->piece),
                   square(trial->from).text, type_text(trial->board[trial->to]),
                   square(trial->to).text);
    return say(trial, rule, "the %s on %s goes to %s", type_text(trial->piece),
               square(trial->from).text, square(trial->to).text);
}

static void explain_legal(const struct trial *trial)
{
    if (trial->castles) {
        explains_castling(trial);
        return;
    }
    if (trial->takes_en_passant) {
        explains_en_passant(trial);
        return;
    }
    if (trial->promotion != '\0' && !trial->query->all_promotions) {
        say(trial, PM_RULE_PROMOTION, "the pawn from %s may become a %s on %s",
            square(trial->from).text, promotion_text(trial->promotion), square(trial->to).text);
        return;
    }
    if ((trial->checkers != 0 && explains_evasion(trial)) || explains_pinned(trial))
        return;
    if (trial->promotion != '\0') {
        say(trial, PM_RULE_PROMOTION, "the pawn from %s may promote on %s",
            square(trial->from).text, square(trial->to).text);
        return;
    }
    explains_plain(trial);
}

void pm_rule_find(const struct pm_rule_query *query, const char *move, bool missing,
                  struct pm_rule_finding *finding)
{
    struct trial trial;
    *finding = (struct pm_rule_finding){.rule = PM_RULE_UNKNOWN};
    set_up(query, finding, &trial);
    if (trial.king == PM_NO_SQUARE || !read_move(move, &trial)) {
        say(&trial, PM_RULE_NO_MOVE, "this is not the text of a move");
        return;
    }
    trial.piece = trial.board[trial.from];
    trial.takes_en_passant = is_en_passant(&trial);
    recognize_castling(&trial);
    if (missing)
        explain_legal(&trial);
    else
        explain_illegal(&trial);
}
