/* SPDX-License-Identifier: MIT */
/* The `plymark` program: finds the subcommand and hands over to it. */
#include "cli/cli.h"
#include "core/cpu.h"
#include "core/nearest.h"
#include "core/quote.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command commands[] = {
    {"perft", "count the leaves of the move tree", cli_perft},
    {"divide", "perft for each root move", cli_divide},
    {"deep", "count what takes hours: in items, kept in a database, on and on", cli_deep},
    {"estimate", "estimate counts out of reach, and the time an exact one takes", cli_estimate},
    {"verify", "prove kernels against known counts and against the reference", cli_verify},
    {"diff", "walk to the first move that two generators disagree on", cli_diff},
    {"analyze", "say what the rules say of positions: one in full, or files of them", cli_analyze},
    {"game", "replay the games of PGN files and judge them by the rules", cli_game},
    {"setup", "check the board and the pieces before the first move", cli_setup},
    {"generate", "make random games or positions", cli_generate},
    {"bench", "measure nodes per second, kernels side by side", cli_bench},
    {"micro", "time single operations with Google Benchmark", cli_micro},
    {"rating", "rank players by the results of their games", cli_rating},
    {"report", "make Markdown tables from results", cli_report},
    {"list", "list the kernels and whether they run here", cli_list},
    {"info", "describe kernels in full", cli_info},
    {"uci", "make a kernel answer as a UCI engine does: go perft N", cli_uci},
    {"topo", "show the CPU topology and what --pin means here", cli_topo},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out)
{
    fprintf(out, "Usage: plymark COMMAND [OPTION...]\n\n"
                 "Build, check, compare and measure chess move generators.\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n`plymark help COMMAND` describes a command, `plymark version` the program.\n"
                 "Exit codes: 0 all right, 1 a wrong count or move set, 2 usage or bad input,\n"
                 "3 environment (memory, files, threads, pinning), 77 nothing could run here,\n"
                 "130 interrupted.\n");
}

static const struct cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    char best[32] = "", quoted[PM_QUOTE_SIZE];
    unsigned distance = UINT_MAX;
    for (int i = 0; i < COMMAND_COUNT; i++)
        pm_nearest(name, commands[i].name, &distance, best, sizeof best);
    pm_nearest(name, "help", &distance, best, sizeof best);
    pm_nearest(name, "version", &distance, best, sizeof best);
    fprintf(stderr, "plymark: unknown command %s; ", pm_quote(name, strlen(name), quoted));
    if (best[0] != '\0')
        fprintf(stderr, "did you mean %s? ", best);
    fputs("`plymark --help` lists them\n", stderr);
    return CLI_EXIT_USAGE;
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "plymark %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

/* `plymark help [COMMAND]`. */
static int help(int argc, char **argv)
{
    static char option[] = "--help";
    char *arguments[] = {argv[0], option, NULL};
    if (argc < 2) {
        print_help(stdout);
        return CLI_EXIT_OK;
    }
    const struct cli_command *command = find_command(argv[1]);
    return command != NULL ? run_command(command, 2, arguments) : refuse_command(argv[1]);
}

static int run(int argc, char **argv)
{
    struct pm_error error;
    if (pm_cpu_mask_environment(&error) != PM_OK) {
        fprintf(stderr, "plymark: %s\n", error.text);
        return CLI_EXIT_USAGE;
    }
    if (argc < 2) {
        print_help(stderr);
        return CLI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 ||
        strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        puts("plymark " PM_VERSION);
        return CLI_EXIT_OK;
    }
    const struct cli_command *command = find_command(argv[1]);
    return command != NULL ? run_command(command, argc - 1, argv + 1) : refuse_command(argv[1]);
}

/* ---- The end ---- */

static bool has_returned; /* else a library ends the program */

/* Whatever calls exit(): output that could not be written is no success, and only a command's own
 * result is a mismatch. OpenMP exits with 1 when it can't make its threads. */
static void check_exit(int code, void *context)
{
    (void)context;
    const bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_written && code == CLI_EXIT_OK) {
        fputs("plymark: standard output could not be written\n", stderr);
        _exit(CLI_EXIT_ENVIRONMENT);
    }
    if (code == CLI_EXIT_MISMATCH && !has_returned) {
        fputs("plymark: a library gave up, for the reason above\n", stderr);
        _exit(CLI_EXIT_ENVIRONMENT);
    }
}

int main(int argc, char **argv)
{
    on_exit(check_exit, NULL);
    const int code = run(argc, argv);
    has_returned = true;
    return code;
}
