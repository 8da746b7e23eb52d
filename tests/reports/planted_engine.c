/* SPDX-License-Identifier: MIT */
/* `planted_engine BUG`: a UCI engine with one planted bug, by its number in enum pm_planted_bug; or
 * `planted_engine --list`: the numbers and names. */
#include "engines/uci_serve.h"
#include "kernels/registry.h"
#include "tests/planted/planted.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const struct pm_kernel *base = pm_kernel_find("x88");
    struct pm_uci_server *server = NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int bug = 0; bug < PM_PLANTED_COUNT; bug++)
            printf("%d %s\n", bug, pm_planted_text((enum pm_planted_bug)bug));
        return 0;
    }
    if (argc != 2 || base == NULL || base->init() != PM_OK)
        return 2;
    const int bug = atoi(argv[1]);
    if (bug < 0 || bug >= PM_PLANTED_COUNT ||
        pm_uci_server_open(pm_planted(base, (enum pm_planted_bug)bug), PM_MODE_BULK, 8, &server) !=
            PM_OK)
        return 2;
    const enum pm_status status = pm_uci_serve(server, stdin, stdout);
    pm_uci_server_close(server);
    return status == PM_OK ? 0 : 1;
}
