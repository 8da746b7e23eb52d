/* SPDX-License-Identifier: MIT */
/* Statistics against values worked out by hand. */
#include "bench/stats.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void medians(void **state)
{
    const double odd[] = {9, 1, 5};
    const double even[] = {4, 1, 3, 2};
    const double one[] = {7};
    const double negative[] = {-3, -1, -2};
    (void)state;
    assert_near(pm_median(odd, 3), 5);
    assert_near(pm_median(even, 4), 2.5);
    assert_near(pm_median(one, 1), 7);
    assert_near(pm_median(negative, 3), -2);
    assert_near(odd[0], 9); /* the order of the values stays */
}

static void deviations(void **state)
{
    /* median 2; deviations 1 1 0 0 2 4 7, sorted 0 0 1 1 2 4 7 */
    const double values[] = {1, 1, 2, 2, 4, 6, 9};
    /* median 2.5; deviations 1.5 0.5 0.5 1.5 */
    const double even[] = {1, 2, 3, 4};
    const double one[] = {7};
    const double zero[] = {-1, 0, 1};
    (void)state;
    assert_near(pm_mad(values, LENGTH(values)), 1);
    assert_near(pm_relative_mad(values, LENGTH(values)), 0.5);
    assert_near(pm_mad(even, 4), 1);
    assert_true(pm_mad(one, 1) == 0);
    assert_true(isnan(pm_relative_mad(zero, 3)));
}

static void one_disturbed_repeat_changes_nothing(void **state)
{
    const double quiet[] = {100, 101, 99, 100, 102};
    const double disturbed[] = {100, 101, 99, 100, 5000};
    (void)state;
    assert_near(pm_median(disturbed, 5), pm_median(quiet, 5));
    assert_near(pm_mad(disturbed, 5), pm_mad(quiet, 5));
}

/* 6 values: their extremes cover 1 - 2/64 = 0.96875, the second ones 1 - 14/64; 10 values: the
 * second ones 1 - 22/1024 = 0.97852, the third ones 1 - 112/1024 = 0.89063. */
static void intervals(void **state)
{
    const double few[] = {1, 2, 3, 4, 5};
    const double six[] = {6, 1, 5, 2, 4, 3};
    const double ten[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    (void)state;
    assert_true(isnan(pm_median_interval(few, 5, 0.95).low));
    assert_true(isnan(pm_median_interval(ten, 10, 0.999).low));

    const double excess = (0.96875 - 0.95) / (0.96875 - 0.78125);
    const double weight = 5 * excess / (1 + 4 * excess);
    assert_near(pm_median_interval(six, 6, 0.95).low, 1 + weight);
    assert_near(pm_median_interval(six, 6, 0.95).high, 6 - weight);

    const double excess_ten = (1 - 22.0 / 1024 - 0.95) / (90.0 / 1024);
    const double weight_ten = 8 * excess_ten / (2 + 6 * excess_ten);
    assert_near(pm_median_interval(ten, 10, 0.95).low, 2 + weight_ten);
    assert_near(pm_median_interval(ten, 10, 0.95).high, 9 - weight_ten);
}

/* About normal: twelve uniform numbers less six. */
static double draw(struct pm_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(pm_random_next(random) >> 11) * 0x1p-53;
    return sum;
}

/* A run's sample: the run's own luck (2 %), and the least of some repeats that neighbors lengthen
 * (1 %, one in five by 10 % more). */
static double draw_run(struct pm_random *random, int repeats)
{
    const double luck = 1 + 0.02 * draw(random);
    double least = INFINITY;
    for (int i = 0; i < repeats; i++) {
        const double disturbance = pm_random_below(random, 5) == 0 ? 0.1 : 0;
        least = fmin(least, luck * (1 + disturbance + 0.01 * fabs(draw(random))));
    }
    return least;
}

/* The interval of the ratio over runs holds the true ratio, 1, in 93 to 97 % of the cases. */
static void intervals_cover(void **state)
{
    enum { TRIALS = 20000, MAX_RUNS = 20 };
    struct pm_random random = {.state = 20261201};
    (void)state;
    for (int runs = PM_INTERVAL_MIN_COUNT; runs <= MAX_RUNS; runs += 2) {
        int held = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            double ratios[MAX_RUNS];
            for (int i = 0; i < runs; i++)
                ratios[i] = log(draw_run(&random, 3) / draw_run(&random, 3));
            const struct pm_interval interval = pm_median_interval(ratios, (size_t)runs, 0.95);
            held += interval.low <= 0 && 0 <= interval.high;
        }
        const double rate = (double)held / TRIALS;
        if (!(rate >= 0.93 && rate <= 0.97))
            fail_msg("%d runs: %.2f %% of the intervals hold it", runs, 100 * rate);
    }
}

static void geometric_means(void **state)
{
    const double values[] = {1, 10, 100};
    const double pair[] = {2, 8};
    const double one[] = {3};
    const double with_zero[] = {1, 0};
    const double with_negative[] = {1, -1};
    (void)state;
    assert_near(pm_geometric_mean(values, 3), 10);
    assert_near(pm_geometric_mean(pair, 2), 4);
    assert_near(pm_geometric_mean(one, 1), 3);
    assert_true(isnan(pm_geometric_mean(with_zero, 2)));
    assert_true(isnan(pm_geometric_mean(with_negative, 2)));
}

static void ratios(void **state)
{
    /* medians 30 and 10; ratios 3, 3.2, 2.5, 3, 4: median 3, deviations 0 0.2 0.5 0 1 */
    const double a[] = {30, 32, 25, 27, 40};
    const double b[] = {10, 10, 10, 9, 10};
    const double with_zero[] = {1, 0, 1, 1, 1};
    struct pm_ratio ratio = pm_ratio_of(a, b, 5);
    (void)state;
    assert_near(ratio.value, 3);
    assert_true(fabs(ratio.spread - 0.2) < 1e-12);
    ratio = pm_ratio_of(a, a, 5);
    assert_near(ratio.value, 1);
    assert_true(ratio.spread == 0);
    ratio = pm_ratio_of(a, with_zero, 5);
    assert_true(isnan(ratio.value) && isnan(ratio.spread));
}

static void nothing_to_say(void **state)
{
    static double many[PM_STATS_MAX + 1];
    const double infinite[] = {1, INFINITY, 2};
    const double not_a_number[] = {1, NAN, 2};
    const double *const unusable[] = {infinite, not_a_number};
    (void)state;
    for (size_t i = 0; i < LENGTH(many); i++)
        many[i] = 1;
    assert_true(isnan(pm_median(NULL, 0)));
    assert_true(isnan(pm_mad(NULL, 0)));
    assert_true(isnan(pm_relative_mad(NULL, 0)));
    assert_true(isnan(pm_geometric_mean(NULL, 0)));
    assert_true(isnan(pm_ratio_of(NULL, NULL, 0).value));
    for (size_t i = 0; i < LENGTH(unusable); i++) {
        assert_true(isnan(pm_median(unusable[i], 3)));
        assert_true(isnan(pm_mad(unusable[i], 3)));
        assert_true(isnan(pm_geometric_mean(unusable[i], 3)));
        assert_true(isnan(pm_ratio_of(unusable[i], unusable[i], 3).spread));
    }
    assert_near(pm_median(many, PM_STATS_MAX), 1);
    assert_true(isnan(pm_median(many, PM_STATS_MAX + 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),
        cmocka_unit_test(deviations),
        cmocka_unit_test(one_disturbed_repeat_changes_nothing),
        cmocka_unit_test(intervals),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(geometric_means),
        cmocka_unit_test(ratios),
        cmocka_unit_test(nothing_to_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
