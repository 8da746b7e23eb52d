/* SPDX-License-Identifier: MIT */
/* PGN games in a stream, as found in the wild: variations, comments, numeric annotation glyphs, `%`
 * lines, byte order mark, Windows-1252 text, empty lines among tags and moves, missing tags, CR LF.
 * Nothing here knows how a piece moves: a move is a word.
 *
 * A game ends with its result and the rest of that line, where a tag follows move text, where a
 * second Event tag comes before any move text, and where "1." starts again after an empty line.
 * Between games, lines that begin with neither a tag nor a move number, move or result are passed
 * over; so are annotations such as "e.p.", "=" and "+-" among the moves. */
#ifndef PM_RULES_PGN_H
#define PM_RULES_PGN_H

#include "core/input.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_pgn_tag {
    const char *name;
    const char *value; /* UTF-8; escapes undone */
    uint64_t line;     /* of its bracket */
    unsigned column;
};

/* A word of the main line that is a move by its place. */
struct pm_pgn_move {
    const char *text; /* not NUL-terminated */
    unsigned length;
    unsigned number; /* the last move number before it in the main line; 0: none seen */
    uint64_t line;   /* from 1, in the file */
    unsigned column; /* from 1, in bytes */
};

struct pm_pgn_game {
    uint64_t index; /* in the file, from 1; games that can't be read count too */
    uint64_t line;  /* where it begins */
    struct pm_pgn_tag *tags;
    size_t tag_count;
    struct pm_pgn_move
        *moves; /* the main line only: variations are checked for balance and left out */
    size_t move_count;
    const char *result; /* the termination marker of the move text: "1-0", "0-1", "1/2-1/2", "*"; ""
                           if it is missing */
    uint64_t variations, comments, glyphs; /* what was seen beside the main line */
};

struct pm_pgn_reader;

enum pm_status pm_pgn_open(struct pm_input *input, struct pm_pgn_reader **reader,
                           struct pm_error *error);
void pm_pgn_close(struct pm_pgn_reader *reader); /* NULL is allowed; the input stays open */

/* The next game; *game is NULL at the end. It belongs to the reader and lives until the next call:
 * memory grows to what the largest game's tags and moves take, however long its comments.
 *
 * PM_ERROR_PARSE: this game can't be read (a comment or variation without its end, a tag without
 * its quotation mark, a game that takes over 64 MB): the error names file, line and column, the
 * text seen and what would be right. Only the game's first fault is told; the next call goes on
 * with the next game. A comment counts as not closed if a line inside it begins with an Event tag.
 * A file with text, but none of a game, is such an error too; an empty one has no games.
 *
 * PM_ERROR_IO (a damaged or cut off archive as well), PM_ERROR_MEMORY: no more will come. */
enum pm_status pm_pgn_next(struct pm_pgn_reader *reader, const struct pm_pgn_game **game,
                           struct pm_error *error);

/* A game of one's own with all its text, to be given to another thread; free with free(). NULL: no
 * memory. */
struct pm_pgn_game *pm_pgn_copy(const struct pm_pgn_game *game);

/* A tag, or NULL. Names count alike in either case; of two with the same name it is the first. */
const struct pm_pgn_tag *pm_pgn_find_tag(const struct pm_pgn_game *game, const char *name);

/* Its value, or NULL. */
const char *pm_pgn_tag(const struct pm_pgn_game *game, const char *name);

#endif
