/* SPDX-License-Identifier: MIT */
#include "rules/rating/rating.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points */

void pm_points_init(struct pm_points *points)
{
    mpz_init(points->scaled);
    points->places = 0;
}

void pm_points_clear(struct pm_points *points)
{
    mpz_clear(points->scaled);
}

static void drop_zeros(struct pm_points *points)
{
    if (mpz_sgn(points->scaled) == 0)
        points->places = 0;
    for (;
         points->places > 0 && mpz_even_p(points->scaled) && mpz_divisible_ui_p(points->scaled, 5);
         points->places--)
        mpz_divexact_ui(points->scaled, points->scaled, 10);
}

enum pm_status pm_points_read(const char *text, struct pm_points *points)
{
    const char *digits = text + (*text == '+' || *text == '-');
    const size_t whole = strspn(digits, "0123456789");
    const char *dot = digits + whole;
    const size_t decimals = *dot == '.' ? strspn(dot + 1, "0123456789") : 0;
    if (whole < 1 || whole > 9 || (*dot == '.' && decimals == 0) ||
        dot[decimals > 0 ? decimals + 1 : 0] != '\0')
        return PM_ERROR_PARSE;
    char *all = malloc(whole + decimals + 1);
    if (all == NULL)
        return PM_ERROR_MEMORY;
    memcpy(all, digits, whole);
    memcpy(all + whole, dot + 1, decimals);
    all[whole + decimals] = '\0';
    mpz_set_str(points->scaled, all, 10);
    free(all);
    if (*text == '-')
        mpz_neg(points->scaled, points->scaled);
    points->places = decimals;
    drop_zeros(points);
    return PM_OK;
}

/* scaled / 10^places as text. */
static char *write_decimal(const mpz_t scaled, unsigned long places)
{
    const size_t size = mpz_sizeinbase(scaled, 10) + places + 4;
    const char *sign = mpz_sgn(scaled) < 0 ? "-" : "";
    char *digits = malloc(size);
    char *text = malloc(size);
    if (digits != NULL && text != NULL) {
        mpz_t magnitude;
        mpz_init(magnitude);
        mpz_abs(magnitude, scaled);
        mpz_get_str(digits, 10, magnitude);
        mpz_clear(magnitude);
        const size_t length = strlen(digits);
        const size_t whole = length > places ? length - places : 0;
        char *out = text + sprintf(text, "%s%.*s", sign, whole > 0 ? (int)whole : 1,
                                   whole > 0 ? digits : "0");
        if (places > 0) {
            *out++ = '.';
            for (size_t zeros = length; zeros < places; zeros++)
                *out++ = '0';
            strcpy(out, digits + whole);
        }
        free(digits);
        return text;
    }
    free(digits);
    free(text);
    return NULL;
}

char *pm_points_exact(const struct pm_points *points)
{
    return write_decimal(points->scaled, points->places);
}

char *pm_points_rounded(const struct pm_points *points)
{
    mpz_t tenths, divisor, half;
    mpz_inits(tenths, divisor, half, NULL);
    mpz_ui_pow_ui(divisor, 10, points->places);
    mpz_mul_ui(tenths, points->scaled, 20);
    mpz_set(half, divisor);
    if (mpz_sgn(tenths) < 0)
        mpz_neg(half, half);
    mpz_add(tenths, tenths, half);
    mpz_mul_ui(divisor, divisor, 2);
    mpz_tdiv_q(tenths, tenths, divisor);
    char *text = write_decimal(tenths, 1);
    mpz_clears(tenths, divisor, half, NULL);
    return text;
}

int pm_points_grade(const struct pm_points *points)
{
    mpz_t hundreds, divisor;
    mpz_inits(hundreds, divisor, NULL);
    mpz_ui_pow_ui(divisor, 10, points->places + 2);
    mpz_fdiv_q(hundreds, points->scaled, divisor);
    const int grade = mpz_cmp_si(hundreds, 1) < 0     ? 0
                      : mpz_cmp_si(hundreds, 30) >= 0 ? 1
                                                      : 31 - (int)mpz_get_si(hundreds);
    mpz_clears(hundreds, divisor, NULL);
    return grade;
}

/* sum = a + b, or a - b. */
static void combine(struct pm_points *sum, const struct pm_points *a, const struct pm_points *b,
                    bool subtract)
{
    const struct pm_points *finer = a->places >= b->places ? a : b;
    const struct pm_points *coarser = finer == a ? b : a;
    const unsigned long places = finer->places;
    mpz_t aligned;
    mpz_init(aligned);
    mpz_ui_pow_ui(aligned, 10, places - coarser->places);
    mpz_mul(aligned, aligned, coarser->scaled);
    if (!subtract)
        mpz_add(sum->scaled, finer->scaled, aligned);
    else if (finer == a)
        mpz_sub(sum->scaled, a->scaled, aligned);
    else
        mpz_sub(sum->scaled, aligned, b->scaled);
    sum->places = places;
    drop_zeros(sum);
    mpz_clear(aligned);
}

/* The ratings */

struct pm_ratings {
    struct pm_points initial;
    struct pm_player **players;
    size_t count, room;
    void *by_name; /* the tree of tsearch() */

    struct pm_points *gains; /* of white, for pm_ratings_play() */
    size_t gain_room;

    /* 10^power_places. It follows from game to game by small steps, where computing the power of a
     * long rating anew would cost more than the game itself. */
    mpz_t power;
    unsigned long power_places;
};

struct pm_ratings *pm_ratings_new(const struct pm_points *initial)
{
    struct pm_ratings *ratings = calloc(1, sizeof *ratings);
    if (ratings == NULL)
        return NULL;
    mpz_init_set(ratings->initial.scaled, initial->scaled);
    ratings->initial.places = initial->places;
    mpz_init_set_ui(ratings->power, 1);
    return ratings;
}

static void free_player(struct pm_player *player)
{
    if (player == NULL)
        return;
    pm_points_clear(&player->points);
    free(player->name);
    free(player);
}

static void keep_node(void *player)
{
    (void)player;
}

void pm_ratings_free(struct pm_ratings *ratings)
{
    if (ratings == NULL)
        return;
    tdestroy(ratings->by_name, keep_node);
    for (size_t i = 0; i < ratings->count; i++)
        free_player(ratings->players[i]);
    for (size_t i = 0; i < ratings->gain_room; i++)
        pm_points_clear(&ratings->gains[i]);
    free(ratings->players);
    free(ratings->gains);
    pm_points_clear(&ratings->initial);
    mpz_clear(ratings->power);
    free(ratings);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct pm_player *)a)->name, ((const struct pm_player *)b)->name);
}

static struct pm_player *new_player(const struct pm_ratings *ratings, const char *name)
{
    struct pm_player *player = calloc(1, sizeof *player);
    if (player == NULL)
        return NULL;
    mpz_init_set(player->points.scaled, ratings->initial.scaled);
    player->points.places = ratings->initial.places;
    player->name = strdup(name);
    if (player->name != NULL)
        return player;
    free_player(player);
    return NULL;
}

static bool make_player_room(struct pm_ratings *ratings)
{
    if (ratings->count < ratings->room)
        return true;
    const size_t room = ratings->room == 0 ? 64 : 2 * ratings->room;
    struct pm_player **players = reallocarray(ratings->players, room, sizeof players[0]);
    if (players == NULL)
        return false;
    ratings->players = players;
    ratings->room = room;
    return true;
}

static struct pm_player *add_player(struct pm_ratings *ratings, const char *name)
{
    struct pm_player *player = make_player_room(ratings) ? new_player(ratings, name) : NULL;
    if (player == NULL)
        return NULL;
    if (tsearch(player, &ratings->by_name, compare_names) == NULL) {
        free_player(player);
        return NULL;
    }
    ratings->players[ratings->count++] = player;
    return player;
}

struct pm_player *pm_ratings_player(struct pm_ratings *ratings, const char *name, bool *is_new)
{
    char *key = strdup(name); /* struct pm_player holds no const name */
    if (key == NULL)
        return NULL;
    struct pm_player **found =
        tfind(&(struct pm_player){.name = key}, &ratings->by_name, compare_names);
    free(key);
    if (is_new != NULL)
        *is_new = found == NULL;
    return found != NULL ? *found : add_player(ratings, name);
}

uint64_t pm_player_games(const struct pm_player *player)
{
    return player->earlier + player->won + player->drawn + player->lost;
}

/* The rule: below which difference, and then base + slope/100 · difference. The last has no bound.
 */
struct band {
    unsigned long below;
    unsigned long base;
    long slope;
};

enum { LOWER_WINS, DRAW, HIGHER_WINS, CASE_COUNT };

static const struct band rule[CASE_COUNT][4] = {
    [LOWER_WINS] = {{10, 10, 0}, {100, 10, 10}, {0, 0, 50}},
    [DRAW] = {{10, 0, 0}, {100, 5, 5}, {0, 0, 25}},
    [HIGHER_WINS] = {{10, 10, 0}, {100, 10, -8}, {200, 2, 0}, {0, 0, 0}},
};

static void move_power(struct pm_ratings *ratings, unsigned long places)
{
    const unsigned long old = ratings->power_places;
    mpz_t step;
    mpz_init(step);
    mpz_ui_pow_ui(step, 10, places > old ? places - old : old - places);
    if (places > old)
        mpz_mul(ratings->power, ratings->power, step);
    else
        mpz_divexact(ratings->power, ratings->power, step);
    ratings->power_places = places;
    mpz_clear(step);
}

/* The line of the rule for a difference that is not negative. */
static const struct band *find_band(struct pm_ratings *ratings, const struct band *band,
                                    const struct pm_points *difference)
{
    mpz_t bound;
    mpz_init(bound);
    move_power(ratings, difference->places);
    for (; band->below > 0; band++) {
        mpz_mul_ui(bound, ratings->power, band->below);
        if (mpz_cmp(difference->scaled, bound) < 0)
            break;
    }
    mpz_clear(bound);
    return band;
}

/* What white gains; negative if he loses points. */
static void compute_gain(struct pm_ratings *ratings, const struct pm_rated_game *game,
                         struct pm_points *gain)
{
    combine(gain, &game->white->points, &game->black->points, true);
    const bool white_is_lower = mpz_sgn(gain->scaled) < 0;
    const bool white_won = game->score == PM_SCORE_WHITE;
    const int kind = game->score == PM_SCORE_DRAW  ? DRAW
                     : white_won == white_is_lower ? LOWER_WINS
                                                   : HIGHER_WINS;
    mpz_abs(gain->scaled, gain->scaled);
    const struct band *band = find_band(ratings, rule[kind], gain);
    mpz_mul_si(gain->scaled, gain->scaled, band->slope);
    if (band->slope == 0) {
        mpz_set_ui(gain->scaled, band->base);
        gain->places = 0;
    } else {
        mpz_addmul_ui(gain->scaled, ratings->power, 100 * band->base);
        gain->places += 2;
        drop_zeros(gain);
    }
    if (game->score == PM_SCORE_DRAW ? !white_is_lower : !white_won)
        mpz_neg(gain->scaled, gain->scaled);
}

/* A whole gain has no places to align by; the kept power lifts it to those of the rating. */
static void add_gain(struct pm_ratings *ratings, struct pm_points *points,
                     const struct pm_points *gain, bool subtract)
{
    if (gain->places > 0) {
        combine(points, points, gain, subtract);
    } else if (mpz_sgn(gain->scaled) != 0) {
        move_power(ratings, points->places);
        if (subtract)
            mpz_submul(points->scaled, ratings->power, gain->scaled);
        else
            mpz_addmul(points->scaled, ratings->power, gain->scaled);
    }
}

static bool make_gain_room(struct pm_ratings *ratings, size_t count)
{
    if (count <= ratings->gain_room)
        return true;
    struct pm_points *gains = reallocarray(ratings->gains, count, sizeof gains[0]);
    if (gains == NULL)
        return false;
    ratings->gains = gains;
    while (ratings->gain_room < count)
        pm_points_init(&gains[ratings->gain_room++]);
    return true;
}

/* Rounded to a whole number, halves up. */
static int64_t whole_points(struct pm_ratings *ratings, const struct pm_points *points)
{
    mpz_t twice, divisor;
    if (points->places == 0)
        return mpz_get_si(points->scaled);
    mpz_inits(twice, divisor, NULL);
    move_power(ratings, points->places);
    mpz_mul_2exp(twice, points->scaled, 1);
    mpz_add(twice, twice, ratings->power);
    mpz_mul_2exp(divisor, ratings->power, 1);
    mpz_fdiv_q(twice, twice, divisor);
    const int64_t whole = mpz_get_si(twice);
    mpz_clears(twice, divisor, NULL);
    return whole;
}

/* n/d rounded to a whole number, halves up; d > 0. */
static int64_t divide_rounded(int64_t n, int64_t d)
{
    const int64_t twice = 2 * n + d;
    return twice >= 0 ? twice / (2 * d) : -((-twice + 2 * d - 1) / (2 * d));
}

bool pm_player_performance(const struct pm_player *player, int64_t *performance)
{
    /* By the share of the points in hundredths, from 50 on; below it the same with the sign turned.
     */
    static const int16_t differences[51] = {
        0,   7,   14,  21,  29,  36,  43,  50,  57,  65,  72,  80,  87,  95,  102, 110, 117,
        125, 133, 141, 149, 158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273,
        284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800};
    const int64_t games = (int64_t)(player->won + player->drawn + player->lost);
    if (games == 0)
        return false;
    const int64_t halves = (int64_t)(2 * player->won + player->drawn);
    const int64_t share = divide_rounded(100 * halves, 2 * games);
    const int64_t difference = share >= 50 ? differences[share - 50] : -differences[50 - share];
    *performance = divide_rounded(player->opponents, games) + difference;
    return true;
}

enum pm_status pm_ratings_play(struct pm_ratings *ratings, const struct pm_rated_game games[],
                               size_t count)
{
    if (!make_gain_room(ratings, count))
        return PM_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        compute_gain(ratings, &games[i], &ratings->gains[i]);
        games[i].white->opponents += whole_points(ratings, &games[i].black->points);
        games[i].black->opponents += whole_points(ratings, &games[i].white->points);
    }
    for (size_t i = 0; i < count; i++) {
        struct pm_player *white = games[i].white;
        struct pm_player *black = games[i].black;
        add_gain(ratings, &white->points, &ratings->gains[i], false);
        add_gain(ratings, &black->points, &ratings->gains[i], true);
        white->won += games[i].score == PM_SCORE_WHITE;
        black->won += games[i].score == PM_SCORE_BLACK;
        white->drawn += games[i].score == PM_SCORE_DRAW;
        black->drawn += games[i].score == PM_SCORE_DRAW;
        white->lost += games[i].score == PM_SCORE_BLACK;
        black->lost += games[i].score == PM_SCORE_WHITE;
    }
    return PM_OK;
}

static int compare_points(const struct pm_points *a, const struct pm_points *b)
{
    struct pm_points difference;
    pm_points_init(&difference);
    combine(&difference, a, b, true);
    const int sign = mpz_sgn(difference.scaled);
    pm_points_clear(&difference);
    return sign;
}

static int compare_ranked(const void *a, const void *b)
{
    const struct pm_player *x = ((const struct pm_ranked *)a)->player;
    const struct pm_player *y = ((const struct pm_ranked *)b)->player;
    const int sign = compare_points(&y->points, &x->points);
    return sign != 0 ? sign : strcmp(x->name, y->name);
}

struct pm_ranked *pm_ratings_rank(const struct pm_ratings *ratings, size_t *count)
{
    struct pm_ranked *ranked = calloc(ratings->count + 1, sizeof ranked[0]);
    if (ranked == NULL)
        return NULL;
    *count = ratings->count;
    for (size_t i = 0; i < *count; i++)
        ranked[i].player = ratings->players[i];
    qsort(ranked, *count, sizeof ranked[0], compare_ranked);
    for (size_t i = 0; i < *count; i++) {
        const bool shares =
            i > 0 && compare_points(&ranked[i].player->points, &ranked[i - 1].player->points) == 0;
        ranked[i].rank = shares ? ranked[i - 1].rank : i + 1;
    }
    return ranked;
}
