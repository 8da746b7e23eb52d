/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. Each is a libFuzzer program: built with -DPLYMARK_FUZZ=ON, run by
 * tests/fuzz/run. */
#ifndef PM_TESTS_FUZZ_FUZZ_H
#define PM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* optional; called once before */

/* Ends the run unless the condition holds: libFuzzer keeps the input. */
#define FUZZ_EXPECT(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
