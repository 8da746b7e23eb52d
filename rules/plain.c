/* SPDX-License-Identifier: MIT */
#include "rules/plain.h"

#include "core/utf8.h"

uint32_t pm_windows_1252(unsigned char byte)
{
    static const uint16_t codes[32] = {
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? codes[byte - 0x80] : byte;
}

/* Code points from `first` to `last`. The first row that fits decides; what is in none is a letter
 * like any other. */
static const struct row {
    uint32_t first, last;
    enum pm_plain_kind kind;
    const char *text;
} rows[] = {
    {0x0085, 0x0085, PM_PLAIN_BLANK, NULL}, /* next line */
    {0x00A0, 0x00A0, PM_PLAIN_BLANK, NULL}, /* no-break space */
    {0x00AD, 0x00AD, PM_PLAIN_TEXT, ""},    /* soft hyphen */
    {0x00B1, 0x00B1, PM_PLAIN_GLYPH, NULL}, /* plus minus */
    {0x00BD, 0x00BD, PM_PLAIN_TEXT, "1/2"},
    {0x00D7, 0x00D7, PM_PLAIN_TEXT, "x"},
    {0x061C, 0x061C, PM_PLAIN_BLANK, NULL},
    {0x1680, 0x1680, PM_PLAIN_BLANK, NULL},
    {0x180E, 0x180E, PM_PLAIN_BLANK, NULL},
    {0x2000, 0x200F, PM_PLAIN_BLANK, NULL}, /* spaces, zero width, marks of direction */
    {0x2010, 0x2015, PM_PLAIN_TEXT, "-"},   /* hyphens, en and em dash */
    {0x2020, 0x2021, PM_PLAIN_TEXT, "+"},   /* daggers */
    {0x2025, 0x2026, PM_PLAIN_DOTS, NULL},
    {0x2028, 0x202F, PM_PLAIN_BLANK, NULL}, /* separators, directions, narrow no-break space */
    {0x203C, 0x203C, PM_PLAIN_GLYPH, NULL}, /* !! */
    {0x2044, 0x2044, PM_PLAIN_TEXT, "/"},
    {0x2047, 0x2049, PM_PLAIN_GLYPH, NULL}, /* ??, ?!, !? */
    {0x205F, 0x2064, PM_PLAIN_BLANK, NULL}, /* word joiner */
    {0x2066, 0x206F, PM_PLAIN_BLANK, NULL}, /* directions */
    {0x2190, 0x2211, PM_PLAIN_GLYPH, NULL}, /* arrows, mathematics */
    {0x2212, 0x2212, PM_PLAIN_TEXT, "-"},   /* minus */
    {0x2213, 0x2214, PM_PLAIN_GLYPH, NULL},
    {0x2215, 0x2215, PM_PLAIN_TEXT, "/"},
    {0x2216, 0x23FF, PM_PLAIN_GLYPH, NULL},
    {0x25A0, 0x2653, PM_PLAIN_GLYPH, NULL}, /* geometric shapes, signs */
    {0x2654, 0x2654, PM_PLAIN_TEXT, "K"},
    {0x2655, 0x2655, PM_PLAIN_TEXT, "Q"},
    {0x2656, 0x2656, PM_PLAIN_TEXT, "R"},
    {0x2657, 0x2657, PM_PLAIN_TEXT, "B"},
    {0x2658, 0x2658, PM_PLAIN_TEXT, "N"},
    {0x2659, 0x2659, PM_PLAIN_TEXT, ""},
    {0x265A, 0x265A, PM_PLAIN_TEXT, "K"},
    {0x265B, 0x265B, PM_PLAIN_TEXT, "Q"},
    {0x265C, 0x265C, PM_PLAIN_TEXT, "R"},
    {0x265D, 0x265D, PM_PLAIN_TEXT, "B"},
    {0x265E, 0x265E, PM_PLAIN_TEXT, "N"},
    {0x265F, 0x265F, PM_PLAIN_TEXT, ""},
    {0x2660, 0x27BF, PM_PLAIN_GLYPH, NULL}, /* signs, dingbats */
    {0x27C0, 0x2A2E, PM_PLAIN_GLYPH, NULL}, /* mathematics, arrows */
    {0x2A2F, 0x2A2F, PM_PLAIN_TEXT, "x"},   /* vector product */
    {0x2A30, 0x2BFF, PM_PLAIN_GLYPH, NULL},
    {0x3000, 0x3000, PM_PLAIN_BLANK, NULL}, /* ideographic space */
    {0xFE00, 0xFE0F, PM_PLAIN_TEXT, ""},    /* selects how a figurine looks */
    {0xFE58, 0xFE58, PM_PLAIN_TEXT, "-"},
    {0xFE63, 0xFE63, PM_PLAIN_TEXT, "-"},
    {0xFEFF, 0xFEFF, PM_PLAIN_BLANK, NULL}, /* byte order mark */
    {0xFF0D, 0xFF0D, PM_PLAIN_TEXT, "-"},
};

struct pm_plain pm_plain_read(const void *at, size_t size)
{
    uint32_t code = 0;
    size_t length = pm_utf8_read(at, size, &code);
    if (length == 0) {
        length = 1;
        code = pm_windows_1252(*(const unsigned char *)at);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (code >= rows[i].first && code <= rows[i].last)
            return (struct pm_plain){rows[i].kind, length, rows[i].text};
    return (struct pm_plain){PM_PLAIN_OTHER, length, NULL};
}
