/* SPDX-License-Identifier: MIT */
#include "perft/breakdown_sets.h"

#include "core/after_move.h"
#include "core/bits.h"
#include "core/parallel.h"
#include "perft/children.h"

#include <stdlib.h>
#include <string.h>

bool pm_breakdown_has_sets(const struct pm_kernel *kernel)
{
    return kernel->expander != NULL && kernel->expander->find_check_squares != NULL;
}

/* ---- One parent ---- */

/* A position whose legal moves are told apart. */
struct parent {
    const struct pm_expander *expander;
    const struct pm_bitboards *board;
    enum pm_color us;
    struct pm_check_squares checks; /* by `us` */
    bool never_stalemates;          /* no move without a check can leave the enemy without one */
    struct pm_breakdown_row *row;
};

static bool has_moves(const struct pm_expansion *moves)
{
    return moves->piece_count > 0 ||
           (moves->pushes | moves->double_pushes | moves->left_captures | moves->right_captures |
            moves->en_passant_captors | moves->castling_rooks) != 0;
}

static bool has_reply(const struct parent *parent, const struct pm_bitboards *child)
{
    struct pm_expansion replies;
    parent->expander->expand(child, pm_opponent(parent->us), &replies);
    return has_moves(&replies);
}

/* Enemy pieces, the king apart, that could move if it were their turn. One move of ours takes at
 * most four of them that freedom: it captures one, pins one by the piece that moved and one by what
 * that uncovered, and stops one pawn. What else they lose, they keep in another way: who could pass
 * the target can capture there, who could capture on the origin can go there, but for pawns, which
 * are counted by their pushes. Three more may only have had our king, in check now, for a target.
 */
enum { ENOUGH_FREE_PIECES = 4 + 3 + 1, ENOUGH_FREE_PAWNS = 4 + 1 };

/* Enemy pawns that are not pinned and may step forward: no king is their target. */
static uint64_t free_pawns(const struct parent *parent)
{
    const struct pm_bitboards *const board = parent->board;
    const enum pm_color enemy = pm_opponent(parent->us);
    const uint64_t pawns = board->pawns & board->pieces[enemy] & ~parent->checks.screens;
    return pm_forward(enemy, pawns) & ~(board->pieces[PM_WHITE] | board->pieces[PM_BLACK]);
}

static bool can_never_stalemate(const struct parent *parent)
{
    struct pm_bitboards board = *parent->board;
    struct pm_expansion moves;
    if (pm_popcount(free_pawns(parent)) >= ENOUGH_FREE_PAWNS)
        return true;
    board.rights &= PM_BACK_RANKS;
    parent->expander->expand(&board, pm_opponent(parent->us), &moves);
    unsigned free = pm_popcount(moves.pushes);
    for (unsigned i = 0; i < moves.piece_count; i++)
        free += moves.pieces[i].type != PM_KING;
    return free >= ENOUGH_FREE_PIECES;
}

static void tally_check(const struct parent *parent, const struct pm_bitboards *child,
                        enum pm_checkers kind)
{
    parent->row->checks[kind]++;
    parent->row->mates[kind] += !has_reply(parent, child);
}

/* A leaf that no set tells: asked of the board itself. `moved` are the pieces that moved, less a
 * castling king. */
static void tally_played(const struct parent *parent, const struct pm_bitboards *child,
                         uint64_t moved)
{
    struct pm_check_squares squares;
    parent->expander->find_check_squares(child, parent->us, &squares);
    const uint64_t checkers = pm_checkers_of(child, parent->us, &squares);
    const bool several = checkers != 0 && pm_has_several(checkers);
    if (checkers == 0)
        parent->row->stalemates += !parent->never_stalemates && !has_reply(parent, child);
    else if ((checkers & moved) == 0)
        tally_check(parent, child,
                    several ? PM_CHECKERS_DOUBLE_DISCOVERED : PM_CHECKERS_DISCOVERED);
    else
        tally_check(parent, child,
                    several ? PM_CHECKERS_DIRECT_AND_DISCOVERED : PM_CHECKERS_DIRECT);
}

/* Squares in one direction and its opposite. */
static uint64_t both_ways(uint64_t square, unsigned shift, uint64_t last_up, uint64_t last_down)
{
    uint64_t line = square;
    for (int i = 0; i < 7; i++)
        line |= (line & ~last_up) << shift | (line & ~last_down) >> shift;
    return line;
}

/* The whole line of the board through both squares, which are on one. */
static uint64_t line_through(uint64_t a, uint64_t b)
{
    static const uint64_t a_file = 0x0101010101010101ULL, h_file = 0x8080808080808080ULL;
    const uint64_t lines[] = {both_ways(a, 8, 0, 0), both_ways(a, 1, h_file, a_file),
                              both_ways(a, 9, h_file, a_file), both_ways(a, 7, a_file, h_file)};
    for (int i = 0; i < 4; i++)
        if (lines[i] & b)
            return lines[i];
    return 0;
}

/* Those of a piece's targets on which it no longer screens the enemy king. */
static uint64_t uncovering(const struct parent *parent, uint64_t from, uint64_t targets)
{
    const uint64_t king = parent->board->kings & parent->board->pieces[pm_opponent(parent->us)];
    return (parent->checks.screens & from) == 0 ? 0 : targets & ~line_through(king, from);
}

/* Plays what is to be looked at: checks, and all the rest if it may stalemate. */
static void look_at(const struct parent *parent, enum pm_piece_type type, uint64_t from,
                    uint64_t targets, uint64_t direct, uint64_t discovered)
{
    const uint64_t checks = direct | discovered;
    struct pm_bitboards child;
    for (uint64_t rest = parent->never_stalemates ? checks : targets; rest;
         rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        if (type == PM_PAWN && (from << 16 == to || from >> 16 == to))
            pm_after_double_push(&child, parent->board, parent->us, from, to);
        else
            pm_after_move(&child, parent->board, parent->us, type, from, to);
        if ((to & checks) == 0)
            parent->row->stalemates += !has_reply(parent, &child);
        else if ((to & direct) == 0)
            tally_check(parent, &child, PM_CHECKERS_DISCOVERED);
        else
            tally_check(parent, &child,
                        to & discovered ? PM_CHECKERS_DIRECT_AND_DISCOVERED : PM_CHECKERS_DIRECT);
    }
}

static void tally_piece(const struct parent *parent, const struct pm_piece_moves *moves)
{
    const struct pm_check_squares *const checks = &parent->checks;
    const uint64_t reach[PM_PIECE_TYPE_COUNT] = {[PM_KNIGHT] = checks->knights,
                                                 [PM_BISHOP] = checks->diagonals,
                                                 [PM_ROOK] = checks->straights,
                                                 [PM_QUEEN] =
                                                     checks->diagonals | checks->straights};
    const uint64_t from = pm_bit(moves->from), targets = moves->targets;
    parent->row->nodes += pm_popcount(targets);
    parent->row->captures += pm_popcount(targets & parent->board->pieces[pm_opponent(parent->us)]);
    look_at(parent, (enum pm_piece_type)moves->type, from, targets, targets & reach[moves->type],
            uncovering(parent, from, targets));
}

static void tally_promotions(const struct parent *parent, uint64_t from, uint64_t to)
{
    struct pm_bitboards child;
    for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
        pm_after_promotion(&child, parent->board, parent->us, (enum pm_piece_type)type, from, to);
        parent->row->promotions++;
        tally_played(parent, &child, to);
    }
}

/* Steps of pawns whose origins lie `distance` squares behind. */
static void tally_steps(const struct parent *parent, uint64_t targets, unsigned distance,
                        bool is_capture)
{
    const bool is_white = parent->us == PM_WHITE;
    const uint64_t screens =
        is_white ? parent->checks.screens << distance : parent->checks.screens >> distance;
    const uint64_t promotions = targets & PM_BACK_RANKS;
    const unsigned count = pm_popcount(targets) + 3 * pm_popcount(promotions);
    parent->row->nodes += count;
    parent->row->captures += is_capture ? count : 0;
    uint64_t rest = targets;
    if (parent->never_stalemates)
        rest &= parent->checks.pawns | screens | PM_BACK_RANKS;
    for (; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest, from = is_white ? to >> distance : to << distance;
        if (to & promotions)
            tally_promotions(parent, from, to);
        else
            look_at(parent, PM_PAWN, from, to, to & parent->checks.pawns,
                    uncovering(parent, from, to));
    }
}

static void tally_en_passant(const struct parent *parent, uint64_t captors)
{
    const uint64_t to = pm_en_passant_set(parent->board);
    struct pm_bitboards child;
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest)) {
        pm_after_en_passant(&child, parent->board, parent->us, rest & -rest, to);
        parent->row->nodes++;
        parent->row->captures++;
        parent->row->en_passant++;
        tally_played(parent, &child, to);
    }
}

static void tally_castlings(const struct parent *parent, uint64_t rooks)
{
    const uint64_t king = parent->board->kings & parent->board->pieces[parent->us];
    struct pm_bitboards child;
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const uint64_t rook = rest & -rest;
        pm_after_castling(&child, parent->board, parent->us, rook);
        parent->row->nodes++;
        parent->row->castles++;
        tally_played(parent, &child,
                     pm_rank_set(parent->us, 1) & 0x0101010101010101ULL << (rook > king ? 5 : 3));
    }
}

/* All moves of a position as leaves. */
static void tally(const struct pm_expander *expander, const struct pm_bitboards *board,
                  enum pm_color us, const struct pm_expansion *moves, struct pm_breakdown_row *row)
{
    struct parent parent = {.expander = expander, .board = board, .us = us, .row = row};
    const bool is_white = us == PM_WHITE;
    expander->find_check_squares(board, us, &parent.checks);
    parent.never_stalemates = can_never_stalemate(&parent);
    for (unsigned i = 0; i < moves->piece_count; i++)
        tally_piece(&parent, &moves->pieces[i]);
    tally_steps(&parent, moves->pushes, 8, false);
    tally_steps(&parent, moves->double_pushes, 16, false);
    tally_steps(&parent, moves->left_captures, is_white ? 7 : 9, true);
    tally_steps(&parent, moves->right_captures, is_white ? 9 : 7, true);
    tally_en_passant(&parent, moves->en_passant_captors);
    tally_castlings(&parent, moves->castling_rooks);
}

/* ---- The tree ---- */

struct walk {
    const struct pm_breakdown_config *config;
    struct pm_breakdown *breakdown;
    enum pm_color us;
    int ply;
    bool is_stopped;
};

static bool is_stopped(const struct pm_breakdown_config *config)
{
    return config->stop != NULL && atomic_load_explicit(config->stop, memory_order_relaxed);
}

static void visit(void *context, const struct pm_bitboards *board, uint64_t captured)
{
    struct walk *const walk = context;
    const struct pm_expander *const expander = walk->config->kernel->expander;
    struct pm_expansion moves;
    (void)captured;
    walk->is_stopped = walk->is_stopped || is_stopped(walk->config);
    if (walk->is_stopped)
        return;
    expander->expand(board, walk->us, &moves);
    tally(expander, board, walk->us, &moves, &walk->breakdown->rows[walk->ply]);
    if (walk->ply + 1 == walk->breakdown->depth)
        return;
    struct walk below = *walk;
    below.us = pm_opponent(walk->us);
    below.ply++;
    pm_visit_moves(expander, board, walk->us, &moves, visit, &below);
    walk->is_stopped = below.is_stopped;
}

/* ---- The first plies, until there is enough to share out ---- */

enum { ENOUGH_BOARDS = 2048 };

struct level {
    struct pm_bitboards *boards;
    size_t count, room;
    bool is_full; /* there was no memory for more */
};

static void add_board(void *context, const struct pm_bitboards *board, uint64_t captured)
{
    struct level *const level = context;
    (void)captured;
    if (level->count == level->room) {
        const size_t room = 2 * level->room + 64;
        struct pm_bitboards *const boards = aligned_alloc(sizeof *boards, room * sizeof *boards);
        level->is_full = level->is_full || boards == NULL;
        if (level->is_full)
            return;
        if (level->count > 0)
            memcpy(boards, level->boards, level->count * sizeof *boards);
        free(level->boards);
        level->boards = boards;
        level->room = room;
    }
    level->boards[level->count++] = *board;
}

/* A count that threads share. */
struct shared {
    const struct pm_breakdown_config *config;
    struct pm_breakdown *sum;
    struct level level;
    enum pm_color us; /* to move on its boards */
    int ply;
    size_t done;
    bool is_stopped;
};

static enum pm_status descend(struct shared *shared)
{
    const struct pm_expander *const expander = shared->config->kernel->expander;
    struct level next = {0};
    for (size_t i = 0; i < shared->level.count && !next.is_full; i++) {
        const struct pm_bitboards *const board = &shared->level.boards[i];
        struct pm_expansion moves;
        expander->expand(board, shared->us, &moves);
        tally(expander, board, shared->us, &moves, &shared->sum->rows[shared->ply]);
        pm_visit_moves(expander, board, shared->us, &moves, add_board, &next);
    }
    free(shared->level.boards);
    shared->level = next;
    shared->us = pm_opponent(shared->us);
    shared->ply++;
    return next.is_full ? PM_ERROR_MEMORY : PM_OK;
}

static bool count_board(void *context, size_t index, int thread)
{
    struct shared *const shared = context;
    struct pm_breakdown part = {.depth = shared->sum->depth};
    struct walk walk = {
        .config = shared->config, .breakdown = &part, .us = shared->us, .ply = shared->ply};
    (void)thread;
    visit(&walk, &shared->level.boards[index], 0);
#pragma omp critical(pm_breakdown_sum)
    {
        for (int i = 0; i < part.depth; i++)
            pm_breakdown_add_row(&part.rows[i], &shared->sum->rows[i]);
        shared->done++;
        shared->is_stopped = shared->is_stopped || walk.is_stopped;
        if (shared->config->progress != NULL)
            shared->config->progress(shared->config->context, shared->sum, shared->done,
                                     shared->level.count);
    }
    return !walk.is_stopped;
}

enum pm_status pm_breakdown_by_sets(const struct pm_breakdown_config *config,
                                    const struct pm_position *position,
                                    struct pm_breakdown *breakdown)
{
    struct shared shared = {
        .config = config, .sum = breakdown, .us = (enum pm_color)position->side_to_move};
    const struct pm_bitboards root = pm_bitboards_of(position);
    add_board(&shared.level, &root, 0);
    enum pm_status status = shared.level.is_full ? PM_ERROR_MEMORY : PM_OK;
    while (status == PM_OK && shared.ply < breakdown->depth && shared.level.count > 0 &&
           shared.level.count < ENOUGH_BOARDS)
        status = descend(&shared);
    if (status == PM_OK && shared.ply < breakdown->depth)
        pm_parallel_for(shared.level.count, config->threads, count_board, &shared);
    free(shared.level.boards);
    return status == PM_OK && shared.is_stopped ? PM_ERROR_INTERRUPTED : status;
}
