/* SPDX-License-Identifier: MIT */
/* The database of a deep count (SQLite): its plan, the items that are finished, who counted them,
 * and what audits found. One file; whoever kills the process, or cuts the power, at any moment
 * leaves a file with which the count goes on.
 *
 * What is written is durable (WAL with synchronous=FULL) within PM_STORE_BATCH_SECONDS of work: an
 * item is committed at once, unless others were just before; then it waits for the next commit. So
 * a crash loses the items in flight, and work of that long. An item has one count: recording it
 * twice is an error, whoever does it. Each row carries a checksum, which binds it to its plan: a
 * changed byte is an error, never a wrong total.
 *
 * Any number of threads may use a store at once. Nothing here prints. */
#ifndef PM_JOBS_STORE_H
#define PM_JOBS_STORE_H

#include "core/count.h"
#include "core/status.h"
#include "jobs/items.h"
#include "jobs/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define PM_STORE_BATCH_SECONDS 0.2
#define PM_STORE_SCHEMA 1

struct pm_store;

/* Whether there is a database at that path. False for an empty file, too: what is left of a
 * creation that did not come to its end. */
bool pm_store_exists(const char *path);

/* Makes a database and locks it. `items` are the positions that the plan names (NULL with
 * PM_SPLIT_UNIQUE). The path ":memory:" keeps all in memory. PM_ERROR_IO if it can't be written,
 * PM_ERROR_ARGUMENT if the file is there and not empty. */
enum pm_status pm_store_create(const char *path, const struct pm_plan *plan,
                               const struct pm_items *items, struct pm_store **store,
                               struct pm_error *error);

enum pm_store_access {
    PM_STORE_READ, /* beside a process that writes, if need be */
    PM_STORE_WRITE /* locked: one process at a time */
};

/* Opens and checks a database. PM_ERROR_PARSE if it is none of ours, too new, or damaged,
 * PM_ERROR_UNSUPPORTED if another process has it locked, PM_ERROR_IO if it can't be read or
 * written. The file is left as it is. */
enum pm_status pm_store_open(const char *path, enum pm_store_access access, struct pm_store **store,
                             struct pm_error *error);

/* Commits what waits and closes. Only what was never flushed can fail. NULL is fine. */
enum pm_status pm_store_close(struct pm_store *store, struct pm_error *error);

const struct pm_plan *pm_store_plan(const struct pm_store *store);

/* The positions that are items must be those of the database: PM_ERROR_MISMATCH otherwise. */
enum pm_status pm_store_check_items(struct pm_store *store, const struct pm_items *items,
                                    struct pm_error *error);

/* ---- Runs: a process that counts, or a file of items that was imported ---- */

struct pm_store_run {
    const char *kernel, *revision, *mode; /* "" for an import */
    const char *version;                  /* of the program */
    const char *environment;              /* a JSON object, or "" */
    const char *source;                   /* the file of an import, else "" */
    int threads;
    uint64_t seed;
    bool exact;
};

/* Every item that is recorded from now on belongs to this run. */
enum pm_status pm_store_begin_run(struct pm_store *store, const struct pm_store_run *run,
                                  struct pm_error *error);

/* What a run knows at its end, in order or stopped. */
struct pm_store_ending {
    double error_probability; /* at most; negative: not known */
    const uint64_t *distinct; /* positions at each ply; a 0 is not known */
    int distinct_count;
};
enum pm_status pm_store_end_run(struct pm_store *store, const struct pm_store_ending *ending,
                                struct pm_error *error);

/* ---- Items ---- */

uint32_t pm_store_known_count(struct pm_store *store);
bool pm_store_is_known(struct pm_store *store, uint32_t item);

/* What is not known is negative. Items that are parts of a list have no error probability of their
 * own: it is their run's. */
struct pm_store_count {
    uint32_t item;
    pm_count nodes;
    double seconds, error_probability;
};

/* PM_ERROR_MISMATCH if the item has another count already (both are in the error),
 * PM_ERROR_ARGUMENT if it has this one, or if there is no such item. */
enum pm_status pm_store_record(struct pm_store *store, const struct pm_store_count *count,
                               struct pm_error *error);

/* Commits what waits, if it has waited long enough. For callers without items just now. */
enum pm_status pm_store_commit_due(struct pm_store *store, struct pm_error *error);
enum pm_status pm_store_commit(struct pm_store *store, struct pm_error *error);

/* From now on nothing is committed until pm_store_commit(); or all of it is dropped, the run that
 * was begun in it too. */
enum pm_status pm_store_begin_batch(struct pm_store *store, struct pm_error *error);
enum pm_status pm_store_drop_batch(struct pm_store *store, struct pm_error *error);

/* PM_ERROR_ARGUMENT if it is not known. */
enum pm_status pm_store_count_of(struct pm_store *store, uint32_t item, pm_count *nodes,
                                 struct pm_error *error);

/* Takes an item's count away: it is open again. */
enum pm_status pm_store_forget(struct pm_store *store, uint32_t item, struct pm_error *error);

/* A finished item. The texts are valid during the call. */
struct pm_store_item {
    uint32_t item;
    pm_count nodes;
    const char *position;  /* FEN; "" with PM_SPLIT_UNIQUE */
    uint64_t multiplicity; /* 1 with PM_SPLIT_UNIQUE */
};

/* All finished items in their order, until `take` returns another status than PM_OK. It may not use
 * the store. */
typedef enum pm_status (*pm_store_take)(void *context, const struct pm_store_item *item,
                                        struct pm_error *error);
enum pm_status pm_store_each(struct pm_store *store, pm_store_take take, void *context,
                             struct pm_error *error);

/* The sum of the finished items, each as often as its position is reached: the perft, when all are
 * known. PM_ERROR_OVERFLOW if it does not fit 128 bits. */
enum pm_status pm_store_total(struct pm_store *store, pm_count *total, struct pm_error *error);

/* ---- Audits ---- */

struct pm_store_audit {
    uint32_t item;
    pm_count nodes;
    const char *kernel, *mode;
    uint64_t seed;
};

/* Keeps what an audit found, durably. PM_ERROR_MISMATCH, with both counts, if it differs. */
enum pm_status pm_store_add_audit(struct pm_store *store, const struct pm_store_audit *audit,
                                  struct pm_error *error);

/* Whether the last audit of that item agrees with its count. */
enum pm_status pm_store_is_audited(struct pm_store *store, uint32_t item, bool *is_audited,
                                   struct pm_error *error);

/* PM_ERROR_MISMATCH, with both counts and the first *item, if the last audit of some item disagrees
 * with its count. */
enum pm_status pm_store_check_audits(struct pm_store *store, uint32_t *item,
                                     struct pm_error *error);

/* ---- What it holds in all ---- */

/* So many items were counted by the one kernel, and last audited, with the same result, by the
 * other. */
struct pm_store_pair {
    char counted_by[64], auditor[64]; /* names; "" for an import */
    uint32_t items;
};
#define PM_STORE_MAX_PAIRS 64

struct pm_store_summary {
    uint32_t known, audited;           /* items; audited: those whose last audit agrees */
    int runs;                          /* imports included */
    double seconds;                    /* of all runs, up to their last commit */
    char created[32], last_commit[32]; /* ISO 8601, UTC */
    char kernels[256];                 /* "reply512, reply256": that counted items */
    struct pm_store_pair pairs[PM_STORE_MAX_PAIRS];
    int pair_count;
    double error_probability; /* of the total, at most; negative: not known */
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
};
enum pm_status pm_store_summarize(struct pm_store *store, struct pm_store_summary *summary,
                                  struct pm_error *error);

#endif
