/* SPDX-License-Identifier: MIT */
#include "bench/result.h"
#include "bench/positions.h"
#include "bench/stats.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/json.h"
#include "core/mode.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pm_field kernel_fields[] = {
    PM_FIELD(struct pm_result_kernel, name, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result_kernel, technique, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result_kernel, revision, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result_kernel, cpu_required, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result_kernel, is_reference, PM_FIELD_BOOL, 0, 0),
    {.key = NULL},
};

static const struct pm_field position_fields[] = {
    PM_FIELD(struct pm_result_position, name, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result_position, fen, PM_FIELD_TEXT, 0, 0),
    {.key = NULL},
};

static const struct pm_field measurement_fields[] = {
    PM_FIELD(struct pm_measurement, depth, PM_FIELD_INT, 1, 64),
    PM_FIELD(struct pm_measurement, calls, PM_FIELD_INT, 1, INT_MAX),
    PM_FIELD_OPTIONAL(struct pm_measurement, timed, PM_FIELD_INT, 0, INT_MAX),
    PM_FIELD(struct pm_measurement, nodes_expected, PM_FIELD_COUNT, 0, PM_FIELD_COUNT_MAX),
    PM_FIELD(struct pm_measurement, nodes_counted, PM_FIELD_COUNT, 0, PM_FIELD_COUNT_MAX),
    {.key = NULL},
};

static const struct pm_field group_fields[] = {
    PM_FIELD(struct pm_result_group, threads, PM_FIELD_INT, 1, PM_RESULT_MAX_THREADS),
    {.key = NULL},
};

static const struct pm_field setting_fields[] = {
    PM_FIELD(struct pm_result, pin, PM_FIELD_TEXT, 0, 0),
    PM_FIELD(struct pm_result, repeats, PM_FIELD_INT, 1, PM_RESULT_MAX_REPEATS),
    PM_FIELD_OPTIONAL(struct pm_result, runs, PM_FIELD_INT, 1, PM_RESULT_MAX_RUNS),
    PM_FIELD_OPTIONAL(struct pm_result, is_partial, PM_FIELD_BOOL, 0, 0),
    PM_FIELD_OPTIONAL(struct pm_result, counters, PM_FIELD_BOOL, 0, 0),
    {.key = NULL},
};

struct pm_result *pm_result_new(void)
{
    return calloc(1, sizeof(struct pm_result));
}

static void free_group(struct pm_result_group *group)
{
    for (int i = 0; i < group->measurement_count; i++)
        free(group->measurements[i].seconds);
    free(group->measurements);
    free(group->cpus);
}

void pm_result_free(struct pm_result *result)
{
    if (result == NULL)
        return;
    for (int i = 0; i < result->group_count; i++)
        free_group(&result->groups[i]);
    free(result);
}

struct pm_result_group *pm_result_add_group(struct pm_result *result, enum pm_mode mode,
                                            int threads)
{
    if (result->group_count == PM_RESULT_MAX_GROUPS)
        return NULL;
    const size_t room = (size_t)result->kernel_count * (size_t)result->position_count;
    struct pm_result_group group = {.mode = (int)mode, .threads = threads};
    group.cpus = calloc((size_t)threads, sizeof group.cpus[0]);
    group.measurements = calloc(room > 0 ? room : 1, sizeof group.measurements[0]);
    if (group.cpus == NULL || group.measurements == NULL) {
        free_group(&group);
        return NULL;
    }
    result->groups[result->group_count] = group;
    return &result->groups[result->group_count++];
}

struct pm_measurement *pm_result_add_measurement(struct pm_result_group *group,
                                                 const struct pm_measurement *facts)
{
    struct pm_measurement *measurement = &group->measurements[group->measurement_count];
    double *seconds = NULL;
    if (facts->nodes_counted == facts->nodes_expected) {
        seconds = calloc((size_t)facts->runs, sizeof seconds[0]);
        if (seconds == NULL)
            return NULL;
    }
    *measurement = *facts;
    measurement->seconds = seconds;
    group->measurement_count++;
    return measurement;
}

const char *pm_result_warn(struct pm_result *result, const char *format, ...)
{
    if (result->warning_count == PM_RESULT_MAX_WARNINGS)
        return NULL;
    char *warning = result->warnings[result->warning_count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof result->warnings[0], format, arguments);
    va_end(arguments);
    for (int i = 0; i < result->warning_count; i++)
        if (strcmp(result->warnings[i], warning) == 0)
            return NULL;
    result->warning_count++;
    return warning;
}

const struct pm_measurement *pm_result_find(const struct pm_result_group *group, int kernel,
                                            int position)
{
    for (int i = 0; i < group->measurement_count; i++)
        if (group->measurements[i].kernel == kernel && group->measurements[i].position == position)
            return &group->measurements[i];
    return NULL;
}

const struct pm_measurement *pm_result_find_named(const struct pm_result *result,
                                                  const struct pm_result_group *group,
                                                  const char *kernel, const char *position)
{
    for (int i = 0; i < group->measurement_count; i++)
        if (strcmp(result->kernels[group->measurements[i].kernel].name, kernel) == 0 &&
            strcmp(result->positions[group->measurements[i].position].name, position) == 0)
            return &group->measurements[i];
    return NULL;
}

/* Behind the runs that the measurement has. */
static enum pm_status add_times(struct pm_measurement *measurement,
                                const struct pm_measurement *more, struct pm_error *error)
{
    const size_t old = (size_t)measurement->runs, added = (size_t)more->runs;
    double *seconds = realloc(measurement->seconds, (old + added) * sizeof seconds[0]);
    if (seconds == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    memcpy(seconds + old, more->seconds, added * sizeof seconds[0]);
    measurement->seconds = seconds;
    measurement->runs += more->runs;
    measurement->timed += more->timed;
    pm_counters_add(&measurement->counters, &more->counters);
    return PM_OK;
}

static enum pm_status add_group_runs(const struct pm_result *result, struct pm_result_group *group,
                                     const struct pm_result *others,
                                     const struct pm_result_group *more, struct pm_error *error)
{
    for (int i = 0; i < group->measurement_count; i++) {
        struct pm_measurement *measurement = &group->measurements[i];
        const char *kernel = result->kernels[measurement->kernel].name;
        const char *position = result->positions[measurement->position].name;
        const struct pm_measurement *found = pm_result_find_named(others, more, kernel, position);
        if (measurement->seconds == NULL || found == NULL || found->seconds == NULL)
            continue;
        if (found->depth != measurement->depth || found->calls != measurement->calls)
            return pm_fail(error, PM_ERROR_MISMATCH,
                           "runs of %s on %s count different trees: depth %d, %d times, and depth "
                           "%d, %d times",
                           kernel, position, measurement->depth, measurement->calls, found->depth,
                           found->calls);
        const enum pm_status status = add_times(measurement, found, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

enum pm_status pm_result_add_runs(struct pm_result *result, const struct pm_result *others,
                                  struct pm_error *error)
{
    if (result->runs + others->runs > PM_RESULT_MAX_RUNS)
        return pm_fail(error, PM_ERROR_ARGUMENT, "more than %d runs", PM_RESULT_MAX_RUNS);
    if (result->group_count != others->group_count)
        return pm_fail(error, PM_ERROR_MISMATCH, "runs have different modes or threads");
    for (int i = 0; i < result->group_count; i++) {
        const enum pm_status status =
            add_group_runs(result, &result->groups[i], others, &others->groups[i], error);
        if (status != PM_OK)
            return status;
    }
    memcpy(&result->noise[result->runs], others->noise,
           (size_t)others->runs * sizeof others->noise[0]);
    result->runs += others->runs;
    return PM_OK;
}

bool pm_result_has_wrong_counts(const struct pm_result *result)
{
    for (int i = 0; i < result->group_count; i++)
        for (int j = 0; j < result->groups[i].measurement_count; j++)
            if (result->groups[i].measurements[j].seconds == NULL)
                return true;
    return false;
}

double pm_measurement_speed(const struct pm_measurement *measurement, int run)
{
    if (measurement == NULL || measurement->seconds == NULL || run >= measurement->runs)
        return NAN;
    return (double)measurement->nodes_counted * measurement->calls / measurement->seconds[run];
}

static struct pm_speed summarize(const double speeds[], int runs)
{
    return (struct pm_speed){.median = pm_median(speeds, (size_t)runs),
                             .spread = pm_relative_mad(speeds, (size_t)runs),
                             .interval = pm_median_interval(speeds, (size_t)runs, 0.95)};
}

static int runs_of(const struct pm_measurement *measurement)
{
    return measurement != NULL && measurement->seconds != NULL ? measurement->runs : 0;
}

struct pm_speed pm_measurement_summary(const struct pm_measurement *measurement)
{
    double speeds[PM_STATS_MAX];
    const int runs = runs_of(measurement);
    for (int i = 0; i < runs; i++)
        speeds[i] = pm_measurement_speed(measurement, i);
    return summarize(speeds, runs);
}

double pm_measurement_events(const struct pm_measurement *measurement, enum pm_counter counter)
{
    if (measurement == NULL || !(measurement->counters.known & 1U << counter))
        return NAN;
    return (double)measurement->counters.events[counter] /
           ((double)measurement->nodes_counted * measurement->calls * measurement->timed);
}

double pm_result_nodes_per_cycle(const struct pm_result *result,
                                 const struct pm_result_group *group, int kernel, int position)
{
    const struct pm_measurement *measurement = pm_result_find(group, kernel, position);
    const double cycles = pm_measurement_events(measurement, PM_COUNTER_CYCLES);
    const double mhz = result->environment.mhz_measured;
    if (cycles > 0)
        return 1 / cycles;
    if (group->threads > 1 || mhz == 0)
        return NAN;
    return pm_measurement_summary(measurement).median / (mhz * 1e6);
}

double pm_result_total_of_run(const struct pm_result *result, const struct pm_result_group *group,
                              int kernel, int run)
{
    double speeds[PM_RESULT_MAX_POSITIONS];
    for (int i = 0; i < result->position_count; i++)
        speeds[i] = pm_measurement_speed(pm_result_find(group, kernel, i), run);
    return pm_geometric_mean(speeds, (size_t)result->position_count);
}

/* The runs in which a kernel was timed on all positions. */
static int runs_of_kernel(const struct pm_result *result, const struct pm_result_group *group,
                          int kernel)
{
    int runs = result->runs;
    for (int i = 0; i < result->position_count; i++) {
        const int own = runs_of(pm_result_find(group, kernel, i));
        runs = own < runs ? own : runs;
    }
    return runs;
}

struct pm_speed pm_result_total(const struct pm_result *result, const struct pm_result_group *group,
                                int kernel)
{
    double totals[PM_STATS_MAX], spread = 0;
    const int runs = runs_of_kernel(result, group, kernel);
    for (int i = 0; i < runs; i++)
        totals[i] = pm_result_total_of_run(result, group, kernel, i);
    for (int i = 0; i < result->position_count; i++)
        spread = fmax(spread, pm_measurement_summary(pm_result_find(group, kernel, i)).spread);
    struct pm_speed total = summarize(totals, runs);
    total.spread = isnan(total.median) ? NAN : spread;
    return total;
}

struct pm_estimate pm_result_ratio(const struct pm_result *result,
                                   const struct pm_result_group *group, int a, int b,
                                   double confidence)
{
    double ratios[PM_STATS_MAX];
    const int runs_a = runs_of_kernel(result, group, a), runs_b = runs_of_kernel(result, group, b);
    const int runs = runs_a < runs_b ? runs_a : runs_b;
    for (int i = 0; i < runs; i++)
        ratios[i] = pm_result_total_of_run(result, group, a, i) /
                    pm_result_total_of_run(result, group, b, i);
    return (struct pm_estimate){.value = pm_median(ratios, (size_t)runs),
                                .interval = pm_median_interval(ratios, (size_t)runs, confidence)};
}

/* Writing. */

/* An array of structs of `size` bytes that a table of fields describes. */
static json_t *structs_to_json(const struct pm_field fields[], const void *first, size_t size,
                               int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        array =
            pm_json_append(array, pm_fields_write(fields, (const char *)first + size * (size_t)i));
    return array;
}

static json_t *counters_to_json(const struct pm_counters *counters)
{
    json_t *object = json_object();
    for (int i = 0; i < PM_COUNTER_COUNT; i++)
        if (counters->known & 1U << i)
            object = pm_json_set(object, pm_counter_text((enum pm_counter)i),
                                 json_integer((json_int_t)counters->events[i]));
    return object;
}

static json_t *measurement_to_json(const struct pm_result *result,
                                   const struct pm_measurement *measurement)
{
    const char *kernel = result->kernels[measurement->kernel].name;
    const char *position = result->positions[measurement->position].name;
    json_t *object = pm_json_set(json_object(), "kernel", json_string(kernel));
    object = pm_json_set(object, "position", json_string(position));
    if (json_object_update_new(object, pm_fields_write(measurement_fields, measurement)) != 0) {
        json_decref(object);
        return NULL;
    }
    if (measurement->counters.known != 0)
        object = pm_json_set(object, "counters", counters_to_json(&measurement->counters));
    return pm_json_set(object, "seconds",
                       pm_json_reals(measurement->seconds, runs_of(measurement)));
}

static json_t *group_to_json(const struct pm_result *result, const struct pm_result_group *group)
{
    json_t *measurements = json_array();
    for (int i = 0; i < group->measurement_count; i++)
        measurements =
            pm_json_append(measurements, measurement_to_json(result, &group->measurements[i]));
    json_t *object =
        pm_json_set(json_object(), "mode", json_string(pm_mode_text((enum pm_mode)group->mode)));
    object = pm_json_set(object, "threads", json_integer(group->threads));
    object = pm_json_set(object, "cpus", pm_json_integers(group->cpus, group->threads));
    return pm_json_set(object, "measurements", measurements);
}

static json_t *result_to_json(const struct pm_result *result)
{
    json_t *warnings = json_array();
    json_t *groups = json_array();
    for (int i = 0; i < result->warning_count; i++)
        warnings = pm_json_append(warnings, json_string(result->warnings[i]));
    for (int i = 0; i < result->group_count; i++)
        groups = pm_json_append(groups, group_to_json(result, &result->groups[i]));
    json_t *root = pm_json_set(json_object(), "schema", json_integer(PM_RESULT_SCHEMA));
    root = pm_json_set(root, "context", pm_environment_to_json(&result->environment));
    root = pm_json_set(root, "settings", pm_fields_write(setting_fields, result));
    root = pm_json_set(
        root, "runs",
        structs_to_json(pm_noise_fields, result->noise, sizeof result->noise[0], result->runs));
    root = pm_json_set(root, "warnings", warnings);
    root = pm_json_set(root, "kernels",
                       structs_to_json(kernel_fields, result->kernels, sizeof result->kernels[0],
                                       result->kernel_count));
    root = pm_json_set(root, "positions",
                       structs_to_json(position_fields, result->positions,
                                       sizeof result->positions[0], result->position_count));
    return pm_json_set(root, "groups", groups);
}

enum pm_status pm_result_write(const struct pm_result *result, const char *path,
                               struct pm_error *error)
{
    return pm_json_write(result_to_json(result), path, error);
}

/* Reading. */

static void read_settings(struct pm_reader *reader, const json_t *root, struct pm_result *result)
{
    snprintf(reader->place, sizeof reader->place, "settings");
    pm_fields_read(reader, setting_fields, json_object_get(root, "settings"), result);
    reader->place[0] = '\0';
}

static void read_warnings(struct pm_reader *reader, const json_t *root, struct pm_result *result)
{
    json_t *warning;
    size_t i;
    const json_t *warnings =
        pm_reader_array(reader, root, "warnings", (struct pm_range){0, PM_RESULT_MAX_WARNINGS});
    json_array_foreach(warnings, i, warning)
    {
        if (json_is_string(warning))
            snprintf(result->warnings[i], sizeof result->warnings[i], "%s",
                     json_string_value(warning));
        else
            pm_reader_reject(reader, "warnings", warning, "a text");
    }
    result->warning_count = (int)json_array_size(warnings);
}

/* Reads an array of structs of `size` bytes that a table of fields describes; returns its length.
 */
static int read_structs(struct pm_reader *reader, const json_t *container, const char *key,
                        const struct pm_field fields[], void *first, size_t size,
                        struct pm_range range)
{
    char outer[PM_PLACE_SIZE];
    json_t *element;
    size_t i;
    const json_t *array = pm_reader_array(reader, container, key, range);
    json_array_foreach(array, i, element)
    {
        pm_reader_enter(reader, key, i, outer);
        pm_fields_read(reader, fields, element, (char *)first + size * i);
        pm_reader_leave(reader, outer);
    }
    return (int)json_array_size(array);
}

static void read_context(struct pm_reader *reader, const json_t *root,
                         struct pm_environment *environment)
{
    json_t *context = json_object_get(root, "context");
    snprintf(reader->place, sizeof reader->place, "context");
    pm_fields_read(reader, pm_environment_fields, context, environment);
    const json_t *machine = json_object_get(context, "machine");
    if (machine != NULL) { /* files of before it was written lack it */
        snprintf(reader->place, sizeof reader->place, "context.machine");
        pm_fields_read(reader, pm_machine_fields, machine, &environment->machine);
        snprintf(reader->place, sizeof reader->place, "context");
    }
    const json_t *load = pm_reader_array(reader, context, "load_avg", (struct pm_range){3, 3});
    pm_reader_numbers(reader, load, "load_avg", 0, 1e9, environment->load_avg);
    environment->cache_count =
        read_structs(reader, context, "caches", pm_cache_fields, environment->caches,
                     sizeof environment->caches[0], (struct pm_range){0, PM_MAX_CACHES});
    reader->place[0] = '\0';
}

static int kernel_index(const struct pm_result *result, const char *name)
{
    for (int i = 0; name != NULL && i < result->kernel_count; i++)
        if (strcmp(result->kernels[i].name, name) == 0)
            return i;
    return -1;
}

static int position_index(const struct pm_result *result, const char *name)
{
    for (int i = 0; name != NULL && i < result->position_count; i++)
        if (strcmp(result->positions[i].name, name) == 0)
            return i;
    return -1;
}

/* Each counter is there only if it is known, and so are all of them. */
static void read_counters(struct pm_reader *reader, const json_t *object,
                          struct pm_counters *counters)
{
    const json_t *container = json_object_get(object, "counters");
    if (container != NULL && !json_is_object(container))
        pm_reader_reject(reader, "counters", container, "an object");
    for (int i = 0; i < PM_COUNTER_COUNT; i++) {
        const char *name = pm_counter_text((enum pm_counter)i);
        const json_t *value = json_object_get(container, name);
        char key[64];
        snprintf(key, sizeof key, "counters.%s", name);
        if (value == NULL)
            continue;
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            pm_reader_reject(reader, key, value, "a whole number from 0 on");
        counters->events[i] = (uint64_t)json_integer_value(value);
        counters->known |= 1U << i;
    }
}

/* The facts of a measurement, all but the times. */
/* No speed is believed for a count that is not known to be right. */
static void check_known(struct pm_reader *reader, const json_t *object, const char *position,
                        const struct pm_measurement *facts)
{
    char expected[96];
    const uint64_t known = pm_bench_known_nodes(position, facts->depth);
    if (known == facts->nodes_expected && known != 0)
        return;
    if (known != 0)
        snprintf(expected, sizeof expected, "%" PRIu64 ", the known count of %s at depth %d", known,
                 position, facts->depth);
    else
        snprintf(expected, sizeof expected, "a count of %s at depth %d that is known", position,
                 facts->depth);
    pm_reader_reject(reader, "nodes_expected", json_object_get(object, "nodes_expected"), expected);
}

static void read_facts(struct pm_reader *reader, const json_t *object,
                       const struct pm_result *result, const struct pm_result_group *group,
                       struct pm_measurement *facts)
{
    const json_t *kernel = json_object_get(object, "kernel");
    const json_t *position = json_object_get(object, "position");
    pm_fields_read(reader, measurement_fields, object, facts);
    read_counters(reader, object, &facts->counters);
    facts->kernel = kernel_index(result, json_string_value(kernel));
    facts->position = position_index(result, json_string_value(position));
    if (facts->kernel < 0)
        pm_reader_reject(reader, "kernel", kernel, "the name of one of the kernels above");
    if (facts->position < 0)
        pm_reader_reject(reader, "position", position, "the name of one of the positions above");
    if (pm_result_find(group, facts->kernel, facts->position) != NULL)
        pm_reader_reject(reader, "position", position, "new: this kernel had it before");
    if (reader->status == PM_OK)
        check_known(reader, object, result->positions[facts->position].name, facts);
}

static void read_measurement(struct pm_reader *reader, const json_t *object,
                             const struct pm_result *result, struct pm_result_group *group)
{
    struct pm_measurement facts = {0};
    read_facts(reader, object, result, group, &facts);
    const bool is_right = facts.nodes_counted == facts.nodes_expected;
    const size_t most = is_right ? (size_t)result->runs : 0;
    /* Reference kernels are timed in one run alone. */
    const size_t least = is_right && !result->is_one_process ? 1 : most;
    const json_t *seconds =
        pm_reader_array(reader, object, "seconds", (struct pm_range){least, most});
    if (reader->status != PM_OK)
        return;
    facts.runs = (int)json_array_size(seconds);
    if (result->is_one_process)
        facts.timed = facts.runs;
    struct pm_measurement *measurement = pm_result_add_measurement(group, &facts);
    if (measurement == NULL)
        reader->status = pm_fail(reader->error, PM_ERROR_MEMORY, "out of memory");
    else if (is_right)
        pm_reader_numbers(reader, seconds, "seconds", 1e-9, 1e9, measurement->seconds);
}

static void read_group(struct pm_reader *reader, const json_t *object, struct pm_result *result)
{
    char outer[PM_PLACE_SIZE];
    struct pm_result_group facts = {0};
    json_t *measurement;
    size_t i;
    const json_t *mode = json_object_get(object, "mode");
    facts.mode = pm_mode_from_text(json_string_value(mode));
    if (facts.mode < 0)
        pm_reader_reject(reader, "mode", mode, "make, bulk, lookahead, hashed or unique");
    pm_fields_read(reader, group_fields, object, &facts);
    const size_t threads = (size_t)facts.threads;
    const json_t *cpus =
        pm_reader_array(reader, object, "cpus", (struct pm_range){threads, threads});
    const size_t room = (size_t)result->kernel_count * (size_t)result->position_count;
    const json_t *measurements =
        pm_reader_array(reader, object, "measurements", (struct pm_range){0, room});
    if (reader->status != PM_OK)
        return;
    struct pm_result_group *group =
        pm_result_add_group(result, (enum pm_mode)facts.mode, facts.threads);
    if (group == NULL) {
        reader->status = pm_fail(reader->error, PM_ERROR_MEMORY, "out of memory");
        return;
    }
    pm_reader_integers(reader, cpus, "cpus", -1, 1 << 20, group->cpus);
    json_array_foreach(measurements, i, measurement)
    {
        pm_reader_enter(reader, "measurements", i, outer);
        read_measurement(reader, measurement, result, group);
        pm_reader_leave(reader, outer);
    }
}

static void read_groups(struct pm_reader *reader, const json_t *root, struct pm_result *result)
{
    char outer[PM_PLACE_SIZE];
    json_t *group;
    size_t i;
    const json_t *groups =
        pm_reader_array(reader, root, "groups", (struct pm_range){1, PM_RESULT_MAX_GROUPS});
    json_array_foreach(groups, i, group)
    {
        pm_reader_enter(reader, "groups", i, outer);
        read_group(reader, group, result);
        pm_reader_leave(reader, outer);
    }
}

/* In files of schema 1 all repeats are of one process, and nothing is known of its noise. */
static void read_runs(struct pm_reader *reader, const json_t *root, struct pm_result *result)
{
    if (result->is_one_process) {
        result->runs = result->repeats;
        result->repeats = 1;
    } else if (reader->status == PM_OK) {
        const size_t runs = (size_t)result->runs;
        read_structs(reader, root, "runs", pm_noise_fields, result->noise, sizeof result->noise[0],
                     (struct pm_range){runs, runs});
    }
}

static void read_result(struct pm_reader *reader, const json_t *root, struct pm_result *result)
{
    const json_t *schema = json_object_get(root, "schema");
    const json_int_t number = json_integer_value(schema); /* 0 if it is none */
    if (number < 1 || number > PM_RESULT_SCHEMA)
        pm_reader_reject(reader, "schema", schema, "1 or 2, the schemas that this program reads");
    result->is_one_process = number == 1;
    read_context(reader, root, &result->environment);
    read_settings(reader, root, result);
    read_runs(reader, root, result);
    read_warnings(reader, root, result);
    result->kernel_count =
        read_structs(reader, root, "kernels", kernel_fields, result->kernels,
                     sizeof result->kernels[0], (struct pm_range){1, PM_RESULT_MAX_KERNELS});
    result->position_count =
        read_structs(reader, root, "positions", position_fields, result->positions,
                     sizeof result->positions[0], (struct pm_range){1, PM_RESULT_MAX_POSITIONS});
    read_groups(reader, root, result);
}

static json_t *load_json(const char *path, struct pm_error *error)
{
    char *text;
    size_t size;
    json_error_t fault;
    if (pm_file_read(path, &text, &size, error) != PM_OK)
        return NULL;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    if (root == NULL)
        pm_fail(error, PM_ERROR_PARSE, "%s: line %d, column %d: %s; results of plymark are JSON",
                path, fault.line, fault.column, fault.text);
    free(text);
    return root;
}

enum pm_status pm_result_read(const char *path, struct pm_result **result, struct pm_error *error)
{
    struct pm_error local;
    struct pm_reader reader = {.file = path, .error = error != NULL ? error : &local};
    json_t *root = load_json(path, reader.error);
    if (root == NULL)
        return reader.error->status;
    *result = pm_result_new();
    if (*result == NULL)
        reader.status = pm_fail(reader.error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    else
        read_result(&reader, root, *result);
    if (reader.status != PM_OK) {
        pm_result_free(*result);
        *result = NULL;
    }
    json_decref(root);
    return reader.status;
}
