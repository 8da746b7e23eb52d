/* SPDX-License-Identifier: MIT */
#include "rules/material.h"

/* What a side has, as far as the question goes. */
struct pieces {
    unsigned knights;
    unsigned bishops[2]; /* on dark and on light squares */
    unsigned queens;
    unsigned pawns_and_rooks;
};

static void count_pieces(const struct pm_position *position, struct pieces pieces[PM_COLOR_COUNT])
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        struct pieces *const side = &pieces[pm_color_of(piece)];
        switch (pm_type_of(piece)) {
        case PM_KNIGHT:
            side->knights++;
            break;
        case PM_BISHOP:
            side->bishops[(pm_file_of(square) + pm_rank_of(square)) & 1]++;
            break;
        case PM_QUEEN:
            side->queens++;
            break;
        case PM_PAWN:
        case PM_ROOK:
            side->pawns_and_rooks++;
            break;
        default:
            break;
        }
    }
}

static unsigned count_bishops(const struct pieces *pieces)
{
    return pieces->bishops[0] + pieces->bishops[1];
}

static bool has_pawn(const struct pm_position *position)
{
    for (pm_square square = 8; square < 56; square++) {
        if (pm_type_of(position->board[square]) == PM_PAWN)
            return true;
    }
    return false;
}

bool pm_material_cannot_mate(const struct pm_position *position, enum pm_color color)
{
    struct pieces pieces[PM_COLOR_COUNT] = {0};
    count_pieces(position, pieces);
    const struct pieces *const own = &pieces[color];
    const struct pieces *const enemy = &pieces[1 - color];
    if (own->pawns_and_rooks + own->queens > 0)
        return false;
    /* A lone knight needs an enemy piece that blocks its own king; queens can always help instead.
     */
    if (own->knights > 0)
        return own->knights == 1 && count_bishops(own) == 0 && enemy->knights == 0 &&
               count_bishops(enemy) == 0 && enemy->pawns_and_rooks == 0;
    if (count_bishops(own) == 0)
        return true;
    /* Bishops of one square color never attack the king's neighbors of the other: only a knight,
     * a pawn or a bishop there can block the king without being able to help it. */
    const bool one_shade =
        own->bishops[0] + enemy->bishops[0] == 0 || own->bishops[1] + enemy->bishops[1] == 0;
    return one_shade && enemy->knights == 0 && !has_pawn(position);
}

/* Whether a piece stands on the board with which its side can always mate. */
static bool has_strong_piece(const struct pm_position *position)
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        switch (pm_type_of(position->board[square])) {
        case PM_PAWN:
        case PM_ROOK:
        case PM_QUEEN:
            return true;
        default:
            break;
        }
    }
    return false;
}

bool pm_material_is_insufficient(const struct pm_position *position)
{
    return !has_strong_piece(position) && pm_material_cannot_mate(position, PM_WHITE) &&
           pm_material_cannot_mate(position, PM_BLACK);
}
