/* SPDX-License-Identifier: MIT */
/* The harness can fail: it rejects a kernel with a planted bug, and passes the same kernel without.
 */
#include "kernels/registry.h"
#include "tests/planted/planted.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNTS (PM_CHECK_BIT(PM_CHECK_MAKE) | PM_CHECK_BIT(PM_CHECK_BULK))
#define MOVES PM_CHECK_BIT(PM_CHECK_MOVES)
#define KEYS PM_CHECK_BIT(PM_CHECK_KEY)

/* Which level must see which bug, and what is said of it: by level moves, or by level key if
 * neither counts nor moves see it. */
static const struct {
    bool counts, moves;
    const char *text;
} expected[PM_PLANTED_COUNT] = {
    [PM_PLANTED_NO_KNIGHT_PROMOTION] = {true, true, "missing: "},
    /* In the counts these two show deeper: see deep_traps(). */
    [PM_PLANTED_RIGHT_SURVIVES_CAPTURE] = {false, true, "castling right: "},
    [PM_PLANTED_RIGHT_SURVIVES_MOVE] = {false, true, "castling right: "},
    [PM_PLANTED_ILLEGAL_EN_PASSANT] = {true, true, "extra: "},
    [PM_PLANTED_NO_EN_PASSANT_EVASION] = {true, true, "missing: "},
    [PM_PLANTED_CASTLING_OUT_OF_CHECK] = {true, true, "extra: e"},
    [PM_PLANTED_CASTLING_THROUGH_CHECK] = {true, true, "extra: e"},
    [PM_PLANTED_CASTLING_OVER_PIECE] = {true, true, "extra: e"},
    [PM_PLANTED_DOUBLED_MOVE] = {true, true, "doubled: "},
    [PM_PLANTED_PAWN_LEFT] = {true, true, "pawn, right is nothing"},
    [PM_PLANTED_CLOCK_NOT_RESET] = {false, true, "halfmove clock: "},
    [PM_PLANTED_CLOCK_WRAPS] = {false, true, "full-move number: 0, right is 65535"},
    [PM_PLANTED_STALE_EN_PASSANT] = {true, true, "en passant: "},
    [PM_PLANTED_REFUSES_NOTHING] = {false, true, "of the illegal move "},
    [PM_PLANTED_REFUSAL_CHANGES] = {false, true, "refused "},
    [PM_PLANTED_WRONG_KIND] = {true, true, "of a wrong kind: "},
    [PM_PLANTED_BULK_STALEMATE] = {true, true, "perft(1), mode bulk: 1, but there are 0 moves"},
    [PM_PLANTED_LAST_SQUARE] = {true, true, "perft(1), mode make: "},
    [PM_PLANTED_ROUND_TRIP] = {true, true, "castling right: black queenside"},
    [PM_PLANTED_PINNED] = {false, true, "attacks, pinned: "},
    [PM_PLANTED_KEY_LEFTOVER] = {false, false, "key carried along: "},
    [PM_PLANTED_KEY_SIDE] = {false, false, " is that of "},
    [PM_PLANTED_KEY_CLOCK] = {false, false, "without clocks "},
};

static struct pm_verify_plan plan = {.folder = PM_SOURCE_DIR "/verify/suites"};
static const struct pm_kernel *base;

static int set_up(void **state)
{
    static const char *const names[] = {"standard.epd", "tricky", "generated", "aimed"};
    struct pm_error error = {0};
    (void)state;
    base = pm_kernel_find("mailbox");
    if (base == NULL || base->init() != PM_OK || pm_kernel_find("reference")->init() != PM_OK)
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (pm_verify_plan_add(&plan, names[i], &error) != PM_OK)
            return -1;
    return 0;
}

static void limit(uint64_t rows, uint64_t walk)
{
    for (size_t i = 0; i < plan.suite_count; i++)
        plan.suites[i].limits = (struct pm_verify_limits){rows, rows, rows, walk};
}

static int tear_down(void **state)
{
    (void)state;
    pm_verify_plan_free(&plan);
    return 0;
}

static void run(enum pm_planted_bug bug, unsigned checks, bool fail_fast,
                struct pm_verify_report *report)
{
    struct pm_error error = {0};
    const struct pm_kernel *kernels[] = {pm_planted(base, bug)};
    const struct pm_verify_config config = {
        .kernels = kernels,
        .kernel_count = 1,
        .reference = pm_kernel_find("reference"),
        .checks = checks,
        .threads = 1,
        .fail_fast = fail_fast,
    };
    *report = (struct pm_verify_report){0};
    if (pm_verify_prepare(&plan, &config, report, &error) != PM_OK ||
        pm_verify_run(&plan, &config, report, &error) != PM_OK)
        fail_msg("%s: %s", pm_planted_text(bug), error.text);
}

static const char *first_text(const struct pm_verify_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].failure_count > 0)
            return report->cases[i].failures[0].text;
    return "";
}

static void passes_without_a_bug(void **state)
{
    struct pm_verify_report report;
    (void)state;
    limit(1000, 30);
    run(PM_PLANTED_NONE, COUNTS | MOVES | KEYS, false, &report);
    if (report.wrong != 0)
        fail_msg("the unplanted kernel is rejected: %s", first_text(&report));
    assert_true(report.rows > 500);
    pm_verify_report_free(&report);
}

static void counts_reject(void **state)
{
    int failed = 0;
    (void)state;
    limit(5000, 1);
    for (int bug = 1; bug < PM_PLANTED_COUNT; bug++) {
        struct pm_verify_report report;
        if (!expected[bug].counts)
            continue;
        run((enum pm_planted_bug)bug, COUNTS, true, &report);
        print_message("%s: %s\n", pm_planted_text((enum pm_planted_bug)bug), first_text(&report));
        failed += report.wrong == 0;
        pm_verify_report_free(&report);
    }
    assert_int_equal(failed, 0);
}

static void moves_and_keys_reject(void **state)
{
    int failed = 0;
    (void)state;
    limit(1, 2000);
    for (int bug = 1; bug < PM_PLANTED_COUNT; bug++) {
        struct pm_verify_report report;
        run((enum pm_planted_bug)bug, expected[bug].moves ? MOVES : KEYS, true, &report);
        print_message("%s: %s\n", pm_planted_text((enum pm_planted_bug)bug), first_text(&report));
        failed += report.wrong == 0 || strstr(first_text(&report), expected[bug].text) == NULL;
        pm_verify_report_free(&report);
    }
    assert_int_equal(failed, 0);
}

/* Rights that survive need some plies to show. */
static void deep_traps(void **state)
{
    static const struct {
        enum pm_planted_bug bug;
        const char *row, *text;
    } traps[] = {
        {PM_PLANTED_RIGHT_SURVIVES_CAPTURE, "4k3/8/8/R7/8/8/1b6/R3K3 b Q - 0 1 ;D4 98771\n",
         "bulk depth 4: 98,776 nodes, right is 98,771 (5 too many)"},
        {PM_PLANTED_RIGHT_SURVIVES_MOVE, "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D5 133987\n",
         "bulk depth 5: "},
    };
    const struct pm_verify_config config = {.threads = 1};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pm_verify_case result = {.check = PM_CHECK_BULK, .limit = 1000000};
        struct pm_suite suite;
        assert_int_equal(
            pm_suite_read_text("trap", traps[i].row, strlen(traps[i].row), &suite, NULL), PM_OK);
        assert_int_equal(pm_verify_counts(pm_planted(base, traps[i].bug), &suite, &config, &result),
                         PM_OK);
        assert_int_equal(result.wrong, 1);
        assert_non_null(strstr(result.failures[0].text, traps[i].text));
        pm_verify_case_free(&result);
        pm_suite_free(&suite);
    }
}

static void stops_at_the_first(void **state)
{
    struct pm_verify_report report;
    (void)state;
    limit(1, 100);
    run(PM_PLANTED_WRONG_KIND, MOVES, true, &report);
    assert_int_equal(report.wrong, 1);
    assert_true(report.cases[report.case_count - 1].rows_stopped > 0);
    pm_verify_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_without_a_bug),  cmocka_unit_test(counts_reject),
        cmocka_unit_test(moves_and_keys_reject), cmocka_unit_test(deep_traps),
        cmocka_unit_test(stops_at_the_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
