/* SPDX-License-Identifier: MIT */
/* How a game ended: what its tags say, what the board says, and whether they agree. */
#ifndef PM_RULES_RESULT_H
#define PM_RULES_RESULT_H

#include "core/board.h"
#include "rules/score.h"
#include "rules/verdict.h"

#include <stdbool.h>

/* Why a game ended. */
enum pm_ending {
    PM_ENDING_UNKNOWN, /* nothing says it */
    PM_ENDING_NORMAL,  /* a Termination tag's word that leaves open which */
    PM_ENDING_CHECKMATE,
    PM_ENDING_RESIGNATION,
    PM_ENDING_TIME,
    PM_ENDING_AGREEMENT,
    PM_ENDING_STALEMATE,
    PM_ENDING_MATERIAL, /* neither side can mate; other dead positions too */
    PM_ENDING_REPETITION,
    PM_ENDING_MOVE_COUNT, /* fifty or seventy-five moves */
    PM_ENDING_PERPETUAL,
    PM_ENDING_INFRACTION,
    PM_ENDING_ABANDONED,
    PM_ENDING_ADJUDICATION,
    PM_ENDING_EMERGENCY, /* death of a player among them */
    PM_ENDING_UNTERMINATED,
    PM_ENDING_COUNT
};

/* "checkmate", "resignation", "time forfeit" … Never NULL. */
const char *pm_ending_text(enum pm_ending ending);

/* Of a Termination tag as the PGN standard, servers and tournament programs write it: "time
 * forfeit", "Alice won by resignation", "Game drawn by timeout vs insufficient material".
 * PM_ENDING_UNKNOWN for NULL and for what is none of these. The players' names (each may be NULL),
 * as in "Flagg resigned", do not count. */
enum pm_ending pm_ending_read(const char *termination, const char *white, const char *black);

/* Whether a Date tag (may be NULL) names a day before July 2014, when fivefold repetition and 75
 * moves became draws without a claim. False if it leaves that open. */
bool pm_date_is_before_automatic_draws(const char *date);

/* What is known of a game. Where its moves could not be replayed to the end, nothing is said of the
 * board: `is_complete` is false, and the fields below it are not looked at. */
struct pm_game_result_facts {
    const char *result_tag, *marker, *termination, *white, *black; /* each may be NULL */
    bool before_automatic_draws; /* played when no draw came without a claim but by a dead position
                                  */
    bool is_complete;
    enum pm_verdict verdict; /* of the last position */
    enum pm_color side_to_move;
    unsigned draws;          /* enum pm_draw bits (rules/history.h) of the last position */
    unsigned claims;         /* … that its side to move could have claimed by a move */
    enum pm_ending drawn_by; /* the automatic draw that some position before the last one was; else
                                PM_ENDING_UNKNOWN. This is known of an incomplete game too */
    /* Proved of the last position (rules/dead.h); asked only where `termination` is loss on time.
     */
    bool cannot_mate[PM_COLOR_COUNT];
};

/* What does not fit, bits. "*" contradicts nothing. */
enum pm_contradiction {
    PM_CONTRADICTION_MARKER = 1 << 0,      /* the Result tag and the move text's end differ */
    PM_CONTRADICTION_BOARD = 1 << 1,       /* the last position has another result */
    PM_CONTRADICTION_DRAWN = 1 << 2,       /* won, but an automatic draw came before */
    PM_CONTRADICTION_TIME = 1 << 3,        /* won on time by a side that can't mate; or drawn on
                                              time, though both can mate */
    PM_CONTRADICTION_TERMINATION = 1 << 4, /* the Termination tag names an end that the board does
                                              not show, or that has another result */
    PM_CONTRADICTION_UNREADABLE = 1 << 5   /* the Result tag is no result */
};

/* One bit's text: "the Result tag and the end of the move text differ". Never NULL. */
const char *pm_contradiction_text(enum pm_contradiction contradiction);

struct pm_game_result {
    enum pm_score tag, marker;
    enum pm_score said;  /* the tag's if it says something, else the marker's */
    enum pm_score board; /* by the rules alone: an automatic draw ends the game, whatever was played
                            later; PM_SCORE_OPEN if play could have gone on, or if that is not
                            known */
    enum pm_score right; /* the board's if it has one; a draw where time ran out against a side that
                            can't mate; else what was said */
    enum pm_ending ending;
    bool is_assumed; /* the ending follows from the result, no tag names it */
    unsigned contradictions;
};

void pm_game_result_judge(const struct pm_game_result_facts *facts, struct pm_game_result *result);

#endif
