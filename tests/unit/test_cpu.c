/* SPDX-License-Identifier: MIT */
#include "core/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Masks last as long as the process, so each test runs in a child: true if check() holds there. */
static int holds_in_child(int (*check)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(check() ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void known_by_compiler(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const struct {
        uint64_t bit;
        int has;
    } expected[] = {
        {PM_CPU_SSE42, __builtin_cpu_supports("sse4.2") != 0},
        {PM_CPU_POPCNT, __builtin_cpu_supports("popcnt") != 0},
        {PM_CPU_BMI1, __builtin_cpu_supports("bmi") != 0},
        {PM_CPU_BMI2, __builtin_cpu_supports("bmi2") != 0},
        {PM_CPU_AVX2, __builtin_cpu_supports("avx2") != 0},
        {PM_CPU_AVX512F, __builtin_cpu_supports("avx512f") != 0},
        {PM_CPU_AVX512BW, __builtin_cpu_supports("avx512bw") != 0},
        {PM_CPU_AVX512VL, __builtin_cpu_supports("avx512vl") != 0},
        {PM_CPU_AVX512VBMI, __builtin_cpu_supports("avx512vbmi") != 0},
        {PM_CPU_AVX512VBMI2, __builtin_cpu_supports("avx512vbmi2") != 0},
        {PM_CPU_AVX512BITALG, __builtin_cpu_supports("avx512bitalg") != 0},
        {PM_CPU_AVX512VPOPCNTDQ, __builtin_cpu_supports("avx512vpopcntdq") != 0},
        {PM_CPU_GFNI, __builtin_cpu_supports("gfni") != 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal((pm_cpu_features() & expected[i].bit) != 0, expected[i].has);
    assert_true((pm_cpu_features() & PM_CPU_NEON) == 0);
#endif
    assert_string_not_equal(pm_cpu_model_name(), "");
}

static int mask_takes_away(void)
{
    const uint64_t before = pm_cpu_features();
    return pm_cpu_mask("bmi2,popcnt", NULL) == PM_OK &&
           pm_cpu_masked() == (PM_CPU_BMI2 | PM_CPU_POPCNT) &&
           pm_cpu_features() == (before & ~(PM_CPU_BMI2 | PM_CPU_POPCNT));
}

static int mask_takes_dependents(void)
{
    const uint64_t lost = PM_CPU_AVX512BW | PM_CPU_AVX512VL | PM_CPU_AVX512VBMI |
                          PM_CPU_AVX512VBMI2 | PM_CPU_AVX512BITALG | PM_CPU_AVX512VPOPCNTDQ;
    return pm_cpu_mask("avx512f", NULL) == PM_OK && pm_cpu_masked() == (lost | PM_CPU_AVX512F) &&
           pm_cpu_mask("sse4.2", NULL) == PM_OK && (pm_cpu_masked() & PM_CPU_AVX2);
}

static int mask_all_leaves_quirks(void)
{
    return pm_cpu_mask("all", NULL) == PM_OK &&
           (pm_cpu_features() & ~PM_CPU_QUIRK_SLOW_PEXT) == 0 &&
           !(pm_cpu_masked() & PM_CPU_QUIRK_SLOW_PEXT);
}

static int unknown_words_change_nothing(void)
{
    static const char *const bad[] = {"",      "bmi3", "bmi2,",     ",bmi2",    "bmi2,,popcnt",
                                      " bmi2", "BMI2", "bmi2 avx2", "slow-pext"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pm_cpu_mask(bad[i], NULL) != PM_ERROR_ARGUMENT || pm_cpu_masked() != 0)
            return 0;
    return 1;
}

static int error_names_the_word(void)
{
    struct pm_error error;
    return pm_cpu_mask("popcnt,bmi3", &error) == PM_ERROR_ARGUMENT &&
           error.status == PM_ERROR_ARGUMENT && strstr(error.text, "'bmi3'") != NULL &&
           strstr(error.text, "avx512vbmi2") != NULL;
}

static int environment_masks(void)
{
    setenv("PLYMARK_CPU_MASK", "bmi2", 1);
    return !(pm_cpu_features() & PM_CPU_BMI2) && pm_cpu_masked() == PM_CPU_BMI2;
}

static int bad_environment_is_reported(void)
{
    struct pm_error error;
    setenv("PLYMARK_CPU_MASK", "bmi2,x", 1);
    return pm_cpu_mask_environment(&error) == PM_ERROR_ARGUMENT &&
           strstr(error.text, "PLYMARK_CPU_MASK") != NULL && pm_cpu_masked() == 0;
}

static int empty_environment_is_none(void)
{
    setenv("PLYMARK_CPU_MASK", "", 1);
    return pm_cpu_mask_environment(NULL) == PM_OK && pm_cpu_masked() == 0;
}

static void masks(void **state)
{
    (void)state;
    unsetenv("PLYMARK_CPU_MASK");
    assert_true(holds_in_child(mask_takes_away));
    assert_true(holds_in_child(mask_takes_dependents));
    assert_true(holds_in_child(mask_all_leaves_quirks));
    assert_true(holds_in_child(unknown_words_change_nothing));
    assert_true(holds_in_child(error_names_the_word));
}

static void environment(void **state)
{
    (void)state;
    assert_true(holds_in_child(environment_masks));
    assert_true(holds_in_child(bad_environment_is_reported));
    assert_true(holds_in_child(empty_environment_is_none));
}

static void names(void **state)
{
    char text[64], small[8];
    (void)state;
    assert_string_equal(pm_cpu_feature_name(PM_CPU_BMI2), "bmi2");
    assert_string_equal(pm_cpu_feature_name(PM_CPU_QUIRK_SLOW_PEXT), "slow-pext");
    assert_null(pm_cpu_feature_name(1ULL << 62));
    assert_null(pm_cpu_feature_name(PM_CPU_BMI1 | PM_CPU_BMI2));
    assert_string_equal(pm_cpu_features_to_text(0, text, sizeof text), "none");
    assert_string_equal(pm_cpu_features_to_text(PM_CPU_SVE | PM_CPU_POPCNT, text, sizeof text),
                        "popcnt,sve");
    assert_string_equal(pm_cpu_features_to_text(PM_CPU_SVE | PM_CPU_POPCNT, small, sizeof small),
                        "popcnt,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks), /* first: its children must inherit no mask */
        cmocka_unit_test(environment),
        cmocka_unit_test(known_by_compiler),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
