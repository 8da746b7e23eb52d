/* SPDX-License-Identifier: MIT */
#include "engines/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Files of the keeper, after the program's three. */
enum { ENDS = 3, STATUS, CHILD_SIGNALS, FIRST_OTHER, ABOVE_ALL = 32 };

/* What goes through the status pipe: 's', it runs; 'e', it does not, an errno; 'x', how it
 * ended. */
struct message {
    char kind;
    int value;
};

/* ---- In the keeper: only what is safe after a fork() among threads ---- */

static void tell(char kind, int value)
{
    struct message message;
    memset(&message, 0, sizeof message);
    message.kind = kind;
    message.value = value;
    if (write(STATUS, &message, sizeof message) < 0)
        return; /* nobody is there to know */
}

/* Sets the six files and closes all others: among them are ends of other keepers. */
static bool arrange_files(const int files[5])
{
    int raised[5];
    for (int i = 0; i < 5; i++)
        if ((raised[i] = fcntl(files[i], F_DUPFD, ABOVE_ALL)) < 0)
            return false;
    for (int i = 0; i < 5; i++)
        if (dup2(raised[i], i) < 0)
            return false;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals >= 0 && dup2(signals, CHILD_SIGNALS) >= 0 &&
           close_range(FIRST_OTHER, ~0U, 0) == 0;
}

/* Writes errno to `failed` if there is no such program. */
__attribute__((noreturn)) static void be_the_program(char *const arguments[], int failed)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fcntl(ENDS, F_SETFD, FD_CLOEXEC);
    fcntl(STATUS, F_SETFD, FD_CLOEXEC);
    fcntl(CHILD_SIGNALS, F_SETFD, FD_CLOEXEC);
    execvp(arguments[0], arguments);
    const int cause = errno;
    if (write(failed, &cause, sizeof cause) < 0)
        _exit(126);
    _exit(127);
}

/* Sends SIGKILL to the children of this process; false if there are none. */
static bool kill_children(void)
{
    char text[4096];
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    bool any = false;
    pid_t id = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c >= '0' && *c <= '9') {
            id = id * 10 + (*c - '0');
        } else if (id > 0) {
            any = kill(id, SIGKILL) == 0 || any;
            id = 0;
        }
    }
    return any;
}

/* The death of a child makes its children ours, so this comes to an end. */
__attribute__((noreturn)) static void end_all(pid_t program)
{
    kill(-program, SIGKILL);
    for (;;) {
        kill_children();
        const pid_t dead = waitpid(-1, NULL, WNOHANG);
        if (dead < 0 && errno == ECHILD)
            _exit(0);
        if (dead == 0)
            poll(NULL, 0, 1);
    }
}

static void drain_signals(void)
{
    struct signalfd_siginfo info;
    while (read(CHILD_SIGNALS, &info, sizeof info) > 0)
        ;
}

/* Tells its end; leaves it as a zombie, so that its group's number stays its own. */
static bool has_program_ended(pid_t program)
{
    siginfo_t info = {0};
    drain_signals();
    if (waitid(P_PID, (id_t)program, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    tell('x', info.si_code == CLD_EXITED ? info.si_status : -info.si_status);
    return true;
}

/* Its number, once it runs; or tells why it can't, and that is the end. */
static pid_t start_program(char *const arguments[])
{
    int failed[2];
    int cause = 0;
    pid_t program = -1;
    if (pipe2(failed, O_CLOEXEC) == 0 && (program = fork()) == 0)
        be_the_program(arguments, failed[1]);
    if (program < 0) {
        tell('e', errno);
        _exit(127);
    }
    close(failed[1]);
    const bool runs = read(failed[0], &cause, sizeof cause) != (ssize_t)sizeof cause;
    close(failed[0]);
    tell(runs ? 's' : 'e', cause);
    if (!runs)
        _exit(127);
    return program;
}

__attribute__((noreturn)) static void keep(char *const arguments[], const int files[5])
{
    sigset_t all;
    bool has_ended = false;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!arrange_files(files))
        _exit(127);
    const pid_t program = start_program(arguments);
    for (int i = 0; i < 3; i++)
        close(i); /* or the end of its output would never be seen */
    for (;;) {
        struct pollfd polled[2] = {{.fd = ENDS, .events = POLLIN},
                                   {.fd = has_ended ? -1 : CHILD_SIGNALS, .events = POLLIN}};
        poll(polled, 2, -1);
        if (polled[0].revents != 0)
            end_all(program);
        if (polled[1].revents != 0)
            has_ended = has_program_ended(program);
    }
}

/* ---- In our process ---- */

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* Waits for a message; false if none came in time. A keeper that died is an end by SIGKILL. */
static bool receive(struct pm_keeper *keeper, int milliseconds, struct message *message)
{
    struct pollfd polled = {.fd = keeper->status, .events = POLLIN};
    int ready;
    do
        ready = poll(&polled, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return false;
    if (read(keeper->status, message, sizeof *message) != (ssize_t)sizeof *message)
        *message = (struct message){'x', -SIGKILL};
    return true;
}

int pm_keeper_start(struct pm_keeper *keeper, char *const arguments[], const int ends[3])
{
    int control[2] = {-1, -1};
    int status[2] = {-1, -1};
    struct message message = {0};
    *keeper = (struct pm_keeper){.ends = -1, .status = -1};
    if (pipe2(control, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(status, O_CLOEXEC) != 0) {
        const int cause = errno;
        close(control[0]);
        close(control[1]);
        return cause;
    }
    const int files[5] = {ends[0], ends[1], ends[2], control[0], status[1]};
    const pid_t id = fork();
    if (id == 0)
        keep(arguments, files);
    int cause = errno;
    close(control[0]);
    close(status[1]);
    *keeper = (struct pm_keeper){.id = id > 0 ? id : 0, .ends = control[1], .status = status[0]};
    if (id > 0 && receive(keeper, -1, &message) && message.kind == 's')
        return 0;
    if (id > 0)
        cause = message.kind == 'e' ? message.value : EIO;
    pm_keeper_end(keeper);
    return cause;
}

bool pm_keeper_poll(struct pm_keeper *keeper, int milliseconds, int *exit_status)
{
    struct message message;
    if (!receive(keeper, milliseconds, &message))
        return false;
    *exit_status = message.value;
    return true;
}

void pm_keeper_end(struct pm_keeper *keeper)
{
    close_file(&keeper->ends);
    if (keeper->id > 0)
        while (waitpid(keeper->id, NULL, 0) < 0 && errno == EINTR)
            ;
    close_file(&keeper->status);
    keeper->id = 0;
}
