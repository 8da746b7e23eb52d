/* SPDX-License-Identifier: MIT */
/* A plug-in that is broken as the environment variable PLYMARK_BROKEN_PLUGIN says. */
#include "core/kernel.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how = "";

static void be_no_longer(void)
{
    static volatile bool forever = true;
    if (strncmp(how, "exit-", 5) == 0)
        _exit(0);
    if (strncmp(how, "crash-", 6) == 0)
        abort();
    if (strncmp(how, "stop-", 5) == 0)
        raise(SIGSTOP);
    while (forever && strncmp(how, "loop-", 5) == 0)
        ;
}

/* Misbehaves here if it is told "exit-CALL", "crash-CALL", "stop-CALL" or "loop-CALL". */
static void come_to(const char *call)
{
    const char *dash = strchr(how, '-');
    if (dash != NULL && strcmp(dash + 1, call) == 0)
        be_no_longer();
}

/* A process in a session of its own, which nobody waits for. */
static void leave_a_child(void)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;)
        pause();
}

static enum pm_status init(void)
{
    come_to("init");
    if (strcmp(how, "child") == 0)
        leave_a_child();
    if (strcmp(how, "close") == 0)
        close_range(0, ~0U, 0);
    return PM_OK;
}

static enum pm_status set_position(void *state, const struct pm_position *position)
{
    come_to("set_position");
    memcpy(state, position, sizeof *position);
    if (strcmp(how, "wide") == 0)
        memset(state, 1, 1 << 20);
    return strcmp(how, "status") == 0 ? (enum pm_status)12345 : PM_OK;
}

static enum pm_status get_position(const void *state, struct pm_position *position)
{
    come_to("get_position");
    memcpy(position, state, sizeof *position);
    return PM_OK;
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    (void)state;
    come_to("legal_moves");
    moves[0] = (struct pm_move){.from = 12, .to = 28, .kind = PM_MOVE_DOUBLE_PUSH};
    *count = 1;
    if (strcmp(how, "many") == 0)
        *count = 100000;
    if (strcmp(how, "overrun") == 0)
        for (volatile int i = 0; i < PM_MAX_MOVES * 4; i++)
            moves[i] = moves[0];
    return PM_OK;
}

static enum pm_status play(void *state, const struct pm_move *move)
{
    (void)state;
    (void)move;
    come_to("play");
    if (strcmp(how, "throw") == 0)
        kill(getpid(), SIGKILL);
    return PM_OK;
}

static enum pm_status perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    (void)state;
    (void)depth;
    (void)mode;
    come_to("perft");
    *nodes = 1;
    if (strcmp(how, "print") == 0)
        printf("Nodes searched: 20\n%*s\n", 100000, "");
    if (strcmp(how, "illegal") != 0)
        return PM_OK;
    signal(SIGILL, SIG_DFL); /* a sanitizer would catch it */
    raise(SIGILL);
    *nodes = 1;
    return PM_OK;
}

static struct pm_kernel kernel = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "broken",
    .lineage = "broken",
    .technique = "none",
    .summary = "A plug-in for tests.",
    .reference = "none",
    .revision = "none",
    .capabilities = PM_CAN_MODE(PM_MODE_BULK),
    .state_size = sizeof(struct pm_position),
    .state_align = _Alignof(struct pm_position),
    .init = init,
    .set_position = set_position,
    .get_position = get_position,
    .legal_moves = legal_moves,
    .play = play,
    .perft = perft,
};

const struct pm_kernel *pm_plugin_kernel(void)
{
    const char *given = getenv("PLYMARK_BROKEN_PLUGIN");
    if (given == NULL || strcmp(given, "none") == 0)
        return NULL;
    how = given;
    come_to("entry");
    if (strcmp(how, "abi") == 0)
        kernel.abi = 77;
    if (strcmp(how, "size") == 0)
        kernel.struct_size = 8;
    if (strcmp(how, "name") == 0)
        kernel.name = "Broken name";
    if (strcmp(how, "family") == 0)
        kernel.family = "";
    if (strcmp(how, "lineage") == 0)
        kernel.lineage = NULL;
    if (strcmp(how, "function") == 0)
        kernel.play = NULL;
    if (strcmp(how, "align") == 0)
        kernel.state_align = 3;
    if (strcmp(how, "cpu") == 0)
        kernel.cpu_required = 1ULL << 62; /* nobody has it */
    return &kernel;
}
