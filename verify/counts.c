/* SPDX-License-Identifier: MIT */
/* Level counts: each row of a suite through the kernel's own perft(). */
#include "core/clock.h"
#include "core/position.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALL_NODES = 20000000 };

enum outcome { NOT_REACHED, RIGHT, WRONG, UNSUPPORTED, REFUSED };

struct row {
    const struct pm_suite_entry *entry;
    const struct pm_suite_count *count;
    enum outcome outcome;
    enum pm_status status; /* what the kernel said, if it refused */
    pm_count counted;
};

struct counts {
    const struct pm_verify_config *config;
    const struct pm_kernel *kernel;
    enum pm_mode mode;
    struct row *rows;
};

static enum pm_status count_deep(const struct counts *counts, const void *state, int depth,
                                 int limit, pm_count *total);

static enum pm_status count_children(const struct counts *counts, const void *state, int depth,
                                     int limit, pm_count *total)
{
    const struct pm_kernel *kernel = counts->kernel;
    struct pm_move *moves = malloc(PM_MAX_MOVES * sizeof *moves);
    void *child = pm_new_state(kernel);
    unsigned count = 0;
    enum pm_status status = moves != NULL && child != NULL ? PM_OK : PM_ERROR_MEMORY;

    if (status == PM_OK)
        status = kernel->legal_moves(state, moves, &count);
    for (unsigned i = 0; i < count && status == PM_OK; i++) {
        memcpy(child, state, kernel->state_size);
        status = kernel->play(child, &moves[i]);
        if (status == PM_OK)
            status = count_deep(counts, child, depth - 1, limit, total);
    }
    free(child);
    free(moves);
    return status;
}

/* A kernel call is limited in depth: the plies above are walked. */
static enum pm_status count_deep(const struct counts *counts, const void *state, int depth,
                                 int limit, pm_count *total)
{
    uint64_t nodes = 0;
    if (pm_verify_stopped(counts->config))
        return PM_ERROR_INTERRUPTED;
    if (depth > limit)
        return count_children(counts, state, depth, limit, total);
    const enum pm_status status = counts->kernel->perft(state, depth, counts->mode, &nodes);
    return status == PM_OK ? pm_count_add(total, nodes) : status;
}

/* The suite's count of the position at that depth; where it has none, a guess. */
static double nodes_at(const struct pm_suite_entry *entry, int depth)
{
    double guess = 1;
    for (unsigned i = 0; i < entry->count_count; i++)
        if (entry->counts[i].depth == depth)
            return (double)entry->counts[i].nodes;
    for (int ply = 0; ply < depth; ply++)
        guess *= 20;
    return guess;
}

/* How deep a single call may go, so that none takes much more than a second: it can't be
 * interrupted. */
static int call_limit(const struct row *row)
{
    const int limit = pm_kernel_depth_limit(&row->entry->position);
    const double nodes = (double)row->count->nodes;
    int above = 0; /* plies that are walked */
    while (above + 1 < row->count->depth && nodes > MAX_CALL_NODES * nodes_at(row->entry, above))
        above++;
    return row->count->depth - above < limit ? row->count->depth - above : limit;
}

static void count_row(const struct counts *counts, void *state, struct row *row)
{
    const struct pm_kernel *kernel = counts->kernel;
    const struct pm_position *position = &row->entry->position;

    row->status = kernel->set_position(state, position);
    if (row->status == PM_ERROR_UNSUPPORTED) {
        row->outcome = UNSUPPORTED;
        return;
    }
    if (row->status == PM_OK)
        row->status = count_deep(counts, state, row->count->depth, call_limit(row), &row->counted);
    if (row->status == PM_ERROR_INTERRUPTED)
        row->outcome = NOT_REACHED;
    else if (row->status != PM_OK)
        row->outcome = REFUSED;
    else
        row->outcome = row->counted == row->count->nodes ? RIGHT : WRONG;
}

static enum pm_status run_row(void *context, size_t index)
{
    const struct counts *counts = context;
    struct row *row = &counts->rows[index];
    void *state = pm_new_state(counts->kernel);

    if (state == NULL)
        return PM_ERROR_MEMORY;
    count_row(counts, state, row);
    free(state);
    return row->outcome == WRONG || row->outcome == REFUSED ? PM_ERROR_MISMATCH : PM_OK;
}

/* The suite knows some wrong counts and the bugs that gave them. */
static bool is_known_bug(const struct row *row)
{
    const char *wrong = pm_suite_entry_opcode(row->entry, "wrong");
    pm_count known;
    return wrong != NULL && row->entry->count_count == 1 &&
           pm_count_from_text(wrong, (unsigned)strlen(wrong), &known) && known == row->counted;
}

static void describe(const struct row *row, const char *mode, char text[PM_VERIFY_TEXT_SIZE])
{
    char counted[PM_COUNT_TEXT_SIZE];
    char expected[PM_COUNT_TEXT_SIZE];
    char off[PM_COUNT_TEXT_SIZE];
    const pm_count right = row->count->nodes;
    const bool over = row->counted > right;
    const char *cause = is_known_bug(row) ? pm_suite_entry_opcode(row->entry, "c0") : NULL;

    if (row->outcome == REFUSED) {
        pm_verify_say(text, "%s depth %d: the kernel answers \"%s\"", mode, row->count->depth,
                      pm_status_text(row->status));
        return;
    }
    pm_count_to_grouped_text(row->counted, counted);
    pm_count_to_grouped_text(right, expected);
    pm_count_to_grouped_text(over ? row->counted - right : right - row->counted, off);
    pm_verify_say(text, "%s depth %d: %s nodes, right is %s (%s too %s)%s%s", mode,
                  row->count->depth, counted, expected, off, over ? "many" : "few",
                  cause != NULL ? "; a known bug: " : "", cause != NULL ? cause : "");
}

static enum pm_status note_wrong_row(const struct row *row, struct pm_verify_case *result)
{
    char text[PM_VERIFY_TEXT_SIZE];
    describe(row, pm_check_text(result->check), text);
    const struct pm_verify_fault fault = {.entry = row->entry,
                                          .depth = row->count->depth,
                                          .text = text,
                                          .has_counts = row->outcome == WRONG,
                                          .expected = row->count->nodes,
                                          .counted = row->counted};
    return pm_verify_add_failure(result, &fault);
}

static enum pm_status note_row(const struct row *row, struct pm_verify_case *result)
{
    switch (row->outcome) {
    case NOT_REACHED:
        result->rows_stopped++;
        return PM_OK;
    case UNSUPPORTED:
        result->rows_unsupported++;
        return PM_OK;
    case RIGHT:
    case WRONG:
    case REFUSED:
        break;
    }
    result->rows++;
    if (row->outcome != RIGHT && note_wrong_row(row, result) != PM_OK)
        return PM_ERROR_MEMORY;
    return pm_count_add(&result->nodes, row->count->nodes);
}

static int largest_first(const void *a, const void *b)
{
    const struct row *const x = a;
    const struct row *const y = b;
    if (x->count->nodes != y->count->nodes)
        return x->count->nodes < y->count->nodes ? 1 : -1;
    return (x->count > y->count) - (x->count < y->count);
}

static int file_order(const void *a, const void *b)
{
    const struct row *const x = a;
    const struct row *const y = b;
    if (x->entry != y->entry)
        return x->entry > y->entry ? 1 : -1;
    return (x->count > y->count) - (x->count < y->count);
}

/* Fills rows with what is within the limit; returns how many. */
static size_t choose_rows(const struct pm_kernel *kernel, const struct pm_suite *suite,
                          struct pm_verify_case *result, struct row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < suite->entry_count; i++) {
        const struct pm_suite_entry *entry = &suite->entries[i];
        for (unsigned j = 0; j < entry->count_count; j++) {
            if (!pm_verify_supports(kernel, entry))
                result->rows_unsupported++;
            else if (entry->counts[j].nodes > result->limit)
                result->rows_over_limit++;
            else
                rows[count++] = (struct row){.entry = entry, .count = &entry->counts[j]};
        }
    }
    return count;
}

/* Sums that are known for a whole suite: OEIS A157851. */
static const struct {
    const char *suite;
    size_t positions;
    uint64_t sums[PM_VERIFY_MAX_TOTALS]; /* from depth 1; 0 ends */
} known_totals[] = {
    {"chess960_starts", 960, {18882, 371766, 8224968, 181106056, 4433048830}},
};

static enum pm_status add_total(const struct row *rows, size_t count, int depth, size_t positions,
                                uint64_t expected, struct pm_verify_case *result)
{
    struct pm_verify_total total = {.depth = depth, .expected = expected};
    char sum[PM_COUNT_TEXT_SIZE];
    char text[PM_VERIFY_TEXT_SIZE];
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].count->depth == depth && rows[i].outcome != NOT_REACHED) {
            total.counted += rows[i].counted;
            found++;
        }
    if (found != positions)
        return PM_OK;
    result->totals[result->total_count++] = total;
    if (total.counted == total.expected)
        return PM_OK;
    pm_verify_say(text, "%s depth %d: the sum over all %zu positions is %s, right is %" PRIu64,
                  pm_check_text(result->check), depth, positions,
                  pm_count_to_text(total.counted, sum), expected);
    const struct pm_verify_fault fault = {.depth = depth,
                                          .text = text,
                                          .has_counts = true,
                                          .expected = total.expected,
                                          .counted = total.counted};
    return pm_verify_add_failure(result, &fault);
}

static enum pm_status add_totals(const struct pm_suite *suite, const struct row *rows, size_t count,
                                 struct pm_verify_case *result)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < sizeof known_totals / sizeof *known_totals; i++) {
        if (strcmp(suite->name, known_totals[i].suite) != 0)
            continue;
        for (int d = 0; d < PM_VERIFY_MAX_TOTALS && known_totals[i].sums[d] != 0; d++)
            if (status == PM_OK)
                status = add_total(rows, count, d + 1, known_totals[i].positions,
                                   known_totals[i].sums[d], result);
    }
    return status;
}

static enum pm_status note_rows(struct row *rows, size_t count, struct pm_verify_case *result)
{
    const struct pm_suite_entry *last = NULL;
    enum pm_status status = PM_OK;
    qsort(rows, count, sizeof *rows, file_order);
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const uint64_t before = result->rows;
        status = note_row(&rows[i], result);
        if (result->rows != before && rows[i].entry != last) {
            result->positions++;
            last = rows[i].entry;
        }
    }
    return status;
}

enum pm_status pm_verify_counts(const struct pm_kernel *kernel, const struct pm_suite *suite,
                                const struct pm_verify_config *config,
                                struct pm_verify_case *result)
{
    const uint64_t start = pm_clock_ns();
    struct counts counts = {
        .config = config,
        .kernel = kernel,
        .mode = result->check == PM_CHECK_MIRROR ? PM_MODE_BULK
                                                 : (enum pm_mode)pm_check_mode(result->check),
    };

    result->positions_total = suite->entry_count;
    for (size_t i = 0; i < suite->entry_count; i++)
        result->rows_total += suite->entries[i].count_count;
    counts.rows = calloc(result->rows_total + 1, sizeof *counts.rows);
    if (counts.rows == NULL)
        return PM_ERROR_MEMORY;

    const size_t count = choose_rows(kernel, suite, result, counts.rows);
    qsort(counts.rows, count, sizeof *counts.rows, largest_first);
    const enum pm_status ran = pm_verify_each(config, result, count, run_row, &counts);
    enum pm_status status = note_rows(counts.rows, count, result);
    if (status == PM_OK)
        status = add_totals(suite, counts.rows, count, result);
    free(counts.rows);
    result->seconds = pm_clock_seconds_since(start);
    return ran != PM_OK ? ran : status;
}
