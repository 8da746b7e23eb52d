/* SPDX-License-Identifier: MIT */
/* How much a test tries. PLYMARK_TEST_SIZE=small in the environment, as in the developer's loop and
 * under sanitizers, asks for a small part of it, which still goes through all of its code. */
#ifndef PM_TESTS_UNIT_SIZE_H
#define PM_TESTS_UNIT_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_is_small(void)
{
    const char *size = getenv("PLYMARK_TEST_SIZE");
    return size != NULL && strcmp(size, "small") == 0;
}

static inline uint64_t test_size(uint64_t whole, uint64_t small)
{
    return test_is_small() ? small : whole;
}

#endif
