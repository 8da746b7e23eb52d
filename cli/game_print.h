/* SPDX-License-Identifier: MIT */
/* A replayed game as text, as a line of JSON or as a row of a table. */
#ifndef PM_CLI_GAME_PRINT_H
#define PM_CLI_GAME_PRINT_H

#include "rules/game.h"

#include <stdint.h>
#include <stdio.h>

enum game_format { GAME_TEXT, GAME_JSON, GAME_TSV, GAME_FORMAT_COUNT };

/* The line of column names that a TSV begins with; nothing in other formats. */
void game_print_header(FILE *out, enum game_format format);

/* PM_ERROR_MEMORY if the JSON could not be made. */
enum pm_status game_print(FILE *out, enum game_format format, const char *file,
                          const struct pm_game_report *report, const struct pm_history *history);

/* The same of a game that can't be read; `text` says why, in one line. */
enum pm_status game_print_unreadable(FILE *out, enum game_format format, const char *file,
                                     const struct pm_pgn_fault *fault, const char *text);

/* What is wrong with a game at fault, in one line without file and newline: "19:20: game 1: 41...
 * Z0: …; the position is FEN". */
void game_print_fault(FILE *out, const struct pm_game_report *report);

/* The sum over many games. */
struct game_totals {
    uint64_t games, unreadable, plies;
    uint64_t faults[PM_GAME_FAULT_COUNT]; /* PM_GAME_FINE: games replayed to their end */
    uint64_t scores[PM_SCORE_COUNT];      /* as said by tag or marker */
    uint64_t endings[PM_ENDING_COUNT];    /* of the games replayed to their end */
    uint64_t contradictory;
    uint64_t repetitions, threefold, fifty, automatic, played_on, perpetual; /* games with these */
};

void game_totals_add(struct game_totals *totals, const struct pm_game_report *report);

/* PM_ERROR_MEMORY as above. */
enum pm_status game_totals_print(FILE *out, enum game_format format,
                                 const struct game_totals *totals);

#endif
