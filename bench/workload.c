/* SPDX-License-Identifier: MIT */
#include "bench/workload.h"

#include "analyze/field.h"
#include "bench/positions.h"
#include "core/clock.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

const char pm_workload_fields[] =
    "legal,captures,promotions,castlings,en_passant,checkers,pinned,verdict,material,phase";

/* A repeat takes at least so long, whatever the budget. */
#define MIN_SHARE_SECONDS 0.05

/* ---- The set ---- */

struct maker {
    struct pm_view *view;
    struct pm_position *positions;
    unsigned count;
};

static enum pm_status add_below(struct maker *maker, int depth, struct pm_error *error)
{
    struct pm_view *const view = maker->view;
    const struct pm_position position = view->position;
    struct pm_move moves[218]; /* the most that a position of a game has */
    const unsigned count = view->move_count;
    if (depth == 0) {
        if (maker->count < PM_WORKLOAD_POSITIONS)
            maker->positions[maker->count] = position;
        maker->count++;
        return PM_OK;
    }
    enum pm_status status = PM_OK;
    if (count > sizeof moves / sizeof moves[0])
        return pm_fail(error, PM_ERROR_MISMATCH, "%s gives %u moves where a game has at most 218",
                       view->kernel->name, count);
    for (unsigned i = 0; i < count && status == PM_OK; i++)
        moves[i] = view->moves[i];
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        status = pm_view_play(view, moves[i], error);
        if (status == PM_OK)
            status = add_below(maker, depth - 1, error);
        if (status == PM_OK)
            status = pm_view_set(view, &position, error);
    }
    return status;
}

/* A ply more below those that have few moves. */
static enum pm_status add_all(struct maker *maker, struct pm_error *error)
{
    static const int depths[PM_BENCH_POSITION_COUNT] = {3, 2, 3, 3, 2, 2};
    uint64_t expected = 0;
    for (int i = 0; i < PM_BENCH_POSITION_COUNT; i++) {
        const struct pm_bench_position *const known = &pm_bench_positions[i];
        struct pm_position position;
        enum pm_status status = pm_fen_read_named(known->name, 0, &position, NULL, error);
        if (status == PM_OK)
            status = pm_view_set(maker->view, &position, error);
        if (status == PM_OK)
            status = add_below(maker, depths[i], error);
        if (status != PM_OK)
            return status;
        expected += known->nodes[depths[i]];
        if (maker->count != expected)
            return pm_fail(error, PM_ERROR_MISMATCH,
                           "%s made %u positions for the workload where %" PRIu64 " are right",
                           maker->view->kernel->name, maker->count, expected);
    }
    return PM_OK;
}

static enum pm_status make_positions(const struct pm_kernel *kernel, struct pm_workload *workload,
                                     struct pm_error *error)
{
    struct pm_view view = {0};
    enum pm_status status = pm_view_open(&view, kernel, error);
    if (status != PM_OK)
        return status;
    workload->positions = malloc(PM_WORKLOAD_POSITIONS * sizeof *workload->positions);
    struct maker maker = {.view = &view, .positions = workload->positions};
    status = maker.positions != NULL ? add_all(&maker, error)
                                     : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    pm_view_close(&view);
    return status;
}

/* ---- Passes over it ---- */

struct session {
    const struct pm_measure_config *config;
    struct pm_workload *workload;
    struct pm_field_list fields;
    double share; /* seconds of a repeat */
    int steps, steps_done;
    struct pm_error *error;
};

/* One thread's part of all passes. */
struct part {
    const struct session *session;
    const struct pm_kernel *kernel;
    unsigned from, to;
    int passes, cpu;
    enum pm_status status;
    struct pm_error error;
    uint64_t checksum;
};

static enum pm_status answer(struct part *part, struct pm_view *view)
{
    const struct pm_field_list *const fields = &part->session->fields;
    const struct pm_position *const positions = part->session->workload->positions;
    struct pm_facts facts;
    const struct pm_record record = {.view = view, .facts = &facts};
    for (unsigned i = part->from; i < part->to; i++) {
        const enum pm_status status = pm_view_place(view, &positions[i], &part->error);
        if (status != PM_OK)
            return status;
        pm_facts_of(view, fields->parts, &facts);
        part->checksum += pm_field_hash(fields, &record);
    }
    return PM_OK;
}

static void open_part(struct part *part, struct pm_view *view)
{
    part->status = pm_pin_this_thread(part->session->config->topology, part->cpu, &part->error);
    if (part->status == PM_OK)
        part->status = pm_view_open(view, part->kernel, &part->error);
}

/* Runs all parts at once; *seconds is what their passes took, from the moment all were ready. */
static void run_parts(struct part parts[], int count, double *seconds)
{
    uint64_t start_ns = 0;
#pragma omp parallel num_threads(count)
    {
        struct part *const part = &parts[omp_get_thread_num()];
        struct pm_view view = {0};
        open_part(part, &view);
#pragma omp barrier
#pragma omp master
        start_ns = pm_clock_ns();
        for (int pass = 0; pass < part->passes && part->status == PM_OK; pass++)
            part->status = answer(part, &view);
        pm_view_close(&view);
    }
    *seconds = pm_clock_seconds_since(start_ns);
    if (parts[0].cpu >= 0)
        pm_unpin_this_thread(parts[0].session->config->topology);
}

static enum pm_status run_passes(struct session *session, const struct pm_kernel *kernel,
                                 int threads, int passes, double *seconds, uint64_t *checksum)
{
    const struct pm_measure_config *const config = session->config;
    int *const cpus = calloc((size_t)threads, sizeof *cpus);
    struct part *const parts = calloc((size_t)threads, sizeof *parts);
    enum pm_status status =
        cpus != NULL && parts != NULL
            ? pm_pin_assign(config->topology, &config->pin, threads, cpus, session->error)
            : pm_fail(session->error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < threads && status == PM_OK; i++)
        parts[i] = (struct part){
            .session = session,
            .kernel = kernel,
            .from = (unsigned)((uint64_t)PM_WORKLOAD_POSITIONS * (unsigned)i / (unsigned)threads),
            .to =
                (unsigned)((uint64_t)PM_WORKLOAD_POSITIONS * (unsigned)(i + 1) / (unsigned)threads),
            .passes = passes,
            .cpu = cpus[i]};
    *checksum = 0;
    if (status == PM_OK)
        run_parts(parts, threads, seconds);
    for (int i = 0; i < threads && status == PM_OK; i++) {
        *checksum += parts[i].checksum;
        status = parts[i].status;
        if (status != PM_OK)
            pm_fail(session->error, status, "%s", parts[i].error.text);
    }
    free(parts);
    free(cpus);
    return status;
}

static enum pm_status step(struct session *session)
{
    const struct pm_measure_config *const config = session->config;
    if (config->stop != NULL && atomic_load(config->stop))
        return pm_fail(session->error, PM_ERROR_INTERRUPTED,
                       "interrupted after %d of %d steps: no results", session->steps_done,
                       session->steps);
    if (config->progress != NULL)
        config->progress(config->context, session->steps_done, session->steps);
    session->steps_done++;
    return PM_OK;
}

/* One pass: are the answers right, and how many passes make a repeat? */
static enum pm_status check_cell(struct session *session, int threads,
                                 const struct pm_kernel *kernel, struct pm_workload_cell *cell)
{
    double seconds;
    enum pm_status status = step(session);
    if (status == PM_OK)
        status = run_passes(session, kernel, threads, 1, &seconds, &cell->checksum);
    if (status != PM_OK)
        return status;
    cell->is_right = cell->checksum == PM_WORKLOAD_CHECKSUM;
    cell->passes = (int)fmin(1e6, ceil(session->share / fmax(seconds, 1e-6)));
    if (!cell->is_right)
        return PM_OK;
    cell->seconds = calloc((size_t)session->config->repeats, sizeof *cell->seconds);
    return cell->seconds != NULL ? PM_OK
                                 : pm_fail(session->error, PM_ERROR_MEMORY, "out of memory");
}

static enum pm_status time_cell(struct session *session, int threads,
                                const struct pm_kernel *kernel, struct pm_workload_cell *cell,
                                double *seconds)
{
    uint64_t checksum;
    enum pm_status status = step(session);
    if (status == PM_OK)
        status = run_passes(session, kernel, threads, cell->passes, seconds, &checksum);
    if (status == PM_OK && checksum != cell->checksum * (unsigned)cell->passes)
        return pm_fail(session->error, PM_ERROR_MISMATCH,
                       "%s gave wrong answers while it was timed, after right ones: %d threads; "
                       "there are no results",
                       kernel->name, threads);
    return status;
}

/* Round 0 warms up and is not kept. */
static enum pm_status time_threads(struct session *session, int threads,
                                   struct pm_workload_cell cells[])
{
    const struct pm_measure_config *const config = session->config;
    for (int round = 0; round <= config->repeats; round++) {
        for (int i = 0; i < config->kernel_count; i++) {
            double seconds;
            if (cells[i].seconds == NULL)
                continue;
            const enum pm_status status =
                time_cell(session, threads, config->kernels[i], &cells[i], &seconds);
            if (status != PM_OK)
                return status;
            if (round > 0)
                cells[i].seconds[round - 1] = seconds;
        }
    }
    return PM_OK;
}

static int count_steps(const struct pm_measure_config *config)
{
    return config->thread_count * config->kernel_count * (config->repeats + 2);
}

static double share_of_step(const struct pm_measure_config *config)
{
    return fmax(MIN_SHARE_SECONDS, config->budget / count_steps(config));
}

double pm_workload_estimate(const struct pm_measure_config *config)
{
    return share_of_step(config) * count_steps(config);
}

static enum pm_status measure_all(struct session *session)
{
    const struct pm_measure_config *const config = session->config;
    enum pm_status status = PM_OK;
    for (int i = 0; i < config->thread_count * config->kernel_count && status == PM_OK; i++)
        status =
            check_cell(session, config->threads[i / config->kernel_count],
                       config->kernels[i % config->kernel_count], &session->workload->cells[i]);
    for (int i = 0; i < config->thread_count && status == PM_OK; i++)
        status = time_threads(session, config->threads[i],
                              &session->workload->cells[i * config->kernel_count]);
    return status;
}

enum pm_status pm_workload_measure(const struct pm_measure_config *config,
                                   const struct pm_kernel *maker, struct pm_workload *workload,
                                   struct pm_error *error)
{
    struct session session = {.config = config,
                              .workload = workload,
                              .share = share_of_step(config),
                              .steps = count_steps(config),
                              .error = error};
    *workload = (struct pm_workload){.config = config};
    workload->cells = calloc((size_t)config->thread_count * (size_t)config->kernel_count,
                             sizeof *workload->cells);
    if (workload->cells == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_field_list_read(pm_workload_fields, &session.fields, error);
    if (status == PM_OK)
        status = make_positions(maker, workload, error);
    return status == PM_OK ? measure_all(&session) : status;
}

void pm_workload_free(struct pm_workload *workload)
{
    const struct pm_measure_config *const config = workload->config;
    for (int i = 0; workload->cells != NULL && i < config->thread_count * config->kernel_count; i++)
        free(workload->cells[i].seconds);
    free(workload->cells);
    free(workload->positions);
    *workload = (struct pm_workload){0};
}

bool pm_workload_has_wrong_answers(const struct pm_workload *workload)
{
    const struct pm_measure_config *const config = workload->config;
    for (int i = 0; i < config->thread_count * config->kernel_count; i++) {
        if (!workload->cells[i].is_right)
            return true;
    }
    return false;
}
