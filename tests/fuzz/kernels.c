/* SPDX-License-Identifier: MIT */
/* Positions: up to eight bytes are a seed of the position generator, more are a board, with zeroes
 * for what is missing. All kernels must agree with the reference on moves, positions after them,
 * attacks and two plies of counts. */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz.h"
#include "verify/generator.h"
#include "verify/internal.h"

#include <string.h>

enum { BOARD = 4, SIZE = BOARD + PM_SQUARE_COUNT / 2 };

static const struct pm_kernel *kernels[PM_KERNELS_MAX + 1];
static const struct pm_kernel *reference;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    int count = 0;
    (void)argc;
    (void)argv;
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        const bool is_reference = (pm_kernels[i]->capabilities & PM_IS_REFERENCE) != 0;
        if (pm_kernel_missing(pm_kernels[i]) != 0 || pm_kernel_has_family(pm_kernels[i]))
            continue;
        FUZZ_EXPECT(pm_kernels[i]->init() == PM_OK, "%s: init() fails", pm_kernels[i]->name);
        if (is_reference)
            reference = pm_kernels[i];
        else
            kernels[count++] = pm_kernels[i];
    }
    FUZZ_EXPECT(reference != NULL, "there is no reference");
    return 0;
}

static void put_pieces(const uint8_t *data, struct pm_position *position)
{
    static const pm_piece pieces[16] = {0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 1};
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = pieces[data[BOARD + square / 2] >> (square % 2 * 4) & 15];
        const bool end_rank = square < 8 || square > 55;
        position->board[square] = end_rank && pm_type_of(piece) == PM_PAWN ? PM_EMPTY : piece;
    }
    position->board[data[1] % PM_SQUARE_COUNT] = pm_make_piece(PM_WHITE, PM_KING);
    position->board[data[2] % PM_SQUARE_COUNT] = pm_make_piece(PM_BLACK, PM_KING);
}

/* The rights that the byte asks for and the board allows, with the rooks that it names. */
static void give_rights(uint8_t byte, struct pm_position *position)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned file = 0; file < 8; file++)
            for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
                pm_square *right = &position->castling_rook[color][side];
                const pm_square before = *right;
                if ((byte >> (2 * color + side) & 1) == 0)
                    continue;
                *right = pm_make_square(file, color == PM_WHITE ? 0 : 7);
                if (pm_position_check(position, NULL) != PM_FAULT_NONE)
                    *right = before;
            }
}

static bool read_board(const uint8_t *data, struct pm_position *position)
{
    *position = (struct pm_position){
        .side_to_move = data[0] & 1, .en_passant = PM_NO_SQUARE, .fullmove_number = 1};
    memset(position->castling_rook, PM_NO_SQUARE, sizeof position->castling_rook);
    put_pieces(data, position);
    if (pm_position_check(position, NULL) == PM_FAULT_OPPONENT_IN_CHECK)
        position->side_to_move ^= 1;
    if (pm_position_check(position, NULL) != PM_FAULT_NONE)
        return false;
    give_rights(data[3], position);
    position->en_passant = pm_make_square(data[0] >> 1 & 7, position->side_to_move == 0 ? 5 : 2);
    if ((data[0] & 16) == 0 || pm_position_check(position, NULL) != PM_FAULT_NONE)
        position->en_passant = PM_NO_SQUARE;
    return true;
}

static bool read_seed(const uint8_t *data, size_t size, struct pm_position *position)
{
    struct pm_generator generator = {.mover = reference};
    struct pm_generated generated;
    memcpy(&generator.seed, data, size);
    if (pm_generate(&generator, generator.seed % PM_THEME_COUNT, &generated) != PM_OK)
        return false;
    FUZZ_EXPECT(pm_position_check(&generated.position, NULL) == PM_FAULT_NONE,
                "a generated position has a fault");
    *position = generated.position;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t board[SIZE] = {0};
    struct pm_position position;
    char text[PM_VERIFY_TEXT_SIZE];
    char fen[PM_FEN_SIZE];
    memcpy(board, data, size < SIZE ? size : SIZE);
    if (size > sizeof(uint64_t) ? !read_board(board, &position) : !read_seed(data, size, &position))
        return -1; /* not for the corpus */
    const struct pm_kernel *different =
        pm_verify_find_different(kernels, reference, &position, 2, 3000, text);
    if (different != NULL)
        pm_fen_write(&position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    FUZZ_EXPECT(different == NULL, "%s on %s: %s", different->name, fen, text);
    return 0;
}
