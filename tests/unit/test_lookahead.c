/* SPDX-License-Identifier: MIT */
/* Kernels that count the last two plies together give what playing the first move and counting the
 * rest gives, at generated positions of every theme: two plies at each, and three at some, for what
 * is shared between the positions after all moves of one. Both sides of the comparison come from
 * different kernels. Usage: test_lookahead [POSITIONS [SEED]] */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "tests/unit/size.h"
#include "verify/generator.h"
#include "verify/ordered_mover.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STATE_MAX = 4096, REPORTED_MAX = 20, THREE_PLIES_EVERY = 8 };

static uint64_t positions = 200000, seed = 5;

static const struct pm_kernel *witness;

struct state {
    _Alignas(64) unsigned char bytes[STATE_MAX];
};

static void set(const struct pm_kernel *kernel, struct state *state,
                const struct pm_position *position)
{
    assert_true(kernel->state_size <= STATE_MAX && kernel->state_align <= 64);
    assert_int_equal(kernel->set_position(state, position), PM_OK);
}

/* The witness: every move is played, and the leaves below it counted. */
static uint64_t count_by_playing(const struct pm_position *position, int depth)
{
    struct state parent;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    uint64_t total = 0;
    set(witness, &parent, position);
    assert_int_equal(witness->legal_moves(&parent, moves, &count), PM_OK);
    for (unsigned i = 0; i < count; i++) {
        struct state child = parent;
        uint64_t leaves;
        assert_int_equal(witness->play(&child, &moves[i]), PM_OK);
        assert_int_equal(witness->perft(&child, depth - 1, PM_MODE_BULK, &leaves), PM_OK);
        total += leaves;
    }
    return total;
}

static uint64_t count_by_lookahead(const struct pm_kernel *kernel,
                                   const struct pm_position *position, int depth)
{
    struct state state;
    uint64_t total;
    set(kernel, &state, position);
    assert_int_equal(kernel->perft(&state, depth, PM_MODE_LOOKAHEAD, &total), PM_OK);
    return total;
}

/* The position before the double push that gave an en passant square: there the capture is one of
 * the replies. Returns whether it can be played. */
static bool before_double_push(const struct pm_position *position, struct pm_position *before)
{
    const int up = position->side_to_move == PM_WHITE ? -8 : 8;
    if (position->en_passant == PM_NO_SQUARE)
        return false;
    *before = *position;
    before->board[position->en_passant - up] = before->board[position->en_passant + up];
    before->board[position->en_passant + up] = PM_EMPTY;
    before->en_passant = PM_NO_SQUARE;
    before->side_to_move ^= 1;
    return pm_position_check(before, NULL) == PM_FAULT_NONE;
}

/* The kernels that are tested, and how often each was wrong. */
struct tested {
    unsigned count;
    const struct pm_kernel *kernel[PM_KERNELS_MAX];
    uint64_t mismatches[PM_KERNELS_MAX];
};

/* Those that offer the mode and run here. */
static void find_lookahead_kernels(struct tested *tested)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (((*kernel)->capabilities & PM_CAN_MODE(PM_MODE_LOOKAHEAD)) != 0 &&
            pm_kernel_missing(*kernel) == 0) {
            assert_int_equal((*kernel)->init(), PM_OK);
            tested->kernel[tested->count++] = *kernel;
        }
}

static void compare_at(struct tested *tested, const struct pm_position *position, int depth,
                       enum pm_theme theme, uint64_t index)
{
    const uint64_t expected = count_by_playing(position, depth);
    for (unsigned i = 0; i < tested->count; i++) {
        const uint64_t counted = count_by_lookahead(tested->kernel[i], position, depth);
        if (counted == expected || tested->mismatches[i]++ >= REPORTED_MAX)
            continue;
        char fen[PM_FEN_SIZE];
        pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
        print_error("%s: perft %d of %s (%s, seed %" PRIu64 ", index %" PRIu64 ") is %" PRIu64
                    ", not %" PRIu64 "\n",
                    tested->kernel[i]->name, depth, fen, pm_theme_text(theme), seed, index,
                    expected, counted);
    }
}

static void compare(struct tested *tested, const struct pm_position *position, enum pm_theme theme,
                    uint64_t index)
{
    compare_at(tested, position, 2, theme, index);
    if (index % THREE_PLIES_EVERY == 0)
        compare_at(tested, position, 3, theme, index);
}

static void lookahead_equals_playing(void **state)
{
    (void)state;
    struct tested tested = {0};
    find_lookahead_kernels(&tested);
    const struct pm_generator generator = {.seed = seed, .mover = pm_ordered_mover(witness)};
    uint64_t compared = 0, wrong = 0;
    if (tested.count == 0)
        skip();
    assert_int_equal(witness->init(), PM_OK);
    for (uint64_t index = 0; index < positions; index++) {
        struct pm_generated generated;
        struct pm_position before;
        assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
        compare(&tested, &generated.position, generated.theme, index);
        compared++;
        if (before_double_push(&generated.position, &before)) {
            compare(&tested, &before, generated.theme, index);
            compared++;
        }
    }
    for (unsigned i = 0; i < tested.count; i++) {
        print_message("%s: %" PRIu64 " mismatches in %" PRIu64 " positions, seed %" PRIu64 "\n",
                      tested.kernel[i]->name, tested.mismatches[i], compared, seed);
        wrong += tested.mismatches[i];
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lookahead_equals_playing)};
    positions = test_size(positions, 4000);
    if (argc > 1)
        positions = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    witness = pm_kernel_find("magic");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
