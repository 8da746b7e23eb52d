/* SPDX-License-Identifier: MIT */
/* What goes between guest.c and guest_serve.c: both are the same program, so these are its own
 * structs, byte for byte. */
#ifndef PM_ENGINES_GUEST_CALLS_H
#define PM_ENGINES_GUEST_CALLS_H

#include "core/kernel.h"
#include "core/status.h"

#include <stdint.h>

#define PM_GUEST_MAGIC 0x504D4755U

enum pm_guest_call {
    PM_GUEST_SET_POSITION,
    PM_GUEST_GET_POSITION,
    PM_GUEST_LEGAL_MOVES,
    PM_GUEST_PLAY,
    PM_GUEST_PERFT,
    PM_GUEST_ATTACKS,
    PM_GUEST_KEY,
    PM_GUEST_CALL_COUNT
};

/* The first thing that is said, by the plug-in's side. */
struct pm_guest_hello {
    uint32_t magic;
    enum pm_status status; /* PM_OK, or error says why not */
    struct pm_error error;
    uint64_t cpu_required, cpu_slow;
    uint32_t capabilities, state_size, state_align;
    uint32_t has_attacks, has_key;
    char name[64], family[64], lineage[64], technique[128], summary[256], reference[256],
        revision[64];
};

/* A call: this, then the state unless it is PM_GUEST_SET_POSITION. */
struct pm_guest_request {
    uint32_t magic, number;
    enum pm_guest_call call;
    int depth;
    enum pm_mode mode;
    struct pm_position position;
    struct pm_move move;
};

/* An answer: this, then the state after PM_GUEST_SET_POSITION and PM_GUEST_PLAY, or the moves. */
struct pm_guest_reply {
    uint32_t magic, number;
    enum pm_status status;
    uint32_t move_count;
    uint64_t nodes; /* or the key */
    struct pm_position position;
    struct pm_attacks attacks;
};

#endif
