/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/minimize.h"

#include "core/position.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct pm_kernel *mover;
    void *root, *child; /* states of the mover */
    const struct pm_difference *difference;
    struct pm_position *position;
    int *depth;
};

/* A kind of step: takes the first that leaves the difference, if there is one. */
typedef bool (*shrink)(struct search *search);

static bool take(struct search *search, const struct pm_position *smaller, int depth)
{
    if (pm_position_check(smaller, NULL) != PM_FAULT_NONE ||
        !search->difference->holds(search->difference->context, smaller, depth))
        return false;
    *search->position = *smaller;
    *search->depth = depth;
    return true;
}

static bool lower_depth(struct search *search)
{
    for (int depth = 1; depth < *search->depth; depth++)
        if (take(search, search->position, depth))
            return true;
    return false;
}

static bool descend(struct search *search)
{
    const struct pm_kernel *mover = search->mover;
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_position after;
    unsigned count;
    if (*search->depth == 1 || mover->set_position(search->root, search->position) != PM_OK ||
        mover->legal_moves(search->root, moves, &count) != PM_OK)
        return false;
    for (unsigned i = 0; i < count; i++) {
        memcpy(search->child, search->root, mover->state_size);
        if (mover->play(search->child, &moves[i]) == PM_OK &&
            mover->get_position(search->child, &after) == PM_OK &&
            take(search, &after, *search->depth - 1))
            return true;
    }
    return false;
}

static void drop_right(struct pm_position *position, pm_square rook)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] == rook)
                position->castling_rook[color][side] = PM_NO_SQUARE;
}

static bool remove_piece(struct search *search)
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        struct pm_position smaller = *search->position;
        if (smaller.board[square] == PM_EMPTY || pm_type_of(smaller.board[square]) == PM_KING)
            continue;
        smaller.board[square] = PM_EMPTY;
        drop_right(&smaller, square);
        if (take(search, &smaller, *search->depth))
            return true;
    }
    return false;
}

static bool remove_right(struct search *search)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            struct pm_position smaller = *search->position;
            if (smaller.castling_rook[color][side] == PM_NO_SQUARE)
                continue;
            smaller.castling_rook[color][side] = PM_NO_SQUARE;
            if (take(search, &smaller, *search->depth))
                return true;
        }
    return false;
}

static bool remove_en_passant(struct search *search)
{
    struct pm_position smaller = *search->position;
    if (smaller.en_passant == PM_NO_SQUARE)
        return false;
    smaller.en_passant = PM_NO_SQUARE;
    return take(search, &smaller, *search->depth);
}

static bool reset_clocks(struct search *search)
{
    struct pm_position smaller = *search->position;
    if (smaller.halfmove_clock == 0 && smaller.fullmove_number == 1)
        return false;
    smaller.halfmove_clock = 0;
    smaller.fullmove_number = 1;
    return take(search, &smaller, *search->depth);
}

/* A queen becomes a rook or a bishop. */
static bool weaken_piece(struct search *search)
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        struct pm_position smaller = *search->position;
        const pm_piece piece = smaller.board[square];
        if (pm_type_of(piece) != PM_QUEEN)
            continue;
        for (unsigned type = PM_BISHOP; type <= PM_ROOK; type++) {
            smaller.board[square] = pm_make_piece(pm_color_of(piece), (enum pm_piece_type)type);
            if (take(search, &smaller, *search->depth))
                return true;
        }
    }
    return false;
}

enum pm_status pm_minimize(const struct pm_kernel *mover, const struct pm_difference *difference,
                           struct pm_position *position, int *depth)
{
    static const shrink steps[] = {lower_depth,  descend,           remove_piece, weaken_piece,
                                   remove_right, remove_en_passant, reset_clocks};
    const size_t count = sizeof steps / sizeof *steps;
    struct search search = {
        .mover = mover,
        .root = pm_new_state(mover),
        .child = pm_new_state(mover),
        .difference = difference,
        .position = position,
        .depth = depth,
    };
    const bool ready = search.root != NULL && search.child != NULL;
    /* After every step that succeeds all kinds are tried again. */
    for (size_t i = 0; ready && i < count;)
        i = steps[i](&search) ? 0 : i + 1;
    free(search.root);
    free(search.child);
    return ready ? PM_OK : PM_ERROR_MEMORY;
}
