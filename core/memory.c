/* SPDX-License-Identifier: MIT */
#include "core/memory.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_LINE ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)

static const char units[] = "KMGT"; /* each 1024 times the one before */

bool pm_memory_from_text(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    const uint64_t number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || errno == ERANGE)
        return false;
    unsigned shift = 0;
    if (*end != '\0') {
        const char *unit = strchr(units, toupper((unsigned char)*end));
        if (unit == NULL || end[1] != '\0')
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (number >> (63 - shift) != 0)
        return false;
    *bytes = number << shift;
    return true;
}

char *pm_memory_to_text(uint64_t bytes, char text[PM_MEMORY_TEXT_SIZE])
{
    unsigned unit = 0;
    while (bytes > 0 && bytes % 1024 == 0 && unit < sizeof units - 1) {
        bytes /= 1024;
        unit++;
    }
    if (unit == 0)
        snprintf(text, PM_MEMORY_TEXT_SIZE, "%" PRIu64 " bytes", bytes);
    else
        snprintf(text, PM_MEMORY_TEXT_SIZE, "%" PRIu64 " %ciB", bytes, units[unit - 1]);
    return text;
}

/* The number behind `name` in a file of the system's, UINT64_MAX if it is not there. */
static uint64_t read_number(const char *path, const char *name)
{
    char line[128];
    uint64_t number = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return UINT64_MAX;
    while (number == UINT64_MAX && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0 &&
            sscanf(line + strlen(name), "%" SCNu64, &number) != 1)
            break;
    fclose(file);
    return number;
}

uint64_t pm_memory_available(void)
{
    const uint64_t kib = read_number("/proc/meminfo", "MemAvailable:");
    const uint64_t machine = kib > UINT64_MAX / 1024 ? UINT64_MAX : 1024 * kib;
    const uint64_t group = read_number("/sys/fs/cgroup/memory.max", "");
    return group < machine ? group : machine;
}

void *pm_memory_take(size_t bytes)
{
    const size_t unit = bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE;
    const size_t size = (bytes + unit - 1) / unit * unit;
    void *memory = aligned_alloc(unit, size);
    if (memory != NULL && unit == HUGE_PAGE)
        madvise(memory, size, MADV_HUGEPAGE); /* slower without, no more */
    return memory;
}
