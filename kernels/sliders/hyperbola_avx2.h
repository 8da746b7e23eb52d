/* SPDX-License-Identifier: MIT */
/* o ^ (o - 2r) with a lane for the file and for each diagonal, bytes swapped by one shuffle; the
 * rank is looked up. */
#ifndef PM_KERNELS_SLIDERS_HYPERBOLA_AVX2_H
#define PM_KERNELS_SLIDERS_HYPERBOLA_AVX2_H

#include "kernels/sliders/first_rank_bytes.h"
#include "kernels/sliders/lanes.h"
#include "kernels/sliders/line_masks.h"

#define TECHNIQUE "hyperbola quintessence, lines side by side in AVX2"
#define REFERENCE                                                                                  \
    "Gerd Isenberg, Chess Programming Wiki (hyperbola quintessence, SSSE3), about 2008"
#define CPU_REQUIRED PM_CPU_AVX2
#define CPU_SLOW 0
#define TABLE_BYTES (sizeof(line_masks) + sizeof(first_rank_bytes))

static inline void build_technique(void)
{
    build_line_masks();
    build_first_rank_bytes();
    /* The rank goes another way; its lane stays empty. */
    for (unsigned square = 0; square < 64; square++)
        line_masks[square][RANK_LINE] = 0;
}

PM_ALWAYS_INLINE uint64_t file_attacks(unsigned square, uint64_t occupied)
{
    const uint64_t mask = line_masks[square][FILE_LINE], pieces = occupied & mask;
    const uint64_t down = __builtin_bswap64(pieces) - pm_bit(square ^ 56);
    return ((pieces - pm_bit(square)) ^ __builtin_bswap64(down)) & mask;
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return file_attacks(square, occupied) | rank_attacks(square, occupied);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    const __m128i swap = _mm_set_epi64x(0x08090A0B0C0D0E0F, 0x0001020304050607);
    const __m128i mask =
        _mm_loadu_si128((const __m128i *)(const void *)&line_masks[square][DIAGONAL]);
    const __m128i pieces = _mm_and_si128(_mm_set1_epi64x((long long)occupied), mask);
    const __m128i up = _mm_sub_epi64(pieces, _mm_set1_epi64x((long long)pm_bit(square)));
    const __m128i down = _mm_sub_epi64(_mm_shuffle_epi8(pieces, swap),
                                       _mm_set1_epi64x((long long)pm_bit(square ^ 56)));
    return any_of_2(_mm_and_si128(_mm_xor_si128(up, _mm_shuffle_epi8(down, swap)), mask));
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const __m256i swap = _mm256_set_epi64x(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                           0x08090A0B0C0D0E0F, 0x0001020304050607);
    const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)line_masks[square]);
    const __m256i pieces = _mm256_and_si256(_mm256_set1_epi64x((long long)occupied), mask);
    const __m256i up = _mm256_sub_epi64(pieces, _mm256_set1_epi64x((long long)pm_bit(square)));
    const __m256i down = _mm256_sub_epi64(_mm256_shuffle_epi8(pieces, swap),
                                          _mm256_set1_epi64x((long long)pm_bit(square ^ 56)));
    const __m256i both = _mm256_xor_si256(up, _mm256_shuffle_epi8(down, swap));
    return any_of_4(_mm256_and_si256(both, mask)) | rank_attacks(square, occupied);
}

#endif
