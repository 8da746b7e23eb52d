/* SPDX-License-Identifier: MIT */
/* What differs between two positions, move lists or hash keys, said in words. */
#include "core/fen.h"
#include "core/move.h"
#include "core/position.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool pm_verify_say(char text[PM_VERIFY_TEXT_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, PM_VERIFY_TEXT_SIZE, format, arguments);
    va_end(arguments);
    return true;
}

/* ---- Positions ---- */

static const char *square_text(pm_square square, char text[16])
{
    if (square <= PM_NO_SQUARE)
        return pm_square_to_text(square, text);
    snprintf(text, 16, "square %d", square);
    return text;
}

static const char *piece_text(pm_piece piece)
{
    static const char *const texts[16] = {
        [0] = "nothing",       [1] = "white pawn",    [2] = "white knight", [3] = "white bishop",
        [4] = "white rook",    [5] = "white queen",   [6] = "white king",   [9] = "black pawn",
        [10] = "black knight", [11] = "black bishop", [12] = "black rook",  [13] = "black queen",
        [14] = "black king",
    };
    return piece < 16 && texts[piece] != NULL ? texts[piece] : "an unknown piece code";
}

static bool board_differs(const struct pm_position *given, const struct pm_position *right,
                          char text[PM_VERIFY_TEXT_SIZE])
{
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        if (given->board[square] != right->board[square]) {
            char name[16];
            return pm_verify_say(text, "square %s: %s, right is %s", square_text(square, name),
                                 piece_text(given->board[square]),
                                 piece_text(right->board[square]));
        }
    return false;
}

static bool castling_differs(const struct pm_position *given, const struct pm_position *right,
                             char text[PM_VERIFY_TEXT_SIZE])
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const pm_square is = given->castling_rook[color][side];
            const pm_square should = right->castling_rook[color][side];
            char is_text[16];
            char should_text[16];
            if (is != should)
                return pm_verify_say(text, "castling right: %s %s has rook %s, right is %s",
                                     color == PM_WHITE ? "white" : "black",
                                     side == PM_KINGSIDE ? "kingside" : "queenside",
                                     square_text(is, is_text), square_text(should, should_text));
        }
    return false;
}

static bool clock_differs(const struct pm_position *given, const struct pm_position *right,
                          char text[PM_VERIFY_TEXT_SIZE])
{
    if (given->halfmove_clock != right->halfmove_clock)
        return pm_verify_say(text, "halfmove clock: %u, right is %u", given->halfmove_clock,
                             right->halfmove_clock);
    if (given->fullmove_number != right->fullmove_number)
        return pm_verify_say(text, "full-move number: %u, right is %u", given->fullmove_number,
                             right->fullmove_number);
    return false;
}

/* The square after canonicalisation; the fault that forbids to canonicalise goes to *fault. */
static pm_square canonical_en_passant(const struct pm_position *position,
                                      enum pm_position_fault *fault)
{
    struct pm_position canonical = *position;
    *fault =
        position->en_passant == PM_NO_SQUARE ? PM_FAULT_NONE : pm_position_check(position, NULL);
    if (position->en_passant == PM_NO_SQUARE || *fault != PM_FAULT_NONE)
        return position->en_passant;
    pm_position_canonicalize(&canonical);
    return canonical.en_passant;
}

/* All other fields are equal. */
static bool en_passant_differs(const struct pm_position *given, const struct pm_position *right,
                               char text[PM_VERIFY_TEXT_SIZE])
{
    enum pm_position_fault fault;
    char is_text[16];
    char should_text[16];
    if (given->en_passant == right->en_passant)
        return false;
    const pm_square should = canonical_en_passant(right, &fault);
    const pm_square is = canonical_en_passant(given, &fault);
    if (fault != PM_FAULT_NONE)
        return pm_verify_say(text, "en passant: %s, which is impossible (%s), right is %s",
                             square_text(is, is_text), pm_position_fault_text(fault),
                             square_text(should, should_text));
    if (is == should)
        return false;
    return pm_verify_say(text, "en passant: %s, right is %s", square_text(is, is_text),
                         square_text(should, should_text));
}

bool pm_verify_position_differs(const struct pm_position *given, const struct pm_position *right,
                                bool clocks, char text[PM_VERIFY_TEXT_SIZE])
{
    if (board_differs(given, right, text))
        return true;
    if (given->side_to_move != right->side_to_move)
        return pm_verify_say(text, "side to move: %d, right is %d (0 is white)",
                             given->side_to_move, right->side_to_move);
    return castling_differs(given, right, text) || en_passant_differs(given, right, text) ||
           (clocks && clock_differs(given, right, text));
}

/* ---- Move lists ---- */

enum { LIST_SIZE = 256 };

static void append(char list[LIST_SIZE], const struct pm_move *move, bool chess960)
{
    const size_t length = strlen(list);
    char text[PM_MOVE_DESCRIPTION_SIZE];
    pm_move_describe(move, chess960, text);
    if (length + strlen(text) + 5 < LIST_SIZE)
        sprintf(list + length, " %s", text);
    else if (length + 4 < LIST_SIZE && (length < 4 || strcmp(list + length - 4, " ...") != 0))
        strcpy(list + length, " ...");
}

static bool say_lists(const char *missing, const char *extra, const char *doubled,
                      const char *kinds, char text[PM_VERIFY_TEXT_SIZE])
{
    const struct {
        const char *name, *list;
    } parts[] = {{"missing:", missing},
                 {"extra:", extra},
                 {"doubled:", doubled},
                 {"of a wrong kind:", kinds}};
    size_t length = 0;

    for (int i = 0; i < 4; i++)
        if (parts[i].list[0] != '\0')
            length += (size_t)snprintf(text + length, PM_VERIFY_TEXT_SIZE - length, "%s%s%s",
                                       length > 0 ? "; " : "", parts[i].name, parts[i].list);
    return true;
}

bool pm_verify_moves_differ(const struct pm_move given[], unsigned given_count,
                            const struct pm_move right[], unsigned right_count, bool chess960,
                            char text[PM_VERIFY_TEXT_SIZE])
{
    char missing[LIST_SIZE] = "";
    char extra[LIST_SIZE] = "";
    char doubled[LIST_SIZE] = "";
    char kinds[LIST_SIZE] = "";
    unsigned i = 0;
    unsigned j = 0;

    if (given_count == right_count && memcmp(given, right, given_count * sizeof *given) == 0)
        return false;
    while (i < given_count || j < right_count) {
        const int order = i == given_count   ? 1
                          : j == right_count ? -1
                                             : pm_move_compare(&given[i], &right[j]);
        if (order > 0) {
            append(missing, &right[j++], chess960);
        } else if (order < 0) {
            const bool again = i > 0 && pm_move_compare(&given[i - 1], &given[i]) == 0;
            append(again ? doubled : extra, &given[i++], chess960);
        } else if (given[i++].kind != right[j++].kind) {
            append(kinds, &right[j - 1], chess960);
        }
    }
    return say_lists(missing, extra, doubled, kinds, text);
}

bool pm_verify_keys_differ(uint64_t carried, uint64_t built, char text[PM_VERIFY_TEXT_SIZE])
{
    return carried != built && pm_verify_say(text,
                                             "key carried along: 0x%016" PRIx64
                                             ", built from scratch it is 0x%016" PRIx64,
                                             carried, built);
}
