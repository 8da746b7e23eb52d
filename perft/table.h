/* SPDX-License-Identifier: MIT */
/* A transposition table for counts: what was counted below a position, to a depth of 2 to 8 plies.
 *
 * It is an array of buckets of one cache line, eight words each, and a word is
 *
 *     check (44 bits) | depth (4) | digit (16)
 *
 * The high bits of a key choose the bucket, the low ones are the check. Two plies have fewer leaves
 * than 2^16 (218 * 218 in positions of games), so that nearly all entries are one word; deeper
 * counts are written in digits to the base 2^16, in two words (depths 3 and 4) or four, next to
 * each other, each with the check and the depth. A count is found only if all its words are, so
 * that it can be half overwritten, but not misread. A word that is in use is not 0, whatever its
 * digit: it has a depth.
 *
 * Any number of threads find and store at once, without locks: words are read and written whole
 * (C11 atomics, relaxed), and as the digits of a count depend on nothing but position and depth, it
 * does not matter who wrote which.
 *
 * Counts that do not fit their words, of placements that no game reaches, are not stored. */
#ifndef PM_PERFT_TABLE_H
#define PM_PERFT_TABLE_H

#include "core/bits.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PM_TABLE_MIN_DEPTH 2
#define PM_TABLE_MAX_DEPTH 8
#define PM_TABLE_CHECK_BITS 44 /* the most */
#define PM_TABLE_BUCKET 8U     /* words */

struct pm_table {
    _Atomic uint64_t *words;
    uint64_t buckets;
    uint64_t check_mask; /* of a word */
};

/* What one thread did: the caller keeps one a thread and adds them up. */
struct pm_table_use {
    uint64_t probes, hits;
    uint64_t words; /* stored */
};

/* Takes `bytes`, less what does not fill a bucket; at least one bucket. Its memory becomes the
 * table's when it is touched. check_bits, at most PM_TABLE_CHECK_BITS, are fewer for tests alone.
 * PM_ERROR_MEMORY if there is not so much. */
enum pm_status pm_table_open(struct pm_table *table, uint64_t bytes, unsigned check_bits,
                             struct pm_error *error);
void pm_table_close(struct pm_table *table); /* of zeros is fine */

/* Empties part 0 … parts - 1 of the table. Before its first use the system gives it its memory
 * here, from the memory next to the thread's CPU; this is slow, and worth sharing among threads. */
void pm_table_empty(const struct pm_table *table, unsigned part, unsigned parts);

uint64_t pm_table_bytes(const struct pm_table *table);

/* The part of its words that are in use, of a sample. */
double pm_table_load(const struct pm_table *table);

/* The probability that some probe took another position's entry for its own, at most, if keys are
 * random. */
double pm_table_error_probability(const struct pm_table *table, const struct pm_table_use *use);

PM_ALWAYS_INLINE _Atomic uint64_t *pm_table_bucket(const struct pm_table *table, uint64_t key)
{
    __extension__ const unsigned __int128 place = (unsigned __int128)key * table->buckets;
    return table->words + (uint64_t)(place >> 64) * PM_TABLE_BUCKET;
}

/* A word without its digit. */
PM_ALWAYS_INLINE uint64_t pm_table_word(const struct pm_table *table, uint64_t key, int depth)
{
    return (key << 20 & table->check_mask) | (uint64_t)depth << 16;
}

PM_ALWAYS_INLINE unsigned pm_table_digits(int depth)
{
    return depth == 2 ? 1 : (depth <= 4 ? 2 : 4);
}

PM_ALWAYS_INLINE void pm_table_prefetch(const struct pm_table *table, uint64_t key)
{
    __builtin_prefetch((const void *)(uintptr_t)pm_table_bucket(table, key));
}

static inline bool pm_table_find(const struct pm_table *table, struct pm_table_use *use,
                                 uint64_t key, int depth, uint64_t *count)
{
    const _Atomic uint64_t *bucket = pm_table_bucket(table, key);
    const uint64_t wanted = pm_table_word(table, key, depth);
    const unsigned digits = pm_table_digits(depth);
    use->probes++;
    for (unsigned first = 0; first < PM_TABLE_BUCKET; first += digits) {
        uint64_t found = 0;
        unsigned i = 0;
        for (; i < digits; i++) {
            const uint64_t digit =
                atomic_load_explicit(&bucket[first + i], memory_order_relaxed) ^ wanted;
            if (digit >> 16 != 0)
                break;
            found |= digit << 16 * i;
        }
        if (i == digits) {
            use->hits++;
            *count = found;
            return true;
        }
    }
    return false;
}

/* Overwrites the least deep of what is in the bucket. */
void pm_table_store(const struct pm_table *table, struct pm_table_use *use, uint64_t key, int depth,
                    uint64_t count);

#endif
