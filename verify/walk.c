/* SPDX-License-Identifier: MIT */
/* Level moves: a walk in which kernel and reference play the same moves side by side. The kernel's
 * state is never set anew on the way, so what play() leaves behind shows. */
#include "core/clock.h"
#include "core/fen.h"
#include "core/mode.h"
#include "core/move.h"
#include "core/position.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = PM_KERNEL_MAX_DEPTH * PM_MOVE_DESCRIPTION_SIZE + 1 };

struct difference {
    char text[PM_VERIFY_TEXT_SIZE];
    char path[PATH_SIZE];
    char node[PM_FEN_SIZE]; /* "" at the suite's own position */
};

/* One side of the comparison at one node. */
struct side {
    const struct pm_kernel *kernel;
    void *state;
    struct pm_position position;
    unsigned count;
    struct pm_move moves[PM_MAX_MOVES]; /* sorted */
};

struct node {
    struct side tested, right;
    struct pm_move pseudo[PM_MAX_MOVES];
};

struct walk {
    const struct pm_suite_entry *entry;
    struct node *nodes; /* one a ply, from the suite's position down to the walk's depth */
    struct node *spare; /* for trying things out */
    int depth;
    bool clocks;
    struct pm_move path[PM_KERNEL_MAX_DEPTH];
    uint64_t compared;
    struct difference found;
};

enum outcome { NOT_REACHED, RIGHT, WRONG, UNSUPPORTED };

/* What became of one entry. */
struct result {
    enum outcome outcome;
    uint64_t compared;
    struct difference *difference; /* NULL unless WRONG */
};

struct walks {
    const struct pm_kernel *kernel;
    const struct pm_suite *suite;
    const struct pm_verify_config *config;
    uint64_t limit;
    struct result *results;
};

/* ---- Noting the difference: functions that check return whether all is right ---- */

static void write_path(const struct walk *walk, int ply, char path[PATH_SIZE])
{
    char *end = path;
    *end = '\0';
    for (int i = 0; i < ply; i++) {
        char move[PM_MOVE_DESCRIPTION_SIZE];
        if (i > 0)
            *end++ = ' ';
        end = stpcpy(end, pm_move_describe(&walk->path[i], walk->entry->chess960, move));
    }
}

/* Completes a difference whose text is there already. */
static bool place(struct walk *walk, int ply)
{
    const enum pm_fen_style style = walk->entry->chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN;
    write_path(walk, ply, walk->found.path);
    if (ply > 0)
        pm_fen_write(&walk->nodes[ply].right.position, style, PM_FEN_EN_PASSANT_AS_GIVEN,
                     walk->found.node);
    return false;
}

__attribute__((format(printf, 3, 4))) static bool fail(struct walk *walk, int ply,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(walk->found.text, sizeof walk->found.text, format, arguments);
    va_end(arguments);
    return place(walk, ply);
}

static bool expect_ok(struct walk *walk, int ply, const char *function, enum pm_status status)
{
    if (status == PM_OK)
        return true;
    return fail(walk, ply, "%s() answers \"%s\"", function, pm_status_text(status));
}

/* ---- Checks at one node ---- */

static enum pm_status list_moves(struct side *side)
{
    const enum pm_status status = side->kernel->legal_moves(side->state, side->moves, &side->count);
    if (status == PM_OK && side->count > PM_MAX_MOVES)
        return PM_ERROR_OVERFLOW;
    if (status == PM_OK)
        qsort(side->moves, side->count, sizeof side->moves[0], pm_move_compare);
    return status;
}

static bool lists_differ(const struct walk *walk, const struct side *given,
                         const struct side *right, char text[PM_VERIFY_TEXT_SIZE])
{
    return pm_verify_moves_differ(given->moves, given->count, right->moves, right->count,
                                  walk->entry->chess960, text);
}

static bool check_moves(struct walk *walk, int ply)
{
    struct node *node = &walk->nodes[ply];
    if (!expect_ok(walk, ply, "legal_moves", list_moves(&node->tested)) ||
        !expect_ok(walk, ply, "legal_moves of the reference", list_moves(&node->right)))
        return false;
    if (lists_differ(walk, &node->tested, &node->right, walk->found.text))
        return place(walk, ply);
    return true;
}

/* What perft() counts at this node must be what legal_moves() lists. */
static bool check_perft(struct walk *walk, int ply)
{
    const struct side *tested = &walk->nodes[ply].tested;
    for (enum pm_mode mode = PM_MODE_MAKE; mode <= PM_MODE_LOOKAHEAD; mode++) {
        uint64_t nodes = 0;
        if ((tested->kernel->capabilities & PM_CAN_MODE(mode)) == 0)
            continue;
        if (!expect_ok(walk, ply, "perft", tested->kernel->perft(tested->state, 1, mode, &nodes)))
            return false;
        if (nodes != tested->count)
            return fail(walk, ply, "perft(1), mode %s: %" PRIu64 ", but there are %u moves",
                        pm_mode_text(mode), nodes, tested->count);
    }
    return true;
}

static bool check_round_trip(struct walk *walk, int ply)
{
    const struct side *tested = &walk->nodes[ply].tested;
    struct side *again = &walk->spare->tested;
    char text[PM_VERIFY_TEXT_SIZE];

    if (!expect_ok(walk, ply, "set_position of get_position",
                   tested->kernel->set_position(again->state, &tested->position)) ||
        !expect_ok(walk, ply, "get_position",
                   tested->kernel->get_position(again->state, &again->position)) ||
        !expect_ok(walk, ply, "legal_moves", list_moves(again)))
        return false;
    if (pm_verify_position_differs(&again->position, &tested->position, walk->clocks, text) ||
        lists_differ(walk, again, tested, text))
        return fail(walk, ply, "after set_position(get_position()): %s", text);
    return true;
}

static bool expect_set(struct walk *walk, int ply, const char *name, uint64_t given, uint64_t right)
{
    if (given == right)
        return true;
    return fail(walk, ply, "attacks, %s: 0x%016" PRIx64 ", right is 0x%016" PRIx64, name, given,
                right);
}

static bool check_attacks(struct walk *walk, int ply)
{
    const struct side *tested = &walk->nodes[ply].tested;
    const struct side *right = &walk->nodes[ply].right;
    struct pm_attacks given;
    struct pm_attacks expected;

    if (tested->kernel->attacks == NULL || right->kernel->attacks == NULL)
        return true;
    if (!expect_ok(walk, ply, "attacks", tested->kernel->attacks(tested->state, &given)) ||
        !expect_ok(walk, ply, "attacks of the reference",
                   right->kernel->attacks(right->state, &expected)))
        return false;
    return expect_set(walk, ply, "checkers", given.checkers, expected.checkers) &&
           expect_set(walk, ply, "pinned", given.pinned, expected.pinned) &&
           expect_set(walk, ply, "attacked", given.attacked, expected.attacked);
}

/* ---- Moves that play() must refuse ---- */

static bool is_listed(const struct side *side, const struct pm_move *move)
{
    for (unsigned i = 0; i < side->count; i++)
        if (memcmp(&side->moves[i], move, sizeof *move) == 0)
            return true;
    return false;
}

/* The state after a refusal gives the same position and the same moves. */
static bool check_unchanged(struct walk *walk, int ply, const char *move)
{
    const struct side *before = &walk->nodes[ply].tested;
    struct side *after = &walk->spare->tested;
    char text[PM_VERIFY_TEXT_SIZE];

    if (!expect_ok(walk, ply, "get_position",
                   before->kernel->get_position(after->state, &after->position)) ||
        !expect_ok(walk, ply, "legal_moves", list_moves(after)))
        return false;
    if (pm_verify_position_differs(&after->position, &before->position, walk->clocks, text) ||
        lists_differ(walk, after, before, text))
        return fail(walk, ply, "after play() refused %s: %s", move, text);
    return true;
}

static bool check_refusal(struct walk *walk, int ply, const struct pm_move *move)
{
    static const char *const kinds[PM_MOVE_KIND_COUNT] = {"quiet", "double push", "capture",
                                                          "en passant", "castling"};
    const struct side *tested = &walk->nodes[ply].tested;
    void *state = walk->spare->tested.state;
    char text[PM_MOVE_DESCRIPTION_SIZE];

    if (is_listed(&walk->nodes[ply].right, move))
        return true;
    memcpy(state, tested->state, tested->kernel->state_size);
    const enum pm_status status = tested->kernel->play(state, move);
    pm_move_describe(move, walk->entry->chess960, text);
    if (status != PM_ERROR_ILLEGAL)
        return fail(walk, ply, "play() of the illegal move %s (%s) answers \"%s\"", text,
                    kinds[move->kind], pm_status_text(status));
    return check_unchanged(walk, ply, text);
}

static bool check_pseudo_moves(struct walk *walk, int ply, enum pm_color color)
{
    struct node *node = &walk->nodes[ply];
    const unsigned count = pm_verify_pseudo_moves(&node->right.position, color, node->pseudo);
    for (unsigned i = 0; i < count; i++)
        if (!check_refusal(walk, ply, &node->pseudo[i]))
            return false;
    return true;
}

/* Legal moves with a wrong kind, and with a promotion that does not belong there. */
static bool check_forged_moves(struct walk *walk, int ply)
{
    const struct side *right = &walk->nodes[ply].right;
    for (unsigned i = 0; i < right->count; i++) {
        struct pm_move kind = right->moves[i];
        struct pm_move promotion = right->moves[i];
        kind.kind = (uint8_t)((kind.kind + 1) % PM_MOVE_KIND_COUNT);
        promotion.promotion = promotion.promotion == PM_NO_PIECE_TYPE ? PM_QUEEN : PM_NO_PIECE_TYPE;
        if (!check_refusal(walk, ply, &kind) || !check_refusal(walk, ply, &promotion))
            return false;
    }
    return true;
}

static bool check_refusals(struct walk *walk, int ply)
{
    const enum pm_color us = (enum pm_color)walk->nodes[ply].right.position.side_to_move;
    const enum pm_color them = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    if (!check_pseudo_moves(walk, ply, us))
        return false;
    return ply > 0 || (check_pseudo_moves(walk, ply, them) && check_forged_moves(walk, ply));
}

/* ---- The walk ---- */

static bool check_position(struct walk *walk, int ply)
{
    struct node *node = &walk->nodes[ply];
    struct side *tested = &node->tested;
    struct side *right = &node->right;

    walk->compared++;
    if (!expect_ok(walk, ply, "get_position of the reference",
                   right->kernel->get_position(right->state, &right->position)) ||
        !expect_ok(walk, ply, "get_position",
                   tested->kernel->get_position(tested->state, &tested->position)))
        return false;
    if (pm_verify_position_differs(&tested->position, &right->position, walk->clocks,
                                   walk->found.text))
        return place(walk, ply);
    return true;
}

static bool play_both(struct walk *walk, int ply, const struct pm_move *move)
{
    const struct node *node = &walk->nodes[ply];
    struct node *child = &walk->nodes[ply + 1];
    char text[PM_MOVE_DESCRIPTION_SIZE];

    memcpy(child->tested.state, node->tested.state, node->tested.kernel->state_size);
    memcpy(child->right.state, node->right.state, node->right.kernel->state_size);
    walk->path[ply] = *move;
    const enum pm_status status = child->tested.kernel->play(child->tested.state, move);
    if (status != PM_OK)
        return fail(walk, ply, "play() of the legal move %s answers \"%s\"",
                    pm_move_describe(move, walk->entry->chess960, text), pm_status_text(status));
    return expect_ok(walk, ply, "play of the reference",
                     child->right.kernel->play(child->right.state, move));
}

static bool check_node(struct walk *walk, int ply)
{
    const struct node *node = &walk->nodes[ply];

    if (!check_moves(walk, ply) || !check_perft(walk, ply) || !check_round_trip(walk, ply) ||
        !check_attacks(walk, ply) || !check_refusals(walk, ply))
        return false;
    for (unsigned i = 0; i < node->right.count; i++)
        if (!play_both(walk, ply, &node->right.moves[i]) || !check_position(walk, ply + 1) ||
            (ply + 1 < walk->depth && !check_node(walk, ply + 1)))
            return false;
    return true;
}

/* The right number of positions at that depth, from the suite or else from the reference. */
static uint64_t nodes_at(const struct walk *walk, int depth)
{
    const struct side *right = &walk->nodes[0].right;
    uint64_t nodes = UINT64_MAX;
    for (unsigned i = 0; i < walk->entry->count_count; i++)
        if (walk->entry->counts[i].depth == depth)
            return walk->entry->counts[i].nodes < UINT64_MAX
                       ? (uint64_t)walk->entry->counts[i].nodes
                       : UINT64_MAX;
    return right->kernel->perft(right->state, depth, PM_MODE_BULK, &nodes) == PM_OK ? nodes
                                                                                    : UINT64_MAX;
}

static int choose_depth(const struct walk *walk, uint64_t limit)
{
    const int deepest = pm_kernel_depth_limit(&walk->entry->position);
    int depth = 1;
    while (depth < deepest && nodes_at(walk, depth + 1) <= limit)
        depth++;
    return depth;
}

static bool new_side(struct side *side, const struct pm_kernel *kernel)
{
    side->kernel = kernel;
    side->state = pm_new_state(kernel);
    return side->state != NULL;
}

static void free_nodes(struct node *nodes, int count)
{
    for (int i = 0; nodes != NULL && i < count; i++) {
        free(nodes[i].tested.state);
        free(nodes[i].right.state);
    }
    free(nodes);
}

static struct node *new_nodes(const struct walks *walks, int count)
{
    struct node *nodes = calloc((size_t)count, sizeof *nodes);
    bool complete = nodes != NULL;
    for (int i = 0; complete && i < count; i++)
        complete = new_side(&nodes[i].tested, walks->kernel) &&
                   new_side(&nodes[i].right, walks->config->reference);
    if (complete)
        return nodes;
    free_nodes(nodes, count);
    return NULL;
}

static enum outcome run_walk(struct walk *walk, uint64_t limit)
{
    const struct pm_position *position = &walk->entry->position;
    struct node *root = &walk->nodes[0];
    const enum pm_status status = root->tested.kernel->set_position(root->tested.state, position);

    if (status == PM_ERROR_UNSUPPORTED)
        return UNSUPPORTED;
    if (!expect_ok(walk, 0, "set_position", status) ||
        !expect_ok(walk, 0, "set_position of the reference",
                   root->right.kernel->set_position(root->right.state, position)))
        return WRONG;
    walk->depth = choose_depth(walk, limit);
    return check_position(walk, 0) && check_node(walk, 0) ? RIGHT : WRONG;
}

static enum pm_status keep_result(const struct walk *walk, enum outcome outcome,
                                  struct result *result)
{
    result->outcome = outcome;
    result->compared = walk->compared;
    if (outcome != WRONG)
        return PM_OK;
    result->difference = malloc(sizeof *result->difference);
    if (result->difference == NULL)
        return PM_ERROR_MEMORY;
    *result->difference = walk->found;
    return PM_ERROR_MISMATCH;
}

static enum pm_status run_entry(void *context, size_t index)
{
    const struct walks *walks = context;
    const int count = PM_KERNEL_MAX_DEPTH + 2;
    const uint32_t both = walks->kernel->capabilities & walks->config->reference->capabilities;
    struct walk walk = {
        .entry = &walks->suite->entries[index],
        .nodes = new_nodes(walks, count),
        .clocks = (both & PM_CAN_CLOCKS) != 0,
    };
    enum outcome outcome = UNSUPPORTED;

    if (walk.nodes == NULL)
        return PM_ERROR_MEMORY;
    walk.spare = &walk.nodes[count - 1];
    if (pm_verify_supports(walks->kernel, walk.entry))
        outcome = run_walk(&walk, walks->limit);
    if (outcome == WRONG && pm_verify_stopped(walks->config))
        outcome = NOT_REACHED; /* it was not waited for */
    free_nodes(walk.nodes, count);
    return keep_result(&walk, outcome, &walks->results[index]);
}

static enum pm_status note_walk(const struct pm_suite_entry *entry, const struct result *walk,
                                struct pm_verify_case *result)
{
    if (walk->outcome == NOT_REACHED) {
        result->rows_stopped++;
        return PM_OK;
    }
    if (walk->outcome == UNSUPPORTED) {
        result->rows_unsupported++;
        return PM_OK;
    }
    result->rows++;
    result->positions++;
    result->nodes += walk->compared;
    if (walk->difference == NULL)
        return walk->outcome == RIGHT ? PM_OK : PM_ERROR_MEMORY;
    const struct pm_verify_fault fault = {.entry = entry,
                                          .path = walk->difference->path,
                                          .node = walk->difference->node,
                                          .text = walk->difference->text};
    return pm_verify_add_failure(result, &fault);
}

enum pm_status pm_verify_moves(const struct pm_kernel *kernel, const struct pm_suite *suite,
                               const struct pm_verify_config *config, struct pm_verify_case *result)
{
    const uint64_t start = pm_clock_ns();
    struct walks walks = {
        .kernel = kernel,
        .suite = suite,
        .config = config,
        .limit = result->limit,
        .results = calloc(suite->entry_count + 1, sizeof *walks.results),
    };
    if (walks.results == NULL)
        return PM_ERROR_MEMORY;
    result->positions_total = suite->entry_count;
    result->rows_total = suite->entry_count;
    const enum pm_status ran =
        pm_verify_each(config, result, suite->entry_count, run_entry, &walks);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < suite->entry_count; i++) {
        const enum pm_status noted = note_walk(&suite->entries[i], &walks.results[i], result);
        free(walks.results[i].difference);
        if (status == PM_OK)
            status = noted;
    }
    free(walks.results);
    result->seconds = pm_clock_seconds_since(start);
    return ran != PM_OK ? ran : status;
}
