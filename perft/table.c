/* SPDX-License-Identifier: MIT */
#include "perft/table.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

#define BUCKET_BYTES (PM_TABLE_BUCKET * sizeof(uint64_t))
#define SAMPLE 65536U /* buckets */

_Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "a word is eight bytes");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "words are read and written without locks");

enum pm_status pm_table_open(struct pm_table *table, uint64_t bytes, unsigned check_bits,
                             struct pm_error *error)
{
    const uint64_t buckets = bytes < BUCKET_BYTES ? 1 : bytes / BUCKET_BYTES;
    const uint64_t available = pm_memory_available();
    char text[PM_MEMORY_TEXT_SIZE], available_text[PM_MEMORY_TEXT_SIZE];
    pm_memory_to_text(bytes, text);
    *table = (struct pm_table){0};
    if (check_bits < 1 || check_bits > PM_TABLE_CHECK_BITS)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%u check bits: must be 1 to %d", check_bits,
                       PM_TABLE_CHECK_BITS);
    if (bytes > available)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for a hash table of %s: %s are free",
                       text, pm_memory_to_text(available, available_text));
    _Atomic uint64_t *words = pm_memory_take(buckets * BUCKET_BYTES);
    if (words == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for a hash table of %s", text);
    *table = (struct pm_table){
        .words = words,
        .buckets = buckets,
        .check_mask = ((1ULL << check_bits) - 1) << 20,
    };
    return PM_OK;
}

void pm_table_close(struct pm_table *table)
{
    free(table->words);
    *table = (struct pm_table){0};
}

void pm_table_empty(const struct pm_table *table, unsigned part, unsigned parts)
{
    const uint64_t first = table->buckets * part / parts;
    const uint64_t end = table->buckets * (part + 1) / parts;
    for (uint64_t i = first * PM_TABLE_BUCKET; i < end * PM_TABLE_BUCKET; i++)
        atomic_store_explicit(&table->words[i], 0, memory_order_relaxed);
}

uint64_t pm_table_bytes(const struct pm_table *table)
{
    return table->buckets * BUCKET_BYTES;
}

double pm_table_load(const struct pm_table *table)
{
    const uint64_t sample = table->buckets < SAMPLE ? table->buckets : SAMPLE;
    uint64_t used = 0;
    for (uint64_t i = 0; i < sample; i++) {
        const _Atomic uint64_t *bucket =
            table->words + table->buckets / sample * i * PM_TABLE_BUCKET;
        for (unsigned word = 0; word < PM_TABLE_BUCKET; word++)
            used += atomic_load_explicit(&bucket[word], memory_order_relaxed) != 0;
    }
    return (double)used / (double)(sample * PM_TABLE_BUCKET);
}

/* Probes that missed are no fewer than the distinct positions, and those that two of them have to
 * do with are one event; so either the words in a bucket at each probe, or the words ever stored in
 * a bucket for each distinct position, bound the comparisons of different keys. */
double pm_table_error_probability(const struct pm_table *table, const struct pm_table_use *use)
{
    const double buckets = (double)table->buckets;
    const double check_bits = pm_popcount(table->check_mask);
    const double key_bits = fmin(check_bits, 64 - log2(buckets));
    const double by_probe = (double)use->probes * PM_TABLE_BUCKET;
    const double by_position = (double)(use->probes - use->hits) * (double)use->words / buckets;
    return fmin(1, fmin(by_probe, by_position) * exp2(-key_bits));
}

static int depth_of(uint64_t word)
{
    return (int)(word >> 16 & 15);
}

/* The group of words whose deepest is the least deep, beginning anywhere. */
static unsigned choose_group(const _Atomic uint64_t *bucket, unsigned digits, uint64_t key)
{
    unsigned chosen = 0;
    int least = PM_TABLE_MAX_DEPTH + 1;
    for (unsigned i = 0; i < PM_TABLE_BUCKET; i += digits) {
        const unsigned first = (unsigned)(key + i) % PM_TABLE_BUCKET & ~(digits - 1);
        int deepest = 0;
        for (unsigned word = first; word < first + digits; word++) {
            const int depth = depth_of(atomic_load_explicit(&bucket[word], memory_order_relaxed));
            deepest = depth > deepest ? depth : deepest;
        }
        if (deepest < least) {
            least = deepest;
            chosen = first;
        }
    }
    return chosen;
}

void pm_table_store(const struct pm_table *table, struct pm_table_use *use, uint64_t key, int depth,
                    uint64_t count)
{
    const unsigned digits = pm_table_digits(depth);
    if (digits < 4 && count >> 16 * digits != 0)
        return;
    _Atomic uint64_t *bucket = pm_table_bucket(table, key);
    const uint64_t word = pm_table_word(table, key, depth);
    const unsigned first = choose_group(bucket, digits, key);
    for (unsigned i = 0; i < digits; i++)
        atomic_store_explicit(&bucket[first + i], word | (count >> 16 * i & 0xffff),
                              memory_order_relaxed);
    use->words += digits;
}
