/* SPDX-License-Identifier: MIT */
/* PGN: any bytes, packed or not, come to an end, games hold together, and where the reader's blocks
 * end makes no difference. */
#include "rules/pgn.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK = 1 << 17 };

/* What was read, to be compared: places are relative to where the bytes begin. */
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

static void add_game(struct digest *digest, const struct pm_pgn_game *game, uint64_t lines_before)
{
    FUZZ_EXPECT(strcmp(game->result, "") == 0 || strcmp(game->result, "*") == 0 ||
                    strcmp(game->result, "1-0") == 0 || strcmp(game->result, "0-1") == 0 ||
                    strcmp(game->result, "1/2-1/2") == 0,
                "result \"%s\"", game->result);
    for (size_t i = 0; i < game->tag_count; i++) {
        FUZZ_EXPECT(pm_pgn_tag(game, game->tags[i].name) != NULL, "tag %s lost",
                    game->tags[i].name);
        FUZZ_EXPECT(game->tags[i].column > 0, "tag without a column");
        mix(digest, game->tags[i].name, strlen(game->tags[i].name) + 1);
        mix(digest, game->tags[i].value, strlen(game->tags[i].value) + 1);
        mix_number(digest, game->tags[i].line - lines_before);
    }
    for (size_t i = 0; i < game->move_count; i++) {
        FUZZ_EXPECT(game->moves[i].length > 0 && game->moves[i].column > 0, "empty move");
        FUZZ_EXPECT(i == 0 || game->moves[i].line > game->moves[i - 1].line ||
                        game->moves[i].column > game->moves[i - 1].column,
                    "moves out of order");
        mix(digest, game->moves[i].text, game->moves[i].length);
        mix_number(digest, game->moves[i].number);
        mix_number(digest, game->moves[i].line - lines_before);
        mix_number(digest, game->moves[i].column);
    }
    mix(digest, game->result, strlen(game->result) + 1);
    mix_number(digest, game->variations);
    mix_number(digest, game->glyphs);
    digest->games++;
}

static enum pm_status next_game(struct pm_pgn_reader *reader, const struct pm_pgn_game **game)
{
    struct pm_error error = {0};
    const enum pm_status status = pm_pgn_next(reader, game, &error);
    if (status != PM_OK)
        FUZZ_EXPECT(error.status == status && error.text[0] != '\0' &&
                        strchr(error.text, '\n') == NULL && *game == NULL,
                    "message \"%s\"", error.text);
    return status;
}

static void check_copy(const struct pm_pgn_game *game, uint64_t lines_before)
{
    struct digest original = {0}, copied = {0};
    struct pm_pgn_game *const copy = pm_pgn_copy(game);
    FUZZ_EXPECT(copy != NULL, "no memory");
    add_game(&original, game, lines_before);
    add_game(&copied, copy, lines_before);
    FUZZ_EXPECT(original.hash == copied.hash, "the copy differs");
    free(copy);
}

static struct digest read_file(int descriptor, uint64_t lines_before)
{
    char path[64];
    struct digest digest = {0};
    struct pm_input *input = NULL;
    struct pm_pgn_reader *reader = NULL;
    const struct pm_pgn_game *game = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    FUZZ_EXPECT(pm_input_open(path, &input, NULL) == PM_OK, "can't open %s", path);
    FUZZ_EXPECT(pm_pgn_open(input, &reader, NULL) == PM_OK, "no memory");
    for (;;) {
        if (next_game(reader, &game) != PM_OK) {
            digest.faults++;
        } else if (game == NULL) {
            break;
        } else {
            add_game(&digest, game, lines_before);
            check_copy(game, lines_before);
            FUZZ_EXPECT(game->index <= digest.games + digest.faults, "index out of order");
        }
    }
    pm_pgn_close(reader);
    pm_input_close(input);
    return digest;
}

static struct digest read_bytes(const uint8_t *data, size_t size, size_t padding)
{
    static char blanks[BLOCK];
    const int descriptor = memfd_create("pgn", MFD_CLOEXEC);
    FUZZ_EXPECT(descriptor >= 0, "no file");
    if (padding > 0) {
        memset(blanks, ' ', padding);
        blanks[padding - 1] = '\n';
        FUZZ_EXPECT(write(descriptor, blanks, padding) == (ssize_t)padding, "can't write");
    }
    FUZZ_EXPECT(write(descriptor, data, size) == (ssize_t)size, "can't write");
    const struct digest digest = read_file(descriptor, padding > 0);
    close(descriptor);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct digest plain = read_bytes(data, size, 0);
    /* Some padding is an end of a block within the bytes, and packed bytes are text behind it. */
    const bool is_packed =
        size >= 2 && ((data[0] == 0x1F && data[1] == 0x8B) || data[0] == 0x28 || data[0] >> 4 == 5);
    if (is_packed || size == 0)
        return 0;
    const struct digest padded =
        read_bytes(data, size, BLOCK - data[0] % (size < BLOCK ? size : BLOCK));
    FUZZ_EXPECT(plain.hash == padded.hash && plain.games == padded.games &&
                    plain.faults == padded.faults,
                "%ju games and %ju faults, behind blanks %ju and %ju", (uintmax_t)plain.games,
                (uintmax_t)plain.faults, (uintmax_t)padded.games, (uintmax_t)padded.faults);
    return 0;
}
