/* SPDX-License-Identifier: MIT */
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The first numbers of splitmix64 from seed 1234567, as published with its reference code. */
static void known_sequence(void **state)
{
    static const uint64_t expected[] = {6457827717110365317U, 3203168211198807973U,
                                        9817491932198370423U, 4593380528125082431U,
                                        16408922859458223821U};
    struct pm_random random = {.state = 1234567};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(pm_random_next(&random) == expected[i]);
}

static void below_is_even_and_bounded(void **state)
{
    enum { BOUND = 7, DRAWS = 70000 };
    unsigned counts[BOUND] = {0};
    struct pm_random random = {.state = 1};
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t value = pm_random_below(&random, BOUND);
        assert_true(value < BOUND);
        counts[value]++;
    }
    for (int i = 0; i < BOUND; i++) /* 10000 expected, standard deviation 93 */
        assert_in_range(counts[i], 9500, 10500);
}

static void bounds_at_the_ends(void **state)
{
    struct pm_random random = {.state = 2};
    uint32_t seen = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(pm_random_below(&random, 1), 0);
        seen |= pm_random_below(&random, 1ULL << 32);
    }
    assert_true(seen == UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sequence),
        cmocka_unit_test(below_is_even_and_bounded),
        cmocka_unit_test(bounds_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
