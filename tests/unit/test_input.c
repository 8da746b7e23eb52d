/* SPDX-License-Identifier: MIT */
#include "core/input.h"

#include "core/random.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { CAPACITY = 1 << 20 };

struct bytes {
    size_t size;
    char data[CAPACITY];
};

/* ---- Files to read ---- */

static void append(struct bytes *bytes, const void *data, size_t size)
{
    assert_true(bytes->size + size <= CAPACITY);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void append_gzip(struct bytes *bytes, const char *text, size_t size)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    char *const data = strndup(text, size);
    assert_non_null(data);
    stream.next_in = (unsigned char *)data;
    stream.avail_in = (unsigned)size;
    stream.next_out = (unsigned char *)bytes->data + bytes->size;
    stream.avail_out = (unsigned)(CAPACITY - bytes->size);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes->size = CAPACITY - stream.avail_out;
    deflateEnd(&stream);
    free(data);
}

static void append_zstd(struct bytes *bytes, const char *text, size_t size)
{
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t packed =
        ZSTD_compress2(context, bytes->data + bytes->size, CAPACITY - bytes->size, text, size);
    assert_false(ZSTD_isError(packed));
    bytes->size += packed;
    ZSTD_freeCCtx(context);
}

static int file_of(const struct bytes *bytes)
{
    const int descriptor = memfd_create("input", MFD_CLOEXEC);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes->data, bytes->size), bytes->size);
    return descriptor;
}

/* ---- Reading ---- */

/* Reads all in pieces of `piece` bytes; *all gets what came before an error. */
static enum pm_status read_all(const struct bytes *bytes, size_t piece, struct bytes *all,
                               struct pm_error *error)
{
    char path[64];
    const int descriptor = file_of(bytes);
    struct pm_input *input = NULL;
    size_t got = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    all->size = 0;
    enum pm_status status = pm_input_open(path, &input, error);
    assert_int_equal(status, PM_OK);
    do {
        assert_true(all->size + piece <= CAPACITY);
        status = pm_input_read(input, all->data + all->size, piece, &got, error);
        assert_true(got <= piece);
        all->size += got;
    } while (status == PM_OK && got > 0);
    assert_true(status != PM_OK || pm_input_read(input, all->data, piece, &got, error) == PM_OK);
    assert_int_equal(got, 0); /* the end stays the end */
    pm_input_close(input);
    close(descriptor);
    return status;
}

static void expect_text(const struct bytes *bytes, const char *text, size_t size)
{
    static const size_t pieces[] = {1, 7, 4096, 100000};
    static struct bytes all;
    struct pm_error error;
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        if (read_all(bytes, pieces[i], &all, &error) != PM_OK)
            fail_msg("%s", error.text);
        assert_int_equal(all.size, size);
        assert_memory_equal(all.data, text, size);
    }
}

static char *make_text(size_t size)
{
    struct pm_random random = {.state = 1};
    char *const text = malloc(size + 1);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + pm_random_below(&random, 20));
    text[size] = '\0';
    return text;
}

/* ---- Tests ---- */

static struct bytes file;

static void formats(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 65535, 65536, 65537, 300000};
    (void)state;
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char *const text = make_text(sizes[i]);
        file.size = 0;
        append(&file, text, sizes[i]);
        expect_text(&file, text, sizes[i]);
        file.size = 0;
        append_gzip(&file, text, sizes[i]);
        expect_text(&file, text, sizes[i]);
        file.size = 0;
        append_zstd(&file, text, sizes[i]);
        expect_text(&file, text, sizes[i]);
        free(text);
    }
}

/* Members, frames and, between frames, what is to be skipped; some of them empty. */
static void several_parts(void **state)
{
    enum { PARTS = 5, SIZE = 50000 };
    static const size_t sizes[PARTS] = {10, 0, 30000, 1, 19989};
    char *const text = make_text(SIZE);
    const char *part = text;
    (void)state;
    file.size = 0;
    for (size_t i = 0; i < PARTS; part += sizes[i++])
        append_gzip(&file, part, sizes[i]);
    expect_text(&file, text, SIZE);
    file.size = 0;
    part = text;
    for (size_t i = 0; i < PARTS; part += sizes[i++]) {
        append(&file, "\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
        append_zstd(&file, part, sizes[i]);
    }
    expect_text(&file, text, SIZE);
    free(text);
}

/* First bytes that only begin like those of a packed file. */
static void plain_after_all(void **state)
{
    static const char *const texts[] = {"\x1F",
                                        "\x1F\x8C\x08",
                                        "\x28\xB5\x2F",
                                        "\x28\xB5\x2F\xFE!",
                                        "\x4F\x2A\x4D\x18",
                                        "\x50\x2A\x4D\x19",
                                        "BZh91",
                                        ""};
    (void)state;
    for (size_t i = 0; i < LENGTH(texts); i++) {
        file.size = 0;
        append(&file, texts[i], strlen(texts[i]));
        expect_text(&file, texts[i], strlen(texts[i]));
    }
}

static void expect_damage(const char *what)
{
    static struct bytes all;
    struct pm_error error = {.text = "accepted"};
    if (read_all(&file, 1000, &all, &error) != PM_ERROR_PARSE ||
        strstr(error.text, "'/proc/self/fd/") == NULL || strstr(error.text, what) == NULL)
        fail_msg("%zu bytes: %s, expected %s", file.size, error.text, what);
}

/* Every shorter file is an error, but for the one without a byte and those that are plain. */
static void cut_off(void **state)
{
    char *const text = make_text(300);
    (void)state;
    file.size = 0;
    append_gzip(&file, text, 300);
    for (size_t size = file.size - 1; size >= 2; size--) {
        file.size = size;
        expect_damage("is a damaged gzip file: it is cut off");
    }
    file.size = 0;
    append_zstd(&file, text, 300);
    for (size_t size = file.size - 1; size >= 4; size--) {
        file.size = size;
        expect_damage("is a damaged zstd file: it is cut off");
    }
    free(text);
}

static void damaged(void **state)
{
    char *const text = make_text(5000);
    (void)state;
    file.size = 0;
    append_gzip(&file, text, 5000);
    const size_t gzip_size = file.size;
    file.data[gzip_size - 7] ^= 1; /* of the check sum */
    expect_damage("is a damaged gzip file: incorrect data check");
    file.data[gzip_size - 7] ^= 1;
    file.data[2] = 7; /* the method */
    expect_damage("is a damaged gzip file: unknown compression method");
    file.data[2] = 8;
    append(&file, "more", 4);
    expect_damage("is a damaged gzip file: incorrect header check");
    file.size = 0;
    append_zstd(&file, text, 5000);
    file.data[file.size - 1] ^= 1;
    expect_damage("is a damaged zstd file: Restored data doesn't match checksum");
    file.data[file.size - 1] ^= 1;
    append(&file, "more text", 9);
    expect_damage("is a damaged zstd file: Unknown frame descriptor");
    free(text);
}

/* Whatever the bytes, there is an end, and no sanitizer complains. */
static void any_damage(void **state)
{
    static struct bytes good, all;
    struct pm_random random = {.state = 20260101};
    char *const text = make_text(400);
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        good.size = 0;
        if (round % 2 == 0)
            append_gzip(&good, text, 400);
        else
            append_zstd(&good, text, 400);
        for (unsigned i = 0; i <= round % 3; i++)
            good.data[pm_random_below(&random, good.size)] = (char)pm_random_next(&random);
        struct pm_error error = {.text = ""};
        const enum pm_status status = read_all(&good, 1000, &all, &error);
        assert_true(status == PM_OK || ((status == PM_ERROR_PARSE || status == PM_ERROR_ARGUMENT) &&
                                        error.text[0] != '\0'));
    }
    free(text);
}

static void refused_files(void **state)
{
    static const struct {
        const char *path, *error;
    } rows[] = {
        {"/no/such/file.pgn", "cannot open '/no/such/file.pgn': No such file"},
        {PM_SOURCE_DIR, "it is a folder"},
        {"", "cannot open ''"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct pm_error error = {.text = "accepted"};
        struct pm_input *input = NULL;
        assert_int_equal(pm_input_open(rows[i].path, &input, &error), PM_ERROR_ARGUMENT);
        assert_null(input);
        assert_int_equal(pm_input_open(rows[i].path, &input, NULL), PM_ERROR_ARGUMENT);
        if (strstr(error.text, rows[i].error) == NULL)
            fail_msg("%s: %s", rows[i].path, error.text);
    }
    pm_input_close(NULL);
}

/* Formats that are not read have their names told; what only looks like one is text. */
static void other_formats(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *words; /* NULL: it is text */
    } rows[] = {
        {"PK\x03\x04\x14\0\0\0", 8, "is a zip archive"},
        {"PK\x05\x06\0\0\0\0", 8, "is an empty zip archive"},
        {"BZh91AY&SY", 10, "is packed by bzip2"},
        {"BZh11AY&SY", 10, "is packed by bzip2"},
        {"\xFD\x37zXZ\0\0", 7, "is packed by xz"},
        {"7z\xBC\xAF\x27\x1C\0", 7, "is a 7-Zip archive"},
        {"Rar!\x1A\x07\x01", 7, "is a rar archive"},
        {"\xFF\xFE[\0E\0", 6, "is UTF-16"},
        {"\xFE\xFF\0[\0E", 6, "is UTF-16"},
        {"[\0E\0v\0", 6, "is UTF-16"},
        {"\0[\0E\0v", 6, "is UTF-16"},
        {"\xFF\xFE\0\0[\0\0\0", 8, "is UTF-32"},
        {"PKP", 3, NULL},
        {"BZh, white", 10, NULL},
        {"Rar! he said", 12, NULL},
        {"\xFD", 1, NULL},
        {"\xEF\xBB\xBF[E", 5, NULL},
        {"7z", 2, NULL},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct pm_input_text text = {
            .name = "it", .bytes = rows[i].bytes, .size = rows[i].size, .piece = 1};
        struct pm_error error = {.text = ""};
        struct pm_input *input = NULL;
        char buffer[32];
        size_t got = 0;
        assert_int_equal(pm_input_open_text(&text, &input, &error), PM_OK);
        const enum pm_status status = pm_input_read(input, buffer, sizeof buffer, &got, &error);
        if (rows[i].words == NULL) {
            assert_int_equal(status, PM_OK);
            assert_true(got > 0 && memcmp(buffer, rows[i].bytes, got) == 0);
        } else if (status != PM_ERROR_ARGUMENT || strstr(error.text, rows[i].words) == NULL) {
            fail_msg("row %zu: %s", i, error.text);
        }
        pm_input_close(input);
    }
}

static void closing(void **state)
{
    struct pm_input *input = NULL;
    (void)state;
    const int before = open("/dev/null", O_RDONLY);
    close(before);
    assert_int_equal(pm_input_open("/dev/null", &input, NULL), PM_OK);
    pm_input_close(input);
    assert_int_equal(pm_input_open(PM_SOURCE_DIR, &input, NULL), PM_ERROR_ARGUMENT);
    const int after = open("/dev/null", O_RDONLY);
    close(after);
    assert_int_equal(before, after); /* no descriptor was left open */
}

/* A child writes byte by byte, the first ones slowly, into the pipe that is this process's standard
 * input: what has come so far is not all, nor enough to tell the format. */
static void standard_input(void **state)
{
    static const char text[] = "1. e4 e5 *\n1. d4 *\n";
    char all[256];
    size_t size = 0, got = 0;
    int ends[2];
    struct pm_input *input = NULL;
    (void)state;
    file.size = 0;
    append_gzip(&file, text, sizeof text);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (size_t i = 0; i < file.size; i++) {
            if (write(ends[1], file.data + i, 1) != 1)
                _exit(1);
            usleep(i < 4 ? 20000 : 0);
        }
        _exit(0);
    }
    close(ends[1]);
    const int old = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(pm_input_open("-", &input, NULL), PM_OK);
    assert_string_equal(pm_input_name(input), "standard input");
    do {
        assert_int_equal(pm_input_read(input, all + size, sizeof all - size, &got, NULL), PM_OK);
        size += got;
    } while (got > 0);
    pm_input_close(input);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* it is not the input's to close */
    if (old >= 0) {
        dup2(old, STDIN_FILENO);
        close(old);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(size, sizeof text);
    assert_string_equal(all, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),         cmocka_unit_test(several_parts),
        cmocka_unit_test(plain_after_all), cmocka_unit_test(cut_off),
        cmocka_unit_test(damaged),         cmocka_unit_test(any_damage),
        cmocka_unit_test(refused_files),   cmocka_unit_test(other_formats),
        cmocka_unit_test(closing),         cmocka_unit_test(standard_input),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
