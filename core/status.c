/* SPDX-License-Identifier: MIT */
#include "core/status.h"

#include "core/escape.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *pm_status_text(enum pm_status status)
{
    static const char *const texts[PM_STATUS_COUNT] = {
        [PM_OK] = "ok",
        [PM_ERROR_ARGUMENT] = "value out of range",
        [PM_ERROR_PARSE] = "malformed text",
        [PM_ERROR_POSITION] = "unplayable position",
        [PM_ERROR_ILLEGAL] = "illegal move",
        [PM_ERROR_UNSUPPORTED] = "not supported here",
        [PM_ERROR_OVERFLOW] = "count too large",
        [PM_ERROR_MEMORY] = "out of memory",
        [PM_ERROR_IO] = "input or output failed",
        [PM_ERROR_MISMATCH] = "mismatch",
        [PM_ERROR_INTERRUPTED] = "interrupted",
        [PM_ERROR_CRASHED] = "its process crashed",
        [PM_ERROR_HUNG] = "no answer in time",
    };
    return (unsigned)status < PM_STATUS_COUNT ? texts[status] : "unknown status";
}

/* Whatever a message quotes, no terminal acts on it. */
static void mask(char *text)
{
    size_t length;
    for (size_t left = strlen(text); left > 0; text += length, left -= length)
        if (pm_is_unprintable(text, left, &length))
            memset(text, '?', length);
}

enum pm_status pm_fail(struct pm_error *error, enum pm_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        error->status = status;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        mask(error->text);
    }
    return status;
}
