/* SPDX-License-Identifier: MIT */
/* UTF-8 (RFC 3629), one character at a time. */
#ifndef PM_CORE_UTF8_H
#define PM_CORE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the character that begins at `at`, 1 to 4 bytes, with its code point in *code; 0 if
 * the first bytes of `size` are none: cut off, overlong, a surrogate, beyond U+10FFFF. */
static inline size_t pm_utf8_read(const void *at, size_t size, uint32_t *code)
{
    const unsigned char *const bytes = at;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (size == 0)
        return 0;
    const unsigned char first = bytes[0];
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xC2 && first < 0xE0 ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    if (length == 0 || length > size)
        return 0;
    *code = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3Fu);
    }
    return *code < least[length] || *code > 0x10FFFF || *code >> 11 == 0x1B ? 0 : length;
}

/* Writes a code point above U+007F and below U+10000; returns its length, 2 or 3. */
static inline size_t pm_utf8_write(uint32_t code, unsigned char utf8[3])
{
    if (code < 0x800) {
        utf8[0] = (unsigned char)(0xC0 | code >> 6);
        utf8[1] = (unsigned char)(0x80 | (code & 0x3F));
        return 2;
    }
    utf8[0] = (unsigned char)(0xE0 | code >> 12);
    utf8[1] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
    utf8[2] = (unsigned char)(0x80 | (code & 0x3F));
    return 3;
}

#endif
