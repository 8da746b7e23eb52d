/* SPDX-License-Identifier: MIT */
/* Counting and auditing the items of a store, by threads and by a team. */
#include "core/fen.h"
#include "core/mode.h"
#include "jobs/counting.h"
#include "jobs/item_count.h"
#include "kernels/registry.h"
#include "perft/choose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A count in memory. */
struct bench {
    struct pm_store *store;
    struct pm_items *items;
    struct pm_driver *driver;
    atomic_bool stop;
    struct pm_counting counting;
    struct pm_error error;

    unsigned phases; /* that the team got */
    bool lies;       /* the team's audits do */
};

static void show(void *context, const struct pm_counting_progress *progress)
{
    (void)context;
    assert_true(progress->fraction >= 0 && progress->fraction <= 1.0001);
    assert_true(progress->done <= progress->to_do);
}

static void open_bench(struct bench *bench, int depth, enum pm_split split, double audit)
{
    const struct pm_driver_config two = {.pin = {.policy = PM_PIN_NONE}, .threads = 2};
    const struct pm_kernel *kernel = pm_choose_item_kernel();
    const struct pm_kernel *auditor = pm_choose_auditor(kernel, split == PM_SPLIT_UNIQUE);
    const struct pm_store_run run = {.kernel = kernel->name,
                                     .revision = "",
                                     .mode = "",
                                     .version = "0",
                                     .environment = "",
                                     .source = "",
                                     .threads = 2};
    struct pm_plan plan = {.depth = depth, .split = split};
    struct pm_position position;
    *bench = (struct bench){.store = NULL};
    assert_int_equal(pm_kernel_ready(kernel, &bench->error), PM_OK);
    assert_int_equal(pm_kernel_ready(auditor, &bench->error), PM_OK);
    assert_int_equal(pm_fen_read_named("startpos", 0, &position, NULL, NULL), PM_OK);
    pm_plan_set_position(&plan, &position);
    if (split == PM_SPLIT_POSITIONS) {
        plan.ply = 2;
        assert_int_equal(pm_items_create(&plan, kernel, NULL, &bench->items, NULL), PM_OK);
    } else {
        plan.items = 64;
    }
    assert_int_equal(pm_store_create(":memory:", &plan, bench->items, &bench->store, NULL), PM_OK);
    assert_int_equal(pm_store_begin_run(bench->store, &run, NULL), PM_OK);
    assert_int_equal(pm_driver_open(&two, &bench->driver, NULL), PM_OK);
    bench->counting.config = (struct pm_counting_config){
        .store = bench->store,
        .items = bench->items,
        .kernel = kernel,
        .auditor = auditor,
        .last = plan.items - 1,
        .audit = audit,
        .seed = 1,
        .memory = 64 << 20,
        .stop = &bench->stop,
        .driver = bench->driver,
        .progress = show,
        .context = bench,
    };
}

static void close_bench(struct bench *bench)
{
    pm_driver_close(bench->driver);
    assert_int_equal(pm_store_close(bench->store, NULL), PM_OK);
    pm_items_destroy(bench->items);
}

static uint32_t audited(struct bench *bench)
{
    struct pm_store_summary summary;
    assert_int_equal(pm_store_summarize(bench->store, &summary, NULL), PM_OK);
    return summary.audited;
}

static void expect_total(struct bench *bench, uint64_t nodes)
{
    pm_count total;
    assert_int_equal(pm_store_known_count(bench->store), pm_store_plan(bench->store)->items);
    assert_int_equal(pm_store_total(bench->store, &total, NULL), PM_OK);
    assert_true(total == nodes);
}

static void run(struct bench *bench)
{
    if (pm_counting_run(&bench->counting, &bench->error) != PM_OK)
        fail_msg("%s", bench->error.text);
}

static void positions_by_threads(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench, 4, PM_SPLIT_POSITIONS, 25);
    bench.counting.config.last = 99;
    run(&bench);
    assert_int_equal(pm_store_known_count(bench.store), 100);
    bench.counting.config.last = 399;
    run(&bench);
    expect_total(&bench, 197281);
    assert_int_equal(audited(&bench), 100);
    close_bench(&bench);
}

static void lists_by_threads(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench, 6, PM_SPLIT_UNIQUE, 50);
    if (pm_kernel_offers(bench.counting.config.kernel, PM_MODE_UNIQUE)) {
        run(&bench);
        expect_total(&bench, 119060324);
        assert_int_equal(audited(&bench), 32);
        assert_int_equal(bench.counting.distinct[2], 400);
        assert_true(bench.counting.error_probability >= 0);
    }
    close_bench(&bench);
}

static void a_stop_keeps_what_is_finished(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench, 4, PM_SPLIT_POSITIONS, 0);
    bench.counting.config.last = 9;
    run(&bench);
    atomic_store(&bench.stop, true);
    bench.counting.config.last = 399;
    assert_int_equal(pm_counting_run(&bench.counting, &bench.error), PM_ERROR_INTERRUPTED);
    assert_int_equal(pm_store_known_count(bench.store), 10);
    close_bench(&bench);
}

/* Counts each item of the phase, in this process. */
static enum pm_status run_team(void *context, struct pm_counting *counting, struct pm_error *error)
{
    struct bench *bench = context;
    const bool is_audit = counting->progress.is_audit;
    const struct pm_plan *plan = pm_store_plan(bench->store);
    enum pm_status status = PM_OK;
    uint32_t done = 0;
    bench->phases |= 1U << is_audit;
    for (uint32_t item = 0; item < plan->items && status == PM_OK; item++) {
        const struct pm_item_job job = {
            .driver = bench->driver,
            .kernel = is_audit ? counting->config.auditor : counting->config.kernel,
            .position = pm_items_position(bench->items, item),
            .depth = plan->depth - plan->ply,
        };
        struct pm_item_result result;
        if (!pm_counting_is_to_do(counting, item))
            continue;
        assert_int_equal(pm_item_count(&job, &result, error), PM_OK);
        const struct pm_store_count count = {
            .item = item, .nodes = result.nodes + (is_audit && bench->lies), .seconds = -1};
        status = pm_counting_record(counting, is_audit, &count, error);
        done++;
    }
    assert_true(status != PM_OK || done == counting->progress.to_do);
    return status;
}

static void a_team_counts_then_audits(void **state)
{
    struct bench bench;
    const struct pm_counting_team team = {.run = run_team, .context = &bench};
    (void)state;
    open_bench(&bench, 4, PM_SPLIT_POSITIONS, 10);
    bench.counting.config.team = &team;
    run(&bench);
    expect_total(&bench, 197281);
    assert_int_equal(bench.phases, 3);
    assert_int_equal(audited(&bench), 40);
    bench.phases = 0;
    run(&bench); /* nothing is left */
    assert_int_equal(bench.phases, 0);
    close_bench(&bench);
}

/* And once it did, the count ends at once, until audits look at it again. */
static void an_audit_that_differs_ends_it(void **state)
{
    struct bench bench;
    const struct pm_counting_team team = {.run = run_team, .context = &bench};
    (void)state;
    open_bench(&bench, 4, PM_SPLIT_POSITIONS, 10);
    bench.counting.config.team = &team;
    bench.lies = true;
    assert_int_equal(pm_counting_run(&bench.counting, &bench.error), PM_ERROR_MISMATCH);
    bench.counting.config.audit = 0;
    bench.phases = 0;
    assert_int_equal(pm_counting_run(&bench.counting, &bench.error), PM_ERROR_MISMATCH);
    assert_int_equal(bench.phases, 0);
    bench.counting.config.audit = 10;
    bench.lies = false;
    run(&bench);
    assert_int_equal(audited(&bench), 40);
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_by_threads),
        cmocka_unit_test(lists_by_threads),
        cmocka_unit_test(a_stop_keeps_what_is_finished),
        cmocka_unit_test(a_team_counts_then_audits),
        cmocka_unit_test(an_audit_that_differs_ends_it),
    };
    return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
