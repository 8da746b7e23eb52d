/* SPDX-License-Identifier: MIT */
/* Counters that can't overflow unnoticed: totals are 128-bit, additions are checked. */
#ifndef PM_CORE_COUNT_H
#define PM_CORE_COUNT_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 pm_count;

/* Adds; PM_ERROR_OVERFLOW, and *total unchanged, when the sum needs more than 128 bits. */
enum pm_status pm_count_add(pm_count *total, pm_count amount);

#define PM_COUNT_TEXT_SIZE 52 /* 39 digits, 12 separators and the NUL */

/* Decimal digits. Returns text. */
char *pm_count_to_text(pm_count count, char text[PM_COUNT_TEXT_SIZE]);

/* The same with a comma before each group of three digits: 3,195,901,860. */
char *pm_count_to_grouped_text(pm_count count, char text[PM_COUNT_TEXT_SIZE]);

/* Reads `length` decimal digits, nothing else. False if empty, not a number, or over 128 bits. */
bool pm_count_from_text(const char *text, unsigned length, pm_count *count);

/* As double, for rates. */
double pm_count_to_double(pm_count count);

#endif
