/* SPDX-License-Identifier: MIT */
/* A kernel's expander gives as sets the moves that its contract lists, perft/board.h makes of them
 * the positions that another kernel's play() makes, and its two-ply count is that of perft(), at
 * generated positions of every theme. */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "perft/board.h"
#include "perft/children.h"
#include "perft/zobrist.h"
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

enum { STATE_MAX = 4096, POSITIONS = 20000, SEED = 11 };

static const struct pm_kernel *witness;
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
};

static void collect(void *context, const struct pm_bitboards *child, uint64_t captured)
{
    struct collected *collected = context;
    (void)captured;
    collected->children[collected->count++] = *child;
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
    struct collected collected = {.children = got};
    char fen[PM_FEN_SIZE];
    pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);

    const unsigned count = children_by_playing(position, expected);
    pm_visit_children(kernel->expander, &board, us, collect, &collected);
    qsort(got, collected.count, sizeof got[0], compare_boards);
    if (collected.count != count || memcmp(expected, got, count * sizeof got[0]) != 0)
        fail_msg("%s: other children of %s: %u, not %u", kernel->name, fen, collected.count, count);

    const uint64_t nodes = kernel->expander->count_two_plies(&board, us);
    if (nodes != two_plies_by_perft(position))
        fail_msg("%s: two plies of %s are not %" PRIu64, kernel->name, fen, nodes);
}

static void expanders_give_all_moves(void **state)
{
    (void)state;
    const struct pm_generator generator = {.seed = SEED, .mover = pm_ordered_mover(witness)};
    unsigned tested = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if ((*kernel)->expander == NULL || pm_kernel_missing(*kernel) != 0)
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        for (uint64_t index = 0; index < POSITIONS; index++) {
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
    const struct pm_generator generator = {.seed = SEED, .mover = pm_ordered_mover(witness)};
    for (uint64_t index = 0; index < POSITIONS; index++) {
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
    pm_zobrist_fill(&zobrist, SEED);
    for (unsigned to = 8; to < PM_SQUARE_COUNT; to++)
        assert_int_equal(zobrist.push[PM_WHITE][to], zobrist.man[PM_WHITE][PM_PAWN][to] ^
                                                         zobrist.man[PM_WHITE][PM_PAWN][to - 8]);
    for (unsigned to = 0; to < PM_SQUARE_COUNT - 16; to++)
        assert_int_equal(zobrist.double_push[PM_BLACK][to],
                         zobrist.man[PM_BLACK][PM_PAWN][to] ^
                             zobrist.man[PM_BLACK][PM_PAWN][to + 16]);
    const uint64_t *const first = &zobrist.man[0][0][0];
    const size_t numbers = sizeof zobrist.man / sizeof *first;
    for (size_t i = 0; i < numbers; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(first[i] == 0 || first[i] != first[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expanders_give_all_moves),
                                       cmocka_unit_test(boards_come_back),
                                       cmocka_unit_test(keys_have_their_parts)};
    witness = pm_kernel_find("magic");
    if (witness == NULL || witness->init() != PM_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
