/* SPDX-License-Identifier: MIT */
/* Games to be rated, and known ratings, from files. Every error names file, line and column;
 * nothing is rated after it. */
#ifndef PM_RULES_RATING_READ_H
#define PM_RULES_RATING_READ_H

#include "core/status.h"
#include "rules/rating/rating.h"

#include <stdint.h>

enum pm_rating_format {
    PM_RATING_BY_NAME, /* CSV if the name ends in .csv, .csv.gz or .csv.zst, else PGN */
    PM_RATING_PGN,
    PM_RATING_CSV
};

struct pm_rating_counts {
    uint64_t rated;
    uint64_t unfinished; /* result "*": passed over */
    uint64_t unplayed;   /* byes, games that were not played, that both lost or that lack a name */
    uint64_t unreadable; /* games, results, or a player against himself */
    uint64_t doubtful;   /* what pm_pgn_notes() tells, of games that were rated or not */
};

/* Games of one file. */
struct pm_rating_source {
    const char *path;
    enum pm_rating_format format;
    /* Told of each game that is passed over, and of what is doubtful. NULL: the first such game is
     * an error instead. */
    void (*tell)(void *context, const char *text);
    void *context;
};

/* Rates the games of a file in its order and adds to *counts.
 * PGN: the tags White, Black and Result; without a Result tag the marker that ends the moves. A tag
 * and a marker that name different results can't be read.
 * CSV: the columns white, black and result; others are passed over.
 * Results are those of rules/score.h. A name stands for the same player everywhere, to the byte,
 * but for blanks around it. */
enum pm_status pm_rating_read_games(struct pm_ratings *ratings,
                                    const struct pm_rating_source *source,
                                    struct pm_rating_counts *counts, struct pm_error *error);

/* Enters players from CSV with the columns name and points, and games if it is there; others are
 * passed over. A name that is known already is an error. */
enum pm_status pm_rating_read_known(struct pm_ratings *ratings, const char *path,
                                    struct pm_error *error);

#endif
