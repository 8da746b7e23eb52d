/* SPDX-License-Identifier: MIT */
/* PGN games in a stream, as found in the wild: variations, comments, numeric annotation glyphs, `%`
 * lines, byte order marks, Windows-1252 text, empty lines among tags and moves, missing tags, CR
 * LF, typographic dashes, blanks and figurines (rules/plain.h). Nothing here knows how a piece
 * moves: a move is a word.
 *
 * How the text is cut: each step looks at no more than the next 1,024 bytes of the file (64 KiB
 * once in a comment that holds an Event tag), which are there unless the file ends before. What may
 * be longer (comments, values, runs of blanks, digits and marks) is used up as it comes; a word or
 * name that is longer is a fault.
 *
 * A game ends with its result and the rest of that line, where a tag follows move text, where "1."
 * starts again after an empty line, and, before any move text, where a second Event tag comes or,
 * after an empty line, any tag that the game has already. Between games, lines that begin with
 * neither a tag nor a move number, move or result are passed over; so are annotations such as
 * "e.p.", "=" and "+-" among the moves.
 *
 * A comment goes to the next '}'. One in which a line begins with an Event tag has lost it if from
 * there another '{' comes first, or no '}' within 64 KiB: then the comment ends before that tag. */
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
    const char *text; /* not NUL-terminated; typographic characters as the ASCII they stand for */
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
    const char *result; /* the termination marker of the move text: "1-0", "0-1", "1/2-1/2", "*", or
                           "0-0" if the Result tag says so; "" if it is missing */
    uint64_t variations, comments, glyphs; /* what was seen beside the main line */
    const char *text;                      /* what tags and moves point into */
    size_t text_size;
};

struct pm_pgn_reader;

enum pm_status pm_pgn_open(struct pm_input *input, struct pm_pgn_reader **reader,
                           struct pm_error *error);
void pm_pgn_close(struct pm_pgn_reader *reader); /* NULL is allowed; the input stays open */

/* The next game; *game is NULL at the end. It belongs to the reader and lives until the next call:
 * memory grows to what the largest game's tags and moves take, however long its comments.
 *
 * PM_ERROR_PARSE: this game can't be read (a comment or variation without its end, a tag FEN, SetUp
 * or Variant that is broken, a NUL byte, a word of over 255 bytes, a game that takes over 64 MB):
 * the error names file, line and column, the text seen and what would be right. Only the game's
 * first fault is told; the next call goes on with the next game. A file with text, but none of a
 * game, is such an error too; an empty one has no games.
 *
 * PM_ERROR_IO (a damaged or cut off archive as well), PM_ERROR_ARGUMENT (a format that is not
 * read), PM_ERROR_MEMORY: no more will come. */
enum pm_status pm_pgn_next(struct pm_pgn_reader *reader, const struct pm_pgn_game **game,
                           struct pm_error *error);

/* What the last call passed over, or took in one of several ways: broken tags other than those
 * above, tags that stand twice or not at the begin of their line, brackets too many, a second
 * result. One line each as above, separated by line ends; the first eight, and a last line if there
 * are more. NULL if there is nothing to tell. Lives until the next call. */
const char *pm_pgn_notes(const struct pm_pgn_reader *reader);

/* Where the game at fault begins and what is wrong, after PM_ERROR_PARSE. */
struct pm_pgn_fault {
    uint64_t index, game_line; /* as in pm_pgn_game; 0 and 0: no game is in the file */
    uint64_t line;
    unsigned column;
};
struct pm_pgn_fault pm_pgn_last_fault(const struct pm_pgn_reader *reader);

/* Reads a text that is the move text of one game, without tags before it: `name` in messages. What
 * would be a note is an error. The game is to be freed with free(). */
enum pm_status pm_pgn_read_moves(const char *name, const char *text, struct pm_pgn_game **game,
                                 struct pm_error *error);

/* A game of one's own with all its text, to be given to another thread; free with free(). NULL: no
 * memory. */
struct pm_pgn_game *pm_pgn_copy(const struct pm_pgn_game *game);

/* A tag, or NULL. Names count alike in either case. */
const struct pm_pgn_tag *pm_pgn_find_tag(const struct pm_pgn_game *game, const char *name);

/* Its value, or NULL. */
const char *pm_pgn_tag(const struct pm_pgn_game *game, const char *name);

#endif
