/* SPDX-License-Identifier: MIT */
/* Proves kernels right: suites of positions with known counts, walks against the reference kernel,
 * and totals that catch much at once. Results are data; nothing here prints, apart from the two
 * writers at the end, which write where they are told to. */
#ifndef PM_VERIFY_VERIFY_H
#define PM_VERIFY_VERIFY_H

#include "core/count.h"
#include "core/epd.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What one test case checks. */
enum pm_check {
    PM_CHECK_MAKE,      /* each row's count, mode make */
    PM_CHECK_BULK,      /* each row's count, mode bulk */
    PM_CHECK_LOOKAHEAD, /* each row's count, mode lookahead */
    PM_CHECK_MOVES, /* each node of a walk: moves, positions after them, attacks, against reference
                     */
    PM_CHECK_ATTACKS,    /* checkers, pinned men, attacked squares, against reference */
    PM_CHECK_MIRROR,     /* each row's count with colours exchanged, mode bulk */
    PM_CHECK_ROUND_TRIP, /* FEN written and read again; positions set and asked for */
    PM_CHECK_KEY,        /* hash keys carried along by play(), against keys built from scratch */
    PM_CHECK_EXPANDER,   /* the expander's moves, origins, check squares and two-ply counts, against
                            reference */
    PM_CHECK_DISTINCT,   /* number of distinct positions after n plies from the start position */
    PM_CHECK_RANDOM,     /* generated positions: moves, positions after them, counts, against
                            reference */
    PM_CHECK_OUTSIDE,    /* each row's count, by divides of a program outside (outside.h) */
    PM_CHECK_COUNT
};
#define PM_CHECK_BIT(check) (1U << (check))

/* "make", "bulk", "moves", "attacks", "mirror", "roundtrip", "key", "expander", "distinct",
 * "random", "count". */
const char *pm_check_text(enum pm_check check);

/* The counting mode of PM_CHECK_MAKE, BULK and LOOKAHEAD; -1 for the other checks. */
int pm_check_mode(enum pm_check check);

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

struct pm_verify_item {
    const char *suite; /* file name without ".epd" */
    bool is_aimed;     /* small, and each position there for a reason: gets the larger limits */
};

struct pm_verify_set {
    const char *name;
    const char *summary;
    const struct pm_verify_item *items; /* ends with a NULL suite */
    struct pm_verify_limits usual, aimed;
    int distinct_depth;             /* PM_CHECK_DISTINCT goes to this ply; 0: not at all */
    struct pm_verify_random random; /* its seed is the caller's to choose */
    bool all_threads;               /* by default: one thread a processor, else a single one */
};

extern const struct pm_verify_set
    pm_verify_sets[]; /* smoke, quick, standard, full; ends with a NULL name */

/* The set of that name, or NULL. */
const struct pm_verify_set *pm_verify_set_find(const char *name);

/* A suite in memory with its limits. */
struct pm_verify_suite {
    struct pm_suite suite;
    struct pm_verify_limits limits;
};

struct pm_outside; /* verify/outside.h */

/* What a run goes through. Zero-initialise but for the folder; free in any state. */
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

/* Keeps only positions in which the text occurs: in the suite's name or in an operand of the
 * position's operations, such as its id. Letters count alike in either case. What is no position of
 * a suite (distinct and generated positions) is dropped too. Returns how many positions are left.
 */
size_t pm_verify_plan_filter(struct pm_verify_plan *plan, const char *text);

/* Keeps only positions that a game can reach, as far as pm_position_check() can tell. */
void pm_verify_plan_keep_reachable(struct pm_verify_plan *plan);

void pm_verify_plan_free(struct pm_verify_plan *plan);

/* ---- Results ---- */

struct pm_verify_failure {
    unsigned line; /* of the suite; 0: none */
    int depth;     /* of the row; 0: not about a row */
    char *id;      /* the position's EPD id, "" if it has none */
    char *fen;     /* the suite's position */
    char *path;    /* UCI moves from there to the node that differs; "" at the position itself */
    char *node;    /* the FEN of that node; "" if it is the position itself */
    char *text;    /* what differs: counts, missing and extra moves, a field of the position */
};

/* More than these are counted but not described. */
#define PM_VERIFY_MAX_FAILURES 20

/* The sum of a suite's counts at one depth, where it is known. Given only if every row of it ran.
 */
struct pm_verify_total {
    int depth;
    pm_count expected, counted;
};
#define PM_VERIFY_MAX_TOTALS 8

/* One suite, kernel and check. For PM_CHECK_MOVES a row is a walk from one position and a node is a
 * position compared; for PM_CHECK_DISTINCT a row is a ply and a node is a distinct position. For
 * PM_CHECK_ATTACKS, PM_CHECK_ROUND_TRIP, PM_CHECK_KEY and PM_CHECK_EXPANDER a row is a position of
 * the suite, for PM_CHECK_RANDOM a generated one: the suite is then named "random_SEED". */
struct pm_verify_case {
    char *suite;
    const char *kernel;
    const char *lineage; /* the kernel's; an engine's own name */
    enum pm_check check;
    uint64_t limit; /* nodes a row; 0: none */

    uint64_t positions, positions_total; /* with a row that ran; in all */
    uint64_t rows, rows_total;
    uint64_t rows_over_limit;  /* left out by the limit, or compared less deep because of it */
    uint64_t rows_unsupported; /* the kernel can't represent the position */
    uint64_t rows_stopped;     /* not reached: interrupted, or --fail-fast */
    pm_count nodes;            /* of the rows that ran, as expected */
    double seconds;

    struct pm_verify_total totals[PM_VERIFY_MAX_TOTALS];
    unsigned total_count;

    const char *skipped; /* why the kernel could not run at all; NULL if it could */
    uint64_t wrong;      /* rows (and totals) that are wrong */
    struct pm_verify_failure *failures;
    size_t failure_count;
};

struct pm_verify_report {
    struct pm_verify_case *cases;
    size_t case_count;
    int threads;
    double seconds;
    uint64_t rows, wrong; /* over all cases */
    pm_count nodes;
};
void pm_verify_report_free(struct pm_verify_report *report); /* in any state */

/* The lineages of all that checked a row, each once: kernels of one lineage are one witness.
 * Returns how many. */
#define PM_VERIFY_MAX_LINEAGES 64
size_t pm_verify_lineages(const struct pm_verify_report *report,
                          const char *lineages[PM_VERIFY_MAX_LINEAGES]);

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
    const atomic_bool *stop;           /* may be NULL; no new row begins once it is true */
    /* May be NULL. Called from one thread at a time: of the case's rows, so many are done. */
    void (*progress)(void *context, const struct pm_verify_case *current, size_t done,
                     size_t total);
    /* May be NULL. Called after each kernel of a suite, with the cases of its checks. */
    void (*finished)(void *context, const struct pm_verify_case *cases, size_t count);
    void *context;
};

/* Runs all checks of a plan: for each suite, each kernel, each check that the kernel offers. A
 * kernel whose CPU features are missing gives skipped cases. PM_OK even if counts are wrong: the
 * report says so. PM_ERROR_INTERRUPTED after `stop`: the report holds what was done. */
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

void pm_verify_case_free(struct pm_verify_case *result);

/* ---- Writers ---- */

/* One JSON document. Counts over 2^63 - 1 are strings, all others numbers. */
enum pm_status pm_verify_write_json(const struct pm_verify_report *report, FILE *file,
                                    struct pm_error *error);

/* TAP 14: a test point for each suite, kernel and check. */
enum pm_status pm_verify_write_tap(const struct pm_verify_report *report, FILE *file,
                                   struct pm_error *error);

/* JUnit XML: a test suite for each suite, a test case for each kernel and check. The file appears
 * whole or not at all. */
enum pm_status pm_verify_write_junit(const struct pm_verify_report *report, const char *path,
                                     struct pm_error *error);

#endif
