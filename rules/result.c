/* SPDX-License-Identifier: MIT */
#include "rules/result.h"

#include "rules/history.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- Reading a Termination tag ---- */

enum { TERMINATION_SIZE = 256 };

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Blanks out the first place where the name stands as a whole. */
static bool cut_name(char *text, const char *name, size_t length)
{
    if (length == 0)
        return false;
    for (char *at = text; (at = memmem(at, strlen(at), name, length)) != NULL; at++) {
        if ((at > text && is_letter(at[-1])) || is_letter(at[length]))
            continue;
        memset(at, ' ', length);
        return true;
    }
    return false;
}

/* As in the tag, "Doe, Jane", or the other way round, or the family name alone. */
static void cut_player(char *text, const char *name)
{
    char turned[TERMINATION_SIZE];
    if (name == NULL || cut_name(text, name, strlen(name)))
        return;
    const size_t family = strcspn(name, ",");
    if (name[family] == '\0')
        return;
    const char *const given = name + family + 1 + strspn(name + family + 1, " ");
    const int length = snprintf(turned, sizeof turned, "%s %.*s", given, (int)family, name);
    if (length < 0 || length >= (int)sizeof turned || !cut_name(text, turned, (size_t)length))
        cut_name(text, name, family);
}

/* What follows a name that no tag tells, which may hold any of the words looked for. */
static const char *after_name(const char *text)
{
    static const char *const verbs[] = {" won ", " drawn ", " wins ", " loses ", " lost "};
    const char *rest = text;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        for (const char *at = strstr(text, verbs[i]); at != NULL; at = strstr(at + 1, verbs[i]))
            rest = at > rest ? at : rest;
    return rest;
}

/* Whether a word of the text, or several, begin so. */
static bool has_word(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if (at == text || !is_letter(at[-1]))
            return true;
    return false;
}

static enum pm_ending ending_of(const char *termination)
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
        {"resign", PM_ENDING_RESIGNATION},
        {"time forfeit", PM_ENDING_TIME},
        {"forfeits on time", PM_ENDING_TIME},
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
        {"3-fold", PM_ENDING_REPETITION},
        {"fivefold", PM_ENDING_REPETITION},
        {"50", PM_ENDING_MOVE_COUNT},
        {"fifty", PM_ENDING_MOVE_COUNT},
        {"75", PM_ENDING_MOVE_COUNT},
        {"seventy-five", PM_ENDING_MOVE_COUNT},
        {"agree", PM_ENDING_AGREEMENT},
        {"mutual", PM_ENDING_AGREEMENT},
        {"move count", PM_ENDING_MOVE_COUNT},
        {"mate", PM_ENDING_CHECKMATE},
        {"checkmate", PM_ENDING_CHECKMATE},
        {"normal", PM_ENDING_NORMAL},
    };
    char text[TERMINATION_SIZE];
    size_t length = 0;
    for (; termination[length] != '\0' && length < sizeof text - 1; length++)
        text[length] = (char)tolower((unsigned char)termination[length]);
    text[length] = '\0';
    const char *const rest = after_name(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(rest, words[i].word))
            return words[i].ending;
    return PM_ENDING_UNKNOWN;
}

enum pm_ending pm_ending_read(const char *termination, const char *white, const char *black)
{
    char text[TERMINATION_SIZE];
    if (termination == NULL)
        return PM_ENDING_UNKNOWN;
    snprintf(text, sizeof text, "%s", termination);
    cut_player(text, white);
    cut_player(text, black);
    const enum pm_ending ending = ending_of(text);
    return ending != PM_ENDING_UNKNOWN ? ending : ending_of(termination); /* a player named Time */
}

bool pm_date_is_before_automatic_draws(const char *date)
{
    enum { YEAR = 2014, MONTH = 7 };
    char *end;
    if (date == NULL || !isdigit((unsigned char)*date))
        return false;
    const unsigned long year = strtoul(date, &end, 10);
    if (year != YEAR || *end == '\0' || !isdigit((unsigned char)end[1]))
        return year < YEAR && end - date == 4;
    const unsigned long month = strtoul(end + 1, NULL, 10);
    return month >= 1 && month < MONTH;
}

const char *pm_contradiction_text(enum pm_contradiction contradiction)
{
    switch (contradiction) {
    case PM_CONTRADICTION_MARKER:
        return "the Result tag and the end of the move text differ";
    case PM_CONTRADICTION_BOARD:
        return "the last position has another result";
    case PM_CONTRADICTION_DRAWN:
        return "the game was drawn by the rules before its end";
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

/* The bits of automatic draws, as the laws of the day had them. */
static unsigned automatic_draws(const struct pm_game_result_facts *facts)
{
    return facts->before_automatic_draws ? 0
                                         : facts->draws & (PM_DRAW_FIVEFOLD | PM_DRAW_SEVENTY_FIVE);
}

/* The automatic draw that ended the game before its last move. */
static enum pm_ending drawn_before(const struct pm_game_result_facts *facts)
{
    return facts->before_automatic_draws && facts->drawn_by != PM_ENDING_MATERIAL
               ? PM_ENDING_UNKNOWN
               : facts->drawn_by;
}

static enum pm_score board_score(const struct pm_game_result_facts *facts)
{
    if (drawn_before(facts) != PM_ENDING_UNKNOWN)
        return PM_SCORE_DRAW;
    if (!facts->is_complete)
        return PM_SCORE_OPEN;
    if (facts->verdict == PM_VERDICT_CHECKMATE)
        return facts->side_to_move == PM_WHITE ? PM_SCORE_BLACK : PM_SCORE_WHITE;
    return facts->verdict != PM_VERDICT_OPEN || automatic_draws(facts) != 0 ? PM_SCORE_DRAW
                                                                            : PM_SCORE_OPEN;
}

/* What the board alone tells. */
static enum pm_ending board_ending(const struct pm_game_result_facts *facts)
{
    if (drawn_before(facts) != PM_ENDING_UNKNOWN)
        return drawn_before(facts);
    if (!facts->is_complete)
        return PM_ENDING_UNKNOWN;
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
    const unsigned draws = automatic_draws(facts);
    if (draws & PM_DRAW_FIVEFOLD)
        return PM_ENDING_REPETITION;
    return draws & PM_DRAW_SEVENTY_FIVE ? PM_ENDING_MOVE_COUNT : PM_ENDING_UNKNOWN;
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

/* The game ended on the board at once, so that nothing else can have ended it. */
static bool ended_at_once(const struct pm_game_result_facts *facts)
{
    return drawn_before(facts) != PM_ENDING_UNKNOWN ||
           (facts->is_complete &&
            (facts->verdict == PM_VERDICT_CHECKMATE || facts->verdict == PM_VERDICT_STALEMATE));
}

/* Where the Termination tag leaves it open, or where it was the board. */
static void find_ending(const struct pm_game_result_facts *facts, struct pm_game_result *result)
{
    const bool is_normal = result->ending == PM_ENDING_NORMAL;
    const enum pm_ending on_board = board_ending(facts);
    if (on_board != PM_ENDING_UNKNOWN) {
        result->ending = on_board;
    } else if (is_win(result->said)) { /* loss on time would not be called normal */
        result->ending = PM_ENDING_RESIGNATION;
        result->is_assumed = !is_normal;
    } else if (result->said == PM_SCORE_DRAW) {
        result->ending = draw_ending(facts);
        result->is_assumed = true;
    } else if (result->said == PM_SCORE_BOTH_LOSE) {
        result->ending = PM_ENDING_UNKNOWN;
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
        return is_win(said) || !says_something(said);
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
    const bool is_mate =
        facts->verdict == PM_VERDICT_CHECKMATE || facts->verdict == PM_VERDICT_STALEMATE;
    if (ending == drawn_before(facts))
        return true;
    switch (ending) {
    case PM_ENDING_CHECKMATE:
        return facts->verdict == PM_VERDICT_CHECKMATE;
    case PM_ENDING_RESIGNATION:
    case PM_ENDING_TIME:
    case PM_ENDING_AGREEMENT:
    case PM_ENDING_ABANDONED:
    case PM_ENDING_UNTERMINATED:
        return !is_mate;
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
    if (drawn_before(facts) == PM_ENDING_UNKNOWN && says_something(result->board) &&
        says_something(result->said) && result->board != result->said)
        found |= PM_CONTRADICTION_BOARD;
    if (named == PM_ENDING_TIME && !says_something(result->board) &&
        !time_fits(facts, result->said))
        found |= PM_CONTRADICTION_TIME;
    if (!termination_fits_board(named, facts))
        found |= PM_CONTRADICTION_TERMINATION;
    return found;
}

void pm_game_result_judge(const struct pm_game_result_facts *facts, struct pm_game_result *result)
{
    const enum pm_ending named = pm_ending_read(facts->termination, facts->white, facts->black);
    *result = (struct pm_game_result){
        .tag = pm_score_read(facts->result_tag),
        .marker = pm_score_read(facts->marker),
        .board = board_score(facts),
        .ending = named,
    };
    result->said = says_something(result->tag) || result->marker == PM_SCORE_MISSING
                       ? result->tag
                       : result->marker;
    if (named <= PM_ENDING_NORMAL || ended_at_once(facts))
        find_ending(facts, result);
    if (result->tag == PM_SCORE_UNREADABLE)
        result->contradictions |= PM_CONTRADICTION_UNREADABLE;
    if (says_something(result->tag) && says_something(result->marker) &&
        result->tag != result->marker)
        result->contradictions |= PM_CONTRADICTION_MARKER;
    if (!termination_fits_result(named, result->said))
        result->contradictions |= PM_CONTRADICTION_TERMINATION;
    if (drawn_before(facts) != PM_ENDING_UNKNOWN && says_something(result->said) &&
        result->said != PM_SCORE_DRAW)
        result->contradictions |= PM_CONTRADICTION_DRAWN;
    if (facts->is_complete)
        result->contradictions |= board_contradictions(facts, result, named);

    result->right = result->said;
    if (says_something(result->board))
        result->right = result->board;
    else if (facts->is_complete && named == PM_ENDING_TIME &&
             winner_cannot_mate(facts, result->said))
        result->right = PM_SCORE_DRAW;
}
