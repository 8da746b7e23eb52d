/* SPDX-License-Identifier: MIT */
#include "rules/dead.h"

#include "rules/material.h"

/* Most positions of games have more than twelve moves and more than four of them by pawns; of 806
 * dead positions collected for being hard, three. */
static bool is_free(const struct pm_view *view)
{
    unsigned pawn_moves = 0;
    if (view->move_count <= 12)
        return false;
    for (unsigned i = 0; i < view->move_count; i++)
        pawn_moves += pm_type_of(view->position.board[view->moves[i].from]) == PM_PAWN;
    return pawn_moves > 4;
}

/* PM_PROOF_NONE: no proof that `color` can't mate. */
static enum pm_mate_proof proof_against(const struct pm_view *view, enum pm_color color)
{
    struct pm_helpmate helpmate;
    pm_helpmate_find(view, color, PM_HELPMATE_LIMITS, &helpmate);
    return helpmate.chance == PM_MATE_IMPOSSIBLE ? helpmate.proof : PM_PROOF_NONE;
}

bool pm_cannot_mate_proof(const struct pm_view *view, enum pm_color color)
{
    return pm_material_cannot_mate(&view->position, color) ||
           (!is_free(view) && proof_against(view, color) != PM_PROOF_NONE);
}

enum pm_dead pm_dead_proof(const struct pm_view *view)
{
    if (is_free(view))
        return PM_DEAD_NOT_PROVED;
    const enum pm_mate_proof white = proof_against(view, PM_WHITE);
    if (white == PM_PROOF_NONE)
        return PM_DEAD_NOT_PROVED;
    const enum pm_mate_proof black = proof_against(view, PM_BLACK);
    if (black == PM_PROOF_NONE)
        return PM_DEAD_NOT_PROVED;
    return white == PM_PROOF_SEARCH || black == PM_PROOF_SEARCH ? PM_DEAD_LINES : PM_DEAD_WALL;
}
