/* SPDX-License-Identifier: MIT */
/* How our pieces bear on their king: which of our pieces can't leave their squares without changing
 * more than the lines that end there, and on which squares a landing does more than block or
 * capture. */
#ifndef PM_REPLY512_RELATIONS_H
#define PM_REPLY512_RELATIONS_H

#include "kernels/reply512/board.h"
#include "kernels/reply512/generate.h"
#include "kernels/reply512/lanes.h"
#include "kernels/reply512/mobility.h"
#include "kernels/reply512/tables.h"

#include <immintrin.h>
#include <stdint.h>

#define MAX_LINES 8 /* to a king */

/* A piece of ours and a piece of theirs on one line with their king. */
struct line_pair {
    uint8_t ours, theirs;
};

/* A piece of theirs that our slider pins. Landing between the two kings' pieces frees it: `freeing`
 * is then added to the vector. */
struct pin {
    struct line_pair pieces;
    unsigned moves; /* along the line */
    __m512i freeing;
};

/* Squares attacked at least once, and at least twice. */
struct attack_counts {
    uint64_t once, twice;
};

/* What our pieces attack. */
struct attack_lists {
    uint64_t
        targets[PM_SQUARE_COUNT]; /* of each of our pieces that moves by itself, by its square */
    uint64_t movable;             /* those pieces, if they have any */
    struct attack_counts leapers; /* our pawns, knights and king */
    struct attack_counts all;
};

/* What the positions after all moves of theirs share with the one before: our attacks, if the move
 * changes no square of `spoilers`, and our pins, if it changes none of `king_sight`. */
struct common {
    uint64_t pieces[PM_COLOR_COUNT]; /* before their move */
    uint64_t spoilers;               /* our pieces, and what our sliders attack */
    uint64_t king_sight;             /* our king's lines up to the second piece; a knight's moves */
    uint64_t pinned;
    struct attack_lists lists;
};

/* The position before our move, and all that the moves' counts have in common. */
struct parent {
    const struct board *board;
    uint64_t own, enemy, occupied;
    unsigned our_king, their_king;
    uint64_t our_pinned;

    /* On the lines of their king. Between it and our slider stands … */
    uint64_t their_pinned; /* … one piece, theirs */
    uint64_t pinners;      /* (those sliders) */
    uint64_t pin_squares;  /* (and the squares where a landing frees the pinned piece) */
    uint64_t discoverers;  /* … one piece, ours: leaving the line gives check */
    uint64_t unveilers;    /* … one of each, ours: leaving the line pins theirs */
    unsigned pin_count, unveiler_count;
    unsigned pinned_moves; /* of all pinned pieces */
    struct line_pair unveiler[MAX_LINES];

    /* Our pieces whose leaving may change what their king can do, by attacking a lane's square, by
     * standing before a slider that then would, or in the way of a castling. */
    uint64_t lane_keepers;
    /* Our pieces that a pinned piece would see, capture or be stopped by, if it were free. */
    uint64_t touched_by_pinned;

    uint64_t bound; /* all of these, and the discoverers, pinners and unveilers */
    /* Our pieces that a pawn of theirs which is not pinned attacks or is stopped by. */
    uint64_t touched_by_pawns;

    /* Their pieces beside their king that only one of our pieces attacks: the king may take the
     * captor, except perhaps where a square is shielded. */
    uint64_t once_attacked, recapturable;

    /* By the type that lands: squares where it gives check; those, and all others where the vector
     * is not the whole truth: a slider's behind their first piece on a line to their king, which is
     * pinned then, and captures that the king may answer. */
    uint64_t checks[PM_PIECE_TYPE_COUNT], special[PM_PIECE_TYPE_COUNT];
    uint64_t sight; /* lines to their king up to its second piece there */

    struct attack_counts leaper_attacks;
    uint64_t *targets; /* as in struct attack_lists, and so */
    uint64_t movable;
    struct pin pins[MAX_LINES];
    struct mobility mobility;
    /* By the square of our piece: what its leaving adds for the sliders of theirs that see it. */
    __m512i longer_rays[PM_SQUARE_COUNT];
    struct king_lanes lanes;
};

PM_ALWAYS_INLINE void find_lines_to_their_king(struct parent *parent)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t sliders = ((tables.rook_lines[king] & board->straights) |
                              (tables.bishop_lines[king] & board->diagonals)) &
                             parent->own;
    uint64_t pinned = 0, pinners = 0, discoverers = 0, unveilers = 0;
    unsigned pins = 0, pairs = 0;
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest)) {
        const unsigned slider = pm_lsb(rest);
        const uint64_t pieces = tables.between[king][slider] & parent->occupied;
        const uint64_t others = pm_without_lsb(pieces);
        if (!others) {
            if (pieces & parent->own) {
                discoverers |= pieces;
            } else {
                pinned |= pieces;
                pinners |= rest & -rest;
                parent->pins[pins++].pieces =
                    (struct line_pair){(uint8_t)slider, (uint8_t)pm_lsb(pieces)};
            }
        } else if (!pm_without_lsb(others)) {
            const uint64_t ours = pieces & parent->own;
            if (ours && ours != pieces) {
                unveilers |= ours;
                parent->unveiler[pairs++] =
                    (struct line_pair){(uint8_t)pm_lsb(ours), (uint8_t)pm_lsb(pieces ^ ours)};
            }
        }
    }
    parent->their_pinned = pinned;
    parent->pinners = pinners;
    parent->discoverers = discoverers;
    parent->unveilers = unveilers;
    parent->pin_count = pins;
    parent->unveiler_count = pairs;
}

/* The squares that their king would cross in these castlings. */
PM_ALWAYS_INLINE uint64_t castling_squares(enum pm_color them, uint64_t rooks)
{
    return rank_of(them, 1) & ((rooks & FILE_H ? FILE_A << 5 | FILE_A << 6 : 0) |
                               (rooks & FILE_A ? FILE_A << 2 | FILE_A << 3 : 0));
}

/* Our pieces in the way of one of their castlings. */
PM_ALWAYS_INLINE uint64_t pieces_in_castling_ways(const struct parent *parent, enum pm_color them)
{
    const uint64_t rooks = castling_rooks(parent->board, them);
    return parent->own & ((rooks & FILE_H ? castling_way(them, 0) : 0) |
                          (rooks & FILE_A ? castling_way(them, 1) : 0));
}

PM_ALWAYS_INLINE void count_attack(struct attack_counts *counts, uint64_t attacks)
{
    counts->twice |= counts->once & attacks;
    counts->once |= attacks;
}

PM_ALWAYS_INLINE void list_piece(struct attack_lists *lists, struct attack_counts *counts,
                                 unsigned square, uint64_t attacks, uint64_t own)
{
    const uint64_t targets = attacks & ~own;
    lists->targets[square] = targets;
    lists->movable |= targets ? pm_bit(square) : 0;
    count_attack(counts, attacks);
}

PM_ALWAYS_INLINE void list_attacks(struct attack_lists *lists, const struct board *board,
                                   enum pm_color us)
{
    const uint64_t own = board->pieces[us], occupied = own | board->pieces[opponent(us)];
    const uint64_t pawns = board->pawns & own;
    const uint64_t left = forward_left(us, pawns), right = forward_right(us, pawns);
    struct attack_counts counts = {.once = left | right, .twice = left & right};
    lists->movable = 0;
    count_attack(&counts, tables.king[pm_lsb(board->kings & own)]);
    for (uint64_t rest = board->knights & own; rest; rest = pm_without_lsb(rest))
        list_piece(lists, &counts, pm_lsb(rest), tables.knight[pm_lsb(rest)], own);
    lists->leapers = counts;

    const uint64_t diagonals = board->diagonals & own, straights = board->straights & own;
    for (uint64_t rest = diagonals & ~straights; rest; rest = pm_without_lsb(rest))
        list_piece(lists, &counts, pm_lsb(rest), bishop_attacks(pm_lsb(rest), occupied), own);
    for (uint64_t rest = straights & ~diagonals; rest; rest = pm_without_lsb(rest))
        list_piece(lists, &counts, pm_lsb(rest), rook_attacks(pm_lsb(rest), occupied), own);
    for (uint64_t rest = straights & diagonals; rest; rest = pm_without_lsb(rest))
        list_piece(lists, &counts, pm_lsb(rest),
                   slider_attacks_as(PM_QUEEN, pm_lsb(rest), occupied), own);
    lists->all = counts;
}

/* Nothing is shared. */
PM_ALWAYS_INLINE void set_nothing_common(struct common *common)
{
    common->pieces[PM_WHITE] = common->pieces[PM_BLACK] = 0;
    common->spoilers = common->king_sight = ~0ULL;
    common->pinned = 0;
}

/* `us` moves after their move. */
PM_ALWAYS_INLINE void find_common_as(struct common *common, const struct board *board,
                                     enum pm_color us)
{
    const uint64_t sliders = (board->diagonals | board->straights) & board->pieces[us];
    if (!pm_has_several(sliders)) { /* not worth it */
        set_nothing_common(common);
        return;
    }
    const struct view view = view_of(board, us);
    const uint64_t straight = rook_attacks(view.king_square, view.occupied);
    const uint64_t diagonal = bishop_attacks(view.king_square, view.occupied);
    common->pieces[PM_WHITE] = board->pieces[PM_WHITE];
    common->pieces[PM_BLACK] = board->pieces[PM_BLACK];
    common->pinned = view.pinned;
    common->king_sight =
        straight | rook_attacks(view.king_square, view.occupied ^ (straight & view.own)) |
        diagonal | bishop_attacks(view.king_square, view.occupied ^ (diagonal & view.own)) |
        tables.knight[view.king_square];
    list_attacks(&common->lists, board, us);
    common->spoilers = view.own;
    for (uint64_t rest = sliders; rest; rest = pm_without_lsb(rest))
        common->spoilers |= common->lists.targets[pm_lsb(rest)];
}
NOINLINE void find_common_white(struct common *common, const struct board *board)
{
    find_common_as(common, board, PM_WHITE);
}
NOINLINE void find_common_black(struct common *common, const struct board *board)
{
    find_common_as(common, board, PM_BLACK);
}

PM_ALWAYS_INLINE uint64_t changed_since(const struct common *common, const struct board *board)
{
    return (common->pieces[PM_WHITE] ^ board->pieces[PM_WHITE]) |
           (common->pieces[PM_BLACK] ^ board->pieces[PM_BLACK]);
}

/* Leapers that alone keep their king from one of these squares (among leapers). */
PM_ALWAYS_INLINE uint64_t sole_leapers(const struct parent *parent, enum pm_color us,
                                       uint64_t squares)
{
    const struct board *board = parent->board;
    uint64_t sole = board->pawns & parent->own & pawn_attacks(opponent(us), squares);
    if (tables.king[parent->our_king] & squares)
        sole |= pm_bit(parent->our_king);
    for (uint64_t rest = board->knights & parent->own; rest; rest = pm_without_lsb(rest))
        if (tables.knight[pm_lsb(rest)] & squares)
            sole |= rest & -rest;
    return sole;
}

/* The pieces that their king's steps and castlings depend on, and these as lanes. */
PM_ALWAYS_INLINE void find_keepers_and_lanes(struct parent *parent, enum pm_color us)
{
    const struct board *board = parent->board;
    const enum pm_color them = opponent(us);
    const struct attack_counts leapers = parent->leaper_attacks;
    const uint64_t castlings = castlings_with_free_way(board, them, parent->occupied);
    const uint64_t squares = (tables.king[parent->their_king] & ~parent->enemy) |
                             (castlings ? castling_squares(them, castlings) : 0);
    const uint64_t sole = squares & leapers.once & ~leapers.twice;
    parent->lane_keepers = castling_rooks(board, them) ? pieces_in_castling_ways(parent, them) : 0;
    if (sole)
        parent->lane_keepers |= sole_leapers(parent, us, sole);
    const struct lane_view view = {
        .occupied = parent->occupied,
        .straights = board->straights & parent->own,
        .diagonals = board->diagonals & parent->own,
        .steps = ~parent->enemy,
        .forbidden = leapers.once,
        .castlings = castlings,
        .own = parent->own,
    };
    build_lanes(&parent->lanes, &view, us, parent->their_king, 1);
    parent->lane_keepers |= parent->lanes.keepers;
}

/* Our pinned pieces keep the targets on their lines. */
PM_ALWAYS_INLINE void restrict_pinned(struct parent *parent)
{
    for (uint64_t rest = parent->our_pinned & parent->movable; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        parent->targets[square] &= tables.line[parent->our_king][square];
        if (!parent->targets[square])
            parent->movable ^= rest & -rest;
    }
}

/* The lanes once a piece of ours has left its square. */
PM_ALWAYS_INLINE void build_lanes_without_as(struct king_lanes *lanes, const struct parent *parent,
                                             enum pm_color us, uint64_t from)
{
    const struct board *board = parent->board;
    const uint64_t own = parent->own ^ from, occupied = parent->occupied ^ from;
    const unsigned square = pm_lsb(from);
    uint64_t attacks = 0;
    if (board->pawns & from)
        attacks = tables.pawn[us][square];
    else if (board->knights & from)
        attacks = tables.knight[square];
    else if (board->kings & from)
        attacks = tables.king[square];
    const struct attack_counts *leapers = &parent->leaper_attacks;
    const struct lane_view view = {
        .occupied = occupied,
        .straights = board->straights & own,
        .diagonals = board->diagonals & own,
        .steps = ~parent->enemy,
        .forbidden = (leapers->once & ~attacks) | leapers->twice,
        .castlings = castlings_with_free_way(board, opponent(us), occupied),
        .own = own,
    };
    build_lanes(lanes, &view, us, parent->their_king, 0);
}
NOINLINE void build_lanes_without_white(struct king_lanes *lanes, const struct parent *parent,
                                        uint64_t from)
{
    build_lanes_without_as(lanes, parent, PM_WHITE, from);
}
NOINLINE void build_lanes_without_black(struct king_lanes *lanes, const struct parent *parent,
                                        uint64_t from)
{
    build_lanes_without_as(lanes, parent, PM_BLACK, from);
}
PM_ALWAYS_INLINE void build_lanes_without(struct king_lanes *lanes, const struct parent *parent,
                                          enum pm_color us, uint64_t from)
{
    if (us == PM_WHITE)
        build_lanes_without_white(lanes, parent, from);
    else
        build_lanes_without_black(lanes, parent, from);
}

/* The squares that a piece of theirs sees, could capture on, or be stopped on. */
PM_ALWAYS_INLINE uint64_t reach_of_piece(const struct parent *parent, enum pm_color them,
                                         unsigned square)
{
    const uint64_t set = pm_bit(square);
    if (parent->board->pawns & set)
        return tables.pawn[them][square] | forward(them, set | forward(them, set));
    return slider_attacks(parent->board, square, parent->occupied);
}

/* The pinned pieces's moves: what they add to the vector. */
PM_ALWAYS_INLINE __m512i moves_of_pinned_as(struct parent *parent, enum pm_color us)
{
    const enum pm_color them = opponent(us);
    __m512i landing = _mm512_setzero_si512();
    unsigned now = 0;
    uint64_t touched = 0, pin_squares = 0;
    for (unsigned i = 0; i < parent->pin_count; i++) {
        struct pin *pin = &parent->pins[i];
        const unsigned square = pin->pieces.theirs;
        pin->moves = pinned_moves_of_piece(parent->board, them, square,
                                           tables.line[parent->their_king][square], parent->own,
                                           parent->occupied);
        pin->freeing = _mm512_sub_epi8(
            moves_of_piece(parent->board, them, square, parent->own, parent->occupied),
            bytes(pin->moves));
        const uint64_t freed_on =
            tables.between[parent->their_king][pin->pieces.ours] & ~pm_bit(square);
        now += pin->moves;
        landing = add_on(landing, freed_on, pin->freeing);
        landing = subtract_on(landing, pm_bit(square), bytes(pin->moves));
        pin_squares |= freed_on;
        touched |= reach_of_piece(parent, them, square);
    }
    parent->pin_squares = pin_squares;
    parent->touched_by_pinned = touched & parent->own;
    parent->pinned_moves = now;
    return landing;
}
NOINLINE __m512i moves_of_pinned_white(struct parent *parent)
{
    return moves_of_pinned_as(parent, PM_WHITE);
}
NOINLINE __m512i moves_of_pinned_black(struct parent *parent)
{
    return moves_of_pinned_as(parent, PM_BLACK);
}

PM_ALWAYS_INLINE void add_pinned_pieces(struct parent *parent, struct mobility *mobility,
                                        enum pm_color us)
{
    parent->pin_squares = parent->touched_by_pinned = 0;
    if (!parent->pin_count)
        return;
    const __m512i landing =
        us == PM_WHITE ? moves_of_pinned_white(parent) : moves_of_pinned_black(parent);
    mobility->landing = _mm512_add_epi8(mobility->landing, landing);
    mobility->now += parent->pinned_moves;
}

PM_ALWAYS_INLINE void find_special_squares(struct parent *parent, enum pm_color us)
{
    const struct board *board = parent->board;
    const unsigned king = parent->their_king;
    const uint64_t promoting = board->pawns & rank_of(us, 7);
    const uint64_t straight = rook_attacks(king, parent->occupied);
    const uint64_t diagonal = bishop_attacks(king, parent->occupied);
    uint64_t beyond_straight = straight, beyond_diagonal = diagonal;
    if ((straight & parent->enemy) && ((board->straights | promoting) & parent->own))
        beyond_straight |= rook_attacks(king, parent->occupied ^ (straight & parent->enemy));
    if ((diagonal & parent->enemy) && ((board->diagonals | promoting) & parent->own))
        beyond_diagonal |= bishop_attacks(king, parent->occupied ^ (diagonal & parent->enemy));
    parent->sight = beyond_straight | beyond_diagonal;

    const uint64_t recaptures = parent->once_attacked & ~parent->recapturable;
    parent->checks[PM_PAWN] = tables.pawn[opponent(us)][king];
    parent->checks[PM_KNIGHT] = tables.knight[king];
    parent->checks[PM_BISHOP] = diagonal;
    parent->checks[PM_ROOK] = straight;
    parent->checks[PM_QUEEN] = straight | diagonal;
    parent->checks[PM_KING] = 0;
    parent->special[PM_PAWN] = tables.pawn[opponent(us)][king] | recaptures;
    parent->special[PM_KNIGHT] = tables.knight[king] | recaptures;
    parent->special[PM_BISHOP] = beyond_diagonal | recaptures;
    parent->special[PM_ROOK] = beyond_straight | recaptures;
    parent->special[PM_QUEEN] = parent->sight | recaptures;
    parent->special[PM_KING] = recaptures;
}

/* Those of these squares that a slider of ours would attack but for one piece of ours before it. */
PM_ALWAYS_INLINE uint64_t shielded(const struct parent *parent, uint64_t squares)
{
    const struct board *board = parent->board;
    uint64_t found = 0;
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest);
        const uint64_t aligned = ((tables.rook_lines[square] & board->straights) |
                                  (tables.bishop_lines[square] & board->diagonals)) &
                                 parent->own;
        for (uint64_t sliders = aligned; sliders; sliders = pm_without_lsb(sliders)) {
            const uint64_t pieces = tables.between[square][pm_lsb(sliders)] & parent->occupied;
            found |= pieces & parent->own && !pm_without_lsb(pieces) ? rest & -rest : 0;
        }
    }
    return found;
}

/* Everything but our own pins. */
PM_ALWAYS_INLINE void study_parent(struct parent *parent, enum pm_color us,
                                   struct attack_lists *lists)
{
    const struct attack_counts counts = lists->all;
    parent->leaper_attacks = lists->leapers;
    parent->targets = lists->targets;
    parent->movable = lists->movable;
    find_lines_to_their_king(parent);
    find_keepers_and_lanes(parent, us);
    parent->once_attacked =
        tables.king[parent->their_king] & parent->enemy & counts.once & ~counts.twice;
    parent->recapturable = parent->once_attacked & ~shielded(parent, parent->once_attacked);
    struct mobility mobility;
    add_free_pieces(&mobility, parent->board, opponent(us), parent->own, parent->their_pinned,
                    counts.once, parent->longer_rays);
    add_pinned_pieces(parent, &mobility, us);
    find_special_squares(parent, us);
    mobility.landing = add_on(_mm512_add_epi8(mobility.landing, bytes(mobility.now)),
                              parent->recapturable, bytes(1));
    const struct pawn_reach *pawns = &mobility.pawns;
    parent->touched_by_pawns =
        (pawns->left | pawns->right | pawns->front | pawns->second) & parent->own;
    parent->bound = parent->lane_keepers | parent->discoverers | parent->pinners |
                    parent->unveilers | parent->touched_by_pinned;
    parent->mobility = mobility;
}

#endif
