/* SPDX-License-Identifier: MIT */
#include "cli/bench_workload.h"

#include "bench/workload.h"
#include "cli/cli.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <unistd.h>

static void show_progress(void *context, int done, int all)
{
    const struct pm_measure_config *config = context;
    if (done == 0)
        fprintf(stderr, "plymark bench: this will take about %.0f s at most\n",
                pm_workload_estimate(config));
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3d %%\033[K", 100 * done / all);
}

static enum pm_status measure_and_write(const struct pm_measure_config *config,
                                        const struct pm_environment *environment, const char *pin,
                                        const char *json, struct pm_error *error)
{
    const struct pm_kernel *reference = pm_kernels_reference();
    const struct pm_kernel *maker = reference != NULL ? reference : config->kernels[0];
    struct pm_workload workload;
    enum pm_status status = pm_workload_measure(config, maker, &workload, error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (status == PM_OK && json != NULL)
        status = pm_workload_write(&workload, environment, pin, json, error);
    if (status == PM_OK && pm_workload_print(stdout, &workload, environment, pin) != PM_OK)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    if (status == PM_OK && pm_workload_has_wrong_answers(&workload))
        status = pm_fail(error, PM_ERROR_MISMATCH,
                         "wrong answers: see the results; those kernels have no speed");
    pm_workload_free(&workload);
    return status;
}

enum pm_status bench_workload(const struct pm_measure_config *config,
                              const struct pm_environment *environment, const char *pin,
                              const char *json, struct pm_error *error)
{
    const struct pm_kernel *kernels[CLI_MAX_KERNELS];
    struct pm_measure_config able = *config;
    able.kernels = kernels;
    able.kernel_count = 0;
    for (int i = 0; i < config->kernel_count; i++) {
        if (config->kernels[i]->attacks != NULL)
            kernels[able.kernel_count++] = config->kernels[i];
        else
            fprintf(stderr, "plymark bench: %s is left out: it does not tell attacks\n",
                    config->kernels[i]->name);
    }
    if (able.kernel_count == 0)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "no kernel is left that tells attacks");
    able.progress = show_progress;
    able.context = &able;
    return measure_and_write(&able, environment, pin, json, error);
}
