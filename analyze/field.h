/* SPDX-License-Identifier: MIT */
/* Named fields: what can be said of a position, asked for by name and written as TSV, JSON or CSV.
 */
#ifndef PM_ANALYZE_FIELD_H
#define PM_ANALYZE_FIELD_H

#include "analyze/facts.h"
#include "core/fen.h"
#include "core/status.h"
#include "rules/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position with its place in the input. */
struct pm_record {
    const struct pm_view *view;
    const struct pm_facts *facts; /* the parts that the fields need were computed */
    const char *file;
    uint64_t line;
    uint64_t game;     /* from 1; 0: not from a game */
    uint64_t ply;      /* 0 is the game's first position */
    const char *id;    /* the EPD opcode's text, "" if there is none */
    unsigned warnings; /* enum pm_fen_warning and pm_position_warning bits */
};

struct pm_value {
    const char *text; /* NULL: a number */
    size_t length;
    int64_t number;
};

/* Room for values that are put together: FENs. */
struct pm_value_room {
    char text[PM_FEN_SIZE];
};

enum pm_record_source {
    PM_RECORD_NUMBER, /* an int or unsigned in struct pm_facts */
    PM_RECORD_SET,    /* a set of squares there, which are counted */
    PM_RECORD_OTHER   /* what value() gives */
};

struct pm_record_field {
    const char *name;
    const char *meaning; /* a phrase for lists */
    unsigned parts;      /* enum pm_facts_part bits that its value comes from */
    enum pm_record_source source;
    size_t offset; /* in struct pm_facts */
    struct pm_value (*value)(const struct pm_record *record, struct pm_value_room *room);
    bool is_text;
    const char *(*choice)(unsigned index); /* of a text: all that it can be, NULL after the last
                                              one; NULL: anything */
};

extern const struct pm_record_field pm_record_fields[]; /* ends with a NULL name */

/* Names count with upper and lower case. NULL if there is none. */
const struct pm_record_field *pm_field_find(const char *name, size_t length);

/* The field whose name is nearest to a wrong one, or NULL if none is near. */
const struct pm_record_field *pm_field_nearest(const char *name, size_t length);

/* A text value may lie in *room. */
struct pm_value pm_field_value(const struct pm_record_field *field, const struct pm_record *record,
                               struct pm_value_room *room);

#define PM_FIELD_LIST_MAX 64

struct pm_field_list {
    const struct pm_record_field *fields[PM_FIELD_LIST_MAX];
    unsigned count;
    unsigned parts; /* what the facts need for all of them */
};

/* What is written if nothing else is asked for. */
extern const char pm_field_default_names[];      /* of lines */
extern const char pm_field_default_game_names[]; /* of the positions of games */

/* Reads names with commas between them. PM_ERROR_ARGUMENT: the error names the column, the name
 * and what would be right. */
enum pm_status pm_field_list_read(const char *names, struct pm_field_list *list,
                                  struct pm_error *error);

enum pm_format { PM_FORMAT_TSV, PM_FORMAT_JSON, PM_FORMAT_CSV };

/* Text that grows; zero-initialized memory is an empty one. */
struct pm_buffer {
    char *text; /* free() */
    size_t length, capacity;
};

/* Appends the line of names; nothing for PM_FORMAT_JSON. PM_ERROR_MEMORY. */
enum pm_status pm_field_write_names(const struct pm_field_list *list, enum pm_format format,
                                    struct pm_buffer *out);

/* Appends one line: TSV with tabs, line ends and backslashes as \t \n \r \\; CSV as RFC 4180 has
 * it, but with LF; JSON as one object a line, in which bytes that are no UTF-8 count as Latin-1.
 * *hash gets a number made of the values alone: the same for every format. PM_ERROR_MEMORY. */
enum pm_status pm_field_write(const struct pm_field_list *list, const struct pm_record *record,
                              enum pm_format format, struct pm_buffer *out, uint64_t *hash);

/* That number without the line. */
uint64_t pm_field_hash(const struct pm_field_list *list, const struct pm_record *record);

/* Makes room for `more` bytes behind the text. PM_ERROR_MEMORY. */
enum pm_status pm_buffer_reserve(struct pm_buffer *buffer, size_t more);

#endif
