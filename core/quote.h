/* SPDX-License-Identifier: MIT */
/* Foreign text in messages: whatever its bytes are, it comes out as one short printable line. */
#ifndef PM_CORE_QUOTE_H
#define PM_CORE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PM_QUOTE_MAX 72 /* bytes shown before the text is cut */
#define PM_QUOTE_SIZE (PM_QUOTE_MAX * 4 + 6)

/* Writes "text" with its quotation marks, other than printable ASCII as \xNN, and "..." after the
 * closing mark if it was cut. Returns quoted. */
static inline char *pm_quote(const char *text, size_t length, char quoted[PM_QUOTE_SIZE])
{
    char *out = quoted;
    *out++ = '"';
    for (size_t i = 0; i < length && i < PM_QUOTE_MAX; i++) {
        const unsigned char byte = (unsigned char)text[i];
        out += sprintf(out, byte >= ' ' && byte <= '~' ? "%c" : "\\x%02X", byte);
    }
    sprintf(out, "\"%s", length > PM_QUOTE_MAX ? "..." : "");
    return quoted;
}

/* Writes one word of a command that can be typed into a shell, in quotation marks where it needs
 * them; other than printable ASCII stands in bash's $'\xNN'. */
static inline void pm_shell_word(const char *word, FILE *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
    bool is_ascii = true;
    for (const char *c = word; *c != '\0'; c++)
        is_ascii = is_ascii && *c >= ' ' && *c <= '~';
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, file);
        return;
    }
    fputs(is_ascii ? "'" : "$'", file);
    for (const char *c = word; *c != '\0'; c++)
        if (!is_ascii && (*c < ' ' || *c > '~'))
            fprintf(file, "\\x%02X", (unsigned char)*c);
        else if (!is_ascii && (*c == '\'' || *c == '\\'))
            fprintf(file, "\\%c", *c);
        else if (*c == '\'')
            fputs("'\\''", file);
        else
            fputc(*c, file);
    fputc('\'', file);
}

#endif
