/* SPDX-License-Identifier: MIT */
#include "verify/diagnose/explain.h"

#include "core/clock.h"
#include "core/fen.h"
#include "core/position.h"
#include "verify/internal.h"

#include <stdlib.h>
#include <string.h>

/* A diff does not count more than this, a look at a tree does not visit more. The first diffs look
 * for causes; those after them find the place of each failure, and so must be cheap. */
static const double max_diff_nodes = 1e7, max_cheap_nodes = 1e6;
enum { FAILED_VISITS = 2000, PASSED_VISITS = 300 };
enum { MAX_PASSED = 60, MAX_DIFFS = 12, MAX_UNANSWERED = 2, MAX_FAILED_A_CASE = 100 };

struct source {
    const char *fen;
    enum { NOT_TRIED, TRIED, EXPLAINED } fate; /* of a failed one */
    bool has_diff;
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
    unsigned warnings;
    return pm_fen_read_either(fen, &row->position, &row->chess960, &warnings, NULL) == PM_OK;
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
    rows->rows[rows->count] = row;
    rows->sources[rows->count++] = (struct source){.fen = failure->fen};
    return PM_OK;
}

static bool is_ours(const struct pm_explain_config *config, const struct pm_verify_case *result)
{
    return strcmp(result->kernel, config->kernel) == 0 && result->skipped == NULL;
}

/* Of so many the causes are looked for. */
static size_t known_failures(const struct pm_verify_case *result)
{
    return result->failure_count < MAX_FAILED_A_CASE ? result->failure_count : MAX_FAILED_A_CASE;
}

static enum pm_status add_failures(const struct pm_explain_config *config, struct rows *rows)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < config->report->case_count; i++) {
        const struct pm_verify_case *result = &config->report->cases[i];
        for (size_t j = 0; j < known_failures(result) && is_ours(config, result); j++)
            if (status == PM_OK && result->failures[j].no_answer == NULL)
                status = add_failure(rows, &result->failures[j]);
    }
    rows->failed = rows->count;
    return status;
}

/* Positions without an answer tell nothing of rules. */
static void count_unanswered(const struct pm_explain_config *config,
                             struct pm_explanations *explanations)
{
    const char *last = "";
    for (size_t i = 0; i < config->report->case_count; i++) {
        const struct pm_verify_case *result = &config->report->cases[i];
        for (size_t j = 0; j < result->failure_count && is_ours(config, result); j++) {
            const struct pm_verify_failure *failure = &result->failures[j];
            if (failure->no_answer == NULL || strcmp(failure->fen, last) == 0)
                continue;
            last = failure->fen;
            if (explanations->unanswered++ == 0)
                snprintf(explanations->no_answer, sizeof explanations->no_answer, "%s",
                         failure->text);
        }
    }
}

/* ---- Positions that passed: a sample ---- */

static int deepest_row(const struct pm_suite_entry *entry, uint64_t limit)
{
    int depth = 0;
    for (unsigned i = 0; i < entry->count_count && entry->counts[i].nodes <= limit; i++)
        depth = entry->counts[i].depth;
    return depth;
}

/* Of a suite whose failures are more than are looked at, only what comes before the last one. */
static unsigned last_known_line(const struct pm_verify_case *result)
{
    const size_t known = known_failures(result);
    if (result->wrong + result->known == known)
        return UINT32_MAX;
    return known > 0 ? result->failures[known - 1].line : 0;
}

/* Whether the position has failed, or was not reached. */
static bool is_out(const struct pm_verify_case *result, unsigned line)
{
    for (size_t i = 0; i < result->test_count; i++)
        if (result->tests[i].line == line)
            return result->tests[i].right == 0 || result->tests[i].wrong > 0 ||
                   result->tests[i].stopped > 0;
    return false;
}

static enum pm_status add_passed(const struct pm_verify_suite *suite,
                                 const struct pm_verify_case *result, size_t step,
                                 struct rows *rows)
{
    for (size_t i = 0; i < suite->suite.entry_count; i += step) {
        const struct pm_suite_entry *entry = &suite->suite.entries[i];
        const int depth = deepest_row(entry, result->limit);
        if (depth == 0 || entry->line > last_known_line(result) || is_out(result, entry->line) ||
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
            if (is_ours(config, result) && result->rows > 0 && result->rows_stopped == 0 &&
                counts_rows(result->check) && result->suite_index == (int)s)
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
        if (rows->sources[i].fate == NOT_TRIED && !rows->sources[i].has_diff &&
            (best == rows->failed || rows->rows[i].depth < rows->rows[best].depth))
            best = i;
    return best;
}

/* A depth that the reference counts within that many nodes, if it is not `depth`. */
static int affordable_depth(const struct pm_explain_config *config, const struct pm_cause_row *row,
                            double max_nodes)
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
        if ((double)nodes * (double)nodes / (double)before > max_nodes)
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

/* ---- What failures have in common ---- */

static void add_feature(struct pm_explanations *explanations, const struct pm_cause *cause)
{
    struct pm_cause *features = explanations->features;
    unsigned at = explanations->feature_count;
    for (unsigned i = 0; i < at; i++)
        if (strcmp(pm_feature_phrase(features[i].feature), pm_feature_phrase(cause->feature)) == 0)
            return;
    for (; at > 0 && features[at - 1].failed_with < cause->failed_with; at--)
        features[at] = features[at - 1];
    features[at] = *cause;
    explanations->feature_count++;
}

/* The diff's rule, unless it is everywhere; else what sets the failures apart. */
static void find_feature(const struct rows *rows, const struct pm_diff *diff,
                         struct pm_explanations *explanations)
{
    const enum pm_rule rule = rules_of(diff) != 0 ? pm_diff_rule(diff) : PM_RULE_UNKNOWN;
    struct pm_cause cause = pm_causes_count(rows->rows, rows->count, rule);
    const bool says_it = cause.failed_with > 0 && cause.passed_with * 2 <= cause.passed;
    if (says_it || pm_causes_best(rows->rows, rows->count, &cause))
        add_feature(explanations, &cause);
}

/* What failures of several causes have in common: nearly all of them, and more than one cause. */
static void find_common(const struct rows *rows, struct pm_explanations *explanations)
{
    struct pm_cause best;
    if (explanations->feature_count > 1 && pm_causes_best(rows->rows, rows->count, &best) &&
        best.failed_with * 10 >= best.failed * 9 &&
        explanations->features[0].failed_with < best.failed_with)
        add_feature(explanations, &best);
}

static void find_features(const struct rows *rows, struct pm_explanations *explanations)
{
    for (unsigned i = 0; i < explanations->cause_count; i++)
        if (explanations->causes[i]->result != PM_DIFF_FAILED)
            find_feature(rows, explanations->causes[i], explanations);
    find_common(rows, explanations);
}

/* ---- Causes ---- */

/* The same wrong field of a position, or else the same rule. */
static bool is_same_cause(const struct pm_diff *a, const struct pm_diff *b)
{
    if (a->result != b->result || strcmp(a->wrong_field, b->wrong_field) != 0)
        return false;
    return a->wrong_field[0] != '\0' || pm_diff_rule(a) == pm_diff_rule(b);
}

static bool is_known(const struct pm_explanations *explanations, const struct pm_diff *diff)
{
    for (unsigned i = 0; i < explanations->cause_count; i++)
        if (is_same_cause(explanations->causes[i], diff))
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

/* The diff lives on with the explanations; all failures of its position have it as their cause. */
static bool store(const struct pm_explain_config *config, const char *fen, struct pm_diff *diff,
                  struct pm_explanations *explanations)
{
    struct pm_diff **grown =
        realloc(explanations->diffs, (explanations->diff_count + 1) * sizeof(struct pm_diff *));
    if (grown == NULL)
        return false;
    explanations->diffs = grown;
    explanations->diffs[explanations->diff_count++] = diff;
    for (size_t i = 0; i < config->report->case_count; i++) {
        struct pm_verify_case *result = &config->report->cases[i];
        for (size_t j = 0; j < result->failure_count && is_ours(config, result); j++)
            if (strcmp(result->failures[j].fen, fen) == 0)
                result->failures[j].cause = diff;
    }
    return true;
}

/* A diff that found something: perhaps of a cause that is new. */
static void note(struct rows *rows, size_t at, const struct pm_diff *diff,
                 struct pm_explanations *explanations)
{
    const pm_features rules = rules_of(diff);
    for (unsigned i = 0; i < diff->move_count && rules != 0; i++)
        rows->rows[at].features |= pm_features_of_rule(diff->moves[i].finding.rule);
    rows->unanswered += diff->result == PM_DIFF_FAILED;
    if (is_known(explanations, diff) || explanations->cause_count == PM_EXPLAIN_MAX_CAUSES)
        return;
    const pm_features features = features_of_cause(rows, diff);
    for (size_t i = 0; i < rows->failed; i++)
        if (rows->sources[i].fate == NOT_TRIED && (rows->rows[i].features & features) != 0)
            rows->sources[i].fate = EXPLAINED;
    explanations->causes[explanations->cause_count++] = diff;
}

/* Takes over the diff, or frees it. */
static enum pm_status keep(const struct pm_explain_config *config, struct rows *rows, size_t at,
                           struct pm_diff *diff, struct pm_explanations *explanations)
{
    /* What was not tried to its depth may well be wrong further down. */
    const bool is_right = diff->result == PM_DIFF_NONE && diff->depth >= rows->rows[at].depth;
    if (is_right)
        rows->sources[at].fate = TRIED;
    else if (diff->result != PM_DIFF_NONE)
        rows->sources[at].fate = EXPLAINED;
    explanations->no_moves += is_right;
    const bool is_kept = diff->result != PM_DIFF_NONE &&
                         pm_diff_set_command(diff, config->options, config->word, NULL) &&
                         store(config, rows->sources[at].fen, diff, explanations);
    if (is_kept) {
        note(rows, at, diff, explanations);
        return PM_OK;
    }
    const bool has_failed = diff->result != PM_DIFF_NONE;
    pm_diff_free(diff);
    free(diff);
    return has_failed ? PM_ERROR_MEMORY : PM_OK;
}

static enum pm_status try_row(const struct pm_explain_config *config, struct rows *rows, size_t at,
                              double max_nodes, struct pm_explanations *explanations,
                              struct pm_error *error)
{
    const struct pm_cause_row *row = &rows->rows[at];
    struct pm_diff *diff = calloc(1, sizeof *diff);
    const struct pm_diff_config diff_config = {
        .subjects = {config->subject, config->oracle},
        .reference = config->reference,
        .position = &row->position,
        .chess960 = row->chess960,
        .depth = affordable_depth(config, row, max_nodes),
        .stop = config->stop,
    };
    if (diff == NULL)
        return PM_ERROR_MEMORY;
    rows->sources[at].has_diff = true;
    const enum pm_status status = pm_diff_run(&diff_config, diff, error);
    if (status == PM_OK)
        return keep(config, rows, at, diff, explanations);
    pm_diff_free(diff);
    free(diff);
    return status;
}

/* Causes first, the shallowest failures first. */
static enum pm_status find_causes(const struct pm_explain_config *config, struct rows *rows,
                                  struct pm_explanations *explanations, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (int i = 0; i < MAX_DIFFS && status == PM_OK; i++) {
        const size_t at = next_row(rows);
        if (at == rows->failed || explanations->cause_count == PM_EXPLAIN_MAX_CAUSES ||
            rows->unanswered == MAX_UNANSWERED)
            break;
        status = try_row(config, rows, at, max_diff_nodes, explanations, error);
    }
    return status;
}

/* Then the place of every failure, as long as there is time. */
static enum pm_status find_places(const struct pm_explain_config *config, struct rows *rows,
                                  uint64_t start, struct pm_explanations *explanations,
                                  struct pm_error *error)
{
    enum pm_status status = PM_OK;
    for (size_t i = 0; i < rows->failed && status == PM_OK; i++) {
        if (rows->unanswered == MAX_UNANSWERED || pm_clock_seconds_since(start) > config->seconds)
            break;
        if (!rows->sources[i].has_diff)
            status = try_row(config, rows, i, max_cheap_nodes, explanations, error);
    }
    return status;
}

static enum pm_status explain(const struct pm_explain_config *config, struct rows *rows,
                              struct pm_explanations *explanations, struct pm_error *error)
{
    const uint64_t start = pm_clock_ns();
    enum pm_status status = find_causes(config, rows, explanations, error);
    if (status == PM_OK)
        status = find_places(config, rows, start, explanations, error);
    find_features(rows, explanations);
    explanations->failed = (unsigned)rows->failed;
    for (size_t i = 0; i < rows->failed; i++)
        explanations->left += rows->sources[i].fate == NOT_TRIED;
    return status;
}

enum pm_status pm_explain(const struct pm_explain_config *config,
                          struct pm_explanations *explanations, struct pm_error *error)
{
    struct rows rows = {0};
    explanations->kernel = config->kernel;
    count_unanswered(config, explanations);
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

void pm_explanations_write_text(const struct pm_explanations *explanations, FILE *file)
{
    char text[PM_CAUSE_TEXT_SIZE];
    const char *kernel = explanations->kernel;
    for (unsigned i = 0; i < explanations->feature_count; i++)
        fprintf(file, "%s: %s.\n", kernel, pm_cause_to_text(&explanations->features[i], text));
    if (explanations->unanswered > 0)
        fprintf(file, "%s: no answer for %u position%s; the first: %s\n", kernel,
                explanations->unanswered, explanations->unanswered == 1 ? "" : "s",
                explanations->no_answer);
    if (explanations->no_moves > 0)
        fprintf(file,
                "%s: in %u of %u failures moves and counts agree with the reference: it is "
                "something else that differs, or the suite that is wrong; see above.\n",
                kernel, explanations->no_moves, explanations->failed);
    if (explanations->left > 0)
        fprintf(file, "%s: %u of %u failures were not looked into.\n", kernel, explanations->left,
                explanations->failed);
}
