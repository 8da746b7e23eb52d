/* SPDX-License-Identifier: MIT */
/* The driver with every kernel that runs here, and with a made-up one: a tree whose number of moves
 * depends on the ply alone, so that its leaves are known, and whose calls can be slow or fail. */
#include "core/clock.h"
#include "core/fen.h"
#include "kernels/registry.h"
#include "perft/driver.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
/* Each side has one legal move at every ply, for ever. */
#define FORCED_LINE "2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1"
#define STALEMATE "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"
#define CROWDED "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/8/K6k b - - 0 1"

#define MAX_THREADS 4

/* The made-up kernel. Its settings are those of one test; what it saw is written by many threads.
 */
static struct {
    unsigned moves[PM_JOB_MAX_DEPTH]; /* at each ply */
    unsigned leaves_per_us;           /* speed of perft(); 0: no delay */
    long fail_at_call, stop_at_call;  /* the number of a perft() call, from 1; 0: never */
    pthread_t callers[MAX_THREADS];   /* threads that called perft() … */
    uint64_t leaves[MAX_THREADS];     /* … and what they counted */
    int caller_count, deepest_call, pinned_calls;
    long calls;
    uint64_t stopped_ns;
    atomic_bool stop;
} tree;

struct tree_state {
    unsigned ply;
};

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static enum pm_status tree_init(void)
{
    return PM_OK;
}

static enum pm_status tree_set_position(void *state, const struct pm_position *position)
{
    (void)position;
    ((struct tree_state *)state)->ply = 0;
    return PM_OK;
}

static enum pm_status tree_get_position(const void *state, struct pm_position *position)
{
    (void)state;
    return pm_fen_read(START, 0, position, NULL, NULL);
}

static enum pm_status tree_legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                       unsigned *count)
{
    *count = tree.moves[((const struct tree_state *)state)->ply];
    for (unsigned i = 0; i < *count; i++)
        moves[i] = (struct pm_move){.from = (pm_square)i};
    return PM_OK;
}

static enum pm_status tree_play(void *state, const struct pm_move *move)
{
    struct tree_state *node = state;
    if (move->from >= tree.moves[node->ply])
        return PM_ERROR_ILLEGAL;
    node->ply++;
    return PM_OK;
}

/* Called with tree_lock held. Returns the number of the call. */
static long note_call(int depth, uint64_t leaves)
{
    int caller = 0;
    while (caller < tree.caller_count && !pthread_equal(tree.callers[caller], pthread_self()))
        caller++;
    if (caller == MAX_THREADS)
        abort(); /* no place for cmocka's jumps */
    tree.callers[caller] = pthread_self();
    tree.leaves[caller] += leaves;
    if (caller == tree.caller_count)
        tree.caller_count++;
    if (depth > tree.deepest_call)
        tree.deepest_call = depth;
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1 &&
        CPU_ISSET((size_t)sched_getcpu(), &cpus))
        tree.pinned_calls++;
    tree.calls++;
    if (tree.calls == tree.stop_at_call) {
        tree.stopped_ns = pm_clock_ns();
        atomic_store(&tree.stop, true);
    }
    return tree.calls;
}

static enum pm_status tree_perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    (void)mode;
    const unsigned ply = ((const struct tree_state *)state)->ply;
    uint64_t leaves = 1;
    for (int i = 0; i < depth; i++)
        leaves *= tree.moves[ply + (unsigned)i];
    if (tree.leaves_per_us > 0)
        usleep((useconds_t)(leaves / tree.leaves_per_us));
    pthread_mutex_lock(&tree_lock);
    const long call = note_call(depth, leaves);
    pthread_mutex_unlock(&tree_lock);
    if (call == tree.fail_at_call)
        return PM_ERROR_OVERFLOW;
    *nodes = leaves;
    return PM_OK;
}

static const struct pm_kernel tree_kernel = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "tree",
    .lineage = "tree",
    .capabilities = PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_MODE(PM_MODE_UNIQUE),
    .state_size = sizeof(struct tree_state),
    .state_align = _Alignof(struct tree_state),
    .init = tree_init,
    .set_position = tree_set_position,
    .get_position = tree_get_position,
    .legal_moves = tree_legal_moves,
    .play = tree_play,
    .perft = tree_perft,
};

/* Makes the tree anew: the numbers given, the last of them for all further plies. */
static void grow_tree(size_t count, const unsigned moves[])
{
    memset(&tree, 0, sizeof tree);
    for (size_t i = 0; i < PM_JOB_MAX_DEPTH; i++)
        tree.moves[i] = moves[i < count ? i : count - 1];
}

static pm_count tree_leaves(int depth)
{
    pm_count leaves = 1;
    for (int i = 0; i < depth; i++)
        leaves *= tree.moves[i];
    return leaves;
}

static struct pm_position position_of(const char *fen)
{
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, NULL), PM_OK);
    return position;
}

static struct pm_driver *open_unpinned(int threads)
{
    const struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = threads};
    struct pm_driver *driver;
    assert_int_equal(pm_driver_open(&config, &driver, NULL), PM_OK);
    assert_int_equal(pm_driver_threads(driver), threads);
    return driver;
}

static struct pm_job_result result; /* too large for the stack's taste */

static enum pm_status run_job(struct pm_driver *driver, const struct pm_kernel *kernel,
                              const char *fen, int depth, enum pm_mode mode, struct pm_error *error)
{
    const struct pm_position position = position_of(fen);
    const struct pm_job job = {
        .kernel = kernel, .position = &position, .depth = depth, .mode = mode, .stop = &tree.stop};
    return pm_driver_run(driver, &job, &result, error);
}

static enum pm_status run_tree(int threads, int depth, struct pm_error *error)
{
    struct pm_driver *driver = open_unpinned(threads);
    const enum pm_status status = run_job(driver, &tree_kernel, START, depth, PM_MODE_BULK, error);
    pm_driver_close(driver);
    return status;
}

static pm_count sum_of_roots(void)
{
    pm_count sum = 0;
    for (unsigned i = 0; i < result.root_count; i++)
        sum += result.roots[i].nodes;
    return sum;
}

/* Compares each root move's count with a call of the kernel on this thread. */
static void assert_serial_roots(const struct pm_kernel *kernel, const char *fen, int depth,
                                enum pm_mode mode)
{
    const struct pm_position position = position_of(fen);
    void *state = aligned_alloc(64, (kernel->state_size + 63U) & ~(size_t)63U);
    assert_non_null(state);
    for (unsigned i = 0; i < result.root_count; i++) {
        uint64_t nodes;
        assert_int_equal(kernel->set_position(state, &position), PM_OK);
        assert_int_equal(kernel->play(state, &result.roots[i].move), PM_OK);
        assert_int_equal(kernel->perft(state, depth - 1, mode, &nodes), PM_OK);
        assert_true(result.roots[i].nodes == nodes);
        assert_true(result.roots[i].complete);
    }
    free(state);
}

static void check_kernel(struct pm_driver *driver, const struct pm_kernel *kernel,
                         enum pm_mode mode)
{
    static const struct {
        const char *fen;
        int depth;
        uint64_t nodes;
        unsigned roots;
    } expected[] = {
        {START, 1, 20, 20},
        {START, 4, 197281, 20},
        {KIWIPETE, 3, 97862, 48},
        {FORCED_LINE, 32, 1, 1},
        {STALEMATE, 1, 0, 0},
        {STALEMATE, 5, 0, 0},
        {"8/8/8/8/8/k7/p7/K7 w - - 0 1", 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(run_job(driver, kernel, expected[i].fen, expected[i].depth, mode, NULL),
                         PM_OK);
        assert_true(result.complete);
        assert_true(result.nodes == expected[i].nodes);
        assert_int_equal(result.root_count, expected[i].roots);
        assert_true(sum_of_roots() == result.nodes);
        assert_true(result.items_done == result.items);
    }
    assert_int_equal(run_job(driver, kernel, KIWIPETE, 3, mode, NULL), PM_OK);
    assert_serial_roots(kernel, KIWIPETE, 3, mode);
}

static void every_kernel_counts_as_alone(void **state)
{
    int checked = 0;
    (void)state;
    grow_tree(1, (const unsigned[]){1});
    for (int threads = 1; threads <= MAX_THREADS; threads += 3) {
        struct pm_driver *driver = open_unpinned(threads);
        for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
            if (pm_kernel_missing(*kernel) != 0)
                continue;
            assert_int_equal((*kernel)->init(), PM_OK);
            check_kernel(driver, *kernel, PM_MODE_MAKE);
            check_kernel(driver, *kernel, PM_MODE_BULK);
            checked++;
        }
        pm_driver_close(driver);
    }
    assert_true(checked > 0);
}

static void depth_zero_is_one_leaf(void **state)
{
    (void)state;
    grow_tree(1, (const unsigned[]){20});
    assert_int_equal(run_tree(2, 0, NULL), PM_OK);
    assert_true(result.nodes == 1 && result.complete);
    assert_int_equal(result.root_count, 0);
}

static void shapes_of_trees(void **state)
{
    static const struct {
        unsigned moves[8];
        int depth;
    } shapes[] = {
        {{30, 30, 30, 30, 30, 30, 30, 30}, 7}, /* wide */
        {{1, 1, 1, 1, 1, 40, 40, 40}, 8},      /* narrow, then wide */
        {{40, 40, 40, 1, 1, 1, 1, 1}, 40},     /* wide, then narrow */
        {{3, 1, 50, 1, 50, 1, 50, 1}, 8},      /* one side has one move */
        {{2, 2, 2, 2, 2, 2, 2, 2}, 20},        /* deeper than a kernel may go */
        {{30, 30, 0, 0, 0, 0, 0, 0}, 9},       /* all games end early */
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int threads = 1; threads <= MAX_THREADS; threads++) {
            grow_tree(8, shapes[i].moves);
            assert_int_equal(run_tree(threads, shapes[i].depth, NULL), PM_OK);
            assert_true(result.nodes == tree_leaves(shapes[i].depth));
            assert_true(sum_of_roots() == result.nodes);
            assert_true(tree.deepest_call <= PM_KERNEL_MAX_DEPTH);
        }
}

static void crowded_positions_limit_the_calls(void **state)
{
    struct pm_driver *driver = open_unpinned(2);
    (void)state;
    grow_tree(9, (const unsigned[]){1, 1, 1, 1, 1, 1, 1, 1, 2});
    assert_int_equal(run_job(driver, &tree_kernel, CROWDED, 12, PM_MODE_BULK, NULL), PM_OK);
    assert_true(result.nodes == 16);
    assert_true(tree.deepest_call <= 6);
    pm_driver_close(driver);
}

static void one_root_move_keeps_two_threads_busy(void **state)
{
    (void)state;
    grow_tree(3, (const unsigned[]){1, 1, 10});
    tree.leaves_per_us = 100;
    assert_int_equal(run_tree(2, 9, NULL), PM_OK);
    assert_true(result.nodes == 10000000);
    assert_int_equal(tree.caller_count, 2);
    assert_true(tree.leaves[0] > 3000000 && tree.leaves[1] > 3000000);
}

static void pinned_for_the_run_only(void **state)
{
    struct pm_topology *topology;
    struct pm_driver *driver;
    cpu_set_t before, after;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(pm_topology_open(&topology, NULL), PM_OK);
    const struct pm_driver_config config = {
        .topology = topology, .pin = {.policy = PM_PIN_THREAD}, .threads = 0};
    assert_int_equal(pm_driver_open(&config, &driver, NULL), PM_OK);
    for (int i = 0; i < pm_driver_threads(driver); i++)
        assert_true(CPU_ISSET((size_t)pm_driver_cpus(driver)[i], &before));
    for (int i = 0; i < 2; i++) {
        grow_tree(1, (const unsigned[]){20});
        assert_int_equal(run_job(driver, &tree_kernel, START, 4, PM_MODE_BULK, NULL), PM_OK);
        assert_true(tree.calls > 0 && tree.pinned_calls == tree.calls);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
    pm_driver_close(driver);
    pm_topology_close(topology);
}

static void stops_at_once(void **state)
{
    struct pm_error error;
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        grow_tree(1, (const unsigned[]){20});
        tree.leaves_per_us = 2;
        tree.stop_at_call = 20;
        assert_int_equal(run_tree(threads, 20, &error), PM_ERROR_INTERRUPTED);
        assert_true(pm_clock_seconds_since(tree.stopped_ns) < 0.2);
        assert_int_equal(error.status, PM_ERROR_INTERRUPTED);
        assert_non_null(strstr(error.text, "0 of 20 root moves"));
        assert_false(result.complete);
        assert_false(result.roots[0].complete || result.roots[19].complete);
        assert_true(result.nodes > 0 && result.nodes == sum_of_roots());
        assert_true(result.items_done < result.items);
    }
}

static void stopped_before_the_start(void **state)
{
    (void)state;
    grow_tree(1, (const unsigned[]){20});
    atomic_store(&tree.stop, true);
    assert_int_equal(run_tree(2, 6, NULL), PM_ERROR_INTERRUPTED);
    assert_true(result.nodes == 0 && !result.complete);
}

static void kernel_errors_end_the_job(void **state)
{
    struct pm_error error;
    (void)state;
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
        grow_tree(1, (const unsigned[]){20});
        tree.fail_at_call = 7;
        assert_int_equal(run_tree(threads, 6, &error), PM_ERROR_OVERFLOW);
        assert_false(result.complete);
        assert_non_null(strstr(error.text, "kernel tree: perft"));
        assert_non_null(strstr(error.text, "rnbqkbnr/"));
    }
}

struct seen {
    pthread_t caller;
    int calls;
    bool in_order, elsewhere;
    struct pm_progress last;
};

static void see_progress(void *context, const struct pm_progress *progress)
{
    struct seen *seen = context;
    const struct pm_progress *last = &seen->last;
    seen->elsewhere |= !pthread_equal(seen->caller, pthread_self());
    seen->in_order &= progress->fraction >= last->fraction && progress->fraction <= 1 &&
                      progress->nodes >= last->nodes && progress->seconds > last->seconds;
    seen->last = *progress;
    seen->calls++;
}

static void reports_progress(void **state)
{
    struct pm_driver *driver = open_unpinned(2);
    const struct pm_position position = position_of(START);
    struct seen seen = {.caller = pthread_self(), .in_order = true};
    (void)state;
    grow_tree(1, (const unsigned[]){20});
    tree.leaves_per_us = 5;
    const struct pm_job job = {.kernel = &tree_kernel,
                               .position = &position,
                               .depth = 5,
                               .mode = PM_MODE_BULK,
                               .progress = see_progress,
                               .context = &seen};
    assert_int_equal(pm_driver_run(driver, &job, &result, NULL), PM_OK);
    assert_true(seen.in_order && !seen.elsewhere);
    assert_true(seen.calls >= 2);
    assert_true(seen.last.fraction > 0.2);
    pm_driver_close(driver);
}

static void refuses_impossible_jobs(void **state)
{
    struct pm_driver *driver = open_unpinned(1);
    (void)state;
    grow_tree(1, (const unsigned[]){1});
    assert_int_equal(run_job(driver, &tree_kernel, START, -1, PM_MODE_BULK, NULL),
                     PM_ERROR_ARGUMENT);
    assert_int_equal(run_job(driver, &tree_kernel, START, PM_JOB_MAX_DEPTH + 1, PM_MODE_BULK, NULL),
                     PM_ERROR_ARGUMENT);
    assert_int_equal(run_job(driver, &tree_kernel, START, 3, PM_MODE_MAKE, NULL),
                     PM_ERROR_UNSUPPORTED);
    assert_int_equal(run_job(driver, &tree_kernel, START, 3, PM_MODE_UNIQUE, NULL),
                     PM_ERROR_UNSUPPORTED);
    assert_int_equal(run_job(driver, &tree_kernel, START, PM_JOB_MAX_DEPTH, PM_MODE_BULK, NULL),
                     PM_OK);
    pm_driver_close(driver);
    pm_driver_close(NULL);
}

static void refuses_impossible_threads(void **state)
{
    struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = -1};
    struct pm_driver *driver = NULL;
    struct pm_topology *topology;
    (void)state;
    assert_int_equal(pm_driver_open(&config, &driver, NULL), PM_ERROR_ARGUMENT);
    config.pin.policy = PM_PIN_CORE;
    config.threads = 1;
    assert_int_equal(pm_driver_open(&config, &driver, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_topology_open(&topology, NULL), PM_OK);
    config.topology = topology;
    config.threads = 1000000;
    assert_int_equal(pm_driver_open(&config, &driver, NULL), PM_ERROR_UNSUPPORTED);
    pm_topology_close(topology);
    assert_null(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_counts_as_alone),
        cmocka_unit_test(depth_zero_is_one_leaf),
        cmocka_unit_test(shapes_of_trees),
        cmocka_unit_test(crowded_positions_limit_the_calls),
        cmocka_unit_test(one_root_move_keeps_two_threads_busy),
        cmocka_unit_test(pinned_for_the_run_only),
        cmocka_unit_test(stops_at_once),
        cmocka_unit_test(stopped_before_the_start),
        cmocka_unit_test(kernel_errors_end_the_job),
        cmocka_unit_test(reports_progress),
        cmocka_unit_test(refuses_impossible_jobs),
        cmocka_unit_test(refuses_impossible_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
