/* SPDX-License-Identifier: MIT */
/* The position generator: the same seed gives the same positions, each can be played, and each
 * theme brings what it is for. What a position contains is told here by the reference, not by the
 * generator. */
#include "verify/generator.h"

#include "core/bits.h"
#include "core/position.h"
#include "kernels/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PER_THEME = 300, POSITIONS = PER_THEME * PM_THEME_COUNT };

/* What can be seen in a position. */
enum feature {
    CHECK,
    DOUBLE_CHECK,
    TRIPLE_CHECK,
    PINNED_PAWN,
    PINNED_KNIGHT,
    PINNED_BISHOP,
    PINNED_ROOK,
    PINNED_QUEEN,
    PINNED_PIECE_MOVES,
    EN_PASSANT_LEGAL,
    EN_PASSANT_ILLEGAL, /* a pawn stands right, but the capture is illegal */
    EN_PASSANT_EVASION,
    CASTLING,
    CASTLING_BLOCKED,
    CASTLING_IN_CHECK,
    CASTLING_ATTACKED,      /* nothing in the way, the king not in check, and yet illegal */
    CASTLING_ATTACKED_ROOK, /* legal with the rook or its way attacked */
    SHIELDING_ROOK,         /* a castling rook is pinned on the first rank */
    KING_ROOK_SWAP,
    PROMOTION,
    PROMOTION_TAKES_CASTLING_ROOK,
    MANY_QUEENS,
    FEW_PIECES,
    OVER_32_PIECES,
    OVER_50_PIECES,
    ONE_MOVE,
    STALEMATE,
    CHECKMATE,
    FEATURE_COUNT
};

static const struct pm_kernel *reference;
static unsigned counts[PM_THEME_COUNT][FEATURE_COUNT];
static unsigned totals[FEATURE_COUNT];

static unsigned count_pieces(const struct pm_position *position, enum pm_piece_type type)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PM_SQUARE_COUNT; i++)
        count += position->board[i] != PM_EMPTY &&
                 (type == PM_NO_PIECE_TYPE || pm_type_of(position->board[i]) == type);
    return count;
}

static void see_pins(const struct pm_position *position, uint64_t pinned, bool seen[])
{
    while (pinned != 0) {
        const int type = (int)pm_type_of(position->board[pm_pop_lsb(&pinned)]);
        seen[(int)PINNED_PAWN + type - (int)PM_PAWN] = true;
    }
}

static void see_move(const struct pm_position *position, const struct pm_attacks *attacks,
                     const struct pm_move *move, bool seen[])
{
    const enum pm_color them = position->side_to_move == PM_WHITE ? PM_BLACK : PM_WHITE;
    seen[PINNED_PIECE_MOVES] |= (attacks->pinned & pm_bit(move->from)) != 0;
    seen[EN_PASSANT_LEGAL] |= move->kind == PM_MOVE_EN_PASSANT;
    seen[EN_PASSANT_EVASION] |= move->kind == PM_MOVE_EN_PASSANT && attacks->checkers != 0;
    seen[PROMOTION] |= move->promotion != PM_NO_PIECE_TYPE;
    if (move->promotion != PM_NO_PIECE_TYPE && (move->to == position->castling_rook[them][0] ||
                                                move->to == position->castling_rook[them][1]))
        seen[PROMOTION_TAKES_CASTLING_ROOK] = true;
    if (move->kind == PM_MOVE_CASTLING) {
        const unsigned home = move->from & 56U;
        seen[CASTLING] = true;
        seen[CASTLING_ATTACKED_ROOK] |= (attacks->attacked & pm_bit(move->to)) != 0;
        seen[KING_ROOK_SWAP] |= (move->from == home + 5 && move->to == home + 6) ||
                                (move->from == home + 3 && move->to == home + 2);
    }
}

static bool lists_castling(const struct pm_move moves[], unsigned count, pm_square rook)
{
    for (unsigned i = 0; i < count; i++)
        if (moves[i].kind == PM_MOVE_CASTLING && moves[i].to == rook)
            return true;
    return false;
}

static bool way_is_blocked(const struct pm_position *position, unsigned king, unsigned rook)
{
    const unsigned home = king & 56U;
    const unsigned ends[] = {king, rook, home + (rook > king ? 6 : 2),
                             home + (rook > king ? 5 : 3)};
    unsigned low = king;
    unsigned high = king;
    for (int i = 1; i < 4; i++) {
        low = ends[i] < low ? ends[i] : low;
        high = ends[i] > high ? ends[i] : high;
    }
    for (unsigned square = low; square <= high; square++)
        if (square != king && square != rook && position->board[square] != PM_EMPTY)
            return true;
    return false;
}

static void see_rights(const struct pm_position *position, const struct pm_attacks *attacks,
                       const struct pm_move moves[], unsigned count, bool seen[])
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    unsigned king = 0;
    while (position->board[king] != pm_make_piece(us, PM_KING))
        king++;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square rook = position->castling_rook[us][side];
        if (rook == PM_NO_SQUARE)
            continue;
        seen[SHIELDING_ROOK] |= (attacks->pinned & pm_bit(rook)) != 0;
        if (lists_castling(moves, count, rook))
            continue;
        if (attacks->checkers != 0)
            seen[CASTLING_IN_CHECK] = true;
        else if (way_is_blocked(position, king, rook))
            seen[CASTLING_BLOCKED] = true;
        else
            seen[CASTLING_ATTACKED] = true;
    }
}

static void see_en_passant(const struct pm_position *position, bool seen[])
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    if (position->en_passant == PM_NO_SQUARE || seen[EN_PASSANT_LEGAL])
        return;
    const unsigned pushed = position->en_passant + (us == PM_WHITE ? -8U : 8U);
    const pm_piece pawn = pm_make_piece(us, PM_PAWN);
    seen[EN_PASSANT_ILLEGAL] = (pushed % 8 > 0 && position->board[pushed - 1] == pawn) ||
                               (pushed % 8 < 7 && position->board[pushed + 1] == pawn);
}

static void see(const struct pm_position *position, bool seen[FEATURE_COUNT])
{
    struct pm_position state;
    struct pm_attacks attacks;
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count;
    assert_int_equal(reference->set_position(&state, position), PM_OK);
    assert_int_equal(reference->attacks(&state, &attacks), PM_OK);
    assert_int_equal(reference->legal_moves(&state, moves, &count), PM_OK);

    const unsigned checkers = pm_popcount(attacks.checkers);
    const unsigned pieces = count_pieces(position, PM_NO_PIECE_TYPE);
    for (unsigned i = 0; i < count; i++)
        see_move(position, &attacks, &moves[i], seen);
    see_pins(position, attacks.pinned, seen);
    see_rights(position, &attacks, moves, count, seen);
    see_en_passant(position, seen);
    seen[CHECK] = checkers == 1;
    seen[DOUBLE_CHECK] = checkers == 2;
    seen[TRIPLE_CHECK] = checkers > 2;
    seen[MANY_QUEENS] = count_pieces(position, PM_QUEEN) >= 4;
    seen[FEW_PIECES] = pieces <= 8;
    seen[OVER_32_PIECES] = pieces > 32;
    seen[OVER_50_PIECES] = pieces > 50;
    seen[ONE_MOVE] = count == 1;
    seen[STALEMATE] = count == 0 && checkers == 0;
    seen[CHECKMATE] = count == 0 && checkers > 0;
}

static int set_up(void **state)
{
    (void)state;
    reference = pm_kernel_find("reference");
    return reference != NULL && reference->init() == PM_OK ? 0 : -1;
}

static void make(uint64_t seed, uint64_t index, struct pm_generated *generated)
{
    const struct pm_generator generator = {.seed = seed, .mover = reference};
    assert_int_equal(pm_generate(&generator, index, generated), PM_OK);
}

static void all_can_be_played(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < POSITIONS; i++) {
        bool seen[FEATURE_COUNT] = {false};
        struct pm_generated generated;
        make(1, i, &generated);
        assert_int_equal(pm_position_check(&generated.position, NULL), PM_FAULT_NONE);
        assert_int_equal(generated.theme, i % PM_THEME_COUNT);
        assert_int_equal(generated.chess960, !pm_position_is_standard(&generated.position));
        see(&generated.position, seen);
        for (int f = 0; f < FEATURE_COUNT; f++) {
            counts[generated.theme][f] += seen[f];
            totals[f] += seen[f];
        }
    }
}

static void every_feature_occurs(void **state)
{
    (void)state;
    for (int f = 0; f < FEATURE_COUNT; f++)
        if (totals[f] < 10)
            fail_msg("feature %d occurs %u times in %d positions", f, totals[f], POSITIONS);
}

static void themes_bring_what_they_are_for(void **state)
{
    /* At least so many of 100 positions of the theme. */
    static const struct {
        enum pm_theme theme;
        enum feature feature;
        unsigned percent;
    } expected[] = {
        {PM_THEME_FEW, FEW_PIECES, 100},
        {PM_THEME_CROWDED, OVER_32_PIECES, 100},
        {PM_THEME_CROWDED, OVER_50_PIECES, 20},
        {PM_THEME_QUEENS, MANY_QUEENS, 60},
        {PM_THEME_PINS, PINNED_PAWN, 10},
        {PM_THEME_PINS, PINNED_KNIGHT, 10},
        {PM_THEME_PINS, PINNED_BISHOP, 10},
        {PM_THEME_PINS, PINNED_ROOK, 10},
        {PM_THEME_PINS, PINNED_QUEEN, 10},
        {PM_THEME_PINS, PINNED_PIECE_MOVES, 30},
        {PM_THEME_CHECK, CHECK, 75},
        {PM_THEME_DOUBLE_CHECK, DOUBLE_CHECK, 60},
        {PM_THEME_DOUBLE_CHECK, TRIPLE_CHECK, 5},
        {PM_THEME_EN_PASSANT_RANK, EN_PASSANT_ILLEGAL, 60},
        {PM_THEME_EN_PASSANT_FILE, EN_PASSANT_ILLEGAL, 20},
        {PM_THEME_EN_PASSANT_FILE, EN_PASSANT_LEGAL, 20},
        {PM_THEME_EN_PASSANT_DIAGONAL, EN_PASSANT_ILLEGAL, 40},
        {PM_THEME_EN_PASSANT_DIAGONAL, EN_PASSANT_LEGAL, 10},
        {PM_THEME_EN_PASSANT_EVASION, EN_PASSANT_EVASION, 30},
        {PM_THEME_EN_PASSANT_EVASION, EN_PASSANT_ILLEGAL, 10},
        {PM_THEME_CASTLING, CASTLING, 15},
        {PM_THEME_CASTLING, CASTLING_BLOCKED, 10},
        {PM_THEME_CASTLING, CASTLING_IN_CHECK, 5},
        {PM_THEME_CASTLING, CASTLING_ATTACKED, 10},
        {PM_THEME_CASTLING, CASTLING_ATTACKED_ROOK, 1},
        {PM_THEME_CASTLING_960, CASTLING, 15},
        {PM_THEME_CASTLING_960, CASTLING_ATTACKED, 10},
        {PM_THEME_CASTLING_960, SHIELDING_ROOK, 3},
        {PM_THEME_CASTLING_960, KING_ROOK_SWAP, 1},
        {PM_THEME_PROMOTION, PROMOTION, 30},
        {PM_THEME_PROMOTION, PROMOTION_TAKES_CASTLING_ROOK, 10},
        {PM_THEME_STALEMATE, STALEMATE, 8},
    };
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const unsigned seen = counts[expected[i].theme][expected[i].feature];
        if (seen * 100 >= expected[i].percent * PER_THEME)
            continue;
        print_error("theme \"%s\": feature %d in %u of %d\n", pm_theme_text(expected[i].theme),
                    expected[i].feature, seen, PER_THEME);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void both_colors_move(void **state)
{
    unsigned white[PM_THEME_COUNT] = {0};
    (void)state;
    for (uint64_t i = 0; i < PM_THEME_COUNT * 100; i++) {
        struct pm_generated generated;
        make(2, i, &generated);
        white[generated.theme] += generated.position.side_to_move == PM_WHITE;
    }
    for (int theme = 0; theme < PM_THEME_COUNT; theme++)
        assert_in_range(white[theme], 20, 80);
}

static void seeds_repeat(void **state)
{
    unsigned same = 0;
    (void)state;
    for (uint64_t i = 200; i-- > 0;) {
        struct pm_generated a;
        struct pm_generated b;
        struct pm_generated other;
        make(7, i, &a);
        make(7, i, &b);
        make(8, i, &other);
        assert_true(pm_position_equal(&a.position, &b.position));
        same += pm_position_equal(&a.position, &other.position);
    }
    assert_in_range(same, 0, 10); /* games of no moves are alike */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_can_be_played),
        cmocka_unit_test(every_feature_occurs),
        cmocka_unit_test(themes_bring_what_they_are_for),
        cmocka_unit_test(both_colors_move),
        cmocka_unit_test(seeds_repeat),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
