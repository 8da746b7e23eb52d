/* SPDX-License-Identifier: MIT */
/* What trees contain, what failures have in common, and explanations of whole runs. */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "tests/planted/planted.h"
#include "tests/unit/kernel_subject.h"
#include "verify/diagnose/causes.h"
#include "verify/diagnose/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct pm_kernel *reference, *base;

static int set_up(void **state)
{
    (void)state;
    reference = pm_kernel_find("reference");
    base = pm_kernel_find("mailbox");
    return reference != NULL && base != NULL && reference->init() == PM_OK && base->init() == PM_OK
               ? 0
               : -1;
}

static struct pm_cause_row make_row(const char *fen, int depth, bool failed)
{
    struct pm_cause_row row = {.depth = depth, .failed = failed};
    if (pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &row.position, NULL, NULL) != PM_OK)
        fail_msg("%s", fen);
    row.chess960 = !pm_position_is_standard(&row.position);
    return row;
}

static pm_features features_of(const char *fen, int depth, uint64_t limit)
{
    struct pm_cause_row row = make_row(fen, depth, false);
    assert_int_equal(pm_causes_examine(reference, &row, limit), PM_OK);
    return row.features;
}

static void trees_have_features(void **state)
{
    static const struct {
        const char *fen;
        int depth;
        unsigned feature;
        bool has;
    } cases[] = {
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 1, PM_RULE_EN_PASSANT, true},
        {"4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", 1, PM_RULE_EN_PASSANT, false},
        {"4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", 2, PM_RULE_EN_PASSANT, true},
        {"8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1", 1, PM_RULE_EN_PASSANT_RANK, true},
        {"8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1", 1, PM_RULE_EN_PASSANT_DISCOVERS, false},
        {"4k3/8/8/3pP3/8/8/4R3/4K3 w - d6 0 1", 1, PM_RULE_EN_PASSANT_CHECKS, true},
        {"4kr2/8/8/8/8/8/8/4K2R w K - 0 1", 1, PM_RULE_CASTLING_THROUGH, true},
        {"4kr2/8/8/8/8/8/8/4K2R w K - 0 1", 1, PM_RULE_CASTLING, false},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1, PM_RULE_CASTLING, true},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", 2, PM_RULE_CASTLING_ROOK_MOVED, false},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", 5, PM_RULE_CASTLING_ROOK_MOVED, true},
        {"r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", 1, PM_FEATURE_ROOK_CAPTURE, true},
        {"r3k2r/8/8/8/8/8/6B1/4K3 w - - 0 1", 1, PM_FEATURE_ROOK_CAPTURE, false},
        {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 1, PM_RULE_PROMOTION, true},
        {"7k/8/5KQ1/8/8/8/8/8 w - - 0 1", 2, PM_FEATURE_CHECKMATE, true},
        {"7k/8/5KQ1/8/8/8/8/8 b - - 0 1", 1, PM_FEATURE_STALEMATE, true},
        {"4k3/8/8/8/8/8/8/RK4R1 w G - 0 1", 1, PM_FEATURE_CHESS960, true},
        {"4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", 1, PM_FEATURE_MANY_PIECES, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pm_features features = features_of(cases[i].fen, cases[i].depth, 100000);
        if (((features & PM_FEATURE_BIT(cases[i].feature)) != 0) != cases[i].has)
            fail_msg("%s, depth %d: \"%s\"", cases[i].fen, cases[i].depth,
                     pm_feature_phrase(cases[i].feature));
    }
}

static void limits_are_kept(void **state)
{
    static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    (void)state;
    assert_true((features_of(start, 4, 100000) & PM_FEATURE_BIT(PM_RULE_NO_EVASION)) != 0);
    assert_true((features_of(start, 4, 21) & PM_FEATURE_BIT(PM_RULE_NO_EVASION)) == 0);
    assert_int_equal(features_of(start, 0, 21), 0);
}

static void the_best_feature_separates(void **state)
{
    const pm_features castling = PM_FEATURE_BIT(PM_RULE_CASTLING);
    const pm_features quiet = PM_FEATURE_BIT(PM_RULE_QUIET);
    const pm_features promotion = PM_FEATURE_BIT(PM_RULE_PROMOTION);
    const struct pm_cause_row rows[] = {
        {.failed = true, .features = castling | quiet},
        {.failed = true, .features = castling | quiet | promotion},
        {.features = quiet},
        {.features = quiet | promotion},
        {.features = quiet | castling},
    };
    struct pm_cause cause;
    char text[PM_CAUSE_TEXT_SIZE];
    (void)state;
    assert_true(pm_causes_best(rows, 5, &cause));
    assert_int_equal(cause.feature, PM_RULE_CASTLING);
    assert_string_equal(pm_cause_to_text(&cause, text),
                        "2 of 2 failures contain legal castling; so do 1 of 3 positions that "
                        "passed");
    assert_false(pm_causes_best(rows + 2, 3, &cause));
    cause = pm_causes_count(rows, 2, PM_RULE_PROMOTION);
    assert_string_equal(pm_cause_to_text(&cause, text), "1 of 2 failures contain a promotion");
    for (unsigned feature = 0; feature < PM_FEATURE_COUNT; feature++)
        assert_non_null(pm_feature_phrase(feature));
}

/* ---- Whole runs ---- */

/* Each is told once, those that explain most come first. */
static void check_features(const struct pm_explanations *explanations)
{
    const struct pm_cause *features = explanations->features;
    for (unsigned i = 0; i < explanations->feature_count; i++)
        for (unsigned j = 0; j < i; j++) {
            assert_true(features[j].failed_with >= features[i].failed_with);
            assert_string_not_equal(pm_feature_phrase(features[j].feature),
                                    pm_feature_phrase(features[i].feature));
        }
}

static void explain(enum pm_planted_bug bug, const char *const parts[])
{
    static const char *const suites[] = {"standard.epd", "tricky", "bugs"};
    const struct pm_kernel *kernel = pm_planted(base, bug);
    struct pm_subject subject = kernel_subject(kernel), oracle = kernel_subject(reference);
    struct pm_verify_plan plan = {.folder = PM_SOURCE_DIR "/verify/suites"};
    struct pm_verify_report report = {0};
    struct pm_explanations explanations = {0};
    struct pm_error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    for (int i = 0; i < 3; i++)
        assert_int_equal(pm_verify_plan_add(&plan, suites[i], &error), PM_OK);
    for (size_t i = 0; i < plan.suite_count; i++)
        plan.suites[i].limits = (struct pm_verify_limits){20000, 20000, 20000, 500};
    const struct pm_verify_config config = {
        .kernels = &kernel,
        .kernel_count = 1,
        .reference = reference,
        .checks = PM_CHECK_BIT(PM_CHECK_BULK) | PM_CHECK_BIT(PM_CHECK_MOVES),
        .threads = 2,
    };
    assert_int_equal(pm_verify_prepare(&plan, &config, &report, &error), PM_OK);
    assert_int_equal(pm_verify_run(&plan, &config, &report, &error), PM_OK);
    const struct pm_explain_config explain_config = {.plan = &plan,
                                                     .report = &report,
                                                     .kernel = kernel->name,
                                                     .word = kernel->name,
                                                     .options = "",
                                                     .seconds = 1,
                                                     .subject = &subject,
                                                     .oracle = &oracle,
                                                     .reference = reference};
    if (pm_explain(&explain_config, &explanations, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (unsigned i = 0; i < explanations.cause_count; i++) {
        fprintf(file, "cause %u:\n", i + 1);
        pm_diff_write_text(explanations.causes[i], 0, file);
    }
    pm_explanations_write_text(&explanations, file);
    fclose(file);
    check_features(&explanations);
    for (int i = 0; parts[i] != NULL; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("\"%s\" is not in:\n%s", parts[i], text);
    if (parts[0] == NULL)
        assert_string_equal(text, "");
    free(text);
    pm_explanations_free(&explanations);
    pm_verify_report_free(&report);
    pm_verify_plan_free(&plan);
}

static void runs_are_explained(void **state)
{
    static const char *const promotions[] = {"cause 1:", "promotion: the pawn from ",
                                             " failures contain a promotion; so do 0 of ", NULL};
    static const char *const en_passants[] = {
        "en passant: ", "cause 2:", " failures contain an illegal en passant capture", NULL};
    static const char *const castlings[] = {
        "castling: the king is in check: ", " failures contain castling forbidden by a check",
        NULL};
    static const char *const pins[] = {" failures moves and counts agree with the reference", NULL};
    static const char *const nothing[] = {NULL};
    (void)state;
    explain(PM_PLANTED_NO_KNIGHT_PROMOTION, promotions);
    explain(PM_PLANTED_ILLEGAL_EN_PASSANT, en_passants);
    explain(PM_PLANTED_CASTLING_OUT_OF_CHECK, castlings);
    explain(PM_PLANTED_PINNED, pins);
    explain(PM_PLANTED_NONE, nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_features),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(the_best_feature_separates),
        cmocka_unit_test(runs_are_explained),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
