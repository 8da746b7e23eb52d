/* SPDX-License-Identifier: MIT */
#include "rules/result.h"

#include "rules/history.h"

#include <ctype.h>
#include <string.h>

const char *pm_ending_text(enum pm_ending ending)
{
    static const char *const texts[PM_ENDING_COUNT] = {
        [PM_ENDING_UNKNOWN] = "unknown",           [PM_ENDING_NORMAL] = "normal",
        [PM_ENDING_CHECKMATE] = "checkmate",       [PM_ENDING_RESIGNATION] = "resignation",
        [PM_ENDING_TIME] = "time forfeit",         [PM_ENDING_AGREEMENT] = "agreement",
        [PM_ENDING_STALEMATE] = "stalemate",       [PM_ENDING_MATERIAL] = "insufficient material",
        [PM_ENDING_REPETITION] = "repetition",     [PM_ENDING_MOVE_COUNT] = "move count",
        [PM_ENDING_PERPETUAL] = "perpetual check", [PM_ENDING_INFRACTION] = "rules infraction",
        [PM_ENDING_ABANDONED] = "abandoned",       [PM_ENDING_ADJUDICATION] = "adjudication",
        [PM_ENDING_EMERGENCY] = "emergency",       [PM_ENDING_UNTERMINATED] = "unterminated",
    };
    return (unsigned)ending < PM_ENDING_COUNT ? texts[ending] : "unknown";
}

/* What follows a player's name, which may hold any of the words looked for. */
static const char *after_name(const char *text)
{
    static const char *const verbs[] = {" won ", " drawn ", " wins ", " loses ", " lost "};
    const char *rest = text;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        for (const char *at = strstr(text, verbs[i]); at != NULL; at = strstr(at + 1, verbs[i]))
            rest = at > rest ? at : rest;
    return rest;
}

enum pm_ending pm_ending_read(const char *termination)
{
    /* The first that occurs decides: "timeout vs insufficient material" is a matter of time. */
    static const struct {
        const char *word;
        enum pm_ending ending;
    } words[] = {
        {"adjudicat", PM_ENDING_ADJUDICATION},
        {"infraction", PM_ENDING_INFRACTION},
        {"illegal", PM_ENDING_INFRACTION},
        {"unterminated", PM_ENDING_UNTERMINATED},
        {"abandon", PM_ENDING_ABANDONED},
        {"disconnect", PM_ENDING_ABANDONED},
        {"stalled", PM_ENDING_ABANDONED},
        {"death", PM_ENDING_EMERGENCY},
        {"emergency", PM_ENDING_EMERGENCY},
        {"time forfeit", PM_ENDING_TIME},
        {"timeout", PM_ENDING_TIME},
        {"on time", PM_ENDING_TIME},
        {"out of time", PM_ENDING_TIME},
        {"ran out", PM_ENDING_TIME},
        {"flag", PM_ENDING_TIME},
        {"stalemate", PM_ENDING_STALEMATE},
        {"insufficient", PM_ENDING_MATERIAL},
        {"mating material", PM_ENDING_MATERIAL},
        {"dead position", PM_ENDING_MATERIAL},
        {"perpetual", PM_ENDING_PERPETUAL},
        {"repetition", PM_ENDING_REPETITION},
        {"threefold", PM_ENDING_REPETITION},
        {"fivefold", PM_ENDING_REPETITION},
        {"50", PM_ENDING_MOVE_COUNT},
        {"fifty", PM_ENDING_MOVE_COUNT},
        {"75", PM_ENDING_MOVE_COUNT},
        {"seventy-five", PM_ENDING_MOVE_COUNT},
        {"agree", PM_ENDING_AGREEMENT},
        {"mutual", PM_ENDING_AGREEMENT},
        {"move count", PM_ENDING_MOVE_COUNT},
        {"resign", PM_ENDING_RESIGNATION},
        {"mate", PM_ENDING_CHECKMATE},
        {"normal", PM_ENDING_NORMAL},
    };
    char text[256];
    size_t length = 0;
    if (termination == NULL)
        return PM_ENDING_UNKNOWN;
    for (const char *at = termination; *at != '\0' && length < sizeof text - 1; at++)
        text[length++] = (char)tolower((unsigned char)*at);
    text[length] = '\0';
    const char *rest = after_name(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(rest, words[i].word) != NULL)
            return words[i].ending;
    return PM_ENDING_UNKNOWN;
}

const char *pm_contradiction_text(enum pm_contradiction contradiction)
{
    switch (contradiction) {
    case PM_CONTRADICTION_MARKER:
        return "the Result tag and the end of the move text differ";
    case PM_CONTRADICTION_BOARD:
        return "the last position has another result";
    case PM_CONTRADICTION_DRAWN:
        return "the game was drawn by the rules before it was won";
    case PM_CONTRADICTION_TIME:
        return "loss on time is a draw if and only if the other side can't mate";
    case PM_CONTRADICTION_TERMINATION:
        return "the Termination tag does not fit the board or the result";
    case PM_CONTRADICTION_UNREADABLE:
        return "the Result tag is no result: 1-0, 0-1, 1/2-1/2 or * is needed";
    }
    return "unknown contradiction";
}

/* ---- Judging ---- */

static bool says_something(enum pm_score score)
{
    return score >= PM_SCORE_WHITE && score < PM_SCORE_COUNT;
}

static bool is_win(enum pm_score score)
{
    return score == PM_SCORE_WHITE || score == PM_SCORE_BLACK;
}

#define AUTOMATIC (PM_DRAW_FIVEFOLD | PM_DRAW_SEVENTY_FIVE)

static enum pm_score board_score(const struct pm_game_result_facts *facts)
{
    if (!facts->is_complete)
        return PM_SCORE_OPEN;
    if (facts->verdict == PM_VERDICT_CHECKMATE)
        return facts->side_to_move == PM_WHITE ? PM_SCORE_BLACK : PM_SCORE_WHITE;
    return facts->verdict != PM_VERDICT_OPEN || (facts->draws & AUTOMATIC) != 0 ? PM_SCORE_DRAW
                                                                                : PM_SCORE_OPEN;
}

/* What the last position alone tells. */
static enum pm_ending board_ending(const struct pm_game_result_facts *facts)
{
    switch (facts->verdict) {
    case PM_VERDICT_CHECKMATE:
        return PM_ENDING_CHECKMATE;
    case PM_VERDICT_STALEMATE:
        return PM_ENDING_STALEMATE;
    case PM_VERDICT_INSUFFICIENT_MATERIAL:
    case PM_VERDICT_DEAD_POSITION:
        return PM_ENDING_MATERIAL;
    default:
        break;
    }
    if (facts->draws & PM_DRAW_FIVEFOLD)
        return PM_ENDING_REPETITION;
    return facts->draws & PM_DRAW_SEVENTY_FIVE ? PM_ENDING_MOVE_COUNT : PM_ENDING_UNKNOWN;
}

static enum pm_ending draw_ending(const struct pm_game_result_facts *facts)
{
    const unsigned claims = facts->draws | facts->claims;
    if (facts->is_complete && (claims & PM_DRAW_THREEFOLD) != 0)
        return PM_ENDING_REPETITION;
    if (facts->is_complete && (claims & PM_DRAW_FIFTY_MOVES) != 0)
        return PM_ENDING_MOVE_COUNT;
    return PM_ENDING_AGREEMENT;
}

/* Where the Termination tag leaves it open. */
static void find_ending(const struct pm_game_result_facts *facts, struct pm_game_result *result)
{
    const bool is_normal = result->ending == PM_ENDING_NORMAL;
    const enum pm_ending on_board = facts->is_complete ? board_ending(facts) : PM_ENDING_UNKNOWN;
    if (on_board != PM_ENDING_UNKNOWN) {
        result->ending = on_board;
    } else if (is_win(result->said)) { /* loss on time would not be called normal */
        result->ending = PM_ENDING_RESIGNATION;
        result->is_assumed = !is_normal;
    } else if (result->said == PM_SCORE_DRAW) {
        result->ending = draw_ending(facts);
        result->is_assumed = true;
    } else {
        result->ending = PM_ENDING_UNTERMINATED;
        result->is_assumed = true;
    }
}

static bool termination_fits_result(enum pm_ending ending, enum pm_score said)
{
    switch (ending) {
    case PM_ENDING_CHECKMATE:
    case PM_ENDING_RESIGNATION:
        return said != PM_SCORE_DRAW;
    case PM_ENDING_AGREEMENT:
    case PM_ENDING_STALEMATE:
    case PM_ENDING_MATERIAL:
    case PM_ENDING_REPETITION:
    case PM_ENDING_MOVE_COUNT:
    case PM_ENDING_PERPETUAL:
        return !is_win(said);
    case PM_ENDING_UNTERMINATED:
        return !says_something(said);
    default:
        return true;
    }
}

static bool termination_fits_board(enum pm_ending ending, const struct pm_game_result_facts *facts)
{
    const unsigned claims = facts->draws | facts->claims;
    switch (ending) {
    case PM_ENDING_CHECKMATE:
        return facts->verdict == PM_VERDICT_CHECKMATE;
    case PM_ENDING_STALEMATE:
        return facts->verdict == PM_VERDICT_STALEMATE;
    case PM_ENDING_MATERIAL:
        return facts->verdict == PM_VERDICT_INSUFFICIENT_MATERIAL ||
               facts->verdict == PM_VERDICT_DEAD_POSITION;
    case PM_ENDING_REPETITION:
        return (claims & PM_DRAW_THREEFOLD) != 0;
    case PM_ENDING_MOVE_COUNT:
        return (claims & PM_DRAW_FIFTY_MOVES) != 0;
    case PM_ENDING_PERPETUAL:
        return (claims & (PM_DRAW_PERPETUAL_WHITE | PM_DRAW_PERPETUAL_BLACK)) != 0;
    default:
        return true;
    }
}

static bool winner_cannot_mate(const struct pm_game_result_facts *facts, enum pm_score said)
{
    return is_win(said) && facts->cannot_mate[said == PM_SCORE_WHITE ? PM_WHITE : PM_BLACK];
}

static bool time_fits(const struct pm_game_result_facts *facts, enum pm_score said)
{
    if (said == PM_SCORE_DRAW)
        return facts->cannot_mate[PM_WHITE] || facts->cannot_mate[PM_BLACK];
    return !winner_cannot_mate(facts, said);
}

static unsigned board_contradictions(const struct pm_game_result_facts *facts,
                                     const struct pm_game_result *result, enum pm_ending named)
{
    unsigned found = 0;
    if (says_something(result->board) && says_something(result->said) &&
        result->board != result->said)
        found |= PM_CONTRADICTION_BOARD;
    if (facts->was_drawn && is_win(result->said))
        found |= PM_CONTRADICTION_DRAWN;
    if (named == PM_ENDING_TIME && !says_something(result->board) &&
        !time_fits(facts, result->said))
        found |= PM_CONTRADICTION_TIME;
    if (!termination_fits_board(named, facts))
        found |= PM_CONTRADICTION_TERMINATION;
    return found;
}

void pm_game_result_judge(const struct pm_game_result_facts *facts, struct pm_game_result *result)
{
    const enum pm_ending named = pm_ending_read(facts->termination);
    *result = (struct pm_game_result){
        .tag = pm_score_read(facts->result_tag),
        .marker = pm_score_read(facts->marker),
        .board = board_score(facts),
        .ending = named,
    };
    result->said = says_something(result->tag) ? result->tag : result->marker;
    if (named <= PM_ENDING_NORMAL)
        find_ending(facts, result);
    if (result->tag == PM_SCORE_UNREADABLE)
        result->contradictions |= PM_CONTRADICTION_UNREADABLE;
    if (says_something(result->tag) && says_something(result->marker) &&
        result->tag != result->marker)
        result->contradictions |= PM_CONTRADICTION_MARKER;
    if (!termination_fits_result(named, result->said))
        result->contradictions |= PM_CONTRADICTION_TERMINATION;
    if (facts->is_complete)
        result->contradictions |= board_contradictions(facts, result, named);

    result->right = result->said;
    if (says_something(result->board))
        result->right = result->board;
    else if (facts->is_complete && named == PM_ENDING_TIME &&
             winner_cannot_mate(facts, result->said))
        result->right = PM_SCORE_DRAW;
}
