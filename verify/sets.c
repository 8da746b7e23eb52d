/* SPDX-License-Identifier: MIT */
/* The named sets: which suites, and how many nodes a row or a walk may have. */
#include "verify/verify.h"

#include <stddef.h>
#include <string.h>

static const struct pm_verify_set_member every_suite[] = {
    {.suite = "standard"},
    {.suite = "tricky", .is_aimed = true},
    {.suite = "bugs", .is_aimed = true},
    {.suite = "aimed", .is_aimed = true},
    {.suite = "unreachable", .is_aimed = true},
    {.suite = "chess960"},
    {.suite = "chess960_starts"},
    {.suite = "generated"},
    {.suite = "generated960"},
    {0},
};

static const struct pm_verify_set_member smoke_suite[] = {{.suite = "smoke", .is_aimed = true},
                                                          {0}};

const struct pm_verify_set pm_verify_sets[] = {
    {
        .name = "smoke",
        .summary = "the fewest rows that catch every bug of verify/mutation: under 1 s a kernel",
        .items = smoke_suite,
        .aimed = {.make = 100000, .bulk = 100000, .reference = 10000, .walk = 100},
    },
    {
        .name = "quick",
        .summary = "all suites, rows up to 50 k nodes in bulk, aimed ones to 1 M: five kernels "
                   "within 20 s on one core",
        .items = every_suite,
        .usual = {.make = 10000, .bulk = 50000, .reference = 2000, .walk = 100},
        .aimed = {.make = 100000, .bulk = 1000000, .reference = 10000, .walk = 2000},
        .distinct_depth = 4,
        .random = {.positions = 1000, .depth = 2, .limit = 100000},
    },
    {
        .name = "standard",
        .summary = "all suites, rows up to 1 M nodes in bulk, aimed ones to 5 M: minutes",
        .items = every_suite,
        .usual = {.make = 100000, .bulk = 1000000, .reference = 20000, .walk = 1000},
        .aimed = {.make = 5000000, .bulk = 5000000, .reference = 100000, .walk = 20000},
        .distinct_depth = 5,
        .random = {.positions = 20000, .depth = 3, .limit = 100000},
        .all_threads = true,
    },
    {
        /* Mode make differs from bulk in the last ply alone: its rows end ten times earlier. */
        .name = "full",
        .summary = "all suites, every depth listed up to 1 G nodes a row in bulk, 100 M in make: "
                   "an hour or more",
        .items = every_suite,
        .usual = {.make = 100000000, .bulk = 1000000000, .reference = 1000000, .walk = 20000},
        .aimed = {.make = 100000000, .bulk = 1000000000, .reference = 1000000, .walk = 20000},
        .distinct_depth = 6,
        .random = {.positions = 200000, .depth = 4, .limit = 100000},
        .all_threads = true,
    },
    {0},
};

const struct pm_verify_set *pm_verify_set_find(const char *name)
{
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        if (strcmp(set->name, name) == 0)
            return set;
    return NULL;
}
