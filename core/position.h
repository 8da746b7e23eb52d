/* SPDX-License-Identifier: MIT */
/* What can be said of a position without generating moves: validity, equality, color mirror, and
 * whether an en passant square counts. */
#ifndef PM_CORE_POSITION_H
#define PM_CORE_POSITION_H

#include "core/board.h"
#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Faults make a position unplayable: no kernel is given it. The first that holds is reported. */
enum pm_position_fault {
    PM_FAULT_NONE,
    PM_FAULT_VALUE, /* a field out of its range: piece code, side, square, full-move number 0 */
    PM_FAULT_KING_COUNT,        /* a side without a king, or with several */
    PM_FAULT_PAWN_RANK,         /* a pawn on the first or last rank */
    PM_FAULT_OPPONENT_IN_CHECK, /* the side not to move is in check */
    PM_FAULT_CASTLING,   /* a right without king and own rook on the first rank, or king not between
                            the two castling rooks' sides */
    PM_FAULT_EN_PASSANT, /* no enemy pawn in front of the square, or something on or behind it,
                            or a wrong rank for the side to move */
    PM_FAULT_COUNT
};

/* Warnings: playable, but no game leads there. Known suites contain such positions. Bits. */
enum pm_position_warning {
    PM_WARN_MATERIAL = 1 << 0, /* more than 16 pieces a side, 8 pawns, or more promoted pieces than
                                  missing pawns */
    PM_WARN_CHECKERS =
        1 << 1,                  /* checks that no single move can have given: three checkers, two
                                    knights, two on one line, a check unexplained by the double push */
    PM_WARN_EN_PASSANT = 1 << 2, /* before the double push the side to move was already in check */
    PM_WARN_CLOCK = 1 << 3       /* halfmove clock over 150: the game was over (75-move rule) */
};

/* Short names for messages: "king count", "unreachable: checkers", … Never NULL. */
const char *pm_position_fault_text(enum pm_position_fault fault);
const char *pm_position_warning_text(enum pm_position_warning warning);

/* The first fault, or PM_FAULT_NONE. On PM_FAULT_NONE *warnings (if not NULL) gets the warning
 * bits. */
enum pm_position_fault pm_position_check(const struct pm_position *position, unsigned *warnings);

/* Same pieces, side, castling rooks, en passant square and clocks, field by field. */
bool pm_position_equal(const struct pm_position *a, const struct pm_position *b);

/* Drops the en passant square unless a capture on it is legal: of two positions that the rules
 * treat alike, the canonical forms are equal. */
void pm_position_canonicalize(struct pm_position *position);

/* Whether some pawn of the side to move may legally capture on position->en_passant. */
bool pm_position_en_passant_is_legal(const struct pm_position *position);

/* Whether a piece of `by` attacks `square` with the board as it is. */
bool pm_position_is_attacked(const struct pm_position *position, pm_square square,
                             enum pm_color by);

/* Colors exchanged and the board turned upside down (rank 1 becomes rank 8): perft is unchanged.
 */
struct pm_position pm_position_mirror(const struct pm_position *position);

/* Whether standard chess can express its castling rights: kings on e1/e8, rooks on a/h files. */
bool pm_position_is_standard(const struct pm_position *position);

/* The deepest perft whose count fits 64 bits for sure: PM_KERNEL_MAX_DEPTH, or 6 (1024^6 = 2^60)
 * when a side has more pieces than a game allows (PM_WARN_MATERIAL). */
int pm_kernel_depth_limit(const struct pm_position *position);

#endif
