/* SPDX-License-Identifier: MIT */
/* Exchanges worked out by hand, and the swap algorithm against captures played on a board. */
#include "analyze/exchange.h"
#include "tests/unit/view_at.h"
#include "verify/generator.h"

#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct pm_view view;

static void by_hand(void **state)
{
    static const struct {
        const char *fen, *move;
        int value;
        const char *why;
    } rows[] = {
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100, "a free pawn"},
        {"4k3/8/8/4p3/3P4/8/8/4K3 b - - 0 1", "e5d4", 100, "the same for Black"},
        {"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0, "pawn for pawn"},
        {"4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5", -200, "a knight for a pawn"},
        {"4k3/8/5n2/3p4/8/2N5/8/3RK3 w - - 0 1", "c3d5", 100, "Nxd5 Nxd5 Rxd5"},
        {"4k3/8/5n2/3p4/8/2N5/8/3RK3 w - - 0 1", "d1d5", -100, "Rxd5 Nxd5 Nxd5"},
        {"3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100, "the second rook stands behind"},
        {"3r2k1/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", -400, "so do Black's"},
        {"3rk3/8/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100, "a queen behind a rook"},
        {"3rk3/8/8/3p4/8/8/3Q4/3RK3 w - - 0 1", "d2d5", -300, "a rook behind a queen"},
        {"4k3/8/2p5/3p4/4P3/5B2/8/4K3 w - - 0 1", "e4d5", 100, "a bishop behind a pawn"},
        {"4k3/1q6/2p5/3p4/4P3/5B2/8/4K3 w - - 0 1", "e4d5", 0, "White stops after cxd5"},
        {"4k3/1q6/2p5/3p4/8/5B2/8/4K3 w - - 0 1", "f3d5", -200, "cxd5, and no more"},
        {"8/8/3k4/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -400, "the king takes"},
        {"8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100, "the king may not take"},
        {"3r4/8/3k4/3p4/8/2N5/8/3RK3 w - - 0 1", "c3d5", 100, "and stands in his own rook's way"},
        {"4k3/8/8/3p4/3K4/8/8/8 w - - 0 1", "d4d5", 100, "a king takes"},
        {"4k3/8/8/8/3p4/8/8/2B1K3 w - - 0 1", "c1e3", -300, "onto an attacked square"},
        {"4k3/8/8/8/3p4/8/8/2B1K3 w - - 0 1", "c1d2", 0, "onto a quiet one"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100, "en passant"},
        {"4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0, "en passant, taken back"},
        {"3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100,
         "the file is open when the captured pawn is gone"},
        {"3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0, "en passant, taken by the rook"},
        {"7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 800, "a pawn becomes a queen"},
        {"7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8n", 200, "a knight"},
        {"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", -100, "and is taken"},
        {"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8r", -100, "whatever it becomes"},
        {"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", 1300, "rook and promotion"},
        {"1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", 400, "the queen is taken back"},
        {"1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n", 400, "so is the knight"},
        {"7k/8/8/8/8/8/1p6/r1R4K w - - 0 1", "c1a1", -800, "bxa1=Q"},
        {"7k/8/8/8/8/8/1p6/r1R1R2K w - - 0 1", "c1a1", 100, "bxa1=Q Rxa1"},
        {"4k3/8/4p3/3n4/8/2N5/8/3RK3 w - - 0 1", "c3d5", 100, "Nxd5 exd5 Rxd5"},
        {"4k3/8/4pn2/3p4/4P3/2N2B2/8/3RK3 w - - 0 1", "e4d5", 100, "five captures"},
        {"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5", 900, "a free queen"},
        {"4k3/8/4p3/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5", 600, "a queen for a knight"},
        {"4k3/4n3/8/3p4/8/2N5/8/4R1K1 w - - 0 1", "c3d5", -200, "pins are not looked at"},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0, "castling"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        view_at(&view, rows[i].fen);
        const struct pm_pieces pieces = pm_pieces_of(&view.position);
        const struct pm_move move = view_move(&view, rows[i].move);
        const int value =
            pm_exchange_of_move(&pieces, (enum pm_color)view.position.side_to_move, &move);
        if (value != rows[i].value)
            fail_msg("%s %s is worth %d, not %d: %s", rows[i].fen, rows[i].move, rows[i].value,
                     value, rows[i].why);
    }
}

/* Who begins may do better not to. */
static void on_squares(void **state)
{
    static const struct {
        const char *fen;
        enum pm_color by;
        pm_square square;
        int value;
    } rows[] = {
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", PM_WHITE, 35, 100},
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", PM_BLACK, 28, 100}, /* not to move */
        {"4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1", PM_WHITE, 35, 0}, /* only with loss */
        {"4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", PM_WHITE, 35, 0},     /* nobody attacks it */
        {"8/8/3k4/3p4/8/8/8/3RK3 w - - 0 1", PM_WHITE, 35, 0},
        {"3r4/8/3k4/3p4/4K3/8/8/8 w - - 0 1", PM_WHITE, 35, 0}, /* defended from a king */
        {"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", PM_WHITE, 57, 1300},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        view_at(&view, rows[i].fen);
        const struct pm_pieces pieces = pm_pieces_of(&view.position);
        assert_int_equal(pm_exchange_on_square(&pieces, rows[i].by, rows[i].square), rows[i].value);
    }
}

/* ---- The same definition, slowly: every capture is played on a board ---- */

static bool is_line_free(const pm_piece board[PM_SQUARE_COUNT], int from, int to, int step)
{
    for (int square = from + step; square != to; square += step)
        if (board[square] != PM_EMPTY)
            return false;
    return true;
}

static bool can_take(const pm_piece board[PM_SQUARE_COUNT], int from, int to)
{
    const int files = to % 8 - from % 8, ranks = to / 8 - from / 8;
    const int wide = abs(files), high = abs(ranks);
    const bool straight = files == 0 || ranks == 0;
    const int step = (files > 0) - (files < 0) + 8 * ((ranks > 0) - (ranks < 0));
    switch (pm_type_of(board[from])) {
    case PM_PAWN:
        return wide == 1 && ranks == (pm_color_of(board[from]) == PM_WHITE ? 1 : -1);
    case PM_KNIGHT:
        return wide * high == 2;
    case PM_KING:
        return wide <= 1 && high <= 1 && wide + high > 0;
    case PM_BISHOP:
        return wide == high && wide > 0 && is_line_free(board, from, to, step);
    case PM_ROOK:
        return straight && wide + high > 0 && is_line_free(board, from, to, step);
    case PM_QUEEN:
        return (straight || wide == high) && wide + high > 0 && is_line_free(board, from, to, step);
    default:
        return false;
    }
}

/* The least valuable piece of a color that can take on a square, the first from a1 on; -1: none. */
static int least_attacker(const pm_piece board[PM_SQUARE_COUNT], enum pm_color color, int square)
{
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        for (int from = 0; from < PM_SQUARE_COUNT; from++)
            if (board[from] == pm_make_piece(color, (enum pm_piece_type)type) &&
                can_take(board, from, square))
                return from;
    return -1;
}

static int value_of(pm_piece piece)
{
    static const int values[PM_PIECE_TYPE_COUNT] = {0, 100, 300, 300, 500, 900, 0};
    return values[pm_type_of(piece)];
}

/* What `color` wins by taking on the square as long as it pays. */
static int search(const pm_piece board[PM_SQUARE_COUNT], enum pm_color color, int square)
{
    const enum pm_color enemy = color == PM_WHITE ? PM_BLACK : PM_WHITE;
    const int from = least_attacker(board, color, square);
    if (from < 0)
        return 0;
    pm_piece after[PM_SQUARE_COUNT];
    for (int i = 0; i < PM_SQUARE_COUNT; i++)
        after[i] = board[i];
    int gain = value_of(board[square]);
    after[square] = board[from];
    after[from] = PM_EMPTY;
    if (pm_type_of(board[from]) == PM_KING && least_attacker(after, enemy, square) >= 0)
        return 0;
    if (pm_type_of(board[from]) == PM_PAWN && (square < 8 || square >= 56)) {
        after[square] = pm_make_piece(color, PM_QUEEN);
        gain += 800;
    }
    const int value = gain - search(after, enemy, square);
    return value > 0 ? value : 0;
}

static int search_move(const struct pm_position *position, const struct pm_move *move)
{
    const enum pm_color color = (enum pm_color)position->side_to_move;
    if (move->kind == PM_MOVE_CASTLING)
        return 0;
    struct pm_position after = *position;
    int gain = value_of(position->board[move->to]);
    if (move->kind == PM_MOVE_EN_PASSANT) {
        after.board[(move->from & 56) | (move->to & 7)] = PM_EMPTY;
        gain = 100;
    }
    after.board[move->to] = position->board[move->from];
    after.board[move->from] = PM_EMPTY;
    if (move->promotion != PM_NO_PIECE_TYPE) {
        after.board[move->to] = pm_make_piece(color, (enum pm_piece_type)move->promotion);
        gain += value_of(after.board[move->to]) - 100;
    }
    return gain - search(after.board, color == PM_WHITE ? PM_BLACK : PM_WHITE, move->to);
}

static void compare_moves(const struct pm_pieces *pieces)
{
    const struct pm_position *position = &view.position;
    for (unsigned i = 0; i < view.move_count; i++) {
        const struct pm_move *move = &view.moves[i];
        const int right = search_move(position, move);
        const int value = pm_exchange_of_move(pieces, (enum pm_color)position->side_to_move, move);
        if (value == right)
            continue;
        char fen[PM_FEN_SIZE], text[PM_MOVE_TEXT_SIZE];
        fail_msg("%s %s is worth %d, not %d",
                 pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen),
                 pm_move_to_text(move, PM_CASTLING_TAKES_ROOK, text), right, value);
    }
}

static void compare_squares(const struct pm_pieces *pieces)
{
    const struct pm_position *position = &view.position;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (piece == PM_EMPTY || pm_type_of(piece) == PM_KING)
            continue;
        const enum pm_color by = pm_color_of(piece) == PM_WHITE ? PM_BLACK : PM_WHITE;
        assert_int_equal(pm_exchange_on_square(pieces, by, (pm_square)square),
                         search(position->board, by, (int)square));
    }
}

static void generated(void **state)
{
    const struct pm_generator generator = {.seed = 20, .mover = view.kernel};
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        struct pm_generated made;
        assert_int_equal(pm_generate(&generator, i, &made), PM_OK);
        view_set(&view, &made.position);
        const struct pm_pieces pieces = pm_pieces_of(&view.position);
        compare_moves(&pieces);
        compare_squares(&pieces);
    }
}

static int open_view(void **state)
{
    (void)state;
    view_open(&view, "reference");
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    pm_view_close(&view);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(on_squares),
        cmocka_unit_test(generated),
    };
    return cmocka_run_group_tests(tests, open_view, close_view);
}
