/* SPDX-License-Identifier: MIT */
/* The children of a position by quiet moves, as keys: none of them is made. Quiet are here all
 * moves that capture nothing, promote nothing, are no castling, and leave no en passant square. */
#ifndef PM_PERFT_QUIETS_H
#define PM_PERFT_QUIETS_H

#include "core/after_move.h"
#include "core/bitboards.h"
#include "core/bits.h"
#include "core/board.h"
#include "perft/zobrist.h"

#include <stdint.h>

#ifdef __AVX512VBMI2__
#include <immintrin.h>
#endif

struct pm_quiets {
    unsigned count;
    uint64_t key[PM_MAX_MOVES + 64]; /* room for whole vectors */
    uint8_t type[PM_MAX_MOVES + 64], from[PM_MAX_MOVES + 64], to[PM_MAX_MOVES + 64];
};

/* Adds the moves of one piece, or of pawns, to `targets`: change[to] is what the target changes of
 * the key, and each origin is `from`, or its target plus `from` if `relative`. */
PM_ALWAYS_INLINE void pm_add_quiets(struct pm_quiets *quiets, enum pm_piece_type type,
                                    uint64_t targets, const uint64_t *change, uint64_t key,
                                    int from, bool relative)
{
#ifdef __AVX512VBMI2__
    static const uint8_t squares[64] __attribute__((aligned(64))) = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const unsigned first = quiets->count, added = pm_popcount(targets);
    const __m256i to =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(targets, _mm512_load_si512(squares)));
    const __m256i origin = _mm256_set1_epi8((char)from);
    _mm256_storeu_si256((void *)(quiets->to + first), to);
    _mm256_storeu_si256((void *)(quiets->from + first),
                        relative ? _mm256_add_epi8(to, origin) : origin);
    _mm256_storeu_si256((void *)(quiets->type + first), _mm256_set1_epi8((char)type));
    const __m512i base = _mm512_set1_epi64((long long)key);
    for (unsigned i = 0; i < added; i += 8) {
        const __m512i index =
            _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(quiets->to + first + i)));
        _mm512_storeu_si512(quiets->key + first + i,
                            _mm512_xor_si512(base, _mm512_i64gather_epi64(index, change, 8)));
    }
    quiets->count = first + added;
#else
    unsigned count = quiets->count;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest), count++) {
        const unsigned to = pm_lsb(rest);
        quiets->key[count] = key ^ change[to];
        quiets->type[count] = (uint8_t)type;
        quiets->from[count] = (uint8_t)(relative ? (int)to + from : from);
        quiets->to[count] = (uint8_t)to;
    }
    quiets->count = count;
#endif
}

/* Lists the quiet moves and takes them from `moves`. */
PM_ALWAYS_INLINE void pm_take_quiets(struct pm_quiets *quiets, const struct pm_zobrist *zobrist,
                                     const struct pm_bitboards *board, enum pm_color us,
                                     uint64_t board_key, struct pm_expansion *moves)
{
    const uint64_t enemy = board->pieces[pm_opponent(us)];
    const uint64_t rights = board->rights & PM_BACK_RANKS;
    const uint64_t key = board_key ^ pm_zobrist_of_rights(zobrist, pm_en_passant_set(board));
    quiets->count = 0;
    for (unsigned i = 0; i < moves->piece_count; i++) {
        struct pm_piece_moves *piece = &moves->pieces[i];
        const uint64_t *change = zobrist->piece[us][piece->type];
        const uint64_t lost =
            rights & (pm_bit(piece->from) | (piece->type == PM_KING ? pm_rank_set(us, 1) : 0));
        const uint64_t without = key ^ change[piece->from] ^ pm_zobrist_of_rights(zobrist, lost);
        pm_add_quiets(quiets, (enum pm_piece_type)piece->type, piece->targets & ~enemy, change,
                      without, piece->from, false);
        piece->targets &= enemy;
    }

    const int back = us == PM_WHITE ? -8 : 8;
    pm_add_quiets(quiets, PM_PAWN, moves->pushes & ~PM_BACK_RANKS, zobrist->push[us], key, back,
                  true);
    moves->pushes &= PM_BACK_RANKS;
    const uint64_t beside_pawns = pm_beside(board->pawns & enemy);
    pm_add_quiets(quiets, PM_PAWN, moves->double_pushes & ~beside_pawns, zobrist->double_push[us],
                  key, 2 * back, true);
    moves->double_pushes &= beside_pawns;
}

/* With AVX-512 the child is written as a whole, as whoever counts below it reads it. */
PM_ALWAYS_INLINE void pm_after_quiet(struct pm_bitboards *child, const struct pm_bitboards *board,
                                     enum pm_color us, const struct pm_quiets *quiets, unsigned i)
{
    const enum pm_piece_type type = (enum pm_piece_type)quiets->type[i];
    const uint64_t from = pm_bit(quiets->from[i]), to = pm_bit(quiets->to[i]);
#ifdef __AVX512VBMI2__
    /* The planes that a piece of a type is in: bit 2 pawns … bit 6 kings. */
    static const uint8_t planes[PM_PIECE_TYPE_COUNT] = {0, 0x04, 0x08, 0x10, 0x20, 0x30, 0x40};
    const uint64_t lost = from | ~PM_BACK_RANKS | (type == PM_KING ? pm_rank_set(us, 1) : 0);
    const __mmask8 changed = (__mmask8)(planes[type] | 1U << us);
    __m512i planes_after = _mm512_load_si512((const void *)board);
    planes_after = _mm512_mask_xor_epi64(planes_after, changed, planes_after,
                                         _mm512_set1_epi64((long long)(from | to)));
    planes_after = _mm512_mask_andnot_epi64(planes_after, 0x80, _mm512_set1_epi64((long long)lost),
                                            planes_after);
    _mm512_store_si512((void *)child, planes_after);
#else
    pm_after_move(child, board, us, type, from, to);
#endif
}

#endif
