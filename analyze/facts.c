/* SPDX-License-Identifier: MIT */
#include "analyze/facts.h"

#include "analyze/exchange.h"
#include "analyze/pieces.h"
#include "core/bits.h"
#include "rules/material.h"

static void count_moves(const struct pm_view *view, struct pm_facts *facts)
{
    unsigned captures = 0, promotions = 0, castlings = 0, en_passant = 0;
    for (unsigned i = 0; i < view->move_count; i++) {
        const struct pm_move move = view->moves[i];
        captures += move.kind == PM_MOVE_CAPTURE;
        en_passant += move.kind == PM_MOVE_EN_PASSANT;
        castlings += move.kind == PM_MOVE_CASTLING;
        promotions += move.promotion != PM_NO_PIECE_TYPE;
    }
    facts->legal = view->move_count;
    facts->captures = captures + en_passant;
    facts->promotions = promotions;
    facts->castlings = castlings;
    facts->en_passant = en_passant;
    facts->checkers = pm_popcount(view->attacks.checkers);
    facts->pinned = pm_popcount(view->attacks.pinned);
}

/* The same from sets, when nobody has asked for the moves one by one. */
static void count_moves_by_sets(const struct pm_view *view, struct pm_facts *facts)
{
    const struct pm_bitboards *const board = view->board;
    const enum pm_color us = (enum pm_color)view->position.side_to_move;
    const enum pm_color enemy = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    struct pm_expansion moves;
    struct pm_check_squares squares;
    view->kernel->expander->expand(board, us, &moves);
    view->kernel->expander->find_check_squares(board, enemy, &squares);
    facts->checkers = pm_popcount(pm_checkers_of(board, enemy, &squares));
    facts->pinned = pm_popcount(squares.screens & board->pieces[us]);
    for (unsigned i = 0; i < moves.piece_count; i++) {
        facts->legal += pm_popcount(moves.pieces[i].targets);
        facts->captures += pm_popcount(moves.pieces[i].targets & board->pieces[enemy]);
    }
    const unsigned promoting_captures = pm_popcount(moves.left_captures & PM_BACK_RANKS) +
                                        pm_popcount(moves.right_captures & PM_BACK_RANKS);
    const unsigned promoting = promoting_captures + pm_popcount(moves.pushes & PM_BACK_RANKS);
    const unsigned captures = pm_popcount(moves.left_captures) + pm_popcount(moves.right_captures);
    facts->castlings = pm_popcount(moves.castling_rooks);
    facts->en_passant = pm_popcount(moves.en_passant_captors);
    facts->promotions = 4 * promoting;
    facts->captures += captures + 3 * promoting_captures + facts->en_passant;
    facts->legal += pm_popcount(moves.pushes) + pm_popcount(moves.double_pushes) + captures +
                    3 * promoting + facts->en_passant + facts->castlings;
}

static enum pm_verdict verdict_by_sets(const struct pm_view *view, const struct pm_facts *facts)
{
    if (facts->legal == 0)
        return facts->checkers != 0 ? PM_VERDICT_CHECKMATE : PM_VERDICT_STALEMATE;
    const bool is_weak = (view->board->pawns | view->board->straights) == 0;
    return is_weak && pm_material_is_insufficient(&view->position)
               ? PM_VERDICT_INSUFFICIENT_MATERIAL
               : PM_VERDICT_OPEN;
}

static void count_pieces(const struct pm_bitboards *board, struct pm_facts *facts)
{
    static const int pawns[PM_PIECE_TYPE_COUNT] = {0, 1, 3, 3, 5, 9, 0};
    static const unsigned phases[PM_PIECE_TYPE_COUNT] = {0, 0, 1, 1, 2, 4, 0};
    const uint64_t queens = board->diagonals & board->straights;
    const uint64_t sets[PM_PIECE_TYPE_COUNT] = {[PM_PAWN] = board->pawns,
                                                [PM_KNIGHT] = board->knights,
                                                [PM_BISHOP] = board->diagonals & ~queens,
                                                [PM_ROOK] = board->straights & ~queens,
                                                [PM_QUEEN] = queens};
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        for (int type = PM_PAWN; type <= PM_QUEEN; type++) {
            const unsigned count = pm_popcount(sets[type] & board->pieces[color]);
            facts->pieces[color][type] = count;
            facts->value[color] += pawns[type] * (int)count;
            facts->phase += phases[type] * count;
        }
        facts->pieces[color][PM_KING] = 1;
    }
    if (facts->phase > 24)
        facts->phase = 24;
}

static void find_attacks(const struct pm_pieces *pieces, enum pm_color color,
                         struct pm_facts *facts)
{
    const uint64_t *own = pieces->of[color];
    uint64_t attacked = pm_pawn_attacks(own[PM_PAWN], color) | pm_king_attacks(own[PM_KING]);
    unsigned mobility = 0;
    for (int type = PM_KNIGHT; type <= PM_QUEEN; type++) {
        for (uint64_t rest = own[type]; rest != 0;) {
            const uint64_t reach =
                pm_piece_attacks((enum pm_piece_type)type, pieces->occupied, pm_pop_lsb(&rest));
            attacked |= reach;
            mobility += pm_popcount(reach & ~own[PM_NO_PIECE_TYPE]);
        }
    }
    facts->attacked[color] = attacked;
    facts->mobility[color] = mobility;
}

static uint64_t hanging(const struct pm_pieces *pieces, enum pm_color color)
{
    const enum pm_color enemy = color == PM_WHITE ? PM_BLACK : PM_WHITE;
    uint64_t set = 0;
    for (uint64_t rest = pieces->of[color][PM_NO_PIECE_TYPE] & ~pieces->of[color][PM_KING];
         rest != 0;) {
        const pm_square square = (pm_square)pm_pop_lsb(&rest);
        if (pm_exchange_on_square(pieces, enemy, square) > 0)
            set |= pm_bit(square);
    }
    return set;
}

static void judge_exchanges(const struct pm_view *view, const struct pm_pieces *pieces,
                            struct pm_facts *facts)
{
    const enum pm_color side = (enum pm_color)view->position.side_to_move;
    const enum pm_color enemy = side == PM_WHITE ? PM_BLACK : PM_WHITE;
    facts->hanging[PM_WHITE] = hanging(pieces, PM_WHITE);
    facts->hanging[PM_BLACK] = hanging(pieces, PM_BLACK);
    for (unsigned i = 0; i < view->move_count; i++) {
        const struct pm_move *move = &view->moves[i];
        if (move->kind != PM_MOVE_CAPTURE && move->kind != PM_MOVE_EN_PASSANT)
            continue;
        const int value = pm_exchange_of_move(pieces, side, move);
        if (value > facts->best_exchange)
            facts->best_exchange = value;
        if (value > 0 && move->kind == PM_MOVE_EN_PASSANT)
            facts->hanging[enemy] |=
                pm_bit(pm_make_square(pm_file_of(move->to), pm_rank_of(move->from)));
    }
}

static void try_moves(struct pm_view *view, struct pm_facts *facts)
{
    for (unsigned i = 0; i < view->move_count; i++) {
        const struct pm_view_effect effect = pm_view_effect_of(view, &view->moves[i]);
        facts->checks += effect.check;
        facts->mates += effect.checkmate;
        facts->stalemates += effect.stalemate;
    }
}

void pm_facts_of(struct pm_view *view, unsigned parts, struct pm_facts *facts)
{
    const bool needs_moves = (parts & (PM_FACTS_CHECKS | PM_FACTS_DEAD | PM_FACTS_EXCHANGE)) != 0;
    *facts = (struct pm_facts){0};
    if (needs_moves)
        pm_view_look(view, NULL);
    if (!view->is_looked && (parts & (PM_FACTS_MOVES | PM_FACTS_VERDICT)) != 0)
        count_moves_by_sets(view, facts);
    else if (parts & PM_FACTS_MOVES)
        count_moves(view, facts);
    if (parts & PM_FACTS_CHECKS)
        try_moves(view, facts);
    if (!view->is_looked && (parts & PM_FACTS_VERDICT) != 0)
        facts->verdict = verdict_by_sets(view, facts);
    else if (parts & (PM_FACTS_VERDICT | PM_FACTS_DEAD))
        facts->verdict = pm_verdict_of(view, (parts & PM_FACTS_DEAD) != 0);
    if (parts & PM_FACTS_MATERIAL)
        count_pieces(view->board, facts);
    if (!(parts & (PM_FACTS_MOBILITY | PM_FACTS_EXCHANGE)))
        return;
    const struct pm_pieces pieces = pm_pieces_of(&view->position);
    if (parts & PM_FACTS_MOBILITY) {
        find_attacks(&pieces, PM_WHITE, facts);
        find_attacks(&pieces, PM_BLACK, facts);
    }
    if (parts & PM_FACTS_EXCHANGE)
        judge_exchanges(view, &pieces, facts);
}
