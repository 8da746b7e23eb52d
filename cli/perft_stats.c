/* SPDX-License-Identifier: MIT */
#include "cli/perft_stats.h"

#include "core/count.h"
#include "perft/breakdown.h"

#include <stdio.h>
#include <string.h>

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
    puts(
        "\nOnly the last move counts. Captures include en passant and promotions with capture; "
        "each "
        "of the\nfour promotions is one. Checks, discovery and double checks include checkmates. "
        "Discovery: one\nchecker, not the man that moved. Double: two checkers. Other tables leave "
        "mates out of the last two.");
}

int perft_stats(const char *command, struct cli_kernels *kernels, struct cli_position *position,
                const struct cli_threads *threads, int depth)
{
    struct pm_breakdown breakdown;
    struct pm_error error = {0};
    struct pm_breakdown_config config = {.kernel = kernels->kernels[0],
                                         .stop = cli_catch_interrupt()};
    int code = cli_kernels_ready(kernels);
    if (code == CLI_EXIT_OK)
        code = cli_position_ready(position);
    if (code != CLI_EXIT_OK)
        return code;
    if (cli_thread_count(threads, &config.threads, &error) != PM_OK ||
        pm_breakdown_count(&config, &position->position, depth, &breakdown, &error) != PM_OK)
        return cli_fail(command, &error);
    print_stats(&breakdown);
    fprintf(stderr, "%s: %.3f s on %d thread%s\n", config.kernel->name, breakdown.seconds,
            config.threads, config.threads == 1 ? "" : "s");
    return CLI_EXIT_OK;
}
