/* SPDX-License-Identifier: MIT */
/* Text of moves, pieces and squares. */
#ifndef PM_CORE_MOVE_H
#define PM_CORE_MOVE_H

#include "core/board.h"

/* How castling is written in UCI. */
enum pm_castling_text {
    PM_CASTLING_KING_TARGET, /* standard chess: e1g1 */
    PM_CASTLING_TAKES_ROOK   /* UCI_Chess960: e1h1 */
};

#define PM_MOVE_TEXT_SIZE 6 /* "a7b8q" and its NUL */

/* Writes UCI text: from, to, and n, b, r or q for a promotion. Returns text. */
char *pm_move_to_text(const struct pm_move *move, enum pm_castling_text castling,
                      char text[PM_MOVE_TEXT_SIZE]);

/* UCI text of a move, or its bytes if a square or piece is out of range. Returns text. */
#define PM_MOVE_DESCRIPTION_SIZE 40
char *pm_move_describe(const struct pm_move *move, bool chess960,
                       char text[PM_MOVE_DESCRIPTION_SIZE]);

/* Finds the move of a list that UCI text names: lower or upper case promotion, either way of
 * writing castling where that is unambiguous. Returns its index, or -1. */
int pm_move_find(const struct pm_move moves[], unsigned count, const char *text);

/* For sorting: by squares, then promotion; < 0, 0 or > 0 in the manner of qsort. */
int pm_move_compare(const void *a, const void *b);

/* "pawn", "knight" … of a piece or a piece type; "White", "Black". */
const char *pm_piece_text(pm_piece piece);
const char *pm_color_text(enum pm_color color);

/* "e4" and its NUL; "-" for PM_NO_SQUARE. Returns text. */
char *pm_square_to_text(pm_square square, char text[3]);

#endif
