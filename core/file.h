/* SPDX-License-Identifier: MIT */
/* Whole files: read, and written so that a reader sees either the old text or the new one. */
#ifndef PM_CORE_FILE_H
#define PM_CORE_FILE_H

#include "core/status.h"

#include <stddef.h>

/* Reads all of a file; PM_ERROR_ARGUMENT if it can't be opened. *text is the caller's to free; it
 * ends with a NUL that *size does not count. */
enum pm_status pm_file_read(const char *path, char **text, size_t *size, struct pm_error *error);

/* Writes a temporary file beside `path` and renames it. On an error the old file stands untouched.
 * What is no regular file (a pipe, /dev/stdout) is written to directly. */
enum pm_status pm_file_write(const char *path, const char *text, size_t size,
                             struct pm_error *error);

/* Whether pm_file_write() can be expected to work: asked before hours of measuring. */
enum pm_status pm_file_check_writable(const char *path, struct pm_error *error);

#endif
