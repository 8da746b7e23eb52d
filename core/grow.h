/* SPDX-License-Identifier: MIT */
/* Arrays that grow: one place that doubles them. */
#ifndef PM_CORE_GROW_H
#define PM_CORE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/* The items, moved if there was no room for `needed` (at least 1) of item_size bytes; *capacity
 * says for how many there is room now. What is new is not initialized. NULL: no memory; the items
 * are where they were. */
static inline void *pm_grown(void *items, size_t *capacity, size_t needed, size_t item_size)
{
    enum { LEAST = 64 };
    if (needed <= *capacity)
        return items;
    size_t larger = 2 * *capacity > needed ? 2 * *capacity : needed;
    larger = larger > LEAST ? larger : LEAST;
    void *moved = realloc(items, larger * item_size);
    if (moved != NULL)
        *capacity = larger;
    return moved;
}

#endif
