/* SPDX-License-Identifier: MIT */
/* How many distinct positions can stand on the board after n plies: OEIS A083276, where castling
 * rights count, and the en passant square only if a capture is legal. Ply by ply: each distinct
 * position is expanded once. */
#include "core/clock.h"
#include "core/grow.h"
#include "core/position.h"
#include "core/random.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t known[] = {1, 20, 400, 5362, 72078, 822518, 9417681, 96400068};

/* ---- A set of 128-bit keys: open addressing, at most half full ---- */

struct key {
    uint64_t low, high; /* both 0: empty */
};

struct key_set {
    struct key *slots;
    size_t size; /* a power of two */
    size_t count;
};

static bool key_set_open(struct key_set *set, size_t size)
{
    set->slots = calloc(size, sizeof *set->slots);
    set->size = size;
    set->count = 0;
    return set->slots != NULL;
}

static struct key *key_set_slot(const struct key_set *set, struct key key)
{
    size_t i = key.low & (set->size - 1);
    while ((set->slots[i].low != key.low || set->slots[i].high != key.high) &&
           (set->slots[i].low | set->slots[i].high) != 0)
        i = (i + 1) & (set->size - 1);
    return &set->slots[i];
}

static bool key_set_grow(struct key_set *set)
{
    struct key_set larger;
    if (!key_set_open(&larger, set->size * 2))
        return false;
    for (size_t i = 0; i < set->size; i++)
        if ((set->slots[i].low | set->slots[i].high) != 0)
            *key_set_slot(&larger, set->slots[i]) = set->slots[i];
    free(set->slots);
    larger.count = set->count;
    *set = larger;
    return true;
}

/* PM_OK if the key is new, PM_ERROR_MISMATCH if it was there. */
static enum pm_status key_set_add(struct key_set *set, struct key key)
{
    struct key *slot = key_set_slot(set, key);
    if ((slot->low | slot->high) != 0)
        return PM_ERROR_MISMATCH;
    *slot = key;
    set->count++;
    return set->count * 2 <= set->size || key_set_grow(set) ? PM_OK : PM_ERROR_MEMORY;
}

/* 128 bits of everything but the clocks; the position is canonical. */
static struct key key_of(const struct pm_position *position)
{
    struct pm_random low = {.state = 1};
    struct pm_random high = {.state = 2};
    uint64_t words[10] = {0};

    memcpy(words, position->board, sizeof position->board);
    words[8] = (uint64_t)position->side_to_move << 8 | position->en_passant;
    memcpy(&words[9], position->castling_rook, sizeof position->castling_rook);
    for (int i = 0; i < 10; i++) {
        low.state = pm_random_next(&low) ^ words[i];
        high.state = pm_random_next(&high) ^ words[i];
    }
    const struct key key = {pm_random_next(&low), pm_random_next(&high)};
    return (key.low | key.high) != 0 ? key : (struct key){1, 1};
}

/* ---- One ply ---- */

struct positions {
    struct pm_position *list;
    size_t count, size;
};

static bool positions_add(struct positions *positions, const struct pm_position *position)
{
    struct pm_position *list =
        pm_grown(positions->list, &positions->size, positions->count + 1, sizeof *list);
    if (list == NULL)
        return false;
    positions->list = list;
    positions->list[positions->count++] = *position;
    return true;
}

struct expansion {
    const struct pm_kernel *kernel;
    void *state, *child;
    struct pm_move moves[PM_MAX_MOVES];
    struct key_set keys;
    struct positions *next; /* NULL at the last ply: only counted */
};

static enum pm_status add_child(struct expansion *expansion, const struct pm_move *move)
{
    const struct pm_kernel *kernel = expansion->kernel;
    struct pm_position position;

    memcpy(expansion->child, expansion->state, kernel->state_size);
    enum pm_status status = kernel->play(expansion->child, move);
    if (status == PM_OK)
        status = kernel->get_position(expansion->child, &position);
    if (status != PM_OK)
        return status;
    if (pm_position_check(&position, NULL) != PM_FAULT_NONE)
        return PM_ERROR_POSITION;
    pm_position_canonicalize(&position);
    status = key_set_add(&expansion->keys, key_of(&position));
    if (status == PM_ERROR_MISMATCH)
        return PM_OK;
    if (status == PM_OK && expansion->next != NULL && !positions_add(expansion->next, &position))
        return PM_ERROR_MEMORY;
    return status;
}

static enum pm_status expand(struct expansion *expansion, const struct pm_position *position)
{
    const struct pm_kernel *kernel = expansion->kernel;
    unsigned count = 0;
    enum pm_status status = kernel->set_position(expansion->state, position);
    if (status == PM_OK)
        status = kernel->legal_moves(expansion->state, expansion->moves, &count);
    for (unsigned i = 0; i < count && status == PM_OK; i++)
        status = add_child(expansion, &expansion->moves[i]);
    return status;
}

/* Expands a whole ply; *distinct gets the number of positions after it. */
static enum pm_status run_ply(struct expansion *expansion, const struct positions *now,
                              const struct pm_verify_config *config, uint64_t *distinct)
{
    enum pm_status status = PM_OK;
    if (!key_set_open(&expansion->keys, 1 << 10))
        return PM_ERROR_MEMORY;
    for (size_t i = 0; i < now->count && status == PM_OK; i++)
        status =
            pm_verify_stopped(config) ? PM_ERROR_INTERRUPTED : expand(expansion, &now->list[i]);
    *distinct = expansion->keys.count;
    free(expansion->keys.slots);
    expansion->keys = (struct key_set){0};
    return status;
}

/* ---- The check ---- */

static enum pm_status note_ply(struct pm_verify_case *result, int ply, enum pm_status status,
                               uint64_t distinct)
{
    char text[PM_VERIFY_TEXT_SIZE];

    if (status == PM_ERROR_MEMORY || status == PM_ERROR_INTERRUPTED)
        return status;
    result->rows++;
    result->nodes += known[ply];
    if (status == PM_OK && distinct == known[ply])
        return PM_OK;
    if (status != PM_OK)
        pm_verify_say(text, "ply %d: the kernel answers \"%s\"", ply, pm_status_text(status));
    else
        pm_verify_say(text, "ply %d: %" PRIu64 " distinct positions, right is %" PRIu64, ply,
                      distinct, known[ply]);
    const struct pm_verify_fault fault = {.depth = ply,
                                          .text = text,
                                          .has_counts = status == PM_OK,
                                          .expected = known[ply],
                                          .counted = distinct};
    return pm_verify_add_failure(result, &fault);
}

static enum pm_status run_plies(struct expansion *expansion, int depth,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result, struct positions plies[2])
{
    enum pm_status status = PM_OK;
    for (int ply = 1; ply <= depth && status == PM_OK && result->wrong == 0; ply++) {
        struct positions *now = &plies[ply % 2];
        uint64_t distinct = 0;
        expansion->next = ply < depth ? &plies[(ply + 1) % 2] : NULL;
        plies[(ply + 1) % 2].count = 0;
        status = run_ply(expansion, now, config, &distinct);
        status = note_ply(result, ply, status, distinct);
        if (config->progress != NULL)
            config->progress(config->context, result, (size_t)ply, (size_t)depth);
    }
    return status;
}

static void start_position(struct pm_position *position)
{
    static const uint8_t pieces[8] = {PM_ROOK, PM_KNIGHT, PM_BISHOP, PM_QUEEN,
                                      PM_KING, PM_BISHOP, PM_KNIGHT, PM_ROOK};
    *position = (struct pm_position){
        .en_passant = PM_NO_SQUARE,
        .castling_rook = {{7, 0}, {63, 56}},
        .fullmove_number = 1,
    };
    for (unsigned file = 0; file < 8; file++) {
        const enum pm_piece_type type = (enum pm_piece_type)pieces[file];
        position->board[pm_make_square(file, 0)] = pm_make_piece(PM_WHITE, type);
        position->board[pm_make_square(file, 1)] = pm_make_piece(PM_WHITE, PM_PAWN);
        position->board[pm_make_square(file, 6)] = pm_make_piece(PM_BLACK, PM_PAWN);
        position->board[pm_make_square(file, 7)] = pm_make_piece(PM_BLACK, type);
    }
}

enum pm_status pm_verify_distinct(const struct pm_kernel *kernel, int depth,
                                  const struct pm_verify_config *config,
                                  struct pm_verify_case *result)
{
    const uint64_t start = pm_clock_ns();
    struct positions plies[2] = {0};
    struct pm_position position;
    struct expansion expansion = {
        .kernel = kernel,
        .state = pm_new_state(kernel),
        .child = pm_new_state(kernel),
    };
    enum pm_status status = PM_ERROR_MEMORY;

    result->positions_total = 1;
    result->rows_total = (uint64_t)depth;
    start_position(&position);
    if (depth < 1 || depth >= (int)(sizeof known / sizeof *known))
        status = PM_ERROR_ARGUMENT;
    else if (expansion.state != NULL && expansion.child != NULL &&
             positions_add(&plies[1], &position))
        status = run_plies(&expansion, depth, config, result, plies);
    result->positions = result->rows > 0;
    result->rows_stopped = result->rows_total - result->rows;
    result->seconds = pm_clock_seconds_since(start);
    free(plies[0].list);
    free(plies[1].list);
    free(expansion.state);
    free(expansion.child);
    return status;
}
