/* SPDX-License-Identifier: MIT */
/* Sums of the counts of one depth. */
#include "perft/breakdown.h"

uint64_t pm_breakdown_checks(const struct pm_breakdown_row *row)
{
    uint64_t sum = 0;
    for (int i = 0; i < PM_CHECKERS_COUNT; i++)
        sum += row->checks[i];
    return sum;
}

uint64_t pm_breakdown_mates(const struct pm_breakdown_row *row)
{
    uint64_t sum = 0;
    for (int i = 0; i < PM_CHECKERS_COUNT; i++)
        sum += row->mates[i];
    return sum;
}

uint64_t pm_breakdown_double_checks(const struct pm_breakdown_row *row)
{
    return row->checks[PM_CHECKERS_DIRECT_AND_DISCOVERED] +
           row->checks[PM_CHECKERS_DOUBLE_DISCOVERED];
}

void pm_breakdown_add_row(const struct pm_breakdown_row *part, struct pm_breakdown_row *sum)
{
    sum->nodes += part->nodes;
    sum->captures += part->captures;
    sum->en_passant += part->en_passant;
    sum->castles += part->castles;
    sum->promotions += part->promotions;
    sum->stalemates += part->stalemates;
    for (int i = 0; i < PM_CHECKERS_COUNT; i++) {
        sum->checks[i] += part->checks[i];
        sum->mates[i] += part->mates[i];
    }
}
