/* SPDX-License-Identifier: MIT */
/* Reads reports of `plymark verify` as others do: with jansson, libxml2, and a TAP reader of our
 * own.
 */
#ifndef PM_TESTS_REPORTS_READER_H
#define PM_TESTS_REPORTS_READER_H

#include <stdbool.h>
#include <stddef.h>

/* What a reader of any format learns. */
struct reading {
    unsigned tests, passed, failed, skipped, errors;
    unsigned known;    /* failed, as was expected */
    char result[32];   /* JSON: "pass" …; TAP: "bail" if it bailed out; else "" */
    char words[65536]; /* of failures: rules, moves, reasons and messages, a line each */
    char fault[512];   /* what breaks the rules of the format; "" if nothing does */
};

/* False, and a fault, if it is no such report. */
bool read_json_report(const char *path, struct reading *reading);
bool read_tap_report(const char *path, struct reading *reading);

/* Also checks each element and attribute against the rules of Jenkins' junit-10.xsd. */
bool read_junit_report(const char *path, struct reading *reading);

#endif
