/* SPDX-License-Identifier: MIT */
#include "core/epd.h"

#include "core/fen.h"
#include "core/position.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
#define SUITES PM_SOURCE_DIR "/verify/suites/"

static enum pm_status read_text(const char *text, struct pm_suite *suite, struct pm_error *error)
{
    return pm_suite_read_text("folder/small.epd", text, strlen(text), suite, error);
}

/* One line each; all mean the same three counts. */
static void ways_to_write_counts(void **state)
{
    static const char *const rows[] = {
        FEN " ;D1 15 ;D2 66 ;D7 340282366920938463463374607431768211455",
        FEN ";D1 15;D2 66;D7 340282366920938463463374607431768211455",
        FEN "; D1 15; D2 66; D7 340282366920938463463374607431768211455;",
        FEN " ; d1  15 ;\td2\t66 ; d7 340282366920938463463374607431768211455 ; ",
        FEN " D1 15; D2 66; D7 340282366920938463463374607431768211455;\r\n",
        "\xEF\xBB\xBF# a comment; with D1 20\n\n \t\n" FEN
        " id \"a;b\"; D1 15; D2 66; D7 340282366920938463463374607431768211455\n\n",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_suite suite;
        struct pm_error error;
        if (read_text(rows[i], &suite, &error) != PM_OK)
            fail_msg("row %zu: %s", i, error.text);
        assert_int_equal(suite.entry_count, 1);
        const struct pm_suite_entry *const entry = &suite.entries[0];
        assert_string_equal(entry->fen, FEN);
        assert_int_equal(entry->warnings, 0);
        assert_int_equal(entry->count_count, 3);
        assert_int_equal(entry->counts[0].depth, 1);
        assert_int_equal(entry->counts[1].depth, 2);
        assert_int_equal(entry->counts[2].depth, 7);
        assert_true(entry->counts[0].nodes == 15 && entry->counts[1].nodes == 66);
        assert_true(entry->counts[2].nodes == ~(pm_count)0);
        pm_suite_free(&suite);
    }
}

static void opcodes(void **state)
{
    static const char text[] =
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - "
        "bm Ng5 d4; id \"x; y\"; draw_reject; D1 33; dm 4; c0 \"\"; c1 a\"b\"";
    static const struct {
        const char *name, *operand;
    } rows[] = {{"bm", "Ng5 d4"}, {"id", "x; y"}, {"draw_reject", ""},
                {"dm", "4"},      {"c0", ""},     {"c1", "a\"b\""}};
    struct pm_suite suite;
    (void)state;
    assert_int_equal(read_text(text, &suite, NULL), PM_OK);
    const struct pm_suite_entry *const entry = &suite.entries[0];
    assert_int_equal(entry->opcode_count, LENGTH(rows));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_string_equal(entry->opcodes[i].name, rows[i].name);
        assert_string_equal(pm_suite_entry_opcode(entry, rows[i].name), rows[i].operand);
    }
    assert_null(pm_suite_entry_opcode(entry, "c9"));
    assert_int_equal(entry->count_count, 1);
    assert_true(entry->counts[0].nodes == 33);
    pm_suite_free(&suite);
}

static void names_lines_and_headers(void **state)
{
    static const char text[] = "# source:  here and there \r\n# licence: none\n" FEN
                               "\n\n4k3/8/8/8/8/8/8/RR2K3 w A - 0 1 ;D1 1\n"
                               "4k3/8/8/8/8/8/8/R4KR1 w GA -\n4k3/8/8/8/8/8/8/4K3 w ;D1 5\n";
    struct pm_suite suite;
    (void)state;
    assert_int_equal(read_text(text, &suite, NULL), PM_OK);
    assert_string_equal(suite.name, "small");
    assert_string_equal(suite.source, "here and there");
    assert_int_equal(suite.entry_count, 4);
    assert_int_equal(suite.entries[0].line, 3);
    assert_int_equal(suite.entries[1].line, 5);
    assert_false(suite.entries[1].chess960); /* A is the standard rook */
    assert_true(suite.entries[2].chess960);
    assert_string_equal(suite.entries[2].fen, "4k3/8/8/8/8/8/8/R4KR1 w GA -");
    assert_int_equal(suite.entries[3].warnings, PM_FEN_WARN_FIELDS);
    pm_suite_free(&suite);
    pm_suite_free(&suite); /* harmless */
}

static void refused_texts(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "small.epd:0: no position"},
        {"# only a comment\n\n", "small.epd:2: no position"},
        {FEN "\n ;D1 20", "small.epd:2: FEN field 1 (placement), column 1: missing"},
        {FEN "\nhello", "small.epd:2: FEN field 2 (side to move), column 6: missing: \"hello\""},
        {FEN "\n  4k3/8/8/8/8/8/8/4K3 x - - 0 1",
         ":2: FEN field 2 (side to move), column 23: \"x\""},
        {FEN " 18", ":1: column 32: \"18\": expected"},
        {FEN " ;D0 1", ":1: column 33: \"D0\": a depth is"},
        {FEN " ;D1000 1", "column 33: \"D1000\": a depth is"},
        {FEN " ;D99999999999999999999 1", "column 33: \"D99999999999999999999\": a depth is"},
        {FEN " ;D1x 1", "column 33: \"D1x\": a depth is"},
        {FEN " ;D1 15 ;D1 15", "column 40: \"D1\": depths ascend, and D1 stands before"},
        {FEN " ;D3 15 ;D2 15", "column 40: \"D2\": depths ascend, and D3 stands before"},
        {FEN " ;D1", "column 35: \"\": a count is"},
        {FEN " ;D1 x", "column 36: \"x\": a count is"},
        {FEN " ;D1 -5", "column 36: \"-5\": a count is"},
        {FEN " ;D1 1.5", "column 36: \"1.5\": a count is"},
        {FEN " ;D1 15 D2 66", "column 36: \"15 D2 66\": a count is"},
        {FEN " ;D1 340282366920938463463374607431768211456", "column 36: \"34028236692093846346"},
        {FEN " ;15", "column 33: \"15\": expected"},
        {FEN " ;id \"open; D1 15", "column 36: \"\"open; D1 15\": no closing quote"},
        {FEN " ;\xFF 1", "column 33: \"\\xFF\": expected"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_suite suite;
        struct pm_error error = {.text = "accepted"};
        if (read_text(rows[i].text, &suite, &error) == PM_OK ||
            strstr(error.text, rows[i].error) == NULL)
            fail_msg("\"%s\": %s, expected \"%s\"", rows[i].text, error.text, rows[i].error);
        assert_int_equal(suite.entry_count, 0);
        pm_suite_free(&suite);
    }
}

static void nul_bytes(void **state)
{
    static const char text[] = FEN " ;D1 15\n" FEN " ;D1\0 15\n";
    struct pm_suite suite;
    struct pm_error error;
    (void)state;
    assert_int_equal(pm_suite_read_text("x", text, sizeof text - 1, &suite, &error),
                     PM_ERROR_PARSE);
    assert_non_null(strstr(error.text, "x:2: column 35: \"\\x00\": a NUL byte"));
}

static void suites(void **state)
{
    static const struct {
        const char *file, *name;
        size_t entries, chess960, warned, counts;
    } rows[] = {
        {SUITES "standard.epd", "standard", 131, 0, 0, 794},
        {SUITES "tricky.epd", "tricky", 107, 0, 2, 549},
        {SUITES "unreachable.epd", "unreachable", 11, 1, 11, 28},
        {SUITES "chess960.epd", "chess960", 978, 938, 2, 5813},
        {SUITES "chess960_starts.epd", "chess960_starts", 960, 942, 0, 4800},
        {SUITES "generated.epd", "generated", 324, 0, 0, 1254},
        {SUITES "generated960.epd", "generated960", 172, 84, 0, 667},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_suite suite;
        struct pm_error error;
        size_t chess960 = 0, warned = 0, counts = 0;
        if (pm_suite_read_file(rows[i].file, &suite, &error) != PM_OK)
            fail_msg("%s", error.text);
        for (size_t entry = 0; entry < suite.entry_count; entry++) {
            chess960 += suite.entries[entry].chess960;
            warned += suite.entries[entry].warnings != 0;
            counts += suite.entries[entry].count_count;
        }
        assert_string_equal(suite.name, rows[i].name);
        if (suite.entry_count != rows[i].entries || chess960 != rows[i].chess960 ||
            warned != rows[i].warned || counts != rows[i].counts)
            fail_msg("%s: %zu entries, %zu Chess960, %zu with warnings, %zu counts", rows[i].name,
                     suite.entry_count, chess960, warned, counts);
        pm_suite_free(&suite);
    }
}

static void files_that_cannot_be_read(void **state)
{
    static const struct {
        const char *path, *error;
    } rows[] = {
        {SUITES "no_such_suite.epd", "no_such_suite.epd: No such file"},
        {PM_SOURCE_DIR, ": Is a directory"},
        {"/dev/null", "/dev/null:0: no position"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_suite suite;
        struct pm_error error = {.text = "accepted"};
        assert_int_not_equal(pm_suite_read_file(rows[i].path, &suite, &error), PM_OK);
        if (strstr(error.text, rows[i].error) == NULL)
            fail_msg("%s: %s", rows[i].path, error.text);
        pm_suite_free(&suite);
    }
}

/* Larger than the reader's first block, with many entries and one long line. */
static void large_files(void **state)
{
    enum { ENTRIES = 5000, ID_LENGTH = 300000 };
    char path[] = "/tmp/plymark-epd-XXXXXX";
    const int descriptor = mkstemp(path);
    struct pm_suite suite;
    struct pm_error error;
    (void)state;
    assert_true(descriptor >= 0);
    FILE *const file = fdopen(descriptor, "w");
    for (unsigned i = 0; i < ENTRIES; i++)
        fprintf(file, FEN " ;D1 %u\n", i);
    fprintf(file, FEN " id \"%0*d\"", ID_LENGTH, 0);
    assert_int_equal(fclose(file), 0);
    const enum pm_status status = pm_suite_read_file(path, &suite, &error);
    unlink(path);
    if (status != PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(suite.entry_count, ENTRIES + 1);
    assert_true(suite.entries[ENTRIES - 1].counts[0].nodes == ENTRIES - 1);
    assert_int_equal(strlen(pm_suite_entry_opcode(&suite.entries[ENTRIES], "id")), ID_LENGTH);
    pm_suite_free(&suite);
}

/* Texts that end where their block ends, so that a sanitizer sees a step beyond it. */
static void hostile_text(void **state)
{
    static const char good[] =
        "\xEF\xBB\xBF# source: s\n" FEN " ;D1 15 ;D2 66\r\n" FEN " id \"x;y\"; c0 z;\n";
    struct pm_random random = {.state = 20240901};
    unsigned accepted = 0;
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        const size_t size = pm_random_below(&random, sizeof good);
        char *const text = malloc(size + (size == 0));
        struct pm_suite suite;
        struct pm_error error;
        assert_non_null(text);
        memcpy(text, good, size);
        for (unsigned i = 0; size > 0 && i < round % 3; i++)
            text[pm_random_below(&random, size)] = (char)pm_random_next(&random);
        if (pm_suite_read_text("x", text, size, &suite, &error) == PM_OK)
            accepted++;
        else
            assert_int_equal(strncmp(error.text, "x:", 2), 0);
        pm_suite_free(&suite);
        free(text);
    }
    assert_in_range(accepted, 1, 19999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_write_counts),
        cmocka_unit_test(opcodes),
        cmocka_unit_test(names_lines_and_headers),
        cmocka_unit_test(refused_texts),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(suites),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(large_files),
        cmocka_unit_test(hostile_text),
    };
    return cmocka_run_group_tests_name("epd", tests, NULL, NULL);
}
