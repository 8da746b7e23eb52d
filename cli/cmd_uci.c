/* SPDX-License-Identifier: MIT */
/* `plymark uci`: a kernel as a UCI engine on standard input and output. */
#include "cli/cli.h"
#include "core/mode.h"
#include "engines/guest.h"
#include "engines/subject.h"
#include "engines/uci_serve.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

enum { KEY_CALLS = 512 };

struct uci_options {
    const char *word;
    enum pm_mode mode;
    bool calls; /* be a guest's process (engines/guest.h) */
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct uci_options *options = state->input;
    int mode;
    switch (key) {
    case 'k':
        options->word = argument;
        return 0;
    case 'm':
        mode = pm_mode_from_text(argument);
        if (mode < 0)
            cli_usage(state, "--mode is \"%s\": make, bulk or lookahead is needed", argument);
        options->mode = (enum pm_mode)mode;
        return 0;
    case KEY_CALLS:
        options->calls = true;
        return 0;
    case ARGP_KEY_ARG:
        cli_usage(state, "unexpected \"%s\"", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct uci_options *options)
{
    static const struct argp_option own_options[] = {
        {"kernel", 'k', "NAME|so:FILE", 0,
         "Kernel or plug-in (default: the fastest that runs here)", 0},
        {"mode", 'm', "MODE", 0, "How leaves are counted: make, bulk, lookahead (default: bulk)",
         0},
        {"calls", KEY_CALLS, NULL, OPTION_HIDDEN, "Answer another plymark about a plug-in", 0},
        {0},
    };
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .doc = "Be a UCI engine that answers `go perft N`, for any program that drives such "
               "engines.",
        .children = children,
    };
    cli_parse(&argp, argc, argv, options);
}

static int serve(const struct uci_options *options)
{
    const struct pm_subject_options subject_options = {.mode = options->mode};
    struct pm_error error = {0};
    struct pm_subject *subject = NULL;
    struct pm_uci_server *server = NULL;
    enum pm_status status = pm_subject_open(options->word, &subject_options, &subject, &error);
    if (status == PM_OK && subject->kernel == NULL)
        status = pm_fail(&error, PM_ERROR_ARGUMENT,
                         "--kernel is \"%s\": a kernel or so:FILE is "
                         "needed",
                         options->word);
    if (status == PM_OK)
        status =
            pm_uci_server_open(subject->kernel, options->mode, PM_KERNEL_MAX_DEPTH * 4, &server);
    if (status == PM_OK)
        status = pm_uci_serve(server, stdin, stdout);
    if (status != PM_OK && error.status == PM_OK)
        pm_fail(&error, status, "%s", pm_status_text(status));
    pm_uci_server_close(server);
    pm_subject_close(subject);
    return status == PM_OK ? CLI_EXIT_OK : cli_fail("uci", &error);
}

int cli_uci(int argc, char **argv)
{
    struct uci_options options = {.mode = PM_MODE_BULK};
    parse(argc, argv, &options);
    if (options.calls && options.word != NULL && strncmp(options.word, "so:", 3) == 0)
        return pm_guest_serve(options.word + 3);
    if (options.word == NULL)
        options.word = pm_kernel_default(options.mode)->name;
    return serve(&options);
}
