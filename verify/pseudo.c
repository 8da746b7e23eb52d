/* SPDX-License-Identifier: MIT */
/* Moves by the pieces's ways of moving alone. Their illegal ones are what play() must refuse. */
#include "verify/internal.h"

struct list {
    const struct pm_position *position;
    struct pm_move *moves;
    unsigned count;
};

static const int king_steps[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                     {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
static const int knight_steps[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                       {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

static bool on_board(int file, int rank)
{
    return ((file | rank) & ~7) == 0;
}

static void add(struct list *list, pm_square from, pm_square to, enum pm_move_kind kind)
{
    const bool promotes = pm_type_of(list->position->board[from]) == PM_PAWN &&
                          (pm_rank_of(to) == 0 || pm_rank_of(to) == 7);
    if (list->count < PM_MAX_MOVES)
        list->moves[list->count++] = (struct pm_move){
            .from = from, .to = to, .promotion = promotes ? PM_QUEEN : 0, .kind = (uint8_t)kind};
}

/* Adds the move to a square of that file and rank, if a piece of `color` may stand there; true if
 * the square was empty. */
static bool step(struct list *list, enum pm_color color, pm_square from, int file, int rank)
{
    if (!on_board(file, rank))
        return false;
    const pm_square to = pm_make_square((unsigned)file, (unsigned)rank);
    const pm_piece there = list->position->board[to];
    if (there == PM_EMPTY)
        add(list, from, to, PM_MOVE_QUIET);
    else if (pm_color_of(there) != color)
        add(list, from, to, PM_MOVE_CAPTURE);
    return there == PM_EMPTY;
}

static void leaper(struct list *list, enum pm_color color, pm_square from, const int steps[8][2])
{
    for (int i = 0; i < 8; i++)
        step(list, color, from, (int)pm_file_of(from) + steps[i][0],
             (int)pm_rank_of(from) + steps[i][1]);
}

static void slider(struct list *list, enum pm_color color, pm_square from, enum pm_piece_type type)
{
    for (int i = 0; i < 8; i++) {
        const bool diagonal = i % 2 != 0;
        int file = (int)pm_file_of(from);
        int rank = (int)pm_rank_of(from);
        if ((type == PM_ROOK && diagonal) || (type == PM_BISHOP && !diagonal))
            continue;
        do {
            file += king_steps[i][0];
            rank += king_steps[i][1];
        } while (step(list, color, from, file, rank));
    }
}

static void pawn_capture(struct list *list, enum pm_color color, pm_square from, int file, int rank)
{
    if (!on_board(file, rank))
        return;
    const pm_square to = pm_make_square((unsigned)file, (unsigned)rank);
    const pm_square beside = pm_make_square((unsigned)file, pm_rank_of(from));
    const pm_piece there = list->position->board[to];
    const enum pm_color enemy = color == PM_WHITE ? PM_BLACK : PM_WHITE;

    if (there != PM_EMPTY && pm_color_of(there) == enemy)
        add(list, from, to, PM_MOVE_CAPTURE);
    else if (there == PM_EMPTY && pm_rank_of(from) == (color == PM_WHITE ? 4 : 3) &&
             list->position->board[beside] == pm_make_piece(enemy, PM_PAWN))
        add(list, from, to, PM_MOVE_EN_PASSANT);
}

static void pawn(struct list *list, enum pm_color color, pm_square from)
{
    const pm_piece *board = list->position->board;
    const int forward = color == PM_WHITE ? 8 : -8;
    const int file = (int)pm_file_of(from);
    const int rank = (int)pm_rank_of(from) + forward / 8;
    const pm_square to = (pm_square)(from + forward);

    if (board[to] == PM_EMPTY) {
        add(list, from, to, PM_MOVE_QUIET);
        if (pm_rank_of(from) == (color == PM_WHITE ? 1 : 6) && board[to + forward] == PM_EMPTY)
            add(list, from, (pm_square)(to + forward), PM_MOVE_DOUBLE_PUSH);
    }
    pawn_capture(list, color, from, file - 1, rank);
    pawn_capture(list, color, from, file + 1, rank);
}

static void castling(struct list *list, enum pm_color color, pm_square king)
{
    if (pm_rank_of(king) != (color == PM_WHITE ? 0 : 7))
        return;
    for (unsigned file = 0; file < 8; file++) {
        const pm_square rook = pm_make_square(file, pm_rank_of(king));
        if (list->position->board[rook] == pm_make_piece(color, PM_ROOK))
            add(list, king, rook, PM_MOVE_CASTLING);
    }
}

static void piece_moves(struct list *list, enum pm_color color, pm_square from)
{
    const enum pm_piece_type type = pm_type_of(list->position->board[from]);
    switch (type) {
    case PM_PAWN:
        pawn(list, color, from);
        break;
    case PM_KNIGHT:
        leaper(list, color, from, knight_steps);
        break;
    case PM_KING:
        leaper(list, color, from, king_steps);
        castling(list, color, from);
        break;
    case PM_BISHOP:
    case PM_ROOK:
    case PM_QUEEN:
        slider(list, color, from, type);
        break;
    case PM_NO_PIECE_TYPE:
    case PM_PIECE_TYPE_COUNT:
        break;
    }
}

unsigned pm_verify_pseudo_moves(const struct pm_position *position, enum pm_color color,
                                struct pm_move moves[PM_MAX_MOVES])
{
    struct list list = {.position = position, .moves = moves};
    for (pm_square from = 0; from < PM_SQUARE_COUNT; from++) {
        const pm_piece piece = position->board[from];
        if (piece != PM_EMPTY && pm_color_of(piece) == color)
            piece_moves(&list, color, from);
    }
    return list.count;
}
