/* SPDX-License-Identifier: MIT */
/* Markdown made of results, and put into a file between its markers. */
#include "bench/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOW, FAST, ORACLE, WRONG };

static void add_kernel(struct pm_result *result, const char *name, bool is_reference)
{
    struct pm_result_kernel *kernel = &result->kernels[result->kernel_count++];
    strcpy(kernel->name, name);
    kernel->is_reference = is_reference;
}

/* 1,000,000 nodes a call, two calls; each run takes `seconds`, the last one twice as long. 0
 * seconds stand for a wrong count. */
static void add_measurement(struct pm_result *result, int kernel, int position, double seconds)
{
    struct pm_result_group *group = &result->groups[0];
    const struct pm_measurement facts = {.kernel = kernel,
                                         .position = position,
                                         .depth = 5,
                                         .calls = 2,
                                         .timed = 5,
                                         .runs = 6,
                                         .nodes_expected = 1000000,
                                         .nodes_counted = seconds > 0 ? 1000000 : 999999};
    struct pm_measurement *measurement = pm_result_add_measurement(group, &facts);
    assert_non_null(measurement);
    for (int i = 0; seconds > 0 && i < result->runs; i++)
        measurement->seconds[i] = i + 1 == result->runs ? 2 * seconds : seconds;
}

static int make_result(void **state)
{
    struct pm_result *result = pm_result_new();
    if (result == NULL)
        return -1;
    strcpy(result->environment.cpu_model, "Test CPU");
    strcpy(result->environment.virtual_machine, "none");
    strcpy(result->environment.cpu_masked, "none");
    strcpy(result->environment.compiler, "gcc 1.2.3");
    strcpy(result->environment.c_flags, "-O3");
    result->runs = 6;
    result->repeats = 1;
    add_kernel(result, "slow", false);
    add_kernel(result, "fast", false);
    add_kernel(result, "oracle", true);
    add_kernel(result, "wrong", false);
    result->position_count = 2;
    strcpy(result->positions[0].name, "startpos");
    strcpy(result->positions[1].name, "cpw3");
    if (pm_result_add_group(result, PM_MODE_BULK, 1) == NULL)
        return -1;
    add_measurement(result, SLOW, 0, 0.1);    /* 20 M nodes/s */
    add_measurement(result, SLOW, 1, 0.025);  /* 80 */
    add_measurement(result, FAST, 0, 0.02);   /* 100 */
    add_measurement(result, FAST, 1, 0.005);  /* 400 */
    add_measurement(result, ORACLE, 0, 0.01); /* 200 */
    add_measurement(result, ORACLE, 1, 0.01);
    add_measurement(result, WRONG, 1, 0);
    *state = result;
    return 0;
}

static int free_result(void **state)
{
    pm_result_free(*state);
    return 0;
}

static char *print(const struct pm_result *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(pm_report_print(out, result), PM_OK);
    fclose(out);
    return text;
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("this is missing: %s\nin: %s", part, text);
}

static void table(void **state)
{
    char *text = print(*state);
    assert_contains(text, "**bulk, 1 thread**");
    assert_contains(
        text,
        "| # | kernel             | startpos |        cpw3 | geometric mean |  95 % interval |\n"
        "|--:|:-------------------|---------:|------------:|---------------:|---------------:|\n"
        "| 1 | fast               | 100.0 @5 |    400.0 @5 |          200.0 | 135.7 to 200.0 |\n"
        "| 2 | slow               |  20.0 @5 |     80.0 @5 |           40.0 |   27.1 to 40.0 |\n"
        "| - | wrong              |        - | wrong count |              - |              - |\n"
        "| - | oracle (reference) | 200.0 @5 |    200.0 @5 |          200.0 | 135.7 to 200.0 |\n");
    free(text);
}

static void sentences(void **state)
{
    char *text = print(*state);
    assert_contains(text, "\nfast was 5.00 (5.00 to 5.00) times faster than slow.\n");
    assert_contains(text, "\nwrong is wrong: cpw3, depth 5: 999999 counted, 1000000 expected.\n");
    assert_contains(text, "Test CPU");
    assert_contains(text, "gcc 1.2.3");
    assert_contains(text, "`-O3`");
    assert_null(strstr(text, "faster than oracle"));
    assert_null(strstr(text, "virtual machine"));
    assert_null(strstr(text, "Warnings"));
    free(text);
}

/* For 10,000,000 nodes on each position: 1,000,000 in each of two calls in each of five repeats. */
static void count_events(struct pm_result *result, int kernel)
{
    struct pm_result_group *group = &result->groups[0];
    for (int i = 0; i < group->measurement_count; i++)
        if (group->measurements[i].kernel == kernel)
            group->measurements[i].counters = (struct pm_counters){
                .known = 1U << PM_COUNTER_CYCLES | 1U << PM_COUNTER_BRANCH_MISSES,
                .events = {[PM_COUNTER_CYCLES] = i % 2 == 0 ? 20000000 : 80000000,
                           [PM_COUNTER_BRANCH_MISSES] = 20000000 / 8}};
}

static void counter_columns(void **state)
{
    struct pm_result *result = *state;
    result->environment.mhz_measured = 1000;
    result->environment.mhz_per_cpu = 900;
    char *text = print(result);
    assert_null(strstr(text, "nodes/cycle"));
    free(text);

    count_events(result, FAST);
    result->counters = true;
    text = print(result);
    assert_contains(
        text,
        "| geometric mean |  95 % interval | cycles/node | branch misses/node | nodes/cycle |\n");
    assert_contains(
        text,
        "|          200.0 | 135.7 to 200.0 |           5 |               0.25 |        0.25 |\n");
    assert_contains(
        text,
        "|           40.0 |   27.1 to 40.0 |           - |                  - |        0.04 |\n");
    assert_contains(
        text,
        "|              - |              - |           - |                  - |           - |\n");
    assert_contains(text, ", 1000 MHz measured (900 MHz nominal); ");
    free(text);
}

static void warnings(void **state)
{
    struct pm_result *result = *state;
    pm_result_warn(result, "too hot");
    pm_result_warn(result, "too loud");
    char *text = print(result);
    assert_contains(text, "Warnings: too hot. too loud.\n");
    free(text);
}

static void one_kernel_is_not_compared(void **state)
{
    struct pm_result *result = *state;
    result->kernels[SLOW].is_reference = true;
    char *text = print(result);
    assert_null(strstr(text, "times faster"));
    free(text);
}

static void replaced_block(void **state)
{
    char *replaced = NULL;
    char *again = NULL;
    const char *text = "Before, with `<!-- plymark:table -->` in the text.\n"
                       "<!-- plymark:table -->\nold\nold\n<!-- /plymark:table -->\nAfter\n";
    (void)state;
    assert_int_equal(pm_report_replace("x", text, "new\n", &replaced, NULL), PM_OK);
    assert_string_equal(replaced,
                        "Before, with `<!-- plymark:table -->` in the text.\n"
                        "<!-- plymark:table -->\n\nnew\n\n<!-- /plymark:table -->\nAfter\n");
    /* The same block again changes nothing. */
    assert_int_equal(pm_report_replace("x", replaced, "new\n", &again, NULL), PM_OK);
    assert_string_equal(again, replaced);
    free(again);
    free(replaced);
}

static void bad_markers(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"", "x: the line <!-- plymark:table --> is there never"},
        {"<!-- plymark:table -->\n", "<!-- /plymark:table --> is there never"},
        {"<!-- plymark:table -->\n<!-- plymark:table -->\n<!-- /plymark:table -->", "several"},
        {"<!-- plymark:table -->\n<!-- /plymark:table -->\n<!-- /plymark:table -->", "several"},
        {"<!-- /plymark:table -->\n<!-- plymark:table -->\n", "stands before"},
        {" <!-- plymark:table -->\n<!-- /plymark:table -->\n", "never"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *replaced = NULL;
        struct pm_error error = {0};
        assert_int_equal(pm_report_replace("x", rows[i].text, "new", &replaced, &error),
                         PM_ERROR_PARSE);
        assert_null(replaced);
        assert_contains(error.text, rows[i].expected);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_result, free_result)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(table),
        TEST(sentences),
        TEST(counter_columns),
        TEST(warnings),
        TEST(one_kernel_is_not_compared),
        cmocka_unit_test(replaced_block),
        cmocka_unit_test(bad_markers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
