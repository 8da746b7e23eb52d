/* SPDX-License-Identifier: MIT */
/* Reports as files. */
#include "core/file.h"
#include "verify/writers.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*write)(const struct pm_verify_report *report, FILE *file);
} formats[PM_VERIFY_FORMAT_COUNT] = {
    [PM_VERIFY_JSON] = {"JSON", pm_verify_write_json},
    [PM_VERIFY_TAP] = {"TAP", pm_verify_write_tap},
    [PM_VERIFY_JUNIT] = {"JUnit", pm_verify_write_junit},
};

enum pm_status pm_verify_format(const struct pm_verify_report *report, enum pm_verify_format format,
                                char **text, size_t *size, struct pm_error *error)
{
    *text = NULL;
    FILE *file = open_memstream(text, size);
    bool is_written = file != NULL && formats[format].write(report, file);
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (is_written)
        return PM_OK;
    free(*text);
    *text = NULL;
    return pm_fail(error, PM_ERROR_MEMORY, "out of memory for the %s report", formats[format].name);
}

static enum pm_status print(const char *text, size_t size, struct pm_error *error)
{
    return fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0
               ? PM_OK
               : pm_fail(error, PM_ERROR_IO, "standard output could not be written");
}

enum pm_status pm_verify_write(const struct pm_verify_report *report, enum pm_verify_format format,
                               const char *path, struct pm_error *error)
{
    char *text = NULL;
    size_t size = 0;
    enum pm_status status = pm_verify_format(report, format, &text, &size, error);
    if (status == PM_OK)
        status = strcmp(path, "-") == 0 ? print(text, size, error)
                                        : pm_file_write(path, text, size, error);
    free(text);
    return status;
}
