/* SPDX-License-Identifier: MIT */
/* CPU features that kernels may require, and quirks that make some of them slow.
 * x86-64: cpuid, with the operating system's support of the registers checked by xgetbv.
 * aarch64: hwcap. Features can be masked (taken away) to see what a lesser machine would do. */
#ifndef PM_CORE_CPU_H
#define PM_CORE_CPU_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* Bits of a feature set. Quirks come last. */
#define PM_CPU_SSE42 (1ULL << 0)
#define PM_CPU_POPCNT (1ULL << 1)
#define PM_CPU_BMI1 (1ULL << 2)
#define PM_CPU_LZCNT (1ULL << 3)
#define PM_CPU_BMI2 (1ULL << 4)
#define PM_CPU_AVX2 (1ULL << 5)
#define PM_CPU_AVX512F (1ULL << 6)
#define PM_CPU_AVX512BW (1ULL << 7)
#define PM_CPU_AVX512VL (1ULL << 8)
#define PM_CPU_AVX512VBMI (1ULL << 9)
#define PM_CPU_AVX512VBMI2 (1ULL << 10)
#define PM_CPU_AVX512BITALG (1ULL << 11)
#define PM_CPU_AVX512VPOPCNTDQ (1ULL << 12)
#define PM_CPU_GFNI (1ULL << 13)
#define PM_CPU_NEON (1ULL << 32)
#define PM_CPU_SVE (1ULL << 33)
#define PM_CPU_SVE2 (1ULL << 34)
/* PEXT and PDEP are microcoded: AMD before Zen 3 (family 19h). */
#define PM_CPU_QUIRK_SLOW_PEXT (1ULL << 63)

/* What this machine has, less what is masked. Detected at the first call. Not thread-safe before
 * it. */
uint64_t pm_cpu_features(void);

/* Masks features by name, comma-separated: "bmi2,avx512f"; "all" takes every feature. What can't
 * exist without a masked feature is masked too. PM_ERROR_ARGUMENT names an unknown word and lists
 * the known ones; then nothing changes. */
enum pm_status pm_cpu_mask(const char *names, struct pm_error *error);

/* Masks what the environment variable PLYMARK_CPU_MASK names, if it is set. The first
 * pm_cpu_features() does so too, but passes over a bad value; commands call this first to report
 * it. */
enum pm_status pm_cpu_mask_environment(struct pm_error *error);

/* What is masked now. */
uint64_t pm_cpu_masked(void);

/* One feature's or quirk's name ("bmi2", "slow-pext"), or NULL for a bit without one. */
const char *pm_cpu_feature_name(uint64_t bit);

/* Names of a set, comma-separated, "none" if empty; cut to size. Returns text. */
char *pm_cpu_features_to_text(uint64_t features, char *text, size_t size);

/* The processor's own name: "AMD EPYC 9B45", or "unknown". */
const char *pm_cpu_model_name(void);

#endif
