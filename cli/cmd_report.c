/* SPDX-License-Identifier: MIT */
/* `plymark report`: makes Markdown tables from the JSON of `plymark bench`. */
#include "bench/ladder.h"
#include "bench/report.h"
#include "cli/cli.h"
#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_INTO = 256, KEY_LADDER };

struct report_options {
    char **files;
    int file_count;
    const char *output; /* NULL: stdout */
    const char *into;   /* NULL: no block is replaced */
    bool ladder;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct report_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_INTO:
        options->into = argument;
        return 0;
    case KEY_LADDER:
        options->ladder = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (options->file_count == 0)
            cli_usage(state, "no results given: name files that `plymark bench --json` wrote");
        if (options->output != NULL && options->into != NULL)
            cli_usage(state, "--output and --into exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct report_options *options)
{
    static const struct argp_option own_options[] = {
        {"output", 'o', "FILE", 0, "Write there instead of the standard output", 0},
        {"into", KEY_INTO, "FILE", 0,
         "Replace what stands in that file between the lines " PM_REPORT_BEGIN
         " and " PM_REPORT_END,
         0},
        {"ladder", KEY_LADDER, NULL, 0,
         "Rank the kernels by the rating rule too: each two play a game on each position", 0},
        {0},
    };
    const struct argp argp = {.options = own_options,
                              .parser = parse_option,
                              .args_doc = "RESULTS.json...",
                              .doc = "Make Markdown tables from results."};
    cli_parse(&argp, argc, argv, options);
}

/* The tables of one file. */
static enum pm_status add_file(FILE *out, const char *path, bool is_first, bool ladder,
                               struct pm_error *error)
{
    struct pm_result *result;
    enum pm_status status = pm_result_read(path, &result, error);
    if (status != PM_OK)
        return status;
    if (!is_first)
        fputs("\n---\n\n", out);
    status = pm_report_print(out, result);
    if (status == PM_OK && ladder)
        status = pm_ladder_print(out, result);
    if (status != PM_OK)
        pm_fail(error, status, "out of memory for the tables of '%s'", path);
    pm_result_free(result);
    return status;
}

/* All tables as one text, the caller's to free in any case. */
static enum pm_status make_report(const struct report_options *options, char **text,
                                  struct pm_error *error)
{
    size_t size;
    enum pm_status status = PM_OK;
    FILE *out = open_memstream(text, &size);
    if (out == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < options->file_count && status == PM_OK; i++)
        status = add_file(out, options->files[i], i == 0, options->ladder, error);
    if (fclose(out) != 0 && status == PM_OK)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    return status;
}

static enum pm_status replace_block(const char *path, const char *report, struct pm_error *error)
{
    char *text = NULL;
    char *replaced = NULL;
    size_t size;
    enum pm_status status = pm_file_read(path, &text, &size, error);
    if (status == PM_OK)
        status = pm_report_replace(path, text, report, &replaced, error);
    if (status == PM_OK)
        status = pm_file_write(path, replaced, strlen(replaced), error);
    free(replaced);
    free(text);
    return status;
}

static enum pm_status deliver(const struct report_options *options, const char *report,
                              struct pm_error *error)
{
    if (options->into != NULL)
        return replace_block(options->into, report, error);
    if (options->output != NULL)
        return pm_file_write(options->output, report, strlen(report), error);
    fputs(report, stdout);
    return PM_OK;
}

int cli_report(int argc, char **argv)
{
    struct report_options options = {0};
    struct pm_error error = {0};
    char *report = NULL;
    parse(argc, argv, &options);
    enum pm_status status = make_report(&options, &report, &error);
    if (status == PM_OK)
        status = deliver(&options, report, &error);
    free(report);
    return status == PM_OK ? CLI_EXIT_OK : cli_fail("report", &error);
}
