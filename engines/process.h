/* SPDX-License-Identifier: MIT */
/* A child process that is not trusted: every read and write has a deadline, its output is limited,
 * and in the end, ours too, it is killed with all that it has started (keeper.h). Its standard
 * error is kept apart: the last line is there for messages. One thread at a time may use a process.
 */
#ifndef PM_ENGINES_PROCESS_H
#define PM_ENGINES_PROCESS_H

#include "core/status.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pm_process;

enum pm_process_result {
    PM_PROCESS_FINE,
    PM_PROCESS_LATE,    /* the deadline passed */
    PM_PROCESS_STOPPED, /* the user asked for an end */
    PM_PROCESS_ENDED,   /* it is dead, or closed its end */
    PM_PROCESS_TOO_MUCH /* a line, or all output that was allowed, is over its limit */
};

#define PM_PROCESS_MAX_LINE 65536
#define PM_PROCESS_MAX_OUTPUT (1 << 20)

/* Whether `command`, split into words as a shell would (quotes, ~ and $NAME, but no commands in
 * it), names a program, by its path or on PATH: PM_OK or PM_ERROR_ARGUMENT. */
enum pm_status pm_process_check(const char *command, struct pm_error *error);

/* Starts the program, with `extra` (may be NULL, ends with NULL) as further arguments. Waiting for
 * it ends once *stop (may be NULL) is true. PM_ERROR_ARGUMENT as above, PM_ERROR_IO if it can't be
 * started. */
enum pm_status pm_process_open(const char *command, const char *const extra[],
                               const atomic_bool *stop, struct pm_process **process,
                               struct pm_error *error);

/* Deadlines are times of pm_clock_ns(). */
enum pm_process_result pm_process_write(struct pm_process *process, const char *text,
                                        uint64_t deadline);

/* The same for bytes, and what comes back; not to be mixed with lines. */
enum pm_process_result pm_process_write_data(struct pm_process *process, const void *data,
                                             size_t size, uint64_t deadline);
enum pm_process_result pm_process_read(struct pm_process *process, void *data, size_t size,
                                       uint64_t deadline);

/* It will get no more input. */
void pm_process_end_input(struct pm_process *process);

/* Gives the next line without its end, valid until the next call. A last line that lacks its end is
 * a line too. */
enum pm_process_result pm_process_read_line(struct pm_process *process, uint64_t deadline,
                                            const char **line, size_t *length);

/* PM_PROCESS_MAX_OUTPUT bytes may be read from now on. */
void pm_process_allow_output(struct pm_process *process);

/* Waits at most a second for the end of the process, then ends it. Gives its exit status, or minus
 * the signal that ended it by itself, or PM_PROCESS_WAS_KILLED. */
#define PM_PROCESS_WAS_KILLED (-1000)
int pm_process_wait(struct pm_process *process);

/* What pm_process_wait() gave, in words: "ended by signal 11 (Segmentation fault)". Returns text.
 */
#define PM_PROCESS_END_SIZE 80
char *pm_process_end_to_text(int exit_status, char text[PM_PROCESS_END_SIZE]);

/* The last line on its standard error so far, "" if there is none. */
const char *pm_process_last_words(struct pm_process *process);

/* Kills and reaps it, if that is not done, and frees. NULL is fine. */
void pm_process_close(struct pm_process *process);

#endif
