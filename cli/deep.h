/* SPDX-License-Identifier: MIT */
/* `plymark deep`: what its files share. */
#ifndef PM_CLI_DEEP_H
#define PM_CLI_DEEP_H

#include "cli/cli.h"
#include "jobs/counting.h"
#include "jobs/items.h"
#include "jobs/store.h"

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

/* `plymark deep`, counting by a team unless that is NULL. Returns an exit code. */
int deep_run(int argc, char **argv, const struct pm_counting_team *team);

/* What is shown of a count. */
struct deep_progress {
    double interval; /* seconds between lines without a terminal; 0: never */
    uint64_t shown_ns;
    uint32_t items, known_before; /* of the plan; when this process began */
    bool is_line_open;            /* on the terminal */
};

/* Callbacks of a count (context: struct deep_progress). On stderr: how far it is, in a line that is
 * written over on a terminal, else a line now and then; and lines about what happened. */
void deep_show_progress(void *context, const struct pm_counting_progress *counting);
void deep_show_note(void *context, const char *line);
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
