/* SPDX-License-Identifier: MIT */
/* What Result and Termination tags say, and whether the board agrees. */
#include "rules/history.h"
#include "rules/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void scores_are_read(void **state)
{
    (void)state;
    assert_int_equal(pm_score_read("1-0"), PM_SCORE_WHITE);
    assert_int_equal(pm_score_read("0-1"), PM_SCORE_BLACK);
    assert_int_equal(pm_score_read(" 1/2-1/2 "), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("1/2"), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("*"), PM_SCORE_OPEN);
    assert_int_equal(pm_score_read(""), PM_SCORE_MISSING);
    assert_int_equal(pm_score_read(NULL), PM_SCORE_MISSING);
    assert_int_equal(pm_score_read("1-0 "), PM_SCORE_WHITE);
    assert_int_equal(pm_score_read("0-0"), PM_SCORE_BOTH_LOSE);
    assert_int_equal(pm_score_read("0.5-0.5"), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("\xC2\xBD-\xC2\xBD"), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("\xC2\xBD"), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("\xBD\x96\xBD"), PM_SCORE_DRAW); /* Windows-1252 */
    assert_int_equal(pm_score_read("\xC2\xBD\xE2\x80\x94\xC2\xBD"), PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("1\xE2\x80\x93"
                                   "0"),
                     PM_SCORE_WHITE);
    assert_int_equal(pm_score_read("0\xE2\x88\x92"
                                   "1"),
                     PM_SCORE_BLACK);
    assert_int_equal(pm_score_read("\xC2\xA0 1 - 0\xE2\x80\x8B"), PM_SCORE_WHITE);
    assert_int_equal(pm_score_read("1\xE2\x81\x84"
                                   "2-1\xE2\x81\x84"
                                   "2"),
                     PM_SCORE_DRAW);
    assert_int_equal(pm_score_read("1-1"), PM_SCORE_UNREADABLE);
    assert_int_equal(pm_score_read("1/2-1/2-1/2"), PM_SCORE_UNREADABLE);
    assert_int_equal(pm_score_read("\xC2"), PM_SCORE_UNREADABLE);
    assert_int_equal(pm_score_read("1-00"), PM_SCORE_UNREADABLE);
    assert_int_equal(pm_score_read("1"), PM_SCORE_UNREADABLE);
    for (int score = 0; score < PM_SCORE_COUNT; score++)
        assert_int_not_equal(pm_score_text((enum pm_score)score)[0], '\0');
    assert_string_equal(pm_score_text(PM_SCORE_COUNT), "unknown");
}

static void terminations_are_read(void **state)
{
    static const struct {
        const char *text;
        enum pm_ending ending;
    } cases[] = {
        {NULL, PM_ENDING_UNKNOWN},
        {"", PM_ENDING_UNKNOWN},
        {"because", PM_ENDING_UNKNOWN},
        {"normal", PM_ENDING_NORMAL},
        {"Normal", PM_ENDING_NORMAL},
        {"time forfeit", PM_ENDING_TIME},
        {"Time forfeit", PM_ENDING_TIME},
        {"abandoned", PM_ENDING_ABANDONED},
        {"adjudication", PM_ENDING_ADJUDICATION},
        {"death", PM_ENDING_EMERGENCY},
        {"emergency", PM_ENDING_EMERGENCY},
        {"rules infraction", PM_ENDING_INFRACTION},
        {"unterminated", PM_ENDING_UNTERMINATED},
        {"illegal move", PM_ENDING_INFRACTION},
        {"stalled connection", PM_ENDING_ABANDONED},
        {"mate42 won by resignation", PM_ENDING_RESIGNATION},
        {"resigner won by checkmate", PM_ENDING_CHECKMATE},
        {"Al won on time", PM_ENDING_TIME},
        {"Al won - game abandoned", PM_ENDING_ABANDONED},
        {"Al won by Bo won on time", PM_ENDING_TIME},
        {"Game drawn by agreement", PM_ENDING_AGREEMENT},
        {"Game drawn by stalemate", PM_ENDING_STALEMATE},
        {"Game drawn by repetition", PM_ENDING_REPETITION},
        {"Game drawn by insufficient material", PM_ENDING_MATERIAL},
        {"Game drawn by timeout vs insufficient material", PM_ENDING_TIME},
        {"Game drawn by 50-move rule", PM_ENDING_MOVE_COUNT},
        {"perpetual check", PM_ENDING_PERPETUAL},
        {"Flagg resigned", PM_ENDING_RESIGNATION},
        {"intimate", PM_ENDING_UNKNOWN}, /* only words that begin so */
        {"checkmated", PM_ENDING_CHECKMATE},
        {"White's flag fell", PM_ENDING_TIME},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pm_ending_read(cases[i].text, NULL, NULL) != cases[i].ending)
            fail_msg("\"%s\": %s", cases[i].text,
                     pm_ending_text(pm_ending_read(cases[i].text, NULL, NULL)));
}

static void dates_are_read(void **state)
{
    static const struct {
        const char *date;
        bool is_before;
    } cases[] = {{"2014.06.30", true},  {"2014.07.01", false}, {"2014-06-30", true},
                 {"2013", true},        {"2014", false},       {"2014.??.??", false},
                 {"1851.06.21", true},  {"????.??.??", false}, {"", false},
                 {NULL, false},         {"2015.01.01", false}, {"12.05.2013", false},
                 {"2014.00.01", false}, {"99.01.01", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pm_date_is_before_automatic_draws(cases[i].date) != cases[i].is_before)
            fail_msg("%s", cases[i].date);
}

/* Each ending's own text is read as that ending. */
static void endings_round_trip(void **state)
{
    (void)state;
    for (int ending = 0; ending < PM_ENDING_COUNT; ending++)
        assert_int_equal(pm_ending_read(pm_ending_text((enum pm_ending)ending), NULL, NULL),
                         ending);
    assert_string_equal(pm_ending_text(PM_ENDING_COUNT), "unknown");
}

static struct pm_game_result judge(struct pm_game_result_facts facts)
{
    struct pm_game_result result;
    pm_game_result_judge(&facts, &result);
    return result;
}

static void unreplayed_games_have_no_board(void **state)
{
    (void)state;
    const struct pm_game_result result =
        judge((struct pm_game_result_facts){.result_tag = "1-0",
                                            .marker = "1-0",
                                            .termination = "time forfeit",
                                            .verdict = PM_VERDICT_STALEMATE,
                                            .cannot_mate = {true, true}});
    assert_int_equal(result.board, PM_SCORE_OPEN);
    assert_int_equal(result.right, PM_SCORE_WHITE);
    assert_int_equal(result.contradictions, 0);
}

static void the_marker_speaks_where_the_tag_does_not(void **state)
{
    (void)state;
    assert_int_equal(judge((struct pm_game_result_facts){.marker = "0-1"}).said, PM_SCORE_BLACK);
    assert_int_equal(judge((struct pm_game_result_facts){.result_tag = "*", .marker = "0-1"}).said,
                     PM_SCORE_BLACK);
    assert_int_equal(judge((struct pm_game_result_facts){.result_tag = "1-0", .marker = "*"}).said,
                     PM_SCORE_WHITE);
    assert_int_equal(
        judge((struct pm_game_result_facts){.result_tag = "1-0", .marker = "*"}).contradictions, 0);
    assert_int_equal(
        judge((struct pm_game_result_facts){.result_tag = "1-0", .marker = "0-1"}).contradictions,
        PM_CONTRADICTION_MARKER);
}

/* Black ran out of time: White needs pieces that can mate. */
static void time_needs_pieces(void **state)
{
    struct pm_game_result_facts facts = {
        .result_tag = "1-0", .termination = "time forfeit", .is_complete = true};
    (void)state;
    assert_int_equal(judge(facts).right, PM_SCORE_WHITE);
    facts.cannot_mate[PM_BLACK] = true;
    assert_int_equal(judge(facts).contradictions, 0);
    facts.cannot_mate[PM_BLACK] = false;
    facts.cannot_mate[PM_WHITE] = true;
    assert_int_equal(judge(facts).right, PM_SCORE_DRAW);
    assert_int_equal(judge(facts).contradictions, PM_CONTRADICTION_TIME);
    facts.result_tag = "1/2-1/2";
    assert_int_equal(judge(facts).contradictions, 0);
}

/* A flag that falls after mate, stalemate or an automatic draw changes nothing. */
static void the_board_goes_before_time(void **state)
{
    struct pm_game_result_facts facts = {.result_tag = "0-1",
                                         .termination = "time forfeit",
                                         .is_complete = true,
                                         .verdict = PM_VERDICT_CHECKMATE,
                                         .side_to_move = PM_BLACK};
    (void)state;
    assert_int_equal(judge(facts).right, PM_SCORE_WHITE);
    assert_int_equal(judge(facts).contradictions,
                     PM_CONTRADICTION_BOARD | PM_CONTRADICTION_TERMINATION);
    facts.verdict = PM_VERDICT_OPEN;
    facts.draws = PM_DRAW_FIVEFOLD;
    assert_int_equal(judge(facts).right, PM_SCORE_DRAW);
    facts.draws = PM_DRAW_SEVENTY_FIVE;
    assert_int_equal(judge(facts).right, PM_SCORE_DRAW);
    facts.draws = PM_DRAW_THREEFOLD | PM_DRAW_FIFTY_MOVES; /* nobody claimed */
    assert_int_equal(judge(facts).right, PM_SCORE_BLACK);
    assert_int_equal(judge(facts).contradictions, 0);
}

static void contradictions_have_texts(void **state)
{
    (void)state;
    for (unsigned bit = PM_CONTRADICTION_MARKER; bit <= PM_CONTRADICTION_UNREADABLE; bit <<= 1)
        assert_string_not_equal(pm_contradiction_text((enum pm_contradiction)bit),
                                "unknown contradiction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_read),
        cmocka_unit_test(terminations_are_read),
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(endings_round_trip),
        cmocka_unit_test(unreplayed_games_have_no_board),
        cmocka_unit_test(the_marker_speaks_where_the_tag_does_not),
        cmocka_unit_test(time_needs_pieces),
        cmocka_unit_test(the_board_goes_before_time),
        cmocka_unit_test(contradictions_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
