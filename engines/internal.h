/* SPDX-License-Identifier: MIT */
/* What the kinds of subjects share. */
#ifndef PM_ENGINES_INTERNAL_H
#define PM_ENGINES_INTERNAL_H

#include "engines/subject.h"

#include <stdint.h>

struct pm_divide_patterns; /* divide.h */

/* The words in which an engine is talked to. Lines without their ends. */
struct pm_dialect {
    const char *start, *started;  /* said first, and its answer; NULL: nothing is */
    char *const *setup;           /* said then; ends with NULL; may be NULL */
    const char *ready, *is_ready; /* NULL: it can't be asked, an answer ends with the total */
    const char *start_position;   /* sets up the start position */
    const char *position;         /* sets up a position: {fen} */
    bool has_moves;               /* {fen} may be followed by " moves …" */
    const char *perft;            /* asks for the count: {depth} */
    const char *quit;             /* with its line end */
    bool chess960;                /* takes Chess960 without the option UCI_Chess960 */
    const struct pm_divide_patterns *patterns; /* NULL: as divide.h understands an answer */
};
extern const struct pm_dialect pm_dialect_uci;

/* Fill a zeroed subject, but for its name. The options have their time limit. What the dialect
 * points to must outlive the subject. */
enum pm_status pm_subject_use_uci(const char *command, const char *const extra[],
                                  const struct pm_dialect *dialect,
                                  const struct pm_subject_options *options,
                                  struct pm_subject *subject, struct pm_error *error);
enum pm_status pm_subject_use_script(const char *command, const struct pm_divide_patterns *patterns,
                                     const struct pm_subject_options *options,
                                     struct pm_subject *subject, struct pm_error *error);

/* A plug-in that was loaded and whose kernel is initialized. */
enum pm_status pm_plugin_open(const char *path, void **library, const struct pm_kernel **kernel,
                              struct pm_error *error);
void pm_plugin_close(void *library);

/* Sets the line's position and plays its moves; the kernel's status. */
enum pm_status pm_line_play(const struct pm_kernel *kernel, void *state,
                            const struct pm_line *line);

/* The position that a line leads to and its legal moves, by the reference kernel. */
struct pm_line_end {
    struct pm_position position;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
};
enum pm_status pm_line_end_find(const struct pm_line *line, struct pm_line_end *end,
                                struct pm_error *error);

/* The root's FEN, in Shredder letters for Chess960, then " moves …" if there are any; or only the
 * moves, blank-separated. Free the text; NULL if there is no memory. The en passant square is told
 * as the position has it, legal or not: to take it with care is part of what is tested. */
char *pm_line_to_fen(const struct pm_line *line, bool chess960);
char *pm_line_moves_to_text(const struct pm_line *line, bool chess960);

/* Sets *failure and error (printf-style), returns the status that goes with the failure. */
__attribute__((format(printf, 4, 5))) enum pm_status
pm_subject_fail(enum pm_subject_failure kind, enum pm_subject_failure *failure,
                struct pm_error *error, const char *format, ...);

/* The divide of a subject that names no moves, by its counts here and after each legal move. They
 * add up, or the failure is PM_SUBJECT_WRONG: it has moves too many or too few here. */
enum pm_status pm_divide_by_counts(struct pm_subject *subject, const struct pm_line *line,
                                   int depth, struct pm_divide *divide,
                                   enum pm_subject_failure *failure, struct pm_error *error);

/* The deadline of an answer that begins now. */
uint64_t pm_subject_deadline(double time_limit);

#endif
