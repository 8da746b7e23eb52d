/* SPDX-License-Identifier: MIT */
#include "perft/zobrist.h"

#include "core/random.h"

#include <string.h>

void pm_zobrist_fill(struct pm_zobrist *zobrist, uint64_t seed)
{
    struct pm_random random = {.state = seed};
    memset(zobrist, 0, sizeof *zobrist);
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned type = PM_PAWN; type < PM_PIECE_TYPE_COUNT; type++)
            for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
                zobrist->piece[color][type][square] = pm_random_next(&random);
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        zobrist->rights[square] = pm_random_next(&random);

    for (unsigned to = 8; to < PM_SQUARE_COUNT; to++) {
        const uint64_t *white = zobrist->piece[PM_WHITE][PM_PAWN];
        const uint64_t *black = zobrist->piece[PM_BLACK][PM_PAWN];
        zobrist->push[PM_WHITE][to] = white[to] ^ white[to - 8];
        zobrist->push[PM_BLACK][to ^ 56] = black[to ^ 56] ^ black[(to - 8) ^ 56];
        if (to < 16)
            continue;
        zobrist->double_push[PM_WHITE][to] = white[to] ^ white[to - 16];
        zobrist->double_push[PM_BLACK][to ^ 56] = black[to ^ 56] ^ black[(to - 16) ^ 56];
    }
}
