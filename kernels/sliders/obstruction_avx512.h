/* SPDX-License-Identifier: MIT */
/* Obstruction difference with a lane for each line: AVX-512 counts leading zeros in all of them at
 * once, and shifts each by another number. */
#ifndef PM_KERNELS_SLIDERS_OBSTRUCTION_AVX512_H
#define PM_KERNELS_SLIDERS_OBSTRUCTION_AVX512_H

#include "kernels/sliders/lanes.h"
#include "kernels/sliders/line_masks.h"
#include "kernels/sliders/ray_table.h"

#define TECHNIQUE "obstruction difference, lines side by side in AVX-512"
#define REFERENCE "ours, 2026 (obstruction difference: Michael Hoffmann, TalkChess, 2009)"
/* AVX512CD has no bit of its own: every processor with AVX512VL has it. */
#define CPU_REQUIRED (PM_CPU_AVX512F | PM_CPU_AVX512VL)
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(rays))

static inline void build_technique(void)
{
    build_line_masks();
    build_rays();
}

PM_ALWAYS_INLINE __m256i four(const uint64_t sets[])
{
    return _mm256_loadu_si256((const __m256i *)(const void *)sets);
}

/* Lanes of lines: a rook has the first two, a bishop the last two. */
PM_ALWAYS_INLINE __m256i attacks_on_lines(unsigned square, uint64_t occupied)
{
    const __m256i pieces = _mm256_set1_epi64x((long long)occupied);
    const __m256i upper = _mm256_and_si256(pieces, four(&rays[square][NORTH]));
    const __m256i lower = _mm256_and_si256(pieces, four(&rays[square][SOUTH]));
    const __m256i zeros = _mm256_lzcnt_epi64(_mm256_or_si256(lower, _mm256_set1_epi64x(1)));
    const __m256i below = _mm256_srlv_epi64(_mm256_set1_epi64x(INT64_MIN), zeros);
    const __m256i changed = _mm256_xor_si256(upper, _mm256_sub_epi64(upper, below));
    return _mm256_and_si256(changed, four(line_masks[square]));
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return any_of_2(_mm256_castsi256_si128(attacks_on_lines(square, occupied)));
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return any_of_2(_mm256_extracti128_si256(attacks_on_lines(square, occupied), 1));
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    return any_of_4(attacks_on_lines(square, occupied));
}

#endif
