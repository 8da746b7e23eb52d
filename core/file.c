/* SPDX-License-Identifier: MIT */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum pm_status fail_with_errno(struct pm_error *error, const char *doing, const char *path)
{
    const int code = errno;
    return pm_fail(error, PM_ERROR_IO, "cannot %s '%s': %s", doing, path, strerror(code));
}

enum pm_status pm_file_read(const char *path, char **text, size_t *size, struct pm_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "cannot open '%s': %s", path, strerror(errno));
    enum pm_status status = PM_OK;
    char chunk[1 << 14];
    size_t got;
    *text = NULL;
    FILE *memory = open_memstream(text, size);
    if (memory == NULL) {
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
        goto close;
    }
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        fwrite(chunk, 1, got, memory);
    if (ferror(file))
        status = fail_with_errno(error, "read", path);
    if (fclose(memory) != 0)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    if (status != PM_OK) {
        free(*text);
        *text = NULL;
    }
close:
    fclose(file);
    return status;
}

static bool write_all(int descriptor, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(descriptor, text, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static enum pm_status write_directly(const char *path, const char *text, size_t size,
                                     struct pm_error *error)
{
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_with_errno(error, "open", path);
    const bool is_written = write_all(descriptor, text, size);
    if (close(descriptor) != 0 || !is_written)
        return fail_with_errno(error, "write", path);
    return PM_OK;
}

static mode_t mode_of_new_file(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static enum pm_status write_and_rename(const char *path, mode_t mode, const char *text, size_t size,
                                       struct pm_error *error)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    enum pm_status status = PM_OK;
    const int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0) {
        status = fail_with_errno(error, "write", path);
        goto release;
    }
    bool is_good = write_all(descriptor, text, size) && fchmod(descriptor, mode) == 0 &&
                   fsync(descriptor) == 0;
    is_good = close(descriptor) == 0 && is_good;
    if (!is_good || rename(temporary, path) != 0) {
        status = fail_with_errno(error, "write", path);
        unlink(temporary);
    }
release:
    free(temporary);
    return status;
}

enum pm_status pm_file_write(const char *path, const char *text, size_t size,
                             struct pm_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return write_and_rename(path, mode_of_new_file(), text, size, error);
    if (!S_ISREG(info.st_mode))
        return write_directly(path, text, size, error);
    /* The file behind a symbolic link is replaced, not the link. */
    char *target = realpath(path, NULL);
    if (target == NULL)
        return fail_with_errno(error, "find", path);
    const enum pm_status status = write_and_rename(target, info.st_mode & 07777, text, size, error);
    free(target);
    return status;
}

enum pm_status pm_file_check_writable(const char *path, struct pm_error *error)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return pm_fail(error, PM_ERROR_IO, "cannot write '%s': it is a folder", path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return access(path, W_OK) == 0 ? PM_OK : fail_with_errno(error, "write", path);
    char *copy = strdup(path);
    if (copy == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    const bool is_writable = access(dirname(copy), W_OK | X_OK) == 0;
    const enum pm_status status = is_writable ? PM_OK : fail_with_errno(error, "write", path);
    free(copy);
    return status;
}
