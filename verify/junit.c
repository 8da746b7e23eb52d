/* SPDX-License-Identifier: MIT */
/* JUnit XML in the dialect that Jenkins (xunit plug-in) and GitLab read. */
#include "verify/diagnose/explain.h"
#include "verify/writers.h"

#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>

/* libxml2's functions return a negative number when they fail: one is enough. */
struct writer {
    xmlTextWriter *xml;
    bool failed;
};

static const xmlChar *xml(const char *text)
{
    return (const xmlChar *)text;
}

static void check(struct writer *writer, int result)
{
    writer->failed = writer->failed || result < 0;
}

static void start(struct writer *writer, const char *element)
{
    check(writer, xmlTextWriterStartElement(writer->xml, xml(element)));
}

static void end(struct writer *writer)
{
    check(writer, xmlTextWriterEndElement(writer->xml));
}

static void text_attribute(struct writer *writer, const char *name, const char *value)
{
    check(writer, xmlTextWriterWriteAttribute(writer->xml, xml(name), xml(value)));
}

static void number_attribute(struct writer *writer, const char *name, uint64_t value)
{
    check(writer, xmlTextWriterWriteFormatAttribute(writer->xml, xml(name), "%llu",
                                                    (unsigned long long)value));
}

static void time_attribute(struct writer *writer, double seconds)
{
    check(writer, xmlTextWriterWriteFormatAttribute(writer->xml, xml("time"), "%.3f", seconds));
}

/* What writes text for a file, in an element or an attribute. */
typedef void (*text_source)(const void *context, FILE *file);

static void written_text(struct writer *writer, const char *attribute, text_source source,
                         const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        check(writer, -1);
        return;
    }
    source(context, file);
    if (fclose(file) != 0)
        check(writer, -1);
    else if (attribute != NULL)
        text_attribute(writer, attribute, text);
    else
        check(writer, xmlTextWriterWriteString(writer->xml, xml(text)));
    free(text);
}

/* One test case: a position of an outside program, or a whole case. */
struct test {
    const struct pm_verify_report *report;
    const struct pm_verify_case *result;
    const struct pm_verify_position *position; /* NULL: the whole case */
    enum pm_verify_verdict verdict;
    char reason[PM_VERIFY_REASON_SIZE];
};

static struct test new_test(const struct pm_verify_report *report,
                            const struct pm_verify_case *result,
                            const struct pm_verify_position *position)
{
    struct test test = {.report = report, .result = result, .position = position};
    test.verdict = position != NULL
                       ? pm_verify_position_verdict(report, result, position, test.reason)
                       : pm_verify_case_verdict(report, result, test.reason);
    return test;
}

static bool belongs(const struct test *test, const struct pm_verify_failure *failure)
{
    return test->position == NULL || pm_verify_is_failure_of(failure, test->position);
}

static void put_message(const void *context, FILE *file)
{
    const struct test *test = context;
    const struct pm_verify_case *result = test->result;
    size_t first = 0;
    while (first < result->failure_count &&
           (!belongs(test, &result->failures[first]) ||
            (test->verdict == PM_VERIFY_FAILED && result->failures[first].known)))
        first++;
    if (test->position == NULL)
        fprintf(file, "%llu of %llu rows wrong: ", (unsigned long long)result->wrong,
                (unsigned long long)result->rows);
    if (first < result->failure_count)
        pm_verify_write_headline(&result->failures[first], file);
}

static void put_failures(const void *context, FILE *file)
{
    const struct test *test = context;
    const struct pm_diff *last = NULL;
    for (size_t i = 0; i < test->result->failure_count; i++) {
        const struct pm_verify_failure *failure = &test->result->failures[i];
        if (!belongs(test, failure))
            continue;
        const bool in_full = failure->cause == NULL || failure->cause != last;
        fputc('\n', file);
        pm_verify_write_failure(test->result, failure, 0, in_full, file);
        last = failure->cause;
    }
}

static void put_summary(const void *context, FILE *file)
{
    const struct pm_verify_case *result = context;
    char nodes[PM_COUNT_TEXT_SIZE];
    fprintf(file,
            "positions %llu of %llu, rows %llu of %llu, nodes %s, rows over the limit of %llu "
            "nodes %llu, unsupported %llu, unreachable %llu, stopped %llu",
            (unsigned long long)result->positions, (unsigned long long)result->positions_total,
            (unsigned long long)result->rows, (unsigned long long)result->rows_total,
            pm_count_to_text(result->nodes, nodes), (unsigned long long)result->limit,
            (unsigned long long)result->rows_over_limit,
            (unsigned long long)result->rows_unsupported,
            (unsigned long long)result->rows_unreachable, (unsigned long long)result->rows_stopped);
}

static void write_verdict(struct writer *writer, const struct test *test)
{
    switch (test->verdict) {
    case PM_VERIFY_FAILED:
        start(writer, "failure");
        written_text(writer, "message", put_message, test);
        text_attribute(writer, "type", "mismatch");
        written_text(writer, NULL, put_failures, test);
        end(writer);
        break;
    case PM_VERIFY_KNOWN:
    case PM_VERIFY_SKIPPED:
        start(writer, "skipped");
        text_attribute(writer, "message", test->reason);
        if (test->verdict == PM_VERIFY_KNOWN)
            written_text(writer, NULL, put_failures, test);
        end(writer);
        break;
    case PM_VERIFY_PASSED:
    case PM_VERIFY_VERDICT_COUNT:
        break;
    }
}

/* Dots part packages in a class name: those of a program's path are none. */
static void put_class(const void *context, FILE *file)
{
    const struct pm_verify_case *result = context;
    const char *const parts[] = {result->suite, result->kernel};
    fputs("plymark", file);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fputc('.', file);
        for (const char *c = parts[i]; *c != '\0'; c++)
            fputc(*c == '.' ? '_' : *c, file);
    }
}

static void put_name(const void *context, FILE *file)
{
    const struct test *test = context;
    const char *check = pm_check_text(test->result->check);
    if (test->position != NULL)
        fprintf(file, "%s %s", check, test->position->name);
    else
        fprintf(file, "%s %s", test->result->kernel, check);
}

static void write_test(struct writer *writer, const struct test *test, double seconds)
{
    start(writer, "testcase");
    written_text(writer, "classname", put_class, test->result);
    written_text(writer, "name", put_name, test);
    time_attribute(writer, seconds);
    write_verdict(writer, test);
    if (test->position == NULL) {
        start(writer, "system-out");
        written_text(writer, NULL, put_summary, test->result);
        end(writer);
    }
    end(writer);
}

static void write_case(struct writer *writer, const struct pm_verify_report *report,
                       const struct pm_verify_case *result)
{
    if (result->tests == NULL) {
        const struct test test = new_test(report, result, NULL);
        write_test(writer, &test, result->seconds);
    }
    for (size_t i = 0; i < result->test_count; i++) {
        const struct test test = new_test(report, result, &result->tests[i]);
        write_test(writer, &test, result->tests[i].seconds);
    }
}

/* ---- Sums ---- */

struct tally {
    uint64_t tests, failures, errors, skipped;
    double seconds;
};

static void add_test(struct tally *tally, const struct test *test)
{
    tally->tests++;
    tally->failures += test->verdict == PM_VERIFY_FAILED;
    tally->skipped += test->verdict == PM_VERIFY_SKIPPED || test->verdict == PM_VERIFY_KNOWN;
}

static bool ended_early(const struct pm_verify_report *report)
{
    return report->end != PM_VERIFY_FINISHED && report->end != PM_VERIFY_FAIL_FAST;
}

/* Over the cases of one suite; or of all, and of the run itself, if suite is NULL. */
static struct tally count_tests(const struct pm_verify_report *report, const char *suite)
{
    struct tally tally = {0};
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        if (suite != NULL && strcmp(suite, result->suite) != 0)
            continue;
        const struct test whole = new_test(report, result, NULL);
        if (result->tests == NULL)
            add_test(&tally, &whole);
        for (size_t j = 0; j < result->test_count; j++) {
            const struct test test = new_test(report, result, &result->tests[j]);
            add_test(&tally, &test);
        }
        tally.seconds += result->seconds;
    }
    tally.tests += suite == NULL;
    tally.errors += suite == NULL && ended_early(report);
    return tally;
}

static void write_tally(struct writer *writer, const char *name, const struct tally *tally)
{
    text_attribute(writer, "name", name);
    number_attribute(writer, "tests", tally->tests);
    number_attribute(writer, "failures", tally->failures);
    number_attribute(writer, "errors", tally->errors);
    time_attribute(writer, tally->seconds);
}

/* ---- The document ---- */

static bool is_first_of_suite(const struct pm_verify_report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(report->cases[i].suite, report->cases[index].suite) == 0)
            return false;
    return true;
}

static void write_suite(struct writer *writer, const struct pm_verify_report *report,
                        const char *suite)
{
    const struct tally tally = count_tests(report, suite);
    start(writer, "testsuite");
    write_tally(writer, suite, &tally);
    number_attribute(writer, "skipped", tally.skipped);
    for (size_t i = 0; i < report->case_count; i++)
        if (strcmp(report->cases[i].suite, suite) == 0)
            write_case(writer, report, &report->cases[i]);
    end(writer);
}

static void put_common(const void *context, FILE *file)
{
    const struct pm_verify_report *report = context;
    for (size_t i = 0; i < report->explanation_count; i++)
        pm_explanations_write_text(&report->explanations[i], file);
    for (size_t i = 0; report->known != NULL && i < report->known->count; i++)
        if (!report->known->tests[i].failed)
            fprintf(file, "expected to fail, but %s: %s\n",
                    pm_verify_known_text(&report->known->tests[i]), report->known->tests[i].id);
}

/* A suite of one test, the run itself: a run that did not end as it should is an error, whatever
 * its cases say. What failures have in common stands here, too. */
static void write_run(struct writer *writer, const struct pm_verify_report *report)
{
    const struct tally tally = {
        .tests = 1, .errors = ended_early(report), .seconds = report->seconds};
    start(writer, "testsuite");
    write_tally(writer, "run", &tally);
    number_attribute(writer, "skipped", 0);
    start(writer, "testcase");
    text_attribute(writer, "classname", "plymark.run");
    text_attribute(writer, "name", "runs to its end");
    time_attribute(writer, report->seconds);
    if (ended_early(report)) {
        start(writer, "error");
        text_attribute(writer, "message",
                       report->end == PM_VERIFY_BROKE_OFF ? report->error
                                                          : pm_verify_end_text(report->end));
        text_attribute(writer, "type", pm_verify_end_text(report->end));
        end(writer);
    }
    end(writer);
    start(writer, "system-out");
    written_text(writer, NULL, put_common, report);
    end(writer);
    end(writer);
}

static void write_document(struct writer *writer, const struct pm_verify_report *report)
{
    const struct tally all = count_tests(report, NULL);
    check(writer, xmlTextWriterSetIndent(writer->xml, 1));
    check(writer, xmlTextWriterStartDocument(writer->xml, NULL, "UTF-8", NULL));
    start(writer, "testsuites");
    write_tally(writer, "plymark verify", &all);
    for (size_t i = 0; i < report->case_count; i++)
        if (is_first_of_suite(report, i))
            write_suite(writer, report, report->cases[i].suite);
    write_run(writer, report);
    end(writer);
    check(writer, xmlTextWriterEndDocument(writer->xml));
    check(writer, xmlTextWriterFlush(writer->xml));
}

bool pm_verify_write_junit(const struct pm_verify_report *report, FILE *file)
{
    xmlBuffer *buffer = xmlBufferCreate();
    struct writer writer = {.xml = buffer != NULL ? xmlNewTextWriterMemory(buffer, 0) : NULL,
                            .failed = true};
    if (writer.xml != NULL) {
        writer.failed = false;
        write_document(&writer, report);
        xmlFreeTextWriter(writer.xml);
    }
    const size_t size = buffer != NULL ? (size_t)xmlBufferLength(buffer) : 0;
    const bool is_written =
        !writer.failed && fwrite(xmlBufferContent(buffer), 1, size, file) == size;
    if (buffer != NULL)
        xmlBufferFree(buffer);
    return is_written;
}
