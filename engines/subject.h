/* SPDX-License-Identifier: MIT */
/* A subject is whatever can divide: a kernel of ours, a plug-in, a UCI engine, a script. Divides
 * are all that an outside program offers, and all that is needed to walk to its first wrong move.
 */
#ifndef PM_ENGINES_SUBJECT_H
#define PM_ENGINES_SUBJECT_H

#include "core/board.h"
#include "core/count.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A node of the tree: a position and the moves played from it. */
struct pm_line {
    const struct pm_position *position;
    bool chess960;               /* castling is told as king takes rook */
    const struct pm_move *moves; /* legal, in order */
    unsigned move_count;
};

/* One root move of a divide, as the subject told it: a wrong move is text all the same. */
struct pm_divide_entry {
    char text[8]; /* UCI, lower case; castling as pm_move_to_text() writes it for the line */
    pm_count nodes;
};

struct pm_divide {
    struct pm_divide_entry entries[PM_MAX_MOVES]; /* sorted by text */
    unsigned count;
    pm_count total; /* as told, or the sum where none is told */
};

/* How a subject failed when it gave no divide. */
enum pm_subject_failure {
    PM_SUBJECT_FINE,
    PM_SUBJECT_HUNG,    /* no answer within the time limit */
    PM_SUBJECT_CRASHED, /* ended by a signal, or exited before the answer */
    PM_SUBJECT_GARBAGE, /* output that is no divide, or too much of it */
    PM_SUBJECT_LIED,    /* its parts do not add up, or it kept another position than it was told */
    PM_SUBJECT_WRONG,   /* its count has moves too many or too few, and it names none */
    PM_SUBJECT_REFUSED, /* it said, as the protocol has it, that it can't take the position */
    PM_SUBJECT_FAILURE_COUNT
};
const char *pm_subject_failure_text(enum pm_subject_failure failure); /* "hung", "crashed" ... */

struct pm_engine_file; /* engine_file.h */

struct pm_subject {
    char name[64];                  /* as typed after -k, cut, in printable ASCII */
    const struct pm_kernel *kernel; /* built in, or of a plug-in, whose name is then the word after
                                       -k; NULL for an outside program */
    bool external;                  /* figures are marked and ranked apart */
    bool chess960;                  /* takes castling from any file */

    /* Divides at the end of the line, depth >= 1. On another status than PM_OK, *failure (never
     * NULL) and error say what happened, but not on which line; the subject can be asked again. */
    enum pm_status (*divide)(struct pm_subject *subject, const struct pm_line *line, int depth,
                             struct pm_divide *divide, enum pm_subject_failure *failure,
                             struct pm_error *error);
    /* The same, but only divide->total is needed. NULL: divide() does it. */
    enum pm_status (*count)(struct pm_subject *subject, const struct pm_line *line, int depth,
                            struct pm_divide *divide, enum pm_subject_failure *failure,
                            struct pm_error *error);
    void (*close)(struct pm_subject *subject);
    void *context;
    struct pm_engine_file *file; /* of engine:, or NULL */
};

struct pm_subject_options {
    double time_limit;         /* seconds for each answer of an outside program; 0: 10 s */
    bool has_time_limit;       /* set by pm_subject_open() */
    const char *engine_folder; /* of the files that engine:NAME names; may be NULL */
    const char *sandbox; /* a program with a command `uci` (uci_serve.h), such as the running one:
                            kernels run in it, as UCI engines, and plug-ins as guests; NULL: here */
    const char *host;    /* the same for plug-ins alone (guest.h) */
    bool in_process;     /* plug-ins run here all the same: nothing protects us then */
    bool no_chess960;    /* the program is asked about standard chess alone, as if it had refused */
    enum pm_mode mode;   /* of kernels; one that lacks it counts in the first mode that it has */
    const atomic_bool *stop; /* may be NULL; once true, an outside program is not waited for:
                                PM_ERROR_INTERRUPTED, with PM_SUBJECT_FINE */
};

/* Opens what a word after -k names: a kernel's name; so:FILE, a plug-in (dlopen); uci:PROGRAM
 * [ARGS], a UCI engine that answers `go perft N`; cmd:PROGRAM, called as `PROGRAM DEPTH FEN
 * [MOVES]`; engine:NAME or engine:FILE, a program as a file describes it (engine_file.h). Each
 * prints a divide, or the total alone (divide.h). A position is refused by a line that begins with
 * "info string refused", or by exit status 77 of cmd:PROGRAM; the word "error" is no refusal.
 * PM_ERROR_ARGUMENT if there is no such kernel or file, PM_ERROR_UNSUPPORTED if it can't run here
 * or its ABI differs (both numbers are named). */
enum pm_status pm_subject_open(const char *word, const struct pm_subject_options *options,
                               struct pm_subject **subject, struct pm_error *error);
void pm_subject_close(struct pm_subject *subject); /* NULL is fine */

/* What went wrong first in a plug-in's process, "" if nothing did or if it has none. Returns text.
 */
#define PM_SUBJECT_CAUSE_SIZE 256
char *pm_subject_cause(const struct pm_subject *subject, char text[PM_SUBJECT_CAUSE_SIZE]);

#endif
