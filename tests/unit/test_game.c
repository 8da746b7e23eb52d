/* SPDX-License-Identifier: MIT */
/* Games replayed: each game of tests/pgn/game_*.pgn says in its Expect tag what is to be found. */
#include "core/fen.h"
#include "kernels/registry.h"
#include "rules/game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void (*check_game)(const struct pm_game_report *report, const struct pm_history *history);

/* Replays all games of a file with a kernel; returns their number. */
static unsigned replay_file(const struct pm_kernel *kernel, const char *name, check_game check)
{
    struct pm_input *input = NULL;
    struct pm_pgn_reader *reader = NULL;
    struct pm_game_player *player = NULL;
    const struct pm_pgn_game *game = NULL;
    struct pm_error error = {0};
    unsigned count = 0;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/pgn/%s", PM_SOURCE_DIR, name);
    if (pm_input_open(path, &input, &error) != PM_OK ||
        pm_pgn_open(input, &reader, &error) != PM_OK ||
        pm_game_player_create(kernel, &player, &error) != PM_OK)
        fail_msg("%s", error.text);
    while (pm_pgn_next(reader, &game, &error) == PM_OK && game != NULL) {
        struct pm_game_report report;
        if (pm_game_replay(player, game, &report, &error) != PM_OK)
            fail_msg("%s", error.text);
        check(&report, pm_game_history(player));
        count++;
    }
    if (error.status != PM_OK)
        fail_msg("%s", error.text);
    pm_game_player_destroy(player);
    pm_pgn_close(reader);
    pm_input_close(input);
    return count;
}

static unsigned replay_with_each(const char *name, check_game check)
{
    unsigned count = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) != 0 || (*kernel)->attacks == NULL)
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        const unsigned replayed = replay_file(*kernel, name, check);
        assert_true(count == 0 || replayed == count);
        count = replayed;
    }
    return count;
}

/* ---- In the words of the Expect tags ---- */

struct text {
    char bytes[512];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length,
                                      format, arguments);
    va_end(arguments);
    assert_true(text->length < sizeof text->bytes);
}

static void add_contradictions(struct text *text, unsigned contradictions)
{
    static const char *const names[] = {"marker", "board",       "drawn",
                                        "time",   "termination", "unreadable"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (contradictions & 1U << i)
            add(text, " !%s", names[i]);
}

static void add_claim(struct text *text, const char *name, const struct pm_game_claim *claim)
{
    if (claim->ply != PM_NO_PLY)
        add(text, " %s=%zu%s%s", name, claim->ply, claim->move[0] == '\0' ? "" : ":", claim->move);
}

static void describe(const struct pm_game_report *report, struct text *text)
{
    char move[PM_GAME_MOVE_SIZE];
    if (report->fault != PM_GAME_FINE) {
        add(text, "%s plies=%zu", pm_game_fault_text(report->fault), report->plies);
        if (report->fault_move != NULL)
            add(text, " move=%s", pm_game_move_text(report, report->plies + 1, move));
        return;
    }
    add(text, "%s%s %s", pm_ending_text(report->result.ending),
        report->result.is_assumed ? "?" : "", pm_score_text(report->result.right));
    add_contradictions(text, report->result.contradictions);
    add_claim(text, "threefold", &report->threefold);
    add_claim(text, "fifty", &report->fifty);
    if (report->automatic_ply != PM_NO_PLY)
        add(text, " automatic=%zu:%s", report->automatic_ply, pm_ending_text(report->automatic));
    if (report->perpetual_ply != PM_NO_PLY)
        add(text, " perpetual=%zu:%s", report->perpetual_ply,
            report->perpetual_by == PM_WHITE ? "White" : "Black");
}

static void meets_expectation(const struct pm_game_report *report, const struct pm_history *history)
{
    const char *expected = pm_pgn_tag(report->game, "Expect");
    struct text found = {.length = 0};
    (void)history;
    assert_non_null(expected);
    describe(report, &found);
    if (strcmp(found.bytes, expected) != 0)
        fail_msg("game %u: found \"%s\", expected \"%s\"", (unsigned)report->game->index,
                 found.bytes, expected);
}

/* ---- Tests ---- */

static void games_end_as_expected(void **state)
{
    (void)state;
    assert_int_equal(replay_with_each("game_ends.pgn", meets_expectation), 81);
}

static void has_place(const struct pm_game_report *report, const struct pm_history *history)
{
    assert_int_not_equal(report->fault, PM_GAME_FINE);
    assert_true(report->fault_line > 0 && report->fault_column > 0);
    assert_int_not_equal(report->fault_error.text[0], '\0');
    assert_string_equal(report->reason, "");
    if (report->fault_move != NULL) /* the position is the one before the bad move */
        assert_int_equal(pm_history_length(history), report->plies + 1);
    meets_expectation(report, history);
}

static void faults_are_named(void **state)
{
    (void)state;
    assert_int_equal(replay_with_each("game_faults.pgn", has_place), 8);
}

static void ends_castled(const struct pm_game_report *report, const struct pm_history *history)
{
    char fen[PM_FEN_SIZE];
    meets_expectation(report, history);
    assert_true(report->chess960);
    assert_true(report->is_set_up);
    pm_fen_write(&report->last, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
    assert_string_equal(fen, report->game->index < 3
                                 ? "nr3rkq/pppppppp/8/8/8/8/PPPPPPPP/NR3RKQ w - - 2 2"
                                 : "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
}

static void chess960_castles(void **state)
{
    (void)state;
    assert_int_equal(replay_with_each("game_chess960.pgn", ends_castled), 3);
}

static unsigned starts_seen, fivefolds_seen; /* lest nothing be looked at */

static void repeats_start(const struct pm_game_report *report, const struct pm_history *history)
{
    if (report->threefold.ply == 7 && report->plies == 8) {
        assert_int_equal(report->repetition_count, 1); /* the start alone was there three times */
        starts_seen++;
    }
    if (report->automatic_ply != 16 || report->plies != 16)
        return;
    fivefolds_seen++;
    assert_int_equal(report->repetition_count, 4);
    /* In the order of their last plies; the start, 16 plies on, is the last. */
    assert_int_equal(report->repetitions[3].last_ply, 16);
    assert_int_equal(report->repetitions[3].count, 5);
    assert_int_equal(report->repetitions[0].count, 4);
    size_t ply = 16;
    for (size_t expected = 16; expected > 0; expected -= 4) {
        assert_int_equal(ply, expected);
        ply = pm_history_previous_ply(history, ply);
    }
    assert_int_equal(ply, 0);
    assert_int_equal(pm_history_previous_ply(history, ply), PM_NO_PLY);
    assert_int_equal(pm_history_position(history, 4)->board[6], pm_make_piece(PM_WHITE, PM_KNIGHT));
}

static void repetitions_are_listed(void **state)
{
    (void)state;
    replay_with_each("game_ends.pgn", repeats_start);
    assert_true(starts_seen > 0 && fivefolds_seen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_end_as_expected),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(chess960_castles),
        cmocka_unit_test(repetitions_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
