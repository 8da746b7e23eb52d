/* SPDX-License-Identifier: MIT */
/* The `plymark-mpi` program: `plymark deep`, whose items all ranks of an MPI job count. */
#include "cli/cli.h"
#include "cli/deep.h"
#include "core/cpu.h"
#include "jobs/mpi_ranks.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For what is done at exit. */
static struct pm_ranks_place place;
static int exit_code = CLI_EXIT_USAGE;

static struct sigaction first_action;

static void on_signal(int signal_number)
{
    static atomic_bool is_caught;
    if (!atomic_exchange(&is_caught, true))
        first_action.sa_handler(signal_number);
}

/* As cli_catch_interrupt(), but further signals change nothing: a user's one may come by mpirun and
 * by Slurm. */
static const atomic_bool *catch_interrupt(void)
{
    const atomic_bool *interrupted = cli_catch_interrupt();
    struct sigaction action;
    sigaction(SIGTERM, NULL, &first_action);
    action = first_action;
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return interrupted;
}

/* The handlers again: the parser of options has set the usual ones. */
static enum pm_status run_team(void *context, struct pm_counting *counting, struct pm_error *error)
{
    catch_interrupt();
    return pm_ranks_run(context, counting, error);
}

/* Usage errors exit from within the parser: the others must hear of it. */
static void end_all(void)
{
    if (place.rank == 0)
        for (int i = 1; i < place.ranks; i++)
            pm_ranks_send(place.items, i, PM_RANKS_END, NULL, 0);
    pm_topology_close(place.topology);
    fflush(stdout);
    /* MPI_Finalize() would wait for lost ranks. */
    if (place.lost > 0)
        MPI_Abort(MPI_COMM_WORLD, exit_code);
    MPI_Finalize();
}

static int lead(int argc, char **argv)
{
    const struct pm_counting_team team = {.run = run_team, .context = &place};
    char name[] = "plymark-mpi deep";
    if (argc < 2 || strcmp(argv[1], "deep") != 0) {
        fputs("Usage: mpirun -np N plymark-mpi deep [OPTION...], with the options of `plymark "
              "deep`\n",
              stderr);
        return CLI_EXIT_USAGE;
    }
    argv[1] = name;
    return deep_run(argc - 1, argv + 1, &team);
}

static int follow(void)
{
    struct pm_ranks_job job;
    MPI_Status message = {.MPI_TAG = PM_RANKS_STOP};
    while (message.MPI_TAG != PM_RANKS_END) {
        pm_ranks_wait(place.items, 0, MPI_ANY_TAG, &message);
        if (message.MPI_TAG == PM_RANKS_JOB) {
            pm_ranks_receive(place.items, &message, &job, sizeof job);
            pm_ranks_work(&place, &job, NULL);
        } else { /* END, or a STOP that crossed the end of a job */
            pm_ranks_receive(place.items, &message, NULL, 0);
        }
    }
    return CLI_EXIT_OK;
}

int main(int argc, char **argv)
{
    struct pm_error error;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    enum pm_status status = pm_ranks_find_place(&place, &error);
    if (provided < MPI_THREAD_MULTIPLE)
        status = pm_fail(&error, PM_ERROR_UNSUPPORTED,
                         "this MPI lets only one thread call it: MPI_THREAD_MULTIPLE is needed");
    if (status == PM_OK)
        status = pm_cpu_mask_environment(&error);
    if (status != PM_OK) {
        fprintf(stderr, "plymark-mpi: %s\n", error.text);
        MPI_Abort(MPI_COMM_WORLD, CLI_EXIT_ENVIRONMENT);
    }
    place.interrupted = catch_interrupt();
    atexit(end_all);
    exit_code = place.rank == 0 ? lead(argc, argv) : follow();
    return exit_code;
}
