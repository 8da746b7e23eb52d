/* SPDX-License-Identifier: MIT */
#include "core/count.h"

#include <string.h>

enum pm_status pm_count_add(pm_count *total, pm_count amount)
{
    pm_count sum;
    if (__builtin_add_overflow(*total, amount, &sum))
        return PM_ERROR_OVERFLOW;
    *total = sum;
    return PM_OK;
}

/* Fills a buffer from its end, then moves the text to its start. */
static char *write_digits(pm_count count, unsigned group, char text[PM_COUNT_TEXT_SIZE])
{
    char *const end = text + PM_COUNT_TEXT_SIZE;
    char *at = end;
    unsigned digits = 0;
    *--at = '\0';
    do {
        if (group != 0 && digits != 0 && digits % group == 0)
            *--at = ',';
        *--at = (char)('0' + (int)(count % 10));
        count /= 10;
        digits++;
    } while (count != 0);
    return memmove(text, at, (size_t)(end - at));
}

char *pm_count_to_text(pm_count count, char text[PM_COUNT_TEXT_SIZE])
{
    return write_digits(count, 0, text);
}

char *pm_count_to_grouped_text(pm_count count, char text[PM_COUNT_TEXT_SIZE])
{
    return write_digits(count, 3, text);
}

bool pm_count_from_text(const char *text, unsigned length, pm_count *count)
{
    pm_count value = 0;
    if (length == 0)
        return false;
    for (unsigned i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, (unsigned)(text[i] - '0'), &value))
            return false;
    }
    *count = value;
    return true;
}

double pm_count_to_double(pm_count count)
{
    return (double)count;
}
