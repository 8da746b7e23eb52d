/* SPDX-License-Identifier: MIT */
#include "core/machine.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_OPTIONAL(member, kind, low, high)                                                  \
    PM_FIELD_OPTIONAL(struct pm_machine, member, kind, low, high)

const struct pm_field pm_machine_fields[] = {
    MACHINE_OPTIONAL(cpu_family, PM_FIELD_INT, -1, INT_MAX),
    MACHINE_OPTIONAL(cpu_model_number, PM_FIELD_INT, -1, INT_MAX),
    MACHINE_OPTIONAL(cpu_stepping, PM_FIELD_INT, -1, INT_MAX),
    MACHINE_OPTIONAL(cpu_microcode, PM_FIELD_TEXT, 0, 0),
    MACHINE_OPTIONAL(memory_bytes, PM_FIELD_COUNT, 0, PM_FIELD_COUNT_MAX),
    MACHINE_OPTIONAL(huge_pages, PM_FIELD_TEXT, 0, 0),
    MACHINE_OPTIONAL(mitigations, PM_FIELD_TEXT, 0, 0),
    MACHINE_OPTIONAL(cpu_quota, PM_FIELD_NUMBER, 0, 1e6),
    {.key = NULL},
};

#define PATH_SIZE 4096

__attribute__((format(printf, 2, 3))) static FILE *open_file(const char *root, const char *format,
                                                             ...)
{
    char path[PATH_SIZE];
    va_list arguments;
    const int length = snprintf(path, sizeof path, "%s", root);
    if (length < 0 || (size_t)length >= sizeof path)
        return NULL;
    va_start(arguments, format);
    const int added = vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
    va_end(arguments);
    return added >= 0 && (size_t)length + (size_t)added < sizeof path ? fopen(path, "r") : NULL;
}

/* ---- Lines "key : value" ---- */

/* The value of the first line that begins with the key and a colon; NULL if there is none. */
static const char *find_value(FILE *file, const char *key, char *line, size_t size)
{
    const size_t length = strlen(key);
    rewind(file);
    while (fgets(line, (int)size, file) != NULL) {
        const char *colon = line + length + strspn(line + length, " \t");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        line[strcspn(line, "\n")] = '\0';
        return colon + 1 + strspn(colon + 1, " \t");
    }
    return NULL;
}

static int find_number(FILE *file, const char *key)
{
    char line[PATH_SIZE];
    const char *value = find_value(file, key, line, sizeof line);
    return value != NULL ? atoi(value) : -1;
}

static void read_cpu(const char *root, struct pm_machine *machine)
{
    char line[PATH_SIZE];
    FILE *file = open_file(root, "/proc/cpuinfo");
    if (file == NULL)
        return;
    machine->cpu_family = find_number(file, "cpu family");
    machine->cpu_model_number = find_number(file, "model");
    machine->cpu_stepping = find_number(file, "stepping");
    const char *microcode = find_value(file, "microcode", line, sizeof line);
    if (microcode != NULL)
        snprintf(machine->cpu_microcode, sizeof machine->cpu_microcode, "%.23s", microcode);
    fclose(file);
}

static void read_memory(const char *root, struct pm_machine *machine)
{
    char line[PATH_SIZE];
    FILE *file = open_file(root, "/proc/meminfo");
    if (file == NULL)
        return;
    const char *kibibytes = find_value(file, "MemTotal", line, sizeof line);
    if (kibibytes != NULL)
        machine->memory_bytes = strtoull(kibibytes, NULL, 10) << 10;
    fclose(file);
}

/* "always [madvise] never": the one in brackets. */
static void read_huge_pages(const char *root, struct pm_machine *machine)
{
    char line[256];
    FILE *file = open_file(root, "/sys/kernel/mm/transparent_hugepage/enabled");
    if (file == NULL)
        return;
    if (fgets(line, sizeof line, file) != NULL && strchr(line, '[') != NULL)
        snprintf(machine->huge_pages, sizeof machine->huge_pages, "%.*s",
                 (int)strcspn(strchr(line, '[') + 1, "]"), strchr(line, '[') + 1);
    fclose(file);
}

/* ---- Mitigations ---- */

static bool is_mitigated(const char *root, const char *name)
{
    char line[256];
    FILE *file = open_file(root, "/sys/devices/system/cpu/vulnerabilities/%s", name);
    if (file == NULL)
        return false;
    const bool is_on =
        fgets(line, sizeof line, file) != NULL && strncmp(line, "Mitigation", 10) == 0;
    fclose(file);
    return is_on;
}

static void read_mitigations(const char *root, struct pm_machine *machine)
{
    char path[PATH_SIZE];
    struct dirent **names;
    size_t used = 0;
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/vulnerabilities", root);
    const int count = scandir(path, &names, NULL, alphasort);
    if (count < 0)
        return;
    snprintf(machine->mitigations, sizeof machine->mitigations, "none");
    for (int i = 0; i < count; i++) {
        if (is_mitigated(root, names[i]->d_name) && used < sizeof machine->mitigations)
            used +=
                (size_t)snprintf(machine->mitigations + used, sizeof machine->mitigations - used,
                                 "%s%s", used > 0 ? "," : "", names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

/* ---- cgroups ---- */

static double smaller_quota(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* "max 100000" or "50000 100000", of cgroup v2. */
static double quota_of_v2(const char *root, const char *path)
{
    double quota = 0, period = 0;
    FILE *file = open_file(root, "/sys/fs/cgroup%s/cpu.max", path);
    if (file == NULL)
        return 0;
    const int found = fscanf(file, "%lf %lf", &quota, &period);
    fclose(file);
    return found == 2 && quota > 0 && period > 0 ? quota / period : 0;
}

static double number_of_v1(const char *root, const char *path, const char *name)
{
    double number = 0;
    FILE *file = open_file(root, "/sys/fs/cgroup/cpu%s/%s", path, name);
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lf", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

static double quota_of_v1(const char *root, const char *path)
{
    const double quota = number_of_v1(root, path, "cpu.cfs_quota_us");
    const double period = number_of_v1(root, path, "cpu.cfs_period_us");
    return quota > 0 && period > 0 ? quota / period : 0;
}

/* The least of a cgroup's and all those that it lies in. */
static double least_quota(const char *root, char *path,
                          double (*quota_of)(const char *, const char *))
{
    double least = 0;
    for (char *end = path + strlen(path); end != NULL; end = strrchr(path, '/')) {
        *end = '\0';
        least = smaller_quota(quota_of(root, path), least);
    }
    return least;
}

/* Whether a line of /proc/self/cgroup, "4:cpu,cpuacct:/path", names the controller cpu. */
static bool has_cpu_controller(const char *controllers, const char *end)
{
    for (const char *word = controllers; word < end; word += strcspn(word, ",:") + 1)
        if (strncmp(word, "cpu", 3) == 0 && (word[3] == ',' || word[3] == ':'))
            return true;
    return false;
}

static void read_quota(const char *root, struct pm_machine *machine)
{
    char line[PATH_SIZE];
    FILE *file = open_file(root, "/proc/self/cgroup");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        line[strcspn(line, "\n")] = '\0';
        if (path == NULL)
            continue;
        const bool is_v2 = path == controllers + 1;
        if (is_v2 || has_cpu_controller(controllers + 1, path))
            machine->cpu_quota = smaller_quota(
                least_quota(root, path + 1, is_v2 ? quota_of_v2 : quota_of_v1), machine->cpu_quota);
    }
    if (file != NULL)
        fclose(file);
}

void pm_machine_read(const char *root, struct pm_machine *machine)
{
    *machine = (struct pm_machine){.cpu_family = -1,
                                   .cpu_model_number = -1,
                                   .cpu_stepping = -1,
                                   .cpu_microcode = "unknown",
                                   .huge_pages = "unknown",
                                   .mitigations = "unknown"};
    read_cpu(root, machine);
    read_memory(root, machine);
    read_huge_pages(root, machine);
    read_mitigations(root, machine);
    read_quota(root, machine);
}
