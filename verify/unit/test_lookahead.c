/* SPDX-License-Identifier: MIT */
/* Kernels that count the last two plies together give what playing the first of them and counting
 * the second gives, at generated positions of every theme. Both sides of the comparison come from
 * different kernels. Usage: test_lookahead [POSITIONS [SEED]] */
#include "core/fen.h"
#include "kernels/registry.h"
#include "verify/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STATE_MAX = 4096 };

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

/* The witness: every move is played, and the replies to it counted. */
static uint64_t count_by_playing(const struct pm_position *position)
{
    struct state parent;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    uint64_t total = 0;
    set(witness, &parent, position);
    assert_int_equal(witness->legal_moves(&parent, moves, &count), PM_OK);
    for (unsigned i = 0; i < count; i++) {
        struct state child = parent;
        uint64_t replies;
        assert_int_equal(witness->play(&child, &moves[i]), PM_OK);
        assert_int_equal(witness->perft(&child, 1, PM_MODE_BULK, &replies), PM_OK);
        total += replies;
    }
    return total;
}

static uint64_t count_by_lookahead(const struct pm_kernel *kernel,
                                   const struct pm_position *position)
{
    struct state state;
    uint64_t total;
    set(kernel, &state, position);
    assert_int_equal(kernel->perft(&state, 2, PM_MODE_LOOKAHEAD, &total), PM_OK);
    return total;
}

/* The kernels that offer the mode and run here. */
static unsigned lookahead_kernels(const struct pm_kernel *found[])
{
    unsigned count = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (((*kernel)->capabilities & PM_CAN_MODE(PM_MODE_LOOKAHEAD)) != 0 &&
            pm_kernel_missing(*kernel) == 0) {
            assert_int_equal((*kernel)->init(), PM_OK);
            found[count++] = *kernel;
        }
    return count;
}

static void lookahead_equals_playing(void **state)
{
    (void)state;
    const struct pm_kernel *kernels[PM_KERNELS_MAX];
    const unsigned count = lookahead_kernels(kernels);
    const struct pm_generator generator = {.seed = seed, .mover = pm_kernel_find("reference")};
    uint64_t mismatches[PM_KERNELS_MAX] = {0}, wrong = 0;
    if (count == 0)
        skip();
    assert_int_equal(generator.mover->init(), PM_OK);
    assert_int_equal(witness->init(), PM_OK);
    for (uint64_t index = 0; index < positions; index++) {
        struct pm_generated generated;
        assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
        const uint64_t expected = count_by_playing(&generated.position);
        for (unsigned i = 0; i < count; i++) {
            const uint64_t counted = count_by_lookahead(kernels[i], &generated.position);
            if (counted == expected)
                continue;
            char fen[PM_FEN_SIZE];
            pm_fen_write(&generated.position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
            wrong++;
            if (mismatches[i]++ < 20)
                print_error("%s: perft 2 of %s (%s, seed %llu, index %llu) is %llu, not %llu\n",
                            kernels[i]->name, fen, pm_theme_text(generated.theme),
                            (unsigned long long)seed, (unsigned long long)index,
                            (unsigned long long)expected, (unsigned long long)counted);
        }
    }
    for (unsigned i = 0; i < count; i++)
        print_message("%s: %llu mismatches in %llu positions, seed %llu\n", kernels[i]->name,
                      (unsigned long long)mismatches[i], (unsigned long long)positions,
                      (unsigned long long)seed);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lookahead_equals_playing)};
    if (argc > 1)
        positions = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    witness = pm_kernel_find("magic");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
