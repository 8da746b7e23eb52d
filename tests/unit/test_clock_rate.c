/* SPDX-License-Identifier: MIT */
/* The measured clock rate: only whether it can be one, since machines differ and are busy. */
#include "core/clock_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void plausible(void **state)
{
    const double mhz = pm_clock_rate_mhz();
    (void)state;
    if (mhz == 0)
        skip();
    print_message("%.0f MHz\n", mhz);
    assert_true(mhz > 100 && mhz < 10000);
}

static void repeatable(void **state)
{
    const double first = pm_clock_rate_mhz();
    const double second = pm_clock_rate_mhz();
    (void)state;
    if (first == 0)
        skip(); /* there is no chain for this machine */
    assert_true(first <= 1.5 * second && second <= 1.5 * first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plausible),
        cmocka_unit_test(repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
