/* SPDX-License-Identifier: MIT */
/* Kogge-Stone in all directions at once: eight lanes, one a direction, that rotate instead of
 * shifting, so that up and down are the same instruction. */
#ifndef PM_KERNELS_SLIDERS_KOGGE_STONE_AVX512_H
#define PM_KERNELS_SLIDERS_KOGGE_STONE_AVX512_H

#include "kernels/sliders/lanes.h"
#include "kernels/sliders/rays.h"

#define TECHNIQUE "Kogge-Stone fills, all directions at once in AVX-512 rotations"
#define REFERENCE "Gerd Isenberg, Chess Programming Wiki (AVX-512), 2010s"
#define CPU_REQUIRED (PM_CPU_AVX512F | PM_CPU_AVX512VL)
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(turns) + sizeof(arrivals))

/* A rook has the first four lanes, a bishop the last four. 64 - n turns down by n. */
static const uint64_t turns[8] = {8, 1, 56, 63, 9, 7, 55, 57};
static const uint64_t arrivals[8] = {~RANK_1,           ~FILE_A,           ~RANK_8,
                                     ~FILE_H,           ~FILE_A & ~RANK_1, ~FILE_H & ~RANK_1,
                                     ~FILE_H & ~RANK_8, ~FILE_A & ~RANK_8};

static inline void build_technique(void) {}

PM_ALWAYS_INLINE uint64_t four_rays(unsigned square, uint64_t occupied, unsigned first)
{
    const __m256i turn = _mm256_loadu_si256((const __m256i *)(const void *)&turns[first]);
    const __m256i arrival = _mm256_loadu_si256((const __m256i *)(const void *)&arrivals[first]);
    const __m256i turn2 = _mm256_add_epi64(turn, turn), turn4 = _mm256_add_epi64(turn2, turn2);
    __m256i reached = _mm256_set1_epi64x((long long)pm_bit(square));
    __m256i open = _mm256_andnot_si256(_mm256_set1_epi64x((long long)occupied), arrival);
    /* reached | (open & turned) */
    reached = _mm256_ternarylogic_epi64(reached, open, _mm256_rolv_epi64(reached, turn), 0xF8);
    open = _mm256_and_si256(open, _mm256_rolv_epi64(open, turn));
    reached = _mm256_ternarylogic_epi64(reached, open, _mm256_rolv_epi64(reached, turn2), 0xF8);
    open = _mm256_and_si256(open, _mm256_rolv_epi64(open, turn2));
    reached = _mm256_ternarylogic_epi64(reached, open, _mm256_rolv_epi64(reached, turn4), 0xF8);
    return any_of_4(_mm256_and_si256(_mm256_rolv_epi64(reached, turn), arrival));
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return four_rays(square, occupied, 0);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return four_rays(square, occupied, 4);
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const __m512i turn = _mm512_loadu_si512(turns), arrival = _mm512_loadu_si512(arrivals);
    const __m512i turn2 = _mm512_add_epi64(turn, turn), turn4 = _mm512_add_epi64(turn2, turn2);
    __m512i reached = _mm512_set1_epi64((long long)pm_bit(square));
    __m512i open = _mm512_andnot_si512(_mm512_set1_epi64((long long)occupied), arrival);
    reached = _mm512_ternarylogic_epi64(reached, open, _mm512_rolv_epi64(reached, turn), 0xF8);
    open = _mm512_and_si512(open, _mm512_rolv_epi64(open, turn));
    reached = _mm512_ternarylogic_epi64(reached, open, _mm512_rolv_epi64(reached, turn2), 0xF8);
    open = _mm512_and_si512(open, _mm512_rolv_epi64(open, turn2));
    reached = _mm512_ternarylogic_epi64(reached, open, _mm512_rolv_epi64(reached, turn4), 0xF8);
    const __m512i attacks = _mm512_and_si512(_mm512_rolv_epi64(reached, turn), arrival);
    return any_of_4(
        _mm256_or_si256(_mm512_castsi512_si256(attacks), _mm512_extracti64x4_epi64(attacks, 1)));
}

#endif
