/* SPDX-License-Identifier: MIT */
#include "core/file.h"
#include "verify/verify.h"

#include <libxml/xmlwriter.h>
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

static void write_failure(struct writer *writer, const struct pm_verify_failure *failure)
{
    check(writer, xmlTextWriterWriteFormatString(writer->xml, "line %u%s%s\nFEN %s\n",
                                                 failure->line, failure->id[0] != '\0' ? ", " : "",
                                                 failure->id, failure->fen));
    if (failure->path[0] != '\0')
        check(writer, xmlTextWriterWriteFormatString(writer->xml, "path %s\nnode %s\n",
                                                     failure->path, failure->node));
    check(writer, xmlTextWriterWriteFormatString(writer->xml, "%s\n\n", failure->text));
}

static void write_failures(struct writer *writer, const struct pm_verify_case *result)
{
    start(writer, "failure");
    check(writer, xmlTextWriterWriteFormatAttribute(
                      writer->xml, xml("message"), "%llu of %llu rows wrong",
                      (unsigned long long)result->wrong, (unsigned long long)result->rows));
    text_attribute(writer, "type", "mismatch");
    for (size_t i = 0; i < result->failure_count; i++)
        write_failure(writer, &result->failures[i]);
    end(writer);
}

static void write_skipped(struct writer *writer, const struct pm_verify_case *result)
{
    start(writer, "skipped");
    text_attribute(writer, "message",
                   result->skipped != NULL ? result->skipped : "no row could run");
    end(writer);
}

static void write_summary(struct writer *writer, const struct pm_verify_case *result)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    check(writer,
          xmlTextWriterWriteFormatElement(
              writer->xml, xml("system-out"),
              "positions %llu of %llu, rows %llu of %llu, nodes %s, rows over the limit of %llu "
              "nodes %llu, unsupported %llu, stopped %llu",
              (unsigned long long)result->positions, (unsigned long long)result->positions_total,
              (unsigned long long)result->rows, (unsigned long long)result->rows_total,
              pm_count_to_text(result->nodes, nodes), (unsigned long long)result->limit,
              (unsigned long long)result->rows_over_limit,
              (unsigned long long)result->rows_unsupported,
              (unsigned long long)result->rows_stopped));
}

static void write_case(struct writer *writer, const struct pm_verify_case *result)
{
    start(writer, "testcase");
    check(writer, xmlTextWriterWriteFormatAttribute(writer->xml, xml("classname"), "plymark.%s.%s",
                                                    result->suite, result->kernel));
    check(writer, xmlTextWriterWriteFormatAttribute(writer->xml, xml("name"), "%s %s",
                                                    result->kernel, pm_check_text(result->check)));
    time_attribute(writer, result->seconds);
    if (result->wrong > 0)
        write_failures(writer, result);
    else if (result->rows == 0)
        write_skipped(writer, result);
    write_summary(writer, result);
    end(writer);
}

struct tally {
    uint64_t tests, failures, skipped;
    double seconds;
};

/* Over the cases of one suite, or of all if suite is NULL. */
static struct tally count_cases(const struct pm_verify_report *report, const char *suite)
{
    struct tally tally = {0};
    for (size_t i = 0; i < report->case_count; i++) {
        const struct pm_verify_case *result = &report->cases[i];
        if (suite != NULL && strcmp(suite, result->suite) != 0)
            continue;
        tally.tests++;
        tally.failures += result->wrong > 0;
        tally.skipped += result->wrong == 0 && result->rows == 0;
        tally.seconds += result->seconds;
    }
    return tally;
}

static void write_tally(struct writer *writer, const char *name, const struct tally *tally)
{
    text_attribute(writer, "name", name);
    number_attribute(writer, "tests", tally->tests);
    number_attribute(writer, "failures", tally->failures);
    number_attribute(writer, "errors", 0);
    number_attribute(writer, "skipped", tally->skipped);
    time_attribute(writer, tally->seconds);
}

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
    const struct tally tally = count_cases(report, suite);
    start(writer, "testsuite");
    write_tally(writer, suite, &tally);
    for (size_t i = 0; i < report->case_count; i++)
        if (strcmp(report->cases[i].suite, suite) == 0)
            write_case(writer, &report->cases[i]);
    end(writer);
}

static void write_document(struct writer *writer, const struct pm_verify_report *report)
{
    const struct tally all = count_cases(report, NULL);
    check(writer, xmlTextWriterSetIndent(writer->xml, 1));
    check(writer, xmlTextWriterStartDocument(writer->xml, NULL, "UTF-8", NULL));
    start(writer, "testsuites");
    write_tally(writer, "plymark verify", &all);
    for (size_t i = 0; i < report->case_count; i++)
        if (is_first_of_suite(report, i))
            write_suite(writer, report, report->cases[i].suite);
    end(writer);
    check(writer, xmlTextWriterEndDocument(writer->xml));
    check(writer, xmlTextWriterFlush(writer->xml));
}

/* Fills buffer with the document. */
static bool write_buffer(const struct pm_verify_report *report, xmlBuffer *buffer)
{
    struct writer writer = {.xml = xmlNewTextWriterMemory(buffer, 0)};
    if (writer.xml == NULL)
        return false;
    write_document(&writer, report);
    xmlFreeTextWriter(writer.xml);
    return !writer.failed;
}

enum pm_status pm_verify_write_junit(const struct pm_verify_report *report, const char *path,
                                     struct pm_error *error)
{
    xmlBuffer *buffer = xmlBufferCreate();
    enum pm_status status = PM_ERROR_MEMORY;
    if (buffer != NULL && write_buffer(report, buffer))
        status = pm_file_write(path, (const char *)xmlBufferContent(buffer),
                               (size_t)xmlBufferLength(buffer), error);
    else
        pm_fail(error, status, "out of memory for the JUnit file");
    if (buffer != NULL)
        xmlBufferFree(buffer);
    return status;
}
