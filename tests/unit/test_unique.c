/* SPDX-License-Identifier: MIT */
/* Counting by distinct positions gives what counting the whole tree gives, and what counting with a
 * transposition table gives, at the positions of the suites: with each kernel that has an expander,
 * at each level of instruction sets, in little memory and by whole positions, whole or in parts.
 * Usage: test_unique [LEAVES], where LEAVES bounds the trees that are counted. */
#include "core/cpu.h"
#include "core/epd.h"
#include "core/fen.h"
#include "core/position.h"
#include "core/state.h"
#include "kernels/registry.h"
#include "perft/driver.h"
#include "perft/hashed.h"
#include "perft/table.h"
#include "perft/unique.h"
#include "tests/unit/size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#define ROOMY ((uint64_t)256 << 20)
#define TIGHT ((uint64_t)16 << 20)
#define SHORT_LEAVES 1e5
#define SLOW_LEAVES 1e8
#define SMALL_LEAVES 2000.
#define DEPTHS 7 /* 0 to 6 */

static double leaves_max = SHORT_LEAVES;
static struct pm_driver *driver;
static const struct pm_kernel *witness, *expanders[PM_KERNELS_MAX];
static unsigned expander_count;
static const struct pm_unique_level *level; /* NULL: the usual one */

static pm_count by_tree(const struct pm_position *position, int depth)
{
    static struct pm_job_result result;
    struct pm_error error;
    const struct pm_job job = {
        .kernel = witness, .position = position, .depth = depth, .mode = PM_MODE_BULK};
    if (pm_driver_run(driver, &job, &result, &error) != PM_OK)
        fail_msg("%s", error.text);
    return result.nodes;
}

static pm_count by_hash(const struct pm_kernel *kernel, const struct pm_position *position,
                        int depth)
{
    static struct pm_job_result counts;
    struct pm_hashed_result result;
    struct pm_error error;
    const struct pm_job job = {.kernel = kernel, .position = position, .depth = depth};
    const struct pm_hashed_job hashed = {
        .driver = driver, .job = &job, .hash_bytes = TIGHT, .check_bits = PM_TABLE_CHECK_BITS};
    if (pm_hashed_run(&hashed, &counts, &result, &error) != PM_OK)
        fail_msg("%s", error.text);
    return counts.nodes;
}

static struct pm_unique_job job_of(const struct pm_kernel *kernel,
                                   const struct pm_position *position, int depth)
{
    return (struct pm_unique_job){.driver = driver,
                                  .kernel = kernel,
                                  .position = position,
                                  .depth = depth,
                                  .plan = {8},
                                  .seed = 1,
                                  .memory = ROOMY,
                                  .level = level};
}

static pm_count run(const struct pm_unique_job *job, struct pm_unique_result *result)
{
    struct pm_error error;
    if (pm_unique_run(job, result, &error) != PM_OK)
        fail_msg("%s", error.text);
    return result->nodes;
}

static void expect_way(pm_count got, pm_count expected, const struct pm_unique_job *job,
                       const char *way)
{
    char fen[PM_FEN_SIZE], texts[2][PM_COUNT_TEXT_SIZE];
    if (got == expected)
        return;
    pm_fen_write(job->position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    fail_msg("%s%s, depth %d of %s: %s, not %s", job->kernel->name, way, job->depth, fen,
             pm_count_to_text(got, texts[0]), pm_count_to_text(expected, texts[1]));
}

static void expect(pm_count got, pm_count expected, const struct pm_unique_job *job)
{
    expect_way(got, expected, job, job->exact ? ", exact" : "");
}

/* The deepest from 3 to 6 with so many leaves; 0 if there is none. */
static int depth_for(const struct pm_position *position, pm_count *leaves)
{
    int depth = 0;
    for (int next = 3; next <= 6; next++) {
        const pm_count counted = by_tree(position, next);
        if (pm_count_to_double(counted) > leaves_max)
            break;
        depth = next;
        *leaves = counted;
        if (pm_count_to_double(counted) * 8 > leaves_max)
            break;
    }
    return depth;
}

/* Counts the positions that are compared in checked[depth]. */
static void check_suite(const char *name, unsigned checked[DEPTHS])
{
    char path[512];
    struct pm_suite suite;
    struct pm_error error;
    snprintf(path, sizeof path, "%s/verify/suites/%s.epd", PM_SOURCE_DIR, name);
    if (pm_suite_read_file(path, &suite, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < suite.entry_count; i++) {
        const struct pm_position *position = &suite.entries[i].position;
        struct pm_unique_result result;
        pm_count leaves = 0;
        const int depth = depth_for(position, &leaves);
        struct pm_unique_job job = job_of(expanders[i % expander_count], position, depth);
        if (depth == 0)
            continue;
        expect(run(&job, &result), leaves, &job);
        job.exact = true;
        job.memory = TIGHT;
        job.kernel = expanders[(i + 1) % expander_count];
        expect(run(&job, &result), leaves, &job);
        job.kernel = expanders[(i + 2) % expander_count];
        expect_way(by_hash(job.kernel, position, depth), leaves, &job, ", hashed");
        checked[depth]++;
    }
    pm_suite_free(&suite);
}

static void suites_agree(void **state)
{
    static const char *const suites[] = {
        "smoke",     "chess960",     "tricky",          "bugs",       "aimed", "standard",
        "generated", "generated960", "chess960_starts", "unreachable"};
    unsigned checked[DEPTHS] = {0};
    (void)state;
    const size_t count = test_size(sizeof suites / sizeof suites[0], 2);
    for (size_t i = 0; i < count; i++)
        check_suite(suites[i], checked);
    print_message("positions compared at depth 3: %u, 4: %u, 5: %u, 6: %u\n", checked[3],
                  checked[4], checked[5], checked[6]);
    const unsigned deeper = checked[4] + checked[5] + checked[6];
    assert_true(checked[3] + deeper > (leaves_max < SHORT_LEAVES ? 20 : 2000));
    assert_true(leaves_max < SLOW_LEAVES || deeper > 2000);
}

static void distinct_positions_are_known(void **state)
{
    static const uint64_t distinct[] = {1, 20, 400, 5362, 72078};
    struct pm_position position;
    struct pm_unique_result result;
    (void)state;
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    for (unsigned i = 0; i < expander_count; i++) {
        struct pm_unique_job job = job_of(expanders[i], &position, 7);
        job.lists_only = true;
        assert_true(run(&job, &result) == 0);
        assert_int_equal(result.distinct_count, 5);
        assert_memory_equal(result.distinct, distinct, sizeof distinct);
    }
}

/* A kernel that makes moves itself is not asked for sets that others would make moves of. */
static void expand_nothing(const struct pm_bitboards *board, enum pm_color us,
                           struct pm_expansion *expansion)
{
    (void)board;
    (void)us;
    pm_expansion_clear(expansion);
}

static void a_maker_makes_all_moves(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    const struct pm_kernel *magic = pm_kernel_find("magic");
    struct pm_kernel maker = *magic;
    struct pm_expander expander = *magic->expander;
    struct pm_unique_job job = job_of(&maker, &position, 5);
    (void)state;
    assert_non_null(expander.visit_children);
    expander.expand = expand_nothing;
    maker.expander = &expander;
    assert_int_equal(pm_fen_read(KIWIPETE, 0, &position, NULL, NULL), PM_OK);
    for (int i = 0; i < 2; i++) {
        job.exact = i == 1;
        expect(run(&job, &result), 193690690, &job);
    }
    expander.visit_children = NULL;
    assert_true(run(&job, &result) != 193690690);
}

static int compare_boards(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct pm_bitboards));
}

/* The distinct positions after one more ply, by playing; the first *count of `boards` are replaced.
 */
static struct pm_bitboards *play_on(struct pm_bitboards *boards, size_t *count, enum pm_color us)
{
    struct pm_bitboards *next = NULL;
    size_t made = 0, distinct = 0;
    void *parent = pm_new_state(witness), *child = pm_new_state(witness);
    for (size_t i = 0; i < *count; i++) {
        struct pm_position position = pm_bitboards_position(&boards[i], us);
        struct pm_move moves[PM_MAX_MOVES];
        unsigned move_count;
        assert_int_equal(witness->set_position(parent, &position), PM_OK);
        assert_int_equal(witness->legal_moves(parent, moves, &move_count), PM_OK);
        next = realloc(next, (made + move_count + 1) * sizeof *next);
        assert_non_null(next);
        for (unsigned j = 0; j < move_count; j++) {
            memcpy(child, parent, witness->state_size);
            assert_int_equal(witness->play(child, &moves[j]), PM_OK);
            assert_int_equal(witness->get_position(child, &position), PM_OK);
            pm_position_canonicalize(&position);
            next[made++] = pm_bitboards_of(&position);
        }
    }
    qsort(next, made, sizeof *next, compare_boards);
    for (size_t i = 0; i < made; i++)
        if (i == 0 || compare_boards(&next[i], &next[i - 1]) != 0)
            next[distinct++] = next[i];
    free(parent);
    free(child);
    free(boards);
    *count = distinct;
    return next;
}

/* Rights that are lost on the way, en passant squares without a capture, promotions. */
static void distinct_positions_are_those_of_playing(void **state)
{
    static const char *const fens[] = {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                                       "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                                       "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"};
    (void)state;
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        struct pm_position position;
        struct pm_unique_result result;
        size_t count = 1;
        struct pm_bitboards *boards = malloc(sizeof *boards);
        assert_int_equal(pm_fen_read(fens[i], 0, &position, NULL, NULL), PM_OK);
        boards[0] = pm_bitboards_of(&position);
        struct pm_unique_job job = job_of(expanders[i % expander_count], &position, 6);
        job.lists_only = true;
        run(&job, &result);
        assert_int_equal(result.distinct_count, 4);
        for (int ply = 1; ply < result.distinct_count; ply++) {
            boards =
                play_on(boards, &count, (enum pm_color)((position.side_to_move + ply - 1) % 2));
            assert_int_equal(result.distinct[ply], count);
        }
        free(boards);
    }
}

/* Slow: to ply 8, in passes. */
static void many_distinct_positions_are_known(void **state)
{
    static const uint64_t distinct[] = {1,      20,      400,      5362,     72078,
                                        822518, 9417681, 96400068, 988187354};
    struct pm_position position;
    struct pm_unique_result result;
    (void)state;
    if (leaves_max < SLOW_LEAVES)
        skip();
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[expander_count - 1], &position, 11);
    job.plan.items = 1024;
    job.memory = (uint64_t)8 << 30;
    job.lists_only = true;
    run(&job, &result);
    assert_int_equal(result.distinct_count, sizeof distinct / sizeof distinct[0]);
    assert_memory_equal(result.distinct, distinct, sizeof distinct);
}

/* Small memory forces several passes over the list before the last. */
static void passes_add_up(void **state)
{
    struct pm_position position;
    struct pm_unique_result whole, passes;
    (void)state;
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[0], &position, 8);
    job.plan.items = 64;
    expect(run(&job, &whole), 84998978956, &job);
    job.memory = (uint64_t)36 << 20;
    expect(run(&job, &passes), 84998978956, &job);
    assert_int_equal(whole.distinct_count, passes.distinct_count);
    assert_memory_equal(whole.distinct, passes.distinct, sizeof whole.distinct);
    assert_true(passes.memory < whole.memory);
}

struct ledger {
    pm_count items[64];
    unsigned reported;
    bool is_second;
    atomic_bool stop;
};

static bool is_known(void *context, unsigned item)
{
    const struct ledger *ledger = context;
    return ledger->is_second && ledger->items[item] != 0;
}

static enum pm_status finished(void *context, unsigned item, pm_count nodes, struct pm_error *error)
{
    struct ledger *ledger = context;
    (void)error;
    assert_true(ledger->items[item] == 0);
    ledger->items[item] = nodes;
    if (++ledger->reported == 20)
        atomic_store(&ledger->stop, true);
    return PM_OK;
}

/* Stopped in the middle and gone on with by another kernel and seed: each item once, the sum right.
 */
static void items_add_up(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    struct pm_error error;
    static struct ledger ledger;
    pm_count sum = 0;
    (void)state;
    ledger = (struct ledger){.reported = 0};
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[0], &position, 7);
    job.plan.items = 64;
    job.is_known = is_known;
    job.finished = finished;
    job.context = &ledger;
    job.stop = &ledger.stop;
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_INTERRUPTED);
    assert_true(ledger.reported >= 20 && ledger.reported < 64);

    atomic_store(&ledger.stop, false);
    ledger.is_second = true;
    ledger.reported += 64; /* never stops again */
    job.kernel = expanders[expander_count - 1];
    job.seed = 2;
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_OK);
    assert_int_equal(ledger.reported, 128);
    for (unsigned i = 0; i < 64; i++)
        sum += ledger.items[i];
    expect(sum, 3195901860, &job);
}

static void bad_jobs_are_refused(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    struct pm_error error;
    (void)state;
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[0], &position, 2);
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_ARGUMENT);
    job = job_of(expanders[0], &position, 5);
    job.plan.items = 3;
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_ARGUMENT);
    job = job_of(pm_kernel_find("mailbox"), &position, 5);
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_UNSUPPORTED);
    job = job_of(expanders[0], &position, 9);
    job.plan.items = 1;
    job.memory = TIGHT;
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_MEMORY);
}

/* Nearly 300 quiet moves: more than the moves of any position that a game reaches. */
static void many_quiet_moves_are_counted(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    (void)state;
    assert_int_equal(pm_fen_read("kBQQQQQQ/Bp5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1",
                                 PM_FEN_LENIENT, &position, NULL, NULL),
                     PM_OK);
    for (unsigned i = 0; i < expander_count; i++) {
        const struct pm_unique_job job = job_of(expanders[i], &position, 3);
        expect(run(&job, &result), 158634, &job);
    }
}

static enum pm_status refuse_item(void *context, unsigned item, pm_count nodes,
                                  struct pm_error *error)
{
    unsigned *calls = context;
    (void)item;
    (void)nodes;
    return ++*calls == 3 ? pm_fail(error, PM_ERROR_MEMORY, "no room in the ledger") : PM_OK;
}

/* An item that could not be reported ends the job, whatever the reason: nothing is tried again. */
static void a_failed_report_ends_the_job(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    struct pm_error error;
    unsigned calls = 0;
    (void)state;
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[0], &position, 6);
    job.plan.items = 64;
    job.finished = refuse_item;
    job.context = &calls;
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_MEMORY);
    assert_string_equal(error.text, "no room in the ledger");
    assert_true(calls < 10);
}

/* Two kings and little else: multiplicities grow past 2^64, which must be noticed. */
static void overflow_is_noticed(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    struct pm_error error;
    (void)state;
    assert_int_equal(pm_fen_read("8/8/8/3k4/8/8/3K4/8 w - - 0 1", 0, &position, NULL, NULL), PM_OK);
    struct pm_unique_job job = job_of(expanders[0], &position, 40);
    assert_int_equal(pm_unique_run(&job, &result, &error), PM_ERROR_OVERFLOW);
    job.depth = 8;
    expect(run(&job, &result), by_tree(&position, 8), &job);
}

static void kiwipete_is_counted(void **state)
{
    struct pm_position position;
    struct pm_unique_result result;
    (void)state;
    assert_int_equal(
        pm_fen_read("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 0,
                    &position, NULL, NULL),
        PM_OK);
    const struct pm_unique_job job = job_of(expanders[0], &position, 5);
    expect(run(&job, &result), 193690690, &job);
}

/* Each level that runs here, down from the one that all other tests use. The last of all, as what
 * is chosen stays so. */
static void levels_of_instructions_agree(void **state)
{
    unsigned levels = 0;
    (void)state;
    leaves_max = leaves_max < SHORT_LEAVES ? leaves_max : SHORT_LEAVES;
    for (level = pm_unique_levels; level->name != NULL; level++) {
        unsigned checked[DEPTHS] = {0};
        if ((level->cpu_required & ~pm_cpu_features()) != 0)
            continue;
        kiwipete_is_counted(state);
        many_quiet_moves_are_counted(state);
        distinct_positions_are_known(state);
        check_suite("smoke", checked);
        check_suite("chess960", checked);
        assert_true(checked[3] + checked[4] + checked[5] + checked[6] > test_size(100, 20));
        levels++;
    }
    print_message("levels of instruction sets: %u\n", levels);
    assert_true(levels >= 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_positions_are_known),
        cmocka_unit_test(distinct_positions_are_those_of_playing),
        cmocka_unit_test(many_distinct_positions_are_known),
        cmocka_unit_test(kiwipete_is_counted),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(items_add_up),
        cmocka_unit_test(a_maker_makes_all_moves),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(many_quiet_moves_are_counted),
        cmocka_unit_test(a_failed_report_ends_the_job),
        cmocka_unit_test(overflow_is_noticed),
        cmocka_unit_test(suites_agree),
        cmocka_unit_test(levels_of_instructions_agree),
    };
    const struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = 2};
    if (test_is_small())
        leaves_max = SMALL_LEAVES;
    if (argc > 1)
        leaves_max = strtod(argv[1], NULL);
    witness = pm_kernel_find("magic");
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if ((*kernel)->expander != NULL && pm_kernel_missing(*kernel) == 0 &&
            (*kernel)->init() == PM_OK)
            expanders[expander_count++] = *kernel;
    if (witness == NULL || witness->init() != PM_OK ||
        pm_driver_open(&config, &driver, NULL) != PM_OK)
        return 1;
    if (expander_count == 0)
        return 0; /* no kernel here offers what is tested */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pm_driver_close(driver);
    return failed;
}
