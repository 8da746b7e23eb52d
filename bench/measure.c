/* SPDX-License-Identifier: MIT */
#include "bench/measure.h"
#include "core/mode.h"

#include "core/clock.h"
#include "core/cpu.h"
#include "core/fen.h"
#include "perft/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A repeat is planned for half of its share of the budget or more, hence for at least 50 ms. */
#define MIN_SHARE_SECONDS 0.1

/* No call counts fewer leaves if the tree has them, however disturbed the calibration was. */
#define MIN_LEAVES 200e3

/* A call may take so many shares if that makes it one ply deeper: the set-up of each call, some 0.3
 * ms, weighs less then. */
#define OVERRUN 1.5

#define MAX_CALLS 1e6
#define SPREAD_LIMIT 0.03

struct session {
    const struct pm_measure_config *config;
    struct pm_result *result;
    struct pm_driver *drivers[PM_MEASURE_MAX_THREAD_COUNTS];
    struct pm_driver *calibrator; /* one thread */
    struct pm_position positions[PM_BENCH_POSITION_COUNT];
    bool is_wrong[PM_RESULT_MAX_KERNELS];
    struct pm_job_result *job_result; /* too large for a stack */
    double share;                     /* seconds for one repeat */
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

/* Each cell is calibrated, checked, warmed up and then timed. */
static int count_steps(const struct pm_measure_config *config)
{
    return count_cells(config) * (config->repeats + 3);
}

static double share_of_step(const struct pm_measure_config *config)
{
    return fmax(MIN_SHARE_SECONDS, config->budget / count_steps(config));
}

double pm_measure_estimate(const struct pm_measure_config *config)
{
    return share_of_step(config) * count_steps(config);
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

/* The shortest time of a few counts: a single short one may have been disturbed. */
static enum pm_status time_short(struct session *session, enum pm_mode mode,
                                 struct pm_measurement *facts, double *seconds)
{
    enum pm_status status = PM_OK;
    double spent = 0;
    *seconds = INFINITY;
    for (int i = 0; i < 5 && spent < session->share / 8 && status == PM_OK; i++) {
        double once;
        status = check_count(session, session->calibrator, mode, facts, &once);
        if (!is_right(facts))
            break;
        *seconds = fmin(*seconds, once);
        spent += once;
    }
    return status;
}

/* Finds the speed of one thread, in nodes per second: it goes deeper, checking every count, until
 * the next depth would not fit a repeat's share. Ends at a count that differs from what is
 * expected. */
static enum pm_status calibrate(struct session *session, enum pm_mode mode,
                                struct pm_measurement *facts, double *speed)
{
    const struct pm_bench_position *known = known_position(session, facts->position);
    for (facts->depth = 1;; facts->depth++) {
        double seconds;
        const enum pm_status status = time_short(session, mode, facts, &seconds);
        *speed = (double)facts->nodes_counted / seconds;
        if (status != PM_OK || !is_right(facts) || facts->depth == known->depth_count ||
            (double)known->nodes[facts->depth + 1] > fmax(MIN_LEAVES, session->share * *speed))
            return status;
    }
}

/* The deepest depth that a share is enough for. */
static int depth_for(const struct pm_bench_position *known, double nodes)
{
    int depth = 1;
    while (depth < known->depth_count && (double)known->nodes[depth + 1] <= nodes)
        depth++;
    return depth;
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

/* Chooses depth and calls of a cell, and checks its count. */
static enum pm_status plan_cell(struct session *session, struct pm_driver *driver,
                                const struct pm_result_group *group, struct pm_measurement *facts)
{
    double speed, seconds;
    const enum pm_mode mode = (enum pm_mode)group->mode;
    enum pm_status status = calibrate(session, mode, facts, &speed);
    facts->calls = 1;
    if (status != PM_OK || !is_right(facts))
        return status;
    facts->depth = depth_for(known_position(session, facts->position),
                             fmax(MIN_LEAVES, OVERRUN * session->share * speed * group->threads));
    status = check_count(session, driver, mode, facts, &seconds);
    facts->calls = (int)fmin(MAX_CALLS, fmax(1, floor(session->share / seconds)));
    return status;
}

static enum pm_status check_cell(struct session *session, struct pm_driver *driver,
                                 struct pm_result_group *group, int kernel, int position)
{
    struct pm_measurement facts = {.kernel = kernel, .position = position};
    report_progress(session, 2);
    if (session->is_wrong[kernel] ||
        !(session->config->kernels[kernel]->capabilities & PM_CAN_MODE(group->mode)))
        return PM_OK;
    const enum pm_status status = plan_cell(session, driver, group, &facts);
    if (status != PM_OK)
        return status;
    if (pm_result_add_measurement(session->result, group, &facts) == NULL)
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
    struct pm_counters counters;
};

/* All calls of one repeat. */
static enum pm_status time_repeat(struct session *session, struct pm_driver *driver,
                                  const struct pm_result_group *group,
                                  const struct pm_measurement *measurement, struct repeat *repeat)
{
    *repeat = (struct repeat){.counters.known = PM_COUNTERS_ALL};
    report_progress(session, 1);
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
    return PM_OK;
}

/* Keeps the timed repeat of that number, from 0. */
static void keep_repeat(struct pm_measurement *measurement, int number, const struct repeat *repeat)
{
    measurement->seconds[number] = repeat->seconds;
    if (number == 0)
        measurement->counters = repeat->counters;
    else
        pm_counters_add(&measurement->counters, &repeat->counters);
}

/* Round 0 warms up and is not kept. */
static enum pm_status time_group(struct session *session, struct pm_driver *driver,
                                 struct pm_result_group *group)
{
    for (int round = 0; round <= session->config->repeats; round++) {
        for (int i = 0; i < group->measurement_count; i++) {
            struct pm_measurement *measurement = &group->measurements[i];
            struct repeat repeat;
            if (measurement->seconds == NULL)
                continue;
            const enum pm_status status = time_repeat(session, driver, group, measurement, &repeat);
            if (status != PM_OK)
                return status;
            if (round > 0)
                keep_repeat(measurement, round - 1, &repeat);
        }
    }
    return PM_OK;
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
    enum pm_status status = open_driver(session, 1, &session->calibrator);
    for (int i = 0; i < session->config->thread_count && status == PM_OK; i++)
        status = open_driver(session, session->config->threads[i], &session->drivers[i]);
    return status;
}

/* The group's most scattered measurement, if it is too much so. */
static void warn_of_spread(struct pm_result *result, const struct pm_result_group *group)
{
    const struct pm_measurement *worst = NULL;
    double spread = SPREAD_LIMIT;
    for (int i = 0; i < group->measurement_count; i++) {
        const struct pm_measurement *measurement = &group->measurements[i];
        const double own = pm_measurement_summary(measurement, result->repeats).spread;
        if (own > spread) {
            spread = own;
            worst = measurement;
        }
    }
    if (worst != NULL)
        pm_result_warn(result, "spread up to %.1f %% (%s on %s, %s, %d thread%s), over %.0f %%",
                       spread * 100, result->kernels[worst->kernel].name,
                       result->positions[worst->position].name,
                       pm_mode_text((enum pm_mode)group->mode), group->threads,
                       group->threads == 1 ? "" : "s", SPREAD_LIMIT * 100);
}

static enum pm_status run_session(struct session *session)
{
    enum pm_status status = open_drivers(session);
    if (status == PM_OK)
        status = enter_all(session);
    if (status == PM_OK)
        status = for_each_group(session, check_group);
    if (status == PM_OK)
        status = for_each_group(session, time_group);
    for (int i = 0; i < session->result->group_count && status == PM_OK; i++)
        warn_of_spread(session->result, &session->result->groups[i]);
    if (status == PM_ERROR_INTERRUPTED)
        return pm_fail(session->error, status, "interrupted after %d of %d steps: no results",
                       session->steps_done, session->steps);
    return status;
}

enum pm_status pm_measure(const struct pm_measure_config *config, struct pm_result *result,
                          struct pm_error *error)
{
    struct session session = {.config = config,
                              .result = result,
                              .share = share_of_step(config),
                              .steps = count_steps(config),
                              .error = error};
    session.job_result = malloc(sizeof *session.job_result);
    const enum pm_status status = session.job_result != NULL
                                      ? run_session(&session)
                                      : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < config->thread_count; i++)
        pm_driver_close(session.drivers[i]);
    pm_driver_close(session.calibrator);
    free(session.job_result);
    return status;
}
