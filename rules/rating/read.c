/* SPDX-License-Identifier: MIT */
#include "rules/rating/read.h"

#include "core/input.h"
#include "core/quote.h"
#include "rules/pgn.h"
#include "rules/rating/csv.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RESULTS "1-0, 0-1, 1/2-1/2 or * is needed"

/* A word of a file with its place: a CSV field, or the value of a PGN tag. */
struct word {
    const char *text;
    uint64_t line, column;
};

/* What both formats say of a game. */
struct game_words {
    const char *file;
    struct word white, black, result;
};

__attribute__((format(printf, 4, 5))) static enum pm_status
reject(const char *file, const struct word *word, struct pm_error *error, const char *format, ...)
{
    char quoted[PM_QUOTE_SIZE];
    char words[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return pm_fail(error, PM_ERROR_PARSE, "%.100s:%llu:%llu: %.80s: %s", file,
                   (unsigned long long)word->line, (unsigned long long)word->column,
                   pm_quote(word->text, strlen(word->text), quoted), words);
}

static enum pm_status fail_memory(struct pm_error *error)
{
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the players");
}

/* Games */

/* As CSV and PGN write it, and nothing else: blanks count, other than in pm_score_read(). */
static enum pm_score read_result(const char *text)
{
    static const struct {
        const char *text;
        enum pm_score score;
    } results[] = {
        {"1-0", PM_SCORE_WHITE},    {"0-1", PM_SCORE_BLACK},          {"1/2-1/2", PM_SCORE_DRAW},
        {"0.5-0.5", PM_SCORE_DRAW}, {"\u00BD-\u00BD", PM_SCORE_DRAW}, {"*", PM_SCORE_OPEN},
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strcmp(text, results[i].text) == 0)
            return results[i].score;
    return PM_SCORE_UNREADABLE;
}

static enum pm_status check_name(const char *file, const char *side, const struct word *name,
                                 struct pm_error *error)
{
    if (name->text[0] == '\0' || strcmp(name->text, "?") == 0)
        return reject(file, name, error, "%s has no name: a player can't be rated without one",
                      side);
    return PM_OK;
}

static enum pm_status check_players(const struct game_words *words, struct pm_error *error)
{
    enum pm_status status = check_name(words->file, "white", &words->white, error);
    if (status == PM_OK)
        status = check_name(words->file, "black", &words->black, error);
    if (status == PM_OK && strcmp(words->white.text, words->black.text) == 0)
        status = reject(words->file, &words->black, error,
                        "plays both sides: two different players are needed");
    return status;
}

static enum pm_status rate_game(struct pm_ratings *ratings, const struct game_words *words,
                                struct pm_rating_counts *counts, struct pm_error *error)
{
    const enum pm_score score = read_result(words->result.text);
    if (score == PM_SCORE_UNREADABLE)
        return reject(words->file, &words->result, error, "no result of a game: " RESULTS);
    if (score == PM_SCORE_OPEN) {
        counts->unfinished++;
        return PM_OK;
    }
    const enum pm_status status = check_players(words, error);
    if (status != PM_OK)
        return status;
    const struct pm_rated_game game = {.white = pm_ratings_player(ratings, words->white.text, NULL),
                                       .black = pm_ratings_player(ratings, words->black.text, NULL),
                                       .score = score};
    if (game.white == NULL || game.black == NULL || pm_ratings_play(ratings, &game, 1) != PM_OK)
        return fail_memory(error);
    counts->rated++;
    return PM_OK;
}

/* PGN */

static enum pm_status find_tag(const struct pm_pgn_game *game, const char *file, const char *name,
                               struct word *word, struct pm_error *error)
{
    const struct pm_pgn_tag *tag = pm_pgn_find_tag(game, name);
    if (tag != NULL) {
        *word = (struct word){tag->value, tag->line, tag->column};
        return PM_OK;
    }
    return pm_fail(error, PM_ERROR_PARSE,
                   "%.150s:%llu:1: game %llu has no tag %s: White, Black and a result are "
                   "needed",
                   file, (unsigned long long)game->line, (unsigned long long)game->index, name);
}

/* The Result tag, or the marker in its place. */
static enum pm_status find_result(const struct pm_pgn_game *game, const char *file,
                                  struct word *word, struct pm_error *error)
{
    if (pm_pgn_tag(game, "Result") == NULL && game->result[0] != '\0') {
        *word = (struct word){game->result, game->line, 1};
        return PM_OK;
    }
    const enum pm_status status = find_tag(game, file, "Result", word, error);
    if (status != PM_OK)
        return status;
    const enum pm_score tag = read_result(word->text);
    const enum pm_score marker = read_result(game->result);
    if (tag > PM_SCORE_OPEN && marker > PM_SCORE_OPEN && tag != marker)
        return reject(file, word, error, "the tag Result, but the moves end with %s", game->result);
    return PM_OK;
}

static enum pm_status rate_pgn_game(struct pm_ratings *ratings, const struct pm_pgn_game *game,
                                    const char *file, struct pm_rating_counts *counts,
                                    struct pm_error *error)
{
    struct game_words words = {.file = file};
    enum pm_status status = find_tag(game, file, "White", &words.white, error);
    if (status == PM_OK)
        status = find_tag(game, file, "Black", &words.black, error);
    if (status == PM_OK)
        status = find_result(game, file, &words.result, error);
    if (status == PM_OK)
        status = rate_game(ratings, &words, counts, error);
    return status;
}

static enum pm_status read_pgn(struct pm_ratings *ratings, struct pm_input *input,
                               struct pm_rating_counts *counts, struct pm_error *error)
{
    struct pm_pgn_reader *reader = NULL;
    const struct pm_pgn_game *game = NULL;
    enum pm_status status = pm_pgn_open(input, &reader, error);
    do {
        if (status == PM_OK)
            status = pm_pgn_next(reader, &game, error);
        if (status == PM_OK && game != NULL)
            status = rate_pgn_game(ratings, game, pm_input_name(input), counts, error);
    } while (status == PM_OK && game != NULL);
    pm_pgn_close(reader);
    return status;
}

/* CSV */

static struct word field_word(const struct pm_csv_row *row, int place)
{
    const struct pm_csv_field *field = &row->fields[place];
    return (struct word){field->text, field->line, field->column};
}

static enum pm_status read_csv_games(struct pm_ratings *ratings, struct pm_csv_reader *reader,
                                     const char *file, struct pm_rating_counts *counts,
                                     struct pm_error *error)
{
    static const char *const columns[] = {"white", "black", "result"};
    int places[3];
    const struct pm_csv_row *row = NULL;
    enum pm_status status = pm_csv_columns(reader, columns, 3, 3, places, error);
    if (status == PM_OK)
        status = pm_csv_next(reader, &row, error);
    while (status == PM_OK && row != NULL) {
        const struct game_words words = {.file = file,
                                         .white = field_word(row, places[0]),
                                         .black = field_word(row, places[1]),
                                         .result = field_word(row, places[2])};
        status = rate_game(ratings, &words, counts, error);
        if (status == PM_OK)
            status = pm_csv_next(reader, &row, error);
    }
    return status;
}

static enum pm_status read_csv(struct pm_ratings *ratings, struct pm_input *input,
                               struct pm_rating_counts *counts, struct pm_error *error)
{
    struct pm_csv_reader *reader = NULL;
    enum pm_status status = pm_csv_open(input, &reader, error);
    if (status == PM_OK)
        status = read_csv_games(ratings, reader, pm_input_name(input), counts, error);
    pm_csv_close(reader);
    return status;
}

static bool is_csv_name(const char *path)
{
    static const char *const endings[] = {".csv", ".csv.gz", ".csv.zst"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (length >= strlen(endings[i]) &&
            strcasecmp(path + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

enum pm_status pm_rating_read_games(struct pm_ratings *ratings, const char *path,
                                    enum pm_rating_format format, struct pm_rating_counts *counts,
                                    struct pm_error *error)
{
    const bool is_csv =
        format == PM_RATING_CSV || (format == PM_RATING_BY_NAME && is_csv_name(path));
    struct pm_input *input = NULL;
    enum pm_status status = pm_input_open(path, &input, error);
    if (status == PM_OK)
        status = (is_csv ? read_csv : read_pgn)(ratings, input, counts, error);
    pm_input_close(input);
    return status;
}

/* Known ratings */

static enum pm_status read_games_before(const char *file, const struct word *word, uint64_t *games,
                                        struct pm_error *error)
{
    const size_t length = strlen(word->text);
    if (length < 1 || length > 9 || strspn(word->text, "0123456789") != length)
        return reject(file, word, error,
                      "no number of games: a whole number from 0 to 999999999 is needed");
    *games = strtoull(word->text, NULL, 10);
    return PM_OK;
}

static enum pm_status enter_player(struct pm_ratings *ratings, const char *file,
                                   const struct word words[3], struct pm_error *error)
{
    bool is_new;
    uint64_t earlier = 0;
    enum pm_status status = check_name(file, "a player", &words[0], error);
    if (status == PM_OK && words[2].text != NULL)
        status = read_games_before(file, &words[2], &earlier, error);
    if (status != PM_OK)
        return status;
    struct pm_player *player = pm_ratings_player(ratings, words[0].text, &is_new);
    if (player == NULL)
        return fail_memory(error);
    if (!is_new)
        return reject(file, &words[0], error, "is rated already: each player stands there once");
    player->earlier = earlier;
    status = pm_points_read(words[1].text, &player->points);
    if (status == PM_ERROR_PARSE)
        return reject(file, &words[1], error,
                      "no points: a decimal number with at most 9 digits before the point is "
                      "needed");
    return status == PM_OK ? PM_OK : fail_memory(error);
}

static enum pm_status read_known(struct pm_ratings *ratings, struct pm_csv_reader *reader,
                                 const char *file, struct pm_error *error)
{
    static const char *const columns[] = {"name", "points", "games"};
    int places[3];
    const struct pm_csv_row *row = NULL;
    enum pm_status status = pm_csv_columns(reader, columns, 3, 2, places, error);
    if (status == PM_OK)
        status = pm_csv_next(reader, &row, error);
    while (status == PM_OK && row != NULL) {
        struct word words[3] = {0};
        for (int i = 0; i < 3; i++)
            if (places[i] >= 0)
                words[i] = field_word(row, places[i]);
        status = enter_player(ratings, file, words, error);
        if (status == PM_OK)
            status = pm_csv_next(reader, &row, error);
    }
    return status;
}

enum pm_status pm_rating_read_known(struct pm_ratings *ratings, const char *path,
                                    struct pm_error *error)
{
    struct pm_input *input = NULL;
    struct pm_csv_reader *reader = NULL;
    enum pm_status status = pm_input_open(path, &input, error);
    if (status == PM_OK)
        status = pm_csv_open(input, &reader, error);
    if (status == PM_OK)
        status = read_known(ratings, reader, pm_input_name(input), error);
    pm_csv_close(reader);
    pm_input_close(input);
    return status;
}
