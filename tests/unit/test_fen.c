/* SPDX-License-Identifier: MIT */
#include "core/fen.h"

#include "core/epd.h"
#include "core/position.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START_PIECES "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
#define START START_PIECES " w KQkq - 0 1"

/* The names of warnings in fen_inputs.tsv. */
static const struct {
    const char *name;
    unsigned bit;
} warning_names[] = {
    {"material", PM_WARN_MATERIAL},         {"checkers", PM_WARN_CHECKERS},
    {"push", PM_WARN_EN_PASSANT},           {"clock", PM_WARN_CLOCK},
    {"fields", PM_FEN_WARN_FIELDS},         {"blanks", PM_FEN_WARN_BLANKS},
    {"clock-text", PM_FEN_WARN_CLOCK_TEXT}, {"fullmove", PM_FEN_WARN_FULLMOVE},
    {"digits", PM_FEN_WARN_DIGITS},         {"castling", PM_FEN_WARN_CASTLING},
    {"en-passant", PM_FEN_WARN_EN_PASSANT}, {"order", PM_FEN_WARN_ORDER},
};

/* "accept", "accept+fields+order" … */
static void verdict_text(unsigned warnings, char *text)
{
    strcpy(text, "accept");
    for (size_t i = 0; i < LENGTH(warning_names); i++) {
        if ((warnings & warning_names[i].bit) != 0)
            strcat(strcat(text, "+"), warning_names[i].name);
    }
}

static void expect_verdict(const char *input, unsigned options, const char *verdict,
                           const char *canonical, const char *error_text)
{
    struct pm_position position;
    struct pm_error error;
    unsigned warnings = 0;
    char seen[256] = "reject";
    char fen[PM_FEN_SIZE];
    const enum pm_status status = pm_fen_read(input, options, &position, &warnings, &error);
    if (status == PM_OK)
        verdict_text(warnings, seen);
    if (strcmp(seen, verdict) != 0)
        fail_msg("\"%s\", options %u: %s, expected %s (%s)", input, options, seen, verdict,
                 status == PM_OK ? "" : error.text);
    if (status == PM_OK) {
        pm_fen_write(&position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
        assert_string_equal(fen, canonical);
    } else if (error_text[0] == '\0' || strstr(error.text, error_text) == NULL) {
        fail_msg("\"%s\": the error \"%s\" lacks \"%s\"", input, error.text, error_text);
    }
}

enum column {
    CASE,
    INPUT,
    STRICT,
    LENIENT,
    CHESS960,
    CANONICAL,
    ERROR,
    OTHER_READER,
    COLUMN_COUNT
};

static void expect_other_reader(char *const columns[COLUMN_COUNT])
{
    struct pm_position position;
    struct pm_suite suite;
    char fen[PM_FEN_SIZE];
    const char *const input = columns[INPUT];
    if (strcmp(columns[OTHER_READER], "suite") == 0) {
        assert_int_equal(pm_suite_read_text("row", input, strlen(input), &suite, NULL), PM_OK);
        position = suite.entries[0].position;
        pm_suite_free(&suite);
    } else {
        assert_string_equal(columns[OTHER_READER], "named");
        assert_int_equal(pm_fen_read_named(input, 0, &position, NULL, NULL), PM_OK);
    }
    pm_fen_write(&position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
    assert_string_equal(fen, columns[CANONICAL]);
}

static void inputs_of_the_table(void **state)
{
    char line[1024];
    unsigned rows = 0;
    FILE *const table = fopen(PM_SOURCE_DIR "/tests/unit/fen_inputs.tsv", "r");
    (void)state;
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table)); /* the header */
    while (fgets(line, sizeof line, table) != NULL) {
        char *columns[COLUMN_COUNT];
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        for (unsigned i = 0; i < COLUMN_COUNT; i++)
            assert_non_null(columns[i] = strsep(&rest, "\t"));
        expect_verdict(columns[INPUT], 0, columns[STRICT], columns[CANONICAL], columns[ERROR]);
        expect_verdict(columns[INPUT], PM_FEN_LENIENT, columns[LENIENT], columns[CANONICAL],
                       columns[ERROR]);
        expect_verdict(columns[INPUT], PM_FEN_CHESS960, columns[CHESS960], columns[CANONICAL],
                       columns[ERROR]);
        if (columns[OTHER_READER][0] != '\0')
            expect_other_reader(columns);
        rows++;
    }
    fclose(table);
    assert_int_equal(rows, 44);
}

static void further_inputs(void **state)
{
    static const struct {
        const char *input;
        unsigned options;
        const char *verdict, *canonical, *error;
    } rows[] = {
        {START_PIECES " w KQkq -", 0, "accept", START, ""},
        {START_PIECES " w KQkq - 7", 0, "accept", START_PIECES " w KQkq - 7 1", ""},
        {START_PIECES " w KQkq", PM_FEN_LENIENT, "accept+fields", START, ""},
        {START_PIECES " w KQkq", 0, "reject", "", "field 4 (en passant), column 51: missing"},
        {" " START, 0, "reject", "", "column 1: \" \""},
        {START " ", 0, "accept", START, ""},
        {START " \r\n", 0, "accept", START, ""},
        {START "  7", 0, "reject", "", "column 57: \"  \""},
        {START " 7", 0, "reject", "", "column 58: \"7\": text after the sixth field"},
        {"fen " START, 0, "reject", "", "(placement), column 1: \"fen\": no board"},
        {START_PIECES " w KQkq - 3+3 0 1", 0, "reject", "",
         "(halfmove clock), column 54: \"3+3\": must be a whole number"},
        {"x " START " y", 0, "reject", "", "column 1: \"x\""},
        {"r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", 0, "reject", "", "column 27: \"K\""},
        {"r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", PM_FEN_LENIENT, "accept+castling",
         "r3k2r/8/8/8/8/8/8/R4K1R w kq - 0 1", ""},
        {"4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", 0, "reject", "", "column 39: \"Q\""},
        {"4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", PM_FEN_LENIENT, "accept+castling",
         "4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w - - 0 1", ""},
        {"4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", PM_FEN_CHESS960, "accept",
         "4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", ""},
        {"\t" START "\r\n", PM_FEN_LENIENT, "accept+blanks", START, ""},
        {START_PIECES " w\tKQkq - 0 1", 0, "reject", "", "column 45: \"w\\x09KQkq\""},
        {START_PIECES " w KQkq - 65535 65535", 0, "accept+clock",
         START_PIECES " w KQkq - 65535 65535", ""},
        {START_PIECES " w KQkq - 65536 1", 0, "reject", "", "field 5 (halfmove clock), column 54"},
        {START_PIECES " w KQkq - 0 4294967297", 0, "reject", "", "(fullmove number), column 56"},
        {START_PIECES " w KQkq - 0 1x", 0, "reject", "", "column 56: \"1x\""},
        {START_PIECES " w qkQK - 0 1", 0, "accept+order", START, ""},
        {START_PIECES " w AHah - 0 1", 0, "accept+order", START, ""},
        {START_PIECES " w KKQkq - 0 1", 0, "reject", "", "column 48: \"K\": the same right twice"},
        {START_PIECES " w KHQAkq - 0 1", PM_FEN_LENIENT, "accept+order", START, ""},
        {START_PIECES " w KQkqx - 0 1", PM_FEN_LENIENT, "reject", "", "column 51: \"x\""},
        {"4k3/8/8/8/8/8/8/4KRR1 w FG - 0 1", PM_FEN_CHESS960, "reject", "", "on f1 has"},
        {"4k3/8/8/8/8/8/8/4KRR1 w F - 0 1", PM_FEN_CHESS960, "accept",
         "4k3/8/8/8/8/8/8/4KRR1 w F - 0 1", ""},
        {"4k3/8/8/8/8/8/8/4KRR1 w G - 0 1", PM_FEN_CHESS960, "accept",
         "4k3/8/8/8/8/8/8/4KRR1 w K - 0 1", ""},
        {"4k3/8/8/8/8/8/8/R5K1 w K - 0 1", PM_FEN_CHESS960, "reject", "", "column 24: \"K\""},
        {"4k3/8/8/8/8/8/8/R5K1 w G - 0 1", PM_FEN_CHESS960, "reject", "", "column 24: \"G\""},
        {"4k3/8/8/8/8/8/6K1/R6R w KQ - 0 1", PM_FEN_LENIENT, "accept+castling",
         "4k3/8/8/8/8/8/6K1/R6R w - - 0 1", ""},
        {"4k3/8/8/8/8/8/8/K7K w - - 0 1", 0, "reject", "", "rank 1 has 9 squares"},
        {"4k3/8/8/8/8/8/8/K6K w - - 0 1", 0, "reject", "", "column 19: \"K\": king count"},
        {"4k3//8/8/8/8/8/K7 w - - 0 1", 0, "reject", "", "rank 7 has 0 squares"},
        {"4k3/8/8/8/8/8/8/K7/ w - - 0 1", 0, "reject", "", "after the eighth rank"},
        {"4k3/8/8/8/8/8/8/K08 w - - 0 1", 0, "reject", "", "column 18: \"0\""},
        {"4k3/8/8/8/8/8/8/K\xC3\xA9 w - - 0 1", 0, "reject", "", "column 18: \"\\xC3\""},
        {START_PIECES " w KQkq e6 0 1", PM_FEN_LENIENT, "accept+en-passant", START, ""},
        {START_PIECES " w KQkq E6 0 1", PM_FEN_LENIENT, "reject", "", "column 52: \"E6\""},
        {START_PIECES " w KQkq e66 0 1", PM_FEN_LENIENT, "reject", "", "column 52: \"e66\""},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        expect_verdict(rows[i].input, rows[i].options, rows[i].verdict, rows[i].canonical,
                       rows[i].error);
}

static void either_kind_of_chess(void **state)
{
    static const struct {
        const char *input;
        bool chess960;
        unsigned warnings;
        const char *canonical;
    } rows[] = {
        {START, false, 0, START},
        /* One set-up has them all. */
        {"1r2k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1", true, 0,
         "1r2k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1"},
        {"4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", true, 0, "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1"},
        /* None has: White's king is on another file than Black's, or a rook is. */
        {"r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", false, PM_FEN_WARN_CASTLING,
         "r3k2r/8/8/8/8/8/8/R4K1R w kq - 0 1"},
        {"r3k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, PM_FEN_WARN_CASTLING,
         "r3k1r1/8/8/8/8/8/8/R3K2R w KQq - 0 1"},
        {"r3k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, PM_FEN_WARN_CASTLING,
         "r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1"},
        /* Letters of files are meant. */
        {"r3k2r/8/8/8/8/8/8/R4K1R w HAha - 0 1", true, 0, "r3k2r/8/8/8/8/8/8/R4K1R w HAha - 0 1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_position position;
        struct pm_error error;
        unsigned warnings = 0;
        bool chess960 = !rows[i].chess960;
        char fen[PM_FEN_SIZE];
        assert_int_equal(pm_fen_read_either(rows[i].input, &position, &chess960, &warnings, &error),
                         PM_OK);
        pm_fen_write(&position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
        assert_string_equal(fen, rows[i].canonical);
        assert_int_equal(chess960, rows[i].chess960);
        assert_int_equal(warnings & ~0xFFU, rows[i].warnings);
    }
}

static void a_failure_touches_nothing_but_the_error(void **state)
{
    struct pm_position position, before;
    unsigned warnings = 42;
    struct pm_error error;
    (void)state;
    memset(&position, 0xAA, sizeof position);
    before = position;
    assert_int_equal(pm_fen_read("8/8/8/8/8/8/8/8 w - - 0 0", 0, &position, &warnings, &error),
                     PM_ERROR_POSITION);
    assert_int_equal(error.status, PM_ERROR_POSITION);
    assert_int_equal(pm_fen_read("x", 0, &position, NULL, NULL), PM_ERROR_PARSE);
    assert_memory_equal(&position, &before, sizeof position);
    assert_int_equal(warnings, 42);
}

static void writing(void **state)
{
    static const struct {
        const char *input;
        enum pm_fen_style style;
        enum pm_fen_en_passant en_passant;
        const char *output;
    } rows[] = {
        {START, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_LEGAL, START_PIECES " w HAha - 0 1"},
        {"rr2k3/8/8/8/8/8/8/RR2K3 w Ab - 0 1", PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL,
         "rr2k3/8/8/8/8/8/8/RR2K3 w Ab - 0 1"},
        {"rr2k3/8/8/8/8/8/8/RR2K3 w Qb - 0 1", PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_LEGAL,
         "rr2k3/8/8/8/8/8/8/RR2K3 w Ab - 0 1"},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", PM_FEN_XFEN,
         PM_FEN_EN_PASSANT_AS_GIVEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_position position;
        char text[PM_FEN_SIZE];
        assert_int_equal(pm_fen_read(rows[i].input, PM_FEN_CHESS960, &position, NULL, NULL), PM_OK);
        assert_string_equal(pm_fen_write(&position, rows[i].style, rows[i].en_passant, text),
                            rows[i].output);
    }
}

static void the_longest_fen_fits(void **state)
{
    struct pm_position position;
    char text[PM_FEN_SIZE];
    (void)state;
    assert_int_equal(pm_fen_read(START, 0, &position, NULL, NULL), PM_OK);
    memset(position.board, pm_make_piece(PM_BLACK, PM_KNIGHT), sizeof position.board);
    position.en_passant = 20;
    position.halfmove_clock = position.fullmove_number = UINT16_MAX;
    pm_fen_write(&position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, text);
    assert_string_equal(text + strlen(text) - 22, " w HAha e3 65535 65535");
    assert_int_equal(strlen(text), 64 + 7 + 22);
}

static void round_trip(const struct pm_position *original, enum pm_fen_style style)
{
    struct pm_position canonical = *original, back;
    struct pm_error error;
    char text[PM_FEN_SIZE];
    pm_position_canonicalize(&canonical);
    pm_fen_write(original, style, PM_FEN_EN_PASSANT_LEGAL, text);
    if (pm_fen_read(text, PM_FEN_LENIENT | PM_FEN_CHESS960, &back, NULL, &error) != PM_OK)
        fail_msg("%s: %s", text, error.text);
    if (!pm_position_equal(&canonical, &back))
        fail_msg("%s: another position came back", text);
}

static void suites_make_round_trips(void **state)
{
    static const char *const files[] = {"standard",        "tricky",    "unreachable", "chess960",
                                        "chess960_starts", "generated", "generated960"};
    (void)state;
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct pm_suite suite;
        struct pm_error error;
        char path[512];
        snprintf(path, sizeof path, PM_SOURCE_DIR "/verify/suites/%s.epd", files[i]);
        if (pm_suite_read_file(path, &suite, &error) != PM_OK)
            fail_msg("%s", error.text);
        for (size_t entry = 0; entry < suite.entry_count; entry++) {
            for (unsigned style = 0; style < PM_FEN_STYLE_COUNT; style++)
                round_trip(&suite.entries[entry].position, (enum pm_fen_style)style);
        }
        pm_suite_free(&suite);
    }
}

static void named_positions(void **state)
{
    static const char *const names[] = {"startpos", "kiwipete", "cpw3", "cpw4", "cpw5", "cpw6"};
    struct pm_position position;
    char text[PM_FEN_SIZE];
    (void)state;
    for (size_t i = 0; i < LENGTH(names); i++) {
        unsigned warnings = 1;
        assert_string_equal(pm_named_positions[i].name, names[i]);
        assert_int_equal(pm_fen_read_named(names[i], 0, &position, &warnings, NULL), PM_OK);
        assert_int_equal(warnings, 0);
        assert_string_equal(pm_fen_write(&position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, text),
                            pm_named_positions[i].fen);
    }
    assert_null(pm_named_positions[LENGTH(names)].name);
    assert_int_equal(pm_fen_read_named(START, 0, &position, NULL, NULL), PM_OK);
    assert_int_equal(pm_fen_read_named("startpo", 0, &position, NULL, NULL), PM_ERROR_PARSE);
}

/* Reads from a block that ends with the text, so that a sanitizer sees a step beyond it. */
static void read_hostile(const char *bytes, size_t length)
{
    char *const text = malloc(length + 1);
    assert_non_null(text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (unsigned options = 0; options < 4; options++) {
        struct pm_position position;
        struct pm_error error;
        if (pm_fen_read(text, options, &position, NULL, &error) == PM_OK) {
            assert_int_equal(pm_position_check(&position, NULL), PM_FAULT_NONE);
            continue;
        }
        assert_in_range(strlen(error.text), 1, sizeof error.text - 1);
        for (const char *at = error.text; *at != '\0'; at++)
            assert_in_range(*at, ' ', '~');
    }
    free(text);
}

static void hostile_text(void **state)
{
    static const char fen[] = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3";
    struct pm_random random = {.state = 20240901};
    char bytes[sizeof fen];
    (void)state;
    for (size_t length = 0; length < sizeof fen; length++)
        read_hostile(fen, length);
    for (unsigned round = 0; round < 20000; round++) {
        memcpy(bytes, fen, sizeof fen);
        for (unsigned i = 0; i <= round % 3; i++)
            bytes[pm_random_below(&random, sizeof fen - 1)] = (char)pm_random_next(&random);
        read_hostile(bytes, sizeof fen - 1);
    }
}

static void very_long_text(void **state)
{
    static const char fillers[] = "8p/ KQA-9w\t\xFF";
    enum { SIZE = 200000 };
    char *const text = malloc(SIZE);
    (void)state;
    assert_non_null(text);
    for (const char *filler = fillers; *filler != '\0'; filler++) {
        memset(text, *filler, SIZE);
        read_hostile(text, SIZE);
        for (size_t start = 0; start < sizeof START; start++) { /* each field goes on and on */
            memcpy(text, START, start);
            if (START[start] == ' ' || START[start] == '\0')
                read_hostile(text, SIZE);
        }
    }
    free(text);
}

static void all_texts_are_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(warning_names); i++)
        assert_string_not_equal(pm_fen_warning_text(warning_names[i].bit), "unknown warning");
    assert_string_equal(pm_fen_warning_text(0), "unknown warning");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_of_the_table),
        cmocka_unit_test(further_inputs),
        cmocka_unit_test(either_kind_of_chess),
        cmocka_unit_test(a_failure_touches_nothing_but_the_error),
        cmocka_unit_test(writing),
        cmocka_unit_test(the_longest_fen_fits),
        cmocka_unit_test(suites_make_round_trips),
        cmocka_unit_test(named_positions),
        cmocka_unit_test(hostile_text),
        cmocka_unit_test(very_long_text),
        cmocka_unit_test(all_texts_are_there),
    };
    return cmocka_run_group_tests_name("fen", tests, NULL, NULL);
}
