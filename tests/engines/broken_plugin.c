/* SPDX-License-Identifier: MIT */
/* A plug-in that is broken as the environment variable PLYMARK_BROKEN_PLUGIN says. */
#include "core/kernel.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static enum pm_status init(void)
{
    return PM_OK;
}

static enum pm_status set_position(void *state, const struct pm_position *position)
{
    memcpy(state, position, sizeof *position);
    return PM_OK;
}

static enum pm_status get_position(const void *state, struct pm_position *position)
{
    memcpy(position, state, sizeof *position);
    return PM_OK;
}

static enum pm_status legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                  unsigned *count)
{
    (void)state;
    moves[0] = (struct pm_move){.from = 12, .to = 28, .kind = PM_MOVE_DOUBLE_PUSH};
    *count = 1;
    return PM_OK;
}

static enum pm_status play(void *state, const struct pm_move *move)
{
    (void)state;
    (void)move;
    return PM_OK;
}

static enum pm_status perft(const void *state, int depth, enum pm_mode mode, uint64_t *nodes)
{
    (void)state;
    (void)depth;
    (void)mode;
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
    const char *how = getenv("PLYMARK_BROKEN_PLUGIN");
    if (how == NULL || strcmp(how, "none") == 0)
        return NULL;
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
