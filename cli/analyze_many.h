/* SPDX-License-Identifier: MIT */
/* `plymark analyze FILE...`: positions by the million. */
#ifndef PM_CLI_ANALYZE_MANY_H
#define PM_CLI_ANALYZE_MANY_H

#include "analyze/stream.h"
#include "cli/cli.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* The option group of many positions: --fields, --where, --format, --input, --on-error, --start,
 * --no-header. A zero-initialized struct has the defaults. Positions are read as those of suites
 * are: leniently, and as Chess960 where they need it. */
struct analyze_many_options {
    /* Filled by analyze_many_argp */
    const char *fields; /* names, or "list"; NULL: the default set */
    const char *where;  /* NULL: every position passes */
    enum pm_format format;
    enum pm_stream_input input;
    bool skip_bad;  /* pass over bad lines; else the first one ends the run */
    bool no_header; /* TSV and CSV without the line of names; so it is with a start, too */
    uint64_t start; /* the first line (PGN: game) to be read, from 1; 0 is 1 */

    /* Filled by the command */
    char *const *files; /* "-" is standard input; none: standard input */
    int file_count;
    const struct pm_kernel *kernel; /* its init() was called */
    struct cli_threads threads;
};
extern const struct argp analyze_many_argp;

/* Analyses the files' positions onto stdout. Returns an exit code. --fields list (or help) prints
 * the names and meanings of all fields and reads nothing. */
int analyze_many(const struct analyze_many_options *options);

#endif
