/* SPDX-License-Identifier: MIT */
/* EPD suites: one position a line, `FEN ;D1 20 ;D2 400 …`, with or without blanks around ';', and
 * EPD opcodes (`id "name"; c0 "text";`) beside the counts. A line that begins with '#' is a
 * comment; one of the form `# key: value` is kept as the suite's header. CRLF and a byte order mark
 * are accepted. */
#ifndef PM_CORE_EPD_H
#define PM_CORE_EPD_H

#include "core/board.h"
#include "core/count.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

struct pm_suite_count {
    int depth; /* 1 and up, ascending within an entry */
    pm_count nodes;
};

struct pm_suite_opcode {
    char *name;    /* "id", "bm", "c0" … */
    char *operand; /* without quotes; "" if none */
};

struct pm_suite_entry {
    unsigned line; /* in the file, from 1 */
    char *fen;     /* as it stands in the file */
    struct pm_position position;
    bool chess960;     /* was read as Chess960 */
    unsigned warnings; /* enum pm_fen_warning and pm_position_warning bits */
    struct pm_suite_count *counts;
    unsigned count_count;
    struct pm_suite_opcode *opcodes;
    unsigned opcode_count;
};

struct pm_suite {
    char *name;   /* the file's name without folder and ".epd" */
    char *source; /* header `# source:`, "" if none */
    struct pm_suite_entry *entries;
    size_t entry_count;
};

/* Reads a whole suite. The first bad line is an error that names file, line, column and value;
 * nothing is skipped. Positions are read by pm_fen_read_either(). A line has at most 1 MiB, a
 * file 1 GiB. */
enum pm_status pm_suite_read_file(const char *path, struct pm_suite *suite, struct pm_error *error);

/* The same from memory; `name` stands for the file in messages. */
enum pm_status pm_suite_read_text(const char *name, const char *text, size_t size,
                                  struct pm_suite *suite, struct pm_error *error);

/* The operand of an opcode, or NULL. */
const char *pm_suite_entry_opcode(const struct pm_suite_entry *entry, const char *name);

/* Drops the entries that keep() does not want. */
void pm_suite_filter(struct pm_suite *suite,
                     bool (*keep)(const struct pm_suite_entry *entry, const void *context),
                     const void *context);

/* Frees what a suite holds, in any state that a reader leaves. */
void pm_suite_free(struct pm_suite *suite);

#endif
