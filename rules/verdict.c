/* SPDX-License-Identifier: MIT */
#include "rules/verdict.h"

#include "core/bits.h"
#include "core/move.h"
#include "core/position.h"
#include "rules/dead.h"
#include "rules/material.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pm_verdict_text(enum pm_verdict verdict)
{
    static const char *const texts[PM_VERDICT_COUNT] = {
        [PM_VERDICT_OPEN] = "open",
        [PM_VERDICT_CHECKMATE] = "checkmate",
        [PM_VERDICT_STALEMATE] = "stalemate",
        [PM_VERDICT_INSUFFICIENT_MATERIAL] = "insufficient material",
        [PM_VERDICT_DEAD_POSITION] = "dead position"};
    return verdict < PM_VERDICT_COUNT ? texts[verdict] : "unknown";
}

enum pm_verdict pm_verdict_of(struct pm_view *view, bool thorough)
{
    if (view->move_count == 0)
        return view->attacks.checkers != 0 ? PM_VERDICT_CHECKMATE : PM_VERDICT_STALEMATE;
    if (pm_material_is_insufficient(&view->position))
        return PM_VERDICT_INSUFFICIENT_MATERIAL;
    if (thorough && pm_dead_proof(view) != PM_DEAD_NOT_PROVED)
        return PM_VERDICT_DEAD_POSITION;
    return PM_VERDICT_OPEN;
}

/* ---- Reasons ---- */

struct sentence {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence, const char *format,
                                                      ...)
{
    const size_t room = PM_VERDICT_REASON_SIZE - sentence->used;
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(sentence->text + sentence->used, room, format, arguments);
    va_end(arguments);
    sentence->used += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static pm_square king_of(const struct pm_position *position, enum pm_color color)
{
    pm_square square = 0;
    while (square < PM_SQUARE_COUNT && position->board[square] != pm_make_piece(color, PM_KING))
        square++;
    return square;
}

/* "the king on h8 is attacked by the queen on g7 and the knight on f6" */
static void say_check(const struct pm_view *view, struct sentence *sentence)
{
    const struct pm_position *const position = &view->position;
    char square[3];
    uint64_t checkers = view->attacks.checkers;
    say(sentence, "the king on %s is attacked by ",
        pm_square_to_text(king_of(position, (enum pm_color)position->side_to_move), square));
    for (const char *link = ""; checkers != 0; link = " and ") {
        const pm_square checker = (pm_square)pm_pop_lsb(&checkers);
        say(sentence, "%sthe %s on %s", link, pm_piece_text(position->board[checker]),
            pm_square_to_text(checker, square));
    }
}

/* "king and two bishops" */
static void say_pieces(const struct pm_position *position, enum pm_color color,
                       struct sentence *sentence)
{
    unsigned knights = 0, bishops = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        knights += position->board[square] == pm_make_piece(color, PM_KNIGHT);
        bishops += position->board[square] == pm_make_piece(color, PM_BISHOP);
    }
    say(sentence, "king");
    if (knights > 0)
        say(sentence, " and knight");
    if (bishops == 1)
        say(sentence, " and bishop");
    if (bishops > 1)
        say(sentence, " and %u bishops", bishops);
}

static void say_material(const struct pm_position *position, struct sentence *sentence)
{
    unsigned bishops = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        bishops += pm_type_of(position->board[square]) == PM_BISHOP;
    say(sentence, "neither side can mate with ");
    say_pieces(position, PM_WHITE, sentence);
    say(sentence, " against ");
    say_pieces(position, PM_BLACK, sentence);
    if (bishops > 1)
        say(sentence, ", all bishops on squares of one color");
}

static void say_dead(const struct pm_view *view, struct sentence *sentence)
{
    if (pm_dead_proof(view) == PM_DEAD_WALL)
        say(sentence,
            "the pieces hold each other so that, whatever the moves, none reaches a square "
            "where it could help to mate");
    else
        say(sentence, "every line of play ends in stalemate or where neither side can mate");
}

char *pm_verdict_reason(struct pm_view *view, enum pm_verdict verdict,
                        char text[PM_VERDICT_REASON_SIZE])
{
    const char *const color = pm_color_text((enum pm_color)view->position.side_to_move);
    struct sentence sentence = {.text = text};
    text[0] = '\0';
    switch (verdict) {
    case PM_VERDICT_CHECKMATE:
        say_check(view, &sentence);
        say(&sentence, " and no move answers the check");
        break;
    case PM_VERDICT_STALEMATE:
        say(&sentence, "%s, to move, is not in check and has no legal move", color);
        break;
    case PM_VERDICT_INSUFFICIENT_MATERIAL:
        say_material(&view->position, &sentence);
        break;
    case PM_VERDICT_DEAD_POSITION:
        say_dead(view, &sentence);
        break;
    default:
        say(&sentence, "%s, to move, has %u legal move%s", color, view->move_count,
            view->move_count == 1 ? "" : "s");
        break;
    }
    return text;
}

/* ---- Castling ---- */

const char *pm_castling_obstacle_text(enum pm_castling_obstacle obstacle)
{
    switch (obstacle) {
    case PM_CASTLING_NO_RIGHT:
        return "the king or that rook has moved or was taken";
    case PM_CASTLING_OCCUPIED:
        return "a piece stands between king and rook or where one of them has to go";
    case PM_CASTLING_IN_CHECK:
        return "the king is in check";
    case PM_CASTLING_THROUGH:
        return "the king would cross an attacked square";
    case PM_CASTLING_INTO:
        return "the king would end on an attacked square";
    case PM_CASTLING_NOT_TURN:
        return "the other side is to move";
    default:
        return "nothing";
    }
}

static pm_square lower(pm_square a, pm_square b)
{
    return a < b ? a : b;
}

static pm_square higher(pm_square a, pm_square b)
{
    return a > b ? a : b;
}

/* Whether a piece other than this king and rook stands from one square to the other. */
static bool is_occupied(const struct pm_position *position, pm_square from, pm_square to,
                        pm_square king, pm_square rook)
{
    for (pm_square square = lower(from, to); square <= higher(from, to); square++) {
        if (square != king && square != rook && position->board[square] != PM_EMPTY)
            return true;
    }
    return false;
}

/* Attacks upon the king's way, the rook thought away. */
static unsigned attacks_on_way(const struct pm_position *position, pm_square king, pm_square target,
                               pm_square rook, enum pm_color enemy)
{
    struct pm_position without = *position;
    unsigned obstacles = 0;
    without.board[rook] = PM_EMPTY;
    for (pm_square square = lower(king, target); square <= higher(king, target); square++) {
        if (square != king && square != target && pm_position_is_attacked(&without, square, enemy))
            obstacles |= PM_CASTLING_THROUGH;
    }
    if (pm_position_is_attacked(&without, target, enemy))
        obstacles |= PM_CASTLING_INTO;
    return obstacles;
}

unsigned pm_castling_obstacles(const struct pm_position *position, enum pm_color color,
                               enum pm_castling_side side)
{
    const pm_square rook = position->castling_rook[color][side];
    if (rook == PM_NO_SQUARE)
        return PM_CASTLING_NO_RIGHT;
    const enum pm_color enemy = (enum pm_color)(1 - color);
    const pm_square king = king_of(position, color);
    const unsigned rank = pm_rank_of(king);
    const pm_square king_target = pm_make_square(side == PM_KINGSIDE ? 6 : 2, rank);
    const pm_square rook_target = pm_make_square(side == PM_KINGSIDE ? 5 : 3, rank);

    unsigned obstacles = attacks_on_way(position, king, king_target, rook, enemy);
    if (position->side_to_move != color)
        obstacles |= PM_CASTLING_NOT_TURN;
    if (is_occupied(position, king, king_target, king, rook) ||
        is_occupied(position, rook, rook_target, king, rook))
        obstacles |= PM_CASTLING_OCCUPIED;
    if (pm_position_is_attacked(position, king, enemy)) {
        obstacles |= PM_CASTLING_IN_CHECK;
        if (king == king_target)
            obstacles &= ~(unsigned)PM_CASTLING_INTO;
    }
    return obstacles;
}

/* ---- Evasions ---- */

enum pm_evasion pm_evasion_of(const struct pm_view *view, const struct pm_move *move)
{
    const uint64_t checkers = view->attacks.checkers;
    pm_square taken = move->to;
    if (checkers == 0)
        return PM_EVASION_NONE;
    if (move->kind == PM_MOVE_EN_PASSANT)
        taken = pm_make_square(pm_file_of(move->to), pm_rank_of(move->from));
    if (checkers & pm_bit(taken))
        return PM_EVASION_CAPTURE;
    return pm_type_of(view->position.board[move->from]) == PM_KING ? PM_EVASION_KING
                                                                   : PM_EVASION_BLOCK;
}
