/* SPDX-License-Identifier: MIT */
/* Event counters with made-up system calls, since most machines that run this have none: each
 * counter gives EVENTS times (its number + 1) for each time it was started and stopped. */
#include "bench/measure.h"
#include "core/fen.h"
#include "kernels/registry.h"
#include "perft/counters.h"
#include "perft/driver.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 1000U
#define MAX_FILES 4096

/* A file's number says which counter it is: 0 … MAX_FILES - 1, counter = file % PM_COUNTER_COUNT.
 */
static struct {
    int refusal;         /* errno of every open(); 0: it works */
    int missing;         /* this counter alone is refused; -1: none */
    uint64_t ran_of_ten; /* tenths of the time for which counters had a register */
    atomic_int rounds;   /* of PM_COUNTER_COUNT files */
    atomic_int open_files;
    atomic_int wrong_calls; /* on files that are not open, or out of order */
    struct {
        bool is_open, is_running;
        int runs;
    } files[MAX_FILES];
} fake;

static int counter_of(const struct perf_event_attr *event)
{
    static const uint64_t configs[PM_COUNTER_COUNT] = {
        PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
        PERF_COUNT_HW_CACHE_MISSES};
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        if (event->type == PERF_TYPE_HARDWARE && event->config == configs[i])
            return i;
    return -1;
}

static int fake_open(const struct perf_event_attr *event)
{
    const int counter = counter_of(event);
    if (fake.refusal != 0 || counter < 0 || counter == fake.missing) {
        errno = fake.refusal != 0 ? fake.refusal : ENOENT;
        return -1;
    }
    const int file = (atomic_fetch_add(&fake.rounds, 1) * PM_COUNTER_COUNT + counter) % MAX_FILES;
    if (!event->disabled || !event->exclude_kernel || event->size != sizeof *event)
        fake.wrong_calls++;
    fake.files[file].is_open = true;
    fake.files[file].is_running = false;
    fake.files[file].runs = 0;
    fake.open_files++;
    return file;
}

static int fake_control(int file, unsigned long request)
{
    const bool start = request == PERF_EVENT_IOC_ENABLE;
    if (!fake.files[file].is_open || fake.files[file].is_running == start)
        fake.wrong_calls++;
    fake.files[file].is_running = start;
    fake.files[file].runs += start;
    return 0;
}

static ssize_t fake_read(int file, void *buffer, size_t size)
{
    const uint64_t events =
        EVENTS * (unsigned)(file % PM_COUNTER_COUNT + 1) * (unsigned)fake.files[file].runs;
    const uint64_t seen[3] = {events * fake.ran_of_ten / 10, 1000, 100 * fake.ran_of_ten};
    if (!fake.files[file].is_open || fake.files[file].is_running || size != sizeof seen)
        fake.wrong_calls++;
    memcpy(buffer, seen, sizeof seen);
    return sizeof seen;
}

static int fake_close(int file)
{
    if (!fake.files[file].is_open)
        fake.wrong_calls++;
    fake.files[file].is_open = false;
    fake.open_files--;
    return 0;
}

static const struct pm_counter_source source = {
    .open = fake_open, .control = fake_control, .read = fake_read, .close = fake_close};

static int reset(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.missing = -1;
    fake.ran_of_ten = 10;
    return 0;
}

static int no_faults(void **state)
{
    (void)state;
    return fake.wrong_calls == 0 && fake.open_files == 0 ? 0 : -1;
}

static struct pm_counters count_once(void)
{
    struct pm_counter_set set;
    pm_counter_set_open(&set, &source);
    pm_counter_set_start(&set);
    pm_counter_set_stop(&set);
    const struct pm_counters counters = pm_counter_set_read(&set);
    pm_counter_set_close(&set);
    return counters;
}

static void assert_events(const struct pm_counters *counters, unsigned runs)
{
    assert_int_equal(counters->known, PM_COUNTERS_ALL);
    for (unsigned i = 0; i < PM_COUNTER_COUNT; i++)
        assert_int_equal(counters->events[i], (uint64_t)EVENTS * (i + 1) * runs);
}

static void one_thread(void **state)
{
    const struct pm_counters counters = count_once();
    (void)state;
    assert_events(&counters, 1);
}

static void shared_register(void **state)
{
    (void)state;
    fake.ran_of_ten = 5;
    const struct pm_counters counters = count_once();
    assert_events(&counters, 1);
}

static void never_ran(void **state)
{
    (void)state;
    fake.ran_of_ten = 0;
    assert_int_equal(count_once().known, 0);
}

static void one_is_missing(void **state)
{
    (void)state;
    fake.missing = PM_COUNTER_CACHE_MISSES;
    const struct pm_counters counters = count_once();
    assert_int_equal(counters.known, PM_COUNTERS_ALL & ~(1U << PM_COUNTER_CACHE_MISSES));
    assert_int_equal(counters.events[PM_COUNTER_INSTRUCTIONS], 2 * EVENTS);
}

static void sum_knows_what_all_know(void **state)
{
    struct pm_counters sum = {.known = PM_COUNTERS_ALL};
    const struct pm_counters all = {.known = PM_COUNTERS_ALL, .events = {1, 2, 3, 4}};
    const struct pm_counters two = {.known = 3, .events = {10, 20}};
    (void)state;
    pm_counters_add(&sum, &all);
    assert_int_equal(sum.known, PM_COUNTERS_ALL);
    pm_counters_add(&sum, &two);
    assert_int_equal(sum.known, 3);
    assert_int_equal(sum.events[0], 11);
    assert_int_equal(sum.events[1], 22);
}

static void assert_refused(int code, const char *part)
{
    struct pm_error error = {0};
    fake.refusal = code;
    assert_int_equal(pm_counters_check(&source, &error), PM_ERROR_UNSUPPORTED);
    if (strstr(error.text, "nothing was counted: perf_event_open failed (") == NULL ||
        strstr(error.text, part) == NULL || strlen(error.text) > 145)
        fail_msg("%s", error.text);
    assert_int_equal(count_once().known, 0);
}

static void refusals(void **state)
{
    struct pm_error error;
    (void)state;
    assert_int_equal(pm_counters_check(&source, &error), PM_OK);
    assert_refused(ENOENT, "virtual machine");
    assert_refused(EACCES, "perf_event_paranoid");
    assert_refused(EPERM, "perf_event_paranoid");
    assert_refused(ENOSYS, "operating system");
    assert_refused(EMFILE, "(Too many open files)");
}

/* The driver: every thread counts, whether it gets work or not. */

static struct pm_counters drive(int threads, const struct pm_counter_source *counters)
{
    struct pm_driver *driver = NULL;
    struct pm_position position;
    struct pm_error error;
    struct pm_job_result *result = calloc(1, sizeof *result);
    const struct pm_driver_config config = {.pin.policy = PM_PIN_NONE, .threads = threads};
    assert_non_null(result);
    assert_int_equal(pm_fen_read_named("startpos", 0, &position, NULL, NULL), PM_OK);
    assert_int_equal(pm_driver_open(&config, &driver, &error), PM_OK);
    const struct pm_job job = {.kernel = pm_kernel_find("x88"),
                               .position = &position,
                               .depth = 4,
                               .mode = PM_MODE_BULK,
                               .counters = counters};
    assert_int_equal(job.kernel->init(), PM_OK);
    assert_int_equal(pm_driver_run(driver, &job, result, &error), PM_OK);
    assert_true(result->nodes == 197281);
    const struct pm_counters sum = result->counters;
    pm_driver_close(driver);
    free(result);
    return sum;
}

static void all_threads(void **state)
{
    const struct pm_counters one = drive(1, &source), three = drive(3, &source);
    (void)state;
    assert_events(&one, 1);
    assert_events(&three, 3);
}

static void no_source(void **state)
{
    (void)state;
    assert_int_equal(drive(2, NULL).known, 0);
    fake.refusal = EACCES;
    assert_int_equal(drive(2, &source).known, 0);
}

/* Measuring: the timed calls and no others. */

static struct pm_result *measure(void)
{
    struct pm_error error;
    struct pm_result *result = pm_result_new();
    const struct pm_kernel *const kernels[] = {pm_kernel_find("x88"), pm_kernel_find("mailbox")};
    const struct pm_measure_config config = {
        .pin.policy = PM_PIN_NONE,
        .kernels = kernels,
        .kernel_count = 2,
        .modes = {PM_MODE_BULK},
        .mode_count = 1,
        .threads = {2},
        .thread_count = 1,
        .positions = {0},
        .position_count = 1,
        .repeats = 5,
        .counters = &source,
        .depth = 3,
    };
    assert_non_null(result);
    for (int i = 0; i < 2; i++)
        assert_int_equal(kernels[i]->init(), PM_OK);
    if (pm_measure(&config, result, &error) != PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(result->groups[0].measurement_count, 2);
    return result;
}

static void timed_calls(void **state)
{
    struct pm_result *result = measure();
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct pm_measurement *measurement = &result->groups[0].measurements[i];
        const unsigned calls = 2U * (unsigned)measurement->timed * (unsigned)measurement->calls;
        assert_true(measurement->timed >= 5); /* more if some were disturbed */
        assert_events(&measurement->counters, calls);
        assert_true(pm_result_nodes_per_cycle(result, &result->groups[0], i, 0) ==
                    1 / pm_measurement_events(measurement, PM_COUNTER_CYCLES));
    }
    pm_result_free(result);
}

static void timed_without_counters(void **state)
{
    (void)state;
    fake.refusal = EPERM;
    struct pm_result *result = measure();
    for (int i = 0; i < 2; i++) {
        const struct pm_measurement *measurement = &result->groups[0].measurements[i];
        assert_int_equal(measurement->counters.known, 0);
        assert_true(measurement->seconds != NULL && measurement->seconds[0] > 0);
    }
    pm_result_free(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, no_faults)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_thread),
        TEST(shared_register),
        TEST(never_ran),
        TEST(one_is_missing),
        TEST(sum_knows_what_all_know),
        TEST(refusals),
        TEST(all_threads),
        TEST(no_source),
        TEST(timed_calls),
        TEST(timed_without_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
