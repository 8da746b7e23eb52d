/* SPDX-License-Identifier: MIT */
/* The part of `plymark micro` that times sliding-attack techniques alone. */
#ifndef PM_CLI_MICRO_SLIDERS_H
#define PM_CLI_MICRO_SLIDERS_H

#include "core/status.h"

#include <stdbool.h>

/* Registers benchmarks of queen look-ups for each technique that runs here: independent ones and,
 * as NAME_chain, such that wait for the one before; of random squares and occupancies, and of what
 * stands on the board in random games. A technique that gives wrong attacks is named on stderr and
 * left out; then *is_right becomes false. */
enum pm_status cli_micro_add_sliders(bool *is_right, struct pm_error *error);

#endif
