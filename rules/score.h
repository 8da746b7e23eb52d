/* SPDX-License-Identifier: MIT */
/* What a game's result says: who won. One list for tags, move text, CSV and `--moves`. */
#ifndef PM_RULES_SCORE_H
#define PM_RULES_SCORE_H

#include <stddef.h>

enum pm_score {
    PM_SCORE_MISSING,    /* no text */
    PM_SCORE_UNREADABLE, /* none of those below */
    PM_SCORE_OPEN,       /* "*": still played, or unknown */
    PM_SCORE_WHITE,      /* "1-0" */
    PM_SCORE_BLACK,      /* "0-1" */
    PM_SCORE_DRAW,       /* "1/2-1/2", "1/2", "0.5-0.5" */
    PM_SCORE_BOTH_LOSE,  /* "0-0"; in move text it is castling, unless the Result tag says so */
    PM_SCORE_COUNT
};

/* Of a Result tag, a column, a game's last word; NULL is missing. Blanks do not count, the hyphen
 * may be any dash, and the half its sign, in UTF-8 or Windows-1252. */
enum pm_score pm_score_read(const char *text);
enum pm_score pm_score_read_part(const void *text, size_t length);

/* "1-0", "0-1", "1/2-1/2", "0-0", "*"; "missing", "unreadable". Never NULL. */
const char *pm_score_text(enum pm_score score);

#endif
