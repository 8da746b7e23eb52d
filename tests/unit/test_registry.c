/* SPDX-License-Identifier: MIT */
/* Defaults: what is chosen offers the mode, runs here and is not slow, whatever the CPU lacks; a
 * witness is of another lineage. */
#include "core/cpu.h"
#include "core/mode.h"
#include "kernels/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool exists(enum pm_mode mode, bool with_slow)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (!pm_kernel_has_family(*kernel) && pm_kernel_missing(*kernel) == 0 &&
            ((*kernel)->capabilities & PM_IS_REFERENCE) == 0 && pm_kernel_offers(*kernel, mode) &&
            (with_slow || !pm_kernel_is_slow(*kernel)))
            return true;
    return false;
}

static void check_default(enum pm_mode mode)
{
    const struct pm_kernel *found = pm_kernel_default(mode);
    assert_non_null(found);
    assert_int_equal(pm_kernel_missing(found), 0);
    assert_int_equal(pm_kernel_offers(found, mode), exists(mode, true));
    if (exists(mode, false))
        assert_false(pm_kernel_is_slow(found));
    if (exists(mode, true)) {
        assert_false(pm_kernel_has_family(found));
        assert_int_equal(found->capabilities & PM_IS_REFERENCE, 0);
    }
}

static void check_witness(enum pm_mode mode)
{
    const struct pm_kernel *counted = pm_kernel_default(mode);
    const struct pm_kernel *witness = pm_kernel_witness(counted, mode);
    bool has_unrelated = false;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        has_unrelated =
            has_unrelated ||
            (pm_kernel_missing(*kernel) == 0 && pm_kernel_offers(*kernel, mode) &&
             !pm_kernel_has_family(*kernel) && ((*kernel)->capabilities & PM_IS_REFERENCE) == 0 &&
             !pm_kernel_is_related(*kernel, counted));
    assert_int_equal(has_unrelated, witness != NULL && !pm_kernel_is_related(witness, counted));
    if (witness == NULL)
        return;
    assert_ptr_not_equal(witness, counted);
    assert_int_equal(pm_kernel_missing(witness), 0);
    assert_true(pm_kernel_offers(witness, mode));
}

/* Masks only add up, so from much to little. */
static void defaults_suit_the_cpu(void **state)
{
    static const char *const masks[] = {"", "avx512vbmi2", "avx512f", "avx2", "bmi2", "all"};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        if (masks[i][0] != '\0')
            assert_int_equal(pm_cpu_mask(masks[i], NULL), PM_OK);
        for (int mode = 0; mode < PM_MODE_COUNT; mode++) {
            check_default((enum pm_mode)mode);
            check_witness((enum pm_mode)mode);
        }
        assert_int_equal(pm_kernel_missing(pm_kernel_for_analysis()), 0);
    }
}

/* pext tells origins and check squares; where it can't run, or runs slowly, it is magic. */
static void analysis_takes_what_works_by_sets(void **state)
{
    const struct pm_kernel *const pext = pm_kernel_find("pext");
    const bool is_pext = pext != NULL && pm_kernel_missing(pext) == 0 && !pm_kernel_is_slow(pext);
    (void)state;
    if (pm_kernel_missing(pm_kernel_find("magic")) != 0)
        skip();
    assert_string_equal(pm_kernel_for_analysis()->name, is_pext ? "pext" : "magic");
}

static void lineages(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        assert_non_null((*kernel)->lineage);
        assert_true(pm_kernel_is_related(*kernel, *kernel));
    }
    assert_false(pm_kernel_is_related(pm_kernel_find("magic"), pm_kernel_find("reference")));
#ifdef __x86_64__
    assert_true(pm_kernel_is_related(pm_kernel_find("pext"), pm_kernel_find("reply64")));
    assert_false(pm_kernel_is_related(pm_kernel_find("pext"), pm_kernel_find("sliders_pext")));
#endif
}

static void families(void **state)
{
    const struct pm_kernel *found[PM_KERNELS_MAX];
    (void)state;
    const int count = pm_kernels_named("sliders", found);
    assert_true(count > 10);
    for (int i = 0; i < count; i++)
        assert_string_equal(found[i]->family, "sliders");
    assert_int_equal(pm_kernels_named("slider", found), 0);
    assert_false(pm_kernel_has_family(pm_kernel_find("magic")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lineages), cmocka_unit_test(families),
        cmocka_unit_test(analysis_takes_what_works_by_sets),
        cmocka_unit_test(defaults_suit_the_cpu), /* the last: it leaves nothing of the CPU */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
