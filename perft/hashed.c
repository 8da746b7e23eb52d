/* SPDX-License-Identifier: MIT */
#include "perft/hashed.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/mode.h"
#include "perft/estimate.h"
#include "perft/walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The shallowest count that looks at `stop`: some hundred counts of two plies are below it. */
#define STOP_DEPTH 4

/* So many, that a slow thread has fewer. */
#define EMPTYING_PARTS 256

#define AUTO_WIDTH 16
#define AUTO_SAMPLES 32
#define AUTO_MIN_BYTES (1ULL << 20)

struct worker {
    _Alignas(64) struct pm_walker *walker;
    struct pm_table_use use;
};

struct run {
    const struct pm_job *job;
    struct pm_table table;
    uint64_t seed; /* of the walkers; 0: the kernel's own keys */
    int threads;
    struct worker *workers;
};

/* Else it plays on its own states. A kernel that makes moves itself is not given those of
 * core/after_move.h. */
static bool walks_on_boards(const struct pm_kernel *kernel)
{
    const struct pm_expander *expander = kernel->expander;
    return expander != NULL && (expander->visit_children == NULL || kernel->key == NULL);
}

static bool is_stopped(const struct pm_job *job)
{
    return job->stop != NULL && atomic_load_explicit(job->stop, memory_order_relaxed);
}

/* ---- Counting ---- */

static enum pm_status count(const struct run *run, struct worker *worker, int ply, int depth,
                            uint64_t *nodes);

static enum pm_status count_child(const struct run *run, struct worker *worker, int ply,
                                  unsigned child, int depth, uint64_t *nodes)
{
    struct pm_walker *walker = worker->walker;
    const uint64_t key = walker->children[ply].keys[child];
    if (pm_table_find(&run->table, &worker->use, key, depth, nodes))
        return PM_OK;
    enum pm_status status = walker->kind->descend(walker, ply, child);
    if (status == PM_OK)
        status = count(run, worker, ply + 1, depth, nodes);
    if (status == PM_OK)
        pm_table_store(&run->table, &worker->use, key, depth, *nodes);
    return status;
}

/* The leaves `depth` plies below the ply's node, at least two. */
static enum pm_status count(const struct run *run, struct worker *worker, int ply, int depth,
                            uint64_t *nodes)
{
    struct pm_walker *walker = worker->walker;
    const struct pm_walker_children *children = &walker->children[ply];
    if (depth == 2)
        return walker->kind->count_two_plies(walker, ply, nodes);
    if (depth >= STOP_DEPTH && is_stopped(run->job))
        return PM_ERROR_INTERRUPTED;
    enum pm_status status = walker->kind->list(walker, ply);
    if (status != PM_OK)
        return status;
    for (unsigned i = 0; i < children->count; i++)
        pm_table_prefetch(&run->table, children->keys[i]);
    *nodes = 0;
    for (unsigned i = 0; i < children->count && status == PM_OK; i++) {
        uint64_t leaves = 0;
        status = count_child(run, worker, ply, i, depth - 1, &leaves);
        *nodes += leaves;
    }
    return status;
}

static struct pm_walker *create_walker(const struct run *run)
{
    const struct pm_kernel *kernel = run->job->kernel;
    return walks_on_boards(kernel) ? pm_board_walker_create(kernel, run->seed)
                                   : pm_state_walker_create(kernel, run->seed);
}

/* What a thread needs it makes itself, in memory near it. */
static enum pm_status count_subtree(void *context, int thread, const void *state, int depth,
                                    uint64_t *nodes)
{
    const struct run *run = context;
    const struct pm_kernel *kernel = run->job->kernel;
    struct worker *worker = &run->workers[thread];
    if (depth < PM_TABLE_MIN_DEPTH + 1)
        return kernel->perft(state, depth, pm_mode_fastest(kernel), nodes);
    if (worker->walker == NULL)
        worker->walker = create_walker(run);
    struct pm_walker *walker = worker->walker;
    if (walker == NULL)
        return PM_ERROR_MEMORY;
    enum pm_status status = walker->kind->set_root(walker, state);
    if (status != PM_OK)
        return status;
    if (pm_table_find(&run->table, &worker->use, walker->root_key, depth, nodes))
        return PM_OK;
    status = count(run, worker, 0, depth, nodes);
    if (status == PM_OK)
        pm_table_store(&run->table, &worker->use, walker->root_key, depth, *nodes);
    return status;
}

/* ---- The size of the table ---- */

enum pm_status pm_hashed_auto_bytes(const struct pm_job *job, uint64_t *bytes,
                                    struct pm_error *error)
{
    const struct pm_estimate_job sampling = {
        .kernel = job->kernel,
        .position = job->position,
        .depth = job->depth,
        .width = AUTO_WIDTH,
        .samples = AUTO_SAMPLES,
        .threads = 1,
        .stop = job->stop,
    };
    struct pm_estimate estimate;
    const enum pm_status status = pm_estimate_run(&sampling, &estimate, error);
    if (status != PM_OK)
        return status;
    /* As many lines as lead from the start position 5, 6, 7 or 8 plies down have about this power,
     * within a factor of 1.7, of distinct positions at their ends. */
    const double positions = pow(estimate.two_ply_counts, 0.85);
    const double wanted = positions / 2 * sizeof(uint64_t);
    const double most = (double)pm_memory_available() / 4;
    *bytes = (uint64_t)fmin(wanted, most) & ~(AUTO_MIN_BYTES - 1);
    if (*bytes < AUTO_MIN_BYTES)
        *bytes = AUTO_MIN_BYTES;
    return PM_OK;
}

/* ---- Running ---- */

/* In any state; they can be used again. */
static void free_workers(struct run *run)
{
    for (int i = 0; run->workers != NULL && i < run->threads; i++) {
        free(run->workers[i].walker);
        run->workers[i] = (struct worker){0};
    }
}

static bool empty_part(void *context, size_t part, int thread)
{
    const struct run *run = context;
    (void)thread;
    pm_table_empty(&run->table, (unsigned)part, EMPTYING_PARTS);
    return true;
}

/* Empties the table, and counts with keys of the run's seed. */
static enum pm_status count_once(struct run *run, struct pm_driver *driver,
                                 struct pm_job_result *counts, double *emptying_seconds,
                                 struct pm_error *error)
{
    const struct pm_subtree_counter subtrees = {.count = count_subtree, .context = run};
    struct pm_job job = *run->job;
    const uint64_t start_ns = pm_clock_ns();
    const enum pm_status status =
        pm_driver_parallel_for(driver, EMPTYING_PARTS, empty_part, run, NULL, error);
    *emptying_seconds = pm_clock_seconds_since(start_ns);
    if (status != PM_OK)
        return status;
    free_workers(run);
    job.subtrees = &subtrees;
    return pm_driver_run(driver, &job, counts, error);
}

static struct pm_table_use total_use(const struct run *run)
{
    struct pm_table_use total = {0};
    for (int i = 0; i < run->threads; i++) {
        total.probes += run->workers[i].use.probes;
        total.hits += run->workers[i].use.hits;
        total.words += run->workers[i].use.words;
    }
    return total;
}

static bool counts_are_equal(const struct pm_job_result *a, const struct pm_job_result *b)
{
    bool equal = a->nodes == b->nodes && a->root_count == b->root_count;
    for (unsigned i = 0; equal && i < a->root_count; i++)
        equal = a->roots[i].nodes == b->roots[i].nodes;
    return equal;
}

static enum pm_status count_again(struct run *run, struct pm_driver *driver,
                                  struct pm_job_result *counts, struct pm_error *error)
{
    char first[PM_COUNT_TEXT_SIZE], second[PM_COUNT_TEXT_SIZE];
    double emptying_seconds;
    struct pm_job_result *again = malloc(sizeof *again);
    if (again == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    run->seed++;
    enum pm_status status = count_once(run, driver, again, &emptying_seconds, error);
    if (status == PM_OK && !counts_are_equal(counts, again))
        status =
            pm_fail(error, PM_ERROR_MISMATCH,
                    "two counts with different keys disagree, in total or below a root move: "
                    "%s and %s",
                    pm_count_to_text(counts->nodes, first), pm_count_to_text(again->nodes, second));
    if (status == PM_ERROR_INTERRUPTED)
        *counts = *again; /* it says what is not finished */
    free(again);
    return status;
}

static enum pm_status count_with_table(const struct pm_hashed_job *hashed, struct run *run,
                                       struct pm_job_result *counts,
                                       struct pm_hashed_result *result, struct pm_error *error)
{
    run->workers =
        aligned_alloc(_Alignof(struct worker), (size_t)run->threads * sizeof(struct worker));
    if (run->workers == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    memset(run->workers, 0, (size_t)run->threads * sizeof(struct worker));
    enum pm_status status = count_once(run, hashed->driver, counts, &result->touch_seconds, error);
    if (status != PM_OK)
        return status;
    result->load = pm_table_load(&run->table);
    result->use = total_use(run);
    result->error_probability = pm_table_error_probability(&run->table, &result->use);
    if (!hashed->double_check)
        return PM_OK;
    result->error_probability *= result->error_probability;
    return count_again(run, hashed->driver, counts, error);
}

static void end_run(struct run *run)
{
    free_workers(run);
    free(run->workers);
    pm_table_close(&run->table);
}

enum pm_status pm_hashed_run(const struct pm_hashed_job *hashed, struct pm_job_result *counts,
                             struct pm_hashed_result *result, struct pm_error *error)
{
    const struct pm_kernel *kernel = hashed->job->kernel;
    struct run run = {
        .job = hashed->job,
        .seed = walks_on_boards(kernel) ? 1 : 0,
        .threads = pm_driver_threads(hashed->driver),
    };
    enum pm_status status = PM_OK;
    *result = (struct pm_hashed_result){.hash_bytes = hashed->hash_bytes};
    if (!pm_kernel_offers(kernel, PM_MODE_HASHED))
        return pm_fail(
            error, PM_ERROR_UNSUPPORTED,
            "kernel %s can't count in mode hashed: it has neither an expander nor hash keys",
            kernel->name);
    if (result->hash_bytes == 0)
        status = pm_hashed_auto_bytes(hashed->job, &result->hash_bytes, error);
    if (status == PM_OK)
        status = pm_table_open(&run.table, result->hash_bytes, hashed->check_bits, error);
    if (status != PM_OK)
        return status;
    result->hash_bytes = pm_table_bytes(&run.table);
    status = count_with_table(hashed, &run, counts, result, error);
    end_run(&run);
    return status;
}
