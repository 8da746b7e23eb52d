/* SPDX-License-Identifier: MIT */
#include "core/bitboards.h"

#include "core/bits.h"

#include <string.h>

/* One bit of each of the board's codes, as a set: the multiplication gathers a rank's eight bits in
 * its top byte. */
static uint64_t plane_of(const struct pm_position *position, unsigned bit)
{
    uint64_t plane = 0;
    for (unsigned rank = 0; rank < 8; rank++) {
        uint64_t codes;
        memcpy(&codes, &position->board[8 * rank], sizeof codes);
        plane |= ((codes >> bit & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56) << 8 * rank;
    }
    return plane;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "plane_of() reads a1 as the lowest byte");
_Static_assert(PM_PAWN == 1 && PM_KNIGHT == 2 && PM_BISHOP == 3 && PM_ROOK == 4 && PM_QUEEN == 5 &&
                   PM_KING == 6,
               "the types are taken apart by their bits");

struct pm_bitboards pm_bitboards_of(const struct pm_position *position)
{
    const uint64_t one = plane_of(position, 0), two = plane_of(position, 1);
    const uint64_t four = plane_of(position, 2), black = plane_of(position, 3);
    const uint64_t queens = one & four;
    struct pm_bitboards board = {
        .pieces = {[PM_WHITE] = (one | two | four) & ~black, [PM_BLACK] = black},
        .pawns = one & ~two & ~four,
        .knights = two & ~one & ~four,
        .diagonals = (one & two) | queens,
        .straights = (four & ~two),
        .kings = two & four,
    };
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                board.rights |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        board.rights |= pm_bit(position->en_passant);
    return board;
}

struct pm_position pm_bitboards_position(const struct pm_bitboards *board, enum pm_color us)
{
    struct pm_position position = {
        .side_to_move = (uint8_t)us,
        .en_passant = PM_NO_SQUARE,
        .castling_rook = {{PM_NO_SQUARE, PM_NO_SQUARE}, {PM_NO_SQUARE, PM_NO_SQUARE}},
        .fullmove_number = 1,
    };
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++) {
        const uint64_t king = board->kings & board->pieces[color];
        for (uint64_t rest = board->pieces[color]; rest; rest = pm_without_lsb(rest))
            position.board[pm_lsb(rest)] =
                pm_make_piece((enum pm_color)color, pm_bitboards_type(board, rest & -rest));
        for (uint64_t rest = board->rights & PM_BACK_RANKS & board->pieces[color]; rest;
             rest = pm_without_lsb(rest))
            position.castling_rook[color][(rest & -rest) > king ? PM_KINGSIDE : PM_QUEENSIDE] =
                (pm_square)pm_lsb(rest);
    }
    if (pm_en_passant_set(board))
        position.en_passant = (pm_square)pm_lsb(pm_en_passant_set(board));
    return position;
}

struct move_list {
    struct pm_move *moves;
    unsigned count;
};

/* Of moves that go to the last rank by a pawn there are four. */
static void add_moves(struct move_list *list, unsigned from, unsigned to, bool promotes,
                      enum pm_move_kind kind)
{
    const unsigned first = promotes ? PM_KNIGHT : PM_NO_PIECE_TYPE;
    const unsigned last = promotes ? PM_QUEEN : PM_NO_PIECE_TYPE;
    for (unsigned type = first; type <= last; type++)
        list->moves[list->count++] = (struct pm_move){.from = (pm_square)from,
                                                      .to = (pm_square)to,
                                                      .promotion = (uint8_t)type,
                                                      .kind = (uint8_t)kind};
}

/* Steps of pawns that come from `distance` squares below the target. */
static void add_pawn_steps(struct move_list *list, uint64_t targets, int distance,
                           enum pm_move_kind kind)
{
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const unsigned to = pm_lsb(rest);
        add_moves(list, (unsigned)((int)to - distance), to, (PM_BACK_RANKS & pm_bit(to)) != 0,
                  kind);
    }
}

unsigned pm_expansion_to_moves(const struct pm_expansion *expansion,
                               const struct pm_bitboards *board, enum pm_color us,
                               struct pm_move moves[PM_MAX_MOVES])
{
    struct move_list list = {.moves = moves};
    const uint64_t enemy = board->pieces[us == PM_WHITE ? PM_BLACK : PM_WHITE];
    const int up = us == PM_WHITE ? 8 : -8;
    for (unsigned i = 0; i < expansion->piece_count; i++)
        for (uint64_t rest = expansion->pieces[i].targets; rest; rest = pm_without_lsb(rest))
            add_moves(&list, expansion->pieces[i].from, pm_lsb(rest), false,
                      enemy & rest & -rest ? PM_MOVE_CAPTURE : PM_MOVE_QUIET);
    add_pawn_steps(&list, expansion->pushes, up, PM_MOVE_QUIET);
    add_pawn_steps(&list, expansion->double_pushes, 2 * up, PM_MOVE_DOUBLE_PUSH);
    add_pawn_steps(&list, expansion->left_captures, up - 1, PM_MOVE_CAPTURE);
    add_pawn_steps(&list, expansion->right_captures, up + 1, PM_MOVE_CAPTURE);
    for (uint64_t rest = expansion->en_passant_captors; rest; rest = pm_without_lsb(rest))
        add_moves(&list, pm_lsb(rest), pm_lsb(pm_en_passant_set(board)), false, PM_MOVE_EN_PASSANT);
    for (uint64_t rest = expansion->castling_rooks; rest; rest = pm_without_lsb(rest))
        add_moves(&list, pm_lsb(board->kings & board->pieces[us]), pm_lsb(rest), false,
                  PM_MOVE_CASTLING);
    return list.count;
}
