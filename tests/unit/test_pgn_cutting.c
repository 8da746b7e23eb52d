/* SPDX-License-Identifier: MIT */
/* Where a read ends makes no difference to how a text is cut into games. */
#include "core/random.h"
#include "rules/pgn.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/pgn_text.h"
#include "tests/unit/size.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define FOLDER PM_SOURCE_DIR "/tests/pgn/"

/* Sizes of reads; 0: all that is asked for. */
static const size_t pieces[] = {0, 1, 2, 3, 7, 64, 4096};

struct text {
    char *bytes;
    size_t size;
};

static char *read_in(const struct text *text, size_t first, size_t piece)
{
    struct source source = {0};
    open_pieces(&source, text->bytes, text->size, first, piece);
    char *const games = games_of(&source, true);
    close_source(&source);
    return games;
}

/* Reads as `expected` with reads of that size. */
static void expect_same(const struct text *text, const char *expected, size_t first, size_t piece)
{
    char *const games = read_in(text, first, piece);
    if (strcmp(games, expected) != 0)
        fail_msg("a first read of %zu bytes, then of %zu: \"%.300s\" reads as\n%.500s\nat once as\n"
                 "%.500s",
                 first, piece, text->bytes, games, expected);
    free(games);
}

static void expect_same_in_pieces(const struct text *text)
{
    char *const expected = read_in(text, 0, 0);
    for (size_t i = 1; i < LENGTH(pieces); i++)
        expect_same(text, expected, 0, pieces[i]);
    free(expected);
}

static void expect_same_at_each_byte(const struct text *text)
{
    char *const expected = read_in(text, 0, 0);
    for (size_t first = 1; first < text->size; first++)
        expect_same(text, expected, first, 0);
    free(expected);
}

static struct text read_text(const char *path)
{
    struct text text = {.bytes = malloc(1 << 20)};
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(text.bytes);
    text.size = fread(text.bytes, 1, (1 << 20) - 1, file);
    text.bytes[text.size] = '\0';
    fclose(file);
    return text;
}

/* Every PGN of the tests, broken ones too. */
static size_t all_texts(struct text texts[], size_t room)
{
    size_t count = 0;
    DIR *const folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[512];
        if (strstr(entry->d_name, ".pgn") == NULL)
            continue;
        snprintf(path, sizeof path, FOLDER "%s", entry->d_name);
        assert_true(count < room);
        texts[count++] = read_text(path);
    }
    closedir(folder);
    assert_true(count >= 20);
    return count;
}

static void files(void **state)
{
    struct text texts[100];
    const size_t count = all_texts(texts, LENGTH(texts));
    (void)state;
    for (size_t i = 0; i < count; i++) {
        expect_same_in_pieces(&texts[i]);
        expect_same_at_each_byte(&texts[i]);
        free(texts[i].bytes);
    }
}

/* Runs longer than what a step looks at: '@' stands for so many of the unit. */
static void long_runs(void **state)
{
    static const size_t lengths[] = {254, 255, 256, 257, 600, 1020, 1023, 1024, 1025, 1030, 2500};
    static const struct {
        const char *unit, *text;
    } rows[] = {
        {"7", "1. e4 e5 @. Nf3 Nc6 *\n\n1. d4 *"},
        {"7", "1. e4 e5 *\n\n@. e4 e5 *"},
        {"7", "1. e4 e5 @-0 Nf3 *"},
        {"0", "1. e4 @ e5 *"},
        {" ", "1. e4@e5@1-0@{x}@*"},
        {" ", "1. e4 *\n1-0@\n* @ x\n@1. d4@*"},
        {" ", "[@White@\"x\"@]@[Black \"y\"@\n1. e4 *"},
        {" ", "x [@White@\"x\"@]\n1. e4 *"},
        {"\n", "[@White@\"x\"@]@1. e4@1. d4 1-0@1. c4"},
        {"\r\n", "[@White@\"x\"@]@1. e4@1. d4 1-0@1. c4 {@}"},
        {"\xC2\xA0", "@[@White@\"x\"@]@1. e4@e5 1-0@[Black \"y\"]"},
        {"\xE2\x80\x8B", "1.@e4@e5 *\n12@e4@*"},
        {"!?", "1. e4@e5 2. Nf3@*"},
        {".", "1@ e4 e5 2@Nf3 *"},
        {"$", "1. e4 @ e5 *"},
        {"$1", "1. e4 @e5 $@9 *"},
        {"x", "1. e4 @ e5 *\n1. d4 @*"},
        {"x", "[@ \"y\"]\n[X@ \"y\"]\n[Y \"@\"]\n[Z @]\n[Event \"@]\n1. e4 *"},
        {"x", "hello @ [FEN \"x\"]\n@\n1. e4 *"},
        {"\"", "[X \"@\"]\n[Y \"@]\n[Z@\"]\n1. e4 *"},
        {"\\", "[X \"@\"]\n[Y \"@\\\"]\n1. e4 *"},
        {"\\\"", "[X \"@\"]\n[FEN \"@]\n1. e4 *"},
        {"\xE2\x99\x98", "1. @ e4 *\n1. @f3 @f6*"},
        {"\xC2\xBD", "1. e4 @ *\n1. d4 1@-0"},
        {"\xE2\x80\x93", "1. e4 @ *\n1. d4 1@0 0@1"},
        {"a\n", "[X \"@\"]\n1. e4 *\n[Y \"@]\n1. d4 *"},
        {"(", "1. e4 @ e5 *\n\n[X \"y\"]*"},
        {")", "1. e4 @ e5 *\n\n[X \"y\"]*"},
        {"]", "1. e4 @ e5 *\n\n[X \"y\"]*"},
        {"{}", "1. e4 @ e5 *"},
        {";\n", "1. e4 ;@e5 *"},
        {"%\n", "1. e4\n%@e5 *"},
        {"\x01", "1. e4@e5 *@[X@\"y\"]*"},
        {">", "@[X \"y\"]\n1. e4@e5 *"},
        {"-", "1. e4 @ e5 *\n1@0\n@"},
        {"\r", "1. e4@\n@e5 *"},
        {" ", "1. exd6 en@passant e.@p. en@pt en@x *"},
        {" ", "1. e4 {\n[@Event \"x\"]\n} e5 *"},
    };
    static char bytes[60000];
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        for (size_t k = 0; k < LENGTH(lengths); k++) {
            struct text text = {.bytes = bytes};
            for (const char *at = rows[i].text; *at != '\0'; at++) {
                if (*at != '@')
                    bytes[text.size++] = *at;
                for (size_t n = 0; *at == '@' && n < lengths[k]; n++)
                    text.size += (size_t)sprintf(bytes + text.size, "%s", rows[i].unit);
            }
            bytes[text.size] = '\0';
            assert_true(text.size < sizeof bytes);
            expect_same_in_pieces(&text);
            char *const expected = read_in(&text, 0, 0);
            for (size_t first = 1; first < text.size; first += 1 + first % 13)
                expect_same(&text, expected, first, 0);
            free(expected);
        }
    }
}

/* Comments with an Event tag inside, whose end is as far as is looked for it, or farther. */
static void long_comments(void **state)
{
    enum { FAR = 1 << 16 };
    static const char begin[] = "1. e4 { x\n", tag[] = "[Event \"x\"]\n", end[] = "} e5 *\n";
    char *const bytes = malloc(FAR + 1000);
    (void)state;
    assert_non_null(bytes);
    for (int more = -2; more < 3; more++) {
        struct text text = {.bytes = bytes};
        text.size = (size_t)sprintf(bytes, "%s%s", begin, tag);
        const size_t event = strlen(begin);
        memset(bytes + text.size, 'y', FAR);
        text.size = event + FAR - 3 + (size_t)(more + 2);
        text.size += (size_t)sprintf(bytes + text.size, "%s", end);
        char *const games = read_in(&text, 0, 0);
        const bool is_comment = more <= 0;
        if ((strstr(games, "this comment has no end") == NULL) != is_comment)
            fail_msg("with %d bytes more: %.300s", more, games);
        static const size_t sizes[] = {1, 7, 4096};
        for (size_t i = 0; i < LENGTH(sizes); i++)
            expect_same(&text, games, 0, sizes[i]);
        free(games);
    }
    free(bytes);
}

/* ---- Mutated texts ---- */

static const char *const words[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "\\\"]",
    "\n",
    "\r\n",
    "\r",
    "%",
    ";",
    "$",
    "*",
    "1-0",
    "0-0",
    "1/2-1/2",
    "1.",
    "1...",
    "en",
    "pt",
    "e.",
    "p.",
    "[Event \"",
    "[FEN \"",
    "\"]",
    "\xC2\xA0",
    "\xEF\xBB\xBF",
    "\xE2\x80\x93",
    "\xC2\xBD",
    "\xE2\x99\x98",
    "\xE2\x80\xA6",
    "\xBD",
    "\xE2\x80",
    "> ",
    "!?",
    "0000",
    "--",
    "e4",
    "O-O",
    "\x1A",
    "\n\n1. ",
};

static void insert(struct text *text, size_t room, size_t place, const char *what, size_t length)
{
    if (text->size + length >= room)
        return;
    memmove(text->bytes + place + length, text->bytes + place, text->size - place);
    memcpy(text->bytes + place, what, length);
    text->size += length;
}

static void mutate(struct pm_random *random, struct text *text, size_t room)
{
    const size_t place = pm_random_below(random, text->size + 1);
    const char *const word = words[pm_random_below(random, LENGTH(words))];
    switch (pm_random_below(random, 5)) {
    case 0: /* a byte becomes another */
        if (place < text->size)
            text->bytes[place] = (char)(1 + pm_random_below(random, 255));
        break;
    case 1: /* some are left out */
        if (place < text->size) {
            const size_t most = text->size - place < 40 ? text->size - place : 40;
            const size_t cut = 1 + pm_random_below(random, most);
            memmove(text->bytes + place, text->bytes + place + cut, text->size - place - cut);
            text->size -= cut;
        }
        break;
    case 2: { /* a run */
        const size_t times = 1 + pm_random_below(random, 1200);
        for (size_t i = 0; i < times && pm_random_below(random, 4) == 0; i++)
            insert(text, room, place, word, strlen(word));
        if (times > 900)
            for (size_t i = 0; i < times; i++)
                insert(text, room, place, word, 1);
        break;
    }
    default:
        insert(text, room, place, word, strlen(word));
    }
}

static void mutated_files(void **state)
{
    enum { ROOM = 8192, MOST = 900 };
    static char bytes[ROOM];
    struct text texts[100];
    const size_t count = all_texts(texts, LENGTH(texts));
    struct pm_random random = {1};
    (void)state;
    for (uint64_t i = test_size(10000, 1000); i > 0; i--) {
        const struct text *const original = &texts[pm_random_below(&random, count)];
        const size_t from =
            original->size > MOST ? pm_random_below(&random, original->size - MOST) : 0;
        struct text text = {bytes, original->size - from < MOST ? original->size - from : MOST};
        memcpy(bytes, original->bytes + from, text.size);
        for (unsigned n = 1 + pm_random_below(&random, 6); n > 0; n--)
            mutate(&random, &text, ROOM);
        bytes[text.size] = '\0';
        expect_same_in_pieces(&text);
    }
    for (size_t i = 0; i < count; i++)
        free(texts[i].bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(long_runs),
        cmocka_unit_test(long_comments),
        cmocka_unit_test(mutated_files),
    };
    return cmocka_run_group_tests_name("pgn_cutting", tests, NULL, NULL);
}
