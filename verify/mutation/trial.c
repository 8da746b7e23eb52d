/* SPDX-License-Identifier: MIT */
/* Runs mutants where they can do no harm: a worker process loads the kernel, and forks once more
 * for the rows, which it goes on with after each crash. */
#include "core/kernel.h"
#include "core/state.h"
#include "kernels/registry.h"
#include "verify/mutation/mutants.h"
#include "verify/verify.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    INIT_MILLISECONDS = 3000,
    ROW_MILLISECONDS = 200, /* and one more for each thousand nodes */
    WALK_MILLISECONDS = 1000,
    VERIFY_MILLISECONDS = 60000,
    MAX_TIMEOUTS = 20, /* then the rest is not run */
    MAX_DEATHS = 1000
};

/* What children say while they live. */
struct report {
    atomic_size_t current;
    char verdicts[];
};

struct trial {
    const struct field *field;
    const struct pm_kernel *kernel;
    const struct pm_kernel *reference;
    void *state;
    struct report *report;
};

bool is_kill(char verdict)
{
    return verdict != VERDICT_RIGHT && verdict != VERDICT_UNKNOWN && verdict != VERDICT_NOT_RUN;
}

bool any_kill(const char verdicts[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_kill(verdicts[i]))
            return true;
    return false;
}

/* Processor time until SIGPROF ends this process; 0: no end. */
static void limit_time(uint64_t milliseconds)
{
    const struct itimerval limit = {
        .it_value = {.tv_sec = (time_t)(milliseconds / 1000),
                     .tv_usec = (suseconds_t)(milliseconds % 1000 * 1000)},
    };
    setitimer(ITIMER_PROF, &limit, NULL);
}

/* ---- One row ---- */

static char try_unit(const struct trial *trial, const struct unit *unit)
{
    const struct pm_kernel *kernel = trial->kernel;
    unsigned wrong = 0;
    limit_time(ROW_MILLISECONDS + unit->nodes / 1000);
    if (kernel->set_position(trial->state, &unit->entry->position) != PM_OK)
        return VERDICT_REFUSED;
    for (enum pm_mode mode = PM_MODE_MAKE; mode <= PM_MODE_LOOKAHEAD; mode++) {
        uint64_t nodes = 0;
        if ((kernel->capabilities & PM_CAN_MODE(mode)) == 0)
            continue;
        if (kernel->perft(trial->state, unit->depth, mode, &nodes) != PM_OK)
            return VERDICT_REFUSED;
        wrong |= nodes != unit->nodes ? PM_CAN_MODE(mode) : 0;
    }
    return wrong == 0 ? VERDICT_RIGHT : (char)(VERDICT_COUNTS + wrong);
}

/* A walk of one ply; and the hash keys there, if the kernel has them. */
static char try_walk(const struct trial *trial, struct pm_suite_entry *entry)
{
    const struct pm_suite one = {.name = entry->fen, .entries = entry, .entry_count = 1};
    const struct pm_verify_config config = {.reference = trial->reference, .threads = 1};
    struct pm_verify_case result = {
        .suite = NULL, .kernel = trial->kernel->name, .check = PM_CHECK_MOVES, .limit = 1};

    limit_time(WALK_MILLISECONDS);
    enum pm_status status = pm_verify_moves(trial->kernel, &one, &config, &result);
    if (status == PM_OK && result.wrong == 0 && trial->kernel->key != NULL)
        status = pm_verify_key(trial->kernel, &one, &config, &result);
    const uint64_t wrong = result.wrong;
    pm_verify_case_free(&result);
    if (status != PM_OK)
        return VERDICT_REFUSED;
    return wrong != 0 ? VERDICT_MOVES : VERDICT_RIGHT;
}

/* Rows are numbered through; the walks come behind them. */
static char try_number(const struct trial *trial, size_t number)
{
    const struct field *field = trial->field;
    if (number < field->unit_count) {
        const struct field_suite *suite = suite_of_unit(field, number);
        return try_unit(trial, &suite->units[number - suite->first_unit]);
    }
    const size_t entry = number - field->unit_count;
    const struct field_suite *suite = suite_of_entry(field, entry);
    return try_walk(trial, &suite->suite.entries[entry - suite->first_entry]);
}

static _Noreturn void try_from(const struct trial *trial, size_t number, size_t end)
{
    for (; number < end; number++) {
        if (trial->report->verdicts[number] != VERDICT_UNKNOWN)
            continue;
        atomic_store(&trial->report->current, number);
        trial->report->verdicts[number] = try_number(trial, number);
    }
    _exit(0);
}

/* How a child ended, as waitpid() tells. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* Goes on after each row that ends the child. */
static void try_range(const struct trial *trial, size_t begin, size_t end)
{
    unsigned timeouts = 0, deaths = 0;
    while (begin < end && timeouts < MAX_TIMEOUTS && deaths < MAX_DEATHS) {
        const pid_t child = fork();
        if (child < 0)
            return;
        if (child == 0)
            try_from(trial, begin, end);
        const int code = wait_for(child);
        if (!WIFSIGNALED(code))
            return;
        begin = atomic_load(&trial->report->current);
        trial->report->verdicts[begin++] =
            WTERMSIG(code) == SIGPROF ? VERDICT_TIMEOUT : VERDICT_CRASH;
        timeouts += WTERMSIG(code) == SIGPROF;
        deaths++;
    }
    for (; begin < end; begin++)
        if (trial->report->verdicts[begin] == VERDICT_UNKNOWN)
            trial->report->verdicts[begin] = VERDICT_NOT_RUN;
}

/* ---- The worker ---- */

/* The kernel of a shared object, ready for use; NULL if there is none. */
static const struct pm_kernel *load(const char *object, const char *name)
{
    char symbol[64];
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return NULL;
    snprintf(symbol, sizeof symbol, "pm_kernel_%s", name);
    const struct pm_kernel *kernel = dlsym(library, symbol);
    return kernel != NULL && pm_kernel_ready(kernel, NULL) == PM_OK ? kernel : NULL;
}

/* Exit codes of a worker. */
enum { WORKER_DONE, WORKER_CANNOT, WORKER_REJECTS };

static void prepare_worker(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    limit_time(INIT_MILLISECONDS);
}

static _Noreturn void work(struct trial *trial, const char *object, const char *name)
{
    prepare_worker();
    trial->kernel = load(object, name);
    trial->reference = pm_kernels_reference();
    if (trial->kernel == NULL || trial->reference == NULL)
        _exit(WORKER_CANNOT);
    trial->state = pm_new_state(trial->kernel);
    if (trial->state == NULL)
        _exit(WORKER_CANNOT);
    limit_time(0);

    const size_t units = trial->field->unit_count;
    try_range(trial, 0, units);
    if (!any_kill(trial->report->verdicts, units))
        try_range(trial, units, units + trial->field->entry_count);
    _exit(WORKER_DONE);
}

/* What a worker's end says of the rows that it left unknown. */
static char verdict_of_worker(int code)
{
    if (!WIFSIGNALED(code))
        return VERDICT_NOT_RUN;
    return WTERMSIG(code) == SIGPROF ? VERDICT_TIMEOUT : VERDICT_CRASH; /* in init() */
}

static void settle(char verdicts[], size_t count, char verdict)
{
    for (size_t i = 0; i < count; i++)
        if (verdicts[i] == VERDICT_UNKNOWN)
            verdicts[i] = verdict;
}

static enum pm_status run_worker(const char *object, const char *kernel, const struct field *field,
                                 struct report *report, struct pm_error *error)
{
    const pid_t worker = fork();
    if (worker < 0)
        return pm_fail(error, PM_ERROR_MEMORY, "no process for kernel %s", kernel);
    if (worker == 0)
        work(&(struct trial){.field = field, .report = report}, object, kernel);
    const int code = wait_for(worker);
    if (WIFEXITED(code) && WEXITSTATUS(code) != WORKER_DONE)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "kernel %s can't run here", kernel);
    settle(report->verdicts, field->unit_count, verdict_of_worker(code));
    settle(report->verdicts + field->unit_count, field->entry_count, VERDICT_NOT_RUN);
    return PM_OK;
}

enum pm_status try_object(const char *object, const char *kernel, const struct field *field,
                          struct verdicts *verdicts, struct pm_error *error)
{
    const size_t units = field->unit_count, entries = field->entry_count;
    const size_t size = sizeof(struct report) + units + entries;
    struct report *report =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (report == MAP_FAILED)
        return pm_fail(error, PM_ERROR_MEMORY, "no memory for verdicts");
    memcpy(report->verdicts, verdicts->units, units);
    memcpy(report->verdicts + units, verdicts->walks, entries);
    const enum pm_status status = run_worker(object, kernel, field, report, error);
    memcpy(verdicts->units, report->verdicts, units);
    memcpy(verdicts->walks, report->verdicts + units, entries);
    munmap(report, size);
    return status;
}

/* ---- The harness itself ---- */

static _Noreturn void work_verify(const char *object, const char *name, const char *suites,
                                  const char *set)
{
    struct pm_verify_plan plan = {.folder = suites};
    struct pm_verify_report report = {0};
    struct pm_error error;

    prepare_worker();
    const struct pm_kernel *kernel = load(object, name);
    const struct pm_verify_config config = {
        .kernels = &kernel,
        .kernel_count = 1,
        .reference = pm_kernels_reference(),
        .checks = PM_CHECK_BIT(PM_CHECK_COUNT) - 1,
        .threads = 1,
        .fail_fast = true,
    };
    if (kernel == NULL || config.reference == NULL ||
        pm_verify_plan_add(&plan, set, &error) != PM_OK)
        _exit(WORKER_CANNOT);
    limit_time(VERIFY_MILLISECONDS);
    if (pm_verify_prepare(&plan, &config, &report, &error) != PM_OK ||
        pm_verify_run(&plan, &config, &report, &error) != PM_OK)
        _exit(WORKER_CANNOT);
    _exit(report.wrong != 0 ? WORKER_REJECTS : WORKER_DONE);
}

enum pm_status verify_object(const char *object, const char *kernel, const char *suites,
                             const char *set, bool *rejected, struct pm_error *error)
{
    const pid_t worker = fork();
    if (worker < 0)
        return pm_fail(error, PM_ERROR_MEMORY, "no process for kernel %s", kernel);
    if (worker == 0)
        work_verify(object, kernel, suites, set);
    const int code = wait_for(worker);
    if (WIFEXITED(code) && WEXITSTATUS(code) == WORKER_CANNOT)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "kernel %s can't run %s here", kernel, set);
    *rejected = !WIFEXITED(code) || WEXITSTATUS(code) == WORKER_REJECTS;
    return PM_OK;
}
