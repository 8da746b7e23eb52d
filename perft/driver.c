/* SPDX-License-Identifier: MIT */
/* How the work is shared: the root moves are the first items of one queue. A worker walks down from
 * its item by legal_moves() and play() until what is left below is small enough for one kernel
 * call. When the queue runs short, a worker gives it large children of the node where it is,
 * instead of counting them, and when threads are idle, small ones too. So nothing has to be split
 * in advance, the queue stays short at any depth, and few moves at the root, or further down, keep
 * no thread waiting.
 *
 * The sizes of subtrees are estimated by random probes: the product of the numbers of moves along a
 * random line is, on average, the number of leaves (D. E. Knuth, "Estimating the efficiency of
 * backtrack programs", 1975). A wrong estimate costs time, never correctness. */
#include "perft/driver.h"

#include "core/clock.h"
#include "core/fen.h"
#include "core/grow.h"
#include "core/position.h"
#include "core/random.h"
#include "core/state.h"

#include <float.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64U
#define PROBES 4

/* A kernel call can't be stopped, so it should take about CALL_SECONDS at the speed measured so
 * far, and be a small part of the whole, so that all threads end together. In leaves: */
#define CALL_SECONDS 0.04
#define CALL_LEAVES_MIN 20e3
#define CALL_LEAVES_MAX 10e6
#define CALLS_PER_THREAD 128
/* The depth at which a subtree is never split further, whatever the estimate says. */
#define CALL_DEPTH_MIN 2

#define SPEED_IS_KNOWN_NS 100000U
#define PUBLISH_NS 20000000U
#define PROGRESS_NS 100000000U

struct pm_driver {
    const struct pm_topology *topology;
    int threads;
    int cpus[]; /* one a thread, -1 if not pinned */
};

struct item {
    double estimate; /* leaves */
    double weight;   /* its part of the whole: all weights add up to 1 */
    unsigned root;
    int depth; /* plies left */
    unsigned char *state;
};

/* One job on all threads. What follows `lock` is guarded by it, apart from the two atomics. */
struct run {
    const struct pm_driver *driver;
    const struct pm_job *job;
    size_t state_size; /* rounded up to ALIGNMENT */
    int call_depth;    /* the deepest that a kernel may be called with */
    uint64_t start_ns;

    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool ended;
    atomic_int room;  /* items that the queue should get: see update_room() */
    int idle, active; /* threads waiting for items, and at work on one */
    struct item *items;
    size_t item_count, item_capacity;
    double call_share; /* the most leaves of a call that keep the threads balanced */
    double fraction;
    unsigned open_items[PM_MAX_MOVES]; /* for each root move: queued or at work */
    enum pm_status status;             /* the first failure, described in *error */
    struct pm_error *error;
    struct pm_job_result *result;
};

struct worker {
    struct run *run;
    int index;
    unsigned char *states; /* one a ply, then one for probes */
    struct pm_random random;
    uint64_t call_leaves, call_ns; /* since the start: the kernel's speed */
    uint64_t published_ns, progress_ns;
    unsigned root; /* of the item at work */
    /* Counted, but not published yet: */
    pm_count nodes;
    double weight;
};

static unsigned char *state_at(const struct worker *worker, int level)
{
    return worker->states + (size_t)level * worker->run->state_size;
}

/* Ends the run for all threads; the first failure is the one described. */
static enum pm_status end_run(struct run *run, enum pm_status status, const char *text)
{
    pthread_mutex_lock(&run->lock);
    if (run->status == PM_OK) {
        run->status = status;
        pm_fail(run->error, status, "%s", text);
    }
    atomic_store(&run->ended, true);
    pthread_cond_broadcast(&run->wake);
    pthread_mutex_unlock(&run->lock);
    return status;
}

static enum pm_status out_of_memory(struct run *run)
{
    return end_run(run, PM_ERROR_MEMORY, "out of memory for the driver's work items");
}

/* Names the kernel, what failed and where. */
static enum pm_status kernel_failed(struct run *run, const void *state, const char *what,
                                    enum pm_status status)
{
    const struct pm_kernel *kernel = run->job->kernel;
    struct pm_position position;
    struct pm_error error;
    char fen[PM_FEN_SIZE] = "a position that it can't tell";
    if (kernel->get_position(state, &position) == PM_OK)
        pm_fen_write(&position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    pm_fail(&error, status, "kernel %s: %s failed (%s) at %s", kernel->name, what,
            pm_status_text(status), fen);
    return end_run(run, status, error.text);
}

static enum pm_status legal_moves(struct run *run, const void *state,
                                  struct pm_move moves[PM_MAX_MOVES], unsigned *count)
{
    const enum pm_status status = run->job->kernel->legal_moves(state, moves, count);
    return status == PM_OK ? PM_OK : kernel_failed(run, state, "legal_moves", status);
}

static enum pm_status play(struct run *run, void *state, const struct pm_move *move)
{
    const enum pm_status status = run->job->kernel->play(state, move);
    return status == PM_OK ? PM_OK : kernel_failed(run, state, "play", status);
}

/* Estimates the leaves below a state. */
static enum pm_status probe(struct worker *worker, const void *state, int depth, double *estimate)
{
    struct run *run = worker->run;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned char *line = state_at(worker, run->job->depth + 1);
    double sum = 0;
    for (int i = 0; i < PROBES; i++) {
        double product = 1;
        memcpy(line, state, run->state_size);
        for (int left = depth; left > 0 && product > 0; left--) {
            unsigned count;
            enum pm_status status = legal_moves(run, line, moves, &count);
            if (status == PM_OK && left > 1 && count > 0)
                status = play(run, line, &moves[pm_random_below(&worker->random, count)]);
            if (status != PM_OK)
                return status;
            product *= count;
        }
        sum += product;
    }
    *estimate = sum / PROBES;
    return PM_OK;
}

/* The number of items that should wait in the queue while all threads are at work. */
static int stock(const struct run *run)
{
    return run->driver->threads > 1 ? 2 * run->driver->threads : 0;
}

/* Tells walking workers what to give: large items when there is room in the stock, any when the
 * room is larger than the stock, because threads are idle. Called with the lock held. */
static void update_room(struct run *run)
{
    const int room = run->idle + stock(run) - (int)run->item_count;
    atomic_store_explicit(&run->room, room, memory_order_relaxed);
}

static bool wants(struct run *run, bool large)
{
    const int room = atomic_load_explicit(&run->room, memory_order_relaxed);
    return room > (large ? 0 : stock(run));
}

/* Called with the lock held. */
static bool append_item(struct run *run, const struct item *item)
{
    struct item *items =
        pm_grown(run->items, &run->item_capacity, run->item_count + 1, sizeof *items);
    if (items == NULL)
        return false;
    run->items = items;
    run->items[run->item_count++] = *item;
    run->open_items[item->root]++;
    run->result->items++;
    update_room(run);
    pthread_cond_signal(&run->wake);
    return true;
}

/* Puts a copy of the state, with what else the item says, into the queue. */
static enum pm_status give(struct run *run, struct item item)
{
    unsigned char *copy = aligned_alloc(ALIGNMENT, run->state_size);
    if (copy == NULL)
        return out_of_memory(run);
    memcpy(copy, item.state, run->state_size);
    item.state = copy;
    pthread_mutex_lock(&run->lock);
    const bool appended = append_item(run, &item);
    pthread_mutex_unlock(&run->lock);
    if (appended)
        return PM_OK;
    free(copy);
    return out_of_memory(run);
}

/* Removes the largest item. Called with the lock held and a queue that is not empty. */
static struct item remove_largest(struct run *run)
{
    size_t largest = 0;
    for (size_t i = 1; i < run->item_count; i++)
        if (run->items[i].estimate > run->items[largest].estimate)
            largest = i;
    const struct item item = run->items[largest];
    run->items[largest] = run->items[--run->item_count];
    return item;
}

/* Waits for an item. False when there will be none any more. */
static bool take(struct run *run, struct item *item)
{
    pthread_mutex_lock(&run->lock);
    run->idle++;
    update_room(run);
    while (run->item_count == 0 && run->active > 0 && !atomic_load(&run->ended))
        pthread_cond_wait(&run->wake, &run->lock);
    run->idle--;
    const bool taken = run->item_count > 0 && !atomic_load(&run->ended);
    if (taken) {
        *item = remove_largest(run);
        run->active++;
    }
    update_room(run);
    pthread_mutex_unlock(&run->lock);
    return taken;
}

/* A worker has nothing in hand any more. Called with the lock held. */
static void become_idle(struct run *run)
{
    if (--run->active == 0 && run->item_count == 0)
        pthread_cond_broadcast(&run->wake);
}

/* Adds what was counted since the last time to the totals. Called with the lock held. */
static enum pm_status add_to_totals(struct worker *worker)
{
    struct run *run = worker->run;
    struct pm_job_result *result = run->result;
    const enum pm_status status = pm_count_add(&result->nodes, worker->nodes);
    if (status != PM_OK)
        return status;
    run->fraction += worker->weight;
    result->roots[worker->root].nodes += worker->nodes; /* no more than the sum of all */
    worker->nodes = 0;
    worker->weight = 0;
    return PM_OK;
}

static enum pm_status publish(struct worker *worker, uint64_t now_ns)
{
    struct run *run = worker->run;
    const struct pm_job *job = run->job;
    pthread_mutex_lock(&run->lock);
    const enum pm_status status = add_to_totals(worker);
    const struct pm_progress progress = {
        .seconds = (double)(now_ns - run->start_ns) * 1e-9,
        .fraction = run->fraction < 1 ? run->fraction : 1,
        .items = run->result->items,
        .items_done = run->result->items_done,
        .nodes = run->result->nodes,
    };
    pthread_mutex_unlock(&run->lock);
    worker->published_ns = now_ns;
    if (status != PM_OK)
        return end_run(run, status, "the total does not fit 128 bits");
    if (worker->index == 0 && job->progress != NULL &&
        now_ns - worker->progress_ns >= PROGRESS_NS) {
        worker->progress_ns = now_ns;
        job->progress(job->context, &progress);
    }
    return PM_OK;
}

/* PM_ERROR_INTERRUPTED once the run has ended or is to be stopped. */
static enum pm_status check_stop(struct run *run)
{
    if (atomic_load_explicit(&run->ended, memory_order_relaxed))
        return PM_ERROR_INTERRUPTED;
    if (run->job->stop != NULL && atomic_load_explicit(run->job->stop, memory_order_relaxed))
        return end_run(run, PM_ERROR_INTERRUPTED, "stopped");
    return PM_OK;
}

/* The most leaves that one kernel call should count, whatever its speed: a subtree counter may
 * count many at once. */
static double call_leaves_max(const struct pm_job *job)
{
    return job->subtrees != NULL ? DBL_MAX : CALL_LEAVES_MAX;
}

/* The most leaves that one call should count now. */
static double call_limit(const struct worker *worker)
{
    const double max = call_leaves_max(worker->run->job);
    double limit = CALL_LEAVES_MIN;
    if (worker->call_ns >= SPEED_IS_KNOWN_NS)
        limit = (double)worker->call_leaves / (double)worker->call_ns * (CALL_SECONDS * 1e9);
    if (limit > worker->run->call_share)
        limit = worker->run->call_share;
    if (limit > max)
        return max;
    return limit < CALL_LEAVES_MIN ? CALL_LEAVES_MIN : limit;
}

static enum pm_status call_kernel(struct worker *worker, const void *state, int depth,
                                  double weight)
{
    struct run *run = worker->run;
    const struct pm_job *job = run->job;
    const struct pm_subtree_counter *subtrees = job->subtrees;
    uint64_t leaves = 0;
    const uint64_t start_ns = pm_clock_ns();
    const enum pm_status status =
        subtrees != NULL ? subtrees->count(subtrees->context, worker->index, state, depth, &leaves)
                         : job->kernel->perft(state, depth, job->mode, &leaves);
    const uint64_t now_ns = pm_clock_ns();
    if (status == PM_ERROR_INTERRUPTED)
        return end_run(run, status, "stopped");
    if (status != PM_OK)
        return kernel_failed(run, state, "perft", status);
    worker->call_leaves += leaves;
    worker->call_ns += now_ns - start_ns;
    worker->nodes += leaves; /* published long before 2^64 calls */
    worker->weight += weight;
    return now_ns - worker->published_ns >= PUBLISH_NS ? publish(worker, now_ns) : PM_OK;
}

static enum pm_status count(struct worker *worker, int level, int depth, double estimate,
                            double weight);

/* Counts one child, whose state is at `level`, or gives it to the queue. */
static enum pm_status count_child(struct worker *worker, int level, int depth, double estimate,
                                  double weight)
{
    struct run *run = worker->run;
    if (estimate > call_limit(worker)) {
        const enum pm_status status = probe(worker, state_at(worker, level), depth, &estimate);
        if (status != PM_OK)
            return status;
    }
    if (estimate < CALL_LEAVES_MIN || !wants(run, estimate > call_limit(worker)))
        return count(worker, level, depth, estimate, weight);
    return give(run, (struct item){.estimate = estimate,
                                   .weight = weight,
                                   .root = worker->root,
                                   .depth = depth,
                                   .state = state_at(worker, level)});
}

static enum pm_status count_children(struct worker *worker, int level, int depth, double estimate,
                                     double weight)
{
    struct run *run = worker->run;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned move_count;
    const unsigned char *state = state_at(worker, level);
    unsigned char *child = state_at(worker, level + 1);
    enum pm_status status = legal_moves(run, state, moves, &move_count);
    if (move_count == 0)
        worker->weight += weight;
    for (unsigned i = 0; i < move_count && status == PM_OK; i++) {
        memcpy(child, state, run->state_size);
        status = play(run, child, &moves[i]);
        if (status == PM_OK)
            status = count_child(worker, level + 1, depth - 1, estimate / move_count,
                                 weight / move_count);
    }
    return status;
}

/* Counts the leaves `depth` plies below the state at `level`. */
static enum pm_status count(struct worker *worker, int level, int depth, double estimate,
                            double weight)
{
    const enum pm_status status = check_stop(worker->run);
    if (status != PM_OK)
        return status;
    if (depth == 0) {
        worker->nodes++;
        worker->weight += weight;
        return PM_OK;
    }
    if (depth <= worker->run->call_depth &&
        (depth <= CALL_DEPTH_MIN || estimate <= call_limit(worker)))
        return call_kernel(worker, state_at(worker, level), depth, weight);
    return count_children(worker, level, depth, estimate, weight);
}

static void work_on(struct worker *worker, const struct item *item)
{
    struct run *run = worker->run;
    memcpy(state_at(worker, 0), item->state, run->state_size);
    free(item->state);
    worker->root = item->root;
    const enum pm_status status = count(worker, 0, item->depth, item->estimate, item->weight);
    publish(worker, pm_clock_ns());
    pthread_mutex_lock(&run->lock);
    if (status == PM_OK) {
        run->open_items[item->root]--;
        run->result->items_done++;
    }
    become_idle(run);
    pthread_mutex_unlock(&run->lock);
}

/* Estimates the root moves, whose states are made one by one at level 1. */
static enum pm_status estimate_roots(struct worker *worker, double estimates[], double *total)
{
    struct run *run = worker->run;
    unsigned char *child = state_at(worker, 1);
    *total = 0;
    for (unsigned i = 0; i < run->result->root_count; i++) {
        memcpy(child, state_at(worker, 0), run->state_size);
        enum pm_status status = play(run, child, &run->result->roots[i].move);
        if (status == PM_OK)
            status = probe(worker, child, run->job->depth - 1, &estimates[i]);
        if (status != PM_OK)
            return status;
        *total += estimates[i];
    }
    return PM_OK;
}

static enum pm_status list_roots(struct worker *worker)
{
    struct run *run = worker->run;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned move_count;
    const enum pm_status status = legal_moves(run, state_at(worker, 0), moves, &move_count);
    if (status != PM_OK)
        return status;
    run->result->root_count = move_count;
    for (unsigned i = 0; i < move_count; i++)
        run->result->roots[i] = (struct pm_root_count){.move = moves[i]};
    return PM_OK;
}

/* Makes an item of each root move. */
static enum pm_status give_roots(struct worker *worker)
{
    struct run *run = worker->run;
    const unsigned root_count = run->result->root_count;
    double estimates[PM_MAX_MOVES], total;
    enum pm_status status = estimate_roots(worker, estimates, &total);
    if (run->driver->threads > 1)
        run->call_share = total / (CALLS_PER_THREAD * run->driver->threads);
    for (unsigned i = 0; i < root_count && status == PM_OK; i++) {
        struct item item = {
            .estimate = estimates[i],
            .weight = total > 0 ? estimates[i] / total : 1.0 / root_count,
            .root = i,
            .depth = run->job->depth - 1,
            .state = state_at(worker, 1),
        };
        memcpy(item.state, state_at(worker, 0), run->state_size);
        status = play(run, item.state, &run->result->roots[i].move);
        if (status == PM_OK)
            status = give(run, item);
    }
    return status;
}

static void start(struct worker *worker)
{
    struct run *run = worker->run;
    const struct pm_job *job = run->job;
    run->start_ns = worker->published_ns = worker->progress_ns = pm_clock_ns();
    const enum pm_status status = job->kernel->set_position(state_at(worker, 0), job->position);
    if (status != PM_OK) {
        struct pm_error error;
        char fen[PM_FEN_SIZE];
        pm_fail(&error, status, "kernel %s can't take the position (%s): %s", job->kernel->name,
                pm_status_text(status),
                pm_fen_write(job->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen));
        end_run(run, status, error.text);
    } else if (list_roots(worker) == PM_OK) {
        give_roots(worker);
    }
    pthread_mutex_lock(&run->lock);
    become_idle(run);
    pthread_mutex_unlock(&run->lock);
}

/* Pins the thread and gives it memory of its own, touched first by itself. */
static void set_up(struct worker *worker)
{
    struct run *run = worker->run;
    const struct pm_driver *driver = run->driver;
    const size_t size = ((size_t)run->job->depth + 2) * run->state_size;
    struct pm_error error;
    const enum pm_status status =
        pm_pin_this_thread(driver->topology, driver->cpus[worker->index], &error);
    if (status != PM_OK)
        end_run(run, status, error.text);
    worker->states = aligned_alloc(ALIGNMENT, size);
    if (worker->states == NULL)
        out_of_memory(run);
    else
        memset(worker->states, 0, size);
}

static void add_counters(struct run *run, struct pm_counter_set *set)
{
    const struct pm_counters counters = pm_counter_set_read(set);
    pm_counter_set_close(set);
    pthread_mutex_lock(&run->lock);
    pm_counters_add(&run->result->counters, &counters);
    pthread_mutex_unlock(&run->lock);
}

static void tear_down(struct worker *worker)
{
    const struct pm_driver *driver = worker->run->driver;
    free(worker->states);
    if (driver->cpus[worker->index] >= 0)
        pm_unpin_this_thread(driver->topology); /* the caller's thread is one of them */
}

/* What each thread of the team does. */
static void run_thread(struct run *run, int index)
{
    struct worker worker = {.run = run, .index = index, .random = {.state = (uint64_t)index}};
    struct pm_counter_set counters;
    struct item item;
    set_up(&worker);
    pm_counter_set_open(&counters, run->job->counters);
#pragma omp barrier
    pm_counter_set_start(&counters);
    if (index == 0 && !atomic_load(&run->ended))
        start(&worker);
    while (take(run, &item))
        work_on(&worker, &item);
    pm_counter_set_stop(&counters);
#pragma omp barrier
    if (index == 0)
        run->result->seconds = pm_clock_seconds_since(run->start_ns);
    add_counters(run, &counters);
    tear_down(&worker);
}

static void run_threads(struct run *run)
{
    const int threads = run->driver->threads;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_num_threads() == threads)
            run_thread(run, omp_get_thread_num());
        else
            end_run(run, PM_ERROR_UNSUPPORTED,
                    "OpenMP gives fewer threads than asked for (OMP_THREAD_LIMIT?)");
    }
}

static enum pm_status check_job(const struct pm_job *job, struct pm_error *error)
{
    const struct pm_kernel *kernel = job->kernel;
    if (job->depth < 0 || job->depth > PM_JOB_MAX_DEPTH)
        return pm_fail(error, PM_ERROR_ARGUMENT, "depth %d: must be 0 to %d", job->depth,
                       PM_JOB_MAX_DEPTH);
    if (job->subtrees != NULL)
        return PM_OK;
    if ((unsigned)job->mode >= PM_MODE_COUNT ||
        !(kernel->capabilities & PM_CAN_MODE((unsigned)job->mode)))
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "kernel %s does not count in this mode",
                       kernel->name);
    if (job->mode == PM_MODE_UNIQUE)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "distinct positions can't be counted in parts: no driver for mode unique");
    return PM_OK;
}

/* Says how far a stopped run came, and which root moves are whole. */
static void conclude(struct run *run)
{
    struct pm_job_result *result = run->result;
    unsigned complete = 0;
    for (unsigned i = 0; i < result->root_count; i++) {
        result->roots[i].complete = result->items > 0 && run->open_items[i] == 0;
        complete += result->roots[i].complete;
    }
    result->complete = run->status == PM_OK;
    if (run->status == PM_ERROR_INTERRUPTED)
        pm_fail(run->error, run->status, "stopped after %.1f s: %u of %u root moves are complete",
                result->seconds, complete, result->root_count);
}

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->item_count; i++)
        free(run->items[i].state);
    free(run->items);
    pthread_cond_destroy(&run->wake);
    pthread_mutex_destroy(&run->lock);
}

enum pm_status pm_driver_run(struct pm_driver *driver, const struct pm_job *job,
                             struct pm_job_result *result, struct pm_error *error)
{
    const enum pm_status status = check_job(job, error);
    if (status != PM_OK)
        return status;
    *result = (struct pm_job_result){.complete = true};
    if (job->depth == 0) {
        result->nodes = 1;
        return PM_OK;
    }
    struct run run = {
        .driver = driver,
        .job = job,
        .state_size = pm_state_stride(job->kernel),
        .call_depth = pm_kernel_depth_limit(job->position),
        .start_ns = pm_clock_ns(),
        .active = 1, /* the thread that will give the roots */
        .call_share = call_leaves_max(job),
        .error = error,
        .result = result,
    };
    result->counters.known = PM_COUNTERS_ALL; /* what every thread counts will stay */
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.wake, NULL);
    run_threads(&run);
    conclude(&run);
    free_run(&run);
    return run.status;
}

struct shared {
    const struct pm_driver *driver;
    pm_parallel_task task;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool ended;
    struct pm_error failure; /* to pin a thread; written in a critical section */
};

/* What one thread does of shared tasks. Returns when it had nothing left to do. */
static uint64_t work_on_shared(struct shared *shared, int thread)
{
    struct pm_error failure;
    const int cpu = shared->driver->cpus[thread];
    if (pm_pin_this_thread(shared->driver->topology, cpu, &failure) != PM_OK) {
#pragma omp critical
        shared->failure = failure;
        atomic_store(&shared->ended, true);
    }
    while (!atomic_load(&shared->ended)) {
        const size_t i = atomic_fetch_add(&shared->next, 1);
        if (i >= shared->count)
            break;
        if (!shared->task(shared->context, i, thread))
            atomic_store(&shared->ended, true);
    }
    return pm_clock_ns();
}

enum pm_status pm_driver_parallel_for(struct pm_driver *driver, size_t count, pm_parallel_task task,
                                      void *context, double *idle_seconds, struct pm_error *error)
{
    struct shared shared = {.driver = driver, .task = task, .context = context, .count = count};
    double idle = 0;
    if (count == 1) { /* not worth waking anyone */
        task(context, 0, 0);
        return PM_OK;
    }
    omp_set_dynamic(0);
#pragma omp parallel num_threads(driver->threads) reduction(+ : idle)
    {
        const int thread = omp_get_thread_num();
        const uint64_t done_ns = work_on_shared(&shared, thread);
#pragma omp barrier
        idle += pm_clock_seconds_since(done_ns);
        if (driver->cpus[thread] >= 0)
            pm_unpin_this_thread(driver->topology);
    }
    if (idle_seconds != NULL)
        *idle_seconds += idle;
    if (shared.failure.status != PM_OK)
        return pm_fail(error, shared.failure.status, "%s", shared.failure.text);
    return PM_OK;
}

enum pm_status pm_driver_open(const struct pm_driver_config *config, struct pm_driver **result,
                              struct pm_error *error)
{
    const bool pinned = config->pin.policy != PM_PIN_NONE;
    int threads = config->threads;
    if (config->topology == NULL && pinned)
        return pm_fail(error, PM_ERROR_ARGUMENT, "pinning needs the topology");
    if (threads == 0)
        threads = config->topology != NULL ? pm_pin_default_threads(config->topology, &config->pin)
                                           : omp_get_num_procs();
    if (threads < 1)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%d threads: at least 1 is needed", threads);
    struct pm_driver *driver = calloc(1, sizeof *driver + (size_t)threads * sizeof(int));
    if (driver == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the driver");
    driver->topology = config->topology;
    driver->threads = threads;
    enum pm_status status =
        pm_pin_assign(config->topology, &config->pin, threads, driver->cpus, error);
    if (status == PM_OK) /* pins them once, so that it fails here and not in the first job */
        status = pm_driver_parallel_for(driver, 0, NULL, NULL, NULL, error);
    if (status != PM_OK) {
        pm_driver_close(driver);
        return status;
    }
    *result = driver;
    return PM_OK;
}

void pm_driver_close(struct pm_driver *driver)
{
    free(driver);
}

int pm_driver_threads(const struct pm_driver *driver)
{
    return driver->threads;
}

const int *pm_driver_cpus(const struct pm_driver *driver)
{
    return driver->cpus;
}
