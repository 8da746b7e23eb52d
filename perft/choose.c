/* SPDX-License-Identifier: MIT */
#include "perft/choose.h"

#include "core/mode.h"
#include "kernels/registry.h"
#include "perft/estimate.h"

#include <stdio.h>

/* The driver counts below each root move apart, so that two plies are left from here on. */
#define LOOKAHEAD_MIN_DEPTH 3

/* From here on distinct positions may be fewer by so much that finding them pays … */
#define UNIQUE_MIN_DEPTH 7

/* … and they do, if they are expected to take less time by this factor. */
#define UNIQUE_GAIN 1.3

/* ---- Kernels ---- */

/* Whether a default is worth choosing for the mode: what the CPU makes slow is left to who asks. */
static bool pays(const struct pm_kernel *kernel, enum pm_mode mode)
{
    return pm_kernel_offers(kernel, mode) && !pm_kernel_is_slow(kernel);
}

const struct pm_kernel *pm_choose_counting_kernel(void)
{
    const struct pm_kernel *kernel = pm_kernel_default(PM_MODE_LOOKAHEAD);
    return pays(kernel, PM_MODE_LOOKAHEAD) ? kernel : pm_kernel_default(PM_MODE_BULK);
}

const struct pm_kernel *pm_choose_item_kernel(void)
{
    const struct pm_kernel *kernel = pm_kernel_default(PM_MODE_UNIQUE);
    return pm_kernel_offers(kernel, PM_MODE_UNIQUE) ? kernel : pm_kernel_default(PM_MODE_BULK);
}

const struct pm_kernel *pm_choose_auditor(const struct pm_kernel *counted, bool unique)
{
    const struct pm_kernel *found = pm_kernel_witness(counted, PM_MODE_UNIQUE);
    if (!unique && (found == NULL || pm_kernel_is_related(found, counted)))
        found = pm_kernel_witness(counted, PM_MODE_BULK);
    return found != NULL ? found : counted;
}

/* ---- Modes ---- */

enum pm_mode pm_choose_item_mode(const struct pm_kernel *kernel, int depth)
{
    if (depth >= UNIQUE_MIN_DEPTH && pm_kernel_offers(kernel, PM_MODE_UNIQUE))
        return PM_MODE_UNIQUE;
    const enum pm_mode fastest = pm_mode_fastest(kernel);
    if (fastest == PM_MODE_LOOKAHEAD && depth < LOOKAHEAD_MIN_DEPTH)
        return pm_kernel_offers(kernel, PM_MODE_BULK) ? PM_MODE_BULK : PM_MODE_MAKE;
    return fastest;
}

/* ---- Both ---- */

/* The kernel that was given, or the default of the mode. */
static const struct pm_kernel *kernel_for(const struct pm_wish *wish, enum pm_mode mode)
{
    return wish->kernel != NULL ? wish->kernel : pm_kernel_default(mode);
}

static bool suits(const struct pm_wish *wish, enum pm_mode mode)
{
    return wish->kernel != NULL ? pm_kernel_offers(wish->kernel, mode)
                                : pays(pm_kernel_default(mode), mode);
}

/* The fastest way to go through the tree: the last two plies together, else the last one. */
static void choose_walk(const struct pm_wish *wish, struct pm_choice *choice)
{
    const bool is_deep = wish->depth >= LOOKAHEAD_MIN_DEPTH;
    const size_t size = sizeof choice->reason;
    choice->mode = is_deep ? PM_MODE_LOOKAHEAD : PM_MODE_BULK;
    while (choice->mode > PM_MODE_MAKE && !suits(wish, choice->mode))
        choice->mode--;
    if (!is_deep)
        snprintf(choice->reason, size, "lookahead begins at depth %d", LOOKAHEAD_MIN_DEPTH);
    else if (choice->mode == PM_MODE_LOOKAHEAD)
        snprintf(choice->reason, size, "the last two plies are counted together");
    else if (wish->kernel != NULL)
        snprintf(choice->reason, size, "%s offers no lookahead", wish->kernel->name);
    else
        snprintf(choice->reason, size, "no kernel here offers lookahead");
}

/* Whether few enough of the positions are distinct is told by a sampled estimate of the tree. What
 * fails leaves the choice as it is. */
static void reconsider(const struct pm_wish *wish, struct pm_choice *choice)
{
    const struct pm_kernel *kernel = kernel_for(wish, PM_MODE_UNIQUE);
    const struct pm_estimate_job job = {
        .kernel = choice->kernel,
        .position = wish->position,
        .depth = wish->depth,
        .width = PM_ESTIMATE_QUICK_WIDTH,
        .samples = PM_ESTIMATE_QUICK_SAMPLES,
        .seed = 1,
        .threads = wish->threads < (int)PM_ESTIMATE_QUICK_SAMPLES ? wish->threads
                                                                  : (int)PM_ESTIMATE_QUICK_SAMPLES,
    };
    struct pm_estimate estimate;
    if (wish->divide || wish->depth < UNIQUE_MIN_DEPTH ||
        !pm_kernel_offers(kernel, PM_MODE_UNIQUE) || pm_kernel_ready(kernel, NULL) != PM_OK ||
        pm_estimate_run(&job, &estimate, NULL) != PM_OK)
        return;
    const double tree = pm_estimate_tree_seconds(&estimate, wish->threads);
    const double unique = pm_estimate_unique_seconds(&estimate, wish->depth, wish->threads);
    if (unique * UNIQUE_GAIN < tree) {
        choice->mode = PM_MODE_UNIQUE;
        choice->kernel = kernel;
    }
    snprintf(choice->reason, sizeof choice->reason,
             "some %.2g leaves, expected to take %.2g s as a tree, %.2g s by distinct positions",
             estimate.nodes, tree, unique);
}

enum pm_status pm_choose(const struct pm_wish *wish, struct pm_choice *choice,
                         struct pm_error *error)
{
    const bool is_auto = wish->mode == PM_MODE_AUTO;
    *choice = (struct pm_choice){.mode = (enum pm_mode)wish->mode};
    if (is_auto)
        choose_walk(wish, choice);
    choice->kernel = kernel_for(wish, choice->mode);
    const enum pm_status status = pm_kernel_ready(choice->kernel, error);
    if (status == PM_OK && is_auto)
        reconsider(wish, choice);
    return status;
}
