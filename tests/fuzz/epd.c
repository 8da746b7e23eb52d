/* SPDX-License-Identifier: MIT */
/* EPD suites: any bytes are refused with the line's number or give entries that hold together. */
#include "core/epd.h"
#include "core/position.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_entry(const struct pm_suite_entry *entry, unsigned last_line)
{
    FUZZ_EXPECT(entry->line > last_line, "line %u after %u", entry->line, last_line);
    FUZZ_EXPECT(entry->fen != NULL, "no FEN");
    FUZZ_EXPECT(pm_position_check(&entry->position, NULL) == PM_FAULT_NONE, "fault in %s",
                entry->fen);
    for (unsigned i = 0; i < entry->count_count; i++)
        FUZZ_EXPECT(entry->counts[i].depth >= 1 &&
                        (i == 0 || entry->counts[i].depth > entry->counts[i - 1].depth),
                    "depths out of order: %s", entry->fen);
    for (unsigned i = 0; i < entry->opcode_count; i++)
        FUZZ_EXPECT(entry->opcodes[i].name != NULL && entry->opcodes[i].operand != NULL &&
                        pm_suite_entry_opcode(entry, entry->opcodes[i].name) != NULL,
                    "opcode lost: %s", entry->fen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_suite suite = {0};
    struct pm_error error = {0};
    const enum pm_status status =
        pm_suite_read_text("fuzz", (const char *)data, size, &suite, &error);
    if (status != PM_OK)
        FUZZ_EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL, "message \"%s\"",
                    error.text);
    for (size_t i = 0; status == PM_OK && i < suite.entry_count; i++)
        check_entry(&suite.entries[i], i == 0 ? 0 : suite.entries[i - 1].line);
    pm_suite_free(&suite);
    return 0;
}
