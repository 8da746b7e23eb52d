/* SPDX-License-Identifier: MIT */
#include "core/move.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    B1 = 1,
    A1 = 0,
    C1 = 2,
    E1 = 4,
    F1 = 5,
    G1 = 6,
    H1 = 7,
    E2 = 12,
    E4 = 28,
    A7 = 48,
    B8 = 57,
    A8 = 56,
    E8 = 60,
    H8 = 63
};

static void texts(void **state)
{
    static const struct {
        struct pm_move move;
        const char *target, *takes_rook;
    } rows[] = {
        {{E2, E4, 0, PM_MOVE_DOUBLE_PUSH}, "e2e4", "e2e4"},
        {{A7, B8, PM_QUEEN, PM_MOVE_CAPTURE}, "a7b8q", "a7b8q"},
        {{A7, A8, PM_ROOK, PM_MOVE_QUIET}, "a7a8r", "a7a8r"},
        {{A7, A8, PM_BISHOP, PM_MOVE_QUIET}, "a7a8b", "a7a8b"},
        {{A7, A8, PM_KNIGHT, PM_MOVE_QUIET}, "a7a8n", "a7a8n"},
        {{E1, H1, 0, PM_MOVE_CASTLING}, "e1g1", "e1h1"},
        {{E1, A1, 0, PM_MOVE_CASTLING}, "e1c1", "e1a1"},
        {{E8, H8, 0, PM_MOVE_CASTLING}, "e8g8", "e8h8"},
        {{E8, A8, 0, PM_MOVE_CASTLING}, "e8c8", "e8a8"},
        {{G1, H1, 0, PM_MOVE_CASTLING}, "g1g1", "g1h1"}, /* the king stays */
        {{B1, A1, 0, PM_MOVE_CASTLING}, "b1c1", "b1a1"}, /* the king moves away from the rook */
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[PM_MOVE_TEXT_SIZE];
        assert_string_equal(pm_move_to_text(&rows[i].move, PM_CASTLING_KING_TARGET, text),
                            rows[i].target);
        assert_string_equal(pm_move_to_text(&rows[i].move, PM_CASTLING_TAKES_ROOK, text),
                            rows[i].takes_rook);
        assert_int_equal(pm_move_find(&rows[i].move, 1, rows[i].target), 0);
        assert_int_equal(pm_move_find(&rows[i].move, 1, rows[i].takes_rook), 0);
    }
}

static void finding(void **state)
{
    static const struct pm_move moves[] = {
        {F1, H1, 0, PM_MOVE_CASTLING},     {F1, G1, 0, PM_MOVE_QUIET},
        {A7, A8, PM_QUEEN, PM_MOVE_QUIET}, {A7, A8, PM_KNIGHT, PM_MOVE_QUIET},
        {B1, A1, 0, PM_MOVE_CASTLING},     {B1, C1, 0, PM_MOVE_CASTLING},
    };
    static const struct {
        const char *text;
        int index;
    } rows[] = {
        {"f1g1", 1}, /* the king's step, not the castling that ends there */
        {"f1h1", 0},
        {"a7a8q", 2},
        {"a7a8Q", 2},
        {"a7a8N", 3},
        {"a7a8", -1},
        {"a7a8r", -1},
        {"b1a1", 4},
        {"b1g1", 5},
        {"b1c1", 5}, /* takes the rook on c1, not the target of the other castling */
        {"", -1},
        {"f1", -1},
        {"F1G1", -1},
        {"f1g1 ", -1},
        {"f1g1q", -1},
        {"a7a8qq", -1},
        {"\xFF\xFF\xFF\xFF\xFF", -1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const int index = pm_move_find(moves, LENGTH(moves), rows[i].text);
        if (index != rows[i].index)
            fail_msg("\"%s\": found %d, expected %d", rows[i].text, index, rows[i].index);
    }
    assert_int_equal(pm_move_find(moves, 0, "f1g1"), -1);
}

static void sorting(void **state)
{
    static const char *const sorted[] = {"c1a1", "e2e4", "a7a8n", "a7a8q", "a7b8r"};
    struct pm_move moves[] = {
        {A7, B8, PM_ROOK, PM_MOVE_CAPTURE}, {A7, A8, PM_QUEEN, PM_MOVE_QUIET},
        {E2, E4, 0, PM_MOVE_DOUBLE_PUSH},   {A7, A8, PM_KNIGHT, PM_MOVE_QUIET},
        {C1, A1, 0, PM_MOVE_QUIET},
    };
    (void)state;
    qsort(moves, LENGTH(moves), sizeof moves[0], pm_move_compare);
    for (size_t i = 0; i < LENGTH(moves); i++) {
        char text[PM_MOVE_TEXT_SIZE];
        assert_string_equal(pm_move_to_text(&moves[i], PM_CASTLING_TAKES_ROOK, text), sorted[i]);
    }
    assert_int_equal(pm_move_compare(&moves[0], &moves[0]), 0);
}

static void squares(void **state)
{
    char text[3];
    (void)state;
    assert_string_equal(pm_square_to_text(A1, text), "a1");
    assert_string_equal(pm_square_to_text(E4, text), "e4");
    assert_string_equal(pm_square_to_text(H8, text), "h8");
    assert_string_equal(pm_square_to_text(PM_NO_SQUARE, text), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(finding),
        cmocka_unit_test(sorting),
        cmocka_unit_test(squares),
    };
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
