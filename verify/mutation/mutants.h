/* SPDX-License-Identifier: MIT */
/* Measures the harness: small bugs are planted in copies of the kernels, one at a time, and the
 * suites are asked which of their rows show them. README.md explains. */
#ifndef PM_VERIFY_MUTATION_MUTANTS_H
#define PM_VERIFY_MUTATION_MUTANTS_H

#include "core/epd.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- text.c: files as texts ---- */

/* The whole file, NUL-terminated, to be freed; NULL with error filled. */
char *read_whole_file(const char *path, struct pm_error *error);

/* FNV-1a, to be continued from another hash. */
#define HASH_START 0xcbf29ce484222325U
uint64_t hash_text(uint64_t hash, const char *text);

/* ---- table.c: the planted bugs ---- */

/* One planted bug: a line of KERNEL.tsv. All strings live as long as the table. */
struct mutant {
    const char *kernel;
    const char *name;       /* unique within the kernel */
    const char *group;      /* the part of the rules: "castling", "en passant", … */
    const char *clause;     /* what the rules say and the mutant breaks, in a few words */
    const char *file;       /* in kernels/KERNEL/ */
    const char *function;   /* the text to find lies in its definition; "": anywhere in the file */
    const char *find;       /* occurs once there; any run of blanks matches any other */
    const char *replace;    /* what stands there instead */
    const char *equivalent; /* why no position can show it; "" for a bug */
};

struct mutant_table {
    struct mutant *mutants; /* by kernel, in the order of the files */
    size_t count;
    char **texts; /* the files that the strings point into */
    size_t text_count;
};

/* Reads every *.tsv of a folder. Zero-initialize the table; free it in any state. */
enum pm_status mutant_table_read(const char *folder, struct mutant_table *table,
                                 struct pm_error *error);
void mutant_table_free(struct mutant_table *table);

/* Equivalent mutants are not counted. */
bool is_counted(const struct mutant *mutant);

/* How many are counted, of one group and kernel (NULL: of all). */
size_t mutant_count(const struct mutant_table *table, const char *group, const char *kernel);

/* Whether the mutant is the table's first of its group. */
bool mutant_opens_group(const struct mutant_table *table, size_t index);

/* The kernel as it is, in the place of a mutant: its verdicts must be right, else those of mutants
 * would say nothing. */
struct mutant mutant_unchanged(const char *kernel);

/* "kernel/name" for messages and files. Returns text. */
#define MUTANT_TITLE_SIZE 128
char *mutant_title(const struct mutant *mutant, char text[MUTANT_TITLE_SIZE]);

/* ---- plant.c: mutated copies of a kernel ---- */

struct workshop {
    const char *source; /* the project's folder */
    const char *build;  /* a build tree of it, with compile_commands.json */
    const char *work;   /* scratch folder: copies, objects, cached verdicts */
};

#define WORK_PATH_SIZE 1024

/* Copies the kernel's folder with the bug planted (with none if find is "") and *hash what the
 * copy's text is. */
enum pm_status plant(const struct workshop *workshop, const struct mutant *mutant, uint64_t *hash,
                     struct pm_error *error);

/* Compiles the planted copy as the build tree compiles the kernel, into a shared object whose path
 * it writes. Optimizes less: a mutant runs for seconds, and would compile for longer. */
enum pm_status build_planted(const struct workshop *workshop, const struct mutant *mutant,
                             char object[WORK_PATH_SIZE], struct pm_error *error);

/* ---- field.c: what mutants are tried on ---- */

/* One row: a count of one entry. */
struct unit {
    const struct pm_suite_entry *entry;
    int depth;
    uint64_t nodes;
};

/* A suite's rows within the limit, those with the fewest nodes first. */
struct field_suite {
    struct pm_suite suite;
    struct unit *units;
    size_t unit_count;
    size_t first_unit, first_entry; /* where they stand among those of all suites */
    uint64_t hash;                  /* of the suite's text and limit */
};

#define FIELD_MAX_SUITES 16
struct field {
    struct field_suite suites[FIELD_MAX_SUITES];
    size_t suite_count;
    size_t unit_count, entry_count; /* of all suites */
    uint64_t hash;                  /* of all suites' */
};

/* Reads the suites in folder. */
enum pm_status field_read(const char *folder, struct field *field, struct pm_error *error);
void field_free(struct field *field);

/* The suite of a unit or of an entry, numbered through. */
const struct field_suite *suite_of_unit(const struct field *field, size_t unit);
const struct field_suite *suite_of_entry(const struct field *field, size_t entry);

/* ---- trial.c: one mutant on all rows ---- */

/* What a row says of a mutant, one character. */
enum verdict {
    VERDICT_RIGHT = '.',
    VERDICT_UNKNOWN = '_', /* still to be found */
    VERDICT_NOT_RUN = '-', /* given up, or not asked */
    VERDICT_COUNTS = '0',  /* the count is wrong, and added to this a bit for each mode in which it
                            * is: 1 make, 2 bulk, 4 lookahead */
    VERDICT_REFUSED = 'E', /* the kernel returned an error */
    VERDICT_MOVES = 'M',   /* level moves differs from the reference, or level key */
    VERDICT_CRASH = 'C',
    VERDICT_TIMEOUT = 'T'
};

/* Verdicts of one mutant: a character a row, then one an entry for a walk of one ply (level moves),
 * which is run only if no row tells. */
struct verdicts {
    char *units;
    char *walks;
};

bool is_kill(char verdict);
bool any_kill(const char verdicts[], size_t count);

/* Finds a kernel's unknown verdicts: runs its shared object in child processes under time limits.
 */
enum pm_status try_object(const char *object, const char *kernel, const struct field *field,
                          struct verdicts *verdicts, struct pm_error *error);

/* Whether the harness itself rejects a kernel's shared object, given a set of the suites in a
 * folder: counts and moves. */
enum pm_status verify_object(const char *object, const char *kernel, const char *suites,
                             const char *set, bool *rejected, struct pm_error *error);

/* ---- matrix.c: all mutants on all rows ---- */

struct matrix {
    const struct mutant_table *table;
    const struct field *field;
    struct verdicts *verdicts; /* one a mutant */
};

/* Tries every mutant, or takes its verdicts from the work folder if nothing has changed since. */
enum pm_status matrix_fill(const struct workshop *workshop, struct matrix *matrix,
                           struct pm_error *error);
void matrix_free(struct matrix *matrix);

/* Whether each counted mutant is killed, and no other: PM_ERROR_MISMATCH names the first. */
enum pm_status matrix_check(const struct matrix *matrix, struct pm_error *error);

/* Each cell as kill_matrix.tsv in `work`, the rates of the suites as summary.md in `results`. */
enum pm_status matrix_write(const struct matrix *matrix, const char *work, const char *results,
                            struct pm_error *error);

/* ---- cover.c: the smallest suite that kills them all ---- */

/* Rows and walks, numbered as in the field. */
struct cover {
    bool *units;
    bool *walks;
};

/* A greedy choice, then pruned, of cheap rows such that each counted mutant but those of the kernel
 * `without` (NULL: of none) is killed by `times` of them, or by all that can. */
enum pm_status cover_find(const struct matrix *matrix, const char *without, unsigned times,
                          struct cover *cover, struct pm_error *error);
void cover_free(struct cover *cover);

/* ---- smoke.c: what is published of it ---- */

/* Finds the cover and writes smoke.epd into suites, and the table of what each row catches,
 * smoke.md, into results. */
enum pm_status smoke_write(const struct matrix *matrix, const char *suites, const char *results,
                           struct pm_error *error);

#endif
