/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/diff.h"

#include "core/mode.h"
#include "core/move.h"
#include "core/position.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { A = PM_DIFF_A, B = PM_DIFF_B, SIDES = PM_DIFF_SIDE_COUNT };

/* The legal moves of a node, and memory for the reference's state there. */
struct legal {
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    void *state;
};

struct search {
    const struct pm_diff_config *config;
    struct pm_diff *diff;
    struct pm_error *error;
    struct legal legal; /* of the current node */
    struct pm_position positions[PM_DIFF_MAX_DEPTH + 1];
};

/* A move that both list, with different counts. */
struct pair {
    unsigned index[SIDES];
    pm_count nodes; /* the smaller count */
};

/* What both subjects say of one node. */
struct level {
    struct pm_divide divides[SIDES];
    struct pair pairs[PM_MAX_MOVES];
    unsigned pair_count;
};

const char *pm_diff_result_text(enum pm_diff_result result)
{
    static const char *const texts[PM_DIFF_RESULT_COUNT] = {"none", "moves", "count", "failed"};
    return (unsigned)result < PM_DIFF_RESULT_COUNT ? texts[result] : "unknown";
}

__attribute__((format(printf, 2, 3))) static void note(struct pm_diff *diff, const char *format,
                                                       ...)
{
    size_t used = strlen(diff->notes);
    va_list arguments;
    if (used + 2 >= sizeof diff->notes)
        return;
    if (used > 0)
        diff->notes[used++] = '\n';
    va_start(arguments, format);
    vsnprintf(diff->notes + used, sizeof diff->notes - used, format, arguments);
    va_end(arguments);
}

static enum pm_castling_text castling_text(const struct pm_diff *diff)
{
    return diff->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET;
}

/* ---- The reference ---- */

static enum pm_status refuse(struct search *search, const char *function, enum pm_status status)
{
    return pm_fail(search->error, status, "%s() of the reference answers \"%s\"", function,
                   pm_status_text(status));
}

/* The legal moves of the current node. */
static enum pm_status list_legal(struct search *search)
{
    const struct pm_kernel *reference = search->config->reference;
    struct legal *legal = &search->legal;
    enum pm_status status =
        reference->set_position(legal->state, &search->positions[search->diff->path_length]);
    if (status != PM_OK)
        return refuse(search, "set_position", status);
    status = reference->legal_moves(legal->state, legal->moves, &legal->count);
    return status == PM_OK ? PM_OK : refuse(search, "legal_moves", status);
}

/* Goes from the current node down a legal move. */
static enum pm_status descend(struct search *search, const struct pm_move *move)
{
    const struct pm_kernel *reference = search->config->reference;
    struct pm_diff *diff = search->diff;
    void *state = search->legal.state;
    enum pm_status status = reference->set_position(state, &search->positions[diff->path_length]);
    if (status == PM_OK)
        status = reference->play(state, move);
    if (status == PM_OK)
        status = reference->get_position(state, &search->positions[diff->path_length + 1]);
    if (status != PM_OK)
        return refuse(search, "play", status);
    diff->path[diff->path_length++] = *move;
    return PM_OK;
}

static int find_legal(const struct search *search, const char *text)
{
    char legal_text[PM_MOVE_TEXT_SIZE];
    for (unsigned i = 0; i < search->legal.count; i++)
        if (strcmp(text, pm_move_to_text(&search->legal.moves[i], castling_text(search->diff),
                                         legal_text)) == 0)
            return (int)i;
    return -1;
}

/* ---- Asking ---- */

static enum pm_status ask(struct search *search, enum pm_diff_side side, const struct pm_line *line,
                          int depth, struct pm_divide *divide)
{
    struct pm_subject *subject = search->config->subjects[side];
    struct pm_error error = {0};
    struct pm_diff *diff = search->diff;

    if (search->config->stop != NULL && atomic_load(search->config->stop))
        return pm_fail(search->error, PM_ERROR_INTERRUPTED, "interrupted");
    *divide = (struct pm_divide){0};
    diff->failure = PM_SUBJECT_FINE;
    const enum pm_status status =
        subject->divide(subject, line, depth, divide, &diff->failure, &error);
    if (status == PM_OK)
        return PM_OK;
    if (diff->failure == PM_SUBJECT_FINE)
        return pm_fail(search->error, status, "%s: %s", subject->name, error.text);
    diff->result = PM_DIFF_FAILED;
    diff->failed = side;
    diff->wrong[side] = true;
    diff->node_depth = depth;
    snprintf(diff->failure_text, sizeof diff->failure_text, "%s", error.text);
    return PM_ERROR_MISMATCH;
}

static struct pm_line current_line(const struct search *search)
{
    return (struct pm_line){.position = search->config->position,
                            .chess960 = search->config->chess960,
                            .moves = search->diff->path,
                            .move_count = search->diff->path_length};
}

/* ---- Comparing two divides ---- */

static int smallest_first(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return a->nodes < b->nodes ? -1 : a->nodes > b->nodes;
}

static unsigned times_at(const struct pm_divide *divide, unsigned index)
{
    unsigned times = 1;
    while (index + times < divide->count &&
           strcmp(divide->entries[index].text, divide->entries[index + times].text) == 0)
        times++;
    return times;
}

/* Calls visit for each text that one of the two lists, with how often each does and where. */
typedef void (*visitor)(struct search *search, struct level *level, const char *text,
                        const unsigned index[SIDES], const unsigned times[SIDES]);

static void merge(struct search *search, struct level *level, visitor visit)
{
    const struct pm_divide *a = &level->divides[A], *b = &level->divides[B];
    unsigned index[SIDES] = {0, 0};
    while (index[A] < a->count || index[B] < b->count) {
        const int order = index[A] == a->count ? 1
                          : index[B] == b->count
                              ? -1
                              : strcmp(a->entries[index[A]].text, b->entries[index[B]].text);
        const unsigned times[SIDES] = {order <= 0 ? times_at(a, index[A]) : 0,
                                       order >= 0 ? times_at(b, index[B]) : 0};
        visit(search, level, order <= 0 ? a->entries[index[A]].text : b->entries[index[B]].text,
              index, times);
        index[A] += times[A];
        index[B] += times[B];
    }
}

static void pair_counts(struct search *search, struct level *level, const char *text,
                        const unsigned index[SIDES], const unsigned times[SIDES])
{
    const pm_count a = level->divides[A].entries[index[A]].nodes;
    const pm_count b = level->divides[B].entries[index[B]].nodes;
    (void)search;
    (void)text;
    if (times[A] != 1 || times[B] != 1 || a == b)
        return;
    level->pairs[level->pair_count].index[A] = index[A];
    level->pairs[level->pair_count].index[B] = index[B];
    level->pairs[level->pair_count++].nodes = a < b ? a : b;
}

static void add_difference(struct search *search, struct level *level, const char *text,
                           const unsigned index[SIDES], const unsigned times[SIDES])
{
    struct pm_diff *diff = search->diff;
    struct pm_diff_move *move = &diff->moves[diff->move_count];
    const bool legal = find_legal(search, text) >= 0;
    (void)level;
    (void)index;
    if (times[A] == times[B] && (times[A] == 1) == legal)
        return;
    *move = (struct pm_diff_move){.times = {times[A], times[B]}, .legal = legal};
    snprintf(move->text, sizeof move->text, "%s", text);
    for (int side = 0; side < SIDES; side++)
        diff->wrong[side] |= times[side] != (legal ? 1 : 0);
    diff->move_count++;
}

/* ---- Naming the moves ---- */

static bool is_other_promotion(const struct pm_diff_move *a, const struct pm_diff_move *b)
{
    return a->text[4] != '\0' && strncmp(a->text, b->text, 4) == 0 && a->legal && b->legal;
}

static void name_move(const struct search *search, struct pm_diff_move *move)
{
    const struct pm_diff *diff = search->diff;
    struct pm_rule_query query = {.positions = search->positions,
                                  .position_count = diff->path_length + 1,
                                  .chess960 = diff->chess960};
    unsigned promotions = 0;
    for (unsigned i = 0; i < diff->move_count; i++)
        promotions += is_other_promotion(&diff->moves[i], move);
    query.all_promotions = promotions == 4;
    pm_rule_find(&query, move->text, move->legal, &move->finding);
    if (move->times[A] > 1 || move->times[B] > 1) {
        move->finding.rule = PM_RULE_DOUBLED;
        snprintf(move->finding.sentence, sizeof move->finding.sentence, "it is listed %u times",
                 move->times[A] > move->times[B] ? move->times[A] : move->times[B]);
    }
}

/* ---- What the moves before have left behind ---- */

/* Whether a list is the legal one. */
static bool lists_legal_moves(const struct search *search, const struct pm_divide *divide)
{
    if (divide->count != search->legal.count)
        return false;
    for (unsigned i = 0; i < divide->count; i++)
        if (times_at(divide, i) > 1 || find_legal(search, divide->entries[i].text) < 0)
            return false;
    return true;
}

/* The node given by its FEN alone. */
static enum pm_status ask_from_fen(struct search *search, struct level *level)
{
    struct pm_diff *diff = search->diff;
    const struct pm_line line = {.position = &search->positions[diff->path_length],
                                 .chess960 = search->config->chess960};
    if (diff->path_length == 0)
        return PM_OK;
    diff->vanishes_from_fen = true;
    for (int side = 0; side < SIDES; side++) {
        if (!diff->wrong[side])
            continue;
        const enum pm_status status =
            ask(search, (enum pm_diff_side)side, &line, 1, &level->divides[side]);
        if (status != PM_OK)
            return status;
        if (!lists_legal_moves(search, &level->divides[side]))
            diff->vanishes_from_fen = false;
    }
    return PM_OK;
}

static const char *path_move_rule(const struct search *search, unsigned ply,
                                  char text[PM_MOVE_TEXT_SIZE])
{
    const struct pm_rule_query query = {.positions = search->positions,
                                        .position_count = ply + 1,
                                        .chess960 = search->diff->chess960};
    struct pm_rule_finding finding;
    pm_move_to_text(&search->diff->path[ply], castling_text(search->diff), text);
    pm_rule_find(&query, text, true, &finding);
    return pm_rule_text(finding.rule);
}

/* "castling right: white kingside …" and "square e4: …" begin with the field. */
static void keep_field(struct pm_diff *diff, const char *text)
{
    size_t length = strcspn(text, ":");
    if (strncmp(text, "square ", 7) == 0)
        length = 6;
    snprintf(diff->wrong_field, sizeof diff->wrong_field, "%.*s", (int)length, text);
}

static const char *step_text(const struct search *search, unsigned ply, char text[96])
{
    char move[PM_MOVE_TEXT_SIZE];
    if (ply == 0)
        return strcpy(text, "when it is set up");
    const char *rule = path_move_rule(search, ply - 1, move);
    snprintf(text, 96, "after move %u of the path, %s (%.40s)", ply, move, rule);
    return text;
}

/* The hash key that play() has carried along, against that of the same position set up. */
static bool replayed_key_is_wrong(struct search *search, const struct pm_kernel *kernel,
                                  const void *state, unsigned ply)
{
    uint64_t carried = 0, built = 0;
    char step[96];
    void *fresh = kernel->key != NULL ? pm_new_state(kernel) : NULL;
    const bool wrong = fresh != NULL && kernel->key(state, &carried) == PM_OK &&
                       kernel->set_position(fresh, &search->positions[ply]) == PM_OK &&
                       kernel->key(fresh, &built) == PM_OK && carried != built;
    free(fresh);
    if (wrong)
        note(search->diff,
             "%s keeps a wrong hash key %s: 0x%016" PRIx64
             ", built from scratch it is 0x%016" PRIx64,
             kernel->name, step_text(search, ply, step), carried, built);
    return wrong;
}

/* Plays the path on a kernel's state and compares position and hash key after each move. False once
 * something is noted. */
static bool replay_path(struct search *search, const struct pm_kernel *kernel, void *state)
{
    struct pm_diff *diff = search->diff;
    const bool clocks = (kernel->capabilities & PM_CAN_CLOCKS) != 0;
    struct pm_position position;
    char text[PM_VERIFY_TEXT_SIZE], step[96];

    for (unsigned ply = 0; ply <= diff->path_length; ply++) {
        const enum pm_status status = ply == 0 ? kernel->set_position(state, &search->positions[0])
                                               : kernel->play(state, &diff->path[ply - 1]);
        if (status != PM_OK || kernel->get_position(state, &position) != PM_OK) {
            note(diff, "%s refuses move %u of the path: %s", kernel->name, ply,
                 pm_status_text(status));
            return false;
        }
        if (pm_verify_position_differs(&position, &search->positions[ply], clocks, text)) {
            keep_field(diff, text);
            note(diff, "%s keeps a wrong position %s: %.200s", kernel->name,
                 step_text(search, ply, step), text);
            return false;
        }
        if (replayed_key_is_wrong(search, kernel, state, ply))
            return false;
    }
    return true;
}

static enum pm_status note_wrong_positions(struct search *search)
{
    for (int side = 0; side < SIDES; side++) {
        const struct pm_kernel *kernel = search->config->subjects[side]->kernel;
        if (!search->diff->wrong[side] || kernel == NULL)
            continue;
        void *state = pm_new_state(kernel);
        if (state == NULL)
            return pm_fail(search->error, PM_ERROR_MEMORY, "no memory to replay the path");
        replay_path(search, kernel, state);
        free(state);
    }
    return PM_OK;
}

/* ---- The three ways to end ---- */

static void place(struct search *search, int depth, pm_count a, pm_count b)
{
    struct pm_diff *diff = search->diff;
    diff->node_depth = depth;
    diff->total[A] = a;
    diff->total[B] = b;
}

static enum pm_status end_with_moves(struct search *search, struct level *level, int depth)
{
    struct pm_diff *diff = search->diff;
    const size_t room = (size_t)level->divides[A].count + level->divides[B].count + 1;

    diff->move_count = 0;
    diff->moves = calloc(room, sizeof *diff->moves);
    if (diff->moves == NULL)
        return pm_fail(search->error, PM_ERROR_MEMORY, "no memory for the moves that differ");
    merge(search, level, add_difference);
    for (unsigned i = 0; i < diff->move_count; i++)
        name_move(search, &diff->moves[i]);
    place(search, depth, level->divides[A].total, level->divides[B].total);
    enum pm_status status = ask_from_fen(search, level);
    if (status == PM_OK)
        status = note_wrong_positions(search);
    diff->result = PM_DIFF_MOVES;
    return status;
}

struct replay {
    struct search *search;
    const struct pm_kernel *kernel;
    enum pm_mode mode;
    void *state, *child, *before;
};

static bool sum_parts(const struct replay *replay, int depth, uint64_t *sum)
{
    const struct pm_kernel *kernel = replay->kernel;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    bool done = kernel->legal_moves(replay->state, moves, &count) == PM_OK;

    *sum = depth == 1 ? count : 0;
    for (unsigned i = 0; i < count && done && depth > 1; i++) {
        uint64_t nodes = 0;
        memcpy(replay->child, replay->state, kernel->state_size);
        done = kernel->play(replay->child, &moves[i]) == PM_OK &&
               kernel->perft(replay->child, depth - 1, replay->mode, &nodes) == PM_OK;
        *sum += nodes;
    }
    return done;
}

/* The same count from a state that was set up, not played to. */
static void compare_with_fresh(const struct replay *replay, int depth, uint64_t whole)
{
    const struct search *search = replay->search;
    const struct pm_position *position = &search->positions[search->diff->path_length];
    uint64_t nodes = 0;
    if (search->diff->path_length == 0 ||
        replay->kernel->set_position(replay->child, position) != PM_OK ||
        replay->kernel->perft(replay->child, depth, replay->mode, &nodes) != PM_OK)
        return;
    if (nodes == whole)
        note(search->diff, "Set up from the FEN it counts the same: the fault lies in perft() "
                           "itself, not in the moves before");
    else
        note(search->diff,
             "Set up from the FEN it counts %" PRIu64 ": the moves before leave something behind "
             "that get_position() does not show",
             nodes);
}

/* What the moves of the node that make and unmake with most steps are about. */
static void note_suspects(const struct search *search)
{
    const struct pm_rule_query query = {.positions = search->positions,
                                        .position_count = search->diff->path_length + 1,
                                        .chess960 = search->diff->chess960};
    char list[200] = "";
    for (unsigned i = 0; i < search->legal.count; i++) {
        const struct pm_move *move = &search->legal.moves[i];
        struct pm_rule_finding finding;
        char text[PM_MOVE_TEXT_SIZE];
        if ((move->kind != PM_MOVE_CASTLING && move->kind != PM_MOVE_EN_PASSANT &&
             move->promotion != PM_QUEEN) ||
            strlen(list) > 120)
            continue;
        pm_move_to_text(move, castling_text(search->diff), text);
        pm_rule_find(&query, text, true, &finding);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%.40s)",
                 list[0] != '\0' ? ", " : "", text, pm_rule_text(finding.rule));
    }
    if (list[0] != '\0')
        note(search->diff, "Special moves of the node: %s", list);
}

/* Whether perft() at the current node differs from the sum of its parts, or changes the state. */
static bool fails_at(const struct replay *replay, int depth)
{
    const struct pm_kernel *kernel = replay->kernel;
    struct pm_diff *diff = replay->search->diff;
    uint64_t whole = 0, sum = 0;

    memcpy(replay->before, replay->state, kernel->state_size);
    if (kernel->perft(replay->state, depth, replay->mode, &whole) != PM_OK)
        return false;
    const bool changed = memcmp(replay->before, replay->state, kernel->state_size) != 0;
    memcpy(replay->state, replay->before, kernel->state_size);
    if (!sum_parts(replay, depth, &sum) || (whole == sum && !changed))
        return false;
    diff->node_depth = depth;
    diff->whole = whole;
    diff->parts = sum;
    note(diff,
         "%s, mode %s: perft(%d) of the node is %" PRIu64 ", its moves one by one give %" PRIu64,
         kernel->name, pm_mode_text(replay->mode), depth, whole, sum);
    if (changed)
        note(diff, "perft() changed the state that it was given");
    compare_with_fresh(replay, depth, whole);
    note_suspects(replay->search);
    return true;
}

/* Looks at the current node for the smallest depth at which the kernel's perft() is not the sum of
 * its parts. True if there is one up to `depth`. */
static bool replay_node(struct search *search, const struct pm_kernel *kernel, int depth)
{
    struct replay replay = {.search = search,
                            .kernel = kernel,
                            .state = pm_new_state(kernel),
                            .child = pm_new_state(kernel),
                            .before = pm_new_state(kernel)};
    const int limit = pm_kernel_depth_limit(&search->positions[search->diff->path_length]);
    bool found = false;

    if (replay.state != NULL && replay.child != NULL && replay.before != NULL &&
        replay_path(search, kernel, replay.state))
        for (int d = 1; d <= depth && d <= limit && !found; d++)
            for (int mode = PM_MODE_MAKE; mode <= PM_MODE_LOOKAHEAD && !found; mode++) {
                replay.mode = (enum pm_mode)mode;
                found = (kernel->capabilities & PM_CAN_MODE(mode)) != 0 && fails_at(&replay, d);
            }
    free(replay.state);
    free(replay.child);
    free(replay.before);
    return found;
}

/* Puts the question of the node above once more: what a program says may depend on what it was
 * asked before. */
static enum pm_status ask_again(struct search *search, enum pm_diff_side side, int depth)
{
    struct pm_diff *diff = search->diff;
    struct pm_line line = current_line(search);
    struct pm_divide *divide = malloc(sizeof *divide);
    char text[PM_MOVE_TEXT_SIZE], nodes[PM_COUNT_TEXT_SIZE];
    if (divide == NULL)
        return pm_fail(search->error, PM_ERROR_MEMORY, "no memory for a divide");
    line.move_count--;
    pm_move_to_text(&diff->path[line.move_count], castling_text(diff), text);
    const enum pm_status status = ask(search, side, &line, depth + 1, divide);
    for (unsigned i = 0; status == PM_OK && i < divide->count; i++)
        if (strcmp(divide->entries[i].text, text) == 0)
            note(diff, "Asked again, as one of the moves before, it counts %s",
                 pm_count_to_grouped_text(divide->entries[i].nodes, nodes));
    free(divide);
    return status;
}

/* The subjects' counts of the current node differ, but not the divides there. `told` is what each
 * said of the node as a part of the node above. */
static enum pm_status end_with_count(struct search *search, int depth, const pm_count told[SIDES],
                                     pm_count parts)
{
    struct pm_diff *diff = search->diff;
    enum pm_status status = list_legal(search);
    if (status != PM_OK)
        return status;
    place(search, depth, told[A], told[B]);
    diff->parts = parts;
    diff->result = PM_DIFF_COUNT;
    for (int side = 0; side < SIDES && status == PM_OK; side++) {
        const struct pm_kernel *kernel = search->config->subjects[side]->kernel;
        if (told[side] == parts)
            continue;
        diff->wrong[side] = true;
        diff->whole = told[side];
        if (kernel == NULL)
            status = ask_again(search, (enum pm_diff_side)side, depth);
        else if (depth > 0)
            replay_node(search, kernel, depth);
    }
    return status;
}

/* ---- The walk ---- */

static bool lists_differ(const struct level *level)
{
    const struct pm_divide *a = &level->divides[A], *b = &level->divides[B];
    if (a->count != b->count)
        return true;
    for (unsigned i = 0; i < a->count; i++)
        if (strcmp(a->entries[i].text, b->entries[i].text) != 0)
            return true;
    return false;
}

static enum pm_status walk(struct search *search, int depth, pm_count *total);

/* Goes down one move whose counts differ. */
static enum pm_status follow(struct search *search, struct level *level, unsigned pair, int depth)
{
    struct pm_diff *diff = search->diff;
    const struct pm_divide_entry *a = &level->divides[A].entries[level->pairs[pair].index[A]];
    const struct pm_divide_entry *b = &level->divides[B].entries[level->pairs[pair].index[B]];
    const pm_count told[SIDES] = {a->nodes, b->nodes};
    pm_count parts = 1;

    enum pm_status status = list_legal(search);
    const int index = status == PM_OK ? find_legal(search, a->text) : -1;
    if (status != PM_OK)
        return status;
    if (index < 0) /* both list an illegal move */
        return end_with_moves(search, level, depth);
    const struct pm_move move = search->legal.moves[index];
    status = descend(search, &move);
    if (status == PM_OK && depth > 1)
        status = walk(search, depth - 1, &parts);
    if (status != PM_OK || diff->result != PM_DIFF_NONE)
        return status;
    if (pair + 1 == level->pair_count)
        return end_with_count(search, depth - 1, told, parts);
    diff->path_length--;
    return PM_OK;
}

static enum pm_status compare(struct search *search, struct level *level, int depth,
                              pm_count *total)
{
    const struct pm_line line = current_line(search);
    enum pm_status status = PM_OK;

    for (int side = 0; side < SIDES && status == PM_OK; side++)
        status = ask(search, (enum pm_diff_side)side, &line, depth, &level->divides[side]);
    if (status != PM_OK)
        return status;
    *total = level->divides[B].total;
    if (lists_differ(level)) {
        status = list_legal(search);
        return status == PM_OK ? end_with_moves(search, level, depth) : status;
    }
    merge(search, level, pair_counts);
    qsort(level->pairs, level->pair_count, sizeof level->pairs[0], smallest_first);
    for (unsigned i = 0;
         i < level->pair_count && status == PM_OK && search->diff->result == PM_DIFF_NONE; i++)
        status = follow(search, level, i, depth);
    return status;
}

static enum pm_status walk(struct search *search, int depth, pm_count *total)
{
    struct level *level = calloc(1, sizeof *level);
    if (level == NULL)
        return pm_fail(search->error, PM_ERROR_MEMORY, "no memory for a divide");
    const enum pm_status status = compare(search, level, depth, total);
    free(level);
    return status;
}

/* Nothing differed in divides: a kernel's perft() of the whole must give the same. */
static enum pm_status check_wholes(struct search *search)
{
    struct pm_diff *diff = search->diff;
    enum pm_status status = list_legal(search);
    for (int side = 0; side < SIDES && status == PM_OK && diff->result == PM_DIFF_NONE; side++) {
        const struct pm_kernel *kernel = search->config->subjects[side]->kernel;
        if (kernel == NULL || (kernel->capabilities & PM_IS_REFERENCE) != 0 ||
            !replay_node(search, kernel, diff->depth))
            continue;
        diff->result = PM_DIFF_COUNT;
        diff->wrong[side] = true;
        place(search, diff->node_depth, diff->parts, diff->parts);
        diff->total[side] = diff->whole;
    }
    return status;
}

static void finish(struct search *search)
{
    struct pm_diff *diff = search->diff;
    const struct pm_kernel *reference = search->config->reference;
    diff->node = search->positions[diff->path_length];
    if (reference->attacks == NULL ||
        reference->set_position(search->legal.state, &diff->node) != PM_OK ||
        reference->attacks(search->legal.state, &diff->attacks) != PM_OK)
        diff->attacks = (struct pm_attacks){0};
}

static enum pm_status run(struct search *search)
{
    struct pm_diff *diff = search->diff;
    enum pm_status status = PM_OK;
    for (int depth = 1; depth <= diff->depth && status == PM_OK && diff->result == PM_DIFF_NONE;
         depth++) {
        pm_count total = 0;
        status = walk(search, depth, &total);
        if (status == PM_OK && diff->result == PM_DIFF_NONE)
            place(search, depth, total, total);
    }
    if (status == PM_OK && diff->result == PM_DIFF_NONE)
        status = check_wholes(search);
    if (status == PM_ERROR_MISMATCH) /* a subject failed, and that is the result */
        status = PM_OK;
    if (status == PM_OK)
        finish(search);
    return status;
}

enum pm_status pm_diff_run(const struct pm_diff_config *config, struct pm_diff *diff,
                           struct pm_error *error)
{
    struct search *search = calloc(1, sizeof *search);
    enum pm_status status = PM_ERROR_MEMORY;

    *diff = (struct pm_diff){.chess960 = config->chess960,
                             .root = *config->position,
                             .node = *config->position,
                             .depth = config->depth};
    for (int side = 0; side < SIDES; side++)
        snprintf(diff->names[side], sizeof diff->names[side], "%s", config->subjects[side]->name);
    if (config->depth < 1 || config->depth > PM_DIFF_MAX_DEPTH) {
        free(search);
        return pm_fail(error, PM_ERROR_ARGUMENT, "depth is %d: 1 to %d is needed", config->depth,
                       PM_DIFF_MAX_DEPTH);
    }
    void *state = pm_new_state(config->reference);
    if (search == NULL || state == NULL) {
        pm_fail(error, PM_ERROR_MEMORY, "no memory for a diff");
    } else {
        *search = (struct search){.config = config, .diff = diff, .error = error};
        search->legal.state = state;
        search->positions[0] = *config->position;
        status = run(search);
    }
    free(state);
    free(search);
    return status;
}

void pm_diff_free(struct pm_diff *diff)
{
    free(diff->moves);
    free(diff->command);
    *diff = (struct pm_diff){0};
}

enum pm_rule pm_diff_rule(const struct pm_diff *diff)
{
    return diff->move_count > 0 ? diff->moves[0].finding.rule : PM_RULE_UNKNOWN;
}
