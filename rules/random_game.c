/* SPDX-License-Identifier: MIT */
#include "rules/random_game.h"

#include "core/fen.h"
#include "core/random.h"
#include "rules/history.h"
#include "rules/result.h"
#include "rules/san.h"
#include "rules/verdict.h"
#include "rules/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 79, PLAYERS = 8 };

struct pm_random_player {
    struct pm_view view;
    struct pm_history *history;
    struct pm_position start;
    char *text; /* the move text */
    size_t length, capacity, column;
};

enum pm_status pm_random_player_create(const struct pm_kernel *kernel,
                                       struct pm_random_player **player, struct pm_error *error)
{
    struct pm_random_player *made = calloc(1, sizeof *made);
    if (made == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_view_open(&made->view, kernel, error);
    if (status == PM_OK)
        status = pm_history_create(&made->history, error);
    if (status == PM_OK)
        status = pm_fen_read_named("startpos", 0, &made->start, NULL, error);
    if (status == PM_OK)
        *player = made;
    else
        pm_random_player_destroy(made);
    return status;
}

void pm_random_player_destroy(struct pm_random_player *player)
{
    if (player == NULL)
        return;
    pm_view_close(&player->view);
    pm_history_destroy(player->history);
    free(player->text);
    free(player);
}

/* Adds a word to the move text, in lines of at most LINE_WIDTH columns. */
static bool add_word(struct pm_random_player *player, const char *word)
{
    const size_t length = strlen(word);
    if (player->capacity - player->length < length + 2) {
        const size_t capacity = 2 * player->capacity + 1024;
        char *moved = realloc(player->text, capacity);
        if (moved == NULL)
            return false;
        player->text = moved;
        player->capacity = capacity;
    }
    if (player->column > 0) {
        const bool fits = player->column + 1 + length <= LINE_WIDTH;
        player->text[player->length++] = fits ? ' ' : '\n';
        player->column = fits ? player->column + 1 : 0;
    }
    memcpy(player->text + player->length, word, length + 1);
    player->length += length;
    player->column += length;
    return true;
}

static bool add_move(struct pm_random_player *player, const struct pm_move *move)
{
    char san[PM_SAN_SIZE], number[16];
    const struct pm_position *position = &player->view.position;
    snprintf(number, sizeof number, "%u.", (unsigned)position->fullmove_number);
    if (position->side_to_move == PM_WHITE && !add_word(player, number))
        return false;
    return add_word(player, pm_san_write(&player->view, move, san));
}

/* Each move draws a number and the least wins: so the kernel's order does not matter. */
static const struct pm_move *choose(const struct pm_view *view, uint64_t salt)
{
    const struct pm_move *chosen = NULL;
    uint64_t least = 0;
    for (unsigned i = 0; i < view->move_count; i++) {
        const struct pm_move *move = &view->moves[i];
        struct pm_random random = {salt + ((uint64_t)move->from << 16 | (uint64_t)move->to << 8 |
                                           (uint64_t)move->promotion)};
        const uint64_t number = pm_random_next(&random);
        if (chosen == NULL || number < least) {
            chosen = move;
            least = number;
        }
    }
    return chosen;
}

/* The result by the rules; PM_SCORE_OPEN while play can go on. */
static enum pm_score score_of(struct pm_random_player *player)
{
    const struct pm_game_result_facts facts = {
        .is_complete = true,
        .verdict = pm_verdict_of(&player->view, false),
        .side_to_move = (enum pm_color)player->view.position.side_to_move,
        .draws = pm_history_draws(player->history),
    };
    struct pm_game_result result;
    pm_game_result_judge(&facts, &result);
    return result.board;
}

static enum pm_status play(struct pm_random_player *player, const struct pm_random_games *games,
                           uint64_t index, enum pm_score *score, unsigned *plies,
                           struct pm_error *error)
{
    /* Two steps of the generator keep the games of neighboring seeds and indices apart. */
    struct pm_random seed = {games->seed};
    struct pm_random random = {pm_random_next(&seed) ^ index};
    random.state = pm_random_next(&random);
    pm_history_clear(player->history);
    player->length = player->column = 0;
    enum pm_status status = pm_view_set(&player->view, &player->start, error);
    for (*plies = 0; status == PM_OK; ++*plies) {
        status = pm_history_add(player->history, &player->view);
        if (status != PM_OK)
            return pm_fail(error, status, "out of memory");
        *score = score_of(player);
        if (*score != PM_SCORE_OPEN || *plies == games->max_plies)
            break;
        const struct pm_move move = *choose(&player->view, pm_random_next(&random));
        if (!add_move(player, &move))
            return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
        status = pm_view_play(&player->view, move, error);
    }
    return status;
}

enum pm_status pm_random_game_write(struct pm_random_player *player,
                                    const struct pm_random_games *games, uint64_t index, FILE *out,
                                    struct pm_error *error)
{
    enum pm_score score = PM_SCORE_OPEN;
    unsigned plies;
    const enum pm_status status = play(player, games, index, &score, &plies, error);
    if (status != PM_OK)
        return status;
    if (!add_word(player, pm_score_text(score)))
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    /* Everybody meets everybody with both colors. */
    const unsigned white = (unsigned)(index % PLAYERS);
    const unsigned black = (white + 1 + (unsigned)(index / PLAYERS % (PLAYERS - 1))) % PLAYERS;
    fprintf(out,
            "[Event \"Random game, seed %" PRIu64 "\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"
            "[Round \"%" PRIu64
            "\"]\n[White \"Random %u\"]\n[Black \"Random %u\"]\n[Result \"%s\"]\n"
            "[PlyCount \"%u\"]\n[Termination \"%s\"]\n\n%s\n\n",
            games->seed, index + 1, white + 1, black + 1, pm_score_text(score), plies,
            score == PM_SCORE_OPEN ? "unterminated" : "normal", player->text);
    return PM_OK;
}
