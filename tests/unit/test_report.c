/* SPDX-License-Identifier: MIT */
/* The writers, read back by the libraries' own parsers. */
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

static char suite_a[] = "a & <b>";
static char suite_b[] = "b";
static char empty[] = "";
static char fen[] = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
static char text[] = "missing: e1g1 & <\"more\">";
static char path[] = "e1f1 e8d8";

static struct pm_verify_failure failure = {
    .line = 3, .depth = 2, .id = empty, .fen = fen, .path = path, .node = fen, .text = text};

static struct pm_verify_case cases[] = {
    {.suite = suite_a,
     .kernel = "x",
     .check = PM_CHECK_MAKE,
     .rows = 7,
     .rows_total = 9,
     .rows_over_limit = 2,
     .nodes = 123,
     .seconds = 0.5},
    {.suite = suite_a,
     .kernel = "x",
     .check = PM_CHECK_MOVES,
     .rows = 2,
     .wrong = 1,
     .failures = &failure,
     .failure_count = 1},
    {.suite = suite_b, .kernel = "y", .check = PM_CHECK_BULK, .skipped = "no CPU"},
};

static struct pm_verify_report new_report(void)
{
    struct pm_verify_report report = {
        .cases = cases, .case_count = 3, .threads = 1, .rows = 9, .wrong = 1};
    report.nodes = (pm_count)UINT64_MAX * 3; /* no JSON integer holds it */
    return report;
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
    const struct pm_verify_report report = new_report();
    const char *file = "test_report.xml";
    struct pm_error error = {0};
    (void)state;
    assert_int_equal(pm_verify_write_junit(&report, file, &error), PM_OK);
    xmlDoc *document = xmlReadFile(file, NULL, 0);
    assert_non_null(document);
    xmlXPathContext *context = xmlXPathNewContext(document);
    expect_xpath(context, "count(/testsuites/testsuite) = 2");
    expect_xpath(context, "/testsuites/@tests = 3 and /testsuites/@failures = 1");
    expect_xpath(context, "/testsuites/testsuite[1]/@name = 'a & <b>'");
    expect_xpath(context, "count(/testsuites/testsuite[1]/testcase) = 2");
    expect_xpath(context, "//testcase[@name = 'x make']/@time = '0.500'");
    expect_xpath(context,
                 "contains(//testcase[@name = 'x make']/system-out, 'limit of 0 nodes 2')");
    expect_xpath(context, "contains(//testcase[@name = 'x moves']/failure, '& <\"more\">')");
    expect_xpath(context, "contains(//testcase[@name = 'x moves']/failure, 'path e1f1 e8d8')");
    expect_xpath(context, "//testcase[@name = 'y bulk']/skipped/@message = 'no CPU'");
    xmlXPathFreeContext(context);
    xmlFreeDoc(document);
    unlink(file);
    xmlCleanupParser();
}

static void junit_fails_whole(void **state)
{
    const struct pm_verify_report report = new_report();
    struct pm_error error = {0};
    struct stat info;
    (void)state;
    assert_int_equal(pm_verify_write_junit(&report, "no-such-folder/x.xml", &error), PM_ERROR_IO);
    assert_non_null(strstr(error.text, "no-such-folder/x.xml"));
    assert_int_not_equal(stat("no-such-folder", &info), 0);
}

static void json_can_be_read_back(void **state)
{
    const struct pm_verify_report report = new_report();
    char *buffer = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&buffer, &size);
    (void)state;
    assert_non_null(file);
    assert_int_equal(pm_verify_write_json(&report, file, NULL), PM_OK);
    fclose(file);
    json_t *json = json_loadb(buffer, size, 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "result")), "fail");
    assert_string_equal(json_string_value(json_object_get(json, "nodes")), "55340232221128654845");
    json_t *list = json_object_get(json, "cases");
    assert_int_equal(json_array_size(list), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "nodes")), 123);
    json_t *failures = json_object_get(json_array_get(list, 1), "failures");
    assert_string_equal(json_string_value(json_object_get(json_array_get(failures, 0), "path")),
                        path);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "skipped")),
                        "no CPU");
    json_decref(json);
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_can_be_read_back),
        cmocka_unit_test(junit_fails_whole),
        cmocka_unit_test(json_can_be_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
