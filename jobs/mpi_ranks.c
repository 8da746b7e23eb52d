/* SPDX-License-Identifier: MIT */
/* Where ranks run, how messages come and go. */
#include "jobs/mpi_ranks.h"

#include <time.h>

#define PAUSE_NS 1000000

/* ---- Places ---- */

enum pm_status pm_ranks_find_place(struct pm_ranks_place *place, struct pm_error *error)
{
    MPI_Comm here, sharing;
    const enum pm_status status = pm_topology_open(&place->topology, error);
    int count = 0;
    const struct pm_topology_pu *pus =
        status == PM_OK ? pm_topology_pus(place->topology, &count) : NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &place->items);
    MPI_Comm_dup(MPI_COMM_WORLD, &place->reports);
    MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &place->ranks_here);
    /* Bound ranks differ in their first CPU; those that are not bound all have the same. */
    MPI_Comm_split(here, count > 0 ? pus[0].os_index : 0, place->rank, &sharing);
    MPI_Comm_size(sharing, &place->sharers);
    MPI_Comm_rank(sharing, &place->share);
    MPI_Comm_free(&sharing);
    MPI_Comm_free(&here);
    return status;
}

/* The policy's CPUs are dealt out in its order, so that neighbors stay together. With more ranks
 * than CPUs each gets one. */
static enum pm_status take_share(const struct pm_ranks_place *place, struct pm_pin *pin,
                                 struct pm_error *error)
{
    struct pm_pin share = {.policy = PM_PIN_LIST};
    enum { MOST = sizeof share.cpus / sizeof share.cpus[0] };
    int all[MOST], count = pm_pin_default_threads(place->topology, pin);
    count = count < MOST ? count : MOST;
    const enum pm_status status = pm_pin_assign(place->topology, pin, count, all, error);
    if (status != PM_OK)
        return status;
    int begin = place->share * count / place->sharers;
    int end = (place->share + 1) * count / place->sharers;
    if (place->sharers > count) {
        begin = place->share % count;
        end = begin + 1;
    }
    for (int i = begin; i < end; i++)
        share.cpus[share.cpu_count++] = all[i];
    *pin = share;
    return PM_OK;
}

enum pm_status pm_ranks_open_driver(const struct pm_ranks_place *place,
                                    const struct pm_ranks_job *job, struct pm_driver **driver,
                                    struct pm_error *error)
{
    struct pm_driver_config config = {
        .topology = place->topology, .pin = job->pin, .threads = job->threads};
    enum pm_status status = PM_OK;
    if (config.pin.policy == PM_PIN_NONE && config.threads == 0) {
        const int cpus = pm_pin_default_threads(place->topology, &config.pin);
        config.threads = cpus > place->sharers ? cpus / place->sharers : 1;
    } else if (config.pin.policy != PM_PIN_NONE) {
        status = take_share(place, &config.pin, error);
    }
    return status == PM_OK ? pm_driver_open(&config, driver, error) : status;
}

/* ---- Messages ---- */

bool pm_ranks_probe(MPI_Comm way, int source, int tag, MPI_Status *message)
{
    int is_there = 0;
    return MPI_Iprobe(source, tag, way, &is_there, message) == MPI_SUCCESS && is_there;
}

void pm_ranks_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

void pm_ranks_wait(MPI_Comm way, int source, int tag, MPI_Status *message)
{
    while (!pm_ranks_probe(way, source, tag, message))
        pm_ranks_pause();
}

void pm_ranks_send(MPI_Comm way, int rank, enum pm_ranks_tag tag, const void *data, size_t size)
{
    MPI_Send(data, (int)size, MPI_BYTE, rank, (int)tag, way);
}

void pm_ranks_receive(MPI_Comm way, const MPI_Status *message, void *data, size_t size)
{
    MPI_Recv(data, (int)size, MPI_BYTE, message->MPI_SOURCE, message->MPI_TAG, way,
             MPI_STATUS_IGNORE);
}
