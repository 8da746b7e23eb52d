/* SPDX-License-Identifier: MIT */
#include "bench/workload.h"

#include "bench/result.h"
#include "bench/stats.h"
#include "core/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Figures ---- */

static bool is_reference(const struct pm_kernel *kernel)
{
    return (kernel->capabilities & PM_IS_REFERENCE) != 0;
}

/* Positions a second in each repeat, with their median and relative spread. */
struct speeds {
    double values[PM_STATS_MAX];
    double median, spread;
};

static void find_speeds(const struct pm_workload *workload, const struct pm_workload_cell *cell,
                        struct speeds *speeds)
{
    const size_t count = (size_t)workload->config->repeats;
    speeds->median = speeds->spread = NAN;
    if (cell->seconds == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        speeds->values[i] =
            (double)PM_WORKLOAD_POSITIONS * cell->passes / fmax(cell->seconds[i], 1e-9);
    speeds->median = pm_median(speeds->values, count);
    speeds->spread = pm_relative_mad(speeds->values, count);
}

/* ---- Markdown ---- */

struct row {
    const struct pm_kernel *kernel;
    const struct pm_workload_cell *cell;
    struct speeds speeds;
};

/* Ranked ones first, references next, wrong ones last; each by falling speed. */
static bool stands_above(const struct row *a, const struct row *b)
{
    if (a->cell->is_right != b->cell->is_right)
        return a->cell->is_right;
    if (is_reference(a->kernel) != is_reference(b->kernel))
        return is_reference(b->kernel);
    return a->speeds.median > b->speeds.median;
}

static void print_row(FILE *out, const struct row *row, int rank)
{
    char number[16] = "-", speed[32] = "wrong answers", spread[32] = "-";
    if (rank > 0)
        snprintf(number, sizeof number, "%d", rank);
    if (row->cell->is_right) {
        snprintf(speed, sizeof speed, "%.3f", row->speeds.median / 1e6);
        snprintf(spread, sizeof spread, "%.1f %%", row->speeds.spread * 100);
    }
    fprintf(out, "| %2s | %-26s | %13s | %6s |\n", number, row->kernel->name, speed, spread);
}

/* "pext was 1.52 ± 0.01 times faster than magic, 3.10 ± 0.02 times faster than x88." */
static void print_comparison(FILE *out, const struct row rows[], int ranked, int repeats)
{
    if (ranked < 2)
        return;
    fprintf(out, "\n%s was", rows[0].kernel->name);
    for (int i = 1; i < ranked; i++) {
        const struct pm_ratio ratio =
            pm_ratio_of(rows[0].speeds.values, rows[i].speeds.values, (size_t)repeats);
        fprintf(out, "%s %.2f ± %.2f times faster than %s", i > 1 ? "," : "", ratio.value,
                ratio.spread, rows[i].kernel->name);
    }
    fputs(".\n", out);
}

static void print_threads(FILE *out, const struct pm_workload *workload, int index,
                          struct row rows[])
{
    const struct pm_measure_config *const config = workload->config;
    int ranked = 0;
    for (int i = 0; i < config->kernel_count; i++) {
        struct row row = {.kernel = config->kernels[i],
                          .cell = &workload->cells[index * config->kernel_count + i]};
        int place = i;
        find_speeds(workload, row.cell, &row.speeds);
        for (; place > 0 && stands_above(&row, &rows[place - 1]); place--)
            rows[place] = rows[place - 1];
        rows[place] = row;
        ranked += row.cell->is_right && !is_reference(row.kernel);
    }
    fprintf(out,
            "**workload analyze, %d thread%s**: million positions per second\n\n"
            "|  # | kernel                     |   positions/s | spread |\n"
            "|---:|:---------------------------|--------------:|-------:|\n",
            config->threads[index], config->threads[index] == 1 ? "" : "s");
    for (int i = 0; i < config->kernel_count; i++)
        print_row(out, &rows[i], i < ranked ? i + 1 : 0);
    print_comparison(out, rows, ranked, config->repeats);
    fputc('\n', out);
}

enum pm_status pm_workload_print(FILE *out, const struct pm_workload *workload,
                                 const struct pm_environment *environment, const char *pin)
{
    const struct pm_measure_config *const config = workload->config;
    struct row *const rows = calloc((size_t)config->kernel_count, sizeof *rows);
    if (rows == NULL)
        return PM_ERROR_MEMORY;
    for (int i = 0; i < config->thread_count; i++)
        print_threads(out, workload, i, rows);
    free(rows);
    fprintf(out,
            "Each figure is the median of %d repeats, the kernels taking turns, over %d positions "
            "(set up, moves, attacks, the answers %s; no text is read or written). The answers' "
            "checksum %016" PRIx64 " was right before and while each was timed. Positions are "
            "no nodes: these figures and those of perft are not compared. Reference kernels are "
            "not ranked.\n\n",
            config->repeats, PM_WORKLOAD_POSITIONS, pm_workload_fields, PM_WORKLOAD_CHECKSUM);
    fprintf(out, "%s; %s, %s, flags `%s`; pinned: %s; plymark %s, %s.\n", environment->cpu_model,
            environment->compiler, environment->build_type, environment->c_flags, pin,
            environment->plymark_version, environment->date);
    return PM_OK;
}

/* ---- JSON ---- */

static json_t *checksum_to_json(uint64_t checksum)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, checksum);
    return json_string(text);
}

static json_t *cell_to_json(const struct pm_workload *workload, int index)
{
    const struct pm_measure_config *const config = workload->config;
    const struct pm_workload_cell *const cell = &workload->cells[index];
    const struct pm_kernel *const kernel = config->kernels[index % config->kernel_count];
    json_t *object = pm_json_set(json_object(), "kernel", json_string(kernel->name));
    object = pm_json_set(object, "revision", json_string(kernel->revision));
    object = pm_json_set(object, "is_reference", json_boolean(is_reference(kernel)));
    object =
        pm_json_set(object, "threads", json_integer(config->threads[index / config->kernel_count]));
    object = pm_json_set(object, "checksum", checksum_to_json(cell->checksum));
    object = pm_json_set(object, "passes", json_integer(cell->passes));
    return pm_json_set(object, "seconds",
                       pm_json_reals(cell->seconds, cell->seconds != NULL ? config->repeats : 0));
}

static json_t *to_json(const struct pm_workload *workload, const struct pm_environment *environment,
                       const char *pin)
{
    const struct pm_measure_config *const config = workload->config;
    json_t *cells = json_array();
    for (int i = 0; i < config->thread_count * config->kernel_count; i++)
        cells = pm_json_append(cells, cell_to_json(workload, i));
    json_t *root = pm_json_set(json_object(), "workload", json_string("analyze"));
    root = pm_json_set(root, "schema", json_string("workload 1"));
    root = pm_json_set(root, "context", pm_environment_to_json(environment));
    root = pm_json_set(root, "pin", json_string(pin));
    root = pm_json_set(root, "positions", json_integer(PM_WORKLOAD_POSITIONS));
    root = pm_json_set(root, "answers", json_string(pm_workload_fields));
    root = pm_json_set(root, "checksum_expected", checksum_to_json(PM_WORKLOAD_CHECKSUM));
    root = pm_json_set(root, "repeats", json_integer(config->repeats));
    return pm_json_set(root, "measurements", cells);
}

enum pm_status pm_workload_write(const struct pm_workload *workload,
                                 const struct pm_environment *environment, const char *pin,
                                 const char *path, struct pm_error *error)
{
    return pm_json_write(to_json(workload, environment, pin), path, error);
}
