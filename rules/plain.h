/* SPDX-License-Identifier: MIT */
/* What typographic characters in the text of a game stand for: sites and word processors write
 * dashes, figurines, no-break spaces and signs of evaluation where PGN has ASCII. */
#ifndef PM_RULES_PLAIN_H
#define PM_RULES_PLAIN_H

#include <stddef.h>
#include <stdint.h>

enum pm_plain_kind {
    PM_PLAIN_OTHER, /* a letter like any other: stands for itself */
    PM_PLAIN_TEXT,  /* stands for ASCII text, that may be empty: "-", "x", "N", "1/2" */
    PM_PLAIN_BLANK, /* blanks of any width, also of none: U+00A0, U+200B, U+2060, U+FEFF */
    PM_PLAIN_DOTS,  /* an ellipsis */
    PM_PLAIN_GLYPH  /* a sign of evaluation */
};

struct pm_plain {
    enum pm_plain_kind kind;
    size_t length;    /* of the character, in bytes: 1 to 4 */
    const char *text; /* PM_PLAIN_TEXT only */
};

/* The character that begins at `at`, a byte of 0x80 or above; `size` bytes from there on may be
 * looked at. What is no UTF-8 is read as Windows-1252. */
struct pm_plain pm_plain_read(const void *at, size_t size);

/* The code point of a byte of Windows-1252; what it leaves open stays a control character. */
uint32_t pm_windows_1252(unsigned char byte);

#endif
