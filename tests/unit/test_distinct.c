/* SPDX-License-Identifier: MIT */
/* Slow: distinct positions after six plies, with each kernel that runs here and is not a reference.
 */
#include "kernels/registry.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void six_plies(void **state)
{
    const struct pm_verify_config config = {.threads = 1};
    int ran = 0;
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        struct pm_verify_case result = {.check = PM_CHECK_DISTINCT};
        if (((*kernel)->capabilities & PM_IS_REFERENCE) != 0 || pm_kernel_missing(*kernel) != 0 ||
            pm_kernel_has_family(*kernel))
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        assert_int_equal(pm_verify_distinct(*kernel, 6, &config, &result), PM_OK);
        if (result.wrong > 0)
            fail_msg("%s: %s", (*kernel)->name, result.failures[0].text);
        assert_int_equal(result.rows, 6);
        assert_int_equal(result.nodes, 20 + 400 + 5362 + 72078 + 822518 + 9417681);
        pm_verify_case_free(&result);
        ran++;
    }
    if (ran == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(six_plies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
