/* SPDX-License-Identifier: MIT */
#include "perft/unique.h"

#include "core/after_move.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "core/position.h"
#include "perft/ply.h"
#include "perft/zobrist.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The placements' keys are the same in all runs: they say to which item a position belongs. */
#define SETUP_SEED 0x506c796d61726bULL

/* As many children in one partition as a cache of a core holds entries for. */
#define CHILDREN_PER_PARTITION 40000.0
#define LOG2_PARTITIONS_MAX 20U

/* Of the limit, for what is not lists. */
#define TABLE_BYTES_PER_THREAD ((uint64_t)8 << 20)
#define CAPTURE_BYTES_MIN ((uint64_t)1 << 16)
#define CAPTURE_BYTES_MAX ((uint64_t)1 << 30)
#define MEMORY_MIN ((uint64_t)16 << 20)

/* A list grows from ply to ply by less than the one before it, or by little more. */
#define GROWTH_AT_FIRST 40.0
#define GROWTH_MARGIN 1.15
#define BYTES_PER_RECORD_MARGIN 1.08

#define PROGRESS_NS 100000000U

struct item {
    pm_count nodes;
    uint64_t partitions_left;
};

struct unique {
    const struct pm_unique_job *job;
    struct pm_unique_result *result;
    struct pm_error *error;
    const struct pm_ply_code *code;
    int thread_count;
    uint64_t start_ns, shown_ns;

    struct pm_zobrist *keys, *setups;
    struct pm_pool pool;
    struct pm_ply_thread *threads;
    struct pm_capture_table captures;
    struct pm_pool capture_memory;

    struct pm_list list; /* of the present ply */
    int ply;
    unsigned pieces_at_root[PM_COLOR_COUNT];
    bool wide;
    double growth; /* of the last list against the one before */

    struct pm_ply level;
    struct pm_list imports;
    size_t class_start; /* the first partition of the class that is worked on */

    /* The last list, in passes of some items. */
    unsigned log2_items;
    bool *open_items; /* to be counted in this job */
    bool *pass_items; /* of those, the ones of this pass */
    size_t partitions_counted, partitions_to_count;
    struct item *items;
    unsigned items_to_do, items_done;
    bool last_is_partial; /* some items of a pass were counted before it failed */
    bool has_failed;      /* so that no smaller pass would help */
    pthread_mutex_t lock; /* for items, *error and has_failed */
};

struct pm_unique_plan pm_unique_default_plan(int depth)
{
    return (struct pm_unique_plan){depth < 6 ? 1 : depth < 8 ? 16 : depth < 11 ? 256 : 1024};
}

#define BMI2 (PM_CPU_POPCNT | PM_CPU_BMI1 | PM_CPU_BMI2)
#define AVX512                                                                                     \
    (BMI2 | PM_CPU_LZCNT | PM_CPU_AVX512F | PM_CPU_AVX512BW | PM_CPU_AVX512VL |                    \
     PM_CPU_AVX512VBMI | PM_CPU_AVX512VBMI2)

const struct pm_unique_level pm_unique_levels[] = {
    {"portable", 0, 0, &pm_ply_portable},
#ifdef __x86_64__
    {"bmi2", BMI2, PM_CPU_QUIRK_SLOW_PEXT, &pm_ply_bmi2},
    {"avx512", AVX512, 0, &pm_ply_avx512},
#endif
    {0},
};

/* The highest that is not slow here. */
static const struct pm_unique_level *best_level(void)
{
    const struct pm_unique_level *best = &pm_unique_levels[0];
    for (const struct pm_unique_level *level = best; level->name != NULL; level++)
        if ((level->cpu_required & ~pm_cpu_features()) == 0 &&
            (level->cpu_slow & pm_cpu_features()) == 0)
            best = level;
    return best;
}

/* ---- Memory ---- */

static uint64_t memory_taken(const struct unique *unique)
{
    size_t lists = atomic_load(&unique->pool.taken);
    if (lists > unique->pool.limit)
        lists = unique->pool.limit;
    uint64_t sum = lists + unique->capture_memory.limit;
    for (int i = 0; i < unique->thread_count; i++) {
        const struct pm_ply_thread *thread = &unique->threads[i];
        sum += thread->slot_capacity * sizeof thread->slots[0] +
               thread->item_capacity * sizeof thread->items[0] +
               thread->count_capacity * sizeof thread->counts[0];
    }
    return sum;
}

static void note_memory(struct unique *unique)
{
    uint64_t taken =
        memory_taken(unique) + pm_list_overhead(&unique->list) + pm_list_overhead(&unique->imports);
    if (unique->level.children != NULL)
        taken += pm_list_overhead(unique->level.children);
    if (taken > unique->result->memory)
        unique->result->memory = taken;
}

/* One entry for every sixteenth child: about as many are captures. */
static enum pm_status open_captures(struct unique *unique, double expected_children)
{
    uint64_t bytes = CAPTURE_BYTES_MIN;
    const uint64_t share = unique->job->memory / 8;
    while (bytes * 2 <= CAPTURE_BYTES_MAX && bytes * 2 <= share &&
           (double)bytes < expected_children / 16 * sizeof(uint64_t))
        bytes *= 2;
    const enum pm_status status = pm_pool_open(&unique->capture_memory, bytes, 1, unique->error);
    unique->captures.entries = (_Atomic uint64_t *)(void *)unique->capture_memory.memory;
    unique->captures.bucket_mask = bytes / 64 - 1;
    return status;
}

/* Chunks of a list that is not read to its end go back to the pool. */
static void give_back_list(struct unique *unique, struct pm_list *list)
{
    struct pm_chunk_source *source = &unique->threads[0].source;
    for (int i = 0; list->heads != NULL && i < list->threads; i++)
        for (size_t partition = 0; partition < pm_list_partitions(list); partition++)
            for (struct pm_chunk *chunk = list->heads[i][partition], *next; chunk != NULL;
                 chunk = next) {
                next = chunk->next;
                pm_chunk_give_back(source, chunk);
            }
    pm_list_close(list);
}

/* Free chunks are dealt out evenly, as one thread may have read what all wrote. */
static void share_free_chunks(struct unique *unique)
{
    struct pm_chunk *all = NULL;
    for (int i = 0; i < unique->thread_count; i++)
        for (struct pm_chunk *chunk; (chunk = unique->threads[i].source.free) != NULL;) {
            unique->threads[i].source.free = chunk->next;
            chunk->next = all;
            all = chunk;
        }
    for (int i = 0; all != NULL; i = (i + 1) % unique->thread_count) {
        struct pm_chunk *next = all->next;
        pm_chunk_give_back(&unique->threads[i].source, all);
        all = next;
    }
}

/* ---- Tasks ---- */

static void report_progress(struct unique *unique)
{
    const struct pm_unique_job *job = unique->job;
    const uint64_t now_ns = pm_clock_ns();
    if (job->progress == NULL || now_ns - unique->shown_ns < PROGRESS_NS)
        return;
    unique->shown_ns = now_ns;
    pthread_mutex_lock(&unique->lock);
    const unsigned items_done = unique->items_done;
    const size_t counted = unique->partitions_counted;
    pthread_mutex_unlock(&unique->lock);
    const struct pm_unique_progress progress = {
        .seconds = (double)(now_ns - unique->start_ns) * 1e-9,
        .fraction = unique->partitions_to_count == 0
                        ? 0
                        : (items_done + (double)counted / (double)unique->partitions_to_count) /
                              (unique->items_to_do + 1.0),
        .items = unique->items_to_do,
        .items_done = items_done,
        .ply = unique->ply,
        .memory = unique->result->memory,
    };
    job->progress(job->context, &progress);
}

static bool is_stopped(const struct unique *unique)
{
    return unique->job->stop != NULL && atomic_load(unique->job->stop);
}

/* The first failure of any thread becomes the job's; one that a smaller pass would not mend goes
 * before one that it would. Returns false. */
static bool fail_job(struct unique *unique, const struct pm_error *failure, bool is_for_good)
{
    pthread_mutex_lock(&unique->lock);
    if (unique->error->status == PM_OK || (is_for_good && !unique->has_failed))
        *unique->error = *failure;
    unique->has_failed = unique->has_failed || is_for_good;
    pthread_mutex_unlock(&unique->lock);
    return false;
}

static bool fail_task(struct unique *unique, const struct pm_ply_thread *thread)
{
    return fail_job(unique, &thread->error, !thread->found_lists_full);
}

static bool begin_task(struct unique *unique, int thread)
{
    if (thread == 0)
        report_progress(unique);
    if (!is_stopped(unique))
        return true;
    return fail_job(unique, &(struct pm_error){PM_ERROR_INTERRUPTED, "stopped"}, true);
}

static bool merge_task(void *context, size_t index, int thread)
{
    struct unique *unique = context;
    struct pm_ply_thread *own = &unique->threads[thread];
    if (!begin_task(unique, thread))
        return false;
    return unique->code->merge(&unique->level, own, unique->class_start + index) ||
           fail_task(unique, own);
}

/* Adds a partition's leaves to its item, and reports the item when it is complete. */
static bool add_to_item(struct unique *unique, unsigned number, pm_count nodes)
{
    const struct pm_unique_job *job = unique->job;
    struct pm_error failure = {PM_OK, ""};
    pthread_mutex_lock(&unique->lock);
    struct item *item = &unique->items[number];
    const bool is_complete = --item->partitions_left == 0;
    unique->partitions_counted++;
    unique->items_done += is_complete;
    unique->open_items[number] = !is_complete;
    if (pm_count_add(&item->nodes, nodes) != PM_OK ||
        (is_complete && pm_count_add(&unique->result->nodes, item->nodes) != PM_OK))
        pm_fail(&failure, PM_ERROR_OVERFLOW, "the count needs more than 128 bits");
    else if (is_complete && job->finished != NULL)
        failure.status = job->finished(job->context, number, item->nodes, &failure);
    pthread_mutex_unlock(&unique->lock);
    return failure.status == PM_OK || fail_job(unique, &failure, true);
}

static bool count_task(void *context, size_t partition, int thread)
{
    struct unique *unique = context;
    struct pm_ply_thread *own = &unique->threads[thread];
    const unsigned item =
        (unsigned)(partition >> (unique->list.log2_partitions - unique->log2_items));
    pm_count nodes;
    if (!unique->pass_items[item])
        return true;
    if (!begin_task(unique, thread))
        return false;
    if (!unique->code->count(&unique->level, own, partition, &nodes))
        return fail_task(unique, own);
    return add_to_item(unique, item, nodes);
}

static enum pm_status share(struct unique *unique, size_t count, pm_parallel_task task)
{
    const enum pm_status status = pm_driver_parallel_for(
        unique->job->driver, count, task, unique, &unique->result->idle_seconds, unique->error);
    note_memory(unique);
    return status != PM_OK ? status : unique->error->status;
}

/* ---- Levels ---- */

static enum pm_color side_at(const struct unique *unique, int ply)
{
    return (enum pm_color)((unique->job->position->side_to_move + ply) % 2);
}

static int last_ply(const struct unique *unique)
{
    return unique->job->depth - 3;
}

/* Pieces that the side not to move at a ply can have lost, and one class more for imports. */
static unsigned classes_at(const struct unique *unique, int ply)
{
    const unsigned lost = (unsigned)(ply + 1) / 2;
    const unsigned pieces = unique->pieces_at_root[side_at(unique, ply + 1)];
    return ply == last_ply(unique) ? 1 : (lost < pieces ? lost : pieces) + 2;
}

static unsigned log2_partitions_for(const struct unique *unique, double records, int ply)
{
    const double partitions = records * unique->growth / CHILDREN_PER_PARTITION;
    const unsigned least = ply == last_ply(unique) ? unique->log2_items : 0;
    unsigned log2 = least;
    while (log2 < LOG2_PARTITIONS_MAX && ldexp(1, (int)log2) < partitions)
        log2++;
    return log2;
}

static double bytes_for(const struct unique *unique, double records)
{
    return records * BYTES_PER_RECORD_MARGIN *
           (unique->wide ? sizeof(struct pm_wide_record) : sizeof(struct pm_list_record));
}

/* Says how much memory may be enough for this list and the next. */
static enum pm_status lists_are_full(struct unique *unique, double next_share)
{
    const double records = (double)pm_list_count(&unique->list);
    const double threads =
        (double)unique->thread_count * (TABLE_BYTES_PER_THREAD + (double)unique->pool.block_size);
    const double needed =
        fmax((bytes_for(unique, records * (1 + unique->growth * next_share)) + threads) * 8 / 7,
             (double)unique->job->memory * 1.25);
    return pm_fail(unique->error, PM_ERROR_MEMORY,
                   "the lists of plies %d and %d do not fit into %.0f MB: about %.0f MB may be "
                   "enough",
                   unique->ply, unique->ply + 1, (double)unique->job->memory / 1e6, needed / 1e6);
}

/* Makes `list` into `next`, of which the level's `wanted` are kept. */
static enum pm_status merge_list(struct unique *unique, struct pm_list *next)
{
    struct pm_ply *level = &unique->level;
    const enum pm_color us = side_at(unique, unique->ply);
    enum pm_status status =
        pm_list_open(&unique->imports, unique->thread_count, unique->list.classes,
                     unique->list.log2_partitions, unique->wide, unique->error);
    level->us = us;
    level->parents = &unique->list;
    level->imports = &unique->imports;
    level->children = next;
    level->our_pieces_at_root = unique->pieces_at_root[us];
    level->children_are_last = unique->ply + 1 == last_ply(unique);
    const size_t partitions = (size_t)1 << unique->list.log2_partitions;
    /* The last class has no parents, and gets no imports that could take one more piece. */
    for (unsigned class = 0; status == PM_OK && class < unique->list.classes; class ++) {
        unique->class_start = class * partitions;
        status = share(unique, partitions, merge_task);
    }
    give_back_list(unique, &unique->imports);
    level->imports = NULL;
    level->children = NULL;
    return status;
}

/* An empty list for the next ply. */
static enum pm_status open_next(struct unique *unique, struct pm_list *next)
{
    const int ply = unique->ply + 1;
    const double records = (double)pm_list_count(&unique->list) * unique->growth;
    return pm_list_open(next, unique->thread_count, classes_at(unique, ply),
                        log2_partitions_for(unique, records, ply), unique->wide, unique->error);
}

/* The list of the next ply takes the place of this one. */
static enum pm_status advance(struct unique *unique)
{
    struct pm_list next;
    const uint64_t records = pm_list_count(&unique->list);
    enum pm_status status = open_next(unique, &next);
    if (status != PM_OK)
        return status;
    status = merge_list(unique, &next);
    if (status == PM_ERROR_MEMORY && !unique->has_failed)
        lists_are_full(unique, 1);
    pm_list_close(&unique->list);
    unique->list = next;
    unique->ply++;
    share_free_chunks(unique);
    const uint64_t made = pm_list_count(&next);
    unique->result->distinct[unique->result->distinct_count++] = made;
    unique->growth = records > 0 ? (double)made / (double)records * GROWTH_MARGIN : 1;
    return status;
}

/* ---- The last list ---- */

/* Counts what lies below the last list, or a part of it. */
static enum pm_status count_list(struct unique *unique, bool keep)
{
    const size_t partitions = (size_t)1 << unique->list.log2_partitions;
    unique->level.us = side_at(unique, last_ply(unique));
    unique->level.parents = &unique->list;
    unique->level.imports = NULL;
    unique->level.wanted = NULL;
    unique->level.keep_parents = keep;
    unique->partitions_counted = 0;
    unique->partitions_to_count = 0;
    for (unsigned i = 0; i < unique->job->plan.items; i++) {
        unique->items[i].nodes = 0;
        unique->items[i].partitions_left = partitions >> unique->log2_items;
        unique->partitions_to_count += unique->pass_items[i] ? unique->items[i].partitions_left : 0;
    }
    enum pm_status status = PM_OK;
    if (unique->captures.entries == NULL)
        status = open_captures(unique, (double)pm_list_count(&unique->list) * unique->growth);
    return status != PM_OK ? status : share(unique, partitions, count_task);
}

/* The last list is made for the items of a pass, counted, and given back. The list before stays.
 * With lists_only it is only made. */
static enum pm_status run_pass(struct unique *unique, bool is_all)
{
    struct pm_list before = unique->list, last;
    enum pm_status status = open_next(unique, &last);
    if (status != PM_OK)
        return status;
    unique->level.keep_parents = true;
    unique->level.wanted = is_all ? NULL : unique->pass_items;
    status = merge_list(unique, &last);
    share_free_chunks(unique);
    const uint64_t records = pm_list_count(&last);
    if (status == PM_OK && !unique->job->lists_only) {
        unique->ply++;
        unique->list = last;
        status = count_list(unique, false);
        unique->last_is_partial = unique->last_is_partial || status != PM_OK;
        unique->list = before;
        unique->ply--;
    }
    if (status == PM_OK)
        unique->result->distinct[last_ply(unique)] += records;
    give_back_list(unique, &last);
    share_free_chunks(unique);
    return status;
}

/* How many items of the last list fit into the memory that is left, going by the growth so far. */
static unsigned items_per_pass(const struct unique *unique)
{
    const unsigned item_count = unique->job->plan.items;
    const double needed = bytes_for(unique, (double)pm_list_count(&unique->list) * unique->growth);
    const size_t taken = atomic_load(&unique->pool.taken);
    const double left = unique->pool.limit > taken ? (double)(unique->pool.limit - taken) : 0;
    const double fitting = needed > 0 ? left / needed * item_count : item_count;
    return fitting >= item_count ? item_count : fitting < 1 ? 1 : (unsigned)fitting;
}

/* Chooses the next open items. Returns how many. */
static unsigned choose_items(struct unique *unique, unsigned most)
{
    unsigned chosen = 0;
    for (unsigned i = 0; i < unique->job->plan.items; i++) {
        unique->pass_items[i] = unique->open_items[i] && chosen < most;
        chosen += unique->pass_items[i];
    }
    return chosen;
}

/* All passes. One that runs out of memory is tried again with half as many items. */
static enum pm_status run_passes(struct unique *unique)
{
    unsigned most = items_per_pass(unique), chosen;
    unique->result->distinct[last_ply(unique)] = 0;
    while ((chosen = choose_items(unique, most)) > 0) {
        const enum pm_status status = run_pass(unique, chosen == unique->job->plan.items);
        if (status == PM_ERROR_MEMORY && !unique->has_failed && chosen > 1) {
            most = (chosen + 1) / 2;
            for (int i = 0; i < unique->thread_count; i++)
                unique->threads[i].found_lists_full = false;
            *unique->error = (struct pm_error){PM_OK, ""};
            continue;
        }
        if (status == PM_ERROR_MEMORY && !unique->has_failed)
            return lists_are_full(unique, 1.0 / unique->job->plan.items);
        if (status != PM_OK)
            return status;
        if (unique->job->lists_only)
            for (unsigned i = 0; i < unique->job->plan.items; i++)
                unique->open_items[i] &= !unique->pass_items[i];
    }
    return PM_OK;
}

/* ---- The whole ---- */

static enum pm_status check_job(const struct pm_unique_job *job, struct pm_error *error)
{
    const unsigned items = job->plan.items;
    if (job->depth < PM_UNIQUE_MIN_DEPTH || job->depth > PM_UNIQUE_MAX_DEPTH)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "depth %d: counting distinct positions takes %d to %d", job->depth,
                       PM_UNIQUE_MIN_DEPTH, PM_UNIQUE_MAX_DEPTH);
    if (items < 1 || items > PM_UNIQUE_MAX_ITEMS || (items & (items - 1)) != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%u items: a power of two up to %u is needed",
                       items, PM_UNIQUE_MAX_ITEMS);
    if (job->kernel->expander == NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "kernel %s can't count distinct positions: it has no expander",
                       job->kernel->name);
    if (job->memory < MEMORY_MIN)
        return pm_fail(error, PM_ERROR_MEMORY, "%llu MB of memory: at least %llu MB are needed",
                       (unsigned long long)(job->memory >> 20),
                       (unsigned long long)(MEMORY_MIN >> 20));
    return PM_OK;
}

static enum pm_status open_unique(struct unique *unique)
{
    const struct pm_unique_job *job = unique->job;
    const unsigned item_count = job->plan.items;
    const uint64_t wanted = (uint64_t)unique->thread_count * TABLE_BYTES_PER_THREAD;
    const uint64_t tables = wanted < job->memory / 2 ? wanted : job->memory / 2;
    const uint64_t lists = job->memory - job->memory / 8 - tables;
    unique->keys = malloc(sizeof *unique->keys);
    unique->setups = malloc(sizeof *unique->setups);
    unique->threads = calloc((size_t)unique->thread_count, sizeof unique->threads[0]);
    unique->open_items = calloc(item_count, sizeof unique->open_items[0]);
    unique->pass_items = calloc(item_count, sizeof unique->pass_items[0]);
    unique->items = calloc(item_count, sizeof unique->items[0]);
    if (unique->keys == NULL || unique->setups == NULL || unique->threads == NULL ||
        unique->open_items == NULL || unique->pass_items == NULL || unique->items == NULL)
        return pm_fail(unique->error, PM_ERROR_MEMORY, "out of memory");
    pm_zobrist_fill(unique->keys, job->seed);
    pm_zobrist_fill(unique->setups, SETUP_SEED);
    for (int i = 0; i < unique->thread_count; i++) {
        unique->threads[i].index = i;
        unique->threads[i].source.pool = &unique->pool;
    }
    while (1U << unique->log2_items < item_count)
        unique->log2_items++;
    for (unsigned i = 0; i < item_count; i++) {
        unique->open_items[i] = job->is_known == NULL || !job->is_known(job->context, i);
        unique->items_to_do += unique->open_items[i];
    }
    unique->level = (struct pm_ply){.expander = job->kernel->expander,
                                    .keys = unique->keys,
                                    .setups = unique->setups,
                                    .exact = job->exact,
                                    .log2_items = unique->log2_items,
                                    .captures = &unique->captures};
    return pm_pool_open(&unique->pool, lists, unique->thread_count, unique->error);
}

static void close_unique(struct unique *unique)
{
    pm_list_close(&unique->list);
    pm_list_close(&unique->imports);
    for (int i = 0; unique->threads != NULL && i < unique->thread_count; i++) {
        free(unique->threads[i].slots);
        free(unique->threads[i].items);
        free(unique->threads[i].counts);
    }
    pm_pool_close(&unique->pool);
    pm_pool_close(&unique->capture_memory);
    free(unique->threads);
    free(unique->open_items);
    free(unique->pass_items);
    free(unique->items);
    free(unique->keys);
    free(unique->setups);
    pthread_mutex_destroy(&unique->lock);
}

/* The list of the root. */
static enum pm_status enter_root(struct unique *unique)
{
    struct pm_position position = *unique->job->position;
    const enum pm_color us = (enum pm_color)position.side_to_move;
    pm_position_canonicalize(&position);
    const struct pm_bitboards board = pm_bitboards_of(&position);
    const struct pm_packed packed = pm_pack(&board);
    struct pm_ply_thread *thread = &unique->threads[0];
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        unique->pieces_at_root[color] = pm_popcount(board.pieces[color]);
    unique->wide = unique->pieces_at_root[PM_WHITE] + unique->pieces_at_root[PM_BLACK] > 32;
    unique->growth = GROWTH_AT_FIRST;

    const unsigned log2 = last_ply(unique) == 0 ? unique->log2_items : 0;
    const enum pm_status status =
        pm_list_open(&unique->list, unique->thread_count, classes_at(unique, 0), log2, unique->wide,
                     unique->error);
    if (status != PM_OK)
        return status;
    const uint64_t setup = pm_zobrist_of_setup(unique->setups, &board, pm_opponent(us));
    if (!pm_list_add(&unique->list, &thread->source, 0, pm_list_partition(&unique->list, 0, setup),
                     &packed, 1))
        return pm_fail(unique->error, PM_ERROR_MEMORY, "out of memory for the first list");
    unique->result->distinct[unique->result->distinct_count++] = 1;
    return PM_OK;
}

static double error_probability(const struct unique *unique)
{
    double expected = 0;
    for (int i = 0; i < unique->thread_count; i++)
        expected += unique->threads[i].false_hits;
    return -expm1(-expected); /* of at least one */
}

static enum pm_status count_all(struct unique *unique)
{
    enum pm_status status = enter_root(unique);
    while (status == PM_OK && unique->ply < last_ply(unique) - 1)
        status = advance(unique);
    if (status != PM_OK)
        return status;
    if (last_ply(unique) > 0) {
        const bool is_whole = unique->items_to_do == unique->job->plan.items;
        status = run_passes(unique);
        if (status == PM_OK && is_whole && !unique->last_is_partial)
            unique->result->distinct_count++;
        return status;
    }
    choose_items(unique, unique->job->plan.items);
    return unique->job->lists_only ? PM_OK : count_list(unique, true);
}

enum pm_status pm_unique_run(const struct pm_unique_job *job, struct pm_unique_result *result,
                             struct pm_error *error)
{
    struct pm_error own_error;
    struct unique unique = {
        .job = job,
        .result = result,
        .error = error != NULL ? error : &own_error,
        .code = (job->level != NULL ? job->level : best_level())->code,
        .thread_count = pm_driver_threads(job->driver),
        .start_ns = pm_clock_ns(),
    };
    *result = (struct pm_unique_result){0};
    *unique.error = (struct pm_error){PM_OK, ""};
    enum pm_status status = check_job(job, unique.error);
    if (status != PM_OK)
        return status;
    pthread_mutex_init(&unique.lock, NULL);
    status = open_unique(&unique);
    if (status == PM_OK && unique.items_to_do > 0)
        status = count_all(&unique);
    for (int i = 0; unique.threads != NULL && i < unique.thread_count; i++)
        result->counted += unique.threads[i].counted;
    if (unique.threads != NULL)
        result->error_probability = job->exact ? 0 : error_probability(&unique);
    result->seconds = pm_clock_seconds_since(unique.start_ns);
    close_unique(&unique);
    return status;
}
