/* SPDX-License-Identifier: MIT */
/* Whole files as texts, and what tells one text from another. */
#include "core/file.h"
#include "verify/mutation/mutants.h"

uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3U;
    return hash;
}

char *read_whole_file(const char *path, struct pm_error *error)
{
    char *text;
    size_t size;
    return pm_file_read(path, &text, &size, error) == PM_OK ? text : NULL;
}
