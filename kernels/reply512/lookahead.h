/* SPDX-License-Identifier: MIT */
/* The last two plies counted together: for each of our pieces the replies to all of its moves are
 * the sum of one vector over its targets. */
#ifndef PM_REPLY512_LOOKAHEAD_H
#define PM_REPLY512_LOOKAHEAD_H

#include "kernels/reply512/corrections.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/landings.h"
#include "kernels/reply512/relations.h"

#include <stdint.h>

/* Counts in bytes suffice for the pieces of a game, with which no position has more than
 * 218 moves. Pieces only get fewer: what holds at the root holds below. */
static int fits_reply_board(const struct board *board)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        const uint64_t pieces = board->pieces[color];
        const uint64_t queens = board->diagonals & board->straights & pieces;
        const unsigned count[] = {
            pm_popcount(board->knights & pieces),
            pm_popcount(board->diagonals & pieces & ~queens),
            pm_popcount(board->straights & pieces & ~queens),
        };
        unsigned pawns = pm_popcount(board->pawns & pieces);
        pawns += pm_popcount(queens) > 1 ? pm_popcount(queens) - 1 : 0;
        for (unsigned i = 0; i < 3; i++)
            pawns += count[i] > 2 ? count[i] - 2 : 0;
        if (pawns > 8)
            return 0;
    }
    return 1;
}

/* No side with these pieces has more moves, wherever they stand: a queen's are a bishop's and a
 * rook's, a pawn's at most three captures and pushes to the last rank. */
PM_ALWAYS_INLINE unsigned most_moves(const struct board *board, enum pm_color us)
{
    const uint64_t pieces = board->pieces[us];
    return 12 * pm_popcount(board->pawns & pieces) + 8 * pm_popcount(board->knights & pieces) +
           13 * pm_popcount(board->diagonals & pieces) +
           14 * pm_popcount(board->straights & pieces) + 10; /* the king's, castling included */
}

/* ---- The plain way: for parents in check and for castlings of Chess960 ---- */

static uint64_t visit_reply_white(void *context, const struct board *child, struct pm_move move)
{
    (void)context;
    (void)move;
    return count_black_moves(child);
}
static uint64_t visit_reply_black(void *context, const struct board *child, struct pm_move move)
{
    (void)context;
    (void)move;
    return count_white_moves(child);
}
NOINLINE uint64_t count_two_plies_plainly_white(const struct board *board)
{
    return visit_moves((struct visitor){visit_reply_white, NULL}, board, PM_WHITE);
}
NOINLINE uint64_t count_two_plies_plainly_black(const struct board *board)
{
    return visit_moves((struct visitor){visit_reply_black, NULL}, board, PM_BLACK);
}
PM_ALWAYS_INLINE uint64_t count_two_plies_plainly(const struct board *board, enum pm_color us)
{
    return us == PM_WHITE ? count_two_plies_plainly_white(board)
                          : count_two_plies_plainly_black(board);
}

#define STANDARD_ROOKS 0x8100000000000081ULL
#define STANDARD_KINGS 0x1000000000000010ULL

/* Rights only get lost: what is standard at the root is so below. */
static int castles_as_in_chess960(const struct board *board)
{
    const uint64_t rooks = board->rights & BACK_RANKS;
    const uint64_t ranks = (rooks & 0xff ? 0xffULL : 0) | (rooks >> 56 ? 0xffULL << 56 : 0);
    return (rooks & ~STANDARD_ROOKS) || (board->kings & ranks) != (STANDARD_KINGS & ranks);
}

/* ---- The sums ---- */

struct total {
    __m512i vector;
    uint64_t count;
};

PM_ALWAYS_INLINE void add_sum(struct total *total, __m512i replies, uint64_t targets)
{
    total->vector = _mm512_add_epi64(total->vector, sums_on(replies, targets));
}

/* What the moves of our pieces of one type have in common. */
struct movers {
    enum pm_piece_type type;
    uint64_t special;
    __m512i replies;
};

PM_ALWAYS_INLINE struct movers movers_of(const struct parent *parent, enum pm_piece_type type)
{
    return (struct movers){
        .type = type,
        .special = parent->special[type],
        .replies = parent->lanes.used ? _mm512_add_epi8(parent->mobility.landing,
                                                        count_king_replies(&parent->lanes, type))
                                      : parent->mobility.landing,
    };
}

PM_ALWAYS_INLINE uint64_t count_special(const struct parent *parent, enum pm_color us,
                                        const struct movers *movers, __m512i replies, uint64_t from,
                                        uint64_t targets)
{
    const struct departure move = {.parent = parent,
                                   .lanes = &parent->lanes,
                                   .type = movers->type,
                                   .from = from,
                                   .pinned = parent->their_pinned,
                                   .replies = replies};
    return count_special_landings(&move, us, targets);
}

PM_ALWAYS_INLINE void add_piece(struct total *total, const struct parent *parent, enum pm_color us,
                                const struct movers *movers, uint64_t from, uint64_t targets)
{
    if (from & parent->bound) {
        total->count += count_bound_piece(parent, us, movers->type, from, targets);
        return;
    }
    const __m512i replies = after_departure(movers->replies, parent, us, from);
    const uint64_t special = targets & movers->special;
    if (special) {
        total->count += count_special(parent, us, movers, replies, from, special);
        targets ^= special;
    }
    add_sum(total, replies, targets);
}

PM_ALWAYS_INLINE uint64_t unpinned_targets(const struct parent *parent, unsigned square,
                                           uint64_t targets)
{
    return parent->our_pinned >> square & 1 ? targets & tables.line[parent->our_king][square]
                                            : targets;
}

/* ---- Pawns ---- */

PM_ALWAYS_INLINE uint64_t count_special_pawn_move(const struct departure *pawns, enum pm_color us,
                                                  uint64_t from, uint64_t to)
{
    struct departure move = *pawns;
    move.from = from;
    move.replies = after_departure(move.replies, move.parent, us, from);
    return count_special_landings(&move, us, to);
}

PM_ALWAYS_INLINE uint64_t count_special_pawn_moves_as(const struct departure *pawns,
                                                      enum pm_color us, struct pawn_targets targets)
{
    uint64_t count = 0, to;
    for (uint64_t rest = targets.push; (to = rest & -rest); rest ^= to)
        count += count_special_pawn_move(pawns, us, back(us, to), to);
    for (uint64_t rest = targets.left; (to = rest & -rest); rest ^= to)
        count += count_special_pawn_move(pawns, us, back_from_left(us, to), to);
    for (uint64_t rest = targets.right; (to = rest & -rest); rest ^= to)
        count += count_special_pawn_move(pawns, us, back_from_right(us, to), to);
    for (uint64_t rest = targets.double_push; (to = rest & -rest); rest ^= to)
        count += count_special_pawn_move(pawns, us, back(us, back(us, to)), to);
    return count;
}
NOINLINE uint64_t count_special_pawn_moves_white(const struct departure *pawns,
                                                 const struct pawn_targets *targets)
{
    return count_special_pawn_moves_as(pawns, PM_WHITE, *targets);
}
NOINLINE uint64_t count_special_pawn_moves_black(const struct departure *pawns,
                                                 const struct pawn_targets *targets)
{
    return count_special_pawn_moves_as(pawns, PM_BLACK, *targets);
}

PM_ALWAYS_INLINE uint64_t count_special_pawn_moves(const struct parent *parent, enum pm_color us,
                                                   const struct movers *movers,
                                                   struct pawn_targets targets)
{
    const struct departure pawns = {.parent = parent,
                                    .lanes = &parent->lanes,
                                    .type = PM_PAWN,
                                    .pinned = parent->their_pinned,
                                    .replies = movers->replies};
    return us == PM_WHITE ? count_special_pawn_moves_white(&pawns, &targets)
                          : count_special_pawn_moves_black(&pawns, &targets);
}

/* corrections.h's with_pawn_changes(), for all these pawns at once. */
PM_ALWAYS_INLINE uint64_t pawn_changes_by_pawns(const struct parent *parent, enum pm_color us,
                                                uint64_t pawns, struct pawn_targets targets)
{
    const struct pawn_reach *theirs = &parent->mobility.pawns;
    /* A piece that they attack to their left sees the attacker to its own right, and captures it.
     */
    const uint64_t left = pawns & theirs->left, right = pawns & theirs->right;
    const uint64_t front = pawns & theirs->front, second = pawns & theirs->second;
    uint64_t change = 0;
    if (left | right) {
        change -= pm_popcount(targets.push & forward(us, left)) +
                  pm_popcount(targets.double_push & forward(us, forward(us, left))) +
                  pm_popcount(targets.left & forward_left(us, left)) +
                  pm_popcount(targets.push & forward(us, right)) +
                  pm_popcount(targets.double_push & forward(us, forward(us, right))) +
                  pm_popcount(targets.right & forward_right(us, right));
    }
    if (front) {
        const enum pm_color them = opponent(us);
        const uint64_t opened = front & rank_of(them, 3) & back(them, ~parent->occupied);
        change += pm_popcount(targets.left & forward_left(us, front)) +
                  pm_popcount(targets.right & forward_right(us, front)) +
                  pm_popcount(targets.left & forward_left(us, opened)) +
                  pm_popcount(targets.right & forward_right(us, opened));
    }
    if (second)
        change += pm_popcount(targets.left & forward_left(us, second)) +
                  pm_popcount(targets.right & forward_right(us, second));
    return change;
}

/* Pawns that are neither pinned nor bound nor seen by a slider nor promoting: set-wise. */
PM_ALWAYS_INLINE void add_free_pawns(struct total *total, const struct parent *parent,
                                     enum pm_color us, const struct movers *movers, uint64_t pawns)
{
    const struct view view = {.enemy = parent->enemy, .occupied = parent->occupied};
    struct pawn_targets targets = pawn_targets(us, &view, pawns, ~0ULL);
    const uint64_t special = movers->special;
    if ((targets.push | targets.double_push | targets.left | targets.right) & special) {
        total->count += count_special_pawn_moves(parent, us, movers,
                                                 (struct pawn_targets){
                                                     .push = targets.push & special,
                                                     .double_push = targets.double_push & special,
                                                     .left = targets.left & special,
                                                     .right = targets.right & special,
                                                 });
        targets.push &= ~special;
        targets.double_push &= ~special;
        targets.left &= ~special;
        targets.right &= ~special;
    }
    add_sum(total, movers->replies, targets.push);
    add_sum(total, movers->replies, targets.double_push);
    add_sum(total, movers->replies, targets.left);
    add_sum(total, movers->replies, targets.right);
    if (pawns & parent->touched_by_pawns)
        total->count += pawn_changes_by_pawns(parent, us, pawns, targets);
}

PM_ALWAYS_INLINE uint64_t count_our_en_passant(const struct board *board, enum pm_color us)
{
    const struct view view = view_of(board, us);
    const uint64_t to = en_passant_target(board, us);
    uint64_t count = 0;
    for (uint64_t rest = en_passant_captors(board, us, &view, to); rest;
         rest = pm_without_lsb(rest)) {
        struct board child;
        after_en_passant(&child, board, us, rest & -rest, to);
        count += count_replies(&child, us);
    }
    return count;
}
NOINLINE uint64_t count_our_en_passant_white(const struct board *board)
{
    return count_our_en_passant(board, PM_WHITE);
}
NOINLINE uint64_t count_our_en_passant_black(const struct board *board)
{
    return count_our_en_passant(board, PM_BLACK);
}

/* Double pushes to a square beside a pawn of theirs may be answered en passant: surely if no line
 * to their king opens, else one has to look. */
PM_ALWAYS_INLINE void add_en_passant_replies(struct total *total, const struct parent *parent,
                                             enum pm_color us)
{
    const uint64_t pawns = parent->board->pawns & parent->own, empty = ~parent->occupied;
    const uint64_t theirs = parent->board->pawns & parent->enemy;
    const uint64_t pushed = forward(us, forward(us, pawns) & rank_of(us, 3) & empty) & empty;
    const uint64_t answered = pushed & beside(theirs);
    if (!answered)
        return;
    const uint64_t origins = back(us, back(us, answered));
    if (!(origins & (parent->bound | parent->our_pinned)) && !(theirs & parent->their_pinned)) {
        total->count += pm_popcount(pushed & (theirs & ~FILE_A) >> 1) +
                        pm_popcount(pushed & (theirs & ~FILE_H) << 1);
        return;
    }
    for (uint64_t rest = origins; rest; rest = pm_without_lsb(rest)) {
        const uint64_t from = rest & -rest, to = forward(us, forward(us, from));
        if (unpinned_targets(parent, pm_lsb(from), to))
            total->count += count_en_passant_replies(parent, us, from, to);
    }
}

PM_ALWAYS_INLINE uint64_t single_pawn_targets(const struct parent *parent, enum pm_color us,
                                              uint64_t from)
{
    const struct view view = {.enemy = parent->enemy, .occupied = parent->occupied};
    const struct pawn_targets targets = pawn_targets(us, &view, from, ~0ULL);
    return targets.push | targets.double_push | targets.left | targets.right;
}

/* Pawns that move alone: pinned, bound, or seen by a slider. */
PM_ALWAYS_INLINE uint64_t single_pawns(const struct parent *parent, enum pm_color us)
{
    return parent->board->pawns & parent->own & ~rank_of(us, 7) &
           (parent->our_pinned | parent->bound | parent->mobility.seen_by_sliders);
}

PM_ALWAYS_INLINE void add_promotions(struct total *total, const struct parent *parent,
                                     enum pm_color us, uint64_t pawns)
{
    for (uint64_t rest = pawns; rest; rest = pm_without_lsb(rest)) {
        const uint64_t targets =
            unpinned_targets(parent, pm_lsb(rest), single_pawn_targets(parent, us, rest & -rest));
        if (targets)
            total->count += count_promotions(parent, us, rest & -rest, targets);
    }
}

PM_ALWAYS_INLINE void add_pawns_of_ours(struct total *total, const struct parent *parent,
                                        enum pm_color us)
{
    const uint64_t pawns = parent->board->pawns & parent->own;
    const uint64_t promoting = pawns & rank_of(us, 7);
    const uint64_t together = pawns & ~promoting & ~single_pawns(parent, us);
    if (together) {
        const struct movers movers = movers_of(parent, PM_PAWN);
        add_free_pawns(total, parent, us, &movers, together);
    }
    add_promotions(total, parent, us, promoting);
    add_en_passant_replies(total, parent, us);
    if (en_passant_target(parent->board, us))
        total->count += us == PM_WHITE ? count_our_en_passant_white(parent->board)
                                       : count_our_en_passant_black(parent->board);
}

/* ---- All pieces but the pawns that move together ---- */

PM_ALWAYS_INLINE void set_targets(struct parent *parent, unsigned square, uint64_t targets)
{
    parent->targets[square] = targets;
    parent->movable |= targets ? pm_bit(square) : 0;
}

/* Unrolled over the types, as most of what is asked of a type is constant. */
PM_ALWAYS_INLINE void add_pieces(struct total *total, struct parent *parent, enum pm_color us)
{
    const struct board *board = parent->board;
    const uint64_t pawns = single_pawns(parent, us);
    for (uint64_t rest = pawns; rest; rest = pm_without_lsb(rest))
        set_targets(parent, pm_lsb(rest), single_pawn_targets(parent, us, rest & -rest));
    set_targets(parent, parent->our_king,
                tables.king[parent->our_king] & ~parent->own & ~parent->mobility.attacked);
    if (parent->our_pinned)
        restrict_pinned(parent);

    const uint64_t movable = parent->movable;
    const uint64_t diagonals = board->diagonals & movable, straights = board->straights & movable;
    const uint64_t pieces[PM_PIECE_TYPE_COUNT] = {
        [PM_PAWN] = pawns & movable,          [PM_KNIGHT] = board->knights & movable,
        [PM_BISHOP] = diagonals & ~straights, [PM_ROOK] = straights & ~diagonals,
        [PM_QUEEN] = straights & diagonals,   [PM_KING] = board->kings & movable,
    };
#pragma GCC unroll 6
    for (unsigned type = PM_PAWN; type <= PM_KING; type++) {
        uint64_t rest = pieces[type];
        if (!rest)
            continue;
        const struct movers movers = movers_of(parent, (enum pm_piece_type)type);
        for (; rest; rest = pm_without_lsb(rest))
            add_piece(total, parent, us, &movers, rest & -rest, parent->targets[pm_lsb(rest)]);
    }
}

/* ---- Castling ---- */

NOINLINE unsigned count_replies_to_castling_white(const struct board *board, uint64_t king,
                                                  uint64_t rook)
{
    struct board child;
    after_castling(&child, board, PM_WHITE, king, rook);
    return count_black_moves(&child);
}
NOINLINE unsigned count_replies_to_castling_black(const struct board *board, uint64_t king,
                                                  uint64_t rook)
{
    struct board child;
    after_castling(&child, board, PM_BLACK, king, rook);
    return count_white_moves(&child);
}

/* If our king and rook have nothing to do with their pieces (a pawn before the rook aside), their
 * king is far from our first rank, and the rook on its new square attacks nothing near it and has
 * not just one piece before it, their replies are as many as if we had passed. */
PM_ALWAYS_INLINE int castling_changes_little(const struct parent *parent, enum pm_color us,
                                             uint64_t rook)
{
    const uint64_t king = pm_bit(parent->our_king), their_king = pm_bit(parent->their_king);
    const uint64_t near_us = rank_of(us, 1) | rank_of(us, 2) | rank_of(us, 3);
    const unsigned rook_to = pm_lsb(castled_rook(us, king, rook));
    const uint64_t file = tables.ray[rook_to][us == PM_WHITE ? 0 : 1];
    const uint64_t attacks = rook_attacks(rook_to, parent->occupied) & file;
    const uint64_t behind = rook_attacks(rook_to, parent->occupied ^ (attacks & parent->enemy));
    const uint64_t castling = castling_rooks(parent->board, opponent(us));
    const uint64_t zone =
        tables.king[parent->their_king] | (castling ? rank_of(opponent(us), 1) : 0);
    return !((king | rook) & parent->bound) && !(their_king & (near_us | (behind & file))) &&
           !(attacks & zone);
}

PM_ALWAYS_INLINE uint64_t count_castling(const struct parent *parent, enum pm_color us,
                                         uint64_t rook)
{
    const uint64_t king = pm_bit(parent->our_king);
    if (!castling_changes_little(parent, us, rook))
        return us == PM_WHITE ? count_replies_to_castling_white(parent->board, king, rook)
                              : count_replies_to_castling_black(parent->board, king, rook);
    return parent->mobility.now +
           count_king_replies_now(&parent->lanes, pm_bit(parent->their_king)) +
           (rook & parent->touched_by_pawns ? 4 : 0); /* a pawn before it may promote now */
}

PM_ALWAYS_INLINE uint64_t count_castlings_as(const struct parent *parent, enum pm_color us,
                                             uint64_t rooks)
{
    const uint64_t attacked = parent->mobility.attacked & rank_of(us, 1);
    uint64_t count = 0;
    if (rooks & FILE_H && !(attacked & (FILE_A << 5 | FILE_A << 6)))
        count += count_castling(parent, us, rank_of(us, 1) & FILE_H);
    if (rooks & FILE_A && !(attacked & (FILE_A << 2 | FILE_A << 3)))
        count += count_castling(parent, us, rank_of(us, 1) & FILE_A);
    return count;
}
NOINLINE uint64_t count_castlings_white(const struct parent *parent, uint64_t rooks)
{
    return count_castlings_as(parent, PM_WHITE, rooks);
}
NOINLINE uint64_t count_castlings_black(const struct parent *parent, uint64_t rooks)
{
    return count_castlings_as(parent, PM_BLACK, rooks);
}

PM_ALWAYS_INLINE void add_castlings(struct total *total, const struct parent *parent,
                                    enum pm_color us)
{
    const uint64_t rooks = castlings_with_free_way(parent->board, us, parent->occupied);
    if (rooks)
        total->count += us == PM_WHITE ? count_castlings_white(parent, rooks)
                                       : count_castlings_black(parent, rooks);
}

/* ---- All ---- */

/* The board after a move of theirs on that of `common`, whose lists get our king's and pawns'
 * targets too. */
PM_ALWAYS_INLINE uint64_t count_two_plies_of(const struct board *board, enum pm_color us,
                                             struct common *common)
{
    struct parent parent;
    parent.board = board;
    parent.own = board->pieces[us];
    parent.enemy = board->pieces[opponent(us)];
    parent.occupied = parent.own | parent.enemy;
    parent.our_king = pm_lsb(board->kings & parent.own);
    parent.their_king = pm_lsb(board->kings & parent.enemy);
    parent.our_pinned = common->pinned;

    const uint64_t changed = changed_since(common, board);
    if (changed & common->king_sight) {
        const struct view view = view_of(board, us);
        if (__builtin_expect(view.checkers != 0, 0))
            return count_two_plies_plainly(board, us);
        parent.our_pinned = view.pinned;
    }
    struct attack_lists own_lists, *lists = &common->lists;
    if ((changed & common->spoilers) || parent.our_pinned) {
        lists = &own_lists;
        list_attacks(lists, board, us);
    }
    study_parent(&parent, us, lists);

    struct total total = {.vector = _mm512_setzero_si512()};
    add_pieces(&total, &parent, us);
    add_pawns_of_ours(&total, &parent, us);
    add_castlings(&total, &parent, us);
    return total.count + (uint64_t)_mm512_reduce_add_epi64(total.vector);
}

NOINLINE uint64_t count_two_plies_sharing_white(const struct board *board, struct common *common)
{
    return count_two_plies_of(board, PM_WHITE, common);
}
NOINLINE uint64_t count_two_plies_sharing_black(const struct board *board, struct common *common)
{
    return count_two_plies_of(board, PM_BLACK, common);
}

NOINLINE uint64_t count_two_plies_white(const struct board *board)
{
    struct common common;
    set_nothing_common(&common);
    return count_two_plies_sharing_white(board, &common);
}
NOINLINE uint64_t count_two_plies_black(const struct board *board)
{
    struct common common;
    set_nothing_common(&common);
    return count_two_plies_sharing_black(board, &common);
}

/* ---- Three plies: the parents after all moves of ours, in which they move ---- */

static uint64_t visit_parent_white(void *common, const struct board *child, struct pm_move move)
{
    (void)move;
    return count_two_plies_sharing_white(child, common);
}
static uint64_t visit_parent_black(void *common, const struct board *child, struct pm_move move)
{
    (void)move;
    return count_two_plies_sharing_black(child, common);
}

PM_ALWAYS_INLINE uint64_t count_three_plies(const struct board *board, enum pm_color us)
{
    struct common common;
    if (us == PM_WHITE) {
        find_common_black(&common, board);
        return visit_moves((struct visitor){visit_parent_black, &common}, board, PM_WHITE);
    }
    find_common_white(&common, board);
    return visit_moves((struct visitor){visit_parent_white, &common}, board, PM_BLACK);
}

#endif
