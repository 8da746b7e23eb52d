/* SPDX-License-Identifier: MIT */
/* Foreign text on its way out. Control characters (U+0000 to U+001F, U+007F to U+009F), the line
 * and paragraph separators, the marks that turn a line's direction and bytes that are no UTF-8
 * would act on a terminal or break a table: none of them is written as it is. */
#ifndef PM_CORE_ESCAPE_H
#define PM_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether the character at `at` is one of those; *length is its length in bytes, 1 for what is no
 * UTF-8. `size` is at least 1. */
bool pm_is_unprintable(const char *at, size_t size, size_t *length);

/* For people: each byte of such a character becomes \xNN. */
void pm_escape_text(FILE *out, const char *text);

/* The same into memory. Returns escaped, which holds what fits: `room` is at least 1. */
char *pm_escape_copy(const char *text, char *escaped, size_t room);

/* A field of a TSV, which can be read back: besides, tab, line feed, carriage return and backslash
 * become \t, \n, \r and \\. */
void pm_escape_tsv(FILE *out, const char *text);

/* JSON as a library has written it, in which U+007F and above may stand as they are: they become
 * \uNNNN. */
void pm_escape_json(FILE *out, const char *json);

#endif
