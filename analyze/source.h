/* SPDX-License-Identifier: MIT */
/* What a stream reads: blocks of whole lines, or of whole games, from one file after another. */
#ifndef PM_ANALYZE_SOURCE_H
#define PM_ANALYZE_SOURCE_H

#include "analyze/stream.h"
#include "rules/pgn.h"

#define PM_BLOCK_SIZE 65536 /* bytes of text, and the longest line */
#define PM_BLOCK_GAMES 64

/* A game, or why there is none; both NULL behind the last game, where only notes are left. */
struct pm_block_game {
    struct pm_pgn_game *game;
    char *fault; /* if game is NULL: the line to be said of it */
    char *notes; /* lines to be said before it, or NULL: pm_pgn_notes() */
};

/* One unit of work. Zero-initialized memory is an empty one. */
struct pm_block {
    int file; /* index */
    const char *name;
    uint64_t first; /* line, or game */
    uint64_t next;  /* the one after the block's last; 0: the block is empty */
    size_t bytes;   /* read for it */

    char *text;      /* lines, each with its line feed */
    size_t from, to; /* where they stand in `text` */
    struct pm_block_game games[PM_BLOCK_GAMES];
    unsigned game_count; /* 0: lines */
};

void pm_block_clear(struct pm_block *block); /* of its games; the memory for text is kept */
void pm_block_free(struct pm_block *block);  /* in any state */

struct pm_source;

/* Opens the first file, so that pm_source_is_pgn() is known. */
enum pm_status pm_source_open(const struct pm_stream_config *config, struct pm_source **source,
                              struct pm_error *error);
void pm_source_close(struct pm_source *source); /* NULL is allowed */

/* Whether the present file is PGN. */
bool pm_source_is_pgn(const struct pm_source *source);

/* The bytes of text of all files, or 0 if that can't be known before they are read. */
uint64_t pm_source_size(const struct pm_source *source);

/* Reads the next block into a cleared one; *got is false at the end of the last file. */
enum pm_status pm_source_read(struct pm_source *source, struct pm_block *block, bool *got,
                              struct pm_error *error);

#endif
