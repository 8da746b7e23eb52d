/* SPDX-License-Identifier: MIT */
/* What landings on their sliders' rays cost or bring: 64 squares at once, in two halves.
 *
 * A landing on a ray ends it there: as many squares are left as the landing is away, instead of the
 * ray's free squares. This is right for an empty square, which cuts the ray, and for the piece at
 * its end if that is theirs, which then can be captured.
 *
 *      R . . n          R on a1 with d1 its own piece: free b1, c1: 2 squares
 *        1 2 3          the distances: landing on b1 leaves 1 of 2, on d1 gives 3
 *
 * A loss is a number below zero, and where distance and length give none it is zero. So all squares
 * may be looked at: off the slider's lines the distance is 0, and beyond a ray's end it is no less
 * than the length. */
#ifndef PM_REPLY256_RAYS_AVX2_H
#define PM_REPLY256_RAYS_AVX2_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/parent.h"
#include "kernels/reply256/tables.h"

#include <immintrin.h>
#include <stdint.h>

/* A byte a square. */
struct bytes {
    __m256i half[2];
};

/* All ones in the bytes of a set's squares; a set of 32. */
PM_ALWAYS_INLINE __m256i spread(uint32_t set)
{
    const __m256i byte_of =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bit_of = _mm256_set1_epi64x((long long)0x8040201008040201ULL);
    const __m256i bits = _mm256_shuffle_epi8(_mm256_set1_epi32((int)set), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bits, bit_of), bit_of);
}

PM_ALWAYS_INLINE struct bytes arrivals_in_bytes(const struct arrivals *arrivals)
{
    struct bytes bytes;
    for (unsigned i = 0; i < 2; i++) {
        const __m256i ones = spread((uint32_t)(arrivals->ones >> 32 * i));
        const __m256i twos = spread((uint32_t)(arrivals->twos >> 32 * i));
        const __m256i fours = spread((uint32_t)(arrivals->fours >> 32 * i));
        bytes.half[i] =
            _mm256_or_si256(_mm256_or_si256(_mm256_and_si256(ones, _mm256_set1_epi8(1)),
                                            _mm256_and_si256(twos, _mm256_set1_epi8(2))),
                            _mm256_and_si256(fours, _mm256_set1_epi8(4)));
    }
    return bytes;
}

/* Adds what one slider loses to sums of pairs of squares. The lengths of its rays are the bytes of
 * one word, and each square takes that of its own direction. */
PM_ALWAYS_INLINE __m256i add_losses(__m256i sums, const struct bytes *arrivals, unsigned square,
                                    uint64_t free)
{
    uint64_t lengths = 0;
#pragma GCC unroll 8
    for (unsigned direction = 0; direction < DIRECTION_COUNT; direction++)
        lengths |= (uint64_t)pm_popcount(free & tables.ray[square][direction]) << 8 * direction;
    const __m256i by_direction = _mm256_set1_epi64x((long long)lengths);
    for (unsigned i = 0; i < 2; i++) {
        const __m256i direction = _mm256_load_si256((const __m256i *)tables.direction[square] + i);
        const __m256i distance = _mm256_load_si256((const __m256i *)tables.distance[square] + i);
        const __m256i length = _mm256_shuffle_epi8(by_direction, direction);
        const __m256i lost =
            _mm256_min_epi8(_mm256_sub_epi8(distance, length), _mm256_setzero_si256());
        sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(arrivals->half[i], lost));
    }
    return sums;
}

PM_ALWAYS_INLINE uint64_t sum_of_words(__m256i words)
{
    const __m256i eight = _mm256_madd_epi16(words, _mm256_set1_epi16(1));
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    const __m128i one = _mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1));
    return (uint64_t)(int64_t)_mm_cvtsi128_si32(one);
}

PM_ALWAYS_INLINE uint64_t changes_of_sliders(const struct parent *parent,
                                             const struct arrivals *arrivals)
{
    const struct bytes bytes = arrivals_in_bytes(arrivals);
    const uint64_t enemy = parent->board->enemy, landed = landed_on(arrivals);
    __m256i sums = _mm256_setzero_si256();
    uint64_t gains = 0;
    for (unsigned i = 0; i < parent->sliders; i++) {
        const uint64_t attacks = parent->slider[i].attacks, free = attacks & ~enemy;
        gains += arrivals_on(arrivals, attacks & enemy);
        if (free & landed)
            sums = add_losses(sums, &bytes, parent->slider[i].square, free);
    }
    return gains + sum_of_words(sums);
}

#endif
