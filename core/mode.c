/* SPDX-License-Identifier: MIT */
#include "core/mode.h"

#include <string.h>

static const char *const texts[PM_MODE_COUNT] = {
    [PM_MODE_MAKE] = "make",     [PM_MODE_BULK] = "bulk",     [PM_MODE_LOOKAHEAD] = "lookahead",
    [PM_MODE_HASHED] = "hashed", [PM_MODE_UNIQUE] = "unique",
};

const char *pm_mode_text(enum pm_mode mode)
{
    return (unsigned)mode < PM_MODE_COUNT ? texts[mode] : "unknown";
}

int pm_mode_from_text(const char *text)
{
    for (int mode = 0; text != NULL && mode < PM_MODE_COUNT; mode++)
        if (strcmp(text, texts[mode]) == 0)
            return mode;
    return -1;
}

bool pm_kernel_offers(const struct pm_kernel *kernel, enum pm_mode mode)
{
    if (mode == PM_MODE_UNIQUE)
        return kernel->expander != NULL;
    if (mode == PM_MODE_HASHED)
        return kernel->expander != NULL || kernel->key != NULL;
    return (kernel->capabilities & PM_CAN_MODE((unsigned)mode)) != 0;
}

enum pm_mode pm_mode_fastest(const struct pm_kernel *kernel)
{
    enum pm_mode mode = PM_MODE_LOOKAHEAD;
    while (mode > PM_MODE_MAKE && !pm_kernel_offers(kernel, mode))
        mode--;
    return mode;
}
