/* SPDX-License-Identifier: MIT */
/* What every rank does: ask for items, count them, send the results. */
#include "jobs/mpi_ranks.h"

#include "core/clock.h"
#include "jobs/item_count.h"
#include "kernels/registry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How often results that are there, and the sign that this rank lives, go to rank 0. */
#define REPORT_SECONDS 0.5
#define ATTEND_NS 20000000

/* With so many items for each thread, each thread counts its own. */
#define ITEMS_PER_THREAD 4

struct worker {
    const struct pm_ranks_place *place;
    const struct pm_ranks_job *job;
    uint64_t memory; /* this rank's part */
    const struct pm_kernel *kernel;
    struct pm_driver *driver, *single; /* single: one thread, for items of threads' own */
    const struct pm_items *items;
    struct pm_items *own_items;
    atomic_bool stop, is_over;
    _Atomic uint64_t memory_taken;
    pthread_t attendant;
    struct pm_ranks_ready ready;
    uint64_t start_ns;

    uint32_t numbers[PM_RANKS_ITEMS_MAX]; /* of the items to count */
    uint32_t count;
    bool is_mine[PM_UNIQUE_MAX_ITEMS]; /* [item], with PM_SPLIT_UNIQUE */

    pthread_mutex_t mutex; /* for what follows */
    struct pm_store_count results[PM_RANKS_RESULTS_MAX];
    size_t result_count;
    bool is_counting;
    uint64_t reported_ns;
    struct pm_error failure; /* of a thread, the first */
};

/* ---- Reports ---- */

static void send_results(struct worker *worker)
{
    if (worker->result_count > 0)
        pm_ranks_send(worker->place->reports, 0, PM_RANKS_RESULTS, worker->results,
                      worker->result_count * sizeof worker->results[0]);
    worker->result_count = 0;
    worker->reported_ns = pm_clock_ns();
}

static void add_result(struct worker *worker, const struct pm_store_count *result)
{
    pthread_mutex_lock(&worker->mutex);
    if (worker->ready.counted++ == 0)
        worker->ready.lists_seconds = pm_clock_seconds_since(worker->start_ns);
    worker->results[worker->result_count++] = *result;
    if (worker->result_count == PM_RANKS_RESULTS_MAX ||
        pm_clock_seconds_since(worker->reported_ns) > REPORT_SECONDS)
        send_results(worker);
    pthread_mutex_unlock(&worker->mutex);
}

static void begin_reports(struct worker *worker)
{
    worker->start_ns = pm_clock_ns();
    pthread_mutex_lock(&worker->mutex);
    worker->reported_ns = worker->start_ns;
    worker->is_counting = true;
    pthread_mutex_unlock(&worker->mutex);
}

static void end_reports(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    send_results(worker);
    worker->is_counting = false;
    pthread_mutex_unlock(&worker->mutex);
}

static void take_stop(struct worker *worker)
{
    MPI_Status message;
    if (!pm_ranks_probe(worker->place->items, 0, PM_RANKS_STOP, &message))
        return;
    pm_ranks_receive(worker->place->items, &message, NULL, 0);
    atomic_store(&worker->stop, true);
}

/* A thread of its own, as counting may be long in one place: looks whether to stop, hands results
 * in, shows that this rank lives. */
static void *attend(void *context)
{
    struct worker *worker = context;
    while (!atomic_load(&worker->is_over)) {
        if (atomic_load(worker->place->interrupted))
            atomic_store(&worker->stop, true);
        take_stop(worker);
        pthread_mutex_lock(&worker->mutex);
        if (worker->is_counting && pm_clock_seconds_since(worker->reported_ns) > REPORT_SECONDS) {
            const uint64_t memory = atomic_load(&worker->memory_taken);
            pm_ranks_send(worker->place->reports, 0, PM_RANKS_ALIVE, &memory, sizeof memory);
            send_results(worker);
        }
        pthread_mutex_unlock(&worker->mutex);
        nanosleep(&(struct timespec){.tv_nsec = ATTEND_NS}, NULL);
    }
    take_stop(worker); /* it may have come with the last items */
    return NULL;
}

/* ---- Split by positions ---- */

static void note_item_memory(void *context, double fraction, uint64_t memory)
{
    struct worker *worker = context;
    (void)fraction;
    atomic_store(&worker->memory_taken, memory);
}

/* On one of `lanes` threads that count items of their own; the first tells its memory. */
static enum pm_status count_position(struct worker *worker, struct pm_driver *driver, uint32_t item,
                                     int lane, int lanes, struct pm_error *error)
{
    const struct pm_ranks_job *job = worker->job;
    struct pm_item_result result = {0};
    const struct pm_item_job item_job = {
        .driver = driver,
        .kernel = worker->kernel,
        .position = pm_items_position(worker->items, item),
        .depth = job->plan.depth - job->plan.ply,
        .seed = job->seed,
        .memory = worker->memory / (unsigned)lanes,
        .exact = job->exact,
        .stop = &worker->stop,
        .progress = lane == 0 ? note_item_memory : NULL,
        .context = worker,
    };
    const enum pm_status status = pm_item_count(&item_job, &result, error);
    const struct pm_store_count count = {.item = item,
                                         .nodes = result.nodes,
                                         .seconds = result.seconds,
                                         .error_probability = result.error_probability};
    if (status == PM_OK)
        add_result(worker, &count);
    return status;
}

static bool count_on_thread(void *context, size_t index, int thread)
{
    struct worker *worker = context;
    struct pm_error error;
    if (atomic_load(&worker->stop))
        return false;
    if (count_position(worker, worker->single, worker->numbers[index], thread,
                       pm_driver_threads(worker->driver), &error) == PM_OK)
        return true;
    pthread_mutex_lock(&worker->mutex);
    if (worker->failure.status == PM_OK)
        worker->failure = error;
    pthread_mutex_unlock(&worker->mutex);
    return false;
}

static enum pm_status count_positions(struct worker *worker, struct pm_error *error)
{
    const int threads = pm_driver_threads(worker->driver);
    enum pm_status status = PM_OK;
    if (worker->count >= ITEMS_PER_THREAD * (uint32_t)threads) {
        worker->failure.status = PM_OK;
        status = pm_driver_parallel_for(worker->driver, worker->count, count_on_thread, worker,
                                        NULL, error);
        return status == PM_OK && worker->failure.status != PM_OK
                   ? pm_fail(error, worker->failure.status, "%s", worker->failure.text)
                   : status;
    }
    for (uint32_t i = 0; i < worker->count && status == PM_OK && !atomic_load(&worker->stop); i++)
        status = count_position(worker, worker->driver, worker->numbers[i], 0, 1, error);
    return status;
}

/* ---- Split by unique ---- */

static bool is_not_mine(void *context, unsigned item)
{
    const struct worker *worker = context;
    return !worker->is_mine[item];
}

static enum pm_status finished(void *context, unsigned item, pm_count nodes, struct pm_error *error)
{
    const struct pm_store_count count = {
        .item = item, .nodes = nodes, .seconds = -1, .error_probability = -1};
    (void)error;
    add_result(context, &count);
    return PM_OK;
}

static void note_list_memory(void *context, const struct pm_unique_progress *progress)
{
    struct worker *worker = context;
    atomic_store(&worker->memory_taken, progress->memory);
}

/* The lists are made anew for these items: see "Many machines" in jobs/README.md. */
static enum pm_status count_lists(struct worker *worker, struct pm_error *error)
{
    const struct pm_ranks_job *job = worker->job;
    struct pm_unique_result result;
    const struct pm_unique_job unique = {
        .driver = worker->driver,
        .kernel = worker->kernel,
        .position = &job->plan.position,
        .depth = job->plan.depth,
        .plan = {.items = job->plan.items},
        .seed = job->seed,
        .exact = job->exact,
        .memory = worker->memory,
        .stop = &worker->stop,
        .is_known = is_not_mine,
        .finished = finished,
        .progress = note_list_memory,
        .context = worker,
    };
    memset(worker->is_mine, 0, job->plan.items * sizeof worker->is_mine[0]);
    for (uint32_t i = 0; i < worker->count; i++)
        worker->is_mine[worker->numbers[i]] = true;
    const enum pm_status status = pm_unique_run(&unique, &result, error);
    worker->ready.error_probability = result.error_probability;
    worker->ready.distinct_count = result.distinct_count;
    memcpy(worker->ready.distinct, result.distinct, sizeof result.distinct);
    return status;
}

/* ---- One job ---- */

static enum pm_status get_ready(struct worker *worker, struct pm_error *error)
{
    const struct pm_ranks_job *job = worker->job;
    const struct pm_driver_config one = {.pin = {.policy = PM_PIN_NONE}, .threads = 1};
    struct pm_plan plan = job->plan;
    worker->kernel = pm_kernel_find(job->kernel);
    if (worker->kernel == NULL || pm_kernel_ready(worker->kernel, NULL) != PM_OK)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "kernel %s can't run here: --kernel with one that runs on all machines",
                       job->kernel);
    enum pm_status status = pm_ranks_open_driver(worker->place, job, &worker->driver, error);
    if (status == PM_OK)
        status = pm_driver_open(&one, &worker->single, error);
    if (status == PM_OK && worker->items == NULL && plan.split == PM_SPLIT_POSITIONS) {
        status = pm_items_create(&plan, worker->kernel, worker->place->interrupted,
                                 &worker->own_items, error);
        worker->items = worker->own_items;
    }
    if (status == PM_OK)
        worker->ready.threads = pm_driver_threads(worker->driver);
    return status;
}

/* Gets the next items: none at the end. */
static void ask(struct worker *worker)
{
    MPI_Status message;
    int size = 0;
    const uint64_t start_ns = pm_clock_ns();
    worker->ready.is_stopped = atomic_load(worker->place->interrupted);
    pm_ranks_send(worker->place->reports, 0, PM_RANKS_READY, &worker->ready, sizeof worker->ready);
    pm_ranks_wait(worker->place->items, 0, PM_RANKS_ITEMS, &message);
    MPI_Get_count(&message, MPI_BYTE, &size);
    pm_ranks_receive(worker->place->items, &message, worker->numbers, (size_t)size);
    worker->count = (uint32_t)((size_t)size / sizeof worker->numbers[0]);
    worker->ready.idle_seconds = pm_clock_seconds_since(start_ns);
}

static enum pm_status count_items(struct worker *worker, struct pm_error *error)
{
    begin_reports(worker);
    worker->ready.counted = 0;
    const enum pm_status status = worker->job->plan.split == PM_SPLIT_UNIQUE
                                      ? count_lists(worker, error)
                                      : count_positions(worker, error);
    end_reports(worker);
    worker->ready.seconds = pm_clock_seconds_since(worker->start_ns);
    return atomic_load(&worker->stop) && status == PM_ERROR_INTERRUPTED ? PM_OK : status;
}

static void close_worker(struct worker *worker)
{
    pthread_mutex_destroy(&worker->mutex);
    pm_items_destroy(worker->own_items);
    pm_driver_close(worker->driver);
    pm_driver_close(worker->single);
    free(worker);
}

static void tell_failure(const struct pm_ranks_place *place, const struct pm_error *failure)
{
    struct pm_error told;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    pm_fail(&told, failure->status, "rank %d on %s: %.400s", place->rank, host, failure->text);
    pm_ranks_send(place->reports, 0, PM_RANKS_FAILED, &told, sizeof told);
}

static enum pm_status work_on(struct worker *worker, struct pm_error *error)
{
    enum pm_status status = get_ready(worker, error);
    if (status == PM_OK)
        ask(worker);
    while (status == PM_OK && worker->count > 0) {
        status = count_items(worker, error);
        if (status == PM_OK)
            ask(worker);
    }
    return status;
}

void pm_ranks_work(const struct pm_ranks_place *place, const struct pm_ranks_job *job,
                   const struct pm_items *items)
{
    struct pm_error error = {PM_ERROR_MEMORY, "out of memory"};
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        tell_failure(place, &error);
        return;
    }
    worker->place = place;
    worker->job = job;
    worker->memory = job->memory / (unsigned)place->ranks_here;
    worker->items = items;
    pthread_mutex_init(&worker->mutex, NULL);
    gethostname(worker->ready.host, sizeof worker->ready.host - 1);
    if (pthread_create(&worker->attendant, NULL, attend, worker) == 0) {
        const enum pm_status status = work_on(worker, &error);
        atomic_store(&worker->is_over, true);
        pthread_join(worker->attendant, NULL);
        if (status != PM_OK)
            tell_failure(place, &error);
    } else {
        tell_failure(place, &error);
    }
    close_worker(worker);
}
