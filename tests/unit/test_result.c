/* SPDX-License-Identifier: MIT */
/* Results written and read back, bad files refused, files replaced whole or not at all. */
#include "bench/result.h"
#include "core/file.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A folder of its own for each test, with one file in it. */
struct place {
    char folder[256];
    char path[300];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    const char *base = getenv("TMPDIR");
    if (place == NULL)
        return -1;
    snprintf(place->folder, sizeof place->folder, "%s/plymark-test-XXXXXX",
             base != NULL ? base : P_tmpdir);
    if (mkdtemp(place->folder) == NULL)
        return -1;
    snprintf(place->path, sizeof place->path, "%s/result.json", place->folder);
    *state = place;
    return 0;
}

/* Fails if a temporary file was left behind. */
static int remove_place(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    const int failed = rmdir(place->folder);
    free(place);
    return failed;
}

static void write_text(const struct place *place, const char *text)
{
    assert_int_equal(pm_file_write(place->path, text, strlen(text), NULL), PM_OK);
}

static void assert_text(const struct place *place, const char *expected)
{
    char *text;
    size_t size;
    assert_int_equal(pm_file_read(place->path, &text, &size, NULL), PM_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal(text, expected);
    free(text);
}

/* Two kernels, one position, one group; the second kernel is wrong if asked for. */
static struct pm_result *make_result(bool second_is_wrong)
{
    struct pm_result *result = pm_result_new();
    assert_non_null(result);
    strcpy(result->environment.date, "2024-01-02T03:04:05Z");
    strcpy(result->environment.cpu_model, "Test \"CPU\" \xC3\xA9");
    result->environment.load_avg[1] = 0.25;
    result->environment.lto = true;
    result->environment.cores = 2;
    result->environment.cache_count = 1;
    result->environment.caches[0] =
        (struct pm_cache){.type = "Unified", .level = 2, .size = 1 << 20, .num_sharing = 2};
    strcpy(result->pin, "core");
    result->runs = 5;
    result->repeats = 2;
    result->noise[4] =
        (struct pm_noise){.seconds = 2, .switches = 7, .repeats = 20, .disturbed = 3};
    result->kernel_count = 2;
    strcpy(result->kernels[0].name, "fast");
    strcpy(result->kernels[1].name, "slow");
    result->kernels[1].is_reference = true;
    result->position_count = 1;
    strcpy(result->positions[0].name, "startpos");
    pm_result_warn(result, "load is %d", 9);

    struct pm_result_group *group = pm_result_add_group(result, PM_MODE_BULK, 2);
    assert_non_null(group);
    group->cpus[1] = 3;
    for (int kernel = 0; kernel < 2; kernel++) {
        const struct pm_measurement facts = {.kernel = kernel,
                                             .depth = 4,
                                             .calls = 10,
                                             .timed = 10,
                                             .runs = 5,
                                             .nodes_expected = 197281,
                                             .nodes_counted =
                                                 kernel == 1 && second_is_wrong ? 197280 : 197281};
        struct pm_measurement *measurement = pm_result_add_measurement(group, &facts);
        assert_non_null(measurement);
        for (int i = 0; measurement->seconds != NULL && i < 5; i++)
            measurement->seconds[i] = (kernel + 1) * (0.01 + i * 0.001);
    }
    return result;
}

static struct pm_result *write_and_read(const struct place *place, struct pm_result *result)
{
    struct pm_result *back = NULL;
    struct pm_error error = {0};
    assert_int_equal(pm_result_write(result, place->path, &error), PM_OK);
    if (pm_result_read(place->path, &back, &error) != PM_OK)
        fail_msg("%s", error.text);
    return back;
}

static void round_trip(void **state)
{
    struct pm_result *result = make_result(false);
    struct pm_result *back = write_and_read(*state, result);
    const struct pm_measurement *measurement = pm_result_find(&back->groups[0], 1, 0);
    assert_string_equal(back->environment.date, "2024-01-02T03:04:05Z");
    assert_string_equal(back->environment.cpu_model, result->environment.cpu_model);
    assert_string_equal(back->environment.host_name, "");
    assert_true(back->environment.load_avg[1] == 0.25);
    assert_true(back->environment.lto && !back->environment.native);
    assert_int_equal(back->environment.cache_count, 1);
    assert_memory_equal(&back->environment.caches[0], &result->environment.caches[0],
                        sizeof(struct pm_cache));
    assert_string_equal(back->pin, "core");
    assert_int_equal(back->runs, 5);
    assert_int_equal(back->repeats, 2);
    assert_true(back->noise[4].switches == 7 && back->noise[4].disturbed == 3);
    assert_false(back->is_one_process || back->is_partial);
    assert_int_equal(back->kernel_count, 2);
    assert_true(back->kernels[1].is_reference && !back->kernels[0].is_reference);
    assert_string_equal(back->warnings[0], "load is 9");
    assert_int_equal(back->groups[0].mode, PM_MODE_BULK);
    assert_int_equal(back->groups[0].cpus[1], 3);
    assert_non_null(measurement);
    assert_int_equal(measurement->calls, 10);
    assert_int_equal(measurement->nodes_counted, 197281);
    assert_true(fabs(measurement->seconds[4] - 0.028) < 1e-9);
    pm_result_free(back);
    pm_result_free(result);
}

static void host_name_only_when_known(void **state)
{
    const struct place *place = *state;
    struct pm_result *result = make_result(false);
    char *text;
    size_t size;
    assert_int_equal(pm_result_write(result, place->path, NULL), PM_OK);
    assert_int_equal(pm_file_read(place->path, &text, &size, NULL), PM_OK);
    assert_null(strstr(text, "host_name"));
    free(text);
    strcpy(result->environment.host_name, "somewhere");
    struct pm_result *back = write_and_read(place, result);
    assert_string_equal(back->environment.host_name, "somewhere");
    pm_result_free(back);
    pm_result_free(result);
}

static void counters_only_when_known(void **state)
{
    struct pm_result *result = make_result(false);
    struct pm_measurement *fast = &result->groups[0].measurements[0];
    result->environment.mhz_measured = 3210.5;
    result->counters = true;
    fast->counters.known = 1U << PM_COUNTER_CYCLES | 1U << PM_COUNTER_CACHE_MISSES;
    fast->counters.events[PM_COUNTER_CYCLES] = UINT64_C(9000000000000001);
    struct pm_result *back = write_and_read(*state, result);
    const struct pm_counters *counters = &back->groups[0].measurements[0].counters;
    assert_true(back->counters);
    assert_true(back->environment.mhz_measured == 3210.5);
    assert_int_equal(counters->known, fast->counters.known);
    assert_int_equal(counters->events[PM_COUNTER_CYCLES], UINT64_C(9000000000000001));
    assert_int_equal(counters->events[PM_COUNTER_CACHE_MISSES], 0);
    assert_int_equal(back->groups[0].measurements[1].counters.known, 0);
    pm_result_free(back);
    pm_result_free(result);
}

/* As they were before clock rates and counters were recorded. */
static void older_files(void **state)
{
    struct pm_result *result = NULL;
    struct pm_error error;
    (void)state;
    if (pm_result_read(PM_SOURCE_DIR "/tests/fuzz/result.json", &result, &error) != PM_OK)
        fail_msg("%s", error.text);
    assert_true(result->environment.mhz_measured == 0);
    assert_false(result->counters);
    assert_int_equal(result->groups[0].measurements[0].counters.known, 0);
    assert_true(isnan(pm_result_nodes_per_cycle(result, &result->groups[0], 0, 0)));
    pm_result_free(result);
}

static void nodes_per_cycle(void **state)
{
    struct pm_result *result = make_result(false);
    struct pm_result_group *group = &result->groups[0];
    struct pm_counters *counters = &group->measurements[0].counters;
    const double nodes = 197281.0 * 10 * 10; /* a call, calls, timed repeats */
    (void)state;
    result->environment.mhz_measured = 2000;
    assert_true(isnan(pm_result_nodes_per_cycle(result, group, 0, 0))); /* two threads */
    group->threads = 1;
    assert_true(fabs(pm_result_nodes_per_cycle(result, group, 0, 0) - 1972810 / 0.012 / 2e9) <
                1e-9);
    group->threads = 2;
    counters->known = PM_COUNTERS_ALL;
    counters->events[PM_COUNTER_CYCLES] = 4 * 197281 * 10 * 10;
    counters->events[PM_COUNTER_BRANCH_MISSES] = 197281;
    assert_true(fabs(pm_result_nodes_per_cycle(result, group, 0, 0) - 0.25) < 1e-9);
    assert_true(fabs(pm_measurement_events(&group->measurements[0], PM_COUNTER_BRANCH_MISSES) -
                     197281 / nodes) < 1e-12);
    pm_result_free(result);
}

static void speeds(void **state)
{
    struct pm_result *result = make_result(false);
    const struct pm_result_group *group = &result->groups[0];
    /* The middle time of the first kernel is 0.012 s, of the second 0.024 s, for 1,972,810 nodes.
     */
    const struct pm_speed speed = pm_measurement_summary(pm_result_find(group, 0, 0));
    const struct pm_estimate ratio = pm_result_ratio(result, group, 0, 1, 0.95);
    (void)state;
    assert_true(fabs(speed.median - 1972810 / 0.012) < 1);
    assert_true(fabs(pm_result_total(result, group, 1).median - 1972810 / 0.024) < 1);
    assert_true(fabs(ratio.value - 2) < 1e-9 && isnan(ratio.interval.low));
    assert_false(pm_result_has_wrong_counts(result));
    pm_result_free(result);
}

/* Two results of three and two runs of the same trees, the second without one kernel. */
static void runs_are_added(void **state)
{
    struct pm_result *all = make_result(false), *more = make_result(false);
    struct pm_error error;
    (void)state;
    more->groups[0].measurement_count = 1;
    more->groups[0].measurements[0].seconds[0] = 7;
    assert_int_equal(pm_result_add_runs(all, more, &error), PM_OK);
    const struct pm_measurement *fast = pm_result_find(&all->groups[0], 0, 0);
    assert_int_equal(all->runs, 10);
    assert_int_equal(fast->runs, 10);
    assert_int_equal(fast->timed, 20);
    assert_true(fast->seconds[5] == 7);
    assert_int_equal(pm_result_find(&all->groups[0], 1, 0)->runs, 5);
    assert_true(all->noise[9].switches == 7);
    assert_true(pm_measurement_summary(fast).interval.low > 0);
    /* The kernels are compared in the runs that both have. */
    assert_true(fabs(pm_result_ratio(all, &all->groups[0], 0, 1, 0.95).value - 2) < 1e-9);

    more->groups[0].measurements[0].calls = 11;
    assert_int_equal(pm_result_add_runs(all, more, &error), PM_ERROR_MISMATCH);
    assert_non_null(strstr(error.text, "fast on startpos count different trees"));
    free(more->groups[0].measurements[1].seconds);
    pm_result_free(more);
    pm_result_free(all);
}

/* What was measured before there were runs: one process, and no intervals are made of that. */
static void first_schema_is_read(void **state)
{
    const struct place *place = *state;
    struct pm_result *result = make_result(false), *back = NULL;
    assert_int_equal(pm_result_write(result, place->path, NULL), PM_OK);
    json_t *root = json_load_file(place->path, 0, NULL);
    json_object_set_new(root, "schema", json_integer(1));
    json_object_del(root, "runs");
    json_object_del(json_object_get(root, "settings"), "runs");
    json_object_set_new(json_object_get(root, "settings"), "repeats", json_integer(5));
    assert_int_equal(json_dump_file(root, place->path, 0), 0);
    assert_int_equal(pm_result_read(place->path, &back, NULL), PM_OK);
    assert_true(back->is_one_process);
    assert_int_equal(back->runs, 5);
    assert_int_equal(back->groups[0].measurements[0].timed, 5);
    json_decref(root);
    pm_result_free(back);
    pm_result_free(result);
}

static void wrong_count_has_no_speed(void **state)
{
    struct pm_result *result = make_result(true);
    struct pm_result *back = write_and_read(*state, result);
    const struct pm_measurement *measurement = pm_result_find(&back->groups[0], 1, 0);
    assert_true(pm_result_has_wrong_counts(back));
    assert_null(measurement->seconds);
    assert_int_equal(measurement->nodes_counted, 197280);
    assert_true(isnan(pm_measurement_speed(measurement, 0)));
    assert_true(isnan(pm_result_total(back, &back->groups[0], 1).median));
    pm_result_free(back);
    pm_result_free(result);
}

static void warnings_once_and_limited(void **state)
{
    struct pm_result *result = make_result(false);
    (void)state;
    assert_null(pm_result_warn(result, "load is %d", 9));
    assert_int_equal(result->warning_count, 1);
    for (int i = 0; i < 2 * PM_RESULT_MAX_WARNINGS; i++)
        pm_result_warn(result, "warning %d", i);
    assert_int_equal(result->warning_count, PM_RESULT_MAX_WARNINGS);
    pm_result_free(result);
}

/* Changes one value of a good result, given as JSON; what is "" is taken away. */
static void spoil(json_t *root, const char *const path[], const char *value)
{
    json_t *container = root;
    size_t i = 0;
    for (; path[i + 1] != NULL; i++)
        container = json_is_array(container) ? json_array_get(container, (size_t)atoi(path[i]))
                                             : json_object_get(container, path[i]);
    json_t *changed = json_loads(value, JSON_DECODE_ANY, NULL);
    if (changed == NULL)
        assert_int_equal(json_object_del(container, path[i]), 0);
    else if (json_is_array(container))
        assert_int_equal(json_array_set_new(container, (size_t)atoi(path[i]), changed), 0);
    else
        assert_int_equal(json_object_set_new(container, path[i], changed), 0);
}

static void assert_refused(const struct place *place, const char *expected)
{
    struct pm_result *result = NULL;
    struct pm_error error = {0};
    const enum pm_status status = pm_result_read(place->path, &result, &error);
    assert_int_equal(status, PM_ERROR_PARSE);
    assert_int_equal(error.status, PM_ERROR_PARSE);
    assert_null(result);
    assert_null(strchr(error.text, '\n'));
    if (strstr(error.text, place->path) == NULL || strstr(error.text, expected) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, expected);
}

static void bad_values(void **state)
{
    static const struct {
        const char *path[8];
        const char *value, *expected;
    } rows[] = {
        {{"schema"}, "3", "schema is 3: 1 or 2, the schemas that this program reads is needed"},
        {{"schema"}, "", "schema is missing"},
        {{"context"}, "7", "context is 7: an object is needed"},
        {{"context", "date"}, "5", "context.date is 5: a text of at most 31 bytes"},
        {{"context", "lto"}, "\"on\"", "context.lto is \"on\": true or false"},
        {{"context", "cores"}, "-1", "context.cores is -1: a whole number from 0 to"},
        {{"context", "load_avg"}, "[1]", "context.load_avg is [1]: an array of 3 elements"},
        {{"context", "caches", "0", "level"}, "null", "context.caches[0].level is null"},
        {{"settings", "repeats"}, "0", "settings.repeats is 0: a whole number from 1 to 1024"},
        {{"settings", "runs"}, "6", "an array of 6 elements"},
        {{"settings", "runs"}, "300", "settings.runs is 300: a whole number from 1 to 256"},
        {{"runs", "4", "switches"}, "-1", "runs[4].switches is -1"},
        {{"warnings", "0"}, "1", "warnings is 1: a text"},
        {{"kernels"}, "[]", "kernels is []: an array of 1 to 64 elements"},
        {{"kernels", "1", "name"}, "", "kernels[1].name is missing"},
        {{"positions", "0"}, "\"e4\"", "positions[0] is \"e4\": an object"},
        {{"groups", "0", "mode"}, "\"turbo\"", "groups[0].mode is \"turbo\": make, bulk"},
        {{"groups", "0", "threads"}, "3", "groups[0].cpus is [0,3]: an array of 3 elements"},
        {{"groups", "0", "cpus", "1"}, "1.5", "groups[0].cpus[1] is 1.5: a whole number"},
        {{"groups", "0", "measurements", "1", "kernel"},
         "\"fat\"",
         "groups[0].measurements[1].kernel is \"fat\": the name of one of the kernels"},
        {{"groups", "0", "measurements", "1", "kernel"}, "\"fast\"", "had it before"},
        {{"groups", "0", "measurements", "0", "depth"},
         "\"six\"",
         "groups[0].measurements[0].depth is \"six\": a whole number from 1 to 64"},
        {{"groups", "0", "measurements", "0", "nodes_counted"}, "1", "an array of 0 elements"},
        {{"groups", "0", "measurements", "0", "nodes_expected"},
         "197282",
         "nodes_expected is 197282: 197281, the known count of startpos at depth 4 is needed"},
        {{"groups", "0", "measurements", "0", "depth"},
         "5",
         "nodes_expected is 197281: 4865609, the known count of startpos at depth 5"},
        {{"groups", "0", "measurements", "0", "depth"},
         "30",
         "nodes_expected is 197281: a count of startpos at depth 30 that is known"},
        {{"context", "mhz_measured"}, "-1", "context.mhz_measured is -1: a number from 0 to"},
        {{"settings", "counters"}, "3", "settings.counters is 3: true or false"},
        {{"groups", "0", "measurements", "0", "counters"},
         "5",
         "groups[0].measurements[0].counters is 5: an object"},
        {{"groups", "0", "measurements", "0", "counters"},
         "{\"cycles\": -1}",
         "groups[0].measurements[0].counters.cycles is -1: a whole number from 0 on"},
        {{"groups", "0", "measurements", "0", "seconds", "2"},
         "0",
         "groups[0].measurements[0].seconds[2] is 0: a number from 1e-09"},
    };
    const struct place *place = *state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_result *result = make_result(false);
        assert_int_equal(pm_result_write(result, place->path, NULL), PM_OK);
        json_t *root = json_load_file(place->path, 0, NULL);
        assert_non_null(root);
        spoil(root, rows[i].path, rows[i].value);
        assert_int_equal(json_dump_file(root, place->path, 0), 0);
        assert_refused(place, rows[i].expected);
        json_decref(root);
        pm_result_free(result);
    }
}

static void bad_texts(void **state)
{
    write_text(*state, "");
    assert_refused(*state, "line 1, column 0");
    write_text(*state, "{\n \"schema\": 1,\n}");
    assert_refused(*state, "line 3");
    write_text(*state, "[1]");
    assert_refused(*state, "schema is missing");
    write_text(*state, "{\"schema\": 1, \"schema\": 1}");
    assert_refused(*state, "duplicate");
}

static void missing_file(void **state)
{
    const struct place *place = *state;
    struct pm_result *result = NULL;
    struct pm_error error = {0};
    assert_int_equal(pm_result_read(place->path, &result, &error), PM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "No such file"));
}

static void files_are_replaced_whole(void **state)
{
    const struct place *place = *state;
    struct stat info;
    write_text(place, "old");
    assert_int_equal(chmod(place->path, 0640), 0);
    write_text(place, "new and longer\n");
    assert_text(place, "new and longer\n");
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static void links_and_folders(void **state)
{
    const struct place *place = *state;
    char link_path[320];
    struct pm_error error = {0};
    struct stat info;
    snprintf(link_path, sizeof link_path, "%s/link", place->folder);
    write_text(place, "old");
    assert_int_equal(symlink("result.json", link_path), 0);
    assert_int_equal(pm_file_write(link_path, "new", 3, &error), PM_OK);
    assert_text(place, "new");
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(link_path);

    snprintf(link_path, sizeof link_path, "%s/nowhere/file", place->folder);
    assert_int_equal(pm_file_write(link_path, "new", 3, &error), PM_ERROR_IO);
    assert_int_equal(pm_file_check_writable(link_path, &error), PM_ERROR_IO);
    assert_int_equal(pm_file_check_writable(place->folder, &error), PM_ERROR_IO);
    assert_int_equal(pm_file_check_writable(place->path, &error), PM_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trip),
        TEST(host_name_only_when_known),
        TEST(counters_only_when_known),
        TEST(older_files),
        TEST(nodes_per_cycle),
        TEST(speeds),
        TEST(runs_are_added),
        TEST(first_schema_is_read),
        TEST(wrong_count_has_no_speed),
        TEST(warnings_once_and_limited),
        TEST(bad_values),
        TEST(bad_texts),
        TEST(missing_file),
        TEST(files_are_replaced_whole),
        TEST(links_and_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
