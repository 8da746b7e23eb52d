/* SPDX-License-Identifier: MIT */
/* Facts of positions: attacks against a kernel's over all suites, the rest against slow counts and
 * against positions looked at by hand. */
#include "analyze/facts.h"
#include "core/bits.h"
#include "tests/unit/view_at.h"

#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".epd"

enum { ALL_PARTS = 127 };

static struct pm_view view;

static struct pm_facts facts_of(const char *fen, unsigned parts)
{
    struct pm_facts facts;
    view_at(&view, fen);
    pm_facts_of(&view, parts, &facts);
    return facts;
}

/* ---- Slow counts ---- */

static const int steps[16][2] = {{1, 0},   {0, 1},   {-1, 0}, {0, -1}, {1, 1},  {1, -1},
                                 {-1, 1},  {-1, -1}, {1, 2},  {2, 1},  {2, -1}, {1, -2},
                                 {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

/* Squares without an own piece that the piece attacks along one direction. */
static unsigned reach(const struct pm_position *position, pm_square from, const int step[2],
                      bool far)
{
    const enum pm_color color = pm_color_of(position->board[from]);
    int file = (int)pm_file_of(from) + step[0], rank = (int)pm_rank_of(from) + step[1];
    unsigned count = 0;
    for (; ((file | rank) & ~7) == 0; file += step[0], rank += step[1]) {
        const pm_piece there = position->board[8 * rank + file];
        count += there == PM_EMPTY || pm_color_of(there) != color;
        if (there != PM_EMPTY || !far)
            break;
    }
    return count;
}

static unsigned slow_mobility(const struct pm_position *position, enum pm_color color)
{
    static const struct {
        int first, end;
        bool far;
    } ways[PM_PIECE_TYPE_COUNT] = {[PM_KNIGHT] = {8, 16, false},
                                   [PM_BISHOP] = {4, 8, true},
                                   [PM_ROOK] = {0, 4, true},
                                   [PM_QUEEN] = {0, 8, true}};
    unsigned mobility = 0;
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const enum pm_piece_type type = pm_type_of(position->board[square]);
        if (position->board[square] == PM_EMPTY || pm_color_of(position->board[square]) != color)
            continue;
        for (int way = ways[type].first; way < ways[type].end; way++)
            mobility += reach(position, square, steps[way], ways[type].far);
    }
    return mobility;
}

static void check_material(const struct pm_facts *facts)
{
    unsigned pieces[PM_COLOR_COUNT][PM_PIECE_TYPE_COUNT] = {0};
    for (int square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = view.position.board[square];
        if (piece != PM_EMPTY)
            pieces[pm_color_of(piece)][pm_type_of(piece)]++;
    }
    assert_memory_equal(facts->pieces, pieces, sizeof pieces);
    unsigned phase = 0;
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        const unsigned *own = pieces[color];
        assert_int_equal(facts->value[color], own[PM_PAWN] + 3 * own[PM_KNIGHT] +
                                                  3 * own[PM_BISHOP] + 5 * own[PM_ROOK] +
                                                  9 * own[PM_QUEEN]);
        phase += own[PM_KNIGHT] + own[PM_BISHOP] + 2 * own[PM_ROOK] + 4 * own[PM_QUEEN];
    }
    assert_int_equal(facts->phase, phase < 24 ? phase : 24);
}

/* What the side to move attacks is what the kernel says when the other is to move; it can't be
 * asked so when there is a check. */
static bool check_attacks(const struct pm_facts *facts)
{
    struct pm_position turned = view.position;
    const unsigned side = turned.side_to_move;
    assert_true(facts->attacked[1 - side] == view.attacks.attacked);
    assert_int_equal(facts->mobility[PM_WHITE], slow_mobility(&turned, PM_WHITE));
    assert_int_equal(facts->mobility[PM_BLACK], slow_mobility(&turned, PM_BLACK));
    turned.side_to_move = (uint8_t)(1 - side);
    turned.en_passant = PM_NO_SQUARE;
    if (view.attacks.checkers != 0 || pm_view_set(&view, &turned, NULL) != PM_OK)
        return false;
    assert_true(facts->attacked[side] == view.attacks.attacked);
    return true;
}

static void check_effects(const struct pm_facts *facts)
{
    assert_true(facts->mates <= facts->checks && facts->checks <= facts->legal);
    assert_true(facts->en_passant <= facts->captures && facts->captures <= facts->legal);
    assert_int_equal(facts->checkers, pm_popcount(view.attacks.checkers));
    assert_int_equal(facts->pinned, pm_popcount(view.attacks.pinned));
}

struct seen {
    size_t positions, turned;
};

static void check_position(struct pm_view *at, void *context)
{
    struct seen *seen = context;
    struct pm_facts facts;
    pm_facts_of(at, ALL_PARTS, &facts);
    check_effects(&facts);
    check_material(&facts);
    seen->turned += check_attacks(&facts);
    seen->positions++;
}

static void suites(void **state)
{
    static const char *const paths[] = {
        SUITE("aimed"),     SUITE("bugs"),         SUITE("chess960"), SUITE("chess960_starts"),
        SUITE("generated"), SUITE("generated960"), SUITE("smoke"),    SUITE("standard"),
        SUITE("tricky"),    SUITE("unreachable")};
    struct seen seen = {0};
    (void)state;
    for (size_t i = 0; i < LENGTH(paths); i++)
        view_visit_suite(&view, paths[i], false, check_position, &seen);
    assert_true(seen.positions > 2500);
    assert_true(seen.turned > seen.positions / 2);
}

/* ---- By hand ---- */

static void kinds_of_moves(void **state)
{
    static const struct {
        const char *fen;
        unsigned legal, captures, promotions, castlings, en_passant, checkers, pinned, checks,
            mates, stalemates;
    } rows[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 48, 8, 0, 2, 0, 0,
         0, 0, 0, 0},
        {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 14, 1, 0, 0, 0, 0, 1, 2, 0, 0},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 7, 1, 0, 0, 1, 0, 0, 0, 0, 0},
        /* a8=Q and a8=R check; a8 with a bishop or knight does not */
        {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 9, 0, 4, 0, 0, 0, 0, 2, 0, 0},
        /* Qg7 mates, Qg6 is stalemate; Qh1, h2, h3, a8 and g8 check */
        {"7k/8/5K2/8/8/8/6Q1/8 w - - 0 1", 30, 0, 0, 0, 0, 0, 0, 6, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct pm_facts facts = facts_of(rows[i].fen, PM_FACTS_MOVES | PM_FACTS_CHECKS);
        assert_int_equal(facts.legal, rows[i].legal);
        assert_int_equal(facts.captures, rows[i].captures);
        assert_int_equal(facts.promotions, rows[i].promotions);
        assert_int_equal(facts.castlings, rows[i].castlings);
        assert_int_equal(facts.en_passant, rows[i].en_passant);
        assert_int_equal(facts.checkers, rows[i].checkers);
        assert_int_equal(facts.pinned, rows[i].pinned);
        assert_int_equal(facts.checks, rows[i].checks);
        assert_int_equal(facts.mates, rows[i].mates);
        assert_int_equal(facts.stalemates, rows[i].stalemates);
    }
}

static void verdicts(void **state)
{
    (void)state;
    assert_int_equal(facts_of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", PM_FACTS_VERDICT).verdict,
                     PM_VERDICT_CHECKMATE);
    assert_int_equal(facts_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", PM_FACTS_VERDICT).verdict,
                     PM_VERDICT_STALEMATE);
    assert_int_equal(facts_of("7k/8/6K1/8/8/8/8/6B1 b - - 0 1", PM_FACTS_VERDICT).verdict,
                     PM_VERDICT_INSUFFICIENT_MATERIAL);
    assert_int_equal(facts_of("7k/8/6K1/8/8/8/8/6Q1 b - - 0 1", PM_FACTS_VERDICT).verdict,
                     PM_VERDICT_OPEN);
}

/* Only what is asked for. */
static void parts(void **state)
{
    static const char fen[] =
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    const struct pm_facts none = {0};
    const struct pm_facts nothing = facts_of(fen, 0);
    const struct pm_facts mobility = facts_of(fen, PM_FACTS_MOBILITY);
    (void)state;
    assert_memory_equal(&nothing, &none, sizeof none);
    assert_int_equal(mobility.mobility[PM_WHITE], 36);
    assert_int_equal(mobility.legal, 0);
    assert_int_equal(mobility.phase, 0);
    assert_int_equal(mobility.best_exchange, 0);
}

static void exchanges(void **state)
{
    (void)state;
    struct pm_facts facts = facts_of(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", PM_FACTS_EXCHANGE);
    assert_int_equal(facts.best_exchange, 300);
    assert_true(facts.hanging[PM_WHITE] == pm_bit(18));                /* c3 */
    assert_true(facts.hanging[PM_BLACK] == (pm_bit(23) | pm_bit(40))); /* h3, a6 */

    /* A pawn that can be taken in passing hangs, for the side to move only. */
    facts = facts_of("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", PM_FACTS_EXCHANGE);
    assert_int_equal(facts.best_exchange, 100);
    assert_true(facts.hanging[PM_BLACK] == pm_bit(35) && facts.hanging[PM_WHITE] == 0);

    /* A king does not, even where a pawn that took it would promote. */
    facts = facts_of("4k3/8/8/8/8/8/4q3/K3R3 b - - 0 1", PM_FACTS_EXCHANGE);
    assert_true(facts.hanging[PM_BLACK] == pm_bit(12) && facts.hanging[PM_WHITE] == pm_bit(4));
    facts = facts_of("4k3/8/8/8/8/8/8/K3R3 b - - 0 1", PM_FACTS_EXCHANGE);
    assert_true(facts.hanging[PM_BLACK] == 0 && facts.best_exchange == 0);
    facts = facts_of("7k/6P1/6K1/8/8/8/8/8 b - - 0 1", PM_FACTS_EXCHANGE);
    assert_true(facts.hanging[PM_BLACK] == 0 && facts.hanging[PM_WHITE] == 0);
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
        cmocka_unit_test(suites), cmocka_unit_test(kinds_of_moves), cmocka_unit_test(verdicts),
        cmocka_unit_test(parts),  cmocka_unit_test(exchanges),
    };
    return cmocka_run_group_tests(tests, open_view, close_view);
}
