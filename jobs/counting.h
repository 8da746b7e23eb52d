/* SPDX-License-Identifier: MIT */
/* Who counts what: the open items of a store, and of those that are known the ones to audit, by
 * this process's threads or by a team of processes. Nothing here prints. */
#ifndef PM_JOBS_COUNTING_H
#define PM_JOBS_COUNTING_H

#include "core/count.h"
#include "core/kernel.h"
#include "core/status.h"
#include "core/topology.h"
#include "jobs/items.h"
#include "jobs/store.h"
#include "perft/driver.h"
#include "perft/unique.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one phase: first items are counted, then audited. With PM_SPLIT_POSITIONS and no team an item
 * is audited as soon as it is counted: there is one phase. */
struct pm_counting_progress {
    bool is_audit;
    uint64_t start_ns;
    uint32_t to_do, done;
    pm_count nodes;  /* of the items that were counted */
    double fraction; /* of to_do, estimated */
    uint64_t memory; /* bytes, 0 if it is not known */
    int ply;         /* of the list that is made, 0 if there is none */
};

struct pm_counting;

/* Processes that do a phase in the place of this one's threads. */
struct pm_counting_team {
    enum pm_status (*run)(void *context, struct pm_counting *counting, struct pm_error *error);
    void *context;
};

struct pm_counting_config {
    struct pm_store *store;                   /* a run of it was begun */
    const struct pm_items *items;             /* of its plan; NULL with PM_SPLIT_UNIQUE */
    const struct pm_kernel *kernel, *auditor; /* run here, init() was called */
    uint32_t first, last;                     /* the items to count: last is below the plan's */
    double audit;    /* so many per cent of the items, chosen by the seed */
    uint64_t seed;   /* of hash keys; audits take the next one */
    uint64_t memory; /* bytes, the most for lists and tables */
    bool exact;      /* whole positions are compared */
    const atomic_bool *stop;

    struct pm_driver *driver;
    const struct pm_counting_team *team; /* NULL: the driver's threads */
    struct pm_pin pin;                   /* these two are for each process of a team */
    int threads;

    /* May be NULL. Both are called now and then, from any thread, but never twice at a time: how
     * far it is, and a line about what happened. */
    void (*progress)(void *context, const struct pm_counting_progress *progress);
    void (*note)(void *context, const char *line);
    void *context;
};

/* Zero-initialize but for the config. */
struct pm_counting {
    struct pm_counting_config config;
    pthread_mutex_t mutex; /* guards progress */
    struct pm_counting_progress progress;
    uint32_t disputed; /* the item whose last audit disagreed; UINT32_MAX: none */
    bool *due;         /* [item]: to audit now; NULL but in that phase */

    /* Known after counting by PM_SPLIT_UNIQUE; else negative and 0. */
    double error_probability;
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
};

/* Counts and audits what is to do. PM_ERROR_INTERRUPTED when stopped; PM_ERROR_MISMATCH if an audit
 * differs, or differed and none is to look at it again. What is finished is in the store. */
enum pm_status pm_counting_run(struct pm_counting *counting, struct pm_error *error);

/* How the kernel counts the items of a plan. */
enum pm_mode pm_counting_mode(const struct pm_plan *plan, const struct pm_kernel *kernel);

/* ---- For teams ---- */

/* Whether the item is to be counted in this phase, or audited. */
bool pm_counting_is_to_do(const struct pm_counting *counting, uint32_t item);

/* Into the store: as the item's count, or as what an audit found. */
enum pm_status pm_counting_record(struct pm_counting *counting, bool is_audit,
                                  const struct pm_store_count *count, struct pm_error *error);

#endif
