/* SPDX-License-Identifier: MIT */
/* The part of `plymark verify --all-isa` that is no kernel: what this project compiles for several
 * levels of instruction sets itself. */
#ifndef PM_CLI_VERIFY_LEVELS_H
#define PM_CLI_VERIFY_LEVELS_H

#include <stdio.h>

/* Counts known positions by mode unique at each level that this CPU has, by keys and by whole
 * positions; a line each. Returns an exit code: CLI_EXIT_MISMATCH after a wrong count. */
int cli_verify_levels(FILE *out);

#endif
