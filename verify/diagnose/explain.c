/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/explain.h"

#include "core/fen.h"
#include "core/position.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

/* A diff does not count more than this, a look at a tree does not visit more. */
static const double max_diff_nodes = 3e7;
enum { FAILED_VISITS = 2000, PASSED_VISITS = 300 };
enum { MAX_PASSED = 60, MAX_DIFFS = 12, MAX_UNANSWERED = 2 };

struct source {
    const char *fen;
    enum { NOT_TRIED, TRIED, EXPLAINED } fate; /* of a failed one */
};

/* The positions of a kernel, those that failed first. */
struct rows {
    struct pm_cause_row *rows;
    struct source *sources; /* beside them */
    size_t count, failed, room;
    unsigned unanswered; /* diffs that a subject did not answer */
};

static void free_rows(struct rows *rows)
{
    free(rows->rows);
    free(rows->sources);
    *rows = (struct rows){0};
}

static bool make_room(struct rows *rows)
{
    if (rows->count < rows->room)
        return true;
    const size_t room = rows->room > 0 ? 2 * rows->room : 64;
    struct pm_cause_row *grown = realloc(rows->rows, room * sizeof *grown);
    if (grown != NULL)
        rows->rows = grown;
    struct source *sources = realloc(rows->sources, room * sizeof *sources);
    if (sources != NULL)
        rows->sources = sources;
    rows->room = grown != NULL && sources != NULL ? room : rows->room;
    return grown != NULL && sources != NULL;
}

/* The row of that FEN, or count. */
static size_t find_row(const struct rows *rows, const char *fen)
{
    size_t i = 0;
    while (i < rows->count && strcmp(rows->sources[i].fen, fen) != 0)
        i++;
    return i;
}

/* ---- Failed positions ---- */

/* How deep a diff must go to see it: as deep as the count, or one ply below the walk's node. */
static int depth_of(const struct pm_verify_failure *failure)
{
    int depth = 1;
    if (failure->depth > 0)
        return failure->depth;
    for (const char *c = failure->path; *c != '\0'; c++)
        depth += *c == ' ';
    return failure->path[0] != '\0' ? depth + 1 : depth;
}

static bool read_position(const char *fen, struct pm_cause_row *row)
{
    return pm_fen_read(fen, PM_FEN_LENIENT, &row->position, NULL, NULL) == PM_OK ||
           pm_fen_read(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &row->position, NULL, NULL) == PM_OK;
}

static enum pm_status add_failure(struct rows *rows, const struct pm_verify_failure *failure)
{
    const size_t at = find_row(rows, failure->fen);
    struct pm_cause_row row = {.failed = true, .depth = depth_of(failure)};

    if (at < rows->count) {
        if (row.depth < rows->rows[at].depth)
            rows->rows[at].depth = row.depth;
        return PM_OK;
    }
    if (failure->fen[0] == '\0' || !read_position(failure->fen, &row))
        return PM_OK;
    if (!make_room(rows))
        return PM_ERROR_MEMORY;
    row.chess960 = !pm_position_is_standard(&row.position);
    rows->rows[rows->count] = row;
    rows->sources[rows->count++] = (struct source){.fen = failure->fen};
    return PM_OK;
}

static bool is_ours(const struct pm_explain_config *config, const struct pm_verify_case *result)
{
    return strcmp(result->kernel, config->kernel) == 0 && result->skipped == NULL;
}

static enum pm_status add_failures(const struct pm_explain_config *config, struct rows *rows)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < config->report->case_count; i++) {
        const struct pm_verify_case *result = &config->report->cases[i];
        for (size_t j = 0; j < result->failure_count && is_ours(config, result); j++)
            if (status == PM_OK)
                status = add_failure(rows, &result->failures[j]);
    }
    rows->failed = rows->count;
    return status;
}

/* ---- Positions that passed: a sample ---- */

static int deepest_row(const struct pm_suite_entry *entry, uint64_t limit)
{
    int depth = 0;
    for (unsigned i = 0; i < entry->count_count && entry->counts[i].nodes <= limit; i++)
        depth = entry->counts[i].depth;
    return depth;
}

/* Of a suite whose failures were more than are kept, only what comes before the last one. */
static unsigned last_known_line(const struct pm_verify_case *result)
{
    if (result->wrong == result->failure_count)
        return UINT32_MAX;
    return result->failure_count > 0 ? result->failures[result->failure_count - 1].line : 0;
}

static enum pm_status add_passed(const struct pm_verify_suite *suite,
                                 const struct pm_verify_case *result, size_t step,
                                 struct rows *rows)
{
    for (size_t i = 0; i < suite->suite.entry_count; i += step) {
        const struct pm_suite_entry *entry = &suite->suite.entries[i];
        const int depth = deepest_row(entry, result->limit);
        if (depth == 0 || entry->line > last_known_line(result) ||
            find_row(rows, entry->fen) < rows->count)
            continue;
        if (!make_room(rows))
            return PM_ERROR_MEMORY;
        rows->rows[rows->count] = (struct pm_cause_row){
            .position = entry->position, .chess960 = entry->chess960, .depth = depth};
        rows->sources[rows->count++] = (struct source){.fen = entry->fen};
    }
    return PM_OK;
}

static bool counts_rows(enum pm_check check)
{
    return pm_check_mode(check) >= 0 || check == PM_CHECK_OUTSIDE;
}

static enum pm_status sample_passed(const struct pm_explain_config *config, struct rows *rows)
{
    const struct pm_verify_plan *plan = config->plan;
    size_t entries = 0;
    enum pm_status status = PM_OK;
    for (size_t s = 0; s < plan->suite_count; s++)
        entries += plan->suites[s].suite.entry_count;
    for (size_t i = 0; i < config->report->case_count && status == PM_OK; i++) {
        const struct pm_verify_case *result = &config->report->cases[i];
        for (size_t s = 0; s < plan->suite_count && status == PM_OK; s++)
            if (is_ours(config, result) && result->rows > 0 && counts_rows(result->check) &&
                strcmp(plan->suites[s].suite.name, result->suite) == 0)
                status = add_passed(&plan->suites[s], result, entries / MAX_PASSED + 1, rows);
    }
    return status;
}

static enum pm_status examine(const struct pm_explain_config *config, struct rows *rows)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < rows->count && status == PM_OK; i++)
        status = pm_causes_examine(config->reference, &rows->rows[i],
                                   rows->rows[i].failed ? FAILED_VISITS : PASSED_VISITS);
    return status;
}

/* ---- Diffs ---- */

/* The failed row that is to be tried next: the shallowest; failed if there is none. */
static size_t next_row(const struct rows *rows)
{
    size_t best = rows->failed;
    for (size_t i = 0; i < rows->failed; i++)
        if (rows->sources[i].fate == NOT_TRIED &&
            (best == rows->failed || rows->rows[i].depth < rows->rows[best].depth))
            best = i;
    return best;
}

/* A depth that the reference counts in seconds, if it counts `depth` too slowly. */
static int affordable_depth(const struct pm_explain_config *config, const struct pm_cause_row *row)
{
    const struct pm_kernel *reference = config->reference;
    void *state = pm_new_state(reference);
    int depth = 1;
    uint64_t nodes = 0, before = 1;
    if (state == NULL || reference->set_position(state, &row->position) != PM_OK) {
        free(state);
        return 1;
    }
    for (; depth < row->depth && depth < PM_KERNEL_MAX_DEPTH; depth++) {
        if (reference->perft(state, depth, PM_MODE_BULK, &nodes) != PM_OK)
            break;
        /* The next depth grows about as much as this one did. */
        if ((double)nodes * (double)nodes / (double)before > max_diff_nodes)
            break;
        before = nodes > 0 ? nodes : 1;
    }
    free(state);
    return depth;
}

/* The rules alone, not the groups they belong to. */
static pm_features rules_of(const struct pm_diff *diff)
{
    const pm_features all = PM_FEATURE_BIT(PM_RULE_COUNT) - 1;
    pm_features rules = 0;
    for (unsigned i = 0; i < diff->move_count && diff->wrong_field[0] == '\0'; i++)
        rules |= pm_features_of_rule(diff->moves[i].finding.rule);
    return rules & all;
}

/* What the failures have in common: the diff's rule, unless it is everywhere. */
static void find_cause(const struct rows *rows, struct pm_explanation *explanation)
{
    const bool says_it = rules_of(&explanation->diff) != 0;
    const enum pm_rule rule = says_it ? pm_diff_rule(&explanation->diff) : PM_RULE_UNKNOWN;
    struct pm_cause best;
    explanation->cause = pm_causes_count(rows->rows, rows->count, rule);
    explanation->has_cause = explanation->cause.failed_with > 0 &&
                             explanation->cause.passed_with * 2 <= explanation->cause.passed;
    if (!explanation->has_cause && pm_causes_best(rows->rows, rows->count, &best)) {
        explanation->cause = best;
        explanation->has_cause = true;
    }
}

/* What failures of several causes have in common: nearly all of them, and more than one cause. */
static void find_common(const struct rows *rows, struct pm_explanations *explanations)
{
    struct pm_cause best;
    bool is_common = explanations->count > 1 && pm_causes_best(rows->rows, rows->count, &best) &&
                     best.failed_with * 10 >= best.failed * 9;
    for (unsigned i = 0; i < explanations->count && is_common; i++)
        is_common = explanations->causes[i].cause.failed_with < best.failed_with;
    if (is_common)
        explanations->common = best;
    explanations->has_common = is_common;
}

/* The same wrong field of a position, or else the same rule. */
static bool is_same_cause(const struct pm_diff *a, const struct pm_diff *b)
{
    if (a->result != b->result || strcmp(a->wrong_field, b->wrong_field) != 0)
        return false;
    return a->wrong_field[0] != '\0' || pm_diff_rule(a) == pm_diff_rule(b);
}

static bool is_known(const struct pm_explanations *explanations, const struct pm_diff *diff)
{
    for (unsigned i = 0; i < explanations->count; i++)
        if (is_same_cause(&explanations->causes[i].diff, diff))
            return true;
    return false;
}

/* The features of the failures that a diff stands for: its moves' rules; or, when these do not say
 * what is wrong, the feature that sets the failures apart. */
static pm_features features_of_cause(const struct rows *rows, const struct pm_diff *diff)
{
    const pm_features rules = rules_of(diff);
    struct pm_cause best;
    if (rules != 0 || diff->result == PM_DIFF_FAILED ||
        !pm_causes_best(rows->rows, rows->count, &best) || best.passed_with * 4 > best.passed)
        return rules;
    return PM_FEATURE_BIT(best.feature);
}

/* Takes over the diff. */
static void keep(struct rows *rows, size_t at, struct pm_diff *diff,
                 struct pm_explanations *explanations)
{
    const pm_features rules = rules_of(diff);
    for (unsigned i = 0; i < diff->move_count && rules != 0; i++)
        rows->rows[at].features |= pm_features_of_rule(diff->moves[i].finding.rule);
    rows->sources[at].fate = EXPLAINED;
    rows->unanswered += diff->result == PM_DIFF_FAILED;
    if (diff->result == PM_DIFF_NONE) {
        rows->sources[at].fate = TRIED;
        explanations->no_moves++;
    }
    if (diff->result == PM_DIFF_NONE || is_known(explanations, diff)) {
        pm_diff_free(diff);
        return;
    }
    const pm_features features = features_of_cause(rows, diff);
    for (size_t i = 0; i < rows->failed; i++)
        if (rows->sources[i].fate == NOT_TRIED && (rows->rows[i].features & features) != 0)
            rows->sources[i].fate = EXPLAINED;
    explanations->causes[explanations->count++].diff = *diff;
}

static enum pm_status try_row(const struct pm_explain_config *config, struct rows *rows, size_t at,
                              struct pm_explanations *explanations, struct pm_error *error)
{
    const struct pm_cause_row *row = &rows->rows[at];
    struct pm_diff diff = {0};
    const struct pm_diff_config diff_config = {
        .subjects = {config->subject, config->oracle},
        .reference = config->reference,
        .position = &row->position,
        .chess960 = row->chess960,
        .depth = affordable_depth(config, row),
        .stop = config->stop,
    };
    const enum pm_status status = pm_diff_run(&diff_config, &diff, error);
    if (status == PM_OK)
        keep(rows, at, &diff, explanations);
    else
        pm_diff_free(&diff);
    return status;
}

static enum pm_status explain(const struct pm_explain_config *config, struct rows *rows,
                              struct pm_explanations *explanations, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < MAX_DIFFS && status == PM_OK; i++) {
        const size_t at = next_row(rows);
        if (at == rows->failed || explanations->count == PM_EXPLAIN_MAX_CAUSES ||
            rows->unanswered == MAX_UNANSWERED)
            break;
        status = try_row(config, rows, at, explanations, error);
    }
    for (unsigned i = 0; i < explanations->count; i++)
        find_cause(rows, &explanations->causes[i]);
    find_common(rows, explanations);
    explanations->failed = (unsigned)rows->failed;
    for (size_t i = 0; i < rows->failed; i++)
        explanations->left += rows->sources[i].fate == NOT_TRIED;
    return status;
}

enum pm_status pm_explain(const struct pm_explain_config *config,
                          struct pm_explanations *explanations, struct pm_error *error)
{
    struct rows rows = {0};
    enum pm_status status = add_failures(config, &rows);
    if (status == PM_OK && rows.failed > 0)
        status = sample_passed(config, &rows);
    if (status == PM_OK && rows.failed > 0)
        status = examine(config, &rows);
    if (status != PM_OK)
        pm_fail(error, status, "the failures could not be examined: %s", pm_status_text(status));
    else if (rows.failed > 0)
        status = explain(config, &rows, explanations, error);
    free_rows(&rows);
    return status;
}

void pm_explanations_free(struct pm_explanations *explanations)
{
    for (unsigned i = 0; i < explanations->count; i++)
        pm_diff_free(&explanations->causes[i].diff);
    *explanations = (struct pm_explanations){0};
}

void pm_explanations_write_text(const struct pm_explanations *explanations, const char *kernel,
                                FILE *file)
{
    char text[PM_CAUSE_TEXT_SIZE];
    for (unsigned i = 0; i < explanations->count; i++) {
        fprintf(file, "\n%s, cause %u:\n", kernel, i + 1);
        pm_diff_write_text(&explanations->causes[i].diff, 2, file);
    }
    if (explanations->count > 0)
        fputc('\n', file);
    for (unsigned i = 0; i < explanations->count; i++)
        if (explanations->causes[i].has_cause)
            fprintf(file, "%s: %s.\n", kernel,
                    pm_cause_to_text(&explanations->causes[i].cause, text));
    if (explanations->has_common)
        fprintf(file, "%s: %s.\n", kernel, pm_cause_to_text(&explanations->common, text));
    if (explanations->no_moves > 0)
        fprintf(file,
                "%s: in %u of %u failures moves and counts agree with the reference: it is "
                "something else "
                "that differs, or the suite that is wrong; see above.\n",
                kernel, explanations->no_moves, explanations->failed);
    if (explanations->left > 0)
        fprintf(file, "%s: %u of %u failures were not looked into.\n", kernel, explanations->left,
                explanations->failed);
}
