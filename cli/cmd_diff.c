/* SPDX-License-Identifier: MIT */
/* `plymark diff`. */
#include "verify/diagnose/diff.h"

#include "cli/cli.h"
#include "cli/suites.h"
#include "core/cpu.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_JSON = 512, KEY_TIME_LIMIT, KEY_SANDBOX, KEY_IN_PROCESS, KEY_NO_CHESS960 };

struct diff_options {
    struct cli_position position;
    struct pm_subject_options subject;
    const char *words[PM_DIFF_SIDE_COUNT];
    int word_count;
    int depth; /* 0 until given */
    bool json;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct diff_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->position;
        return 0;
    case 'd':
        options->depth = (int)cli_number(state, "--depth", argument, 1, PM_DIFF_MAX_DEPTH);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_TIME_LIMIT:
        options->subject.time_limit =
            (double)cli_number(state, "--time-limit", argument, 1, 1000000);
        return 0;
    case KEY_SANDBOX:
        options->subject.sandbox = CLI_THIS_PROGRAM;
        return 0;
    case KEY_IN_PROCESS:
        options->subject.in_process = true;
        return 0;
    case KEY_NO_CHESS960:
        options->subject.no_chess960 = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->word_count == PM_DIFF_SIDE_COUNT)
            cli_usage(state, "unexpected \"%s\": two are compared, not more", argument);
        options->words[options->word_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->word_count == 0)
            cli_usage(
                state,
                "what is to be compared: a kernel, uci:PROGRAM, cmd:PROGRAM, engine:FILE, so:FILE");
        if (options->depth == 0)
            cli_usage(state, "the depth is missing: -d N");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct diff_options *options)
{
    static const struct argp_option own_options[] = {
        {"depth", 'd', "N", 0, "Plies to compare", 0},
        {"json", KEY_JSON, NULL, 0, "Print one JSON object instead of lines", 0},
        {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0,
         "For each answer of an outside program (default: 10)", 0},
        {"sandbox", KEY_SANDBOX, NULL, 0, "Run kernels too in a child process of their own", 0},
        {"in-process", KEY_IN_PROCESS, NULL, 0,
         "Run plug-ins in this process; one that crashes, hangs or exits ends all", 0},
        {"no-chess960", KEY_NO_CHESS960, NULL, 0, "Ask outside programs about standard chess alone",
         0},
        {0},
    };
    const struct argp_child children[] = {
        {&cli_position_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "A [B]",
        .doc = "Find the first move that two move generators do not agree on, and the rule that it "
               "is about.\vA and B are kernels, uci:'PROGRAM ARGS', cmd:PROGRAM, engine:FILE or "
               "so:FILE; B is "
               "the reference if not given. Exit code 1: they differ.",
        .children = children,
    };
    cli_parse(&argp, argc, argv, options);
    if (options->word_count == 1)
        options->words[PM_DIFF_B] = "reference";
}

static int write_result(const struct diff_options *options, const struct pm_diff *diff)
{
    struct pm_error error = {0};
    if (!options->json)
        pm_diff_write_text(diff, 0, stdout);
    else if (pm_diff_write_json(diff, stdout, &error) != PM_OK)
        return cli_fail("diff", &error);
    if (diff->result == PM_DIFF_NONE)
        return CLI_EXIT_OK;
    const bool is_refused = diff->result == PM_DIFF_FAILED && diff->failure == PM_SUBJECT_REFUSED &&
                            diff->path_length == 0;
    return is_refused ? CLI_EXIT_NOTHING : CLI_EXIT_MISMATCH;
}

static int compare(const struct diff_options *options,
                   struct pm_subject *const subjects[PM_DIFF_SIDE_COUNT])
{
    struct pm_error error = {0};
    struct pm_diff diff = {0};
    const struct pm_diff_config config = {
        .subjects = {subjects[PM_DIFF_A], subjects[PM_DIFF_B]},
        .reference = pm_kernels_reference(),
        .position = &options->position.position,
        .chess960 = options->position.chess960,
        .depth = options->depth,
        .stop = cli_catch_interrupt(),
    };
    if (config.reference == NULL) {
        fputs("plymark diff: no reference kernel runs here\n", stderr);
        return CLI_EXIT_ENVIRONMENT;
    }
    int code = CLI_EXIT_OK;
    if (pm_diff_run(&config, &diff, &error) != PM_OK)
        code = cli_fail("diff", &error);
    else if (!pm_diff_set_command(&diff, options->subject.sandbox ? " --sandbox" : "",
                                  options->words[PM_DIFF_A], options->words[PM_DIFF_B]))
        code = CLI_EXIT_ENVIRONMENT;
    else
        code = write_result(options, &diff);
    pm_diff_free(&diff);
    return code;
}

/* A subject that can't run here leaves nothing to compare. */
static int fail_to_open(const struct pm_error *error)
{
    const int code = cli_fail("diff", error);
    return error->status == PM_ERROR_UNSUPPORTED ? CLI_EXIT_NOTHING : code;
}

int cli_diff(int argc, char **argv)
{
    struct diff_options options = {.subject = {.host = CLI_THIS_PROGRAM,
                                               .engine_folder = cli_engine_folder(),
                                               .mode = PM_MODE_BULK,
                                               .stop = cli_catch_interrupt()}};
    struct pm_subject *subjects[PM_DIFF_SIDE_COUNT] = {0};
    struct pm_error error = {0};

    parse(argc, argv, &options);
    int code = cli_position_ready(&options.position);
    for (int side = 0; side < PM_DIFF_SIDE_COUNT && code == CLI_EXIT_OK; side++)
        if (pm_subject_open(options.words[side], &options.subject, &subjects[side], &error) !=
            PM_OK)
            code = fail_to_open(&error);
    if (code == CLI_EXIT_OK)
        code = compare(&options, subjects);
    for (int side = 0; side < PM_DIFF_SIDE_COUNT; side++)
        pm_subject_close(subjects[side]);
    return code;
}
