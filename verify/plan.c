/* SPDX-License-Identifier: MIT */
/* From the words after -s to suites in memory. */
#include "core/position.h"
#include "verify/verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

static bool ends_with_epd(const char *word)
{
    const size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".epd") == 0;
}

static enum pm_status find_suite(const char *folder, const char *word, char *path, size_t size,
                                 struct pm_error *error)
{
    if (strchr(word, '/') != NULL && !is_there(word))
        return pm_fail(error, PM_ERROR_IO, "%s: no such file, or not readable", word);
    if (is_there(word)) {
        snprintf(path, size, "%s", word);
        return PM_OK;
    }
    if (snprintf(path, size, "%s/%s%s", folder, word, ends_with_epd(word) ? "" : ".epd") <
            (int)size &&
        is_there(path))
        return PM_OK;
    if (!is_there(folder))
        return pm_fail(error, PM_ERROR_IO, "%s: no such folder of suites", folder);
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "'%s' is no set (quick, standard, full), no file, and no suite in %s", word,
                   folder);
}

static enum pm_status add_file(struct pm_verify_plan *plan, const char *path,
                               const struct pm_verify_limits *limits, struct pm_error *error)
{
    struct pm_verify_suite *suites =
        realloc(plan->suites, (plan->suite_count + 1) * sizeof *plan->suites);
    if (suites == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the suite %s", path);
    plan->suites = suites;
    struct pm_verify_suite *added = &suites[plan->suite_count];
    *added = (struct pm_verify_suite){.limits = *limits};
    const enum pm_status status = pm_suite_read_file(path, &added->suite, error);
    if (status == PM_OK)
        plan->suite_count++;
    else
        pm_suite_free(&added->suite);
    return status;
}

static enum pm_status add_set(struct pm_verify_plan *plan, const struct pm_verify_set *set,
                              struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (const struct pm_verify_item *item = set->items; item->suite != NULL; item++) {
        char path[2 * PATH_MAX];
        char file[64];
        snprintf(file, sizeof file, "%s.epd", item->suite);
        status = find_suite(plan->folder, file, path, sizeof path, error);
        if (status == PM_OK)
            status = add_file(plan, path, item->is_aimed ? &set->aimed : &set->usual, error);
        if (status != PM_OK)
            return status;
    }
    if (set->distinct_depth > plan->distinct_depth)
        plan->distinct_depth = set->distinct_depth;
    if (set->random.positions > plan->random.positions)
        plan->random = set->random;
    plan->all_threads = plan->all_threads || set->all_threads;
    return PM_OK;
}

/* A suite has the limits that the set "standard" gives it, a foreign file the usual ones.
 */
static const struct pm_verify_limits *limits_of(const char *path)
{
    const struct pm_verify_set *set = pm_verify_set_find("standard");
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (const struct pm_verify_item *item = set->items; item->suite != NULL; item++) {
        const size_t length = strlen(item->suite);
        if (strncmp(name, item->suite, length) == 0 && strcmp(name + length, ".epd") == 0)
            return item->is_aimed ? &set->aimed : &set->usual;
    }
    return &set->usual;
}

enum pm_status pm_verify_plan_add(struct pm_verify_plan *plan, const char *word,
                                  struct pm_error *error)
{
    const struct pm_verify_set *set = pm_verify_set_find(word);
    char path[2 * PATH_MAX];

    if (set != NULL)
        return add_set(plan, set, error);
    const enum pm_status status = find_suite(plan->folder, word, path, sizeof path, error);
    return status == PM_OK ? add_file(plan, path, limits_of(path), error) : status;
}

static bool mentions(const struct pm_suite_entry *entry, const void *text)
{
    for (unsigned i = 0; i < entry->opcode_count; i++)
        if (strcasestr(entry->opcodes[i].operand, text) != NULL)
            return true;
    return false;
}

size_t pm_verify_plan_filter(struct pm_verify_plan *plan, const char *text)
{
    size_t suites = 0, positions = 0;
    for (size_t i = 0; i < plan->suite_count; i++) {
        struct pm_verify_suite *item = &plan->suites[i];
        if (strcasestr(item->suite.name, text) == NULL)
            pm_suite_filter(&item->suite, mentions, text);
        positions += item->suite.entry_count;
        if (item->suite.entry_count > 0)
            plan->suites[suites++] = *item;
        else
            pm_suite_free(&item->suite);
    }
    plan->suite_count = suites;
    plan->distinct_depth = 0;
    plan->random.positions = 0;
    return positions;
}

static bool is_reachable(const struct pm_suite_entry *entry, const void *context)
{
    (void)context;
    return (entry->warnings & (PM_WARN_MATERIAL | PM_WARN_CHECKERS | PM_WARN_EN_PASSANT)) == 0;
}

void pm_verify_plan_keep_reachable(struct pm_verify_plan *plan)
{
    for (size_t i = 0; i < plan->suite_count; i++)
        pm_suite_filter(&plan->suites[i].suite, is_reachable, NULL);
}

void pm_verify_plan_free(struct pm_verify_plan *plan)
{
    for (size_t i = 0; i < plan->suite_count; i++)
        pm_suite_free(&plan->suites[i].suite);
    free(plan->suites);
    *plan = (struct pm_verify_plan){.folder = plan->folder};
}
