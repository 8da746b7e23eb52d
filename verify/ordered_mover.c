/* SPDX-License-Identifier: MIT */
#include "verify/ordered_mover.h"

#include <stdlib.h>

static const struct pm_kernel *inner;

struct keyed_move {
    uint32_t key;
    struct pm_move move;
};

/* The reference's steps: files to the right, ranks up. */
static const int line_steps[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                     {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
static const int knight_steps[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                       {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

static unsigned find_step(const int steps[8][2], int file, int rank)
{
    unsigned i = 0;
    while (i < 7 && (steps[i][0] != file || steps[i][1] != rank))
        i++;
    return i;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* By direction, then by distance. */
static uint32_t piece_key(int files, int ranks)
{
    const int distance = abs(files) > abs(ranks) ? abs(files) : abs(ranks);
    if (files != 0 && ranks != 0 && abs(files) != abs(ranks))
        return find_step(knight_steps, files, ranks);
    return find_step(line_steps, sign(files), sign(ranks)) << 8 | (uint32_t)distance;
}

/* Pushes, the capture to the left, the one to the right; promotions from knight to queen. */
static uint32_t pawn_key(const struct pm_move *move, int files)
{
    const uint32_t group = files == 0 ? move->kind == PM_MOVE_DOUBLE_PUSH : files < 0 ? 2 : 3;
    return group << 8 | move->promotion;
}

/* Castlings last, the king's side first; else by the square from which a piece moves. */
static uint32_t key_of(const struct pm_position *position, const struct pm_move *move)
{
    const int files = (int)pm_file_of(move->to) - (int)pm_file_of(move->from);
    const int ranks = (int)pm_rank_of(move->to) - (int)pm_rank_of(move->from);
    if (move->kind == PM_MOVE_CASTLING)
        return 1U << 24 | (move->to < move->from);
    return (uint32_t)move->from << 16 |
           (pm_type_of(position->board[move->from]) == PM_PAWN ? pawn_key(move, files)
                                                               : piece_key(files, ranks));
}

static int by_key(const void *a, const void *b)
{
    const struct keyed_move *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    struct keyed_move keyed[PM_MAX_MOVES];
    struct pm_position position;
    enum pm_status status = inner->legal_moves(state, moves, count);
    if (status == PM_OK)
        status = inner->get_position(state, &position);
    if (status != PM_OK)
        return status;
    for (unsigned i = 0; i < *count; i++)
        keyed[i] = (struct keyed_move){key_of(&position, &moves[i]), moves[i]};
    qsort(keyed, *count, sizeof *keyed, by_key);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = keyed[i].move;
    return PM_OK;
}

const struct pm_kernel *pm_ordered_mover(const struct pm_kernel *fast)
{
    static struct pm_kernel ordered;
    inner = fast;
    ordered = *fast;
    ordered.legal_moves = legal_moves;
    return &ordered;
}
