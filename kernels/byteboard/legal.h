/* SPDX-License-Identifier: MIT */
/* All legal moves of a position, as a set of targets for each piece. */
#ifndef PM_BYTEBOARD_LEGAL_H
#define PM_BYTEBOARD_LEGAL_H

#include "kernels/byteboard/rays.h"

/* What a king sees. */
struct king_view {
    uint64_t own;      /* lanes with pieces of its side */
    uint64_t checkers; /* lanes of the pieces that attack it */
    uint64_t first;    /* rays' lanes up to and with the first piece */
    uint64_t pinners;  /* lanes of sliders that one own piece keeps from giving check */
};

struct mover {
    uint8_t from, piece;
    uint64_t targets;
};

/* A pawn's promotion is one target. */
struct legal {
    unsigned king;
    uint64_t captors; /* pawns that may capture en passant */
    uint64_t rooks;   /* rooks with which the king may castle */
    unsigned movers;
    struct mover mover[64]; /* none without a target */
};

/* A pinned piece is the first on its ray; lifting it shows the pinner. Others than sliders attack
 * only from the nearest lanes, so the second on a ray is never one of them. */
PM_ALWAYS_INLINE uint64_t find_pinners(uint64_t occupied, uint64_t first, uint64_t own,
                                       uint64_t attackers)
{
    return in_sight(occupied & ~(first & own)) & attackers;
}

PM_ALWAYS_INLINE struct king_view view_from_king(bytes board, unsigned king, enum pm_color us)
{
    const bytes around = look_from(king, board);
    const uint64_t occupied = pieces_on(around) & RAY_LANES;
    const uint64_t attackers = could_attack(king, around, opponent(us));
    struct king_view view = {.own = pieces_of(around, us), .first = in_sight(occupied)};
    view.checkers = (view.first | KNIGHT_LANES) & attackers;
    view.pinners =
        find_pinners(occupied, view.first, view.own, attackers & RAY_LANES & ~view.first);
    return view;
}

PM_ALWAYS_INLINE uint64_t ray_lanes(unsigned ray)
{
    return 0x7fULL << 8 * ray;
}

/* The lane of the piece that this pinner pins. */
PM_ALWAYS_INLINE unsigned pinned_lane(const struct king_view *view, unsigned ray)
{
    return pm_lsb(view->first & view->own & ray_lanes(ray));
}

/* The rays on which the nearest square is on the board and not taken by its own pieces. */
PM_ALWAYS_INLINE uint64_t king_steps(const struct king_view *view, uint64_t nearest)
{
    return _pext_u64(nearest & ~view->own, NEAREST_LANES);
}

/* Where a piece other than the king may go in check: to the checker or in its way. */
PM_ALWAYS_INLINE uint64_t parries(const struct king_view *view, unsigned king)
{
    if (pm_has_several(view->checkers))
        return 0;
    const unsigned ray = pm_lsb(view->checkers) / 8;
    return squares_of(king, view->checkers |
                                (view->checkers & KNIGHT_LANES ? 0 : view->first & ray_lanes(ray)));
}

/* Squares that a knight or slider attacks. */
PM_ALWAYS_INLINE uint64_t attacks_of(bytes board, unsigned square, unsigned piece)
{
    const uint64_t sight = in_sight(pieces_on(look_from(square, board))) | KNIGHT_LANES;
    return squares_of(square, sight & reach(piece));
}

/* Writes a mover and returns the next one's place: the same if this one can't move. */
PM_ALWAYS_INLINE struct mover *add_mover(struct mover *next, unsigned from, unsigned piece,
                                         uint64_t targets)
{
    *next = (struct mover){.from = (uint8_t)from, .piece = (uint8_t)piece, .targets = targets};
    return next + (targets != 0);
}

struct pawn_targets {
    uint64_t push, double_push, west, east;
};

PM_ALWAYS_INLINE struct pawn_targets pawn_targets(enum pm_color us, uint64_t pawns,
                                                  uint64_t occupied, uint64_t enemies,
                                                  uint64_t allowed)
{
    const uint64_t push = forward(us, pawns) & ~occupied;
    return (struct pawn_targets){
        .push = push & allowed,
        .double_push = forward(us, push & rank_of(us, 3)) & ~occupied & allowed,
        .west = pawn_attacks_west(us, pawns) & enemies & allowed,
        .east = pawn_attacks_east(us, pawns) & enemies & allowed,
    };
}

PM_ALWAYS_INLINE unsigned count_pawn_targets(struct pawn_targets targets)
{
    unsigned count = pm_popcount(targets.push) + pm_popcount(targets.double_push) +
                     pm_popcount(targets.west) + pm_popcount(targets.east);
    if ((targets.push | targets.west | targets.east) & BACK_RANKS)
        count +=
            3 * (pm_popcount(targets.push & BACK_RANKS) + pm_popcount(targets.west & BACK_RANKS) +
                 pm_popcount(targets.east & BACK_RANKS));
    return count;
}

PM_ALWAYS_INLINE unsigned count_pawn_moves(enum pm_color us, uint64_t pawns, uint64_t occupied,
                                           uint64_t enemies, uint64_t allowed)
{
    return count_pawn_targets(pawn_targets(us, pawns, occupied, enemies, allowed));
}

PM_ALWAYS_INLINE struct mover *add_pawns(struct mover *next, enum pm_color us, uint64_t pawns,
                                         struct pawn_targets targets)
{
    const unsigned piece = color_bit(us) | PAWN;
    for (uint64_t rest = pawns; rest; rest = pm_without_lsb(rest)) {
        const uint64_t pawn = rest & -rest, push = forward(us, pawn);
        const uint64_t own_targets = (push & targets.push) |
                                     (forward(us, push) & targets.double_push) |
                                     (pawn_attacks_west(us, pawn) & targets.west) |
                                     (pawn_attacks_east(us, pawn) & targets.east);
        next = add_mover(next, pm_lsb(pawn), piece, own_targets);
    }
    return next;
}

/* The capture lifts two pieces, which no pin foresees: so it is tried. */
PM_ALWAYS_INLINE uint64_t en_passant_captors(bytes board, enum pm_color us, unsigned king,
                                             uint64_t target)
{
    const uint64_t beside =
        pawn_attacks_west(opponent(us), target) | pawn_attacks_east(opponent(us), target);
    uint64_t captors = 0;
    for (uint64_t rest = bytes_with(board, PAWN) & pieces_of(board, us) & beside; rest;
         rest = pm_without_lsb(rest)) {
        const uint64_t pawn = rest & -rest;
        const bytes after = with(without(board, pawn | forward(opponent(us), target)), target,
                                 color_bit(us) | PAWN);
        if (!is_attacked(after, king, opponent(us)))
            captors |= pawn;
    }
    return captors;
}

/* Whether the king, and the rook if it stood in the way, may leave: attacks with both lifted. */
PM_ALWAYS_INLINE int is_safe_path(bytes board, enum pm_color us, unsigned king, unsigned rook,
                                  uint64_t squares)
{
    const bytes lifted = without(board, pm_bit(king) | pm_bit(rook));
    for (uint64_t rest = squares; rest; rest = pm_without_lsb(rest))
        if (is_attacked(lifted, pm_lsb(rest), opponent(us)))
            return 0;
    return 1;
}

PM_ALWAYS_INLINE const struct castling_path *castling_path(enum pm_color us, unsigned king,
                                                           unsigned rook)
{
    return &tables.castling[us][king & 7][rook & 7];
}

PM_ALWAYS_INLINE uint64_t castling_rooks(bytes board, enum pm_color us, unsigned king,
                                         uint64_t rooks)
{
    const uint64_t occupied = pieces_on(board);
    uint64_t legal = 0;
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        const unsigned rook = pm_lsb(rest);
        const struct castling_path *path = castling_path(us, king, rook);
        if (!(path->empty & occupied) && is_safe_path(board, us, king, rook, path->safe))
            legal |= pm_bit(rook);
    }
    return legal;
}

/* The rays on which a step of the king meets an attack; only those of `lanes`, nearest ones, are
 * looked at. */
PM_ALWAYS_INLINE uint64_t attacked_beside(bytes board, enum pm_color us, unsigned king,
                                          uint64_t lanes)
{
    const bytes lifted = without(board, pm_bit(king));
    uint64_t attacked = 0;
    for (uint64_t rest = lanes; rest; rest = pm_without_lsb(rest)) {
        const unsigned lane = pm_lsb(rest);
        if (is_attacked(lifted, tables.square_of[king][lane], opponent(us)))
            attacked |= pm_bit(lane);
    }
    return attacked;
}

PM_ALWAYS_INLINE struct mover *add_king(struct mover *next, bytes pieces, enum pm_color us,
                                        unsigned king, const struct king_view *view)
{
    const uint64_t steps = NEAREST_LANES & tables.on_board[king] & ~view->own;
    const uint64_t attacked = attacked_beside(pieces, us, king, steps);
    return add_mover(next, king, color_bit(us) | KING, squares_of(king, steps & ~attacked));
}

/* A pinned piece keeps to its ray, on which a knight never moves. */
PM_ALWAYS_INLINE struct mover *add_pinned(struct mover *next, bytes pieces, enum pm_color us,
                                          unsigned square, unsigned piece, uint64_t line)
{
    if (piece & PAWN)
        return add_pawns(next, us, pm_bit(square),
                         pawn_targets(us, pm_bit(square), pieces_on(pieces),
                                      pieces_of(pieces, opponent(us)), line));
    return add_mover(next, square, piece, attacks_of(pieces, square, piece) & line);
}

PM_ALWAYS_INLINE struct mover *add_others(struct mover *next, const struct board *board,
                                          bytes pieces, enum pm_color us, unsigned king,
                                          const struct king_view *view, uint64_t allowed)
{
    const uint64_t own = pieces_of(pieces, us), enemies = pieces_of(pieces, opponent(us));
    const uint64_t pawns = bytes_with(pieces, PAWN) & own;
    uint64_t free = own & ~pm_bit(king);
    for (uint64_t rest = view->pinners; rest; rest = pm_without_lsb(rest)) {
        const unsigned ray = pm_lsb(rest) / 8;
        const unsigned square = tables.square_of[king][pinned_lane(view, ray)];
        free &= ~pm_bit(square);
        next = add_pinned(next, pieces, us, square, board->piece[square],
                          tables.ray[king][ray] & allowed);
    }
    for (uint64_t rest = free & ~pawns; rest; rest = pm_without_lsb(rest)) {
        const unsigned square = pm_lsb(rest), piece = board->piece[square];
        next = add_mover(next, square, piece, attacks_of(pieces, square, piece) & allowed);
    }
    return add_pawns(next, us, free & pawns,
                     pawn_targets(us, free & pawns, own | enemies, enemies, allowed));
}

PM_ALWAYS_INLINE void find_moves(const struct board *board, enum pm_color us, struct legal *legal)
{
    const bytes pieces = load_bytes(board->piece);
    const uint64_t own = pieces_of(pieces, us);
    const unsigned king = pm_lsb(bytes_with(pieces, KING) & own);
    const struct king_view view = view_from_king(pieces, king, us);
    const uint64_t rooks = board->castling & rank_of(us, 1);
    const uint64_t allowed = ~own & (view.checkers ? parries(&view, king) : ~0ULL);

    legal->king = king;
    legal->rooks = rooks && !view.checkers ? castling_rooks(pieces, us, king, rooks) : 0;
    legal->captors =
        board->en_passant ? en_passant_captors(pieces, us, king, board->en_passant) : 0;
    struct mover *next = add_king(legal->mover, pieces, us, king, &view);
    if (allowed)
        next = add_others(next, board, pieces, us, king, &view, allowed);
    legal->movers = (unsigned)(next - legal->mover);
}

static __attribute__((noinline)) void find_white_moves(const struct board *board,
                                                       struct legal *legal)
{
    find_moves(board, PM_WHITE, legal);
}
static __attribute__((noinline)) void find_black_moves(const struct board *board,
                                                       struct legal *legal)
{
    find_moves(board, PM_BLACK, legal);
}
PM_ALWAYS_INLINE void find_legal_moves(const struct board *board, enum pm_color us,
                                       struct legal *legal)
{
    if (us == PM_WHITE)
        find_white_moves(board, legal);
    else
        find_black_moves(board, legal);
}

PM_ALWAYS_INLINE unsigned count_legal(const struct legal *legal)
{
    unsigned count = pm_popcount(legal->captors) + pm_popcount(legal->rooks);
    for (unsigned i = 0; i < legal->movers; i++) {
        const struct mover *mover = &legal->mover[i];
        count += pm_popcount(mover->targets);
        if (mover->piece & PAWN)
            count += 3 * pm_popcount(mover->targets & BACK_RANKS);
    }
    return count;
}

static unsigned count_moves(const struct board *board, enum pm_color us)
{
    struct legal legal;
    find_legal_moves(board, us, &legal);
    return count_legal(&legal);
}

/* ---- Lists ---- */

static const uint8_t promotions[4] = {KNIGHT, DIAGONAL, STRAIGHT, DIAGONAL | STRAIGHT};

PM_ALWAYS_INLINE struct move *list_mover(struct move *move, enum pm_color us,
                                         const struct mover *mover)
{
    const int pawn = mover->piece & PAWN;
    for (uint64_t rest = mover->targets; rest; rest = pm_without_lsb(rest)) {
        const unsigned to = pm_lsb(rest);
        *move = (struct move){.from = mover->from, .to = (uint8_t)to, .piece = mover->piece};
        if (pawn && pm_bit(to) & BACK_RANKS) {
            for (unsigned i = 0; i < 4; i++) {
                *move = (struct move){.from = mover->from, .to = (uint8_t)to};
                (move++)->piece = (uint8_t)(color_bit(us) | promotions[i]);
            }
            continue;
        }
        if (pawn && (to ^ mover->from) == 16)
            move->kind = DOUBLE_PUSH;
        move++;
    }
    return move;
}

/* Captures en passant and castlings. */
PM_ALWAYS_INLINE struct move *list_special_moves(struct move *move, const struct board *board,
                                                 enum pm_color us, const struct legal *legal)
{
    for (uint64_t rest = legal->captors; rest; rest = pm_without_lsb(rest))
        *move++ = (struct move){.from = (uint8_t)pm_lsb(rest),
                                .to = (uint8_t)pm_lsb(board->en_passant),
                                .piece = (uint8_t)(color_bit(us) | PAWN),
                                .kind = EN_PASSANT};
    for (uint64_t rest = legal->rooks; rest; rest = pm_without_lsb(rest))
        *move++ = (struct move){.from = (uint8_t)legal->king,
                                .to = (uint8_t)pm_lsb(rest),
                                .piece = (uint8_t)(color_bit(us) | KING),
                                .kind = CASTLING};
    return move;
}

/* Lists all legal moves of a position; returns their number. */
PM_ALWAYS_INLINE unsigned list_moves(const struct board *board, enum pm_color us,
                                     struct move moves[PM_MAX_MOVES])
{
    struct legal legal;
    find_legal_moves(board, us, &legal);
    struct move *move = moves;
    for (unsigned i = 0; i < legal.movers; i++)
        move = list_mover(move, us, &legal.mover[i]);
    move = list_special_moves(move, board, us, &legal);
    return (unsigned)(move - moves);
}

#endif
