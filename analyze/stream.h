/* SPDX-License-Identifier: MIT */
/* Positions in a stream: read from files, analyzed on several threads, written in the order of the
 * input. Memory does not grow with the files. */
#ifndef PM_ANALYZE_STREAM_H
#define PM_ANALYZE_STREAM_H

#include "analyze/field.h"
#include "analyze/where.h"
#include "core/kernel.h"
#include "core/status.h"
#include "core/topology.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pm_stream_input {
    PM_STREAM_BY_CONTENT, /* as the first words of each file look: EPD or PGN */
    PM_STREAM_EPD,        /* a FEN and EPD operations a line; '#' begins a comment line */
    PM_STREAM_FEN,        /* nothing but a FEN a line, comment lines too */
    PM_STREAM_PGN         /* every position of every game's main line */
};

struct pm_stream_totals {
    uint64_t positions; /* analyzed */
    uint64_t passed;    /* the filter: rows written */
    uint64_t bad;       /* lines, or games that ended at a move that can't be played */
    uint64_t warned;    /* positions accepted with a warning */
    unsigned warnings;  /* all their bits: enum pm_fen_warning, pm_position_warning */
    uint64_t checksum;  /* the sum of the rows' hashes (pm_field_write): parts of a file add up */
    uint64_t bytes;     /* of text read; of PGN 0 */
    uint64_t bytes_all; /* what all files have, 0: unknown, or no progress is told */
    double seconds;
    int file;      /* where to go on: the index of the file and there … */
    uint64_t next; /* … the line (PGN: the game), for pm_stream_config.start */
};

struct pm_stream_config {
    const struct pm_kernel *kernel; /* runs here, init() was called */
    char *const *files;             /* "-" is standard input */
    int file_count;                 /* at least 1 */
    enum pm_stream_input input;
    uint64_t start; /* the first line (PGN: game) of the first file that is read, from 1 */
    const struct pm_field_list *fields; /* NULL: the default set that suits the first file */
    const struct pm_where *where;       /* NULL: every position passes */
    enum pm_format format;
    bool names;    /* begin with the line of the fields' names (not in JSON) */
    bool skip_bad; /* go on after a bad line or game; else the first one is the error returned */

    const struct pm_topology *topology; /* may be NULL with PM_PIN_NONE */
    struct pm_pin pin;
    int threads;             /* 0: pm_pin_default_threads() */
    const atomic_bool *stop; /* may be NULL; once true, what is at work is finished and written */

    /* Called one at a time, in the order of the input, from any thread. `text` is whole lines. */
    enum pm_status (*write)(void *context, const char *text, size_t size, struct pm_error *error);
    /* With skip_bad: one line, "file:line:column: …", without its newline. */
    void (*complain)(void *context, const char *line);
    void (*progress)(void *context, const struct pm_stream_totals *so_far); /* may be NULL */
    void *context;
};

/* Reads all files. *totals is filled in any case, with what was written. PM_ERROR_INTERRUPTED when
 * stopped; PM_ERROR_PARSE, _POSITION, _ILLEGAL or _UNSUPPORTED for a bad line, named as above. */
enum pm_status pm_stream_run(const struct pm_stream_config *config, struct pm_stream_totals *totals,
                             struct pm_error *error);

#endif
