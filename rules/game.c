/* SPDX-License-Identifier: MIT */
#include "rules/game.h"

#include "core/fen.h"
#include "core/position.h"
#include "core/quote.h"
#include "rules/dead.h"
#include "rules/material.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pm_game_player {
    struct pm_view view;
    struct pm_history *history;
    struct pm_game_repetition *repetitions;
    size_t repetition_capacity;
};

enum pm_status pm_game_player_create(const struct pm_kernel *kernel, struct pm_game_player **player,
                                     struct pm_error *error)
{
    struct pm_game_player *made = calloc(1, sizeof *made);
    if (made == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_view_open(&made->view, kernel, error);
    if (status == PM_OK)
        status = pm_history_create(&made->history, error);
    if (status == PM_OK)
        *player = made;
    else
        pm_game_player_destroy(made);
    return status;
}

void pm_game_player_destroy(struct pm_game_player *player)
{
    if (player == NULL)
        return;
    pm_view_close(&player->view);
    pm_history_destroy(player->history);
    free(player->repetitions);
    free(player);
}

const struct pm_history *pm_game_history(const struct pm_game_player *player)
{
    return player->history;
}

const char *pm_game_fault_text(enum pm_game_fault fault)
{
    static const char *const texts[PM_GAME_FAULT_COUNT] = {
        [PM_GAME_FINE] = "fine",
        [PM_GAME_BAD_VARIANT] = "bad variant",
        [PM_GAME_BAD_POSITION] = "bad position",
        [PM_GAME_NO_MOVE] = "no move",
        [PM_GAME_ILLEGAL] = "illegal",
        [PM_GAME_AMBIGUOUS] = "ambiguous",
    };
    return (unsigned)fault < PM_GAME_FAULT_COUNT ? texts[fault] : "unknown fault";
}

/* ---- How it begins ---- */

static void blame_tag(struct pm_game_report *report, const struct pm_pgn_tag *tag,
                      enum pm_game_fault fault)
{
    report->fault = fault;
    report->fault_line = tag->line;
    report->fault_column = tag->column;
}

/* Letters and digits of a Variant tag that stand for chess as it is. */
static bool is_standard_variant(const char *word)
{
    static const char *const words[] = {"",          "standard", "chess",       "normal",
                                        "classical", "regular",  "fromposition"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static void read_variant(struct pm_game_report *report)
{
    const struct pm_pgn_tag *tag = pm_pgn_find_tag(report->game, "Variant");
    char word[64], quoted[PM_QUOTE_SIZE];
    size_t length = 0;
    if (tag == NULL)
        return;
    for (const char *at = tag->value; *at != '\0' && length < sizeof word - 1; at++)
        if (isalnum((unsigned char)*at))
            word[length++] = (char)tolower((unsigned char)*at);
    word[length] = '\0';
    if (strstr(word, "960") != NULL || strncmp(word, "fischer", 7) == 0) {
        report->chess960 = true;
    } else if (!is_standard_variant(word)) {
        blame_tag(report, tag, PM_GAME_BAD_VARIANT);
        pm_fail(&report->fault_error, PM_ERROR_UNSUPPORTED,
                "Variant is %s: only standard chess and Chess960 are replayed",
                pm_quote(tag->value, strlen(tag->value), quoted));
    }
}

/* Standard castling first: its rights mean what they say. Then those of Chess960. */
static enum pm_status read_fen(struct pm_game_report *report, const char *fen)
{
    unsigned warnings = 0;
    if (!report->chess960 &&
        pm_fen_read(fen, PM_FEN_LENIENT, &report->start, &warnings, NULL) == PM_OK &&
        !(warnings & PM_FEN_WARN_CASTLING))
        return PM_OK;
    const enum pm_status status = pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &report->start,
                                              NULL, &report->fault_error);
    if (status == PM_OK && !pm_position_is_standard(&report->start))
        report->chess960 = true;
    return status;
}

static void read_start(struct pm_game_report *report)
{
    const struct pm_pgn_tag *fen = pm_pgn_find_tag(report->game, "FEN");
    const struct pm_pgn_tag *set_up = pm_pgn_find_tag(report->game, "SetUp");
    if (fen == NULL && set_up != NULL && strcmp(set_up->value, "1") == 0) {
        blame_tag(report, set_up, PM_GAME_BAD_POSITION);
        pm_fail(&report->fault_error, PM_ERROR_PARSE, "SetUp is 1, but there is no FEN tag");
        return;
    }
    report->is_set_up = fen != NULL;
    if (fen == NULL)
        pm_fen_read_named("startpos", 0, &report->start, NULL, NULL);
    else if (read_fen(report, fen->value) != PM_OK)
        blame_tag(report, fen, PM_GAME_BAD_POSITION);
}

/* ---- What happens on the way ---- */

static void note_claims(struct pm_game_player *player, struct pm_game_report *report, size_t ply,
                        unsigned draws)
{
    struct pm_game_claim *const claims[] = {&report->threefold, &report->fifty};
    static const unsigned bits[] = {PM_DRAW_THREEFOLD, PM_DRAW_FIFTY_MOVES};
    struct pm_move move;
    unsigned by_move = 0;
    if (report->threefold.ply != PM_NO_PLY && report->fifty.ply != PM_NO_PLY)
        return;
    if ((draws & bits[0]) == 0 || (draws & bits[1]) == 0)
        by_move = pm_history_claims_by_move(player->history, &player->view, &move);
    for (int i = 0; i < 2; i++) {
        if (claims[i]->ply != PM_NO_PLY || ((draws | by_move) & bits[i]) == 0)
            continue;
        claims[i]->ply = ply;
        if ((draws & bits[i]) == 0)
            pm_san_write(&player->view, &move, claims[i]->move);
    }
}

static void note_automatic(const struct pm_game_player *player, struct pm_game_report *report,
                           size_t ply, unsigned draws)
{
    const struct pm_position *position = &player->view.position;
    if (report->automatic_ply != PM_NO_PLY)
        return;
    if (draws & PM_DRAW_FIVEFOLD)
        report->automatic = PM_ENDING_REPETITION;
    else if (draws & PM_DRAW_SEVENTY_FIVE)
        report->automatic = PM_ENDING_MOVE_COUNT;
    else if ((ply == 0 ||
              position->halfmove_clock == 0) && /* it can't become so without a capture */
             (player->view.board->pawns | player->view.board->straights) == 0 &&
             pm_material_is_insufficient(position))
        report->automatic = PM_ENDING_MATERIAL;
    if (report->automatic != PM_ENDING_UNKNOWN)
        report->automatic_ply = ply;
}

/* The view's position becomes the game's next one. */
static enum pm_status enter(struct pm_game_player *player, struct pm_game_report *report,
                            size_t ply, struct pm_error *error)
{
    const enum pm_status status = pm_history_add(player->history, &player->view);
    if (status != PM_OK)
        return pm_fail(error, status, "out of memory");
    const unsigned draws = pm_history_draws(player->history);
    note_claims(player, report, ply, draws);
    note_automatic(player, report, ply, draws);
    if (report->perpetual_ply == PM_NO_PLY &&
        (draws & (PM_DRAW_PERPETUAL_WHITE | PM_DRAW_PERPETUAL_BLACK)) != 0) {
        report->perpetual_ply = ply;
        report->perpetual_by = draws & PM_DRAW_PERPETUAL_WHITE ? PM_WHITE : PM_BLACK;
    }
    return PM_OK;
}

static void blame_move(struct pm_game_report *report, const struct pm_pgn_move *move,
                       enum pm_san_fault fault)
{
    static const enum pm_game_fault faults[] = {
        [PM_SAN_NO_MOVE] = PM_GAME_NO_MOVE,
        [PM_SAN_ILLEGAL] = PM_GAME_ILLEGAL,
        [PM_SAN_AMBIGUOUS] = PM_GAME_AMBIGUOUS,
    };
    report->fault = faults[fault];
    report->fault_move = move;
    report->fault_line = move->line;
    report->fault_column = move->column;
}

static enum pm_status play_moves(struct pm_game_player *player, struct pm_game_report *report,
                                 struct pm_error *error)
{
    enum pm_status status = enter(player, report, 0, error);
    while (status == PM_OK && report->plies < report->game->move_count) {
        const struct pm_pgn_move *word = &report->game->moves[report->plies];
        struct pm_move move;
        const enum pm_san_fault fault =
            pm_san_read(&player->view, word->text, word->length, &move, &report->fault_error);
        if (fault != PM_SAN_OK) {
            blame_move(report, word, fault);
            break;
        }
        status = pm_view_follow(&player->view, move, error);
        if (status == PM_OK)
            status = enter(player, report, ++report->plies, error);
    }
    return status;
}

/* ---- How it ends ---- */

static bool add_repetition(struct pm_game_player *player, struct pm_game_report *report,
                           size_t last_ply, unsigned count)
{
    if (report->repetition_count == player->repetition_capacity) {
        const size_t capacity = 2 * player->repetition_capacity + 16;
        void *moved = realloc(player->repetitions, capacity * sizeof *player->repetitions);
        if (moved == NULL)
            return false;
        player->repetitions = moved;
        player->repetition_capacity = capacity;
    }
    player->repetitions[report->repetition_count++] = (struct pm_game_repetition){last_ply, count};
    return true;
}

static enum pm_status collect_repetitions(struct pm_game_player *player,
                                          struct pm_game_report *report, struct pm_error *error)
{
    const struct pm_history *history = player->history;
    for (size_t ply = 0; ply < pm_history_length(history); ply++) {
        const unsigned count = pm_history_occurrences_at(history, ply);
        if (count >= 3 && pm_history_last_ply(history, ply) == ply &&
            !add_repetition(player, report, ply, count))
            return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    report->repetitions = player->repetitions;
    return PM_OK;
}

/* The day on which it was played. */
static const char *date_of(const struct pm_pgn_game *game)
{
    const char *const date = pm_pgn_tag(game, "Date");
    return date != NULL && date[0] != '?' ? date : pm_pgn_tag(game, "UTCDate");
}

static void judge(struct pm_game_player *player, struct pm_game_report *report)
{
    report->before_automatic_draws = pm_date_is_before_automatic_draws(date_of(report->game));
    struct pm_game_result_facts facts = {
        .result_tag = pm_pgn_tag(report->game, "Result"),
        .marker = report->game->result,
        .termination = pm_pgn_tag(report->game, "Termination"),
        .is_complete = report->fault == PM_GAME_FINE,
        .white = pm_pgn_tag(report->game, "White"),
        .black = pm_pgn_tag(report->game, "Black"),
        .before_automatic_draws = report->before_automatic_draws,
        .drawn_by = report->automatic_ply < report->plies ? report->automatic : PM_ENDING_UNKNOWN,
    };
    struct pm_move move;
    if (facts.is_complete) {
        const struct pm_position *last = &player->view.position;
        report->verdict = pm_verdict_of(&player->view, true);
        pm_verdict_reason(&player->view, report->verdict, report->reason);
        facts.verdict = report->verdict;
        facts.side_to_move = (enum pm_color)last->side_to_move;
        facts.draws = pm_history_draws(player->history);
        facts.claims = pm_history_claims_by_move(player->history, &player->view, &move);
        if (pm_ending_read(facts.termination, facts.white, facts.black) == PM_ENDING_TIME)
            for (int color = 0; color < PM_COLOR_COUNT; color++)
                facts.cannot_mate[color] =
                    pm_cannot_mate_proof(&player->view, (enum pm_color)color);
    }
    pm_game_result_judge(&facts, &report->result);
}

static void begin(struct pm_game_player *player, const struct pm_pgn_game *game,
                  struct pm_game_report *report)
{
    pm_history_clear(player->history);
    *report = (struct pm_game_report){
        .game = game,
        .threefold.ply = PM_NO_PLY,
        .fifty.ply = PM_NO_PLY,
        .automatic_ply = PM_NO_PLY,
        .perpetual_ply = PM_NO_PLY,
    };
    read_variant(report);
    if (report->fault == PM_GAME_FINE)
        read_start(report);
}

enum pm_status pm_game_replay(struct pm_game_player *player, const struct pm_pgn_game *game,
                              struct pm_game_report *report, struct pm_error *error)
{
    begin(player, game, report);
    if (report->fault == PM_GAME_FINE) {
        enum pm_status status = pm_view_set(&player->view, &report->start, error);
        if (status == PM_OK)
            status = play_moves(player, report, error);
        if (status == PM_OK)
            status = pm_view_look(&player->view, error);
        if (status == PM_OK)
            status = collect_repetitions(player, report, error);
        if (status != PM_OK)
            return status;
        report->last = player->view.position;
    }
    judge(player, report);
    return PM_OK;
}

char *pm_game_move_text(const struct pm_game_report *report, size_t ply,
                        char text[PM_GAME_MOVE_SIZE])
{
    const struct pm_pgn_move *move = &report->game->moves[ply - 1];
    const size_t half_moves = ply - 1 + (report->start.side_to_move == PM_BLACK);
    snprintf(text, PM_GAME_MOVE_SIZE, "%zu.%s %.*s", report->start.fullmove_number + half_moves / 2,
             half_moves % 2 == 0 ? "" : "..", (int)(move->length < 24 ? move->length : 24),
             move->text);
    return text;
}
