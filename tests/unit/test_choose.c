/* SPDX-License-Identifier: MIT */
/* Which kernel counts and in which mode. */
#include "core/fen.h"
#include "core/mode.h"
#include "kernels/registry.h"
#include "perft/choose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct pm_position start;
static struct pm_error error;

static int set_up(void **state)
{
    (void)state;
    return pm_fen_read_named("startpos", 0, &start, NULL, &error) == PM_OK ? 0 : -1;
}

static struct pm_choice choose(const struct pm_kernel *kernel, int mode, int depth, bool divide)
{
    const struct pm_wish wish = {.kernel = kernel,
                                 .mode = mode,
                                 .position = &start,
                                 .depth = depth,
                                 .threads = 1,
                                 .divide = divide};
    struct pm_choice choice;
    if (pm_choose(&wish, &choice, &error) != PM_OK)
        fail_msg("%s", error.text);
    return choice;
}

/* Whether a kernel here is a good choice for the mode. */
static bool has(enum pm_mode mode)
{
    return pm_kernel_offers(pm_kernel_default(mode), mode) &&
           !pm_kernel_is_slow(pm_kernel_default(mode));
}

static void a_named_mode_is_kept(void **state)
{
    (void)state;
    for (int mode = 0; mode < PM_MODE_COUNT; mode++) {
        const struct pm_choice choice = choose(NULL, mode, 9, false);
        assert_int_equal(choice.mode, mode);
        assert_ptr_equal(choice.kernel, pm_kernel_default((enum pm_mode)mode));
        assert_string_equal(choice.reason, "");
    }
}

static void auto_looks_ahead_where_it_can(void **state)
{
    (void)state;
    const struct pm_choice flat = choose(NULL, PM_MODE_AUTO, 2, false);
    assert_int_equal(flat.mode, PM_MODE_BULK);
    assert_string_equal(flat.reason, "lookahead begins at depth 3");
    const struct pm_choice deep = choose(NULL, PM_MODE_AUTO, 3, false);
    assert_int_equal(deep.mode, has(PM_MODE_LOOKAHEAD) ? PM_MODE_LOOKAHEAD : PM_MODE_BULK);
    assert_ptr_equal(deep.kernel, pm_kernel_default(deep.mode));
    const struct pm_choice x88 = choose(pm_kernel_find("x88"), PM_MODE_AUTO, 9, false);
    assert_int_equal(x88.mode, PM_MODE_BULK);
    assert_string_equal(x88.reason, "x88 offers no lookahead");
}

/* Of perft(8) 1 % of the positions are distinct; of a divide's parts more, and nobody asked. */
static void auto_takes_unique_where_it_pays(void **state)
{
    (void)state;
    const struct pm_choice whole = choose(NULL, PM_MODE_AUTO, 8, false);
    const struct pm_choice divide = choose(NULL, PM_MODE_AUTO, 8, true);
    assert_int_not_equal(divide.mode, PM_MODE_UNIQUE);
    if (pm_kernel_offers(pm_kernel_default(PM_MODE_UNIQUE), PM_MODE_UNIQUE)) {
        assert_int_equal(whole.mode, PM_MODE_UNIQUE);
        assert_non_null(strstr(whole.reason, "by distinct positions"));
    }
}

static enum pm_status no_memory(void)
{
    return PM_ERROR_MEMORY;
}

static void a_kernel_that_cannot_run_is_named(void **state)
{
    struct pm_kernel elsewhere = *pm_kernel_find("x88");
    struct pm_kernel large = *pm_kernel_find("x88");
    const struct pm_wish wish = {.kernel = &elsewhere, .position = &start, .threads = 1};
    const struct pm_wish large_wish = {.kernel = &large, .position = &start, .threads = 1};
    struct pm_choice choice;
    (void)state;
    elsewhere.name = "elsewhere";
    elsewhere.cpu_required = ~UINT64_C(0);
    assert_int_equal(pm_choose(&wish, &choice, &error), PM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "elsewhere can't run here: the CPU lacks "));
    large.name = "large";
    large.init = no_memory;
    assert_int_equal(pm_choose(&large_wish, &choice, &error), PM_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "large could not be initialized: "));
}

static void items_are_counted_the_fastest_way(void **state)
{
    struct pm_kernel ahead = *pm_kernel_find("x88");
    const struct pm_kernel *x88 = pm_kernel_find("x88");
    const struct pm_kernel *item = pm_choose_item_kernel();
    (void)state;
    ahead.capabilities |= PM_CAN_MODE(PM_MODE_LOOKAHEAD);
    assert_int_equal(pm_choose_item_mode(&ahead, 2), PM_MODE_BULK);
    assert_int_equal(pm_choose_item_mode(&ahead, 3), PM_MODE_LOOKAHEAD);
    ahead.capabilities &= ~(uint32_t)PM_CAN_MODE(PM_MODE_BULK);
    assert_int_equal(pm_choose_item_mode(&ahead, 2), PM_MODE_MAKE);
    assert_int_equal(pm_choose_item_mode(x88, 9), PM_MODE_BULK);
    if (pm_kernel_offers(item, PM_MODE_UNIQUE)) {
        assert_int_not_equal(pm_choose_item_mode(item, 6), PM_MODE_UNIQUE);
        assert_int_equal(pm_choose_item_mode(item, 7), PM_MODE_UNIQUE);
    }
}

static void auditors_are_of_another_lineage(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        const struct pm_kernel *auditor = pm_choose_auditor(*kernel, false);
        assert_non_null(auditor);
        assert_false(pm_kernel_is_related(auditor, *kernel));
        assert_int_equal(pm_kernel_missing(auditor), 0);
        const struct pm_kernel *by_unique = pm_choose_auditor(*kernel, true);
        assert_true(by_unique == *kernel || pm_kernel_offers(by_unique, PM_MODE_UNIQUE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_mode_is_kept),
        cmocka_unit_test(auto_looks_ahead_where_it_can),
        cmocka_unit_test(auto_takes_unique_where_it_pays),
        cmocka_unit_test(a_kernel_that_cannot_run_is_named),
        cmocka_unit_test(items_are_counted_the_fastest_way),
        cmocka_unit_test(auditors_are_of_another_lineage),
    };
    return cmocka_run_group_tests_name("choose", tests, set_up, NULL);
}
