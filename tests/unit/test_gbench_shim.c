/* SPDX-License-Identifier: MIT */
/* Google Benchmark from C. */
#include "bench/gbench_shim.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void count_rounds(struct pm_gbench_state *state, void *context)
{
    uint64_t *rounds = context;
    double total = 0;
    while (pm_gbench_keep_running(state)) {
        ++*rounds;
        total += 3;
    }
    pm_gbench_set_rate(state, "things", total);
}

static void count_batches(struct pm_gbench_state *state, void *context)
{
    uint64_t *rounds = context;
    while (pm_gbench_keep_running_batch(state, 1000))
        *rounds += 1000;
}

static void give_up(struct pm_gbench_state *state, void *context)
{
    (void)context;
    pm_gbench_skip(state, "nothing to do");
    while (pm_gbench_keep_running(state))
        fail_msg("a skipped run went on");
}

static int clear(void **state)
{
    (void)state;
    pm_gbench_clear();
    return 0;
}

static void add(const char *name, pm_gbench_function function, void *context)
{
    assert_int_equal(pm_gbench_register(name, function, context, NULL), PM_OK);
}

static const struct pm_gbench_options quick = {.min_seconds = 0.001};

/* Runs what is registered and returns the JSON, which the caller gives back. */
static json_t *run(const struct pm_gbench_options *options, size_t expected_runs,
                   size_t expected_failures)
{
    struct pm_gbench_outcome outcome;
    struct pm_error error = {0};
    if (pm_gbench_run(options, &outcome, &error) != PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(outcome.run, expected_runs);
    assert_int_equal(outcome.failed, expected_failures);
    json_t *root = json_loads(outcome.json, 0, NULL);
    free(outcome.json);
    assert_non_null(root);
    return root;
}

static const json_t *entry(const json_t *root, size_t index, const char *key)
{
    return json_object_get(json_array_get(json_object_get(root, "benchmarks"), index), key);
}

static void runs_with_its_context_and_counts(void **state)
{
    uint64_t rounds = 0, batched = 0;
    (void)state;
    add("rounds/one", count_rounds, &rounds);
    add("batches", count_batches, &batched);
    json_t *root = run(&quick, 2, 0);
    assert_true(rounds >= 1);
    assert_true(batched >= 1000 && batched % 1000 == 0);
    assert_string_equal(json_string_value(entry(root, 0, "name")), "rounds/one");
    assert_string_equal(json_string_value(entry(root, 1, "name")), "batches");
    assert_true(json_integer_value(entry(root, 0, "iterations")) <= (json_int_t)rounds);
    assert_true(json_number_value(entry(root, 0, "real_time")) > 0);
    /* A rate: three things each round, however long a round takes. */
    const double seconds_a_round = json_number_value(entry(root, 0, "cpu_time")) * 1e-9;
    const double things = json_number_value(entry(root, 0, "things")) * seconds_a_round;
    assert_true(things > 2.9 && things < 3.1);
    json_decref(root);
}

static void filter_chooses(void **state)
{
    uint64_t wanted = 0, unwanted = 0;
    struct pm_gbench_options options = quick;
    (void)state;
    options.filter = "^play/";
    add("play/x", count_rounds, &wanted);
    add("replay/x", count_rounds, &unwanted);
    json_decref(run(&options, 1, 0));
    assert_true(wanted > 0);
    assert_int_equal(unwanted, 0);
}

static void assert_refused(const struct pm_gbench_options *options, const char *expected)
{
    struct pm_gbench_outcome outcome;
    struct pm_error error = {0};
    assert_int_equal(pm_gbench_run(options, &outcome, &error), PM_ERROR_ARGUMENT);
    assert_null(strchr(error.text, '\n'));
    if (strstr(error.text, expected) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, expected);
}

static void bad_options(void **state)
{
    uint64_t rounds = 0;
    (void)state;
    add("rounds", count_rounds, &rounds);
    assert_refused(&(struct pm_gbench_options){.filter = "nowhere", .min_seconds = 0.001},
                   "\"nowhere\"");
    assert_refused(&(struct pm_gbench_options){.filter = "(", .min_seconds = 0.001}, "\"(\"");
    assert_refused(&(struct pm_gbench_options){.min_seconds = -1}, "-1 s");
    assert_int_equal(rounds, 0);
}

static void skipped_runs_are_told(void **state)
{
    uint64_t rounds = 0;
    (void)state;
    add("skipped", give_up, NULL);
    add("rounds", count_rounds, &rounds);
    json_t *root = run(&quick, 2, 1);
    assert_string_equal(json_string_value(entry(root, 0, "error_message")), "nothing to do");
    assert_true(rounds > 0);
    json_decref(root);
}

static void table_goes_where_it_should(void **state)
{
    uint64_t rounds = 0;
    char *text = NULL;
    size_t size;
    struct pm_gbench_options options = quick;
    (void)state;
    options.out = open_memstream(&text, &size);
    assert_non_null(options.out);
    add("a_name_to_find", count_rounds, &rounds);
    json_decref(run(&options, 1, 0));
    fclose(options.out);
    assert_non_null(strstr(text, "a_name_to_find"));
    assert_non_null(strstr(text, "things"));
    free(text);
}

static void context_is_kept(void **state)
{
    uint64_t rounds = 0;
    (void)state;
    assert_int_equal(pm_gbench_add_context("revision", "12ab", NULL), PM_OK);
    add("rounds", count_rounds, &rounds);
    json_t *root = run(&quick, 1, 0);
    const json_t *context = json_object_get(root, "context");
    assert_string_equal(json_string_value(json_object_get(context, "revision")), "12ab");
    json_decref(root);
}

static void cleared_are_gone(void **state)
{
    uint64_t rounds = 0;
    (void)state;
    add("rounds", count_rounds, &rounds);
    pm_gbench_clear();
    assert_refused(&quick, "matches no benchmark");
    assert_int_equal(rounds, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs_with_its_context_and_counts, clear),
        cmocka_unit_test_teardown(filter_chooses, clear),
        cmocka_unit_test_teardown(bad_options, clear),
        cmocka_unit_test_teardown(skipped_runs_are_told, clear),
        cmocka_unit_test_teardown(table_goes_where_it_should, clear),
        cmocka_unit_test_teardown(context_is_kept, clear),
        cmocka_unit_test_teardown(cleared_are_gone, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
