/* SPDX-License-Identifier: MIT */
/* Reading files of any size in a stream: plain, gzip (zlib) or zstd (libzstd), told apart by their
 * first bytes, not by their names. What is packed otherwise, or UTF-16, is named and refused. */
#ifndef PM_CORE_INPUT_H
#define PM_CORE_INPUT_H

#include "core/status.h"

#include <stddef.h>

struct pm_input;

/* "-" is standard input. PM_ERROR_ARGUMENT if the file can't be opened or is a folder. */
enum pm_status pm_input_open(const char *path, struct pm_input **input, struct pm_error *error);

/* Bytes in memory as if they were a file's. They must stay until the input is closed. */
struct pm_input_text {
    const char *name; /* what messages call it */
    const void *bytes;
    size_t size;
    size_t piece;       /* the most that is read at once; 0: as much as is asked for */
    size_t first_piece; /* the same of the first time */
};
enum pm_status pm_input_open_text(const struct pm_input_text *text, struct pm_input **input,
                                  struct pm_error *error);

void pm_input_close(struct pm_input *input); /* NULL is allowed */

/* What messages call it: the path, or "standard input". */
const char *pm_input_name(const struct pm_input *input);

/* Reads up to `size` bytes; *got is 0 only at the end. PM_ERROR_IO if reading fails, PM_ERROR_PARSE
 * for a damaged or cut off compressed stream, PM_ERROR_ARGUMENT for a format that is not read: the
 * error names file and what is wrong. Several gzip members or zstd frames after one another are one
 * text. */
enum pm_status pm_input_read(struct pm_input *input, void *buffer, size_t size, size_t *got,
                             struct pm_error *error);

#endif
