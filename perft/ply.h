/* SPDX-License-Identifier: MIT */
/* One ply of deep counting: a list of distinct positions is made into the next list, or into the
 * number of leaves three plies below.
 *
 * A list is partitioned by the placement (the pieces on their squares) of the side that does NOT
 * move in its positions. A move that captures nothing leaves that placement as it is, so equal
 * children of a list without captures come from one partition, and a small table that one thread
 * owns finds them all. A capture takes one piece from the placement: its child is passed on, as a
 * record of `imports`, to the partition that it belongs to. That has a higher class, by the number
 * of pieces lost, and classes are worked on in order. So the lists hold each position once.
 *
 * Below the last list nothing but counts is kept: a table of one partition maps children to their
 * two-ply counts, and children by a capture share one lossy table, so that partitions are
 * independent of each other. */
#ifndef PM_PERFT_PLY_H
#define PM_PERFT_PLY_H

#include "core/bitboards.h"
#include "core/count.h"
#include "core/status.h"
#include "perft/list.h"
#include "perft/zobrist.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table entry of counts: 48 bits of the key, 16 of the count. */
#define PM_COUNT_CHECK_BITS 48
#define PM_COUNT_TOO_LARGE 0xffffU /* this and more are not kept, but counted at each visit */

/* The two-ply counts of children by captures, shared by all threads; entries are replaced when a
 * bucket (a cache line) is full. */
struct pm_capture_table {
    _Atomic uint64_t *entries;
    uint64_t bucket_mask;
};

/* What all threads share while a list is worked on. */
struct pm_ply {
    const struct pm_expander *expander;
    const struct pm_zobrist *keys;   /* seeded: tell positions apart */
    const struct pm_zobrist *setups; /* always the same: say to which partition one belongs */
    enum pm_color us;                /* to move in `parents` */
    bool exact;
    struct pm_list *parents;
    bool keep_parents; /* else their chunks are given back */

    /* Making the next list: */
    struct pm_list *imports; /* partitions as of `parents` */
    struct pm_list *children;
    unsigned our_pieces_at_root; /* classes of `children` count from there */
    bool children_are_last;      /* then they have one class, and only the wanted are kept */
    const bool *wanted;          /* [item]; NULL: all */
    unsigned log2_items;

    /* Counting below the last: */
    struct pm_capture_table *captures;
};

struct pm_merge_slot {
    uint64_t key;
    uint64_t item; /* its index + 1; 0 if the slot is free */
};

/* What a thread keeps from one partition to the next, and what it counts. */
struct pm_ply_thread {
    int index;
    struct pm_chunk_source source;

    struct pm_merge_slot *slots;
    size_t slot_capacity, slot_count; /* powers of two: there; in use for the partition */
    struct pm_wide_record *items;     /* the distinct children of the partition */
    size_t item_capacity, item_count;

    uint64_t *counts; /* two-ply counts of children */
    size_t count_capacity;
    double children_per_parent; /* the most new children that partitions had so far */

    uint64_t counted;     /* calls of the two-ply count */
    uint64_t comparisons; /* of keys since the last partition; each might be a false hit */
    double false_hits;    /* expected, at most */
    struct pm_error error;
    bool found_lists_full; /* the error is that; more memory, or a smaller pass, would do */
};

/* The code for one level of instruction sets. */
struct pm_ply_code {
    /* Makes the children of one partition of `parents`. False: thread->error says why. */
    bool (*merge)(struct pm_ply *level, struct pm_ply_thread *thread, size_t partition);
    /* Adds the leaves three plies below one partition of the last list to *nodes. */
    bool (*count)(struct pm_ply *level, struct pm_ply_thread *thread, size_t partition,
                  pm_count *nodes);
};

extern const struct pm_ply_code pm_ply_portable;
#ifdef __x86_64__
extern const struct pm_ply_code pm_ply_bmi2;
extern const struct pm_ply_code pm_ply_avx512;
#endif

#endif
