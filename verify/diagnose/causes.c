/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/causes.h"

#include "core/move.h"
#include "core/position.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

const char *pm_feature_phrase(unsigned feature)
{
    static const char *const phrases[PM_FEATURE_COUNT] = {
        [PM_FEATURE_ROOK_CAPTURE] = "a capture of a rook with a castling right",
        [PM_FEATURE_CHECKMATE] = "a checkmate",
        [PM_FEATURE_STALEMATE] = "a stalemate",
        [PM_FEATURE_CHESS960] = "a castling set-up of Chess960",
        [PM_FEATURE_MANY_PIECES] = "more pieces than a game allows",
        [PM_FEATURE_EN_PASSANT] = "a legal en passant capture",
        [PM_FEATURE_BAD_EN_PASSANT] = "an illegal en passant capture",
        [PM_FEATURE_CASTLING] = "legal castling",
        [PM_FEATURE_BAD_CASTLING] = "castling that is forbidden",
    };
    if (feature < PM_RULE_COUNT)
        return pm_rule_phrase((enum pm_rule)feature);
    return feature < PM_FEATURE_COUNT ? phrases[feature] : "nothing known";
}

/* Rules first to last, and the feature that stands for any of them. */
static const struct {
    enum pm_rule first, last;
    enum pm_feature feature;
} groups[] = {
    {PM_RULE_EN_PASSANT, PM_RULE_EN_PASSANT_INTERPOSES, PM_FEATURE_EN_PASSANT},
    {PM_RULE_EN_PASSANT_RANK, PM_RULE_EN_PASSANT_NO_EVASION, PM_FEATURE_BAD_EN_PASSANT},
    {PM_RULE_CASTLING, PM_RULE_CASTLING_ROOK_ATTACKED, PM_FEATURE_CASTLING},
    {PM_RULE_CASTLING_RIGHT, PM_RULE_CASTLING_SHIELD, PM_FEATURE_BAD_CASTLING},
};

static pm_features groups_of(enum pm_rule rule)
{
    pm_features features = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (rule >= groups[i].first && rule <= groups[i].last)
            features |= PM_FEATURE_BIT(groups[i].feature);
    return features;
}

pm_features pm_features_of_rule(enum pm_rule rule)
{
    return rule >= PM_RULE_EN_PASSANT_SQUARE ? PM_FEATURE_BIT(rule) | groups_of(rule) : 0;
}

/* ---- Features of a tree ---- */

struct tree {
    const struct pm_kernel *reference;
    bool chess960;
    struct pm_position positions[PM_KERNEL_MAX_DEPTH + 1];
    void *states[PM_KERNEL_MAX_DEPTH + 1];
    pm_features features;
    uint64_t visited, limit;
};

static void note_rule(struct tree *tree, int ply, const struct pm_move *move, bool is_legal)
{
    const struct pm_rule_query query = {.positions = tree->positions,
                                        .position_count = (unsigned)ply + 1,
                                        .chess960 = tree->chess960};
    struct pm_rule_finding finding;
    char text[PM_MOVE_TEXT_SIZE];
    pm_move_to_text(move, tree->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET, text);
    pm_rule_find(&query, text, is_legal, &finding);
    tree->features |= pm_features_of_rule(finding.rule);
}

static bool is_listed(const struct pm_move moves[], unsigned count, const struct pm_move *move)
{
    for (unsigned i = 0; i < count; i++)
        if (pm_move_compare(&moves[i], move) == 0)
            return true;
    return false;
}

static bool takes_castling_rook(const struct pm_position *position, const struct pm_move *move)
{
    const pm_square *rooks = position->castling_rook[position->side_to_move ^ 1];
    return move->kind == PM_MOVE_CAPTURE &&
           (move->to == rooks[PM_KINGSIDE] || move->to == rooks[PM_QUEENSIDE]);
}

static bool is_in_check(const struct pm_position *position)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const enum pm_color them = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    pm_square king = 0;
    while (king < PM_SQUARE_COUNT && position->board[king] != pm_make_piece(us, PM_KING))
        king++;
    return king < PM_SQUARE_COUNT && pm_position_is_attacked(position, king, them);
}

static void note_node(struct tree *tree, int ply, const struct pm_move legal[], unsigned count)
{
    const struct pm_position *position = &tree->positions[ply];
    struct pm_move pseudo[PM_MAX_MOVES];
    const unsigned pseudo_count =
        pm_verify_pseudo_moves(position, (enum pm_color)position->side_to_move, pseudo);

    if (count == 0)
        tree->features |=
            PM_FEATURE_BIT(is_in_check(position) ? PM_FEATURE_CHECKMATE : PM_FEATURE_STALEMATE);
    for (unsigned i = 0; i < count; i++) {
        note_rule(tree, ply, &legal[i], true);
        if (takes_castling_rook(position, &legal[i]))
            tree->features |= PM_FEATURE_BIT(PM_FEATURE_ROOK_CAPTURE);
    }
    for (unsigned i = 0; i < pseudo_count; i++)
        if (!is_listed(legal, count, &pseudo[i]))
            note_rule(tree, ply, &pseudo[i], false);
}

/* Notes the nodes at `depth` plies from the root, if the limit allows for all of them. */
static enum pm_status visit(struct tree *tree, int ply, int depth)
{
    const struct pm_kernel *kernel = tree->reference;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    enum pm_status status = kernel->get_position(tree->states[ply], &tree->positions[ply]);

    if (status == PM_OK)
        status = kernel->legal_moves(tree->states[ply], moves, &count);
    if (status != PM_OK)
        return status;
    if (ply == depth) {
        tree->visited++;
        note_node(tree, ply, moves, count);
        return PM_OK;
    }
    for (unsigned i = 0; i < count && status == PM_OK && tree->visited < tree->limit; i++) {
        memcpy(tree->states[ply + 1], tree->states[ply], kernel->state_size);
        status = kernel->play(tree->states[ply + 1], &moves[i]);
        if (status == PM_OK)
            status = visit(tree, ply + 1, depth);
    }
    return status;
}

static pm_features features_of_root(const struct pm_position *position)
{
    unsigned warnings = 0;
    pm_position_check(position, &warnings);
    return (pm_position_is_standard(position) ? 0 : PM_FEATURE_BIT(PM_FEATURE_CHESS960)) |
           ((warnings & PM_WARN_MATERIAL) != 0 ? PM_FEATURE_BIT(PM_FEATURE_MANY_PIECES) : 0);
}

enum pm_status pm_causes_examine(const struct pm_kernel *reference, struct pm_cause_row *row,
                                 uint64_t limit)
{
    const int depth = row->depth < PM_KERNEL_MAX_DEPTH ? row->depth : PM_KERNEL_MAX_DEPTH;
    struct tree *tree = calloc(1, sizeof *tree);
    enum pm_status status = tree != NULL ? PM_OK : PM_ERROR_MEMORY;

    for (int ply = 0; ply < depth && status == PM_OK; ply++) {
        tree->states[ply] = pm_new_state(reference);
        status = tree->states[ply] != NULL ? PM_OK : PM_ERROR_MEMORY;
    }
    if (status == PM_OK) {
        tree->reference = reference;
        tree->chess960 = row->chess960;
        tree->limit = limit;
        tree->features = features_of_root(&row->position);
        status = depth > 0 ? reference->set_position(tree->states[0], &row->position) : PM_OK;
    }
    for (int ply = 0; ply < depth && status == PM_OK && tree->visited < limit; ply++)
        status = visit(tree, 0, ply);
    if (status == PM_OK)
        row->features = tree->features;
    for (int ply = 0; tree != NULL && ply < depth; ply++)
        free(tree->states[ply]);
    free(tree);
    return status;
}

/* ---- What separates ---- */

struct pm_cause pm_causes_count(const struct pm_cause_row rows[], size_t count, unsigned feature)
{
    struct pm_cause cause = {.feature = feature};
    for (size_t i = 0; i < count; i++) {
        const unsigned has = (rows[i].features & PM_FEATURE_BIT(feature)) != 0;
        if (rows[i].failed) {
            cause.failed++;
            cause.failed_with += has;
        } else {
            cause.passed++;
            cause.passed_with += has;
        }
    }
    return cause;
}

static double share(unsigned part, unsigned whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

bool pm_causes_best(const struct pm_cause_row rows[], size_t count, struct pm_cause *best)
{
    double best_value = 0;
    for (unsigned feature = 0; feature < PM_FEATURE_COUNT; feature++) {
        const struct pm_cause cause = pm_causes_count(rows, count, feature);
        const double value =
            share(cause.failed_with, cause.failed) - share(cause.passed_with, cause.passed);
        if (value > best_value) {
            best_value = value;
            *best = cause;
        }
    }
    return best_value > 0;
}

char *pm_cause_to_text(const struct pm_cause *cause, char text[PM_CAUSE_TEXT_SIZE])
{
    int length = snprintf(text, PM_CAUSE_TEXT_SIZE, "%u of %u failures contain %s",
                          cause->failed_with, cause->failed, pm_feature_phrase(cause->feature));
    if (cause->passed > 0 && length < PM_CAUSE_TEXT_SIZE)
        snprintf(text + length, (size_t)(PM_CAUSE_TEXT_SIZE - length),
                 "; so do %u of %u positions that passed", cause->passed_with, cause->passed);
    return text;
}
