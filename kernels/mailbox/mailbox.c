/* SPDX-License-Identifier: MIT */
/* 10x12 mailbox: 120 squares, the outer ones guards, and moves found by adding offsets. README.md
 * beside this file explains the technique. The board is turned into C indices like this:
 *
 *   110 111 … 119      guards, two rows because a knight jumps two
 *   100 101 … 109
 *    90  91 …  98  99  91 = a8, 98 = h8; one guard column each side: the rows are joined
 *     …
 *    20  21 …  28  29  21 = a1, 28 = h1
 *    10  11 …  19
 *     0   1 …   9
 */
#include "core/bits.h"
#include "core/board.h"
#include "core/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BOARD_SIZE = 120, ROW = 10, NOWHERE = 0, MAX_RAYS = 8, MAX_CHECKERS = 16 };

/* What stands on a square: a kind and a colour bit, GUARD, or EMPTY. Sliders carry a bit a line, so
 * that one test finds them with the queens. A colour bit without a kind is a man whose moves have
 * been dealt with already: a pinned one, while moves are generated. */
enum {
    EMPTY = 0,
    PAWN = 1,
    KNIGHT = 2,
    KING = 3,
    DIAGONAL = 4,
    STRAIGHT = 8,
    BISHOP = DIAGONAL,
    ROOK = STRAIGHT,
    QUEEN = DIAGONAL | STRAIGHT,
    KIND = 15,
    GUARD = 128
};

static const uint8_t kind_of_type[PM_PIECE_TYPE_COUNT] = {
    [PM_PAWN] = PAWN, [PM_KNIGHT] = KNIGHT, [PM_BISHOP] = BISHOP,
    [PM_ROOK] = ROOK, [PM_QUEEN] = QUEEN,   [PM_KING] = KING,
};
static const uint8_t type_of_kind[KIND + 1] = {
    [PAWN] = PM_PAWN, [KNIGHT] = PM_KNIGHT, [BISHOP] = PM_BISHOP,
    [ROOK] = PM_ROOK, [QUEEN] = PM_QUEEN,   [KING] = PM_KING,
};

static const int straight_steps[4] = {-10, -1, 1, 10};
static const int diagonal_steps[4] = {-11, -9, 9, 11};
static const int king_steps[8] = {-11, -10, -9, -1, 1, 9, 10, 11};
static const int knight_jumps[8] = {-21, -19, -12, -8, 8, 12, 19, 21};

/* The squares of a side's men, the king's first. A captured man leaves NOWHERE in its slot. The
 * last slot belongs to every empty square: writing it is cheaper than asking whether a move
 * captures. */
enum { KING_SLOT = 0, EMPTY_SLOT = 63, SLOT_COUNT = 64 };

struct state {
    uint8_t board[BOARD_SIZE];
    uint8_t slot[BOARD_SIZE]; /* of the man on that square in men[colour] */
    uint8_t keep[BOARD_SIZE]; /* castling rights left after a move from or to that square */
    uint8_t men[PM_COLOR_COUNT][SLOT_COUNT];
    uint8_t men_end[PM_COLOR_COUNT]; /* slots in use, with those of captured men */
    /* Meaningless without the right. */
    uint8_t castling_rook[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    uint8_t rights;     /* right_bit() bits */
    uint8_t en_passant; /* NOWHERE unless an enemy pawn stands ready to capture */
    uint8_t side;
    uint16_t halfmove_clock;
    uint16_t fullmove_number;
};

enum kind { NORMAL, DOUBLE_PUSH, PROMOTION, EN_PASSANT, CASTLING };

/* From, to (castling: the rook's square), kind and the promoted man's kind: a byte each from the
 * lowest, written and read as one word. */
struct move {
    uint32_t word;
};

PM_ALWAYS_INLINE struct move pack(ptrdiff_t from, ptrdiff_t to, enum kind kind, int promotion)
{
    return (struct move){(uint32_t)from | (uint32_t)to << 8 | (uint32_t)kind << 16 |
                         (uint32_t)promotion << 24};
}
PM_ALWAYS_INLINE int from_of(struct move move)
{
    return (int)(move.word & 255);
}
PM_ALWAYS_INLINE int to_of(struct move move)
{
    return (int)(move.word >> 8 & 255);
}
PM_ALWAYS_INLINE enum kind kind_of(struct move move)
{
    return (enum kind)(move.word >> 16 & 255);
}
PM_ALWAYS_INLINE int promotion_of(struct move move)
{
    return (int)(move.word >> 24);
}

/* What a move overwrites on the board and in the lists. */
struct undo {
    uint8_t man; /* that moved, before a promotion */
    uint8_t slot;
    uint8_t captured; /* on `to`; EMPTY in en passant */
    uint8_t captured_slot;
};

/* ---- Geometry and colour -------------------------------------------------------------------- */

PM_ALWAYS_INLINE int to_mailbox(pm_square square)
{
    return 21 + (int)pm_file_of(square) + ROW * (int)pm_rank_of(square);
}

PM_ALWAYS_INLINE pm_square from_mailbox(int square)
{
    return pm_make_square((unsigned)(square % ROW - 1), (unsigned)(square / ROW - 2));
}

PM_ALWAYS_INLINE int bit_of(enum pm_color color)
{
    return 16 << color;
}
PM_ALWAYS_INLINE enum pm_color other(enum pm_color color)
{
    return (enum pm_color)(1 - color);
}
PM_ALWAYS_INLINE int up_of(enum pm_color color)
{
    return color == PM_WHITE ? ROW : -ROW;
}

PM_ALWAYS_INLINE int right_bit(enum pm_color color, enum pm_castling_side side)
{
    return 1 << (2 * (int)color + (int)side);
}

PM_ALWAYS_INLINE bool on_second_rank(ptrdiff_t square, enum pm_color us)
{
    return us == PM_WHITE ? square < 40 : square > 80;
}
PM_ALWAYS_INLINE bool on_seventh_rank(ptrdiff_t square, enum pm_color us)
{
    return on_second_rank(square, other(us));
}

/* A difference of two squares on the board stands for a king's step in no more than one way, since
 * the guards make the rows longer than any horizontal distance. */
PM_ALWAYS_INLINE bool is_king_step(ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t distance = a > b ? a - b : b - a;
    return distance == 1 || (distance >= 9 && distance <= 11);
}

/* The first square from `from` on (not included) that is not empty: a man's or a guard's.
 * Squares are ptrdiff_t where constants are added to them, which gcc then does within the load, and
 * int where a walk changes them, which clang needs: see README.md. */
PM_ALWAYS_INLINE int walk(const uint8_t board[], ptrdiff_t from, int step)
{
    int square = (int)from + step;
    while (board[square] == EMPTY)
        square += step;
    return square;
}

PM_ALWAYS_INLINE bool has_all(int value, int bits)
{
    return (value & bits) == bits;
}

/* ---- Attacks -------------------------------------------------------------------------------- */

/* Whether men of `them` other than the king attack a square. */
PM_ALWAYS_INLINE bool is_attacked(const uint8_t board[], ptrdiff_t square, enum pm_color them)
{
    const int enemy = bit_of(them);
    const int toward = up_of(other(them));
    bool found = board[square + toward - 1] == (enemy | PAWN);
    found |= board[square + toward + 1] == (enemy | PAWN);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        found |= board[square + knight_jumps[i]] == (enemy | KNIGHT);
    if (found)
        return true;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (has_all(board[walk(board, square, straight_steps[i])], enemy | STRAIGHT))
            return true;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (has_all(board[walk(board, square, diagonal_steps[i])], enemy | DIAGONAL))
            return true;
    return false;
}

struct pin {
    int square;
    int man;
    int step; /* from the king to the pinned man */
    int pinner;
};

/* What the king sees. */
struct sight {
    int checker[MAX_CHECKERS];
    int checker_step[MAX_CHECKERS]; /* from the king to the checker, a knight's whole jump */
    int checker_count;
    struct pin pin[MAX_RAYS];
    int pin_count;
};

PM_ALWAYS_INLINE void see_checker(struct sight *sight, int square, int step)
{
    sight->checker[sight->checker_count] = square;
    sight->checker_step[sight->checker_count] = step;
    sight->checker_count++;
}

PM_ALWAYS_INLINE void look_along(const uint8_t board[], int king, int step, int line,
                                 enum pm_color us, struct sight *sight)
{
    const int enemy = bit_of(other(us));
    const int first = walk(board, king, step);
    if ((board[first] & bit_of(us)) != 0) {
        const int second = walk(board, first, step);
        if (has_all(board[second], enemy | line))
            sight->pin[sight->pin_count++] =
                (struct pin){.square = first, .man = board[first], .step = step, .pinner = second};
    } else if (has_all(board[first], enemy | line)) {
        see_checker(sight, first, step);
    }
}

PM_ALWAYS_INLINE void look_around(const uint8_t board[], int king, enum pm_color us,
                                  struct sight *sight)
{
    const int enemy = bit_of(other(us));
    sight->checker_count = 0;
    sight->pin_count = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        look_along(board, king, straight_steps[i], STRAIGHT, us, sight);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        look_along(board, king, diagonal_steps[i], DIAGONAL, us, sight);
    for (int side = -1; side <= 1; side += 2)
        if (board[king + up_of(us) + side] == (enemy | PAWN))
            see_checker(sight, king + up_of(us) + side, up_of(us) + side);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        if (board[king + knight_jumps[i]] == (enemy | KNIGHT))
            see_checker(sight, king + knight_jumps[i], knight_jumps[i]);
}

/* ---- Legal moves ----------------------------------------------------------------------------
 * Every function below adds moves to `list` behind the `count` that it holds and returns the new
 * count. With list NULL, a constant in each use, they only count. */

PM_ALWAYS_INLINE unsigned add_if(bool legal, struct move *list, unsigned count, ptrdiff_t from,
                                 ptrdiff_t to, enum kind kind, int promotion)
{
    if (list != NULL)
        list[count] = pack(from, to, kind, promotion);
    return count + legal;
}

PM_ALWAYS_INLINE unsigned add(struct move *list, unsigned count, ptrdiff_t from, ptrdiff_t to)
{
    return add_if(true, list, count, from, to, NORMAL, 0);
}

PM_ALWAYS_INLINE unsigned add_promotions(struct move *list, unsigned count, ptrdiff_t from,
                                         ptrdiff_t to)
{
    count = add_if(true, list, count, from, to, PROMOTION, QUEEN);
    count = add_if(true, list, count, from, to, PROMOTION, ROOK);
    count = add_if(true, list, count, from, to, PROMOTION, BISHOP);
    return add_if(true, list, count, from, to, PROMOTION, KNIGHT);
}

PM_ALWAYS_INLINE unsigned pawn_captures(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                        struct move *list, unsigned count)
{
    const int enemy = bit_of(other(us));
    for (int side = -1; side <= 1; side += 2) {
        const ptrdiff_t to = from + up_of(us) + side;
        if (!on_seventh_rank(from, us))
            count = add_if((board[to] & enemy) != 0, list, count, from, to, NORMAL, 0);
        else if ((board[to] & enemy) != 0)
            count = add_promotions(list, count, from, to);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned pawn_pushes(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                      struct move *list, unsigned count)
{
    const ptrdiff_t to = from + up_of(us);
    const bool single = board[to] == EMPTY;
    if (on_seventh_rank(from, us))
        return single ? add_promotions(list, count, from, to) : count;
    const bool twice = single && on_second_rank(from, us) && board[to + up_of(us)] == EMPTY;
    count = add_if(single, list, count, from, to, NORMAL, 0);
    return add_if(twice, list, count, from, to + up_of(us), DOUBLE_PUSH, 0);
}

PM_ALWAYS_INLINE unsigned knight_moves(const uint8_t board[], ptrdiff_t from, enum pm_color us,
                                       struct move *list, unsigned count)
{
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const ptrdiff_t to = from + knight_jumps[i];
        count = add_if((board[to] & (bit_of(us) | GUARD)) == 0, list, count, from, to, NORMAL, 0);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned slides(const uint8_t board[], ptrdiff_t from, const int steps[4],
                                 enum pm_color us, struct move *list, unsigned count)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        ptrdiff_t to = from + steps[i];
        for (; board[to] == EMPTY; to += steps[i])
            count = add(list, count, from, to);
        count = add_if((board[to] & bit_of(other(us))) != 0, list, count, from, to, NORMAL, 0);
    }
    return count;
}

/* The men that are neither kings nor pinned. */
PM_ALWAYS_INLINE unsigned free_men_moves(const struct state *state, enum pm_color us,
                                         struct move *list, unsigned count)
{
    const uint8_t *board = state->board;
    for (int i = KING_SLOT + 1; i < state->men_end[us]; i++) {
        const int from = state->men[us][i];
        switch (board[from] & KIND) {
        case PAWN:
            count = pawn_pushes(board, from, us, list, count);
            count = pawn_captures(board, from, us, list, count);
            break;
        case KNIGHT:
            count = knight_moves(board, from, us, list, count);
            break;
        case BISHOP:
            count = slides(board, from, diagonal_steps, us, list, count);
            break;
        case QUEEN:
            count = slides(board, from, diagonal_steps, us, list, count);
            count = slides(board, from, straight_steps, us, list, count);
            break;
        case ROOK:
            count = slides(board, from, straight_steps, us, list, count);
            break;
        default: /* captured, or pinned */
            break;
        }
    }
    return count;
}

/* A pinned man moves between its king and the pinner, or takes the pinner. */
PM_ALWAYS_INLINE unsigned pinned_moves(const uint8_t board[], int king, const struct pin *pin,
                                       enum pm_color us, struct move *list, unsigned count)
{
    const int from = pin->square;
    const int ahead = pin->step * up_of(us) > 0 ? pin->step : -pin->step; /* the line, forwards */
    const int line = abs(pin->step) == 1 || abs(pin->step) == ROW ? STRAIGHT : DIAGONAL;
    if ((pin->man & line) != 0) {
        for (int to = king + pin->step; to != pin->pinner; to += pin->step)
            if (to != from)
                count = add(list, count, from, to);
        return add(list, count, from, pin->pinner);
    }
    if ((pin->man & KIND) != PAWN)
        return count;
    if (ahead == up_of(us))
        return pawn_pushes(board, from, us, list, count);
    if (line == DIAGONAL && from + ahead == pin->pinner)
        return on_seventh_rank(from, us) ? add_promotions(list, count, from, pin->pinner)
                                         : add(list, count, from, pin->pinner);
    return count;
}

/* Unpinned men's moves to one square: found by walking from it. */
PM_ALWAYS_INLINE unsigned moves_to(const uint8_t board[], int to, enum pm_color us,
                                   struct move *list, unsigned count)
{
    const int own = bit_of(us);
    const int down = -up_of(us);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const int from = walk(board, to, king_steps[i]);
        const int line = abs(king_steps[i]) == 1 || abs(king_steps[i]) == ROW ? STRAIGHT : DIAGONAL;
        count = add_if(has_all(board[from], own | line), list, count, from, to, NORMAL, 0);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const int from = to + knight_jumps[i];
        count = add_if(board[from] == (own | KNIGHT), list, count, from, to, NORMAL, 0);
    }
    const bool capture = board[to] != EMPTY;
    for (int side = -1; side <= 1; side++) {
        const int from = to + down + side;
        if (capture == (side != 0) && board[from] == (own | PAWN))
            count = on_seventh_rank(from, us) ? add_promotions(list, count, from, to)
                                              : add(list, count, from, to);
    }
    const int start = to + 2 * down;
    const bool twice = !capture && board[to + down] == EMPTY && on_second_rank(start, us) &&
                       board[start] == (own | PAWN);
    return add_if(twice, list, count, start, to, DOUBLE_PUSH, 0);
}

PM_ALWAYS_INLINE bool is_en_passant_legal(const struct state *state, int from, enum pm_color us)
{
    uint8_t after[BOARD_SIZE];
    memcpy(after, state->board, sizeof after);
    after[from] = EMPTY;
    after[state->en_passant - up_of(us)] = EMPTY;
    after[state->en_passant] = (uint8_t)(bit_of(us) | PAWN);
    return !is_attacked(after, state->men[us][KING_SLOT], other(us));
}

static __attribute__((noinline)) unsigned en_passant_moves(const struct state *state,
                                                           enum pm_color us, struct move *list)
{
    unsigned count = 0;
    const int to = state->en_passant;
    for (int side = -1; side <= 1; side += 2) {
        const int from = to - up_of(us) + side;
        if (state->board[from] == (bit_of(us) | PAWN) && is_en_passant_legal(state, from, us))
            count = add_if(true, list, count, from, to, EN_PASSANT, 0);
    }
    return count;
}

PM_ALWAYS_INLINE unsigned king_moves(struct state *state, enum pm_color us, struct move *list,
                                     unsigned count)
{
    uint8_t *board = state->board;
    const ptrdiff_t king = state->men[us][KING_SLOT];
    const ptrdiff_t enemy_king = state->men[other(us)][KING_SLOT];
    board[king] = EMPTY; /* it gives no shelter to the squares behind it */
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const ptrdiff_t to = king + king_steps[i];
        if ((board[to] & (bit_of(us) | GUARD)) == 0 && !is_king_step(to, enemy_king) &&
            !is_attacked(board, to, other(us)))
            count = add(list, count, king, to);
    }
    board[king] = (uint8_t)(bit_of(us) | KING);
    return count;
}

struct castling {
    int king_to;
    int rook_to;
};

PM_ALWAYS_INLINE struct castling castling_squares(enum pm_color us, enum pm_castling_side side)
{
    const int corner = us == PM_WHITE ? 21 : 91;
    return side == PM_KINGSIDE ? (struct castling){.king_to = corner + 6, .rook_to = corner + 5}
                               : (struct castling){.king_to = corner + 2, .rook_to = corner + 3};
}

PM_ALWAYS_INLINE bool all_empty(const uint8_t board[], ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t last = a < b ? b : a;
    for (ptrdiff_t square = a < b ? a : b; square <= last; square++)
        if (board[square] != EMPTY)
            return false;
    return true;
}

/* King and rook are lifted for the test. An enemy slider behind the lifted rook sees no square that
 * it would not see after the castling as well: all between them must be empty. */
PM_ALWAYS_INLINE bool can_castle(struct state *state, enum pm_color us, enum pm_castling_side side)
{
    uint8_t *board = state->board;
    const ptrdiff_t king = state->men[us][KING_SLOT];
    const ptrdiff_t enemy_king = state->men[other(us)][KING_SLOT];
    const ptrdiff_t rook = state->castling_rook[us][side];
    const struct castling end = castling_squares(us, side);
    const int step = (king > end.king_to) - (king < end.king_to);
    const uint8_t lifted_rook = board[rook]; /* it may be marked as pinned */

    board[king] = EMPTY;
    board[rook] = EMPTY;
    bool legal = all_empty(board, king, end.king_to) && all_empty(board, rook, end.rook_to);
    ptrdiff_t square = end.king_to;
    if (legal)
        do {
            legal = !is_king_step(square, enemy_king) && !is_attacked(board, square, other(us));
            square += step;
        } while (legal && square != king && step != 0);
    board[king] = (uint8_t)(bit_of(us) | KING);
    board[rook] = lifted_rook;
    return legal;
}

PM_ALWAYS_INLINE unsigned castling_moves(struct state *state, enum pm_color us, struct move *list,
                                         unsigned count)
{
    for (int i = 0; i < PM_CASTLING_SIDE_COUNT; i++) {
        const enum pm_castling_side side = (enum pm_castling_side)i;
        if ((state->rights & right_bit(us, side)) != 0 && can_castle(state, us, side))
            count = add_if(true, list, count, state->men[us][KING_SLOT],
                           state->castling_rook[us][side], CASTLING, 0);
    }
    return count;
}

/* All legal moves. The board is changed on the way, and as it was at the end. */
PM_ALWAYS_INLINE unsigned generate(struct state *state, enum pm_color us, struct move *list)
{
    uint8_t *board = state->board;
    const int king = state->men[us][KING_SLOT];
    struct sight sight;
    unsigned count = 0;

    look_around(board, king, us, &sight);
    if (state->en_passant != NOWHERE)
        count = en_passant_moves(state, us, list);
    count = king_moves(state, us, list, count);
    if (sight.checker_count > 1)
        return count;

    for (int i = 0; i < sight.pin_count; i++)
        board[sight.pin[i].square] = (uint8_t)bit_of(us);
    if (sight.checker_count == 1) {
        for (int to = sight.checker[0]; to != king; to -= sight.checker_step[0])
            count = moves_to(board, to, us, list, count);
    } else {
        for (int i = 0; i < sight.pin_count; i++)
            count = pinned_moves(board, king, &sight.pin[i], us, list, count);
        count = free_men_moves(state, us, list, count);
        if ((state->rights & (right_bit(us, PM_KINGSIDE) | right_bit(us, PM_QUEENSIDE))) != 0)
            count = castling_moves(state, us, list, count);
    }
    for (int i = 0; i < sight.pin_count; i++)
        board[sight.pin[i].square] = (uint8_t)sight.pin[i].man;
    return count;
}

static unsigned list_white(struct state *state, struct move *list)
{
    return generate(state, PM_WHITE, list);
}
static unsigned list_black(struct state *state, struct move *list)
{
    return generate(state, PM_BLACK, list);
}
static unsigned count_white(struct state *state)
{
    return generate(state, PM_WHITE, NULL);
}
static unsigned count_black(struct state *state)
{
    return generate(state, PM_BLACK, NULL);
}

PM_ALWAYS_INLINE unsigned list_moves(struct state *state, enum pm_color us, struct move *list)
{
    return us == PM_WHITE ? list_white(state, list) : list_black(state, list);
}

PM_ALWAYS_INLINE unsigned count_moves(struct state *state, enum pm_color us)
{
    return us == PM_WHITE ? count_white(state) : count_black(state);
}

/* ---- Make and unmake ------------------------------------------------------------------------ */

PM_ALWAYS_INLINE void put(struct state *state, enum pm_color color, int square, int man, int slot)
{
    state->board[square] = (uint8_t)man;
    state->slot[square] = (uint8_t)slot;
    state->men[color][slot] = (uint8_t)square;
}

PM_ALWAYS_INLINE void clear(struct state *state, int square)
{
    state->board[square] = EMPTY;
    state->slot[square] = EMPTY_SLOT;
}

PM_ALWAYS_INLINE enum pm_castling_side side_of_castling(struct move move)
{
    return to_of(move) > from_of(move) ? PM_KINGSIDE : PM_QUEENSIDE;
}

/* King and rook may change places: both leave before either arrives. */
PM_ALWAYS_INLINE void make_castling(struct state *state, struct move move, enum pm_color us)
{
    const struct castling end = castling_squares(us, side_of_castling(move));
    const int rook_slot = state->slot[to_of(move)];
    clear(state, from_of(move));
    clear(state, to_of(move));
    put(state, us, end.king_to, bit_of(us) | KING, KING_SLOT);
    put(state, us, end.rook_to, bit_of(us) | ROOK, rook_slot);
}

PM_ALWAYS_INLINE void unmake_castling(struct state *state, struct move move, enum pm_color us)
{
    const struct castling end = castling_squares(us, side_of_castling(move));
    const int rook_slot = state->slot[end.rook_to];
    clear(state, end.king_to);
    clear(state, end.rook_to);
    put(state, us, from_of(move), bit_of(us) | KING, KING_SLOT);
    put(state, us, to_of(move), bit_of(us) | ROOK, rook_slot);
}

PM_ALWAYS_INLINE bool pawn_beside(const struct state *state, int square, enum pm_color color)
{
    const int pawn = bit_of(color) | PAWN;
    return state->board[square - 1] == pawn || state->board[square + 1] == pawn;
}

PM_ALWAYS_INLINE void make(struct state *state, struct move move, enum pm_color us,
                           struct undo *undo)
{
    const enum pm_color them = other(us);
    const int from = from_of(move);
    const int to = to_of(move);
    *undo = (struct undo){.man = state->board[from],
                          .slot = state->slot[from],
                          .captured = state->board[to],
                          .captured_slot = state->slot[to]};
    state->rights = (uint8_t)(state->rights & state->keep[from] & state->keep[to]);
    state->en_passant = NOWHERE;
    if (kind_of(move) == CASTLING) {
        make_castling(state, move, us);
        return;
    }
    state->men[them][undo->captured_slot] = NOWHERE;
    put(state, us, to, undo->man, undo->slot);
    clear(state, from);
    if (kind_of(move) == PROMOTION) {
        state->board[to] = (uint8_t)(bit_of(us) | promotion_of(move));
    } else if (kind_of(move) == DOUBLE_PUSH) {
        if (pawn_beside(state, to, them))
            state->en_passant = (uint8_t)(to - up_of(us));
    } else if (kind_of(move) == EN_PASSANT) {
        const int victim = to - up_of(us);
        undo->captured_slot = state->slot[victim];
        state->men[them][undo->captured_slot] = NOWHERE;
        clear(state, victim);
    }
}

/* Rights and en passant square are the same after every move of a node: the caller puts them back.
 */
PM_ALWAYS_INLINE void unmake(struct state *state, struct move move, enum pm_color us,
                             const struct undo *undo)
{
    const enum pm_color them = other(us);
    if (kind_of(move) == CASTLING) {
        unmake_castling(state, move, us);
        return;
    }
    put(state, us, from_of(move), undo->man, undo->slot);
    if (kind_of(move) == EN_PASSANT) {
        clear(state, to_of(move));
        put(state, them, to_of(move) - up_of(us), bit_of(them) | PAWN, undo->captured_slot);
    } else {
        put(state, them, to_of(move), undo->captured, undo->captured_slot);
    }
}

/* ---- Perft ---------------------------------------------------------------------------------- */

static uint64_t perft_make_white(struct state *state, int depth);
static uint64_t perft_make_black(struct state *state, int depth);
static uint64_t perft_bulk_white(struct state *state, int depth);
static uint64_t perft_bulk_black(struct state *state, int depth);

PM_ALWAYS_INLINE uint64_t perft_make(struct state *state, enum pm_color us, int depth)
{
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, us, list);
    const uint8_t rights = state->rights;
    const uint8_t en_passant = state->en_passant;
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        make(state, list[i], us, &undo);
        if (depth > 1)
            nodes += us == PM_WHITE ? perft_make_black(state, depth - 1)
                                    : perft_make_white(state, depth - 1);
        else
            nodes++;
        __asm__ volatile("" ::: "memory"); /* the leaf is there: no merging of make and unmake */
        unmake(state, list[i], us, &undo);
        state->rights = rights;
        state->en_passant = en_passant;
    }
    return nodes;
}

PM_ALWAYS_INLINE uint64_t perft_bulk(struct state *state, enum pm_color us, int depth)
{
    if (depth == 1)
        return count_moves(state, us);
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, us, list);
    const uint8_t rights = state->rights;
    const uint8_t en_passant = state->en_passant;
    uint64_t nodes = 0;
    for (unsigned i = 0; i < count; i++) {
        struct undo undo;
        make(state, list[i], us, &undo);
        if (depth > 2)
            nodes += us == PM_WHITE ? perft_bulk_black(state, depth - 1)
                                    : perft_bulk_white(state, depth - 1);
        else
            nodes += count_moves(state, other(us));
        unmake(state, list[i], us, &undo);
        state->rights = rights;
        state->en_passant = en_passant;
    }
    return nodes;
}

static uint64_t perft_make_white(struct state *state, int depth)
{
    return perft_make(state, PM_WHITE, depth);
}
static uint64_t perft_make_black(struct state *state, int depth)
{
    return perft_make(state, PM_BLACK, depth);
}
static uint64_t perft_bulk_white(struct state *state, int depth)
{
    return perft_bulk(state, PM_WHITE, depth);
}
static uint64_t perft_bulk_black(struct state *state, int depth)
{
    return perft_bulk(state, PM_BLACK, depth);
}

/* ---- The contract --------------------------------------------------------------------------- */

static enum pm_status mailbox_init(void)
{
    return PM_OK;
}

static void set_man(struct state *state, enum pm_color color, pm_square square, int kind)
{
    put(state, color, to_mailbox(square), bit_of(color) | kind, state->men_end[color]++);
}

/* Fills the lists kind by kind: the switch over kinds is foreseen better. */
static void set_men(struct state *state, const pm_piece board[PM_SQUARE_COUNT])
{
    static const uint8_t order[] = {PM_KING, PM_QUEEN, PM_ROOK, PM_BISHOP, PM_KNIGHT, PM_PAWN};
    for (size_t i = 0; i < sizeof order; i++)
        for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
            if (pm_type_of(board[square]) == order[i])
                set_man(state, pm_color_of(board[square]), square, kind_of_type[order[i]]);
}

static void set_right(struct state *state, enum pm_color color, enum pm_castling_side side,
                      pm_square rook_square)
{
    const int bit = right_bit(color, side);
    const int rook = to_mailbox(rook_square);
    const int king = state->men[color][KING_SLOT];
    state->rights = (uint8_t)(state->rights | bit);
    state->castling_rook[color][side] = (uint8_t)rook;
    state->keep[rook] = (uint8_t)(state->keep[rook] & ~bit);
    state->keep[king] = (uint8_t)(state->keep[king] & ~bit);
}

static enum pm_status mailbox_set_position(void *memory, const struct pm_position *position)
{
    struct state *state = memory;
    const enum pm_color us = (enum pm_color)position->side_to_move;
    *state = (struct state){.side = position->side_to_move,
                            .halfmove_clock = position->halfmove_clock,
                            .fullmove_number = position->fullmove_number};
    memset(state->board, GUARD, sizeof state->board);
    memset(state->slot, EMPTY_SLOT, sizeof state->slot);
    memset(state->keep, 15, sizeof state->keep);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        state->board[to_mailbox(square)] = EMPTY;
    set_men(state, position->board);
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                set_right(state, (enum pm_color)color, (enum pm_castling_side)side,
                          position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE) {
        const int square = to_mailbox(position->en_passant);
        if (pawn_beside(state, square - up_of(us), us))
            state->en_passant = (uint8_t)square;
    }
    return PM_OK;
}

static enum pm_status mailbox_get_position(const void *memory, struct pm_position *position)
{
    const struct state *state = memory;
    *position = (struct pm_position){
        .side_to_move = state->side,
        .en_passant = state->en_passant == NOWHERE ? PM_NO_SQUARE : from_mailbox(state->en_passant),
        .halfmove_clock = state->halfmove_clock,
        .fullmove_number = state->fullmove_number,
    };
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const int man = state->board[to_mailbox(square)];
        if (man != EMPTY)
            position->board[square] =
                pm_make_piece((man & bit_of(PM_BLACK)) != 0 ? PM_BLACK : PM_WHITE,
                              (enum pm_piece_type)type_of_kind[man & KIND]);
    }
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const int bit = right_bit((enum pm_color)color, (enum pm_castling_side)side);
            position->castling_rook[color][side] =
                (state->rights & bit) != 0 ? from_mailbox(state->castling_rook[color][side])
                                           : PM_NO_SQUARE;
        }
    return PM_OK;
}

static struct pm_move to_neutral(const struct state *state, struct move move)
{
    static const uint8_t neutral_kind[] = {
        [NORMAL] = PM_MOVE_QUIET,      [DOUBLE_PUSH] = PM_MOVE_DOUBLE_PUSH,
        [PROMOTION] = PM_MOVE_QUIET,   [EN_PASSANT] = PM_MOVE_EN_PASSANT,
        [CASTLING] = PM_MOVE_CASTLING,
    };
    const bool capture = kind_of(move) != CASTLING && state->board[to_of(move)] != EMPTY;
    return (struct pm_move){
        .from = from_mailbox(from_of(move)),
        .to = from_mailbox(to_of(move)),
        .promotion = type_of_kind[promotion_of(move)],
        .kind = capture ? PM_MOVE_CAPTURE : neutral_kind[kind_of(move)],
    };
}

static enum pm_status mailbox_legal_moves(const void *memory, struct pm_move moves[PM_MAX_MOVES],
                                          unsigned *count)
{
    struct state state = *(const struct state *)memory;
    struct move list[PM_MAX_MOVES];
    *count = list_moves(&state, (enum pm_color)state.side, list);
    for (unsigned i = 0; i < *count; i++)
        moves[i] = to_neutral(&state, list[i]);
    return PM_OK;
}

static void play_legal(struct state *state, struct move move)
{
    const enum pm_color us = (enum pm_color)state->side;
    struct undo undo;
    make(state, move, us, &undo);
    const bool resets =
        (undo.man & KIND) == PAWN || (kind_of(move) != CASTLING && undo.captured != EMPTY);
    state->halfmove_clock = resets ? 0 : (uint16_t)(state->halfmove_clock + 1);
    state->fullmove_number = (uint16_t)(state->fullmove_number + (us == PM_BLACK));
    state->side = (uint8_t)other(us);
}

static enum pm_status mailbox_play(void *memory, const struct pm_move *move)
{
    struct state *state = memory;
    struct move list[PM_MAX_MOVES];
    const unsigned count = list_moves(state, (enum pm_color)state->side, list);
    for (unsigned i = 0; i < count; i++) {
        const struct pm_move legal = to_neutral(state, list[i]);
        if (legal.from == move->from && legal.to == move->to &&
            legal.promotion == move->promotion && legal.kind == move->kind) {
            play_legal(state, list[i]);
            return PM_OK;
        }
    }
    return PM_ERROR_ILLEGAL;
}

static enum pm_status mailbox_perft(const void *memory, int depth, enum pm_mode mode,
                                    uint64_t *nodes)
{
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    struct state state = *(const struct state *)memory;
    if (mode == PM_MODE_MAKE)
        *nodes = state.side == PM_WHITE ? perft_make_white(&state, depth)
                                        : perft_make_black(&state, depth);
    else
        *nodes = state.side == PM_WHITE ? perft_bulk_white(&state, depth)
                                        : perft_bulk_black(&state, depth);
    return PM_OK;
}

static enum pm_status mailbox_attacks(const void *memory, struct pm_attacks *attacks)
{
    const struct state *state = memory;
    const enum pm_color us = (enum pm_color)state->side;
    struct sight sight;
    *attacks = (struct pm_attacks){0};
    look_around(state->board, state->men[us][KING_SLOT], us, &sight);
    for (int i = 0; i < sight.checker_count; i++)
        attacks->checkers |= pm_bit(from_mailbox(sight.checker[i]));
    for (int i = 0; i < sight.pin_count; i++)
        attacks->pinned |= pm_bit(from_mailbox(sight.pin[i].square));
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const int target = to_mailbox(square);
        if (is_attacked(state->board, target, other(us)) ||
            is_king_step(target, state->men[other(us)][KING_SLOT]))
            attacks->attacked |= pm_bit(square);
    }
    return PM_OK;
}

const struct pm_kernel pm_kernel_mailbox = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "mailbox",
    .technique = "10x12 mailbox, offset tables",
    .summary = "Walks over a board of 120 squares whose guards stop every ray; legal moves only.",
    .reference =
        "E. W. Kozdrowicki, D. W. Cooper: COKO III, Communications of the ACM 16 (7), 1973",
    .revision = PM_KERNEL_REVISION,
    .capabilities =
        PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = mailbox_init,
    .set_position = mailbox_set_position,
    .get_position = mailbox_get_position,
    .legal_moves = mailbox_legal_moves,
    .play = mailbox_play,
    .perft = mailbox_perft,
    .attacks = mailbox_attacks,
};
