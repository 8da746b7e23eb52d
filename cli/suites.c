/* SPDX-License-Identifier: MIT */
#include "cli/suites.h"

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An installed folder, seen from the program: BIN/../share/plymark/NAME. */
static bool installed_folder(const char *folder, char path[PATH_MAX])
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
    return snprintf(path, PATH_MAX, "%s/../share/plymark/%s", program, folder) < PATH_MAX &&
           access(path, R_OK) == 0;
}

/* The environment's, else the installed one, else that of the source. */
static char *find_folder(const char *variable, const char *folder, const char *source,
                         char path[PATH_MAX])
{
    const char *given = getenv(variable);
    if (given != NULL && given[0] != '\0')
        snprintf(path, PATH_MAX, "%s", given);
    else if (!installed_folder(folder, path))
        snprintf(path, PATH_MAX, "%s", source);
    return path;
}

char *cli_suite_folder(char path[PATH_MAX])
{
    return find_folder("PLYMARK_SUITES", "suites", PM_SUITE_DIR, path);
}

const char *cli_engine_folder(void)
{
    static char path[PATH_MAX];
    return find_folder("PLYMARK_ENGINES", "engines", PM_ENGINE_DIR, path);
}
