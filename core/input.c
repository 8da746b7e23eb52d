/* SPDX-License-Identifier: MIT */
#include "core/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK_SIZE = 1 << 16, MAGIC_SIZE = 6 };

enum format { UNKNOWN, PLAIN, GZIP, ZSTD };

struct pm_input {
    char *name;
    int descriptor;
    struct pm_input_text text; /* in place of a file, if bytes is not NULL */
    size_t text_at;
    enum format format;
    bool at_end;    /* the file has no more bytes than those of the chunk */
    bool in_member; /* a gzip member or zstd frame has begun and not ended */
    z_stream gzip;
    ZSTD_DCtx *zstd;
    size_t from, to; /* what of the chunk is not yet used */
    unsigned char chunk[CHUNK_SIZE];
};

static enum pm_status open_descriptor(struct pm_input *input, const char *path,
                                      struct pm_error *error)
{
    struct stat info;
    input->descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->descriptor < 0 || fstat(input->descriptor, &info) != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return pm_fail(error, PM_ERROR_ARGUMENT, "cannot read '%s': it is a folder", path);
    return PM_OK;
}

enum pm_status pm_input_open(const char *path, struct pm_input **input, struct pm_error *error)
{
    struct pm_input *const opened = calloc(1, sizeof *opened);
    *input = NULL;
    if (opened == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    enum pm_status status = open_descriptor(opened, path, error);
    opened->name = strdup(opened->descriptor == STDIN_FILENO ? "standard input" : path);
    if (status == PM_OK && opened->name == NULL)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    if (status == PM_OK)
        *input = opened;
    else
        pm_input_close(opened);
    return status;
}

enum pm_status pm_input_open_text(const struct pm_input_text *text, struct pm_input **input,
                                  struct pm_error *error)
{
    struct pm_input *const opened = calloc(1, sizeof *opened);
    *input = opened;
    if (opened != NULL && (opened->name = strdup(text->name)) != NULL) {
        opened->text = *text;
        opened->descriptor = -1;
        return PM_OK;
    }
    pm_input_close(opened);
    *input = NULL;
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", text->name);
}

void pm_input_close(struct pm_input *input)
{
    if (input == NULL)
        return;
    if (input->format == GZIP)
        inflateEnd(&input->gzip);
    ZSTD_freeDCtx(input->zstd);
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    free(input->name);
    free(input);
}

const char *pm_input_name(const struct pm_input *input)
{
    return input->name;
}

static size_t read_text(struct pm_input *input, void *buffer, size_t size)
{
    const struct pm_input_text *const text = &input->text;
    const size_t left = text->size - input->text_at;
    const size_t piece = input->text_at == 0 && text->first_piece > 0 ? text->first_piece
                         : text->piece > 0                            ? text->piece
                                                                      : left;
    size_t count = piece < left ? piece : left;
    count = count < size ? count : size;
    if (count > 0)
        memcpy(buffer, (const char *)text->bytes + input->text_at, count);
    input->text_at += count;
    return count;
}

static enum pm_status read_some(struct pm_input *input, void *buffer, size_t size, size_t *got,
                                struct pm_error *error)
{
    ssize_t count;
    do
        count = input->text.bytes != NULL ? (ssize_t)read_text(input, buffer, size)
                                          : read(input->descriptor, buffer, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return pm_fail(error, PM_ERROR_IO, "cannot read '%s': %s", input->name, strerror(errno));
    *got = (size_t)count;
    input->at_end = count == 0;
    return PM_OK;
}

/* Brings at least `count` unused bytes into the chunk, or all that the file still has. */
static enum pm_status need(struct pm_input *input, size_t count, struct pm_error *error)
{
    enum pm_status status = PM_OK;
    if (input->from == input->to)
        input->from = input->to = 0;
    while (status == PM_OK && input->to - input->from < count && !input->at_end) {
        size_t got = 0;
        status = read_some(input, input->chunk + input->to, sizeof input->chunk - input->to, &got,
                           error);
        input->to += got;
    }
    return status;
}

static enum format format_of(const unsigned char *bytes, size_t count)
{
    if (count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B)
        return GZIP;
    if (count >= 4 && memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0)
        return ZSTD;
    if (count >= 4 && bytes[0] >> 4 == 5 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0)
        return ZSTD; /* a skippable frame, as parallel compressors write first */
    return PLAIN;
}

/* Whether a file begins with `magic`, in which '?' is any byte. */
static bool begins_with(const unsigned char *bytes, size_t count, const char *magic, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (i >= count || (magic[i] != '?' && bytes[i] != (unsigned char)magic[i]))
            return false;
    return true;
}

/* Refuses by name what is neither text nor packed in a way that is read. */
static enum pm_status check_plain(const struct pm_input *input, const unsigned char *bytes,
                                  size_t count, struct pm_error *error)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *what;
    } rows[] = {
        {"PK\x03\x04", 4, "a zip archive: unpack it first"},
        {"PK\x05\x06", 4, "an empty zip archive"},
        {"BZh?1A", 6, "packed by bzip2: unpack it first, or pack it with gzip or zstd"},
        {"\xFD\x37zXZ", 6, "packed by xz: unpack it first, or pack it with gzip or zstd"},
        {"7z\xBC\xAF\x27\x1C", 6, "a 7-Zip archive: unpack it first"},
        {"Rar!\x1A\x07", 6, "a rar archive: unpack it first"},
        {"\xFF\xFE\0", 4, "UTF-32: UTF-8 is needed"},
        {"\xFF\xFE", 2, "UTF-16: UTF-8 is needed"},
        {"\xFE\xFF", 2, "UTF-16: UTF-8 is needed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (begins_with(bytes, count, rows[i].magic, rows[i].size))
            return pm_fail(error, PM_ERROR_ARGUMENT, "'%s' is %s", input->name, rows[i].what);
    /* The same without a byte order mark: letters of ASCII with a zero byte beside each. */
    if (count >= 4 && (bytes[0] == 0) != (bytes[1] == 0) && (bytes[0] == 0) == (bytes[2] == 0) &&
        (bytes[1] == 0) == (bytes[3] == 0))
        return pm_fail(error, PM_ERROR_ARGUMENT, "'%s' is UTF-16: UTF-8 is needed", input->name);
    return PM_OK;
}

static enum pm_status begin(struct pm_input *input, struct pm_error *error)
{
    enum pm_status status = need(input, MAGIC_SIZE, error);
    if (status != PM_OK)
        return status;
    const enum format format = format_of(input->chunk, input->to);
    if (format == PLAIN)
        status = check_plain(input, input->chunk, input->to, error);
    if (status != PM_OK)
        return status;
    bool is_ready = true;
    if (format == GZIP)
        is_ready = inflateInit2(&input->gzip, MAX_WBITS + 16) == Z_OK; /* 16: gzip headers only */
    if (format == ZSTD)
        is_ready = (input->zstd = ZSTD_createDCtx()) != NULL;
    if (!is_ready)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory to unpack '%s'", input->name);
    input->format = format;
    return PM_OK;
}

static enum pm_status read_plain(struct pm_input *input, void *buffer, size_t size, size_t *got,
                                 struct pm_error *error)
{
    const size_t kept = input->to - input->from;
    if (kept == 0)
        return input->at_end ? PM_OK : read_some(input, buffer, size, got, error);
    *got = kept < size ? kept : size;
    memcpy(buffer, input->chunk + input->from, *got);
    input->from += *got;
    return PM_OK;
}

static enum pm_status damaged(const struct pm_input *input, const char *kind, const char *what,
                              struct pm_error *error)
{
    return pm_fail(error, PM_ERROR_PARSE, "'%s' is a damaged %s file: %s", input->name, kind, what);
}

/* Unpacks what the chunk holds; may come out with no byte. */
static enum pm_status inflate_some(struct pm_input *input, void *buffer, size_t size, size_t *got,
                                   struct pm_error *error)
{
    z_stream *const gzip = &input->gzip;
    if (!input->in_member && inflateReset(gzip) != Z_OK)
        return damaged(input, "gzip", "it can't be begun anew", error);
    gzip->next_in = input->chunk + input->from;
    gzip->avail_in = (unsigned)(input->to - input->from);
    gzip->next_out = buffer;
    gzip->avail_out = size < CHUNK_SIZE ? (unsigned)size : CHUNK_SIZE;
    const unsigned room = gzip->avail_out;
    const int result = inflate(gzip, Z_NO_FLUSH);
    input->from = input->to - gzip->avail_in;
    *got = room - gzip->avail_out;
    input->in_member = result != Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return PM_OK;
    if (result == Z_MEM_ERROR)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory to unpack '%s'", input->name);
    return damaged(input, "gzip", gzip->msg != NULL ? gzip->msg : zError(result), error);
}

static enum pm_status decompress_some(struct pm_input *input, void *buffer, size_t size,
                                      size_t *got, struct pm_error *error)
{
    ZSTD_inBuffer in = {.src = input->chunk, .size = input->to, .pos = input->from};
    ZSTD_outBuffer out = {.dst = buffer, .size = size};
    const size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
    input->from = in.pos;
    *got = out.pos;
    if (ZSTD_isError(result))
        return damaged(input, "zstd", ZSTD_getErrorName(result), error);
    input->in_member = result != 0;
    return PM_OK;
}

static enum pm_status read_packed(struct pm_input *input, void *buffer, size_t size, size_t *got,
                                  struct pm_error *error)
{
    const bool is_gzip = input->format == GZIP;
    enum pm_status status = PM_OK;
    while (status == PM_OK && *got == 0) {
        status = need(input, 1, error);
        if (status != PM_OK || (input->from == input->to && !input->in_member))
            break;
        /* Without a byte more the unpacker may still have some to give. */
        const bool is_last = input->from == input->to;
        status = (is_gzip ? inflate_some : decompress_some)(input, buffer, size, got, error);
        if (status == PM_OK && is_last && *got == 0 && input->in_member)
            status = damaged(input, is_gzip ? "gzip" : "zstd", "it is cut off", error);
    }
    return status;
}

enum pm_status pm_input_read(struct pm_input *input, void *buffer, size_t size, size_t *got,
                             struct pm_error *error)
{
    enum pm_status status = PM_OK;
    *got = 0;
    if (input->format == UNKNOWN)
        status = begin(input, error);
    if (status != PM_OK || size == 0)
        return status;
    status = (input->format == PLAIN ? read_plain : read_packed)(input, buffer, size, got, error);
    if (status != PM_OK)
        *got = 0; /* what came with the damage is not to be used */
    return status;
}
