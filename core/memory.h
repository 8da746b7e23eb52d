/* SPDX-License-Identifier: MIT */
/* Amounts of memory in text, what the machine has to give, and memory for large tables. */
#ifndef PM_CORE_MEMORY_H
#define PM_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from a whole number, in KiB, MiB, GiB or TiB with K, M, G or T behind it (small letters
 * too): "4096", "256M". False if it is anything else, or 2^63 and more. */
bool pm_memory_from_text(const char *text, uint64_t *bytes);

#define PM_MEMORY_TEXT_SIZE 24

/* In the largest of those units that leaves a whole number: "256 MiB", "1000 bytes". Returns text.
 */
char *pm_memory_to_text(uint64_t bytes, char text[PM_MEMORY_TEXT_SIZE]);

/* The bytes that can still be taken without making the machine swap, and no more than the limit of
 * the process's control group. UINT64_MAX if the system doesn't say. */
uint64_t pm_memory_available(void);

/* Begins with a cache line, or with a huge page if it is as large as one; then the system gives it
 * in huge pages where it can. It comes when it is touched, with anything in it. free() gives it
 * back; NULL if there is none. */
void *pm_memory_take(size_t bytes);

#endif
