/* SPDX-License-Identifier: MIT */
/* `read_report json|tap|junit FILE`: what a reader of that format learns, in one line, and the
 * words of its failures. Exit code 1 if the file breaks the rules of the format. */
#include "tests/reports/reader.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static struct reading reading;
    bool is_good = false;
    if (argc == 3 && strcmp(argv[1], "json") == 0)
        is_good = read_json_report(argv[2], &reading);
    else if (argc == 3 && strcmp(argv[1], "tap") == 0)
        is_good = read_tap_report(argv[2], &reading);
    else if (argc == 3 && strcmp(argv[1], "junit") == 0)
        is_good = read_junit_report(argv[2], &reading);
    else
        return 2;
    if (!is_good) {
        printf("fault: %s\n", reading.fault);
        return 1;
    }
    printf("tests=%u passed=%u failed=%u skipped=%u known=%u errors=%u result=%s\n", reading.tests,
           reading.passed, reading.failed, reading.skipped, reading.known, reading.errors,
           reading.result);
    fputs(reading.words, stdout);
    return 0;
}
