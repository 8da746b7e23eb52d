/* SPDX-License-Identifier: MIT */
/* The `plymark` program: finds the subcommand and hands over to it. */
#include "cli/cli.h"
#include "core/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_command commands[] = {
    {"perft", "count the leaves of the move tree", cli_perft},
    {"divide", "perft for each root move", cli_divide},
    {"deep", "count what takes hours: in items, kept in a database, on and on", cli_deep},
    {"estimate", "estimate counts out of reach, and the time an exact one takes", cli_estimate},
    {"verify", "prove kernels against known counts and against the reference", cli_verify},
    {"diff", "walk to the first move that two generators disagree on", cli_diff},
    {"analyze", "say what the rules say of positions: one in full, or files of them", cli_analyze},
    {"game", "replay the games of PGN files and judge them by the rules", cli_game},
    {"setup", "check the board and the men before the first move", cli_setup},
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
    fprintf(out,
            "\n`plymark COMMAND --help` describes a command, `plymark --version` the program.\n"
            "Exit codes: 0 all right, 1 mismatch, 2 usage or bad input, 3 environment,\n"
            "77 nothing could run here, 130 interrupted.\n");
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "plymark %s", command->name);
    argv[0] = name;
    const int code = command->run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_EXIT_OK) {
        fprintf(stderr, "%s: standard output could not be written\n", name);
        return CLI_EXIT_ENVIRONMENT;
    }
    return code;
}

int main(int argc, char **argv)
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
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return CLI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("plymark " PM_VERSION);
        return CLI_EXIT_OK;
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "plymark: unknown command \"%s\"; `plymark --help` lists them\n", argv[1]);
    return CLI_EXIT_USAGE;
}
