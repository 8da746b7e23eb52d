/* SPDX-License-Identifier: MIT */
/* Fields: each one's value against the facts and the position, and how values are written. */
#include "analyze/field.h"

#include "tests/unit/view_at.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct pm_view view;

static int set_up(void **state)
{
    (void)state;
    view_open(&view, "magic");
    view_at(&view, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pm_view_close(&view);
    return 0;
}

/* No two numbers alike where a mix-up is possible. */
static const struct pm_facts all_facts = {
    .legal = 101,
    .captures = 102,
    .promotions = 103,
    .castlings = 104,
    .en_passant = 105,
    .checkers = 2,
    .pinned = 106,
    .checks = 107,
    .mates = 108,
    .stalemates = 109,
    .verdict = PM_VERDICT_INSUFFICIENT_MATERIAL,
    .pieces = {{0, 11, 12, 13, 14, 15, 1}, {0, 21, 22, 23, 24, 25, 1}},
    .value = {30, 47},
    .phase = 19,
    .attacked = {0x7, 0xF00000000000001F},
    .mobility = {61, 62},
    .hanging = {0x8000000000000000, 0x6},
    .best_exchange = -300,
};

static struct pm_record record_of(const struct pm_facts *facts)
{
    return (struct pm_record){.view = &view,
                              .facts = facts,
                              .file = "games/a.pgn",
                              .line = 12345678901,
                              .game = 8,
                              .ply = 33,
                              .id = "mate in 3",
                              .warnings = PM_FEN_WARN_BLANKS | PM_FEN_WARN_FIELDS | 1};
}

static void values(void **state)
{
    static const struct {
        const char *name;
        int64_t number;
        const char *text;
        unsigned parts;
    } cases[] = {
        {"file", 0, "games/a.pgn", 0},
        {"line", 12345678901, NULL, 0},
        {"game", 8, NULL, 0},
        {"ply", 33, NULL, 0},
        {"id", 0, "mate in 3", 0},
        {"fen", 0, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17", 0},
        {"warnings", 3, NULL, 0},
        {"side", 0, "b", 0},
        {"halfmove", 3, NULL, 0},
        {"fullmove", 17, NULL, 0},
        {"legal", 101, NULL, PM_FACTS_MOVES},
        {"captures", 102, NULL, PM_FACTS_MOVES},
        {"promotions", 103, NULL, PM_FACTS_MOVES},
        {"castlings", 104, NULL, PM_FACTS_MOVES},
        {"en_passant", 105, NULL, PM_FACTS_MOVES},
        {"check", 1, NULL, PM_FACTS_MOVES},
        {"checkers", 2, NULL, PM_FACTS_MOVES},
        {"pinned", 106, NULL, PM_FACTS_MOVES},
        {"mate", 0, NULL, PM_FACTS_MOVES},
        {"stalemate", 0, NULL, PM_FACTS_MOVES},
        {"verdict", 0, "insufficient material", PM_FACTS_VERDICT},
        {"full_verdict", 0, "insufficient material", PM_FACTS_DEAD},
        {"checks", 107, NULL, PM_FACTS_CHECKS},
        {"mates", 108, NULL, PM_FACTS_CHECKS},
        {"stalemates", 109, NULL, PM_FACTS_CHECKS},
        {"material", -17, NULL, PM_FACTS_MATERIAL},
        {"material_white", 30, NULL, PM_FACTS_MATERIAL},
        {"material_black", 47, NULL, PM_FACTS_MATERIAL},
        {"phase", 19, NULL, PM_FACTS_MATERIAL},
        {"pieces", 182, NULL, PM_FACTS_MATERIAL},
        {"P", 11, NULL, PM_FACTS_MATERIAL},
        {"N", 12, NULL, PM_FACTS_MATERIAL},
        {"B", 13, NULL, PM_FACTS_MATERIAL},
        {"R", 14, NULL, PM_FACTS_MATERIAL},
        {"Q", 15, NULL, PM_FACTS_MATERIAL},
        {"p", 21, NULL, PM_FACTS_MATERIAL},
        {"n", 22, NULL, PM_FACTS_MATERIAL},
        {"b", 23, NULL, PM_FACTS_MATERIAL},
        {"r", 24, NULL, PM_FACTS_MATERIAL},
        {"q", 25, NULL, PM_FACTS_MATERIAL},
        {"mobility", 62, NULL, PM_FACTS_MOBILITY},
        {"mobility_white", 61, NULL, PM_FACTS_MOBILITY},
        {"mobility_black", 62, NULL, PM_FACTS_MOBILITY},
        {"attacked_white", 3, NULL, PM_FACTS_MOBILITY},
        {"attacked_black", 9, NULL, PM_FACTS_MOBILITY},
        {"hanging", 3, NULL, PM_FACTS_EXCHANGE},
        {"hanging_white", 1, NULL, PM_FACTS_EXCHANGE},
        {"hanging_black", 2, NULL, PM_FACTS_EXCHANGE},
        {"exchange", -300, NULL, PM_FACTS_EXCHANGE},
    };
    (void)state;
    const struct pm_record record = record_of(&all_facts);
    size_t count = 0;
    for (const struct pm_record_field *field = pm_record_fields; field->name != NULL; field++)
        count++;
    assert_int_equal(count, LENGTH(cases)); /* a new field needs a row here */
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_value_room room;
        const struct pm_record_field *const field =
            pm_field_find(cases[i].name, strlen(cases[i].name));
        assert_non_null(field);
        assert_int_equal(field->parts, cases[i].parts);
        assert_int_equal(field->is_text, cases[i].text != NULL);
        assert_true(strlen(field->meaning) > 0 && strchr(field->meaning, '\n') == NULL);
        const struct pm_value value = pm_field_value(field, &record, &room);
        if (cases[i].text == NULL) {
            assert_null(value.text);
            if (value.number != cases[i].number)
                fail_msg("%s is %" PRId64, cases[i].name, value.number);
        } else {
            assert_non_null(value.text);
            assert_int_equal(value.length, strlen(cases[i].text));
            assert_memory_equal(value.text, cases[i].text, value.length);
        }
    }
}

static int64_t number_of(const char *name, const struct pm_facts *facts)
{
    struct pm_value_room room;
    const struct pm_record record = record_of(facts);
    return pm_field_value(pm_field_find(name, strlen(name)), &record, &room).number;
}

static const char *text_of(const char *name, const struct pm_facts *facts)
{
    static struct pm_value_room room;
    const struct pm_record record = record_of(facts);
    return pm_field_value(pm_field_find(name, strlen(name)), &record, &room).text;
}

static void ends_of_games(void **state)
{
    (void)state;
    const struct pm_facts mate = {.checkers = 1}, stalemate = {0}, open = {.legal = 1},
                          check = {.legal = 1, .checkers = 1},
                          dead = {.legal = 1, .verdict = PM_VERDICT_DEAD_POSITION};
    assert_true(number_of("mate", &mate) == 1 && number_of("stalemate", &mate) == 0);
    assert_true(number_of("mate", &stalemate) == 0 && number_of("stalemate", &stalemate) == 1);
    assert_true(number_of("mate", &open) == 0 && number_of("stalemate", &open) == 0);
    assert_true(number_of("check", &check) == 1 && number_of("mate", &check) == 0);
    assert_string_equal(text_of("verdict", &dead), "open");
    assert_string_equal(text_of("full_verdict", &dead), "dead position");
    /* Every verdict is one that a filter may ask for. */
    const struct pm_record_field *const verdict = pm_field_find("full_verdict", 12);
    for (unsigned i = 0; i < PM_VERDICT_COUNT; i++) {
        const struct pm_facts facts = {.verdict = (enum pm_verdict)i};
        assert_string_equal(text_of("full_verdict", &facts), verdict->choice(i));
    }
    assert_null(verdict->choice(PM_VERDICT_COUNT));
}

static void lists(void **state)
{
    struct pm_field_list list;
    (void)state;
    assert_int_equal(pm_field_list_read("phase,line,mates", &list, NULL), PM_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.fields[0]->name, "phase");
    assert_string_equal(list.fields[2]->name, "mates");
    assert_int_equal(list.parts, PM_FACTS_MATERIAL | PM_FACTS_CHECKS);
    assert_int_equal(pm_field_list_read("q,Q", &list, NULL), PM_OK);
    assert_int_equal(pm_field_list_read(pm_field_default_names, &list, NULL), PM_OK);
    assert_int_equal(pm_field_list_read(pm_field_default_game_names, &list, NULL), PM_OK);
}

static void bad_lists(void **state)
{
    static const struct {
        const char *names;
        unsigned column;
        const char *words;
    } cases[] = {
        {"", 1, "a field's name is missing"},
        {",legal", 1, "a field's name is missing"},
        {"legal,", 7, "a field's name is missing"},
        {"legal,,phase", 7, "a field's name is missing"},
        {"legal, phase", 7, "is \"phase\" meant?"},
        {"legal;phase", 1, "no field has this name"},
        {"legl", 1, "\"legl\": no field has this name; is \"legal\" meant?"},
        {"line,Legal", 6, "is \"legal\" meant?"},
        {"line,chek,legal", 6, "is \"check\" meant?"},
        {"xyzzy", 1, "--fields list shows them all"},
        {"line,legal,line", 12, "\"line\" is there already"},
        {"a_name_that_is_longer_than_any_field_there_could_be", 1, "no field has this name"},
        {"fen\n", 1, "\"fen\\x0A\""},
        {"\xFF", 1, "\"\\xFF\""},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_field_list list;
        struct pm_error error = {0};
        char column[32];
        snprintf(column, sizeof column, "column %u: ", cases[i].column);
        assert_int_equal(pm_field_list_read(cases[i].names, &list, &error), PM_ERROR_ARGUMENT);
        if (strncmp(error.text, column, strlen(column)) != 0 ||
            strstr(error.text, cases[i].words) == NULL || strchr(error.text, '\n') != NULL)
            fail_msg("%s: %s", cases[i].names, error.text);
    }
}

/* ---- Writing ---- */

static const char *written(const char *names, const struct pm_record *record, enum pm_format format,
                           uint64_t *hash)
{
    static char text[4096];
    struct pm_field_list list;
    struct pm_buffer buffer = {0};
    uint64_t ignored;
    assert_int_equal(pm_field_list_read(names, &list, NULL), PM_OK);
    assert_int_equal(pm_field_write_names(&list, format, &buffer), PM_OK);
    assert_int_equal(pm_field_write(&list, record, format, &buffer, hash != NULL ? hash : &ignored),
                     PM_OK);
    assert_true(buffer.length < sizeof text);
    memcpy(text, buffer.text, buffer.length);
    text[buffer.length] = '\0';
    if (hash != NULL)
        assert_true(pm_field_hash(&list, record) == *hash);
    free(buffer.text);
    return text;
}

static void formats(void **state)
{
    static const char names[] = "line,exchange,verdict,id";
    struct pm_record record = record_of(&all_facts);
    (void)state;
    assert_string_equal(written(names, &record, PM_FORMAT_TSV, NULL),
                        "line\texchange\tverdict\tid\n"
                        "12345678901\t-300\tinsufficient material\tmate in 3\n");
    assert_string_equal(written(names, &record, PM_FORMAT_CSV, NULL),
                        "line,exchange,verdict,id\n"
                        "12345678901,-300,insufficient material,mate in 3\n");
    assert_string_equal(written(names, &record, PM_FORMAT_JSON, NULL),
                        "{\"line\":12345678901,\"exchange\":-300,"
                        "\"verdict\":\"insufficient material\",\"id\":\"mate in 3\"}\n");
    record.line = INT64_MAX;
    record.ply = 0;
    assert_string_equal(written("ply,line", &record, PM_FORMAT_CSV, NULL),
                        "ply,line\n0,9223372036854775807\n");
}

static void texts(void **state)
{
    static const struct {
        const char *id, *tsv, *csv, *json;
    } cases[] = {
        {"", "", "", "\"\""},
        {"a b", "a b", "a b", "\"a b\""},
        {"a\tb", "a\\tb", "a\tb", "\"a\\tb\""},
        {"a\nb\r", "a\\nb\\r", "\"a\nb\r\"", "\"a\\nb\\r\""},
        {"a\\b", "a\\\\b", "a\\b", "\"a\\\\b\""},
        {"a,b", "a,b", "\"a,b\"", "\"a,b\""},
        {"a\"b", "a\"b", "\"a\"\"b\"", "\"a\\\"b\""},
        {"\"", "\"", "\"\"\"\"", "\"\\\"\""},
        {"\x01\x1F\x7F", "\\x01\\x1F\\x7F", "\x01\x1F\x7F", "\"\\u0001\\u001f\\u007f\""},
        {"\xC2\x9B\xE2\x80\xA8", "\\xC2\\x9B\\xE2\\x80\\xA8", "\xC2\x9B\xE2\x80\xA8",
         "\"\\u009b\\u2028\""},
        {"\xC3\xA9", "\xC3\xA9", "\xC3\xA9", "\"\xC3\xA9\""},
        {"\xE9", "\\xE9", "\xE9", "\"\\u00e9\""},                     /* Latin-1 */
        {"\xC3", "\\xC3", "\xC3", "\"\\u00c3\""},                     /* cut off */
        {"\xC0\xAF", "\\xC0\\xAF", "\xC0\xAF", "\"\\u00c0\\u00af\""}, /* overlong */
        {"\xED\xA0\x80", "\\xED\\xA0\\x80", "\xED\xA0\x80", "\"\\u00ed\\u00a0\\u0080\""},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
        {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80", "\xF4\x90\x80\x80",
         "\"\\u00f4\\u0090\\u0080\\u0080\""},
        {"\xE2\x82x", "\\xE2\\x82x", "\xE2\x82x", "\"\\u00e2\\u0082x\""},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_record record = record_of(&all_facts);
        char wanted[128];
        record.id = cases[i].id;
        snprintf(wanted, sizeof wanted, "id\tply\n%s\t33\n", cases[i].tsv);
        assert_string_equal(written("id,ply", &record, PM_FORMAT_TSV, NULL), wanted);
        snprintf(wanted, sizeof wanted, "id,ply\n%s,33\n", cases[i].csv);
        assert_string_equal(written("id,ply", &record, PM_FORMAT_CSV, NULL), wanted);
        snprintf(wanted, sizeof wanted, "{\"id\":%s,\"ply\":33}\n", cases[i].json);
        assert_string_equal(written("id,ply", &record, PM_FORMAT_JSON, NULL), wanted);
    }
}

/* Every byte, alone and beside every other: what comes out is JSON for another reader. */
static void json_of_any_bytes(void **state)
{
    (void)state;
    for (unsigned first = 1; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            struct pm_record record = record_of(&all_facts);
            const char id[] = {(char)first, (char)second, '\0'};
            json_error_t error;
            record.id = id;
            json_t *const parsed =
                json_loads(written("id", &record, PM_FORMAT_JSON, NULL), 0, &error);
            if (parsed == NULL)
                fail_msg("bytes %02X %02X: %s", first, second, error.text);
            json_decref(parsed);
        }
    }
}

static void hashes(void **state)
{
    static const char names[] = "line,legal,id,fen,verdict";
    struct pm_record record = record_of(&all_facts);
    struct pm_facts facts = all_facts;
    uint64_t tsv, json, csv, other;
    (void)state;
    written(names, &record, PM_FORMAT_TSV, &tsv);
    written(names, &record, PM_FORMAT_JSON, &json);
    written(names, &record, PM_FORMAT_CSV, &csv);
    assert_true(tsv == json && tsv == csv);
    written("line,id,legal,fen,verdict", &record, PM_FORMAT_TSV, &other);
    assert_true(tsv != other);
    record.id = "mate in 4";
    written(names, &record, PM_FORMAT_TSV, &other);
    assert_true(tsv != other);
    record = record_of(&facts);
    facts.legal++;
    written(names, &record, PM_FORMAT_TSV, &other);
    assert_true(tsv != other);
    /* Texts that run into one another are different rows. */
    record.file = "ab";
    record.id = "c";
    written("file,id", &record, PM_FORMAT_TSV, &tsv);
    record.file = "a";
    record.id = "bc";
    written("file,id", &record, PM_FORMAT_TSV, &other);
    assert_true(tsv != other);
    record.file = "ab";
    record.id = "";
    written("file,id", &record, PM_FORMAT_TSV, &tsv);
    record.file = "";
    record.id = "ab";
    written("file,id", &record, PM_FORMAT_TSV, &other);
    assert_true(tsv != other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),    cmocka_unit_test(ends_of_games),     cmocka_unit_test(lists),
        cmocka_unit_test(bad_lists), cmocka_unit_test(formats),           cmocka_unit_test(texts),
        cmocka_unit_test(hashes),    cmocka_unit_test(json_of_any_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
