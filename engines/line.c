/* SPDX-License-Identifier: MIT */
/* What every kind of subject needs: the line it is asked about, and how it says that it failed. */
#include "engines/internal.h"

#include "core/clock.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/state.h"
#include "engines/divide.h"
#include "kernels/registry.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

char *pm_line_moves_to_text(const struct pm_line *line, bool chess960)
{
    char *text = malloc(line->move_count * PM_MOVE_TEXT_SIZE + 1);
    char *end = text;
    if (text == NULL)
        return NULL;
    *end = '\0';
    for (unsigned i = 0; i < line->move_count; i++) {
        if (i > 0)
            *end++ = ' ';
        pm_move_to_text(&line->moves[i], pm_divide_castling(chess960), end);
        end += strlen(end);
    }
    return text;
}

char *pm_line_to_fen(const struct pm_line *line, bool chess960)
{
    char fen[PM_FEN_SIZE];
    char *text = NULL;
    char *moves = pm_line_moves_to_text(line, chess960);
    pm_fen_write(line->position, chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                 PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    if (moves != NULL &&
        asprintf(&text, "%s%s%s", fen, line->move_count > 0 ? " moves " : "", moves) < 0)
        text = NULL;
    free(moves);
    return text;
}

/* The oracle; NULL if there is none. */
static const struct pm_kernel *reference;

static void find_reference(void)
{
    reference = pm_kernels_reference();
}

enum pm_status pm_line_play(const struct pm_kernel *kernel, void *state, const struct pm_line *line)
{
    enum pm_status status = kernel->set_position(state, line->position);
    for (unsigned i = 0; i < line->move_count && status == PM_OK; i++)
        status = kernel->play(state, &line->moves[i]);
    return status;
}

enum pm_status pm_line_end_find(const struct pm_line *line, struct pm_line_end *end,
                                struct pm_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_reference);
    if (reference == NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "no reference kernel runs here");
    void *state = pm_new_state(reference);
    if (state == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = pm_line_play(reference, state, line);
    if (status == PM_OK)
        status = reference->get_position(state, &end->position);
    if (status == PM_OK)
        status = reference->legal_moves(state, end->moves, &end->count);
    free(state);
    if (status != PM_OK)
        pm_fail(error, status, "the reference can't follow the moves: %s", pm_status_text(status));
    return status;
}

/* ---- Failures ---- */

const char *pm_subject_failure_text(enum pm_subject_failure failure)
{
    static const char *const texts[PM_SUBJECT_FAILURE_COUNT] = {
        [PM_SUBJECT_FINE] = "fine",       [PM_SUBJECT_HUNG] = "hung",
        [PM_SUBJECT_CRASHED] = "crashed", [PM_SUBJECT_GARBAGE] = "garbage",
        [PM_SUBJECT_LIED] = "lied",       [PM_SUBJECT_REFUSED] = "refused",
        [PM_SUBJECT_WRONG] = "wrong",
    };
    return (unsigned)failure < PM_SUBJECT_FAILURE_COUNT ? texts[failure] : "unknown failure";
}

static enum pm_status status_of(enum pm_subject_failure failure)
{
    switch (failure) {
    case PM_SUBJECT_LIED:
        return PM_ERROR_MISMATCH;
    case PM_SUBJECT_REFUSED:
        return PM_ERROR_UNSUPPORTED;
    default:
        return PM_ERROR_IO;
    }
}

enum pm_status pm_subject_fail(enum pm_subject_failure kind, enum pm_subject_failure *failure,
                               struct pm_error *error, const char *format, ...)
{
    char what[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    *failure = kind;
    return pm_fail(error, status_of(kind), "%s", what);
}

uint64_t pm_subject_deadline(double time_limit)
{
    return pm_clock_ns() + (uint64_t)(time_limit * 1e9);
}

/* ---- Divides by counts ---- */

/* Each child is asked about in turn; moves has room for one more than the line has. */
static enum pm_status count_children(struct pm_subject *subject, const struct pm_line *line,
                                     struct pm_move *moves, const struct pm_line_end *end,
                                     int depth, struct pm_divide *divide,
                                     enum pm_subject_failure *failure, struct pm_error *error)
{
    struct pm_line child = *line;
    struct pm_divide *below = malloc(sizeof *below);
    enum pm_status status = below != NULL ? PM_OK : PM_ERROR_MEMORY;
    child.moves = moves;
    child.move_count++;
    divide->count = 0;
    for (unsigned i = 0; i < end->count && status == PM_OK; i++) {
        struct pm_divide_entry *entry = &divide->entries[divide->count++];
        moves[line->move_count] = end->moves[i];
        pm_move_to_text(&end->moves[i], pm_divide_castling(line->chess960), entry->text);
        if (depth > 1)
            status = subject->count(subject, &child, depth - 1, below, failure, error);
        entry->nodes = depth > 1 ? below->total : 1;
    }
    free(below);
    return status;
}

static enum pm_status compare_sum(const struct pm_divide *divide, enum pm_subject_failure *failure,
                                  struct pm_error *error)
{
    char told[PM_COUNT_TEXT_SIZE];
    char added[PM_COUNT_TEXT_SIZE];
    pm_count sum = 0;
    for (unsigned i = 0; i < divide->count; i++)
        if (pm_count_add(&sum, divide->entries[i].nodes) != PM_OK)
            return pm_subject_fail(PM_SUBJECT_GARBAGE, failure, error,
                                   "the sum of its counts is over 128 bits");
    if (sum == divide->total)
        return PM_OK;
    return pm_subject_fail(PM_SUBJECT_WRONG, failure, error,
                           "it counts %s here and %s after the %u legal moves; it names no moves",
                           pm_count_to_grouped_text(divide->total, told),
                           pm_count_to_grouped_text(sum, added), divide->count);
}

enum pm_status pm_divide_by_counts(struct pm_subject *subject, const struct pm_line *line,
                                   int depth, struct pm_divide *divide,
                                   enum pm_subject_failure *failure, struct pm_error *error)
{
    struct pm_move *moves = malloc((line->move_count + 1) * sizeof *moves);
    struct pm_line_end *end = malloc(sizeof *end);
    enum pm_status status = moves != NULL && end != NULL ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK && line->move_count > 0)
        memcpy(moves, line->moves, line->move_count * sizeof *moves);
    if (status == PM_OK)
        status = pm_line_end_find(line, end, error);
    if (status == PM_OK)
        status = subject->count(subject, line, depth, divide, failure, error);
    if (status == PM_OK)
        status = count_children(subject, line, moves, end, depth, divide, failure, error);
    if (status == PM_OK) {
        pm_divide_normalize(divide, end->moves, end->count, line->chess960);
        status = compare_sum(divide, failure, error);
    }
    free(moves);
    free(end);
    return status;
}
