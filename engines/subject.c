/* SPDX-License-Identifier: MIT */
#include "engines/internal.h"

#include "core/mode.h"
#include "core/position.h"
#include "core/quote.h"
#include "core/state.h"
#include "engines/divide.h"
#include "engines/engine_file.h"
#include "engines/guest.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIME_LIMIT 10.0 /* seconds */

/* ---- Kernels in this process ---- */

struct hosted {
    const struct pm_kernel *kernel;
    enum pm_mode mode;
    void *state;
    void *library;          /* of a plug-in, or NULL */
    struct pm_guest *guest; /* a plug-in in a process of its own, or NULL */
    char *word;
    struct pm_kernel renamed; /* a plug-in's kernel under the word that opened it */
};

/* How a kernel failed by this status. */
static enum pm_subject_failure failure_of(enum pm_status status)
{
    switch (status) {
    case PM_ERROR_UNSUPPORTED:
        return PM_SUBJECT_REFUSED;
    case PM_ERROR_CRASHED:
        return PM_SUBJECT_CRASHED;
    case PM_ERROR_HUNG:
        return PM_SUBJECT_HUNG;
    default:
        return PM_SUBJECT_GARBAGE;
    }
}

/* With what is known of a guest's end. */
static enum pm_status fail_by(const struct hosted *hosted, enum pm_status status, const char *text,
                              enum pm_subject_failure *failure, struct pm_error *error)
{
    char cause[PM_GUEST_CAUSE_SIZE] = "";
    if (status == PM_ERROR_INTERRUPTED)
        return pm_fail(error, status, "interrupted");
    if (hosted->guest != NULL && status != PM_ERROR_UNSUPPORTED)
        pm_guest_cause(hosted->guest, cause);
    return pm_subject_fail(failure_of(status), failure, error, "%s%s%s", text,
                           cause[0] != '\0' ? "; first seen: " : "", cause);
}

static enum pm_status divide_by_kernel(struct pm_subject *subject, const struct pm_line *line,
                                       int depth, struct pm_divide *divide,
                                       enum pm_subject_failure *failure, struct pm_error *error)
{
    const struct hosted *hosted = subject->context;
    struct pm_error cause;
    char text[128];
    const enum pm_status played = pm_line_play(hosted->kernel, hosted->state, line);
    *failure = PM_SUBJECT_FINE;
    if (played != PM_OK) {
        snprintf(text, sizeof text, "the kernel does not go there: %s", pm_status_text(played));
        return fail_by(hosted, played, text, failure, error);
    }
    const enum pm_status status =
        pm_divide_make(hosted->kernel, hosted->mode, hosted->state, depth,
                       pm_kernel_depth_limit(line->position), line->chess960, divide, &cause);
    return status == PM_OK ? PM_OK : fail_by(hosted, status, cause.text, failure, error);
}

static void close_kernel(struct pm_subject *subject)
{
    struct hosted *hosted = subject->context;
    pm_plugin_close(hosted->library);
    pm_guest_close(hosted->guest);
    free(hosted->word);
    free(hosted->state);
    free(hosted);
}

static enum pm_status host(const struct pm_kernel *kernel, enum pm_mode mode,
                           struct pm_subject *subject, struct pm_error *error)
{
    struct hosted *hosted = calloc(1, sizeof *hosted);
    void *state = pm_new_state(kernel);
    if (hosted == NULL || state == NULL) {
        free(hosted);
        free(state);
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    hosted->kernel = kernel;
    hosted->mode = pm_divide_mode(kernel, mode);
    hosted->state = state;
    subject->kernel = kernel;
    subject->chess960 = (kernel->capabilities & PM_CAN_CHESS960) != 0;
    subject->divide = divide_by_kernel;
    subject->close = close_kernel;
    subject->context = hosted;
    return PM_OK;
}

/* Makes it a plug-in's: reports shall not take it for a kernel of ours that has the same name. */
static enum pm_status rename_kernel(struct pm_subject *subject, const char *word,
                                    struct pm_error *error)
{
    struct hosted *hosted = subject->context;
    hosted->word = strdup(word);
    if (hosted->word == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    hosted->renamed = *hosted->kernel;
    hosted->renamed.name = hosted->word;
    hosted->kernel = &hosted->renamed;
    subject->kernel = &hosted->renamed;
    subject->external = true;
    return PM_OK;
}

/* In this process, or as a guest. */
static enum pm_status open_plugin(const char *word, const char *path,
                                  const struct pm_subject_options *options,
                                  struct pm_subject *subject, struct pm_error *error)
{
    struct pm_subject_options own = *options;
    own.host = options->host != NULL ? options->host : options->sandbox;
    const bool is_guest = own.host != NULL && !options->in_process;
    const struct pm_kernel *kernel = NULL;
    struct pm_guest *guest = NULL;
    void *library = NULL;
    enum pm_status status = is_guest ? pm_guest_open(path, &own, &guest, error)
                                     : pm_plugin_open(path, &library, &kernel, error);
    if (status != PM_OK)
        return status;
    status = host(is_guest ? pm_guest_kernel(guest) : kernel, options->mode, subject, error);
    if (status != PM_OK) {
        pm_guest_close(guest);
        pm_plugin_close(library);
        return status;
    }
    struct hosted *hosted = subject->context;
    hosted->library = library;
    hosted->guest = guest;
    status = rename_kernel(subject, word, error);
    if (status != PM_OK)
        close_kernel(subject);
    return status;
}

/* ---- Opening ---- */

static enum pm_status find_kernel(const char *name, const struct pm_kernel **kernel,
                                  struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    *kernel = pm_kernel_find(name);
    if (*kernel == NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no kernel is named %s; `plymark list` shows them",
                       pm_quote(name, strlen(name), quoted));
    return pm_kernel_check(*kernel, error);
}

static enum pm_status open_kernel(const char *name, enum pm_mode mode, struct pm_subject *subject,
                                  struct pm_error *error)
{
    const struct pm_kernel *kernel;
    enum pm_status status = find_kernel(name, &kernel, error);
    if (status != PM_OK)
        return status;
    status = pm_kernel_ready(kernel, error);
    return status == PM_OK ? host(kernel, mode, subject, error) : status;
}

/* A kernel of ours in a process of its own, as a UCI engine. */
static enum pm_status open_sandbox(const char *word, const struct pm_subject_options *options,
                                   struct pm_subject *subject, struct pm_error *error)
{
    const struct pm_kernel *kernel;
    const char *const extra[] = {"uci", "-k", word, "--mode", pm_mode_text(options->mode), NULL};
    struct pm_error cause = {0};
    if (find_kernel(word, &kernel, &cause) != PM_OK)
        return pm_fail(error, cause.status, "%s", cause.text);
    const enum pm_status status =
        pm_subject_use_uci(options->sandbox, extra, &pm_dialect_uci, options, subject, error);
    subject->external = false;
    return status;
}

/* What follows the prefix, or NULL. */
static const char *after(const char *prefix, const char *word)
{
    const size_t length = strlen(prefix);
    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static enum pm_status open_engine_file(const char *word, const struct pm_subject_options *options,
                                       struct pm_subject *subject, struct pm_error *error)
{
    struct pm_engine_file *file;
    struct pm_subject_options own = *options;
    const enum pm_status status = pm_engine_file_read(word, options->engine_folder, &file, error);
    if (status != PM_OK)
        return status;
    subject->file = file;
    own.no_chess960 = options->no_chess960 || file->no_chess960;
    if (!options->has_time_limit && file->time_limit > 0)
        own.time_limit = file->time_limit;
    if (file->protocol == PM_ENGINE_CMD)
        return pm_subject_use_script(file->command, file->dialect.patterns, &own, subject, error);
    return pm_subject_use_uci(file->command, NULL, &file->dialect, &own, subject, error);
}

static enum pm_status open_word(const char *word, const struct pm_subject_options *options,
                                struct pm_subject *subject, struct pm_error *error)
{
    const char *uci = after("uci:", word);
    const char *script = after("cmd:", word);
    const char *plugin = after("so:", word);
    const char *engine = after("engine:", word);
    if (uci != NULL)
        return pm_subject_use_uci(uci, NULL, &pm_dialect_uci, options, subject, error);
    if (script != NULL)
        return pm_subject_use_script(script, NULL, options, subject, error);
    if (engine != NULL)
        return open_engine_file(engine, options, subject, error);
    if (plugin != NULL)
        return open_plugin(word, plugin, options, subject, error);
    if (options->sandbox != NULL)
        return open_sandbox(word, options, subject, error);
    return open_kernel(word, options->mode, subject, error);
}

enum pm_status pm_subject_open(const char *word, const struct pm_subject_options *options,
                               struct pm_subject **subject, struct pm_error *error)
{
    struct pm_subject_options chosen = options != NULL ? *options : (struct pm_subject_options){0};
    struct pm_subject *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    snprintf(opened->name, sizeof opened->name, "%s", word);
    for (char *c = opened->name; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    chosen.has_time_limit = chosen.time_limit > 0;
    if (!chosen.has_time_limit)
        chosen.time_limit = DEFAULT_TIME_LIMIT;
    const enum pm_status status = open_word(word, &chosen, opened, error);
    if (status == PM_OK) {
        *subject = opened;
    } else {
        pm_engine_file_free(opened->file);
        free(opened);
    }
    return status;
}

void pm_subject_close(struct pm_subject *subject)
{
    if (subject == NULL)
        return;
    subject->close(subject);
    pm_engine_file_free(subject->file);
    free(subject);
}

char *pm_subject_cause(const struct pm_subject *subject, char text[PM_SUBJECT_CAUSE_SIZE])
{
    const struct hosted *hosted = subject->divide == divide_by_kernel ? subject->context : NULL;
    text[0] = '\0';
    return hosted != NULL && hosted->guest != NULL ? pm_guest_cause(hosted->guest, text) : text;
}
