/* SPDX-License-Identifier: MIT */
#include "core/position.h"

#include "core/epd.h"
#include "core/fen.h"
#include "core/kernel.h"
#include "core/move.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define AFTER_E4_D5 "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2"

static struct pm_position position_of(const char *fen)
{
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &position, NULL, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    return position;
}

#define AT(field) offsetof(struct pm_position, field)
#define ROOK(color, side) AT(castling_rook[color][side])
#define WHITE(type) (PM_WHITE << 3 | (type))
#define BLACK(type) (PM_BLACK << 3 | (type))

/* One or two bytes of a sound position are overwritten; offset 0 means none. */
static void faults(void **state)
{
    static const struct {
        enum pm_position_fault fault;
        const char *fen;
        struct {
            size_t offset;
            uint8_t value;
        } edits[2];
    } rows[] = {
        {PM_FAULT_NONE, START, {{AT(board[27]), PM_EMPTY}, {AT(board[28]), PM_EMPTY}}},
        {PM_FAULT_VALUE, START, {{AT(board[27]), 7}}},
        {PM_FAULT_VALUE, START, {{AT(board[27]), 8}}},
        {PM_FAULT_VALUE, START, {{AT(board[27]), 15}}},
        {PM_FAULT_VALUE, START, {{AT(board[27]), 17}}},
        {PM_FAULT_VALUE, START, {{AT(side_to_move), 2}}},
        {PM_FAULT_VALUE, START, {{AT(en_passant), 65}}},
        {PM_FAULT_VALUE, START, {{ROOK(PM_BLACK, PM_QUEENSIDE), 255}}},
        {PM_FAULT_VALUE, START, {{AT(fullmove_number), 0}, {AT(fullmove_number) + 1, 0}}},
        {PM_FAULT_KING_COUNT, START, {{AT(board[27]), WHITE(PM_KING)}}},
        {PM_FAULT_KING_COUNT, START, {{AT(board[60]), PM_EMPTY}}},
        {PM_FAULT_PAWN_RANK, START, {{AT(board[1]), BLACK(PM_PAWN)}}},
        {PM_FAULT_PAWN_RANK, START, {{AT(board[57]), WHITE(PM_PAWN)}}},
        {PM_FAULT_OPPONENT_IN_CHECK, START, {{AT(board[43]), WHITE(PM_KNIGHT)}}},
        {PM_FAULT_CASTLING, START, {{AT(board[7]), PM_EMPTY}}},
        {PM_FAULT_CASTLING, START, {{AT(board[7]), BLACK(PM_ROOK)}}},
        {PM_FAULT_CASTLING, START, {{AT(board[4]), 0}, {AT(board[20]), WHITE(PM_KING)}}},
        {PM_FAULT_CASTLING,
         "4k2r/8/8/8/8/8/8/4K3 w k - 0 1",
         {{AT(board[60]), 0}, {AT(board[44]), BLACK(PM_KING)}}},
        {PM_FAULT_CASTLING, START, {{ROOK(PM_WHITE, PM_KINGSIDE), 0}}},
        {PM_FAULT_CASTLING, START, {{ROOK(PM_WHITE, PM_QUEENSIDE), 7}}},
        {PM_FAULT_CASTLING, START, {{ROOK(PM_BLACK, PM_KINGSIDE), 7}}},
        {PM_FAULT_NONE, AFTER_E4_D5, {{AT(en_passant), 43}}},
        {PM_FAULT_NONE, AFTER_E4_D5, {{AT(en_passant), PM_NO_SQUARE}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(en_passant), 42}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(en_passant), 20}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(en_passant), 3}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(en_passant), 59}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(board[43]), BLACK(PM_KNIGHT)}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(board[51]), BLACK(PM_KNIGHT)}}},
        {PM_FAULT_EN_PASSANT, AFTER_E4_D5, {{AT(board[35]), WHITE(PM_PAWN)}}},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_position position = position_of(rows[i].fen);
        for (size_t edit = 0; edit < LENGTH(rows[i].edits) && rows[i].edits[edit].offset > 0;
             edit++)
            ((uint8_t *)&position)[rows[i].edits[edit].offset] = rows[i].edits[edit].value;
        const enum pm_position_fault fault = pm_position_check(&position, NULL);
        if (fault != rows[i].fault)
            fail_msg("row %zu: \"%s\", expected \"%s\"", i, pm_position_fault_text(fault),
                     pm_position_fault_text(rows[i].fault));
    }
}

static void warnings(void **state)
{
    static const struct {
        unsigned warnings;
        const char *fen;
    } rows[] = {
        {0, START},
        {0, "6rk/6pp/8/8/8/QQQQ4/QQQQ4/Q3K3 w - - 0 1"},
        {PM_WARN_MATERIAL, "6rk/6pp/8/8/8/QQQQ4/QQQQP3/Q3K3 w - - 0 1"},
        {PM_WARN_MATERIAL, "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1"},
        {PM_WARN_MATERIAL, "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQ - 0 1"},
        {0, "4k3/8/8/8/8/NB6/1PPPPPP1/RNBQKBNR w KQ - 0 1"},
        {0, "4k3/8/3N4/8/8/8/8/4K3 b - - 0 1"},
        {0, "4k3/8/3N4/8/8/8/4R3/4K3 b - - 0 1"},
        {0, "4k3/8/8/1B6/8/8/4R3/4K3 b - - 0 1"},
        {PM_WARN_CHECKERS, "4k3/5P2/3N4/8/8/8/4R3/4K3 b - - 0 1"},
        {PM_WARN_CHECKERS, "8/8/N7/2k5/N7/8/8/3K4 b - - 0 1"},
        {PM_WARN_CHECKERS, "4k3/3P1P2/8/8/8/8/8/4K3 b - - 0 1"},
        {PM_WARN_CHECKERS, "4k3/5P2/3N4/8/8/8/8/4K3 b - - 0 1"},
        {PM_WARN_CHECKERS, "r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3"},
        {PM_WARN_CHECKERS, "8/5B2/4k3/3P4/8/8/8/4K3 b - - 0 1"},
        {PM_WARN_EN_PASSANT, "8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1"},
        {PM_WARN_EN_PASSANT, "4k3/8/K6r/3pP3/8/8/8/8 w - d6 0 1"},
        {0, "8/5bk1/8/2Pp4/8/1K6/8/8 w - - 0 1"},
        {0, "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"}, /* the pushed pawn gives check */
        {0, "8/8/8/k7/3pP3/8/8/4K2B b - e3 0 1"},
        {PM_WARN_CLOCK, "4k3/8/8/8/8/8/8/4KR2 w - - 151 99"},
        {0, "4k3/8/8/8/8/8/8/4KR2 w - - 150 99"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct pm_position position = position_of(rows[i].fen);
        unsigned seen = ~0U;
        assert_int_equal(pm_position_check(&position, &seen), PM_FAULT_NONE);
        if (seen != rows[i].warnings)
            fail_msg("%s: warnings %#x, expected %#x", rows[i].fen, seen, rows[i].warnings);
        const struct pm_position mirror = pm_position_mirror(&position);
        assert_int_equal(pm_position_check(&mirror, &seen), PM_FAULT_NONE);
        assert_int_equal(seen, rows[i].warnings);
    }
}

/* Pieces as "Rd4 pd6". */
static struct pm_position place(const char *pieces)
{
    static const char letters[] = " PNBRQK  pnbrqk";
    struct pm_position position = {.en_passant = PM_NO_SQUARE};
    for (; *pieces != '\0'; pieces += pieces[3] == ' ' ? 4 : 3)
        position.board[(pieces[2] - '1') * 8 + pieces[1] - 'a'] =
            (pm_piece)(strchr(&letters[1], pieces[0]) - letters);
    return position;
}

static void attacks(void **state)
{
    static const struct {
        const char *pieces; /* all squares that White attacks are listed */
        const char *attacked;
    } rows[] = {
        {"Nd4", "c2 e2 b3 f3 b5 f5 c6 e6"},
        {"Na1", "c2 b3"},
        {"Nh8", "g6 f7"},
        {"Ka1", "b1 a2 b2"},
        {"Kd4", "c3 d3 e3 c4 e4 c5 d5 e5"},
        {"Pa2", "b3"},
        {"Ph7", "g8"},
        {"Pd4", "c5 e5"},
        {"Rd4 pd6 pb4 Pd3 Pf4", "b4 c4 e4 f4 d3 d5 d6 e5 g5"},
        {"Bd4 pc5 pe5 pc3 Ne3", "c3 e3 c5 e5 d1 f1 c2 g2 c4 g4 d5 f5"},
        {"Qa1 pa2 pb1 pb2", "b1 a2 b2"},
        {"nd4 pd5 qa1", ""},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct pm_position position = place(rows[i].pieces);
        for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
            char text[3];
            const bool expected = strstr(rows[i].attacked, pm_square_to_text(square, text)) != NULL;
            if (pm_position_is_attacked(&position, square, PM_WHITE) != expected)
                fail_msg("%s: %s should%s be attacked", rows[i].pieces, text,
                         expected ? "" : " not");
            const struct pm_position mirror = pm_position_mirror(&position);
            assert_int_equal(pm_position_is_attacked(&mirror, square ^ 56, PM_BLACK), expected);
        }
    }
}

static void en_passant_counts(void **state)
{
    static const struct {
        bool legal;
        const char *fen;
    } rows[] = {
        {false, START},
        {true, "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"},
        {false, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"},
        {false, "8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1"},  /* both pawns leave the king's rank */
        {true, "8/8/8/r2PpP1K/8/8/4k3/8 w - e6 0 1"},  /* one stays */
        {false, "4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1"}, /* pinned on the file */
        {true, "3r3k/8/8/3pP3/8/8/8/3K4 w - d6 0 1"},  /* lands on the pin's file */
        {false, "7k/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1"}, /* pinned across the diagonal */
        {true, "7k/2b5/8/3pP3/8/6K1/8/8 w - d6 0 1"},  /* captures along its pin */
        {false, "8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1"}, /* the captured pawn was the shield */
        {true, "7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1"},    /* takes the checker */
        {false, "r6k/8/8/3pP3/8/8/8/K7 w - d6 0 1"},   /* leaves another check */
        {false, "7k/8/8/p6P/8/8/8/K7 w - a6 0 1"},     /* the board has edges */
        {true, "k7/8/8/8/6pP/8/8/K7 b - h3 0 1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_position position = position_of(rows[i].fen);
        const pm_square given = position.en_passant;
        const struct pm_position mirror = pm_position_mirror(&position);
        if (pm_position_en_passant_is_legal(&position) != rows[i].legal)
            fail_msg("%s: en passant should%s count", rows[i].fen, rows[i].legal ? "" : " not");
        assert_int_equal(pm_position_en_passant_is_legal(&mirror), rows[i].legal);
        pm_position_canonicalize(&position);
        assert_int_equal(position.en_passant, rows[i].legal ? given : PM_NO_SQUARE);
    }
}

static void every_field_decides_equality(void **state)
{
    static const size_t end = AT(fullmove_number) + sizeof(uint16_t);
    const struct pm_position position = position_of(START);
    (void)state;
    assert_true(pm_position_equal(&position, &position));
    for (size_t offset = 0; offset < end; offset++) {
        struct pm_position other = position;
        ((uint8_t *)&other)[offset] ^= 1;
        const bool padding = offset > ROOK(PM_BLACK, PM_QUEENSIDE) && offset < AT(halfmove_clock);
        assert_int_equal(pm_position_equal(&position, &other), padding);
    }
}

static void mirrors(void **state)
{
    static const char fen[] = "r3k3/8/8/1Pp5/8/8/8/4K2R w Kq c6 3 9";
    struct pm_position position = position_of(fen);
    const struct pm_position mirror = pm_position_mirror(&position);
    const struct pm_position back = pm_position_mirror(&mirror);
    char text[PM_FEN_SIZE];
    (void)state;
    assert_string_equal(pm_fen_write(&mirror, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, text),
                        "4k2r/8/8/8/1pP5/8/8/R3K3 b Qk c3 3 9");
    assert_true(pm_position_equal(&position, &back));
}

static void standard_castling(void **state)
{
    static const struct {
        bool standard;
        const char *fen;
    } rows[] = {
        {true, START},
        {true, "1k6/8/8/8/8/8/8/R5KR w - - 0 1"},
        {true, "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"},
        {false, "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1"},
        {false, "4k1r1/8/8/8/8/8/8/4K3 w k - 0 1"},
        {false, "1r2k3/8/8/8/8/8/8/4K3 w q - 0 1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct pm_position position = position_of(rows[i].fen);
        assert_int_equal(pm_position_is_standard(&position), rows[i].standard);
    }
}

static void depth_limits(void **state)
{
    const struct pm_position start = position_of(START);
    const struct pm_position crowded =
        position_of("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1");
    (void)state;
    assert_int_equal(pm_kernel_depth_limit(&start), PM_KERNEL_MAX_DEPTH);
    assert_int_equal(pm_kernel_depth_limit(&crowded), 6);
}

static void all_texts_are_there(void **state)
{
    (void)state;
    for (int fault = 0; fault < PM_FAULT_COUNT; fault++)
        assert_string_not_equal(pm_position_fault_text((enum pm_position_fault)fault),
                                "unknown fault");
    for (unsigned bit = PM_WARN_MATERIAL; bit <= PM_WARN_CLOCK; bit <<= 1)
        assert_string_not_equal(pm_position_warning_text((enum pm_position_warning)bit),
                                "unknown warning");
    assert_string_equal(pm_position_fault_text(PM_FAULT_COUNT), "unknown fault");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(warnings),
        cmocka_unit_test(attacks),
        cmocka_unit_test(en_passant_counts),
        cmocka_unit_test(every_field_decides_equality),
        cmocka_unit_test(mirrors),
        cmocka_unit_test(standard_castling),
        cmocka_unit_test(depth_limits),
        cmocka_unit_test(all_texts_are_there),
    };
    return cmocka_run_group_tests_name("position", tests, NULL, NULL);
}
