/* SPDX-License-Identifier: MIT */
/* One technique alone: compiled once for each, whose header is SLIDERS_HEADER. With SLIDERS_BATCH
 * it is compiled so that the loops over independent queries become loops over vectors of eight: the
 * techniques that take part use no tables then. */
#include "core/bits.h"
#include "core/cpu.h"
#include "kernels/sliders/names.h"
#include "kernels/sliders/sliders.h"
#include SLIDERS_HEADER

#include <stdbool.h>

static void init(void)
{
    static bool is_ready;
    if (!is_ready)
        build_technique();
    is_ready = true;
}

static void rooks(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        attacks[i] = rook_attacks(queries[i].square, queries[i].occupied);
}

static void bishops(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        attacks[i] = bishop_attacks(queries[i].square, queries[i].occupied);
}

static void queens(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        attacks[i] = queen_attacks(queries[i].square, queries[i].occupied);
}

static uint64_t queen_sum(const struct pm_slider_query queries[], size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += queen_attacks(queries[i].square, queries[i].occupied);
    return sum;
}

#ifndef SLIDERS_BATCH
/* Each occupancy is ored with a part of the last answer that is always empty, which the compiler
 * does not know: two cycles more than the look-up. */
static uint64_t queen_chain(const struct pm_slider_query queries[], size_t count)
{
    uint64_t nothing = 0, last = 0, sum = 0;
    __asm__("" : "+r"(nothing));
    for (size_t i = 0; i < count; i++) {
        last = queen_attacks(queries[i].square, queries[i].occupied | (last & nothing));
        sum += last;
    }
    return sum;
}
#endif

const struct pm_slider JOIN(pm_slider_, SLIDERS_NAME) = {
    .name = TEXT_OF(SLIDERS_NAME),
    .technique = TECHNIQUE,
    .reference = REFERENCE,
#ifdef SLIDERS_BATCH
    .cpu_required = COMMON_CPU_REQUIRED | BATCH_CPU_REQUIRED,
#else
    .cpu_required = COMMON_CPU_REQUIRED | CPU_REQUIRED,
    .table_bytes = TABLE_BYTES,
    .queen_chain = queen_chain,
#endif
    .init = init,
    .rooks = rooks,
    .bishops = bishops,
    .queens = queens,
    .queen_sum = queen_sum,
};
