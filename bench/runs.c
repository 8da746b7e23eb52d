/* SPDX-License-Identifier: MIT */
#include "bench/runs.h"

#include "core/clock.h"
#include "core/mode.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONFIDENCE 0.99

extern char **environ;

struct campaign {
    const struct pm_runs_config *config;
    struct pm_result **results;
    char folder[256];
    char first[300], latest[300]; /* files: the first run of all, and the one just made */
    uint64_t start_ns;
    int done, all;
    struct pm_error *error;
};

static bool is_stopped(const struct campaign *campaign)
{
    return campaign->config->stop != NULL && atomic_load(campaign->config->stop);
}

/* ---- One run ---- */

/* Waits for the end of a process; passes a stop on to it. Returns the wait status, or -1. */
static int wait_for(const struct campaign *campaign, pid_t process)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    bool is_told = false;
    int status = -1;
    for (;;) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process)
            return status;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (is_stopped(campaign) && !is_told) {
            kill(process, SIGTERM);
            is_told = true;
        }
        nanosleep(&pause, NULL);
    }
}

/* `PROGRAM bench ARGUMENTS --one-run --json LATEST [--like FIRST]`; to be freed, NULL: no memory.
 */
static char **make_command(const struct campaign *campaign, const char *program, bool is_first)
{
    size_t count = 0, used = 0;
    while (campaign->config->arguments[count] != NULL)
        count++;
    char **command = calloc(count + 8, sizeof *command);
    if (command == NULL)
        return NULL;
    /* posix_spawn() changes none of them. */
    const char *const head[] = {program, "bench"};
    const char *const tail[] = {"--one-run", "--json", campaign->latest, is_first ? NULL : "--like",
                                campaign->first};
    memcpy(command, head, sizeof head);
    used = sizeof head / sizeof head[0];
    memcpy(command + used, campaign->config->arguments, count * sizeof *command);
    used += count;
    memcpy(command + used, tail, is_first ? 3 * sizeof tail[0] : sizeof tail);
    return command;
}

static enum pm_status run_program(struct campaign *campaign, const char *program, bool is_first)
{
    pid_t process;
    char **command = make_command(campaign, program, is_first);
    if (command == NULL)
        return pm_fail(campaign->error, PM_ERROR_MEMORY, "out of memory");
    const int failed = posix_spawn(&process, program, NULL, NULL, command, environ);
    free(command);
    if (failed != 0)
        return pm_fail(campaign->error, PM_ERROR_IO, "cannot run '%s': %s", program,
                       strerror(failed));
    const int status = wait_for(campaign, process);
    if (is_stopped(campaign))
        return pm_fail(campaign->error, PM_ERROR_INTERRUPTED, "interrupted");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PM_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        return PM_OK; /* wrong counts: the result says of which kernel */
    return WIFEXITED(status)
               ? pm_fail(campaign->error, PM_ERROR_IO, "a run of '%s' ended with exit code %d",
                         program, WEXITSTATUS(status))
               : pm_fail(campaign->error, PM_ERROR_IO, "a run of '%s' was ended by a signal (%s)",
                         program, strsignal(WTERMSIG(status)));
}

/* Adds what the latest run found. */
static enum pm_status take_run(struct campaign *campaign, int program)
{
    struct pm_result *run = NULL;
    struct pm_result **result = &campaign->results[program];
    enum pm_status status = pm_result_read(campaign->latest, &run, campaign->error);
    if (status == PM_OK && *result == NULL) {
        *result = run;
        return PM_OK;
    }
    if (status == PM_OK)
        status = pm_result_add_runs(*result, run, campaign->error);
    pm_result_free(run);
    return status;
}

static enum pm_status measure_once(struct campaign *campaign, int program)
{
    const struct pm_runs_config *config = campaign->config;
    const bool is_first = access(campaign->first, F_OK) != 0;
    if (config->progress != NULL)
        config->progress(config->context, campaign->done, campaign->all);
    enum pm_status status = run_program(campaign, config->programs[program], is_first);
    if (status == PM_OK)
        status = take_run(campaign, program);
    if (status == PM_OK && is_first && rename(campaign->latest, campaign->first) != 0)
        status = pm_fail(campaign->error, PM_ERROR_IO, "%s: %s", campaign->first, strerror(errno));
    campaign->done++;
    return status;
}

/* ---- All runs ---- */

static bool is_narrow(const struct campaign *campaign, int group, int kernel)
{
    const struct pm_compared compared = pm_runs_compare(campaign->results, group, kernel);
    const struct pm_estimate *ratio = &compared.ratio;
    return isnan(ratio->value) || (ratio->interval.high - ratio->interval.low) / 2 <=
                                      campaign->config->target * ratio->value;
}

static bool is_precise(const struct campaign *campaign)
{
    if (campaign->config->target <= 0 || campaign->config->programs[1] == NULL ||
        isnan(pm_runs_compare(campaign->results, 0, -1).ratio.interval.low))
        return false;
    for (int group = 0; group < campaign->results[0]->group_count; group++)
        for (int kernel = 0; kernel < campaign->results[0]->kernel_count; kernel++)
            if (!is_narrow(campaign, group, kernel))
                return false;
    return true;
}

static bool is_time_up(const struct campaign *campaign)
{
    return campaign->config->budget > 0 &&
           pm_clock_seconds_since(campaign->start_ns) > campaign->config->budget;
}

static enum pm_status measure_all(struct campaign *campaign)
{
    const struct pm_runs_config *config = campaign->config;
    const int programs = config->programs[1] != NULL ? 2 : 1;
    enum pm_status status = PM_OK;
    campaign->all = programs * config->runs;
    for (int run = 0; run < config->runs && status == PM_OK; run++) {
        if (run > 0 && (is_time_up(campaign) || is_precise(campaign)))
            break;
        for (int turn = 0; turn < programs && status == PM_OK; turn++)
            status = measure_once(campaign, programs == 2 ? (run + turn) % 2 : 0);
    }
    return status;
}

static bool make_files(struct campaign *campaign)
{
    const char *base = getenv("TMPDIR");
    snprintf(campaign->folder, sizeof campaign->folder, "%s/plymark-bench-XXXXXX",
             base != NULL ? base : P_tmpdir);
    if (mkdtemp(campaign->folder) == NULL)
        return false;
    snprintf(campaign->first, sizeof campaign->first, "%s/first.json", campaign->folder);
    snprintf(campaign->latest, sizeof campaign->latest, "%s/latest.json", campaign->folder);
    return true;
}

static void remove_files(const struct campaign *campaign)
{
    unlink(campaign->first);
    unlink(campaign->latest);
    rmdir(campaign->folder);
}

enum pm_status pm_runs_measure(const struct pm_runs_config *config,
                               struct pm_result *results[PM_RUNS_MAX_PROGRAMS],
                               struct pm_error *error)
{
    struct campaign campaign = {
        .config = config, .results = results, .start_ns = pm_clock_ns(), .error = error};
    results[0] = results[1] = NULL;
    if (!make_files(&campaign))
        return pm_fail(error, PM_ERROR_IO, "cannot make a folder '%s': %s", campaign.folder,
                       strerror(errno));
    enum pm_status status = measure_all(&campaign);
    remove_files(&campaign);
    const bool has_all = results[0] != NULL && (config->programs[1] == NULL || results[1] != NULL);
    if (status == PM_ERROR_INTERRUPTED && has_all)
        status = PM_OK;
    for (int i = 0; i < PM_RUNS_MAX_PROGRAMS && results[i] != NULL; i++)
        results[i]->is_partial = results[i]->runs < config->runs && !is_precise(&campaign);
    return status;
}

/* ---- Two programs ---- */

static int index_of_kernel(const struct pm_result *result, const char *name)
{
    for (int i = 0; i < result->kernel_count; i++)
        if (strcmp(result->kernels[i].name, name) == 0)
            return i;
    return -1;
}

/* Adds the logarithms of the ratios of one kernel in one group to those of each run; returns the
 * number of runs that both have, 0 if one has none. */
static int add_ratios(struct pm_result *const results[], int group, int kernel, double logs[])
{
    double own[PM_RESULT_MAX_RUNS];
    const int other = index_of_kernel(results[1], results[0]->kernels[kernel].name);
    const int runs = results[0]->runs < results[1]->runs ? results[0]->runs : results[1]->runs;
    if (other < 0 || group >= results[1]->group_count)
        return 0;
    for (int run = 0; run < runs; run++) {
        own[run] = log(pm_result_total_of_run(results[0], &results[0]->groups[group], kernel, run) /
                       pm_result_total_of_run(results[1], &results[1]->groups[group], other, run));
        if (isnan(own[run]))
            return 0;
    }
    for (int run = 0; run < runs; run++)
        logs[run] += own[run];
    return runs;
}

static struct pm_compared conclude(double logs[], int terms, int runs)
{
    struct pm_compared compared = {.runs = runs};
    for (int i = 0; i < runs; i++)
        logs[i] = exp(logs[i] / terms);
    compared.ratio.value = pm_median(logs, (size_t)runs);
    compared.ratio.interval = pm_median_interval(logs, (size_t)runs, CONFIDENCE);
    if (compared.ratio.interval.low > 1)
        compared.verdict = PM_FASTER;
    if (compared.ratio.interval.high < 1)
        compared.verdict = PM_SLOWER;
    return compared;
}

struct pm_compared pm_runs_compare(struct pm_result *const results[PM_RUNS_MAX_PROGRAMS], int group,
                                   int kernel)
{
    double logs[PM_RESULT_MAX_RUNS] = {0};
    int runs = 0, terms = 0;
    if (kernel >= 0)
        return conclude(logs, 1, add_ratios(results, group, kernel, logs));
    for (int i = 0; i < results[0]->group_count; i++)
        for (int j = 0; j < results[0]->kernel_count; j++) {
            const int more = add_ratios(results, i, j, logs);
            runs = more > 0 ? more : runs;
            terms += more > 0;
        }
    return conclude(logs, terms, runs);
}

/* ---- What is said of them ---- */

static void print_verdict(FILE *out, const char *what, int width,
                          const struct pm_compared *compared)
{
    static const char *const verdicts[] = {
        [PM_NO_DIFFERENCE] = "no difference shown", [PM_FASTER] = "faster", [PM_SLOWER] = "slower"};
    fprintf(out, "%-*s  %6.3f", width, what, compared->ratio.value);
    if (isnan(compared->ratio.interval.low))
        fprintf(out, "  %-16s  %s\n", "-", "too few runs for a verdict: 8 are needed");
    else
        fprintf(out, "  %6.3f to %6.3f  %s\n", compared->ratio.interval.low,
                compared->ratio.interval.high, verdicts[compared->verdict]);
}

static bool has_ratio(struct pm_result *const results[], int group, int kernel)
{
    return !isnan(pm_runs_compare(results, group, kernel).ratio.value);
}

static void print_group(FILE *out, struct pm_result *const results[], int group)
{
    const struct pm_result *result = results[0];
    const int threads = result->groups[group].threads;
    fprintf(out, "%s, %d thread%s\n", pm_mode_text((enum pm_mode)result->groups[group].mode),
            threads, threads == 1 ? "" : "s");
    for (int kernel = 0; kernel < result->kernel_count; kernel++) {
        const struct pm_compared compared = pm_runs_compare(results, group, kernel);
        if (has_ratio(results, group, kernel))
            print_verdict(out, result->kernels[kernel].name, 20, &compared);
    }
    fputc('\n', out);
}

void pm_runs_print(FILE *out, struct pm_result *const results[PM_RUNS_MAX_PROGRAMS],
                   const char *other)
{
    const struct pm_compared all = pm_runs_compare(results, 0, -1);
    fprintf(
        out,
        "How many times as fast as %s: median over %d pairs of runs, and the interval that holds "
        "it with 99 %%\n\n",
        other, all.runs);
    for (int group = 0; group < results[0]->group_count; group++)
        print_group(out, results, group);
    print_verdict(out, "over all", 20, &all);
}

static bool is_slower(const struct pm_compared *compared, double part)
{
    return compared->verdict == PM_SLOWER && compared->ratio.value < 1 - part;
}

bool pm_runs_is_slower(struct pm_result *const results[PM_RUNS_MAX_PROGRAMS], double part)
{
    const struct pm_compared all = pm_runs_compare(results, 0, -1);
    bool found = is_slower(&all, part);
    for (int group = 0; group < results[0]->group_count && !found; group++)
        for (int kernel = 0; kernel < results[0]->kernel_count && !found; kernel++) {
            const struct pm_compared compared = pm_runs_compare(results, group, kernel);
            found = is_slower(&compared, part);
        }
    return found;
}
