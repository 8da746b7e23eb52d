/* SPDX-License-Identifier: MIT */
/* A position's report for programs: one JSON object whose names stay. */
#include "analyze/position_report.h"

#include "core/bits.h"
#include "core/fen.h"
#include "core/move.h"

#include <jansson.h>

static const char *color_name(unsigned color)
{
    return color == PM_WHITE ? "white" : "black";
}

static json_t *square_json(pm_square square)
{
    char text[3];
    return json_string(pm_square_to_text(square, text));
}

static json_t *squares_json(uint64_t set)
{
    json_t *squares = json_array();
    while (set != 0)
        json_array_append_new(squares, square_json((pm_square)pm_pop_lsb(&set)));
    return squares;
}

static json_t *piece_json(const struct pm_position_report *report, pm_square square)
{
    return json_pack("{s:o, s:s}", "square", square_json(square), "piece",
                     pm_piece_text(report->view->position.board[square]));
}

static json_t *uci_json(const struct pm_position_report *report, const struct pm_move *move)
{
    char text[PM_MOVE_TEXT_SIZE];
    return json_string(pm_move_to_text(
        move, report->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET, text));
}

static json_t *warnings_json(unsigned warnings)
{
    json_t *texts = json_array();
    for (unsigned bit = 1; bit != 0; bit <<= 1)
        if (warnings & bit)
            json_array_append_new(texts, json_string(pm_fen_warning_text(bit)));
    return texts;
}

static json_t *last_move_json(const struct pm_position_report *report)
{
    if (!report->has_last_move)
        return json_null();
    return json_pack("{s:o, s:s}", "uci", uci_json(report, &report->last_move.move), "san",
                     report->last_move.san);
}

static json_t *checkers_json(const struct pm_position_report *report)
{
    json_t *checkers = json_array();
    for (uint64_t rest = report->view->attacks.checkers; rest != 0;)
        json_array_append_new(checkers, piece_json(report, (pm_square)pm_pop_lsb(&rest)));
    return checkers;
}

static json_t *pinned_json(const struct pm_position_report *report)
{
    json_t *pinned = json_array();
    for (unsigned i = 0; i < report->pin_count; i++) {
        json_t *pin = piece_json(report, report->pins[i].piece);
        json_object_set_new(pin, "by", piece_json(report, report->pins[i].enemy));
        json_array_append_new(pinned, pin);
    }
    return pinned;
}

static json_t *castling_json(const struct pm_position_report *report)
{
    json_t *castlings = json_array();
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const unsigned obstacles = report->castling[color][side];
            json_t *texts = json_array();
            for (unsigned rest = obstacles; rest != 0; rest &= rest - 1)
                json_array_append_new(texts, json_string(pm_castling_obstacle_text(
                                                 (enum pm_castling_obstacle)(rest & -rest))));
            json_array_append_new(castlings,
                                  json_pack("{s:s, s:s, s:b, s:o}", "color", color_name(color),
                                            "castling", side == PM_KINGSIDE ? "O-O" : "O-O-O",
                                            "legal", obstacles == 0, "obstacles", texts));
        }
    }
    return castlings;
}

static json_t *en_passant_json(const struct pm_position_report *report)
{
    const pm_square square = report->view->position.en_passant;
    if (square == PM_NO_SQUARE)
        return json_null();
    json_t *pawns = json_array();
    for (unsigned i = 0; i < report->en_passant_count; i++) {
        const struct pm_piece_pair *pair = &report->en_passant[i];
        const bool legal = pair->enemy == PM_NO_SQUARE;
        json_array_append_new(pawns,
                              json_pack("{s:o, s:b, s:o}", "from", square_json(pair->piece),
                                        "legal", legal, "king_attacked_by",
                                        legal ? json_null() : piece_json(report, pair->enemy)));
    }
    return json_pack("{s:o, s:b, s:o}", "square", square_json(square), "legal",
                     report->facts.en_passant != 0, "pawns", pawns);
}

static json_t *pieces_json(const struct pm_facts *facts, unsigned color)
{
    json_t *pieces = json_object();
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        json_object_set_new(pieces, pm_piece_text((pm_piece)type),
                            json_integer((json_int_t)facts->pieces[color][type]));
    return pieces;
}

static json_t *hanging_json(const struct pm_position_report *report, unsigned color)
{
    json_t *hanging = json_array();
    for (uint64_t rest = report->facts.hanging[color]; rest != 0;) {
        const pm_square square = (pm_square)pm_pop_lsb(&rest);
        json_t *piece = piece_json(report, square);
        json_object_set_new(piece, "exchange_centipawns", json_integer(report->at_stake[square]));
        json_array_append_new(hanging, piece);
    }
    return hanging;
}

static json_t *side_json(const struct pm_position_report *report, unsigned color)
{
    const struct pm_facts *facts = &report->facts;
    return json_pack("{s:o, s:i, s:o, s:i, s:o, s:s}", "pieces", pieces_json(facts, color),
                     "value_pawns", facts->value[color], "attacked",
                     squares_json(facts->attacked[color]), "mobility", (int)facts->mobility[color],
                     "hanging", hanging_json(report, color), "mate_by_any_moves",
                     pm_mate_chance_text(report->chances[color]));
}

static json_t *move_json(const struct pm_position_report *report,
                         const struct pm_reported_move *reported)
{
    static const char *const answers[] = {
        [PM_EVASION_KING] = "king", [PM_EVASION_BLOCK] = "block", [PM_EVASION_CAPTURE] = "capture"};
    const struct pm_move *move = &reported->move;
    const bool captures = move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT;
    json_t *object = json_pack(
        "{s:o, s:s, s:s, s:b, s:b, s:b, s:b, s:i}", "uci", uci_json(report, move), "san",
        reported->san, "group", pm_move_group_text(reported->group), "capture", captures, "check",
        reported->effect.check, "checkmate", reported->effect.checkmate, "stalemate",
        reported->effect.stalemate, "exchange_centipawns", reported->exchange);
    if (reported->evasion != PM_EVASION_NONE)
        json_object_set_new(object, "answers_check_by", json_string(answers[reported->evasion]));
    return object;
}

static json_t *moves_json(const struct pm_position_report *report)
{
    json_t *moves = json_array();
    for (unsigned i = 0; i < report->move_count; i++)
        json_array_append_new(moves, move_json(report, &report->moves[i]));
    return moves;
}

static json_t *counts_json(const struct pm_facts *facts)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "legal", (int)facts->legal,
                     "captures", (int)facts->captures, "promotions", (int)facts->promotions,
                     "castlings", (int)facts->castlings, "en_passant", (int)facts->en_passant,
                     "checks", (int)facts->checks, "checkmates", (int)facts->mates, "stalemates",
                     (int)facts->stalemates);
}

static json_t *report_json(const struct pm_position_report *report)
{
    const struct pm_position *position = &report->view->position;
    const struct pm_facts *facts = &report->facts;
    char fen[PM_FEN_SIZE];
    pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
    return json_pack(
        "{s:s, s:b, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, "
        "s:o}",
        "fen", fen, "chess960", report->chess960, "warnings", warnings_json(report->warnings),
        "side_to_move", color_name(position->side_to_move), "last_move", last_move_json(report),
        "verdict", pm_verdict_text(facts->verdict), "reason", report->reason, "checkers",
        checkers_json(report), "pinned", pinned_json(report), "castling", castling_json(report),
        "en_passant", en_passant_json(report), "balance_pawns",
        facts->value[PM_WHITE] - facts->value[PM_BLACK], "phase", (int)facts->phase,
        "best_exchange_centipawns", facts->best_exchange, "white", side_json(report, PM_WHITE),
        "black", side_json(report, PM_BLACK), "counts", counts_json(facts), "moves",
        moves_json(report));
}

enum pm_status pm_position_report_write_json(const struct pm_position_report *report, FILE *file,
                                             struct pm_error *error)
{
    json_t *json = report_json(report);
    if (json == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no JSON could be made of the report");
    const bool written = json_dumpf(json, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF &&
                         fflush(file) == 0;
    json_decref(json);
    return written ? PM_OK : pm_fail(error, PM_ERROR_IO, "the JSON report could not be written");
}
