/* SPDX-License-Identifier: MIT */
/* Levels attacks, round trip, key, expander and mirror: what counts and walks would not show. Here
 * states are set from scratch for every position, while walks play their way. */
#include "core/bitboards.h"
#include "core/bits.h"
#include "core/clock.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/position.h"
#include "core/random.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks that look at one position after the other ---- */

struct desk {
    const struct pm_kernel *kernel, *reference;
    const struct pm_suite_entry *entry;
    void *state, *again, *spare; /* of the kernel */
    void *root, *child;          /* of the reference */
    uint64_t compared;
    char fen[PM_FEN_SIZE]; /* of the position after a move that differs; else "" */
    char path[128];
    char text[PM_VERIFY_TEXT_SIZE];
};

enum outcome { NOT_REACHED, RIGHT, WRONG, UNSUPPORTED };

struct row {
    enum outcome outcome;
    uint64_t compared;
    struct desk *desk; /* if WRONG; its states are gone */
};

struct level {
    const struct pm_kernel *kernel;
    const struct pm_suite *suite;
    const struct pm_verify_config *config;
    bool (*differs)(struct desk *desk); /* and says where */
    struct row *rows;
};

static bool refuses(struct desk *desk, const char *function, enum pm_status status)
{
    return status != PM_OK &&
           pm_verify_say(desk->text, "%s() answers \"%s\"", function, pm_status_text(status));
}

static void write_fen(const struct desk *desk, const struct pm_position *position,
                      char fen[PM_FEN_SIZE])
{
    pm_fen_write(position, desk->entry->chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                 PM_FEN_EN_PASSANT_AS_GIVEN, fen);
}

static void free_states(struct desk *desk)
{
    free(desk->state);
    free(desk->again);
    free(desk->spare);
    free(desk->root);
    free(desk->child);
    desk->state = desk->again = desk->spare = desk->root = desk->child = NULL;
}

static struct desk *new_desk(const struct level *level, const struct pm_suite_entry *entry)
{
    struct desk *desk = calloc(1, sizeof *desk);
    if (desk == NULL)
        return NULL;
    desk->kernel = level->kernel;
    desk->reference = level->config->reference;
    desk->entry = entry;
    desk->state = pm_new_state(desk->kernel);
    desk->again = pm_new_state(desk->kernel);
    desk->spare = pm_new_state(desk->kernel);
    desk->root = pm_new_state(desk->reference);
    desk->child = pm_new_state(desk->reference);
    if (desk->state != NULL && desk->again != NULL && desk->spare != NULL && desk->root != NULL &&
        desk->child != NULL)
        return desk;
    free_states(desk);
    free(desk);
    return NULL;
}

static enum pm_status run_row(void *context, size_t index)
{
    const struct level *level = context;
    const struct pm_suite_entry *entry = &level->suite->entries[index];
    struct row *row = &level->rows[index];
    struct desk *desk = new_desk(level, entry);
    if (desk == NULL)
        return PM_ERROR_MEMORY;
    if (!pm_verify_supports(level->kernel, entry) ||
        level->kernel->set_position(desk->state, &entry->position) == PM_ERROR_UNSUPPORTED)
        row->outcome = UNSUPPORTED;
    else
        row->outcome = level->differs(desk) ? WRONG : RIGHT;
    if (row->outcome == WRONG && pm_verify_stopped(level->config))
        row->outcome = NOT_REACHED; /* it was not waited for */
    row->compared = desk->compared;
    free_states(desk);
    if (row->outcome == WRONG) {
        row->desk = desk;
        return PM_ERROR_MISMATCH;
    }
    free(desk);
    return PM_OK;
}

static enum pm_status note_row(const struct pm_suite_entry *entry, const struct row *row,
                               struct pm_verify_case *result)
{
    if (row->outcome == NOT_REACHED) {
        result->rows_stopped++;
        return PM_OK;
    }
    if (row->outcome == UNSUPPORTED) {
        result->rows_unsupported++;
        return PM_OK;
    }
    result->rows++;
    result->positions++;
    result->nodes += row->compared;
    if (row->outcome == RIGHT)
        return PM_OK;
    const struct pm_verify_fault fault = {
        .entry = entry, .path = row->desk->path, .node = row->desk->fen, .text = row->desk->text};
    return pm_verify_add_failure(result, &fault);
}

static enum pm_status run_level(struct level *level, struct pm_verify_case *result)
{
    const uint64_t start = pm_clock_ns();
    const size_t count = level->suite->entry_count;
    level->rows = calloc(count + 1, sizeof *level->rows);
    if (level->rows == NULL)
        return PM_ERROR_MEMORY;
    result->positions_total = count;
    result->rows_total = count;
    const enum pm_status ran = pm_verify_each(level->config, result, count, run_row, level);
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < count; i++) {
        const enum pm_status noted = note_row(&level->suite->entries[i], &level->rows[i], result);
        free(level->rows[i].desk);
        if (status == PM_OK)
            status = noted;
    }
    free(level->rows);
    result->seconds = pm_clock_seconds_since(start);
    return ran != PM_OK ? ran : status;
}

/* ---- Attacks: of each position and of those one ply on ---- */

static bool sets_differ(struct desk *desk, const char *name, uint64_t given, uint64_t right)
{
    return given != right &&
           pm_verify_say(desk->text, "%s: 0x%016" PRIx64 ", right is 0x%016" PRIx64, name, given,
                         right);
}

static bool attacks_differ_at(struct desk *desk, const struct pm_position *position,
                              const void *reference_state)
{
    struct pm_attacks given;
    struct pm_attacks right;
    desk->compared++;
    return refuses(desk, "set_position", desk->kernel->set_position(desk->state, position)) ||
           refuses(desk, "attacks", desk->kernel->attacks(desk->state, &given)) ||
           refuses(desk, "attacks of the reference",
                   desk->reference->attacks(reference_state, &right)) ||
           sets_differ(desk, "checkers", given.checkers, right.checkers) ||
           sets_differ(desk, "pinned", given.pinned, right.pinned) ||
           sets_differ(desk, "attacked", given.attacked, right.attacked);
}

static bool attacks_differ_after(struct desk *desk, const struct pm_move *move)
{
    struct pm_position after;
    memcpy(desk->child, desk->root, desk->reference->state_size);
    if (refuses(desk, "play of the reference", desk->reference->play(desk->child, move)) ||
        refuses(desk, "get_position of the reference",
                desk->reference->get_position(desk->child, &after)))
        return true;
    if (!attacks_differ_at(desk, &after, desk->child))
        return false;
    pm_move_describe(move, desk->entry->chess960, desk->path);
    write_fen(desk, &after, desk->fen);
    return true;
}

static bool attacks_differ(struct desk *desk)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    const struct pm_position *position = &desk->entry->position;
    if (refuses(desk, "set_position of the reference",
                desk->reference->set_position(desk->root, position)) ||
        refuses(desk, "legal_moves of the reference",
                desk->reference->legal_moves(desk->root, moves, &count)) ||
        attacks_differ_at(desk, position, desk->root))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (attacks_differ_after(desk, &moves[i]))
            return true;
    return false;
}

enum pm_status pm_verify_attacks(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                 const struct pm_verify_config *config,
                                 struct pm_verify_case *result)
{
    struct level level = {
        .kernel = kernel, .suite = suite, .config = config, .differs = attacks_differ};
    return run_level(&level, result);
}

/* ---- Round trip: FEN written and read, state set and asked ---- */

static bool fen_differs(struct desk *desk, enum pm_fen_style style, enum pm_fen_en_passant square)
{
    struct pm_position right = desk->entry->position;
    struct pm_position read;
    struct pm_error error = {0};
    char fen[PM_FEN_SIZE];
    char text[PM_VERIFY_TEXT_SIZE];
    pm_fen_write(&right, style, square, fen);
    if (pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &read, NULL, &error) != PM_OK)
        return pm_verify_say(desk->text, "written as \"%s\", which is refused: %s", fen,
                             error.text);
    if (square == PM_FEN_EN_PASSANT_LEGAL)
        pm_position_canonicalize(&right);
    if (pm_position_equal(&read, &right))
        return false;
    if (!pm_verify_position_differs(&read, &right, true, text))
        pm_verify_say(text, "the en passant square is lost");
    return pm_verify_say(desk->text, "written as \"%s\" and read: %.1000s", fen, text);
}

/* Sets the position in memory that held something else: none of that may remain. */
static bool state_differs(struct desk *desk, void *state, int filling)
{
    const bool clocks = (desk->kernel->capabilities & PM_CAN_CLOCKS) != 0;
    struct pm_position given;
    char text[PM_VERIFY_TEXT_SIZE];
    memset(state, filling, desk->kernel->state_size);
    if (refuses(desk, "set_position", desk->kernel->set_position(state, &desk->entry->position)) ||
        refuses(desk, "get_position", desk->kernel->get_position(state, &given)))
        return true;
    return pm_verify_position_differs(&given, &desk->entry->position, clocks, text) &&
           pm_verify_say(desk->text, "set_position() and get_position(): %.1200s", text);
}

static bool moves_differ(struct desk *desk)
{
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_move again[PM_MAX_MOVES];
    char text[PM_VERIFY_TEXT_SIZE];
    unsigned count = 0;
    unsigned again_count = 0;
    if (refuses(desk, "legal_moves", desk->kernel->legal_moves(desk->state, moves, &count)) ||
        refuses(desk, "legal_moves", desk->kernel->legal_moves(desk->again, again, &again_count)))
        return true;
    qsort(moves, count, sizeof *moves, pm_move_compare);
    qsort(again, again_count, sizeof *again, pm_move_compare);
    return pm_verify_moves_differ(again, again_count, moves, count, desk->entry->chess960, text) &&
           pm_verify_say(desk->text, "set_position() depends on what the state held: %.1200s",
                         text);
}

/* The position that the kernel tells, set anew, gives the position and the moves again. */
static bool return_differs(struct desk *desk)
{
    struct pm_position told;
    return refuses(desk, "get_position", desk->kernel->get_position(desk->again, &told)) ||
           refuses(desk, "set_position", desk->kernel->set_position(desk->again, &told)) ||
           moves_differ(desk);
}

static bool round_trip_differs(struct desk *desk)
{
    desk->compared++;
    for (int style = 0; style < PM_FEN_STYLE_COUNT; style++)
        if (fen_differs(desk, (enum pm_fen_style)style, PM_FEN_EN_PASSANT_AS_GIVEN) ||
            fen_differs(desk, (enum pm_fen_style)style, PM_FEN_EN_PASSANT_LEGAL))
            return true;
    return state_differs(desk, desk->state, 0) || state_differs(desk, desk->again, 0xff) ||
           moves_differ(desk) || return_differs(desk);
}

enum pm_status pm_verify_round_trip(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                    const struct pm_verify_config *config,
                                    struct pm_verify_case *result)
{
    struct level level = {
        .kernel = kernel, .suite = suite, .config = config, .differs = round_trip_differs};
    return run_level(&level, result);
}

/* ---- Key: one for positions that the rules treat alike, another for another ---- */

struct keyed {
    uint64_t key;
    struct pm_position position; /* as the rules see it: canonical, without clocks */
};

/* The position itself, one for each move, and what refuses_variants() makes of it. */
enum { VARIANTS = PM_SQUARE_COUNT * PM_PIECE_TYPE_COUNT, MAX_KEYED = 1 + PM_MAX_MOVES + VARIANTS };

static bool refuses_key(struct desk *desk, void *state, const struct pm_position *position,
                        uint64_t *key)
{
    return refuses(desk, "set_position", desk->kernel->set_position(state, position)) ||
           refuses(desk, "key", desk->kernel->key(state, key));
}

static struct pm_position without_clocks(const struct pm_position *position)
{
    struct pm_position plain = *position;
    plain.halfmove_clock = 0;
    plain.fullmove_number = 1;
    pm_position_canonicalize(&plain);
    return plain;
}

/* Plays a move on desk->again and, by the reference, on desk->child; compares the kernel's key with
 * the one that it gives the new position from scratch. */
static bool key_differs_after(struct desk *desk, const struct pm_move *move, struct keyed *keyed)
{
    struct pm_position after;
    uint64_t carried, built;
    desk->compared++;
    if (refuses(desk, "play of the reference", desk->reference->play(desk->child, move)) ||
        refuses(desk, "get_position of the reference",
                desk->reference->get_position(desk->child, &after)) ||
        refuses(desk, "play", desk->kernel->play(desk->again, move)) ||
        refuses(desk, "key", desk->kernel->key(desk->again, &carried)) ||
        refuses_key(desk, desk->spare, &after, &built))
        return true;
    *keyed = (struct keyed){built, without_clocks(&after)};
    if (!pm_verify_keys_differ(carried, built, desk->text))
        return false;
    pm_move_describe(move, desk->entry->chess960, desk->path + strlen(desk->path));
    write_fen(desk, &after, desk->fen);
    return true;
}

/* A line of play from the position: keys that are wrong only after several moves. */
static bool key_differs_on_the_way(struct desk *desk)
{
    enum { WAY = 8, WAY_TEXT = sizeof desk->path - PM_MOVE_DESCRIPTION_SIZE };
    struct pm_random random = {.state = desk->entry->line};
    struct pm_move moves[PM_MAX_MOVES];
    struct keyed keyed;
    unsigned count = 0;
    memcpy(desk->child, desk->root, desk->reference->state_size);
    memcpy(desk->again, desk->state, desk->kernel->state_size);
    for (int ply = 0; ply < WAY && strlen(desk->path) < WAY_TEXT; ply++) {
        if (refuses(desk, "legal_moves of the reference",
                    desk->reference->legal_moves(desk->child, moves, &count)))
            return true;
        if (count == 0)
            break;
        const struct pm_move *move = &moves[pm_random_below(&random, count)];
        if (key_differs_after(desk, move, &keyed))
            return true;
        pm_move_describe(move, desk->entry->chess960, desk->path + strlen(desk->path));
        strcat(desk->path, " ");
    }
    desk->path[0] = '\0';
    return false;
}

/* Adds a changed position, if it can be one. */
static bool refuses_variant(struct desk *desk, const struct pm_position *position,
                            struct keyed keyed[MAX_KEYED], unsigned *count)
{
    struct keyed *added = &keyed[*count];
    if (pm_position_check(position, NULL) != PM_FAULT_NONE)
        return false;
    added->position = without_clocks(position);
    (*count)++;
    return refuses_key(desk, desk->spare, position, &added->key);
}

/* Positions that differ from the given one in a single thing: a piece, a right, the en passant
 * square, the side to move. */
static bool refuses_variants(struct desk *desk, struct keyed keyed[MAX_KEYED], unsigned *count)
{
    const struct pm_position *position = &desk->entry->position;
    struct pm_position variant = *position;
    variant.en_passant = PM_NO_SQUARE;
    bool refused = refuses_variant(desk, &variant, keyed, count);
    variant.side_to_move = !variant.side_to_move;
    refused = refused || refuses_variant(desk, &variant, keyed, count);
    for (unsigned file = 0; file < 8 && position->en_passant != PM_NO_SQUARE; file++) {
        variant = *position;
        variant.en_passant = pm_make_square(file, pm_rank_of(position->en_passant));
        refused = refused || refuses_variant(desk, &variant, keyed, count);
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            variant = *position;
            variant.castling_rook[color][side] = PM_NO_SQUARE;
            refused = refused || refuses_variant(desk, &variant, keyed, count);
        }
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece == PM_EMPTY || pm_type_of(piece) == PM_KING)
            continue;
        variant = *position;
        variant.board[square] = PM_EMPTY;
        refused = refused || refuses_variant(desk, &variant, keyed, count);
        for (enum pm_piece_type type = PM_PAWN; type <= PM_QUEEN; type++) {
            const enum pm_color color = pm_color_of(piece);
            variant.board[square] = pm_make_piece(type == pm_type_of(piece) ? !color : color, type);
            refused = refused || refuses_variant(desk, &variant, keyed, count);
        }
    }
    return refused;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t left = ((const struct keyed *)a)->key, right = ((const struct keyed *)b)->key;
    return (left > right) - (left < right);
}

static bool key_is_shared(struct desk *desk, struct keyed keyed[], unsigned count)
{
    char first[PM_FEN_SIZE], second[PM_FEN_SIZE];
    qsort(keyed, count, sizeof *keyed, compare_keys);
    for (unsigned i = 1; i < count; i++) {
        if (keyed[i].key != keyed[i - 1].key ||
            pm_position_equal(&keyed[i].position, &keyed[i - 1].position))
            continue;
        write_fen(desk, &keyed[i - 1].position, first);
        write_fen(desk, &keyed[i].position, second);
        return pm_verify_say(desk->text, "key 0x%016" PRIx64 " is that of \"%s\" and of \"%s\"",
                             keyed[i].key, first, second);
    }
    return false;
}

/* Clocks don't count, nor does an en passant square without a capture. */
static bool key_depends_on_more(struct desk *desk, uint64_t key)
{
    struct pm_position plain = without_clocks(&desk->entry->position);
    uint64_t again;
    if (refuses_key(desk, desk->again, &plain, &again))
        return true;
    return again != key && pm_verify_say(desk->text,
                                         "key 0x%016" PRIx64 ", without clocks and an unusable en "
                                         "passant square 0x%016" PRIx64,
                                         key, again);
}

static bool keys_differ(struct desk *desk, struct keyed keyed[MAX_KEYED])
{
    struct pm_move moves[PM_MAX_MOVES];
    const struct pm_position *position = &desk->entry->position;
    unsigned move_count = 0, count = 1;
    if (refuses(desk, "set_position of the reference",
                desk->reference->set_position(desk->root, position)) ||
        refuses(desk, "legal_moves of the reference",
                desk->reference->legal_moves(desk->root, moves, &move_count)) ||
        refuses_key(desk, desk->state, position, &keyed[0].key))
        return true;
    keyed[0].position = without_clocks(position);
    for (unsigned i = 0; i < move_count; i++) {
        memcpy(desk->child, desk->root, desk->reference->state_size);
        memcpy(desk->again, desk->state, desk->kernel->state_size);
        if (key_differs_after(desk, &moves[i], &keyed[count++]))
            return true;
    }
    return key_depends_on_more(desk, keyed[0].key) || key_differs_on_the_way(desk) ||
           refuses_variants(desk, keyed, &count) || key_is_shared(desk, keyed, count);
}

static bool key_differs(struct desk *desk)
{
    struct keyed *keyed = malloc(MAX_KEYED * sizeof *keyed);
    const bool differs = keyed == NULL ? pm_verify_say(desk->text, "no memory for the keys")
                                       : keys_differ(desk, keyed);
    free(keyed);
    return differs;
}

enum pm_status pm_verify_key(const struct pm_kernel *kernel, const struct pm_suite *suite,
                             const struct pm_verify_config *config, struct pm_verify_case *result)
{
    struct level level = {
        .kernel = kernel, .suite = suite, .config = config, .differs = key_differs};
    return run_level(&level, result);
}

/* ---- Expander: its moves, check squares and two-ply counts, of each position and of those one ply
 * on; its origins, of each position ---- */

/* The reference's moves of a state are put into `right`, sorted; returns whether the expander gives
 * others. */
static bool expansion_differs_at(struct desk *desk, const struct pm_position *position,
                                 const void *reference_state, struct pm_move right[PM_MAX_MOVES],
                                 unsigned *right_count)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct pm_bitboards board = pm_bitboards_of(position);
    struct pm_expansion expansion;
    struct pm_move given[PM_MAX_MOVES];
    char text[PM_VERIFY_TEXT_SIZE];
    desk->compared++;
    if (refuses(desk, "legal_moves of the reference",
                desk->reference->legal_moves(reference_state, right, right_count)))
        return true;
    desk->kernel->expander->expand(&board, us, &expansion);
    const unsigned count = pm_expansion_to_moves(&expansion, &board, us, given);
    qsort(given, count, sizeof *given, pm_move_compare);
    qsort(right, *right_count, sizeof *right, pm_move_compare);
    return pm_verify_moves_differ(given, count, right, *right_count, desk->entry->chess960, text) &&
           pm_verify_say(desk->text, "expand(): %.1200s", text);
}

/* The pieces of each type that may go to each square, against the reference's moves. */
static bool origins_differ(struct desk *desk, const struct pm_move moves[], unsigned count)
{
    const struct pm_position *const position = &desk->entry->position;
    const struct pm_expander *const expander = desk->kernel->expander;
    const struct pm_bitboards board = pm_bitboards_of(position);
    uint64_t right[PM_PIECE_TYPE_COUNT][PM_SQUARE_COUNT] = {0};
    if (expander->origins == NULL)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (moves[i].kind != PM_MOVE_CASTLING)
            right[pm_type_of(position->board[moves[i].from])][moves[i].to] |= pm_bit(moves[i].from);
    for (unsigned type = PM_PAWN; type < PM_PIECE_TYPE_COUNT; type++)
        for (unsigned to = 0; to < PM_SQUARE_COUNT; to++) {
            char name[64], square[3];
            pm_square_to_text((pm_square)to, square);
            snprintf(name, sizeof name, "origins() of type %u to %s", type, square);
            if (sets_differ(desk, name,
                            expander->origins(&board, (enum pm_color)position->side_to_move,
                                              (enum pm_piece_type)type, (pm_square)to),
                            right[type][to]))
                return true;
        }
    return false;
}

/* Checkers and pinned pieces as the check squares tell them. */
static bool check_squares_differ(struct desk *desk, const struct pm_position *position,
                                 const void *reference_state)
{
    const struct pm_expander *const expander = desk->kernel->expander;
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const enum pm_color enemy = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    const struct pm_bitboards board = pm_bitboards_of(position);
    struct pm_check_squares squares;
    struct pm_attacks right;
    if (expander->find_check_squares == NULL || desk->reference->attacks == NULL)
        return false;
    if (refuses(desk, "attacks of the reference",
                desk->reference->attacks(reference_state, &right)))
        return true;
    expander->find_check_squares(&board, enemy, &squares);
    return sets_differ(desk, "find_check_squares(), checkers",
                       pm_checkers_of(&board, enemy, &squares), right.checkers) ||
           sets_differ(desk, "find_check_squares(), pinned", squares.screens & board.pieces[us],
                       right.pinned);
}

static bool two_plies_differ(struct desk *desk, uint64_t right)
{
    const struct pm_position *position = &desk->entry->position;
    const struct pm_bitboards board = pm_bitboards_of(position);
    const uint64_t given =
        desk->kernel->expander->count_two_plies(&board, (enum pm_color)position->side_to_move);
    return given != right &&
           pm_verify_say(desk->text, "count_two_plies() is %" PRIu64 ", right is %" PRIu64, given,
                         right);
}

static bool expander_differs(struct desk *desk)
{
    const struct pm_position *position = &desk->entry->position;
    struct pm_move moves[PM_MAX_MOVES], replies[PM_MAX_MOVES];
    unsigned count = 0, reply_count = 0;
    uint64_t two_plies = 0;
    if (refuses(desk, "set_position of the reference",
                desk->reference->set_position(desk->root, position)) ||
        expansion_differs_at(desk, position, desk->root, moves, &count) ||
        origins_differ(desk, moves, count) || check_squares_differ(desk, position, desk->root))
        return true;
    for (unsigned i = 0; i < count; i++) {
        struct pm_position after;
        memcpy(desk->child, desk->root, desk->reference->state_size);
        if (refuses(desk, "play of the reference", desk->reference->play(desk->child, &moves[i])) ||
            refuses(desk, "get_position of the reference",
                    desk->reference->get_position(desk->child, &after)))
            return true;
        if (expansion_differs_at(desk, &after, desk->child, replies, &reply_count) ||
            check_squares_differ(desk, &after, desk->child)) {
            pm_move_describe(&moves[i], desk->entry->chess960, desk->path);
            write_fen(desk, &after, desk->fen);
            return true;
        }
        two_plies += reply_count;
    }
    return two_plies_differ(desk, two_plies);
}

enum pm_status pm_verify_expander(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                  const struct pm_verify_config *config,
                                  struct pm_verify_case *result)
{
    struct level level = {
        .kernel = kernel, .suite = suite, .config = config, .differs = expander_differs};
    return run_level(&level, result);
}

/* ---- Mirror: colors exchanged, counts unchanged ---- */

static bool mirror_entries(struct pm_suite *mirrored)
{
    bool complete = true;
    for (size_t i = 0; i < mirrored->entry_count; i++) {
        struct pm_suite_entry *entry = &mirrored->entries[i];
        char fen[PM_FEN_SIZE];
        entry->position = pm_position_mirror(&entry->position);
        pm_fen_write(&entry->position, entry->chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                     PM_FEN_EN_PASSANT_AS_GIVEN, fen);
        entry->fen = strdup(fen);
        complete = complete && entry->fen != NULL;
    }
    return complete;
}

enum pm_status pm_verify_mirror(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result)
{
    /* Shares all but positions and FENs with the suite. */
    struct pm_suite mirrored = *suite;
    enum pm_status status = PM_ERROR_MEMORY;
    mirrored.entries = malloc((suite->entry_count + 1) * sizeof *mirrored.entries);
    if (mirrored.entries == NULL)
        return status;
    memcpy(mirrored.entries, suite->entries, suite->entry_count * sizeof *mirrored.entries);
    if (mirror_entries(&mirrored))
        status = pm_verify_counts(kernel, &mirrored, config, result);
    for (size_t i = 0; i < mirrored.entry_count; i++)
        free(mirrored.entries[i].fen);
    free(mirrored.entries);
    return status;
}
