/* SPDX-License-Identifier: MIT */
/* Landings that do more than block or capture, each counted in closed form, and pieces whose
 * leaving does more than lengthen a ray. Every function that is given landings adds what is special
 * about them to the total, and returns those that are left to be counted with all others. */
#ifndef PM_REPLY256_LANDINGS_H
#define PM_REPLY256_LANDINGS_H

#include "kernels/reply256/generate.h"
#include "kernels/reply256/lanes.h"
#include "kernels/reply256/parent.h"

#include <stdint.h>

/* A piece of ours on the move. */
struct departure {
    const struct lanes *lanes; /* with the piece gone */
    enum pm_piece_type type;   /* that it lands as */
    uint64_t from;
    uint64_t pinned; /* their pieces that are pinned once it has gone */
};

/* The moves one by one: made, and the replies counted. En passant replies are counted elsewhere. */
NOINLINE uint64_t count_one_by_one(const struct board *board, enum pm_piece_type type,
                                   uint64_t from, uint64_t targets)
{
    const uint64_t promoting = from & board->pawns & RANK(7);
    uint64_t count = 0;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const struct board after = promoting ? after_promotion(board, from, lowest(rest), type)
                                             : after_move(board, from, lowest(rest));
        count += count_replies(&after);
    }
    return count;
}

/* Whether their king can take what has just captured beside it. */
PM_ALWAYS_INLINE unsigned king_recaptures(const struct parent *parent, uint64_t from, uint64_t to)
{
    if (!(to & parent->once_attacked))
        return 0;
    if (to & parent->recapturable)
        return 1;
    const struct board *board = parent->board;
    const uint64_t occupied = parent->occupied ^ from;
    return !((rook_attacks(pm_lsb(to), occupied) & board->straights & board->own & ~from) |
             (bishop_attacks(pm_lsb(to), occupied) & board->diagonals & board->own & ~from));
}

/* How many of their `pieces` can move to a square (not with a pawn). */
PM_ALWAYS_INLINE unsigned count_arrivals(const struct board *board, uint64_t pieces,
                                         unsigned square, uint64_t occupied)
{
    return pm_popcount(tables.knight[square] & board->knights & pieces) +
           pm_popcount(rook_attacks(square, occupied) & board->straights & pieces) +
           pm_popcount(bishop_attacks(square, occupied) & board->diagonals & pieces);
}

/* Captures of the only checker and moves into its way, by pieces that may move freely. */
PM_ALWAYS_INLINE unsigned count_parries(const struct parent *parent, uint64_t pieces,
                                        uint64_t occupied, unsigned checker)
{
    const struct board *board = parent->board;
    const uint64_t pawns = board->pawns & pieces, set = pm_bit(checker);
    unsigned count = count_arrivals(board, pieces, checker, occupied) +
                     (set & RANK(1) ? 4 : 1) * pm_popcount(both_up(set) & pawns);
    const uint64_t way = tables.between[parent->their_king][checker];
    if (!way)
        return count;
    const uint64_t push = down(pawns) & ~occupied;
    const uint64_t double_push = down(push & RANK(6)) & ~occupied;
    count += pm_popcount(push & way) + 3 * pm_popcount(push & way & RANK(1)) +
             pm_popcount(double_push & way);
    for (uint64_t rest = way; rest; rest = pm_without_lsb(rest))
        count += count_arrivals(board, pieces, pm_lsb(rest), occupied);
    return count;
}

/* The squares behind their king as a slider sees it. */
PM_ALWAYS_INLINE uint64_t shadow_of_king(const struct parent *parent, unsigned slider)
{
    return tables.beyond[slider][parent->their_king];
}

PM_ALWAYS_INLINE int slides(enum pm_piece_type type)
{
    return type >= PM_BISHOP && type <= PM_QUEEN;
}

/* Replies to a check by the piece that lands on `to`. On its line with the king no piece behind it
 * is pinned any longer. */
NOINLINE unsigned count_replies_to_check(const struct parent *parent, const struct departure *piece,
                                         uint64_t to)
{
    const unsigned checker = pm_lsb(to);
    const uint64_t occupied = (parent->occupied ^ piece->from) | to;
    uint64_t pinned = piece->pinned;
    if (piece->type != PM_KNIGHT)
        pinned &= ~ray_through(parent->their_king, checker);
    const uint64_t shadow = slides(piece->type) ? shadow_of_king(parent, checker) : 0;
    const uint64_t pieces = parent->board->enemy & ~parent->board->kings & ~pinned & ~to;
    return count_king_escapes(piece->lanes, piece->type, to, shadow) +
           king_recaptures(parent, piece->from, to) +
           count_parries(parent, pieces, occupied, checker);
}

/* A slider lands beyond a piece of theirs on a line with their king, or takes what stood there:
 * that piece is pinned now. Returns the moves it loses. */
PM_ALWAYS_INLINE unsigned count_moves_lost_by_pin(const struct parent *parent, unsigned square)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t set = pm_bit(square);
    if (board->knights & set)
        return pm_popcount(tables.knight[square] & ~board->enemy);
    if (board->pawns & set) {
        const unsigned weight = set & RANK(2) ? 4 : 1;
        const uint64_t push = down(set) & ~parent->occupied;
        const uint64_t double_push = down(push & RANK(6)) & ~parent->occupied;
        const unsigned captures = weight * pm_popcount(both_down(set) & board->own);
        return (king & 7) == (square & 7) ? captures
                                          : captures + (push ? weight : 0) + (double_push != 0);
    }
    const uint64_t free = slider_attacks(board, square, parent->occupied) & ~board->enemy;
    const uint64_t movers = tables.rook_lines[king] & set ? board->straights : board->diagonals;
    if (!(movers & set))
        return pm_popcount(free);
    /* It keeps the squares to the king and those towards the pinning slider, whose landing its own
     * ray already answers for. */
    return pm_popcount(free & ~tables.beyond[king][square]) - (tables.distance[king][square] - 1U);
}

/* Landings on special squares: checks, new pins, captures that their king may answer. */
NOINLINE uint64_t land_specially(struct parent *parent, const struct departure *piece,
                                 uint64_t targets)
{
    const uint64_t checks = targets & parent->checks[piece->type];
    uint64_t plain = targets ^ checks, total = parent->total;
    for (uint64_t rest = checks; rest; rest = pm_without_lsb(rest))
        total += count_replies_to_check(parent, piece, lowest(rest));
    for (uint64_t rest = slides(piece->type) ? plain & parent->sight : 0; rest;
         rest = pm_without_lsb(rest)) {
        const uint64_t first = tables.between[parent->their_king][pm_lsb(rest)] & parent->occupied;
        if (!first) /* it stands on a line that this slider doesn't use */
            continue;
        if (reach_of_piece(parent, pm_lsb(first)) & piece->from) {
            total += count_one_by_one(parent->board, piece->type, piece->from, lowest(rest));
            plain ^= lowest(rest);
        } else {
            total -= count_moves_lost_by_pin(parent, pm_lsb(first));
        }
    }
    for (uint64_t rest = plain & parent->once_attacked & ~parent->recapturable; rest;
         rest = pm_without_lsb(rest))
        total += king_recaptures(parent, piece->from, lowest(rest));
    parent->total = total;
    return plain;
}

/* Our piece stands in the reach of pinned ones: where it frees one, that piece moves as if ours had
 * already left. */
NOINLINE void free_pinned_without(struct parent *parent, uint64_t from, uint64_t landings)
{
    const struct board *board = parent->board;
    for (unsigned i = 0; i < parent->pin_count; i++) {
        const uint64_t freeing = landings & parent->pin[i].freed_on;
        const unsigned pinned = parent->pin[i].pieces.theirs;
        if (freeing)
            parent->total += count_free_moves(board, pinned, board->own ^ from,
                                              parent->occupied ^ from, freeing) -
                             count_free_moves(board, pinned, board->own, parent->occupied, freeing);
    }
}

/* All landings of a piece by itself: their king's replies, and what is special. */
PM_ALWAYS_INLINE uint64_t land(struct parent *parent, const struct departure *piece,
                               uint64_t targets)
{
    const uint64_t special = targets & parent->special[piece->type];
    uint64_t plain = targets ^ special;
    if (special)
        plain |= land_specially(parent, piece, special);
    parent->total += count_king_replies(piece->lanes, piece->type, plain);
    if (piece->from & parent->touched_by_pinned)
        free_pinned_without(parent, piece->from, plain);
    return plain;
}

/* ---- Pieces on a line of their king ---- */

/* Leaving the line gives check from the slider behind. */
PM_ALWAYS_INLINE void count_discovered_checks(struct parent *parent, const struct departure *piece,
                                              uint64_t targets)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t opened = parent->occupied ^ piece->from, checks = parent->checks[piece->type];
    const uint64_t sliders = (rook_attacks(king, opened) & board->straights) |
                             (bishop_attacks(king, opened) & board->diagonals);
    const unsigned checker = pm_lsb(sliders & board->own & ray_through(king, pm_lsb(piece->from)));
    uint64_t freeing = 0;
    for (unsigned i = 0; i < parent->pin_count; i++)
        freeing |= parent->pin[i].freed_on;
    const uint64_t one_by_one =
        targets & ((parent->special[piece->type] & ~checks & ~parent->once_attacked) | freeing);
    for (uint64_t rest = targets & ~one_by_one; rest; rest = pm_without_lsb(rest)) {
        const uint64_t to = lowest(rest);
        uint64_t shadow = shadow_of_king(parent, checker);
        if (!(to & shadow))
            parent->total += king_recaptures(parent, piece->from, to);
        if (!(to & checks)) {
            const uint64_t pieces = board->enemy & ~board->kings & ~piece->pinned & ~to;
            parent->total += count_parries(parent, pieces, opened | to, checker);
        } else if (slides(piece->type)) {
            shadow |= shadow_of_king(parent, pm_lsb(to));
        }
        parent->total += count_king_escapes(piece->lanes, piece->type, to, shadow);
    }
    if (one_by_one)
        parent->total += count_one_by_one(board, piece->type, piece->from, one_by_one);
}

PM_ALWAYS_INLINE uint64_t land_discoverer(struct parent *parent, const struct departure *piece,
                                          uint64_t targets)
{
    const uint64_t line = line_through(parent->their_king, pm_lsb(piece->from));
    count_discovered_checks(parent, piece, targets & ~line);
    return land(parent, piece, targets & line);
}

/* Our slider pins a piece. Along the line the pin stays; off the line that piece is free. */
PM_ALWAYS_INLINE uint64_t land_pinner(struct parent *parent, struct departure *piece,
                                      uint64_t targets)
{
    const struct board *board = parent->board;
    const struct pin *pin = parent->pin;
    while (pm_bit(pin->pieces.ours) != piece->from)
        pin++;
    const unsigned pinned = pin->pieces.theirs;
    const uint64_t set = pm_bit(pinned), line = line_through(parent->their_king, pinned);
    const uint64_t own = board->own ^ piece->from, occupied = parent->occupied ^ piece->from;

    const uint64_t along = targets & line & ~set;
    if (along) {
        const uint64_t between = along & pin->freed_on;
        parent->total += pin->moves * (uint64_t)pm_popcount(between) -
                         count_free_moves(board, pinned, board->own, parent->occupied, between);
        parent->total += count_king_replies(piece->lanes, piece->type, along);
        for (uint64_t rest = along; rest; rest = pm_without_lsb(rest))
            parent->total += count_moves_along(board, pinned, line, own | lowest(rest),
                                               occupied | lowest(rest)) -
                             (uint64_t)pin->moves;
    }
    piece->pinned &= ~set;
    const uint64_t off = land(parent, piece, targets & ~along);
    parent->total += count_free_moves(board, pinned, own, occupied, off) -
                     pin->moves * (uint64_t)pm_popcount(off);
    return along | off;
}

/* Our piece and one of theirs stand between their king and our slider: off the line, theirs is
 * pinned. */
PM_ALWAYS_INLINE uint64_t land_unveiler(struct parent *parent, struct departure *piece,
                                        uint64_t targets)
{
    const struct board *board = parent->board;
    const struct line_pair *pair = parent->unveiler;
    while (pm_bit(pair->ours) != piece->from)
        pair++;
    const uint64_t set = pm_bit(pair->theirs), line = line_through(parent->their_king, pair->ours);
    const uint64_t own = board->own ^ piece->from, occupied = parent->occupied ^ piece->from;
    const uint64_t along = land(parent, piece, targets & line);
    piece->pinned |= set;
    const uint64_t off = land(parent, piece, targets & ~line);
    parent->total += pm_popcount(off & ~set) *
                         (uint64_t)count_moves_along(board, pair->theirs, line, own, occupied) -
                     count_free_moves(board, pair->theirs, own, occupied, off);
    return along | off;
}

/* A piece that lane_keepers, discoverers, pinners, unveilers or touched_by_pinned names. */
NOINLINE uint64_t land_bound_piece(struct parent *parent, enum pm_piece_type type, uint64_t from,
                                   uint64_t targets)
{
    struct departure piece = {&parent->lanes, type, from, parent->their_pinned};
    struct lanes lifted;
    const unsigned roles = (from & parent->discoverers ? 1U : 0U) +
                           (from & parent->pinners ? 1U : 0U) +
                           (from & parent->unveilers ? 1U : 0U);
    if (roles > 1) {
        parent->total += count_one_by_one(parent->board, type, from, targets);
        return 0;
    }
    if (from & parent->lane_keepers) {
        build_lanes_without(&lifted, parent, from);
        piece.lanes = &lifted;
    }
    if (from & parent->pinners)
        return land_pinner(parent, &piece, targets);
    if (from & parent->unveilers)
        return land_unveiler(parent, &piece, targets);
    if (from & parent->discoverers)
        return land_discoverer(parent, &piece, targets);
    return land(parent, &piece, targets);
}

#endif
