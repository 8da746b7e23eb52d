/* SPDX-License-Identifier: MIT */
/* Lists of records in partitions, written by many threads without locks: each thread has a chain of
 * chunks for each partition. A partition is later read by one thread, which may give its chunks
 * back. Chunks come from one pool of bounded size. */
#ifndef PM_PERFT_LIST_H
#define PM_PERFT_LIST_H

#include "core/status.h"
#include "perft/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_CHUNK_SIZE 1024U

struct pm_chunk {
    struct pm_chunk *next;
    uint64_t count;
    unsigned char records[PM_CHUNK_SIZE - 16];
};

/* Address space for `limit` bytes, taken from the system as it is used, in huge pages where there
 * are any. */
struct pm_pool {
    unsigned char *memory;
    size_t limit, block_size; /* a thread takes a block at a time */
    atomic_size_t taken;      /* may run over the limit when the pool is empty */
};

/* The block is smaller than a huge page if there would be few for each thread. */
enum pm_status pm_pool_open(struct pm_pool *pool, size_t limit, int threads,
                            struct pm_error *error);
void pm_pool_close(struct pm_pool *pool); /* harmless after a failed open, or twice */

/* One thread's share of a pool: chunks that are free, and the rest of its last block. */
struct pm_chunk_source {
    struct pm_pool *pool;
    struct pm_chunk *free;
    unsigned char *block, *block_end;
};

/* NULL when the pool is empty. */
struct pm_chunk *pm_chunk_take(struct pm_chunk_source *source);

PM_ALWAYS_INLINE void pm_chunk_give_back(struct pm_chunk_source *source, struct pm_chunk *chunk)
{
    chunk->next = source->free;
    source->free = chunk;
}

/* Partitions are numbered class * 2^log2_partitions + partition. */
struct pm_list {
    struct pm_chunk ***heads; /* [thread][partition] */
    uint64_t *counts;         /* records that each thread wrote, a cache line apart */
    int threads;
    unsigned classes, log2_partitions;
    bool wide; /* records of 40 bytes */
};

#define PM_LIST_COUNT_STRIDE 8U

enum pm_status pm_list_open(struct pm_list *list, int threads, unsigned classes,
                            unsigned log2_partitions, bool wide, struct pm_error *error);
void pm_list_close(struct pm_list *list); /* its chunks are not given back; harmless twice */
uint64_t pm_list_count(const struct pm_list *list);

static inline size_t pm_list_partitions(const struct pm_list *list)
{
    return (size_t)list->classes << list->log2_partitions;
}

/* The first bits of a placement key: which of 2^log2 parts it falls in. */
PM_ALWAYS_INLINE size_t pm_setup_part(uint64_t setup, unsigned log2)
{
    return log2 == 0 ? 0 : setup >> (64 - log2);
}

PM_ALWAYS_INLINE size_t pm_list_partition(const struct pm_list *list, size_t class, uint64_t setup)
{
    return (class << list->log2_partitions) + pm_setup_part(setup, list->log2_partitions);
}

/* Bytes of a list's heads. */
static inline size_t pm_list_overhead(const struct pm_list *list)
{
    return pm_list_partitions(list) * (size_t)list->threads * sizeof(struct pm_chunk *);
}

PM_ALWAYS_INLINE unsigned pm_records_in_chunk(bool wide)
{
    const size_t size = wide ? sizeof(struct pm_wide_record) : sizeof(struct pm_list_record);
    return (unsigned)(sizeof((struct pm_chunk *)0)->records / size);
}

/* False when the pool is empty. */
PM_ALWAYS_INLINE bool pm_list_add(struct pm_list *list, struct pm_chunk_source *source, int thread,
                                  size_t partition, const struct pm_packed *packed,
                                  uint64_t multiplicity)
{
    struct pm_chunk **head = &list->heads[thread][partition], *chunk = *head;
    if (chunk == NULL || chunk->count == pm_records_in_chunk(list->wide)) {
        chunk = pm_chunk_take(source);
        if (chunk == NULL)
            return false;
        chunk->next = *head;
        chunk->count = 0;
        *head = chunk;
    }
    if (list->wide)
        ((struct pm_wide_record *)(void *)chunk->records)[chunk->count] =
            (struct pm_wide_record){*packed, multiplicity};
    else
        pm_list_record_write(&((struct pm_list_record *)(void *)chunk->records)[chunk->count],
                             packed, multiplicity);
    chunk->count++;
    list->counts[(unsigned)thread * PM_LIST_COUNT_STRIDE]++;
    return true;
}

PM_ALWAYS_INLINE struct pm_wide_record pm_list_read(const struct pm_list *list,
                                                    const struct pm_chunk *chunk, unsigned index)
{
    if (list->wide)
        return ((const struct pm_wide_record *)(const void *)chunk->records)[index];
    const struct pm_list_record *record =
        &((const struct pm_list_record *)(const void *)chunk->records)[index];
    return (struct pm_wide_record){pm_list_record_read(record), record->multiplicity};
}

#endif
