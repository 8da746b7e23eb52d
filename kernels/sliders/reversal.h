/* SPDX-License-Identifier: MIT */
/* Reversal of all 64 bits in vector lanes: bytes by a shuffle, the bits in them by a GFNI matrix.
 */
#ifndef PM_KERNELS_SLIDERS_REVERSAL_H
#define PM_KERNELS_SLIDERS_REVERSAL_H

#include "kernels/sliders/lanes.h"

#define SWAPPED_BYTES_HIGH 0x08090A0B0C0D0E0F
#define SWAPPED_BYTES_LOW 0x0001020304050607
#define KEPT_BYTES_LOW 0x0706050403020100
#define REVERSED_BITS INT64_C(-0x7FBFDFEFF7FBFDFF) /* the matrix of ones on the other diagonal */
#define KEPT_BITS 0x0102040810204080               /* the unit matrix */

PM_ALWAYS_INLINE __m128i reversed_2(__m128i lanes)
{
    const __m128i swap = _mm_set_epi64x(SWAPPED_BYTES_HIGH, SWAPPED_BYTES_LOW);
    return _mm_gf2p8affine_epi64_epi8(_mm_shuffle_epi8(lanes, swap), _mm_set1_epi64x(REVERSED_BITS),
                                      0);
}

PM_ALWAYS_INLINE __m256i reversed_4(__m256i lanes)
{
    const __m256i swap = _mm256_set_epi64x(SWAPPED_BYTES_HIGH, SWAPPED_BYTES_LOW,
                                           SWAPPED_BYTES_HIGH, SWAPPED_BYTES_LOW);
    return _mm256_gf2p8affine_epi64_epi8(_mm256_shuffle_epi8(lanes, swap),
                                         _mm256_set1_epi64x(REVERSED_BITS), 0);
}

#endif
