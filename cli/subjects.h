/* SPDX-License-Identifier: MIT */
/* The option group of commands that take outside programs beside kernels. */
#ifndef PM_CLI_SUBJECTS_H
#define PM_CLI_SUBJECTS_H

#include "cli/cli.h"
#include "verify/outside.h"

/* -k, --kernel NAME[,NAME…], so:FILE, uci:'PROGRAM ARGS', cmd:PROGRAM or engine:FILE, repeatable;
 * --sandbox, --in-process; --time-limit, --no-chess960. */
struct cli_subjects {
    const char *words[CLI_MAX_KERNELS];
    int word_count;
    bool every_kernel; /* without a word: families too, upwards by the instruction sets they need */
    struct pm_subject_options options; /* set the command's defaults before parsing */

    /* After cli_subjects_open(): what runs in this process, plug-ins among them, and what does not.
     */
    const struct pm_kernel *kernels[CLI_MAX_KERNELS];
    int kernel_count;
    struct pm_outside *outside[CLI_MAX_KERNELS];
    int outside_count;
    struct pm_subject *plugins[CLI_MAX_KERNELS];
    int plugin_count;
};
extern const struct argp cli_subjects_argp;

/* Opens what was chosen: all kernels that were built in if nothing was, less the reference in a
 * sandbox. Kernels for which the CPU lacks features are among `kernels`, not initialized. Returns
 * an exit code, after a line on stderr if something can't be opened. */
int cli_subjects_open(struct cli_subjects *subjects, int threads, const char *command);

/* In any state. */
void cli_subjects_close(struct cli_subjects *subjects);

#endif
