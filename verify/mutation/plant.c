/* SPDX-License-Identifier: MIT */
/* Mutated copies of a kernel's sources, and their compilation. */
#include "verify/mutation/mutants.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

/* ---- Planting ---- */

/* A part of a text. */
struct span {
    const char *begin, *end;
};

static bool is_blank(char c)
{
    return isspace((unsigned char)c) != 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of a match of `find` at text, or NULL. Any run of blanks matches any other. */
static const char *match(const char *text, const char *end, const char *find)
{
    while (*find != '\0' && text < end) {
        if (is_blank(*find)) {
            if (!is_blank(*text))
                return NULL;
            while (is_blank(*find))
                find++;
            while (text < end && is_blank(*text))
                text++;
        } else if (*find++ != *text++) {
            return NULL;
        }
    }
    return *find == '\0' ? text : NULL;
}

/* How often `find` occurs in a span; *found is the last place. */
static unsigned search(struct span span, const char *find, struct span *found)
{
    unsigned count = 0;
    for (const char *at = span.begin; at < span.end; at++) {
        const char *end = match(at, span.end, find);
        if (end != NULL) {
            *found = (struct span){at, end};
            count++;
        }
    }
    return count;
}

/* The line after the one at text, or the end of the text. */
static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end == NULL ? text + strlen(text) : end + 1;
}

/* Whether the line begins a definition of the function: in column 1, its name before a '(', and the
 * next line that begins in column 1 is its '{'. */
static bool is_definition(const char *line, const char *function)
{
    const size_t length = strlen(function);
    const char *const end = next_line(line);
    const char *name = line;

    if (is_blank(*line))
        return false;
    do {
        name = strstr(name + 1, function);
        if (name == NULL || name >= end)
            return false;
    } while (is_word(name[-1]) || name[length] != '(');
    for (line = end; is_blank(*line);)
        line = next_line(line);
    return *line == '{';
}

/* A function's definition, or the whole text if function is "". */
static bool find_function(const char *text, const char *function, struct span *span)
{
    *span = (struct span){text, text + strlen(text)};
    if (*function == '\0')
        return true;
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        if (is_definition(line, function)) {
            span->begin = line;
            while (*line != '\0' && *line != '}')
                line = next_line(line);
            span->end = line;
            return true;
        }
    }
    return false;
}

/* The text with the bug in it, to be freed. */
static char *mutated(const char *text, const struct mutant *mutant, struct pm_error *error)
{
    struct span function, found;
    char title[MUTANT_TITLE_SIZE];
    char *result = NULL;

    mutant_title(mutant, title);
    if (!find_function(text, mutant->function, &function)) {
        pm_fail(error, PM_ERROR_PARSE, "%s: no function %s() in %s", title, mutant->function,
                mutant->file);
        return NULL;
    }
    const unsigned count = search(function, mutant->find, &found);
    if (count != 1) {
        pm_fail(error, PM_ERROR_PARSE, "%s: its text occurs %u times in %s %s, once is needed",
                title, count, mutant->file, mutant->function);
        return NULL;
    }
    if (asprintf(&result, "%.*s%s%s", (int)(found.begin - text), text, mutant->replace, found.end) <
        0) {
        pm_fail(error, PM_ERROR_MEMORY, "no memory for a copy of %s", mutant->file);
        return NULL;
    }
    return result;
}

static enum pm_status write_text(const char *path, const char *text, struct pm_error *error)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    const bool written = fputs(text, file) >= 0;
    if (fclose(file) != 0 || !written)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", path, strerror(errno));
    return PM_OK;
}

static enum pm_status copy_file(const char *from, const char *to, const struct mutant *mutant,
                                const char *name, uint64_t *hash, struct pm_error *error)
{
    char *text = read_whole_file(from, error);
    if (text == NULL)
        return PM_ERROR_IO;
    if (strcmp(name, mutant->file) == 0) {
        char *changed = mutated(text, mutant, error);
        free(text);
        text = changed;
        if (text == NULL)
            return PM_ERROR_PARSE;
    }
    *hash = hash_text(hash_text(*hash, name), text);
    const enum pm_status status = write_text(to, text, error);
    free(text);
    return status;
}

static int is_source(const struct dirent *file)
{
    const char *dot = strrchr(file->d_name, '.');
    return dot != NULL && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0);
}

/* The folder and those above it, as far as they lie in the work folder. */
static void make_folders(const struct workshop *workshop, const char *kernel)
{
    char path[WORK_PATH_SIZE];
    mkdir(workshop->work, 0777);
    snprintf(path, sizeof path, "%s/kernels", workshop->work);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/kernels/%s", workshop->work, kernel);
    mkdir(path, 0777);
}

enum pm_status plant(const struct workshop *workshop, const struct mutant *mutant, uint64_t *hash,
                     struct pm_error *error)
{
    char folder[WORK_PATH_SIZE];
    struct dirent **files = NULL;
    enum pm_status status = PM_OK;

    snprintf(folder, sizeof folder, "%s/kernels/%s", workshop->source, mutant->kernel);
    const int count = scandir(folder, &files, is_source, alphasort);
    if (count < 0)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", folder, strerror(errno));
    make_folders(workshop, mutant->kernel);
    *hash = HASH_START;
    bool planted = *mutant->file == '\0';
    for (int i = 0; i < count; i++) {
        const char *name = files[i]->d_name;
        char from[2 * WORK_PATH_SIZE], to[2 * WORK_PATH_SIZE];
        snprintf(from, sizeof from, "%s/%s", folder, name);
        snprintf(to, sizeof to, "%s/kernels/%s/%s", workshop->work, mutant->kernel, name);
        if (status == PM_OK)
            status = copy_file(from, to, mutant, name, hash, error);
        planted |= strcmp(name, mutant->file) == 0;
        free(files[i]);
    }
    free(files);
    if (status == PM_OK && !planted)
        status = pm_fail(error, PM_ERROR_PARSE, "%s/%s: no file %s", mutant->kernel, mutant->name,
                         mutant->file);
    return status;
}

/* ---- Building ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The command that the build tree compiles the kernel with, to be freed. */
static char *compile_command(const struct workshop *workshop, const char *kernel,
                             struct pm_error *error)
{
    char path[WORK_PATH_SIZE], source[WORK_PATH_SIZE];
    json_error_t reason;
    char *command = NULL;

    snprintf(path, sizeof path, "%s/compile_commands.json", workshop->build);
    snprintf(source, sizeof source, "/kernels/%s/%s.c", kernel, kernel);
    json_t *list = json_load_file(path, 0, &reason);
    if (list == NULL) {
        pm_fail(error, PM_ERROR_IO, "%s: %s", path, reason.text);
        return NULL;
    }
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *text = json_string_value(json_object_get(entry, "command"));
        if (command == NULL && file != NULL && text != NULL && ends_with(file, source))
            command = strdup(text);
    }
    json_decref(list);
    if (command == NULL)
        pm_fail(error, PM_ERROR_UNSUPPORTED, "%s: kernel %s is not built here", path, kernel);
    return command;
}

static enum pm_status run(char *const argv[], const char *log, struct pm_error *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int code = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0)
        return pm_fail(error, PM_ERROR_IO, "%s: %s", argv[0], strerror(code));
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? PM_OK
               : pm_fail(error, PM_ERROR_PARSE, "the compiler fails, see %s", log);
}

/* The words of the build tree's command but for its input and output, which are ours. */
static enum pm_status compile(const struct workshop *workshop, wordexp_t *words, char *source,
                              char *object, struct pm_error *error)
{
    char include[WORK_PATH_SIZE], log[WORK_PATH_SIZE];
    char own[][12] = {"-w", "-O1", "-fPIC", "-shared", "-o"};
    enum { OWN_COUNT = sizeof own / sizeof *own };
    char **argv = calloc(words->we_wordc + OWN_COUNT + 4, sizeof *argv);
    size_t count = 0;

    if (argv == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for a command");
    snprintf(include, sizeof include, "-I%s", workshop->work);
    snprintf(log, sizeof log, "%s/compiler.log", workshop->work);
    argv[count++] = words->we_wordv[0];
    argv[count++] = include; /* before the project's own folder */
    for (size_t i = 1; i < words->we_wordc; i++) {
        if (strcmp(words->we_wordv[i], "-o") == 0 || strcmp(words->we_wordv[i], "-c") == 0)
            i++;
        else
            argv[count++] = words->we_wordv[i];
    }
    for (size_t i = 0; i < OWN_COUNT; i++)
        argv[count++] = own[i];
    argv[count++] = object;
    argv[count++] = source;
    const enum pm_status status = run(argv, log, error);
    free(argv);
    return status;
}

enum pm_status build_planted(const struct workshop *workshop, const struct mutant *mutant,
                             char object[WORK_PATH_SIZE], struct pm_error *error)
{
    const char *kernel = mutant->kernel;
    char source[WORK_PATH_SIZE];
    wordexp_t words;
    struct pm_error reason;

    char *command = compile_command(workshop, kernel, error);
    if (command == NULL)
        return PM_ERROR_UNSUPPORTED;
    const int code = wordexp(command, &words, WRDE_NOCMD);
    free(command);
    if (code != 0)
        return pm_fail(error, PM_ERROR_PARSE, "compile_commands.json: can't split the command");
    snprintf(source, sizeof source, "%s/kernels/%s/%s.c", workshop->work, kernel, kernel);
    snprintf(object, WORK_PATH_SIZE, "%s/planted.so", workshop->work);
    const enum pm_status status = compile(workshop, &words, source, object, &reason);
    wordfree(&words);
    return status == PM_OK ? PM_OK
                           : pm_fail(error, status, "%s/%s: %s", kernel, mutant->name, reason.text);
}
