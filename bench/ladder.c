/* SPDX-License-Identifier: MIT */
#include "bench/ladder.h"

#include "core/mode.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAX_GAMES (PM_RESULT_MAX_KERNELS * (PM_RESULT_MAX_KERNELS - 1) / 2)

static struct pm_speed speed_of(const struct pm_result_group *group, int kernel, int position)
{
    const struct pm_measurement *measurement = pm_result_find(group, kernel, position);
    return measurement != NULL ? pm_measurement_summary(measurement)
                               : (struct pm_speed){.median = NAN, .spread = NAN};
}

static enum pm_score score(struct pm_speed white, struct pm_speed black)
{
    const double lead = white.median - black.median;
    const double deviations = white.median * white.spread + black.median * black.spread;
    if (fabs(lead) > deviations)
        return lead > 0 ? PM_SCORE_WHITE : PM_SCORE_BLACK;
    return PM_SCORE_DRAW;
}

/* The games on one position; returns their number. Which kernel has white is of no account. */
static size_t pair_kernels(const struct pm_result *result, const struct pm_result_group *group,
                           int position, struct pm_player *const players[],
                           struct pm_rated_game games[])
{
    size_t count = 0;
    for (int a = 0; a < result->kernel_count; a++) {
        const struct pm_speed white = speed_of(group, a, position);
        if (players[a] == NULL || isnan(white.median))
            continue;
        for (int b = a + 1; b < result->kernel_count; b++) {
            const struct pm_speed black = speed_of(group, b, position);
            if (players[b] != NULL && players[b] != players[a] && !isnan(black.median))
                games[count++] =
                    (struct pm_rated_game){players[a], players[b], score(white, black)};
        }
    }
    return count;
}

static bool has_speed(const struct pm_result *result, const struct pm_result_group *group,
                      int kernel)
{
    for (int position = 0; position < result->position_count; position++)
        if (!isnan(speed_of(group, kernel, position).median))
            return true;
    return false;
}

/* players[i] stays NULL for a kernel that does not play. */
static bool enter_players(const struct pm_result *result, const struct pm_result_group *group,
                          struct pm_ratings *ratings, struct pm_player *players[])
{
    for (int i = 0; i < result->kernel_count; i++) {
        if (result->kernels[i].is_reference || !has_speed(result, group, i))
            continue;
        players[i] = pm_ratings_player(ratings, result->kernels[i].name, NULL);
        if (players[i] == NULL)
            return false;
    }
    return true;
}

static bool play_all(const struct pm_result *result, const struct pm_result_group *group,
                     struct pm_ratings *ratings)
{
    struct pm_player *players[PM_RESULT_MAX_KERNELS] = {0};
    struct pm_rated_game *games = calloc(MAX_GAMES, sizeof games[0]);
    bool has_memory = games != NULL && enter_players(result, group, ratings, players);
    for (int position = 0; has_memory && position < result->position_count; position++) {
        const size_t count = pair_kernels(result, group, position, players, games);
        has_memory = pm_ratings_play(ratings, games, count) == PM_OK;
    }
    free(games);
    return has_memory;
}

struct pm_ratings *pm_ladder_rate(const struct pm_result *result,
                                  const struct pm_result_group *group)
{
    struct pm_points initial;
    pm_points_init(&initial);
    struct pm_ratings *ratings =
        pm_points_read(PM_LADDER_INITIAL, &initial) == PM_OK ? pm_ratings_new(&initial) : NULL;
    pm_points_clear(&initial);
    if (ratings == NULL || play_all(result, group, ratings))
        return ratings;
    pm_ratings_free(ratings);
    return NULL;
}

static bool print_line(FILE *out, const struct pm_ranked *line)
{
    const struct pm_player *player = line->player;
    char *points = pm_points_rounded(&player->points);
    const bool has_memory = points != NULL;
    if (has_memory)
        fprintf(out, "| %2zu | %-16s | %7s | %5llu | %5llu | %5llu | %5llu |\n", line->rank,
                player->name, points, (unsigned long long)pm_player_games(player),
                (unsigned long long)player->won, (unsigned long long)player->drawn,
                (unsigned long long)player->lost);
    free(points);
    return has_memory;
}

static bool print_ranking(FILE *out, const struct pm_result_group *group,
                          const struct pm_ranked lines[], size_t count)
{
    bool has_memory = true;
    fprintf(out,
            "**%s, %d thread%s**: ladder\n\n"
            "|  # | kernel           |  points | games |   won | drawn |  lost |\n"
            "|---:|:-----------------|--------:|------:|------:|------:|------:|\n",
            pm_mode_text((enum pm_mode)group->mode), group->threads,
            group->threads == 1 ? "" : "s");
    for (size_t i = 0; i < count && has_memory; i++)
        has_memory = print_line(out, &lines[i]);
    fputc('\n', out);
    return has_memory;
}

/* *shown: a table was printed. */
static bool print_group(FILE *out, const struct pm_result *result,
                        const struct pm_result_group *group, bool *shown)
{
    size_t count = 0;
    struct pm_ratings *ratings = pm_ladder_rate(result, group);
    struct pm_ranked *lines = ratings != NULL ? pm_ratings_rank(ratings, &count) : NULL;
    bool has_memory = lines != NULL;
    if (count > 1) {
        has_memory = print_ranking(out, group, lines, count);
        *shown = true;
    }
    free(lines);
    pm_ratings_free(ratings);
    return has_memory;
}

static void print_method(FILE *out)
{
    fputs("On each position each two kernels play a game: the faster one wins if the medians lie "
          "further apart than the two median absolute deviations together, else it is a draw. All "
          "start with " PM_LADDER_INITIAL
          " points, and what the winner gains, the loser loses. The "
          "games of one position are rated at the same time, each by the points before them all, "
          "the positions in the order of the table above: so the order of the kernels plays no "
          "part. A rating is settled after 50 games; points are " PM_RATING_ROUNDING
          ". Modes and numbers of threads are never mixed; "
          "reference kernels do not play.\n",
          out);
}

enum pm_status pm_ladder_print(FILE *out, const struct pm_result *result)
{
    char *text = NULL;
    size_t size = 0;
    bool shown = false;
    bool has_memory = true;
    FILE *tables = open_memstream(&text, &size);
    if (tables == NULL)
        return PM_ERROR_MEMORY;
    for (int i = 0; i < result->group_count && has_memory; i++)
        has_memory = print_group(tables, result, &result->groups[i], &shown);
    has_memory = fclose(tables) == 0 && has_memory;
    if (has_memory && shown) {
        fprintf(out, "\n%s", text);
        print_method(out);
    } else if (has_memory) {
        fputs("\nNo ladder: no two kernels that are no references were measured in one mode.\n",
              out);
    }
    free(text);
    return has_memory ? PM_OK : PM_ERROR_MEMORY;
}
