/* SPDX-License-Identifier: MIT */
#include "core/move.h"

#include <stdio.h>
#include <string.h>

char *pm_square_to_text(pm_square square, char text[3])
{
    if (square >= PM_SQUARE_COUNT)
        return strcpy(text, "-");
    text[0] = (char)('a' + pm_file_of(square));
    text[1] = (char)('1' + pm_rank_of(square));
    text[2] = '\0';
    return text;
}

static pm_square king_target(const struct pm_move *castling)
{
    const unsigned file = castling->to > castling->from ? 6 : 2; /* g, c */
    return pm_make_square(file, pm_rank_of(castling->from));
}

char *pm_move_to_text(const struct pm_move *move, enum pm_castling_text castling,
                      char text[PM_MOVE_TEXT_SIZE])
{
    static const char letters[PM_PIECE_TYPE_COUNT] = {
        [PM_KNIGHT] = 'n', [PM_BISHOP] = 'b', [PM_ROOK] = 'r', [PM_QUEEN] = 'q'};
    const bool to_target = move->kind == PM_MOVE_CASTLING && castling == PM_CASTLING_KING_TARGET;
    char to[3];
    pm_square_to_text(move->from, text);
    strcat(text, pm_square_to_text(to_target ? king_target(move) : move->to, to));
    strncat(text, &letters[move->promotion], 1);
    return text;
}

static int find_as(const struct pm_move moves[], unsigned count, enum pm_castling_text castling,
                   const char *text)
{
    char candidate[PM_MOVE_TEXT_SIZE];
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(pm_move_to_text(&moves[i], castling, candidate), text) == 0)
            return (int)i;
    }
    return -1;
}

int pm_move_find(const struct pm_move moves[], unsigned count, const char *text)
{
    char wanted[PM_MOVE_TEXT_SIZE] = "";
    if (strlen(text) >= sizeof wanted)
        return -1;
    strcpy(wanted, text);
    if (wanted[4] >= 'A' && wanted[4] <= 'Z')
        wanted[4] = (char)(wanted[4] + ('a' - 'A'));
    /* Chess960: f1g1 may be a king's step and, as a target, castling; the step has the first claim.
     */
    const int index = find_as(moves, count, PM_CASTLING_TAKES_ROOK, wanted);
    return index >= 0 ? index : find_as(moves, count, PM_CASTLING_KING_TARGET, wanted);
}

char *pm_move_describe(const struct pm_move *move, bool chess960,
                       char text[PM_MOVE_DESCRIPTION_SIZE])
{
    if (move->from < PM_SQUARE_COUNT && move->to < PM_SQUARE_COUNT && move->promotion <= PM_QUEEN)
        return pm_move_to_text(move, chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET,
                               text);
    snprintf(text, PM_MOVE_DESCRIPTION_SIZE, "(from %d, to %d, promotion %d)", move->from, move->to,
             move->promotion);
    return text;
}

static int move_key(const struct pm_move *move)
{
    return move->from << 16 | move->to << 8 | move->promotion;
}

int pm_move_compare(const void *a, const void *b)
{
    return move_key(a) - move_key(b);
}

const char *pm_piece_text(pm_piece piece)
{
    static const char *const texts[8] = {"nothing", "pawn",  "knight", "bishop",
                                         "rook",    "queen", "king",   "nothing"};
    return texts[pm_type_of(piece)];
}

const char *pm_color_text(enum pm_color color)
{
    return color == PM_WHITE ? "White" : "Black";
}
