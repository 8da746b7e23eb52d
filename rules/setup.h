/* SPDX-License-Identifier: MIT */
/* The board before the first move: whether it lies right and every piece stands where the game
 * begins, and what follows if not. */
#ifndef PM_RULES_SETUP_H
#define PM_RULES_SETUP_H

#include "core/board.h"

#include <stdbool.h>

/* Pieces by seat: a1 is the near left corner as White sees it, whatever its color. */
struct pm_setup {
    pm_piece board[PM_SQUARE_COUNT];
    bool board_turned; /* the square at each player's right hand is dark */
    enum pm_color side_to_move;
};

enum pm_setup_fault_kind {
    PM_SETUP_BOARD_TURNED,
    PM_SETUP_MISSING,      /* no piece where one begins */
    PM_SETUP_WRONG_PIECE,  /* another piece than the one that begins there */
    PM_SETUP_SURPLUS,      /* a piece where none begins */
    PM_SETUP_QUEEN_COLOR,  /* queen and king have changed places: she is not on her own color */
    PM_SETUP_COUNT,        /* Chess960: too many or too few of a kind on the first rank */
    PM_SETUP_SAME_BISHOPS, /* Chess960: both bishops on squares of one color */
    PM_SETUP_KING_OUTSIDE, /* Chess960: the king is not between the rooks */
    PM_SETUP_NOT_MIRRORED, /* Chess960: Black's piece is not the one that White has on this file */
    PM_SETUP_BLACK_BEGINS, /* Black is to move */
    PM_SETUP_FAULT_COUNT
};

struct pm_setup_fault {
    enum pm_setup_fault_kind kind;
    pm_square square;      /* PM_NO_SQUARE for PM_SETUP_COUNT and PM_SETUP_BLACK_BEGINS */
    pm_piece found, right; /* on the square; for PM_SETUP_COUNT `found` is the kind */
    unsigned count;        /* for PM_SETUP_COUNT: how many there are */
};

#define PM_SETUP_MAX_FAULTS 96

/* Compares with the start array of standard chess, or with the rules for a Chess960 start: the
 * first rank's pieces in any order, but with bishops on both colors and the king between the rooks,
 * Black mirroring White. Returns the number of faults, rank by rank. */
unsigned pm_setup_check(const struct pm_setup *setup, bool chess960,
                        struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS]);

#define PM_SETUP_TEXT_SIZE 128

/* "a1: White's rook is missing". Returns text. */
char *pm_setup_fault_text(const struct pm_setup_fault *fault, char text[PM_SETUP_TEXT_SIZE]);

/* What follows from one fault, and from several the gravest: */
enum pm_setup_consequence {
    PM_SETUP_PLAY,            /* none: White begins */
    PM_SETUP_WHITE_BEGINS,    /* the pieces are right; it is White who makes the first move */
    PM_SETUP_MOVE_THE_PIECES, /* the pieces move to a board laid right, and play goes on */
    PM_SETUP_VOID,            /* the game is void and played again */
    PM_SETUP_CONSEQUENCE_COUNT
};
enum pm_setup_consequence pm_setup_consequence_of(const struct pm_setup_fault faults[],
                                                  unsigned count);

/* The consequence in a sentence without a full stop. Never NULL. */
const char *pm_setup_consequence_text(enum pm_setup_consequence consequence);

/* The number, 0 to 959, of a Chess960 start without faults in R. Scharnagl's order (518 is standard
 * chess); -1 if White's first rank is no such start. */
int pm_setup_number(const pm_piece board[PM_SQUARE_COUNT]);

#endif
