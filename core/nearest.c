/* SPDX-License-Identifier: MIT */
#include "core/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 64 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to insert, drop, replace, or exchange with their neighbor: Damerau's distance in its
 * restricted form, by dynamic programming over the last three rows. */
static unsigned count_edits(const char *a, const char *b)
{
    const size_t length = strlen(b);
    unsigned rows[3][MAX_WORD + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= length; j++)
        last[j] = (unsigned)j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        now[0] = (unsigned)i + 1;
        for (size_t j = 0; j < length; j++) {
            now[j + 1] = least(least(now[j], last[j + 1]) + 1, last[j] + (a[i] != b[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                now[j + 1] = least(now[j + 1], before[j - 1] + 1);
        }
        unsigned *const oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[length];
}

void pm_nearest(const char *word, const char *known, unsigned *distance, char *best, size_t size)
{
    const size_t length = strlen(word), known_length = strlen(known);
    if (length > MAX_WORD || known_length > MAX_WORD || length < 2)
        return;
    const bool is_beginning = strncmp(word, known, length) == 0;
    const unsigned edits = is_beginning ? 1 : count_edits(word, known);
    const unsigned longest = (unsigned)(length > known_length ? length : known_length);
    if (edits >= *distance || edits * 3 > longest + 1)
        return;
    *distance = edits;
    snprintf(best, size, "%s", known);
}
