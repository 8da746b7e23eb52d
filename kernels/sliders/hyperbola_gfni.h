/* SPDX-License-Identifier: MIT */
/* o ^ (o - 2r) with a lane for each line. Reversing all bits by GFNI, not only the bytes, makes
 * ranks lines like the others. */
#ifndef PM_KERNELS_SLIDERS_HYPERBOLA_GFNI_H
#define PM_KERNELS_SLIDERS_HYPERBOLA_GFNI_H

#include "kernels/sliders/line_masks.h"
#include "kernels/sliders/reversal.h"

#define TECHNIQUE "hyperbola quintessence, lines side by side, GFNI bit reversal"
#define REFERENCE "Daniel Infuehr (Galois field), TalkChess, 2023"
#define CPU_REQUIRED (PM_CPU_AVX2 | PM_CPU_GFNI)
#define CPU_SLOW 0
#define TABLE_BYTES sizeof(line_masks)

static inline void build_technique(void)
{
    build_line_masks();
}

PM_ALWAYS_INLINE uint64_t two_lines(unsigned square, const uint64_t masks[2], uint64_t occupied)
{
    const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)masks);
    const __m128i pieces = _mm_and_si128(_mm_set1_epi64x((long long)occupied), mask);
    const __m128i up = _mm_sub_epi64(pieces, _mm_set1_epi64x((long long)pm_bit(square)));
    const __m128i down =
        _mm_sub_epi64(reversed_2(pieces), _mm_set1_epi64x((long long)pm_bit(square ^ 63)));
    return any_of_2(_mm_and_si128(_mm_xor_si128(up, reversed_2(down)), mask));
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return two_lines(square, &line_masks[square][FILE_LINE], occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return two_lines(square, &line_masks[square][DIAGONAL], occupied);
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)line_masks[square]);
    const __m256i pieces = _mm256_and_si256(_mm256_set1_epi64x((long long)occupied), mask);
    const __m256i up = _mm256_sub_epi64(pieces, _mm256_set1_epi64x((long long)pm_bit(square)));
    const __m256i down =
        _mm256_sub_epi64(reversed_4(pieces), _mm256_set1_epi64x((long long)pm_bit(square ^ 63)));
    return any_of_4(_mm256_and_si256(_mm256_xor_si256(up, reversed_4(down)), mask));
}

#endif
