/* SPDX-License-Identifier: MIT */
#include "core/position.h"

#include "core/bitboards.h"
#include "core/bits.h"
#include "core/kernel.h"

#include <string.h>

const char *pm_position_fault_text(enum pm_position_fault fault)
{
    static const char *const texts[PM_FAULT_COUNT] = {
        [PM_FAULT_NONE] = "none",
        [PM_FAULT_VALUE] = "value out of range",
        [PM_FAULT_KING_COUNT] = "king count",
        [PM_FAULT_PAWN_RANK] = "pawn rank",
        [PM_FAULT_OPPONENT_IN_CHECK] = "opponent in check",
        [PM_FAULT_CASTLING] = "castling",
        [PM_FAULT_EN_PASSANT] = "en passant",
    };
    return (unsigned)fault < PM_FAULT_COUNT ? texts[fault] : "unknown fault";
}

const char *pm_position_warning_text(enum pm_position_warning warning)
{
    switch (warning) {
    case PM_WARN_MATERIAL:
        return "unreachable: more pieces than a game allows";
    case PM_WARN_CHECKERS:
        return "unreachable: checks that no single move gives";
    case PM_WARN_EN_PASSANT:
        return "unreachable: in check before the double push";
    case PM_WARN_CLOCK:
        return "halfmove clock over 150";
    }
    return "unknown warning";
}

struct step {
    int file, rank;
};

/* Opposite directions stand four apart; the odd ones are diagonal. */
static const struct step ray_steps[8] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
static const struct step knight_steps[8] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                            {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

static pm_square step_from(pm_square square, struct step step)
{
    const int file = (int)pm_file_of(square) + step.file;
    const int rank = (int)pm_rank_of(square) + step.rank;
    if (file < 0 || file > 7 || rank < 0 || rank > 7)
        return PM_NO_SQUARE;
    return pm_make_square((unsigned)file, (unsigned)rank);
}

/* From where a piece hits a square, seen from that square. */
enum way { STRAIGHT = 1, DIAGONAL = 2, NEXT = 4, NEXT_ABOVE = 8, NEXT_BELOW = 16 };

/* Whether a piece hits a square that lies `distance` steps away, seen from that square. A table,
 * not a switch: which piece stands there is hard to predict. */
static bool hits_along(pm_piece piece, unsigned direction, unsigned distance)
{
    static const uint8_t ways[16] = {
        [PM_WHITE << 3 | PM_PAWN] = NEXT_BELOW, /* a white pawn stands below what it hits */
        [PM_WHITE << 3 | PM_BISHOP] = DIAGONAL | NEXT_ABOVE | NEXT_BELOW,
        [PM_WHITE << 3 | PM_ROOK] = STRAIGHT | NEXT,
        [PM_WHITE << 3 | PM_QUEEN] = STRAIGHT | DIAGONAL | NEXT | NEXT_ABOVE | NEXT_BELOW,
        [PM_WHITE << 3 | PM_KING] = NEXT | NEXT_ABOVE | NEXT_BELOW,
        [PM_BLACK << 3 | PM_PAWN] = NEXT_ABOVE,
        [PM_BLACK << 3 | PM_BISHOP] = DIAGONAL | NEXT_ABOVE | NEXT_BELOW,
        [PM_BLACK << 3 | PM_ROOK] = STRAIGHT | NEXT,
        [PM_BLACK << 3 | PM_QUEEN] = STRAIGHT | DIAGONAL | NEXT | NEXT_ABOVE | NEXT_BELOW,
        [PM_BLACK << 3 | PM_KING] = NEXT | NEXT_ABOVE | NEXT_BELOW,
    };
    const bool diagonal = direction % 2 != 0;
    const enum way beside =
        diagonal ? (ray_steps[direction].rank > 0 ? NEXT_ABOVE : NEXT_BELOW) : NEXT;
    const enum way far = diagonal ? DIAGONAL : STRAIGHT;
    return (ways[piece & 15] & (distance == 1 ? beside : far)) != 0;
}

/* How many steps from a square in a direction stay on the board. */
static unsigned reach_of(pm_square square, struct step step)
{
    const unsigned file = pm_file_of(square), rank = pm_rank_of(square);
    const unsigned to_file_end = step.file > 0 ? 7 - file : step.file < 0 ? file : 7;
    const unsigned to_rank_end = step.rank > 0 ? 7 - rank : step.rank < 0 ? rank : 7;
    return to_file_end < to_rank_end ? to_file_end : to_rank_end;
}

/* The first piece met from a square in a direction, if it is of color `by` and hits the square. */
static pm_square ray_attacker(const pm_piece board[], pm_square square, enum pm_color by,
                              unsigned direction)
{
    const struct step step = ray_steps[direction];
    const unsigned reach = reach_of(square, step);
    const int stride = step.rank * 8 + step.file;
    int at = square;
    for (unsigned distance = 1; distance <= reach; distance++) {
        at += stride;
        if (board[at] == PM_EMPTY)
            continue;
        const bool hits =
            pm_color_of(board[at]) == by && hits_along(board[at], direction, distance);
        return hits ? (pm_square)at : PM_NO_SQUARE;
    }
    return PM_NO_SQUARE;
}

static unsigned knight_attackers(const pm_piece board[], pm_square square, enum pm_color by)
{
    unsigned count = 0;
    for (unsigned i = 0; i < 8; i++) {
        const pm_square at = step_from(square, knight_steps[i]);
        count += at != PM_NO_SQUARE && board[at] == pm_make_piece(by, PM_KNIGHT);
    }
    return count;
}

static bool is_attacked(const pm_piece board[], pm_square square, enum pm_color by)
{
    for (unsigned direction = 0; direction < 8; direction++) {
        if (ray_attacker(board, square, by, direction) != PM_NO_SQUARE)
            return true;
    }
    return knight_attackers(board, square, by) != 0;
}

bool pm_position_is_attacked(const struct pm_position *position, pm_square square, enum pm_color by)
{
    return is_attacked(position->board, square, by);
}

static enum pm_color opponent(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

static pm_square find_king(const pm_piece board[], enum pm_color color)
{
    const pm_piece *const king = memchr(board, pm_make_piece(color, PM_KING), PM_SQUARE_COUNT);
    return king != NULL ? (pm_square)(king - board) : PM_NO_SQUARE;
}

static bool in_check(const pm_piece board[], enum pm_color color)
{
    return is_attacked(board, find_king(board, color), opponent(color));
}

/* The en passant square moved by so many ranks: -1 is where the pushed pawn stands if White is to
 * move. */
static pm_square behind_en_passant(const struct pm_position *position, int ranks)
{
    const int forward = position->side_to_move == PM_WHITE ? 8 : -8;
    return (pm_square)(position->en_passant + ranks * forward);
}

static bool has_bad_value(const struct pm_position *position)
{
    uint8_t bad = 0; /* no early end, so that 16 squares are looked at at once */
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        const uint8_t type = piece & 7;
        bad |= (uint8_t)(piece > pm_make_piece(PM_BLACK, PM_KING)) |
               (uint8_t)(piece == pm_make_piece(PM_BLACK, PM_NO_PIECE_TYPE)) |
               (uint8_t)(type >= PM_PIECE_TYPE_COUNT);
    }
    if (bad != 0)
        return true;
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            if (position->castling_rook[color][side] > PM_NO_SQUARE)
                return true;
        }
    }
    return position->side_to_move >= PM_COLOR_COUNT || position->en_passant > PM_NO_SQUARE ||
           position->fullmove_number == 0;
}

/* ---- Attacks by sets ---- */

enum { LINES = 4 };

/* A square's file, rank and both diagonals, without the square. */
static void lines_of(unsigned square, uint64_t lines[LINES])
{
    const int file = (int)(square & 7), rank = (int)(square >> 3);
    const int rising = rank - file, falling = rank + file - 7;
    const uint64_t up = 0x8040201008040201ULL, down = 0x0102040810204080ULL;
    const uint64_t set[LINES] = {0x0101010101010101ULL << file, 0xffULL << 8 * rank,
                                 rising >= 0 ? up << 8 * rising : up >> -8 * rising,
                                 falling >= 0 ? down << 8 * falling : down >> -8 * falling};
    for (int i = 0; i < LINES; i++)
        lines[i] = set[i] & ~pm_bit(square);
}

/* Those of the sliders that see the square along one of its lines. */
static uint64_t seen_along(uint64_t line, unsigned square, uint64_t sliders, uint64_t occupied)
{
    if ((line & sliders) == 0)
        return 0;
    const uint64_t pieces = line & occupied, below = pieces & (pm_bit(square) - 1),
                   above = pieces ^ below;
    const uint64_t highest = below != 0 ? 1ULL << (63 - __builtin_clzll(below)) : 0;
    return sliders & (highest | (above & -above));
}

static uint64_t knight_squares(uint64_t set)
{
    const uint64_t a = 0x0101010101010101ULL, h = a << 7, ab = a | a << 1, gh = h | h >> 1;
    const uint64_t one = (set & ~a) >> 1 | (set & ~h) << 1;
    const uint64_t two = (set & ~ab) >> 2 | (set & ~gh) << 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static uint64_t king_squares(uint64_t set)
{
    const uint64_t a = 0x0101010101010101ULL, h = a << 7;
    const uint64_t row = set | (set & ~a) >> 1 | (set & ~h) << 1;
    return (row | row << 8 | row >> 8) & ~set;
}

/* From where pawns of that color attack a square. */
static uint64_t pawn_squares(uint64_t set, enum pm_color by)
{
    const uint64_t a = 0x0101010101010101ULL, h = a << 7;
    const uint64_t beside = (set & ~a) >> 1 | (set & ~h) << 1;
    return by == PM_WHITE ? beside >> 8 : beside << 8;
}

/* The king of a side, which has one, and how it is attacked. */
struct siege {
    uint64_t leapers; /* pawns, knights, king */
    uint64_t sliders[LINES];
};

static struct siege siege_of(const struct pm_bitboards *board, enum pm_color color)
{
    const uint64_t king = board->kings & board->pieces[color],
                   enemy = board->pieces[opponent(color)];
    const uint64_t occupied = enemy | board->pieces[color];
    const unsigned square = pm_lsb(king);
    uint64_t lines[LINES];
    struct siege siege = {.leapers =
                              enemy & ((knight_squares(king) & board->knights) |
                                       (king_squares(king) & board->kings) |
                                       (pawn_squares(king, opponent(color)) & board->pawns))};
    lines_of(square, lines);
    for (int i = 0; i < LINES; i++)
        siege.sliders[i] = seen_along(
            lines[i], square, enemy & (i < 2 ? board->straights : board->diagonals), occupied);
    return siege;
}

static bool is_in_check(const struct pm_bitboards *board, enum pm_color color)
{
    const struct siege siege = siege_of(board, color);
    return (siege.leapers | siege.sliders[0] | siege.sliders[1] | siege.sliders[2] |
            siege.sliders[3]) != 0;
}

static bool right_is_sound(const struct pm_position *position, enum pm_color color,
                           enum pm_castling_side side)
{
    const pm_square rook = position->castling_rook[color][side];
    if (rook == PM_NO_SQUARE)
        return true;
    const pm_square king = find_king(position->board, color);
    const unsigned home = color == PM_WHITE ? 0 : 7;
    return pm_rank_of(rook) == home && pm_rank_of(king) == home &&
           position->board[rook] == pm_make_piece(color, PM_ROOK) &&
           (rook > king) == (side == PM_KINGSIDE);
}

static bool castling_is_sound(const struct pm_position *position)
{
    return right_is_sound(position, PM_WHITE, PM_KINGSIDE) &&
           right_is_sound(position, PM_WHITE, PM_QUEENSIDE) &&
           right_is_sound(position, PM_BLACK, PM_KINGSIDE) &&
           right_is_sound(position, PM_BLACK, PM_QUEENSIDE);
}

static bool en_passant_is_sound(const struct pm_position *position)
{
    const enum pm_color side = (enum pm_color)position->side_to_move;
    const pm_square target = position->en_passant;
    if (target == PM_NO_SQUARE)
        return true;
    return pm_rank_of(target) == (side == PM_WHITE ? 5U : 2U) &&
           position->board[target] == PM_EMPTY &&
           position->board[behind_en_passant(position, 1)] == PM_EMPTY &&
           position->board[behind_en_passant(position, -1)] ==
               pm_make_piece(opponent(side), PM_PAWN);
}

static unsigned beyond(unsigned count, unsigned initial)
{
    return count > initial ? count - initial : 0;
}

static bool has_too_many(const struct pm_bitboards *board, enum pm_color color)
{
    const uint64_t pieces = board->pieces[color];
    const uint64_t queens = board->diagonals & board->straights;
    const unsigned pawns = pm_popcount(pieces & board->pawns);
    const unsigned promoted = beyond(pm_popcount(pieces & board->knights), 2) +
                              beyond(pm_popcount(pieces & board->diagonals & ~queens), 2) +
                              beyond(pm_popcount(pieces & board->straights & ~queens), 2) +
                              beyond(pm_popcount(pieces & queens), 1);
    return pawns + promoted > 8; /* so there are at most 16 pieces, too */
}

/* A double check is a discovered one: a slider's, from another line than the moved piece's. */
static bool checks_are_impossible(const struct pm_bitboards *board, enum pm_color side)
{
    const struct siege siege = siege_of(board, side);
    unsigned checkers = pm_popcount(siege.leapers), sliders = 0;
    bool both_sides = false; /* of one line */
    for (int i = 0; i < LINES; i++) {
        sliders += pm_popcount(siege.sliders[i]);
        both_sides |= siege.sliders[i] != 0 && pm_has_several(siege.sliders[i]);
    }
    checkers += sliders;
    /* A pawn that checks on a diagonal stands across from a slider as a slider would. */
    const uint64_t pawns = siege.leapers & board->pawns;
    uint64_t lines[LINES];
    lines_of(pm_lsb(board->kings & board->pieces[side]), lines);
    for (int i = 2; i < LINES; i++)
        both_sides |= (lines[i] & pawns) != 0 && siege.sliders[i] != 0;
    return checkers > 2 || (checkers == 2 && sliders == 0) || both_sides;
}

static bool was_in_check_before_push(const struct pm_position *position)
{
    pm_piece board[PM_SQUARE_COUNT];
    if (position->en_passant == PM_NO_SQUARE)
        return false;
    const pm_square from = behind_en_passant(position, 1);
    const pm_square to = behind_en_passant(position, -1);
    memcpy(board, position->board, sizeof board);
    board[from] = board[to];
    board[to] = PM_EMPTY;
    return in_check(board, (enum pm_color)position->side_to_move);
}

static unsigned find_warnings(const struct pm_position *position, const struct pm_bitboards *board)
{
    unsigned warnings = 0;
    if (has_too_many(board, PM_WHITE) || has_too_many(board, PM_BLACK))
        warnings |= PM_WARN_MATERIAL;
    if (checks_are_impossible(board, (enum pm_color)position->side_to_move))
        warnings |= PM_WARN_CHECKERS;
    if (was_in_check_before_push(position))
        warnings |= PM_WARN_EN_PASSANT;
    if (position->halfmove_clock > 150)
        warnings |= PM_WARN_CLOCK;
    return warnings;
}

static bool is_single(uint64_t set)
{
    return set != 0 && !pm_has_several(set);
}

enum pm_position_fault pm_position_check(const struct pm_position *position, unsigned *warnings)
{
    if (has_bad_value(position))
        return PM_FAULT_VALUE;
    const struct pm_bitboards board = pm_bitboards_of(position);
    if (!is_single(board.kings & board.pieces[PM_WHITE]) ||
        !is_single(board.kings & board.pieces[PM_BLACK]))
        return PM_FAULT_KING_COUNT;
    if (board.pawns & PM_BACK_RANKS)
        return PM_FAULT_PAWN_RANK;
    if (is_in_check(&board, opponent((enum pm_color)position->side_to_move)))
        return PM_FAULT_OPPONENT_IN_CHECK;
    if (!castling_is_sound(position))
        return PM_FAULT_CASTLING;
    if (!en_passant_is_sound(position))
        return PM_FAULT_EN_PASSANT;
    if (warnings != NULL)
        *warnings = find_warnings(position, &board);
    return PM_FAULT_NONE;
}

bool pm_position_equal(const struct pm_position *a, const struct pm_position *b)
{
    return memcmp(a->board, b->board, sizeof a->board) == 0 && a->side_to_move == b->side_to_move &&
           a->en_passant == b->en_passant &&
           memcmp(a->castling_rook, b->castling_rook, sizeof a->castling_rook) == 0 &&
           a->halfmove_clock == b->halfmove_clock && a->fullmove_number == b->fullmove_number;
}

/* Plays the capture from one square on a copy of the board and looks at the own king. */
static bool capture_is_legal(const struct pm_position *position, pm_square from)
{
    pm_piece board[PM_SQUARE_COUNT];
    memcpy(board, position->board, sizeof board);
    board[position->en_passant] = board[from];
    board[from] = PM_EMPTY;
    board[behind_en_passant(position, -1)] = PM_EMPTY;
    return !in_check(board, (enum pm_color)position->side_to_move);
}

bool pm_position_en_passant_is_legal(const struct pm_position *position)
{
    if (position->en_passant == PM_NO_SQUARE)
        return false;
    const pm_square pushed = behind_en_passant(position, -1);
    const pm_piece pawn = pm_make_piece((enum pm_color)position->side_to_move, PM_PAWN);
    for (int side = -1; side <= 1; side += 2) {
        const pm_square from = step_from(pushed, (struct step){.file = side});
        if (from != PM_NO_SQUARE && position->board[from] == pawn &&
            capture_is_legal(position, from))
            return true;
    }
    return false;
}

void pm_position_canonicalize(struct pm_position *position)
{
    if (!pm_position_en_passant_is_legal(position))
        position->en_passant = PM_NO_SQUARE;
}

static pm_square mirror_square(pm_square square)
{
    return square == PM_NO_SQUARE ? square : (pm_square)(square ^ 56);
}

struct pm_position pm_position_mirror(const struct pm_position *position)
{
    struct pm_position mirror = *position;
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[mirror_square(square)];
        mirror.board[square] = piece == PM_EMPTY ? piece : (pm_piece)(piece ^ 8);
    }
    mirror.side_to_move = (uint8_t)opponent((enum pm_color)position->side_to_move);
    mirror.en_passant = mirror_square(position->en_passant);
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        mirror.castling_rook[PM_WHITE][side] =
            mirror_square(position->castling_rook[PM_BLACK][side]);
        mirror.castling_rook[PM_BLACK][side] =
            mirror_square(position->castling_rook[PM_WHITE][side]);
    }
    return mirror;
}

static bool right_is_standard(const struct pm_position *position, enum pm_color color,
                              enum pm_castling_side side)
{
    const pm_square rook = position->castling_rook[color][side];
    const unsigned home = color == PM_WHITE ? 0 : 7;
    return rook == PM_NO_SQUARE ||
           (rook == pm_make_square(side == PM_KINGSIDE ? 7 : 0, home) &&
            position->board[pm_make_square(4, home)] == pm_make_piece(color, PM_KING));
}

bool pm_position_is_standard(const struct pm_position *position)
{
    return right_is_standard(position, PM_WHITE, PM_KINGSIDE) &&
           right_is_standard(position, PM_WHITE, PM_QUEENSIDE) &&
           right_is_standard(position, PM_BLACK, PM_KINGSIDE) &&
           right_is_standard(position, PM_BLACK, PM_QUEENSIDE);
}

int pm_kernel_depth_limit(const struct pm_position *position)
{
    const struct pm_bitboards board = pm_bitboards_of(position);
    const bool crowded = has_too_many(&board, PM_WHITE) || has_too_many(&board, PM_BLACK);
    return crowded ? 6 : PM_KERNEL_MAX_DEPTH;
}
