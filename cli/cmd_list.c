/* SPDX-License-Identifier: MIT */
/* `plymark list` and `plymark info`: the kernels and what they need. */
#include "cli/cli.h"
#include "core/cpu.h"
#include "core/mode.h"
#include "kernels/registry.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "runs here", "slow here (slow-pext)" or "not here: lacks bmi2". Returns text. */
static char *availability(const struct pm_kernel *kernel, char *text, size_t size)
{
    char features[256];
    const uint64_t missing = pm_kernel_missing(kernel);
    const uint64_t slow = kernel->cpu_slow & pm_cpu_features();
    if (missing != 0)
        snprintf(text, size, "not here: lacks %s%s",
                 pm_cpu_features_to_text(missing, features, sizeof features),
                 missing & pm_cpu_masked() ? " (masked)" : "");
    else if (slow != 0)
        snprintf(text, size, "slow here: %s",
                 pm_cpu_features_to_text(slow, features, sizeof features));
    else
        snprintf(text, size, "runs here");
    return text;
}

static void print_modes(const struct pm_kernel *kernel)
{
    const char *separator = "";
    for (int mode = 0; mode < PM_MODE_COUNT; mode++) {
        if (kernel->capabilities & PM_CAN_MODE(mode)) {
            printf("%s%s", separator, pm_mode_text((enum pm_mode)mode));
            separator = ", ";
        }
    }
}

static int name_width(const struct cli_kernels *kernels)
{
    size_t width = strlen("kernel");
    for (int i = 0; i < kernels->count; i++)
        if (strlen(kernels->kernels[i]->name) > width)
            width = strlen(kernels->kernels[i]->name);
    return (int)width;
}

static void print_row(const struct pm_kernel *kernel, int width)
{
    char required[256], state[256];
    printf("%-*s %-9s %-24s %-52s %s\n", width, kernel->name, kernel->lineage,
           availability(kernel, state, sizeof state), kernel->technique,
           pm_cpu_features_to_text(kernel->cpu_required, required, sizeof required));
}

/* "pext (as reply64, reply256, reply512: one witness)". */
static void print_lineage(const struct pm_kernel *kernel)
{
    const char *separator = " (as ";
    printf("  lineage:      %s", kernel->lineage);
    for (const struct pm_kernel *const *other = pm_kernels; *other != NULL; other++) {
        if (*other == kernel || kernel->family != NULL ||
            strcmp((*other)->lineage, kernel->lineage) != 0)
            continue;
        printf("%s%s", separator, (*other)->name);
        separator = ", ";
    }
    puts(separator[0] == ',' ? ": one witness)" : "");
}

static void print_description(const struct pm_kernel *kernel)
{
    char text[256];
    printf("%s\n  %s\n", kernel->name, kernel->summary);
    printf("  technique:    %s\n", kernel->technique);
    printf("  source:       %s\n", kernel->reference);
    printf("  revision:     %s\n", kernel->revision);
    if (kernel->family != NULL)
        printf("  family:       %s\n", kernel->family);
    print_lineage(kernel);
    printf("  modes:        ");
    print_modes(kernel);
    printf("\n  chess960:     %s\n", kernel->capabilities & PM_CAN_CHESS960 ? "yes" : "no");
    printf("  keeps clocks: %s\n", kernel->capabilities & PM_CAN_CLOCKS ? "yes" : "no");
    printf("  attacks:      %s\n", kernel->attacks != NULL ? "yes" : "no");
    printf("  hash key:     %s\n", kernel->key != NULL ? "yes" : "no");
    printf("  state:        %u bytes, aligned to %u\n", kernel->state_size, kernel->state_align);
    printf("  needs:        %s\n",
           pm_cpu_features_to_text(kernel->cpu_required, text, sizeof text));
    printf("  slow with:    %s\n", pm_cpu_features_to_text(kernel->cpu_slow, text, sizeof text));
    printf("  here:         %s\n", availability(kernel, text, sizeof text));
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

/* Neither command initializes a kernel, so both describe kernels that can't run here. Returns
 * whether kernels were chosen; else all are, but for the families. */
static bool parse(const char *doc, int argc, char **argv, struct cli_kernels *kernels)
{
    const struct argp_child children[] = {
        {&cli_kernels_argp, 0, NULL, 0}, {&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.parser = parse_option, .doc = doc, .children = children};
    cli_parse(&argp, argc, argv, kernels);
    if (kernels->count != 0)
        return true;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (!pm_kernel_has_family(*kernel))
            kernels->kernels[kernels->count++] = *kernel;
    return false;
}

/* A line for each family, whose members follow each other. */
static void print_families(void)
{
    int count = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (!pm_kernel_has_family(*kernel))
            continue;
        const char *const family = kernel[0]->family;
        count++;
        if (kernel[1] != NULL && pm_kernel_has_family(kernel[1]) &&
            strcmp(family, kernel[1]->family) == 0)
            continue;
        printf("%s: a family of %d more, run when asked for: plymark list -k %s\n", family, count,
               family);
        count = 0;
    }
}

int cli_list(int argc, char **argv)
{
    struct cli_kernels kernels = {0};
    const bool is_chosen =
        parse("List the kernels, whether they run on this machine, and what they need.", argc, argv,
              &kernels);
    const int width = name_width(&kernels);
    printf("%-*s %-9s %-24s %-52s %s\n", width, "kernel", "lineage", "here", "technique", "needs");
    for (int i = 0; i < kernels.count; i++)
        print_row(kernels.kernels[i], width);
    if (!is_chosen)
        print_families();
    return CLI_EXIT_OK;
}

int cli_info(int argc, char **argv)
{
    struct cli_kernels kernels = {0};
    parse("Describe kernels in full.", argc, argv, &kernels);
    for (int i = 0; i < kernels.count; i++) {
        if (i > 0)
            putchar('\n');
        print_description(kernels.kernels[i]);
    }
    return CLI_EXIT_OK;
}
