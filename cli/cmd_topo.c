/* SPDX-License-Identifier: MIT */
/* `plymark topo`: the machine as --pin sees it. */
#include "cli/cli.h"
#include "core/cpu.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_JSON = 256 };

/* The two policies that choose CPUs by themselves. */
static const struct {
    enum pm_pin_policy policy;
    const char *name, *meaning;
} policies[] = {
    {PM_PIN_CORE, "core", "one thread a core, fastest kind first, before SMT siblings"},
    {PM_PIN_THREAD, "thread", "all SMT siblings of a core, then the next core"},
};
#define POLICY_COUNT (sizeof policies / sizeof policies[0])

/* "48 KiB", "32 MiB", "unknown". Returns text. */
static char *size_to_text(size_t bytes, char text[32])
{
    if (bytes == 0)
        snprintf(text, 32, "unknown");
    else if (bytes % (1U << 20) == 0)
        snprintf(text, 32, "%zu MiB", bytes >> 20);
    else
        snprintf(text, 32, "%zu KiB", bytes >> 10);
    return text;
}

static void print_summary(const struct pm_topology_summary *summary)
{
    char features[256], l1d[32], l2[32], l3[32];
    printf("processor    %s\n", pm_cpu_model_name());
    printf("features     %s\n",
           pm_cpu_features_to_text(pm_cpu_features(), features, sizeof features));
    printf("packages     %d\n", summary->packages);
    printf("NUMA nodes   %d\n", summary->numa_nodes);
    printf("L3 groups    %d\n", summary->l3_groups);
    printf("cores        %d (of %d %s)\n", summary->cores, summary->kinds,
           summary->kinds == 1 ? "kind" : "kinds");
    printf("CPUs         %d\n", summary->pus);
    printf("caches       L1d %s, L2 %s, L3 %s each\n", size_to_text(summary->l1d_bytes, l1d),
           size_to_text(summary->l2_bytes, l2), size_to_text(summary->l3_bytes, l3));
}

/* A column's number, "-" for -1. */
static void print_index(int index)
{
    if (index < 0)
        printf("%9s", "-");
    else
        printf("%9d", index);
}

static void print_pus(const struct pm_topology_pu *pus, int count)
{
    printf("\n%4s%9s%9s%9s%9s%9s%9s\n", "CPU", "core", "SMT", "L3", "NUMA", "package", "kind");
    for (int i = 0; i < count; i++) {
        printf("%4d", pus[i].os_index);
        print_index(pus[i].core);
        print_index(pus[i].smt);
        print_index(pus[i].l3);
        print_index(pus[i].numa);
        print_index(pus[i].package);
        print_index(pus[i].kind);
        putchar('\n');
    }
}

/* As --pin takes it, in this order: "0-3,8". */
static void print_cpus(const int cpus[], int count)
{
    for (int i = 0; i < count; i++) {
        const int first = i;
        while (i + 1 < count && cpus[i + 1] == cpus[i] + 1)
            i++;
        printf("%s%d", first > 0 ? "," : "", cpus[first]);
        if (i > first)
            printf("-%d", cpus[i]);
    }
    putchar('\n');
}

/* One line for 1, 2, 4, 8 … threads, for as many as there are cores, and for all. */
static void print_thread_counts(const int cpus[], int cores, int count)
{
    for (int threads = 1; threads <= count; threads++) {
        const bool is_power = (threads & (threads - 1)) == 0;
        if (!is_power && threads != cores && threads != count)
            continue;
        printf("%6d %-8s ", threads, threads == 1 ? "thread" : "threads");
        print_cpus(cpus, threads);
    }
}

static void print_policies(int *const cpus[POLICY_COUNT], const struct pm_topology_summary *summary)
{
    for (size_t i = 0; i < POLICY_COUNT; i++) {
        printf("\n--pin %s: %s\n", policies[i].name, policies[i].meaning);
        print_thread_counts(cpus[i], summary->cores, summary->pus);
    }
    printf("\n--pin none: the system moves the threads as it likes\n");
    printf("--pin LIST: those CPUs in that order, such as the lists above\n");
}

static json_t *summary_to_json(const struct pm_topology_summary *summary)
{
    return json_pack("{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:I,s:I}", "model", pm_cpu_model_name(),
                     "packages", summary->packages, "numa_nodes", summary->numa_nodes, "l3_groups",
                     summary->l3_groups, "cores", summary->cores, "cpus", summary->pus, "kinds",
                     summary->kinds, "l1d_bytes", (json_int_t)summary->l1d_bytes, "l2_bytes",
                     (json_int_t)summary->l2_bytes, "l3_bytes", (json_int_t)summary->l3_bytes);
}

static json_t *pus_to_json(const struct pm_topology_pu *pus, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "cpu",
                                               pus[i].os_index, "core", pus[i].core, "smt",
                                               pus[i].smt, "l3", pus[i].l3, "numa", pus[i].numa,
                                               "package", pus[i].package, "kind", pus[i].kind));
    return array;
}

static json_t *cpus_to_json(const int cpus[], int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_integer(cpus[i]));
    return array;
}

static enum pm_status print_json(int *const cpus[POLICY_COUNT],
                                 const struct pm_topology_summary *summary,
                                 const struct pm_topology_pu *pus, struct pm_error *error)
{
    json_t *pin = json_object();
    for (size_t i = 0; i < POLICY_COUNT; i++)
        json_object_set_new(pin, policies[i].name, cpus_to_json(cpus[i], summary->pus));
    json_t *root = json_pack("{s:o,s:o,s:o}", "machine", summary_to_json(summary), "cpus",
                             pus_to_json(pus, summary->pus), "pin", pin);
    const int failed = json_dumpf(root, stdout, JSON_INDENT(2));
    json_decref(root);
    if (failed)
        return pm_fail(error, PM_ERROR_IO, "can't write the JSON");
    putchar('\n');
    return PM_OK;
}

/* Fills one list for each policy, each of as many CPUs as there are. */
static enum pm_status assign_all(const struct pm_topology *topology, int count,
                                 int *cpus[POLICY_COUNT], struct pm_error *error)
{
    for (size_t i = 0; i < POLICY_COUNT; i++) {
        const struct pm_pin pin = {.policy = policies[i].policy};
        cpus[i] = calloc((size_t)count, sizeof *cpus[i]);
        if (cpus[i] == NULL)
            return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
        const enum pm_status status = pm_pin_assign(topology, &pin, count, cpus[i], error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static enum pm_status show(const struct pm_topology *topology, bool as_json, struct pm_error *error)
{
    struct pm_topology_summary summary;
    int *cpus[POLICY_COUNT] = {NULL};
    int count;
    const struct pm_topology_pu *pus = pm_topology_pus(topology, &count);
    pm_topology_summarize(topology, &summary);
    enum pm_status status = assign_all(topology, count, cpus, error);
    if (status == PM_OK && as_json) {
        status = print_json(cpus, &summary, pus, error);
    } else if (status == PM_OK) {
        print_summary(&summary);
        print_pus(pus, count);
        print_policies(cpus, &summary);
    }
    for (size_t i = 0; i < POLICY_COUNT; i++)
        free(cpus[i]);
    return status;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    bool *as_json = state->input;
    (void)argument;
    if (key != KEY_JSON)
        return ARGP_ERR_UNKNOWN;
    *as_json = true;
    return 0;
}

int cli_topo(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", KEY_JSON, NULL, 0, "Write JSON", 0},
        {0},
    };
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .doc =
            "Show packages, NUMA nodes, L3 groups, cores and CPUs that this process may use, and "
            "which CPUs --pin gives to how many threads.",
        .children = children,
    };
    struct pm_topology *topology = NULL;
    struct pm_error error;
    bool as_json = false;
    cli_parse(&argp, argc, argv, &as_json);
    enum pm_status status = pm_topology_open(&topology, &error);
    if (status == PM_OK)
        status = show(topology, as_json, &error);
    pm_topology_close(topology);
    return status == PM_OK ? CLI_EXIT_OK : cli_fail("topo", &error);
}
