/* SPDX-License-Identifier: MIT */
/* Diff finds planted bugs, among them the 36 of the suite "bugs", and names move and rule. */
#include "core/clock.h"
#include "core/epd.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "tests/planted/planted.h"
#include "tests/unit/kernel_subject.h"
#include "verify/diagnose/diff.h"
#include "verify/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

static const struct pm_kernel *reference, *base;

/* ---- Kernels that are wrong in ways that tests/planted does not know ---- */

enum bug {
    NONE,
    PSEUDO_LEGAL,   /* moves that leave the king in check are given */
    KING_ALONG_RAY, /* the king shields itself from a line piece when it steps back */
    CASTLES_OVER_PIECES,
    NO_ATTACKED_ROOK,     /* no castling when the rook is attacked */
    FORGETS_SQUARE,       /* set_position() drops the en passant square */
    NO_PINNED_EN_PASSANT, /* no en passant by a pinned pawn */
    PINNED_STAND,         /* pinned pieces never move */
    NO_LINE_PIECES,       /* bishops, rooks and queens never move */
    UNMAKE_CASTLING,      /* perft() does not restore the rights after a castling */
    DIRTY_PERFT,          /* perft() leaves its caller's state changed */
    HIDDEN_LEFTOVER,      /* after an en passant capture, no more pawn moves */
    COUNTS_TWICE,         /* perft(1) counts castlings twice */
};

struct state {
    struct pm_position position;
    uint64_t leftover;
};

static enum bug bug;

struct scratch {
    _Alignas(64) unsigned char bytes[4096];
};

static enum pm_color us_of(const struct pm_position *position)
{
    return (enum pm_color)position->side_to_move;
}

static enum pm_color them_of(const struct pm_position *position)
{
    return position->side_to_move == PM_WHITE ? PM_BLACK : PM_WHITE;
}

static pm_square king_of(const struct pm_position *position)
{
    pm_square at = 0;
    while (position->board[at] != pm_make_piece(us_of(position), PM_KING))
        at++;
    return at;
}

static unsigned right_moves(const struct pm_position *position, struct pm_move moves[])
{
    struct scratch scratch;
    unsigned count = 0;
    assert_int_equal(base->set_position(scratch.bytes, position), PM_OK);
    assert_int_equal(base->legal_moves(scratch.bytes, moves, &count), PM_OK);
    return count;
}

static bool has_move(const struct pm_move moves[], unsigned count, const struct pm_move *move)
{
    for (unsigned i = 0; i < count; i++)
        if (pm_move_compare(&moves[i], move) == 0)
            return true;
    return false;
}

static bool is_pinned(const struct pm_position *position, pm_square from)
{
    struct pm_position without = *position;
    const pm_square king = king_of(position);
    without.board[from] = PM_EMPTY;
    return from != king && !pm_position_is_attacked(position, king, them_of(position)) &&
           pm_position_is_attacked(&without, king, them_of(position));
}

static bool is_dropped(const struct state *state, const struct pm_move *move)
{
    const struct pm_position *position = &state->position;
    const enum pm_piece_type type = pm_type_of(position->board[move->from]);
    switch (bug) {
    case NO_ATTACKED_ROOK:
        return move->kind == PM_MOVE_CASTLING &&
               pm_position_is_attacked(position, move->to, them_of(position));
    case NO_PINNED_EN_PASSANT:
        return move->kind == PM_MOVE_EN_PASSANT && is_pinned(position, move->from);
    case PINNED_STAND:
        return is_pinned(position, move->from);
    case NO_LINE_PIECES:
        return type == PM_BISHOP || type == PM_ROOK || type == PM_QUEEN;
    case HIDDEN_LEFTOVER:
        return state->leftover != 0 && type == PM_PAWN;
    default:
        return false;
    }
}

/* Whether a move that the rules forbid is given by the bug. */
static bool is_added(const struct pm_position *position, const struct pm_move *move)
{
    const bool is_king = pm_type_of(position->board[move->from]) == PM_KING;
    if (move->kind == PM_MOVE_EN_PASSANT && move->to != position->en_passant)
        return false;
    if (move->kind == PM_MOVE_CASTLING)
        return bug == CASTLES_OVER_PIECES &&
               position->castling_rook[us_of(position)][move->to > move->from ? 0 : 1] == move->to;
    if (bug == KING_ALONG_RAY)
        return is_king && !pm_position_is_attacked(position, move->to, them_of(position));
    return bug == PSEUDO_LEGAL;
}

static enum pm_status bad_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                      unsigned *count)
{
    const struct state *state = memory;
    struct pm_move pseudo[PM_MAX_MOVES], right[PM_MAX_MOVES];
    *count = 0;
    if (pm_position_check(&state->position, NULL) != PM_FAULT_NONE)
        return PM_OK;
    const unsigned right_count = right_moves(&state->position, right);
    for (unsigned i = 0; i < right_count; i++)
        if (!is_dropped(state, &right[i]))
            moves[(*count)++] = right[i];
    if (bug != PSEUDO_LEGAL && bug != KING_ALONG_RAY && bug != CASTLES_OVER_PIECES)
        return PM_OK;
    const unsigned pseudo_count =
        pm_verify_pseudo_moves(&state->position, us_of(&state->position), pseudo);
    for (unsigned i = 0; i < pseudo_count; i++)
        if (!has_move(right, right_count, &pseudo[i]) && is_added(&state->position, &pseudo[i]))
            moves[(*count)++] = pseudo[i];
    return PM_OK;
}

/* Puts an illegal move's pieces where they go; what it is worth after that does not matter. */
static void force(struct pm_position *position, const struct pm_move *move)
{
    position->board[move->to] = position->board[move->from];
    position->board[move->from] = PM_EMPTY;
    position->en_passant = PM_NO_SQUARE;
    position->side_to_move ^= 1;
    memset(position->castling_rook, PM_NO_SQUARE, sizeof position->castling_rook);
}

static enum pm_status bad_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct scratch scratch;
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned count = right_moves(&state->position, moves);
    if (!has_move(moves, count, move)) {
        force(&state->position, move);
        return PM_OK;
    }
    base->set_position(scratch.bytes, &state->position);
    base->play(scratch.bytes, move);
    if (move->kind == PM_MOVE_EN_PASSANT)
        state->leftover = 1;
    return base->get_position(scratch.bytes, &state->position);
}

/* Makes and unmakes on one state; what unmaking forgets stays. */
static uint64_t count_leaves(struct state *state, int depth)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    uint64_t nodes = 0;
    bad_legal_moves(state, moves, &count);
    for (unsigned i = 0; i < count; i++) {
        const struct state before = *state;
        if (depth == 1) {
            nodes += bug == COUNTS_TWICE && moves[i].kind == PM_MOVE_CASTLING ? 2 : 1;
            continue;
        }
        bad_play(state, &moves[i]);
        nodes += count_leaves(state, depth - 1);
        *state = before;
        if (bug == UNMAKE_CASTLING && moves[i].kind == PM_MOVE_CASTLING)
            memset(state->position.castling_rook[us_of(&state->position)], PM_NO_SQUARE, 2);
    }
    return nodes;
}

static enum pm_status bad_perft(const void *memory, int depth, enum pm_mode mode, uint64_t *nodes)
{
    struct state state;
    (void)mode;
    memcpy(&state, memory, sizeof state);
    *nodes = count_leaves(&state, depth);
    if (bug == DIRTY_PERFT && depth == 2)
        ((struct state *)(uintptr_t)memory)->leftover++;
    return PM_OK;
}

static enum pm_status bad_init(void)
{
    return PM_OK;
}

static enum pm_status bad_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    state->position = *position;
    if (bug == FORGETS_SQUARE)
        state->position.en_passant = PM_NO_SQUARE;
    return PM_OK;
}

static enum pm_status bad_get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    *position = state->position;
    return PM_OK;
}

static const struct pm_kernel bad = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "bad",
    .lineage = "bad",
    .technique = "a wrapped kernel with one bug",
    .summary = "For tests.",
    .reference = "none",
    .revision = "test",
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = bad_init,
    .set_position = bad_set_position,
    .get_position = bad_get_position,
    .legal_moves = bad_legal_moves,
    .play = bad_play,
    .perft = bad_perft,
};

static const struct pm_kernel *bad_kernel(enum bug which)
{
    bug = which;
    return &bad;
}

/* ---- Running a diff ---- */

static bool hangs; /* the subject does not answer */

static enum pm_status hang(struct pm_subject *subject, const struct pm_line *line, int depth,
                           struct pm_divide *divide, enum pm_subject_failure *failure,
                           struct pm_error *error)
{
    (void)subject;
    (void)line;
    (void)depth;
    (void)divide;
    *failure = PM_SUBJECT_HUNG;
    return pm_fail(error, PM_ERROR_IO, "it does not answer");
}

static void run(const struct pm_kernel *kernel, const char *fen, int depth, struct pm_diff *diff)
{
    struct pm_subject a = kernel_subject(kernel), b = kernel_subject(reference);
    struct pm_position position;
    struct pm_error error = {0};
    if (hangs)
        a.divide = hang;
    if (pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &position, NULL, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    const struct pm_diff_config config = {
        .subjects = {&a, &b},
        .reference = reference,
        .position = &position,
        .chess960 = !pm_position_is_standard(&position),
        .depth = depth,
    };
    if (pm_diff_run(&config, diff, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
}

static int set_up(void **state)
{
    (void)state;
    reference = pm_kernel_find("reference");
    base = pm_kernel_find("mailbox");
    return reference != NULL && base != NULL && reference->init() == PM_OK &&
                   base->init() == PM_OK && base->state_size <= sizeof(struct scratch)
               ? 0
               : -1;
}

/* ---- The 36 bugs ---- */

#define RULE(rule) (1ULL << (rule))
#define ILLEGAL_EN_PASSANTS                                                                        \
    (RULE(PM_RULE_EN_PASSANT_RANK) | RULE(PM_RULE_EN_PASSANT_PIN_FILE) |                           \
     RULE(PM_RULE_EN_PASSANT_PIN_DIAGONAL) | RULE(PM_RULE_EN_PASSANT_DISCOVERS))
#define UNCHECKED                                                                                  \
    (RULE(PM_RULE_NO_EVASION) | RULE(PM_RULE_KING_INTO_CHECK) | RULE(PM_RULE_PIN_RANK) |           \
     RULE(PM_RULE_PIN_FILE) | RULE(PM_RULE_PIN_DIAGONAL) | RULE(PM_RULE_KING_TAKES_DEFENDED))

/* By the beginning of the suite's id. rules: 0 for a bug of counting alone. Most give the very
 * count that was reported, so they are the bugs that were. */
static const struct {
    const char *id;
    bool exact;
    enum pm_planted_bug planted; /* else … */
    enum bug bug;
    uint64_t rules;
} plants[] = {
    {"underpromotion-missing", true, PM_PLANTED_NO_KNIGHT_PROMOTION, NONE, RULE(PM_RULE_PROMOTION)},
    {"ep-uncovers-diagonal", true, PM_PLANTED_ILLEGAL_EN_PASSANT, NONE,
     RULE(PM_RULE_EN_PASSANT_DISCOVERS)},
    {"ep-does-not-evade", true, PM_PLANTED_ILLEGAL_EN_PASSANT, NONE,
     RULE(PM_RULE_EN_PASSANT_NO_EVASION)},
    {"castling-out-of-pawn-check", true, PM_PLANTED_CASTLING_OUT_OF_CHECK, NONE,
     RULE(PM_RULE_CASTLING_IN_CHECK)},
    {"counting-", false, PM_PLANTED_NONE, COUNTS_TWICE, 0},
    {"rules-missing", false, PM_PLANTED_NONE, NO_LINE_PIECES, RULE(PM_RULE_QUIET)},
    {"evasions-missing", false, PM_PLANTED_NONE, PSEUDO_LEGAL, UNCHECKED},
    {"pins-and-ep-missing", false, PM_PLANTED_NONE, PSEUDO_LEGAL, UNCHECKED | ILLEGAL_EN_PASSANTS},
    {"king-captures-checker", true, PM_PLANTED_NONE, KING_ALONG_RAY, RULE(PM_RULE_KING_ALONG_RAY)},
    {"chess960-castling-over", true, PM_PLANTED_NONE, CASTLES_OVER_PIECES,
     RULE(PM_RULE_CASTLING_BETWEEN)},
    {"chess960-castling-with", true, PM_PLANTED_NONE, NO_ATTACKED_ROOK,
     RULE(PM_RULE_CASTLING_ROOK_ATTACKED)},
    {"ep-discovered-check", true, PM_PLANTED_ILLEGAL_EN_PASSANT, NONE,
     RULE(PM_RULE_EN_PASSANT_PIN_DIAGONAL)},
    {"undercount-", true, PM_PLANTED_NONE, NO_PINNED_EN_PASSANT,
     RULE(PM_RULE_EN_PASSANT_ALONG_PIN)},
    {"ep-by-pinned-pawn", true, PM_PLANTED_NONE, NO_PINNED_EN_PASSANT,
     RULE(PM_RULE_EN_PASSANT_ALONG_PIN)},
};

static size_t find_plant(const char *id)
{
    size_t i = 0;
    while (i < sizeof plants / sizeof *plants &&
           strncmp(id, plants[i].id, strlen(plants[i].id)) != 0)
        i++;
    if (i == sizeof plants / sizeof *plants)
        fail_msg("no bug is planted for %s", id);
    return i;
}

static bool explains(const struct pm_diff *diff, uint64_t rules)
{
    if (rules == 0)
        return diff->result == PM_DIFF_COUNT;
    bool all = diff->result == PM_DIFF_MOVES && diff->move_count > 0;
    for (unsigned i = 0; i < diff->move_count; i++)
        all = all && (rules & RULE(diff->moves[i].finding.rule)) != 0;
    return all;
}

static uint64_t count(const struct pm_kernel *kernel, const struct pm_suite_entry *entry)
{
    struct scratch scratch;
    uint64_t nodes = 0;
    kernel->set_position(scratch.bytes, &entry->position);
    kernel->perft(scratch.bytes, entry->counts[0].depth, PM_MODE_BULK, &nodes);
    return nodes;
}

static void find_bug(const struct pm_suite_entry *entry)
{
    const char *id = pm_suite_entry_opcode(entry, "id");
    const size_t plant = find_plant(id);
    const struct pm_kernel *kernel = plants[plant].planted != PM_PLANTED_NONE
                                         ? pm_planted(base, plants[plant].planted)
                                         : bad_kernel(plants[plant].bug);
    const uint64_t start = pm_clock_ns();
    struct pm_diff diff = {0};

    run(kernel, entry->fen, entry->counts[0].depth, &diff);
    print_message("%s: %s after %u plies, %s; %.2f s\n", id,
                  diff.move_count > 0 ? diff.moves[0].text : "no move", diff.path_length,
                  diff.move_count > 0 ? pm_rule_text(diff.moves[0].finding.rule) : "a count",
                  pm_clock_seconds_since(start));
    if (!explains(&diff, plants[plant].rules)) {
        pm_diff_write_text(&diff, 0, stderr);
        fail_msg("%s is not explained", id);
    }
    pm_diff_free(&diff);
    if (plants[plant].exact)
        assert_int_equal(count(kernel, entry),
                         strtoull(pm_suite_entry_opcode(entry, "wrong"), NULL, 10));
}

static void known_bugs_are_named(void **state)
{
    char path[4096];
    struct pm_suite suite = {0};
    struct pm_error error = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/verify/suites/bugs.epd", PM_SOURCE_DIR);
    if (pm_suite_read_file(path, &suite, &error) != PM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(suite.entry_count, 36);
    for (size_t i = 0; i < suite.entry_count; i++)
        find_bug(&suite.entries[i]);
    pm_suite_free(&suite);
}

/* ---- Other bugs, and none ---- */

static void right_kernels_agree(void **state)
{
    struct pm_diff diff = {0};
    (void)state;
    run(base, KIWIPETE, 3, &diff);
    assert_int_equal(diff.result, PM_DIFF_NONE);
    assert_int_equal(diff.node_depth, 3);
    assert_int_equal(diff.total[PM_DIFF_A], 97862);
    assert_int_equal(diff.total[PM_DIFF_B], 97862);
    pm_diff_free(&diff);
    run(bad_kernel(NONE), KIWIPETE, 3, &diff);
    assert_int_equal(diff.result, PM_DIFF_NONE);
    pm_diff_free(&diff);
}

/* What unmaking leaves behind is seen in the whole, never in the parts. */
static void bugs_that_vanish(void **state)
{
    struct pm_diff diff = {0};
    (void)state;
    run(bad_kernel(UNMAKE_CASTLING), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 4, &diff);
    assert_int_equal(diff.result, PM_DIFF_COUNT);
    assert_true(diff.wrong[PM_DIFF_A]);
    assert_false(diff.wrong[PM_DIFF_B]);
    assert_true(diff.whole != diff.parts);
    assert_non_null(strstr(diff.notes, "the fault lies in perft() itself"));
    assert_non_null(strstr(diff.notes, "(castling"));
    pm_diff_free(&diff);

    run(bad_kernel(DIRTY_PERFT), KIWIPETE, 2, &diff);
    assert_int_equal(diff.result, PM_DIFF_COUNT);
    assert_int_equal(diff.node_depth, 2);
    assert_non_null(strstr(diff.notes, "perft() changed the state"));
    pm_diff_free(&diff);
}

/* A program that is wrong in the same way shows no more than its divides. */
static void programs_are_asked_again(void **state)
{
    struct pm_subject a = kernel_subject(bad_kernel(UNMAKE_CASTLING));
    struct pm_subject b = kernel_subject(reference);
    struct pm_position position;
    struct pm_diff diff = {0};
    (void)state;
    a.kernel = NULL;
    assert_int_equal(pm_fen_read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 0, &position, NULL, NULL),
                     PM_OK);
    const struct pm_diff_config config = {
        .subjects = {&a, &b}, .reference = reference, .position = &position, .depth = 4};
    assert_int_equal(pm_diff_run(&config, &diff, NULL), PM_OK);
    assert_int_equal(diff.result, PM_DIFF_COUNT);
    assert_true(diff.wrong[PM_DIFF_A] && !diff.wrong[PM_DIFF_B]);
    assert_true(diff.whole != diff.parts);
    assert_int_equal(diff.total[PM_DIFF_A], diff.whole);
    assert_int_equal(diff.total[PM_DIFF_B], diff.parts);
    assert_non_null(strstr(diff.notes, "Asked again"));
    pm_diff_free(&diff);
}

static void leftovers_of_moves(void **state)
{
    static const char fen[] = "4k3/8/8/3pP3/8/8/7P/4K3 w - d6 0 1";
    struct pm_diff diff = {0};
    (void)state;
    run(bad_kernel(HIDDEN_LEFTOVER), fen, 3, &diff);
    assert_int_equal(diff.result, PM_DIFF_MOVES);
    assert_true(diff.vanishes_from_fen);
    assert_int_equal(diff.path_length, 2);
    pm_diff_free(&diff);

    run(pm_planted(base, PM_PLANTED_PAWN_LEFT), fen, 4, &diff);
    assert_int_equal(diff.result, PM_DIFF_MOVES);
    assert_true(diff.vanishes_from_fen);
    assert_non_null(strstr(diff.notes, "after move 1 of the path, e5d6 (en passant): square d5"));
    assert_string_equal(diff.wrong_field, "square");
    pm_diff_free(&diff);
}

static void positions_that_are_set_up_wrongly(void **state)
{
    struct pm_diff diff = {0};
    (void)state;
    run(bad_kernel(FORGETS_SQUARE), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 2, &diff);
    assert_int_equal(pm_diff_rule(&diff), PM_RULE_EN_PASSANT);
    assert_int_equal(diff.path_length, 0);
    assert_non_null(strstr(diff.notes, "bad keeps a wrong position when it is set up: en passant"));
    pm_diff_free(&diff);
}

static void other_plants(void **state)
{
    static const struct {
        enum pm_planted_bug bug;
        const char *fen;
        int depth;
        enum pm_rule rule;
    } cases[] = {
        {PM_PLANTED_DOUBLED_MOVE, KIWIPETE, 2, PM_RULE_DOUBLED},
        {PM_PLANTED_CASTLING_THROUGH_CHECK, "4kr2/8/8/8/8/8/8/4K2R w K - 0 1", 1,
         PM_RULE_CASTLING_THROUGH},
        {PM_PLANTED_CASTLING_OVER_PIECE, KIWIPETE, 3, PM_RULE_CASTLING_BETWEEN},
        {PM_PLANTED_RIGHT_SURVIVES_MOVE, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", 5,
         PM_RULE_CASTLING_ROOK_MOVED},
        {PM_PLANTED_RIGHT_SURVIVES_CAPTURE, "r3k3/r7/8/8/8/8/6B1/4K3 w q - 0 1", 4,
         PM_RULE_CASTLING_ROOK_CAPTURED},
        {PM_PLANTED_NO_EN_PASSANT_EVASION, "7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1", 1,
         PM_RULE_EN_PASSANT_TAKES_CHECKER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_diff diff = {0};
        run(pm_planted(base, cases[i].bug), cases[i].fen, cases[i].depth, &diff);
        if (pm_diff_rule(&diff) != cases[i].rule) {
            pm_diff_write_text(&diff, 0, stderr);
            fail_msg("%s: not \"%s\"", pm_planted_text(cases[i].bug), pm_rule_text(cases[i].rule));
        }
        pm_diff_free(&diff);
    }
}

static void failures_are_results(void **state)
{
    struct pm_diff diff = {0};
    (void)state;
    hangs = true;
    run(base, KIWIPETE, 2, &diff);
    hangs = false;
    assert_int_equal(diff.result, PM_DIFF_FAILED);
    assert_int_equal(diff.failed, PM_DIFF_A);
    assert_int_equal(diff.failure, PM_SUBJECT_HUNG);
    assert_string_equal(diff.failure_text, "it does not answer");
    pm_diff_free(&diff);
}

static void bad_depths_are_refused(void **state)
{
    struct pm_subject subject = kernel_subject(base);
    struct pm_position position;
    struct pm_error error = {0};
    struct pm_diff diff = {0};
    const atomic_bool stop = true;
    (void)state;
    assert_int_equal(pm_fen_read(KIWIPETE, 0, &position, NULL, NULL), PM_OK);
    struct pm_diff_config config = {.subjects = {&subject, &subject},
                                    .reference = reference,
                                    .position = &position,
                                    .depth = PM_DIFF_MAX_DEPTH + 1};
    assert_int_equal(pm_diff_run(&config, &diff, &error), PM_ERROR_ARGUMENT);
    pm_diff_free(&diff);
    config.depth = 3;
    config.stop = &stop;
    assert_int_equal(pm_diff_run(&config, &diff, &error), PM_ERROR_INTERRUPTED);
    pm_diff_free(&diff);
}

/* ---- What is written ---- */

static void check_output(const struct pm_diff *diff, bool json, const char *const parts[])
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    if (json)
        assert_int_equal(pm_diff_write_json(diff, file, NULL), PM_OK);
    else
        pm_diff_write_text(diff, 0, file);
    fclose(file);
    for (int i = 0; parts[i] != NULL; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("\"%s\" is not in:\n%s", parts[i], text);
    free(text);
}

static void output_has_all(void **state)
{
    static const char *const lines[] = {
        "planted and reference list different moves after 0 plies.",
        "FEN   8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1",
        "5  K  .  .  p  P  .  .  q",
        "e5d6  extra in planted",
        "en passant: pinned on the rank: both pawns leave the rank between the king on a5 and the "
        "queen on h5",
        "count depth 1: planted 7, reference 6",
        NULL};
    static const char *const members[] = {"\"result\": \"moves\"",
                                          "\"fault\": \"extra\"",
                                          "\"rule\": \"en passant: pinned on the rank\"",
                                          "\"wrong\": [",
                                          "\"fen\": \"8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1\"",
                                          NULL};
    static const char *const count_members[] = {"\"result\": \"count\"",
                                                "\"whole\": ", "\"parts\": ", NULL};
    static const char *const count_lines[] = {"The bug vanishes when one zooms in", "perft(", NULL};
    struct pm_diff diff = {0};
    (void)state;
    run(pm_planted(base, PM_PLANTED_ILLEGAL_EN_PASSANT), "8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1", 2,
        &diff);
    check_output(&diff, false, lines);
    check_output(&diff, true, members);
    pm_diff_free(&diff);
    run(bad_kernel(UNMAKE_CASTLING), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 3, &diff);
    check_output(&diff, true, count_members);
    check_output(&diff, false, count_lines);
    pm_diff_free(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernels_agree),
        cmocka_unit_test(bugs_that_vanish),
        cmocka_unit_test(programs_are_asked_again),
        cmocka_unit_test(leftovers_of_moves),
        cmocka_unit_test(other_plants),
        cmocka_unit_test(positions_that_are_set_up_wrongly),
        cmocka_unit_test(failures_are_results),
        cmocka_unit_test(bad_depths_are_refused),
        cmocka_unit_test(output_has_all),
        cmocka_unit_test(known_bugs_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
