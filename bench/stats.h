/* SPDX-License-Identifier: MIT */
/* Statistics of repeated timings: robust ones, since one disturbed repeat must not move a result.
 * Without values, with a value that is not finite, or with more than PM_STATS_MAX values the answer
 * is NAN; one value is its own median and has the spread 0. */
#ifndef PM_BENCH_STATS_H
#define PM_BENCH_STATS_H

#include <stddef.h>

#define PM_STATS_MAX 1024

/* The middle value, or the mean of the two middle ones. */
double pm_median(const double values[], size_t count);

/* Median absolute deviation: the median of |value - median|, in the unit of the values (unscaled).
 */
double pm_mad(const double values[], size_t count);

/* MAD as a fraction of the median: 0.03 is 3 %. NAN if the median is 0. */
double pm_relative_mad(const double values[], size_t count);

/* The count-th root of the product. NAN if a value is 0 or negative. */
double pm_geometric_mean(const double values[], size_t count);

struct pm_interval {
    double low, high;
};

/* With fewer values there is no interval of 95 %. */
#define PM_INTERVAL_MIN_COUNT 6

/* An interval that holds the median of what the values were drawn from with that probability (0.95:
 * 95 %), whatever its distribution: interpolated order statistics (Hettmansperger and Sheather,
 * "Confidence intervals based on interpolated order statistics", Statistics & Probability Letters
 * 4, 1986). NAN if there are too few values for it. */
struct pm_interval pm_median_interval(const double values[], size_t count, double confidence);

struct pm_ratio {
    double value;  /* median of a / median of b */
    double spread; /* MAD of the ratios a[i] / b[i] */
};

/* How many times a is as large as b, when a[i] and b[i] were measured next to each other. Both are
 * NAN if a value is 0 or negative. */
struct pm_ratio pm_ratio_of(const double a[], const double b[], size_t count);

#endif
