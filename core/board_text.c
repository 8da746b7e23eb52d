/* SPDX-License-Identifier: MIT */
#include "core/board_text.h"

#include "core/bits.h"
#include "core/move.h"

#include <stdio.h>
#include <string.h>

static char piece_at(const struct pm_position *position, pm_square square)
{
    static const char letters[2][PM_PIECE_TYPE_COUNT] = {{'.', 'P', 'N', 'B', 'R', 'Q', 'K'},
                                                         {'.', 'p', 'n', 'b', 'r', 'q', 'k'}};
    const pm_piece piece = position->board[square];
    if (piece == PM_EMPTY)
        return square == position->en_passant ? '*' : '.';
    return letters[pm_color_of(piece)][pm_type_of(piece)];
}

static char *put_piece(const struct pm_position *position, const struct pm_attacks *attacks,
                       pm_square square, char *out)
{
    const char *marks = "  ";
    if (attacks != NULL && (attacks->checkers & pm_bit(square)) != 0)
        marks = "[]";
    else if (attacks != NULL && (attacks->pinned & pm_bit(square)) != 0)
        marks = "()";
    *out++ = marks[0];
    *out++ = piece_at(position, square);
    *out++ = marks[1];
    return out;
}

static void put_marks(const struct pm_attacks *attacks, int indentation, char *out)
{
    const bool checkers = attacks != NULL && attacks->checkers != 0;
    const bool pinned = attacks != NULL && attacks->pinned != 0;
    if (!checkers && !pinned)
        return;
    sprintf(out, "%*s%s%s%s\n", indentation, "", checkers ? "[ ] gives check" : "",
            checkers && pinned ? ", " : "", pinned ? "( ) is pinned" : "");
}

char *pm_board_to_text(const struct pm_position *position, const struct pm_attacks *attacks,
                       unsigned indentation, char text[PM_BOARD_TEXT_SIZE])
{
    const int blanks = (int)(indentation < 8 ? indentation : 8);
    char *out = text;
    for (unsigned rank = 8; rank-- > 0;) {
        out += sprintf(out, "%*s%u ", blanks, "", rank + 1);
        for (unsigned file = 0; file < 8; file++)
            out = put_piece(position, attacks, pm_make_square(file, rank), out);
        while (out[-1] == ' ')
            out--;
        *out++ = '\n';
    }
    out += sprintf(out, "%*s   a  b  c  d  e  f  g  h   %s to move\n", blanks, "",
                   pm_color_text((enum pm_color)position->side_to_move));
    put_marks(attacks, blanks, out);
    return text;
}
