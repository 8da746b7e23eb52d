/* SPDX-License-Identifier: MIT */
/* Where this program has its suites. */
#ifndef PM_CLI_SUITES_H
#define PM_CLI_SUITES_H

#include <limits.h>

/* The folder of the suites: environment PLYMARK_SUITES; else ../share/plymark/suites seen from the
 * program's own folder; else the source tree of the build. Returns path. */
char *cli_suite_folder(char path[PATH_MAX]);

/* The folder of engine files, found likewise: PLYMARK_ENGINES, share/plymark/engines. Valid until
 * the next call; not for two threads at a time. */
const char *cli_engine_folder(void);

#endif
