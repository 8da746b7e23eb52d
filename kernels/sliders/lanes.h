/* SPDX-License-Identifier: MIT */
/* Reductions of vectors: what all lanes of 64 bits hold together. */
#ifndef PM_KERNELS_SLIDERS_LANES_H
#define PM_KERNELS_SLIDERS_LANES_H

#include "core/bits.h"

#include <immintrin.h>

PM_ALWAYS_INLINE uint64_t any_of_2(__m128i lanes)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(lanes, _mm_unpackhi_epi64(lanes, lanes)));
}

PM_ALWAYS_INLINE uint64_t any_of_4(__m256i lanes)
{
    return any_of_2(
        _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1)));
}

#endif
