/* SPDX-License-Identifier: MIT */
/* `plymark deep`: what its files share. */
#ifndef PM_CLI_DEEP_H
#define PM_CLI_DEEP_H

#include "cli/cli.h"
#include "core/clock.h"
#include "jobs/item_count.h"
#include "jobs/items.h"
#include "jobs/store.h"
#include "perft/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct deep_options {
    struct cli_kernels kernels; /* the first counts, the second audits */
    struct cli_position position;
    struct cli_threads threads;
    const char *database; /* NULL: in memory */
    int depth;            /* 0 until given */
    int split;            /* enum pm_split, -1 until given */
    int ply;              /* 0 until given */
    uint32_t items;       /* 0 until given */
    uint32_t first, last; /* the items to count */
    uint64_t seed, memory;
    bool exact;
    double audit; /* per cent */
    double time_limit, progress_seconds;
    long drop; /* an item, -1: none */
    int divide;
    bool status;
    const char *import_path, *export_path, *json;
};

struct deep_progress {
    const struct deep_options *options;
    const char *doing; /* "counting", "auditing" */
    uint64_t start_ns, shown_ns;
    uint32_t items, known_before; /* of the plan; when this process began */
    uint32_t to_do, done;         /* by this process */
    pm_count nodes;               /* of the items that it counted */
    double fraction;              /* of to_do, estimated */
    uint64_t memory;              /* bytes, 0 if it is not known */
    int ply;                      /* of the list that is made, 0 if there is none */
    bool is_line_open;            /* on the terminal */
};

/* Counts, or audits, what is to do in the place of this process's threads. */
struct deep_work;
typedef enum pm_status deep_team(struct deep_work *work, bool is_audit, struct pm_error *error);

/* One process's work on a store. */
struct deep_work {
    deep_team *team; /* may be NULL */
    const struct deep_options *options;
    struct pm_store *store;
    const struct pm_items *items; /* NULL with PM_SPLIT_UNIQUE */
    struct pm_driver *driver;
    const struct pm_kernel *kernel, *auditor;
    const atomic_bool *stop;
    pthread_mutex_t mutex; /* guards progress */
    struct deep_progress progress;

    uint32_t disputed; /* the item whose last audit disagreed; UINT32_MAX: none */
    bool *due;         /* items to audit now, or NULL */
    /* Known after counting by PM_SPLIT_UNIQUE; else negative and 0. */
    double error_probability;
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
};

/* Whether the kernel that was given, or some kernel here, can split by unique. */
bool deep_offers_unique(const struct deep_options *options);

/* `plymark deep`, counting by a team unless that is NULL. Returns an exit code. */
int deep_run(int argc, char **argv, deep_team *team);

/* Finds which kernels count and audit; they are initialised. Returns an exit code, after a line on
 * stderr unless all is right. */
int deep_choose_kernels(struct deep_options *options, enum pm_split split);

/* Counts and audits what is open of options->first … last. */
enum pm_status deep_count(struct deep_work *work, struct pm_error *error);

/* Progress on stderr: a line that is written over on a terminal, else a line now and then. */
void deep_begin_progress(struct deep_progress *progress, const char *doing, uint32_t to_do);
void deep_show_progress(struct deep_progress *progress);
void deep_end_progress(struct deep_progress *progress);

/* PM_ERROR_MISMATCH if the last audit of an item, *item, disagrees: with what can be done about it.
 */
enum pm_status deep_check_audits(struct pm_store *store, uint32_t *item, struct pm_error *error);

/* What a database holds, on stdout. */
enum pm_status deep_print_status(struct pm_store *store, const char *path, struct pm_error *error);

/* The total, on stdout; about the count, on stderr. */
enum pm_status deep_print_total(struct pm_store *store, struct pm_error *error);

enum pm_status deep_print_divide(struct pm_store *store, const struct pm_items *items, int level,
                                 bool chess960, struct pm_error *error);

/* A summary for publishing. */
enum pm_status deep_write_json(struct pm_store *store, const char *environment, const char *path,
                               struct pm_error *error);

/* The machine and the build as a JSON object; NULL: no memory. To be freed. */
char *deep_environment(const struct pm_topology *topology);

#endif
