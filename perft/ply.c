/* SPDX-License-Identifier: MIT */
/* See perft/ply.h. Compiled once for each level of instruction sets: PM_PLY_CODE names the
 * result. */
#include "perft/ply.h"

#include "core/after_move.h"
#include "core/memory.h"
#include "perft/children.h"
#include "perft/quiets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE static __attribute__((noinline))

#define SLOTS_MIN ((size_t)1 << 12)
#define SLOTS_PER_RECORD 16U
#define ITEMS_MIN ((size_t)1 << 12)
#define COUNT_CAPACITY_MIN ((size_t)1 << 10)
#define COUNT_CAPACITY_MAX ((size_t)1 << 20)
#define CHILDREN_PER_PARENT_AT_FIRST 16.0
#define BUCKET_SIZE 8U

static bool fail(struct pm_ply_thread *thread, enum pm_status status, const char *text)
{
    pm_fail(&thread->error, status, "%s", text);
    return false;
}

static bool lists_are_full(struct pm_ply_thread *thread)
{
    thread->found_lists_full = true;
    return fail(thread, PM_ERROR_MEMORY, "the lists are full");
}

static bool tables_are_full(struct pm_ply_thread *thread)
{
    return fail(thread, PM_ERROR_MEMORY, "out of memory for a table of one partition");
}

static bool count_overflows(struct pm_ply_thread *thread)
{
    return fail(thread, PM_ERROR_OVERFLOW, "the count needs more than 128 bits");
}

/* ---- Parents ---- */

/* One position of the list, and its key. */
struct parent {
    struct pm_bitboards board;
    uint64_t multiplicity;
    uint64_t key; /* of `keys` */
};

typedef bool parent_function(void *context, const struct parent *parent);

/* Calls `work` for each record of a partition, of all threads' chains, until it fails. */
PM_ALWAYS_INLINE bool for_each_record(struct pm_ply *level, struct pm_ply_thread *thread,
                                      struct pm_list *list, bool keep, size_t partition,
                                      parent_function *work, void *context)
{
    bool good = true;
    for (int i = 0; i < list->threads; i++) {
        struct pm_chunk *chunk = list->heads[i][partition], *next;
        if (!keep)
            list->heads[i][partition] = NULL;
        for (; chunk != NULL; chunk = next) {
            next = chunk->next;
            if (next != NULL)
                for (unsigned offset = 0; offset < sizeof *next; offset += 64)
                    __builtin_prefetch((const unsigned char *)next + offset);
            for (unsigned j = 0; good && j < chunk->count; j++) {
                const struct pm_wide_record record = pm_list_read(list, chunk, j);
                struct parent parent = {.multiplicity = record.multiplicity};
                pm_unpack(&record.packed, &parent.board);
                parent.key = pm_zobrist_key(level->keys, &parent.board);
                good = work(context, &parent);
            }
            if (!keep)
                pm_chunk_give_back(&thread->source, chunk);
        }
    }
    return good;
}

static uint64_t records_in(const struct pm_list *list, size_t partition)
{
    uint64_t count = 0;
    for (int i = 0; i < list->threads; i++)
        for (const struct pm_chunk *chunk = list->heads[i][partition]; chunk != NULL;
             chunk = chunk->next)
            count += chunk->count;
    return count;
}

/* ---- Merging ---- */

struct merging {
    struct pm_ply *level;
    struct pm_ply_thread *thread;
    enum pm_color us; /* a constant where it is used */
    size_t partition; /* of the parents */
    const struct parent *parent;
    uint64_t setup;  /* of the parent's side to move; if some items are wanted */
    pm_count leaves; /* counting exactly: below children by captures */
    bool failed;
};

/* Makes the table of slots ready for a partition of so many records: no larger than it was. */
static bool open_slots(struct pm_ply_thread *thread, uint64_t records)
{
    if (thread->slots == NULL) {
        thread->slots = pm_memory_take(SLOTS_MIN * sizeof thread->slots[0]);
        if (thread->slots == NULL)
            return tables_are_full(thread);
        thread->slot_capacity = SLOTS_MIN;
    }
    thread->slot_count = SLOTS_MIN;
    while (thread->slot_count < thread->slot_capacity &&
           thread->slot_count < records * SLOTS_PER_RECORD)
        thread->slot_count *= 2;
    memset(thread->slots, 0, thread->slot_count * sizeof thread->slots[0]);
    return true;
}

/* Doubles the table and enters everything anew. */
NOINLINE bool grow_slots(struct pm_ply_thread *thread)
{
    const size_t capacity = thread->slot_count * 2;
    struct pm_merge_slot *old = thread->slots;
    struct pm_merge_slot *slots = pm_memory_take(capacity * sizeof slots[0]);
    if (slots == NULL)
        return tables_are_full(thread);
    memset(slots, 0, capacity * sizeof slots[0]);
    for (size_t i = 0; i < thread->slot_count; i++) {
        size_t at = old[i].key & (capacity - 1);
        if (old[i].item == 0)
            continue;
        while (slots[at].item != 0)
            at = (at + 1) & (capacity - 1);
        slots[at] = old[i];
    }
    free(old);
    thread->slots = slots;
    thread->slot_count = thread->slot_capacity = capacity;
    return true;
}

NOINLINE bool grow_items(struct pm_ply_thread *thread)
{
    const size_t capacity = thread->item_capacity == 0 ? ITEMS_MIN : thread->item_capacity * 2;
    struct pm_wide_record *items = pm_memory_take(capacity * sizeof items[0]);
    if (items == NULL)
        return tables_are_full(thread);
    if (thread->item_count > 0)
        memcpy(items, thread->items, thread->item_count * sizeof items[0]);
    free(thread->items);
    thread->items = items;
    thread->item_capacity = capacity;
    return true;
}

/* The slot of a key, or the free one where it belongs. With `packed`, whole positions are compared.
 */
PM_ALWAYS_INLINE struct pm_merge_slot *find_slot(struct pm_ply_thread *thread, uint64_t key,
                                                 const struct pm_packed *packed)
{
    const size_t mask = thread->slot_count - 1;
    size_t at = key & mask;
    while (thread->slots[at].item != 0 &&
           (thread->slots[at].key != key ||
            (packed != NULL &&
             !pm_packed_equal(packed, &thread->items[thread->slots[at].item - 1].packed))))
        at = (at + 1) & mask;
    return &thread->slots[at];
}

PM_ALWAYS_INLINE bool add_multiplicity(struct pm_ply_thread *thread, uint64_t item,
                                       uint64_t multiplicity)
{
    uint64_t *sum = &thread->items[item].multiplicity;
    if (__builtin_add_overflow(*sum, multiplicity, sum))
        return fail(thread, PM_ERROR_OVERFLOW, "a position is reached in more than 2^64 ways");
    return true;
}

/* Enters a child that is not there yet. */
PM_ALWAYS_INLINE bool add_item(struct pm_ply_thread *thread, struct pm_merge_slot *slot,
                               uint64_t key, const struct pm_packed *packed, uint64_t multiplicity)
{
    if (thread->item_count == thread->item_capacity && !grow_items(thread))
        return false;
    thread->items[thread->item_count++] = (struct pm_wide_record){*packed, multiplicity};
    *slot = (struct pm_merge_slot){key, thread->item_count};
    return thread->item_count <= thread->slot_count / 10 * 7 || grow_slots(thread);
}

NOINLINE bool merge_board(struct pm_ply *level, struct pm_ply_thread *thread,
                          const struct pm_bitboards *board, uint64_t key, uint64_t multiplicity)
{
    const struct pm_packed packed = pm_pack(board);
    struct pm_merge_slot *slot = find_slot(thread, key, level->exact ? &packed : NULL);
    thread->comparisons++;
    return slot->item != 0 ? add_multiplicity(thread, slot->item - 1, multiplicity)
                           : add_item(thread, slot, key, &packed, multiplicity);
}

/* Whether the last list keeps a child, by the placement of the side that moved. */
PM_ALWAYS_INLINE bool is_wanted(const struct pm_ply *level, uint64_t our_setup)
{
    return level->wanted[pm_setup_part(our_setup, level->log2_items)];
}

PM_ALWAYS_INLINE bool import_board(struct merging *merging, const struct pm_bitboards *child,
                                   enum pm_color them)
{
    struct pm_ply *level = merging->level;
    struct pm_list *imports = level->imports;
    const uint64_t setup = pm_zobrist_of_setup(level->setups, child, them);
    const size_t class = (merging->partition >> imports->log2_partitions) + 1;
    const size_t partition = pm_list_partition(imports, class, setup);
    const struct pm_packed packed = pm_pack(child);
    return pm_list_add(imports, &merging->thread->source, merging->thread->index, partition,
                       &packed, merging->parent->multiplicity) ||
           lists_are_full(merging->thread);
}

/* Adds what lies below a child reached in so many ways. */
NOINLINE bool add_leaves_of(struct merging *merging, const struct pm_bitboards *child,
                            uint64_t multiplicity)
{
    pm_count leaves = merging->level->expander->count_two_plies(child, pm_opponent(merging->us));
    merging->thread->counted++;
    if (__builtin_mul_overflow(leaves, (pm_count)multiplicity, &leaves) ||
        pm_count_add(&merging->leaves, leaves) != PM_OK)
        return count_overflows(merging->thread);
    return true;
}

/* A child by a move that is not quiet. Without imports its leaves are counted. */
PM_ALWAYS_INLINE void merge_visited(void *context, const struct pm_bitboards *child,
                                    uint64_t captured)
{
    struct merging *merging = context;
    const struct pm_ply *level = merging->level;
    const enum pm_color us = merging->us;
    if (merging->failed ||
        (level->wanted != NULL && !is_wanted(level, pm_zobrist_of_setup(level->setups, child, us))))
        return;
    const uint64_t multiplicity = merging->parent->multiplicity;
    bool good;
    if (!captured)
        good = merge_board(merging->level, merging->thread, child,
                           pm_zobrist_key(level->keys, child), multiplicity);
    else if (level->imports != NULL)
        good = import_board(merging, child, pm_opponent(us));
    else
        good = add_leaves_of(merging, child, multiplicity);
    merging->failed = !good;
}

PM_ALWAYS_INLINE bool merge_quiets(struct merging *merging, const struct pm_quiets *quiets,
                                   enum pm_color us)
{
    struct pm_ply *level = merging->level;
    struct pm_ply_thread *thread = merging->thread;
    const struct parent *parent = merging->parent;
    const uint64_t setup =
        level->wanted != NULL ? pm_zobrist_of_setup(level->setups, &parent->board, us) : 0;
    thread->comparisons += quiets->count;
    for (unsigned i = 0; i < quiets->count; i++) {
        if (level->wanted != NULL) {
            const uint64_t *piece = level->setups->piece[us][quiets->type[i]];
            if (!is_wanted(level, setup ^ piece[quiets->from[i]] ^ piece[quiets->to[i]]))
                continue;
        }
        struct pm_bitboards child;
        struct pm_packed packed;
        if (level->exact) {
            pm_after_quiet(&child, &parent->board, us, quiets, i);
            packed = pm_pack(&child);
        }
        struct pm_merge_slot *slot =
            find_slot(thread, quiets->key[i], level->exact ? &packed : NULL);
        if (slot->item != 0) {
            if (!add_multiplicity(thread, slot->item - 1, parent->multiplicity))
                return false;
            continue;
        }
        if (!level->exact) {
            pm_after_quiet(&child, &parent->board, us, quiets, i);
            packed = pm_pack(&child);
        }
        if (!add_item(thread, slot, quiets->key[i], &packed, parent->multiplicity))
            return false;
    }
    return true;
}

PM_ALWAYS_INLINE bool merge_parent(void *context, const struct parent *parent)
{
    struct merging *merging = context;
    struct pm_ply *level = merging->level;
    const enum pm_color us = merging->us;
    struct pm_expansion moves;
    struct pm_quiets quiets;
    merging->parent = parent;
    level->expander->expand(&parent->board, us, &moves);
    pm_take_quiets(&quiets, level->keys, &parent->board, us, parent->key, &moves);
    if (!merge_quiets(merging, &quiets, us))
        return false;
    pm_visit_moves(level->expander, &parent->board, us, &moves, merge_visited, merging);
    return !merging->failed;
}

/* ---- Merging what the kernel made ---- */

/* A child by any move, made by the kernel: here nothing is known of the move. */
static void merge_made(void *context, const struct pm_bitboards *child)
{
    struct merging *merging = context;
    struct pm_ply *level = merging->level;
    const struct parent *parent = merging->parent;
    const enum pm_color us = level->us, them = pm_opponent(us);
    bool good;
    if (merging->failed ||
        (level->wanted != NULL &&
         !is_wanted(level, merging->setup ^
                               pm_zobrist_of_change(level->setups, &parent->board, child, us))))
        return;
    if (child->pieces[them] == parent->board.pieces[them])
        good = merge_board(level, merging->thread, child,
                           pm_zobrist_after(level->keys, &parent->board, parent->key, child),
                           parent->multiplicity);
    else if (level->imports != NULL)
        good = import_board(merging, child, them);
    else
        good = add_leaves_of(merging, child, parent->multiplicity);
    merging->failed = !good;
}

static bool merge_made_of_parent(void *context, const struct parent *parent)
{
    struct merging *merging = context;
    const struct pm_ply *level = merging->level;
    merging->parent = parent;
    if (level->wanted != NULL)
        merging->setup = pm_zobrist_of_setup(level->setups, &parent->board, level->us);
    level->expander->visit_children(&parent->board, level->us, merge_made, merging);
    return !merging->failed;
}

NOINLINE bool merge_made_of_parents(struct merging *merging)
{
    struct pm_ply *level = merging->level;
    merging->us = level->us;
    return for_each_record(level, merging->thread, level->parents, level->keep_parents,
                           merging->partition, merge_made_of_parent, merging);
}

/* ---- Merging a partition ---- */

static bool merge_import(void *context, const struct parent *import)
{
    const struct merging *merging = context;
    return merge_board(merging->level, merging->thread, &import->board, import->key,
                       import->multiplicity);
}

/* Sends the distinct children to the partitions of the placement that will not move. */
static bool write_children(struct pm_ply *level, struct pm_ply_thread *thread)
{
    struct pm_list *list = level->children;
    const enum pm_color us = level->us;
    for (size_t i = 0; i < thread->item_count; i++) {
        const struct pm_wide_record *item = &thread->items[i];
        struct pm_bitboards board;
        pm_unpack(&item->packed, &board);
        const uint64_t setup = pm_zobrist_of_setup(level->setups, &board, us);
        const size_t class = level->children_are_last
                                 ? 0
                                 : level->our_pieces_at_root - pm_popcount(board.pieces[us]);
        const size_t partition = pm_list_partition(list, class, setup);
        if (!pm_list_add(list, &thread->source, thread->index, partition, &item->packed,
                         item->multiplicity))
            return lists_are_full(thread);
    }
    return true;
}

PM_ALWAYS_INLINE bool merge_parents_of(struct merging *merging, enum pm_color us)
{
    struct pm_ply *level = merging->level;
    merging->us = us;
    return for_each_record(level, merging->thread, level->parents, level->keep_parents,
                           merging->partition, merge_parent, merging);
}
NOINLINE bool merge_parents_white(struct merging *merging)
{
    return merge_parents_of(merging, PM_WHITE);
}
NOINLINE bool merge_parents_black(struct merging *merging)
{
    return merge_parents_of(merging, PM_BLACK);
}

static bool merge_parents(struct merging *merging, uint64_t records)
{
    merging->thread->item_count = 0;
    if (!open_slots(merging->thread, records))
        return false;
    if (merging->level->expander->visit_children != NULL)
        return merge_made_of_parents(merging);
    return merging->level->us == PM_WHITE ? merge_parents_white(merging)
                                          : merge_parents_black(merging);
}

/* A false hit takes two positions that agree in all bits that are compared. Twice, as a look-up may
 * pass another entry before it ends. */
static void add_false_hits(struct pm_ply_thread *thread, int bits)
{
    thread->false_hits += (double)thread->comparisons * 2 * ldexp(1, -bits);
    thread->comparisons = 0;
}

static bool merge(struct pm_ply *level, struct pm_ply_thread *thread, size_t partition)
{
    struct merging merging = {.level = level, .thread = thread, .partition = partition};
    const uint64_t records =
        records_in(level->parents, partition) + records_in(level->imports, partition);
    if (records == 0)
        return true;
    const bool good =
        merge_parents(&merging, records) &&
        for_each_record(level, thread, level->imports, false, partition, merge_import, &merging) &&
        write_children(level, thread);
    add_false_hits(thread, 64);
    return good;
}

/* ---- Counting below the last list ---- */

struct counting {
    struct pm_ply *level;
    struct pm_ply_thread *thread;
    enum pm_color us; /* a constant where it is used */
    const struct parent *parent;
    uint64_t leaves; /* below one way to the parent */
    size_t mask, inserted, insertable;
    pm_count total;
    bool failed;
    unsigned capture_count;
    struct capture {
        struct pm_bitboards child;
        uint64_t check;
        _Atomic uint64_t *bucket;
    } captures[64];
};

PM_ALWAYS_INLINE uint64_t two_plies(struct counting *counting, const struct pm_bitboards *child,
                                    enum pm_color them)
{
    counting->thread->counted++;
    return counting->level->expander->count_two_plies(child, them);
}

PM_ALWAYS_INLINE uint64_t entry_of(uint64_t check, uint64_t count)
{
    return check << 16 | (count < PM_COUNT_TOO_LARGE ? count : PM_COUNT_TOO_LARGE);
}

/* A child by a capture: looked for in the table that all share. */
static uint64_t count_capture(struct counting *counting, const struct capture *capture,
                              enum pm_color them)
{
    unsigned free = capture->check % BUCKET_SIZE; /* replaced if no entry is free */
    for (unsigned i = 0; i < BUCKET_SIZE; i++) {
        const uint64_t entry = atomic_load_explicit(&capture->bucket[i], memory_order_relaxed);
        if (entry >> 16 == capture->check && (entry & 0xffff) != PM_COUNT_TOO_LARGE && entry != 0)
            return entry & 0xffff;
        if (entry == 0) {
            free = i;
            break;
        }
    }
    const uint64_t count = two_plies(counting, &capture->child, them);
    atomic_store_explicit(&capture->bucket[free], entry_of(capture->check, count),
                          memory_order_relaxed);
    return count;
}

PM_ALWAYS_INLINE void count_captures(struct counting *counting, enum pm_color them)
{
    for (unsigned i = 0; i < counting->capture_count; i++)
        counting->leaves += count_capture(counting, &counting->captures[i], them);
    counting->thread->comparisons += (uint64_t)counting->capture_count * BUCKET_SIZE;
    counting->capture_count = 0;
}

/* Looked up later, when its bucket has come from memory. The bucket follows from other random
 * numbers than the check, so that both together tell positions apart. */
PM_ALWAYS_INLINE void note_capture(struct counting *counting, const struct pm_bitboards *child,
                                   enum pm_color them)
{
    const struct pm_capture_table *table = counting->level->captures;
    const uint64_t place = pm_zobrist_key(counting->level->setups, child);
    struct capture *capture = &counting->captures[counting->capture_count++];
    capture->child = *child;
    capture->check = pm_zobrist_key(counting->level->keys, child) >> 16;
    capture->bucket = table->entries + (place & table->bucket_mask) * BUCKET_SIZE;
    __builtin_prefetch(capture->bucket);
    if (counting->capture_count == sizeof counting->captures / sizeof counting->captures[0])
        count_captures(counting, them);
}

/* The entry of a key, or the free one where it belongs. */
PM_ALWAYS_INLINE uint64_t *find_count(const struct counting *counting, uint64_t key)
{
    uint64_t *counts = counting->thread->counts;
    const uint64_t check = key >> 16;
    size_t at = key & counting->mask;
    while (counts[at] != 0 && counts[at] >> 16 != check)
        at = (at + 1) & counting->mask;
    return &counts[at];
}

/* The two-ply count of a child that the table has, or gets. */
PM_ALWAYS_INLINE uint64_t count_board(struct counting *counting, const struct pm_bitboards *child,
                                      uint64_t key, enum pm_color them)
{
    uint64_t *entry = find_count(counting, key);
    if (*entry != 0 && (*entry & 0xffff) != PM_COUNT_TOO_LARGE)
        return *entry & 0xffff;
    const uint64_t count = two_plies(counting, child, them);
    if (*entry == 0 && counting->inserted < counting->insertable) {
        *entry = entry_of(key >> 16, count);
        counting->inserted++;
    }
    return count;
}

PM_ALWAYS_INLINE void count_visited(void *context, const struct pm_bitboards *child,
                                    uint64_t captured)
{
    struct counting *counting = context;
    const enum pm_color them = pm_opponent(counting->us);
    if (captured) {
        note_capture(counting, child, them);
    } else {
        counting->thread->comparisons++;
        counting->leaves +=
            count_board(counting, child, pm_zobrist_key(counting->level->keys, child), them);
    }
}

/* Adds up the counts that children have in the table, and lists the others in `fresh`. */
PM_ALWAYS_INLINE uint64_t known_counts(const struct counting *counting,
                                       const struct pm_quiets *quiets, uint16_t *fresh,
                                       unsigned *fresh_count)
{
    unsigned listed = 0;
#ifdef __AVX512VBMI2__
    /* Eight at once, at the first place of each alone: without a branch. */
    const __m512i mask = _mm512_set1_epi64((long long)counting->mask);
    const __m512i too_large = _mm512_set1_epi64(PM_COUNT_TOO_LARGE);
    __m512i sum = _mm512_setzero_si512();
    __m128i index = _mm_set_epi16(7, 6, 5, 4, 3, 2, 1, 0);
    for (unsigned i = 0; i < quiets->count; i += 8) {
        const unsigned left = quiets->count - i;
        const __mmask8 present = (__mmask8)(left < 8 ? (1U << left) - 1 : 0xff);
        const __m512i keys = _mm512_loadu_si512(quiets->key + i);
        const __m512i entries =
            _mm512_i64gather_epi64(_mm512_and_si512(keys, mask), counting->thread->counts, 8);
        const __m512i counts = _mm512_and_si512(entries, too_large);
        /* An entry of 0 is a free place, not a count of 0. */
        const __mmask8 known = _mm512_mask_cmpeq_epi64_mask(
            _mm512_mask_cmpneq_epi64_mask(_mm512_test_epi64_mask(entries, entries), counts,
                                          too_large),
            _mm512_srli_epi64(entries, 16), _mm512_srli_epi64(keys, 16));
        sum = _mm512_mask_add_epi64(sum, known & present, sum, counts);
        const __mmask8 unknown = (__mmask8)(present & ~known);
        _mm_storeu_si128((void *)(fresh + listed), _mm_maskz_compress_epi16(unknown, index));
        listed += (unsigned)__builtin_popcount(unknown);
        index = _mm_add_epi16(index, _mm_set1_epi16(8));
    }
    *fresh_count = listed;
    return (uint64_t)_mm512_reduce_add_epi64(sum);
#else
    uint64_t sum = 0;
    for (unsigned i = 0; i < quiets->count; i++) {
        const uint64_t entry = *find_count(counting, quiets->key[i]);
        const bool is_known = entry != 0 && (entry & 0xffff) != PM_COUNT_TOO_LARGE;
        sum += is_known ? entry & 0xffff : 0;
        fresh[listed] = (uint16_t)i;
        listed += !is_known;
    }
    *fresh_count = listed;
    return sum;
#endif
}

/* First all look-ups, then the counts of those that are new: each loop keeps its own code and data
 * at hand. */
PM_ALWAYS_INLINE void count_quiets(struct counting *counting, const struct pm_quiets *quiets,
                                   enum pm_color us)
{
    const struct parent *parent = counting->parent;
    const enum pm_color them = pm_opponent(us);
    uint16_t fresh[PM_MAX_MOVES + 8]; /* room for whole vectors */
    unsigned fresh_count;
    counting->leaves += known_counts(counting, quiets, fresh, &fresh_count);
    for (unsigned i = 0; i < fresh_count; i++) {
        struct pm_bitboards child;
        pm_after_quiet(&child, &parent->board, us, quiets, fresh[i]);
        counting->leaves += count_board(counting, &child, quiets->key[fresh[i]], them);
    }
    counting->thread->comparisons += quiets->count;
}

PM_ALWAYS_INLINE bool add_leaves(struct counting *counting)
{
    pm_count leaves;
    if (__builtin_mul_overflow((pm_count)counting->parent->multiplicity, counting->leaves,
                               &leaves) ||
        pm_count_add(&counting->total, leaves) != PM_OK)
        return count_overflows(counting->thread);
    return true;
}

PM_ALWAYS_INLINE bool count_parent(void *context, const struct parent *parent)
{
    struct counting *counting = context;
    const struct pm_ply *level = counting->level;
    const enum pm_color us = counting->us;
    struct pm_expansion moves;
    struct pm_quiets quiets;
    counting->parent = parent;
    counting->leaves = 0;
    level->expander->expand(&parent->board, us, &moves);
    pm_take_quiets(&quiets, level->keys, &parent->board, us, parent->key, &moves);
    pm_visit_moves(level->expander, &parent->board, us, &moves, count_visited, counting);
    count_quiets(counting, &quiets, us);
    count_captures(counting, pm_opponent(us));
    return add_leaves(counting);
}

/* The same with children that the kernel made: one by one. */
static void count_made(void *context, const struct pm_bitboards *child)
{
    struct counting *counting = context;
    const struct parent *parent = counting->parent;
    const enum pm_color them = pm_opponent(counting->us);
    if (child->pieces[them] != parent->board.pieces[them]) {
        note_capture(counting, child, them);
        return;
    }
    const uint64_t key =
        pm_zobrist_after(counting->level->keys, &parent->board, parent->key, child);
    counting->thread->comparisons++;
    counting->leaves += count_board(counting, child, key, them);
}

static bool count_made_of_parent(void *context, const struct parent *parent)
{
    struct counting *counting = context;
    counting->parent = parent;
    counting->leaves = 0;
    counting->level->expander->visit_children(&parent->board, counting->us, count_made, counting);
    count_captures(counting, pm_opponent(counting->us));
    return add_leaves(counting);
}

NOINLINE bool count_made_of_parents(struct counting *counting, size_t partition)
{
    struct pm_ply *level = counting->level;
    counting->us = level->us;
    return for_each_record(level, counting->thread, level->parents, level->keep_parents, partition,
                           count_made_of_parent, counting);
}

/* Makes the table of counts ready for a partition, with room by what partitions needed so far. */
static bool open_counts(struct counting *counting, uint64_t parents)
{
    struct pm_ply_thread *thread = counting->thread;
    const double expected = (double)parents * thread->children_per_parent;
    size_t capacity = COUNT_CAPACITY_MIN;
    while (capacity < COUNT_CAPACITY_MAX && (double)capacity * 0.6 < expected)
        capacity *= 2;
    if (capacity > thread->count_capacity) {
        free(thread->counts);
        thread->count_capacity = 0;
        thread->counts = pm_memory_take(capacity * sizeof thread->counts[0]);
        if (thread->counts == NULL)
            return tables_are_full(thread);
        thread->count_capacity = capacity;
    }
    memset(thread->counts, 0, capacity * sizeof thread->counts[0]);
    counting->mask = capacity - 1;
    counting->insertable = capacity / 8 * 7;
    return true;
}

PM_ALWAYS_INLINE bool count_parents_of(struct counting *counting, size_t partition,
                                       enum pm_color us)
{
    struct pm_ply *level = counting->level;
    counting->us = us;
    return for_each_record(level, counting->thread, level->parents, level->keep_parents, partition,
                           count_parent, counting);
}
NOINLINE bool count_parents_white(struct counting *counting, size_t partition)
{
    return count_parents_of(counting, partition, PM_WHITE);
}
NOINLINE bool count_parents_black(struct counting *counting, size_t partition)
{
    return count_parents_of(counting, partition, PM_BLACK);
}

static bool count_parents(struct counting *counting, size_t partition)
{
    if (counting->level->expander->visit_children != NULL)
        return count_made_of_parents(counting, partition);
    return counting->level->us == PM_WHITE ? count_parents_white(counting, partition)
                                           : count_parents_black(counting, partition);
}

/* The bits of the check, but for those that a table of over 2^16 places uses for the place too. */
static int compared_bits(const struct counting *counting)
{
    int bits = PM_COUNT_CHECK_BITS;
    for (size_t places = counting->mask + 1; places > 65536; places /= 2)
        bits--;
    return bits;
}

/* The next partition's table is as large as the hungriest so far would have needed; at first, as
 * large as would be needed if few children were equal. */
static void learn_children_per_parent(struct counting *counting, uint64_t parents)
{
    struct pm_ply_thread *thread = counting->thread;
    const double needed = (double)counting->inserted / (double)parents;
    if (parents < 64)
        return;
    if (counting->inserted == counting->insertable)
        thread->children_per_parent = fmin(thread->children_per_parent * 2, COUNT_CAPACITY_MAX);
    else if (thread->children_per_parent == CHILDREN_PER_PARENT_AT_FIRST ||
             needed > thread->children_per_parent)
        thread->children_per_parent = needed;
}

/* The same without tables of keys: whole positions are compared, children by captures not at all.
 */
static bool count_exactly(struct pm_ply *level, struct pm_ply_thread *thread, size_t partition,
                          uint64_t parents, pm_count *nodes)
{
    struct merging merging = {.level = level, .thread = thread, .partition = partition};
    bool good = merge_parents(&merging, parents);
    for (size_t i = 0; good && i < thread->item_count; i++) {
        struct pm_bitboards child;
        pm_unpack(&thread->items[i].packed, &child);
        good = add_leaves_of(&merging, &child, thread->items[i].multiplicity);
    }
    *nodes = merging.leaves;
    return good;
}

static bool count(struct pm_ply *level, struct pm_ply_thread *thread, size_t partition,
                  pm_count *nodes)
{
    struct counting counting = {.level = level, .thread = thread};
    const uint64_t parents = records_in(level->parents, partition);
    *nodes = 0;
    if (parents == 0)
        return true;
    if (level->exact)
        return count_exactly(level, thread, partition, parents, nodes);
    if (thread->children_per_parent == 0)
        thread->children_per_parent = CHILDREN_PER_PARENT_AT_FIRST;
    if (!open_counts(&counting, parents) || !count_parents(&counting, partition))
        return false;
    learn_children_per_parent(&counting, parents);
    add_false_hits(thread, compared_bits(&counting));
    *nodes = counting.total;
    return true;
}

const struct pm_ply_code PM_PLY_CODE = {.merge = merge, .count = count};
