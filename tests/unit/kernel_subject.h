/* SPDX-License-Identifier: MIT */
/* A subject made of any kernel, for tests: those that are opened by name are built in. */
#ifndef PM_TESTS_UNIT_KERNEL_SUBJECT_H
#define PM_TESTS_UNIT_KERNEL_SUBJECT_H

#include "core/move.h"
#include "engines/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_subject_state {
    _Alignas(64) unsigned char bytes[4096];
};

static int kernel_subject_by_text(const void *a, const void *b)
{
    return strcmp(((const struct pm_divide_entry *)a)->text,
                  ((const struct pm_divide_entry *)b)->text);
}

static enum pm_status kernel_subject_divide(struct pm_subject *subject, const struct pm_line *line,
                                            int depth, struct pm_divide *out,
                                            enum pm_subject_failure *failure,
                                            struct pm_error *error)
{
    const struct pm_kernel *kernel = subject->context;
    struct pm_move moves[PM_MAX_MOVES];
    struct kernel_subject_state state, child;
    unsigned count = 0;

    (void)error;
    *failure = PM_SUBJECT_FINE;
    kernel->set_position(state.bytes, line->position);
    for (unsigned i = 0; i < line->move_count; i++)
        kernel->play(state.bytes, &line->moves[i]);
    kernel->legal_moves(state.bytes, moves, &count);
    *out = (struct pm_divide){.count = count};
    for (unsigned i = 0; i < count; i++) {
        uint64_t nodes = 1;
        memcpy(child.bytes, state.bytes, kernel->state_size);
        kernel->play(child.bytes, &moves[i]);
        if (depth > 1)
            kernel->perft(child.bytes, depth - 1, PM_MODE_BULK, &nodes);
        out->entries[i].nodes = nodes;
        out->total += nodes;
        pm_move_to_text(&moves[i],
                        line->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET,
                        out->entries[i].text);
    }
    qsort(out->entries, count, sizeof out->entries[0], kernel_subject_by_text);
    return PM_OK;
}

static inline struct pm_subject kernel_subject(const struct pm_kernel *kernel)
{
    union {
        const struct pm_kernel *kernel;
        void *memory;
    } context = {.kernel = kernel};
    struct pm_subject subject = {.kernel = kernel,
                                 .chess960 = true,
                                 .divide = kernel_subject_divide,
                                 .context = context.memory};
    snprintf(subject.name, sizeof subject.name, "%s", kernel->name);
    return subject;
}

#endif
