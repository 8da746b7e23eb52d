/* SPDX-License-Identifier: MIT */
/* What each kernel takes of the caches, read from its compiled object when the program is built. */
#ifndef PM_KERNELS_SIZE_H
#define PM_KERNELS_SIZE_H

#include <stdint.h>

/* Both are 0 if they are not known: with link-time optimisation objects hold no machine code yet,
 * and kernels share what is made of them in the end. */
struct pm_kernel_size {
    const char *name; /* of the kernel */
    /* Machine code: all functions, without those that the compiler puts aside as rarely run. */
    uint64_t code;
    /* Static data: constants and what init() fills, without texts. */
    uint64_t tables;
};

/* One for each of pm_kernels (kernels/registry.h); ends with a NULL name. Made by the build. */
extern const struct pm_kernel_size pm_kernel_sizes[];

#endif
