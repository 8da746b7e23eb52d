/* SPDX-License-Identifier: MIT */
/* The last ply but one: each of our moves is made in registers, and their legal replies are
 * counted. What a move leaves as it was is carried over from the position before it. */
#ifndef PM_BYTEBOARD_REPLIES_H
#define PM_BYTEBOARD_REPLIES_H

#include "kernels/byteboard/legal.h"

/* The position before our move, with what its children have in common. */
struct parent {
    const struct board *board;
    uint64_t ours, theirs, their_pawns;
    unsigned their_king;
    uint64_t castling; /* their castling rooks, those aside that their own men block */

    /* Their knights and sliders as if it were their move and no man were pinned. */
    uint8_t directions[64] __attribute__((aligned(64))); /* [square]: a bit for each ray on which a
                                                            slider of theirs came there */
    unsigned mobility;                                   /* moves, captures among them */

    /* Their pawns, in the same way. */
    uint64_t pawn_fronts; /* squares before them: who leaves one may free a push */
    int8_t pawn_change[64] __attribute__((aligned(64))); /* [square]: what a landing of ours adds */
    unsigned pawn_moves;

    /* In lanes around their king. */
    uint64_t occupied, own, attackers;
    uint64_t nearest;  /* nearest lanes on the board */
    uint64_t steps;    /* rays on which the nearest square is not theirs */
    int king_may_move; /* a step or a castling, attacks aside */

    /* One word for each square watched around their king, which is lifted: lanes around it. */
    uint64_t occupied_watched[8] __attribute__((aligned(64)));
    uint64_t attackers_watched[8] __attribute__((aligned(64)));
};

/* The same with our mover in the air. What the pointers show is the parent's as long as it holds,
 * then what stands beside them. */
struct lifted {
    bytes men;
    uint64_t ours;
    const uint8_t *directions;
    const int8_t *pawn_change;
    unsigned mobility, pawn_moves;
    uint64_t occupied, attackers;
    bytes occupied_watched, attackers_watched;
    unsigned man;   /* what lands … */
    uint64_t lanes; /* … and attacks the centre in these lanes */
    uint8_t own_directions[64] __attribute__((aligned(64)));
    int8_t own_pawn_change[64] __attribute__((aligned(64)));
};

/* Moves to be counted: each mover's number and target. */
struct landings {
    unsigned count;
    uint8_t mover[PM_MAX_MOVES + 64],
        to[PM_MAX_MOVES + 64]; /* room for a whole vector at the end */
};

/* ---- Before our move ---- */

/* Their men's moves as sets of lanes; what sliders reach is marked a square. */
PM_ALWAYS_INLINE void survey_their_men(struct parent *parent, bytes men, enum pm_color them)
{
    const bytes ray_bit = load_bytes(tables.ray_bit);
    bytes directions = _mm512_setzero_si512();
    unsigned mobility = 0;
    for (uint64_t rest = bytes_with(men, KNIGHT | DIAGONAL | STRAIGHT) & parent->theirs; rest;
         rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const bytes around = look_from(square, men);
        const uint64_t sight = (in_sight(men_on(around)) | KNIGHT_LANES) &
                               reach(parent->board->man[square]) & tables.on_board[square];
        mobility += pm_popcount(sight & ~men_of(around, them));
        directions =
            _mm512_or_si512(directions, to_squares(square, _mm512_maskz_mov_epi8(sight, ray_bit)));
    }
    _mm512_store_si512(parent->directions, directions);
    parent->mobility = mobility;
}

/* A landing stops pushes, double pushes also from the square that they pass, and can be captured;
 * each move to the last rank is four. Returns the moves as things stand. */
PM_ALWAYS_INLINE unsigned survey_pawns(int8_t change[64], enum pm_color them, uint64_t pawns,
                                       uint64_t occupied, uint64_t ours)
{
    const struct pawn_targets targets = pawn_targets(them, pawns, occupied, ~0ULL, ~0ULL);
    const bytes one = _mm512_set1_epi8(1);
    bytes sum = _mm512_maskz_mov_epi8(targets.west, one);
    sum = _mm512_mask_add_epi8(sum, targets.east, sum, one);
    sum = _mm512_mask_sub_epi8(sum, targets.push, sum, one);
    sum = _mm512_mask_sub_epi8(
        sum, targets.double_push | forward(opponent(them), targets.double_push), sum, one);
    if (pawns & rank_of(them, 7)) {
        const bytes twice = _mm512_mask_add_epi8(sum, BACK_RANKS, sum, sum);
        sum = _mm512_mask_add_epi8(twice, BACK_RANKS, twice, twice);
    }
    _mm512_store_si512(change, sum);
    return count_pawn_targets((struct pawn_targets){.push = targets.push,
                                                    .double_push = targets.double_push,
                                                    .west = targets.west & ours,
                                                    .east = targets.east & ours});
}

PM_ALWAYS_INLINE void survey_their_king(struct parent *parent, bytes men, enum pm_color us)
{
    const unsigned king = parent->their_king;
    const bytes around = look_from(king, men);
    parent->occupied = men_on(around) | KNIGHT_LANES;
    parent->own = men_of(around, opponent(us)) & RAY_LANES;
    parent->attackers = could_attack(king, around, us);
    parent->nearest = NEAREST_LANES & tables.on_board[king];
    parent->steps = _pext_u64(parent->nearest & ~parent->own, NEAREST_LANES);

    const bytes lifted = without(men, pm_bit(king));
    for (unsigned ray = 0; ray < 8; ray++) {
        const unsigned square = tables.watched[king][ray];
        const bytes view = look_from(square, lifted);
        parent->occupied_watched[ray] = men_on(view) | KNIGHT_LANES;
        parent->attackers_watched[ray] = could_attack(square, view, us);
    }
}

/* None of our moves removes a man of theirs from a castling's path: what captures it stands there.
 */
PM_ALWAYS_INLINE uint64_t unblocked_rooks(const struct parent *parent, enum pm_color them)
{
    uint64_t rooks = parent->board->castling & rank_of(them, 1);
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        if (castling_path(them, parent->their_king, rook)->empty & parent->theirs)
            rooks &= ~pm_bit(rook);
    }
    return rooks;
}

PM_ALWAYS_INLINE void survey(struct parent *parent, const struct board *board, enum pm_color us)
{
    const bytes men = load_bytes(board->man);
    parent->board = board;
    parent->ours = men_of(men, us);
    parent->theirs = men_of(men, opponent(us));
    parent->their_pawns = bytes_with(men, PAWN) & parent->theirs;
    parent->their_king = pm_lsb(bytes_with(men, KING) & parent->theirs);
    parent->castling = unblocked_rooks(parent, opponent(us));
    survey_their_men(parent, men, opponent(us));
    const enum pm_color them = opponent(us);
    const uint64_t fronts = forward(them, parent->their_pawns);
    parent->pawn_fronts = fronts | forward(them, fronts & rank_of(them, 3));
    parent->pawn_moves = survey_pawns(parent->pawn_change, them, parent->their_pawns,
                                      parent->ours | parent->theirs, parent->ours);
    survey_their_king(parent, men, us);
    parent->king_may_move = parent->steps || parent->castling;
}

/* ---- Our man is lifted ---- */

/* All lanes of the rays whose bits are set. */
PM_ALWAYS_INLINE uint64_t lanes_of_rays(unsigned rays)
{
    return _pdep_u64(rays, NEAREST_LANES) * 0x7f;
}

/* One word a watched square: the lane of this square there. */
PM_ALWAYS_INLINE bytes lane_bits_watched(const struct parent *parent, unsigned square)
{
    const uint8_t *lanes = tables.watched_lanes[parent->their_king][square];
    return _mm512_sllv_epi64(_mm512_set1_epi64(1),
                             _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)lanes)));
}

/* What their sliders that see this square see behind it: with nobody there they do see it, with
 * somebody they don't. */
PM_ALWAYS_INLINE void toggle_rays(struct lifted *lifted, enum pm_color us, unsigned square,
                                  int opens)
{
    const bytes around = look_from(square, lifted->men);
    const uint64_t behind = in_sight(men_on(around)) & lanes_of_rays(lifted->directions[square]) &
                            tables.on_board[square];
    const unsigned moves = pm_popcount(behind & ~men_of(around, opponent(us)));
    const bytes marks = _mm512_maskz_mov_epi8(behind, load_bytes(tables.ray_bit));
    _mm512_store_si512(lifted->own_directions,
                       _mm512_xor_si512(load_bytes(lifted->directions), to_squares(square, marks)));
    lifted->directions = lifted->own_directions;
    lifted->mobility += opens ? moves : -moves;
}

PM_ALWAYS_INLINE void renew_pawns(struct lifted *lifted, const struct parent *parent,
                                  enum pm_color us)
{
    lifted->pawn_moves = survey_pawns(lifted->own_pawn_change, opponent(us), parent->their_pawns,
                                      lifted->ours | parent->theirs, lifted->ours);
    lifted->pawn_change = lifted->own_pawn_change;
}

PM_ALWAYS_INLINE void start(struct lifted *lifted, const struct parent *parent)
{
    lifted->men = load_bytes(parent->board->man);
    lifted->ours = parent->ours;
    lifted->directions = parent->directions;
    lifted->pawn_change = parent->pawn_change;
    lifted->mobility = parent->mobility;
    lifted->pawn_moves = parent->pawn_moves;
    lifted->occupied = parent->occupied;
    lifted->attackers = parent->attackers;
    lifted->occupied_watched = _mm512_load_si512(parent->occupied_watched);
    lifted->attackers_watched = _mm512_load_si512(parent->attackers_watched);
}

PM_ALWAYS_INLINE void lift(struct lifted *lifted, const struct parent *parent, enum pm_color us,
                           unsigned square)
{
    const uint64_t lane = tables.lane_bit[parent->their_king][square];
    const bytes lanes = lane_bits_watched(parent, square);
    const bytes knights = _mm512_set1_epi64((long long)KNIGHT_LANES);
    lifted->men = without(lifted->men, pm_bit(square));
    lifted->ours &= ~pm_bit(square);
    lifted->occupied = (lifted->occupied & ~lane) | KNIGHT_LANES;
    lifted->attackers &= ~lane;
    lifted->occupied_watched =
        _mm512_or_si512(_mm512_andnot_si512(lanes, lifted->occupied_watched), knights);
    lifted->attackers_watched = _mm512_andnot_si512(lanes, lifted->attackers_watched);
    if (lifted->directions[square])
        toggle_rays(lifted, us, square, 1);
    if (parent->pawn_fronts & pm_bit(square))
        renew_pawns(lifted, parent, us);
    else
        lifted->pawn_moves -= (unsigned)lifted->pawn_change[square];
}

PM_ALWAYS_INLINE void land_as(struct lifted *lifted, enum pm_color us, unsigned man)
{
    lifted->man = man;
    lifted->lanes = man & PAWN ? pawn_lanes(us) : reach(man);
}

/* A man comes down before another of ours does: the king in castling. */
PM_ALWAYS_INLINE void put_down(struct lifted *lifted, const struct parent *parent, enum pm_color us,
                               unsigned square)
{
    const uint64_t lane = tables.lane_bit[parent->their_king][square];
    const bytes lanes = lane_bits_watched(parent, square);
    const bytes attacks = _mm512_set1_epi64((long long)lifted->lanes);
    toggle_rays(lifted, us, square, 0);
    lifted->men = with(lifted->men, pm_bit(square), lifted->man);
    lifted->ours |= pm_bit(square);
    lifted->occupied |= lane;
    lifted->attackers |= lane & lifted->lanes;
    lifted->occupied_watched = _mm512_or_si512(lifted->occupied_watched, lanes);
    lifted->attackers_watched =
        _mm512_or_si512(lifted->attackers_watched, _mm512_and_si512(lanes, attacks));
    renew_pawns(lifted, parent, us);
}

/* ---- Our man has landed: their replies ---- */

/* Moves that pinned men would have off their rays. */
static __attribute__((noinline)) unsigned
count_moves_lost_by_pins(const struct parent *parent, bytes child, enum pm_color them,
                         uint64_t pinners, uint64_t first_own, uint64_t ours)
{
    unsigned lost = 0;
    for (uint64_t rest = pinners; rest; rest = pm_without_lsb(rest)) {
        const unsigned king = parent->their_king, ray = pm_lsb(rest) / 8;
        const unsigned square = tables.square_of[king][pm_lsb(first_own & ray_lanes(ray))];
        const unsigned man = parent->board->man[square];
        if (man & PAWN) {
            lost += count_pawn_moves(them, pm_bit(square), ours | parent->theirs, ours,
                                     ~tables.ray[king][ray]);
            continue;
        }
        const bytes around = look_from(square, child);
        const uint64_t moves = (in_sight(men_on(around)) | KNIGHT_LANES) & reach(man) &
                               tables.on_board[square] & ~men_of(around, them);
        lost += pm_popcount(moves & ~(ray_lanes(ray) | ray_lanes(ray ^ 4)));
    }
    return lost;
}

/* Moves of their knights and sliders, no man pinned. A landing on an empty square ends the rays
 * that pass it; a captured man's moves are gone, but those who guarded it may capture now. */
PM_ALWAYS_INLINE unsigned count_mobility(const struct parent *parent, const struct lifted *lifted,
                                         enum pm_color them, unsigned to, int captures)
{
    const bytes around = look_from(to, lifted->men);
    const bytes their_color = all_bytes(color_bit(them));
    const uint64_t sight = in_sight(men_on(around));
    const uint64_t open = _mm512_mask_testn_epi8_mask(tables.on_board[to], around, their_color);
    const unsigned directions = lifted->directions[to];
    if (!captures)
        return lifted->mobility -
               pm_popcount(sight & _mm512_mask_test_epi8_mask(open, all_bytes(directions),
                                                              load_bytes(tables.ray_bit)));
    const uint64_t knights =
        bytes_with(around, KNIGHT) & ~open & tables.on_board[to] & KNIGHT_LANES;
    return lifted->mobility + pm_popcount(directions) + pm_popcount(knights) -
           pm_popcount((sight | KNIGHT_LANES) & open & reach(parent->board->man[to]));
}

/* A set of rays: the watched square that goes by this number is attacked. */
PM_ALWAYS_INLINE uint64_t attacked_steps(const struct parent *parent, const struct lifted *lifted,
                                         unsigned to)
{
    const bytes lanes = lane_bits_watched(parent, to);
    const bytes stops = _mm512_or_si512(lifted->occupied_watched, lanes);
    const bytes below = _mm512_sub_epi8(stops, _mm512_set1_epi8(1));
    const bytes knights = _mm512_set1_epi64((long long)KNIGHT_LANES);
    const bytes sight = _mm512_ternarylogic_epi64(stops, below, knights, 0xbe); /* (a ^ b) | c */
    const bytes landing = _mm512_set1_epi64((long long)lifted->lanes);
    const bytes attackers = _mm512_ternarylogic_epi64(lifted->attackers_watched, lanes, landing,
                                                      0xf8); /* a | (b & c) */
    return _mm512_test_epi64_mask(sight, attackers);
}

/* Their replies from scratch: to captures en passant. */
PM_ALWAYS_INLINE uint64_t count_replies_to(const struct board *board, enum pm_color us,
                                           struct move move)
{
    struct board child;
    make(&child, board, us, move);
    return count_moves(&child, opponent(us));
}

PM_ALWAYS_INLINE unsigned count_castlings(const struct parent *parent, bytes child,
                                          enum pm_color them, uint64_t rooks, uint64_t occupied,
                                          uint64_t attacked)
{
    const unsigned king = parent->their_king;
    unsigned count = 0;
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        const struct castling_path *path = castling_path(them, king, rook);
        if ((path->empty & occupied) | (path->watched & attacked))
            continue;
        count += !path->unwatched || is_safe_path(child, them, king, rook, path->unwatched);
    }
    return count;
}

/* What a landing makes of the position. */
struct landed {
    bytes men;
    uint64_t ours, theirs;
    uint64_t own, first, checkers, pinners; /* in lanes around their king */
};

/* The king's steps aside, check is answered by a man that comes to a square before the checker, or
 * to it. */
PM_ALWAYS_INLINE unsigned count_parries(const struct parent *parent, const struct landed *child,
                                        enum pm_color them)
{
    if (pm_has_several(child->checkers))
        return 0;
    const unsigned king = parent->their_king;
    const unsigned ray = pm_lsb(child->checkers) / 8;
    const uint64_t squares =
        squares_of(king, child->checkers |
                             (child->checkers & KNIGHT_LANES ? 0 : child->first & ray_lanes(ray)));
    bytes free = child->men;
    uint64_t pawns = parent->their_pawns & child->theirs;
    for (uint64_t rest = child->pinners; rest; rest = pm_without_lsb(rest)) {
        const unsigned lane = pinned_lane(child->first, child->own, pm_lsb(rest) / 8);
        const uint64_t pinned = pm_bit(tables.square_of[king][lane]);
        pawns &= ~pinned;
        free = with(free, pinned, color_bit(them)); /* stands in the way, no more */
    }
    unsigned count =
        count_pawn_moves(them, pawns, child->ours | child->theirs, child->ours, squares);
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const bytes around = look_from(square, free);
        const uint64_t officers =
            _mm512_mask_test_epi8_mask(men_of(around, them), around, load_bytes(tables.officer)) &
            tables.on_board[square];
        count += pm_popcount((in_sight(men_on(around)) | KNIGHT_LANES) & officers);
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

PM_ALWAYS_INLINE unsigned count_replies_at(const struct parent *parent, const struct lifted *lifted,
                                           enum pm_color us, unsigned to, int captures)
{
    const enum pm_color them = opponent(us);
    const uint64_t lane = tables.lane_bit[parent->their_king][to];
    const uint64_t stops = lifted->occupied | lane;
    const uint64_t own = captures ? parent->own & ~lane : parent->own;
    const uint64_t attackers = lifted->attackers | (lane & lifted->lanes);
    const uint64_t first = stops ^ (stops - NEAREST_LANES);
    const uint64_t checkers = (first | KNIGHT_LANES) & attackers;
    const uint64_t pinners = find_pinners(stops, first, own, attackers) & ~first;

    unsigned count = 0;
    uint64_t attacked = 0;
    if (captures || parent->king_may_move) {
        attacked = attacked_steps(parent, lifted, to);
        const uint64_t steps =
            captures ? _pext_u64(parent->nearest & ~own, NEAREST_LANES) : parent->steps;
        count = pm_popcount(steps & ~attacked);
    }
    const uint64_t theirs = captures ? parent->theirs & ~pm_bit(to) : parent->theirs;
    const uint64_t ours = lifted->ours | pm_bit(to);
    if (__builtin_expect(checkers != 0, 0)) {
        const struct landed child = {.men = with(lifted->men, pm_bit(to), lifted->man),
                                     .ours = ours,
                                     .theirs = theirs,
                                     .own = own,
                                     .first = first,
                                     .checkers = checkers,
                                     .pinners = pinners & RAY_LANES};
        return count + (us == PM_WHITE ? count_black_parries(parent, &child)
                                       : count_white_parries(parent, &child));
    }
    count += count_mobility(parent, lifted, them, to, captures);
    if (captures)
        count += count_pawn_moves(them, parent->their_pawns & theirs, ours | theirs, ours, ~0ULL);
    else
        count += lifted->pawn_moves + (unsigned)lifted->pawn_change[to];
    if (__builtin_expect(pinners != 0, 0))
        count -= count_moves_lost_by_pins(parent, with(lifted->men, pm_bit(to), lifted->man), them,
                                          pinners, first & own, ours);
    if (__builtin_expect(parent->castling != 0, 0))
        count += count_castlings(parent, with(lifted->men, pm_bit(to), lifted->man), them,
                                 parent->castling & theirs, ours | theirs, attacked);
    return count;
}

/* What a double push to a square beside their pawns adds to the replies: captures en passant. */
PM_ALWAYS_INLINE unsigned count_en_passant(const struct parent *parent, const struct lifted *lifted,
                                           enum pm_color us, unsigned to)
{
    const enum pm_color them = opponent(us);
    const bytes child = with(lifted->men, pm_bit(to), color_bit(us) | PAWN);
    return pm_popcount(en_passant_captors(child, them, parent->their_king, parent->their_pawns,
                                          forward(them, pm_bit(to))));
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

/* Castlings and captures en passant, where two men move or vanish. */
PM_ALWAYS_INLINE uint64_t count_replies_to_special_moves(const struct parent *parent,
                                                         const struct legal *legal,
                                                         enum pm_color us)
{
    const struct board *board = parent->board;
    const unsigned king = legal->king;
    uint64_t nodes = 0;
    for (uint64_t rest = legal->captors; rest; rest = pm_without_lsb(rest))
        nodes += count_replies_to(board, us,
                                  (struct move){(uint8_t)pm_lsb(rest),
                                                (uint8_t)pm_lsb(board->en_passant),
                                                (uint8_t)(color_bit(us) | PAWN), EN_PASSANT});
    for (uint64_t rest = legal->rooks; rest; rest = pm_without_lsb(rest))
        nodes += us == PM_WHITE ? count_replies_to_white_castling(parent, king, pm_lsb(rest))
                                : count_replies_to_black_castling(parent, king, pm_lsb(rest));
    return nodes;
}

/* Lists targets without a branch: the loops over them then run through all movers. */
PM_ALWAYS_INLINE void add_landings(struct landings *landings, unsigned mover, uint64_t targets)
{
    const bytes squares = load_bytes(tables.square);
    _mm512_storeu_si512(landings->to + landings->count,
                        _mm512_maskz_compress_epi8(targets, squares));
    _mm512_storeu_si512(landings->mover + landings->count, all_bytes(mover));
    landings->count += pm_popcount(targets);
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
    quiet.count = captures.count = 0;
    for (unsigned i = 0; i < legal.movers; i++) {
        const struct mover *mover = &legal.mover[i];
        start(&lifted[i], &parent);
        lift(&lifted[i], &parent, us, mover->from);
        land_as(&lifted[i], us, mover->man);
        if (mover->man & PAWN) {
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
        add_landings(&quiet, i, mover->targets & ~parent.theirs);
        add_landings(&captures, i, mover->targets & parent.theirs);
    }
    for (unsigned i = 0; i < quiet.count; i++)
        nodes += count_replies_at(&parent, &lifted[quiet.mover[i]], us, quiet.to[i], 0);
    for (unsigned i = 0; i < captures.count; i++)
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
