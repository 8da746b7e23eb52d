/* SPDX-License-Identifier: MIT */
/* All eight rays in one vector, each lane a ray, every other lane with the board turned by 180
 * degrees: so all rays lead upward, and x ^ (x - 1) cuts each after its first piece. Turning half
 * of the lanes costs no more than turning all: shuffle and matrix differ from lane to lane. */
#ifndef PM_KERNELS_SLIDERS_RAYS_AVX512_H
#define PM_KERNELS_SLIDERS_RAYS_AVX512_H

#include "kernels/sliders/rays.h"
#include "kernels/sliders/reversal.h"

#define TECHNIQUE "eight upward rays at once, half of them on the turned board (AVX-512, GFNI)"
#define REFERENCE "ours, 2026 (x ^ (x - 1): J. Progsch and D. Infuehr, 2021)"
#define CPU_REQUIRED (PM_CPU_AVX512F | PM_CPU_AVX512BW | PM_CPU_AVX512VL | PM_CPU_GFNI)
#define CPU_SLOW 0
#define TABLE_BYTES sizeof(upward_rays)

/* A rook's four, then a bishop's. Odd places hold the downward rays, turned. */
static uint64_t upward_rays[64][8] __attribute__((aligned(64)));

static inline void build_technique(void)
{
    static const uint8_t lines[8] = {FILE_LINE, FILE_LINE, RANK_LINE,    RANK_LINE,
                                     DIAGONAL,  DIAGONAL,  ANTIDIAGONAL, ANTIDIAGONAL};
    for (unsigned square = 0; square < 64; square++)
        for (unsigned lane = 0; lane < 8; lane++)
            upward_rays[square][lane] =
                walk_ray(lane % 2 == 0 ? square : square ^ 63, (enum direction)lines[lane], 0);
}

/* The second lane turned, the first kept. */
PM_ALWAYS_INLINE __m128i half_turned(__m128i lanes)
{
    const __m128i swap = _mm_set_epi64x(SWAPPED_BYTES_HIGH, KEPT_BYTES_LOW);
    return _mm_gf2p8affine_epi64_epi8(_mm_shuffle_epi8(lanes, swap),
                                      _mm_set_epi64x(REVERSED_BITS, KEPT_BITS), 0);
}

/* ray & (pieces ^ (pieces - 1)) */
enum { CUT = 0x28 };

PM_ALWAYS_INLINE uint64_t four_rays(__m128i boards, const uint64_t rays[4])
{
    const __m256i ray = _mm256_load_si256((const __m256i *)(const void *)rays);
    const __m256i pieces = _mm256_and_si256(_mm256_broadcastsi128_si256(boards), ray);
    const __m256i less = _mm256_add_epi64(pieces, _mm256_set1_epi64x(-1));
    const __m256i reached = _mm256_ternarylogic_epi64(pieces, less, ray, CUT);
    return any_of_2(half_turned(
        _mm_or_si128(_mm256_castsi256_si128(reached), _mm256_extracti128_si256(reached, 1))));
}

/* The board as it stands, and turned. */
PM_ALWAYS_INLINE __m128i both_boards(uint64_t occupied)
{
    return half_turned(_mm_set1_epi64x((long long)occupied));
}

PM_ALWAYS_INLINE uint64_t rook_attacks(unsigned square, uint64_t occupied)
{
    return four_rays(both_boards(occupied), &upward_rays[square][0]);
}

PM_ALWAYS_INLINE uint64_t bishop_attacks(unsigned square, uint64_t occupied)
{
    return four_rays(both_boards(occupied), &upward_rays[square][4]);
}

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    const __m512i ray = _mm512_load_si512(upward_rays[square]);
    const __m512i boards = _mm512_broadcast_i32x4(both_boards(occupied));
    const __m512i pieces = _mm512_and_si512(boards, ray);
    const __m512i less = _mm512_add_epi64(pieces, _mm512_set1_epi64(-1));
    const __m512i reached = _mm512_ternarylogic_epi64(pieces, less, ray, CUT);
    const __m256i half =
        _mm256_or_si256(_mm512_castsi512_si256(reached), _mm512_extracti64x4_epi64(reached, 1));
    return any_of_2(
        half_turned(_mm_or_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1))));
}

#endif
