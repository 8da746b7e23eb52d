/* SPDX-License-Identifier: MIT */
#include "core/cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* In an order in which a feature stands after those that it can't exist without. */
static const struct feature {
    uint64_t bit;
    const char *name;
    uint64_t needs;
} features[] = {
    {PM_CPU_SSE42, "sse4.2", 0},
    {PM_CPU_POPCNT, "popcnt", 0},
    {PM_CPU_BMI1, "bmi1", 0},
    {PM_CPU_LZCNT, "lzcnt", 0},
    {PM_CPU_BMI2, "bmi2", 0},
    {PM_CPU_AVX2, "avx2", PM_CPU_SSE42},
    {PM_CPU_AVX512F, "avx512f", PM_CPU_AVX2},
    {PM_CPU_AVX512BW, "avx512bw", PM_CPU_AVX512F},
    {PM_CPU_AVX512VL, "avx512vl", PM_CPU_AVX512F},
    {PM_CPU_AVX512VBMI, "avx512vbmi", PM_CPU_AVX512BW},
    {PM_CPU_AVX512VBMI2, "avx512vbmi2", PM_CPU_AVX512BW},
    {PM_CPU_AVX512BITALG, "avx512bitalg", PM_CPU_AVX512BW},
    {PM_CPU_AVX512VPOPCNTDQ, "avx512vpopcntdq", PM_CPU_AVX512F},
    {PM_CPU_GFNI, "gfni", 0},
    {PM_CPU_NEON, "neon", 0},
    {PM_CPU_SVE, "sve", PM_CPU_NEON},
    {PM_CPU_SVE2, "sve2", PM_CPU_SVE},
    {PM_CPU_QUIRK_SLOW_PEXT, "slow-pext", 0},
};

static bool is_quirk(const struct feature *feature)
{
    return feature->bit == PM_CPU_QUIRK_SLOW_PEXT;
}

static uint64_t masked;

#if defined(__x86_64__)

enum cpuid_register { EAX, EBX, ECX, EDX };

/* Which registers the operating system must save for a feature to be usable: bits of XCR0. */
#define XCR0_YMM 0x06U
#define XCR0_ZMM 0xE6U

static const struct cpuid_bit {
    uint64_t feature;
    unsigned leaf;
    enum cpuid_register where;
    unsigned bit;
    unsigned xcr0;
} cpuid_bits[] = {
    {PM_CPU_SSE42, 1, ECX, 20, 0},
    {PM_CPU_POPCNT, 1, ECX, 23, 0},
    {PM_CPU_LZCNT, 0x80000001U, ECX, 5, 0},
    {PM_CPU_BMI1, 7, EBX, 3, 0},
    {PM_CPU_AVX2, 7, EBX, 5, XCR0_YMM},
    {PM_CPU_BMI2, 7, EBX, 8, 0},
    {PM_CPU_AVX512F, 7, EBX, 16, XCR0_ZMM},
    {PM_CPU_AVX512BW, 7, EBX, 30, XCR0_ZMM},
    {PM_CPU_AVX512VL, 7, EBX, 31, XCR0_ZMM},
    {PM_CPU_AVX512VBMI, 7, ECX, 1, XCR0_ZMM},
    {PM_CPU_AVX512VBMI2, 7, ECX, 6, XCR0_ZMM},
    {PM_CPU_GFNI, 7, ECX, 8, 0},
    {PM_CPU_AVX512BITALG, 7, ECX, 12, XCR0_ZMM},
    {PM_CPU_AVX512VPOPCNTDQ, 7, ECX, 14, XCR0_ZMM},
};

/* All zero for a leaf that the processor does not have. */
static void read_cpuid(unsigned leaf, unsigned registers[4])
{
    if (!__get_cpuid_count(leaf, 0, &registers[EAX], &registers[EBX], &registers[ECX],
                           &registers[EDX]))
        memset(registers, 0, 4 * sizeof registers[0]);
}

static unsigned read_xcr0(void)
{
    unsigned registers[4];
    read_cpuid(1, registers);
    if (!(registers[ECX] >> 27 & 1)) /* OSXSAVE: without it xgetbv is an invalid instruction */
        return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool has_slow_pext(void)
{
    unsigned registers[4];
    char vendor[13];
    read_cpuid(0, registers);
    memcpy(vendor, &registers[EBX], 4);
    memcpy(vendor + 4, &registers[EDX], 4);
    memcpy(vendor + 8, &registers[ECX], 4);
    vendor[12] = '\0';
    if (strcmp(vendor, "HygonGenuine") == 0)
        return true;
    read_cpuid(1, registers);
    unsigned family = registers[EAX] >> 8 & 0xF;
    if (family == 0xF)
        family += registers[EAX] >> 20 & 0xFF;
    return strcmp(vendor, "AuthenticAMD") == 0 && family < 0x19;
}

static uint64_t detect(void)
{
    const unsigned xcr0 = read_xcr0();
    uint64_t found = 0;
    for (size_t i = 0; i < COUNT_OF(cpuid_bits); i++) {
        const struct cpuid_bit *want = &cpuid_bits[i];
        unsigned registers[4];
        read_cpuid(want->leaf, registers);
        if ((registers[want->where] >> want->bit & 1) && (xcr0 & want->xcr0) == want->xcr0)
            found |= want->feature;
    }
    if ((found & PM_CPU_BMI2) && has_slow_pext())
        found |= PM_CPU_QUIRK_SLOW_PEXT;
    return found;
}

static void read_model_name(char *name, size_t size)
{
    char brand[49];
    for (unsigned i = 0; i < 3; i++) {
        unsigned registers[4];
        read_cpuid(0x80000002U + i, registers);
        memcpy(brand + sizeof registers * i, registers, sizeof registers);
    }
    brand[48] = '\0';
    snprintf(name, size, "%s", brand);
}

#else

#if defined(__aarch64__)

static uint64_t detect(void)
{
    /* From the kernel's asm/hwcap.h, which an older system's header may lack in part. */
    static const struct {
        uint64_t feature;
        unsigned long type, bit;
    } hwcaps[] = {
        {PM_CPU_NEON, AT_HWCAP, 1UL << 1},
        {PM_CPU_SVE, AT_HWCAP, 1UL << 22},
        {PM_CPU_SVE2, AT_HWCAP2, 1UL << 1},
    };
    uint64_t found = 0;
    for (size_t i = 0; i < COUNT_OF(hwcaps); i++)
        if (getauxval(hwcaps[i].type) & hwcaps[i].bit)
            found |= hwcaps[i].feature;
    return found;
}

#else

static uint64_t detect(void)
{
    return 0;
}

#endif

/* "model name" where there is one, or else the part number: "CPU part 0xd0c". */
static void read_model_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL)
            continue;
        value++;
        if (strncmp(line, "model name", 10) == 0) {
            snprintf(name, size, "%s", value);
            break;
        }
        if (strncmp(line, "CPU part", 8) == 0)
            snprintf(name, size, "CPU part%s", value);
    }
    if (file != NULL)
        fclose(file);
}

#endif

static char *list_names(uint64_t set, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(features) && used < size; i++)
        if (set & features[i].bit)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
                                     features[i].name);
    return text;
}

static uint64_t all_features(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (!is_quirk(&features[i]))
            all |= features[i].bit;
    return all;
}

/* The bits that one word of a mask takes; 0 if it names nothing. */
static uint64_t word_bits(const char *word, size_t length)
{
    if (length == 3 && strncmp(word, "all", 3) == 0)
        return all_features();
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (!is_quirk(&features[i]) && strlen(features[i].name) == length &&
            strncmp(features[i].name, word, length) == 0)
            return features[i].bit;
    return 0;
}

enum pm_status pm_cpu_mask(const char *names, struct pm_error *error)
{
    uint64_t mask = masked;
    for (const char *word = names;; word++) {
        const size_t length = strcspn(word, ",");
        const uint64_t bits = word_bits(word, length);
        char known[256];
        if (bits == 0)
            return pm_fail(error, PM_ERROR_ARGUMENT, "unknown CPU feature '%.*s': known: all,%s",
                           (int)length, word, list_names(all_features(), known, sizeof known));
        mask |= bits;
        word += length;
        if (*word == '\0')
            break;
    }
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (features[i].needs & mask)
            mask |= features[i].bit;
    masked = mask;
    return PM_OK;
}

enum pm_status pm_cpu_mask_environment(struct pm_error *error)
{
    const char *names = getenv("PLYMARK_CPU_MASK");
    if (names == NULL || names[0] == '\0')
        return PM_OK;
    struct pm_error cause;
    const enum pm_status status = pm_cpu_mask(names, &cause);
    if (status != PM_OK)
        return pm_fail(error, status, "PLYMARK_CPU_MASK: %s", cause.text);
    return PM_OK;
}

uint64_t pm_cpu_features(void)
{
    static uint64_t detected;
    static bool ready;
    if (!ready) {
        detected = detect();
        pm_cpu_mask_environment(NULL);
        ready = true;
    }
    return detected & ~masked;
}

uint64_t pm_cpu_masked(void)
{
    pm_cpu_features(); /* reads the environment */
    return masked;
}

const char *pm_cpu_feature_name(uint64_t bit)
{
    for (size_t i = 0; i < COUNT_OF(features); i++)
        if (features[i].bit == bit)
            return features[i].name;
    return NULL;
}

char *pm_cpu_features_to_text(uint64_t set, char *text, size_t size)
{
    if (size == 0)
        return text;
    list_names(set, text, size);
    if (text[0] == '\0')
        snprintf(text, size, "none");
    return text;
}

/* Removes blanks at both ends. */
static void trim(char *text)
{
    static const char blanks[] = " \t\n";
    const size_t leading = strspn(text, blanks);
    memmove(text, text + leading, strlen(text + leading) + 1);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        text[--length] = '\0';
}

const char *pm_cpu_model_name(void)
{
    static char name[128];
    if (name[0] == '\0') {
        read_model_name(name, sizeof name);
        trim(name);
        if (name[0] == '\0')
            snprintf(name, sizeof name, "unknown");
    }
    return name;
}
