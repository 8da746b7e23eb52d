/* SPDX-License-Identifier: MIT */
/* CSV after RFC 4180 in a stream, by libcsv: quoted fields with commas, doubled quotation marks and
 * line ends inside; LF, CR LF or CR; a byte order mark is passed over, and so are empty lines and
 * blanks around a field. The first line names the columns, the others have as many fields. */
#ifndef PM_RULES_RATING_CSV_H
#define PM_RULES_RATING_CSV_H

#include "core/input.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PM_CSV_MAX_FIELDS 256
#define PM_CSV_MAX_ROW (1u << 20) /* bytes, lest a forgotten quotation mark fill the memory */

struct pm_csv_field {
    const char *text; /* NUL-terminated */
    uint64_t line;    /* from 1, in the file: where the field begins */
    uint64_t column;  /* from 1, in bytes */
};

struct pm_csv_row {
    const struct pm_csv_field *fields;
    size_t count;
};

struct pm_csv_reader;

/* The input must not have been read before; it stays open at the end. */
enum pm_status pm_csv_open(struct pm_input *input, struct pm_csv_reader **reader,
                           struct pm_error *error);
void pm_csv_close(struct pm_csv_reader *reader); /* NULL is allowed */

/* The next row; *row is NULL at the end. It belongs to the reader and lives until the next call.
 * After an error, which names file, line and column, no more will come, unless it is a row with too
 * few or too many fields. */
enum pm_status pm_csv_next(struct pm_csv_reader *reader, const struct pm_csv_row **row,
                           struct pm_error *error);

/* After an error: whether it was such a row, so that the next one can be read. */
bool pm_csv_goes_on(const struct pm_csv_reader *reader);

/* Reads the first row and finds columns[0 … count-1] in it, in any order and either case; others
 * are passed over. places[i] is the index of column i, or -1 if it is missing and i >= required. */
enum pm_status pm_csv_columns(struct pm_csv_reader *reader, const char *const columns[],
                              size_t count, size_t required, int places[], struct pm_error *error);

/* Writes one field, in quotation marks where it needs them. */
void pm_csv_write(FILE *out, const char *text);

#endif
