/* SPDX-License-Identifier: MIT */
/* A position as a picture in text. */
#ifndef PM_CORE_BOARD_TEXT_H
#define PM_CORE_BOARD_TEXT_H

#include "core/board.h"
#include "core/kernel.h"

/* Eight ranks of "8  r  .  b … ", the files, a line about the marks, and the NUL. */
#define PM_BOARD_TEXT_SIZE 512

/* White's pieces are capitals. Given attacks (may be NULL), pieces that give check stand in [ ],
 * pinned ones in ( ). The en passant square is '*'. Each line ends with a newline and begins with
 * the given indentation of up to 8 blanks. Returns text. */
char *pm_board_to_text(const struct pm_position *position, const struct pm_attacks *attacks,
                       unsigned indentation, char text[PM_BOARD_TEXT_SIZE]);

#endif
