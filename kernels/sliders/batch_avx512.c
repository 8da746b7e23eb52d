/* SPDX-License-Identifier: MIT */
/* Eight squares, each with an occupancy of its own, in one AVX-512 vector: o ^ (o - r) on each
 * line, upward, then on the boards turned by 180 degrees. No memory is looked up: files and ranks
 * are made by shifts, diagonals by a permutation of 16 constants in two registers. */
#include "core/bits.h"
#include "core/cpu.h"
#include "kernels/sliders/rays.h"
#include "kernels/sliders/reversal.h"
#include "kernels/sliders/sliders.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

/* Diagonals by rank - file, modulo 16, and antidiagonals by rank + file; as they are, and as they
 * stand on the turned board. */
static uint64_t diagonals[2][16], antidiagonals[2][16];

static void init(void)
{
    for (unsigned square = 0; square < 64; square++) {
        const unsigned file = square & 7, rank = square >> 3;
        for (unsigned turned = 0; turned < 2; turned++) {
            const unsigned from = turned ? square ^ 63 : square;
            diagonals[turned][(rank - file) & 15] = walk_line(from, DIAGONAL, 0) | pm_bit(from);
            antidiagonals[turned][rank + file] = walk_line(from, ANTIDIAGONAL, 0) | pm_bit(from);
        }
    }
}

struct batch {
    __m512i squares, occupied;
};

PM_ALWAYS_INLINE struct batch load(const struct pm_slider_query queries[])
{
    const __m512i low = _mm512_loadu_si512(&queries[0]), high = _mm512_loadu_si512(&queries[4]);
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    const __m512i squares = _mm512_permutex2var_epi64(low, odd, high); /* padding above */
    return (struct batch){.occupied = _mm512_permutex2var_epi64(low, even, high),
                          .squares = _mm512_and_si512(squares, _mm512_set1_epi64(63))};
}

PM_ALWAYS_INLINE __m512i reversed(__m512i sets)
{
    const __m512i swap = _mm512_set4_epi64(SWAPPED_BYTES_HIGH, SWAPPED_BYTES_LOW,
                                           SWAPPED_BYTES_HIGH, SWAPPED_BYTES_LOW);
    const __m512i matrix = _mm512_set1_epi64(REVERSED_BITS);
    return _mm512_gf2p8affine_epi64_epi8(_mm512_shuffle_epi8(sets, swap), matrix, 0);
}

PM_ALWAYS_INLINE __m512i all(uint64_t set)
{
    return _mm512_set1_epi64((long long)set);
}

PM_ALWAYS_INLINE __m512i pick(const uint64_t sets[16], __m512i index)
{
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(&sets[0]), index,
                                     _mm512_loadu_si512(&sets[8]));
}

/* The line from the slider, itself included, upward to the first piece. */
PM_ALWAYS_INLINE __m512i upward(__m512i sliders, __m512i line, __m512i occupied)
{
    enum { DIFFERENCE_ON_LINE = 0x28 }; /* line & (pieces ^ borrowed) */
    const __m512i pieces = _mm512_and_si512(occupied, line);
    const __m512i borrowed = _mm512_sub_epi64(pieces, sliders);
    return _mm512_ternarylogic_epi64(pieces, borrowed, line, DIFFERENCE_ON_LINE);
}

/* Which lines: constants to the compiler. */
PM_ALWAYS_INLINE __m512i attacks_of(struct batch batch, bool straight, bool slanted)
{
    const __m512i file = _mm512_and_si512(batch.squares, all(7));
    const __m512i rank_shift = _mm512_and_si512(batch.squares, all(56));
    const __m512i rank = _mm512_srli_epi64(batch.squares, 3);
    const __m512i slider = _mm512_sllv_epi64(all(1), batch.squares);
    const __m512i turned_slider = _mm512_srlv_epi64(all(pm_bit(63)), batch.squares);
    /* Lines are whole below: the slider's own square is taken out of the pieces, and out of the
     * attacks. */
    const __m512i occupied = _mm512_andnot_si512(slider, batch.occupied);
    const __m512i turned = reversed(occupied);
    __m512i up = _mm512_setzero_si512(), down = up;
    if (straight) {
        up = _mm512_or_si512(upward(slider, _mm512_sllv_epi64(all(FILE_A), file), occupied),
                             upward(slider, _mm512_sllv_epi64(all(RANK_1), rank_shift), occupied));
        down = _mm512_or_si512(
            upward(turned_slider, _mm512_srlv_epi64(all(FILE_H), file), turned),
            upward(turned_slider, _mm512_srlv_epi64(all(RANK_8), rank_shift), turned));
    }
    if (slanted) {
        const __m512i difference = _mm512_sub_epi64(rank, file), sum = _mm512_add_epi64(rank, file);
        up = _mm512_or_si512(up, upward(slider, pick(diagonals[0], difference), occupied));
        up = _mm512_or_si512(up, upward(slider, pick(antidiagonals[0], sum), occupied));
        down = _mm512_or_si512(down, upward(turned_slider, pick(diagonals[1], difference), turned));
        down = _mm512_or_si512(down, upward(turned_slider, pick(antidiagonals[1], sum), turned));
    }
    return _mm512_andnot_si512(slider, _mm512_or_si512(up, reversed(down)));
}

static void rooks(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i += PM_SLIDER_BATCH)
        _mm512_storeu_si512(&attacks[i], attacks_of(load(&queries[i]), true, false));
}

static void bishops(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i += PM_SLIDER_BATCH)
        _mm512_storeu_si512(&attacks[i], attacks_of(load(&queries[i]), false, true));
}

static void queens(const struct pm_slider_query queries[], uint64_t attacks[], size_t count)
{
    for (size_t i = 0; i < count; i += PM_SLIDER_BATCH)
        _mm512_storeu_si512(&attacks[i], attacks_of(load(&queries[i]), true, true));
}

static uint64_t queen_sum(const struct pm_slider_query queries[], size_t count)
{
    uint64_t sums[PM_SLIDER_BATCH], sum = 0;
    __m512i lane_sums = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += PM_SLIDER_BATCH)
        lane_sums = _mm512_add_epi64(lane_sums, attacks_of(load(&queries[i]), true, true));
    _mm512_storeu_si512(sums, lane_sums);
    for (int lane = 0; lane < PM_SLIDER_BATCH; lane++)
        sum += sums[lane];
    return sum;
}

const struct pm_slider pm_slider_batch_avx512 = {
    .name = "batch_avx512",
    .technique = "eight squares at once: hyperbola quintessence in AVX-512, GFNI bit reversal",
    .reference = "ours, 2026 (hyperbola quintessence: G. Isenberg and A. Peshkov, CCC, 2007)",
    .cpu_required = PM_CPU_AVX512F | PM_CPU_AVX512BW | PM_CPU_GFNI,
    .table_bytes = sizeof(diagonals) + sizeof(antidiagonals),
    .init = init,
    .rooks = rooks,
    .bishops = bishops,
    .queens = queens,
    .queen_sum = queen_sum,
};
