/* SPDX-License-Identifier: MIT */
/* Texts read as PGN, and what was read as text, for the tests of rules/pgn.h. Include it after
 * cmocka.h. */
#ifndef PM_TESTS_UNIT_PGN_TEXT_H
#define PM_TESTS_UNIT_PGN_TEXT_H

#include "rules/pgn.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct source {
    struct pm_input *input;
    struct pm_pgn_reader *reader;
};

static inline void open_path(struct source *source, const char *path)
{
    struct pm_error error;
    if (pm_input_open(path, &source->input, &error) != PM_OK ||
        pm_pgn_open(source->input, &source->reader, &error) != PM_OK)
        fail_msg("%s", error.text);
}

/* Reads that take `first` bytes and then `piece` each time; 0: all that is asked for. */
static inline void open_pieces(struct source *source, const char *text, size_t size, size_t first,
                               size_t piece)
{
    const struct pm_input_text bytes = {
        .name = "text", .bytes = text, .size = size, .first_piece = first, .piece = piece};
    assert_int_equal(pm_input_open_text(&bytes, &source->input, NULL), PM_OK);
    assert_int_equal(pm_pgn_open(source->input, &source->reader, NULL), PM_OK);
}

static inline void open_text(struct source *source, const char *text, size_t size)
{
    open_pieces(source, text, size, 0, 0);
}

static inline void close_source(struct source *source)
{
    pm_pgn_close(source->reader);
    pm_input_close(source->input);
}

/* A game as a line: "Name=value|e4 e5|1-0"; in full with all numbers and places. */
static inline void write_game(FILE *file, const struct pm_pgn_game *game, bool in_full)
{
    if (in_full)
        fprintf(file, "%" PRIu64 "@%" PRIu64 " %" PRIu64 ",%" PRIu64 ",%" PRIu64 " ", game->index,
                game->line, game->variations, game->comments, game->glyphs);
    if (game->tag_count == 0)
        fputc('|', file);
    for (size_t i = 0; i < game->tag_count; i++) {
        fprintf(file, "%s=%s|", game->tags[i].name, game->tags[i].value);
        if (in_full)
            fprintf(file, "@%" PRIu64 ":%u ", game->tags[i].line, game->tags[i].column);
    }
    for (size_t i = 0; i < game->move_count; i++) {
        const struct pm_pgn_move *const move = &game->moves[i];
        fprintf(file, "%s%.*s", i > 0 ? " " : "", (int)move->length, move->text);
        if (in_full)
            fprintf(file, "@%u %" PRIu64 ":%u", move->number, move->line, move->column);
    }
    fprintf(file, "|%s\n", game->result);
}

/* All games, one a line; a fault is "!". In full with faults and notes in their words. */
static inline char *games_of(struct source *source, bool in_full)
{
    char *text = NULL;
    size_t size = 0;
    const struct pm_pgn_game *game = NULL;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    for (;;) {
        struct pm_error error;
        const enum pm_status status = pm_pgn_next(source->reader, &game, &error);
        const char *const notes = pm_pgn_notes(source->reader);
        if (in_full && notes != NULL)
            fprintf(file, "%s\n", notes);
        if (status != PM_OK)
            fprintf(file, "!%s\n", in_full ? error.text : "");
        else if (game == NULL)
            break;
        else
            write_game(file, game, in_full);
    }
    fclose(file);
    return text;
}

#endif
