/* SPDX-License-Identifier: MIT */
/* The sliding-attack techniques alone, without a move generator around them: for measuring them
 * (`plymark micro`) and for testing them against each other. */
#ifndef PM_KERNELS_SLIDERS_SLIDERS_H
#define PM_KERNELS_SLIDERS_SLIDERS_H

#include <stddef.h>
#include <stdint.h>

/* One question: what does a slider attack from there? */
struct pm_slider_query {
    uint64_t occupied; /* the slider's own square may be in it or not */
    unsigned square;
};

struct pm_slider {
    const char *name;      /* [a-z0-9_]+; the kernel's is sliders_NAME, if there is one */
    const char *technique; /* a few words */
    const char *reference; /* who described it first, and when */
    uint64_t cpu_required; /* PM_CPU_* bits (core/cpu.h) without which nothing here may run */
    size_t table_bytes;    /* that look-ups may touch */

    /* Builds tables; before everything else. Harmless if called again. */
    void (*init)(void);

    /* The answers to `count` queries, a multiple of PM_SLIDER_BATCH. */
    void (*rooks)(const struct pm_slider_query queries[], uint64_t attacks[], size_t count);
    void (*bishops)(const struct pm_slider_query queries[], uint64_t attacks[], size_t count);
    void (*queens)(const struct pm_slider_query queries[], uint64_t attacks[], size_t count);

    /* All the queens' answers added up, modulo 2^64: independent look-ups, nothing is stored. */
    uint64_t (*queen_sum)(const struct pm_slider_query queries[], size_t count);

    /* The same sum, but each look-up waits for the answer before. NULL for techniques that answer
     * several queries at once. */
    uint64_t (*queen_chain)(const struct pm_slider_query queries[], size_t count);
};

#define PM_SLIDER_BATCH 8

extern const struct pm_slider *const pm_sliders[]; /* ends with NULL */

#endif
