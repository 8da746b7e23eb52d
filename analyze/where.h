/* SPDX-License-Identifier: MIT */
/* The filter: an expression over fields, compiled once, asked for each position.
 *
 *   or         = and { "||" and }
 *   and        = not { "&&" not }
 *   not        = "!" not | comparison
 *   comparison = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
 *   sum        = product { ("+" | "-") product }
 *   product    = sign { ("*" | "/" | "%") sign }
 *   sign       = "-" sign | "(" or ")" | number | field | text in "" or ''
 *
 * Numbers are reals; a comparison is 1 or 0; && and || take all but 0 as true. Texts can be
 * compared by == and != alone, and a text that the field never has is an error. Division by zero,
 * by / or %, gives no number: sums with it give none, every comparison with it (also !=) is false,
 * and it is false itself. */
#ifndef PM_ANALYZE_WHERE_H
#define PM_ANALYZE_WHERE_H

#include "analyze/field.h"
#include "core/status.h"

#include <stdbool.h>

struct pm_where;

/* PM_ERROR_ARGUMENT: the error names the column, the value seen and what would be right.
 * PM_ERROR_MEMORY. `text` must live as long as *where. */
enum pm_status pm_where_compile(const char *text, struct pm_where **where, struct pm_error *error);
void pm_where_free(struct pm_where *where); /* NULL is allowed */

/* enum pm_facts_part bits that the record's facts must have. */
unsigned pm_where_parts(const struct pm_where *where);

/* Whether the position passes. Any number of threads may ask at once. */
bool pm_where_passes(const struct pm_where *where, const struct pm_record *record);

#endif
