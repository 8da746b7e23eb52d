/* SPDX-License-Identifier: MIT */
/* One PGN game replayed: whether its moves are legal, how it ended, what could have been claimed.
 */
#ifndef PM_RULES_GAME_H
#define PM_RULES_GAME_H

#include "rules/history.h"
#include "rules/pgn.h"
#include "rules/result.h"
#include "rules/san.h"
#include "rules/verdict.h"
#include "rules/view.h"

#include <stdbool.h>
#include <stddef.h>

/* What replays games one after another with one kernel; each thread needs its own. */
struct pm_game_player;

/* The kernel's init() was called. PM_ERROR_UNSUPPORTED if it does not tell attacks. */
enum pm_status pm_game_player_create(const struct pm_kernel *kernel, struct pm_game_player **player,
                                     struct pm_error *error);
void pm_game_player_destroy(struct pm_game_player *player); /* NULL is allowed */

/* Why a game could not be replayed to its end. */
enum pm_game_fault {
    PM_GAME_FINE,
    PM_GAME_BAD_VARIANT,  /* the Variant tag names another game than chess or Chess960 */
    PM_GAME_BAD_POSITION, /* the FEN tag can't be read or played, or is missing though SetUp is 1 */
    PM_GAME_NO_MOVE,      /* a word that is no move */
    PM_GAME_ILLEGAL,
    PM_GAME_AMBIGUOUS,
    PM_GAME_FAULT_COUNT
};

/* "fine", "bad variant", "illegal" … Never NULL. */
const char *pm_game_fault_text(enum pm_game_fault fault);

/* The first time that a player could have claimed a draw: ply PM_NO_PLY if never. `move` is what he
 * would have had to write down first (9.2.1, 9.3.1); "" if the position on the board was enough. */
struct pm_game_claim {
    size_t ply;
    char move[PM_SAN_SIZE];
};

/* A position that occurred three times or more. */
struct pm_game_repetition {
    size_t last_ply; /* the others by pm_history_previous_ply() */
    unsigned count;
};

/* Plies count the positions: 0 is the start, n the position after n moves of the game. */
struct pm_game_report {
    const struct pm_pgn_game *game;
    bool chess960;  /* by its Variant tag or its castling rights */
    bool is_set_up; /* it begins from a FEN tag */
    size_t plies;   /* replayed */
    struct pm_position start, last;

    enum pm_game_fault fault;
    const struct pm_pgn_move *fault_move; /* NULL: a tag is at fault */
    uint64_t fault_line;
    unsigned fault_column;
    struct pm_error fault_error; /* what is wrong, without the place */

    /* Of the last position; PM_VERDICT_OPEN and "" after a fault. */
    enum pm_verdict verdict;
    char reason[PM_VERDICT_REASON_SIZE];
    struct pm_game_result result;

    const struct pm_game_repetition *repetitions; /* the player's, until it replays again */
    size_t repetition_count;
    struct pm_game_claim threefold, fifty;
    size_t automatic_ply; /* of the first automatic draw, or PM_NO_PLY; below `plies`: played on */
    enum pm_ending automatic;    /* PM_ENDING_REPETITION, MOVE_COUNT or MATERIAL */
    bool before_automatic_draws; /* by its Date tag: the first two were no law yet */
    size_t perpetual_ply;        /* where checks without end were there first, or PM_NO_PLY */
    enum pm_color perpetual_by;
};

/* Replays a game into a report, which borrows from game and player. A game at fault is told in the
 * report, with PM_OK; PM_ERROR_MEMORY, or what the kernel answers, else. */
enum pm_status pm_game_replay(struct pm_game_player *player, const struct pm_pgn_game *game,
                              struct pm_game_report *report, struct pm_error *error);

/* The positions of the game replayed last. */
const struct pm_history *pm_game_history(const struct pm_game_player *player);

/* "12. Nf3" or "12... Nf6": the move that led to the position of that ply, from 1, in the game's
 * own word for it. Also for the move after the last one replayed. Returns text. */
#define PM_GAME_MOVE_SIZE 64
char *pm_game_move_text(const struct pm_game_report *report, size_t ply,
                        char text[PM_GAME_MOVE_SIZE]);

#endif
