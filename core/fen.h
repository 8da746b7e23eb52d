/* SPDX-License-Identifier: MIT */
/* FEN, X-FEN and Shredder-FEN: reader and writer.
 * Castling letters: K/Q/k/q mean the outermost rook on that side of the king (X-FEN), A-H/a-h the
 * rook on that file (Shredder-FEN). */
#ifndef PM_CORE_FEN_H
#define PM_CORE_FEN_H

#include "core/board.h"
#include "core/status.h"

#include <stdbool.h>

/* Options of the reader, bits. Without PM_FEN_LENIENT the reader is strict. */
enum pm_fen_option {
    /* Accepts, and warns of: missing castling/en passant/clock fields (2 to 6 fields), several
     * blanks,
     * '-' for a clock, adjacent digits, a castling letter twice, castling rights whose rook or king
     * is not there, or K and Q where they are not at home (dropped), en passant squares without the
     * pawn (dropped), more pieces than a game allows. Tabs and line ends count as blanks. */
    PM_FEN_LENIENT = 1 << 0,
    /* Accepts castling rights for kings and rooks on any file of the first rank. Without it, only
     * those of standard chess. */
    PM_FEN_CHESS960 = 1 << 1
};

/* What was accepted, but is worth saying. Bits; the bits of enum pm_position_warning keep their
 * places below 1 << 8. */
enum pm_fen_warning {
    PM_FEN_WARN_FIELDS = 1 << 8,      /* fields were missing and got their defaults: "- - 0 1" */
    PM_FEN_WARN_BLANKS = 1 << 9,      /* blanks doubled, leading or trailing */
    PM_FEN_WARN_CLOCK_TEXT = 1 << 10, /* a '-' was read as clock */
    PM_FEN_WARN_FULLMOVE = 1 << 11,   /* full-move number 0 was read as 1 */
    PM_FEN_WARN_DIGITS = 1 << 12,     /* adjacent digits in a rank */
    PM_FEN_WARN_CASTLING = 1 << 13,   /* a castling right was dropped */
    PM_FEN_WARN_EN_PASSANT = 1 << 14, /* an en passant square without its pawn was dropped */
    PM_FEN_WARN_ORDER = 1 << 15       /* castling letters out of order or doubled */
};

/* One warning bit's text; takes enum pm_position_warning bits too. Never NULL. */
const char *pm_fen_warning_text(unsigned warning);

/* Reads one FEN: the whole of text. On PM_OK *position passes pm_position_check() and *warnings
 * (may be NULL) has the warning bits. Otherwise PM_ERROR_PARSE or PM_ERROR_POSITION, *position is
 * untouched and error names the field, the column (from 1), the value seen and what would be right.
 */
enum pm_status pm_fen_read(const char *text, unsigned options, struct pm_position *position,
                           unsigned *warnings, struct pm_error *error);

/* Reads leniently what may be either: a position of standard chess if its castling rights are such;
 * else one of Chess960, if one set-up has all of its rights or they name files (Shredder-FEN); else
 * one of standard chess, less the rights whose king or rook is not at home, with a warning. */
enum pm_status pm_fen_read_either(const char *text, struct pm_position *position, bool *chess960,
                                  unsigned *warnings, struct pm_error *error);

/* Reads the first field of a FEN alone, up to a blank or the end, as strictly: pieces of any kind
 * and number, wherever they stand. On an error the board is untouched. */
enum pm_status pm_fen_read_board(const char *text, pm_piece board[PM_SQUARE_COUNT],
                                 struct pm_error *error);

enum pm_fen_style {
    PM_FEN_XFEN,     /* KQkq where outermost, if one set-up has all the rights; else file letters */
    PM_FEN_SHREDDER, /* HAha always */
    PM_FEN_STYLE_COUNT
};

/* Whether the en passant square is written only when a capture is legal (canonical), or as it
 * stands. */
enum pm_fen_en_passant { PM_FEN_EN_PASSANT_LEGAL, PM_FEN_EN_PASSANT_AS_GIVEN };

#define PM_FEN_SIZE 112 /* the longest FEN and its NUL */

/* Writes all six fields. Returns text. */
char *pm_fen_write(const struct pm_position *position, enum pm_fen_style style,
                   enum pm_fen_en_passant en_passant, char text[PM_FEN_SIZE]);

/* FENs known by a name on the command line: startpos, kiwipete, cpw3 … cpw6. */
struct pm_named_position {
    const char *name;
    const char *fen;
    const char *summary;
};
extern const struct pm_named_position pm_named_positions[]; /* ends with a NULL name */

/* As pm_fen_read, but a name of pm_named_positions is taken too. */
enum pm_status pm_fen_read_named(const char *text, unsigned options, struct pm_position *position,
                                 unsigned *warnings, struct pm_error *error);

#endif
