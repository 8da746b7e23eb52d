/* SPDX-License-Identifier: MIT */
/* What landings on their sliders' rays cost or bring, by population counts: rays_avx2.h says what
 * that is. The distances are summed by their binary digits. */
#ifndef PM_REPLY256_RAYS_SCALAR_H
#define PM_REPLY256_RAYS_SCALAR_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/parent.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>

PM_ALWAYS_INLINE uint64_t changes_of_rays(const struct arrivals *arrivals,
                                          const struct slider *slider, uint64_t enemy,
                                          unsigned first, unsigned count)
{
    const uint64_t free = slider->attacks & ~enemy;
    const struct arrivals seen = {arrivals->ones & slider->attacks,
                                  arrivals->twos & slider->attacks,
                                  arrivals->fours & slider->attacks, 0};
    uint64_t change = 0;
    for (unsigned digit = 0; digit < 3; digit++)
        change += arrivals_on(&seen, tables.distance_digit[slider->square][digit]) << digit;
    for (unsigned direction = first; direction < first + count; direction++) {
        const uint64_t ray = tables.ray[slider->square][direction];
        change -= pm_popcount(free & ray) * arrivals_on(&seen, ray);
    }
    return change;
}

PM_ALWAYS_INLINE uint64_t changes_of_sliders(const struct parent *parent,
                                             const struct arrivals *arrivals)
{
    const uint64_t enemy = parent->board->enemy;
    uint64_t change = 0;
    unsigned i = 0;
    for (; i < parent->bishops; i++)
        change += changes_of_rays(arrivals, &parent->slider[i], enemy, 4, 4);
    for (; i < parent->rooks; i++)
        change += changes_of_rays(arrivals, &parent->slider[i], enemy, 0, 4);
    for (; i < parent->sliders; i++)
        change += changes_of_rays(arrivals, &parent->slider[i], enemy, 0, 8);
    return change;
}

#endif
