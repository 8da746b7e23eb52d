/* SPDX-License-Identifier: MIT */
/* The named sets and the suites that come with the program. */
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char suites[] = PM_SOURCE_DIR "/verify/suites";

static void add(struct pm_verify_plan *plan, const char *word)
{
    struct pm_error error = {0};
    if (pm_verify_plan_add(plan, word, &error) != PM_OK)
        fail_msg("%s: %s", word, error.text);
}

static const struct pm_suite *find(const struct pm_verify_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->suite_count; i++)
        if (strcmp(plan->suites[i].suite.name, name) == 0)
            return &plan->suites[i].suite;
    fail_msg("the set has no suite %s", name);
    return NULL;
}

/* Nothing may be lost on the way from the data: positions and rows of each suite. */
static void full_holds_every_row(void **state)
{
    static const struct {
        const char *name;
        size_t positions, rows;
    } known[] = {
        {"standard", 131, 794},
        {"tricky", 107, 549},
        {"unreachable", 11, 28},
        {"chess960", 978, 5813},
        {"chess960_starts", 960, 4800},
        {"generated", 324, 1254},
        {"generated960", 172, 667},
        {"bugs", 36, 36},
        {"aimed", 41, 162},
    };
    struct pm_verify_plan plan = {.folder = suites};
    (void)state;
    add(&plan, "full");
    assert_int_equal(plan.suite_count, sizeof known / sizeof *known);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct pm_suite *suite = find(&plan, known[i].name);
        size_t rows = 0;
        for (size_t j = 0; j < suite->entry_count; j++)
            rows += suite->entries[j].count_count;
        assert_int_equal(suite->entry_count, known[i].positions);
        assert_int_equal(rows, known[i].rows);
        assert_true(suite->source[0] != '\0');
    }
    pm_verify_plan_free(&plan);
}

static bool is_within(const struct pm_verify_limits *a, const struct pm_verify_limits *b)
{
    return a->make <= b->make && a->bulk <= b->bulk && a->reference <= b->reference &&
           a->walk <= b->walk;
}

static void sets_grow(void **state)
{
    (void)state;
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++) {
        assert_true(is_within(&set->usual, &set->aimed));
        if (set > pm_verify_sets)
            assert_true(is_within(&set[-1].usual, &set->usual) &&
                        is_within(&set[-1].aimed, &set->aimed));
    }
    assert_int_equal(pm_verify_set_find("full")->usual.bulk, 1000000000);
}

static void trap_and_bugs_are_there(void **state)
{
    static const char trap[] = "4k3/8/8/R7/8/8/1b6/R3K3 b Q - 0 1";
    struct pm_verify_plan plan = {.folder = suites};
    bool found = false;
    (void)state;
    add(&plan, "bugs");
    add(&plan, "tricky");
    const struct pm_suite *tricky = find(&plan, "tricky");
    for (size_t i = 0; i < tricky->entry_count; i++)
        found = found || (strcmp(tricky->entries[i].fen, trap) == 0 &&
                          tricky->entries[i].counts[0].nodes == 98771);
    assert_true(found);
    const struct pm_suite *bugs = find(&plan, "bugs");
    for (size_t i = 0; i < bugs->entry_count; i++) {
        assert_non_null(pm_suite_entry_opcode(&bugs->entries[i], "id"));
        assert_non_null(pm_suite_entry_opcode(&bugs->entries[i], "c0"));
        assert_non_null(pm_suite_entry_opcode(&bugs->entries[i], "wrong"));
    }
    pm_verify_plan_free(&plan);
}

static void standard_is_a_set_and_a_suite(void **state)
{
    struct pm_verify_plan set = {.folder = suites};
    struct pm_verify_plan suite = {.folder = suites};
    (void)state;
    add(&set, "standard");
    add(&suite, "standard.epd");
    assert_int_equal(set.suite_count, 9);
    assert_int_equal(suite.suite_count, 1);
    assert_int_equal(suite.suites[0].suite.entry_count, 131);
    assert_int_equal(suite.suites[0].limits.bulk, set.suites[0].limits.bulk);
    pm_verify_plan_free(&set);
    pm_verify_plan_free(&suite);
}

static void unknown_words_are_errors(void **state)
{
    struct pm_verify_plan plan = {.folder = suites};
    struct pm_error error = {0};
    (void)state;
    assert_int_equal(pm_verify_plan_add(&plan, "nosuch", &error), PM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "'nosuch'"));
    assert_int_not_equal(pm_verify_plan_add(&plan, "./nosuch.epd", &error), PM_OK);
    assert_int_equal(plan.suite_count, 0);
    plan.folder = "./no-such-folder";
    assert_int_equal(pm_verify_plan_add(&plan, "quick", &error), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "no-such-folder"));
    pm_verify_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_holds_every_row),     cmocka_unit_test(sets_grow),
        cmocka_unit_test(trap_and_bugs_are_there),  cmocka_unit_test(standard_is_a_set_and_a_suite),
        cmocka_unit_test(unknown_words_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
