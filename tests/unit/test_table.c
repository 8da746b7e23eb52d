/* SPDX-License-Identifier: MIT */
/* The transposition table: what is stored is found or gone, never taken for something else. */
#include "core/memory.h"
#include "core/random.h"
#include "perft/table.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, MANY = 20000 };

static struct pm_table table;
static struct pm_table_use use;

static void open_table(uint64_t bytes, unsigned check_bits)
{
    struct pm_error error;
    use = (struct pm_table_use){0};
    if (pm_table_open(&table, bytes, check_bits, &error) != PM_OK)
        fail_msg("%s", error.text);
    pm_table_empty(&table, 0, 1);
}

static int close_table(void **state)
{
    (void)state;
    pm_table_close(&table);
    return 0;
}

/* A count of the depth's size that a key stands for. */
static uint64_t count_of(uint64_t key, int depth)
{
    struct pm_random random = {.state = key + (uint64_t)depth};
    const unsigned bits = 16 * pm_table_digits(depth);
    const uint64_t number = pm_random_next(&random);
    return bits == 64 ? number : number & ((1ULL << bits) - 1);
}

static bool finds(uint64_t key, int depth, uint64_t expected)
{
    uint64_t count;
    if (!pm_table_find(&table, &use, key, depth, &count))
        return false;
    assert_int_equal(count, expected);
    return true;
}

static void what_is_stored_is_found(void **state)
{
    (void)state;
    open_table(1 << 20, PM_TABLE_CHECK_BITS);
    for (int depth = PM_TABLE_MIN_DEPTH; depth <= PM_TABLE_MAX_DEPTH; depth++) {
        const uint64_t most = UINT64_MAX >> (64 - 16 * pm_table_digits(depth));
        const uint64_t counts[] = {0, 1, most - 1, most};
        for (unsigned i = 0; i < 4; i++) {
            const uint64_t key = count_of(4 * (uint64_t)depth + i, PM_TABLE_MAX_DEPTH);
            assert_false(finds(key, depth, 0));
            pm_table_store(&table, &use, key, depth, counts[i]);
            assert_true(finds(key, depth, counts[i]));
        }
    }
    assert_int_equal(use.probes, 2 * 4 * 7);
    assert_int_equal(use.hits, 4 * 7);
}

static void nothing_is_in_an_empty_table(void **state)
{
    (void)state;
    open_table(1, PM_TABLE_CHECK_BITS);
    assert_int_equal(pm_table_bytes(&table), 64);
    assert_true(pm_table_load(&table) == 0);
    for (int depth = PM_TABLE_MIN_DEPTH; depth <= PM_TABLE_MAX_DEPTH; depth++)
        assert_false(finds(0, depth, 0));
    pm_table_store(&table, &use, 0, 2, 0);
    assert_true(finds(0, 2, 0));
    assert_true(pm_table_load(&table) == 1.0 / 8);
}

static void depths_of_a_key_do_not_mix(void **state)
{
    (void)state;
    open_table(1, PM_TABLE_CHECK_BITS);
    for (int stored = PM_TABLE_MIN_DEPTH; stored <= PM_TABLE_MAX_DEPTH; stored++) {
        pm_table_empty(&table, 0, 1);
        pm_table_store(&table, &use, 77, stored, 5);
        for (int depth = PM_TABLE_MIN_DEPTH; depth <= PM_TABLE_MAX_DEPTH; depth++)
            assert_int_equal(finds(77, depth, 5), depth == stored);
    }
}

static void counts_that_do_not_fit_are_left_out(void **state)
{
    (void)state;
    open_table(1 << 12, PM_TABLE_CHECK_BITS);
    pm_table_store(&table, &use, 1, 2, 1 << 16);
    pm_table_store(&table, &use, 1, 3, 1ULL << 32);
    pm_table_store(&table, &use, 1, 4, UINT64_MAX);
    for (int depth = 2; depth <= 4; depth++)
        assert_false(finds(1, depth, 0));
    assert_int_equal(use.words, 0);
}

static void a_count_that_lost_a_word_is_gone(void **state)
{
    (void)state;
    open_table(1, PM_TABLE_CHECK_BITS);
    for (int depth = 3; depth <= PM_TABLE_MAX_DEPTH; depth++)
        for (unsigned word = 0; word < PM_TABLE_BUCKET; word++) {
            pm_table_empty(&table, 0, 1);
            pm_table_store(&table, &use, 5, depth, count_of(5, depth));
            const bool in_use = atomic_exchange(&table.words[word], 2 << 16) != 0;
            assert_int_equal(finds(5, depth, count_of(5, depth)), !in_use);
        }
}

static void deep_counts_outlast_shallow_ones(void **state)
{
    (void)state;
    open_table(1, PM_TABLE_CHECK_BITS);
    pm_table_store(&table, &use, 1, 4, 4000000);
    for (uint64_t key = 2; key < 1000; key++) {
        pm_table_store(&table, &use, key, 2, key);
        assert_true(finds(key, 2, key));
    }
    assert_true(finds(1, 4, 4000000));
    for (uint64_t key = 2; key < 1000; key++) {
        pm_table_store(&table, &use, key, 5, key);
        assert_true(finds(key, 5, key));
    }
}

static void parts_make_a_whole(void **state)
{
    (void)state;
    open_table(1000 * 64, PM_TABLE_CHECK_BITS);
    for (uint64_t i = 0; i < MANY; i++)
        pm_table_store(&table, &use, count_of(i, 8), 2, 0);
    assert_true(pm_table_load(&table) > 0.9);
    for (unsigned part = 0; part < 7; part++)
        pm_table_empty(&table, part, 7);
    for (uint64_t i = 0; i < table.buckets * PM_TABLE_BUCKET; i++)
        assert_int_equal(table.words[i], 0);
}

/* Every bucket is used, and no key's place lies outside, whatever the number of buckets. */
static void keys_spread_over_the_buckets(void **state)
{
    (void)state;
    open_table(37 * 64, PM_TABLE_CHECK_BITS);
    assert_ptr_equal(pm_table_bucket(&table, 0), table.words);
    assert_ptr_equal(pm_table_bucket(&table, UINT64_MAX), table.words + 36 * 8);
    for (uint64_t i = 0; i < MANY; i++)
        pm_table_store(&table, &use, count_of(i, 8), 2, 0);
    assert_true(pm_table_load(&table) == 1);
}

static void few_check_bits_mistake_keys(void **state)
{
    (void)state;
    open_table(1, 4);
    pm_table_store(&table, &use, 0x25, 2, 9);
    assert_true(finds(0x15, 2, 9));
    assert_false(finds(0x26, 2, 9));
}

static void the_error_probability_has_its_bounds(void **state)
{
    const struct pm_table_use few = {.probes = 1000, .hits = 100, .words = 900};
    const struct pm_table_use many = {.probes = 1ULL << 40, .hits = 0, .words = 1ULL << 40};
    (void)state;
    open_table(1024 * 64, PM_TABLE_CHECK_BITS);
    assert_true(pm_table_error_probability(&table, &use) == 0);
    /* 900 positions meet 900/1024 words each; of each 2^44 such meetings one goes wrong. */
    const double expected = 900 * 900 / 1024.0 / (double)(1ULL << 44);
    const double found = pm_table_error_probability(&table, &few);
    assert_true(found > 0.999 * expected && found < 1.001 * expected);
    /* A bucket has eight words, however many there were. */
    assert_true(pm_table_error_probability(&table, &many) == 0.5);
    /* In a large table the keys of a bucket differ in fewer bits than the check has. */
    const struct pm_table large = {.buckets = 1ULL << 30, .check_mask = table.check_mask};
    assert_true(pm_table_error_probability(&large, &few) < 8000.0 / (double)(1ULL << 34));
    assert_true(pm_table_error_probability(
                    &large, &(struct pm_table_use){.probes = 1 << 20, .words = 1ULL << 50}) ==
                1.0 / (1 << 11));
    pm_table_close(&table);
    open_table(1024 * 64, 8);
    assert_true(pm_table_error_probability(&table, &many) == 1);
}

static void what_can_not_be_had_is_an_error(void **state)
{
    struct pm_error error;
    (void)state;
    assert_int_equal(pm_table_open(&table, 1ULL << 62, 44, &error), PM_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "4194304 TiB"));
    assert_int_equal(pm_table_open(&table, 64, 45, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_table_open(&table, 64, 0, &error), PM_ERROR_ARGUMENT);
}

/* Returns how many counts were found wrong, and adds how many were found. */
static uint64_t store_and_find(int thread, uint64_t *hits)
{
    struct pm_random random = {.state = (uint64_t)thread};
    struct pm_table_use own = {0};
    uint64_t wrong = 0;
    for (int i = 0; i < 10 * MANY; i++) {
        const uint64_t key = pm_random_below(&random, 200);
        const int depth = 2 + (int)(key % 7);
        uint64_t count;
        if (pm_table_find(&table, &own, key, depth, &count))
            wrong += count != count_of(key, depth);
        else
            pm_table_store(&table, &own, key, depth, count_of(key, depth));
    }
    *hits += own.hits;
    return wrong;
}

/* All keys in two buckets, which are overwritten all the time. */
static void threads_never_misread(void **state)
{
    uint64_t wrong = 0, hits = 0;
    (void)state;
    open_table(64, PM_TABLE_CHECK_BITS);
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong, hits)
    wrong += store_and_find(omp_get_thread_num(), &hits);
    assert_int_equal(wrong, 0);
    assert_true(hits > 0);
}

static void memory_has_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
        const char *written;
    } good[] = {
        {"0", 0, "0 bytes"},
        {"1000", 1000, "1000 bytes"},
        {"1024", 1024, "1 KiB"},
        {"256M", 256 << 20, "256 MiB"},
        {"1536m", 1536U << 20, "1536 MiB"},
        {"3G", 3ULL << 30, "3 GiB"},
        {"8388607T", 8388607ULL << 40, "8388607 TiB"},
    };
    static const char *const bad[] = {
        "", "M", "-1", "+1", " 1", "1MB", "1x", "1.5G", "1 G", "8388608T", "99999999999999999999"};
    char text[PM_MEMORY_TEXT_SIZE];
    uint64_t bytes;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pm_memory_from_text(good[i].text, &bytes));
        assert_int_equal(bytes, good[i].bytes);
        assert_string_equal(pm_memory_to_text(bytes, text), good[i].written);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(pm_memory_from_text(bad[i], &bytes));
    assert_true(pm_memory_available() > 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_stored_is_found, close_table),
        cmocka_unit_test_teardown(nothing_is_in_an_empty_table, close_table),
        cmocka_unit_test_teardown(depths_of_a_key_do_not_mix, close_table),
        cmocka_unit_test_teardown(counts_that_do_not_fit_are_left_out, close_table),
        cmocka_unit_test_teardown(a_count_that_lost_a_word_is_gone, close_table),
        cmocka_unit_test_teardown(deep_counts_outlast_shallow_ones, close_table),
        cmocka_unit_test_teardown(parts_make_a_whole, close_table),
        cmocka_unit_test_teardown(keys_spread_over_the_buckets, close_table),
        cmocka_unit_test_teardown(few_check_bits_mistake_keys, close_table),
        cmocka_unit_test_teardown(the_error_probability_has_its_bounds, close_table),
        cmocka_unit_test_teardown(what_can_not_be_had_is_an_error, close_table),
        cmocka_unit_test_teardown(threads_never_misread, close_table),
        cmocka_unit_test(memory_has_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
