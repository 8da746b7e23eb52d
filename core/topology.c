/* SPDX-License-Identifier: MIT */
#include "core/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPU_NUMBER 65535

struct pm_topology {
    hwloc_topology_t hwloc;
    struct pm_topology_pu *pus;
    struct pm_topology_summary summary;
};

static int max(int a, int b)
{
    return a > b ? a : b;
}

/* Leaves what taskset allows; what the cgroup forbids, hwloc has left out already. */
static void restrict_to_process(hwloc_topology_t hwloc)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed != NULL && hwloc_topology_is_thissystem(hwloc) &&
        hwloc_get_cpubind(hwloc, allowed, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_topology_restrict(hwloc, allowed, 0); /* a failure leaves it as it was */
    hwloc_bitmap_free(allowed);
}

static int ancestor_index(hwloc_topology_t hwloc, hwloc_obj_t pu, hwloc_obj_type_t type, int none)
{
    const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(hwloc, type, pu);
    return ancestor != NULL ? (int)ancestor->logical_index : none;
}

static int numa_index(hwloc_topology_t hwloc, hwloc_obj_t pu)
{
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL)
        if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset))
            return (int)node->logical_index;
    return -1;
}

/* hwloc orders kinds by efficiency; if it does not know it, no kind is better than another. */
static int kind_index(hwloc_topology_t hwloc, hwloc_obj_t pu)
{
    int efficiency = -1;
    const int kind = hwloc_cpukinds_get_by_cpuset(hwloc, pu->cpuset, 0);
    if (kind < 0 ||
        hwloc_cpukinds_get_info(hwloc, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0) != 0)
        return 0;
    return efficiency < 0 ? 0 : kind;
}

static int smt_index(const struct pm_topology_pu *pus, int index)
{
    int smt = 0;
    for (int i = index - 1; i >= 0 && pus[i].core == pus[index].core; i--)
        smt++;
    return smt;
}

static void read_pus(struct pm_topology *topology)
{
    hwloc_topology_t hwloc = topology->hwloc;
    for (int i = 0; i < topology->summary.pus; i++) {
        const hwloc_obj_t pu = hwloc_get_obj_by_type(hwloc, HWLOC_OBJ_PU, (unsigned)i);
        topology->pus[i] = (struct pm_topology_pu){
            .os_index = (int)pu->os_index,
            .core = ancestor_index(hwloc, pu, HWLOC_OBJ_CORE, i),
            .package = ancestor_index(hwloc, pu, HWLOC_OBJ_PACKAGE, 0),
            .numa = numa_index(hwloc, pu),
            .l3 = ancestor_index(hwloc, pu, HWLOC_OBJ_L3CACHE, -1),
            .kind = kind_index(hwloc, pu),
        };
        topology->pus[i].smt = smt_index(topology->pus, i);
    }
}

static size_t cache_bytes(hwloc_topology_t hwloc, hwloc_obj_type_t type)
{
    const hwloc_obj_t cache = hwloc_get_obj_by_type(hwloc, type, 0);
    return cache != NULL ? (size_t)cache->attr->cache.size : 0;
}

/* Counts what some PU belongs to: memory without CPUs does not matter here. Logical indices of one
 * type ascend with the PUs, apart from kinds and NUMA nodes, so each change is something new. */
static void summarize(struct pm_topology *topology)
{
    struct pm_topology_summary *summary = &topology->summary;
    bool numa_seen[1024] = {false};
    struct pm_topology_pu last = {-1, -1, -1, -1, -1, -1, -1};
    for (int i = 0; i < summary->pus; i++) {
        const struct pm_topology_pu *pu = &topology->pus[i];
        summary->cores += pu->core != last.core;
        summary->packages += pu->package != last.package;
        summary->l3_groups += pu->l3 >= 0 && pu->l3 != last.l3;
        if (pu->numa >= 0 && pu->numa < 1024 && !numa_seen[pu->numa]) {
            numa_seen[pu->numa] = true;
            summary->numa_nodes++;
        }
        last = *pu;
    }
    summary->kinds = max(1, hwloc_cpukinds_get_nr(topology->hwloc, 0));
    summary->l1d_bytes = cache_bytes(topology->hwloc, HWLOC_OBJ_L1CACHE);
    summary->l2_bytes = cache_bytes(topology->hwloc, HWLOC_OBJ_L2CACHE);
    summary->l3_bytes = cache_bytes(topology->hwloc, HWLOC_OBJ_L3CACHE);
}

enum pm_status pm_topology_open(struct pm_topology **result, struct pm_error *error)
{
    enum pm_status status = PM_ERROR_MEMORY;
    struct pm_topology *topology = calloc(1, sizeof *topology);
    if (topology == NULL || hwloc_topology_init(&topology->hwloc) != 0) {
        pm_fail(error, status, "out of memory for the topology");
        goto error;
    }
    if (hwloc_topology_load(topology->hwloc) != 0) {
        status = pm_fail(error, PM_ERROR_IO, "hwloc can't read this machine's topology: %s",
                         strerror(errno));
        goto error;
    }
    restrict_to_process(topology->hwloc);
    topology->summary.pus = max(0, hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU));
    topology->pus = calloc((size_t)topology->summary.pus, sizeof *topology->pus);
    if (topology->pus == NULL) {
        pm_fail(error, status, "out of memory for the topology");
        goto error;
    }
    read_pus(topology);
    summarize(topology);
    *result = topology;
    return PM_OK;

error:
    pm_topology_close(topology);
    return status;
}

void pm_topology_close(struct pm_topology *topology)
{
    if (topology == NULL)
        return;
    if (topology->hwloc != NULL)
        hwloc_topology_destroy(topology->hwloc);
    free(topology->pus);
    free(topology);
}

void pm_topology_summarize(const struct pm_topology *topology, struct pm_topology_summary *summary)
{
    *summary = topology->summary;
}

const struct pm_topology_pu *pm_topology_pus(const struct pm_topology *topology, int *count)
{
    *count = topology->summary.pus;
    return topology->pus;
}

/* Reads a CPU number; NULL if there is none at text, else what follows it. */
static const char *read_cpu(const char *text, int *cpu)
{
    *cpu = 0;
    const char *end = text;
    for (; *end >= '0' && *end <= '9'; end++) {
        *cpu = *cpu * 10 + (*end - '0');
        if (*cpu > MAX_CPU_NUMBER)
            return NULL;
    }
    return end != text ? end : NULL;
}

/* Reads "4" or "4-7"; NULL if malformed, else what follows. */
static const char *read_range(const char *text, int *first, int *last)
{
    text = read_cpu(text, first);
    *last = *first;
    if (text == NULL || *text != '-')
        return text;
    return read_cpu(text + 1, last);
}

static bool lists_cpu(const struct pm_pin *pin, int cpu)
{
    for (int i = 0; i < pin->cpu_count; i++)
        if (pin->cpus[i] == cpu)
            return true;
    return false;
}

static enum pm_status add_cpu(struct pm_pin *pin, int cpu, struct pm_error *error)
{
    const int most = (int)(sizeof pin->cpus / sizeof pin->cpus[0]);
    if (lists_cpu(pin, cpu))
        return pm_fail(error, PM_ERROR_PARSE, "CPU %d is listed twice", cpu);
    if (pin->cpu_count == most)
        return pm_fail(error, PM_ERROR_PARSE, "a CPU list holds at most %d CPUs", most);
    pin->cpus[pin->cpu_count++] = cpu;
    return PM_OK;
}

static enum pm_status read_list(const char *text, struct pm_pin *pin, struct pm_error *error)
{
    const char *rest = text;
    for (;;) {
        int first, last;
        const char *end = read_range(rest, &first, &last);
        if (end == NULL || (*end != ',' && *end != '\0'))
            return pm_fail(error, PM_ERROR_PARSE,
                           "'%s' is no pinning (column %d): use core, thread, none or a CPU list "
                           "such as 0,2,4-7",
                           text, (int)(rest - text) + 1);
        if (first > last)
            return pm_fail(error, PM_ERROR_PARSE, "CPU range %d-%d runs backwards: use %d-%d",
                           first, last, last, first);
        for (int cpu = first; cpu <= last; cpu++) {
            const enum pm_status status = add_cpu(pin, cpu, error);
            if (status != PM_OK)
                return status;
        }
        if (*end == '\0')
            return PM_OK;
        rest = end + 1;
    }
}

enum pm_status pm_pin_read(const char *text, struct pm_pin *pin, struct pm_error *error)
{
    static const char *const policies[] = {
        [PM_PIN_CORE] = "core",
        [PM_PIN_THREAD] = "thread",
        [PM_PIN_NONE] = "none",
    };
    struct pm_pin read = {.policy = PM_PIN_LIST};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(text, policies[i]) == 0) {
            read.policy = (enum pm_pin_policy)i;
            *pin = read;
            return PM_OK;
        }
    const enum pm_status status = read_list(text, &read, error);
    if (status == PM_OK)
        *pin = read;
    return status;
}

int pm_pin_default_threads(const struct pm_topology *topology, const struct pm_pin *pin)
{
    switch (pin->policy) {
    case PM_PIN_THREAD:
        return topology->summary.pus;
    case PM_PIN_LIST:
        return pin->cpu_count;
    case PM_PIN_CORE:
    case PM_PIN_NONE:
        break;
    }
    return topology->summary.cores;
}

/* PUs of one topology lie in one array, so their addresses give the logical order. */
static int logical_order(const struct pm_topology_pu *a, const struct pm_topology_pu *b)
{
    return a < b ? -1 : a > b;
}

static int thread_order(const void *left, const void *right)
{
    const struct pm_topology_pu *a = *(const struct pm_topology_pu *const *)left;
    const struct pm_topology_pu *b = *(const struct pm_topology_pu *const *)right;
    return a->kind != b->kind ? b->kind - a->kind : logical_order(a, b);
}

static int core_order(const void *left, const void *right)
{
    const struct pm_topology_pu *a = *(const struct pm_topology_pu *const *)left;
    const struct pm_topology_pu *b = *(const struct pm_topology_pu *const *)right;
    return a->smt != b->smt ? a->smt - b->smt : thread_order(left, right);
}

static enum pm_status assign_by_policy(const struct pm_topology *topology,
                                       enum pm_pin_policy policy, int threads, int cpus[],
                                       struct pm_error *error)
{
    const size_t count = (size_t)topology->summary.pus;
    if ((size_t)threads > count)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "%d threads can't be pinned: this process may use %zu CPUs; fewer threads "
                       "or --pin none are needed",
                       threads, count);
    const struct pm_topology_pu **order = calloc(count, sizeof *order);
    if (order == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for pinning");
    for (size_t i = 0; i < count; i++)
        order[i] = &topology->pus[i];
    qsort(order, count, sizeof *order, policy == PM_PIN_CORE ? core_order : thread_order);
    for (int i = 0; i < threads; i++)
        cpus[i] = order[i]->os_index;
    free(order);
    return PM_OK;
}

static bool has_cpu(const struct pm_topology *topology, int cpu)
{
    for (int i = 0; i < topology->summary.pus; i++)
        if (topology->pus[i].os_index == cpu)
            return true;
    return false;
}

static enum pm_status assign_list(const struct pm_topology *topology, const struct pm_pin *pin,
                                  int threads, int cpus[], struct pm_error *error)
{
    if (threads > pin->cpu_count)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "%d threads can't be pinned to a list of %d CPUs", threads, pin->cpu_count);
    for (int i = 0; i < pin->cpu_count; i++)
        if (!has_cpu(topology, pin->cpus[i]))
            return pm_fail(error, PM_ERROR_UNSUPPORTED,
                           "can't be pinned: CPU %d is not there, or this process may not use it",
                           pin->cpus[i]);
    memcpy(cpus, pin->cpus, (size_t)threads * sizeof cpus[0]);
    return PM_OK;
}

enum pm_status pm_pin_assign(const struct pm_topology *topology, const struct pm_pin *pin,
                             int threads, int cpus[], struct pm_error *error)
{
    if (threads < 1)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%d threads: at least 1 is needed", threads);
    switch (pin->policy) {
    case PM_PIN_CORE:
    case PM_PIN_THREAD:
        return assign_by_policy(topology, pin->policy, threads, cpus, error);
    case PM_PIN_LIST:
        return assign_list(topology, pin, threads, cpus, error);
    case PM_PIN_NONE:
        break;
    }
    for (int i = 0; i < threads; i++)
        cpus[i] = -1;
    return PM_OK;
}

/* Memory policy is a wish: containers often forbid it, and first touch is local anyway. */
static void bind_memory(hwloc_topology_t hwloc, hwloc_const_bitmap_t cpus,
                        hwloc_membind_policy_t policy)
{
    hwloc_set_membind(hwloc, cpus, policy, HWLOC_MEMBIND_THREAD);
}

enum pm_status pm_pin_this_thread(const struct pm_topology *topology, int cpu,
                                  struct pm_error *error)
{
    if (cpu < 0)
        return PM_OK;
    const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);
    if (pu == NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "CPU %d is not there", cpu);
    if (!hwloc_topology_is_thissystem(topology->hwloc))
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "CPU %d belongs to a made-up topology: can't pin to it", cpu);
    if (hwloc_set_cpubind(topology->hwloc, pu->cpuset, HWLOC_CPUBIND_THREAD) != 0)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "can't pin a thread to CPU %d: %s", cpu,
                       strerror(errno));
    if (topology->summary.numa_nodes > 1)
        bind_memory(topology->hwloc, pu->cpuset, HWLOC_MEMBIND_BIND);
    return PM_OK;
}

void pm_unpin_this_thread(const struct pm_topology *topology)
{
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology->hwloc);
    hwloc_set_cpubind(topology->hwloc, all, HWLOC_CPUBIND_THREAD);
    if (topology->summary.numa_nodes > 1)
        bind_memory(topology->hwloc, all, HWLOC_MEMBIND_DEFAULT);
}
