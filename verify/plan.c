/* SPDX-License-Identifier: MIT */
/* From the words after -s to suites in memory. */
#include "core/nearest.h"
#include "core/position.h"
#include "verify/verify.h"

#include <dirent.h>
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

static const char *set_names(char *text, size_t size)
{
    text[0] = '\0';
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s",
                 set == pm_verify_sets ? "" : ", ", set->name);
    return text;
}

/* What is nearest to a word among the sets and the suites of a folder, in words: "". */
static const char *suggest(const char *word, const char *folder, char *text, size_t size)
{
    char best[NAME_MAX + 1] = "";
    unsigned distance = UINT_MAX;
    for (const struct pm_verify_set *set = pm_verify_sets; set->name != NULL; set++)
        pm_nearest(word, set->name, &distance, best, sizeof best);
    DIR *listing = opendir(folder);
    for (const struct dirent *file = listing != NULL ? readdir(listing) : NULL; file != NULL;
         file = readdir(listing))
        if (ends_with_epd(file->d_name)) {
            char name[NAME_MAX + 1];
            snprintf(name, sizeof name, "%.*s", (int)strlen(file->d_name) - 4, file->d_name);
            pm_nearest(word, name, &distance, best, sizeof best);
        }
    if (listing != NULL)
        closedir(listing);
    text[0] = '\0';
    if (best[0] != '\0')
        snprintf(text, size, "; did you mean %.100s?", best);
    return text;
}

static enum pm_status find_suite(const char *folder, const char *word, char *path, size_t size,
                                 bool *foreign, struct pm_error *error)
{
    char sets[128], suggestion[160];
    if (strchr(word, '/') != NULL && !is_there(word))
        return pm_fail(error, PM_ERROR_IO, "%s: no such file, or not readable", word);
    *foreign = is_there(word);
    if (*foreign) {
        snprintf(path, size, "%s", word);
        return PM_OK;
    }
    if (snprintf(path, size, "%s/%s%s", folder, word, ends_with_epd(word) ? "" : ".epd") <
            (int)size &&
        is_there(path))
        return PM_OK;
    if (!is_there(folder))
        return pm_fail(error, PM_ERROR_IO, "%s: no such folder of suites", folder);
    return pm_fail(
        error, PM_ERROR_ARGUMENT, "'%s' is no set (%s), no file, and no suite in %.200s%s", word,
        set_names(sets, sizeof sets), folder, suggest(word, folder, suggestion, sizeof suggestion));
}

static void free_suite(struct pm_verify_suite *suite)
{
    for (size_t i = 0; i < suite->name_count; i++)
        free(suite->names[i].text);
    free(suite->names);
    free(suite->word);
    pm_suite_free(&suite->suite);
    pm_suite_free(&suite->left_out);
}

/* `word` names it alone. */
static enum pm_status add_file(struct pm_verify_plan *plan, const char *path, const char *word,
                               bool foreign, const struct pm_verify_limits *limits,
                               struct pm_error *error)
{
    struct pm_verify_suite *suites =
        realloc(plan->suites, (plan->suite_count + 1) * sizeof *plan->suites);
    if (suites == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the suite %s", path);
    plan->suites = suites;
    struct pm_verify_suite *added = &suites[plan->suite_count];
    *added = (struct pm_verify_suite){.limits = *limits, .word = strdup(word), .foreign = foreign};
    const enum pm_status status = added->word != NULL
                                      ? pm_suite_read_file(path, &added->suite, error)
                                      : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    if (status == PM_OK)
        plan->suite_count++;
    else
        free_suite(added);
    return status;
}

static enum pm_status add_set(struct pm_verify_plan *plan, const struct pm_verify_set *set,
                              struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (const struct pm_verify_set_member *item = set->items; item->suite != NULL; item++) {
        char path[2 * PATH_MAX];
        char file[64];
        snprintf(file, sizeof file, "%s.epd", item->suite);
        bool foreign;
        status = find_suite(plan->folder, file, path, sizeof path, &foreign, error);
        if (status == PM_OK)
            status = add_file(plan, path, file, foreign, item->is_aimed ? &set->aimed : &set->usual,
                              error);
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
    for (const struct pm_verify_set_member *item = set->items; item->suite != NULL; item++) {
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
    bool foreign;

    if (set != NULL)
        return add_set(plan, set, error);
    const enum pm_status status =
        find_suite(plan->folder, word, path, sizeof path, &foreign, error);
    return status == PM_OK ? add_file(plan, path, word, foreign, limits_of(path), error) : status;
}

/* "castling 36, pin 15": how many bugs a row of smoke catches says nothing of its position. */
static bool is_list_of_counts(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789 ";
    for (;;) {
        const size_t length = strspn(text, letters);
        if (length < 3 || strchr("0123456789", text[length - 1]) == NULL)
            return false;
        text += length;
        if (*text != ',')
            return *text == '\0';
        text++;
    }
}

static bool mentions(const struct pm_suite_entry *entry, const void *text)
{
    for (unsigned i = 0; i < entry->opcode_count; i++) {
        const struct pm_suite_opcode *opcode = &entry->opcodes[i];
        const bool says_something =
            strcmp(opcode->name, "id") == 0 || !is_list_of_counts(opcode->operand);
        if (says_something && strcasestr(opcode->operand, text) != NULL)
            return true;
    }
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
            free_suite(item);
    }
    plan->suite_count = suites;
    plan->distinct_depth = 0;
    plan->random.positions = 0;
    return positions;
}

bool pm_verify_is_reachable(const struct pm_suite_entry *entry)
{
    return (entry->warnings & (PM_WARN_MATERIAL | PM_WARN_CHECKERS | PM_WARN_EN_PASSANT)) == 0;
}

/* Moves what can't be reached to left_out. */
static bool leave_out(struct pm_verify_suite *suite)
{
    struct pm_suite *kept = &suite->suite, *out = &suite->left_out;
    const size_t count = kept->entry_count;
    out->entries = calloc(count + 1, sizeof *out->entries);
    if (out->entries == NULL)
        return false;
    kept->entry_count = 0;
    for (size_t i = 0; i < count; i++)
        if (pm_verify_is_reachable(&kept->entries[i]))
            kept->entries[kept->entry_count++] = kept->entries[i];
        else
            out->entries[out->entry_count++] = kept->entries[i];
    return true;
}

enum pm_status pm_verify_plan_keep_reachable(struct pm_verify_plan *plan)
{
    for (size_t i = 0; i < plan->suite_count; i++)
        if (!leave_out(&plan->suites[i]))
            return PM_ERROR_MEMORY;
    return PM_OK;
}

void pm_verify_plan_free(struct pm_verify_plan *plan)
{
    for (size_t i = 0; i < plan->suite_count; i++)
        free_suite(&plan->suites[i]);
    free(plan->suites);
    *plan = (struct pm_verify_plan){.folder = plan->folder};
}
