/* SPDX-License-Identifier: MIT */
/* The named sets: which suites, and how many nodes a row or a walk may have. */
#include "verify/verify.h"

#include <stddef.h>
#include <string.h>

/* tricky and bugs are small and aimed: they get a larger share. */
#define USUAL {.make = 10000, .bulk = 50000, .reference = 2000, .walk = 100}
#define AIMED {.make = 100000, .bulk = 1000000, .reference = 10000, .walk = 2000}
static const struct pm_verify_item quick[] = {
    {"standard", USUAL},    {"tricky", AIMED},          {"bugs", AIMED},
    {"unreachable", AIMED}, {"chess960", USUAL},        {"chess960_starts", USUAL},
    {"generated", USUAL},   {"generated960", USUAL},    {0},
};
#undef USUAL
#undef AIMED

#define USUAL {.make = 100000, .bulk = 1000000, .reference = 20000, .walk = 1000}
#define AIMED {.make = 5000000, .bulk = 5000000, .reference = 100000, .walk = 20000}
static const struct pm_verify_item standard[] = {
    {"standard", USUAL},    {"tricky", AIMED},          {"bugs", AIMED},
    {"unreachable", AIMED}, {"chess960", USUAL},        {"chess960_starts", USUAL},
    {"generated", USUAL},   {"generated960", USUAL},    {0},
};
#undef USUAL
#undef AIMED

/* Mode make differs from bulk in nothing but the last ply: its rows end ten times earlier. */
#define EVERY {.make = 100000000, .bulk = 1000000000, .reference = 1000000, .walk = 20000}
static const struct pm_verify_item full[] = {
    {"standard", EVERY},    {"tricky", EVERY},          {"bugs", EVERY},
    {"unreachable", EVERY}, {"chess960", EVERY},        {"chess960_starts", EVERY},
    {"generated", EVERY},   {"generated960", EVERY},    {0},
};
#undef EVERY

const struct pm_verify_set pm_verify_sets[] = {
    {.name = "quick",
     .summary = "all suites, shallow: five kernels within 20 s on one core",
     .items = quick,
     .distinct_depth = 4},
    {.name = "standard",
     .summary = "all suites, rows up to 1 M nodes in bulk, the aimed ones to 5 M: minutes",
     .items = standard,
     .distinct_depth = 5,
     .all_threads = true},
    {.name = "full",
     .summary = "all suites, every depth listed up to 1 G nodes a row in bulk: hours",
     .items = full,
     .distinct_depth = 6,
     .all_threads = true},
    {0},
};

const struct pm_verify_set *pm_verify_set_find(const char *name)
{
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        if (strcmp(set->name, name) == 0)
            return set;
    return NULL;
}
