/* SPDX-License-Identifier: MIT */
#include "bench/measure.h"

#include "bench/noise.h"

#include "core/clock.h"
#include "core/cpu.h"
#include "core/fen.h"
#include "core/mode.h"
#include "perft/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A repeat counts the tree so often that it takes at least so long. */
#define MIN_REPEAT_SECONDS 0.01
#define MAX_CALLS 1e6

/* A repeat is disturbed if its threads were kept from running for more than this part of it. */
#define DISTURBED_SHARE 0.1

struct session {
    const struct pm_measure_config *config;
    struct pm_result *result;
    struct pm_driver *drivers[PM_MEASURE_MAX_THREAD_COUNTS];
    struct pm_position positions[PM_BENCH_POSITION_COUNT];
    bool is_wrong[PM_RESULT_MAX_KERNELS];
    struct pm_job_result *job_result; /* too large for a stack */
    int steps_done, steps;
    struct pm_error *error;
};

static int count_cells(const struct pm_measure_config *config)
{
    int cells = 0;
    for (int i = 0; i < config->mode_count; i++)
        for (int j = 0; j < config->kernel_count; j++)
            if (config->kernels[j]->capabilities & PM_CAN_MODE(config->modes[i]))
                cells += config->thread_count * config->position_count;
    return cells;
}

/* Each cell is checked and then timed. */
static int count_steps(const struct pm_measure_config *config)
{
    return count_cells(config) * (config->repeats + 1);
}

static void report_progress(struct session *session, int steps)
{
    if (session->config->progress != NULL)
        session->config->progress(session->config->context, session->steps_done, session->steps);
    session->steps_done += steps;
}

/* One count of the tree. */
static enum pm_status run_once(struct session *session, struct pm_driver *driver, enum pm_mode mode,
                               const struct pm_measurement *facts, double *seconds, pm_count *nodes)
{
    const struct pm_job job = {
        .kernel = session->config->kernels[facts->kernel],
        .position = &session->positions[facts->position],
        .depth = facts->depth,
        .mode = mode,
        .stop = session->config->stop,
        .counters = session->config->counters,
    };
    const enum pm_status status = pm_driver_run(driver, &job, session->job_result, session->error);
    *seconds = session->job_result->seconds;
    *nodes = session->job_result->nodes;
    return status;
}

static const struct pm_bench_position *known_position(const struct session *session, int position)
{
    return &pm_bench_positions[session->config->positions[position]];
}

/* Counts once and notes what came out; *seconds is all that the call took, set-up included. */
static enum pm_status check_count(struct session *session, struct pm_driver *driver,
                                  enum pm_mode mode, struct pm_measurement *facts, double *seconds)
{
    double counting;
    pm_count nodes;
    const uint64_t start = pm_clock_ns();
    const enum pm_status status = run_once(session, driver, mode, facts, &counting, &nodes);
    const bool fits = nodes <= (pm_count)PM_FIELD_COUNT_MAX;
    *seconds = pm_clock_seconds_since(start);
    facts->nodes_expected = known_position(session, facts->position)->nodes[facts->depth];
    facts->nodes_counted = fits ? (uint64_t)nodes : (uint64_t)PM_FIELD_COUNT_MAX;
    return status;
}

static bool is_right(const struct pm_measurement *facts)
{
    return facts->nodes_counted == facts->nodes_expected;
}

/* The standard depth of the mode, the same for all kernels and numbers of threads; one ply less for
 * reference kernels. */
static int depth_of(const struct session *session, const struct pm_result_group *group, int kernel,
                    int position)
{
    const struct pm_bench_position *known = known_position(session, position);
    const int asked =
        session->config->depth > 0 ? session->config->depth : known->standard_depth[group->mode];
    const int depth = session->result->kernels[kernel].is_reference ? asked - 1 : asked;
    return depth < 1 ? 1 : depth > known->depth_count ? known->depth_count : depth;
}

/* A wrong kernel has no speed anywhere: its right counts are taken back. */
static void drop_kernel(struct pm_result *result, int kernel)
{
    for (int i = 0; i < result->group_count; i++) {
        struct pm_result_group *group = &result->groups[i];
        int kept = 0;
        for (int j = 0; j < group->measurement_count; j++) {
            struct pm_measurement *measurement = &group->measurements[j];
            if (measurement->kernel == kernel && measurement->seconds != NULL)
                free(measurement->seconds);
            else
                group->measurements[kept++] = *measurement;
        }
        group->measurement_count = kept;
    }
}

/* The cell of the result whose work is to be done again, or NULL. */
static const struct pm_measurement *find_like(const struct session *session,
                                              const struct pm_result_group *group, int kernel,
                                              int position)
{
    const struct pm_result *like = session->config->like;
    for (int i = 0; i < like->group_count; i++)
        if (like->groups[i].mode == group->mode && like->groups[i].threads == group->threads)
            return pm_result_find_named(like, &like->groups[i],
                                        session->result->kernels[kernel].name,
                                        session->result->positions[position].name);
    return NULL;
}

/* Chooses depth and calls of a cell, and checks its count. */
static enum pm_status plan_cell(struct session *session, struct pm_driver *driver,
                                const struct pm_result_group *group, struct pm_measurement *facts)
{
    double seconds;
    facts->depth = depth_of(session, group, facts->kernel, facts->position);
    const enum pm_status status =
        check_count(session, driver, (enum pm_mode)group->mode, facts, &seconds);
    facts->calls = (int)fmin(MAX_CALLS, fmax(1, ceil(MIN_REPEAT_SECONDS / seconds)));
    return status;
}

/* Takes depth and calls from another result. Every timed count is checked too. */
static bool take_cell(struct session *session, const struct pm_result_group *group,
                      struct pm_measurement *facts)
{
    const struct pm_measurement *like = find_like(session, group, facts->kernel, facts->position);
    if (like == NULL || like->seconds == NULL ||
        session->result->kernels[facts->kernel].is_reference)
        return false;
    facts->depth = like->depth;
    facts->calls = like->calls;
    facts->nodes_expected = facts->nodes_counted = like->nodes_expected;
    return true;
}

static enum pm_status check_cell(struct session *session, struct pm_driver *driver,
                                 struct pm_result_group *group, int kernel, int position)
{
    struct pm_measurement facts = {.kernel = kernel, .position = position, .runs = 1};
    report_progress(session, 1);
    if (session->is_wrong[kernel] ||
        !(session->config->kernels[kernel]->capabilities & PM_CAN_MODE(group->mode)))
        return PM_OK;
    if (session->config->like != NULL && !take_cell(session, group, &facts))
        return PM_OK;
    const enum pm_status status =
        session->config->like == NULL ? plan_cell(session, driver, group, &facts) : PM_OK;
    if (status != PM_OK)
        return status;
    if (pm_result_add_measurement(group, &facts) == NULL)
        return pm_fail(session->error, PM_ERROR_MEMORY, "out of memory");
    if (!is_right(&facts)) {
        session->is_wrong[kernel] = true;
        drop_kernel(session->result, kernel);
    }
    return PM_OK;
}

/* In the order in which it will be timed: position by position, kernel by kernel. */
static enum pm_status check_group(struct session *session, struct pm_driver *driver,
                                  struct pm_result_group *group)
{
    enum pm_status status = PM_OK;
    for (int position = 0; position < session->config->position_count; position++)
        for (int kernel = 0; kernel < session->config->kernel_count && status == PM_OK; kernel++)
            status = check_cell(session, driver, group, kernel, position);
    return status;
}

static enum pm_status fail_late(const struct session *session, const struct pm_result_group *group,
                                const struct pm_measurement *measurement)
{
    return pm_fail(session->error, PM_ERROR_MISMATCH,
                   "%s gave a wrong count while it was timed, after a right one: %s, %d threads, "
                   "%s, depth %d; there are no results",
                   session->result->kernels[measurement->kernel].name,
                   pm_mode_text((enum pm_mode)group->mode), group->threads,
                   session->result->positions[measurement->position].name, measurement->depth);
}

struct repeat {
    double seconds;
    bool is_disturbed;
    struct pm_counters counters;
};

/* All calls of one repeat: wall time; of one thread the time that it was on a CPU, if that is less,
 * since it leaves out what others took in between. */
static enum pm_status time_repeat(struct session *session, struct pm_driver *driver,
                                  const struct pm_result_group *group,
                                  const struct pm_measurement *measurement, struct repeat *repeat)
{
    const double cpu_before = pm_noise_cpu_seconds();
    const uint64_t start = pm_clock_ns();
    *repeat = (struct repeat){.counters.known = PM_COUNTERS_ALL};
    for (int call = 0; call < measurement->calls; call++) {
        double seconds;
        pm_count nodes;
        const enum pm_status status =
            run_once(session, driver, (enum pm_mode)group->mode, measurement, &seconds, &nodes);
        if (status != PM_OK)
            return status;
        if (nodes != measurement->nodes_expected)
            return fail_late(session, group, measurement);
        repeat->seconds += seconds;
        pm_counters_add(&repeat->counters, &session->job_result->counters);
    }
    const double whole = pm_clock_seconds_since(start) * group->threads;
    const double cpu = pm_noise_cpu_seconds() - cpu_before;
    repeat->is_disturbed = whole - cpu > DISTURBED_SHARE * whole;
    if (group->threads == 1)
        repeat->seconds = fmin(repeat->seconds, cpu);
    return PM_OK;
}

/* The shortest repeat of a run stands for it: a neighbor only ever makes one longer. */
static void keep_repeat(struct pm_measurement *measurement, const struct repeat *repeat)
{
    const bool is_first = measurement->seconds[0] == 0;
    if (is_first || repeat->seconds < measurement->seconds[0])
        measurement->seconds[0] = repeat->seconds;
    measurement->timed++;
    if (is_first)
        measurement->counters = repeat->counters;
    else
        pm_counters_add(&measurement->counters, &repeat->counters);
}

/* Once, or once more if that was disturbed. */
static enum pm_status time_cell(struct session *session, struct pm_driver *driver,
                                struct pm_result_group *group, struct pm_measurement *measurement)
{
    struct repeat repeat = {.is_disturbed = true};
    report_progress(session, 1);
    for (int attempt = 0; attempt < 2 && repeat.is_disturbed; attempt++) {
        const enum pm_status status = time_repeat(session, driver, group, measurement, &repeat);
        if (status != PM_OK)
            return status;
        keep_repeat(measurement, &repeat);
        session->result->noise[0].repeats++;
        session->result->noise[0].disturbed += repeat.is_disturbed;
    }
    return PM_OK;
}

static enum pm_status time_group(struct session *session, struct pm_driver *driver,
                                 struct pm_result_group *group)
{
    enum pm_status status = PM_OK;
    for (int round = 0; round < session->config->repeats; round++)
        for (int i = 0; i < group->measurement_count && status == PM_OK; i++)
            if (group->measurements[i].seconds != NULL)
                status = time_cell(session, driver, group, &group->measurements[i]);
    return status;
}

/* Calls work() for each group with the driver that has its number of threads. */
static enum pm_status for_each_group(struct session *session,
                                     enum pm_status (*work)(struct session *, struct pm_driver *,
                                                            struct pm_result_group *))
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < session->result->group_count && status == PM_OK; i++)
        status = work(session, session->drivers[i % session->config->thread_count],
                      &session->result->groups[i]);
    return status;
}

static void enter_kernel(struct pm_result *result, const struct pm_kernel *kernel)
{
    struct pm_result_kernel *entry = &result->kernels[result->kernel_count++];
    snprintf(entry->name, sizeof entry->name, "%s", kernel->name);
    snprintf(entry->technique, sizeof entry->technique, "%s", kernel->technique);
    snprintf(entry->revision, sizeof entry->revision, "%s", kernel->revision);
    pm_cpu_features_to_text(kernel->cpu_required, entry->cpu_required, sizeof entry->cpu_required);
    entry->is_reference = (kernel->capabilities & PM_IS_REFERENCE) != 0;
    if (kernel->cpu_slow & pm_cpu_features())
        pm_result_warn(result, "%s is slow on this CPU by its technique", kernel->name);
}

static enum pm_status enter_position(struct session *session, const char *name)
{
    struct pm_result *result = session->result;
    struct pm_position *position = &session->positions[result->position_count];
    struct pm_result_position *entry = &result->positions[result->position_count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    const enum pm_status status = pm_fen_read_named(name, 0, position, NULL, session->error);
    if (status == PM_OK)
        pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, entry->fen);
    return status;
}

static enum pm_status enter_groups(struct session *session)
{
    const struct pm_measure_config *config = session->config;
    for (int i = 0; i < config->mode_count * config->thread_count; i++) {
        const struct pm_driver *driver = session->drivers[i % config->thread_count];
        const int threads = pm_driver_threads(driver);
        struct pm_result_group *group =
            pm_result_add_group(session->result, config->modes[i / config->thread_count], threads);
        if (group == NULL)
            return pm_fail(session->error, PM_ERROR_MEMORY, "out of memory");
        memcpy(group->cpus, pm_driver_cpus(driver), (size_t)threads * sizeof group->cpus[0]);
    }
    return PM_OK;
}

static enum pm_status enter_all(struct session *session)
{
    const struct pm_measure_config *config = session->config;
    session->result->runs = 1;
    session->result->repeats = config->repeats;
    for (int i = 0; i < config->kernel_count; i++)
        enter_kernel(session->result, config->kernels[i]);
    for (int i = 0; i < config->position_count; i++) {
        const enum pm_status status = enter_position(session, known_position(session, i)->name);
        if (status != PM_OK)
            return status;
    }
    return enter_groups(session);
}

static enum pm_status open_driver(struct session *session, int threads, struct pm_driver **driver)
{
    const struct pm_driver_config config = {
        .topology = session->config->topology, .pin = session->config->pin, .threads = threads};
    return pm_driver_open(&config, driver, session->error);
}

static enum pm_status open_drivers(struct session *session)
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < session->config->thread_count && status == PM_OK; i++)
        status = open_driver(session, session->config->threads[i], &session->drivers[i]);
    return status;
}

static enum pm_status run_session(struct session *session)
{
    struct pm_noise noise;
    enum pm_status status = open_drivers(session);
    if (status == PM_OK)
        status = enter_all(session);
    pm_noise_begin(&noise);
    if (status == PM_OK)
        status = for_each_group(session, check_group);
    if (status == PM_OK)
        status = for_each_group(session, time_group);
    pm_noise_end(&noise, &session->result->noise[0]);
    if (status == PM_ERROR_INTERRUPTED)
        return pm_fail(session->error, status, "interrupted after %d of %d steps",
                       session->steps_done, session->steps);
    return status;
}

enum pm_status pm_measure(const struct pm_measure_config *config, struct pm_result *result,
                          struct pm_error *error)
{
    struct session session = {
        .config = config, .result = result, .steps = count_steps(config), .error = error};
    session.job_result = malloc(sizeof *session.job_result);
    const enum pm_status status = session.job_result != NULL
                                      ? run_session(&session)
                                      : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < config->thread_count; i++)
        pm_driver_close(session.drivers[i]);
    free(session.job_result);
    return status;
}
