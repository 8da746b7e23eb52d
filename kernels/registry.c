/* SPDX-License-Identifier: MIT */
#include "kernels/registry.h"

#include "core/cpu.h"
#include "core/mode.h"

#include <stddef.h>
#include <string.h>

const struct pm_kernel *pm_kernel_find(const char *name)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (strcmp((*kernel)->name, name) == 0)
            return *kernel;
    return NULL;
}

const struct pm_kernel *pm_kernels_reference(void)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if (((*kernel)->capabilities & PM_IS_REFERENCE) != 0 &&
            pm_kernel_ready(*kernel, NULL) == PM_OK)
            return *kernel;
    return NULL;
}

bool pm_kernel_has_family(const struct pm_kernel *kernel)
{
    return kernel->family != NULL;
}

static int find_members(const char *family, bool with_missing, const struct pm_kernel *found[])
{
    int count = 0;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if ((*kernel)->family != NULL && strcmp((*kernel)->family, family) == 0 &&
            count < PM_KERNELS_MAX && (with_missing || pm_kernel_missing(*kernel) == 0))
            found[count++] = *kernel;
    return count;
}

int pm_kernels_named(const char *name, const struct pm_kernel *found[PM_KERNELS_MAX])
{
    found[0] = pm_kernel_find(name);
    if (found[0] != NULL)
        return 1;
    const int count = find_members(name, false, found);
    return count > 0 ? count : find_members(name, true, found);
}

/* ---- Defaults ---- */

/* What measured fastest comes first (the tables of README.md and results/). What is not built, or
 * can't run here, is passed over. */
#define PREFERRED_MAX 8
typedef const char *const preference[PREFERRED_MAX];

static preference preferred[] = {
    [PM_MODE_MAKE] = {"reply512", "pext", "reply256", "byteboard", "reply64", "magic", "x88",
                      "mailbox"},
    [PM_MODE_BULK] = {"byteboard", "pext", "reply512", "magic", "reply64", "reply256", "x88",
                      "mailbox"},
    [PM_MODE_LOOKAHEAD] = {"reply512", "reply256", "reply64"},
    [PM_MODE_HASHED] = {"reply512", "reply256", "reply64", "pext", "magic", "x88"},
    [PM_MODE_UNIQUE] = {"reply512", "reply256", "reply64", "pext", "magic"},
};
static preference preferred_for_analysis = {"pext", "magic", "byteboard", "x88"};

bool pm_kernel_is_slow(const struct pm_kernel *kernel)
{
    return (kernel->cpu_slow & pm_cpu_features()) != 0;
}

bool pm_kernel_is_related(const struct pm_kernel *a, const struct pm_kernel *b)
{
    return strcmp(a->lineage, b->lineage) == 0;
}

/* What a search of the table is for. */
struct wish {
    enum pm_mode mode;
    const struct pm_kernel *but; /* not this one; may be NULL */
    bool of_its_lineage;         /* but its relatives */
};

static bool fits(const struct pm_kernel *kernel, const struct wish *wish)
{
    return kernel != wish->but && pm_kernel_missing(kernel) == 0 &&
           pm_kernel_offers(kernel, wish->mode) &&
           (wish->but == NULL || wish->of_its_lineage || !pm_kernel_is_related(kernel, wish->but));
}

/* The first that fits and is slow here, or not. */
static const struct pm_kernel *find_fitting(preference names, struct wish wish, bool slow)
{
    for (int i = 0; i < PREFERRED_MAX && names[i] != NULL; i++) {
        const struct pm_kernel *kernel = pm_kernel_find(names[i]);
        if (kernel != NULL && pm_kernel_is_slow(kernel) == slow && fits(kernel, &wish))
            return kernel;
    }
    return NULL;
}

static const struct pm_kernel *find_best(preference names, struct wish wish)
{
    const struct pm_kernel *found = find_fitting(names, wish, false);
    return found != NULL ? found : find_fitting(names, wish, true);
}

static const struct pm_kernel *or_first_that_runs(const struct pm_kernel *found)
{
    const struct pm_kernel *const *kernel = pm_kernels;
    while (kernel[1] != NULL && pm_kernel_missing(*kernel) != 0)
        kernel++;
    return found != NULL ? found : *kernel;
}

const struct pm_kernel *pm_kernel_default(enum pm_mode mode)
{
    return or_first_that_runs(find_best(preferred[mode], (struct wish){.mode = mode}));
}

const struct pm_kernel *pm_kernel_for_analysis(void)
{
    return or_first_that_runs(
        find_best(preferred_for_analysis, (struct wish){.mode = PM_MODE_BULK}));
}

const struct pm_kernel *pm_kernel_witness(const struct pm_kernel *counted, enum pm_mode mode)
{
    const struct wish unrelated = {.mode = mode, .but = counted};
    const struct wish another = {.mode = mode, .but = counted, .of_its_lineage = true};
    const struct pm_kernel *found = find_best(preferred[mode], unrelated);
    return found != NULL ? found : find_best(preferred[mode], another);
}

uint64_t pm_kernel_missing(const struct pm_kernel *kernel)
{
    return kernel->cpu_required & ~pm_cpu_features();
}

enum pm_status pm_kernel_check(const struct pm_kernel *kernel, struct pm_error *error)
{
    const uint64_t missing = pm_kernel_missing(kernel);
    char features[256];
    if (missing == 0)
        return PM_OK;
    return pm_fail(error, PM_ERROR_UNSUPPORTED, "%s can't run here: the CPU lacks %s%s",
                   kernel->name, pm_cpu_features_to_text(missing, features, sizeof features),
                   pm_cpu_masked() & kernel->cpu_required ? " (masked)" : "");
}

enum pm_status pm_kernel_ready(const struct pm_kernel *kernel, struct pm_error *error)
{
    enum pm_status status = pm_kernel_check(kernel, error);
    if (status != PM_OK)
        return status;
    status = kernel->init();
    return status == PM_OK ? PM_OK
                           : pm_fail(error, status, "%s could not be initialized: %s", kernel->name,
                                     pm_status_text(status));
}
