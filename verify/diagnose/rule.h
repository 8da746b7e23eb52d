/* SPDX-License-Identifier: MIT */
/* Names the rule that a wrong move is about, from the move and the position alone. */
#ifndef PM_VERIFY_DIAGNOSE_RULE_H
#define PM_VERIFY_DIAGNOSE_RULE_H

#include "core/board.h"

#include <stdbool.h>
#include <stdint.h>

enum pm_rule {
    PM_RULE_UNKNOWN,

    /* Illegal moves: what forbids them. */
    PM_RULE_NO_MOVE, /* text that is no move */
    PM_RULE_DOUBLED,
    PM_RULE_NO_PIECE, /* from an empty square, or the enemy's */
    PM_RULE_OWN_PIECE,
    PM_RULE_BOARD_WRAP,
    PM_RULE_JUMP,
    PM_RULE_MOVEMENT,
    PM_RULE_PUSH_BLOCKED,
    PM_RULE_DOUBLE_PUSH_RANK,
    PM_RULE_PAWN_TAKES_NOTHING,
    PM_RULE_PROMOTION_PIECE,
    PM_RULE_EN_PASSANT_SQUARE,
    PM_RULE_EN_PASSANT_RANK,         /* both pawns leave the king's rank */
    PM_RULE_EN_PASSANT_PIN_FILE,     /* the capturing pawn is pinned */
    PM_RULE_EN_PASSANT_PIN_DIAGONAL, /* the same */
    PM_RULE_EN_PASSANT_DISCOVERS,    /* the captured pawn shielded the king */
    PM_RULE_EN_PASSANT_NO_EVASION,
    PM_RULE_PIN_RANK,
    PM_RULE_PIN_FILE,
    PM_RULE_PIN_DIAGONAL,
    PM_RULE_NO_EVASION,
    PM_RULE_DOUBLE_CHECK_NO_KING, /* another piece than the king moves */
    PM_RULE_KING_INTO_CHECK,
    PM_RULE_KING_TAKES_DEFENDED,
    PM_RULE_KING_NEXT_TO_KING,
    PM_RULE_KING_ALONG_RAY,
    PM_RULE_CASTLING_RIGHT, /* no right: how it was lost is not known */
    PM_RULE_CASTLING_KING_MOVED,
    PM_RULE_CASTLING_ROOK_MOVED,
    PM_RULE_CASTLING_ROOK_CAPTURED,
    PM_RULE_CASTLING_BETWEEN,
    PM_RULE_CASTLING_IN_CHECK,
    PM_RULE_CASTLING_THROUGH,
    PM_RULE_CASTLING_INTO,
    PM_RULE_CASTLING_SHIELD, /* Chess960: the rook leaves the line of a check */

    /* Legal moves: what allows them. */
    PM_RULE_EN_PASSANT,
    PM_RULE_EN_PASSANT_CHECKS, /* discovers a check to the enemy's king */
    PM_RULE_EN_PASSANT_ALONG_PIN,
    PM_RULE_EN_PASSANT_TAKES_CHECKER,
    PM_RULE_EN_PASSANT_INTERPOSES,
    PM_RULE_CASTLING,
    PM_RULE_CASTLING_ROOK_ATTACKED, /* the rook, or a square that only the rook passes */
    PM_RULE_PROMOTION,
    PM_RULE_PIN_LINE,
    PM_RULE_EVASION_CAPTURE,
    PM_RULE_EVASION_INTERPOSES,
    PM_RULE_EVASION_KING_CAPTURE,
    PM_RULE_EVASION_KING_STEP,
    PM_RULE_DOUBLE_CHECK_KING,
    PM_RULE_KING_CAPTURE,
    PM_RULE_KING_STEP,
    PM_RULE_DOUBLE_PUSH,
    PM_RULE_PAWN_PUSH,
    PM_RULE_PAWN_CAPTURE,
    PM_RULE_CAPTURE,
    PM_RULE_QUIET,
    PM_RULE_COUNT
};

/* "en passant, pinned on the diagonal"; for a heading. */
const char *pm_rule_text(enum pm_rule rule);

/* "an en passant capture by a pawn that is pinned on a diagonal (illegal)": what a position
 * contains. */
const char *pm_rule_phrase(enum pm_rule rule);

struct pm_rule_query {
    /* The position and those before it, oldest first: they tell how a castling right was lost. */
    const struct pm_position *positions;
    unsigned position_count; /* at least 1 */
    bool chess960;           /* castling is written as king takes rook, and only so */
    /* A promotion that the list lacks is about promotion, unless all four are gone. */
    bool all_promotions;
};

#define PM_RULE_SENTENCE_SIZE 192

struct pm_rule_finding {
    enum pm_rule rule;
    char sentence[PM_RULE_SENTENCE_SIZE]; /* with the squares; no full stop */
};

/* Why a move given in UCI text is illegal (extra), or what it is though a generator lacks it
 * (missing). The caller knows which: it has the legal moves. */
void pm_rule_find(const struct pm_rule_query *query, const char *move, bool missing,
                  struct pm_rule_finding *finding);

/* The pieces of a color that attack a square, all pieces being where they are. */
uint64_t pm_rule_attackers(const pm_piece board[PM_SQUARE_COUNT], pm_square square,
                           enum pm_color by);

#endif
