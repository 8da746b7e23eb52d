/* SPDX-License-Identifier: MIT */
/* The database of deep counts: what is recorded stays, once and unharmed, whoever kills, cuts,
 * flips or fakes. */
#include "core/fen.h"
#include "core/file.h"
#include "core/random.h"
#include "jobs/items.h"
#include "jobs/store.h"
#include "kernels/registry.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define LARGEST (~(pm_count)0)

/* A folder of its own for each test, with one database in it. */
struct place {
    char folder[256];
    char path[300];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    const char *base = getenv("TMPDIR");
    if (place == NULL)
        return -1;
    snprintf(place->folder, sizeof place->folder, "%s/plymark-test-XXXXXX",
             base != NULL ? base : P_tmpdir);
    if (mkdtemp(place->folder) == NULL)
        return -1;
    snprintf(place->path, sizeof place->path, "%s/deep.db", place->folder);
    *state = place;
    return 0;
}

static void remove_files(const struct place *place)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    char path[320];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", place->path, ends[i]);
        unlink(path);
    }
}

/* Fails if anything was left behind. */
static int remove_place(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    const int failed = rmdir(place->folder);
    free(place);
    return failed;
}

static struct pm_plan plan_of(const char *fen, int depth, enum pm_split split, int ply)
{
    struct pm_plan plan = {.depth = depth, .split = split, .ply = ply, .items = 64};
    struct pm_position position;
    assert_int_equal(pm_fen_read(fen, PM_FEN_CHESS960, &position, NULL, NULL), PM_OK);
    pm_plan_set_position(&plan, &position);
    return plan;
}

static struct pm_items *items_of(struct pm_plan *plan)
{
    struct pm_items *items = NULL;
    const struct pm_kernel *kernel = pm_kernels_reference();
    assert_int_equal(kernel->init(), PM_OK);
    assert_int_equal(pm_items_create(plan, kernel, NULL, &items, NULL), PM_OK);
    return items;
}

static void begin_run(struct pm_store *store)
{
    const struct pm_store_run run = {.kernel = "test",
                                     .revision = "",
                                     .mode = "bulk",
                                     .version = "0",
                                     .environment = "{}",
                                     .source = "",
                                     .threads = 1};
    assert_int_equal(pm_store_begin_run(store, &run, NULL), PM_OK);
}

/* A plan of 64 items; item i counts 1000 + i. */
static struct pm_store *new_unique(const struct place *place)
{
    const struct pm_plan plan = plan_of(START, 9, PM_SPLIT_UNIQUE, 0);
    struct pm_store *store = NULL;
    struct pm_error error = {0};
    assert_int_equal(pm_store_create(place->path, &plan, NULL, &store, &error), PM_OK);
    begin_run(store);
    return store;
}

static enum pm_status try_record(struct pm_store *store, uint32_t item, pm_count nodes,
                                 struct pm_error *error)
{
    const struct pm_store_count count = {
        .item = item, .nodes = nodes, .seconds = 0.5, .error_probability = -1};
    return pm_store_record(store, &count, error);
}

static void record(struct pm_store *store, uint32_t item, pm_count nodes)
{
    struct pm_error error = {0};
    if (try_record(store, item, nodes, &error) != PM_OK)
        fail_msg("%s", error.text);
}

static struct pm_store *reopen(const struct place *place, enum pm_store_access access)
{
    struct pm_store *store = NULL;
    struct pm_error error = {0};
    if (pm_store_open(place->path, access, &store, &error) != PM_OK)
        fail_msg("%s", error.text);
    return store;
}

static void assert_total(struct pm_store *store, pm_count expected)
{
    pm_count total = 0;
    struct pm_error error = {0};
    if (pm_store_total(store, &total, &error) != PM_OK)
        fail_msg("%s", error.text);
    assert_true(total == expected);
}

static void close_store(struct pm_store *store)
{
    assert_int_equal(pm_store_close(store, NULL), PM_OK);
}

/* Runs SQL on the file behind the store's back. */
static void change(const struct place *place, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(place->path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void assert_refused(const struct place *place, enum pm_status expected, const char *text)
{
    struct pm_store *store = NULL;
    struct pm_error error = {0};
    assert_int_equal(pm_store_open(place->path, PM_STORE_WRITE, &store, &error), expected);
    assert_null(store);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}

/* ---- What is recorded stays ---- */

static void items_come_back(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    pm_count nodes = 0;
    record(store, 3, LARGEST - 7);
    record(store, 63, 7);
    close_store(store);

    store = reopen(place, PM_STORE_WRITE);
    assert_int_equal(pm_store_known_count(store), 2);
    assert_true(pm_store_is_known(store, 3) && pm_store_is_known(store, 63));
    assert_false(pm_store_is_known(store, 0) || pm_store_is_known(store, 64));
    assert_int_equal(pm_store_count_of(store, 3, &nodes, NULL), PM_OK);
    assert_true(nodes == LARGEST - 7);
    assert_total(store, LARGEST);
    begin_run(store);
    record(store, 0, 1);
    assert_int_equal(pm_store_total(store, &nodes, NULL), PM_ERROR_OVERFLOW);
    close_store(store);
}

static void an_item_has_one_count(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    struct pm_error error = {0};
    record(store, 5, 100);
    assert_int_equal(try_record(store, 5, 100, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(try_record(store, 5, 101, &error), PM_ERROR_MISMATCH);
    assert_non_null(strstr(error.text, "101"));
    assert_non_null(strstr(error.text, "has 100"));
    assert_int_equal(try_record(store, 64, 1, &error), PM_ERROR_ARGUMENT);
    assert_total(store, 100);
    assert_int_equal(pm_store_forget(store, 5, &error), PM_OK);
    assert_int_equal(pm_store_forget(store, 5, &error), PM_ERROR_ARGUMENT);
    record(store, 5, 101);
    assert_total(store, 101);
    close_store(store);
}

static void a_batch_can_be_dropped(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    record(store, 1, 1);
    assert_int_equal(pm_store_begin_batch(store, NULL), PM_OK);
    begin_run(store);
    record(store, 2, 2);
    assert_total(store, 3);
    assert_int_equal(pm_store_drop_batch(store, NULL), PM_OK);
    assert_int_equal(pm_store_known_count(store), 1);
    assert_total(store, 1);
    close_store(store);
    store = reopen(place, PM_STORE_READ);
    assert_total(store, 1);
    close_store(store);
}

static void one_process_at_a_time(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    assert_refused(place, PM_ERROR_UNSUPPORTED, "in use");
    close_store(store);
    close_store(reopen(place, PM_STORE_WRITE));
}

static void audits_decide(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    struct pm_error error = {0};
    struct pm_store_audit audit = {.item = 2, .nodes = 20, .kernel = "other", .mode = "bulk"};
    uint32_t item = 0;
    bool is_audited = true;
    assert_int_equal(pm_store_add_audit(store, &audit, &error), PM_ERROR_ARGUMENT);
    record(store, 2, 21);
    assert_int_equal(pm_store_is_audited(store, 2, &is_audited, &error), PM_OK);
    assert_false(is_audited);
    assert_int_equal(pm_store_add_audit(store, &audit, &error), PM_ERROR_MISMATCH);
    close_store(store);

    store = reopen(place, PM_STORE_WRITE);
    assert_int_equal(pm_store_check_audits(store, &item, &error), PM_ERROR_MISMATCH);
    assert_int_equal(item, 2);
    assert_non_null(strstr(error.text, "21"));
    assert_non_null(strstr(error.text, "20"));
    assert_non_null(strstr(error.text, "other"));
    audit.nodes = 21; /* the audit was wrong, not the count */
    assert_int_equal(pm_store_add_audit(store, &audit, &error), PM_OK);
    assert_int_equal(pm_store_check_audits(store, &item, &error), PM_OK);
    assert_int_equal(pm_store_is_audited(store, 2, &is_audited, &error), PM_OK);
    assert_true(is_audited);
    struct pm_store_summary summary;
    assert_int_equal(pm_store_summarize(store, &summary, &error), PM_OK);
    assert_int_equal(summary.pair_count, 1);
    assert_string_equal(summary.pairs[0].auditor, "other");
    assert_int_equal(summary.pairs[0].items, 1);
    close_store(store);
}

static void summaries(void **state)
{
    const struct place *place = *state;
    static const uint64_t distinct[] = {1, 20, 400}, more[] = {1, 20, 400, 5362};
    struct pm_store_ending ending = {
        .error_probability = 1e-6, .distinct = distinct, .distinct_count = 3};
    struct pm_store_summary summary;
    struct pm_store *store = new_unique(place);
    for (uint32_t item = 0; item < 16; item++)
        record(store, item, 1);
    assert_int_equal(pm_store_summarize(store, &summary, NULL), PM_OK);
    assert_true(summary.error_probability < 0); /* not known yet */
    assert_int_equal(pm_store_end_run(store, &ending, NULL), PM_OK);
    begin_run(store); /* with the same keys */
    for (uint32_t item = 16; item < 64; item++)
        record(store, item, 1);
    ending.distinct = more;
    ending.distinct_count = 4;
    ending.error_probability = 9e-7;
    assert_int_equal(pm_store_end_run(store, &ending, NULL), PM_OK);
    assert_int_equal(pm_store_summarize(store, &summary, NULL), PM_OK);
    assert_int_equal(summary.known, 64);
    assert_int_equal(summary.runs, 2);
    assert_int_equal(summary.distinct_count, 4);
    assert_int_equal(summary.distinct[3], 5362);
    assert_string_equal(summary.kernels, "test");
    assert_true(summary.error_probability > 1.1e-6 && summary.error_probability < 1.3e-6);
    close_store(store);
}

/* ---- Positions as items ---- */

static void positions_are_kept(void **state)
{
    const struct place *place = *state;
    struct pm_plan plan = plan_of(START, 3, PM_SPLIT_POSITIONS, 3);
    struct pm_items *items = items_of(&plan);
    struct pm_store *store = NULL;
    struct pm_error error = {0};
    assert_int_equal(plan.items, 5362);
    assert_int_equal(pm_store_create(place->path, &plan, items, &store, &error), PM_OK);
    assert_int_equal(pm_store_begin_batch(store, &error), PM_OK);
    for (uint32_t item = 0; item < plan.items; item++)
        record(store, item, 1);
    assert_int_equal(pm_store_commit(store, &error), PM_OK);
    assert_total(store, 8902);
    assert_int_equal(pm_store_check_items(store, items, &error), PM_OK);
    close_store(store);
    change(place, "UPDATE position SET multiplicity = 3 WHERE item = 17");
    store = reopen(place, PM_STORE_WRITE);
    assert_int_equal(pm_store_check_items(store, items, &error), PM_ERROR_PARSE);
    pm_count total;
    assert_int_equal(pm_store_total(store, &total, &error), PM_ERROR_PARSE);
    close_store(store);
    pm_items_destroy(items);
}

static void check_paths(const char *fen, int ply, uint64_t distinct, uint64_t paths)
{
    struct pm_plan plan = plan_of(fen, ply + 1, PM_SPLIT_POSITIONS, ply);
    struct pm_items *items = items_of(&plan);
    uint64_t sum = 0;
    assert_int_equal(plan.items, distinct);
    for (uint32_t item = 0; item < plan.items; item++)
        sum += pm_items_multiplicity(items, item);
    assert_int_equal(sum, paths);
    pm_items_destroy(items);
}

static void multiplicities_add_up(void **state)
{
    (void)state;
    check_paths(START, 1, 20, 20);
    check_paths(START, 4, 72078, 197281);
    check_paths("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1, 0, 0);
    check_paths("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 2, 528, 528);
}

/* ---- Damage ---- */

struct file {
    unsigned char *bytes;
    size_t size;
};

static struct file read_file(const char *path)
{
    char *text;
    size_t size;
    assert_int_equal(pm_file_read(path, &text, &size, NULL), PM_OK);
    return (struct file){(unsigned char *)text, size};
}

/* In place: pm_file_write() would make another file of it, each time durably. */
static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* Whether the database still says that all is there and gives the total. It may say that something
 * is wrong, or that items are open; but it may not give a wrong total. */
static bool gives_total(const struct place *place, pm_count expected)
{
    struct pm_store *store = NULL;
    pm_count total = 0;
    bool is_whole = false;
    if (pm_store_open(place->path, PM_STORE_READ, &store, NULL) != PM_OK)
        return false;
    const uint32_t items = pm_store_plan(store)->items;
    if (pm_store_total(store, &total, NULL) == PM_OK && pm_store_known_count(store) == items) {
        is_whole = true;
        assert_true(total == expected);
    }
    pm_store_close(store, NULL);
    return is_whole;
}

static void fill(const struct place *place)
{
    struct pm_plan plan = plan_of(START, 3, PM_SPLIT_POSITIONS, 2);
    struct pm_items *items = items_of(&plan);
    struct pm_store *store = NULL;
    assert_int_equal(pm_store_create(place->path, &plan, items, &store, NULL), PM_OK);
    begin_run(store);
    for (uint32_t item = 0; item < plan.items; item++)
        record(store, item, 22);
    close_store(store);
    pm_items_destroy(items);
}

static void flipped_bits_give_no_wrong_total(void **state)
{
    const struct place *place = *state;
    struct pm_random random = {.state = 7};
    unsigned refused = 0;
    fill(place);
    struct file file = read_file(place->path);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned char *byte = &file.bytes[pm_random_below(&random, file.size)];
        const unsigned char before = *byte;
        *byte ^= (unsigned char)(1U << pm_random_below(&random, 8));
        write_file(place->path, file.bytes, file.size);
        refused += !gives_total(place, 8800);
        remove_files(place);
        *byte = before;
    }
    assert_in_range(refused, 1000, 1999); /* the rest are bytes that nobody reads */
    write_file(place->path, file.bytes, file.size);
    assert_true(gives_total(place, 8800));
    free(file.bytes);
}

static void cut_files_are_refused(void **state)
{
    const struct place *place = *state;
    fill(place);
    struct file file = read_file(place->path);
    for (size_t size = file.size - 1; size > 4096; size -= 1021) {
        write_file(place->path, file.bytes, size);
        assert_false(gives_total(place, 8800));
        assert_true(pm_store_exists(place->path));
        remove_files(place);
    }
    free(file.bytes);
}

static void a_changed_count_is_damage(void **state)
{
    const struct place *place = *state;
    struct pm_store *store = new_unique(place);
    record(store, 9, 1234);
    close_store(store);
    change(place, "UPDATE result SET nodes = '1235'");
    assert_refused(place, PM_ERROR_PARSE, "item 9: \"1235\" does not fit its checksum");
}

static void foreign_files_are_refused(void **state)
{
    const struct place *place = *state;
    static const unsigned char text[] = "Perft results, by hand: 20, 400, 8902. Not a database.\n";
    write_file(place->path, text, sizeof text - 1);
    assert_true(pm_store_exists(place->path));
    assert_refused(place, PM_ERROR_PARSE, "no database of a deep count");
    unlink(place->path);
    change(place, "CREATE TABLE recipes (name TEXT)");
    assert_true(pm_store_exists(place->path));
    assert_refused(place, PM_ERROR_PARSE, "no database of a deep count");
    unlink(place->path);
    close_store(new_unique(place));
    change(place, "PRAGMA user_version = 2");
    assert_refused(place, PM_ERROR_PARSE, "schema 2, this program knows 1");
}

static void what_is_there_is_not_made_anew(void **state)
{
    const struct place *place = *state;
    const struct pm_plan plan = plan_of(START, 9, PM_SPLIT_UNIQUE, 0);
    struct pm_store *store = NULL;
    close_store(new_unique(place));
    assert_int_equal(pm_store_create(place->path, &plan, NULL, &store, NULL), PM_ERROR_ARGUMENT);
    close_store(reopen(place, PM_STORE_READ));
    write_file(place->path, (const unsigned char *)"", 0);
    assert_false(pm_store_exists(place->path));
    close_store(new_unique(place));
}

/* ---- Kills ---- */

static void record_open(struct pm_store *store, useconds_t microseconds)
{
    begin_run(store);
    for (uint32_t item = 0; item < 64; item++)
        if (!pm_store_is_known(store, item)) {
            record(store, item, 1000 + item);
            usleep(microseconds);
        }
}

/* A process that records what is open and is killed at some moment. Each finished item had been
 * known to its end, and none is lost once seen. */
static void killed_at_any_moment(void **state)
{
    const struct place *place = *state;
    struct pm_random random = {.state = 1};
    uint32_t known = 0;
    close_store(new_unique(place));
    for (int i = 0; i < 40 && known < 64; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            record_open(reopen(place, PM_STORE_WRITE), 30000);
            _exit(0);
        }
        usleep(pm_random_below(&random, 400000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct pm_store *store = reopen(place, PM_STORE_READ);
        assert_true(pm_store_known_count(store) >= known);
        known = pm_store_known_count(store);
        close_store(store);
    }
    assert_true(known > 0);
    struct pm_store *store = reopen(place, PM_STORE_WRITE);
    record_open(store, 0);
    assert_total(store, 64 * 1000 + 63 * 32);
    close_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(items_come_back, make_place, remove_place),
        cmocka_unit_test_setup_teardown(an_item_has_one_count, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_batch_can_be_dropped, make_place, remove_place),
        cmocka_unit_test_setup_teardown(one_process_at_a_time, make_place, remove_place),
        cmocka_unit_test_setup_teardown(audits_decide, make_place, remove_place),
        cmocka_unit_test_setup_teardown(summaries, make_place, remove_place),
        cmocka_unit_test_setup_teardown(positions_are_kept, make_place, remove_place),
        cmocka_unit_test(multiplicities_add_up),
        cmocka_unit_test_setup_teardown(flipped_bits_give_no_wrong_total, make_place, remove_place),
        cmocka_unit_test_setup_teardown(cut_files_are_refused, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_changed_count_is_damage, make_place, remove_place),
        cmocka_unit_test_setup_teardown(foreign_files_are_refused, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_is_there_is_not_made_anew, make_place, remove_place),
        cmocka_unit_test_setup_teardown(killed_at_any_moment, make_place, remove_place),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
