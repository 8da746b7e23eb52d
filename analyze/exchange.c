/* SPDX-License-Identifier: MIT */
#include "analyze/exchange.h"

/* In hundredths of a pawn; the king is never taken. */
static const int values[PM_PIECE_TYPE_COUNT] = {0, 100, 300, 300, 500, 900, 0};

struct exchange {
    const struct pm_pieces *pieces;
    pm_square square;
    uint64_t occupied; /* without those that have taken, or were */
    uint64_t attackers;
    enum pm_color turn;
    int at_risk; /* value of the piece on the square */
};

static enum pm_color other(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

static void find_attackers(struct exchange *exchange)
{
    exchange->attackers = pm_leapers_on(exchange->pieces, exchange->square) |
                          pm_sliders_on(exchange->pieces, exchange->occupied, exchange->square);
    exchange->attackers &= exchange->occupied;
}

static enum pm_piece_type least_of(const struct exchange *exchange, uint64_t attackers)
{
    enum pm_piece_type type = PM_PAWN;
    while ((exchange->pieces->of[exchange->turn][type] & attackers) == 0)
        type++;
    return type;
}

/* The piece on `from` leaves its square, and those behind it see further. */
static void vacate(struct exchange *exchange, pm_square from)
{
    exchange->occupied &= ~pm_bit(from);
    find_attackers(exchange);
}

/* The side whose turn it is takes; false if it can't. */
static bool take(struct exchange *exchange, int *gain)
{
    const uint64_t own =
        exchange->attackers & exchange->pieces->of[exchange->turn][PM_NO_PIECE_TYPE];
    if (own == 0)
        return false;
    const enum pm_piece_type type = least_of(exchange, own);
    const uint64_t candidates = own & exchange->pieces->of[exchange->turn][type];
    vacate(exchange, (pm_square)pm_lsb(candidates));
    exchange->turn = other(exchange->turn);
    if (type == PM_KING &&
        (exchange->attackers & exchange->pieces->of[exchange->turn][PM_NO_PIECE_TYPE]) != 0)
        return false;

    const unsigned rank = pm_rank_of(exchange->square);
    const bool promotes = type == PM_PAWN && (rank == 0 || rank == 7);
    *gain = exchange->at_risk;
    exchange->at_risk = values[promotes ? PM_QUEEN : type];
    if (promotes)
        *gain += values[PM_QUEEN] - values[PM_PAWN];
    return true;
}

/* What the side whose turn it is wins by taking on as long as it pays. */
static int play_on(struct exchange *exchange)
{
    int gains[PM_SQUARE_COUNT];
    int count = 0;
    int value = 0;
    while (take(exchange, &gains[count]))
        count++;
    while (count-- > 0)
        value = gains[count] > value ? gains[count] - value : 0;
    return value;
}

int pm_exchange_on_square(const struct pm_pieces *pieces, enum pm_color by, pm_square square)
{
    struct exchange exchange = {
        .pieces = pieces,
        .square = square,
        .occupied = pieces->occupied,
        .turn = by,
        .at_risk = values[pm_type_of(pieces->board[square])],
    };
    find_attackers(&exchange);
    return play_on(&exchange);
}

static int taken_by(const struct pm_pieces *pieces, const struct pm_move *move)
{
    if (move->kind == PM_MOVE_EN_PASSANT)
        return values[PM_PAWN];
    return values[pm_type_of(pieces->board[move->to])];
}

int pm_exchange_of_move(const struct pm_pieces *pieces, enum pm_color color,
                        const struct pm_move *move)
{
    if (move->kind == PM_MOVE_CASTLING)
        return 0;
    const enum pm_piece_type type = pm_type_of(pieces->board[move->from]);
    struct exchange exchange = {
        .pieces = pieces,
        .square = move->to,
        .occupied = pieces->occupied & ~pm_bit(move->from),
        .turn = other(color),
        .at_risk = values[type],
    };
    int gain = taken_by(pieces, move);
    if (move->promotion != PM_NO_PIECE_TYPE) {
        exchange.at_risk = values[move->promotion];
        gain += exchange.at_risk - values[PM_PAWN];
    }
    if (move->kind == PM_MOVE_EN_PASSANT)
        exchange.occupied &= ~pm_bit(pm_make_square(pm_file_of(move->to), pm_rank_of(move->from)));
    if (type == PM_KING) /* it may be there: nothing takes it */
        return gain;
    find_attackers(&exchange);
    return gain - play_on(&exchange);
}
