/* SPDX-License-Identifier: MIT */
/* Hashed counting against the known counts of the suites, with every kernel that can, in a table so
 * small that entries are overwritten all the time and in a roomy one; and the errors it must see.
 */
#include "core/epd.h"
#include "core/fen.h"
#include "core/mode.h"
#include "kernels/registry.h"
#include "perft/hashed.h"
#include "perft/walker.h"
#include "tests/unit/size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".epd"
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
/* So many queens that two plies have more than 2^16 leaves. */
#define QUEENS "1QQQQQQ1/QQQQQQQQ/8/QQQQQQQQ/8/k6K/8/8 b - - 0 1"

#define TINY ((uint64_t)16 << 10)
#define ROOMY ((uint64_t)1 << 20)
/* Rows with more leaves are left out. */
#define LEAVES_MAX test_size(600000, 20000)

/* How each row of a suite is counted. */
struct way {
    uint64_t hash_bytes;
    int threads;
    bool double_check;
};
static const struct way ways[] = {{TINY, 1, false}, {ROOMY, 2, true}};
enum { WAY_COUNT = sizeof ways / sizeof ways[0] };

static struct pm_driver *drivers[2]; /* of one thread and of two */
static const struct pm_kernel *tested[PM_KERNELS_MAX];
static unsigned tested_count;

static struct pm_job_result counts, driver_counts; /* too large for the stack's taste */
static struct pm_hashed_result result;

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = i + 1};
        if (pm_driver_open(&config, &drivers[i], NULL) != PM_OK)
            return -1;
    }
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (pm_kernel_missing(*kernel) == 0 && pm_kernel_offers(*kernel, PM_MODE_HASHED) &&
            (*kernel)->init() == PM_OK)
            tested[tested_count++] = *kernel;
    return tested_count > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pm_driver_close(drivers[0]);
    pm_driver_close(drivers[1]);
    return 0;
}

static struct pm_position position_of(const char *fen)
{
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, NULL), PM_OK);
    return position;
}

static enum pm_status count(const struct pm_kernel *kernel, const struct pm_position *position,
                            int depth, const struct way *way, unsigned check_bits,
                            struct pm_error *error)
{
    const struct pm_job job = {.kernel = kernel, .position = position, .depth = depth};
    const struct pm_hashed_job hashed = {.driver = drivers[way->threads - 1],
                                         .job = &job,
                                         .hash_bytes = way->hash_bytes,
                                         .check_bits = check_bits,
                                         .double_check = way->double_check};
    return pm_hashed_run(&hashed, &counts, &result, error);
}

static void check_count(const struct pm_kernel *kernel, const struct pm_position *position,
                        int depth, pm_count expected)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        struct pm_error error = {0};
        if (count(kernel, position, depth, &ways[i], PM_TABLE_CHECK_BITS, &error) != PM_OK)
            fail_msg("%s: %s", kernel->name, error.text);
        if (counts.nodes != expected) {
            char fen[PM_FEN_SIZE], counted[PM_COUNT_TEXT_SIZE];
            fail_msg("%s, way %d: perft(%d) of %s is %s", kernel->name, i, depth,
                     pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen),
                     pm_count_to_text(counts.nodes, counted));
        }
    }
}

/* The deepest row of 3 to 5 plies that is not too large. Returns whether there is one. */
static bool check_entry(const struct pm_suite_entry *entry)
{
    const struct pm_suite_count *row = NULL;
    for (unsigned i = 0; i < entry->count_count; i++)
        if (entry->counts[i].depth >= 3 && entry->counts[i].depth <= 5 &&
            entry->counts[i].nodes <= LEAVES_MAX)
            row = &entry->counts[i];
    for (unsigned i = 0; row != NULL && i < tested_count; i++)
        check_count(tested[i], &entry->position, row->depth, row->nodes);
    return row != NULL;
}

static void check_suite(const char *path)
{
    struct pm_suite suite = {0};
    struct pm_error error;
    size_t checked = 0;
    if (pm_suite_read_file(path, &suite, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < suite.entry_count; i++)
        checked += check_entry(&suite.entries[i]);
    print_message("%s: %zu of %zu positions, %u kernels\n", suite.name, checked, suite.entry_count,
                  tested_count);
    assert_true(checked > suite.entry_count * test_size(9, 4) / 10);
    pm_suite_free(&suite);
}

static void standard(void **state)
{
    (void)state;
    check_suite(SUITE("standard"));
}

static void tricky(void **state)
{
    (void)state;
    check_suite(SUITE("tricky"));
}

static void chess960(void **state)
{
    (void)state;
    check_suite(SUITE("chess960"));
}

static void deeper(void **state)
{
    const struct pm_position start = position_of(START), kiwipete = position_of(KIWIPETE);
    (void)state;
    for (unsigned i = 0; i < tested_count; i++) {
        if (!test_is_small())
            check_count(tested[i], &start, 6, 119060324);
        check_count(tested[i], &start, 5, 4865609);
        check_count(tested[i], &kiwipete, test_is_small() ? 4 : 5, test_size(193690690, 4085603));
    }
}

/* Also where the table has nothing to do. */
static void shallow(void **state)
{
    const uint64_t expected[] = {1, 48, 2039, 97862};
    const struct pm_position kiwipete = position_of(KIWIPETE);
    (void)state;
    for (unsigned i = 0; i < tested_count; i++)
        for (int depth = 0; depth <= 3; depth++)
            check_count(tested[i], &kiwipete, depth, expected[depth]);
}

/* Mates and stalemates have no moves, and are in the table as such. */
static void ends(void **state)
{
    const struct pm_position mate = position_of("7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    const struct pm_position stalemate = position_of("7k/5Q2/8/8/8/8/8/K7 b - - 0 1");
    const struct pm_position mates = position_of("8/8/8/8/8/k7/p7/K7 w - - 0 1");
    (void)state;
    for (unsigned i = 0; i < tested_count; i++) {
        check_count(tested[i], &mate, 4, 0);
        check_count(tested[i], &stalemate, 4, 0);
        check_count(tested[i], &mates, 5, 0);
    }
}

/* What one thread of a kernel without a table counts below each root move. */
static void check_by_driver(const struct pm_kernel *kernel, const char *fen, int depth)
{
    const struct pm_position position = position_of(fen);
    const struct pm_job job = {
        .kernel = kernel, .position = &position, .depth = depth, .mode = PM_MODE_BULK};
    assert_int_equal(pm_driver_run(drivers[0], &job, &driver_counts, NULL), PM_OK);
    check_count(kernel, &position, depth, driver_counts.nodes);
    assert_int_equal(counts.root_count, driver_counts.root_count);
    for (unsigned i = 0; i < counts.root_count; i++)
        assert_true(counts.roots[i].nodes == driver_counts.roots[i].nodes);
}

static void roots_and_large_counts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < tested_count; i++) {
        check_by_driver(tested[i], KIWIPETE, 4);
        check_by_driver(tested[i], QUEENS, 4);
    }
}

/* With so few bits each count is wrong, and in its own way. */
static void double_check_sees_collisions(void **state)
{
    const struct pm_position kiwipete = position_of(KIWIPETE);
    const struct way once = {ROOMY, 1, false}, twice = {ROOMY, 1, true};
    (void)state;
    for (unsigned i = 0; i < tested_count; i++) {
        struct pm_error error = {0};
        char wrong[PM_COUNT_TEXT_SIZE];
        assert_int_equal(count(tested[i], &kiwipete, 5, &once, 4, &error), PM_OK);
        assert_true(counts.nodes != 193690690);
        assert_true(result.error_probability == 1);
        assert_int_equal(count(tested[i], &kiwipete, 5, &twice, 4, &error), PM_ERROR_MISMATCH);
        pm_count_to_text(counts.nodes, wrong);
        assert_non_null(strstr(error.text, wrong));
    }
}

static void refusals(void **state)
{
    struct pm_kernel unfit = *tested[0];
    const struct pm_position start = position_of(START);
    const struct way huge = {1ULL << 60, 1, false};
    struct pm_error error;
    (void)state;
    assert_int_equal(count(tested[0], &start, 4, &huge, PM_TABLE_CHECK_BITS, &error),
                     PM_ERROR_MEMORY);
    unfit.key = NULL;
    unfit.expander = NULL;
    assert_int_equal(count(&unfit, &start, 4, &ways[0], PM_TABLE_CHECK_BITS, &error),
                     PM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, unfit.name));
}

static void stop_ends_the_count(void **state)
{
    const struct pm_position start = position_of(START);
    atomic_bool stop = true;
    const struct pm_job job = {.kernel = tested[0], .position = &start, .depth = 12, .stop = &stop};
    const struct pm_hashed_job hashed = {
        .driver = drivers[1], .job = &job, .hash_bytes = ROOMY, .check_bits = PM_TABLE_CHECK_BITS};
    (void)state;
    assert_int_equal(pm_hashed_run(&hashed, &counts, &result, NULL), PM_ERROR_INTERRUPTED);
    assert_false(counts.complete);
}

static uint64_t auto_bytes(const char *fen, int depth)
{
    const struct pm_position position = position_of(fen);
    const struct pm_job job = {.kernel = tested[0], .position = &position, .depth = depth};
    uint64_t bytes;
    assert_int_equal(pm_hashed_auto_bytes(&job, &bytes, NULL), PM_OK);
    return bytes;
}

static void auto_follows_the_tree(void **state)
{
    const uint64_t mib = 1 << 20;
    (void)state;
    assert_int_equal(auto_bytes(START, 3), mib);
    assert_int_equal(auto_bytes(KIWIPETE, 0), mib);
    /* 9,417,681 distinct positions six plies from the start. */
    const uint64_t eight = auto_bytes(START, 8);
    assert_true(eight >= 10 * mib && eight <= 150 * mib);
    assert_true(auto_bytes(START, 9) > 5 * eight);
    assert_true(auto_bytes("8/8/8/8/8/k7/p7/K7 w - - 0 1", 30) == mib);
}

/* ---- Walkers ---- */

enum { STATE_MAX = 4096 };

struct state {
    _Alignas(64) unsigned char bytes[STATE_MAX];
};

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The children of the node at `level`, which state stands for, have the keys that their states give
 * from scratch. */
static void check_keys(struct pm_walker *walker, struct pm_walker *scratch, int level,
                       const struct state *state)
{
    static struct pm_move moves[PM_MAX_MOVES];
    static uint64_t listed[PM_MAX_MOVES], expected[PM_MAX_MOVES];
    const struct pm_kernel *kernel = walker->kernel;
    struct state child;
    unsigned move_count;
    assert_int_equal(kernel->legal_moves(state, moves, &move_count), PM_OK);
    assert_int_equal(walker->kind->list(walker, level), PM_OK);
    assert_int_equal(walker->children[level].count, move_count);
    for (unsigned i = 0; i < move_count; i++) {
        child = *state;
        assert_int_equal(kernel->play(&child, &moves[i]), PM_OK);
        assert_int_equal(scratch->kind->set_root(scratch, &child), PM_OK);
        expected[i] = scratch->root_key;
        listed[i] = walker->children[level].keys[i];
    }
    qsort(listed, move_count, sizeof listed[0], compare_keys);
    qsort(expected, move_count, sizeof expected[0], compare_keys);
    for (unsigned i = 0; i < move_count; i++)
        assert_int_equal(listed[i], expected[i]);
}

/* The same for the node, and for each of its children down to max_level. A child's state is found
 * by its key. */
static void walk(struct pm_walker *walker, struct pm_walker *scratch, int level, int max_level,
                 const struct state *state)
{
    const struct pm_kernel *kernel = walker->kernel;
    struct pm_move *moves = malloc(PM_MAX_MOVES * sizeof *moves);
    unsigned move_count;
    check_keys(walker, scratch, level, state);
    assert_non_null(moves);
    assert_int_equal(kernel->legal_moves(state, moves, &move_count), PM_OK);
    for (unsigned i = 0; i < move_count && level < max_level; i++) {
        struct state child = *state;
        unsigned number = 0;
        assert_int_equal(kernel->play(&child, &moves[i]), PM_OK);
        assert_int_equal(scratch->kind->set_root(scratch, &child), PM_OK);
        while (walker->children[level].keys[number] != scratch->root_key)
            number++;
        assert_int_equal(walker->kind->descend(walker, level, number), PM_OK);
        walk(walker, scratch, level + 1, max_level, &child);
    }
    free(moves);
}

static void check_walker(struct pm_walker *walker, struct pm_walker *scratch,
                         const struct pm_suite *suite)
{
    assert_true(walker != NULL && scratch != NULL);
    assert_true(walker->kernel->state_size <= STATE_MAX);
    for (size_t i = 0; i < suite->entry_count; i++) {
        struct state state;
        assert_int_equal(walker->kernel->set_position(&state, &suite->entries[i].position), PM_OK);
        assert_int_equal(walker->kind->set_root(walker, &state), PM_OK);
        walk(walker, scratch, 0, 1, &state);
    }
    free(walker);
    free(scratch);
}

/* Each kind of keys that a kernel can be walked with. */
static void check_walkers(const char *path)
{
    struct pm_suite suite = {0};
    struct pm_error error;
    if (pm_suite_read_file(path, &suite, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (unsigned i = 0; i < tested_count; i++) {
        const struct pm_kernel *kernel = tested[i];
        if (kernel->expander != NULL)
            check_walker(pm_board_walker_create(kernel, 3), pm_state_walker_create(kernel, 3),
                         &suite);
        else
            check_walker(pm_state_walker_create(kernel, 0), pm_state_walker_create(kernel, 0),
                         &suite);
    }
    pm_suite_free(&suite);
}

static void keys_follow_the_moves(void **state)
{
    (void)state;
    if (!test_is_small())
        check_walkers(SUITE("standard"));
    check_walkers(SUITE("tricky"));
    check_walkers(SUITE("aimed"));
    check_walkers(SUITE("smoke"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_follow_the_moves),
        cmocka_unit_test(shallow),
        cmocka_unit_test(ends),
        cmocka_unit_test(standard),
        cmocka_unit_test(tricky),
        cmocka_unit_test(chess960),
        cmocka_unit_test(deeper),
        cmocka_unit_test(roots_and_large_counts),
        cmocka_unit_test(double_check_sees_collisions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(stop_ends_the_count),
        cmocka_unit_test(auto_follows_the_tree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
