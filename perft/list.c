/* SPDX-License-Identifier: MIT */
#include "perft/list.h"

#include <stdlib.h>
#include <sys/mman.h>

#define BLOCK_SIZE_MAX ((size_t)2 << 20)
#define BLOCK_SIZE_MIN ((size_t)16 << 10)
#define BLOCKS_PER_THREAD 16U

_Static_assert(sizeof(struct pm_chunk) == PM_CHUNK_SIZE, "chunks fill their size");
_Static_assert(sizeof(struct pm_list_record) == 32 && sizeof(struct pm_wide_record) == 40,
               "records are as small as the header says");

enum pm_status pm_pool_open(struct pm_pool *pool, size_t limit, int threads, struct pm_error *error)
{
    const size_t size = (limit + BLOCK_SIZE_MAX - 1) / BLOCK_SIZE_MAX * BLOCK_SIZE_MAX;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *pool = (struct pm_pool){.limit = size, .block_size = BLOCK_SIZE_MAX};
    while (pool->block_size > BLOCK_SIZE_MIN &&
           size / pool->block_size < (size_t)threads * BLOCKS_PER_THREAD)
        pool->block_size /= 2;
    if (memory == MAP_FAILED) {
        pool->limit = 0;
        return pm_fail(error, PM_ERROR_MEMORY, "%zu MB of address space can't be had", size >> 20);
    }
    pool->memory = memory;
    madvise(memory, size, MADV_HUGEPAGE); /* only a hint */
    return PM_OK;
}

void pm_pool_close(struct pm_pool *pool)
{
    if (pool->memory != NULL)
        munmap(pool->memory, pool->limit);
    *pool = (struct pm_pool){.memory = NULL};
}

struct pm_chunk *pm_chunk_take(struct pm_chunk_source *source)
{
    struct pm_chunk *chunk = source->free;
    if (chunk != NULL) {
        source->free = chunk->next;
        return chunk;
    }
    if (source->block == source->block_end) {
        struct pm_pool *pool = source->pool;
        const size_t offset = atomic_fetch_add(&pool->taken, pool->block_size);
        if (offset >= pool->limit)
            return NULL;
        source->block = pool->memory + offset;
        source->block_end = source->block + pool->block_size;
    }
    chunk = (struct pm_chunk *)(void *)source->block;
    source->block += sizeof *chunk;
    return chunk;
}

enum pm_status pm_list_open(struct pm_list *list, int threads, unsigned classes,
                            unsigned log2_partitions, bool wide, struct pm_error *error)
{
    *list = (struct pm_list){
        .threads = threads, .classes = classes, .log2_partitions = log2_partitions, .wide = wide};
    list->heads = calloc((size_t)threads, sizeof list->heads[0]);
    list->counts = calloc((size_t)threads * PM_LIST_COUNT_STRIDE, sizeof list->counts[0]);
    bool complete = list->heads != NULL && list->counts != NULL;
    for (int i = 0; complete && i < threads; i++) {
        list->heads[i] = calloc(pm_list_partitions(list), sizeof list->heads[i][0]);
        complete = list->heads[i] != NULL;
    }
    if (complete)
        return PM_OK;
    pm_list_close(list);
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the heads of a list");
}

void pm_list_close(struct pm_list *list)
{
    for (int i = 0; list->heads != NULL && i < list->threads; i++)
        free(list->heads[i]);
    free(list->heads);
    free(list->counts);
    *list = (struct pm_list){.heads = NULL};
}

uint64_t pm_list_count(const struct pm_list *list)
{
    uint64_t count = 0;
    for (int i = 0; i < list->threads; i++)
        count += list->counts[(unsigned)i * PM_LIST_COUNT_STRIDE];
    return count;
}
