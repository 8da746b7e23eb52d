/* SPDX-License-Identifier: MIT */
/* The levels beside counts and moves see what they are there for, and pass the real kernels. */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "tests/planted/planted.h"
#include "verify/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct pm_kernel *base;
static struct pm_verify_config config;
static struct pm_suite suite;

static const char text[] =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039\n"
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D2 191 ;D3 2812\n"
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 ;D1 7\n"
    "2k5/8/8/8/8/8/8/RR2K3 w B - 7 20 ;D1 22\n";

static int set_up(void **state)
{
    struct pm_error error = {0};
    (void)state;
    base = pm_kernel_find("mailbox");
    config = (struct pm_verify_config){.reference = pm_kernel_find("reference"), .threads = 2};
    if (base == NULL || base->init() != PM_OK || config.reference->init() != PM_OK)
        return -1;
    if (pm_suite_read_text("test", text, strlen(text), &suite, &error) == PM_OK)
        return 0;
    print_error("%s\n", error.text);
    return -1;
}

static int tear_down(void **state)
{
    (void)state;
    pm_suite_free(&suite);
    return 0;
}

typedef enum pm_status (*level)(const struct pm_kernel *, const struct pm_suite *,
                                const struct pm_verify_config *, struct pm_verify_case *);

static struct pm_verify_case run(level check, enum pm_check name, const struct pm_kernel *kernel)
{
    struct pm_verify_case result = {.check = name, .limit = 100000};
    assert_int_equal(check(kernel, &suite, &config, &result), PM_OK);
    return result;
}

static void expect_right(level check, enum pm_check name, uint64_t rows)
{
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        if (pm_kernel_missing(pm_kernels[i]) != 0)
            continue;
        assert_int_equal(pm_kernels[i]->init(), PM_OK);
        struct pm_verify_case result = run(check, name, pm_kernels[i]);
        if (result.wrong != 0)
            fail_msg("%s: %s", pm_kernels[i]->name, result.failures[0].text);
        assert_int_equal(result.rows + result.rows_unsupported, rows);
        pm_verify_case_free(&result);
    }
}

/* The bug is seen, and the first failure says so. */
static void expect_wrong(level check, enum pm_check name, enum pm_planted_bug bug, const char *says)
{
    struct pm_verify_case result = run(check, name, pm_planted(base, bug));
    if (result.wrong == 0)
        fail_msg("%s is not seen", pm_planted_text(bug));
    if (strstr(result.failures[0].text, says) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", says, result.failures[0].text);
    pm_verify_case_free(&result);
}

static void attacks(void **state)
{
    (void)state;
    expect_right(pm_verify_attacks, PM_CHECK_ATTACKS, 4);
    expect_wrong(pm_verify_attacks, PM_CHECK_ATTACKS, PM_PLANTED_PINNED,
                 "pinned: 0x0000000000000000");
}

static void round_trip(void **state)
{
    (void)state;
    expect_right(pm_verify_round_trip, PM_CHECK_ROUND_TRIP, 4);
    expect_wrong(pm_verify_round_trip, PM_CHECK_ROUND_TRIP, PM_PLANTED_ROUND_TRIP,
                 "castling right: black queenside");
}

static void key(void **state)
{
    (void)state;
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        if (pm_kernels[i]->key == NULL || pm_kernel_missing(pm_kernels[i]) != 0)
            continue;
        assert_int_equal(pm_kernels[i]->init(), PM_OK);
        struct pm_verify_case result = run(pm_verify_key, PM_CHECK_KEY, pm_kernels[i]);
        if (result.wrong != 0)
            fail_msg("%s: %s", pm_kernels[i]->name, result.failures[0].text);
        assert_int_equal(result.rows, 4);
        assert_true(result.nodes > 70);
        pm_verify_case_free(&result);
    }
    expect_wrong(pm_verify_key, PM_CHECK_KEY, PM_PLANTED_KEY_LEFTOVER, "key carried along");
    expect_wrong(pm_verify_key, PM_CHECK_KEY, PM_PLANTED_KEY_SIDE, " is that of ");
    expect_wrong(pm_verify_key, PM_CHECK_KEY, PM_PLANTED_KEY_CLOCK, "without clocks");
}

/* A kernel whose expander forgets castlings, or counts one leaf too many. */
static const struct pm_expander *true_expander;

static void expand_without_castling(const struct pm_bitboards *board, enum pm_color us,
                                    struct pm_expansion *expansion)
{
    true_expander->expand(board, us, expansion);
    expansion->castling_rooks = 0;
}
static uint64_t count_one_more(const struct pm_bitboards *board, enum pm_color us)
{
    return true_expander->count_two_plies(board, us) + 1;
}

static void expect_wrong_expander(const struct pm_kernel *kernel,
                                  const struct pm_expander *expander, const char *expected)
{
    struct pm_kernel wrong = *kernel;
    wrong.expander = expander;
    struct pm_verify_case result = run(pm_verify_expander, PM_CHECK_EXPANDER, &wrong);
    assert_true(result.wrong > 0);
    assert_non_null(strstr(result.failures[0].text, expected));
    pm_verify_case_free(&result);
}

static void expander(void **state)
{
    (void)state;
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        if (pm_kernels[i]->expander == NULL || pm_kernel_missing(pm_kernels[i]) != 0)
            continue;
        assert_int_equal(pm_kernels[i]->init(), PM_OK);
        struct pm_verify_case result = run(pm_verify_expander, PM_CHECK_EXPANDER, pm_kernels[i]);
        if (result.wrong != 0)
            fail_msg("%s: %s", pm_kernels[i]->name, result.failures[0].text);
        assert_int_equal(result.rows, 4);
        pm_verify_case_free(&result);
        true_expander = pm_kernels[i]->expander;
        expect_wrong_expander(
            pm_kernels[i],
            &(struct pm_expander){.expand = expand_without_castling,
                                  .count_two_plies = true_expander->count_two_plies},
            "missing");
        expect_wrong_expander(pm_kernels[i],
                              &(struct pm_expander){.expand = true_expander->expand,
                                                    .count_two_plies = count_one_more},
                              "count_two_plies()");
    }
}

static void mirror(void **state)
{
    (void)state;
    expect_right(pm_verify_mirror, PM_CHECK_MIRROR, 7);
    /* Only White has a right in the last position, only Black's is forgotten. */
    const struct pm_kernel *kernel = pm_planted(base, PM_PLANTED_ROUND_TRIP);
    const struct pm_suite whole = suite;
    suite.entries += 3;
    suite.entry_count = 1;
    struct pm_verify_case plain = run(pm_verify_counts, PM_CHECK_BULK, kernel);
    assert_int_equal(plain.rows, 1);
    assert_int_equal(plain.wrong, 0);
    pm_verify_case_free(&plain);
    expect_wrong(pm_verify_mirror, PM_CHECK_MIRROR, PM_PLANTED_ROUND_TRIP,
                 "mirror depth 1: 21 nodes, right is 22");
    suite = whole;
}

/* ---- Random ---- */

static struct pm_verify_case run_random(const struct pm_kernel *kernel,
                                        const struct pm_verify_random *random, int threads)
{
    struct pm_verify_case result = {.check = PM_CHECK_RANDOM, .limit = random->limit};
    struct pm_verify_case *results[] = {&result};
    struct pm_verify_config own = config;
    own.kernels = &kernel;
    own.kernel_count = 1;
    own.threads = threads;
    assert_int_equal(pm_verify_random(random, &own, results), PM_OK);
    return result;
}

static const struct pm_verify_random usual = {
    .seed = 3, .positions = 360, .depth = 2, .limit = 2000};

static void random_passes_real_kernels(void **state)
{
    (void)state;
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        if (pm_kernel_missing(pm_kernels[i]) != 0 || pm_kernel_has_family(pm_kernels[i]))
            continue;
        assert_int_equal(pm_kernels[i]->init(), PM_OK);
        struct pm_verify_case result = run_random(pm_kernels[i], &usual, 2);
        if (result.wrong != 0)
            fail_msg("%s: %s", pm_kernels[i]->name, result.failures[0].text);
        assert_int_equal(result.rows + result.rows_unsupported, usual.positions);
        pm_verify_case_free(&result);
    }
}

/* Bugs in moves, play and perft() are seen; what remains of them is small. */
static void random_sees_bugs(void **state)
{
    static const enum pm_planted_bug bugs[] = {
        PM_PLANTED_NO_KNIGHT_PROMOTION,    PM_PLANTED_RIGHT_SURVIVES_CAPTURE,
        PM_PLANTED_RIGHT_SURVIVES_MOVE,    PM_PLANTED_ILLEGAL_EN_PASSANT,
        PM_PLANTED_NO_EN_PASSANT_EVASION,  PM_PLANTED_CASTLING_OUT_OF_CHECK,
        PM_PLANTED_CASTLING_THROUGH_CHECK, PM_PLANTED_CASTLING_OVER_PIECE,
        PM_PLANTED_DOUBLED_MOVE,           PM_PLANTED_PAWN_LEFT,
        PM_PLANTED_CLOCK_NOT_RESET,        PM_PLANTED_WRONG_KIND,
        PM_PLANTED_BULK_STALEMATE,         PM_PLANTED_LAST_SQUARE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        struct pm_verify_case result = run_random(pm_planted(base, bugs[i]), &usual, 2);
        if (result.wrong == 0)
            fail_msg("%s is not seen", pm_planted_text(bugs[i]));
        const char *smallest = strstr(result.failures[0].text, "smallest: ");
        assert_non_null(smallest);
        const char *board_end = strchr(smallest + 10, ' ');
        unsigned pieces = 0;
        for (const char *c = smallest + 10; c < board_end; c++)
            pieces += strchr("pnbrqkPNBRQK", *c) != NULL;
        if (pieces > 6 || strstr(smallest, "depth 1: ") == NULL)
            fail_msg("%s: %s", pm_planted_text(bugs[i]), result.failures[0].text);
        pm_verify_case_free(&result);
    }
}

/* Threads and runs don't show in what is reported; another seed does. */
static void random_repeats(void **state)
{
    const struct pm_kernel *kernel = pm_planted(base, PM_PLANTED_NO_KNIGHT_PROMOTION);
    struct pm_verify_random other_seed = usual;
    other_seed.seed++;
    struct pm_verify_case one = run_random(kernel, &usual, 1);
    struct pm_verify_case two = run_random(kernel, &usual, 2);
    struct pm_verify_case other = run_random(kernel, &other_seed, 2);
    (void)state;
    assert_int_equal(one.wrong, two.wrong);
    assert_int_equal(one.nodes, two.nodes);
    assert_int_equal(one.failure_count, two.failure_count);
    for (size_t i = 0; i < one.failure_count; i++) {
        assert_int_equal(one.failures[i].line, two.failures[i].line);
        assert_string_equal(one.failures[i].fen, two.failures[i].fen);
        assert_string_equal(one.failures[i].text, two.failures[i].text);
    }
    assert_true(one.nodes != other.nodes);
    pm_verify_case_free(&one);
    pm_verify_case_free(&two);
    pm_verify_case_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attacks),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(key),
        cmocka_unit_test(expander),
        cmocka_unit_test(mirror),
        cmocka_unit_test(random_passes_real_kernels),
        cmocka_unit_test(random_sees_bugs),
        cmocka_unit_test(random_repeats),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
