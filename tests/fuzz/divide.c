/* SPDX-License-Identifier: MIT */
/* What UCI engines and scripts print: any bytes are no divide, or one that holds together. */
#include "engines/divide.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pm_divide divide; /* large */
    struct pm_error error = {0};
    const enum pm_status status = pm_divide_read_text((const char *)data, size, &divide, &error);
    pm_count sum = 0;
    if (status != PM_OK && status != PM_ERROR_MISMATCH) {
        FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL, "message \"%s\"",
                    error.text);
        return 0;
    }
    FUZZ_EXPECT(divide.count <= PM_MAX_MOVES, "%u parts", divide.count);
    for (unsigned i = 0; i < divide.count; i++) {
        FUZZ_EXPECT(memchr(divide.entries[i].text, '\0', sizeof divide.entries[i].text) != NULL,
                    "a move without end");
        FUZZ_EXPECT(i == 0 || strcmp(divide.entries[i - 1].text, divide.entries[i].text) <= 0,
                    "not sorted");
        sum += divide.entries[i].nodes;
    }
    FUZZ_EXPECT(status != PM_OK || divide.count == 0 || sum == divide.total,
                "parts that do not add up were not noticed");
    return 0;
}
