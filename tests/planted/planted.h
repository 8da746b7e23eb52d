/* SPDX-License-Identifier: MIT */
/* A kernel with one bug, for tests of the harness alone: it wraps a real kernel through the
 * contract and spoils what passes. Its state is a neutral position, and its perft() uses its own
 * legal_moves() and play(), so a bug in the moves shows in the counts too. */
#ifndef PM_VERIFY_PLANTED_H
#define PM_VERIFY_PLANTED_H

#include "core/kernel.h"

enum pm_planted_bug {
    PM_PLANTED_NONE,
    PM_PLANTED_NO_KNIGHT_PROMOTION,
    PM_PLANTED_RIGHT_SURVIVES_CAPTURE, /* a castling right stays when its rook is captured */
    PM_PLANTED_RIGHT_SURVIVES_MOVE,    /* … when its rook moves away */
    PM_PLANTED_ILLEGAL_EN_PASSANT,     /* en passant though the king is in check afterwards */
    PM_PLANTED_NO_EN_PASSANT_EVASION,  /* in check, en passant is never given */
    PM_PLANTED_CASTLING_OUT_OF_CHECK,
    PM_PLANTED_CASTLING_THROUGH_CHECK,
    PM_PLANTED_CASTLING_OVER_PIECE, /* queenside with a piece on the b-file */
    PM_PLANTED_DOUBLED_MOVE,
    PM_PLANTED_PAWN_LEFT,        /* play() of en passant leaves the captured pawn */
    PM_PLANTED_CLOCK_NOT_RESET,  /* by captures */
    PM_PLANTED_CLOCK_WRAPS,      /* the full-move number, from 65535 to 0 */
    PM_PLANTED_STALE_EN_PASSANT, /* the square stays for one move longer */
    PM_PLANTED_REFUSES_NOTHING,  /* play() answers PM_OK to everything */
    PM_PLANTED_REFUSAL_CHANGES,  /* play() refuses, but the side to move has changed */
    PM_PLANTED_WRONG_KIND,       /* captures called quiet */
    PM_PLANTED_BULK_STALEMATE,   /* mode bulk counts 1 where there is no move */
    PM_PLANTED_LAST_SQUARE,      /* mode make: no move to h8 at the last ply */
    PM_PLANTED_ROUND_TRIP,       /* set_position() forgets black's queenside right */
    PM_PLANTED_PINNED,           /* attacks() gives no pinned pieces */
    PM_PLANTED_KEY_LEFTOVER,     /* captures leave the captured piece in the key */
    PM_PLANTED_KEY_SIDE,         /* the key forgets the side to move */
    PM_PLANTED_KEY_CLOCK,        /* the halfmove clock counts in the key */
    PM_PLANTED_COUNT
};

/* The bug's name: "no knight promotion". */
const char *pm_planted_text(enum pm_planted_bug bug);

/* Chooses the kernel to wrap and the bug. Not thread-safe; the kernel returned is always the same.
 */
const struct pm_kernel *pm_planted(const struct pm_kernel *base, enum pm_planted_bug bug);

#endif
