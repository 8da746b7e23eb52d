/* SPDX-License-Identifier: MIT */
/* Topologies are made up by hwloc from a description in HWLOC_SYNTHETIC, apart from this machine's
 * own. */
#include "core/topology.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TWO_SOCKETS "pack:2 numa:1 l3:2 core:4 pu:2" /* 2 x 2 x 4 x 2 = 32 PUs */

static struct pm_topology *open_synthetic(const char *description)
{
    struct pm_topology *topology;
    setenv("HWLOC_SYNTHETIC", description, 1);
    assert_int_equal(pm_topology_open(&topology, NULL), PM_OK);
    unsetenv("HWLOC_SYNTHETIC");
    return topology;
}

static struct pm_pin read_pin(const char *text)
{
    struct pm_pin pin;
    assert_int_equal(pm_pin_read(text, &pin, NULL), PM_OK);
    return pin;
}

/* Asserts that `threads` threads get the CPUs that follow. */
static void assert_assigned(const struct pm_topology *topology, const char *policy, int threads,
                            const int expected[])
{
    const struct pm_pin pin = read_pin(policy);
    int cpus[64];
    assert_int_equal(pm_pin_assign(topology, &pin, threads, cpus, NULL), PM_OK);
    assert_memory_equal(cpus, expected, (size_t)threads * sizeof cpus[0]);
}

static void summary_of_two_sockets(void **state)
{
    struct pm_topology_summary summary;
    struct pm_topology *topology = open_synthetic(TWO_SOCKETS);
    int count;
    (void)state;
    pm_topology_summarize(topology, &summary);
    assert_int_equal(summary.packages, 2);
    assert_int_equal(summary.numa_nodes, 2);
    assert_int_equal(summary.l3_groups, 4);
    assert_int_equal(summary.cores, 16);
    assert_int_equal(summary.pus, 32);
    assert_int_equal(summary.kinds, 1);
    assert_true(summary.l3_bytes > 0);
    const struct pm_topology_pu *pus = pm_topology_pus(topology, &count);
    assert_int_equal(count, 32);
    const struct pm_topology_pu last = {
        .os_index = 31, .core = 15, .package = 1, .numa = 1, .l3 = 3, .smt = 1, .kind = 0};
    assert_memory_equal(&pus[31], &last, sizeof last);
    pm_topology_close(topology);
}

static void machine_without_caches_or_packages(void **state)
{
    struct pm_topology_summary summary;
    struct pm_topology *topology = open_synthetic("pu:3");
    int count;
    (void)state;
    pm_topology_summarize(topology, &summary);
    assert_int_equal(summary.packages, 1);
    assert_int_equal(summary.numa_nodes, 1);
    assert_int_equal(summary.l3_groups, 0);
    assert_int_equal(summary.cores, 3);
    assert_int_equal(summary.l3_bytes, 0);
    assert_int_equal(pm_topology_pus(topology, &count)[2].l3, -1);
    assert_int_equal(count, 3);
    assert_assigned(topology, "core", 3, (const int[]){0, 1, 2});
    pm_topology_close(topology);
}

static void policies(void **state)
{
    struct pm_topology *topology = open_synthetic("pack:2 core:2 pu:2");
    (void)state;
    assert_assigned(topology, "core", 8, (const int[]){0, 2, 4, 6, 1, 3, 5, 7});
    assert_assigned(topology, "thread", 8, (const int[]){0, 1, 2, 3, 4, 5, 6, 7});
    assert_assigned(topology, "none", 3, (const int[]){-1, -1, -1});
    assert_assigned(topology, "5,1-3", 4, (const int[]){5, 1, 2, 3});
    assert_assigned(topology, "5,1-3", 2, (const int[]){5, 1});
    pm_topology_close(topology);
}

/* Linux often numbers the SMT siblings after all cores: order goes by cores, not by numbers. */
static void system_numbers_differ_from_logical_order(void **state)
{
    struct pm_topology *topology = open_synthetic("pack:1 core:2 pu:2(indexes=0,2,1,3)");
    (void)state;
    assert_assigned(topology, "core", 4, (const int[]){0, 1, 2, 3});
    assert_assigned(topology, "thread", 4, (const int[]){0, 2, 1, 3});
    pm_topology_close(topology);
}

static void default_threads(void **state)
{
    struct pm_topology *topology = open_synthetic(TWO_SOCKETS);
    static const struct {
        const char *pin;
        int threads;
    } expected[] = {{"core", 16}, {"none", 16}, {"thread", 32}, {"3,7,9-10", 4}};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct pm_pin pin = read_pin(expected[i].pin);
        assert_int_equal(pm_pin_default_threads(topology, &pin), expected[i].threads);
    }
    pm_topology_close(topology);
}

static void impossible_assignments(void **state)
{
    struct pm_topology *topology = open_synthetic("core:2 pu:2");
    static const struct {
        const char *pin;
        int threads;
        const char *named; /* in the message */
    } bad[] = {
        {"core", 5, "5 threads"}, {"thread", 5, "4 CPUs"}, {"core", 0, "at least 1"},
        {"0,1", 3, "list of 2"},  {"0,4", 1, "CPU 4"},     {"none", 0, "at least 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct pm_pin pin = read_pin(bad[i].pin);
        struct pm_error error;
        int cpus[8];
        assert_int_equal(pm_pin_assign(topology, &pin, bad[i].threads, cpus, &error),
                         bad[i].threads < 1 ? PM_ERROR_ARGUMENT : PM_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.text, bad[i].named));
    }
    pm_topology_close(topology);
}

static void pin_text(void **state)
{
    static const char *const bad[] = {"",    "a",     "0-",   "-",      "-1",          "5-2",
                                      "0,0", "1-3,2", "0,",   ",0",     "0,,1",        "0 1",
                                      "0x1", "1-2-3", "Core", "0-1024", "99999999999", "core,1"};
    struct pm_pin pin = read_pin("2,0,4-7");
    static const int cpus[] = {2, 0, 4, 5, 6, 7};
    (void)state;
    assert_int_equal(pin.policy, PM_PIN_LIST);
    assert_int_equal(pin.cpu_count, 6);
    assert_memory_equal(pin.cpus, cpus, sizeof cpus);
    assert_int_equal(read_pin("0-1023").cpu_count, 1024);
    assert_int_equal(read_pin("core").policy, PM_PIN_CORE);
    assert_int_equal(read_pin("thread").policy, PM_PIN_THREAD);
    assert_int_equal(read_pin("none").policy, PM_PIN_NONE);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct pm_error error = {.text = ""};
        assert_int_equal(pm_pin_read(bad[i], &pin, &error), PM_ERROR_PARSE);
        assert_true(error.text[0] != '\0');
        assert_int_equal(pin.cpu_count, 6); /* untouched */
    }
}

static void pins_on_this_machine(void **state)
{
    struct pm_topology *topology;
    int count;
    (void)state;
    assert_int_equal(pm_topology_open(&topology, NULL), PM_OK);
    const struct pm_topology_pu *pus = pm_topology_pus(topology, &count);
    assert_true(count >= 1);
    for (int i = 0; i < count; i++) {
        assert_int_equal(pm_pin_this_thread(topology, pus[i].os_index, NULL), PM_OK);
        assert_int_equal(sched_getcpu(), pus[i].os_index);
    }
    pm_unpin_this_thread(topology);
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    assert_int_equal(CPU_COUNT(&allowed), count);
    pm_topology_close(topology);
}

static void sees_what_the_process_may_use(void **state)
{
    cpu_set_t before, one;
    struct pm_topology *topology;
    int count;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    const int cpu = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pm_topology_open(&topology, NULL), PM_OK);
    assert_int_equal(pm_topology_pus(topology, &count)[0].os_index, cpu);
    assert_int_equal(count, 1);
    pm_topology_close(topology);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void refuses_to_pin_elsewhere(void **state)
{
    struct pm_topology *topology = open_synthetic("pu:2");
    (void)state;
    assert_int_equal(pm_pin_this_thread(topology, 0, NULL), PM_ERROR_UNSUPPORTED);
    assert_int_equal(pm_pin_this_thread(topology, 2, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_pin_this_thread(topology, -1, NULL), PM_OK);
    pm_topology_close(topology);
    pm_topology_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_of_two_sockets),
        cmocka_unit_test(machine_without_caches_or_packages),
        cmocka_unit_test(policies),
        cmocka_unit_test(system_numbers_differ_from_logical_order),
        cmocka_unit_test(default_threads),
        cmocka_unit_test(impossible_assignments),
        cmocka_unit_test(pin_text),
        cmocka_unit_test(pins_on_this_machine),
        cmocka_unit_test(sees_what_the_process_may_use),
        cmocka_unit_test(refuses_to_pin_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
