/* SPDX-License-Identifier: MIT */
/* Legal moves only. One survey from the king finds checkers, pinned pieces and the squares the king
 * may step on; pinned pieces leave their lists meanwhile, so that the loops over the lists need no
 * test. */
#ifndef PM_KERNELS_X88_GENERATE_H
#define PM_KERNELS_X88_GENERATE_H

#include "core/bits.h"
#include "core/board.h"
#include "kernels/x88/attack.h"
#include "kernels/x88/position.h"

#include <stdbool.h>
#include <stdint.h>

static const int8_t knight_step[8] = {-33, -31, -18, -14, 14, 18, 31, 33};

struct pin {
    uint8_t square;
    int8_t step; /* from the king towards the pinning slider */
};

struct survey {
    x88_square king;
    unsigned
        safe; /* bits of the zone that the enemy does not attack; steps onto own pieces are out */
    unsigned checkers;  /* how many */
    x88_square checker; /* one of them */
    unsigned castling;  /* the rights whose squares are clear of pieces */
    unsigned pins;
    struct pin pin[KING_STEPS];
};

/* Where moves go: to a list, or they are only counted. */
struct sink {
    x88_move *moves; /* room for one more than the longest list; NULL: count */
    unsigned count;
};

PM_ALWAYS_INLINE void emit_if(struct sink *sink, x88_square from, x88_square to, unsigned kind,
                              bool legal)
{
    if (sink->moves)
        sink->moves[sink->count] = (unsigned)from | (unsigned)to << 8 | kind << 16;
    sink->count += legal;
}

PM_ALWAYS_INLINE x88_square first_piece(const struct x88 *x, x88_square s, x88_square step)
{
    do
        s += step;
    while (piece_at(x, s) == EMPTY);
    return s;
}

/* Whether nothing stands between a slider on s and a target on one of its lines. */
PM_ALWAYS_INLINE bool reaches(const struct x88 *x, x88_square s, x88_square target)
{
    return first_piece(x, target, step_towards(s, target)) == s;
}

/* Whether a piece of one type and color attacks the target. */
PM_ALWAYS_INLINE bool type_attacks(const struct x88 *x, bool black, enum pm_piece_type type,
                                   x88_square target)
{
    const unsigned id = list_id(piece_of(black, type));
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square s = x->list[id][i];
        if (zone(type, s, target) & ON_KING &&
            (type == PM_KNIGHT || type == PM_KING || reaches(x, s, target)))
            return true;
    }
    return false;
}

/* Whether `black` attacks the target. Pawns are looked up on the board, so that a pawn just taken
 * away from it does not count. */
static inline bool is_attacked(const struct x88 *x, bool black, x88_square target)
{
    const x88_square back = target - (black ? -NORTH : NORTH);
    const unsigned pawn = piece_of(black, PM_PAWN);
    return piece_at(x, back - EAST) == pawn || piece_at(x, back + EAST) == pawn ||
           type_attacks(x, black, PM_KNIGHT, target) || type_attacks(x, black, PM_KING, target) ||
           type_attacks(x, black, PM_BISHOP, target) || type_attacks(x, black, PM_ROOK, target) ||
           type_attacks(x, black, PM_QUEEN, target);
}

static inline bool castling_is_clear(const struct x88 *x, const struct castling *castling)
{
    for (x88_square s = castling->low; s <= castling->high; s++)
        if (piece_at(x, s) != EMPTY && s != castling->king && s != castling->rook)
            return false;
    return true;
}

/* ---- survey ---- */

PM_ALWAYS_INLINE unsigned zone_of_all(const struct x88 *x, bool black, enum pm_piece_type type,
                                      x88_square king)
{
    const unsigned id = list_id(piece_of(black, type)), kind = kind_of(black, type);
    unsigned bits = 0;
    for (unsigned i = 0, n = x->length[id]; i < n; i++)
        bits |= zone(kind, x->list[id][i], king);
    return bits;
}

static inline void find_checkers(const struct x88 *x, bool black, enum pm_piece_type type,
                                 struct survey *survey)
{
    const unsigned id = list_id(piece_of(black, type)), kind = kind_of(black, type);
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        if (zone(kind, x->list[id][i], survey->king) & ON_KING) {
            survey->checkers++;
            survey->checker = x->list[id][i];
        }
    }
}

/* A slider on s is in line with the king: does it give check, or pin a piece? */
PM_ALWAYS_INLINE void look_from_king(struct x88 *x, bool black, x88_square s, struct survey *survey)
{
    const x88_square step = step_towards(s, survey->king),
                     first = first_piece(x, survey->king, step);
    if (first == s) {
        survey->checkers++;
        survey->checker = s;
    } else if (is_own_or_guard(piece_at(x, first), black) && first_piece(x, first, step) == s) {
        survey->pin[survey->pins++] = (struct pin){(uint8_t)first, (int8_t)step};
        delist(x, piece_at(x, first), first);
        x->place[first] = OFF_LIST;
    }
}

PM_ALWAYS_INLINE void survey_sliders(struct x88 *x, bool black, enum pm_piece_type type,
                                     struct survey *survey)
{
    const unsigned id = list_id(piece_of(!black, type));
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square s = x->list[id][i];
        unsigned seen = zone(type, s, survey->king) & survey->safe;
        if (seen & ON_KING)
            look_from_king(x, black, s, survey);
        for (seen &= ~(unsigned)ON_KING; seen != 0; seen &= seen - 1) {
            const unsigned step = (unsigned)__builtin_ctz(seen);
            if (reaches(x, s, survey->king + zone_step[step]))
                survey->safe &= ~(1U << step);
        }
    }
}

/* Castling whose squares are clear has the zone watch the king's way. */
PM_ALWAYS_INLINE void survey_castling(const struct x88 *x, bool black, struct survey *survey)
{
    for (enum pm_castling_side side = PM_KINGSIDE; side < PM_CASTLING_SIDE_COUNT; side++) {
        const struct castling *castling = &x->castling[black][side];
        if (x->rights & castling_right(black, side) && castling_is_clear(x, castling)) {
            survey->castling |= castling_right(black, side);
            survey->safe |= castling->path;
        }
    }
}

/* Looks at all that bears on the king of `black`, the side to move. Pinned pieces leave their
 * lists: enlist_pinned() must follow. */
PM_ALWAYS_INLINE void survey_king(struct x88 *x, bool black, struct survey *survey)
{
    const x88_square king = king_square(x, black);
    unsigned blocked = 0, attacked = zone(PM_KING, king_square(x, !black), king);
    for (unsigned i = 0; i < KING_STEPS; i++)
        blocked |= (unsigned)is_own_or_guard(piece_at(x, king + zone_step[i]), black) << i;
    attacked |= zone_of_all(x, !black, PM_KNIGHT, king);
    attacked |= zone_of_all(x, !black, PM_PAWN, king);

    survey->king = king;
    survey->safe = (~blocked & ALL_STEPS) | ON_KING;
    survey->castling = survey->checkers = survey->pins = 0;
    survey->checker = NO_SQUARE;
    if (x->rights & (castling_right(black, PM_KINGSIDE) | castling_right(black, PM_QUEENSIDE)))
        survey_castling(x, black, survey);
    survey->safe &= ~attacked | ON_KING;
    if (attacked & ON_KING) {
        find_checkers(x, !black, PM_KNIGHT, survey);
        find_checkers(x, !black, PM_PAWN, survey);
    }
    /* With the king lifted, the squares behind it on a slider's line are seen as attacked. */
    set_cell(x, king, EMPTY);
    survey_sliders(x, black, PM_BISHOP, survey);
    survey_sliders(x, black, PM_ROOK, survey);
    survey_sliders(x, black, PM_QUEEN, survey);
    set_cell(x, king, piece_of(black, PM_KING));
}

PM_ALWAYS_INLINE void enlist_pinned(struct x88 *x, const struct survey *survey)
{
    for (unsigned i = 0; i < survey->pins; i++)
        enlist(x, piece_at(x, survey->pin[i].square), survey->pin[i].square);
}

/* ---- generation ---- */

/* Moves along one line up to and with the first enemy. */
PM_ALWAYS_INLINE void slide(const struct x88 *x, bool black, x88_square from, x88_square step,
                            struct sink *sink)
{
    x88_square to = from + step;
    for (; piece_at(x, to) == EMPTY; to += step)
        emit_if(sink, from, to, ORDINARY, true);
    emit_if(sink, from, to, ORDINARY, is_enemy(piece_at(x, to), black));
}

PM_ALWAYS_INLINE void slide_all(const struct x88 *x, bool black, enum pm_piece_type type,
                                struct sink *sink)
{
    const unsigned id = list_id(piece_of(black, type));
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square from = x->list[id][i];
        if (type != PM_BISHOP) {
            slide(x, black, from, -NORTH, sink);
            slide(x, black, from, -EAST, sink);
            slide(x, black, from, EAST, sink);
            slide(x, black, from, NORTH, sink);
        }
        if (type != PM_ROOK) {
            slide(x, black, from, -NORTH - EAST, sink);
            slide(x, black, from, -NORTH + EAST, sink);
            slide(x, black, from, NORTH - EAST, sink);
            slide(x, black, from, NORTH + EAST, sink);
        }
    }
}

PM_ALWAYS_INLINE void knights(const struct x88 *x, bool black, struct sink *sink)
{
    const unsigned id = list_id(piece_of(black, PM_KNIGHT));
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square from = x->list[id][i];
        for (unsigned j = 0; j < 8; j++) {
            const x88_square to = from + knight_step[j];
            emit_if(sink, from, to, ORDINARY, !is_own_or_guard(piece_at(x, to), black));
        }
    }
}

PM_ALWAYS_INLINE void promote_if(struct sink *sink, x88_square from, x88_square to, bool legal)
{
    for (unsigned type = PROMOTION_FIRST; type <= PM_QUEEN; type++)
        emit_if(sink, from, to, type, legal);
}

/* A pawn's moves, less those that its pin forbids; en passant is apart. */
PM_ALWAYS_INLINE void pawn_moves(const struct x88 *x, bool black, x88_square from, bool push,
                                 bool west, bool east, struct sink *sink)
{
    const x88_square forward = black ? -NORTH : NORTH, to = from + forward;
    push &= piece_at(x, to) == EMPTY;
    west &= is_enemy(piece_at(x, to - EAST), black);
    east &= is_enemy(piece_at(x, to + EAST), black);
    if ((to & 0x70) == home_rank(!black)) {
        promote_if(sink, from, to, push);
        promote_if(sink, from, to - EAST, west);
        promote_if(sink, from, to + EAST, east);
        return;
    }
    const bool start = (from & 0x70) == home_rank(black) + forward;
    emit_if(sink, from, to, ORDINARY, push);
    emit_if(sink, from, to - EAST, ORDINARY, west);
    emit_if(sink, from, to + EAST, ORDINARY, east);
    emit_if(sink, from, to + forward, DOUBLE_PUSH,
            push & start & (piece_at(x, to + forward) == EMPTY));
}

PM_ALWAYS_INLINE void pawns(const struct x88 *x, bool black, struct sink *sink)
{
    const unsigned id = list_id(piece_of(black, PM_PAWN));
    for (unsigned i = 0, n = x->length[id]; i < n; i++)
        pawn_moves(x, black, x->list[id][i], true, true, true, sink);
}

PM_ALWAYS_INLINE void king_moves(const struct survey *survey, struct sink *sink)
{
    for (unsigned i = 0; i < KING_STEPS; i++)
        emit_if(sink, survey->king, survey->king + zone_step[i], ORDINARY, survey->safe >> i & 1);
}

/* A pinned piece moves along the line of the pin, or not at all: a knight can't, a bishop or rook
 * can if it attacks the next square of that line. */
PM_ALWAYS_INLINE void pinned_piece(const struct x88 *x, bool black, struct pin pin,
                                   struct sink *sink)
{
    const x88_square from = pin.square, step = pin.step, forward = black ? -NORTH : NORTH;
    const unsigned type = piece_at(x, from) & 7;
    if (type == PM_PAWN) {
        pawn_moves(x, black, from, step == NORTH || step == -NORTH, step == forward - EAST,
                   step == forward + EAST, sink);
    } else if (zone(type, step, 0) & ON_KING) {
        slide(x, black, from, step, sink);
        slide(x, black, from, -step, sink);
    }
}

/* The one test by trial, because two pieces may leave a line at once, and no pin tells of it:
 *
 *     4  R . . p P . . k      After d4xe3 in passing the fourth rank is open. */
static inline bool en_passant_is_legal(struct x88 *x, bool black, x88_square from)
{
    const x88_square to = x->en_passant, victim = to - (black ? -NORTH : NORTH);
    const unsigned pawn = piece_at(x, from), taken = piece_at(x, victim);
    set_cell(x, from, EMPTY);
    set_cell(x, victim, EMPTY);
    set_cell(x, to, pawn);
    const bool legal = !is_attacked(x, !black, king_square(x, black));
    set_cell(x, to, EMPTY);
    set_cell(x, victim, taken);
    set_cell(x, from, pawn);
    return legal;
}

PM_ALWAYS_INLINE void en_passant(struct x88 *x, bool black, struct sink *sink)
{
    const x88_square to = x->en_passant, beside = to - (black ? -NORTH : NORTH);
    for (x88_square from = beside - EAST; from <= beside + EAST; from += 2 * EAST)
        if (piece_at(x, from) == piece_of(black, PM_PAWN))
            emit_if(sink, from, to, EN_PASSANT, en_passant_is_legal(x, black, from));
}

/* The king is not in check and the squares are clear. A castling rook that is pinned (by a slider
 * behind it on the rank) must stay: the king would land on the slider's line. */
PM_ALWAYS_INLINE bool castling_is_legal(const struct x88 *x, bool black, enum pm_castling_side side,
                                        const struct survey *survey)
{
    const struct castling *castling = &x->castling[black][side];
    if (x->place[castling->rook] == OFF_LIST)
        return false;
    if (castling->path != 0)
        return (survey->safe & castling->path) == castling->path;
    const x88_square king_to = castled_king(black, side);
    const x88_square step = king_to < castling->king ? -EAST : EAST;
    for (x88_square s = castling->king; s != king_to; s += step)
        if (is_attacked(x, !black, s + step))
            return false;
    return true;
}

PM_ALWAYS_INLINE void castling_moves(const struct x88 *x, bool black, const struct survey *survey,
                                     struct sink *sink)
{
    for (enum pm_castling_side side = PM_KINGSIDE; side < PM_CASTLING_SIDE_COUNT; side++)
        if (survey->castling & castling_right(black, side))
            emit_if(sink, survey->king, x->castling[black][side].rook, CASTLING,
                    castling_is_legal(x, black, side, survey));
}

/* Moves of the free pieces of one type to one square. */
PM_ALWAYS_INLINE void pieces_to(const struct x88 *x, bool black, enum pm_piece_type type,
                                x88_square to, struct sink *sink)
{
    const unsigned id = list_id(piece_of(black, type));
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square from = x->list[id][i];
        if (zone(type, from, to) & ON_KING)
            emit_if(sink, from, to, ORDINARY, type == PM_KNIGHT || reaches(x, from, to));
    }
}

PM_ALWAYS_INLINE void pawns_to(const struct x88 *x, bool black, x88_square to, struct sink *sink)
{
    const unsigned id = list_id(piece_of(black, PM_PAWN)), kind = kind_of(black, PM_PAWN);
    const x88_square forward = black ? -NORTH : NORTH;
    const bool capture = piece_at(x, to) != EMPTY;
    for (unsigned i = 0, n = x->length[id]; i < n; i++) {
        const x88_square from = x->list[id][i];
        if (capture ? (zone(kind, from, to) & ON_KING) != 0 : from + forward == to) {
            if ((to & 0x70) == home_rank(!black))
                promote_if(sink, from, to, true);
            else
                emit_if(sink, from, to, ORDINARY, true);
        } else if (!capture && from + 2 * forward == to) {
            emit_if(sink, from, to, DOUBLE_PUSH,
                    (from & 0x70) == home_rank(black) + forward &&
                        piece_at(x, from + forward) == EMPTY);
        }
    }
}

/* Takes the only checker or steps between. Pinned pieces can't help: their line and the checker's
 * meet at the king only. */
PM_ALWAYS_INLINE void evasions(const struct x88 *x, bool black, const struct survey *survey,
                               struct sink *sink)
{
    const unsigned type = piece_at(x, survey->checker) & 7;
    const bool slider = type == PM_BISHOP || type == PM_ROOK || type == PM_QUEEN;
    const x88_square step = step_towards(survey->checker, survey->king);
    x88_square to = slider ? survey->king + step : survey->checker;
    for (;; to += step) {
        pieces_to(x, black, PM_KNIGHT, to, sink);
        pieces_to(x, black, PM_BISHOP, to, sink);
        pieces_to(x, black, PM_ROOK, to, sink);
        pieces_to(x, black, PM_QUEEN, to, sink);
        pawns_to(x, black, to, sink);
        if (to == survey->checker)
            return;
    }
}

/* All legal moves of `black`, the side to move. The position is as it was at the end, but for the
 * order of its lists. */
PM_ALWAYS_INLINE void generate(struct x88 *x, bool black, struct sink *sink)
{
    struct survey survey;
    survey_king(x, black, &survey);
    king_moves(&survey, sink);
    if (__builtin_expect(survey.checkers == 0, true)) {
        pawns(x, black, sink);
        knights(x, black, sink);
        slide_all(x, black, PM_BISHOP, sink);
        slide_all(x, black, PM_ROOK, sink);
        slide_all(x, black, PM_QUEEN, sink);
        for (unsigned i = 0; i < survey.pins; i++)
            pinned_piece(x, black, survey.pin[i], sink);
        if (survey.castling != 0)
            castling_moves(x, black, &survey, sink);
    } else if (survey.checkers == 1) {
        evasions(x, black, &survey, sink);
    }
    if (x->en_passant != NO_SQUARE)
        en_passant(x, black, sink);
    enlist_pinned(x, &survey);
}

#endif
