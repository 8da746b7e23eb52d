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
};

/* Rates the games of a file in its order and adds to *counts.
 * PGN: the tags White, Black and Result; without a Result tag the marker that ends the moves. A tag
 * and a marker that name different results are an error.
 * CSV: the columns white, black and result; others are passed over.
 * Results are 1-0, 0-1, 1/2-1/2 (or 0.5-0.5, or with the sign for one half), and *. A name
 * stands for the same player everywhere, to the byte; an empty name and the "?" of PGN are errors
 * in a game that is rated, and so is a game of a player against himself. */
enum pm_status pm_rating_read_games(struct pm_ratings *ratings, const char *path,
                                    enum pm_rating_format format, struct pm_rating_counts *counts,
                                    struct pm_error *error);

/* Enters players from CSV with the columns name and points, and games if it is there; others are
 * passed over. A name that is known already is an error. */
enum pm_status pm_rating_read_known(struct pm_ratings *ratings, const char *path,
                                    struct pm_error *error);

#endif
