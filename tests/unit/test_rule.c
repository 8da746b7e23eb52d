/* SPDX-License-Identifier: MIT */
/* Rules named from a move and a position, and pictures of boards. */
#include "core/board_text.h"
#include "core/fen.h"
#include "core/move.h"
#include "kernels/registry.h"
#include "verify/diagnose/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

struct rule_case {
    const char *fen, *move;
    enum pm_rule rule;
    const char *part; /* of the sentence */
};

static const struct rule_case illegal[] = {
    {START, "", PM_RULE_NO_MOVE, "text"},
    {START, "e9e4", PM_RULE_NO_MOVE, "text"},
    {START, "e2e4qq", PM_RULE_NO_MOVE, "text"},
    {START, "e3e4", PM_RULE_NO_PIECE, "White has no piece on e3"},
    {START, "e7e5", PM_RULE_NO_PIECE, "e7"},
    {START, "a1a2", PM_RULE_OWN_PIECE, "pawn on a2 is White's own"},
    {START, "a1a3", PM_RULE_JUMP, "rook on a1 would jump over the pawn on a2"},
    {START, "b1b3", PM_RULE_MOVEMENT, "a knight does not move from b1 to b3"},
    {START, "e2e5", PM_RULE_MOVEMENT, "pawn"},
    {START, "e2d3", PM_RULE_PAWN_TAKES_NOTHING, "d3"},
    {START, "e2e4q", PM_RULE_PROMOTION_PIECE, "no promotion on e4"},
    {"4k3/8/8/8/8/8/8/4K2R w - - 0 1", "h1a2", PM_RULE_BOARD_WRAP, "rook on h1"},
    {"4k3/8/8/8/8/7N/8/4K3 w - - 0 1", "h3b5", PM_RULE_BOARD_WRAP, "knight on h3"},
    {"4k3/8/8/8/8/8/7B/4K3 w - - 0 1", "h2a4", PM_RULE_BOARD_WRAP, "bishop on h2"},
    {"4k3/8/8/8/8/8/8/7K w - - 0 1", "h1a2", PM_RULE_BOARD_WRAP, "king on h1"},
    {"4k3/8/8/8/P6p/8/8/4K3 w - - 0 1", "a4h4", PM_RULE_BOARD_WRAP, "pawn on a4"},
    {"4k3/7p/P7/8/8/8/8/4K3 b - - 0 1", "h7a6", PM_RULE_MOVEMENT, "pawn"},
    {"4k3/8/8/8/4p3/4p3/4P3/4K3 w - - 0 1", "e2e3", PM_RULE_PUSH_BLOCKED, "to e3"},
    {"4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4", PM_RULE_PUSH_BLOCKED, "over e3"},
    {"4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1", "e2e4", PM_RULE_PUSH_BLOCKED, "to e4"},
    {"4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", PM_RULE_DOUBLE_PUSH_RANK, "e3"},
    {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", PM_RULE_PROMOTION_PIECE, "must promote"},
    {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", PM_RULE_PROMOTION_PIECE, "'k'"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", PM_RULE_EN_PASSANT_SQUARE, "pawn on d5"},
    {"8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_RANK, "queen on h5"},
    {"8/8/8/8/R3pP1k/8/8/4K3 b - f3 0 1", "e4f3", PM_RULE_EN_PASSANT_RANK, "rook on a4"},
    {"4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_PIN_FILE, "rook on e8"},
    {"7k/2b5/8/4Pp2/8/6K1/8/8 w - f6 0 1", "e5f6", PM_RULE_EN_PASSANT_PIN_DIAGONAL, "bishop on c7"},
    {"7K/8/8/3Pp3/8/8/8/b3k3 w - e6 0 1", "d5e6", PM_RULE_EN_PASSANT_DISCOVERS,
     "captured pawn on e5 shields the king on h8 from the bishop on a1"},
    {"k6b/6pp/pp1P4/1R6/5pP1/8/K6P/7B b - g3 0 19", "f4g3", PM_RULE_EN_PASSANT_NO_EVASION,
     "bishop on h1 still gives check"},
    {"8/P7/n2Kp3/2p2k1p/3pP1pN/5p2/8/8 b - e3 0 132", "d4e3", PM_RULE_EN_PASSANT_NO_EVASION,
     "knight on h4 still gives check"},
    {"4k3/8/8/8/8/8/8/K2R3r w - - 0 1", "d1d2", PM_RULE_PIN_RANK, "rook on h1"},
    {"4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", PM_RULE_PIN_FILE, "knight on e2 is pinned"},
    {"7k/8/8/8/7b/8/5N2/4K3 w - - 0 1", "f2d3", PM_RULE_PIN_DIAGONAL, "bishop on h4"},
    {"4r2k/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2", PM_RULE_NO_EVASION, "rook on e8 still"},
    {"4r2k/8/8/8/8/5n2/8/R3K3 w - - 0 1", "a1a2", PM_RULE_DOUBLE_CHECK_NO_KING, "rook on a1"},
    {"3r3k/8/8/8/8/8/8/4K3 w - - 0 1", "e1d1", PM_RULE_KING_INTO_CHECK, "rook on d8 attacks d1"},
    {"3r3k/8/8/8/8/8/3n4/4K3 w - - 0 1", "e1d2", PM_RULE_KING_TAKES_DEFENDED, "rook on d8"},
    {"8/8/8/8/8/4k3/8/4K3 w - - 0 1", "e1e2", PM_RULE_KING_NEXT_TO_KING, "stands on e3"},
    {"4r2k/8/8/8/8/8/4K3/8 w - - 0 1", "e2e1", PM_RULE_KING_ALONG_RAY, "file of the rook on e8"},
    {"r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3", "g7h7", PM_RULE_KING_ALONG_RAY,
     "rank of the rook on d7"},
    {"4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", PM_RULE_CASTLING_RIGHT, "rook on h1"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1g1", PM_RULE_CASTLING_RIGHT, "no rook"},
    {"4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", PM_RULE_CASTLING_BETWEEN, "knight on b1"},
    {"rnbqk2r/pppPppbp/5np1/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 4", "e8g8",
     PM_RULE_CASTLING_IN_CHECK, "pawn on d7"},
    {"4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", PM_RULE_CASTLING_THROUGH, "passes f1"},
    {"4k1r1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", PM_RULE_CASTLING_INTO, "reaches g1"},
    {"4k3/8/8/8/8/8/8/qRK5 w B - 0 1", "c1b1", PM_RULE_CASTLING_SHIELD, "queen on a1"},
    {"4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1", "g1f1",
     PM_RULE_CASTLING_BETWEEN, "rook on e1"},
    {"4k3/8/8/8/8/8/8/RK4R1 w G - 0 1", "b1a1", PM_RULE_CASTLING_RIGHT, "rook on a1"},
};

static const struct rule_case legal[] = {
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT, "e5 captures the pawn on d5"},
    {"4k3/8/8/3pP3/8/8/4R3/4K3 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_CHECKS, "discovering"},
    {"7k/2b5/8/3pP3/8/6K1/8/8 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_ALONG_PIN, "bishop on c7"},
    {"7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_TAKES_CHECKER, "pawn on d5"},
    {"7k/8/r6K/3pP3/8/8/8/8 w - d6 0 1", "e5d6", PM_RULE_EN_PASSANT_INTERPOSES, "on d6"},
    {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", PM_RULE_CASTLING, "kingside"},
    {"1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", PM_RULE_CASTLING_ROOK_ATTACKED, "b1"},
    {"rk2r2b/ppp2b1p/1n4p1/3p1p2/3q1P2/1P1QN3/P1P1P2P/RK2R1BB w EAea - 0 12", "b1a1",
     PM_RULE_CASTLING_ROOK_ATTACKED, "a1 is attacked"},
    {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", PM_RULE_PROMOTION, "knight on a8"},
    {"4k3/8/8/8/8/8/8/K2R3r w - - 0 1", "d1e1", PM_RULE_PIN_LINE, "stays on the line"},
    {"4k3/8/8/8/8/8/8/K2R3r w - - 0 1", "d1h1", PM_RULE_PIN_LINE, "captures it"},
    {"R3r2k/8/8/8/8/8/8/4K3 w - - 0 1", "a8e8", PM_RULE_EVASION_CAPTURE, "checking rook on e8"},
    {"4r2k/8/8/R7/8/8/8/4K3 w - - 0 1", "a5e5", PM_RULE_EVASION_INTERPOSES, "on e5"},
    {"7k/8/8/8/8/8/3q4/4K3 w - - 0 1", "e1d2", PM_RULE_EVASION_KING_CAPTURE, "d2"},
    {"4r2k/8/8/8/8/8/8/4K3 w - - 0 1", "e1d1", PM_RULE_EVASION_KING_STEP, "d1"},
    {"4r2k/8/8/8/8/5n2/8/R3K3 w - - 0 1", "e1f2", PM_RULE_DOUBLE_CHECK_KING, "f2"},
    {"7k/8/8/8/8/8/3n4/4K3 w - - 0 1", "e1d2", PM_RULE_KING_CAPTURE, "knight on d2"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2", PM_RULE_KING_STEP, "e2"},
    {START, "e2e4", PM_RULE_DOUBLE_PUSH, "e4"},
    {START, "e2e3", PM_RULE_PAWN_PUSH, "e3"},
    {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", PM_RULE_PAWN_CAPTURE, "d5"},
    {"4k3/8/8/3p4/8/4N3/8/4K3 w - - 0 1", "e3d5", PM_RULE_CAPTURE, "knight on e3"},
    {START, "g1f3", PM_RULE_QUIET, "f3"},
};

static const struct pm_kernel *reference;

static int set_up(void **state)
{
    (void)state;
    reference = pm_kernel_find("reference");
    return reference != NULL && reference->init() == PM_OK ? 0 : -1;
}

static struct pm_position read_fen(const char *fen)
{
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &position, NULL, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    return position;
}

static bool is_chess960(const char *fen)
{
    struct pm_position position;
    return pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, NULL) != PM_OK ||
           strpbrk(strchr(fen, ' ') + 2, "BFG") != NULL;
}

static bool is_legal(const struct pm_position *position, const char *move)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    void *memory = aligned_alloc(64, (reference->state_size + 63U) / 64 * 64);
    assert_non_null(memory);
    assert_int_equal(reference->set_position(memory, position), PM_OK);
    assert_int_equal(reference->legal_moves(memory, moves, &count), PM_OK);
    free(memory);
    return pm_move_find(moves, count, move) >= 0;
}

static void check_case(const struct rule_case *given, bool missing)
{
    const struct pm_position position = read_fen(given->fen);
    const struct pm_rule_query query = {
        .positions = &position, .position_count = 1, .chess960 = is_chess960(given->fen)};
    struct pm_rule_finding finding;

    if (is_legal(&position, given->move) != missing)
        fail_msg("%s in %s: the case itself is wrong", given->move, given->fen);
    pm_rule_find(&query, given->move, missing, &finding);
    if (finding.rule != given->rule || strstr(finding.sentence, given->part) == NULL)
        fail_msg("%s in %s: \"%s: %s\", wanted \"%s: ... %s\"", given->move, given->fen,
                 pm_rule_text(finding.rule), finding.sentence, pm_rule_text(given->rule),
                 given->part);
}

static void illegal_moves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        check_case(&illegal[i], false);
}

static void legal_moves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        check_case(&legal[i], true);
}

/* Every rule has its text, and but for three a case above or below. */
static void rules_are_complete(void **state)
{
    bool seen[PM_RULE_COUNT] = {[PM_RULE_UNKNOWN] = true,
                                [PM_RULE_DOUBLED] = true,
                                [PM_RULE_CASTLING_KING_MOVED] = true,
                                [PM_RULE_CASTLING_ROOK_MOVED] = true,
                                [PM_RULE_CASTLING_ROOK_CAPTURED] = true};
    (void)state;
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        seen[illegal[i].rule] = true;
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        seen[legal[i].rule] = true;
    for (int rule = 0; rule < PM_RULE_COUNT; rule++) {
        assert_non_null(pm_rule_text((enum pm_rule)rule));
        assert_non_null(pm_rule_phrase((enum pm_rule)rule));
        if (!seen[rule])
            fail_msg("no case for \"%s\"", pm_rule_text((enum pm_rule)rule));
    }
}

static void lost_rights(void **state)
{
    static const struct {
        const char *before, *after;
        enum pm_rule rule;
    } cases[] = {
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/3K3R b - - 0 1",
         PM_RULE_CASTLING_KING_MOVED},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/7R/4K3 b - - 0 1",
         PM_RULE_CASTLING_ROOK_MOVED},
        {"4k2r/8/8/8/8/8/8/4K2R b K - 0 1", "4k3/8/8/8/8/8/8/4K2r w - - 0 1",
         PM_RULE_CASTLING_ROOK_CAPTURED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_position positions[3] = {read_fen(cases[i].before), read_fen(cases[i].after),
                                           read_fen("4k3/8/8/8/8/8/8/4K2R w - - 0 1")};
        const struct pm_rule_query query = {.positions = positions, .position_count = 3};
        struct pm_rule_finding finding;
        pm_rule_find(&query, "e1g1", false, &finding);
        assert_int_equal(finding.rule, cases[i].rule);
    }
}

/* If all four promotions are gone, it is not the promotion. */
static void whole_promotions(void **state)
{
    const struct pm_position pinned = read_fen("b3k3/1P6/8/8/8/8/8/7K w - - 0 1");
    const struct pm_position plain = read_fen("n3k3/1P6/8/8/8/8/1K6/1R6 w - - 0 1");
    struct pm_rule_query query = {.positions = &pinned, .position_count = 1};
    struct pm_rule_finding finding;
    (void)state;
    pm_rule_find(&query, "b7a8q", true, &finding);
    assert_int_equal(finding.rule, PM_RULE_PROMOTION);
    query.all_promotions = true;
    query.positions = &plain;
    pm_rule_find(&query, "b7a8q", true, &finding);
    assert_int_equal(finding.rule, PM_RULE_PROMOTION);
    query.positions = &pinned;
    pm_rule_find(&query, "b7a8q", true, &finding);
    assert_int_equal(finding.rule, PM_RULE_PIN_LINE);
}

static void pictures(void **state)
{
    const struct pm_position position = read_fen("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    const struct pm_attacks attacks = {.checkers = 1ULL << 35, .pinned = 1ULL << 36};
    char text[PM_BOARD_TEXT_SIZE];
    (void)state;
    pm_board_to_text(&position, NULL, 0, text);
    assert_non_null(strstr(text, "8  .  .  .  .  r  .  .  k\n"));
    assert_non_null(strstr(text, "6  .  .  .  *  .  .  .  .\n"));
    assert_non_null(strstr(text, "5  .  .  .  p  P  .  .  .\n"));
    assert_non_null(strstr(text, "   a  b  c  d  e  f  g  h   White to move\n"));
    pm_board_to_text(&position, &attacks, 99, text);
    assert_non_null(strstr(text, "        5  .  .  . [p](P) .  .  .\n"));
    assert_non_null(strstr(text, "[ ] gives check, ( ) is pinned\n"));
    assert_true(strlen(text) < PM_BOARD_TEXT_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(illegal_moves),      cmocka_unit_test(legal_moves),
        cmocka_unit_test(rules_are_complete), cmocka_unit_test(lost_rights),
        cmocka_unit_test(whole_promotions),   cmocka_unit_test(pictures),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
