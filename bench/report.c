/* SPDX-License-Identifier: MIT */
#include "bench/report.h"
#include "core/mode.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS (PM_RESULT_MAX_POSITIONS + 5 + PM_COUNTER_COUNT)
#define CELL_SIZE 64

/* A table's cells as text; row 0 is the head. */
struct table {
    char cells[PM_RESULT_MAX_KERNELS + 1][MAX_COLUMNS][CELL_SIZE];
    int widths[MAX_COLUMNS];
    int rows, columns;
};

__attribute__((format(printf, 3, 4))) static void set_cell(struct table *table, int column,
                                                           const char *format, ...)
{
    va_list arguments;
    char *cell = table->cells[table->rows][column];
    va_start(arguments, format);
    vsnprintf(cell, CELL_SIZE, format, arguments);
    va_end(arguments);
    if ((int)strlen(cell) > table->widths[column])
        table->widths[column] = (int)strlen(cell);
}

/* The second column holds names and is aligned left, the others right. */
static void print_row(FILE *out, const struct table *table, int row)
{
    for (int i = 0; i < table->columns; i++)
        fprintf(out, i == 1 ? "| %-*s " : "| %*s ", table->widths[i], table->cells[row][i]);
    fputs("|\n", out);
}

static void print_rule(FILE *out, const struct table *table)
{
    for (int i = 0; i < table->columns; i++) {
        fputs(i == 1 ? "|:" : "|-", out);
        for (int j = 0; j < table->widths[i]; j++)
            fputc('-', out);
        fputc(i == 1 ? '-' : ':', out);
    }
    fputs("|\n", out);
}

static void print_table(FILE *out, const struct table *table)
{
    print_row(out, table, 0);
    print_rule(out, table);
    for (int row = 1; row < table->rows; row++)
        print_row(out, table, row);
}

static void fill_head(struct table *table, const struct pm_result *result)
{
    const int count = result->position_count;
    set_cell(table, 0, "#");
    set_cell(table, 1, "kernel");
    for (int i = 0; i < count; i++)
        set_cell(table, 2 + i, "%s", result->positions[i].name);
    set_cell(table, 2 + count, "geometric mean");
    set_cell(table, 3 + count, "95 %% interval");
    table->columns = count + 4;
}

/* The columns of counters follow those of speed, if they were asked for; counters that no
 * measurement has are left out. */

static unsigned known_counters(const struct pm_result_group *group)
{
    unsigned known = 0;
    for (int i = 0; i < group->measurement_count; i++)
        known |= group->measurements[i].counters.known;
    return known;
}

static void fill_counter_heads(struct table *table, const struct pm_result_group *group)
{
    static const char *const heads[PM_COUNTER_COUNT] = {
        [PM_COUNTER_CYCLES] = "cycles/node",
        [PM_COUNTER_INSTRUCTIONS] = "instructions/node",
        [PM_COUNTER_BRANCH_MISSES] = "branch misses/node",
        [PM_COUNTER_CACHE_MISSES] = "cache misses/node",
    };
    const unsigned known = known_counters(group);
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        if (known & 1U << i)
            set_cell(table, table->columns++, "%s", heads[i]);
    set_cell(table, table->columns++, "nodes/cycle");
}

static void fill_figure(struct table *table, int column, double value)
{
    set_cell(table, column, isnan(value) ? "-" : value < 100 ? "%.3g" : "%.0f", value);
}

/* The mean over the positions; NAN if one is not known. */
static double mean_events(const struct pm_result *result, const struct pm_result_group *group,
                          int kernel, enum pm_counter counter)
{
    double sum = 0;
    for (int i = 0; i < result->position_count; i++)
        sum += pm_measurement_events(pm_result_find(group, kernel, i), counter);
    return sum / result->position_count;
}

static void fill_counters(struct table *table, const struct pm_result *result,
                          const struct pm_result_group *group, int kernel)
{
    double nodes_per_cycle[PM_RESULT_MAX_POSITIONS];
    const unsigned known = known_counters(group);
    const size_t count = (size_t)result->position_count;
    int column = result->position_count + 4;
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        if (known & 1U << i)
            fill_figure(table, column++, mean_events(result, group, kernel, (enum pm_counter)i));
    for (size_t i = 0; i < count; i++)
        nodes_per_cycle[i] = pm_result_nodes_per_cycle(result, group, kernel, (int)i);
    fill_figure(table, column, pm_geometric_mean(nodes_per_cycle, count));
}

static void fill_speed(struct table *table, int column, const struct pm_measurement *measurement)
{
    if (measurement == NULL)
        set_cell(table, column, "-");
    else if (measurement->seconds == NULL)
        set_cell(table, column, "wrong count");
    else
        set_cell(table, column, "%.1f @%d", pm_measurement_summary(measurement).median / 1e6,
                 measurement->depth);
}

/* rank 0: not ranked. */
static void fill_row(struct table *table, const struct pm_result *result,
                     const struct pm_result_group *group, int kernel, int rank)
{
    const struct pm_speed total = pm_result_total(result, group, kernel);
    const int count = result->position_count;
    set_cell(table, 0, rank > 0 ? "%d" : "-", rank);
    set_cell(table, 1, "%s%s", result->kernels[kernel].name,
             result->kernels[kernel].is_reference &&
                     strcmp(result->kernels[kernel].name, "reference") != 0
                 ? " (reference)"
                 : "");
    for (int i = 0; i < count; i++)
        fill_speed(table, 2 + i, pm_result_find(group, kernel, i));
    set_cell(table, 2 + count, isnan(total.median) ? "-" : "%.1f", total.median / 1e6);
    if (result->is_one_process || isnan(total.interval.low))
        set_cell(table, 3 + count, "-");
    else
        set_cell(table, 3 + count, "%.1f to %.1f", total.interval.low / 1e6,
                 total.interval.high / 1e6);
    if (result->counters)
        fill_counters(table, result, group, kernel);
    table->rows++;
}

/* Whether kernel a stands above b: ranked ones before references, then by speed, then as entered.
 */
static bool stands_above(const struct pm_result *result, const struct pm_result_group *group, int a,
                         int b)
{
    if (result->kernels[a].is_reference != result->kernels[b].is_reference)
        return result->kernels[b].is_reference;
    const double speed_a = pm_result_total(result, group, a).median;
    const double speed_b = pm_result_total(result, group, b).median;
    if (isnan(speed_a) || isnan(speed_b))
        return !isnan(speed_a) || (isnan(speed_b) && a < b);
    return speed_a != speed_b ? speed_a > speed_b : a < b;
}

static bool has_measurements(const struct pm_result_group *group, int kernel)
{
    for (int i = 0; i < group->measurement_count; i++)
        if (group->measurements[i].kernel == kernel)
            return true;
    return false;
}

/* The kernels of a group in the order of the table; returns their number. */
static int sort_kernels(const struct pm_result *result, const struct pm_result_group *group,
                        int order[PM_RESULT_MAX_KERNELS])
{
    int count = 0;
    for (int kernel = 0; kernel < result->kernel_count; kernel++) {
        if (!has_measurements(group, kernel))
            continue;
        int place = count++;
        for (; place > 0 && stands_above(result, group, kernel, order[place - 1]); place--)
            order[place] = order[place - 1];
        order[place] = kernel;
    }
    return count;
}

static bool is_ranked(const struct pm_result *result, const struct pm_result_group *group,
                      int kernel)
{
    return !result->kernels[kernel].is_reference &&
           !isnan(pm_result_total(result, group, kernel).median);
}

/* "pext was 1.52 (1.49 to 1.55) times faster than magic, 3.10 (3.02 to 3.13) times faster than
 * x88."
 */
static void print_comparison(FILE *out, const struct pm_result *result,
                             const struct pm_result_group *group, const int order[], int count)
{
    if (count < 2 || !is_ranked(result, group, order[1]))
        return;
    fprintf(out, "\n%s was", result->kernels[order[0]].name);
    for (int i = 1; i < count && is_ranked(result, group, order[i]); i++) {
        const struct pm_estimate ratio = pm_result_ratio(result, group, order[0], order[i], 0.95);
        fprintf(out, "%s %.2f", i > 1 ? "," : "", ratio.value);
        if (!result->is_one_process && !isnan(ratio.interval.low))
            fprintf(out, " (%.2f to %.2f)", ratio.interval.low, ratio.interval.high);
        fprintf(out, " times faster than %s", result->kernels[order[i]].name);
    }
    fputs(".\n", out);
}

static void print_wrong_counts(FILE *out, const struct pm_result *result,
                               const struct pm_result_group *group)
{
    for (int i = 0; i < group->measurement_count; i++) {
        const struct pm_measurement *measurement = &group->measurements[i];
        if (measurement->seconds == NULL)
            fprintf(out, "\n%s is wrong: %s, depth %d: %llu counted, %llu expected.\n",
                    result->kernels[measurement->kernel].name,
                    result->positions[measurement->position].name, measurement->depth,
                    (unsigned long long)measurement->nodes_counted,
                    (unsigned long long)measurement->nodes_expected);
    }
}

static void print_group(FILE *out, const struct pm_result *result,
                        const struct pm_result_group *group, struct table *table)
{
    int order[PM_RESULT_MAX_KERNELS];
    const int count = sort_kernels(result, group, order);
    memset(table, 0, sizeof *table);
    fill_head(table, result);
    if (result->counters)
        fill_counter_heads(table, group);
    table->rows = 1;
    for (int i = 0; i < count; i++)
        fill_row(table, result, group, order[i], is_ranked(result, group, order[i]) ? i + 1 : 0);
    fprintf(out, "**%s, %d thread%s**: million nodes per second\n\n",
            pm_mode_text((enum pm_mode)group->mode), group->threads,
            group->threads == 1 ? "" : "s");
    print_table(out, table);
    print_comparison(out, result, group, order, count);
    print_wrong_counts(out, result, group);
    fputc('\n', out);
}

/* What the figures are of. */
static void print_samples(FILE *out, const struct pm_result *result)
{
    if (result->is_one_process) {
        fprintf(out,
                "Each figure is the median of %d repeats of one process, the kernels taking turns; "
                "there is no interval, since what varies between processes was not seen. ",
                result->runs);
        return;
    }
    fprintf(
        out,
        "Each figure is the median over %d run%s, each a process of its own, in which the kernels "
        "take turns; a run's sample is the shortest of its %d repeat%s, since others on the "
        "machine only ever make one longer; of one thread it is the time on a CPU. ",
        result->runs, result->runs == 1 ? "" : "s", result->repeats,
        result->repeats == 1 ? "" : "s");
    if (result->runs >= PM_INTERVAL_MIN_COUNT)
        fputs("Intervals hold the median with 95 %. ", out);
    else
        fprintf(out, "Intervals need %d runs. ", PM_INTERVAL_MIN_COUNT);
    if (result->is_partial)
        fputs("Interrupted: there were to be more runs. ", out);
}

/* Reference kernels are named here, not ranked. */
static void print_method(FILE *out, const struct pm_result *result)
{
    print_samples(out, result);
    fputs(
        "@ is the depth counted, the same for all kernels but for the reference, which counts one "
        "ply less and in the first run alone. Every count was checked. Modes: make plays every "
        "leaf, bulk counts the moves of the last ply, lookahead counts the last two plies "
        "together. "
        "Reference kernels are not ranked.\n\n",
        out);
    if (result->counters)
        fputs(
            "Counted events are means over the positions, in user mode, of all threads during the "
            "timed repeats. Nodes/cycle, a geometric mean, is for each thread; where cycles were "
            "not counted it follows, for one thread, from the clock rate measured before.\n\n",
            out);
}

static void print_clock(FILE *out, const struct pm_environment *environment)
{
    if (environment->mhz_measured > 0)
        fprintf(out, ", %.0f MHz measured", environment->mhz_measured);
    if (environment->mhz_per_cpu > 0)
        fprintf(out, "%s%.0f MHz nominal%s", environment->mhz_measured > 0 ? " (" : ", ",
                environment->mhz_per_cpu, environment->mhz_measured > 0 ? ")" : "");
}

/* What tells this processor from others of its name. */
static void print_cpu(FILE *out, const struct pm_environment *environment)
{
    const struct pm_machine *machine = &environment->machine;
    fputs(environment->cpu_model, out);
    if (machine->cpu_family > 0)
        fprintf(out, " (family %d, model %d, stepping %d, microcode %s)", machine->cpu_family,
                machine->cpu_model_number, machine->cpu_stepping, machine->cpu_microcode);
}

static void print_machine(FILE *out, const struct pm_environment *environment, const char *pin)
{
    print_cpu(out, environment);
    fprintf(out, ", %d core%s, %d CPU%s", environment->cores, environment->cores == 1 ? "" : "s",
            environment->pus, environment->pus == 1 ? "" : "s");
    print_clock(out, environment);
    if (environment->machine.memory_bytes > 0)
        fprintf(out, ", %.0f GiB of memory",
                (double)environment->machine.memory_bytes / (double)(1ULL << 30));
    if (strcmp(environment->virtual_machine, "none") != 0)
        fprintf(out, ", virtual machine (%s)", environment->virtual_machine);
    if (strcmp(environment->cpu_masked, "none") != 0)
        fprintf(out, ", masked: %s", environment->cpu_masked);
    fprintf(out, "; %s, %s, flags `%s`, LTO %s, PGO %s; pinned: %s; plymark %s%s%s, %s.\n",
            environment->compiler, environment->build_type, environment->c_flags,
            environment->lto ? "on" : "off", environment->pgo, pin, environment->plymark_version,
            environment->commit[0] != '\0' ? " " : "", environment->commit, environment->date);
}

enum pm_status pm_report_print(FILE *out, const struct pm_result *result)
{
    struct table *table = malloc(sizeof *table);
    if (table == NULL)
        return PM_ERROR_MEMORY;
    for (int i = 0; i < result->group_count; i++)
        print_group(out, result, &result->groups[i], table);
    print_method(out, result);
    print_machine(out, &result->environment, result->pin);
    for (int i = 0; i < result->warning_count; i++)
        fprintf(out, "%s%s.%s", i == 0 ? "\nWarnings: " : " ", result->warnings[i],
                i + 1 == result->warning_count ? "\n" : "");
    free(table);
    return PM_OK;
}

/* The only line of text that holds nothing but marker; NULL if there is none, or *several set. */
static const char *find_marker_line(const char *text, const char *marker, bool *several)
{
    const char *found = NULL;
    const size_t length = strlen(marker);
    *several = false;
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *end = line + strcspn(line, "\r\n");
        if ((size_t)(end - line) == length && memcmp(line, marker, length) == 0) {
            *several = found != NULL;
            found = line;
        }
        line = strchr(end, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return found;
}

static enum pm_status check_marker(const char *name, const char *marker, const char *found,
                                   bool several, struct pm_error *error)
{
    if (found != NULL && !several)
        return PM_OK;
    return pm_fail(error, PM_ERROR_PARSE, "%s: the line %s is there %s: it is needed once", name,
                   marker, found == NULL ? "never" : "several times");
}

enum pm_status pm_report_replace(const char *name, const char *text, const char *block,
                                 char **replaced, struct pm_error *error)
{
    bool has_several_begins, has_several_ends;
    const char *begin = find_marker_line(text, PM_REPORT_BEGIN, &has_several_begins);
    const char *end = find_marker_line(text, PM_REPORT_END, &has_several_ends);
    enum pm_status status = check_marker(name, PM_REPORT_BEGIN, begin, has_several_begins, error);
    if (status == PM_OK)
        status = check_marker(name, PM_REPORT_END, end, has_several_ends, error);
    if (status != PM_OK)
        return status;
    if (end < begin)
        return pm_fail(error, PM_ERROR_PARSE, "%s: the line %s stands before %s", name,
                       PM_REPORT_END, PM_REPORT_BEGIN);
    const int head = (int)(begin - text) + (int)strlen(PM_REPORT_BEGIN);
    if (asprintf(replaced, "%.*s\n\n%s\n%s", head, text, block, end) < 0)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", name);
    return PM_OK;
}
