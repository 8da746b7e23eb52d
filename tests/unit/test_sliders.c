/* SPDX-License-Identifier: MIT */
/* Every sliding-attack technique gives what a loop over the rays gives, for each class of squares
 * that the board's symmetry tells apart. Usage: test_sliders [OCCUPANCIES A CLASS] */
#include "core/cpu.h"
#include "core/random.h"
#include "kernels/sliders/sliders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SQUARE_CLASSES = 10, CHUNK = 1000 };

static unsigned long occupancies_a_class = 4000;

/* The square of the a1-d1-d4 triangle that rotations and mirrors bring the square to, numbered. */
static unsigned class_of(unsigned square)
{
    const unsigned file = square & 7, rank = square >> 3;
    const unsigned x = file < 4 ? file : 7 - file, y = rank < 4 ? rank : 7 - rank;
    const unsigned low = x < y ? x : y, high = x < y ? y : x;
    return high * (high + 1) / 2 + low;
}

static uint64_t ray(unsigned square, int file_step, int rank_step, uint64_t occupied)
{
    uint64_t reached = 0;
    int file = (int)(square % 8) + file_step, rank = (int)(square / 8) + rank_step;
    for (; file >= 0 && file < 8 && rank >= 0 && rank < 8; file += file_step, rank += rank_step) {
        reached |= UINT64_C(1) << (8 * rank + file);
        if (occupied >> (8 * rank + file) & 1)
            break;
    }
    return reached;
}

static uint64_t rook(unsigned square, uint64_t occupied)
{
    return ray(square, 1, 0, occupied) | ray(square, -1, 0, occupied) |
           ray(square, 0, 1, occupied) | ray(square, 0, -1, occupied);
}

static uint64_t bishop(unsigned square, uint64_t occupied)
{
    return ray(square, 1, 1, occupied) | ray(square, -1, 1, occupied) |
           ray(square, 1, -1, occupied) | ray(square, -1, -1, occupied);
}

/* From crowded to nearly empty. */
static uint64_t random_occupancy(struct pm_random *random)
{
    uint64_t occupied = pm_random_next(random);
    for (uint32_t thinner = pm_random_below(random, 5); thinner > 0; thinner--)
        occupied &= pm_random_next(random);
    return pm_random_below(random, 8) == 0 ? ~occupied : occupied;
}

struct answers {
    struct pm_slider_query queries[CHUNK];
    uint64_t rooks[CHUNK], bishops[CHUNK], queens[CHUNK];
    uint64_t queen_sum;
};

static void ask(struct answers *answers, unsigned square_class, struct pm_random *random)
{
    answers->queen_sum = 0;
    for (size_t i = 0; i < CHUNK; i++) {
        unsigned square;
        do
            square = pm_random_below(random, 64);
        while (class_of(square) != square_class);
        const uint64_t occupied = random_occupancy(random);
        answers->queries[i] = (struct pm_slider_query){.square = square, .occupied = occupied};
        answers->rooks[i] = rook(square, occupied);
        answers->bishops[i] = bishop(square, occupied);
        answers->queens[i] = answers->rooks[i] | answers->bishops[i];
        answers->queen_sum += answers->queens[i];
    }
}

static void compare(const struct pm_slider *slider, const char *piece,
                    const struct answers *answers, const uint64_t *right, const uint64_t *seen)
{
    for (size_t i = 0; i < CHUNK; i++)
        if (seen[i] != right[i])
            fail_msg("%s, %s on square %u among %016llx: %016llx, not %016llx", slider->name, piece,
                     answers->queries[i].square, (unsigned long long)answers->queries[i].occupied,
                     (unsigned long long)seen[i], (unsigned long long)right[i]);
}

static void check(const struct pm_slider *slider, const struct answers *answers)
{
    static uint64_t seen[CHUNK];
    slider->rooks(answers->queries, seen, CHUNK);
    compare(slider, "rook", answers, answers->rooks, seen);
    slider->bishops(answers->queries, seen, CHUNK);
    compare(slider, "bishop", answers, answers->bishops, seen);
    slider->queens(answers->queries, seen, CHUNK);
    compare(slider, "queen", answers, answers->queens, seen);
    assert_true(slider->queen_sum(answers->queries, CHUNK) == answers->queen_sum);
    if (slider->queen_chain != NULL)
        assert_true(slider->queen_chain(answers->queries, CHUNK) == answers->queen_sum);
}

static bool runs_here(const struct pm_slider *slider)
{
    return (slider->cpu_required & ~pm_cpu_features()) == 0;
}

static void techniques_agree_with_ray_loops(void **state)
{
    static struct answers answers;
    struct pm_random random = {.state = 1};
    (void)state;
    for (int i = 0; pm_sliders[i] != NULL; i++)
        if (runs_here(pm_sliders[i]))
            pm_sliders[i]->init();
    for (unsigned square_class = 0; square_class < SQUARE_CLASSES; square_class++)
        for (unsigned long done = 0; done < occupancies_a_class; done += CHUNK) {
            ask(&answers, square_class, &random);
            for (int i = 0; pm_sliders[i] != NULL; i++)
                if (runs_here(pm_sliders[i]))
                    check(pm_sliders[i], &answers);
        }
}

static void descriptions_are_whole(void **state)
{
    (void)state;
    for (int i = 0; pm_sliders[i] != NULL; i++) {
        assert_true(strspn(pm_sliders[i]->name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
                    strlen(pm_sliders[i]->name));
        assert_true(strlen(pm_sliders[i]->technique) > 0 && strlen(pm_sliders[i]->reference) > 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(pm_sliders[i]->name, pm_sliders[j]->name);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(techniques_agree_with_ray_loops),
                                       cmocka_unit_test(descriptions_are_whole)};
    if (argc > 1)
        occupancies_a_class = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
