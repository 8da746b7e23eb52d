/* SPDX-License-Identifier: MIT */
/* The breakdown of leaves by kinds of moves: every row of the two tables up to a number of nodes.
 * Usage: test_breakdown [NODES [KERNEL]]. By default the last kernel that is no reference counts
 * rows of up to 5 million nodes, and every other kernel those of up to 30,000. */
#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"
#include "perft/breakdown.h"
#include "perft/breakdown_sets.h"
#include "tests/unit/size.h"
#include "verify/generator.h"
#include "verify/ordered_mover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 11 };

struct line {
    char fen[PM_FEN_SIZE];
    int depth;
    char columns[COLUMNS][32]; /* after the depth; "-" is unknown */
};

static uint64_t most_nodes = 5000000;
static const char *only_kernel;
static unsigned checked_rows;

static bool read_line(FILE *file, struct line *line)
{
    char text[1024];
    *line = (struct line){0};
    if (fgets(text, sizeof text, file) == NULL)
        return false;
    if (text[0] == '#')
        return true;
    char *rest = text;
    char *fen = strsep(&rest, "\t\n");
    char *depth = strsep(&rest, "\t\n");
    if (depth == NULL)
        return true;
    snprintf(line->fen, sizeof line->fen, "%s", fen);
    line->depth = atoi(depth);
    for (int i = 0; i < COLUMNS && rest != NULL; i++)
        snprintf(line->columns[i], sizeof line->columns[i], "%.31s", strsep(&rest, "\t\n"));
    return true;
}

static void expect(const struct line *line, int column, const char *name, uint64_t given)
{
    const char *expected = line->columns[column];
    if (strcmp(expected, "-") != 0 && strtoull(expected, NULL, 10) != given)
        fail_msg("%s, depth %d, %s: %llu, right is %s", line->fen, line->depth, name,
                 (unsigned long long)given, expected);
}

static void expect_breakdown(const struct line *line, const struct pm_breakdown_row *row)
{
    expect(line, 0, "nodes", row->nodes);
    expect(line, 1, "captures", row->captures);
    expect(line, 2, "en passant", row->en_passant);
    expect(line, 3, "castles", row->castles);
    expect(line, 4, "promotions", row->promotions);
    expect(line, 5, "checks", pm_breakdown_checks(row));
    expect(line, 6, "discovery checks", row->checks[PM_CHECKERS_DISCOVERED]);
    expect(line, 7, "double checks", pm_breakdown_double_checks(row));
    expect(line, 8, "checkmates", pm_breakdown_mates(row));
}

static void expect_classes(const struct line *line, const struct pm_breakdown_row *row)
{
    static const char *const names[PM_CHECKERS_COUNT] = {
        "direct", "discovered", "direct and discovered", "double discovered"};
    for (int i = 0; i < PM_CHECKERS_COUNT; i++) {
        char text[64];
        snprintf(text, sizeof text, "mates, %s", names[i]);
        expect(line, i, names[i], row->checks[i]);
        expect(line, PM_CHECKERS_COUNT + i, text, row->mates[i]);
    }
    expect(line, 2 * PM_CHECKERS_COUNT, "stalemates", row->stalemates);
}

struct table {
    struct line lines[64];
    size_t count;
};

static void read_table(const char *name, struct table *table)
{
    char path[4096];
    struct line line;
    snprintf(path, sizeof path, "%s/verify/suites/%s", PM_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *table = (struct table){0};
    while (read_line(file, &line))
        if (line.depth > 0 && table->count < 64)
            table->lines[table->count++] = line;
    fclose(file);
    assert_int_equal(table->count, 55);
}

/* The rows of a position follow each other, and one count gives them all. */
static size_t check_position(const struct pm_kernel *kernel, const struct table *breakdown,
                             const struct table *classes, size_t first, uint64_t nodes)
{
    const struct pm_breakdown_config config = {.kernel = kernel, .threads = 2};
    const char *fen = breakdown->lines[first].fen;
    struct pm_breakdown counted;
    struct pm_position position;
    struct pm_error error = {0};
    size_t end = first;
    size_t next = first;
    for (; next < breakdown->count && strcmp(breakdown->lines[next].fen, fen) == 0; next++)
        if (strtoull(breakdown->lines[next].columns[0], NULL, 10) <= nodes)
            end = next + 1;
    assert_int_equal(pm_fen_read(fen, PM_FEN_LENIENT, &position, NULL, &error), PM_OK);
    const int depth = breakdown->lines[end - 1].depth;
    if (pm_breakdown_count(&config, &position, depth, &counted, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (size_t i = first; i < end; i++) {
        assert_string_equal(classes->lines[i].fen, fen);
        assert_int_equal(classes->lines[i].depth, breakdown->lines[i].depth);
        expect_breakdown(&breakdown->lines[i], &counted.rows[breakdown->lines[i].depth - 1]);
        expect_classes(&classes->lines[i], &counted.rows[breakdown->lines[i].depth - 1]);
        checked_rows++;
    }
    return next;
}

static void check_kernel(const struct pm_kernel *kernel, uint64_t nodes)
{
    static struct table breakdown;
    static struct table classes;
    read_table("breakdown.tsv", &breakdown);
    read_table("breakdown_classes.tsv", &classes);
    checked_rows = 0;
    for (size_t i = 0; i < breakdown.count;)
        i = check_position(kernel, &breakdown, &classes, i, nodes);
    print_message("%s: %u of %zu rows of both tables are right\n", kernel->name, checked_rows,
                  breakdown.count);
}

static void tables_are_right(void **state)
{
    const struct pm_kernel *last = NULL;
    (void)state;
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        const struct pm_kernel *kernel = pm_kernels[i];
        const bool chosen = only_kernel == NULL || strcmp(kernel->name, only_kernel) == 0;
        if (!chosen || pm_kernel_missing(kernel) != 0 || kernel->attacks == NULL ||
            pm_kernel_has_family(kernel))
            continue;
        assert_int_equal(kernel->init(), PM_OK);
        if ((kernel->capabilities & PM_IS_REFERENCE) == 0)
            last = kernel;
        if (only_kernel == NULL)
            check_kernel(kernel, test_size(30000, 2000));
    }
    assert_non_null(last);
    check_kernel(last, most_nodes);
}

static struct pm_breakdown_row first_ply(const char *fen)
{
    const struct pm_breakdown_config config = {.kernel = pm_kernel_find("reference"), .threads = 1};
    struct pm_breakdown counted;
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, 0, &position, NULL, NULL), PM_OK);
    assert_int_equal(pm_breakdown_count(&config, &position, 1, &counted, NULL), PM_OK);
    return counted.rows[0];
}

static void castling_checks_with_the_rook(void **state)
{
    const struct pm_breakdown_row row = first_ply("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1");
    (void)state;
    assert_int_equal(row.castles, 1);
    assert_int_equal(row.checks[PM_CHECKERS_DIRECT], 3); /* Ra8, Rd1, O-O-O */
    assert_int_equal(pm_breakdown_checks(&row), 3);
}

/* Both pawns stood before the king: the rook's and the bishop's lines open. */
static void en_passant_uncovers_two(void **state)
{
    const struct pm_breakdown_row row = first_ply("8/8/4k3/3pP3/2B5/8/8/K3R3 w - d6 0 1");
    (void)state;
    assert_int_equal(row.en_passant, 1);
    assert_int_equal(row.checks[PM_CHECKERS_DOUBLE_DISCOVERED], 1);
    assert_int_equal(pm_breakdown_double_checks(&row), 1);
}

static void stalemates_are_no_mates(void **state)
{
    const struct pm_breakdown_row row = first_ply("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
    (void)state;
    assert_int_equal(row.stalemates, 2);           /* Qf7, Qc4 */
    assert_int_equal(pm_breakdown_mates(&row), 1); /* Qf8 */
}

/* Counted from sets and leaf by leaf, at generated positions of every theme. */
static void sets_agree_with_leaves(void **state)
{
    enum { POSITIONS = 600, DEPTH = 2 };
    const struct pm_kernel *const slow = pm_kernel_find("mailbox");
    unsigned tested = 0;
    (void)state;
    assert_int_equal(slow->init(), PM_OK);
    assert_false(pm_breakdown_has_sets(slow));
    const struct pm_generator generator = {.seed = 5, .mover = pm_ordered_mover(slow)};
    for (int i = 0; pm_kernels[i] != NULL; i++) {
        const struct pm_breakdown_config by_sets = {.kernel = pm_kernels[i], .threads = 1};
        const struct pm_breakdown_config by_leaves = {.kernel = slow, .threads = 1};
        if (!pm_breakdown_has_sets(pm_kernels[i]) || pm_kernel_missing(pm_kernels[i]) != 0)
            continue;
        assert_int_equal(pm_kernels[i]->init(), PM_OK);
        for (uint64_t index = 0; index < POSITIONS; index++) {
            struct pm_generated generated;
            struct pm_breakdown got, expected;
            char fen[PM_FEN_SIZE];
            assert_int_equal(pm_generate(&generator, index, &generated), PM_OK);
            const struct pm_position *const position = &generated.position;
            assert_int_equal(pm_breakdown_count(&by_sets, position, DEPTH, &got, NULL), PM_OK);
            assert_int_equal(pm_breakdown_count(&by_leaves, position, DEPTH, &expected, NULL),
                             PM_OK);
            if (memcmp(got.rows, expected.rows, sizeof got.rows) != 0)
                fail_msg("%s: another breakdown of %s", pm_kernels[i]->name,
                         pm_fen_write(position, PM_FEN_SHREDDER, PM_FEN_EN_PASSANT_LEGAL, fen));
        }
        tested++;
    }
    if (tested == 0)
        skip();
}

static void threads_do_not_show(void **state)
{
    static const char kiwipete[] =
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    struct pm_breakdown results[2];
    struct pm_position position;
    (void)state;
    assert_int_equal(pm_fen_read(kiwipete, 0, &position, NULL, NULL), PM_OK);
    for (int i = 0; i < 2; i++) {
        const struct pm_breakdown_config config = {.kernel = pm_kernel_find("mailbox"),
                                                   .threads = 1 + 3 * i};
        assert_int_equal(config.kernel->init(), PM_OK);
        assert_int_equal(pm_breakdown_count(&config, &position, 3, &results[i], NULL), PM_OK);
    }
    assert_memory_equal(results[0].rows, results[1].rows, sizeof results[0].rows);
}

static void a_stop_is_obeyed(void **state)
{
    const atomic_bool stop = true;
    const struct pm_breakdown_config config = {
        .kernel = pm_kernel_find("reference"), .threads = 1, .stop = &stop};
    struct pm_breakdown counted;
    struct pm_position position;
    (void)state;
    assert_int_equal(pm_fen_read("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 0, &position, NULL, NULL),
                     PM_OK);
    assert_int_equal(pm_breakdown_count(&config, &position, 30, &counted, NULL),
                     PM_ERROR_INTERRUPTED);
    assert_int_equal(pm_breakdown_count(&config, &position, 33, &counted, NULL), PM_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_right),        cmocka_unit_test(castling_checks_with_the_rook),
        cmocka_unit_test(en_passant_uncovers_two), cmocka_unit_test(stalemates_are_no_mates),
        cmocka_unit_test(threads_do_not_show),     cmocka_unit_test(a_stop_is_obeyed),
        cmocka_unit_test(sets_agree_with_leaves),
    };
    most_nodes = test_size(most_nodes, 60000);
    if (argc > 1)
        most_nodes = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        only_kernel = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
