/* SPDX-License-Identifier: MIT */
/* Standard algebraic notation (FIDE Laws, appendix C; the PGN standard, section 8.2.3). */
#ifndef PM_RULES_SAN_H
#define PM_RULES_SAN_H

#include "rules/view.h"

#include <stddef.h>

#define PM_SAN_SIZE 12 /* the longest, "Qa1xb2#" or "bxa8=Q#", and its NUL */

/* Writes a move of view->moves: file, rank or both before the target only if another piece of the
 * same kind may legally go there; '+' and '#' as the opponent's answer says; castling O-O, O-O-O.
 * Returns text. */
char *pm_san_write(struct pm_view *view, const struct pm_move *move, char text[PM_SAN_SIZE]);

enum pm_san_fault {
    PM_SAN_OK,
    PM_SAN_NO_MOVE,  /* the text is no move in any notation that is read */
    PM_SAN_ILLEGAL,  /* no legal move fits */
    PM_SAN_AMBIGUOUS /* several do */
};

/* Finds the move that a text names: SAN, with or without 'x', '+', '#', "!?" suffixes, "e.p.",
 * '=' ; castling with letters O or o or digits 0; more disambiguation than needed; and UCI text,
 * castling in either of its ways. On PM_SAN_OK *move is the move. Otherwise `error` (may be NULL)
 * says what is wrong: the text seen, and what fits: "Nd2 is ambiguous: Nbd2 or Nfd2". Pawn moves
 * need their promotion piece (obligatory). */
enum pm_san_fault pm_san_read(struct pm_view *view, const char *text, size_t length,
                              struct pm_move *move, struct pm_error *error);

#endif
