/* SPDX-License-Identifier: MIT */
/* The report of one position: why and why not, moves by kind, and the names in its JSON. */
#include "analyze/position_report.h"
#include "core/bits.h"
#include "tests/unit/view_at.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".epd"

static struct pm_view view;
static struct pm_position_report report;

static void report_at(const char *fen)
{
    view_at(&view, fen);
    report = (struct pm_position_report){.view = &view};
    pm_position_report_make(&report);
}

static char *text_of_report(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    pm_position_report_write_text(&report, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static json_t *json_of_report(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(pm_position_report_write_json(&report, file, NULL), PM_OK);
    assert_int_equal(fclose(file), 0);
    json_t *json = json_loadb(text, size, 0, NULL);
    free(text);
    assert_non_null(json);
    return json;
}

/* What a reader has to find, line by line. */
static void texts(void **state)
{
    static const struct {
        const char *fen, *lines[5];
    } rows[] = {
        {"r3k2r/8/8/4b3/8/8/8/R3K2R w KQq - 120 90",
         {"\nTo move     White\n", "a draw may be claimed\n", "\nCastling    White O-O   legal\n",
          " Black O-O   impossible: the king or that rook has moved or was taken\n",
          " Black O-O-O impossible: the other side is to move\n"}},
        {"4k3/8/8/8/8/8/5q2/R3K2R w KQ - 0 1",
         {"\nCheck       by the queen on f2\n", "\nAnswers     the king moves: Kd1\n",
          " the checker is taken: Kxf2\n", " a piece comes between: no\n",
          "White O-O   impossible: the king is in check;\n                                    the "
          "king would "}},
        {"4k3/8/3N4/8/8/8/4R3/4K3 b - - 0 1",
         {"\nCheck       by the rook on e2\n            by the knight on d6\n",
          "the king moves: Kd7 Kd8 Kf8\n", "the checker is taken: no\n"}},
        {"8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1",
         {"\nEn passant  on d6 by the pawn on e5: illegal, the queen on h5 would attack the king\n",
          "\nHanging     White's pawn on e5: Black would win 1.00\n"}},
        {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
         {"\nEn passant  on d6 by the pawn on c5: legal\n            on d6 by the pawn on e5: "
          "legal\n",
          "\nen passant  cxd6    c5d6   +1.00  exd6    e5d6   +1.00\n"}},
        {"4k3/8/8/3pP3/8/8/8/K3r3 w - d6 0 1",
         {"\nEn passant  on d6 by the pawn on e5: illegal, the rook on e1 would attack the "
          "king\n"}},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
         {"\nEn passant  on e3, but no pawn of Black stands beside the one that passed\n",
          "\nMoves       20 legal; 0 give check, 0 mate, 0 stalemate\n",
          "balance +0 for White, phase 24 of 24\n"}},
        {"4r1k1/8/8/8/1b6/2N5/4B3/4K3 w - - 0 1",
         {"\nPinned      bishop on e2, by the rook on e8\n"
          "            knight on c3, by the bishop on b4\n"}},
        {"4r1k1/8/8/8/8/8/4B3/r3K3 w - - 0 1",
         {"\nCheck       by the rook on a1\n", "\nPinned      bishop on e2, by the rook on e8\n"}},
        {"6k1/P7/8/8/8/8/8/K7 w - - 0 1",
         {"\npromotion   a8=Q+   a7a8q  +8.00", "White   1: king, 1 pawn\n"}},
        {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", {"\nVerdict     checkmate: ", "\nMoves       0 legal"}},
        {"8/8/4k3/8/8/4K3/8/8 w - - 0 1", {"\nVerdict     insufficient material: "}},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        report_at(rows[i].fen);
        char *text = text_of_report();
        for (int line = 0; line < 5 && rows[i].lines[line] != NULL; line++)
            if (strstr(text, rows[i].lines[line]) == NULL)
                fail_msg("%s: \"%s\" is not in\n%s", rows[i].fen, rows[i].lines[line], text);
        free(text);
    }
}

static json_t *find_move(json_t *json, const char *uci)
{
    json_t *moves = json_object_get(json, "moves");
    for (size_t i = 0; i < json_array_size(moves); i++) {
        json_t *move = json_array_get(moves, i);
        if (strcmp(json_string_value(json_object_get(move, "uci")), uci) == 0)
            return move;
    }
    fail_msg("%s is not among the moves", uci);
    return NULL;
}

static long number(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    assert_true(json_is_integer(value));
    return (long)json_integer_value(value);
}

static const char *string(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

static void json_says_the_same(void **state)
{
    (void)state;
    report_at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    json_t *json = json_of_report();
    assert_string_equal(string(json, "side_to_move"), "white");
    assert_string_equal(string(json, "verdict"), "open");
    assert_int_equal(number(json, "phase"), 24);
    assert_int_equal(number(json, "best_exchange_centipawns"), 300);
    assert_int_equal(number(json_object_get(json, "counts"), "legal"), 48);
    assert_int_equal(number(json_object_get(json, "counts"), "captures"), 8);
    assert_int_equal(number(json_object_get(json, "white"), "mobility"), 36);
    assert_int_equal(json_array_size(json_object_get(json_object_get(json, "white"), "attacked")),
                     pm_popcount(report.facts.attacked[PM_WHITE]));
    json_t *hanging = json_object_get(json_object_get(json, "black"), "hanging");
    assert_int_equal(json_array_size(hanging), 2);
    assert_string_equal(string(json_array_get(hanging, 1), "square"), "a6");
    assert_string_equal(string(json_array_get(hanging, 1), "piece"), "bishop");
    assert_int_equal(number(json_array_get(hanging, 1), "exchange_centipawns"), 300);
    json_t *move = find_move(json, "e2a6");
    assert_string_equal(string(move, "san"), "Bxa6");
    assert_string_equal(string(move, "group"), "capture");
    assert_int_equal(number(move, "exchange_centipawns"), 300);
    assert_string_equal(string(find_move(json, "e1g1"), "group"), "castling");
    json_t *castling = json_array_get(json_object_get(json, "castling"), 2);
    assert_string_equal(string(castling, "color"), "black");
    assert_true(json_is_false(json_object_get(castling, "legal")));
    assert_true(json_is_null(json_object_get(json, "en_passant")));
    assert_true(json_is_null(json_object_get(json, "last_move")));
    json_decref(json);
}

static void json_of_a_check(void **state)
{
    (void)state;
    report_at("4k3/8/8/8/8/8/5q2/R3K2R w KQ - 0 1");
    json_t *json = json_of_report();
    json_t *checker = json_array_get(json_object_get(json, "checkers"), 0);
    assert_string_equal(string(checker, "square"), "f2");
    assert_string_equal(string(checker, "piece"), "queen");
    assert_string_equal(string(find_move(json, "e1f2"), "answers_check_by"), "capture");
    assert_string_equal(string(find_move(json, "e1d1"), "answers_check_by"), "king");
    json_decref(json);

    report_at("8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1");
    json = json_of_report();
    json_t *en_passant = json_object_get(json, "en_passant");
    assert_string_equal(string(en_passant, "square"), "d6");
    assert_true(json_is_false(json_object_get(en_passant, "legal")));
    json_t *pawn = json_array_get(json_object_get(en_passant, "pawns"), 0);
    assert_string_equal(string(json_object_get(pawn, "king_attacked_by"), "square"), "h5");
    json_decref(json);
}

/* Over suites: a pawn's en passant capture is explained as legal just when the kernel has it, the
 * groups hold every move once, and a castling without obstacle is a move. */
static void check_position(struct pm_view *at, void *context)
{
    unsigned en_passant = 0, castlings = 0, pawns = 0, free_castlings = 0;
    size_t *positions = context;
    report = (struct pm_position_report){.view = at};
    pm_position_report_make(&report);
    assert_int_equal(report.move_count, at->move_count);
    for (unsigned i = 0; i < report.move_count; i++) {
        en_passant += report.moves[i].group == PM_GROUP_EN_PASSANT;
        castlings += report.moves[i].group == PM_GROUP_CASTLING;
        assert_int_equal(report.moves[i].evasion != PM_EVASION_NONE, at->attacks.checkers != 0);
    }
    for (unsigned i = 0; i < report.en_passant_count; i++)
        pawns += report.en_passant[i].enemy == PM_NO_SQUARE;
    for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
        free_castlings += report.castling[at->position.side_to_move][side] == 0;
    assert_int_equal(en_passant, pawns);
    assert_int_equal(castlings, free_castlings);
    assert_int_equal(report.pin_count, pm_popcount(at->attacks.pinned));
    ++*positions;
}

static void suites(void **state)
{
    static const char *const paths[] = {SUITE("aimed"),        SUITE("bugs"),
                                        SUITE("standard"),     SUITE("tricky"),
                                        SUITE("generated960"), SUITE("unreachable")};
    size_t positions = 0;
    (void)state;
    for (size_t i = 0; i < LENGTH(paths); i++)
        view_visit_suite(&view, paths[i], false, check_position, &positions);
    assert_true(positions > 300);
}

static int open_view(void **state)
{
    (void)state;
    view_open(&view, "reference");
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    pm_view_close(&view);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(json_of_a_check),
        cmocka_unit_test(suites),
    };
    return cmocka_run_group_tests(tests, open_view, close_view);
}
