/* SPDX-License-Identifier: MIT */
/* The writers, read back by the libraries' own parsers; what each verdict becomes in each format.
 */
#include "tests/reports/reader.h"
#include "verify/diagnose/explain.h"
#include "verify/verify.h"

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char suite_a[] = "a & <b>#1\\";
static char suite_b[] = "b";
static char empty[] = "";
static char name[] = "knight & <\"castle\">";
static char fen[] = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
static char text[] = "missing: e1g1 & <\"more\">";
static char path[] = "e1f1 e8d8";

static struct pm_verify_failure failures[] = {{.line = 3,
                                               .depth = 2,
                                               .name = name,
                                               .id = empty,
                                               .fen = fen,
                                               .path = path,
                                               .node = fen,
                                               .text = text,
                                               .has_counts = true,
                                               .expected = 92,
                                               .counted = 93}};
static struct pm_verify_position positions[] = {
    {.line = 1, .name = "good", .right = 2},
    {.line = 3, .name = name, .right = 1, .wrong = 1},
    {.line = 4, .name = "deep", .over_limit = 2},
    {.line = 5, .name = "odd", .unsupported = 1},
    {.line = 6, .name = "never", .unreachable = true},
    {.line = 7, .name = "late", .stopped = 2},
    {.line = 8, .name = "half", .right = 1, .stopped = 1},
};

static struct pm_verify_case cases[] = {
    {.suite = suite_a,
     .kernel = "x",
     .lineage = "x",
     .check = PM_CHECK_MAKE,
     .has_run = true,
     .rows = 7,
     .rows_total = 9,
     .rows_over_limit = 2,
     .nodes = 123,
     .seconds = 0.5},
    {.suite = suite_a,
     .kernel = "x",
     .lineage = "x",
     .word = "a file.epd",
     .check = PM_CHECK_MOVES,
     .has_run = true,
     .rows = 2,
     .rows_total = 2,
     .wrong = 1,
     .failures = failures,
     .failure_count = 1},
    {.suite = suite_b,
     .kernel = "y",
     .check = PM_CHECK_BULK,
     .rows_total = 4,
     .rows_stopped = 4,
     .skipped = "no CPU"},
    {.suite = suite_b,
     .kernel = "x",
     .lineage = "x",
     .check = PM_CHECK_KEY,
     .rows_total = 4,
     .rows_stopped = 4},
    {.suite = suite_b,
     .kernel = "x",
     .lineage = "x",
     .check = PM_CHECK_ATTACKS,
     .has_run = true,
     .rows = 1,
     .rows_total = 4,
     .rows_stopped = 3},
    {.suite = suite_b,
     .kernel = "uci:./engine",
     .lineage = "uci:./engine",
     .check = PM_CHECK_OUTSIDE,
     .has_run = true,
     .rows = 5,
     .rows_total = 13,
     .rows_stopped = 3,
     .wrong = 1,
     .tests = positions,
     .test_count = 7,
     .failures = failures,
     .failure_count = 1},
};
enum { CASES = sizeof cases / sizeof *cases, POINTS = CASES - 1 + 7 };

static struct pm_verify_report new_report(enum pm_verify_end end)
{
    struct pm_verify_report report = {.cases = cases,
                                      .case_count = CASES,
                                      .end = end,
                                      .error = "out of \"memory\"",
                                      .threads = 1,
                                      .rows = 9,
                                      .wrong = 2};
    report.nodes = (pm_count)UINT64_MAX * 3; /* no JSON integer holds it */
    return report;
}

static void write_file(const struct pm_verify_report *report, enum pm_verify_format format,
                       const char *file)
{
    struct pm_error error = {0};
    if (pm_verify_write(report, format, file, &error) != PM_OK)
        fail_msg("%s", error.text);
}

static void expect_xpath(xmlXPathContext *context, const char *expression)
{
    xmlXPathObject *object = xmlXPathEvalExpression((const xmlChar *)expression, context);
    assert_non_null(object);
    if (!xmlXPathCastToBoolean(object))
        fail_msg("not so: %s", expression);
    xmlXPathFreeObject(object);
}

static void junit_can_be_read_back(void **state)
{
    static const char *const facts[] = {
        "count(/testsuites/testsuite) = 3",
        "/testsuites/@tests = 13 and /testsuites/@failures = 2 and /testsuites/@errors = 1",
        "/testsuites/testsuite[1]/@name = 'a & <b>#1\\'",
        "count(/testsuites/testsuite[1]/testcase) = 2",
        "//testcase[@name = 'x make']/@time = '0.500'",
        "contains(//testcase[@name = 'x make']/system-out, 'limit of 0 nodes 2')",
        "contains(//testcase[@name = 'x moves']/failure, '& <\"more\">')",
        "contains(//testcase[@name = 'x moves']/failure, 'path e1f1 e8d8')",
        "contains(//testcase[@name = 'x moves']/failure, 'expected 92, counted 93')",
        "contains(//testcase[@name = 'x moves']/failure, \"-s 'a file.epd'\")",
        "//testcase[@name = 'y bulk']/skipped/@message = 'no CPU'",
        "//testcase[@name = 'x key']/skipped/@message = 'not run: interrupted'",
        "contains(//testcase[@name = 'x attacks']/skipped/@message, 'after 1 of 4 rows')",
        "//testcase[@name = 'count good']/@classname = 'plymark.b.uci:_/engine'",
        "contains(//testcase[@name = 'count deep']/skipped/@message, 'limit')",
        "contains(//testcase[@name = 'count odd']/skipped/@message, 'unsupported')",
        "contains(//testcase[@name = 'count never']/skipped/@message, 'no game leads there')",
        "//testcase[@name = 'count late']/skipped/@message = 'not run: interrupted'",
        "contains(//testcase[@name = 'count half']/skipped/@message, 'to the end')",
        "//testsuite[@name = 'run']/testcase/error/@type = 'interrupted'",
    };
    const struct pm_verify_report report = new_report(PM_VERIFY_INTERRUPTED);
    const char *file = "test_report.xml";
    (void)state;
    write_file(&report, PM_VERIFY_JUNIT, file);
    xmlDoc *document = xmlReadFile(file, NULL, 0);
    assert_non_null(document);
    xmlXPathContext *context = xmlXPathNewContext(document);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        expect_xpath(context, facts[i]);
    xmlXPathFreeContext(context);
    xmlFreeDoc(document);
    unlink(file);
    xmlCleanupParser();
}

/* All formats, whatever the end is, hold the same tests and obey their own rules. */
static void formats_agree(void **state)
{
    static struct reading readings[PM_VERIFY_FORMAT_COUNT];
    static bool (*const readers[])(const char *,
                                   struct reading *) = {[PM_VERIFY_JSON] = read_json_report,
                                                        [PM_VERIFY_TAP] = read_tap_report,
                                                        [PM_VERIFY_JUNIT] = read_junit_report};
    const char *file = "test_report.any";
    (void)state;
    for (int end = 0; end < PM_VERIFY_END_COUNT; end++) {
        const struct pm_verify_report report = new_report((enum pm_verify_end)end);
        const bool is_error = end != PM_VERIFY_FINISHED && end != PM_VERIFY_FAIL_FAST;
        for (int format = 0; format < PM_VERIFY_FORMAT_COUNT; format++) {
            write_file(&report, (enum pm_verify_format)format, file);
            if (!readers[format](file, &readings[format]))
                fail_msg("end %d, format %d: %s", end, format, readings[format].fault);
            unlink(file);
            assert_int_equal(readings[format].tests, POINTS + (format == PM_VERIFY_JUNIT));
            assert_int_equal(readings[format].failed, 2);
            assert_int_equal(readings[format].skipped, 8);
            assert_non_null(strstr(readings[format].words, "e1g1"));
        }
        assert_string_equal(readings[PM_VERIFY_JSON].result, "fail");
        assert_string_equal(readings[PM_VERIFY_TAP].result,
                            end == PM_VERIFY_FINISHED ? "" : "bail");
        assert_int_equal(readings[PM_VERIFY_JUNIT].errors, is_error);
    }
}

static void results(void **state)
{
    static const struct {
        enum pm_verify_end end;
        uint64_t wrong;
        const char *text;
    } rows[] = {
        {PM_VERIFY_FINISHED, 0, "pass"},           {PM_VERIFY_FINISHED, 1, "fail"},
        {PM_VERIFY_INTERRUPTED, 0, "interrupted"}, {PM_VERIFY_INTERRUPTED, 1, "fail"},
        {PM_VERIFY_NOT_ENDED, 0, "interrupted"},   {PM_VERIFY_BROKE_OFF, 0, "error"},
        {PM_VERIFY_FAIL_FAST, 1, "fail"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_verify_report report = new_report(rows[i].end);
        report.wrong = rows[i].wrong;
        assert_string_equal(pm_verify_result_text(&report), rows[i].text);
    }
    struct pm_verify_report nothing = {.end = PM_VERIFY_FINISHED};
    assert_string_equal(pm_verify_result_text(&nothing), "nothing");
}

static void files_are_whole_or_not_there(void **state)
{
    const struct pm_verify_report report = new_report(PM_VERIFY_FINISHED);
    struct pm_error error = {0};
    struct stat info;
    (void)state;
    for (int format = 0; format < PM_VERIFY_FORMAT_COUNT; format++) {
        assert_int_equal(
            pm_verify_write(&report, (enum pm_verify_format)format, "no-such-folder/x.xml", &error),
            PM_ERROR_IO);
        assert_non_null(strstr(error.text, "no-such-folder/x.xml"));
        assert_int_not_equal(stat("no-such-folder", &info), 0);
    }
}

static void json_can_be_read_back(void **state)
{
    const struct pm_verify_report report = new_report(PM_VERIFY_FINISHED);
    char *buffer = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(pm_verify_format(&report, PM_VERIFY_JSON, &buffer, &size, NULL), PM_OK);
    json_t *json = json_loadb(buffer, size, 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "nodes")), "55340232221128654845");
    json_t *list = json_object_get(json, "cases");
    assert_int_equal(json_array_size(list), CASES);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "nodes")), 123);
    const json_t *failure = json_array_get(json_object_get(json_array_get(list, 1), "failures"), 0);
    assert_string_equal(json_string_value(json_object_get(failure, "path")), path);
    assert_int_equal(json_integer_value(json_object_get(failure, "expected")), 92);
    assert_int_equal(json_integer_value(json_object_get(failure, "counted")), 93);
    assert_string_equal(json_string_value(json_object_get(failure, "test")),
                        "a & <b>#1\\/moves/knight & <\"castle\">");
    assert_string_equal(json_string_value(json_object_get(failure, "command")),
                        "plymark verify -k x --level moves -s 'a file.epd'");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "skipped")),
                        "no CPU");
    json_decref(json);
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_can_be_read_back),
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(results),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(json_can_be_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
