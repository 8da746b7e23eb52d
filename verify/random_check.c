/* SPDX-License-Identifier: MIT */
/* Level random: generated positions, on which each kernel's moves, positions after them, attacks
 * and counts must be the reference's, and hash keys right. Each position is made and counted by the
 * reference once for all kernels. The parallel part keeps only who was wrong where; descriptions
 * are made afterwards, in order, so the threads don't show in the report. */
#include "core/clock.h"
#include "core/fen.h"
#include "core/mode.h"
#include "core/move.h"
#include "core/position.h"
#include "verify/diagnose/minimize.h"
#include "verify/generator.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One position, and what the reference says of it. */
struct right {
    struct pm_position position;
    enum pm_theme theme;
    bool chess960;
    int depth; /* how deep it was counted */
    unsigned count;
    uint64_t nodes[PM_KERNEL_MAX_DEPTH + 1]; /* by depth */
    struct pm_move moves[PM_MAX_MOVES];      /* sorted */
    struct pm_position after[PM_MAX_MOVES];  /* position after each */
    struct pm_attacks attacks;               /* none if the reference has no attacks() */
};

/* What is needed to look at one position. */
struct desk {
    struct right right;
    bool has_attacks;   /* the reference tells them */
    void *root, *child; /* states of the reference */
    struct pm_move given[PM_MAX_MOVES];
    char text[PM_VERIFY_TEXT_SIZE];
};

struct outcome {
    uint64_t wrong, unsupported; /* bit for each kernel */
    uint64_t nodes;
    int depth; /* 0: not reached */
};

struct random_check {
    const struct pm_verify_config *config;
    const struct pm_verify_random *what;
    struct pm_generator generator;
    struct pm_verify_case *const *results;
    struct outcome *outcomes;
};

static void free_desk(struct desk *desk)
{
    if (desk == NULL)
        return;
    free(desk->root);
    free(desk->child);
    free(desk);
}

static struct desk *new_desk(const struct pm_kernel *reference)
{
    struct desk *desk = calloc(1, sizeof *desk);
    if (desk == NULL)
        return NULL;
    desk->has_attacks = reference->attacks != NULL;
    desk->root = pm_new_state(reference);
    desk->child = pm_new_state(reference);
    if (desk->root != NULL && desk->child != NULL)
        return desk;
    free_desk(desk);
    return NULL;
}

/* ---- The reference's side ---- */

static enum pm_status list_right_moves(const struct pm_kernel *reference, struct desk *desk)
{
    struct right *right = &desk->right;
    enum pm_status status = reference->set_position(desk->root, &right->position);
    if (status == PM_OK)
        status = reference->legal_moves(desk->root, right->moves, &right->count);
    if (status != PM_OK)
        return status;
    qsort(right->moves, right->count, sizeof right->moves[0], pm_move_compare);
    for (unsigned i = 0; i < right->count && status == PM_OK; i++) {
        memcpy(desk->child, desk->root, reference->state_size);
        status = reference->play(desk->child, &right->moves[i]);
        if (status == PM_OK)
            status = reference->get_position(desk->child, &right->after[i]);
    }
    if (status == PM_OK && reference->attacks != NULL)
        status = reference->attacks(desk->root, &right->attacks);
    right->depth = 1;
    right->nodes[0] = 1;
    right->nodes[1] = right->count;
    return status;
}

static enum pm_status count_right(const struct pm_kernel *reference, struct desk *desk, int depth)
{
    struct right *right = &desk->right;
    enum pm_status status = PM_OK;
    right->nodes[depth] = 0;
    for (unsigned i = 0; i < right->count && status == PM_OK; i++) {
        uint64_t nodes = 0;
        status = reference->set_position(desk->child, &right->after[i]);
        if (status == PM_OK)
            status = reference->perft(desk->child, depth - 1, PM_MODE_BULK, &nodes);
        right->nodes[depth] += nodes;
    }
    right->depth = depth;
    return status;
}

/* Growth as in the last ply. */
static uint64_t expected_nodes(const struct right *right, int depth)
{
    const uint64_t last = right->nodes[depth - 1];
    const uint64_t before = right->nodes[depth - 2];
    return before == 0 ? 0 : last * (last / before + 1);
}

/* Fills all of right but the position; as deep as asked for, and as the limit of nodes allows. */
static enum pm_status find_right(const struct pm_kernel *reference, int depth, uint64_t limit,
                                 struct desk *desk)
{
    struct right *right = &desk->right;
    const int deepest = pm_kernel_depth_limit(&right->position);
    enum pm_status status = list_right_moves(reference, desk);
    right->chess960 = !pm_position_is_standard(&right->position);
    for (int d = 2; d <= depth && d <= deepest && status == PM_OK; d++) {
        if (expected_nodes(right, d) > limit)
            break;
        status = count_right(reference, desk, d);
    }
    return status;
}

/* ---- A kernel's side: functions return whether it differs, and say where ---- */

static bool refuses(struct desk *desk, const char *function, enum pm_status status)
{
    return status != PM_OK &&
           pm_verify_say(desk->text, "%s() answers \"%s\"", function, pm_status_text(status));
}

static bool moves_differ(const struct pm_kernel *kernel, const void *state, struct desk *desk)
{
    const struct right *right = &desk->right;
    unsigned count = 0;
    if (refuses(desk, "legal_moves", kernel->legal_moves(state, desk->given, &count)))
        return true;
    if (count > PM_MAX_MOVES)
        return pm_verify_say(desk->text, "legal_moves() counts %u", count);
    qsort(desk->given, count, sizeof desk->given[0], pm_move_compare);
    return pm_verify_moves_differ(desk->given, count, right->moves, right->count, right->chess960,
                                  desk->text);
}

static bool position_differs(const struct pm_kernel *kernel, const void *state,
                             const struct pm_position *right, struct desk *desk)
{
    const bool clocks = (kernel->capabilities & PM_CAN_CLOCKS) != 0;
    struct pm_position given;
    return refuses(desk, "get_position", kernel->get_position(state, &given)) ||
           pm_verify_position_differs(&given, right, clocks, desk->text);
}

/* The key that play() carried along, against the one that set_position() builds. */
static bool key_differs(const struct pm_kernel *kernel, void *child,
                        const struct pm_position *after, struct desk *desk)
{
    uint64_t carried = 0, built = 0;
    if (kernel->key == NULL)
        return false;
    if (refuses(desk, "key", kernel->key(child, &carried)) ||
        refuses(desk, "set_position", kernel->set_position(child, after)) ||
        refuses(desk, "key", kernel->key(child, &built)))
        return true;
    return pm_verify_keys_differ(carried, built, desk->text);
}

static bool play_differs(const struct pm_kernel *kernel, const void *root, void *child,
                         unsigned index, struct desk *desk)
{
    const struct right *right = &desk->right;
    char move[PM_MOVE_DESCRIPTION_SIZE];
    char text[PM_VERIFY_TEXT_SIZE];
    memcpy(child, root, kernel->state_size);
    if (!refuses(desk, "play", kernel->play(child, &right->moves[index])) &&
        !position_differs(kernel, child, &right->after[index], desk) &&
        !key_differs(kernel, child, &right->after[index], desk))
        return false;
    memcpy(text, desk->text, sizeof text);
    return pm_verify_say(desk->text, "after %s: %.1200s",
                         pm_move_describe(&right->moves[index], right->chess960, move), text);
}

static bool count_differs(const struct pm_kernel *kernel, const void *state, int depth,
                          enum pm_mode mode, struct desk *desk)
{
    const uint64_t right = desk->right.nodes[depth];
    uint64_t nodes = 0;
    if ((kernel->capabilities & PM_CAN_MODE(mode)) == 0)
        return false;
    if (refuses(desk, "perft", kernel->perft(state, depth, mode, &nodes)))
        return true;
    return nodes != right &&
           pm_verify_say(desk->text, "%s depth %d: %" PRIu64 " nodes, right is %" PRIu64,
                         pm_mode_text(mode), depth, nodes, right);
}

static bool attacks_differ(const struct pm_kernel *kernel, const void *state, struct desk *desk)
{
    const struct pm_attacks *right = &desk->right.attacks;
    struct pm_attacks given;
    if (kernel->attacks == NULL || !desk->has_attacks)
        return false;
    if (refuses(desk, "attacks", kernel->attacks(state, &given)))
        return true;
    if (given.checkers == right->checkers && given.pinned == right->pinned &&
        given.attacked == right->attacked)
        return false;
    return pm_verify_say(desk->text,
                         "attacks: checkers 0x%" PRIx64 ", pinned 0x%" PRIx64
                         ", attacked 0x%" PRIx64 ", right is 0x%" PRIx64 ", 0x%" PRIx64
                         ", 0x%" PRIx64,
                         given.checkers, given.pinned, given.attacked, right->checkers,
                         right->pinned, right->attacked);
}

static bool state_differs(const struct pm_kernel *kernel, const void *root, void *child,
                          struct desk *desk)
{
    const struct right *right = &desk->right;
    if (position_differs(kernel, root, &right->position, desk) ||
        moves_differ(kernel, root, desk) || attacks_differ(kernel, root, desk))
        return true;
    for (unsigned i = 0; i < right->count; i++)
        if (play_differs(kernel, root, child, i, desk))
            return true;
    for (int depth = 1; depth <= right->depth; depth++)
        for (int mode = 0; mode < PM_MODE_UNIQUE; mode++)
            if (count_differs(kernel, root, depth, (enum pm_mode)mode, desk))
                return true;
    return false;
}

enum verdict { AGREES, DIFFERS, UNSUPPORTED, NO_MEMORY };

static enum verdict compare(const struct pm_kernel *kernel, struct desk *desk)
{
    void *root = pm_new_state(kernel);
    void *child = pm_new_state(kernel);
    enum verdict verdict = NO_MEMORY;
    if (desk->right.chess960 && (kernel->capabilities & PM_CAN_CHESS960) == 0) {
        verdict = UNSUPPORTED;
    } else if (root != NULL && child != NULL) {
        const enum pm_status set = kernel->set_position(root, &desk->right.position);
        if (set == PM_ERROR_UNSUPPORTED)
            verdict = UNSUPPORTED;
        else
            verdict = refuses(desk, "set_position", set) || state_differs(kernel, root, child, desk)
                          ? DIFFERS
                          : AGREES;
    }
    free(root);
    free(child);
    return verdict;
}

const struct pm_kernel *pm_verify_find_different(const struct pm_kernel *const kernels[],
                                                 const struct pm_kernel *reference,
                                                 const struct pm_position *position, int depth,
                                                 uint64_t limit, char text[PM_VERIFY_TEXT_SIZE])
{
    struct desk *desk = new_desk(reference);
    const struct pm_kernel *different = NULL;
    if (desk == NULL)
        return NULL;
    desk->right.position = *position;
    if (find_right(reference, depth, limit, desk) == PM_OK)
        for (int k = 0; kernels[k] != NULL && different == NULL; k++)
            if (compare(kernels[k], desk) == DIFFERS)
                different = kernels[k];
    if (different != NULL)
        memcpy(text, desk->text, sizeof desk->text);
    free_desk(desk);
    return different;
}

/* ---- All positions ---- */

static enum pm_status compare_all(const struct random_check *check, struct desk *desk,
                                  struct outcome *outcome)
{
    for (int k = 0; k < check->config->kernel_count; k++) {
        if (check->results[k] == NULL)
            continue;
        const enum verdict verdict = compare(check->config->kernels[k], desk);
        if (verdict == DIFFERS && pm_verify_stopped(check->config))
            return PM_ERROR_INTERRUPTED; /* it was not waited for */
        if (verdict == NO_MEMORY)
            return PM_ERROR_MEMORY;
        outcome->wrong |= (uint64_t)(verdict == DIFFERS) << k;
        outcome->unsupported |= (uint64_t)(verdict == UNSUPPORTED) << k;
    }
    outcome->depth = desk->right.depth;
    outcome->nodes = desk->right.nodes[desk->right.depth];
    return outcome->wrong != 0 ? PM_ERROR_MISMATCH : PM_OK;
}

static enum pm_status make_right(const struct random_check *check, size_t index, struct desk *desk)
{
    struct pm_generated generated;
    const enum pm_status status = pm_generate(&check->generator, index, &generated);
    if (status != PM_OK)
        return status;
    desk->right.theme = generated.theme;
    desk->right.position = generated.position;
    return find_right(check->config->reference, check->what->depth, check->what->limit, desk);
}

static enum pm_status run_position(void *context, size_t index)
{
    const struct random_check *check = context;
    struct desk *desk = new_desk(check->config->reference);
    if (desk == NULL)
        return PM_ERROR_MEMORY;
    enum pm_status status = make_right(check, index, desk);
    if (status == PM_OK)
        status = compare_all(check, desk, &check->outcomes[index]);
    free_desk(desk);
    return status;
}

/* ---- Describing failures ---- */

struct narrowing {
    const struct random_check *check;
    const struct pm_kernel *kernel;
    struct desk *desk;
};

static bool still_differs(void *context, const struct pm_position *position, int depth)
{
    const struct narrowing *narrowing = context;
    const struct random_check *check = narrowing->check;
    narrowing->desk->right.position = *position;
    return find_right(check->config->reference, depth, check->what->limit, narrowing->desk) ==
               PM_OK &&
           narrowing->desk->right.depth == depth &&
           compare(narrowing->kernel, narrowing->desk) == DIFFERS;
}

/* The text of a difference, and of what is left of it on the smallest position. */
static enum pm_status describe(const struct narrowing *narrowing, char text[PM_VERIFY_TEXT_SIZE])
{
    struct desk *desk = narrowing->desk;
    struct pm_position small = desk->right.position;
    const struct pm_difference difference = {still_differs, (void *)(uintptr_t)narrowing};
    char first[PM_VERIFY_TEXT_SIZE];
    char fen[PM_FEN_SIZE];
    int depth = desk->right.depth;

    compare(narrowing->kernel, desk);
    memcpy(first, desk->text, sizeof first);
    const enum pm_status status =
        pm_minimize(narrowing->check->config->reference, &difference, &small, &depth);
    still_differs((void *)(uintptr_t)narrowing, &small, depth);
    pm_fen_write(&small, desk->right.chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                 PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    pm_verify_say(text, "%.500s; smallest: %s, depth %d: %.500s", first, fen, depth, desk->text);
    return status;
}

static enum pm_status note_wrong(const struct random_check *check, size_t index, int k,
                                 struct desk *desk)
{
    char fen[PM_FEN_SIZE];
    char id[64];
    char text[PM_VERIFY_TEXT_SIZE] = "";
    struct pm_suite_opcode opcode = {(char *)(uintptr_t) "id", id};
    const struct pm_suite_entry entry = {
        .line = (unsigned)index, .fen = fen, .opcodes = &opcode, .opcode_count = 1};
    const struct narrowing narrowing = {check, check->config->kernels[k], desk};
    struct pm_verify_case *result = check->results[k];
    enum pm_status status = PM_OK;

    if (result->failure_count < PM_VERIFY_MAX_FAILURES) {
        status = make_right(check, index, desk);
        snprintf(id, sizeof id, "%s", pm_theme_text(desk->right.theme));
        pm_fen_write(&desk->right.position, desk->right.chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                     PM_FEN_EN_PASSANT_AS_GIVEN, fen);
        if (status == PM_OK)
            status = describe(&narrowing, text);
    }
    const struct pm_verify_fault fault = {
        .entry = &entry, .depth = check->outcomes[index].depth, .text = text};
    return status != PM_OK ? status : pm_verify_add_failure(result, &fault);
}

static enum pm_status note_position(const struct random_check *check, size_t index, int k,
                                    struct desk *desk)
{
    const struct outcome *outcome = &check->outcomes[index];
    struct pm_verify_case *result = check->results[k];
    if (outcome->depth == 0) {
        result->rows_stopped++;
        return PM_OK;
    }
    if ((outcome->unsupported >> k & 1) != 0) {
        result->rows_unsupported++;
        return PM_OK;
    }
    result->rows++;
    result->positions++;
    result->nodes += outcome->nodes;
    result->rows_over_limit += outcome->depth < check->what->depth;
    return (outcome->wrong >> k & 1) != 0 ? note_wrong(check, index, k, desk) : PM_OK;
}

static enum pm_status note_all(const struct random_check *check)
{
    struct desk *desk = new_desk(check->config->reference);
    enum pm_status status = desk != NULL ? PM_OK : PM_ERROR_MEMORY;
    for (int k = 0; k < check->config->kernel_count; k++) {
        if (check->results[k] == NULL)
            continue;
        check->results[k]->positions_total = check->what->positions;
        check->results[k]->rows_total = check->what->positions;
        for (size_t i = 0; i < check->what->positions && status == PM_OK; i++)
            status = note_position(check, i, k, desk);
    }
    free_desk(desk);
    return status;
}

static const struct pm_verify_case *first_case(const struct random_check *check)
{
    for (int k = 0; k < check->config->kernel_count; k++)
        if (check->results[k] != NULL)
            return check->results[k];
    return NULL;
}

enum pm_status pm_verify_random(const struct pm_verify_random *what,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *const results[])
{
    const uint64_t start = pm_clock_ns();
    struct random_check check = {
        .config = config,
        .what = what,
        .generator = {.seed = what->seed, .mover = config->reference},
        .results = results,
        .outcomes = calloc(what->positions + 1, sizeof *check.outcomes),
    };
    const struct pm_verify_case *current = first_case(&check);
    if (check.outcomes == NULL)
        return PM_ERROR_MEMORY;
    if (current == NULL) {
        free(check.outcomes);
        return PM_OK;
    }
    const enum pm_status ran =
        pm_verify_each(config, current, what->positions, run_position, &check);
    const enum pm_status noted = note_all(&check);
    free(check.outcomes);
    for (int k = 0; k < config->kernel_count; k++)
        if (results[k] != NULL)
            results[k]->seconds = pm_clock_seconds_since(start);
    return ran != PM_OK ? ran : noted;
}
