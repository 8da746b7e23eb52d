/* SPDX-License-Identifier: MIT */
/* Points and grades after the founding rule. What the winner gains, the loser loses; after a draw
 * the lower-rated gains what the higher-rated loses. With d the difference of the ratings:
 *
 *     d                    draw: lower gains   lower-rated wins   higher-rated wins
 *     below 10             0                   10                 10
 *     10 and below 100     (10 + d/10) / 2     10 + d/10          10 - d/12.5
 *     100 and below 200    d/4                 d/2                2
 *     200 and more         d/4                 d/2                0
 *
 * Differences need not be whole: the bounds are compared exactly, so 9.5 is below 10, and 99.9
 * below 100. Between equals a win is worth 10 points and a draw nothing. Points may fall below 0.
 *
 * Grades: none below 100 points, 30 from 100 to below 200, 29 from 200 to below 300, … 1 from 3000
 * on. A rating is settled after 50 games.
 *
 * Arithmetic is exact. Every divisor of the rule (2, 4, 10, 12.5) is made of twos and fives, so
 * from decimal points only decimal points come: a rating is a whole number over a power of ten,
 * held by GMP's integers, and its exact value can always be written down. Among 20 players it grows
 * by about one digit in three games, and the cost of a game grows with it. (GMP ends the program
 * when memory is out.) */
#ifndef PM_RULES_RATING_RATING_H
#define PM_RULES_RATING_RATING_H

#include "core/status.h"
#include "rules/score.h"

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_RATING_SETTLED 50 /* games */
#define PM_RATING_ROUNDING "rounded to one decimal, halves away from zero"

/* scaled / 10^places, with the fewest places. */
struct pm_points {
    mpz_t scaled;
    unsigned long places;
};

void pm_points_init(struct pm_points *points); /* 0 */
void pm_points_clear(struct pm_points *points);

/* Reads a decimal such as 1000, -3 or 1012.4875: an integer part of 1 to 9 digits and any number of
 * decimals. PM_ERROR_PARSE, or PM_ERROR_MEMORY. */
enum pm_status pm_points_read(const char *text, struct pm_points *points);

/* As pm_points_read() takes them; the caller's to free(). NULL: no memory. */
char *pm_points_exact(const struct pm_points *points);
char *pm_points_rounded(const struct pm_points *points); /* PM_RATING_ROUNDING: "1012.5" */

/* 30 … 1, or 0 for none. */
int pm_points_grade(const struct pm_points *points);

struct pm_player {
    char *name;
    struct pm_points points;
    uint64_t earlier; /* games before these, which count towards PM_RATING_SETTLED */
    uint64_t won, drawn, lost;
    int64_t opponents; /* the sum of the opponents' points before each of these games, each rounded
                          to a whole number */
};

/* All games: the earlier ones too. */
uint64_t pm_player_games(const struct pm_player *player);

/* The performance rating by FIDE's table (Handbook B.02, 8.1.1): the average of the opponents'
 * points and what the share of the score adds to it, as in a tournament of players with these
 * ratings. False if none of these games was his. */
bool pm_player_performance(const struct pm_player *player, int64_t *performance);

struct pm_rated_game {
    struct pm_player *white, *black; /* not the same */
    enum pm_score score;             /* PM_SCORE_WHITE, PM_SCORE_BLACK or PM_SCORE_DRAW */
};

struct pm_ratings;

/* Players who are not known start with `initial` points. NULL: no memory. */
struct pm_ratings *pm_ratings_new(const struct pm_points *initial);
void pm_ratings_free(struct pm_ratings *ratings); /* NULL is allowed */

/* The player of that name, who enters now if there is none yet; NULL when memory is out. *is_new
 * may be NULL. */
struct pm_player *pm_ratings_player(struct pm_ratings *ratings, const char *name, bool *is_new);

/* Rates games that count as played at the same time: each by the points that its players had before
 * all of them. Games after one another are rated by a call each. PM_ERROR_MEMORY: none was rated.
 */
enum pm_status pm_ratings_play(struct pm_ratings *ratings, const struct pm_rated_game games[],
                               size_t count);

/* A line of the ranking. Players with equal points share the rank, by name in byte order. */
struct pm_ranked {
    const struct pm_player *player;
    size_t rank; /* from 1 */
};

/* The ranking, the caller's to free(), with *count lines; NULL when memory is out. The players stay
 * those of the ratings. */
struct pm_ranked *pm_ratings_rank(const struct pm_ratings *ratings, size_t *count);

#endif
