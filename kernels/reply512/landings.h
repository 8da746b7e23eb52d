/* SPDX-License-Identifier: MIT */
/* Landings that do more than block or capture, each counted in closed form, and the pieces whose
 * leaving does more than lengthen a ray. All of this is rare and stays out of line. */
#ifndef PM_REPLY512_LANDINGS_H
#define PM_REPLY512_LANDINGS_H

#include "kernels/reply512/corrections.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/relations.h"

#include <stdint.h>

/* Moves of one piece: the vector that counts the replies to them, and what goes with it. */
struct departure {
    const struct parent *parent;
    const struct king_lanes *lanes;
    enum pm_piece_type type; /* that it lands as */
    uint64_t from;
    uint64_t pinned; /* their pieces that are pinned once it has gone */
    __m512i landing; /* replies without the king's, with the piece gone */
    __m512i replies; /* all */
};

/* The moves one by one: made, and the replies counted. En passant replies are counted elsewhere. */
PM_ALWAYS_INLINE uint64_t count_one_by_one_as(const struct parent *parent, enum pm_color us,
                                              enum pm_piece_type type, uint64_t from,
                                              uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        struct board child;
        after_move(&child, parent->board, us, type, from, rest & -rest);
        count += count_replies(&child, us);
    }
    return count;
}
NOINLINE uint64_t count_one_by_one_white(const struct parent *parent, enum pm_piece_type type,
                                         uint64_t from, uint64_t targets)
{
    return count_one_by_one_as(parent, PM_WHITE, type, from, targets);
}
NOINLINE uint64_t count_one_by_one_black(const struct parent *parent, enum pm_piece_type type,
                                         uint64_t from, uint64_t targets)
{
    return count_one_by_one_as(parent, PM_BLACK, type, from, targets);
}
PM_ALWAYS_INLINE uint64_t count_one_by_one(const struct parent *parent, enum pm_color us,
                                           enum pm_piece_type type, uint64_t from, uint64_t targets)
{
    return us == PM_WHITE ? count_one_by_one_white(parent, type, from, targets)
                          : count_one_by_one_black(parent, type, from, targets);
}

/* Whether their king can take what has just captured beside it: not if a slider stands behind it.
 */
PM_ALWAYS_INLINE unsigned king_recaptures(const struct parent *parent, uint64_t from, uint64_t to)
{
    if (!(to & parent->once_attacked))
        return 0;
    if (to & parent->recapturable)
        return 1;
    const uint64_t occupied = parent->occupied ^ from, own = parent->own ^ from;
    return !((rook_attacks(pm_lsb(to), occupied) & parent->board->straights & own) |
             (bishop_attacks(pm_lsb(to), occupied) & parent->board->diagonals & own));
}

/* How many of `pieces` can move to a square (not with a pawn). */
PM_ALWAYS_INLINE unsigned count_arrivals(const struct board *board, uint64_t pieces,
                                         unsigned square, uint64_t occupied)
{
    return pm_popcount(tables.knight[square] & board->knights & pieces) +
           pm_popcount(rook_attacks(square, occupied) & board->straights & pieces) +
           pm_popcount(bishop_attacks(square, occupied) & board->diagonals & pieces);
}

/* Captures of the only checker and moves into its way, by pieces that may move freely. */
PM_ALWAYS_INLINE unsigned count_parries(const struct parent *parent, enum pm_color us,
                                        uint64_t pieces, uint64_t occupied, unsigned checker)
{
    const enum pm_color them = opponent(us);
    const struct board *board = parent->board;
    const uint64_t pawns = board->pawns & pieces, last = rank_of(them, 8);
    unsigned count =
        count_arrivals(board, pieces, checker, occupied) +
        (pm_bit(checker) & last ? 4 : 1) * pm_popcount(tables.pawn[us][checker] & pawns);
    const uint64_t way = tables.between[parent->their_king][checker];
    if (!way)
        return count;
    const uint64_t push = forward(them, pawns) & ~occupied;
    const uint64_t double_push = forward(them, push & rank_of(them, 3)) & ~occupied;
    count += pm_popcount(push & way) + 3 * pm_popcount(push & way & last) +
             pm_popcount(double_push & way);
    for (uint64_t rest = way; rest; rest = pm_without_lsb(rest))
        count += count_arrivals(board, pieces, pm_lsb(rest), occupied);
    return count;
}

PM_ALWAYS_INLINE uint64_t behind_king(const struct parent *parent, unsigned slider)
{
    return ray_away_from(parent->their_king, slider);
}

/* Their steps out of check to squares that are not theirs, as lanes; `forbidden` lies behind the
 * king as a slider sees it. */
PM_ALWAYS_INLINE unsigned count_king_escapes(const struct departure *move, uint64_t to,
                                             uint64_t forbidden)
{
    const uint64_t near = tables.king[move->parent->their_king];
    const uint32_t unsafe =
        lanes_hit_from(move->lanes, move->type, to) | (uint32_t)_pext_u64(forbidden, near);
    return pm_popcount(move->lanes->steps & ~unsafe);
}

/* Replies to a check by the piece that lands on `to`. On its line with the king no piece behind it
 * is pinned any longer. */
PM_ALWAYS_INLINE unsigned count_replies_to_check(const struct departure *move, enum pm_color us,
                                                 uint64_t to)
{
    const struct parent *parent = move->parent;
    const unsigned checker = pm_lsb(to);
    const uint64_t occupied = (parent->occupied ^ move->from) | to;
    uint64_t pinned = move->pinned, forbidden = 0;
    if (move->type != PM_KNIGHT)
        pinned &= ~ray_through(parent->their_king, checker);
    if (move->type != PM_KNIGHT && move->type != PM_PAWN)
        forbidden = behind_king(parent, checker);
    const uint64_t pieces = parent->enemy & ~parent->board->kings & ~pinned & ~to;
    return count_king_escapes(move, to, forbidden) + king_recaptures(parent, move->from, to) +
           count_parries(parent, us, pieces, occupied, checker);
}

/* A slider lands on `to`, beyond a piece of theirs on a line with their king, or takes what stood
 * there: that piece is pinned now. The moves it loses: those that leave the line. */
PM_ALWAYS_INLINE unsigned moves_lost_by_pin(const struct parent *parent, enum pm_color us,
                                            uint64_t from, uint64_t to, unsigned square)
{
    const enum pm_color them = opponent(us);
    const struct board *board = parent->board;
    const uint64_t set = pm_bit(square), off_line = ~tables.line[parent->their_king][square];
    const uint64_t occupied = (parent->occupied ^ from) | to, enemy = parent->enemy & ~to;
    if (board->knights & set)
        return pm_popcount(tables.knight[square] & ~enemy);
    if (board->pawns & set) {
        const unsigned weight = set & rank_of(them, 7) ? 4 : 1;
        const uint64_t push = forward(them, set) & ~occupied & off_line;
        const uint64_t double_push = forward(them, push & rank_of(them, 3)) & ~occupied;
        const uint64_t captures = tables.pawn[them][square] & occupied & ~enemy & off_line;
        return weight * (pm_popcount(captures) + pm_popcount(push)) + pm_popcount(double_push);
    }
    return pm_popcount(slider_attacks(board, square, occupied) & ~enemy & off_line);
}

/* Landings on special squares: checks first, then new pins; the vector holds for the rest. */
PM_ALWAYS_INLINE uint64_t count_special_landings_as(const struct departure *move, enum pm_color us,
                                                    uint64_t targets)
{
    const struct parent *parent = move->parent;
    const uint64_t checks = parent->checks[move->type];
    const uint8_t *replies = (const uint8_t *)&move->replies;
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        const unsigned square = pm_lsb(rest);
        if (to & checks) {
            count += count_replies_to_check(move, us, to);
            continue;
        }
        count += replies[square];
        if (to & parent->sight && move->type != PM_PAWN && move->type != PM_KNIGHT &&
            move->type != PM_KING) {
            const uint64_t first = tables.between[parent->their_king][square] & parent->occupied;
            if (first) /* none if it stands on a line that this slider doesn't use */
                count -= moves_lost_by_pin(parent, us, move->from, to, pm_lsb(first));
        }
        if (to & ~parent->recapturable)
            count += king_recaptures(parent, move->from, to);
    }
    return count;
}
NOINLINE uint64_t count_special_landings_white(const struct departure *move, uint64_t targets)
{
    return count_special_landings_as(move, PM_WHITE, targets);
}
NOINLINE uint64_t count_special_landings_black(const struct departure *move, uint64_t targets)
{
    return count_special_landings_as(move, PM_BLACK, targets);
}
PM_ALWAYS_INLINE uint64_t count_special_landings(const struct departure *move, enum pm_color us,
                                                 uint64_t targets)
{
    return us == PM_WHITE ? count_special_landings_white(move, targets)
                          : count_special_landings_black(move, targets);
}

/* The eight sums of eight bytes each. */
PM_ALWAYS_INLINE __m512i sums_on(__m512i replies, uint64_t targets)
{
    return _mm512_sad_epu8(_mm512_maskz_mov_epi8(targets, replies), _mm512_setzero_si512());
}

/* Landings that are not special. */
PM_ALWAYS_INLINE uint64_t count_plain_landings(const struct departure *move, uint64_t targets)
{
    return (uint64_t)_mm512_reduce_add_epi64(sums_on(move->replies, targets));
}

PM_ALWAYS_INLINE uint64_t count_landings_as(struct departure *move, enum pm_color us,
                                            uint64_t targets)
{
    if (!targets)
        return 0;
    move->replies = _mm512_add_epi8(move->landing, count_king_replies(move->lanes, move->type));
    const uint64_t special = targets & move->parent->special[move->type];
    const uint64_t count = special ? count_special_landings(move, us, special) : 0;
    return count + count_plain_landings(move, targets ^ special);
}

NOINLINE uint64_t count_landings_white(struct departure *move, uint64_t targets)
{
    return count_landings_as(move, PM_WHITE, targets);
}
NOINLINE uint64_t count_landings_black(struct departure *move, uint64_t targets)
{
    return count_landings_as(move, PM_BLACK, targets);
}
PM_ALWAYS_INLINE uint64_t count_landings(struct departure *move, enum pm_color us, uint64_t targets)
{
    return us == PM_WHITE ? count_landings_white(move, targets)
                          : count_landings_black(move, targets);
}

/* ---- Pieces on a line of their king ---- */

/* Leaving the line gives check from the slider behind. */
PM_ALWAYS_INLINE uint64_t count_discovered_checks(const struct departure *move, enum pm_color us,
                                                  uint64_t targets)
{
    const struct parent *parent = move->parent;
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t opened = parent->occupied ^ move->from;
    const unsigned checker = pm_lsb(((rook_attacks(king, opened) & board->straights) |
                                     (bishop_attacks(king, opened) & board->diagonals)) &
                                    ray_through(king, pm_lsb(move->from)) & parent->own);
    const uint64_t checks = parent->checks[move->type];
    const uint64_t one_by_one =
        targets &
        ((parent->special[move->type] & ~checks & ~parent->once_attacked) | parent->pin_squares);
    uint64_t count = 0;
    for (uint64_t rest = targets & ~one_by_one; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = rest & -rest;
        uint64_t forbidden = behind_king(parent, checker);
        if (!(to & forbidden))
            count += king_recaptures(parent, move->from, to);
        if (to & checks) {
            if (move->type != PM_KNIGHT && move->type != PM_PAWN)
                forbidden |= behind_king(parent, pm_lsb(to));
        } else {
            const uint64_t pieces = parent->enemy & ~board->kings & ~move->pinned & ~to;
            count += count_parries(parent, us, pieces, opened | to, checker);
        }
        count += count_king_escapes(move, to, forbidden);
    }
    if (one_by_one)
        count += count_one_by_one(parent, us, move->type, move->from, one_by_one);
    return count;
}

/* Our slider pins a piece. Off the line that piece is free; along it the pin stays. */
PM_ALWAYS_INLINE uint64_t count_moves_of_pinner(struct departure *move, enum pm_color us,
                                                uint64_t targets)
{
    const enum pm_color them = opponent(us);
    const struct parent *parent = move->parent;
    const struct board *board = parent->board;
    const unsigned king = parent->their_king, slider = pm_lsb(move->from);
    const struct pin *pin = parent->pins;
    while (pin->pieces.ours != slider)
        pin++;
    const unsigned pinned = pin->pieces.theirs;
    const uint64_t set = pm_bit(pinned), line = tables.line[king][slider];
    const uint64_t own = parent->own ^ move->from, occupied = parent->occupied ^ move->from;
    const __m512i without_pinned = _mm512_sub_epi8(move->landing, bytes(pin->moves));
    uint64_t count = 0;

    const uint64_t along = targets & line & ~set;
    if (along) {
        move->landing =
            subtract_on(without_pinned, tables.between[king][slider] & ~set, pin->freeing);
        move->replies = _mm512_add_epi8(move->landing, count_king_replies(move->lanes, move->type));
        count += count_plain_landings(move, along);
        for (uint64_t rest = along; rest; rest = pm_without_lsb(rest))
            count += pinned_moves_of_piece(board, them, pinned, line, own | (rest & -rest),
                                           occupied | (rest & -rest));
    }
    move->pinned &= ~set;
    move->landing =
        _mm512_add_epi8(without_pinned, moves_of_piece(board, them, pinned, own, occupied));
    return count + count_landings(move, us, targets & (~line | set));
}

/* Our piece and one of theirs stand between their king and our slider: off the line, theirs is
 * pinned. */
PM_ALWAYS_INLINE uint64_t count_moves_of_unveiler(struct departure *move, enum pm_color us,
                                                  uint64_t targets)
{
    const enum pm_color them = opponent(us);
    const struct parent *parent = move->parent;
    const struct board *board = parent->board;
    const unsigned square = pm_lsb(move->from);
    const struct line_pair *pair = parent->unveiler;
    while (pair->ours != square)
        pair++;
    const uint64_t set = pm_bit(pair->theirs), line = tables.line[parent->their_king][square];
    uint64_t count = count_landings(move, us, targets & line);
    const uint64_t own = parent->own ^ move->from, occupied = parent->occupied ^ move->from;
    const __m512i moves =
        bytes(pinned_moves_of_piece(board, them, pair->theirs, line, own, occupied));
    move->landing =
        _mm512_sub_epi8(move->landing, moves_of_piece(board, them, pair->theirs, own, occupied));
    move->landing = add_on(move->landing, ~set, moves);
    move->pinned |= set;
    return count + count_landings(move, us, targets & ~line);
}

/* The piece stands in the reach of pinned ones: where it frees one, that piece moves as if ours had
 * already left. */
PM_ALWAYS_INLINE __m512i freed_without(__m512i landing, const struct parent *parent,
                                       enum pm_color us, uint64_t from)
{
    for (unsigned i = 0; i < parent->pin_count; i++) {
        const struct pin *pin = &parent->pins[i];
        const unsigned pinned = pin->pieces.theirs;
        const __m512i freeing =
            _mm512_sub_epi8(moves_of_piece(parent->board, opponent(us), pinned, parent->own ^ from,
                                           parent->occupied ^ from),
                            bytes(pin->moves));
        landing =
            add_on(landing, tables.between[parent->their_king][pin->pieces.ours] & ~pm_bit(pinned),
                   _mm512_sub_epi8(freeing, pin->freeing));
    }
    return landing;
}

/* A piece that lane_keepers, discoverers, pinners, unveilers or touched_by_pinned names. */
PM_ALWAYS_INLINE uint64_t count_bound_piece_as(const struct parent *parent, enum pm_color us,
                                               enum pm_piece_type type, uint64_t from,
                                               uint64_t targets)
{
    struct departure move = {.parent = parent,
                             .lanes = &parent->lanes,
                             .type = type,
                             .from = from,
                             .pinned = parent->their_pinned,
                             .landing =
                                 after_departure(parent->mobility.landing, parent, us, from)};
    struct king_lanes lifted;
    const unsigned roles = (from & parent->discoverers ? 1U : 0U) +
                           (from & parent->pinners ? 1U : 0U) +
                           (from & parent->unveilers ? 1U : 0U);
    if (roles > 1)
        return count_one_by_one(parent, us, type, from, targets);
    if (from & parent->touched_by_pinned)
        move.landing = freed_without(move.landing, parent, us, from);
    if (from & parent->lane_keepers) {
        build_lanes_without(&lifted, parent, us, from);
        move.lanes = &lifted;
    }
    if (from & parent->pinners)
        return count_moves_of_pinner(&move, us, targets);
    if (from & parent->unveilers)
        return count_moves_of_unveiler(&move, us, targets);
    uint64_t count = 0;
    if (from & parent->discoverers) {
        const uint64_t line = tables.line[parent->their_king][pm_lsb(from)];
        count = count_discovered_checks(&move, us, targets & ~line);
        targets &= line;
    }
    return count + count_landings(&move, us, targets);
}
NOINLINE uint64_t count_bound_piece_white(const struct parent *parent, enum pm_piece_type type,
                                          uint64_t from, uint64_t targets)
{
    return count_bound_piece_as(parent, PM_WHITE, type, from, targets);
}
NOINLINE uint64_t count_bound_piece_black(const struct parent *parent, enum pm_piece_type type,
                                          uint64_t from, uint64_t targets)
{
    return count_bound_piece_as(parent, PM_BLACK, type, from, targets);
}
PM_ALWAYS_INLINE uint64_t count_bound_piece(const struct parent *parent, enum pm_color us,
                                            enum pm_piece_type type, uint64_t from,
                                            uint64_t targets)
{
    return us == PM_WHITE ? count_bound_piece_white(parent, type, from, targets)
                          : count_bound_piece_black(parent, type, from, targets);
}

/* ---- Pawns' own ---- */

/* Promotions where their king sees the pawn: what it becomes may look at the king through its
 * origin. */
PM_ALWAYS_INLINE uint64_t count_promotions_one_by_one(const struct parent *parent, enum pm_color us,
                                                      uint64_t from, uint64_t targets)
{
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest))
        for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
            struct board child;
            after_promotion(&child, parent->board, us, (enum pm_piece_type)type, from,
                            rest & -rest);
            count += count_replies(&child, us);
        }
    return count;
}

/* The promotions of one pawn: it lands as another piece. That piece also looks through the pawn's
 * origin, so the lanes that see it are built without the pawn. */
PM_ALWAYS_INLINE uint64_t count_promotions_as(const struct parent *parent, enum pm_color us,
                                              uint64_t from, uint64_t targets)
{
    if (from & (parent->discoverers | parent->unveilers | parent->sight))
        return count_promotions_one_by_one(parent, us, from, targets);
    struct king_lanes lifted;
    struct departure move = {
        .parent = parent,
        .lanes = &parent->lanes,
        .from = from,
        .pinned = parent->their_pinned,
        .landing = after_departure(parent->mobility.landing, parent, us, from),
    };
    if (from & parent->touched_by_pinned)
        move.landing = freed_without(move.landing, parent, us, from);
    if ((from & parent->lane_keepers) || in_sight_of_lanes(&parent->lanes, from)) {
        build_lanes_without(&lifted, parent, us, from);
        move.lanes = &lifted;
    }
    uint64_t count = 0;
    for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
        move.type = (enum pm_piece_type)type;
        count += count_landings(&move, us, targets);
    }
    return count;
}
NOINLINE uint64_t count_promotions_white(const struct parent *parent, uint64_t from,
                                         uint64_t targets)
{
    return count_promotions_as(parent, PM_WHITE, from, targets);
}
NOINLINE uint64_t count_promotions_black(const struct parent *parent, uint64_t from,
                                         uint64_t targets)
{
    return count_promotions_as(parent, PM_BLACK, from, targets);
}
PM_ALWAYS_INLINE uint64_t count_promotions(const struct parent *parent, enum pm_color us,
                                           uint64_t from, uint64_t targets)
{
    return us == PM_WHITE ? count_promotions_white(parent, from, targets)
                          : count_promotions_black(parent, from, targets);
}

/* Their en passant captures of a pawn that has just gone from `from` to `to`. */
PM_ALWAYS_INLINE unsigned count_en_passant_replies(const struct parent *parent, enum pm_color us,
                                                   uint64_t from, uint64_t to)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t pawns = beside(to) & board->pawns & parent->enemy;
    unsigned count = 0;
    for (uint64_t rest = pawns; rest; rest = pm_without_lsb(rest)) {
        const uint64_t occupied = (parent->occupied ^ from ^ (rest & -rest)) | back(us, to);
        count += !((rook_attacks(king, occupied) & board->straights & parent->own) |
                   (bishop_attacks(king, occupied) & board->diagonals & parent->own));
    }
    return count;
}

#endif
