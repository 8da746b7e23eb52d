/* SPDX-License-Identifier: MIT */
/* The start array's faults and what follows from them; the 960 starts and their numbers. */
#include "rules/setup.h"

#include "core/epd.h"
#include "core/fen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

static struct pm_setup setup_of(const char *fen)
{
    struct pm_setup setup = {.side_to_move = PM_WHITE};
    struct pm_error error;
    if (pm_fen_read_board(fen, setup.board, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    return setup;
}

struct setup_case {
    const char *fen;
    bool board_turned;
    enum pm_color side_to_move;
    unsigned count;
    const char *first; /* fault */
    enum pm_setup_consequence consequence;
};

static void check_case(const struct setup_case *given, bool chess960)
{
    struct pm_setup setup = setup_of(given->fen);
    struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS];
    char text[PM_SETUP_TEXT_SIZE] = "";
    setup.board_turned = given->board_turned;
    setup.side_to_move = given->side_to_move;
    const unsigned count = pm_setup_check(&setup, chess960, faults);
    if (count > 0)
        pm_setup_fault_text(&faults[0], text);
    if (count != given->count || strcmp(text, given->first) != 0)
        fail_msg("%s: %u faults, the first \"%s\"", given->fen, count, text);
    if (pm_setup_consequence_of(faults, count) != given->consequence)
        fail_msg("%s: %s", given->fen,
                 pm_setup_consequence_text(pm_setup_consequence_of(faults, count)));
}

static void standard_chess(void **state)
{
    static const struct setup_case cases[] = {
        {START, false, PM_WHITE, 0, "", PM_SETUP_PLAY},
        {START, true, PM_WHITE, 1,
         "h1, a8: a dark square lies at each player's right hand, not a light one",
         PM_SETUP_MOVE_THE_PIECES},
        {START, false, PM_BLACK, 1, "Black is to move", PM_SETUP_WHITE_BEGINS},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", false, PM_WHITE, 1,
         "e1: White's queen stands on e1, a dark square, and the king on hers: her own color is "
         "d1",
         PM_SETUP_VOID},
        {"rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", false, PM_WHITE, 2,
         "e1: White's queen stands on e1, a dark square, and the king on hers: her own color is "
         "d1",
         PM_SETUP_VOID},
        {"rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false, PM_WHITE, 1,
         "e8: Black's queen stands on e8, a light square, and the king on hers: her own color is "
         "d8",
         PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", false, PM_WHITE, 1,
         "e2: White's pawn is missing", PM_SETUP_VOID},
        {"rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false, PM_WHITE, 1,
         "g8: Black's knight is missing", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", false, PM_WHITE, 2,
         "e2: White's pawn is missing", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR", false, PM_WHITE, 1,
         "a3: White's knight stands where it never begins", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR", false, PM_WHITE, 2,
         "b1: White's bishop stands where White's knight begins", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/pPPPPPPP/RNBQKBNR", false, PM_WHITE, 1,
         "a2: Black's pawn stands where White's pawn begins", PM_SETUP_VOID},
        /* no kings; nothing at all; everything at once, with the board turned, too */
        {"rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR", false, PM_WHITE, 2,
         "e1: White's king is missing", PM_SETUP_VOID},
        {"8/8/8/8/8/8/8/8", false, PM_WHITE, 32, "a1: White's rook is missing", PM_SETUP_VOID},
        {"KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK", true, PM_BLACK,
         65, "h1, a8: a dark square lies at each player's right hand, not a light one",
         PM_SETUP_VOID},
        {"RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr", false, PM_WHITE, 32,
         "a1: Black's rook stands where White's rook begins", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", true, PM_BLACK, 3,
         "h1, a8: a dark square lies at each player's right hand, not a light one", PM_SETUP_VOID},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_case(&cases[i], false);
}

static void chess960(void **state)
{
    static const struct setup_case cases[] = {
        {START, false, PM_WHITE, 0, "", PM_SETUP_PLAY},
        {"bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR", true, PM_WHITE, 1,
         "h1, a8: a dark square lies at each player's right hand, not a light one",
         PM_SETUP_MOVE_THE_PIECES},
        {"bnbqrkrn/pppppppp/8/8/8/8/PPPPPPPP/BNBQRKRN", false, PM_WHITE, 2,
         "c1: both bishops of White stand on dark squares", PM_SETUP_VOID},
        {"kbbqrrnn/pppppppp/8/8/8/8/PPPPPPPP/KBBQRRNN", false, PM_WHITE, 2,
         "a1: White's king is not between the rooks", PM_SETUP_VOID},
        {"nrbbqrkn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQRKN", false, PM_WHITE, 2,
         "g1: White's king is not between the rooks", PM_SETUP_VOID},
        {"nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/RNKBBQRN", false, PM_WHITE, 2,
         "a8: Black's knight does not face White's, a rook", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKQNR", false, PM_WHITE, 3,
         "White has 1 bishop on the first rank, not 2", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1", false, PM_WHITE, 2,
         "h1: empty; a piece begins here", PM_SETUP_VOID},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPP1P/RNBQKBNR", false, PM_WHITE, 1,
         "g2: White's pawn is missing", PM_SETUP_VOID},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_case(&cases[i], true);
}

/* The suite lists the 960 starts in the order of their numbers. */
static void numbers(void **state)
{
    struct pm_suite suite = {0};
    struct pm_error error;
    struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS];
    (void)state;
    if (pm_suite_read_file(PM_SOURCE_DIR "/verify/suites/chess960_starts.epd", &suite, &error) !=
        PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(suite.entry_count, 960);
    for (size_t i = 0; i < suite.entry_count; i++) {
        const struct pm_setup setup = setup_of(suite.entries[i].fen);
        assert_int_equal(pm_setup_check(&setup, true, faults), 0);
        assert_int_equal(pm_setup_check(&setup, false, faults) == 0, i == 518);
        assert_int_equal(pm_setup_number(setup.board), i);
    }
    pm_suite_free(&suite);
    assert_int_equal(pm_setup_number(setup_of("8/8/8/8/8/8/8/8").board), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(standard_chess), cmocka_unit_test(chess960),
                                       cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
