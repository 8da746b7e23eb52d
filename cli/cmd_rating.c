/* SPDX-License-Identifier: MIT */
/* `plymark rating`: ranks players by the results of their games. */
#include "cli/cli.h"
#include "core/escape.h"
#include "core/quote.h"
#include "rules/rating/csv.h"
#include "rules/rating/read.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_INITIAL = 256, KEY_RATINGS, KEY_FORMAT, KEY_EXACT, KEY_INPUT, KEY_ON_ERROR };

/* Only differences count, so any number would rank alike: a round one, with room below it, so that
 * hardly a beginner falls below 0. */
#define DEFAULT_INITIAL "1000"

enum output { OUTPUT_TEXT, OUTPUT_CSV, OUTPUT_JSON };

struct rating_options {
    char **files;
    int file_count;
    const char *initial;
    const char *known; /* NULL: nobody has a rating yet */
    enum output output;
    enum pm_rating_format format;
    bool exact, stop_on_error;
};

static enum output read_output(const char *text, const struct argp_state *state)
{
    static const char *const names[] = {"text", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum output)i;
    cli_usage(state, "--format is \"%s\": text, csv or json is needed", text);
    return OUTPUT_TEXT;
}

static enum pm_rating_format read_format(const char *text, const struct argp_state *state)
{
    if (strcmp(text, "csv") != 0 && strcmp(text, "pgn") != 0)
        cli_usage(state, "--input is \"%s\": pgn or csv is needed", text);
    return strcmp(text, "csv") == 0 ? PM_RATING_CSV : PM_RATING_PGN;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct rating_options *options = state->input;
    switch (key) {
    case KEY_INITIAL:
        options->initial = argument;
        return 0;
    case KEY_RATINGS:
        options->known = argument;
        return 0;
    case KEY_FORMAT:
        options->output = read_output(argument, state);
        return 0;
    case KEY_EXACT:
        options->exact = true;
        return 0;
    case KEY_INPUT:
        options->format = read_format(argument, state);
        return 0;
    case KEY_ON_ERROR:
        if (strcmp(argument, "skip") != 0 && strcmp(argument, "stop") != 0)
            cli_usage(state, "--on-error is \"%s\": skip or stop is needed", argument);
        options->stop_on_error = strcmp(argument, "stop") == 0;
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (options->file_count == 0)
            cli_usage(state, "no games given: name files of PGN or CSV, or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct rating_options *options)
{
    static const struct argp_option own_options[] = {
        {"initial", KEY_INITIAL, "POINTS", 0,
         "Points of a player who is not known yet (default: " DEFAULT_INITIAL ")", 0},
        {"ratings", KEY_RATINGS, "FILE", 0,
         "Known ratings: CSV with the columns name and points, and games if they are known", 0},
        {"format", KEY_FORMAT, "FORMAT", 0, "text, csv or json (default: text)", 0},
        {"exact", KEY_EXACT, NULL, 0,
         "Print points with all their decimals (in JSON as strings), not " PM_RATING_ROUNDING, 0},
        {"input", KEY_INPUT, "FORMAT", 0,
         "pgn or csv (default: csv for names that end in .csv, .csv.gz or .csv.zst, else pgn)", 0},
        {"on-error", KEY_ON_ERROR, "skip|stop", 0,
         "Pass over byes, games that were not played and games that can't be read, or refuse the "
         "files at the first (default: skip)",
         0},
        {0},
    };
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "FILE...",
        .doc =
            "Rank players by the results of their games, in the order of the files: PGN, or CSV "
            "with the columns white, black and result; plain, gzip or zstd.\v"
            "What the winner gains, the loser loses; after a draw the lower-rated gains. With d "
            "the difference of the ratings, a winner who is rated lower gains 10 (d below 10), "
            "10 + d/10 (below 100), else d/2; one who is rated higher 10, 10 - d/12.5, 2 (below "
            "200), else nothing; a draw gives the lower-rated nothing, (10 + d/10)/2, else d/4. "
            "Grades go from 30 (100 to 199 points) to 1; a rating is settled after 50 games. "
            "All arithmetic is exact. The CSV of --format csv --exact serves as --ratings of the "
            "next games. The performance is FIDE's (Handbook B.02, table 8.1.1), from the points "
            "that the opponents had before each game.\n\n"
            "Exit code 1: a PGN holds text that may mean something else; 2: a game could not be "
            "read."};
    cli_parse(&argp, argc, argv, options);
}

static void tell(void *context, const char *text)
{
    struct pm_error masked;
    (void)context;
    pm_fail(&masked, PM_ERROR_PARSE, "%s", text);
    fprintf(stderr, "plymark rating: %s\n", masked.text);
}

static enum pm_status read_all(const struct rating_options *options, struct pm_ratings *ratings,
                               struct pm_rating_counts *counts, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    if (options->known != NULL)
        status = pm_rating_read_known(ratings, options->known, error);
    for (int i = 0; i < options->file_count && status == PM_OK; i++) {
        const struct pm_rating_source source = {.path = options->files[i],
                                                .format = options->format,
                                                .tell = options->stop_on_error ? NULL : tell};
        status = pm_rating_read_games(ratings, &source, counts, error);
    }
    return status;
}

/* A line of the ranking as it is shown. */
struct line {
    const struct pm_player *player;
    size_t rank;
    char *name; /* as people see it */
    char *points;
    char performance[24]; /* "" without games of these files */
    int grade;            /* 0: none */
    uint64_t games, left;
};

struct ranking {
    struct line *lines;
    size_t count;
    struct pm_rating_counts counts;
};

static void free_ranking(struct ranking *ranking)
{
    for (size_t i = 0; ranking->lines != NULL && i < ranking->count; i++) {
        free(ranking->lines[i].name);
        free(ranking->lines[i].points);
    }
    free(ranking->lines);
}

static struct line make_line(const struct pm_ranked *ranked, bool exact)
{
    const struct pm_points *points = &ranked->player->points;
    const uint64_t games = pm_player_games(ranked->player);
    struct line line = {.player = ranked->player,
                        .rank = ranked->rank,
                        .points = exact ? pm_points_exact(points) : pm_points_rounded(points),
                        .grade = pm_points_grade(points),
                        .games = games,
                        .left = games < PM_RATING_SETTLED ? PM_RATING_SETTLED - games : 0};
    const size_t room = 4 * strlen(ranked->player->name) + 2;
    int64_t performance;
    line.name = malloc(room);
    if (line.name != NULL)
        pm_escape_copy(ranked->player->name, line.name, room);
    if (pm_player_performance(ranked->player, &performance))
        snprintf(line.performance, sizeof line.performance, "%lld", (long long)performance);
    return line;
}

static enum pm_status make_ranking(const struct pm_ratings *ratings, bool exact,
                                   struct ranking *ranking, struct pm_error *error)
{
    bool has_all = true;
    struct pm_ranked *ranked = pm_ratings_rank(ratings, &ranking->count);
    if (ranked != NULL)
        ranking->lines = calloc(ranking->count + 1, sizeof ranking->lines[0]);
    for (size_t i = 0; ranking->lines != NULL && i < ranking->count; i++) {
        ranking->lines[i] = make_line(&ranked[i], exact);
        has_all = has_all && ranking->lines[i].points != NULL && ranking->lines[i].name != NULL;
    }
    free(ranked);
    if (ranking->lines == NULL || !has_all)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the ranking");
    return PM_OK;
}

/* Text */

/* Characters of UTF-8; a name as such is not wider. */
static int width(const char *text)
{
    int count = 0;
    for (; *text != '\0'; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

/* Padded on the right. */
static void print_name(const char *name, int room)
{
    printf("%s%*s", name, room - width(name), "");
}

static void print_line(const struct line *line, int name_room, int points_room)
{
    char grade[16] = "-";
    char settled[32] = "yes";
    const struct pm_player *player = line->player;
    if (line->grade > 0)
        snprintf(grade, sizeof grade, "%d", line->grade);
    if (line->left > 0)
        snprintf(settled, sizeof settled, "%llu to go", (unsigned long long)line->left);
    printf("%4zu  ", line->rank);
    print_name(line->name, name_room);
    printf("  %*s  %11s  %5s  %8s  %6llu  %6llu  %6llu  %6llu\n", points_room, line->points,
           line->performance[0] != '\0' ? line->performance : "-", grade, settled,
           (unsigned long long)line->games, (unsigned long long)player->won,
           (unsigned long long)player->drawn, (unsigned long long)player->lost);
}

static void print_text(const struct ranking *ranking, const struct rating_options *options)
{
    int name_room = width("name");
    int points_room = width("points");
    for (size_t i = 0; i < ranking->count; i++) {
        const int name = width(ranking->lines[i].name);
        const int points = width(ranking->lines[i].points);
        name_room = name > name_room ? name : name_room;
        points_room = points > points_room ? points : points_room;
    }
    printf("rank  %-*s  %*s  performance  grade   settled   games     won   drawn    lost\n",
           name_room, "name", points_room, "points");
    for (size_t i = 0; i < ranking->count; i++)
        print_line(&ranking->lines[i], name_room, points_room);
    const struct pm_rating_counts *const counts = &ranking->counts;
    printf("\n%llu game%s rated; passed over: %llu without a result, %llu not played, %llu that "
           "can't be read. New players start with %s points; points are %s.\n",
           (unsigned long long)counts->rated, counts->rated == 1 ? "" : "s",
           (unsigned long long)counts->unfinished, (unsigned long long)counts->unplayed,
           (unsigned long long)counts->unreadable, options->initial,
           options->exact ? "exact" : PM_RATING_ROUNDING);
    if (options->known != NULL)
        puts("games has the earlier ones too; won, drawn and lost are those of these files.");
}

/* CSV */

static void print_csv(const struct ranking *ranking)
{
    puts("rank,name,points,grade,settled,games_left,games,won,drawn,lost,performance");
    for (size_t i = 0; i < ranking->count; i++) {
        const struct line *line = &ranking->lines[i];
        const struct pm_player *player = line->player;
        char grade[16] = "";
        if (line->grade > 0)
            snprintf(grade, sizeof grade, "%d", line->grade);
        printf("%zu,", line->rank);
        pm_csv_write(stdout, isatty(STDOUT_FILENO) ? line->name : player->name);
        printf(",%s,%s,%s,%llu,%llu,%llu,%llu,%llu,%s\n", line->points, grade,
               line->left == 0 ? "yes" : "no", (unsigned long long)line->left,
               (unsigned long long)line->games, (unsigned long long)player->won,
               (unsigned long long)player->drawn, (unsigned long long)player->lost,
               line->performance);
    }
}

/* JSON */

static json_t *line_json(const struct line *line, bool exact)
{
    const struct pm_player *player = line->player;
    return json_pack(
        "{sI ss so so sb sI sI sI sI sI so}", "rank", (json_int_t)line->rank, "name", player->name,
        "points", exact ? json_string(line->points) : json_real(strtod(line->points, NULL)),
        "grade", line->grade > 0 ? json_integer(line->grade) : json_null(), "settled",
        line->left == 0, "games_left", (json_int_t)line->left, "games", (json_int_t)line->games,
        "won", (json_int_t)player->won, "drawn", (json_int_t)player->drawn, "lost",
        (json_int_t)player->lost, "performance",
        line->performance[0] != '\0' ? json_integer(atoll(line->performance)) : json_null());
}

static enum pm_status add_players(json_t *players, const struct ranking *ranking, bool exact,
                                  struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    for (size_t i = 0; i < ranking->count; i++) {
        const char *name = ranking->lines[i].player->name;
        if (json_array_append_new(players, line_json(&ranking->lines[i], exact)) != 0)
            return pm_fail(error, PM_ERROR_PARSE,
                           "the name %s is no UTF-8: JSON can't hold it; text and csv can",
                           pm_quote(name, strlen(name), quoted));
    }
    return PM_OK;
}

static enum pm_status print_json(const struct ranking *ranking,
                                 const struct rating_options *options, struct pm_error *error)
{
    json_t *players = json_array();
    json_t *all = json_pack("{ss ss sI sI sI sI sO}", "initial", options->initial, "rounding",
                            options->exact ? "none" : PM_RATING_ROUNDING, "rated",
                            (json_int_t)ranking->counts.rated, "unfinished",
                            (json_int_t)ranking->counts.unfinished, "unplayed",
                            (json_int_t)ranking->counts.unplayed, "unreadable",
                            (json_int_t)ranking->counts.unreadable, "players", players);
    enum pm_status status = all != NULL ? add_players(players, ranking, options->exact, error)
                                        : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    char *const text =
        status == PM_OK ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    if (text != NULL) {
        pm_escape_json(stdout, text);
        putchar('\n');
    } else if (status == PM_OK) {
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    free(text);
    json_decref(all);
    json_decref(players);
    return status;
}

static enum pm_status print(const struct ranking *ranking, const struct rating_options *options,
                            struct pm_error *error)
{
    if (options->output == OUTPUT_JSON)
        return print_json(ranking, options, error);
    if (options->output == OUTPUT_CSV)
        print_csv(ranking);
    else
        print_text(ranking, options);
    return PM_OK;
}

static enum pm_status make_ratings(const struct rating_options *options,
                                   struct pm_ratings **ratings, struct pm_error *error)
{
    struct pm_points initial;
    pm_points_init(&initial);
    enum pm_status status = pm_points_read(options->initial, &initial);
    if (status == PM_ERROR_PARSE)
        pm_fail(
            error, status,
            "--initial is \"%.60s\": a decimal number with at most 9 digits before the point is "
            "needed",
            options->initial);
    if (status == PM_OK)
        *ratings = pm_ratings_new(&initial);
    if (status == PM_ERROR_MEMORY || (status == PM_OK && *ratings == NULL))
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    pm_points_clear(&initial);
    return status;
}

int cli_rating(int argc, char **argv)
{
    struct rating_options options = {.initial = DEFAULT_INITIAL};
    struct pm_ratings *ratings = NULL;
    struct ranking ranking = {0};
    struct pm_error error = {0};
    parse(argc, argv, &options);
    enum pm_status status = make_ratings(&options, &ratings, &error);
    if (status == PM_OK)
        status = read_all(&options, ratings, &ranking.counts, &error);
    if (status == PM_OK)
        status = make_ranking(ratings, options.exact, &ranking, &error);
    if (status == PM_OK)
        status = print(&ranking, &options, &error);
    free_ranking(&ranking);
    pm_ratings_free(ratings);
    if (status != PM_OK)
        return cli_fail("rating", &error);
    return ranking.counts.unreadable > 0 ? CLI_EXIT_USAGE
           : ranking.counts.doubtful > 0 ? CLI_EXIT_MISMATCH
                                         : CLI_EXIT_OK;
}
