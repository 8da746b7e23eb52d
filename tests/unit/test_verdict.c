/* SPDX-License-Identifier: MIT */
/* Verdicts and their reasons, castling's conditions, evasions; dead positions against a search
 * through everything that can still be reached. */
#include "rules/verdict.h"

#include "core/bits.h"
#include "core/position.h"
#include "core/random.h"
#include "rules/position_set.h"
#include "tests/unit/size.h"
#include "tests/unit/view_at.h"
#include "verify/generator.h"

#include <string.h>

#define SUITE(name) PM_SOURCE_DIR "/verify/suites/" name ".epd"
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

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

static const char *fen_of(const struct pm_position *position)
{
    static char fen[PM_FEN_SIZE];
    return pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
}

/* ---- Verdicts ---- */

static void verdicts(void **state)
{
    static const struct {
        const char *fen;
        enum pm_verdict verdict;
        const char *reason;
    } cases[] = {
        {START, PM_VERDICT_OPEN, "White, to move, has 20 legal moves"},
        {"7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", PM_VERDICT_OPEN, "Black, to move, has 1 legal move"},
        {"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", PM_VERDICT_CHECKMATE,
         "the king on h8 is attacked by the queen on g7 and no move answers the check"},
        {"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", PM_VERDICT_OPEN, "White, to move, has"},
        {"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", PM_VERDICT_CHECKMATE,
         "the king on g8 is attacked by the rook on a8 and no move answers the check"},
        {"5Rbk/7p/5N2/8/8/2B5/8/6K1 b - - 0 1", PM_VERDICT_OPEN, "Black, to move, has"},
        {"6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1", PM_VERDICT_CHECKMATE,
         "the king on h8 is attacked by the knight on f7 and no move answers the check"},
        {"3qk2R/4pN2/5n2/8/8/8/8/4K3 b - - 0 1", PM_VERDICT_OPEN, "Black, to move, has"},
        {"3rkb2/3p1p2/3N4/8/8/8/4R3/4K3 b - - 0 1", PM_VERDICT_CHECKMATE,
         "the king on e8 is attacked by the rook on e2 and the knight on d6 and no move answers "
         "the check"},
        {"k7/8/1QK5/8/8/8/8/8 b - - 0 1", PM_VERDICT_STALEMATE,
         "Black, to move, is not in check and has no legal move"},
        {"8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", PM_VERDICT_STALEMATE,
         "White, to move, is not in check and has no legal move"},
        /* stalemate and mate go before material */
        {"8/8/8/8/8/1k6/1b6/K7 w - - 0 1", PM_VERDICT_INSUFFICIENT_MATERIAL,
         "neither side can mate with king against king and bishop"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", PM_VERDICT_INSUFFICIENT_MATERIAL,
         "neither side can mate with king against king"},
        {"8/8/4k3/8/8/3KB3/8/2B5 w - - 0 1", PM_VERDICT_INSUFFICIENT_MATERIAL,
         "neither side can mate with king and 2 bishops against king, all bishops on squares of "
         "one color"},
        {"8/8/4k3/8/8/3KN3/8/8 b - - 0 1", PM_VERDICT_INSUFFICIENT_MATERIAL,
         "neither side can mate with king and knight against king"},
        {"4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", PM_VERDICT_DEAD_POSITION,
         "the pieces hold each other so that, whatever the moves, none reaches a square where it "
         "could help to mate"},
        {"7k/7P/5K2/8/8/8/8/8 b - - 0 1", PM_VERDICT_DEAD_POSITION,
         "every line of play ends in stalemate or where neither side can mate"},
        {"8/8/8/k7/8/1p6/pP6/K7 b - - 0 1", PM_VERDICT_DEAD_POSITION, "the pieces hold"},
        /* nearly the same: one way out of the stalemate, one pawn that can move, one en passant */
        {"8/8/8/k7/8/1p6/pP6/K7 w - - 0 1", PM_VERDICT_STALEMATE, "White"},
        {"8/8/8/k7/8/1p5P/pP6/K7 b - - 0 1", PM_VERDICT_OPEN, "Black"},
        {"4k3/8/7p/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", PM_VERDICT_OPEN, "White"},
        {"4k3/8/8/pp1p1p1p/PP1P1P1P/8/8/4K3 w - - 0 1", PM_VERDICT_OPEN, "White"},
        {"4k3/8/8/p1p1p1p1/P1PpP1P1/3P4/8/4K3 b - - 0 1", PM_VERDICT_DEAD_POSITION,
         "the pieces hold"},
        {"4k3/8/8/p1p1p1p1/P1PpP1P1/3P4/8/4K3 b - e3 0 1", PM_VERDICT_OPEN, "Black"},
        /* the bishop on b2 checks: a king with its own bishop on b1 is mated */
        {"4k3/8/8/2p1p1p1/1pP1P1P1/pP6/P4b2/K7 w - - 0 1", PM_VERDICT_DEAD_POSITION,
         "the pieces hold"},
        {"4k3/8/8/2p1p1p1/1pP1P1P1/pP6/P4b2/KB6 w - - 0 1", PM_VERDICT_OPEN, "White"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char reason[PM_VERDICT_REASON_SIZE];
        view_at(&view, cases[i].fen);
        const enum pm_verdict verdict = pm_verdict_of(&view, true);
        if (verdict != cases[i].verdict)
            fail_msg("%s: %s, not %s", cases[i].fen, pm_verdict_text(verdict),
                     pm_verdict_text(cases[i].verdict));
        if (strstr(pm_verdict_reason(&view, verdict, reason), cases[i].reason) == NULL)
            fail_msg("%s: %s", cases[i].fen, reason);
    }
}

/* ---- Dead positions ---- */

enum outcome { MATE_FOUND, NO_MATE_EVER, TOO_MANY };

static void add_children(struct pm_view *seen, struct pm_position_set *set)
{
    const struct pm_kernel *const kernel = seen->kernel;
    for (unsigned i = 0; i < seen->move_count; i++) {
        struct pm_position child;
        bool is_new;
        memcpy(seen->child, seen->state, kernel->state_size);
        assert_int_equal(kernel->play(seen->child, &seen->moves[i]), PM_OK);
        assert_int_equal(kernel->get_position(seen->child, &child), PM_OK);
        assert_true(pm_position_set_add(set, &child, &is_new) != PM_NOT_IN_SET);
    }
}

/* Goes through all positions that legal moves reach from the view's, nearest first, up to a number
 * of them, and looks for a mate of either side. The view is left elsewhere. */
static enum outcome search_mate(struct pm_view *seen, size_t limit)
{
    struct pm_position_set *const set = pm_position_set_create();
    bool is_new;
    enum outcome outcome = NO_MATE_EVER;
    assert_non_null(set);
    pm_position_set_add(set, &seen->position, &is_new);
    for (size_t next = 0; next < pm_position_set_count(set); next++) {
        const struct pm_position position = *pm_position_set_at(set, next);
        view_set(seen, &position);
        if (seen->move_count == 0 && seen->attacks.checkers != 0) {
            outcome = MATE_FOUND;
            break;
        }
        if (pm_position_set_count(set) > limit) {
            outcome = TOO_MANY;
            break;
        }
        add_children(seen, set);
    }
    pm_position_set_destroy(set);
    return outcome;
}

/* The search itself must be able to find something. */
static void search_finds_mates(void **state)
{
    (void)state;
    view_at(&view, "8/8/8/8/8/2k5/2p5/2K5 b - - 0 1");
    assert_int_equal(search_mate(&view, 100000), MATE_FOUND);
    view_at(&view, "7k/5K1N/8/8/8/8/6b1/8 w - - 0 1");
    assert_int_equal(search_mate(&view, 100000), MATE_FOUND);
    view_at(&view, "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_int_equal(search_mate(&view, 100000), NO_MATE_EVER);
}

struct tally {
    unsigned positions, dead, complete;
};

/* Who says "dead" must stand against the search. */
static void check_death(const struct pm_position *position, size_t limit, struct tally *tally)
{
    view_set(&view, position);
    tally->positions++;
    const enum pm_verdict verdict = pm_verdict_of(&view, true);
    if (verdict != PM_VERDICT_DEAD_POSITION && verdict != PM_VERDICT_INSUFFICIENT_MATERIAL)
        return;
    const enum outcome outcome = search_mate(&view, limit);
    if (outcome == MATE_FOUND)
        fail_msg("%s: said to be dead (%s), but there is a mate", fen_of(position),
                 pm_verdict_text(verdict));
    tally->dead++;
    tally->complete += outcome == NO_MATE_EVER;
}

static const struct pm_position no_pieces = {
    .fullmove_number = 1,
    .en_passant = PM_NO_SQUARE,
    .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}}};

/* Anywhere on the first files. */
static void put(struct pm_position *position, struct pm_random *random, unsigned files,
                pm_piece piece)
{
    const bool is_pawn = pm_type_of(piece) == PM_PAWN;
    pm_square square;
    do {
        square =
            pm_make_square(pm_random_below(random, files),
                           is_pawn ? 1 + pm_random_below(random, 6) : pm_random_below(random, 8));
    } while (position->board[square] != PM_EMPTY);
    position->board[square] = piece;
}

/* White and black pawns face to face on most files, the kings and sometimes bishops anywhere. */
static struct pm_position random_wall(struct pm_random *random)
{
    struct pm_position position = no_pieces;
    unsigned rank = 2 + pm_random_below(random, 3);
    for (unsigned file = pm_random_below(random, 2); file < 8; file++) {
        if (pm_random_below(random, 2) == 0)
            file++;
        else
            rank = rank == 1 ? 2 : rank == 5 ? 4 : rank - 1 + 2 * pm_random_below(random, 2);
        if (file > 7)
            break;
        position.board[pm_make_square(file, rank)] = pm_make_piece(PM_WHITE, PM_PAWN);
        position.board[pm_make_square(file, rank + 1)] = pm_make_piece(PM_BLACK, PM_PAWN);
    }
    put(&position, random, 8, pm_make_piece(PM_WHITE, PM_KING));
    put(&position, random, 8, pm_make_piece(PM_BLACK, PM_KING));
    for (unsigned bishops = pm_random_below(random, 3); bishops > 0; bishops--)
        put(&position, random, 8,
            pm_make_piece((enum pm_color)pm_random_below(random, 2), PM_BISHOP));
    position.side_to_move = (uint8_t)pm_random_below(random, 2);
    return position;
}

/* Up to four pieces beside the kings; pawns are likelier. */
static struct pm_position random_few(struct pm_random *random)
{
    static const enum pm_piece_type types[] = {PM_PAWN,   PM_PAWN,   PM_PAWN, PM_KNIGHT,
                                               PM_BISHOP, PM_BISHOP, PM_ROOK, PM_QUEEN};
    struct pm_position position = no_pieces;
    put(&position, random, 8, pm_make_piece(PM_WHITE, PM_KING));
    put(&position, random, 8, pm_make_piece(PM_BLACK, PM_KING));
    for (unsigned pieces = pm_random_below(random, 5); pieces > 0; pieces--)
        put(&position, random, 8,
            pm_make_piece((enum pm_color)pm_random_below(random, 2),
                          types[pm_random_below(random, LENGTH(types))]));
    position.side_to_move = (uint8_t)pm_random_below(random, 2);
    return position;
}

/* Blocked pawns and both kings on three files: few moves, many stalemates. */
static struct pm_position random_corner(struct pm_random *random)
{
    struct pm_position position = no_pieces;
    for (unsigned pairs = 1 + pm_random_below(random, 3); pairs > 0; pairs--) {
        const pm_square square =
            pm_make_square(pm_random_below(random, 3), 1 + pm_random_below(random, 5));
        if (position.board[square] != PM_EMPTY || position.board[square + 8] != PM_EMPTY)
            continue;
        position.board[square] = pm_make_piece(PM_WHITE, PM_PAWN);
        position.board[square + 8] = pm_make_piece(PM_BLACK, PM_PAWN);
    }
    put(&position, random, 3, pm_make_piece(PM_WHITE, PM_KING));
    put(&position, random, 3, pm_make_piece(PM_BLACK, PM_KING));
    if (pm_random_below(random, 2) == 0)
        put(&position, random, 3,
            pm_make_piece((enum pm_color)pm_random_below(random, 2), PM_PAWN));
    position.side_to_move = (uint8_t)pm_random_below(random, 2);
    return position;
}

/* At least `dead` of the positions must be found dead, lest the test prove nothing. */
static void check_random(struct pm_position (*make)(struct pm_random *), uint64_t seed,
                         unsigned count, size_t limit, unsigned dead)
{
    struct pm_random random = {seed};
    struct tally tally = {0};
    while (tally.positions < count) {
        const struct pm_position position = make(&random);
        if (pm_position_check(&position, NULL) == PM_FAULT_NONE)
            check_death(&position, limit, &tally);
    }
    print_message("%u positions, %u dead: %u of these searched to the end\n", tally.positions,
                  tally.dead, tally.complete);
    assert_true(tally.dead >= dead);
}

static void dead_walls(void **state)
{
    (void)state;
    check_random(random_wall, 1, (unsigned)test_size(2000, 300), 20000,
                 (unsigned)test_size(100, 15));
}

static void dead_few(void **state)
{
    (void)state;
    check_random(random_few, 2, (unsigned)test_size(4000, 600), 3000,
                 (unsigned)test_size(1000, 150));
}

static void dead_corners(void **state)
{
    (void)state;
    check_random(random_corner, 3, (unsigned)test_size(20000, 3000), 20000,
                 (unsigned)test_size(10, 1));
}

/* ---- Castling ---- */

static bool has_castling(const struct pm_view *seen, enum pm_castling_side side)
{
    for (unsigned i = 0; i < seen->move_count; i++) {
        const struct pm_move *const move = &seen->moves[i];
        if (move->kind == PM_MOVE_CASTLING && (move->to > move->from) == (side == PM_KINGSIDE))
            return true;
    }
    return false;
}

static void compare_castling(const struct pm_view *seen, unsigned *castlings)
{
    const enum pm_color color = (enum pm_color)seen->position.side_to_move;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const unsigned obstacles =
            pm_castling_obstacles(&seen->position, color, (enum pm_castling_side)side);
        const bool is_legal = has_castling(seen, (enum pm_castling_side)side);
        if ((obstacles == 0) != is_legal)
            fail_msg("%s: castling %u is %slegal, obstacles %u", fen_of(&seen->position), side,
                     is_legal ? "" : "not ", obstacles);
        *castlings += is_legal;
    }
}

/* The side not to move is told the same as if it were to move. */
static void compare_turned(struct pm_view *seen, unsigned *castlings)
{
    const struct pm_position position = seen->position;
    struct pm_position turned = position;
    const enum pm_color color = (enum pm_color)(1 - position.side_to_move);
    turned.side_to_move = (uint8_t)color;
    turned.en_passant = PM_NO_SQUARE;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const unsigned obstacles =
            pm_castling_obstacles(&position, color, (enum pm_castling_side)side);
        const unsigned own = pm_castling_obstacles(&turned, color, (enum pm_castling_side)side);
        assert_int_equal(obstacles, own == PM_CASTLING_NO_RIGHT ? own : own | PM_CASTLING_NOT_TURN);
    }
    if (pm_position_check(&turned, NULL) != PM_FAULT_NONE)
        return;
    view_set(seen, &turned);
    compare_castling(seen, castlings);
    view_set(seen, &position);
}

static void check_castling(struct pm_view *seen, void *context)
{
    compare_castling(seen, context);
    compare_turned(seen, context);
}

static const char *const suite_names[] = {SUITE("standard"),    SUITE("tricky"), SUITE("chess960"),
                                          SUITE("unreachable"), SUITE("aimed"),  SUITE("generated"),
                                          SUITE("generated960")};

static void castling_in_suites(void **state)
{
    unsigned castlings = 0;
    (void)state;
    for (size_t i = 0; i < LENGTH(suite_names); i++)
        view_visit_suite(&view, suite_names[i], true, check_castling, &castlings);
    view_visit_suite(&view, SUITE("chess960_starts"), false, check_castling, &castlings);
    print_message("%u legal castlings\n", castlings);
    assert_true(castlings > 10000);
}

static void castling_cases(void **state)
{
    static const struct {
        const char *fen;
        enum pm_color color;
        enum pm_castling_side side;
        unsigned obstacles;
    } cases[] = {
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", PM_WHITE, PM_KINGSIDE, 0},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", PM_WHITE, PM_QUEENSIDE, 0},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", PM_BLACK, PM_KINGSIDE, PM_CASTLING_NOT_TURN},
        {"r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1", PM_WHITE, PM_QUEENSIDE, PM_CASTLING_NO_RIGHT},
        {"r3k2r/8/8/8/8/8/8/R3K2R w Kk - 0 1", PM_BLACK, PM_QUEENSIDE, PM_CASTLING_NO_RIGHT},
        {START, PM_WHITE, PM_KINGSIDE, PM_CASTLING_OCCUPIED},
        {START, PM_BLACK, PM_QUEENSIDE, PM_CASTLING_OCCUPIED | PM_CASTLING_NOT_TURN},
        /* the knight stands where only the rook passes */
        {"4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", PM_WHITE, PM_QUEENSIDE, PM_CASTLING_OCCUPIED},
        {"4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", PM_WHITE, PM_KINGSIDE, PM_CASTLING_IN_CHECK},
        {"4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", PM_WHITE, PM_KINGSIDE, PM_CASTLING_THROUGH},
        {"4k3/8/8/8/6r1/8/8/4K2R w K - 0 1", PM_WHITE, PM_KINGSIDE, PM_CASTLING_INTO},
        {"4k3/8/8/8/7r/8/8/4K2R w K - 0 1", PM_WHITE, PM_KINGSIDE, 0},
        {"4k3/8/8/8/1r6/8/8/R3K3 w Q - 0 1", PM_WHITE, PM_QUEENSIDE, 0},
        {"4k3/8/8/8/2rr4/8/8/R3K3 w Q - 0 1", PM_WHITE, PM_QUEENSIDE,
         PM_CASTLING_THROUGH | PM_CASTLING_INTO},
        {"r3k3/8/3N4/8/8/8/8/4K3 b q - 0 1", PM_BLACK, PM_QUEENSIDE,
         PM_CASTLING_IN_CHECK | PM_CASTLING_INTO},
        {"r3k2r/3P4/8/8/8/8/8/4K3 b kq - 0 1", PM_BLACK, PM_KINGSIDE, PM_CASTLING_IN_CHECK},
        {"r3k2r/4P3/8/8/8/8/8/4K3 b kq - 0 1", PM_BLACK, PM_KINGSIDE, PM_CASTLING_THROUGH},
        {"r3k2r/7P/8/8/8/8/8/4K3 b kq - 0 1", PM_BLACK, PM_KINGSIDE, PM_CASTLING_INTO},
        /* Chess960: the rook gives up its shield; king and rook change places; the king stays */
        {"4k3/8/8/8/8/8/8/qRK5 w B - 0 1", PM_WHITE, PM_QUEENSIDE, PM_CASTLING_INTO},
        {"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", PM_WHITE, PM_KINGSIDE, 0},
        {"4k3/8/8/8/8/8/8/6KR w H - 0 1", PM_WHITE, PM_KINGSIDE, 0},
        {"4k1r1/8/8/8/8/8/8/6KR w H - 0 1", PM_WHITE, PM_KINGSIDE, PM_CASTLING_IN_CHECK},
        {"4k3/8/8/8/8/8/8/RK3N2 w A - 0 1", PM_WHITE, PM_QUEENSIDE, 0},
        {"4k3/8/8/8/8/8/8/RK1N4 w A - 0 1", PM_WHITE, PM_QUEENSIDE, PM_CASTLING_OCCUPIED},
        {"4k3/8/8/8/8/8/8/1K3NR1 w G - 0 1", PM_WHITE, PM_KINGSIDE, PM_CASTLING_OCCUPIED},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        view_at(&view, cases[i].fen);
        const unsigned obstacles =
            pm_castling_obstacles(&view.position, cases[i].color, cases[i].side);
        if (obstacles != cases[i].obstacles)
            fail_msg("%s: %#x, not %#x", cases[i].fen, obstacles, cases[i].obstacles);
    }
    for (unsigned bit = 1; bit <= PM_CASTLING_NOT_TURN; bit <<= 1)
        assert_true(strlen(pm_castling_obstacle_text((enum pm_castling_obstacle)bit)) > 10);
}

/* ---- Evasions ---- */

static void evasion_cases(void **state)
{
    static const struct {
        const char *fen, *uci;
        enum pm_evasion evasion;
    } cases[] = {
        {START, "e2e4", PM_EVASION_NONE},
        {"4r2k/8/8/R7/8/8/8/4K3 w - - 0 1", "e1d1", PM_EVASION_KING},
        {"4r2k/8/8/R7/8/8/8/4K3 w - - 0 1", "a5e5", PM_EVASION_BLOCK},
        {"R3r2k/8/8/8/8/8/8/4K3 w - - 0 1", "a8e8", PM_EVASION_CAPTURE},
        {"7k/8/8/8/8/8/3q4/4K3 w - - 0 1", "e1d2", PM_EVASION_CAPTURE},
        {"4r2k/8/8/8/8/8/3n4/4K3 w - - 0 1", "e1d2", PM_EVASION_KING}, /* takes no checker */
        {"4r2k/8/8/8/8/5n2/8/R3K3 w - - 0 1", "e1f2", PM_EVASION_KING},
        {"7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1", "e5d6", PM_EVASION_CAPTURE},
        {"7k/8/r6K/3pP3/8/8/8/8 w - d6 0 1", "e5d6", PM_EVASION_BLOCK},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        view_at(&view, cases[i].fen);
        const struct pm_move move = view_move(&view, cases[i].uci);
        if (pm_evasion_of(&view, &move) != cases[i].evasion)
            fail_msg("%s %s: not %d", cases[i].fen, cases[i].uci, (int)cases[i].evasion);
    }
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* Whether a square lies on the line between two others, both left out. */
static bool is_between(unsigned square, unsigned from, unsigned to)
{
    const int files = (int)(to & 7) - (int)(from & 7), ranks = (int)(to >> 3) - (int)(from >> 3);
    const int step = sign(files) + 8 * sign(ranks);
    if (files != 0 && ranks != 0 && files != ranks && files != -ranks)
        return false;
    for (int at = (int)from + step; at != (int)to; at += step) {
        if (at == (int)square)
            return true;
    }
    return false;
}

static void check_evasions(struct pm_view *seen, void *context)
{
    unsigned *const counts = context;
    const pm_piece *const board = seen->position.board;
    const uint64_t checkers = seen->attacks.checkers;
    for (unsigned i = 0; i < seen->move_count; i++) {
        const struct pm_move move = seen->moves[i];
        const bool by_king = pm_type_of(board[move.from]) == PM_KING;
        const bool takes = (checkers & pm_bit(move.to)) != 0 || move.kind == PM_MOVE_EN_PASSANT;
        const enum pm_evasion evasion = pm_evasion_of(seen, &move);
        bool is_right = checkers == 0;
        if (evasion == PM_EVASION_KING)
            is_right = by_king && checkers != 0 && !takes;
        else if (evasion == PM_EVASION_CAPTURE)
            is_right = takes && (by_king || !pm_has_several(checkers));
        else if (evasion == PM_EVASION_BLOCK)
            for (unsigned king = 0; king < PM_SQUARE_COUNT; king++)
                is_right |= board[king] == pm_make_piece((enum pm_color)seen->position.side_to_move,
                                                         PM_KING) &&
                            !by_king && !pm_has_several(checkers) &&
                            is_between(move.to, king, pm_lsb(checkers));
        if (!is_right)
            fail_msg("%s: evasion %d", fen_of(&seen->position), (int)evasion);
        counts[evasion]++;
    }
}

static void evasions_in_suites(void **state)
{
    unsigned counts[4] = {0};
    (void)state;
    for (size_t i = 0; i < LENGTH(suite_names); i++)
        view_visit_suite(&view, suite_names[i], true, check_evasions, counts);
    print_message("no check %u, king %u, block %u, capture %u\n", counts[0], counts[1], counts[2],
                  counts[3]);
    for (unsigned i = 0; i < 4; i++)
        assert_true(counts[i] > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),           cmocka_unit_test(search_finds_mates),
        cmocka_unit_test(dead_walls),         cmocka_unit_test(dead_few),
        cmocka_unit_test(dead_corners),       cmocka_unit_test(castling_cases),
        cmocka_unit_test(castling_in_suites), cmocka_unit_test(evasion_cases),
        cmocka_unit_test(evasions_in_suites),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
