/* SPDX-License-Identifier: MIT */
/* Status codes and error descriptions. Functions that can fail return a status; those that can say
 * more fill a struct pm_error, which the caller may leave out (NULL). Only commands print and exit.
 */
#ifndef PM_CORE_STATUS_H
#define PM_CORE_STATUS_H

enum pm_status {
    PM_OK,
    PM_ERROR_ARGUMENT,    /* a value out of its range: depth, count, name */
    PM_ERROR_PARSE,       /* text that is not what it should be */
    PM_ERROR_POSITION,    /* well-formed, but no position that can be played */
    PM_ERROR_ILLEGAL,     /* a move that the position does not allow */
    PM_ERROR_UNSUPPORTED, /* the kernel lacks this mode, or the machine this feature */
    PM_ERROR_OVERFLOW,    /* a count that does not fit */
    PM_ERROR_MEMORY,
    PM_ERROR_IO,
    PM_ERROR_MISMATCH,    /* a count or a move set that is wrong */
    PM_ERROR_INTERRUPTED, /* stopped by the user before the end */
    PM_ERROR_CRASHED,     /* the process that should answer ended */
    PM_ERROR_HUNG,        /* no answer within the time limit */
    PM_STATUS_COUNT
};

/* The one string table: "ok", "bad argument", … Never NULL. */
const char *pm_status_text(enum pm_status status);

struct pm_error {
    enum pm_status status;
    char text[512]; /* one line without a newline: what, where, the value seen, what would be right
                     */
};

/* Fills *error (if not NULL) printf-style, cutting what is too long, and returns status. What could
 * act on a terminal (core/escape.h) becomes question marks. */
__attribute__((format(printf, 3, 4))) enum pm_status
pm_fail(struct pm_error *error, enum pm_status status, const char *format, ...);

#endif
