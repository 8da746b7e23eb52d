/* SPDX-License-Identifier: MIT */
#include "cli/subjects.h"

#include "cli/suites.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

enum { KEY_SANDBOX = 0x1000, KEY_TIME_LIMIT, KEY_IN_PROCESS, KEY_NO_CHESS960, KEY_TIME_BUDGET };

/* ---- Parsing ---- */

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static void add_word(struct cli_subjects *subjects, const char *word,
                     const struct argp_state *state)
{
    for (int i = 0; i < subjects->word_count; i++)
        if (strcmp(subjects->words[i], word) == 0)
            return;
    if (subjects->word_count == CLI_MAX_KERNELS)
        cli_usage(state, "--kernel: more than %d kernels", CLI_MAX_KERNELS);
    subjects->words[subjects->word_count++] = word;
}

static void add_named(struct cli_subjects *subjects, const char *name,
                      const struct argp_state *state)
{
    const struct pm_kernel *named[PM_KERNELS_MAX];
    const int count = pm_kernels_named(name, named);
    if (count == 0)
        cli_refuse_kernel(state, name);
    for (int i = 0; i < count; i++)
        add_word(subjects, named[i]->name, state);
}

/* Names are parted by commas; the arguments of a program may have some of their own. */
static void add_words(struct cli_subjects *subjects, char *text, const struct argp_state *state)
{
    if (begins(text, "so:") || begins(text, "uci:") || begins(text, "cmd:") ||
        begins(text, "engine:")) {
        add_word(subjects, text, state);
        return;
    }
    for (char *word = strsep(&text, ","); word != NULL; word = strsep(&text, ","))
        add_named(subjects, word, state);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct cli_subjects *subjects = state->input;
    switch (key) {
    case 'k':
        add_words(subjects, argument, state);
        return 0;
    case KEY_SANDBOX:
        subjects->options.sandbox = CLI_THIS_PROGRAM;
        return 0;
    case KEY_IN_PROCESS:
        subjects->options.in_process = true;
        return 0;
    case KEY_NO_CHESS960:
        subjects->options.no_chess960 = true;
        return 0;
    case KEY_TIME_BUDGET:
        cli_limit_time((unsigned)cli_number(state, "--time-budget", argument, 1, 1000000));
        return 0;
    case ARGP_KEY_INIT:
        subjects->options.host = CLI_THIS_PROGRAM;
        subjects->options.engine_folder = cli_engine_folder();
        return 0;
    case KEY_TIME_LIMIT:
        subjects->options.time_limit =
            (double)cli_number(state, "--time-limit", argument, 1, 1000000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"kernel", 'k', "NAME[,NAME...]|WORD", 0,
     "Kernels (default: all, less the families, such as sliders), or so:FILE, a plug-in; "
     "uci:'PROGRAM ARGS', an engine that answers `go perft N`; "
     "cmd:PROGRAM, called with depth, FEN and moves; engine:NAME or engine:FILE, described by a "
     "file. Repeatable",
     10},
    {"sandbox", KEY_SANDBOX, NULL, 0,
     "Run kernels too in a child process, as plug-ins always do: a crash is a result", 10},
    {"time-budget", KEY_TIME_BUDGET, "SECONDS", 0,
     "For all of the run: then it ends as if interrupted, with exit code 130", 10},
    {"in-process", KEY_IN_PROCESS, NULL, 0,
     "Run plug-ins in this process, with their expanders; one that crashes, hangs or exits ends "
     "all",
     10},
    {"no-chess960", KEY_NO_CHESS960, NULL, 0, "Ask outside programs about standard chess alone",
     10},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0,
     "For each answer of an outside program (default: 10)", 10},
    {0},
};
const struct argp cli_subjects_argp = {.options = options, .parser = parse_option};

/* ---- Opening ---- */

static int add_kernel(struct cli_subjects *subjects, const struct pm_kernel *kernel,
                      const char *command)
{
    struct pm_error error;
    subjects->kernels[subjects->kernel_count++] = kernel;
    return pm_kernel_missing(kernel) != 0 || pm_kernel_ready(kernel, &error) == PM_OK
               ? CLI_EXIT_OK
               : cli_fail(command, &error);
}

static int add_plugin(struct cli_subjects *subjects, const char *word, const char *command)
{
    struct pm_error error;
    struct pm_subject *plugin;
    if (subjects->options.in_process)
        fprintf(stderr,
                "plymark %s: warning: %s runs in this process: if it crashes, hangs or exits, so "
                "does all of this, and a green end proves nothing\n",
                command, word);
    if (pm_subject_open(word, &subjects->options, &plugin, &error) != PM_OK)
        return cli_fail(command, &error);
    subjects->plugins[subjects->plugin_count++] = plugin;
    subjects->kernels[subjects->kernel_count++] = plugin->kernel;
    return CLI_EXIT_OK;
}

static int add_outside(struct cli_subjects *subjects, const char *word, int threads,
                       const char *command)
{
    struct pm_error error;
    struct pm_outside *outside;
    if (pm_outside_open(word, &subjects->options, threads, &outside, &error) != PM_OK)
        return cli_fail(command, &error);
    subjects->outside[subjects->outside_count++] = outside;
    return CLI_EXIT_OK;
}

static int add(struct cli_subjects *subjects, const char *word, int threads, const char *command)
{
    const struct pm_kernel *kernel = pm_kernel_find(word);
    if (kernel != NULL && subjects->options.sandbox == NULL)
        return add_kernel(subjects, kernel, command);
    if (begins(word, "so:"))
        return add_plugin(subjects, word, command);
    return add_outside(subjects, word, threads, command);
}

static int add_all(struct cli_subjects *subjects, int threads, const char *command)
{
    int code = CLI_EXIT_OK;
    for (const struct pm_kernel *const *kernel = pm_kernels;
         *kernel != NULL && subjects->kernel_count < CLI_MAX_KERNELS; kernel++) {
        if (pm_kernel_has_family(*kernel) && !subjects->every_kernel)
            continue;
        const bool is_out =
            pm_kernel_missing(*kernel) != 0 || ((*kernel)->capabilities & PM_IS_REFERENCE) != 0;
        if (code == CLI_EXIT_OK && !(subjects->options.sandbox != NULL && is_out))
            code = add(subjects, (*kernel)->name, threads, command);
    }
    return code;
}

/* A kernel that runs on a lesser machine comes first. Those alike stay in order. */
static void sort_by_needs(const struct pm_kernel *kernels[], int count)
{
    for (int i = 1; i < count; i++) {
        const struct pm_kernel *kernel = kernels[i];
        int j = i;
        for (; j > 0 && kernels[j - 1]->cpu_required > kernel->cpu_required; j--)
            kernels[j] = kernels[j - 1];
        kernels[j] = kernel;
    }
}

int cli_subjects_open(struct cli_subjects *subjects, int threads, const char *command)
{
    int code = CLI_EXIT_OK;
    if (subjects->word_count == 0)
        code = add_all(subjects, threads, command);
    for (int i = 0; i < subjects->word_count && code == CLI_EXIT_OK; i++)
        code = add(subjects, subjects->words[i], threads, command);
    if (subjects->every_kernel)
        sort_by_needs(subjects->kernels, subjects->kernel_count);
    return code;
}

void cli_subjects_close(struct cli_subjects *subjects)
{
    char cause[PM_SUBJECT_CAUSE_SIZE];
    for (int i = 0; i < subjects->plugin_count; i++) {
        if (*pm_subject_cause(subjects->plugins[i], cause) != '\0')
            fprintf(stderr, "plymark: %s: what went wrong first: %s\n", subjects->plugins[i]->name,
                    cause);
        pm_subject_close(subjects->plugins[i]);
    }
    for (int i = 0; i < subjects->outside_count; i++)
        pm_outside_close(subjects->outside[i]);
    subjects->kernel_count = subjects->plugin_count = subjects->outside_count = 0;
}
