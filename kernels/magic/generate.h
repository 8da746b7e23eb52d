/* SPDX-License-Identifier: MIT */
/* Legal moves of the magic kernel. One body serves the list, the count and the expansion: without a
 * list, sets of targets are counted, or passed on, whole. */
#ifndef PM_KERNELS_MAGIC_GENERATE_H
#define PM_KERNELS_MAGIC_GENERATE_H

#include "core/bitboards.h"
#include "core/bits.h"
#include "core/board.h"
#include "kernels/magic/attacks.h"
#include "kernels/magic/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_PINS 8

/* What stands against the side to move. */
struct threats {
    unsigned king;
    unsigned pin_count;
    uint64_t checkers;
    uint64_t pinned;
    uint64_t pin_rays[MAX_PINS]; /* from beside the king up to and with the pinning slider */
};

PM_ALWAYS_INLINE uint64_t diagonal_sliders(const struct state *state, enum pm_color color)
{
    return state->pieces[color][PM_BISHOP] | state->pieces[color][PM_QUEEN];
}

PM_ALWAYS_INLINE uint64_t straight_sliders(const struct state *state, enum pm_color color)
{
    return state->pieces[color][PM_ROOK] | state->pieces[color][PM_QUEEN];
}

/* The square one ahead to the a-file's side, and to the h-file's. */
PM_ALWAYS_INLINE uint64_t ahead_west(uint64_t set, enum pm_color color)
{
    return ahead((set & ~FILE_A) >> 1, color);
}
PM_ALWAYS_INLINE uint64_t ahead_east(uint64_t set, enum pm_color color)
{
    return ahead((set & ~FILE_H) << 1, color);
}

PM_ALWAYS_INLINE uint64_t knights_attacks(uint64_t knights)
{
    const uint64_t one = (knights & ~FILE_A) >> 1 | (knights & ~FILE_H) << 1;
    const uint64_t two =
        (knights & ~(FILE_A | FILE_A << 1)) >> 2 | (knights & ~(FILE_H | FILE_H >> 1)) << 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

/* Squares that the pieces of `by` attack, of their sliders only those given, when `occupied` is all
 * that stops them. */
PM_ALWAYS_INLINE uint64_t attacked_by(const struct state *state, enum pm_color by,
                                      uint64_t diagonal, uint64_t straight, uint64_t occupied)
{
    const uint64_t pawns = state->pieces[by][PM_PAWN];
    uint64_t attacked = ahead_west(pawns, by) | ahead_east(pawns, by);
    attacked |= knights_attacks(state->pieces[by][PM_KNIGHT]);
    attacked |= tables.king[pm_lsb(state->pieces[by][PM_KING])];
    for (uint64_t set = diagonal; set != 0; set = pm_without_lsb(set))
        attacked |= bishop_attacks(pm_lsb(set), occupied);
    for (uint64_t set = straight; set != 0; set = pm_without_lsb(set))
        attacked |= rook_attacks(pm_lsb(set), occupied);
    return attacked;
}

/* Checkers, pinned pieces and their rays. Each enemy slider on an open line of the king gives check
 * if nothing stands between, and pins if one piece of ours does. */
PM_ALWAYS_INLINE void find_threats(const struct state *state, enum pm_color us,
                                   struct threats *threats)
{
    const uint64_t *const own = state->pieces[us], *const their = state->pieces[!us];
    const uint64_t occupied = own[0] | their[0];
    const unsigned king = pm_lsb(own[PM_KING]);
    uint64_t snipers = (tables.bishop_lines[king] & diagonal_sliders(state, !us)) |
                       (tables.rook_lines[king] & straight_sliders(state, !us));

    threats->king = king;
    threats->pin_count = 0;
    threats->pinned = 0;
    threats->checkers =
        (tables.knight[king] & their[PM_KNIGHT]) | (tables.pawn[us][king] & their[PM_PAWN]);
    while (snipers != 0) {
        const unsigned sniper = pm_pop_lsb(&snipers);
        const uint64_t between = tables.between[king][sniper], blockers = between & occupied;
        if (blockers == 0) {
            threats->checkers |= pm_bit(sniper);
        } else if (!pm_has_several(blockers) && (blockers & own[0])) {
            threats->pinned |= blockers;
            threats->pin_rays[threats->pin_count++] = between | pm_bit(sniper);
        }
    }
}

/* Where moves go: into a list, or as sets into an expansion; with neither they are only counted. A
 * constant wherever it is used. */
struct sink {
    packed_move *list;
    struct pm_expansion *expansion;
};

/* The moves of one piece as sets. */
PM_ALWAYS_INLINE void expand_piece(struct pm_expansion *expansion, unsigned from, uint64_t targets,
                                   unsigned kind)
{
    if (kind == KIND_EN_PASSANT)
        expansion->en_passant_captors |= pm_bit(from);
    else if (kind == KIND_CASTLING)
        expansion->castling_rooks |= targets;
    else
        pm_expansion_add(expansion, (enum pm_piece_type)kind, from, targets);
}

/* The same for pawns, by their step. */
PM_ALWAYS_INLINE void expand_pawns(struct pm_expansion *expansion, uint64_t targets, int shift)
{
    switch (shift) {
    case 8:
    case -8:
        expansion->pushes |= targets;
        break;
    case 16:
    case -16:
        expansion->double_pushes |= targets;
        break;
    case 7:
    case -9:
        expansion->left_captures |= targets;
        break;
    default:
        expansion->right_captures |= targets;
        break;
    }
}

/* Adds one move for each target. Returns the number of moves so far, which means nothing to an
 * expansion. */
PM_ALWAYS_INLINE unsigned put(struct sink sink, unsigned count, unsigned from, uint64_t targets,
                              unsigned kind)
{
    if (sink.expansion != NULL)
        expand_piece(sink.expansion, from, targets, kind);
    if (sink.list == NULL)
        return count + pm_popcount(targets);
    while (targets != 0)
        sink.list[count++] = pack_move(from, pm_pop_lsb(&targets), kind);
    return count;
}

/* The same for pawns that all move by the same step, `shift` squares back to their origin. */
PM_ALWAYS_INLINE unsigned put_pawns(struct sink sink, unsigned count, uint64_t targets, int shift,
                                    unsigned kind)
{
    if (sink.expansion != NULL)
        expand_pawns(sink.expansion, targets, shift);
    if (sink.list == NULL)
        return count + pm_popcount(targets);
    while (targets != 0) {
        const unsigned to = pm_pop_lsb(&targets);
        sink.list[count++] = pack_move((unsigned)((int)to - shift), to, kind);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned put_promotions(struct sink sink, unsigned count, uint64_t targets,
                                         int shift)
{
    for (unsigned kind = KIND_PROMOTION; kind < KIND_PROMOTION + 4; kind++)
        count = put_pawns(sink, count, targets, shift, kind);
    return count;
}

/* Moves of a set of pawns onto `targets`, without en passant. */
PM_ALWAYS_INLINE unsigned pawn_moves(const struct state *state, enum pm_color us, struct sink sink,
                                     unsigned count, uint64_t pawns, uint64_t targets)
{
    const int forward = us == PM_WHITE ? 8 : -8;
    const uint64_t enemies = state->pieces[!us][0] & targets;
    const uint64_t empty = ~(state->pieces[us][0] | state->pieces[!us][0]);
    const uint64_t third_rank = us == PM_WHITE ? 0xFFULL << 16 : 0xFFULL << 40;

    const uint64_t pushes = ahead(pawns, us) & empty;
    const uint64_t doubles = ahead(pushes & third_rank, us) & empty & targets;
    const uint64_t singles = pushes & targets;
    const uint64_t west = ahead_west(pawns, us) & enemies;
    const uint64_t east = ahead_east(pawns, us) & enemies;
    const uint64_t last = home_rank(!us);

    count = put_pawns(sink, count, doubles, 2 * forward, KIND_DOUBLE_PUSH);
    count = put_pawns(sink, count, singles & ~last, forward, PM_PAWN);
    count = put_pawns(sink, count, west & ~last, forward - 1, PM_PAWN);
    count = put_pawns(sink, count, east & ~last, forward + 1, PM_PAWN);
    if ((singles | west | east) & last) {
        count = put_promotions(sink, count, singles & last, forward);
        count = put_promotions(sink, count, west & last, forward - 1);
        count = put_promotions(sink, count, east & last, forward + 1);
    }
    return count;
}

/* Whether the king is safe after an en passant capture, tried out on the sets alone: two pieces
 * leave a rank at once, which no pin mask tells. */
PM_ALWAYS_INLINE bool en_passant_is_legal(const struct state *state, enum pm_color us,
                                          unsigned king, unsigned from, unsigned to)
{
    const uint64_t *const their = state->pieces[!us];
    const uint64_t victim = pm_bit(behind_square(to, us));
    const uint64_t occupied =
        ((state->pieces[us][0] | their[0]) ^ pm_bit(from) ^ victim) | pm_bit(to);
    return !((bishop_attacks(king, occupied) & diagonal_sliders(state, !us)) |
             (rook_attacks(king, occupied) & straight_sliders(state, !us)) |
             (tables.knight[king] & their[PM_KNIGHT]) |
             (tables.pawn[us][king] & their[PM_PAWN] & ~victim));
}

PM_ALWAYS_INLINE unsigned en_passant_moves(const struct state *state, enum pm_color us,
                                           struct sink sink, unsigned count, unsigned king)
{
    const uint64_t target = state->en_passant;
    uint64_t capturers =
        (ahead_west(target, !us) | ahead_east(target, !us)) & state->pieces[us][PM_PAWN];
    while (capturers != 0) {
        const unsigned from = pm_pop_lsb(&capturers), to = pm_lsb(target);
        if (en_passant_is_legal(state, us, king, from, to))
            count = put(sink, count, from, target, KIND_EN_PASSANT);
    }
    return count;
}

/* Whether a capture on the en passant square, which is there, is legal. */
PM_ALWAYS_INLINE bool can_capture_en_passant(const struct state *state, enum pm_color us)
{
    return en_passant_moves(state, us, (struct sink){0}, 0, pm_lsb(state->pieces[us][PM_KING])) !=
           0;
}

/* A king that is not in check castles if all squares that either piece crosses are empty but for
 * the two, none that the king crosses is attacked, and no slider of the first rank that the rook
 * held off reaches it at the end. */
PM_ALWAYS_INLINE bool castling_is_legal(const struct state *state, enum pm_color us, unsigned king,
                                        unsigned rook, uint64_t attacked)
{
    const unsigned king_to = castled_king(king, rook), rook_to = castled_rook(king, rook);
    const uint64_t pieces = pm_bit(king) | pm_bit(rook);
    const uint64_t others = (state->pieces[us][0] | state->pieces[!us][0]) & ~pieces;
    const uint64_t king_path = tables.between[king][king_to] | pm_bit(king_to);
    const uint64_t rook_path = tables.between[rook][rook_to] | pm_bit(rook_to);
    const uint64_t snipers = straight_sliders(state, !us) & home_rank(us);

    if ((king_path | rook_path) & others || king_path & attacked)
        return false;
    return !(snipers && rook_attacks(king_to, others | pm_bit(rook_to)) & snipers);
}

PM_ALWAYS_INLINE unsigned castling_moves(const struct state *state, enum pm_color us,
                                         struct sink sink, unsigned count, unsigned king,
                                         uint64_t attacked)
{
    uint64_t rooks = state->castling & home_rank(us);
    while (rooks != 0) {
        const unsigned rook = pm_pop_lsb(&rooks);
        if (castling_is_legal(state, us, king, rook, attacked))
            count = put(sink, count, king, pm_bit(rook), KIND_CASTLING);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned king_moves(const struct state *state, enum pm_color us, struct sink sink,
                                     unsigned count, const struct threats *threats)
{
    const uint64_t *const own = state->pieces[us];
    const uint64_t steps = tables.king[threats->king] & ~own[0];
    const uint64_t castling = threats->checkers ? 0 : state->castling & home_rank(us);
    if ((steps | castling) == 0)
        return count;

    uint64_t diagonal = diagonal_sliders(state, !us), straight = straight_sliders(state, !us);
    if (!castling) {
        diagonal &= tables.bishop_near[threats->king];
        straight &= tables.rook_near[threats->king];
    }
    /* Without our king: it can't hide behind itself. */
    const uint64_t occupied = (own[0] ^ own[PM_KING]) | state->pieces[!us][0];
    const uint64_t attacked = attacked_by(state, !us, diagonal, straight, occupied);
    count = put(sink, count, threats->king, steps & ~attacked, PM_KING);
    if (castling)
        count = castling_moves(state, us, sink, count, threats->king, attacked);
    return count;
}

/* Moves of knights, bishops, rooks and queens that are not pinned. */
PM_ALWAYS_INLINE unsigned piece_moves(const struct state *state, enum pm_color us, struct sink sink,
                                      unsigned count, uint64_t pinned, uint64_t targets)
{
    const uint64_t *const own = state->pieces[us];
    const uint64_t occupied = own[0] | state->pieces[!us][0];

    for (uint64_t set = own[PM_KNIGHT] & ~pinned; set != 0;) {
        const unsigned from = pm_pop_lsb(&set);
        count = put(sink, count, from, tables.knight[from] & targets, PM_KNIGHT);
    }
    for (uint64_t set = own[PM_BISHOP] & ~pinned; set != 0;) {
        const unsigned from = pm_pop_lsb(&set);
        count = put(sink, count, from, bishop_attacks(from, occupied) & targets, PM_BISHOP);
    }
    for (uint64_t set = own[PM_ROOK] & ~pinned; set != 0;) {
        const unsigned from = pm_pop_lsb(&set);
        count = put(sink, count, from, rook_attacks(from, occupied) & targets, PM_ROOK);
    }
    for (uint64_t set = own[PM_QUEEN] & ~pinned; set != 0;) {
        const unsigned from = pm_pop_lsb(&set);
        const uint64_t attacks = bishop_attacks(from, occupied) | rook_attacks(from, occupied);
        count = put(sink, count, from, attacks & targets, PM_QUEEN);
    }
    return count;
}

/* Moves of one pinned piece along its ray, when there is no check. A slider that moves along the
 * line reaches the whole ray: nothing else stands on it. */
PM_ALWAYS_INLINE unsigned pinned_moves(const struct state *state, enum pm_color us,
                                       struct sink sink, unsigned count, unsigned king,
                                       uint64_t ray)
{
    const uint64_t piece = ray & state->pieces[us][0];
    const unsigned from = pm_lsb(piece);
    const enum pm_piece_type type = (enum pm_piece_type)state->type[from];
    const bool straight = (ray & tables.rook_lines[king]) != 0;

    if (type == PM_PAWN)
        return pawn_moves(state, us, sink, count, piece, ray);
    if (type == PM_QUEEN || type == (straight ? PM_ROOK : PM_BISHOP))
        return put(sink, count, from, ray ^ piece, type);
    return count;
}

/* All legal moves of `us`. */
PM_ALWAYS_INLINE unsigned generate(const struct state *state, enum pm_color us, struct sink sink)
{
    struct threats threats;
    find_threats(state, us, &threats);
    unsigned count = king_moves(state, us, sink, 0, &threats);
    uint64_t targets = ~state->pieces[us][0];

    if (threats.checkers) {
        if (pm_has_several(threats.checkers))
            return count;
        targets &= threats.checkers | tables.between[threats.king][pm_lsb(threats.checkers)];
    } else {
        for (unsigned i = 0; i < threats.pin_count; i++)
            count = pinned_moves(state, us, sink, count, threats.king, threats.pin_rays[i]);
    }
    count = piece_moves(state, us, sink, count, threats.pinned, targets);
    count =
        pawn_moves(state, us, sink, count, state->pieces[us][PM_PAWN] & ~threats.pinned, targets);
    return en_passant_moves(state, us, sink, count, threats.king);
}

#endif
