/* SPDX-License-Identifier: MIT */
/* Set-ups are made with White to move and then turned around half of the time. A theme places the
 * pieces that make it and reserves the squares that must stay empty; others are scattered around
 * it.
 */
#include "verify/generator.h"

#include "core/bits.h"
#include "core/fen.h"
#include "core/position.h"
#include "core/random.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

struct draft {
    const struct pm_kernel *mover;
    void *state; /* of the mover */
    struct pm_random random;
    struct pm_position position;
    uint64_t reserved; /* empty squares that no piece may be put on */
    uint64_t glass;    /* pieces that lines of sight pass through: both pawns of an en passant */
};

/* A theme's own pieces; false if there was no room for them: then another try is made. */
typedef bool (*set_up)(struct draft *draft);

/* Clockwise from the right; opposite directions stand four apart, odd ones are diagonal. */
enum { EAST, NORTH_EAST, NORTH, NORTH_WEST, WEST, SOUTH_WEST, SOUTH, SOUTH_EAST, DIRECTIONS };
static const int steps[DIRECTIONS][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static const pm_piece white_king = PM_KING;
static const pm_piece black_king = PM_KING | 8;

/* ---- Chance ---- */

static unsigned below(struct draft *draft, unsigned bound)
{
    return pm_random_below(&draft->random, bound);
}

static unsigned between(struct draft *draft, unsigned least, unsigned most)
{
    return least + below(draft, most - least + 1);
}

static bool one_in(struct draft *draft, unsigned bound)
{
    return below(draft, bound) == 0;
}

static enum pm_color any_color(struct draft *draft)
{
    return one_in(draft, 2) ? PM_WHITE : PM_BLACK;
}

/* Anything but a king, pawns more often than the others. */
static enum pm_piece_type any_type(struct draft *draft)
{
    return one_in(draft, 3) ? PM_PAWN : (enum pm_piece_type)between(draft, PM_PAWN, PM_QUEEN);
}

static pm_square any_square(struct draft *draft)
{
    return (pm_square)below(draft, PM_SQUARE_COUNT);
}

/* A slider that moves in that direction. */
static pm_piece any_slider(struct draft *draft, enum pm_color color, unsigned direction)
{
    const enum pm_piece_type type = direction % 2 != 0 ? PM_BISHOP : PM_ROOK;
    return pm_make_piece(color, one_in(draft, 2) ? PM_QUEEN : type);
}

/* ---- Placing pieces ---- */

static pm_square look(pm_square square, unsigned direction)
{
    const int file = (int)pm_file_of(square) + steps[direction][0];
    const int rank = (int)pm_rank_of(square) + steps[direction][1];
    if (((file | rank) & ~7) != 0)
        return PM_NO_SQUARE;
    return pm_make_square((unsigned)file, (unsigned)rank);
}

static bool put(struct draft *draft, pm_square square, pm_piece piece)
{
    const bool end_rank = pm_rank_of(square) == 0 || pm_rank_of(square) == 7;
    if (square >= PM_SQUARE_COUNT || draft->position.board[square] != PM_EMPTY ||
        (draft->reserved & pm_bit(square)) != 0 || (end_rank && pm_type_of(piece) == PM_PAWN))
        return false;
    draft->position.board[square] = piece;
    return true;
}

/* Reserves the empty squares from one to another, both included, on one line. */
static void keep_empty(struct draft *draft, pm_square from, pm_square to)
{
    const unsigned low = from < to ? from : to;
    const unsigned high = from < to ? to : from;
    const unsigned step = pm_rank_of(from) == pm_rank_of(to) ? 1 : 8;
    for (unsigned square = low; square <= high; square += step)
        if (draft->position.board[square] == PM_EMPTY)
            draft->reserved |= pm_bit(square);
}

/* Puts a piece somewhere in that direction from a square, in sight of it and at least so many steps
 * away; the squares in between stay empty. */
static bool aim(struct draft *draft, pm_square target, unsigned direction, unsigned least,
                pm_piece piece)
{
    pm_square line[8];
    unsigned count = 0;
    pm_square square = look(target, direction);
    while (square != PM_NO_SQUARE &&
           (draft->position.board[square] == PM_EMPTY || (draft->glass & pm_bit(square)) != 0)) {
        line[count++] = square;
        square = look(square, direction);
    }
    if (count < least)
        return false;
    const unsigned chosen = between(draft, least, count) - 1;
    if (!put(draft, line[chosen], piece))
        return false;
    for (unsigned i = 0; i < chosen; i++)
        if (draft->position.board[line[i]] == PM_EMPTY)
            draft->reserved |= pm_bit(line[i]);
    return true;
}

static pm_square find(const struct draft *draft, pm_piece piece)
{
    pm_square square = 0;
    while (square < PM_SQUARE_COUNT && draft->position.board[square] != piece)
        square++;
    return square; /* PM_NO_SQUARE if there is none */
}

static bool in_check(const struct draft *draft, enum pm_color color)
{
    const pm_square king = find(draft, color == PM_WHITE ? white_king : black_king);
    return king != PM_NO_SQUARE &&
           pm_position_is_attacked(&draft->position, king, color == PM_WHITE ? PM_BLACK : PM_WHITE);
}

/* Puts a piece unless Black's king is then in check. */
static bool put_calmly(struct draft *draft, pm_square square, pm_piece piece)
{
    if (!put(draft, square, piece))
        return false;
    if (!in_check(draft, PM_BLACK))
        return true;
    draft->position.board[square] = PM_EMPTY;
    return false;
}

/* Both kings, where the theme has not placed them. */
static bool put_kings(struct draft *draft)
{
    for (int tries = 0; tries < 50 && find(draft, white_king) == PM_NO_SQUARE; tries++)
        put_calmly(draft, any_square(draft), white_king);
    for (int tries = 0; tries < 50 && find(draft, black_king) == PM_NO_SQUARE; tries++)
        put_calmly(draft, any_square(draft), black_king);
    return find(draft, white_king) != PM_NO_SQUARE && find(draft, black_king) != PM_NO_SQUARE;
}

/* A new checker would drown most themes: it is seldom let in. */
static void scatter_one(struct draft *draft, pm_piece piece)
{
    const pm_square square = any_square(draft);
    const bool was_in_check = in_check(draft, PM_WHITE);
    if (put_calmly(draft, square, piece) && !was_in_check && in_check(draft, PM_WHITE) &&
        !one_in(draft, 8))
        draft->position.board[square] = PM_EMPTY;
}

static void scatter(struct draft *draft, unsigned count)
{
    const unsigned share = between(draft, 1, 7); /* White's, of eight */
    for (unsigned i = 0; i < count; i++)
        scatter_one(draft,
                    pm_make_piece(below(draft, 8) < share ? PM_WHITE : PM_BLACK, any_type(draft)));
}

/* ---- Themes ---- */

static bool few(struct draft *draft)
{
    if (!put_kings(draft))
        return false;
    scatter(draft, between(draft, 1, 6));
    return true;
}

static bool middle(struct draft *draft)
{
    if (!put_kings(draft))
        return false;
    scatter(draft, between(draft, 8, 40));
    return true;
}

static unsigned count_pieces(const struct draft *draft)
{
    unsigned count = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        count += draft->position.board[square] != PM_EMPTY;
    return count;
}

static bool crowded(struct draft *draft)
{
    const unsigned pieces = between(draft, 33, 63);
    if (!put_kings(draft))
        return false;
    for (int tries = 0; tries < 64 && count_pieces(draft) < pieces; tries++)
        scatter(draft, pieces - count_pieces(draft));
    return count_pieces(draft) >= 33;
}

static bool queens(struct draft *draft)
{
    const unsigned count = between(draft, 4, 20);
    if (!put_kings(draft))
        return false;
    for (unsigned i = 0; i < count; i++)
        scatter_one(draft, pm_make_piece(any_color(draft), PM_QUEEN));
    scatter(draft, below(draft, 12));
    return true;
}

/* A piece of White's before his king, and a black slider behind it. */
static void pin(struct draft *draft, pm_square king, unsigned direction)
{
    const enum pm_piece_type type = (enum pm_piece_type)between(draft, PM_PAWN, PM_QUEEN);
    pm_square pinned = look(king, direction);
    if (!aim(draft, king, direction, 1, pm_make_piece(PM_WHITE, type)))
        return;
    while (draft->position.board[pinned] == PM_EMPTY)
        pinned = look(pinned, direction);
    aim(draft, pinned, direction, 1, any_slider(draft, PM_BLACK, direction));
}

static bool pins(struct draft *draft)
{
    const pm_square king = any_square(draft);
    const unsigned first = below(draft, DIRECTIONS);
    const unsigned turn = one_in(draft, 2) ? 1 : 3;
    put(draft, king, white_king);
    for (unsigned i = 0; i <= below(draft, 6); i++)
        pin(draft, king, (first + i * turn) % DIRECTIONS);
    if (!put_kings(draft))
        return false;
    scatter(draft, below(draft, 16));
    return true;
}

static bool put_knight_checker(struct draft *draft, pm_square king)
{
    static const int jumps[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                    {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    const int *jump = jumps[below(draft, 8)];
    const int file = (int)pm_file_of(king) + jump[0];
    const int rank = (int)pm_rank_of(king) + jump[1];
    return ((file | rank) & ~7) == 0 && put(draft, pm_make_square((unsigned)file, (unsigned)rank),
                                            pm_make_piece(PM_BLACK, PM_KNIGHT));
}

static bool put_checker(struct draft *draft, pm_square king)
{
    const unsigned direction = below(draft, DIRECTIONS);
    switch (below(draft, 6)) {
    case 0:
        return put_knight_checker(draft, king);
    case 1:
        return put(draft, look(king, one_in(draft, 2) ? NORTH_EAST : NORTH_WEST),
                   pm_make_piece(PM_BLACK, PM_PAWN));
    default:
        return aim(draft, king, direction, 1, any_slider(draft, PM_BLACK, direction));
    }
}

static bool checks(struct draft *draft, unsigned count)
{
    const pm_square king = any_square(draft);
    put(draft, king, white_king);
    for (unsigned i = 0; i < count; i++)
        if (!put_checker(draft, king))
            return false;
    if (!put_kings(draft))
        return false;
    scatter(draft, below(draft, 12));
    return true;
}

static bool check(struct draft *draft)
{
    return checks(draft, 1);
}

static bool double_check(struct draft *draft)
{
    return checks(draft, one_in(draft, 8) ? 3 : 2);
}

/* A black pawn that has just passed a white one. Its square is below the en passant square; that of
 * the white pawn is returned. */
static pm_square en_passant_pair(struct draft *draft)
{
    const unsigned file = below(draft, 8);
    const bool right = file == 0 || (file < 7 && one_in(draft, 2));
    const pm_square pushed = pm_make_square(file, 4);
    const pm_square taker = (pm_square)(right ? pushed + 1 : pushed - 1);
    put(draft, pushed, pm_make_piece(PM_BLACK, PM_PAWN));
    put(draft, taker, pm_make_piece(PM_WHITE, PM_PAWN));
    draft->position.en_passant = pm_make_square(file, 5);
    draft->reserved |= pm_bit(pushed + 8U) | pm_bit(pushed + 16U);
    return taker;
}

/* White's king on one side of a square, a black slider on the other. */
static bool line_through(struct draft *draft, pm_square square, unsigned direction)
{
    const unsigned back = (direction + 4) % DIRECTIONS;
    return aim(draft, square, direction, 1, white_king) &&
           aim(draft, square, back, 1, any_slider(draft, PM_BLACK, direction));
}

static bool en_passant_pin(struct draft *draft, unsigned direction)
{
    const pm_square taker = en_passant_pair(draft);
    const pm_square pushed = (pm_square)(draft->position.en_passant - 8);
    draft->glass = pm_bit(taker) | pm_bit(pushed);
    if (!line_through(draft, one_in(draft, 2) ? taker : pushed, direction) || !put_kings(draft))
        return false;
    scatter(draft, below(draft, 16));
    return true;
}

static bool en_passant_rank(struct draft *draft)
{
    return en_passant_pin(draft, one_in(draft, 2) ? EAST : WEST);
}

static bool en_passant_file(struct draft *draft)
{
    return en_passant_pin(draft, one_in(draft, 2) ? NORTH : SOUTH);
}

static bool en_passant_diagonal(struct draft *draft)
{
    return en_passant_pin(draft, 2 * below(draft, 4) + 1);
}

/* The pushed pawn gives check itself, or uncovers one, or could be taken to step into the line. */
static bool en_passant_evasion(struct draft *draft)
{
    en_passant_pair(draft);
    const pm_square target = draft->position.en_passant;
    const pm_square pushed = (pm_square)(target - 8);
    bool done;
    if (one_in(draft, 2))
        done = put(draft, look(pushed, one_in(draft, 2) ? SOUTH_EAST : SOUTH_WEST), white_king);
    else
        done = line_through(draft, one_in(draft, 2) ? target : (pm_square)(target + 8),
                            below(draft, DIRECTIONS));
    if (!done || !put_kings(draft))
        return false;
    scatter(draft, below(draft, 16));
    return true;
}

/* A king with rooks and rights on his first rank. */
static bool put_castling(struct draft *draft, enum pm_color color, unsigned king,
                         const unsigned rooks[PM_CASTLING_SIDE_COUNT])
{
    const unsigned home = color == PM_WHITE ? 0 : 7;
    const pm_piece rook = pm_make_piece(color, PM_ROOK);
    if (!put_calmly(draft, pm_make_square(king, home), pm_make_piece(color, PM_KING)))
        return false;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square square = pm_make_square(rooks[side], home);
        if (!one_in(draft, 4) && put_calmly(draft, square, rook) && !one_in(draft, 8))
            draft->position.castling_rook[color][side] = square;
    }
    return true;
}

static bool put_standard_castling(struct draft *draft, enum pm_color color)
{
    return put_castling(draft, color, 4, (const unsigned[]){[PM_KINGSIDE] = 7, [PM_QUEENSIDE] = 0});
}

static bool put_chess960_castling(struct draft *draft, enum pm_color color)
{
    if (one_in(draft, 4)) /* king and rook change places */
        return put_castling(draft, color, one_in(draft, 2) ? 5 : 3,
                            (const unsigned[]){[PM_KINGSIDE] = 6, [PM_QUEENSIDE] = 2});
    const unsigned king = between(draft, 1, 6);
    const unsigned rooks[] = {
        [PM_KINGSIDE] = between(draft, king + 1, 7), [PM_QUEENSIDE] = below(draft, king)};
    return put_castling(draft, color, king, rooks);
}

/* Something of Black's that hits one of White's first squares, or a piece in the way. */
static void disturb_castling(struct draft *draft)
{
    const pm_square square = (pm_square)between(draft, 1, 6);
    const unsigned direction = between(draft, NORTH_EAST, NORTH_WEST);
    switch (below(draft, 5)) {
    case 0:
        put_calmly(draft, square, pm_make_piece(any_color(draft), PM_KNIGHT));
        break;
    case 1:
        put_knight_checker(draft, square);
        break;
    case 2:
        put(draft, look(square, one_in(draft, 2) ? NORTH_EAST : NORTH_WEST),
            pm_make_piece(PM_BLACK, PM_PAWN));
        break;
    default:
        aim(draft, square, direction, 1, any_slider(draft, PM_BLACK, direction));
        break;
    }
}

/* Black's slider on the first rank, behind the rook seen from the king. */
static void shield_by_rook(struct draft *draft)
{
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square rook = draft->position.castling_rook[PM_WHITE][side];
        const unsigned direction = side == PM_KINGSIDE ? EAST : WEST;
        if (rook != PM_NO_SQUARE && one_in(draft, 2))
            aim(draft, rook, direction, 1, any_slider(draft, PM_BLACK, direction));
    }
}

static bool castling_with(struct draft *draft,
                          bool (*put_side)(struct draft *draft, enum pm_color color))
{
    if (!put_side(draft, PM_WHITE) || (one_in(draft, 2) && !put_side(draft, PM_BLACK)))
        return false;
    shield_by_rook(draft);
    for (unsigned count = below(draft, 4); count > 0; count--)
        disturb_castling(draft);
    if (!one_in(draft, 4))
        keep_empty(draft, 0, 7);
    if (!put_kings(draft))
        return false;
    scatter(draft, below(draft, 20));
    return true;
}

static bool castling(struct draft *draft)
{
    return castling_with(draft, put_standard_castling);
}

static bool castling_960(struct draft *draft)
{
    return castling_with(draft, put_chess960_castling);
}

static bool promotion(struct draft *draft)
{
    const bool chess960 = one_in(draft, 3);
    if (!one_in(draft, 3) && !(chess960 ? put_chess960_castling(draft, PM_BLACK)
                                        : put_standard_castling(draft, PM_BLACK)))
        return false;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square rook = draft->position.castling_rook[PM_BLACK][side];
        const pm_square pawn = rook != PM_NO_SQUARE
                                   ? look(rook, one_in(draft, 2) ? SOUTH_WEST : SOUTH_EAST)
                                   : PM_NO_SQUARE;
        if (pawn != PM_NO_SQUARE)
            put_calmly(draft, pawn, pm_make_piece(PM_WHITE, PM_PAWN));
    }
    for (unsigned count = below(draft, 4); count > 0; count--)
        put_calmly(draft, pm_make_square(below(draft, 8), 6), pm_make_piece(PM_WHITE, PM_PAWN));
    for (unsigned count = below(draft, 4); count > 0; count--)
        put(draft, pm_make_square(below(draft, 8), 1), pm_make_piece(PM_BLACK, PM_PAWN));
    if (!put_kings(draft))
        return false;
    scatter(draft, below(draft, 16));
    return true;
}

/* White's king at the edge, his pawns blocked, heavy black pieces around. */
static void weave_net(struct draft *draft)
{
    const unsigned edge = one_in(draft, 2) ? 0 : 7;
    const unsigned along = below(draft, 8);
    put(draft, one_in(draft, 2) ? pm_make_square(edge, along) : pm_make_square(along, edge),
        white_king);
    for (unsigned count = below(draft, 4); count > 0; count--) {
        const pm_square pawn = pm_make_square(below(draft, 8), between(draft, 1, 5));
        if (put(draft, pawn, pm_make_piece(PM_WHITE, PM_PAWN)))
            put(draft, look(pawn, NORTH), pm_make_piece(PM_BLACK, any_type(draft)));
    }
    for (unsigned count = between(draft, 1, 4); count > 0; count--)
        put(draft, any_square(draft),
            pm_make_piece(PM_BLACK, (enum pm_piece_type)between(draft, PM_KNIGHT, PM_QUEEN)));
}

static bool stalemate(struct draft *draft)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    weave_net(draft);
    if (!put_kings(draft) || in_check(draft, PM_WHITE) ||
        pm_position_check(&draft->position, NULL) != PM_FAULT_NONE ||
        draft->mover->set_position(draft->state, &draft->position) != PM_OK ||
        draft->mover->legal_moves(draft->state, moves, &count) != PM_OK || count > 1)
        return false;
    if (one_in(draft, 2))
        draft->position.side_to_move = PM_BLACK; /* who has to weave on */
    return true;
}

static const struct {
    const char *text;
    set_up set_up;
} themes[PM_THEME_COUNT] = {
    [PM_THEME_GAME] = {"game", NULL},
    [PM_THEME_GAME_960] = {"game of Chess960", NULL},
    [PM_THEME_GAME_NAMED] = {"game from a known position", NULL},
    [PM_THEME_FEW] = {"few pieces", few},
    [PM_THEME_MIDDLE] = {"pieces anywhere", middle},
    [PM_THEME_CROWDED] = {"crowded board", crowded},
    [PM_THEME_QUEENS] = {"many queens", queens},
    [PM_THEME_PINS] = {"pins", pins},
    [PM_THEME_CHECK] = {"check", check},
    [PM_THEME_DOUBLE_CHECK] = {"double check", double_check},
    [PM_THEME_EN_PASSANT_RANK] = {"en passant, pin on the rank", en_passant_rank},
    [PM_THEME_EN_PASSANT_FILE] = {"en passant, pin on a file", en_passant_file},
    [PM_THEME_EN_PASSANT_DIAGONAL] = {"en passant, pin on a diagonal", en_passant_diagonal},
    [PM_THEME_EN_PASSANT_EVASION] = {"en passant in check", en_passant_evasion},
    [PM_THEME_CASTLING] = {"castling", castling},
    [PM_THEME_CASTLING_960] = {"castling of Chess960", castling_960},
    [PM_THEME_PROMOTION] = {"promotion", promotion},
    [PM_THEME_STALEMATE] = {"stalemate", stalemate},
};

const char *pm_theme_text(enum pm_theme theme)
{
    return (unsigned)theme < PM_THEME_COUNT ? themes[theme].text : "unknown theme";
}

/* ---- Set-ups ---- */

static void clear(struct pm_position *position)
{
    *position = (struct pm_position){.en_passant = PM_NO_SQUARE, .fullmove_number = 1};
    memset(position->castling_rook, PM_NO_SQUARE, sizeof position->castling_rook);
}

/* An en passant square behind some black pawn that may just have come there. */
static void offer_en_passant(struct draft *draft)
{
    const unsigned first = below(draft, 8);
    for (unsigned i = 0; i < 8 && draft->position.en_passant == PM_NO_SQUARE; i++) {
        draft->position.en_passant = pm_make_square((first + i) % 8, 5);
        if (pm_position_check(&draft->position, NULL) != PM_FAULT_NONE)
            draft->position.en_passant = PM_NO_SQUARE;
    }
}

static void offer_castling(struct draft *draft)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            pm_square *right = &draft->position.castling_rook[color][side];
            if (*right != PM_NO_SQUARE)
                continue;
            *right = pm_make_square(side == PM_KINGSIDE ? 7 : 0, color == PM_WHITE ? 0 : 7);
            if (pm_position_check(&draft->position, NULL) != PM_FAULT_NONE ||
                !pm_position_is_standard(&draft->position))
                *right = PM_NO_SQUARE;
        }
}

static void set_clocks(struct draft *draft)
{
    struct pm_position *position = &draft->position;
    position->fullmove_number = (uint16_t)between(draft, 1, 200);
    if (position->en_passant == PM_NO_SQUARE)
        position->halfmove_clock = (uint16_t)below(draft, 101);
}

static bool try_set_up(struct draft *draft, enum pm_theme theme)
{
    clear(&draft->position);
    draft->reserved = 0;
    draft->glass = 0;
    if (!themes[theme].set_up(draft))
        return false;
    if (draft->position.side_to_move == PM_WHITE && one_in(draft, 2))
        offer_en_passant(draft);
    if (theme != PM_THEME_CASTLING_960 && theme != PM_THEME_PROMOTION)
        offer_castling(draft);
    set_clocks(draft);
    if (one_in(draft, 2))
        draft->position = pm_position_mirror(&draft->position);
    return pm_position_check(&draft->position, NULL) == PM_FAULT_NONE;
}

static enum pm_status make_set_up(struct draft *draft, enum pm_theme theme)
{
    /* The rarest, the net, needs some dozen tries; two kings alone always succeed. */
    for (int tries = 0; tries < 10000; tries++)
        if (try_set_up(draft, theme))
            return PM_OK;
    while (!try_set_up(draft, PM_THEME_FEW))
        ;
    return PM_OK;
}

/* ---- Games ---- */

/* The nth free file of a bit set. */
static unsigned take_file(unsigned *free_files, unsigned nth)
{
    unsigned set = *free_files;
    while (nth-- > 0)
        set &= set - 1;
    const unsigned file = pm_lsb(set);
    *free_files &= ~(1U << file);
    return file;
}

static void put_start_piece(struct pm_position *position, unsigned file, enum pm_piece_type type)
{
    position->board[pm_make_square(file, 0)] = pm_make_piece(PM_WHITE, type);
    position->board[pm_make_square(file, 7)] = pm_make_piece(PM_BLACK, type);
}

static void set_chess960_start(struct draft *draft)
{
    struct pm_position *position = &draft->position;
    unsigned files = 0xff;
    clear(position);
    for (unsigned file = 0; file < 8; file++) {
        position->board[pm_make_square(file, 1)] = pm_make_piece(PM_WHITE, PM_PAWN);
        position->board[pm_make_square(file, 6)] = pm_make_piece(PM_BLACK, PM_PAWN);
    }
    for (unsigned shade = 0; shade < 2; shade++) {
        const unsigned file = 2 * below(draft, 4) + shade;
        files &= ~(1U << file);
        put_start_piece(position, file, PM_BISHOP);
    }
    put_start_piece(position, take_file(&files, below(draft, 6)), PM_QUEEN);
    put_start_piece(position, take_file(&files, below(draft, 5)), PM_KNIGHT);
    put_start_piece(position, take_file(&files, below(draft, 4)), PM_KNIGHT);
    for (int side = PM_QUEENSIDE; side >= PM_KINGSIDE; side--) {
        const unsigned file = take_file(&files, 0);
        put_start_piece(position, file, PM_ROOK);
        position->castling_rook[PM_WHITE][side] = pm_make_square(file, 0);
        position->castling_rook[PM_BLACK][side] = pm_make_square(file, 7);
        if (side == PM_QUEENSIDE)
            put_start_piece(position, take_file(&files, 0), PM_KING);
    }
}

static enum pm_status set_start(struct draft *draft, enum pm_theme theme)
{
    unsigned count = 0;
    if (theme == PM_THEME_GAME_960) {
        set_chess960_start(draft);
        return PM_OK;
    }
    while (pm_named_positions[count].name != NULL)
        count++;
    const char *fen = theme == PM_THEME_GAME
                          ? "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
                          : pm_named_positions[below(draft, count)].fen;
    return pm_fen_read(fen, 0, &draft->position, NULL, NULL);
}

static enum pm_status play_game(struct draft *draft, enum pm_theme theme)
{
    const struct pm_kernel *mover = draft->mover;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 1;
    enum pm_status status = set_start(draft, theme);
    if (status == PM_OK)
        status = mover->set_position(draft->state, &draft->position);
    for (unsigned plies = below(draft, 120); plies > 0 && status == PM_OK; plies--) {
        status = mover->legal_moves(draft->state, moves, &count);
        if (status == PM_OK && count == 0)
            break;
        if (status == PM_OK)
            status = mover->play(draft->state, &moves[below(draft, count)]);
    }
    return status == PM_OK ? mover->get_position(draft->state, &draft->position) : status;
}

enum pm_status pm_generate(const struct pm_generator *generator, uint64_t index,
                           struct pm_generated *generated)
{
    const enum pm_theme theme = (enum pm_theme)(index % PM_THEME_COUNT);
    struct pm_random mixer = {.state = generator->seed};
    struct draft draft = {
        .mover = generator->mover,
        .state = pm_new_state(generator->mover),
        .random = {.state = pm_random_next(&mixer) ^ index * 0xD6E8FEB86659FD93U},
    };
    if (draft.state == NULL)
        return PM_ERROR_MEMORY;
    const enum pm_status status =
        themes[theme].set_up != NULL ? make_set_up(&draft, theme) : play_game(&draft, theme);
    free(draft.state);
    *generated = (struct pm_generated){
        .position = draft.position,
        .theme = theme,
        .chess960 = !pm_position_is_standard(&draft.position),
    };
    return status;
}
