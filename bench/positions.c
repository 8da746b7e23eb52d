/* SPDX-License-Identifier: MIT */
#include "bench/positions.h"

#include <string.h>

const struct pm_bench_position pm_bench_positions[PM_BENCH_POSITION_COUNT] = {
    {.name = "startpos",
     .standard_depth = {5, 6, 6},
     .depth_count = 8,
     .nodes = {1, 20, 400, 8902, 197281, 4865609, 119060324, 3195901860, 84998978956}},
    {.name = "kiwipete",
     .standard_depth = {4, 5, 5},
     .depth_count = 6,
     .nodes = {1, 48, 2039, 97862, 4085603, 193690690, 8031647685}},
    {.name = "cpw3",
     .standard_depth = {6, 6, 7},
     .depth_count = 8,
     .nodes = {1, 14, 191, 2812, 43238, 674624, 11030083, 178633661, 3009794393}},
    {.name = "cpw4",
     .standard_depth = {5, 5, 6},
     .depth_count = 6,
     .nodes = {1, 6, 264, 9467, 422333, 15833292, 706045033}},
    {.name = "cpw5",
     .standard_depth = {4, 5, 5},
     .depth_count = 5,
     .nodes = {1, 44, 1486, 62379, 2103487, 89941194}},
    {.name = "cpw6",
     .standard_depth = {4, 5, 5},
     .depth_count = 8,
     .nodes = {1, 46, 2079, 89890, 3894594, 164075551, 6923051137, 287188994746, 11923589843526}},
};

int pm_bench_position_find(const char *name)
{
    for (int i = 0; i < PM_BENCH_POSITION_COUNT; i++)
        if (strcmp(pm_bench_positions[i].name, name) == 0)
            return i;
    return -1;
}

uint64_t pm_bench_known_nodes(const char *name, int depth)
{
    const int index = pm_bench_position_find(name);
    return index >= 0 && depth >= 0 && depth <= pm_bench_positions[index].depth_count
               ? pm_bench_positions[index].nodes[depth]
               : 0;
}
