/* SPDX-License-Identifier: MIT */
/* Runs in processes of their own, by scripts that give a result prepared for them. */
#include "bench/runs.h"
#include "core/clock.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256], program_a[300], program_b[300];
static struct pm_result *results[PM_RUNS_MAX_PROGRAMS];
static struct pm_error error;
static atomic_bool stop;

/* One run of one kernel, which takes so long. */
static void write_result(const char *name, double seconds)
{
    char path[400];
    struct pm_result *result = pm_result_new();
    assert_non_null(result);
    result->runs = result->repeats = 1;
    result->kernel_count = result->position_count = 1;
    strcpy(result->kernels[0].name, "magic");
    strcpy(result->positions[0].name, "startpos");
    struct pm_result_group *group = pm_result_add_group(result, PM_MODE_BULK, 1);
    const struct pm_measurement facts = {.depth = 3,
                                         .calls = 1,
                                         .timed = 1,
                                         .runs = 1,
                                         .nodes_expected = 8902,
                                         .nodes_counted = 8902};
    pm_result_add_measurement(group, &facts)->seconds[0] = seconds;
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    assert_int_equal(pm_result_write(result, path, NULL), PM_OK);
    pm_result_free(result);
}

/* A program that notes what it was called with, does something, and gives its result. */
static void write_program(const char *path, const char *name, const char *deed)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\necho \"%s $*\" >>%s/log\n%s\nwhile [ \"$1\" != --json ]; do shift; done\n"
            "cp %s/%s.json \"$2\"\n",
            name, folder, deed, folder, name);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int make_programs(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/plymark-runs-XXXXXX", base != NULL ? base : P_tmpdir);
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(program_a, sizeof program_a, "%s/a", folder);
    snprintf(program_b, sizeof program_b, "%s/b", folder);
    write_result("a", 0.01);
    write_result("b", 0.02);
    write_program(program_a, "a", ":");
    write_program(program_b, "b", ":");
    atomic_store(&stop, false);
    return 0;
}

static int remove_programs(void **state)
{
    char command[300];
    (void)state;
    for (int i = 0; i < PM_RUNS_MAX_PROGRAMS; i++)
        pm_result_free(results[i]);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static char option[] = "-k", kernel[] = "magic";
static char *const arguments[] = {option, kernel, NULL};

static struct pm_runs_config config_of(const char *second, int runs)
{
    return (struct pm_runs_config){
        .programs = {program_a, second}, .arguments = arguments, .runs = runs, .stop = &stop};
}

static enum pm_status measure(const struct pm_runs_config *config)
{
    return pm_runs_measure(config, results, &error);
}

static void read_log(char *text, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "%s/log", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void programs_take_turns(void **state)
{
    static const char turns[] = "abbaab";
    const struct pm_runs_config config = config_of(program_b, 3);
    char log[4096], *line = log;
    (void)state;
    if (measure(&config) != PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results[0]->runs, 3);
    assert_int_equal(results[1]->runs, 3);
    assert_false(results[0]->is_partial);
    read_log(log, sizeof log);
    for (int i = 0; turns[i] != '\0'; i++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(line[0], turns[i]);
        assert_non_null(strstr(line, " bench -k magic --one-run --json "));
        assert_true((strstr(line, " --like ") != NULL) == (i > 0));
        line = end + 1;
    }
    assert_string_equal(line, "");
}

static void twice_as_fast(void **state)
{
    const struct pm_runs_config config = config_of(program_b, 8);
    (void)state;
    assert_int_equal(measure(&config), PM_OK);
    struct pm_compared compared = pm_runs_compare(results, 0, 0);
    assert_true(fabs(compared.ratio.value - 2) < 1e-6);
    assert_int_equal(compared.verdict, PM_FASTER);
    assert_int_equal(pm_runs_compare(results, 0, -1).verdict, PM_FASTER);
    assert_false(pm_runs_is_slower(results, 0.03));
    struct pm_result *turned[] = {results[1], results[0]};
    assert_int_equal(pm_runs_compare(turned, 0, 0).verdict, PM_SLOWER);
    assert_true(pm_runs_is_slower(turned, 0.03));
    assert_true(pm_runs_is_slower(turned, 0.49));
    assert_false(pm_runs_is_slower(turned, 0.51));
}

static void same_speed(void **state)
{
    const struct pm_runs_config config = config_of(program_a, 8);
    (void)state;
    assert_int_equal(measure(&config), PM_OK);
    assert_int_equal(pm_runs_compare(results, 0, 0).verdict, PM_NO_DIFFERENCE);
}

static void few_runs_have_no_verdict(void **state)
{
    const struct pm_runs_config config = config_of(program_b, 7);
    (void)state;
    assert_int_equal(measure(&config), PM_OK);
    assert_true(isnan(pm_runs_compare(results, 0, 0).ratio.interval.low));
    assert_int_equal(pm_runs_compare(results, 0, 0).verdict, PM_NO_DIFFERENCE);
}

/* The interval has no width from the first eight pairs on. */
static void target_ends_it(void **state)
{
    struct pm_runs_config config = config_of(program_b, 100);
    (void)state;
    config.target = 0.01;
    assert_int_equal(measure(&config), PM_OK);
    assert_int_equal(results[0]->runs, 8);
    assert_false(results[0]->is_partial);
}

static void budget_ends_it(void **state)
{
    struct pm_runs_config config = config_of(NULL, 100);
    (void)state;
    config.budget = 1e-6;
    assert_int_equal(measure(&config), PM_OK);
    assert_int_equal(results[0]->runs, 1);
    assert_true(results[0]->is_partial);
}

static void failures_are_told(void **state)
{
    const struct pm_runs_config config = config_of(NULL, 2);
    (void)state;
    write_program(program_a, "a", "exit 3");
    assert_int_equal(measure(&config), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "ended with exit code 3"));
    write_program(program_a, "a", "kill -9 $$");
    assert_int_equal(measure(&config), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "was ended by a signal (Killed)"));
    unlink(program_a);
    assert_int_equal(measure(&config), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "cannot run"));
}

static void stop_now(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop, true);
}

/* Interrupted in the third run: the first two are kept. */
static void stopped_runs_are_kept(void **state)
{
    char deed[600];
    const struct pm_runs_config config = config_of(NULL, 10);
    const uint64_t start = pm_clock_ns();
    (void)state;
    snprintf(deed, sizeof deed, "[ $(wc -l <%s/log) -lt 3 ] || exec sleep 60", folder);
    write_program(program_a, "a", deed);
    signal(SIGALRM, stop_now);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = 1}, NULL);
    assert_int_equal(measure(&config), PM_OK);
    assert_int_equal(results[0]->runs, 2);
    assert_true(results[0]->is_partial);
    assert_true(pm_clock_seconds_since(start) < 30);
}

static void stopped_before_there_is_one(void **state)
{
    const struct pm_runs_config config = config_of(NULL, 10);
    (void)state;
    write_program(program_a, "a", "exec sleep 60");
    signal(SIGALRM, stop_now);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 200000}, NULL);
    assert_int_equal(measure(&config), PM_ERROR_INTERRUPTED);
    assert_null(results[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_programs, remove_programs)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(programs_take_turns),
        TEST(twice_as_fast),
        TEST(same_speed),
        TEST(few_runs_have_no_verdict),
        TEST(target_ends_it),
        TEST(budget_ends_it),
        TEST(failures_are_told),
        TEST(stopped_runs_are_kept),
        TEST(stopped_before_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
