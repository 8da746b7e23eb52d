/* SPDX-License-Identifier: MIT */
/* Ways of printing a divide or a total: each is understood, or refused with the line that was not;
 * none is taken for a contradiction. */
#include "engines/divide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pm_divide divide;
static struct pm_error error;

struct way {
    const char *text;
    unsigned moves;      /* parts that are understood */
    uint64_t total;      /* UINT64_MAX: it is refused */
    const char *refusal; /* what the error has then */
};
#define REFUSED UINT64_MAX

static const struct way ways[] = {
    /* totals alone */
    {"Nodes searched: 400\n", 0, 400, NULL},
    {"400\n", 0, 400, NULL},
    {"400", 0, 400, NULL},
    {"400 nodes\n", 0, 400, NULL},
    {"400 leaf nodes in 3 ms\n", 0, 400, NULL},
    {"perft 2 400\n", 0, 400, NULL},
    {"perft(2) = 400\n", 0, 400, NULL},
    {"perft 1 = 20\nperft 2 = 400\n", 0, 400, NULL},
    {"Perft result: 400\n", 0, 400, NULL},
    {"total_nodes = 400\n", 0, 400, NULL},
    {"{\"depth\": 2, \"nodes\": 400, \"time\": 3}\n", 0, 400, NULL},
    {"info string nodes 400\n", 0, 400, NULL},
    {"\033[1mNodes searched:\033[0m 400\n", 0, 400, NULL},
    {"\033]0;title\aNodes: 4'865'609\n", 0, 4865609, NULL},
    {"Nodes: 4 865 609\n", 0, 4865609, NULL},
    {"Leaf node count: 4,865,609 (nps 12)\n", 0, 4865609, NULL},
    {"Sum: 4_865_609", 0, 4865609, NULL},
    /* divides */
    {"e2e4: 20\nd2d4: 20\n\nNodes searched: 40\n", 2, 40, NULL},
    {"e2e4: 20\r\nd2d4: 20\r\n\r\n40\r\n", 2, 40, NULL},
    {"e2e4 20\nd2d4 20", 2, 40, NULL},
    {"move e2e4 20\nmove d2d4 20\n", 2, 40, NULL},
    {"Move: e2e4 Nodes: 20\nMove: d2d4 Nodes: 20\nTotal: 40\n", 2, 40, NULL},
    {"info string e2e4: 20\ninfo string d2d4: 20\ninfo string total 40\n", 2, 40, NULL},
    {"\033[32me2e4\033[0m: 20\n\033[32md2d4\033[0m: 20\n\033[1mNodes:\033[0m 40\n", 2, 40, NULL},
    {" 1. e2e4 - 20\n 2. d2d4 - 20\n", 2, 40, NULL},
    {"1.e2e4: 20\n2.d2d4: 20\n", 2, 40, NULL},
    {"[ 1/20] e2e4 20\n[ 2/20] d2d4 20\n", 2, 40, NULL},
    {"1 e2e4 20\n2 d2d4 20\n", 2, 40, NULL},
    {"| e2e4 | 20 |\n| d2d4 | 20 |\n", 2, 40, NULL},
    {"e2-e4: 20\nd2-d4: 20\n", 2, 40, NULL},
    {"E2E4 -> 20\nD2D4 -> 20\n", 2, 40, NULL},
    {"e2e4-20\nd2d4-20\n", 2, 40, NULL},
    {"\"e2e4\": 20,\n\"d2d4\": 20,\n", 2, 40, NULL},
    {"a7a8=Q 20 nodes\na7a8=N 1,020 nodes\n", 2, 1040, NULL},
    {"e2e4 = 1 020\nd2d4 = 20\nTotal = 1 040\n", 2, 1040, NULL},
    {"e2e4 20 400\nd2d4 20 400\n\n40 800 nps\n", 2, 40, NULL},
    {"e2e4\t20\t50.0%\nd2d4\t20\t50.0%\n", 2, 40, NULL},
    {"Depth 2\n8 | r n b q k b n r |\n  a b c d e f g h\ne2e4: 20\nNodes: 20 nps 5000\n", 1, 20,
     NULL},
    {"e2e4: 20\nTotal time (ms): 7\nNodes/second: 400\n", 1, 20, NULL},
    {"\n0\n", 0, 0, NULL},
    {"e2e4: 20\ne2e4: 20\n", 2, 40, NULL}, /* a bug, but no garbage */
    /* refused, and not passed over */
    {"", 0, REFUSED, "it printed nothing"},
    {"\n\n", 0, REFUSED, "it printed nothing"},
    {"Unknown command: go perft 2\n", 0, REFUSED,
     "the first line was \"Unknown command: go perft 2\""},
    {"hello\nworld\n", 0, REFUSED, "no divide line was understood; the first line was \"hello\""},
    {"e2e4: 20\nz9z9: 5\n", 1, REFUSED, "a whole number: \"z9z9: 5\""},
    {"e2e9: 5\n", 0, REFUSED, "\"e2e9: 5\""},
    {"e2e4x: 5\n", 0, REFUSED, "\"e2e4x: 5\""},
    {"e2e4: -5\n", 0, REFUSED, "a negative count: \"e2e4: -5\""},
    {"e2e4 -5\n", 0, REFUSED, "a negative count: \"e2e4 -5\""},
    {"Nodes searched: -5\n", 0, REFUSED, "a negative count: \"Nodes searched: -5\""},
    {"Nf3: 20\nNc3: 20\n", 0, REFUSED,
     "not a move in UCI notation with a whole number: \"Nf3: 20\""},
    {"e4 20\n", 0, REFUSED, "\"e4 20\""},
    {"O-O: 20\n", 0, REFUSED, "\"O-O: 20\""},
    {"e2e4: 0.5\n", 0, REFUSED, "\"e2e4: 0.5\""},
    {"e2e4: 20k\n", 0, REFUSED, "\"e2e4: 20k\""},
    {"e2e4: 1.234\n", 0, REFUSED, "\"e2e4: 1.234\""},
    {"e2e4: 0x14\n", 0, REFUSED, "\"e2e4: 0x14\""},
    {"e2e4: many\n", 0, REFUSED, "\"e2e4: many\""},
    {"e2e4: 340282366920938463463374607431768211456\n", 0, REFUSED, "a count of over 128 bits"},
    {"e2e4: 340282366920938463463374607431768211455\nd2d4: 1\n", 2, REFUSED, "over 128 bits"},
};

static void every_way_is_understood_or_refused(void **state)
{
    (void)state;
    assert_true(sizeof ways / sizeof *ways >= 40);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];
        const bool is_refused = way->total == REFUSED;
        const enum pm_status status =
            pm_divide_read_text(way->text, strlen(way->text), &divide, &error);
        if (status == PM_ERROR_MISMATCH)
            fail_msg("\"%s\" is called a lie: %s", way->text, error.text);
        if ((status == PM_OK) == is_refused)
            fail_msg("\"%s\" gives %s (%u moves)", way->text, is_refused ? "ok" : error.text,
                     divide.count);
        if (divide.count != way->moves || (!is_refused && divide.total != way->total))
            fail_msg("\"%s\": %u moves, total %llu", way->text, divide.count,
                     (unsigned long long)divide.total);
        if (is_refused && strstr(error.text, way->refusal) == NULL)
            fail_msg("\"%s\" is refused by: %s", way->text, error.text);
    }
}

/* What is a contradiction stays one. */
static void contradictions_are_found(void **state)
{
    static const char text[] = "e2e4: 20\nd2d4: 20\n\nNodes searched: 41\n";
    (void)state;
    assert_int_equal(pm_divide_read_text(text, strlen(text), &divide, &error), PM_ERROR_MISMATCH);
    assert_string_equal(error.text, "its 2 parts add up to 40, its total is 41");
}

static void patterns_replace_it(void **state)
{
    static const struct {
        const char *line;
        enum pm_status status;
        enum pm_divide_line kind;
    } cases[] = {
        {"> 20 by e2e4", PM_OK, PM_DIVIDE_OTHER}, {"e2e4 => 20!", PM_OK, PM_DIVIDE_PART},
        {"e2e4: 20", PM_OK, PM_DIVIDE_OTHER},     {"Nf3 => 20!", PM_ERROR_PARSE, PM_DIVIDE_PART},
        {"all of 400!", PM_OK, PM_DIVIDE_TOTAL},
    };
    struct pm_divide_patterns patterns = {.has_part = true, .has_total = true};
    (void)state;
    assert_int_equal(regcomp(&patterns.part, "^([^ ]+) => ([0-9]+)!", REG_EXTENDED), 0);
    assert_int_equal(regcomp(&patterns.total, "^all of ([0-9]+)!", REG_EXTENDED), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_divide_reader reader;
        enum pm_divide_line kind;
        pm_divide_read_begin(&reader, &divide);
        reader.patterns = &patterns;
        const enum pm_status status =
            pm_divide_read_line(&reader, cases[i].line, strlen(cases[i].line), &kind, &error);
        if (status != cases[i].status || kind != cases[i].kind)
            fail_msg("\"%s\": %s, %d", cases[i].line, pm_status_text(status), (int)kind);
    }
    regfree(&patterns.part);
    regfree(&patterns.total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_is_understood_or_refused),
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(patterns_replace_it),
    };
    return cmocka_run_group_tests_name("divide", tests, NULL, NULL);
}
