/* SPDX-License-Identifier: MIT */
/* What `plymark deep` says: progress, the state of a database, totals, divides, JSON. */
#include "cli/deep.h"
#include "core/clock.h"
#include "core/environment.h"
#include "core/fen.h"
#include "core/json.h"
#include "kernels/registry.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Progress ---- */

#define TERMINAL_SECONDS 0.5

static char *time_to_text(double seconds, char text[32])
{
    if (seconds < 100)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else if (seconds < 48 * 3600)
        snprintf(text, 32, "%.1f h", seconds / 3600);
    else
        snprintf(text, 32, "%.1f days", seconds / 86400);
    return text;
}

static void print_progress(const struct deep_progress *progress,
                           const struct pm_counting_progress *counting)
{
    const double seconds = pm_clock_seconds_since(counting->start_ns);
    char text[32];
    fprintf(stderr, "%s %5.1f %%, ", counting->is_audit ? "auditing" : "counting",
            100 * counting->fraction);
    if (counting->is_audit)
        fprintf(stderr, "%u of %u items", counting->done, counting->to_do);
    else
        fprintf(stderr, "%u of %u items, %.2f G nodes/s", progress->known_before + counting->done,
                progress->items, pm_count_to_double(counting->nodes) / seconds * 1e-9);
    if (counting->ply > 0)
        fprintf(stderr, ", list of ply %d", counting->ply);
    if (counting->memory > 0)
        fprintf(stderr, ", %.2f GB", (double)counting->memory * 1e-9);
    if (counting->fraction > 0.001)
        fprintf(stderr, ", about %s left",
                time_to_text(seconds * (1 - counting->fraction) / counting->fraction, text));
}

void deep_show_progress(void *context, const struct pm_counting_progress *counting)
{
    struct deep_progress *progress = context;
    const bool is_terminal = isatty(STDERR_FILENO);
    const double interval = is_terminal ? TERMINAL_SECONDS : progress->interval;
    if (progress->shown_ns < counting->start_ns)
        progress->shown_ns = counting->start_ns;
    if (interval <= 0 || pm_clock_seconds_since(progress->shown_ns) < interval)
        return;
    progress->shown_ns = pm_clock_ns();
    fputs(is_terminal ? "\r" : "plymark deep: ", stderr);
    print_progress(progress, counting);
    fputs(is_terminal ? "\033[K" : "\n", stderr);
    progress->is_line_open = is_terminal;
}

void deep_show_note(void *context, const char *line)
{
    deep_end_progress(context);
    fprintf(stderr, "plymark deep: %s\n", line);
}

void deep_end_progress(struct deep_progress *progress)
{
    if (progress->is_line_open)
        fputs("\r\033[K", stderr);
    progress->is_line_open = false;
}

/* ---- The state of a database ---- */

enum pm_status deep_check_audits(struct pm_store *store, uint32_t *item, struct pm_error *error)
{
    struct pm_error why = {0};
    const enum pm_status status = pm_store_check_audits(store, item, &why);
    if (status != PM_ERROR_MISMATCH)
        return status == PM_OK ? PM_OK : pm_fail(error, status, "%s", why.text);
    return pm_fail(error, status,
                   "%s: --audit PERCENT looks at it again, --drop %u has it counted again",
                   why.text, *item);
}

static enum pm_status sum_up(struct pm_store *store, struct pm_store_summary *summary,
                             pm_count *total, struct pm_error *error)
{
    const enum pm_status status = pm_store_summarize(store, summary, error);
    return status == PM_OK ? pm_store_total(store, total, error) : status;
}

static void print_distinct(FILE *out, const struct pm_store_summary *summary)
{
    char text[PM_COUNT_TEXT_SIZE];
    for (int ply = 0; ply < summary->distinct_count; ply++)
        fprintf(out, "%s%s", ply > 0 ? " " : "",
                summary->distinct[ply] > 0 ? pm_count_to_grouped_text(summary->distinct[ply], text)
                                           : "?");
}

/* A kernel that is not built here is taken for a lineage of its own. */
static const char *lineage_of(const char *name)
{
    const struct pm_kernel *kernel = pm_kernel_find(name);
    return kernel != NULL ? kernel->lineage : name;
}

static bool is_independent(const struct pm_store_pair *pair)
{
    return strcmp(lineage_of(pair->counted_by), lineage_of(pair->auditor)) != 0;
}

/* Items that two witnesses counted alike. */
static uint32_t count_witnessed(const struct pm_store_summary *summary)
{
    uint32_t items = 0;
    for (int i = 0; i < summary->pair_count; i++)
        items += is_independent(&summary->pairs[i]) ? summary->pairs[i].items : 0;
    return items;
}

/* "audited by another lineage 3 (pext by magic)". */
static void print_witnesses(const struct pm_store_summary *summary)
{
    const char *separator = " (";
    printf("audited by another lineage %u", count_witnessed(summary));
    for (int i = 0; i < summary->pair_count; i++) {
        const struct pm_store_pair *pair = &summary->pairs[i];
        if (!is_independent(pair))
            continue;
        printf("%s%s by %s", separator,
               pair->counted_by[0] != '\0' ? lineage_of(pair->counted_by) : "import",
               lineage_of(pair->auditor));
        separator = ", ";
    }
    puts(separator[0] == ',' ? ")" : "");
}

enum pm_status deep_print_status(struct pm_store *store, const char *path, struct pm_error *error)
{
    const struct pm_plan *plan = pm_store_plan(store);
    struct pm_store_summary summary;
    pm_count total;
    uint32_t item;
    char text[PM_COUNT_TEXT_SIZE];
    const enum pm_status status = sum_up(store, &summary, &total, error);
    if (status != PM_OK)
        return status;
    printf("database %s\n", path);
    pm_plan_print(stdout, plan);
    printf("finished %u (%.1f %%)\naudited %u\n", summary.known,
           plan->items > 0 ? 100.0 * summary.known / plan->items : 100.0, summary.audited);
    print_witnesses(&summary);
    printf("runs %d, %.1f s, kernels %s\n", summary.runs, summary.seconds,
           summary.kernels[0] != '\0' ? summary.kernels : "none");
    printf("created %s, last commit %s\n", summary.created,
           summary.last_commit[0] != '\0' ? summary.last_commit : "none");
    printf("%s %s\n", summary.known == plan->items ? "total" : "sum so far",
           pm_count_to_text(total, text));
    return deep_check_audits(store, &item, error);
}

/* ---- Totals ---- */

static void print_about(const struct pm_plan *plan, const struct pm_store_summary *summary)
{
    fprintf(stderr, "%s by %s: %u items, %d run%s, %.3f s", pm_split_text(plan->split),
            summary->kernels[0] != '\0' ? summary->kernels : "imports", plan->items, summary->runs,
            summary->runs == 1 ? "" : "s", summary->seconds);
    if (summary->audited > 0)
        fprintf(stderr, ", %u audited, %u of them by another lineage", summary->audited,
                count_witnessed(summary));
    fputc('\n', stderr);
    if (summary->distinct_count > 0) {
        fputs("distinct positions from ply 0: ", stderr);
        print_distinct(stderr, summary);
        fputc('\n', stderr);
    }
    if (summary->error_probability > 0)
        fprintf(stderr, "probability that colliding keys made it wrong: at most %.1e\n",
                summary->error_probability);
    else if (summary->error_probability == 0)
        fputs("no keys that could collide: exact\n", stderr);
    else
        fputs("probability that colliding keys made it wrong: not known of all runs\n", stderr);
}

enum pm_status deep_print_total(struct pm_store *store, struct pm_error *error)
{
    const struct pm_plan *plan = pm_store_plan(store);
    struct pm_store_summary summary;
    pm_count total;
    uint32_t item;
    char text[PM_COUNT_TEXT_SIZE];
    enum pm_status status = deep_check_audits(store, &item, error);
    if (status == PM_OK)
        status = sum_up(store, &summary, &total, error);
    if (status != PM_OK)
        return status;
    if (summary.known < plan->items) {
        fprintf(stderr, "plymark deep: %u of %u items are finished: no total yet\n", summary.known,
                plan->items);
        return PM_OK;
    }
    printf("Nodes searched: %s\n", pm_count_to_text(total, text));
    print_about(plan, &summary);
    return PM_OK;
}

/* ---- Divide ---- */

struct divide_lines {
    enum pm_castling_text castling;
    pm_count total;
};

static void print_line(void *context, const struct pm_move moves[], int level, pm_count nodes)
{
    struct divide_lines *lines = context;
    char text[PM_COUNT_TEXT_SIZE], move[PM_MOVE_TEXT_SIZE];
    for (int i = 0; i < level; i++)
        printf("%s%s", i > 0 ? " " : "", pm_move_to_text(&moves[i], lines->castling, move));
    printf(": %s\n", pm_count_to_text(nodes, text));
    lines->total += nodes; /* no more than the total that the store checked */
}

static enum pm_status take_count(void *context, const struct pm_store_item *item,
                                 struct pm_error *error)
{
    pm_count *counts = context;
    (void)error;
    counts[item->item] = item->nodes;
    return PM_OK;
}

enum pm_status deep_print_divide(struct pm_store *store, const struct pm_items *items, int level,
                                 bool chess960, struct pm_error *error)
{
    struct divide_lines lines = {.castling =
                                     chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET};
    const uint32_t count = pm_store_plan(store)->items;
    char text[PM_COUNT_TEXT_SIZE];
    pm_count total, *counts = calloc((size_t)count + 1, sizeof *counts);
    if (counts == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for a divide");
    enum pm_status status = pm_store_total(store, &total, error);
    if (status == PM_OK)
        status = pm_store_each(store, take_count, counts, error);
    if (status == PM_OK)
        status = pm_items_divide(items, counts, level, print_line, &lines, error);
    if (status == PM_OK && lines.total != total)
        status = pm_fail(error, PM_ERROR_MISMATCH, "the parts do not add up to the total");
    if (status == PM_OK)
        printf("\nNodes searched: %s\n", pm_count_to_text(total, text));
    free(counts);
    return status;
}

/* ---- JSON ---- */

static json_t *distinct_to_json(const struct pm_store_summary *summary)
{
    json_t *array = json_array();
    for (int ply = 0; ply < summary->distinct_count; ply++) {
        const uint64_t count = summary->distinct[ply];
        json_array_append_new(array, count > 0 ? json_integer((json_int_t)count) : json_null());
    }
    return array;
}

static json_t *pairs_to_json(const struct pm_store_summary *summary)
{
    json_t *array = json_array();
    for (int i = 0; i < summary->pair_count; i++) {
        const struct pm_store_pair *pair = &summary->pairs[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:s, s:i}", "counted_by", pair->counted_by,
                                        "lineage", lineage_of(pair->counted_by), "auditor",
                                        pair->auditor, "auditor_lineage", lineage_of(pair->auditor),
                                        "items", (int)pair->items));
    }
    return array;
}

static json_t *to_json(const struct pm_plan *plan, const struct pm_store_summary *summary,
                       pm_count total, const char *environment)
{
    char text[PM_COUNT_TEXT_SIZE], fen[PM_FEN_SIZE];
    json_t *root = pm_json_set(json_object(), "schema", json_string("deep 1"));
    root = pm_json_set(
        root, "position",
        json_string(pm_fen_write(&plan->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen)));
    root = pm_json_set(root, "depth", json_integer(plan->depth));
    root = pm_json_set(root, "nodes",
                       json_string(pm_count_to_text(total, text))); /* may need 128 bits */
    root = pm_json_set(root, "split", json_string(pm_split_text(plan->split)));
    root = pm_json_set(root, "ply", json_integer(plan->ply));
    root = pm_json_set(root, "items", json_integer(plan->items));
    root = pm_json_set(root, "audited", json_integer(summary->audited));
    root = pm_json_set(root, "audited_by_another_lineage", json_integer(count_witnessed(summary)));
    root = pm_json_set(root, "audits", pairs_to_json(summary));
    root = pm_json_set(root, "kernels", json_string(summary->kernels));
    root = pm_json_set(root, "runs", json_integer(summary->runs));
    root = pm_json_set(root, "seconds", json_real(summary->seconds));
    root = pm_json_set(root, "created", json_string(summary->created));
    root = pm_json_set(root, "last_commit", json_string(summary->last_commit));
    root = pm_json_set(root, "distinct", distinct_to_json(summary));
    root = pm_json_set(root, "error_probability",
                       summary->error_probability >= 0 ? json_real(summary->error_probability)
                                                       : json_null());
    return pm_json_set(root, "context", json_loads(environment, 0, NULL));
}

enum pm_status deep_write_json(struct pm_store *store, const char *environment, const char *path,
                               struct pm_error *error)
{
    struct pm_store_summary summary;
    pm_count total;
    enum pm_status status = sum_up(store, &summary, &total, error);
    if (status != PM_OK || summary.known < pm_store_plan(store)->items)
        return status;
    return pm_json_write(to_json(pm_store_plan(store), &summary, total, environment), path, error);
}

char *deep_environment(const struct pm_topology *topology)
{
    struct pm_environment environment = {0};
    pm_environment_gather(&environment, topology, false);
    json_t *object = pm_environment_to_json(&environment);
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(object);
    return text;
}
