/* SPDX-License-Identifier: MIT */
#include "tests/reports/reader.h"

#include <ctype.h>
#include <jansson.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool fault(struct reading *reading, const char *format,
                                                        ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (reading->fault[0] == '\0')
        vsnprintf(reading->fault, sizeof reading->fault, format, arguments);
    va_end(arguments);
    return false;
}

static void add_words(struct reading *reading, const char *text)
{
    const size_t length = strlen(reading->words);
    snprintf(reading->words + length, sizeof reading->words - length, "%s\n", text);
}

/* ---- JSON ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void count_verdict(struct reading *reading, const json_t *test)
{
    const char *result = text_of(test, "result");
    reading->tests++;
    reading->passed += strcmp(result, "pass") == 0;
    reading->failed += strcmp(result, "fail") == 0;
    reading->skipped += strcmp(result, "skipped") == 0;
    reading->known += strcmp(result, "known") == 0;
    if (strcmp(result, "skipped") == 0 && text_of(test, "reason")[0] == '\0')
        fault(reading, "a skipped test without a reason");
}

static void read_failure(struct reading *reading, const json_t *failure)
{
    static const char *const needed[] = {"test", "fen", "text", "command"};
    const json_t *moves = json_object_get(json_object_get(failure, "cause"), "moves");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!json_is_string(json_object_get(failure, needed[i])))
            fault(reading, "a failure without \"%s\"", needed[i]);
    add_words(reading, text_of(failure, "text"));
    for (size_t i = 0; i < json_array_size(moves); i++) {
        const json_t *move = json_array_get(moves, i);
        char line[512];
        snprintf(line, sizeof line, "%s %s: %s: %s", text_of(move, "move"), text_of(move, "fault"),
                 text_of(move, "rule"), text_of(move, "reason"));
        add_words(reading, line);
    }
}

static void read_case(struct reading *reading, const json_t *result)
{
    const json_t *tests = json_object_get(result, "tests");
    const json_t *failures = json_object_get(result, "failures");
    if (tests == NULL)
        count_verdict(reading, result);
    for (size_t i = 0; i < json_array_size(tests); i++)
        count_verdict(reading, json_array_get(tests, i));
    for (size_t i = 0; i < json_array_size(failures); i++)
        read_failure(reading, json_array_get(failures, i));
    const json_int_t total = json_integer_value(json_object_get(result, "rows_total"));
    if (text_of(result, "skipped")[0] == '\0' && total == 0)
        fault(reading, "a case without planned rows");
}

bool read_json_report(const char *path, struct reading *reading)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const json_t *cases = json_object_get(root, "cases");
    *reading = (struct reading){0};
    if (root == NULL)
        return fault(reading, "line %d: %s", error.line, error.text);
    snprintf(reading->result, sizeof reading->result, "%s", text_of(root, "result"));
    for (size_t i = 0; i < json_array_size(cases); i++)
        read_case(reading, json_array_get(cases, i));
    const json_t *explanations = json_object_get(root, "explanations");
    for (size_t i = 0; i < json_array_size(explanations); i++) {
        const json_t *common = json_object_get(json_array_get(explanations, i), "common");
        for (size_t j = 0; j < json_array_size(common); j++)
            add_words(reading, text_of(json_array_get(common, j), "text"));
    }
    json_decref(root);
    return reading->fault[0] == '\0';
}

/* ---- TAP ---- */

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* The directive after an unescaped '#', or NULL. */
static const char *find_directive(const char *line)
{
    for (const char *c = line; *c != '\0'; c++) {
        if (*c == '\\' && c[1] != '\0')
            c++;
        else if (*c == '#')
            return c + 1 + strspn(c + 1, " ");
    }
    return NULL;
}

static void read_point(struct reading *reading, const char *line, unsigned number)
{
    const bool is_ok = begins(line, "ok ");
    const char *digits = line + (is_ok ? 3 : 7);
    const char *directive = find_directive(line);
    const bool is_skip = directive != NULL && begins(directive, "SKIP");
    const bool is_todo = directive != NULL && begins(directive, "TODO");
    if (strtoul(digits, NULL, 10) != number)
        fault(reading, "point %u is numbered otherwise: %.100s", number, line);
    if (is_skip && strlen(directive) < 6)
        fault(reading, "a skipped point without a reason");
    reading->tests++;
    reading->skipped += is_skip;
    reading->known += is_todo && !is_ok;
    reading->failed += !is_ok && !is_todo && !is_skip;
    reading->passed += is_ok && !is_skip;
}

bool read_tap_report(const char *path, struct reading *reading)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    unsigned plan = 0, number = 0;
    bool in_block = false;
    *reading = (struct reading){0};
    if (file == NULL)
        return fault(reading, "can't be opened");
    for (unsigned i = 0; getline(&line, &size, file) > 0; i++) {
        line[strcspn(line, "\n")] = '\0';
        if (i == 0 && strcmp(line, "TAP version 14") != 0)
            fault(reading, "no TAP 14");
        else if (begins(line, "1.."))
            plan = (unsigned)strtoul(line + 3, NULL, 10);
        else if (begins(line, "Bail out!"))
            snprintf(reading->result, sizeof reading->result, "bail");
        else if (strcmp(line, "  ---") == 0 || strcmp(line, "  ...") == 0)
            in_block = line[2] == '-';
        else if (in_block || begins(line, "#"))
            add_words(reading, line);
        else if (begins(line, "ok ") || begins(line, "not ok "))
            read_point(reading, line, ++number);
        else if (i > 0)
            fault(reading, "no TAP: %.100s", line);
    }
    if (plan != number)
        fault(reading, "%u points are planned, %u are there", plan, number);
    if (in_block)
        fault(reading, "a block without an end");
    free(line);
    fclose(file);
    return reading->fault[0] == '\0';
}

/* ---- JUnit ---- */

/* What Jenkins' schema says: the children and attributes an element may have, those it must have
 * ("!"), and whether it may hold text. Times are numbers with a point. */
static const struct rule {
    const char *element, *children, *attributes;
    bool text;
} rules[] = {
    {"testsuites", "testsuite", "name time tests failures errors", false},
    {"testsuite", "testsuite properties testcase system-out system-err",
     "name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
     false},
    {"testcase",
     "skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err",
     "name! time classname group", false},
    {"failure", "", "type message", true},
    {"error", "", "type message", true},
    {"skipped", "", "type message", true},
    {"system-out", "", "", true},
    {"system-err", "", "", true},
    {"properties", "property", "", false},
    {"property", "", "name! value!", false},
};

static const struct rule *find_rule(const xmlNode *node)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].element, (const char *)node->name) == 0)
            return &rules[i];
    return NULL;
}

/* Whether a list of words has one; a "!" after it does not count. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && strchr(" !", at[length]) != NULL)
            return true;
    return false;
}

static bool is_time(const char *text)
{
    return text[strspn(text, "0123456789")] == '.' && text[strspn(text, "0123456789.")] == '\0' &&
           strchr(text, '.') == strrchr(text, '.');
}

static void check_attributes(struct reading *reading, xmlNode *node, const struct rule *rule)
{
    char name[32];
    for (const xmlAttr *attribute = node->properties; attribute != NULL;
         attribute = attribute->next) {
        const char *value = (const char *)attribute->children->content;
        if (!lists(rule->attributes, (const char *)attribute->name))
            fault(reading, "<%s> has an attribute %s", rule->element, attribute->name);
        if (strcmp((const char *)attribute->name, "time") == 0 && !is_time(value))
            fault(reading, "the time of <%s> is \"%s\"", rule->element, value);
    }
    for (const char *at = rule->attributes; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        const size_t length = strcspn(at, " !");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (at[length] == '!' && !xmlHasProp(node, (const xmlChar *)name))
            fault(reading, "<%s> lacks its attribute %s", rule->element, name);
    }
}

static void check_element(struct reading *reading, xmlNode *node)
{
    const struct rule *rule = find_rule(node);
    if (rule == NULL) {
        fault(reading, "an element <%s>", node->name);
        return;
    }
    check_attributes(reading, node, rule);
    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && !lists(rule->children, (const char *)child->name))
            fault(reading, "<%s> in <%s>", child->name, rule->element);
        else if (child->type == XML_ELEMENT_NODE)
            check_element(reading, child);
        else if (!rule->text && !xmlIsBlankNode(child))
            fault(reading, "text in <%s>", rule->element);
    }
}

static unsigned number_of(xmlNode *node, const char *name)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
    const unsigned number = text != NULL ? (unsigned)strtoul((char *)text, NULL, 10) : 0;
    xmlFree(text);
    return number;
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static void read_test(struct reading *reading, xmlNode *test)
{
    unsigned failed = 0, skipped = 0, errors = 0;
    for (xmlNode *child = test->children; child != NULL; child = child->next) {
        failed += is_element(child, "failure");
        skipped += is_element(child, "skipped");
        errors += is_element(child, "error");
        if (is_element(child, "skipped") && !xmlHasProp(child, (const xmlChar *)"message"))
            fault(reading, "a skipped test without a reason");
        if (is_element(child, "failure") || is_element(child, "error")) {
            xmlChar *message = xmlGetProp(child, (const xmlChar *)"message");
            xmlChar *content = xmlNodeGetContent(child);
            add_words(reading, message != NULL ? (char *)message : "");
            add_words(reading, (char *)content);
            xmlFree(message);
            xmlFree(content);
        }
    }
    reading->tests++;
    reading->failed += failed;
    reading->skipped += skipped;
    reading->errors += errors;
    reading->passed += failed + skipped + errors == 0;
}

static void read_suite(struct reading *reading, xmlNode *suite)
{
    const struct reading before = {.tests = reading->tests,
                                   .failed = reading->failed,
                                   .skipped = reading->skipped,
                                   .errors = reading->errors};
    for (xmlNode *child = suite->children; child != NULL; child = child->next) {
        if (is_element(child, "testcase"))
            read_test(reading, child);
        if (is_element(child, "system-out")) {
            xmlChar *content = xmlNodeGetContent(child);
            add_words(reading, (char *)content);
            xmlFree(content);
        }
    }
    if (number_of(suite, "tests") != reading->tests - before.tests ||
        number_of(suite, "failures") != reading->failed - before.failed ||
        number_of(suite, "errors") != reading->errors - before.errors ||
        number_of(suite, "skipped") != reading->skipped - before.skipped)
        fault(reading, "a suite's sums are not those of its tests");
}

bool read_junit_report(const char *path, struct reading *reading)
{
    xmlDoc *document = xmlReadFile(path, NULL, XML_PARSE_NONET);
    *reading = (struct reading){0};
    if (document == NULL)
        return fault(reading, "no XML");
    xmlNode *root = xmlDocGetRootElement(document);
    if (!is_element(root, "testsuites"))
        fault(reading, "the root is <%s>", root->name);
    check_element(reading, root);
    for (xmlNode *suite = root->children; suite != NULL; suite = suite->next)
        if (is_element(suite, "testsuite"))
            read_suite(reading, suite);
    if (number_of(root, "tests") != reading->tests ||
        number_of(root, "failures") != reading->failed ||
        number_of(root, "errors") != reading->errors)
        fault(reading, "the sums of all suites are not those of the tests");
    xmlFreeDoc(document);
    return reading->fault[0] == '\0';
}
