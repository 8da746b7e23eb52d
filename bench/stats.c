/* SPDX-License-Identifier: MIT */
#include "bench/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool are_usable(const double values[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return count > 0 && count <= PM_STATS_MAX;
}

static bool are_positive(const double values[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            return false;
    return are_usable(values, count);
}

double pm_median(const double values[], size_t count)
{
    if (!are_usable(values, count))
        return NAN;
    double sorted[PM_STATS_MAX];
    memcpy(sorted, values, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare_doubles);
    const double upper = sorted[count / 2];
    return count % 2 == 1 ? upper : (sorted[count / 2 - 1] + upper) / 2;
}

/* The probability that the median lies between the rank-th smallest and the rank-th largest of
 * `count` values: 1 - 2 P(B < rank), B binomial with p = 1/2. */
static double coverage_of(size_t rank, size_t count)
{
    double outside = 0;
    for (size_t i = 0; i < rank; i++)
        outside += exp(lgamma((double)count + 1) - lgamma((double)i + 1) -
                       lgamma((double)(count - i) + 1) - (double)count * log(2));
    return 1 - 2 * outside;
}

struct pm_interval pm_median_interval(const double values[], size_t count, double confidence)
{
    double sorted[PM_STATS_MAX];
    size_t rank = 1;
    if (!are_usable(values, count) || count < 2 || coverage_of(1, count) < confidence)
        return (struct pm_interval){.low = NAN, .high = NAN};
    memcpy(sorted, values, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare_doubles);
    while (2 * (rank + 1) <= count && coverage_of(rank + 1, count) >= confidence)
        rank++;
    /* Between this rank and the next: too much is covered here, too little there. */
    const double here = coverage_of(rank, count), next = coverage_of(rank + 1, count);
    const double excess = (here - confidence) / (here - next);
    const double n = (double)count, r = (double)rank;
    const double weight = (n - r) * excess / (r + (n - 2 * r) * excess);
    return (struct pm_interval){
        .low = (1 - weight) * sorted[rank - 1] + weight * sorted[rank],
        .high = (1 - weight) * sorted[count - rank] + weight * sorted[count - rank - 1],
    };
}

double pm_mad(const double values[], size_t count)
{
    if (!are_usable(values, count))
        return NAN;
    const double median = pm_median(values, count);
    double deviations[PM_STATS_MAX];
    for (size_t i = 0; i < count; i++)
        deviations[i] = fabs(values[i] - median);
    return pm_median(deviations, count);
}

double pm_relative_mad(const double values[], size_t count)
{
    const double median = pm_median(values, count);
    return median == 0 ? NAN : pm_mad(values, count) / fabs(median);
}

double pm_geometric_mean(const double values[], size_t count)
{
    if (!are_positive(values, count))
        return NAN;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i]);
    return exp(sum / (double)count);
}

struct pm_ratio pm_ratio_of(const double a[], const double b[], size_t count)
{
    if (!are_positive(a, count) || !are_positive(b, count))
        return (struct pm_ratio){.value = NAN, .spread = NAN};
    double ratios[PM_STATS_MAX];
    for (size_t i = 0; i < count; i++)
        ratios[i] = a[i] / b[i];
    return (struct pm_ratio){.value = pm_median(a, count) / pm_median(b, count),
                             .spread = pm_mad(ratios, count)};
}
