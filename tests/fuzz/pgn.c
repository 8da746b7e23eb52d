/* SPDX-License-Identifier: MIT */
/* PGN: any bytes, packed or not, come to an end, games hold together, and where reads end makes no
 * difference. */
#include "rules/pgn.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* What was read, to be compared. */
struct digest {
    uint64_t hash, games, faults;
};

static void mix(struct digest *digest, const void *data, size_t size)
{
    const unsigned char *const bytes = data;
    for (size_t i = 0; i < size; i++)
        digest->hash = (digest->hash ^ bytes[i]) * 0x100000001B3;
}

static void mix_number(struct digest *digest, uint64_t number)
{
    mix(digest, &number, sizeof number);
}

static void add_game(struct digest *digest, const struct pm_pgn_game *game)
{
    FUZZ_EXPECT(strcmp(game->result, "") == 0 || strcmp(game->result, "*") == 0 ||
                    strcmp(game->result, "1-0") == 0 || strcmp(game->result, "0-1") == 0 ||
                    strcmp(game->result, "1/2-1/2") == 0 || strcmp(game->result, "0-0") == 0,
                "result \"%s\"", game->result);
    for (size_t i = 0; i < game->tag_count; i++) {
        FUZZ_EXPECT(pm_pgn_tag(game, game->tags[i].name) != NULL, "tag %s lost",
                    game->tags[i].name);
        FUZZ_EXPECT(game->tags[i].column > 0, "tag without a column");
        mix(digest, game->tags[i].name, strlen(game->tags[i].name) + 1);
        mix(digest, game->tags[i].value, strlen(game->tags[i].value) + 1);
        mix_number(digest, game->tags[i].line);
    }
    for (size_t i = 0; i < game->move_count; i++) {
        FUZZ_EXPECT(game->moves[i].length > 0 && game->moves[i].column > 0, "empty move");
        FUZZ_EXPECT(i == 0 || game->moves[i].line > game->moves[i - 1].line ||
                        game->moves[i].column > game->moves[i - 1].column,
                    "moves out of order");
        mix(digest, game->moves[i].text, game->moves[i].length);
        mix_number(digest, game->moves[i].number);
        mix_number(digest, game->moves[i].line);
        mix_number(digest, game->moves[i].column);
    }
    mix(digest, game->result, strlen(game->result) + 1);
    mix_number(digest, game->line);
    mix_number(digest, game->variations);
    mix_number(digest, game->comments);
    mix_number(digest, game->glyphs);
    digest->games++;
}

/* The next game, with what is told on the way. */
static enum pm_status next_game(struct pm_pgn_reader *reader, const struct pm_pgn_game **game,
                                struct digest *digest)
{
    struct pm_error error = {0};
    const enum pm_status status = pm_pgn_next(reader, game, &error);
    const char *const notes = pm_pgn_notes(reader);
    if (notes != NULL)
        mix(digest, notes, strlen(notes));
    if (status != PM_OK) {
        FUZZ_EXPECT(error.status == status && error.text[0] != '\0' &&
                        strchr(error.text, '\n') == NULL && *game == NULL,
                    "message \"%s\"", error.text);
        mix(digest, error.text, strlen(error.text));
    }
    return status;
}

static void check_copy(const struct pm_pgn_game *game)
{
    struct digest original = {0}, copied = {0};
    struct pm_pgn_game *const copy = pm_pgn_copy(game);
    FUZZ_EXPECT(copy != NULL, "no memory");
    add_game(&original, game);
    add_game(&copied, copy);
    FUZZ_EXPECT(original.hash == copied.hash, "the copy differs");
    free(copy);
}

static struct digest read_bytes(const uint8_t *data, size_t size, size_t first, size_t piece)
{
    const struct pm_input_text text = {
        .name = "text", .bytes = data, .size = size, .first_piece = first, .piece = piece};
    struct digest digest = {0};
    struct pm_input *input = NULL;
    struct pm_pgn_reader *reader = NULL;
    const struct pm_pgn_game *game = NULL;
    FUZZ_EXPECT(pm_input_open_text(&text, &input, NULL) == PM_OK, "no memory");
    FUZZ_EXPECT(pm_pgn_open(input, &reader, NULL) == PM_OK, "no memory");
    for (;;) {
        if (next_game(reader, &game, &digest) != PM_OK) {
            digest.faults++;
        } else if (game == NULL) {
            break;
        } else {
            add_game(&digest, game);
            check_copy(game);
            FUZZ_EXPECT(game->index <= digest.games + digest.faults, "index out of order");
        }
    }
    pm_pgn_close(reader);
    pm_input_close(input);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = {1, 2, 3, 7, 64, 4096};
    if (size == 0)
        return 0;
    const struct digest whole = read_bytes(data, size, 0, 0);
    /* Of a damaged archive it depends on the reads how much comes before the damage. */
    if (size >= 2 && ((data[0] == 0x1F && data[1] == 0x8B) || data[0] == 0x28 || data[0] >> 4 == 5))
        return 0;
    const size_t middle = whole.hash % size;
    const size_t piece = pieces[whole.hash / size % (sizeof pieces / sizeof *pieces)];
    const size_t reads[][2] = {{0, 1}, {0, piece}, {middle, 0}, {middle, piece}};
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        const struct digest digest = read_bytes(data, size, reads[i][0], reads[i][1]);
        FUZZ_EXPECT(whole.hash == digest.hash && whole.games == digest.games &&
                        whole.faults == digest.faults,
                    "%ju games and %ju faults, with a first read of %zu and then of %zu bytes %ju "
                    "and %ju",
                    (uintmax_t)whole.games, (uintmax_t)whole.faults, reads[i][0], reads[i][1],
                    (uintmax_t)digest.games, (uintmax_t)digest.faults);
    }
    return 0;
}
