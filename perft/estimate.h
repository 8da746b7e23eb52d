/* SPDX-License-Identifier: MIT */
/* How large a move tree is, and how long an exact count of it would take, from random samples.
 *
 * One sample is the tree thinned ply by ply. All moves of the positions of a ply are listed; if
 * more than `width` lead on, about `width` of them are kept, each with a probability in proportion
 * to what its subtree promises to hold, and with the reciprocal of that probability as its weight.
 * Three plies above the leaves the subtrees that are left are counted whole, by the kernel's
 * fastest mode. The expected value of the weighted sum is the perft exactly, whatever the promises:
 * good ones make it vary less.
 *
 * Samples are independent, and a sample sums up many subtrees, which keeps its distribution close
 * to a normal one: their mean has the interval of Student's distribution. It is widened by two
 * fifths, as now and then a few heavy subtrees are missed, and the variance with them.
 *
 * Sources: random lines through a tree, D. E. Knuth, "Estimating the efficiency of backtrack
 * programs", 1975; many at once, ply by ply, P. C. Chen, "Heuristic sampling", 1992, and R.
 * Rubinstein, "Stochastic enumeration method for counting NP-hard problems", 2013; weighted by
 * importance, A. Jensen, 2018; what to keep for sure and what by lot, P. Fearnhead and P. Clifford,
 * 2003. For perft, from 2011 on the computer chess forum: P. Österlund, F. Labelle, H. G. Muller,
 * D. Shawul and others. */
#ifndef PM_PERFT_ESTIMATE_H
#define PM_PERFT_ESTIMATE_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PM_ESTIMATE_MAX_DEPTH 64 /* 1024^64 is far below the largest double */
#define PM_ESTIMATE_MAX_WIDTH 1000000U
#define PM_ESTIMATE_MIN_SAMPLES 8U
#define PM_ESTIMATE_MAX_SAMPLES 1000000U

/* Enough to choose a mode by: some 0.01 s a ply on one thread, and for the start position an
 * interval of about 1.5 % to either side at depth 12. */
#define PM_ESTIMATE_QUICK_WIDTH 100U
#define PM_ESTIMATE_QUICK_SAMPLES 16U

struct pm_estimate_job {
    const struct pm_kernel *kernel; /* runs here, init() was called */
    const struct pm_position *position;
    int depth;        /* 0 to PM_ESTIMATE_MAX_DEPTH */
    unsigned width;   /* 1 to PM_ESTIMATE_MAX_WIDTH; takes about 2 KB for each and thread */
    unsigned samples; /* PM_ESTIMATE_MIN_SAMPLES to PM_ESTIMATE_MAX_SAMPLES */
    uint64_t seed;
    int threads;    /* at least 1; the estimate does not depend on it */
    double seconds; /* if not 0: begin no sample after so long, but PM_ESTIMATE_MIN_SAMPLES */
    const atomic_bool *stop; /* may be NULL; once true no further sample is begun or ended */
};

struct pm_estimate {
    double nodes;     /* the estimate: a double, of which the interval leaves fewer digits */
    double low, high; /* the interval that holds the perft in at least 95 of 100 seeds */
    /* Nothing was thinned: nodes is the perft. So it is at depths up to 3, and in every tree with
     * at most `width` positions at each ply up to depth - 3. */
    bool exact;
    unsigned samples; /* that were taken: the same job with as many gives the same estimate */
    double seconds;   /* wall time */
    /* Measured: what a count of two plies by the kernel takes of one thread's CPU time, with its
     * share of the ply above. The one figure that is not the same each time. */
    double two_ply_seconds;
    /* How many an exact count of the whole tree takes: perft(depth - 2), if that is deep. */
    double two_ply_counts;
};

/* PM_ERROR_INTERRUPTED when stopped before PM_ESTIMATE_MIN_SAMPLES; later the estimate is made of
 * those that are there. PM_ERROR_MEMORY, PM_ERROR_UNSUPPORTED, or what else the kernel says. */
enum pm_status pm_estimate_run(const struct pm_estimate_job *job, struct pm_estimate *estimate,
                               struct pm_error *error);

/* Half the interval's width as a fraction of the estimate: 0 if it is exact. */
double pm_estimate_relative_error(const struct pm_estimate *estimate);

/* The wall time to expect of an exact count, in seconds, when all threads are always busy: of the
 * whole tree … */
double pm_estimate_tree_seconds(const struct pm_estimate *estimate, int threads);

/* … and of its distinct positions. Rough: positions are assumed to recur as often as below the
 * start position, where that is known to ply 11, and one to take two fifths more than in the tree.
 */
double pm_estimate_unique_seconds(const struct pm_estimate *estimate, int depth, int threads);

#endif
