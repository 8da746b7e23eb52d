/* SPDX-License-Identifier: MIT */
/* Repetitions, move counts, claims and checks without end, with every kernel that runs here. */
#include "core/fen.h"
#include "core/file.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "rules/history.h"
#include "rules/perpetual.h"
#include "rules/san.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pm_view view;
static struct pm_history *history;

static void begin(const struct pm_kernel *kernel, const char *fen)
{
    struct pm_position position;
    struct pm_error error;
    assert_int_equal(pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, NULL), PM_OK);
    pm_view_close(&view);
    pm_history_destroy(history);
    assert_int_equal(pm_view_open(&view, kernel, &error), PM_OK);
    assert_int_equal(pm_history_create(&history, &error), PM_OK);
    assert_int_equal(pm_view_set(&view, &position, &error), PM_OK);
    assert_int_equal(pm_history_add(history, &view), PM_OK);
}

static void play(const char *moves)
{
    struct pm_error error;
    struct pm_move move;
    for (size_t length; *moves != '\0'; moves += length + (moves[length] == ' ')) {
        length = strcspn(moves, " ");
        if (pm_san_read(&view, moves, length, &move, &error) != PM_SAN_OK)
            fail_msg("%s", error.text);
        assert_int_equal(pm_view_play(&view, move, &error), PM_OK);
        assert_int_equal(pm_history_add(history, &view), PM_OK);
    }
}

static unsigned draws_after(const struct pm_kernel *kernel, const char *fen, const char *moves)
{
    begin(kernel, fen);
    play(moves);
    return pm_history_draws(history);
}

static unsigned claims(void)
{
    struct pm_move move;
    return pm_history_claims_by_move(history, &view, &move);
}

/* Calls the check once for each kernel. */
static void with_each(void (*check)(const struct pm_kernel *kernel))
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) != 0 || (*kernel)->attacks == NULL)
            continue;
        assert_int_equal((*kernel)->init(), PM_OK);
        check(*kernel);
    }
}

static void close_all(void)
{
    pm_view_close(&view);
    pm_history_destroy(history);
    history = NULL;
}

static int tear_down(void **state)
{
    (void)state;
    close_all();
    return 0;
}

/* ---- The table ---- */

enum { CASE, FEN, MOVES, REPETITION, CLAIM, PYTHON_CHESS, PYTHON_CHESS_CLAIM, CHESS_JS, COLUMNS };

static void check_row(const struct pm_kernel *kernel, char *columns[COLUMNS])
{
    const bool repetition =
        (draws_after(kernel, columns[FEN], columns[MOVES]) & PM_DRAW_THREEFOLD) != 0;
    const bool claim = repetition || (claims() & PM_DRAW_THREEFOLD) != 0;
    if (repetition != (strcmp(columns[REPETITION], "yes") == 0) ||
        claim != (strcmp(columns[CLAIM], "yes") == 0))
        fail_msg("%s: \"%s\": repetition %d, claim %d", kernel->name, columns[CASE], repetition,
                 claim);
}

static unsigned rows, others_differ;

static void check_table(const struct pm_kernel *kernel)
{
    struct pm_error error;
    char *text;
    size_t size;
    rows = others_differ = 0;
    if (pm_file_read(PM_SOURCE_DIR "/verify/suites/rules_repetition.tsv", &text, &size, &error) !=
        PM_OK)
        fail_msg("%s", error.text);
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *columns[COLUMNS] = {0};
        if (*line == '#' || *line == '\0' || strncmp(line, "case\t", 5) == 0)
            continue;
        for (int i = 0; i < COLUMNS; i++)
            columns[i] = strsep(&line, "\t");
        assert_non_null(columns[CHESS_JS]);
        check_row(kernel, columns);
        rows++;
        others_differ += strcmp(columns[CHESS_JS], columns[REPETITION]) != 0 ||
                         strcmp(columns[PYTHON_CHESS], columns[REPETITION]) != 0 ||
                         strcmp(columns[PYTHON_CHESS_CLAIM], columns[CLAIM]) != 0;
    }
    free(text);
    assert_int_equal(rows, 6);
    assert_int_equal(others_differ, 1); /* chess.js counts an en passant square that a pin voids */
}

static void table_is_right(void **state)
{
    (void)state;
    with_each(check_table);
}

/* ---- Repetitions ---- */

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define ROUND "Nf3 Nf6 Ng1 Ng8"

static void check_counts(const struct pm_kernel *kernel)
{
    begin(kernel, START);
    assert_int_equal(pm_history_occurrences(history), 1);
    for (unsigned round = 1; round <= 5; round++) {
        play(ROUND);
        assert_int_equal(pm_history_occurrences(history), round + 1);
        assert_int_equal(pm_history_first_ply(history), 0);
        assert_int_equal(pm_history_previous_ply(history, 4 * round), 4 * (round - 1));
        assert_int_equal(pm_history_draws(history), (round >= 2 ? PM_DRAW_THREEFOLD : 0) |
                                                        (round >= 4 ? PM_DRAW_FIVEFOLD : 0));
    }
    assert_int_equal(pm_history_previous_ply(history, 0), PM_NO_PLY);
    assert_int_equal(pm_history_length(history), 21);
    pm_history_clear(history);
    assert_int_equal(pm_history_length(history), 0);
    assert_int_equal(pm_history_add(history, &view), PM_OK);
    assert_int_equal(pm_history_occurrences(history), 1);
}

static void repetitions_are_counted(void **state)
{
    (void)state;
    with_each(check_counts);
}

/* The right of the king's side, lost by the rook's move. */
static void check_rights(const struct pm_kernel *kernel)
{
    const char *fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    const char *round = "Rh2 Kd8 Rh1 Ke8";
    begin(kernel, fen);
    play(round);
    assert_int_equal(pm_history_occurrences(history), 1); /* only the queen's side is left */
    play(round);
    assert_int_equal(pm_history_occurrences(history), 2);
    assert_int_equal(pm_history_first_ply(history), 4);
    assert_int_equal(claims(), PM_DRAW_THREEFOLD); /* Rh2 for the third time */
    play(round);
    assert_int_equal(pm_history_draws(history), PM_DRAW_THREEFOLD);
}

static void rights_tell_positions_apart(void **state)
{
    (void)state;
    with_each(check_rights);
}

static void claim_names_the_move(void **state)
{
    struct pm_move move = {0};
    char text[PM_SAN_SIZE];
    (void)state;
    begin(pm_kernel_find("reference"), START);
    play(ROUND);
    for (const char *const *next = (const char *const[]){"Nf3", "Nf6", "Ng1", NULL}; *next;
         next++) {
        assert_int_equal(claims(), 0); /* every move would make the second time only */
        play(*next);
    }
    assert_int_equal(pm_history_claims_by_move(history, &view, &move), PM_DRAW_THREEFOLD);
    assert_string_equal(pm_san_write(&view, &move, text), "Ng8");
    play("e5"); /* a pawn's move ends it */
    assert_int_equal(claims(), 0);
}

/* A long game in which no position returns, so that the tables have to grow; then one that does. */
static void long_games_are_searched_whole(void **state)
{
    (void)state;
    begin(pm_kernel_find("reference"), "k7/8/8/8/8/8/8/K6R w - - 0 1");
    const char *const there[] = {"Rh2", "Rh3", "Rh4", "Rh5", "Rh6", "Rh7"};
    const char *const across[] = {"Rg7", "Rf7", "Re7", "Rd7", "Rc7"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        play(there[i]);
        play(i % 2 == 0 ? "Kb8" : "Ka8");
    }
    for (size_t i = 0; i < sizeof across / sizeof *across; i++) {
        play(across[i]);
        play(i % 2 == 0 ? "Kb8" : "Ka8");
    }
    for (int i = 0; i < 300; i++)
        play("Kb1 Ka8 Ka1 Kb8");
    assert_int_equal(pm_history_length(history), 1 + 22 + 1200);
    assert_true(pm_history_draws(history) & PM_DRAW_FIVEFOLD);
    assert_true(pm_history_draws(history) & PM_DRAW_SEVENTY_FIVE);
}

/* ---- Fifty and seventy-five moves ---- */

static void check_move_counts(const struct pm_kernel *kernel)
{
    begin(kernel, "k7/8/1K6/8/8/8/8/7R b - - 98 120");
    assert_int_equal(claims(), 0);
    play("Kb8");
    assert_int_equal(pm_history_draws(history), 0);
    assert_int_equal(claims(), PM_DRAW_FIFTY_MOVES); /* by the hundredth ply */
    play("Rh2");
    assert_int_equal(pm_history_draws(history), PM_DRAW_FIFTY_MOVES);

    begin(kernel, "k7/8/1K6/8/8/8/8/7R w - - 149 120");
    assert_int_equal(pm_history_draws(history), PM_DRAW_FIFTY_MOVES);
    play("Rh2");
    assert_int_equal(pm_history_draws(history), PM_DRAW_FIFTY_MOVES | PM_DRAW_SEVENTY_FIVE);

    /* Mate goes first. */
    assert_int_equal(draws_after(kernel, "k7/8/1K6/8/8/8/8/7R w - - 149 120", "Rh8#"), 0);

    /* A pawn's move, a capture: no claim. */
    begin(kernel, "k7/P7/K7/8/8/8/8/8 b - - 99 120"); /* stalemate: no move at all */
    assert_int_equal(claims(), 0);
    begin(kernel, "8/8/8/8/8/k7/p7/K7 w - - 99 120");
    assert_int_equal(claims(), 0);
    begin(kernel, "7k/8/8/8/8/8/1r6/K7 w - - 99 120"); /* Kxb2 alone is legal */
    assert_int_equal(claims(), 0);
    begin(kernel, "7k/8/8/8/8/8/r7/K7 w - - 99 120"); /* Kxa2 or Kb1 */
    assert_int_equal(claims(), PM_DRAW_FIFTY_MOVES);
    begin(kernel, "7k/8/8/8/8/1p6/r7/K1N5 w - - 99 120"); /* Nxa2, Kb1 */
    play("Nxa2");
    assert_int_equal(pm_history_draws(history), 0);
}

static void move_counts_draw(void **state)
{
    (void)state;
    with_each(check_move_counts);
}

/* ---- Checks without end ---- */

/* Black threatens mate, but his king can't get away from the queen. */
#define PERPETUAL "6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1"
/* The same with a bishop that could step between on f8: then Qxf8+ is White's last check. */
#define WAY_OUT "6k1/6p1/8/7Q/8/b7/qr6/7K w - - 0 1"
#define CHECKS "Qe8+ Kh7 Qh5+ Kg8"

static void check_perpetual(const struct pm_kernel *kernel)
{
    begin(kernel, PERPETUAL);
    play("Qe8+ Kh7 Qh5+");
    assert_int_equal(pm_history_draws(history), 0);
    play("Kg8");
    assert_int_equal(pm_history_draws(history), PM_DRAW_PERPETUAL_WHITE);
    play(CHECKS);
    assert_int_equal(pm_history_draws(history), PM_DRAW_PERPETUAL_WHITE | PM_DRAW_THREEFOLD);

    /* Colors exchanged. */
    assert_int_equal(
        draws_after(kernel, "7k/QR6/8/8/7q/8/6P1/6K1 b - - 0 1", "Qe1+ Kh2 Qh4+ Kg1 Qe1+"),
        PM_DRAW_PERPETUAL_BLACK);
}

static void perpetual_check_is_told(void **state)
{
    (void)state;
    with_each(check_perpetual);
}

static void check_way_out(const struct pm_kernel *kernel)
{
    assert_int_equal(draws_after(kernel, WAY_OUT, CHECKS " " CHECKS), PM_DRAW_THREEFOLD);
    /* One quiet move in the round. */
    assert_int_equal(draws_after(kernel, "6k1/6p1/8/7Q/8/8/8/7K w - - 0 1",
                                 "Qe8+ Kh7 Qe4+ Kg8 Qe5 Kh7 Qh5+ Kg8"),
                     0);
    /* Black can't get away from the queen, but Qd7 is no check. */
    assert_int_equal(draws_after(kernel, "k7/p2Q4/P7/8/8/8/8/K7 w - - 0 1", "Qc6+ Kb8 Qd7 Ka8"), 0);
    /* Both kings walk; nobody is in check. */
    assert_int_equal(draws_after(kernel, START, ROUND), 0);
}

static void a_way_out_is_no_perpetual(void **state)
{
    (void)state;
    with_each(check_way_out);
}

static enum pm_perpetual perpetual(const struct pm_kernel *kernel, const char *fen)
{
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, 0, &position, NULL, NULL), PM_OK);
    return pm_perpetual_of(kernel, &position);
}

static void check_proofs(const struct pm_kernel *kernel)
{
    assert_int_equal(perpetual(kernel, "4Q1k1/6p1/8/8/8/8/qr6/7K b - - 0 1"), PM_PERPETUAL_PROVED);
    assert_int_equal(perpetual(kernel, "4Q1k1/6p1/8/8/8/b7/qr6/7K b - - 0 1"),
                     PM_PERPETUAL_REFUTED);
    assert_int_equal(perpetual(kernel, "R5k1/5ppp/8/8/8/8/8/7K b - - 0 1"),
                     PM_PERPETUAL_PROVED); /* mate */
    assert_int_equal(perpetual(kernel, "4k3/8/8/8/8/8/8/4R2K b - - 0 1"), PM_PERPETUAL_REFUTED);
}

static void proofs_hold(void **state)
{
    (void)state;
    with_each(check_proofs);
}

/* ---- The proofs against an exact solution: king and rook against king ---- */

enum { SQUARES = PM_SQUARE_COUNT, NODES = SQUARES * SQUARES * SQUARES };

/* White to move; a node is good if some check leads to good nodes only, whatever the reply. */
struct endgame {
    const struct pm_kernel *kernel;
    bool good[NODES];
    uint32_t *edges; /* of a node: for each check, its replies' nodes and END; then END again */
    size_t edge_count, edge_capacity;
    size_t first_edge[NODES];
};
#define END UINT32_MAX
#define LOST_ROOK (UINT32_MAX - 1)

static void add_edge(struct endgame *endgame, uint32_t edge)
{
    if (endgame->edge_count == endgame->edge_capacity) {
        endgame->edge_capacity = 2 * endgame->edge_capacity + 1024;
        endgame->edges = realloc(endgame->edges, endgame->edge_capacity * sizeof *endgame->edges);
        assert_non_null(endgame->edges);
    }
    endgame->edges[endgame->edge_count++] = edge;
}

/* False if two pieces share a square, or the position is none. */
static bool position_of(uint32_t node, enum pm_color side, struct pm_position *position)
{
    const uint32_t king = node / SQUARES / SQUARES;
    const uint32_t rook = node / SQUARES % SQUARES;
    const uint32_t black = node % SQUARES;
    *position = (struct pm_position){
        .side_to_move = (uint8_t)side, .en_passant = PM_NO_SQUARE, .fullmove_number = 1};
    memset(position->castling_rook, PM_NO_SQUARE, sizeof position->castling_rook);
    position->board[king] = pm_make_piece(PM_WHITE, PM_KING);
    position->board[rook] = pm_make_piece(PM_WHITE, PM_ROOK);
    position->board[black] = pm_make_piece(PM_BLACK, PM_KING);
    return king != rook && king != black && rook != black &&
           pm_position_check(position, NULL) == PM_FAULT_NONE;
}

static uint32_t node_of(const struct pm_position *position)
{
    uint32_t king = 0, rook = SQUARES, black = 0;
    for (uint32_t square = 0; square < SQUARES; square++) {
        if (position->board[square] == pm_make_piece(PM_WHITE, PM_KING))
            king = square;
        else if (position->board[square] == pm_make_piece(PM_WHITE, PM_ROOK))
            rook = square;
        else if (position->board[square] == pm_make_piece(PM_BLACK, PM_KING))
            black = square;
    }
    return rook == SQUARES ? LOST_ROOK : (king * SQUARES + rook) * SQUARES + black;
}

struct state {
    _Alignas(64) unsigned char bytes[4096];
};

static void add_replies(struct endgame *endgame, const struct state *state)
{
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_position position;
    struct state child;
    unsigned count = 0;
    endgame->kernel->legal_moves(state, moves, &count);
    for (unsigned i = 0; i < count; i++) {
        memcpy(&child, state, endgame->kernel->state_size);
        endgame->kernel->play(&child, &moves[i]);
        endgame->kernel->get_position(&child, &position);
        add_edge(endgame, node_of(&position));
    }
    add_edge(endgame, END);
}

static void add_checks(struct endgame *endgame, const struct pm_position *position)
{
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_attacks attacks;
    struct state state, child;
    unsigned count = 0;
    endgame->kernel->set_position(&state, position);
    endgame->kernel->legal_moves(&state, moves, &count);
    for (unsigned i = 0; i < count; i++) {
        memcpy(&child, &state, endgame->kernel->state_size);
        endgame->kernel->play(&child, &moves[i]);
        endgame->kernel->attacks(&child, &attacks);
        if (attacks.checkers != 0)
            add_replies(endgame, &child);
    }
}

/* Whether some check of the node is followed by good nodes only; also of the lists from `edge` on.
 */
static bool some_list_is_good(const struct endgame *endgame, const uint32_t *edge,
                              const uint32_t *end)
{
    while (edge < end) {
        bool all_good = true;
        for (; *edge != END; edge++)
            all_good = all_good && *edge != LOST_ROOK && endgame->good[*edge];
        if (all_good)
            return true;
        edge++;
    }
    return false;
}

static void solve(struct endgame *endgame)
{
    struct pm_position position;
    bool changed = true;
    for (uint32_t node = 0; node < NODES; node++) {
        endgame->first_edge[node] = endgame->edge_count;
        endgame->good[node] = position_of(node, PM_WHITE, &position);
        if (endgame->good[node])
            add_checks(endgame, &position);
    }
    while (changed) {
        changed = false;
        for (uint32_t node = 0; node < NODES; node++) {
            const uint32_t *edges = endgame->edges + endgame->first_edge[node];
            const uint32_t *end = endgame->edges + (node + 1 < NODES ? endgame->first_edge[node + 1]
                                                                     : endgame->edge_count);
            if (endgame->good[node] && !some_list_is_good(endgame, edges, end)) {
                endgame->good[node] = false;
                changed = true;
            }
        }
    }
}

/* The exact answer for a position with Black in check. */
static bool is_endless(struct endgame *endgame, const struct pm_position *position)
{
    struct state state;
    const size_t count = endgame->edge_count;
    endgame->kernel->set_position(&state, position);
    add_replies(endgame, &state);
    const bool endless =
        some_list_is_good(endgame, endgame->edges + count, endgame->edges + endgame->edge_count);
    endgame->edge_count = count;
    return endless;
}

static void proofs_are_sound(void **state)
{
    unsigned answers[2][3] = {{0}}; /* [endless][what was said] */
    struct endgame *endgame = calloc(1, sizeof *endgame);
    (void)state;
    assert_non_null(endgame);
    endgame->kernel = pm_kernel_find("x88");
    assert_int_equal(endgame->kernel->init(), PM_OK);
    solve(endgame);
    for (uint32_t node = 0; node < NODES; node += 11) {
        struct pm_position position;
        struct pm_position turned;
        if (!position_of(node, PM_BLACK, &position) || position_of(node, PM_WHITE, &turned))
            continue; /* Black is not in check: with White to move it would be a position, too */
        answers[is_endless(endgame, &position)][pm_perpetual_of(endgame->kernel, &position)]++;
    }
    free(endgame->edges);
    free(endgame);
    assert_int_equal(answers[false][PM_PERPETUAL_PROVED], 0);
    assert_int_equal(answers[true][PM_PERPETUAL_REFUTED], 0);
    assert_true(answers[true][PM_PERPETUAL_PROVED] > 5); /* a rook seldom can */
    assert_true(answers[false][PM_PERPETUAL_REFUTED] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_right),
        cmocka_unit_test(repetitions_are_counted),
        cmocka_unit_test(rights_tell_positions_apart),
        cmocka_unit_test(claim_names_the_move),
        cmocka_unit_test(long_games_are_searched_whole),
        cmocka_unit_test(move_counts_draw),
        cmocka_unit_test(perpetual_check_is_told),
        cmocka_unit_test(a_way_out_is_no_perpetual),
        cmocka_unit_test(proofs_hold),
        cmocka_unit_test(proofs_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
