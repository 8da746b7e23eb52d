/* SPDX-License-Identifier: MIT */
/* FEN: any text is refused with a reason or gives a position that can be played, and that comes
 * back when it is written and read again. */
#include "core/fen.h"
#include "core/position.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void write_and_read(const struct pm_position *position, enum pm_fen_style style,
                           enum pm_fen_en_passant en_passant)
{
    struct pm_position right = *position;
    struct pm_position again;
    struct pm_error error;
    char fen[PM_FEN_SIZE];
    pm_fen_write(position, style, en_passant, fen);
    FUZZ_EXPECT(strlen(fen) < PM_FEN_SIZE, "too long: %s", fen);
    FUZZ_EXPECT(pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &again, NULL, &error) == PM_OK,
                "written as %s: %s", fen, error.text);
    if (en_passant == PM_FEN_EN_PASSANT_LEGAL)
        pm_position_canonicalize(&right);
    FUZZ_EXPECT(pm_position_equal(&again, &right), "another position than written: %s", fen);
}

static void read_with(const char *text, unsigned options)
{
    struct pm_position position;
    struct pm_error error = {0};
    unsigned warnings = 0;
    const enum pm_status status = pm_fen_read(text, options, &position, &warnings, &error);
    if (status != PM_OK) {
        FUZZ_EXPECT(status == PM_ERROR_PARSE || status == PM_ERROR_POSITION, "status %d", status);
        FUZZ_EXPECT(error.status == status && error.text[0] != '\0' &&
                        strchr(error.text, '\n') == NULL,
                    "message \"%s\"", error.text);
        return;
    }
    FUZZ_EXPECT(pm_position_check(&position, NULL) == PM_FAULT_NONE, "a position with a fault");
    FUZZ_EXPECT((options & PM_FEN_CHESS960) != 0 || pm_position_is_standard(&position),
                "rights of Chess960 that were not asked for");
    for (int style = 0; style < PM_FEN_STYLE_COUNT; style++) {
        write_and_read(&position, (enum pm_fen_style)style, PM_FEN_EN_PASSANT_LEGAL);
        write_and_read(&position, (enum pm_fen_style)style, PM_FEN_EN_PASSANT_AS_GIVEN);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (unsigned options = 0; options <= (PM_FEN_LENIENT | PM_FEN_CHESS960); options++)
        read_with(text, options);
    free(text);
    return 0;
}
