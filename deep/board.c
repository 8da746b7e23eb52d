/* SPDX-License-Identifier: MIT */
#include "deep/board.h"

struct pm_bitboards pm_bitboards_of(const struct pm_position *position)
{
    struct pm_bitboards board = {0};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        const enum pm_piece_type type = pm_type_of(piece);
        const uint64_t set = pm_bit(square);
        if (piece == PM_EMPTY)
            continue;
        board.men[pm_color_of(piece)] |= set;
        board.pawns |= type == PM_PAWN ? set : 0;
        board.knights |= type == PM_KNIGHT ? set : 0;
        board.diagonals |= type == PM_BISHOP || type == PM_QUEEN ? set : 0;
        board.straights |= type == PM_ROOK || type == PM_QUEEN ? set : 0;
        board.kings |= type == PM_KING ? set : 0;
    }
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            if (position->castling_rook[color][side] != PM_NO_SQUARE)
                board.special |= pm_bit(position->castling_rook[color][side]);
    if (position->en_passant != PM_NO_SQUARE)
        board.special |= pm_bit(position->en_passant);
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
        const uint64_t king = board->kings & board->men[color];
        for (uint64_t rest = board->men[color]; rest; rest = pm_without_lsb(rest))
            position.board[pm_lsb(rest)] =
                pm_make_piece((enum pm_color)color, pm_bitboards_type(board, rest & -rest));
        for (uint64_t rest = board->special & PM_BACK_RANKS & board->men[color]; rest;
             rest = pm_without_lsb(rest))
            position.castling_rook[color][(rest & -rest) > king ? PM_KINGSIDE : PM_QUEENSIDE] =
                (pm_square)pm_lsb(rest);
    }
    if (pm_en_passant_set(board))
        position.en_passant = (pm_square)pm_lsb(pm_en_passant_set(board));
    return position;
}
