/* SPDX-License-Identifier: MIT */
#include "core/nearest.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void slips_are_found_and_no_others(void **state)
{
    static const char *const known[] = {"perft", "verify", "version", "diff", "deep", "help"};
    static const struct {
        const char *word, *nearest;
    } rows[] = {
        {"verfy", "verify"},
        {"veryfi", "verify"},
        {"evrify", "verify"},
        {"prft", "perft"},
        {"verif", "verify"},
        {"hlep", "help"},
        {"vers", "version"},
        {"diffs", "diff"},
        {"turbo", ""},
        {"x", ""},
        {"", ""},
        {"castling", ""},
        {"deeeeeeeeeep", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char best[16] = "";
        unsigned distance = UINT_MAX;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            pm_nearest(rows[i].word, known[j], &distance, best, sizeof best);
        assert_string_equal(best, rows[i].nearest);
    }
}

static void long_words_are_nothing(void **state)
{
    char word[200], best[16] = "";
    unsigned distance = UINT_MAX;
    (void)state;
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    pm_nearest(word, "aaaa", &distance, best, sizeof best);
    pm_nearest("aaaa", word, &distance, best, sizeof best);
    assert_string_equal(best, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_found_and_no_others),
        cmocka_unit_test(long_words_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
