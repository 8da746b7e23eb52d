/* SPDX-License-Identifier: MIT */
/* Counts, walks and distinct positions, and what they say of differences. */
#include "core/fen.h"
#include "core/move.h"
#include "kernels/registry.h"
#include "verify/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct pm_kernel *kernel; /* the reference: there is always one */
static struct pm_verify_config config;

static int set_up(void **state)
{
    (void)state;
    kernel = pm_kernel_find("reference");
    config = (struct pm_verify_config){.reference = kernel, .threads = 2};
    return kernel != NULL && kernel->init() == PM_OK ? 0 : -1;
}

static void read_suite(const char *text, struct pm_suite *suite)
{
    struct pm_error error = {0};
    if (pm_suite_read_text("test", text, strlen(text), suite, &error) != PM_OK)
        fail_msg("%s", error.text);
}

static struct pm_position read_fen(const char *fen)
{
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, NULL), PM_OK);
    return position;
}

static void counts_tally(void **state)
{
    static const char text[] =
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401 ;D3 8902\n"
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D6 764643\n"
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D6 100000000\n";
    struct pm_verify_case result = {.check = PM_CHECK_BULK, .limit = 10000};
    struct pm_suite suite;
    (void)state;
    read_suite(text, &suite);
    assert_int_equal(pm_verify_counts(kernel, &suite, &config, &result), PM_OK);
    assert_int_equal(result.positions_total, 3);
    assert_int_equal(result.positions, 2);
    assert_int_equal(result.rows_total, 7);
    assert_int_equal(result.rows, 5);
    assert_int_equal(result.rows_over_limit, 2);
    assert_int_equal(result.nodes, 20 + 401 + 8902 + 15 + 66);
    assert_int_equal(result.wrong, 1);
    assert_int_equal(result.failures[0].line, 1);
    assert_int_equal(result.failures[0].depth, 2);
    assert_string_equal(result.failures[0].text,
                        "bulk depth 2: 400 nodes, right is 401 (1 too few)");
    pm_verify_case_free(&result);
    pm_suite_free(&suite);
}

/* One legal move a ply: depth 32 is beyond what one kernel call may do. */
static void counts_go_beyond_a_kernel_call(void **state)
{
    static const char text[] = "2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1 ;D32 1\n";
    struct pm_suite suite;
    (void)state;
    read_suite(text, &suite);
    for (int check = PM_CHECK_MAKE; check <= PM_CHECK_BULK; check++) {
        struct pm_verify_case result = {.check = (enum pm_check)check, .limit = 10};
        assert_int_equal(pm_verify_counts(kernel, &suite, &config, &result), PM_OK);
        assert_int_equal(result.rows, 1);
        assert_int_equal(result.wrong, 0);
        pm_verify_case_free(&result);
    }
    pm_suite_free(&suite);
}

static void known_bugs_are_named(void **state)
{
    static const char text[] = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 16 ;id \"trap\" ;c0 \"the "
                               "cause\" ;wrong 15\n";
    struct pm_verify_case result = {.check = PM_CHECK_MAKE, .limit = 100};
    struct pm_suite suite;
    (void)state;
    read_suite(text, &suite);
    assert_int_equal(pm_verify_counts(kernel, &suite, &config, &result), PM_OK);
    assert_string_equal(result.failures[0].id, "trap");
    assert_non_null(strstr(result.failures[0].text, "a known bug: the cause"));
    pm_verify_case_free(&result);
    pm_suite_free(&suite);
}

static void stop_is_obeyed_and_told(void **state)
{
    static const char text[] = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66\n";
    const atomic_bool stop = true;
    struct pm_verify_config stopped = config;
    struct pm_verify_case result = {.check = PM_CHECK_BULK, .limit = 100};
    struct pm_suite suite;
    (void)state;
    stopped.stop = &stop;
    read_suite(text, &suite);
    assert_int_equal(pm_verify_counts(kernel, &suite, &stopped, &result), PM_ERROR_INTERRUPTED);
    assert_int_equal(result.rows, 0);
    assert_int_equal(result.rows_stopped, 2);
    pm_verify_case_free(&result);
    pm_suite_free(&suite);
}

/* perft(1) + perft(2) + the position itself, whether the suite gives counts or not. */
static void walks_go_as_deep_as_the_limit(void **state)
{
    static const char *const texts[] = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902\n",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"};
    static const uint64_t limits[] = {1, 399, 400};
    static const uint64_t nodes[] = {21, 21, 421};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            struct pm_verify_case result = {.check = PM_CHECK_MOVES, .limit = limits[j]};
            struct pm_suite suite;
            read_suite(texts[i], &suite);
            assert_int_equal(pm_verify_moves(kernel, &suite, &config, &result), PM_OK);
            assert_int_equal(result.wrong, 0);
            assert_int_equal(result.rows, 1);
            assert_int_equal(result.nodes, nodes[j]);
            pm_verify_case_free(&result);
            pm_suite_free(&suite);
        }
}

static void distinct_positions(void **state)
{
    struct pm_verify_case result = {.check = PM_CHECK_DISTINCT};
    (void)state;
    assert_int_equal(pm_verify_distinct(kernel, 4, &config, &result), PM_OK);
    assert_int_equal(result.wrong, 0);
    assert_int_equal(result.rows, 4);
    assert_int_equal(result.nodes, 20 + 400 + 5362 + 72078);
    pm_verify_case_free(&result);
    result = (struct pm_verify_case){.check = PM_CHECK_DISTINCT};
    assert_int_equal(pm_verify_distinct(kernel, 99, &config, &result), PM_ERROR_ARGUMENT);
    pm_verify_case_free(&result);
}

static void expect_difference(const char *given_fen, const char *right_fen, const char *expected)
{
    const struct pm_position given = read_fen(given_fen);
    const struct pm_position right = read_fen(right_fen);
    char text[PM_VERIFY_TEXT_SIZE] = "";
    const bool differs = pm_verify_position_differs(&given, &right, true, text);
    assert_int_equal(differs, expected[0] != '\0');
    assert_string_equal(text, expected);
}

static void positions_differ_by_field(void **state)
{
    (void)state;
    expect_difference("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
    expect_difference("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                      "castling right: white kingside has rook -, right is h1");
    expect_difference("4k3/8/8/8/8/8/8/4K2N w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                      "square h1: white knight, right is white rook");
    expect_difference("4k3/8/8/8/8/8/8/4K2R b - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                      "side to move: 1, right is 0 (0 is white)");
    expect_difference("4k3/8/8/8/8/8/8/4K2R w - - 3 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                      "halfmove clock: 3, right is 0");
    /* No pawn can capture on e3: the square does not count. */
    expect_difference("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", "");
    expect_difference("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
                      "en passant: -, right is e3");
}

static void move_lists_differ_by_move(void **state)
{
    const struct pm_move right[] = {{.from = 4, .to = 5},
                                    {.from = 4, .to = 7, .kind = PM_MOVE_CASTLING}};
    const struct pm_move given[] = {{.from = 4, .to = 3},
                                    {.from = 4, .to = 5, .kind = PM_MOVE_CAPTURE},
                                    {.from = 4, .to = 5, .kind = PM_MOVE_CAPTURE},
                                    {.from = 64, .to = 200}};
    char text[PM_VERIFY_TEXT_SIZE] = "";
    (void)state;
    assert_false(pm_verify_moves_differ(right, 2, right, 2, false, text));
    assert_true(pm_verify_moves_differ(given, 4, right, 2, false, text));
    assert_string_equal(text, "missing: e1g1; extra: e1d1 (from 64, to 200, promotion 0); doubled: "
                              "e1f1; of a wrong kind: e1f1");
    assert_true(pm_verify_moves_differ(given, 0, right, 2, true, text));
    assert_string_equal(text, "missing: e1f1 e1h1");
}

/* Every legal move is among the pseudo-legal ones, promotions as queens. */
static void pseudo_moves_hold_the_legal(void **state)
{
    static const char *const fens[] = {
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"};
    void *kernel_state = pm_new_state(kernel);
    (void)state;
    for (int f = 0; f < 3; f++) {
        const struct pm_position position = read_fen(fens[f]);
        struct pm_move legal[PM_MAX_MOVES];
        struct pm_move pseudo[PM_MAX_MOVES];
        const unsigned pseudo_count =
            pm_verify_pseudo_moves(&position, (enum pm_color)position.side_to_move, pseudo);
        unsigned count = 0;
        assert_int_equal(kernel->set_position(kernel_state, &position), PM_OK);
        assert_int_equal(kernel->legal_moves(kernel_state, legal, &count), PM_OK);
        for (unsigned i = 0; i < count; i++) {
            bool found = legal[i].promotion != 0 && legal[i].promotion != PM_QUEEN;
            for (unsigned j = 0; j < pseudo_count; j++)
                found = found || memcmp(&legal[i], &pseudo[j], sizeof legal[i]) == 0;
            assert_true(found);
        }
    }
    free(kernel_state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_tally),
        cmocka_unit_test(counts_go_beyond_a_kernel_call),
        cmocka_unit_test(known_bugs_are_named),
        cmocka_unit_test(stop_is_obeyed_and_told),
        cmocka_unit_test(walks_go_as_deep_as_the_limit),
        cmocka_unit_test(distinct_positions),
        cmocka_unit_test(positions_differ_by_field),
        cmocka_unit_test(move_lists_differ_by_move),
        cmocka_unit_test(pseudo_moves_hold_the_legal),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
