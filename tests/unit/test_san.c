/* SPDX-License-Identifier: MIT */
/* SAN: written and read again for every move of the suites, and the cases with a trap. */
#include "rules/san.h"

#include "tests/unit/view_at.h"

#include <stdlib.h>
#include <string.h>

#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".epd"
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define CASTLE "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"

static struct pm_view view;

static int set_up(void **state)
{
    (void)state;
    view_open(&view, "magic");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pm_view_close(&view);
    return 0;
}

/* ---- Every move of the suites ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void round_trip(struct pm_view *seen, void *context)
{
    static char texts[PM_MAX_MOVES][PM_SAN_SIZE];
    unsigned *const total = context;
    char fen[PM_FEN_SIZE];
    for (unsigned i = 0; i < seen->move_count; i++) {
        const struct pm_move move = seen->moves[i];
        struct pm_move found;
        struct pm_error error;
        pm_san_write(seen, &move, texts[i]);
        assert_true(strlen(texts[i]) < PM_SAN_SIZE);
        if (pm_san_read(seen, texts[i], strlen(texts[i]), &found, &error) != PM_SAN_OK)
            fail_msg("%s: %s", pm_fen_write(&seen->position, 0, 0, fen), error.text);
        if (!pm_move_equal(&move, &found))
            fail_msg("%s: %s is read as another move", pm_fen_write(&seen->position, 0, 0, fen),
                     texts[i]);
    }
    qsort(texts, seen->move_count, sizeof texts[0], compare_texts);
    for (unsigned i = 1; i < seen->move_count; i++) {
        if (strcmp(texts[i - 1], texts[i]) == 0)
            fail_msg("%s: two moves are %s", pm_fen_write(&seen->position, 0, 0, fen), texts[i]);
    }
    *total += seen->move_count;
}

/* UCI text of both castlings' ways is read, too. */
static void read_uci(struct pm_view *seen, void *context)
{
    unsigned *const total = context;
    for (unsigned i = 0; i < seen->move_count; i++) {
        const struct pm_move move = seen->moves[i];
        for (int way = 0; way < 2; way++) {
            char text[PM_MOVE_TEXT_SIZE], fen[PM_FEN_SIZE];
            struct pm_move found;
            pm_move_to_text(&move, (enum pm_castling_text)way, text);
            const int wanted = pm_move_find(seen->moves, seen->move_count, text);
            if (pm_san_read(seen, text, strlen(text), &found, NULL) != PM_SAN_OK || wanted < 0 ||
                !pm_move_equal(&found, &seen->moves[wanted]))
                fail_msg("%s: %s", pm_fen_write(&seen->position, 0, 0, fen), text);
        }
    }
    *total += seen->move_count;
}

static void suites(void **state)
{
    unsigned total = 0;
    (void)state;
    static const char *const names[] = {SUITE("standard"),  SUITE("tricky"),
                                        SUITE("chess960"),  SUITE("unreachable"),
                                        SUITE("generated"), SUITE("generated960")};
    for (size_t i = 0; i < LENGTH(names); i++)
        view_visit_suite(&view, names[i], true, round_trip, &total);
    print_message("%u moves\n", total);
    assert_true(total > 1000000);
}

static void uci_of_suites(void **state)
{
    unsigned total = 0;
    (void)state;
    view_visit_suite(&view, SUITE("standard"), false, read_uci, &total);
    view_visit_suite(&view, SUITE("tricky"), false, read_uci, &total);
    view_visit_suite(&view, SUITE("chess960"), false, read_uci, &total);
    assert_true(total > 20000);
}

/* ---- Writing ---- */

static void written(void **state)
{
    static const struct {
        const char *fen, *uci, *san;
    } cases[] = {
        {START, "e2e4", "e4"},
        {START, "g1f3", "Nf3"},
        /* file, rank, both */
        {"4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"},
        {"4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "f3d2", "Nfd2"},
        {"4k3/8/8/R7/8/8/8/R3K3 w - - 0 1", "a1a3", "R1a3"},
        {"4k3/8/8/R7/8/8/8/R3K3 w - - 0 1", "a5a3", "R5a3"},
        {"8/k7/8/8/4Q2Q/8/8/1K5Q w - - 0 1", "h4e1", "Qh4e1"},
        {"4k3/8/8/8/6QQ/8/8/K6Q w - - 0 1", "h4e1", "Q4e1+"},
        {"8/8/8/5k2/Q6Q/8/8/K6Q w - - 0 1", "h4h3", "Q4h3+"},
        /* the file comes first where both would do */
        {"4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "c3e2", "Nce2"},
        /* a pinned piece needs no telling apart: on the file, the rank, the diagonal */
        {"4r1k1/8/8/8/8/4N3/8/1N2K3 w - - 0 1", "b1c3", "Nc3"},
        {"6k1/8/8/8/4r3/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"},
        {"6k1/8/8/8/7b/8/5N2/1N2K3 w - - 0 1", "b1d2", "Nd2"},
        {"3r2k1/8/8/8/3R4/8/8/R2K4 w - - 0 1", "a1a4", "Ra4"},
        /* pinned, but along its line: still to be told apart */
        {"3r2k1/8/8/8/R2R4/8/8/3K4 w - - 0 1", "d4d5", "Rd5"},
        {"3r2k1/8/8/R7/3R4/8/8/3K4 w - - 0 1", "d4d5", "Rdd5"},
        {"3r2k1/8/8/R7/3R4/8/8/3K4 w - - 0 1", "a5d5", "Rad5"},
        /* another king's move to the same square is of another kind */
        {"4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1d1", "Rd1"},
        /* pawns */
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"},
        {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "c5d6", "cxd6"},
        {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
        {"8/P2k4/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", "a8=R"},
        {"1n5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", "axb8=N"},
        {"1n5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q+"},
        /* checks and mates */
        {"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", "Qh4#"},
        {"7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7", "Qg7#"},
        {"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"},
        {"6k1/P4ppp/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q#"},
        {"4k3/8/8/8/8/4B3/8/K3R3 w - - 0 1", "e3c1", "Bc1+"}, /* discovered */
        {"4k3/8/8/8/1b6/8/4N3/K3R3 w - - 0 1", "e2c3", "Nc3+"},
        {"k7/8/K7/8/8/8/8/1Q6 w - - 0 1", "b1b7", "Qb7#"},
        {"k7/8/2K5/8/8/8/8/1Q6 w - - 0 1", "b1b6", "Qb6"}, /* stalemate has no mark */
        {"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "a4b3", "Kb3"},
        {"7k/8/8/3pP3/8/8/1B6/K7 w - d6 0 1", "e5d6", "exd6+"}, /* en passant discovers */
        /* castling */
        {CASTLE, "e1g1", "O-O"},
        {CASTLE, "e1c1", "O-O-O"},
        {"5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"},
        {"3k4/2ppp3/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O"},
        {"2rkr3/2p1p3/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O#"},
        {"4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "O-O-O"},
        {"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "O-O"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[PM_SAN_SIZE];
        view_at(&view, cases[i].fen);
        const struct pm_move move = view_move(&view, cases[i].uci);
        if (strcmp(pm_san_write(&view, &move, text), cases[i].san) != 0)
            fail_msg("%s %s: %s, not %s", cases[i].fen, cases[i].uci, text, cases[i].san);
    }
}

/* ---- Reading ---- */

#define KNIGHTS "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
#define PROMOTE "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1"
#define BISHOP "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1"

static void read_loosely(void **state)
{
    static const struct {
        const char *fen, *text, *uci;
    } cases[] = {
        {START, "e4", "e2e4"},
        {START, "e2e4", "e2e4"},
        {START, "e2-e4", "e2e4"},
        {START, "Pe4", "e2e4"},
        {START, "e4!?", "e2e4"},
        {START, "Nf3+", "g1f3"}, /* a wrong check mark is no reason to refuse a move */
        {START, "Ng1f3", "g1f3"},
        {START, "Ng1-f3", "g1f3"},
        {START, "Ngf3", "g1f3"},
        {START, "N1f3", "g1f3"},
        {START, "Nxf3", "g1f3"},
        {KNIGHTS, "Nbd2", "b1d2"},
        {KNIGHTS, "N1d2", "b1d2"},
        {KNIGHTS, "b1d2", "b1d2"},
        {BISHOP, "bxc3", "b2c3"},
        {BISHOP, "bc3", "b2c3"},
        {BISHOP, "Bxc3", "d2c3"},
        {BISHOP, "Bc3", "d2c3"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6ep", "e5d6"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"},
        {PROMOTE, "a8=Q+", "a7a8q"},
        {PROMOTE, "a8Q", "a7a8q"},
        {PROMOTE, "a8=n", "a7a8n"},
        {PROMOTE, "a7a8b", "a7a8b"},
        {PROMOTE, "a7a8B", "a7a8b"},
        {PROMOTE, "axb8=R", "a7b8r"},
        {PROMOTE, "axb8R+!", "a7b8r"},
        {PROMOTE, "ab8b", "a7b8b"},
        {CASTLE, "O-O", "e1g1"},
        {CASTLE, "0-0", "e1g1"},
        {CASTLE, "0-0-0", "e1c1"},
        {CASTLE, "O-O-O!!", "e1c1"},
        {CASTLE, "e1g1", "e1g1"},
        {CASTLE, "e1h1", "e1g1"},
        {CASTLE, "e1a1", "e1c1"},
        {CASTLE, "Ke2", "e1e2"},
        /* Chess960: a king's step has the first claim on the squares named */
        {"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1", "f1g1"},
        {"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "Kg1", "f1g1"},
        {"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "f1h1"},
        {"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "O-O", "f1h1"},
        {"4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1c1", "b1c1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_error error;
        struct pm_move found;
        view_at(&view, cases[i].fen);
        const struct pm_move wanted = view_move(&view, cases[i].uci);
        if (pm_san_read(&view, cases[i].text, strlen(cases[i].text), &found, &error) != PM_SAN_OK)
            fail_msg("%s: %s", cases[i].fen, error.text);
        if (!pm_move_equal(&found, &wanted))
            fail_msg("%s: %s is not read as %s", cases[i].fen, cases[i].text, cases[i].uci);
    }
}

static void faults(void **state)
{
    static const struct {
        const char *fen, *text;
        enum pm_san_fault fault;
        const char *part; /* of the message */
    } cases[] = {
        {START, "", PM_SAN_NO_MOVE, "\"\" is no move"},
        {START, "--", PM_SAN_NO_MOVE, "\"--\" is a null move: the rules let no side"},
        {START, "Z0", PM_SAN_NO_MOVE, "null move"},
        {START, "0000", PM_SAN_NO_MOVE, "null move"},
        {START, "e", PM_SAN_NO_MOVE, "\"e\" is no move"},
        {START, "e9", PM_SAN_NO_MOVE, "is needed"},
        {START, "i4", PM_SAN_NO_MOVE, "is needed"},
        {START, "Xe4", PM_SAN_NO_MOVE, "is needed"},
        {START, "nf3", PM_SAN_NO_MOVE, "is needed"},
        {START, "O-0", PM_SAN_NO_MOVE, "is needed"},
        {START, "OOO", PM_SAN_NO_MOVE, "is needed"},
        {START, "O-O-O-O", PM_SAN_NO_MOVE, "is needed"},
        {START, "=Q", PM_SAN_NO_MOVE, "is needed"},
        {START, "NNf3", PM_SAN_NO_MOVE, "is needed"},
        {START, "e2e4e5", PM_SAN_NO_MOVE, "is needed"},
        {START, "1-0", PM_SAN_NO_MOVE, "is needed"},
        {START, "\xff\n4", PM_SAN_NO_MOVE, "\"\\xFF\\x0A4\" is no move"},
        {START, "e5", PM_SAN_ILLEGAL, "no move of White goes to e5"},
        {START, "Nd2", PM_SAN_ILLEGAL, "no move of White goes to d2"},
        {START, "Bf3", PM_SAN_ILLEGAL, "to that square there is Nf3"},
        {START, "exf3", PM_SAN_ILLEGAL, "f3"},
        {START, "e7e5", PM_SAN_ILLEGAL, "White, to move, has no piece on e7"},
        {START, "e3e4", PM_SAN_ILLEGAL, "has no piece on e3"},
        {START, "e4=Q", PM_SAN_ILLEGAL, "to that square there is e4"},
        {START, "O-O", PM_SAN_ILLEGAL, "a piece stands between"},
        {KNIGHTS, "Nd2", PM_SAN_AMBIGUOUS, "\"Nd2\" is ambiguous: "},
        {KNIGHTS, "Ncd2", PM_SAN_ILLEGAL, "Nbd2"},
        {PROMOTE, "a8", PM_SAN_ILLEGAL, "the pawn must promote: "},
        {PROMOTE, "a7a8", PM_SAN_ILLEGAL, "the pawn must promote: a8=N, a8=B, a8=R or a8=Q"},
        {PROMOTE, "a8=K", PM_SAN_NO_MOVE, "is needed"},
        {PROMOTE, "axb8", PM_SAN_ILLEGAL, "axb8=N"},
        {"4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", PM_SAN_ILLEGAL, "has moved or was taken"},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O-O", PM_SAN_ILLEGAL, "has moved or was taken"},
        {"4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", "O-O", PM_SAN_ILLEGAL, "the king is in check"},
        {"4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", "O-O", PM_SAN_ILLEGAL, "cross an attacked square"},
        {"4k3/8/8/8/6r1/8/8/4K2R w K - 0 1", "O-O", PM_SAN_ILLEGAL, "end on an attacked square"},
        /* a pawn that does not say its file takes nothing */
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", PM_SAN_ILLEGAL, "exd5"},
        {"4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", "xd5", PM_SAN_ILLEGAL, "exd5"},
        {"7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "Kh7", PM_SAN_ILLEGAL, "Black is checkmated"},
        {"k7/8/1QK5/8/8/8/8/8 b - - 0 1", "Kb8", PM_SAN_ILLEGAL, "Black is stalemated"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_error error;
        struct pm_move move;
        const size_t length = strlen(cases[i].text);
        view_at(&view, cases[i].fen);
        const enum pm_san_fault fault = pm_san_read(&view, cases[i].text, length, &move, &error);
        if (fault != cases[i].fault)
            fail_msg("%s: \"%s\": fault %d, not %d", cases[i].fen, cases[i].text, (int)fault,
                     (int)cases[i].fault);
        if (strstr(error.text, cases[i].part) == NULL)
            fail_msg("\"%s\": %s: lacks \"%s\"", cases[i].text, error.text, cases[i].part);
        assert_int_equal(pm_san_read(&view, cases[i].text, length, &move, NULL), fault);
    }
}

/* The length rules, not a NUL; long texts and long lists are cut. */
static void lengths(void **state)
{
    struct pm_error error;
    struct pm_move move;
    char text[4000];
    (void)state;
    view_at(&view, START);
    assert_int_equal(pm_san_read(&view, "e4e5", 2, &move, &error), PM_SAN_OK);
    memset(text, '!', sizeof text);
    assert_int_equal(pm_san_read(&view, text, sizeof text, &move, &error), PM_SAN_NO_MOVE);
    assert_true(strlen(error.text) < sizeof error.text - 1);
    text[0] = 'e';
    text[1] = '4';
    assert_int_equal(pm_san_read(&view, text, sizeof text, &move, &error), PM_SAN_OK);
    view_at(&view, "4k3/8/8/8/8/1N1N4/N3N3/6K1 w - - 0 1");
    assert_int_equal(pm_san_read(&view, "Nc1", 3, &move, &error), PM_SAN_AMBIGUOUS);
    assert_string_equal(error.text, "\"Nc1\" is ambiguous: Nac1, Nec1, Nbc1 or Ndc1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suites),       cmocka_unit_test(uci_of_suites), cmocka_unit_test(written),
        cmocka_unit_test(read_loosely), cmocka_unit_test(faults),        cmocka_unit_test(lengths),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
