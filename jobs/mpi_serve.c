/* SPDX-License-Identifier: MIT */
/* What rank 0 does beside counting: deal out items, record results, notice ranks that are lost. */
#include "jobs/mpi_ranks.h"

#include "core/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A rank tells that it lives twice a second. */
#define LOST_SECONDS 30.0

/* mpirun of Open MPI kills a second after it asked to stop. */
#define STOP_SECONDS 0.7

/* A batch of positions takes so long: a round of messages takes some milliseconds. */
#define BATCH_SECONDS 2.0
#define BATCH_MAX 4096U

/* With PM_SPLIT_UNIQUE the lists are made anew for each slice. So slices are few: the first of a
 * rank is this part of what would be even, and later ones take this many times as long as their
 * lists. */
#define FIRST_SLICE 0.875
#define SLICE_PER_LISTS 4.0

enum { OPEN = -1, DONE = -2 }; /* else an item is with the rank of that number */

struct rank {
    bool is_at_work; /* not sent home */
    bool is_waiting; /* asked for items when there were none */
    bool is_lost;
    uint64_t heard_ns;
    uint64_t memory;
    struct pm_ranks_ready ready; /* what it told last; .host is "" before it did */
};

struct server {
    struct pm_ranks_place *place;
    struct pm_counting *counting;
    const struct pm_counting_config *config; /* of it */
    const struct pm_plan *plan;
    struct pm_error *error;
    enum pm_status status;

    int32_t *owners;            /* [item] */
    uint32_t to_do, open, left; /* at the start; with no rank; not done */
    uint32_t first_open;        /* none before it is open */
    struct rank *ranks;
    int at_work;
    uint64_t stopped_ns; /* 0: goes on */

    uint32_t numbers[PM_RANKS_ITEMS_MAX];
    struct pm_store_count results[PM_RANKS_RESULTS_MAX];
    double seconds, lists_seconds, idle_seconds; /* of all ranks together */
    double error_probability;
};

/* ---- Ranks ---- */

__attribute__((format(printf, 2, 3))) static void note(const struct server *server,
                                                       const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (server->config->note != NULL)
        server->config->note(server->config->context, line);
}

/* With items, or home if there are none. */
static void send_items(struct server *server, int number, uint32_t count)
{
    struct rank *rank = &server->ranks[number];
    pm_ranks_send(server->place->items, number, PM_RANKS_ITEMS, server->numbers,
                  count * sizeof server->numbers[0]);
    rank->is_waiting = false;
    rank->heard_ns = pm_clock_ns();
    if (count == 0) {
        rank->is_at_work = false;
        server->at_work--;
    }
}

static void send_home_who_waits(struct server *server)
{
    for (int i = 0; i < server->place->ranks; i++)
        if (server->ranks[i].is_at_work && server->ranks[i].is_waiting)
            send_items(server, i, 0);
}

/* The first failure is what the count ends with. */
static void stop(struct server *server, enum pm_status status, const char *why)
{
    if (server->status == PM_OK)
        server->status = pm_fail(server->error, status, "%s", why);
    if (server->stopped_ns != 0)
        return;
    server->stopped_ns = pm_clock_ns();
    pm_store_commit(server->config->store, NULL); /* what fails, fails again at the close */
    for (int i = 0; i < server->place->ranks; i++)
        if (server->ranks[i].is_at_work && !server->ranks[i].is_waiting)
            pm_ranks_send(server->place->items, i, PM_RANKS_STOP, NULL, 0);
    send_home_who_waits(server);
}

/* ---- Dealing out ---- */

static uint32_t part_of(uint32_t items, double part)
{
    const double count = ceil(items * part);
    return count < 1 ? 1 : (uint32_t)count;
}

static uint32_t slice_size(const struct server *server, const struct pm_ranks_ready *ready)
{
    const double ranks = server->place->ranks;
    if (ready->counted == 0 || ranks < 2)
        return part_of(server->to_do, ranks < 2 ? 1 : FIRST_SLICE / ranks);
    const double item_seconds = (ready->seconds - ready->lists_seconds) / ready->counted;
    const double least =
        item_seconds > 0 ? SLICE_PER_LISTS * ready->lists_seconds / item_seconds : server->open;
    const uint32_t even = part_of(server->open, 1 / ranks);
    return least >= server->open ? server->open : least > even ? (uint32_t)least : even;
}

static uint32_t batch_size(const struct server *server, const struct pm_ranks_ready *ready)
{
    const uint32_t most = part_of(server->open, 0.5 / server->place->ranks);
    const double wanted = ready->counted == 0 || ready->seconds <= 0
                              ? 4.0 * ready->threads
                              : BATCH_SECONDS * ready->counted / ready->seconds;
    const uint32_t count = wanted > BATCH_MAX ? BATCH_MAX : wanted < 1 ? 1 : (uint32_t)wanted;
    return count < most ? count : most;
}

/* Gives a rank that asked for items what there is; it waits if others have the rest. */
static void give_items(struct server *server, int number)
{
    const struct pm_ranks_ready *ready = &server->ranks[number].ready;
    const uint32_t wanted = server->plan->split == PM_SPLIT_UNIQUE ? slice_size(server, ready)
                                                                   : batch_size(server, ready);
    uint32_t count = 0, item = server->first_open;
    for (; item < server->plan->items && count < wanted && server->open > 0; item++)
        if (server->owners[item] == OPEN) {
            server->owners[item] = number;
            server->numbers[count++] = item;
            server->open--;
        }
    server->first_open = item;
    server->ranks[number].is_waiting = count == 0;
    if (count > 0)
        send_items(server, number, count);
}

static void give_who_waits(struct server *server)
{
    for (int i = 0; i < server->place->ranks; i++)
        if (server->ranks[i].is_at_work && server->ranks[i].is_waiting)
            give_items(server, i);
}

/* ---- What ranks tell ---- */

/* An item of a rank that was taken for lost may be counted twice: it is recorded once. */
static enum pm_status compare(const struct server *server, const struct pm_store_count *result,
                              struct pm_error *error)
{
    pm_count known;
    char text[PM_COUNT_TEXT_SIZE], known_text[PM_COUNT_TEXT_SIZE];
    const enum pm_status status =
        pm_store_count_of(server->config->store, result->item, &known, error);
    if (status != PM_OK || known == result->nodes)
        return status;
    return pm_fail(error, PM_ERROR_MISMATCH, "two ranks counted item %u: %s and %s", result->item,
                   pm_count_to_text(known, known_text), pm_count_to_text(result->nodes, text));
}

static enum pm_status take_result(struct server *server, const struct pm_store_count *result,
                                  struct pm_error *error)
{
    struct pm_counting_progress *progress = &server->counting->progress;
    if (result->item >= server->plan->items)
        return pm_fail(error, PM_ERROR_MISMATCH, "a count for item %u, of %u", result->item,
                       server->plan->items);
    int32_t *owner = &server->owners[result->item];
    if (*owner == DONE)
        return compare(server, result, error);
    server->open -= *owner == OPEN;
    server->left--;
    *owner = DONE;
    progress->done++;
    progress->nodes += result->nodes;
    progress->fraction = (double)progress->done / server->to_do;
    return pm_counting_record(server->counting, progress->is_audit, result, error);
}

static void take_results(struct server *server, const MPI_Status *message)
{
    struct pm_error error;
    int size = 0;
    MPI_Get_count(message, MPI_BYTE, &size);
    pm_ranks_receive(server->place->reports, message, server->results, (size_t)size);
    for (size_t i = 0; i < (size_t)size / sizeof server->results[0]; i++)
        if (take_result(server, &server->results[i], &error) != PM_OK) {
            stop(server, error.status, error.text);
            return;
        }
}

static void take_ready(struct server *server, const MPI_Status *message)
{
    struct pm_counting *counting = server->counting;
    struct pm_ranks_ready *ready = &server->ranks[message->MPI_SOURCE].ready;
    pm_ranks_receive(server->place->reports, message, ready, sizeof *ready);
    server->idle_seconds += ready->idle_seconds;
    if (ready->counted > 0) {
        server->seconds += ready->seconds;
        server->lists_seconds += ready->lists_seconds;
        server->error_probability += ready->error_probability;
        for (int ply = 0; ply < ready->distinct_count; ply++)
            counting->distinct[ply] = ready->distinct[ply];
        counting->distinct_count = ready->distinct_count;
    }
    if (ready->is_stopped)
        stop(server, PM_ERROR_INTERRUPTED, "stopped");
    if (server->stopped_ns != 0)
        send_items(server, message->MPI_SOURCE, 0);
    else
        give_items(server, message->MPI_SOURCE);
}

static void take_failure(struct server *server, const MPI_Status *message)
{
    struct pm_error failure;
    pm_ranks_receive(server->place->reports, message, &failure, sizeof failure);
    server->ranks[message->MPI_SOURCE].is_at_work = false;
    server->at_work--;
    stop(server, failure.status, failure.text);
}

static void take_message(struct server *server, const MPI_Status *message)
{
    struct rank *rank = &server->ranks[message->MPI_SOURCE];
    rank->heard_ns = pm_clock_ns();
    if (rank->is_lost) {
        note(server, "rank %d on %s is there again", message->MPI_SOURCE, rank->ready.host);
        rank->is_lost = false;
        rank->is_at_work = true;
        server->at_work++;
    }
    switch (message->MPI_TAG) {
    case PM_RANKS_READY:
        take_ready(server, message);
        break;
    case PM_RANKS_RESULTS:
        take_results(server, message);
        break;
    case PM_RANKS_FAILED:
        take_failure(server, message);
        break;
    default:
        pm_ranks_receive(server->place->reports, message, &rank->memory, sizeof rank->memory);
    }
}

/* ---- Looking around ---- */

static void lose(struct server *server, int number, const char *why)
{
    struct rank *rank = &server->ranks[number];
    uint32_t items = 0;
    for (uint32_t item = 0; item < server->plan->items; item++)
        if (server->owners[item] == number) {
            server->owners[item] = OPEN;
            server->first_open = item < server->first_open ? item : server->first_open;
            items++;
        }
    server->open += items;
    server->at_work--;
    rank->is_at_work = false;
    rank->is_lost = true;
    note(server, "rank %d%s%s %s: %u items are open again", number,
         rank->ready.host[0] != '\0' ? " on " : "", rank->ready.host, why, items);
}

/* Rank 0 is this process. */
static void look_for_lost_ranks(struct server *server)
{
    uint64_t memory = 0;
    for (int i = 0; i < server->place->ranks; i++) {
        const struct rank *rank = &server->ranks[i];
        if (i > 0 && rank->is_at_work && !rank->is_waiting &&
            pm_clock_seconds_since(rank->heard_ns) > LOST_SECONDS)
            lose(server, i, "is silent and taken for lost");
        memory += rank->memory;
    }
    server->counting->progress.memory = memory;
    give_who_waits(server);
}

static void look_around(struct server *server)
{
    const struct pm_counting_config *config = server->config;
    struct pm_error error;
    if (atomic_load(server->config->stop))
        stop(server, PM_ERROR_INTERRUPTED, "stopped");
    if (pm_store_commit_due(server->config->store, &error) != PM_OK)
        stop(server, error.status, error.text);
    if (server->stopped_ns == 0)
        look_for_lost_ranks(server);
    else if (pm_clock_seconds_since(server->stopped_ns) > STOP_SECONDS)
        for (int i = 0; i < server->place->ranks; i++)
            if (server->ranks[i].is_at_work)
                lose(server, i, "did not stop in time");
    if (config->progress != NULL)
        config->progress(config->context, &server->counting->progress);
}

/* ---- The whole ---- */

static enum pm_status open_server(struct server *server)
{
    server->owners = malloc((server->plan->items + (size_t)1) * sizeof server->owners[0]);
    server->ranks = calloc((size_t)server->place->ranks, sizeof server->ranks[0]);
    if (server->owners == NULL || server->ranks == NULL)
        return pm_fail(server->error, PM_ERROR_MEMORY, "out of memory");
    for (uint32_t item = 0; item < server->plan->items; item++) {
        const bool is_open = pm_counting_is_to_do(server->counting, item);
        server->owners[item] = is_open ? OPEN : DONE;
        server->open += is_open;
    }
    server->to_do = server->left = server->open;
    for (int i = 0; i < server->place->ranks; i++)
        server->ranks[i] = (struct rank){.is_at_work = true, .heard_ns = pm_clock_ns()};
    server->at_work = server->place->ranks;
    return PM_OK;
}

static void note_shares(struct server *server)
{
    const double all = server->seconds + server->idle_seconds;
    const int ranks = server->place->ranks;
    char lists[64] = "";
    if (all <= 0)
        return;
    if (server->plan->split == PM_SPLIT_UNIQUE)
        snprintf(lists, sizeof lists, ", %.1f %% making lists", 100 * server->lists_seconds / all);
    note(server, "%d rank%s, %.1f %% of their time waiting%s", ranks, ranks == 1 ? "" : "s",
         100 * server->idle_seconds / all, lists);
}

/* What a lost rank's keys met is not known. */
static void conclude(struct server *server)
{
    struct pm_counting *counting = server->counting;
    server->place->lost = 0;
    for (int i = 0; i < server->place->ranks; i++)
        server->place->lost += server->ranks[i].is_lost;
    if (!counting->progress.is_audit && server->plan->split == PM_SPLIT_UNIQUE)
        counting->error_probability = server->place->lost > 0         ? -1
                                      : server->error_probability < 1 ? server->error_probability
                                                                      : 1;
    if (server->status == PM_OK)
        note_shares(server);
}

static void *serve(void *context)
{
    struct server *server = context;
    MPI_Status message;
    while (server->at_work > 0) {
        if (server->left == 0)
            send_home_who_waits(server);
        if (pm_ranks_probe(server->place->reports, MPI_ANY_SOURCE, MPI_ANY_TAG, &message))
            take_message(server, &message);
        else
            pm_ranks_pause();
        look_around(server);
    }
    conclude(server);
    return NULL;
}

static struct pm_ranks_job describe_job(const struct server *server)
{
    const struct pm_counting_config *config = server->config;
    const bool is_audit = server->counting->progress.is_audit;
    struct pm_ranks_job job = {
        .plan = *server->plan,
        .seed = config->seed + (is_audit ? 1 : 0),
        .memory = config->memory,
        .exact = config->exact,
        .pin = config->pin,
        .threads = config->threads,
    };
    snprintf(job.kernel, sizeof job.kernel, "%s",
             (is_audit ? config->auditor : config->kernel)->name);
    return job;
}

static enum pm_status run_job(struct server *server)
{
    const struct pm_ranks_job job = describe_job(server);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, server) != 0)
        return pm_fail(server->error, PM_ERROR_MEMORY, "no thread to serve items");
    for (int i = 1; i < server->place->ranks; i++)
        pm_ranks_send(server->place->items, i, PM_RANKS_JOB, &job, sizeof job);
    pm_ranks_work(server->place, &job, server->config->items);
    pthread_join(thread, NULL);
    return server->status;
}

enum pm_status pm_ranks_run(void *place, struct pm_counting *counting, struct pm_error *error)
{
    enum pm_status status = PM_ERROR_MEMORY;
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return pm_fail(error, status, "out of memory");
    server->place = place;
    server->counting = counting;
    server->config = &counting->config;
    server->plan = pm_store_plan(counting->config.store);
    server->error = error;
    status = open_server(server);
    if (status == PM_OK)
        status = run_job(server);
    free(server->owners);
    free(server->ranks);
    free(server);
    return status;
}
