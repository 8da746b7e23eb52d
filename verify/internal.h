/* SPDX-License-Identifier: MIT */
/* What the files of verify/ share. */
#ifndef PM_VERIFY_INTERNAL_H
#define PM_VERIFY_INTERNAL_H

#include "core/state.h"
#include "verify/verify.h"

/* One step of a check. PM_OK and PM_ERROR_MISMATCH (noted by the task itself) let the others go on,
 * any other status ends the loop. */
typedef enum pm_status (*pm_verify_task)(void *context, size_t index);

/* Runs tasks 0 … count - 1 in that order on config->threads threads. Tasks that are not reached,
 * after a stop or with fail_fast after a mismatch, are not called. */
enum pm_status pm_verify_each(const struct pm_verify_config *config,
                              const struct pm_verify_case *current, size_t count,
                              pm_verify_task task, void *context);

/* Whether a stop was asked for. */
bool pm_verify_stopped(const struct pm_verify_config *config);

/* Whether the kernel may be given that entry at all. */
bool pm_verify_supports(const struct pm_kernel *kernel, const struct pm_suite_entry *entry);

/* What differs, in words: long enough for four cut lists of moves. */
#define PM_VERIFY_TEXT_SIZE 1280

/* Writes text printf-style and returns true: `return pm_verify_say(text, …)` means "they differ".
 */
__attribute__((format(printf, 2, 3))) bool pm_verify_say(char text[PM_VERIFY_TEXT_SIZE],
                                                         const char *format, ...);

/* What is wrong with one row. entry may be NULL; path and node are NULL or "" where they say
 * nothing.
 */
struct pm_verify_fault {
    const struct pm_suite_entry *entry;
    int depth; /* of the row; 0: not about a row */
    const char *path, *node, *text;
    bool has_counts;
    pm_count expected, counted;
    const char *no_answer; /* "hung" …; NULL: it answered */
};

/* Counts one wrong row, and keeps its description if there is room. */
enum pm_status pm_verify_add_failure(struct pm_verify_case *result,
                                     const struct pm_verify_fault *fault);

/* The test of the position of that line, or NULL. */
struct pm_verify_position *pm_verify_find_test(struct pm_verify_case *result, unsigned line);

/* Whether the check compares counts of rows, which have a node limit. */
bool pm_verify_counts_rows(enum pm_check check);

/* Takes expected failures out of the wrong ones of a case that has ended, and notes in the list
 * what became of them. */
void pm_verify_apply_known(const struct pm_verify_plan *plan, struct pm_verify_known *known,
                           struct pm_verify_case *result);

/* The moves that the pieces of `color` could make if no check and no castling condition mattered,
 * and a few more: castling with any rook of the king's rank, en passant past any pawn that stands
 * right. Every promotion is one move, to a queen. Returns their number, at most PM_MAX_MOVES. */
unsigned pm_verify_pseudo_moves(const struct pm_position *position, enum pm_color color,
                                struct pm_move moves[PM_MAX_MOVES]);

/* Whether the position a kernel gives differs from the right one; then text says where. En passant
 * squares count only if a capture is legal; clocks only if asked. */
bool pm_verify_position_differs(const struct pm_position *given, const struct pm_position *right,
                                bool clocks, char text[PM_VERIFY_TEXT_SIZE]);

/* The same for a hash key that play() has carried along and the one that set_position() builds. */
bool pm_verify_keys_differ(uint64_t carried, uint64_t built, char text[PM_VERIFY_TEXT_SIZE]);

/* The same for two sorted move lists: missing, extra and doubled moves, wrong kinds. */
bool pm_verify_moves_differ(const struct pm_move given[], unsigned given_count,
                            const struct pm_move right[], unsigned right_count, bool chess960,
                            char text[PM_VERIFY_TEXT_SIZE]);

/* The first kernel of a list that ends with NULL which differs from the reference on a position, in
 * its moves, the positions and hash keys after them, attacks, or counts up to a depth (less, if
 * there would be more nodes than the limit); text says how. NULL if there is none, or no memory.
 * Kernels that can't take the position are passed over. */
const struct pm_kernel *pm_verify_find_different(const struct pm_kernel *const kernels[],
                                                 const struct pm_kernel *reference,
                                                 const struct pm_position *position, int depth,
                                                 uint64_t limit, char text[PM_VERIFY_TEXT_SIZE]);

#endif
