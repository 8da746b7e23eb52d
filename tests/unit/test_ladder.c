/* SPDX-License-Identifier: MIT */
/* The ladder of kernels, on made-up results. */
#include "bench/ladder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A kernel's median speed in millions of nodes per second on each position, with the same absolute
 * deviation everywhere; 0: not measured; below 0: a wrong count. */
struct made_up {
    const char *name;
    bool is_reference;
    double speeds[3];
    double deviation;
};

enum { REPEATS = 5 };

static void add_measurement(struct pm_result_group *group, int kernel, int position,
                            const struct made_up *made_up)
{
    static const double steps[REPEATS] = {0, 1, -1, 2, -2}; /* median 0, MAD 1 */
    const double speed = made_up->speeds[position];
    const struct pm_measurement facts = {.kernel = kernel,
                                         .position = position,
                                         .depth = 4,
                                         .calls = 1,
                                         .runs = REPEATS,
                                         .nodes_expected = 1000000,
                                         .nodes_counted = speed > 0 ? 1000000 : 1};
    if (speed == 0)
        return;
    struct pm_measurement *measurement = pm_result_add_measurement(group, &facts);
    assert_non_null(measurement);
    for (int i = 0; speed > 0 && i < REPEATS; i++)
        measurement->seconds[i] = 1 / (speed + steps[i] * made_up->deviation);
}

static struct pm_result *make_result(const struct made_up kernels[], int count)
{
    struct pm_result *result = pm_result_new();
    assert_non_null(result);
    result->runs = REPEATS;
    result->kernel_count = count;
    result->position_count = 3;
    for (int i = 0; i < count; i++) {
        strcpy(result->kernels[i].name, kernels[i].name);
        result->kernels[i].is_reference = kernels[i].is_reference;
    }
    return result;
}

static struct pm_result_group *add_group(struct pm_result *result, enum pm_mode mode,
                                         const struct made_up kernels[])
{
    struct pm_result_group *group = pm_result_add_group(result, mode, 1);
    assert_non_null(group);
    for (int i = 0; i < result->kernel_count; i++)
        for (int position = 0; position < 3; position++)
            add_measurement(group, i, position, &kernels[i]);
    return group;
}

static void check(const struct pm_ranked *line, const char *name, const char *points, int won,
                  int drawn, int lost)
{
    char *exact = pm_points_exact(&line->player->points);
    assert_string_equal(line->player->name, name);
    assert_string_equal(exact, points);
    assert_int_equal(line->player->won, won);
    assert_int_equal(line->player->drawn, drawn);
    assert_int_equal(line->player->lost, lost);
    free(exact);
}

/* fast beats both on each position; near is within the two deviations of slow, but for the last.
 * By hand, from 1000 each:
 * 1: fast +10 +10, draw of equals                           1020, 990, 990
 * 2: fast +10 - 30/12.5 = 7.6 twice, draw of equals         1035.2, 982.4, 982.4
 * 3: fast +10 - 52.8/12.5 = 5.776 twice, near beats slow 10 1046.752, 986.624, 966.624 */
static const struct made_up three[] = {
    {"slow", false, {100, 50, 20}, 1},
    {"near", false, {101.5, 50, 22.5}, 1},
    {"fast", false, {200, 60, 40}, 1},
};

static void by_hand(void **state)
{
    size_t count;
    struct pm_result *result = make_result(three, 3);
    struct pm_ratings *ratings = pm_ladder_rate(result, add_group(result, PM_MODE_BULK, three));
    (void)state;
    assert_non_null(ratings);
    struct pm_ranked *lines = pm_ratings_rank(ratings, &count);
    assert_int_equal(count, 3);
    check(&lines[0], "fast", "1046.752", 6, 0, 0);
    check(&lines[1], "near", "986.624", 1, 2, 3);
    check(&lines[2], "slow", "966.624", 0, 2, 4);
    free(lines);
    pm_ratings_free(ratings);
    pm_result_free(result);
}

/* All six orders of the kernels rank alike, to the last decimal. */
static void order_plays_no_part(void **state)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (int i = 0; i < 6; i++) {
        size_t count;
        const struct made_up kernels[] = {three[orders[i][0]], three[orders[i][1]],
                                          three[orders[i][2]]};
        struct pm_result *result = make_result(kernels, 3);
        struct pm_ratings *ratings =
            pm_ladder_rate(result, add_group(result, PM_MODE_MAKE, kernels));
        struct pm_ranked *lines = pm_ratings_rank(ratings, &count);
        check(&lines[0], "fast", "1046.752", 6, 0, 0);
        check(&lines[1], "near", "986.624", 1, 2, 3);
        check(&lines[2], "slow", "966.624", 0, 2, 4);
        free(lines);
        pm_ratings_free(ratings);
        pm_result_free(result);
    }
}

/* The reference and wrong counts stay out; a kernel plays where it has a speed. */
static void who_plays(void **state)
{
    static const struct made_up kernels[] = {
        {"oracle", true, {900, 900, 900}, 1},
        {"wrong", false, {-1, 0, 0}, 1},
        {"partly", false, {0, 70, 0}, 1},
        {"whole", false, {50, 50, 50}, 1},
    };
    size_t count;
    struct pm_result *result = make_result(kernels, 4);
    struct pm_ratings *ratings = pm_ladder_rate(result, add_group(result, PM_MODE_MAKE, kernels));
    (void)state;
    struct pm_ranked *lines = pm_ratings_rank(ratings, &count);
    assert_int_equal(count, 2);
    check(&lines[0], "partly", "1010", 1, 0, 0);
    check(&lines[1], "whole", "990", 0, 0, 1);
    free(lines);
    pm_ratings_free(ratings);
    pm_result_free(result);
}

/* *text is the caller's to free. */
static void print(const struct pm_result *result, char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    assert_non_null(out);
    assert_int_equal(pm_ladder_print(out, result), PM_OK);
    fclose(out);
}

/* In the second mode the order is the other way round: a ladder of its own. */
static void modes_are_not_mixed(void **state)
{
    static const struct made_up other[] = {
        {"slow", false, {100, 100, 100}, 1},
        {"near", false, {50, 50, 50}, 1},
        {"fast", false, {0, 0, 0}, 1},
    };
    char *text;
    struct pm_result *result = make_result(three, 3);
    (void)state;
    add_group(result, PM_MODE_MAKE, three);
    add_group(result, PM_MODE_BULK, other);
    print(result, &text);
    const char *make = strstr(text, "**make, 1 thread**: ladder");
    const char *bulk = strstr(text, "**bulk, 1 thread**: ladder");
    assert_non_null(make);
    assert_non_null(bulk);
    assert_non_null(strstr(make, "|  1 | fast             |  1046.8 |     6 |     6 |     0 |"));
    assert_non_null(strstr(make, "|  3 | slow             |   966.6 |     6 |     0 |     2 |"));
    assert_non_null(strstr(bulk, "|  1 | slow "));
    assert_null(strstr(bulk, "| fast "));
    assert_non_null(strstr(bulk, "no part"));
    free(text);
    pm_result_free(result);
}

static void nobody_to_play(void **state)
{
    static const struct made_up kernels[] = {{"alone", false, {1, 2, 3}, 0},
                                             {"oracle", true, {1, 2, 3}, 0}};
    char *text;
    struct pm_result *result = make_result(kernels, 2);
    (void)state;
    add_group(result, PM_MODE_MAKE, kernels);
    print(result, &text);
    assert_non_null(strstr(text, "No ladder"));
    free(text);
    pm_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),        cmocka_unit_test(order_plays_no_part),
        cmocka_unit_test(who_plays),      cmocka_unit_test(modes_are_not_mixed),
        cmocka_unit_test(nobody_to_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
