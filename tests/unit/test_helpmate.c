/* SPDX-License-Identifier: MIT */
/* Whether a side can still mate: known answers, own positions searched to the end, and generated
 * ones with blocked pawns. "test_helpmate COUNT" generates that many. */
#include "rules/helpmate.h"

#include "core/position.h"
#include "core/random.h"
#include "rules/dead.h"
#include "rules/position_set.h"
#include "tests/unit/view_at.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".tsv"

static struct pm_view view, referee; /* of different kernels */
static unsigned generated = 1000;

static int set_up(void **state)
{
    (void)state;
    view_open(&view, "magic");
    view_open(&referee, "mailbox");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pm_view_close(&view);
    pm_view_close(&referee);
    return 0;
}

static const char *fen_of(const struct pm_position *position)
{
    static char fen[PM_FEN_SIZE];
    return pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
}

/* ---- The referee: every position that legal moves lead to, nearest first ---- */

enum outcome { MATE_FOUND, NO_MATE_EVER, TOO_MANY };

static void add_children(struct pm_position_set *set)
{
    for (unsigned i = 0; i < referee.move_count; i++) {
        struct pm_position child;
        bool is_new;
        memcpy(referee.child, referee.state, referee.kernel->state_size);
        assert_int_equal(referee.kernel->play(referee.child, &referee.moves[i]), PM_OK);
        assert_int_equal(referee.kernel->get_position(referee.child, &child), PM_OK);
        assert_true(pm_position_set_add(set, &child, &is_new) != PM_NOT_IN_SET);
    }
}

/* Mates by `color`, among so many positions. */
static enum outcome search_mate(const struct pm_position *root, enum pm_color color, size_t limit)
{
    struct pm_position_set *const set = pm_position_set_create();
    enum outcome outcome = NO_MATE_EVER;
    bool is_new;
    assert_non_null(set);
    pm_position_set_add(set, root, &is_new);
    for (size_t next = 0; next < pm_position_set_count(set); next++) {
        const struct pm_position position = *pm_position_set_at(set, next);
        view_set(&referee, &position);
        if (referee.move_count == 0 && referee.attacks.checkers != 0 &&
            position.side_to_move != color) {
            outcome = MATE_FOUND;
            break;
        }
        if (pm_position_set_count(set) > limit) {
            outcome = TOO_MANY;
            break;
        }
        add_children(set);
    }
    pm_position_set_destroy(set);
    return outcome;
}

/* ---- Answers ---- */

/* The line of a mate, played by the referee. */
static void check_line(const struct pm_position *root, enum pm_color color,
                       const struct pm_helpmate *helpmate)
{
    view_set(&referee, root);
    for (unsigned ply = 0; ply < helpmate->plies; ply++) {
        struct pm_error error;
        if (pm_view_play(&referee, helpmate->line[ply], &error) != PM_OK)
            fail_msg("%s: ply %u of the line is not legal", fen_of(root), ply + 1);
    }
    if (referee.move_count > 0 || referee.attacks.checkers == 0 ||
        referee.position.side_to_move == color)
        fail_msg("%s: the line does not end in mate", fen_of(root));
}

static enum pm_mate_chance chance_of(const struct pm_position *position, enum pm_color color,
                                     struct pm_helpmate_limits limits)
{
    struct pm_helpmate helpmate;
    view_set(&view, position);
    pm_helpmate_find(&view, color, limits, &helpmate);
    if (helpmate.chance == PM_MATE_POSSIBLE)
        check_line(position, color, &helpmate);
    assert_int_equal(helpmate.chance == PM_MATE_NOT_PROVED, helpmate.proof == PM_PROOF_NONE);
    return helpmate.chance;
}

struct tally {
    unsigned questions, proved;
};

static struct tally can, cannot, dead;

static void ask(const struct pm_position *position, enum pm_color color, bool can_mate,
                struct tally *tally)
{
    const enum pm_mate_chance chance = chance_of(position, color, PM_HELPMATE_LIMITS);
    if (chance == (can_mate ? PM_MATE_IMPOSSIBLE : PM_MATE_POSSIBLE))
        fail_msg("%s: %s %s", fen_of(position), pm_color_text(color), pm_mate_chance_text(chance));
    tally->questions++;
    tally->proved += chance != PM_MATE_NOT_PROVED;
}

static void visit_rows(const char *path,
                       void (*visit)(const char *answer, const struct pm_position *position))
{
    FILE *const file = fopen(path, "r");
    char line[256];
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        struct pm_position position;
        struct pm_error error;
        char *fen = line;
        const char *const answer = strsep(&fen, "\t");
        if (answer[0] == '#' || strcmp(answer, "can_mate") == 0)
            continue;
        fen[strcspn(fen, "\n")] = '\0';
        if (pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, &error) != PM_OK)
            fail_msg("%s: %s", fen, error.text);
        visit(answer, &position);
    }
    fclose(file);
}

static void visit_vector(const char *answer, const struct pm_position *position)
{
    const unsigned before = cannot.proved;
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        ask(position, (enum pm_color)color, answer[color] != '-',
            answer[color] != '-' ? &can : &cannot);
    if (strcmp(answer, "--") == 0) {
        dead.questions++;
        dead.proved += cannot.proved == before + 2;
    }
}

static void known_answers(void **state)
{
    (void)state;
    can = cannot = dead = (struct tally){0};
    visit_rows(SUITE("rules_helpmate"), visit_vector);
    print_message("dead: %u of %u proved, can't mate: %u of %u, can mate: %u of %u\n", dead.proved,
                  dead.questions, cannot.proved, cannot.questions, can.proved, can.questions);
    assert_int_equal(dead.questions, 806);
    assert_true(100 * dead.proved >= 95 * dead.questions);
    assert_true(100 * cannot.proved >= 95 * cannot.questions);
    assert_true(100 * can.proved >= 60 * can.questions);
}

/* Here `answer` is the side and a sign: "W+" can mate, "B-" can't. */
static void visit_own(const char *answer, const struct pm_position *position)
{
    const enum pm_color color = answer[0] == 'W' ? PM_WHITE : PM_BLACK;
    const bool can_mate = answer[1] == '+';
    const enum outcome outcome = search_mate(position, color, 60000);
    if (outcome != (can_mate ? MATE_FOUND : NO_MATE_EVER))
        fail_msg("%s %s: the row itself is wrong", answer, fen_of(position));
    ask(position, color, can_mate, can_mate ? &can : &cannot);
}

static void own_positions(void **state)
{
    (void)state;
    can = cannot = (struct tally){0};
    visit_rows(SUITE("rules_helpmate_own"), visit_own);
    print_message("can't mate: %u of %u proved, can mate: %u of %u\n", cannot.proved,
                  cannot.questions, can.proved, can.questions);
    assert_int_equal(can.questions, 50);
    assert_int_equal(cannot.questions, 50);
    assert_int_equal(can.proved, 50);
    assert_int_equal(cannot.proved, 50);
}

/* ---- Blocked pawns ---- */

static void put(struct pm_position *position, struct pm_random *random, pm_piece piece)
{
    pm_square square;
    do
        square = (pm_square)pm_random_below(random, PM_SQUARE_COUNT);
    while (position->board[square] != PM_EMPTY);
    position->board[square] = piece;
}

/* On most files a white and a black pawn face to face, some with a gap between; kings and up to
 * three bishops, knights or rooks anywhere. */
static struct pm_position random_blocked(struct pm_random *random)
{
    static const enum pm_piece_type types[] = {PM_BISHOP, PM_BISHOP, PM_BISHOP, PM_KNIGHT, PM_ROOK};
    struct pm_position position = {
        .fullmove_number = 1,
        .en_passant = PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .side_to_move = (uint8_t)pm_random_below(random, 2)};
    unsigned rank = 1 + pm_random_below(random, 5);
    for (unsigned file = 0; file < 8; file++) {
        const unsigned gap = pm_random_below(random, 10) == 0 && rank < 5;
        rank = rank == 1 ? 2 : rank == 5 ? 4 : rank - 1 + 2 * pm_random_below(random, 2);
        if (pm_random_below(random, 10) == 0)
            continue;
        position.board[pm_make_square(file, rank)] = pm_make_piece(PM_WHITE, PM_PAWN);
        position.board[pm_make_square(file, rank + 1 + gap)] = pm_make_piece(PM_BLACK, PM_PAWN);
    }
    put(&position, random, pm_make_piece(PM_WHITE, PM_KING));
    put(&position, random, pm_make_piece(PM_BLACK, PM_KING));
    for (unsigned pieces = pm_random_below(random, 4); pieces > 0; pieces--)
        put(&position, random,
            pm_make_piece((enum pm_color)pm_random_below(random, 2),
                          types[pm_random_below(random, sizeof types / sizeof *types)]));
    return position;
}

static void check_blocked(const struct pm_position *position, unsigned counts[3])
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        if (chance_of(position, (enum pm_color)color, PM_HELPMATE_LIMITS) != PM_MATE_IMPOSSIBLE)
            continue;
        const enum outcome outcome = search_mate(position, (enum pm_color)color, 3000);
        if (outcome == MATE_FOUND)
            fail_msg("%s: %s is said not to be able to mate, but there is one", fen_of(position),
                     pm_color_text((enum pm_color)color));
        counts[1]++;
        counts[2] += outcome == NO_MATE_EVER;
    }
    counts[0]++;
}

static void no_live_position_is_called_dead(void **state)
{
    struct pm_random random = {4};
    unsigned counts[3] = {0};
    (void)state;
    while (counts[0] < generated) {
        const struct pm_position position = random_blocked(&random);
        if (pm_position_check(&position, NULL) == PM_FAULT_NONE)
            check_blocked(&position, counts);
    }
    print_message("%u positions, %u sides that can't mate: %u searched to the end\n", counts[0],
                  counts[1], counts[2]);
    assert_true(counts[1] > generated / 40);
}

/* ---- Special cases ---- */

static void expect(const char *fen, enum pm_color color, enum pm_mate_chance wanted)
{
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read(fen, PM_FEN_CHESS960, &position, NULL, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    const struct pm_helpmate_limits limits = {.open = 24000, .cramped = 24000};
    const enum pm_mate_chance chance = chance_of(&position, color, limits);
    if (chance != wanted)
        fail_msg("%s: %s %s", fen, pm_color_text(color), pm_mate_chance_text(chance));
}

static void special_cases(void **state)
{
    (void)state;
    expect("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", PM_WHITE, PM_MATE_POSSIBLE); /* is mate */
    expect("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", PM_BLACK, PM_MATE_IMPOSSIBLE);
    expect("8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", PM_BLACK, PM_MATE_IMPOSSIBLE); /* stalemate */
    expect("8/8/8/8/8/2k5/2p5/2K5 b - - 0 1", PM_BLACK, PM_MATE_POSSIBLE);
    /* a wall that en passant opens now or never */
    expect("4k3/8/8/p1p1p1p1/P1PpP1P1/3P4/8/4K3 b - e3 0 1", PM_BLACK, PM_MATE_POSSIBLE);
    expect("4k3/8/8/p1p1p1p1/P1PpP1P1/3P4/8/4K3 b - - 0 1", PM_BLACK, PM_MATE_IMPOSSIBLE);
    /* pawns that can't pass each other, though they move and kings take some */
    expect("1k6/p1p1p1p1/P1P1P1P1/p1p1p1p1/8/8/P1P1P1P1/4K3 w - - 0 1", PM_WHITE,
           PM_MATE_IMPOSSIBLE);
    /* the one way out is a castling */
    expect("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", PM_WHITE, PM_MATE_POSSIBLE);
    expect("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", PM_BLACK, PM_MATE_POSSIBLE);
}

static void limits_are_kept(void **state)
{
    struct pm_helpmate helpmate;
    (void)state;
    view_at(&view, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    pm_helpmate_find(&view, PM_WHITE, (struct pm_helpmate_limits){.open = 1, .cramped = 1},
                     &helpmate);
    assert_int_equal(helpmate.chance, PM_MATE_NOT_PROVED);
    assert_true(helpmate.positions <= 1 + PM_MAX_MOVES);
    assert_string_equal(pm_mate_chance_text(PM_MATE_CHANCES), "unknown");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(own_positions),
        cmocka_unit_test(no_live_position_is_called_dead),
        cmocka_unit_test(special_cases),
        cmocka_unit_test(limits_are_kept),
    };
    if (argc > 1)
        generated = (unsigned)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
