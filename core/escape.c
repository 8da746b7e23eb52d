/* SPDX-License-Identifier: MIT */
#include "core/escape.h"

#include "core/utf8.h"

#include <string.h>

static bool acts_on_a_terminal(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

bool pm_is_unprintable(const char *at, size_t size, size_t *length)
{
    uint32_t code;
    *length = pm_utf8_read(at, size, &code);
    if (*length > 0)
        return acts_on_a_terminal(code);
    *length = 1;
    return true;
}

static void write_bytes(FILE *out, const char *at, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fprintf(out, "\\x%02X", (unsigned char)at[i]);
}

void pm_escape_text(FILE *out, const char *text)
{
    size_t length;
    for (size_t left = strlen(text); left > 0; text += length, left -= length) {
        if (pm_is_unprintable(text, left, &length))
            write_bytes(out, text, length);
        else
            fwrite(text, 1, length, out);
    }
}

char *pm_escape_copy(const char *text, char *escaped, size_t room)
{
    FILE *const out = room > 1 ? fmemopen(escaped, room, "w") : NULL;
    escaped[0] = '\0';
    if (out != NULL) {
        pm_escape_text(out, text);
        fclose(out); /* writes the NUL, if there is room for it */
    }
    escaped[room - 1] = '\0';
    return escaped;
}

void pm_escape_tsv(FILE *out, const char *text)
{
    static const char plain[] = "\t\n\r\\", letters[] = "tnr\\";
    size_t length;
    for (size_t left = strlen(text); left > 0; text += length, left -= length) {
        const char *const found = strchr(plain, *text);
        const bool is_unprintable = pm_is_unprintable(text, left, &length);
        if (found != NULL)
            fprintf(out, "\\%c", letters[found - plain]);
        else if (is_unprintable)
            write_bytes(out, text, length);
        else
            fwrite(text, 1, length, out);
    }
}

void pm_escape_json(FILE *out, const char *json)
{
    size_t length;
    for (size_t left = strlen(json); left > 0; json += length, left -= length) {
        uint32_t code = 0;
        const bool is_unprintable = pm_is_unprintable(json, left, &length);
        if (is_unprintable && pm_utf8_read(json, left, &code) > 0 && code >= 0x7F)
            fprintf(out, "\\u%04X", (unsigned)code);
        else
            fwrite(json, 1, length, out);
    }
}
