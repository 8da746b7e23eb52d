/* SPDX-License-Identifier: MIT */
/* The random player's games are the same with every kernel, and replay to what their tags say; the
 * ordered mover leads to the reference's positions. */
#include "core/position.h"
#include "kernels/registry.h"
#include "rules/game.h"
#include "rules/random_game.h"
#include "verify/generator.h"
#include "verify/ordered_mover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { GAMES = 60, POSITIONS = 40 * PM_THEME_COUNT };

static bool runs_here(const struct pm_kernel *kernel)
{
    return pm_kernel_missing(kernel) == 0 && kernel->attacks != NULL && kernel->init() == PM_OK;
}

static char *write_games(const struct pm_kernel *kernel, const struct pm_random_games *games,
                         uint64_t first, uint64_t count)
{
    struct pm_random_player *player = NULL;
    struct pm_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(pm_random_player_create(kernel, &player, &error), PM_OK);
    for (uint64_t i = first; i < first + count; i++)
        assert_int_equal(pm_random_game_write(player, games, i, out, &error), PM_OK);
    pm_random_player_destroy(player);
    fclose(out);
    return text;
}

static void kernels_play_alike(void **state)
{
    const struct pm_random_games games = {.seed = 3, .max_plies = 400};
    const struct pm_kernel *reference = pm_kernel_find("reference");
    (void)state;
    assert_true(reference != NULL && reference->init() == PM_OK);
    char *right = write_games(reference, &games, 5, 8);
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (!runs_here(*kernel))
            continue;
        char *text = write_games(*kernel, &games, 5, 8);
        assert_string_equal(text, right);
        free(text);
    }
    free(right);
}

static void games_differ(void **state)
{
    const struct pm_kernel *kernel = pm_kernel_find("x88");
    struct pm_random_games games = {.seed = 3, .max_plies = 40};
    (void)state;
    assert_int_equal(kernel->init(), PM_OK);
    char *two = write_games(kernel, &games, 0, 2);
    char *second = strstr(two + 1, "[Event");
    assert_non_null(second);
    assert_string_not_equal(strstr(second, "\n\n"), strstr(two, "\n\n"));
    char *first = write_games(kernel, &games, 0, 1); /* alone it is the same */
    assert_memory_equal(first, two, strlen(first));
    games.seed = 4;
    char *other = write_games(kernel, &games, 0, 1);
    assert_string_not_equal(strstr(other, "\n\n"), strstr(first, "\n\n"));
    free(two);
    free(first);
    free(other);
}

/* Into a file of its own, since readers take files. */
static void games_replay_right(void **state)
{
    const struct pm_kernel *kernel = pm_kernel_find("x88");
    const struct pm_random_games games = {.seed = 11, .max_plies = 3000};
    struct pm_input *input = NULL;
    struct pm_pgn_reader *reader = NULL;
    struct pm_game_player *player = NULL;
    const struct pm_pgn_game *game = NULL;
    struct pm_error error;
    char path[] = "/tmp/plymark_games_XXXXXX";
    unsigned count = 0, endings[PM_ENDING_COUNT] = {0};
    (void)state;
    assert_int_equal(kernel->init(), PM_OK);
    char *text = write_games(kernel, &games, 0, GAMES);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    free(text);

    assert_int_equal(pm_input_open(path, &input, &error), PM_OK);
    assert_int_equal(pm_pgn_open(input, &reader, &error), PM_OK);
    assert_int_equal(pm_game_player_create(kernel, &player, &error), PM_OK);
    while (pm_pgn_next(reader, &game, &error) == PM_OK && game != NULL) {
        struct pm_game_report report;
        assert_int_equal(pm_game_replay(player, game, &report, &error), PM_OK);
        assert_int_equal(report.fault, PM_GAME_FINE);
        assert_int_equal(report.result.contradictions, 0);
        assert_int_equal(report.plies, strtoul(pm_pgn_tag(game, "PlyCount"), NULL, 10));
        assert_int_equal(report.result.said, report.result.board);
        /* The player stops at the first automatic draw. */
        assert_true(report.automatic_ply >= report.plies);
        endings[report.result.ending]++;
        count++;
    }
    assert_int_equal(count, GAMES);
    assert_int_equal(endings[PM_ENDING_UNTERMINATED], 0);
    assert_true(endings[PM_ENDING_CHECKMATE] > 0);
    assert_true(endings[PM_ENDING_STALEMATE] > 0);
    assert_true(endings[PM_ENDING_MATERIAL] > 0);
    assert_true(endings[PM_ENDING_MOVE_COUNT] > 0);
    pm_game_player_destroy(player);
    pm_pgn_close(reader);
    pm_input_close(input);
    unlink(path);
}

static void ordered_mover_leads_to_the_same_positions(void **state)
{
    const struct pm_kernel *reference = pm_kernel_find("reference");
    (void)state;
    assert_int_equal(reference->init(), PM_OK);
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (!runs_here(*kernel) || *kernel == reference)
            continue;
        const struct pm_generator fast = {.seed = 9, .mover = pm_ordered_mover(*kernel)};
        const struct pm_generator slow = {.seed = 9, .mover = reference};
        for (uint64_t i = 0; i < POSITIONS; i++) {
            struct pm_generated a, b;
            assert_int_equal(pm_generate(&fast, i, &a), PM_OK);
            assert_int_equal(pm_generate(&slow, i, &b), PM_OK);
            pm_position_canonicalize(&a.position);
            pm_position_canonicalize(&b.position);
            if (!pm_position_equal(&a.position, &b.position))
                fail_msg("%s: position %u differs", (*kernel)->name, (unsigned)i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_play_alike),
        cmocka_unit_test(games_differ),
        cmocka_unit_test(games_replay_right),
        cmocka_unit_test(ordered_mover_leads_to_the_same_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
