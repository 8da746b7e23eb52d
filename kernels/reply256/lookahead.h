/* SPDX-License-Identifier: MIT */
/* The last two plies counted together. First all our moves are put down as arrivals; then each of
 * their pieces tells how many moves it has, and how many more or fewer it has for those arrivals.
 */
#ifndef PM_REPLY256_LOOKAHEAD_H
#define PM_REPLY256_LOOKAHEAD_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/changes.h"
#include "kernels/reply256/generate.h"
#include "kernels/reply256/landings.h"
#include "kernels/reply256/parent.h"

#include <stdint.h>

/* ---- The plain way: for parents in check and for castlings of Chess960 ---- */

static uint64_t visit_reply(void *context, const struct board *after, struct pm_move move)
{
    (void)context;
    (void)move;
    return count_replies(after);
}
NOINLINE uint64_t count_two_plies_plainly(const struct board *board)
{
    return visit_moves((struct visitor){visit_reply, NULL}, board);
}

#define STANDARD_ROOKS 0x8100000000000081ULL
#define STANDARD_KINGS 0x1000000000000010ULL

/* Rights only get lost: what is standard at the root is so below. */
static int castles_as_in_chess960(const struct board *board)
{
    const uint64_t rooks = board->rights & (RANK(1) | RANK(8));
    const uint64_t ranks = (rooks & RANK(1) ? RANK(1) : 0) | (rooks & RANK(8) ? RANK(8) : 0);
    return (rooks & ~STANDARD_ROOKS) || (board->kings & ranks) != (STANDARD_KINGS & ranks);
}

/* ---- Our pieces ---- */

PM_ALWAYS_INLINE void set_plain(struct parent *parent, unsigned square, uint64_t plain)
{
    parent->landings[square] = plain;
    parent->landed |= plain ? pm_bit(square) : 0;
}

PM_ALWAYS_INLINE void land_alone(struct parent *parent, enum pm_piece_type type, uint64_t from,
                                 uint64_t targets)
{
    const uint64_t plain = land_bound_piece(parent, type, from, targets);
    add_arrivals(&parent->arrivals, (struct landings){plain, 0});
    set_plain(parent, pm_lsb(from), plain);
}

PM_ALWAYS_INLINE void land_pieces_of_type(struct parent *parent, enum pm_piece_type type,
                                          uint64_t pieces)
{
    const struct departure template = {&parent->lanes, type, 0, parent->their_pinned};
    uint64_t ones = 0, twos = 0;
    for (uint64_t rest = pieces; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t targets = parent->landings[square];
        if (lowest(rest) & parent->bound) {
            land_alone(parent, type, lowest(rest), targets);
            continue;
        }
        const uint64_t special = targets & parent->special[type];
        uint64_t plain = targets ^ special;
        if (special) {
            struct departure piece = template;
            piece.from = lowest(rest);
            plain |= land_specially(parent, &piece, special);
        }
        parent->arrivals.overflow |= ones & twos & plain;
        twos |= ones & plain;
        ones ^= plain;
        set_plain(parent, square, plain);
    }
    parent->by_type[type] = (struct landings){ones, twos};
}

/* Our pinned pieces keep the targets on their lines. */
PM_ALWAYS_INLINE uint64_t unpinned_targets(const struct parent *parent, unsigned square,
                                           uint64_t targets)
{
    return parent->our_pinned & pm_bit(square) ? targets & line_through(parent->our_king, square)
                                               : targets;
}

NOINLINE void restrict_pinned(struct parent *parent)
{
    for (uint64_t rest = parent->our_pinned & parent->movable; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        parent->landings[square] = unpinned_targets(parent, square, parent->landings[square]);
        if (!parent->landings[square])
            parent->movable ^= lowest(rest);
    }
}

PM_ALWAYS_INLINE void land_pieces(struct parent *parent)
{
    const struct board *board = parent->board;
    set_targets(parent, parent->our_king,
                tables.king[parent->our_king] & ~board->own & ~parent->their_attacks);
    if (parent->our_pinned)
        restrict_pinned(parent);

    const uint64_t movable = parent->movable;
    const uint64_t diagonals = board->diagonals & movable, straights = board->straights & movable;
    land_pieces_of_type(parent, PM_KNIGHT, board->knights & movable);
    land_pieces_of_type(parent, PM_BISHOP, diagonals & ~straights);
    land_pieces_of_type(parent, PM_ROOK, straights & ~diagonals);
    land_pieces_of_type(parent, PM_QUEEN, straights & diagonals);
    land_pieces_of_type(parent, PM_KING, board->kings & movable);
}

/* ---- Our pawns ---- */

PM_ALWAYS_INLINE uint64_t all_targets(struct pawn_targets targets)
{
    return targets.push | targets.double_push | targets.left | targets.right;
}

/* Pawns that move alone: pinned or bound. */
PM_ALWAYS_INLINE uint64_t single_pawns(const struct parent *parent)
{
    return parent->board->pawns & parent->board->own & ~RANK(7) &
           (parent->our_pinned | parent->bound);
}

PM_ALWAYS_INLINE uint64_t targets_of_pawn(const struct parent *parent, uint64_t from)
{
    return unpinned_targets(
        parent, pm_lsb(from),
        all_targets(pawn_targets(from, parent->occupied, parent->board->enemy)));
}

PM_ALWAYS_INLINE uint64_t land_pawn_specially(struct parent *parent, uint64_t from, uint64_t to)
{
    const struct departure piece = {&parent->lanes, PM_PAWN, from, parent->their_pinned};
    return land_specially(parent, &piece, to);
}

/* Landings of pawns on special squares; returns those that are plain but for what was added. */
NOINLINE struct pawn_targets land_pawns_specially(struct parent *parent,
                                                  struct pawn_targets targets)
{
    struct pawn_targets plain = {0, 0, 0, 0};
    uint64_t to;
    for (uint64_t rest = targets.push; (to = lowest(rest)); rest ^= to)
        plain.push |= land_pawn_specially(parent, down(to), to);
    for (uint64_t rest = targets.double_push; (to = lowest(rest)); rest ^= to)
        plain.double_push |= land_pawn_specially(parent, down(down(to)), to);
    for (uint64_t rest = targets.left; (to = lowest(rest)); rest ^= to)
        plain.left |= land_pawn_specially(parent, down_right(to), to);
    for (uint64_t rest = targets.right; (to = lowest(rest)); rest ^= to)
        plain.right |= land_pawn_specially(parent, down_left(to), to);
    return plain;
}

/* Pawns that are neither pinned nor bound nor promoting: all at once. */
PM_ALWAYS_INLINE struct pawn_targets land_free_pawns(struct parent *parent, uint64_t pawns)
{
    struct pawn_targets targets = pawn_targets(pawns, parent->occupied, parent->board->enemy);
    const uint64_t special = parent->special[PM_PAWN];
    if (all_targets(targets) & special) {
        const struct pawn_targets plain =
            land_pawns_specially(parent, restricted(targets, special));
        targets.push = (targets.push & ~special) | plain.push;
        targets.double_push = (targets.double_push & ~special) | plain.double_push;
        targets.left = (targets.left & ~special) | plain.left;
        targets.right = (targets.right & ~special) | plain.right;
    }
    const uint64_t ones = targets.push | targets.double_push | (targets.left ^ targets.right);
    const uint64_t twos = targets.left & targets.right;
    parent->by_type[PM_PAWN] = (struct landings){ones, twos};
    return targets;
}

/* The promotions of one pawn: it lands as another piece. That piece also looks through the pawn's
 * origin, so the lanes that see it are built without the pawn; and if their king sees the pawn,
 * each promotion is made. */
NOINLINE void land_promoting(struct parent *parent, uint64_t from, uint64_t targets)
{
    if (from & (parent->discoverers | parent->unveilers | parent->sight)) {
        for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++)
            parent->total +=
                count_one_by_one(parent->board, (enum pm_piece_type)type, from, targets);
        return;
    }
    struct departure piece = {&parent->lanes, PM_NO_PIECE_TYPE, from, parent->their_pinned};
    struct lanes lifted;
    if ((from & parent->lane_keepers) || in_sight_of_lanes(&parent->lanes, from)) {
        build_lanes_without(&lifted, parent, from);
        piece.lanes = &lifted;
    }
    for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++) {
        piece.type = (enum pm_piece_type)type;
        const uint64_t plain = land(parent, &piece, targets);
        add_arrivals(&parent->arrivals, (struct landings){plain, 0});
        add_departure(parent, from, plain);
    }
}

NOINLINE void count_our_en_passant(struct parent *parent)
{
    const struct board *board = parent->board;
    const struct view view = view_of(board);
    const uint64_t to = en_passant_target(board);
    for (uint64_t rest = en_passant_captors(board, &view, to); rest; rest = pm_without_lsb(rest)) {
        const struct board after = after_en_passant(board, lowest(rest), to);
        parent->total += count_replies(&after);
    }
}

/* Their en passant captures of a pawn that has just gone from `from` to `to`. */
NOINLINE unsigned count_en_passant_replies(const struct parent *parent, uint64_t from, uint64_t to)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    unsigned count = 0;
    for (uint64_t rest = beside(to) & board->pawns & board->enemy; rest;
         rest = pm_without_lsb(rest)) {
        const uint64_t occupied = (parent->occupied ^ from ^ lowest(rest)) | down(to);
        count += !((rook_attacks(king, occupied) & board->straights & board->own) |
                   (bishop_attacks(king, occupied) & board->diagonals & board->own));
    }
    return count;
}

/* Double pushes to a square beside a pawn of theirs may be answered en passant: surely if neither
 * pawn stands on a line between their king and a slider of ours, else one has to look. */
PM_ALWAYS_INLINE void add_en_passant_replies(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t theirs = board->pawns & board->enemy;
    const uint64_t pushed =
        pawn_targets(board->pawns & board->own, parent->occupied, 0).double_push;
    const uint64_t origins = down(down(pushed & beside(theirs)));
    if (!origins)
        return;
    if (!(origins & (parent->discoverers | parent->unveilers | parent->our_pinned)) &&
        !(theirs & parent->their_pinned)) {
        parent->total += pm_popcount(pushed & (theirs & ~FILE_A) >> 1) +
                         pm_popcount(pushed & (theirs & ~FILE_H) << 1);
        return;
    }
    for (uint64_t rest = origins; rest; rest = pm_without_lsb(rest)) {
        const uint64_t from = lowest(rest), to = up(up(from));
        if (unpinned_targets(parent, pm_lsb(from), to))
            parent->total += count_en_passant_replies(parent, from, to);
    }
}

PM_ALWAYS_INLINE struct pawn_targets land_pawns(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t pawns = board->pawns & board->own, single = single_pawns(parent);
    const struct pawn_targets targets = land_free_pawns(parent, pawns & ~RANK(7) & ~single);
    for (uint64_t rest = single; rest; rest = pm_without_lsb(rest))
        land_alone(parent, PM_PAWN, lowest(rest), targets_of_pawn(parent, lowest(rest)));
    for (uint64_t rest = pawns & RANK(7); rest; rest = pm_without_lsb(rest)) {
        const uint64_t promotions = targets_of_pawn(parent, lowest(rest));
        if (promotions)
            land_promoting(parent, lowest(rest), promotions);
    }
    add_en_passant_replies(parent);
    if (en_passant_target(board))
        count_our_en_passant(parent);
    return targets;
}

/* ---- Castling ---- */

NOINLINE unsigned count_replies_to_castling(const struct board *board, uint64_t king, uint64_t rook)
{
    const struct board after = after_castling(board, king, rook);
    return count_replies(&after);
}

/* If our king and rook have nothing to do with their pieces (a pawn before the rook aside), and
 * their king is far from our first rank and from the rook's new file, their replies are as many as
 * if we had passed. */
PM_ALWAYS_INLINE int castling_changes_little(const struct parent *parent, uint64_t rook)
{
    const struct board *board = parent->board;
    const uint64_t king = pm_bit(parent->our_king), their_king = pm_bit(parent->their_king);
    const unsigned rook_to = pm_lsb(castled_rook(king, rook));
    const uint64_t file = FILE_A << rook_to;
    const uint64_t zone = tables.king[parent->their_king] | (board->rights & RANK(8) ? RANK(8) : 0);
    return !((king | rook) & parent->bound) &&
           !(their_king & (RANK(1) | RANK(2) | RANK(3) | file)) &&
           !(rook_attacks(rook_to, parent->occupied) & file & zone);
}

PM_ALWAYS_INLINE void add_castling_of_ours(struct parent *parent, uint64_t rook)
{
    const uint64_t king = pm_bit(parent->our_king);
    if (!castling_changes_little(parent, rook)) {
        parent->total += count_replies_to_castling(parent->board, king, rook);
        return;
    }
    parent->total +=
        parent->now + count_king_replies_now(&parent->lanes, pm_bit(parent->their_king));
    if (rook & parent->pawns.front) /* the pawn before it may promote now */
        parent->total += 4;
}

PM_ALWAYS_INLINE void add_castlings_of_ours(struct parent *parent)
{
    const uint64_t rooks = own_castling_rooks(parent->board);
    const uint64_t attacked = parent->their_attacks, occupied = parent->occupied;
    if (rooks & FILE_H && !(occupied & 0x60) && !(attacked & 0x60))
        add_castling_of_ours(parent, RANK(1) & FILE_H);
    if (rooks & FILE_A && !(occupied & 0x0e) && !(attacked & 0x0c))
        add_castling_of_ours(parent, RANK(1) & FILE_A);
}

/* ---- All ---- */

PM_ALWAYS_INLINE struct arrivals sum_of_arrivals(const struct parent *parent)
{
    struct arrivals arrivals = parent->arrivals;
#pragma GCC unroll 6
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        add_arrivals(&arrivals, parent->by_type[type]);
    return arrivals;
}

NOINLINE uint64_t count_two_plies(const struct board *board)
{
    const struct view view = view_of(board);
    if (__builtin_expect(view.checkers != 0, 0))
        return count_two_plies_plainly(board);
    struct parent parent;
    parent.board = board;
    parent.occupied = view.occupied;
    parent.our_king = view.king;
    parent.their_king = pm_lsb(board->kings & board->enemy);
    parent.our_pinned = view.pinned;
    parent.arrivals = (struct arrivals){0, 0, 0, 0};
    parent.landed = 0;
    parent.total = 0;
    study(&parent);
    land_pieces(&parent);
    const struct pawn_targets pawns = land_pawns(&parent);
    add_castlings_of_ours(&parent);
    parent.total += count_all_king_replies(&parent.lanes, parent.by_type);
    const struct arrivals arrivals = sum_of_arrivals(&parent);
    if (__builtin_expect(arrivals.overflow != 0, 0))
        return count_two_plies_plainly(board);
    return parent.total + count_replies_of_pieces(&parent, &arrivals, pawns);
}

#endif
