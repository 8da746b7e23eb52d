/* SPDX-License-Identifier: MIT */
/* Streams of positions: the same rows as a plain loop gives, whatever the threads, kernel or
 * packing; resumed anywhere; and what each bad line is told. */
#include "analyze/stream.h"

#include "core/cpu.h"
#include "tests/unit/view_at.h"
#include "verify/generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"

/* What a run gave. */
struct outcome {
    struct pm_buffer rows, complaints;
    struct pm_stream_totals totals;
    enum pm_status status;
    struct pm_error error;
    atomic_bool stop;
    size_t stop_after; /* rows' bytes; 0: never */
    bool refuses;      /* can't write */
};

static char path[] = "stream_XXXXXX";

static void append(struct pm_buffer *buffer, const char *text, size_t size)
{
    assert_int_equal(pm_buffer_reserve(buffer, size + 1), PM_OK);
    memcpy(buffer->text + buffer->length, text, size);
    buffer->length += size;
    buffer->text[buffer->length] = '\0';
}

static enum pm_status take_rows(void *context, const char *text, size_t size,
                                struct pm_error *error)
{
    struct outcome *const outcome = context;
    if (outcome->refuses)
        return pm_fail(error, PM_ERROR_IO, "the disk is full");
    append(&outcome->rows, text, size);
    if (outcome->stop_after > 0 && outcome->rows.length > outcome->stop_after)
        atomic_store(&outcome->stop, true);
    return PM_OK;
}

static void take_complaint(void *context, const char *line)
{
    struct outcome *const outcome = context;
    append(&outcome->complaints, line, strlen(line));
    append(&outcome->complaints, "\n", 1);
}

static void clear(struct outcome *outcome)
{
    free(outcome->rows.text);
    free(outcome->complaints.text);
    *outcome = (struct outcome){0};
}

static void write_file(const char *text, size_t size)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct pm_stream_config default_config(void)
{
    static char *const files[] = {path};
    return (struct pm_stream_config){.kernel = pm_kernel_find("magic"),
                                     .files = files,
                                     .file_count = 1,
                                     .start = 1,
                                     .pin = {.policy = PM_PIN_NONE},
                                     .threads = 2,
                                     .write = take_rows,
                                     .complain = take_complaint};
}

static void run(struct pm_stream_config config, struct outcome *outcome)
{
    config.context = outcome;
    config.stop = &outcome->stop;
    append(&outcome->rows, "", 0);
    append(&outcome->complaints, "", 0);
    outcome->status = pm_stream_run(&config, &outcome->totals, &outcome->error);
}

static void run_text(const char *text, struct pm_stream_config config, struct outcome *outcome)
{
    write_file(text, strlen(text));
    run(config, outcome);
}

static int set_up(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) == 0)
            assert_int_equal((*kernel)->init(), PM_OK);
    }
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

/* ---- Against a plain loop ---- */

#define POSITIONS 20000

static const char some_fields[] = "line,fen,legal,captures,check,verdict,material,phase,mobility";

/* POSITIONS FENs, and the rows and checksum that they should give. */
static void make_expected(struct pm_buffer *fens, struct pm_buffer *rows, uint64_t *checksum)
{
    const struct pm_generator generator = {.seed = 4, .mover = pm_kernel_find("magic")};
    struct pm_field_list fields;
    struct pm_view view;
    view_open(&view, "magic");
    assert_int_equal(pm_field_list_read(some_fields, &fields, NULL), PM_OK);
    *checksum = 0;
    for (uint64_t i = 0; i < POSITIONS; i++) {
        struct pm_generated generated;
        struct pm_facts facts;
        char fen[PM_FEN_SIZE];
        uint64_t hash;
        assert_int_equal(pm_generate(&generator, i, &generated), PM_OK);
        pm_fen_write(&generated.position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
        append(fens, fen, strlen(fen));
        append(fens, "\n", 1);
        view_set(&view, &generated.position);
        pm_facts_of(&view, fields.parts, &facts);
        const struct pm_record record = {
            .view = &view, .facts = &facts, .file = path, .line = i + 1, .id = ""};
        assert_int_equal(pm_field_write(&fields, &record, PM_FORMAT_TSV, rows, &hash), PM_OK);
        *checksum += hash;
    }
    pm_view_close(&view);
}

static void check_rows(const struct outcome *outcome, const struct pm_buffer *rows,
                       uint64_t checksum, const char *what)
{
    if (outcome->status != PM_OK)
        fail_msg("%s: %s", what, outcome->error.text);
    if (outcome->rows.length != rows->length ||
        memcmp(outcome->rows.text, rows->text, rows->length) != 0)
        fail_msg("%s: other rows than a plain loop gives", what);
    assert_int_equal(outcome->totals.positions, POSITIONS);
    assert_int_equal(outcome->totals.passed, POSITIONS);
    assert_int_equal(outcome->totals.bad, 0);
    assert_int_equal(outcome->totals.next, POSITIONS + 1);
    assert_true(outcome->totals.checksum == checksum);
}

static void write_packed(const struct pm_buffer *text)
{
    const gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text->text, (unsigned)text->length), text->length);
    assert_int_equal(gzclose(file), Z_OK);
}

static void as_a_plain_loop(void **state)
{
    struct pm_buffer fens = {0}, rows = {0};
    struct pm_field_list fields;
    struct outcome outcome = {0};
    uint64_t checksum;
    (void)state;
    make_expected(&fens, &rows, &checksum);
    assert_int_equal(pm_field_list_read(some_fields, &fields, NULL), PM_OK);
    struct pm_stream_config config = default_config();
    config.fields = &fields;
    write_file(fens.text, fens.length);
    for (config.threads = 1; config.threads <= 7; config.threads += 2) {
        run(config, &outcome);
        check_rows(&outcome, &rows, checksum, "threads");
        clear(&outcome);
    }
    config.threads = 3;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) != 0)
            continue;
        config.kernel = *kernel;
        run(config, &outcome);
        check_rows(&outcome, &rows, checksum, (*kernel)->name);
        clear(&outcome);
    }
    config.kernel = pm_kernel_find("magic");
    config.input = PM_STREAM_FEN;
    run(config, &outcome);
    check_rows(&outcome, &rows, checksum, "FEN");
    clear(&outcome);
    write_packed(&fens);
    run(config, &outcome);
    check_rows(&outcome, &rows, checksum, "gzip");
    clear(&outcome);
    free(fens.text);
    free(rows.text);
}

/* ---- Resuming ---- */

/* A byte order mark, CR LF, comments, blank lines, no line end at the end. */
static const char mixed[] = "\xEF\xBB\xBF" START "\r\n"
                            "# a comment; with a semicolon\n"
                            "\n"
                            "  \t \n" FEN " id \"the second\"; c0 \"more\";\r\n"
                            "4k3/8/8/8/8/8/8/4K2R w K - D1 15;\n"
                            "\r\n4k3/8/8/8/8/8/8/4K3 w K - 0 1\n"
                            "# the end\n" START;

static void mixed_lines(void **state)
{
    struct pm_field_list fields;
    struct outcome outcome = {0};
    (void)state;
    assert_int_equal(pm_field_list_read("line,legal,id,warnings", &fields, NULL), PM_OK);
    struct pm_stream_config config = default_config();
    config.fields = &fields;
    config.names = true;
    run_text(mixed, config, &outcome);
    assert_string_equal(outcome.rows.text, "line\tlegal\tid\twarnings\n"
                                           "1\t20\t\t0\n"
                                           "5\t15\tthe second\t0\n"
                                           "6\t15\t\t0\n"
                                           "8\t5\t\t1\n"
                                           "10\t20\t\t0\n");
    assert_int_equal(outcome.totals.warned, 1);
    assert_int_equal(outcome.totals.warnings, PM_FEN_WARN_CASTLING);
    clear(&outcome);
}

static void resumed_anywhere(void **state)
{
    struct outcome whole = {0}, head = {0}, tail = {0};
    struct pm_stream_config config = default_config();
    (void)state;
    run_text(mixed, config, &whole);
    assert_int_equal(whole.totals.next, 11);
    for (uint64_t start = 1; start <= 11; start++) {
        /* The first start - 1 lines, then the rest of the whole. */
        const char *end = mixed;
        for (uint64_t line = 1; line < start; line++)
            end = strchr(end, '\n') != NULL ? strchr(end, '\n') + 1 : mixed + strlen(mixed);
        config.start = 1;
        write_file(mixed, (size_t)(end - mixed));
        run(config, &head);
        config.start = start;
        write_file(mixed, strlen(mixed));
        run(config, &tail);
        assert_int_equal(head.status, PM_OK);
        assert_int_equal(tail.status, PM_OK);
        append(&head.rows, tail.rows.text, tail.rows.length);
        assert_string_equal(head.rows.text, whole.rows.text);
        assert_true(head.totals.checksum + tail.totals.checksum == whole.totals.checksum);
        assert_int_equal(head.totals.positions + tail.totals.positions, whole.totals.positions);
        clear(&head);
        clear(&tail);
    }
    config.start = 12;
    run(config, &tail);
    assert_int_equal(tail.status, PM_ERROR_ARGUMENT);
    assert_non_null(strstr(tail.error.text, "has 10 lines: there is no 12"));
    clear(&tail);
    clear(&whole);
}

/* Stopped while writing; what is told to go on with gives the rest. */
static void stopped_and_resumed(void **state)
{
    struct pm_buffer fens = {0}, rows = {0};
    struct outcome first = {.stop_after = 100000}, second = {0};
    struct pm_field_list fields;
    uint64_t checksum;
    (void)state;
    make_expected(&fens, &rows, &checksum);
    write_file(fens.text, fens.length);
    assert_int_equal(pm_field_list_read(some_fields, &fields, NULL), PM_OK);
    struct pm_stream_config config = default_config();
    config.fields = &fields;
    run(config, &first);
    assert_int_equal(first.status, PM_ERROR_INTERRUPTED);
    assert_true(first.totals.next > 1 && first.totals.next <= POSITIONS);
    assert_int_equal(first.rows.text[first.rows.length - 1], '\n');
    assert_int_equal(first.totals.positions, first.totals.next - 1);
    config.start = first.totals.next;
    run(config, &second);
    append(&first.rows, second.rows.text, second.rows.length);
    assert_int_equal(first.rows.length, rows.length);
    assert_memory_equal(first.rows.text, rows.text, rows.length);
    assert_true(first.totals.checksum + second.totals.checksum == checksum);
    clear(&first);
    clear(&second);
    free(fens.text);
    free(rows.text);
}

/* ---- The filter ---- */

static void filtered(void **state)
{
    static const char text[] = START "\n" FEN "\n"
                                     "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\n"
                                     "7k/8/6KQ/8/8/8/8/8 b - - 0 1\n" START "\n";
    struct pm_field_list fields;
    struct outcome outcome = {0};
    struct pm_stream_config config = default_config();
    struct pm_where *where;
    (void)state;
    /* Some parts are needed by the filter alone, some by the rows alone. */
    assert_int_equal(pm_where_compile("check && P == 0 || legal == 15", &where, NULL), PM_OK);
    assert_int_equal(pm_field_list_read("line,verdict,phase,mobility", &fields, NULL), PM_OK);
    config.where = where;
    config.fields = &fields;
    run_text(text, config, &outcome);
    assert_string_equal(outcome.rows.text, "2\topen\t2\t9\n"
                                           "3\tcheckmate\t4\t0\n"
                                           "4\topen\t4\t0\n");
    assert_int_equal(outcome.totals.positions, 5);
    assert_int_equal(outcome.totals.passed, 3);
    pm_where_free(where);
    clear(&outcome);
}

/* ---- Bad lines ---- */

struct bad {
    const char *line;
    unsigned column;
    const char *words;
};

static const struct bad bad_lines[] = {
    {"x", 2, "field 2 (side to move): missing: \"x\""},
    {"nonsense in a line", 1, "\"nonsense\": no board"},
    {"8/8/8/8/8/8/8/8 w - - 0 1", 1, "king count: White has 0, Black has 0"},
    {"4k3/8/8/8/8/8/8/4K2R", 21, "field 2 (side to move): missing"},
    {"4k3/8/8/8/8/8/8/4K2R x K - 0 1", 22, "\"x\": must be \"w\" or \"b\""},
    {"4k3/8/8/8/8/8/8/4K2R W K - 0 1", 22, "must be \"w\" or \"b\""},
    {"4k3/8/8/8/8/8/8/4K2R w X - 0 1", 24, "\"X\": castling is"},
    {"4k3/8/8/8/8/8/8/4K2R w K e5 0 1", 26, "a square of rank 6"},
    {"4k3/8/8/8/8/8/8/4K2R w K zz 0 1", 26, "\"zz\""},
    {"4k3/8/8/8/8/8/8/4K2R w K - 0x 1", 28, "\"0x\""},
    {"4k3/8/8/8/8/8/8/4K2R w K - 99999 1", 28, "too large: at most 65535"},
    {"4k3/8/8/8/8/8/8/4K2R w K - 0 70000", 30, "too large"},
    {"4k3/9/8/8/8/8/8/4K2R w K - 0 1", 5, "\"9\": in rank 7"},
    {"4k3/0/8/8/8/8/8/4K2R w K - 0 1", 5, "\"0\": in rank 7"},
    {"4k3/8/8/8/8/8/4K2R w K - 0 1", 1, "7 ranks; a board has 8"},
    {"4k3/8/8/8/8/8/8/8/4K2R w K - 0 1", 19, "more text after the eighth rank"},
    {"4k3/7/8/8/8/8/8/4K2R w K - 0 1", 5, "rank 7 has 7 squares"},
    {"4k3/ppppppppp/8/8/8/8/8/4K2R w K - 0 1", 5, "rank 7 has 9 squares"},
    {"4k3/8/8/8//8/8/8/4K2R w K - 0 1", 11, "rank 4 has 0 squares"},
    {"4k2z/8/8/8/8/8/8/4K2R w K - 0 1", 4, "\"z\": in rank 8"},
    {"4k1k1/8/8/8/8/8/8/4K2R w K - 0 1", 4, "Black has 2"},
    {"4K3/8/8/8/8/8/8/4K2R w K - 0 1", 2, "White has 2, Black has 0"},
    {"P3k3/8/8/8/8/8/8/4K2R w K - 0 1", 1, "a pawn on a8"},
    {"4k3/8/8/8/8/8/8/p3K2R w K - 0 1", 17, "a pawn on a1"},
    {"4k3/8/8/8/8/8/8/4RK2 w - - 0 1", 22, "opponent in check: Black's king is attacked"},
    {"4k3/8/8/8/8/8/8/R1K1R1R1 w AEG - 0 1", 30, "a second rook"},
    {"\xFF\xFE" FEN, 1, "\"\\xFF\""},
    {FEN " 7", 32, "expected ';'"},
    {FEN " ;D1", 35, "a count is a whole number"},
    {FEN " ;D1 x", 36, "a count is a whole number"},
    {FEN " ;D1 15 ;D1 16", 40, "depths ascend"},
    {FEN " ;D2 66 ;D1 15", 40, "depths ascend"},
    {FEN " ;D0 1", 33, "a depth is a whole number"},
    {FEN " ;D1000 1", 33, "a depth is a whole number"},
    {FEN " id \"open", 35, "no closing quote"},
    {FEN " ;id \"open; c0 \"x\";", 48, "no closing quote"},
    {FEN " ;\"text\"", 33, "expected ';'"},
    {FEN " ;7 x", 33, "expected ';'"},
    {FEN " ;D1 -5", 36, "a count is a whole number"},
    {"[Event \"a game among lines\"]", 1, "\"[Event\": no board"},
    {"1. e4 e5 2. Nf3", 1, "\"1.\": no board"},
    {"; a comment of another kind", 1, "field 1 (placement): missing"},
    {"// a comment of another kind", 1, "rank 8 has 0 squares"},
};

static void check_complaint(const struct bad *bad, const char *line)
{
    char place[64];
    snprintf(place, sizeof place, "%s:2:%u: ", path, bad->column);
    if (strncmp(line, place, strlen(place)) != 0 || strstr(line, bad->words) == NULL ||
        strstr(line, "column") != NULL)
        fail_msg("%s: %s, not %s... %s", bad->line, line, place, bad->words);
    for (const char *at = line; *at != '\0'; at++) {
        if (*at < ' ' || *at > '~')
            fail_msg("%s: byte %02X in the message", bad->line, (unsigned char)*at);
    }
}

static void bad_lines_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(bad_lines); i++) {
        struct outcome outcome = {0};
        struct pm_stream_config config = default_config();
        char text[256];
        config.input = PM_STREAM_EPD;
        snprintf(text, sizeof text, "%s\n%s\n%s\n", START, bad_lines[i].line, START);
        /* Stopping: the row before is written, and the message is the error. */
        run_text(text, config, &outcome);
        if (outcome.status == PM_OK)
            fail_msg("%s was taken", bad_lines[i].line);
        check_complaint(&bad_lines[i], outcome.error.text);
        assert_string_equal(outcome.rows.text, "1\t20\t0\t0\t0\topen\t0\t24\n");
        assert_int_equal(outcome.totals.positions, 1);
        assert_int_equal(outcome.totals.bad, 1);
        assert_int_equal(outcome.totals.next, 3);
        clear(&outcome);
        /* Passing over: the row behind it too. */
        config.skip_bad = true;
        run_text(text, config, &outcome);
        assert_int_equal(outcome.status, PM_OK);
        assert_string_equal(outcome.rows.text,
                            "1\t20\t0\t0\t0\topen\t0\t24\n3\t20\t0\t0\t0\topen\t0\t24\n");
        assert_int_equal(outcome.totals.bad, 1);
        assert_non_null(strchr(outcome.complaints.text, '\n'));
        *strchr(outcome.complaints.text, '\n') = '\0';
        check_complaint(&bad_lines[i], outcome.complaints.text);
        clear(&outcome);
    }
}

/* All of them many times, on several threads: complaints come in order too. */
static void bad_lines_in_order(void **state)
{
    struct outcome outcome = {0};
    struct pm_stream_config config = default_config();
    struct pm_buffer text = {0};
    unsigned long last = 0;
    size_t count = 0;
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        const char *const line = i % 2 ? START : bad_lines[i / 2 % LENGTH(bad_lines)].line;
        append(&text, line, strlen(line));
        append(&text, "\n", 1);
    }
    write_file(text.text, text.length);
    config.input = PM_STREAM_EPD;
    config.skip_bad = true;
    config.threads = 4;
    run(config, &outcome);
    assert_int_equal(outcome.status, PM_OK);
    assert_int_equal(outcome.totals.positions, 2500);
    assert_int_equal(outcome.totals.bad, 2500);
    char *rest = outcome.complaints.text;
    for (char *line = strsep(&rest, "\n"); rest != NULL; line = strsep(&rest, "\n")) {
        const unsigned long number = strtoul(line + strlen(path) + 1, NULL, 10);
        assert_int_equal(number, last == 0 ? 1 : last + 2);
        last = number;
        count++;
    }
    assert_int_equal(count, 2500);
    clear(&outcome);
    free(text.text);
}

static void no_text(void **state)
{
    static const char nul[] = START "\n4k3/8\0/8 w\n" START "\n";
    struct outcome outcome = {0};
    struct pm_stream_config config = default_config();
    char *const long_line = malloc(200000);
    (void)state;
    write_file(nul, sizeof nul - 1);
    run(config, &outcome);
    assert_int_equal(outcome.status, PM_ERROR_PARSE);
    assert_non_null(strstr(outcome.error.text, ":2:6: a NUL byte"));
    clear(&outcome);
    assert_non_null(long_line);
    memset(long_line, 'x', 200000);
    memcpy(long_line, START "\n", strlen(START) + 1);
    write_file(long_line, 200000);
    config.skip_bad = true;
    run(config, &outcome);
    assert_int_equal(outcome.status, PM_ERROR_PARSE);
    assert_non_null(strstr(outcome.error.text, ":2:1: a line of over 65536 bytes"));
    assert_string_equal(outcome.rows.text, "1\t20\t0\t0\t0\topen\t0\t24\n");
    assert_int_equal(outcome.totals.next, 2);
    clear(&outcome);
    free(long_line);
    /* A file without a position is no fault. */
    run_text("", config, &outcome);
    assert_int_equal(outcome.status, PM_OK);
    assert_int_equal(outcome.totals.positions, 0);
    clear(&outcome);
    /* Nothing but a FEN on a line. */
    config.input = PM_STREAM_FEN;
    config.skip_bad = false;
    run_text(FEN "\n" FEN " id \"x\";\n", config, &outcome);
    assert_int_equal(outcome.status, PM_ERROR_PARSE);
    assert_non_null(strstr(outcome.error.text, ":2:32: FEN: \"id"));
    clear(&outcome);
}

static void can_not_write(void **state)
{
    struct outcome outcome = {.refuses = true};
    (void)state;
    run_text(START "\n" FEN "\n", default_config(), &outcome);
    assert_int_equal(outcome.status, PM_ERROR_IO);
    assert_string_equal(outcome.error.text, "the disk is full");
    assert_int_equal(outcome.totals.positions, 0);
    assert_int_equal(outcome.totals.next, 1);
    clear(&outcome);
}

static void files_that_are_not_there(void **state)
{
    struct outcome outcome = {0};
    struct pm_stream_config config = default_config();
    static char missing[] = "no_such_file";
    char *const files[] = {path, missing};
    (void)state;
    config.files = files;
    config.file_count = 2;
    config.names = true;
    run_text(START "\n", config, &outcome);
    assert_int_equal(outcome.status, PM_ERROR_ARGUMENT);
    assert_non_null(strstr(outcome.error.text, "no_such_file"));
    assert_int_equal(outcome.rows.length, 0); /* before anything is written */
    clear(&outcome);
    char *const twice[] = {path, path};
    config.files = twice;
    config.start = 2;
    run_text(START "\n" FEN "\n", config, &outcome);
    assert_int_equal(outcome.status, PM_OK);
    assert_int_equal(outcome.totals.positions, 3); /* the start is one of the first file */
    assert_int_equal(outcome.totals.file, 1);
    clear(&outcome);
}

/* ---- Games ---- */

static const char games[] = "[Event \"first\"]\n"
                            "\n"
                            "1. f3 e5 2. g4 (2. e4 Nc6) Qh4# 0-1\n"
                            "\n"
                            "[Event \"second\"]\n"
                            "[FEN \"7k/8/5K2/6Q1/8/8/8/8 w - - 0 1\"]\n"
                            "\n"
                            "1. Qg7# 1-0\n";

static void positions_of_games(void **state)
{
    struct outcome outcome = {0};
    struct pm_stream_config config = default_config();
    (void)state;
    config.names = true;
    run_text(games, config, &outcome);
    if (outcome.status != PM_OK)
        fail_msg("%s", outcome.error.text);
    assert_string_equal(outcome.rows.text,
                        "game\tply\tlegal\tcaptures\tcheckers\tpinned\tverdict\tmaterial\tphase\n"
                        "1\t0\t20\t0\t0\t0\topen\t0\t24\n"
                        "1\t1\t20\t0\t0\t0\topen\t0\t24\n"
                        "1\t2\t19\t0\t0\t0\topen\t0\t24\n"
                        "1\t3\t30\t0\t0\t0\topen\t0\t24\n"
                        "1\t4\t0\t0\t1\t0\tcheckmate\t0\t24\n"
                        "2\t0\t26\t0\t0\t0\topen\t9\t4\n"
                        "2\t1\t0\t0\t1\t0\tcheckmate\t9\t4\n");
    assert_int_equal(outcome.totals.next, 3);
    clear(&outcome);
    config.names = false;
    config.start = 2;
    run(config, &outcome);
    assert_string_equal(outcome.rows.text, "2\t0\t26\t0\t0\t0\topen\t9\t4\n"
                                           "2\t1\t0\t0\t1\t0\tcheckmate\t9\t4\n");
    clear(&outcome);
    config.start = 4;
    run(config, &outcome);
    assert_int_equal(outcome.status, PM_ERROR_ARGUMENT);
    assert_non_null(strstr(outcome.error.text, "has 2 games"));
    clear(&outcome);
}

static void bad_games(void **state)
{
    static const struct {
        const char *text;
        const char *words; /* behind the file's name */
        unsigned positions;
    } cases[] = {
        {"[Event \"a\"]\n\n1. e4 e5 2. Ke3 1-0\n\n", ":3:13: game 1: ", 3},
        {"[Event \"a\"]\n\n1. e4\ne5 2. xyz 1-0\n\n", ":4:7: game 1: \"xyz\"", 3},
        {"[Event \"a\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0\n\n",
         ":2:1: game 1: FEN field 1", 0},
        {"[Event \"a\"]\n\n1. e4 {no end\n\n", ":3:7: ", 0},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct outcome outcome = {0};
        struct pm_stream_config config = default_config();
        char text[512];
        snprintf(text, sizeof text, "%s%s", cases[i].text, i < 3 ? games : "");
        run_text(text, config, &outcome);
        if (outcome.status == PM_OK)
            fail_msg("case %zu was taken", i);
        if (strncmp(outcome.error.text, path, strlen(path)) != 0 ||
            strncmp(outcome.error.text + strlen(path), cases[i].words, strlen(cases[i].words)) != 0)
            fail_msg("case %zu: %s", i, outcome.error.text);
        assert_int_equal(outcome.totals.positions, cases[i].positions);
        clear(&outcome);
        config.skip_bad = true;
        run_text(text, config, &outcome);
        assert_int_equal(outcome.status, PM_OK);
        assert_int_equal(outcome.totals.positions, cases[i].positions + (i < 3 ? 7 : 0));
        assert_int_equal(outcome.totals.bad, 1);
        clear(&outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_plain_loop),    cmocka_unit_test(mixed_lines),
        cmocka_unit_test(resumed_anywhere),   cmocka_unit_test(stopped_and_resumed),
        cmocka_unit_test(filtered),           cmocka_unit_test(bad_lines_alone),
        cmocka_unit_test(bad_lines_in_order), cmocka_unit_test(no_text),
        cmocka_unit_test(can_not_write),      cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(positions_of_games), cmocka_unit_test(bad_games),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
