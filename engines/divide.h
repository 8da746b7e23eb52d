/* SPDX-License-Identifier: MIT */
/* Divides: made by a kernel, or read from what a program prints. */
#ifndef PM_ENGINES_DIVIDE_H
#define PM_ENGINES_DIVIDE_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/move.h"
#include "core/quote.h"
#include "core/status.h"
#include "engines/subject.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* The mode, or the first that the kernel has if it lacks that one. */
enum pm_mode pm_divide_mode(const struct pm_kernel *kernel, enum pm_mode mode);

/* Divides by a kernel, whose state stands for a position: the moves of legal_moves(), each played,
 * then perft(). Plies beyond `limit` (pm_kernel_depth_limit()) are walked. Not what the kernel
 * says is wrong, but what it can't be asked about: its status, or PM_ERROR_MISMATCH when it refuses
 * a move of its own or gives more than PM_MAX_MOVES. */
enum pm_status pm_divide_make(const struct pm_kernel *kernel, enum pm_mode mode, const void *state,
                              int depth, int limit, bool chess960, struct pm_divide *divide,
                              struct pm_error *error);

/* Expressions (POSIX extended) of an engine file, instead of what is understood below: of a part,
 * with the groups move and count, and of the total, with the group count. */
struct pm_divide_patterns {
    regex_t part, total;
    bool has_part, has_total;
};

/* How a divide is read from lines of text. Understood are parts (`e2e4: 20`, `e7e8Q 3`, `1. a2-a3 -
 * 1,234`, `move e2e4 20`), and totals (`Nodes searched: 400`, `nodes 400 nps …`, `perft 2 = 400`,
 * `400 nodes`, or a bare number), the last of which counts. Escape sequences of a terminal, and
 * "info string" before either, are passed over, and so are lines of UCI (info, option, id,
 * bestmove, readyok) and all others; but a move of another notation with a count, or a count that
 * is no whole number, is an error: it would be missing. */
struct pm_divide_reader {
    struct pm_divide *divide;
    const struct pm_divide_patterns *patterns; /* NULL: as above; set it after the beginning */
    bool has_total;
    char first[PM_QUOTE_SIZE]; /* the first line that was not understood, quoted; "" */
};
enum pm_divide_line { PM_DIVIDE_OTHER, PM_DIVIDE_PART, PM_DIVIDE_TOTAL };

void pm_divide_read_begin(struct pm_divide_reader *reader, struct pm_divide *divide);

/* *kind (may be NULL) tells what the line was. PM_ERROR_PARSE, with the line, if it is an error as
 * above, names a move for the second time, or if its count does not fit 128 bits; also if there are
 * more than PM_MAX_MOVES parts. */
enum pm_status pm_divide_read_line(struct pm_divide_reader *reader, const char *line, size_t length,
                                   enum pm_divide_line *kind, struct pm_error *error);

/* Sorts. A total alone is enough. PM_ERROR_PARSE if there was neither a part nor a total (error
 * then has the first line), PM_ERROR_OVERFLOW if the sum of the parts does not fit 128 bits,
 * PM_ERROR_MISMATCH if the parts do not add up to the total; then *divide is complete all the same.
 */
enum pm_status pm_divide_read_end(struct pm_divide_reader *reader, struct pm_error *error);

/* All three, for a text of several lines. Takes any bytes. */
enum pm_status pm_divide_read_text(const char *text, size_t size, struct pm_divide *divide,
                                   struct pm_error *error);

/* Rewrites parts that name one of these moves as pm_move_to_text() would, and sorts. */
void pm_divide_normalize(struct pm_divide *divide, const struct pm_move moves[], unsigned count,
                         bool chess960);

/* Whether the parts of a normalized divide are exactly these moves. */
bool pm_divide_has_moves(const struct pm_divide *divide, const struct pm_move moves[],
                         unsigned count, bool chess960);

/* How castling is written on a line. */
enum pm_castling_text pm_divide_castling(bool chess960);

#endif
