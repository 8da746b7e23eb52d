/* SPDX-License-Identifier: MIT */
/* What kinds of moves lead to the leaves of each depth.
 *
 * The convention: only the last move counts. Captures include those en passant and those that
 * promote; each of the four promotions is one. Checks include checkmates, and so do discovery and
 * double checks. A discovery check has one checker, which is not the piece that moved; a double
 * check has two checkers: the piece that moved and another, or two that were uncovered. In castling
 * king and rook have moved. Widely copied tables leave mates out of discovery and double checks. */
#ifndef PM_PERFT_BREAKDOWN_H
#define PM_PERFT_BREAKDOWN_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdatomic.h>
#include <stdint.h>

/* Who gives check after a move. */
enum pm_checkers {
    PM_CHECKERS_DIRECT,                /* the piece that moved */
    PM_CHECKERS_DISCOVERED,            /* one that it uncovered */
    PM_CHECKERS_DIRECT_AND_DISCOVERED, /* both */
    PM_CHECKERS_DOUBLE_DISCOVERED,     /* two that it uncovered */
    PM_CHECKERS_COUNT
};

/* The leaves of one depth. 64 bits are enough for centuries of counting. */
struct pm_breakdown_row {
    uint64_t nodes, captures, en_passant, castles, promotions;
    uint64_t checks[PM_CHECKERS_COUNT]; /* mates included */
    uint64_t mates[PM_CHECKERS_COUNT];
    uint64_t stalemates;
};

#define PM_BREAKDOWN_MAX_DEPTH 32

struct pm_breakdown {
    int depth;
    struct pm_breakdown_row rows[PM_BREAKDOWN_MAX_DEPTH]; /* rows[d - 1] is depth d */
    double seconds;
};

struct pm_breakdown_config {
    const struct pm_kernel *kernel; /* with attacks() and mode bulk; init() was called */
    int threads;                    /* at least 1; the result does not depend on it */
    const atomic_bool *stop;        /* may be NULL; once true the count ends soon */
    /* May be NULL: told, by one thread at a time, what was counted so far and how many of the parts
     * that threads share, of about the same size, are done. */
    void (*progress)(void *context, const struct pm_breakdown *so_far, size_t done, size_t parts);
    void *context;
};

/* Counts all depths from 1 to `depth`: from sets where the kernel's expander tells check squares,
 * else leaf by leaf. PM_ERROR_UNSUPPORTED if the kernel lacks what is needed or
 * can't take the position; PM_ERROR_INTERRUPTED when stopped: then *breakdown is incomplete. */
enum pm_status pm_breakdown_count(const struct pm_breakdown_config *config,
                                  const struct pm_position *position, int depth,
                                  struct pm_breakdown *breakdown, struct pm_error *error);

void pm_breakdown_add_row(const struct pm_breakdown_row *part, struct pm_breakdown_row *sum);

/* Sums over the kinds of checks. */
uint64_t pm_breakdown_checks(const struct pm_breakdown_row *row);
uint64_t pm_breakdown_mates(const struct pm_breakdown_row *row);
uint64_t pm_breakdown_double_checks(const struct pm_breakdown_row *row);

#endif
