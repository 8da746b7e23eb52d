/* SPDX-License-Identifier: MIT */
#include "cli/perft_stats.h"

#include "core/clock.h"
#include "core/count.h"
#include "perft/breakdown.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATS_COLUMNS = 11 };

static void print_stats_row(int depth, const struct pm_breakdown_row *row,
                            const int widths[STATS_COLUMNS])
{
    const uint64_t counts[STATS_COLUMNS] = {
        (uint64_t)depth,
        row->nodes,
        row->captures,
        row->en_passant,
        row->castles,
        row->promotions,
        pm_breakdown_checks(row),
        row->checks[PM_CHECKERS_DISCOVERED],
        pm_breakdown_double_checks(row),
        pm_breakdown_mates(row),
        row->stalemates,
    };
    char text[PM_COUNT_TEXT_SIZE];
    for (int i = 0; i < STATS_COLUMNS; i++)
        printf("%*s%s", widths[i], pm_count_to_grouped_text(counts[i], text),
               i + 1 < STATS_COLUMNS ? "  " : "\n");
}

static void print_stats(const struct pm_breakdown *breakdown)
{
    static const char *const names[STATS_COLUMNS] = {
        "depth",  "nodes",     "captures", "e.p.",       "castles",   "promotions",
        "checks", "discovery", "double",   "checkmates", "stalemates"};
    const struct pm_breakdown_row *last = &breakdown->rows[breakdown->depth - 1];
    char text[PM_COUNT_TEXT_SIZE];
    const int wide = (int)strlen(pm_count_to_grouped_text(last->nodes, text));
    int widths[STATS_COLUMNS];
    for (int i = 0; i < STATS_COLUMNS; i++) {
        widths[i] = (int)strlen(names[i]);
        if (i > 0 && widths[i] < wide)
            widths[i] = wide;
        printf("%*s%s", widths[i], names[i], i + 1 < STATS_COLUMNS ? "  " : "\n");
    }
    for (int depth = 1; depth <= breakdown->depth; depth++)
        print_stats_row(depth, &breakdown->rows[depth - 1], widths);
    puts("\nOnly the last move counts. Captures include en passant and promotions with capture; "
         "each "
         "of the\nfour promotions is one. Checks, discovery and double checks include checkmates. "
         "Discovery: one\nchecker, not the piece that moved. Double: two checkers. Other tables "
         "leave "
         "mates out of the last two.");
}

/* ---- Progress ---- */

struct progress {
    uint64_t begin_ns, shown_ns;
    bool is_shown;
};

#define PROGRESS_NS 500000000U

static void show_progress(void *context, const struct pm_breakdown *so_far, size_t done,
                          size_t parts)
{
    struct progress *const progress = context;
    const uint64_t now = pm_clock_ns();
    char leaves[PM_COUNT_TEXT_SIZE];
    if (now - progress->shown_ns < PROGRESS_NS)
        return;
    progress->shown_ns = now;
    progress->is_shown = true;
    const double seconds = (double)(now - progress->begin_ns) / 1e9;
    fprintf(stderr, "\r%s leaves, %.0f %%, %.0f s left\033[K",
            pm_count_to_grouped_text(so_far->rows[so_far->depth - 1].nodes, leaves),
            100.0 * (double)done / (double)parts, seconds * (double)(parts - done) / (double)done);
}

static void clear_progress(const struct progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
}

static double leaves_per_second(const struct pm_breakdown *breakdown)
{
    const double leaves = (double)breakdown->rows[breakdown->depth - 1].nodes;
    return breakdown->seconds > 0 ? leaves / breakdown->seconds : 0;
}

int perft_stats(const char *command, struct cli_kernels *kernels, struct cli_position *position,
                const struct cli_threads *threads, int depth)
{
    struct pm_breakdown breakdown;
    struct pm_error error = {0};
    struct progress progress = {.begin_ns = pm_clock_ns(), .shown_ns = pm_clock_ns()};
    struct pm_breakdown_config config = {.kernel = kernels->kernels[0],
                                         .stop = cli_catch_interrupt(),
                                         .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                                         .context = &progress};
    int code = cli_kernels_ready(kernels);
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(position);
    if (code != CLI_EXIT_OK)
        return code;
    enum pm_status status = cli_thread_count(threads, &config.threads, &error);
    if (status == PM_OK)
        status = pm_breakdown_count(&config, &position->position, depth, &breakdown, &error);
    clear_progress(&progress);
    if (status != PM_OK)
        return cli_fail(command, &error);
    print_stats(&breakdown);
    fprintf(stderr, "%s: %.3f s, %.1f M leaves/s on %d thread%s\n", config.kernel->name,
            breakdown.seconds, leaves_per_second(&breakdown) / 1e6, config.threads,
            config.threads == 1 ? "" : "s");
    return CLI_EXIT_OK;
}
