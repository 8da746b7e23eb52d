/* SPDX-License-Identifier: MIT */
/* The last two plies: each of our moves is made in registers, and their legal replies are counted.
 * What a move leaves as it was is carried over from the position before it. */
#ifndef PM_BYTEBOARD_REPLIES_H
#define PM_BYTEBOARD_REPLIES_H

#include "kernels/byteboard/lifted.h"

/* ---- Our piece has landed: their replies ---- */

/* Moves of their knights and sliders, no piece pinned. A landing on an empty square ends the rays
 * that pass it; a captured piece's moves are gone, but those who guarded it may capture now. */
PM_ALWAYS_INLINE unsigned count_mobility(const struct parent *parent, const struct lifted *lifted,
                                         enum pm_color them, unsigned to, int captures)
{
    const bytes around = look_from(to, lifted->pieces);
    const bytes their_color = all_bytes(color_bit(them));
    const uint64_t sight = in_sight(pieces_on(around));
    const uint64_t open = _mm512_mask_testn_epi8_mask(tables.on_board[to], around, their_color);
    const unsigned directions = lifted->directions[to];
    if (!captures)
        return lifted->mobility -
               pm_popcount(sight & _mm512_mask_test_epi8_mask(open, all_bytes(directions),
                                                              load_bytes(tables.ray_bit)));
    const uint64_t knights =
        bytes_with(around, KNIGHT) & ~open & tables.on_board[to] & KNIGHT_LANES;
    return lifted->mobility + pm_popcount(directions) + pm_popcount(knights) -
           pm_popcount((sight | KNIGHT_LANES) & open & reach(parent->board->piece[to]));
}

/* Which of the squares watched around their king we attack: bits of their numbers. */
PM_ALWAYS_INLINE uint64_t attacked_squares(const struct parent *parent, const struct lifted *lifted,
                                           unsigned to)
{
    const bytes lanes = lanes_watched(parent, to);
    const bytes stops = _mm512_or_si512(lifted->occupied_watched, lanes);
    const bytes below = _mm512_sub_epi8(stops, _mm512_set1_epi8(1));
    const bytes knights = _mm512_set1_epi64((long long)KNIGHT_LANES);
    const bytes sight = _mm512_ternarylogic_epi64(stops, below, knights, 0xbe); /* (a ^ b) | c */
    const bytes landing = _mm512_set1_epi64((long long)lifted->lanes);
    const bytes attackers = _mm512_ternarylogic_epi64(lifted->attackers_watched, lanes, landing,
                                                      0xf8); /* a | (b & c) */
    return _mm512_test_epi64_mask(sight, attackers);
}

/* What a landing makes of the position. */
struct landed {
    bytes pieces;
    uint64_t ours, theirs;
    struct king_view view; /* their king's */
};

/* Moves that pinned pieces would have off their rays. */
PM_ALWAYS_INLINE unsigned count_moves_lost_by_pins(const struct parent *parent,
                                                   const struct landed *child, enum pm_color them)
{
    const unsigned king = parent->their_king;
    unsigned lost = 0;
    for (uint64_t rest = child->view.pinners; rest; rest = pm_without_lsb(rest)) {
        const unsigned ray = pm_lsb(rest) / 8;
        const unsigned square = tables.square_of[king][pinned_lane(&child->view, ray)];
        const unsigned piece = parent->board->piece[square];
        if (piece & PAWN) {
            lost += count_pawn_moves(them, pm_bit(square), child->ours | child->theirs, child->ours,
                                     ~tables.ray[king][ray]);
            continue;
        }
        const bytes around = look_from(square, child->pieces);
        const uint64_t moves = (in_sight(pieces_on(around)) | KNIGHT_LANES) & reach(piece) &
                               tables.on_board[square] & ~pieces_of(around, them);
        lost += pm_popcount(moves & ~(ray_lanes(ray) | ray_lanes(ray ^ 4)));
    }
    return lost;
}

PM_ALWAYS_INLINE unsigned count_castlings(const struct parent *parent, const struct landed *child,
                                          enum pm_color them, uint64_t attacked)
{
    const unsigned king = parent->their_king;
    unsigned count = 0;
    for (uint64_t rest = parent->castling & child->theirs; rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        const struct castling_path *path = castling_path(them, king, rook);
        if ((path->empty & (child->ours | child->theirs)) | (path->watched & attacked))
            continue;
        count += !path->unwatched || is_safe_path(child->pieces, them, king, rook, path->unwatched);
    }
    return count;
}

/* The king's steps aside, check is answered by a piece that comes to a square before the checker,
 * or to it. */
PM_ALWAYS_INLINE unsigned count_parries(const struct parent *parent, const struct landed *child,
                                        enum pm_color them)
{
    const struct king_view *view = &child->view;
    const unsigned king = parent->their_king;
    const uint64_t squares = parries(view, king);
    bytes free = child->pieces;
    uint64_t pawns = parent->their_pawns & child->theirs;
    for (uint64_t rest = view->pinners; rest; rest = pm_without_lsb(rest)) {
        const unsigned lane = pinned_lane(view, pm_lsb(rest) / 8);
        const uint64_t pinned = pm_bit(tables.square_of[king][lane]);
        pawns &= ~pinned;
        free = with(free, pinned, color_bit(them)); /* stands in the way, no more */
    }
    unsigned count =
        count_pawn_moves(them, pawns, child->ours | child->theirs, child->ours, squares);
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const bytes around = look_from(square, free);
        const uint64_t officers = _mm512_mask_test_epi8_mask(pieces_of(around, them), around,
                                                             load_bytes(tables.officer)) &
                                  tables.on_board[square];
        count += pm_popcount((in_sight(pieces_on(around)) | KNIGHT_LANES) & officers);
    }
    return count;
}
static __attribute__((noinline)) unsigned count_white_parries(const struct parent *parent,
                                                              const struct landed *child)
{
    return count_parries(parent, child, PM_WHITE);
}
static __attribute__((noinline)) unsigned count_black_parries(const struct parent *parent,
                                                              const struct landed *child)
{
    return count_parries(parent, child, PM_BLACK);
}

/* What their king sees once our piece has come to a lane (none, if it is out of its sight). */
PM_ALWAYS_INLINE struct king_view view_after_landing(const struct parent *parent,
                                                     const struct lifted *lifted, uint64_t lane,
                                                     int captures)
{
    const uint64_t stops = lifted->occupied | lane;
    const uint64_t attackers = lifted->attackers | (lane & lifted->lanes);
    struct king_view view = {.own = captures ? parent->own & ~lane : parent->own,
                             .first = in_sight(stops)};
    view.checkers = (view.first | KNIGHT_LANES) & attackers;
    view.pinners = find_pinners(stops, view.first, view.own, attackers) & ~view.first;
    return view;
}

PM_ALWAYS_INLINE unsigned count_replies_at(const struct parent *parent, const struct lifted *lifted,
                                           enum pm_color us, unsigned to, int captures)
{
    const enum pm_color them = opponent(us);
    const struct landed child = {
        .pieces = with(lifted->pieces, pm_bit(to), lifted->piece),
        .ours = lifted->ours | pm_bit(to),
        .theirs = captures ? parent->theirs & ~pm_bit(to) : parent->theirs,
        .view =
            view_after_landing(parent, lifted, tables.lane_bit[parent->their_king][to], captures),
    };
    unsigned count = 0;
    uint64_t attacked = 0;
    if (captures || parent->king_may_move) {
        attacked = attacked_squares(parent, lifted, to);
        const uint64_t steps = captures ? king_steps(&child.view, parent->nearest) : parent->steps;
        count = pm_popcount(steps & ~attacked);
    }
    if (__builtin_expect(child.view.checkers != 0, 0)) {
        struct landed copy = child;     /* so that only here it must be in memory */
        copy.view.pinners &= RAY_LANES; /* a knight that gives check is no pinner */
        return count + (us == PM_WHITE ? count_black_parries(parent, &copy)
                                       : count_white_parries(parent, &copy));
    }
    count += count_mobility(parent, lifted, them, to, captures);
    if (captures)
        count += count_pawn_moves(them, parent->their_pawns & child.theirs,
                                  child.ours | child.theirs, child.ours, ~0ULL);
    else
        count += lifted->pawn_moves + (unsigned)lifted->pawn_change[to];
    if (__builtin_expect(child.view.pinners != 0, 0))
        count -= count_moves_lost_by_pins(parent, &child, them);
    if (__builtin_expect(parent->castling != 0, 0))
        count += count_castlings(parent, &child, them, attacked);
    return count;
}

/* What a double push to a square beside their pawns adds to the replies: captures en passant. */
PM_ALWAYS_INLINE unsigned count_en_passant(const struct parent *parent, const struct lifted *lifted,
                                           enum pm_color us, unsigned to)
{
    const enum pm_color them = opponent(us);
    const bytes child = with(lifted->pieces, pm_bit(to), color_bit(us) | PAWN);
    return pm_popcount(
        en_passant_captors(child, them, parent->their_king, forward(them, pm_bit(to))));
}

/* The target of a double push to a square beside their pawns. */
PM_ALWAYS_INLINE uint64_t passing_target(const struct parent *parent, enum pm_color us,
                                         const struct mover *mover)
{
    const uint64_t pawns = parent->their_pawns & rank_of(us, 4);
    const uint64_t beside = (pawns & ~FILE_A) >> 1 | (pawns & ~FILE_H) << 1;
    return forward(us, forward(us, pm_bit(mover->from))) & mover->targets & beside;
}

/* ---- All our moves ---- */

/* Moves to be counted: each mover's number and target; room for a whole vector at the end. */
struct landings {
    uint8_t mover[PM_MAX_MOVES + 64], to[PM_MAX_MOVES + 64];
};

PM_ALWAYS_INLINE uint64_t count_replies_to_promotions(const struct parent *parent,
                                                      struct lifted *lifted, enum pm_color us,
                                                      uint64_t targets)
{
    uint64_t nodes = 0;
    for (unsigned i = 0; i < 4; i++) {
        land_as(lifted, us, color_bit(us) | promotions[i]);
        for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
            const unsigned to = pm_lsb(rest);
            const int captures = (parent->theirs & pm_bit(to)) != 0;
            nodes += count_replies_at(parent, lifted, us, to, captures);
        }
    }
    return nodes;
}

PM_ALWAYS_INLINE unsigned count_replies_to_castling(const struct parent *parent, enum pm_color us,
                                                    unsigned king, unsigned rook)
{
    struct lifted lifted;
    start(&lifted, parent);
    lift(&lifted, parent, us, king);
    lift(&lifted, parent, us, rook);
    land_as(&lifted, us, color_bit(us) | KING);
    put_down(&lifted, parent, us, castled_king(king, rook));
    land_as(&lifted, us, color_bit(us) | STRAIGHT);
    return count_replies_at(parent, &lifted, us, castled_rook(king, rook), 0);
}

static __attribute__((noinline)) uint64_t
count_replies_to_white_promotions(const struct parent *parent, struct lifted *lifted,
                                  uint64_t targets)
{
    return count_replies_to_promotions(parent, lifted, PM_WHITE, targets);
}
static __attribute__((noinline)) uint64_t
count_replies_to_black_promotions(const struct parent *parent, struct lifted *lifted,
                                  uint64_t targets)
{
    return count_replies_to_promotions(parent, lifted, PM_BLACK, targets);
}
static __attribute__((noinline)) unsigned
count_replies_to_white_castling(const struct parent *parent, unsigned king, unsigned rook)
{
    return count_replies_to_castling(parent, PM_WHITE, king, rook);
}
static __attribute__((noinline)) unsigned
count_replies_to_black_castling(const struct parent *parent, unsigned king, unsigned rook)
{
    return count_replies_to_castling(parent, PM_BLACK, king, rook);
}

/* From scratch: it is rare. */
PM_ALWAYS_INLINE unsigned count_replies_to_en_passant(const struct board *board, enum pm_color us,
                                                      unsigned captor)
{
    struct board child;
    make(&child, board, us,
         (struct move){.from = (uint8_t)captor,
                       .to = (uint8_t)pm_lsb(board->en_passant),
                       .piece = (uint8_t)(color_bit(us) | PAWN),
                       .kind = EN_PASSANT});
    return count_moves(&child, opponent(us));
}

/* Castlings and captures en passant, where two pieces move or vanish. */
PM_ALWAYS_INLINE uint64_t count_replies_to_special_moves(const struct parent *parent,
                                                         const struct legal *legal,
                                                         enum pm_color us)
{
    const unsigned king = legal->king;
    uint64_t nodes = 0;
    for (uint64_t rest = legal->captors; rest; rest = pm_without_lsb(rest))
        nodes += count_replies_to_en_passant(parent->board, us, pm_lsb(rest));
    for (uint64_t rest = legal->rooks; rest; rest = pm_without_lsb(rest))
        nodes += us == PM_WHITE ? count_replies_to_white_castling(parent, king, pm_lsb(rest))
                                : count_replies_to_black_castling(parent, king, pm_lsb(rest));
    return nodes;
}

/* Lists targets without a branch, and returns the new count: the loops over them then run through
 * all movers. */
PM_ALWAYS_INLINE unsigned add_landings(struct landings *landings, unsigned count, unsigned mover,
                                       uint64_t targets)
{
    const bytes squares = load_bytes(tables.square);
    _mm512_storeu_si512(landings->to + count, _mm512_maskz_compress_epi8(targets, squares));
    _mm512_storeu_si512(landings->mover + count, all_bytes(mover));
    return count + pm_popcount(targets);
}

/* The leaves two plies below a position. */
PM_ALWAYS_INLINE uint64_t count_two_plies(const struct board *board, enum pm_color us)
{
    struct parent parent;
    struct legal legal;
    struct lifted lifted[64];
    struct landings quiet, captures;
    survey(&parent, board, us);
    find_legal_moves(board, us, &legal);
    uint64_t nodes = count_replies_to_special_moves(&parent, &legal, us);
    unsigned quiets = 0, captured = 0;
    for (unsigned i = 0; i < legal.movers; i++) {
        const struct mover *mover = &legal.mover[i];
        start(&lifted[i], &parent);
        lift(&lifted[i], &parent, us, mover->from);
        land_as(&lifted[i], us, mover->piece);
        if (mover->piece & PAWN) {
            const uint64_t passing = passing_target(&parent, us, mover);
            if (passing)
                nodes += count_en_passant(&parent, &lifted[i], us, pm_lsb(passing));
            if (mover->targets & BACK_RANKS) {
                nodes +=
                    us == PM_WHITE
                        ? count_replies_to_white_promotions(&parent, &lifted[i], mover->targets)
                        : count_replies_to_black_promotions(&parent, &lifted[i], mover->targets);
                continue;
            }
        }
        quiets = add_landings(&quiet, quiets, i, mover->targets & ~parent.theirs);
        captured = add_landings(&captures, captured, i, mover->targets & parent.theirs);
    }
    for (unsigned i = 0; i < quiets; i++)
        nodes += count_replies_at(&parent, &lifted[quiet.mover[i]], us, quiet.to[i], 0);
    for (unsigned i = 0; i < captured; i++)
        nodes += count_replies_at(&parent, &lifted[captures.mover[i]], us, captures.to[i], 1);
    return nodes;
}

static __attribute__((noinline)) uint64_t count_two_plies_white(const struct board *board)
{
    return count_two_plies(board, PM_WHITE);
}
static __attribute__((noinline)) uint64_t count_two_plies_black(const struct board *board)
{
    return count_two_plies(board, PM_BLACK);
}

#endif
