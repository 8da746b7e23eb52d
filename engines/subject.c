/* SPDX-License-Identifier: MIT */
#include "engines/internal.h"

#include "core/mode.h"
#include "core/position.h"
#include "core/quote.h"
#include "core/state.h"
#include "engines/divide.h"
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
    void *library; /* of a plug-in, or NULL */
    char *word;
    struct pm_kernel renamed; /* a plug-in's kernel under the word that opened it */
};

static enum pm_status divide_by_kernel(struct pm_subject *subject, const struct pm_line *line,
                                       int depth, struct pm_divide *divide,
                                       enum pm_subject_failure *failure, struct pm_error *error)
{
    const struct hosted *hosted = subject->context;
    struct pm_error cause;
    const enum pm_status played = pm_line_play(hosted->kernel, hosted->state, line);
    *failure = PM_SUBJECT_FINE;
    if (played != PM_OK)
        return pm_subject_fail(
            played == PM_ERROR_UNSUPPORTED ? PM_SUBJECT_REFUSED : PM_SUBJECT_LIED, failure, error,
            "the kernel does not go there: %s", pm_status_text(played));
    const enum pm_status status =
        pm_divide_make(hosted->kernel, hosted->mode, hosted->state, depth,
                       pm_kernel_depth_limit(line->position), line->chess960, divide, &cause);
    if (status == PM_OK)
        return PM_OK;
    return pm_subject_fail(status == PM_ERROR_MISMATCH ? PM_SUBJECT_LIED : PM_SUBJECT_REFUSED,
                           failure, error, "%s", cause.text);
}

static void close_kernel(struct pm_subject *subject)
{
    struct hosted *hosted = subject->context;
    pm_plugin_close(hosted->library);
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
static enum pm_status rename_kernel(struct pm_subject *subject, void *library, const char *word,
                                    struct pm_error *error)
{
    struct hosted *hosted = subject->context;
    hosted->library = library;
    hosted->word = strdup(word);
    if (hosted->word == NULL) {
        close_kernel(subject);
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    hosted->renamed = *hosted->kernel;
    hosted->renamed.name = hosted->word;
    hosted->kernel = &hosted->renamed;
    subject->kernel = &hosted->renamed;
    subject->external = true;
    return PM_OK;
}

static enum pm_status open_plugin(const char *word, const char *path, enum pm_mode mode,
                                  struct pm_subject *subject, struct pm_error *error)
{
    const struct pm_kernel *kernel;
    void *library;
    enum pm_status status = pm_plugin_open(path, &library, &kernel, error);
    if (status != PM_OK)
        return status;
    status = host(kernel, mode, subject, error);
    if (status == PM_OK)
        return rename_kernel(subject, library, word, error);
    pm_plugin_close(library);
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

/* In a process of its own, as a UCI engine. */
static enum pm_status open_sandbox(const char *word, bool is_plugin,
                                   const struct pm_subject_options *options,
                                   struct pm_subject *subject, struct pm_error *error)
{
    const struct pm_kernel *kernel;
    const char *const extra[] = {"uci", "-k", word, "--mode", pm_mode_text(options->mode), NULL};
    if (!is_plugin && find_kernel(word, &kernel, error) != PM_OK)
        return error != NULL ? error->status : PM_ERROR_ARGUMENT;
    const enum pm_status status =
        pm_subject_use_uci(options->sandbox, extra, options, subject, error);
    subject->external = is_plugin;
    return status;
}

/* What follows the prefix, or NULL. */
static const char *after(const char *prefix, const char *word)
{
    const size_t length = strlen(prefix);
    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static enum pm_status open_word(const char *word, const struct pm_subject_options *options,
                                struct pm_subject *subject, struct pm_error *error)
{
    const char *uci = after("uci:", word);
    const char *script = after("cmd:", word);
    const char *plugin = after("so:", word);
    if (uci != NULL)
        return pm_subject_use_uci(uci, NULL, options, subject, error);
    if (script != NULL)
        return pm_subject_use_script(script, options, subject, error);
    if (options->sandbox != NULL)
        return open_sandbox(word, plugin != NULL, options, subject, error);
    if (plugin != NULL)
        return open_plugin(word, plugin, options->mode, subject, error);
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
    if (chosen.time_limit <= 0)
        chosen.time_limit = DEFAULT_TIME_LIMIT;
    const enum pm_status status = open_word(word, &chosen, opened, error);
    if (status == PM_OK)
        *subject = opened;
    else
        free(opened);
    return status;
}

void pm_subject_close(struct pm_subject *subject)
{
    if (subject == NULL)
        return;
    subject->close(subject);
    free(subject);
}
