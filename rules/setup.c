/* SPDX-License-Identifier: MIT */
#include "rules/setup.h"

#include "core/move.h"

#include <stdio.h>

enum { FILES = 8, D_FILE = 3, E_FILE = 4, H1 = 7 };

static const enum pm_piece_type first_rank[FILES] = {PM_ROOK, PM_KNIGHT, PM_BISHOP, PM_QUEEN,
                                                     PM_KING, PM_BISHOP, PM_KNIGHT, PM_ROOK};
static const unsigned right_counts[PM_PIECE_TYPE_COUNT] = {
    [PM_KNIGHT] = 2, [PM_BISHOP] = 2, [PM_ROOK] = 2, [PM_QUEEN] = 1, [PM_KING] = 1};

static pm_piece start_piece(pm_square square)
{
    switch (pm_rank_of(square)) {
    case 0:
        return pm_make_piece(PM_WHITE, first_rank[pm_file_of(square)]);
    case 1:
        return pm_make_piece(PM_WHITE, PM_PAWN);
    case 6:
        return pm_make_piece(PM_BLACK, PM_PAWN);
    case 7:
        return pm_make_piece(PM_BLACK, first_rank[pm_file_of(square)]);
    default:
        return PM_EMPTY;
    }
}

/* ---- Finding faults ---- */

struct finding {
    const pm_piece *board;
    struct pm_setup_fault *faults;
    unsigned count;
};

static void add(struct finding *finding, struct pm_setup_fault fault)
{
    finding->faults[finding->count++] = fault;
}

static void add_at(struct finding *finding, enum pm_setup_fault_kind kind, pm_square square,
                   pm_piece right)
{
    add(finding,
        (struct pm_setup_fault){
            .kind = kind, .square = square, .found = finding->board[square], .right = right});
}

static void compare_square(struct finding *finding, pm_square square, pm_piece right)
{
    const pm_piece found = finding->board[square];
    if (found == right)
        return;
    add_at(finding,
           found == PM_EMPTY   ? PM_SETUP_MISSING
           : right == PM_EMPTY ? PM_SETUP_SURPLUS
                               : PM_SETUP_WRONG_PIECE,
           square, right);
}

static pm_square first_square(enum pm_color color)
{
    return color == PM_WHITE ? 0 : 56;
}

static bool queen_and_king_are_swapped(const pm_piece board[], enum pm_color color)
{
    return board[first_square(color) + D_FILE] == pm_make_piece(color, PM_KING) &&
           board[first_square(color) + E_FILE] == pm_make_piece(color, PM_QUEEN);
}

static void compare_first_rank(struct finding *finding, enum pm_color color)
{
    const bool swapped = queen_and_king_are_swapped(finding->board, color);
    for (unsigned file = 0; file < FILES; file++) {
        const pm_square square = (pm_square)(first_square(color) + file);
        if (!swapped || (file != D_FILE && file != E_FILE))
            compare_square(finding, square, start_piece(square));
        else if (file == E_FILE)
            add_at(finding, PM_SETUP_QUEEN_COLOR, square, pm_make_piece(color, PM_KING));
    }
}

/* The squares of one kind of piece on the first rank; returns how many there are. */
static unsigned find_pieces(const pm_piece board[], enum pm_color color, enum pm_piece_type type,
                            pm_square squares[FILES])
{
    unsigned count = 0;
    for (unsigned file = 0; file < FILES; file++) {
        const pm_square square = (pm_square)(first_square(color) + file);
        if (board[square] == pm_make_piece(color, type))
            squares[count++] = square;
    }
    return count;
}

static void check_counts_960(struct finding *finding, enum pm_color color)
{
    pm_square squares[FILES];
    for (unsigned type = PM_KNIGHT; type <= PM_KING; type++) {
        const unsigned count =
            find_pieces(finding->board, color, (enum pm_piece_type)type, squares);
        if (count != right_counts[type])
            add(finding,
                (struct pm_setup_fault){.kind = PM_SETUP_COUNT,
                                        .square = PM_NO_SQUARE,
                                        .found = pm_make_piece(color, (enum pm_piece_type)type),
                                        .count = count});
    }
}

static void check_order_960(struct finding *finding, enum pm_color color)
{
    pm_square bishops[FILES], rooks[FILES], kings[FILES];
    if (find_pieces(finding->board, color, PM_BISHOP, bishops) == 2 &&
        (bishops[0] & 1) == (bishops[1] & 1))
        add_at(finding, PM_SETUP_SAME_BISHOPS, bishops[1], PM_EMPTY);
    if (find_pieces(finding->board, color, PM_ROOK, rooks) == 2 &&
        find_pieces(finding->board, color, PM_KING, kings) == 1 &&
        (kings[0] < rooks[0] || kings[0] > rooks[1]))
        add_at(finding, PM_SETUP_KING_OUTSIDE, kings[0], PM_EMPTY);
}

/* Empty squares and pieces of the other side; what kinds there are is counted apart. */
static void check_first_rank_960(struct finding *finding, enum pm_color color)
{
    for (unsigned file = 0; file < FILES; file++) {
        const pm_square square = (pm_square)(first_square(color) + file);
        const pm_piece found = finding->board[square];
        const pm_piece mirrored = finding->board[square ^ 56];
        if (found == PM_EMPTY)
            add_at(finding, PM_SETUP_MISSING, square, PM_EMPTY);
        else if (pm_color_of(found) != color || pm_type_of(found) == PM_PAWN)
            add_at(finding, PM_SETUP_SURPLUS, square, PM_EMPTY);
        else if (color == PM_BLACK && mirrored != PM_EMPTY &&
                 pm_type_of(mirrored) != pm_type_of(found))
            add_at(finding, PM_SETUP_NOT_MIRRORED, square,
                   pm_make_piece(PM_BLACK, pm_type_of(mirrored)));
    }
    check_counts_960(finding, color);
    check_order_960(finding, color);
}

static void check_rank(struct finding *finding, unsigned rank, bool chess960)
{
    const enum pm_color color = rank == 0 ? PM_WHITE : PM_BLACK;
    if (rank == 0 || rank == 7) {
        if (chess960)
            check_first_rank_960(finding, color);
        else
            compare_first_rank(finding, color);
        return;
    }
    for (unsigned file = 0; file < FILES; file++) {
        const pm_square square = pm_make_square(file, rank);
        compare_square(finding, square, start_piece(square));
    }
}

unsigned pm_setup_check(const struct pm_setup *setup, bool chess960,
                        struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS])
{
    struct finding finding = {.board = setup->board, .faults = faults};
    if (setup->board_turned)
        add_at(&finding, PM_SETUP_BOARD_TURNED, H1, PM_EMPTY);
    for (unsigned rank = 0; rank < 8; rank++)
        check_rank(&finding, rank, chess960);
    if (setup->side_to_move == PM_BLACK)
        add(&finding,
            (struct pm_setup_fault){.kind = PM_SETUP_BLACK_BEGINS, .square = PM_NO_SQUARE});
    return finding.count;
}

/* ---- Telling ---- */

/* "White's rook" */
static const char *name_piece(pm_piece piece, char text[24])
{
    snprintf(text, 24, "%s's %s", pm_color_text(pm_color_of(piece)), pm_piece_text(piece));
    return text;
}

static const char *square_color(pm_square square)
{
    return (pm_file_of(square) + pm_rank_of(square)) % 2 == 0 ? "dark" : "light";
}

static void tell_queen(const struct pm_setup_fault *fault, const char *square,
                       char text[PM_SETUP_TEXT_SIZE])
{
    char right[3], queen[24];
    const pm_square home = (pm_square)(fault->square - 1);
    snprintf(text, PM_SETUP_TEXT_SIZE,
             "%s: %s stands on %s, a %s square, and the king on hers: her own color is %s", square,
             name_piece(fault->found, queen), square, square_color(fault->square),
             pm_square_to_text(home, right));
}

char *pm_setup_fault_text(const struct pm_setup_fault *fault, char text[PM_SETUP_TEXT_SIZE])
{
    char square[3], found[24], right[24];
    const size_t size = PM_SETUP_TEXT_SIZE;
    pm_square_to_text(fault->square, square);
    const enum pm_piece_type type = pm_type_of(fault->found);
    const char *const color = pm_color_text(pm_color_of(fault->found));
    switch (fault->kind) {
    case PM_SETUP_BOARD_TURNED:
        snprintf(text, size,
                 "h1, a8: a dark square lies at each player's right hand, not a light one");
        break;
    case PM_SETUP_MISSING:
        if (fault->right == PM_EMPTY)
            snprintf(text, size, "%s: empty; a piece begins here", square);
        else
            snprintf(text, size, "%s: %s is missing", square, name_piece(fault->right, right));
        break;
    case PM_SETUP_WRONG_PIECE:
        snprintf(text, size, "%s: %s stands where %s begins", square,
                 name_piece(fault->found, found), name_piece(fault->right, right));
        break;
    case PM_SETUP_SURPLUS:
        snprintf(text, size, "%s: %s stands where it never begins", square,
                 name_piece(fault->found, found));
        break;
    case PM_SETUP_QUEEN_COLOR:
        tell_queen(fault, square, text);
        break;
    case PM_SETUP_COUNT:
        snprintf(text, size, "%s has %u %s%s on the first rank, not %u", color, fault->count,
                 pm_piece_text((pm_piece)type), fault->count == 1 ? "" : "s", right_counts[type]);
        break;
    case PM_SETUP_SAME_BISHOPS:
        snprintf(text, size, "%s: both bishops of %s stand on %s squares", square, color,
                 square_color(fault->square));
        break;
    case PM_SETUP_KING_OUTSIDE:
        snprintf(text, size, "%s: %s is not between the rooks", square,
                 name_piece(fault->found, found));
        break;
    case PM_SETUP_NOT_MIRRORED:
        snprintf(text, size, "%s: %s does not face White's, a %s", square,
                 name_piece(fault->found, found), pm_piece_text(fault->right));
        break;
    default:
        snprintf(text, size, "Black is to move");
        break;
    }
    return text;
}

static enum pm_setup_consequence follow(enum pm_setup_fault_kind kind)
{
    switch (kind) {
    case PM_SETUP_BOARD_TURNED:
        return PM_SETUP_MOVE_THE_PIECES;
    case PM_SETUP_BLACK_BEGINS:
        return PM_SETUP_WHITE_BEGINS;
    default:
        return PM_SETUP_VOID;
    }
}

enum pm_setup_consequence pm_setup_consequence_of(const struct pm_setup_fault faults[],
                                                  unsigned count)
{
    enum pm_setup_consequence gravest = PM_SETUP_PLAY;
    for (unsigned i = 0; i < count; i++) {
        const enum pm_setup_consequence consequence = follow(faults[i].kind);
        gravest = consequence > gravest ? consequence : gravest;
    }
    return gravest;
}

const char *pm_setup_consequence_text(enum pm_setup_consequence consequence)
{
    static const char *const texts[PM_SETUP_CONSEQUENCE_COUNT] = {
        [PM_SETUP_PLAY] = "White begins",
        [PM_SETUP_WHITE_BEGINS] = "White makes the first move",
        [PM_SETUP_MOVE_THE_PIECES] = "the pieces move to a board laid right, and play goes on",
        [PM_SETUP_VOID] = "the game is void and played again"};
    return consequence < PM_SETUP_CONSEQUENCE_COUNT ? texts[consequence] : "unknown";
}

/* ---- Chess960 numbers ---- */

/* How many files before this one are not taken. */
static unsigned free_before(const bool taken[FILES], unsigned file)
{
    unsigned before = 0;
    for (unsigned i = 0; i < file; i++)
        before += !taken[i];
    return before;
}

int pm_setup_number(const pm_piece board[PM_SQUARE_COUNT])
{
    pm_square bishops[FILES], queens[FILES], knights[FILES];
    bool taken[FILES] = {false};
    struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS];
    struct finding finding = {.board = board, .faults = faults};
    check_counts_960(&finding, PM_WHITE);
    check_order_960(&finding, PM_WHITE);
    if (finding.count > 0)
        return -1;
    find_pieces(board, PM_WHITE, PM_BISHOP, bishops);
    find_pieces(board, PM_WHITE, PM_QUEEN, queens);
    find_pieces(board, PM_WHITE, PM_KNIGHT, knights);
    /* The bishop on b, d, f or h; that on a, c, e or g; the queen among the six files left; both
     * knights among the five left then: 4 x 4 x 6 x 10. */
    const unsigned light = bishops[0] % 2 == 1 ? 0 : 1;
    taken[bishops[0]] = taken[bishops[1]] = true;
    const unsigned queen = free_before(taken, queens[0]);
    taken[queens[0]] = true;
    const unsigned first = free_before(taken, knights[0]);
    const unsigned second = free_before(taken, knights[1]);
    const unsigned pair = first * (9 - first) / 2 + second - first - 1;
    return (int)(((pair * 6 + queen) * 4 + bishops[1 - light] / 2) * 4 + bishops[light] / 2);
}
