/* SPDX-License-Identifier: MIT */
/* The position before our move, and all that its moves' counts have in common: who attacks what,
 * who stands on which line, and on which squares a landing does more than block or capture. */
#ifndef PM_REPLY256_PARENT_H
#define PM_REPLY256_PARENT_H

#include "kernels/reply256/arrivals.h"
#include "kernels/reply256/board.h"
#include "kernels/reply256/generate.h"
#include "kernels/reply256/lanes.h"
#include "kernels/reply256/tables.h"

#include <stdint.h>

#define MAX_LINES 8 /* to a king */
#define MAX_SLIDERS 63

/* A piece of ours and a piece of theirs on one line with their king. */
struct line_pair {
    uint8_t ours, theirs;
};

/* A piece of theirs that our slider pins. A landing between their king and that slider frees it. */
struct pin {
    struct line_pair pieces;
    unsigned moves;    /* along the line */
    uint64_t freed_on; /* those landings */
};

struct slider {
    unsigned square;
    uint64_t attacks;
};

/* Where their pawns that are not pinned attack and step, occupied or not. */
struct pawn_reach {
    uint64_t left, right, front, second; /* second: the far square of an open double push */
};

/* Kept well below 4 KB: loads of fields just stored were slow while it was larger (README.md). */
struct parent {
    const struct board *board;
    uint64_t occupied;
    unsigned our_king, their_king;
    uint64_t our_pinned;

    /* On the lines of their king. Between it and our slider stands … */
    uint64_t their_pinned; /* … one piece, theirs */
    uint64_t pinners;      /* (those sliders) */
    uint64_t discoverers;  /* … one piece, ours: leaving the line gives check */
    uint64_t unveilers;    /* … one of each, ours: leaving the line pins theirs */
    unsigned pin_count, unveiler_count;
    struct pin pin[MAX_LINES];
    struct line_pair unveiler[MAX_LINES];

    /* Their pieces. */
    unsigned now;                      /* their moves, but the king's, if we passed */
    uint64_t their_attacks;            /* of all pieces */
    uint8_t moves[PM_SQUARE_COUNT];    /* of each that is not a pawn, or is pinned */
    struct slider slider[MAX_SLIDERS]; /* those that are not pinned: bishops, rooks, queens */
    unsigned bishops, rooks, sliders;  /* where each of these kinds ends */
    struct pawn_reach pawns;
    struct lanes lanes;

    /* Our pieces. */
    uint64_t leapers_once, leapers_twice; /* attacked by our pawns, knights and king */
    /* Targets of each piece that moves by itself; later, those where it only blocks or captures. */
    uint64_t landings[PM_SQUARE_COUNT];
    uint64_t movable;      /* those pieces, if they have any targets */
    uint64_t lane_keepers; /* whose leaving changes a lane */
    uint64_t
        touched_by_pinned; /* that a pinned piece would see, capture or be stopped by, if free */
    uint64_t bound;        /* all of these, and the discoverers, pinners and unveilers */

    /* Their pieces beside their king that only one of our pieces attacks, so that the king may take
     * the captor; except perhaps where it is not `recapturable`, for want of a closer look. */
    uint64_t once_attacked, recapturable;

    /* By the type that lands: squares where it gives check; those, and all others where a landing
     * does more than block or capture: a slider's behind their first piece on a line to their king,
     * which is pinned then, and captures that the king may answer. */
    uint64_t checks[PM_PIECE_TYPE_COUNT], special[PM_PIECE_TYPE_COUNT];
    uint64_t sight; /* lines to their king up to its second piece there */

    /* The count. */
    struct landings by_type[PM_PIECE_TYPE_COUNT]; /* landings that only block or capture */
    struct arrivals arrivals;                     /* the same of bound pieces and promotions */
    uint64_t landed;                              /* pieces that have such landings of their own */
    uint64_t total; /* replies found so far; sums are taken modulo 2^64 */
};

PM_ALWAYS_INLINE void find_lines_to_their_king(struct parent *parent)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t sliders = ((tables.rook_lines[king] & board->straights) |
                              (tables.bishop_lines[king] & board->diagonals)) &
                             board->own;
    uint64_t pinned = 0, pinners = 0, discoverers = 0, unveilers = 0;
    unsigned pins = 0, pairs = 0;
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest)) {
        const unsigned slider = pm_lsb(rest);
        const uint64_t way = tables.between[king][slider], pieces = way & parent->occupied;
        const uint64_t ours = pieces & board->own, others = pm_without_lsb(pieces);
        if (!others) {
            if (ours) {
                discoverers |= pieces;
            } else {
                pinned |= pieces;
                pinners |= lowest(rest);
                parent->pin[pins].pieces =
                    (struct line_pair){(uint8_t)slider, (uint8_t)pm_lsb(pieces)};
                parent->pin[pins++].freed_on = way ^ pieces;
            }
        } else if (!pm_without_lsb(others) && ours && ours != pieces) {
            unveilers |= ours;
            parent->unveiler[pairs++] =
                (struct line_pair){(uint8_t)pm_lsb(ours), (uint8_t)pm_lsb(pieces ^ ours)};
        }
    }
    parent->their_pinned = pinned;
    parent->pinners = pinners;
    parent->discoverers = discoverers;
    parent->unveilers = unveilers;
    parent->pin_count = pins;
    parent->unveiler_count = pairs;
}

/* ---- Their pieces ---- */

/* Moves of one of their pieces that is not pinned, summed over landings of ours, for a board with
 * one of our pieces lifted or not. Rare. */
NOINLINE uint64_t count_free_moves(const struct board *board, unsigned square, uint64_t own,
                                   uint64_t occupied, uint64_t landings)
{
    const uint64_t set = pm_bit(square), enemy = occupied & ~own;
    const uint64_t surviving = pm_popcount(landings & ~set);
    if (board->knights & set)
        return surviving * pm_popcount(tables.knight[square] & ~enemy) +
               pm_popcount(landings & tables.knight[square] & enemy);
    if (board->pawns & set) {
        const uint64_t weight = set & RANK(2) ? 4 : 1, captures = both_down(set);
        const uint64_t push = down(set) & ~occupied;
        const uint64_t double_push = down(push & RANK(6)) & ~occupied;
        const uint64_t moves =
            weight * (pm_popcount(captures & own) + (push != 0)) + (double_push != 0);
        return surviving * moves + weight * pm_popcount(landings & captures) -
               weight * pm_popcount(landings & push) -
               pm_popcount(landings & (double_push | up(double_push)));
    }
    const uint64_t attacks = slider_attacks(board, square, occupied), free = attacks & ~enemy;
    uint64_t count = surviving * pm_popcount(free);
    for (uint64_t rest = landings & attacks; rest; rest = pm_without_lsb(rest))
        count += tables.distance[square][pm_lsb(rest)] -
                 (uint64_t)pm_popcount(free & ray_through(square, pm_lsb(rest)));
    return count;
}

/* The moves of a pinned piece: along the line of its pin. */
NOINLINE unsigned count_moves_along(const struct board *board, unsigned square, uint64_t line,
                                    uint64_t own, uint64_t occupied)
{
    const uint64_t set = pm_bit(square);
    if (board->knights & set)
        return 0;
    if (board->pawns & set) {
        const unsigned weight = set & RANK(2) ? 4 : 1;
        if (!(down(set) & line)) /* one capture at most */
            return both_down(set) & line & own ? weight : 0;
        const uint64_t push = down(set) & ~occupied;
        return (push ? weight : 0) + ((down(push & RANK(6)) & ~occupied) != 0);
    }
    return pm_popcount(slider_attacks(board, square, occupied) & line & (own | ~occupied));
}

/* The squares that a piece of theirs sees, could capture on, or be stopped on. */
PM_ALWAYS_INLINE uint64_t reach_of_piece(const struct parent *parent, unsigned square)
{
    const uint64_t set = pm_bit(square);
    if (parent->board->pawns & set)
        return both_down(set) | down(set) | down(down(set));
    return slider_attacks(parent->board, square, parent->occupied);
}

PM_ALWAYS_INLINE void list_knights_of_theirs(struct parent *parent)
{
    const struct board *board = parent->board;
    for (uint64_t rest = board->knights & board->enemy; rest; rest = pm_without_lsb(rest)) {
        const uint64_t attacks = tables.knight[pm_lsb(rest)];
        parent->their_attacks |= attacks;
        if (lowest(rest) & parent->their_pinned)
            continue;
        const unsigned moves = pm_popcount(attacks & ~board->enemy);
        parent->moves[pm_lsb(rest)] = (uint8_t)moves;
        parent->now += moves;
    }
}

/* Returns how many are listed now. */
PM_ALWAYS_INLINE unsigned list_slider_of_theirs(struct parent *parent, unsigned listed,
                                                unsigned square, uint64_t attacks)
{
    parent->their_attacks |= attacks;
    if (pm_bit(square) & parent->their_pinned)
        return listed;
    const unsigned moves = pm_popcount(attacks & ~parent->board->enemy);
    parent->moves[square] = (uint8_t)moves;
    parent->now += moves;
    parent->slider[listed] = (struct slider){square, attacks};
    return listed + 1;
}

PM_ALWAYS_INLINE void list_sliders_of_theirs(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t occupied = parent->occupied;
    const uint64_t diagonals = board->diagonals & board->enemy;
    const uint64_t straights = board->straights & board->enemy;
    unsigned listed = 0;
    for (uint64_t rest = diagonals & ~straights; rest; rest = pm_without_lsb(rest))
        listed = list_slider_of_theirs(parent, listed, pm_lsb(rest),
                                       bishop_attacks(pm_lsb(rest), occupied));
    parent->bishops = listed;
    for (uint64_t rest = straights & ~diagonals; rest; rest = pm_without_lsb(rest))
        listed = list_slider_of_theirs(parent, listed, pm_lsb(rest),
                                       rook_attacks(pm_lsb(rest), occupied));
    parent->rooks = listed;
    for (uint64_t rest = straights & diagonals; rest; rest = pm_without_lsb(rest))
        listed = list_slider_of_theirs(parent, listed, pm_lsb(rest),
                                       rook_attacks(pm_lsb(rest), occupied) |
                                           bishop_attacks(pm_lsb(rest), occupied));
    parent->sliders = listed;
}

NOINLINE void list_pinned_pieces_of_theirs(struct parent *parent)
{
    uint64_t reach = 0;
    for (unsigned i = 0; i < parent->pin_count; i++) {
        struct pin *pin = &parent->pin[i];
        const unsigned square = pin->pieces.theirs;
        pin->moves =
            count_moves_along(parent->board, square, line_through(parent->their_king, square),
                              parent->board->own, parent->occupied);
        parent->moves[square] = (uint8_t)pin->moves;
        parent->now += pin->moves;
        reach |= reach_of_piece(parent, square);
    }
    parent->touched_by_pinned = reach & parent->board->own;
}

PM_ALWAYS_INLINE unsigned count_pawn_moves_of_theirs(const struct parent *parent)
{
    const struct pawn_reach *reach = &parent->pawns;
    const uint64_t own = parent->board->own, push = reach->front & ~parent->occupied;
    unsigned count = pm_popcount(push) + pm_popcount(reach->second & ~parent->occupied) +
                     pm_popcount(reach->left & own) + pm_popcount(reach->right & own);
    if ((reach->left | reach->right | reach->front) & RANK(1))
        count += 3 * (pm_popcount(push & RANK(1)) + pm_popcount(reach->left & own & RANK(1)) +
                      pm_popcount(reach->right & own & RANK(1)));
    return count;
}

PM_ALWAYS_INLINE void list_their_pieces(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t pawns = board->pawns & board->enemy;
    parent->now = 0;
    parent->their_attacks = both_down(pawns) | tables.king[parent->their_king];
    list_knights_of_theirs(parent);
    list_sliders_of_theirs(parent);
    parent->touched_by_pinned = 0;
    if (parent->pin_count)
        list_pinned_pieces_of_theirs(parent);

    struct pawn_reach *reach = &parent->pawns;
    const uint64_t free = pawns & ~parent->their_pinned;
    reach->left = down_left(free);
    reach->right = down_right(free);
    reach->front = down(free);
    reach->second = down(reach->front & ~parent->occupied & RANK(6));
    parent->now += count_pawn_moves_of_theirs(parent);
}

/* ---- Our pieces ---- */

struct attack_counts {
    uint64_t once, twice; /* squares attacked at least so often */
};

PM_ALWAYS_INLINE void count_attack(struct attack_counts *counts, uint64_t attacks)
{
    counts->twice |= counts->once & attacks;
    counts->once |= attacks;
}

PM_ALWAYS_INLINE void set_targets(struct parent *parent, unsigned square, uint64_t targets)
{
    parent->landings[square] = targets;
    parent->movable |= targets ? pm_bit(square) : 0;
}

PM_ALWAYS_INLINE void list_our_leapers(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t pawns = board->pawns & board->own;
    struct attack_counts counts = {.once = both_up(pawns),
                                   .twice = up_left(pawns) & up_right(pawns)};
    count_attack(&counts, tables.king[parent->our_king]);
    for (uint64_t rest = board->knights & board->own; rest; rest = pm_without_lsb(rest)) {
        const uint64_t attacks = tables.knight[pm_lsb(rest)];
        set_targets(parent, pm_lsb(rest), attacks & ~board->own);
        count_attack(&counts, attacks);
    }
    parent->leapers_once = counts.once;
    parent->leapers_twice = counts.twice;
}

PM_ALWAYS_INLINE struct attack_counts list_our_sliders(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t occupied = parent->occupied;
    const uint64_t diagonals = board->diagonals & board->own;
    const uint64_t straights = board->straights & board->own;
    struct attack_counts counts = {parent->leapers_once, parent->leapers_twice};
    for (uint64_t rest = diagonals & ~straights; rest; rest = pm_without_lsb(rest)) {
        const uint64_t attacks = bishop_attacks(pm_lsb(rest), occupied);
        set_targets(parent, pm_lsb(rest), attacks & ~board->own);
        count_attack(&counts, attacks);
    }
    for (uint64_t rest = straights; rest; rest = pm_without_lsb(rest)) {
        uint64_t attacks = rook_attacks(pm_lsb(rest), occupied);
        if (diagonals & lowest(rest))
            attacks |= bishop_attacks(pm_lsb(rest), occupied);
        set_targets(parent, pm_lsb(rest), attacks & ~board->own);
        count_attack(&counts, attacks);
    }
    return counts;
}

/* Leapers that alone keep their king from one of these squares (among leapers). */
PM_ALWAYS_INLINE uint64_t sole_leapers(const struct parent *parent, uint64_t squares)
{
    const struct board *board = parent->board;
    uint64_t sole = board->pawns & board->own & both_down(squares);
    sole |= tables.king[parent->our_king] & squares ? pm_bit(parent->our_king) : 0;
    for (uint64_t rest = board->knights & board->own; rest; rest = pm_without_lsb(rest))
        sole |= tables.knight[pm_lsb(rest)] & squares ? lowest(rest) : 0;
    return sole;
}

/* The squares that their king would cross in these castlings. */
PM_ALWAYS_INLINE uint64_t castling_squares(uint64_t rooks)
{
    return (rooks & FILE_H ? 3ULL << 61 : 0) | (rooks & FILE_A ? 3ULL << 58 : 0);
}

PM_ALWAYS_INLINE uint64_t squares_of_their_king(const struct parent *parent, uint64_t castlings)
{
    return (tables.king[parent->their_king] & ~parent->board->enemy) | castling_squares(castlings);
}

PM_ALWAYS_INLINE void find_lanes_and_keepers(struct parent *parent)
{
    const struct board *board = parent->board;
    const uint64_t castlings = their_castlings(board, parent->occupied);
    const uint64_t squares = squares_of_their_king(parent, castlings);
    const uint64_t sole = squares & parent->leapers_once & ~parent->leapers_twice;
    const uint64_t rights = board->rights & RANK(8);
    uint64_t keepers = 0;
    if (rights)
        keepers = board->own &
                  ((rights & FILE_H ? KINGSIDE_WAY : 0) | (rights & FILE_A ? QUEENSIDE_WAY : 0));
    if (sole)
        keepers |= sole_leapers(parent, sole);
    const struct siege siege = {
        .occupied = parent->occupied,
        .straights = board->straights & board->own,
        .diagonals = board->diagonals & board->own,
        .steps = tables.king[parent->their_king] & ~board->enemy & ~parent->leapers_once,
        .forbidden = parent->leapers_once,
        .castlings = castlings,
    };
    parent->lane_keepers = keepers | build_lanes(&parent->lanes, &siege, board->own);
}

/* The lanes once a piece of ours has left its square. */
NOINLINE void build_lanes_without(struct lanes *lanes, const struct parent *parent, uint64_t from)
{
    const struct board *board = parent->board;
    const uint64_t own = board->own ^ from;
    uint64_t attacks = 0;
    if (board->pawns & from)
        attacks = both_up(from);
    else if (board->knights & from)
        attacks = tables.knight[pm_lsb(from)];
    else if (board->kings & from)
        attacks = tables.king[pm_lsb(from)];
    const uint64_t forbidden = (parent->leapers_once & ~attacks) | parent->leapers_twice;
    const struct siege siege = {
        .occupied = parent->occupied ^ from,
        .straights = board->straights & own,
        .diagonals = board->diagonals & own,
        .steps = tables.king[parent->their_king] & ~board->enemy & ~forbidden,
        .forbidden = forbidden,
        .castlings = their_castlings(board, parent->occupied ^ from),
    };
    build_lanes(lanes, &siege, 0);
}

/* Captures beside their king after which a slider of ours may stand behind the captor. */
PM_ALWAYS_INLINE uint64_t backed_captures(const struct parent *parent, uint64_t squares)
{
    const struct board *board = parent->board;
    uint64_t backed = 0;
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t rook_view = rook_attacks(square, parent->occupied);
        const uint64_t bishop_view = bishop_attacks(square, parent->occupied);
        const uint64_t behind =
            (rook_attacks(square, parent->occupied ^ (rook_view & board->own)) & ~rook_view &
             board->straights) |
            (bishop_attacks(square, parent->occupied ^ (bishop_view & board->own)) & ~bishop_view &
             board->diagonals);
        backed |= behind & board->own ? lowest(rest) : 0;
    }
    return backed;
}

PM_ALWAYS_INLINE void find_special_squares(struct parent *parent)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t promoting = board->pawns & RANK(7);
    const uint64_t recaptures = parent->once_attacked & ~parent->recapturable;
    const uint64_t straight = rook_attacks(king, parent->occupied);
    const uint64_t diagonal = bishop_attacks(king, parent->occupied);
    uint64_t beyond_straight = straight, beyond_diagonal = diagonal;
    if ((straight & board->enemy) && ((board->straights | promoting) & board->own))
        beyond_straight |= rook_attacks(king, parent->occupied ^ (straight & board->enemy));
    if ((diagonal & board->enemy) && ((board->diagonals | promoting) & board->own))
        beyond_diagonal |= bishop_attacks(king, parent->occupied ^ (diagonal & board->enemy));
    parent->sight = beyond_straight | beyond_diagonal;
    parent->checks[PM_PAWN] = both_down(pm_bit(king));
    parent->checks[PM_KNIGHT] = tables.knight[king];
    parent->checks[PM_BISHOP] = diagonal;
    parent->checks[PM_ROOK] = straight;
    parent->checks[PM_QUEEN] = straight | diagonal;
    parent->checks[PM_KING] = 0;
    parent->special[PM_PAWN] = both_down(pm_bit(king)) | recaptures;
    parent->special[PM_KNIGHT] = tables.knight[king] | recaptures;
    parent->special[PM_BISHOP] = beyond_diagonal | recaptures;
    parent->special[PM_ROOK] = beyond_straight | recaptures;
    parent->special[PM_QUEEN] = parent->sight | recaptures;
    parent->special[PM_KING] = recaptures;
}

PM_ALWAYS_INLINE void study(struct parent *parent)
{
    const struct board *board = parent->board;
    parent->movable = 0;
    find_lines_to_their_king(parent);
    list_their_pieces(parent);
    list_our_leapers(parent);
    const struct attack_counts counts = list_our_sliders(parent);
    find_lanes_and_keepers(parent);
    parent->once_attacked =
        tables.king[parent->their_king] & board->enemy & counts.once & ~counts.twice;
    parent->recapturable = parent->once_attacked & ~backed_captures(parent, parent->once_attacked);
    find_special_squares(parent);
    parent->bound = parent->lane_keepers | parent->discoverers | parent->pinners |
                    parent->unveilers | parent->touched_by_pinned;
}

#endif
