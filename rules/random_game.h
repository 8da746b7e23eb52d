/* SPDX-License-Identifier: MIT */
/* Games of a player who picks any legal move with the same chance: PGN to test and measure with. */
#ifndef PM_RULES_RANDOM_GAME_H
#define PM_RULES_RANDOM_GAME_H

#include "core/kernel.h"
#include "core/status.h"

#include <stdint.h>
#include <stdio.h>

struct pm_random_games {
    uint64_t seed;
    unsigned max_plies; /* a game of so many moves ends without a result */
};

/* What plays; each thread needs its own. */
struct pm_random_player;

/* The kernel's init() was called. PM_ERROR_UNSUPPORTED if it does not tell attacks. */
enum pm_status pm_random_player_create(const struct pm_kernel *kernel,
                                       struct pm_random_player **player, struct pm_error *error);
void pm_random_player_destroy(struct pm_random_player *player); /* NULL is allowed */

/* Writes game number `index`: it depends on nothing but the seed, the index and max_plies, so any
 * kernel plays the same. It ends by checkmate, stalemate, a position in which neither side can
 * mate, the fifth occurrence of a position, 75 moves, or max_plies; the Result tag says how, the
 * Termination tag is "normal" or "unterminated". The players are "Random 1" to "Random 8". */
enum pm_status pm_random_game_write(struct pm_random_player *player,
                                    const struct pm_random_games *games, uint64_t index, FILE *out,
                                    struct pm_error *error);

#endif
