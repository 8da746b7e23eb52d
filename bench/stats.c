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
