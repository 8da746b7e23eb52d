/* SPDX-License-Identifier: MIT */
/* What a game's result says: who won. */
#ifndef PM_RULES_SCORE_H
#define PM_RULES_SCORE_H

enum pm_score {
    PM_SCORE_MISSING,    /* no text */
    PM_SCORE_UNREADABLE, /* none of those below */
    PM_SCORE_OPEN,       /* "*": still played, or unknown */
    PM_SCORE_WHITE,      /* "1-0" */
    PM_SCORE_BLACK,      /* "0-1" */
    PM_SCORE_DRAW,       /* "1/2-1/2", "1/2" */
    PM_SCORE_COUNT
};

/* Of a Result tag or a game's last word; NULL is missing. Blanks around it do not count. */
enum pm_score pm_score_read(const char *text);

/* "1-0", "0-1", "1/2-1/2", "*"; "missing", "unreadable". Never NULL. */
const char *pm_score_text(enum pm_score score);

#endif
