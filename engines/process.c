/* SPDX-License-Identifier: MIT */
#include "engines/process.h"

#include "core/clock.h"
#include "core/quote.h"
#include "engines/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

enum { STDERR_KEPT = 512, STOP_CHECK_MS = 100 };

struct pm_process {
    struct pm_keeper keeper;
    bool has_ended;
    int exit_status; /* once it has */
    const atomic_bool *stop;
    int in; /* a socket: MSG_NOSIGNAL spares us SIGPIPE */
    int out, err;
    size_t allowed;    /* bytes that may still be read */
    size_t start, end; /* what is in the buffer and not yet given as a line */
    size_t error_length;
    char errors[STDERR_KEPT + 1]; /* the end of its standard error */
    char buffer[PM_PROCESS_MAX_LINE];
};

/* ---- Starting ---- */

/* The words of command and extra; free the array, then the words. NULL if there is no memory. */
static char **collect_arguments(const wordexp_t *words, const char *const extra[])
{
    size_t count = 0;
    while (extra != NULL && extra[count] != NULL)
        count++;
    char **arguments = calloc(words->we_wordc + count + 1, sizeof *arguments);
    if (arguments == NULL)
        return NULL;
    memcpy(arguments, words->we_wordv, words->we_wordc * sizeof *arguments);
    if (count > 0)
        memcpy(arguments + words->we_wordc, extra, count * sizeof *arguments);
    return arguments;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* Ours and the child's ends of in, out and err. */
static bool open_pipes(struct pm_process *process, int theirs[3])
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int err[2] = {-1, -1};
    const bool opened =
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
        pipe2(err, O_CLOEXEC) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(err[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(in[0], F_SETFL, O_NONBLOCK) == 0;
    process->in = in[0];
    process->out = out[0];
    process->err = err[0];
    theirs[0] = in[1];
    theirs[1] = out[1];
    theirs[2] = err[1];
    return opened;
}

static enum pm_status say_no_program(const char *program, int cause, struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    const bool is_wrong = cause == ENOENT || cause == EACCES || cause == ENOEXEC;
    return pm_fail(error, is_wrong ? PM_ERROR_ARGUMENT : PM_ERROR_IO, "can't run %s: %s",
                   pm_quote(program, strlen(program), quoted), strerror(cause));
}

static enum pm_status start(struct pm_process *process, const wordexp_t *words,
                            const char *const extra[], struct pm_error *error)
{
    int theirs[3];
    char **arguments = collect_arguments(words, extra);
    if (arguments == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    const int failed =
        open_pipes(process, theirs) ? pm_keeper_start(&process->keeper, arguments, theirs) : errno;
    for (int i = 0; i < 3; i++)
        close_end(&theirs[i]);
    free(arguments);
    return failed == 0 ? PM_OK : say_no_program(words->we_wordv[0], failed, error);
}

/* At least one word, to be freed by wordfree(). */
static enum pm_status split(const char *command, wordexp_t *words, struct pm_error *error)
{
    char quoted[PM_QUOTE_SIZE];
    if (wordexp(command, words, WRDE_NOCMD | WRDE_UNDEF) != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "can't split %s into words",
                       pm_quote(command, strlen(command), quoted));
    if (words->we_wordc > 0)
        return PM_OK;
    wordfree(words);
    return pm_fail(error, PM_ERROR_ARGUMENT, "the name of a program is missing");
}

static bool is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

static bool is_on_path(const char *program)
{
    const char *folders = getenv("PATH");
    bool found = false;
    while (folders != NULL && !found) {
        char path[PATH_MAX];
        const size_t length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, length > 0 ? folders : ".", program);
        found = is_program(path);
        folders = folders[length] == ':' ? folders + length + 1 : NULL;
    }
    return found;
}

enum pm_status pm_process_check(const char *command, struct pm_error *error)
{
    wordexp_t words;
    enum pm_status status = split(command, &words, error);
    if (status != PM_OK)
        return status;
    const char *program = words.we_wordv[0];
    const bool is_there = strchr(program, '/') != NULL ? is_program(program) : is_on_path(program);
    if (!is_there)
        status = say_no_program(program, ENOENT, error);
    wordfree(&words);
    return status;
}

enum pm_status pm_process_open(const char *command, const char *const extra[],
                               const atomic_bool *stop, struct pm_process **process,
                               struct pm_error *error)
{
    wordexp_t words;
    struct pm_process *opened;
    enum pm_status status = split(command, &words, error);
    if (status != PM_OK)
        return status;
    opened = calloc(1, sizeof *opened);
    if (opened != NULL) {
        opened->keeper = (struct pm_keeper){.ends = -1, .status = -1};
        opened->in = opened->out = opened->err = -1;
        opened->stop = stop;
        status = start(opened, &words, extra, error);
    } else {
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    wordfree(&words);
    if (status == PM_OK)
        *process = opened;
    else
        pm_process_close(opened);
    return status;
}

/* ---- Talking ---- */

static int milliseconds_until(uint64_t deadline)
{
    const uint64_t now = pm_clock_ns();
    const uint64_t left = now < deadline ? (deadline - now + 999999) / 1000000 : 0;
    return left < INT_MAX ? (int)left : INT_MAX;
}

static void read_errors(struct pm_process *process)
{
    char chunk[STDERR_KEPT];
    ssize_t count;
    while ((count = read(process->err, chunk, sizeof chunk)) > 0) {
        const size_t added = (size_t)count;
        const size_t kept = process->error_length + added <= STDERR_KEPT ? process->error_length
                                                                         : STDERR_KEPT - added;
        memmove(process->errors, process->errors + process->error_length - kept, kept);
        memcpy(process->errors + kept, chunk, added);
        process->error_length = kept + added;
        process->errors[process->error_length] = '\0';
        if (added < sizeof chunk) /* or a flood of it would hold us here */
            return;
    }
    if (count == 0)
        close_end(&process->err);
}

/* Waits for any of `events` on fd, taking up standard error meanwhile. */
static enum pm_process_result wait_for(struct pm_process *process, int fd, short events,
                                       uint64_t deadline)
{
    for (;;) {
        struct pollfd polled[2] = {{.fd = fd, .events = events},
                                   {.fd = process->err, .events = POLLIN}};
        const int left = milliseconds_until(deadline);
        const int ready = poll(polled, 2, left < STOP_CHECK_MS ? left : STOP_CHECK_MS);
        if (ready < 0 && errno != EINTR)
            return PM_PROCESS_ENDED;
        if (ready > 0 && polled[0].revents != 0)
            return PM_PROCESS_FINE;
        if (ready > 0)
            read_errors(process);
        if (process->stop != NULL && atomic_load(process->stop))
            return PM_PROCESS_STOPPED;
        if (pm_clock_ns() >= deadline)
            return PM_PROCESS_LATE;
    }
}

enum pm_process_result pm_process_write(struct pm_process *process, const char *text,
                                        uint64_t deadline)
{
    return pm_process_write_data(process, text, strlen(text), deadline);
}

enum pm_process_result pm_process_write_data(struct pm_process *process, const void *data,
                                             size_t size, uint64_t deadline)
{
    const char *text = data;
    size_t left = size;
    while (left > 0) {
        const ssize_t written = send(process->in, text, left, MSG_NOSIGNAL);
        if (written >= 0) {
            text += written;
            left -= (size_t)written;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return PM_PROCESS_ENDED;
        const enum pm_process_result result = wait_for(process, process->in, POLLOUT, deadline);
        if (result != PM_PROCESS_FINE)
            return result;
    }
    return PM_PROCESS_FINE;
}

/* Whether the buffer holds a whole line; then it is taken out. */
static bool take_line(struct pm_process *process, const char **line, size_t *length)
{
    char *begin = process->buffer + process->start;
    const char *newline = memchr(begin, '\n', process->end - process->start);
    if (newline == NULL)
        return false;
    *line = begin;
    *length = (size_t)(newline - begin);
    process->start += *length + 1;
    return true;
}

static enum pm_process_result take_rest(struct pm_process *process, const char **line,
                                        size_t *length)
{
    *line = process->buffer + process->start;
    *length = process->end - process->start;
    process->start = process->end = 0;
    return *length > 0 ? PM_PROCESS_FINE : PM_PROCESS_ENDED;
}

enum pm_process_result pm_process_read_line(struct pm_process *process, uint64_t deadline,
                                            const char **line, size_t *length)
{
    while (!take_line(process, line, length)) {
        memmove(process->buffer, process->buffer + process->start, process->end - process->start);
        process->end -= process->start;
        process->start = 0;
        if (process->end == sizeof process->buffer || process->allowed == 0)
            return PM_PROCESS_TOO_MUCH;
        if (process->out < 0)
            return take_rest(process, line, length);
        const enum pm_process_result result = wait_for(process, process->out, POLLIN, deadline);
        if (result != PM_PROCESS_FINE)
            return result;
        const size_t room = sizeof process->buffer - process->end;
        const ssize_t count = read(process->out, process->buffer + process->end,
                                   room < process->allowed ? room : process->allowed);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            close_end(&process->out);
        if (count > 0) {
            process->end += (size_t)count;
            process->allowed -= (size_t)count;
        }
    }
    return PM_PROCESS_FINE;
}

enum pm_process_result pm_process_read(struct pm_process *process, void *data, size_t size,
                                       uint64_t deadline)
{
    char *at = data;
    while (size > 0) {
        const ssize_t count = process->out >= 0 ? read(process->out, at, size) : 0;
        if (count > 0) {
            at += count;
            size -= (size_t)count;
            continue;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR))
            return PM_PROCESS_ENDED;
        const enum pm_process_result result = wait_for(process, process->out, POLLIN, deadline);
        if (result != PM_PROCESS_FINE)
            return result;
    }
    return PM_PROCESS_FINE;
}

void pm_process_end_input(struct pm_process *process)
{
    close_end(&process->in);
}

void pm_process_allow_output(struct pm_process *process)
{
    process->allowed = PM_PROCESS_MAX_OUTPUT;
}

const char *pm_process_last_words(struct pm_process *process)
{
    if (process->err >= 0)
        read_errors(process);
    while (process->error_length > 0 &&
           strchr("\r\n ", process->errors[process->error_length - 1]) != NULL)
        process->errors[--process->error_length] = '\0';
    const char *last = strrchr(process->errors, '\n');
    return last != NULL ? last + 1 : process->errors;
}

/* ---- The end ---- */

int pm_process_wait(struct pm_process *process)
{
    if (process->has_ended)
        return process->exit_status;
    close_end(&process->in);
    process->has_ended = true;
    if (!pm_keeper_poll(&process->keeper, 1000, &process->exit_status))
        process->exit_status = PM_PROCESS_WAS_KILLED;
    pm_keeper_end(&process->keeper);
    return process->exit_status;
}

char *pm_process_end_to_text(int exit_status, char text[PM_PROCESS_END_SIZE])
{
    if (exit_status == PM_PROCESS_WAS_KILLED)
        return strcpy(text, "closed its output, but did not end");
    if (exit_status < 0)
        snprintf(text, PM_PROCESS_END_SIZE, "ended by signal %d (%s)", -exit_status,
                 strsignal(-exit_status));
    else
        snprintf(text, PM_PROCESS_END_SIZE, "exited with status %d", exit_status);
    return text;
}

void pm_process_close(struct pm_process *process)
{
    if (process == NULL)
        return;
    pm_keeper_end(&process->keeper);
    close_end(&process->in);
    close_end(&process->out);
    close_end(&process->err);
    free(process);
}
