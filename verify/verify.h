/* SPDX-License-Identifier: MIT */
/* Proves kernels right: suites of positions with known counts, walks against the reference kernel,
 * and totals that catch much at once. Results are data (verify/report.h); nothing here prints. */
#ifndef PM_VERIFY_VERIFY_H
#define PM_VERIFY_VERIFY_H

#include "core/count.h"
#include "core/epd.h"
#include "core/kernel.h"
#include "core/status.h"
#include "verify/report.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work is cut by node count, never by depth. A row runs if its count is within the limit of its
 * mode; a reference kernel, being slow, has a limit of its own for every mode. A walk goes as deep
 * as the number of positions at its end stays within `walk`, and at least one ply deep; a reference
 * kernel, which has none beside it but itself, is walked one ply deep. */
struct pm_verify_limits {
    uint64_t make, bulk, reference, walk;
};

/* Which positions PM_CHECK_RANDOM makes. Positions with too many moves are compared less deep than
 * the others, and counted as over the limit. */
struct pm_verify_random {
    uint64_t seed;    /* together with a position's number it says what the position is */
    unsigned repeats; /* how often, with seeds that follow each other; 0 as 1 */
    uint64_t positions;
    int depth;      /* 1 to PM_KERNEL_MAX_DEPTH */
    uint64_t limit; /* nodes a position, estimated */
};

/* ---- Named sets of suites ---- */

struct pm_verify_set_member {
    const char *suite; /* file name without ".epd" */
    bool is_aimed;     /* small, and each position there for a reason: gets the larger limits */
};

struct pm_verify_set {
    const char *name;
    const char *summary;
    const struct pm_verify_set_member *items; /* ends with a NULL suite */
    struct pm_verify_limits usual, aimed;
    int distinct_depth;             /* PM_CHECK_DISTINCT goes to this ply; 0: not at all */
    struct pm_verify_random random; /* its seed is the caller's to choose */
    bool all_threads;               /* by default: one thread a processor, else a single one */
};

extern const struct pm_verify_set
    pm_verify_sets[]; /* smoke, quick, standard, full; ends with a NULL name */

/* The set of that name, or NULL. */
const struct pm_verify_set *pm_verify_set_find(const char *name);

/* What a position is called in reports: its EPD id, or its FEN; the second of a name ends in "#2".
 * The name stays when lines come and go before it. */
struct pm_verify_name {
    unsigned line;
    char *text;
};

/* A suite in memory with its limits. */
struct pm_verify_suite {
    struct pm_suite suite;
    struct pm_suite left_out; /* by pm_verify_plan_keep_reachable(); reports tell of them */
    struct pm_verify_limits limits;
    char *word;   /* names it after -s, alone: "smoke.epd", a path */
    bool foreign; /* a file of the caller's, not one of the suites that come with the program */
    struct pm_verify_name *names; /* of both, by line; filled by pm_verify_prepare() */
    size_t name_count;
};

struct pm_outside; /* verify/outside.h */

/* What a run goes through. Zero-initialize but for the folder; free in any state. */
struct pm_verify_plan {
    const char *folder; /* where the suites are that come with the program */
    struct pm_verify_suite *suites;
    size_t suite_count;
    int distinct_depth;
    struct pm_verify_random random;
    bool all_threads;
};

/* Adds what a word after -s names: a set; else a file, if the word has a '/' or names one that is
 * there; else one of the suites in the folder, with or without ".epd". So "standard"
 * is the set and "standard.epd" the suite. A single suite gets the limits of the set "standard". */
enum pm_status pm_verify_plan_add(struct pm_verify_plan *plan, const char *word,
                                  struct pm_error *error);

/* Keeps only positions in which the text occurs: in the suite's name, in the position's id, or in
 * an operand of its other operations that is no list of counts (`c0 "castling 3, pin 2"`, which is
 * what a row of the suite smoke catches). Letters count alike in either case. What is no position
 * of a suite (distinct and generated positions) is dropped too. Returns how many positions are
 * left.
 */
size_t pm_verify_plan_filter(struct pm_verify_plan *plan, const char *text);

/* Leaves out the positions that no game reaches, as far as pm_position_check() can tell. */
enum pm_status pm_verify_plan_keep_reachable(struct pm_verify_plan *plan);

/* Whether pm_position_check() found nothing that no game leads to. */
bool pm_verify_is_reachable(const struct pm_suite_entry *entry);

/* The name of the position of that line; NULL if there is none. */
const char *pm_verify_name(const struct pm_verify_suite *suite, unsigned line);

void pm_verify_plan_free(struct pm_verify_plan *plan);

/* ---- Running ---- */

struct pm_verify_config {
    const struct pm_kernel *const *kernels; /* init() was called on those that run here */
    int kernel_count;
    struct pm_outside *const *outside; /* programs for PM_CHECK_OUTSIDE, the only check of theirs */
    int outside_count;
    const struct pm_kernel *reference; /* what walks compare with; init() was called */
    unsigned checks;                   /* PM_CHECK_BIT() of each */
    int threads;                       /* at least 1; rows are dealt out, the largest first */
    bool fail_fast;                    /* stop at the first wrong row */
    struct pm_verify_known *known;     /* failures that are expected; may be NULL */
    const atomic_bool *stop;           /* may be NULL; no new row begins once it is true */
    /* May be NULL. Called from one thread at a time: of the case's tasks, so many are done. */
    void (*progress)(void *context, const struct pm_verify_case *current, size_t done,
                     size_t total);
    /* May be NULL. Called after each case. */
    void (*finished)(void *context, const struct pm_verify_case *result);
    void *context;
};

/* Fills a zeroed report with all that is planned, none of it run: for each suite, each kernel, each
 * check that the kernel offers. A kernel whose CPU features are missing gives skipped cases. */
enum pm_status pm_verify_prepare(struct pm_verify_plan *plan, const struct pm_verify_config *config,
                                 struct pm_verify_report *report, struct pm_error *error);

/* Runs what was prepared, from the same plan and configuration. PM_OK even if counts are wrong: the
 * report says so, and how the run ended. PM_ERROR_INTERRUPTED after `stop`. */
enum pm_status pm_verify_run(const struct pm_verify_plan *plan,
                             const struct pm_verify_config *config, struct pm_verify_report *report,
                             struct pm_error *error);

/* Single checks. Each fills *result, of which suite, kernel, check and limit are set by the caller.
 */
enum pm_status pm_verify_counts(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result);
enum pm_status pm_verify_moves(const struct pm_kernel *kernel, const struct pm_suite *suite,
                               const struct pm_verify_config *config,
                               struct pm_verify_case *result);
enum pm_status pm_verify_attacks(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_case *result);
enum pm_status pm_verify_mirror(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result);
enum pm_status pm_verify_round_trip(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                    const struct pm_verify_config *config,
                                    struct pm_verify_case *result);
enum pm_status pm_verify_key(const struct pm_kernel *kernel, const struct pm_suite *suite,
                             const struct pm_verify_config *config, struct pm_verify_case *result);
enum pm_status pm_verify_expander(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                  const struct pm_verify_config *config,
                                  struct pm_verify_case *result);
enum pm_status pm_verify_distinct(const struct pm_kernel *kernel, int depth,
                                  const struct pm_verify_config *config,
                                  struct pm_verify_case *result);

/* All kernels of the configuration at once: the reference works for all of them. results has a case
 * for each kernel, or NULL for one that is left out. A failure's line is the position's number. */
enum pm_status pm_verify_random(const struct pm_verify_random *what,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *const results[]);

#endif
