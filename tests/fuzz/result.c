/* SPDX-License-Identifier: MIT */
/* Result files: any bytes are refused with a reason or give a result that a report can be made of.
 */
#include "bench/result.h"
#include "bench/report.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void report(struct pm_result *result)
{
    FILE *nothing = fopen("/dev/null", "w");
    if (nothing == NULL)
        return;
    (void)pm_report_print(nothing, result);
    fclose(nothing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_result *result = NULL;
    struct pm_error error = {0};
    char path[64];
    const int file = memfd_create("result", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (pm_result_read(path, &result, &error) == PM_OK)
        report(result);
    else
        FUZZ_EXPECT(result == NULL && error.text[0] != '\0' && strchr(error.text, '\n') == NULL,
                    "message \"%s\"", error.text);
    pm_result_free(result);
    close(file);
    return 0;
}
