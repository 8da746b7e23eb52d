/* SPDX-License-Identifier: MIT */
/* One long count by many processes ("ranks") of an MPI job, on many machines.
 *
 * Rank 0 owns the database and serves items, on a thread of its own; every rank counts them, rank 0
 * too. Messages are plain structs and arrays of them: all ranks run the same build of the program.
 * A rank that gets a JOB says READY and gets ITEMS, until these are none. In between it sends
 * RESULTS, and now and then ALIVE. FAILED takes the place of a READY. STOP makes a rank end its
 * items early, END the process. */
#ifndef PM_JOBS_MPI_RANKS_H
#define PM_JOBS_MPI_RANKS_H

#include "core/status.h"
#include "core/topology.h"
#include "jobs/counting.h"
#include "jobs/plan.h"
#include "jobs/store.h"
#include "perft/unique.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pm_ranks_tag {
    PM_RANKS_JOB,     /* from rank 0: struct pm_ranks_job */
    PM_RANKS_ITEMS,   /* uint32_t numbers[]; none: the job is over */
    PM_RANKS_STOP,    /* nothing */
    PM_RANKS_END,     /* nothing */
    PM_RANKS_READY,   /* to rank 0: struct pm_ranks_ready */
    PM_RANKS_RESULTS, /* struct pm_store_count[] */
    PM_RANKS_ALIVE,   /* uint64_t: bytes taken for lists and tables */
    PM_RANKS_FAILED,  /* struct pm_error */
};

/* The most items in one message of results, and in one of items. */
enum { PM_RANKS_RESULTS_MAX = 1024, PM_RANKS_ITEMS_MAX = PM_UNIQUE_MAX_ITEMS };

struct pm_ranks_job {
    struct pm_plan plan;
    char kernel[64];
    uint64_t seed;
    uint64_t memory; /* the most bytes for lists and tables of all ranks of a machine together */
    bool exact;
    struct pm_pin pin;
    int threads; /* of each rank; 0: all that --pin leaves to it */
};

/* What a rank tells when it asks for items: about those that it had. */
struct pm_ranks_ready {
    char host[64];
    int threads;
    bool is_stopped;      /* by a signal: it wants no more */
    uint32_t counted;     /* items */
    double seconds;       /* for them, all in all */
    double lists_seconds; /* of these, before the first was finished: PM_SPLIT_UNIQUE */
    double idle_seconds;  /* waiting for items */
    double error_probability;
    uint64_t distinct[PM_UNIQUE_MAX_DEPTH];
    int distinct_count;
};

/* Where a rank runs. */
struct pm_ranks_place {
    MPI_Comm items, reports;      /* from rank 0, and to it: rank 0 writes to itself too */
    struct pm_topology *topology; /* what MPI, Slurm or taskset leave to this process */
    int ranks, rank;
    int ranks_here;     /* on this machine */
    int sharers, share; /* ranks with the same CPUs as this one, and which of them it is */
    int lost;           /* ranks that rank 0 hears no more of */
    const atomic_bool *interrupted; /* set it: by a signal to this process */
};

/* Collective. */
enum pm_status pm_ranks_find_place(struct pm_ranks_place *place, struct pm_error *error);

/* Threads on this rank's part of the CPUs. */
enum pm_status pm_ranks_open_driver(const struct pm_ranks_place *place,
                                    const struct pm_ranks_job *job, struct pm_driver **driver,
                                    struct pm_error *error);

/* Whether there is a message. Blocking calls of MPI use the CPU up: pause between probes. */
bool pm_ranks_probe(MPI_Comm way, int source, int tag, MPI_Status *message);
void pm_ranks_pause(void);
void pm_ranks_wait(MPI_Comm way, int source, int tag, MPI_Status *message);

void pm_ranks_send(MPI_Comm way, int rank, enum pm_ranks_tag tag, const void *data, size_t size);
void pm_ranks_receive(MPI_Comm way, const MPI_Status *message, void *data, size_t size);

/* Takes part in one job. `items` are the positions of the plan if the process has them, else NULL.
 * What fails is told to rank 0. */
void pm_ranks_work(const struct pm_ranks_place *place, const struct pm_ranks_job *job,
                   const struct pm_items *items);

/* What a team does (place: its context): rank 0 makes the phase a job of all ranks, serves them on
 * a thread and takes part itself. */
enum pm_status pm_ranks_run(void *place, struct pm_counting *counting, struct pm_error *error);

#endif
