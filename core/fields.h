/* SPDX-License-Identifier: MIT */
/* Members of structs described by tables, so that one description serves for writing them as JSON,
 * for reading them back and for checking what was read. */
#ifndef PM_CORE_FIELDS_H
#define PM_CORE_FIELDS_H

#include "core/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pm_field_kind {
    PM_FIELD_TEXT,  /* char[size] */
    PM_FIELD_BOOL,  /* bool */
    PM_FIELD_INT,   /* int, minimum … maximum */
    PM_FIELD_COUNT, /* uint64_t, minimum … maximum */
    PM_FIELD_NUMBER /* double, finite, minimum … maximum */
};

struct pm_field {
    const char *key; /* NULL ends a table */
    enum pm_field_kind kind;
    size_t offset, size; /* of the member */
    double minimum, maximum;
    bool is_optional; /* when it is read: left as it is if it is not there */
};

#define PM_FIELD(type, member, field_kind, low, high)                                              \
    {                                                                                              \
        .key = #member, .kind = (field_kind), .offset = offsetof(type, member),                    \
        .size = sizeof(((type *)NULL)->member), .minimum = (low), .maximum = (high)                \
    }

/* For members that older files lack: the value that stands for "unknown" must be 0. */
#define PM_FIELD_OPTIONAL(type, member, field_kind, low, high)                                     \
    {                                                                                              \
        .key = #member, .kind = (field_kind), .offset = offsetof(type, member),                    \
        .size = sizeof(((type *)NULL)->member), .minimum = (low), .maximum = (high),               \
        .is_optional = true                                                                        \
    }

/* Counts are exact in JSON readers that keep numbers as doubles. */
#define PM_FIELD_COUNT_MAX 9007199254740992.0 /* 2^53 */

/* A new JSON object, or NULL when memory is out. */
json_t *pm_fields_write(const struct pm_field fields[], const void *base);

/* Reading: the first fault is kept and everything after it is skipped, so that callers need to look
 * at the status only once, at the end. The error names file, place, the value seen and what would
 * be right. */
#define PM_PLACE_SIZE 192

struct pm_reader {
    const char *file;
    char place[PM_PLACE_SIZE]; /* of the container being read: "groups[0].measurements[3]" */
    enum pm_status status;
    struct pm_error *error;
};

/* Marks the reading as failed: "FILE: PLACE.key is SEEN: EXPECTED is needed". seen may be NULL:
 * missing. */
void pm_reader_reject(struct pm_reader *reader, const char *key, const json_t *seen,
                      const char *expected);

/* Fills the members that the table describes; each that is not optional must be there. */
void pm_fields_read(struct pm_reader *reader, const struct pm_field fields[], const json_t *object,
                    void *base);

struct pm_range {
    size_t minimum, maximum;
};

/* The array called key with as many elements as `length` allows, or NULL after a fault. */
json_t *pm_reader_array(struct pm_reader *reader, const json_t *object, const char *key,
                        struct pm_range length);

/* Fills doubles or ints from an array; each must be in minimum … maximum. */
void pm_reader_numbers(struct pm_reader *reader, const json_t *array, const char *key,
                       double minimum, double maximum, double values[]);
void pm_reader_integers(struct pm_reader *reader, const json_t *array, const char *key, int minimum,
                        int maximum, int values[]);

/* Moves the place into element `index` of the container `key`; `outer` keeps the place to go back
 * to. */
void pm_reader_enter(struct pm_reader *reader, const char *key, size_t index,
                     char outer[PM_PLACE_SIZE]);
void pm_reader_leave(struct pm_reader *reader, const char outer[PM_PLACE_SIZE]);

#endif
