/* SPDX-License-Identifier: MIT */
#include "rules/rating/read.h"

#include "core/input.h"
#include "core/quote.h"
#include "rules/pgn.h"
#include "rules/plain.h"
#include "rules/rating/csv.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
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
    struct word white, black, result;
    const char *termination; /* or NULL */
};

/* Where games come from and go to. */
struct reading {
    const struct pm_rating_source *source;
    const char *file; /* as messages call it */
    struct pm_ratings *ratings;
    struct pm_rating_counts *counts;
    struct pm_error *error;
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

/* Games that are passed over */

/* Counts a game that is not rated, in *count, and tells why; an error if nobody is to be told. */
static enum pm_status pass_over(const struct reading *reading, uint64_t *count,
                                const struct pm_error *why)
{
    ++*count;
    if (reading->source->tell == NULL)
        return pm_fail(reading->error, why->status, "%s", why->text);
    char text[sizeof why->text + 32];
    snprintf(text, sizeof text, "%s; passed over", why->text);
    reading->source->tell(reading->source->context, text);
    return PM_OK;
}

/* A name or result as other programs write that nobody sat there. */
static bool is_nobody(const char *text)
{
    static const char *const words[] = {"", "?", "-", "bye", "unplayed", "+/-", "-/+", "+-", "-+"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool says_unplayed(const char *termination)
{
    static const char *const words[] = {"bye",     "unplayed", "not played", "walkover",
                                        "no show", "no-show",  "unrated"};
    for (size_t i = 0; termination != NULL && i < sizeof words / sizeof *words; i++)
        if (strcasestr(termination, words[i]) != NULL)
            return true;
    return false;
}

/* Whether the game was played by two who have names; else *why says what it lacks. */
static bool is_played(const struct reading *reading, const struct game_words *words,
                      enum pm_score score, struct pm_error *why)
{
    if (is_nobody(words->white.text))
        reject(reading->file, &words->white, why,
               "white has no name: a player can't be rated without one");
    else if (is_nobody(words->black.text))
        reject(reading->file, &words->black, why,
               "black has no name: a player can't be rated without one");
    else if (score == PM_SCORE_BOTH_LOSE)
        reject(reading->file, &words->result, why, "nobody has won or drawn");
    else if (score <= PM_SCORE_UNREADABLE && is_nobody(words->result.text))
        reject(reading->file, &words->result, why, "no result of a game that was played");
    else if (says_unplayed(words->termination))
        reject(reading->file, &words->white, why, "by its Termination tag it was not played");
    else
        return true;
    return false;
}

/* Games */

static enum pm_status rate(const struct reading *reading, const struct game_words *words,
                           enum pm_score score)
{
    const struct pm_rated_game game = {
        .white = pm_ratings_player(reading->ratings, words->white.text, NULL),
        .black = pm_ratings_player(reading->ratings, words->black.text, NULL),
        .score = score};
    if (game.white == NULL || game.black == NULL ||
        pm_ratings_play(reading->ratings, &game, 1) != PM_OK)
        return fail_memory(reading->error);
    reading->counts->rated++;
    return PM_OK;
}

static enum pm_status rate_game(const struct reading *reading, const struct game_words *words)
{
    struct pm_rating_counts *const counts = reading->counts;
    const enum pm_score score = pm_score_read(words->result.text);
    struct pm_error why;
    if (score == PM_SCORE_OPEN) {
        counts->unfinished++;
        return PM_OK;
    }
    if (!is_played(reading, words, score, &why))
        return pass_over(reading, &counts->unplayed, &why);
    if (score <= PM_SCORE_UNREADABLE)
        reject(reading->file, &words->result, &why, "no result of a game: " RESULTS);
    else if (strcmp(words->white.text, words->black.text) == 0)
        reject(reading->file, &words->black, &why,
               "plays both sides: two different players are needed");
    else
        return rate(reading, words, score);
    return pass_over(reading, &counts->unreadable, &why);
}

/* Cuts blanks around a text, those that can't be seen too; `text` is the caller's copy. */
static char *trim(char *text)
{
    char *end = text + strlen(text), *last = text;
    for (char *at = text; at < end;) {
        struct pm_plain plain = {PM_PLAIN_OTHER, 1, NULL};
        if ((unsigned char)*at >= 0x80)
            plain = pm_plain_read(at, (size_t)(end - at));
        else if (*at == ' ' || *at == '\t')
            plain.kind = PM_PLAIN_BLANK;
        at += plain.length;
        if (plain.kind != PM_PLAIN_BLANK)
            last = at;
        else if (last == text)
            last = text = at;
    }
    *last = '\0';
    return text;
}

/* The same with names trimmed. */
static enum pm_status rate_trimmed(const struct reading *reading, const struct game_words *words)
{
    struct game_words trimmed = *words;
    char *const white = strdup(words->white.text);
    char *const black = strdup(words->black.text);
    enum pm_status status;
    if (white == NULL || black == NULL) {
        status = fail_memory(reading->error);
    } else {
        trimmed.white.text = trim(white);
        trimmed.black.text = trim(black);
        status = rate_game(reading, &trimmed);
    }
    free(white);
    free(black);
    return status;
}

/* PGN */

static bool find_tag(const struct reading *reading, const struct pm_pgn_game *game,
                     const char *name, struct word *word, struct pm_error *why)
{
    const struct pm_pgn_tag *tag = pm_pgn_find_tag(game, name);
    if (tag != NULL) {
        *word = (struct word){tag->value, tag->line, tag->column};
        return true;
    }
    pm_fail(why, PM_ERROR_PARSE,
            "%.150s:%llu:1: game %llu has no tag %s: White, Black and a result are needed",
            reading->file, (unsigned long long)game->line, (unsigned long long)game->index, name);
    return false;
}

/* The Result tag, or the marker in its place. */
static bool find_result(const struct reading *reading, const struct pm_pgn_game *game,
                        struct word *word, struct pm_error *why)
{
    if (pm_pgn_tag(game, "Result") == NULL && game->result[0] != '\0') {
        *word = (struct word){game->result, game->line, 1};
        return true;
    }
    if (!find_tag(reading, game, "Result", word, why))
        return false;
    const enum pm_score tag = pm_score_read(word->text);
    const enum pm_score marker = pm_score_read(game->result);
    if (tag <= PM_SCORE_OPEN || marker <= PM_SCORE_OPEN || tag == marker)
        return true;
    reject(reading->file, word, why, "the tag Result, but the moves end with %s", game->result);
    return false;
}

static enum pm_status rate_pgn_game(const struct reading *reading, const struct pm_pgn_game *game)
{
    struct game_words words = {.termination = pm_pgn_tag(game, "Termination")};
    struct pm_error why;
    if (find_tag(reading, game, "White", &words.white, &why) &&
        find_tag(reading, game, "Black", &words.black, &why) &&
        find_result(reading, game, &words.result, &why))
        return rate_trimmed(reading, &words);
    return pass_over(reading, &reading->counts->unreadable, &why);
}

static void tell_notes(const struct reading *reading, const struct pm_pgn_reader *reader)
{
    const char *notes = pm_pgn_notes(reader);
    while (notes != NULL) {
        char note[sizeof((struct pm_error *)0)->text];
        const char *const end = strchr(notes, '\n');
        const int length = end != NULL ? (int)(end - notes) : (int)strlen(notes);
        snprintf(note, sizeof note, "%.*s", length, notes);
        reading->counts->doubtful++;
        if (reading->source->tell != NULL)
            reading->source->tell(reading->source->context, note);
        notes = end != NULL ? end + 1 : NULL;
    }
}

static enum pm_status read_pgn(const struct reading *reading, struct pm_input *input)
{
    struct pm_pgn_reader *reader = NULL;
    const struct pm_pgn_game *game = NULL;
    enum pm_status status = pm_pgn_open(input, &reader, reading->error);
    for (bool is_end = false; status == PM_OK && !is_end;) {
        struct pm_error why;
        status = pm_pgn_next(reader, &game, &why);
        tell_notes(reading, reader);
        is_end = status == PM_OK && game == NULL;
        if (status == PM_OK && game != NULL)
            status = rate_pgn_game(reading, game);
        else if (status == PM_ERROR_PARSE && pm_pgn_last_fault(reader).index > 0)
            status = pass_over(reading, &reading->counts->unreadable, &why);
        else if (status != PM_OK)
            pm_fail(reading->error, status, "%s", why.text);
    }
    pm_pgn_close(reader);
    return status;
}

/* CSV */

static struct word field_word(const struct pm_csv_row *row, int place)
{
    const struct pm_csv_field *field = &row->fields[place];
    return (struct word){field->text, field->line, field->column};
}

static enum pm_status read_csv_games(const struct reading *reading, struct pm_csv_reader *reader)
{
    static const char *const columns[] = {"white", "black", "result"};
    int places[3];
    const struct pm_csv_row *row = NULL;
    enum pm_status status = pm_csv_columns(reader, columns, 3, 3, places, reading->error);
    for (bool is_end = false; status == PM_OK && !is_end;) {
        struct pm_error why;
        status = pm_csv_next(reader, &row, &why);
        is_end = status == PM_OK && row == NULL;
        if (status == PM_OK && row != NULL)
            status =
                rate_trimmed(reading, &(struct game_words){.white = field_word(row, places[0]),
                                                           .black = field_word(row, places[1]),
                                                           .result = field_word(row, places[2])});
        else if (status != PM_OK && pm_csv_goes_on(reader))
            status = pass_over(reading, &reading->counts->unreadable, &why);
        else if (status != PM_OK)
            pm_fail(reading->error, status, "%s", why.text);
    }
    return status;
}

static enum pm_status read_csv(const struct reading *reading, struct pm_input *input)
{
    struct pm_csv_reader *reader = NULL;
    enum pm_status status = pm_csv_open(input, &reader, reading->error);
    if (status == PM_OK)
        status = read_csv_games(reading, reader);
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

enum pm_status pm_rating_read_games(struct pm_ratings *ratings,
                                    const struct pm_rating_source *source,
                                    struct pm_rating_counts *counts, struct pm_error *error)
{
    const bool is_csv = source->format == PM_RATING_CSV ||
                        (source->format == PM_RATING_BY_NAME && is_csv_name(source->path));
    struct pm_input *input = NULL;
    enum pm_status status = pm_input_open(source->path, &input, error);
    if (status == PM_OK) {
        const struct reading reading = {source, pm_input_name(input), ratings, counts, error};
        status = (is_csv ? read_csv : read_pgn)(&reading, input);
    }
    pm_input_close(input);
    return status;
}

/* Known ratings */

static enum pm_status check_name(const char *file, const struct word *name, struct pm_error *error)
{
    if (name->text[0] == '\0' || strcmp(name->text, "?") == 0)
        return reject(file, name, error,
                      "a player has no name: a player can't be rated without one");
    return PM_OK;
}

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
    enum pm_status status = check_name(file, &words[0], error);
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
