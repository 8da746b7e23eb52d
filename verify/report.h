/* SPDX-License-Identifier: MIT */
/* What a verification came to: a record for each planned check, whether it ran or not, and the
 * writers, which are functions of the report alone. */
#ifndef PM_VERIFY_REPORT_H
#define PM_VERIFY_REPORT_H

#include "core/count.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pm_diff;         /* verify/diagnose/diff.h */
struct pm_explanations; /* verify/diagnose/explain.h */

/* What one test case checks. */
enum pm_check {
    PM_CHECK_MAKE,      /* each row's count, mode make */
    PM_CHECK_BULK,      /* each row's count, mode bulk */
    PM_CHECK_LOOKAHEAD, /* each row's count, mode lookahead */
    PM_CHECK_MOVES, /* each node of a walk: moves, positions after them, attacks, against reference
                     */
    PM_CHECK_ATTACKS,    /* checkers, pinned pieces, attacked squares, against reference */
    PM_CHECK_MIRROR,     /* each row's count with colors exchanged, mode bulk */
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

/* How the run ended. */
enum pm_verify_end {
    PM_VERIFY_NOT_ENDED, /* it was killed, or it goes on */
    PM_VERIFY_FINISHED,
    PM_VERIFY_FAIL_FAST, /* the first wrong row ended it, and something was not reached */
    PM_VERIFY_INTERRUPTED,
    PM_VERIFY_BROKE_OFF, /* out of memory and the like: the report's error says it */
    PM_VERIFY_END_COUNT
};
/* "not ended", "finished", "fail-fast", "interrupted", "broke off". */
const char *pm_verify_end_text(enum pm_verify_end end);

struct pm_verify_failure {
    unsigned line; /* of the suite; 0: none */
    int depth;     /* of the row; 0: not about a row */
    char *name;    /* of the position, as in the test's id; "" until the case has ended */
    char *id;      /* the position's EPD id, "" if it has none */
    char *fen;     /* the suite's position; "" if it is about none */
    char *path;    /* UCI moves from there to the node that differs; "" at the position itself */
    char *node;    /* the FEN of that node; "" if it is the position itself */
    char *text;    /* what differs: counts, missing and extra moves, a field of the position */
    bool has_counts;
    pm_count expected, counted;  /* if has_counts */
    const char *no_answer;       /* "hung", "crashed" …; NULL if it answered, however wrongly */
    bool unreachable;            /* no game leads to the position */
    bool known;                  /* expected to fail */
    const struct pm_diff *cause; /* where it goes wrong, of the report's explanations; NULL if that
                                    was not looked into, or moves and counts are right */
};

/* More than these are counted but not described. */
#define PM_VERIFY_MAX_FAILURES 10000

/* The sum of a suite's counts at one depth, where it is known. Given only if every row of it ran.
 */
struct pm_verify_total {
    int depth;
    pm_count expected, counted;
};
#define PM_VERIFY_MAX_TOTALS 8

/* What became of one position of an outside program: a test of its own. */
struct pm_verify_position {
    unsigned line;
    const char *name;                                        /* the plan's */
    uint32_t right, wrong, over_limit, unsupported, stopped; /* rows */
    bool unreachable;                                        /* left out as such */
    bool known;                                              /* expected to fail, and it does */
    double seconds;                                          /* that its answers took */
};

/* One suite, kernel and check. For PM_CHECK_MOVES a row is a walk from one position and a node is a
 * position compared; for PM_CHECK_DISTINCT a row is a ply and a node is a distinct position. For
 * PM_CHECK_ATTACKS, PM_CHECK_ROUND_TRIP, PM_CHECK_KEY and PM_CHECK_EXPANDER a row is a position of
 * the suite, for PM_CHECK_RANDOM a generated one: the suite is then named "random_SEED". */
struct pm_verify_case {
    char *suite;
    const char *word;    /* names it after -s: the plan's; NULL: nothing does */
    const char *kernel;  /* or what stands after -k, in printable characters: the report's */
    const char *lineage; /* the kernel's; an engine's own name */
    int suite_index;     /* in the plan; -1: of no suite */
    int subject; /* in the configuration: a kernel, or kernel_count plus an outside program */
    enum pm_check check;
    uint64_t seed;  /* of PM_CHECK_RANDOM */
    uint64_t limit; /* nodes a row; 0: none */
    double weight;  /* how long it may take, in seconds of some machine */

    uint64_t positions, positions_total; /* with a row that ran; in all */
    uint64_t rows, rows_total;
    uint64_t rows_over_limit;  /* left out by the limit, or compared less deep because of it */
    uint64_t rows_unsupported; /* the kernel can't represent the position */
    uint64_t rows_unreachable; /* left out because no game leads there */
    uint64_t rows_stopped;     /* not reached: interrupted, --fail-fast, no answer too often */
    pm_count nodes;            /* of the rows that ran, as expected */
    double seconds;

    struct pm_verify_total totals[PM_VERIFY_MAX_TOTALS];
    unsigned total_count;

    const char *skipped; /* why the kernel could not run at all; NULL if it could */
    bool has_run;        /* begun and ended, though perhaps not to the last row */
    uint64_t wrong;      /* rows (and totals) that are wrong, less the known ones */
    uint64_t known;      /* rows that are wrong, and were expected to be */
    struct pm_verify_failure *failures;
    size_t failure_count;
    struct pm_verify_position *tests; /* of an outside program: each of the suite's positions */
    size_t test_count;
};

/* A list of tests that are expected to fail: a test's id a line, "#" begins a comment. */
struct pm_verify_known {
    struct pm_verify_known_test {
        char *id; /* "SUITE/CHECK/NAME", as in all reports; of each kernel of the run */
        unsigned line;
        bool failed, passed; /* in this run, by any kernel */
        bool planned;        /* there is such a test, whether it ran or not */
    } * tests;
    size_t count;
};
enum pm_status pm_verify_known_read(const char *path, struct pm_verify_known *known,
                                    struct pm_error *error);
void pm_verify_known_free(struct pm_verify_known *known); /* in any state */

/* "failed", "passed", "not run" or "not planned". */
const char *pm_verify_known_text(const struct pm_verify_known_test *test);

struct pm_verify_report {
    struct pm_verify_case *cases;
    size_t case_count;
    enum pm_verify_end end;
    char error[256]; /* why it broke off */
    char **names;    /* of the kernels and programs, printable */
    int name_count;
    const struct pm_verify_known *known; /* the caller's; NULL: none */
    int threads;
    double seconds;
    uint64_t rows, wrong; /* over all cases */
    pm_count nodes;
    struct pm_explanations
        *explanations; /* one for each kernel that failed, if they were asked for */
    size_t explanation_count;
};
void pm_verify_case_free(struct pm_verify_case *result);
void pm_verify_report_free(struct pm_verify_report *report); /* in any state */

/* The lineages of all that checked a row, each once: kernels of one lineage are one witness.
 * Returns how many. */
#define PM_VERIFY_MAX_LINEAGES 64
size_t pm_verify_lineages(const struct pm_verify_report *report,
                          const char *lineages[PM_VERIFY_MAX_LINEAGES]);

/* ---- Verdicts ---- */

enum pm_verify_verdict {
    PM_VERIFY_PASSED,
    PM_VERIFY_FAILED,
    PM_VERIFY_KNOWN,   /* failed, as was expected */
    PM_VERIFY_SKIPPED, /* did not run, or not to its end: the reason says why */
    PM_VERIFY_VERDICT_COUNT
};
const char *pm_verify_verdict_text(enum pm_verify_verdict verdict); /* "pass", "fail" … */

#define PM_VERIFY_REASON_SIZE 320

/* The verdict of a case; reason says what a skipped or known one comes from, else it is "". */
enum pm_verify_verdict pm_verify_case_verdict(const struct pm_verify_report *report,
                                              const struct pm_verify_case *result,
                                              char reason[PM_VERIFY_REASON_SIZE]);
enum pm_verify_verdict pm_verify_position_verdict(const struct pm_verify_report *report,
                                                  const struct pm_verify_case *result,
                                                  const struct pm_verify_position *position,
                                                  char reason[PM_VERIFY_REASON_SIZE]);

/* Of the run: "fail" if anything is wrong; else "interrupted" or "error" if it did not end as it
 * should; "pass"; or "nothing" if no row could run. */
const char *pm_verify_result_text(const struct pm_verify_report *report);

/* Whether the position of a failure is that one, in a case with tests. */
bool pm_verify_is_failure_of(const struct pm_verify_failure *failure,
                             const struct pm_verify_position *position);

/* What is wrong in one line: counts, and the first wrong move with its rule. */
void pm_verify_write_headline(const struct pm_verify_failure *failure, FILE *file);

/* A failure in lines, each after so many blanks: what is wrong and where; in full, also its cause
 * with the board, and the command that shows it again. */
void pm_verify_write_failure(const struct pm_verify_case *result,
                             const struct pm_verify_failure *failure, int indentation, bool in_full,
                             FILE *file);

/* The command that shows the failure again. */
void pm_verify_write_command(const struct pm_verify_case *result,
                             const struct pm_verify_failure *failure, FILE *file);

/* ---- Writers ---- */

enum pm_verify_format {
    PM_VERIFY_JSON,  /* one document. Counts over 2^63 - 1 are strings, all others numbers */
    PM_VERIFY_TAP,   /* TAP 14: a test point for each suite, kernel and check */
    PM_VERIFY_JUNIT, /* XML as Jenkins and GitLab read it: a test suite for each suite, a test case
                        for each kernel and check, of outside programs for each position */
    PM_VERIFY_FORMAT_COUNT
};

/* The whole text, from malloc(). */
enum pm_status pm_verify_format(const struct pm_verify_report *report, enum pm_verify_format format,
                                char **text, size_t *size, struct pm_error *error);

/* Writes it; the file appears whole or not at all. "-" is standard output. */
enum pm_status pm_verify_write(const struct pm_verify_report *report, enum pm_verify_format format,
                               const char *path, struct pm_error *error);

/* A copy of text from outside that may stand anywhere: what is no printable ASCII becomes
 * a question mark. From malloc(); NULL if there is no memory. */
char *pm_verify_printable(const char *text);

#endif
