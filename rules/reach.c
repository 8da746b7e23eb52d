/* SPDX-License-Identifier: MIT */
#include "rules/reach.h"

#include "core/bits.h"

/* ---- Sets of squares ---- */

static const uint64_t file_a = 0x0101010101010101U, file_h = 0x8080808080808080U;
static const uint64_t back_ranks = 0xff000000000000ffU;

static uint64_t left(uint64_t set)
{
    return set >> 1 & ~file_h;
}

static uint64_t right(uint64_t set)
{
    return set << 1 & ~file_a;
}

static uint64_t forward(uint64_t set, enum pm_color color)
{
    return color == PM_WHITE ? set << 8 : set >> 8;
}

static uint64_t diagonal_steps(uint64_t set)
{
    const uint64_t beside = left(set) | right(set);
    return beside << 8 | beside >> 8;
}

static uint64_t straight_steps(uint64_t set)
{
    return left(set) | right(set) | set << 8 | set >> 8;
}

static uint64_t king_steps(uint64_t set)
{
    return diagonal_steps(set) | straight_steps(set);
}

static uint64_t knight_steps(uint64_t set)
{
    const uint64_t near = left(set) | right(set), far = left(left(set)) | right(right(set));
    return near << 16 | near >> 16 | far << 8 | far >> 8;
}

static uint64_t pawn_steps(uint64_t set, enum pm_color color)
{
    const uint64_t front = forward(set, color);
    return left(front) | right(front);
}

/* One step in each of the eight directions: even ones are straight, odd ones diagonal. */
static uint64_t step(uint64_t set, unsigned direction)
{
    switch (direction) {
    case 0:
        return set << 8;
    case 1:
        return right(set) << 8;
    case 2:
        return right(set);
    case 3:
        return right(set) >> 8;
    case 4:
        return set >> 8;
    case 5:
        return left(set) >> 8;
    case 6:
        return left(set);
    default:
        return left(set) << 8;
    }
}

static bool slides(enum pm_piece_type type, unsigned direction)
{
    return type == PM_QUEEN || type == (direction % 2 == 0 ? PM_ROOK : PM_BISHOP);
}

/* Along the lines of a slider's type, as far as and including the first square outside `open`. */
static uint64_t slider_attacks(enum pm_piece_type type, uint64_t set, uint64_t open)
{
    uint64_t attacks = 0;
    for (unsigned direction = 0; direction < 8; direction++) {
        if (!slides(type, direction))
            continue;
        for (uint64_t ray = step(set, direction); ray != 0; ray = step(ray & open, direction))
            attacks |= ray;
    }
    return attacks;
}

/* What a piece attacks from any square of `set`. */
static uint64_t attacks_of(enum pm_piece_type type, enum pm_color color, uint64_t set,
                           uint64_t open)
{
    switch (type) {
    case PM_PAWN:
        return pawn_steps(set, color);
    case PM_KNIGHT:
        return knight_steps(set);
    case PM_KING:
        return king_steps(set);
    default:
        return slider_attacks(type, set, open);
    }
}

/* ---- What can be reached ---- */

struct piece {
    enum pm_piece_type type;
    enum pm_color color;
    uint64_t home;     /* where it stands now */
    uint64_t at;       /* where it may ever stand; a pawn as a pawn */
    uint64_t promoted; /* where it may ever stand after a promotion */
};

struct reach {
    struct piece pieces[PM_SQUARE_COUNT];
    unsigned count;
    const struct piece *kings[PM_COLOR_COUNT];
    uint64_t fixed[PM_COLOR_COUNT];    /* squares of fixed pieces */
    uint64_t guarded[PM_COLOR_COUNT];  /* squares that the fixed pieces of this side attack for ever
                                        */
    uint64_t taken[PM_COLOR_COUNT];    /* where pieces of this side, its king apart, may stand */
    uint64_t captures[PM_COLOR_COUNT]; /* where this side may capture */
    uint64_t
        barriers[PM_COLOR_COUNT]; /* homes of this side's pawns that stay on their file for ever */
};

static void add_castlings(const struct pm_position *position, struct piece *piece)
{
    const unsigned rank = piece->color == PM_WHITE ? 0 : 7;
    for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
        const pm_square rook = position->castling_rook[piece->color][side];
        if (rook == PM_NO_SQUARE)
            continue;
        if (piece->type == PM_KING)
            piece->at |= pm_bit(pm_make_square(side == PM_KINGSIDE ? 6 : 2, rank));
        else if (piece->home == pm_bit(rook))
            piece->at |= pm_bit(pm_make_square(side == PM_KINGSIDE ? 5 : 3, rank));
    }
}

/* A pawn that may be captured en passant counts as standing on the passed square too. */
static void add_passed_square(const struct pm_position *position, struct piece *piece)
{
    if (position->en_passant == PM_NO_SQUARE || piece->color == position->side_to_move)
        return;
    const uint64_t passed = pm_bit(position->en_passant);
    if (forward(passed, piece->color) == piece->home)
        piece->at |= passed;
}

static void read_pieces(const struct pm_position *position, struct reach *reach)
{
    reach->count = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        if (position->board[square] == PM_EMPTY)
            continue;
        struct piece *const piece = &reach->pieces[reach->count++];
        *piece = (struct piece){.type = pm_type_of(position->board[square]),
                                .color = pm_color_of(position->board[square]),
                                .home = pm_bit(square),
                                .at = pm_bit(square)};
        if (piece->type == PM_KING)
            reach->kings[piece->color] = piece;
        if (piece->type == PM_KING || piece->type == PM_ROOK)
            add_castlings(position, piece);
        if (piece->type == PM_PAWN)
            add_passed_square(position, piece);
    }
}

static bool is_fixed(const struct reach *reach, const struct piece *piece)
{
    return (reach->fixed[piece->color] & piece->home) != 0;
}

static uint64_t file_of(uint64_t square)
{
    return file_a << (pm_lsb(square) & 7);
}

/* Whether a pawn can only go straight on and never reaches the last rank. */
static bool keeps_file(const struct piece *piece)
{
    return piece->type == PM_PAWN && piece->promoted == 0 &&
           (piece->at & ~file_of(piece->home)) == 0;
}

static void find_captures(struct reach *reach)
{
    for (unsigned i = 0; i < reach->count; i++) {
        const struct piece *const piece = &reach->pieces[i];
        const uint64_t enemies = reach->taken[1 - piece->color];
        const uint64_t entered =
            piece->type == PM_PAWN ? pawn_steps(piece->at, piece->color) : piece->at;
        reach->captures[piece->color] |= (entered | piece->promoted) & enemies;
    }
}

/* What follows from the sets as they are. */
static void look_around(struct reach *reach)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        reach->fixed[color] = reach->guarded[color] = reach->taken[color] = reach->captures[color] =
            reach->barriers[color] = 0;
    for (unsigned i = 0; i < reach->count; i++)
        if (reach->pieces[i].type != PM_KING)
            reach->taken[reach->pieces[i].color] |= reach->pieces[i].at | reach->pieces[i].promoted;
    find_captures(reach);
    const uint64_t entered[PM_COLOR_COUNT] = {reach->taken[PM_WHITE] | reach->kings[PM_WHITE]->at,
                                              reach->taken[PM_BLACK] | reach->kings[PM_BLACK]->at};
    for (unsigned i = 0; i < reach->count; i++) {
        const struct piece *const piece = &reach->pieces[i];
        const uint64_t captures = reach->captures[1 - piece->color];
        if (piece->at == piece->home && (piece->home & captures) == 0)
            reach->fixed[piece->color] |= piece->home;
        if (keeps_file(piece) && (piece->at & captures) == 0)
            reach->barriers[piece->color] |= piece->home;
    }
    for (unsigned i = 0; i < reach->count; i++) {
        const struct piece *const piece = &reach->pieces[i];
        if (is_fixed(reach, piece))
            reach->guarded[piece->color] |= attacks_of(piece->type, piece->color, piece->home,
                                                       ~(entered[PM_WHITE] | entered[PM_BLACK]));
    }
}

/* The square of the nearest barrier before a pawn, and all beyond; 0 if there is none. */
static uint64_t beyond_barrier(const struct reach *reach, const struct piece *pawn)
{
    uint64_t beyond = 0;
    if (!keeps_file(pawn))
        return 0;
    for (uint64_t ahead = forward(pawn->home, pawn->color); ahead != 0;
         ahead = forward(ahead, pawn->color))
        if (beyond != 0 || (reach->barriers[1 - pawn->color] & ahead) != 0)
            beyond |= ahead;
    return beyond;
}

static void grow_pawn(const struct reach *reach, struct piece *pawn, uint64_t enterable)
{
    const uint64_t open = ~(reach->fixed[PM_WHITE] | reach->fixed[PM_BLACK]);
    pawn->at |= forward(pawn->at, pawn->color) & open & ~beyond_barrier(reach, pawn);
    pawn->at |= pawn_steps(pawn->at, pawn->color) & reach->taken[1 - pawn->color] & enterable;
    pawn->promoted |= pawn->at & back_ranks;
    pawn->promoted |= (king_steps(pawn->promoted) | knight_steps(pawn->promoted)) & enterable;
}

/* Adds one step to a piece's set, or several. */
static void grow(const struct reach *reach, struct piece *piece)
{
    const enum pm_color enemy = (enum pm_color)(1 - piece->color);
    const uint64_t enterable =
        ~(reach->fixed[piece->color] | (reach->fixed[enemy] & reach->kings[enemy]->home));
    switch (piece->type) {
    case PM_PAWN:
        grow_pawn(reach, piece, enterable);
        break;
    case PM_KNIGHT:
        piece->at |= knight_steps(piece->at) & enterable;
        break;
    case PM_BISHOP:
        piece->at |= diagonal_steps(piece->at) & enterable;
        break;
    case PM_ROOK:
        piece->at |= straight_steps(piece->at) & enterable;
        break;
    case PM_QUEEN:
        piece->at |= king_steps(piece->at) & enterable;
        break;
    default:
        piece->at |= king_steps(piece->at) & enterable & ~reach->guarded[enemy];
        break;
    }
}

static void find_reach(const struct pm_position *position, struct reach *reach)
{
    bool grown;
    read_pieces(position, reach);
    do {
        grown = false;
        look_around(reach);
        for (unsigned i = 0; i < reach->count; i++) {
            struct piece *const piece = &reach->pieces[i];
            const uint64_t at = piece->at, promoted = piece->promoted;
            grow(reach, piece);
            grown |= piece->at != at || piece->promoted != promoted;
        }
    } while (grown);
}

/* ---- Whether a mate fits into what can be reached ---- */

struct mate {
    const struct reach *reach;
    enum pm_color winner, loser;
    uint64_t open;                     /* squares without a fixed piece, and the loser's king's */
    uint64_t attacks[PM_SQUARE_COUNT]; /* by each piece of the winner, from anywhere in its set */
    uint64_t others[PM_SQUARE_COUNT];  /* by all others, the king apart */
    uint64_t all;                      /* by all, the king apart */
};

static uint64_t piece_attacks(const struct mate *mate, const struct piece *piece, uint64_t at,
                              uint64_t promoted)
{
    uint64_t attacks = attacks_of(piece->type, piece->color, at, mate->open);
    if (promoted != 0)
        attacks |= slider_attacks(PM_QUEEN, promoted, mate->open) | knight_steps(promoted);
    return attacks;
}

/* Finds a blocker for each square of `squares` from `square` on: a matching, by augmenting paths.
 */
struct blocking {
    const struct mate *mate;
    unsigned square_count;
    uint64_t squares[8];
    int blocker_square[PM_SQUARE_COUNT]; /* index into squares, or -1 */
    uint64_t tried;                      /* pieces, in the present augmentation */
};

static bool find_blocker(struct blocking *blocking, unsigned square)
{
    const struct reach *const reach = blocking->mate->reach;
    for (unsigned i = 0; i < reach->count; i++) {
        const struct piece *const piece = &reach->pieces[i];
        if (piece->color != blocking->mate->loser || piece->type == PM_KING ||
            ((piece->at | piece->promoted) & blocking->squares[square]) == 0 ||
            (blocking->tried & pm_bit(i)) != 0)
            continue;
        blocking->tried |= pm_bit(i);
        if (blocking->blocker_square[i] < 0 ||
            find_blocker(blocking, (unsigned)blocking->blocker_square[i])) {
            blocking->blocker_square[i] = (int)square;
            return true;
        }
    }
    return false;
}

/* Whether as many different pieces of the loser can stand on these squares. */
static bool can_block(const struct mate *mate, uint64_t squares)
{
    struct blocking blocking = {.mate = mate};
    if (squares == 0)
        return true;
    if ((squares & ~mate->reach->taken[mate->loser]) != 0)
        return false;
    for (unsigned i = 0; i < mate->reach->count; i++)
        blocking.blocker_square[i] = -1;
    while (squares != 0)
        blocking.squares[blocking.square_count++] = pm_bit(pm_pop_lsb(&squares));
    for (unsigned i = 0; i < blocking.square_count; i++) {
        blocking.tried = 0;
        if (!find_blocker(&blocking, i))
            return false;
    }
    return true;
}

/* Mate by a check of one piece from one square, the kings' squares given. */
static bool checker_mates(const struct mate *mate, unsigned checker, uint64_t from, uint64_t king,
                          uint64_t needed)
{
    const struct piece *const piece = &mate->reach->pieces[checker];
    const uint64_t attacks = piece_attacks(mate, piece, piece->at & from, piece->promoted & from);
    if ((attacks & king) == 0)
        return false;
    return can_block(mate, needed & ~attacks & ~mate->others[checker]);
}

static bool any_checker_mates(const struct mate *mate, uint64_t king, uint64_t needed)
{
    for (unsigned i = 0; i < mate->reach->count; i++) {
        const struct piece *const piece = &mate->reach->pieces[i];
        if ((mate->attacks[i] & king) == 0)
            continue;
        for (uint64_t rest = (piece->at | piece->promoted) & ~king; rest != 0;
             rest = pm_without_lsb(rest))
            if (checker_mates(mate, i, rest & -rest, king, needed))
                return true;
    }
    return false;
}

/* Whether the loser's king may be mated on this square. */
static bool mates_on(const struct mate *mate, uint64_t king)
{
    const uint64_t near = king_steps(king), all = mate->all;
    const uint64_t escapes = near & ~mate->reach->fixed[mate->loser];
    const uint64_t winner_kings = mate->reach->kings[mate->winner]->at & ~near & ~king;
    if ((all & king) == 0 ||
        (escapes & ~all & ~mate->reach->taken[mate->loser] & ~king_steps(winner_kings)) != 0)
        return false;
    for (uint64_t rest = winner_kings; rest != 0; rest = pm_without_lsb(rest)) {
        const uint64_t needed = escapes & ~king_steps(rest & -rest);
        if (can_block(mate, needed & ~all) && any_checker_mates(mate, king, needed))
            return true;
    }
    return false;
}

static void prepare(struct mate *mate)
{
    const struct reach *const reach = mate->reach;
    uint64_t before = 0, after = 0;
    mate->open = ~(reach->fixed[PM_WHITE] | reach->fixed[PM_BLACK]) | reach->kings[mate->loser]->at;
    for (unsigned i = 0; i < reach->count; i++) {
        const struct piece *const piece = &reach->pieces[i];
        mate->attacks[i] = 0;
        if (piece->color == mate->winner && piece->type != PM_KING)
            mate->attacks[i] = piece_attacks(mate, piece, piece->at, piece->promoted);
        mate->others[i] = before;
        before |= mate->attacks[i];
    }
    for (unsigned i = reach->count; i-- > 0;) {
        mate->others[i] |= after;
        after |= mate->attacks[i];
    }
    mate->all = after;
}

bool pm_reach_cannot_mate(const struct pm_position *position, enum pm_color color,
                          uint64_t kings[PM_COLOR_COUNT])
{
    struct reach reach;
    find_reach(position, &reach);
    struct mate mate = {.reach = &reach, .winner = color, .loser = (enum pm_color)(1 - color)};
    prepare(&mate);
    for (uint64_t rest = reach.kings[mate.loser]->at; rest != 0; rest = pm_without_lsb(rest))
        if (mates_on(&mate, rest & -rest))
            return false;
    kings[PM_WHITE] = reach.kings[PM_WHITE]->at;
    kings[PM_BLACK] = reach.kings[PM_BLACK]->at;
    return true;
}
