/* SPDX-License-Identifier: MIT */
/* `planted_engine BUG`: a UCI engine with one planted bug, by its name with '-' for blanks; or
 * `planted_engine --list`: the names. */
#include "engines/uci_serve.h"
#include "kernels/registry.h"
#include "tests/planted/planted.h"

#include <string.h>

/* PM_PLANTED_COUNT if no bug has that name. */
static int find_bug(char *name)
{
    int bug = 0;
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '-' ? ' ' : *c;
    while (bug < PM_PLANTED_COUNT && strcmp(pm_planted_text((enum pm_planted_bug)bug), name) != 0)
        bug++;
    return bug;
}

int main(int argc, char **argv)
{
    const struct pm_kernel *base = pm_kernel_find("x88");
    struct pm_uci_server *server = NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int bug = 0; bug < PM_PLANTED_COUNT; bug++)
            puts(pm_planted_text((enum pm_planted_bug)bug));
        return 0;
    }
    if (argc != 2 || base == NULL || base->init() != PM_OK)
        return 2;
    const int bug = find_bug(argv[1]);
    if (bug == PM_PLANTED_COUNT || pm_uci_server_open(pm_planted(base, (enum pm_planted_bug)bug),
                                                      PM_MODE_BULK, 8, &server) != PM_OK)
        return 2;
    const enum pm_status status = pm_uci_serve(server, stdin, stdout);
    pm_uci_server_close(server);
    return status == PM_OK ? 0 : 1;
}
