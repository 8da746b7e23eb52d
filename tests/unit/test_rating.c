/* SPDX-License-Identifier: MIT */
/* Points, grades and rankings: the worked examples of verify/suites/rating.tsv, what holds of every
 * game, and files that can't be read. */
#include "core/random.h"
#include "rules/rating/csv.h"
#include "rules/rating/rating.h"
#include "rules/rating/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define EXAMPLES PM_SOURCE_DIR "/verify/suites/rating.tsv"

static struct pm_ratings *new_ratings(const char *initial)
{
    struct pm_points points;
    pm_points_init(&points);
    assert_int_equal(pm_points_read(initial, &points), PM_OK);
    struct pm_ratings *ratings = pm_ratings_new(&points);
    assert_non_null(ratings);
    pm_points_clear(&points);
    return ratings;
}

static struct pm_player *enter(struct pm_ratings *ratings, const char *name, const char *points)
{
    struct pm_player *player = pm_ratings_player(ratings, name, NULL);
    assert_non_null(player);
    assert_int_equal(pm_points_read(points, &player->points), PM_OK);
    return player;
}

static void get_points(const struct pm_player *player, mpq_t value)
{
    mpq_set_z(value, player->points.scaled);
    mpz_ui_pow_ui(mpq_denref(value), 10, player->points.places);
    mpq_canonicalize(value);
}

/* ---- The rule ---- */

struct example {
    char white[16], black[16], result[8], gain[16];
};

static enum pm_score score_of(const char *result)
{
    if (strcmp(result, "1-0") == 0)
        return PM_SCORE_WHITE;
    if (strcmp(result, "0-1") == 0)
        return PM_SCORE_BLACK;
    assert_string_equal(result, "1/2-1/2");
    return PM_SCORE_DRAW;
}

/* before + sign * gain must be what the player has now. */
static void check_points(const struct example *example, const char *before, int sign,
                         const struct pm_player *player)
{
    struct pm_player then = {0};
    mpq_t expected, gain, now;
    mpq_inits(expected, gain, now, NULL);
    pm_points_init(&then.points);
    assert_int_equal(pm_points_read(before, &then.points), PM_OK);
    assert_int_equal(mpq_set_str(gain, example->gain, 10), 0);
    mpq_canonicalize(gain);
    get_points(&then, expected);
    if (sign > 0)
        mpq_add(expected, expected, gain);
    else
        mpq_sub(expected, expected, gain);
    get_points(player, now);
    if (!mpq_equal(expected, now))
        fail_msg("%s against %s, %s: white gains %s: %s has %s now", example->white, example->black,
                 example->result, example->gain, player->name, pm_points_exact(&player->points));
    pm_points_clear(&then.points);
    mpq_clears(expected, gain, now, NULL);
}

static void check_example(const struct example *example)
{
    struct pm_ratings *ratings = new_ratings("1000");
    struct pm_player *white = enter(ratings, "white", example->white);
    struct pm_player *black = enter(ratings, "black", example->black);
    const struct pm_rated_game game = {white, black, score_of(example->result)};
    assert_int_equal(pm_ratings_play(ratings, &game, 1), PM_OK);
    check_points(example, example->white, 1, white);
    check_points(example, example->black, -1, black);
    pm_ratings_free(ratings);
}

/* The rule knows no colors: the same example with the sides changed. */
static struct example turned(const struct example *example)
{
    struct example other = *example;
    memcpy(other.white, example->black, sizeof other.white);
    memcpy(other.black, example->white, sizeof other.black);
    if (score_of(example->result) != PM_SCORE_DRAW)
        strcpy(other.result, score_of(example->result) == PM_SCORE_WHITE ? "0-1" : "1-0");
    if (example->gain[0] == '-')
        strcpy(other.gain, example->gain + 1);
    else
        snprintf(other.gain, sizeof other.gain, "-%.14s", example->gain);
    return other;
}

static void worked_examples(void **state)
{
    char line[256];
    int count = 0;
    FILE *file = fopen(EXAMPLES, "r");
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        struct example example;
        if (line[0] == '#' || strncmp(line, "white\t", 6) == 0)
            continue;
        assert_int_equal(sscanf(line, "%15s\t%15s\t%7s\t%15s\t", example.white, example.black,
                                example.result, example.gain),
                         4);
        const struct example other = turned(&example);
        check_example(&example);
        check_example(&other);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 61);
}

static void grades(void **state)
{
    static const struct {
        const char *points;
        int grade;
    } rows[] = {
        {"-5", 0},     {"0", 0},       {"99", 0},   {"99.9", 0},   {"100", 30},
        {"199", 30},   {"199.99", 30}, {"200", 29}, {"299.9", 29}, {"300", 28},
        {"1000", 21},  {"1099.9", 21}, {"2899", 3}, {"2900", 2},   {"2999.99", 2},
        {"3000", 1},   {"3099.9", 1},  {"3100", 1}, {"9999", 1},   {"999999999", 1},
        {"-150.5", 0},
    };
    struct pm_points points;
    (void)state;
    pm_points_init(&points);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_int_equal(pm_points_read(rows[i].points, &points), PM_OK);
        if (pm_points_grade(&points) != rows[i].grade)
            fail_msg("%s points: grade %d, not %d", rows[i].points, pm_points_grade(&points),
                     rows[i].grade);
    }
    pm_points_clear(&points);
}

static void points_as_text(void **state)
{
    static const struct {
        const char *text, *exact, *rounded;
    } rows[] = {
        {"0", "0", "0.0"},
        {"-0.0", "0", "0.0"},
        {"+7", "7", "7.0"},
        {"1000", "1000", "1000.0"},
        {"0001000.5000", "1000.5", "1000.5"},
        {"1012.4875", "1012.4875", "1012.5"},
        {"1012.45", "1012.45", "1012.5"},
        {"1012.44999999999999999999", "1012.44999999999999999999", "1012.4"},
        {"-1012.45", "-1012.45", "-1012.5"},
        {"-1012.44", "-1012.44", "-1012.4"},
        {"0.05", "0.05", "0.1"},
        {"-0.05", "-0.05", "-0.1"},
        {"0.04", "0.04", "0.0"},
        {"-0.04", "-0.04", "0.0"},
        {"0.001", "0.001", "0.0"},
        {"-3.5", "-3.5", "-3.5"},
        {"9.95", "9.95", "10.0"},
        {"999999999.99", "999999999.99", "1000000000.0"},
    };
    static const char *const bad[] = {"",     "1.",  ".5",   "1e3", "1,5",   "1234567890",
                                      "+",    "--1", " 1",   "1 ",  "1.5.2", "x",
                                      "0x10", "nan", "1.-5", "1.5x"};
    struct pm_points points;
    (void)state;
    pm_points_init(&points);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_int_equal(pm_points_read(rows[i].text, &points), PM_OK);
        char *exact = pm_points_exact(&points);
        char *rounded = pm_points_rounded(&points);
        assert_string_equal(exact, rows[i].exact);
        assert_string_equal(rounded, rows[i].rounded);
        free(exact);
        free(rounded);
    }
    for (size_t i = 0; i < LENGTH(bad); i++)
        if (pm_points_read(bad[i], &points) != PM_ERROR_PARSE)
            fail_msg("\"%s\" was read as points", bad[i]);
    pm_points_clear(&points);
}

/* ---- What holds of every game ---- */

enum { PLAYERS = 7 };

static void enter_players(struct pm_ratings *ratings, struct pm_player *players[PLAYERS])
{
    static const char *const points[PLAYERS] = {"1000",   "1009.5", "1012.25", "1100",
                                                "1199.9", "1204",   "-20.125"};
    for (int i = 0; i < PLAYERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        players[i] = enter(ratings, name, points[i]);
    }
}

static struct pm_rated_game random_game(struct pm_random *random,
                                        struct pm_player *players[PLAYERS])
{
    const uint32_t white = pm_random_below(random, PLAYERS);
    const uint32_t black = (white + 1 + pm_random_below(random, PLAYERS - 1)) % PLAYERS;
    return (struct pm_rated_game){players[white], players[black],
                                  (enum pm_score)(PM_SCORE_WHITE + pm_random_below(random, 3))};
}

/* The rule again, written down in another way: in fractions, straight from the table in the header.
 */
static void gain_by_fractions(mpq_t gain, const mpq_t white, const mpq_t black, enum pm_score score)
{
    mpq_t d, ten, part;
    mpq_inits(d, ten, part, NULL);
    mpq_sub(d, white, black);
    const int white_sign = mpq_sgn(d); /* 1: white is rated higher */
    mpq_abs(d, d);
    mpq_set_ui(ten, 10, 1);
    const bool near = mpq_cmp_ui(d, 10, 1) < 0;
    const bool middle = mpq_cmp_ui(d, 100, 1) < 0;
    const bool white_won = score == PM_SCORE_WHITE;
    if (score == PM_SCORE_DRAW) {
        mpq_set_ui(part, 1, 10);
        mpq_mul(part, part, d);
        mpq_add(part, part, ten); /* 10 + d/10 */
        mpq_div_2exp(gain, middle ? part : d, middle ? 1 : 2);
        if (near)
            mpq_set_ui(gain, 0, 1);
        if (white_sign > 0)
            mpq_neg(gain, gain);
    } else {
        const bool lower_won = white_won ? white_sign < 0 : white_sign > 0;
        mpq_set_ui(part, lower_won ? 1 : 2, lower_won ? 10 : 25);
        mpq_mul(part, part, d);
        if (lower_won)
            mpq_add(gain, ten, part);
        else
            mpq_sub(gain, ten, part);
        if (near)
            mpq_set(gain, ten);
        else if (!middle && lower_won)
            mpq_div_2exp(gain, d, 1);
        else if (!middle)
            mpq_set_ui(gain, mpq_cmp_ui(d, 200, 1) < 0 ? 2 : 0, 1);
        if (!white_won)
            mpq_neg(gain, gain);
    }
    mpq_clears(d, ten, part, NULL);
}

static void sum_points(struct pm_player *const players[PLAYERS], mpq_t sum)
{
    mpq_t value;
    mpq_init(value);
    mpq_set_ui(sum, 0, 1);
    for (int i = 0; i < PLAYERS; i++) {
        get_points(players[i], value);
        mpq_add(sum, sum, value);
    }
    mpq_clear(value);
}

/* Zero sum, and the same as in fractions, over games after one another: nothing is ever rounded. */
static void games_stay_exact(void **state)
{
    struct pm_ratings *ratings = new_ratings("1000");
    struct pm_player *players[PLAYERS];
    struct pm_random random = {1};
    mpq_t before, sum, white, black, gain, now;
    (void)state;
    mpq_inits(before, sum, white, black, gain, now, NULL);
    enter_players(ratings, players);
    sum_points(players, before);
    for (int i = 0; i < 2000; i++) {
        const struct pm_rated_game game = random_game(&random, players);
        get_points(game.white, white);
        get_points(game.black, black);
        gain_by_fractions(gain, white, black, game.score);
        assert_int_equal(pm_ratings_play(ratings, &game, 1), PM_OK);
        mpq_add(white, white, gain);
        mpq_sub(black, black, gain);
        get_points(game.white, now);
        assert_true(mpq_equal(now, white));
        get_points(game.black, now);
        assert_true(mpq_equal(now, black));
        sum_points(players, sum);
        assert_true(mpq_equal(sum, before));
    }
    assert_true(players[0]->points.places > 100);
    mpq_clears(before, sum, white, black, gain, now, NULL);
    pm_ratings_free(ratings);
}

/* Games at the same time: in any order the same points, and again zero sum. */
static void games_at_the_same_time(void **state)
{
    enum { GAMES = 40 };
    struct pm_ratings *ratings[2] = {new_ratings("1000"), new_ratings("1000")};
    struct pm_player *players[2][PLAYERS];
    struct pm_rated_game games[2][GAMES];
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct pm_random random = {7};
        enter_players(ratings[side], players[side]);
        for (int i = 0; i < GAMES; i++)
            games[side][side == 0 ? i : GAMES - 1 - i] = random_game(&random, players[side]);
        assert_int_equal(pm_ratings_play(ratings[side], games[side], GAMES), PM_OK);
    }
    for (int i = 0; i < PLAYERS; i++) {
        char *forward = pm_points_exact(&players[0][i]->points);
        char *backward = pm_points_exact(&players[1][i]->points);
        assert_string_equal(forward, backward);
        free(forward);
        free(backward);
    }
    pm_ratings_free(ratings[0]);
    pm_ratings_free(ratings[1]);
}

static void ranking(void **state)
{
    struct pm_ratings *ratings = new_ratings("1000");
    struct pm_player *zoe = enter(ratings, "Zoe", "1000.0");
    struct pm_player *bob = enter(ratings, "Bob", "1000.00001");
    struct pm_player *amy = enter(ratings, "Amy", "1000");
    struct pm_player *low = enter(ratings, "low", "-3");
    bool is_new;
    size_t count;
    (void)state;
    assert_ptr_equal(pm_ratings_player(ratings, "Amy", &is_new), amy);
    assert_false(is_new);
    zoe->earlier = 48;
    const struct pm_rated_game games[] = {{zoe, low, PM_SCORE_WHITE}, {low, zoe, PM_SCORE_BLACK}};
    assert_int_equal(pm_ratings_play(ratings, games, 2), PM_OK);
    assert_int_equal(pm_player_games(zoe), 50);
    assert_int_equal(zoe->won, 2);
    assert_int_equal(low->lost, 2);
    struct pm_ranked *ranked = pm_ratings_rank(ratings, &count);
    assert_int_equal(count, 4);
    assert_ptr_equal(ranked[0].player, bob);
    assert_ptr_equal(ranked[1].player, amy);
    assert_ptr_equal(ranked[2].player, zoe);
    assert_ptr_equal(ranked[3].player, low);
    assert_int_equal(ranked[0].rank, 1);
    assert_int_equal(ranked[1].rank, 2);
    assert_int_equal(ranked[2].rank, 2);
    assert_int_equal(ranked[3].rank, 4);
    free(ranked);
    pm_ratings_free(ratings);
}

/* ---- Files ---- */

/* A file of its own under the name's ending; unlink() it. */
static void write_file(char path[64], const char *ending, const char *text, size_t size)
{
    snprintf(path, 64, "/tmp/plymark_rating_XXXXXX%s", ending);
    const int descriptor = mkstemps(path, (int)strlen(ending));
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, size), (ssize_t)size);
    close(descriptor);
}

static void check_player(struct pm_ratings *ratings, const char *name, const char *points,
                         int games)
{
    bool is_new;
    struct pm_player *player = pm_ratings_player(ratings, name, &is_new);
    assert_false(is_new);
    char *exact = pm_points_exact(&player->points);
    assert_string_equal(exact, points);
    assert_int_equal(pm_player_games(player), games);
    free(exact);
}

/* Refuses a file at its first game that can't be rated. */
static enum pm_status read_games(struct pm_ratings *ratings, const char *path,
                                 enum pm_rating_format format, struct pm_rating_counts *counts,
                                 struct pm_error *error)
{
    const struct pm_rating_source source = {.path = path, .format = format};
    return pm_rating_read_games(ratings, &source, counts, error);
}

/* Anna beats Bernd (10), then draws with him (d = 20: 6). A game without a result needs no names.
 */
static void good_files(void **state)
{
    static const struct {
        const char *ending, *text;
    } rows[] = {
        {".csv", "white,black,result\nAnna,Bernd,1-0\nBernd,Anna,1/2-1/2\nBernd,,*\n"},
        {".csv", "white,black,result\nAnna,Bernd,1-0\nBernd,Anna,0.5-0.5\nBernd,Anna,*"},
        {".csv", "\xEF\xBB\xBFResult, White ,BLACK\r\n1-0,Anna,\tBernd\r\n\r\n"
                 "\"\xC2\xBD-\xC2\xBD\",\"Anna\",\"Bernd\"\r\n*,a,b\r\n"},
        {".csv", "date,white,round,black,result\r2026,Anna,\"1\n2\",Bernd,1-0\r,Bernd,\"a \"\"b\"\""
                 ", c\",Anna,1/2-1/2\r,Anna,,Bernd,*\r"},
        {".pgn", "[White \"Anna\"]\n[Black \"Bernd\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
                 "[White \"Bernd\"]\n[Black \"Anna\"]\n\n1. e4 {Zug} e5 1/2-1/2\n\n"
                 "[White \"?\"]\n[Black \"Anna\"]\n[Result \"*\"]\n\n1. d4 *\n"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char path[64];
        struct pm_error error = {0};
        struct pm_rating_counts counts = {0};
        struct pm_ratings *ratings = new_ratings("1000");
        write_file(path, rows[i].ending, rows[i].text, strlen(rows[i].text));
        if (read_games(ratings, path, PM_RATING_BY_NAME, &counts, &error) != PM_OK)
            fail_msg("row %zu: %s", i, error.text);
        assert_int_equal(counts.rated, 2);
        assert_int_equal(counts.unfinished, 1);
        check_player(ratings, "Anna", "1004", 2);
        check_player(ratings, "Bernd", "996", 2);
        unlink(path);
        pm_ratings_free(ratings);
    }
}

static void known_ratings(void **state)
{
    static const char text[] = "rank,games,name,points\n1,49,\"Lee, A\",1500.125\n2,0,Bob,-2\n";
    char path[64];
    struct pm_error error = {0};
    struct pm_ratings *ratings = new_ratings("1000");
    (void)state;
    write_file(path, ".csv", text, strlen(text));
    assert_int_equal(pm_rating_read_known(ratings, path, &error), PM_OK);
    check_player(ratings, "Lee, A", "1500.125", 49);
    check_player(ratings, "Bob", "-2", 0);
    unlink(path);
    pm_ratings_free(ratings);
}

enum kind { GAMES_CSV, GAMES_PGN, RATINGS };

#define HEAD "white,black,result\n"
#define TAGS(white, black, result)                                                                 \
    "[White \"" white "\"]\n[Black \"" black "\"]\n[Result \"" result "\"]\n\n"

/* Each must give one line that names the file, this line and column, and holds these words. */
static const struct {
    enum kind kind;
    const char *text;
    int line, column;
    const char *words;
} malformed[] = {
    {GAMES_CSV, "", 1, 1, "empty"},
    {GAMES_CSV, "\n\n", 3, 1, "empty"},
    {GAMES_CSV, "Anna,Bernd,1-0\n", 1, 1, "no column is named white"},
    {GAMES_CSV, "\n  white,result\n", 2, 3, "no column is named black"},
    {GAMES_CSV, "white;black;result\n", 1, 1, "semicolons part the columns"},
    {GAMES_CSV, "white\tblack\tresult\n", 1, 1, "tabs part the columns"},
    {GAMES_CSV, "white,black,result,White\n", 1, 20, "second column is named white"},
    {GAMES_CSV, HEAD "Anna,Bernd,1:0\n", 2, 12, "\"1:0\": no result"},
    {GAMES_CSV, HEAD "Anna,Bernd,\n", 2, 12, "\"\": no result"},
    {GAMES_CSV, HEAD "Anna,Bernd,bye\n", 2, 12, "no result of a game that was played"},
    {GAMES_CSV, HEAD "Anna,bye,1-0\n", 2, 6, "black has no name"},
    {GAMES_CSV, HEAD "Anna,Bernd,0-0\n", 2, 12, "nobody has won"},
    {GAMES_CSV, HEAD "Anna,Bernd,1-0-\n", 2, 12, "no result"},
    {GAMES_CSV, HEAD "Anna,Bernd,1-0\nAnna,Bernd,\xBD-\xBE\n", 3, 12, "\\xBD"},
    {GAMES_CSV, HEAD "Anna,Bernd,1-0\r\n\r\nAnna,Bernd,win\r\n", 4, 12, "\"win\""},
    {GAMES_CSV, HEAD "\"An\nna\",Bernd,win\n", 3, 11, "\"win\""},
    {GAMES_CSV, HEAD ",Bernd,1-0\n", 2, 1, "white has no name"},
    {GAMES_CSV, HEAD "Anna,,1-0\n", 2, 6, "black has no name"},
    {GAMES_CSV, HEAD "Anna,  ,1-0\n", 2, 8, "black has no name"},
    {GAMES_CSV, HEAD "?,Bernd,1-0\n", 2, 1, "white has no name"},
    {GAMES_CSV, HEAD "Anna,Anna,1-0\n", 2, 6, "plays both sides"},
    {GAMES_CSV, HEAD "Anna,Bernd\n", 2, 6, "ends after 2 fields"},
    {GAMES_CSV, HEAD "Anna\n", 2, 1, "ends after 1 field:"},
    {GAMES_CSV, HEAD "Anna,Bernd,1-0,x\n", 2, 16, "4 fields"},
    {GAMES_CSV, HEAD "Anna,Bernd,1-0,\n", 2, 16, "4 fields"},
    {GAMES_CSV, HEAD "An\"na,Bernd,1-0\n", 2, 3, "a quotation mark inside"},
    {GAMES_CSV, HEAD "\"Anna\"x,Bernd,1-0\n", 2, 7, "after the closing quotation mark"},
    {GAMES_CSV, HEAD "\"Anna\" \"x\",Bernd,1-0\n", 2, 8, "quotation mark inside"},
    {GAMES_CSV, HEAD "Anna,\"Bernd,1-0\nCleo,Dora,1-0\n", 2, 6, "never closed"},
    {GAMES_CSV, "white,black,\"result\nAnna,Bernd,1-0\n", 1, 13, "never closed"},
    {GAMES_CSV, "\xEF\xBB\xBFwhite,black\n", 1, 1, "no column is named result"},
    {GAMES_PGN, TAGS("Anna", "Bernd", "2-0") "1. e4 *\n", 3, 0, "\"2-0\": no result"},
    {GAMES_PGN, TAGS("Anna", "Bernd", "1-0") "1. e4 0-1\n", 3, 0, "the moves end with 0-1"},
    {GAMES_PGN, TAGS("Anna", "Anna", "1-0") "1. e4 1-0\n", 2, 0, "plays both sides"},
    {GAMES_PGN, TAGS("?", "Bernd", "1-0") "1. e4 1-0\n", 1, 0, "white has no name"},
    {GAMES_PGN, TAGS("Anna", "", "1-0") "1. e4 1-0\n", 2, 0, "black has no name"},
    {GAMES_PGN, "[White \"Anna\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n", 1, 1, "no tag Black"},
    {GAMES_PGN, "[Black \"Anna\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n", 1, 1, "no tag White"},
    {GAMES_PGN, "[White \"Anna\"]\n[Black \"Bernd\"]\n\n1. e4 e5\n", 1, 1, "no tag Result"},
    {GAMES_PGN, "[White \"Anna]\n[Black \"Bernd\"]\n\n1. e4 1-0\n", 1, 0, "no tag White"},
    {GAMES_PGN, TAGS("A", "B", "1-0") "[Termination \"unplayed\"]\n1-0\n", 1, 1, "not played"},
    {GAMES_PGN, TAGS("A", "B", "1-0") "1. e4 {never ends\n", 5, 7, ""},
    {GAMES_PGN, TAGS("A", "B", "1-0") "1. e4 1-0\n\n[White \"A\"]\n\n1. e4 1-0\n", 7, 1,
     "no tag Black"},
    {GAMES_PGN, "white,black,result\n", 1, 1, "no game"},
    {RATINGS, "", 1, 1, "empty"},
    {RATINGS, "name,rating\nAnna,1\n", 1, 1, "no column is named points"},
    {RATINGS, "name,points\nAnna,many\n", 2, 6, "\"many\": no points"},
    {RATINGS, "name,points\nAnna,\n", 2, 6, "no points"},
    {RATINGS, "name,points\nAnna,1e3\n", 2, 6, "no points"},
    {RATINGS, "name,points\nAnna,1234567890\n", 2, 6, "at most 9 digits"},
    {RATINGS, "name,points\nAnna,1\nBernd,2\nAnna,3\n", 4, 1, "rated already"},
    {RATINGS, "name,points\n,1\n", 2, 1, "has no name"},
    {RATINGS, "name,points,games\nAnna,1,-1\n", 2, 8, "no number of games"},
    {RATINGS, "name,points,games\nAnna,1,1.5\n", 2, 8, "no number of games"},
    {RATINGS, "name,points,games\nAnna,1,\n", 2, 8, "no number of games"},
    {RATINGS, "name,points,games\nAnna,1,9999999999\n", 2, 8, "no number of games"},
    {RATINGS, "name,points,games\nAnna,1\n", 2, 6, "ends after 2 fields"},
};

static void check_malformed(size_t row, const char *path, enum pm_status status,
                            const struct pm_error *error)
{
    char place[128];
    const int column = malformed[row].column;
    snprintf(place, sizeof place, column > 0 ? "%s:%d:%d: " : "%s:%d:", path, malformed[row].line,
             column);
    if (status != PM_ERROR_PARSE || error->status != PM_ERROR_PARSE)
        fail_msg("row %zu: read as if right", row);
    if (strncmp(error->text, place, strlen(place)) != 0)
        fail_msg("row %zu: \"%s\" does not begin with \"%s\"", row, error->text, place);
    if (strstr(error->text, malformed[row].words) == NULL || strchr(error->text, '\n') != NULL)
        fail_msg("row %zu: \"%s\" does not say \"%s\"", row, error->text, malformed[row].words);
}

static void malformed_files(void **state)
{
    static const char *const endings[] = {".csv", ".pgn", ".csv"};
    (void)state;
    for (size_t i = 0; i < LENGTH(malformed); i++) {
        char path[64];
        struct pm_error error = {0};
        struct pm_rating_counts counts = {0};
        struct pm_ratings *ratings = new_ratings("1000");
        write_file(path, endings[malformed[i].kind], malformed[i].text, strlen(malformed[i].text));
        const enum pm_status status =
            malformed[i].kind == RATINGS
                ? pm_rating_read_known(ratings, path, &error)
                : read_games(ratings, path, PM_RATING_BY_NAME, &counts, &error);
        check_malformed(i, path, status, &error);
        unlink(path);
        pm_ratings_free(ratings);
    }
}

/* What no table of strings can hold. */
static void limits(void **state)
{
    static const char zero[] = "white,black,result\nAn\0na,Bernd,1-0\n";
    const size_t size = PM_CSV_MAX_ROW + 100;
    char *text = malloc(size);
    char path[64];
    struct pm_error error = {0};
    struct pm_rating_counts counts = {0};
    struct pm_ratings *ratings = new_ratings("1000");
    (void)state;
    assert_non_null(text);
    write_file(path, ".csv", zero, sizeof zero - 1);
    assert_int_equal(read_games(ratings, path, PM_RATING_CSV, &counts, &error), PM_ERROR_PARSE);
    assert_non_null(strstr(error.text, ":2:3: a byte 0"));
    unlink(path);

    memset(text, 'x', size);
    memcpy(text, HEAD "Anna,\"", strlen(HEAD) + 6);
    write_file(path, ".csv", text, size);
    assert_int_equal(read_games(ratings, path, PM_RATING_CSV, &counts, &error), PM_ERROR_PARSE);
    assert_non_null(strstr(error.text, ":2:6: a line of over"));
    unlink(path);

    memset(text, ',', 300);
    write_file(path, ".csv", text, 300);
    assert_int_equal(read_games(ratings, path, PM_RATING_CSV, &counts, &error), PM_ERROR_PARSE);
    assert_non_null(strstr(error.text, ":1:1: 301 fields"));
    unlink(path);
    free(text);
    pm_ratings_free(ratings);
}

struct told {
    uint64_t count;
};

static void keep_line(void *context, const char *text)
{
    struct told *const told = context;
    told->count++;
    assert_null(strchr(text, '\n'));
    assert_non_null(strstr(text, ": "));
}

/* One of each that is not rated, and two that are: the others' messages in their order. */
static void games_passed_over(void **state)
{
    static const struct {
        const char *ending, *text;
        uint64_t unplayed, unreadable, doubtful;
    } rows[] = {
        {".csv",
         HEAD "Anna,Bernd,1-0\nAnna,?,1-0\nAnna,bye,1-0\nAnna,Bernd,won\nAnna,Bernd\n"
              "Anna,Anna,1-0\nAnna,Bernd,0-0\n Anna , \xC2\xA0"
              "Bernd\xC2\xA0,1/2\n",
         3, 3, 0},
        {".csv",
         HEAD ",Bernd,1-0\nAnna,-,1-0\nAnna,BYE,+/-\nAnna,Bernd,-/+\nAnna,Bernd,bye\n"
              "Anna,Bernd,1-0\nBernd,Anna,\xC2\xBD\xE2\x80\x93\xC2\xBD\n",
         5, 0, 0},
        {".pgn",
         TAGS("Anna", "Bernd", "1-0") "1. e4 1-0\n\n" TAGS("Anna", "?", "1-0") "1-0\n\n" TAGS(
             "Anna", "Bernd",
             "1-0") "[Termination \"Bye\"]\n\n1-0\n\n" TAGS("Anna", "Bernd",
                                                            "2-0") "*\n\n" TAGS(" Anna", "Bernd ",
                                                                                "0.5-0.5") "1. e4 "
                                                                                           "] "
                                                                                           "*\n"
                                                                                           "\n" TAGS(
                                                                                               "A",
                                                                                               "B",
                                                                                               "1-"
                                                                                               "0") "1. e4 {open",
         2, 2, 1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char path[64];
        struct pm_error error = {0};
        struct pm_rating_counts counts = {0};
        struct told told = {0};
        struct pm_ratings *ratings = new_ratings("1000");
        write_file(path, rows[i].ending, rows[i].text, strlen(rows[i].text));
        const struct pm_rating_source source = {.path = path, .tell = keep_line, .context = &told};
        if (pm_rating_read_games(ratings, &source, &counts, &error) != PM_OK)
            fail_msg("row %zu: %s", i, error.text);
        assert_int_equal(counts.rated, 2);
        assert_int_equal(counts.unplayed, rows[i].unplayed);
        assert_int_equal(counts.unreadable, rows[i].unreadable);
        assert_int_equal(counts.doubtful, rows[i].doubtful);
        assert_int_equal(told.count, rows[i].unplayed + rows[i].unreadable + rows[i].doubtful);
        check_player(ratings, "Anna", "1004", 2);
        unlink(path);
        pm_ratings_free(ratings);
    }
}

/* FIDE's own example of the table's use: 5 of 9 against an average of 2400 is 2443. */
static void performances(void **state)
{
    static const struct {
        unsigned won, drawn, lost;
        const char *opponent;
        int64_t performance;
    } rows[] = {
        {1, 0, 0, "1000", 1800},  {0, 0, 1, "1000", 200},   {0, 1, 0, "1000", 1000},
        {3, 1, 1, "1500", 1649},  {5, 0, 4, "2400", 2443},  {99, 0, 1, "1000", 1677},
        {1, 0, 2, "1000.5", 876}, {1, 0, 2, "1000.4", 875}, {2, 1, 0, "-12.5", 261},
        {1, 1, 6, "999.5", 749},  {0, 1, 199, "0", -800},   {2, 1, 197, "0", -677},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_ratings *const ratings = new_ratings("1000");
        struct pm_player *const player = enter(ratings, "player", "1000");
        int64_t performance = 0;
        assert_false(pm_player_performance(player, &performance));
        const unsigned games = rows[i].won + rows[i].drawn + rows[i].lost;
        for (unsigned k = 0; k < games; k++) {
            char name[16];
            snprintf(name, sizeof name, "%u", k);
            const enum pm_score score = k < rows[i].won                   ? PM_SCORE_BLACK
                                        : k < rows[i].won + rows[i].drawn ? PM_SCORE_DRAW
                                                                          : PM_SCORE_WHITE;
            const struct pm_rated_game game = {enter(ratings, name, rows[i].opponent), player,
                                               score};
            assert_int_equal(pm_ratings_play(ratings, &game, 1), PM_OK);
        }
        assert_true(pm_player_performance(player, &performance));
        if (performance != rows[i].performance)
            fail_msg("row %zu: %lld", i, (long long)performance);
        pm_ratings_free(ratings);
    }
}

static void csv_writes_what_it_reads(void **state)
{
    static const char *const names[] = {"plain",      "a, b", "the \"king\"", " blank ",
                                        "two\nlines", "",     "\xC3\xA9"};
    char *text = NULL;
    size_t size;
    char path[64];
    struct pm_input *input;
    struct pm_csv_reader *reader;
    const struct pm_csv_row *row;
    struct pm_error error = {0};
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    for (size_t i = 0; i < LENGTH(names); i++) {
        fputs(i > 0 ? "," : "", out);
        pm_csv_write(out, names[i]);
    }
    fclose(out);
    write_file(path, ".csv", text, size);
    assert_int_equal(pm_input_open(path, &input, &error), PM_OK);
    assert_int_equal(pm_csv_open(input, &reader, &error), PM_OK);
    assert_int_equal(pm_csv_next(reader, &row, &error), PM_OK);
    assert_int_equal(row->count, LENGTH(names));
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_string_equal(row->fields[i].text, names[i]);
    assert_int_equal(pm_csv_next(reader, &row, &error), PM_OK);
    assert_null(row);
    pm_csv_close(reader);
    pm_input_close(input);
    unlink(path);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(grades),
        cmocka_unit_test(points_as_text),
        cmocka_unit_test(games_stay_exact),
        cmocka_unit_test(games_at_the_same_time),
        cmocka_unit_test(ranking),
        cmocka_unit_test(good_files),
        cmocka_unit_test(known_ratings),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(games_passed_over),
        cmocka_unit_test(performances),
        cmocka_unit_test(limits),
        cmocka_unit_test(csv_writes_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
