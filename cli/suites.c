/* SPDX-License-Identifier: MIT */
#include "cli/suites.h"

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The installed suites, seen from the program: BIN/../share/plymark/suites. */
static bool installed_folder(char path[PATH_MAX])
{
    char program[PATH_MAX];
    const ssize_t length = readlink(CLI_THIS_PROGRAM, program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    char *name = strrchr(program, '/');
    if (name == NULL)
        return false;
    *name = '\0';
    return snprintf(path, PATH_MAX, "%s/../share/plymark/suites", program) < PATH_MAX &&
           access(path, R_OK) == 0;
}

char *cli_suite_folder(char path[PATH_MAX])
{
    const char *given = getenv("PLYMARK_SUITES");
    if (given != NULL && given[0] != '\0')
        snprintf(path, PATH_MAX, "%s", given);
    else if (!installed_folder(path))
        snprintf(path, PATH_MAX, "%s", PM_SUITE_DIR);
    return path;
}
