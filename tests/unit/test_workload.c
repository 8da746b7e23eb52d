/* SPDX-License-Identifier: MIT */
/* The workload "analyze": its set against known counts, and no speed for wrong answers. */
#include "bench/workload.h"

#include "bench/positions.h"
#include "bench/result.h"
#include "core/cpu.h"
#include "tests/unit/view_at.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct pm_kernel *magic;

static enum pm_status forget_last(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    const enum pm_status status = magic->legal_moves(state, moves, count);
    *count -= *count == 31; /* in some positions only */
    return status;
}

/* Right when it is checked, wrong later. */
static unsigned calls;

static enum pm_status forget_later(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                   unsigned *count)
{
    const enum pm_status status = magic->legal_moves(state, moves, count);
    *count -= *count > 0 && ++calls > PM_WORKLOAD_POSITIONS + 1000;
    return status;
}

static int set_up(void **state)
{
    (void)state;
    magic = pm_kernel_find("magic");
    return magic != NULL && magic->init() == PM_OK ? 0 : -1;
}

static struct pm_measure_config config_of(const struct pm_kernel *const kernels[], int count)
{
    return (struct pm_measure_config){.pin = {.policy = PM_PIN_NONE},
                                      .kernels = kernels,
                                      .kernel_count = count,
                                      .threads = {1, 3},
                                      .thread_count = 2,
                                      .repeats = 5,
                                      .budget = 0.01};
}

static void known_set(void **state)
{
    static const int depths[PM_BENCH_POSITION_COUNT] = {3, 2, 3, 3, 2, 2};
    const struct pm_kernel *const kernels[] = {magic};
    const struct pm_measure_config config = config_of(kernels, 1);
    struct pm_workload workload;
    struct pm_error error;
    struct pm_view view;
    uint64_t positions = 0, expected = 0, legal = 0;
    (void)state;
    if (pm_workload_measure(&config, magic, &workload, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < PM_BENCH_POSITION_COUNT; i++) {
        positions += pm_bench_positions[i].nodes[depths[i]];
        expected += pm_bench_positions[i].nodes[depths[i] + 1];
    }
    assert_int_equal(positions, PM_WORKLOAD_POSITIONS);
    view_open(&view, "magic");
    for (unsigned i = 0; i < PM_WORKLOAD_POSITIONS; i++) {
        view_set(&view, &workload.positions[i]);
        legal += view.move_count;
    }
    assert_int_equal(legal, expected); /* the moves of all are the next ply's count */
    pm_view_close(&view);
    for (int i = 0; i < 2; i++) {
        assert_true(workload.cells[i].is_right && workload.cells[i].passes > 0);
        for (int repeat = 0; repeat < config.repeats; repeat++)
            assert_true(workload.cells[i].seconds[repeat] > 0);
    }
    assert_false(pm_workload_has_wrong_answers(&workload));
    pm_workload_free(&workload);
}

static void every_kernel(void **state)
{
    const struct pm_kernel *kernels[PM_KERNELS_MAX];
    int count = 0;
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) == 0 && (*kernel)->attacks != NULL &&
            !pm_kernel_has_family(*kernel) && !((*kernel)->capabilities & PM_IS_REFERENCE) &&
            count < (int)LENGTH(kernels)) {
            assert_int_equal((*kernel)->init(), PM_OK);
            kernels[count++] = *kernel;
        }
    }
    struct pm_measure_config config = config_of(kernels, count);
    struct pm_workload workload;
    struct pm_error error;
    config.thread_count = 1;
    if (pm_workload_measure(&config, magic, &workload, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < count; i++) {
        if (!workload.cells[i].is_right)
            fail_msg("%s: checksum %016llx", kernels[i]->name,
                     (unsigned long long)workload.cells[i].checksum);
    }
    pm_workload_free(&workload);
}

static char *printed(const struct pm_workload *workload)
{
    const struct pm_environment environment = {.cpu_model = "a CPU"};
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(pm_workload_print(out, workload, &environment, "none"), PM_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void wrong_answers(void **state)
{
    struct pm_kernel liar = *magic;
    const struct pm_kernel *const kernels[] = {&liar, magic};
    const struct pm_measure_config config = config_of(kernels, 2);
    struct pm_workload workload;
    struct pm_error error;
    static char path[] = "workload_XXXXXX";
    const struct pm_environment environment = {.cpu_model = "a CPU"};
    (void)state;
    liar.name = "liar";
    liar.legal_moves = forget_last;
    assert_int_equal(pm_workload_measure(&config, magic, &workload, &error), PM_OK);
    assert_true(pm_workload_has_wrong_answers(&workload));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(workload.cells[i].is_right, i % 2 == 1);
        assert_int_equal(workload.cells[i].seconds != NULL, i % 2 == 1);
    }
    char *const text = printed(&workload);
    assert_non_null(strstr(text, "1 thread**: million positions per second"));
    assert_non_null(strstr(text, "3 threads**"));
    assert_non_null(strstr(text, "|  - | liar                       | wrong answers |      - |"));
    assert_non_null(strstr(text, "|  1 | magic "));
    assert_null(strstr(text, "nodes per second"));
    free(text);

    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(pm_workload_write(&workload, &environment, "none", path, &error), PM_OK);
    json_error_t json_error;
    json_t *const root = json_load_file(path, 0, &json_error);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "workload")), "analyze");
    json_t *const measurements = json_object_get(root, "measurements");
    assert_int_equal(json_array_size(measurements), 4);
    assert_int_equal(json_array_size(json_object_get(json_array_get(measurements, 0), "seconds")),
                     0);
    assert_int_equal(json_array_size(json_object_get(json_array_get(measurements, 1), "seconds")),
                     5);
    json_decref(root);
    remove(path);

    /* Perft's tables refuse the file. */
    struct pm_result *result;
    assert_int_equal(pm_workload_write(&workload, &environment, "none", path, &error), PM_OK);
    assert_int_equal(pm_result_read(path, &result, &error), PM_ERROR_PARSE);
    remove(path);
    pm_workload_free(&workload);
}

static void wrong_while_timed(void **state)
{
    struct pm_kernel liar = *magic;
    const struct pm_kernel *const kernels[] = {&liar};
    struct pm_measure_config config = config_of(kernels, 1);
    struct pm_workload workload;
    struct pm_error error;
    (void)state;
    liar.legal_moves = forget_later;
    config.thread_count = 1;
    assert_int_equal(pm_workload_measure(&config, magic, &workload, &error), PM_ERROR_MISMATCH);
    assert_non_null(strstr(error.text, "while it was timed"));
    pm_workload_free(&workload);
}

static void wrong_maker(void **state)
{
    struct pm_kernel liar = *magic;
    const struct pm_kernel *const kernels[] = {magic};
    const struct pm_measure_config config = config_of(kernels, 1);
    struct pm_workload workload;
    struct pm_error error;
    (void)state;
    liar.legal_moves = forget_last;
    assert_int_equal(pm_workload_measure(&config, &liar, &workload, &error), PM_ERROR_MISMATCH);
    pm_workload_free(&workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_set),     cmocka_unit_test(every_kernel),
        cmocka_unit_test(wrong_answers), cmocka_unit_test(wrong_while_timed),
        cmocka_unit_test(wrong_maker),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
