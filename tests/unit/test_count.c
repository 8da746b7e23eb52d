/* SPDX-License-Identifier: MIT */
#include "core/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST (~(pm_count)0)
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void texts(void **state)
{
    static const struct {
        pm_count count;
        const char *plain, *grouped;
    } rows[] = {
        {0, "0", "0"},
        {7, "7", "7"},
        {999, "999", "999"},
        {1000, "1000", "1,000"},
        {3195901860, "3195901860", "3,195,901,860"},
        {(pm_count)UINT64_MAX + 1, "18446744073709551616", "18,446,744,073,709,551,616"},
        {LARGEST, "340282366920938463463374607431768211455",
         "340,282,366,920,938,463,463,374,607,431,768,211,455"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[PM_COUNT_TEXT_SIZE];
        pm_count back = 1;
        assert_string_equal(pm_count_to_grouped_text(rows[i].count, text), rows[i].grouped);
        assert_string_equal(pm_count_to_text(rows[i].count, text), rows[i].plain);
        assert_true(pm_count_from_text(text, (unsigned)strlen(text), &back));
        assert_true(back == rows[i].count);
    }
}

static void refused_texts(void **state)
{
    static const char *const rows[] = {
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1,000",
        "0x10",
        "1e3",
        "\xB2",
        "340282366920938463463374607431768211456", /* 2^128 */
        "3402823669209384634633746074317682114550",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        pm_count count = 42;
        assert_false(pm_count_from_text(rows[i], (unsigned)strlen(rows[i]), &count));
        assert_true(count == 42);
    }
}

static void only_the_given_length_is_read(void **state)
{
    pm_count count = 0;
    (void)state;
    assert_true(pm_count_from_text("12345", 3, &count));
    assert_true(count == 123);
}

static void additions(void **state)
{
    pm_count total = UINT64_MAX;
    (void)state;
    assert_int_equal(pm_count_add(&total, 1), PM_OK);
    assert_true(total == (pm_count)1 << 64);
    total = LARGEST - 1;
    assert_int_equal(pm_count_add(&total, 1), PM_OK);
    assert_true(total == LARGEST);
    assert_int_equal(pm_count_add(&total, 1), PM_ERROR_OVERFLOW);
    assert_true(total == LARGEST);
}

static void doubles(void **state)
{
    (void)state;
    assert_true(pm_count_to_double(1000) == 1000.0);
    assert_true(pm_count_to_double((pm_count)1 << 100) == 0x1p100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(refused_texts),
        cmocka_unit_test(only_the_given_length_is_read),
        cmocka_unit_test(additions),
        cmocka_unit_test(doubles),
    };
    return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
