/* SPDX-License-Identifier: MIT */
/* Subjects: divides of kernels, plug-ins, engines and scripts, and every way in which they fail.
 * The test is its own sandbox: called as `test_subject uci -k WORD --mode MODE` it is the child. */
#include "core/clock.h"
#include "core/fen.h"
#include "core/move.h"
#include "engines/divide.h"
#include "engines/guest.h"
#include "engines/subject.h"
#include "engines/uci_serve.h"
#include "kernels/registry.h"
#include "verify/outside.h"

#include <setjmp.h>
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
#define KIWIPETE "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#define PROMOTIONS "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
#define MATED "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"

static struct pm_divide divide;
static enum pm_subject_failure failure;
static struct pm_error error;

static struct pm_subject *open_limited(const char *word, double time_limit)
{
    const struct pm_subject_options options = {.time_limit = time_limit, .mode = PM_MODE_BULK};
    struct pm_subject *subject = NULL;
    error = (struct pm_error){0};
    if (pm_subject_open(word, &options, &subject, &error) != PM_OK)
        fail_msg("%s: %s", word, error.text);
    return subject;
}

/* Divides at a FEN after some moves, written as UCI text. */
static enum pm_status ask(struct pm_subject *subject, const char *fen, const char *moves, int depth,
                          bool chess960)
{
    const struct pm_kernel *reference = pm_kernel_find("reference");
    struct pm_position position;
    struct pm_move played[16];
    static struct pm_move legal[PM_MAX_MOVES];
    struct pm_line line = {.position = &position, .chess960 = chess960, .moves = played};
    char *copy = strdup(moves);
    char *rest = copy;
    void *state = malloc(reference->state_size);
    assert_int_equal(
        pm_fen_read(fen, PM_FEN_LENIENT | (chess960 ? PM_FEN_CHESS960 : 0U), &position, NULL, NULL),
        PM_OK);
    assert_int_equal(reference->set_position(state, &position), PM_OK);
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " ")) {
        unsigned count = 0;
        if (*word == '\0')
            continue;
        assert_int_equal(reference->legal_moves(state, legal, &count), PM_OK);
        const int index = pm_move_find(legal, count, word);
        assert_true(index >= 0);
        played[line.move_count++] = legal[index];
        assert_int_equal(reference->play(state, &legal[index]), PM_OK);
    }
    free(state);
    free(copy);
    memset(&divide, 0, sizeof divide);
    failure = PM_SUBJECT_FAILURE_COUNT;
    error = (struct pm_error){0};
    return subject->divide(subject, &line, depth, &divide, &failure, &error);
}

static void expect(struct pm_subject *subject, const char *fen, const char *moves, int depth,
                   bool chess960, unsigned move_count, uint64_t total)
{
    if (ask(subject, fen, moves, depth, chess960) != PM_OK)
        fail_msg("%s, %s: %s", subject->name, fen, error.text);
    assert_int_equal(failure, PM_SUBJECT_FINE);
    assert_int_equal(divide.count, move_count);
    assert_true(divide.total == total);
}

static uint64_t part(const char *move)
{
    for (unsigned i = 0; i < divide.count; i++)
        if (strcmp(divide.entries[i].text, move) == 0)
            return (uint64_t)divide.entries[i].nodes;
    fail_msg("no part %s", move);
    return 0;
}

/* ---- Text ---- */

static void reads_parts_and_totals(void **state)
{
    static const struct {
        const char *line;
        const char *move; /* of a part, NULL if it is none */
        uint64_t number;
        enum pm_divide_line kind;
    } cases[] = {
        {"e2e4: 20", "e2e4", 20, PM_DIVIDE_PART},
        {"e2e4 20", "e2e4", 20, PM_DIVIDE_PART},
        {" e2e4:20\r", "e2e4", 20, PM_DIVIDE_PART},
        {"e7e8Q: 3", "e7e8q", 3, PM_DIVIDE_PART},
        {"E7E8N\t3", "e7e8n", 3, PM_DIVIDE_PART},
        {"e7e8=r - 3", "e7e8r", 3, PM_DIVIDE_PART},
        {"1. a2a3 -> 1,234 (5.0 %)", "a2a3", 1234, PM_DIVIDE_PART},
        {"[12] a2a3 1_234_567", "a2a3", 1234567, PM_DIVIDE_PART},
        {"Nodes searched: 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"\tNodes searched  :  4,865,609", NULL, 4865609, PM_DIVIDE_TOTAL},
        {"Nodes: 20 nps 20000", NULL, 20, PM_DIVIDE_TOTAL},
        {"depth 2 nodes 400 time 1", NULL, 400, PM_DIVIDE_TOTAL},
        {"Total: 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"Total nodes = 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"total number of nodes 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"Nodes searched: 400 in 5ms (80000 nps)", NULL, 400, PM_DIVIDE_TOTAL},
        {"perft(2) = 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"Perft 2: 400", NULL, 400, PM_DIVIDE_TOTAL},
        {"400", NULL, 400, PM_DIVIDE_TOTAL},
        {"", NULL, 0, PM_DIVIDE_OTHER},
        {"e2e4", NULL, 0, PM_DIVIDE_OTHER},
        {"info nodes 400", NULL, 0, PM_DIVIDE_OTHER},
        {"bestmove e2e4", NULL, 0, PM_DIVIDE_OTHER},
        {"Nodes/second: 400", NULL, 0, PM_DIVIDE_OTHER},
        {"nodes per second 400", NULL, 0, PM_DIVIDE_OTHER},
        {"Total time (ms) : 400", NULL, 0, PM_DIVIDE_OTHER},
        {"Total moves: 20", NULL, 0, PM_DIVIDE_OTHER},
        {"Running perft to depth 5", NULL, 0, PM_DIVIDE_OTHER},
        {"8 | r n b q k b n r |", NULL, 0, PM_DIVIDE_OTHER},
        {"NPS: 400", NULL, 0, PM_DIVIDE_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_divide_reader reader;
        enum pm_divide_line kind;
        pm_divide_read_begin(&reader, &divide);
        assert_int_equal(
            pm_divide_read_line(&reader, cases[i].line, strlen(cases[i].line), &kind, NULL), PM_OK);
        if (kind != cases[i].kind)
            fail_msg("\"%s\" is read as %d", cases[i].line, kind);
        assert_int_equal(divide.count, kind == PM_DIVIDE_PART ? 1 : 0);
        if (kind == PM_DIVIDE_PART)
            assert_string_equal(divide.entries[0].text, cases[i].move);
        const pm_count number = kind == PM_DIVIDE_PART ? divide.entries[0].nodes : divide.total;
        assert_true(number == cases[i].number);
    }
}

static enum pm_status read_text(const char *text)
{
    error = (struct pm_error){0};
    return pm_divide_read_text(text, strlen(text), &divide, &error);
}

static void judges_whole_texts(void **state)
{
    (void)state;
    assert_int_equal(read_text("b2b3: 1\na2a3: 2\n\nNodes searched: 3\n"), PM_OK);
    assert_string_equal(divide.entries[0].text, "a2a3");
    assert_int_equal(read_text("a2a3 2\nb2b3 1"), PM_OK);
    assert_true(divide.total == 3);
    assert_int_equal(read_text("\n0\n"), PM_OK);
    assert_int_equal(read_text("a2a3 2\n\n3\n"), PM_ERROR_MISMATCH);
    assert_string_equal(error.text, "its 1 parts add up to 2, its total is 3");
    assert_int_equal(read_text("hello\n"), PM_ERROR_PARSE);
    assert_int_equal(read_text(""), PM_ERROR_PARSE);
    assert_int_equal(read_text("a2a3 340282366920938463463374607431768211456\n"), PM_ERROR_PARSE);
    assert_int_equal(read_text("a2a3 340282366920938463463374607431768211455\nb2b3 1\n"),
                     PM_ERROR_OVERFLOW);
}

static void limits_the_moves(void **state)
{
    char *text = calloc(PM_MAX_MOVES + 1, 8);
    (void)state;
    for (int i = 0; i <= PM_MAX_MOVES; i++)
        snprintf(text + (size_t)i * 7, 8, "%c%c%c%c 1\n", 'a' + i / 64 % 8, '1' + i / 512,
                 'a' + i % 8, '1' + i / 8 % 8);
    assert_int_equal(read_text(text), PM_ERROR_PARSE);
    text[PM_MAX_MOVES * 7] = '\0';
    assert_int_equal(read_text(text), PM_OK);
    free(text);
}

/* ---- Kernels ---- */

static void kernels_divide(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) != 0)
            continue;
        struct pm_subject *subject = open_limited((*kernel)->name, 0);
        assert_ptr_equal(subject->kernel, *kernel);
        assert_false(subject->external);
        expect(subject, KIWIPETE, "", 3, false, 48, 97862);
        assert_int_equal(part("e1g1"), 2059);
        expect(subject, KIWIPETE, "e1g1 h3g2", 1, false, 48, 48);
        expect(subject, KIWIPETE, "", 1, true, 48, 48);
        assert_int_equal(part("e1h1"), 1);
        expect(subject, MATED, "", 4, false, 0, 0);
        /* one legal move a ply, deeper than a kernel call goes */
        expect(subject, "2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1", "", 20, false, 1, 1);
        pm_subject_close(subject);
    }
}

static void words_that_name_nothing(void **state)
{
    static const struct {
        const char *word;
        const char *text;
    } cases[] = {
        {"nobody", "no kernel is named \"nobody\"; `plymark list` shows them"},
        {"uci:", "the name of a program is missing"},
        {"uci:./nowhere", "can't run \"./nowhere\": No such file or directory"},
        {"cmd:no-such-program-at-all 1",
         "can't run \"no-such-program-at-all\": No such file or directory"},
        {"uci:a 'b", "can't split \"a 'b\" into words"},
        {"uci:$(id)", "can't split \"$(id)\" into words"},
        {"cmd:/", "can't run \"/\": No such file or directory"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_subject *subject = NULL;
        assert_int_equal(pm_subject_open(cases[i].word, NULL, &subject, &error), PM_ERROR_ARGUMENT);
        assert_string_equal(error.text, cases[i].text);
        assert_null(subject);
    }
}

/* ---- Plug-ins ---- */

static void the_example_plugin_divides(void **state)
{
    struct pm_subject *subject = open_limited("so:" PM_EXAMPLE_PLUGIN, 0);
    (void)state;
    assert_string_equal(subject->kernel->name, "so:" PM_EXAMPLE_PLUGIN);
    assert_true(subject->external);
    assert_false(subject->chess960);
    expect(subject, KIWIPETE, "", 3, false, 48, 97862);
    assert_int_equal(ask(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "", 1, true),
                     PM_ERROR_UNSUPPORTED);
    assert_int_equal(failure, PM_SUBJECT_REFUSED);
    pm_subject_close(subject);
}

static void broken_plugins_are_refused(void **state)
{
    static const struct {
        const char *how;
        const char *text;
    } cases[] = {
        {"none", "pm_plugin_kernel() gives no kernel"},
        {"abi", "its ABI is 77 with a struct of"},
        {"size", "with a struct of 8 bytes, here it is"},
        {"name", "its name is not of a-z, 0-9 and _"},
        {"family", "its family is not of a-z, 0-9 and _"},
        {"lineage", "its lineage is not of a-z, 0-9 and _"},
        {"function", "a function is missing"},
        {"align", "alignment is not a power of two"},
        {"cpu", "can't run here: the CPU lacks"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pm_subject *subject = NULL;
        setenv("PLYMARK_BROKEN_PLUGIN", cases[i].how, 1);
        assert_int_equal(pm_subject_open("so:" PM_BROKEN_PLUGIN, NULL, &subject, &error),
                         PM_ERROR_UNSUPPORTED);
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("%s: %s", cases[i].how, error.text);
    }
    struct pm_subject *subject = NULL;
    assert_int_equal(pm_subject_open("so:nowhere.so", NULL, &subject, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_subject_open("so:" PM_TEST_ENGINE, NULL, &subject, &error),
                     PM_ERROR_ARGUMENT);
}

/* ---- Engines ---- */

static void right_engines(void **state)
{
    static const char *const modes[] = {"right", "slow", "no-total", "upper-case"};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char word[512];
        snprintf(word, sizeof word, "uci:'%s' %s", PM_TEST_ENGINE, modes[i]);
        struct pm_subject *subject = open_limited(word, 5);
        assert_true(subject->external);
        assert_null(subject->kernel);
        expect(subject, START, "", 2, false, 20, 400);
        expect(subject, PROMOTIONS, "", 3, false, 6, 9467);
        expect(subject, PROMOTIONS, "c4c5", 2, false, 43, 1409);
        expect(subject, KIWIPETE, "", 1, false, 48, 48);
        assert_int_equal(part("e1c1"), 1);
        expect(subject, KIWIPETE, "", 1, true, 48, 48);
        assert_int_equal(part("e1a1"), 1);
        expect(subject, MATED, "", 2, false, 0, 0);
        expect(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "", 1, true, 16, 16);
        pm_subject_close(subject);
    }
}

static void bad_engines(void **state)
{
    static const struct {
        const char *mode;
        enum pm_subject_failure failure;
        const char *text;
        bool waits; /* for the time limit */
    } cases[] = {
        {"hang-uci", PM_SUBJECT_HUNG, "no answer within 0.4 s at \"uci\"", true},
        {"hang-go", PM_SUBJECT_HUNG, "no answer within 0.4 s at \"go perft 1 of the start", true},
        {"silent", PM_SUBJECT_HUNG, "no answer within 0.4 s at \"go perft 1 of the start", true},
        {"crash-go", PM_SUBJECT_CRASHED,
         "ended by signal 11 (Segmentation fault) at \"go perft 3\"; it said \"about to crash\"",
         false},
        {"exit-position", PM_SUBJECT_CRASHED, "exited with status 3 at \"position\"", false},
        {"flood", PM_SUBJECT_GARBAGE, "too much output and no answer at \"go perft 1 of the start",
         false},
        {"long-line", PM_SUBJECT_GARBAGE, "too much output and no answer", false},
        {"binary", PM_SUBJECT_GARBAGE, "binary output at \"go perft 1 of the start", false},
        {"search", PM_SUBJECT_GARBAGE, "it searched instead of counting", false},
        {"total-only", PM_SUBJECT_WRONG, "it counts 20 here and 960 after the 48 legal moves",
         false},
        {"lie-total", PM_SUBJECT_LIED, "its total is 12,345", false},
        {"lie-part", PM_SUBJECT_LIED,
         "its 20 parts add up to 26, its total is 20 at \"go perft 1 of the start position\"",
         false},
        {"keep", PM_SUBJECT_LIED, "it kept another position", false},
        {"refuse-well", PM_SUBJECT_REFUSED, "it answers \"info string refused: not today\"", false},
        {"refuse", PM_SUBJECT_GARBAGE, "it answers \"info string Invalid FEN, sorry\"", false},
        {"refuse-silent", PM_SUBJECT_GARBAGE, "it answers \"info string Invalid FEN", true},
        {"no-moves", PM_SUBJECT_LIED, "it did not play the moves", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char word[512];
        snprintf(word, sizeof word, "uci:%s %s", PM_TEST_ENGINE, cases[i].mode);
        struct pm_subject *subject = open_limited(word, 0.4);
        for (int again = 0; again < 2; again++) { /* it can be asked again */
            const uint64_t start = pm_clock_ns();
            const enum pm_status status = ask(subject, KIWIPETE, "e1g1 h3g2", 3, false);
            const double seconds = pm_clock_seconds_since(start);
            assert_int_not_equal(status, PM_OK);
            if (failure != cases[i].failure || strstr(error.text, cases[i].text) == NULL)
                fail_msg("%s: %s", cases[i].mode, error.text);
            assert_true(seconds >= (cases[i].waits ? 0.4 : 0) && seconds < 2);
        }
        pm_subject_close(subject);
    }
}

/* After a refused question, and after a crash, the next one gets its own answer. */
static void engines_recover(void **state)
{
    struct pm_subject *subject = open_limited("uci:" PM_TEST_ENGINE " crash-go", 5);
    (void)state;
    assert_int_equal(ask(subject, KIWIPETE, "", 2, false), PM_ERROR_IO);
    assert_int_equal(failure, PM_SUBJECT_CRASHED);
    expect(subject, KIWIPETE, "", 1, false, 48, 48);
    pm_subject_close(subject);

    subject = open_limited("uci:" PM_TEST_ENGINE " no-chess960", 5);
    assert_int_equal(ask(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "", 1, true),
                     PM_ERROR_UNSUPPORTED);
    assert_int_equal(failure, PM_SUBJECT_REFUSED);
    assert_string_equal(error.text, "it has no option UCI_Chess960");
    expect(subject, KIWIPETE, "", 1, true, 48, 48);
    assert_int_equal(part("e1h1"), 1);
    pm_subject_close(subject);
}

/* Moves of the position before: told from wrong moves that happen to be the same. */
static void kept_positions_are_found(void **state)
{
    (void)state;
    struct pm_subject *subject = open_limited("uci:" PM_TEST_ENGINE " keep-some", 5);
    expect(subject, PROMOTIONS, "", 2, false, 6, 264);
    assert_int_equal(ask(subject, KIWIPETE, "", 1, false), PM_ERROR_MISMATCH);
    assert_int_equal(failure, PM_SUBJECT_LIED);
    assert_string_equal(error.text, "it kept another position, the one before");
    pm_subject_close(subject);

    subject = open_limited("uci:" PM_TEST_ENGINE " no-rights", 5);
    expect(subject, "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "", 1, false, 24, 24);
    expect(subject, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "", 1, false, 24, 24);
    pm_subject_close(subject);
}

/* No child and no open file is left behind. */
static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    for (int fd = 3; fd < 64; fd++) {
        char path[512] = "";
        char link[32];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, path, sizeof path - 1) > 0)
            assert_null(strstr(path, "pipe:"));
    }
}

/* The user does not wait for the time limit. */
static void waiting_can_be_stopped(void **state)
{
    static const char *const words[] = {"uci:" PM_TEST_ENGINE " hang-go",
                                        "cmd:" PM_TEST_ENGINE " script-hang"};
    const atomic_bool stop = true;
    const struct pm_subject_options options = {.time_limit = 60, .stop = &stop};
    const uint64_t start = pm_clock_ns();
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pm_subject *subject = NULL;
        assert_int_equal(pm_subject_open(words[i], &options, &subject, &error), PM_OK);
        assert_int_equal(ask(subject, START, "", 2, false), PM_ERROR_INTERRUPTED);
        assert_int_equal(failure, PM_SUBJECT_FINE);
        pm_subject_close(subject);
    }
    assert_true(pm_clock_seconds_since(start) < 2);
}

/* ---- Suites ---- */

static const char usual_suite[] =
    START " ;D1 20 ;D2 400 ;D3 8902 ;D4 197281\n" KIWIPETE " ;D1 48 ;D2 2038\n" PROMOTIONS
          " ;D1 6 ;D2 264 ;D3 9467\n1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1 ;D1 16\n";

static void check_suite(const char *text, const char *word, int threads,
                        struct pm_verify_case *result)
{
    const struct pm_subject_options options = {.time_limit = 0.2};
    const struct pm_verify_config config = {.threads = threads};
    struct pm_outside *outside = NULL;
    struct pm_suite suite;
    *result = (struct pm_verify_case){.limit = 10000};
    assert_int_equal(pm_suite_read_text("test", text, strlen(text), &suite, &error), PM_OK);
    assert_int_equal(pm_outside_open(word, &options, threads, &outside, &error), PM_OK);
    assert_string_equal(pm_outside_name(outside), word);
    assert_int_equal(pm_verify_outside(outside, &suite, &config, result), PM_OK);
    pm_outside_close(outside);
    pm_suite_free(&suite);
}

static void suites_go_through_programs(void **state)
{
    struct pm_verify_case result;
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        check_suite(usual_suite, "uci:" PM_TEST_ENGINE " right", threads, &result);
        assert_int_equal(result.rows_total, 10);
        assert_int_equal(result.rows, 9);
        assert_int_equal(result.rows_over_limit, 1);
        assert_int_equal(result.positions, 4);
        assert_int_equal(result.wrong, 1);
        assert_string_equal(result.failures[0].text,
                            "depth 2: 2,039 nodes, right is 2,038 (1 too many)");
        pm_verify_case_free(&result);
    }
    check_suite(usual_suite, "uci:" PM_TEST_ENGINE " no-chess960", 1, &result);
    assert_int_equal(result.rows, 8);
    assert_int_equal(result.rows_unsupported, 1);
    pm_verify_case_free(&result);

    check_suite(usual_suite, "uci:" PM_TEST_ENGINE " lie-part", 2, &result);
    assert_int_equal(result.rows, 9);
    assert_int_equal(result.wrong, 9);
    assert_non_null(strstr(result.failures[0].text, "depth 1: lied: its 20 parts add up to 26"));
    pm_verify_case_free(&result);
}

static void patience_has_an_end(void **state)
{
    struct pm_verify_case result;
    (void)state;
    check_suite(MATED " ;D1 0\n" MATED " ;D1 0\n" MATED " ;D1 0 ;D2 0\n" MATED " ;D1 0\n",
                "uci:" PM_TEST_ENGINE " hang-go", 1, &result);
    assert_int_equal(result.rows, PM_OUTSIDE_TIME_OUTS);
    assert_int_equal(result.wrong, PM_OUTSIDE_TIME_OUTS);
    assert_int_equal(result.rows_stopped, 5 - PM_OUTSIDE_TIME_OUTS);
    assert_non_null(strstr(result.failures[0].text, "depth 1: hung: no answer within 0.2 s"));
    assert_null(strstr(result.failures[0].text, "asked no more"));
    assert_non_null(strstr(result.failures[1].text, "second time in a row: it is asked no more"));
    pm_verify_case_free(&result);

    check_suite(MATED " ;D1 0\n" MATED " ;D1 0\n" MATED " ;D1 0\n" MATED " ;D1 0\n" MATED
                      " ;D1 0 ;D2 0\n" MATED " ;D1 0\n" MATED " ;D1 0 ;D2 0\n",
                "cmd:" PM_TEST_ENGINE " script-exit", 1, &result);
    assert_int_equal(result.rows, PM_OUTSIDE_PATIENCE);
    assert_int_equal(result.wrong, PM_OUTSIDE_PATIENCE);
    assert_int_equal(result.rows_stopped, 9 - PM_OUTSIDE_PATIENCE);
    pm_verify_case_free(&result);

    /* it answers at depth 1, and so the others are asked too */
    check_suite(usual_suite, "uci:" PM_TEST_ENGINE " crash-go", 1, &result);
    assert_int_equal(result.rows, 4 + 3);
    assert_int_equal(result.wrong, 3);
    assert_int_equal(result.rows_stopped, 2);
    assert_non_null(strstr(result.failures[2].text, "depth 2: crashed: ended by signal 11"));
    pm_verify_case_free(&result);
}

/* ---- Scripts ---- */

static void scripts(void **state)
{
    static const struct {
        const char *mode;
        enum pm_subject_failure failure;
        const char *text;
    } cases[] = {
        {"script-hang", PM_SUBJECT_HUNG, "no end of its output within 0.4 s"},
        {"script-crash", PM_SUBJECT_CRASHED, "signal 11 (Segmentation fault); it said \"about"},
        {"script-exit", PM_SUBJECT_CRASHED, "exited with status 4"},
        {"script-flood", PM_SUBJECT_GARBAGE, "too much output"},
        {"script-silent", PM_SUBJECT_GARBAGE, "no divide"},
        {"script-lie", PM_SUBJECT_LIED, "its total is 3"},
    };
    (void)state;
    struct pm_subject *subject = open_limited("cmd:" PM_TEST_ENGINE " script-right", 5);
    expect(subject, START, "e2e4 e7e5", 2, false, 29, 835);
    expect(subject, KIWIPETE, "", 2, true, 48, 2039);
    assert_int_equal(part("e1h1"), 43);
    expect(subject, MATED, "", 2, false, 0, 0);
    pm_subject_close(subject);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char word[512];
        snprintf(word, sizeof word, "cmd:%s %s", PM_TEST_ENGINE, cases[i].mode);
        subject = open_limited(word, 0.4);
        assert_int_not_equal(ask(subject, KIWIPETE, "", 2, false), PM_OK);
        if (failure != cases[i].failure || strstr(error.text, cases[i].text) == NULL)
            fail_msg("%s: %s", cases[i].mode, error.text);
        pm_subject_close(subject);
    }
}

/* ---- Sandbox ---- */

static void kernels_in_a_sandbox(void **state)
{
    const struct pm_subject_options options = {
        .time_limit = 5, .sandbox = "/proc/self/exe", .mode = PM_MODE_BULK};
    struct pm_subject *subject = NULL;
    (void)state;
    assert_int_equal(pm_subject_open("reference", &options, &subject, &error), PM_OK);
    assert_null(subject->kernel);
    assert_false(subject->external);
    expect(subject, KIWIPETE, "e1c1", 2, false, 43, 1887);
    expect(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "", 1, true, 16, 16);
    pm_subject_close(subject);

    setenv("PLYMARK_BROKEN_PLUGIN", "illegal", 1);
    assert_int_equal(pm_subject_open("so:" PM_BROKEN_PLUGIN, &options, &subject, &error), PM_OK);
    assert_true(subject->external);
    assert_int_equal(ask(subject, KIWIPETE, "", 3, false), PM_ERROR_IO);
    assert_int_equal(failure, PM_SUBJECT_CRASHED);
    assert_string_equal(error.text,
                        "so:" PM_BROKEN_PLUGIN " at its own move e2e4: its process crashed; first "
                        "seen: ended by signal 4 (Illegal instruction) at perft()");
    pm_subject_close(subject);

    assert_int_equal(pm_subject_open("so:" PM_EXAMPLE_PLUGIN, &options, &subject, &error), PM_OK);
    expect(subject, KIWIPETE, "", 3, false, 48, 97862);
    assert_int_equal(ask(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "", 1, true),
                     PM_ERROR_UNSUPPORTED);
    assert_int_equal(failure, PM_SUBJECT_REFUSED);
    pm_subject_close(subject);
    assert_int_equal(pm_subject_open("nobody", &options, &subject, &error), PM_ERROR_ARGUMENT);
}

/* An engine that names no moves: its counts are enough, and its divide is of its children. */
static void totals_are_enough(void **state)
{
    static const char *const words[] = {"uci:" PM_TEST_ENGINE " only-totals",
                                        "uci:" PM_TEST_ENGINE " no-newline",
                                        "cmd:" PM_TEST_ENGINE " script-total"};
    struct pm_verify_case result;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct pm_subject *subject = open_limited(words[i], 10);
        expect(subject, KIWIPETE, "", 2, false, 48, 2039);
        assert_int_equal(part("e1g1"), 43);
        expect(subject, KIWIPETE, "e1g1", 1, false, 43, 43);
        expect(subject, MATED, "", 2, false, 0, 0);
        pm_subject_close(subject);
        check_suite(PROMOTIONS " ;D1 6 ;D2 264 ;D3 9467\n", words[i], 1, &result);
        assert_int_equal(result.rows, 3);
        assert_int_equal(result.wrong, 0);
        pm_verify_case_free(&result);
    }
    struct pm_subject *subject = open_limited("cmd:" PM_TEST_ENGINE " script-refuse", 5);
    assert_int_equal(ask(subject, KIWIPETE, "", 1, false), PM_ERROR_UNSUPPORTED);
    assert_int_equal(failure, PM_SUBJECT_REFUSED);
    pm_subject_close(subject);
}

static void standard_chess_alone(void **state)
{
    static const char *const words[] = {"uci:" PM_TEST_ENGINE " right",
                                        "cmd:" PM_TEST_ENGINE " script-right"};
    const struct pm_subject_options options = {.no_chess960 = true};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pm_subject *subject = NULL;
        assert_int_equal(pm_subject_open(words[i], &options, &subject, &error), PM_OK);
        assert_int_equal(ask(subject, "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "", 1, true),
                         PM_ERROR_UNSUPPORTED);
        assert_int_equal(failure, PM_SUBJECT_REFUSED);
        assert_string_equal(error.text, "it is not asked about Chess960");
        expect(subject, KIWIPETE, "", 1, true, 48, 48);
        pm_subject_close(subject);
    }
}

static int be_the_child(const char *word)
{
    struct pm_subject *subject = NULL;
    struct pm_uci_server *server = NULL;
    if (pm_subject_open(word, NULL, &subject, &error) != PM_OK ||
        pm_uci_server_open(subject->kernel, PM_MODE_BULK, 8, &server) != PM_OK)
        return 3;
    const enum pm_status status = pm_uci_serve(server, stdin, stdout);
    pm_uci_server_close(server);
    pm_subject_close(subject);
    return status == PM_OK ? 0 : 3;
}

/* ---- Our own engine ---- */

static void serves_uci(void **state)
{
    static const struct {
        const char *line;
        const char *answer; /* in full, or its beginning if it ends with "..." */
    } cases[] = {
        {"go perft 1\n", "info string error: there is no position\n"},
        {"uci\n", "id name Plymark reference\n..."},
        {"isready\r\n", "readyok\n"},
        {"  \t \n", ""},
        {"ucinewgame\n", ""},
        {"position startpos moves e2e4 e7e5 e1e2\n", ""},
        {"go perft 0\n", "info string error: the depth is \"0\": 1 to 4 is needed\n"},
        {"go perft 5\n", "info string error: the depth is \"5\"..."},
        {"go perft 1x\n", "info string error: the depth is \"1x\"..."},
        {"go perft 99999999999999999999\n", "info string error: the depth is..."},
        {"go perft\n", "info string error: the depth is \"\"..."},
        {"go depth 3\n", "info string error: only go perft N is known\n"},
        {"go perft 1\n", "a7a5: 1\n..."},
        {"position fen 8/8/8/8/8/8/8/8 w - - 0 1\n", "info string error: ..."},
        {"go perft 1\n", "info string error: there is no position\n"},
        {"position startpos moves e2e5\n", "info string error: illegal move \"e2e5\"\n"},
        {"position\n", "info string error: position needs startpos or fen\n"},
        {"position fen 1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1\n", "info string error: ..."},
        {"setoption name UCI_Chess960 value maybe\n", "info string error: UCI_Chess960 is..."},
        {"setoption name Hash value 1\n", "info string error: no option \"Hash\"\n"},
        {"setoption\n", "info string error: no option..."},
        {"setoption name UCI_Chess960 value true\n", ""},
        {"position fen 1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1 moves e1b1\n", ""},
        {"position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1\n", ""},
        {"go perft 1", "e1d1: 1\ne1d2: 1\ne1e2: 1\ne1f1: 1\ne1f2: 1\ne1h1: 1\nh1f1: 1\n..."},
        {"\x01\xFF\n", "info string error: unknown command \"\\x01\\xFF\"\n"},
    };
    const struct pm_kernel *kernel = pm_kernel_find("reference");
    struct pm_uci_server *server = NULL;
    (void)state;
    assert_int_equal(pm_uci_server_open(kernel, PM_MODE_MAKE, 4, &server), PM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        const char *dots = strstr(cases[i].answer, "...");
        const size_t length =
            dots != NULL ? (size_t)(dots - cases[i].answer) : strlen(cases[i].answer) + 1;
        assert_true(pm_uci_serve_line(server, cases[i].line, file));
        fclose(file);
        if (strncmp(text, cases[i].answer, length) != 0)
            fail_msg("%s gives %s", cases[i].line, text);
        free(text);
    }
    assert_false(pm_uci_serve_line(server, "quit\n", stdout));
    pm_uci_server_close(server);
}

/* ---- A real engine ---- */

static void stockfish(void **state)
{
    static const char word[] = "uci:/usr/games/stockfish";
    (void)state;
    if (access("/usr/games/stockfish", X_OK) != 0)
        skip();
    struct pm_subject *subject = open_limited(word, 20);
    expect(subject, START, "", 3, false, 20, 8902);
    expect(subject, KIWIPETE, "", 3, false, 48, 97862);
    expect(subject, KIWIPETE, "e1g1 h3g2", 2, false, 48, 2248);
    expect(subject, PROMOTIONS, "", 4, false, 6, 422333);
    expect(subject, "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", "", 3,
           true, 29, 14569);
    assert_true(subject->chess960);
    pm_subject_close(subject);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_parts_and_totals),
        cmocka_unit_test(judges_whole_texts),
        cmocka_unit_test(limits_the_moves),
        cmocka_unit_test(kernels_divide),
        cmocka_unit_test(words_that_name_nothing),
        cmocka_unit_test(the_example_plugin_divides),
        cmocka_unit_test(broken_plugins_are_refused),
        cmocka_unit_test(serves_uci),
        cmocka_unit_test(right_engines),
        cmocka_unit_test(bad_engines),
        cmocka_unit_test(engines_recover),
        cmocka_unit_test(kept_positions_are_found),
        cmocka_unit_test(waiting_can_be_stopped),
        cmocka_unit_test(suites_go_through_programs),
        cmocka_unit_test(patience_has_an_end),
        cmocka_unit_test(scripts),
        cmocka_unit_test(kernels_in_a_sandbox),
        cmocka_unit_test(totals_are_enough),
        cmocka_unit_test(standard_chess_alone),
        cmocka_unit_test(stockfish),
        cmocka_unit_test(nothing_is_left),
    };
    if (argc == 5 && strcmp(argv[4], "--calls") == 0)
        return pm_guest_serve(argv[3] + 3);
    if (argc == 6 && strcmp(argv[1], "uci") == 0)
        return be_the_child(argv[3]);
    return cmocka_run_group_tests_name("subject", tests, NULL, NULL);
}
