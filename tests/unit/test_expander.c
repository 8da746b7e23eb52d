/* SPDX-License-Identifier: MIT */
/* A kernel's expander gives as sets the moves that its contract lists, core/after_move.h makes of
 * them the positions that the play() of a kernel of another lineage makes, so does the expander
 * itself if it makes moves, and its two-ply count is that of perft(), at generated positions of
 * every theme. Usage: test_expander [POSITIONS [SEED [KERNEL]]] */
#include "core/after_move.h"
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "perft/children.h"
#include "perft/zobrist.h"
#include "tests/unit/size.h"
#include "verify/generator.h"
#include "verify/ordered_mover.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STATE_MAX = 4096 };

static uint64_t positions = 20000, seed = 11;
static const char *only; /* NULL: all kernels */
static const struct pm_kernel *magic;
static const struct pm_kernel *witness; /* of the kernel that is tested */
static struct pm_zobrist zobrist;

struct state {
    _Alignas(64) unsigned char bytes[STATE_MAX];
};

static void set(struct state *state, const struct pm_position *position)
{
    assert_true(witness->state_size <= STATE_MAX);
    assert_int_equal(witness->set_position(state, position), PM_OK);
}

static int compare_boards(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct pm_bitboards));
}

/* The children by the witness, sorted; their en passant squares only if a capture is legal. */
static unsigned children_by_playing(const struct pm_position *position,
                                    struct pm_bitboards children[PM_MAX_MOVES])
{
    struct state parent;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    set(&parent, position);
    assert_int_equal(witness->legal_moves(&parent, moves, &count), PM_OK);
    for (unsigned i = 0; i < count; i++) {
        struct state child = parent;
        struct pm_position played;
        assert_int_equal(witness->play(&child, &moves[i]), PM_OK);
        assert_int_equal(witness->get_position(&child, &played), PM_OK);
        pm_position_canonicalize(&played);
        children[i] = pm_bitboards_of(&played);
    }
    qsort(children, count, sizeof children[0], compare_boards);
    return count;
}

struct collected {
    struct pm_bitboards *children;
    unsigned count;
    const struct pm_bitboards *parent;
};

static void collect(void *context, const struct pm_bitboards *child, uint64_t captured)
{
    struct collected *collected = context;
    (void)captured;
    collected->children[collected->count++] = *child;
}

/* The child's key by what the move changed is that from scratch. */
static void collect_made(void *context, const struct pm_bitboards *child)
{
    struct collected *collected = context;
    const uint64_t key = pm_zobrist_key(&zobrist, collected->parent);
    assert_int_equal(pm_zobrist_after(&zobrist, collected->parent, key, child),
                     pm_zobrist_key(&zobrist, child));
    collected->children[collected->count++] = *child;
}

static void compare_children(const char *name, const char *fen, const char *how,
                             const struct pm_bitboards *expected, unsigned count,
                             struct collected *got)
{
    qsort(got->children, got->count, sizeof got->children[0], compare_boards);
    if (got->count != count || memcmp(expected, got->children, count * sizeof expected[0]) != 0)
        fail_msg("%s: other children of %s by %s: %u, not %u", name, fen, how, got->count, count);
}

static uint64_t two_plies_by_perft(const struct pm_position *position)
{
    struct state state;
    uint64_t nodes;
    set(&state, position);
    assert_int_equal(witness->perft(&state, 2, PM_MODE_BULK, &nodes), PM_OK);
    return nodes;
}

static void compare(const struct pm_kernel *kernel, const struct pm_position *position)
{
    static struct pm_bitboards expected[PM_MAX_MOVES], got[PM_MAX_MOVES];
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct pm_bitboards board = pm_bitboards_of(position);
    struct collected by_sets = {.children = got}, made = {.children = got, .parent = &board};
    char fen[PM_FEN_SIZE];
    pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);

    const unsigned count = children_by_playing(position, expected);
    pm_visit_children(kernel->expander, &board, us, collect, &by_sets);
    compare_children(kernel->name, fen, "expand()", expected, count, &by_sets);
    if (kernel->expander->visit_children != NULL) {
        kernel->expander->visit_children(&board, us, collect_made, &made);
        compare_children(kernel->name, fen, "visit_children()", expected, count, &made);
    }

    const uint64_t nodes = kernel->expander->count_two_plies(&board, us);
    if (nodes != two_plies_by_perft(position))
        fail_msg("%s: two plies of %s are not %" PRIu64, kernel->name, fen, nodes);
}

/* Of every type and target: the pieces that the witness's list names. */
static void compare_origins(const struct pm_kernel *kernel, const struct pm_position *position)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct pm_bitboards board = pm_bitboards_of(position);
    uint64_t expected[PM_PIECE_TYPE_COUNT][PM_SQUARE_COUNT] = {0};
    struct pm_move moves[PM_MAX_MOVES];
    struct state state;
    unsigned count;
    set(&state, position);
    assert_int_equal(witness->legal_moves(&state, moves, &count), PM_OK);
    for (unsigned i = 0; i < count; i++)
        if (moves[i].kind != PM_MOVE_CASTLING)
            expected[pm_type_of(position->board[moves[i].from])][moves[i].to] |=
                pm_bit(moves[i].from);
    for (unsigned type = PM_NO_PIECE_TYPE; type < PM_PIECE_TYPE_COUNT; type++)
        for (unsigned to = 0; to < PM_SQUARE_COUNT; to++)
            if (kernel->expander->origins(&board, us, (enum pm_piece_type)type, (pm_square)to) !=
                expected[type][to]) {
                char fen[PM_FEN_SIZE];
                pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
                fail_msg("%s: other origins of type %u to %u of %s", kernel->name, type, to, fen);
            }
}

static void compare_checkers(const struct pm_kernel *kernel, const struct pm_position *position)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const struct pm_bitboards board = pm_bitboards_of(position);
    struct pm_check_squares squares;
    struct pm_attacks attacks;
    struct state state;
    set(&state, position);
    assert_int_equal(witness->attacks(&state, &attacks), PM_OK);
    kernel->expander->find_check_squares(&board, pm_opponent(us), &squares);
    assert_int_equal(pm_checkers_of(&board, pm_opponent(us), &squares), attacks.checkers);
    assert_int_equal(squares.screens & board.pieces[us], attacks.pinned);
}

static void origins_and_checkers_are_those_of_the_list(void **state)
{
    (void)state;
    const struct pm_generator generator = {.seed = seed, .mover = pm_ordered_mover(magic)};
    unsigned tested = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if ((*kernel)->expander == NULL || (*kernel)->expander->origins == NULL ||
            pm_kernel_missing(*kernel) != 0)
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        witness =
            pm_kernel_is_related(*kernel, magic) ? pm_kernel_witness(magic, PM_MODE_BULK) : magic;
        assert_int_equal(witness->init(), PM_OK);
        for (uint64_t index = 0; index < positions / 4; index++) {
            struct pm_generated generated;
            assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
            compare_origins(*kernel, &generated.position);
            compare_checkers(*kernel, &generated.position);
        }
        tested++;
    }
    if (tested == 0)
        skip();
}

static void expanders_give_all_moves(void **state)
{
    (void)state;
    const struct pm_generator generator = {.seed = seed, .mover = pm_ordered_mover(magic)};
    unsigned tested = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if ((*kernel)->expander == NULL || pm_kernel_missing(*kernel) != 0 ||
            (only != NULL && strcmp((*kernel)->name, only) != 0))
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        witness =
            pm_kernel_is_related(*kernel, magic) ? pm_kernel_witness(magic, PM_MODE_BULK) : magic;
        assert_int_equal(witness->init(), PM_OK);
        for (uint64_t index = 0; index < positions; index++) {
            struct pm_generated generated;
            assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
            compare(*kernel, &generated.position);
        }
        tested++;
    }
    if (tested == 0)
        skip();
}

static void boards_come_back(void **state)
{
    (void)state;
    const struct pm_generator generator = {.seed = seed, .mover = pm_ordered_mover(magic)};
    for (uint64_t index = 0; index < positions && index < 20000; index++) {
        struct pm_generated generated;
        assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
        const struct pm_bitboards board = pm_bitboards_of(&generated.position);
        struct pm_position back =
            pm_bitboards_position(&board, (enum pm_color)generated.position.side_to_move);
        back.halfmove_clock = generated.position.halfmove_clock;
        back.fullmove_number = generated.position.fullmove_number;
        assert_true(pm_position_equal(&back, &generated.position));
    }
}

/* Every number of the keys differs from all others, and pushes are made of them. */
static void keys_have_their_parts(void **state)
{
    (void)state;
    for (unsigned to = 8; to < PM_SQUARE_COUNT; to++)
        assert_int_equal(zobrist.push[PM_WHITE][to], zobrist.piece[PM_WHITE][PM_PAWN][to] ^
                                                         zobrist.piece[PM_WHITE][PM_PAWN][to - 8]);
    for (unsigned to = 0; to < PM_SQUARE_COUNT - 16; to++)
        assert_int_equal(zobrist.double_push[PM_BLACK][to],
                         zobrist.piece[PM_BLACK][PM_PAWN][to] ^
                             zobrist.piece[PM_BLACK][PM_PAWN][to + 16]);
    const uint64_t *const first = &zobrist.piece[0][0][0];
    const size_t numbers = sizeof zobrist.piece / sizeof *first;
    for (size_t i = 0; i < numbers; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(first[i] == 0 || first[i] != first[j]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expanders_give_all_moves),
                                       cmocka_unit_test(origins_and_checkers_are_those_of_the_list),
                                       cmocka_unit_test(boards_come_back),
                                       cmocka_unit_test(keys_have_their_parts)};
    positions = test_size(positions, 2000);
    if (argc > 1)
        positions = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    only = argc > 3 ? argv[3] : NULL;
    magic = pm_kernel_find("magic");
    if (magic == NULL || magic->init() != PM_OK)
        return 1;
    pm_zobrist_fill(&zobrist, seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
