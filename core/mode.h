/* SPDX-License-Identifier: MIT */
/* Names of the counting modes, as typed after --mode and written into results. */
#ifndef PM_CORE_MODE_H
#define PM_CORE_MODE_H

#include "core/kernel.h"

#include <stdbool.h>

/* "make", "bulk", "lookahead" …; "unknown" for anything else. */
const char *pm_mode_text(enum pm_mode mode);

/* The mode of that name, or -1; NULL has none. */
int pm_mode_from_text(const char *text);

/* Whether a kernel can count so: leaves by perft(), or what mode unique needs, an expander, and
 * mode hashed, that or a key(). */
bool pm_kernel_offers(const struct pm_kernel *kernel, enum pm_mode mode);

/* The fastest of make, bulk and lookahead that the kernel offers. */
enum pm_mode pm_mode_fastest(const struct pm_kernel *kernel);

#endif
