/* SPDX-License-Identifier: MIT */
/* Estimates with fixed seeds: each outcome here is the same on every run and for every kernel. */
#include "perft/estimate.h"

#include "core/fen.h"
#include "core/state.h"
#include "kernels/registry.h"
#include "tests/unit/size.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#define MATE "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"
#define STALEMATE "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"
/* Each side has one legal move at every ply, for ever. */
#define FORCED_LINE "2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1"
/* Many lines end in mate. */
#define MATES "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"

static const struct pm_kernel *kernel; /* the fastest that runs here */
static struct pm_position position;

static int set_up(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *k = pm_kernels; *k != NULL; k++) {
        if (pm_kernel_missing(*k) != 0)
            continue;
        if ((*k)->init() != PM_OK)
            return -1;
        if (kernel == NULL || (*k)->capabilities & PM_CAN_MODE(PM_MODE_LOOKAHEAD))
            kernel = *k;
    }
    return kernel == NULL ? -1 : 0;
}

static struct pm_estimate_job job_for(const char *fen, int depth)
{
    assert_int_equal(pm_fen_read(fen, 0, &position, NULL, NULL), PM_OK);
    return (struct pm_estimate_job){.kernel = kernel,
                                    .position = &position,
                                    .depth = depth,
                                    .width = 30,
                                    .samples = PM_ESTIMATE_MIN_SAMPLES,
                                    .seed = 1,
                                    .threads = 1};
}

static struct pm_estimate run(const struct pm_estimate_job *job)
{
    struct pm_estimate estimate;
    struct pm_error error = {0};
    assert_int_equal(pm_estimate_run(job, &estimate, &error), PM_OK);
    assert_true(estimate.low <= estimate.nodes && estimate.nodes <= estimate.high);
    return estimate;
}

static void expect_exact(const char *fen, int depth, unsigned width, double nodes)
{
    struct pm_estimate_job job = job_for(fen, depth);
    job.width = width;
    const struct pm_estimate estimate = run(&job);
    assert_true(estimate.exact);
    assert_true(estimate.nodes == nodes);
    assert_true(estimate.low == nodes && estimate.high == nodes);
    assert_true(pm_estimate_relative_error(&estimate) == 0);
}

static void test_shallow_trees_are_exact(void **state)
{
    (void)state;
    static const double start[] = {1, 20, 400, 8902}, kiwipete[] = {1, 48, 2039, 97862};
    for (int depth = 0; depth <= 3; depth++) {
        expect_exact(START, depth, 1, start[depth]);
        expect_exact(KIWIPETE, depth, 1, kiwipete[depth]);
    }
}

static void test_trees_within_the_width_are_exact(void **state)
{
    (void)state;
    expect_exact(START, 4, 20, 197281);
    expect_exact(START, 5, 400, 4865609);
    expect_exact(FORCED_LINE, PM_ESTIMATE_MAX_DEPTH, 1, 1);
    struct pm_estimate_job job = job_for(START, 5);
    job.width = 399;
    assert_false(run(&job).exact);
}

static void test_without_moves(void **state)
{
    (void)state;
    for (int depth = 0; depth <= 6; depth++) {
        expect_exact(MATE, depth, 1, depth == 0);
        expect_exact(STALEMATE, depth, 1, depth == 0);
    }
}

/* Weights that were wrong anywhere would show as a mean that many samples pin down beside the
 * truth. */
static void expect_unbiased(const char *fen, int depth, unsigned width, unsigned samples)
{
    struct pm_estimate_job job = job_for(fen, depth);
    void *memory = pm_new_state(kernel);
    uint64_t nodes = 0;
    job.width = width;
    job.samples = samples;
    assert_non_null(memory);
    assert_int_equal(kernel->set_position(memory, &position), PM_OK);
    assert_int_equal(kernel->perft(memory, depth, PM_MODE_BULK, &nodes), PM_OK);
    free(memory);

    const struct pm_estimate estimate = run(&job);
    assert_false(estimate.exact);
    assert_int_equal(estimate.samples, samples);
    assert_true(pm_estimate_relative_error(&estimate) < 0.04);
    assert_true(estimate.low <= (double)nodes && (double)nodes <= estimate.high);
}

static void test_is_unbiased(void **state)
{
    (void)state;
    expect_unbiased(KIWIPETE, 4, 3, 2000);
    expect_unbiased(START, 5, 10, 400);
    if (!test_is_small())
        expect_unbiased(START, 6, 1, 2000);
    expect_unbiased(MATES, 6, 10, 1000);
}

/* 19 of 20 is what a 95 % interval leads to expect. Which seeds miss is fixed: it changes only when
 * something else is drawn, and then other seeds may be due. */
static void test_holds_the_known_counts(void **state)
{
    (void)state;
    static const struct {
        int depth;
        double nodes;
    } known[] = {{7, 3195901860.}, {10, 69352859712417.}, {15, 2015099950053364471960.}};
    for (size_t i = 0; i < test_size(sizeof known / sizeof known[0], 1); i++) {
        int within = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct pm_estimate_job job = job_for(START, known[i].depth);
            job.seed = seed;
            job.width = 60;
            job.samples = PM_ESTIMATE_QUICK_SAMPLES;
            const struct pm_estimate estimate = run(&job);
            assert_true(pm_estimate_relative_error(&estimate) < 0.05);
            within += estimate.low <= known[i].nodes && known[i].nodes <= estimate.high;
        }
        assert_in_range(within, 19, 20);
    }
}

static void expect_same(const struct pm_estimate *a, const struct pm_estimate *b)
{
    assert_true(a->nodes == b->nodes && a->low == b->low && a->high == b->high);
    assert_int_equal(a->samples, b->samples);
}

static void test_threads_and_kernels_do_not_matter(void **state)
{
    (void)state;
    struct pm_estimate_job job = job_for(START, 5);
    job.width = 4;
    const struct pm_estimate first = run(&job);
    assert_false(first.exact);
    job.threads = 3;
    const struct pm_estimate threads = run(&job);
    expect_same(&threads, &first);
    for (const struct pm_kernel *const *k = pm_kernels; *k != NULL; k++) {
        if (pm_kernel_missing(*k) != 0 || pm_kernel_has_family(*k))
            continue;
        job.kernel = *k;
        const struct pm_estimate other = run(&job);
        expect_same(&other, &first);
    }
    job.kernel = kernel;
    job.seed = 2;
    assert_true(run(&job).nodes != first.nodes);
}

/* As many samples as a time limit left room for give the same estimate again. */
static void test_time_limit(void **state)
{
    (void)state;
    struct pm_estimate_job job = job_for(KIWIPETE, 6);
    job.samples = PM_ESTIMATE_MAX_SAMPLES;
    job.seconds = 1e-9;
    job.threads = 2;
    const struct pm_estimate limited = run(&job);
    assert_in_range(limited.samples, PM_ESTIMATE_MIN_SAMPLES, PM_ESTIMATE_MIN_SAMPLES + 1);
    job.samples = limited.samples;
    job.seconds = 0;
    const struct pm_estimate again = run(&job);
    expect_same(&again, &limited);
}

static void test_stopped(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    struct pm_estimate_job job = job_for(START, 9);
    struct pm_estimate estimate;
    struct pm_error error = {0};
    job.stop = &stop;
    assert_int_equal(pm_estimate_run(&job, &estimate, &error), PM_ERROR_INTERRUPTED);
    assert_non_null(strstr(error.text, "interrupted"));
}

static enum pm_status refuse(void *state, const struct pm_move *move)
{
    (void)state;
    (void)move;
    return PM_ERROR_ILLEGAL;
}

static void test_failing_kernel(void **state)
{
    (void)state;
    struct pm_kernel broken = *kernel;
    struct pm_estimate_job job = job_for(START, 5);
    struct pm_estimate estimate;
    struct pm_error error = {0};
    broken.play = refuse;
    job.kernel = &broken;
    job.threads = 2;
    assert_int_equal(pm_estimate_run(&job, &estimate, &error), PM_ERROR_ILLEGAL);
    assert_non_null(strstr(error.text, kernel->name));
    assert_non_null(strstr(error.text, "rnbqkbnr"));
}

static void test_expected_times(void **state)
{
    (void)state;
    struct pm_estimate_job job = job_for(START, 10);
    const struct pm_estimate estimate = run(&job);
    const double tree = pm_estimate_tree_seconds(&estimate, 1);
    assert_true(tree > 0);
    assert_true(fabs(pm_estimate_tree_seconds(&estimate, 2) - tree / 2) < 1e-6 * tree);
    assert_true(pm_estimate_unique_seconds(&estimate, 10, 1) < tree / 10);
    /* perft(8), within the error of a small sample */
    assert_true(fabs(estimate.two_ply_counts / 84998978956. - 1) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shallow_trees_are_exact),
        cmocka_unit_test(test_trees_within_the_width_are_exact),
        cmocka_unit_test(test_without_moves),
        cmocka_unit_test(test_is_unbiased),
        cmocka_unit_test(test_holds_the_known_counts),
        cmocka_unit_test(test_threads_and_kernels_do_not_matter),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_failing_kernel),
        cmocka_unit_test(test_expected_times),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
