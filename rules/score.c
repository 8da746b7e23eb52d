/* SPDX-License-Identifier: MIT */
#include "rules/score.h"

#include "rules/plain.h"

#include <string.h>

static const struct {
    const char *text;
    enum pm_score score;
} words[] = {
    {"1-0", PM_SCORE_WHITE},     {"0-1", PM_SCORE_BLACK},    {"1/2-1/2", PM_SCORE_DRAW},
    {"1/2", PM_SCORE_DRAW},      {"0.5-0.5", PM_SCORE_DRAW}, {"*", PM_SCORE_OPEN},
    {"0-0", PM_SCORE_BOTH_LOSE}, {"", PM_SCORE_MISSING},
};

enum { WORD_SIZE = 8 }; /* that of the longest, "1/2-1/2", and its NUL */

/* Adds to a word, or says that it is longer than any that is known. */
static int add(char word[WORD_SIZE], size_t *length, const char *text, size_t size)
{
    if (*length + size >= WORD_SIZE)
        return 0;
    memcpy(word + *length, text, size);
    *length += size;
    return 1;
}

enum pm_score pm_score_read_part(const void *text, size_t length)
{
    const char *at = text;
    const char *const end = at + length;
    char word[WORD_SIZE] = "";
    size_t size = 0;
    while (at < end) {
        const unsigned char byte = (unsigned char)*at;
        struct pm_plain plain = {PM_PLAIN_OTHER, 1, NULL};
        if (byte >= 0x80)
            plain = pm_plain_read(at, (size_t)(end - at));
        else if (byte == ' ' || byte == '\t')
            plain.kind = PM_PLAIN_BLANK;
        const char *const adds = plain.kind == PM_PLAIN_TEXT ? plain.text : at;
        const size_t added = plain.kind == PM_PLAIN_TEXT ? strlen(plain.text) : plain.length;
        if (plain.kind != PM_PLAIN_BLANK && !add(word, &size, adds, added))
            return PM_SCORE_UNREADABLE;
        at += plain.length;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == size && memcmp(words[i].text, word, size) == 0)
            return words[i].score;
    return PM_SCORE_UNREADABLE;
}

enum pm_score pm_score_read(const char *text)
{
    return text == NULL ? PM_SCORE_MISSING : pm_score_read_part(text, strlen(text));
}

const char *pm_score_text(enum pm_score score)
{
    static const char *const texts[PM_SCORE_COUNT] = {
        [PM_SCORE_MISSING] = "missing", [PM_SCORE_UNREADABLE] = "unreadable",
        [PM_SCORE_OPEN] = "*",          [PM_SCORE_WHITE] = "1-0",
        [PM_SCORE_BLACK] = "0-1",       [PM_SCORE_DRAW] = "1/2-1/2",
        [PM_SCORE_BOTH_LOSE] = "0-0",
    };
    return (unsigned)score < PM_SCORE_COUNT ? texts[score] : "unknown";
}
