/* SPDX-License-Identifier: MIT */
#include "core/environment.h"

#include "core/clock_rate.h"
#include "core/cpu.h"
#include "core/json.h"
#include "plymark_commit.h"

#include <glob.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* CMake knows these; a build by hand does without. */
#ifndef PM_VERSION
#define PM_VERSION "unknown"
#endif
#ifndef PM_BUILD_TYPE
#define PM_BUILD_TYPE "unknown"
#endif
#ifndef PM_C_FLAGS
#define PM_C_FLAGS "unknown"
#endif
#ifndef PM_LTO
#define PM_LTO 0
#endif
#ifndef PM_NATIVE
#define PM_NATIVE 0
#endif
#ifndef PM_PGO
#define PM_PGO ""
#endif
#ifndef PM_SANITIZE
#define PM_SANITIZE ""
#endif
#ifndef PM_HWLOC_VERSION
#define PM_HWLOC_VERSION "unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#elif __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1
#endif

#define ENVIRONMENT_TEXT(member) PM_FIELD(struct pm_environment, member, PM_FIELD_TEXT, 0, 0)
#define ENVIRONMENT_BOOL(member) PM_FIELD(struct pm_environment, member, PM_FIELD_BOOL, 0, 0)
#define ENVIRONMENT_INT(member) PM_FIELD(struct pm_environment, member, PM_FIELD_INT, 0, 1 << 20)

const struct pm_field pm_environment_fields[] = {
    ENVIRONMENT_TEXT(date),
    PM_FIELD_OPTIONAL(struct pm_environment, host_name, PM_FIELD_TEXT, 0, 0),
    ENVIRONMENT_INT(num_cpus),
    PM_FIELD(struct pm_environment, mhz_per_cpu, PM_FIELD_NUMBER, 0, 1e6),
    PM_FIELD_OPTIONAL(struct pm_environment, mhz_measured, PM_FIELD_NUMBER, 0, 1e6),
    ENVIRONMENT_BOOL(cpu_scaling_enabled),
    ENVIRONMENT_TEXT(library_build_type),
    ENVIRONMENT_TEXT(plymark_version),
    PM_FIELD_OPTIONAL(struct pm_environment, commit, PM_FIELD_TEXT, 0, 0),
    ENVIRONMENT_TEXT(cpu_model),
    ENVIRONMENT_TEXT(cpu_features),
    ENVIRONMENT_TEXT(cpu_masked),
    ENVIRONMENT_TEXT(governor),
    ENVIRONMENT_TEXT(virtual_machine),
    ENVIRONMENT_TEXT(os),
    ENVIRONMENT_INT(packages),
    ENVIRONMENT_INT(numa_nodes),
    ENVIRONMENT_INT(l3_groups),
    ENVIRONMENT_INT(cores),
    ENVIRONMENT_INT(pus),
    ENVIRONMENT_INT(smt),
    ENVIRONMENT_TEXT(compiler),
    ENVIRONMENT_TEXT(build_type),
    ENVIRONMENT_TEXT(c_flags),
    ENVIRONMENT_BOOL(lto),
    ENVIRONMENT_BOOL(native),
    ENVIRONMENT_TEXT(pgo),
    ENVIRONMENT_TEXT(sanitizers),
    ENVIRONMENT_TEXT(libraries),
    {.key = NULL},
};

const struct pm_field pm_cache_fields[] = {
    PM_FIELD(struct pm_cache, type, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_cache, level, PM_FIELD_INT, 0, 16),
    PM_FIELD(struct pm_cache, size, PM_FIELD_INT, 0, INT32_MAX),
    PM_FIELD(struct pm_cache, num_sharing, PM_FIELD_INT, 0, 1 << 20),
    {.key = NULL},
};

__attribute__((format(printf, 3, 4))) static void set_text(char *text, size_t size,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

/* The first line of a small file of /sys or /proc; "" if there is none. */
static const char *first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file != NULL) {
        if (fgets(line, (int)size, file) == NULL)
            line[0] = '\0';
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static void gather_date(struct pm_environment *environment)
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(environment->date, sizeof environment->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void gather_governor(struct pm_environment *environment)
{
    glob_t files;
    char line[sizeof environment->governor];
    set_text(environment->governor, sizeof environment->governor, "unknown");
    if (glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", 0, NULL, &files) != 0)
        return;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        first_line(files.gl_pathv[i], line, sizeof line);
        const bool is_same = i == 0 || strcmp(line, environment->governor) == 0;
        set_text(environment->governor, sizeof environment->governor, "%s",
                 is_same ? line : "mixed");
        if (!is_same)
            break;
    }
    globfree(&files);
    environment->cpu_scaling_enabled = strcmp(environment->governor, "performance") != 0;
}

static void gather_mhz(struct pm_environment *environment)
{
    char line[256];
    const char *maximum = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    environment->mhz_per_cpu = strtod(first_line(maximum, line, sizeof line), NULL) / 1000;
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    while (environment->mhz_per_cpu == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "cpu MHz", 7) == 0 && strchr(line, ':') != NULL)
            environment->mhz_per_cpu = strtod(strchr(line, ':') + 1, NULL);
    fclose(file);
}

/* The number of CPUs in a list such as "0-3,8". */
static int count_cpu_list(const char *list)
{
    int count = 0;
    while (*list >= '0' && *list <= '9') {
        char *end;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += (int)(last - first + 1);
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static const char *cache_line(int index, const char *name, char *line, size_t size)
{
    char path[96];
    set_text(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
    return first_line(path, line, size);
}

static void gather_caches(struct pm_environment *environment)
{
    char line[256];
    for (int i = 0; i < PM_MAX_CACHES; i++) {
        struct pm_cache *cache = &environment->caches[i];
        if (cache_line(i, "type", line, sizeof line)[0] == '\0')
            return;
        set_text(cache->type, sizeof cache->type, "%.15s", line);
        cache->level = atoi(cache_line(i, "level", line, sizeof line));
        cache->size = 1024 * atoi(cache_line(i, "size", line, sizeof line)); /* "512K" */
        cache->num_sharing = count_cpu_list(cache_line(i, "shared_cpu_list", line, sizeof line));
        environment->cache_count++;
    }
}

#if defined(__x86_64__)
static void gather_virtual_machine(struct pm_environment *environment)
{
    unsigned a, b, c, d;
    const unsigned hypervisor_bit = 1U << 31;
    char vendor[13] = "";
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & hypervisor_bit)) {
        __cpuid(0x40000000, a, b, c, d);
        memcpy(vendor, &b, 4);
        memcpy(vendor + 4, &c, 4);
        memcpy(vendor + 8, &d, 4);
        set_text(environment->virtual_machine, sizeof environment->virtual_machine, "%s",
                 vendor[0] >= ' ' && vendor[0] <= '~' ? vendor : "unknown hypervisor");
    }
}
#else
static void gather_virtual_machine(struct pm_environment *environment)
{
    static const char *const names[] = {"QEMU",   "KVM",       "VMware",    "Xen",
                                        "Amazon", "Google",    "Microsoft", "VirtualBox",
                                        "Apple",  "OpenStack", "Parallels"};
    char line[64];
    first_line("/sys/class/dmi/id/sys_vendor", line, sizeof line);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(line, names[i]) != NULL)
            set_text(environment->virtual_machine, sizeof environment->virtual_machine, "%s", line);
}
#endif

static void gather_topology(struct pm_environment *environment, const struct pm_topology *topology)
{
    struct pm_topology_summary summary;
    int count = 0;
    pm_topology_summarize(topology, &summary);
    const struct pm_topology_pu *pus = pm_topology_pus(topology, &count);
    environment->packages = summary.packages;
    environment->numa_nodes = summary.numa_nodes;
    environment->l3_groups = summary.l3_groups;
    environment->cores = summary.cores;
    environment->pus = environment->num_cpus = summary.pus;
    for (int i = 0; i < count; i++)
        if (pus[i].smt >= environment->smt)
            environment->smt = pus[i].smt + 1;
}

static void gather_machine(struct pm_environment *environment, bool with_host_name)
{
    struct utsname system;
    set_text(environment->virtual_machine, sizeof environment->virtual_machine, "none");
    gather_virtual_machine(environment);
    if (uname(&system) == 0) {
        set_text(environment->os, sizeof environment->os, "%s %.60s %.30s", system.sysname,
                 system.release, system.machine);
        if (with_host_name)
            set_text(environment->host_name, sizeof environment->host_name, "%s", system.nodename);
    }
    set_text(environment->cpu_model, sizeof environment->cpu_model, "%s", pm_cpu_model_name());
    pm_cpu_features_to_text(pm_cpu_features(), environment->cpu_features,
                            sizeof environment->cpu_features);
    pm_cpu_features_to_text(pm_cpu_masked(), environment->cpu_masked,
                            sizeof environment->cpu_masked);
    if (getloadavg(environment->load_avg, 3) != 3)
        memset(environment->load_avg, 0, sizeof environment->load_avg);
}

static const char *sanitizers(void)
{
#if defined(HAS_ASAN)
    return PM_SANITIZE[0] != '\0' ? PM_SANITIZE : "address";
#elif defined(HAS_TSAN)
    return PM_SANITIZE[0] != '\0' ? PM_SANITIZE : "thread";
#else
    return PM_SANITIZE[0] != '\0' ? PM_SANITIZE : "none";
#endif
}

static void gather_build(struct pm_environment *environment)
{
#if defined(__OPTIMIZE__)
    set_text(environment->library_build_type, sizeof environment->library_build_type, "release");
#else
    set_text(environment->library_build_type, sizeof environment->library_build_type, "debug");
#endif
    set_text(environment->plymark_version, sizeof environment->plymark_version, PM_VERSION);
    set_text(environment->commit, sizeof environment->commit, PM_COMMIT);
    set_text(environment->compiler, sizeof environment->compiler, COMPILER);
    set_text(environment->build_type, sizeof environment->build_type, PM_BUILD_TYPE);
    set_text(environment->c_flags, sizeof environment->c_flags, PM_C_FLAGS);
    set_text(environment->pgo, sizeof environment->pgo, "%s", PM_PGO[0] != '\0' ? PM_PGO : "none");
    set_text(environment->sanitizers, sizeof environment->sanitizers, "%s", sanitizers());
    set_text(environment->libraries, sizeof environment->libraries,
             "glibc %s, hwloc " PM_HWLOC_VERSION ", jansson %s", gnu_get_libc_version(),
             jansson_version_str());
    environment->lto = PM_LTO;
    environment->native = PM_NATIVE;
}

void pm_environment_gather(struct pm_environment *environment, const struct pm_topology *topology,
                           bool with_host_name)
{
    memset(environment, 0, sizeof *environment);
    gather_date(environment);
    gather_machine(environment, with_host_name);
    pm_machine_read("", &environment->machine);
    gather_governor(environment);
    gather_mhz(environment);
    environment->mhz_measured = pm_clock_rate_mhz();
    gather_caches(environment);
    gather_topology(environment, topology);
    gather_build(environment);
}

int pm_environment_warnings(const struct pm_environment *environment, int threads,
                            char warnings[PM_ENVIRONMENT_MAX_WARNINGS][160])
{
    int count = 0;
    if (environment->load_avg[0] + threads > environment->num_cpus + 0.25)
        set_text(
            warnings[count++], sizeof warnings[0],
            "load average is %.2f: with %d thread%s of ours that is more than the %d CPUs here",
            environment->load_avg[0], threads, threads == 1 ? "" : "s", environment->num_cpus);
    if (environment->machine.cpu_quota > 0 && environment->machine.cpu_quota < threads)
        set_text(warnings[count++], sizeof warnings[0],
                 "a cgroup (cpu.max) leaves us the time of %.3g CPUs: %d thread%s of ours will be "
                 "stopped now and then",
                 environment->machine.cpu_quota, threads, threads == 1 ? "" : "s");
    if (environment->cpu_scaling_enabled)
        set_text(warnings[count++], sizeof warnings[0],
                 "the frequency governor is \"%s\", not \"performance\"", environment->governor);
    if (strcmp(environment->library_build_type, "debug") == 0 ||
        strcmp(environment->sanitizers, "none") != 0 || strcmp(environment->pgo, "generate") == 0)
        set_text(warnings[count++], sizeof warnings[0],
                 "not a build for measuring: %s, sanitizers: %s, profile: %s",
                 strcmp(environment->library_build_type, "debug") == 0 ? "not optimized"
                                                                       : "optimized",
                 environment->sanitizers, environment->pgo);
    if (threads > environment->cores)
        set_text(warnings[count++], sizeof warnings[0],
                 "%d threads run on %d core%s: they share them", threads, environment->cores,
                 environment->cores == 1 ? "" : "s");
    return count;
}

json_t *pm_environment_to_json(const struct pm_environment *environment)
{
    json_t *context = pm_fields_write(pm_environment_fields, environment);
    json_t *caches = json_array();
    for (int i = 0; i < environment->cache_count; i++)
        caches = pm_json_append(caches, pm_fields_write(pm_cache_fields, &environment->caches[i]));
    if (environment->host_name[0] == '\0')
        json_object_del(context, "host_name");
    context =
        pm_json_set(context, "machine", pm_fields_write(pm_machine_fields, &environment->machine));
    context = pm_json_set(context, "load_avg", pm_json_reals(environment->load_avg, 3));
    return pm_json_set(context, "caches", caches);
}
