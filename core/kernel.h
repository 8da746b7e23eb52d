/* SPDX-License-Identifier: MIT */
/* The kernel contract: all that a move generator must offer to be verified and measured.
 *
 * A kernel is one `const struct pm_kernel`: data first, then functions. Its state is plain bytes of
 * a stated size and alignment that the caller owns and may memcpy at any time; a state holds no
 * pointers into itself. After init() a kernel writes no globals, so any number of threads may use
 * it at once, each with states of its own.
 *
 * A caller calls init() once, before everything else and on one thread; then set_position() fills a
 * state; then the other functions may be called on it in any order. The caller guarantees that
 * positions have passed pm_position_check() (exactly one king a side, no pawn on the first or last
 * rank, the side that does not move is not in check, castling rooks and en passant square in their
 * places), but not that they can arise in a game: a side may have up to 63 pieces and any number of
 * queens, three pieces may give check.
 */
#ifndef PM_CORE_KERNEL_H
#define PM_CORE_KERNEL_H

#include "core/bitboards.h"
#include "core/board.h"
#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* Changes whenever a field below changes its place or its meaning. */
#define PM_KERNEL_ABI 4U

/* How leaves are counted. Figures of different modes are never ranked against each other. */
enum pm_mode {
    PM_MODE_MAKE,      /* every leaf is made on the board */
    PM_MODE_BULK,      /* legal moves are counted at depth 1, not made */
    PM_MODE_LOOKAHEAD, /* the last two plies are counted together, children not visited */
    PM_MODE_HASHED,    /* with a transposition table */
    PM_MODE_UNIQUE,    /* distinct positions with multiplicities */
    PM_MODE_COUNT
};

/* Capabilities of a kernel. */
#define PM_CAN_MODE(mode) (1U << (mode)) /* one bit for each pm_mode that perft() takes */
#define PM_CAN_CHESS960 (1U << 16)       /* any castling rook and king file */
#define PM_CAN_CLOCKS (1U << 17)         /* play() keeps both clocks: pm_clock_next() */
#define PM_IS_REFERENCE (1U << 18)       /* an oracle: never optimized, ranked apart */

/* A kernel call counts in 64 bits, so its depth is limited: with at most 218 moves, the maximum of
 * positions that a game can reach, 218^8 < 2^64. Set-ups with more pieces are limited further by
 * pm_kernel_depth_limit() (core/position.h). Deeper counts are split by the driver. */
#define PM_KERNEL_MAX_DEPTH 8

/* Squares as bit sets: bit 0 = a1 … bit 63 = h8. */
struct pm_attacks {
    uint64_t checkers; /* enemy pieces that give check to the side to move */
    uint64_t pinned; /* pieces of the side to move that stand alone between their king and an enemy
                        slider of that line */
    uint64_t attacked; /* squares that the side NOT to move attacks, with all pieces on the board
                          (its own pieces's squares too: "defended"); en passant does not count */
};

/* Family and lineage: a family is several kernels that differ in one technique alone and run only
 * when asked for. A lineage is kernels whose rules of the game were written once and copied, whole
 * or in part: they are one witness, for a mistake may stand in all of them. */
struct pm_kernel {
    uint32_t abi;         /* PM_KERNEL_ABI */
    uint32_t struct_size; /* sizeof(struct pm_kernel) */

    const char *name;      /* [a-z0-9_]+, unique, as typed after -k */
    const char *family;    /* NULL, or a name for -k that stands for all kernels of this family */
    const char *lineage;   /* [a-z0-9_]+: where its code comes from */
    const char *technique; /* a few words: "0x88 board, piece lists" */
    const char *summary;   /* one sentence */
    const char *reference; /* who described the technique first, and where */
    const char *revision;  /* changes with the source: PM_KERNEL_REVISION in this repository */

    uint64_t cpu_required; /* PM_CPU_* bits (core/cpu.h) without which nothing here may run */
    uint64_t cpu_slow;     /* PM_CPU_* quirk bits on which it runs, but slowly */
    uint32_t capabilities; /* PM_CAN_* and PM_IS_* bits */
    uint32_t state_size;   /* bytes */
    uint32_t state_align;  /* bytes, a power of two, at most 64 */

    /* Builds tables. Returns PM_OK, or PM_ERROR_MEMORY. Harmless if called again. */
    enum pm_status (*init)(void);

    /* Fills state from position. PM_ERROR_UNSUPPORTED if the kernel can't represent it. */
    enum pm_status (*set_position)(void *state, const struct pm_position *position);

    /* The position that state stands for. en_passant may be dropped when no capture is legal;
     * clocks are 0 and 1 without PM_CAN_CLOCKS. */
    enum pm_status (*get_position)(const void *state, struct pm_position *position);

    /* All legal moves, in any order, each once: the four promotions are four moves. */
    enum pm_status (*legal_moves)(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count);

    /* Plays a legal move. PM_ERROR_ILLEGAL, and an unchanged state, is the answer to a move that
     * legal_moves() would not give: see pm_move_index(). Clocks stop at 65535. */
    enum pm_status (*play)(void *state, const struct pm_move *move);

    /* Counts the leaves at `depth` plies, 1 to PM_KERNEL_MAX_DEPTH. PM_ERROR_ARGUMENT for another
     * depth, PM_ERROR_UNSUPPORTED for a mode without its capability bit; then *nodes is untouched.
     */
    enum pm_status (*perft)(const void *state, int depth, enum pm_mode mode, uint64_t *nodes);

    /* Optional, may be NULL. */
    enum pm_status (*attacks)(const void *state, struct pm_attacks *attacks);

    /* Optional, may be NULL: a hash key that play() carries along (Zobrist key). Positions that the
     * rules treat alike have the same key, however they were reached: clocks don't count, an en
     * passant square only if a capture on it is legal. Others should differ, with all 64 bits. */
    enum pm_status (*key)(const void *state, uint64_t *key);

    /* Optional, may be NULL: works on bitboards apart from any state (core/bitboards.h). */
    const struct pm_expander *expander;
};

/* What a plug-in (`-k so:FILE`, a shared object) exports: its kernel, or NULL. ABI number and
 * struct size are compared before anything else is looked at. */
const struct pm_kernel *pm_plugin_kernel(void);

#endif
