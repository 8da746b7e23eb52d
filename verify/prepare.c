/* SPDX-License-Identifier: MIT */
/* From a plan to a report that holds all of it, none of it run. */
#include "core/cpu.h"
#include "verify/internal.h"
#include "verify/outside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names of positions ---- */

static int by_line(const void *a, const void *b)
{
    const struct pm_verify_name *const x = a, *const y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_text(const void *a, const void *b)
{
    const struct pm_verify_name *const x = a, *const y = b;
    const int order = strcmp(x->text, y->text);
    return order != 0 ? order : by_line(a, b);
}

static bool name_entries(const struct pm_suite *suite, struct pm_verify_suite *named)
{
    for (size_t i = 0; i < suite->entry_count; i++) {
        const struct pm_suite_entry *entry = &suite->entries[i];
        const char *id = pm_suite_entry_opcode(entry, "id");
        char *text = pm_verify_printable(id != NULL && id[0] != '\0' ? id : entry->fen);
        if (text == NULL)
            return false;
        named->names[named->name_count++] =
            (struct pm_verify_name){.line = entry->line, .text = text};
    }
    return true;
}

/* The second of a name gets "#2", and so on. The names are sorted by text. */
static bool tell_apart(struct pm_verify_suite *suite)
{
    size_t first = 0;
    for (size_t i = 1; i < suite->name_count; i++) {
        struct pm_verify_name *name = &suite->names[i];
        char *numbered = NULL;
        if (strcmp(name->text, suite->names[first].text) != 0) {
            first = i;
            continue;
        }
        if (asprintf(&numbered, "%s#%zu", name->text, i - first + 1) < 0)
            return false;
        free(name->text);
        name->text = numbered;
    }
    return true;
}

static bool name_positions(struct pm_verify_suite *suite)
{
    const size_t count = suite->suite.entry_count + suite->left_out.entry_count;
    if (suite->names != NULL)
        return true;
    suite->names = calloc(count + 1, sizeof *suite->names);
    if (suite->names == NULL || !name_entries(&suite->suite, suite) ||
        !name_entries(&suite->left_out, suite))
        return false;
    qsort(suite->names, suite->name_count, sizeof *suite->names, by_text);
    const bool has_room = tell_apart(suite);
    qsort(suite->names, suite->name_count, sizeof *suite->names, by_line);
    return has_room;
}

const char *pm_verify_name(const struct pm_verify_suite *suite, unsigned line)
{
    const struct pm_verify_name wanted = {.line = line};
    const struct pm_verify_name *found =
        bsearch(&wanted, suite->names, suite->name_count, sizeof wanted, by_line);
    return found != NULL ? found->text : NULL;
}

/* ---- Which checks ---- */

static bool offers(const struct pm_verify_config *config, const struct pm_kernel *kernel,
                   enum pm_check check)
{
    switch (check) {
    case PM_CHECK_MAKE:
    case PM_CHECK_BULK:
    case PM_CHECK_LOOKAHEAD:
        return (kernel->capabilities & PM_CAN_MODE(pm_check_mode(check))) != 0;
    case PM_CHECK_MIRROR:
        return (kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK)) != 0;
    case PM_CHECK_ATTACKS:
        return kernel->attacks != NULL && config->reference->attacks != NULL &&
               kernel != config->reference;
    case PM_CHECK_KEY:
        return kernel->key != NULL;
    case PM_CHECK_EXPANDER:
        return kernel->expander != NULL;
    case PM_CHECK_RANDOM:
        return kernel != config->reference;
    case PM_CHECK_MOVES:
    case PM_CHECK_ROUND_TRIP:
    case PM_CHECK_DISTINCT:
        return true;
    case PM_CHECK_OUTSIDE:
    case PM_CHECK_COUNT:
        break;
    }
    return false;
}

static bool is_chosen(const struct pm_verify_config *config, const struct pm_kernel *kernel,
                      enum pm_check check)
{
    return (config->checks & PM_CHECK_BIT(check)) != 0 && offers(config, kernel, check);
}

bool pm_verify_counts_rows(enum pm_check check)
{
    return pm_check_mode(check) >= 0 || check == PM_CHECK_OUTSIDE || check == PM_CHECK_MIRROR;
}

static uint64_t limit_of(const struct pm_kernel *kernel, enum pm_check check,
                         const struct pm_verify_limits *limits)
{
    const bool is_reference = kernel != NULL && (kernel->capabilities & PM_IS_REFERENCE) != 0;
    if (check == PM_CHECK_MOVES)
        return is_reference ? 1 : limits->walk;
    if (!pm_verify_counts_rows(check))
        return 0;
    if (is_reference)
        return limits->reference;
    return check == PM_CHECK_BULK || check == PM_CHECK_LOOKAHEAD ? limits->bulk : limits->make;
}

/* ---- Cases ---- */

struct adder {
    const struct pm_verify_plan *plan;
    const struct pm_verify_config *config;
    struct pm_verify_report *report;
};

static struct pm_verify_case *add_case(const struct adder *adder, const char *suite, int subject,
                                       enum pm_check check)
{
    struct pm_verify_report *report = adder->report;
    struct pm_verify_case *cases =
        realloc(report->cases, (report->case_count + 1) * sizeof *report->cases);
    if (cases == NULL)
        return NULL;
    report->cases = cases;
    struct pm_verify_case *added = &cases[report->case_count];
    *added = (struct pm_verify_case){.suite = pm_verify_printable(suite),
                                     .kernel = report->names[subject],
                                     .lineage = subject < adder->config->kernel_count
                                                    ? adder->config->kernels[subject]->lineage
                                                    : report->names[subject],
                                     .suite_index = -1,
                                     .subject = subject,
                                     .check = check};
    if (added->suite == NULL)
        return NULL;
    report->case_count++;
    if (subject < adder->config->kernel_count &&
        (adder->config->kernels[subject]->cpu_required & ~pm_cpu_features()) != 0)
        added->skipped = "the machine lacks CPU features that this kernel needs";
    return added;
}

/* Seconds that a row takes, roughly: so that a run's progress can be told. */
static double weigh_row(const struct adder *adder, const struct pm_verify_case *result,
                        pm_count nodes)
{
    const bool is_reference = result->subject < adder->config->kernel_count &&
                              adder->config->kernels[result->subject] == adder->config->reference;
    if (result->check == PM_CHECK_OUTSIDE)
        return 2e-3 + 1e-8 * (double)nodes;
    if (is_reference)
        return 2e-7 * (double)nodes;
    return 1e-6 + (result->check == PM_CHECK_MAKE ? 2e-8 : 5e-9) * (double)nodes;
}

static void plan_counts(const struct adder *adder, const struct pm_suite_entry *entry,
                        struct pm_verify_case *result)
{
    struct pm_verify_position *test = pm_verify_find_test(result, entry->line);
    for (unsigned i = 0; i < entry->count_count; i++) {
        const bool is_over = entry->counts[i].nodes > result->limit;
        result->rows_total++;
        if (is_over)
            result->rows_over_limit++;
        else
            result->weight += weigh_row(adder, result, entry->counts[i].nodes);
        if (test != NULL && is_over)
            test->over_limit++;
        else if (test != NULL)
            test->stopped++;
    }
}

/* A position of any other check is one row. */
static void plan_position(struct pm_verify_case *result)
{
    result->rows_total++;
    result->weight += 1e-4;
    if (result->check == PM_CHECK_MOVES)
        result->weight += 3e-6 * (double)result->limit;
}

static bool add_tests(const struct pm_verify_suite *suite, struct pm_verify_case *result)
{
    result->tests = calloc(suite->name_count + 1, sizeof *result->tests);
    for (size_t i = 0; result->tests != NULL && i < suite->name_count; i++)
        result->tests[result->test_count++] =
            (struct pm_verify_position){.line = suite->names[i].line, .name = suite->names[i].text};
    return result->tests != NULL;
}

/* What --reachable left out is told of, too. */
static void note_left_out(const struct pm_suite *left_out, struct pm_verify_case *result)
{
    for (size_t i = 0; i < left_out->entry_count; i++) {
        const struct pm_suite_entry *entry = &left_out->entries[i];
        struct pm_verify_position *test = pm_verify_find_test(result, entry->line);
        result->rows_unreachable += pm_verify_counts_rows(result->check) ? entry->count_count : 1;
        if (test != NULL)
            test->unreachable = true;
    }
}

static enum pm_status add_suite_case(const struct adder *adder, int index, int subject,
                                     enum pm_check check)
{
    const struct pm_verify_suite *suite = &adder->plan->suites[index];
    const struct pm_kernel *kernel =
        subject < adder->config->kernel_count ? adder->config->kernels[subject] : NULL;
    struct pm_verify_case *result = add_case(adder, suite->suite.name, subject, check);
    if (result == NULL)
        return PM_ERROR_MEMORY;
    result->suite_index = index;
    result->word = suite->word;
    result->limit = limit_of(kernel, check, &suite->limits);
    if (check == PM_CHECK_OUTSIDE && !add_tests(suite, result))
        return PM_ERROR_MEMORY;
    result->positions_total = suite->suite.entry_count;
    for (size_t i = 0; i < suite->suite.entry_count; i++)
        if (pm_verify_counts_rows(check))
            plan_counts(adder, &suite->suite.entries[i], result);
        else
            plan_position(result);
    result->rows_stopped = result->rows_total - result->rows_over_limit;
    note_left_out(&suite->left_out, result);
    result->rows_total += result->rows_unreachable;
    result->positions_total += suite->left_out.entry_count;
    return PM_OK;
}

static enum pm_status add_suite(const struct adder *adder, int index)
{
    const struct pm_verify_config *config = adder->config;
    enum pm_status status = PM_OK;
    for (int k = 0; k < config->kernel_count; k++)
        for (int check = 0; check < PM_CHECK_RANDOM; check++)
            if (status == PM_OK && check != PM_CHECK_DISTINCT &&
                is_chosen(config, config->kernels[k], (enum pm_check)check))
                status = add_suite_case(adder, index, k, (enum pm_check)check);
    for (int k = 0; k < config->outside_count; k++)
        if (status == PM_OK && (config->checks & PM_CHECK_BIT(PM_CHECK_OUTSIDE)) != 0)
            status = add_suite_case(adder, index, config->kernel_count + k, PM_CHECK_OUTSIDE);
    return status;
}

/* Checks that need no suite: each kernel's own rows. */
static enum pm_status add_others(const struct adder *adder, enum pm_check check, const char *name,
                                 uint64_t rows, double seconds_a_row)
{
    const struct pm_verify_config *config = adder->config;
    for (int k = 0; k < config->kernel_count && rows > 0; k++) {
        if (!is_chosen(config, config->kernels[k], check))
            continue;
        struct pm_verify_case *result = add_case(adder, name, k, check);
        if (result == NULL)
            return PM_ERROR_MEMORY;
        result->positions_total = check == PM_CHECK_RANDOM ? rows : 1;
        result->rows_total = result->rows_stopped = rows;
        result->limit = check == PM_CHECK_RANDOM ? adder->plan->random.limit : 0;
        result->weight = (double)rows * seconds_a_row;
    }
    return PM_OK;
}

static enum pm_status add_cases(const struct adder *adder)
{
    const struct pm_verify_plan *plan = adder->plan;
    char random[32];
    enum pm_status status = PM_OK;
    for (size_t s = 0; s < plan->suite_count && status == PM_OK; s++)
        status = add_suite(adder, (int)s);
    if (status == PM_OK)
        status = add_others(adder, PM_CHECK_DISTINCT, "startpos", (uint64_t)plan->distinct_depth,
                            plan->distinct_depth > 5 ? 0.5 : 0.05);
    for (unsigned i = 0; (i == 0 || i < plan->random.repeats) && status == PM_OK; i++) {
        const size_t first = adder->report->case_count;
        snprintf(random, sizeof random, "random_%" PRIu64, plan->random.seed + i);
        status = add_others(adder, PM_CHECK_RANDOM, random, plan->random.positions,
                            plan->random.depth > 2 ? 1e-3 : 2e-4);
        for (size_t k = first; k < adder->report->case_count; k++)
            adder->report->cases[k].seed = plan->random.seed + i;
    }
    return status;
}

static enum pm_status name_subjects(const struct pm_verify_config *config,
                                    struct pm_verify_report *report)
{
    const int count = config->kernel_count + config->outside_count;
    report->names = calloc((size_t)count + 1, sizeof *report->names);
    for (int i = 0; report->names != NULL && i < count; i++) {
        const char *name = i < config->kernel_count
                               ? config->kernels[i]->name
                               : pm_outside_name(config->outside[i - config->kernel_count]);
        report->names[report->name_count++] = pm_verify_printable(name);
        if (report->names[i] == NULL)
            return PM_ERROR_MEMORY;
    }
    return report->names != NULL ? PM_OK : PM_ERROR_MEMORY;
}

enum pm_status pm_verify_prepare(struct pm_verify_plan *plan, const struct pm_verify_config *config,
                                 struct pm_verify_report *report, struct pm_error *error)
{
    const struct adder adder = {.plan = plan, .config = config, .report = report};
    report->threads = config->threads;
    report->known = config->known;
    enum pm_status status = name_subjects(config, report);
    for (size_t s = 0; s < plan->suite_count && status == PM_OK; s++)
        status = name_positions(&plan->suites[s]) ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK)
        status = add_cases(&adder);
    return status == PM_OK ? PM_OK : pm_fail(error, status, "out of memory for the plan");
}
