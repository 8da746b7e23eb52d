/* SPDX-License-Identifier: MIT */
/* What is read of a machine, from trees of files made for it. */
#include "core/environment.h"
#include "core/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char root[256];

static int make_root(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(root, sizeof root, "%s/plymark-machine-XXXXXX", base != NULL ? base : P_tmpdir);
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void put(const char *path, const char *text)
{
    char whole[600];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static struct pm_machine read_root(void)
{
    struct pm_machine machine;
    pm_machine_read(root, &machine);
    return machine;
}

static void nothing_is_known(void **state)
{
    const struct pm_machine machine = read_root();
    (void)state;
    assert_int_equal(machine.cpu_family, -1);
    assert_int_equal(machine.cpu_model_number, -1);
    assert_string_equal(machine.cpu_microcode, "unknown");
    assert_int_equal(machine.memory_bytes, 0);
    assert_string_equal(machine.huge_pages, "unknown");
    assert_string_equal(machine.mitigations, "unknown");
    assert_true(machine.cpu_quota == 0);
}

static void all_is_known(void **state)
{
    (void)state;
    put("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n"
                         "model\t\t: 2\nmodel name\t: AMD EPYC\nstepping\t: 1\n"
                         "microcode\t: 0x1000065\n\nprocessor\t: 1\nmodel\t\t: 3\n");
    put("/proc/meminfo", "MemFree:  5 kB\nMemTotal:       24576000 kB\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("/sys/devices/system/cpu/vulnerabilities/tsa", "Mitigation: Clear CPU buffers\n");
    put("/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
    put("/sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
    put("/sys/devices/system/cpu/vulnerabilities/spec_store_bypass", "Vulnerable\n");
    const struct pm_machine machine = read_root();
    assert_int_equal(machine.cpu_family, 26);
    assert_int_equal(machine.cpu_model_number, 2);
    assert_int_equal(machine.cpu_stepping, 1);
    assert_string_equal(machine.cpu_microcode, "0x1000065");
    assert_true(machine.memory_bytes == 24576000ULL << 10);
    assert_string_equal(machine.huge_pages, "madvise");
    assert_string_equal(machine.mitigations, "spectre_v2,tsa");
}

static void quota_of_second_version(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/outer/inner\n");
    put("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    assert_true(read_root().cpu_quota == 0);
    put("/sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
    assert_true(read_root().cpu_quota == 0.5);
    put("/sys/fs/cgroup/outer/inner/cpu.max", "300000 100000\n");
    assert_true(read_root().cpu_quota == 0.5);
    put("/sys/fs/cgroup/outer/inner/cpu.max", "25000 100000\n");
    assert_true(read_root().cpu_quota == 0.25);
}

static void quota_of_first_version(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "5:cpuset:/other\n4:cpuacct,cpu:/box\n0::/\n");
    put("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
    assert_true(read_root().cpu_quota == 0);
    put("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "150000\n");
    assert_true(read_root().cpu_quota == 1.5);
}

static void small_quota_is_warned_of(void **state)
{
    struct pm_environment environment = {.num_cpus = 4,
                                         .cores = 4,
                                         .library_build_type = "release",
                                         .sanitizers = "none",
                                         .pgo = "none"};
    char warnings[PM_ENVIRONMENT_MAX_WARNINGS][160];
    (void)state;
    assert_int_equal(pm_environment_warnings(&environment, 1, warnings), 0);
    environment.machine.cpu_quota = 0.5;
    assert_int_equal(pm_environment_warnings(&environment, 1, warnings), 1);
    assert_non_null(strstr(warnings[0], "0.5 CPUs"));
    environment.machine.cpu_quota = 2;
    assert_int_equal(pm_environment_warnings(&environment, 2, warnings), 0);
    assert_int_equal(pm_environment_warnings(&environment, 3, warnings), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_known, make_root, remove_root),
        cmocka_unit_test_setup_teardown(all_is_known, make_root, remove_root),
        cmocka_unit_test_setup_teardown(quota_of_second_version, make_root, remove_root),
        cmocka_unit_test_setup_teardown(quota_of_first_version, make_root, remove_root),
        cmocka_unit_test(small_quota_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
