/* SPDX-License-Identifier: MIT */
#include "analyze/position_report.h"

#include "analyze/exchange.h"
#include "core/move.h"

#include <stdlib.h>

const char *pm_move_group_text(enum pm_move_group group)
{
    static const char *const texts[PM_GROUP_COUNT] = {"promotion", "en passant", "capture",
                                                      "castling",  "check",      "quiet"};
    return texts[group];
}

static enum pm_move_group group_of(const struct pm_reported_move *reported)
{
    if (reported->move.promotion != PM_NO_PIECE_TYPE)
        return PM_GROUP_PROMOTION;
    switch (reported->move.kind) {
    case PM_MOVE_EN_PASSANT:
        return PM_GROUP_EN_PASSANT;
    case PM_MOVE_CAPTURE:
        return PM_GROUP_CAPTURE;
    case PM_MOVE_CASTLING:
        return PM_GROUP_CASTLING;
    default:
        return reported->effect.check ? PM_GROUP_CHECK : PM_GROUP_QUIET;
    }
}

static int compare(const void *a, const void *b)
{
    const struct pm_reported_move *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    if (first->exchange != second->exchange && first->group <= PM_GROUP_CAPTURE)
        return first->exchange > second->exchange ? -1 : 1;
    return pm_move_compare(&first->move, &second->move);
}

static void report_moves(struct pm_position_report *report, const struct pm_pieces *pieces)
{
    struct pm_view *view = report->view;
    report->move_count = view->move_count;
    for (unsigned i = 0; i < view->move_count; i++) {
        struct pm_reported_move *reported = &report->moves[i];
        reported->move = view->moves[i];
        pm_san_write(view, &reported->move, reported->san);
        reported->exchange = pm_exchange_of_move(pieces, (enum pm_color)view->position.side_to_move,
                                                 &reported->move);
        reported->effect = pm_view_effect_of(view, &reported->move);
        reported->evasion = pm_evasion_of(view, &reported->move);
        reported->group = group_of(reported);
    }
    qsort(report->moves, report->move_count, sizeof report->moves[0], compare);
}

/* A pinned piece's enemy is the slider that would see the king without it. */
static void report_pins(struct pm_position_report *report, const struct pm_pieces *pieces)
{
    const enum pm_color side = (enum pm_color)report->view->position.side_to_move;
    const unsigned king = pm_lsb(pieces->of[side][PM_KING]);
    const uint64_t checkers = pm_sliders_on(pieces, pieces->occupied, king);
    report->pin_count = 0;
    for (uint64_t rest = report->view->attacks.pinned; rest != 0;) {
        const pm_square piece = (pm_square)pm_pop_lsb(&rest);
        const uint64_t pinners = pm_sliders_on(pieces, pieces->occupied & ~pm_bit(piece), king) &
                                 ~checkers & ~pieces->of[side][PM_NO_PIECE_TYPE];
        if (pinners != 0 && report->pin_count < 8)
            report->pins[report->pin_count++] =
                (struct pm_piece_pair){piece, (pm_square)pm_lsb(pinners)};
    }
}

/* Who attacks the king after the capture: the capturer on its way, both pawns gone. */
static pm_square en_passant_obstacle(const struct pm_pieces *pieces, enum pm_color side,
                                     pm_square from, pm_square to)
{
    const uint64_t captured = pm_bit(pm_make_square(pm_file_of(to), pm_rank_of(from)));
    const uint64_t occupied = (pieces->occupied & ~captured & ~pm_bit(from)) | pm_bit(to);
    const unsigned king = pm_lsb(pieces->of[side][PM_KING]);
    const uint64_t attackers =
        (pm_sliders_on(pieces, occupied, king) | pm_leapers_on(pieces, king)) & occupied &
        ~pieces->of[side][PM_NO_PIECE_TYPE];
    return attackers != 0 ? (pm_square)pm_lsb(attackers) : PM_NO_SQUARE;
}

static void report_en_passant(struct pm_position_report *report, const struct pm_pieces *pieces)
{
    const struct pm_position *position = &report->view->position;
    const enum pm_color side = (enum pm_color)position->side_to_move;
    const enum pm_color enemy = side == PM_WHITE ? PM_BLACK : PM_WHITE;
    report->en_passant_count = 0;
    if (position->en_passant == PM_NO_SQUARE)
        return;
    uint64_t pawns =
        pm_pawn_attacks(pm_bit(position->en_passant), enemy) & pieces->of[side][PM_PAWN];
    while (pawns != 0) {
        const pm_square from = (pm_square)pm_pop_lsb(&pawns);
        report->en_passant[report->en_passant_count++] = (struct pm_piece_pair){
            from, en_passant_obstacle(pieces, side, from, position->en_passant)};
    }
}

static void report_hanging(struct pm_position_report *report, const struct pm_pieces *pieces)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        const enum pm_color enemy = color == PM_WHITE ? PM_BLACK : PM_WHITE;
        for (uint64_t rest = report->facts.hanging[color]; rest != 0;) {
            const pm_square square = (pm_square)pm_pop_lsb(&rest);
            report->at_stake[square] = pm_exchange_on_square(pieces, enemy, square);
        }
    }
    for (unsigned i = 0; i < report->move_count; i++) {
        const struct pm_reported_move *reported = &report->moves[i];
        if (reported->group != PM_GROUP_EN_PASSANT)
            continue;
        int *stake = &report->at_stake[pm_make_square(pm_file_of(reported->move.to),
                                                      pm_rank_of(reported->move.from))];
        if (reported->exchange > *stake)
            *stake = reported->exchange;
    }
}

/* One position may take its time. */
static void report_chances(struct pm_position_report *report)
{
    const uint32_t limit = PM_HELPMATE_LIMITS.cramped;
    struct pm_helpmate helpmate;
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        pm_helpmate_find(report->view, (enum pm_color)color,
                         (struct pm_helpmate_limits){.open = limit, .cramped = limit}, &helpmate);
        report->chances[color] = helpmate.chance;
    }
}

void pm_position_report_make(struct pm_position_report *report)
{
    struct pm_view *view = report->view;
    const struct pm_pieces pieces = pm_pieces_of(&view->position);
    pm_facts_of(view,
                PM_FACTS_MOVES | PM_FACTS_CHECKS | PM_FACTS_DEAD | PM_FACTS_MATERIAL |
                    PM_FACTS_MOBILITY | PM_FACTS_EXCHANGE,
                &report->facts);
    pm_verdict_reason(view, report->facts.verdict, report->reason);
    report_chances(report);
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            report->castling[color][side] = pm_castling_obstacles(
                &view->position, (enum pm_color)color, (enum pm_castling_side)side);
    report_pins(report, &pieces);
    report_en_passant(report, &pieces);
    report_moves(report, &pieces);
    report_hanging(report, &pieces);
}
