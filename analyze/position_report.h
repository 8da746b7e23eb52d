/* SPDX-License-Identifier: MIT */
/* All that is said of one position, for a reader and for programs. */
#ifndef PM_ANALYZE_POSITION_REPORT_H
#define PM_ANALYZE_POSITION_REPORT_H

#include "analyze/facts.h"
#include "core/status.h"
#include "rules/helpmate.h"
#include "rules/san.h"

#include <stdbool.h>
#include <stdio.h>

/* What a move is listed under: the first that fits. */
enum pm_move_group {
    PM_GROUP_PROMOTION, /* capturing or not */
    PM_GROUP_EN_PASSANT,
    PM_GROUP_CAPTURE,
    PM_GROUP_CASTLING,
    PM_GROUP_CHECK,
    PM_GROUP_QUIET,
    PM_GROUP_COUNT
};

struct pm_reported_move {
    struct pm_move move;
    char san[PM_SAN_SIZE];
    enum pm_move_group group;
    int exchange; /* as pm_exchange_of_move() */
    struct pm_view_effect effect;
    enum pm_evasion evasion;
};

/* A piece and an enemy piece that has to do with it. */
struct pm_piece_pair {
    pm_square piece, enemy;
};

struct pm_position_report {
    /* Given by the caller; the view must outlive the report. */
    struct pm_view *view;
    bool chess960;     /* UCI castling as king takes rook */
    unsigned warnings; /* of the FEN: enum pm_fen_warning and pm_position_warning bits */
    bool has_last_move;
    struct pm_reported_move last_move; /* move and san only */

    /* Filled by pm_position_report_make() */
    struct pm_facts facts;
    char reason[PM_VERDICT_REASON_SIZE];
    enum pm_mate_chance chances[PM_COLOR_COUNT]; /* pm_helpmate_find() with the larger limit */
    unsigned castling[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT]; /* pm_castling_obstacles() */
    struct pm_piece_pair pins[8];                              /* and by whom */
    unsigned pin_count;
    /* Pawns that stand right to capture en passant, and who would then attack their king:
     * PM_NO_SQUARE if the capture is legal. */
    struct pm_piece_pair en_passant[2];
    unsigned en_passant_count;
    int at_stake[PM_SQUARE_COUNT]; /* what the enemy could win on the square of a hanging piece */
    unsigned move_count;
    struct pm_reported_move moves[PM_MAX_MOVES]; /* by group; captures that win most first */
};

void pm_position_report_make(struct pm_position_report *report);

/* Sections of lines, with a board. */
void pm_position_report_write_text(const struct pm_position_report *report, FILE *file);

/* One JSON object. PM_ERROR_MEMORY, PM_ERROR_IO. */
enum pm_status pm_position_report_write_json(const struct pm_position_report *report, FILE *file,
                                             struct pm_error *error);

/* "promotion", "en passant" …; "pawn" … "king"; "White", "Black". Never NULL. */
const char *pm_move_group_text(enum pm_move_group group);

#endif
