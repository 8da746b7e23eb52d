/* SPDX-License-Identifier: MIT */
/* What the build names: SLIDERS_TECHNIQUE, and alone SLIDERS_NAME; and the features that all of the
 * family are built with. */
#ifndef PM_KERNELS_SLIDERS_NAMES_H
#define PM_KERNELS_SLIDERS_NAMES_H

#ifdef __x86_64__
#define COMMON_CPU_REQUIRED (PM_CPU_POPCNT | PM_CPU_BMI1 | PM_CPU_LZCNT)
#else
#define COMMON_CPU_REQUIRED 0
#endif

/* AVX512CD has no bit of its own: every processor with AVX512VL has it. */
#define BATCH_CPU_REQUIRED (PM_CPU_AVX512F | PM_CPU_AVX512BW | PM_CPU_AVX512VL)

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define TEXT_OF_TOKEN(token) #token
#define TEXT_OF(token) TEXT_OF_TOKEN(token)

#endif
