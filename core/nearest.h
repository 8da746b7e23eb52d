/* SPDX-License-Identifier: MIT */
/* Which known word an unknown one was meant to be. */
#ifndef PM_CORE_NEAREST_H
#define PM_CORE_NEAREST_H

#include <stddef.h>

/* Copies `known` to `best` if the word is nearer to it than *distance (edits; begin with UINT_MAX
 * and ""), and near enough to be a slip: a third of its letters, or a beginning of it. */
void pm_nearest(const char *word, const char *known, unsigned *distance, char *best, size_t size);

#endif
