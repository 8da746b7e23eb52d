/* SPDX-License-Identifier: MIT */
/* reply256 with rays_scalar.h. */
#define PM_REPLY64
#include "core/cpu.h"
#include "core/kernel.h"
#include "kernels/reply256/contract.h"
#include "kernels/reply256/expand.h"

const struct pm_kernel pm_kernel_reply64 = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "reply64",
    .lineage = "pext",
    .technique = "two plies at once by arrivals in bit planes",
    .summary =
        "Counts how many moves arrive on each square, and from that, piece by piece, all replies "
        "to them: most children are never visited.",
    .reference = "this project; counting replies without making the moves that can't matter: "
                 "null-move counting in Richard Delorme's MPerft",
    .revision = PM_KERNEL_REVISION,
    .cpu_required = PM_CPU_POPCNT | PM_CPU_BMI1 | PM_CPU_BMI2,
    .cpu_slow = PM_CPU_QUIRK_SLOW_PEXT,
    .capabilities = PM_CAN_MODE(PM_MODE_MAKE) | PM_CAN_MODE(PM_MODE_BULK) |
                    PM_CAN_MODE(PM_MODE_LOOKAHEAD) | PM_CAN_CHESS960 | PM_CAN_CLOCKS,
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = reply_init,
    .set_position = reply_set_position,
    .get_position = reply_get_position,
    .legal_moves = reply_legal_moves,
    .play = reply_play,
    .perft = reply_perft,
    .attacks = reply_attacks,
    .expander = &reply_expander,
};
